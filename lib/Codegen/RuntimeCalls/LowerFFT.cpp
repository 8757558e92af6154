//===- LowerFFT.cpp - Fourier transforms by the runtime -------------------===//
//
// See the descriptions of the passes in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/MatrixBatch.h"
#include "HostCall.h"
#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"
#include "tally/IR/TallyFFTOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tally/Analysis/ScopedFacts.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_LOWERDEVICEFFT
#define GEN_PASS_DEF_LOWERFFT
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-lower-fft"

using namespace mlir;
using namespace tally::codegen;

static_assert(int(tally::FFTKind::Forward) == TALLY_RT_FFT_FORWARD &&
              int(tally::FFTKind::Backward) == TALLY_RT_FFT_BACKWARD &&
              int(tally::FFTKind::RealToComplex) ==
                  TALLY_RT_FFT_REAL_TO_COMPLEX &&
              int(tally::FFTKind::ComplexToReal) ==
                  TALLY_RT_FFT_COMPLEX_TO_REAL &&
              int(tally::FFTScaling::Root) == TALLY_RT_FFT_BY_ROOT &&
              int(tally::FFTScaling::Length) == TALLY_RT_FFT_BY_LENGTH);

namespace {

/// Lowers one operation.
class FFTLowering : public HostCall {
public:
  explicit FFTLowering(tally::FFTOp op) : HostCall(op), op(op) {}

  void run() {
    int64_t rank = op.getSignalRank(), dim = op.getDim();
    Value real = op.givesComplex() ? op.getInput() : op.getOutput();
    for (int64_t i = 0; i < rank; ++i)
      if (i != dim)
        batch.push_back(getSize(op.getInput(), i));
    auto [in, inStrides] = describe(op.getInput(), op.takesComplex());
    auto [out, outStrides] = describe(op.getOutput(), op.givesComplex());
    call(tally::runtime_functions::kHostFFT,
         createStruct<tally_rt_host_fft_args>(
             {constant(int64_t(op.getKind())), getTypeCode(op.getInput()),
              constant(int64_t(op.getScaling())), getSize(real, dim), in,
              inStrides[0], inStrides[1], out, outStrides[0], outStrides[1],
              constant(rank - 1), createArray(batch)}));
  }

private:
  /// Appends the strides of a batch; gives an address, and the strides of
  /// numbers and of parts.
  std::pair<Value, std::array<Value, 2>> describe(Value buffer,
                                                  bool isComplex) {
    auto [address, strides] = describeBuffer(buffer);
    int64_t rank = op.getSignalRank(), dim = op.getDim();
    for (int64_t i = 0; i < rank; ++i)
      if (i != dim)
        batch.push_back(strides[i]);
    return {address, {strides[dim], isComplex ? strides[rank] : constant(1)}};
  }

  tally::FFTOp op;
  SmallVector<Value> batch;
};

/// Lowers one operation of a GPU.
class DeviceFFTLowering : public HostCall {
public:
  explicit DeviceFFTLowering(tally::FFTOp op) : HostCall(op), op(op) {}

  void run() {
    int64_t dim = op.getDim();
    Value real = op.givesComplex() ? op.getInput() : op.getOutput();
    Value batch = constant(1);
    for (int64_t i = 0; i < dim; ++i)
      batch =
          arith::MulIOp::create(builder, loc, batch, getSize(op.getInput(), i));
    Value in = describeBuffer(op.getInput()).first;
    Value out = describeBuffer(op.getOutput()).first;
    call(tally::runtime_functions::kFFT,
         createStruct<tally_rt_fft_args>({constant(int64_t(op.getKind())),
                                          getTypeCode(op.getInput()),
                                          getSize(real, dim), batch, in, out}));
  }

private:
  tally::FFTOp op;
};

} // namespace

/// Lowers all that `check` does not refuse.
template <typename Lowering>
static LogicalResult
lowerAll(ModuleOp module,
         llvm::function_ref<LogicalResult(tally::FFTOp)> check) {
  SmallVector<tally::FFTOp> ops;
  WalkResult result = module.walk([&](tally::FFTOp op) {
    ops.push_back(op);
    if (op.getResult())
      return WalkResult(op.emitOpError("is on tensors; bufferize it first"));
    if (failed(check(op)))
      return WalkResult::interrupt();
    return WalkResult(tally::codegen::requireCallContext(op));
  });
  if (result.wasInterrupted())
    return failure();
  for (tally::FFTOp op : ops) {
    LDBG() << op->getName() << tally::describePlace(op.getLoc())
           << ": a call of the runtime";
    Lowering(op).run();
  }
  return success();
}

LogicalResult tally::lowerFFT(ModuleOp module) {
  return lowerAll<FFTLowering>(module, [](FFTOp) { return success(); });
}

/// Fails where the library for a GPU does not compute this.
static LogicalResult checkDeviceFFT(tally::FFTOp op) {
  if (int64_t(op.getDim()) != op.getSignalRank() - 1 ||
      op.getScaling() != tally::FFTScaling::None)
    return op.emitOpError("transforms a dimension that is not the last, or "
                          "divides; run 'tally-prepare-fft' before "
                          "bufferization");
  for (Type type : op->getOperandTypes())
    if (!isWithoutGaps(cast<MemRefType>(type)))
      return op.emitOpError("has an operand of type ")
             << type << " with gaps; run 'tally-place-on-device' first";
  return success();
}

LogicalResult tally::lowerDeviceFFT(ModuleOp module) {
  return lowerAll<DeviceFFTLowering>(module, checkDeviceFFT);
}

namespace {
struct LowerDeviceFFTPass
    : tally::impl::LowerDeviceFFTBase<LowerDeviceFFTPass> {
  void runOnOperation() override {
    if (failed(tally::lowerDeviceFFT(getOperation())))
      signalPassFailure();
  }
};

struct LowerFFTPass : tally::impl::LowerFFTBase<LowerFFTPass> {
  void runOnOperation() override {
    if (failed(tally::lowerFFT(getOperation())))
      signalPassFailure();
  }
};
} // namespace
