//===- LinearAlgebra.cpp - Factors of matrices ----------------------------===//
//
// LAPACK is the definition, for small matrices too: a context of the runtime of
// its own calls it.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "tally/IR/TallyLinearAlgebraOps.h"
#include "tally/Runtime/tally_runtime.h"

#include "llvm/ADT/ScopeExit.h"

using namespace llvm;
using namespace mlir;
using namespace tally;
using namespace tally::interpreter;

namespace {

/// Runs one operation.
class LinearAlgebraRun {
public:
  LinearAlgebraRun(LinearAlgebraOp op, Execution &execution)
      : op(op), execution(execution), rank(op.getBatchRank()) {}

  LogicalResult run();

private:
  LogicalResult checkSizes();
  void addMatrix(const LinearAlgebraOperand &operand, ArrayRef<int64_t> shape,
                 void *data);
  LogicalResult call();

  LinearAlgebraOp op;
  Execution &execution;
  int64_t rank;
  /// The bytes of each operand.
  SmallVector<std::vector<char>> bytes;
  SmallVector<tally_rt_host_matrix> matrices;
  SmallVector<int64_t> batch;
};

} // namespace

LogicalResult LinearAlgebraRun::checkSizes() {
  SmallDenseMap<char, int64_t> known{{'2', 2}};
  ArrayRef<int64_t> first =
      execution.getTensor(op.getInputs().front()).getShape();
  for (auto [value, operand] : llvm::zip(op.getOperands(), op.getSignature())) {
    SmallVector<int64_t> shape(execution.getTensor(value).getShape());
    if (failed(execution.requireSameShape(op, first.take_front(rank),
                                          ArrayRef(shape).take_front(rank))))
      return failure();
    for (auto [letter, size] :
         llvm::zip(operand.dims, ArrayRef(shape).drop_front(rank))) {
      int64_t wanted = known.try_emplace(letter, size).first->second;
      if (letter == 'k')
        wanted = std::min(known.lookup('m'), known.lookup('n'));
      if (failed(execution.requireEqual(op, size, wanted, "size")))
        return failure();
    }
  }
  return success();
}

void LinearAlgebraRun::addMatrix(const LinearAlgebraOperand &operand,
                                 ArrayRef<int64_t> shape, void *data) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  bool isOfPairs = operand.hasParts();
  auto at = [&](ArrayRef<int64_t> of, size_t dim) {
    return dim + isOfPairs < operand.dims.size() ? of[rank + dim] : 1;
  };
  tally_rt_host_matrix matrix{data, at(shape, 0), at(shape, 1), at(strides, 0),
                              at(strides, 1)};
  // A matrix that is factored as its transpose.
  if (operand.isTurned()) {
    std::swap(matrix.rows, matrix.columns);
    std::swap(matrix.row_stride, matrix.column_stride);
  }
  matrices.push_back(matrix);
  batch.append(strides.begin(), strides.begin() + rank);
}

LogicalResult LinearAlgebraRun::call() {
  bool isSolvedTransposed =
      op.getTransposed() && op.getKind() == LinearAlgebraKind::SolveLU;
  int64_t flags = (isSolvedTransposed ? TALLY_RT_TRANSPOSED : 0) |
                  (op.getUpper() ? TALLY_RT_UPPER : 0) |
                  (op.getUnit() ? TALLY_RT_UNIT : 0) |
                  (op.getHermitian() ? TALLY_RT_HERMITIAN : 0) |
                  TALLY_RT_BY_LAPACK;
  unsigned bits =
      getElementTypeOrSelf(op.getInputs().front()).getIntOrFloatBitWidth();
  int64_t type = op.getComplex() ? TALLY_RT_DATA_TYPE(kDLComplex, 2 * bits)
                                 : TALLY_RT_DATA_TYPE(kDLFloat, bits);
  // Parts are beside each other.
  batch.append(matrices.size(), 1);
  tally_rt_host_linear_algebra_args args{int64_t(op.getKind()) | flags,
                                         type,
                                         int64_t(matrices.size()),
                                         matrices.data(),
                                         rank,
                                         batch.data()};
  tally_rt_context *ctx = tally_rt_context_create(nullptr);
  scope_exit destroy([&] { tally_rt_context_destroy(ctx); });
  if (tally_rt_host_linear_algebra(ctx, &args) == TALLY_RT_OK)
    return success();
  return execution.refuse(op, tally_rt_last_error(ctx)->user_message);
}

LogicalResult LinearAlgebraRun::run() {
  if (failed(checkSizes()))
    return failure();
  ArrayRef<int64_t> first =
      execution.getTensor(op.getInputs().front()).getShape();
  batch.assign(first.begin(), first.begin() + rank);
  for (auto [value, operand] : llvm::zip(op.getOperands(), op.getSignature())) {
    Tensor tensor = execution.getTensor(value);
    if (failed(execution.spend(op, tensor.getNumElements())))
      return failure();
    bool isInput = bytes.size() < op.getInputs().size();
    if (isInput && tensor.findPoison())
      return execution.observedPoison(op, "an element of a matrix");
    ArrayRef<char> elements = tensor.getBytes();
    bytes.emplace_back(elements.begin(), elements.end());
    addMatrix(operand, tensor.getShape(), bytes.back().data());
  }
  if (failed(call()))
    return failure();
  for (auto [result, data] :
       llvm::zip(op.getResults(),
                 ArrayRef(bytes).drop_front(op.getInputs().size()))) {
    auto output = op.getOutputs()[result.getResultNumber()];
    Tensor like = execution.getTensor(output);
    execution.set(result, Tensor::fromBytes(like.getElementType(),
                                            like.getShape(), data.data()));
  }
  return success();
}

static LogicalResult runLinearAlgebra(LinearAlgebraOp op,
                                      Execution &execution) {
  return LinearAlgebraRun(op, execution).run();
}

void tally::interpreter::registerLinearAlgebra(HandlerTable &table) {
  addHandler<LinearAlgebraOp>(table, runLinearAlgebra);
}
