//===- Recurrent.cpp - LSTM, GRU and plain recurrent layers ---------------===//
//
// A layer goes over the steps of a sequence in a loop that carries the state;
// what depends on the input alone is computed for all steps before it.
//
//===----------------------------------------------------------------------===//

#include "Subgraphs.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tally::import_pt2 {

namespace {
/// The weights of one layer in one direction.
struct CellWeights {
  Tensor input, hidden;
  std::optional<Tensor> inputBias, hiddenBias;
  /// Of an LSTM whose output is narrower than its cells.
  std::optional<Tensor> projection;
};

/// The state of a layer: what it gives, and the cells of an LSTM.
using State = SmallVector<Tensor, 2>;

/// Gives the next state from what the input contributes to all gates, from what
/// the last output does, and from the last state.
using CellFn = State (*)(Lowering &op, const Tensor &input,
                         const Tensor &hidden, const State &state);
} // namespace

/// The gate at a place among `count`, which are side by side.
static Tensor getGate(Lowering &op, const Tensor &gates, int64_t place,
                      int64_t count) {
  int64_t dim = gates.rank() - 1;
  Expr size =
      op.state.simplify(op.exprs.floorDiv(gates.sizes[dim], op.literal(count)));
  return op.slice(gates, dim, op.exprs.mul(size, op.literal(place)), size);
}

static Value buildTanh(Scalars &s, Value x) {
  return math::TanhOp::create(s.b, s.loc, x);
}

/// An elementwise computation in the type of the state.
static Tensor combine(Lowering &op, const State &state,
                      ArrayRef<Operand> operands, ElementFn body) {
  Dtype dtype = getComputeDtype(state[0].dtype);
  return op.map(operands, dtype, dtype, body, std::nullopt, state[0].dtype);
}

static Tensor getGates(Lowering &op, const Tensor &input, const Tensor &hidden,
                       const State &state) {
  return combine(
      op, state, {input, hidden},
      [](Scalars &s, ArrayRef<Value> args) { return s.add(args[0], args[1]); });
}

static State buildLstmCell(Lowering &op, const Tensor &input,
                           const Tensor &hidden, const State &state) {
  Tensor gates = getGates(op, input, hidden, state);
  auto gate = [&](int64_t place) { return getGate(op, gates, place, 4); };
  Tensor cells =
      combine(op, state, {gate(0), gate(1), gate(2), state[1]},
              [](Scalars &s, ArrayRef<Value> args) {
                Value kept = s.mul(buildSigmoid(s, args[1]), args[3]);
                Value added =
                    s.mul(buildSigmoid(s, args[0]), buildTanh(s, args[2]));
                return s.add(kept, added);
              });
  Tensor output = combine(
      op, state, {gate(3), cells}, [](Scalars &s, ArrayRef<Value> args) {
        return s.mul(buildSigmoid(s, args[0]), buildTanh(s, args[1]));
      });
  return {output, cells};
}

static State buildGruCell(Lowering &op, const Tensor &input,
                          const Tensor &hidden, const State &state) {
  auto gate = [&](const Tensor &gates, int64_t place) {
    return getGate(op, gates, place, 3);
  };
  return {combine(op, state,
                  {gate(input, 0), gate(hidden, 0), gate(input, 1),
                   gate(hidden, 1), gate(input, 2), gate(hidden, 2), state[0]},
                  [](Scalars &s, ArrayRef<Value> args) {
                    Value reset = buildSigmoid(s, s.add(args[0], args[1]));
                    Value update = buildSigmoid(s, s.add(args[2], args[3]));
                    Value next =
                        buildTanh(s, s.add(args[4], s.mul(reset, args[5])));
                    return s.add(s.mul(s.sub(args[6], next), update), next);
                  })};
}

template <bool isTanh>
static State buildPlainCell(Lowering &op, const Tensor &input,
                            const Tensor &hidden, const State &state) {
  return {
      combine(op, state, {input, hidden}, [](Scalars &s, ArrayRef<Value> args) {
        Value sum = s.add(args[0], args[1]);
        return isTanh ? buildTanh(s, sum) : s.max(sum, s.number(0));
      })};
}

/// One step: the state after an input, of which `contribution` is what it adds
/// to the gates.
static State buildStep(Lowering &op, CellFn cell, const CellWeights &weights,
                       const Tensor &contribution, const State &state) {
  Tensor hidden = buildLinear(op, state[0], weights.hidden, weights.hiddenBias,
                              state[0].dtype);
  if (op.hasFailed())
    return state;
  State next = cell(op, contribution, hidden, state);
  if (weights.projection)
    next[0] = buildLinear(op, next[0], *weights.projection, std::nullopt,
                          state[0].dtype);
  return next;
}

static Tensor buildContribution(Lowering &op, const Tensor &in,
                                const CellWeights &weights) {
  return buildLinear(op, in, weights.input, weights.inputBias, in.dtype);
}

/// Goes over the first dimension of `in`. Gives the outputs of all steps, and
/// the last state.
static std::pair<Tensor, State> buildLayer(Lowering &op, CellFn cell,
                                           const CellWeights &weights,
                                           const Tensor &in, const State &first,
                                           bool isReversed) {
  Tensor steps = buildContribution(op, in, weights);
  if (isReversed)
    steps = buildFlip(op, steps, {0});
  SliceLoop loop;
  loop.length = steps.sizes[0];
  loop.carried.assign(first.begin(), first.end());
  loop.sliced.push_back(steps);
  Sizes sizes{loop.length};
  sizes.append(first[0].sizes);
  loop.stacked.push_back(op.make({}, first[0].dtype, sizes));
  loop.body = [&](ArrayRef<Actual> inputs) {
    State state;
    for (const Actual &actual : inputs.drop_back())
      state.push_back(*actual.tensor);
    state = buildStep(op, cell, weights, *inputs.back().tensor, state);
    SmallVector<Binding> results;
    for (const Tensor &tensor : state)
      results.emplace_back().slot = op.function.addTensor(tensor);
    results.push_back(results.front());
    return FailureOr<SmallVector<Binding>>(results);
  };
  SmallVector<Tensor> results = buildSliceLoop(op, loop);
  if (op.hasFailed())
    return {in, first};
  Tensor outputs = results.pop_back_val();
  if (isReversed)
    outputs = buildFlip(op, outputs, {0});
  return {outputs, State(results.begin(), results.end())};
}

/// Takes the weights of a layer in one direction from the list of all.
static CellWeights takeWeights(Lowering &op, ArrayRef<Tensor> &all,
                               bool hasBiases, bool hasProjection) {
  size_t count = 2 + (hasBiases ? 2 : 0) + (hasProjection ? 1 : 0);
  CellWeights weights;
  if (all.size() < count) {
    (void)op.error("weights are missing");
    return weights;
  }
  weights.input = all[0];
  weights.hidden = all[1];
  if (hasBiases) {
    weights.inputBias = all[2];
    weights.hiddenBias = all[3];
  }
  if (hasProjection)
    weights.projection = all[count - 1];
  all = all.drop_front(count);
  return weights;
}

/// One layer's part of the states of all layers: [layers, batch, size].
static Tensor selectLayer(Lowering &op, const Tensor &states, int64_t layer) {
  return op.squeeze(op.slice(states, 0, op.literal(layer), op.literal(1)), {0});
}

/// The initial states of all layers, and what they are checked for.
static SmallVector<Tensor> getInitialStates(Lowering &op, const Tensor &in,
                                            int64_t count, size_t layers) {
  SmallVector<Tensor> states;
  if (count == 1)
    states.push_back(op.tensor("hx", 3));
  else
    states = op.tensors("hx");
  if (int64_t(states.size()) != count) {
    (void)op.error("an initial state is missing");
    return states;
  }
  for (const Tensor &state : states) {
    if (state.rank() != 3) {
      (void)op.error("an initial state must have three dimensions");
      return states;
    }
    op.checkEqual(state.sizes[0], op.literal(int64_t(layers)),
                  Twine(op.target) +
                      ": there must be an initial state for each layer");
    op.checkEqual(state.sizes[1], in.sizes[1],
                  Twine(op.target) +
                      ": the initial state has another batch size");
  }
  return states;
}

static Tensor stack(Lowering &op, ArrayRef<Tensor> tensors) {
  SmallVector<Tensor> parts;
  for (const Tensor &tensor : tensors)
    parts.push_back(op.unsqueeze(tensor, 0));
  return op.concat(parts, 0);
}

/// All layers, in both directions if need be. States are `count` tensors.
template <int64_t count>
static void lowerRecurrent(Lowering &op, CellFn cell) {
  Tensor in = op.tensor("input");
  SmallVector<Tensor> params = op.tensors("params");
  bool hasBiases = op.flag("has_biases", true);
  bool isBidirectional = op.flag("bidirectional", false);
  bool isBatchFirst = op.flag("batch_first", false);
  int64_t layers = op.integer("num_layers", 1);
  double dropout = op.real("dropout", 0);
  if (op.flag("train", false) && dropout != 0) {
    (void)op.error("dropout is not supported: call eval() on the module before "
                   "the export");
    return;
  }
  if (in.rank() != 3) {
    (void)op.error("the input must have three dimensions");
    return;
  }
  if (isBatchFirst)
    in = op.permute(in, {1, 0, 2});
  op.check(op.exprs.gt(in.sizes[0], op.literal(0)),
           Twine(op.target) + ": the sequence must not be empty");
  int64_t directions = isBidirectional ? 2 : 1;
  size_t cells = size_t(layers * directions);
  SmallVector<Tensor> states = getInitialStates(op, in, count, cells);
  if (op.hasFailed())
    return;
  size_t plain = cells * (hasBiases ? 4 : 2);
  ArrayRef<Tensor> rest = params;
  SmallVector<SmallVector<Tensor>> last(count);
  for (int64_t layer = 0; layer < layers; ++layer) {
    SmallVector<Tensor> outputs;
    for (int64_t direction = 0; direction < directions; ++direction) {
      CellWeights weights =
          takeWeights(op, rest, hasBiases, params.size() > plain);
      State state;
      for (const Tensor &all : states)
        state.push_back(selectLayer(op, all, layer * directions + direction));
      if (op.hasFailed())
        return;
      auto [output, next] =
          buildLayer(op, cell, weights, in, state, direction == 1);
      outputs.push_back(output);
      for (auto [list, tensor] : llvm::zip(last, next))
        list.push_back(tensor);
    }
    in = op.concat(outputs, 2);
  }
  op.result(isBatchFirst ? op.permute(in, {1, 0, 2}) : in);
  for (auto [i, list] : llvm::enumerate(last))
    op.result(stack(op, list), unsigned(i + 1));
}

static void lowerLstm(Lowering &op) { lowerRecurrent<2>(op, buildLstmCell); }
static void lowerGru(Lowering &op) { lowerRecurrent<1>(op, buildGruCell); }
template <bool isTanh>
static void lowerPlain(Lowering &op) {
  lowerRecurrent<1>(op, buildPlainCell<isTanh>);
}

/// One step of one layer.
static void lowerCell(Lowering &op, CellFn cell, size_t count) {
  Tensor in = op.tensor("input");
  CellWeights weights;
  weights.input = op.tensor("w_ih");
  weights.hidden = op.tensor("w_hh");
  weights.inputBias = op.optionalTensor("b_ih");
  weights.hiddenBias = op.optionalTensor("b_hh");
  State state;
  if (count == 1)
    state.push_back(op.tensor("hx"));
  else
    llvm::append_range(state, op.tensors("hx"));
  if (state.size() != count) {
    (void)op.error("a state is missing");
    return;
  }
  State next =
      buildStep(op, cell, weights, buildContribution(op, in, weights), state);
  for (auto [i, tensor] : llvm::enumerate(next))
    op.result(tensor, unsigned(i));
}

static void lowerLstmCell(Lowering &op) { lowerCell(op, buildLstmCell, 2); }
static void lowerGruCell(Lowering &op) { lowerCell(op, buildGruCell, 1); }
template <bool isTanh>
static void lowerPlainCell(Lowering &op) {
  lowerCell(op, buildPlainCell<isTanh>, 1);
}

void addRecurrent(LoweringTable &table) {
  table.add("aten.lstm.input", lowerLstm);
  table.add("aten.gru.input", lowerGru);
  table.add("aten.rnn_tanh.input", lowerPlain<true>);
  table.add("aten.rnn_relu.input", lowerPlain<false>);
  table.add("aten.lstm_cell.default", lowerLstmCell);
  table.add("aten.gru_cell.default", lowerGruCell);
  table.add("aten.rnn_tanh_cell.default", lowerPlainCell<true>);
  table.add("aten.rnn_relu_cell.default", lowerPlainCell<false>);
}

} // namespace tally::import_pt2
