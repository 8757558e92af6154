//===- TallyDataDependent.cpp - Sizes that are in the data ----------------===//

#include "Handlers.h"

#include "tally/IR/Tally.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DynamicAPInt.h"

using namespace llvm;
using namespace mlir;
using namespace tally;
using namespace tally::interpreter;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Whether an element is not zero. Both zeros of a float are; NaN is not.
static bool isNonzero(const Scalar &scalar, mlir::Type type) {
  if (isa<FloatType>(type))
    return !scalar.getFloat(type).isZero();
  return !scalar.getBits().isZero();
}

/// The elements of a tensor, none of which may be poison.
static FailureOr<SmallVector<Scalar>>
observeAll(Operation *op, const Tensor &tensor, Execution &execution) {
  if (failed(execution.spend(op, tensor.getNumElements())))
    return failure();
  if (tensor.findPoison())
    return execution.observedPoison(
        op, "an element that '" + op->getName().getStringRef() + "' needs");
  SmallVector<Scalar> elements;
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    elements.push_back(tensor.get(i));
  return elements;
}

/// Sets a result of one dimension, or fails.
static LogicalResult setList(Operation *op, mlir::Value result,
                             ArrayRef<Scalar> elements, Execution &execution) {
  FailureOr<Tensor> tensor =
      execution.makeResult(op, result, {static_cast<int64_t>(elements.size())});
  if (failed(tensor))
    return failure();
  for (auto [position, element] : enumerate(elements))
    tensor->set(static_cast<int64_t>(position), element);
  execution.set(result, std::move(*tensor));
  return success();
}

//===----------------------------------------------------------------------===//
// Compaction
//===----------------------------------------------------------------------===//

static LogicalResult runNonzero(NonzeroOp op, Execution &execution) {
  Tensor source = execution.getTensor(op.getSource());
  auto elements = observeAll(op, source, execution);
  if (failed(elements))
    return failure();
  SmallVector<Scalar> found;
  int64_t rows = 0, position = 0;
  (void)forEachIndex(source.getShape(), [&](ArrayRef<int64_t> indices) {
    if (!isNonzero((*elements)[position++], source.getElementType()))
      return success();
    ++rows;
    for (int64_t index : indices)
      found.push_back(Scalar::ofIndex(index));
    return success();
  });
  FailureOr<Tensor> result =
      execution.makeResult(op, op.getResult(), {rows, source.getRank()});
  if (failed(result))
    return failure();
  for (auto [place, index] : enumerate(found))
    result->set(static_cast<int64_t>(place), index);
  execution.set(op.getResult(), std::move(*result));
  return success();
}

static LogicalResult runMaskedSelect(MaskedSelectOp op, Execution &execution) {
  Tensor source = execution.getTensor(op.getSource()),
         mask = execution.getTensor(op.getMask());
  if (failed(
          execution.requireSameShape(op, source.getShape(), mask.getShape())))
    return failure();
  auto chosen = observeAll(op, mask, execution);
  if (failed(chosen))
    return failure();
  SmallVector<Scalar> found;
  for (auto [position, isChosen] : enumerate(*chosen))
    if (isChosen.getBool())
      found.push_back(source.get(static_cast<int64_t>(position)));
  return setList(op, op.getResult(), found, execution);
}

//===----------------------------------------------------------------------===//
// Distinct elements
//===----------------------------------------------------------------------===//

/// Whether an element comes before another: NaN behind all numbers, `false`
/// before `true`, both zeros equal.
static bool comesBefore(const Scalar &a, const Scalar &b, mlir::Type type,
                        bool isUnsigned = false) {
  if (isa<FloatType>(type)) {
    APFloat x = a.getFloat(type), y = b.getFloat(type);
    if (x.isNaN() || y.isNaN())
      return !x.isNaN() && y.isNaN();
    return x < y;
  }
  return type.isInteger(1) || isUnsigned ? a.getBits().ult(b.getBits())
                                         : a.getBits().slt(b.getBits());
}

static bool isNaN(const Scalar &scalar, mlir::Type type) {
  return isa<FloatType>(type) && scalar.getFloat(type).isNaN();
}

/// The places of elements in order; what is equal keeps its order.
static SmallVector<int64_t>
getOrder(ArrayRef<Scalar> elements,
         llvm::function_ref<bool(int64_t, int64_t)> isBefore) {
  SmallVector<int64_t> order(elements.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<int64_t>(i);
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return isBefore(a, b) || (a < b && !isBefore(b, a));
  });
  return order;
}

static LogicalResult runUnique(UniqueOp op, Execution &execution) {
  Tensor source = execution.getTensor(op.getSource());
  mlir::Type type = source.getElementType();
  auto elements = observeAll(op, source, execution);
  if (failed(elements))
    return failure();
  SmallVector<int64_t> order = getOrder(*elements, [&](int64_t a, int64_t b) {
    return comesBefore((*elements)[a], (*elements)[b], type);
  });
  SmallVector<Scalar> values;
  SmallVector<int64_t> counts, places(elements->size());
  for (int64_t position : order) {
    const Scalar &element = (*elements)[position];
    // In order, an element that is not before the next one is equal to it,
    // unless it
    // is NaN.
    if (values.empty() || isNaN(element, type) ||
        comesBefore(values.back(), element, type)) {
      values.push_back(element);
      counts.push_back(0);
    }
    ++counts.back();
    places[position] = static_cast<int64_t>(values.size()) - 1;
  }
  FailureOr<Tensor> inverse =
      execution.makeResult(op, op.getInverse(), source.getShape());
  if (failed(inverse))
    return failure();
  for (auto [position, place] : enumerate(places))
    inverse->set(static_cast<int64_t>(position), Scalar::ofIndex(place));
  execution.set(op.getInverse(), std::move(*inverse));
  auto scalars = map_to_vector(
      counts, [](int64_t count) { return Scalar::ofIndex(count); });
  if (failed(setList(op, op.getValues(), values, execution)))
    return failure();
  return setList(op, op.getCounts(), scalars, execution);
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

/// Writes what is asked for of the order of one row, whose elements lie `step`
/// apart.
static void writeSorted(SortOp op, ArrayRef<Scalar> row, int64_t first,
                        int64_t count, int64_t start, int64_t step,
                        Tensor &values, Tensor &indices) {
  mlir::Type type = getElementTypeOrSelf(op.getSource());
  SmallVector<int64_t> order = getOrder(row, [&](int64_t a, int64_t b) {
    if (op.getDescending())
      std::swap(a, b);
    return comesBefore(row[a], row[b], type, op.getIsUnsigned());
  });
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = order[first + i], to = start + i * step;
    if (values)
      values.set(to, row[from]);
    if (indices)
      indices.set(to, Scalar::ofIndex(from));
  }
}

static LogicalResult runSort(SortOp op, Execution &execution) {
  Tensor source = execution.getTensor(op.getSource());
  SmallVector<int64_t> shape(source.getShape());
  auto dim = int64_t(op.getDim());
  int64_t size = shape[dim], first = 0;
  shape[dim] = execution.getTensor(op.getAnyOutput()).getDim(dim);
  if (op.getFirst()) {
    FailureOr<int64_t> from = execution.observeInt(op, op.getFirst());
    if (failed(from))
      return failure();
    first = *from;
    int64_t end = 0;
    if (first < 0 || AddOverflow(first, shape[dim], end) || end > size)
      return execution.refuse(op, Twine(first) + " + " + Twine(shape[dim]) +
                                      " <= " + Twine(size));
  } else if (failed(execution.requireEqual(op, size, shape[dim], "size"))) {
    return failure();
  }
  for (OpOperand &output : op.getDpsInitsMutable())
    if (failed(execution.requireSameShape(
            op, shape, execution.getTensor(output.get()).getShape())))
      return failure();
  auto elements = observeAll(op, source, execution);
  if (failed(elements))
    return failure();

  Tensor values, indices;
  auto make = [&](mlir::Value result, Tensor &tensor) -> LogicalResult {
    FailureOr<Tensor> made = execution.makeResult(op, result, shape);
    if (succeeded(made))
      tensor = *made;
    return made;
  };
  if ((op.getValues() && failed(make(op.getValuesResult(), values))) ||
      (op.getIndices() && failed(make(op.getIndicesResult(), indices))))
    return failure();
  int64_t step = 1, rows = 1;
  for (int64_t i = 0; i < source.getRank(); ++i)
    (i < dim ? rows : step) *= i == dim ? 1 : shape[i];
  SmallVector<Scalar> row(size);
  for (int64_t i = 0; i < rows * step; ++i) {
    int64_t outer = i / step, inner = i % step;
    for (int64_t j = 0; j < size; ++j)
      row[j] = (*elements)[(outer * size + j) * step + inner];
    writeSorted(op, row, first, shape[dim], outer * shape[dim] * step + inner,
                step, values, indices);
  }
  if (values)
    execution.set(op.getValuesResult(), std::move(values));
  if (indices)
    execution.set(op.getIndicesResult(), std::move(indices));
  return success();
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// No element is negative.
static LogicalResult requireNatural(Operation *op, ArrayRef<Scalar> elements,
                                    StringRef message, Execution &execution) {
  for (const Scalar &element : elements)
    if (element.getInt() < 0)
      return execution.refuse(op, "0 <= " + Twine(element.getInt()), message);
  return success();
}

static LogicalResult runRepeatInterleave(RepeatInterleaveOp op,
                                         Execution &execution) {
  auto counts = observeAll(op, execution.getTensor(op.getCounts()), execution);
  if (failed(counts) ||
      failed(requireNatural(op, *counts, "a negative number of repetitions",
                            execution)))
    return failure();
  int64_t total = 0;
  for (const Scalar &count : *counts)
    if (AddOverflow(total, count.getInt(), total))
      return execution.error(RunError::Kind::Budget, op,
                             "the size does not fit 64 bits");
  FailureOr<Tensor> result = execution.makeResult(op, op.getResult(), {total});
  if (failed(result) || failed(execution.spend(op, total)))
    return failure();
  int64_t position = 0;
  for (auto [index, count] : enumerate(*counts))
    for (int64_t i = 0; i < count.getInt(); ++i)
      result->set(position++, Scalar::ofIndex(static_cast<int64_t>(index)));
  execution.set(op.getResult(), std::move(*result));
  return success();
}

/// The sum of two elements in their type.
static Scalar add(const Scalar &a, const Scalar &b, mlir::Type type) {
  if (a.isPoison() || b.isPoison())
    return Scalar::ofPoison();
  if (!isa<FloatType>(type))
    return Scalar(a.getBits() + b.getBits());
  APFloat sum = a.getFloat(type);
  sum.add(b.getFloat(type), APFloat::rmNearestTiesToEven);
  return Scalar(sum);
}

static LogicalResult runBincount(BincountOp op, Execution &execution) {
  FailureOr<int64_t> length = execution.observeInt(op, op.getMinlength());
  if (failed(length))
    return failure();
  if (*length < 0)
    return execution.refuse(op, "0 <= " + Twine(*length),
                            "minlength is negative");
  Tensor source = execution.getTensor(op.getValues()), weights;
  if (op.getWeights()) {
    weights = execution.getTensor(op.getWeights());
    if (failed(execution.requireSameShape(op, source.getShape(),
                                          weights.getShape())))
      return failure();
  }
  auto values = observeAll(op, source, execution);
  if (failed(values) ||
      failed(requireNatural(op, *values, "a value is negative", execution)))
    return failure();
  for (const Scalar &value : *values) {
    if (value.getInt() == std::numeric_limits<int64_t>::max())
      return execution.error(RunError::Kind::Budget, op,
                             "the size does not fit 64 bits");
    *length = std::max(*length, value.getInt() + 1);
  }
  FailureOr<Tensor> made = execution.makeResult(op, op.getResult(), {*length});
  if (failed(made))
    return failure();
  mlir::Type type = made->getElementType();
  Tensor result = Tensor::splat(type, made->getShape(),
                                Scalar(APInt::getZero(*getBitWidth(type))));
  for (auto [position, value] : enumerate(*values)) {
    Scalar weight = weights ? weights.get(static_cast<int64_t>(position))
                            : Scalar::ofIndex(1);
    int64_t place = value.getInt();
    result.set(place, add(result.get(place), weight, type));
  }
  execution.set(op.getResult(), std::move(result));
  return success();
}

//===----------------------------------------------------------------------===//
// Parts of a dimension
//===----------------------------------------------------------------------===//

/// The part of a dimension that starts at `offset`.
static FailureOr<Tensor> takePart(Operation *op, mlir::Value result,
                                  const Tensor &source, uint64_t dim,
                                  int64_t offset, int64_t count, int64_t step,
                                  bool isDropped, Execution &execution) {
  SmallVector<int64_t> shape(source.getShape());
  if (isDropped)
    shape.erase(shape.begin() + static_cast<int64_t>(dim));
  else
    shape[dim] = count;
  FailureOr<Tensor> part = execution.makeResult(op, result, shape);
  if (failed(part) || failed(execution.spend(op, part->getNumElements())))
    return failure();
  int64_t position = 0;
  (void)forEachIndex(shape, [&](ArrayRef<int64_t> indices) {
    SmallVector<int64_t> place(indices);
    if (isDropped)
      place.insert(place.begin() + static_cast<int64_t>(dim), offset);
    else
      place[dim] = offset + place[dim] * step;
    part->set(position++, source.get(*source.getPosition(place)));
    return success();
  });
  return part;
}

/// A bound of a slice as a position in [0, size].
static int64_t clampBound(int64_t bound, int64_t size) {
  return bound < 0 ? std::max<int64_t>(bound + size, 0) : std::min(bound, size);
}

static LogicalResult runSlice(SliceOp op, Execution &execution) {
  FailureOr<int64_t> start = execution.observeInt(op, op.getStart()),
                     end = execution.observeInt(op, op.getEnd());
  if (failed(start) || failed(end))
    return failure();
  Tensor source = execution.getTensor(op.getSource());
  int64_t size = source.getDim(op.getDim());
  auto step = static_cast<int64_t>(op.getStep());
  int64_t first = clampBound(*start, size);
  int64_t length = std::max<int64_t>(clampBound(*end, size) - first, 0);
  int64_t count = length / step + (length % step != 0);
  FailureOr<Tensor> part =
      takePart(op, op.getResult(), source, op.getDim(), first, count, step,
               /*isDropped=*/false, execution);
  if (failed(part))
    return failure();
  execution.set(op.getResult(), std::move(*part));
  return success();
}

static LogicalResult runSelect(SelectOp op, Execution &execution) {
  FailureOr<int64_t> index = execution.observeInt(op, op.getIndex());
  if (failed(index))
    return failure();
  Tensor source = execution.getTensor(op.getSource());
  int64_t size = source.getDim(op.getDim());
  if (*index < -size || *index >= size)
    return execution.refuse(
        op, Twine(-size) + " <= " + Twine(*index) + " < " + Twine(size),
        "the index is out of range");
  FailureOr<Tensor> part = takePart(op, op.getResult(), source, op.getDim(),
                                    *index < 0 ? *index + size : *index, 1, 1,
                                    /*isDropped=*/true, execution);
  if (failed(part))
    return failure();
  execution.set(op.getResult(), std::move(*part));
  return success();
}

static LogicalResult runSplit(SplitOp op, Execution &execution) {
  FailureOr<SmallVector<int64_t>> sizes =
      execution.observeInts(op, op.getSizes());
  if (failed(sizes))
    return failure();
  DynamicAPInt sum(0);
  for (int64_t size : *sizes) {
    if (size < 0)
      return execution.refuse(op, "0 <= " + Twine(size),
                              "a part has a negative size");
    sum += size;
  }
  Tensor source = execution.getTensor(op.getSource());
  int64_t whole = source.getDim(op.getDim());
  if (sum != whole) {
    std::string text;
    raw_string_ostream(text) << sum << " == " << whole;
    return execution.refuse(op, text);
  }
  int64_t offset = 0;
  for (auto [result, size] : zip_equal(op.getResults(), *sizes)) {
    FailureOr<Tensor> part =
        takePart(op, result, source, op.getDim(), offset, size, 1,
                 /*isDropped=*/false, execution);
    if (failed(part))
      return failure();
    execution.set(result, std::move(*part));
    offset += size;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Custom functions
//===----------------------------------------------------------------------===//

/// Room for the results of a custom function: tensors of the bounds, scalars.
static FailureOr<SmallVector<RuntimeValue>>
makeDestinations(CustomCallOp op, Execution &execution) {
  FailureOr<SmallVector<int64_t>> bounds =
      execution.observeInts(op, op.getBounds());
  if (failed(bounds) || failed(execution.requireNonNegative(op, *bounds)))
    return failure();
  SmallVector<RuntimeValue> destinations;
  const int64_t *next = bounds->begin();
  for (mlir::Value result : op.getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type) {
      destinations.emplace_back(Scalar::ofPoison());
      continue;
    }
    SmallVector<int64_t> shape(type.getShape());
    for (int64_t &size : shape)
      if (ShapedType::isDynamic(size))
        size = *next++;
    FailureOr<Tensor> destination =
        execution.makeTensor(op, type.getElementType(), shape);
    if (failed(destination))
      return failure();
    destinations.emplace_back(std::move(*destination));
  }
  return destinations;
}

/// Ends the run because of a size that there is no room for.
static LogicalResult refuseSize(CustomCallOp op, std::string expression,
                                Execution &execution) {
  CheckFailure failure(op.getLoc());
  failure.expression = std::move(expression);
  failure.requiredBy = op->getName().getStringRef().str();
  return execution.fail(std::move(failure));
}

/// Each size is one that there was room for.
static LogicalResult checkSizes(CustomCallOp op, unsigned index,
                                const Tensor &result, const Tensor &destination,
                                Execution &execution) {
  auto type = cast<RankedTensorType>(op->getResult(index).getType());
  for (auto [dim, size] : enumerate(result.getShape())) {
    int64_t limit = destination.getDim(dim);
    bool mayDiffer = type.isDynamicDim(dim);
    if (size == limit || (mayDiffer && size >= 0 && size <= limit))
      continue;
    return refuseSize(op,
                      op.getCallee().str() + "(...).size(" +
                          std::to_string(dim) + ")" +
                          (mayDiffer ? " <= " : " == ") + std::to_string(limit),
                      execution);
  }
  return success();
}

static LogicalResult runCustomCall(CustomCallOp op, Execution &execution) {
  FailureOr<SmallVector<RuntimeValue>> destinations =
      makeDestinations(op, execution);
  if (failed(destinations))
    return failure();
  SmallVector<RuntimeValue> arguments;
  for (mlir::Value input : op.getInputs()) {
    const RuntimeValue &value = execution.get(input);
    bool isPoison = value.isTensor()
                        ? value.getTensor().findPoison().has_value()
                        : value.getScalar().isPoison();
    if (isPoison)
      return execution.observedPoison(op, "an argument of '" + op.getCallee() +
                                              "'");
    arguments.push_back(value);
  }
  const CustomCaller &caller = execution.getOptions().customCaller;
  std::optional<CustomCallResult> result;
  if (caller)
    result = caller(op, arguments, *destinations);
  if (!result)
    return execution.unsupported(op, "nothing brings the function '" +
                                         op.getCallee() + "'");
  if (result->failure) {
    CheckFailure failure(op.getLoc());
    failure.kind = CheckFailure::Kind::CustomCall;
    failure.message = *result->failure;
    return execution.fail(std::move(failure));
  }
  if (result->wrongSize)
    return refuseSize(op, *result->wrongSize, execution);
  for (auto [index, value] : enumerate(result->results)) {
    if (value.isTensor() &&
        failed(checkSizes(op, index, value.getTensor(),
                          (*destinations)[index].getTensor(), execution)))
      return failure();
    execution.set(op->getResult(index), value);
  }
  return success();
}

void tally::interpreter::registerTallyDataDependent(HandlerTable &table) {
  addHandler<NonzeroOp>(table, runNonzero);
  addHandler<MaskedSelectOp>(table, runMaskedSelect);
  addHandler<UniqueOp>(table, runUnique);
  addHandler<SortOp>(table, runSort);
  addHandler<RepeatInterleaveOp>(table, runRepeatInterleave);
  addHandler<BincountOp>(table, runBincount);
  addHandler<SliceOp>(table, runSlice);
  addHandler<SelectOp>(table, runSelect);
  addHandler<SplitOp>(table, runSplit);
  addHandler<CustomCallOp>(table, runCustomCall);
}
