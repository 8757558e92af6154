//===- CudaDnn.cpp - Convolutions by cuDNN --------------------------------===//
//
// The interface of cuDNN with a function for each step: it is stable, and an
// algorithm is a number that its heuristics advise. They are asked once for
// sizes between two powers of two, always with the same ones, so that what is
// computed does not depend on earlier calls.
//
//===----------------------------------------------------------------------===//

#include "CudaDnn.h"
#include "CudaCall.h"
#include "DynamicLibrary.h"

#include <algorithm>

using namespace tally::runtime;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

namespace {

/// cudnnConvolutionFwdAlgoPerf_t, and what gradients have in its place.
struct Advice {
  int algorithm;
  int status;
  float time;
  size_t workspaceBytes;
  int determinism;
  int math;
  int reserved[3];
};

enum : int {
  kTypeFloat = 0,
  kTypeDouble = 1,
  kTypeHalf = 2,
  kTypeBFloat16 = 9,
  kFormatChannelsFirst = 0,
  kCrossCorrelation = 1,
  kMathTensorCores = 1,
  /// No tf32.
  kMathFusedMultiplyAdd = 3,
  kDeterministic = 1
};

/// All algorithms that there are.
constexpr int kMostAdvice = 8;
/// Shapes whose plan, or algorithm, is kept.
constexpr size_t kMostPlans = 4096;
/// The memory that a convolution may use beside its operands.
constexpr size_t kMostWorkspace = size_t(1) << 30;
/// More elements need numbers of 64 bits.
constexpr int64_t kMostElements = INT32_MAX;

} // namespace

#define TALLY_CUDNN_FUNCTIONS(X)                                               \
  X(create, cudnnCreate, int, (void **))                                       \
  X(setStream, cudnnSetStream, int, (void *, void *))                          \
  X(describeStatus, cudnnGetErrorString, const char *, (int))                  \
  X(tensorCreate, cudnnCreateTensorDescriptor, int, (void **))                 \
  X(tensorSet, cudnnSetTensorNdDescriptor, int,                                \
    (void *, int, int, const int *, const int *))                              \
  X(tensorDestroy, cudnnDestroyTensorDescriptor, int, (void *))                \
  X(filterCreate, cudnnCreateFilterDescriptor, int, (void **))                 \
  X(filterSet, cudnnSetFilterNdDescriptor, int,                                \
    (void *, int, int, int, const int *))                                      \
  X(filterDestroy, cudnnDestroyFilterDescriptor, int, (void *))                \
  X(convCreate, cudnnCreateConvolutionDescriptor, int, (void **))              \
  X(convSet, cudnnSetConvolutionNdDescriptor, int,                             \
    (void *, int, const int *, const int *, const int *, int, int))            \
  X(convSetGroups, cudnnSetConvolutionGroupCount, int, (void *, int))          \
  X(convSetMath, cudnnSetConvolutionMathType, int, (void *, int))              \
  X(convDestroy, cudnnDestroyConvolutionDescriptor, int, (void *))             \
  X(advise, cudnnGetConvolutionForwardAlgorithm_v7, int,                       \
    (void *, void *, void *, void *, void *, int, int *, void *))              \
  X(getWorkspace, cudnnGetConvolutionForwardWorkspaceSize, int,                \
    (void *, void *, void *, void *, void *, int, size_t *))                   \
  X(forward, cudnnConvolutionForward, int,                                     \
    (void *, const void *, void *, const void *, void *, const void *, void *, \
     int, void *, size_t, const void *, void *, void *))                       \
  X(adviseFilter, cudnnGetConvolutionBackwardFilterAlgorithm_v7, int,          \
    (void *, void *, void *, void *, void *, int, int *, void *))              \
  X(getFilterWorkspace, cudnnGetConvolutionBackwardFilterWorkspaceSize, int,   \
    (void *, void *, void *, void *, void *, int, size_t *))                   \
  X(backwardFilter, cudnnConvolutionBackwardFilter, int,                       \
    (void *, const void *, void *, const void *, void *, const void *, void *, \
     int, void *, size_t, const void *, void *, void *))                       \
  X(adviseData, cudnnGetConvolutionBackwardDataAlgorithm_v7, int,              \
    (void *, void *, void *, void *, void *, int, int *, void *))              \
  X(getDataWorkspace, cudnnGetConvolutionBackwardDataWorkspaceSize, int,       \
    (void *, void *, void *, void *, void *, int, size_t *))                   \
  X(backwardData, cudnnConvolutionBackwardData, int,                           \
    (void *, const void *, void *, const void *, void *, const void *, void *, \
     int, void *, size_t, const void *, void *, void *))

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

/// The description of a convolution for cuDNN, and how to compute it.
struct CudaDnn::Plan {
  Plan(const DnnLibrary &library, const Task &task)
      : library(library), task(task) {}
  ~Plan() {
    for (void *tensor : {image, result})
      if (tensor)
        library.tensorDestroy(tensor);
    if (weight)
      library.filterDestroy(weight);
    if (convolution)
      library.convDestroy(convolution);
  }
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;

  int create(const tally_rt_convolution_args &args);
  /// The first algorithm that the heuristics name; -1 where there is none.
  int advise(void *handle) const;
  /// Whether an algorithm computes this convolution; then it is the plan's.
  bool choose(void *handle, int candidate);
  /// Adds to what is written, where `adds` is set.
  int run(void *handle, const tally_rt_convolution_args &args, bool adds,
          void *workspace) const;

  const DnnLibrary &library;
  Task task;
  void *image = nullptr, *weight = nullptr, *convolution = nullptr,
       *result = nullptr;
  int algorithm = -1;
  size_t workspaceBytes = 0;
  bool isDouble = false;

private:
  int createTensor(void *&tensor, int type, int64_t batch, int64_t channels,
                   const int64_t *sizes, const int64_t *all) const;
  int createConvolution(const tally_rt_convolution_args &args, int type);

  /// The first spatial dimension that is not left out.
  int first = 0;
};

CudaDnn::CudaDnn() = default;
CudaDnn::~CudaDnn() = default;

/// Translates the data type; -1 for one that is not supported.
static int getType(int64_t dtype) {
  switch (dtype) {
  case TALLY_RT_DATA_TYPE(kDLFloat, 32):
    return kTypeFloat;
  case TALLY_RT_DATA_TYPE(kDLFloat, 64):
    return kTypeDouble;
  case TALLY_RT_DATA_TYPE(kDLFloat, 16):
    return kTypeHalf;
  case TALLY_RT_DATA_TYPE(kDLBfloat, 16):
    return kTypeBFloat16;
  default:
    return -1;
  }
}

CudaDnn::Key CudaDnn::makeKey(const Task &task,
                              const tally_rt_convolution_args &args) {
  Key key = {2 * static_cast<int64_t>(task.kind) + (task.anyOrder ? 1 : 0),
             args.batch,
             args.groups,
             args.in_channels,
             args.out_channels,
             args.dtype};
  auto *next = key.begin() + 6;
  for (const int64_t *sizes : {args.in, args.window, args.out, args.stride,
                               args.dilation, args.padding})
    next = std::copy_n(sizes, 3, next);
  return key;
}

/// The power of two at or above a size.
static int64_t roundUp(int64_t size) {
  int64_t power = 1;
  while (power < size)
    power *= 2;
  return power;
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

tally_rt_convolution_args
CudaDnn::makeTypical(const tally_rt_convolution_args &args) {
  tally_rt_convolution_args typical = args;
  typical.batch = roundUp(args.batch);
  for (int i = 0; i < 3; ++i) {
    typical.out[i] = roundUp(args.out[i]);
    typical.in[i] =
        std::max<int64_t>(getReach(typical, i) - 2 * args.padding[i], 1);
  }
  return typical;
}

/// Describes a tensor of `sizes` that is part of one of `all`.
int CudaDnn::Plan::createTensor(void *&tensor, int type, int64_t batch,
                                int64_t channels, const int64_t *sizes,
                                const int64_t *all) const {
  int dims[5] = {static_cast<int>(batch), static_cast<int>(channels)};
  int strides[5];
  int rank = 5 - first, stride = 1;
  for (int i = rank; i-- > 2; stride *= static_cast<int>(all[i - 2 + first])) {
    dims[i] = static_cast<int>(sizes[i - 2 + first]);
    strides[i] = stride;
  }
  strides[1] = stride;
  strides[0] = stride * dims[1];
  int status = library.tensorCreate(&tensor);
  return status ? status : library.tensorSet(tensor, type, rank, dims, strides);
}

int CudaDnn::Plan::createConvolution(const tally_rt_convolution_args &args,
                                     int type) {
  int padding[3], stride[3], dilation[3];
  for (int i = first; i < 3; ++i) {
    stride[i - first] = static_cast<int>(args.stride[i]);
    dilation[i - first] = static_cast<int>(args.dilation[i]);
    padding[i - first] = static_cast<int>(args.padding[i]);
  }
  int status = library.convCreate(&convolution);
  if (!status)
    status =
        library.convSet(convolution, 3 - first, padding, stride, dilation,
                        kCrossCorrelation, isDouble ? kTypeDouble : kTypeFloat);
  if (!status)
    status = library.convSetGroups(convolution, static_cast<int>(args.groups));
  bool isHalf = type == kTypeHalf || type == kTypeBFloat16;
  if (!status)
    status = library.convSetMath(convolution, isHalf ? kMathTensorCores
                                                     : kMathFusedMultiplyAdd);
  return status;
}

int CudaDnn::Plan::create(const tally_rt_convolution_args &args) {
  int type = getType(args.dtype);
  isDouble = type == kTypeDouble;
  // There are algorithms for two dimensions that there are not for three.
  first = args.in[0] == 1 && args.window[0] == 1 && args.out[0] == 1 ? 1 : 0;
  int64_t read[3];
  for (int i = 0; i < 3; ++i)
    read[i] = getReadSize(args, i);
  int status = createTensor(image, type, args.batch,
                            args.groups * args.in_channels, read, args.in);
  if (!status)
    status = createTensor(result, type, args.batch,
                          args.groups * args.out_channels, args.out, args.out);
  int dims[5] = {static_cast<int>(args.groups * args.out_channels),
                 static_cast<int>(args.in_channels)};
  for (int i = first; i < 3; ++i)
    dims[2 + i - first] = static_cast<int>(args.window[i]);
  if (!status)
    status = library.filterCreate(&weight);
  if (!status)
    status =
        library.filterSet(weight, type, kFormatChannelsFirst, 5 - first, dims);
  return status ? status : createConvolution(args, type);
}

int CudaDnn::Plan::advise(void *handle) const {
  Advice advice[kMostAdvice];
  int count = 0, status = 0;
  switch (task.kind) {
  case Kind::Forward:
    status = library.advise(handle, image, weight, convolution, result,
                            kMostAdvice, &count, advice);
    break;
  case Kind::WeightGradient:
    status = library.adviseFilter(handle, image, result, convolution, weight,
                                  kMostAdvice, &count, advice);
    break;
  case Kind::ImageGradient:
    status = library.adviseData(handle, weight, result, convolution, image,
                                kMostAdvice, &count, advice);
    break;
  }
  if (status)
    return -1;
  for (int i = 0; i < count; ++i)
    if (!advice[i].status &&
        (task.anyOrder || advice[i].determinism == kDeterministic) &&
        advice[i].workspaceBytes <= kMostWorkspace)
      return advice[i].algorithm;
  return -1;
}

bool CudaDnn::Plan::choose(void *handle, int candidate) {
  if (candidate < 0)
    return false;
  int status = 0;
  switch (task.kind) {
  case Kind::Forward:
    status = library.getWorkspace(handle, image, weight, convolution, result,
                                  candidate, &workspaceBytes);
    break;
  case Kind::WeightGradient:
    status = library.getFilterWorkspace(handle, image, result, convolution,
                                        weight, candidate, &workspaceBytes);
    break;
  case Kind::ImageGradient:
    status = library.getDataWorkspace(handle, weight, result, convolution,
                                      image, candidate, &workspaceBytes);
    break;
  }
  if (status || workspaceBytes > kMostWorkspace)
    return false;
  algorithm = candidate;
  return true;
}

int CudaDnn::Plan::run(void *handle, const tally_rt_convolution_args &args,
                       bool adds, void *workspace) const {
  const double wide[] = {0, 1};
  const float narrow[] = {0, 1};
  auto get = [&](int number) {
    return isDouble ? static_cast<const void *>(&wide[number])
                    : &narrow[number];
  };
  const void *one = get(1), *kept = get(adds ? 1 : 0);
  if (task.kind == Kind::Forward)
    return library.forward(handle, one, image, args.image, weight, args.weight,
                           convolution, algorithm, workspace, workspaceBytes,
                           kept, result, args.result);
  if (task.kind == Kind::ImageGradient)
    return library.backwardData(handle, one, weight, args.weight, result,
                                args.result, convolution, algorithm, workspace,
                                workspaceBytes, kept, image, args.image);
  return library.backwardFilter(handle, one, image, args.image, result,
                                args.result, convolution, algorithm, workspace,
                                workspaceBytes, kept, weight, args.weight);
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

int CudaDnn::getAdvised(const Task &task,
                        const tally_rt_convolution_args &typical) {
  Key key = makeKey(task, typical);
  auto known = advised.find(key);
  if (known != advised.end())
    return known->second;
  int algorithm = -1;
  if (isSmall(typical)) {
    Plan plan(*library, task);
    if (!plan.create(typical))
      algorithm = plan.advise(handle);
  }
  if (advised.size() >= kMostPlans)
    advised.clear();
  return advised[key] = algorithm;
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
  auto plan = std::make_shared<Plan>(*library, task);
  if (int status = plan->create(args)) {
    why = library->describe(status);
    return nullptr;
  }
  if (plan->choose(handle, getAdvised(task, makeTypical(args))) ||
      plan->choose(handle, plan->advise(handle)))
    return plan;
  why = "cuDNN has no algorithm for such a convolution";
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
  if (!call.getWorkspace(plan->workspaceBytes, workspace))
    return Outcome::Failed;
  int status = library->setStream(handle, call.getStream());
  if (!status)
    status = plan->run(handle, args, task.adds, workspace);
  if (!status)
    return Outcome::Done;
  call.fail("cannot compute a convolution of " + std::to_string(args.batch) +
            " images: " + library->describe(status));
  return Outcome::Failed;
}
