//===- Names.cpp - What names mean, and what arguments are ----------------===//

#include "ShapesImpl.h"
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

//===----------------------------------------------------------------------===//
// The named form
//===----------------------------------------------------------------------===//

void SymbolicShapes::Impl::declareTable() {
  for (SymbolDeclAttr declaration : table.getSymbols())
    context.symbol(declaration.getName(), getEngineType(declaration.getType()));
}

void SymbolicShapes::Impl::findBindings() {
  root->walk([&](UnbackedBindingOpInterface op) {
    BindingsAttr bindings = op.getSymbolBindings();
    if (!bindings)
      return;
    for (BindingAttr binding : bindings.getBindings())
      if (Expr symbol = context.lookup(binding.getSymbol()))
        bindingOps.try_emplace(symbol, op);
  });
}

/// An expression is `factor * symbol` or has another form.
static std::optional<std::pair<int64_t, Expr>> getScaledSymbol(Expr expr) {
  if (expr.isSymbol())
    return std::make_pair(int64_t(1), expr);
  if (expr.getKind() != symbolic::ExprKind::Mul ||
      expr.getOperands().size() != 2 || !expr.getOperand(1).isSymbol() ||
      !expr.getOperand(0).isConstant())
    return std::nullopt;
  std::optional<int64_t> factor = expr.getOperand(0).getInt64();
  if (!factor || *factor <= 0)
    return std::nullopt;
  return std::make_pair(*factor, expr.getOperand(1));
}

/// A size is not negative and has a limit; the symbol in it, if it has but one,
/// has a range for that reason. Other sizes become facts.
static void limitSize(SymbolicShapes::Impl &impl, Expr size, int64_t limit) {
  if (std::optional<std::pair<int64_t, Expr>> scaled = getScaledSymbol(size)) {
    impl.addRange(scaled->second, Interval::of(0, limit / scaled->first));
    return;
  }
  if (size.isConstant())
    return;
  impl.addFact(impl.context.ge(size, impl.context.zero()), "");
  impl.addFact(impl.context.le(size, impl.context.constant(limit)), "");
}

void SymbolicShapes::Impl::seedNamedArgument(BlockArgument argument,
                                             ShapeAttr shape) {
  for (auto [dim, size] : llvm::enumerate(shape.getSizes()))
    shapes.setDim(argument, dim, shapes.parse(size));
}

/// A scalar, or the element of a tensor of rank 0, is an expression: a boolean
/// may be the integer 0 or 1, an unsigned integer is what its bits say without
/// a sign, which is not how the program reads it.
void SymbolicShapes::Impl::seedNamedValue(BlockArgument argument, Expr expr,
                                          bool isUnsigned) {
  Type type = getElementTypeOrSelf(argument.getType());
  constexpr unsigned indexWidth = 64;
  isUnsigned &= type.isInteger() && type.getIntOrFloatBitWidth() < indexWidth;
  if (expr.isSymbol() && expr.isInt() && type.isIntOrIndex())
    addRange(expr,
             isUnsigned
                 ? Interval::of(0, llvm::maxUIntN(type.getIntOrFloatBitWidth()))
                 : getTypeRange(type));
  if (expr.isInt() && type.isInteger(1))
    expr = context.eq(expr, context.one());
  else if (isUnsigned)
    return;
  if (isa<RankedTensorType>(argument.getType()))
    onlyElements[argument] = expr;
  else
    shapes.setValue(argument, expr);
}

/// What the entry of a compiled function guarantees: neither a size of an
/// argument nor the product of some of its sizes is above the limit.
void SymbolicShapes::Impl::limitArgument(Value argument) {
  SmallVector<Expr> sizes = shapes.getShape(argument);
  for (Expr size : sizes)
    limitSize(*this, size, kArgumentLimit);
  // All products of up to four sizes, of neighbors only beyond that.
  auto addProduct = [&](ArrayRef<Expr> factors) {
    Expr product = context.product(factors);
    if (!product.isConstant() && !product.isSymbol())
      addFact(context.le(product, context.constant(kArgumentLimit)), "");
  };
  unsigned rank = sizes.size();
  if (rank > 4) {
    for (unsigned first = 0; first < rank; ++first)
      for (unsigned last = first + 2; last <= rank; ++last)
        addProduct(ArrayRef(sizes).slice(first, last - first));
    return;
  }
  for (unsigned set = 0; set < (1u << rank); ++set) {
    SmallVector<Expr> factors;
    for (unsigned dim = 0; dim < rank; ++dim)
      if (set & (1u << dim))
        factors.push_back(sizes[dim]);
    if (factors.size() >= 2)
      addProduct(factors);
  }
}

void SymbolicShapes::Impl::seedArguments() {
  auto function = dyn_cast<FunctionOpInterface>(root);
  if (!function || function.isExternal())
    return;
  auto visibility = dyn_cast<SymbolOpInterface>(root);
  bool isEntry = !visibility || visibility.isPublic();
  for (BlockArgument argument : function.getArguments()) {
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
        limitSize(*this, size, INT64_MAX);
  }
}

void SymbolicShapes::Impl::applyBinding(Value result, BindingAttr binding) {
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
      addRange(symbol, getTypeRange(type));
    if (values.count(result) && symbol.isInt() && type.isIntOrIndex() &&
        !type.isInteger(1))
      shapes.addProven(context.eq(bound, shapes.getValue(result)));
    else
      shapes.setValue(result, bound);
    return;
  }
  case KeyPathKind::Size:
    if (!symbol.isInt())
      return;
    limitSize(*this, bound, INT64_MAX);
    if (Expr known = lookupDim(result, binding.getDim())) {
      // That it is not negative is not for its name to prove.
      if (!facts.range(known).isAtLeast(0))
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

/// Bindings give the sizes that nobody has told a name; of the others the name
/// is another word for the same.
void SymbolicShapes::Impl::applyBindings(Operation *op) {
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

void SymbolicShapes::Impl::nameBoundSymbols() {
  for (SymbolOp op : boundSymbols) {
    ShapeKey key = getNamedKey(op.getSource());
    auto found = symbols.find(key);
    if (found != symbols.end()) {
      symbolValues.try_emplace(found->second, op.getResult());
      continue;
    }
    Type type = op.getSource().getType();
    symbolic::SymbolType symbolType =
        type.isInteger(1)      ? symbolic::SymbolType::Bool
        : isa<FloatType>(type) ? symbolic::SymbolType::Float
                               : symbolic::SymbolType::Int;
    // After inlining, one name may stand for several values.
    Expr symbol = context.lookup(op.getName())
                      ? context.anonymous(op.getName(), symbolType)
                      : context.symbol(op.getName(), symbolType);
    symbols[key] = symbol;
    origins[symbol] = key;
    symbolValues[symbol] = op.getResult();
    if (key.second >= 0)
      addRange(symbol, Interval::of(0, INT64_MAX));
    else if (symbol.isInt())
      addRange(symbol, getTypeRange(key.first.getType()));
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

/// True if everything in the expression comes to be in this block. What is
/// declared of it there then holds in every run that goes on behind the block;
/// of a value from outside, a branch tells nothing.
bool SymbolicShapes::Impl::isBornInBlock(Expr expr, Block *block) {
  return llvm::all_of(context.freeSymbols(expr), [&](Expr symbol) {
    auto found = origins.find(symbol);
    return found != origins.end() &&
           found->second.first.getParentBlock() == block;
  });
}

void SymbolicShapes::Impl::addDeclarations(symbolic::Facts &into) {
  if (named) {
    if (!table)
      return;
    for (SymbolDeclAttr declaration : table.getSymbols()) {
      Expr symbol = context.lookup(declaration.getName());
      if (!symbol || !symbol.isInt())
        continue;
      auto provenance = declaration.getAssumed()
                            ? symbolic::Provenance::Assumed
                            : symbolic::Provenance::Checked;
      Interval range =
          getInterval(declaration.getLower(), declaration.getUpper());
      if (!range.isAll())
        into.setRange(symbol, range, provenance, declaration.getName());
      if (declaration.getDivisor() != 1)
        into.setDivisor(symbol, declaration.getDivisor(), provenance,
                        declaration.getName());
    }
    return;
  }
  for (SymbolOp op : boundSymbols) {
    // Before the walk only the symbols are known, which is enough for most.
    Expr value = isWalked ? shapes.getValue(op.getResult())
                          : symbols.lookup(getNamedKey(op.getSource()));
    if (value && value.isInt() && isBornInBlock(value, op->getBlock()))
      addDeclaration(into, value, op);
  }
}

void SymbolicShapes::Impl::addDeclaration(symbolic::Facts &into, Expr value,
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
