//===- TileTransposes.cpp - Operands along another dimension --------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

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
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_TILETRANSPOSES
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-tile-transposes"

using namespace mlir;
using namespace tally::codegen;

/// The elements of a tile along its two dimensions: more where the result lies
/// than across it, as lines that are written wait for memory twice.
static constexpr int64_t kOuterTile = 64, kInnerTile = 128;
/// The bytes of a vector, of which a block has as many as one has lanes.
static constexpr int64_t kVectorBytes = 32, kMinLanes = 4, kMaxLanes = 8;

namespace {

/// The loops of a tile: neighbors of the result lie along `inner`, those of an
/// operand along `outer`.
struct Tile {
  unsigned outer, inner;
};

/// Schedules one operation.
class TransposeEmitter {
public:
  TransposeEmitter(linalg::GenericOp op, Tile tile)
      : op(op), tile(tile), builder(op), loc(op.getLoc()) {}

  void run();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value getLoopSize(unsigned loop);
  int64_t getTileSize(unsigned loop) const {
    return loop == tile.outer   ? kOuterTile
           : loop == tile.inner ? kInnerTile
                                : 1;
  }
  /// The number of lanes of a block that vectors transpose; 0 where elements
  /// are taken one by one.
  int64_t getLanes();
  /// Makes a loop around what `body` makes for an index of the given loop of
  /// the operation.
  void createLoop(unsigned loop, Value from, Value to, int64_t step,
                  llvm::function_ref<void()> body);
  void createPoints(Value outerFrom, Value outerTo, Value innerFrom,
                    Value innerTo);
  void createPoint();
  bool hasVectors(Type element);
  void createBlock(int64_t lanes);
  bool isTurned(OpOperand &operand);
  bool turnsResult();
  SmallVector<Value> loadTurned(OpOperand &operand, int64_t lanes);
  SmallVector<Value> loadBlock(OpOperand &operand, int64_t lanes);
  Value computeRow(ArrayRef<SmallVector<Value>> elements, int64_t row,
                   int64_t lanes);
  Value widen(Value value, int64_t lanes);
  SmallVector<Value> getIndices(AffineMap map, unsigned moved, int64_t by);

  linalg::GenericOp op;
  Tile tile;
  OpBuilder builder;
  Location loc;
  /// The index of each loop.
  SmallVector<Value> point;
};

} // namespace

Value TransposeEmitter::getLoopSize(unsigned loop) {
  OpOperand *output = op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(output);
  unsigned dim = *map.getResultPosition(builder.getAffineDimExpr(loop));
  return builder.createOrFold<memref::DimOp>(loc, output->get(), dim);
}

/// Whether processors have vectors of a type; they move halves only.
bool TransposeEmitter::hasVectors(Type element) {
  if (element.isF16() || element.isBF16())
    return op.getBody()->without_terminator().empty();
  return element.isF32() || element.isF64() || element.isInteger(8) ||
         element.isInteger(16) || element.isInteger(32) ||
         element.isInteger(64);
}

int64_t TransposeEmitter::getLanes() {
  int64_t bytes = 1;
  auto takes = [&](Type type) {
    Type element = getElementTypeOrSelf(type);
    if (!hasVectors(element))
      return false;
    bytes = std::max<int64_t>(bytes, element.getIntOrFloatBitWidth() / 8);
    return true;
  };
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (op.getMatchingBlockArgument(&operand).use_empty() &&
        !op.isDpsInit(&operand))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!takes(operand.get().getType()) ||
        (type && map.getNumResults() != 0 && !isContiguous(type)))
      return 0;
  }
  if (!op.getRegionOutputArgs().front().use_empty())
    return 0;
  for (Operation &inner : op.getBody()->without_terminator())
    if (!inner.hasTrait<OpTrait::ConstantLike>() &&
        (!OpTrait::hasElementwiseMappableTraits(&inner) || !isPure(&inner) ||
         inner.getNumResults() != 1 ||
         !(takes(inner.getResult(0).getType()) ||
           inner.getResult(0).getType().isInteger(1))))
      return 0;
  return std::min(kVectorBytes / bytes, kMaxLanes);
}

void TransposeEmitter::createLoop(unsigned loop, Value from, Value to,
                                  int64_t step,
                                  llvm::function_ref<void()> body) {
  auto made = scf::ForOp::create(builder, loc, from, to, constant(step));
  markIndependent(made);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(made.getBody());
  point[loop] = made.getInductionVar();
  body();
}

/// The indices of an operand at the current point, or `by` further along a
/// loop.
SmallVector<Value> TransposeEmitter::getIndices(AffineMap map, unsigned moved,
                                                int64_t by) {
  SmallVector<Value> indices;
  for (AffineExpr result : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    Value index = point[loop];
    if (loop == moved && by != 0)
      index = add(index, constant(by));
    indices.push_back(index);
  }
  return indices;
}

/// Creates the work of the operation at the current point.
void TransposeEmitter::createPoint() {
  IRMapping map;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (isa<MemRefType>(value.getType())) {
      if (argument.use_empty())
        continue;
      value = memref::LoadOp::create(
          builder, loc, value,
          getIndices(op.getMatchingIndexingMap(&operand), 0, 0));
    }
    map.map(argument, value);
  }
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      map.map(index.getResult(), point[index.getDim()]);
    else
      builder.clone(inner, map);
  }
  Operation *yield = op.getBody()->getTerminator();
  OpOperand *output = op.getDpsInitOperand(0);
  memref::StoreOp::create(
      builder, loc, map.lookupOrDefault(yield->getOperand(0)), output->get(),
      getIndices(op.getMatchingIndexingMap(output), 0, 0));
}

void TransposeEmitter::createPoints(Value outerFrom, Value outerTo,
                                    Value innerFrom, Value innerTo) {
  createLoop(tile.outer, outerFrom, outerTo, 1, [&] {
    createLoop(tile.inner, innerFrom, innerTo, 1, [&] { createPoint(); });
  });
}

Value TransposeEmitter::widen(Value value, int64_t lanes) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      builder, loc, VectorType::get(lanes, value.getType()), value);
}

/// Whether an operand has an element for each point of a tile, neighbors of
/// which lie along the outer loop.
bool TransposeEmitter::isTurned(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return isa<MemRefType>(operand.get().getType()) &&
         map.isFunctionOfDim(tile.inner) && map.isFunctionOfDim(tile.outer) &&
         findContiguousLoop(map) == tile.outer;
}

/// Whether there is less to transpose in the result than in the operands, all
/// of which lie along the outer loop or are the same for all of a tile.
bool TransposeEmitter::turnsResult() {
  unsigned numTurned = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (op.getMatchingBlockArgument(input).use_empty())
      continue;
    if (isTurned(*input))
      ++numTurned;
    else if (map.isFunctionOfDim(tile.inner) || map.isFunctionOfDim(tile.outer))
      return false;
  }
  return numTurned > 1;
}

/// Reads a block of an operand that lies along the outer loop, as it lies.
SmallVector<Value> TransposeEmitter::loadTurned(OpOperand &operand,
                                                int64_t lanes) {
  auto type = cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<Value> rows;
  for (int64_t i = 0; i < lanes; ++i)
    rows.push_back(vector::LoadOp::create(
        builder, loc, VectorType::get(lanes, type.getElementType()),
        operand.get(), getIndices(map, tile.inner, i)));
  return rows;
}

/// Reads what an operand has for each row of a block, along the inner loop: a
/// vector, or one value for all lanes.
SmallVector<Value> TransposeEmitter::loadBlock(OpOperand &operand,
                                               int64_t lanes) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return SmallVector<Value>(lanes, operand.get());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  bool hasInner = map.isFunctionOfDim(tile.inner),
       hasOuter = map.isFunctionOfDim(tile.outer);
  std::optional<unsigned> along = findContiguousLoop(map);
  auto vectorType = VectorType::get(lanes, type.getElementType());
  auto load = [&](unsigned moved, int64_t by, bool isVector) -> Value {
    SmallVector<Value> indices = getIndices(map, moved, by);
    if (isVector)
      return vector::LoadOp::create(builder, loc, vectorType, operand.get(),
                                    indices);
    return memref::LoadOp::create(builder, loc, operand.get(), indices);
  };
  SmallVector<Value> rows;
  if (isTurned(operand))
    return transposeBlock(builder, loc, loadTurned(operand, lanes));
  for (int64_t i = 0; i < (hasOuter ? lanes : 1); ++i) {
    if (!hasInner || along == tile.inner) {
      rows.push_back(load(tile.outer, i, /*isVector=*/hasInner));
      continue;
    }
    // Elements of a row are apart.
    Value row = widen(load(tile.outer, i, /*isVector=*/false), lanes);
    for (int64_t lane = 1; lane < lanes; ++lane) {
      SmallVector<Value> indices = getIndices(map, tile.outer, i);
      for (auto [dim, expr] : llvm::enumerate(map.getResults()))
        if (expr.isFunctionOfDim(tile.inner))
          indices[dim] = add(indices[dim], constant(lane));
      Value element =
          memref::LoadOp::create(builder, loc, operand.get(), indices);
      row = vector::InsertOp::create(builder, loc, element, row, lane);
    }
    rows.push_back(row);
  }
  rows.resize(lanes, rows.front());
  return rows;
}

/// Computes the results of the operation for one row of a block.
Value TransposeEmitter::computeRow(ArrayRef<SmallVector<Value>> elements,
                                   int64_t row, int64_t lanes) {
  IRMapping map;
  for (auto [argument, rows] : llvm::zip(op.getRegionInputArgs(), elements))
    if (!rows.empty())
      map.map(argument, rows[row]);
  return computeLanes(builder, loc, *op.getBody(), map, lanes).front();
}

/// Computes a block of as many rows as a vector has lanes. What lies along the
/// outer loop is transposed in registers; where several operands do, what is
/// computed from them.
void TransposeEmitter::createBlock(int64_t lanes) {
  SmallVector<SmallVector<Value>> elements;
  bool isLate = turnsResult();
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.getMatchingBlockArgument(input).use_empty())
      elements.emplace_back();
    else
      elements.push_back(isLate && isTurned(*input) ? loadTurned(*input, lanes)
                                                    : loadBlock(*input, lanes));
  OpOperand *output = op.getDpsInitOperand(0);
  AffineMap to = op.getMatchingIndexingMap(output);
  SmallVector<Value> rows;
  for (int64_t row = 0; row < lanes; ++row)
    rows.push_back(computeRow(elements, row, lanes));
  if (isLate)
    rows = transposeBlock(builder, loc, rows);
  for (int64_t row = 0; row < lanes; ++row)
    vector::StoreOp::create(builder, loc, rows[row], output->get(),
                            getIndices(to, tile.outer, row));
}

void TransposeEmitter::run() {
  unsigned count = op.getNumLoops();
  int64_t lanes = getLanes();
  SmallVector<Value> lower(count, constant(0)), upper, steps;
  for (unsigned loop = 0; loop < count; ++loop) {
    upper.push_back(getLoopSize(loop));
    steps.push_back(constant(getTileSize(loop)));
  }
  auto parallel = scf::ParallelOp::create(builder, loc, lower, upper, steps);
  parallel->setAttr(tally::attr_names::kPoints,
                    builder.getIndexAttr(kOuterTile * kInnerTile));
  builder.setInsertionPointToStart(parallel.getBody());
  for (Value index : parallel.getInductionVars())
    point.push_back(index);
  auto getEnd = [&](unsigned loop) -> Value {
    return arith::MinSIOp::create(builder, loc,
                                  add(point[loop], constant(getTileSize(loop))),
                                  upper[loop]);
  };
  Value outer = point[tile.outer], inner = point[tile.inner];
  Value outerEnd = getEnd(tile.outer), innerEnd = getEnd(tile.inner);
  if (lanes == 0) {
    createPoints(outer, outerEnd, inner, innerEnd);
  } else {
    // Blocks, then what is left at the end of each dimension.
    auto getFull = [&](Value begin, Value end) -> Value {
      Value size = arith::SubIOp::create(builder, loc, end, begin);
      Value rest =
          arith::AndIOp::create(builder, loc, size, constant(lanes - 1));
      return arith::SubIOp::create(builder, loc, end, rest);
    };
    Value outerFull = getFull(outer, outerEnd),
          innerFull = getFull(inner, innerEnd);
    createLoop(tile.outer, outer, outerFull, lanes, [&] {
      createLoop(tile.inner, inner, innerFull, lanes,
                 [&] { createBlock(lanes); });
    });
    createPoints(outer, outerFull, innerFull, innerEnd);
    createPoints(outerFull, outerEnd, inner, innerEnd);
  }
  op.erase();
}

/// Returns the tile of an operation on buffers that writes one result and reads
/// an operand that lies along another loop.
static std::optional<Tile> findTile(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops())
    return std::nullopt;
  OpOperand *output = op.getDpsInitOperand(0);
  AffineMap to = op.getMatchingIndexingMap(output);
  if (!to.isPermutation())
    return std::nullopt;
  unsigned inner = *findContiguousLoop(to);
  // Where few elements are read one after the other, as pairs are, loops over
  // what is written are vectors as they are.
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto isShort = [&](unsigned loop) {
    return !ShapedType::isDynamic(sizes[loop]) && sizes[loop] < kMinLanes;
  };
  std::optional<Tile> tile;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isa<MemRefType>(input->get().getType()))
      continue;
    AffineMap from = op.getMatchingIndexingMap(input);
    if (!from.isProjectedPermutation())
      return std::nullopt;
    std::optional<unsigned> loop = findContiguousLoop(from);
    if (!tile && loop && *loop != inner && from.isFunctionOfDim(inner) &&
        !isShort(*loop))
      tile = Tile{*loop, inner};
  }
  return tile;
}

void tally::tileTransposes(func::FuncOp function) {
  SmallVector<std::pair<linalg::GenericOp, Tile>> found;
  function.walk([&](linalg::GenericOp op) {
    if (std::optional<Tile> tile = findTile(op))
      found.push_back({op, *tile});
  });
  for (auto [op, tile] : found) {
    LDBG() << describeLastPart(op) << ": in tiles of loops " << tile.outer
           << " and " << tile.inner;
    TransposeEmitter(op, tile).run();
  }
}

namespace {
struct TileTransposesPass
    : public tally::impl::TileTransposesBase<TileTransposesPass> {
  void runOnOperation() override { tally::tileTransposes(getOperation()); }
};
} // namespace
