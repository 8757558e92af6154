//===- SchedulePointwise.cpp - Kernels without reductions -----------------===//

#include "Kernels/NarrowIndices.h"
#include "Kernels/PointEmitter.h"
#include "Schedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tally::codegen;

//===----------------------------------------------------------------------===//
// IndexMath
//===----------------------------------------------------------------------===//

Value IndexMath::constant(int64_t value) const {
  return arith::ConstantIndexOp::create(builder, loc, value);
}
Value IndexMath::add(Value a, Value b) const {
  return createOnIndices<arith::AddIOp>(builder, loc, isNarrow, a, b);
}
Value IndexMath::sub(Value a, Value b) const {
  return createOnIndices<arith::SubIOp>(builder, loc, isNarrow, a, b);
}
Value IndexMath::mul(Value a, Value b) const {
  return createOnIndices<arith::MulIOp>(builder, loc, isNarrow, a, b);
}
Value IndexMath::div(Value a, Value b) const {
  return createOnIndices<arith::DivUIOp>(builder, loc, isNarrow, a, b);
}
Value IndexMath::rem(Value a, Value b) const {
  return createOnIndices<arith::RemUIOp>(builder, loc, isNarrow, a, b);
}
Value IndexMath::ceilDiv(Value a, int64_t b) const {
  return b == 1 ? a : div(add(a, constant(b - 1)), constant(b));
}
Value IndexMath::min(Value a, Value b) const {
  return createOnIndices<arith::MinUIOp>(builder, loc, isNarrow, a, b);
}

Value IndexMath::product(ArrayRef<Value> factors) const {
  Value result;
  for (Value factor : factors)
    result = result ? mul(result, factor) : factor;
  return result ? result : constant(1);
}

SmallVector<Value> IndexMath::delinearize(Value number,
                                          ArrayRef<Value> extents) const {
  SmallVector<Value> indices(extents.size());
  for (unsigned dim = extents.size(); dim-- > 1;) {
    indices[dim] = rem(number, extents[dim]);
    number = div(number, extents[dim]);
  }
  if (!extents.empty())
    indices[0] = number;
  return indices;
}

SmallVector<Value> IndexMath::addIndices(ArrayRef<Value> a, ArrayRef<Value> b,
                                         ArrayRef<Value> extents) const {
  SmallVector<Value> sums(a.size());
  Value carry;
  for (unsigned dim = a.size(); dim-- > 0;) {
    Value sum = add(a[dim], b[dim]);
    if (carry)
      sum = add(sum, carry);
    sums[dim] = sum;
    if (dim == 0)
      break;
    Value ends = builder.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::uge, sum, extents[dim]);
    sums[dim] = builder.createOrFold<arith::SelectOp>(
        loc, ends, sub(sum, extents[dim]), sum);
    carry = builder.createOrFold<arith::SelectOp>(loc, ends, constant(1),
                                                  constant(0));
  }
  return sums;
}

void tally::codegen::choose(OpBuilder &host, Location loc, Value flag,
                            llvm::function_ref<void()> yes,
                            llvm::function_ref<void()> no) {
  APInt constant;
  if (matchPattern(flag, m_ConstantInt(&constant)))
    return constant.isZero() ? no() : yes();
  auto branch = scf::IfOp::create(host, loc, flag, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(host);
  host.setInsertionPointToStart(branch.thenBlock());
  yes();
  host.setInsertionPointToStart(branch.elseBlock());
  no();
}

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

/// The most operations of a point's bodies that a loop has where it takes
/// several points.
static constexpr int64_t kMaxUnrolledSize = 256;

namespace {

class PointwiseSchedule : public Schedule {
public:
  PointwiseSchedule(const KernelSpace &space, PointwiseWay way,
                    unsigned numThreads)
      : space(space), lanes(way.lanes), inOrder(way.inOrder),
        isNarrow(way.isNarrow), numThreads(numThreads), maxApart(way.maxApart) {
  }

  std::string getSuffix() const override {
    if (lanes == 1)
      return maxApart == 1 ? "_each" : isNarrow ? "_near" : "";
    return (inOrder ? "_flat_x" : "_x") + std::to_string(lanes);
  }
  unsigned getNumThreads() const override { return numThreads; }

  Value createNumBlocks(OpBuilder &host,
                        ArrayRef<Value> extents) const override {
    IndexMath math(host, space.getKernel()->getLoc());
    Value total = math.product(extents);
    unsigned count = getNumApart();
    if (count == 1)
      return math.ceilDiv(total, getNumThreads() * lanes);
    // What is left of the elements that are taken several at a time has as many
    // blocks as it needs.
    Value blocks =
        math.div(total, math.constant(int64_t(getNumThreads()) * count));
    return math.min(math.add(blocks, math.constant(count)),
                    math.ceilDiv(total, getNumThreads()));
  }

  void emit(const Kernel &kernel, OpBuilder &builder) const override {
    Location loc = space.getKernel()->getLoc();
    emitBlock(kernel, builder,
              gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x),
              gpu::GridDimOp::create(builder, loc, gpu::Dimension::x));
  }

  /// Emits what one of some blocks does.
  void emitBlock(const Kernel &kernel, OpBuilder &builder, Value block,
                 Value blocks) const {
    Location loc = space.getKernel()->getLoc();
    KernelOperands kernelOperands(space, kernel.map, builder, isNarrow);
    IndexMath math(builder, loc);
    SmallVector<Value> extents;
    for (unsigned dim = 0; dim < space.getDims().size(); ++dim)
      extents.push_back(kernelOperands.getExtent(dim));
    Value total = math.product(extents);
    Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
    Value threads = math.constant(getNumThreads());
    Value first = math.add(math.mul(block, threads), thread);
    Value count = math.mul(blocks, threads);
    // The elements that do not fill all lanes come after the rest.
    unsigned apart = getNumApart();
    Value width = math.constant(lanes);
    Value chunk = math.mul(threads, math.constant(apart));
    Value rest = math.rem(total, apart > 1 ? chunk : width);
    Value full = math.sub(total, rest);
    if (apart > 1)
      emitLoop(builder, kernelOperands, extents,
               math.add(math.mul(block, chunk), thread), full,
               math.mul(blocks, chunk), 1, apart);
    else
      emitLoop(builder, kernelOperands, extents, math.mul(first, width), full,
               math.mul(count, width), lanes, 1);
    // The last threads take them, which have nothing else to do where there
    // are few.
    if (apart > 1 || (lanes > 1 && (inOrder || extents.size() == 1))) {
      Value fromEnd = math.sub(count, math.add(first, math.constant(1)));
      emitLoop(builder, kernelOperands, extents, math.add(full, fromEnd), total,
               count, 1, 1);
    }
  }

private:
  /// How many elements, as far apart as a block has threads, a thread takes at
  /// once where it takes no neighbors: as many as keep memory busy.
  unsigned getNumApart() const {
    int64_t size = space.getCodeSize();
    unsigned count = lanes == 1 && !space.hasLoops() ? maxApart : 1;
    while (count > 1 && size * count > kMaxUnrolledSize)
      count /= 2;
    return count;
  }

  /// The indices of the lanes from `first` on.
  SmallVector<SmallVector<Value>> getAdjacent(OpBuilder &builder, Location loc,
                                              ArrayRef<Value> first,
                                              ArrayRef<Value> extents) const {
    SmallVector<SmallVector<Value>> points = {SmallVector<Value>(first)};
    IndexMath math(builder, loc, isNarrow);
    for (unsigned lane = 1; lane < lanes; ++lane) {
      SmallVector<Value> indices = points.back();
      Value more = math.constant(1);
      for (unsigned dim = indices.size(); dim-- > 0;) {
        Value next = math.add(indices[dim], more);
        if (dim == 0) {
          indices[dim] = next;
          break;
        }
        Value ends = builder.createOrFold<arith::CmpIOp>(
            loc, arith::CmpIPredicate::eq, next, extents[dim]);
        indices[dim] = builder.createOrFold<arith::SelectOp>(
            loc, ends, math.constant(0), next);
        more = builder.createOrFold<arith::SelectOp>(
            loc, ends, math.constant(1), math.constant(0));
      }
      points.push_back(indices);
    }
    return points;
  }

  void emitLoop(OpBuilder &builder, const KernelOperands &kernelOperands,
                ArrayRef<Value> extents, Value begin, Value end, Value step,
                unsigned width, unsigned apart) const {
    Location loc = kernelOperands.getLoc();
    IndexMath math(builder, loc, isNarrow);
    SmallVector<Value> distance;
    if (apart > 1)
      distance = math.delinearize(math.constant(getNumThreads()), extents);
    auto loop = scf::ForOp::create(builder, loc, begin, end, step);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> indices =
        math.delinearize(loop.getInductionVar(), extents);
    for (unsigned at = 0; at < apart; ++at) {
      Point point;
      point.indices = indices;
      point.lanes = width;
      point.laneDim = extents.empty() ? 0 : extents.size() - 1;
      if (inOrder && width > 1)
        point.laneIndices = getAdjacent(builder, loc, point.indices, extents);
      RowValues rows;
      PointEmitter emitter(builder, kernelOperands, rows, point);
      for (auto [access, value] :
           llvm::zip_equal(space.getWrites(), space.getKernel().getYielded()))
        emitter.store(access, emitter.get(value));
      if (at + 1 < apart)
        indices = math.addIndices(indices, distance, extents);
    }
  }

  const KernelSpace &space;
  unsigned lanes;
  /// Whether lanes follow each other in the order of all points.
  bool inOrder, isNarrow;
  unsigned numThreads;
  unsigned maxApart;
};

} // namespace

std::unique_ptr<Schedule>
tally::codegen::createPointwiseSchedule(const KernelSpace &space,
                                        PointwiseWay way, unsigned numThreads) {
  return std::make_unique<PointwiseSchedule>(space, way, numThreads);
}

void tally::codegen::emitPoints(const KernelSpace &space, PointwiseWay way,
                                unsigned numThreads, const Kernel &kernel,
                                OpBuilder &builder, Value block, Value blocks) {
  PointwiseSchedule(space, way, numThreads)
      .emitBlock(kernel, builder, block, blocks);
}
