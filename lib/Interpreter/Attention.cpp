//===- Attention.cpp - Weighted sums of rows ------------------------------===//
//
// Follows the definition, query by query, in doubles: products and weights are
// rounded to the type of sums where the regions see them, results to theirs.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "tally/IR/Tally.h"

#include <cmath>

using namespace llvm;
using namespace mlir;
using namespace tally;
using namespace tally::interpreter;

namespace {

/// Runs one operation.
class AttentionRun {
public:
  AttentionRun(AttentionOp op, Execution &execution)
      : op(op), execution(execution), batch(op.getNumBatchLoops()),
        score(op.getScore(), execution), point(op.getMap(0).getNumDims(), 0) {
    if (Region *region = op.getMask())
      mask.emplace(*region, execution);
  }

  LogicalResult run();

private:
  LogicalResult findSizes();
  /// An element of an operand at the current point.
  Scalar read(unsigned operand);
  /// The same as a double; notes poison.
  double readFloat(unsigned operand);
  int64_t locate(unsigned operand, const Tensor &tensor);
  static double toDouble(const Scalar &value, mlir::Type type);
  static Scalar round(double value, mlir::Type type);
  /// The value that a region yields at the current point; null where it has
  /// failed.
  LogicalResult runRegion(ElementRuns &region, std::optional<Scalar> product,
                          SmallVectorImpl<RuntimeValue> &yielded);
  /// The score of the current query for the current key.
  FailureOr<double> computeScore();
  LogicalResult runQuery(Tensor &output);

  AttentionOp op;
  Execution &execution;
  unsigned batch;
  ElementRuns score;
  std::optional<ElementRuns> mask;
  /// Of each loop: its size, and where it is.
  SmallVector<int64_t> sizes, point;
  int64_t group = 1;
  bool isPoison = false;
};

} // namespace

LogicalResult AttentionRun::findSizes() {
  for (unsigned loop = 0; loop < point.size(); ++loop) {
    std::optional<int64_t> size, shared;
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      std::optional<unsigned> dim = op.findDim(number, loop);
      if (!dim)
        continue;
      int64_t found = execution.getTensor(operand.get()).getDim(*dim);
      std::optional<int64_t> &known = op.isShared(number, loop) ? shared : size;
      if (!known)
        known = found;
      else if (failed(execution.requireEqual(
                   op, *known, found,
                   "loop " + Twine(loop) + " of operand " + Twine(number))))
        return failure();
    }
    sizes.push_back(*size);
    if (!shared)
      continue;
    group = *size / std::max<int64_t>(*shared, 1);
    if (group * *shared != *size)
      return execution.refuse(
          op, Twine(*size) + " mod " + Twine(*shared) + " == 0",
          "heads of queries cannot be grouped for heads of keys");
  }
  return success();
}

int64_t AttentionRun::locate(unsigned operand, const Tensor &tensor) {
  SmallVector<int64_t> indices;
  for (AffineExpr expr : op.getMap(operand).getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    int64_t index = dim ? point[dim.getPosition()] : 0;
    if (dim && op.isShared(operand, dim.getPosition()))
      index /= group;
    indices.push_back(index);
  }
  return *tensor.getPosition(indices);
}

Scalar AttentionRun::read(unsigned operand) {
  const RuntimeValue &value = execution.get(op->getOperand(operand));
  if (!value.isTensor())
    return value.getScalar();
  return value.getTensor().get(locate(operand, value.getTensor()));
}

double AttentionRun::toDouble(const Scalar &value, mlir::Type type) {
  APFloat number = value.getFloat(type);
  bool isInexact = false;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &isInexact);
  return number.convertToDouble();
}

double AttentionRun::readFloat(unsigned operand) {
  Scalar value = read(operand);
  isPoison |= value.isPoison();
  return value.isPoison()
             ? 0
             : toDouble(value, getElementTypeOrSelf(op->getOperand(operand)));
}

Scalar AttentionRun::round(double value, mlir::Type type) {
  APFloat number(value);
  bool isInexact = false;
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &isInexact);
  return {number};
}

LogicalResult AttentionRun::runRegion(ElementRuns &region,
                                      std::optional<Scalar> product,
                                      SmallVectorImpl<RuntimeValue> &yielded) {
  SmallVector<RuntimeValue> arguments;
  for (int64_t position : ArrayRef(point).take_front(batch + 2))
    arguments.emplace_back(Scalar::ofIndex(position));
  if (product)
    arguments.emplace_back(*product);
  for (unsigned i = 0; i < op.getElements().size(); ++i)
    arguments.emplace_back(read(3 + i));
  return region.run(point, std::move(arguments), yielded);
}

FailureOr<double> AttentionRun::computeScore() {
  double product = 0;
  int64_t &depth = point[op.getDepthLoop()];
  for (depth = 0; depth < sizes[op.getDepthLoop()]; ++depth)
    product += readFloat(0) * readFloat(1);
  mlir::Type type = op.getSumType();
  SmallVector<RuntimeValue> yielded;
  Scalar rounded = isPoison ? Scalar::ofPoison() : round(product, type);
  if (failed(execution.spend(op)) || failed(runRegion(score, rounded, yielded)))
    return failure();
  if (yielded.empty())
    return 0.0;
  Scalar result = yielded.front().getScalar();
  if (mask) {
    yielded.clear();
    if (failed(runRegion(*mask, std::nullopt, yielded)))
      return failure();
    if (yielded.empty())
      return 0.0;
    Scalar sees = yielded.front().getScalar();
    isPoison |= sees.isPoison();
    if (!sees.isPoison() && !sees.getBool())
      return -HUGE_VAL;
  }
  isPoison |= result.isPoison();
  return result.isPoison() ? 0.0 : toDouble(result, type);
}

/// Computes a row of the output.
LogicalResult AttentionRun::runQuery(Tensor &output) {
  isPoison = false;
  std::vector<double> weights;
  double largest = -HUGE_VAL, total = 0;
  int64_t &key = point[op.getKeyLoop()], &column = point[op.getColumnLoop()];
  for (key = 0; key < sizes[op.getKeyLoop()]; ++key) {
    FailureOr<double> found = computeScore();
    if (failed(found))
      return failure();
    weights.push_back(*found);
    largest = std::isnan(*found) || *found > largest ? *found : largest;
  }
  bool isNothing = largest == -HUGE_VAL && (!op.getStrict() || weights.empty());
  for (double &weight : weights)
    total += weight = isNothing ? 0 : std::exp(weight - largest);
  unsigned number = op->getNumOperands() - 1;
  for (column = 0; column < sizes[op.getColumnLoop()]; ++column) {
    double sum = 0;
    for (key = 0; key < sizes[op.getKeyLoop()]; ++key)
      sum += weights[key] / total * readFloat(2);
    output.set(locate(number, output),
               isPoison ? execution.makePoison(op, "an operand is poison")
                        : round(isNothing ? 0 : sum, output.getElementType()));
  }
  return success();
}

LogicalResult AttentionRun::run() {
  if (!isa<TensorType>(op.getOutput().getType()))
    return execution.unsupported(op,
                                 "the interpreter runs this on tensors only");
  if (failed(findSizes()))
    return failure();
  Tensor output = execution.take(op.getOutputMutable()).getTensor();
  if (failed(execution.spendBytes(op, output.getBytes().size())))
    return failure();
  LogicalResult result = forEachIndex(ArrayRef(sizes).take_front(batch + 1),
                                      [&](ArrayRef<int64_t> query) {
                                        copy(query, point.begin());
                                        return runQuery(output);
                                      });
  if (failed(result) || failed(score.finish()) ||
      (mask && failed(mask->finish())))
    return failure();
  execution.set(op->getResult(0), std::move(output));
  return success();
}

static LogicalResult runAttention(AttentionOp op, Execution &execution) {
  return AttentionRun(op, execution).run();
}

void tally::interpreter::registerAttention(HandlerTable &table) {
  addHandler<AttentionOp>(table, runAttention);
}
