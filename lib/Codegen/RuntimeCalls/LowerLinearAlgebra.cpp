//===- LowerLinearAlgebra.cpp - Factors of matrices by the runtime --------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "HostCall.h"
#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"
#include "tally/IR/TallyLinearAlgebraOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"
#include "tally/Analysis/ScopedFacts.h"
#include "llvm/Support/DebugLog.h"

#include <utility>

namespace tally {
#define GEN_PASS_DEF_LOWERLINEARALGEBRA
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-lower-linear-algebra"

using namespace mlir;
using namespace tally::codegen;

static_assert(int(tally::LinearAlgebraKind::LU) == TALLY_RT_LU &&
              int(tally::LinearAlgebraKind::SolveLU) == TALLY_RT_SOLVE_LU &&
              int(tally::LinearAlgebraKind::Cholesky) == TALLY_RT_CHOLESKY &&
              int(tally::LinearAlgebraKind::QR) == TALLY_RT_QR &&
              int(tally::LinearAlgebraKind::Eigh) == TALLY_RT_EIGH &&
              int(tally::LinearAlgebraKind::SVD) == TALLY_RT_SVD &&
              int(tally::LinearAlgebraKind::SolveTriangular) ==
                  TALLY_RT_SOLVE_TRIANGULAR &&
              int(tally::LinearAlgebraKind::Geqrf) == TALLY_RT_GEQRF &&
              int(tally::LinearAlgebraKind::Reflections) ==
                  TALLY_RT_REFLECTIONS &&
              int(tally::LinearAlgebraKind::Eig) == TALLY_RT_EIG &&
              int(tally::LinearAlgebraKind::LDL) == TALLY_RT_LDL &&
              int(tally::LinearAlgebraKind::SolveLDL) == TALLY_RT_SOLVE_LDL &&
              int(tally::LinearAlgebraKind::MatrixExp) == TALLY_RT_MATRIX_EXP);

namespace {

/// Lowers one operation.
class LinearAlgebraLowering : public HostCall {
public:
  explicit LinearAlgebraLowering(tally::LinearAlgebraOp op)
      : HostCall(op), op(op) {}

  void run() {
    for (int64_t dim = 0; dim < op.getBatchRank(); ++dim)
      batch.push_back(getSize(op.getInputs().front(), dim));
    for (auto [buffer, operand] :
         llvm::zip(op.getOperands(), op.getSignature()))
      addMatrix(buffer, operand);
    if (hasComplexNumbers)
      batch.append(partStrides);
    Value kind = constant(getKind()), type = getType();
    Value count = constant(op->getNumOperands());
    Value rank = constant(op.getBatchRank());
    call(tally::runtime_functions::kHostLinearAlgebra,
         createStruct<tally_rt_host_linear_algebra_args>(
             {kind, type, count, createArray(matrices), rank,
              createArray(batch)}));
  }

private:
  int64_t getKind() {
    // Factors of a transposed matrix are those of one that lies so.
    bool isSolvedTransposed =
        op.getTransposed() && op.getKind() == tally::LinearAlgebraKind::SolveLU;
    return int64_t(op.getKind()) |
           (isSolvedTransposed ? TALLY_RT_TRANSPOSED : 0) |
           (op.getUpper() ? TALLY_RT_UPPER : 0) |
           (op.getUnit() ? TALLY_RT_UNIT : 0) |
           (op.getHermitian() ? TALLY_RT_HERMITIAN : 0);
  }

  Value getType() {
    Value first = op.getInputs()[0];
    if (!op.getComplex())
      return getTypeCode(first);
    unsigned bits = getElementTypeOrSelf(first).getIntOrFloatBitWidth();
    return constant(TALLY_RT_DATA_TYPE(kDLComplex, 2 * bits));
  }

  /// Appends a tally_rt_host_matrix, of rows and columns exchanged if the
  /// operand is turned; a vector is one column.
  void addMatrix(Value buffer, const tally::LinearAlgebraOperand &operand) {
    bool isOfPairs = operand.hasParts();
    bool isTurned = operand.isTurned();
    int64_t dims = int64_t(operand.dims.size()) - isOfPairs;
    static_assert(hasAllFields<tally_rt_host_matrix>() &&
                  sizeof(tally_rt_host_matrix) == 5 * sizeof(int64_t));
    auto [address, strides] = describeBuffer(buffer);
    int64_t rank = int64_t(strides.size()) - dims - isOfPairs;
    matrices.push_back(LLVM::PtrToIntOp::create(builder, loc, i64, address));
    SmallVector<int64_t> order{rank, rank + 1};
    if (isTurned)
      std::swap(order[0], order[1]);
    for (int64_t dim : order)
      matrices.push_back(dim < rank + dims ? getSize(buffer, dim)
                                           : constant(1));
    for (int64_t dim : order)
      matrices.push_back(dim < rank + dims ? strides[dim] : constant(1));
    batch.append(strides.begin(), strides.begin() + rank);
    partStrides.push_back(isOfPairs ? strides.back() : constant(1));
    hasComplexNumbers |= isOfPairs;
  }

  tally::LinearAlgebraOp op;
  SmallVector<Value> matrices, batch, partStrides;
  bool hasComplexNumbers = false;
};

} // namespace

LogicalResult tally::lowerLinearAlgebra(ModuleOp module) {
  SmallVector<LinearAlgebraOp> ops;
  WalkResult result = module.walk([&](LinearAlgebraOp op) {
    ops.push_back(op);
    if (op.getNumResults() > 0)
      return WalkResult(op.emitOpError("is on tensors; bufferize it first"));
    return WalkResult(requireCallContext(op));
  });
  if (result.wasInterrupted())
    return failure();
  for (LinearAlgebraOp op : ops) {
    LDBG() << op->getName() << describePlace(op.getLoc())
           << ": a call of the runtime";
    LinearAlgebraLowering(op).run();
  }
  return success();
}

namespace {
struct LowerLinearAlgebraPass
    : tally::impl::LowerLinearAlgebraBase<LowerLinearAlgebraPass> {
  void runOnOperation() override {
    if (failed(tally::lowerLinearAlgebra(getOperation())))
      signalPassFailure();
  }
};
} // namespace
