//===- ElementChecks.cpp - Preconditions per element of a loop nest -------===//

#include "ElementChecks.h"

#include "DataChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tally/Symbolic/Proof/Prover.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;
using ElementSpace = SymbolicShapes::ElementSpace;

//===----------------------------------------------------------------------===//
// Linear conditions
//===----------------------------------------------------------------------===//

namespace {
/// Replaces the indices of a loop nest by their extremes.
class Quantifier {
public:
  Quantifier(Operation *around, const ElementSpace &space,
             SymbolicShapes &shapes)
      : around(around), shapes(shapes), context(shapes.getContext()) {
    // All symbols for the index of one loop are the same number.
    llvm::DenseMap<unsigned, Expr> first;
    for (auto [symbol, loop] : space.indices) {
      same[symbol] = first.try_emplace(loop, symbol).first->second;
      sizes[symbol] = space.sizes[loop];
    }
  }

  /// The condition for all elements, if there is one; or null.
  Expr quantify(Expr condition);

private:
  Expr quantifyComparison(Expr condition);
  Expr getMinimum(Expr expr);
  bool isInner(Expr expr);

  Operation *around;
  SymbolicShapes &shapes;
  symbolic::ExprContext &context;
  symbolic::Substitution same;
  llvm::DenseMap<Expr, Expr> sizes;
};
} // namespace

/// Returns true if the expression mentions what changes from element to
/// element.
bool Quantifier::isInner(Expr expr) {
  return !shapes.isAvailable(expr, around);
}

/// The least value of an expression that is linear in the indices; null if it
/// is not.
Expr Quantifier::getMinimum(Expr expr) {
  SmallVector<Expr> terms;
  for (const symbolic::Term &term : symbolic::getTerms(expr, context)) {
    Expr monomial = term.monomial;
    auto size = sizes.find(monomial);
    if (size == sizes.end()) {
      if (isInner(monomial))
        return {};
      terms.push_back(context.scale(term.coefficient, monomial));
    } else if (term.coefficient < 0) {
      terms.push_back(context.scale(term.coefficient,
                                    context.sub(size->second, context.one())));
    }
  }
  return context.sum(terms);
}

Expr Quantifier::quantifyComparison(Expr condition) {
  bool isStrict = condition.getKind() == symbolic::ExprKind::Lt;
  if (!isStrict && condition.getKind() != symbolic::ExprKind::Le)
    return {};
  Expr least =
      getMinimum(context.sub(condition.getOperand(1), condition.getOperand(0)));
  if (!least)
    return {};
  return isStrict ? context.lt(context.zero(), least)
                  : context.le(context.zero(), least);
}

Expr Quantifier::quantify(Expr condition) {
  condition = context.substitute(condition, same);
  if (!isInner(condition))
    return condition;
  if (condition.getKind() != symbolic::ExprKind::And)
    return quantifyComparison(condition);
  SmallVector<Expr> parts;
  for (Expr part : condition.getOperands()) {
    parts.push_back(isInner(part) ? quantifyComparison(part) : part);
    if (!parts.back())
      return {};
  }
  return context.logicalAnd(parts);
}

Expr tally::quantifyOverElements(Operation *around, Expr condition,
                                 SymbolicShapes &shapes, bool elide) {
  std::optional<ElementSpace> space = shapes.getElementSpace(around);
  if (!space)
    return {};
  Expr forAll = Quantifier(around, *space, shapes).quantify(condition);
  symbolic::ExprContext &context = shapes.getContext();
  if (!forAll || forAll.isTrue())
    return forAll;
  symbolic::ProverBudget budget;
  budget.strongest = symbolic::Rung::Facts;
  if (elide && symbolic::Prover(shapes.getFacts(), budget).isProven(forAll))
    return context.trueExpr();
  // Where a loop has no iteration there is no element.
  SmallVector<Expr> alternatives;
  for (Expr size : space->sizes)
    if (Expr empty = context.eq(size, context.zero());
        !llvm::is_contained(alternatives, empty))
      alternatives.push_back(empty);
  alternatives.push_back(forAll);
  return context.logicalOr(alternatives);
}

bool tally::isProvenForElements(Operation *around,
                                const Precondition &precondition,
                                ArrayRef<Expr> known, ElementRanges &ranges,
                                bool &byCheck) {
  SymbolicShapes &shapes = ranges.getShapes();
  std::optional<ElementSpace> space = shapes.getElementSpace(around);
  if (!space)
    return false;
  constexpr size_t maxKnown = 64;
  symbolic::ExprContext &context = shapes.getContext();
  symbolic::Facts &facts = shapes.getFacts();
  symbolic::Facts::Scope scope(facts);
  // A run in which a declaration does not hold ends at its own check.
  shapes.addDeclarations(facts);
  for (Expr fact : known.take_back(maxKnown))
    facts.add(fact);
  for (Expr size : space->sizes)
    facts.add(context.le(context.one(), size), symbolic::Provenance::Proven);
  for (auto [index, loop] : space->indices) {
    facts.add(context.le(context.zero(), index), symbolic::Provenance::Proven);
    facts.add(context.lt(index, space->sizes[loop]),
              symbolic::Provenance::Proven);
  }
  symbolic::Prover prover(facts);
  if (prover.isProven(precondition.condition))
    return true;
  bool readsChecks = false;
  if (!ranges.addFacts(precondition.op, precondition.condition, facts,
                       &readsChecks) ||
      !prover.isProven(precondition.condition))
    return false;
  byCheck |= readsChecks;
  return true;
}

//===----------------------------------------------------------------------===//
// Conditions on data
//===----------------------------------------------------------------------===//

/// The operations of the block that compute `values`, in order; nothing if one
/// of them has effects or regions.
static std::optional<SmallVector<Operation *>> getSlice(Block *block,
                                                        ValueRange values) {
  llvm::SetVector<Operation *> slice;
  SmallVector<Value> worklist(values.begin(), values.end());
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != block || !slice.insert(op))
      continue;
    if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
      return std::nullopt;
    worklist.append(op->operand_begin(), op->operand_end());
  }
  SmallVector<Operation *> ordered = slice.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

namespace {
/// Computes whether some indices of a `tensor.extract` in the body of a
/// structured operation are in bounds for all elements, by a reduction over the
/// loops that these indices depend on.
class BoundsReduction {
public:
  BoundsReduction(linalg::LinalgOp around, tensor::ExtractOp extract,
                  ArrayRef<unsigned> dims, ArrayRef<Operation *> slice)
      : around(around), extract(extract), dims(dims), slice(slice),
        maps(around.getIndexingMapsArray()) {}

  Value build(OpBuilder &builder);
  /// The loops that were left out; without an iteration of one of them no index
  /// is used.
  SmallVector<unsigned> getDroppedLoops() const;

private:
  void chooseOperands();
  void addOperand(unsigned operand);
  bool isCovered(unsigned loop) const;
  AffineMap compress(AffineMap map) const;
  void buildBody(OpBuilder &body, ValueRange arguments);

  linalg::LinalgOp around;
  tensor::ExtractOp extract;
  ArrayRef<unsigned> dims;
  ArrayRef<Operation *> slice;
  SmallVector<AffineMap> maps;
  /// The operands and the loops that are needed, in the order of the original.
  llvm::SmallSetVector<unsigned, 4> operands;
  llvm::SmallBitVector loops;
  SmallVector<Value> sizes;
};
} // namespace

void BoundsReduction::addOperand(unsigned operand) {
  if (!operands.insert(operand))
    return;
  for (unsigned loop = 0; loop < loops.size(); ++loop)
    if (maps[operand].isFunctionOfDim(loop))
      loops.set(loop);
}

/// Returns true if an operand that was chosen tells how often the loop runs.
bool BoundsReduction::isCovered(unsigned loop) const {
  return llvm::any_of(operands, [&](unsigned operand) {
    return maps[operand]
        .getResultPosition(getAffineDimExpr(loop, maps[operand].getContext()))
        .has_value();
  });
}

/// Takes the operands whose elements are read, and more until every loop that
/// is needed has its size from one of them.
void BoundsReduction::chooseOperands() {
  // A value that an index is computed from may only be read where the original
  // reads it.
  loops.resize(around.getNumLoops(),
               llvm::any_of(slice, llvm::IsaPred<tensor::ExtractOp>));
  auto use = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == around.getBlock())
      addOperand(argument.getArgNumber());
  };
  for (unsigned dim : dims)
    use(extract.getIndices()[dim]);
  for (Operation *op : slice) {
    llvm::for_each(op->getOperands(), use);
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      loops.set(index.getDim());
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned loop : loops.set_bits()) {
      if (isCovered(loop))
        continue;
      AffineExpr index = getAffineDimExpr(loop, around.getContext());
      for (auto [operand, map] : llvm::enumerate(maps))
        if (map.getResultPosition(index)) {
          addOperand(operand);
          break;
        }
      changed = true;
      break;
    }
  }
}

SmallVector<unsigned> BoundsReduction::getDroppedLoops() const {
  SmallVector<unsigned> dropped;
  for (unsigned loop = 0; loop < loops.size(); ++loop)
    if (!loops.test(loop))
      dropped.push_back(loop);
  return dropped;
}

/// The map over the loops that are left.
AffineMap BoundsReduction::compress(AffineMap map) const {
  SmallVector<AffineExpr> positions;
  unsigned next = 0;
  for (unsigned loop = 0; loop < loops.size(); ++loop)
    positions.push_back(loops.test(loop)
                            ? getAffineDimExpr(next++, map.getContext())
                            : getAffineConstantExpr(0, map.getContext()));
  return map.replaceDimsAndSymbols(positions, {}, next, 0);
}

void BoundsReduction::buildBody(OpBuilder &body, ValueRange arguments) {
  Location loc = extract.getLoc();
  IRMapping mapping;
  for (auto [argument, operand] : llvm::zip(arguments, operands))
    mapping.map(around.getBlock()->getArgument(operand), argument);
  for (Operation *op : slice) {
    Operation *clone = body.clone(*op, mapping);
    if (auto index = dyn_cast<linalg::IndexOp>(clone)) {
      llvm::SmallBitVector before = loops;
      before.reset(index.getDim(), loops.size());
      index.setDim(before.count());
    }
  }
  SmallVector<Value> indices;
  for (unsigned dim : dims)
    indices.push_back(mapping.lookupOrDefault(extract.getIndices()[dim]));
  Value inBounds = buildAreBelow(body, loc, indices, sizes);
  linalg::YieldOp::create(
      body, loc,
      arith::AndIOp::create(body, loc, arguments.back(), inBounds).getResult());
}

Value BoundsReduction::build(OpBuilder &builder) {
  chooseOperands();
  Location loc = extract.getLoc();
  for (unsigned dim : dims)
    sizes.push_back(
        tensor::DimOp::create(builder, loc, extract.getTensor(), dim));
  Value yes =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  Value init = tensor::FromElementsOp::create(
      builder, loc, RankedTensorType::get({}, builder.getI1Type()),
      ValueRange{yes});
  SmallVector<Value> inputs;
  SmallVector<AffineMap> newMaps;
  for (unsigned operand : operands) {
    inputs.push_back(around->getOperand(operand));
    newMaps.push_back(compress(maps[operand]));
  }
  newMaps.push_back(AffineMap::get(loops.count(), 0, builder.getContext()));
  SmallVector<utils::IteratorType> iterators(loops.count(),
                                             utils::IteratorType::reduction);
  auto all = linalg::GenericOp::create(
      builder, loc, TypeRange{init.getType()}, inputs, ValueRange{init},
      newMaps, iterators, [&](OpBuilder &body, Location, ValueRange arguments) {
        buildBody(body, arguments);
      });
  return tensor::ExtractOp::create(builder, loc, all.getResult(0),
                                   ValueRange{});
}

/// The indices that cannot be stated as one condition, or proven.
static SmallVector<unsigned> getDataDependentDims(Operation *around,
                                                  tensor::ExtractOp extract,
                                                  ArrayRef<Expr> known,
                                                  ElementRanges &ranges) {
  SymbolicShapes &shapes = ranges.getShapes();
  bool byCheck = false;
  SmallVector<unsigned> dims;
  Preconditions preconditions(shapes);
  preconditions.setOperation(extract);
  for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
    preconditions.clear();
    preconditions.addInBounds(shapes.getValue(index),
                              shapes.getDim(extract.getTensor(), dim));
    if (llvm::any_of(preconditions.getPreconditions(),
                     [&](const Precondition &precondition) {
                       return !quantifyOverElements(
                                  around, precondition.condition, shapes) &&
                              !isProvenForElements(around, precondition, known,
                                                   ranges, byCheck);
                     }))
      dims.push_back(dim);
  }
  return dims;
}

/// Returns true if the body of the operation is run for every element of a
/// space, with its indices at hand.
static bool hasElementBody(Operation *around, SymbolicShapes &shapes) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(around);
      structured && !structured.hasPureTensorSemantics())
    return false;
  return shapes.getElementSpace(around).has_value();
}

Expr tally::reduceOverElements(Operation *around, Operation *op,
                               ArrayRef<Expr> known, ElementRanges &ranges) {
  SymbolicShapes &shapes = ranges.getShapes();
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  if (!extract || extract->getParentOp() != around ||
      !hasElementBody(around, shapes) ||
      extract.getTensor().getParentBlock() == extract->getBlock())
    return {};
  SmallVector<unsigned> dims =
      getDataDependentDims(around, extract, known, ranges);
  SmallVector<Value> indices;
  for (unsigned dim : dims)
    indices.push_back(extract.getIndices()[dim]);
  std::optional<SmallVector<Operation *>> slice =
      getSlice(extract->getBlock(), indices);
  if (!slice)
    return {};
  OpBuilder builder(around);
  Operation *above = around->getPrevNode();
  symbolic::ExprContext &context = shapes.getContext();
  SmallVector<Expr> alternatives;
  Value inBounds;
  if (auto structured = dyn_cast<linalg::LinalgOp>(around)) {
    BoundsReduction reduction(structured, extract, dims, *slice);
    inBounds = reduction.build(builder);
    for (unsigned loop : reduction.getDroppedLoops())
      alternatives.push_back(context.eq(
          shapes.getElementSpace(around)->sizes[loop], context.zero()));
  } else {
    inBounds = buildBodyBounds(builder, around, extract, dims, *slice);
  }
  alternatives.push_back(
      shapes.getValue(reuseComputation(inBounds, above, shapes)));
  return context.logicalOr(alternatives);
}

/// Returns true if every coordinate is in bounds of each of the dimensions.
static bool areInBounds(Value tensor, Value coordinates, ArrayRef<int64_t> dims,
                        ElementRanges &ranges) {
  ElementRange range = ranges.get(coordinates);
  SymbolicShapes &shapes = ranges.getShapes();
  symbolic::ExprContext &context = shapes.getContext();
  return ranges.isAtLeast(range, 0) && range.upper &&
         llvm::all_of(dims, [&](int64_t dim) {
           return ranges.isKnown(
               context.lt(range.upper, shapes.getDim(tensor, dim)));
         });
}

Expr tally::reduceOverCoordinates(Operation *op, ElementRanges &ranges,
                                  bool elide) {
  SymbolicShapes &shapes = ranges.getShapes();
  Value tensor, coordinates;
  ArrayRef<int64_t> dims;
  if (auto gather = dyn_cast<tensor::GatherOp>(op)) {
    tensor = gather.getSource();
    coordinates = gather.getIndices();
    dims = gather.getGatherDims();
  } else if (auto scatter = dyn_cast<tensor::ScatterOp>(op)) {
    tensor = scatter.getDest();
    coordinates = scatter.getIndices();
    dims = scatter.getScatterDims();
  }
  if (!tensor || dims.empty() || shapes.getElements(coordinates) ||
      (elide && areInBounds(tensor, coordinates, dims, ranges)))
    return {};
  OpBuilder builder(op);
  Operation *above = op->getPrevNode();
  Value inBounds =
      buildCoordinateBounds(builder, op->getLoc(), tensor, coordinates, dims);
  return shapes.getValue(reuseComputation(inBounds, above, shapes));
}
