//===- SelectKernels.cpp - Kernels that find elements of an order ---------===//
//
// The key of an element of an order is found digit by digit, from the highest
// on: how many keys have each digit tells which one it has, and which of the
// keys that begin like it it is. No element moves until the key is known.
//
//===----------------------------------------------------------------------===//

#include "SortKernels.h"

using namespace mlir;
using namespace tally::codegen;
using arith::CmpIPredicate;

static Value createKey(SortKernel &kernel, IntegerType type,
                       const APInt &value) {
  return arith::ConstantOp::create(kernel.builder, kernel.loc,
                                   IntegerAttr::get(type, value));
}

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

SortKernel::Prefix SortKernel::startPrefix(Value rank) {
  scan.emplace(*this);
  chosen = share({2}, builder.getI32Type());
  Value zero = createKey(*this, keys.getType(),
                         APInt::getZero(keys.getType().getWidth()));
  return {zero, zero, cast(rank, builder.getI32Type())};
}

/// Adds the digit that begins at `shift`, of which each thread has counted its
/// own. The thread whose digit it is tells all others.
SortKernel::Prefix SortKernel::narrow(const Prefix &prefix, Value own,
                                      Value shift) {
  scan->begin(own);
  barrier();
  Value before = scan->end();
  Value rest = create<arith::SubIOp>(prefix.rank, before);
  Value isChosen =
      create<arith::AndIOp>(compare(CmpIPredicate::ule, before, prefix.rank),
                            compare(CmpIPredicate::ult, rest, own));
  ifThen(isChosen, [&] {
    store(cast(thread, builder.getI32Type()), chosen, index(0));
    store(rest, chosen, index(1));
  });
  barrier();
  IntegerType type = keys.getType();
  auto toKey = [&](Value number) -> Value {
    if (type.getWidth() < 32)
      return arith::TruncIOp::create(builder, loc, type, number);
    if (type.getWidth() > 32)
      return arith::ExtUIOp::create(builder, loc, type, number);
    return number;
  };
  Value place = toKey(shift);
  auto add = [&](Value bits, Value digit) {
    return create<arith::OrIOp>(bits, create<arith::ShLIOp>(digit, place));
  };
  Value digit = toKey(Emitter::load(chosen, index(0)));
  Value full = createKey(*this, type, APInt(type.getWidth(), kDigits - 1));
  return {add(prefix.bits, digit), add(prefix.mask, full),
          Emitter::load(chosen, index(1))};
}

Value SortKernel::hasPrefix(const Prefix &prefix, Value key) {
  return compare(CmpIPredicate::eq, create<arith::AndIOp>(key, prefix.mask),
                 prefix.bits);
}

/// Goes through digits from the highest on; `count` gives how many elements
/// with the prefix have this thread's digit.
SortKernel::Prefix SortKernel::findDigits(
    Value digits, Prefix start,
    function_ref<Value(const Prefix &, Value number, Value shift)> count) {
  SmallVector<Value> initial{start.bits, start.mask, start.rank};
  auto loop =
      scf::ForOp::create(builder, loc, index(0), digits, index(1), initial);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Prefix prefix{loop.getRegionIterArg(0), loop.getRegionIterArg(1),
                loop.getRegionIterArg(2)};
  Value number = loop.getInductionVar();
  Value shift =
      cast(create<arith::MulIOp>(
               create<arith::SubIOp>(index(keys.getNumDigits() - 1), number),
               index(kDigitBits)),
           builder.getI32Type());
  Value own = count(prefix, number, shift);
  Prefix next = narrow(prefix, own, shift);
  scf::YieldOp::create(builder, loc,
                       ValueRange{next.bits, next.mask, next.rank});
  return {loop.getResult(0), loop.getResult(1), loop.getResult(2)};
}

/// The prefix that digits have whose totals are known.
SortKernel::Prefix SortKernel::findPrefix(const Totals &totals) {
  Value buffer = get(totals.buffer);
  return findDigits(
      get(totals.digits), startPrefix(sizes.from),
      [&](const Prefix &, Value number, Value) {
        Value before = create<arith::AddIOp>(
            create<arith::MulIOp>(number, sizes.rows), row);
        return Emitter::load(
            buffer, create<arith::AddIOp>(
                        create<arith::MulIOp>(before, index(kDigits)), thread));
      });
}

//===----------------------------------------------------------------------===//
// A row of a block
//===----------------------------------------------------------------------===//

/// Goes through the row, a few elements for each thread at a time.
SortKernel::Seen
SortKernel::forRow(function_ref<Seen(ArrayRef<Item>, const Seen &)> body) {
  Value step = index(kRowItems * kSortThreads);
  auto loop = scf::ForOp::create(builder, loc, index(0), sizes.length, step,
                                 ValueRange{i32(0), i32(0)});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  start = loop.getInductionVar();
  count =
      create<arith::MinUIOp>(create<arith::SubIOp>(sizes.length, start), step);
  Seen seen = body(loadItems(std::nullopt, kRowItems),
                   {loop.getRegionIterArg(0), loop.getRegionIterArg(1)});
  scf::YieldOp::create(builder, loc, ValueRange{seen.less, seen.equal});
  return {loop.getResult(0), loop.getResult(1)};
}

/// The whole key of an element of the order.
SortKernel::Prefix SortKernel::findInRow(Value rank) {
  DigitCounts digits(*this);
  Prefix start = startPrefix(rank);
  return findDigits(index(keys.getNumDigits()), start,
                    [&](const Prefix &prefix, Value, Value shift) {
                      digits.clear();
                      barrier();
                      forRow([&](ArrayRef<Item> items, const Seen &seen) {
                        for (const Item &item : items) {
                          Value counted = create<arith::AndIOp>(
                              item.exists, hasPrefix(prefix, item.pair.key));
                          digits.add(getDigit(*this, item.pair.key, shift),
                                     counted);
                        }
                        return seen;
                      });
                      barrier();
                      return digits.get();
                    });
}

/// What the row has before each item, in the order of places: elements that
/// come before a key, and elements that are equal to it. Returns what it has up
/// to the last item of the block.
SortKernel::Seen SortKernel::countBefore(ArrayRef<Item> items, Value key,
                                         const Seen &seen,
                                         SmallVectorImpl<Seen> &before) {
  if (!seenByWarps)
    seenByWarps = share({kSortWarps, 2}, builder.getI32Type());
  auto countOne = [&](CmpIPredicate predicate, Value &sum, const Item &item) {
    Value has = create<arith::AndIOp>(item.exists,
                                      compare(predicate, item.pair.key, key));
    Value bits = ballot(has);
    Value number = create<arith::AddIOp>(sum, countBits(maskBefore(bits)));
    sum = create<arith::AddIOp>(sum, countBits(bits));
    return number;
  };
  Seen own{i32(0), i32(0)};
  for (const Item &item : items)
    before.push_back({countOne(CmpIPredicate::ult, own.less, item),
                      countOne(CmpIPredicate::eq, own.equal, item)});
  ifThen(compare(CmpIPredicate::eq, lane, index(0)), [&] {
    store(own.less, seenByWarps, {warp, index(0)});
    store(own.equal, seenByWarps, {warp, index(1)});
  });
  barrier();
  Seen first = seen, all = seen;
  for (int64_t number = 0; number < kSortWarps; ++number) {
    Value isBefore = compare(CmpIPredicate::ugt, warp, index(number));
    auto addOne = [&](Value &sum, Value &total, int64_t which) {
      Value loaded = Emitter::load(seenByWarps, {index(number), index(which)});
      total = create<arith::AddIOp>(total, loaded);
      sum = select(isBefore, total, sum);
    };
    addOne(first.less, all.less, 0);
    addOne(first.equal, all.equal, 1);
  }
  barrier();
  for (Seen &each : before)
    each = {create<arith::AddIOp>(each.less, first.less),
            create<arith::AddIOp>(each.equal, first.equal)};
  return all;
}

/// Each thread counts which of the selected elements, which are in the order of
/// places, come before its own.
void SortKernel::orderSelected(TileOrder &selected, Value count) {
  auto loop =
      scf::ForOp::create(builder, loc, thread, count, index(kSortThreads));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value own = loop.getInductionVar();
  Pair pair = selected.load(own);
  auto others = scf::ForOp::create(builder, loc, index(0), count, index(1),
                                   ValueRange(index(0)));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(others.getBody());
    Value other = others.getInductionVar();
    Value key = Emitter::load(selected.getKeys(), other);
    Value isEarlier =
        create<arith::AndIOp>(compare(CmpIPredicate::eq, key, pair.key),
                              compare(CmpIPredicate::ult, other, own));
    Value isBefore = create<arith::OrIOp>(
        compare(CmpIPredicate::ult, key, pair.key), isEarlier);
    Value next = create<arith::AddIOp>(others.getRegionIterArg(0),
                                       select(isBefore, index(1), index(0)));
    scf::YieldOp::create(builder, loc, next);
  }
  storeElement(others.getResult(0), pair);
}

void SortKernel::emitSelect(Value hostEnd) {
  Value end = get(hostEnd), one = i32(1);
  TileOrder selected(*this, kMaxPart / kSortThreads, keys.getType());
  enterRow(block);
  Prefix last = findInRow(create<arith::SubIOp>(end, index(1)));
  Value numEqual = create<arith::AddIOp>(last.rank, one);
  forRow([&](ArrayRef<Item> items, const Seen &seen) {
    SmallVector<Seen> before;
    Seen next = countBefore(items, last.bits, seen, before);
    for (auto [item, prior] : llvm::zip_equal(items, before)) {
      Value isLess = compare(CmpIPredicate::ult, item.pair.key, last.bits);
      Value isEqual = create<arith::AndIOp>(
          compare(CmpIPredicate::eq, item.pair.key, last.bits),
          compare(CmpIPredicate::ult, prior.equal, numEqual));
      Value isSelected = create<arith::AndIOp>(
          item.exists, create<arith::OrIOp>(isLess, isEqual));
      Value slot = create<arith::AddIOp>(
          prior.less, create<arith::MinUIOp>(prior.equal, numEqual));
      ifThen(isSelected, [&, &item = item] {
        selected.store(item.pair, cast(slot, builder.getIndexType()));
      });
    }
    return next;
  });
  barrier();
  orderSelected(selected, end);
}

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

/// Writes the element if it is one of the items: of equal elements the one with
/// as many before it as the rank says.
void SortKernel::findElement(ArrayRef<Item> items, const Prefix &prefix,
                             ArrayRef<Seen> before) {
  for (auto [item, seen] : llvm::zip_equal(items, before)) {
    Value isEqual = create<arith::AndIOp>(
        item.exists, compare(CmpIPredicate::eq, item.pair.key, prefix.bits));
    Value isFound = create<arith::AndIOp>(
        isEqual, compare(CmpIPredicate::eq, seen.equal, prefix.rank));
    ifThen(isFound, [&, &item = item] { storeElement(sizes.from, item.pair); });
  }
}

void SortKernel::emitFind() {
  enterRow(block);
  Prefix prefix = findInRow(sizes.from);
  forRow([&](ArrayRef<Item> items, const Seen &seen) {
    SmallVector<Seen> before;
    Seen next = countBefore(items, prefix.bits, seen, before);
    findElement(items, prefix, before);
    return next;
  });
}

/// Offsets of the last digit tell whether the element is in the tile.
void SortKernel::emitFindInTile(Value hostCounts, const Totals &totals) {
  enterTile(sizes.length, maxItems);
  Prefix prefix = findPrefix(totals);
  seenByWarps = share({kSortWarps, 2}, builder.getI32Type());
  Value digit =
      cast(getDigit(*this, prefix.bits, i32(0)), builder.getIndexType());
  Value tile = create<arith::RemUIOp>(block, sizes.tiles);
  digit =
      create<arith::AddIOp>(create<arith::MulIOp>(row, index(kDigits)), digit);
  Value at =
      create<arith::AddIOp>(create<arith::MulIOp>(digit, sizes.tiles), tile);
  Value earlier = Emitter::load(get(hostCounts), at);
  Value hasNext = compare(CmpIPredicate::ult,
                          create<arith::AddIOp>(tile, index(1)), sizes.tiles);
  Value next = Emitter::load(
      get(hostCounts),
      create<arith::AddIOp>(at, select(hasNext, index(1), index(0))));
  Value isBehind = create<arith::AndIOp>(
      hasNext, compare(CmpIPredicate::ule, next, prefix.rank));
  Value isBefore = compare(CmpIPredicate::ugt, earlier, prefix.rank);
  Value isElsewhere = create<arith::OrIOp>(isBefore, isBehind);
  Value isHere = compare(CmpIPredicate::eq, isElsewhere,
                         arith::ConstantIntOp::create(builder, loc, 0, 1));
  ifThen(isHere, [&] {
    SmallVector<Item> items = loadItems(std::nullopt, maxItems);
    SmallVector<Seen> before;
    countBefore(items, prefix.bits, {i32(0), earlier}, before);
    findElement(items, prefix, before);
  });
}
