//===- RebindSymbols.cpp - An operation is replaced, its symbols stay -----===//
//
// The replacement has made symbols of its own. Those at a key path that the old
// operation bound get the old name, and what is known of either is kept. A size
// that has become a number takes the place of its symbol.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "tally/IR/Tally.h"
#include "tally/Symbolic/Text/Parser.h"
#include "tally/Transforms/Transforms.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tally;
using symbolic::Expr;
using symbolic::ExprContext;

namespace {
class SymbolRebinder {
public:
  explicit SymbolRebinder(FunctionOpInterface function);

  LogicalResult takeOver(UnbackedBindingOpInterface from,
                         UnbackedBindingOpInterface to);
  void rewriteMentions();

private:
  LogicalResult takeOver(BindingAttr binding);
  LogicalResult settle(BindingAttr binding, int64_t size);
  LogicalResult merge(StringRef name, StringRef newName);
  void express(BindingAttr binding, BindingAttr newBinding);
  void state(Expr condition, bool isAssumed);
  InFlightDiagnostic emitContradiction(StringRef name);

  Expr read(ExprContext &into, ExprAttr expr,
            const llvm::StringMap<Expr> &locals);
  ExprAttr rewrite(ExprAttr expr);
  void rewriteResults();
  template <typename OpT>
  void rewriteStatement(OpT statement);

  FunctionOpInterface function;
  ExprContext context;
  /// The declaration of each symbol, those that are gone included.
  llvm::MapVector<StringRef, SymbolDeclAttr> declarations;
  /// The expressions that take the place of symbols that are gone.
  symbolic::Substitution replacements;
  /// The replacement at hand, and what it will bind.
  UnbackedBindingOpInterface op;
  SmallVector<BindingAttr> bindings;
};
} // namespace

SymbolRebinder::SymbolRebinder(FunctionOpInterface function)
    : function(function) {
  if (SymbolsAttr table = SymbolsAttr::get(function))
    for (SymbolDeclAttr decl : table.getSymbols()) {
      declarations[decl.getName()] = decl;
      context.symbol(decl.getName(), getEngineType(decl.getType()));
    }
}

//===----------------------------------------------------------------------===//
// Key paths
//===----------------------------------------------------------------------===//

/// Returns true if the key path of a binding still leads somewhere.
static bool hasKeyPath(Operation *op, BindingAttr binding) {
  if (binding.getResult() >= op->getNumResults())
    return false;
  Type type = op->getResult(binding.getResult()).getType();
  if (binding.getKind() == KeyPathKind::Value)
    return type.isIntOrIndexOrFloat();
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && (binding.getKind() == KeyPathKind::StorageOffset ||
                    binding.getDim() < tensor.getRank());
}

/// The number that the symbol of a binding is a factor of, where types tell it.
static std::optional<int64_t> getKnownValue(Operation *op,
                                            BindingAttr binding) {
  if (binding.getKind() != KeyPathKind::Size)
    return std::nullopt;
  auto type =
      cast<RankedTensorType>(op->getResult(binding.getResult()).getType());
  if (type.isDynamicDim(binding.getDim()))
    return std::nullopt;
  return type.getDimSize(binding.getDim());
}

LogicalResult SymbolRebinder::takeOver(UnbackedBindingOpInterface from,
                                       UnbackedBindingOpInterface to) {
  op = to;
  bindings.clear();
  if (BindingsAttr own = to.getSymbolBindings())
    llvm::append_range(bindings, own.getBindings());
  BindingsAttr old = from.getSymbolBindings();
  if (!old)
    return success();
  for (BindingAttr binding : old.getBindings())
    if (failed(takeOver(binding)))
      return failure();
  SmallVector<BindingAttr> own(bindings);
  for (BindingAttr binding : own) {
    std::optional<int64_t> known;
    if (hasKeyPath(op, binding))
      known = getKnownValue(op, binding);
    if (known && failed(settle(binding, *known)))
      return failure();
  }
  from.setSymbolBindings({});
  to.setSymbolBindings(bindings.empty()
                           ? BindingsAttr()
                           : BindingsAttr::get(to->getContext(), bindings));
  return success();
}

LogicalResult SymbolRebinder::takeOver(BindingAttr binding) {
  if (!hasKeyPath(op, binding)) {
    InFlightDiagnostic diagnostic =
        op->emitOpError() << "has no 'result(" << binding.getResult() << ")";
    if (binding.getKind() != KeyPathKind::Value)
      diagnostic << "." << stringifyKeyPathKind(binding.getKind());
    if (binding.getKind() == KeyPathKind::Size ||
        binding.getKind() == KeyPathKind::Stride)
      diagnostic << "(" << binding.getDim() << ")";
    return diagnostic << "' to read symbol '" << binding.getSymbol()
                      << "' from, as the operation before it has";
  }
  auto *own = llvm::find_if(bindings, [&](BindingAttr other) {
    return other.getResult() == binding.getResult() &&
           other.getKind() == binding.getKind() &&
           other.getDim() == binding.getDim();
  });
  if (std::optional<int64_t> known = getKnownValue(op, binding))
    return settle(binding, *known);
  if (own == bindings.end()) {
    bindings.push_back(binding);
    return success();
  }
  BindingAttr newBinding = *own;
  *own = binding;
  if (newBinding.getSymbol() == binding.getSymbol())
    return success();
  if (newBinding.getDivisor() == binding.getDivisor())
    return merge(binding.getSymbol(), newBinding.getSymbol());
  express(binding, newBinding);
  return success();
}

//===----------------------------------------------------------------------===//
// Facts about either
//===----------------------------------------------------------------------===//

/// Starts to say that nothing can be the value of a symbol.
InFlightDiagnostic SymbolRebinder::emitContradiction(StringRef name) {
  return op->emitOpError() << "contradicts what is known of symbol '" << name
                           << "': ";
}

/// `[0, 16] % 4`, as in the table.
static std::string describeFacts(SymbolDeclAttr decl) {
  std::string text = "[";
  text += decl.getLower() ? std::to_string(*decl.getLower()) : "-inf";
  text += ", ";
  text += decl.getUpper() ? std::to_string(*decl.getUpper()) : "inf";
  text += "]";
  if (decl.getDivisor() != 1)
    text += " % " + std::to_string(decl.getDivisor());
  return text;
}

/// Returns true if some integer is in the range and a multiple of the divisor.
static bool hasValue(std::optional<int64_t> lower, std::optional<int64_t> upper,
                     int64_t divisor) {
  if (!lower || !upper)
    return true;
  return *lower <= *upper && llvm::divideFloorSigned(*upper, divisor) >=
                                 llvm::divideCeilSigned(*lower, divisor);
}

/// The tighter of two bounds.
static std::optional<int64_t> getMax(std::optional<int64_t> a,
                                     std::optional<int64_t> b) {
  return a && b ? std::max(*a, *b) : a ? a : b;
}
static std::optional<int64_t> getMin(std::optional<int64_t> a,
                                     std::optional<int64_t> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

/// The symbol is a number from now on: the size that it was read from is known.
LogicalResult SymbolRebinder::settle(BindingAttr binding, int64_t size) {
  StringRef name = binding.getSymbol();
  int64_t divisor = binding.getDivisor();
  if (size % divisor != 0)
    return emitContradiction(name)
           << "the size " << size << " is no multiple of " << divisor;
  SymbolDeclAttr decl = declarations.lookup(name);
  int64_t value = size / divisor;
  if ((decl.getLower() && value < *decl.getLower()) ||
      (decl.getUpper() && value > *decl.getUpper()) ||
      value % decl.getDivisor() != 0)
    return emitContradiction(name)
           << "it is " << value << " now, which is not in "
           << describeFacts(decl);
  replacements[context.lookup(name)] = context.constant(value);
  llvm::erase_if(bindings,
                 [&](BindingAttr other) { return other.getSymbol() == name; });
  return success();
}

/// The new name goes, and what is declared of it is declared of the old one.
LogicalResult SymbolRebinder::merge(StringRef name, StringRef newName) {
  SymbolDeclAttr old = declarations.lookup(name),
                 added = declarations.lookup(newName);
  if (old.getType() != added.getType())
    return emitContradiction(name)
           << "it is of type " << stringifySymbolType(old.getType())
           << ", and '" << newName << "' of type "
           << stringifySymbolType(added.getType());
  auto lower = getMax(old.getLower(), added.getLower());
  auto upper = getMin(old.getUpper(), added.getUpper());
  int64_t divisor = 1;
  if (llvm::MulOverflow(old.getDivisor() /
                            std::gcd(old.getDivisor(), added.getDivisor()),
                        added.getDivisor(), divisor)) {
    // Only 0 is a multiple of a number of more than 64 bits.
    divisor = 1;
    lower = getMax(lower, 0);
    upper = getMin(upper, 0);
  }
  if (!hasValue(lower, upper, divisor))
    return emitContradiction(name) << "no value is in " << describeFacts(old)
                                   << " and in " << describeFacts(added);
  auto hasFacts = [](SymbolDeclAttr decl) {
    return decl.getLower() || decl.getUpper() || decl.getDivisor() != 1;
  };
  bool assumed = (old.getAssumed() || !hasFacts(old)) &&
                 (added.getAssumed() || !hasFacts(added)) &&
                 (old.getAssumed() || added.getAssumed());
  declarations[old.getName()] = SymbolDeclAttr::get(
      function.getContext(), old.getName(), old.getUnbacked(), old.getType(),
      lower, upper, divisor, old.getHint() ? old.getHint() : added.getHint(),
      old.getSource().empty() ? added.getSource() : old.getSource(), assumed);
  replacements[context.lookup(newName)] = context.lookup(name);
  return success();
}

/// States something right after the replacement.
void SymbolRebinder::state(Expr condition, bool isAssumed) {
  if (condition.isTrue())
    return;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto expr = ExprAttr::get(op->getContext(), condition.str());
  if (isAssumed)
    AssumeOp::create(builder, op->getLoc(), expr);
  else
    CheckOp::create(builder, op->getLoc(), expr);
}

/// The operations divide the same value by different numbers: the new symbol is
/// an expression of the old one.
void SymbolRebinder::express(BindingAttr binding, BindingAttr newBinding) {
  Expr value = context.mul(context.constant(binding.getDivisor()),
                           context.lookup(binding.getSymbol()));
  Expr divisor = context.constant(newBinding.getDivisor());
  Expr symbol = context.lookup(newBinding.getSymbol());
  Expr quotient = context.floorDiv(value, divisor);
  SymbolDeclAttr decl = declarations.lookup(newBinding.getSymbol());
  if (decl.getDivisor() != 1)
    state(context.eq(context.mod(quotient, context.constant(decl.getDivisor())),
                     context.zero()),
          decl.getAssumed());
  if (decl.getUpper())
    state(context.le(quotient, context.constant(*decl.getUpper())),
          decl.getAssumed());
  if (decl.getLower())
    state(context.ge(quotient, context.constant(*decl.getLower())),
          decl.getAssumed());
  state(context.eq(context.mod(value, divisor), context.zero()),
        /*isAssumed=*/false);
  replacements[symbol] = quotient;
}

//===----------------------------------------------------------------------===//
// Mentions
//===----------------------------------------------------------------------===//

/// Reads an expression with the replacements in the place of what is gone.
Expr SymbolRebinder::read(ExprContext &into, ExprAttr expr,
                          const llvm::StringMap<Expr> &locals) {
  auto import = [&](Expr symbol) {
    return into.symbol(symbol.getName(), symbol.getType());
  };
  symbolic::ParseResult parsed =
      symbolic::parseExpr(expr.getText(), into, [&](StringRef name) -> Expr {
        if (Expr local = locals.lookup(name))
          return local;
        Expr symbol = context.lookup(name);
        Expr replacement = replacements.lookup(symbol);
        return into.import(replacement ? replacement : symbol, import);
      });
  assert(parsed && "the verifier has read it");
  return parsed.expr;
}

ExprAttr SymbolRebinder::rewrite(ExprAttr expr) {
  ExprContext into;
  return ExprAttr::get(expr.getContext(), read(into, expr, {}).str());
}

static symbolic::SymbolType getValueType(Value value) {
  if (value.getType().isInteger(1))
    return symbolic::SymbolType::Bool;
  return isa<FloatType>(value.getType()) ? symbolic::SymbolType::Float
                                         : symbolic::SymbolType::Int;
}

/// A name that the statement gives to a value of its own may be one that has
/// come into its expression: it gets another.
template <typename OpT>
void SymbolRebinder::rewriteStatement(OpT statement) {
  ExprContext into;
  llvm::StringMap<Expr> locals;
  SmallVector<StringRef> names;
  for (auto [name, value] :
       llvm::zip(statement.getNames().template getAsValueRange<StringAttr>(),
                 statement.getValues())) {
    std::string unique = name.str();
    for (unsigned i = 0; context.lookup(unique) || into.lookup(unique); ++i)
      unique = (name + "_" + Twine(i)).str();
    Expr local = into.symbol(unique, getValueType(value));
    locals[name] = local;
    names.push_back(local.getName());
  }
  Expr condition = read(into, statement.getCondition(), locals);
  statement.setConditionAttr(
      ExprAttr::get(statement.getContext(), condition.str()));
  statement.setNamesAttr(
      OpBuilder(statement.getContext()).getStrArrayAttr(names));
}

void SymbolRebinder::rewriteResults() {
  for (unsigned i = 0, e = function.getNumResults(); i != e; ++i) {
    auto shape = function.getResultAttrOfType<ShapeAttr>(i, attr_names::kShape);
    if (!shape)
      continue;
    SmallVector<ExprAttr> sizes = llvm::map_to_vector(
        shape.getSizes(), [&](ExprAttr size) { return rewrite(size); });
    function.setResultAttr(i, attr_names::kShape,
                           ShapeAttr::get(function.getContext(), sizes));
  }
}

void SymbolRebinder::rewriteMentions() {
  function.walk([&](Operation *user) {
    bool mentionsGone =
        llvm::any_of(getMentionedNames(user), [&](const std::string &name) {
          return replacements.contains(context.lookup(name));
        });
    if (!mentionsGone)
      return;
    if (auto size = dyn_cast<SizeOp>(user))
      size.setExprAttr(rewrite(size.getExpr()));
    else if (auto check = dyn_cast<CheckOp>(user))
      rewriteStatement(check);
    else
      rewriteStatement(cast<AssumeOp>(user));
  });
  rewriteResults();
  SmallVector<SymbolDeclAttr> table;
  for (auto [name, decl] : declarations)
    if (!replacements.contains(context.lookup(name)))
      table.push_back(decl);
  function->setAttr(SymbolsAttr::attrName,
                    SymbolsAttr::get(function.getContext(), table));
}

LogicalResult tally::rebindSymbols(
    FunctionOpInterface function,
    ArrayRef<std::pair<UnbackedBindingOpInterface, UnbackedBindingOpInterface>>
        replaced) {
  SymbolRebinder rebinder(function);
  for (auto [from, to] : replaced)
    if (failed(rebinder.takeOver(from, to)))
      return failure();
  rebinder.rewriteMentions();
  return success();
}
