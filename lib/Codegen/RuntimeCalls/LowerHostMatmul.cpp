//===- LowerHostMatmul.cpp - Matmuls on the CPU as calls of the runtime ---===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "HostCall.h"
#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"
#include "tally/IR/ContractLoops.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tally/Analysis/ScopedFacts.h"
#include "llvm/ADT/StringMap.h"
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

/// The words in which the runtime keeps constants as its kernels read them.
class PackedConstants {
public:
  explicit PackedConstants(ModuleOp module) : module(module) {}

  /// The word for a buffer that holds the same in each call, shared by all that
  /// read the same for the same `use`; null for another buffer.
  LLVM::GlobalOp find(Value buffer, StringRef use) {
    std::string key;
    llvm::raw_string_ostream os(key);
    os << use << ' ';
    while (!buffer.getDefiningOp<memref::GetGlobalOp>()) {
      auto view = buffer.getDefiningOp<ViewLikeOpInterface>();
      if (!view)
        return nullptr;
      // The rest of its operands says which part of the constant it sees.
      for (Value operand : view->getOperands()) {
        APInt number;
        if (operand == view.getViewSource())
          continue;
        if (!matchPattern(operand, m_ConstantInt(&number)))
          return nullptr;
        os << number << ' ';
      }
      os << view->getName() << view->getAttrDictionary() << buffer.getType();
      buffer = view.getViewSource();
    }
    auto get = buffer.getDefiningOp<memref::GetGlobalOp>();
    auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
        get, get.getNameAttr());
    if (!global.getConstant())
      return nullptr;
    os << get.getName();
    LLVM::GlobalOp &word = words[key];
    if (!word)
      word = createWord(get.getName());
    return word;
  }

private:
  LLVM::GlobalOp createWord(StringRef constant) {
    auto builder = OpBuilder::atBlockBegin(module.getBody());
    auto word = LLVM::GlobalOp::create(
        builder, module.getLoc(), builder.getI64Type(), /*isConstant=*/false,
        LLVM::Linkage::Internal, (constant + "_packed").str(),
        builder.getI64IntegerAttr(0));
    symbols.insert(word);
    return word;
  }

  ModuleOp module;
  SymbolTable symbols{module};
  llvm::StringMap<LLVM::GlobalOp> words;
};

/// Lowers one matmul.
class HostMatmulLowering : public HostCall {
public:
  HostMatmulLowering(tally::MatmulOp op, PackedConstants &constants)
      : HostCall(op), constants(constants), op(op),
        rank(cast<MemRefType>(op.getC().getType()).getRank()) {}

  void run() { call(tally::runtime_functions::kHostMatmul, createArguments()); }

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

  /// A tally_rt_host_matmul_args on the stack.
  Value createArguments() {
    bool transposeA = op.getTransposeA();
    Matrices operands[] = {describe(op.getA(), transposeA),
                           describe(op.getB(), op.getTransposeB()),
                           describe(op.getC(), false)};
    SmallVector<Value> fields{
        getSize(op.getC(), rank - 2), getSize(op.getC(), rank - 1),
        getSize(op.getA(), transposeA ? rank - 2 : rank - 1)};
    for (const Matrices &matrices : operands)
      fields.push_back(matrices.pointer);
    for (const Matrices &matrices : operands)
      fields.append({matrices.rowStride, matrices.columnStride});
    fields.append({constant(rank - 2), createBatch(operands),
                   getTypeCode(op.getA()), getTypeCode(op.getC())});
    StringRef use = op.getTransposeB() ? "transposed" : "b";
    if (LLVM::GlobalOp word = constants.find(op.getB(), use))
      fields.push_back(LLVM::AddressOfOp::create(builder, loc, word));
    else
      fields.push_back(createNull());
    return createStruct<tally_rt_host_matmul_args>(fields);
  }

  PackedConstants &constants;
  tally::MatmulOp op;
  int64_t rank;
};

/// Lowers one contraction.
class HostContractLowering : public HostCall {
public:
  HostContractLowering(tally::ContractOp op, PackedConstants &constants)
      : HostCall(op), op(op), constants(constants),
        loops(*tally::getContractLoops(
            llvm::to_vector(op.getMaps().getAsValueRange<AffineMapAttr>()))) {}

  void run() {
    SmallVector<Value> fields;
    for (auto [index, operand] : llvm::enumerate(op.getOperands())) {
      auto [address, strides] = describeBuffer(operand);
      fields.push_back(address);
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
    if (LLVM::GlobalOp word = constants.find(op.getA(), use))
      fields.push_back(LLVM::AddressOfOp::create(builder, loc, word));
    else
      fields.push_back(createNull());
    call(tally::runtime_functions::kHostContract,
         createStruct<tally_rt_host_contract_args>(fields));
  }

private:
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
      guide = llvm::all_of(loops.operands[0], tally::isSingleLoop) ? 0 : 1;
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
    return WalkResult(requireCallContext(op));
  });
  if (result.wasInterrupted())
    return failure();
  PackedConstants constants(module);
  for (Operation *op : ops) {
    LDBG() << op->getName() << describePlace(op->getLoc())
           << ": a call of the runtime";
    if (auto matmul = dyn_cast<tally::MatmulOp>(op))
      HostMatmulLowering(matmul, constants).run();
    else
      HostContractLowering(cast<tally::ContractOp>(op), constants).run();
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
