//===- FFTBaseline.cpp - Fourier transforms on every processor -----------===//

#define TALLY_FFT_LEVEL fftBaseline
#include "FFTKernels.h"
