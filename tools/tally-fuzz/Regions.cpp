//===- Regions.cpp - Random control flow and calls ------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally::fuzz;

/// How deep regions may be.
static constexpr unsigned kMaxDepth = 2;
/// The most iterations of a loop.
static constexpr int64_t kMaxIterations = 4;
/// What a size that a loop or a branch decides is taken to be at most.
static constexpr int64_t kLikelySize = 16;

class Generator::Scope {
public:
  explicit Scope(Generator &generator)
      : generator(generator), size(generator.pool.size()), guard(generator.b) {
    ++generator.depth;
  }
  ~Scope() {
    --generator.depth;
    generator.pool.erase(generator.pool.begin() + size, generator.pool.end());
  }

private:
  Generator &generator;
  size_t size;
  OpBuilder::InsertionGuard guard;
};

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::vector<Generator::Carry> Generator::pickCarries(unsigned most) {
  std::vector<Carry> carries;
  for (unsigned i = random.below(most + 1); i > 0; --i) {
    std::optional<Item> item = pick([](const Item &) { return true; });
    if (!item)
      break;
    // Two carries of one type can be swapped.
    if (!carries.empty() && random.chance(40))
      if (std::optional<Item> alike = pick([&](const Item &other) -> bool {
            return other.value.getType() == carries.back().init.value.getType();
          }))
        item = alike;
    Carry carry = {*item, random.chance(30), item->value.getType()};
    if (item->isTensor() && carry.changes)
      carry.type = RankedTensorType::get(
          SmallVector<int64_t>(item->getRank(), ShapedType::kDynamic),
          item->getElementType());
    carries.push_back(carry);
  }
  return carries;
}

SmallVector<Value> Generator::getInits(ArrayRef<Carry> carries) {
  SmallVector<Value> inits;
  for (const Carry &carry : carries)
    inits.push_back(carry.init.isTensor() ? castTo(carry.init.value, carry.type)
                                          : carry.init.value);
  return inits;
}

/// What a carry is inside of the loop, and behind it.
void Generator::addCarries(ArrayRef<Carry> carries, ValueRange values) {
  for (auto [carry, value] : llvm::zip_equal(carries, values)) {
    if (!carry.init.isTensor()) {
      add(value, allowInexact);
      continue;
    }
    SmallVector<Quantity> shape;
    for (const Quantity &size : carry.init.shape)
      shape.push_back(carry.changes ? unknown(0, kLikelySize) : size);
    add(value, shape, allowInexact);
  }
}

/// What the next iteration carries on.
SmallVector<Value> Generator::pickYields(ArrayRef<Carry> carries,
                                         ValueRange inside) {
  SmallVector<Value> yields;
  for (auto [carry, old] : llvm::zip_equal(carries, inside)) {
    const Item &init = carry.init;
    bool changes = carry.changes;
    std::optional<Item> item = pick([&](const Item &other) -> bool {
      if (!init.isTensor())
        return other.value.getType() == init.value.getType();
      if (!other.isTensor() || other.getRank() != init.getRank() ||
          other.getElementType() != init.getElementType())
        return false;
      return changes || llvm::all_of(llvm::zip_equal(other.shape, init.shape),
                                     [](auto pair) {
                                       return areEqual(std::get<0>(pair),
                                                       std::get<1>(pair));
                                     });
    });
    Value value = item ? item->value : old;
    yields.push_back(init.isTensor() ? castTo(value, carry.type) : value);
  }
  return yields;
}

bool Generator::emitFor() {
  if (depth >= kMaxDepth)
    return false;
  Item lower = indexConstant(random.below(2)), step = indexConstant(1);
  Item upper = indexConstant(random.in(0, kMaxIterations));
  if (random.chance(70))
    if (std::optional<Item> size = pickSize(0, kMaxIterations))
      upper = *size;
  if (random.chance(15))
    if (std::optional<Item> size = pickSize(0, 3))
      lower = *size;
  if (random.chance(30)) {
    step = indexConstant(random.in(1, 3));
    if (std::optional<Item> size = pickSize(1, 4))
      step = *size;
  }
  std::vector<Carry> carries = pickCarries(3);
  SmallVector<Value> inits = getInits(carries);
  auto loop =
      scf::ForOp::create(b, lower.value, upper.value, step.value, inits);
  {
    Scope scope(*this);
    b.setInsertionPointToStart(loop.getBody());
    Quantity last = combine(upper.number, constant(1), std::minus<int64_t>());
    Quantity variable =
        combine(lower.number, last, [](int64_t p, int64_t) { return p; });
    for (auto [call, end] : llvm::zip_equal(variable.calls, last.calls))
      call.high = std::max(call.low, end.high);
    add(loop.getInductionVar(), variable);
    addCarries(carries, loop.getRegionIterArgs());
    emitSome(random.in(1, 4));
    SmallVector<Value> yields = pickYields(carries, loop.getRegionIterArgs());
    // A loop without results has its terminator already.
    if (!carries.empty())
      scf::YieldOp::create(b, yields);
  }
  addCarries(carries, loop.getResults());
  return true;
}

/// Counts to a limit, and may stop earlier.
bool Generator::emitWhile() {
  if (depth >= kMaxDepth)
    return false;
  std::optional<Item> limit = pickSize(0, kMaxIterations);
  if (!limit)
    limit = indexConstant(2);
  Value zero = indexConstant(0).value;
  std::vector<Carry> carries = pickCarries(2);
  SmallVector<Value> inits = getInits(carries);
  inits.push_back(zero);
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> locations(types.size(), b.getLoc());
  auto loop = scf::WhileOp::create(b, types, inits);
  Block *before = b.createBlock(&loop.getBefore(), {}, types, locations);
  Block *after = b.createBlock(&loop.getAfter(), {}, types, locations);
  unsigned count = carries.size();
  Quantity counter = unknown(0, limit->number.getMax());
  {
    Scope scope(*this);
    b.setInsertionPointToStart(before);
    addCarries(carries, before->getArguments().take_front(count));
    add(before->getArgument(count), counter);
    if (random.chance(30))
      emitSome(random.in(1, 2));
    Value goesOn = arith::CmpIOp::create(
        b, arith::CmpIPredicate::slt, before->getArgument(count), limit->value);
    if (random.chance(30))
      goesOn = arith::AndIOp::create(b, goesOn, pickCondition());
    SmallVector<Value> passed(before->getArguments());
    if (count == 2 && types[0] == types[1] && random.chance(50) &&
        carries[0].changes && carries[1].changes)
      std::swap(passed[0], passed[1]);
    scf::ConditionOp::create(b, goesOn, passed);
  }
  {
    Scope scope(*this);
    b.setInsertionPointToStart(after);
    addCarries(carries, after->getArguments().take_front(count));
    add(after->getArgument(count), counter);
    emitSome(random.in(1, 3));
    SmallVector<Value> yields =
        pickYields(carries, after->getArguments().take_front(count));
    Value one = indexConstant(1).value;
    yields.push_back(arith::AddIOp::create(b, after->getArgument(count), one));
    scf::YieldOp::create(b, yields);
  }
  b.setInsertionPointAfter(loop);
  addCarries(carries, loop.getResults().take_front(count));
  add(loop.getResult(count), counter);
  return true;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

Value Generator::pickCondition() {
  if (std::optional<Item> item = pick([](const Item &other) {
        return !other.isTensor() && other.value.getType().isInteger(1);
      });
      item && random.chance(50))
    return item->value;
  std::optional<Item> x = pickSize(0, 1000), y = pickSize(0, 1000);
  if (x && y && random.chance(70)) {
    if (random.chance(50))
      y = indexConstant(random.in(0, 4));
    auto predicate = static_cast<arith::CmpIPredicate>(random.below(10));
    return arith::CmpIOp::create(b, predicate, x->value, y->value);
  }
  return makeScalar(b.getI1Type(), getLeaves(), 2, true).value;
}

/// What the branches have in common: the types of some values.
std::vector<Generator::Join> Generator::pickJoins() {
  std::vector<Join> joins;
  for (int64_t i = random.in(1, 2); i > 0; --i) {
    std::optional<Item> item = pick([](const Item &) { return true; });
    if (!item)
      break;
    Join join = {item->value.getType(), item->shape, random.chance(60),
                 allowInexact};
    if (item->isTensor() && !join.sameSizes)
      join.type = RankedTensorType::get(
          SmallVector<int64_t>(item->getRank(), ShapedType::kDynamic),
          item->getElementType());
    joins.push_back(join);
  }
  return joins;
}

SmallVector<Value> Generator::pickJoined(ArrayRef<Join> joins) {
  SmallVector<Value> values;
  for (const Join &join : joins) {
    auto type = dyn_cast<RankedTensorType>(join.type);
    std::optional<Item> item = pick([&](const Item &other) {
      if (!type)
        return other.value.getType() == join.type;
      if (!other.isTensor() || other.getRank() != type.getRank() ||
          other.getElementType() != type.getElementType())
        return false;
      return !join.sameSizes ||
             llvm::all_of(
                 llvm::zip_equal(other.shape, join.shape), [](auto pair) {
                   return areEqual(std::get<0>(pair), std::get<1>(pair));
                 });
    });
    values.push_back(type ? castTo(item->value, type) : item->value);
  }
  return values;
}

void Generator::addJoined(ArrayRef<Join> joins, ValueRange results) {
  for (auto [join, result] : llvm::zip_equal(joins, results)) {
    if (!isa<RankedTensorType>(join.type)) {
      add(result, join.inexact);
      continue;
    }
    SmallVector<Quantity> shape;
    for (const Quantity &size : join.shape)
      shape.push_back(join.sameSizes ? size : unknown(0, kLikelySize));
    add(result, shape, join.inexact);
  }
}

void Generator::emitBranch(Block *block, ArrayRef<Join> joins, bool isTally) {
  Scope scope(*this);
  b.setInsertionPointToEnd(block);
  emitSome(random.below(4));
  SmallVector<Value> values = pickJoined(joins);
  if (isTally)
    tally::YieldOp::create(b, values);
  else
    scf::YieldOp::create(b, values);
}

static SmallVector<Type> getTypes(ArrayRef<Type> types) {
  return SmallVector<Type>(types);
}

bool Generator::emitIf() {
  std::vector<Join> joins = pickJoins();
  if (depth >= kMaxDepth || joins.empty())
    return false;
  Value condition = pickCondition();
  SmallVector<Type> types;
  for (const Join &join : joins)
    types.push_back(join.type);
  auto op = scf::IfOp::create(b, types, condition, /*addThenBlock=*/true,
                              /*addElseBlock=*/true);
  emitBranch(op.thenBlock(), joins, /*isTally=*/false);
  emitBranch(op.elseBlock(), joins, /*isTally=*/false);
  addJoined(joins, op.getResults());
  return true;
}

/// tally.cond, whose branches take operands or use what is outside.
bool Generator::emitCond() {
  std::vector<Join> joins = pickJoins();
  if (depth >= kMaxDepth || joins.empty())
    return false;
  Value condition = pickCondition();
  std::vector<Item> inputs;
  for (int64_t i = random.below(3); i > 0; --i)
    inputs.push_back(*pick([](const Item &) { return true; }));
  SmallVector<Value> values;
  SmallVector<Type> types, inputTypes;
  for (const Join &join : joins)
    types.push_back(join.type);
  for (const Item &input : inputs) {
    values.push_back(input.value);
    inputTypes.push_back(input.value.getType());
  }
  auto op =
      tally::CondOp::create(b, types, condition, values, tally::BindingsAttr());
  SmallVector<Location> locations(inputs.size(), b.getLoc());
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    Block *block;
    {
      OpBuilder::InsertionGuard guard(b);
      block = b.createBlock(region, {}, getTypes(inputTypes), locations);
    }
    size_t size = pool.size();
    for (auto [input, argument] :
         llvm::zip_equal(inputs, block->getArguments())) {
      Item inside = input;
      inside.value = argument;
      pool.push_back(inside);
    }
    emitBranch(block, joins, /*isTally=*/true);
    pool.erase(pool.begin() + size, pool.end());
  }
  addJoined(joins, op.getResults());
  return true;
}

bool Generator::emitSwitch() {
  std::vector<Join> joins = pickJoins();
  std::optional<Item> index = pickSize(-100, 100);
  if (depth >= kMaxDepth || joins.empty() || !index)
    return false;
  SmallVector<Type> types;
  for (const Join &join : joins)
    types.push_back(join.type);
  SmallVector<int64_t> cases = {0};
  if (random.chance(60))
    cases.push_back(random.in(1, 4));
  auto op =
      scf::IndexSwitchOp::create(b, types, index->value, cases, cases.size());
  for (Region &region : op->getRegions()) {
    Block *block;
    {
      OpBuilder::InsertionGuard guard(b);
      block = b.createBlock(&region);
    }
    emitBranch(block, joins, /*isTally=*/false);
  }
  addJoined(joins, op.getResults());
  return true;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Adds a private function of arguments like the operands. Returns the items
/// that it returns, as they are inside.
std::vector<Item> Generator::emitFunction(StringRef name,
                                          ArrayRef<Item> operands) {
  auto types = llvm::map_to_vector(
      operands, [](const Item &item) { return item.value.getType(); });
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(b, name, b.getFunctionType(types, {}));
  function.setPrivate();
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  std::vector<Item> outside, results;
  std::swap(pool, outside);
  ++depth;
  for (auto [operand, argument] :
       llvm::zip_equal(operands, entry->getArguments())) {
    Item inside = operand;
    inside.value = argument;
    pool.push_back(inside);
  }
  emitSome(random.in(1, 4));
  for (int64_t i = random.in(1, 2); i > 0; --i)
    results.push_back(*pick([](const Item &) { return true; }));
  auto returned =
      llvm::map_to_vector(results, [](const Item &item) { return item.value; });
  func::ReturnOp::create(b, returned);
  function.setFunctionType(
      b.getFunctionType(types, TypeRange(ValueRange(returned))));
  --depth;
  std::swap(pool, outside);
  return results;
}

/// A new private function of some values, called once or twice.
bool Generator::emitCall() {
  if (depth >= kMaxDepth)
    return false;
  std::vector<Item> operands;
  SmallVector<Value> values;
  for (int64_t i = random.in(1, 3); i > 0; --i) {
    std::optional<Item> item = pick([](const Item &) { return true; });
    if (!item)
      return false;
    operands.push_back(*item);
    values.push_back(item->value);
  }
  std::string name = "f" + std::to_string(numFunctions++);
  std::vector<Item> results = emitFunction(name, operands);
  auto resultTypes = llvm::map_to_vector(
      results, [](const Item &item) { return item.value.getType(); });
  bool isSubgraph = random.chance(40);
  for (int64_t i = random.in(1, 2); i > 0; --i) {
    Operation *call = isSubgraph
                          ? tally::InvokeSubgraphOp::create(
                                b, resultTypes, name, values,
                                tally::BindingsAttr(), ArrayAttr(), ArrayAttr())
                                .getOperation()
                          : func::CallOp::create(b, name, resultTypes, values);
    for (auto [result, value] : llvm::zip_equal(results, call->getResults())) {
      Item item = result;
      item.value = value;
      pool.push_back(item);
    }
    // Once more, with other values of the same types and sizes.
    for (auto [operand, value] : llvm::zip_equal(operands, values)) {
      const Item &old = operand;
      std::optional<Item> other = pick([&](const Item &item) -> bool {
        return item.value.getType() == old.value.getType() &&
               item.inexact == old.inexact && item.isTensor() &&
               llvm::all_of(
                   llvm::zip_equal(item.shape, old.shape), [](auto pair) {
                     return areEqual(std::get<0>(pair), std::get<1>(pair));
                   });
      });
      if (other)
        value = other->value;
    }
  }
  return true;
}
