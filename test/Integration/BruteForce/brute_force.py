"""Runs small programs on every small input, three ways: with every check asserted, as
they are compiled, and in NumPy.

Each program is compiled once a way. The two compiled ones have to refuse the same
inputs with the same error, NumPy has to refuse them too, and all results have to be
equal. What differs is printed with its inputs. Exit status: 0 all agree; 4 not.
"""

import argparse
import mmap
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile

import numpy

import programs
from library import CHECK_FAILED, Failure, CustomFunctions, Library

# Of one program so many differing inputs are printed.
MOST_SHOWN = 5


class Mismatch(Exception):
    """What is wrong with a program, for a person."""


def run_tool(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Mismatch(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")


def compile_custom(folder):
    """The library of custom functions."""
    here = os.path.dirname(os.path.abspath(__file__))
    path = os.path.join(folder, "custom.so")
    run_tool([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", path,
              os.path.join(here, "custom_functions.c"), "-I", os.path.join(here, "../../../include")])
    return path


def compile_both_ways(path, folder):
    """The libraries with and without elision."""
    stem = os.path.join(folder, os.path.splitext(os.path.basename(path))[0])
    run_tool(["tally-compile", path, "--elide=false", "-o", stem + "_unelided.so"])
    run_tool(["tally-compile", path, "-o", stem + "_elided.so"])
    return stem + "_elided.so", stem + "_unelided.so"


def call_library(library, inputs):
    """The results and after them the inputs, which a program may update; or the failure."""
    outcome = library(inputs)
    return outcome if isinstance(outcome, Failure) else (*outcome, *library.inputs)


def call_reference(program, inputs):
    """The same of the reference. It gets copies, unless these have other strides."""
    copies = [array.copy() for array in inputs]
    inputs = [copy if copy.strides == array.strides else array
              for copy, array in zip(copies, inputs)]
    try:
        results = program.reference(*inputs)
    except programs.REFUSALS as refusal:
        return refusal
    results = results if isinstance(results, tuple) else (results,)
    return (*map(numpy.asarray, results), *inputs)


def same_results(left, right):
    return len(left) == len(right) and all(
        a.dtype == b.dtype and a.shape == b.shape and numpy.array_equal(a, b)
        for a, b in zip(left, right))


def show(outcome):
    if isinstance(outcome, Failure):
        return str(outcome)
    if isinstance(outcome, Exception):
        text = f" ({outcome})" if str(outcome) else ""
        return f"refuses: {type(outcome).__name__}{text}"
    return ", ".join(f"{array.dtype}{list(array.shape)} {array.tolist()}" for array in outcome)


def conjuncts(failure):
    """The comparisons of a condition; `0 <= i < n` has two."""
    found = set()
    for part in failure.expression.split(" and "):
        words = re.split(r" (<=|<|==|!=|>=|>) ", part)
        found |= {tuple(words[i:i + 3]) for i in range(0, len(words) - 2, 2)} or {part}
    return found


def same_check(elided, unelided):
    """Whether two failures are of one check. Elision may leave out parts of a condition
    that hold anyway, and with them words of the message."""
    if elided == unelided:
        return True
    return elided.place == unelided.place and conjuncts(elided) < conjuncts(unelided)


def compare(elided, unelided, expected):
    """What is wrong with the outcomes of one input; None if nothing is."""
    for way, outcome in (("elided", elided), ("every check asserted", unelided)):
        if isinstance(outcome, Failure) and outcome.status != CHECK_FAILED:
            return f"{way}: no failed check"
    if isinstance(elided, Failure) != isinstance(unelided, Failure):
        return "refused one way only"
    if isinstance(elided, Failure):
        if not same_check(elided, unelided):
            return "the first failing check differs"
        if not isinstance(expected, Exception):
            return "refused, but NumPy has a result"
        if isinstance(expected, programs.Refused) and str(expected) not in elided.message:
            return "refused for another reason"
        return None
    if not same_results(elided, unelided):
        return "results differ with elision"
    if isinstance(expected, Exception):
        return "not refused"
    return None if same_results(elided, expected) else "the result differs from NumPy's"


def describe(program, inputs):
    return ", ".join(
        f"{argument.name} = {array.tolist()}" if array.size <= 12 else
        f"{argument.name} = {array.dtype}{list(array.shape)}"
        for argument, array in zip(program.arguments, inputs))


def check_cases(program, paths, progress):
    """Runs all inputs; yields what is wrong."""
    custom = CustomFunctions(paths[0])
    elided, unelided = (Library(path, len(program.arguments)) for path in paths[1:])
    num_run = num_refused = num_wrong = 0
    for index, inputs in enumerate(program.cases()):
        progress[:8] = struct.pack("q", index)
        programs.logged.clear()
        expected = call_reference(program, inputs)
        outcomes, logs = [], []
        for library in (elided, unelided):
            outcomes.append(call_library(library, inputs))
            logs.append(custom.take_log())
        outcomes.append(expected)
        wrong = compare(*outcomes)
        if not wrong and logs != [programs.logged] * 2:
            wrong = f"effects differ: {logs[0]}, {logs[1]}, NumPy {programs.logged}"
        if wrong:
            num_wrong += 1
            if num_wrong <= MOST_SHOWN:
                ways = zip(("elided", "every check", "NumPy"), map(show, outcomes))
                yield "\n".join([f"{wrong}: {describe(program, inputs)}",
                                 *(f"    {way + ':':13}{text}" for way, text in ways)])
        num_run += 1
        num_refused += isinstance(expected, Exception)
    if num_wrong > MOST_SHOWN:
        yield f"{num_wrong} inputs in all"
    if elided.live_allocations() or unelided.live_allocations():
        yield "buffers are left behind"
    if num_refused == num_run:
        yield "every input is refused: nothing is compared"
    if program.always_runs != (num_refused == 0):
        yield f"{num_refused} of {num_run} inputs are refused, _always_runs={program.always_runs}"


def check_in_child(program, paths):
    """Checks in a process of its own, as a wrong program may crash; returns whether
    all is right."""
    progress = mmap.mmap(-1, 8)
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        wrong = False
        for text in check_cases(program, paths, progress):
            wrong = True
            print(f"{program.name}: {text}")
        sys.stdout.flush()
        os._exit(4 if wrong else 0)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        index = struct.unpack("q", progress[:8])[0]
        inputs = [inputs for at, inputs in enumerate(program.cases()) if at == index][0]
        name = signal.Signals(os.WTERMSIG(status)).name
        print(f"{program.name}: {name}: {describe(program, inputs)}")
    return status == 0


def check_program(program, path, custom, folder):
    """Returns whether all is right; prints what is not."""
    try:
        paths = compile_both_ways(path, folder)
    except Mismatch as mismatch:
        print(f"{program.name}: {mismatch}")
        return False
    return check_in_child(program, [custom, *paths])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs; default: all")
    parser.add_argument("--shard", default="0/1", metavar="I/N", help="every Nth program from I on")
    parser.add_argument("--source", metavar="FILE.mlir", help="what to run instead of NAME.mlir")
    options = parser.parse_args()

    known = programs.all_programs()
    first, step = map(int, options.shard.split("/"))
    names = options.names or sorted(known)[first::step]
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        custom = compile_custom(folder)
        for name in names:
            path = options.source or known[name].path
            if not check_program(known[name], path, custom, folder):
                failed.append(name)
    for name in failed:
        print(f"FAIL {name}")
    print(f"{len(names) - len(failed)} programs agree, {len(failed)} do not")
    return 4 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
