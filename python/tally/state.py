"""What a compiled library keeps between calls."""

from __future__ import annotations

import collections.abc
import ctypes
from typing import TYPE_CHECKING, Any, Iterator

from . import abi
from .arrays import Parameter, pack, take
from .errors import InvalidArgument

if TYPE_CHECKING:
    from .library import Library


class State(collections.abc.Mapping[str, Any]):
    """The tensors that a program keeps between calls, by name: the buffers that a module updates.
    Reading one gives a copy, and writing to one gives the next call another value. Until a call
    has written to it, a tensor has the value that the program was exported with."""

    def __init__(self, library: Library, entry: Any) -> None:
        self._library = library
        self._entry = ctypes.addressof(entry)
        declared = (entry.arguments[entry.num_arguments + i] for i in range(entry.num_states))
        self._parameters = {
            value.name.decode(): Parameter(value, False, False)
            for value in declared
        }

    def _find(self, name):
        if name not in self._parameters:
            names = ", ".join(map(repr, self._parameters)) or "nothing"
            raise KeyError(f"there is no state {name!r}; the program keeps {names}")
        return list(self._parameters).index(name), self._parameters[name]

    def _read(self, name):
        """The address of a managed tensor with a copy."""
        index, _ = self._find(name)
        value = ctypes.c_void_p()
        self._library._serve("tally_rt_get_state", self._entry, index, ctypes.addressof(value))
        return value.value

    def _write(self, name, tensor):
        """Copies the tensor at an address."""
        index, _ = self._find(name)
        self._library._serve("tally_rt_set_state", self._entry, index, tensor)

    def __getitem__(self, name: str) -> Any:
        return take(self._read(name), False)

    def __setitem__(self, name: str, value: Any) -> None:
        _, parameter = self._find(name)
        try:
            # The array lives until the value has been copied.
            array, tensor = parameter.describe(value)
        except (TypeError, ValueError, OverflowError, BufferError) as error:
            raise InvalidArgument(f"state {name!r}: {error}") from error
        words, _ = pack([tensor], 0)
        self._write(name, words[0])
        del array

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def reset(self) -> None:
        """Has the next call find the values that the program was exported with."""
        self._library._reset_state()

    def __repr__(self) -> str:
        return f"<tally.State {', '.join(self)}>"
