//===- TeamReduction.cpp - Threads that reduce together -------------------===//

#include "TeamReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tally::codegen;

static constexpr unsigned kWarpSize = 32;
/// The threads that share a row of a few elements.
static constexpr unsigned kFewThreads = 8;
/// The most parts that a thread of a block joins alone.
static constexpr unsigned kMaxPartsOfThread = 8;

unsigned TeamReduction::getNumThreads(Team team, unsigned blockSize) {
  switch (team) {
  case Team::Thread:
    return 1;
  case Team::FewThreads:
    return kFewThreads;
  case Team::Warp:
    return kWarpSize;
  case Team::Block:
  case Team::Blocks:
    return blockSize;
  case Team::Column:
  case Team::ColumnBlocks:
    break;
  }
  llvm_unreachable("no such team, or the rows decide");
}

Value tally::codegen::createNumColumns(OpBuilder &builder, Location loc,
                                       Value rows, unsigned most) {
  IndexMath math(builder, loc);
  Value columns = math.constant(most);
  for (unsigned fewer = most / 2; fewer > 0; fewer /= 2) {
    Value number = math.constant(fewer);
    Value fit = builder.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::ule, rows, number);
    columns = builder.createOrFold<arith::SelectOp>(loc, fit, number, columns);
  }
  return columns;
}

TeamReduction::TeamReduction(OpBuilder &builder, Location loc,
                             gpu::GPUFuncOp function, Team team,
                             unsigned blockSize, Value rows,
                             unsigned mostColumns, Value numBlocks)
    : loc(loc), function(function), team(team), blockSize(blockSize),
      rows(rows) {
  IndexMath math(builder, loc);
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value blocks = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value threads = math.constant(blockSize);
  Value perBlock;
  if (isColumn()) {
    columns = perBlock = createNumColumns(builder, loc, rows, mostColumns);
    sizeInBlock = math.div(threads, columns);
    memberOfBlock = math.div(thread, columns);
  } else {
    unsigned members = getNumThreads(team, blockSize);
    perBlock = math.constant(blockSize / members);
    sizeInBlock = math.constant(members);
    memberOfBlock =
        members == blockSize ? thread : math.rem(thread, sizeInBlock);
  }
  member = memberOfBlock;
  size = sizeInBlock;
  if (numBlocks && (team == Team::Blocks || team == Team::ColumnBlocks)) {
    part = math.rem(block, numBlocks);
    block = math.div(block, numBlocks);
    blocks = math.div(blocks, numBlocks);
    member = math.add(math.mul(part, size), member);
    size = math.mul(numBlocks, size);
  }
  numTeams = math.mul(blocks, perBlock);
  firstRow = math.mul(block, perBlock);
  // The row of a thread in a group that meets is added where it is known to
  // exist.
  if (team == Team::Thread)
    firstRow = math.add(firstRow, thread);
  else if (team == Team::Warp)
    firstRow = math.add(firstRow, math.div(thread, size));
}

Value TeamReduction::enterRows(OpBuilder &builder) {
  auto loop = scf::ForOp::create(builder, loc, firstRow, rows, numTeams);
  builder.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  if (!isColumn() && team != Team::FewThreads)
    return row;
  IndexMath math(builder, loc);
  row = math.add(row, isColumn() ? math.rem(thread, columns)
                                 : math.div(thread, sizeInBlock));
  hasRow =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, row, rows);
  return math.min(row, math.sub(rows, math.constant(1)));
}

Value tally::codegen::createShuffle(OpBuilder &builder, Location loc,
                                    Value value, Value offset,
                                    gpu::ShuffleMode mode) {
  Type type = value.getType();
  auto exchange = [&](Value word) -> Value {
    Value width = arith::ConstantIntOp::create(builder, loc, kWarpSize, 32);
    return gpu::ShuffleOp::create(builder, loc, word, offset, width, mode)
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

Value tally::codegen::createShuffle(OpBuilder &builder, Location loc,
                                    Value value, unsigned offset,
                                    gpu::ShuffleMode mode) {
  return createShuffle(builder, loc, value,
                       arith::ConstantIntOp::create(builder, loc, offset, 32),
                       mode);
}

TeamReduction::Values TeamReduction::reduceWarp(OpBuilder &builder,
                                                ValueRange values,
                                                unsigned threads,
                                                Join join) const {
  Values result(values);
  for (unsigned distance = threads / 2; distance > 0; distance /= 2)
    result = join(result, llvm::map_to_vector(result, [&](Value value) {
                    return createShuffle(builder, loc, value, distance,
                                         gpu::ShuffleMode::XOR);
                  }));
  return result;
}

TeamReduction::Values TeamReduction::addSharedMemory(OpBuilder &builder,
                                                     ValueRange values,
                                                     int64_t size) const {
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  gpu::GPUFuncOp kernel = function;
  llvm::SmallDenseMap<Type, unsigned> numbers;
  return llvm::map_to_vector(values, [&](Value value) -> Value {
    Type type = value.getType();
    Value &memory = shared[{type, numbers[type]++}];
    if (!memory)
      memory = kernel.addWorkgroupAttribution(
          MemRefType::get({size}, type, MemRefLayoutAttrInterface(), space),
          loc);
    return memory;
  });
}

/// Joins what `count` threads have left in shared memory, each at its number.
/// A thread reads few parts by wide accesses; many are joined by each warp.
TeamReduction::Values TeamReduction::joinParts(OpBuilder &builder,
                                               ValueRange parts, unsigned count,
                                               Join join) const {
  IndexMath math(builder, loc);
  auto load = [&](Value number) {
    return llvm::map_to_vector(parts, [&](Value buffer) -> Value {
      return memref::LoadOp::create(builder, loc, buffer, number);
    });
  };
  if (count > kMaxPartsOfThread) {
    Values own = load(math.rem(thread, math.constant(count)));
    // The next row writes there again.
    gpu::BarrierOp::create(builder, loc);
    return reduceWarp(builder, own, count, join);
  }
  Values result = load(math.constant(0));
  for (unsigned number = 1; number < count; ++number)
    result = join(result, load(math.constant(number)));
  gpu::BarrierOp::create(builder, loc);
  return result;
}

/// Every warp leaves its part in shared memory, and every thread joins them.
TeamReduction::Values TeamReduction::reduceBlock(OpBuilder &builder,
                                                 ValueRange values,
                                                 Join join) const {
  unsigned numWarps = blockSize / kWarpSize;
  Values parts = addSharedMemory(builder, values, numWarps);
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
  return joinParts(builder, parts, numWarps, join);
}

/// Every thread leaves its part in shared memory, and joins those of its
/// column.
TeamReduction::Values TeamReduction::reduceColumn(OpBuilder &builder,
                                                  ValueRange values,
                                                  Join join) const {
  Values parts = addSharedMemory(builder, values, blockSize);
  for (auto [value, buffer] : llvm::zip_equal(values, parts))
    memref::StoreOp::create(builder, loc, value, buffer, thread);
  gpu::BarrierOp::create(builder, loc);
  IndexMath math(builder, loc);
  auto load = [&](Value place) {
    return llvm::map_to_vector(parts, [&](Value buffer) -> Value {
      return memref::LoadOp::create(builder, loc, buffer, place);
    });
  };
  Value column = math.rem(thread, columns);
  auto loop =
      scf::ForOp::create(builder, loc, math.add(column, columns),
                         math.constant(blockSize), columns, load(column));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        builder, loc,
        join(loop.getRegionIterArgs(), load(loop.getInductionVar())));
  }
  // The next row writes there again.
  gpu::BarrierOp::create(builder, loc);
  return Values(loop.getResults());
}

TeamReduction::Values
TeamReduction::reduce(OpBuilder &builder, ValueRange values, Join join) const {
  switch (team) {
  case Team::Thread:
    return Values(values);
  case Team::FewThreads:
    return reduceWarp(builder, values, kFewThreads, join);
  case Team::Warp:
    return reduceWarp(builder, values, kWarpSize, join);
  case Team::Block:
  case Team::Blocks:
    return reduceBlock(builder, reduceWarp(builder, values, kWarpSize, join),
                       join);
  case Team::Column:
  case Team::ColumnBlocks:
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
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        memberOfBlock, math.constant(0));
  auto branch = scf::IfOp::create(builder, loc, isFirst);
  builder.setInsertionPointToStart(branch.thenBlock());
}

void TeamReduction::enterFirstPart(OpBuilder &builder) const {
  if (!part)
    return;
  IndexMath math(builder, loc);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        part, math.constant(0));
  auto branch = scf::IfOp::create(builder, loc, isFirst);
  builder.setInsertionPointToStart(branch.thenBlock());
}
