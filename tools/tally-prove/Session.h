//===- Session.h - Symbols, facts and answers -------------------*- C++ -*-===//
//
// What the statements read so far have declared and stated, in scopes, and
// the answers to queries under that.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TOOLS_TALLYPROVE_SESSION_H
#define TALLY_TOOLS_TALLYPROVE_SESSION_H

#include "Statements.h"
#include "tally/Symbolic/Prover.h"

#include "llvm/ADT/StringMap.h"

namespace tally::prove {

/// A declaration or a fact that an answer relies on.
struct Reason {
  unsigned line;
  std::string text;
};

/// What a statement came to.
struct Outcome {
  Keyword keyword = Keyword::Nothing;
  unsigned line = 0;
  std::optional<Failure> failure;
  std::optional<Failure> warning;
  /// Of a query: the answer, what found it, and from what.
  std::string answer;
  std::string rung;
  llvm::SmallVector<Reason, 4> reasons;
  /// The time from the text of the statement to its answer.
  double microseconds = 0;
};

/// Reads statements and keeps what they state.
///
/// `push` opens a scope; `pop` forgets what was stated and declared since
/// then, so that its names are free again. `reset` forgets everything.
class Session {
public:
  Session();

  Outcome run(llvm::StringRef text, unsigned line);

private:
  using Expr = symbolic::Expr;
  /// What a query found; the reasons as facts.
  struct Found {
    std::string answer;
    std::string rung;
    symbolic::FactSet facts;
  };

  // Each is false after a failure.
  bool dispatch(const Statement &statement, Outcome &outcome);
  bool declare(const Statement &statement, Outcome &outcome);
  bool state(const Statement &statement);
  bool changeScope(const Statement &statement);
  bool query(const Statement &statement, Found &found);
  bool prove(const Statement &statement, Found &found);
  bool equal(const Statement &statement, Found &found);
  bool simplify(const Statement &statement, Found &found);
  bool range(const Statement &statement, Found &found);
  bool divisors(const Statement &statement, Found &found);
  bool solve(const Statement &statement, Found &found);
  bool eval(const Statement &statement, Found &found);

  Expr parse(const Statement &statement, llvm::StringRef text);
  Expr parseBoolean(const Statement &statement, llvm::StringRef text);
  Expr findUnknown(const Statement &statement, llvm::StringRef name);
  bool parseValues(const Statement &statement, llvm::StringRef text,
                   llvm::DenseMap<Expr, symbolic::Value> &values);
  void printValue(const symbolic::Value &value, llvm::raw_ostream &os);
  bool isContradictory(Found &found);
  void decide(Expr expr, Found &found);
  void reset();
  void dropNames(size_t numKept);
  /// The facts added since the last call were stated in this line.
  void recordFacts(unsigned line);
  void addReasons(const symbolic::FactSet &facts, Outcome &outcome);

  bool fail(size_t offset, const llvm::Twine &message);

  struct Universe {
    symbolic::ExprContext context;
    symbolic::Facts facts{context};
  };
  std::unique_ptr<Universe> universe;
  llvm::StringMap<Expr> names;
  llvm::SmallVector<Expr, 16> declared;
  /// The number of declared symbols at each push.
  llvm::SmallVector<size_t, 4> scopes;
  llvm::SmallVector<unsigned, 16> lineOfFact;
  Failure failure;
};

} // namespace tally::prove

#endif // TALLY_TOOLS_TALLYPROVE_SESSION_H
