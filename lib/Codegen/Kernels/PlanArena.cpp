//===- PlanArena.cpp - One allocation for the buffers of a call -----------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Kernels/Passes.h"
#include "tally/Codegen/Kernels/Transforms.h"
#include "tally/IR/Tally.h"
#include "tally/IR/TallyFFTOps.h"
#include "tally/Runtime/tally_runtime.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tally/Analysis/ScopedFacts.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_PLANARENA
#include "tally/Codegen/Kernels/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-plan-arena"

using namespace mlir;

namespace {

/// A buffer that can be part of an arena.
struct Buffer {
  memref::AllocOp alloc;
  memref::DeallocOp dealloc;
  /// The last operation of the block that uses it.
  Operation *lastUse;
};

/// Finds the buffers of one block.
class BufferFinder {
public:
  explicit BufferFinder(Block &block) : block(block) {}

  /// Nothing if `alloc` is not freed here for sure, or is not seen through.
  std::optional<Buffer> find(memref::AllocOp alloc) {
    Buffer buffer{alloc, nullptr, alloc};
    if (!alloc.getType().getLayout().isIdentity() ||
        getElementBytes(alloc.getType()) == 0 ||
        alloc.getAlignment().value_or(1) >
            uint64_t(TALLY_RT_DEVICE_ALIGNMENT) ||
        !followUses(alloc, buffer) || !buffer.dealloc)
      return std::nullopt;
    return buffer;
  }

  /// 0 for an element that is no number.
  static int64_t getElementBytes(MemRefType type) {
    Type element = type.getElementType();
    if (element.isIndex())
      return 8;
    return element.isIntOrFloat()
               ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
               : 0;
  }

private:
  bool followUses(Value value, Buffer &buffer) {
    for (Operation *user : value.getUsers()) {
      if (auto dealloc = dyn_cast<memref::DeallocOp>(user)) {
        if (value != buffer.alloc.getResult() || buffer.dealloc ||
            user->getBlock() != &block)
          return false;
        buffer.dealloc = dealloc;
        continue;
      }
      if (!isUse(user) && !isa<ViewLikeOpInterface>(user))
        return false;
      Operation *place = block.findAncestorOpInBlock(*user);
      if (!place)
        return false;
      if (buffer.lastUse->isBeforeInBlock(place))
        buffer.lastUse = place;
      if (isa<ViewLikeOpInterface>(user))
        for (Value result : user->getResults())
          if (isa<BaseMemRefType>(result.getType()) &&
              !followUses(result, buffer))
            return false;
    }
    return true;
  }

  /// Returns true for an operation that reads or writes a buffer and does not
  /// keep
  /// it.
  static bool isUse(Operation *op) {
    return isa<gpu::LaunchFuncOp, memref::CopyOp, memref::DimOp,
               tally::ContractOp, tally::FFTOp, tally::KernelOp,
               tally::MatmulOp, tally::ReadBackOp>(op);
  }

  Block &block;
};

/// Puts buffers into one allocation.
class Arena {
public:
  explicit Arena(memref::AllocOp first)
      : first(first), loc(first.getLoc()), builder(first) {}

  /// Takes a buffer if its size can be computed where the arena is.
  bool add(Buffer buffer) {
    llvm::SetVector<Operation *> needed;
    for (Value size : buffer.alloc.getDynamicSizes())
      if (!collect(size, needed))
        return false;
    // Operands come before their users.
    for (Operation *op : needed)
      op->moveBefore(first);
    buffers.push_back(buffer);
    return true;
  }

  size_t size() const { return buffers.size(); }

  void create() {
    type = builder.getI64Type();
    overflow = arith::ConstantIntOp::create(builder, loc, 0, 1);
    Value total = constant(0);
    SmallVector<std::pair<Buffer, Value>> slots;
    SmallVector<Value> offsets;
    for (Buffer &buffer : buffers) {
      auto *slot = llvm::find_if(slots, [&](const auto &entry) {
        return entry.first.lastUse->isBeforeInBlock(buffer.alloc) &&
               haveSameSize(entry.first.alloc, buffer.alloc);
      });
      if (slot != slots.end()) {
        slot->first = buffer;
        offsets.push_back(slot->second);
        continue;
      }
      slots.push_back({buffer, total});
      offsets.push_back(total);
      total = add(total, createSlotBytes(buffer.alloc));
    }
    replaceAll(allocate(total), offsets);
  }

private:
  /// Finds the operations after the start of the arena that compute `value`;
  /// false if one of them has effects, or may not run ahead of its time.
  bool collect(Value value, llvm::SetVector<Operation *> &needed) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != first->getBlock() ||
        op->isBeforeInBlock(first))
      return true;
    if (op == first || op->getNumRegions() != 0 || !isPure(op))
      return false;
    if (!llvm::all_of(op->getOperands(),
                      [&](Value operand) { return collect(operand, needed); }))
      return false;
    needed.insert(op);
    return true;
  }

  static bool haveSameSize(memref::AllocOp a, memref::AllocOp b) {
    return a.getType() == b.getType() &&
           a.getDynamicSizes() == b.getDynamicSizes();
  }

  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }

  Value isEqual(Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  }

  void noteOverflow(Value flag) {
    overflow = arith::OrIOp::create(builder, loc, overflow, flag);
  }

  Value add(Value a, Value b) {
    auto sum = arith::AddUIExtendedOp::create(builder, loc, a, b);
    noteOverflow(sum.getOverflow());
    return sum.getSum();
  }

  /// The bytes of a buffer, up to the next aligned address. 0 if a size is 0,
  /// even if the product of others does not fit.
  Value createSlotBytes(memref::AllocOp alloc) {
    MemRefType memref = alloc.getType();
    int64_t fixed = BufferFinder::getElementBytes(memref);
    for (int64_t size : memref.getShape())
      if (!ShapedType::isDynamic(size))
        fixed *= size;
    Value bytes = constant(fixed), zero = constant(0);
    Value outer = overflow;
    overflow = arith::ConstantIntOp::create(builder, loc, 0, 1);
    Value isEmpty = isEqual(bytes, zero);
    for (Value size : alloc.getDynamicSizes()) {
      Value number = arith::IndexCastOp::create(builder, loc, type, size);
      isEmpty =
          arith::OrIOp::create(builder, loc, isEmpty, isEqual(number, zero));
      auto product =
          arith::MulUIExtendedOp::create(builder, loc, bytes, number);
      bytes = product.getLow();
      noteOverflow(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                         product.getHigh(), zero));
    }
    Value up = add(bytes, constant(TALLY_RT_DEVICE_ALIGNMENT - 1));
    Value aligned = arith::AndIOp::create(builder, loc, up,
                                          constant(-TALLY_RT_DEVICE_ALIGNMENT));
    Value no = arith::ConstantIntOp::create(builder, loc, 0, 1);
    Value mine = arith::SelectOp::create(builder, loc, isEmpty, no, overflow);
    overflow = arith::OrIOp::create(builder, loc, outer, mine);
    return arith::SelectOp::create(builder, loc, isEmpty, zero, aligned);
  }

  /// A sum that does not fit asks for -1 bytes, which the runtime refuses.
  Value allocate(Value total) {
    Value bytes =
        arith::SelectOp::create(builder, loc, overflow, constant(-1), total);
    Value size =
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), bytes);
    return memref::AllocOp::create(
        builder, loc,
        MemRefType::get({ShapedType::kDynamic}, builder.getI8Type()), size,
        builder.getI64IntegerAttr(TALLY_RT_DEVICE_ALIGNMENT));
  }

  void replaceAll(Value arena, ArrayRef<Value> offsets) {
    Operation *last = buffers.front().dealloc;
    for (Buffer &buffer : buffers)
      if (last->isBeforeInBlock(buffer.dealloc))
        last = buffer.dealloc;
    builder.setInsertionPointAfter(last);
    memref::DeallocOp::create(builder, loc, arena);
    for (auto &&[buffer, offset] : llvm::zip_equal(buffers, offsets)) {
      buffer.dealloc.erase();
      OpBuilder at(buffer.alloc);
      Value position = arith::IndexCastOp::create(at, buffer.alloc.getLoc(),
                                                  at.getIndexType(), offset);
      Value view = memref::ViewOp::create(
          at, buffer.alloc.getLoc(), buffer.alloc.getType(), arena, position,
          buffer.alloc.getDynamicSizes());
      buffer.alloc.replaceAllUsesWith(view);
      buffer.alloc.erase();
    }
  }

  memref::AllocOp first;
  Location loc;
  OpBuilder builder;
  Type type;
  Value overflow;
  SmallVector<Buffer> buffers;
};
} // namespace

static bool hasCheck(Operation &op) {
  return op
      .walk([](Operation *inner) {
        return isa<tally::AssertOp, tally::CheckDeviceOp, func::CallOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Makes an arena of buffers between two checks, if there are several.
static void plan(ArrayRef<Buffer> buffers) {
  if (buffers.size() < 2)
    return;
  Arena arena(buffers.front().alloc);
  for (const Buffer &buffer : buffers)
    arena.add(buffer);
  LDBG() << arena.size() << " of " << buffers.size()
         << " buffers between two checks share an allocation"
         << tally::describePlace(buffers.front().lastUse->getLoc());
  if (arena.size() > 1)
    arena.create();
}

void tally::planArena(func::FuncOp function) {
  if (function.isExternal())
    return;
  Block &block = function.front();
  BufferFinder finder(block);
  // A buffer behind a check is not allocated before it: the error would be
  // another one.
  SmallVector<SmallVector<Buffer>> groups(1);
  for (Operation &op : block) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      if (std::optional<Buffer> buffer = finder.find(alloc))
        groups.back().push_back(*buffer);
    } else if (hasCheck(op)) {
      groups.emplace_back();
    }
  }
  for (ArrayRef<Buffer> buffers : groups)
    plan(buffers);
}

namespace {
struct PlanArenaPass : tally::impl::PlanArenaBase<PlanArenaPass> {
  void runOnOperation() override { tally::planArena(getOperation()); }
};

} // namespace
