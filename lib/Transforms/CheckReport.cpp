//===- CheckReport.cpp - What becomes of each check -----------------------===//

#include "CheckReport.h"

#include "tally/Analysis/ScopedFacts.h"
#include "tally/Analysis/ValueSources.h"
#include "tally/Symbolic/Text/SMTLib.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

#define DEBUG_TYPE "tally-insert-runtime-asserts"

using namespace mlir;
using namespace tally;
using symbolic::Answer;
using symbolic::Expr;
using symbolic::Fact;
using symbolic::FactId;
using symbolic::Provenance;
using symbolic::Verdict;

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

static_assert(CheckSummary::kNumRungs ==
              static_cast<unsigned>(symbolic::Rung::Z3) + 1);

void tally::countProven(CheckSummary *summary, const Answer &answer) {
  if (!summary)
    return;
  if (answer.verdict == Verdict::Contradiction)
    ++summary->unreached;
  else
    ++summary->proven[static_cast<unsigned>(answer.rung)];
}

std::string CheckSummary::str() const {
  int64_t numProven = 0;
  std::string rungs;
  for (auto [rung, count] : llvm::enumerate(proven)) {
    numProven += count;
    if (count != 0)
      rungs += (rungs.empty() ? "" : ", ") +
               symbolic::toString(static_cast<symbolic::Rung>(rung)).str() +
               " " + std::to_string(count);
  }
  int64_t numChecks = numProven + unreached + asserted + assumed;
  std::string text = std::to_string(numChecks) +
                     (numChecks == 1 ? " check" : " checks") + ": " +
                     std::to_string(numProven) + " proven";
  if (!rungs.empty())
    text += " (" + rungs + ")";
  text += ", " + std::to_string(asserted) + " asserted";
  if (unreached != 0)
    text += ", " + std::to_string(unreached) + " never reached";
  if (assumed != 0)
    text += ", " + std::to_string(assumed) + " taken on trust";
  return text;
}

//===----------------------------------------------------------------------===//
// Explaining
//===----------------------------------------------------------------------===//

/// The condition, or what the message says of a boolean that nobody has a word
/// for.
static StringRef describeCheck(CheckOp check) {
  StringRef text = check.getCondition().getText();
  return tellsOnlyMessage(check) ? *check.getMessage() : text;
}

void CheckReport::noteFact(FactId id, Expr fact, Operation *op) {
  if (!isEnabled)
    return;
  origins.erase(id);
  origins.try_emplace(id, Origin{fact, op->getLoc()});
}

const CheckReport::Origin *CheckReport::findOrigin(FactId id) const {
  auto it = origins.find(id);
  bool fits = it != origins.end() &&
              it->second.fact == shapes.getFacts().getFact(id).expr;
  return fits ? &it->second : nullptr;
}

/// `s0 <= 64 (asserted at model.py:41)`.
std::string CheckReport::describeFact(FactId id) {
  const Fact &fact = shapes.getFacts().getFact(id);
  std::string text = describeExpr(fact.expr, shapes);
  std::string source = fact.source;
  if (const Origin *origin = findOrigin(id))
    source = (fact.provenance == Provenance::Assumed ? "assumed" : "asserted") +
             describePlace(origin->loc);
  return source.empty() || source == text ? text : text + " (" + source + ")";
}

/// The check repeats what is asserted already.
bool CheckReport::reportMerged(CheckOp check, Expr condition,
                               const Answer &answer) {
  for (FactId id : answer.facts) {
    const Fact &fact = shapes.getFacts().getFact(id);
    const Origin *origin = findOrigin(id);
    if (fact.expr != condition || !origin ||
        fact.provenance != Provenance::Checked)
      continue;
    std::string what =
        tellsOnlyMessage(check) ? "" : " of " + describeExpr(fact.expr, shapes);
    check.emitRemark() << describeCheck(check) << ": merged into the assert"
                       << what << describePlace(origin->loc);
    return true;
  }
  return false;
}

void CheckReport::reportProven(CheckOp check, Expr condition,
                               const Answer &answer) {
  countProven(summary, answer);
  LDBG() << describeCheck(check) << describePlace(check.getLoc())
         << (answer.verdict == Verdict::Contradiction ? ": never reached"
                                                      : ": proven");
  if (!isEnabled || reportMerged(check, condition, answer))
    return;
  InFlightDiagnostic remark = check.emitRemark()
                              << describeCheck(check) << ": ";
  if (answer.verdict == Verdict::Contradiction)
    remark << "never reached: what is known here excludes every run";
  else
    remark << "proven (" << symbolic::toString(answer.rung) << ")";
  tellFacts(remark, answer);
}

void CheckReport::tellFacts(InFlightDiagnostic &remark, const Answer &answer) {
  StringRef separator = " from ";
  for (FactId id : answer.facts) {
    const Fact &fact = shapes.getFacts().getFact(id);
    // That a number fits its type, or is a size, goes without saying.
    if (fact.provenance == Provenance::Proven && fact.source.empty())
      continue;
    remark << separator << describeFact(id);
    separator = ", ";
  }
}

void CheckReport::reportProven(const Precondition &precondition,
                               const Answer &answer) {
  countProven(summary, answer);
  LDBG() << describePrecondition(precondition, shapes)
         << describePlace(precondition.op->getLoc()) << ": not a check, proven";
  if (!isEnabled)
    return;
  InFlightDiagnostic remark = precondition.op->emitRemark()
                              << describePrecondition(precondition, shapes)
                              << ": proven (" << symbolic::toString(answer.rung)
                              << ")";
  tellFacts(remark, answer);
}

void CheckReport::reportStated(const Precondition &precondition) {
  if (summary)
    ++summary->proven[static_cast<unsigned>(symbolic::Rung::Facts)];
  LDBG() << describePrecondition(precondition, shapes)
         << describePlace(precondition.op->getLoc())
         << ": not a check, stated before";
  if (isEnabled)
    precondition.op->emitRemark() << describePrecondition(precondition, shapes)
                                  << ": follows from a check before it";
}

void CheckReport::reportAsserted(CheckOp check,
                                 const AssertPlacement &placement) {
  if (summary)
    ++summary->asserted;
  LDBG() << describeCheck(check) << describePlace(check.getLoc())
         << ": asserted" << (placement.outOf ? " before where it stands" : "");
  if (!isEnabled)
    return;
  InFlightDiagnostic remark = check.emitRemark()
                              << describeCheck(check) << ": asserted";
  if (!placement.outOf)
    return;
  remark << " before the '" << placement.outOf->getName() << "'"
         << describePlace(placement.outOf->getLoc());
  StringRef separator = ", where ";
  for (Expr premise : placement.premises) {
    remark << separator << describeExpr(premise, shapes);
    separator = " and ";
  }
}

void CheckReport::reportAssumed(CheckOp check) {
  if (summary)
    ++summary->assumed;
  LDBG() << describeCheck(check) << describePlace(check.getLoc())
         << ": assumed";
  if (isEnabled)
    check.emitRemark() << describeCheck(check)
                       << ": assumed, as the option `checks` says";
}

//===----------------------------------------------------------------------===//
// Validating
//===----------------------------------------------------------------------===//

LogicalResult tally::openValidator(MLIRContext *context, StringRef pass,
                                   bool validate,
                                   std::shared_ptr<Z3Solver> &z3) {
  if (!validate && !std::getenv("TALLY_VALIDATE"))
    return success();
  std::string error;
  z3 = Z3Solver::open(error);
  if (z3)
    return success();
  return emitError(UnknownLoc::get(context))
         << pass << ": there is no Z3 to validate with: " << error;
}

Satisfiability ProofValidator::ask(ArrayRef<Expr> facts, Expr condition,
                                   const Answer &answer, std::string &script) {
  constexpr unsigned milliseconds = 2000;
  bool isContradiction = answer.verdict == Verdict::Contradiction;
  symbolic::SMTScript query = symbolic::makeSMTScript(
      facts, condition,
      isContradiction ? symbolic::SMTClaim::Contradiction
                      : symbolic::SMTClaim::True);
  script = query.text;
  if (!query.hasQuery)
    return Satisfiability::Unknown;
  std::string error;
  Satisfiability result = z3.check(query.text, milliseconds, error);
  // What was left out might have made the difference.
  if (result == Satisfiability::Sat && !query.isComplete())
    return Satisfiability::Unknown;
  return result;
}

/// A comment for each symbol of a query that has no name of the user's, with
/// what it stands for.
static std::string explainSymbols(StringRef script, SymbolicShapes &shapes) {
  std::string text;
  for (Expr symbol : shapes.getContext().getSymbols()) {
    std::string name = ("$" + symbol.getName()).str();
    if (symbol.isAnonymous() && script.contains("(declare-const " + name + " "))
      text += "; " + name + " is " + describeExpr(symbol, shapes) + "\n";
  }
  return text;
}

LogicalResult ProofValidator::validate(Operation *op, Expr condition,
                                       const Answer &answer) {
  // First with the facts that the answer names, as it is much quicker.
  auto named = llvm::map_to_vector(answer.facts.getIds(), [&](FactId id) {
    return shapes.getFacts().getFact(id).expr;
  });
  std::string script;
  if (ask(named, condition, answer, script) == Satisfiability::Unsat)
    return success();
  if (ask(symbolic::getStatedFacts(shapes.getFacts()), condition, answer,
          script) != Satisfiability::Sat)
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError()
      << "was taken to be proven (" << symbolic::toString(answer.rung)
      << "), but Z3 refutes it; this is a defect of Tally, please report it";
  diagnostic.attachNote() << "the query:\n"
                          << explainSymbols(script, shapes) << script;
  return diagnostic;
}
