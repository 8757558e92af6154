//===- CustomCall.cpp - Calls of custom functions -------------------------===//
//
// A custom function is not trusted: what it has written to its results is
// compared with the room there is before anybody uses it.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "RecordReader.h"
#include "Strided.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>
#include <vector>

using namespace tally::runtime;

namespace {

/// Arguments whose booleans are 0 or 1, as a function in C++ expects them. What
/// a caller passes may have other bytes, which compiled code reads as true.
class NormalArguments {
public:
  NormalArguments(const DLTensor *const *given, int32_t count)
      : pointers(given, given + count), tensors(count), copies(count) {
    for (int32_t i = 0; i < count; ++i)
      if (given[i]->dtype.code == kDLBool && hasOddBytes(*given[i]))
        copy(i);
  }

  const DLTensor *const *get() const { return pointers.data(); }

private:
  static const char *dataOf(const DLTensor &tensor) {
    return static_cast<const char *>(tensor.data) + tensor.byte_offset;
  }

  /// Arguments of a custom function are compact.
  static bool hasOddBytes(const DLTensor &tensor) {
    int64_t bytes = 0;
    sizeInBytes(tensor, bytes);
    const char *data = dataOf(tensor);
    return std::any_of(data, data + bytes,
                       [](unsigned char byte) { return byte > 1; });
  }

  void copy(int32_t index) {
    int64_t bytes = 0;
    sizeInBytes(*pointers[index], bytes);
    copies[index].resize(bytes);
    copyFromStrided(copies[index].data(), *pointers[index]);
    tensors[index] = *pointers[index];
    tensors[index].data = copies[index].data();
    tensors[index].byte_offset = 0;
    pointers[index] = &tensors[index];
  }

  std::vector<const DLTensor *> pointers;
  std::vector<DLTensor> tensors;
  std::vector<std::vector<char>> copies;
};

/// One call of a custom function.
class CustomCallDps {
public:
  CustomCallDps(tally_rt_context &ctx, const char *record,
                DLTensor *const *results, int32_t numResults)
      : ctx(ctx), isDefined(record), results(results), numResults(numResults) {
    for (int32_t i = 0; i < numResults; ++i)
      destinations.push_back(*results[i]);
    for (const DLTensor &result : destinations)
      limits.insert(limits.end(), result.shape, result.shape + result.ndim);
  }

  /// Calls; returns whether it succeeded.
  bool run(tally_rt_custom_function function, const DLTensor *const *arguments,
           int32_t numArguments) {
    NormalArguments normal(arguments, numArguments);
    std::string thrown;
    int32_t status = TALLY_RT_CUSTOM_FAILED;
    try {
      status = function(&ctx, normal.get(), numArguments, results, numResults);
    } catch (const std::exception &exception) {
      thrown = exception.what();
    } catch (...) {
      thrown = "an exception";
    }
    std::string message = takeMessage();
    if (message.empty())
      message = thrown;
    // It may have run out of memory without saying so.
    if (status == 0 && !ctx.failed())
      return true;
    if (message.empty())
      message = "it returned " + std::to_string(status);
    ErrorRecord error = makeError(TALLY_RT_CUSTOM_FAILED);
    error.userMessage = error.requiredBy + " failed: " + message;
    error.requiredBy.clear();
    ctx.fail(std::move(error));
    return false;
  }

  /// Returns whether every size is one that there was room for.
  bool checkSizes() {
    size_t at = 0;
    for (int32_t i = 0; i < numResults; ++i) {
      for (int32_t dim = 0; dim < destinations[i].ndim; ++dim, ++at) {
        int64_t size = destinations[i].shape[dim], limit = limits[at];
        bool mayDiffer = isDefined[at] == '?';
        if (size == limit || (mayDiffer && size >= 0 && size <= limit))
          continue;
        failSize(i, dim, size,
                 !mayDiffer ? " == " + std::to_string(limit)
                 : size < 0 ? " >= 0"
                            : " <= " + std::to_string(limit));
        return false;
      }
    }
    return true;
  }

  /// Compiled code relies on booleans that are 0 or 1.
  void normalizeBooleans() {
    const int64_t *sizes = limits.data();
    for (const DLTensor &result : destinations) {
      // All of the room, whatever part of it has been filled.
      int64_t count = 1;
      for (int32_t dim = 0; dim < result.ndim; ++dim)
        count *= *sizes++;
      auto *bytes = static_cast<uint8_t *>(result.data);
      for (int64_t i = 0; result.dtype.code == kDLBool && i < count; ++i)
        bytes[i] = bytes[i] != 0;
    }
  }

private:
  std::string takeMessage() {
    std::lock_guard<std::mutex> lock(ctx.mutex);
    return std::exchange(ctx.customMessage, {});
  }

  /// An error at the place of the call, needed by the function.
  ErrorRecord makeError(tally_rt_status status) const {
    RecordReader reader(isDefined);
    reader.text();
    ErrorRecord error;
    error.status = status;
    error.requiredBy = reader.text();
    error.file = reader.text();
    error.line = reader.number();
    error.column = reader.number();
    return error;
  }

  void failSize(int32_t result, int32_t dim, int64_t size,
                const std::string &relation) {
    ErrorRecord error = makeError(TALLY_RT_CHECK_FAILED);
    NamedValue value;
    value.name = error.requiredBy + "(...)" +
                 (numResults > 1 ? "[" + std::to_string(result) + "]" : "") +
                 ".size(" + std::to_string(dim) + ")";
    value.value = size;
    value.floatValue = static_cast<double>(size);
    error.expression = value.name + relation;
    error.requiredBy = "tally.custom_call";
    error.values.push_back(std::move(value));
    ctx.fail(std::move(error));
  }

  tally_rt_context &ctx;
  /// A character for each dimension of the results.
  const char *isDefined;
  DLTensor *const *results;
  int32_t numResults;
  /// The results as they were before the call, and their sizes.
  std::vector<DLTensor> destinations;
  std::vector<int64_t> limits;
};

} // namespace

int32_t tally_rt_custom_error(tally_rt_context *ctx, const char *message) {
  try {
    std::lock_guard<std::mutex> lock(ctx->mutex);
    if (ctx->customMessage.empty() && message)
      ctx->customMessage = message;
  } catch (const std::bad_alloc &) {
    // Then the status has to do.
  }
  return TALLY_RT_CUSTOM_FAILED;
}

int32_t tally_rt_custom_call(tally_rt_context *ctx, const char *record,
                             tally_rt_custom_function function,
                             const DLTensor *const *arguments,
                             int32_t numArguments, DLTensor *const *results,
                             int32_t numResults) {
  try {
    CustomCallDps call(*ctx, record, results, numResults);
    if (call.run(function, arguments, numArguments) && call.checkSizes()) {
      call.normalizeBooleans();
      return TALLY_RT_OK;
    }
  } catch (const std::bad_alloc &) {
    ErrorRecord error;
    error.status = TALLY_RT_OUT_OF_MEMORY;
    ctx->fail(std::move(error));
  }
  return ctx->view.status;
}
