//===- FakeFFT.cpp - Fourier transforms over memory of the host -----------===//
//
// Stands in for libcufft. As that does, it overwrites the operand of a
// transform to real numbers and reads parts of it that have no meaning. A plan
// of length 98 cannot run, one of 99 cannot be made.
//
//===----------------------------------------------------------------------===//

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#define FAKE extern "C" __attribute__((visibility("default")))

// NOLINTBEGIN(readability-identifier-naming)

namespace {
struct Plan {
  long long length = 0, batch = 0;
  bool allocates = true;
  void *workspace = nullptr;
};
} // namespace

static std::map<int, Plan> plans;
static int lastPlan;

FAKE int64_t fakePlans() { return int64_t(plans.size()); }
FAKE int64_t fakeMadePlans() { return lastPlan; }

FAKE int cufftCreate(int *handle) {
  plans[ *handle = ++lastPlan] = {};
  return 0;
}
FAKE int cufftDestroy(int handle) { return plans.erase(handle) ? 0 : 1; }
FAKE int cufftSetAutoAllocation(int handle, int allocates) {
  plans.at(handle).allocates = allocates != 0;
  return 0;
}
FAKE int cufftMakePlanMany64(int handle, int rank, long long *lengths,
                             long long *, long long, long long, long long *,
                             long long, long long, int, long long batch,
                             size_t *bytes) {
  if (rank != 1 || lengths[0] < 2 || batch < 1 || lengths[0] == 99)
    return 8;
  plans.at(handle).length = lengths[0];
  plans.at(handle).batch = batch;
  *bytes = 64;
  return 0;
}
FAKE int cufftSetStream(int handle, void *) {
  return plans.count(handle) ? 0 : 1;
}
FAKE int cufftSetWorkArea(int handle, void *workspace) {
  plans.at(handle).workspace = workspace;
  return 0;
}

/// Transforms all lines; `get` and `set` have a line and a number of it.
template <typename Get, typename Set>
static int transform(int handle, int sign, Get get, Set set) {
  const Plan &plan = plans.at(handle);
  if (plan.allocates || !plan.workspace || plan.length == 98)
    return 6;
  long long n = plan.length;
  for (long long line = 0; line < plan.batch; ++line)
    for (long long k = 0; k < n; ++k) {
      std::complex<double> sum = 0;
      for (long long j = 0; j < n; ++j)
        sum += std::complex<double>(get(line, j)) *
               std::polar(1.0, sign * 2 * M_PI * double(j * k % n) / double(n));
      set(line, k, sum);
    }
  return 0;
}

static bool isAligned(const void *pointer, size_t bytes) {
  return reinterpret_cast<uintptr_t>(pointer) % bytes == 0;
}

template <typename T>
static int transformComplex(int handle, void *in, void *out, int sign) {
  auto *from = static_cast<std::complex<T> *>(in);
  auto *to = static_cast<std::complex<T> *>(out);
  long long n = plans.at(handle).length;
  if (!isAligned(in, 2 * sizeof(T)) || !isAligned(out, 2 * sizeof(T)))
    return 4;
  return transform(
      handle, sign,
      [&](long long line, long long j) {
        return std::complex<double>(from[line * n + j]);
      },
      [&](long long line, long long k, std::complex<double> sum) {
        to[line * n + k] = std::complex<T>(sum);
      });
}

template <typename T>
static int transformFromReal(int handle, void *in, void *out) {
  auto *from = static_cast<T *>(in);
  auto *to = static_cast<std::complex<T> *>(out);
  long long n = plans.at(handle).length, half = n / 2 + 1;
  if (!isAligned(in, 2 * sizeof(T)) || !isAligned(out, 2 * sizeof(T)))
    return 4;
  return transform(
      handle, -1,
      [&](long long line, long long j) { return from[line * n + j]; },
      [&](long long line, long long k, std::complex<double> sum) {
        if (k < half)
          to[line * half + k] = std::complex<T>(sum);
      });
}

template <typename T>
static int transformToReal(int handle, void *in, void *out) {
  auto *from = static_cast<std::complex<T> *>(in);
  auto *to = static_cast<T *>(out);
  const Plan &plan = plans.at(handle);
  long long n = plan.length, half = n / 2 + 1;
  if (!isAligned(in, 2 * sizeof(T)) || !isAligned(out, 2 * sizeof(T)))
    return 4;
  int status = transform(
      handle, 1,
      [&](long long line, long long j) {
        std::complex<double> number(from[line * half + (j < half ? j : n - j)]);
        // An imaginary part that should not be read.
        if (2 * j % n == 0)
          return std::complex<double>(number.real() + number.imag());
        return j < half ? number : std::conj(number);
      },
      [&](long long line, long long k, std::complex<double> sum) {
        to[line * n + k] = T(sum.real());
      });
  for (long long i = 0; i < plan.batch * half; ++i)
    from[i] = std::numeric_limits<T>::quiet_NaN();
  return status;
}

FAKE int cufftExecC2C(int handle, void *in, void *out, int sign) {
  return transformComplex<float>(handle, in, out, sign);
}
FAKE int cufftExecZ2Z(int handle, void *in, void *out, int sign) {
  return transformComplex<double>(handle, in, out, sign);
}
FAKE int cufftExecR2C(int handle, void *in, void *out) {
  return transformFromReal<float>(handle, in, out);
}
FAKE int cufftExecD2Z(int handle, void *in, void *out) {
  return transformFromReal<double>(handle, in, out);
}
FAKE int cufftExecC2R(int handle, void *in, void *out) {
  return transformToReal<float>(handle, in, out);
}
FAKE int cufftExecZ2D(int handle, void *in, void *out) {
  return transformToReal<double>(handle, in, out);
}

// NOLINTEND(readability-identifier-naming)
