//===- TileOrder.cpp - Orders a tile in shared memory ---------------------===//

#include "TileOrder.h"

using namespace mlir;
using namespace tally::codegen;
using arith::CmpIPredicate;

Value tally::codegen::getItemPosition(ThreadEmitter &emitter, int64_t item,
                                      int64_t items) {
  Value first = emitter.create<arith::AddIOp>(
      emitter.create<arith::MulIOp>(emitter.warp,
                                    emitter.index(items * kSortWarp)),
      emitter.lane);
  return emitter.create<arith::AddIOp>(first, emitter.index(item * kSortWarp));
}

TileOrder::TileOrder(ThreadEmitter &emitter, int64_t items, IntegerType key)
    : emitter(emitter), items(items),
      keys(emitter.share({items * kSortThreads}, key)),
      places(emitter.share({items * kSortThreads},
                           emitter.builder.getI32Type())) {}

SortPair TileOrder::load(Value position) {
  return {emitter.load(keys, position), emitter.load(places, position)};
}

void TileOrder::store(const SortPair &pair, Value position) {
  emitter.store(pair.key, keys, position);
  emitter.store(pair.place, places, position);
}

void TileOrder::rank(DigitRanks &ranks, MutableArrayRef<SortItem> items,
                     Value shift) {
  for (SortItem &item : items) {
    item.digit = getDigit(emitter, item.pair.key, shift);
    item.rank = ranks.count(item.digit, item.exists);
  }
}

void TileOrder::exchange(DigitRanks &ranks, ArrayRef<SortItem> items) {
  for (const SortItem &item : items)
    emitter.ifThen(item.exists, [&] {
      store(item.pair, emitter.cast(ranks.getPlace(item.digit, item.rank),
                                    emitter.builder.getIndexType()));
    });
}

/// Orders the tile by one digit.
void TileOrder::sortBy(DigitRanks &ranks, BlockScan &scan, Value count,
                       Value shift) {
  ranks.clear();
  emitter.barrier();
  SmallVector<SortItem> taken(items);
  for (auto [number, item] : llvm::enumerate(taken)) {
    item.position = getItemPosition(emitter, int64_t(number), items);
    item.exists = emitter.compare(CmpIPredicate::ult, item.position, count);
    item.pair = load(item.position);
  }
  rank(ranks, taken, shift);
  emitter.barrier();
  scan.begin(ranks.getTotal());
  emitter.barrier();
  ranks.place(scan.end());
  emitter.barrier();
  exchange(ranks, taken);
  emitter.barrier();
}

void TileOrder::sort(Value count, Value digits) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  DigitRanks ranks(emitter);
  BlockScan scan(emitter);
  Value end = emitter.create<arith::MulIOp>(digits, emitter.index(kDigitBits));
  auto passes = scf::ForOp::create(builder, loc, emitter.i32(0),
                                   emitter.cast(end, builder.getI32Type()),
                                   emitter.i32(kDigitBits));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(passes.getBody());
  sortBy(ranks, scan, count, passes.getInductionVar());
}
