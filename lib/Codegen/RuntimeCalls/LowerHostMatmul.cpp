//===- LowerHostMatmul.cpp - Matmuls on the CPU as calls of the runtime ---===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "BlockFunction.h"
#include "Common/OutlinedBodies.h"
#include "HostCall.h"
#include "PackedConstants.h"
#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"
#include "tally/IR/ContractLoops.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tally/Analysis/ScopedFacts.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_LOWERHOSTMATMUL
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-lower-host-matmul"

using namespace mlir;
using namespace tally::codegen;

namespace {

/// A batch of matrices in memory.
struct Matrices {
  Value pointer;
  /// Of the dimensions that count matrices, in elements.
  SmallVector<Value> batchStrides;
  Value rowStride, columnStride;
};

//===----------------------------------------------------------------------===//
// The function that computes an operand
//===----------------------------------------------------------------------===//

/// Makes the function for a tally_rt_matrix_part.
class PrologueFunction : BlockFunction {
public:
  PrologueFunction(tally::MatmulOp op, StringRef name)
      : BlockFunction(op, name,
                      getFunctionType<tally_rt_matrix_fn>(op.getContext())),
        op(op) {}

  /// Fills the function, which uses what `captures` has.
  func::FuncOp create(Captures &captures) {
    map = captures.unpack(builder, function);
    readPart();
    createLoops(
        lines, count,
        [&](Value row) {
          position[0] = arith::AddIOp::create(builder, loc, firstLine, row);
          readElements(/*perElement=*/false);
        },
        [&](Value row, Value column) {
          position[1] =
              arith::AddIOp::create(builder, loc, firstElement, column);
          readElements(/*perElement=*/true);
          Value computed = createYielded(*op.getPrologue(), elements);
          memref::StoreOp::create(builder, loc, computed, part,
                                  ValueRange{row, column});
        });
    return function;
  }

private:
  /// Reads the fields of the part.
  void readPart() {
    using Part = tally_rt_matrix_part;
    Value fields = loadBlock<Part>();
    auto get = [&](size_t offset) { return getField<Part>(fields, offset); };
    Value data = get(offsetof(Part, elements)),
          numLines = get(offsetof(Part, lines)),
          numElements = get(offsetof(Part, count));
    firstLine = toIndex(get(offsetof(Part, line)));
    firstElement = toIndex(get(offsetof(Part, first)));
    lines = toIndex(numLines);
    count = toIndex(numElements);
    Operation *yield = op.getPrologue()->front().getTerminator();
    part = createMatrix(yield->getOperand(0).getType(), data, numLines,
                        numElements, get(offsetof(Part, stride)));
  }

  /// Reads what differs from element to element of a line, or what does not.
  void readElements(bool perElement) {
    SmallVector<Value> operands{op.getB()};
    llvm::append_range(operands, op.getElements());
    elements.resize(operands.size());
    for (auto [index, operand] : llvm::enumerate(operands)) {
      AffineMap indices =
          index == 0
              ? AffineMap::getMultiDimIdentityMap(2, context)
              : cast<AffineMapAttr>((*op.getMaps())[index - 1]).getValue();
      if (indices.isFunctionOfDim(1) == perElement)
        elements[index] = readElement(operand, indices, position);
    }
  }

  tally::MatmulOp op;
  Value part, firstLine, lines, firstElement, count;
  /// The line, and the element of it.
  Value position[2];
  SmallVector<Value> elements;
};

//===----------------------------------------------------------------------===//
// The calls
//===----------------------------------------------------------------------===//

/// What all calls of a module share.
struct Shared {
  explicit Shared(ModuleOp module) : constants(module), symbols(module) {}

  PackedConstants constants;
  SharedBodies bodies;
  SymbolTable symbols;
  unsigned numPrologues = 0;
};

/// Lowers one matmul.
class HostMatmulLowering : public HostCall {
public:
  HostMatmulLowering(tally::MatmulOp op, Shared &shared)
      : HostCall(op), shared(shared), op(op),
        rank(cast<MemRefType>(op.getC().getType()).getRank()) {}

  void run() {
    using namespace tally::runtime_functions;
    if (!op.getPrologue()) {
      LLVM::GlobalOp place = shared.constants.find(op.getB(), getUse());
      call(kHostMatmul, createArguments(place));
      return;
    }
    Computation b = createComputation();
    Value arguments = createArguments(b.place);
    call(kHostMatmulComputed, arguments, b.function, b.data);
  }

private:
  Matrices describe(Value buffer, bool isTransposed) {
    auto [address, strides] = describeBuffer(buffer);
    Matrices matrices;
    matrices.pointer = address;
    matrices.columnStride = strides.pop_back_val();
    matrices.rowStride = strides.pop_back_val();
    matrices.batchStrides = strides;
    if (isTransposed)
      std::swap(matrices.rowStride, matrices.columnStride);
    return matrices;
  }

  /// The sizes of the batch, and the strides of each operand.
  Value createBatch(ArrayRef<Matrices> operands) {
    SmallVector<Value> fields;
    for (int64_t dim = 0; dim < rank - 2; ++dim)
      fields.push_back(getSize(op.getC(), dim));
    for (const Matrices &matrices : operands)
      llvm::append_range(fields, matrices.batchStrides);
    return createArray(fields);
  }

  /// What computes `b`, where the runtime keeps it packed, and the address of
  /// what it uses.
  struct Computation {
    Value function, data;
    LLVM::GlobalOp place;
  };

  Computation createComputation() {
    auto parent = op->getParentOfType<func::FuncOp>();
    Captures captures(parent, loc);
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(*op.getPrologue(), used);
    bool isConstant = llvm::all_of(used, [](Value value) {
      return value.getDefiningOp() && matchPattern(value, m_Constant());
    });
    SmallVector<Value> buffers{op.getB()};
    llvm::append_range(buffers, op.getElements());
    used.insert(buffers.begin(), buffers.end());
    captures.add(used.getArrayRef());
    std::string name;
    do
      name =
          (parent.getName() + "_operand_" + Twine(shared.numPrologues++)).str();
    while (shared.symbols.lookup(name));
    func::FuncOp body =
        shared.bodies.share(PrologueFunction(op, name).create(captures));
    Computation result;
    result.data = captures.pack(builder);
    result.function = createFunctionPointer(builder, loc, body);
    if (isConstant)
      result.place = shared.constants.findComputed(
          buffers, (getUse() + " " + body.getName()).str());
    return result;
  }

  StringRef getUse() { return op.getTransposeB() ? "transposed" : "b"; }

  /// A tally_rt_host_matmul_args on the stack.
  Value createArguments(LLVM::GlobalOp place) {
    bool transposeA = op.getTransposeA();
    Matrices operands[] = {describe(op.getA(), transposeA),
                           describe(op.getB(), op.getTransposeB()),
                           describe(op.getC(), false)};
    if (op.getPrologue()) {
      Value zero = constant(0), one = constant(1);
      operands[1].pointer = createNull();
      operands[1].rowStride = op.getTransposeB() ? one : zero;
      operands[1].columnStride = op.getTransposeB() ? zero : one;
    }
    SmallVector<Value> fields{
        getSize(op.getC(), rank - 2), getSize(op.getC(), rank - 1),
        getSize(op.getA(), transposeA ? rank - 2 : rank - 1)};
    for (const Matrices &matrices : operands)
      fields.push_back(matrices.pointer);
    for (const Matrices &matrices : operands)
      fields.append({matrices.rowStride, matrices.columnStride});
    fields.append({constant(rank - 2), createBatch(operands),
                   getTypeCode(op.getA()), getTypeCode(op.getC())});
    if (place)
      fields.push_back(LLVM::AddressOfOp::create(builder, loc, place));
    else
      fields.push_back(createNull());
    return createStruct<tally_rt_host_matmul_args>(fields);
  }

  Shared &shared;
  tally::MatmulOp op;
  int64_t rank;
};

/// Lowers one contraction.
class HostContractLowering : public HostCall {
public:
  HostContractLowering(tally::ContractOp op, PackedConstants &constants)
      : HostCall(op), op(op), constants(constants), loops(tally::getLoops(op)) {
  }

  void run() {
    SmallVector<Value> fields;
    for (auto [index, operand] : llvm::enumerate(op.getOperands())) {
      auto [address, strides] = describeBuffer(operand);
      fields.push_back(index == 0 ? moveToFirst(address, strides) : address);
      createStrides(strides, loops.operands[index]);
    }
    using Kind = tally::ContractLoopKind;
    // Each is a tally_rt_host_loop.
    SmallVector<Value> descriptions;
    static_assert(hasAllFields<tally_rt_host_loop>() &&
                  sizeof(tally_rt_host_loop) == 4 * sizeof(int64_t));
    for (Kind kind : {Kind::Batch, Kind::M, Kind::N, Kind::K}) {
      SmallVector<int64_t> members = getLoops(kind);
      fields.push_back(constant(int64_t(members.size())));
      for (int64_t loop : members) {
        const tally::ContractLoop &description = loops.loops[loop];
        descriptions.push_back(
            getSize(op->getOperand(description.operand), description.dim));
        for (int64_t i = 0; i < 3; ++i)
          descriptions.push_back(strides[i][loop]);
      }
    }
    fields.append({createArray(descriptions), getTypeCode(op.getA()),
                   getTypeCode(op.getC())});
    // The maps say which dimensions are rows, and in which order.
    std::string use;
    llvm::raw_string_ostream(use) << op.getMaps();
    if (LLVM::GlobalOp place = constants.find(op.getA(), use))
      fields.push_back(LLVM::AddressOfOp::create(builder, loc, place));
    else
      fields.push_back(createNull());
    call(tally::runtime_functions::kHostContract,
         createStruct<tally_rt_host_contract_args>(fields));
  }

private:
  /// The element of a that the first iteration of all loops reads.
  Value moveToFirst(Value address, ArrayRef<Value> dimStrides) {
    Type element = getElementTypeOrSelf(op.getA());
    for (auto [stride, index] : llvm::zip_equal(dimStrides, loops.first)) {
      if (index == 0)
        continue;
      Value offset =
          arith::MulIOp::create(builder, loc, stride, constant(index));
      address = LLVM::GEPOp::create(builder, loc, pointer, element, address,
                                    LLVM::GEPArg(offset));
    }
    return address;
  }

  /// By how many elements an operand moves with each loop.
  void createStrides(ArrayRef<Value> dimStrides,
                     const tally::ContractOperand &operand) {
    SmallVector<Value> &result = strides.emplace_back(loops.loops.size());
    for (auto [stride, terms] : llvm::zip_equal(dimStrides, operand))
      for (const tally::ContractTerm &term : terms) {
        Value step = term.factor == 1
                         ? stride
                         : arith::MulIOp::create(builder, loc, stride,
                                                 constant(term.factor));
        Value &sum = result[term.loop];
        sum = sum ? arith::AddIOp::create(builder, loc, sum, step) : step;
      }
    for (Value &stride : result)
      if (!stride)
        stride = constant(0);
  }

  /// The loops of a kind, in the order of the dimensions of c, or of a or b for
  /// those that are summed over: of what has no windows, as its elements can be
  /// evenly spaced then.
  SmallVector<int64_t> getLoops(tally::ContractLoopKind kind) {
    size_t guide = 2;
    if (kind == tally::ContractLoopKind::K)
      guide = llvm::all_of(loops.operands[0],
                           [](ArrayRef<tally::ContractTerm> terms) {
                             return tally::isSingleLoop(terms) ||
                                    tally::isBackward(terms);
                           })
                  ? 0
                  : 1;
    SmallVector<int64_t> result;
    auto add = [&](int64_t loop) {
      if (loops.loops[loop].kind == kind && !llvm::is_contained(result, loop))
        result.push_back(loop);
    };
    for (ArrayRef<tally::ContractTerm> terms : loops.operands[guide])
      for (const tally::ContractTerm &term : terms)
        add(term.loop);
    return result;
  }

  tally::ContractOp op;
  PackedConstants &constants;
  tally::ContractLoops loops;
  /// Of each operand, for each loop.
  SmallVector<SmallVector<Value>> strides;
};
} // namespace

LogicalResult tally::lowerHostMatmuls(ModuleOp module) {
  SmallVector<Operation *> ops;
  WalkResult result = module.walk([&](Operation *op) {
    if (!isa<tally::MatmulOp, tally::ContractOp>(op))
      return WalkResult::advance();
    ops.push_back(op);
    if (!llvm::all_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>))
      return WalkResult(op->emitOpError("is on tensors; bufferize it first"));
    if (auto matmul = dyn_cast<tally::MatmulOp>(op);
        matmul && matmul.hasEpilogue())
      return WalkResult(op->emitOpError(
          "has a bias or 'relu', which only a library of a GPU computes; do "
          "not run 'tally-fuse-epilogues'"));
    auto contract = dyn_cast<tally::ContractOp>(op);
    tally::ContractLoops loops;
    if (contract)
      loops = tally::getLoops(contract);
    if (loops.writesWindows)
      return WalkResult(op->emitOpError(
          "has windows that move over its result, which only a library of a "
          "GPU computes; do not run 'tally-recognize-contractions' with "
          "'convolutions-only'"));
    if (loops.isPadded())
      return WalkResult(op->emitOpError(
          "has a padded operand, which only a library of a GPU pads; do not "
          "run 'tally-recognize-contractions' with 'convolutions-only'"));
    return WalkResult(requireCallContext(op));
  });
  if (result.wasInterrupted())
    return failure();
  Shared shared(module);
  for (Operation *op : ops) {
    LDBG() << op->getName() << describePlace(op->getLoc())
           << ": a call of the runtime";
    if (auto matmul = dyn_cast<tally::MatmulOp>(op))
      HostMatmulLowering(matmul, shared).run();
    else
      HostContractLowering(cast<tally::ContractOp>(op), shared.constants).run();
  }
  return success();
}

namespace {
struct LowerHostMatmulPass
    : tally::impl::LowerHostMatmulBase<LowerHostMatmulPass> {
  void runOnOperation() override {
    if (failed(tally::lowerHostMatmuls(getOperation())))
      signalPassFailure();
  }
};

} // namespace
