//===- MatrixProblem.cpp - Problems of a batch of matrices ----------------===//

#include "MatrixProblem.h"

using namespace tally::runtime;

bool tally::runtime::openLapack(DynamicLibrary &library, std::string &why) {
  if (library.open("TALLY_LIBLAPACK",
                   {"liblapack.so.3", "libopenblas.so.0", "liblapack.so"}, why))
    return true;
  why = "linear algebra needs LAPACK, Debian's package liblapack3: " + why;
  return false;
}

MatrixProblem::MatrixProblem(tally_rt_context *ctx, const Args &args)
    : args(args), ctx(ctx) {}

MatrixProblem::~MatrixProblem() {
  for (void *block : blocks)
    ctx->release(block);
}

void MatrixProblem::select(int64_t problem) {
  int64_t rank = args.batch_rank;
  const int64_t *sizes = args.batch, *strides = sizes + rank;
  for (int64_t &offset : offsets)
    offset = 0;
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    int64_t index = problem % sizes[dim];
    problem /= sizes[dim];
    for (int64_t i = 0; i < args.num_matrices; ++i)
      offsets[i] += index * strides[i * rank + dim];
  }
}

void *MatrixProblem::allocateBytes(int64_t count) {
  void *block = ctx->allocateOnHost(std::max<int64_t>(count, 1), 64);
  if (block)
    blocks.push_back(block);
  else
    isOutOfMemory = true;
  return block;
}

int32_t tally::runtime::failCall(tally_rt_context *ctx, tally_rt_status status,
                                 std::string message) {
  ErrorRecord record;
  record.status = status;
  record.userMessage = std::move(message);
  ctx->fail(std::move(record));
  return status;
}

int32_t MatrixProblem::fail(tally_rt_status status, std::string message) const {
  return failCall(ctx, status, std::move(message));
}

int32_t MatrixProblem::failForPivot() const {
  return fail(TALLY_RT_CHECK_FAILED, kWrongPivot);
}

int32_t MatrixProblem::failToConverge(const char *name, int info) const {
  return fail(TALLY_RT_CHECK_FAILED,
              std::string(name) +
                  ": The algorithm failed to converge because the input matrix "
                  "is ill-conditioned or has too many repeated eigenvalues "
                  "(error code: " +
                  std::to_string(info) + ").");
}

int32_t tally::runtime::checkMatrixSizes(tally_rt_context *ctx,
                                         const MatrixProblem::Args &args) {
  // More, and the memory that LAPACK works in is not counted in 32 bits.
  constexpr int64_t kMostRows = 32766;
  for (int64_t i = 0; i < args.num_matrices; ++i)
    if (std::max(args.matrices[i].rows, args.matrices[i].columns) > kMostRows)
      return failCall(ctx, TALLY_RT_INVALID_ARGUMENT,
                      "linear algebra of matrices of more than " +
                          std::to_string(kMostRows) + " rows or columns");
  return TALLY_RT_OK;
}

int64_t tally::runtime::countProblems(const MatrixProblem::Args &args) {
  int64_t count = 1;
  for (int64_t dim = 0; dim < args.batch_rank; ++dim)
    count *= args.batch[dim];
  return count;
}

int64_t tally::runtime::getProblemGrain(const MatrixProblem::Args &args) {
  const tally_rt_host_matrix &first = args.matrices[0];
  double steps = double(first.rows) * double(first.columns) *
                     double(std::max(first.rows, first.columns)) +
                 1;
  return int64_t(std::max(1.0, 20000 / steps));
}
