//===- LowerDeallocations.cpp - Who frees a buffer, in straight-line code -===//
//
// See the description of the pass in Passes.td. Upstream's lowering keeps lists
// of pointers in memory and loops over them in a function of its own; a device
// has no such memory on the host, and most lists have one entry.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace tally {
#define GEN_PASS_DEF_LOWERDEALLOCATIONS
#include "tally/Codegen/Passes.h.inc"
} // namespace tally

using namespace mlir;

namespace {

/// Lowers one operation.
class DeallocLowering {
public:
  explicit DeallocLowering(bufferization::DeallocOp op)
      : op(op), loc(op.getLoc()), builder(op) {}

  void run() {
    if (!isTrivial()) {
      for (Value memref : op.getMemrefs())
        pointers.push_back(getPointer(memref));
      for (Value memref : op.getRetained())
        retained.push_back(getPointer(memref));
    }
    compare();
    for (auto [memref, condition] : llvm::zip_equal(op.getMemrefs(), frees))
      createFree(memref, condition);
    op->replaceAllUsesWith(ownership);
    op->erase();
  }

private:
  /// Returns whether there is nothing to compare.
  bool isTrivial() {
    return op.getRetained().empty() && op.getMemrefs().size() <= 1;
  }

  /// The address of the allocation that `memref` lies in.
  Value getPointer(Value memref) {
    Value base = memref::ExtractStridedMetadataOp::create(builder, loc, memref)
                     .getBaseBuffer();
    return memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, base);
  }

  Value isEqual(Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  }

  Value createNot(Value value) {
    Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
    return arith::XOrIOp::create(builder, loc, value, yes);
  }

  /// Finds who owns what is retained, and what is freed: what is owned, is not
  /// retained, and is not freed already under another name.
  void compare() {
    Value no;
    if (!op.getRetained().empty())
      no = arith::ConstantIntOp::create(builder, loc, 0, 1);
    ownership.assign(op.getRetained().size(), no);
    for (auto [index, condition] : llvm::enumerate(op.getConditions())) {
      Value freed = condition;
      for (auto [pointer, owned] : llvm::zip_equal(retained, ownership)) {
        Value same = isEqual(pointers[index], pointer);
        Value moves = arith::AndIOp::create(builder, loc, condition, same);
        owned = arith::OrIOp::create(builder, loc, owned, moves);
        freed = arith::AndIOp::create(builder, loc, freed, createNot(same));
      }
      for (size_t earlier = 0; earlier < index; ++earlier) {
        Value same = isEqual(pointers[index], pointers[earlier]);
        Value again = arith::AndIOp::create(builder, loc, frees[earlier], same);
        freed = arith::AndIOp::create(builder, loc, freed, createNot(again));
      }
      frees.push_back(freed);
    }
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
  SmallVector<Value> pointers;
  SmallVector<Value> retained;
  SmallVector<Value> ownership;
  SmallVector<Value> frees;
};

struct LowerDeallocationsPass
    : public tally::impl::LowerDeallocationsBase<LowerDeallocationsPass> {
  void runOnOperation() override {
    SmallVector<bufferization::DeallocOp> ops;
    getOperation()->walk(
        [&](bufferization::DeallocOp op) { ops.push_back(op); });
    for (bufferization::DeallocOp op : ops) {
      if (llvm::any_of(op->getOperandTypes(),
                       llvm::IsaPred<UnrankedMemRefType>)) {
        op.emitOpError("has operands without a rank; cast them to the rank "
                       "that they were allocated with");
        return signalPassFailure();
      }
      DeallocLowering(op).run();
    }
  }
};

} // namespace
