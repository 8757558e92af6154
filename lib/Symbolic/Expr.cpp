//===- Expr.cpp - Expression nodes, order and symbols ---------------------===//
//
// Accessors, the structural order, hash-consing and the table of symbols.
//
//===----------------------------------------------------------------------===//

#include "ContextImpl.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <cstring>

using namespace tally::symbolic;
using detail::ExprNode;
using detail::NodeKey;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Accessors
//===----------------------------------------------------------------------===//

ExprKind Expr::getKind() const { return node->kind; }
SymbolType Expr::getType() const { return node->type; }
ArrayRef<Expr> Expr::getOperands() const {
  return {node->operands, node->numOperands};
}

const DynamicAPInt &Expr::getConstant() const {
  assert(isConstant() && "not an integer literal");
  return *node->value;
}

bool Expr::isConstant(int64_t value) const {
  return isConstant() && getConstant() == value;
}

std::optional<int64_t> Expr::getInt64() const {
  if (!isConstant() || getConstant() < INT64_MIN || getConstant() > INT64_MAX)
    return std::nullopt;
  return static_cast<int64_t>(getConstant());
}

bool Expr::isTrue() const {
  return getKind() == ExprKind::BoolConstant && node->payload;
}
bool Expr::isFalse() const {
  return getKind() == ExprKind::BoolConstant && !node->payload;
}
double Expr::getFloat() const {
  assert(getKind() == ExprKind::FloatConstant && "not a float literal");
  return node->real;
}

StringRef Expr::getName() const {
  assert(isSymbol() && "only symbols have names");
  return {node->name, node->nameLength};
}
unsigned Expr::getBirth() const {
  assert(isSymbol() && "only symbols are born");
  return node->payload;
}
bool Expr::isAnonymous() const { return isSymbol() && node->anonymous; }
unsigned Expr::getExponent() const {
  assert(getKind() == ExprKind::Pow && "not a power");
  return node->payload;
}
bool Expr::isTotal() const { return node->total; }
unsigned Expr::getDepth() const { return node->depth; }
unsigned Expr::getLatestBirth() const { return node->latestBirth; }

//===----------------------------------------------------------------------===//
// Terms and factors
//===----------------------------------------------------------------------===//

/// True for [Constant, monomial].
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

/// Orders atoms: symbols by birth, then everything else by kind and operands.
static int compareAtoms(Expr a, Expr b) {
  if (a == b)
    return 0;
  if (a.isSymbol() || b.isSymbol()) {
    if (a.isSymbol() && b.isSymbol())
      return threeWay(a.getBirth(), b.getBirth());
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

/// Splits a term without needing the literal 1: a null monomial stands for it.
static std::pair<Expr, const DynamicAPInt *> splitTerm(Expr term) {
  static const DynamicAPInt unit(1);
  if (term.isConstant())
    return {Expr(), &term.getConstant()};
  if (isScaled(term))
    return {term.getOperand(1), &term.getOperand(0).getConstant()};
  return {term, &unit};
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
    auto [x, p] = splitTerm(left[i]);
    auto [y, q] = splitTerm(right[i]);
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

unsigned NodeKey::hash() const {
  llvm::hash_code code =
      llvm::hash_combine(static_cast<unsigned>(kind),
                         static_cast<unsigned>(type), payload, realBits);
  const auto *bytes = reinterpret_cast<const char *>(operands.data());
  code = llvm::hash_combine(
      code,
      llvm::hash_combine_range(bytes, bytes + operands.size() * sizeof(Expr)));
  // Equal numbers may be held in different widths.
  if (value)
    code = llvm::hash_combine(
        code, static_cast<int64_t>(*value % ((int64_t(1) << 61) - 1)));
  return static_cast<unsigned>(static_cast<size_t>(code));
}

bool NodeKey::matches(const ExprNode &node) const {
  if (node.kind != kind || node.type != type || node.payload != payload ||
      ArrayRef<Expr>(node.operands, node.numOperands) != operands)
    return false;
  if (kind == ExprKind::Constant)
    return *node.value == *value;
  if (kind == ExprKind::FloatConstant)
    return llvm::bit_cast<uint64_t>(node.real) == realBits;
  return true;
}

/// True for kinds that may have no value although their operands have one.
static bool isPartialKind(const ExprNode &node) {
  switch (node.kind) {
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
    return !node.operands[1].isConstant() || node.operands[1].isConstant(0);
  case ExprKind::ExactDiv:
  case ExprKind::ToInt:
  case ExprKind::ToFloat:
  case ExprKind::TrueDiv:
  case ExprKind::FloatSqrt:
  case ExprKind::Residue:
    return true;
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

void ExprContext::Impl::derive(ExprNode &node) {
  ArrayRef<Expr> operands(node.operands, node.numOperands);
  node.depth = 1;
  node.latestBirth = 0;
  node.total = !isPartialKind(node);
  for (Expr operand : operands) {
    const ExprNode *child = operand.getNode();
    node.depth = std::max(node.depth, child->depth + 1);
    node.latestBirth = std::max(node.latestBirth, child->latestBirth);
    node.total &= child->total;
  }
  if (node.kind == ExprKind::Symbol)
    node.latestBirth = node.payload + 1;
  node.degree = getDegree(node);
  node.hasDivFactor = node.kind == ExprKind::FloorDiv;
  if (node.kind == ExprKind::Pow || node.kind == ExprKind::Mul)
    node.hasDivFactor = llvm::any_of(
        operands, [](Expr e) { return e.getNode()->hasDivFactor; });
  node.zeroValued = node.kind == ExprKind::Residue;
  if (node.kind == ExprKind::FloorDiv)
    node.zeroValued = operands[0].isConstant(0);
  else if (node.kind == ExprKind::Select && node.type == SymbolType::Int)
    node.zeroValued = isZeroValued(operands[1]) && isZeroValued(operands[2]);
}

Expr ExprContext::Impl::get(const NodeKey &key) {
  auto it = nodes.find_as(key);
  if (it != nodes.end())
    return Expr(*it);
  auto *node = allocator.Allocate<ExprNode>();
  std::memset(static_cast<void *>(node), 0, sizeof(ExprNode));
  node->kind = key.kind;
  node->type = key.type;
  node->payload = key.payload;
  node->hash = key.hash();
  node->numOperands = key.operands.size();
  auto *operands = allocator.Allocate<Expr>(key.operands.size());
  llvm::uninitialized_copy(key.operands, operands);
  node->operands = operands;
  if (key.kind == ExprKind::Constant) {
    values.push_back(*key.value);
    node->value = &values.back();
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
  return ContextAccess::get(context).get(
      NodeKey{kind, type, payload, operands, nullptr, 0});
}

//===----------------------------------------------------------------------===//
// ExprContext: symbols and literals
//===----------------------------------------------------------------------===//

ExprContext::ExprContext() : impl(std::make_unique<Impl>()) {
  impl->zero = constant(DynamicAPInt(0));
  impl->one = constant(DynamicAPInt(1));
  impl->falseExpr = makeNode(*this, ExprKind::BoolConstant, SymbolType::Bool,
                             {}, /*payload=*/0);
  impl->trueExpr = makeNode(*this, ExprKind::BoolConstant, SymbolType::Bool, {},
                            /*payload=*/1);
}
ExprContext::~ExprContext() = default;

Expr ExprContext::Impl::makeSymbol(StringRef name, SymbolType type,
                                   bool anonymous) {
  auto *node = allocator.Allocate<ExprNode>();
  std::memset(static_cast<void *>(node), 0, sizeof(ExprNode));
  node->kind = ExprKind::Symbol;
  node->type = type;
  node->payload = symbols.size();
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
  if (value == 0 && impl->zero)
    return impl->zero;
  if (value == 1 && impl->one)
    return impl->one;
  return constant(DynamicAPInt(value));
}

Expr ExprContext::constant(const DynamicAPInt &value) {
  return impl->get(
      NodeKey{ExprKind::Constant, SymbolType::Int, 0, {}, &value, 0});
}

Expr ExprContext::boolean(bool value) {
  return value ? impl->trueExpr : impl->falseExpr;
}

Expr ExprContext::floatConstant(double value) {
  return impl->get(NodeKey{ExprKind::FloatConstant,
                           SymbolType::Float,
                           0,
                           {},
                           nullptr,
                           llvm::bit_cast<uint64_t>(value)});
}

size_t ExprContext::getNumNodes() const {
  return impl->nodes.size() + impl->symbols.size();
}
size_t ExprContext::getMemoryUsed() const {
  return impl->allocator.getTotalMemory() + impl->nodes.getMemorySize();
}
