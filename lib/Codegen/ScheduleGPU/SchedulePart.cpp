//===- SchedulePart.cpp - Kernels that find a part of an order ------------===//
//
// Of a short part nothing else is sorted.
//
//===----------------------------------------------------------------------===//

#include "SortScheduling.h"

using namespace mlir;
using namespace tally::codegen;
using arith::CmpIPredicate;

/// So many rows keep a GPU busy with a block for each, and rows of so many
/// elements are no work for several blocks.
static constexpr int64_t kManyRows = 16, kBlockRow = 16384;

//===----------------------------------------------------------------------===//
// A short part of long rows
//===----------------------------------------------------------------------===//

/// Keeps the first elements of each tile: `end` of them for each but the last.
void SortScheduling::launchTiles(Value length, Value end,
                                 const std::optional<Pairs> &input,
                                 Pairs output) {
  Captures captures = capture(input, output);
  captures.sizes.length = length;
  captures.sizes.wanted = end;
  captures.sizes.tiles = countTiles(length);
  captures.numbers.push_back(digits);
  Value blocks = host.create<arith::MulIOp>(sizes.rows, captures.sizes.tiles);
  Kernel kernel = make("tiles", captures, [&](SortKernel &body) {
    body.emitBlock(items, input, output, digits);
  });
  launch(kernel, blocks);
}

/// Tiles lose elements until a row is one tile.
void SortScheduling::scheduleTiles(Value end) {
  // What a row has left.
  auto reduce = [&](Value length) {
    Value full = host.create<arith::SubIOp>(countTiles(length), host.index(1));
    Value rest = host.create<arith::SubIOp>(
        length, host.create<arith::MulIOp>(full, host.index(tile)));
    return host.create<arith::AddIOp>(host.create<arith::MulIOp>(full, end),
                                      host.create<arith::MinUIOp>(rest, end));
  };
  Value left = reduce(sizes.length);
  Value half = host.create<arith::MulIOp>(sizes.rows, left);
  Pairs pairs = allocate(half, host.index(2));
  Pairs first = pairs;
  first.length = left;
  launchTiles(sizes.length, end, std::nullopt, first);
  Location loc = op.getLoc();
  Value zero = host.index(0);
  Value initial[] = {left, zero, half};
  TypeRange types = ValueRange(initial).getTypes();
  auto loop = scf::WhileOp::create(builder, loc, types, initial);
  {
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Location> locs(types.size(), loc);
    Block *before = builder.createBlock(&loop.getBefore(), {}, types, locs);
    Value goesOn = host.compare(CmpIPredicate::ugt, before->getArgument(0),
                                host.index(tile));
    scf::ConditionOp::create(builder, loc, goesOn, before->getArguments());
    Block *after = builder.createBlock(&loop.getAfter(), {}, types, locs);
    Pairs from = pairs, to = pairs;
    from.length = after->getArgument(0);
    from.base = after->getArgument(1);
    to.base = after->getArgument(2);
    to.length = reduce(from.length);
    launchTiles(from.length, end, from, to);
    scf::YieldOp::create(builder, loc,
                         ValueRange{to.length, to.base, from.base});
  }
  pairs.length = loop.getResult(0);
  pairs.base = loop.getResult(1);
  launchBlocks(items, pairs);
  free(pairs);
}

/// A block for each row finds the first elements.
void SortScheduling::scheduleSelect(Value end) {
  Captures captures = capture(std::nullopt, std::nullopt);
  captures.sizes.length = sizes.length;
  captures.numbers.push_back(end);
  launch(
      make("select", captures, [&](SortKernel &body) { body.emitSelect(end); }),
      sizes.rows);
}

/// A block for each row finds one element.
void SortScheduling::scheduleFind() {
  Captures captures = capture(std::nullopt, std::nullopt);
  captures.sizes.length = sizes.length;
  launch(make("find", captures, [](SortKernel &body) { body.emitFind(); }),
         sizes.rows);
}

/// Finds one element of each row: counts digits of all tiles, from the highest
/// digit on.
void SortScheduling::scheduleFindInTiles() {
  Location loc = op.getLoc();
  Value counts = createCounts();
  int64_t passes = keys.getNumDigits();
  Value ofDigit = host.create<arith::MulIOp>(sizes.rows, host.index(kDigits));
  Totals totals{
      allocateCounts(host.create<arith::MulIOp>(ofDigit, host.index(passes))),
      Value()};
  Value blocks = host.create<arith::MulIOp>(sizes.rows, sizes.tiles);
  auto addSizes = [&](Captures &captures) {
    captures.sizes.rows = sizes.rows;
    captures.sizes.length = sizes.length;
    captures.sizes.from = sizes.from;
    captures.sizes.tiles = sizes.tiles;
    captures.numbers.push_back(totals.digits);
  };
  auto loop = scf::ForOp::create(builder, loc, host.index(0),
                                 host.index(passes), host.index(1));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    totals.digits = loop.getInductionVar();
    Value number =
        host.create<arith::SubIOp>(host.index(passes - 1), totals.digits);
    Value shift =
        host.cast(host.create<arith::MulIOp>(number, host.index(kDigitBits)),
                  builder.getI32Type());
    Captures counting = capture(std::nullopt, std::nullopt, /*writes=*/false);
    counting.reads.push_back(totals.buffer);
    counting.writes.push_back(counts);
    addSizes(counting);
    counting.numbers.push_back(shift);
    launch(make("count", counting,
                [&](SortKernel &body) {
                  body.emitCount(std::nullopt, counts, shift, totals);
                }),
           blocks);
    launchOffsets(makeOffsets(counts, totals));
  }
  totals.digits = host.index(passes);
  Captures finding = capture(std::nullopt, std::nullopt);
  finding.reads.append({counts, totals.buffer});
  addSizes(finding);
  launch(make("find_tile", finding,
              [&](SortKernel &body) { body.emitFindInTile(counts, totals); }),
         blocks);
  memref::DeallocOp::create(builder, loc, totals.buffer);
  memref::DeallocOp::create(builder, loc, counts);
}

/// A part of the order of rows that are not short: one element of it, or at
/// most `kMaxPart` from the first one on.
void SortScheduling::schedulePart(Value end) {
  Value areMany =
      host.compare(CmpIPredicate::uge, sizes.rows, host.index(kManyRows));
  Value isForBlock =
      host.create<arith::OrIOp>(areMany, isAtMost(sizes.length, kBlockRow));
  Value isOne = host.compare(CmpIPredicate::eq, sizes.wanted, host.index(1));
  choose(
      isOne,
      [&] {
        choose(
            isForBlock, [&] { scheduleFind(); },
            [&] { scheduleFindInTiles(); });
      },
      [&] {
        choose(
            isForBlock, [&] { scheduleSelect(end); },
            [&] { scheduleTiles(end); });
      });
}
