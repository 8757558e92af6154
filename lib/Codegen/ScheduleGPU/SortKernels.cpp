//===- SortKernels.cpp - The bodies of kernels that sort ------------------===//
//
// A tile lies in shared memory while a block orders it: by one digit after the
// other, each time without a change of the order of what is equal.
//
//===----------------------------------------------------------------------===//

#include "SortKernels.h"

using namespace mlir;
using namespace tally::codegen;
using arith::CmpIPredicate;

SortKernel::SortKernel(OpBuilder &builder, const Kernel &kernel,
                       tally::SortOp op, const SortSizes &host)
    : ThreadEmitter(builder, kernel.function), kernel(kernel), op(op),
      keys(op) {
  // Not every kernel has all of them.
  auto find = [&](Value value) {
    return value ? kernel.map.lookupOrNull(value) : Value();
  };
  sizes = {find(host.rows), find(host.length), find(host.from),
           find(host.wanted), find(host.tiles)};
}

std::optional<Pairs> SortKernel::get(std::optional<Pairs> pairs) {
  if (!pairs)
    return std::nullopt;
  return Pairs{get(pairs->keys), get(pairs->places), get(pairs->base),
               get(pairs->length)};
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The indices of a row in the other dimensions, where there is a tensor.
void SortKernel::enterRow(Value number) {
  row = number;
  Value any = kernel.map.lookupOrNull(op.getSource());
  if (!any)
    any = kernel.map.lookupOrNull(op.getAnyOutput());
  if (!any)
    return;
  auto dim = int64_t(op.getDim());
  int64_t rank = ::cast<MemRefType>(any.getType()).getRank();
  rowIndices.assign(rank - 1, Value());
  Value rest = number;
  for (int64_t at = rank - 2; at > 0; --at) {
    Value extent = size(any, at < dim ? at : at + 1);
    rowIndices[at] = create<arith::RemUIOp>(rest, extent);
    rest = create<arith::DivUIOp>(rest, extent);
  }
  if (rank > 1)
    rowIndices[0] = rest;
}

/// The tile of a block, of a row of `length` elements.
void SortKernel::enterTile(Value length, int64_t items) {
  Value most = index(items * kSortThreads);
  start = index(0);
  Value number = block;
  if (sizes.tiles) {
    start =
        create<arith::MulIOp>(create<arith::RemUIOp>(block, sizes.tiles), most);
    number = create<arith::DivUIOp>(block, sizes.tiles);
  }
  count = create<arith::MinUIOp>(create<arith::SubIOp>(length, start), most);
  enterRow(number);
}

SmallVector<Value> SortKernel::getIndices(Value position) {
  SmallVector<Value> indices(rowIndices);
  indices.insert(indices.begin() + int64_t(op.getDim()), position);
  return indices;
}

/// The element of a row at a position.
SortKernel::Pair SortKernel::load(const std::optional<Pairs> &input,
                                  Value position) {
  if (!input) {
    Value element = Emitter::load(get(op.getSource()), getIndices(position));
    return {keys.encode(*this, element), cast(position, builder.getI32Type())};
  }
  Value first = create<arith::AddIOp>(
      input->base, create<arith::MulIOp>(row, input->length));
  Value at = create<arith::AddIOp>(first, position);
  return {Emitter::load(input->keys, at), Emitter::load(input->places, at)};
}

/// Writes to the destinations what is in the part that is asked for.
void SortKernel::storeElement(Value position, const Pair &pair) {
  Value at = position;
  if (sizes.from)
    at = create<arith::SubIOp>(position, sizes.from);
  // A position before the part is a large number.
  ifThen(compare(CmpIPredicate::ult, at, sizes.wanted), [&] {
    SmallVector<Value> to = getIndices(at);
    if (op.getValues()) {
      Value value = keys.decode(*this, pair.key, [&] {
        Value place = cast(pair.place, builder.getIndexType());
        return Emitter::load(get(op.getSource()), getIndices(place));
      });
      store(value, get(op.getValues()), to);
    }
    if (op.getIndices())
      store(arith::ExtUIOp::create(builder, loc, builder.getI64Type(),
                                   pair.place),
            get(op.getIndices()), to);
  });
}

void SortKernel::storePair(const Pairs &output, Value position,
                           const Pair &pair) {
  Value first = create<arith::AddIOp>(
      output.base, create<arith::MulIOp>(row, output.length));
  Value at = create<arith::AddIOp>(first, position);
  store(pair.key, output.keys, at);
  store(pair.place, output.places, at);
}

//===----------------------------------------------------------------------===//
// A row of a warp
//===----------------------------------------------------------------------===//

/// Every lane has an element, and counts those that come before it.
void SortKernel::emitWarp() {
  Value number = create<arith::AddIOp>(
      create<arith::MulIOp>(block, index(kSortWarps)), warp);
  Type word = builder.getI32Type(), keyType = keys.getType();
  if (keys.getType().getWidth() < 32)
    keyType = word;
  Type elementType =
      ::cast<MemRefType>(op.getSource().getType()).getElementType();
  ifThen(compare(CmpIPredicate::ult, number, sizes.rows), [&] {
    enterRow(number);
    Value exists = compare(CmpIPredicate::ult, lane, sizes.length);
    SmallVector<Value> own =
        ifElseZero(exists, {elementType, keyType}, [&]() -> SmallVector<Value> {
          Value element = Emitter::load(get(op.getSource()), getIndices(lane));
          Value key = keys.encode(*this, element);
          if (key.getType() != keyType)
            key = arith::ExtUIOp::create(builder, loc, keyType, key);
          return {element, key};
        });
    auto loop = scf::ForOp::create(builder, loc, index(0), sizes.length,
                                   index(1), ValueRange(index(0)));
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Value other = loop.getInductionVar();
      Value key = shuffle(own[1], cast(other, word));
      Value isLess = compare(CmpIPredicate::ult, key, own[1]);
      Value isEqual =
          create<arith::AndIOp>(compare(CmpIPredicate::eq, key, own[1]),
                                compare(CmpIPredicate::ult, other, lane));
      Value step =
          select(create<arith::OrIOp>(isLess, isEqual), index(1), index(0));
      Value next = create<arith::AddIOp>(loop.getRegionIterArg(0), step);
      scf::YieldOp::create(builder, loc, next);
    }
    Value at = loop.getResult(0);
    if (sizes.from)
      at = create<arith::SubIOp>(at, sizes.from);
    Value isWanted = create<arith::AndIOp>(
        exists, compare(CmpIPredicate::ult, at, sizes.wanted));
    ifThen(isWanted, [&] {
      if (op.getValues())
        store(own[0], get(op.getValues()), getIndices(at));
      if (op.getIndices())
        store(cast(lane, builder.getI64Type()), get(op.getIndices()),
              getIndices(at));
    });
  });
}

//===----------------------------------------------------------------------===//
// A tile of a block
//===----------------------------------------------------------------------===//

void SortKernel::shareTile(int64_t items) {
  tileKeys = share({items * kSortThreads}, keys.getType());
  tilePlaces = share({items * kSortThreads}, builder.getI32Type());
}

SortKernel::Pair SortKernel::loadShared(Value position) {
  return {Emitter::load(tileKeys, position),
          Emitter::load(tilePlaces, position)};
}

/// The position in the tile of an element that a thread takes in the order of
/// warps.
Value SortKernel::getPosition(int64_t item, int64_t items) {
  Value first = create<arith::AddIOp>(
      create<arith::MulIOp>(warp, index(items * kSortWarp)), lane);
  return create<arith::AddIOp>(first, index(item * kSortWarp));
}

/// An element of the input, if there is one.
SortKernel::Item SortKernel::loadItem(const std::optional<Pairs> &input,
                                      Value position) {
  Item item;
  item.position = position;
  item.exists = compare(CmpIPredicate::ult, position, count);
  SmallVector<Value> loaded =
      ifElseZero(item.exists, {keys.getType(), builder.getI32Type()}, [&] {
        Pair pair = load(input, create<arith::AddIOp>(start, position));
        return SmallVector<Value>{pair.key, pair.place};
      });
  item.pair = {loaded[0], loaded[1]};
  return item;
}

void SortKernel::rank(DigitRanks &ranks, MutableArrayRef<Item> items,
                      Value shift) {
  for (Item &item : items) {
    item.digit = ranks.getDigit(item.pair.key, shift);
    item.rank = ranks.count(item.digit, item.exists);
  }
}

/// Writes elements to their places in shared memory.
void SortKernel::exchange(DigitRanks &ranks, ArrayRef<Item> items) {
  for (const Item &item : items)
    ifThen(item.exists, [&] {
      Value place =
          cast(ranks.getPlace(item.digit, item.rank), builder.getIndexType());
      store(item.pair.key, tileKeys, place);
      store(item.pair.place, tilePlaces, place);
    });
}

/// Orders the tile by one digit.
void SortKernel::emitPass(DigitRanks &ranks, BlockScan &scan, int64_t items,
                          Value shift) {
  ranks.clear();
  barrier();
  SmallVector<Item> taken(items);
  for (auto [number, item] : llvm::enumerate(taken)) {
    item.position = getPosition(int64_t(number), items);
    item.exists = compare(CmpIPredicate::ult, item.position, count);
    item.pair = loadShared(item.position);
  }
  rank(ranks, taken, shift);
  barrier();
  scan.begin(ranks.getTotal());
  barrier();
  ranks.place(scan.end());
  barrier();
  exchange(ranks, taken);
  barrier();
}

void SortKernel::emitBlock(int64_t items, std::optional<Pairs> input,
                           std::optional<Pairs> output, Value digits) {
  input = get(input);
  output = get(output);
  shareTile(items);
  DigitRanks ranks(*this, kSortWarps);
  BlockScan scan(*this);
  enterTile(input ? input->length : sizes.length, items);
  SmallVector<Value> positions;
  for (int64_t number = 0; number < items; ++number)
    positions.push_back(
        create<arith::AddIOp>(thread, index(number * kSortThreads)));
  SmallVector<Item> loaded;
  for (Value position : positions)
    loaded.push_back(loadItem(input, position));
  for (const Item &item : loaded) {
    store(item.pair.key, tileKeys, item.position);
    store(item.pair.place, tilePlaces, item.position);
  }
  Value end = create<arith::MulIOp>(get(digits), index(kDigitBits));
  auto passes = scf::ForOp::create(
      builder, loc, i32(0), cast(end, builder.getI32Type()), i32(kDigitBits));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(passes.getBody());
    emitPass(ranks, scan, items, passes.getInductionVar());
  }
  // A part of an order is short: the first elements of each tile.
  Value tile =
      sizes.tiles ? create<arith::RemUIOp>(block, sizes.tiles) : Value();
  for (Value position : positions)
    ifThen(compare(CmpIPredicate::ult, position, count), [&] {
      if (!output)
        return storeElement(position, loadShared(position));
      ifThen(compare(CmpIPredicate::ult, position, sizes.wanted), [&] {
        Value before = create<arith::MulIOp>(tile, sizes.wanted);
        storePair(*output, create<arith::AddIOp>(before, position),
                  loadShared(position));
      });
    });
}

//===----------------------------------------------------------------------===//
// Rows of several tiles
//===----------------------------------------------------------------------===//

/// Loads the tile of the block, and counts its digits.
SmallVector<SortKernel::Item>
SortKernel::rankTile(DigitRanks &ranks, const std::optional<Pairs> &input,
                     Value shift) {
  enterTile(sizes.length, kMaxItems);
  ranks.clear();
  barrier();
  SmallVector<Item> items;
  for (int64_t number = 0; number < kMaxItems; ++number)
    items.push_back(loadItem(input, getPosition(number, kMaxItems)));
  rank(ranks, items, shift);
  barrier();
  return items;
}

void SortKernel::emitCount(std::optional<Pairs> input, Value counts,
                           Value shift) {
  input = get(input);
  DigitRanks ranks(*this, /*parts=*/1);
  rankTile(ranks, input, get(shift));
  // All tiles of a digit are next to each other.
  Value digit =
      create<arith::AddIOp>(create<arith::MulIOp>(row, index(kDigits)), thread);
  Value tile = create<arith::RemUIOp>(block, sizes.tiles);
  Value at =
      create<arith::AddIOp>(create<arith::MulIOp>(digit, sizes.tiles), tile);
  store(ranks.getTotal(), get(counts), at);
}

void SortKernel::emitOffsets(Value hostCounts, Value hostTotals) {
  Value counts = get(hostCounts);
  Value number = create<arith::AddIOp>(
      create<arith::MulIOp>(block, index(kSortWarps)), warp);
  Value digits = create<arith::MulIOp>(sizes.rows, index(kDigits));
  Type word = builder.getI32Type();
  ifThen(compare(CmpIPredicate::ult, number, digits), [&] {
    Value first = create<arith::MulIOp>(number, sizes.tiles);
    auto loop =
        scf::ForOp::create(builder, loc, index(0), sizes.tiles,
                           index(kCounts * kSortWarp), ValueRange(i32(0)));
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Value begin = create<arith::AddIOp>(
          loop.getInductionVar(), create<arith::MulIOp>(lane, index(kCounts)));
      SmallVector<Value> exist, places, loaded;
      Value sum = i32(0);
      for (int64_t item = 0; item < kCounts; ++item) {
        Value tile = create<arith::AddIOp>(begin, index(item));
        exist.push_back(compare(CmpIPredicate::ult, tile, sizes.tiles));
        places.push_back(create<arith::AddIOp>(first, tile));
        loaded.push_back(ifElseZero(exist.back(), word, [&] {
          return SmallVector<Value>{Emitter::load(counts, places.back())};
        })[0]);
        sum = create<arith::AddIOp>(sum, loaded.back());
      }
      Value inclusive = scanWarp(sum);
      Value running = create<arith::AddIOp>(
          loop.getRegionIterArg(0), create<arith::SubIOp>(inclusive, sum));
      for (int64_t item = 0; item < kCounts; ++item) {
        ifThen(exist[item], [&] { store(running, counts, places[item]); });
        running = create<arith::AddIOp>(running, loaded[item]);
      }
      Value all = shuffle(inclusive, i32(kSortWarp - 1));
      Value next = create<arith::AddIOp>(loop.getRegionIterArg(0), all);
      scf::YieldOp::create(builder, loc, next);
    }
    ifThen(compare(CmpIPredicate::eq, lane, index(0)),
           [&] { store(loop.getResult(0), get(hostTotals), number); });
  });
}

void SortKernel::emitScatter(std::optional<Pairs> input,
                             std::optional<Pairs> output, Value counts,
                             Value totals, Value hostShift) {
  input = get(input);
  output = get(output);
  Value shift = get(hostShift);
  shareTile(kMaxItems);
  DigitRanks ranks(*this, kSortWarps);
  BlockScan inTile(*this), inRow(*this);
  Value offsets = share({kDigits}, builder.getI32Type());
  SmallVector<Item> items = rankTile(ranks, input, shift);
  Value digit =
      create<arith::AddIOp>(create<arith::MulIOp>(row, index(kDigits)), thread);
  inTile.begin(ranks.getTotal());
  inRow.begin(Emitter::load(get(totals), digit));
  barrier();
  Value lower = inTile.end();
  ranks.place(lower);
  // From a place in the tile to one in the row.
  Value tile = create<arith::RemUIOp>(block, sizes.tiles);
  Value before = Emitter::load(
      get(counts),
      create<arith::AddIOp>(create<arith::MulIOp>(digit, sizes.tiles), tile));
  Value first = create<arith::AddIOp>(inRow.end(), before);
  store(create<arith::SubIOp>(first, lower), offsets, thread);
  barrier();
  exchange(ranks, items);
  barrier();
  for (int64_t number = 0; number < kMaxItems; ++number) {
    Value position =
        create<arith::AddIOp>(thread, index(number * kSortThreads));
    ifThen(compare(CmpIPredicate::ult, position, count), [&] {
      Pair pair = loadShared(position);
      Value offset =
          Emitter::load(offsets, cast(ranks.getDigit(pair.key, shift),
                                      builder.getIndexType()));
      Value place =
          create<arith::AddIOp>(cast(position, builder.getI32Type()), offset);
      place = cast(place, builder.getIndexType());
      if (output)
        storePair(*output, place, pair);
      else
        storeElement(place, pair);
    });
  }
}
