"""Calls of compiled graphs with PyTorch's tensors."""

import threading

import torch

from .. import abi

#: The types whose tensors go to a compiled graph as they are. AOTAutograd takes subclasses
#: of others apart.
_TYPES = (torch.Tensor, torch.nn.Parameter)


class _Progress(threading.local):
    """How many calls of compiled graphs a thread has made."""

    count = 0


progress = _Progress()


def _to_tensor(array, dtype):
    """The tensor of an array of NumPy's, which has the bits of a bf16 as an integer."""
    tensor = torch.from_numpy(array)
    return tensor.view(torch.bfloat16) if dtype.code == abi.BFLOAT else tensor


def _call_through_arrays(entry):
    """Calls an entry point as the package does it for NumPy: what the module in C leaves."""

    def call(*args):
        plain = [
            each.detach().resolve_neg() if isinstance(each, torch.Tensor) else each for each in args
        ]
        results = entry(*plain)
        if len(entry._results) <= 1:
            results = (results,) * len(entry._results)
        return tuple(
            each if value.is_scalar else _to_tensor(each, value.dtype)
            for each, value in zip(results, entry._results)
        )

    return call


class TensorCall:
    """Calls an entry point with tensors.

    `quick` takes what is usual, tensors on the CPU and numbers, and returns a tensor, a tuple of
    them, or None; or NotImplemented, then it has done nothing. Called itself, it takes all, and
    returns a tuple."""

    def __init__(self, entry):
        self._slow = _call_through_arrays(entry)
        caller = entry._library._make_caller(entry._address, _TYPES, None)
        self.quick = caller or (lambda *args: NotImplemented)
        self._count = len(entry._results)

    def __call__(self, *args):
        results = self.quick(*args)
        if results is NotImplemented:
            return self._slow(*args)
        if self._count == 1:
            return (results,)
        return results if self._count else ()


def make_call(entry, program, permutations):
    """What AOTAutograd calls: a function of a list, which it empties, that returns a list. Each
    result is permuted by its dimensions in `permutations`, None where it stays."""
    call = TensorCall(entry)
    inputs, places = program.inputs, program.results
    takes_all = len(inputs) == program.num_inputs
    permuted = [(i, dims) for i, dims in enumerate(permutations) if dims]
    gives_all = places == list(range(len(places)))

    def run(args):
        given = tuple(args) if takes_all else [args[i] for i in inputs]
        args.clear()  # What was saved for the backward graph may die in the call.
        progress.count += 1
        results = list(call(*given))
        if not gives_all:
            results = [results[at] if isinstance(at, int) else at[0] for at in places]
        for i, dims in permuted:
            results[i] = results[i].permute(dims)
        return results

    return run
