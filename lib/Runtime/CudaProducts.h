//===- CudaProducts.h - Products and convolutions on a GPU ------*- C++ -*-===//
//
// Which library, or kernel of the program, computes what. Private to the
// runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_CUDAPRODUCTS_H
#define TALLY_LIB_RUNTIME_CUDAPRODUCTS_H

#include "CudaCall.h"

namespace tally::runtime {

/// Products and convolutions of one call. A function that fails has recorded
/// the error.
class CudaProducts {
public:
  CudaProducts(CudaCall &call, tally_rt_counters &counters)
      : call(call), counters(counters) {}

  /// See tally_rt_matmul.
  bool multiply(const tally_rt_matmul_args &args,
                const tally_rt_kernel *fallback);
  /// See tally_rt_convolution.
  bool convolve(const tally_rt_convolution_args &args,
                const tally_rt_kernel &windows, const tally_rt_kernel &product);
  /// See tally_rt_weight_gradient.
  bool computeWeightGradient(const tally_rt_convolution_args &args,
                             const tally_rt_kernel &fallback);

private:
  struct Windows;

  bool launchFallback(const tally_rt_matmul_args &args,
                      const tally_rt_kernel &kernel);
  bool clearProduct(const tally_rt_matmul_args &args);
  bool convolvePart(const tally_rt_convolution_args &args,
                    const tally_rt_kernel &windows,
                    const tally_rt_kernel &product);
  bool convolveByProducts(const tally_rt_convolution_args &args,
                          const tally_rt_kernel &windows,
                          const tally_rt_kernel &product);
  bool copyWindows(const tally_rt_convolution_args &args,
                   const tally_rt_kernel &kernel, const Windows &block);
  bool multiplyWindows(const tally_rt_convolution_args &args,
                       const tally_rt_kernel &product, const Windows &block);
  bool launchGradient(const tally_rt_convolution_args &args,
                      const tally_rt_kernel &kernel);

  CudaCall &call;
  tally_rt_counters &counters;
};

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_CUDAPRODUCTS_H
