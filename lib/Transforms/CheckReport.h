//===- CheckReport.h - What becomes of each check ---------------*- C++ -*-===//
//
// Tells the user, and asks Z3, what tally-insert-runtime-asserts made of a
// check.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_TRANSFORMS_CHECKREPORT_H
#define TALLY_LIB_TRANSFORMS_CHECKREPORT_H

#include "AssertPlacement.h"
#include "tally/Symbolic/Proof/Prover.h"
#include "tally/Transforms/CheckSummary.h"
#include "tally/Z3/Z3.h"

namespace tally {

/// Counts a check that was decided in the summary.
void countProven(CheckSummary *summary, const symbolic::Answer &answer);

/// Remarks at checks, for the option `explain`.
class CheckReport {
public:
  /// Counts in `summary`, which may be null, whether enabled or not.
  CheckReport(SymbolicShapes &shapes, bool isEnabled, CheckSummary *summary)
      : shapes(shapes), isEnabled(isEnabled), summary(summary) {}

  /// A fact that an assert, or an assumption, at `op` has made.
  void noteFact(symbolic::FactId id, symbolic::Expr fact, mlir::Operation *op);

  void reportProven(CheckOp check, symbolic::Expr condition,
                    const symbolic::Answer &answer);
  /// The same for a precondition that is proven before it becomes a check.
  void reportProven(const Precondition &precondition,
                    const symbolic::Answer &answer);
  /// One that has been stated before.
  void reportStated(const Precondition &precondition);
  void reportAsserted(CheckOp check, const AssertPlacement &placement);
  void reportAssumed(CheckOp check);

private:
  struct Origin {
    symbolic::Expr fact;
    mlir::Location loc;
  };

  const Origin *findOrigin(symbolic::FactId id) const;
  bool reportMerged(CheckOp check, symbolic::Expr condition,
                    const symbolic::Answer &answer);
  std::string describeFact(symbolic::FactId id);
  void tellFacts(mlir::InFlightDiagnostic &remark,
                 const symbolic::Answer &answer);

  SymbolicShapes &shapes;
  bool isEnabled;
  CheckSummary *summary;
  /// Where facts come from. Ids are used again: the expression must fit.
  llvm::DenseMap<symbolic::FactId, Origin> origins;
};

/// Opens Z3 where proofs are to be validated: as `validate` says, or the
/// environment (TALLY_VALIDATE). Fails with an error if there is none.
mlir::LogicalResult openValidator(mlir::MLIRContext *context,
                                  llvm::StringRef pass, bool validate,
                                  std::shared_ptr<Z3Solver> &z3);

/// Has Z3 confirm every proof that saves a check, for the option `validate`.
class ProofValidator {
public:
  ProofValidator(SymbolicShapes &shapes, Z3Solver &z3)
      : shapes(shapes), z3(z3) {}

  /// Reports at `op` a proof that Z3 refutes, and fails.
  mlir::LogicalResult validate(mlir::Operation *op, symbolic::Expr condition,
                               const symbolic::Answer &answer);

private:
  Satisfiability ask(llvm::ArrayRef<symbolic::Expr> facts,
                     symbolic::Expr condition, const symbolic::Answer &answer,
                     std::string &script);

  SymbolicShapes &shapes;
  Z3Solver &z3;
};

} // namespace tally

#endif // TALLY_LIB_TRANSFORMS_CHECKREPORT_H
