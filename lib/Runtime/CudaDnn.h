//===- CudaDnn.h - Convolutions by cuDNN ------------------------*- C++ -*-===//
//
// cuDNN is loaded when first needed. Which algorithm it advises is kept for
// shapes that are alike. Private to the runtime.
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
  /// What is computed from the other two: the result, or the gradient of the
  /// weight.
  enum class Kind { Forward, WeightGradient };

  /// Queues a convolution of at least one element, each a sum of at least one
  /// product; `adds` adds it to what is there. Where it is not supported, `why`
  /// says why; where it failed, the call knows.
  Outcome run(CudaCall &call, Kind kind, const tally_rt_convolution_args &args,
              bool adds, std::string &why);

private:
  struct Plan;
  /// A convolution without its addresses.
  using Key = std::array<int64_t, 24>;

  static Key makeKey(Kind kind, const tally_rt_convolution_args &args);
  /// The sizes that stand for those that are alike.
  static tally_rt_convolution_args
  makeTypical(const tally_rt_convolution_args &args);
  bool prepare(std::string &why);
  std::shared_ptr<Plan>
  getPlan(Kind kind, const tally_rt_convolution_args &args, std::string &why);
  std::shared_ptr<Plan>
  makePlan(Kind kind, const tally_rt_convolution_args &args, std::string &why);
  int getAdvised(Kind kind, const tally_rt_convolution_args &typical);

  /// Guards everything: a handle is used by one thread at a time.
  std::mutex mutex;
  const DnnLibrary *library = nullptr;
  /// Why there is none, once that is known.
  std::string missing;
  void *handle = nullptr;
  std::unordered_map<Key, std::shared_ptr<Plan>, WordsHash> plans;
  /// The algorithm for sizes that are alike; -1 where none is advised.
  std::unordered_map<Key, int, WordsHash> advised;
};

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_CUDADNN_H
