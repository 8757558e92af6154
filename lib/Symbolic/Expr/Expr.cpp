//===- Expr.cpp - Expression nodes, order and symbols ---------------------===//
//
// Accessors, the structural order, hash-consing and the table of symbols.
//
//===----------------------------------------------------------------------===//

#include "ContextImpl.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <limits>

using namespace tally::symbolic;
using detail::ExprNode;
using detail::NodeKey;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static constexpr StringRef kRoundingNames[] = {"to_int", "floor", "ceil",
                                               "round"};
static constexpr StringRef kFunctionNames[] = {
    "abs",  "sqrt", "exp",  "log",  "log2", "sin",  "cos",  "tan",
    "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh"};
static constexpr StringRef kBitwiseNames[] = {"bitwise_and", "bitwise_or",
                                              "bitwise_xor"};

template <typename T, size_t size>
static std::optional<T> find(const StringRef (&names)[size], StringRef name) {
  const StringRef *place = llvm::find(names, name);
  if (place == std::end(names))
    return std::nullopt;
  return static_cast<T>(place - names);
}

StringRef tally::symbolic::toString(RoundingMode rounding) {
  return kRoundingNames[static_cast<unsigned>(rounding)];
}
StringRef tally::symbolic::toString(FloatFunction function) {
  return kFunctionNames[static_cast<unsigned>(function)];
}
StringRef tally::symbolic::toString(BitwiseOp op) {
  return kBitwiseNames[static_cast<unsigned>(op)];
}
std::optional<RoundingMode> tally::symbolic::getRounding(StringRef name) {
  return find<RoundingMode>(kRoundingNames, name);
}
std::optional<FloatFunction> tally::symbolic::getFloatFunction(StringRef name) {
  return find<FloatFunction>(kFunctionNames, name);
}
std::optional<BitwiseOp> tally::symbolic::getBitwiseOp(StringRef name) {
  return find<BitwiseOp>(kBitwiseNames, name);
}

StringRef tally::symbolic::toString(EvalError error) {
  switch (error) {
  case EvalError::None:
    return "none";
  case EvalError::DivisionByZero:
    return "division by zero";
  case EvalError::InexactDivision:
    return "inexact division";
  case EvalError::Overflow:
    return "overflow";
  case EvalError::UnboundSymbol:
    return "unbound symbol";
  case EvalError::NotANumber:
    return "not a number";
  case EvalError::NegativeExponent:
    return "negative exponent";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Accessors
//===----------------------------------------------------------------------===//

std::optional<int64_t> Expr::getInt64() const {
  if (!isConstant() || !fitsInt64(getConstant()))
    return std::nullopt;
  return static_cast<int64_t>(getConstant());
}
double Expr::getFloat() const {
  assert(getKind() == ExprKind::FloatConstant && "not a float literal");
  return node->real;
}
StringRef Expr::getName() const {
  assert(isSymbol() && "only symbols have names");
  return {node->name, node->nameLength};
}
bool Expr::isAnonymous() const { return isSymbol() && node->anonymous; }
RoundingMode Expr::getRounding() const {
  assert(getKind() == ExprKind::ToInt && "not a rounding");
  return static_cast<RoundingMode>(node->payload);
}
FloatFunction Expr::getFloatFunction() const {
  assert(getKind() == ExprKind::FloatUnary && "not a float function");
  return static_cast<FloatFunction>(node->payload);
}
BitwiseOp Expr::getBitwiseOp() const {
  assert(getKind() == ExprKind::Bitwise && "not a bitwise operation");
  return static_cast<BitwiseOp>(node->payload);
}
int Expr::getDigits() const {
  assert(getKind() == ExprKind::RoundDecimal && "not a decimal rounding");
  return static_cast<int>(node->payload);
}

//===----------------------------------------------------------------------===//
// Terms and factors
//===----------------------------------------------------------------------===//

/// Returns true for [Constant, monomial].
static bool isScaled(Expr expr) {
  return expr.getKind() == ExprKind::Mul && expr.getOperand(0).isConstant();
}

Term tally::symbolic::getTerm(Expr term, ExprContext &context) {
  assert(term.isInt() && term.getKind() != ExprKind::Add && "not a term");
  if (term.isConstant())
    return {term.getConstant(), context.one()};
  if (isScaled(term))
    return {term.getOperand(0).getConstant(), term.getOperand(1)};
  return {DynamicAPInt(1), term};
}

SmallVector<Term, 4> tally::symbolic::getTerms(Expr expr,
                                               ExprContext &context) {
  SmallVector<Term, 4> terms;
  if (expr.isConstant(0))
    return terms;
  if (expr.getKind() != ExprKind::Add) {
    terms.push_back(getTerm(expr, context));
    return terms;
  }
  terms.reserve(expr.getOperands().size());
  for (Expr operand : expr.getOperands())
    terms.push_back(getTerm(operand, context));
  return terms;
}

DynamicAPInt tally::symbolic::getConstantTerm(Expr expr) {
  if (expr.getKind() == ExprKind::Add)
    expr = expr.getOperands().back();
  return expr.isConstant() ? expr.getConstant() : DynamicAPInt(0);
}

static Factor getFactor(Expr expr) {
  if (expr.getKind() == ExprKind::Pow)
    return {expr.getOperand(0), expr.getExponent()};
  return {expr, 1};
}

SmallVector<Factor, 4> tally::symbolic::getFactors(Expr monomial) {
  SmallVector<Factor, 4> factors;
  if (monomial.isConstant())
    return factors;
  assert(!isScaled(monomial) && "a monomial has no coefficient");
  if (monomial.getKind() != ExprKind::Mul) {
    factors.push_back(getFactor(monomial));
    return factors;
  }
  for (Expr operand : monomial.getOperands())
    factors.push_back(getFactor(operand));
  return factors;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

template <typename T>
static int threeWay(const T &a, const T &b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

/// Orders atoms: symbols by ordinal, then everything else by kind and operands.
static int compareAtoms(Expr a, Expr b) {
  if (a == b)
    return 0;
  if (a.isSymbol() || b.isSymbol()) {
    if (a.isSymbol() && b.isSymbol())
      return threeWay(a.getOrdinal(), b.getOrdinal());
    return a.isSymbol() ? -1 : 1;
  }
  if (int order = threeWay(a.getKind(), b.getKind()))
    return order;
  if (int order = threeWay(a.getNode()->payload, b.getNode()->payload))
    return order;
  if (a.getKind() == ExprKind::FloatConstant)
    return threeWay(llvm::bit_cast<uint64_t>(a.getFloat()),
                    llvm::bit_cast<uint64_t>(b.getFloat()));
  ArrayRef<Expr> left = a.getOperands(), right = b.getOperands();
  for (size_t i = 0, e = std::min(left.size(), right.size()); i != e; ++i)
    if (left[i] != right[i])
      return compare(left[i], right[i]);
  return threeWay(left.size(), right.size());
}

int tally::symbolic::compareMonomials(Expr a, Expr b) {
  if (a == b)
    return 0;
  if (int order = threeWay(b.getNode()->degree, a.getNode()->degree))
    return order;
  auto factorsOf = [](const Expr &expr) -> ArrayRef<Expr> {
    return expr.getKind() == ExprKind::Mul ? expr.getOperands()
                                           : ArrayRef<Expr>(expr);
  };
  ArrayRef<Expr> left = factorsOf(a), right = factorsOf(b);
  for (size_t i = 0, e = std::min(left.size(), right.size()); i != e; ++i) {
    if (left[i] == right[i])
      continue;
    Factor x = getFactor(left[i]), y = getFactor(right[i]);
    if (x.atom != y.atom)
      return compareAtoms(x.atom, y.atom);
    return threeWay(y.power, x.power);
  }
  return threeWay(right.size(), left.size());
}

bool tally::symbolic::isLinearComparison(Expr expr) {
  return expr.isComparison() && isLinear(expr.getOperand(0)) &&
         isLinear(expr.getOperand(1));
}

/// Returns true for what is linear by its kind and operands, sums left out.
static bool isLinearTerm(const ExprNode &node) {
  switch (node.kind) {
  case ExprKind::Constant:
    return true;
  case ExprKind::Symbol:
    return node.type == SymbolType::Int;
  case ExprKind::Mul:
    return node.numOperands == 2 && node.operands[0].isConstant() &&
           node.operands[1].isSymbol();
  default:
    return false;
  }
}

int tally::symbolic::compare(Expr a, Expr b) {
  if (a == b)
    return 0;
  if (int order = threeWay(a.getType(), b.getType()))
    return order;
  if (!a.isInt())
    return compareAtoms(a, b);
  auto termsOf = [](const Expr &expr) -> ArrayRef<Expr> {
    return expr.getKind() == ExprKind::Add ? expr.getOperands()
                                           : ArrayRef<Expr>(expr);
  };
  ArrayRef<Expr> left = termsOf(a), right = termsOf(b);
  for (size_t i = 0, e = std::min(left.size(), right.size()); i != e; ++i) {
    if (left[i] == right[i])
      continue;
    auto [x, p] = viewTerm(left[i]);
    auto [y, q] = viewTerm(right[i]);
    if (x == y)
      return threeWay(*p, *q);
    if (!x || !y) // The constant term comes last.
      return x ? -1 : 1;
    return compareMonomials(x, y);
  }
  return threeWay(left.size(), right.size());
}

//===----------------------------------------------------------------------===//
// Hash-consing
//===----------------------------------------------------------------------===//

/// Spreads a number over all bits.
static uint64_t spread(uint64_t bits) {
  bits *= 0x9E3779B97F4A7C15;
  return bits ^ (bits >> 32);
}

static unsigned hashNode(ExprKind kind, SymbolType type, uint64_t payload) {
  uint64_t tag = static_cast<uint64_t>(kind) << 8 | static_cast<uint64_t>(type);
  return static_cast<unsigned>(spread(payload + (tag << 48)));
}

NodeKey::NodeKey(ExprKind kind, SymbolType type, unsigned payload,
                 ArrayRef<Expr> operands)
    : kind(kind), type(type), payload(payload), operands(operands) {
  // Each position has a multiplier of its own, so that no step waits for the
  // one before it.
  uint64_t code = payload, position = 0x9E3779B97F4A7C15;
  for (Expr operand : operands) {
    auto address = reinterpret_cast<uintptr_t>(operand.getNode());
    code += (address >> 4) * position;
    position += 0xD1B54A32D192ED04;
  }
  hash = hashNode(kind, type, spread(code));
}

NodeKey::NodeKey(const DynamicAPInt &value)
    : kind(ExprKind::Constant), type(SymbolType::Int), value(&value) {
  // Equal numbers may be held in different widths.
  auto bits = static_cast<int64_t>(
      fitsInt64(value) ? value : value % ((int64_t(1) << 61) - 1));
  hash = hashNode(kind, type, bits);
}

NodeKey::NodeKey(double real)
    : kind(ExprKind::FloatConstant), type(SymbolType::Float),
      realBits(llvm::bit_cast<uint64_t>(real)) {
  hash = hashNode(kind, type, realBits);
}

bool NodeKey::matches(const ExprNode &node) const {
  if (node.hash != hash || node.kind != kind || node.type != type ||
      node.payload != payload ||
      ArrayRef<Expr>(node.operands, node.numOperands) != operands)
    return false;
  if (kind == ExprKind::Constant)
    return *node.value == *value;
  if (kind == ExprKind::FloatConstant)
    return llvm::bit_cast<uint64_t>(node.real) == realBits;
  return true;
}

/// Returns true for kinds that may have no value although their operands have
/// one.
static bool isPartialKind(const ExprNode &node) {
  switch (node.kind) {
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
    return !node.operands[1].isConstant() || node.operands[1].isConstant(0);
  case ExprKind::ExactDiv:
  case ExprKind::ToInt:
  case ExprKind::ToFloat:
  case ExprKind::TrueDiv:
  case ExprKind::FloatPow:
  case ExprKind::RoundDecimal:
  case ExprKind::SymbolicPow:
  case ExprKind::Residue:
    return true;
  case ExprKind::FloatUnary:
    return node.payload != static_cast<unsigned>(FloatFunction::Abs);
  case ExprKind::Pow: // Of a literal that is too large to be written out.
    return node.operands[0].isConstant();
  default:
    return false;
  }
}

/// The degree of a monomial, saturating.
static unsigned getDegree(const ExprNode &node) {
  uint64_t degree = 1;
  if (node.kind == ExprKind::Constant) {
    degree = 0;
  } else if (node.kind == ExprKind::Pow) {
    degree = node.payload;
  } else if (node.kind == ExprKind::Mul) {
    degree = 0;
    for (unsigned i = 0; i != node.numOperands; ++i)
      degree += node.operands[i].getNode()->degree;
  }
  return static_cast<unsigned>(std::min<uint64_t>(degree, UINT32_MAX));
}

/// Returns true for the kinds that polynomials are made of.
static bool isPolynomialKind(ExprKind kind) {
  switch (kind) {
  case ExprKind::Symbol:
  case ExprKind::Constant:
  case ExprKind::Add:
  case ExprKind::Mul:
  case ExprKind::Pow:
    return true;
  default:
    return false;
  }
}

/// Larger expressions are not told apart by their sizes.
static constexpr unsigned kMaxCountedNodes = 1 << 30;

void ExprContext::Impl::derive(ExprNode &node) {
  ArrayRef<Expr> operands(node.operands, node.numOperands);
  node.foldable = !isPolynomialKind(node.kind);
  node.choice = node.kind == ExprKind::Select || node.kind == ExprKind::Min ||
                node.kind == ExprKind::Max;
  node.depth = 1;
  node.size = 1;
  node.latestOrdinal = 0;
  node.total = !isPartialKind(node);
  bool allPlain = true, allLinear = true;
  for (Expr operand : operands) {
    const ExprNode *child = operand.getNode();
    node.depth = std::max(node.depth, child->depth + 1);
    node.size = std::min(node.size + child->size, kMaxCountedNodes);
    node.latestOrdinal = std::max(node.latestOrdinal, child->latestOrdinal);
    node.total &= child->total;
    node.foldable |= child->foldable;
    node.choice |= child->choice;
    allPlain &= child->plain;
    allLinear &= child->linear;
  }
  if (node.kind == ExprKind::Symbol)
    node.latestOrdinal = node.payload + 1;
  node.degree = getDegree(node);
  node.isReducible =
      node.kind == ExprKind::FloorDiv || node.kind == ExprKind::ExactDiv;
  if (node.kind == ExprKind::Pow || node.kind == ExprKind::Mul)
    node.isReducible = llvm::any_of(operands, [&](Expr e) {
      return e.getNode()->isReducible ||
             (node.kind == ExprKind::Pow && e.getKind() == ExprKind::Abs);
    });
  bool isSum = node.kind == ExprKind::Add;
  node.plain = isSum ? allPlain : node.total && !node.isReducible;
  node.linear = isSum ? allLinear : isLinearTerm(node);
  node.zeroValued = node.kind == ExprKind::Residue;
  if (node.kind == ExprKind::FloorDiv)
    node.zeroValued = operands[0].isConstant(0);
  else if (node.kind == ExprKind::Select && node.type == SymbolType::Int)
    node.zeroValued = isZeroValued(operands[1]) && isZeroValued(operands[2]);
}

ExprContext::Impl::~Impl() {
  for (DynamicAPInt *value : largeValues)
    value->~DynamicAPInt();
}

ExprNode *ExprContext::Impl::allocateNode(ExprKind kind, SymbolType type,
                                          unsigned payload,
                                          ArrayRef<Expr> operands) {
  static_assert(sizeof(ExprNode) % alignof(Expr) == 0);
  void *memory = allocator.Allocate(
      sizeof(ExprNode) + operands.size() * sizeof(Expr), alignof(ExprNode));
  auto *node = new (memory) ExprNode{};
  node->kind = kind;
  node->type = type;
  node->payload = payload;
  node->numOperands = operands.size();
  auto *copies = reinterpret_cast<Expr *>(node + 1);
  llvm::uninitialized_copy(operands, copies);
  node->operands = copies;
  return node;
}

Expr ExprContext::Impl::get(const NodeKey &key) {
  auto it = nodes.find_as(key);
  if (it != nodes.end())
    return Expr(*it);
  ExprNode *node = allocateNode(key.kind, key.type, key.payload, key.operands);
  node->hash = key.hash;
  if (key.kind == ExprKind::Constant) {
    auto *value =
        new (allocator.Allocate<DynamicAPInt>()) DynamicAPInt(*key.value);
    if (!fitsInt64(*value))
      largeValues.push_back(value);
    node->value = value;
  } else if (key.kind == ExprKind::FloatConstant) {
    node->real = llvm::bit_cast<double>(key.realBits);
  }
  derive(*node);
  nodes.insert(node);
  return Expr(node);
}

Expr tally::symbolic::makeNode(ExprContext &context, ExprKind kind,
                               SymbolType type, ArrayRef<Expr> operands,
                               unsigned payload) {
  return getImpl(context).get(NodeKey(kind, type, payload, operands));
}

Expr tally::symbolic::findNode(ExprContext &context, ExprKind kind,
                               SymbolType type, ArrayRef<Expr> operands) {
  auto &nodes = getImpl(context).nodes;
  auto it = nodes.find_as(NodeKey(kind, type, /*payload=*/0, operands));
  return it == nodes.end() ? Expr() : Expr(*it);
}

//===----------------------------------------------------------------------===//
// ExprContext: symbols and literals
//===----------------------------------------------------------------------===//

ExprContext::ExprContext() : impl(std::make_unique<Impl>()) {
  impl->falseExpr = makeNode(*this, ExprKind::BoolConstant, SymbolType::Bool,
                             {}, /*payload=*/0);
  impl->trueExpr = makeNode(*this, ExprKind::BoolConstant, SymbolType::Bool, {},
                            /*payload=*/1);
}
ExprContext::~ExprContext() = default;

Expr ExprContext::Impl::makeSymbol(StringRef name, SymbolType type,
                                   bool anonymous) {
  ExprNode *node = allocateNode(ExprKind::Symbol, type, symbols.size(), {});
  node->anonymous = anonymous;
  StringRef saved = name.copy(allocator);
  node->name = saved.data();
  node->nameLength = saved.size();
  derive(*node);
  symbols.push_back(Expr(node));
  return symbols.back();
}

Expr ExprContext::symbol(StringRef name, SymbolType type) {
  Expr &slot = impl->names[name];
  if (!slot)
    slot = impl->makeSymbol(name, type, /*anonymous=*/false);
  assert(slot.getType() == type && "the symbol has another type");
  return slot;
}

Expr ExprContext::lookup(StringRef name) const {
  return impl->names.lookup(name);
}

void ExprContext::forgetName(Expr symbol) {
  assert(lookup(symbol.getName()) == symbol && "not the symbol of this name");
  impl->names.erase(symbol.getName());
}

Expr ExprContext::anonymous(StringRef hint, SymbolType type) {
  std::string name = ("%" + hint + llvm::Twine(impl->symbols.size())).str();
  return impl->makeSymbol(name, type, /*anonymous=*/true);
}

ArrayRef<Expr> ExprContext::getSymbols() const { return impl->symbols; }

Expr ExprContext::constant(int64_t value) {
  if (value < -Impl::maxSmall || value > Impl::maxSmall)
    return impl->get(NodeKey(DynamicAPInt(value)));
  Expr &slot = impl->smallValues[value + Impl::maxSmall];
  if (!slot)
    slot = impl->get(NodeKey(DynamicAPInt(value)));
  return slot;
}

Expr ExprContext::constant(const DynamicAPInt &value) {
  if (fitsInt64(value))
    return constant(static_cast<int64_t>(value));
  return impl->get(NodeKey(value));
}

Expr ExprContext::boolean(bool value) {
  return value ? impl->trueExpr : impl->falseExpr;
}

Expr ExprContext::floatConstant(double value) {
  if (std::isnan(value)) // There is one NaN.
    value = std::numeric_limits<double>::quiet_NaN();
  return impl->get(NodeKey(value));
}

size_t ExprContext::getNumNodes() const {
  return impl->nodes.size() + impl->symbols.size();
}
size_t ExprContext::getMemoryUsed() const {
  return impl->allocator.getTotalMemory() + impl->nodes.getMemorySize();
}
