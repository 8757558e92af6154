//===- CudaFFT.cpp - Fourier transforms by cuFFT --------------------------===//
//
// A plan has no memory of its own but its tables: what it needs beside its
// operands is the call's. cuFFT overwrites the operand of a transform to real
// numbers, and reads parts of it that have no meaning, so that it gets a copy.
//
//===----------------------------------------------------------------------===//

#include "CudaFFT.h"
#include "CudaCall.h"
#include "DynamicLibrary.h"

using namespace tally::runtime;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

#define TALLY_CUFFT_FUNCTIONS(X)                                               \
  X(create, cufftCreate, int, (int *))                                         \
  X(destroy, cufftDestroy, int, (int))                                         \
  X(setAutoAllocation, cufftSetAutoAllocation, int, (int, int))                \
  X(makePlan, cufftMakePlanMany64, int,                                        \
    (int, int, long long *, long long *, long long, long long, long long *,    \
     long long, long long, int, long long, size_t *))                          \
  X(setStream, cufftSetStream, int, (int, void *))                             \
  X(setWorkArea, cufftSetWorkArea, int, (int, void *))                         \
  X(complexF32, cufftExecC2C, int, (int, void *, void *, int))                 \
  X(complexF64, cufftExecZ2Z, int, (int, void *, void *, int))                 \
  X(fromRealF32, cufftExecR2C, int, (int, void *, void *))                     \
  X(fromRealF64, cufftExecD2Z, int, (int, void *, void *))                     \
  X(toRealF32, cufftExecC2R, int, (int, void *, void *))                       \
  X(toRealF64, cufftExecZ2D, int, (int, void *, void *))

/// The loaded library.
struct tally::runtime::FFTLibrary {
#define TALLY_CUFFT_MEMBER(member, symbol, result, type) result(*member) type;
  TALLY_CUFFT_FUNCTIONS(TALLY_CUFFT_MEMBER)
#undef TALLY_CUFFT_MEMBER

  bool load(std::string &why);
};

bool FFTLibrary::load(std::string &why) {
  DynamicLibrary library("libcufft");
  // Version 12 is that of CUDA 13.
  if (!library.open("TALLY_LIBCUFFT",
                    {"libcufft.so.12", "libcufft.so.11", "libcufft.so"}, why))
    return false;
#define TALLY_CUFFT_RESOLVE(member, symbol, result, type)                      \
  if (!library.find(member, #symbol, why))                                     \
    return false;
  TALLY_CUFFT_FUNCTIONS(TALLY_CUFFT_RESOLVE)
#undef TALLY_CUFFT_RESOLVE
  return true;
}

/// The name of a cufftResult; cuFFT does not tell it.
static std::string describe(int status) {
  const char *name = status == 2   ? "CUFFT_ALLOC_FAILED"
                     : status == 4 ? "CUFFT_INVALID_VALUE"
                     : status == 5 ? "CUFFT_INTERNAL_ERROR"
                     : status == 6 ? "CUFFT_EXEC_FAILED"
                     : status == 7 ? "CUFFT_SETUP_FAILED"
                     : status == 8 ? "CUFFT_INVALID_SIZE"
                                   : "cufftResult";
  return "cuFFT: " + std::string(name) + " (" + std::to_string(status) + ")";
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

namespace {
/// What cuFFT calls a type.
enum : int {
  kRealToComplex = 0x2a,
  kComplexToReal = 0x2c,
  kComplex = 0x29,
  kDoubles = 0x40
};
enum : int { kForward = -1, kBackward = 1 };

/// Plans that are kept; the one that was used least lately makes room.
constexpr size_t kMostPlans = 256;
} // namespace

/// How to transform lines of one length.
struct CudaFFT::Plan {
  explicit Plan(const FFTLibrary &library) : library(library) {}
  ~Plan() {
    if (isMade)
      library.destroy(handle);
  }
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;

  int create(int type, int64_t length, int64_t batch);
  int run(const tally_rt_fft_args &args, void *in, void *out) const;

  const FFTLibrary &library;
  int handle = 0;
  bool isMade = false;
  size_t workspaceBytes = 0;
  int64_t lastUse = 0;
};

CudaFFT::CudaFFT() = default;
CudaFFT::~CudaFFT() = default;

static bool isDouble(const tally_rt_fft_args &args) {
  return args.dtype == TALLY_RT_DATA_TYPE(kDLFloat, 64);
}

static int64_t getPartBytes(const tally_rt_fft_args &args) {
  return isDouble(args) ? 8 : 4;
}

static int getType(const tally_rt_fft_args &args) {
  int type = args.kind == TALLY_RT_FFT_REAL_TO_COMPLEX   ? kRealToComplex
             : args.kind == TALLY_RT_FFT_COMPLEX_TO_REAL ? kComplexToReal
                                                         : kComplex;
  return isDouble(args) ? type + kDoubles : type;
}

/// Lines lie one after the other, without gaps.
int CudaFFT::Plan::create(int type, int64_t length, int64_t batch) {
  int status = library.create(&handle);
  if (status)
    return status;
  isMade = true;
  status = library.setAutoAllocation(handle, 0);
  long long lengths[] = {length};
  if (!status)
    status = library.makePlan(handle, 1, lengths, nullptr, 1, 0, nullptr, 1, 0,
                              type, batch, &workspaceBytes);
  return status;
}

int CudaFFT::Plan::run(const tally_rt_fft_args &args, void *in,
                       void *out) const {
  bool isWide = isDouble(args);
  if (args.kind == TALLY_RT_FFT_REAL_TO_COMPLEX)
    return (isWide ? library.fromRealF64 : library.fromRealF32)(handle, in,
                                                                out);
  if (args.kind == TALLY_RT_FFT_COMPLEX_TO_REAL)
    return (isWide ? library.toRealF64 : library.toRealF32)(handle, in, out);
  return (isWide ? library.complexF64 : library.complexF32)(
      handle, in, out,
      args.kind == TALLY_RT_FFT_FORWARD ? kForward : kBackward);
}

void CudaFFT::forgetOldest() {
  auto oldest = plans.begin();
  for (auto plan = plans.begin(); plan != plans.end(); ++plan)
    if (plan->second->lastUse < oldest->second->lastUse)
      oldest = plan;
  plans.erase(oldest);
}

CudaFFT::Plan *CudaFFT::getPlan(const tally_rt_fft_args &args,
                                std::string &why) {
  if (!library && !(library = getFunctions<FFTLibrary>(why)))
    return nullptr;
  const Key key = {getType(args), args.length, args.batch};
  auto known = plans.find(key);
  if (known == plans.end()) {
    auto plan = std::make_unique<Plan>(*library);
    if (int status = plan->create(getType(args), args.length, args.batch)) {
      why = describe(status);
      return nullptr;
    }
    if (plans.size() >= kMostPlans)
      forgetOldest();
    known = plans.emplace(key, std::move(plan)).first;
  }
  known->second->lastUse = ++now;
  return known->second.get();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// A buffer of a call, for as long as work with it is queued.
class Temporary {
public:
  Temporary(CudaCall &call, int64_t bytes)
      : call(call), pointer(call.allocate(bytes)) {}
  ~Temporary() {
    if (pointer)
      call.release(pointer);
  }
  Temporary(const Temporary &) = delete;
  Temporary &operator=(const Temporary &) = delete;
  void *get() const { return pointer; }

private:
  CudaCall &call;
  void *pointer;
};

/// The parts of a transform's operand and of its result.
struct Parts {
  explicit Parts(const tally_rt_fft_args &args) {
    int64_t half = args.length / 2 + 1;
    bool isFromReal = args.kind == TALLY_RT_FFT_REAL_TO_COMPLEX;
    bool isToReal = args.kind == TALLY_RT_FFT_COMPLEX_TO_REAL;
    inLine = isFromReal ? args.length : 2 * (isToReal ? half : args.length);
    outLine = isToReal ? args.length : 2 * (isFromReal ? half : args.length);
  }

  /// Of one line.
  int64_t inLine, outLine;
};
} // namespace

/// A number is its own transform.
static bool copyNumbers(CudaCall &call, const tally_rt_fft_args &args) {
  Parts parts(args);
  int64_t bytes = getPartBytes(args);
  if (parts.inLine == parts.outLine)
    return call.copy(args.out, args.in, args.batch * parts.inLine * bytes);
  if (parts.outLine == 2 &&
      !call.clearRows(static_cast<char *>(args.out) + bytes, 2 * bytes, bytes,
                      args.batch))
    return false;
  return call.copyStrided(args.out, &parts.outLine, args.in, &parts.inLine, 1,
                          &args.batch, bytes);
}

/// Sets to 0 what has no meaning in the operand of a transform to real numbers.
static bool clearMeaningless(CudaCall &call, const tally_rt_fft_args &args,
                             void *in) {
  int64_t bytes = getPartBytes(args), line = Parts(args).inLine;
  auto clear = [&](int64_t number) {
    return call.clearRows(static_cast<char *>(in) + (2 * number + 1) * bytes,
                          line * bytes, bytes, args.batch);
  };
  return clear(0) && (args.length % 2 != 0 || clear(args.length / 2));
}

bool CudaFFT::transform(CudaCall &call, const tally_rt_fft_args &args) {
  std::string why;
  Plan *plan = getPlan(args, why);
  auto fail = [&] {
    return call.fail("cannot compute a Fourier transform of length " +
                     std::to_string(args.length) + ": " + why);
  };
  if (!plan)
    return fail();
  void *workspace = nullptr;
  if (!call.getWorkspace(plan->workspaceBytes, workspace))
    return false;
  int status = plan->library.setStream(plan->handle, call.getStream());
  if (!status)
    status = plan->library.setWorkArea(plan->handle, workspace);
  if (!status)
    status = plan->run(args, const_cast<void *>(args.in), args.out);
  if (!status)
    return true;
  why = describe(status);
  return fail();
}

bool CudaFFT::run(CudaCall &call, const tally_rt_fft_args &args,
                  tally_rt_counters &counters) {
  if (args.batch == 0 || args.length == 0)
    return true;
  if (args.length == 1)
    return copyNumbers(call, args);
  // cuFFT wants complex numbers, and what becomes of them, to be aligned.
  int64_t bytes = getPartBytes(args);
  auto isAligned = [&](const void *pointer) {
    return reinterpret_cast<uintptr_t>(pointer) % (2 * bytes) == 0;
  };
  bool isToReal = args.kind == TALLY_RT_FFT_COMPLEX_TO_REAL;
  tally_rt_fft_args aligned = args;
  Parts parts(args);
  std::unique_ptr<Temporary> in, out;
  if (isToReal || !isAligned(args.in)) {
    int64_t all = args.batch * parts.inLine * bytes;
    in = std::make_unique<Temporary>(call, all);
    aligned.in = in->get();
    if (!in->get() || !call.copy(in->get(), args.in, all) ||
        (isToReal && !clearMeaningless(call, args, in->get())))
      return false;
  }
  int64_t all = args.batch * parts.outLine * bytes;
  if (!isAligned(args.out)) {
    out = std::make_unique<Temporary>(call, all);
    aligned.out = out->get();
    if (!out->get())
      return false;
  }
  std::lock_guard<std::mutex> lock(mutex);
  if (!transform(call, aligned))
    return false;
  ++counters.library_calls;
  return !out || call.copy(args.out, out->get(), all);
}
