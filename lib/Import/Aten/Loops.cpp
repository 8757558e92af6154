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

namespace {
/// The operands of a while loop.
struct WhileLoop {
  const Graph *condition, *body;
  SmallVector<Actual> carried, additional;

  /// The inputs of a subgraph in the round that is given these values of the
  /// carried tensors.
  SmallVector<Actual> getInputs(ValueRange args) const {
    SmallVector<Actual> inputs(carried);
    for (auto [input, argument] : llvm::zip(inputs, args))
      input.tensor->value = argument;
    llvm::append_range(inputs, additional);
    return inputs;
  }

  /// The carried tensors before the first round.
  SmallVector<Value> getFirst() const {
    SmallVector<Value> first;
    for (const Actual &actual : carried)
      first.push_back(actual.tensor->value);
    return first;
  }
};
} // namespace

static std::optional<WhileLoop> getWhileLoop(Lowering &op) {
  WhileLoop loop{getGraph(op, 0), getGraph(op, 1),
                 getActuals(op, op.positional(2)),
                 getActuals(op, op.positional(3))};
  if (op.hasFailed() || !loop.condition || !loop.body)
    return std::nullopt;
  if (llvm::any_of(loop.carried, [](auto &actual) { return !actual.tensor; })) {
    (void)op.error("carried numbers are not supported");
    return std::nullopt;
  }
  return loop;
}

/// One round, where the builder stands: from the carried tensors to the next.
static SmallVector<Value> buildRound(Lowering &op, const WhileLoop &loop,
                                     ValueRange args) {
  FailureOr<SmallVector<Binding>> outputs =
      importBody(op, *loop.body, loop.getInputs(args));
  return succeeded(outputs) ? getNext(op, *outputs, loop.carried, args)
                            : SmallVector<Value>(args);
}

/// Gives the carried tensors after the last round; if `counts`, also the number
/// of rounds, an i64.
static SmallVector<Value> buildWhile(Lowering &op, const WhileLoop &loop,
                                     bool counts = false) {
  SmallVector<Value> init = loop.getFirst();
  size_t numCarried = init.size();
  Scalars wide(op.b, op.loc, Dtype::I64);
  if (counts)
    init.push_back(wide.integer(0));
  auto whileOp = scf::WhileOp::create(
      op.b, op.loc, ValueRange(init).getTypes(), init,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        FunctionState::RegionScope scope(op.state, /*isClosed=*/false);
        FailureOr<SmallVector<Binding>> outputs = importBody(
            op, *loop.condition, loop.getInputs(args.take_front(numCarried)));
        Value go = succeeded(outputs)
                       ? getCondition(op, *outputs)
                       : op.scalar(op.exprs.falseExpr(), Dtype::Bool);
        scf::ConditionOp::create(b, loc, go, args);
      },
      [&](OpBuilder &b, Location loc, ValueRange args) {
        FunctionState::RegionScope scope(op.state, /*isClosed=*/false);
        SmallVector<Value> next =
            buildRound(op, loop, args.take_front(numCarried));
        if (counts)
          next.push_back(wide.add(args.back(), wide.integer(1)));
        scf::YieldOp::create(b, loc, next);
      });
  return SmallVector<Value>(whileOp.getResults());
}

static void lowerWhileLoop(Lowering &op) {
  std::optional<WhileLoop> loop = getWhileLoop(op);
  if (!loop)
    return;
  for (auto [index, value] : llvm::enumerate(buildWhile(op, *loop))) {
    Tensor tensor = *loop->carried[index].tensor;
    tensor.value = value;
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

//===----------------------------------------------------------------------===//
// while_loop_stack_output
//===----------------------------------------------------------------------===//

/// A stack for the values of a carried tensor after each round, with its first
/// value in it: PyTorch stacks that where there is no round.
static Tensor makeStack(Lowering &op, const Tensor &first, Expr length) {
  Sizes sizes{length};
  llvm::append_range(sizes, first.sizes);
  Tensor stack = op.make(op.empty(sizes, first.dtype), first.dtype, sizes);
  stack.value = writeSlice(op, stack, stack.value, first, op.index(0));
  return stack;
}

/// A symbol for a number that is not negative, an i64.
static Expr declareCount(Lowering &op, Value number) {
  std::string name = op.state.freshName(op.node.name);
  Expr count =
      op.state.declareUnbacked(name, symbolic::SymbolType::Int, /*lower=*/0);
  MLIRContext *context = op.b.getContext();
  auto bindings = BindingsAttr::get(
      context, {BindingAttr::getValue(context, count.getName(), 0)});
  Tensor source = op.fromScalar(number, Dtype::I64);
  ItemOp::create(op.b, op.loc, source.type().getElementType(), source.value,
                 bindings);
  return count;
}

/// The carried tensors after each round, stacked. How many rounds there are is
/// not known before the last: they are counted, and made once more.
static void lowerStackedWhileLoop(Lowering &op) {
  std::optional<WhileLoop> loop = getWhileLoop(op);
  if (!loop)
    return;
  Value rounds = buildWhile(op, *loop, /*counts=*/true).back();
  Expr count = declareCount(op, rounds);
  Expr length = op.exprs.max(count, op.literal(1));
  SmallVector<Tensor> stacks;
  SmallVector<Value> init = loop->getFirst();
  size_t numCarried = init.size();
  for (const Actual &actual : loop->carried) {
    stacks.push_back(makeStack(op, *actual.tensor, length));
    init.push_back(stacks.back().value);
  }
  auto forOp = scf::ForOp::create(
      op.b, op.loc, op.index(0), op.size(count), op.index(1), init,
      [&](OpBuilder &b, Location loc, Value i, ValueRange args) {
        FunctionState::RegionScope scope(op.state, /*isClosed=*/false);
        SmallVector<Value> next =
            buildRound(op, *loop, args.take_front(numCarried));
        for (auto [k, stack] : llvm::enumerate(stacks)) {
          Tensor part = *loop->carried[k].tensor;
          part.value = next[k];
          next.push_back(writeSlice(op, stack, args[numCarried + k], part, i));
        }
        scf::YieldOp::create(b, loc, next);
      });
  for (auto [k, stack] : llvm::enumerate(stacks)) {
    stack.value = forOp.getResult(unsigned(numCarried + k));
    op.result(stack, unsigned(k));
  }
}

void addLoops(LoweringTable &table) {
  table.add("higher_order.while_loop", lowerWhileLoop);
  table.add("higher_order.while_loop_stack_output", lowerStackedWhileLoop);
  table.add("higher_order.scan", lowerScan);
  table.add("higher_order.map_impl", lowerMap);
}

} // namespace tally::import_pt2
