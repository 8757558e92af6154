//===- Declarations.cpp - What a program says of its symbols --------------===//

#include "Declarations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tally;
using symbolic::DynamicAPInt;
using symbolic::Expr;
using symbolic::Interval;

Declarations::Declarations(SymbolicShapes &shapes, Operation *root,
                           SymbolicShapesOptions::Form form,
                           symbolic::ExprContext &context,
                           ValueSymbols &symbols, ShapeFacts &facts,
                           ShapeTable &sizes)
    : shapes(shapes), root(root), context(context), symbols(symbols),
      facts(facts), sizes(sizes),
      table(root->getAttrOfType<SymbolsAttr>(SymbolsAttr::attrName)) {
  root->walk([&](SymbolOp op) { boundSymbols.push_back(op); });
  using Form = SymbolicShapesOptions::Form;
  named = form == Form::Named ||
          (form == Form::Auto && table && boundSymbols.empty());
}

void Declarations::declareSymbols() {
  if (!named)
    return nameBoundSymbols();
  if (!table)
    return;
  for (SymbolDeclAttr declaration : table.getSymbols())
    context.symbol(declaration.getName(), getEngineType(declaration.getType()));
  findBindings();
}

//===----------------------------------------------------------------------===//
// The named form
//===----------------------------------------------------------------------===//

void Declarations::findBindings() {
  root->walk([&](UnbackedBindingOpInterface op) {
    BindingsAttr bindings = op.getSymbolBindings();
    if (!bindings)
      return;
    for (BindingAttr binding : bindings.getBindings())
      if (Expr symbol = context.lookup(binding.getSymbol()))
        symbols.setBindingOp(symbol, op);
  });
}

/// An expression is `factor * symbol` or has another form.
static std::optional<std::pair<int64_t, Expr>> getScaledSymbol(Expr expr) {
  if (expr.isSymbol())
    return std::make_pair(int64_t(1), expr);
  if (expr.getKind() != symbolic::ExprKind::Mul ||
      !expr.getOperand(0).isConstant() || !expr.getOperand(1).isSymbol())
    return std::nullopt;
  std::optional<int64_t> factor = expr.getOperand(0).getInt64();
  if (!factor || *factor <= 0)
    return std::nullopt;
  return std::make_pair(*factor, expr.getOperand(1));
}

/// A size is not negative and has a limit; the symbol in it, if it has but one,
/// has a range for that reason. Other sizes become facts.
void Declarations::limitSize(Expr size, int64_t limit) {
  if (std::optional<std::pair<int64_t, Expr>> scaled = getScaledSymbol(size)) {
    facts.addRange(scaled->second, Interval::of(0, limit / scaled->first));
    return;
  }
  if (size.isConstant())
    return;
  facts.add(context.ge(size, context.zero()), "");
  facts.add(context.le(size, context.constant(limit)), "");
}

void Declarations::seedNamedArgument(BlockArgument argument, ShapeAttr shape) {
  for (auto [dim, size] : llvm::enumerate(shape.getSizes()))
    shapes.setDim(argument, dim, shapes.parse(size));
}

/// A scalar, or the element of a tensor of rank 0, is an expression: a boolean
/// may be the integer 0 or 1, an unsigned integer is what its bits say without
/// a sign, which is not how the program reads it.
void Declarations::seedNamedValue(BlockArgument argument, Expr expr,
                                  bool isUnsigned) {
  Type type = getElementTypeOrSelf(argument.getType());
  constexpr unsigned indexWidth = 64;
  isUnsigned &= type.isInteger() && type.getIntOrFloatBitWidth() < indexWidth;
  if (expr.isSymbol() && expr.isInt() && type.isIntOrIndex())
    facts.addRange(
        expr, isUnsigned ? Interval::of(
                               0, llvm::maxUIntN(type.getIntOrFloatBitWidth()))
                         : getTypeRange(type));
  if (expr.isInt() && type.isInteger(1))
    expr = context.eq(expr, context.one());
  else if (isUnsigned)
    return;
  if (isa<RankedTensorType>(argument.getType()))
    sizes.onlyElements[argument] = expr;
  else
    shapes.setValue(argument, expr);
}

/// States what the entry of a compiled function guarantees: neither a size of
/// an argument nor the product of some of its sizes is above the limit.
void Declarations::limitArgument(Value argument) {
  SmallVector<Expr> shape = shapes.getShape(argument);
  for (Expr size : shape)
    limitSize(size, kArgumentLimit);
  // All products of up to four sizes, of neighbors only beyond that.
  auto addProduct = [&](ArrayRef<Expr> factors) {
    Expr product = context.product(factors);
    if (!product.isConstant() && !product.isSymbol())
      facts.add(context.le(product, context.constant(kArgumentLimit)), "");
  };
  unsigned rank = shape.size();
  if (rank > 4) {
    for (unsigned first = 0; first < rank; ++first)
      for (unsigned last = first + 2; last <= rank; ++last)
        addProduct(ArrayRef(shape).slice(first, last - first));
    return;
  }
  for (unsigned set = 0; set < (1u << rank); ++set) {
    SmallVector<Expr> factors;
    for (unsigned dim = 0; dim < rank; ++dim)
      if (set & (1u << dim))
        factors.push_back(shape[dim]);
    if (factors.size() >= 2)
      addProduct(factors);
  }
}

void Declarations::seedArguments() {
  auto function = dyn_cast<FunctionOpInterface>(root);
  if (!function || function.isExternal())
    return;
  auto visibility = dyn_cast<SymbolOpInterface>(root);
  bool isEntry = !visibility || visibility.isPublic();
  // Blocks of a kernel have its shared and private memory as arguments, too.
  for (BlockArgument argument :
       function.getArguments().take_front(function.getNumArguments())) {
    unsigned index = argument.getArgNumber();
    if (named) {
      if (auto shape =
              function.getArgAttrOfType<ShapeAttr>(index, attr_names::kShape))
        seedNamedArgument(argument, shape);
      if (auto value =
              function.getArgAttrOfType<ExprAttr>(index, attr_names::kValue))
        if (Expr expr = shapes.parse(value))
          seedNamedValue(argument, expr,
                         function.getArgAttr(index, attr_names::kUnsigned) !=
                             nullptr);
    }
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    if (isEntry)
      limitArgument(argument);
    else
      for (Expr size : shapes.getShape(argument))
        limitSize(size, INT64_MAX);
  }
}

void Declarations::applyBinding(Value result, BindingAttr binding) {
  Expr symbol = context.lookup(binding.getSymbol());
  if (!symbol || !result)
    return;
  Expr bound = symbol;
  if (binding.getDivisor() > 1 && symbol.isInt())
    bound = context.scale(DynamicAPInt(binding.getDivisor()), symbol);
  switch (binding.getKind()) {
  case KeyPathKind::Value: {
    Type type = result.getType();
    if (type.isInteger(1) && symbol.isInt())
      bound = context.eq(bound, context.one());
    else if (symbol.isInt() && type.isIntOrIndex() && bound == symbol)
      facts.addRange(symbol, getTypeRange(type));
    if (sizes.values.count(result) && symbol.isInt() && type.isIntOrIndex() &&
        !type.isInteger(1))
      shapes.addProven(context.eq(bound, shapes.getValue(result)));
    else
      shapes.setValue(result, bound);
    return;
  }
  case KeyPathKind::Size:
    if (!symbol.isInt())
      return;
    limitSize(bound, INT64_MAX);
    if (Expr known = sizes.lookupDim(result, binding.getDim())) {
      // That it is not negative is not for its name to prove.
      if (!facts.getProven().range(known).isAtLeast(0))
        known = context.max(known, context.zero());
      shapes.addProven(context.eq(bound, known));
    } else {
      shapes.setDim(result, binding.getDim(), bound);
    }
    return;
  case KeyPathKind::Stride:
  case KeyPathKind::StorageOffset:
    return; // says nothing about sizes
  }
}

void Declarations::applyBindings(Operation *op) {
  auto binder = dyn_cast<UnbackedBindingOpInterface>(op);
  BindingsAttr bindings = binder ? binder.getSymbolBindings() : BindingsAttr();
  if (!bindings)
    return;
  for (BindingAttr binding : bindings.getBindings())
    if (binding.getResult() < op->getNumResults())
      applyBinding(op->getResult(binding.getResult()), binding);
}

//===----------------------------------------------------------------------===//
// The bound form
//===----------------------------------------------------------------------===//

/// Follows a value to where it is made, through ops that return it as it is.
static Value skipIdentities(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto symbol = dyn_cast<SymbolOp>(op)) {
      value = symbol.getSource();
    } else if (auto hold = dyn_cast<SpeculationBarrierOp>(op)) {
      value = hold.getSource();
    } else if (auto assertion = dyn_cast<AssertOp>(op)) {
      value = assertion.getGuarded()[cast<OpResult>(value).getResultNumber()];
    } else if (auto extension = dyn_cast<arith::ExtFOp>(op);
               extension && extension.getType().isF64()) {
      value = extension.getIn();
    } else if (auto cast = dyn_cast<arith::IndexCastOp>(op);
               cast &&
               getTypeRange(cast.getType())
                   .contains(getTypeRange(cast.getIn().getType())) &&
               !cast.getIn().getType().isInteger(1) &&
               cast.getIn().getType().isIntOrIndex()) {
      value = cast.getIn();
    } else {
      break;
    }
  }
  return value;
}

/// The value that a `tally.symbol` names, as a key.
static ShapeKey getNamedKey(Value source) {
  Value value = skipIdentities(source);
  auto dim = value.getDefiningOp<tensor::DimOp>();
  if (!dim)
    return {value, -1};
  std::optional<int64_t> index = dim.getConstantIndex();
  ShapedType type = getRankedType(dim.getSource());
  if (!index || !type || *index < 0 || *index >= type.getRank())
    return {value, -1};
  return {dim.getSource(), static_cast<int>(*index)};
}

void Declarations::nameBoundSymbols() {
  for (SymbolOp op : boundSymbols) {
    ShapeKey key = getNamedKey(op.getSource());
    if (Expr known = symbols.lookup(key)) {
      symbols.addReader(known, op.getResult());
      continue;
    }
    symbolic::SymbolType type = getSymbolType(op.getSource().getType());
    // After inlining, one name may stand for several values.
    Expr symbol = context.lookup(op.getName())
                      ? context.anonymous(op.getName(), type)
                      : context.symbol(op.getName(), type);
    symbols.name(key, symbol, op.getResult());
  }
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

/// The range of two optional bounds.
static Interval getInterval(std::optional<int64_t> lower,
                            std::optional<int64_t> upper) {
  symbolic::Bound low, high;
  if (lower)
    low = DynamicAPInt(*lower);
  if (upper)
    high = DynamicAPInt(*upper);
  return {low, high};
}

void Declarations::addTable(symbolic::Facts &into) {
  for (SymbolDeclAttr declaration : table.getSymbols()) {
    Expr symbol = context.lookup(declaration.getName());
    if (!symbol || !symbol.isInt())
      continue;
    auto provenance = declaration.getAssumed() ? symbolic::Provenance::Assumed
                                               : symbolic::Provenance::Checked;
    Interval range =
        getInterval(declaration.getLower(), declaration.getUpper());
    if (!range.isAll())
      into.setRange(symbol, range, provenance, declaration.getName());
    if (declaration.getDivisor() != 1)
      into.setDivisor(symbol, declaration.getDivisor(), provenance,
                      declaration.getName());
  }
}

void Declarations::addTo(symbolic::Facts &into, bool isWalked) {
  if (named) {
    if (table)
      addTable(into);
    return;
  }
  for (SymbolOp op : boundSymbols) {
    Expr value = isWalked ? shapes.getValue(op.getResult())
                          : symbols.lookup(getNamedKey(op.getSource()));
    if (value && value.isInt() &&
        symbols.isDefinedInBlock(value, op->getBlock()))
      addDeclaration(into, value, op);
  }
}

void Declarations::addDeclaration(symbolic::Facts &into, Expr value,
                                  SymbolOp op) {
  auto provenance = symbolic::Provenance::Checked;
  Interval range = getInterval(op.getLower(), op.getUpper());
  if (value.isSymbol()) {
    if (!range.isAll())
      into.setRange(value, range, provenance, op.getName());
    if (op.getDivisor() != 1)
      into.setDivisor(value, op.getDivisor(), provenance, op.getName());
    return;
  }
  if (range.getLower())
    into.add(context.ge(value, context.constant(*range.getLower())), provenance,
             op.getName());
  if (range.getUpper())
    into.add(context.le(value, context.constant(*range.getUpper())), provenance,
             op.getName());
  if (op.getDivisor() != 1)
    into.add(context.eq(context.mod(value, context.constant(op.getDivisor())),
                        context.zero()),
             provenance, op.getName());
}
