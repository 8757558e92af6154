//===- ScatterThread.cpp - One thread of a scatter ------------------------===//

#include "ScatterThread.h"

using namespace mlir;
using namespace tally::codegen;
using arith::CmpIPredicate;

/// Items whose values are loaded at once.
static constexpr int64_t kUnrolled = 4;

Value ScatterKernels::Thread::search(Value from, Value to, Value key,
                                     bool isFirst) {
  Type type = builder.getIndexType();
  auto loop = scf::WhileOp::create(builder, loc, TypeRange{type, type},
                                   ValueRange{from, to});
  OpBuilder::InsertionGuard guard(builder);
  Block *before =
      builder.createBlock(&loop.getBefore(), {}, {type, type}, {loc, loc});
  scf::ConditionOp::create(builder, loc,
                           compare(CmpIPredicate::ult, before->getArgument(0),
                                   before->getArgument(1)),
                           before->getArguments());
  Block *after =
      builder.createBlock(&loop.getAfter(), {}, {type, type}, {loc, loc});
  Value low = after->getArgument(0), high = after->getArgument(1);
  Value middle = create<arith::ShRUIOp>(math.add(low, high), index(1));
  Value has = compare(CmpIPredicate::eq, keyAt(middle), key);
  Value next = math.add(middle, index(1));
  Value isBelow = isFirst ? has : negate(has);
  scf::YieldOp::create(
      builder, loc,
      ValueRange{select(isBelow, low, next), select(isBelow, middle, high)});
  return loop.getResult(0);
}

void ScatterKernels::Thread::forColumns(function_ref<void(Value)> body) {
  Value width = get(kernels.width);
  Value begin = math.mul(group, width);
  Value end = math.min(math.add(begin, width), get(kernels.columns));
  auto loop = scf::ForOp::create(builder, loc, math.add(begin, lane), end,
                                 get(kernels.lanes));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

Value ScatterKernels::Thread::either(Value condition, Type type,
                                     function_ref<Value()> yes,
                                     function_ref<Value()> no) {
  auto branch =
      scf::IfOp::create(builder, loc, type ? TypeRange(type) : TypeRange(),
                        condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  for (auto [block, body] : {std::pair(branch.thenBlock(), yes),
                             std::pair(branch.elseBlock(), no)}) {
    builder.setInsertionPointToStart(block);
    Value value = body();
    if (type)
      scf::YieldOp::create(builder, loc, value);
  }
  return type ? branch.getResult(0) : Value();
}

/// Some values are loaded before they are combined.
Value ScatterKernels::Thread::combineRange(
    Value from, Value to, Value start, function_ref<Value(Value)> getValue) {
  Value sum = start, begin = from;
  for (int64_t step : {kUnrolled, int64_t(1)}) {
    Value count = math.div(math.sub(to, begin), index(step));
    Value end = math.add(begin, math.mul(count, index(step)));
    auto loop = scf::ForOp::create(builder, loc, begin, end, index(step), sum);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> values;
    for (int64_t at = 0; at < step; ++at)
      values.push_back(getValue(math.add(loop.getInductionVar(), index(at))));
    Value next = loop.getRegionIterArg(0);
    for (Value value : values)
      next = combine(next, value);
    scf::YieldOp::create(builder, loc, next);
    sum = loop.getResult(0);
    begin = end;
  }
  return sum;
}

Value ScatterKernels::Thread::combine(Value sum, Value value) {
  const ElementUpdate &update = *kernels.division.getUpdate();
  IRMapping map(kernel.map);
  map.map(update.load->getResult(0), sum);
  map.map(update.getOperand(), value);
  return builder.clone(*update.combiner, map)->getResult(0);
}

/// Finds what a thread combines of a run whose items, or parts of `stride`
/// items, are combined: from `run.first` on, which is a start of a run or a
/// multiple of `length`, the next longer part.
void ScatterKernels::Thread::findPart(Run &run, Value isStart, Value length) {
  Value one = index(1), zero = index(0);
  Value isFar = compare(CmpIPredicate::uge, run.first, length);
  Value earliest = select(isFar, math.sub(run.first, length), zero);
  Value begin =
      findFirst(select(isStart, run.first, earliest), run.first, run.key);
  run.isLong = hasKey(math.add(begin, length), run.key);
  // A short run is one part, even if it goes past a multiple.
  run.exists = create<arith::OrIOp>(isStart, run.isLong);
  Value number = math.add(math.div(run.first, length), one);
  Value limit =
      select(run.isLong, math.mul(number, length), math.add(run.first, length));
  run.end = findEnd(math.add(run.first, one),
                    math.min(limit, get(kernels.items)), run.key);
}

/// Where a part is left that begins with an item.
Value ScatterKernels::Thread::getSlot(Value position, Value isStart) {
  IndexMath &m = math;
  Value windows = m.ceilDiv(get(kernels.items), kScatterPart);
  Value window =
      m.add(m.mul(row, windows), m.div(position, index(kScatterPart)));
  return m.add(m.mul(window, index(2)), select(isStart, index(1), index(0)));
}

/// Combines the element of a place with a value.
void ScatterKernels::Thread::update(IRMapping &map, Value value) {
  const Ownership &ownership = *kernels.division.getOwnership();
  SmallVector<Value> at = getPlace(map);
  Value buffer = get(ownership.buffer);
  store(combine(load(buffer, at), value), buffer, at);
}
