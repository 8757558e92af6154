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

/// Whether the loop goes on: the only result of its condition.
static Value getCondition(Lowering &op, ArrayRef<Binding> outputs) {
  if (outputs.size() == 1) {
    if (std::optional<Tensor> flag = getTensor(op, outputs[0]))
      return op.element(op.convert(*flag, Dtype::Bool));
    if (outputs[0].scalar)
      return op.scalar(outputs[0].scalar, Dtype::Bool);
  }
  (void)op.error("the condition must give one boolean");
  return op.scalar(op.exprs.falseExpr(), Dtype::Bool);
}

/// The next values of the carried tensors, from the results of the body.
static SmallVector<Value> getNext(Lowering &op, ArrayRef<Binding> outputs,
                                  ArrayRef<Actual> carried, ValueRange args) {
  SmallVector<Value> next(args);
  if (outputs.size() != carried.size()) {
    (void)op.error("the body gives " + Twine(outputs.size()) + " results for " +
                   Twine(carried.size()) + " carried tensors");
    return next;
  }
  for (auto [binding, value, actual] : llvm::zip(outputs, next, carried)) {
    if (std::optional<Tensor> tensor = getTensor(op, binding))
      value = asCarried(op, *tensor, *actual.tensor);
    else
      (void)op.error("the body gives something else than a tensor");
  }
  return next;
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
        FunctionState::RegionScope scope(op.state, /*isClosed=*/false);
        FailureOr<SmallVector<Binding>> outputs =
            importBody(op, *condGraph, getInputs(args));
        Value go = succeeded(outputs)
                       ? getCondition(op, *outputs)
                       : op.scalar(op.exprs.falseExpr(), Dtype::Bool);
        scf::ConditionOp::create(b, loc, go, args);
      },
      [&](OpBuilder &b, Location loc, ValueRange args) {
        FunctionState::RegionScope scope(op.state, /*isClosed=*/false);
        FailureOr<SmallVector<Binding>> outputs =
            importBody(op, *bodyGraph, getInputs(args));
        SmallVector<Value> next(args);
        if (succeeded(outputs))
          next = getNext(op, *outputs, carried, args);
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
  if (isNothing(sizes))
    return op.make(op.empty(sizes, whole.dtype), whole.dtype, sizes);
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
  if (isNothing(sizes))
    return into;
  auto [offsets, extents, steps] = getSliceGeometry(op, whole, i);
  return tensor::InsertSliceOp::create(op.b, op.loc, value, into, offsets,
                                       extents, steps);
}

/// The body of the loop, which is given the carried tensors. Gives their next
/// values, and adds what is stacked to `parts`.
static SmallVector<Value> buildSliceBody(Lowering &op, const SliceLoop &loop,
                                         Value i, ValueRange args,
                                         SmallVectorImpl<Tensor> &parts) {
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
  if (outputs->size() != next.size() + loop.stacked.size()) {
    (void)op.error("the subgraph gives another number of results");
    return next;
  }
  for (auto [k, binding] : llvm::enumerate(*outputs)) {
    std::optional<Tensor> tensor = getTensor(op, binding);
    if (!tensor) {
      (void)op.error("the subgraph gives something else than tensors");
      return next;
    }
    if (k < next.size())
      next[k] = asCarried(op, *tensor, loop.carried[k]);
    else
      parts.push_back(*tensor);
  }
  return next;
}

/// A stacked result whose sizes must be known.
static Tensor makeEmpty(Lowering &op, Tensor whole) {
  for (Expr &size : whole.sizes)
    if (!size) {
      (void)op.error("a size of a stacked result is not known");
      size = op.literal(0);
    }
  whole.value = op.empty(whole.sizes, whole.dtype);
  return whole;
}

/// A stacked result before the loop. Its sizes are those that the body gives,
/// exactly, where they do not depend on the iteration; otherwise what was
/// recorded. The body declared the symbols behind the first `numSymbols`.
static Tensor makeStacked(Lowering &op, Tensor whole, const Tensor &part,
                          size_t numSymbols) {
  bool known = part.rank() == whole.rank() - 1 &&
               llvm::all_of(part.sizes, [&](Expr size) {
                 return op.state.isDeclaredWithin(numSymbols, size);
               });
  if (known)
    llvm::copy(part.sizes, whole.sizes.begin() + 1);
  return makeEmpty(op, whole);
}

/// Adds the stacked results to a loop that has the carried ones.
static scf::ForOp addStacked(Lowering &op, scf::ForOp forOp,
                             ArrayRef<Tensor> stacked, ArrayRef<Tensor> parts) {
  SmallVector<Value> init;
  for (const Tensor &whole : stacked)
    init.push_back(whole.value);
  IRRewriter rewriter(op.b);
  auto write = [&](OpBuilder &b, Location, ArrayRef<BlockArgument> args) {
    FunctionState::RegionScope scope(op.state, /*isClosed=*/false);
    op.b.restoreInsertionPoint(b.saveInsertionPoint());
    SmallVector<Value> written;
    for (auto [whole, arg, part] : llvm::zip(stacked, args, parts))
      written.push_back(
          writeSlice(op, whole, arg, part, forOp.getInductionVar()));
    return written;
  };
  auto loop = cast<scf::ForOp>(*forOp.replaceWithAdditionalYields(
      rewriter, init, /*replaceInitOperandUsesInLoop=*/false, write));
  op.b.setInsertionPointAfter(loop);
  return loop;
}

SmallVector<Tensor> buildSliceLoop(Lowering &op, const SliceLoop &loop) {
  SmallVector<Tensor> results = loop.carried;
  for (const Tensor &whole : loop.sliced) {
    if (whole.rank() == 0) {
      (void)op.error("a tensor without dimensions has no slices");
      return results;
    }
    op.checkEqual(whole.sizes[0], loop.length,
                  Twine(op.target) + ": the lengths differ");
  }
  if (loop.length.isConstant(0)) {
    for (const Tensor &whole : loop.stacked)
      results.push_back(makeEmpty(op, whole));
    return results;
  }
  SmallVector<Value> init;
  for (const Tensor &tensor : results)
    init.push_back(tensor.value);
  SmallVector<Tensor> parts;
  size_t numSymbols = op.state.numDeclared();
  auto forOp = scf::ForOp::create(
      op.b, op.loc, op.index(0), op.size(loop.length), op.index(1), init,
      [&](OpBuilder &b, Location loc, Value i, ValueRange args) {
        FunctionState::RegionScope scope(op.state, /*isClosed=*/false);
        scf::YieldOp::create(b, loc, buildSliceBody(op, loop, i, args, parts));
      });
  if (op.hasFailed() || parts.size() != loop.stacked.size())
    return results;
  op.b.setInsertionPoint(forOp);
  SmallVector<Tensor> stacked;
  for (auto [whole, part] : llvm::zip(loop.stacked, parts))
    stacked.push_back(makeStacked(op, whole, part, numSymbols));
  results.append(stacked);
  forOp = addStacked(op, forOp, stacked, parts);
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
/// front; null where what is recorded is not known before the loop.
static FailureOr<Sizes> getStackedSizes(Lowering &op, unsigned index,
                                        Expr length) {
  const TensorMeta *meta = op.resultMeta(index);
  if (!meta || meta->sizes.empty())
    return op.error("a stacked result has no recorded sizes");
  Sizes sizes{length};
  for (const SymInt &number : llvm::drop_begin(meta->sizes))
    sizes.push_back(op.function.findRecorded(number));
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
