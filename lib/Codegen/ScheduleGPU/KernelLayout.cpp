//===- KernelLayout.cpp - How the operands of a kernel lie ----------------===//

#include "KernelLayout.h"

#include "Kernels/NarrowIndices.h"
#include "Kernels/PointEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

/// The widest access, and the most neighbors that a thread takes: of those of
/// which nothing is computed, and of others.
static constexpr unsigned kAccessBytes = 16;
static constexpr unsigned kMaxCopied = 16;
static constexpr unsigned kMaxLanes = 8;

static unsigned getElementBytes(const KernelAccess &access) {
  auto type = cast<ShapedType>(access.operand.getType());
  Type element = type.getElementType();
  return element.isIndex() ? 8 : (element.getIntOrFloatBitWidth() + 7) / 8;
}

void KernelLayout::createExtents() {
  for (const ScheduleDim &dim : space.getDims()) {
    SmallVector<Value> parts;
    for (unsigned part : dim.dims)
      parts.push_back(kernel.getExtents()[part]);
    extents.push_back(math.product(parts));
  }
}

/// Operands that only tell the size of a window are not.
static bool isAccessed(const KernelAccess &access) {
  linalg::GenericOp op = access.op;
  return !access.use || op.payloadUsesValueFromOperand(access.use);
}

SmallVector<KernelAccess>
KernelLayout::getContiguousAccesses(unsigned dim) const {
  SmallVector<KernelAccess> accesses;
  for (ArrayRef<KernelAccess> list : {space.getReads(), space.getWrites()})
    for (const KernelAccess &access : list)
      if (isAccessed(access) &&
          canVectorize(
              cast<ShapedType>(access.operand.getType()).getElementType()) &&
          getLaneLayout(space, access, dim) == LaneLayout::Contiguous)
        accesses.push_back(access);
  return accesses;
}

/// A number that is known to divide how often a dimension runs.
int64_t KernelLayout::getDivisor(unsigned dim) const {
  KernelOp op = kernel;
  ArrayRef<int64_t> divisors = op.getDivisors();
  int64_t divisor = 1;
  if (!divisors.empty())
    for (unsigned part : space.getDims()[dim].dims)
      divisor = std::max(divisor, divisors[part]);
  return divisor;
}

/// How many neighbors a thread takes: as many as the widest access holds.
unsigned KernelLayout::chooseLanes(unsigned dim) const {
  unsigned bytes = 0;
  for (const KernelAccess &access : getContiguousAccesses(dim))
    bytes = std::max(bytes, getElementBytes(access));
  unsigned most = space.getCodeSize() <= 1 ? kMaxCopied : kMaxLanes;
  return bytes ? std::min(kAccessBytes / bytes, most) : 1;
}

/// Collects the sizes that must be multiples of the lanes, so that every access
/// starts at one.
void KernelLayout::collectMultiples(const KernelAccess &access, unsigned dim,
                                    bool hasFullRows,
                                    SmallVectorImpl<OpFoldResult> &numbers) {
  auto type = cast<MemRefType>(getBuffer(kernel, access.operand).getType());
  // All strides of a buffer without gaps are multiples of its rows.
  if (hasFullRows && type.getLayout().isIdentity())
    return;
  auto metadata = memref::ExtractStridedMetadataOp::create(
      host, loc, getBuffer(kernel, access.operand));
  numbers.push_back(metadata.getConstifiedMixedOffset());
  SmallVector<OpFoldResult> strides = metadata.getConstifiedMixedStrides();
  for (auto [position, result] : llvm::enumerate(access.map.getResults())) {
    if (auto constant = dyn_cast<AffineConstantExpr>(result);
        constant && constant.getValue() == 0)
      continue;
    auto loop = dyn_cast<AffineDimExpr>(result);
    if (loop && (space.getDim(access.op, loop.getPosition()) == dim ||
                 !space.isInnermost(access.op, loop.getPosition())))
      continue;
    numbers.push_back(strides[position]);
  }
}

/// Whether all accesses along `dim` can be `lanes` wide.
Value KernelLayout::createIsAligned(unsigned dim, unsigned lanes,
                                    bool needsFullRows) {
  Value zero = math.constant(0);
  SmallVector<OpFoldResult> numbers;
  if (needsFullRows && getDivisor(dim) % lanes != 0)
    numbers.push_back(extents[dim]);
  // Bits that must not be set, by the mask of what they are bits of.
  llvm::MapVector<unsigned, Value> bits;
  auto add = [&](unsigned mask, Value value) {
    Value &sum = bits[mask];
    sum = sum ? host.createOrFold<arith::OrIOp>(loc, sum, value) : value;
  };
  for (const KernelAccess &access : getContiguousAccesses(dim)) {
    collectMultiples(access, dim, needsFullRows, numbers);
    Value buffer = getBuffer(kernel, access.operand);
    // The runtime aligns what it allocates.
    if (buffer.getDefiningOp<memref::AllocOp>())
      continue;
    add(lanes * getElementBytes(access) - 1,
        memref::ExtractAlignedPointerAsIndexOp::create(host, loc, buffer));
  }
  bool isNever = false;
  for (OpFoldResult number : numbers) {
    if (std::optional<int64_t> constant = getConstantIntValue(number))
      isNever |= *constant % lanes != 0;
    else
      add(lanes - 1, cast<Value>(number));
  }
  Value isAligned = arith::ConstantIntOp::create(host, loc, isNever ? 0 : 1, 1);
  if (isNever)
    return isAligned;
  for (auto [mask, value] : bits) {
    Value rest = arith::AndIOp::create(host, loc, value, math.constant(mask));
    Value ok =
        arith::CmpIOp::create(host, loc, arith::CmpIPredicate::eq, rest, zero);
    isAligned = host.createOrFold<arith::AndIOp>(loc, isAligned, ok);
  }
  return isAligned;
}

/// Whether accesses to buffers whose elements are taken in their order can be
/// `lanes` wide.
Value KernelLayout::createIsInOrder(unsigned lanes) {
  Value isAligned = arith::ConstantIntOp::create(host, loc, 1, 1);
  for (ArrayRef<KernelAccess> list : {space.getReads(), space.getWrites()})
    for (const KernelAccess &access : list) {
      Value buffer = getBuffer(kernel, access.operand);
      if (!isInOrder(space, access) || buffer.getDefiningOp<memref::AllocOp>())
        continue;
      Value address =
          memref::ExtractAlignedPointerAsIndexOp::create(host, loc, buffer);
      Value rest =
          math.rem(address, math.constant(lanes * getElementBytes(access)));
      isAligned = host.createOrFold<arith::AndIOp>(
          loc, isAligned, compare(arith::CmpIPredicate::eq, rest, 0));
    }
  return isAligned;
}

/// Whether the numbers of all points, and the places of all elements in
/// buffers, fit 32 bits.
Value KernelLayout::createIsNarrow() {
  Value isNarrow =
      compare(arith::CmpIPredicate::ult, math.product(extents), kMaxNarrow);
  llvm::SmallSetVector<Value, 8> buffers;
  for (ValueRange operands :
       {ValueRange(kernel.getInputs()), ValueRange(kernel.getOutputs())})
    for (Value operand : operands)
      if (isa<MemRefType>(operand.getType()))
        buffers.insert(operand);
  for (Value buffer : buffers) {
    auto metadata = memref::ExtractStridedMetadataOp::create(host, loc, buffer);
    auto get = [&](OpFoldResult number) {
      return getValueOrCreateConstantIndexOp(host, loc, number);
    };
    Value end = get(metadata.getConstifiedMixedOffset());
    for (auto [size, stride] :
         llvm::zip_equal(metadata.getConstifiedMixedSizes(),
                         metadata.getConstifiedMixedStrides()))
      end = math.add(end, math.mul(get(size), get(stride)));
    isNarrow = host.createOrFold<arith::AndIOp>(
        loc, isNarrow, compare(arith::CmpIPredicate::ult, end, kMaxNarrow));
  }
  return isNarrow;
}

/// How a kernel without reductions may run, the best way first: the last one
/// always fits.
SmallVector<PointwiseWay> KernelLayout::getPointwiseWays() const {
  SmallVector<PointwiseWay> ways;
  unsigned lanes =
      extents.empty() || space.hasLoops() ? 1 : chooseLanes(extents.size() - 1);
  if (lanes > 1)
    ways.push_back({lanes, /*inOrder=*/false});
  bool areInOrder =
      extents.size() > 1 &&
      llvm::all_of(space.getWrites(), [&](const KernelAccess &write) {
        return isInOrder(space, write);
      });
  if (lanes > 1 && areInOrder)
    ways.push_back({lanes, /*inOrder=*/true, /*isNarrow=*/true});
  // An index for each of several dimensions is worth to be computed fast.
  if (extents.size() > 1 && !space.hasLoops())
    ways.push_back({1, /*inOrder=*/false, /*isNarrow=*/true});
  ways.push_back({});
  return ways;
}

/// Whether sizes and addresses allow a way that is not the last one.
Value KernelLayout::createFits(PointwiseWay way) {
  if (way.isNarrow && way.lanes == 1)
    return createIsNarrow();
  if (way.inOrder)
    return host.createOrFold<arith::AndIOp>(loc, createIsInOrder(way.lanes),
                                            createIsNarrow());
  return createIsAligned(extents.size() - 1, way.lanes,
                         /*needsFullRows=*/extents.size() > 1);
}

/// Whether rows are windows of so few elements that a thread takes one: those
/// next to each other share elements.
bool KernelLayout::readsSmallWindows() const {
  int64_t length = 1;
  for (Value extent : ArrayRef(extents).drop_front(space.getNumRowDims())) {
    std::optional<int64_t> constant = getConstantIntValue(extent);
    if (!constant || llvm::MulOverflow(length, *constant, length))
      return false;
  }
  return length <= kMaxThreadRow &&
         llvm::any_of(space.getReads(), [&](const KernelAccess &access) {
           return isAccessed(access) && !access.map.isProjectedPermutation();
         });
}

/// Whether neighbors in memory are mostly elements of one row.
bool KernelLayout::isWalkedAlongRows() const {
  unsigned rows = space.getNumRowDims();
  if (rows == 0)
    return true;
  if (readsSmallWindows())
    return false;
  // An access with one element for a row tells nothing.
  auto countAlong = [&](unsigned dim) {
    return llvm::count_if(getContiguousAccesses(dim),
                          [&](const KernelAccess &access) {
                            return differsInRow(access);
                          }) +
           countLookupsAlong(dim);
  };
  return countAlong(extents.size() - 1) > countAlong(rows - 1);
}

/// Whether an access has more than one element for a row.
bool KernelLayout::differsInRow(const KernelAccess &access) const {
  for (unsigned dim = space.getNumRowDims(); dim < extents.size(); ++dim)
    if (getLaneLayout(space, access, dim) != LaneLayout::Same)
      return true;
  return false;
}

/// Whether bodies look up all that they read of a row.
bool KernelLayout::readsRowsByLookup() const {
  auto differs = [&](const KernelAccess &access) {
    return isAccessed(access) && differsInRow(access);
  };
  return llvm::none_of(space.getReads(), differs) &&
         llvm::none_of(space.getWrites(), differs);
}

/// How many lookups of elements of rows read neighbors in memory along a
/// dimension: the last index is that of the point.
int64_t KernelLayout::countLookupsAlong(unsigned dim) const {
  int64_t count = 0;
  for (linalg::GenericOp op : space.getOps()) {
    if (space.isOfRow(op) && op.getNumReductionLoops() == 0)
      continue;
    for (auto extract : op.getBody()->getOps<tensor::ExtractOp>()) {
      auto table = dyn_cast<BlockArgument>(extract.getTensor());
      if (!table || extract.getIndices().empty())
        continue;
      auto index = extract.getIndices().back().getDefiningOp<linalg::IndexOp>();
      auto type = dyn_cast<MemRefType>(getBuffer(kernel, table).getType());
      count += index && type && type.isLastDimUnitStride() &&
               space.getDim(op, index.getDim()) == dim &&
               space.isInnermost(op, index.getDim());
    }
  }
  return count;
}
