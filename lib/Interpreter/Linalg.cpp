//===- Linalg.cpp - Structured operations ---------------------------------===//
//
// One path for all of them: the loops that the indexing maps describe run in
// row-major order, each point reads its operands, runs the body and writes what
// it yields to the outputs.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace llvm;
using namespace mlir;
using namespace tally::interpreter;

LogicalResult tally::interpreter::forEachIndex(
    ArrayRef<int64_t> shape,
    llvm::function_ref<LogicalResult(ArrayRef<int64_t>)> use) {
  if (is_contained(shape, 0))
    return success();
  SmallVector<int64_t> indices(shape.size(), 0);
  while (true) {
    if (failed(use(indices)))
      return failure();
    size_t dim = shape.size();
    while (dim > 0 && ++indices[dim - 1] == shape[dim - 1])
      indices[--dim] = 0;
    if (dim == 0)
      return success();
  }
}

namespace {

/// An index of an operand as a sum of multiples of the loops, or as the
/// expression where it is none.
struct Access {
  explicit Access(AffineExpr expr, unsigned numLoops)
      : expr(expr), factors(numLoops, 0), isLinear(add(expr, 1)) {}

  /// The index; nothing where it leaves 64 bits.
  std::optional<int64_t> evaluate(ArrayRef<int64_t> loops) const;

private:
  bool add(AffineExpr part, int64_t factor);

  AffineExpr expr;
  SmallVector<int64_t> factors;
  int64_t constant = 0;
  bool isLinear;
};

/// Runs one structured operation.
class StructuredRun {
public:
  StructuredRun(linalg::LinalgOp op, Execution &execution)
      : op(op), execution(execution), elements(op->getRegion(0), execution) {}

  LogicalResult run();

private:
  LogicalResult findLoops();
  LogicalResult runPoint(ArrayRef<int64_t> point);
  FailureOr<int64_t> locate(unsigned operand, ArrayRef<int64_t> point);

  linalg::LinalgOp op;
  Execution &execution;
  ElementRuns elements;
  SmallVector<int64_t> sizes;
  SmallVector<SmallVector<Access>> accesses;
  SmallVector<RuntimeValue> inputs;
  SmallVector<RuntimeValue> outputs;
};

} // namespace

/// Adds `factor * part`; false where it is not linear or leaves 64 bits.
bool Access::add(AffineExpr part, int64_t factor) {
  if (auto loop = dyn_cast<AffineDimExpr>(part)) {
    int64_t &sum = factors[loop.getPosition()];
    return !AddOverflow(sum, factor, sum);
  }
  if (auto number = dyn_cast<AffineConstantExpr>(part)) {
    int64_t term = 0;
    return !MulOverflow(factor, number.getValue(), term) &&
           !AddOverflow(constant, term, constant);
  }
  auto both = dyn_cast<AffineBinaryOpExpr>(part);
  if (!both)
    return false;
  if (part.getKind() == AffineExprKind::Add)
    return add(both.getLHS(), factor) && add(both.getRHS(), factor);
  auto number = dyn_cast<AffineConstantExpr>(both.getRHS());
  int64_t product = 0;
  return part.getKind() == AffineExprKind::Mul && number &&
         !MulOverflow(factor, number.getValue(), product) &&
         add(both.getLHS(), product);
}

static std::optional<int64_t> evaluateIndex(AffineExpr expr,
                                            ArrayRef<int64_t> loops) {
  if (auto loop = dyn_cast<AffineDimExpr>(expr))
    return loops[loop.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  auto both = cast<AffineBinaryOpExpr>(expr);
  std::optional<int64_t> a = evaluateIndex(both.getLHS(), loops),
                         b = evaluateIndex(both.getRHS(), loops);
  int64_t result = 0;
  if (!a || !b)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return AddOverflow(*a, *b, result) ? std::nullopt
                                       : std::optional<int64_t>(result);
  if (expr.getKind() == AffineExprKind::Mul)
    return MulOverflow(*a, *b, result) ? std::nullopt
                                       : std::optional<int64_t>(result);
  if (*b <= 0)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Mod)
    return llvm::mod(*a, *b);
  return expr.getKind() == AffineExprKind::FloorDiv ? divideFloorSigned(*a, *b)
                                                    : divideCeilSigned(*a, *b);
}

std::optional<int64_t> Access::evaluate(ArrayRef<int64_t> loops) const {
  if (!isLinear)
    return evaluateIndex(expr, loops);
  __int128 index = constant;
  for (auto [factor, loop] : zip_equal(factors, loops))
    index += static_cast<__int128>(factor) * loop;
  if (index != static_cast<int64_t>(index))
    return std::nullopt;
  return static_cast<int64_t>(index);
}

/// Each loop has the size of the first dimension that it runs over alone; the
/// others that it runs over alone have the same.
LogicalResult StructuredRun::findLoops() {
  unsigned numLoops = op.getNumLoops();
  SmallVector<std::optional<int64_t>> found(numLoops);
  for (OpOperand &operand : op->getOpOperands()) {
    accesses.emplace_back();
    const RuntimeValue &value = execution.get(operand.get());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!value.isTensor())
      continue;
    const Tensor &tensor = value.getTensor();
    for (auto [dim, expr] : enumerate(map.getResults())) {
      accesses.back().emplace_back(expr, numLoops);
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      std::optional<int64_t> &size = found[loop.getPosition()];
      if (!size)
        size = tensor.getDim(dim);
      else if (failed(execution.requireEqual(
                   op, *size, tensor.getDim(dim),
                   "size " + Twine(dim) + " of operand " +
                       Twine(operand.getOperandNumber()))))
        return failure();
    }
  }
  for (std::optional<int64_t> size : found) {
    assert(size && "the verifier wants maps that tell the size of each loop");
    sizes.push_back(*size);
  }
  return success();
}

FailureOr<int64_t> StructuredRun::locate(unsigned operand,
                                         ArrayRef<int64_t> point) {
  SmallVector<int64_t, 4> indices;
  for (const Access &access : accesses[operand]) {
    std::optional<int64_t> index = access.evaluate(point);
    if (!index)
      return execution.refuse(op, "", "an index has no value in 64 bits");
    indices.push_back(*index);
  }
  unsigned numInputs = inputs.size();
  const RuntimeValue &value =
      operand < numInputs ? inputs[operand] : outputs[operand - numInputs];
  return execution.locate(op, value.getTensor(), indices);
}

LogicalResult StructuredRun::runPoint(ArrayRef<int64_t> point) {
  if (failed(execution.spend(op)))
    return failure();
  SmallVector<RuntimeValue> arguments;
  SmallVector<int64_t, 2> targets;
  for (auto [index, input] : enumerate(inputs)) {
    if (!input.isTensor()) {
      arguments.push_back(input);
      continue;
    }
    FailureOr<int64_t> position = locate(index, point);
    if (failed(position))
      return failure();
    arguments.emplace_back(input.getTensor().get(*position));
  }
  for (auto [index, output] : enumerate(outputs)) {
    FailureOr<int64_t> position = locate(inputs.size() + index, point);
    if (failed(position))
      return failure();
    targets.push_back(*position);
    arguments.emplace_back(output.getTensor().get(*position));
  }
  SmallVector<RuntimeValue> yielded;
  if (failed(elements.run(point, std::move(arguments), yielded)))
    return failure();
  for (auto [index, value] : enumerate(yielded))
    outputs[index].getTensor().set(targets[index], value.getScalar());
  return success();
}

LogicalResult StructuredRun::run() {
  if (!op.hasPureTensorSemantics())
    return execution.unsupported(op,
                                 "the interpreter runs this on tensors only");
  if (failed(findLoops()))
    return failure();
  for (OpOperand *operand : op.getDpsInputOperands())
    inputs.push_back(execution.get(operand->get()));
  for (OpOperand &operand : op.getDpsInitsMutable()) {
    outputs.push_back(execution.take(operand));
    if (failed(execution.spendBytes(
            op, outputs.back().getTensor().getBytes().size())))
      return failure();
  }
  if (failed(forEachIndex(
          sizes, [&](ArrayRef<int64_t> point) { return runPoint(point); })) ||
      failed(elements.finish()))
    return failure();
  for (auto [result, output] : zip_equal(op->getResults(), outputs))
    execution.set(result, std::move(output));
  return success();
}

/// Runs any operation that tells its loops through the interface.
static LogicalResult runStructured(Operation *op, Execution &execution) {
  return StructuredRun(cast<linalg::LinalgOp>(op), execution).run();
}

static LogicalResult runIndex(linalg::IndexOp op, Execution &execution) {
  ArrayRef<int64_t> indices = execution.getElementIndices();
  execution.set(op, Scalar::ofIndex(indices[op.getDim()]));
  return success();
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

namespace {
/// Where the elements of a plain tensor are in a tiled one.
template <typename OpT>
class Tiling {
public:
  Tiling(OpT op, Execution &execution) : op(op), execution(execution) {}

  /// Reads the tiles and compares the sizes; `checkTiles(size, count, tile)`
  /// says how a size that is tiled goes with its tiles.
  LogicalResult
  read(ArrayRef<int64_t> plain, ArrayRef<int64_t> tiled,
       llvm::function_ref<LogicalResult(int64_t, int64_t, int64_t)> checkTiles);

  /// The indices in the plain tensor of an element of the tiled one.
  SmallVector<int64_t> getPlain(ArrayRef<int64_t> tiled) {
    SmallVector<int64_t> plain(rank);
    for (unsigned dim = 0; dim < rank; ++dim)
      plain[dim] = tiled[outer[dim]];
    for (auto [number, dim] : enumerate(op.getInnerDimsPos()))
      plain[dim] = plain[dim] * tiles[number] + tiled[rank + number];
    return plain;
  }

private:
  OpT op;
  Execution &execution;
  unsigned rank = 0;
  SmallVector<int64_t> tiles;
  SmallVector<unsigned> outer;
};
} // namespace

template <typename OpT>
LogicalResult Tiling<OpT>::read(
    ArrayRef<int64_t> plain, ArrayRef<int64_t> tiled,
    llvm::function_ref<LogicalResult(int64_t, int64_t, int64_t)> checkTiles) {
  rank = plain.size();
  FailureOr<SmallVector<int64_t>> read =
      execution.observeInts(op, op.getMixedTiles());
  if (failed(read))
    return failure();
  tiles = std::move(*read);
  ArrayRef<int64_t> permutation = op.getOuterDimsPerm();
  for (unsigned dim = 0; dim < rank; ++dim) {
    outer.push_back(permutation.empty()
                        ? dim
                        : llvm::find(permutation, static_cast<int64_t>(dim)) -
                              permutation.begin());
    const auto *found = llvm::find(op.getInnerDimsPos(), dim);
    if (found == op.getInnerDimsPos().end()) {
      if (failed(execution.requireEqual(op, plain[dim], tiled[outer[dim]],
                                        "size " + Twine(dim))))
        return failure();
      continue;
    }
    unsigned number = found - op.getInnerDimsPos().begin();
    int64_t tile = tiles[number];
    if (tile < 1)
      return execution.refuse(op, "1 <= " + Twine(tile), "the size of a tile");
    if (failed(execution.requireEqual(op, tiled[rank + number], tile,
                                      "the size of a tile")) ||
        failed(checkTiles(plain[dim], tiled[outer[dim]], tile)))
      return failure();
  }
  return success();
}

static LogicalResult runPack(linalg::PackOp op, Execution &execution) {
  const Tensor &source = execution.getTensor(op.getSource());
  Tensor result = execution.getTensor(op.getDest());
  std::optional<Scalar> padding;
  if (op.getPaddingValue())
    padding = execution.getScalar(op.getPaddingValue());
  Tiling<linalg::PackOp> tiling(op, execution);
  if (failed(tiling.read(
          source.getShape(), result.getShape(),
          [&](int64_t size, int64_t count, int64_t tile) {
            return padding
                       ? execution.requireEqual(op, divideCeil(size, tile),
                                                count, "the number of tiles")
                       : execution.requireEqual(op, size, count * tile,
                                                "the elements of the tiles");
          })) ||
      failed(execution.spend(op, result.getNumElements())))
    return failure();
  int64_t position = 0;
  (void)forEachIndex(result.getShape(), [&](ArrayRef<int64_t> indices) {
    std::optional<int64_t> from = source.getPosition(tiling.getPlain(indices));
    result.set(position++,
               from ? source.get(*from) : padding.value_or(Scalar()));
    return success();
  });
  execution.set(op->getResult(0), std::move(result));
  return success();
}

static LogicalResult runUnPack(linalg::UnPackOp op, Execution &execution) {
  const Tensor &source = execution.getTensor(op.getSource());
  Tensor result = execution.getTensor(op.getDest());
  Tiling<linalg::UnPackOp> tiling(op, execution);
  if (failed(tiling.read(
          result.getShape(), source.getShape(),
          [&](int64_t size, int64_t count, int64_t tile) -> LogicalResult {
            if (size <= count * tile)
              return success();
            return execution.refuse(op,
                                    Twine(size) + " <= " + Twine(count * tile),
                                    "the elements of the tiles");
          })) ||
      failed(execution.spend(op, source.getNumElements())))
    return failure();
  int64_t position = 0;
  (void)forEachIndex(source.getShape(), [&](ArrayRef<int64_t> indices) {
    // Elements behind the end are padding.
    if (auto to = result.getPosition(tiling.getPlain(indices)))
      result.set(*to, source.get(position));
    ++position;
    return success();
  });
  execution.set(op->getResult(0), std::move(result));
  return success();
}

void tally::interpreter::registerLinalg(HandlerTable &table) {
  table.addForAll([](Operation *op) { return isa<linalg::LinalgOp>(op); },
                  runStructured);
  addHandler<linalg::IndexOp>(table, runIndex);
  addHandler<linalg::PackOp>(table, runPack);
  addHandler<linalg::UnPackOp>(table, runUnPack);
}
