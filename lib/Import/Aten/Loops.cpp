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
// Loops over slices
//===----------------------------------------------------------------------===//

/// The offsets, sizes and steps of slice `i` of the first dimension.
static std::array<SmallVector<OpFoldResult>, 3>
getSliceGeometry(Lowering &op, const Tensor &whole, Value i) {
  size_t rank = size_t(whole.rank());
  SmallVector<OpFoldResult> offsets(rank, op.b.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes = op.sizesOrLiterals(whole.sizes);
  offsets[0] = i;
  sizes[0] = op.b.getIndexAttr(1);
  return {offsets, sizes,
          SmallVector<OpFoldResult>(rank, op.b.getIndexAttr(1))};
}

static Tensor readSlice(Lowering &op, const Tensor &whole, Value i) {
  Sizes sizes(whole.sizes.begin() + 1, whole.sizes.end());
  auto [offsets, extents, steps] = getSliceGeometry(op, whole, i);
  Value slice = tensor::ExtractSliceOp::create(
      op.b, op.loc, op.tensorType(sizes, whole.dtype), whole.value, offsets,
      extents, steps);
  return op.make(slice, whole.dtype, sizes);
}

static Value writeSlice(Lowering &op, const Tensor &whole, Value into,
                        const Tensor &part, Value i) {
  Sizes sizes(whole.sizes.begin() + 1, whole.sizes.end());
  Tensor slot = op.make(op.empty(sizes, whole.dtype), whole.dtype, sizes);
  Value value = asCarried(op, part, slot);
  auto [offsets, extents, steps] = getSliceGeometry(op, whole, i);
  return tensor::InsertSliceOp::create(op.b, op.loc, value, into, offsets,
                                       extents, steps);
}

/// The body of the loop: what comes after `carried` in `args` is written to.
static SmallVector<Value> buildSliceBody(Lowering &op, const SliceLoop &loop,
                                         Value i, ValueRange args) {
  SmallVector<Actual> inputs;
  for (auto [tensor, argument] : llvm::zip(loop.carried, args)) {
    inputs.push_back({tensor, Expr()});
    inputs.back().tensor->value = argument;
  }
  for (const Tensor &whole : loop.sliced)
    inputs.push_back({readSlice(op, whole, i), Expr()});
  FailureOr<SmallVector<Binding>> outputs = loop.body(inputs);
  SmallVector<Value> next(args);
  if (failed(outputs))
    return next;
  if (outputs->size() != next.size()) {
    (void)op.error("the subgraph gives another number of results");
    return next;
  }
  for (auto [k, binding] : llvm::enumerate(*outputs)) {
    std::optional<Tensor> tensor = getTensor(op, binding);
    if (!tensor) {
      (void)op.error("the subgraph gives something else than tensors");
      return next;
    }
    size_t numCarried = loop.carried.size();
    next[k] = k < numCarried ? asCarried(op, *tensor, loop.carried[k])
                             : writeSlice(op, loop.stacked[k - numCarried],
                                          args[k], *tensor, i);
  }
  return next;
}

SmallVector<Tensor> buildSliceLoop(Lowering &op, const SliceLoop &loop) {
  SmallVector<Tensor> results = loop.carried;
  for (const Tensor &whole : loop.stacked)
    results.push_back(
        op.make(op.empty(whole.sizes, whole.dtype), whole.dtype, whole.sizes));
  for (const Tensor &whole : loop.sliced)
    op.checkEqual(whole.sizes[0], loop.length,
                  Twine(op.target) + ": the lengths differ");
  if (loop.length.isConstant(0))
    return results;
  SmallVector<Value> init;
  for (const Tensor &tensor : results)
    init.push_back(tensor.value);
  auto forOp = scf::ForOp::create(
      op.b, op.loc, op.index(0), op.size(loop.length), op.index(1), init,
      [&](OpBuilder &b, Location loc, Value i, ValueRange args) {
        State::RegionScope scope(op.state, /*isClosed=*/false);
        scf::YieldOp::create(b, loc, buildSliceBody(op, loop, i, args));
      });
  for (auto [tensor, value] : llvm::zip(results, forOp.getResults()))
    tensor.value = value;
  return results;
}

//===----------------------------------------------------------------------===//
// scan and map
//===----------------------------------------------------------------------===//

/// The operands of a loop as tensors with at least so many dimensions.
static SmallVector<Tensor> getTensors(Lowering &op, const Argument *list,
                                      int64_t rank) {
  SmallVector<Tensor> tensors;
  for (const Actual &actual : getActuals(op, list)) {
    if (!actual.tensor)
      (void)op.error("carried numbers are not supported");
    else if (actual.tensor->rank() < rank)
      (void)op.error("a sliced operand has no dimensions");
    else
      tensors.push_back(*actual.tensor);
  }
  return tensors;
}

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

static void lowerSliceLoop(Lowering &op, const Argument *carried,
                           const Argument *sliced, const Argument *additional) {
  const Graph *graph = getGraph(op, 0);
  SliceLoop loop;
  loop.carried = getTensors(op, carried, 0);
  loop.sliced = getTensors(op, sliced, 1);
  SmallVector<Actual> more = getActuals(op, additional);
  if (op.hasFailed() || !graph)
    return;
  if (loop.sliced.empty()) {
    (void)op.error("there is nothing to loop over");
    return;
  }
  loop.length = loop.sliced[0].sizes[0];
  for (unsigned i = unsigned(loop.carried.size()); i < op.numResults(); ++i) {
    FailureOr<Sizes> sizes = getStackedSizes(op, i, loop.length);
    if (failed(sizes))
      return;
    loop.stacked.push_back(op.make({}, op.resultDtype(i), *sizes));
  }
  loop.body = [&](ArrayRef<Actual> inputs) {
    SmallVector<Actual> all(inputs);
    llvm::append_range(all, more);
    return importBody(op, *graph, all);
  };
  for (auto [index, tensor] : llvm::enumerate(buildSliceLoop(op, loop)))
    op.result(tensor, unsigned(index));
}

static void lowerScan(Lowering &op) {
  lowerSliceLoop(op, op.positional(1), op.positional(2), op.positional(3));
}

static void lowerMap(Lowering &op) {
  lowerSliceLoop(op, nullptr, op.positional(1), op.positional(2));
}

void addLoops(LoweringTable &table) {
  table.add("higher_order.while_loop", lowerWhileLoop);
  table.add("higher_order.scan", lowerScan);
  table.add("higher_order.map_impl", lowerMap);
}

} // namespace tally::import_pt2
