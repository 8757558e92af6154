//===- ScanTiles.cpp - Tiles of scans, which teams of threads take --------===//

#include "ScanKernel.h"
#include "TeamReduction.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/SaveAndRestore.h"

#include <vector>

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

//===----------------------------------------------------------------------===//
// Teams
//===----------------------------------------------------------------------===//

/// Combines the values of the threads of the warp up to this one. Threads that
/// have none are behind those that have.
Values ScanEmitter::scanWarp(Values values) {
  for (unsigned distance = 1; distance < kWarpSize; distance *= 2) {
    Values before = shuffleUp(values, distance);
    Value asks = compare(arith::CmpIPredicate::uge, lane, constant(distance));
    values = select(asks, combine(before, values), values);
  }
  return values;
}

/// What a thread of the warp has, the last one of the first `numValid`.
Values ScanEmitter::takeLast(ValueRange values, Value numValid) {
  Value last = math.sub(numValid, constant(1));
  last =
      builder.createOrFold<arith::MinSIOp>(loc, last, constant(kWarpSize - 1));
  Value word =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), last);
  return llvm::map_to_vector(values, [&](Value value) {
    return createShuffle(builder, loc, value, word, gpu::ShuffleMode::IDX);
  });
}

/// Given what each warp is combined to, returns what those before this one are,
/// unless it is the first one, and what all of them are.
std::pair<Values, Values> ScanEmitter::scanWarps(ValueRange values,
                                                 Value numValid) {
  Value isLast =
      compare(arith::CmpIPredicate::eq, lane, constant(kWarpSize - 1));
  emitIf(isLast, [&] {
    for (auto [value, buffer] : llvm::zip_equal(values, shared))
      memref::StoreOp::create(builder, loc, value, buffer, warp);
  });
  gpu::BarrierOp::create(builder, loc);
  Values before, all;
  for (unsigned number = 0; number < team.getNumThreads() / kWarpSize;
       ++number) {
    Values next = llvm::map_to_vector(shared, [&](Value buffer) -> Value {
      return memref::LoadOp::create(builder, loc, buffer, constant(number));
    });
    if (number == 0) {
      before = all = next;
      continue;
    }
    Value isHere = compare(arith::CmpIPredicate::eq, warp, constant(number));
    before = select(isHere, all, before);
    Value has =
        compare(arith::CmpIPredicate::slt,
                constant(int64_t(number) * kWarpSize * team.rounds), numValid);
    all = select(has, combine(all, next), all);
  }
  // The next tile writes there again.
  gpu::BarrierOp::create(builder, loc);
  return {before, all};
}

/// What the lanes from a position on are combined to. Lanes outside of the row
/// are at its ends: what is before it is replaced, and nothing comes after it.
Values ScanEmitter::combineLanes(Value position,
                                 ArrayRef<ScanElement> elements) {
  Values own = elements[0].values;
  for (unsigned lane = 1; lane < elements.size(); ++lane) {
    Values both = combine(own, elements[lane].values);
    if (shift) {
      Value at = math.add(position, constant(lane));
      both = select(compare(arith::CmpIPredicate::slt, at, end), both, own);
      both = select(compare(arith::CmpIPredicate::sle, at, begin),
                    elements[lane].values, both);
    }
    own = both;
  }
  return own;
}

/// Reads what a thread has of one round, and scans it within the warp.
ScanRound ScanEmitter::readRound(Value start) {
  unsigned lanes = team.lanes;
  ScanRound round;
  round.position = math.add(start, math.mul(lane, constant(lanes)));
  round.isValid = compare(arith::CmpIPredicate::slt, round.position, end);
  // A thread without an element looks at the last one.
  Value inside = round.position;
  if (!shift)
    inside = math.min(inside, math.sub(end, constant(lanes)));
  if (step == ScanStep::Sums) {
    part = inside;
    round.elements.emplace_back();
    round.elements[0].values = loadSums(getPlaceOfPart());
  } else {
    round.elements = read(inside, lanes);
  }
  return round;
}

/// Combines the rounds of a warp, whose first `numValid` groups of lanes have
/// values: sets what each thread has before it in its round and what a round
/// is combined to. Returns what all of them are.
Values ScanEmitter::scanRounds(MutableArrayRef<ScanRound> rounds,
                               Value numValid) {
  Values all;
  for (auto [number, round] : llvm::enumerate(rounds)) {
    Values upToHere = scanWarp(combineLanes(round.position, round.elements));
    round.before = shuffleUp(upToHere, 1);
    round.all = takeLast(upToHere, numValid);
    Value has = compare(arith::CmpIPredicate::sgt, numValid, constant(0));
    all = number == 0 ? round.all : select(has, combine(all, round.all), all);
    numValid = math.sub(numValid, constant(kWarpSize));
  }
  return all;
}

/// Stores what a thread has of a round, given what is combined before it.
void ScanEmitter::writeRound(ScanRound &round, Values before) {
  if (step == ScanStep::Sums) {
    part = round.position;
    return storeSums(before, getPlaceOfPart());
  }
  SmallVector<Values> accumulators;
  for (auto [number, element] : llvm::enumerate(round.elements)) {
    Values next = combine(before, element.values);
    // Nothing has been combined before the row.
    if (shift && number + 1 < team.lanes)
      next = select(compare(arith::CmpIPredicate::sge,
                            math.add(round.position, constant(int64_t(number))),
                            begin),
                    next, before);
    accumulators.push_back(next);
    before = next;
  }
  write(round.position, round.elements, accumulators);
}

/// Takes the tile at `base`, whose first `numValid` groups of lanes have
/// values; returns what is carried to the next one.
Values ScanEmitter::emitTile(Value base, Value numValid, Values carried) {
  int64_t ofRound = int64_t(kWarpSize) * team.lanes;
  Value start = base, ofWarp = numValid;
  if (!isWarp()) {
    Value first = math.mul(warp, constant(int64_t(kWarpSize) * team.rounds));
    start = math.add(base, math.mul(first, constant(team.lanes)));
    ofWarp = math.sub(numValid, first);
  }
  std::vector<ScanRound> rounds;
  for (unsigned number = 0; number < team.rounds; ++number)
    rounds.push_back(readRound(math.add(start, constant(number * ofRound))));
  Values all = scanRounds(rounds, ofWarp), beforeWarp;
  if (!isWarp())
    std::tie(beforeWarp, all) = scanWarps(all, numValid);
  if (step == ScanStep::Reduce) {
    Value isFirst = compare(arith::CmpIPredicate::sle, base, begin);
    return select(isFirst, all, combine(carried, all));
  }
  Value zero = constant(0);
  Values before = carried;
  if (!isWarp())
    before = select(compare(arith::CmpIPredicate::eq, warp, zero), before,
                    combine(before, beforeWarp));
  Value isFirstLane = compare(arith::CmpIPredicate::eq, lane, zero);
  for (ScanRound &round : rounds) {
    Values here = select(isFirstLane, before, combine(before, round.before));
    emitIf(round.isValid, [&] { writeRound(round, here); });
    before = combine(before, round.all);
  }
  return combine(carried, all);
}

/// The same; where some lanes of a tile may be outside, one in which all are
/// inside has code of its own, that asks nothing.
Values ScanEmitter::emitAnyTile(Value base, Values carried) {
  Value left = math.sub(end, base);
  Value numValid = math.ceilDiv(left, team.lanes);
  if (!shift)
    return emitTile(base, numValid, carried);
  int64_t size = int64_t(countMembers()) * team.lanes * team.rounds;
  Value isWhole = builder.createOrFold<arith::AndIOp>(
      loc, compare(arith::CmpIPredicate::sge, base, begin),
      compare(arith::CmpIPredicate::sge, left, constant(size)));
  auto branch = scf::IfOp::create(builder, loc, ValueRange(carried).getTypes(),
                                  isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, emitTile(base, numValid, carried));
  builder.setInsertionPointToStart(branch.thenBlock());
  llvm::SaveAndRestore isAligned(shift, Value());
  Value whole = constant(size / team.lanes);
  scf::YieldOp::create(builder, loc, emitTile(base, whole, carried));
  return Values(branch.getResults());
}

/// Where the first tile starts: at the multiple of the lanes in memory that is
/// at the first element or before it.
Value ScanEmitter::findFirstTile() {
  if (!shift)
    return begin;
  Value place = math.add(math.add(shift, math.mul(row, length)), begin);
  Value first = math.sub(begin, math.rem(place, constant(team.lanes)));
  // No tile of an empty row.
  return builder.createOrFold<arith::SelectOp>(
      loc, compare(arith::CmpIPredicate::eq, begin, end), begin, first);
}

void ScanEmitter::emitTogether() {
  Values carried = createStart();
  scf::ForOp loop;
  {
    OpBuilder::InsertionGuard guard(builder);
    loop = enterLoop(
        findFirstTile(), end,
        constant(int64_t(countMembers()) * team.lanes * team.rounds), carried);
    Values next =
        emitAnyTile(loop.getInductionVar(), Values(loop.getRegionIterArgs()));
    scf::YieldOp::create(builder, loc, next);
  }
  if (step != ScanStep::Reduce)
    return;
  Value isFirst = compare(arith::CmpIPredicate::eq, thread, constant(0));
  emitIf(isFirst, [&] { storeSums(loop.getResults(), getPlaceOfPart()); });
}
