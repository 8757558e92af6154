//===- Session.cpp - Symbols and facts in scopes --------------------------===//
//
// Runs statements; the queries are in Queries.cpp.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "tally/Symbolic/Text/Parser.h"

#include <chrono>

using namespace tally;
using namespace tally::prove;
using llvm::StringRef;
using symbolic::Expr;
using symbolic::Interval;
using symbolic::Provenance;
using symbolic::SymbolType;

Session::Session(SessionOptions options) : options(options) { reset(); }

void Session::reset() {
  names.clear();
  declared.clear();
  scopes.clear();
  lineOfFact.clear();
  writtenFacts.clear();
  universe = std::make_unique<Universe>();
}

bool Session::fail(size_t offset, const llvm::Twine &message) {
  failure = {offset, message.str()};
  return false;
}

Outcome Session::run(StringRef text, unsigned line) {
  auto start = std::chrono::steady_clock::now();
  Statement statement(text);
  Outcome outcome;
  outcome.keyword = statement.keyword;
  outcome.line = line;
  bool wasContradictory = universe->facts.isContradictory();
  if (!dispatch(statement, outcome))
    outcome.failure = failure;
  recordFacts(line);
  std::chrono::duration<double, std::micro> time =
      std::chrono::steady_clock::now() - start;
  outcome.microseconds = time.count();
  if (!wasContradictory && universe->facts.isContradictory() &&
      outcome.warnings.empty())
    outcome.warnings.push_back(
        {statement.offsetOf(statement.word),
         "no assignment fits the facts from this line on"});
  warnOfComment(statement, outcome);
  return outcome;
}

bool Session::dispatch(const Statement &statement, Outcome &outcome) {
  switch (statement.keyword) {
  case Keyword::Nothing:
    return true;
  case Keyword::Symbol:
  case Keyword::Int:
  case Keyword::Float:
  case Keyword::Bool:
    return declare(statement, outcome);
  case Keyword::Fact:
    return state(statement);
  case Keyword::Push:
  case Keyword::Pop:
  case Keyword::Reset:
    return changeScope(statement);
  default:
    break;
  }
  Found found;
  if (!query(statement, found))
    return false;
  outcome.answer = std::move(found.answer);
  outcome.rung = std::move(found.rung);
  outcome.claim = found.claim;
  outcome.doubt = found.doubt;
  addReasons(found.facts, outcome);
  return true;
}

//===----------------------------------------------------------------------===//
// Declarations and facts
//===----------------------------------------------------------------------===//

static SymbolType getType(Keyword keyword) {
  if (keyword == Keyword::Float)
    return SymbolType::Float;
  return keyword == Keyword::Bool ? SymbolType::Bool : SymbolType::Int;
}

bool Session::declare(const Statement &statement, Outcome &outcome) {
  Declaration declaration;
  if (!parseDeclaration(statement, declaration, failure))
    return false;
  for (StringRef name : declaration.names)
    if (Expr symbol = names.lookup(name)) {
      const Declared *first =
          llvm::find_if(declared, [&](const Declared &entry) {
            return entry.symbol == symbol;
          });
      return fail(statement.offsetOf(name),
                  "'" + name + "' is declared twice, first in line " +
                      llvm::Twine(first->line));
    }
  if (!declaration.range && statement.keyword == Keyword::Symbol)
    declaration.range = Interval::atLeast(0);
  if (declaration.range && declaration.range->isEmpty())
    outcome.warnings.push_back(
        {statement.offsetOf(statement.rest), "no number is in this range"});
  StringRef source = statement.line.ltrim();
  symbolic::Facts &facts = universe->facts;
  for (StringRef name : declaration.names) {
    Expr symbol = universe->context.symbol(name, getType(statement.keyword));
    names[name] = symbol;
    declared.push_back({symbol, outcome.line});
    if (declaration.range && !declaration.range->isAll())
      facts.setRange(symbol, *declaration.range, Provenance::Assumed, source);
    if (declaration.divisor && *declaration.divisor != 1)
      facts.setDivisor(symbol, *declaration.divisor, Provenance::Assumed,
                       source);
  }
  return true;
}

bool Session::state(const Statement &statement) {
  Expr fact = parseBoolean(statement, statement.rest);
  if (!fact)
    return false;
  universe->facts.add(fact, Provenance::Assumed, statement.line.ltrim());
  if (options.keepsWritten)
    // What is too deep as it is written need not be so in canonical form.
    if (Expr written = *symbolic::parseAsWritten(
            statement.rest, universe->context,
            [&](StringRef name) { return names.lookup(name); }))
      writtenFacts.push_back(written);
  return true;
}

void Session::recordFacts(unsigned line) {
  size_t numFacts = universe->facts.getNumFacts();
  lineOfFact.resize(numFacts, line);
  if (writtenFacts.size() > numFacts)
    writtenFacts.truncate(numFacts);
  // Declarations have no other form than that of their facts.
  while (writtenFacts.size() < numFacts)
    writtenFacts.push_back(universe->facts.getFact(writtenFacts.size()).expr);
}

/// Warns where `//` cuts off what could be the divisor of a division.
void Session::warnOfComment(const Statement &statement, Outcome &outcome) {
  if (!statement.hasDoubtfulComment())
    return;
  auto resolve = [&](StringRef name) { return names.lookup(name); };
  for (StringRef operand : readCommentAsDivision(statement))
    if (symbolic::parseExpr(operand, universe->context, resolve)) {
      outcome.warnings.push_back(
          {statement.text.find("//", statement.line.size()),
           "// starts a comment; write floordiv for a division"});
      return;
    }
}

void Session::addReasons(const symbolic::FactSet &facts, Outcome &outcome) {
  for (symbolic::FactId id : facts) {
    assert(id < lineOfFact.size() && "a fact that nobody stated");
    unsigned line = lineOfFact[id];
    // A declaration may state several facts.
    if (outcome.reasons.empty() || outcome.reasons.back().line != line)
      outcome.reasons.push_back({line, universe->facts.getFact(id).source});
  }
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

void Session::dropNames(size_t numKept) {
  for (const Declared &entry : llvm::drop_begin(declared, numKept)) {
    names.erase(entry.symbol.getName());
    universe->context.forgetName(entry.symbol);
  }
  declared.truncate(numKept);
}

bool Session::changeScope(const Statement &statement) {
  if (statement.keyword == Keyword::Reset) {
    reset();
  } else if (statement.keyword == Keyword::Push) {
    universe->facts.push();
    scopes.push_back(declared.size());
  } else if (!scopes.empty()) {
    universe->facts.pop();
    dropNames(scopes.pop_back_val());
  } else {
    return fail(statement.offsetOf(statement.word), "pop without push");
  }
  // The scope is changed all the same: what follows relies on that.
  return statement.rest.empty() ||
         fail(statement.offsetOf(statement.rest),
              "expected nothing behind '" + statement.word + "'");
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Expr Session::parse(const Statement &statement, StringRef text) {
  symbolic::ParseResult result =
      symbolic::parseExpr(text, universe->context,
                          [&](StringRef name) { return names.lookup(name); });
  if (!result)
    fail(statement.offsetOf(text) + result.errorOffset, result.errorMessage);
  return result.expr;
}

Expr Session::parseBoolean(const Statement &statement, StringRef text) {
  Expr expr = parse(statement, text);
  if (!expr || expr.isBool())
    return expr;
  fail(statement.offsetOf(text), "expected a boolean, found a number");
  return Expr();
}
