//===- CudaPadding.h - Products with padded rows ----------------*- C++ -*-===//
//
// Tensor cores read 16 bytes at a time. Where rows of half precision are no
// multiple of that, cuBLASLt takes kernels that are a fifth as fast: on an H200
// 4096 x 768 by 768 x 50257 took 3.06 ms, and 0.46 ms by 768 x 50264. Private
// to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_CUDAPADDING_H
#define TALLY_LIB_RUNTIME_CUDAPADDING_H

#include "CudaCall.h"

#include <functional>

namespace tally::runtime {

/// A product whose operands, or some of them, are copied to rows that are
/// multiples of 16 bytes, with zeros behind, and whose result is copied back.
class CudaPadding {
public:
  CudaPadding(CudaCall &call, const tally_rt_matmul_args &args);

  /// Whether copies and the product take less time than the product as it is.
  bool isWorthwhile() const;
  /// Queues it all; a product by `multiply`, which is called for parts of the
  /// rows where the padded result is large.
  bool run(const std::function<bool(const tally_rt_matmul_args &)> &multiply);

private:
  /// Copies a matrix to `rows` rows of a length that is told in `leading`; null
  /// where that failed.
  const void *pad(const CudaRows &from, int64_t rows, int64_t &leading);
  bool padLeft();
  bool padRight();
  bool padBias();
  bool multiplyParts(
      const std::function<bool(const tally_rt_matmul_args &)> &multiply);
  void *allocate(int64_t bytes);
  int64_t getResultBytes() const;

  CudaCall &call;
  /// What is asked for, and what is computed of it.
  const tally_rt_matmul_args &args;
  tally_rt_matmul_args padded;
  bool left, right, result;
  std::vector<void *> copies;
};

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_CUDAPADDING_H
