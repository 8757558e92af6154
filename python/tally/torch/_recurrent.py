"""Recurrent layers as scans over their steps, forward and backward, for sequences of any length.

PyTorch takes them apart into all steps, one by one, or into loops that have no gradients, and leaves out the
dropout between layers. Here a layer is an operator with a gradient of its own, which computes those of the
weights for all steps at once.
"""

import contextlib

import torch
from torch._C import DispatchKey
from torch._higher_order_ops.scan import scan_op
from torch.nn import functional

aten = torch.ops.aten


class _Lstm:
    """One step forward and one backward. A step forward takes the last state, what the input adds to the
    gates, and the weights of the hidden state; it gives the next state, and what the step backward needs.
    That gives the gradients of the last state, but for what goes through the gates; of what the hidden state
    adds to the gates; and of what the input adds. States are [batch, size], gates lie side by side."""

    states = 2

    @staticmethod
    def step(state, from_input, weight, bias, projection):
        gates = (from_input + functional.linear(state[0], weight, bias)).chunk(4, -1)
        enters, keeps, leaves = (gates[place].sigmoid() for place in (0, 1, 3))
        new = gates[2].tanh()
        cells = keeps * state[1] + enters * new
        hidden = leaves * cells.tanh()
        hidden = hidden if projection is None else functional.linear(hidden, projection)
        return [hidden, cells], [enters, keeps, new, leaves, state[1].clone(), cells.clone()]

    @staticmethod
    def step_back(grads, saved, hidden, projection):
        enters, keeps, new, leaves, before, cells = saved
        outer = grads[0] if projection is None else grads[0] @ projection
        bounded = cells.tanh()
        through = grads[1] + outer * leaves * (1 - bounded * bounded)
        gates = torch.cat([
            through * new * enters * (1 - enters),
            through * before * keeps * (1 - keeps),
            through * enters * (1 - new * new),
            outer * bounded * leaves * (1 - leaves)], -1)
        return [None, through * keeps], gates, gates.clone()

    @staticmethod
    def find_projected(saved):
        """What is projected, of all steps."""
        return saved[3] * saved[5].tanh()


class _Gru:
    states = 1

    @staticmethod
    def step(state, from_input, weight, bias, projection):
        inputs = from_input.chunk(3, -1)
        hidden = functional.linear(state[0], weight, bias).chunk(3, -1)
        reset, keeps = ((inputs[place] + hidden[place]).sigmoid() for place in (0, 1))
        new = (inputs[2] + reset * hidden[2]).tanh()
        return [(state[0] - new) * keeps + new], [reset, keeps, new, hidden[2].clone()]

    @staticmethod
    def step_back(grads, saved, hidden, projection):
        reset, keeps, new, from_hidden = saved
        through_new = grads[0] * (1 - keeps) * (1 - new * new)
        through_keeps = grads[0] * (hidden - new) * keeps * (1 - keeps)
        through_reset = through_new * from_hidden * reset * (1 - reset)
        from_input = torch.cat([through_reset, through_keeps, through_new], -1)
        return [grads[0] * keeps], torch.cat([through_reset, through_keeps, through_new * reset], -1), from_input


class _Tanh:
    states = 1

    @staticmethod
    def step(state, from_input, weight, bias, projection):
        new = (from_input + functional.linear(state[0], weight, bias)).tanh()
        return [new], [new.clone()]

    @staticmethod
    def step_back(grads, saved, hidden, projection):
        gates = grads[0] * (1 - saved[0] * saved[0])
        return [None], gates, gates.clone()


class _Relu:
    states = 1

    @staticmethod
    def step(state, from_input, weight, bias, projection):
        new = (from_input + functional.linear(state[0], weight, bias)).relu()
        return [new], [new.clone()]

    @staticmethod
    def step_back(grads, saved, hidden, projection):
        gates = torch.where(saved[0] > 0, grads[0], 0.0)
        return [None], gates, gates.clone()


def _go_forward(cell, from_input, state, weights, keeps):
    """The last state and the hidden states of all steps; if `keeps`, also those before each step, and what
    the steps backward need."""
    there = [each is not None for each in weights]

    def step(*values):
        state, (from_input, *given) = values[:cell.states], values[cell.states:]
        given = iter(given)
        new, saved = cell.step(state, from_input, *(next(given) if each else None for each in there))
        kept = [state[0].clone(), *saved] if keeps else []
        return [*new, new[0].clone(), *kept]

    results = scan_op(step, list(state), [from_input], [each for each in weights if each is not None])
    return results[:cell.states], results[cell.states], results[cell.states + 1:]


def _go_back(cell, last, outputs, hidden, saved, weight, projection):
    """Gradients of the first state, and of all steps those of the hidden state, of what that adds to the
    gates, and of what the input adds."""

    def step(*values):
        grads, (output, hidden, *rest) = values[:cell.states], values[cell.states:]
        saved, (weight, *projected) = rest[:count], rest[count:]
        grads = [grads[0] + output, *grads[1:]]
        before, gates, from_input = cell.step_back(grads, saved, hidden, *(projected or [None]))
        through = gates @ weight
        first = through if before[0] is None else before[0] + through
        return [first, *before[1:], grads[0].clone(), gates, from_input]

    count = len(saved)
    back = [each.flip(0) for each in (outputs, hidden, *saved)]
    results = scan_op(step, list(last), back, [weight] if projection is None else [weight, projection])
    return results[:cell.states], *(each.flip(0) for each in results[cell.states:])


def _multiply(grads, values):
    """The gradient of a weight: a sum over all steps and the batch."""
    return grads.flatten(0, 1).t() @ values.flatten(0, 1)


class _Layer(torch.autograd.Function):
    """A layer in one direction: what the input adds to the gates [steps, batch, gates], the weights of the
    hidden state, and the first state, to the hidden states of all steps and the last state."""

    @staticmethod
    def forward(ctx, cell, from_input, weight, bias, projection, *state):
        last, outputs, kept = _go_forward(cell, from_input, state, (weight, bias, projection), keeps=True)
        ctx.cell = cell
        ctx.save_for_backward(weight, projection, *kept)
        return outputs, *last

    @staticmethod
    def backward(ctx, outputs, *last):
        weight, projection, hidden, *saved = ctx.saved_tensors
        first, whole, gates, from_input = _go_back(ctx.cell, last, outputs, hidden, saved, weight, projection)
        bias = gates.sum((0, 1)) if ctx.needs_input_grad[3] else None
        projected = None if projection is None else _multiply(whole, ctx.cell.find_projected(saved))
        return None, from_input, _multiply(gates, hidden), bias, projected, *first


def _run_layer(cell, x, state, weights, has_biases, is_reversed):
    """All outputs and the last state of a layer in one direction."""
    in_weight, weight, *rest = weights
    in_bias, bias, *rest = rest if has_biases else (None, None, *rest)
    weights = (weight, bias, rest[0] if rest else None)
    from_input = functional.linear(x, in_weight, in_bias)
    from_input = from_input.flip(0) if is_reversed else from_input
    parts = (each for each in (from_input, *weights, *state) if each is not None)
    if torch.is_grad_enabled() and any(each.requires_grad for each in parts):
        outputs, *last = _Layer.apply(cell, from_input, *weights, *state)
    else:
        last, outputs, _ = _go_forward(cell, from_input, state, weights, keeps=False)
    return outputs.flip(0) if is_reversed else outputs, last


def _run(cell, x, states, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    """All layers, in both directions if need be; the operator's results."""
    x = x.transpose(0, 1) if batch_first else x
    directions, last = 2 if bidirectional else 1, []
    count = len(params) // (num_layers * directions)
    for layer in range(num_layers):
        if layer and dropout and train:
            x = torch.dropout(x, dropout, True)
        outputs = []
        for direction in range(directions):
            place = layer * directions + direction
            weights = params[place * count:(place + 1) * count]
            # PyTorch wants no views of one tensor in a loop.
            state = [each[place].clone() for each in states]
            output, ended = _run_layer(cell, x, state, weights, has_biases, direction == 1)
            outputs.append(output)
            last.append(ended)
        x = torch.cat(outputs, -1) if bidirectional else outputs[0]
    x = x.transpose(0, 1) if batch_first else x
    return x, *(torch.stack(each) for each in zip(*last))


def _run_as_autocast_does(cell, x, states, params, *options):
    """As `_run`, in the type that autocast gives to a whole layer: where oneDNN or cuDNN have one, or where the state is
    what a product gave. A GRU on a CPU adds products of that type to a state of the type that it has."""
    kind = x.device.type
    if not torch.is_autocast_enabled(kind) or x.dtype != torch.float32 or (cell is _Gru and kind == "cpu"):
        return _run(cell, x, states, params, *options)
    dtype = torch.get_autocast_dtype(kind)
    with torch.autocast(kind, enabled=False):
        return _run(cell, x.to(dtype), [each.to(dtype) for each in states], [each.to(dtype) for each in params], *options)


def _lstm(x, hx, params, *options):
    return _run_as_autocast_does(_Lstm, x, hx, params, *options)


def _with_one_state(cell):
    return lambda x, hx, params, *options: _run_as_autocast_does(cell, x, [hx], params, *options)


def _one_step(operator, cell):
    """A cell, for which PyTorch calls operators on a GPU that it cannot trace."""

    def run(x, hx, *params):
        states, params = list(hx) if cell is _Lstm else [hx], [*params, None, None][:4]
        if x.device.type == "cpu":
            return operator._op_dk(DispatchKey.CompositeImplicitAutograd, x, hx, *params)
        if torch.is_autocast_enabled(x.device.type):
            dtype = torch.get_autocast_dtype(x.device.type)
            x, *states = (each.to(dtype) for each in (x, *states))
            params = [each if each is None else each.to(dtype) for each in params]
        from_input = functional.linear(x, params[0], params[2])
        states, _ = cell.step(states, from_input, params[1], params[3], None)
        return tuple(states) if cell is _Lstm else states[0]

    return run


_LAYERS = {
    aten.lstm.input: _lstm,
    aten.gru.input: _with_one_state(_Gru),
    aten.rnn_tanh.input: _with_one_state(_Tanh),
    aten.rnn_relu.input: _with_one_state(_Relu),
    aten.lstm_cell.default: _one_step(aten.lstm_cell.default, _Lstm),
    aten.gru_cell.default: _one_step(aten.gru_cell.default, _Gru),
}


@contextlib.contextmanager
def recurrent_layers():
    """Has recurrent layers traced as scans over their steps, and their cells as what a step computes. Else a graph
    ends at them, or has all steps one by one."""
    key = DispatchKey.CompositeImplicitAutograd
    before = {operator: operator.py_kernels.get(key) for operator in _LAYERS}
    try:
        for operator, run in _LAYERS.items():
            operator.py_kernels[key] = run
            operator._dispatch_cache.clear()
        with torch._dynamo.config.patch(allow_rnn=True):
            yield
    finally:
        for operator, kernel in before.items():
            if kernel is None:
                del operator.py_kernels[key]
            else:
                operator.py_kernels[key] = kernel
            operator._dispatch_cache.clear()
