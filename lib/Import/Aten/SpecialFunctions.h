//===- SpecialFunctions.h - Functions of f64 elements -----------*- C++ -*-===//
//
// They are computed in f64, whose results are rounded to the type.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_ATEN_SPECIALFUNCTIONS_H
#define TALLY_LIB_IMPORT_ATEN_SPECIALFUNCTIONS_H

#include "Families.h"

namespace tally::import_pt2 {

void addBessel(LoweringTable &table);
void addIncompleteGamma(LoweringTable &table);
void addPolygamma(LoweringTable &table);
void addPolynomials(LoweringTable &table);
void addSignalWindows(LoweringTable &table);
void addZeta(LoweringTable &table);

/// x * y + z, where the product need not be rounded.
mlir::Value buildMultiplyAdd(const Scalars &s, mlir::Value x, mlir::Value y,
                             mlir::Value z);

/// c[0] + c[1] x + c[2] x^2 + ..., in which products need not be rounded.
mlir::Value buildPolynomial(const Scalars &s, mlir::Value x,
                            llvm::ArrayRef<double> c);

/// The modified Bessel function of the first kind of order 0.
mlir::Value buildBesselI0(Scalars &s, mlir::Value x);

mlir::Value buildLog(const Scalars &s, mlir::Value x);
mlir::Value buildExp(const Scalars &s, mlir::Value x);

/// The logarithm of the magnitude of gamma(x), and its derivative.
mlir::Value buildLogGamma(Scalars &s, mlir::Value x);
mlir::Value buildDigamma(Scalars &s, mlir::Value x);

/// B(2k) / (2k)! of Bernoulli's numbers, from k = 1 on: the factors of the
/// Euler-Maclaurin formula. The last one is for what is left out.
inline constexpr double kBernoulliQuotients[] = {
    1.0 / 12,
    -1.0 / 720,
    1.0 / 30240,
    -1.0 / 1209600,
    1.0 / 47900160,
    -691.0 / 1307674368000,
    1.0 / 74724249600,
    -3617.0 / 10670622842880000,
    43867.0 / 5109094217170944000,
    -174611.0 / 802857662698291200000.0,
};

/// The sum of (k + q)^-x for k from 0 on, for x > 1. For q < 0 there is one
/// where x is an integer.
mlir::Value buildZeta(Scalars &s, mlir::Value x, mlir::Value q);

/// A function of f64, as exact in every type.
void lowerDouble(Lowering &op,
                 llvm::function_ref<mlir::Value(Scalars &s, mlir::Value x)> fn);

template <mlir::Value (*fn)(Scalars &s, mlir::Value x)>
void lowerInDouble(Lowering &op) {
  lowerDouble(op, fn);
}

/// The same of two operands, each of which is a tensor or a number.
void lowerDoublePair(
    Lowering &op, Operand x, Operand y,
    llvm::function_ref<mlir::Value(Scalars &s, mlir::Value x, mlir::Value y)>
        fn);

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_ATEN_SPECIALFUNCTIONS_H
