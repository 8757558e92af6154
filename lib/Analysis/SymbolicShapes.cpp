//===- SymbolicShapes.cpp - Sizes of every value as expressions -----------===//

#include "tally/Analysis/SymbolicShapes.h"

#include "ShapesImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "tally/Symbolic/Proof/Prover.h"

using namespace mlir;
using namespace tally;
using symbolic::DynamicAPInt;
using symbolic::Expr;
using symbolic::Interval;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The numbers of so many bits, seen as signed; one bit is a boolean.
static Interval getSignedRange(unsigned width) {
  if (width == 0)
    return Interval::point(0);
  if (width == 1)
    return Interval::of(0, 1);
  return {DynamicAPInt(APInt::getSignedMinValue(width)),
          DynamicAPInt(APInt::getSignedMaxValue(width))};
}

Interval tally::getTypeRange(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (integer && integer.getWidth() != 64)
    return getSignedRange(integer.getWidth());
  return Interval::of(INT64_MIN, INT64_MAX);
}

ShapedType tally::getRankedType(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type && type.hasRank() ? type : ShapedType();
}

std::optional<int64_t> tally::getConstantInt(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) ||
      !constant.isSignedIntN(64))
    return std::nullopt;
  return constant.getSExtValue();
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

SymbolicShapes::Impl::Impl(SymbolicShapes &shapes, Operation *root,
                           SymbolicShapesOptions options)
    : shapes(shapes), root(root), options(options), facts(context) {}

void SymbolicShapes::Impl::run() {
  table = root->getAttrOfType<SymbolsAttr>(SymbolsAttr::attrName);
  root->walk([&](SymbolOp op) { boundSymbols.push_back(op); });
  using Form = SymbolicShapesOptions::Form;
  named = options.form == Form::Named ||
          (options.form == Form::Auto && table && boundSymbols.empty());
  using Declarations = SymbolicShapesOptions::Declarations;
  if (options.declarations == Declarations::Translate)
    declaredFacts = std::make_unique<symbolic::Facts>(context);
  if (named && table) {
    declareTable();
    findBindings();
  }
  if (!named)
    nameBoundSymbols();
  if (options.declarations == Declarations::Facts)
    addDeclarations(facts);
  else if (declaredFacts)
    addDeclarations(*declaredFacts);
  seedArguments();
  for (Region &region : root->getRegions())
    visitRegion(region);
  isWalked = true;
}

void SymbolicShapes::Impl::clear(Value value) {
  dims.erase(value);
  values.erase(value);
  residues.erase(value);
}

/// What a statement states helps to translate what comes after it in its block
/// (and in regions there): a run in which it does not hold never gets there.
void SymbolicShapes::Impl::visitRegion(Region &region) {
  for (Block &block : region) {
    StatementScope scope(*this);
    ValueNumberTable::ScopeTy valueNumberScope(valueNumbers);
    for (Operation &op : block) {
      visit(&op);
      if (!isa<CheckOp, AssumeOp, AssertOp>(op))
        continue;
      Expr condition = conditions[&op] = readCondition(&op);
      if (condition)
        scope.add(condition);
    }
  }
}

void SymbolicShapes::Impl::visit(Operation *op) {
  visited.insert(op);
  conditions.erase(op);
  forgetAlternatives(op);
  forgetSums(op);
  for (Value result : op->getResults())
    clear(result);
  if (op->getNumRegions() != 0)
    visitRegions(op);
  infer(op);
  if (named)
    applyBindings(op);
}

/// Visits what was created after the analysis, or stands in a place where
/// definitions do not come before uses.
void SymbolicShapes::Impl::visitLate(Operation *op) {
  constexpr unsigned maxDepth = 128;
  if (lateDepth == maxDepth || visited.contains(op))
    return;
  ++lateDepth;
  visit(op);
  --lateDepth;
}

bool SymbolicShapes::Impl::lacksSizes(Operation *op) {
  return llvm::any_of(op->getResults(), [&](Value result) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      return false;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim) && !lookupDim(result, dim))
        return true;
    return false;
  });
}

void SymbolicShapes::Impl::infer(Operation *op) {
  if (auto model = dyn_cast<SymbolicShapeOpInterface>(op))
    model.inferSymbolicShapes(shapes);
  inferFromTwin(op);
  if (!lacksSizes(op))
    return;
  inferCallResults(op);
  inferByTraits(op);
  if (lacksSizes(op))
    inferByReification(op);
}

void SymbolicShapes::Impl::copyShape(Value from, Value to) {
  ShapedType fromType = getRankedType(from), toType = getRankedType(to);
  if (!fromType || !toType || fromType.getRank() != toType.getRank())
    return;
  for (int64_t dim = 0; dim < toType.getRank(); ++dim)
    shapes.setDim(to, dim, shapes.getDim(from, dim));
}

/// What traits say: a result that is tied to an operand has its shape.
void SymbolicShapes::Impl::inferByTraits(Operation *op) {
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op)) {
    if (!destination.hasPureTensorSemantics())
      return;
    for (OpResult result : op->getResults())
      copyShape(destination.getTiedOpOperand(result)->get(), result);
    return;
  }
  if (!op->hasTrait<OpTrait::SameOperandsAndResultShape>() &&
      !op->hasTrait<OpTrait::Elementwise>())
    return;
  auto isTensor = [](Value value) {
    return isa<RankedTensorType>(value.getType());
  };
  auto first = llvm::find_if(op->getOperands(), isTensor);
  if (first == op->operand_end())
    return;
  for (Value result : op->getResults())
    if (isTensor(result))
      copyShape(*first, result);
}

//===----------------------------------------------------------------------===//
// Symbols and facts
//===----------------------------------------------------------------------===//

Expr SymbolicShapes::Impl::lookupDim(Value value, unsigned dim) {
  auto found = dims.find(value);
  return found == dims.end() ? Expr() : found->second[dim];
}

/// The type of the expression that a scalar is.
static symbolic::SymbolType getSymbolType(Type type) {
  if (type.isInteger(1))
    return symbolic::SymbolType::Bool;
  return isa<FloatType>(type) ? symbolic::SymbolType::Float
                              : symbolic::SymbolType::Int;
}

Expr SymbolicShapes::Impl::symbolOf(ShapeKey key) {
  Expr &symbol = symbols[key];
  if (symbol)
    return symbol;
  auto [value, dim] = key;
  Type type = value.getType();
  symbol = dim >= 0 ? context.anonymous("d")
                    : context.anonymous("v", getSymbolType(type));
  origins[symbol] = key;
  Expr result = symbol; // the map may grow below
  if (dim >= 0)
    addRange(result, Interval::of(0, INT64_MAX));
  else if (result.isInt() && isa<IndexType, IntegerType>(type))
    addRange(result, getTypeRange(type));
  return result;
}

void SymbolicShapes::Impl::addRange(Expr symbol, const Interval &range) {
  facts.setRange(symbol, range, symbolic::Provenance::Proven);
  if (declaredFacts)
    translateWith({symbol, range, ""});
}

void SymbolicShapes::Impl::addFact(Expr fact, StringRef source) {
  if (fact.isTrue())
    return;
  facts.add(fact, symbolic::Provenance::Proven, source);
  if (declaredFacts)
    translateWith({fact, std::nullopt, source.str()});
}

void SymbolicShapes::Impl::translateWith(const LastingFact &fact) {
  using symbolic::Provenance;
  if (fact.range)
    declaredFacts->setRange(fact.expr, *fact.range, Provenance::Proven);
  else
    declaredFacts->add(fact.expr, Provenance::Proven, fact.source);
  if (statementScopes != 0)
    lastingFacts.push_back(fact);
}

SymbolicShapes::Impl::StatementScope::StatementScope(Impl &impl)
    : impl(impl), firstLasting(impl.lastingFacts.size()) {
  if (!impl.declaredFacts)
    return;
  scope.emplace(*impl.declaredFacts);
  ++impl.statementScopes;
}

SymbolicShapes::Impl::StatementScope::~StatementScope() {
  if (!scope)
    return;
  scope.reset();
  --impl.statementScopes;
  SmallVector<LastingFact, 0> lasting(
      std::make_move_iterator(impl.lastingFacts.begin() + firstLasting),
      std::make_move_iterator(impl.lastingFacts.end()));
  impl.lastingFacts.truncate(firstLasting);
  for (const LastingFact &fact : lasting)
    impl.translateWith(fact);
}

void SymbolicShapes::Impl::StatementScope::add(Expr condition) {
  if (scope)
    impl.declaredFacts->add(condition);
}

//===----------------------------------------------------------------------===//
// SymbolicShapes: sizes and values
//===----------------------------------------------------------------------===//

SymbolicShapes::SymbolicShapes(Operation *root, SymbolicShapesOptions options)
    : impl(std::make_unique<Impl>(*this, root, options)) {
  impl->run();
}

SymbolicShapes::~SymbolicShapes() = default;

Operation *SymbolicShapes::getRoot() const { return impl->root; }
bool SymbolicShapes::isNamedForm() const { return impl->named; }
symbolic::ExprContext &SymbolicShapes::getContext() { return impl->context; }
symbolic::Facts &SymbolicShapes::getFacts() { return impl->facts; }

Expr SymbolicShapes::getDim(Value tensor, unsigned dim) {
  if (ShapedType type = getRankedType(tensor)) {
    if (dim >= static_cast<unsigned>(type.getRank()))
      return impl->symbolOf({tensor, static_cast<int>(dim)});
    if (!type.isDynamicDim(dim))
      return impl->context.constant(type.getDimSize(dim));
  }
  if (Expr known = impl->lookupDim(tensor, dim))
    return known;
  if (Operation *op = tensor.getDefiningOp();
      op && !impl->visited.contains(op)) {
    impl->visitLate(op);
    if (Expr known = impl->lookupDim(tensor, dim))
      return known;
  }
  return impl->symbolOf({tensor, static_cast<int>(dim)});
}

SmallVector<Expr> SymbolicShapes::getShape(Value tensor) {
  SmallVector<Expr> sizes;
  ShapedType type = getRankedType(tensor);
  for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
    sizes.push_back(getDim(tensor, dim));
  return sizes;
}

Expr SymbolicShapes::getNumElements(Value tensor) {
  return impl->context.product(getShape(tensor));
}

void SymbolicShapes::setDim(Value tensor, unsigned dim, Expr size) {
  ShapedType type = getRankedType(tensor);
  if (!type || dim >= static_cast<unsigned>(type.getRank()) ||
      !type.isDynamicDim(dim) || !size)
    return;
  size = impl->limitLength({tensor, static_cast<int>(dim)}, size);
  SmallVector<Expr, 4> &sizes = impl->dims[tensor];
  sizes.resize(type.getRank());
  sizes[dim] = size;
}

void SymbolicShapes::setShape(Value tensor, ArrayRef<Expr> sizes) {
  for (auto [dim, size] : llvm::enumerate(sizes))
    setDim(tensor, dim, size);
}

Expr SymbolicShapes::getValue(Value scalar) {
  auto found = impl->values.find(scalar);
  if (found != impl->values.end())
    return found->second;
  if (Operation *op = scalar.getDefiningOp();
      op && !impl->visited.contains(op)) {
    impl->visitLate(op);
    found = impl->values.find(scalar);
    if (found != impl->values.end())
      return found->second;
  }
  return impl->symbolOf({scalar, -1});
}

Expr SymbolicShapes::getValue(OpFoldResult foldResult) {
  if (std::optional<int64_t> constant = getConstantIntValue(foldResult))
    return impl->context.constant(*constant);
  return getValue(cast<Value>(foldResult));
}

void SymbolicShapes::setValue(Value scalar, Expr value) {
  if (!value || value.getType() != getSymbolType(scalar.getType()))
    return;
  value = impl->limitLength({scalar, -1}, value);
  impl->values[scalar] = value;
}

void SymbolicShapes::setValueIfFits(Value scalar, Expr value, Expr residue) {
  if (residue && residue != value && fits(residue, scalar.getType())) {
    if (Operation *op = scalar.getDefiningOp();
        op && value.isInt() && fits(value, scalar.getType()))
      impl->agreements[op].push_back(impl->context.eq(value, residue));
    return setValue(scalar, residue);
  }
  bool isValue = fits(value, scalar.getType());
  if (isValue)
    setValue(scalar, value);
  if (residue && !isLong(residue) && !(isValue && residue == value))
    impl->residues[scalar] = residue;
}

Expr SymbolicShapes::getResidue(Value scalar) {
  Expr value = getValue(scalar);
  Expr residue = impl->residues.lookup(scalar);
  return residue ? residue : value;
}

/// The elements of a constant tensor of integers.
static std::optional<SmallVector<Expr>>
getConstantElements(Value tensor, symbolic::ExprContext &context) {
  DenseIntElementsAttr constant;
  if (!matchPattern(tensor, m_Constant(&constant)))
    return std::nullopt;
  SmallVector<Expr> elements;
  for (const APInt &element : constant.getValues<APInt>()) {
    if (!element.isSignedIntN(64))
      return std::nullopt;
    elements.push_back(context.constant(element.getSExtValue()));
  }
  return elements;
}

/// True if the elements of a static shape are worth looking at one by one. The
/// product of all sizes may leave 64 bits.
static bool hasFewElements(RankedTensorType type) {
  constexpr int64_t maxElements = 64;
  int64_t count = 1;
  return llvm::all_of(type.getShape(), [&](int64_t size) {
    return size <= maxElements && (count *= size) <= maxElements;
  });
}

std::optional<SmallVector<Expr>> SymbolicShapes::getElements(Value tensor) {
  if (Expr element = impl->onlyElements.lookup(tensor))
    return SmallVector<Expr>{element};
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !type.hasStaticShape() || !hasFewElements(type) ||
      !type.getElementType().isIntOrIndex() ||
      type.getElementType().isInteger(1))
    return std::nullopt;
  if (auto op = tensor.getDefiningOp<tensor::FromElementsOp>())
    return llvm::map_to_vector(
        op.getElements(), [&](Value element) { return getValue(element); });
  if (auto op = tensor.getDefiningOp<arith::IndexCastOp>()) {
    std::optional<SmallVector<Expr>> elements = getElements(op.getIn());
    auto fitsResult = [&](Expr element) {
      return fits(element, type.getElementType());
    };
    if (elements && llvm::all_of(*elements, fitsResult))
      return elements;
    return std::nullopt;
  }
  return getConstantElements(tensor, impl->context);
}

void SymbolicShapes::update(Operation *op) { impl->visit(op); }

void SymbolicShapes::forget(Operation *op) {
  op->walk([&](Operation *inner) {
    impl->visited.erase(inner);
    impl->order.forget(inner);
    impl->conditions.erase(inner);
    impl->forgetSums(inner);
    impl->varying.erase(inner);
    impl->forgetAlternatives(inner);
    auto forgetValue = [&](Value value) {
      impl->clear(value);
      auto forgetSymbol = [&](int dim) {
        auto found = impl->symbols.find({value, dim});
        if (found == impl->symbols.end())
          return;
        impl->origins.erase(found->second);
        impl->symbols.erase(found);
      };
      forgetSymbol(-1);
      if (ShapedType type = getRankedType(value))
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          forgetSymbol(dim);
    };
    for (Value result : inner->getResults())
      forgetValue(result);
    for (Region &region : inner->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          forgetValue(argument);
  });
}

//===----------------------------------------------------------------------===//
// SymbolicShapes: facts
//===----------------------------------------------------------------------===//

void SymbolicShapes::addDeclarations(symbolic::Facts &facts) {
  impl->addDeclarations(facts);
}

void SymbolicShapes::addProven(Expr fact, StringRef source) {
  if (impl->speculating == 0)
    impl->addFact(fact, source);
}

void SymbolicShapes::addProvenRange(Expr symbol, const Interval &range) {
  if (impl->speculating == 0)
    impl->addRange(symbol, range);
}

/// What a question about arithmetic may take.
symbolic::ProverBudget SymbolicShapes::Impl::getBudget() const {
  symbolic::ProverBudget budget;
  if (!options.thorough)
    budget.strongest = symbolic::Rung::Facts;
  return budget;
}

bool SymbolicShapes::fits(Expr value, Type type) {
  if (!value.isInt() || !isa<IndexType, IntegerType>(type))
    return true;
  Interval limits = getTypeRange(type);
  if (limits.contains(impl->translation().range(value)))
    return true;
  symbolic::Prover prover(impl->translation(), impl->getBudget());
  return prover.isProvenLe(value, impl->context.constant(*limits.getUpper())) &&
         prover.isProvenLe(impl->context.constant(*limits.getLower()), value);
}

bool SymbolicShapes::isKnown(Expr condition) {
  if (condition.isTrue())
    return true;
  return symbolic::Prover(impl->translation(), impl->getBudget())
      .isProven(condition);
}

//===----------------------------------------------------------------------===//
// SymbolicShapes: symbols
//===----------------------------------------------------------------------===//

std::optional<SymbolicShapes::Origin>
SymbolicShapes::getOrigin(Expr symbol) const {
  auto found = impl->origins.find(symbol);
  if (found == impl->origins.end())
    return std::nullopt;
  auto [value, dim] = found->second;
  Origin origin{value, std::nullopt};
  if (dim >= 0)
    origin.dim = dim;
  return origin;
}

Value SymbolicShapes::getSymbolValue(Expr symbol) const {
  return impl->symbolValues.lookup(symbol);
}

Operation *SymbolicShapes::getBindingOp(Expr symbol) const {
  return impl->bindingOps.lookup(symbol);
}

Expr SymbolicShapes::getSymbolOf(Value tensor, unsigned dim) {
  return impl->symbolOf({tensor, static_cast<int>(dim)});
}

Expr SymbolicShapes::getSymbolOf(Value scalar) {
  return impl->symbolOf({scalar, -1});
}

bool SymbolicShapes::isAvailable(Expr expr, Operation *op) {
  if (!impl->dominance)
    impl->dominance = std::make_unique<DominanceInfo>(impl->root);
  for (Expr symbol : impl->context.freeSymbols(expr)) {
    if (Operation *binding = getBindingOp(symbol)) {
      if (!impl->dominance->properlyDominates(binding, op))
        return false;
    } else if (std::optional<Origin> origin = getOrigin(symbol)) {
      if (!impl->dominance->properlyDominates(origin->value, op))
        return false;
    }
  }
  return true;
}

bool SymbolicShapes::isBefore(Operation *a, Operation *b) {
  return impl->order.isBefore(a, b);
}
