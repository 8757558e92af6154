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
    : ThreadEmitter(builder, kernel.function), kernel(kernel), op(op), keys(op),
      maxItems(getTileItems(keys.getType())) {
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

/// An element of the input, or the last one of the tile, of which there is one,
/// where there are no more: no load waits for another.
SortKernel::Item SortKernel::loadItem(const std::optional<Pairs> &input,
                                      Value position) {
  Item item;
  item.position = position;
  item.exists = compare(CmpIPredicate::ult, position, count);
  Value last = create<arith::SubIOp>(count, index(1));
  Value inside = create<arith::MinUIOp>(position, last);
  item.pair = load(input, create<arith::AddIOp>(start, inside));
  return item;
}

/// What a thread takes of a tile, in the order of warps.
SmallVector<SortItem> SortKernel::loadItems(const std::optional<Pairs> &input,
                                            int64_t items) {
  SmallVector<Item> loaded;
  for (int64_t number = 0; number < items; ++number)
    loaded.push_back(loadItem(input, getItemPosition(*this, number, items)));
  return loaded;
}

void SortKernel::emitBlock(int64_t items, std::optional<Pairs> input,
                           std::optional<Pairs> output, Value digits) {
  input = get(input);
  output = get(output);
  TileOrder order(*this, items, keys.getType());
  enterTile(input ? input->length : sizes.length, items);
  SmallVector<Value> positions;
  for (int64_t number = 0; number < items; ++number)
    positions.push_back(
        create<arith::AddIOp>(thread, index(number * kSortThreads)));
  SmallVector<Item> loaded;
  for (Value position : positions)
    loaded.push_back(loadItem(input, position));
  for (const Item &item : loaded)
    order.store(item.pair, item.position);
  order.sort(count, get(digits));
  // A part of an order is short: the first elements of each tile.
  Value tile =
      sizes.tiles ? create<arith::RemUIOp>(block, sizes.tiles) : Value();
  for (Value position : positions)
    ifThen(compare(CmpIPredicate::ult, position, count), [&] {
      if (!output)
        return storeElement(position, order.load(position));
      ifThen(compare(CmpIPredicate::ult, position, sizes.wanted), [&] {
        Value before = create<arith::MulIOp>(tile, sizes.wanted);
        storePair(*output, create<arith::AddIOp>(before, position),
                  order.load(position));
      });
    });
}

//===----------------------------------------------------------------------===//
// Rows of several tiles
//===----------------------------------------------------------------------===//

void SortKernel::emitCount(std::optional<Pairs> input, Value counts,
                           Value shift, const std::optional<Totals> &totals) {
  input = get(input);
  DigitCounts digits(*this);
  enterTile(sizes.length, maxItems);
  std::optional<Prefix> prefix;
  if (totals)
    prefix = findPrefix(*totals);
  digits.clear();
  barrier();
  for (const Item &item : loadItems(input, maxItems)) {
    Value counted = item.exists;
    if (prefix)
      counted =
          create<arith::AndIOp>(counted, hasPrefix(*prefix, item.pair.key));
    digits.add(getDigit(*this, item.pair.key, get(shift)), counted);
  }
  barrier();
  // All tiles of a digit are next to each other.
  Value digit =
      create<arith::AddIOp>(create<arith::MulIOp>(row, index(kDigits)), thread);
  Value tile = create<arith::RemUIOp>(block, sizes.tiles);
  Value at =
      create<arith::AddIOp>(create<arith::MulIOp>(digit, sizes.tiles), tile);
  store(digits.get(), get(counts), at);
}

void SortKernel::emitOffsets(Value hostCounts, const Totals &totals) {
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
    ifThen(compare(CmpIPredicate::eq, lane, index(0)), [&] {
      Value before = create<arith::MulIOp>(get(totals.digits), digits);
      store(loop.getResult(0), get(totals.buffer),
            create<arith::AddIOp>(before, number));
    });
  });
}

/// How many elements of the row have this thread's digit: in tiles before this
/// one, and in all. The thread adds up few tiles itself.
std::pair<Value, Value> SortKernel::sumDigits(Value counts, Value totals) {
  Value digit =
      create<arith::AddIOp>(create<arith::MulIOp>(row, index(kDigits)), thread);
  Value first = create<arith::MulIOp>(digit, sizes.tiles);
  Value tile = create<arith::RemUIOp>(block, sizes.tiles);
  Value areFew = compare(CmpIPredicate::ule, sizes.tiles, index(kFewTiles));
  Type word = builder.getI32Type();
  auto branch = scf::IfOp::create(builder, loc, TypeRange{word, word}, areFew,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  Value before = Emitter::load(counts, create<arith::AddIOp>(first, tile));
  Value all = Emitter::load(totals, digit);
  scf::YieldOp::create(builder, loc, ValueRange{before, all});
  builder.setInsertionPointToStart(branch.thenBlock());
  auto loop = scf::ForOp::create(builder, loc, index(0), sizes.tiles, index(1),
                                 ValueRange{i32(0), i32(0)});
  scf::YieldOp::create(builder, loc, loop.getResults());
  builder.setInsertionPointToStart(loop.getBody());
  Value other = loop.getInductionVar();
  Value own = Emitter::load(counts, create<arith::AddIOp>(first, other));
  Value isBefore = compare(CmpIPredicate::ult, other, tile);
  before = create<arith::AddIOp>(loop.getRegionIterArg(0),
                                 select(isBefore, own, i32(0)));
  all = create<arith::AddIOp>(loop.getRegionIterArg(1), own);
  scf::YieldOp::create(builder, loc, ValueRange{before, all});
  return {branch.getResult(0), branch.getResult(1)};
}

void SortKernel::emitScatter(std::optional<Pairs> input,
                             std::optional<Pairs> output, Value counts,
                             Value totals, Value hostShift) {
  input = get(input);
  output = get(output);
  Value shift = get(hostShift);
  TileOrder order(*this, maxItems, keys.getType());
  DigitRanks ranks(*this);
  BlockScan inTile(*this), inRow(*this);
  Value offsets = share({kDigits}, builder.getI32Type());
  enterTile(sizes.length, maxItems);
  ranks.clear();
  barrier();
  SmallVector<Item> items = loadItems(input, maxItems);
  order.rank(ranks, items, shift);
  barrier();
  auto [before, all] = sumDigits(get(counts), get(totals));
  inTile.begin(ranks.getTotal());
  inRow.begin(all);
  barrier();
  Value lower = inTile.end();
  ranks.place(lower);
  // From a place in the tile to one in the row.
  Value first = create<arith::AddIOp>(inRow.end(), before);
  store(create<arith::SubIOp>(first, lower), offsets, thread);
  barrier();
  order.exchange(ranks, items);
  barrier();
  for (int64_t number = 0; number < maxItems; ++number) {
    Value position =
        create<arith::AddIOp>(thread, index(number * kSortThreads));
    ifThen(compare(CmpIPredicate::ult, position, count), [&] {
      Pair pair = order.load(position);
      Value offset =
          Emitter::load(offsets, cast(getDigit(*this, pair.key, shift),
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
