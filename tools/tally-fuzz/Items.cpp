//===- Items.cpp - What the generator knows of values ---------------------===//

#include "Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tally::fuzz;

//===----------------------------------------------------------------------===//
// Quantities
//===----------------------------------------------------------------------===//

Quantity Generator::unknown(int64_t low, int64_t high) {
  Quantity quantity;
  quantity.id = nextId++;
  quantity.calls.assign(numCalls, {low, std::max(low, high)});
  return quantity;
}

Quantity Generator::constant(int64_t value) {
  Quantity quantity;
  quantity.id = kConstants + value;
  quantity.calls.assign(numCalls, {value, value});
  return quantity;
}

/// `apply` is monotone in each of its operands, in either direction.
Quantity
Generator::combine(const Quantity &a, const Quantity &b,
                   llvm::function_ref<int64_t(int64_t, int64_t)> apply) {
  Quantity result;
  result.id = nextId++;
  for (auto [x, y] : llvm::zip_equal(a.calls, b.calls)) {
    int64_t ends[] = {apply(x.low, y.low), apply(x.low, y.high),
                      apply(x.high, y.low), apply(x.high, y.high)};
    result.calls.push_back(
        {*llvm::min_element(ends), *llvm::max_element(ends)});
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The pool
//===----------------------------------------------------------------------===//

Item Generator::add(Value value, ArrayRef<Quantity> shape, bool inexact) {
  Item item;
  item.value = value;
  item.inexact = inexact && isa<FloatType>(item.getElementType());
  item.shape.assign(shape.begin(), shape.end());
  auto type = cast<RankedTensorType>(value.getType());
  for (auto [size, quantity] : llvm::zip_equal(type.getShape(), item.shape))
    if (!ShapedType::isDynamic(size))
      quantity = constant(size);
  pool.push_back(item);
  return item;
}

Item Generator::add(Value index, const Quantity &number) {
  Item item;
  item.value = index;
  item.number = number;
  pool.push_back(item);
  return item;
}

Item Generator::add(Value scalar, bool inexact) {
  if (scalar.getType().isIndex())
    return add(scalar, unknown(-1000000, 1000000));
  Item item;
  item.value = scalar;
  item.inexact = inexact && isa<FloatType>(scalar.getType());
  pool.push_back(item);
  return item;
}

/// What is new is more likely, so that operations build on each other.
std::optional<Item> Generator::pick(Accept accept) {
  SmallVector<unsigned> found;
  for (auto [index, item] : llvm::enumerate(pool))
    if (accept(item))
      found.push_back(index);
  if (found.empty())
    return std::nullopt;
  size_t from = random.chance(50) ? found.size() - (found.size() + 2) / 3 : 0;
  return pool[found[from + random.below(found.size() - from)]];
}

std::optional<Item> Generator::pickTensor(Accept accept) {
  return pick([&](const Item &item) {
    if (!item.isTensor())
      return false;
    int64_t elements = 1;
    for (const Quantity &size : item.shape)
      elements *= std::max<int64_t>(size.getMax(), 1);
    return elements <= 4096 && (!accept || accept(item));
  });
}

/// An index that is in [low, high] in all planned calls.
std::optional<Item> Generator::pickSize(int64_t low, int64_t high) {
  auto isInside = [&](const Quantity &quantity) {
    return low <= quantity.getMin() && quantity.getMax() <= high;
  };
  auto accept = [&](const Item &item) {
    if (item.isTensor())
      return llvm::any_of(item.shape, isInside);
    return item.isIndex() && isInside(item.number);
  };
  std::optional<Item> item = pick(accept);
  if (!item || !item->isTensor())
    return item;
  SmallVector<Quantity> sizes;
  llvm::copy_if(item->shape, std::back_inserter(sizes), isInside);
  Item result;
  result.number = random.pick(sizes);
  result.value = getValue(result.number);
  return result;
}

SmallVector<Leaf> Generator::getLeaves() {
  SmallVector<Leaf> leaves;
  for (const Item &item : pool)
    if (!item.isTensor())
      leaves.push_back({item.value, item.inexact});
  return leaves;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

Item Generator::indexConstant(int64_t value) {
  Item item;
  item.value = arith::ConstantIndexOp::create(b, value);
  item.number = constant(value);
  return item;
}

/// Equal sizes come from different values, so that somebody has to find out.
Value Generator::getValue(const Quantity &quantity) {
  if (std::optional<int64_t> value = quantity.getConstant())
    return arith::ConstantIndexOp::create(b, *value);
  struct Place {
    Value value;
    int64_t dim;
  };
  SmallVector<Place> places;
  for (const Item &item : pool) {
    if (item.isIndex() && areEqual(item.number, quantity))
      places.push_back({item.value, -1});
    for (auto [dim, size] : llvm::enumerate(item.shape))
      if (areEqual(size, quantity))
        places.push_back({item.value, static_cast<int64_t>(dim)});
  }
  if (places.empty())
    return arith::ConstantIndexOp::create(b, quantity.getMin());
  Place place = random.pick(places);
  if (place.dim < 0)
    return place.value;
  return tensor::DimOp::create(b, place.value, place.dim);
}

OpFoldResult Generator::getFoldable(const Quantity &quantity) {
  std::optional<int64_t> value = quantity.getConstant();
  if (value && random.chance(80))
    return b.getIndexAttr(*value);
  return getValue(quantity);
}

Item Generator::addIndex(const Item &x, const Item &y) {
  return add(arith::AddIOp::create(b, x.value, y.value),
             combine(x.number, y.number, std::plus<int64_t>()));
}

Item Generator::subIndex(const Item &x, const Item &y) {
  return add(arith::SubIOp::create(b, x.value, y.value),
             combine(x.number, y.number, std::minus<int64_t>()));
}

Item Generator::mulIndex(const Item &x, const Item &y) {
  return add(arith::MulIOp::create(b, x.value, y.value),
             combine(x.number, y.number, std::multiplies<int64_t>()));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

SmallVector<int64_t> Generator::getSizes(Value tensor) {
  return SmallVector<int64_t>(
      cast<RankedTensorType>(tensor.getType()).getShape());
}

RankedTensorType Generator::makeType(ArrayRef<Quantity> shape, Type element) {
  SmallVector<int64_t> sizes;
  for (const Quantity &size : shape) {
    std::optional<int64_t> value = size.getConstant();
    sizes.push_back(value && random.chance(80) ? *value : ShapedType::kDynamic);
  }
  return RankedTensorType::get(sizes, element);
}

Value Generator::makeEmpty(ArrayRef<Quantity> shape, Type element) {
  return makeEmptyLike(makeType(shape, element).getShape(), shape, element);
}

Value Generator::makeEmptyLike(ArrayRef<int64_t> types,
                               ArrayRef<Quantity> shape, Type element) {
  auto type = RankedTensorType::get(types, element);
  SmallVector<Value> sizes;
  for (auto [size, quantity] : llvm::zip_equal(type.getShape(), shape))
    if (ShapedType::isDynamic(size))
      sizes.push_back(getValue(quantity));
  return tensor::EmptyOp::create(b, type, sizes);
}

/// A tensor of one value, which is made in one of several ways.
Item Generator::makeFilled(ArrayRef<Quantity> shape, Type element) {
  return fill(makeEmpty(shape, element), shape);
}

Item Generator::fill(Value empty, ArrayRef<Quantity> shape) {
  auto type = cast<RankedTensorType>(empty.getType());
  Type element = type.getElementType();
  Value scalar = scalarConstant(element);
  if (type.hasStaticShape() && random.chance(30)) {
    Attribute value = scalar.getDefiningOp<arith::ConstantOp>().getValue();
    auto attribute = DenseElementsAttr::get(type, value);
    return add(arith::ConstantOp::create(b, type, attribute), shape, false);
  }
  if (random.chance(20)) {
    auto empties = empty.getDefiningOp<tensor::EmptyOp>();
    return add(
        tensor::SplatOp::create(b, scalar, type, empties.getDynamicSizes()),
        shape, false);
  }
  return add(linalg::FillOp::create(b, scalar, empty).getResult(0), shape,
             false);
}

Value Generator::castTo(Value tensor, Type type) {
  if (tensor.getType() == type)
    return tensor;
  return tensor::CastOp::create(b, type, tensor);
}
