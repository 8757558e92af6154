//===- Complex.h - Complex numbers as pairs ---------------------*- C++ -*-===//
//
// A tensor of complex numbers is one of floats whose last dimension has both
// parts.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_ATEN_COMPLEX_H
#define TALLY_LIB_IMPORT_ATEN_COMPLEX_H

#include "Families.h"

namespace tally::import_pt2 {

/// A complex number.
struct Complex {
  mlir::Value re, im;
};

/// Both parts of an operand.
struct Parts {
  Operand re, im;
  bool isComplex;
};

/// Returns true for an argument that is a tensor of complex numbers.
bool isComplex(Lowering &op, llvm::StringRef name);
/// The parts of an argument: a tensor of complex numbers or of others, or a
/// number.
Parts getParts(Lowering &op, llvm::StringRef name);
/// The same of a tensor of pairs.
Tensor getPart(Lowering &op, const Tensor &pairs, int64_t part);
/// Tensors as the parts of one.
Tensor buildPairs(Lowering &op, const Tensor &re, const Tensor &im);

/// The type that the parts of a result are computed in.
Dtype getPartDtype(Lowering &op);

/// Computes a complex number of numbers of one type.
using ComplexFn =
    llvm::function_ref<Complex(Scalars &s, llvm::ArrayRef<mlir::Value> args)>;
/// The result of a function of the elements of some operands.
Tensor mapPairs(Lowering &op, llvm::ArrayRef<Operand> operands, ComplexFn body);

/// Fourier transforms, and of these those that give real numbers: they may be
/// given such, too.
void addFFT(LoweringTable &table);
void addFFTToReal(LoweringTable &table);

/// Products of matrices, and linear algebra.
void addComplexMatmuls(LoweringTable &table);
void addComplexMatrices(LoweringTable &table);

Complex multiply(Scalars &s, Complex x, Complex y);

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_ATEN_COMPLEX_H
