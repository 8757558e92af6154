//===- Schedules.h - How kernels run on a GPU -------------------*- C++ -*-===//
//
// A schedule is one way to run a kernel: which thread is at which point. Each
// makes one function for the GPU and says how many blocks it takes; which one
// runs is decided at the launch, from the real sizes.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_SCHEDULES_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_SCHEDULES_H

#include "Emitter.h"
#include "Kernels/KernelSpace.h"
#include "Kernels/Kernels.h"
#include "tally/IR/Tally.h"

namespace tally::codegen {

/// Emits code on indices of the host or of a kernel.
class IndexMath {
public:
  /// `isNarrow`: all numbers fit 32 bits.
  IndexMath(mlir::OpBuilder &builder, mlir::Location loc, bool isNarrow = false)
      : builder(builder), loc(loc), isNarrow(isNarrow) {}

  mlir::Value constant(int64_t value) const;
  mlir::Value add(mlir::Value a, mlir::Value b) const;
  mlir::Value sub(mlir::Value a, mlir::Value b) const;
  mlir::Value mul(mlir::Value a, mlir::Value b) const;
  /// Of numbers that are not negative.
  mlir::Value div(mlir::Value a, mlir::Value b) const;
  mlir::Value rem(mlir::Value a, mlir::Value b) const;
  mlir::Value ceilDiv(mlir::Value a, int64_t b) const;
  mlir::Value min(mlir::Value a, mlir::Value b) const;
  mlir::Value product(llvm::ArrayRef<mlir::Value> factors) const;
  /// The index along each dimension of the element `number`, of which there is
  /// one.
  llvm::SmallVector<mlir::Value>
  delinearize(mlir::Value number, llvm::ArrayRef<mlir::Value> extents) const;
  /// The indices of the sum of two numbers, given those of each: without a
  /// division.
  llvm::SmallVector<mlir::Value>
  addIndices(llvm::ArrayRef<mlir::Value> a, llvm::ArrayRef<mlir::Value> b,
             llvm::ArrayRef<mlir::Value> extents) const;

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  bool isNarrow;
};

/// Runs one thing or another, as a flag of the host says; nothing to decide
/// where that is constant.
void choose(mlir::OpBuilder &host, mlir::Location loc, mlir::Value flag,
            llvm::function_ref<void()> yes, llvm::function_ref<void()> no);

/// A row that is not longer than this belongs to a warp.
inline constexpr int64_t kMaxWarpRow = 1024;

/// Launches what sorts, in place of an operation on buffers. Where a `limit` is
/// given, elements are unsigned and less than that, and rows are longer than a
/// warp.
void scheduleSort(tally::SortOp op, mlir::Value limit = {});

/// How many digits count of keys that have `all` and are less than a limit, at
/// least two where there are as many.
mlir::Value createNumDigits(Emitter &host, mlir::Value limit, int64_t all);

/// Reports what of a kernel no schedule can run.
mlir::LogicalResult verifySchedulable(KernelOp kernel);

/// A way to run a kernel.
class Schedule {
public:
  virtual ~Schedule() = default;

  /// The values that the function needs besides the operands of its kernel; on
  /// the
  /// host.
  virtual llvm::SmallVector<mlir::Value> getCaptures() const { return {}; }
  /// The suffix of the name of the function.
  virtual std::string getSuffix() const = 0;
  virtual unsigned getNumThreads() const = 0;
  /// The number of blocks, from how often each dimension runs; on the host.
  virtual mlir::Value
  createNumBlocks(mlir::OpBuilder &host,
                  llvm::ArrayRef<mlir::Value> extents) const = 0;
  /// Fills the function.
  virtual void emit(const Kernel &kernel, mlir::OpBuilder &builder) const = 0;
};

/// Tells the compiler of a kernel what it cannot see of pointers: those of the
/// buffers among `captures`, of which some are written.
void annotatePointers(const Kernel &kernel, mlir::ValueRange captures,
                      const llvm::SmallPtrSetImpl<mlir::Value> &written);

/// How every thread takes points that are far apart.
struct PointwiseWay {
  /// How many neighbors it takes at each: along a row, or `inOrder` of all
  /// points, across the ends of rows.
  unsigned lanes = 1;
  bool inOrder = false;
  /// Whether all places in buffers fit 32 bits.
  bool isNarrow = false;
  /// How many points it takes at once where it takes no neighbors.
  unsigned maxApart = 4;
};

/// Emits what `block` of `blocks` does where every thread takes points so.
void emitPoints(const KernelSpace &space, PointwiseWay way, unsigned numThreads,
                const Kernel &kernel, mlir::OpBuilder &builder,
                mlir::Value block, mlir::Value blocks);

std::unique_ptr<Schedule> createPointwiseSchedule(const KernelSpace &space,
                                                  PointwiseWay way,
                                                  unsigned numThreads = 256);

/// Operands that lie along another dimension than the results.
struct Transposition {
  unsigned dim = 0;
  llvm::SmallVector<KernelAccess> reads;
};

/// The transposition of a kernel without reductions, if it is one.
std::optional<Transposition> findTransposition(const KernelSpace &space);

/// The points of a large square.
inline constexpr int64_t kLargeTile = 64 * 64;

/// Whether large squares of what is transposed fit shared memory, and their
/// points make little code.
bool canTakeLargeTiles(const KernelSpace &space,
                       const Transposition &transposition);

/// A block takes a square of the two dimensions, of 32 points or of 64 along
/// each, and exchanges the elements of what is transposed through shared
/// memory.
std::unique_ptr<Schedule> createTileSchedule(const KernelSpace &space,
                                             Transposition transposition,
                                             bool isLarge);

/// The threads that work on a row: a thread, a few of a warp, a warp, a block;
/// a column of threads of a block whose threads next to each other are at
/// neighboring rows; or several blocks of one of the two kinds, which leave a
/// part of the result each.
enum class Team {
  Thread,
  FewThreads,
  Warp,
  Block,
  Blocks,
  Column,
  ColumnBlocks
};

/// How a team takes a row.
struct RowTeam {
  Team team;
  /// The neighboring elements that a thread takes at once, or the neighboring
  /// rows where `lanesAreRows`.
  unsigned lanes = 1;
  bool lanesAreRows = false;
  /// The threads of a block; 0 for as many as are usual for the team.
  unsigned numThreads = 0;

  /// The columns that a block takes at most. Where a thread reads one element
  /// at a time, a warp's 32 neighbors seldom start and end with a sector of
  /// memory: a block that has four warps of them next to each other reads what
  /// two warps share once.
  unsigned getMostColumns() const {
    return team == Team::ColumnBlocks && lanes == 1 ? 128 : 32;
  }
};

/// A team takes a row.
std::unique_ptr<Schedule> createRowSchedule(const KernelSpace &space,
                                            RowTeam team);

/// Parts of the results of the reductions of a kernel: of each row as many as
/// `count`. Values of the host.
struct RowParts {
  /// For each result of each reduction, in the order of phases, `count` for
  /// each row.
  llvm::SmallVector<mlir::Value> buffers;
  mlir::Value count;
  /// The phases whose parts have been left already.
  unsigned phase = 0;
};

/// Teams of several blocks take a row and leave the parts of the results of a
/// phase; what they need of phases before they join. When there is none left,
/// they write the results of the kernel; one warp can do that where there are
/// only results of rows.
std::unique_ptr<Schedule> createPartsSchedule(const KernelSpace &space,
                                              RowTeam team, RowParts parts);

/// How many blocks work on columns at once if each takes as many as it can, at
/// most `most`; on the host.
mlir::Value createNumColumnBlocks(mlir::OpBuilder &host, mlir::Location loc,
                                  mlir::Value rows, unsigned most);

/// Whether partial results of a reduction can be combined, so that parts of a
/// row can be reduced apart: each by an operation, or the element that is
/// chosen together with its index.
bool canReduceInParts(mlir::linalg::GenericOp op);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_SCHEDULES_H
