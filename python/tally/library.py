"""Compiled libraries and their entry points."""

from __future__ import annotations

import contextlib
import ctypes
import os
import warnings
from typing import Any, Iterable, Iterator

import numpy

from . import _native, abi
from .arrays import Parameter, pack, print_type, take
from .errors import BusyError, InvalidArgument, OutOfMemory, make_error
from .state import State

# Calls in C, where the build has made the module.
_native_call = _native.load_module("_call")
if _native_call and _native_call.TALLY_RT_ABI_VERSION != abi.ABI_VERSION:
    warnings.warn(
        f"{_native_call.__spec__.origin} is for version {_native_call.TALLY_RT_ABI_VERSION} of the runtime, "
        f"this package is for version {abi.ABI_VERSION}: calls go through ctypes, which takes 10 us each. "
        "Build TallyPythonCall again.",
        RuntimeWarning)
    _native_call = None


def _count(number, what):
    """`1 argument`, `2 arguments`."""
    return f"{number} {what}" + "s" * (number != 1)


class Entry:
    """A function of a compiled library. Takes NumPy arrays, whatever else is an
    array or a DLPack tensor on the CPU, and numbers, by position or by name.
    Returns None, what the program returns, or a tuple of it: new arrays, and
    Python's numbers for numbers. Arguments that the program updates are written
    to. May be called from several threads at once."""

    def __init__(self, library: Library, pointer: Any) -> None:
        self._library = library
        self._pointer = pointer
        entry = self._entry = pointer.contents
        self.__name__ = entry.name.decode()
        self._arguments = [entry.arguments[i] for i in range(entry.num_arguments)]
        self._names = [value.name.decode() for value in self._arguments]
        results = [entry.results[i] for i in range(entry.num_results)]
        self._results = [value for value in results if value.mutates < 0]
        self._scalar = [value.is_scalar for value in self._results]
        written = {value.mutates for value in results}
        self._parameters = [
            Parameter(value, index in written, entry.num_hidden > 0)
            for index, value in enumerate(self._arguments)
        ]
        self._address = ctypes.addressof(entry)
        #: What the function keeps between calls, by name.
        self.state = State(library, entry)
        self._caller = None
        if not library.is_on_gpu:
            self._caller = library._make_caller(self._address, (numpy.ndarray,), numpy.asarray)
        self.__doc__ = self.signature

    @property
    def signature(self) -> str:
        """`main(x: f32[s0, s1], n: i64 = s0) -> (sum: f32[s0])`."""

        def show(value):
            text = f"{value.name.decode()}: {print_type(value.dtype)}"
            sizes = [value.shape[i].decode() for i in range(value.rank)]
            if not value.is_scalar:
                text += f"[{', '.join(sizes)}]"
            return text + (f" = {value.value.decode()}" if value.value else "")

        arguments = ", ".join(map(show, self._arguments))
        results = ", ".join(map(show, self._results))
        return f"{self.__name__}({arguments}) -> ({results})"

    def __repr__(self) -> str:
        return f"<tally.Entry {self.signature}>"

    def _collect(self, args, kwargs):
        """The arguments in the order of the program."""
        if len(args) > len(self._names):
            raise TypeError(
                f"{self.__name__} takes {_count(len(self._names), 'argument')}, {len(args)} given"
            )
        values = dict(zip(self._names, args))
        for name, value in kwargs.items():
            if name not in self._names:
                raise TypeError(f"{self.__name__} has no argument {name!r}")
            if name in values:
                raise TypeError(f"{self.__name__} got argument {name!r} twice")
            values[name] = value
        missing = [name for name in self._names if name not in values]
        if missing:
            raise TypeError(f"{self.__name__} misses argument {missing[0]!r}")
        return [values[name] for name in self._names]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._caller and not kwargs:
            results = self._caller(*args)
            if results is not NotImplemented:
                return results
        if kwargs or len(args) != len(self._parameters):
            args = self._collect(args, kwargs)
        arrays: list[numpy.ndarray] = []
        tensors = []
        for value, parameter in zip(args, self._parameters):
            try:
                array, tensor = parameter.describe(value)
            except (TypeError, ValueError, OverflowError, BufferError) as error:
                index = len(arrays)
                where = f"{self.__name__}: argument {index} ({self._names[index]!r})"
                raise InvalidArgument(f"{where}: {error}") from error
            arrays.append(array)
            tensors.append(tensor)
        count, num_results = len(tensors), len(self._scalar)
        words, address = pack(tensors, num_results)
        self._library._invoke(
            self._address, address, count, address + 8 * count, num_results
        )
        results = words[count : count + num_results]
        if num_results == 1:
            return take(results[0], self._scalar[0])
        return tuple(map(take, results, self._scalar)) if num_results else None


class Library:
    """A compiled library. Its entry points are attributes and items."""

    path: str
    is_on_gpu: bool
    entries: dict[str, Entry]

    def __init__(
        self,
        path: str | os.PathLike[str],
        libraries: Iterable[str | os.PathLike[str]] = (),
        may_be_on_gpu: bool = False,
    ) -> None:
        # The program calls functions of these, and they those of its runtime.
        mode = os.RTLD_LAZY | os.RTLD_GLOBAL if libraries else ctypes.DEFAULT_MODE
        for each in libraries:
            ctypes.CDLL(os.path.abspath(each), mode=mode)
        self.path = os.path.abspath(path)
        if os.fspath(path).endswith((".pt2", ".mlir", ".mlirbc")):
            raise ImportError(
                f"{path} is a program, not a library: compile it first "
                f"(tally-compile {path} -o libprogram.so)"
            )
        self._functions = ctypes.CDLL(self.path, mode=mode)
        if not hasattr(self._functions, "tally_library"):
            raise ImportError(f"{path} is not a library that tally-compile wrote")
        abi.declare(self._functions)
        version = self._functions.tally_rt_abi_version()
        if version != abi.ABI_VERSION:
            raise ImportError(
                f"{path} was compiled for version {version} of the runtime, this "
                f"package is for version {abi.ABI_VERSION}"
            )
        self._pointer = self._functions.tally_library()
        library = self._pointer.contents
        self.is_on_gpu = library.device_type != abi.CPU
        if self.is_on_gpu and not may_be_on_gpu:
            raise ImportError(f"{path} was compiled for a GPU, not for the CPU")
        self._address = ctypes.addressof(library)
        self._call = self._functions.tally_rt_invoke
        # Contexts that no call uses at the moment. What a program keeps between calls is in one
        # context, which all calls share.
        self._contexts: list[int] = []
        self._has_context = False
        self._is_deterministic = True
        self._keeps_state = any(
            library.entries[i].num_states for i in range(library.num_entries))
        self.entries = {}
        for i in range(library.num_entries):
            entry = Entry(self, ctypes.pointer(library.entries[i]))
            self.entries[entry.__name__] = entry

    def _make_context(self):
        if self._keeps_state and self._has_context:
            raise BusyError(
                "a program that keeps state between calls serves one call at a time: load it once "
                "for each thread, or have the threads take turns")
        self._has_context = True
        context = self._functions.tally_rt_context_create(None)
        if not context:
            raise OutOfMemory("no memory for a context")
        if not self._is_deterministic:
            self._functions.tally_rt_set_deterministic(context, 0)
        return context

    def set_deterministic(self, deterministic: bool) -> None:
        """Whether calls on a GPU give the same bits each time, as they do at first; or may use
        algorithms of libraries that add numbers up in any order. To be called between calls."""
        self._is_deterministic = bool(deterministic)
        for context in self._contexts:
            self._functions.tally_rt_set_deterministic(context, self._is_deterministic)

    def _fail(self, status, context):
        record = self._functions.tally_rt_last_error(context)
        raise make_error(status, record.contents if record else None)

    def _make_caller(self, entry, types, as_array):
        """What calls an entry point without ctypes; None where nothing does. Arguments are
        arrays of these types, and numbers, and `as_array` makes an array of a buffer; without
        it they are tensors, which DLPack takes from the first type and gives to it."""
        if not _native_call:
            return None
        needed = [self._call] + [self._functions.tally_rt_set_stream] * self.is_on_gpu
        invoke, *set_stream = (ctypes.cast(each, ctypes.c_void_p).value for each in needed)
        return _native_call.Caller(
            self._address, entry, invoke, types, as_array, self._contexts, self._make_context,
            self._fail, *set_stream)

    @contextlib.contextmanager
    def _context(self):
        """A context that nobody else uses meanwhile."""
        try:
            context = self._contexts.pop()
        except IndexError:
            context = self._make_context()
        try:
            yield context
        finally:
            self._contexts.append(context)

    def _invoke(self, entry, arguments, num_arguments, results, num_results):
        with self._context() as context:
            status = self._call(
                self._address,
                entry,
                context,
                arguments,
                num_arguments,
                results,
                num_results,
            )
            if status != abi.OK:
                self._fail(status, context)

    def _serve(self, function, entry, *arguments):
        """Calls a function of the runtime about an entry point."""
        with self._context() as context:
            status = getattr(self._functions, function)(self._address, entry, context, *arguments)
            if status != abi.OK:
                self._fail(status, context)

    def _reset_state(self):
        with self._context() as context:
            self._functions.tally_rt_reset_state(context)

    def __getattr__(self, name: str) -> Entry:
        entry = self.__dict__.get("entries", {}).get(name)
        if entry is None:
            names = ", ".join(map(repr, self.__dict__.get("entries", {})))
            raise AttributeError(f"there is no function {name!r}; the library has {names}")
        return entry

    def __getitem__(self, name: str) -> Entry:
        return self.entries[name]

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries.values())

    def __len__(self) -> int:
        return len(self.entries)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.entries]

    def __repr__(self) -> str:
        return f"<tally.Library {self.path!r}: {', '.join(self.entries)}>"

    def __del__(self) -> None:
        contexts = self.__dict__.get("_contexts", ())
        for context in contexts:
            self._functions.tally_rt_context_destroy(context)


def load(
    path: str | os.PathLike[str], libraries: Iterable[str | os.PathLike[str]] = ()
) -> Library:
    """Loads a library that tally-compile wrote for the CPU. `libraries` are
    libraries with functions that it calls with tally.custom_call."""
    return Library(path, libraries)
