//===- LowerFFT.cpp - Fourier transforms by the runtime -------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "HostCall.h"
#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"
#include "tally/IR/TallyFFTOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tally/Analysis/ScopedFacts.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
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

} // namespace

LogicalResult tally::lowerFFT(ModuleOp module) {
  SmallVector<FFTOp> ops;
  WalkResult result = module.walk([&](FFTOp op) {
    ops.push_back(op);
    if (op.getResult())
      return WalkResult(op.emitOpError("is on tensors; bufferize it first"));
    return WalkResult(requireCallContext(op));
  });
  if (result.wasInterrupted())
    return failure();
  for (FFTOp op : ops) {
    LDBG() << op->getName() << describePlace(op.getLoc())
           << ": a call of the runtime";
    FFTLowering(op).run();
  }
  return success();
}

namespace {
struct LowerFFTPass : tally::impl::LowerFFTBase<LowerFFTPass> {
  void runOnOperation() override {
    if (failed(tally::lowerFFT(getOperation())))
      signalPassFailure();
  }
};
} // namespace
