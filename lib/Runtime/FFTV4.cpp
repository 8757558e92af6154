//===- FFTV4.cpp - Fourier transforms on x86-64-v4: AVX-512 --------------===//

#define TALLY_FFT_LEVEL fftV4
#include "FFTKernels.h"
