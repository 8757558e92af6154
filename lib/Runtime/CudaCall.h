//===- CudaCall.h - A call on a GPU -----------------------------*- C++ -*-===//
//
// The state of a call context for its calls on a GPU: stream, memory, and what
// is kept from call to call. Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_CUDACALL_H
#define TALLY_LIB_RUNTIME_CUDACALL_H

#include "CudaDevice.h"
#include "tally/Runtime/tally_runtime.h"

#include <optional>
#include <vector>

namespace tally::runtime {

/// Rows of elements in memory of the GPU; `leading` elements lie between the
/// first ones of two.
struct CudaRows {
  void *data;
  int64_t rows, columns, leading;
};

/// The calls of one context, one after the other. A function that fails has
/// recorded the error in the context.
class CudaCall {
public:
  explicit CudaCall(tally_rt_context &ctx) : ctx(ctx) {}
  ~CudaCall();

  /// Starts a call on a GPU; `library` may be null.
  bool begin(int ordinal, const tally_rt_library *library);
  /// Ends the call: releases what is left. Does nothing where there is none.
  void end();
  bool isRunning() const { return current.has_value(); }

  CudaDevice &getDevice() const { return *device; }
  cuda::Stream getStream() const { return stream; }
  const CudaStreamMark &getMark() const { return mark; }

  /// Memory of the call.
  void *allocate(int64_t bytes);
  /// Takes a buffer out of the call's care, and says how large it is; false if
  /// it is none.
  bool takeOver(void *pointer, size_t &bytes);
  /// Releases a buffer; false if it is none.
  bool release(void *pointer);
  /// Gives what its GPU keeps for later calls back to the driver.
  void trim() {
    if (device)
      device->trim();
  }
  int64_t getNumLive() const { return static_cast<int64_t>(blocks.size()); }

  /// Launches a kernel of the program.
  bool launch(const tally_rt_kernel &kernel, const int64_t grid[3],
              const int64_t block[3], int64_t sharedBytes,
              void *const *arguments);
  /// Copies to the host and waits; with a table it checks as `check` does.
  bool readBack(const tally_rt_assert_table *table, const void *source,
                void *target, int64_t bytes);
  void *getConstant(const void *host, int64_t bytes);
  bool copy(void *target, const void *source, int64_t bytes);
  bool copyFromHost(void *target, const void *source, int64_t bytes);
  /// Sets `rows` rows of `bytes` bytes that lie `pitch` bytes apart to 0.
  bool clearRows(void *target, int64_t pitch, int64_t bytes, int64_t rows);
  bool synchronize();
  /// Copies between two tensors of the same sizes, strides in elements.
  bool copyStrided(void *target, const int64_t *targetStrides,
                   const void *source, const int64_t *sourceStrides,
                   int32_t rank, const int64_t *sizes, int64_t elementBytes);
  /// Copies elements of 2 or 4 bytes to rows of which there may be more, and
  /// longer ones: the rest becomes 0.
  bool copyRows(const CudaRows &target, const CudaRows &source,
                int64_t elementBytes);

  /// The address for kernels of the record of a failed assert, which `table`
  /// describes.
  void *getErrors(const tally_rt_assert_table *table);
  /// Waits and fails if an assert failed in a kernel, now or, where the caller
  /// wants that, later.
  bool check(const tally_rt_assert_table *table);
  /// Does the same where an assert of the host fails: those of kernels that are
  /// on their way come before it.
  bool checkEarlier() { return checkNow(table); }
  /// Waits for the checks that calls have left; not within a call.
  bool finishChecks();

  /// A buffer for libraries that is kept until the call ends.
  bool getWorkspace(size_t bytes, void *&pointer);

  /// Records that the driver failed while doing something.
  bool fail(cuda::Result result, const std::string &doing);
  /// Records a failure that is not the driver's.
  bool fail(std::string message);

private:
  struct Page;
  using Block = CudaBlock;

  /// Finds a spare block of this size; 0 if there is none.
  cuda::Pointer takeSpare(size_t bytes);
  bool keepSpare(Block block);
  void releaseSpare();
  void releaseWorkspace();
  bool remove(void *pointer, Block &block);
  /// Launches any kernel.
  bool enqueue(const tally_rt_kernel &kernel, const int64_t grid[3],
               const int64_t block[3], int64_t sharedBytes,
               void *const *arguments);
  bool checkNow(const tally_rt_assert_table *table);
  bool makePage();
  bool makeErrors();
  /// Queues a copy of the record of a failed assert to the page.
  bool fetchErrors();
  /// Fails if the record on the page says so.
  bool failOfKernel(const tally_rt_assert_table *table);
  void releaseErrors();
  /// Releases what is kept from call to call.
  void releaseKept();

  tally_rt_context &ctx;
  CudaDevice *device = nullptr;
  const tally_rt_library *library = nullptr;
  cuda::Stream stream = nullptr;
  CudaStreamMark mark;
  std::optional<CurrentContext> current;
  std::vector<Block> blocks;
  /// Blocks that the program has released, for it to have again: kernels and
  /// copies of a call run one after the other.
  std::vector<Block> spare;
  cuda::Pointer workspace = 0;
  size_t workspaceBytes = 0;

  /// Memory of the host that copies from the GPU land in; kept between calls.
  Page *page = nullptr;
  /// The record of a failed assert; kept while it is known to be clear.
  cuda::Pointer errors = 0;
  bool isErrorsClear = false;
  /// What may be in it in this call.
  const tally_rt_assert_table *table = nullptr;
  /// What may be in it of calls that are over.
  const tally_rt_assert_table *deferred = nullptr;
  /// The call has asked for the record.
  bool armed = false;
  /// Kernels were launched that may have written to it since it was read.
  bool unchecked = false;
};

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_CUDACALL_H
