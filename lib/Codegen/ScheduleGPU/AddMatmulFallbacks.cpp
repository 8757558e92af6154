//===- AddMatmulFallbacks.cpp - Products without a library ----------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Kernels/Kernels.h"
#include "WindowKernel.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/Codegen/ScheduleGPU/Passes.h"
#include "tally/Codegen/ScheduleGPU/Transforms.h"
#include "tally/IR/ContractLoops.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/DebugLog.h"

#include <array>

namespace tally {
#define GEN_PASS_DEF_ADDMATMULFALLBACKS
#include "tally/Codegen/ScheduleGPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-add-matmul-fallbacks"

using namespace mlir;
using namespace tally::codegen;

namespace {

/// Which of the arguments of a fallback is which; as in tally_runtime.h.
enum Argument {
  kA,
  kB,
  kC,
  kBatch,
  kM,
  kN,
  kK,
  kLeadingA,
  kLeadingB,
  kLeadingC,
  kStrideA,
  kStrideB,
  kStrideC,
  kArgumentCount,
  /// What is added to each row, where there is something.
  kBias = kArgumentCount
};

/// What is done with a sum before it is written.
struct Epilogue {
  bool bias = false, relu = false;
};

/// How many products are summed up before their sum is added.
constexpr int64_t kPart = 64;

/// Writes the kernel that computes one kind of product.
class FallbackBuilder {
public:
  FallbackBuilder(Location loc, Type type, Type resultType, bool transposeA,
                  bool transposeB, Epilogue epilogue)
      : loc(loc), builder(type.getContext()), type(type),
        resultType(resultType),
        sumType(type.getIntOrFloatBitWidth() < 32 ? builder.getF32Type()
                                                  : type),
        transposeA(transposeA), transposeB(transposeB), epilogue(epilogue) {}

  /// The name says what is specific: `matmul_f32_nt` transposes b,
  /// `matmul_f16_f32_nn` gives f32, and `matmul_f16_nn_bias_relu` has an
  /// epilogue.
  std::string getName() const {
    std::string name;
    llvm::raw_string_ostream stream(name);
    stream << "matmul_" << type << '_';
    if (resultType != type)
      stream << resultType << '_';
    stream << (transposeA ? 't' : 'n') << (transposeB ? 't' : 'n')
           << (epilogue.bias ? "_bias" : "") << (epilogue.relu ? "_relu" : "");
    return name;
  }

  gpu::GPUFuncOp build() {
    SmallVector<Type> types(2, MemRefType::get({1}, type));
    types.push_back(MemRefType::get({1}, resultType));
    types.resize(kArgumentCount, builder.getIndexType());
    if (epilogue.bias)
      types.push_back(MemRefType::get({1}, resultType));
    kernel = gpu::GPUFuncOp::create(builder, loc, getName(),
                                    builder.getFunctionType(types, {}));
    kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
    builder.setInsertionPointToEnd(&kernel.getBody().front());
    createBody();
    gpu::ReturnOp::create(builder, loc);
    return kernel;
  }

private:
  Value get(Argument argument) { return kernel.getArgument(argument); }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  template <typename Op>
  Value create(Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }

  /// A batch of matrices.
  Value createMatrices(Argument pointer, Argument rows, Argument columns,
                       Argument leading, Argument stride) {
    SmallVector<OpFoldResult> sizes{get(kBatch), get(rows), get(columns)};
    SmallVector<OpFoldResult> strides{get(stride), get(leading),
                                      builder.getIndexAttr(1)};
    return memref::ReinterpretCastOp::create(
        builder, loc, get(pointer), builder.getIndexAttr(0), sizes, strides);
  }

  /// Elements of c, each by one thread; a grid that is too small goes round.
  void createBody() {
    Value a = transposeA ? createMatrices(kA, kK, kM, kLeadingA, kStrideA)
                         : createMatrices(kA, kM, kK, kLeadingA, kStrideA);
    Value b = transposeB ? createMatrices(kB, kN, kK, kLeadingB, kStrideB)
                         : createMatrices(kB, kK, kN, kLeadingB, kStrideB);
    Value c = createMatrices(kC, kM, kN, kLeadingC, kStrideC);
    auto x = gpu::Dimension::x;
    Value threads = gpu::BlockDimOp::create(builder, loc, x);
    Value first = create<arith::AddIOp>(
        create<arith::MulIOp>(gpu::BlockIdOp::create(builder, loc, x), threads),
        gpu::ThreadIdOp::create(builder, loc, x));
    Value step =
        create<arith::MulIOp>(gpu::GridDimOp::create(builder, loc, x), threads);
    Value size = create<arith::MulIOp>(get(kM), get(kN));
    Value total = create<arith::MulIOp>(get(kBatch), size);
    // An element that there is has no empty dimension; says so to who checks
    // divisions.
    Value one = constant(1);
    Value divisor = create<arith::MaxSIOp>(size, one);
    Value columns = create<arith::MaxSIOp>(get(kN), one);
    auto loop = scf::ForOp::create(builder, loc, first, total, step);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value element = loop.getInductionVar();
    Value batch = create<arith::DivUIOp>(element, divisor);
    Value inside = create<arith::RemUIOp>(element, divisor);
    Value row = create<arith::DivUIOp>(inside, columns);
    Value column = create<arith::RemUIOp>(inside, columns);
    Value sum = createEpilogue(createSum(a, b, batch, row, column), column);
    if (resultType != sumType)
      sum = arith::TruncFOp::create(builder, loc, resultType, sum);
    memref::StoreOp::create(builder, loc, sum, c,
                            ValueRange{batch, row, column});
  }

  /// The sum of sums of a few products each, so that what is rounded off grows
  /// with neither number alone.
  Value createSum(Value a, Value b, Value batch, Value row, Value column) {
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sumType));
    auto loop = scf::ForOp::create(builder, loc, constant(0), get(kK),
                                   constant(kPart), zero);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value first = loop.getInductionVar();
    Value last = create<arith::MinSIOp>(
        create<arith::AddIOp>(first, constant(kPart)), get(kK));
    Value part = createPart(a, b, {batch, row, column}, first, last, zero);
    Value sum = create<arith::AddFOp>(loop.getRegionIterArg(0), part);
    scf::YieldOp::create(builder, loc, sum);
    return loop.getResult(0);
  }

  /// The sum of the products from `first` on.
  Value createPart(Value a, Value b, std::array<Value, 3> element, Value first,
                   Value last, Value zero) {
    auto [batch, row, column] = element;
    auto loop =
        scf::ForOp::create(builder, loc, first, last, constant(1), zero);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar();
    Value x = createLoad(a, batch, row, k, transposeA);
    Value y = createLoad(b, batch, k, column, transposeB);
    Value next = create<arith::AddFOp>(loop.getRegionIterArg(0),
                                       create<arith::MulFOp>(x, y));
    scf::YieldOp::create(builder, loc, next);
    return loop.getResult(0);
  }

  /// A bias is added; then negative numbers become 0, and NaN stays.
  Value createEpilogue(Value sum, Value column) {
    if (epilogue.bias) {
      Value row = memref::ReinterpretCastOp::create(
          builder, loc, get(static_cast<Argument>(kBias)),
          builder.getIndexAttr(0), ArrayRef<OpFoldResult>(get(kN)),
          ArrayRef<OpFoldResult>(builder.getIndexAttr(1)));
      Value element = memref::LoadOp::create(builder, loc, row, column);
      if (resultType != sumType)
        element = arith::ExtFOp::create(builder, loc, sumType, element);
      sum = create<arith::AddFOp>(sum, element);
    }
    if (!epilogue.relu)
      return sum;
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sumType));
    Value isNegative = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OLT, sum, zero);
    return arith::SelectOp::create(builder, loc, isNegative, zero, sum);
  }

  Value createLoad(Value matrices, Value batch, Value row, Value column,
                   bool transposed) {
    if (transposed)
      std::swap(row, column);
    Value element = memref::LoadOp::create(builder, loc, matrices,
                                           ValueRange{batch, row, column});
    if (type == sumType)
      return element;
    return arith::ExtFOp::create(builder, loc, sumType, element);
  }

  Location loc;
  OpBuilder builder;
  Type type, resultType, sumType;
  bool transposeA, transposeB;
  Epilogue epilogue;
  gpu::GPUFuncOp kernel;
};
} // namespace

/// Products of the same kind share a kernel.
static SymbolRefAttr getProductKernel(gpu::GPUModuleOp kernels,
                                      FallbackBuilder fallback) {
  std::string name = fallback.getName();
  if (!kernels.lookupSymbol(name))
    kernels.getBody()->push_back(fallback.build());
  return SymbolRefAttr::get(kernels.getSymNameAttr(),
                            FlatSymbolRefAttr::get(kernels.getContext(), name));
}

static void addFallback(ModuleOp module, tally::MatmulOp op) {
  Epilogue epilogue;
  epilogue.bias = static_cast<bool>(op.getBias());
  epilogue.relu = op.getRelu();
  FallbackBuilder fallback(op.getLoc(), getElementTypeOrSelf(op.getA()),
                           getElementTypeOrSelf(op.getC()), op.getTransposeA(),
                           op.getTransposeB(), epilogue);
  LDBG() << op->getName() << tally::describePlace(op.getLoc())
         << ": falls back on " << fallback.getName();
  op.setFallbackAttr(getProductKernel(getKernelModule(module), fallback));
}

/// Windows are copied, and multiplied by the weight; a gradient of the weight
/// is summed up.
static void addFallbacks(ModuleOp module, tally::ContractOp op) {
  gpu::GPUModuleOp kernels = getKernelModule(module);
  Type type = getElementTypeOrSelf(op.getC());
  Builder builder(op.getContext());
  auto getReference = [&](gpu::GPUFuncOp kernel) -> Attribute {
    return SymbolRefAttr::get(kernels.getSymNameAttr(),
                              FlatSymbolRefAttr::get(kernel));
  };
  tally::Convolution convolution = *tally::getConvolution(tally::getLoops(op));
  if (convolution.givesWeight || convolution.givesImage) {
    gpu::GPUFuncOp kernel =
        convolution.givesWeight
            ? getWeightGradientKernel(kernels, op.getLoc(), type)
            : getImageGradientKernel(kernels, op.getLoc(), type);
    LDBG() << op->getName() << tally::describePlace(op.getLoc())
           << ": falls back on " << kernel.getName();
    op->setAttr(tally::kFallbacksAttr,
                builder.getArrayAttr(getReference(kernel)));
    return;
  }
  gpu::GPUFuncOp windows = getWindowKernel(kernels, op.getLoc(), type);
  FallbackBuilder product(op.getLoc(), type, type, /*transposeA=*/false,
                          /*transposeB=*/false, Epilogue());
  LDBG() << op->getName() << tally::describePlace(op.getLoc())
         << ": falls back on " << windows.getName() << " and "
         << product.getName();
  op->setAttr(tally::kFallbacksAttr,
              builder.getArrayAttr(
                  {getReference(windows), getProductKernel(kernels, product)}));
}

/// Whether the operation is on buffers of one type, and a convolution if it is
/// no matmul.
static LogicalResult check(Operation *op) {
  Value a = op->getOperand(0), c = op->getOperands().back();
  if (!isa<MemRefType>(c.getType()))
    return op->emitOpError("is on tensors; bufferize it first");
  Type type = getElementTypeOrSelf(a), result = getElementTypeOrSelf(c);
  auto contract = dyn_cast<tally::ContractOp>(op);
  if (contract && type != result)
    return op->emitOpError("has a result of ")
           << result << " for operands of " << type
           << ": on a GPU it has their type; convert it afterwards";
  if (!contract && !isa<FloatType>(type))
    return op->emitOpError("multiplies ")
           << type
           << ", which only the CPU does; do not run "
              "'tally-recognize-matmul' with 'integers'";
  if (contract && (!isa<FloatType>(type) ||
                   !tally::getConvolution(tally::getLoops(contract))))
    return op->emitOpError(
        "is no convolution of floats, which alone run on a GPU; do not run "
        "'tally-recognize-contractions' without 'convolutions-only'");
  return success();
}

LogicalResult tally::addMatmulFallbacks(ModuleOp module) {
  SmallVector<Operation *> ops;
  WalkResult result = module.walk([&](Operation *op) {
    if (!isa<tally::MatmulOp, tally::ContractOp>(op))
      return WalkResult::advance();
    ops.push_back(op);
    return WalkResult(check(op));
  });
  if (result.wasInterrupted())
    return failure();
  for (Operation *op : ops)
    if (auto matmul = dyn_cast<tally::MatmulOp>(op))
      addFallback(module, matmul);
    else
      addFallbacks(module, cast<tally::ContractOp>(op));
  return success();
}

namespace {
struct AddMatmulFallbacksPass
    : tally::impl::AddMatmulFallbacksBase<AddMatmulFallbacksPass> {
  void runOnOperation() override {
    if (failed(tally::addMatmulFallbacks(getOperation())))
      signalPassFailure();
  }
};

} // namespace
