//===- ScheduleCPU.cpp - How kernels run on the CPU -----------------------===//
//
// See the description of the pass in Passes.td. A row is a point of all
// dimensions that are not reduced: an iteration of a parallel loop. The loops
// over its elements are left to LLVM, which makes vectors of them.
//
//===----------------------------------------------------------------------===//

#include "Common/Extrema.h"
#include "Common/Fusion.h"
#include "Common/Utils.h"
#include "Kernels/KernelCopies.h"
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
/// The windows that are neighbors along the last but one dimension and are
/// taken at once.
static constexpr int64_t kWindowRows = 4;

//===----------------------------------------------------------------------===//
// Values that are kept between phases
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
      // A value that a row has one of is computed once.
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
// Windows that have rows in common
//===----------------------------------------------------------------------===//

/// How far an index moves with a loop.
static int64_t getStep(AffineExpr index, unsigned loop, unsigned numLoops) {
  MLIRContext *context = index.getContext();
  SmallVector<AffineExpr> point(numLoops, getAffineConstantExpr(0, context));
  auto evaluate = [&] {
    return cast<AffineConstantExpr>(index.replaceDimsAndSymbols(point, {}))
        .getValue();
  };
  int64_t start = evaluate();
  point[loop] = getAffineConstantExpr(1, context);
  return evaluate() - start;
}

/// Returns whether windows that are neighbors along the last but one dimension
/// share all but one of their rows.
static bool sharesWindows(const KernelSpace &space) {
  unsigned numRowDims = space.getNumRowDims();
  if (numRowDims < 2)
    return false;
  return llvm::any_of(space.getReads(), [&](const KernelAccess &access) {
    unsigned numLoops = access.map.getNumDims();
    return llvm::any_of(access.map.getResults(), [&](AffineExpr index) {
      bool isMoved = false, isInside = false;
      for (unsigned loop = 0; loop < numLoops; ++loop) {
        unsigned dim = space.getDim(access.op, loop);
        bool isNext = getStep(index, loop, numLoops) == 1;
        isMoved |= isNext && dim == numRowDims - 2;
        isInside |= isNext && dim >= numRowDims;
      }
      return isMoved && isInside;
    });
  });
}

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

  /// Whether the elements of a row are few, and all that is done with them is
  /// one reduction: then LLVM makes vectors of rows that lie next to each
  /// other.
  bool isWindow() const;
  /// How many elements a window has, and how many follow where the outermost
  /// of its dimensions goes one further.
  int64_t getWindowLength() const { return *getConstantLength(); }
  int64_t getWindowStride() const;
  /// Does what `run` does, one element of a window after the other.
  void startWindow();
  void addElement(int64_t element);
  void finishWindow();

  void run() {
    if (isWindow()) {
      startWindow();
      for (int64_t element = 0; element < getWindowLength(); ++element)
        addElement(element);
      return finishWindow();
    }
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
  /// Emits loops over the elements of a row that carry values; what was kept
  /// before `phase` is loaded.
  SmallVector<Value> createLoops(unsigned phase, ArrayRef<Value> carried,
                                 Body body);
  /// The operation that finds the largest or smallest float from bits, if that
  /// is what a reduction is for.
  Operation *getExtremum(linalg::GenericOp op) const;
  /// The start values of the reductions of a phase; of the largest or smallest
  /// float, what is known of bits.
  SmallVector<Value> getInits(unsigned phase);
  /// What is carried for the reductions of a phase, with one element more.
  SmallVector<Value> reduceElement(PointEmitter &emitter, unsigned phase,
                                   ValueRange carried);
  /// Sets the results of a phase from what was carried.
  void setResults(unsigned phase, ValueRange carried);
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
  /// The reduced values of a window.
  SmallVector<Value> carried;
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

int64_t RowEmitter::getWindowStride() const {
  int64_t stride = 1;
  for (unsigned dim = space.getNumRowDims() + 1; dim < at.size(); ++dim)
    stride *= *getConstantIntValue(kernelOperands.getExtent(dim));
  return stride;
}

void RowEmitter::startWindow() {
  addRowValues(builder, kernelOperands, at, /*phase=*/0, rows);
  carried = getInits(/*phase=*/0);
}

void RowEmitter::addElement(int64_t element) {
  SmallVector<Value> indices = at;
  for (unsigned dim = at.size(); dim-- > space.getNumRowDims();) {
    int64_t extent = *getConstantIntValue(kernelOperands.getExtent(dim));
    indices[dim] =
        arith::ConstantIndexOp::create(builder, loc, element % extent);
    element /= extent;
  }
  PointEmitter emitter(builder, kernelOperands, rows, {indices});
  carried = reduceElement(emitter, /*phase=*/0, carried);
}

void RowEmitter::finishWindow() {
  setResults(/*phase=*/0, carried);
  addRowValues(builder, kernelOperands, at, /*phase=*/1, rows);
  storeRow();
}

SmallVector<Value> RowEmitter::createLoops(unsigned phase,
                                           ArrayRef<Value> carried, Body body) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> indices = at;
  SmallVector<scf::ForOp> loops;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  ValueRange values(carried);
  for (unsigned dim = space.getNumRowDims(); dim < indices.size(); ++dim) {
    auto loop = scf::ForOp::create(builder, loc, zero,
                                   kernelOperands.getExtent(dim), one, values);
    // A kernel does not read what it writes, but for values that are kept
    // there.
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

/// Windows that are taken at once would need more registers for bits than AVX2
/// has.
Operation *RowEmitter::getExtremum(linalg::GenericOp op) const {
  Operation *extremum = matchExtremum(op);
  bool usesBits = extremum && extremum->getResult(0).getType().isF32() &&
                  !(isWindow() && sharesWindows(space));
  return usesBits ? extremum : nullptr;
}

SmallVector<Value> RowEmitter::getInits(unsigned phase) {
  SmallVector<Value> start;
  PointEmitter outside = atRow();
  for (linalg::GenericOp op : space.getPhases()[phase])
    for (OpOperand &init : op.getDpsInitsMutable()) {
      Value value = outside.getOperand(op, init).front();
      if (getExtremum(op))
        llvm::append_range(start,
                           createBitRange(builder, loc, value).getValues());
      else
        start.push_back(value);
    }
  return start;
}

SmallVector<Value> RowEmitter::reduceElement(PointEmitter &emitter,
                                             unsigned phase,
                                             ValueRange carried) {
  SmallVector<Value> next;
  for (linalg::GenericOp op : space.getPhases()[phase]) {
    SmallVector<Value> elements =
        emitter.getElements(op, /*lane=*/0, /*withInits=*/false);
    auto compute = [&] {
      return emitter.computePayload(op, /*lane=*/0, elements);
    };
    if (Operation *extremum = getExtremum(op)) {
      // Joined with what changes nothing, an element stays what it is.
      elements.back() = arith::ConstantOp::create(
          builder, loc, *arith::getNeutralElement(extremum));
      auto range = BitRange::get(carried.take_front(BitRange::kNumValues));
      range = extendBitRange(builder, loc, range, compute().front());
      carried = carried.drop_front(BitRange::kNumValues);
      llvm::append_range(next, range.getValues());
      continue;
    }
    for (unsigned result = 0; result < op->getNumResults(); ++result)
      elements[op.getNumDpsInputs() + result] = carried[result];
    carried = carried.drop_front(op->getNumResults());
    llvm::append_range(next, compute());
  }
  return next;
}

void RowEmitter::setResults(unsigned phase, ValueRange carried) {
  for (linalg::GenericOp op : space.getPhases()[phase]) {
    if (Operation *extremum = getExtremum(op)) {
      auto range = BitRange::get(carried.take_front(BitRange::kNumValues));
      rows[op->getResult(0)] =
          createExtremum(builder, loc, range, builder.getF32Type(), extremum);
      carried = carried.drop_front(BitRange::kNumValues);
      continue;
    }
    for (auto [result, value] : llvm::zip(op->getResults(), carried))
      rows[result] = value;
    carried = carried.drop_front(op->getNumResults());
  }
}

void RowEmitter::reduce(unsigned phase) {
  setResults(phase, createLoops(phase, getInits(phase),
                                [&](PointEmitter &emitter, ValueRange carried) {
                                  for (const KeptValue &value : kept)
                                    if (value.phase == phase)
                                      emitter.store(value.output,
                                                    emitter.get(value.value));
                                  return reduceElement(emitter, phase, carried);
                                }));
}

/// Stores the results that have an element for each of the row.
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
  SmallVector<RowEmitter> rows;
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
  if (sharesWindows(space) &&
      RowEmitter(builder, kernelOperands,
                 SmallVector<Value>(numRowDims, nullptr), kept)
          .isWindow()) {
    scheduleWindows(builder, kernelOperands);
  } else if (numRowDims == 0) {
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
