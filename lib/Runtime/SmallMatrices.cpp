//===- SmallMatrices.cpp - Factors of small matrices on the CPU -----------===//
//
// Divides the problems of a batch among threads, as many at once as a vector
// has lanes. What is factored with its columns in the lanes comes in such
// groups too.
//
//===----------------------------------------------------------------------===//

#include "SmallMatrices.h"

#include "Context.h"
#include "MatrixProblem.h"

#include <algorithm>
#include <optional>

using namespace tally::runtime;
using Kind = SmallMatrixTask::Kind;

const SmallMatrixLevel &tally::runtime::getSmallMatrixLevel() {
#if defined(__x86_64__)
  switch (tally_rt_processor_level()) {
  case 5:
  case 4:
    return smallMatrixV4;
  case 3:
    return smallMatrixV3;
  default:
    break;
  }
#endif
  return smallMatrixBaseline;
}

static std::optional<Kind> getKind(int64_t kind) {
  switch (kind & 15) {
  case TALLY_RT_LU:
    return Kind::LU;
  case TALLY_RT_SOLVE_LU:
    return Kind::SolveLU;
  case TALLY_RT_CHOLESKY:
    return Kind::Cholesky;
  case TALLY_RT_SOLVE_TRIANGULAR:
    return Kind::SolveTriangular;
  case TALLY_RT_QR:
    return Kind::QR;
  default:
    return std::nullopt;
  }
}

static bool isFactorization(Kind kind) {
  return kind == Kind::LU || kind == Kind::Cholesky || kind == Kind::QR;
}

bool tally::runtime::areSmallMatrices(
    const tally_rt_host_linear_algebra_args &args) {
  std::optional<Kind> kind = getKind(args.kind);
  if (!kind || (args.kind & TALLY_RT_BY_LAPACK))
    return false;
  const tally_rt_host_matrix &matrix = args.matrices[0];
  return std::max(matrix.rows, matrix.columns) <= kMostRows;
}

namespace {

/// All problems of a batch.
class SmallMatrixBatch {
public:
  SmallMatrixBatch(const tally_rt_host_linear_algebra_args &args,
                   const SmallMatrixLevel &level)
      : args(args), level(level) {
    task.kind = *getKind(args.kind);
    task.isDouble = args.dtype == TALLY_RT_DATA_TYPE(kDLFloat, 64);
    task.isTransposed = args.kind & TALLY_RT_TRANSPOSED;
    task.isUpper = args.kind & TALLY_RT_UPPER;
    task.isUnit = args.kind & TALLY_RT_UNIT;
    for (int64_t i = 0; i < args.num_matrices; ++i) {
      task.operands[i] = getOperand(args.matrices[i]);
      elementBytes[i] = holdsNumbers(i) ? 4 : task.isDouble ? 8 : 4;
    }
    lanes = level.vectorBytes / (task.isDouble ? 8 : 4);
    for (int64_t dim = 0; dim < args.batch_rank; ++dim)
      count *= args.batch[dim];
    const tally_rt_host_matrix &matrix = args.matrices[0];
    task.isAlone = isFactorization(task.kind) &&
                   (count == 1 || task.kind == Kind::QR ||
                    std::max(matrix.rows, matrix.columns) > kMostRowsAside);
    scratchBytes = int64_t(level.getScratchBytes(task));
  }

  int32_t run(tally_rt_context *ctx);

private:
  static SmallMatrixTask::Operand getOperand(const tally_rt_host_matrix &from) {
    SmallMatrixTask::Operand operand{from.rows, from.columns, from.row_stride,
                                     from.column_stride};
    if (operand.columns == 1)
      operand.columnStride = 1;
    if (operand.rows == 1)
      operand.rowStride = operand.columns * operand.columnStride;
    return operand;
  }
  /// Whether an operand is pivots or info.
  bool holdsNumbers(int64_t operand) const {
    switch (task.kind) {
    case Kind::LU:
      return operand >= 2;
    case Kind::SolveLU:
      return operand == 1;
    case Kind::Cholesky:
      return operand == 2;
    case Kind::SolveTriangular:
    case Kind::QR:
      break;
    }
    return false;
  }
  /// A problem, where its operands begin, in elements, and how many follow in
  /// the last dimension, with it; none until `offsets` are known.
  struct Place {
    int64_t next, left = 0;
    int64_t offsets[SmallMatrixTask::mostOperands] = {};
  };
  void select(Place &place, SmallMatrixGroup &group) const;
  int32_t runGroups(tally_rt_context *ctx, int64_t begin, int64_t end) const;
  static int32_t runChunk(tally_rt_context *ctx, int64_t begin, int64_t end,
                          void *self) {
    return static_cast<const SmallMatrixBatch *>(self)->runGroups(ctx, begin,
                                                                  end);
  }

  /// The steps of a group, in vectors, that are worth a thread's attention.
  static constexpr int64_t chunkSteps = 20000;

  const tally_rt_host_linear_algebra_args &args;
  const SmallMatrixLevel &level;
  SmallMatrixTask task{};
  int64_t elementBytes[SmallMatrixTask::mostOperands];
  int64_t lanes, scratchBytes, count = 1;
};

} // namespace

/// Finds the operands of the next problems.
void SmallMatrixBatch::select(Place &place, SmallMatrixGroup &group) const {
  int64_t rank = args.batch_rank, matrices = args.num_matrices;
  const int64_t *sizes = args.batch, *strides = sizes + rank;
  group.count = std::min(lanes, count - place.next);
  for (int64_t lane = 0; lane < group.count;) {
    if (place.left == 0) {
      std::fill_n(place.offsets, matrices, 0);
      int64_t problem = place.next;
      for (int64_t dim = rank; dim-- > 0; problem /= sizes[dim])
        for (int64_t i = 0; i < matrices; ++i)
          place.offsets[i] += problem % sizes[dim] * strides[i * rank + dim];
      place.left =
          rank > 0 ? sizes[rank - 1] - place.next % sizes[rank - 1] : 1;
    }
    // Neighbors are a stride of the last dimension apart.
    int64_t run = std::min(place.left, group.count - lane);
    for (int64_t i = 0; i < matrices; ++i) {
      int64_t step = rank > 0 ? strides[i * rank + rank - 1] : 0;
      char *data = static_cast<char *>(args.matrices[i].data) +
                   place.offsets[i] * elementBytes[i];
      for (int64_t j = 0; j < run; ++j)
        group.data[i][lane + j] = data + j * step * elementBytes[i];
      place.offsets[i] += run * step;
    }
    lane += run;
    place.next += run;
    place.left -= run;
  }
  for (int64_t i = 0; i < matrices; ++i)
    std::fill(group.data[i] + group.count, group.data[i] + lanes,
              group.data[i][0]);
}

int32_t SmallMatrixBatch::runGroups(tally_rt_context *ctx, int64_t begin,
                                    int64_t end) const {
  alignas(64) char small[16384];
  SmallMatrixGroup group;
  group.scratch = small;
  if (scratchBytes > int64_t(sizeof(small))) {
    group.scratch = ctx->allocateOnHost(scratchBytes, 64);
    if (!group.scratch)
      return TALLY_RT_OUT_OF_MEMORY;
  }
  bool isFine = true;
  Place place{begin * lanes};
  for (int64_t i = begin; i < end && isFine; ++i) {
    select(place, group);
    isFine = level.run(task, group);
  }
  if (group.scratch != small)
    ctx->release(group.scratch);
  if (isFine)
    return TALLY_RT_OK;
  return failCall(ctx, TALLY_RT_CHECK_FAILED, kWrongPivot);
}

int32_t SmallMatrixBatch::run(tally_rt_context *ctx) {
  const SmallMatrixTask::Operand &matrix = task.operands[0];
  int64_t right = task.kind == Kind::SolveLU ? task.operands[2].columns
                  : task.kind == Kind::SolveTriangular
                      ? task.operands[1].columns
                      : 0;
  int64_t steps = (matrix.rows + 8) * (matrix.columns + 8) *
                  (std::max(matrix.rows, matrix.columns) + right + 1) / 2;
  // Of those that are solved one after the other, a group takes as long as one
  // with a problem in each lane.
  int64_t groups = (count + lanes - 1) / lanes;
  return tally_rt_parallel_for(
      ctx, 0, groups, std::max<int64_t>(1, chunkSteps / steps), runChunk, this);
}

int32_t
tally::runtime::runSmallMatrices(tally_rt_context *ctx,
                                 const tally_rt_host_linear_algebra_args &args,
                                 const SmallMatrixLevel &level) {
  return SmallMatrixBatch(args, level).run(ctx);
}
