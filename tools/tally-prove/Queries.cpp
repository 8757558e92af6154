//===- Queries.cpp - Answers to questions ---------------------------------===//
//
// One function for each kind of query.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "tally/Symbolic/Proof/Solve.h"
#include "tally/Symbolic/Text/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally;
using namespace tally::prove;
using llvm::SmallVector;
using llvm::StringRef;
using symbolic::Expr;
using symbolic::Interval;
using symbolic::Rung;
using symbolic::SMTClaim;
using symbolic::SMTScript;
using symbolic::Value;
using symbolic::Verdict;

bool Session::query(const Statement &statement, Found &found) {
  switch (statement.keyword) {
  case Keyword::Prove:
    return prove(statement, found);
  case Keyword::Equal:
    return equal(statement, found);
  case Keyword::Simplify:
    return simplify(statement, found);
  case Keyword::Range:
    return range(statement, found);
  case Keyword::Divisors:
    return divisors(statement, found);
  case Keyword::Solve:
    return solve(statement, found);
  case Keyword::Eval:
    return eval(statement, found);
  default:
    return fail(statement.offsetOf(statement.word),
                "unknown statement '" + statement.word + "'" +
                    (statement.word.starts_with("#")
                         ? "; a comment starts with //"
                         : ""));
  }
}

//===----------------------------------------------------------------------===//
// Truth
//===----------------------------------------------------------------------===//

void Session::decide(Expr expr, const llvm::Twine &text, Found &found) {
  symbolic::Answer answer = symbolic::Prover(universe->facts).prove(expr);
  found.answer = toString(answer.verdict).str();
  found.rung = toString(answer.rung).str();
  found.facts = answer.facts;
  if (answer.verdict == Verdict::Unknown)
    found.doubt = toString(answer.doubt);
  found.claim = Claim{text.str(), SMTClaim::True};
  found.claim->isAnswered = answer.verdict != Verdict::Unknown;
  if (answer.verdict == Verdict::No)
    found.claim->kind = SMTClaim::False;
  else if (answer.verdict == Verdict::Contradiction)
    found.claim->kind = SMTClaim::Contradiction;
  else if (answer.verdict == Verdict::Unknown && options.z3)
    askZ3(*found.claim, found);
}

/// Asks for both answers; both at once are a contradiction.
void Session::askZ3(const Claim &claim, Found &found) {
  auto isConfirmed = [&](SMTClaim kind) {
    SMTScript script = makeScript({claim.query, kind});
    std::string error;
    return script.hasQuery &&
           options.z3->check(script.text, options.z3Milliseconds, error) ==
               Satisfiability::Unsat;
  };
  bool isTrue = isConfirmed(SMTClaim::True);
  bool isFalse = isConfirmed(SMTClaim::False);
  if (!isTrue && !isFalse)
    return;
  Verdict verdict = !isFalse  ? Verdict::Yes
                    : !isTrue ? Verdict::No
                              : Verdict::Contradiction;
  found.answer = toString(verdict).str();
  found.rung = toString(Rung::Z3).str();
  found.doubt = "";
  // Z3 had all of them.
  for (symbolic::FactId id = 0; id != universe->facts.getNumFacts(); ++id)
    found.facts.insert({id});
}

SMTScript Session::makeScript(const Claim &claim) {
  Expr query;
  if (claim.kind != SMTClaim::Contradiction) {
    symbolic::ParseResult parsed = symbolic::parseAsWritten(
        claim.query, universe->context,
        [&](StringRef name) { return names.lookup(name); });
    if (!parsed) {
      SMTScript script;
      script.hasQuery = false;
      script.unsupported = parsed.errorMessage;
      return script;
    }
    query = *parsed;
  }
  return symbolic::makeSMTScript(writtenFacts, query, claim.kind);
}

bool Session::prove(const Statement &statement, Found &found) {
  Expr expr = parseBoolean(statement, statement.rest);
  if (!expr)
    return false;
  decide(expr, statement.rest, found);
  return true;
}

bool Session::equal(const Statement &statement, Found &found) {
  SmallVector<StringRef, 2> sides = splitAtCommas(statement.rest);
  Expr left = parse(statement, sides[0]);
  if (!left)
    return false;
  if (sides.size() != 2)
    return fail(statement.offsetOf(statement.rest),
                "expected two expressions with a comma between them");
  Expr right = parse(statement, sides[1]);
  if (!right)
    return false;
  if (left.isBool() != right.isBool())
    return fail(statement.offsetOf(sides[1]),
                "cannot compare these: one is a boolean");
  decide(universe->context.eq(left, right),
         "(" + sides[0] + ") == (" + sides[1] + ")", found);
  return true;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool Session::simplify(const Statement &statement, Found &found) {
  Expr expr = parse(statement, statement.rest);
  if (!expr)
    return false;
  Expr simple = universe->facts.simplify(expr, &found.facts);
  found.answer = simple.str();
  found.claim =
      Claim{("(" + statement.rest + ") == (" + found.answer + ")").str(),
            SMTClaim::SameValue};
  found.rung =
      toString(found.facts.empty() ? Rung::Canonical : Rung::Facts).str();
  return true;
}

/// Answers a question about values where no value fits.
bool Session::isContradictory(Found &found) {
  if (!universe->facts.isContradictory())
    return false;
  found.answer = toString(Verdict::Contradiction).str();
  found.rung = toString(Rung::Facts).str();
  found.facts = universe->facts.getContradiction();
  found.claim = Claim{"", SMTClaim::Contradiction};
  return true;
}

/// What the bounds of an interval say about an expression.
static std::string claimRange(StringRef text, const Interval &range) {
  std::string claim;
  llvm::raw_string_ostream os(claim);
  if (range.isEmpty())
    return "(" + text.str() + ") == 0 and false";
  if (range.getLower())
    os << *range.getLower() << " <= ";
  os << '(' << text << ')';
  if (range.getUpper())
    os << " <= " << *range.getUpper();
  return claim;
}

bool Session::range(const Statement &statement, Found &found) {
  Expr expr = parse(statement, statement.rest);
  if (!expr)
    return false;
  if (isContradictory(found))
    return true;
  found.rung = toString(Rung::Ranges).str();
  if (expr.isInt()) {
    Interval range = universe->facts.range(expr, &found.facts);
    found.answer = range.str();
    if (!range.isAll())
      found.claim =
          Claim{claimRange(statement.rest, range), SMTClaim::TrueWhereDefined};
    return true;
  }
  if (expr.isFloat()) {
    found.answer = Interval::all().str();
    return true;
  }
  decide(expr, statement.rest, found);
  if (found.answer == "yes")
    found.answer = Interval::point(1).str();
  else if (found.answer == "no")
    found.answer = Interval::point(0).str();
  else if (found.answer == "unknown")
    found.answer = Interval::of(0, 1).str();
  return true;
}

bool Session::divisors(const Statement &statement, Found &found) {
  Expr expr = parse(statement, statement.rest);
  if (!expr)
    return false;
  if (!expr.isInt())
    return fail(statement.offsetOf(statement.rest),
                llvm::Twine("expected an integer, found a ") +
                    (expr.isBool() ? "boolean" : "float"));
  if (isContradictory(found))
    return true;
  found.rung = toString(Rung::Ranges).str();
  symbolic::DynamicAPInt divisor =
      universe->facts.congruence(expr, &found.facts).getDivisor();
  llvm::raw_string_ostream(found.answer) << divisor;
  std::string remainder = divisor == 0 ? "" : " mod " + found.answer;
  found.claim = Claim{("(" + statement.rest + ")" + remainder + " == 0").str(),
                      SMTClaim::TrueWhereDefined};
  return true;
}

//===----------------------------------------------------------------------===//
// Solving
//===----------------------------------------------------------------------===//

Expr Session::findUnknown(const Statement &statement, StringRef name) {
  Expr symbol = names.lookup(name);
  if (symbol)
    return symbol;
  size_t at = statement.offsetOf(name);
  if (name.empty())
    fail(at, "expected a name");
  else if (isValidName(name))
    fail(at, "unknown symbol '" + name + "'");
  else
    fail(at, "expected a name, found '" + name + "'");
  return Expr();
}

/// Adds an operand to a conjunction.
static void conjoin(std::string &text, const llvm::Twine &operand) {
  text += text.empty() ? "" : " and ";
  text += ("(" + operand + ")").str();
}

/// Where the solution exists, the equations hold for exactly these values;
/// where it is said not to exist, for none.
static std::string claimSolution(const symbolic::SystemSolution &solution,
                                 StringRef equationsText) {
  std::string equations, required, values;
  for (StringRef equation : splitAtCommas(equationsText))
    conjoin(equations, equation);
  for (Expr condition : solution.required)
    if (!condition.isFalse())
      conjoin(required, condition.str());
  if (solution.isImpossible())
    return "not (" + equations + ")" +
           (required.empty() ? "" : " or not (" + required + ")");
  for (auto [symbol, value] : solution.values)
    conjoin(values, symbol.getName() + " == (" + value.str() + ")");
  std::string same = "(" + values + ") == (" + equations + ")";
  return required.empty() ? same : "not (" + required + ") or (" + same + ")";
}

/// Returns true for what restricts symbols and gives none a value.
static bool isInequality(Expr expr) {
  return expr.getKind() == symbolic::ExprKind::Le ||
         expr.getKind() == symbolic::ExprKind::Ne;
}

bool Session::solve(const Statement &statement, Found &found) {
  auto [unknowns, equationsText] = splitAtWord(statement.rest, "from");
  if (!equationsText.data())
    return fail(statement.line.size(), "expected 'from' and equations");
  SmallVector<Expr, 4> symbols, equations;
  for (StringRef name : splitAtCommas(unknowns)) {
    Expr symbol = findUnknown(statement, name);
    if (!symbol)
      return false;
    if (llvm::is_contained(symbols, symbol))
      return fail(statement.offsetOf(name), "'" + name + "' is named twice");
    symbols.push_back(symbol);
  }
  for (StringRef text : splitAtCommas(equationsText)) {
    Expr equation = parseBoolean(statement, text);
    if (!equation)
      return false;
    equations.push_back(equation);
  }
  if (llvm::all_of(equations, isInequality))
    return fail(statement.offsetOf(equationsText),
                "'" + splitAtCommas(equationsText)[0] + "' is no equation");
  if (isContradictory(found))
    return true;
  symbolic::SystemSolution solution =
      symbolic::solveSystem(universe->facts, symbols, equations);
  found.answer = solution.str();
  found.rung = "solving";
  found.facts = solution.facts;
  if (solution.isSolved() || solution.isImpossible())
    found.claim = Claim{claimSolution(solution, equationsText),
                        SMTClaim::TrueWhereDefined};
  return true;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// The value of a literal; nothing if it is none of this type.
static std::optional<Value> getLiteral(Expr expr, symbolic::SymbolType type) {
  if (type == symbolic::SymbolType::Bool) {
    if (expr.isTrue() || expr.isFalse())
      return Value::ofBool(expr.isTrue());
    return std::nullopt;
  }
  symbolic::EvalResult result =
      symbolic::evaluate(expr, llvm::DenseMap<Expr, Value>());
  if (!result.isDefined() || result.value.getType() != type)
    return std::nullopt;
  return result.value;
}

bool Session::parseValues(const Statement &statement, StringRef text,
                          llvm::DenseMap<Expr, Value> &values) {
  for (StringRef part : splitAtCommas(text)) {
    size_t sign = part.find('=');
    if (sign == StringRef::npos)
      return fail(statement.offsetOf(part), "expected 'name = value'");
    StringRef name = part.substr(0, sign).rtrim();
    Expr symbol = findUnknown(statement, name);
    if (!symbol)
      return false;
    StringRef valueText = part.drop_front(sign + 1).ltrim();
    Expr value = parse(statement, valueText);
    if (!value)
      return false;
    if (symbol.isFloat() && value.isInt())
      value = universe->context.toFloat(value);
    std::optional<Value> literal = getLiteral(value, symbol.getType());
    if (!literal)
      return fail(statement.offsetOf(valueText),
                  "'" + valueText + "' is no value of '" + name + "'");
    if (!values.insert({symbol, *literal}).second)
      return fail(statement.offsetOf(name), "'" + name + "' has two values");
  }
  return true;
}

void Session::printValue(const Value &value, llvm::raw_ostream &os) {
  switch (value.getType()) {
  case symbolic::SymbolType::Int:
    os << value.getInt();
    return;
  case symbolic::SymbolType::Bool:
    os << (value.getBool() ? "true" : "false");
    return;
  case symbolic::SymbolType::Float:
    os << universe->context.floatConstant(value.getFloat());
    return;
  }
}

bool Session::eval(const Statement &statement, Found &found) {
  auto [text, valuesText] = splitAtWord(statement.rest, "with");
  llvm::DenseMap<Expr, Value> values;
  if (valuesText.data() && !parseValues(statement, valuesText, values))
    return false;
  StringRef unbound;
  symbolic::EvalResult result;
  symbolic::ParseResult parsed = symbolic::evaluateAsWritten(
      text, universe->context,
      [&](StringRef name) {
        Expr symbol = names.lookup(name);
        if (symbol && unbound.empty() && !values.contains(symbol))
          unbound = name;
        return symbol;
      },
      [&](Expr symbol) -> std::optional<Value> {
        auto value = values.find(symbol);
        if (value == values.end())
          return std::nullopt;
        return value->second;
      },
      result);
  if (!parsed)
    return fail(statement.offsetOf(text) + parsed.errorOffset,
                parsed.errorMessage);
  if (!unbound.empty())
    return fail(statement.offsetOf(unbound),
                "no value is given for '" + unbound + "'");
  found.rung = "evaluation";
  llvm::raw_string_ostream os(found.answer);
  if (result.isDefined())
    printValue(result.value, os);
  else
    os << "undefined (" << toString(result.error) << ')';
  return true;
}
