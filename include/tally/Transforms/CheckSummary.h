//===- CheckSummary.h - What became of checks -------------------*- C++ -*-===//
//
// Counts for those who want to tell how much of a program was proven.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TRANSFORMS_CHECKSUMMARY_H
#define TALLY_TRANSFORMS_CHECKSUMMARY_H

#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"

#include <array>
#include <atomic>
#include <memory>
#include <string>

namespace tally {

/// Counts of what became of checks. Several threads may count.
struct CheckSummary {
  static constexpr unsigned kNumRungs = 7;
  /// How many were proven, by what proved them: `symbolic::Rung`.
  std::array<std::atomic<int64_t>, kNumRungs> proven{};
  /// Where no run comes.
  std::atomic<int64_t> unreached{0};
  /// The asserts that are left.
  std::atomic<int64_t> asserted{0};
  /// Those that are dropped, as the policy says.
  std::atomic<int64_t> assumed{0};

  /// `12 checks: 9 proven (canonical 2, ranges 7), 3 asserted`.
  std::string str() const;
};

/// As `propagateShapes` of Transforms.h; counts the preconditions that are
/// proven before they become checks.
mlir::LogicalResult propagateShapes(mlir::Operation *root,
                                    const ShapePropagationOptions &options,
                                    CheckSummary *summary);

/// Creates `tally-propagate-shapes` that counts them; `summary` has to outlive
/// it.
std::unique_ptr<mlir::Pass>
createPropagateShapes(const PropagateShapesOptions &options,
                      CheckSummary &summary);

/// As `insertRuntimeAsserts` of Transforms.h; counts what becomes of checks.
mlir::LogicalResult insertRuntimeAsserts(mlir::FunctionOpInterface function,
                                         const RuntimeAssertOptions &options,
                                         CheckSummary *summary);

/// Creates `tally-insert-runtime-asserts` that counts what becomes of checks;
/// `summary` has to outlive it.
std::unique_ptr<mlir::Pass>
createInsertRuntimeAsserts(const InsertRuntimeAssertsOptions &options,
                           CheckSummary &summary);

} // namespace tally

#endif // TALLY_TRANSFORMS_CHECKSUMMARY_H
