//===- Rewrite.cpp - Functions on whole expressions -----------------------===//
//
// Rebuilding, substitution, import from another context, free symbols and
// residues.
//
//===----------------------------------------------------------------------===//

#include "ContextImpl.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Rebuilds an integer, or a select of any type.
static Expr rebuildInt(ExprContext &context, Expr expr, ArrayRef<Expr> ops) {
  switch (expr.getKind()) {
  case ExprKind::Add:
    return context.sum(ops);
  case ExprKind::Mul:
    return context.product(ops);
  case ExprKind::Pow:
    return context.pow(ops[0], expr.getExponent());
  case ExprKind::FloorDiv:
    return context.floorDiv(ops[0], ops[1]);
  case ExprKind::Mod:
    return context.mod(ops[0], ops[1]);
  case ExprKind::ExactDiv:
    return context.exactDiv(ops[0], ops[1]);
  case ExprKind::Min:
    return context.min(ops);
  case ExprKind::Max:
    return context.max(ops);
  case ExprKind::Abs:
    return context.abs(ops[0]);
  case ExprKind::Select:
    return context.select(ops[0], ops[1], ops[2]);
  case ExprKind::Residue:
    return context.residue(ops[0]);
  case ExprKind::ToInt:
    return context.toInt(ops[0], expr.getRounding());
  case ExprKind::SymbolicPow:
    return context.pow(ops[0], ops[1]);
  case ExprKind::Bitwise:
    return context.bitwise(expr.getBitwiseOp(), ops[0], ops[1]);
  default:
    return expr; // A literal or a symbol.
  }
}

/// Rebuilds a float, or an integer.
static Expr rebuildNumber(ExprContext &context, Expr expr, ArrayRef<Expr> ops) {
  switch (expr.getKind()) {
  case ExprKind::ToFloat:
    return context.toFloat(ops[0]);
  case ExprKind::FloatAdd:
    return context.add(ops[0], ops[1]);
  case ExprKind::FloatSub:
    return context.sub(ops[0], ops[1]);
  case ExprKind::FloatMul:
    return context.mul(ops[0], ops[1]);
  case ExprKind::TrueDiv:
    return context.trueDiv(ops[0], ops[1]);
  case ExprKind::FloatNeg:
    return context.neg(ops[0]);
  case ExprKind::FloatMin:
    return context.min(ops);
  case ExprKind::FloatMax:
    return context.max(ops);
  case ExprKind::FloatUnary:
    return context.floatFunction(expr.getFloatFunction(), ops[0]);
  case ExprKind::FloatPow:
    return context.pow(ops[0], ops[1]);
  case ExprKind::RoundDecimal:
    return context.roundDecimal(ops[0], expr.getDigits());
  default:
    return rebuildInt(context, expr, ops);
  }
}

Expr ExprContext::rebuild(Expr expr, ArrayRef<Expr> ops) {
  assert(ops.size() == expr.getOperands().size() && "wrong operand count");
  switch (expr.getKind()) {
  case ExprKind::Eq:
    return eq(ops[0], ops[1]);
  case ExprKind::Ne:
    return ne(ops[0], ops[1]);
  case ExprKind::Le:
    return le(ops[0], ops[1]);
  case ExprKind::Lt:
    return lt(ops[0], ops[1]);
  case ExprKind::And:
    return logicalAnd(ops);
  case ExprKind::Or:
    return logicalOr(ops);
  case ExprKind::Not:
    return logicalNot(ops[0]);
  default:
    return rebuildNumber(*this, expr, ops);
  }
}

namespace {

/// Rebuilds an expression bottom-up, each shared part once.
class Substituter {
public:
  Substituter(ExprContext &context, const Substitution &map)
      : context(context), map(map) {
    for (const auto &entry : map)
      oldest = std::min(oldest, entry.first.getLatestOrdinal());
  }

  Expr visit(Expr expr) {
    auto replacement = map.find(expr);
    if (replacement != map.end())
      return replacement->second;
    // What has only symbols defined before every key does not change.
    if (expr.getOperands().empty() || expr.getLatestOrdinal() < oldest)
      return expr;
    auto known = done.find(expr);
    if (known != done.end())
      return known->second;
    SmallVector<Expr, 4> operands;
    bool changed = false;
    for (Expr operand : expr.getOperands()) {
      operands.push_back(visit(operand));
      changed |= operands.back() != operand;
    }
    Expr result = changed ? context.rebuild(expr, operands) : expr;
    done.insert({expr, result});
    return result;
  }

private:
  ExprContext &context;
  const Substitution &map;
  unsigned oldest = UINT_MAX;
  llvm::DenseMap<Expr, Expr> done;
};

/// Rebuilds an expression of another context.
class Importer {
public:
  Importer(ExprContext &context, llvm::function_ref<Expr(Expr)> symbolFor)
      : context(context), symbolFor(symbolFor) {}

  Expr visit(Expr expr) {
    Expr &known = done[expr];
    if (known)
      return known;
    Expr result = build(expr);
    done[expr] = result;
    return result;
  }

private:
  Expr build(Expr expr) {
    switch (expr.getKind()) {
    case ExprKind::Symbol:
      return symbolFor(expr);
    case ExprKind::Constant:
      return context.constant(expr.getConstant());
    case ExprKind::BoolConstant:
      return context.boolean(expr.isTrue());
    case ExprKind::FloatConstant:
      return context.floatConstant(expr.getFloat());
    default:
      break;
    }
    SmallVector<Expr, 4> operands;
    for (Expr operand : expr.getOperands())
      operands.push_back(visit(operand));
    return context.rebuild(expr, operands);
  }

  ExprContext &context;
  llvm::function_ref<Expr(Expr)> symbolFor;
  llvm::DenseMap<Expr, Expr> done;
};

} // namespace

Expr ExprContext::substitute(Expr expr, const Substitution &map) {
  return map.empty() ? expr : Substituter(*this, map).visit(expr);
}

Expr ExprContext::import(Expr expr,
                         llvm::function_ref<Expr(Expr symbol)> symbolFor) {
  return Importer(*this, symbolFor).visit(expr);
}

SmallVector<Expr, 4> ExprContext::freeSymbols(Expr expr) const {
  SmallVector<Expr, 4> symbols;
  SmallVector<Expr, 16> worklist{expr};
  llvm::DenseSet<Expr> seen;
  while (!worklist.empty()) {
    Expr next = worklist.pop_back_val();
    if (next.getLatestOrdinal() == 0 || !seen.insert(next).second)
      continue;
    if (next.isSymbol())
      symbols.push_back(next);
    worklist.append(next.getOperands().begin(), next.getOperands().end());
  }
  llvm::sort(symbols,
             [](Expr a, Expr b) { return a.getOrdinal() < b.getOrdinal(); });
  return symbols;
}

bool ExprContext::mentions(Expr expr, Expr symbol) const {
  SmallVector<Expr, 16> worklist{expr};
  llvm::DenseSet<Expr> seen;
  while (!worklist.empty()) {
    Expr next = worklist.pop_back_val();
    if (next == symbol)
      return true;
    if (next.getLatestOrdinal() < symbol.getLatestOrdinal() ||
        !seen.insert(next).second)
      continue;
    worklist.append(next.getOperands().begin(), next.getOperands().end());
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Residues
//===----------------------------------------------------------------------===//

/// The residue of `and` or `or`: an operand counts where those before it let
/// the evaluation go on.
static Expr residueOfLogical(ExprContext &context, Expr expr) {
  ArrayRef<Expr> operands = expr.getOperands();
  Expr rest = context.residue(operands.back());
  for (Expr operand : llvm::reverse(operands.drop_back())) {
    Expr guarded = expr.getKind() == ExprKind::And
                       ? context.select(operand, rest, context.zero())
                       : context.select(operand, context.zero(), rest);
    // A guard that is undefined already makes the whole undefined.
    rest = rest.isConstant(0) ? context.residue(operand)
                              : context.add(context.residue(operand), guarded);
  }
  return rest;
}

Expr ExprContext::residue(Expr a) {
  if (a.isTotal())
    return zero();
  if (isZeroValued(a))
    return a;
  ArrayRef<Expr> ops = a.getOperands();
  switch (a.getKind()) {
  case ExprKind::FloorDiv:
  case ExprKind::Mod: {
    Expr dividend = residue(ops[0]);
    return add(dividend, makeZeroDivision(*this, ops[1]));
  }
  case ExprKind::And:
  case ExprKind::Or:
    return residueOfLogical(*this, a);
  case ExprKind::Select: {
    Expr branches = select(ops[0], residue(ops[1]), residue(ops[2]));
    return isZeroValued(branches) ? add(residue(ops[0]), branches) : branches;
  }
  case ExprKind::ExactDiv:
  case ExprKind::ToInt:
  case ExprKind::ToFloat:
  case ExprKind::TrueDiv:
  case ExprKind::FloatUnary:
  case ExprKind::FloatPow:
  case ExprKind::RoundDecimal:
  case ExprKind::SymbolicPow:
    return makeNode(*this, ExprKind::Residue, SymbolType::Int, {a});
  case ExprKind::Pow:
    if (ops[0].isConstant())
      return makeNode(*this, ExprKind::Residue, SymbolType::Int, {a});
    break;
  default:
    break;
  }
  SmallVector<Expr, 4> parts;
  for (Expr operand : ops)
    parts.push_back(residue(operand));
  return sum(parts);
}
