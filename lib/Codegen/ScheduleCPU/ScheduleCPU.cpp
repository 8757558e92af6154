//===- ScheduleCPU.cpp - How kernels run on the CPU -----------------------===//
//
// See the description of the pass in Passes.td. A row is a point of all
// dimensions that are not reduced: an iteration of a parallel loop. The loops
// over its elements are left to LLVM, which makes vectors of them.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "Common/Utils.h"
#include "Kernels/KernelGroups.h"
#include "Kernels/PointEmitter.h"
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

/// The most elements of a window whose loops are unrolled: 8 by 8.
static constexpr int64_t kMaxWindow = 64;

//===----------------------------------------------------------------------===//
// What is kept between phases
//===----------------------------------------------------------------------===//

namespace {

/// An element of the row that several phases need and that is stored in an
/// output until the output is written.
struct KeptValue {
  OpResult value;
  /// The phase that computes it.
  unsigned phase;
  KernelAccess output;
};

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

  SmallVector<KeptValue> find() const {
    SmallVector<KeptValue> kept;
    llvm::SmallPtrSet<Value, 4> taken;
    for (const auto &[value, phases] : neededIn) {
      if (phases.second == phases.first || isCheapToRepeat(getOp(value)))
        continue;
      if (const KernelAccess *output = findOutput(value, taken)) {
        taken.insert(output->operand);
        kept.push_back({cast<OpResult>(value), phases.first, *output});
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
      // What there is one of for a row is computed once.
      if (maker && maker->hasAttr(attr_names::kDims) && !space.isOfRow(maker))
        visit(maker, phase);
    }
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
// A row
//===----------------------------------------------------------------------===//

namespace {

/// Emits what one iteration of the parallel loop does.
class RowEmitter {
public:
  RowEmitter(OpBuilder &builder, const KernelOperands &kernelOperands,
             ValueRange row, ArrayRef<KeptValue> kept)
      : builder(builder), kernelOperands(kernelOperands),
        space(kernelOperands.getSpace()), loc(kernelOperands.getLoc()), at(row),
        kept(kept) {
    at.resize(space.getDims().size());
  }

  void run() {
    unsigned last = space.getPhases().size();
    for (unsigned phase = 0; phase < last; ++phase) {
      addRowValues(builder, kernelOperands, at, phase, rows);
      reduce(phase);
    }
    addRowValues(builder, kernelOperands, at, last, rows);
    storeElements();
    storeRow();
  }

private:
  using Body =
      llvm::function_ref<SmallVector<Value>(PointEmitter &, ValueRange)>;

  PointEmitter atRow() {
    return PointEmitter(builder, kernelOperands, rows, {at});
  }

  /// How many elements a row has, if that is a constant.
  std::optional<int64_t> getConstantLength() const;
  /// Whether the elements of a row are few, and all that is done with them is
  /// one reduction: then LLVM makes vectors of rows that lie next to each
  /// other.
  bool isWindow() const;
  /// Emits loops over the elements of a row that carry values; what was kept
  /// before `phase` is loaded.
  SmallVector<Value> createLoops(unsigned phase, ArrayRef<Value> carried,
                                 Body body);
  /// The same without loops, for the elements of a window.
  SmallVector<Value> unrollLoops(ArrayRef<Value> carried, Body body);
  void reduce(unsigned phase);
  void storeElements();
  void storeRow();

  OpBuilder &builder;
  const KernelOperands &kernelOperands;
  const KernelSpace &space;
  Location loc;
  /// The row; null for the dimensions that it reduces.
  SmallVector<Value> at;
  ArrayRef<KeptValue> kept;
  RowValues rows;
};

} // namespace

std::optional<int64_t> RowEmitter::getConstantLength() const {
  int64_t length = 1;
  for (unsigned dim = space.getNumRowDims(); dim < at.size(); ++dim) {
    std::optional<int64_t> extent =
        getConstantIntValue(kernelOperands.getExtent(dim));
    if (!extent || *extent > kMaxWindow)
      return std::nullopt;
    length *= *extent;
  }
  return length;
}

bool RowEmitter::isWindow() const {
  std::optional<int64_t> length = getConstantLength();
  return length && *length <= kMaxWindow && space.getPhases().size() == 1 &&
         llvm::all_of(space.getWrites(), [&](const KernelAccess &access) {
           return space.isOfRow(access.op);
         });
}

SmallVector<Value> RowEmitter::unrollLoops(ArrayRef<Value> carried, Body body) {
  unsigned first = space.getNumRowDims();
  SmallVector<int64_t> extents;
  for (unsigned dim = first; dim < at.size(); ++dim)
    extents.push_back(*getConstantIntValue(kernelOperands.getExtent(dim)));
  SmallVector<Value> values(carried);
  for (int64_t point = 0, end = *getConstantLength(); point < end; ++point) {
    SmallVector<Value> indices = at;
    int64_t rest = point;
    for (unsigned dim = extents.size(); dim-- > 0;) {
      indices[first + dim] =
          arith::ConstantIndexOp::create(builder, loc, rest % extents[dim]);
      rest /= extents[dim];
    }
    PointEmitter emitter(builder, kernelOperands, rows, {indices});
    values = body(emitter, values);
  }
  return values;
}

SmallVector<Value> RowEmitter::createLoops(unsigned phase,
                                           ArrayRef<Value> carried, Body body) {
  if (isWindow())
    return unrollLoops(carried, body);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> indices = at;
  SmallVector<scf::ForOp> loops;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  ValueRange values(carried);
  for (unsigned dim = space.getNumRowDims(); dim < indices.size(); ++dim) {
    auto loop = scf::ForOp::create(builder, loc, zero,
                                   kernelOperands.getExtent(dim), one, values);
    // What a kernel writes it does not read, but for what is kept there.
    markIndependent(loop);
    // Loops without values have a terminator already.
    if (!carried.empty() && !loops.empty())
      scf::YieldOp::create(builder, loc, loop.getResults());
    loops.push_back(loop);
    indices[dim] = loop.getInductionVar();
    values = loop.getRegionIterArgs();
    builder.setInsertionPointToStart(loop.getBody());
  }
  PointEmitter emitter(builder, kernelOperands, rows, {indices});
  for (const KeptValue &value : kept)
    if (value.phase < phase)
      emitter.setResult(value.value, emitter.load(value.output).front());
  SmallVector<Value> next = body(emitter, values);
  if (!next.empty())
    scf::YieldOp::create(builder, loc, next);
  return llvm::to_vector_of<Value>(loops.front().getResults());
}

void RowEmitter::reduce(unsigned phase) {
  ArrayRef<linalg::GenericOp> ops = space.getPhases()[phase];
  SmallVector<Value> start;
  PointEmitter outside = atRow();
  for (linalg::GenericOp op : ops)
    for (OpOperand &init : op.getDpsInitsMutable())
      start.push_back(outside.getOperand(op, init).front());
  SmallVector<Value> results =
      createLoops(phase, start, [&](PointEmitter &emitter, ValueRange carried) {
        for (const KeptValue &value : kept)
          if (value.phase == phase)
            emitter.store(value.output, emitter.get(value.value));
        SmallVector<Value> next;
        for (linalg::GenericOp op : ops) {
          SmallVector<Value> elements =
              emitter.getElements(op, /*lane=*/0, /*withInits=*/false);
          for (unsigned result = 0; result < op->getNumResults(); ++result)
            elements[op.getNumDpsInputs() + result] =
                carried[next.size() + result];
          llvm::append_range(next,
                             emitter.computePayload(op, /*lane=*/0, elements));
        }
        return next;
      });
  unsigned index = 0;
  for (linalg::GenericOp op : ops)
    for (Value result : op->getResults())
      rows[result] = results[index++];
}

/// What has an element for each of the row.
void RowEmitter::storeElements() {
  SmallVector<std::pair<KernelAccess, Value>> writes;
  for (auto [access, value] :
       llvm::zip_equal(space.getWrites(), space.getKernel().getYielded())) {
    bool isThere = llvm::any_of(
        kept, [&, value = value, &access = access](const KeptValue &k) {
          return k.value == value && k.output.operand == access.operand;
        });
    if (!space.isOfRow(access.op) && !isThere)
      writes.push_back({access, value});
  }
  if (writes.empty())
    return;
  createLoops(space.getPhases().size(), {},
              [&](PointEmitter &emitter, ValueRange) {
                // An output may hold what another one needs.
                SmallVector<SmallVector<Value>> elements;
                for (auto &[access, value] : writes)
                  elements.push_back(emitter.get(value));
                for (auto [write, element] : llvm::zip_equal(writes, elements))
                  emitter.store(write.first, element);
                return SmallVector<Value>();
              });
}

void RowEmitter::storeRow() {
  PointEmitter emitter = atRow();
  for (auto [access, value] :
       llvm::zip_equal(space.getWrites(), space.getKernel().getYielded()))
    if (space.isOfRow(access.op))
      emitter.store(access, emitter.get(value));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Replaces a kernel by a parallel loop over its rows.
static void schedule(KernelOp kernel) {
  KernelSpace space(kernel);
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  KernelOperands kernelOperands(space, IRMapping(), builder);
  SmallVector<KeptValue> kept = KeptValues(space).find();
  unsigned numRowDims = space.getNumRowDims();
  LDBG() << describeLastPart(kernel) << ": a parallel loop over " << numRowDims
         << " dimensions, " << space.getPhases().size()
         << " passes that reduce, " << kept.size()
         << " values kept between passes";
  if (numRowDims == 0) {
    RowEmitter(builder, kernelOperands, {}, kept).run();
  } else {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    SmallVector<Value> extents;
    for (unsigned dim = 0; dim < numRowDims; ++dim)
      extents.push_back(kernelOperands.getExtent(dim));
    auto loop = scf::ParallelOp::create(
        builder, loc, SmallVector<Value>(numRowDims, zero), extents,
        SmallVector<Value>(numRowDims, one));
    builder.setInsertionPointToStart(loop.getBody());
    RowEmitter(builder, kernelOperands, loop.getInductionVars(), kept).run();
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
