//===- ElementChecks.cpp - Demands per element of a loop nest -------------===//

#include "ElementChecks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tally/Symbolic/Prover.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tally;
using symbolic::DynamicAPInt;
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

/// True if the expression mentions what changes from element to element.
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
                                 SymbolicShapes &shapes) {
  std::optional<ElementSpace> space = shapes.getElementSpace(around);
  if (!space)
    return {};
  Expr forAll = Quantifier(around, *space, shapes).quantify(condition);
  symbolic::ExprContext &context = shapes.getContext();
  if (!forAll || forAll.isTrue())
    return forAll;
  symbolic::ProverBudget budget;
  budget.strongest = symbolic::Rung::Facts;
  if (symbolic::Prover(shapes.getFacts(), budget).isProven(forAll))
    return context.trueExpr();
  // Where a loop has no trip there is no element.
  SmallVector<Expr> alternatives;
  for (Expr size : space->sizes)
    if (Expr empty = context.eq(size, context.zero());
        !llvm::is_contained(alternatives, empty))
      alternatives.push_back(empty);
  alternatives.push_back(forAll);
  return context.logicalOr(alternatives);
}

bool tally::isProvenForElements(Operation *around, Expr condition,
                                ArrayRef<Expr> known, SymbolicShapes &shapes) {
  std::optional<ElementSpace> space = shapes.getElementSpace(around);
  if (!space)
    return false;
  constexpr size_t maxKnown = 64;
  symbolic::ExprContext &context = shapes.getContext();
  symbolic::Facts &facts = shapes.getFacts();
  symbolic::Facts::Scope scope(facts);
  for (Expr fact : known.take_back(maxKnown))
    facts.add(fact);
  for (Expr size : space->sizes)
    facts.add(context.le(context.one(), size), symbolic::Provenance::Proven);
  for (auto [index, loop] : space->indices) {
    facts.add(context.le(context.zero(), index), symbolic::Provenance::Proven);
    facts.add(context.lt(index, space->sizes[loop]),
              symbolic::Provenance::Proven);
  }
  return symbolic::Prover(facts).isProven(condition);
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

/// Computes whether the indices of `extract` are in bounds for all elements.
static Value reduceInBounds(OpBuilder &builder, linalg::LinalgOp around,
                            tensor::ExtractOp extract,
                            ArrayRef<Operation *> slice) {
  Location loc = extract.getLoc();
  SmallVector<Value> sizes;
  for (unsigned dim = 0; dim < extract.getIndices().size(); ++dim)
    sizes.push_back(
        tensor::DimOp::create(builder, loc, extract.getTensor(), dim));
  Value yes =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  Value init = tensor::FromElementsOp::create(
      builder, loc, RankedTensorType::get({}, builder.getI1Type()),
      ValueRange{yes});
  SmallVector<AffineMap> maps = around.getIndexingMapsArray();
  maps.push_back(AffineMap::get(around.getNumLoops(), 0, builder.getContext()));
  SmallVector<utils::IteratorType> iterators(around.getNumLoops(),
                                             utils::IteratorType::reduction);
  auto all = linalg::GenericOp::create(
      builder, loc, TypeRange{init.getType()}, around->getOperands(),
      ValueRange{init}, maps, iterators,
      [&](OpBuilder &body, Location, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(around.getBlock()->getArguments(), arguments.drop_back());
        for (Operation *op : slice)
          body.clone(*op, mapping);
        Value inBounds = arguments.back();
        for (auto [index, size] : llvm::zip(extract.getIndices(), sizes)) {
          // Seen as unsigned, a negative index is beyond every size.
          Value below =
              arith::CmpIOp::create(body, loc, arith::CmpIPredicate::ult,
                                    mapping.lookupOrDefault(index), size);
          inBounds = arith::AndIOp::create(body, loc, inBounds, below);
        }
        linalg::YieldOp::create(body, loc, inBounds);
      });
  return tensor::ExtractOp::create(builder, loc, all.getResult(0),
                                   ValueRange{});
}

bool tally::checkElements(Operation *around, Operation *op,
                          SymbolicShapes &shapes) {
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  auto structured = dyn_cast<linalg::LinalgOp>(around);
  if (!extract || !structured || !structured.hasPureTensorSemantics() ||
      extract->getBlock() != structured.getBlock())
    return false;
  std::optional<SmallVector<Operation *>> slice =
      getSlice(extract->getBlock(), extract.getIndices());
  if (!slice || !llvm::all_of(extract->getOperands(), [&](Value operand) {
        return operand != extract.getTensor() ||
               operand.getParentBlock() != extract->getBlock();
      }))
    return false;
  OpBuilder builder(around);
  Value inBounds = reduceInBounds(builder, structured, extract, *slice);
  MLIRContext *context = builder.getContext();
  auto check = CheckOp::create(builder, extract.getLoc(),
                               ExprAttr::get(context, "in_bounds"),
                               ValueRange{inBounds}, {"in_bounds"});
  check.setMessage("an index is out of bounds");
  check.setRequiredBy(extract->getName().getStringRef());
  extract->setAttr(attr_names::kChecked, builder.getUnitAttr());
  return true;
}
