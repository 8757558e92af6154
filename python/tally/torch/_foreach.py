"""Operators on lists of tensors, as optimizers use them, in terms of those on tensors."""

import torch

_PREFIX = "_foreach_"

aten = torch.ops.aten
#: What is not called as its list form is.
_OPERATORS = {
    "addcdiv": lambda x, y, z, value=1: aten.addcdiv(x, y, z, value=value),
    "addcmul": lambda x, y, z, value=1: aten.addcmul(x, y, z, value=value),
    "maximum.Scalar": aten.clamp_min,
    "maximum.ScalarList": aten.clamp_min,
    "minimum.Scalar": aten.clamp_max,
    "minimum.ScalarList": aten.clamp_max,
    "norm": lambda x, ord=2, dtype=None: aten.linalg_vector_norm(x, ord, dtype=dtype),
}


def _apply_to_each(operator, schema):
    """A function that applies an operator to the first elements of its lists, the second ones, and
    so on."""
    is_list = {each.name: each.type.kind() == "ListType" for each in schema.arguments}
    by_name = {each.name for each in schema.arguments if each.kwarg_only}

    def apply(*args, **kwargs):
        given = {**dict(zip(is_list, args)), **kwargs}
        lists = [given[name] for name in given if is_list[name]]

        def pick(i):
            return {name: value[i] if is_list[name] else value for name, value in given.items()}

        def call(values):
            placed = [value for name, value in values.items() if name not in by_name]
            named = {name: value for name, value in values.items() if name in by_name}
            return operator(*placed, **named)

        return [call(pick(i)) for i in range(len(lists[0]))]

    return apply


def _find_decompositions():
    found = {}
    for name in torch._C._dispatch_get_all_op_names():
        name = name.removeprefix("aten::")
        packet, _, overload = name.partition(".")
        # Those that update their lists become others when AOTAutograd traces.
        if not packet.startswith(_PREFIX) or packet.endswith("_"):
            continue
        plain = packet.removeprefix(_PREFIX)
        target = getattr(getattr(aten, packet), overload or "default")
        operator = _OPERATORS.get(name.removeprefix(_PREFIX)) or _OPERATORS.get(plain)
        operator = operator or getattr(aten, plain, None)
        schema = target._schema
        returns = [each.type.kind() for each in schema.returns]
        if operator and not schema.is_mutable and returns == ["ListType"] and not (
                plain.startswith("addc") and overload == "Tensor"):
            found[target] = _apply_to_each(operator, schema)
    return found


#: For AOTAutograd: `aten._foreach_add.List`, and all others.
DECOMPOSITIONS = _find_decompositions()
