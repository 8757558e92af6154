//===- FakeDnn.cpp - Convolutions over memory of the host -----------------===//
//
// Stands in for the graph interface of libcudnn, for two dimensions of floats
// and one group. Dilations of 98 and 99, which windows of one element may have,
// make it fail. The heuristics name engines that may not be used, and say so,
// before others: one that converts its inputs, one that supports nothing, and
// for gradients one whose sums have no order, which prints that it runs.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

#define FAKE extern "C" __attribute__((visibility("default")))

// NOLINTBEGIN(readability-identifier-naming)

namespace {
enum Type { Engine = 2, Configuration, Heuristics, ExecutionPlan, Pack = 16 };
enum Number { Converts, SupportsNothing, AnyOrder, InOrder };

/// Attributes of 8 bytes an element, or fewer.
struct Descriptor {
  explicit Descriptor(int type) : type(type) {}
  int type;
  bool isFinished = false;
  std::map<int, std::vector<int64_t>> values;
  /// Of an engine, its configuration or the plan made of it, which outlives
  /// both.
  Number number = InOrder;
  const Descriptor *graph = nullptr;
};

struct Tensor {
  int64_t dims[4], strides[4], id;
};
} // namespace

static Descriptor &get(const void *handle) {
  return *static_cast<Descriptor *>(const_cast<void *>(handle));
}
static const Descriptor &follow(const Descriptor &from, int name) {
  return *reinterpret_cast<const Descriptor *>(from.values.at(name)[0]);
}
static size_t getBytes(int type) {
  switch (type) {
  case 1:  // of data
  case 4:  // float
  case 7:  // how windows go
  case 8:  // of heuristics
  case 11: // a note
    return 4;
  default:
    return 8;
  }
}

FAKE int cudnnCreate(void **handle) {
  *handle = new int();
  return 0;
}
FAKE int cudnnSetStream(void *, void *) { return 0; }
FAKE const char *cudnnGetErrorString(int) { return "CUDNN_STATUS_FAKE"; }
FAKE int cudnnBackendCreateDescriptor(int type, void **made) {
  *made = new Descriptor(type);
  return 0;
}
FAKE int cudnnBackendDestroyDescriptor(void *descriptor) {
  delete static_cast<Descriptor *>(descriptor);
  return 0;
}
FAKE int cudnnBackendSetAttribute(void *descriptor, int name, int type,
                                  int64_t count, const void *values) {
  Descriptor &to = get(descriptor);
  if (to.isFinished)
    return 1;
  size_t bytes = getBytes(type);
  std::vector<int64_t> &kept = to.values[name];
  kept.assign(static_cast<size_t>(count), 0);
  for (size_t i = 0; i < kept.size(); ++i)
    std::memcpy(&kept[i], static_cast<const char *>(values) + i * bytes, bytes);
  return 0;
}

static const Descriptor &getOperation(const Descriptor &graph) {
  return follow(graph, 801);
}
/// Names of attributes, in the order of 10, 11 and 12: what windows are like,
/// the weight, the image and the result.
static const int (&getNames(const Descriptor &operation))[4] {
  static const int names[][4] = {
      {702, 703, 704, 705}, {714, 715, 716, 717}, {708, 709, 710, 711}};
  return names[operation.type - 10];
}
static int64_t getDilation(const Descriptor &operation) {
  return follow(operation, getNames(operation)[0]).values.at(102)[1];
}

FAKE int cudnnBackendFinalize(void *descriptor) {
  Descriptor &made = get(descriptor);
  made.isFinished = true;
  if (made.type == ExecutionPlan) {
    const Descriptor &configuration = follow(made, 401);
    made.number = configuration.number;
    made.graph = configuration.graph;
    return made.number == SupportsNothing ? 1 : 0;
  }
  if (made.type == 17)
    return made.values.at(902).size() == 4 ? 0 : 1;
  return 0;
}

static std::vector<Number> findEngines(const Descriptor &heuristics) {
  const Descriptor &operation = getOperation(follow(heuristics, 201));
  if (getDilation(operation) == 99)
    return {Converts};
  if (heuristics.values.at(200)[0] != 0)
    return {InOrder};
  if (operation.type == 10)
    return {Converts, SupportsNothing, InOrder};
  return {Converts, AnyOrder, InOrder};
}

FAKE int cudnnBackendGetAttribute(void *descriptor, int name, int,
                                  int64_t asked, int64_t *count, void *values) {
  Descriptor &from = get(descriptor);
  if (from.type == Heuristics && name == 202) {
    std::vector<Number> engines = findEngines(from);
    *count = static_cast<int64_t>(engines.size());
    for (size_t i = 0; i < std::min<size_t>(engines.size(), asked); ++i) {
      Descriptor &to = get(static_cast<void **>(values)[i]);
      to.number = engines[i];
      to.graph = &follow(from, 201);
    }
    return 0;
  }
  *count = 1;
  if (from.type == Configuration && name == 300) {
    get(*static_cast<void **>(values)).number = from.number;
    return 0;
  }
  if (from.type == Engine && name == 1303) {
    *static_cast<int *>(values) = from.number == Converts ? 1 : 4;
    *count = from.number == Converts || from.number == AnyOrder ? 1 : 0;
    return 0;
  }
  if (from.type != ExecutionPlan || name != 402)
    return 1;
  *static_cast<int64_t *>(values) = 64;
  return 0;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

static Tensor readTensor(const Descriptor &from) {
  Tensor tensor;
  std::copy_n(from.values.at(902).begin(), 4, tensor.dims);
  std::copy_n(from.values.at(903).begin(), 4, tensor.strides);
  tensor.id = from.values.at(906)[0];
  return tensor;
}

/// Calls `visit` with the places of an element of the image, of the weight and
/// of the result that belong together.
template <typename Visit>
static void forEachProduct(const Tensor &in, const Tensor &window,
                           const Tensor &out, const Descriptor &how,
                           Visit visit) {
  int64_t taps = window.dims[2] * window.dims[3];
  auto at = [](const Tensor &tensor, int64_t a, int64_t b, int64_t c,
               int64_t d) {
    return a * tensor.strides[0] + b * tensor.strides[1] +
           c * tensor.strides[2] + d * tensor.strides[3];
  };
  auto place = [&](int dim, int64_t window, int64_t tap) {
    return window * how.values.at(103)[dim] + tap * how.values.at(102)[dim] -
           how.values.at(105)[dim];
  };
  for (int64_t n = 0; n < out.dims[0]; ++n)
    for (int64_t o = 0; o < out.dims[1]; ++o)
      for (int64_t x = 0; x < out.dims[2] * out.dims[3]; ++x)
        for (int64_t c = 0; c < window.dims[1]; ++c)
          for (int64_t k = 0; k < taps; ++k) {
            int64_t i = x / out.dims[3], j = x % out.dims[3];
            int64_t row = place(0, i, k / window.dims[3]);
            int64_t column = place(1, j, k % window.dims[3]);
            if (row >= 0 && row < in.dims[2] && column >= 0 &&
                column < in.dims[3])
              visit(at(in, n, c, row, column),
                    (o * window.dims[1] + c) * taps + k, at(out, n, o, i, j));
          }
}

/// Sets the elements of a tensor to zero, and no others.
static void clear(float *elements, const Tensor &tensor) {
  for (int64_t n = 0; n < tensor.dims[0]; ++n)
    for (int64_t c = 0; c < tensor.dims[1]; ++c)
      for (int64_t i = 0; i < tensor.dims[2]; ++i)
        std::fill_n(elements + n * tensor.strides[0] + c * tensor.strides[1] +
                        i * tensor.strides[2],
                    tensor.dims[3], 0.0F);
}

FAKE int cudnnBackendExecute(void *, void *handle, void *pack) {
  const Descriptor &plan = get(handle);
  const Descriptor &operation = getOperation(*plan.graph);
  const auto &values = get(pack).values;
  if (!get(pack).isFinished || !values.at(1003)[0] ||
      getDilation(operation) == 98)
    return 1;
  if (plan.number == AnyOrder)
    std::fputs("in any order\n", stderr);
  auto getElements = [&](const Tensor &tensor) {
    const std::vector<int64_t> &ids = values.at(1000);
    size_t place = std::find(ids.begin(), ids.end(), tensor.id) - ids.begin();
    return reinterpret_cast<float *>(values.at(1001)[place]);
  };
  const int (&names)[4] = getNames(operation);
  const Descriptor &how = follow(operation, names[0]);
  Tensor weight = readTensor(follow(operation, names[1]));
  Tensor image = readTensor(follow(operation, names[2]));
  Tensor result = readTensor(follow(operation, names[3]));
  float *w = getElements(weight), *x = getElements(image),
        *y = getElements(result);
  const int kind = operation.type - 10;
  clear(kind == 0   ? y
        : kind == 1 ? w
                    : x,
        kind == 0   ? result
        : kind == 1 ? weight
                    : image);
  forEachProduct(image, weight, result, how,
                 [&](int64_t from, int64_t tap, int64_t to) {
                   if (kind == 0)
                     y[to] += w[tap] * x[from];
                   else if (kind == 1)
                     w[tap] += y[to] * x[from];
                   else
                     x[from] += y[to] * w[tap];
                 });
  return 0;
}

// NOLINTEND(readability-identifier-naming)
