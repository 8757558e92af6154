//===- HigherOrder.cpp - Ops that run subgraphs ---------------------------===//
//
//===----------------------------------------------------------------------===//

#include "Subgraphs.h"

#include "../Importer.h"

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Operands and bodies
//===----------------------------------------------------------------------===//

SmallVector<Actual> getActuals(Lowering &op, const Argument *list) {
  SmallVector<Actual> result;
  auto add = [&](const Argument &argument) {
    Actual actual;
    auto it = op.scope.values.find(argument.text);
    bool isTensor = argument.isName() && it != op.scope.values.end() &&
                    it->second.isTensor();
    if (isTensor)
      actual.tensor = op.tensorOf(argument);
    else
      actual.scalar = op.scalarOf(argument);
    result.push_back(actual);
  };
  if (!list || list->isNone())
    return result;
  if (list->kind != Argument::Kind::List)
    add(*list);
  else
    for (const Argument &argument : list->list)
      add(argument);
  return result;
}

const Graph *getGraph(Lowering &op, unsigned index) {
  const Argument *argument = op.positional(index);
  if (argument && argument->graph)
    return argument->graph.get();
  (void)op.error("argument " + Twine(index) + " is not a subgraph");
  return nullptr;
}

/// A number as an operand of an operation.
static Value getScalarValue(Lowering &op, Expr number) {
  if (number.isInt())
    return op.size(number);
  return op.scalar(number, Operand::getScalarDtype(number));
}

FailureOr<SmallVector<Binding>> importBody(Lowering &op, const Graph &graph,
                                           ArrayRef<Actual> inputs) {
  GraphScope scope(graph);
  if (graph.inputs.size() != inputs.size())
    return op.error("a subgraph takes " + Twine(graph.inputs.size()) +
                    " inputs but is given " + Twine(inputs.size()));
  std::string reason = ("the tensor is an operand of " + op.node.target);
  for (auto [input, actual] : llvm::zip(graph.inputs, inputs)) {
    Binding binding;
    if (actual.tensor)
      binding.slot = op.function.addTensor(*actual.tensor, reason);
    else
      binding.scalar = actual.scalar;
    scope.values[input.text] = binding;
  }
  if (failed(op.function.importNodes(scope)))
    return op.giveUp();
  FailureOr<SmallVector<Binding>> outputs =
      op.function.getOutputs(scope, op.loc);
  if (failed(outputs))
    (void)op.giveUp();
  return outputs;
}

std::optional<Tensor> getTensor(Lowering &op, const Binding &binding) {
  if (!binding.isTensor())
    return std::nullopt;
  return op.function.read(binding.slot, op);
}

//===----------------------------------------------------------------------===//
// cond
//===----------------------------------------------------------------------===//

namespace {
/// One branch, built in a region of its own.
struct Branch {
  Region region;
  SmallVector<std::optional<Tensor>> tensors;
  SmallVector<Expr> scalars;
};
} // namespace

static LogicalResult buildBranch(Lowering &op, const Graph &graph,
                                 ArrayRef<Actual> operands, ValueRange values,
                                 Branch &branch) {
  FunctionState::RegionScope scope(op.state, /*isClosed=*/true);
  SmallVector<Location> locs(values.size(), op.loc);
  Block *block = op.b.createBlock(&branch.region, branch.region.end(),
                                  values.getTypes(), locs);
  SmallVector<Actual> inputs(operands);
  for (auto [input, argument] : llvm::zip(inputs, block->getArguments()))
    if (input.tensor)
      input.tensor->value = argument;
  FailureOr<SmallVector<Binding>> outputs = importBody(op, graph, inputs);
  if (failed(outputs))
    return failure();
  for (const Binding &binding : *outputs) {
    branch.tensors.push_back(getTensor(op, binding));
    branch.scalars.push_back(binding.scalar);
  }
  return success();
}

static void yieldFrom(Lowering &op, Branch &branch, TypeRange types) {
  FunctionState::RegionScope scope(op.state, /*isClosed=*/true);
  op.b.setInsertionPointToEnd(&branch.region.front());
  SmallVector<Value> values;
  unsigned next = 0;
  for (auto [tensor, number] : llvm::zip(branch.tensors, branch.scalars)) {
    if (tensor)
      values.push_back(
          op.cast(tensor->value, cast<RankedTensorType>(types[next++])));
    else if (number) {
      values.push_back(getScalarValue(op, number));
      ++next;
    }
  }
  YieldOp::create(op.b, op.loc, values);
}

namespace {
/// Joins what two branches give, and names what differs.
class ResultJoiner {
public:
  ResultJoiner(Lowering &op, unsigned firstInnerOrdinal)
      : op(op), firstInnerOrdinal(firstInnerOrdinal) {}

  /// The size of a result: the branches' own if they agree, or a new symbol.
  Expr joinSize(Expr a, Expr b, const SymInt *recorded, unsigned result,
                unsigned dim) {
    if (a == b && a.getLatestOrdinal() <= firstInnerOrdinal)
      return a;
    std::string name = op.getNewSymbol(recorded, op.node.name + "_size");
    Expr symbol = op.state.declareUnbacked(name, symbolic::SymbolType::Int, 0);
    bindings.push_back(
        BindingAttr::getSize(op.b.getContext(), symbol.getName(), result, dim));
    return symbol;
  }

  Expr joinScalar(Expr a, Expr b, const SymInt *recorded, unsigned result) {
    if (a == b && a.getLatestOrdinal() <= firstInnerOrdinal)
      return a;
    std::string name = op.getNewSymbol(recorded, op.node.name + "_value");
    Expr symbol =
        op.state.declareUnbacked(name, a.isFloat() ? symbolic::SymbolType::Float
                                                   : symbolic::SymbolType::Int);
    bindings.push_back(
        BindingAttr::getValue(op.b.getContext(), symbol.getName(), result));
    return a.isBool() ? op.exprs.eq(symbol, op.literal(1)) : symbol;
  }

  BindingsAttr getBindings() {
    return bindings.empty() ? BindingsAttr()
                            : BindingsAttr::get(op.b.getContext(), bindings);
  }

private:
  Lowering &op;
  unsigned firstInnerOrdinal;
  SmallVector<BindingAttr> bindings;
};
} // namespace

static const SymInt *getRecordedScalar(Lowering &op, unsigned index) {
  for (const auto *numbers :
       {&op.scope.graph.ints, &op.scope.graph.floats, &op.scope.graph.bools})
    if (auto it = numbers->find(op.resultName(index)); it != numbers->end())
      return &it->second;
  return nullptr;
}

/// A result of the node of a cond.
struct JoinedResult {
  Tensor tensor;
  Expr scalar;
  Type type;
};

static FailureOr<SmallVector<JoinedResult>> joinBranches(Lowering &op,
                                                         Branch &first,
                                                         Branch &second,
                                                         ResultJoiner &joiner) {
  SmallVector<JoinedResult> joined;
  unsigned next = 0;
  for (unsigned i = 0; i < first.tensors.size(); ++i) {
    JoinedResult result;
    std::optional<Tensor> &a = first.tensors[i], &b = second.tensors[i];
    Expr m = first.scalars[i], n = second.scalars[i];
    if (a && b) {
      if (a->rank() != b->rank() || a->dtype != b->dtype)
        return op.error("the branches give tensors of different types");
      const TensorMeta *meta = op.resultMeta(i);
      Sizes sizes;
      for (int64_t dim = 0; dim < a->rank(); ++dim) {
        const SymInt *recorded = meta && size_t(dim) < meta->sizes.size()
                                     ? &meta->sizes[dim]
                                     : nullptr;
        sizes.push_back(joiner.joinSize(a->sizes[dim], b->sizes[dim], recorded,
                                        next, unsigned(dim)));
      }
      result.type = op.tensorType(sizes, a->dtype);
      result.tensor = op.make({}, a->dtype, sizes);
      ++next;
    } else if (m && n && m.getType() == n.getType()) {
      result.scalar = joiner.joinScalar(m, n, getRecordedScalar(op, i), next);
      result.type = m.isInt()    ? op.b.getIndexType()
                    : m.isBool() ? Type(op.b.getI1Type())
                                 : Type(op.b.getF64Type());
      ++next;
    } else if (a || b || m || n) {
      return op.error("the branches give values of different kinds");
    }
    joined.push_back(result);
  }
  return joined;
}

static Value getPredicate(Lowering &op) {
  const Argument *argument = op.positional(0);
  if (!argument)
    return {};
  if (argument->isName()) {
    auto it = op.scope.values.find(argument->text);
    if (it != op.scope.values.end() && it->second.isTensor()) {
      Tensor flag = op.convert(op.tensorOf(*argument), Dtype::Bool);
      for (int64_t dim = 0; dim < flag.rank(); ++dim)
        flag = op.withStaticSize(flag, dim, 1);
      return op.element(flag);
    }
  }
  Expr number = op.scalarOf(*argument);
  if (!number.isBool())
    number = op.exprs.ne(number, op.literal(0));
  return op.scalar(number, Dtype::Bool);
}

static void lowerCond(Lowering &op) {
  const Graph *thenGraph = getGraph(op, 1), *elseGraph = getGraph(op, 2);
  Value predicate = getPredicate(op);
  if (op.hasFailed() || !thenGraph || !elseGraph || !predicate)
    return;
  SmallVector<Actual> operands = getActuals(op, op.positional(3));
  if (op.hasFailed())
    return;
  SmallVector<Value> values;
  for (const Actual &actual : operands)
    values.push_back(actual.tensor ? actual.tensor->value
                                   : getScalarValue(op, actual.scalar));
  unsigned ordinal = unsigned(op.exprs.getSymbols().size());
  Branch thenBranch, elseBranch;
  if (failed(buildBranch(op, *thenGraph, operands, values, thenBranch)) ||
      failed(buildBranch(op, *elseGraph, operands, values, elseBranch)))
    return;
  if (thenBranch.tensors.size() != elseBranch.tensors.size()) {
    (void)op.error("the branches give different numbers of results");
    return;
  }
  ResultJoiner joiner(op, ordinal);
  FailureOr<SmallVector<JoinedResult>> joined =
      joinBranches(op, thenBranch, elseBranch, joiner);
  if (failed(joined))
    return;
  SmallVector<Type> types;
  for (const JoinedResult &result : *joined)
    if (result.type)
      types.push_back(result.type);
  yieldFrom(op, thenBranch, types);
  yieldFrom(op, elseBranch, types);
  auto cond = CondOp::create(op.b, op.loc, types, predicate, values,
                             joiner.getBindings());
  cond.getThenRegion().takeBody(thenBranch.region);
  cond.getElseRegion().takeBody(elseBranch.region);
  unsigned next = 0;
  for (auto [index, result] : llvm::enumerate(*joined)) {
    if (!result.type)
      continue;
    Value value = cond.getResult(next++);
    if (result.scalar) {
      op.result(result.scalar, unsigned(index));
      continue;
    }
    result.tensor.value = value;
    op.result(result.tensor, unsigned(index));
  }
}

//===----------------------------------------------------------------------===//
// Calls and wrappers
//===----------------------------------------------------------------------===//

/// Returns true if a subgraph that takes `formal` may be called with `actual`.
static bool fits(const Tensor &actual, const Tensor &formal) {
  if (actual.rank() != formal.rank() || actual.dtype != formal.dtype)
    return false;
  return llvm::all_of(llvm::zip(actual.sizes, formal.sizes), [](auto pair) {
    auto [mine, its] = pair;
    return !mine.isConstant() || !its.isConstant() || mine == its ||
           *mine.getInt64() == *its.getInt64();
  });
}

namespace {
/// A call of a subgraph: its callee is imported once, with symbols of its own.
class SubgraphCall {
public:
  explicit SubgraphCall(Lowering &op) : op(op), joiner(op, 0) {}

  void run();

private:
  const Subgraph *importCallee();
  bool passOperands(ArrayRef<Actual> operands);
  Tensor makeResult(const Tensor &formal, unsigned index);

  Lowering &op;
  ResultJoiner joiner;
  /// The callee's symbols in the caller's terms.
  llvm::DenseMap<Expr, Expr> actualOf;
  const Subgraph *callee = nullptr;
  SmallVector<Value> values;
};
} // namespace

/// Returns the subgraph that is called; null, with an error, where there is
/// none.
const Subgraph *SubgraphCall::importCallee() {
  const Graph *graph = getGraph(op, 0);
  const Argument *identifier = op.positional(1);
  if (!graph || !identifier)
    return nullptr;
  std::string name = identifier->kind == Argument::Kind::String
                         ? identifier->text
                         : op.node.name;
  FailureOr<const Subgraph *> subgraph =
      op.function.program.getSubgraph(*graph, "subgraph_" + name, op.loc);
  if (succeeded(subgraph))
    return *subgraph;
  (void)op.giveUp();
  return nullptr;
}

/// Fills in the values that the callee is given, and what its symbols are.
/// Returns false, with an error, where they do not fit.
bool SubgraphCall::passOperands(ArrayRef<Actual> operands) {
  auto meet = [&](Expr formal, Expr actual) {
    if (formal.isSymbol())
      actualOf.try_emplace(formal, actual);
  };
  for (auto [formal, actual] : llvm::zip(callee->inputs, operands)) {
    if (formal.scalar) {
      meet(formal.scalar, actual.scalar);
      values.push_back(getScalarValue(op, actual.scalar));
      continue;
    }
    if (!actual.tensor || !fits(*actual.tensor, formal.tensor)) {
      (void)op.error("the call does not fit the subgraph, which is recorded "
                     "for other operands: torch.export takes regions for one "
                     "that are not; call this one as a plain function");
      return false;
    }
    for (auto [its, mine] :
         llvm::zip(formal.tensor.sizes, actual.tensor->sizes))
      meet(its, mine);
    values.push_back(op.cast(actual.tensor->value, formal.tensor.type()));
  }
  return true;
}

/// A result without a value: its sizes in the caller's terms, or as symbols of
/// the call where these do not tell.
Tensor SubgraphCall::makeResult(const Tensor &formal, unsigned index) {
  const TensorMeta *meta = op.resultMeta(index);
  Sizes sizes;
  for (auto [dim, size] : llvm::enumerate(formal.sizes)) {
    bool isKnown = true;
    Expr mine = op.exprs.import(size, [&](Expr symbol) {
      Expr actual = actualOf.lookup(symbol);
      isKnown &= bool(actual);
      return actual ? actual : op.literal(1);
    });
    if (!isKnown) {
      const SymInt *recorded =
          meta && dim < meta->sizes.size() ? &meta->sizes[dim] : nullptr;
      mine = joiner.joinSize(op.literal(-1), op.literal(-2), recorded, index,
                             unsigned(dim));
    }
    sizes.push_back(mine);
  }
  return op.make({}, formal.dtype, sizes);
}

void SubgraphCall::run() {
  SmallVector<Actual> operands;
  for (unsigned i = 2; i < op.node.inputs.size(); ++i)
    llvm::append_range(operands, getActuals(op, op.positional(i)));
  if (op.hasFailed() || !(callee = importCallee()))
    return;
  if (callee->inputs.size() != operands.size() ||
      callee->outputs.size() != op.numResults()) {
    (void)op.error("the call has " + Twine(operands.size()) + " operands and " +
                   Twine(op.numResults()) + " results, the subgraph " +
                   Twine(callee->inputs.size()) + " and " +
                   Twine(callee->outputs.size()));
    return;
  }
  if (!passOperands(operands))
    return;
  SmallVector<Tensor> results;
  SmallVector<Type> types;
  for (auto [index, formal] : llvm::enumerate(callee->outputs)) {
    types.push_back(formal.value.getType());
    results.push_back(makeResult(formal, unsigned(index)));
  }
  auto call = InvokeSubgraphOp::create(
      op.b, op.loc, types, FlatSymbolRefAttr::get(callee->func), values,
      joiner.getBindings(), ArrayAttr(), ArrayAttr());
  for (auto [index, tensor] : llvm::enumerate(results)) {
    tensor.value = op.cast(call.getResult(unsigned(index)),
                           op.tensorType(tensor.sizes, tensor.dtype));
    op.result(tensor, unsigned(index));
  }
}

static void lowerInvokeSubgraph(Lowering &op) { SubgraphCall(op).run(); }

/// Runs a subgraph in place: modes that mean nothing to a compiled program.
static void inlineSubgraph(Lowering &op, unsigned graphIndex) {
  const Graph *graph = getGraph(op, graphIndex);
  if (!graph)
    return;
  GraphScope scope(*graph);
  SmallVector<const Argument *> operands;
  for (unsigned i = graphIndex + 1; i < op.node.inputs.size(); ++i)
    operands.push_back(op.positional(i));
  if (operands.size() != graph->inputs.size()) {
    (void)op.error("a subgraph takes " + Twine(graph->inputs.size()) +
                   " inputs but is given " + Twine(operands.size()));
    return;
  }
  // The tensors are the same ones, so that in-place updates work.
  for (auto [input, operand] : llvm::zip(graph->inputs, operands)) {
    auto it = op.scope.values.find(operand->text);
    if (operand->isName() && it != op.scope.values.end())
      scope.values[input.text] = it->second;
    else
      scope.values[input.text] = Binding{-1, op.scalarOf(*operand)};
  }
  if (op.hasFailed())
    return;
  FailureOr<SmallVector<Binding>> outputs = failure();
  if (failed(op.function.importNodes(scope)) ||
      failed(outputs = op.function.getOutputs(scope, op.loc))) {
    (void)op.giveUp();
    return;
  }
  for (unsigned i = 0; i < op.numResults() && i < outputs->size(); ++i)
    if (!op.resultName(i).empty())
      op.scope.values[op.resultName(i)] = (*outputs)[i];
}

static void lowerSetGradEnabled(Lowering &op) { inlineSubgraph(op, 1); }

/// Autocast changes what the operators inside compute in; the export has
/// written these conversions out only if it was traced that way.
static void lowerAutocast(Lowering &op) {
  for (unsigned i = 0; i < op.node.inputs.size(); ++i) {
    const Argument &argument = op.node.inputs[i].value;
    if (!argument.graph)
      continue;
    // wrap_with_autocast(device_type, dtype, enabled, cache_enabled, graph,
    // ...)
    if (i >= 2 && op.node.inputs[2].value.kind == Argument::Kind::Bool &&
        !op.node.inputs[2].value.boolean)
      return inlineSubgraph(op, i);
    (void)op.error("an enabled autocast region is not supported");
    return;
  }
  (void)op.error("there is no subgraph");
}

void addHigherOrder(LoweringTable &table) {
  table.add("higher_order.cond", lowerCond);
  table.add("higher_order.invoke_subgraph", lowerInvokeSubgraph);
  table.add("higher_order.wrap_with_set_grad_enabled", lowerSetGradEnabled);
  table.add("higher_order.wrap_with_autocast", lowerAutocast);
}

} // namespace tally::import_pt2
