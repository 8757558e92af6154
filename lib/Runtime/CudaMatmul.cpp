//===- CudaMatmul.cpp - Matrix products by cuBLASLt -----------------------===//
//
// cuBLASLt reads matrices by columns. A matrix by rows is its transpose read by
// columns, so that C = A B is asked for as C^T = B^T A^T.
//
//===----------------------------------------------------------------------===//

#include "CudaMatmul.h"
#include "CudaCall.h"
#include "DynamicLibrary.h"

#include <algorithm>
#include <cstring>

using namespace tally::runtime;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

namespace {

/// cublasLtMatmulHeuristicResult_t.
struct Heuristic {
  uint64_t algorithm[8];
  size_t workspaceBytes;
  int status;
  float waves;
  int reserved[4];
};

enum : int {
  kComputeF32 = 68,
  kComputeF64 = 70,
  kTypeF32 = 0,
  kTypeF64 = 1,
  kTypeF16 = 2,
  kTypeBF16 = 14,
  kDescTransposeA = 3,
  kDescTransposeB = 4,
  kDescEpilogue = 7,
  kDescBias = 8,
  kLayoutBatchCount = 5,
  kLayoutBatchStride = 6,
  kPreferenceWorkspace = 1,
  kPreferenceReductionMask = 3,
  kPreferenceAlignmentA = 5,
  kReductionInComputeType = 2,
  kTransposed = 1,
  kEpilogueNone = 1,
  kEpilogueRelu = 2,
  kEpilogueBias = 4
};

/// Workspace that a product may use; what NVIDIA advises for Hopper.
constexpr uint64_t kWorkspaceBytes = 32 << 20;
/// Shapes whose choice is kept.
constexpr size_t kMostPlans = 4096;
/// The alignment beyond which cuBLASLt does not look.
constexpr int64_t kBestAlignment = TALLY_RT_DEVICE_ALIGNMENT;

} // namespace

#define TALLY_CUBLASLT_FUNCTIONS(X)                                            \
  X(create, cublasLtCreate, int, (void **))                                    \
  X(destroy, cublasLtDestroy, int, (void *))                                   \
  X(descCreate, cublasLtMatmulDescCreate, int, (void **, int, int))            \
  X(descSet, cublasLtMatmulDescSetAttribute, int,                              \
    (void *, int, const void *, size_t))                                       \
  X(descDestroy, cublasLtMatmulDescDestroy, int, (void *))                     \
  X(layoutCreate, cublasLtMatrixLayoutCreate, int,                             \
    (void **, int, uint64_t, uint64_t, int64_t))                               \
  X(layoutSet, cublasLtMatrixLayoutSetAttribute, int,                          \
    (void *, int, const void *, size_t))                                       \
  X(layoutDestroy, cublasLtMatrixLayoutDestroy, int, (void *))                 \
  X(preferenceCreate, cublasLtMatmulPreferenceCreate, int, (void **))          \
  X(preferenceSet, cublasLtMatmulPreferenceSetAttribute, int,                  \
    (void *, int, const void *, size_t))                                       \
  X(preferenceDestroy, cublasLtMatmulPreferenceDestroy, int, (void *))         \
  X(choose, cublasLtMatmulAlgoGetHeuristic, int,                               \
    (void *, void *, void *, void *, void *, void *, void *, int, void *,      \
     int *))                                                                   \
  X(matmul, cublasLtMatmul, int,                                               \
    (void *, void *, const void *, const void *, void *, const void *, void *, \
     const void *, const void *, void *, void *, void *, const void *, void *, \
     size_t, void *))                                                          \
  X(getStatusName, cublasLtGetStatusName, const char *, (int))

/// The loaded library.
struct tally::runtime::CublasLt {
#define TALLY_CUBLASLT_MEMBER(member, symbol, result, type)                    \
  result(*member) type;
  TALLY_CUBLASLT_FUNCTIONS(TALLY_CUBLASLT_MEMBER)
#undef TALLY_CUBLASLT_MEMBER

  bool load(std::string &why);
  std::string describe(int status) const {
    return std::string("cuBLASLt: ") + getStatusName(status);
  }
};

bool CublasLt::load(std::string &why) {
  DynamicLibrary library("libcublasLt");
  if (!library.open(
          "TALLY_LIBCUBLASLT",
          {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"}, why))
    return false;
#define TALLY_CUBLASLT_RESOLVE(member, symbol, result, type)                   \
  if (!library.find(member, #symbol, why))                                     \
    return false;
  TALLY_CUBLASLT_FUNCTIONS(TALLY_CUBLASLT_RESOLVE)
#undef TALLY_CUBLASLT_RESOLVE
  return true;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// The description of a product for cuBLASLt, and the algorithm it chose.
struct CudaMatmul::Plan {
  explicit Plan(const CublasLt &library) : library(library) {}
  ~Plan() {
    if (preference)
      library.preferenceDestroy(preference);
    for (void *layout : {left, right, product})
      if (layout)
        library.layoutDestroy(layout);
    if (desc)
      library.descDestroy(desc);
  }
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;

  int create(const tally_rt_matmul_args &args, void *handle);
  /// The description names the bias of the product that comes next.
  int setBias(const void *bias);

  const CublasLt &library;
  /// Of a product with a bias, from naming it until the product is queued.
  std::mutex mutex;
  void *desc = nullptr;
  /// B and A, as cuBLASLt counts.
  void *left = nullptr, *right = nullptr, *product = nullptr;
  void *preference = nullptr;
  bool isDouble = false;
  Heuristic chosen = {};

private:
  int createDesc(const tally_rt_matmul_args &args);
  int createLayout(void *&layout, int type, int64_t rows, int64_t columns,
                   int64_t leading, int64_t batch, int64_t stride);
  int createPreference(const tally_rt_matmul_args &args);
};

CudaMatmul::CudaMatmul() = default;
CudaMatmul::~CudaMatmul() = default;

static int64_t alignmentOf(const void *pointer) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  int64_t alignment = kBestAlignment;
  while (address % alignment != 0)
    alignment /= 2;
  return alignment;
}

/// Translates a data type; -1 for one that is not supported.
static int getType(int32_t dtype) {
  switch (dtype) {
  case TALLY_RT_DATA_TYPE(kDLFloat, 32):
    return kTypeF32;
  case TALLY_RT_DATA_TYPE(kDLFloat, 64):
    return kTypeF64;
  case TALLY_RT_DATA_TYPE(kDLFloat, 16):
    return kTypeF16;
  case TALLY_RT_DATA_TYPE(kDLBfloat, 16):
    return kTypeBF16;
  default:
    return -1;
  }
}

static int getResultType(const tally_rt_matmul_args &args) {
  return getType(args.result_dtype ? args.result_dtype : args.dtype);
}

/// What is done with sums before they are rounded.
static uint32_t getEpilogue(const tally_rt_matmul_args &args) {
  uint32_t epilogue = 0;
  if (args.relu)
    epilogue |= kEpilogueRelu;
  if (args.bias)
    epilogue |= kEpilogueBias;
  return epilogue ? epilogue : uint32_t(kEpilogueNone);
}

CudaMatmul::Key CudaMatmul::makeKey(const tally_rt_matmul_args &args) {
  return {args.batch,
          args.m,
          args.n,
          args.k,
          args.lda,
          args.ldb,
          args.ldc,
          args.stride_a,
          args.stride_b,
          args.stride_c,
          args.dtype,
          getResultType(args),
          args.transpose_a != 0,
          args.transpose_b != 0,
          getEpilogue(args),
          alignmentOf(args.a),
          alignmentOf(args.b),
          alignmentOf(args.c),
          alignmentOf(args.bias)};
}

int CudaMatmul::Plan::createDesc(const tally_rt_matmul_args &args) {
  isDouble = getType(args.dtype) == kTypeF64;
  int status = library.descCreate(&desc, isDouble ? kComputeF64 : kComputeF32,
                                  isDouble ? kTypeF64 : kTypeF32);
  const int32_t transposed = kTransposed;
  if (!status && args.transpose_b)
    status =
        library.descSet(desc, kDescTransposeA, &transposed, sizeof(transposed));
  if (!status && args.transpose_a)
    status =
        library.descSet(desc, kDescTransposeB, &transposed, sizeof(transposed));
  const uint32_t epilogue = getEpilogue(args);
  if (!status && epilogue != kEpilogueNone)
    status = library.descSet(desc, kDescEpilogue, &epilogue, sizeof(epilogue));
  if (!status && args.bias)
    status = setBias(args.bias);
  return status;
}

int CudaMatmul::Plan::setBias(const void *bias) {
  return library.descSet(desc, kDescBias, &bias, sizeof(bias));
}

/// Describes a matrix in memory, whose `columns` are contiguous here.
int CudaMatmul::Plan::createLayout(void *&layout, int type, int64_t rows,
                                   int64_t columns, int64_t leading,
                                   int64_t batch, int64_t stride) {
  // With one row the distance to the next means nothing, but is looked at.
  if (rows == 1)
    leading = std::max(leading, columns);
  int status = library.layoutCreate(&layout, type, columns, rows, leading);
  const int32_t count = static_cast<int32_t>(batch);
  if (!status && batch > 1)
    status =
        library.layoutSet(layout, kLayoutBatchCount, &count, sizeof(count));
  if (!status && batch > 1)
    status =
        library.layoutSet(layout, kLayoutBatchStride, &stride, sizeof(stride));
  return status;
}

int CudaMatmul::Plan::createPreference(const tally_rt_matmul_args &args) {
  int status = library.preferenceCreate(&preference);
  const uint64_t workspace = kWorkspaceBytes;
  if (!status)
    status = library.preferenceSet(preference, kPreferenceWorkspace, &workspace,
                                   sizeof(workspace));
  // Parts of a sum are never rounded to half precision.
  const uint32_t reductions = kReductionInComputeType;
  if (!status)
    status = library.preferenceSet(preference, kPreferenceReductionMask,
                                   &reductions, sizeof(reductions));
  const void *pointers[] = {args.b, args.a, args.c, args.c};
  for (int i = 0; !status && i < 4; ++i) {
    const auto alignment = static_cast<uint32_t>(alignmentOf(pointers[i]));
    status = library.preferenceSet(preference, kPreferenceAlignmentA + i,
                                   &alignment, sizeof(alignment));
  }
  return status;
}

int CudaMatmul::Plan::create(const tally_rt_matmul_args &args, void *handle) {
  int type = getType(args.dtype);
  int status = createDesc(args);
  if (!status)
    status = createLayout(left, type, args.transpose_b ? args.n : args.k,
                          args.transpose_b ? args.k : args.n, args.ldb,
                          args.batch, args.stride_b);
  if (!status)
    status = createLayout(right, type, args.transpose_a ? args.k : args.m,
                          args.transpose_a ? args.m : args.k, args.lda,
                          args.batch, args.stride_a);
  if (!status)
    status = createLayout(product, getResultType(args), args.m, args.n,
                          args.ldc, args.batch, args.stride_c);
  if (!status)
    status = createPreference(args);
  int found = 0;
  const int notSupported = 15;
  if (!status)
    status = library.choose(handle, desc, left, right, product, product,
                            preference, 1, &chosen, &found);
  if (!status && found == 0)
    status = notSupported;
  return status;
}

bool CudaMatmul::prepare(std::string &why) {
  if (handle)
    return true;
  library = getFunctions<CublasLt>(why);
  if (!library)
    return false;
  int status = library->create(&handle);
  if (!status)
    return true;
  handle = nullptr;
  why = library->describe(status);
  return false;
}

std::shared_ptr<CudaMatmul::Plan>
CudaMatmul::makePlan(const tally_rt_matmul_args &args, std::string &why) {
  if (getType(args.dtype) < 0 || getResultType(args) < 0 ||
      args.batch > INT32_MAX) {
    why = "cuBLASLt does not support this data type or number of matrices";
    return nullptr;
  }
  auto plan = std::make_shared<Plan>(*library);
  int status = plan->create(args, handle);
  if (!status)
    return plan;
  why = library->describe(status);
  return nullptr;
}

std::shared_ptr<CudaMatmul::Plan>
CudaMatmul::getPlan(const tally_rt_matmul_args &args, std::string &why) {
  Key key = makeKey(args);
  std::lock_guard<std::mutex> lock(mutex);
  if (!prepare(why))
    return nullptr;
  auto known = plans.find(key);
  if (known != plans.end())
    return known->second;
  std::shared_ptr<Plan> plan = makePlan(args, why);
  if (!plan)
    return nullptr;
  // Sizes may be new forever. A plan that is in use lives on.
  if (plans.size() >= kMostPlans)
    plans.clear();
  plans.emplace(key, plan);
  return plan;
}

CudaMatmul::Outcome CudaMatmul::run(CudaCall &call,
                                    const tally_rt_matmul_args &args,
                                    std::string &why) {
  std::shared_ptr<Plan> plan = getPlan(args, why);
  if (!plan)
    return Outcome::Unsupported;
  void *workspace = nullptr;
  if (!call.getWorkspace(plan->chosen.workspaceBytes, workspace))
    return Outcome::Failed;
  const double oneDouble = 1, zeroDouble = 0;
  const float oneFloat = 1, zeroFloat = 0;
  const void *one = plan->isDouble ? static_cast<const void *>(&oneDouble)
                                   : static_cast<const void *>(&oneFloat);
  const void *zero = plan->isDouble ? static_cast<const void *>(&zeroDouble)
                                    : static_cast<const void *>(&zeroFloat);
  std::unique_lock<std::mutex> naming(plan->mutex, std::defer_lock);
  int status = 0;
  if (args.bias) {
    naming.lock();
    status = plan->setBias(args.bias);
  }
  if (!status)
    status = library->matmul(
        handle, plan->desc, one, args.b, plan->left, args.a, plan->right, zero,
        args.c, plan->product, args.c, plan->product, plan->chosen.algorithm,
        workspace, plan->chosen.workspaceBytes, call.getStream());
  if (!status)
    return Outcome::Done;
  call.fail("cannot multiply matrices (" + std::to_string(args.m) + " x " +
            std::to_string(args.k) + " by " + std::to_string(args.k) + " x " +
            std::to_string(args.n) + "): " + library->describe(status));
  return Outcome::Failed;
}
