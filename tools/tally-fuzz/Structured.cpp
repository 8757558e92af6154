//===- Structured.cpp - Random operations of linalg -----------------------===//

#include "Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"

#include <numeric>

using namespace mlir;
using namespace tally::fuzz;

/// Returns whether `op` is valid, and erases it if not: sizes that are equal in
/// the planned calls may be static in two types and differ there, as types tell
/// of calls that no one plans.
static bool keepIfValid(Operation *op) {
  ScopedDiagnosticHandler silence(op->getContext(),
                                  [](Diagnostic &) { return success(); });
  if (succeeded(verify(op)))
    return true;
  op->erase();
  return false;
}

//===----------------------------------------------------------------------===//
// linalg.generic
//===----------------------------------------------------------------------===//

/// Every dimension of the first input is a loop; some share one.
void Generator::addFirstInput(Structure &structure, const Item &item) {
  Operand operand = {item, {}};
  for (const Quantity &size : item.shape) {
    unsigned loop = structure.loops.size();
    for (unsigned i = 0; i < structure.loops.size(); ++i)
      if (areEqual(structure.loops[i], size) && random.chance(8))
        loop = i; // a diagonal
    if (loop == structure.loops.size()) {
      structure.loops.push_back(size);
      structure.covered.push_back(true);
    }
    operand.map.push_back(b.getAffineDimExpr(loop));
  }
  structure.inputs.push_back(operand);
}

/// An expression of the loops that stays inside of a dimension. Sets `loop`
/// where the expression is that loop alone.
std::optional<AffineExpr> Generator::matchLoops(const Structure &structure,
                                                const Quantity &size,
                                                unsigned &loop) {
  unsigned numLoops = structure.loops.size();
  SmallVector<unsigned> equal;
  for (unsigned i = 0; i < numLoops; ++i)
    if (areEqual(structure.loops[i], size))
      equal.push_back(i);
  if (!equal.empty() && random.chance(90)) {
    loop = random.pick(equal);
    return b.getAffineDimExpr(loop);
  }
  if (size.getMin() >= 1 && random.chance(15))
    return b.getAffineConstantExpr(0);
  if (numLoops == 0)
    return std::nullopt;
  // a * i + c * j, or the reverse of i.
  unsigned i = random.below(numLoops), j = random.below(numLoops);
  if (structure.loops[i].getConstant() == 0 ||
      structure.loops[j].getConstant() == 0)
    return std::nullopt;
  int64_t a = random.in(1, 2), c = random.in(0, 1);
  for (auto [n, p, q] : llvm::zip_equal(size.calls, structure.loops[i].calls,
                                        structure.loops[j].calls))
    if (a * (p.high - 1) + c * (q.high - 1) >= n.low && p.high && q.high)
      return std::nullopt;
  return b.getAffineDimExpr(i) * a + b.getAffineDimExpr(j) * c;
}

bool Generator::addInput(Structure &structure, const Item &item) {
  Operand operand = {item, {}};
  SmallVector<unsigned> covered;
  for (const Quantity &size : item.shape) {
    unsigned loop = structure.loops.size();
    std::optional<AffineExpr> expression = matchLoops(structure, size, loop);
    if (!expression)
      return false;
    if (loop < structure.loops.size())
      covered.push_back(loop);
    operand.map.push_back(*expression);
  }
  for (unsigned loop : covered)
    structure.covered[loop] = true;
  structure.inputs.push_back(operand);
  return true;
}

/// An output over the parallel loops, in any order. Where there is a reduction
/// its elements are read.
void Generator::addOutput(Structure &structure) {
  SmallVector<unsigned> loops;
  for (auto [loop, kind] : llvm::enumerate(structure.kinds))
    if (kind == utils::IteratorType::parallel)
      loops.push_back(loop);
  bool isReduction = loops.size() != structure.loops.size();
  if (random.chance(50))
    random.shuffle(loops);
  SmallVector<Quantity> shape;
  Operand operand;
  for (unsigned loop : loops) {
    shape.push_back(structure.loops[loop]);
    operand.map.push_back(b.getAffineDimExpr(loop));
  }
  Type element = random.chance(70) && !structure.inputs.empty()
                     ? structure.inputs.front().item.getElementType()
                     : randomElementType();
  std::optional<Item> existing = pickTensor([&](const Item &item) {
    return item.getRank() == static_cast<int64_t>(shape.size()) &&
           llvm::all_of(llvm::zip_equal(item.shape, shape), [](auto pair) {
             return areEqual(std::get<0>(pair), std::get<1>(pair));
           });
  });
  bool reads = isReduction || random.chance(30);
  if (existing && random.chance(35)) {
    operand.item = *existing;
  } else if (reads) {
    operand.item = makeFilled(shape, element);
  } else {
    operand.item.value = makeEmpty(shape, element);
    operand.item.shape.assign(shape.begin(), shape.end());
  }
  structure.outputs.push_back(operand);
  structure.reads.push_back(reads);
}

/// Numbers the loops anew.
void Generator::shuffleLoops(Structure &structure) {
  unsigned count = structure.loops.size();
  SmallVector<unsigned> order(count);
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  SmallVector<AffineExpr> renamed(count);
  SmallVector<utils::IteratorType, 4> kinds(count);
  SmallVector<Quantity, 4> loops(count);
  for (unsigned i = 0; i < count; ++i) {
    renamed[i] = b.getAffineDimExpr(order[i]);
    kinds[order[i]] = structure.kinds[i];
    loops[order[i]] = structure.loops[i];
  }
  structure.kinds = kinds;
  structure.loops = loops;
  auto rename = [&](Operand &operand) {
    for (AffineExpr &expression : operand.map)
      expression = expression.replaceDims(renamed);
  };
  llvm::for_each(structure.inputs, rename);
  llvm::for_each(structure.outputs, rename);
}

/// Chooses operands and loops; nothing if there is no tensor.
std::optional<Generator::Structure> Generator::makeStructure() {
  std::optional<Item> first = pickTensor();
  if (!first)
    return std::nullopt;
  Structure structure;
  addFirstInput(structure, *first);
  // A loop that only the output has.
  if (random.chance(25))
    if (std::optional<Item> size = pickSize(0, 6)) {
      structure.loops.push_back(size->number);
      structure.covered.push_back(false);
    }
  for (unsigned i = random.below(3), tries = 6; i > 0 && tries > 0; --tries)
    if (std::optional<Item> item = pickTensor())
      i -= addInput(structure, *item);
  unsigned reductions = random.pick({0, 0, 15, 40, 80});
  for (bool covered : structure.covered)
    structure.kinds.push_back(covered && random.chance(reductions)
                                  ? utils::IteratorType::reduction
                                  : utils::IteratorType::parallel);
  for (unsigned i = random.chance(20) ? 2 : 1; i > 0; --i)
    addOutput(structure);
  shuffleLoops(structure);
  return structure;
}

/// Fills the body of a structured operation and returns what it yields.
SmallVector<Leaf> Generator::emitGenericBody(const Structure &structure,
                                             ValueRange arguments,
                                             ArrayRef<bool> inexact,
                                             ArrayRef<Leaf> outside) {
  bool isReduction =
      llvm::is_contained(structure.kinds, utils::IteratorType::reduction);
  size_t numInputs = structure.inputs.size();
  SmallVector<Leaf> leaves, results;
  for (auto [argument, isInexact] : llvm::zip_equal(arguments, inexact))
    leaves.push_back({argument, isInexact});
  for (size_t i = structure.outputs.size(); i-- > 0;)
    if (isReduction || !structure.reads[i])
      leaves.erase(leaves.begin() + numInputs + i);
  if (!outside.empty() && random.chance(30))
    leaves.push_back(random.pick(outside));
  if (!structure.loops.empty() && random.chance(25))
    leaves.push_back(
        {linalg::IndexOp::create(b, random.below(structure.loops.size()))});
  SmallVector<Value> yields;
  for (auto [i, output] : llvm::enumerate(structure.outputs)) {
    Value old = arguments[numInputs + i];
    Leaf leaf = makeScalar(old.getType(), leaves, random.in(1, 3));
    if (isReduction)
      leaf = combineForReduction(
          old, {leaf.value, leaf.inexact || output.item.inexact});
    yields.push_back(leaf.value);
    results.push_back(leaf);
  }
  linalg::YieldOp::create(b, yields);
  return results;
}

bool Generator::emitGeneric() {
  std::optional<Structure> chosen = makeStructure();
  if (!chosen)
    return false;
  const Structure &structure = *chosen;
  SmallVector<Value> inputs, outputs;
  SmallVector<Type> types;
  SmallVector<AffineMap> maps;
  SmallVector<bool> inexact;
  unsigned numLoops = structure.loops.size();
  for (const Operand &operand : structure.inputs) {
    inputs.push_back(operand.item.value);
    inexact.push_back(operand.item.inexact);
    maps.push_back(AffineMap::get(numLoops, 0, operand.map, context));
  }
  for (const Operand &operand : structure.outputs) {
    outputs.push_back(operand.item.value);
    types.push_back(operand.item.value.getType());
    inexact.push_back(operand.item.inexact);
    maps.push_back(AffineMap::get(numLoops, 0, operand.map, context));
  }
  SmallVector<Leaf> outside = getLeaves(), results;
  OpBuilder::InsertionGuard guard(b);
  auto op = linalg::GenericOp::create(
      b, types, inputs, outputs, maps, structure.kinds,
      [&](OpBuilder &inner, Location, ValueRange arguments) {
        b.setInsertionPoint(inner.getInsertionBlock(),
                            inner.getInsertionPoint());
        results = emitGenericBody(structure, arguments, inexact, outside);
      });
  b.setInsertionPointAfter(op);
  if (!keepIfValid(op))
    return false;
  for (auto [i, output] : llvm::enumerate(structure.outputs))
    add(op.getResult(i), output.item.shape,
        results[i].inexact || output.item.inexact);
  return true;
}

/// A producer that adds to what is there, and a consumer with more loops.
bool Generator::emitAccumulateThenSpread() {
  std::optional<Item> source =
      pickTensor([](const Item &item) { return item.getRank() <= 2; });
  std::optional<Item> size = pickSize(0, 6);
  if (!source || !size)
    return false;
  int64_t rank = source->getRank();
  Type element = source->getElementType();
  Item init = makeFilled(source->shape, element);
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  bool inexact = source->inexact;
  auto combine = [&](OpBuilder &inner, Location loc, ValueRange arguments) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
    Leaf leaf = combineForReduction(arguments.back(),
                                    {arguments.front(), source->inexact});
    inexact |= leaf.inexact;
    linalg::YieldOp::create(b, leaf.value);
  };
  auto producer = linalg::GenericOp::create(
      b, init.value.getType(), source->value, init.value,
      ArrayRef{identity, identity}, kinds, combine);
  Item sum = add(producer.getResult(0), source->shape, inexact);
  SmallVector<Quantity> shape(sum.shape.begin(), sum.shape.end());
  unsigned at = random.below(rank + 1);
  shape.insert(shape.begin() + at, size->number);
  Item init2 = makeFilled(shape, element);
  kinds.push_back(utils::IteratorType::parallel);
  AffineMap all = b.getMultiDimIdentityMap(rank + 1);
  auto consumer = linalg::GenericOp::create(
      b, init2.value.getType(), sum.value, init2.value,
      ArrayRef{all.dropResult(at), all}, kinds, combine);
  add(consumer.getResult(0), shape, inexact);
  return true;
}

//===----------------------------------------------------------------------===//
// Named operations
//===----------------------------------------------------------------------===//

/// Whether two tensors have equal sizes.
static bool haveEqualShapes(const Item &a, const Item &b) {
  return a.getRank() == b.getRank() &&
         llvm::all_of(llvm::zip_equal(a.shape, b.shape), [](auto pair) {
           return areEqual(std::get<0>(pair), std::get<1>(pair));
         });
}

/// `arith` on whole tensors.
bool Generator::emitElementwise() {
  std::optional<Item> x = pickTensor();
  if (!x)
    return false;
  std::optional<Item> y = pickTensor([&](const Item &item) {
    return haveEqualShapes(item, *x) &&
           item.getElementType() == x->getElementType();
  });
  if (!y)
    return false;
  Value right = castTo(y->value, x->value.getType());
  bool inexact = x->inexact || y->inexact;
  Type element = x->getElementType();
  Value result;
  if (isa<FloatType>(element)) {
    if (!inexact && random.chance(20))
      result =
          arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x->value, right);
    else if (!inexact && random.chance(40))
      result = arith::MulFOp::create(b, x->value, right);
    else
      result = arith::AddFOp::create(b, x->value, right);
  } else if (random.chance(20)) {
    result =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x->value, right);
  } else if (random.chance(50)) {
    result = arith::AddIOp::create(b, x->value, right);
  } else {
    result = arith::MaxSIOp::create(b, x->value, right);
  }
  add(result, x->shape, inexact);
  return true;
}

bool Generator::emitNamedElementwise() {
  std::optional<Item> x = pickTensor(
      [](const Item &item) { return !item.getElementType().isIndex(); });
  if (!x)
    return false;
  std::optional<Item> y = pickTensor([&](const Item &item) {
    return haveEqualShapes(item, *x) &&
           item.getElementType() == x->getElementType();
  });
  Type element = x->getElementType();
  if (!y || element.isInteger(1))
    return false;
  Value empty = makeEmpty(x->shape, element);
  SmallVector<Value> inputs = {x->value, y->value};
  Operation *op = nullptr;
  bool inexact = x->inexact || y->inexact;
  switch (inexact ? 0 : random.below(4)) {
  case 0:
    op = linalg::AddOp::create(b, inputs, empty);
    break;
  case 1:
    op = linalg::SubOp::create(b, inputs, empty);
    break;
  case 2:
    op = linalg::MulOp::create(b, inputs, empty);
    break;
  default:
    op = linalg::MaxOp::create(b, inputs, empty);
    break;
  }
  if (!keepIfValid(op))
    return false;
  add(op->getResult(0), x->shape, inexact);
  return true;
}

bool Generator::emitFill() {
  SmallVector<Quantity> shape;
  for (unsigned rank = random.below(4); rank > 0; --rank) {
    std::optional<Item> size = pickSize(0, 8);
    shape.push_back(size ? size->number : constant(random.in(0, 3)));
  }
  makeFilled(shape, randomElementType());
  return true;
}

bool Generator::emitTranspose() {
  std::optional<Item> x =
      pickTensor([](const Item &item) { return item.getRank() >= 1; });
  if (!x)
    return false;
  SmallVector<int64_t> permutation(x->getRank());
  std::iota(permutation.begin(), permutation.end(), 0);
  random.shuffle(permutation);
  SmallVector<Quantity> shape;
  SmallVector<int64_t> types;
  for (int64_t dim : permutation) {
    shape.push_back(x->shape[dim]);
    types.push_back(getSizes(x->value)[dim]);
  }
  Value empty = makeEmptyLike(types, shape, x->getElementType());
  auto op = linalg::TransposeOp::create(b, x->value, empty, permutation);
  add(op->getResult(0), shape, x->inexact);
  return true;
}

bool Generator::emitBroadcast() {
  std::optional<Item> x =
      pickTensor([](const Item &item) { return item.getRank() <= 2; });
  std::optional<Item> size = pickSize(0, 6);
  if (!x || !size)
    return false;
  SmallVector<Quantity> shape(x->shape.begin(), x->shape.end());
  int64_t at = random.below(shape.size() + 1);
  shape.insert(shape.begin() + at, size->number);
  SmallVector<int64_t> types = getSizes(x->value);
  types.insert(types.begin() + at, ShapedType::kDynamic);
  Value empty = makeEmptyLike(types, shape, x->getElementType());
  auto op = linalg::BroadcastOp::create(b, x->value, empty, {at});
  add(op->getResult(0), shape, x->inexact);
  return true;
}

bool Generator::emitReduce() {
  std::optional<Item> x =
      pickTensor([](const Item &item) { return item.getRank() >= 1; });
  if (!x)
    return false;
  SmallVector<int64_t> dimensions;
  SmallVector<Quantity> shape;
  SmallVector<int64_t> types;
  for (auto [dim, size] : llvm::enumerate(x->shape)) {
    if (random.chance(50)) {
      dimensions.push_back(dim);
      continue;
    }
    shape.push_back(size);
    types.push_back(getSizes(x->value)[dim]);
  }
  Item init = fill(makeEmptyLike(types, shape, x->getElementType()), shape);
  bool inexact = x->inexact;
  auto op = linalg::ReduceOp::create(
      b, x->value, init.value, dimensions,
      [&](OpBuilder &inner, Location, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(inner.getInsertionBlock(),
                            inner.getInsertionPoint());
        Leaf leaf =
            combineForReduction(arguments[1], {arguments[0], x->inexact});
        inexact |= leaf.inexact;
        linalg::YieldOp::create(b, leaf.value);
      });
  add(op->getResult(0), shape, inexact);
  return true;
}

bool Generator::emitMap() {
  std::optional<Item> x = pickTensor();
  if (!x)
    return false;
  Type element = randomElementType();
  Value empty = makeEmptyLike(getSizes(x->value), x->shape, element);
  bool inexact = false;
  auto op = linalg::MapOp::create(
      b, x->value, empty,
      [&](OpBuilder &inner, Location, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(inner.getInsertionBlock(),
                            inner.getInsertionPoint());
        Leaf leaf =
            makeScalar(element, {Leaf{arguments.front(), x->inexact}}, 2);
        inexact = leaf.inexact;
        linalg::YieldOp::create(b, leaf.value);
      });
  add(op->getResult(0), x->shape, inexact);
  return true;
}

bool Generator::emitMatmul() {
  std::optional<Item> x = pickTensor([&](const Item &item) {
    return item.getRank() == 2 && !item.inexact &&
           !item.getElementType().isIndex() &&
           (allowInexact || !isa<FloatType>(item.getElementType()));
  });
  if (!x)
    return false;
  bool isVector = random.chance(30);
  std::optional<Item> y = pickTensor([&](const Item &item) {
    return item.getRank() == (isVector ? 1 : 2) && !item.inexact &&
           item.getElementType() == x->getElementType() &&
           areEqual(item.shape[0], x->shape[1]);
  });
  Type element = x->getElementType();
  if (!y || element.isInteger(1))
    return false;
  SmallVector<Quantity> shape = {x->shape[0]};
  if (!isVector)
    shape.push_back(y->shape[1]);
  Item init = makeFilled(shape, element);
  SmallVector<Value> inputs = {x->value, y->value};
  Operation *op =
      isVector ? linalg::MatvecOp::create(b, inputs, init.value).getOperation()
               : linalg::MatmulOp::create(b, inputs, init.value);
  add(op->getResult(0), shape, isa<FloatType>(element));
  return true;
}

/// Sizes of windows: `(n - k) / stride + 1` for a window that fits.
bool Generator::emitConvolution() {
  std::optional<Item> x = pickTensor([&](const Item &item) {
    return item.getRank() == 3 && !item.inexact &&
           !item.getElementType().isIndex() &&
           !item.getElementType().isInteger(1) &&
           (allowInexact || !isa<FloatType>(item.getElementType())) &&
           item.shape[1].getMin() >= 2;
  });
  if (!x)
    return false;
  Type element = x->getElementType();
  int64_t width = random.in(1, 2);
  Quantity channels = random.chance(50) ? constant(2) : x->shape[2];
  Item filter = makeFilled({constant(width), x->shape[2], channels}, element);
  Item length = {};
  length.number = x->shape[1];
  length.value = getValue(length.number);
  Item positions = subIndex(length, indexConstant(width - 1));
  SmallVector<Quantity> shape = {x->shape[0], positions.number, channels};
  Item init = makeFilled(shape, element);
  auto op = linalg::Conv1DNwcWcfOp::create(
      b, init.value.getType(), ValueRange{x->value, filter.value}, init.value,
      b.getI64VectorAttr(1), b.getI64VectorAttr(1));
  add(op->getResult(0), shape, isa<FloatType>(element));
  return true;
}

bool Generator::emitPooling() {
  std::optional<Item> x = pickTensor([&](const Item &item) {
    return item.getRank() == 3 && !item.getElementType().isIndex() &&
           !item.getElementType().isInteger(1) && item.shape[1].getMin() >= 2;
  });
  if (!x)
    return false;
  Type element = x->getElementType();
  int64_t width = 2, stride = random.in(1, 2);
  Value window = makeEmpty({constant(width)}, element);
  Item length = {};
  length.number = x->shape[1];
  length.value = getValue(length.number);
  Item positions = subIndex(length, indexConstant(width));
  Quantity count = combine(positions.number, constant(stride),
                           [](int64_t p, int64_t q) { return p / q + 1; });
  Item divided = add(
      arith::DivSIOp::create(b, positions.value, indexConstant(stride).value),
      combine(positions.number, constant(stride), std::divides<int64_t>()));
  add(arith::AddIOp::create(b, divided.value, indexConstant(1).value), count);
  SmallVector<Quantity> shape = {x->shape[0], count, x->shape[2]};
  Item init = makeFilled(shape, element);
  SmallVector<Value> inputs = {x->value, window};
  Attribute strides = b.getI64VectorAttr(stride),
            dilations = b.getI64VectorAttr(1);
  bool sums = !isa<FloatType>(element) || allowInexact;
  Operation *op = nullptr;
  if (sums && !x->inexact && random.chance(50))
    op = linalg::PoolingNwcSumOp::create(b, init.value.getType(), inputs,
                                         init.value, strides, dilations);
  else
    op = linalg::PoolingNwcMaxOp::create(b, init.value.getType(), inputs,
                                         init.value, strides, dilations);
  add(op->getResult(0), shape, allowInexact || x->inexact);
  return true;
}
