//===- KernelSpace.cpp - What a kernel runs over --------------------------===//

#include "KernelSpace.h"

#include "ExponentialSums.h"
#include "KernelGroups.h"
#include "RepeatedWork.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

ArrayRef<int64_t> tally::codegen::getKernelDims(Operation *op) {
  auto dims = op->getAttrOfType<DenseI64ArrayAttr>(attr_names::kDims);
  return dims ? dims.asArrayRef() : ArrayRef<int64_t>();
}

Value tally::codegen::getBuffer(KernelOp kernel, BlockArgument argument) {
  return kernel->getOperand(kernel.getExtents().size() +
                            argument.getArgNumber());
}

KernelSpace::KernelSpace(KernelOp kernel, bool joinsSums) : kernel(kernel) {
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>())
    if (op->hasAttr(attr_names::kDims))
      ops.push_back(op);
  collectAccesses();
  orderDims();
  mergeDims();
  collectPhases(joinsSums);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void KernelSpace::collectAccesses() {
  for (linalg::GenericOp op : ops)
    for (OpOperand &operand : op->getOpOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand.get());
      bool isRead =
          op.isDpsInput(&operand) || op.payloadUsesValueFromOperand(&operand);
      if (argument && isRead && isa<RankedTensorType>(argument.getType()))
        reads.push_back(
            {op, op.getMatchingIndexingMap(&operand), argument, &operand});
    }
  for (auto [value, output] :
       llvm::zip_equal(kernel.getYielded(), kernel.getOutputArguments())) {
    auto result = cast<OpResult>(value);
    auto op = cast<linalg::GenericOp>(result.getOwner());
    writes.push_back({op, op.getIndexingMapMatchingResult(result), output});
  }
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// Appends the dimensions that an access walks through, in its order.
static void appendDims(const KernelAccess &access,
                       llvm::function_ref<void(unsigned)> append) {
  ArrayRef<int64_t> dims = getKernelDims(access.op);
  for (AffineExpr result : access.map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(result))
      append(dims[dim.getPosition()]);
}

/// Rows in the order in which they are written, what is reduced in the order in
/// which it is read.
void KernelSpace::orderDims() {
  unsigned count = kernel.getExtents().size();
  auto isReduced = [&](unsigned dim) {
    return llvm::is_contained(kernel.getReduced(), int64_t(dim));
  };
  auto append = [&](unsigned dim) {
    if (!llvm::is_contained(order, dim))
      order.push_back(dim);
  };
  for (const KernelAccess &write : writes)
    appendDims(write, [&](unsigned dim) {
      if (!isReduced(dim))
        append(dim);
    });
  for (unsigned dim = 0; dim < count; ++dim)
    if (!isReduced(dim))
      append(dim);
  for (const KernelAccess &read : reads)
    appendDims(read, [&](unsigned dim) {
      if (isReduced(dim))
        append(dim);
    });
  for (unsigned dim = 0; dim < count; ++dim)
    append(dim);
}

/// The size of a buffer, where it is told by an operation.
static OpFoldResult getSize(Value buffer, int64_t position) {
  if (auto alloc = buffer.getDefiningOp<memref::AllocOp>())
    return alloc.getMixedSizes()[position];
  Builder builder(buffer.getContext());
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(position))
    return builder.getIndexAttr(type.getDimSize(position));
  for (Operation *user : buffer.getUsers())
    if (auto dim = dyn_cast<memref::DimOp>(user);
        dim && dim.getConstantIndex() == position)
      return dim.getResult();
  return {};
}

/// Whether the elements at the end of a dimension are followed by those at the
/// next index of the dimension before it: in a buffer without gaps, and in a
/// part of one that has all of the dimension.
static bool isFollowedByNext(Value buffer, unsigned inner) {
  auto isIdentity = [](Value value) {
    return cast<MemRefType>(value.getType()).getLayout().isIdentity();
  };
  if (isIdentity(buffer))
    return true;
  auto part = buffer.getDefiningOp<memref::SubViewOp>();
  return part && isIdentity(part.getSource()) && part.hasUnitStride() &&
         part.getDroppedDims().none() &&
         isZeroInteger(part.getMixedOffsets()[inner]) &&
         part.getMixedSizes()[inner] == getSize(part.getSource(), inner);
}

/// Whether the access walks through `inner` and then `outer` without a gap, or
/// through neither.
static bool walksThroughBoth(const KernelAccess &access, int64_t outer,
                             int64_t inner) {
  ArrayRef<int64_t> dims = getKernelDims(access.op);
  std::optional<unsigned> outerAt, innerAt;
  for (auto [position, result] : llvm::enumerate(access.map.getResults()))
    for (auto [loop, dim] : llvm::enumerate(dims)) {
      if ((dim != outer && dim != inner) || !result.isFunctionOfDim(loop))
        continue;
      std::optional<unsigned> &at = dim == outer ? outerAt : innerAt;
      if (at || !isa<AffineDimExpr>(result))
        return false;
      at = position;
    }
  if (!outerAt && !innerAt)
    return true;
  if (!outerAt || !innerAt || *outerAt + 1 != *innerAt)
    return false;
  Value buffer =
      getBuffer(cast<KernelOp>(access.op->getParentOp()), access.operand);
  return isFollowedByNext(buffer, *innerAt);
}

bool KernelSpace::areOne(unsigned outer, unsigned inner) const {
  for (linalg::GenericOp op : ops) {
    bool needsIndex = op.getBody()
                          ->walk([&](linalg::IndexOp index) {
                            unsigned dim = getKernelDims(op)[index.getDim()];
                            return dim == outer || dim == inner
                                       ? WalkResult::interrupt()
                                       : WalkResult::advance();
                          })
                          .wasInterrupted();
    if (needsIndex)
      return false;
  }
  auto walks = [&](const KernelAccess &access) {
    return walksThroughBoth(access, outer, inner);
  };
  return llvm::all_of(reads, walks) && llvm::all_of(writes, walks);
}

void KernelSpace::mergeDims() {
  dimOf.resize(order.size());
  for (unsigned dim : order) {
    bool isReduced = llvm::is_contained(kernel.getReduced(), int64_t(dim));
    if (dims.empty() || dims.back().isReduced != isReduced ||
        !areOne(dims.back().dims.back(), dim))
      dims.push_back({{}, isReduced});
    dims.back().dims.push_back(dim);
    dimOf[dim] = dims.size() - 1;
  }
}

unsigned KernelSpace::getNumRowDims() const {
  return llvm::count_if(dims,
                        [](const ScheduleDim &dim) { return !dim.isReduced; });
}

unsigned KernelSpace::getDim(linalg::GenericOp op, unsigned loop) const {
  return dimOf[getKernelDims(op)[loop]];
}

bool KernelSpace::isInnermost(linalg::GenericOp op, unsigned loop) const {
  unsigned dim = getKernelDims(op)[loop];
  return dims[dimOf[dim]].dims.back() == dim;
}

bool KernelSpace::runsOver(linalg::GenericOp op, unsigned dim) const {
  return llvm::any_of(getKernelDims(op),
                      [&](int64_t own) { return dimOf[own] == dim; });
}

bool KernelSpace::isOfRow(linalg::GenericOp op) const {
  return op.getNumReductionLoops() > 0 ||
         llvm::none_of(getKernelDims(op),
                       [&](int64_t own) { return dims[dimOf[own]].isReduced; });
}

int64_t KernelSpace::getCodeSize() const {
  int64_t size = 0;
  for (linalg::GenericOp op : ops)
    size += codegen::getCodeSize(op);
  return size;
}

bool KernelSpace::hasLoops() const {
  return llvm::any_of(ops, [](linalg::GenericOp op) {
    return op.getBody()
        ->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
        .wasInterrupted();
  });
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

void KernelSpace::collectPhases(bool joinsSums) {
  for (linalg::GenericOp op : ops) {
    linalg::GenericOp maximum =
        joinsSums ? findMaximumOfSum(op) : linalg::GenericOp();
    if (maximum && !joinedSums.insert({maximum, op}).second)
      maximum = {};
    unsigned needed = maximum ? phase.at(maximum) : 0;
    for (Value operand : maximum ? ValueRange() : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      auto it = def ? phase.find(def) : phase.end();
      if (it == phase.end())
        continue;
      bool isReduction =
          cast<linalg::GenericOp>(def).getNumReductionLoops() > 0;
      needed = std::max(needed, it->second + (isReduction ? 1 : 0));
    }
    phase[op] = needed;
    if (op.getNumReductionLoops() == 0)
      continue;
    if (phases.size() <= needed)
      phases.resize(needed + 1);
    if (maximum)
      phases[needed].insert(std::next(llvm::find(phases[needed], maximum)), op);
    else
      phases[needed].push_back(op);
  }
}
