//===- MatmulMethods.cpp - How a matmul is computed on the CPU ------------===//
//
// Chooses the level of the processor and the method, from sizes and strides.
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"
#include "Processor.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace tally::runtime;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool tally::runtime::getMatmulType(int64_t dtype, MatmulType &type) {
  switch (dtype) {
  case TALLY_RT_DATA_TYPE(kDLFloat, 32):
    type = MatmulType::F32;
    return true;
  case TALLY_RT_DATA_TYPE(kDLFloat, 64):
    type = MatmulType::F64;
    return true;
  case TALLY_RT_DATA_TYPE(kDLFloat, 16):
    type = MatmulType::F16;
    return true;
  case TALLY_RT_DATA_TYPE(kDLBfloat, 16):
    type = MatmulType::BF16;
    return true;
  case TALLY_RT_DATA_TYPE(kDLInt, 8):
    type = MatmulType::I8;
    return true;
  case TALLY_RT_DATA_TYPE(kDLInt, 16):
    type = MatmulType::I16;
    return true;
  case TALLY_RT_DATA_TYPE(kDLInt, 32):
    type = MatmulType::I32;
    return true;
  case TALLY_RT_DATA_TYPE(kDLInt, 64):
    type = MatmulType::I64;
    return true;
  default:
    return false;
  }
}

int64_t tally::runtime::getElementBytes(MatmulType type) {
  switch (type) {
  case MatmulType::F64:
  case MatmulType::I64:
    return 8;
  case MatmulType::F32:
  case MatmulType::I32:
    return 4;
  case MatmulType::I8:
    return 1;
  default:
    return 2;
  }
}

bool tally::runtime::isInteger(MatmulType type) {
  return type == MatmulType::I8 || type == MatmulType::I16 ||
         type == MatmulType::I32 || type == MatmulType::I64;
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

const MatmulLevel &tally::runtime::getMatmulLevel(MatmulType type) {
#if defined(__x86_64__)
  if (type == MatmulType::BF16 && multipliesPairSquares())
    return matmulPairSquares;
  if (type == MatmulType::I8 && multipliesQuadSquares())
    return matmulQuadSquares;
#endif
  return getVectorLevel(type);
}

const MatmulLevel &
tally::runtime::getVectorLevel([[maybe_unused]] MatmulType type) {
#if defined(__x86_64__)
  if (type == MatmulType::BF16 && multipliesPairs())
    return matmulPairs;
  if (type == MatmulType::I8 && multipliesQuads())
    return matmulQuads;
  switch (tally_rt_processor_level()) {
  case 5:
  case 4:
    return matmulV4;
  case 3:
    return matmulV3;
  default:
    break;
  }
#endif
  return matmulBaseline;
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

/// Whether elements have another type than sums.
static bool isNarrow(MatmulType type) { return getElementBytes(type) < 4; }

/// The bytes of an image that the tiles of a block read, which each panel of
/// rows reads again: elements of each channel, once for each remainder of
/// positions by the stride.
static int64_t countWindowBytes(const MatmulTask &whole, int64_t columns) {
  const MatmulIndex &outer = whole.b.layout->outer,
                    &depth = whole.b.layout->depth;
  // A window is a line, or some lines, of an image with at least one channel.
  int64_t dims = depth.rank > 2 ? 2 : 1, elements = 1, channels = whole.k;
  for (int64_t loop = 1; loop <= dims; ++loop) {
    channels /= depth.sizes[depth.rank - loop];
    if (loop <= outer.rank)
      elements *= outer.sizes[outer.rank - loop];
  }
  return channels * outer.strides[outer.rank - 1] *
         std::min(elements, columns) * getElementBytes(whole.type);
}

/// Whether columns of B are windows that move along lines of an image, and
/// reading them in place, or from copied lines, costs less than packing them.
static bool readsWindows(const MatmulTask &whole, const MatmulLevel &level) {
  // All of A is packed, and each sum is made in one go.
  constexpr int64_t mostDepth = 8192, mostElementsOfA = 1 << 20;
  if (!whole.b.layout || whole.n == 0 || whole.k == 0 || whole.k > mostDepth ||
      whole.m * whole.k > mostElementsOfA || isNarrow(whole.type))
    return false;
  const MatmulIndex &outer = whole.b.layout->outer,
                    &depth = whole.b.layout->depth;
  int64_t inner = outer.rank - 1, width = outer.sizes[inner],
          stride = outer.strides[inner];
  if (stride < 1 || whole.groupColumns % width != 0)
    return false;
  // They stay in the second cache.
  constexpr int64_t mostWindowBytes = 1 << 20;
  int64_t tileColumns = level.getTileColumns(whole.type, MatmulMethod::Windows);
  if (countWindowBytes(whole, kWindowBlockPanels * tileColumns) >
      mostWindowBytes)
    return false;
  // So many rows of a tile take as long as packing its columns, and windows
  // across the ends of lines are computed in vain.
  int64_t packingRows = stride == 1 ? 8 : 3, pitch,
          taps = depth.sizes[depth.rank - 1],
          tapStride = depth.strides[depth.rank - 1];
  if (stride == 1) {
    int64_t height = inner > 0 ? outer.sizes[inner - 1] : 1;
    pitch = inner > 0 ? outer.strides[inner - 1] : width;
    if (pitch < width || (height - 1) * pitch + width < tileColumns)
      return false;
  } else {
    if (tapStride < 1 || taps <= stride)
      return false;
    pitch = width + (taps - 1) * tapStride / stride;
  }
  return pitch * whole.m <= width * (whole.m + packingRows);
}

/// The last of the loops that are summed over: its size, and how far apart its
/// elements are.
static std::pair<int64_t, int64_t>
getLastLoop(const MatmulMatrix<const void *> &matrix, int64_t k,
            int64_t stride) {
  if (!matrix.layout)
    return {k, stride};
  const MatmulIndex &depth = matrix.layout->depth;
  return {depth.sizes[depth.rank - 1], depth.strides[depth.rank - 1]};
}

/// Whether all that is summed over lies in lines of both operands, and their
/// products cost less than packing an operand for other tiles.
static bool readsLines(const MatmulTask &whole, const MatmulLevel &level) {
  if ((whole.type != MatmulType::F32 && whole.type != MatmulType::F64) ||
      (!whole.a.layout && !whole.b.layout) || whole.groupColumns ||
      whole.sourceB || whole.k == 0)
    return false;
  auto [lengthOfA, stepOfA] =
      getLastLoop(whole.a, whole.k, whole.a.columnStride);
  auto [lengthOfB, stepOfB] = getLastLoop(whole.b, whole.k, whole.b.rowStride);
  int64_t length = std::min(lengthOfA, lengthOfB);
  constexpr int64_t leastDepth = 64;
  if (stepOfA != 1 || stepOfB < 1 || length < kShortestLine ||
      whole.k < leastDepth)
    return false;
  // Columns that lie in longer lines are windows, which sums are short for.
  if (whole.b.layout) {
    const MatmulIndex &outer = whole.b.layout->outer;
    if (length < outer.sizes[outer.rank - 1])
      return false;
  }
  // How long a product of whole vectors takes, if those of tiles that are as
  // large as they can be take 1: what lines do not fill is masked, and an
  // element that is packed or copied takes as long as a vector of products.
  auto lanes =
      double(level.getTileColumns(whole.type, MatmulMethod::Packed) / 2);
  double steps = double(length) / lanes, wholeSteps = std::floor(steps);
  double inLines = 0.2 + 1.15 * wholeSteps + (steps > wholeSteps ? 1.35 : 0);
  double ofLines = inLines / steps;
  if (stepOfB != 1)
    ofLines += lanes / double(whole.m);
  double ofPanels =
      1.15 + 1.75 * lanes / double(whole.m) + 1.25 * lanes / double(whole.n);
  return 1.1 * ofLines < ofPanels;
}

/// Whether packing an operand would take longer than it saves: rows of A are
/// read a tile at a time, and rows of B by all of them. Rows that are a
/// multiple of 4 KB apart share the sets of the first cache.
static bool canStayUnpacked(const MatmulTask &whole) {
  constexpr int64_t mostDepth = 512, firstCache = 1 << 15;
  int64_t bytes = getElementBytes(whole.type);
  return (whole.type == MatmulType::F32 || whole.type == MatmulType::F64) &&
         whole.k <= mostDepth && whole.k * whole.n * bytes <= firstCache &&
         whole.a.columnStride == 1 && whole.a.rowStride * bytes % 4096 != 0 &&
         whole.b.rowStride * bytes % 4096 != 0;
}

MatmulMethod tally::runtime::chooseMatmulMethod(const MatmulTask &whole,
                                                const MatmulLevel &level) {
  if (readsLines(whole, level))
    return MatmulMethod::Lines;
  if (readsWindows(whole, level))
    return MatmulMethod::Windows;
  if (whole.a.layout || whole.b.layout || whole.groupColumns)
    return MatmulMethod::Packed;
  bool sumsAlongMemory = whole.a.columnStride == 1 && whole.b.rowStride == 1;
  // The least level has no instruction that converts f16.
  bool converts = whole.type != MatmulType::F16 || &level != &matmulBaseline;
  if (whole.sourceB)
    return sumsAlongMemory && converts && whole.m <= kFewComputedRows
               ? MatmulMethod::Dots
               : MatmulMethod::Packed;
  int64_t fewRows = isNarrow(whole.type) ? 12 : 8;
  if (sumsAlongMemory && converts && (whole.m <= fewRows || whole.n <= 4))
    return MatmulMethod::Dots;
  if (whole.b.columnStride != 1 || isNarrow(whole.type))
    return MatmulMethod::Packed;
  if (whole.m == 1)
    return MatmulMethod::Row;
  // Rows that are a multiple of 4 KB apart share the sets of the first cache.
  int64_t elementBytes = getElementBytes(whole.type);
  int64_t rows = level.getTileRows(whole.type, MatmulMethod::InPlace);
  if (canStayUnpacked(whole))
    return MatmulMethod::Unpacked;
  int64_t most = whole.b.rowStride * elementBytes % 4096 ? 2 * rows : rows / 2;
  return whole.m <= most ? MatmulMethod::InPlace : MatmulMethod::Packed;
}

bool tally::runtime::isBetterTurned(const MatmulTask &whole) {
  if (whole.m == 1 && whole.n > 1)
    return whole.b.columnStride != 1;
  if (whole.n == 1)
    return whole.m > 1 && whole.a.rowStride == 1 && whole.a.columnStride != 1 &&
           whole.c.rowStride == 1;
  return whole.c.columnStride != 1 && whole.c.rowStride == 1;
}

MatmulTask tally::runtime::turnMatmul(const MatmulTask &task) {
  MatmulTask turned = task;
  std::swap(turned.m, turned.n);
  std::swap(turned.a, turned.b);
  for (auto *matrix : {&turned.a, &turned.b})
    std::swap(matrix->rowStride, matrix->columnStride);
  std::swap(turned.c.rowStride, turned.c.columnStride);
  return turned;
}

bool tally::runtime::isTurnedRow(const MatmulTask &whole,
                                 const MatmulLevel &level) {
  return whole.n == 1 && !whole.a.layout && !whole.b.layout && !whole.sourceB &&
         isBetterTurned(whole) &&
         chooseMatmulMethod(turnMatmul(whole), level) == MatmulMethod::Row;
}

bool tally::runtime::areSmallMatmuls(const MatmulTask &whole, int64_t batch,
                                     const MatmulLevel &level) {
  // So many products take as long as the other methods need for a matmul.
  double fewProducts = (1 << 16) / double(getElementBytes(whole.type));
  constexpr int64_t fewRows = 4, smallDepth = 32, turnedDepth = 16;
  constexpr int64_t mostDepth = 128, mostDepthOfVector = 1024;
  static_assert(turnedDepth <= kMaxBatchDepth);
  bool isBatched =
      whole.type == MatmulType::F32 || whole.type == MatmulType::F64;
  int64_t m = whole.m, n = whole.n, k = whole.k;
  if (whole.a.layout || whole.b.layout || whole.sourceB || whole.groupColumns ||
      !isBatched || k == 0 || (n > 1 && whole.c.columnStride != 1))
    return false;
  int64_t tile = level.getTileColumns(whole.type, MatmulMethod::Packed),
          lanes = tile / 2;
  // Half of a tile would be empty, and B, which all rows read, fits the first
  // cache, or nearly so.
  if (n > 1 && n <= lanes && m >= fewRows && whole.b.columnStride == 1 &&
      k <= mostDepthOfVector)
    return true;
  if (k > mostDepth)
    return false;
  // These compute whole tiles: more pays where a fifth is beyond the columns.
  if (n > 1 && 5 * ((n + tile - 1) / tile * tile) >= 6 * n)
    fewProducts *= 4;
  // Columns of B that are turned are read by few rows, or sums are long: they
  // go along memory then.
  if (n > 1 && whole.b.columnStride != 1 && k > turnedDepth)
    return false;
  // Sums of few rows wait for each other.
  if (m < fewRows && n > lanes && k > turnedDepth)
    return false;
  return (n <= lanes && k <= smallDepth) ||
         (batch > 1 && double(m) * double(n) * double(k) <= fewProducts);
}
