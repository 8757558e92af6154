//===- CudaPadding.cpp - Products with padded rows ------------------------===//

#include "CudaPadding.h"

#include <algorithm>

using namespace tally::runtime;

/// The bytes of a row that are read at a time, and the elements of half
/// precision in them.
static constexpr int64_t kWord = 16, kElements = kWord / 2;

/// A padded result takes so many bytes at a time, which the cache of a GPU
/// holds, in parts of as many rows as tiles of products have.
static constexpr int64_t kMostBytes = int64_t(32) << 20, kRows = 256;

/// What a byte that is copied, and a launch, take, in operations that a product
/// of such rows saves: as measured on an H200, 7 fs each.
static constexpr double kOperationsPerByte = 56,
                        kOperationsPerLaunch = 420000000;

static int64_t roundUp(int64_t size) {
  return (size + kElements - 1) / kElements * kElements;
}

/// Whether words of rows lie at multiples of their size.
static bool isAligned(const void *data, int64_t leading, int64_t bytes) {
  return (reinterpret_cast<uintptr_t>(data) | (leading * bytes)) % kWord == 0;
}

CudaPadding::CudaPadding(CudaCall &call, const tally_rt_matmul_args &args)
    : call(call), args(args), padded(args) {
  padded.k = roundUp(args.k);
  padded.n = roundUp(args.n);
  bool isDeep = padded.k != args.k, isWide = padded.n != args.n;
  left = isDeep || !isAligned(args.a, args.lda, 2);
  right = isDeep || isWide || !isAligned(args.b, args.ldb, 2);
  result = isWide || !isAligned(args.c, args.ldc, getResultBytes());
}

int64_t CudaPadding::getResultBytes() const {
  return ((args.result_dtype ? args.result_dtype : args.dtype) & 0xff) / 8;
}

bool CudaPadding::isWorthwhile() const {
  if ((args.dtype & 0xff) != 16 || args.batch != 1)
    return false;
  auto m = static_cast<double>(args.m), n = static_cast<double>(args.n),
       k = static_cast<double>(args.k);
  double bytes = 0, launches = 0;
  for (auto [isCopied, size] : {std::pair(left, 2 * m * k),
                                {right, 2 * n * k},
                                {result, m * n * double(getResultBytes())}})
    if (isCopied) {
      bytes += 2 * size;
      ++launches;
    }
  return launches > 0 && 2 * m * n * k > bytes * kOperationsPerByte +
                                             launches * kOperationsPerLaunch;
}

void *CudaPadding::allocate(int64_t bytes) {
  void *copy = call.allocate(bytes);
  if (copy)
    copies.push_back(copy);
  return copy;
}

const void *CudaPadding::pad(const CudaRows &from, int64_t rows,
                             int64_t &leading) {
  leading = roundUp(from.columns);
  void *copy = allocate(2 * rows * leading);
  return copy && call.copyRows({copy, rows, leading, leading}, from, 2)
             ? copy
             : nullptr;
}

bool CudaPadding::padLeft() {
  if (!left)
    return true;
  bool transposed = args.transpose_a != 0;
  CudaRows from = {const_cast<void *>(args.a), transposed ? args.k : args.m,
                   transposed ? args.m : args.k, args.lda};
  padded.a = pad(from, transposed ? padded.k : args.m, padded.lda);
  return padded.a != nullptr;
}

bool CudaPadding::padRight() {
  if (!right)
    return true;
  bool transposed = args.transpose_b != 0;
  CudaRows from = {const_cast<void *>(args.b), transposed ? args.n : args.k,
                   transposed ? args.k : args.n, args.ldb};
  padded.b = pad(from, roundUp(from.rows), padded.ldb);
  return padded.b != nullptr;
}

/// The bias has an element for each column that is computed.
bool CudaPadding::padBias() {
  if (!args.bias || padded.n == args.n)
    return true;
  int64_t bytes = getResultBytes();
  void *copy = allocate(bytes * padded.n);
  padded.bias = copy;
  return copy && call.copyRows(
                     {copy, 1, padded.n, padded.n},
                     {const_cast<void *>(args.bias), 1, args.n, args.n}, bytes);
}

bool CudaPadding::multiplyParts(
    const std::function<bool(const tally_rt_matmul_args &)> &multiply) {
  if (!result)
    return multiply(padded);
  int64_t bytes = getResultBytes(), row = bytes * padded.n;
  int64_t most = std::max(kMostBytes / row / kRows, int64_t(1)) * kRows;
  padded.ldc = padded.n;
  padded.c = allocate(std::min(most, args.m) * row);
  if (!padded.c)
    return false;
  bool ok = true;
  for (int64_t first = 0; ok && first < args.m; first += most) {
    tally_rt_matmul_args part = padded;
    part.m = std::min(most, args.m - first);
    part.a = static_cast<const char *>(padded.a) +
             2 * first * (args.transpose_a ? 1 : padded.lda);
    ok = multiply(part) &&
         call.copyRows({static_cast<char *>(args.c) + bytes * first * args.ldc,
                        part.m, args.n, args.ldc},
                       {padded.c, part.m, args.n, padded.ldc}, bytes);
  }
  return ok;
}

bool CudaPadding::run(
    const std::function<bool(const tally_rt_matmul_args &)> &multiply) {
  bool ok = padLeft() && padRight() && padBias() && multiplyParts(multiply);
  for (void *copy : copies)
    call.release(copy);
  return ok;
}
