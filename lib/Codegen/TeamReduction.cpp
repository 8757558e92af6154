//===- TeamReduction.cpp - Threads that reduce together -------------------===//

#include "TeamReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tally::codegen;

static constexpr unsigned kWarpSize = 32;

unsigned TeamReduction::getNumThreads(Team team, unsigned blockSize) {
  return team == Team::Thread ? 1 : team == Team::Warp ? kWarpSize : blockSize;
}

TeamReduction::TeamReduction(OpBuilder &builder, Location loc,
                             gpu::GPUFuncOp function, Team team,
                             unsigned blockSize)
    : loc(loc), function(function), team(team), blockSize(blockSize) {
  IndexMath math(builder, loc);
  unsigned members = getNumThreads(team, blockSize);
  Value perBlock = math.constant(blockSize / members);
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value blocks = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  size = math.constant(members);
  if (team == Team::Block) {
    teamNumber = block;
    numTeams = blocks;
    member = thread;
    return;
  }
  teamNumber = math.add(math.mul(block, perBlock), math.div(thread, size));
  numTeams = math.mul(blocks, perBlock);
  member = isOneThread() ? math.constant(0) : math.rem(thread, size);
}

/// The value that the thread has whose number differs in one bit. Registers
/// hold 32 bits: smaller values are extended, larger ones taken apart.
Value TeamReduction::shuffle(OpBuilder &builder, Value value,
                             unsigned distance) const {
  Type type = value.getType();
  auto exchange = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(builder, loc, word, distance, kWarpSize,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (type.isF32() || type.isInteger(32))
    return exchange(value);
  if (type.isIndex()) {
    Type i64 = builder.getI64Type();
    Value bits = arith::IndexCastOp::create(builder, loc, i64, value);
    return arith::IndexCastOp::create(builder, loc, type,
                                      shuffle(builder, bits, distance));
  }
  if (isa<FloatType>(type)) {
    Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
    Value integer = arith::BitcastOp::create(builder, loc, bits, value);
    return arith::BitcastOp::create(builder, loc, type,
                                    shuffle(builder, integer, distance));
  }
  Type i32 = builder.getI32Type();
  if (type.getIntOrFloatBitWidth() < 32) {
    Value word = arith::ExtUIOp::create(builder, loc, i32, value);
    return arith::TruncIOp::create(builder, loc, type, exchange(word));
  }
  Value half = arith::ConstantIntOp::create(builder, loc, 32, 64);
  Value low = arith::TruncIOp::create(builder, loc, i32, value);
  Value high = arith::TruncIOp::create(
      builder, loc, i32, arith::ShRUIOp::create(builder, loc, value, half));
  low = arith::ExtUIOp::create(builder, loc, type, exchange(low));
  high = arith::ExtUIOp::create(builder, loc, type, exchange(high));
  high = arith::ShLIOp::create(builder, loc, high, half);
  return arith::OrIOp::create(builder, loc, low, high);
}

Value TeamReduction::reduceWarp(OpBuilder &builder, Value value,
                                Join join) const {
  for (unsigned distance = kWarpSize / 2; distance > 0; distance /= 2)
    value = join(value, shuffle(builder, value, distance));
  return value;
}

/// Every warp leaves its part in shared memory, and every thread joins them.
Value TeamReduction::reduceBlock(OpBuilder &builder, Value value,
                                 Join join) const {
  unsigned numWarps = blockSize / kWarpSize;
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({int64_t(numWarps)}, value.getType(),
                              MemRefLayoutAttrInterface(), space);
  gpu::GPUFuncOp kernel = function;
  Value parts = kernel.addWorkgroupAttribution(type, loc);
  IndexMath math(builder, loc);
  Value warpSize = math.constant(kWarpSize);
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                            math.rem(thread, warpSize), math.constant(0));
  auto branch = scf::IfOp::create(builder, loc, isFirst);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    memref::StoreOp::create(builder, loc, value, parts,
                            math.div(thread, warpSize));
  }
  gpu::BarrierOp::create(builder, loc);
  Value result;
  for (unsigned warp = 0; warp < numWarps; ++warp) {
    Value part =
        memref::LoadOp::create(builder, loc, parts, math.constant(warp));
    result = result ? join(result, part) : part;
  }
  // The next row writes there again.
  gpu::BarrierOp::create(builder, loc);
  return result;
}

Value TeamReduction::reduce(OpBuilder &builder, Value value, Join join) const {
  if (isOneThread())
    return value;
  value = reduceWarp(builder, value, join);
  return team == Team::Warp ? value : reduceBlock(builder, value, join);
}

void TeamReduction::enterOneMember(OpBuilder &builder) const {
  if (isOneThread())
    return;
  IndexMath math(builder, loc);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        member, math.constant(0));
  auto branch = scf::IfOp::create(builder, loc, isFirst);
  builder.setInsertionPointToStart(branch.thenBlock());
}
