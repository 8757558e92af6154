"""What this installation is: `python -m tally`."""

import argparse
import platform
import sys

from . import __version__, _cache, _native, abi


def _describe_compiler():
    try:
        from . import _mlir
    except (ImportError, OSError) as error:
        return f"none: {error}"
    return _mlir._lib._name


def _describe_calls():
    module = _native.load_module("_call")
    if module is None:
        return "through ctypes, 10 us each: the module _call is not there"
    if module.TALLY_RT_ABI_VERSION != abi.ABI_VERSION:
        return f"through ctypes, 10 us each: {module.__spec__.origin} is for another version"
    return module.__spec__.origin


def main():
    parser = argparse.ArgumentParser(
        prog="python -m tally", description="Tells what this installation of Tally is.")
    parser.add_argument(
        "--version", action="version",
        version=f"tally {__version__}, version {abi.ABI_VERSION} of the runtime's interface")
    parser.parse_args()
    rows = {
        "version": f"{__version__}, version {abi.ABI_VERSION} of the runtime's interface",
        "Python": f"{platform.python_version()}, {sys.executable}",
        "compiler": _describe_compiler(),
        "calls": _describe_calls(),
        "cache": _cache.folder() or "off",
    }
    for name, value in rows.items():
        print(f"{name + ':':10}{value}")


if __name__ == "__main__":
    main()
