"""Conditions on sizes that a result does not depend on.

Programs expand a tensor where its size differs from another:

    if batch_size != position_ids.shape[0]:
        position_ids = position_ids.expand(batch_size, -1)

The number of rows of `position_ids` is 1. PyTorch asks whether `batch_size` is, and makes a graph for each answer, though
a tensor of one row that is expanded to one row is what it was. Here such a tensor is expanded, whatever the size is."""

import torch
from torch._dynamo.variables import SymNodeVariable, TensorVariable

from ._sizes import any_sizes

#: Instructions that only change the stack, and the assignment to a local variable.
_HARMLESS = {
    "BINARY_SUBSCR", "BINARY_SUBSCR_LIST_INT", "BUILD_LIST", "BUILD_TUPLE", "CALL", "CALL_FUNCTION", "CALL_METHOD",
    "LOAD_ATTR", "LOAD_CONST", "LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST_CHECK", "LOAD_METHOD", "LOAD_SMALL_INT",
    "NOP", "PRECALL", "PUSH_NULL", "STORE_FAST", "UNARY_NEGATIVE"}

#: What is asked of a tensor in such an assignment.
_ATTRIBUTES = {"expand", "expand_as", "shape", "size"}


def _find_body(tx):
    """The instructions that run where the condition of the jump before the next instruction holds, if they end where it
    leads to else, and are one assignment; else None."""
    jump, first = tx.current_instruction, tx.instruction_pointer
    if not (jump.opname.startswith("POP_JUMP_") and jump.opname.endswith("IF_FALSE") and jump.target and first):
        return None
    body = tx.instructions[first:tx.indexof[jump.target]]
    stores = [each for each in body if each.opname == "STORE_FAST"]
    is_assignment = len(stores) == 1 and stores[0] is body[-1]
    return body if is_assignment and all(each.opname in _HARMLESS for each in body) else None


def _run(tx, body):
    """The local variables once these instructions ran; None where they do something else than to expand a tensor. The
    state of the translation is what it was."""
    kept = list(tx.stack), dict(tx.symbolic_locals), tx.current_instruction, tx.instruction_pointer
    try:
        for each in body:
            if each.opname in ("LOAD_ATTR", "LOAD_METHOD") and not (
                    each.argval in _ATTRIBUTES and isinstance(tx.stack[-1].realize(), TensorVariable)):
                return None
            tx.current_instruction = each
            tx.dispatch_table[each.opcode](tx, each)
        return dict(tx.symbolic_locals)
    except (torch._dynamo.exc.TorchDynamoException, RuntimeError):
        return None  # The branch is taken, or not, as PyTorch does it, and fails if it is taken.
    finally:
        tx.stack[:], variables, tx.current_instruction, tx.instruction_pointer = kept
        tx.symbolic_locals.clear()
        tx.symbolic_locals.update(variables)


def _is_expanded(after, before):
    """Whether a tensor is another one that was expanded."""
    node, origin = after.as_proxy().node, before.as_proxy().node
    while node is not origin:
        if node.op != "call_method" or node.target not in ("expand", "expand_as"):
            return False
        node = node.args[0]
    return True


def _find_equation(condition):
    """The symbol that a condition wants to differ from a number, and the number; None if it is another condition."""
    is_bool = isinstance(condition.sym_num, torch.SymBool)
    expr = condition.sym_num.node.expr if is_bool else None
    if getattr(expr, "rel_op", None) != "!=":
        return None
    sides = (expr.lhs, expr.rhs), (expr.rhs, expr.lhs)
    return next(((one, other) for one, other in sides if one.is_Symbol and other.is_Integer), None)


def _list_sizes(value, equation):
    return [size.node.expr.subs(*equation) if isinstance(size, torch.SymInt) else size
            for size in value.as_proxy().node.meta["example_value"].shape]


def makes_no_difference(condition, tx):
    """Whether the tensor that is assigned where sizes differ is the one that it was where they are equal."""
    body = _find_body(tx)
    equation = _find_equation(condition) if body else None
    if not equation:
        return False
    name, before = body[-1].argval, tx.symbolic_locals
    after = _run(tx, body)
    values = [each[name].realize() for each in (after or {}, before) if name in each]
    if len(values) != 2 or not all(isinstance(each, TensorVariable) for each in values):
        return False
    return _is_expanded(*values) and _list_sizes(values[0], equation) == _list_sizes(values[1], equation)


_evaluate = SymNodeVariable.evaluate_expr


def _evaluate_any(self, output_graph=None):
    if output_graph is not None and any_sizes() and makes_no_difference(self, output_graph.current_tx):
        return True
    return _evaluate(self, output_graph)


SymNodeVariable.evaluate_expr = _evaluate_any
