//===- ShapesImpl.h - The parts of a SymbolicShapes -------------*- C++ -*-===//
//
// Each part knows those before it. They reach sizes and values through the
// public interface, as models do.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_ANALYSIS_SHAPESIMPL_H
#define TALLY_LIB_ANALYSIS_SHAPESIMPL_H

#include "ShapeWalk.h"
#include "StatementWriter.h"
#include "tally/Symbolic/Proof/Prover.h"

namespace tally {

struct SymbolicShapes::Impl {
  Impl(SymbolicShapes &shapes, mlir::Operation *root,
       SymbolicShapesOptions options);

  void run();
  /// The budget of a question about arithmetic.
  symbolic::ProverBudget getBudget() const;

  mlir::Operation *root;
  SymbolicShapesOptions options;
  symbolic::ExprContext context;
  ShapeTable sizes;
  ShapeFacts facts;
  ValueSymbols symbols;
  LongSums sums;
  Joins joins;
  Declarations declarations;
  ShapeWalk walk;
  StatementWriter writer;
  bool isWalked = false;
};

/// The value of an integer that is known at compile time.
std::optional<int64_t> getConstantInt(mlir::Value value);

} // namespace tally

#endif // TALLY_LIB_ANALYSIS_SHAPESIMPL_H
