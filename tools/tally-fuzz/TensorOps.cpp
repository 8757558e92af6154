//===- TensorOps.cpp - Random operations of tensor ------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tally::fuzz;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// MLIR has no slice of a tensor with a static size of 0.
static bool canBeSliced(const Item &item) {
  return item.getRank() >= 1 &&
         !llvm::is_contained(
             cast<RankedTensorType>(item.value.getType()).getShape(), 0);
}

/// Takes a part of a dimension.
void Generator::addSliceDim(Slice &slice, const Quantity &size) {
  auto push = [&](OpFoldResult offset, OpFoldResult count,
                  const Quantity &number, int64_t stride = 1) {
    slice.offsets.push_back(offset);
    slice.sizes.push_back(count);
    slice.strides.push_back(b.getIndexAttr(stride));
    slice.shape.push_back(number);
  };
  Item whole;
  whole.number = size;
  int64_t least = size.getMin();
  switch (random.below(5)) {
  case 0: // what remains behind an offset
    if (least > 0) {
      whole.value = getValue(size);
      Item offset = indexConstant(random.in(0, least));
      if (random.chance(50))
        if (std::optional<Item> other = pickSize(0, least))
          offset = *other;
      Item rest = subIndex(whole, offset);
      if (rest.number.getMin() < 0)
        break; // the two are equal by chance only
      return push(offset.value, rest.value, rest.number);
    }
    break;
  case 1: // the first elements
    if (std::optional<Item> count = pickSize(0, least))
      return push(b.getIndexAttr(0), count->value, count->number);
    break;
  case 2: // each second element
    if (size.isExact()) {
      whole.value = getValue(size);
      Item one = indexConstant(1);
      Item more = addIndex(whole, one);
      Quantity half =
          combine(more.number, constant(2), std::divides<int64_t>());
      Value count =
          arith::DivUIOp::create(b, more.value, indexConstant(2).value);
      add(count, half);
      return push(b.getIndexAttr(0), count, half, 2);
    }
    break;
  case 3: // one element
    if (least > 0) {
      Item offset = indexConstant(random.below(least));
      if (std::optional<Item> other = pickSize(0, least - 1))
        offset = *other;
      return push(offset.value, b.getIndexAttr(1), constant(1));
    }
    break;
  default:
    break;
  }
  push(b.getIndexAttr(0), getFoldable(size), size);
}

bool Generator::emitExtractSlice() {
  std::optional<Item> x = pickTensor(canBeSliced);
  if (!x)
    return false;
  Slice slice;
  for (const Quantity &size : x->shape)
    addSliceDim(slice, size);
  RankedTensorType type = tensor::ExtractSliceOp::inferResultType(
      cast<RankedTensorType>(x->value.getType()), slice.sizes);
  SmallVector<Quantity> shape;
  SmallVector<int64_t> sizes;
  // Dimensions of one element may go.
  for (auto [size, quantity] : llvm::zip_equal(type.getShape(), slice.shape)) {
    if (size == 1 && random.chance(50))
      continue;
    sizes.push_back(size);
    shape.push_back(quantity);
  }
  auto reduced = RankedTensorType::get(sizes, type.getElementType());
  auto op = tensor::ExtractSliceOp::create(b, reduced, x->value, slice.offsets,
                                           slice.sizes, slice.strides);
  add(op.getResult(), shape, x->inexact);
  return true;
}

bool Generator::emitInsertSlice() {
  std::optional<Item> target = pickTensor(canBeSliced);
  if (!target)
    return false;
  Slice slice;
  for (const Quantity &size : target->shape)
    addSliceDim(slice, size);
  auto fits = [&](const Item &item) {
    return item.getElementType() == target->getElementType() &&
           item.getRank() == target->getRank() &&
           llvm::all_of(llvm::zip_equal(item.shape, slice.shape),
                        [](auto pair) {
                          return areEqual(std::get<0>(pair), std::get<1>(pair));
                        });
  };
  std::optional<Item> source = pickTensor(fits);
  if (!source)
    source = makeFilled(slice.shape, target->getElementType());
  RankedTensorType type = tensor::ExtractSliceOp::inferResultType(
      cast<RankedTensorType>(target->value.getType()), slice.sizes);
  Value value = castTo(source->value, type);
  auto op = tensor::InsertSliceOp::create(
      b, value, target->value, slice.offsets, slice.sizes, slice.strides);
  add(op.getResult(), target->shape, target->inexact || source->inexact);
  return true;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

bool Generator::emitCollapse() {
  std::optional<Item> x =
      pickTensor([](const Item &item) { return item.getRank() >= 2; });
  if (!x)
    return false;
  SmallVector<ReassociationIndices> groups;
  SmallVector<Quantity> shape;
  for (auto [dim, size] : llvm::enumerate(x->shape)) {
    if (dim && random.chance(60)) {
      groups.back().push_back(dim);
      shape.back() = combine(shape.back(), size, std::multiplies<int64_t>());
    } else {
      groups.push_back({static_cast<int64_t>(dim)});
      shape.push_back(size);
    }
  }
  auto op = tensor::CollapseShapeOp::create(b, x->value, groups);
  add(op.getResult(), shape, x->inexact);
  return true;
}

/// One dimension becomes two: a constant and the rest, or by sizes that are
/// known to fit.
bool Generator::emitExpand() {
  int64_t factor = random.in(1, 3);
  auto divides = [&](const Quantity &size) {
    return size.isExact() && llvm::all_of(size.calls, [&](Interval call) {
             return call.low % factor == 0;
           });
  };
  std::optional<Item> x = pickTensor([&](const Item &item) {
    return item.getRank() <= 3 && llvm::any_of(item.shape, divides);
  });
  if (!x)
    return false;
  SmallVector<int64_t> dims;
  for (auto [dim, size] : llvm::enumerate(x->shape))
    if (divides(size))
      dims.push_back(dim);
  int64_t expanded = random.pick(dims);
  auto type = cast<RankedTensorType>(x->value.getType());
  SmallVector<ReassociationIndices> groups;
  SmallVector<Quantity> shape;
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> staticSizes;
  auto push = [&](int64_t fixed, OpFoldResult size, const Quantity &number) {
    groups.back().push_back(shape.size());
    shape.push_back(number);
    sizes.push_back(size);
    staticSizes.push_back(fixed);
  };
  for (auto [dim, size] : llvm::enumerate(x->shape)) {
    groups.emplace_back();
    int64_t fixed = type.getDimSize(dim);
    bool isDynamic = ShapedType::isDynamic(fixed);
    OpFoldResult whole = isDynamic ? OpFoldResult(getValue(size))
                                   : OpFoldResult(b.getIndexAttr(fixed));
    if (static_cast<int64_t>(dim) != expanded) {
      push(fixed, whole, size);
      continue;
    }
    bool first = random.chance(50);
    if (first)
      push(factor, b.getIndexAttr(factor), constant(factor));
    if (isDynamic) {
      Quantity rest = combine(size, constant(factor), std::divides<int64_t>());
      Value value = arith::DivSIOp::create(b, cast<Value>(whole),
                                           indexConstant(factor).value);
      add(value, rest);
      push(ShapedType::kDynamic, value, rest);
    } else {
      push(fixed / factor, b.getIndexAttr(fixed / factor),
           constant(fixed / factor));
    }
    if (!first)
      push(factor, b.getIndexAttr(factor), constant(factor));
  }
  auto result = RankedTensorType::get(staticSizes, type.getElementType());
  auto op = tensor::ExpandShapeOp::create(b, result, x->value, groups, sizes);
  add(op.getResult(), shape, x->inexact);
  return true;
}

/// tensor.reshape to one dimension.
bool Generator::emitReshape() {
  std::optional<Item> x =
      pickTensor([](const Item &item) { return item.getRank() >= 1; });
  if (!x)
    return false;
  Item size = indexConstant(1);
  for (const Quantity &dim : x->shape) {
    Item factor;
    factor.value = getValue(dim);
    factor.number = dim;
    size = mulIndex(size, factor);
  }
  Value shape = tensor::FromElementsOp::create(
      b, RankedTensorType::get({1}, b.getIndexType()), size.value);
  auto type =
      RankedTensorType::get({ShapedType::kDynamic}, x->getElementType());
  add(tensor::ReshapeOp::create(b, type, x->value, shape), {size.number},
      x->inexact);
  return true;
}

bool Generator::emitPad() {
  std::optional<Item> x = pickTensor();
  if (!x)
    return false;
  SmallVector<OpFoldResult> low, high;
  SmallVector<Quantity> shape;
  for (const Quantity &size : x->shape) {
    Quantity total = size;
    for (SmallVector<OpFoldResult> *side : {&low, &high}) {
      std::optional<Item> amount;
      if (random.chance(30))
        amount = pickSize(0, 4);
      Quantity number = amount ? amount->number : constant(random.in(0, 2));
      side->push_back(
          amount ? OpFoldResult(amount->value)
                 : OpFoldResult(b.getIndexAttr(*number.getConstant())));
      total = combine(total, number, std::plus<int64_t>());
    }
    shape.push_back(total);
  }
  Value value = scalarConstant(x->getElementType());
  auto op =
      tensor::PadOp::create(b, /*result=*/Type(), x->value, low, high, value);
  add(op.getResult(), shape, x->inexact);
  return true;
}

bool Generator::emitConcat() {
  std::optional<Item> x =
      pickTensor([](const Item &item) { return item.getRank() >= 1; });
  if (!x)
    return false;
  int64_t dim = random.below(x->getRank());
  SmallVector<Value> inputs = {x->value};
  SmallVector<Quantity> shape(x->shape.begin(), x->shape.end());
  bool inexact = x->inexact;
  for (unsigned more = random.in(1, 2); more > 0; --more) {
    std::optional<Item> y = pickTensor([&](const Item &item) {
      if (item.getRank() != x->getRank() ||
          item.getElementType() != x->getElementType())
        return false;
      for (int64_t d = 0; d < item.getRank(); ++d)
        if (d != dim && !areEqual(item.shape[d], x->shape[d]))
          return false;
      return true;
    });
    inputs.push_back(y->value); // x itself, at least
    shape[dim] = combine(shape[dim], y->shape[dim], std::plus<int64_t>());
    inexact |= y->inexact;
  }
  auto op = tensor::ConcatOp::create(b, dim, inputs);
  add(op.getResult(), shape, inexact);
  return true;
}

/// Forgets sizes, or says ones that are known.
bool Generator::emitCast() {
  std::optional<Item> x =
      pickTensor([](const Item &item) { return item.getRank() >= 1; });
  if (!x)
    return false;
  SmallVector<int64_t> sizes;
  for (const Quantity &size : x->shape) {
    bool isKnown = size.isExact() && size.getMin() == size.getMax();
    sizes.push_back(isKnown && random.chance(50) ? size.getMin()
                                                 : ShapedType::kDynamic);
  }
  auto type = RankedTensorType::get(sizes, x->getElementType());
  if (type == x->value.getType())
    return false;
  add(castTo(x->value, type), x->shape, x->inexact);
  return true;
}

bool Generator::emitDim() {
  std::optional<Item> x =
      pickTensor([](const Item &item) { return item.getRank() >= 1; });
  if (!x)
    return false;
  int64_t dim = random.below(x->getRank());
  add(tensor::DimOp::create(b, x->value, dim), x->shape[dim]);
  return true;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

bool Generator::emitFromElements() {
  Type element = randomElementType();
  SmallVector<Leaf> leaves = getLeaves();
  SmallVector<Value> elements;
  bool inexact = false;
  for (int64_t i = random.in(1, 4); i > 0; --i) {
    Leaf leaf = makeScalar(element, leaves, 1);
    elements.push_back(leaf.value);
    inexact |= leaf.inexact;
  }
  int64_t count = elements.size();
  SmallVector<int64_t> sizes = {count};
  if (count == 4 && random.chance(50))
    sizes = {2, 2};
  if (count == 1 && random.chance(50))
    sizes = {};
  auto type = RankedTensorType::get(sizes, element);
  SmallVector<Quantity> shape;
  for (int64_t size : sizes)
    shape.push_back(constant(size));
  add(tensor::FromElementsOp::create(b, type, elements), shape, inexact);
  return true;
}

/// Indices of an element: known to be inside, or made so.
std::optional<SmallVector<Value>> Generator::pickIndices(const Item &tensor) {
  SmallVector<Value> indices;
  for (const Quantity &size : tensor.shape) {
    int64_t least = size.getMin();
    if (least < 1)
      return std::nullopt;
    std::optional<Item> index;
    if (random.chance(60))
      index = pickSize(0, least - 1);
    if (!index && random.chance(40)) {
      // Whatever it is, the remainder is inside.
      Leaf leaf = makeScalar(b.getIndexType(), getLeaves(), 1, true);
      indices.push_back(arith::RemUIOp::create(b, leaf.value, getValue(size)));
      continue;
    }
    if (!index)
      index = indexConstant(random.below(least));
    indices.push_back(index->value);
  }
  return indices;
}

bool Generator::emitExtract() {
  std::optional<Item> x = pickTensor();
  if (!x)
    return false;
  std::optional<SmallVector<Value>> indices = pickIndices(*x);
  if (!indices)
    return false;
  add(tensor::ExtractOp::create(b, x->value, *indices), x->inexact);
  return true;
}

bool Generator::emitInsert() {
  std::optional<Item> x = pickTensor();
  if (!x)
    return false;
  std::optional<SmallVector<Value>> indices = pickIndices(*x);
  if (!indices)
    return false;
  Leaf leaf = makeScalar(x->getElementType(), getLeaves(), 1);
  add(tensor::InsertOp::create(b, leaf.value, x->value, *indices), x->shape,
      x->inexact || leaf.inexact);
  return true;
}

/// Gathers along one dimension, by indices that the program computes.
bool Generator::emitGather() {
  std::optional<Item> x = pickTensor([](const Item &item) {
    return item.getRank() >= 1 && item.getRank() <= 3 &&
           item.shape[0].getMin() >= 1;
  });
  if (!x)
    return false;
  SmallVector<Value> elements;
  for (int64_t i = random.in(1, 3); i > 0; --i) {
    std::optional<Item> index = pickSize(0, x->shape[0].getMin() - 1);
    Value value = index ? index->value : indexConstant(0).value;
    elements.push_back(value);
  }
  int64_t count = elements.size();
  Value indices = tensor::FromElementsOp::create(
      b, RankedTensorType::get({count, 1}, b.getIndexType()), elements);
  auto type = cast<RankedTensorType>(x->value.getType());
  SmallVector<int64_t> sizes(type.getShape());
  sizes[0] = count;
  SmallVector<Quantity> shape(x->shape.begin(), x->shape.end());
  shape[0] = constant(count);
  // The sizes of the dimensions that are not gathered have to be static.
  if (llvm::is_contained(ArrayRef(sizes).drop_front(), ShapedType::kDynamic))
    return false;
  bool drops = random.chance(50);
  if (!drops)
    sizes.insert(sizes.begin() + 1, 1),
        shape.insert(shape.begin() + 1, constant(1));
  auto result = RankedTensorType::get(sizes, type.getElementType());
  add(tensor::GatherOp::create(b, result, x->value, indices,
                               b.getDenseI64ArrayAttr({0})),
      shape, x->inexact);
  return true;
}

bool Generator::emitGenerate() {
  SmallVector<Quantity> shape;
  SmallVector<Value> sizes;
  for (unsigned rank = random.in(1, 2); rank > 0; --rank) {
    std::optional<Item> size = pickSize(0, 6);
    if (!size)
      return false;
    shape.push_back(size->number);
    sizes.push_back(size->value);
  }
  Type element = randomElementType();
  SmallVector<Leaf> leaves = getLeaves();
  auto type = RankedTensorType::get(
      SmallVector<int64_t>(shape.size(), ShapedType::kDynamic), element);
  bool inexact = false;
  auto op = tensor::GenerateOp::create(
      b, type, sizes, [&](OpBuilder &inner, Location, ValueRange indices) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(inner.getInsertionBlock(),
                            inner.getInsertionPoint());
        for (Value index : indices)
          leaves.push_back({index});
        Leaf leaf = makeScalar(element, leaves, 2);
        inexact = leaf.inexact;
        tensor::YieldOp::create(b, leaf.value);
      });
  add(op.getResult(), shape, inexact);
  return true;
}

/// arith.select between two tensors.
bool Generator::emitSelectTensor() {
  std::optional<Item> x = pickTensor();
  if (!x)
    return false;
  std::optional<Item> y = pickTensor([&](const Item &item) {
    return item.value.getType() == x->value.getType();
  });
  Value condition = makeScalar(b.getI1Type(), getLeaves(), 1, true).value;
  SmallVector<Quantity> shape;
  for (auto [p, q] : llvm::zip_equal(x->shape, y->shape))
    shape.push_back(areEqual(p, q) ? p : unknown(0, 12));
  add(arith::SelectOp::create(b, condition, x->value, y->value), shape,
      x->inexact || y->inexact);
  return true;
}
