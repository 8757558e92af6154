//===- ProgramState.h - What a program keeps between calls ------*- C++ -*-===//
//
// Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_PROGRAMSTATE_H
#define TALLY_LIB_RUNTIME_PROGRAMSTATE_H

#include "Context.h"

#include <utility>
#include <vector>

namespace tally::runtime {

/// The tensors that a context keeps for the entry points with one initial
/// state.
class ProgramState {
public:
  explicit ProgramState(int32_t count) : tensors(count, nullptr) {}
  ProgramState(const ProgramState &) = delete;
  ProgramState &operator=(const ProgramState &) = delete;
  ~ProgramState() {
    for (DLManagedTensor *tensor : tensors)
      if (tensor)
        tensor->deleter(tensor);
  }

  DLManagedTensor **getTensors() { return tensors.data(); }
  DLTensor &get(int32_t index) { return tensors[index]->dl_tensor; }

  /// The arguments of a call: those of the caller, and the state.
  DLTensor *const *append(DLTensor *const *given, int32_t count) {
    arguments.assign(given, given + count);
    for (DLManagedTensor *tensor : tensors)
      arguments.push_back(&tensor->dl_tensor);
    return arguments.data();
  }

  /// Puts a new value in place of the old one, which `value` then is.
  void replace(int32_t index, DLManagedTensor *&value) {
    std::swap(tensors[index], value);
  }

private:
  std::vector<DLManagedTensor *> tensors;
  std::vector<DLTensor *> arguments;
};

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_PROGRAMSTATE_H
