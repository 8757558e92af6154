//===- Context.h - The call context of the runtime --------------*- C++ -*-===//
//
// A context owns the memory of a call and the error that ended it. Compiled
// code allocates and fails from several threads at once; everything else
// happens on the thread that called.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_CONTEXT_H
#define TALLY_LIB_RUNTIME_CONTEXT_H

#include "BlockPool.h"
#include "tally/Runtime/tally_runtime.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace tally::runtime {

/// A name of a failed expression with its value.
struct NamedValue {
  std::string name;
  std::string source;
  tally_rt_kind kind = TALLY_RT_INT;
  int64_t value = 0;
  double floatValue = 0;
};

/// Everything that is known about a failure; owns the strings that
/// `tally_rt_error` points to.
struct ErrorRecord {
  tally_rt_status status = TALLY_RT_OK;
  std::string message;
  std::string expression;
  std::string userMessage;
  std::string requiredBy;
  std::string declaredBy;
  std::string file;
  int32_t line = 0;
  int32_t column = 0;
  std::vector<NamedValue> values;
};

/// A buffer as its allocator wants it back.
struct Block {
  size_t bytes;
  size_t alignment;
};

/// Room for what a call hands over; kept from call to call.
struct CallScratch {
  std::vector<int64_t> words;
  std::vector<void *> argumentSlots;
  std::vector<void *> resultSlots;
  std::vector<DLManagedTensor *> made;
};

class CudaCall;
class ProgramState;

} // namespace tally::runtime

/// The context behind the opaque type of the C interface.
struct tally_rt_context {
  explicit tally_rt_context(const tally_rt_config &config);
  ~tally_rt_context();

  /// Records `record` as the error of this call unless there is one already.
  void fail(tally::runtime::ErrorRecord record) noexcept;
  /// Returns whether an error has been recorded.
  bool failed() const {
    return errorState.load(std::memory_order_acquire) == ErrorState::Recorded;
  }
  /// Forgets the error of the last call.
  void resetError();

  /// Allocates memory of the call, where it runs, and remembers the block; null
  /// after recording an error.
  void *allocate(int64_t bytes, int64_t alignment) noexcept;
  /// Allocates from the caller's allocator, wherever the call runs.
  void *allocateOnHost(int64_t bytes, int64_t alignment) noexcept;
  /// Releases a block; does nothing for a pointer that is not one.
  void release(void *pointer);
  /// Takes a block of the host out of the context's care. Returns false if
  /// `pointer` is none.
  bool takeOver(void *pointer, tally::runtime::Block &block);
  /// Ends a call: releases everything that is left.
  void releaseAll();
  /// The part of the context that calls on a GPU use; made on its first use.
  tally::runtime::CudaCall &getCuda();
  /// Returns whether a call on a GPU is going on.
  bool isOnGpu() const;

  /// Where memory of the host comes from if the caller brings no allocator.
  tally::runtime::BlockPool *pool;
  tally_rt_allocator allocator;
  tally_rt_parallel_for_fn parallelFor;
  void *parallelForUser;
  std::atomic<bool> busy{false};
  /// The library of the call.
  const tally_rt_library *library = nullptr;

  mutable std::mutex mutex;
  std::unordered_map<void *, tally::runtime::Block> live;

  /// The caller's stream.
  void *stream = nullptr;
  /// Whether calls may return before checks of data have been looked at, and
  /// whether the one that is going on may.
  bool defersChecks = false;
  bool mayDefer = false;
  /// Whether libraries may add sums up in another order each time.
  bool sumsInAnyOrder = false;
  std::unique_ptr<tally::runtime::CudaCall> cuda;
  tally_rt_counters counters = {};
  tally::runtime::CallScratch scratch;

  /// What is kept between calls, by the entry point that returns its first
  /// values.
  std::unordered_map<const tally_rt_entry *,
                     std::unique_ptr<tally::runtime::ProgramState>>
      states;

  /// Why a custom function is about to fail; guarded by `mutex`.
  std::string customMessage;

  enum class ErrorState { None, Recording, Recorded };
  std::atomic<ErrorState> errorState{ErrorState::None};
  tally::runtime::ErrorRecord error;
  std::vector<tally_rt_error_value> errorValues;
  tally_rt_error view;
};

#endif // TALLY_LIB_RUNTIME_CONTEXT_H
