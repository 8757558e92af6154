//===- Vmap.cpp - Computations with a hidden batch dimension --------------===//
//
//===----------------------------------------------------------------------===//

#include "Subgraphs.h"

#include "../Importer.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tally::import_pt2 {

static constexpr StringLiteral kStart =
    "torch._functorch.predispatch._vmap_increment_nesting";
static constexpr StringLiteral kEnd =
    "torch._functorch.predispatch._vmap_decrement_nesting";
static constexpr StringLiteral kHide =
    "torch._functorch.predispatch._add_batch_dim";
static constexpr StringLiteral kShow =
    "torch._functorch.predispatch._remove_batch_dim";

bool isVmapStart(const Node &node) { return node.target == kStart; }

size_t countVmapNodes(ArrayRef<Node> nodes) {
  unsigned depth = 0;
  for (auto [i, node] : llvm::enumerate(nodes)) {
    depth += node.target == kStart;
    depth -= node.target == kEnd;
    if (depth == 0)
      return i + 1;
  }
  return nodes.size();
}

namespace {
/// The nodes of a vmap by what they do.
struct VmapNodes {
  SmallVector<const Node *> hide, show;
  ArrayRef<Node> inner;
  /// The nodes between those that show dimensions, and behind them. They are
  /// not repeated.
  SmallVector<const Node *> outer;
};
} // namespace

/// Nodes that hide dimensions come first, those that show them last; vmaps in
/// between have nodes of these kinds, too.
static VmapNodes sortNodes(ArrayRef<Node> nodes) {
  VmapNodes sorted;
  ArrayRef<Node> rest = nodes.drop_front();
  if (!rest.empty() && rest.back().target == kEnd)
    rest = rest.drop_back();
  while (!rest.empty() && rest.front().target == kHide) {
    sorted.hide.push_back(&rest.front());
    rest = rest.drop_front();
  }
  size_t count = 0;
  while (count < rest.size() && rest[count].target != kShow)
    count +=
        isVmapStart(rest[count]) ? countVmapNodes(rest.drop_front(count)) : 1;
  sorted.inner = rest.take_front(count);
  for (const Node &node : rest.drop_front(count))
    (node.target == kShow ? sorted.show : sorted.outer).push_back(&node);
  return sorted;
}

static void forEachName(const Argument &argument,
                        function_ref<void(StringRef)> fn) {
  if (argument.isName())
    fn(argument.text);
  for (const Argument &element : argument.list)
    forEachName(element, fn);
}

/// The values that the repeated nodes use from around them. The tensors are
/// read here, once, and the nodes cannot update them.
static void captureValues(Lowering &op, const VmapNodes &nodes,
                          GraphScope &inner) {
  auto capture = [&](StringRef name) {
    auto it = op.scope.values.find(name);
    if (it == op.scope.values.end() || inner.values.contains(name))
      return;
    Binding binding = it->second;
    if (binding.isTensor())
      binding.slot = op.function.addTensor(op.function.read(binding.slot, op),
                                           "the tensor is used in a vmap");
    inner.values[name] = binding;
  };
  auto captureInputs = [&](const Node &node) {
    for (const NamedArgument &input : node.inputs)
      forEachName(input.value, capture);
  };
  for (const Node &node : nodes.inner)
    captureInputs(node);
  for (const Node *node : nodes.show)
    captureInputs(*node);
}

/// The place of a batch dimension, as it is given.
static FailureOr<int64_t> getBatchDim(Lowering &op, const Argument &place) {
  Expr given = op.scalarOf(place);
  if (given.isInt() && given.isConstant())
    if (std::optional<int64_t> dim = given.getInt64())
      return *dim;
  return op.error("the batch dimension must be a literal");
}

/// A tensor with its batch dimension in front.
static FailureOr<Tensor> getBatched(Function &function, GraphScope &scope,
                                    const Node &node, Location loc) {
  Lowering op(function, scope, node, loc);
  const Argument *argument = op.positional(0), *place = op.positional(1);
  if (!argument || !place)
    return failure();
  Tensor tensor = op.tensorOf(*argument);
  FailureOr<int64_t> given = getBatchDim(op, *place);
  if (failed(given))
    return failure();
  int64_t dim = op.wrapDim(*given, tensor.rank());
  SmallVector<int64_t> order{dim};
  for (int64_t i = 0; i < tensor.rank(); ++i)
    if (i != dim)
      order.push_back(i);
  Tensor batched = op.permute(tensor, order);
  if (op.hasFailed())
    return failure();
  return batched;
}

/// Describes what a node shows again: a stacked result.
static FailureOr<Tensor> getStacked(Lowering &op, const Node &node,
                                    Expr length) {
  auto meta = node.inputs.empty()
                  ? op.scope.graph.tensors.end()
                  : op.scope.graph.tensors.find(node.inputs[0].value.text);
  if (meta == op.scope.graph.tensors.end())
    return op.error("a result has no recorded sizes");
  FailureOr<Sizes> sizes = op.function.getRecordedSizes(meta->second, op.loc);
  if (failed(sizes))
    return op.giveUp();
  std::optional<Dtype> dtype = getDtype(meta->second.dtype);
  if (!dtype)
    return op.error("the element type " + getDtypeName(meta->second.dtype) +
                    " is not supported");
  sizes->insert(sizes->begin(), length);
  return op.make({}, *dtype, *sizes);
}

/// Gives a stacked result its name, with the batch dimension in its place.
static LogicalResult bindStacked(Function &function, GraphScope &scope,
                                 const Node &node, const Tensor &tensor,
                                 Location loc) {
  Lowering op(function, scope, node, loc);
  const Argument *place = op.positional(3);
  if (!place)
    return failure();
  FailureOr<int64_t> dim = getBatchDim(op, *place);
  if (failed(dim))
    return failure();
  auto order = llvm::to_vector(llvm::seq<int64_t>(1, tensor.rank()));
  order.insert(order.begin() + op.wrapDim(*dim, tensor.rank()), 0);
  op.result(op.permute(tensor, order));
  return failure(op.hasFailed());
}

/// Imports what is not repeated, with the repeated nodes that it needs: these
/// use nothing that has a hidden dimension.
static LogicalResult importOuter(Function &function, GraphScope &scope,
                                 const VmapNodes &nodes) {
  llvm::StringSet<> needed;
  auto need = [&](StringRef name) { needed.insert(name); };
  auto needInputs = [&](const Node &node) {
    for (const NamedArgument &input : node.inputs)
      forEachName(input.value, need);
  };
  for (const Node *node : nodes.outer)
    needInputs(*node);
  SmallVector<const Node *> wanted;
  for (const Node &node : llvm::reverse(nodes.inner))
    if (llvm::any_of(node.outputs, [&](const Argument &output) {
          return needed.contains(output.text) &&
                 !scope.values.contains(output.text);
        })) {
      needInputs(node);
      wanted.push_back(&node);
    }
  std::reverse(wanted.begin(), wanted.end());
  llvm::append_range(wanted, nodes.outer);
  for (const Node *node : wanted)
    if (failed(function.importNodes(scope, *node)))
      return failure();
  return success();
}

/// Imports numbers that repeated nodes compute of sizes around them: nodes
/// behind the vmap may use them.
static LogicalResult importNumbers(Function &function, GraphScope &scope,
                                   ArrayRef<Node> nodes) {
  for (const Node &node : nodes) {
    bool isOutside = !node.outputs.empty() &&
                     llvm::all_of(node.outputs, [&](const Argument &output) {
                       return output.isName() &&
                              !scope.graph.tensors.contains(output.text) &&
                              !scope.values.contains(output.text);
                     });
    for (const NamedArgument &input : node.inputs)
      forEachName(input.value, [&](StringRef name) {
        isOutside &= scope.values.contains(name);
      });
    if (isOutside && failed(function.importNodes(scope, node)))
      return failure();
  }
  return success();
}

LogicalResult importVmap(Function &function, GraphScope &scope,
                         ArrayRef<Node> nodes) {
  Location loc = function.program.getLocation(nodes.front());
  Lowering op(function, scope, nodes.front(), loc);
  VmapNodes sorted = sortNodes(nodes);
  const Argument *size = op.positional(0);
  SliceLoop loop;
  loop.length = size ? op.scalarOf(*size) : op.literal(0);
  for (const Node *node : sorted.hide) {
    FailureOr<Tensor> tensor = getBatched(function, scope, *node, loc);
    if (failed(tensor))
      return op.giveUp();
    loop.sliced.push_back(*tensor);
  }
  for (const Node *node : sorted.show) {
    FailureOr<Tensor> tensor = getStacked(op, *node, loop.length);
    if (failed(tensor))
      return failure();
    loop.stacked.push_back(*tensor);
  }
  GraphScope inner(scope.graph);
  captureValues(op, sorted, inner);
  loop.body = [&](ArrayRef<Actual> slices) -> FailureOr<SmallVector<Binding>> {
    for (auto [node, slice] : llvm::zip(sorted.hide, slices)) {
      int64_t slot =
          function.addTensor(*slice.tensor, "it is a part of a vmap's operand");
      for (const Argument &output : node->outputs)
        inner.values[output.text] = Binding{slot, Expr()};
    }
    if (failed(function.importNodes(inner, sorted.inner)))
      return op.giveUp();
    SmallVector<Binding> outputs;
    for (const Node *node : sorted.show) {
      auto it = inner.values.find(node->inputs[0].value.text);
      if (it == inner.values.end())
        return op.error("the result '" + node->inputs[0].value.text +
                        "' is not made here");
      outputs.push_back(it->second);
    }
    return outputs;
  };
  if (op.hasFailed())
    return failure();
  SmallVector<Tensor> results = buildSliceLoop(op, loop);
  if (op.hasFailed())
    return failure();
  for (auto [node, tensor] : llvm::zip(sorted.show, results))
    if (failed(bindStacked(function, scope, *node, tensor, loc)))
      return op.giveUp();
  if (failed(importNumbers(function, scope, sorted.inner)))
    return failure();
  return importOuter(function, scope, sorted);
}

/// Reports a node that stands where it does not belong.
static void lowerStray(Lowering &op) {
  (void)op.error("it belongs to a vmap, but there is none around it");
}

/// Prepares PyTorch's own tables.
static void lowerNothing(Lowering &op) { op.ignoreArguments(); }

void addVmap(LoweringTable &table) {
  for (StringRef target : {kStart, kEnd, kHide, kShow})
    table.add(target, lowerStray);
  table.add("torch._functorch.predispatch.lazy_load_decompositions",
            lowerNothing);
}

} // namespace tally::import_pt2
