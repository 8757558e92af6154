//===- CudaDnn.cpp - Convolutions by cuDNN --------------------------------===//
//
// cuDNN's graph interface: a convolution is described once, and its heuristics
// name the engines that compute it, the fastest first. What is described and
// the engine are a plan, which is kept for the next convolution of these sizes:
// a call then only names the addresses. The interface with a function for each
// kind of convolution makes such a plan anew in every call, which takes 20 to
// 200 us of the host.
//
//===----------------------------------------------------------------------===//

#include "CudaDnn.h"
#include "CudaCall.h"
#include "DynamicLibrary.h"

#include <algorithm>
#include <vector>

using namespace tally::runtime;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

namespace {

/// Numbers of cudnn_graph.h.
enum : int {
  kDataFloat = 0,
  kDataDouble = 1,
  kDataHalf = 2,
  kDataBFloat16 = 9,
  kCrossCorrelation = 1,
};

/// cudnnBackendHeurMode_t.
enum : int { kInstant = 0, kFallback = 2 };

/// cudnnBackendNumericalNote_t.
enum : int {
  kUsesTensorCores = 0,
  kConvertsInputs = 1,
  kReducesPrecision = 2,
  kIsNotDeterministic = 4,
  kMostNotes = 32
};

/// cudnnBackendAttributeType_t.
enum : int {
  kHandle = 0,
  kDataType = 1,
  kInt64 = 3,
  kFloat = 4,
  kDouble = 5,
  kPointer = 6,
  kConvolutionMode = 7,
  kHeuristicsMode = 8,
  kNumericalNote = 11,
  kDescriptor = 15
};

/// cudnnBackendDescriptorType_t.
enum : int {
  kConvolution = 1,
  kEngine = 2,
  kEngineConfiguration = 3,
  kHeuristics = 4,
  kExecutionPlan = 5,
  kOperationGraph = 15,
  kVariantPack = 16,
  kTensor = 17
};

/// cudnnBackendAttributeName_t.
enum : int {
  kConvolutionType = 100,
  kConvolutionHow = 101,
  kConvolutionDilations = 102,
  kConvolutionStrides = 103,
  kConvolutionPaddingBehind = 104,
  kConvolutionPaddingBefore = 105,
  kConvolutionRank = 106,
  kHeuristicsHow = 200,
  kHeuristicsGraph = 201,
  kHeuristicsResults = 202,
  kConfigurationEngine = 300,
  kPlanHandle = 400,
  kPlanConfiguration = 401,
  kPlanWorkspaceBytes = 402,
  kGraphHandle = 800,
  kGraphOperations = 801,
  kTensorAlignment = 900,
  kTensorType = 901,
  kTensorSizes = 902,
  kTensorStrides = 903,
  kTensorId = 906,
  kPackIds = 1000,
  kPackPointers = 1001,
  kPackWorkspace = 1003,
  kEngineNotes = 1303
};

/// The descriptor of an operation, and the names of its attributes.
struct OperationNames {
  int descriptor, alpha, beta, convolution, weight, image, result;
};
/// In the order of `CudaDnn::Kind`.
constexpr OperationNames kOperations[] = {{10, 700, 701, 702, 703, 704, 705},
                                          {11, 712, 713, 714, 715, 716, 717},
                                          {12, 706, 707, 708, 709, 710, 711}};

/// Tensors by number.
enum : int64_t { kImageId = 1, kWeightId, kResultId };

/// Shapes whose plan is kept.
constexpr size_t kMostPlans = 4096;
/// The memory that a convolution may use beside its operands.
constexpr int64_t kMostWorkspace = int64_t(1) << 30;
/// More elements need numbers of 64 bits.
constexpr int64_t kMostElements = INT32_MAX;
/// Addresses that are a multiple of this allow the widest accesses.
constexpr int64_t kWidestAccess = 16;

} // namespace

#define TALLY_CUDNN_FUNCTIONS(X)                                               \
  X(create, cudnnCreate, int, (void **))                                       \
  X(setStream, cudnnSetStream, int, (void *, void *))                          \
  X(describeStatus, cudnnGetErrorString, const char *, (int))                  \
  X(make, cudnnBackendCreateDescriptor, int, (int, void **))                   \
  X(destroy, cudnnBackendDestroyDescriptor, int, (void *))                     \
  X(set, cudnnBackendSetAttribute, int,                                        \
    (void *, int, int, int64_t, const void *))                                 \
  X(get, cudnnBackendGetAttribute, int,                                        \
    (void *, int, int, int64_t, int64_t *, void *))                            \
  X(finish, cudnnBackendFinalize, int, (void *))                               \
  X(execute, cudnnBackendExecute, int, (void *, void *, void *))

/// The loaded library.
struct tally::runtime::DnnLibrary {
#define TALLY_CUDNN_MEMBER(member, symbol, result, type) result(*member) type;
  TALLY_CUDNN_FUNCTIONS(TALLY_CUDNN_MEMBER)
#undef TALLY_CUDNN_MEMBER

  bool load(std::string &why);
  std::string describe(int status) const {
    return std::string("cuDNN: ") + describeStatus(status);
  }
};

bool DnnLibrary::load(std::string &why) {
  DynamicLibrary library("libcudnn");
  if (!library.open("TALLY_LIBCUDNN", {"libcudnn.so.9"}, why))
    return false;
#define TALLY_CUDNN_RESOLVE(member, symbol, result, type)                      \
  if (!library.find(member, #symbol, why))                                     \
    return false;
  TALLY_CUDNN_FUNCTIONS(TALLY_CUDNN_RESOLVE)
#undef TALLY_CUDNN_RESOLVE
  return true;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

namespace {

/// Descriptors of cuDNN, which go with this. After an error, nothing more is
/// done.
class Descriptors {
public:
  explicit Descriptors(const DnnLibrary &library) : library(library) {}
  ~Descriptors() {
    // What refers to others was made after them.
    while (!owned.empty()) {
      library.destroy(owned.back());
      owned.pop_back();
    }
  }
  Descriptors(const Descriptors &) = delete;
  Descriptors &operator=(const Descriptors &) = delete;

  /// The first error; 0 if there was none.
  int getStatus() const { return status; }

  void *make(int type) {
    void *made = nullptr;
    if (!status)
      status = library.make(type, &made);
    if (!status)
      owned.push_back(made);
    return made;
  }
  void set(void *descriptor, int name, int type, const void *values,
           int64_t count = 1) {
    if (!status)
      status = library.set(descriptor, name, type, count, values);
  }
  void finish(void *descriptor) {
    if (!status)
      status = library.finish(descriptor);
  }

private:
  const DnnLibrary &library;
  std::vector<void *> owned;
  int status = 0;
};

} // namespace

/// The description of a convolution for cuDNN, and how to compute it.
struct CudaDnn::Plan {
  Plan(const DnnLibrary &library, void *handle, const Task &task)
      : library(library), handle(handle), task(task), descriptors(library) {}

  /// Describes the convolution; returns a status.
  int describe(const tally_rt_convolution_args &args, int64_t alignment);
  /// Takes the first engine that the heuristics name and that may be used.
  bool choose();
  int run(const tally_rt_convolution_args &args, void *workspace) const;

  int64_t getWorkspaceBytes() const { return workspaceBytes; }

private:
  void *describeTensor(int64_t id, int64_t batch, int64_t channels,
                       const int64_t *sizes, const int64_t *all,
                       int64_t alignment);
  void *describeWindows(const tally_rt_convolution_args &args);
  std::vector<void *> askHeuristics(Descriptors &made, int mode) const;
  bool mayUse(void *configuration) const;
  bool take(void *configuration);

  const DnnLibrary &library;
  void *handle;
  Task task;
  Descriptors descriptors;
  /// What `chosen` refers to goes after it.
  std::unique_ptr<Descriptors> chosen;
  void *graph = nullptr, *plan = nullptr;
  int64_t workspaceBytes = 0;
  int type = -1;
  /// The first spatial dimension that is not left out.
  int first = 0;
};

CudaDnn::CudaDnn() = default;
CudaDnn::~CudaDnn() = default;

/// Translates the data type; -1 for one that is not supported.
static int getType(int64_t dtype) {
  switch (dtype) {
  case TALLY_RT_DATA_TYPE(kDLFloat, 32):
    return kDataFloat;
  case TALLY_RT_DATA_TYPE(kDLFloat, 64):
    return kDataDouble;
  case TALLY_RT_DATA_TYPE(kDLFloat, 16):
    return kDataHalf;
  case TALLY_RT_DATA_TYPE(kDLBfloat, 16):
    return kDataBFloat16;
  default:
    return -1;
  }
}

/// What all addresses are a multiple of, as far as engines care.
static int64_t getAlignment(const tally_rt_convolution_args &args) {
  int64_t element = (args.dtype & 0xff) / 8;
  uintptr_t all = 0;
  for (const void *pointer : {args.image, args.weight, args.result})
    all |= reinterpret_cast<uintptr_t>(pointer);
  return all % kWidestAccess == 0 ? kWidestAccess : element;
}

CudaDnn::Key CudaDnn::makeKey(const Task &task,
                              const tally_rt_convolution_args &args) {
  Key key = {static_cast<int64_t>(task.kind),
             2 * (task.anyOrder ? 1 : 0) + (task.adds ? 1 : 0),
             getAlignment(args),
             args.batch,
             args.groups,
             args.in_channels,
             args.out_channels,
             args.dtype};
  auto *next = key.begin() + 8;
  for (const int64_t *sizes : {args.in, args.window, args.out, args.stride,
                               args.dilation, args.padding})
    next = std::copy_n(sizes, 3, next);
  return key;
}

/// The elements that all windows together reach.
static int64_t getReach(const tally_rt_convolution_args &args, int dim) {
  return (args.out[dim] - 1) * args.stride[dim] +
         (args.window[dim] - 1) * args.dilation[dim] + 1;
}

/// How many elements cuDNN is told of: not so many that there are more windows.
static int64_t getReadSize(const tally_rt_convolution_args &args, int dim) {
  int64_t reach = getReach(args, dim) - 2 * args.padding[dim];
  return args.in[dim] - reach < args.stride[dim] ? args.in[dim] : reach;
}

/// Whether there are as many zeros at both ends of each dimension, as far as
/// windows reach. cuDNN has no other padding.
static bool isPaddedEvenly(const tally_rt_convolution_args &args) {
  for (int i = 0; i < 3; ++i) {
    int64_t rest = args.in[i] + 2 * args.padding[i] - getReach(args, i);
    if (args.padding[i] != 0 && (rest < 0 || rest >= args.stride[i]))
      return false;
  }
  return true;
}

/// The same for an image that is written: behind what windows reach it is zero.
static bool hasWindowsInside(const tally_rt_convolution_args &args) {
  for (int i = 0; i < 3; ++i)
    if (getReadSize(args, i) < 1 ||
        args.in[i] + 2 * args.padding[i] < getReach(args, i))
      return false;
  return true;
}

bool CudaDnn::writesAll(const tally_rt_convolution_args &args) {
  for (int i = 0; i < 3; ++i)
    if (getReadSize(args, i) != args.in[i])
      return false;
  return true;
}

/// Describes a tensor of `sizes` that is part of one of `all`.
void *CudaDnn::Plan::describeTensor(int64_t id, int64_t batch, int64_t channels,
                                    const int64_t *sizes, const int64_t *all,
                                    int64_t alignment) {
  int64_t dims[5] = {batch, channels}, strides[5];
  int64_t rank = 5 - first, stride = 1;
  for (int64_t i = rank; i-- > 2; stride *= all[i - 2 + first]) {
    dims[i] = sizes[i - 2 + first];
    strides[i] = stride;
  }
  strides[1] = stride;
  strides[0] = stride * channels;
  void *tensor = descriptors.make(kTensor);
  descriptors.set(tensor, kTensorType, kDataType, &type);
  descriptors.set(tensor, kTensorSizes, kInt64, dims, rank);
  descriptors.set(tensor, kTensorStrides, kInt64, strides, rank);
  descriptors.set(tensor, kTensorId, kInt64, &id);
  descriptors.set(tensor, kTensorAlignment, kInt64, &alignment);
  descriptors.finish(tensor);
  return tensor;
}

void *CudaDnn::Plan::describeWindows(const tally_rt_convolution_args &args) {
  const int sumType = type == kDataDouble ? kDataDouble : kDataFloat;
  const int how = kCrossCorrelation;
  const int64_t rank = 3 - first;
  void *windows = descriptors.make(kConvolution);
  descriptors.set(windows, kConvolutionType, kDataType, &sumType);
  descriptors.set(windows, kConvolutionHow, kConvolutionMode, &how);
  descriptors.set(windows, kConvolutionRank, kInt64, &rank);
  const std::pair<int, const int64_t *> all[] = {
      {kConvolutionDilations, args.dilation},
      {kConvolutionStrides, args.stride},
      {kConvolutionPaddingBefore, args.padding},
      {kConvolutionPaddingBehind, args.padding}};
  for (auto [name, values] : all)
    descriptors.set(windows, name, kInt64, values + first, rank);
  descriptors.finish(windows);
  return windows;
}

int CudaDnn::Plan::describe(const tally_rt_convolution_args &args,
                            int64_t alignment) {
  type = getType(args.dtype);
  // There are engines for two dimensions that there are not for three.
  first = args.in[0] == 1 && args.window[0] == 1 && args.out[0] == 1 ? 1 : 0;
  int64_t read[3];
  for (int i = 0; i < 3; ++i)
    read[i] = getReadSize(args, i);
  void *image =
      describeTensor(kImageId, args.batch, args.groups * args.in_channels, read,
                     args.in, alignment);
  void *weight =
      describeTensor(kWeightId, args.groups * args.out_channels,
                     args.in_channels, args.window, args.window, alignment);
  void *result =
      describeTensor(kResultId, args.batch, args.groups * args.out_channels,
                     args.out, args.out, alignment);
  void *windows = describeWindows(args);
  const OperationNames &names = kOperations[static_cast<int>(task.kind)];
  const double wide[] = {1, task.adds ? 1.0 : 0.0};
  const float narrow[] = {1, task.adds ? 1.0F : 0.0F};
  bool isWide = type == kDataDouble;
  void *operation = descriptors.make(names.descriptor);
  auto setFactor = [&](int name, int number) {
    descriptors.set(operation, name, isWide ? kDouble : kFloat,
                    isWide ? static_cast<const void *>(wide + number)
                           : narrow + number);
  };
  setFactor(names.alpha, 0);
  setFactor(names.beta, 1);
  descriptors.set(operation, names.convolution, kDescriptor, &windows);
  descriptors.set(operation, names.weight, kDescriptor, &weight);
  descriptors.set(operation, names.image, kDescriptor, &image);
  descriptors.set(operation, names.result, kDescriptor, &result);
  descriptors.finish(operation);
  graph = descriptors.make(kOperationGraph);
  descriptors.set(graph, kGraphHandle, kHandle, &handle);
  descriptors.set(graph, kGraphOperations, kDescriptor, &operation);
  descriptors.finish(graph);
  return descriptors.getStatus();
}

/// The configurations of engines that the heuristics name, in their order.
std::vector<void *> CudaDnn::Plan::askHeuristics(Descriptors &made,
                                                 int mode) const {
  void *heuristics = made.make(kHeuristics);
  made.set(heuristics, kHeuristicsGraph, kDescriptor, &graph);
  made.set(heuristics, kHeuristicsHow, kHeuristicsMode, &mode);
  made.finish(heuristics);
  int64_t count = 0;
  if (made.getStatus() || library.get(heuristics, kHeuristicsResults,
                                      kDescriptor, 0, &count, nullptr))
    return {};
  std::vector<void *> configurations;
  for (int64_t i = 0; i < count; ++i)
    configurations.push_back(made.make(kEngineConfiguration));
  if (made.getStatus() ||
      library.get(heuristics, kHeuristicsResults, kDescriptor, count, &count,
                  configurations.data()))
    return {};
  configurations.resize(static_cast<size_t>(
      std::min<int64_t>(count, static_cast<int64_t>(configurations.size()))));
  return configurations;
}

/// Whether an engine computes what PyTorch does without tf32: sums of products
/// of elements as they are, in an order if there has to be one. Parts of sums
/// of halves may be rounded.
bool CudaDnn::Plan::mayUse(void *configuration) const {
  Descriptors made(library);
  void *engine = made.make(kEngine);
  int64_t count = 0;
  int notes[kMostNotes];
  if (made.getStatus() ||
      library.get(configuration, kConfigurationEngine, kDescriptor, 1, &count,
                  &engine) ||
      library.get(engine, kEngineNotes, kNumericalNote, kMostNotes, &count,
                  notes))
    return false;
  bool isWide = type == kDataFloat || type == kDataDouble;
  return std::none_of(notes, notes + count, [&](int note) {
    return note == kConvertsInputs || (note == kReducesPrecision && isWide) ||
           (note == kUsesTensorCores && type == kDataFloat) ||
           (note == kIsNotDeterministic && !task.anyOrder);
  });
}

/// Makes the plan, if the engine supports such a convolution.
bool CudaDnn::Plan::take(void *configuration) {
  auto made = std::make_unique<Descriptors>(library);
  void *candidate = made->make(kExecutionPlan);
  made->set(candidate, kPlanHandle, kHandle, &handle);
  made->set(candidate, kPlanConfiguration, kDescriptor, &configuration);
  made->finish(candidate);
  int64_t count = 0, bytes = 0;
  if (made->getStatus() ||
      library.get(candidate, kPlanWorkspaceBytes, kInt64, 1, &count, &bytes) ||
      bytes > kMostWorkspace)
    return false;
  chosen = std::move(made);
  plan = candidate;
  workspaceBytes = bytes;
  return true;
}

bool CudaDnn::Plan::choose() {
  for (int mode : {kInstant, kFallback}) {
    Descriptors made(library);
    for (void *configuration : askHeuristics(made, mode))
      if (mayUse(configuration) && take(configuration))
        return true;
  }
  return false;
}

int CudaDnn::Plan::run(const tally_rt_convolution_args &args,
                       void *workspace) const {
  const int64_t ids[] = {kImageId, kWeightId, kResultId};
  void *const pointers[] = {args.image, args.weight, args.result};
  Descriptors made(library);
  void *pack = made.make(kVariantPack);
  made.set(pack, kPackIds, kInt64, ids, 3);
  made.set(pack, kPackPointers, kPointer, pointers, 3);
  made.set(pack, kPackWorkspace, kPointer, &workspace);
  made.finish(pack);
  return made.getStatus() ? made.getStatus()
                          : library.execute(handle, plan, pack);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

bool CudaDnn::prepare(std::string &why) {
  if (handle)
    return true;
  if (missing.empty()) {
    library = getFunctions<DnnLibrary>(missing);
    int status = library ? library->create(&handle) : 0;
    if (library && !status)
      return true;
    handle = nullptr;
    if (status)
      missing = library->describe(status);
  }
  why = missing;
  return false;
}

/// Whether all sizes, and numbers of elements, have 32 bits.
static bool isSmall(const tally_rt_convolution_args &args) {
  auto fits = [](int64_t a, int64_t b, int64_t c, const int64_t *sizes) {
    double count = double(a) * double(b) * double(c);
    for (int i = 0; i < 3; ++i)
      count *= double(sizes[i]);
    return count <= double(kMostElements);
  };
  for (int i = 0; i < 3; ++i)
    if (std::max({args.stride[i], args.dilation[i], args.padding[i]}) >
        kMostElements)
      return false;
  return fits(args.batch, args.groups, args.in_channels, args.in) &&
         fits(args.batch, args.groups, args.out_channels, args.out) &&
         fits(args.groups * args.out_channels, args.in_channels, 1,
              args.window);
}

std::shared_ptr<CudaDnn::Plan>
CudaDnn::makePlan(const Task &task, const tally_rt_convolution_args &args,
                  std::string &why) {
  if (getType(args.dtype) < 0 || !isSmall(args)) {
    why = "cuDNN does not support this data type or so large a tensor";
    return nullptr;
  }
  if (task.kind == Kind::ImageGradient ? !hasWindowsInside(args)
                                       : !isPaddedEvenly(args)) {
    why = "cuDNN pads both ends of a dimension alike";
    return nullptr;
  }
  auto plan = std::make_shared<Plan>(*library, handle, task);
  if (int status = plan->describe(args, getAlignment(args))) {
    why = library->describe(status);
    return nullptr;
  }
  if (plan->choose())
    return plan;
  why = "cuDNN has no engine for such a convolution";
  return nullptr;
}

std::shared_ptr<CudaDnn::Plan>
CudaDnn::getPlan(const Task &task, const tally_rt_convolution_args &args,
                 std::string &why) {
  if (!prepare(why))
    return nullptr;
  Key key = makeKey(task, args);
  auto known = plans.find(key);
  if (known != plans.end())
    return known->second;
  std::shared_ptr<Plan> plan = makePlan(task, args, why);
  if (!plan)
    return nullptr;
  // Sizes may be new forever.
  if (plans.size() >= kMostPlans)
    plans.clear();
  plans.emplace(key, plan);
  return plan;
}

CudaDnn::Outcome CudaDnn::run(CudaCall &call, const Task &task,
                              const tally_rt_convolution_args &args,
                              std::string &why) {
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<Plan> plan = getPlan(task, args, why);
  if (!plan)
    return Outcome::Unsupported;
  void *workspace = nullptr;
  if (!call.getWorkspace(static_cast<size_t>(plan->getWorkspaceBytes()),
                         workspace))
    return Outcome::Failed;
  int status = library->setStream(handle, call.getStream());
  if (!status)
    status = plan->run(args, workspace);
  if (!status)
    return Outcome::Done;
  call.fail("cannot compute a convolution of " + std::to_string(args.batch) +
            " images: " + library->describe(status));
  return Outcome::Failed;
}
