//===- DigitRanks.cpp - Where the elements of a tile go -------------------===//

#include "DigitRanks.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tally::codegen;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// A thread
//===----------------------------------------------------------------------===//

ThreadEmitter::ThreadEmitter(OpBuilder &builder, gpu::GPUFuncOp function)
    : Emitter(builder, function.getLoc()), function(function) {
  block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  lane = create<arith::RemUIOp>(thread, index(kSortWarp));
  warp = create<arith::DivUIOp>(thread, index(kSortWarp));
}

Value ThreadEmitter::share(ArrayRef<int64_t> shape, Type element) {
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  return function.addWorkgroupAttribution(
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space), loc);
}

Value ThreadEmitter::ballot(Value condition) {
  return NVVM::VoteSyncOp::create(
      builder, loc, builder.getI32Type(), i32(-1), condition,
      NVVM::VoteSyncKindAttr::get(builder.getContext(),
                                  NVVM::VoteSyncKind::ballot));
}

Value ThreadEmitter::countBits(Value bits) {
  return LLVM::CtPopOp::create(builder, loc, builder.getI32Type(), bits);
}

/// Registers hold 32 bits.
Value ThreadEmitter::shuffle(Value value, Value from) {
  Type type = value.getType(), word = builder.getI32Type();
  if (type == word)
    return gpu::ShuffleOp::create(builder, loc, value, from, i32(kSortWarp),
                                  gpu::ShuffleMode::IDX)
        .getShuffleResult();
  Value half = arith::ConstantIntOp::create(builder, loc, type, 32);
  Value low = arith::TruncIOp::create(builder, loc, word, value);
  Value high = arith::TruncIOp::create(builder, loc, word,
                                       create<arith::ShRUIOp>(value, half));
  low = arith::ExtUIOp::create(builder, loc, type, shuffle(low, from));
  high = arith::ExtUIOp::create(builder, loc, type, shuffle(high, from));
  return create<arith::OrIOp>(low, create<arith::ShLIOp>(high, half));
}

Value ThreadEmitter::scanWarp(Value sum) {
  for (int32_t distance = 1; distance < kSortWarp; distance *= 2) {
    auto shuffle = gpu::ShuffleOp::create(builder, loc, sum, distance,
                                          kSortWarp, gpu::ShuffleMode::UP);
    Value has = compare(CmpIPredicate::uge, lane, index(distance));
    sum = create<arith::AddIOp>(
        sum, select(has, shuffle.getShuffleResult(), i32(0)));
  }
  return sum;
}

Value ThreadEmitter::maskBefore(Value bits) {
  Value own = create<arith::ShLIOp>(i32(1), cast(lane, builder.getI32Type()));
  return create<arith::AndIOp>(bits, create<arith::SubIOp>(own, i32(1)));
}

/// The number of zeros below it.
Value ThreadEmitter::findLowest(Value bits) {
  Value lowest =
      create<arith::AndIOp>(bits, create<arith::SubIOp>(i32(0), bits));
  Value number = countBits(create<arith::SubIOp>(lowest, i32(1)));
  return create<arith::AndIOp>(number, i32(kSortWarp - 1));
}

//===----------------------------------------------------------------------===//
// Sums over a block
//===----------------------------------------------------------------------===//

BlockScan::BlockScan(ThreadEmitter &emitter)
    : emitter(emitter),
      sums(emitter.share({kSortWarps}, emitter.builder.getI32Type())) {}

void BlockScan::begin(Value value) {
  number = value;
  inclusive = emitter.scanWarp(value);
  Value isLast = emitter.compare(CmpIPredicate::eq, emitter.lane,
                                 emitter.index(kSortWarp - 1));
  emitter.ifThen(isLast, [&] { emitter.store(inclusive, sums, emitter.warp); });
}

Value BlockScan::end() {
  Value before = emitter.create<arith::SubIOp>(inclusive, number);
  for (int64_t warp = 0; warp + 1 < kSortWarps; ++warp) {
    Value number = emitter.index(warp);
    Value isBefore = emitter.compare(CmpIPredicate::ugt, emitter.warp, number);
    Value sum =
        emitter.select(isBefore, emitter.load(sums, number), emitter.i32(0));
    before = emitter.create<arith::AddIOp>(before, sum);
  }
  return before;
}

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

Value tally::codegen::getDigit(ThreadEmitter &emitter, Value key, Value shift) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  Type word = builder.getI32Type();
  unsigned width = key.getType().getIntOrFloatBitWidth();
  if (width < 32)
    key = arith::ExtUIOp::create(builder, loc, word, key);
  if (width > 32)
    shift = arith::ExtUIOp::create(builder, loc, key.getType(), shift);
  Value bits = emitter.create<arith::ShRUIOp>(key, shift);
  if (width > 32)
    bits = arith::TruncIOp::create(builder, loc, word, bits);
  return emitter.create<arith::AndIOp>(bits, emitter.i32(kDigits - 1));
}

DigitCounts::DigitCounts(ThreadEmitter &emitter)
    : emitter(emitter),
      counts(emitter.share({kDigits}, emitter.builder.getI32Type())) {}

void DigitCounts::clear() {
  emitter.store(emitter.i32(0), counts, emitter.thread);
}

/// Where all lanes have the digit of the first one, as in upper digits of small
/// numbers, that lane counts for all.
void DigitCounts::add(Value digit, Value exists) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  Value all = emitter.ballot(exists);
  Value isFirst = emitter.compare(CmpIPredicate::eq, emitter.maskBefore(all),
                                  emitter.i32(0));
  Value ofFirst = emitter.shuffle(digit, emitter.findLowest(all));
  Value isSame = emitter.create<arith::AndIOp>(
      exists, emitter.compare(CmpIPredicate::eq, digit, ofFirst));
  Value areSame =
      emitter.compare(CmpIPredicate::eq, emitter.ballot(isSame), all);
  Value isCounting = emitter.create<arith::AndIOp>(
      exists, emitter.select(areSame, isFirst, exists));
  Value number =
      emitter.select(areSame, emitter.countBits(all), emitter.i32(1));
  emitter.ifThen(isCounting, [&] {
    memref::AtomicRMWOp::create(
        builder, loc, arith::AtomicRMWKind::addi, number, counts,
        ValueRange{emitter.cast(digit, builder.getIndexType())});
  });
}

Value DigitCounts::get() { return emitter.load(counts, emitter.thread); }

DigitRanks::DigitRanks(ThreadEmitter &emitter)
    : emitter(emitter), counts(emitter.share({kSortWarps, kDigits},
                                             emitter.builder.getI32Type())) {}

void DigitRanks::clear() {
  for (int64_t part = 0; part < kSortWarps; ++part)
    emitter.store(emitter.i32(0), counts,
                  {emitter.index(part), emitter.thread});
}

Value DigitRanks::count(Value digit, Value exists) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  Type word = builder.getI32Type();
  Value zero = emitter.i32(0);
  // The lanes whose digits have the same bits, one bit after the other.
  Value same = emitter.ballot(exists);
  for (int64_t bit = 0; bit < kDigitBits; ++bit) {
    Value masked =
        emitter.create<arith::AndIOp>(digit, emitter.i32(int64_t(1) << bit));
    Value isSet = emitter.compare(CmpIPredicate::ne, masked, zero);
    Value set = emitter.ballot(isSet);
    Value others = emitter.create<arith::XOrIOp>(set, emitter.i32(-1));
    same =
        emitter.create<arith::AndIOp>(same, emitter.select(isSet, set, others));
  }
  Value before = emitter.countBits(emitter.maskBefore(same));
  // The first of them counts for all, and tells the others what it has found.
  Value isFirst = emitter.create<arith::AndIOp>(
      exists, emitter.compare(CmpIPredicate::eq, before, zero));
  Value found = emitter.ifElseZero(isFirst, word, [&] {
    Value at = emitter.cast(digit, builder.getIndexType());
    Value old = memref::AtomicRMWOp::create(
        builder, loc, arith::AtomicRMWKind::addi, emitter.countBits(same),
        counts, ValueRange{emitter.warp, at});
    return SmallVector<Value>{old};
  })[0];
  Value first = emitter.findLowest(same);
  return emitter.create<arith::AddIOp>(emitter.shuffle(found, first), before);
}

Value DigitRanks::getTotal() {
  ofParts.clear();
  Value total;
  for (int64_t part = 0; part < kSortWarps; ++part) {
    Value count = emitter.load(counts, {emitter.index(part), emitter.thread});
    ofParts.push_back(count);
    total = total ? emitter.create<arith::AddIOp>(total, count) : count;
  }
  return total;
}

void DigitRanks::place(Value lower) {
  for (auto [part, count] : llvm::enumerate(ofParts)) {
    emitter.store(lower, counts,
                  {emitter.index(int64_t(part)), emitter.thread});
    lower = emitter.create<arith::AddIOp>(lower, count);
  }
}

Value DigitRanks::getPlace(Value digit, Value rank) {
  Value at = emitter.cast(digit, emitter.builder.getIndexType());
  return emitter.create<arith::AddIOp>(emitter.load(counts, {emitter.warp, at}),
                                       rank);
}
