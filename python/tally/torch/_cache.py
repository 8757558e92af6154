"""Compiled libraries, kept on disk for later processes."""

import functools
import hashlib
import json
import os
import pathlib
import platform
import re
import stat
import tempfile

from .. import _mlir, compiler
from ..library import Library

_STACK_TRACE = re.compile(r'"stack_trace": "(?:[^"\\]|\\.)*"')


def folder():
    """Where libraries are kept: `programs` in the folder of the runtime's files,
    `~/.cache/tally` or what TALLY_RT_CACHE names; None where it is off, or where others
    may write."""
    wanted = os.environ.get("TALLY_RT_CACHE")
    if wanted == "off":
        return None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    place = pathlib.Path(wanted or os.path.join(base, "tally")) / "programs"
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = place.stat()
    except OSError:
        return None
    is_ours = status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return place if is_ours else None


@functools.lru_cache(maxsize=None)
def _describe_processor():
    """The instructions that code for this processor may use."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")


def _describe_compiler():
    status = os.stat(_mlir._lib._name)
    return f"{status.st_size} {status.st_mtime_ns}"


def _key(program, options):
    """A name for what a program means: its text without the lines of its sources, its constants,
    the compiler, and the processor."""
    text = _STACK_TRACE.sub("", json.dumps(program.text))
    digest = hashlib.sha256()
    for part in (text, json.dumps(options, sort_keys=True), _describe_compiler(),
                 _describe_processor()):
        digest.update(part.encode() + b"\0")
    for name, tensor, data in program.constant_bytes():
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)} ".encode() + data)
    return digest.hexdigest()[:40]


def _compile(program, path, options):
    with tempfile.TemporaryDirectory() as place:
        archive = os.path.join(place, "program.pt2")
        program.save(archive)
        compiler.Module.read(archive).write(path, **options)


def compile_program(program, options=None):
    """The library of a program, from the cache or compiled, and whether it was there. Raises
    `tally.compiler.CompileError` where it does not compile."""
    options = {"cpu": "native", **(options or {})}
    place = folder()
    if place is None:
        with tempfile.TemporaryDirectory() as temporary:
            path = os.path.join(temporary, "libprogram.so")
            _compile(program, path, options)
            return Library(path), False  # It stays mapped when its file is gone.
    path = place / f"{_key(program, options)}.so"
    if path.exists():
        return Library(path), True
    # Other processes may write it as well: each its own file, and the last one stays.
    with tempfile.TemporaryDirectory(dir=place) as temporary:
        fresh = os.path.join(temporary, "libprogram.so")
        _compile(program, fresh, options)
        os.replace(fresh, path)
    return Library(path), False
