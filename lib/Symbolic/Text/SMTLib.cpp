//===- SMTLib.cpp - Questions in SMT-LIB 2 --------------------------------===//
//
// Each node becomes a term for its value and a formula for where it has one.
// Long ones that are used again get a name, so that a script is not longer
// than the expression has nodes.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Text/SMTLib.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// Longer terms get a name of their own.
constexpr size_t kMaxInlineLength = 60;
/// Powers are written out as products.
constexpr unsigned kMaxExponent = 256;

/// A node in SMT-LIB.
struct SMTTerm {
  std::string value;
  /// Where it has a value; empty for everywhere.
  std::string defined;
};

class Writer {
public:
  /// The term of an expression; nothing if it, or what is in it, has no
  /// counterpart.
  const SMTTerm *write(Expr expr);
  /// Asserts a formula.
  void assume(StringRef formula) {
    body += ("(assert " + formula + ")\n").str();
  }
  void comment(StringRef text) { body += ("; " + text + "\n").str(); }

  std::string finish() const;
  std::string unsupported;

private:
  std::optional<SMTTerm> make(Expr expr, ArrayRef<const SMTTerm *> operands);
  std::optional<SMTTerm> makeFloat(Expr expr,
                                   ArrayRef<const SMTTerm *> operands);
  std::optional<SMTTerm> makeComparison(Expr expr,
                                        ArrayRef<const SMTTerm *> operands);
  std::optional<SMTTerm> makePower(Expr expr, const SMTTerm &base);
  SMTTerm makeLeaf(Expr expr);
  SMTTerm makeDivision(Expr expr, ArrayRef<const SMTTerm *> operands);
  SMTTerm makeSelect(ArrayRef<const SMTTerm *> operands);
  SMTTerm makeLogical(StringRef op, ArrayRef<const SMTTerm *> operands);
  SMTTerm makeSymbol(Expr symbol);
  /// Gives a long text a name.
  std::string shorten(std::string text, StringRef sort);

  llvm::DenseMap<Expr, std::unique_ptr<SMTTerm>> terms;
  llvm::StringSet<> names;
  std::string declarations, body;
  unsigned numNamed = 0;
  bool usesFloorDiv = false, usesMod = false, usesMin = false, usesMax = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static StringRef getSort(SymbolType type) {
  switch (type) {
  case SymbolType::Int:
    return "Int";
  case SymbolType::Bool:
    return "Bool";
  case SymbolType::Float:
    return "(_ FloatingPoint 11 53)";
  }
  return "";
}

static std::string call(StringRef op, ArrayRef<const SMTTerm *> operands) {
  std::string text = ("(" + op).str();
  for (const SMTTerm *operand : operands)
    text += " " + operand->value;
  return text + ")";
}

/// The conjunction of formulas; empty ones are true.
static std::string conjoin(ArrayRef<StringRef> formulas) {
  std::string text;
  unsigned count = 0;
  for (StringRef formula : formulas) {
    if (formula.empty())
      continue;
    text += (count++ ? " " : "") + formula.str();
  }
  return count > 1 ? "(and " + text + ")" : text;
}

static std::string allDefined(ArrayRef<const SMTTerm *> operands) {
  llvm::SmallVector<StringRef, 4> formulas;
  for (const SMTTerm *operand : operands)
    if (!llvm::is_contained(formulas, operand->defined))
      formulas.push_back(operand->defined);
  return conjoin(formulas);
}

static std::string printInteger(const DynamicAPInt &value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (value < 0)
    os << "(- " << -value << ')';
  else
    os << value;
  return text;
}

static std::string printDouble(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(
      "((_ to_fp 11 53) #x%016llx)",
      static_cast<unsigned long long>(llvm::bit_cast<uint64_t>(value)));
  return text;
}

std::string Writer::shorten(std::string text, StringRef sort) {
  if (text.size() <= kMaxInlineLength)
    return text;
  std::string name = ("$." + Twine(numNamed++)).str();
  body +=
      ("(define-fun " + Twine(name) + " () " + sort + " " + text + ")\n").str();
  return name;
}

std::string Writer::finish() const {
  std::string text;
  if (usesFloorDiv)
    text += "(define-fun floordiv ((a Int) (b Int)) Int "
            "(ite (> b 0) (div a b) (div (- a) (- b))))\n";
  if (usesMod)
    text += "(define-fun pymod ((a Int) (b Int)) Int "
            "(ite (> b 0) (mod a b) (- (mod (- a) (- b)))))\n";
  if (usesMin)
    text += "(define-fun min ((a Int) (b Int)) Int (ite (<= a b) a b))\n";
  if (usesMax)
    text += "(define-fun max ((a Int) (b Int)) Int (ite (<= a b) b a))\n";
  return text + declarations + body;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// No name of a user's begins with a $, and none of SMT-LIB's.
SMTTerm Writer::makeSymbol(Expr symbol) {
  std::string name = ("$" + symbol.getName()).str();
  // Names of symbols that are forgotten may be used again.
  if (!names.insert(name).second) {
    name += "." + std::to_string(symbol.getOrdinal());
    names.insert(name);
  }
  StringRef sort = getSort(symbol.getType());
  declarations += "(declare-const " + name + " " + sort.str() + ")\n";
  return {name, ""};
}

SMTTerm Writer::makeLeaf(Expr expr) {
  switch (expr.getKind()) {
  case ExprKind::Symbol:
    return makeSymbol(expr);
  case ExprKind::BoolConstant:
    return {expr.isTrue() ? "true" : "false", ""};
  case ExprKind::FloatConstant:
    return {printDouble(expr.getFloat()), ""};
  default:
    return {printInteger(expr.getConstant()), ""};
  }
}

SMTTerm Writer::makeDivision(Expr expr, ArrayRef<const SMTTerm *> operands) {
  Expr divisor = expr.getOperand(1);
  bool isPositive = divisor.isConstant() && divisor.getConstant() > 0;
  const std::string &a = operands[0]->value, &b = operands[1]->value;
  std::string defined = allDefined(operands);
  if (!divisor.isConstant() || divisor.isConstant(0))
    defined = conjoin({defined, "(not (= " + b + " 0))"});
  if (expr.getKind() == ExprKind::ExactDiv)
    return {call("div", operands),
            conjoin({defined, "(= (mod " + a + " " + b + ") 0)"})};
  bool isMod = expr.getKind() == ExprKind::Mod;
  // SMT-LIB rounds so that remainders are not negative; for a positive
  // divisor that is Python's meaning.
  if (!isPositive)
    (isMod ? usesMod : usesFloorDiv) = true;
  StringRef op =
      isPositive ? (isMod ? "mod" : "div") : (isMod ? "pymod" : "floordiv");
  return {call(op, operands), defined};
}

SMTTerm Writer::makeSelect(ArrayRef<const SMTTerm *> operands) {
  SMTTerm result{call("ite", operands), operands[0]->defined};
  const std::string &a = operands[1]->defined, &b = operands[2]->defined;
  if (a.empty() && b.empty())
    return result;
  std::string chosen = "(ite " + operands[0]->value + " " +
                       (a.empty() ? "true" : a) + " " +
                       (b.empty() ? "true" : b) + ")";
  result.defined = conjoin({result.defined, chosen});
  return result;
}

/// An operand counts where those before it do not decide.
SMTTerm Writer::makeLogical(StringRef op, ArrayRef<const SMTTerm *> operands) {
  std::string defined;
  for (const SMTTerm *operand : llvm::reverse(operands)) {
    if (!defined.empty()) {
      std::string decided =
          op == "or" ? operand->value : "(not " + operand->value + ")";
      defined = shorten("(or " + decided + " " + defined + ")", "Bool");
    }
    defined = conjoin({operand->defined, defined});
  }
  return {operands.size() == 1 ? operands[0]->value : call(op, operands),
          defined};
}

std::optional<SMTTerm> Writer::makePower(Expr expr, const SMTTerm &base) {
  unsigned exponent = expr.getExponent();
  if (exponent > kMaxExponent)
    return std::nullopt;
  // x ** 0 is 1 only where x has a value.
  if (exponent == 0)
    return SMTTerm{"1", base.defined};
  if (exponent == 1)
    return base;
  llvm::SmallVector<const SMTTerm *, 8> factors(exponent, &base);
  return SMTTerm{call("*", factors), base.defined};
}

std::optional<SMTTerm>
Writer::makeComparison(Expr expr, ArrayRef<const SMTTerm *> operands) {
  SymbolType type = expr.getOperand(0).getType();
  // Integers are compared with floats exactly; that is not said here.
  if (type != expr.getOperand(1).getType())
    return std::nullopt;
  bool isFloat = type == SymbolType::Float;
  std::string defined = allDefined(operands);
  switch (expr.getKind()) {
  case ExprKind::Eq:
    return SMTTerm{call(isFloat ? "fp.eq" : "=", operands), defined};
  case ExprKind::Ne:
    return SMTTerm{"(not " + call(isFloat ? "fp.eq" : "=", operands) + ")",
                   defined};
  case ExprKind::Le:
    return SMTTerm{call(isFloat ? "fp.leq" : "<=", operands), defined};
  default:
    return SMTTerm{call(isFloat ? "fp.lt" : "<", operands), defined};
  }
}

std::optional<SMTTerm> Writer::makeFloat(Expr expr,
                                         ArrayRef<const SMTTerm *> operands) {
  std::string defined = allDefined(operands);
  switch (expr.getKind()) {
  case ExprKind::FloatAdd:
    return SMTTerm{call("fp.add RNE", operands), defined};
  case ExprKind::FloatSub:
    return SMTTerm{call("fp.sub RNE", operands), defined};
  case ExprKind::FloatMul:
    return SMTTerm{call("fp.mul RNE", operands), defined};
  case ExprKind::FloatNeg:
    return SMTTerm{call("fp.neg", operands), defined};
  default:
    return std::nullopt;
  }
}

std::optional<SMTTerm> Writer::make(Expr expr,
                                    ArrayRef<const SMTTerm *> operands) {
  if (operands.empty())
    return makeLeaf(expr);
  if (expr.isComparison())
    return makeComparison(expr, operands);
  switch (expr.getKind()) {
  case ExprKind::Add:
    return SMTTerm{call("+", operands), allDefined(operands)};
  case ExprKind::Mul:
    return SMTTerm{call("*", operands), allDefined(operands)};
  case ExprKind::Pow:
    return makePower(expr, *operands[0]);
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
  case ExprKind::ExactDiv:
    return makeDivision(expr, operands);
  case ExprKind::Min:
  case ExprKind::Max: {
    bool isMin = expr.getKind() == ExprKind::Min;
    (isMin ? usesMin : usesMax) = true;
    SMTTerm result{operands[0]->value, allDefined(operands)};
    for (const SMTTerm *operand : operands.drop_front())
      result.value = shorten(std::string(isMin ? "(min " : "(max ") +
                                 result.value + " " + operand->value + ")",
                             "Int");
    return result;
  }
  case ExprKind::Abs:
    return SMTTerm{call("abs", operands), operands[0]->defined};
  case ExprKind::Select:
    return makeSelect(operands);
  case ExprKind::Residue:
    return SMTTerm{"0", operands[0]->defined};
  case ExprKind::And:
    return makeLogical("and", operands);
  case ExprKind::Or:
    return makeLogical("or", operands);
  case ExprKind::Not:
    return SMTTerm{call("not", operands), operands[0]->defined};
  default:
    return makeFloat(expr, operands);
  }
}

const SMTTerm *Writer::write(Expr expr) {
  auto known = terms.find(expr);
  if (known != terms.end())
    return known->second.get();
  llvm::SmallVector<const SMTTerm *, 4> operands;
  for (Expr operand : expr.getOperands()) {
    operands.push_back(write(operand));
    if (!operands.back())
      return nullptr;
  }
  std::optional<SMTTerm> term = make(expr, operands);
  if (!term) {
    unsupported = "an operation has no counterpart in SMT-LIB: " + expr.str();
    return nullptr;
  }
  term->value = shorten(std::move(term->value), getSort(expr.getType()));
  term->defined = shorten(std::move(term->defined), "Bool");
  auto owned = std::make_unique<SMTTerm>(std::move(*term));
  const SMTTerm *result = owned.get();
  terms[expr] = std::move(owned);
  return result;
}

//===----------------------------------------------------------------------===//
// Scripts
//===----------------------------------------------------------------------===//

llvm::SmallVector<Expr, 8> tally::symbolic::getStatedFacts(const Facts &facts) {
  llvm::SmallVector<Expr, 8> stated;
  for (FactId id = 0; id != facts.getNumFacts(); ++id)
    stated.push_back(facts.getFact(id).expr);
  return stated;
}

/// Writes the formula that would refute a claim; empty if the query has no
/// counterpart.
static std::string writeRefutation(Writer &writer, Expr query, SMTClaim claim) {
  if (claim == SMTClaim::SameValue) {
    const SMTTerm *a = writer.write(query.getOperand(0));
    const SMTTerm *b = writer.write(query.getOperand(1));
    if (!a || !b)
      return "";
    std::string differs = "(not (= " + a->value + " " + b->value + "))";
    if (a->defined.empty() && b->defined.empty())
      return differs;
    std::string definedA = a->defined.empty() ? "true" : a->defined;
    std::string definedB = b->defined.empty() ? "true" : b->defined;
    // NaN is the same as NaN here.
    return "(or (not (= " + definedA + " " + definedB + ")) (and " + definedA +
           " " + differs + "))";
  }
  const SMTTerm *term = writer.write(query);
  if (!term)
    return "";
  std::string negated = "(not " + term->value + ")";
  switch (claim) {
  case SMTClaim::True:
    return "(not " + conjoin({term->defined, term->value}) + ")";
  case SMTClaim::False:
    return "(not " + conjoin({term->defined, negated}) + ")";
  default:
    return conjoin({term->defined, negated});
  }
}

SMTScript tally::symbolic::makeSMTScript(ArrayRef<Expr> assumptions, Expr query,
                                         SMTClaim claim) {
  SMTScript script;
  Writer writer;
  for (Expr assumption : assumptions) {
    if (const SMTTerm *term = writer.write(assumption)) {
      writer.assume(conjoin({term->defined, term->value}));
      continue;
    }
    script.unsupported = writer.unsupported;
    writer.comment("an assumption is left out");
  }
  if (claim != SMTClaim::Contradiction) {
    std::string refutation = writeRefutation(writer, query, claim);
    if (refutation.empty()) {
      script.unsupported = writer.unsupported;
      script.hasQuery = false;
      return script;
    }
    writer.assume(refutation);
  }
  script.text = writer.finish();
  return script;
}
