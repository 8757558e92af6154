//===- RowScans.cpp - Scans along rows ------------------------------------===//

#include "RowScans.h"

#include "Common/BufferOrigins.h"
#include "Common/Utils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

using namespace mlir;
using namespace tally::codegen;

/// The elements of a block whose conversions are loops of their own.
static constexpr int64_t kBlock = 64;
/// The bytes to which buffers of a block are aligned: a vector.
static constexpr int64_t kAlignment = 64;

//===----------------------------------------------------------------------===//
// Which loops are scans
//===----------------------------------------------------------------------===//

scf::ForOp tally::codegen::findScan(scf::ParallelOp loop) {
  scf::ForOp scan;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto inner = dyn_cast<scf::ForOp>(op)) {
      if (scan)
        return {};
      scan = inner;
    } else if (op.getNumRegions() != 0 ||
               !(isPure(&op) || isa<memref::LoadOp>(op))) {
      return {};
    }
  }
  if (!scan || scan.getNumResults() == 0 ||
      llvm::any_of(scan.getResults(), [](Value v) { return !v.use_empty(); }))
    return {};
  for (Value bound :
       {scan.getLowerBound(), scan.getUpperBound(), scan.getStep()})
    if (!loop.isDefinedOutsideOfLoop(bound))
      return {};
  // Steps of integers do not wait long, and caches follow few streams.
  if (llvm::none_of(scan.getResultTypes(),
                    [](Type type) { return isa<FloatType>(type); }))
    return {};
  int64_t writes = 0;
  for (Operation &op : scan.getBody()->without_terminator()) {
    writes += isa<memref::StoreOp>(op);
    if (op.getNumRegions() != 0 ||
        !(isPure(&op) || isa<memref::LoadOp, memref::StoreOp>(op)))
      return {};
  }
  return writes == 1 ? scan : scf::ForOp();
}

namespace {

/// The operations of a step, apart: what is carried waits for the step before,
/// what is computed of elements before it and of it does not.
struct StepParts {
  /// What depends on nothing that is carried; what the next step needs; the
  /// rest, stores among it.
  SmallVector<Operation *> before, carried, behind;
  /// Those of the first that depend on nothing that is read: each part may
  /// compute them again.
  SmallVector<Operation *> plain;
  /// What the carried part reads of the first, and the last of the second.
  llvm::SmallSetVector<Value, 4> inputs, outputs;

  /// Takes a step apart; nothing if it converts no elements of 16 bits, or has
  /// to stay as it is.
  static std::optional<StepParts> find(scf::ForOp scan);

private:
  bool divide(scf::ForOp scan);
  bool findValues(scf::ForOp scan);
};

} // namespace

/// Whether elements of a block may be read before one of them is written: each
/// store is of another buffer than each load, or of the element that it loads.
static bool mayReadAhead(scf::ForOp scan) {
  auto loads = scan.getBody()->getOps<memref::LoadOp>();
  return llvm::all_of(scan.getBody()->getOps<memref::StoreOp>(),
                      [&](memref::StoreOp store) {
                        return llvm::all_of(loads, [&](memref::LoadOp load) {
                          return (load.getMemRef() == store.getMemRef() &&
                                  load.getIndices() == store.getIndices()) ||
                                 BufferOrigins::getRoot(load.getMemRef()) !=
                                     BufferOrigins::getRoot(store.getMemRef());
                        });
                      });
}

bool StepParts::divide(scf::ForOp scan) {
  Block *body = scan.getBody();
  llvm::SmallPtrSet<Operation *, 16> waiting, needed;
  auto isCarried = [&](Value value) {
    Operation *def = value.getDefiningOp();
    return def ? waiting.contains(def)
               : llvm::is_contained(scan.getRegionIterArgs(), value);
  };
  for (Operation &op : body->without_terminator())
    if (llvm::any_of(op.getOperands(), isCarried))
      waiting.insert(&op);
  auto need = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp(); waiting.contains(def))
        needed.insert(def);
  };
  need(body->getTerminator());
  for (Operation &op : llvm::reverse(body->without_terminator()))
    if (needed.contains(&op))
      need(&op);
  for (Operation &op : body->without_terminator())
    (needed.contains(&op)                                ? carried
     : waiting.contains(&op) || isa<memref::StoreOp>(op) ? behind
                                                         : before)
        .push_back(&op);
  return llvm::none_of(carried, [](Operation *op) {
    return isa<memref::LoadOp, memref::StoreOp>(op);
  });
}

/// Finds what is kept from part to part.
bool StepParts::findValues(scf::ForOp scan) {
  llvm::SmallPtrSet<Operation *, 16> loaded;
  auto isLoaded = [&](Value value) {
    return loaded.contains(value.getDefiningOp());
  };
  for (Operation *op : before)
    if (isa<memref::LoadOp>(op) || llvm::any_of(op->getOperands(), isLoaded))
      loaded.insert(op);
    else
      plain.push_back(op);
  SmallVector<Operation *> next(carried);
  next.push_back(scan.getBody()->getTerminator());
  for (Operation *op : next)
    for (Value operand : op->getOperands())
      if (isLoaded(operand))
        inputs.insert(operand);
  for (Operation *op : behind)
    for (Value operand : op->getOperands()) {
      // What was read, or carried before the step, is not kept.
      if (isLoaded(operand) ||
          llvm::is_contained(scan.getRegionIterArgs(), operand))
        return false;
      if (llvm::is_contained(carried, operand.getDefiningOp()))
        outputs.insert(operand);
    }
  return llvm::all_of(llvm::concat<const Value>(inputs, outputs),
                      [](Value value) {
                        return MemRefType::isValidElementType(value.getType());
                      });
}

std::optional<StepParts> StepParts::find(scf::ForOp scan) {
  bool readsHalves = llvm::any_of(
      scan.getBody()->getOps<memref::LoadOp>(), [](memref::LoadOp load) {
        return load.getType().isF16() || load.getType().isBF16();
      });
  StepParts parts;
  if (!readsHalves || !mayReadAhead(scan) || !parts.divide(scan) ||
      !parts.findValues(scan))
    return std::nullopt;
  return parts;
}

//===----------------------------------------------------------------------===//
// Rows side by side
//===----------------------------------------------------------------------===//

/// Clones a block for each of some rows, with maps of their own.
static void cloneForRows(OpBuilder &builder, Block *block,
                         MutableArrayRef<IRMapping> maps, Operation *except) {
  for (Operation &op : block->without_terminator())
    for (IRMapping &map : maps)
      if (&op != except)
        builder.clone(op, map);
}

/// Writes the loop over the elements of some rows, which have maps of their
/// own.
static void scanElements(OpBuilder &builder, scf::ForOp scan,
                         MutableArrayRef<IRMapping> rows) {
  Location loc = scan.getLoc();
  SmallVector<Value> inits;
  for (IRMapping &map : rows)
    for (Value init : scan.getInitArgs())
      inits.push_back(map.lookupOrDefault(init));
  auto made = scf::ForOp::create(builder, loc, scan.getLowerBound(),
                                 scan.getUpperBound(), scan.getStep(), inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(made.getBody());
  ValueRange carried = made.getRegionIterArgs();
  for (auto [row, map] : llvm::enumerate(rows)) {
    map.map(scan.getInductionVar(), made.getInductionVar());
    map.map(scan.getRegionIterArgs(),
            carried.slice(row * scan.getNumResults(), scan.getNumResults()));
  }
  cloneForRows(builder, scan.getBody(), rows, nullptr);
  SmallVector<Value> next;
  for (IRMapping &map : rows)
    for (Value value : scan.getBody()->getTerminator()->getOperands())
      next.push_back(map.lookupOrDefault(value));
  scf::YieldOp::create(builder, loc, next);
}

namespace {

/// Writes the loops over the blocks of some rows, and those over the elements
/// of a block.
class BlockScan {
public:
  BlockScan(OpBuilder &builder, scf::ForOp scan,
            MutableArrayRef<IRMapping> rows, const StepParts &parts)
      : builder(builder), loc(scan.getLoc()), scan(scan), rows(rows),
        parts(parts) {}

  void run();

private:
  using Slots = llvm::SmallDenseMap<Value, SmallVector<Value>>;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Slots createSlots(ArrayRef<Value> values);
  scf::ForOp createLoop(ValueRange carried = {});
  void createBefore(size_t row);
  SmallVector<Value> createCarried(ValueRange carried);
  void createBehind(size_t row);

  OpBuilder &builder;
  Location loc;
  scf::ForOp scan;
  MutableArrayRef<IRMapping> rows;
  const StepParts &parts;
  Slots inputs, outputs;
  /// Where the block begins, and its elements.
  Value begin, size;
};

} // namespace

/// A buffer on the stack for each row's block of each value.
BlockScan::Slots BlockScan::createSlots(ArrayRef<Value> values) {
  Slots slots;
  for (Value value : values)
    for (size_t row = 0; row < rows.size(); ++row)
      slots[value].push_back(memref::AllocaOp::create(
          builder, loc, MemRefType::get({kBlock}, value.getType()),
          builder.getI64IntegerAttr(kAlignment)));
  return slots;
}

/// A loop over the elements of a block.
scf::ForOp BlockScan::createLoop(ValueRange carried) {
  auto loop =
      scf::ForOp::create(builder, loc, constant(0), size, constant(1), carried);
  if (carried.empty())
    markIndependent(loop);
  builder.setInsertionPointToStart(loop.getBody());
  Value at = arith::AddIOp::create(builder, loc, begin, loop.getInductionVar());
  for (IRMapping &map : rows)
    map.map(scan.getInductionVar(), at);
  return loop;
}

void BlockScan::createBefore(size_t row) {
  OpBuilder::InsertionGuard guard(builder);
  scf::ForOp loop = createLoop();
  for (Operation *op : parts.before)
    builder.clone(*op, rows[row]);
  for (Value value : parts.inputs)
    memref::StoreOp::create(builder, loc, rows[row].lookup(value),
                            inputs.at(value)[row], loop.getInductionVar());
}

SmallVector<Value> BlockScan::createCarried(ValueRange carried) {
  OpBuilder::InsertionGuard guard(builder);
  scf::ForOp loop = createLoop(carried);
  for (auto [row, map] : llvm::enumerate(rows)) {
    map.map(scan.getRegionIterArgs(),
            loop.getRegionIterArgs().slice(row * scan.getNumResults(),
                                           scan.getNumResults()));
    for (Value value : parts.inputs)
      map.map(value, memref::LoadOp::create(builder, loc, inputs.at(value)[row],
                                            loop.getInductionVar()));
  }
  for (ArrayRef<Operation *> ops :
       {ArrayRef(parts.plain), ArrayRef(parts.carried)})
    for (Operation *op : ops)
      for (IRMapping &map : rows)
        builder.clone(*op, map);
  SmallVector<Value> next;
  for (auto [row, map] : llvm::enumerate(rows)) {
    for (Value value : parts.outputs)
      memref::StoreOp::create(builder, loc, map.lookup(value),
                              outputs.at(value)[row], loop.getInductionVar());
    for (Value value : scan.getBody()->getTerminator()->getOperands())
      next.push_back(map.lookupOrDefault(value));
  }
  scf::YieldOp::create(builder, loc, next);
  return loop.getResults();
}

void BlockScan::createBehind(size_t row) {
  OpBuilder::InsertionGuard guard(builder);
  scf::ForOp loop = createLoop();
  for (Operation *op : parts.plain)
    builder.clone(*op, rows[row]);
  for (Value value : parts.outputs)
    rows[row].map(value,
                  memref::LoadOp::create(builder, loc, outputs.at(value)[row],
                                         loop.getInductionVar()));
  for (Operation *op : parts.behind)
    builder.clone(*op, rows[row]);
}

void BlockScan::run() {
  inputs = createSlots(parts.inputs.getArrayRef());
  outputs = createSlots(parts.outputs.getArrayRef());
  SmallVector<Value> inits;
  for (IRMapping &map : rows)
    for (Value init : scan.getInitArgs())
      inits.push_back(map.lookupOrDefault(init));
  Value upper = scan.getUpperBound();
  auto blocks = scf::ForOp::create(builder, loc, scan.getLowerBound(), upper,
                                   constant(kBlock), inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(blocks.getBody());
  begin = blocks.getInductionVar();
  size =
      arith::MinSIOp::create(builder, loc, constant(kBlock),
                             arith::SubIOp::create(builder, loc, upper, begin));
  for (size_t row = 0; row < rows.size(); ++row)
    createBefore(row);
  SmallVector<Value> next = createCarried(blocks.getRegionIterArgs());
  for (size_t row = 0; row < rows.size(); ++row)
    createBehind(row);
  scf::YieldOp::create(builder, loc, next);
}

void tally::codegen::scanRows(scf::ParallelOp loop, scf::ForOp scan) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  SmallVector<Value> steps(loop.getStep());
  steps.back() = constant(kScannedRows);
  auto groups = scf::ParallelOp::create(builder, loc, loop.getLowerBound(),
                                        loop.getUpperBound(), steps);
  builder.setInsertionPointToStart(groups.getBody());
  Value first = groups.getInductionVars().back(),
        upper = loop.getUpperBound().back();
  Value end =
      arith::AddIOp::create(builder, loc, first, constant(kScannedRows));
  Value isWhole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                        end, upper);
  auto choice = scf::IfOp::create(builder, loc, TypeRange(), isWhole,
                                  /*withElseRegion=*/true);
  auto mapRow = [&](Value row) {
    IRMapping map;
    map.map(ValueRange(loop.getInductionVars()).drop_back(),
            ValueRange(groups.getInductionVars()).drop_back());
    map.map(loop.getInductionVars().back(), row);
    return map;
  };
  builder.setInsertionPointToStart(choice.thenBlock());
  SmallVector<IRMapping> rows;
  for (int64_t row = 0; row < kScannedRows; ++row)
    rows.push_back(
        mapRow(arith::AddIOp::create(builder, loc, first, constant(row))));
  cloneForRows(builder, loop.getBody(), rows, scan);
  if (std::optional<StepParts> parts = StepParts::find(scan))
    BlockScan(builder, scan, rows, *parts).run();
  else
    scanElements(builder, scan, rows);
  builder.setInsertionPointToStart(choice.elseBlock());
  auto rest = scf::ForOp::create(builder, loc, first, upper, constant(1));
  markIndependent(rest);
  builder.setInsertionPointToStart(rest.getBody());
  IRMapping map = mapRow(rest.getInductionVar());
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, map);
  loop.erase();
}
