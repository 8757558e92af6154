//===- Loops.cpp - Higher-order ops that repeat a subgraph ----------------===//
//
//===----------------------------------------------------------------------===//

#include "Subgraphs.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// while_loop
//===----------------------------------------------------------------------===//

/// Brings what a body gives to the type and the sizes of what it was given.
static Value asCarried(Lowering &op, const Tensor &result,
                       const Tensor &carried) {
  Tensor converted = op.convert(result, carried.dtype);
  if (converted.rank() != carried.rank()) {
    (void)op.error("a carried tensor changes its number of dimensions");
    return carried.value;
  }
  for (auto [mine, its] : llvm::zip(converted.sizes, carried.sizes))
    op.checkEqual(mine, its,
                  Twine(op.target) + ": a carried tensor changes its size");
  return op.cast(converted.value, carried.type());
}

static void lowerWhileLoop(Lowering &op) {
  const Graph *condGraph = getGraph(op, 0), *bodyGraph = getGraph(op, 1);
  SmallVector<Actual> carried = getActuals(op, op.positional(2));
  SmallVector<Actual> additional = getActuals(op, op.positional(3));
  if (op.hasFailed() || !condGraph || !bodyGraph)
    return;
  SmallVector<Value> init;
  for (const Actual &actual : carried) {
    if (!actual.tensor) {
      (void)op.error("carried numbers are not supported");
      return;
    }
    init.push_back(actual.tensor->value);
  }
  auto getInputs = [&](ValueRange args) {
    SmallVector<Actual> inputs(carried);
    for (auto [input, argument] : llvm::zip(inputs, args))
      input.tensor->value = argument;
    llvm::append_range(inputs, additional);
    return inputs;
  };
  auto loop = scf::WhileOp::create(
      op.b, op.loc, ValueRange(init).getTypes(), init,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        State::RegionScope scope(op.state, /*isClosed=*/false);
        FailureOr<SmallVector<Binding>> outputs =
            importBody(op, *condGraph, getInputs(args));
        Value go;
        if (succeeded(outputs) && !outputs->empty()) {
          const Binding &binding = outputs->front();
          if (std::optional<Tensor> flag = getTensor(op, binding))
            go = op.element(op.convert(*flag, Dtype::Bool));
          else if (binding.number)
            go = op.scalar(binding.number, Dtype::Bool);
        }
        if (!go)
          go = Scalars(b, loc, Dtype::Bool).integer(0);
        scf::ConditionOp::create(b, loc, go, args);
      },
      [&](OpBuilder &b, Location loc, ValueRange args) {
        State::RegionScope scope(op.state, /*isClosed=*/false);
        FailureOr<SmallVector<Binding>> outputs =
            importBody(op, *bodyGraph, getInputs(args));
        SmallVector<Value> next(args);
        if (succeeded(outputs))
          for (auto [binding, value, actual] :
               llvm::zip(*outputs, next, carried))
            if (std::optional<Tensor> tensor = getTensor(op, binding))
              value = asCarried(op, *tensor, *actual.tensor);
        scf::YieldOp::create(b, loc, next);
      });
  for (auto [index, actual] : llvm::enumerate(carried)) {
    Tensor tensor = *actual.tensor;
    tensor.value = loop.getResult(unsigned(index));
    op.result(tensor, unsigned(index));
  }
}

//===----------------------------------------------------------------------===//
// scan and map
//===----------------------------------------------------------------------===//

namespace {
/// A loop over slices, with carried tensors and stacked results.
struct SliceLoop {
  const Graph *graph = nullptr;
  SmallVector<Actual> carried, sliced, additional;
};
} // namespace

/// The recorded sizes of a stacked result, with the length of the loop in
/// front.
static FailureOr<Sizes> getStackedSizes(Lowering &op, unsigned index,
                                        Expr length) {
  const TensorMeta *meta = op.resultMeta(index);
  if (!meta || meta->sizes.empty())
    return op.error("a stacked result has no recorded sizes");
  Sizes sizes{length};
  for (const Number &number : llvm::drop_begin(meta->sizes)) {
    FailureOr<Expr> size = op.function.getRecorded(number, op.loc);
    if (failed(size))
      return op.error("a size of a stacked result is not known");
    sizes.push_back(*size);
  }
  return sizes;
}

static void lowerSliceLoop(Lowering &op, const SliceLoop &loop) {
  if (op.hasFailed() || !loop.graph)
    return;
  if (loop.sliced.empty() || !loop.sliced[0].tensor ||
      loop.sliced[0].tensor->rank() == 0) {
    (void)op.error("there is nothing to loop over");
    return;
  }
  Expr length = loop.sliced[0].tensor->sizes[0];
  for (const Actual &actual : loop.sliced) {
    if (!actual.tensor || actual.tensor->rank() == 0) {
      (void)op.error("a sliced operand has no dimensions");
      return;
    }
    op.checkEqual(actual.tensor->sizes[0], length,
                  Twine(op.target) + ": the lengths differ");
  }
  SmallVector<Value> init;
  SmallVector<Tensor> stacked;
  for (const Actual &actual : loop.carried) {
    if (!actual.tensor) {
      (void)op.error("carried numbers are not supported");
      return;
    }
    init.push_back(actual.tensor->value);
  }
  unsigned numCarried = unsigned(init.size());
  for (unsigned i = numCarried; i < op.numResults(); ++i) {
    FailureOr<Sizes> sizes = getStackedSizes(op, i, length);
    if (failed(sizes))
      return;
    Dtype dtype = op.resultDtype(i);
    stacked.push_back(op.make(op.empty(*sizes, dtype), dtype, *sizes));
    init.push_back(stacked.back().value);
  }
  auto forOp = scf::ForOp::create(
      op.b, op.loc, op.index(0), op.size(length), op.index(1), init,
      [&](OpBuilder &b, Location loc, Value i, ValueRange args) {
        State::RegionScope scope(op.state, /*isClosed=*/false);
        SmallVector<Actual> inputs(loop.carried);
        for (auto [input, argument] : llvm::zip(inputs, args))
          input.tensor->value = argument;
        for (const Actual &actual : loop.sliced) {
          const Tensor &whole = *actual.tensor;
          Sizes sizes(whole.sizes.begin() + 1, whole.sizes.end());
          SmallVector<OpFoldResult> offsets(whole.rank(), b.getIndexAttr(0));
          SmallVector<OpFoldResult> strides(whole.rank(), b.getIndexAttr(1));
          SmallVector<OpFoldResult> extents = op.sizesOrLiterals(whole.sizes);
          offsets[0] = i;
          extents[0] = b.getIndexAttr(1);
          Value slice = tensor::ExtractSliceOp::create(
              b, loc, op.tensorType(sizes, whole.dtype), whole.value, offsets,
              extents, strides);
          inputs.push_back({op.make(slice, whole.dtype, sizes), Expr()});
        }
        llvm::append_range(inputs, loop.additional);
        FailureOr<SmallVector<Binding>> outputs =
            importBody(op, *loop.graph, inputs);
        SmallVector<Value> next(args);
        if (succeeded(outputs) && outputs->size() == next.size())
          for (unsigned k = 0; k < next.size(); ++k) {
            std::optional<Tensor> tensor = getTensor(op, (*outputs)[k]);
            if (!tensor) {
              (void)op.error("the subgraph gives something else than tensors");
              break;
            }
            if (k < numCarried) {
              next[k] = asCarried(op, *tensor, *loop.carried[k].tensor);
              continue;
            }
            Tensor whole = stacked[k - numCarried];
            Tensor slot =
                op.make({}, whole.dtype, ArrayRef(whole.sizes).drop_front());
            slot.value = op.empty(slot.sizes, slot.dtype);
            Value part = asCarried(op, *tensor, slot);
            SmallVector<OpFoldResult> offsets(whole.rank(), b.getIndexAttr(0));
            SmallVector<OpFoldResult> strides(whole.rank(), b.getIndexAttr(1));
            SmallVector<OpFoldResult> extents = op.sizesOrLiterals(whole.sizes);
            offsets[0] = i;
            extents[0] = b.getIndexAttr(1);
            next[k] = tensor::InsertSliceOp::create(b, loc, part, args[k],
                                                    offsets, extents, strides);
          }
        else if (!op.hasFailed())
          (void)op.error("the subgraph gives another number of results");
        scf::YieldOp::create(b, loc, next);
      });
  for (unsigned k = 0; k < op.numResults() && k < forOp.getNumResults(); ++k) {
    Tensor tensor =
        k < numCarried ? *loop.carried[k].tensor : stacked[k - numCarried];
    tensor.value = forOp.getResult(k);
    op.result(tensor, k);
  }
}

static void lowerScan(Lowering &op) {
  SliceLoop loop;
  loop.graph = getGraph(op, 0);
  loop.carried = getActuals(op, op.positional(1));
  loop.sliced = getActuals(op, op.positional(2));
  loop.additional = getActuals(op, op.positional(3));
  lowerSliceLoop(op, loop);
}

static void lowerMap(Lowering &op) {
  SliceLoop loop;
  loop.graph = getGraph(op, 0);
  loop.sliced = getActuals(op, op.positional(1));
  loop.additional = getActuals(op, op.positional(2));
  lowerSliceLoop(op, loop);
}

void addLoops(LoweringTable &table) {
  table.add("higher_order.while_loop", lowerWhileLoop);
  table.add("higher_order.scan", lowerScan);
  table.add("higher_order.map_impl", lowerMap);
}

} // namespace tally::import_pt2
