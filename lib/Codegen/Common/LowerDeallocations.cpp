//===- LowerDeallocations.cpp - Who frees a buffer, in straight-line code -===//
//
// See the description of the pass in Passes.td. Upstream's lowering keeps lists
// of pointers in memory and loops over them in a function of its own; a device
// has no such memory on the host, and most buffers are distinct from all others
// in the list.
//
//===----------------------------------------------------------------------===//

#include "BufferOrigins.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_LOWERDEALLOCATIONS
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally::codegen;
using Relation = BufferOrigins::Relation;

#define DEBUG_TYPE "tally-lower-deallocations"

namespace {

/// The operations that use buffers, by class. What looks at a buffer for its
/// deallocation alone does not use it.
class BufferUses {
public:
  BufferUses(Operation *root, BufferOrigins &origins) : origins(origins) {
    root->walk([&](Operation *op) {
      if (isa<bufferization::DeallocOp>(op) || isForDeallocation(op))
        return;
      llvm::SmallPtrSet<const void *, 4> seen;
      for (Value operand : op->getOperands())
        if (isa<BaseMemRefType>(operand.getType()))
          if (const void *of = origins.getClass(operand);
              seen.insert(of).second)
            users[of].push_back(op);
    });
  }

  /// The last operation of `block` that uses a buffer, in its regions perhaps,
  /// or makes it; null for an argument that nothing uses.
  Operation *findLast(Value memref, Block *block) {
    Operation *last = memref.getDefiningOp();
    if (last)
      last = block->findAncestorOpInBlock(*last);
    for (Operation *user : users.lookup(origins.getClass(memref)))
      if (Operation *place = block->findAncestorOpInBlock(*user);
          place && (!last || last->isBeforeInBlock(place)))
        last = place;
    return last;
  }

private:
  static bool isForDeallocation(Operation *op) {
    return isa<memref::ExtractStridedMetadataOp>(op) &&
           llvm::all_of(op->getUsers(),
                        llvm::IsaPred<bufferization::DeallocOp>);
  }

  BufferOrigins &origins;
  llvm::DenseMap<const void *, SmallVector<Operation *, 4>> users;
};

/// A buffer that nobody else may own, and the operation behind which it is
/// freed; null for where its block starts.
struct Placement {
  Value memref;
  Block *block;
  Operation *after;
};

/// Lowers one operation. Relations and places are found by the constructor,
/// before anything is changed.
class DeallocLowering {
public:
  DeallocLowering(bufferization::DeallocOp op, BufferOrigins &origins,
                  BufferUses &uses)
      : op(op), loc(op.getLoc()), builder(op),
        ownership(op.getRetained().size()) {
    collectRelations(origins);
    for (Entry &entry : entries)
      if (!entry.isCompared && matchPattern(getCondition(entry), m_One()))
        if (Operation *last = uses.findLast(entry.memref, op->getBlock());
            !last || last->isBeforeInBlock(op))
          entry.placement = Placement{entry.memref, op->getBlock(), last};
  }

  void run(SmallVectorImpl<Placement> &placements) {
    for (Entry &entry : entries)
      entry.freed = compare(entry);
    for (Entry &entry : entries) {
      LDBG() << "the buffer" << tally::describePlace(entry.memref.getLoc())
             << (!entry.freed      ? " is kept by who retains it"
                 : entry.placement ? " is freed after its last use"
                                   : " is freed where its condition holds");
      if (entry.freed && entry.placement)
        placements.push_back(*entry.placement);
      else if (entry.freed)
        createFree(entry.memref, entry.freed);
    }
    for (auto [result, owned] :
         llvm::zip_equal(op.getUpdatedConditions(), ownership))
      if (!result.use_empty())
        result.replaceAllUsesWith(owned ? owned : createBool(false));
    llvm::SmallPtrSet<Operation *, 8> views;
    for (Value memref : op.getMemrefs())
      if (memref.getDefiningOp<memref::ExtractStridedMetadataOp>())
        views.insert(memref.getDefiningOp());
    op->erase();
    for (Operation *view : views)
      if (view->use_empty())
        view->erase();
  }

private:
  /// A memref that may be the same: its number of a memref, and whether it is
  /// for sure.
  struct Relative {
    unsigned index;
    bool isSame;
  };

  /// A memref that may be freed.
  struct Entry {
    Value memref;
    /// Its place among the operands: the condition may be the result of an
    /// operation that is lowered before.
    unsigned position;
    SmallVector<Relative, 1> retained, earlier;
    /// Whether it is the same as another one at run time only.
    bool isCompared = false;
    std::optional<Placement> placement;
    /// When it is freed; null for never.
    Value freed;
  };

  Value getCondition(const Entry &entry) {
    return op.getConditions()[entry.position];
  }

  /// The allocation that upstream's pass has taken the base of, to free it.
  static Value getOwner(Value memref) {
    Value root = BufferOrigins::getRoot(memref);
    if (root.getDefiningOp<memref::AllocOp>())
      return root;
    auto view = memref.getDefiningOp<memref::ExtractStridedMetadataOp>();
    return view ? view.getSource() : memref;
  }

  void collectRelations(BufferOrigins &origins) {
    llvm::DenseMap<const void *, SmallVector<unsigned, 2>> kept, freed;
    // A buffer has one owner, but a call may give one twice, and so may whoever
    // made this operation.
    auto getOwners = [](Value memref) -> const void * {
      Value root = BufferOrigins::getRoot(memref);
      return root.getDefiningOp<func::CallOp>() ? root.getDefiningOp()
                                                : root.getAsOpaquePointer();
    };
    for (auto [index, memref] : llvm::enumerate(op.getRetained()))
      kept[origins.getClass(memref)].push_back(index);
    for (auto [position, memref, condition] :
         llvm::enumerate(op.getMemrefs(), op.getConditions())) {
      if (matchPattern(condition, m_Zero()))
        continue;
      Entry entry;
      entry.memref = getOwner(memref);
      entry.position = position;
      const void *of = origins.getClass(memref);
      for (unsigned index : kept.lookup(of))
        if (auto relation = origins.relate(memref, op.getRetained()[index]);
            relation != Relation::Distinct) {
          entry.retained.push_back({index, relation == Relation::Same});
          entry.isCompared |= relation == Relation::Unknown;
        }
      for (unsigned index : freed[getOwners(memref)]) {
        auto relation = origins.relate(memref, entries[index].memref);
        entry.earlier.push_back({index, relation == Relation::Same});
        entry.isCompared = entries[index].isCompared = true;
      }
      freed[getOwners(memref)].push_back(entries.size());
      entries.push_back(std::move(entry));
    }
  }

  /// The address of the allocation that `memref` lies in.
  Value getPointer(Value memref) {
    Value &pointer = pointers[memref];
    if (!pointer) {
      Value base =
          memref::ExtractStridedMetadataOp::create(builder, loc, memref)
              .getBaseBuffer();
      pointer =
          memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, base);
    }
    return pointer;
  }

  Value isEqual(Value a, Value b) {
    Value first = getPointer(a), second = getPointer(b);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, first,
                                 second);
  }

  Value createBool(bool value) {
    return arith::ConstantIntOp::create(builder, loc, value, 1);
  }

  Value createNot(Value value) {
    return arith::XOrIOp::create(builder, loc, value, createBool(true));
  }

  Value createAnd(Value a, Value b) {
    return arith::AndIOp::create(builder, loc, a, b);
  }

  /// Gives what a memref owns to the first one that is retained and lies in it.
  /// Returns when it is freed: where it is owned, is not retained, and is not
  /// freed already under another name.
  Value compare(const Entry &entry) {
    Value freed = getCondition(entry);
    for (const Relative &relative : entry.retained) {
      Value moves = freed;
      if (relative.isSame) {
        freed = {};
      } else {
        Value same = isEqual(entry.memref, op.getRetained()[relative.index]);
        moves = createAnd(moves, same);
        freed = createAnd(freed, createNot(same));
      }
      Value &owned = ownership[relative.index];
      owned = owned ? arith::OrIOp::create(builder, loc, owned, moves) : moves;
      if (!freed)
        return {};
    }
    for (const Relative &relative : entry.earlier) {
      const Entry &other = entries[relative.index];
      if (!other.freed)
        continue;
      Value again = other.freed;
      if (!relative.isSame)
        again = createAnd(again, isEqual(entry.memref, other.memref));
      freed = createAnd(freed, createNot(again));
    }
    return freed;
  }

  void createFree(Value memref, Value condition) {
    if (matchPattern(condition, m_One())) {
      memref::DeallocOp::create(builder, loc, memref);
      return;
    }
    scf::IfOp::create(builder, loc, condition, [&](OpBuilder &inner, Location) {
      memref::DeallocOp::create(inner, loc, memref);
      scf::YieldOp::create(inner, loc);
    });
  }

  bufferization::DeallocOp op;
  Location loc;
  OpBuilder builder;
  SmallVector<Entry> entries;
  llvm::DenseMap<Value, Value> pointers;
  /// The owner of each retained memref; null for nobody yet.
  SmallVector<Value> ownership;
};
} // namespace

static void createFree(const Placement &placement) {
  OpBuilder builder(placement.memref.getContext());
  if (placement.after)
    builder.setInsertionPointAfter(placement.after);
  else
    builder.setInsertionPointToStart(placement.block);
  memref::DeallocOp::create(builder, placement.memref.getLoc(),
                            placement.memref);
}

LogicalResult tally::lowerDeallocations(Operation *root) {
  SmallVector<bufferization::DeallocOp> ops;
  root->walk([&](bufferization::DeallocOp op) { ops.push_back(op); });
  for (bufferization::DeallocOp op : ops)
    if (llvm::any_of(op->getOperandTypes(),
                     llvm::IsaPred<UnrankedMemRefType>)) {
      op.emitOpError("has operands without a rank; cast them to the rank "
                     "that they were allocated with");
      return failure();
    }
  if (ops.empty())
    return success();
  BufferOrigins origins(root);
  BufferUses uses(root, origins);
  std::vector<DeallocLowering> lowerings;
  for (bufferization::DeallocOp op : ops)
    lowerings.emplace_back(op, origins, uses);
  SmallVector<Placement> placements;
  for (DeallocLowering &lowering : lowerings)
    lowering.run(placements);
  for (const Placement &placement : placements)
    createFree(placement);
  return success();
}

namespace {
struct LowerDeallocationsPass
    : tally::impl::LowerDeallocationsBase<LowerDeallocationsPass> {
  void runOnOperation() override {
    if (failed(tally::lowerDeallocations(getOperation())))
      signalPassFailure();
  }
};

} // namespace
