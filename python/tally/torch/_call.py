"""Calls of compiled graphs with PyTorch's tensors."""

import threading

import torch

from .. import abi
from ..errors import DeviceError, InvalidArgument
from ._devices import find_device

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
            each.detach().resolve_conj().resolve_neg() if isinstance(each, torch.Tensor) else each for each in args
        ]
        results = entry(*plain)
        if len(entry._results) <= 1:
            results = (results,) * len(entry._results)
        return tuple(
            each if value.is_scalar else _to_tensor(each, value.dtype)
            for each, value in zip(results, entry._results)
        )

    return call


def _call_on_gpu(entry, quick):
    """Calls an entry point of a library for a GPU with what the module in C leaves: tensors of no
    dimensions on the CPU, which PyTorch takes for numbers beside tensors on a GPU."""

    def refuse(problem):
        raise InvalidArgument(f"{entry.__name__}: {problem}")

    def call(*args):
        tensors = [each for each in args if isinstance(each, torch.Tensor)]
        device = find_device(tensors, refuse)
        if device.type == "cpu" and tensors:
            refuse("was compiled for a GPU, and its arguments are on the CPU")
        moved = []
        for name, each in zip(entry._names, args):
            if isinstance(each, torch.Tensor):
                if each.device != device and each.dim() > 0:
                    refuse(f"argument {name!r} is on {each.device}, others are on {device}")
                # The driver takes a number along at once, unless the GPU can read it where it is.
                kept = each.dim() == 0 and each.device.type == "cpu" and not each.is_pinned()
                each = each.detach().to(device, non_blocking=kept).resolve_conj().resolve_neg()
            moved.append(each)
        results = quick(*moved)
        if results is NotImplemented:
            refuse(f"expected the arguments of {entry.signature}")
        return results

    return call


def _call_without_module(*args):
    raise DeviceError("calls on a GPU need tally's module in C, which was not built, or not for this Python")


class TensorCall:
    """Calls an entry point with tensors.

    `quick` takes what is usual, tensors where the library runs and numbers, and returns a tensor, a tuple of
    them, or None; or NotImplemented, then it has done nothing. Called itself, it takes all, and
    returns a tuple."""

    def __init__(self, entry):
        caller = entry._library._make_caller(entry._address, _TYPES, None)
        self.quick = caller or (lambda *args: NotImplemented)
        self._count = len(entry._results)
        if not entry._library.is_on_gpu:
            self._slow = _call_through_arrays(entry)
        elif caller:
            self._slow = lambda *args: self._wrap(_call_on_gpu(entry, caller)(*args))
        else:
            self._slow = _call_without_module

    def __call__(self, *args):
        results = self.quick(*args)
        if results is NotImplemented:
            return self._slow(*args)
        return self._wrap(results)

    def _wrap(self, results):
        if self._count == 1:
            return (results,)
        return results if self._count else ()


def make_call(entry, program, permutations, on_cpu=(), views=None, inputs_permuted=()):
    """What AOTAutograd calls: a function of a list, which it empties, that returns a list. Each
    result is permuted by its dimensions in `permutations`, None where it stays, as inputs are by those in
    `inputs_permuted`; results in `on_cpu` are moved to the CPU; `views` makes those that are views."""
    # As eager mode does; an exported program gives the same bits each time.
    entry._library.set_deterministic(
        torch.are_deterministic_algorithms_enabled() or torch.backends.cudnn.deterministic)
    call = TensorCall(entry)
    inputs, places = program.inputs, program.results
    takes_all = len(inputs) == program.num_inputs
    permuted = [(i, dims) for i, dims in enumerate(permutations) if dims]
    turned = [(i, dims) for i, dims in enumerate(inputs_permuted) if dims]
    gives_all = places == list(range(len(places)))

    def run(args):
        viewed = [args[i] for i in views.inputs] if views else ()
        for i, dims in turned:
            args[i] = args[i].permute(dims)
        given = tuple(args) if takes_all else [args[i] for i in inputs]
        args.clear()  # What was saved for the backward graph may die in the call.
        progress.count += 1
        results = list(call(*given))
        if not gives_all:
            results = [results[at] if isinstance(at, int) else at[0] for at in places]
        for i, dims in permuted:
            results[i] = results[i].permute(dims)
        for i in on_cpu:
            results[i] = results[i].cpu()
        return views.make(viewed, results) if views else results

    return run
