//===- SchedulePointwise.cpp - Kernels without reductions -----------------===//

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
  return builder.createOrFold<arith::AddIOp>(loc, a, b);
}
Value IndexMath::sub(Value a, Value b) const {
  return builder.createOrFold<arith::SubIOp>(loc, a, b);
}
Value IndexMath::mul(Value a, Value b) const {
  return builder.createOrFold<arith::MulIOp>(loc, a, b);
}
Value IndexMath::div(Value a, Value b) const {
  return builder.createOrFold<arith::DivUIOp>(loc, a, b);
}
Value IndexMath::rem(Value a, Value b) const {
  return builder.createOrFold<arith::RemUIOp>(loc, a, b);
}
Value IndexMath::ceilDiv(Value a, int64_t b) const {
  return b == 1 ? a : div(add(a, constant(b - 1)), constant(b));
}
Value IndexMath::min(Value a, Value b) const {
  return builder.createOrFold<arith::MinUIOp>(loc, a, b);
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

namespace {

class PointwiseSchedule : public Schedule {
public:
  PointwiseSchedule(const KernelSpace &space, unsigned lanes)
      : space(space), lanes(lanes) {}

  std::string getSuffix() const override {
    return lanes == 1 ? "" : "_x" + std::to_string(lanes);
  }
  unsigned getNumThreads() const override { return 256; }

  Value createNumBlocks(OpBuilder &host,
                        ArrayRef<Value> extents) const override {
    IndexMath math(host, space.getKernel()->getLoc());
    return math.ceilDiv(math.product(extents), getNumThreads() * lanes);
  }

  void emit(const Kernel &kernel, OpBuilder &builder) const override {
    Location loc = space.getKernel()->getLoc();
    KernelOperands kernelOperands(space, kernel.map, builder);
    IndexMath math(builder, loc);
    SmallVector<Value> extents;
    for (unsigned dim = 0; dim < space.getDims().size(); ++dim)
      extents.push_back(kernelOperands.getExtent(dim));
    Value total = math.product(extents);
    Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
    Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
    Value threads = math.constant(getNumThreads());
    Value first = math.add(math.mul(block, threads), thread);
    Value count = math.mul(
        gpu::GridDimOp::create(builder, loc, gpu::Dimension::x), threads);
    Value width = math.constant(lanes);
    // The elements that do not fill all lanes come after the rest.
    Value rest = math.rem(total, width);
    Value full = math.sub(total, rest);
    emitLoop(builder, kernelOperands, extents, math.mul(first, width), full,
             math.mul(count, width), lanes);
    if (lanes > 1 && extents.size() == 1)
      emitLoop(builder, kernelOperands, extents, math.add(full, first), total,
               count, 1);
  }

private:
  void emitLoop(OpBuilder &builder, const KernelOperands &kernelOperands,
                ArrayRef<Value> extents, Value begin, Value end, Value step,
                unsigned width) const {
    auto loop =
        scf::ForOp::create(builder, kernelOperands.getLoc(), begin, end, step);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    IndexMath math(builder, kernelOperands.getLoc());
    Point point;
    point.indices = math.delinearize(loop.getInductionVar(), extents);
    point.lanes = width;
    point.laneDim = extents.empty() ? 0 : extents.size() - 1;
    RowValues rows;
    PointEmitter emitter(builder, kernelOperands, rows, point);
    for (auto [access, value] :
         llvm::zip_equal(space.getWrites(), space.getKernel().getYielded()))
      emitter.store(access, emitter.get(value));
  }

  const KernelSpace &space;
  unsigned lanes;
};

} // namespace

std::unique_ptr<Schedule>
tally::codegen::createPointwiseSchedule(const KernelSpace &space,
                                        unsigned lanes) {
  return std::make_unique<PointwiseSchedule>(space, lanes);
}
