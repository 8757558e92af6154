//===- ScatterKernels.cpp - Writes in the order of their places -----------===//
//
// What is the same for all columns is found out by each thread of a team, from
// the keys: which items belong to a run, the items of one element, and how long
// that is. A run is summed up as one part, or, if it is longer than a part may
// be, in parts that end at multiples of its length, which are joined in the
// same way. So the order depends on the indices alone.
//
//===----------------------------------------------------------------------===//

#include "ScatterThread.h"

using namespace mlir;
using namespace tally::codegen;
using arith::CmpIPredicate;

static constexpr int64_t kThreads = 128;
/// So few items are looked at by every owner of elements.
static constexpr int64_t kFewItems = 64;
/// So many threads, each of which goes through all items of its row, keep a GPU
/// busy, unless there are more items than this.
static constexpr int64_t kManyPoints = 65536, kManyItems = 1024;
/// A warp takes so many columns where there are at least as many as it has
/// threads; else a thread takes all of them.
static constexpr int64_t kWarp = 32, kWarpColumns = 256;
/// A block sorts so many items of a row, which update so many elements.
static constexpr int64_t kBlockItems = 1024, kBlockElements = 32768;

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

/// Whether a slice, or what it computes, uses the index of a loop.
static bool dependsOn(const Ownership &ownership, scf::ForOp loop) {
  Value index = loop.getInductionVar();
  return llvm::is_contained(ownership.places, index) ||
         llvm::any_of(ownership.slice, [&](Operation *op) {
           return llvm::is_contained(op->getOperands(), index);
         });
}

ScatterKernels::ScatterKernels(const NestDivision &division, OpBuilder &host,
                               StringRef function)
    : division(division), host(host),
      loc(scf::ForOp(division.getNest().getLoops().front()).getLoc()),
      math(host, loc), function(function.str()) {
  const Ownership &ownership = *division.getOwnership();
  for (scf::ForOp loop : division.getIndependent()) {
    bool isOfRows = dependsOn(ownership, loop);
    (isOfRows ? rowLoops : columnLoops).push_back(loop);
    (isOfRows ? rowCounts : columnCounts)
        .push_back(createTripCount(host, loop));
  }
  for (scf::ForOp loop : division.getOthers())
    itemCounts.push_back(createTripCount(host, loop));
  rows = math.product(rowCounts);
  columns = math.product(columnCounts);
  items = math.product(itemCounts);
  SmallVector<Value> extents;
  for (int64_t dim : ownership.dims)
    extents.push_back(
        host.createOrFold<memref::DimOp>(loc, ownership.buffer, dim));
  places = math.product(extents);
}

Value ScatterKernels::createIsWorth() {
  // Keys and places are an i32.
  Value limit = math.constant(int64_t(1) << 32);
  Value hasKeys = host.createOrFold<arith::AndIOp>(
      loc, compare(CmpIPredicate::ule, places, limit),
      compare(CmpIPredicate::ult, items, limit));
  Value areFew = compare(CmpIPredicate::ult, math.mul(rows, columns),
                         math.constant(kManyPoints));
  Value wanted = host.createOrFold<arith::SelectOp>(
      loc, areFew, math.constant(kFewItems), math.constant(kManyItems));
  Value areMany = host.createOrFold<arith::AndIOp>(
      loc, compare(CmpIPredicate::ugt, items, wanted),
      compare(CmpIPredicate::ne, columns, math.constant(0)));
  return host.createOrFold<arith::AndIOp>(loc, hasKeys, areMany);
}

Value ScatterKernels::allocate(Type element, ValueRange sizes) {
  SmallVector<int64_t> shape(sizes.size(), ShapedType::kDynamic);
  return memref::AllocOp::create(host, loc, MemRefType::get(shape, element),
                                 sizes);
}

/// Makes a kernel that sees what the nest does, the numbers of items and
/// columns, and more.
Kernel ScatterKernels::make(StringRef suffix, ArrayRef<Value> buffers,
                            ValueRange numbers, int64_t numThreads) {
  scf::ForOp outer = division.getNest().getLoops().front();
  llvm::SetVector<Value> captures = collectCaptures(outer);
  SmallVector<Value> given;
  for (Value capture : captures)
    if (isa<MemRefType>(capture.getType()))
      given.push_back(capture);
  captures.insert(buffers.begin(), buffers.end());
  for (ArrayRef<Value> counts :
       {ArrayRef(rowCounts), ArrayRef(columnCounts), ArrayRef(itemCounts)})
    captures.insert(counts.begin(), counts.end());
  captures.insert(items);
  captures.insert(numbers.begin(), numbers.end());
  Kernel kernel = createKernel(host, loc, (function + suffix).str(),
                               captures.getArrayRef());
  kernel.function.setKnownBlockSizeAttr(
      host.getDenseI32ArrayAttr({int32_t(numThreads), 1, 1}));
  division.annotatePointers(kernel.function, given);
  for (size_t at = 0; at < buffers.size(); ++at)
    kernel.function.setArgAttr(given.size() + at, "llvm.noalias",
                               host.getUnitAttr());
  return kernel;
}

/// Goes through the threads of teams with a stride, from a number on. The
/// numbers of teams begin at `first`.
void ScatterKernels::forTeams(Thread &thread, Value from, Value to,
                              Value stride, Value first, bool hasColumns,
                              function_ref<void(Thread &)> fill) {
  auto loop = scf::ForOp::create(thread.builder, loc, from, to, stride);
  OpBuilder::InsertionGuard guard(thread.builder);
  thread.builder.setInsertionPointToStart(loop.getBody());
  thread.number = loop.getInductionVar();
  if (hasColumns) {
    thread.lane = thread.math.rem(thread.number, thread.get(lanes));
    Value team = thread.math.div(thread.number, thread.get(lanes));
    thread.group = thread.math.rem(team, thread.get(groups));
    thread.number = thread.math.div(team, thread.get(groups));
  }
  if (first)
    thread.number = thread.math.add(first, thread.number);
  fill(thread);
}

/// Launches teams, each of which finds its number in its threads.
void ScatterKernels::launch(StringRef suffix, ArrayRef<Value> buffers,
                            Value number, Value teams, bool hasColumns,
                            function_ref<void(Thread &)> fill) {
  SmallVector<Value> numbers;
  if (number)
    numbers.push_back(number);
  Value total = teams;
  if (hasColumns) {
    total = math.mul(math.mul(teams, groups), lanes);
    numbers.append({columns, lanes, width, groups});
  }
  numbers.push_back(total);
  Kernel kernel = make(suffix, buffers, numbers, kThreads);
  OpBuilder builder = kernel.getBodyBuilder();
  Thread thread(*this, kernel, builder);
  auto id = [&](auto op) -> Value { return op; };
  Value block = id(gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x));
  Value local = id(gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x));
  Value blocks = id(gpu::GridDimOp::create(builder, loc, gpu::Dimension::x));
  Value threads = thread.index(kThreads);
  forTeams(thread, thread.math.add(thread.math.mul(block, threads), local),
           thread.get(total), thread.math.mul(blocks, threads),
           /*first=*/Value(), hasColumns, fill);
  launchKernel(host, loc, kernel,
               math.min(math.ceilDiv(total, kThreads),
                        math.constant(std::numeric_limits<int32_t>::max())),
               math.constant(kThreads));
}

/// Sorts items by a key, the number of the place that they write.
void ScatterKernels::createOrder() {
  Type word = host.getI32Type();
  Value keys = allocate(word, {rows, items});
  sorted = allocate(word, {rows, items});
  order = allocate(host.getI64Type(), {rows, items});
  launch("_keys", keys, Value(), math.mul(rows, items), /*hasColumns=*/false,
         [&](Thread &thread) { fillKey(thread, keys); });
  auto sort = tally::SortOp::create(
      host, loc, TypeRange(), keys, sorted, order, /*first=*/Value(),
      /*dim=*/1, /*descending=*/false, /*is_unsigned=*/true);
  scheduleSort(sort, places);
  free(keys);
}

void ScatterKernels::run() {
  Value isWide = compare(CmpIPredicate::uge, columns, math.constant(kWarp));
  auto choose = [&](Value yes, Value no) {
    return host.createOrFold<arith::SelectOp>(loc, isWide, yes, no);
  };
  lanes = choose(math.constant(kWarp), math.constant(1));
  width = choose(math.constant(kWarpColumns), math.constant(kWarp));
  groups = choose(math.ceilDiv(columns, kWarpColumns), math.constant(1));
  Value areFew = host.createOrFold<arith::AndIOp>(
      loc, compare(CmpIPredicate::ule, items, math.constant(kBlockItems)),
      compare(CmpIPredicate::ule, math.mul(items, columns),
              math.constant(kBlockElements)));
  tally::codegen::choose(
      host, loc, areFew, [&] { launchBlocks(); },
      [&] {
        createOrder();
        if (hasSums())
          launchSums();
        else
          launchWhole();
        free(order);
        free(sorted);
      });
}

//===----------------------------------------------------------------------===//
// Few items
//===----------------------------------------------------------------------===//

/// A block for each row sorts its items in shared memory, and then does what
/// teams of several launches do otherwise.
void ScatterKernels::launchBlocks() {
  Value partials, stride = math.constant(kScatterPart);
  Emitter emitter(host, loc);
  Value digits = createNumDigits(emitter, places, /*all=*/4);
  SmallVector<Value> buffers;
  if (hasSums())
    buffers.push_back(partials = allocatePartials());
  Kernel kernel =
      make("_blocks", buffers, {columns, lanes, width, groups, digits, stride},
           kSortThreads);
  fillBlock(kernel, digits, partials, stride);
  launchKernel(host, loc, kernel, rows, math.constant(kSortThreads));
  if (partials)
    free(partials);
}

void ScatterKernels::fillBlock(Kernel &kernel, Value digits, Value partials,
                               Value stride) {
  OpBuilder builder = kernel.getBodyBuilder();
  ThreadEmitter block(builder, kernel.function);
  TileOrder tile(block, kBlockItems / kSortThreads, builder.getI32Type());
  Thread thread(*this, kernel, builder);
  Value all = thread.get(items);
  thread.row = block.block;
  for (int64_t number = 0; number < kBlockItems / kSortThreads; ++number) {
    Value position =
        thread.math.add(block.thread, thread.index(number * kSortThreads));
    Value exists = block.compare(CmpIPredicate::ult, position, all);
    Value key = block.ifElseZero(exists, builder.getI32Type(), [&] {
      return SmallVector<Value>{getKey(thread, position)};
    })[0];
    tile.store({key, block.cast(position, builder.getI32Type())}, position);
  }
  tile.sort(all, thread.get(digits));
  thread.tile = &tile;
  auto forAll = [&](Value teams, function_ref<void(Thread &)> fill) {
    Value total = thread.math.mul(thread.math.mul(teams, thread.get(groups)),
                                  thread.get(lanes));
    forTeams(thread, block.thread, total, block.index(kSortThreads),
             thread.math.mul(block.block, teams), /*hasColumns=*/true, fill);
  };
  if (!partials)
    return forAll(all, [&](Thread &thread) { fillWhole(thread); });
  forAll(all, [&](Thread &thread) { fillSums(thread, partials); });
  block.barrier();
  Value parts = thread.math.ceilDiv(all, kScatterPart);
  forAll(thread.math.mul(parts, thread.index(2)),
         [&](Thread &thread) { fillJoins(thread, partials, stride); });
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

Value ScatterKernels::getKey(Thread &thread, Value item) {
  IRMapping map = thread.enter(thread.index(0), item);
  const Ownership &ownership = *division.getOwnership();
  for (Operation *op : ownership.slice)
    thread.builder.clone(*op, map);
  Value key;
  for (auto [place, dim] : llvm::zip_equal(ownership.places, ownership.dims)) {
    Value at = map.lookupOrDefault(place);
    Value extent = thread.size(thread.get(ownership.buffer), dim);
    key = key ? thread.math.add(thread.math.mul(key, extent), at) : at;
  }
  return thread.cast(key, thread.builder.getI32Type());
}

void ScatterKernels::fillKey(Thread &thread, Value keys) {
  thread.row = thread.math.div(thread.number, thread.get(items));
  Value item = thread.math.rem(thread.number, thread.get(items));
  thread.store(getKey(thread, item), thread.get(keys), {thread.row, item});
}

//===----------------------------------------------------------------------===//
// Whole iterations
//===----------------------------------------------------------------------===//

/// Runs the iterations of each element in their order, or only the last of
/// them where each writes the element anew.
void ScatterKernels::launchWhole() {
  launch(division.isOverwriting() ? "_last" : "_runs", {sorted, order}, Value(),
         math.mul(rows, items), /*hasColumns=*/true,
         [&](Thread &thread) { fillWhole(thread); });
}

void ScatterKernels::fillWhole(Thread &thread) {
  IndexMath &inner = thread.math;
  Value all = thread.get(items), position = inner.rem(thread.number, all);
  thread.row = inner.div(thread.number, all);
  Value key = thread.keyAt(position),
        next = inner.add(position, thread.index(1));
  bool isLastOnly = division.isOverwriting();
  Value isMine = isLastOnly ? thread.negate(thread.hasKey(next, key))
                            : thread.isStart(position, key);
  auto runIteration = [&](Value column, Value at) {
    IRMapping map = thread.enter(column, thread.itemAt(at));
    for (Operation &op : division.getBody()->without_terminator())
      thread.builder.clone(op, map);
  };
  thread.ifThen(isMine, [&] {
    if (isLastOnly)
      return thread.forColumns(
          [&](Value column) { runIteration(column, position); });
    Value end = thread.findEnd(next, all, key);
    thread.forColumns([&](Value column) {
      auto loop = scf::ForOp::create(thread.builder, loc, position, end,
                                     thread.index(1));
      OpBuilder::InsertionGuard guard(thread.builder);
      thread.builder.setInsertionPointToStart(loop.getBody());
      runIteration(column, loop.getInductionVar());
    });
  });
}

//===----------------------------------------------------------------------===//
// Sums in parts
//===----------------------------------------------------------------------===//

Value ScatterKernels::allocatePartials() {
  Value slots = math.mul(math.ceilDiv(items, kScatterPart), math.constant(2));
  return allocate(division.getUpdate()->getType(),
                  {math.mul(rows, slots), columns});
}

/// Parts of items, then what these were combined to, as many as are a part at
/// a time, until a run of all items would be one part.
void ScatterKernels::launchSums() {
  Value partials = allocatePartials();
  launch("_sums", {sorted, order, partials}, Value(), math.mul(rows, items),
         /*hasColumns=*/true,
         [&](Thread &thread) { fillSums(thread, partials); });
  Value part = math.constant(kScatterPart);
  Type type = host.getIndexType();
  auto loop = scf::WhileOp::create(host, loc, type, part);
  {
    OpBuilder::InsertionGuard guard(host);
    Block *before = host.createBlock(&loop.getBefore(), {}, type, loc);
    Value stride = before->getArgument(0);
    scf::ConditionOp::create(
        host, loc, compare(CmpIPredicate::ult, stride, items), stride);
    Block *after = host.createBlock(&loop.getAfter(), {}, type, loc);
    stride = after->getArgument(0);
    launchJoins(partials, stride);
    scf::YieldOp::create(host, loc, math.mul(stride, part));
  }
  free(partials);
}

void ScatterKernels::fillSums(Thread &thread, Value partials) {
  IndexMath &inner = thread.math;
  const ElementUpdate &update = *division.getUpdate();
  Value all = thread.get(items), one = thread.index(1);
  Run run;
  run.first = inner.rem(thread.number, all);
  thread.row = inner.div(thread.number, all);
  run.key = thread.keyAt(run.first);
  Value isStart = thread.isStart(run.first, run.key);
  Value isMultiple = thread.compare(
      CmpIPredicate::eq, inner.rem(run.first, thread.index(kScatterPart)),
      thread.index(0));
  auto getValue = [&](Value column, Value position) {
    IRMapping map = thread.enter(column, thread.itemAt(position));
    return thread.cloned(map, *update.slice, update.getOperand());
  };
  auto addColumn = [&](Value column) {
    IRMapping map = thread.enter(column, thread.itemAt(run.first));
    // A part begins with its first value, a whole run with the element.
    Value start = thread.either(
        run.isLong, update.getType(),
        [&] { return getValue(column, run.first); },
        [&] {
          SmallVector<Value> at = thread.getPlace(map);
          return thread.load(thread.get(division.getOwnership()->buffer), at);
        });
    Value begin =
        inner.add(run.first, thread.select(run.isLong, one, thread.index(0)));
    Value sum = thread.combineRange(begin, run.end, start, [&](Value position) {
      return getValue(column, position);
    });
    thread.either(
        run.isLong, Type(),
        [&] {
          thread.store(sum, thread.get(partials),
                       {thread.getSlot(run.first, isStart), column});
          return Value();
        },
        [&] {
          SmallVector<Value> at = thread.getPlace(map);
          thread.store(sum, thread.get(division.getOwnership()->buffer), at);
          return Value();
        });
  };
  thread.ifThen(thread.create<arith::OrIOp>(isStart, isMultiple), [&] {
    thread.findPart(run, isStart, thread.index(kScatterPart));
    thread.ifThen(run.exists, [&] { thread.forColumns(addColumn); });
  });
}

/// Of each part of `stride` items a team looks at its first item, which may go
/// on with a run, and for the first item of a run that is longer, of which no
/// two are in one part.
void ScatterKernels::launchJoins(Value partials, Value stride) {
  Value one = math.constant(1);
  Value count = math.div(math.add(items, math.sub(stride, one)), stride);
  Value teams = math.mul(math.mul(rows, count), math.constant(2));
  launch("_joins", {sorted, order, partials}, stride, teams,
         /*hasColumns=*/true,
         [&](Thread &thread) { fillJoins(thread, partials, stride); });
}

void ScatterKernels::fillJoins(Thread &thread, Value partials,
                               Value hostStride) {
  IndexMath &inner = thread.math;
  Value stride = thread.get(hostStride), all = thread.get(items);
  Value one = thread.index(1), two = thread.index(2), zero = thread.index(0);
  Value length = inner.mul(stride, thread.index(kScatterPart));
  Value count = inner.div(inner.add(all, inner.sub(stride, one)), stride);
  Value isStart =
      thread.compare(CmpIPredicate::ne, inner.rem(thread.number, two), zero);
  Value number = inner.div(thread.number, two);
  thread.row = inner.div(number, count);
  Value base = inner.mul(inner.rem(number, count), stride);
  // The run of the first item, or that of the item behind the last one.
  Value last = inner.sub(all, one);
  Value next = inner.min(inner.add(base, stride), last);
  Run run;
  run.key = thread.keyAt(thread.select(isStart, next, base));
  Value found =
      thread.findFirst(base, thread.select(isStart, next, base), run.key);
  run.first = thread.select(isStart, found, base);
  Value begins = thread.isStart(run.first, run.key);
  // Shorter runs are done.
  Value isStarting = thread.both(
      thread.both(begins, thread.compare(CmpIPredicate::ult, run.first,
                                         inner.add(base, stride))),
      thread.hasKey(inner.add(run.first, stride), run.key));
  Value isGoingOn = thread.both(
      thread.negate(begins),
      thread.compare(CmpIPredicate::eq, inner.rem(base, length), zero));
  thread.ifThen(thread.select(isStart, isStarting, isGoingOn), [&] {
    thread.findPart(run, isStart, length);
    thread.ifThen(run.exists, [&] {
      Value second =
          inner.mul(inner.add(inner.div(run.first, stride), one), stride);
      Value slot = thread.getSlot(run.first, isStart);
      Value isOther = arith::ConstantIntOp::create(thread.builder, loc, 0, 1);
      thread.forColumns([&](Value column) {
        Value begin = thread.load(thread.get(partials), {slot, column});
        auto loop = scf::ForOp::create(thread.builder, loc, second, run.end,
                                       stride, begin);
        {
          OpBuilder::InsertionGuard guard(thread.builder);
          thread.builder.setInsertionPointToStart(loop.getBody());
          Value from = thread.getSlot(loop.getInductionVar(), isOther);
          Value part = thread.load(thread.get(partials), {from, column});
          scf::YieldOp::create(thread.builder, loc,
                               thread.combine(loop.getRegionIterArg(0), part));
        }
        Value sum = loop.getResult(0);
        thread.either(
            run.isLong, Type(),
            [&] {
              thread.store(sum, thread.get(partials), {slot, column});
              return Value();
            },
            [&] {
              IRMapping map = thread.enter(column, thread.itemAt(run.first));
              thread.update(map, sum);
              return Value();
            });
      });
    });
  });
}
