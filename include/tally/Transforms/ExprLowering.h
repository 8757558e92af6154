//===- ExprLowering.h - Arithmetic for expressions --------------*- C++ -*-===//
//
// Builds `arith` operations that compute symbolic expressions. Expressions are
// about mathematical integers; what is built here is exact as well: where the
// ranges of the symbols do not exclude that a number leaves 64 bits, it is
// computed in as many bits as it can need.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TRANSFORMS_EXPRLOWERING_H
#define TALLY_TRANSFORMS_EXPRLOWERING_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "tally/Symbolic/Facts/Facts.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace tally {

/// Builds expressions at the insertion point of a builder. Common
/// sub-expressions are built once; use one lowering for what stands together.
class ExprLowering {
public:
  /// `valueOf` gives the value of a symbol: index or at most 64 bits for an
  /// integer, i1 for a boolean, f64 or less for a float. `facts` tells the
  /// ranges of symbols; it must hold only what is sure at the insertion point.
  ExprLowering(mlir::OpBuilder &builder, mlir::Location loc,
               symbolic::Facts &facts,
               std::function<mlir::Value(symbolic::Expr)> valueOf)
      : builder(builder), loc(loc), facts(facts), valueOf(std::move(valueOf)) {}

  /// A part of the expression that nothing is built for, or null: rounding to
  /// decimal digits takes more than arithmetic. Ask before the others.
  static symbolic::Expr findUnsupported(symbolic::Expr expr);

  /// The value of an integer expression as an index, of a boolean as an i1, of
  /// a float as an f64. An integer that does not fit is cut off: ask `fits`
  /// first. Where the expression is undefined the value is arbitrary.
  mlir::Value build(symbolic::Expr expr);

  /// An i1 that is true where the boolean expression is true, and false where
  /// it is false or undefined.
  mlir::Value buildCondition(symbolic::Expr condition);

  /// Whether the value of an integer expression is known to fit 64 bits.
  bool fits(symbolic::Expr expr);

private:
  /// A value, and an i1 that tells where it is defined (null: everywhere).
  struct Built {
    mlir::Value value;
    mlir::Value defined;
  };

  /// Integers are built as index where all of it fits 64 bits, as iN otherwise.
  Built buildInt(symbolic::Expr expr, mlir::Type type);
  Built buildIntNode(symbolic::Expr expr, mlir::Type type);
  Built buildResidue(symbolic::Expr expr, mlir::Type type);
  mlir::Value createBitwise(symbolic::BitwiseOp op, mlir::Value a,
                            mlir::Value b);
  Built buildSum(symbolic::Expr expr, mlir::Type type);
  Built buildDivision(symbolic::Expr expr, mlir::Type type);
  Built buildBool(symbolic::Expr expr);
  Built buildBoolNode(symbolic::Expr expr);
  Built buildComparison(symbolic::Expr expr);
  Built buildPower(symbolic::Expr expr, mlir::Type type);
  Built buildRounding(symbolic::Expr expr, mlir::Type type);
  Built buildConversion(symbolic::Expr expr);
  Built buildFloat(symbolic::Expr expr);
  Built buildExactFloat(symbolic::Expr expr);
  Built buildFloatNode(symbolic::Expr expr);
  Built buildFloatFunction(symbolic::Expr expr);
  Built buildFloatExtremum(symbolic::Expr expr);
  Built buildFloatDivision(symbolic::Expr expr);
  Built buildSelect(symbolic::Expr expr, mlir::Type type);
  Built buildAny(symbolic::Expr expr, mlir::Type type);

  mlir::Type getIntType(llvm::ArrayRef<symbolic::Expr> exprs);
  unsigned getWidth(symbolic::Expr expr);
  bool isProvenIn(symbolic::Expr expr, const symbolic::Interval &range);
  unsigned getNodeWidth(symbolic::Expr expr);
  mlir::Value constant(const llvm::DynamicAPInt &value, mlir::Type type);
  mlir::Value convert(mlir::Value value, mlir::Type type);
  mlir::Value narrow(mlir::Value value);
  mlir::Value floatConstant(double value);
  mlir::Value compareFloats(mlir::arith::CmpFPredicate predicate, mlir::Value a,
                            mlir::Value b);
  mlir::Value isBelow(mlir::Value value, double limit);
  mlir::Value isOrdinary(mlir::Value result,
                         llvm::ArrayRef<mlir::Value> operands);
  mlir::Value conjunction(mlir::Value a, mlir::Value b);
  mlir::Value implication(mlir::Value premise, mlir::Value conclusion);
  mlir::Value negation(mlir::Value value);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  symbolic::Facts &facts;
  std::function<mlir::Value(symbolic::Expr)> valueOf;
  llvm::DenseMap<std::pair<symbolic::Expr, mlir::Type>, Built> built;
  llvm::DenseMap<symbolic::Expr, unsigned> widths;
};

} // namespace tally

#endif // TALLY_TRANSFORMS_EXPRLOWERING_H
