//===- StraightenLoads.cpp - Operands that are read backwards -------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_STRAIGHTENLOADS
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-straighten-loads"

using namespace mlir;

namespace {

/// An index that goes with a loop: forwards, or backwards from a value.
struct LoopIndex {
  unsigned loop;
  Value from;
};

/// A load of a body, with an index for each dimension.
struct StraightLoad {
  memref::LoadOp op;
  SmallVector<LoopIndex> indices;
};

/// Replaces loads of one operation by operands.
class LoadStraightener {
public:
  explicit LoadStraightener(linalg::GenericOp op)
      : op(op), builder(op), loc(op.getLoc()), turned(op.getNumLoops()) {}

  void run();

private:
  void findLoads();
  void chooseTurnedLoops();
  bool canTurn(unsigned loop);
  Value turnOperand(OpOperand &operand);
  Value createView(Value buffer, ArrayRef<LoopIndex> indices);
  void createOperation();
  Value getLast(unsigned loop) {
    return builder.createOrFold<arith::SubIOp>(
        loc, getSize(loop), arith::ConstantIndexOp::create(builder, loc, 1));
  }
  Value getSize(unsigned loop) {
    return getValueOrCreateConstantIndexOp(builder, loc, ranges[loop].size);
  }
  /// Whether a load goes backwards along its dimension once loops are turned.
  bool isBackwards(const LoopIndex &index) {
    return bool(index.from) != turned[index.loop];
  }
  /// Whether neighbors in memory are read one after the other, or apart.
  bool isTaken(const StraightLoad &load) {
    return !isBackwards(load.indices.back());
  }

  linalg::GenericOp op;
  OpBuilder builder;
  Location loc;
  SmallVector<Range> ranges;
  SmallVector<StraightLoad> loads;
  /// The loops that go the other way from now on.
  llvm::SmallBitVector turned;
};

} // namespace

/// Whether a value is the same at all points of an operation.
static bool isInvariant(Value value, Block *body) {
  if (value.getParentBlock() != body)
    return true;
  Operation *maker = value.getDefiningOp();
  return maker && !isa<linalg::IndexOp>(maker) && isPure(maker) &&
         maker->getNumRegions() == 0 &&
         llvm::all_of(maker->getOperands(), [&](Value operand) {
           return isInvariant(operand, body);
         });
}

/// Moves what makes a value that is the same at all points in front of the
/// operation.
static void hoist(Value value, linalg::GenericOp op) {
  if (!value || value.getParentBlock() != op.getBody())
    return;
  for (Value operand : value.getDefiningOp()->getOperands())
    hoist(operand, op);
  value.getDefiningOp()->moveBefore(op);
}

static std::optional<LoopIndex> matchIndex(Value index, Block *body) {
  if (auto loop = index.getDefiningOp<linalg::IndexOp>())
    return LoopIndex{unsigned(loop.getDim()), Value()};
  auto difference = index.getDefiningOp<arith::SubIOp>();
  if (!difference || !isInvariant(difference.getLhs(), body))
    return std::nullopt;
  auto loop = difference.getRhs().getDefiningOp<linalg::IndexOp>();
  if (!loop)
    return std::nullopt;
  return LoopIndex{unsigned(loop.getDim()), difference.getLhs()};
}

/// Finds loads that go along a loop in each dimension, some of them backwards.
void LoadStraightener::findLoads() {
  for (auto load : op.getBody()->getOps<memref::LoadOp>()) {
    auto type = load.getMemRefType();
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    if (load.getMemRef().getParentBlock() == op.getBody() ||
        type.getRank() == 0 ||
        failed(type.getStridesAndOffset(strides, offset)))
      continue;
    StraightLoad found{load, {}};
    llvm::SmallBitVector seen(op.getNumLoops());
    bool isReversed = false;
    for (Value index : load.getIndices()) {
      std::optional<LoopIndex> match = matchIndex(index, op.getBody());
      if (!match || seen.test(match->loop))
        break;
      seen.set(match->loop);
      isReversed |= bool(match->from);
      found.indices.push_back(*match);
    }
    if (isReversed && int64_t(found.indices.size()) == type.getRank())
      loads.push_back(found);
  }
}

/// Whether a loop can go the other way: it is parallel, and no operand lies
/// along it, as that one would be read or written backwards then.
bool LoadStraightener::canTurn(unsigned loop) {
  if (op.getIteratorTypesArray()[loop] != utils::IteratorType::parallel)
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isFunctionOfDim(loop))
      return true;
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    return map.isProjectedPermutation() && type &&
           succeeded(type.getStridesAndOffset(strides, offset)) &&
           !map.getResults().back().isFunctionOfDim(loop);
  });
}

/// What reads neighbors in memory backwards reads them forwards where the loop
/// along them goes the other way.
void LoadStraightener::chooseTurnedLoops() {
  auto liesAlong = [](unsigned loop, bool isBackwards) {
    return [=](const StraightLoad &load) {
      const LoopIndex &last = load.indices.back();
      return last.loop == loop && bool(last.from) == isBackwards;
    };
  };
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (llvm::any_of(loads, liesAlong(loop, true)) &&
        llvm::none_of(loads, liesAlong(loop, false)) && canTurn(loop))
      turned.set(loop);
}

/// The part of a buffer that loops go through, with a dimension for each index.
Value LoadStraightener::createView(Value buffer, ArrayRef<LoopIndex> indices) {
  auto source = memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  SmallVector<OpFoldResult> sizes, strides = source.getConstifiedMixedStrides();
  Value offset = getValueOrCreateConstantIndexOp(
      builder, loc, source.getConstifiedMixedOffset());
  for (auto [index, stride] : llvm::zip_equal(indices, strides)) {
    sizes.push_back(ranges[index.loop].size);
    Value start = index.from;
    if (turned[index.loop]) {
      Value last = getLast(index.loop);
      start =
          start ? builder.createOrFold<arith::SubIOp>(loc, start, last) : last;
    }
    Value step = getValueOrCreateConstantIndexOp(builder, loc, stride);
    if (start)
      offset = builder.createOrFold<arith::AddIOp>(
          loc, offset, arith::MulIOp::create(builder, loc, start, step));
    if (isBackwards(index))
      stride = arith::SubIOp::create(
                   builder, loc,
                   arith::ConstantIndexOp::create(builder, loc, 0), step)
                   .getResult();
  }
  return memref::ReinterpretCastOp::create(builder, loc, source.getBaseBuffer(),
                                           OpFoldResult(offset), sizes,
                                           strides);
}

/// An operand as loops that have been turned go through it.
Value LoadStraightener::turnOperand(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (llvm::none_of(turned.set_bits(),
                    [&](unsigned loop) { return map.isFunctionOfDim(loop); }))
    return operand.get();
  SmallVector<LoopIndex> indices;
  for (AffineExpr index : map.getResults())
    indices.push_back({cast<AffineDimExpr>(index).getPosition(), Value()});
  return createView(operand.get(), indices);
}

/// Makes the operation again, with an operand for each load.
void LoadStraightener::createOperation() {
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    inputs.push_back(turnOperand(*input));
    maps.push_back(op.getMatchingIndexingMap(input));
  }
  for (StraightLoad &load : loads) {
    SmallVector<AffineExpr> exprs;
    for (const LoopIndex &index : load.indices)
      exprs.push_back(builder.getAffineDimExpr(index.loop));
    inputs.push_back(createView(load.op.getMemRef(), load.indices));
    maps.push_back(AffineMap::get(op.getNumLoops(), 0, exprs, op.getContext()));
  }
  for (OpOperand &output : op.getDpsInitsMutable()) {
    outputs.push_back(turnOperand(output));
    maps.push_back(op.getMatchingIndexingMap(&output));
  }
  SmallVector<Value> lasts(op.getNumLoops());
  for (unsigned loop : turned.set_bits())
    lasts[loop] = getLast(loop);
  auto made = linalg::GenericOp::create(builder, loc, inputs, outputs, maps,
                                        op.getIteratorTypesArray(),
                                        /*bodyBuild=*/nullptr);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  unsigned numBefore = op.getNumDpsInputs();
  made.getRegion().takeBody(op.getRegion());
  for (auto [i, load] : llvm::enumerate(loads)) {
    BlockArgument argument = made.getBody()->insertArgument(
        numBefore + i, load.op.getType(), load.op.getLoc());
    load.op.getResult().replaceAllUsesWith(argument);
    load.op.erase();
  }
  for (Operation &inner :
       llvm::make_early_inc_range(llvm::reverse(*made.getBody())))
    if (isOpTriviallyDead(&inner))
      inner.erase();
  for (auto index :
       llvm::make_early_inc_range(made.getBody()->getOps<linalg::IndexOp>()))
    if (Value last = lasts[index.getDim()]) {
      OpBuilder inner(index->getNextNode());
      Value back = arith::SubIOp::create(inner, loc, last, index);
      index.getResult().replaceAllUsesExcept(back, back.getDefiningOp());
    }
  op.erase();
}

void LoadStraightener::run() {
  findLoads();
  if (loads.empty())
    return;
  chooseTurnedLoops();
  llvm::erase_if(loads,
                 [&](const StraightLoad &load) { return !isTaken(load); });
  if (loads.empty())
    return;
  for (const StraightLoad &load : loads)
    for (const LoopIndex &index : load.indices)
      hoist(index.from, op);
  LDBG() << tally::codegen::describeLastPart(op) << ": " << loads.size()
         << " loads become operands, " << turned.count()
         << " loops go the other way";
  ranges =
      cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(builder, loc);
  createOperation();
}

void tally::straightenLoads(func::FuncOp function) {
  SmallVector<linalg::GenericOp> ops;
  function.walk([&](linalg::GenericOp op) {
    if (op.hasPureBufferSemantics() &&
        !op.getBody()->getOps<memref::LoadOp>().empty())
      ops.push_back(op);
  });
  for (linalg::GenericOp op : ops)
    LoadStraightener(op).run();
}

namespace {
struct StraightenLoadsPass
    : public tally::impl::StraightenLoadsBase<StraightenLoadsPass> {
  void runOnOperation() override { tally::straightenLoads(getOperation()); }
};
} // namespace
