"""Programs that are compiled in this process."""

from __future__ import annotations

import os
import pathlib
import shutil
import sys
import zipfile

from typing import TYPE_CHECKING, Any, Callable, Iterable, ParamSpec, TypeVar, overload

from . import _cache
from .compiler import CompileError, Module

if TYPE_CHECKING:
    import torch

    from .library import Entry, Library
    from .state import State

P = ParamSpec("P")
R = TypeVar("R")


def _check_kind(path):
    """Refuses what is no program and can be told from one at once."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            if not any(name.endswith("models/model.json") for name in archive.namelist()):
                raise CompileError(
                    f"{os.fspath(path)} is no exported program: torch.export.save writes those, and "
                    "torch.save tensors")


def _describe_file(path):
    """The bytes of a program's file; of an archive those of its members, without their times."""
    if not zipfile.is_zipfile(path):
        return [pathlib.Path(path).read_bytes()]
    with zipfile.ZipFile(path) as archive:
        # The same program has another prefix under another name.
        members = sorted((name.partition("/")[2], name) for name in archive.namelist())
        return [part for name, whole in members for part in (name.encode(), archive.read(whole))]


class Program:
    """A compiled program. Called with arrays, and whatever `tally.load` takes, it returns what its
    function `main` does, or the only one that it has; its functions are attributes, as those of a
    library are."""

    library: Library
    was_cached: bool

    def __init__(
        self,
        read: Callable[[], Module],
        parts: Iterable[bytes],
        options: dict[str, str],
        call: Callable[[Entry], Any] | None = None,
    ) -> None:
        self._read = read
        self.library, self.was_cached = _cache.compile_library(parts, read, options)
        self._call = call and call(self._find_entry())

    def _find_entry(self) -> Entry:
        """The function that a call of the program calls."""
        entries = self.library.entries
        if len(entries) != 1 and "main" not in entries:
            names = ", ".join(map(repr, entries))
            raise TypeError(f"no function of the program is called 'main': call one of {names} by its name")
        return next(iter(entries.values())) if len(entries) == 1 else entries["main"]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return (self._call or self._find_entry())(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["library"], name)

    @property
    def state(self) -> State:
        """What the program keeps between calls, by name (`tally.state.State`)."""
        return self._call.state if self._call else self._find_entry().state

    @property
    def signature(self) -> str:
        """`main(x: f32[s0, s1], n: i64 = s0) -> (sum: f32[s0])`."""
        return self._find_entry().signature

    def __repr__(self) -> str:
        return f"<tally.Program {'; '.join(entry.signature for entry in self.library)}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the library, which `tally.load` reads again without the compiler."""
        fresh = f"{os.fspath(path)}.{os.getpid()}"
        shutil.copyfile(self.library.path, fresh)
        os.replace(fresh, path)

    def explain(self) -> str:
        """What became of each check, as text, a line each: proven, and by what, or asserted."""
        module = self._read()
        return "\n".join(dict.fromkeys(module.explain()))


def _name_type(value):
    return f"a value of type {type(value).__name__}"


@overload
def compile(source: str | os.PathLike[str] | torch.export.ExportedProgram, **options: str) -> Program:
    ...


@overload
def compile(source: torch.nn.Module, **options: Any) -> torch.nn.Module:
    ...


@overload
def compile(source: Callable[P, R], **options: Any) -> Callable[P, R]:
    ...


def compile(source: Any, **options: Any) -> Any:
    """Compiles a program for this processor, or takes it from the cache (`~/.cache/tally`).

    `source` is the path of a .mlir file or of a program that PyTorch exported (.pt2), or a
    `torch.export.ExportedProgram`: the result is a `Program`. The one of an ExportedProgram takes
    and returns what that does, with tensors in trees of lists, tuples and dictionaries. A module of
    PyTorch, or a function, becomes what `tally.torch.compile` makes of it. Options are those of
    `tally.compiler.Module.write`. What is wrong with the program is a `CompileError`."""
    if isinstance(source, (str, os.PathLike)):
        path = os.path.abspath(source)
        if not os.path.exists(path):
            raise FileNotFoundError(f"there is no file {os.fspath(source)!r}")
        _check_kind(path)
        return Program(lambda: Module.read(path), _describe_file(path), options)
    torch = sys.modules.get("torch")
    if torch is None:
        raise TypeError(f"expected the path of a program, not {_name_type(source)}")
    from . import torch as ours

    if isinstance(source, torch.export.ExportedProgram):
        return ours._compile_exported(source, options)
    if callable(source):
        return ours.compile(source, **options)
    raise TypeError(f"expected a program, or a module of PyTorch, not {_name_type(source)}")


__all__ = ["CompileError", "Program", "compile"]
