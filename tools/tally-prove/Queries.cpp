//===- Queries.cpp - Answers to questions ---------------------------------===//
//
// One function for each kind of query.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "tally/Symbolic/Parser.h"
#include "tally/Symbolic/Solve.h"

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
                "unknown statement '" + statement.word + "'");
  }
}

//===----------------------------------------------------------------------===//
// Truth
//===----------------------------------------------------------------------===//

void Session::decide(Expr expr, Found &found) {
  symbolic::Answer answer = symbolic::Prover(universe->facts).prove(expr);
  found.answer = toString(answer.verdict).str();
  found.rung = toString(answer.rung).str();
  found.facts = answer.facts;
}

bool Session::prove(const Statement &statement, Found &found) {
  Expr expr = parseBoolean(statement, statement.rest);
  if (!expr)
    return false;
  decide(expr, found);
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
  decide(universe->context.eq(left, right), found);
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
  return true;
}

bool Session::range(const Statement &statement, Found &found) {
  Expr expr = parse(statement, statement.rest);
  if (!expr)
    return false;
  if (isContradictory(found))
    return true;
  found.rung = toString(Rung::Ranges).str();
  if (expr.isInt()) {
    found.answer = universe->facts.range(expr, &found.facts).str();
    return true;
  }
  if (expr.isFloat()) {
    found.answer = Interval::all().str();
    return true;
  }
  decide(expr, found);
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
  llvm::raw_string_ostream(found.answer)
      << universe->facts.congruence(expr, &found.facts).getDivisor();
  return true;
}

//===----------------------------------------------------------------------===//
// Solving
//===----------------------------------------------------------------------===//

Expr Session::findUnknown(const Statement &statement, StringRef name) {
  Expr symbol = names.lookup(name);
  if (!symbol)
    fail(statement.offsetOf(name), "unknown symbol '" + name + "'");
  return symbol;
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
  if (isContradictory(found))
    return true;
  found.answer =
      symbolic::solveSystem(universe->facts, symbols, equations).str();
  found.rung = "solving";
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
