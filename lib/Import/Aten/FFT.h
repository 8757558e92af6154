//===- FFT.h - Fourier transforms as steps of others ------------*- C++ -*-===//

#ifndef TALLY_LIB_IMPORT_ATEN_FFT_H
#define TALLY_LIB_IMPORT_ATEN_FFT_H

#include "Complex.h"
#include "tally/IR/TallyFFTOps.h"

namespace tally::import_pt2 {

/// A tensor that is transformed.
struct Signal {
  Tensor tensor;
  bool isComplex;

  int64_t rank() const { return tensor.rank() - isComplex; }
};

/// An argument as floats; reports what is not transformed.
Signal getSignal(Lowering &op, llvm::StringRef name);

/// Gives a tensor of real numbers imaginary parts, which are 0.
void makeComplex(Lowering &op, Signal &signal);

/// One transform. `length` is the number of real or complex elements.
void transform(Lowering &op, Signal &signal, FFTKind kind, int64_t dim,
               FFTScaling scaling, Expr length);

/// Transforms of windows.
void addSTFT(LoweringTable &table);

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_ATEN_FFT_H
