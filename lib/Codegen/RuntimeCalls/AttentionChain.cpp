//===- AttentionChain.cpp - Attention as several operations ---------------===//

#include "AttentionChain.h"

#include "MatmulSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

std::optional<SmallVector<OpFoldResult>> codegen::findSizes(Value tensor) {
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return empty.getMixedSizes();
  if (auto expansion = tensor.getDefiningOp<tensor::ExpandShapeOp>())
    return expansion.getMixedOutputShape();
  if (auto op = tensor.getDefiningOp<linalg::LinalgOp>())
    return findSizes(
        op.getDpsInits()[cast<OpResult>(tensor).getResultNumber()]);
  return std::nullopt;
}

std::optional<OpFoldResult> codegen::findSize(Operation *op) {
  auto dim = dyn_cast<tensor::DimOp>(op);
  std::optional<int64_t> index = dim ? dim.getConstantIndex() : std::nullopt;
  std::optional<SmallVector<OpFoldResult>> sizes =
      index ? findSizes(dim.getSource()) : std::nullopt;
  if (!sizes)
    return std::nullopt;
  return (*sizes)[size_t(*index)];
}

bool codegen::isCopy(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op->getNumRegions() != 1 || !op.hasPureTensorSemantics())
    return false;
  Block &body = op->getRegion(0).front();
  return body.getTerminator()->getOperand(0) == body.getArgument(0);
}

std::optional<AffineMap> codegen::matchTranspose(linalg::LinalgOp op) {
  if (!op || !isCopy(op))
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps[0].isPermutation() || !maps[1].isPermutation())
    return std::nullopt;
  return maps[0].compose(inversePermutation(maps[1]));
}

//===----------------------------------------------------------------------===//
// Operations on single elements
//===----------------------------------------------------------------------===//

/// Returns whether `op` has an element for each point of its loops, whatever
/// its body is.
static bool isPointwise(linalg::LinalgOp op) {
  return op && op.hasPureTensorSemantics() && op.getNumDpsInits() == 1 &&
         op->getNumRegions() == 1 &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         op.getRegionOutputArgs().front().use_empty();
}

static Value getYielded(linalg::LinalgOp op) {
  return op->getRegion(0).front().getTerminator()->getOperand(0);
}

/// The input that an argument of the body is an element of; null for none.
static OpOperand *getInput(linalg::LinalgOp op, Value scalar) {
  auto argument = dyn_cast<BlockArgument>(scalar);
  if (!argument || argument.getOwner() != &op->getRegion(0).front() ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return nullptr;
  return op.getDpsInputOperand(argument.getArgNumber());
}

static bool isReadInPlace(linalg::LinalgOp op, OpOperand *input) {
  return op.getMatchingIndexingMap(input).isIdentity();
}

/// A value in the body of an operation.
namespace {
struct Element {
  linalg::LinalgOp op;
  Value scalar;
};
} // namespace

/// Goes from an argument of a body to what makes the tensor, if that is another
/// operation of the kind.
static Element follow(Element element, llvm::SetVector<Operation *> &parts) {
  while (OpOperand *input = getInput(element.op, element.scalar)) {
    auto producer = input->get().getDefiningOp<linalg::LinalgOp>();
    if (!isReadInPlace(element.op, input) || !isPointwise(producer))
      break;
    parts.insert(producer);
    element = {producer, getYielded(producer)};
  }
  return element;
}

/// What an element was before it was converted to another type of floats.
static Value skipConversion(Value scalar) {
  while (
      isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(scalar.getDefiningOp()))
    scalar = scalar.getDefiningOp()->getOperand(0);
  return scalar;
}

//===----------------------------------------------------------------------===//
// The softmax
//===----------------------------------------------------------------------===//

/// The value that a tensor is filled with, or null.
static Value getFill(Value tensor) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return fill.getInputs().front();
  auto generic = tensor.getDefiningOp<linalg::GenericOp>();
  return generic && generic.getNumDpsInputs() == 0 ? getYielded(generic)
                                                   : Value();
}

/// Returns whether `init` is below all scores; a maximum of numbers ignores
/// NaN.
static bool isLowest(Value init, bool ignoresNaN) {
  Value value = getFill(init);
  FloatAttr number;
  if (!value || !matchPattern(value, m_Constant(&number)))
    return false;
  APFloat found = number.getValue();
  return found.isNaN()
             ? ignoresNaN
             : found.isNegative() && (found.isInfinity() || found.isLargest());
}

/// Returns whether the body combines the input and the output by Op.
template <typename... Op>
static bool combinesBy(linalg::LinalgOp op) {
  Block &body = op->getRegion(0).front();
  Operation *combination = getYielded(op).getDefiningOp();
  return isa_and_nonnull<Op...>(combination) && body.getNumArguments() == 2 &&
         llvm::is_contained(combination->getOperands(), body.getArgument(0)) &&
         llvm::is_contained(combination->getOperands(), body.getArgument(1));
}

/// Skips a view that gives a tensor dimensions of one element; `map`, that of
/// what reads the tensor, becomes one of what was there before.
static Value skipUnitDims(Value tensor, AffineMap &map,
                          llvm::SetVector<Operation *> &parts) {
  auto view = tensor.getDefiningOp<tensor::ExpandShapeOp>();
  if (!view)
    return tensor;
  SmallVector<AffineExpr> results;
  for (const ReassociationIndices &group : view.getReassociationIndices()) {
    std::optional<int64_t> kept;
    for (int64_t dim : group)
      if (view.getResultType().getDimSize(dim) != 1) {
        if (kept)
          return tensor;
        kept = dim;
      }
    results.push_back(map.getResult(kept.value_or(group.front())));
  }
  map = AffineMap::get(map.getNumDims(), 0, results, map.getContext());
  parts.insert(view);
  return view.getSrc();
}

namespace {

/// Collects the operations of a chain, from its last one back.
class ChainMatcher {
public:
  explicit ChainMatcher(linalg::LinalgOp result) { chain.result = result; }

  std::optional<AttentionChain> match();

private:
  /// Where the search is: at a tensor, behind some reshapes.
  struct Place {
    Value tensor;
    /// Whether the number of reshapes is odd.
    bool isOdd;
  };

  bool matchFrom(unsigned weightInput);
  bool skipReshape(Place &place);
  bool skipConversions(Place &place);
  /// The scores of the softmax whose weights `weights` are.
  Value matchSoftmax(Value weights);
  bool matchReduction(Value tensor, AffineMap map, Value rows, bool isSum);
  bool findScores(Place place);
  bool matchScores(linalg::LinalgOp op, bool isOdd);
  /// Whether a place sees the dimensions after the split.
  bool isSplit(bool isOdd) const { return startsSplit != isOdd; }
  /// The dimension after the split of one that is not split; none otherwise.
  std::optional<unsigned> getOnlyDim(unsigned dim, bool isOdd) const {
    ReassociationIndices dims = chain.getDims(dim, isSplit(isOdd));
    return dims.size() == 1 ? std::optional<unsigned>(dims[0]) : std::nullopt;
  }
  void finish();

  AttentionChain chain;
  /// Of each step, and of the scores, whether its number of reshapes is odd.
  SmallVector<bool> stepsAreOdd;
  bool scoresAreOdd = false;
  /// Whether weights have the dimensions after the split.
  bool startsSplit = true;
  /// The dimension that the softmax runs over, where it stands.
  unsigned softmaxDim = 0;
  bool softmaxIsOdd = false;
  llvm::SmallPtrSet<Operation *, 8> visited;
};

} // namespace

/// Goes through a reshape of the batch.
bool ChainMatcher::skipReshape(Place &place) {
  Operation *op = place.tensor.getDefiningOp();
  if (!isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return false;
  bool isExpansion = isa<tensor::ExpandShapeOp>(op);
  std::optional<SmallVector<OpFoldResult>> sizes =
      findSizes(isExpansion ? op->getResult(0) : op->getOperand(0));
  if (!sizes)
    return false;
  BatchSplit split;
  split.sizes = *sizes;
  split.groups =
      isExpansion ? cast<tensor::ExpandShapeOp>(op).getReassociationIndices()
                  : cast<tensor::CollapseShapeOp>(op).getReassociationIndices();
  if (!chain.split) {
    startsSplit = isExpansion != place.isOdd;
    chain.split = split;
  } else if (chain.split->groups != split.groups ||
             isSplit(place.isOdd) != isExpansion ||
             !isEqualConstantIntOrValueArray(chain.split->sizes, split.sizes)) {
    return false;
  }
  chain.parts.insert(op);
  place = {op->getOperand(0), !place.isOdd};
  return true;
}

/// Goes through an operation that only converts elements to another type.
bool ChainMatcher::skipConversions(Place &place) {
  auto op = place.tensor.getDefiningOp<linalg::LinalgOp>();
  if (!isPointwise(op))
    return false;
  OpOperand *input = getInput(op, skipConversion(getYielded(op)));
  if (!input || !isReadInPlace(op, input))
    return false;
  chain.parts.insert(op);
  place.tensor = input->get();
  return true;
}

/// Returns whether a tensor, which is read with a map, has the sum or the
/// largest element of each row of `rows`.
bool ChainMatcher::matchReduction(Value tensor, AffineMap map, Value rows,
                                  bool isSum) {
  tensor = skipUnitDims(tensor, map, chain.parts);
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 1 ||
      op->getNumRegions() != 1 || op.getDpsInputs().front() != rows)
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps[0].isIdentity() || maps[1] != map)
    return false;
  bool isRight =
      isSum
          ? combinesBy<arith::AddFOp>(op) && isZeroFill(op.getDpsInits()[0])
          : combinesBy<arith::MaximumFOp, arith::MaxNumFOp>(op) &&
                isLowest(op.getDpsInits()[0],
                         isa<arith::MaxNumFOp>(getYielded(op).getDefiningOp()));
  SmallVector<unsigned> dims;
  op.getReductionDims(dims);
  softmaxDim = dims.front();
  chain.parts.insert(op);
  return isRight;
}

Value ChainMatcher::matchSoftmax(Value weights) {
  auto division = weights.getDefiningOp<linalg::LinalgOp>();
  if (!isPointwise(division))
    return Value();
  chain.softmax = division;
  chain.parts.insert(division);
  auto share =
      skipConversion(getYielded(division)).getDefiningOp<arith::DivFOp>();
  OpOperand *powers = share ? getInput(division, share.getLhs()) : nullptr;
  OpOperand *totals = share ? getInput(division, share.getRhs()) : nullptr;
  if (!powers || !totals || !isReadInPlace(division, powers))
    return Value();
  Element power = follow({division, share.getLhs()}, chain.parts);
  auto exponential = power.scalar.getDefiningOp<math::ExpOp>();
  if (!exponential)
    return Value();
  Element distance = follow({power.op, exponential.getOperand()}, chain.parts);
  auto difference = distance.scalar.getDefiningOp<arith::SubFOp>();
  if (!difference)
    return Value();
  OpOperand *scores = getInput(distance.op, difference.getLhs());
  OpOperand *largest = getInput(distance.op, difference.getRhs());
  auto getMap = [](linalg::LinalgOp op, OpOperand *input) {
    return op.getMatchingIndexingMap(input);
  };
  if (!scores || !largest || !isReadInPlace(distance.op, scores) ||
      !matchReduction(largest->get(), getMap(distance.op, largest),
                      scores->get(), /*isSum=*/false))
    return Value();
  unsigned dim = softmaxDim;
  if (!matchReduction(totals->get(), getMap(division, totals), powers->get(),
                      /*isSum=*/true) ||
      softmaxDim != dim)
    return Value();
  return scores->get();
}

//===----------------------------------------------------------------------===//
// The products
//===----------------------------------------------------------------------===//

/// Returns whether the dimensions of an input are different loops, but for
/// `numUnits` of one element each, and all loops but one are among them then.
static bool runsOverLoops(linalg::LinalgOp op, unsigned input,
                          unsigned numUnits) {
  OpOperand *operand = op.getDpsInputOperand(input);
  AffineMap map = op.getMatchingIndexingMap(operand);
  auto type = cast<RankedTensorType>(operand->get().getType());
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (isa<AffineConstantExpr>(expr) &&
        (numUnits-- == 0 || type.getDimSize(int64_t(dim)) != 1))
      return false;
  return numUnits == 0 && map.getNumResults() + 1 == op.getNumLoops() &&
         map.isProjectedPermutation(/*allowZeroInResults=*/true);
}

/// Returns whether a product over one loop has an element for each point of the
/// others.
static bool isScoreProduct(linalg::LinalgOp op) {
  if (!isMultiplied(op) || op.getNumReductionLoops() != 1 ||
      !isZeroFill(op.getDpsInits().front()))
    return false;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return map.isProjectedPermutation() &&
         map.getNumResults() + 1 == op.getNumLoops();
}

static unsigned getLoop(AffineMap map, unsigned dim) {
  return cast<AffineDimExpr>(map.getResult(dim)).getPosition();
}

/// Returns whether `op` multiplies queries and keys.
bool ChainMatcher::matchScores(linalg::LinalgOp op, bool isOdd) {
  if (!isScoreProduct(op))
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  std::optional<unsigned> key = getOnlyDim(softmaxDim, softmaxIsOdd);
  // The dimensions that only the first operand has, or only the second one.
  SmallVector<unsigned> only[2];
  for (unsigned dim = 0; dim < maps[2].getNumResults(); ++dim) {
    unsigned loop = getLoop(maps[2], dim);
    bool isFirst = maps[0].isFunctionOfDim(loop);
    if (isFirst == maps[1].isFunctionOfDim(loop))
      continue;
    std::optional<unsigned> found = getOnlyDim(dim, isOdd);
    if (!found)
      return false;
    only[isFirst ? 0 : 1].push_back(*found);
  }
  chain.keyInput = key && only[0] == ArrayRef(*key) ? 0 : 1;
  chain.queryInput = 1 - chain.keyInput;
  ArrayRef<unsigned> queries = only[chain.queryInput];
  // Queries of heads that share their keys could be queries of one head.
  if (!key || only[chain.keyInput] != ArrayRef(*key) || queries.empty() ||
      queries.size() > 2 || !runsOverLoops(op, chain.queryInput, 0) ||
      !runsOverLoops(op, chain.keyInput, unsigned(queries.size()) - 1))
    return false;
  chain.queryDim = queries.back();
  chain.keyDim = *key;
  if (queries.size() == 2)
    chain.sharedDim = queries.front();
  chain.scores = op;
  scoresAreOdd = isOdd;
  return true;
}

/// Finds the product that scores are made of, one by one.
bool ChainMatcher::findScores(Place place) {
  Place before = place;
  if (skipReshape(place))
    return findScores(place);
  auto op = before.tensor.getDefiningOp<linalg::LinalgOp>();
  if (!op || !visited.insert(op).second)
    return false;
  if (matchScores(op, place.isOdd)) {
    chain.parts.insert(op);
    return true;
  }
  if (!isPointwise(op))
    return false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isReadInPlace(op, input))
      continue;
    std::optional<BatchSplit> split = chain.split;
    llvm::SetVector<Operation *> parts = chain.parts;
    bool started = startsSplit;
    if (findScores({input->get(), place.isOdd})) {
      chain.steps.push_back({op, input->getOperandNumber(), false});
      stepsAreOdd.push_back(place.isOdd);
      chain.parts.insert(op);
      return true;
    }
    chain.split = split;
    chain.parts = parts;
    startsSplit = started;
  }
  return false;
}

bool ChainMatcher::matchFrom(unsigned weightInput) {
  Place place{chain.result.getDpsInputs()[weightInput], false};
  chain.weightInput = weightInput;
  while (skipReshape(place) || skipConversions(place))
    ;
  softmaxIsOdd = place.isOdd;
  place.tensor = matchSoftmax(place.tensor);
  return place.tensor && findScores(place);
}

/// Fills in what only the whole chain tells.
void ChainMatcher::finish() {
  chain.scoresAreSplit = isSplit(scoresAreOdd);
  chain.resultIsSplit = isSplit(false);
  for (auto [step, isOdd] : llvm::zip_equal(chain.steps, stepsAreOdd))
    step.isSplit = isSplit(isOdd);
  auto type = cast<RankedTensorType>(chain.scores->getResult(0).getType());
  chain.rank = chain.split ? chain.split->sizes.size() : type.getRank();
  chain.rounding = getRounding(chain.result, chain.result->getResult(0));
}

/// Returns whether the weights of a softmax are those that values are summed
/// with.
static bool sumsOverKeys(const AttentionChain &chain) {
  linalg::LinalgOp op = chain.result;
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  std::optional<unsigned> dim =
      op.getIndexingMapsArray()[chain.weightInput].getResultPosition(
          getAffineDimExpr(loops.front(), op.getContext()));
  return dim && chain.getDims(*dim, chain.resultIsSplit).front() ==
                    int64_t(chain.keyDim);
}

std::optional<AttentionChain> ChainMatcher::match() {
  linalg::LinalgOp result = chain.result;
  for (unsigned input : {0, 1}) {
    *this = ChainMatcher(result);
    if (matchFrom(input)) {
      finish();
      return sumsOverKeys(chain) ? std::optional(chain) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<AttentionChain>
codegen::matchAttentionChain(linalg::LinalgOp op) {
  if (!isMultiplied(op) || op.getNumReductionLoops() != 1 ||
      !isZeroFill(op.getDpsInits().front()))
    return std::nullopt;
  return ChainMatcher(op).match();
}

//===----------------------------------------------------------------------===//
// What a chain must not have
//===----------------------------------------------------------------------===//

/// Returns whether the body is arithmetic on elements, with positions that the
/// region of a score gets as well.
static bool isArithmetic(const AttentionChain &chain, const ScoreStep &step) {
  linalg::LinalgOp op = step.op;
  for (Operation &inner : op->getRegion(0).front().without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      if (chain.getDims(index.getDim(), step.isSplit).size() != 1)
        return false;
      continue;
    }
    if (!isMemoryEffectFree(&inner) || inner.getNumRegions() != 0 ||
        llvm::any_of(inner.getOperandTypes(), llvm::IsaPred<ShapedType>))
      return false;
  }
  return true;
}

/// Returns whether each other input of a step may be elements of attention.
static bool hasElements(const ScoreStep &step) {
  linalg::LinalgOp op = step.op;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    llvm::SmallBitVector seen(map.getNumDims());
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      auto constant = dyn_cast<AffineConstantExpr>(expr);
      if (loop ? seen.test(loop.getPosition())
               : !constant || constant.getValue() != 0 || !type ||
                     type.getDimSize(dim) != 1)
        return false;
      if (loop)
        seen.set(loop.getPosition());
    }
  }
  return true;
}

/// Returns whether all operands and the result have one type, and scores that
/// of their sums.
static bool hasOneType(const AttentionChain &chain) {
  linalg::LinalgOp scores = chain.scores, result = chain.result;
  Type type = getElementTypeOrSelf(scores.getDpsInputs()[0]);
  Type sum = type.isF64() ? type : Float32Type::get(type.getContext());
  Value last = chain.steps.empty() ? scores->getResult(0)
                                   : chain.steps.back().op->getResult(0);
  return getElementTypeOrSelf(scores.getDpsInputs()[1]) == type &&
         getElementTypeOrSelf(result.getDpsInputs()[1 - chain.weightInput]) ==
             type &&
         getElementTypeOrSelf(chain.getLast()->getResult(0)) == type &&
         getElementTypeOrSelf(scores->getResult(0)) == sum &&
         getElementTypeOrSelf(last) == sum;
}

/// Returns whether the product of weights and values runs over the batch, the
/// queries, the keys and the columns of values, which keys or queries do not
/// have; and whether the batch alone is split.
static bool hasLoopsOfResult(const AttentionChain &chain) {
  linalg::LinalgOp op = chain.result;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap weights = maps[chain.weightInput],
            values = maps[1 - chain.weightInput];
  if (!runsOverLoops(op, chain.weightInput, 0) ||
      !runsOverLoops(op, 1 - chain.weightInput, chain.sharedDim ? 1 : 0) ||
      !maps[2].isProjectedPermutation() ||
      maps[2].getNumResults() != weights.getNumResults())
    return false;
  auto isOne = [&](int64_t dim) {
    return dim == chain.queryDim || dim == chain.keyDim ||
           dim == int64_t(chain.sharedDim.value_or(chain.keyDim));
  };
  for (unsigned dim = 0; dim < weights.getNumResults(); ++dim) {
    unsigned loop = getLoop(weights, dim);
    ReassociationIndices dims = chain.getDims(dim, chain.resultIsSplit);
    bool isKey = dims.front() == chain.keyDim;
    if (values.isFunctionOfDim(loop) == (isOne(dims.front()) && !isKey) ||
        maps[2].isFunctionOfDim(loop) == isKey)
      return false;
  }
  return !chain.split ||
         llvm::all_of(chain.split->groups, [&](ArrayRef<int64_t> group) {
           return group.size() == 1 || llvm::none_of(group, isOne);
         });
}

std::optional<FusionObstacle>
codegen::findAttentionObstacle(const AttentionChain &chain) {
  Block *block = chain.result->getBlock();
  for (Operation *part : chain.parts) {
    if (part->getBlock() != block)
      return FusionObstacle::OtherBlock;
    for (Operation *user : part->getUsers())
      if (user != chain.result && !chain.parts.contains(user) &&
          !findSize(user))
        return FusionObstacle::OtherUsers;
  }
  if (!hasLoopsOfResult(chain))
    return FusionObstacle::OtherBatch;
  if (!hasOneType(chain))
    return FusionObstacle::OtherTypes;
  for (const ScoreStep &step : chain.steps) {
    if (!isArithmetic(chain, step))
      return FusionObstacle::MoreThanArithmetic;
    if (!hasElements(step))
      return FusionObstacle::OtherPoints;
  }
  return std::nullopt;
}
