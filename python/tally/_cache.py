"""Compiled libraries, kept on disk for later processes."""

import functools
import hashlib
import json
import os
import pathlib
import platform
import shutil
import stat
import tempfile
import time
import weakref

from . import _mlir, compiler
from .library import Library


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


def _key(parts, options):
    """A name for what a program means, of its parts in bytes, for the compiler and the processor."""
    digest = hashlib.sha256()
    described = (json.dumps(options, sort_keys=True), _describe_compiler(), _describe_processor())
    for part in (*(each.encode() for each in described), *parts):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()[:40]


#: How long a library stays that nobody uses, in seconds, and how many bytes all of them may have.
KEPT = 30 * 24 * 3600
MOST_BYTES = 8 << 30


def _remove_old(place):
    """Removes what nobody has used for long, and of more than MOST_BYTES what was used least lately."""
    found = []
    for path in place.iterdir():
        try:
            status = path.stat()
        except OSError:
            continue  # Another process was quicker.
        if stat.S_ISREG(status.st_mode):
            found.append((status.st_mtime, status.st_size, path))
    total = 0
    for used, size, path in sorted(found, reverse=True):
        total += size
        if used < time.time() - KEPT or total > MOST_BYTES:
            path.unlink(missing_ok=True)


def compile_library(parts, read, options):
    """The library of a program, from the cache or compiled, and whether it was there. `parts` are
    bytes that tell what the program means, `read` makes it a `tally.compiler.Module`. Raises
    `tally.compiler.CompileError` where it does not compile."""
    options = {"cpu": "native", **options}

    def write(path):
        read().write(path, **options)

    place = folder()
    if place is None:
        temporary = tempfile.mkdtemp()
        try:
            path = os.path.join(temporary, "libprogram.so")
            write(path)
            library = Library(path, may_be_on_gpu=True)
        except BaseException:
            shutil.rmtree(temporary)
            raise
        # Who saves the library still finds its file.
        weakref.finalize(library, shutil.rmtree, temporary, ignore_errors=True)
        return library, False
    path = place / f"{_key(parts, options)}.so"
    if path.exists():
        os.utime(path)  # It was used.
        return Library(path, may_be_on_gpu=True), True
    _remove_old(place)
    # Other processes may write it as well: each its own file, and the last one stays.
    with tempfile.TemporaryDirectory(dir=place) as temporary:
        fresh = os.path.join(temporary, "libprogram.so")
        write(fresh)
        os.replace(fresh, path)
    return Library(path, may_be_on_gpu=True), False
