//===- Session.h - Symbols, facts and answers -------------------*- C++ -*-===//
//
// What the statements read so far have declared and stated, in scopes, and
// the answers to queries under that.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TOOLS_TALLYPROVE_SESSION_H
#define TALLY_TOOLS_TALLYPROVE_SESSION_H

#include "Statements.h"
#include "tally/Symbolic/Proof/Prover.h"
#include "tally/Symbolic/Text/SMTLib.h"
#include "tally/Z3/Z3.h"

#include "llvm/ADT/StringMap.h"

namespace tally::prove {

/// A declaration or a fact that an answer relies on.
struct Reason {
  unsigned line;
  std::string text;
};

/// What an answer says, as text in the grammar of expressions, for an SMT
/// solver to check.
struct Claim {
  std::string query;
  symbolic::SMTClaim kind;
  /// False where the question is open.
  bool isAnswered = true;
};

/// What a statement came to.
struct Outcome {
  Keyword keyword = Keyword::Nothing;
  unsigned line = 0;
  std::optional<Failure> failure;
  llvm::SmallVector<Failure, 1> warnings;
  /// Of a query: the answer, what found it, and from what.
  std::string answer;
  std::string rung;
  llvm::SmallVector<Reason, 4> reasons;
  /// Of a question that is not decided: why.
  llvm::StringRef doubt;
  /// Of a query with an answer to confirm.
  std::optional<Claim> claim;
  /// The time from the text of the statement to its answer.
  double microseconds = 0;
};

struct SessionOptions {
  /// Keep what was written, for SMT scripts.
  bool keepsWritten = false;
  /// What is asked where the ladder finds no answer.
  Z3Solver *z3 = nullptr;
  /// For each question to it.
  unsigned z3Milliseconds = 2000;
};

/// Reads statements and keeps what they state.
///
/// `push` opens a scope; `pop` forgets what was stated and declared since
/// then, so that its names are free again. `reset` forgets everything.
class Session {
public:
  explicit Session(SessionOptions options);

  Outcome run(llvm::StringRef text, unsigned line);

  /// The script that confirms a claim about the last query, from the facts as
  /// they were written.
  symbolic::SMTScript makeScript(const Claim &claim);

private:
  using Expr = symbolic::Expr;
  /// What a query found; the reasons as facts.
  struct Found {
    std::string answer;
    std::string rung;
    symbolic::FactSet facts;
    llvm::StringRef doubt;
    std::optional<Claim> claim;
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
  /// Decides an expression; `text` says what is asked.
  void decide(Expr expr, const llvm::Twine &text, Found &found);
  void askZ3(const Claim &claim, Found &found);
  void reset();
  void dropNames(size_t numKept);
  /// The facts added since the last call were stated in this line.
  void recordFacts(unsigned line);
  void warnOfComment(const Statement &statement, Outcome &outcome);
  void addReasons(const symbolic::FactSet &facts, Outcome &outcome);

  bool fail(size_t offset, const llvm::Twine &message);

  struct Universe {
    symbolic::ExprContext context;
    symbolic::Facts facts{context};
  };
  std::unique_ptr<Universe> universe;
  llvm::StringMap<Expr> names;
  struct Declared {
    Expr symbol;
    unsigned line;
  };
  llvm::SmallVector<Declared, 16> declared;
  /// The number of declared symbols at each push.
  llvm::SmallVector<size_t, 4> scopes;
  llvm::SmallVector<unsigned, 16> lineOfFact;
  /// The facts, as far as they are kept as written.
  llvm::SmallVector<Expr, 16> writtenFacts;
  SessionOptions options;
  Failure failure;
};

} // namespace tally::prove

#endif // TALLY_TOOLS_TALLYPROVE_SESSION_H
