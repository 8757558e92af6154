//===- NestDivision.cpp - What threads share of a nest --------------------===//

#include "NestDivision.h"
#include "Schedules.h"
#include "tally/IR/Tally.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tally::codegen;

/// How an operation combines numbers, where they may be grouped in another way.
static std::optional<arith::AtomicRMWKind> getUpdateKind(Operation *op) {
  using Kind = arith::AtomicRMWKind;
  if (!op || op->getNumResults() != 1)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case<arith::AddIOp>([](auto) { return Kind::addi; })
      .Case<arith::MulIOp>([](auto) { return Kind::muli; })
      .Case<arith::MaxSIOp>([](auto) { return Kind::maxs; })
      .Case<arith::MinSIOp>([](auto) { return Kind::mins; })
      .Case<arith::MaxUIOp>([](auto) { return Kind::maxu; })
      .Case<arith::MinUIOp>([](auto) { return Kind::minu; })
      .Case<arith::AndIOp>([](auto) { return Kind::andi; })
      .Case<arith::OrIOp>([](auto) { return Kind::ori; })
      .Case<arith::AddFOp>([](auto) { return Kind::addf; })
      .Case<arith::MulFOp>([](auto) { return Kind::mulf; })
      .Case<arith::MaximumFOp>([](auto) { return Kind::maximumf; })
      .Case<arith::MinimumFOp>([](auto) { return Kind::minimumf; })
      .Default([](auto) { return std::nullopt; });
}

bool ElementUpdate::isAtomic() const {
  using Kind = arith::AtomicRMWKind;
  if (kind == Kind::maximumf || kind == Kind::minimumf)
    return getType().isF32() || getType().isF64();
  return (getType().isInteger(32) || getType().isInteger(64)) &&
         kind != Kind::muli;
}

bool ElementUpdate::isRoundedSum() const {
  return kind == arith::AtomicRMWKind::addf &&
         (getType().isF32() || getType().isF64());
}

NestDivision::NestDivision(const LoopNest &nest, BufferOrigins &origins,
                           bool inAnyOrder)
    : nest(nest), origins(origins), inAnyOrder(inAnyOrder),
      body(scf::ForOp(nest.getLoops().back()).getBody()) {
  for (unsigned loop = 0; loop < nest.getLoops().size(); ++loop)
    (nest.isIndependent(loop, origins) ? independent : others)
        .push_back(nest.getLoops()[loop]);
  if (others.empty())
    return;
  findUpdate();
  if (!isAtomic()) {
    findOwnership();
    anyStays = inAnyOrder && canAnyStay();
    if (!anyStays)
      return;
    ownership.reset();
  }
  independent.assign(nest.getLoops().begin(), nest.getLoops().end());
  others.clear();
}

bool NestDivision::isIndependentIndex(Value index) const {
  return llvm::any_of(independent, [&](scf::ForOp loop) {
    return loop.getInductionVar() == index;
  });
}

/// Nothing else may access the buffer, or use the element that is read.
void NestDivision::findUpdate() {
  SmallVector<memref::StoreOp> stores;
  body->walk([&](memref::StoreOp store) { stores.push_back(store); });
  scf::ForOp outer = nest.getLoops().front();
  if (stores.size() != 1 ||
      !outer.isDefinedOutsideOfLoop(stores.front().getMemRef()))
    return;
  memref::StoreOp store = stores.front();
  Operation *combiner = store.getValueToStore().getDefiningOp();
  std::optional<arith::AtomicRMWKind> kind = getUpdateKind(combiner);
  if (!kind || combiner->getBlock() != store->getBlock() ||
      !combiner->hasOneUse())
    return;
  for (Value operand : combiner->getOperands()) {
    auto load = operand.getDefiningOp<memref::LoadOp>();
    if (!load || load->getBlock() != store->getBlock() || !load->hasOneUse() ||
        load.getMemRef() != store.getMemRef() ||
        load.getIndices() != store.getIndices())
      continue;
    auto reads = llvm::make_filter_range(
        nest.getReads(), [&](const ElementAccess &read) {
          return !isDistinct(read.memref, store.getMemRef());
        });
    if (llvm::hasSingleElement(reads))
      update = ElementUpdate{load, combiner, store, *kind, std::nullopt};
  }
  Slice slice;
  if (update && store->getBlock() == body &&
      body->getOps<tally::AssertOp>().empty() &&
      addToSlice(slice, update->getOperand(), store.getMemRef()))
    update->slice = std::move(slice);
}

/// All accesses of the buffer that is written have to be at the same indices,
/// which an owner finds out before it does anything else.
void NestDivision::findOwnership() {
  if (nest.getWrites().empty())
    return;
  scf::ForOp outer = nest.getLoops().front();
  const ElementAccess &first = nest.getWrites().front();
  if (!outer.isDefinedOutsideOfLoop(first.memref) ||
      !LoopNest::hasOwnElements(first.memref))
    return;
  auto isSame = [&](const ElementAccess &other) {
    return other.memref == first.memref && other.indices == first.indices;
  };
  if (!llvm::all_of(nest.getWrites(), isSame) ||
      !llvm::all_of(nest.getReads(), [&](const ElementAccess &read) {
        return isSame(read) || isDistinct(read.memref, first.memref);
      }))
    return;
  Ownership found;
  found.buffer = first.memref;
  found.indices = first.indices;
  for (auto [dim, index] : llvm::enumerate(first.indices)) {
    if (isIndependentIndex(index) || outer.isDefinedOutsideOfLoop(index))
      continue;
    if (!addToSlice(found.slice, index, first.memref))
      return;
    found.places.push_back(index);
    found.dims.push_back(int64_t(dim));
  }
  if (!found.places.empty())
    ownership = std::move(found);
}

/// Adds what computes `value`; false if some of it depends on what is written,
/// or on an assert.
bool NestDivision::addToSlice(Slice &slice, Value value, Value written) const {
  Region *region = value.getParentRegion();
  if (region->isProperAncestor(body->getParent()) ||
      value == body->getArgument(0))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != body)
    return false;
  auto load = dyn_cast<memref::LoadOp>(op);
  if (load ? !isDistinct(load.getMemRef(), written)
           : op->getNumRegions() != 0 || !isPure(op))
    return false;
  bool isChecked =
      load && llvm::any_of(body->getOps<tally::AssertOp>(), [&](Operation *it) {
        return it->isBeforeInBlock(op);
      });
  if (isChecked || !llvm::all_of(op->getOperands(), [&](Value operand) {
        return addToSlice(slice, operand, written);
      }))
    return false;
  slice.insert(op);
  return true;
}

/// What an iteration asserts has to be asserted, even if its write is lost.
bool NestDivision::isOverwriting() const {
  return body->getOps<tally::AssertOp>().empty() && writesAnew();
}

bool NestDivision::writesAnew() const {
  return ownership && llvm::hasSingleElement(nest.getWrites()) &&
         llvm::hasSingleElement(body->getOps<memref::StoreOp>()) &&
         llvm::all_of(nest.getReads(), [&](const ElementAccess &read) {
           return isDistinct(read.memref, ownership->buffer);
         });
}

/// Whether each iteration writes an element anew, by one instruction.
bool NestDivision::canAnyStay() const {
  if (!writesAnew())
    return false;
  Type type = cast<MemRefType>(ownership->buffer.getType()).getElementType();
  return type.isIndex() ||
         (type.isIntOrFloat() && type.getIntOrFloatBitWidth() % 8 == 0 &&
          llvm::isPowerOf2_32(type.getIntOrFloatBitWidth()) &&
          type.getIntOrFloatBitWidth() <= 64);
}

void NestDivision::annotatePointers(gpu::GPUFuncOp function,
                                    ArrayRef<Value> buffers) const {
  auto unit = UnitAttr::get(function.getContext());
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    bool isApart = llvm::all_of(buffers, [&, buffer = buffer](Value other) {
      return other == buffer || isDistinct(other, buffer);
    });
    if (!isApart)
      continue;
    function.setArgAttr(index, "llvm.noalias", unit);
    if (llvm::none_of(nest.getWrites(),
                      [&, buffer = buffer](const ElementAccess &write) {
                        return write.memref == buffer;
                      }))
      function.setArgAttr(index, "llvm.readonly", unit);
  }
}

Value tally::codegen::createTripCount(OpBuilder &host, scf::ForOp loop) {
  Location loc = loop.getLoc();
  IndexMath math(host, loc);
  Value length = math.sub(loop.getUpperBound(), loop.getLowerBound());
  length = host.createOrFold<arith::MaxSIOp>(loc, length, math.constant(0));
  Value before = math.sub(loop.getStep(), math.constant(1));
  return host.createOrFold<arith::DivSIOp>(loc, math.add(length, before),
                                           loop.getStep());
}

llvm::SetVector<Value> tally::codegen::collectCaptures(scf::ForOp outer) {
  outer.walk([&](memref::GetGlobalOp global) { global->moveBefore(outer); });
  llvm::SetVector<Value> captures;
  captures.insert(outer->operand_begin(), outer->operand_end());
  getUsedValuesDefinedAbove(outer->getRegions(), captures);
  return captures;
}
