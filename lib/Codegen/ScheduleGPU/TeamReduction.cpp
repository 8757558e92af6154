//===- TeamReduction.cpp - Threads that reduce together -------------------===//

#include "TeamReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tally::codegen;

static constexpr unsigned kWarpSize = 32;

unsigned TeamReduction::getNumThreads(Team team, unsigned blockSize) {
  switch (team) {
  case Team::Thread:
    return 1;
  case Team::Warp:
    return kWarpSize;
  case Team::Block:
  case Team::Blocks:
    return blockSize;
  case Team::Column:
    return blockSize / kWarpSize;
  }
  llvm_unreachable("no such team");
}

TeamReduction::TeamReduction(OpBuilder &builder, Location loc,
                             gpu::GPUFuncOp function, Team team,
                             unsigned blockSize, Value numBlocks)
    : loc(loc), function(function), team(team), blockSize(blockSize) {
  IndexMath math(builder, loc);
  unsigned members = getNumThreads(team, blockSize);
  Value perBlock = math.constant(blockSize / members);
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value blocks = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  size = math.constant(members);
  numTeams = math.mul(blocks, perBlock);
  firstRow = math.mul(block, perBlock);
  switch (team) {
  case Team::Thread:
    firstRow = math.add(firstRow, thread);
    member = math.constant(0);
    return;
  case Team::Warp:
    firstRow = math.add(firstRow, math.div(thread, size));
    member = math.rem(thread, size);
    return;
  case Team::Block:
    member = thread;
    return;
  case Team::Blocks:
    part = math.rem(block, numBlocks);
    firstRow = math.div(block, numBlocks);
    numTeams = math.div(blocks, numBlocks);
    member = math.add(math.mul(part, size), thread);
    size = math.mul(numBlocks, size);
    return;
  case Team::Column:
    // The row of a thread in this group is added where it is known to exist.
    member = math.div(thread, perBlock);
    return;
  }
}

Value TeamReduction::enterRows(OpBuilder &builder, Value rows) {
  auto loop = scf::ForOp::create(builder, loc, firstRow, rows, numTeams);
  builder.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  if (team != Team::Column)
    return row;
  IndexMath math(builder, loc);
  row = math.add(row, math.rem(thread, math.constant(kWarpSize)));
  hasRow =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, row, rows);
  return math.min(row, math.sub(rows, math.constant(1)));
}

Value tally::codegen::createShuffle(OpBuilder &builder, Location loc,
                                    Value value, unsigned offset,
                                    gpu::ShuffleMode mode) {
  Type type = value.getType();
  auto exchange = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(builder, loc, word, offset, kWarpSize, mode)
        .getShuffleResult();
  };
  auto exchangeBits = [&](Value bits) {
    return createShuffle(builder, loc, bits, offset, mode);
  };
  if (type.isF32() || type.isInteger(32))
    return exchange(value);
  if (type.isIndex()) {
    Type i64 = builder.getI64Type();
    Value bits = arith::IndexCastOp::create(builder, loc, i64, value);
    return arith::IndexCastOp::create(builder, loc, type, exchangeBits(bits));
  }
  if (isa<FloatType>(type)) {
    Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
    Value integer = arith::BitcastOp::create(builder, loc, bits, value);
    return arith::BitcastOp::create(builder, loc, type, exchangeBits(integer));
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

TeamReduction::Values TeamReduction::reduceWarp(OpBuilder &builder,
                                                ValueRange values,
                                                Join join) const {
  Values result(values);
  for (unsigned distance = kWarpSize / 2; distance > 0; distance /= 2)
    result = join(result, llvm::map_to_vector(result, [&](Value value) {
                    return createShuffle(builder, loc, value, distance,
                                         gpu::ShuffleMode::XOR);
                  }));
  return result;
}

TeamReduction::Values
TeamReduction::addSharedMemory(OpBuilder &builder, ValueRange values,
                               ArrayRef<int64_t> shape) const {
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  gpu::GPUFuncOp kernel = function;
  return llvm::map_to_vector(values, [&](Value value) -> Value {
    return kernel.addWorkgroupAttribution(
        MemRefType::get(shape, value.getType(), MemRefLayoutAttrInterface(),
                        space),
        loc);
  });
}

/// Joins what `count` threads have left in shared memory, each at its number
/// and then at `place`.
TeamReduction::Values TeamReduction::joinParts(OpBuilder &builder,
                                               ValueRange parts, unsigned count,
                                               ValueRange place,
                                               Join join) const {
  IndexMath math(builder, loc);
  Values result;
  for (unsigned number = 0; number < count; ++number) {
    Values at = {math.constant(number)};
    llvm::append_range(at, place);
    Values part = llvm::map_to_vector(parts, [&](Value buffer) -> Value {
      return memref::LoadOp::create(builder, loc, buffer, at);
    });
    result = number ? join(result, part) : part;
  }
  // The next row writes there again.
  gpu::BarrierOp::create(builder, loc);
  return result;
}

/// Every warp leaves its part in shared memory, and every thread joins them.
TeamReduction::Values TeamReduction::reduceBlock(OpBuilder &builder,
                                                 ValueRange values,
                                                 Join join) const {
  unsigned numWarps = blockSize / kWarpSize;
  Values parts = addSharedMemory(builder, values, {int64_t(numWarps)});
  IndexMath math(builder, loc);
  Value warpSize = math.constant(kWarpSize);
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                            math.rem(thread, warpSize), math.constant(0));
  auto branch = scf::IfOp::create(builder, loc, isFirst);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value warp = math.div(thread, warpSize);
    for (auto [value, buffer] : llvm::zip_equal(values, parts))
      memref::StoreOp::create(builder, loc, value, buffer, warp);
  }
  gpu::BarrierOp::create(builder, loc);
  return joinParts(builder, parts, numWarps, {}, join);
}

/// Every thread leaves its part in shared memory, and joins those of its
/// column.
TeamReduction::Values TeamReduction::reduceColumn(OpBuilder &builder,
                                                  ValueRange values,
                                                  Join join) const {
  unsigned members = getNumThreads(team, blockSize);
  Values parts =
      addSharedMemory(builder, values, {int64_t(members), int64_t(kWarpSize)});
  IndexMath math(builder, loc);
  Value column = math.rem(thread, math.constant(kWarpSize));
  for (auto [value, buffer] : llvm::zip_equal(values, parts))
    memref::StoreOp::create(builder, loc, value, buffer,
                            ValueRange{member, column});
  gpu::BarrierOp::create(builder, loc);
  return joinParts(builder, parts, members, column, join);
}

TeamReduction::Values
TeamReduction::reduce(OpBuilder &builder, ValueRange values, Join join) const {
  switch (team) {
  case Team::Thread:
    return Values(values);
  case Team::Warp:
    return reduceWarp(builder, values, join);
  case Team::Block:
  case Team::Blocks:
    return reduceBlock(builder, reduceWarp(builder, values, join), join);
  case Team::Column:
    return reduceColumn(builder, values, join);
  }
  llvm_unreachable("no such team");
}

void TeamReduction::enterOwnRow(OpBuilder &builder) const {
  if (!hasRow)
    return;
  auto branch = scf::IfOp::create(builder, loc, hasRow);
  builder.setInsertionPointToStart(branch.thenBlock());
}

void TeamReduction::enterOneMember(OpBuilder &builder) const {
  enterOwnRow(builder);
  if (isOneThread())
    return;
  IndexMath math(builder, loc);
  Value number = team == Team::Blocks ? thread : member;
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        number, math.constant(0));
  auto branch = scf::IfOp::create(builder, loc, isFirst);
  builder.setInsertionPointToStart(branch.thenBlock());
}
