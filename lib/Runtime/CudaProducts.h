//===- CudaProducts.h - Products and convolutions on a GPU ------*- C++ -*-===//
//
// Which library, or kernel of the program, computes what. Private to the
// runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_CUDAPRODUCTS_H
#define TALLY_LIB_RUNTIME_CUDAPRODUCTS_H

#include "CudaCall.h"
#include "CudaDnn.h"

namespace tally::runtime {

/// Products and convolutions of one call. A function that fails has recorded
/// the error.
class CudaProducts {
public:
  /// Sums of convolutions may be added up in `anyOrder`.
  CudaProducts(CudaCall &call, tally_rt_counters &counters,
               bool anyOrder = false)
      : call(call), counters(counters), anyOrder(anyOrder) {}

  /// See tally_rt_matmul.
  bool multiply(const tally_rt_matmul_args &args,
                const tally_rt_kernel *fallback);
  /// See tally_rt_convolution.
  bool convolve(const tally_rt_convolution_args &args,
                const tally_rt_kernel &windows, const tally_rt_kernel &product);
  /// See tally_rt_weight_gradient.
  bool computeWeightGradient(const tally_rt_convolution_args &args,
                             const tally_rt_kernel &fallback);
  /// See tally_rt_image_gradient.
  bool computeImageGradient(const tally_rt_convolution_args &args,
                            const tally_rt_kernel &fallback);

private:
  struct Windows;

  bool launchFallback(const tally_rt_matmul_args &args,
                      const tally_rt_kernel &kernel);
  bool clearProduct(const tally_rt_matmul_args &args);
  bool multiplyAsIs(const tally_rt_matmul_args &args,
                    const tally_rt_kernel *fallback);
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
  bool runLibrary(const CudaDnn::Task &task,
                  const tally_rt_convolution_args &args, bool &isDone);
  bool launchGradient(const tally_rt_convolution_args &args, int64_t elements,
                      const tally_rt_kernel &kernel);

  CudaCall &call;
  tally_rt_counters &counters;
  bool anyOrder;
};

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_CUDAPRODUCTS_H
