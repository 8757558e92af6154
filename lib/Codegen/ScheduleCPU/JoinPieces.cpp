//===- JoinPieces.cpp - All pieces of a row in one pass -------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/BufferOrigins.h"
#include "Common/Fusion.h"
#include "Common/LoopNest.h"
#include "Common/Utils.h"
#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_JOINPIECES
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-join-pieces"

using namespace mlir;
using namespace tally::codegen;

/// The most columns of a piece that takes longer to go to than to write.
static constexpr int64_t kNarrow = 8;

namespace {

/// A loop over rows and the columns of a piece of a buffer, of which each
/// iteration writes its element.
struct Piece {
  scf::ParallelOp loop;
  Value buffer;
  SmallVector<Value> reads;

  OpFoldResult getUpperBound(unsigned dim) const {
    scf::ParallelOp op = loop;
    return getAsOpFoldResult(op.getUpperBound()[dim]);
  }

  /// The number of columns; none where it is not known or 0.
  std::optional<int64_t> getWidth() const {
    scf::ParallelOp op = loop;
    std::optional<int64_t> width =
        getConstantIntValue(getUpperBound(op.getNumLoops() - 1));
    return width && *width > 0 ? width : std::nullopt;
  }

  bool isNarrow() const { return getWidth() && *getWidth() <= kNarrow; }
};

} // namespace

/// Returns the buffer of which `memref` has some columns of all rows; null if
/// it has anything else. Rows may be those of several dimensions in one.
static Value findBuffer(Value memref) {
  auto view = memref.getDefiningOp<memref::SubViewOp>();
  if (!view)
    return memref;
  int64_t rank = view.getSourceType().getRank();
  auto offsets = ArrayRef(view.getStaticOffsets());
  bool hasAllRows = view.getType().getRank() == rank &&
                    llvm::all_of(offsets.drop_back(),
                                 [](int64_t offset) { return offset == 0; }) &&
                    llvm::all_of(view.getStaticStrides(),
                                 [](int64_t stride) { return stride == 1; });
  if (rank == 0 || !hasAllRows)
    return {};
  auto merged = view.getSource().getDefiningOp<memref::CollapseShapeOp>();
  return merged && merged.getReassociationIndices().back().size() == 1
             ? merged.getSrc()
             : view.getSource();
}

/// Matches a loop that writes a piece: its body reads elements, computes, and
/// stores one element last.
static std::optional<Piece> matchPiece(Operation *op) {
  auto loop = dyn_cast<scf::ParallelOp>(op);
  if (!loop || loop.getNumLoops() < 2 || loop.getNumResults() != 0 ||
      !loop->getDiscardableAttrs().empty())
    return std::nullopt;
  for (auto [lower, step] : llvm::zip(loop.getLowerBound(), loop.getStep()))
    if (!isConstantIntValue(lower, 0) || !isConstantIntValue(step, 1))
      return std::nullopt;
  auto body = loop.getBody()->without_terminator();
  if (body.empty())
    return std::nullopt;
  auto store = dyn_cast<memref::StoreOp>(*std::prev(body.end()));
  if (!store || !llvm::equal(store.getIndices(), loop.getInductionVars()) ||
      !LoopNest::hasOwnElements(store.getMemRef()))
    return std::nullopt;
  Piece piece{loop, findBuffer(store.getMemRef()), {}};
  if (!piece.buffer || !piece.buffer.getDefiningOp<memref::AllocOp>())
    return std::nullopt;
  for (Operation &inner : llvm::make_range(body.begin(), std::prev(body.end())))
    if (auto load = dyn_cast<memref::LoadOp>(inner))
      piece.reads.push_back(load.getMemRef());
    else if (inner.getNumRegions() != 0 || !isPure(&inner))
      return std::nullopt;
  return piece;
}

/// Whether two bounds are the same value, or computed alike.
static bool areSame(OpFoldResult first, OpFoldResult second) {
  if (first == second)
    return true;
  auto a = dyn_cast<Value>(first), b = dyn_cast<Value>(second);
  Operation *one = a ? a.getDefiningOp() : nullptr,
            *other = b ? b.getDefiningOp() : nullptr;
  return one && other && one->getNumResults() == 1 && isPure(one) &&
         OperationEquivalence::isEquivalentTo(
             one, other, OperationEquivalence::IgnoreLocations);
}

/// Whether two pieces are of one buffer and have the same rows. A row of one is
/// the same part of the buffer as that of the other.
static bool haveSameRows(const Piece &first, const Piece &second) {
  scf::ParallelOp a = first.loop, b = second.loop;
  if (first.buffer != second.buffer || a.getNumLoops() != b.getNumLoops())
    return false;
  for (unsigned dim = 0; dim + 1 < a.getNumLoops(); ++dim)
    if (!areSame(first.getUpperBound(dim), second.getUpperBound(dim)))
      return false;
  return true;
}

/// Finds the pieces that follow each other, the first of which is `first`.
static SmallVector<Piece> findPieces(Piece first, BufferOrigins &origins) {
  auto isApart = [&](Value memref) {
    return origins.relate(memref, first.buffer) ==
           BufferOrigins::Relation::Distinct;
  };
  SmallVector<Piece> pieces;
  if (!llvm::all_of(first.reads, isApart))
    return pieces;
  pieces.push_back(first);
  for (Operation *op = first.loop->getNextNode(); op; op = op->getNextNode()) {
    if (op->getNumRegions() == 0 && isPure(op))
      continue;
    std::optional<Piece> piece = matchPiece(op);
    if (!piece || !haveSameRows(first, *piece) ||
        !llvm::all_of(piece->reads, isApart))
      break;
    pieces.push_back(*piece);
  }
  return pieces;
}

/// Writes a piece of a row. What all columns have in common is computed first.
/// It may be read first where there is a column.
static void writePiece(OpBuilder &builder, Piece piece, ValueRange row) {
  scf::ParallelOp old = piece.loop;
  Location loc = old.getLoc();
  unsigned last = old.getNumLoops() - 1;
  IRMapping mapping;
  SmallVector<Value> indices = old.getInductionVars();
  Value column = indices.pop_back_val();
  mapping.map(indices, row);
  auto columns =
      scf::ForOp::create(builder, loc, old.getLowerBound()[last],
                         old.getUpperBound()[last], old.getStep()[last]);
  mapping.map(column, columns.getInductionVar());
  OpBuilder inside = OpBuilder::atBlockBegin(columns.getBody());
  builder.setInsertionPoint(columns);
  llvm::SmallPtrSet<Operation *, 8> varying;
  for (Operation &op : old.getBody()->without_terminator()) {
    bool varies = llvm::any_of(op.getOperands(), [&](Value operand) {
      return operand == column || varying.contains(operand.getDefiningOp());
    });
    bool isRead = isa<memref::LoadOp>(op);
    if (varies || isa<memref::StoreOp>(op) || (isRead && !piece.getWidth())) {
      varying.insert(&op);
      inside.clone(op, mapping);
    } else {
      builder.clone(op, mapping);
    }
  }
  builder.setInsertionPointAfter(columns);
  markIndependent(columns);
}

/// Writes an element of each piece. All is read before anything is written, so
/// that what pieces have in common is read and computed once.
static void writeColumns(OpBuilder &builder, ArrayRef<Piece> pieces,
                         ValueRange row) {
  SmallVector<std::pair<Operation *, IRMapping>> stores;
  for (const Piece &piece : pieces) {
    scf::ParallelOp old = piece.loop;
    IRMapping mapping;
    SmallVector<Value> indices = old.getInductionVars();
    mapping.map(indices.pop_back_val(), old.getLowerBound().back());
    mapping.map(indices, row);
    for (Operation &op : old.getBody()->without_terminator())
      if (isa<memref::StoreOp>(op))
        stores.emplace_back(&op, mapping);
      else
        builder.clone(op, mapping);
  }
  for (auto &[store, mapping] : stores)
    builder.clone(*store, mapping);
}

/// Writes, for each row, all of its pieces.
static void joinPieces(ArrayRef<Piece> pieces) {
  scf::ParallelOp first = pieces.front().loop, last = pieces.back().loop;
  OpBuilder builder(last);
  auto rows = scf::ParallelOp::create(
      builder, first.getLoc(), first.getLowerBound().drop_back(),
      first.getUpperBound().drop_back(), first.getStep().drop_back());
  builder.setInsertionPointToStart(rows.getBody());
  bool areColumns = llvm::all_of(
      pieces, [](const Piece &piece) { return piece.getWidth() == 1; });
  if (areColumns)
    writeColumns(builder, pieces, rows.getInductionVars());
  else
    for (const Piece &piece : pieces)
      writePiece(builder, piece, rows.getInductionVars());
  for (const Piece &piece : pieces)
    scf::ParallelOp(piece.loop).erase();
}

void tally::joinPieces(func::FuncOp function) {
  // Blocks of loops, which go with them, come before those around them.
  SmallVector<Block *> blocks;
  function.walk([&](Block *block) { blocks.push_back(block); });
  BufferOrigins origins(function);
  for (Block *block : blocks)
    for (Operation *op = block->empty() ? nullptr : &block->front(); op;) {
      std::optional<Piece> first = matchPiece(op);
      op = op->getNextNode();
      if (!first)
        continue;
      SmallVector<Piece> pieces = findPieces(*first, origins);
      if (pieces.size() < 2 || llvm::none_of(pieces, [](const Piece &piece) {
            return piece.isNarrow();
          }))
        continue;
      LDBG() << describeLastPart(pieces.back().loop) << ": " << pieces.size()
             << " pieces of a row in one pass";
      op = pieces.back().loop->getNextNode();
      ::joinPieces(pieces);
    }
}

namespace {
struct JoinPiecesPass : tally::impl::JoinPiecesBase<JoinPiecesPass> {
  void runOnOperation() override { tally::joinPieces(getOperation()); }
};
} // namespace
