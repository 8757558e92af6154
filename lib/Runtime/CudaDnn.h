//===- CudaDnn.h - Convolutions by cuDNN ------------------------*- C++ -*-===//
//
// cuDNN is loaded when first needed. How it computes convolutions of some sizes
// is kept for the next one. Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_CUDADNN_H
#define TALLY_LIB_RUNTIME_CUDADNN_H

#include "WordsHash.h"
#include "tally/Runtime/tally_runtime.h"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tally::runtime {

class CudaCall;
struct DnnLibrary;

/// The convolutions of one GPU.
class CudaDnn {
public:
  CudaDnn();
  ~CudaDnn();

  enum class Outcome { Done, Failed, Unsupported };
  /// What is computed from the other two: the result, or a gradient.
  enum class Kind { Forward, WeightGradient, ImageGradient };
  /// What is to be computed, and how.
  struct Task {
    Kind kind;
    /// Whether sums may be added up in another order each time.
    bool anyOrder = false;
    /// Whether the sums are added to what is there; not for an image.
    bool adds = false;
  };

  /// Queues a convolution of at least one element, each a sum of at least one
  /// product. Where it is not supported, `why` says why; where it failed, the
  /// call knows.
  Outcome run(CudaCall &call, const Task &task,
              const tally_rt_convolution_args &args, std::string &why);

  /// Whether the gradient of an image is written as a whole; what is behind all
  /// windows is not.
  static bool writesAll(const tally_rt_convolution_args &args);

private:
  struct Plan;
  /// A convolution, and what its addresses are a multiple of.
  using Key = std::array<int64_t, 26>;

  static Key makeKey(const Task &task, const tally_rt_convolution_args &args);
  bool prepare(std::string &why);
  std::shared_ptr<Plan> getPlan(const Task &task,
                                const tally_rt_convolution_args &args,
                                std::string &why);
  std::shared_ptr<Plan> makePlan(const Task &task,
                                 const tally_rt_convolution_args &args,
                                 std::string &why);

  /// Guards everything: a handle is used by one thread at a time.
  std::mutex mutex;
  const DnnLibrary *library = nullptr;
  /// Why there is none, once that is known.
  std::string missing;
  void *handle = nullptr;
  std::unordered_map<Key, std::shared_ptr<Plan>, WordsHash> plans;
};

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_CUDADNN_H
