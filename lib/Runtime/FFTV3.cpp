//===- FFTV3.cpp - Fourier transforms on x86-64-v3: AVX2 -----------------===//

#define TALLY_FFT_LEVEL fftV3
#include "FFTKernels.h"
