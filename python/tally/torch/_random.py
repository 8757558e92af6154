"""Random numbers: PyTorch draws them before a graph is called, of which they are inputs then.

So a seed gives what it gives in eager mode. An operator draws before the graph where what it reads is known then: sizes, inputs
of the graph, and tensors of which it reads only how they lie in memory. Operators draw in the order of the program, so that those
after one that has to wait for a value wait, too."""

import functools
import operator

import sympy
import torch
from torch._functorch import compile_utils
from torch._guards import detect_fake_mode
from torch._prims import rng_prims
from torch.fx.experimental.proxy_tensor import py_sym_types
from torch.utils import _pytree
from torch.utils._sympy.interp import sympy_interp
from torch.utils._sympy.reference import PythonReferenceAnalysis

from ._partitions import find_graph_device, is_draw, may_draw
from ._schema import value_of

aten = torch.ops.aten

#: Operators that read of their first argument only how it lies in memory, with those that write to it where there are such.
_FILLS = {
    aten.bernoulli.p: aten.bernoulli_.float,
    aten.cauchy.default: aten.cauchy_.default,
    aten.exponential.default: aten.exponential_.default,
    aten.geometric.default: aten.geometric_.default,
    aten.log_normal.default: aten.log_normal_.default,
    aten.normal_functional.default: aten.normal_.default,
    aten.rand_like.default: None,
    aten.randint_like.default: None,
    aten.randint_like.low_dtype: None,
    aten.randn_like.default: None,
    aten.random.default: aten.random_.default,
    getattr(aten.random, "from"): getattr(aten.random_, "from"),
    aten.random.to: aten.random_.to,
    aten.uniform.default: aten.uniform_.default,
}

#: Operators that keep the state of the generator, or go back to one, for an operator that draws: which argument that is.
_WITH_STATES = {rng_prims.run_and_save_rng_state: 0, rng_prims.run_with_rng_state: 1}

# PyTorch takes two of those for one that are drawn alike, where it looks for common subexpressions.
compile_utils.rand_ops.extend({each.overloadpacket for each in _FILLS} - set(compile_utils.rand_ops))


def _is_on_cpu(tensor):
    return tensor.device.type == "cpu" and not tensor.is_complex()


def _dropout(x, p, train):
    if not _is_on_cpu(x):
        return NotImplemented
    if train is False:
        return x.clone(), torch.ones_like(x, dtype=torch.bool)
    kept = aten.bernoulli.p(torch.empty_like(x, dtype=torch.bool), 1 - p)
    return x * kept * (1 / (1 - p) if p < 1 else 0.0), kept


def _draw_below(p, drawn):
    torch._assert_async(((p >= 0) & (p <= 1)).all(), "bernoulli: a probability is not between 0 and 1")
    return drawn < p


def _find_precision(p):
    return torch.float64 if p.dtype == torch.float64 else torch.float32


def _bernoulli(p, *, generator=None):
    if not _is_on_cpu(p) or generator:
        return NotImplemented
    return _draw_below(p, torch.rand(p.shape, dtype=_find_precision(p))).to(p.dtype)


def _bernoulli_like(x, p, *, generator=None):
    if not (_is_on_cpu(x) and _is_on_cpu(p) and p.is_floating_point()) or generator:
        return NotImplemented
    return _draw_below(p, torch.rand_like(x, dtype=_find_precision(p))).to(x.dtype)


def _normal(mean, std=1.0, *, generator=None):
    tensors = [each for each in (mean, std) if isinstance(each, torch.Tensor)]
    if not all(map(_is_on_cpu, tensors)) or generator:
        return NotImplemented
    sizes = torch.broadcast_shapes(*(each.shape for each in tensors))
    if isinstance(std, torch.Tensor):
        torch._assert_async((std >= 0).all(), "normal: a standard deviation is below 0")
    return torch.randn(sizes, dtype=torch.result_type(mean, std)) * std + mean


def _multinomial(weights, num_samples, replacement=False, *, generator=None):
    # More samples are those of the largest numbers: where some are equal, which comes first is PyTorch's to say.
    if not _is_on_cpu(weights) or not isinstance(num_samples, int) or num_samples != 1 or generator:
        return NotImplemented
    torch._assert_async(
        ((weights >= 0) & (weights < float("inf"))).all() & (weights.sum(-1) != 0).all(),
        "multinomial: a weight is below 0 or not finite, or all weights of a row are 0")
    return (weights / aten.exponential.default(torch.empty_like(weights))).argmax(-1, keepdim=True)


#: Operators that compute something of the numbers that they draw, in others.
DECOMPOSITIONS = {
    aten.native_dropout.default: _dropout,
    aten.bernoulli.default: _bernoulli,
    aten.bernoulli.Tensor: _bernoulli_like,
    aten.normal.Tensor_float: _normal,
    aten.normal.float_Tensor: _normal,
    aten.normal.Tensor_Tensor: _normal,
    aten.multinomial.default: _multinomial,
}


def _take_apart(operator):
    return lambda *args, **kwargs: operator.decompose(*args, **kwargs)


#: Operators of exported programs that draw in others.
COMPOSITES = {each: _take_apart(each) for each in (
    aten.alpha_dropout.default, aten.alpha_dropout_.default, aten.dropout.default, aten.dropout_.default,
    aten.feature_alpha_dropout.default, aten.feature_alpha_dropout_.default, aten.feature_dropout.default,
    aten.feature_dropout_.default)}


def _describe_layout(tensor):
    """The strides of a tensor, to compare them without a guard."""
    return [str(each) for each in tensor.stride()]


class _Unknown(Exception):
    """Something is not known before the graph is called."""


class _Draw:
    """A node that draws: the operator, its arguments, and the operator around it that keeps the state of the generator, or
    goes back to one."""

    def __init__(self, node):
        at = _WITH_STATES.get(node.target)
        self.node, self.around = node, None if at is None else (node.target, *node.args[:at])
        self.target, self.args = (node.target, node.args) if at is None else (node.args[at], node.args[at + 1:])

    def saves_state(self):
        return self.around == (rng_prims.run_and_save_rng_state,)


def _find_draw(node):
    """What a node draws that is known by its name; None where it draws nothing, or in a graph of its own."""
    is_known = is_draw(node) or node.target in _WITH_STATES
    return _Draw(node) if is_known else None


class _Plan:
    """A graph that draws, in the making."""

    def __init__(self, module, inputs=None):
        nodes = module.graph.find_nodes(op="placeholder")
        self._inputs = nodes if inputs is None else [each for each in nodes if each.name in inputs]
        self._graph = torch.fx.Graph()
        self._tracer = torch.fx.proxy.GraphAppendingTracer(self._graph)
        self._sources = self._find_sources()
        self._symbols = {}
        self._placeholders = {}
        self.results = {}

    def _find_sources(self):
        """An input and its dimension for each symbol, None where the input is the number."""
        sources = {}
        for node in self._inputs:
            value = value_of(node)
            numbers = [(None, value)] if isinstance(value, py_sym_types) else []
            if isinstance(value, torch.Tensor) and value.layout == torch.strided:
                numbers = list(enumerate(value.shape))
            for dim, number in numbers:
                if isinstance(number, py_sym_types) and number.node.expr.is_Symbol:
                    sources.setdefault(number.node.expr, (node, dim))
        return sources

    def _take(self, node):
        """An input of the graph as one of this graph."""
        if node not in self._placeholders:
            last = next(reversed(self._placeholders.values()), None)
            with self._graph.inserting_after(last) if last else self._graph.inserting_before():
                self._placeholders[node] = self._graph.placeholder(node.name)
        return self._placeholders[node]

    def _find_symbol(self, symbol):
        if symbol not in self._sources:
            raise _Unknown
        if symbol not in self._symbols:
            node, dim = self._sources[symbol]
            made = self._take(node)
            if dim is not None:
                made = self._graph.call_method("size", (made, dim))
            self._symbols[symbol] = torch.fx.Proxy(made, self._tracer)
        return self._symbols[symbol]

    def _compute(self, number):
        """A number of sizes."""
        if not isinstance(number, py_sym_types):
            return number
        expr = number.node.expr
        if isinstance(expr, (sympy.Integer, sympy.Float)):
            return int(expr) if expr.is_Integer else float(expr)
        symbols = {each: self._find_symbol(each) for each in expr.free_symbols}
        return sympy_interp(PythonReferenceAnalysis, symbols, expr).node

    def _make_empty(self, like):
        """A tensor that lies in memory as another one."""
        sizes, strides = ([self._compute(each) for each in numbers] for numbers in (like.shape, like.stride()))
        return self._graph.call_function(
            torch.empty_strided, (sizes, strides), {"dtype": like.dtype, "device": like.device})

    def _compute_argument(self, argument):
        if not isinstance(argument, torch.fx.Node):
            return argument
        value = value_of(argument)
        if isinstance(value, py_sym_types):
            return self._compute(value)
        if argument not in self._inputs:
            raise _Unknown
        return self._take(argument)

    def _make(self, draw):
        """The call of an operator that draws. What it is to fill is filled where it lies: the order in which numbers are drawn
        is that of the memory, and of a copy it is another one."""
        target, (args, kwargs) = draw.target, (draw.args, draw.node.kwargs)
        empty = []
        if draw.target in _FILLS:
            target, args = _FILLS[draw.target] or target, args[1:]
            empty.append(self._make_empty(value_of(draw.args[0])))
        around, args, kwargs = _pytree.tree_map(self._compute_argument, (draw.around or (), args, kwargs))
        called = (*around, target, *empty, *args)
        return self._graph.call_function(called[0], tuple(called[1:]), kwargs)

    def _lay_out(self, made, draw, result):
        """What was drawn, as it lies where it was traced."""
        is_other = draw.target in _FILLS and _describe_layout(value_of(draw.args[0])) != _describe_layout(result)
        if not is_other or not _FILLS[draw.target]:
            return made
        return self._graph.call_function(aten.copy_.default, (self._make_empty(result), made))

    def add(self, draw):
        """Whether a node can draw before the graph is called; it is to, then."""
        value = value_of(draw.node)
        drawn = value[1] if draw.saves_state() else value
        if not isinstance(drawn, torch.Tensor) or draw.around and drawn.device.type != "cpu":
            return False
        try:
            made = self._make(draw)
            if not draw.saves_state():
                self.results[draw.node] = self._lay_out(made, draw, drawn)
                return True
            parts = [self._graph.call_function(operator.getitem, (made, i)) for i in range(2)]
            parts[1] = self._lay_out(parts[1], draw, drawn)
        except _Unknown:
            return False
        self.results.update({user: parts[user.args[1]] for user in draw.node.users})
        return True

    def finish(self):
        """A function that draws, and the places of the inputs that it reads."""
        self._graph.output(tuple(self.results.values()))
        self._graph.eliminate_dead_code()
        places = {node: i for i, node in enumerate(self._inputs)}
        return torch.fx.GraphModule({}, self._graph).forward, [places[node] for node in self._placeholders]


def _note_values(module):
    """Notes what operators gave that keep the state of the generator, which PyTorch puts into a graph that it has traced."""
    values = _pytree.tree_leaves([value_of(node) for node in module.graph.nodes])
    mode = detect_fake_mode(values)
    for node in module.graph.nodes:
        draw = _find_draw(node)
        if not draw or not draw.around or not mode:
            continue
        state = torch.get_rng_state()
        with mode:
            read = _pytree.tree_map_only(torch.fx.Node, value_of, (draw.args, node.kwargs))
            value = draw.target(*read[0], **read[1])
            value = (torch.empty(state.shape, dtype=state.dtype), value) if draw.saves_state() else value
        node.meta["val"] = value
        for user in node.users:
            if user.target is operator.getitem:
                user.meta["val"] = value[user.args[1]]


def _find_draws(module, inputs):
    """The plan of what is drawn before a graph is called."""
    plan, device = _Plan(module, inputs), find_graph_device(module)
    for node in module.graph.nodes:
        draw = _find_draw(node)
        waits = not plan.add(draw) if draw else may_draw(node, device)
        if waits:
            break
    return plan


def draw_before(module, inputs=None):
    """A graph that has what it draws as inputs after its own, and a function that draws these for a list of its own; the graph
    itself and None, where nothing is drawn before it is called. `inputs` are the names of those that are known then, all of them
    where it is None."""
    _note_values(module)
    plan = _find_draws(module, inputs)
    if not plan.results:
        return module, None
    draw, places = plan.finish()
    return torch.fx.GraphModule(module, _take_as_inputs(module.graph, plan.results)), functools.partial(
        _draw_for, draw, places)


def _take_as_inputs(whole, drawn):
    """A copy of a graph, whose nodes keep their names, that has what some of them give as inputs after its own."""
    graph, copies = torch.fx.Graph(), {}
    for node in whole.find_nodes(op="placeholder"):
        copies[node] = graph.node_copy(node)
    for node in drawn:
        copies[node] = made = graph.placeholder(node.name)
        made.meta = {name: value for name, value in node.meta.items() if name in ("val", "stack_trace")}
    for node in whole.nodes:
        # One whose parts are inputs has no other users.
        gives_parts = node.users and all(user in drawn and user.target is operator.getitem for user in node.users)
        if node not in copies and not gives_parts:
            copies[node] = graph.node_copy(node, copies.__getitem__)
    return graph


def _draw_for(draw, places, args):
    return draw(*(args[i] for i in places))
