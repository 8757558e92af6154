//===- TensorSlices.cpp - Parts of tensors --------------------------------===//
//
// Slices, concatenation, padding, gather and scatter.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace llvm;
using namespace mlir;
using namespace tally::interpreter;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// One dimension of a slice: inside, and no step of it is 0. A step that is
/// known to be negative runs backwards from the offset.
static LogicalResult checkSlice(Operation *op, int64_t offset, int64_t count,
                                int64_t stride, bool mayRunBackwards,
                                int64_t size, Execution &execution) {
  auto require = [&](bool holds, const Twine &expression) -> LogicalResult {
    return holds ? success()
                 : execution.refuse(op, expression,
                                    "the slice is not inside of the tensor");
  };
  auto last = static_cast<__int128>(offset) +
              (static_cast<__int128>(count) - 1) * stride;
  if (failed(require(count >= 0, "0 <= " + Twine(count))))
    return failure();
  if (stride < 0 && mayRunBackwards)
    return require(count == 0 || (offset < size && last >= 0),
                   Twine(offset) + " < " + Twine(size) +
                       " and 0 <= " + Twine(offset) + " + (" + Twine(count) +
                       " - 1) * " + Twine(stride));
  if (failed(require(offset >= 0, "0 <= " + Twine(offset))) ||
      failed(require(stride >= 1, "1 <= " + Twine(stride))))
    return failure();
  return require(last < size, Twine(offset) + " + (" + Twine(count) +
                                  " - 1) * " + Twine(stride) + " < " +
                                  Twine(size));
}

FailureOr<Slice>
tally::interpreter::readSlice(OffsetSizeAndStrideOpInterface op,
                              ArrayRef<int64_t> shape, Execution &execution) {
  auto offsets = execution.observeInts(op, op.getMixedOffsets()),
       sizes = execution.observeInts(op, op.getMixedSizes()),
       strides = execution.observeInts(op, op.getMixedStrides());
  if (failed(offsets) || failed(sizes) || failed(strides))
    return failure();
  Slice slice{*offsets, *sizes, *strides};
  SmallVector<OpFoldResult> mixed = op.getMixedStrides();
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (failed(checkSlice(op, slice.offsets[dim], slice.sizes[dim],
                          slice.strides[dim],
                          getConstantIntValue(mixed[dim]).has_value(),
                          shape[dim], execution)))
      return failure();
  return slice;
}

/// Calls `use` with the position in the whole tensor of each element.
static void forEachOfSlice(const Tensor &whole, const Slice &slice,
                           llvm::function_ref<void(int64_t)> use) {
  (void)forEachIndex(slice.sizes, [&](ArrayRef<int64_t> indices) {
    SmallVector<int64_t, 4> place;
    for (auto [index, offset, stride] :
         zip_equal(indices, slice.offsets, slice.strides))
      place.push_back(offset + index * stride);
    use(*whole.getPosition(place));
    return success();
  });
}

void tally::interpreter::writeSlice(Tensor &target, const Slice &slice,
                                    const Tensor &source) {
  int64_t position = 0;
  SmallVector<int64_t> places;
  forEachOfSlice(target, slice,
                 [&](int64_t place) { places.push_back(place); });
  for (int64_t place : places)
    target.set(place, source.get(position++));
}

/// The sizes of a slice without the dimensions that it drops.
static SmallVector<int64_t> dropDims(const Slice &slice,
                                     const SmallBitVector &dropped) {
  SmallVector<int64_t> kept;
  for (auto [dim, size] : enumerate(slice.sizes))
    if (!dropped.test(dim))
      kept.push_back(size);
  return kept;
}

static LogicalResult runExtractSlice(tensor::ExtractSliceOp op,
                                     Execution &execution) {
  Tensor source = execution.getTensor(op.getSource());
  FailureOr<Slice> slice = readSlice(op, source.getShape(), execution);
  if (failed(slice))
    return failure();
  FailureOr<Tensor> result =
      execution.makeResult(op, op, dropDims(*slice, op.getDroppedDims()));
  if (failed(result) || failed(execution.spend(op, result->getNumElements())))
    return failure();
  int64_t next = 0;
  forEachOfSlice(source, *slice, [&](int64_t position) {
    result->set(next++, source.get(position));
  });
  execution.set(op, std::move(*result));
  return success();
}

static LogicalResult runInsertSlice(tensor::InsertSliceOp op,
                                    Execution &execution) {
  Tensor source = execution.getTensor(op.getSource());
  FailureOr<Slice> slice =
      readSlice(op, execution.getTensor(op.getDest()).getShape(), execution);
  if (failed(slice) ||
      failed(execution.requireSameShape(
          op, source.getShape(), dropDims(*slice, op.getDroppedDims()))) ||
      failed(execution.spend(op, source.getNumElements())))
    return failure();
  RuntimeValue dest = execution.take(op.getDestMutable());
  writeSlice(dest.getTensor(), *slice, source);
  execution.set(op, std::move(dest));
  return success();
}

//===----------------------------------------------------------------------===//
// Concatenation and padding
//===----------------------------------------------------------------------===//

static LogicalResult runConcat(tensor::ConcatOp op, Execution &execution) {
  uint64_t along = op.getDim();
  SmallVector<Tensor> inputs;
  for (mlir::Value input : op.getInputs())
    inputs.push_back(execution.getTensor(input));
  SmallVector<int64_t> shape(inputs.front().getShape());
  for (const Tensor &input : ArrayRef(inputs).drop_front()) {
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (dim != along &&
          failed(execution.requireEqual(op, shape[dim], input.getDim(dim),
                                        "size " + Twine(dim))))
        return failure();
    if (AddOverflow(shape[along], input.getDim(along), shape[along]))
      return execution.refuse(op, "", "the size is too large");
  }
  FailureOr<Tensor> result = execution.makeResult(op, op, shape);
  if (failed(result) || failed(execution.spend(op, result->getNumElements())))
    return failure();
  Slice slice;
  slice.offsets.assign(shape.size(), 0);
  slice.strides.assign(shape.size(), 1);
  for (const Tensor &input : inputs) {
    slice.sizes.assign(input.getShape().begin(), input.getShape().end());
    writeSlice(*result, slice, input);
    slice.offsets[along] += input.getDim(along);
  }
  execution.set(op, std::move(*result));
  return success();
}

static LogicalResult runPad(tensor::PadOp op, Execution &execution) {
  Tensor source = execution.getTensor(op.getSource());
  auto low = execution.observeInts(op, op.getMixedLowPad()),
       high = execution.observeInts(op, op.getMixedHighPad());
  if (failed(low) || failed(high) ||
      failed(execution.requireNonNegative(op, *low)) ||
      failed(execution.requireNonNegative(op, *high)))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [size, before, after] : zip_equal(source.getShape(), *low, *high)) {
    int64_t padded = 0;
    if (AddOverflow(size, before, padded) || AddOverflow(padded, after, padded))
      return execution.refuse(op, "", "the size is too large");
    shape.push_back(padded);
  }
  FailureOr<Tensor> result = execution.makeResult(op, op, shape);
  if (failed(result))
    return failure();
  ElementRuns elements(op.getRegion(), execution);
  int64_t position = 0;
  if (failed(forEachIndex(
          shape,
          [&](ArrayRef<int64_t> indices) -> LogicalResult {
            SmallVector<int64_t, 4> inner;
            SmallVector<RuntimeValue> arguments, yielded;
            for (auto [index, before] : zip_equal(indices, *low)) {
              inner.push_back(index - before);
              arguments.emplace_back(Scalar::ofIndex(index));
            }
            // The body is run for what is not padding, too.
            if (failed(elements.run(indices, std::move(arguments), yielded)))
              return failure();
            if (std::optional<int64_t> from = source.getPosition(inner))
              result->set(position, source.get(*from));
            else if (!yielded.empty())
              result->set(position, yielded.front().getScalar());
            ++position;
            return success();
          })) ||
      failed(elements.finish()))
    return failure();
  execution.set(op, std::move(*result));
  return success();
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

namespace {
/// How the slices of a gather or a scatter lie in the whole tensor.
struct Places {
  Operation *op;
  Tensor indices;
  SmallVector<int64_t> indexed;
  SmallVector<int64_t> wholeShape;
  /// Whether the dimensions that are indexed are left out of the slices.
  bool isReduced = false;

  SmallVector<int64_t> getLeading() const {
    return SmallVector<int64_t>(indices.getShape().drop_back());
  }
  /// The sizes of the tensor of slices.
  SmallVector<int64_t> getSlicesShape() const {
    SmallVector<int64_t> shape = getLeading();
    for (auto [dim, size] : enumerate(wholeShape))
      if (!is_contained(indexed, static_cast<int64_t>(dim)))
        shape.push_back(size);
      else if (!isReduced)
        shape.push_back(1);
    return shape;
  }
  /// The indices in the whole tensor of an element of the slices.
  FailureOr<SmallVector<int64_t>> getPlace(ArrayRef<int64_t> slices,
                                           Execution &execution) const;
};
} // namespace

FailureOr<SmallVector<int64_t>> Places::getPlace(ArrayRef<int64_t> slices,
                                                 Execution &execution) const {
  size_t leading = indices.getRank() - 1;
  SmallVector<int64_t> place(wholeShape.size(), 0);
  size_t next = leading;
  for (size_t dim = 0; dim < wholeShape.size(); ++dim) {
    bool isIndexed = is_contained(indexed, static_cast<int64_t>(dim));
    if (!isIndexed)
      place[dim] = slices[next++];
    else if (!isReduced)
      ++next;
  }
  SmallVector<int64_t> coordinate(slices.take_front(leading));
  coordinate.push_back(0);
  for (auto [number, dim] : enumerate(indexed)) {
    coordinate.back() = static_cast<int64_t>(number);
    FailureOr<int64_t> index =
        execution.observeElement(op, indices, *indices.getPosition(coordinate));
    if (failed(index))
      return failure();
    if (*index < 0 || *index >= wholeShape[dim])
      return execution.refuse(
          op, "0 <= " + Twine(*index) + " < " + Twine(wholeShape[dim]),
          "an index is out of bounds");
    place[dim] = *index;
  }
  return place;
}

/// Every coordinate has to be inside, also of slices without elements.
static LogicalResult checkCoordinates(const Places &places,
                                      Execution &execution) {
  return forEachIndex(
      places.getLeading(), [&](ArrayRef<int64_t> leading) -> LogicalResult {
        SmallVector<int64_t> first(leading);
        first.resize(leading.size() + places.wholeShape.size(), 0);
        return success(succeeded(places.getPlace(first, execution)));
      });
}

static LogicalResult runGather(tensor::GatherOp op, Execution &execution) {
  Tensor source = execution.getTensor(op.getSource());
  Places places{op, execution.getTensor(op.getIndices()),
                SmallVector<int64_t>(op.getGatherDims()),
                SmallVector<int64_t>(source.getShape())};
  places.isReduced = op.getResultType().getRank() <
                     places.indices.getRank() - 1 + source.getRank();
  if (failed(checkCoordinates(places, execution)))
    return failure();
  FailureOr<Tensor> result =
      execution.makeResult(op, op, places.getSlicesShape());
  if (failed(result) || failed(execution.spend(op, result->getNumElements())))
    return failure();
  int64_t position = 0;
  if (failed(forEachIndex(
          result->getShape(), [&](ArrayRef<int64_t> indices) -> LogicalResult {
            auto place = places.getPlace(indices, execution);
            if (failed(place))
              return failure();
            result->set(position++, source.get(*source.getPosition(*place)));
            return success();
          })))
    return failure();
  execution.set(op, std::move(*result));
  return success();
}

static LogicalResult runScatter(tensor::ScatterOp op, Execution &execution) {
  Tensor source = execution.getTensor(op.getSource());
  Tensor result = execution.getTensor(op.getDest());
  Places places{op, execution.getTensor(op.getIndices()),
                SmallVector<int64_t>(op.getScatterDims()),
                SmallVector<int64_t>(result.getShape())};
  places.isReduced =
      source.getRank() < places.indices.getRank() - 1 + result.getRank();
  if (failed(execution.requireSameShape(op, places.getSlicesShape(),
                                        source.getShape())) ||
      failed(checkCoordinates(places, execution)) ||
      failed(execution.spendBytes(op, result.getBytes().size())) ||
      failed(execution.spend(op, source.getNumElements())))
    return failure();
  int64_t position = 0;
  if (failed(forEachIndex(
          source.getShape(), [&](ArrayRef<int64_t> indices) -> LogicalResult {
            auto place = places.getPlace(indices, execution);
            if (failed(place))
              return failure();
            result.set(*result.getPosition(*place), source.get(position++));
            return success();
          })))
    return failure();
  execution.set(op, std::move(result));
  return success();
}

void tally::interpreter::registerTensorSlices(HandlerTable &table) {
  addHandler<tensor::ExtractSliceOp>(table, runExtractSlice);
  addHandler<tensor::InsertSliceOp>(table, runInsertSlice);
  addHandler<tensor::ConcatOp>(table, runConcat);
  addHandler<tensor::PadOp>(table, runPad);
  addHandler<tensor::GatherOp>(table, runGather);
  addHandler<tensor::ScatterOp>(table, runScatter);
}
