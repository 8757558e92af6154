//===- CudaMatmul.h - Matrix products by cuBLASLt ---------------*- C++ -*-===//
//
// cuBLASLt is loaded when first needed. What it chooses for a shape is kept.
// Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_CUDAMATMUL_H
#define TALLY_LIB_RUNTIME_CUDAMATMUL_H

#include "CudaDriver.h"
#include "WordsHash.h"
#include "tally/Runtime/tally_runtime.h"

#include <array>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace tally::runtime {

class CudaCall;
struct CublasLt;

/// The matrix products of one GPU.
class CudaMatmul {
public:
  CudaMatmul();
  ~CudaMatmul();

  /// The outcome of a product.
  enum class Outcome { Done, Failed, Unsupported };

  /// Queues a product of at least one element with k > 0. Where it is not
  /// supported, `why` says why; where it failed, the call knows.
  Outcome run(CudaCall &call, const tally_rt_matmul_args &args,
              std::string &why);

private:
  struct Plan;
  /// All that the choice of an algorithm depends on.
  using Key = std::array<int64_t, 19>;

  static Key makeKey(const tally_rt_matmul_args &args);
  bool prepare(std::string &why);
  std::shared_ptr<Plan> getPlan(const tally_rt_matmul_args &args,
                                std::string &why);
  std::shared_ptr<Plan> makePlan(const tally_rt_matmul_args &args,
                                 std::string &why);

  std::mutex mutex;
  const CublasLt *library = nullptr;
  void *handle = nullptr;
  std::unordered_map<Key, std::shared_ptr<Plan>, WordsHash> plans;
};

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_CUDAMATMUL_H
