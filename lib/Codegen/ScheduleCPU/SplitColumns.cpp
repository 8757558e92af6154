//===- SplitColumns.cpp - Reductions of many rows to one ------------------===//
//
// See the description of the pass in ReductionPasses.td.
//
//===----------------------------------------------------------------------===//

#include "Combiners.h"
#include "Common/Fusion.h"
#include "Common/Utils.h"
#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_SPLITCOLUMNS
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-split-columns"

using namespace mlir;
using namespace tally::codegen;

/// How many wide rows a part has; the elements of a wide row, at least half of
/// them, where rows are shorter; and how many elements of wide rows are
/// accumulated at once, so that what they accumulate stays in the first cache.
static constexpr int64_t kPartRows = 128, kWideRow = 64, kTile = 2048;

/// How many rows are added to what is accumulated before that is written; of
/// extrema of floats one, which takes several instructions already.
static constexpr int64_t kRows = 4;

namespace {

/// Loops over batches, then over rows, which are reduced, then over columns.
struct ColumnReduction : Combiner {
  unsigned numBatchLoops, numRowLoops;
};

/// Columns of a part: where the rows of its batch start, where it accumulates
/// the first column, and which columns there are.
struct Tile {
  Value from, into, begin, end;
};

/// Schedules one operation.
class ColumnEmitter {
public:
  ColumnEmitter(linalg::GenericOp op, ColumnReduction reduction)
      : op(op), reduction(reduction), builder(op), loc(op.getLoc()),
        partType(reduction.neutral.getType()),
        sumType(isa<arith::AddFOp>(reduction.op) && partType.isF32()
                    ? builder.getF64Type()
                    : partType) {}

  void run();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubIOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) {
    return arith::MulIOp::create(builder, loc, a, b);
  }
  Value divide(Value a, Value b) {
    return arith::DivUIOp::create(builder, loc, a, b);
  }
  Value remainder(Value a, Value b) {
    return arith::RemUIOp::create(builder, loc, a, b);
  }
  Value least(Value a, Value b) {
    return arith::MinSIOp::create(builder, loc, a, b);
  }
  Value ceilDivide(Value a, Value b) {
    return arith::CeilDivSIOp::create(builder, loc, a, b);
  }
  using Body = llvm::function_ref<void(Value)>;
  scf::ForOp createFor(Value begin, Value end, Body body, int64_t step = 1);
  void createIndependent(Value begin, Value end, Body body) {
    markIndependent(createFor(begin, end, body));
  }
  void createParallel(Value end, Value points, Body body);
  Value allocate(Type element, Value size);
  Value flatten(Value buffer, Value size);
  Value load(Value buffer, Value at) {
    return memref::LoadOp::create(builder, loc, buffer, at);
  }
  void store(Value value, Value buffer, Value at) {
    memref::StoreOp::create(builder, loc, value, buffer, at);
  }
  Value createNeutral(Type type);
  Value createSize(unsigned firstLoop, unsigned endLoop);
  Value createElement(Value at, Value column, Value accumulator);
  Value join(Value sum, Value part);
  void createSizes();
  void prepareInputs();
  void addRows(const Tile &tile, Value row, int64_t count);
  void createParts();
  void createSums();
  void createResults();
  Value createChoice();

  linalg::GenericOp op;
  ColumnReduction reduction;
  OpBuilder builder;
  Location loc;
  /// What a part accumulates, and what parts are joined in: sums of f32 in f64.
  Type partType, sumType;
  /// Each input as one row: of its elements, of an element for each column of a
  /// wide row, or the number that it is.
  SmallVector<Value> inputs;
  Value batches, rows, columns;
  /// So many rows are taken for one wide row; how many of those there are, and
  /// their columns.
  Value group, wideRows, wideColumns;
  Value parts;
  /// Accumulated by a part, and by all.
  Value partial, sums;
};

} // namespace

//===----------------------------------------------------------------------===//
// Loops and numbers
//===----------------------------------------------------------------------===//

scf::ForOp ColumnEmitter::createFor(Value begin, Value end, Body body,
                                    int64_t step) {
  auto loop = scf::ForOp::create(builder, loc, begin, end, constant(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
  return loop;
}

/// A parallel loop from 0 on, each iteration of which does as much as `points`.
void ColumnEmitter::createParallel(Value end, Value points, Body body) {
  auto loop =
      scf::ParallelOp::create(builder, loc, constant(0), end, constant(1));
  if (std::optional<int64_t> known = getConstantIntValue(points))
    loop->setAttr(tally::attr_names::kPoints, builder.getIndexAttr(*known));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVars()[0]);
}

Value ColumnEmitter::allocate(Type element, Value size) {
  return memref::AllocOp::create(
      builder, loc, MemRefType::get({ShapedType::kDynamic}, element), size);
}

/// A buffer in the order of memory.
Value ColumnEmitter::flatten(Value buffer, Value size) {
  auto type = cast<MemRefType>(buffer.getType());
  return memref::ReinterpretCastOp::create(
      builder, loc,
      MemRefType::get({ShapedType::kDynamic}, type.getElementType()), buffer,
      OpFoldResult(builder.getIndexAttr(0)), OpFoldResult(size),
      OpFoldResult(builder.getIndexAttr(1)));
}

Value ColumnEmitter::createNeutral(Type type) {
  TypedAttr neutral = reduction.neutral;
  // Sums start with the neutral element of additions in f32 as well.
  if (type != partType)
    neutral = builder.getFloatAttr(
        type, cast<FloatAttr>(neutral).getValue().convertToDouble());
  return arith::ConstantOp::create(builder, loc, neutral);
}

/// The number of points of some loops.
Value ColumnEmitter::createSize(unsigned firstLoop, unsigned endLoop) {
  Value size = constant(1);
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!op.getMatchingIndexingMap(input).isIdentity())
      continue;
    for (unsigned dim = firstLoop; dim < endLoop; ++dim)
      size = mul(size,
                 builder.createOrFold<memref::DimOp>(loc, input->get(), dim));
    return size;
  }
  llvm_unreachable("an input has all elements");
}

/// Accumulates the element at a position, in a column of a wide row.
Value ColumnEmitter::createElement(Value at, Value column, Value accumulator) {
  IRMapping map;
  for (auto [operand, input] :
       llvm::zip_equal(op.getDpsInputOperands(), inputs)) {
    BlockArgument argument = op.getMatchingBlockArgument(operand);
    if (argument.use_empty())
      continue;
    bool isElement = op.getMatchingIndexingMap(operand).isIdentity();
    map.map(argument, isa<MemRefType>(input.getType())
                          ? load(input, isElement ? at : column)
                          : input);
  }
  map.map(op.getRegionOutputArgs()[0], accumulator);
  for (Operation &inner : op.getBody()->without_terminator())
    builder.clone(inner, map);
  return map.lookup(reduction.op->getResult(0));
}

/// Joins what was accumulated by all parts so far and by another one.
Value ColumnEmitter::join(Value sum, Value part) {
  if (part.getType() != sumType)
    part = arith::ExtFOp::create(builder, loc, sumType, part);
  bool isFirst = reduction.op->getOperand(0) == op.getRegionOutputArgs()[0];
  OperationState state(loc, reduction.op->getName(),
                       isFirst ? ValueRange{sum, part} : ValueRange{part, sum},
                       {sumType}, reduction.op->getAttrs());
  return builder.create(state)->getResult(0);
}

//===----------------------------------------------------------------------===//
// The steps
//===----------------------------------------------------------------------===//

void ColumnEmitter::createSizes() {
  unsigned endBatch = reduction.numBatchLoops,
           endRow = endBatch + reduction.numRowLoops;
  batches = createSize(0, endBatch);
  rows = createSize(endBatch, endRow);
  columns = createSize(endRow, op.getNumLoops());
}

/// Makes rows wide: what belongs to columns is repeated for each of a group.
void ColumnEmitter::prepareInputs() {
  Value one = constant(1);
  Value atLeastOne = arith::MaxSIOp::create(builder, loc, columns, one);
  group = arith::MaxSIOp::create(builder, loc,
                                 divide(constant(kWideRow), atLeastOne), one);
  wideRows = divide(rows, group);
  wideColumns = mul(columns, group);
  parts = ceilDivide(wideRows, constant(kPartRows));
  Value all = mul(mul(batches, rows), columns);
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Value input = operand->get();
    auto type = dyn_cast<MemRefType>(input.getType());
    if (type && type.getRank() == 0) {
      input = memref::LoadOp::create(builder, loc, input);
    } else if (type && op.getMatchingIndexingMap(operand).isIdentity()) {
      input = flatten(input, all);
    } else if (type) {
      Value row = flatten(input, columns);
      input = allocate(type.getElementType(), wideColumns);
      createFor(constant(0), group, [&](Value copy) {
        Value first = mul(copy, columns);
        createIndependent(constant(0), columns, [&](Value column) {
          store(load(row, column), input, add(first, column));
        });
      });
    }
    inputs.push_back(input);
  }
}

/// Accumulates some rows from `row` on.
void ColumnEmitter::addRows(const Tile &tile, Value row, int64_t count) {
  SmallVector<Value> starts;
  for (int64_t each = 0; each < count; ++each)
    starts.push_back(
        add(tile.from, mul(add(row, constant(each)), wideColumns)));
  createIndependent(tile.begin, tile.end, [&](Value column) {
    Value place = add(tile.into, column);
    Value sum = load(partial, place);
    for (Value start : starts)
      sum = createElement(add(start, column), column, sum);
    store(sum, partial, place);
  });
}

/// Accumulates each part of a batch, in tiles of columns.
void ColumnEmitter::createParts() {
  Value tiles = ceilDivide(wideColumns, constant(kTile));
  Value perBatch = mul(parts, tiles);
  partial = allocate(partType, mul(mul(batches, parts), wideColumns));
  createParallel(
      mul(batches, perBatch), constant(kPartRows * kWideRow),
      [&](Value number) {
        Value batch = divide(number, perBatch);
        Value ofBatch = remainder(number, perBatch);
        Value part = divide(ofBatch, tiles), tile = remainder(ofBatch, tiles);
        Value begin = mul(tile, constant(kTile));
        Value end = least(add(begin, constant(kTile)), wideColumns);
        Value first = mul(part, constant(kPartRows));
        Value last = least(add(first, constant(kPartRows)), wideRows);
        Value into = mul(add(mul(batch, parts), part), wideColumns);
        Value from = mul(mul(batch, rows), columns);
        createIndependent(begin, end, [&](Value column) {
          store(createNeutral(partType), partial, add(into, column));
        });
        Tile ofPart{from, into, begin, end};
        int64_t atOnce =
            isa<arith::MaximumFOp, arith::MinimumFOp>(reduction.op) ? 1 : kRows;
        Value whole = sub(last, remainder(sub(last, first), constant(atOnce)));
        createFor(
            first, whole, [&](Value row) { addRows(ofPart, row, atOnce); },
            atOnce);
        createFor(whole, last, [&](Value row) { addRows(ofPart, row, 1); });
      });
}

/// Joins the parts of each column of a wide row.
void ColumnEmitter::createSums() {
  Value tiles = ceilDivide(wideColumns, constant(kTile));
  sums = allocate(sumType, mul(batches, wideColumns));
  createParallel(mul(batches, tiles), constant(kTile), [&](Value number) {
    Value batch = divide(number, tiles), tile = remainder(number, tiles);
    Value begin = mul(tile, constant(kTile));
    Value end = least(add(begin, constant(kTile)), wideColumns);
    Value into = mul(batch, wideColumns);
    createIndependent(begin, end, [&](Value column) {
      store(createNeutral(sumType), sums, add(into, column));
    });
    createFor(constant(0), parts, [&](Value part) {
      Value from = mul(add(mul(batch, parts), part), wideColumns);
      createIndependent(begin, end, [&](Value column) {
        Value place = add(into, column);
        store(join(load(sums, place), load(partial, add(from, column))), sums,
              place);
      });
    });
  });
}

/// Joins what a column has in each row of a group, with the rows that no group
/// has, and with what the result holds.
void ColumnEmitter::createResults() {
  Value output = flatten(op.getDpsInitOperand(0)->get(), mul(batches, columns));
  Value rest = mul(wideRows, group);
  createParallel(mul(batches, columns), Value(constant(16)), [&](Value place) {
    Value batch = divide(place, columns), column = remainder(place, columns);
    Value start = load(output, place);
    if (start.getType() != sumType)
      start = arith::ExtFOp::create(builder, loc, sumType, start);
    auto carry = [&](Value begin, Value end, Value initial,
                     llvm::function_ref<Value(Value)> next) {
      auto loop =
          scf::ForOp::create(builder, loc, begin, end, constant(1), initial);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Value sum =
          join(loop.getRegionIterArgs()[0], next(loop.getInductionVar()));
      scf::YieldOp::create(builder, loc, sum);
      return loop.getResult(0);
    };
    Value from = add(mul(batch, wideColumns), column);
    Value sum = carry(constant(0), group, start, [&](Value copy) {
      return load(sums, add(from, mul(copy, columns)));
    });
    sum = carry(rest, rows, sum, [&](Value row) {
      Value at = add(mul(add(mul(batch, rows), row), columns), column);
      return createElement(at, column, createNeutral(partType));
    });
    if (sumType != partType)
      sum = arith::TruncFOp::create(builder, loc, partType, sum);
    store(sum, output, place);
  });
}

/// Whether parts are worth it: where rows are short, as vectors do not fit, and
/// of many long rows, which threads share; sums of all of them would not be
/// exact either.
Value ColumnEmitter::createChoice() {
  auto compare = [&](arith::CmpIPredicate predicate, Value value,
                     int64_t limit) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, value,
                                 constant(limit));
  };
  Value areShort = compare(arith::CmpIPredicate::sle, columns, kWideRow / 2);
  Value choice = arith::AndIOp::create(
      builder, loc, areShort,
      compare(arith::CmpIPredicate::sgt, rows, kPartRows));
  return arith::OrIOp::create(
      builder, loc, choice,
      compare(arith::CmpIPredicate::sgt, rows, 2 * kPartRows));
}

void ColumnEmitter::run() {
  createSizes();
  Value areMany = createChoice();
  auto choice = scf::IfOp::create(builder, loc, areMany,
                                  /*withElseRegion=*/true);
  op->moveBefore(choice.elseBlock()->getTerminator());
  builder.setInsertionPointToStart(choice.thenBlock());
  prepareInputs();
  createParts();
  createSums();
  createResults();
  memref::DeallocOp::create(builder, loc, sums);
  memref::DeallocOp::create(builder, loc, partial);
  for (Value input : inputs)
    if (input.getDefiningOp<memref::AllocOp>())
      memref::DeallocOp::create(builder, loc, input);
}

//===----------------------------------------------------------------------===//
// What is taken
//===----------------------------------------------------------------------===//

/// Counts loops over batches, rows and columns, if there are rows and columns.
static std::optional<ColumnReduction> findLoops(linalg::GenericOp op) {
  SmallVector<utils::IteratorType> types = op.getIteratorTypesArray();
  auto count = [&](unsigned first, utils::IteratorType type) {
    unsigned end = first;
    while (end < types.size() && types[end] == type)
      ++end;
    return end - first;
  };
  unsigned batch = count(0, utils::IteratorType::parallel);
  unsigned rows = count(batch, utils::IteratorType::reduction);
  unsigned columns = count(batch + rows, utils::IteratorType::parallel);
  if (rows == 0 || columns == 0 || batch + rows + columns != types.size())
    return std::nullopt;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  ArrayRef<int64_t> ofRows = ArrayRef(ranges).slice(batch, rows);
  if (!ShapedType::isDynamicShape(ofRows) &&
      ShapedType::getNumElements(ofRows) <= kPartRows)
    return std::nullopt;
  return ColumnReduction{{}, batch, rows};
}

/// Returns whether an operand lies in one piece and runs over all loops, over
/// columns, or over none.
static bool isTaken(linalg::GenericOp op, OpOperand &operand,
                    unsigned firstColumn) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type || type.getRank() == 0)
    return true;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  unsigned loops = op.getNumLoops();
  AffineMap ofColumns =
      AffineMap::getMultiDimIdentityMap(loops, op.getContext())
          .getMinorSubMap(loops - firstColumn);
  return type.getLayout().isIdentity() &&
         (map.isIdentity() || map == ofColumns);
}

/// Returns whether the output runs over batches and columns, in that order.
static bool isOutputTaken(linalg::GenericOp op, const ColumnReduction &loops) {
  OpOperand &init = *op.getDpsInitOperand(0);
  auto type = dyn_cast<MemRefType>(init.get().getType());
  if (!type || !type.getLayout().isIdentity())
    return false;
  SmallVector<AffineExpr> kept;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (loop < loops.numBatchLoops ||
        loop >= loops.numBatchLoops + loops.numRowLoops)
      kept.push_back(getAffineDimExpr(loop, op.getContext()));
  return op.getMatchingIndexingMap(&init) ==
         AffineMap::get(op.getNumLoops(), 0, kept, op.getContext());
}

static std::optional<ColumnReduction> findReduction(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInits() != 1 ||
      op.hasIndexSemantics() || op->getParentOfType<scf::ParallelOp>() ||
      op->getParentOfType<scf::ForallOp>())
    return std::nullopt;
  std::optional<ColumnReduction> loops = findLoops(op);
  if (!loops || !isOutputTaken(op, *loops))
    return std::nullopt;
  unsigned firstColumn = loops->numBatchLoops + loops->numRowLoops;
  bool hasElements = false;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (!isTaken(op, *operand, firstColumn))
      return std::nullopt;
    hasElements |= isa<MemRefType>(operand->get().getType()) &&
                   op.getMatchingIndexingMap(operand).isIdentity();
  }
  std::optional<Combiner> combiner = findCombiner(op);
  if (!hasElements || !combiner)
    return std::nullopt;
  static_cast<Combiner &>(*loops) = *combiner;
  return loops;
}

void tally::splitColumns(func::FuncOp function) {
  SmallVector<std::pair<linalg::GenericOp, ColumnReduction>> found;
  function.walk([&](linalg::GenericOp op) {
    if (std::optional<ColumnReduction> reduction = findReduction(op))
      found.push_back({op, *reduction});
  });
  for (auto [op, reduction] : found) {
    LDBG() << describeLastPart(op) << ": columns are reduced in parts of "
           << kPartRows << " rows";
    ColumnEmitter(op, reduction).run();
  }
}

namespace {
struct SplitColumnsPass
    : public tally::impl::SplitColumnsBase<SplitColumnsPass> {
  void runOnOperation() override { tally::splitColumns(getOperation()); }
};
} // namespace
