//===- TileReductions.cpp - All rows of one operand with all of another ---===//
//
// See the description of the pass in ReductionPasses.td.
//
//===----------------------------------------------------------------------===//

#include "Combiners.h"
#include "Common/Fusion.h"
#include "Common/Utils.h"
#include "VectorBlocks.h"
#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_TILEREDUCTIONS
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-tile-reductions"

using namespace mlir;
using namespace tally::codegen;

/// The rows of a tile, and the bytes of its columns: as many accumulators, a
/// vector of columns and an element of a row fit 16 registers of half as much.
static constexpr int64_t kRows = 6, kVectorBytes = 64;
/// The columns that all rows are taken with before those that follow.
static constexpr int64_t kColumns = 256;
/// How many elements are summed up before they are added to what there is.
static constexpr int64_t kPart = 256;

namespace {

/// The loops of a tile: `column` is where neighbors of the result lie, `sum` is
/// reduced, and what lies along it is the same for all of `row`.
struct ReductionTile {
  unsigned row, column, sum;
  int64_t lanes;
};

/// Schedules one operation.
class ReductionEmitter {
public:
  ReductionEmitter(linalg::GenericOp op, ReductionTile tile)
      : op(op), tile(tile), builder(op), loc(op.getLoc()) {}

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
  Value least(Value a, Value b) {
    return arith::MinSIOp::create(builder, loc, a, b);
  }
  Type getElementType() {
    return getElementTypeOrSelf(op.getDpsInitOperand(0)->get());
  }
  VectorType getVectorType() {
    return VectorType::get(tile.lanes, getElementType());
  }
  Value getLoopSize(unsigned loop);
  SmallVector<Value> getIndices(AffineMap map, Value row, Value at);
  void copyElements(Value operand, ArrayRef<SmallVector<Value>> from,
                    SmallVector<Value> to, Value begin, Value end,
                    int64_t step);
  void turn(OpOperand &operand);
  SmallVector<Value> addElement(Value at, ValueRange sums);
  SmallVector<Value> createLoop(Value from, Value to, ValueRange sums);
  SmallVector<Value> addPart(Value from, ValueRange sums);
  SmallVector<Value> createMasks();
  SmallVector<Value> loadSums(Value isWhole);
  void storeSums(Value isWhole, ValueRange sums);
  void createTile();
  void createTiles();

  linalg::GenericOp op;
  ReductionTile tile;
  OpBuilder builder;
  Location loc;
  SmallVector<Value> sizes;
  /// Each input: as it is, or turned so that its columns lie along the
  /// result's.
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  /// The index of each loop, and the rows of a tile; those behind the last one
  /// stand for it.
  SmallVector<Value> point, rows;
  /// Which vector of columns a tile has.
  Value vectorOfTile;
};

} // namespace

Value ReductionEmitter::getLoopSize(unsigned loop) {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()))
      if (auto dim = op.getMatchingIndexingMap(&operand).getResultPosition(
              builder.getAffineDimExpr(loop)))
        return builder.createOrFold<memref::DimOp>(loc, operand.get(), *dim);
  llvm_unreachable("every loop is a dimension of an operand");
}

/// Where an operand has the element of a row and a step of the reduction, at
/// the first column of the tile.
SmallVector<Value> ReductionEmitter::getIndices(AffineMap map, Value row,
                                                Value at) {
  SmallVector<Value> indices;
  for (AffineExpr result : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    indices.push_back(loop == tile.row   ? row
                      : loop == tile.sum ? at
                                         : point[loop]);
  }
  return indices;
}

/// Copies a range of elements of the columns that start at `from`, one or as
/// many as a vector has lanes at once.
void ReductionEmitter::copyElements(Value operand,
                                    ArrayRef<SmallVector<Value>> from,
                                    SmallVector<Value> to, Value begin,
                                    Value end, int64_t step) {
  auto loop = scf::ForOp::create(builder, loc, begin, end, constant(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value at = loop.getInductionVar();
  SmallVector<Value> lines;
  for (SmallVector<Value> indices : from) {
    indices.back() = at;
    lines.push_back(
        step == 1
            ? memref::LoadOp::create(builder, loc, operand, indices).getResult()
            : vector::LoadOp::create(builder, loc, getVectorType(), operand,
                                     indices));
  }
  if (step == 1)
    lines = {
        vector::FromElementsOp::create(builder, loc, getVectorType(), lines)};
  else
    lines = transposeBlock(builder, loc, lines);
  for (auto [number, line] : llvm::enumerate(lines)) {
    to[to.size() - 2] = number == 0 ? at : add(at, constant(number));
    vector::StoreOp::create(builder, loc, line, inputs.back(), to);
  }
}

/// Copies an operand that lies along the reduction: a vector of columns for
/// each element, those of the same columns one after the other. Columns behind
/// the last one stand for it.
void ReductionEmitter::turn(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Value last = sub(sizes[tile.column], constant(1)),
        lanes = constant(tile.lanes),
        vectors =
            arith::CeilDivUIOp::create(builder, loc, sizes[tile.column], lanes);
  SmallVector<AffineExpr> loops;
  SmallVector<Value> extents;
  for (AffineExpr result : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    if (loop == tile.sum || loop == tile.column)
      continue;
    loops.push_back(result);
    extents.push_back(sizes[loop]);
  }
  for (unsigned loop : {tile.column, tile.sum})
    loops.push_back(builder.getAffineDimExpr(loop));
  maps.push_back(AffineMap::get(map.getNumDims(), 0, loops, op.getContext()));
  extents.push_back(vectors);
  SmallVector<int64_t> shape(loops.size(), ShapedType::kDynamic);
  shape.push_back(tile.lanes);
  auto dynamic = extents;
  dynamic.push_back(sizes[tile.sum]);
  Value buffer = memref::AllocOp::create(
      builder, loc, MemRefType::get(shape, getElementType()), dynamic,
      builder.getI64IntegerAttr(64));
  inputs.push_back(buffer);
  auto parallel = scf::ParallelOp::create(
      builder, loc, SmallVector<Value>(extents.size(), constant(0)), extents,
      SmallVector<Value>(extents.size(), constant(1)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(parallel.getBody());
  SmallVector<Value> to(parallel.getInductionVars());
  to.append({Value(), constant(0)});
  Value first =
      arith::MulIOp::create(builder, loc, to[extents.size() - 1], lanes);
  SmallVector<SmallVector<Value>> from;
  for (int64_t lane = 0; lane < tile.lanes; ++lane) {
    SmallVector<Value> indices(loops.size());
    for (auto [number, index] : llvm::enumerate(parallel.getInductionVars()))
      indices[*map.getResultPosition(loops[number])] = index;
    indices[*map.getResultPosition(builder.getAffineDimExpr(tile.column))] =
        least(add(first, constant(lane)), last);
    from.push_back(indices);
  }
  Value rest = arith::AndIOp::create(builder, loc, sizes[tile.sum],
                                     constant(tile.lanes - 1));
  Value whole = sub(sizes[tile.sum], rest);
  copyElements(operand.get(), from, to, constant(0), whole, tile.lanes);
  copyElements(operand.get(), from, to, whole, sizes[tile.sum], 1);
}

/// Adds one element to the sums of each row.
SmallVector<Value> ReductionEmitter::addElement(Value at, ValueRange sums) {
  IRMapping common;
  auto load = [&](unsigned number, Value row) -> Value {
    Value input = inputs[number];
    SmallVector<Value> indices = getIndices(maps[number], row, at);
    if (maps[number].isFunctionOfDim(tile.column)) {
      indices[indices.size() - 2] = vectorOfTile;
      indices.push_back(constant(0));
      return vector::LoadOp::create(builder, loc, getVectorType(), input,
                                    indices);
    }
    return memref::LoadOp::create(builder, loc, input, indices);
  };
  SmallVector<unsigned> ofRows;
  for (auto [number, argument] : llvm::enumerate(op.getRegionInputArgs()))
    if (!isa<MemRefType>(inputs[number].getType()))
      common.map(argument, inputs[number]);
    else if (maps[number].isFunctionOfDim(tile.row))
      ofRows.push_back(number);
    else
      common.map(argument, load(number, rows.front()));
  SmallVector<Value> next;
  for (auto [row, sum] : llvm::zip_equal(rows, sums)) {
    IRMapping map(common);
    for (unsigned number : ofRows)
      map.map(op.getRegionInputArgs()[number], load(number, row));
    map.map(op.getRegionOutputArgs().front(), sum);
    next.push_back(
        computeLanes(builder, loc, *op.getBody(), map, tile.lanes).front());
  }
  return next;
}

SmallVector<Value> ReductionEmitter::createLoop(Value from, Value to,
                                                ValueRange sums) {
  auto loop = scf::ForOp::create(builder, loc, from, to, constant(1), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(
      builder, loc,
      addElement(loop.getInductionVar(), loop.getRegionIterArgs()));
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// Sums up a part on its own, and adds it.
SmallVector<Value> ReductionEmitter::addPart(Value from, ValueRange sums) {
  std::optional<Combiner> combiner = findCombiner(op);
  Value to = least(add(from, constant(kPart)), sizes[tile.sum]);
  Value neutral = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(getVectorType(), combiner->neutral));
  SmallVector<Value> parts =
      createLoop(from, to, SmallVector<Value>(kRows, neutral));
  for (auto [part, sum] : llvm::zip_equal(parts, sums))
    part = arith::AddFOp::create(builder, loc, sum, part);
  return parts;
}

/// Which elements of the rows of a tile there are.
SmallVector<Value> ReductionEmitter::createMasks() {
  Value last = sub(sizes[tile.row], constant(1)),
        left = sub(sizes[tile.column], point[tile.column]),
        lanes = arith::ConstantOp::create(
            builder, loc,
            builder.getIndexVectorAttr(
                llvm::to_vector(llvm::seq<int64_t>(0, tile.lanes))));
  SmallVector<Value> masks;
  for (int64_t i = 0; i < kRows; ++i) {
    Value isThere =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                              add(point[tile.row], constant(i)), last);
    Value count =
        arith::SelectOp::create(builder, loc, isThere, left, constant(0));
    masks.push_back(arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, lanes,
        vector::BroadcastOp::create(builder, loc, lanes.getType(), count)));
  }
  return masks;
}

/// Reads what the rows of a tile start from: without masks, whose computation
/// takes as long as many steps of the reduction, if the tile is whole.
SmallVector<Value> ReductionEmitter::loadSums(Value isWhole) {
  OpOperand &output = *op.getDpsInitOperand(0);
  AffineMap to = op.getMatchingIndexingMap(&output);
  auto choice = scf::IfOp::create(
      builder, loc, SmallVector<Type>(kRows, getVectorType()), isWhole,
      /*withElseRegion=*/true);
  auto getPlace = [&](int64_t row) {
    return getIndices(to, rows[row], constant(0));
  };
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  SmallVector<Value> loaded;
  for (int64_t i = 0; i < kRows; ++i)
    loaded.push_back(vector::LoadOp::create(builder, loc, getVectorType(),
                                            output.get(), getPlace(i)));
  scf::YieldOp::create(builder, loc, loaded);
  builder.setInsertionPointToStart(choice.elseBlock());
  Value zeros = arith::ConstantOp::create(builder, loc,
                                          builder.getZeroAttr(getVectorType()));
  loaded.clear();
  for (auto [i, mask] : llvm::enumerate(createMasks()))
    loaded.push_back(vector::MaskedLoadOp::create(
        builder, loc, getVectorType(), output.get(), getPlace(i), mask, zeros));
  scf::YieldOp::create(builder, loc, loaded);
  return llvm::to_vector_of<Value>(choice.getResults());
}

void ReductionEmitter::storeSums(Value isWhole, ValueRange sums) {
  OpOperand &output = *op.getDpsInitOperand(0);
  AffineMap to = op.getMatchingIndexingMap(&output);
  auto choice = scf::IfOp::create(builder, loc, TypeRange(), isWhole,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  for (int64_t i = 0; i < kRows; ++i)
    vector::StoreOp::create(builder, loc, sums[i], output.get(),
                            getIndices(to, rows[i], constant(0)));
  builder.setInsertionPointToStart(choice.elseBlock());
  for (auto [i, mask] : llvm::enumerate(createMasks()))
    vector::MaskedStoreOp::create(builder, loc, output.get(),
                                  getIndices(to, rows[i], constant(0)), mask,
                                  sums[i]);
}

/// Computes a tile. Rows and columns behind the last ones are not written.
void ReductionEmitter::createTile() {
  Value row = point[tile.row], last = sub(sizes[tile.row], constant(1)),
        none = constant(0);
  rows.clear();
  for (int64_t i = 0; i < kRows; ++i)
    rows.push_back(i == 0 ? row : least(add(row, constant(i)), last));
  auto isIn = [&](unsigned loop, int64_t count) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                 add(point[loop], constant(count)),
                                 sizes[loop]);
  };
  Value isWhole = arith::AndIOp::create(builder, loc, isIn(tile.row, kRows),
                                        isIn(tile.column, tile.lanes));
  SmallVector<Value> sums = loadSums(isWhole);
  std::optional<Combiner> combiner = findCombiner(op);
  if (combiner && isReassociated(*combiner)) {
    auto loop = scf::ForOp::create(builder, loc, none, sizes[tile.sum],
                                   constant(kPart), sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        builder, loc,
        addPart(loop.getInductionVar(), loop.getRegionIterArgs()));
    sums = llvm::to_vector_of<Value>(loop.getResults());
  } else {
    sums = createLoop(none, sizes[tile.sum], sums);
  }
  storeSums(isWhole, sums);
}

/// Goes over tiles: rows of those of some columns, which stay in a cache.
void ReductionEmitter::createTiles() {
  SmallVector<unsigned> loops;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (loop != tile.sum && loop != tile.row && loop != tile.column)
      loops.push_back(loop);
  loops.append({tile.column, tile.row});
  SmallVector<Value> upper, steps;
  for (unsigned loop : loops) {
    upper.push_back(sizes[loop]);
    steps.push_back(constant(loop == tile.row      ? kRows
                             : loop == tile.column ? kColumns
                                                   : 1));
  }
  auto parallel = scf::ParallelOp::create(
      builder, loc, SmallVector<Value>(loops.size(), constant(0)), upper,
      steps);
  parallel->setAttr(tally::attr_names::kPoints,
                    builder.getIndexAttr(kRows * kColumns));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(parallel.getBody());
  point.resize(op.getNumLoops());
  for (auto [loop, index] : llvm::zip_equal(loops, parallel.getInductionVars()))
    point[loop] = index;
  Value first = point[tile.column];
  auto columns = scf::ForOp::create(
      builder, loc, first,
      least(add(first, constant(kColumns)), sizes[tile.column]),
      constant(tile.lanes));
  builder.setInsertionPointToStart(columns.getBody());
  point[tile.column] = columns.getInductionVar();
  vectorOfTile = arith::DivUIOp::create(builder, loc, point[tile.column],
                                        constant(tile.lanes));
  createTile();
}

/// Tiles where there are enough rows and columns; else the operation stays.
void ReductionEmitter::run() {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    sizes.push_back(getLoopSize(loop));
  auto isLess = [&](unsigned loop, int64_t size) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                 sizes[loop], constant(size));
  };
  Value isSmall = arith::OrIOp::create(builder, loc, isLess(tile.row, kRows),
                                       isLess(tile.column, tile.lanes));
  auto choice = scf::IfOp::create(builder, loc, isSmall,
                                  /*withElseRegion=*/true);
  op->moveBefore(choice.thenBlock(), choice.thenBlock()->begin());
  fuseProducts(op);
  builder.setInsertionPointToStart(choice.elseBlock());
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.isFunctionOfDim(tile.column)) {
      turn(*input);
      continue;
    }
    inputs.push_back(input->get());
    maps.push_back(map);
  }
  createTiles();
  for (Value input : inputs)
    if (input.getDefiningOp<memref::AllocOp>() &&
        input.getParentBlock() == choice.elseBlock())
      memref::DeallocOp::create(builder, loc, input);
}

/// Returns whether vectors compute the body: all of it is arithmetic on one
/// type of floats.
static bool hasLanes(linalg::GenericOp op, Type element) {
  for (BlockArgument argument : op.getBody()->getArguments())
    if (argument.getType() != element)
      return false;
  return llvm::all_of(op.getBody()->without_terminator(), [&](Operation &each) {
    if (each.getNumResults() != 1)
      return false;
    Type type = each.getResult(0).getType();
    return (type == element || type.isInteger(1)) &&
           (each.hasTrait<OpTrait::ConstantLike>() ||
            (OpTrait::hasElementwiseMappableTraits(&each) && isPure(&each)));
  });
}

/// Returns the tile of an operation on buffers that reduces one loop, along
/// which all operands lie that have columns.
static std::optional<ReductionTile> findTile(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 1 || op.getNumParallelLoops() < 2)
    return std::nullopt;
  OpOperand *output = op.getDpsInitOperand(0);
  AffineMap to = op.getMatchingIndexingMap(output);
  Type element = getElementTypeOrSelf(output->get().getType());
  if (!to.isProjectedPermutation() ||
      to.getNumResults() != op.getNumParallelLoops() ||
      !(element.isF32() || element.isF64()) || !hasLanes(op, element) ||
      !isContiguous(cast<MemRefType>(output->get().getType())))
    return std::nullopt;
  SmallVector<unsigned> sums;
  op.getReductionDims(sums);
  ReductionTile tile{0, *findContiguousLoop(to), sums.front(),
                     kVectorBytes * 8 / element.getIntOrFloatBitWidth()};
  std::optional<unsigned> row;
  llvm::SmallBitVector isOfTurned(op.getNumLoops());
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto type = dyn_cast<MemRefType>(input->get().getType());
    AffineMap from = op.getMatchingIndexingMap(input);
    if (!from.isProjectedPermutation())
      return std::nullopt;
    if (!from.isFunctionOfDim(tile.column))
      continue;
    if (!type || findContiguousLoop(from) != tile.sum || !isContiguous(type))
      return std::nullopt;
    for (AffineExpr result : from.getResults())
      isOfTurned.set(cast<AffineDimExpr>(result).getPosition());
  }
  if (!isOfTurned.test(tile.column))
    return std::nullopt;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!isOfTurned.test(loop) && loop != tile.sum)
      row = loop;
  if (!row)
    return std::nullopt;
  tile.row = *row;
  return tile;
}

void tally::tileReductions(func::FuncOp function) {
  SmallVector<std::pair<linalg::GenericOp, ReductionTile>> found;
  function.walk([&](linalg::GenericOp op) {
    if (std::optional<ReductionTile> tile = findTile(op))
      found.push_back({op, *tile});
  });
  for (auto [op, tile] : found) {
    LDBG() << describeLastPart(op) << ": in tiles of loops " << tile.row
           << " and " << tile.column;
    ReductionEmitter(op, tile).run();
  }
}

namespace {
struct TileReductionsPass
    : public tally::impl::TileReductionsBase<TileReductionsPass> {
  void runOnOperation() override { tally::tileReductions(getOperation()); }
};
} // namespace
