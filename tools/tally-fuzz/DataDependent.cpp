//===- DataDependent.cpp - Random operations whose sizes depend on data ---===//

#include "Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally::fuzz;

/// How many elements a tensor has at most.
static int64_t countElements(const Item &item) {
  int64_t count = 1;
  for (const Quantity &size : item.shape)
    count *= size.getMax();
  return count;
}

static RankedTensorType getVectorType(Type element) {
  return RankedTensorType::get({ShapedType::kDynamic}, element);
}

/// Elements that decisions may depend on.
static bool isExact(const Item &item) {
  return !item.inexact && !item.getElementType().isIndex();
}

bool Generator::emitNonzero() {
  std::optional<Item> x = pickTensor([](const Item &item) {
    return isExact(item) && item.getRank() >= 1 && item.getRank() <= 3;
  });
  if (!x)
    return false;
  int64_t rank = x->getRank();
  auto type =
      RankedTensorType::get({ShapedType::kDynamic, rank}, b.getI64Type());
  Quantity count = unknown(0, countElements(*x));
  add(tally::NonzeroOp::create(b, type, x->value, tally::BindingsAttr()),
      {count, constant(rank)}, false);
  return true;
}

/// A tensor of booleans of the same shape.
Item Generator::makeMask(const Item &tensor) {
  std::optional<Item> mask = pickTensor([&](const Item &item) {
    return item.getElementType().isInteger(1) &&
           item.getRank() == tensor.getRank() &&
           llvm::all_of(llvm::zip_equal(item.shape, tensor.shape),
                        [](auto pair) {
                          return areEqual(std::get<0>(pair), std::get<1>(pair));
                        });
  });
  if (mask)
    return *mask;
  Type boolean = b.getI1Type();
  SmallVector<Quantity> shape(tensor.shape.begin(), tensor.shape.end());
  if (tensor.inexact || tensor.getElementType().isIndex())
    return makeFilled(shape, boolean);
  Value empty = makeEmptyLike(getSizes(tensor.value), shape, boolean);
  auto op = linalg::MapOp::create(
      b, tensor.value, empty,
      [&](OpBuilder &inner, Location, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(inner.getInsertionBlock(),
                            inner.getInsertionPoint());
        Leaf leaf = makeBoolean({Leaf{arguments.front()}}, 2);
        linalg::YieldOp::create(b, leaf.value);
      });
  return add(op->getResult(0), shape, false);
}

bool Generator::emitMaskedSelect() {
  std::optional<Item> x = pickTensor([](const Item &item) {
    return item.getRank() >= 1 && !item.getElementType().isIndex();
  });
  if (!x)
    return false;
  Item mask = makeMask(*x);
  add(tally::MaskedSelectOp::create(b, getVectorType(x->getElementType()),
                                    x->value, mask.value,
                                    tally::BindingsAttr()),
      {unknown(0, countElements(*x))}, x->inexact);
  return true;
}

bool Generator::emitUnique() {
  std::optional<Item> x = pickTensor(isExact);
  if (!x)
    return false;
  auto type = cast<RankedTensorType>(x->value.getType());
  Type index = b.getI64Type();
  auto op = tally::UniqueOp::create(b, getVectorType(x->getElementType()),
                                    type.clone(index), getVectorType(index),
                                    x->value, tally::BindingsAttr());
  Quantity count = unknown(0, countElements(*x));
  add(op.getValues(), {count}, false);
  add(op.getInverse(), x->shape, false);
  add(op.getCounts(), {count}, false);
  return true;
}

/// Counts from 0 to 3, whatever the elements are; or at most 3.
static Value makeCounts(ImplicitLocOpBuilder &b, Value vector,
                        bool allowNegative = false) {
  auto type = cast<RankedTensorType>(vector.getType());
  Value three = arith::ConstantOp::create(b, b.getI64IntegerAttr(3));
  SmallVector<Value> sizes;
  if (type.isDynamicDim(0))
    sizes.push_back(tensor::DimOp::create(b, vector, 0));
  Value splat = tensor::SplatOp::create(b, three, type, sizes);
  if (allowNegative)
    return arith::MinSIOp::create(b, vector, splat);
  return arith::AndIOp::create(b, vector, splat);
}

bool Generator::emitRepeatInterleave() {
  std::optional<Item> x = pickTensor([](const Item &item) {
    return item.getRank() == 1 && item.getElementType().isInteger(64) &&
           item.shape[0].getMax() <= 20;
  });
  if (!x)
    return false;
  // Some are negative; none makes more than anybody can judge.
  bool allowNegative = !random.chance(85);
  Value counts = makeCounts(b, x->value, allowNegative);
  add(tally::RepeatInterleaveOp::create(b, getVectorType(b.getI64Type()),
                                        counts, tally::BindingsAttr()),
      {unknown(0, 3 * x->shape[0].getMax())}, false);
  return true;
}

bool Generator::emitBincount() {
  std::optional<Item> x = pickTensor([](const Item &item) {
    return item.getRank() == 1 && item.getElementType().isInteger(64);
  });
  std::optional<Item> length = pickSize(0, 6);
  if (!x || !length)
    return false;
  Value values = makeCounts(b, x->value);
  std::optional<Item> weights;
  if (random.chance(40))
    weights = pickTensor([&](const Item &item) {
      return item.getRank() == 1 && areEqual(item.shape[0], x->shape[0]) &&
             !item.getElementType().isIndex() &&
             !item.getElementType().isInteger(1) &&
             (allowInexact || !isa<FloatType>(item.getElementType()));
    });
  Type element = weights ? weights->getElementType() : b.getI64Type();
  add(tally::BincountOp::create(
          b, getVectorType(element), values, length->value,
          weights ? weights->value : Value(), tally::BindingsAttr()),
      {unknown(length->number.getMin(),
               std::max<int64_t>(4, length->number.getMax()))},
      allowInexact);
  return true;
}

/// The size that Python's slice has.
static int64_t sliceSize(int64_t size, int64_t start, int64_t end,
                         int64_t step) {
  auto clamp = [&](int64_t bound) {
    if (bound < 0)
      bound += size;
    return std::min(std::max<int64_t>(bound, 0), size);
  };
  return std::max<int64_t>(0, clamp(end) - clamp(start) + step - 1) / step;
}

bool Generator::emitSlice() {
  std::optional<Item> x =
      pickTensor([](const Item &item) { return item.getRank() >= 1; });
  if (!x)
    return false;
  auto pickBound = [&] {
    std::optional<Item> bound;
    if (random.chance(60))
      bound = pickSize(-1000000, 1000000);
    return bound ? *bound : indexConstant(random.in(-3, 4));
  };
  int64_t dim = random.below(x->getRank());
  int64_t step = random.chance(70) ? 1 : random.in(2, 3);
  Item start = pickBound(), end = pickBound();
  const Quantity &size = x->shape[dim];
  Quantity count = unknown(0, size.getMax());
  if (size.isExact() && start.number.isExact() && end.number.isExact())
    for (unsigned i = 0; i < numCalls; ++i) {
      int64_t value = sliceSize(size.calls[i].low, start.number.calls[i].low,
                                end.number.calls[i].low, step);
      count.calls[i] = {value, value};
    }
  auto op = tally::SliceOp::create(
      b, x->value, start.value, end.value, b.getI64IntegerAttr(step),
      b.getI64IntegerAttr(dim), tally::BindingsAttr());
  SmallVector<Quantity> shape(x->shape.begin(), x->shape.end());
  shape[dim] = count;
  add(op.getResult(), shape, x->inexact);
  return true;
}

bool Generator::emitSelect() {
  std::optional<Item> x =
      pickTensor([](const Item &item) { return item.getRank() >= 1; });
  if (!x)
    return false;
  int64_t dim = random.below(x->getRank());
  int64_t least = x->shape[dim].getMin();
  if (least < 1)
    return false;
  std::optional<Item> index = pickSize(-least, least - 1);
  if (!index)
    index = indexConstant(random.in(-least, least - 1));
  auto op =
      tally::SelectOp::create(b, x->value, index->value,
                              b.getI64IntegerAttr(dim), tally::BindingsAttr());
  SmallVector<Quantity> shape(x->shape.begin(), x->shape.end());
  shape.erase(shape.begin() + dim);
  add(op.getResult(), shape, x->inexact);
  return true;
}

bool Generator::emitSplit() {
  std::optional<Item> x =
      pickTensor([](const Item &item) { return item.getRank() >= 1; });
  if (!x)
    return false;
  int64_t dim = random.below(x->getRank());
  std::optional<Item> first = pickSize(0, x->shape[dim].getMin());
  if (!first)
    return false;
  Item whole;
  whole.number = x->shape[dim];
  whole.value = getValue(whole.number);
  Item rest = subIndex(whole, *first);
  if (rest.number.getMin() < 0)
    return false;
  auto type = cast<RankedTensorType>(x->value.getType());
  SmallVector<int64_t> sizes(type.getShape());
  sizes[dim] = ShapedType::kDynamic;
  auto part = RankedTensorType::get(sizes, type.getElementType());
  auto op = tally::SplitOp::create(
      b, TypeRange{part, part}, x->value, ValueRange{first->value, rest.value},
      b.getI64IntegerAttr(dim), tally::BindingsAttr());
  for (unsigned i = 0; i < 2; ++i) {
    SmallVector<Quantity> shape(x->shape.begin(), x->shape.end());
    shape[dim] = i == 0 ? first->number : rest.number;
    add(op->getResult(i), shape, x->inexact);
  }
  return true;
}

bool Generator::emitItem() {
  std::optional<Item> x = pickTensor([](const Item &item) {
    return llvm::all_of(item.shape, [](const Quantity &size) {
      return size.getMin() == 1 && size.getMax() == 1;
    });
  });
  if (!x)
    return false;
  add(tally::ItemOp::create(b, x->getElementType(), x->value,
                            tally::BindingsAttr()),
      x->inexact);
  return true;
}
