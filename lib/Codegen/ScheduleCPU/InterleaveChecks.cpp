//===- InterleaveChecks.cpp - Indices are checked where they are used -----===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/BufferOrigins.h"
#include "Common/Fusion.h"
#include "Common/Utils.h"
#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_INTERLEAVECHECKS
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-interleave-checks"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

/// The elements of a part.
static constexpr int64_t kPart = 4096;
/// The elements of a row that is worth a loop of its own.
static constexpr int64_t kShortRow = 16;

//===----------------------------------------------------------------------===//
// What is interleaved
//===----------------------------------------------------------------------===//

/// The buffer whose elements a memref has, in their order.
static Value getBase(Value memref) {
  while (auto collapse = memref.getDefiningOp<memref::CollapseShapeOp>())
    memref = collapse.getSrc();
  return memref;
}

/// Returns whether an operation tells of all elements that it reads whether
/// they are right: it reduces them, in the order of memory, by a conjunction.
static bool isCheck(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumDpsInputs() == 0 || op.getNumLoops() != 1 ||
      op.getNumReductionLoops() != 1 || op.hasIndexSemantics())
    return false;
  Value init = op.getDpsInits().front();
  Operation *join =
      op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  BlockArgument accumulator = op.getRegionOutputArgs().front();
  auto isOfScalars = [](Operation &inner) {
    return inner.getNumRegions() == 0 && isPure(&inner);
  };
  return init.getDefiningOp<memref::AllocOp>() &&
         accumulator.getType().isInteger(1) &&
         isa_and_nonnull<arith::AndIOp>(join) && accumulator.hasOneUse() &&
         llvm::is_contained(join->getOperands(), accumulator) &&
         llvm::all_of(op.getBody()->without_terminator(), isOfScalars) &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return isa<MemRefType>(input->get().getType()) &&
                  op.getMatchingIndexingMap(input).isIdentity();
         });
}

namespace {

/// A check, and the operation that reads the same elements behind it.
struct CheckedUse {
  linalg::GenericOp check, use;
};

/// Finds what reads, next behind the assert of a check, what was checked.
class UseFinder {
public:
  explicit UseFinder(linalg::GenericOp check) : check(check) {}

  /// The operation, before which everything that it needs has been moved in
  /// front of the check; null if there is none.
  linalg::GenericOp find();

private:
  bool mayStandBetween(Operation *op);
  bool readsChecked(linalg::GenericOp use, OpOperand &input);
  bool isLookup(linalg::GenericOp use);
  bool dependsOnChecked(linalg::GenericOp use, Value index);
  bool hasLoops(linalg::GenericOp use);
  bool hoistOperands(linalg::GenericOp use);

  linalg::GenericOp check;
};

} // namespace

/// Whether what follows may as well run in front of `op`, which stands behind
/// the check: `op` says or frees what the check found, or has no effects.
bool UseFinder::mayStandBetween(Operation *op) {
  Value flag = check.getDpsInits().front();
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getMemRef() == flag;
  if (auto free = dyn_cast<memref::DeallocOp>(op))
    return free.getMemref() == flag;
  if (auto assertion = dyn_cast<AssertOp>(op)) {
    auto load = assertion.getCondition().getDefiningOp<memref::LoadOp>();
    return load && load.getMemRef() == flag && assertion->getNumResults() == 0;
  }
  return isa<memref::AllocOp>(op) || (op->getNumRegions() == 0 && isPure(op));
}

/// Whether an input is what has been checked, element for element.
bool UseFinder::readsChecked(linalg::GenericOp use, OpOperand &input) {
  return isa<MemRefType>(input.get().getType()) &&
         use.getMatchingIndexingMap(&input).isIdentity() &&
         llvm::any_of(check.getDpsInputs(), [&](Value checked) {
           return getBase(checked) == getBase(input.get());
         });
}

/// Whether an index of a lookup follows from what has been checked of the same
/// element, and from what is known anyway.
bool UseFinder::dependsOnChecked(linalg::GenericOp use, Value index) {
  SmallVector<Value> worklist{index};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != use.getBody())
        continue;
      OpOperand *operand = use.getMatchingOpOperand(argument);
      if (use.isDpsInit(operand) || !readsChecked(use, *operand))
        return false;
      continue;
    }
    Operation *maker = value.getDefiningOp();
    if (maker->getBlock() != use.getBody())
      continue;
    if (isa<memref::LoadOp>(maker))
      return false;
    llvm::append_range(worklist, maker->getOperands());
  }
  return true;
}

/// Whether the body looks up elements by what has been checked, and has no
/// other effects.
bool UseFinder::isLookup(linalg::GenericOp use) {
  bool looksUp = false;
  for (Operation &inner : use.getBody()->without_terminator()) {
    if (auto load = dyn_cast<memref::LoadOp>(inner)) {
      looksUp = true;
      if (!llvm::all_of(load.getIndices(), [&](Value index) {
            return dependsOnChecked(use, index);
          }))
        return false;
    } else if (inner.getNumRegions() != 0 || !isPure(&inner)) {
      return false;
    }
  }
  return looksUp;
}

/// Whether the loops go over what is checked, and need no arithmetic.
bool UseFinder::hasLoops(linalg::GenericOp use) {
  if (use.getNumLoops() == 0 || use.getNumParallelLoops() != use.getNumLoops())
    return false;
  auto isRead = [&](Value checked) {
    return llvm::any_of(use.getDpsInputOperands(), [&](OpOperand *input) {
      return readsChecked(use, *input) &&
             getBase(input->get()) == getBase(checked);
    });
  };
  return llvm::all_of(check.getDpsInputs(), isRead) &&
         llvm::all_of(use.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

/// Moves what the operation needs and what is made behind the check to its
/// front.
bool UseFinder::hoistOperands(linalg::GenericOp use) {
  llvm::SetVector<Operation *> needed;
  SmallVector<Value> worklist(use->operand_begin(), use->operand_end());
  use.getRegion().walk([&](Operation *inner) {
    worklist.append(inner->operand_begin(), inner->operand_end());
  });
  while (!worklist.empty()) {
    Operation *maker = worklist.pop_back_val().getDefiningOp();
    if (!maker || maker->getBlock() != check->getBlock() ||
        maker->isBeforeInBlock(check) || !needed.insert(maker))
      continue;
    if (!isa<memref::AllocOp>(maker) && !isPure(maker))
      return false;
    worklist.append(maker->operand_begin(), maker->operand_end());
  }
  SmallVector<Operation *> ordered = needed.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : ordered)
    op->moveBefore(check);
  return true;
}

linalg::GenericOp UseFinder::find() {
  bool isAsserted = false;
  Operation *next = check->getNextNode();
  for (; next && mayStandBetween(next); next = next->getNextNode())
    isAsserted |= isa<AssertOp>(next);
  auto use = dyn_cast_or_null<linalg::GenericOp>(next);
  if (!use || !isAsserted || !use.hasPureBufferSemantics() || !hasLoops(use) ||
      !isLookup(use))
    return {};
  // Nobody sees what is written before the assert.
  for (Value output : use.getDpsInits()) {
    Value buffer = getBase(output);
    if (!buffer.getDefiningOp<memref::AllocOp>() ||
        buffer.getParentBlock() != check->getBlock())
      return {};
    for (Operation &inner : use.getBody()->without_terminator())
      if (auto load = dyn_cast<memref::LoadOp>(inner);
          load && BufferOrigins::getRoot(load.getMemRef()) == buffer)
        return {};
  }
  return hoistOperands(use) ? use : linalg::GenericOp();
}

//===----------------------------------------------------------------------===//
// The loop over parts
//===----------------------------------------------------------------------===//

namespace {

/// Emits a loop that checks each element where it is used, and looks up the
/// first one in the place of what does not exist.
class CheckedLookup {
public:
  explicit CheckedLookup(CheckedUse found)
      : check(found.check), use(found.use), builder(found.check),
        loc(found.use.getLoc()), point(found.use.getNumLoops()) {}

  void run();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  SmallVector<Value> getIndices(OpOperand &operand);
  bool isChecked(Value index);
  Value createHasElements();
  Value createCheck(IRMapping &map);
  Value createCheckOfPoint(const IRMapping &elements);
  void clampIndices(memref::LoadOp load, memref::LoadOp copy, Value isRight);
  Value createPoint(bool checks);
  Value createConjunction(Value from, Value to,
                          llvm::function_ref<Value(Value)> body);
  void setRow(Value row);
  Value createRow(Value from, Value to);
  Value createShortRows(Value first, Value end);
  Value createPart(Value first, Value end);
  void createJoin(Value isRight, Value parts, Value results);

  linalg::GenericOp check, use;
  OpBuilder builder;
  Location loc;
  /// The size of each loop of the use, and the index in it.
  SmallVector<Value> sizes, point;
};

} // namespace

SmallVector<Value> CheckedLookup::getIndices(OpOperand &operand) {
  SmallVector<Value> indices;
  for (AffineExpr expr : use.getMatchingIndexingMap(&operand).getResults())
    indices.push_back(point[cast<AffineDimExpr>(expr).getPosition()]);
  return indices;
}

/// Whether an index of a lookup follows from an element.
bool CheckedLookup::isChecked(Value index) {
  if (auto argument = dyn_cast<BlockArgument>(index))
    return argument.getOwner() == use.getBody();
  Operation *maker = index.getDefiningOp();
  return maker->getBlock() == use.getBody() &&
         llvm::any_of(maker->getOperands(),
                      [&](Value operand) { return isChecked(operand); });
}

/// Whether there is a first element wherever an index is checked.
Value CheckedLookup::createHasElements() {
  Value all = arith::ConstantIntOp::create(builder, loc, 1, 1);
  for (Operation &inner : *use.getBody())
    if (auto load = dyn_cast<memref::LoadOp>(inner))
      for (auto [dim, index] : llvm::enumerate(load.getIndices())) {
        if (!isChecked(index))
          continue;
        Value size = builder.createOrFold<memref::DimOp>(
            loc, load.getMemRef(), static_cast<int64_t>(dim));
        Value hasOne = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ne, size, constant(0));
        all = arith::AndIOp::create(builder, loc, all, hasOne);
      }
  return all;
}

/// Whether elements are right, given what the arguments of the check are.
Value CheckedLookup::createCheck(IRMapping &map) {
  map.map(check.getRegionOutputArgs().front(),
          arith::ConstantIntOp::create(builder, loc, 1, 1).getResult());
  for (Operation &inner : check.getBody()->without_terminator())
    builder.clone(inner, map);
  return map.lookupOrDefault(check.getBody()->getTerminator()->getOperand(0));
}

/// Whether the elements at the current point are right, given the arguments of
/// the use.
Value CheckedLookup::createCheckOfPoint(const IRMapping &elements) {
  IRMapping map;
  for (OpOperand *input : check.getDpsInputOperands())
    for (OpOperand *other : use.getDpsInputOperands())
      if (getBase(input->get()) == getBase(other->get()) &&
          use.getMatchingIndexingMap(other).isIdentity())
        map.map(check.getMatchingBlockArgument(input),
                elements.lookup(use.getMatchingBlockArgument(other)));
  return createCheck(map);
}

/// Has lookups take the first element where an element is not right.
void CheckedLookup::clampIndices(memref::LoadOp load, memref::LoadOp copy,
                                 Value isRight) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(copy);
  for (auto [index, operand] :
       llvm::zip_equal(load.getIndices(), copy.getIndicesMutable()))
    if (isChecked(index))
      operand.set(arith::SelectOp::create(builder, loc, isRight, operand.get(),
                                          constant(0)));
}

/// Does the work of the use at the current point. Returns whether the elements
/// are right where `checks`; else they are known to be.
Value CheckedLookup::createPoint(bool checks) {
  IRMapping map;
  for (OpOperand &operand : use->getOpOperands()) {
    Value value = operand.get();
    BlockArgument argument = use.getMatchingBlockArgument(&operand);
    if (use.isDpsInit(&operand) && argument.use_empty())
      continue;
    if (isa<MemRefType>(value.getType()))
      value = memref::LoadOp::create(builder, loc, value, getIndices(operand));
    map.map(argument, value);
  }
  Value isRight = checks ? createCheckOfPoint(map) : Value();
  for (Operation &inner : use.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      map.map(index.getResult(), point[index.getDim()]);
      continue;
    }
    Operation *copy = builder.clone(inner, map);
    if (auto load = dyn_cast<memref::LoadOp>(inner); load && checks)
      clampIndices(load, cast<memref::LoadOp>(copy), isRight);
  }
  Operation *yield = use.getBody()->getTerminator();
  for (auto [output, value] :
       llvm::zip_equal(use.getDpsInitsMutable(), yield->getOperands()))
    memref::StoreOp::create(builder, loc, map.lookupOrDefault(value),
                            output.get(), getIndices(output));
  return isRight;
}

/// A loop that returns whether what `body` makes holds in all iterations.
Value CheckedLookup::createConjunction(Value from, Value to,
                                       llvm::function_ref<Value(Value)> body) {
  Value all = arith::ConstantIntOp::create(builder, loc, 1, 1);
  auto loop = scf::ForOp::create(builder, loc, from, to, constant(1), all);
  markIndependent(loop);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value isRight = body(loop.getInductionVar());
  isRight =
      arith::AndIOp::create(builder, loc, loop.getRegionIterArg(0), isRight);
  scf::YieldOp::create(builder, loc, isRight);
  return loop.getResult(0);
}

/// Sets the indices of all loops but the last one.
void CheckedLookup::setRow(Value row) {
  for (unsigned loop = point.size() - 2; loop > 0; --loop) {
    point[loop] = arith::RemUIOp::create(builder, loc, row, sizes[loop]);
    row = arith::DivUIOp::create(builder, loc, row, sizes[loop]);
  }
  point.front() = row;
}

/// Checks and uses elements along the last loop.
Value CheckedLookup::createRow(Value from, Value to) {
  return createConjunction(from, to, [&](Value at) {
    point.back() = at;
    return createPoint(/*checks=*/true);
  });
}

/// Checks the elements of some short rows, which lie next to each other, and
/// then uses them: to carry what is known of them would take longer.
Value CheckedLookup::createShortRows(Value first, Value end) {
  Value from = arith::MulIOp::create(builder, loc, first, sizes.back());
  Value to = arith::MulIOp::create(builder, loc, end, sizes.back());
  Value isRight = createConjunction(from, to, [&](Value at) {
    IRMapping map;
    for (OpOperand *input : check.getDpsInputOperands())
      map.map(
          check.getMatchingBlockArgument(input),
          memref::LoadOp::create(builder, loc, input->get(), at).getResult());
    return createCheck(map);
  });
  auto choice = scf::IfOp::create(builder, loc, isRight,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  Value one = constant(1);
  auto rows = scf::ForOp::create(builder, loc, first, end, one);
  markIndependent(rows);
  builder.setInsertionPointToStart(rows.getBody());
  setRow(rows.getInductionVar());
  auto row = scf::ForOp::create(builder, loc, constant(0), sizes.back(), one);
  markIndependent(row, Iterations::Few);
  builder.setInsertionPointToStart(row.getBody());
  point.back() = row.getInductionVar();
  createPoint(/*checks=*/false);
  return isRight;
}

/// Checks and uses some rows, or some elements if there is one row.
Value CheckedLookup::createPart(Value first, Value end) {
  if (point.size() == 1)
    return createRow(first, end);
  Value isShort = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        sizes.back(), constant(kShortRow));
  auto choice = scf::IfOp::create(builder, loc, isShort.getType(), isShort,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(builder, loc, createShortRows(first, end));
  builder.setInsertionPointToStart(choice.elseBlock());
  Value areRight = createConjunction(first, end, [&](Value row) {
    setRow(row);
    return createRow(constant(0), sizes.back());
  });
  scf::YieldOp::create(builder, loc, areRight);
  return choice.getResult(0);
}

/// Adds what is known of the parts to the result of the check.
void CheckedLookup::createJoin(Value isRight, Value parts, Value results) {
  Value flag = check.getDpsInits().front();
  Value start = arith::AndIOp::create(
      builder, loc, memref::LoadOp::create(builder, loc, flag), isRight);
  auto loop = scf::ForOp::create(
      builder, loc, constant(0), parts, constant(1), start,
      [&](OpBuilder &inner, Location, Value part, ValueRange carried) {
        Value value = memref::LoadOp::create(inner, loc, results, part);
        Value all = arith::AndIOp::create(inner, loc, carried[0], value);
        scf::YieldOp::create(inner, loc, all);
      });
  memref::StoreOp::create(builder, loc, loop.getResult(0), flag);
}

void CheckedLookup::run() {
  Value zero = constant(0), one = constant(1);
  for (const Range &range : cast<linalg::LinalgOp>(use.getOperation())
                                .createLoopRanges(builder, loc))
    sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, range.size));
  // The rows, and how many of them a part has.
  Value count = sizes.front(), step = constant(kPart), total = count;
  if (sizes.size() > 1) {
    for (Value size : ArrayRef(sizes).drop_front().drop_back())
      count = arith::MulIOp::create(builder, loc, count, size);
    total = arith::MulIOp::create(builder, loc, count, sizes.back());
    Value length = arith::MaxUIOp::create(builder, loc, sizes.back(), one);
    step = arith::DivUIOp::create(builder, loc, step, length);
    step = arith::MaxUIOp::create(builder, loc, step, one);
  }
  // Where there is nothing to look up, no element is right, and none is used.
  Value hasElements = createHasElements();
  Value isEmpty = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        total, zero);
  Value isRight = arith::OrIOp::create(builder, loc, hasElements, isEmpty);
  count = arith::SelectOp::create(builder, loc, hasElements, count, zero);
  Value parts = arith::CeilDivUIOp::create(builder, loc, count, step);
  auto type = MemRefType::get({ShapedType::kDynamic}, builder.getI1Type());
  Value results = memref::AllocOp::create(builder, loc, type, parts);
  auto parallel = scf::ParallelOp::create(builder, loc, zero, parts, one);
  parallel->setAttr(attr_names::kPoints, builder.getIndexAttr(kPart));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(parallel.getBody());
    Value part = parallel.getInductionVars()[0];
    Value first = arith::MulIOp::create(builder, loc, part, step);
    Value end = arith::AddIOp::create(builder, loc, first, step);
    end = arith::MinUIOp::create(builder, loc, end, count);
    memref::StoreOp::create(builder, loc, createPart(first, end), results,
                            part);
  }
  createJoin(isRight, parts, results);
  memref::DeallocOp::create(builder, loc, results);
  use.erase();
  check.erase();
}

void tally::interleaveChecks(func::FuncOp function) {
  SmallVector<linalg::GenericOp> checks;
  function.walk([&](linalg::GenericOp op) {
    if (isCheck(op))
      checks.push_back(op);
  });
  for (linalg::GenericOp check : checks)
    if (linalg::GenericOp use = UseFinder(check).find()) {
      LDBG() << describeLastPart(use)
             << ": its indices are checked in its loops";
      CheckedLookup({check, use}).run();
    }
}

namespace {
struct InterleaveChecksPass
    : public tally::impl::InterleaveChecksBase<InterleaveChecksPass> {
  void runOnOperation() override { tally::interleaveChecks(getOperation()); }
};
} // namespace
