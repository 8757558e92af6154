//===- ScheduleCPU.cpp - How kernels run on the CPU -----------------------===//
//
// See the description of the pass in Passes.td. A row is a point of all
// dimensions that are not reduced: an iteration of a parallel loop. The loops
// over its elements are left to LLVM, which makes vectors of them.
//
//===----------------------------------------------------------------------===//

#include "Combiners.h"
#include "Common/Extrema.h"
#include "Common/Fusion.h"
#include "Common/Utils.h"
#include "Kernels/KernelCopies.h"
#include "Kernels/KernelGroups.h"
#include "Kernels/RepeatedWork.h"
#include "RowEmitter.h"
#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_SCHEDULECPU
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-schedule-cpu"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

/// The windows that are neighbors along the last but one dimension and are
/// taken at once.
static constexpr int64_t kWindowRows = 4;

/// At most so many rows of so many elements at least are divided into parts of
/// so many, which take a thread about as long as it takes another one to start.
static constexpr int64_t kFewRows = 4, kLongRow = 24576, kRowPart = 8192;

/// The bytes of the stack for what is kept of a row: half of a cache of the
/// first level.
static constexpr int64_t kStackBytes = 16384;

//===----------------------------------------------------------------------===//
// Values that are kept between phases
//===----------------------------------------------------------------------===//

namespace {

/// Decides which elements are kept, and where.
class KeptValues {
public:
  explicit KeptValues(const KernelSpace &space) : space(space) {
    unsigned last = space.getPhases().size();
    for (auto [phase, reductions] : llvm::enumerate(space.getPhases()))
      for (linalg::GenericOp op : reductions)
        visit(op, phase);
    for (Value yielded : space.getKernel().getYielded())
      visit(yielded.getDefiningOp(), last);
  }

  /// What is kept in outputs, and with `onStack` in rows on the stack as well.
  SmallVector<KeptValue> find(bool onStack) const {
    SmallVector<KeptValue> kept;
    llvm::SmallPtrSet<Value, 4> taken;
    for (const auto &[value, phases] : neededIn) {
      if (phases.second == phases.first || isCheapToRepeat(getOp(value)))
        continue;
      if (const KernelAccess *output = findOutput(value, taken)) {
        taken.insert(output->operand);
        kept.push_back({cast<OpResult>(value), phases.first, *output});
      } else if (onStack && mayBeOnStack(value)) {
        kept.push_back({cast<OpResult>(value), phases.first, std::nullopt});
      }
    }
    return kept;
  }

private:
  static linalg::GenericOp getOp(Value value) {
    return cast<linalg::GenericOp>(value.getDefiningOp());
  }

  /// Notes that a phase needs the operands of an operation, and so on.
  void visit(Operation *operation, unsigned phase) {
    auto op = dyn_cast_or_null<linalg::GenericOp>(operation);
    if (!op || !visited.insert({op, phase}).second)
      return;
    if (op->hasAttr(attr_names::kDims) && !space.isOfRow(op))
      for (Value result : op->getResults()) {
        auto [it, isNew] = neededIn.insert({result, {phase, phase}});
        it->second.first = std::min(it->second.first, phase);
        it->second.second = std::max(it->second.second, phase);
      }
    for (Value operand : op->getOperands()) {
      auto maker = operand.getDefiningOp<linalg::GenericOp>();
      // A value that a row has one of is computed once.
      if (maker && maker->hasAttr(attr_names::kDims) && !space.isOfRow(maker))
        visit(maker, phase);
    }
  }

  /// Whether the elements of a row, which lie next to each other in memory,
  /// can be a buffer. (Rows that lie side by side are taken by lanes.)
  bool mayBeOnStack(Value value) const {
    unsigned last = space.getDims().size() - 1;
    return last == space.getNumRowDims() &&
           isa<FloatType>(getElementTypeOrSelf(value)) &&
           llvm::all_of(space.getWrites(), [&](const KernelAccess &access) {
             return space.isOfRow(access.op) ||
                    getLaneLayout(space, access, last) ==
                        LaneLayout::Contiguous;
           });
  }

  /// An output that has an element for each point of the kernel, that nothing
  /// but the last loop writes, and that can hold the value.
  const KernelAccess *
  findOutput(Value value, const llvm::SmallPtrSet<Value, 4> &taken) const {
    const KernelAccess *found = nullptr;
    for (auto [access, yielded] :
         llvm::zip_equal(space.getWrites(), space.getKernel().getYielded())) {
      if (taken.contains(access.operand) || space.isOfRow(access.op) ||
          !access.map.isPermutation() ||
          getElementTypeOrSelf(value) !=
              getElementTypeOrSelf(access.operand.getType()))
        continue;
      if (yielded == value)
        return &access;
      if (!found && !neededEarlier(yielded))
        found = &access;
    }
    return found;
  }

  /// Whether the output may be wanted for the value that it is of.
  bool neededEarlier(Value yielded) const {
    const auto *it = neededIn.find(yielded);
    return it != neededIn.end() && it->second.first != it->second.second &&
           !isCheapToRepeat(getOp(yielded));
  }

  const KernelSpace &space;
  llvm::MapVector<Value, std::pair<unsigned, unsigned>> neededIn;
  llvm::DenseSet<std::pair<Operation *, unsigned>> visited;
};

} // namespace

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Replaces a kernel of windows by a parallel loop that takes some that are
/// neighbors along the last but one dimension at once. Each takes the elements
/// that it has in common with others when they do: they are read once.
static void scheduleWindows(OpBuilder &builder,
                            const KernelOperands &kernelOperands) {
  const KernelSpace &space = kernelOperands.getSpace();
  Location loc = kernelOperands.getLoc();
  unsigned along = space.getNumRowDims() - 2;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value zero = constant(0), one = constant(1), step = constant(kWindowRows);
  SmallVector<Value> zeros(along + 1, zero), steps(along + 1, one), extents;
  for (unsigned dim = 0; dim <= along; ++dim)
    extents.push_back(kernelOperands.getExtent(dim));
  steps.back() = step;
  auto blocks = scf::ParallelOp::create(builder, loc, zeros, extents, steps);
  builder.setInsertionPointToStart(blocks.getBody());
  SmallVector<Value> at(blocks.getInductionVars());
  Value first = at.back();
  Value end = arith::AddIOp::create(builder, loc, first, step);
  Value isWhole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                        end, extents.back());
  auto choice = scf::IfOp::create(builder, loc, TypeRange(), isWhole,
                                  /*withElseRegion=*/true);
  at.push_back(nullptr);
  auto createLoop = [&](unsigned dim, Value from, Value to) {
    auto loop = scf::ForOp::create(builder, loc, from, to, one);
    markIndependent(loop);
    builder.setInsertionPointToStart(loop.getBody());
    at[dim] = loop.getInductionVar();
  };
  builder.setInsertionPointToStart(choice.thenBlock());
  createLoop(along + 1, zero, kernelOperands.getExtent(along + 1));
  SmallVector<RowEmitter, 0> rows;
  for (int64_t row = 0; row < kWindowRows; ++row) {
    at[along] = arith::AddIOp::create(builder, loc, first, constant(row));
    rows.emplace_back(builder, kernelOperands, at, ArrayRef<KeptValue>());
    rows.back().startWindow();
  }
  int64_t length = rows.front().getWindowLength(),
          stride = rows.front().getWindowStride();
  for (int64_t time = 0; time < length + (kWindowRows - 1) * stride; ++time)
    for (int64_t row = 0; row < kWindowRows; ++row)
      if (time >= row * stride && time < length + row * stride)
        rows[row].addElement(time - row * stride);
  for (RowEmitter &row : rows)
    row.finishWindow();
  builder.setInsertionPointToStart(choice.elseBlock());
  createLoop(along, first, extents.back());
  createLoop(along + 1, zero, kernelOperands.getExtent(along + 1));
  RowEmitter(builder, kernelOperands, at, {}).run();
}

/// Returns whether rows may be few and long, for all that types tell, and can
/// be divided into parts. Rows along several dimensions, as those of scores of
/// attention, are many.
static bool mayHaveParts(const KernelOperands &kernelOperands,
                         const RowEmitter &row) {
  unsigned numRowDims = kernelOperands.getSpace().getNumRowDims();
  if (numRowDims > 1 || !row.hasParts())
    return false;
  auto getSize = [&](unsigned dim) {
    return getConstantIntValue(kernelOperands.getExtent(dim));
  };
  return (numRowDims == 0 || getSize(0).value_or(1) <= kFewRows) &&
         getSize(numRowDims).value_or(kLongRow) >= kLongRow;
}

/// Emits rows that are few and long, whose parts threads share. What is emitted
/// next is for all others.
static void scheduleLongRows(OpBuilder &builder,
                             const KernelOperands &kernelOperands,
                             ArrayRef<KeptValue> kept) {
  unsigned numRowDims = kernelOperands.getSpace().getNumRowDims();
  Location loc = kernelOperands.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value one = constant(1);
  Value numRows = numRowDims == 0 ? one : kernelOperands.getExtent(0);
  Value isLong = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                       kernelOperands.getExtent(numRowDims),
                                       constant(kLongRow));
  Value areFew = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                       numRows, constant(kFewRows));
  auto choice = scf::IfOp::create(
      builder, loc, arith::AndIOp::create(builder, loc, isLong, areFew),
      /*withElseRegion=*/true);
  builder.setInsertionPointToStart(choice.thenBlock());
  RowEmitter(builder, kernelOperands, SmallVector<Value>(numRowDims), kept)
      .runInParts(numRows, kRowPart);
  builder.setInsertionPointToStart(choice.elseBlock());
}

/// Emits a parallel loop over rows.
static void scheduleRows(OpBuilder &builder,
                         const KernelOperands &kernelOperands,
                         ArrayRef<KeptValue> kept, int64_t stackLength = 0) {
  unsigned numRowDims = kernelOperands.getSpace().getNumRowDims();
  Location loc = kernelOperands.getLoc();
  if (numRowDims == 0)
    return RowEmitter(builder, kernelOperands, {}, kept, stackLength).run();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> extents;
  for (unsigned dim = 0; dim < numRowDims; ++dim)
    extents.push_back(kernelOperands.getExtent(dim));
  auto loop = scf::ParallelOp::create(
      builder, loc, SmallVector<Value>(numRowDims, zero), extents,
      SmallVector<Value>(numRowDims, one));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  RowEmitter(builder, kernelOperands, loop.getInductionVars(), kept,
             stackLength)
      .run();
}

/// Emits rows of which something is kept on the stack, if there are any. What
/// is emitted next is for rows that are too long for that.
static void scheduleRowsOnStack(OpBuilder &builder,
                                const KernelOperands &kernelOperands,
                                const KeptValues &values) {
  SmallVector<KeptValue> kept = values.find(/*onStack=*/true);
  int64_t bytes = 0;
  for (const KeptValue &value : kept)
    if (!value.output)
      bytes +=
          getElementTypeOrSelf(value.value.getType()).getIntOrFloatBitWidth() /
          8;
  if (bytes == 0)
    return;
  int64_t length = kStackBytes / bytes;
  LDBG() << "rows of at most " << length << " elements are kept on the stack";
  Location loc = kernelOperands.getLoc();
  unsigned last = kernelOperands.getSpace().getNumRowDims();
  Value fits = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sle, kernelOperands.getExtent(last),
      arith::ConstantIndexOp::create(builder, loc, length));
  auto choice = scf::IfOp::create(builder, loc, TypeRange(), fits,
                                  /*withElseRegion=*/true);
  builder.setInsertionPointToStart(choice.thenBlock());
  scheduleRows(builder, kernelOperands, kept, length);
  builder.setInsertionPointToStart(choice.elseBlock());
}

/// What is said of offsets in a kernel's dense buffers. LLVM loads whole
/// vectors for each second element where it is told that addresses grow with an
/// index, and takes what is left of a row one by one then: extrema take longer
/// so.
static arith::IntegerOverflowFlags getOverflow(KernelOp kernel) {
  WalkResult found = kernel.walk([](Operation *op) {
    return isa<arith::MaximumFOp, arith::MinimumFOp>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return found.wasInterrupted() ? arith::IntegerOverflowFlags::none
                                : arith::IntegerOverflowFlags::nsw |
                                      arith::IntegerOverflowFlags::nuw;
}

/// Replaces a kernel by a parallel loop over its rows.
static void schedule(KernelOp kernel) {
  KernelSpace space(kernel);
  OpBuilder builder(kernel);
  KernelOperands kernelOperands(space, IRMapping(), builder, /*isNarrow=*/false,
                                getOverflow(kernel));
  KeptValues values(space);
  SmallVector<KeptValue> kept = values.find(/*onStack=*/false);
  unsigned numRowDims = space.getNumRowDims();
  LDBG() << describeLastPart(kernel) << ": a parallel loop over " << numRowDims
         << " dimensions, " << space.getPhases().size()
         << " passes that reduce, " << kept.size()
         << " values kept between passes";
  RowEmitter anyRow(builder, kernelOperands,
                    SmallVector<Value>(numRowDims, nullptr), kept);
  if (mayHaveParts(kernelOperands, anyRow)) {
    LDBG() << describeLastPart(kernel) << ": few long rows are taken in parts "
           << "of " << kRowPart << " elements";
    scheduleLongRows(builder, kernelOperands, kept);
  }
  // As products of a matmul are.
  if (anyRow.isWindow())
    for (linalg::GenericOp op : space.getPhases().front())
      fuseProducts(op);
  if (sharesWindows(space) && anyRow.isWindow()) {
    scheduleWindows(builder, kernelOperands);
  } else {
    if (!anyRow.isWindow())
      scheduleRowsOnStack(builder, kernelOperands, values);
    scheduleRows(builder, kernelOperands, kept);
  }
  kernel.erase();
}

LogicalResult tally::scheduleKernelsOnCPU(func::FuncOp function) {
  for (KernelOp kernel : splitCopies(function)) {
    if (!kernel.hasPureBufferSemantics()) {
      kernel->emitOpError("is on tensors; bufferize it first");
      return failure();
    }
    schedule(kernel);
  }
  return success();
}

namespace {
struct ScheduleCPUPass : tally::impl::ScheduleCPUBase<ScheduleCPUPass> {
  void runOnOperation() override {
    if (failed(tally::scheduleKernelsOnCPU(getOperation())))
      signalPassFailure();
  }
};
} // namespace
