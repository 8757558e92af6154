//===- Runner.h - Calls of a compiled program -------------------*- C++ -*-===//

#ifndef TALLY_TOOLS_TALLYRUN_RUNNER_H
#define TALLY_TOOLS_TALLYRUN_RUNNER_H

#include "Array.h"
#include "Program.h"
#include "Signature.h"

#include <atomic>
#include <vector>

namespace tally::run {

/// Counts the buffers that are in use, on top of another allocator. With
/// TALLY_GUARD_PAGES=1 in the environment every buffer ends at an inaccessible
/// page, with TALLY_GUARD_PAGES=before it starts at one; with
/// TALLY_GUARD_PAGES=both a case runs twice, once with each.
class CountingAllocator {
public:
  CountingAllocator();

  /// How often a case runs.
  unsigned getNumRounds() const { return guard == "both" ? 2 : 1; }
  /// Begins a round of a case, while no buffer is in use.
  void startRound(unsigned round);

  const tally_rt_allocator &get() const { return counting; }
  int64_t getLive() const { return live; }

private:
  static void *allocate(void *self, size_t bytes, size_t alignment);
  static void deallocate(void *self, void *pointer, size_t bytes,
                         size_t alignment);

  llvm::StringRef guard;
  tally_rt_allocator counting;
  tally_rt_allocator underlying;
  std::atomic<int64_t> live{0};
};

/// What came of a call.
struct Outcome {
  tally_rt_status status = TALLY_RT_OK;
  std::string message;
  /// Where the check that failed stands: `file:line:column`.
  std::string position;
  /// Whether it checks what is declared of an argument.
  bool isDeclaration = false;
  /// What the call returned, then the arguments that it wrote to.
  std::vector<Array> results;
  /// How many of the results were returned.
  size_t numReturned = 0;
  std::vector<std::string> names;
  /// How long the call took until it returned, and until its work was done.
  double hostSeconds = 0;
  double seconds = 0;
  /// What the call cost.
  tally_rt_counters counters = {};
  /// The kernels that the interpreter has launched, with the numbers of blocks.
  std::vector<std::string> launches;

  /// Whether the program failed for these inputs, as opposed to a call that
  /// does not fit the signature.
  bool isRunTimeError() const {
    return status == TALLY_RT_CHECK_FAILED ||
           status == TALLY_RT_OUT_OF_MEMORY || status == TALLY_RT_CUSTOM_FAILED;
  }
};

/// Something that calls a program.
class Caller {
public:
  virtual ~Caller() = default;

  virtual Signature getSignature() const = 0;

  /// Calls with these arguments, which the program may write to.
  virtual Outcome call(std::vector<Array> &arguments) = 0;
  virtual bool isOnGpu() const { return false; }
  /// Has the next call be a first one: forgets what the program keeps.
  virtual void resetState() = 0;
};

/// Calls one entry point of a compiled program.
class Runner : public Caller {
public:
  Runner(const Program &program, const tally_rt_entry &entry,
         const CountingAllocator &allocator);
  ~Runner() override;
  Runner(const Runner &) = delete;
  Runner &operator=(const Runner &) = delete;

  const tally_rt_entry &getEntry() const { return entry; }
  /// Whether a GPU may add up floats in the order in which threads come.
  void setAnyOrder(bool any) { runtime.set_deterministic(context, !any); }

  Signature getSignature() const override { return run::getSignature(entry); }
  bool isOnGpu() const override { return program.isForGpu(); }

  /// For a program of the GPU arguments are copied there, and results are
  /// copied back.
  Outcome call(std::vector<Array> &arguments) override;
  void resetState() override { runtime.reset_state(context); }

private:
  /// Tensors of a call; those on the GPU are released with it.
  struct Tensors;

  bool prepare(std::vector<Array> &arguments, Tensors &tensors);
  bool invoke(Tensors &tensors, Outcome &outcome);
  bool collect(std::vector<Array> &arguments, Tensors &tensors,
               Outcome &outcome);
  bool copyBack(const DLTensor &source, Array &target);
  std::string getError() const;

  const Program &program;
  const RuntimeFunctions &runtime;
  const tally_rt_entry &entry;
  const CountingAllocator &allocator;
  tally_rt_context *context;
};

/// Compares results with files, or with values in the form of inputs. Returns
/// why they differ, or nothing; fails if a file cannot be read or there are too
/// many or too few of them.
llvm::Expected<std::optional<std::string>>
compareResults(const Outcome &outcome, llvm::ArrayRef<std::string> files,
               llvm::StringRef folder, const Tolerance &tolerance,
               const tally_rt_allocator &allocator);

/// Options of a run of cases.
struct CaseOptions {
  Tolerance tolerance;
  uint64_t seed = 0;
  /// Whether a case may say nothing of what is expected.
  bool needsNoExpectation = false;
  /// Whether kernels that the interpreter launches are printed.
  bool showLaunches = false;
};

/// Runs every case of a file and prints a line for each. Returns how many
/// failed; fails if the file cannot be used.
llvm::Expected<int> runCases(Caller &caller, llvm::StringRef path,
                             const CaseOptions &options,
                             CountingAllocator &allocator);

} // namespace tally::run

#endif // TALLY_TOOLS_TALLYRUN_RUNNER_H
