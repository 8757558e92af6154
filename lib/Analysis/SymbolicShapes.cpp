//===- SymbolicShapes.cpp - Sizes of every value as expressions -----------===//

#include "tally/Analysis/SymbolicShapes.h"

#include "ShapesImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "tally/Symbolic/Text/Parser.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;
using symbolic::Interval;

std::optional<int64_t> tally::getConstantInt(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) ||
      !constant.isSignedIntN(64))
    return std::nullopt;
  return constant.getSExtValue();
}

SymbolicShapes::Impl::Impl(SymbolicShapes &shapes, Operation *root,
                           SymbolicShapesOptions options)
    : root(root), options(options), facts(context),
      symbols(root, context, facts), sums(context, symbols, facts),
      joins(shapes, context, symbols, facts),
      declarations(shapes, root, options.form, context, symbols, facts, sizes),
      walk(shapes, context, sizes, symbols, facts, sums, joins, declarations),
      writer(shapes, context, symbols) {}

void SymbolicShapes::Impl::run() {
  using Declarations = SymbolicShapesOptions::Declarations;
  if (options.declarations == Declarations::Translate)
    facts.separateDeclared();
  declarations.declareSymbols();
  if (options.declarations == Declarations::Facts)
    declarations.addTo(facts.getProven(), isWalked);
  else if (symbolic::Facts *declared = facts.getDeclared())
    declarations.addTo(*declared, isWalked);
  declarations.seedArguments();
  for (Region &region : root->getRegions())
    walk.visitRegion(region);
  isWalked = true;
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
bool SymbolicShapes::isNamedForm() const {
  return impl->declarations.isNamedForm();
}
symbolic::ExprContext &SymbolicShapes::getContext() { return impl->context; }
symbolic::Facts &SymbolicShapes::getFacts() { return impl->facts.getProven(); }

Expr SymbolicShapes::getDim(Value tensor, unsigned dim) {
  if (ShapedType type = getRankedType(tensor)) {
    if (dim >= static_cast<unsigned>(type.getRank()))
      return impl->symbols.get({tensor, static_cast<int>(dim)});
    if (!type.isDynamicDim(dim))
      return impl->context.constant(type.getDimSize(dim));
  }
  if (Expr known = impl->sizes.lookupDim(tensor, dim))
    return known;
  if (Operation *op = tensor.getDefiningOp(); op) {
    impl->walk.visitLate(op);
    if (Expr known = impl->sizes.lookupDim(tensor, dim))
      return known;
  }
  return impl->symbols.get({tensor, static_cast<int>(dim)});
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
  size = impl->sums.limitLength({tensor, static_cast<int>(dim)}, size);
  SmallVector<Expr, 4> &sizes = impl->sizes.dims[tensor];
  sizes.resize(type.getRank());
  sizes[dim] = size;
}

void SymbolicShapes::setShape(Value tensor, ArrayRef<Expr> sizes) {
  for (auto [dim, size] : llvm::enumerate(sizes))
    setDim(tensor, dim, size);
}

Expr SymbolicShapes::getValue(Value scalar) {
  auto found = impl->sizes.values.find(scalar);
  if (found != impl->sizes.values.end())
    return found->second;
  if (Operation *op = scalar.getDefiningOp(); op) {
    impl->walk.visitLate(op);
    found = impl->sizes.values.find(scalar);
    if (found != impl->sizes.values.end())
      return found->second;
  }
  return impl->symbols.get({scalar, -1});
}

Expr SymbolicShapes::getValue(OpFoldResult foldResult) {
  if (std::optional<int64_t> constant = getConstantIntValue(foldResult))
    return impl->context.constant(*constant);
  return getValue(cast<Value>(foldResult));
}

void SymbolicShapes::setValue(Value scalar, Expr value) {
  if (!value || value.getType() != getSymbolType(scalar.getType()))
    return;
  value = impl->sums.limitLength({scalar, -1}, value);
  impl->sizes.values[scalar] = value;
}

void SymbolicShapes::setValueIfFits(Value scalar, Expr value, Expr residue) {
  if (residue && residue != value && fits(residue, scalar.getType())) {
    if (Operation *op = scalar.getDefiningOp();
        op && value.isInt() && fits(value, scalar.getType()))
      impl->joins.addAgreement(op, impl->context.eq(value, residue));
    return setValue(scalar, residue);
  }
  bool isValue = fits(value, scalar.getType());
  if (isValue)
    setValue(scalar, value);
  if (residue && !isLong(residue) && !(isValue && residue == value))
    impl->sizes.residues[scalar] = residue;
}

Expr SymbolicShapes::getResidue(Value scalar) {
  Expr value = getValue(scalar);
  Expr residue = impl->sizes.residues.lookup(scalar);
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

/// Returns true if the elements of a static shape are worth looking at one by
/// one. The product of all sizes may leave 64 bits.
static bool hasFewElements(RankedTensorType type) {
  constexpr int64_t maxElements = 64;
  int64_t count = 1;
  return llvm::all_of(type.getShape(), [&](int64_t size) {
    return size <= maxElements && (count *= size) <= maxElements;
  });
}

std::optional<SmallVector<Expr>> SymbolicShapes::getElements(Value tensor) {
  if (Expr element = impl->sizes.onlyElements.lookup(tensor))
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

void SymbolicShapes::update(Operation *op) { impl->walk.visit(op); }

void SymbolicShapes::forget(Operation *op) {
  auto forgetValue = [&](Value value) {
    impl->sizes.forget(value);
    impl->symbols.forget(value);
  };
  op->walk([&](Operation *inner) {
    impl->walk.forget(inner);
    impl->writer.forget(inner);
    impl->sums.forget(inner);
    impl->joins.forget(inner);
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
  impl->declarations.addTo(facts, impl->isWalked);
}

void SymbolicShapes::addProven(Expr fact, StringRef source) {
  if (!impl->walk.isSpeculating())
    impl->facts.add(fact, source);
}

void SymbolicShapes::addProvenRange(Expr symbol, const Interval &range) {
  if (!impl->walk.isSpeculating())
    impl->facts.addRange(symbol, range);
}

/// The budget of a question about arithmetic.
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
  if (limits.contains(impl->facts.getTranslation().range(value)))
    return true;
  symbolic::Prover prover(impl->facts.getTranslation(), impl->getBudget());
  return prover.isProvenLe(value, impl->context.constant(*limits.getUpper())) &&
         prover.isProvenLe(impl->context.constant(*limits.getLower()), value);
}

bool SymbolicShapes::isKnown(Expr condition) {
  if (condition.isTrue())
    return true;
  return symbolic::Prover(impl->facts.getTranslation(), impl->getBudget())
      .isProven(condition);
}

//===----------------------------------------------------------------------===//
// SymbolicShapes: symbols
//===----------------------------------------------------------------------===//

std::optional<SymbolicShapes::Origin>
SymbolicShapes::getOrigin(Expr symbol) const {
  std::optional<ShapeKey> key = impl->symbols.getOrigin(symbol);
  if (!key)
    return std::nullopt;
  auto [value, dim] = *key;
  Origin origin{value, std::nullopt};
  if (dim >= 0)
    origin.dim = dim;
  return origin;
}

Value SymbolicShapes::getSymbolValue(Expr symbol) const {
  return impl->symbols.getReader(symbol);
}

Operation *SymbolicShapes::getBindingOp(Expr symbol) const {
  return impl->symbols.getBindingOp(symbol);
}

Expr SymbolicShapes::getSymbolOf(Value tensor, unsigned dim) {
  return impl->symbols.get({tensor, static_cast<int>(dim)});
}

Expr SymbolicShapes::getSymbolOf(Value scalar) {
  return impl->symbols.get({scalar, -1});
}

Expr SymbolicShapes::getBoundSize(OpResult result, unsigned dim) const {
  auto op = dyn_cast<UnbackedBindingOpInterface>(result.getOwner());
  BindingsAttr bindings = op ? op.getSymbolBindings() : BindingsAttr();
  if (!isNamedForm() || !bindings)
    return {};
  Expr size =
      impl->context.lookup(bindings.lookupSize(result.getResultNumber(), dim));
  return size && size.isInt() ? size : Expr();
}

bool SymbolicShapes::isAvailable(Expr expr, Operation *op) {
  return impl->symbols.isAvailable(expr, op);
}

bool SymbolicShapes::isBefore(Operation *a, Operation *b) {
  return impl->writer.isBefore(a, b);
}

void SymbolicShapes::establishResults(Operation *op) {
  impl->joins.establish(op, getFacts());
  impl->sums.establish(op, getFacts());
}

void SymbolicShapes::establishArguments(Region &region) {
  impl->joins.establish(region, getFacts());
}

//===----------------------------------------------------------------------===//
// SymbolicShapes: statements
//===----------------------------------------------------------------------===//

Expr SymbolicShapes::parse(ExprAttr expr, ArrayRef<StringRef> names,
                           ValueRange values) {
  symbolic::ParseResult parsed = symbolic::parseExpr(
      expr.getText(), impl->context, [&](StringRef name) -> Expr {
        const auto *found = llvm::find(names, name);
        if (found != names.end() &&
            static_cast<size_t>(found - names.begin()) < values.size())
          return getValue(values[found - names.begin()]);
        return isNamedForm() ? impl->context.lookup(name) : Expr();
      });
  return parsed.expr;
}

Expr SymbolicShapes::getCondition(Operation *statement) {
  return impl->walk.getCondition(statement);
}

Value SymbolicShapes::read(OpBuilder &builder, Location loc, Expr symbol) {
  return impl->writer.read(builder, loc, symbol);
}

SymbolicShapes::Statement SymbolicShapes::state(OpBuilder &builder,
                                                Location loc, Expr expr,
                                                Operation *reader) {
  if (reader)
    expr = impl->writer.abbreviate(expr, reader);
  return impl->writer.write(
      builder, loc, impl->context.freeSymbols(expr),
      [&](symbolic::ExprContext &texts, StatementWriter::Rename rename) {
        return texts.import(expr, rename).str();
      });
}

SymbolicShapes::Statement
SymbolicShapes::state(OpBuilder &builder, Location loc,
                      ArrayRef<symbolic::Comparison> comparisons,
                      Operation *reader) {
  auto told = symbolic::mapSides(comparisons, [&](Expr side) {
    return reader ? impl->writer.abbreviate(side, reader) : side;
  });
  return impl->writer.write(
      builder, loc, symbolic::freeSymbols(told, impl->context),
      [&](symbolic::ExprContext &texts, StatementWriter::Rename rename) {
        return symbolic::toString(symbolic::mapSides(
            told, [&](Expr side) { return texts.import(side, rename); }));
      });
}
