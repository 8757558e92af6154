"""Runs the examples in TableGen documentation.

Every block that starts with ```mlir in a .td file must be accepted by
tally-opt. A snippet that is no module is put into a function: a value that it
uses and does not define becomes an argument of the type that it is used with, a
symbol that it mentions goes into the table of the function, a function that it
calls is declared. `// Before` and `// After` separate snippets.

Where the documentation of a pass shows an input and an output, the pass is run
on the input and must give the output.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap


class Example:
    """One block of documentation."""

    def __init__(self, file, line, text, label, owner):
        self.file, self.line, self.label, self.owner = file, line, label, owner
        self.text = textwrap.dedent(text)

    def where(self):
        return f"{self.file}:{self.line}"


def read_examples(path):
    """The blocks of one file, with the definition that each stands in."""
    owner, label, block, start = None, "", None, 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if block is not None:
            if line.strip() == "```":
                yield Example(path, start, "\n".join(block) + "\n", label, owner)
                block, label = None, ""
            else:
                block.append(line)
        elif line.strip() == "```mlir":
            block, start = [], number
        elif match := re.match(
            r'def \w+\s*:?\s*(?:(Pass|InterfacePass)<"([\w-]+)"(.*))?', line
        ):
            owner = match.groups() if match[1] else None
        elif owner is None and (
            match := re.match(r'\s*: (Pass|InterfacePass)<"([\w-]+)"(.*)', line)
        ):
            owner = match.groups()
        elif line.strip():
            label = line.strip()


class Runner:
    def __init__(self, tool):
        self.tool = tool

    def run(self, text, *options):
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(text)
            file.flush()
            done = subprocess.run(
                [self.tool, file.name, *options], capture_output=True, text=True
            )
        return done.returncode, done.stdout, done.stderr


class Snippet:
    """Operations that become the body of a function, step by step: each error
    of tally-opt tells what the function has to provide."""

    def __init__(self, text):
        self.text = text
        self.arguments, self.symbols, self.callees = {}, {}, {}
        if re.match(r"tally\.yield", text.strip()):
            types = text.split(":")[1].strip() if ":" in text else ""
            self.text = (
                f"%yielded = tally.cond %predicate : () -> ({types}) {{\n"
                f"{text}}} else {{\n{text}}}\n"
            )

    def wrapped(self):
        arguments = ", ".join(f"{name}: {type}" for name, type in self.arguments.items())
        symbols = ", ".join(self.symbols.values())
        table = f" attributes {{tally.symbols = #tally.symbols<{symbols}>}}"
        callees = "\n".join(self.callees.values())
        return (
            f"{callees}\nfunc.func @example({arguments}){table if symbols else ''} {{\n"
            f"{self.text}return\n}}\n"
        )

    def provide(self, errors):
        """Takes one step; false if the errors ask for nothing that can be
        provided."""
        if match := re.search(r":(\d+):(\d+): error: use of undeclared SSA", errors):
            line = self.wrapped().splitlines()[int(match[1]) - 1]
            name = re.match(r"%[\w$.-]+", line[int(match[2]) - 1 :])[0]
            self.arguments[name] = "none"
            return True
        if match := re.search(
            r"use of value '(%[\w$.-]+)' expects different type than prior uses: "
            r"'(.*)' vs 'none'",
            errors,
        ):
            self.arguments[match[1]] = match[2]
            return True
        if match := re.search(r"unknown symbol '(\w+)'", errors):
            self.symbols[match[1]] = match[1]
            return True
        if match := re.search(r"binds '(\w+)', which", errors):
            self.symbols[match[1]] = f"{match[1]} : unbacked"
            return True
        if match := re.search(r"'(\w+)'(?:, which is not a| does not reference a)", errors):
            call = re.search(
                rf"@{match[1]}\([^)]*\)[^:]*:\s*(\(.*?\)) -> (.*)", self.text
            )
            if call and match[1] not in self.callees:
                self.callees[match[1]] = (
                    f"func.func private @{match[1]}{call[1]} -> {call[2]}"
                )
                return True
        return False


def check_snippet(runner, text):
    """Nothing if tally-opt accepts the snippet, else its errors."""
    snippet = Snippet(text)
    for _ in range(200):
        status, _, errors = runner.run(snippet.wrapped())
        if status == 0:
            return None
        if not snippet.provide(errors):
            break
    return errors + snippet.wrapped()


# What stands in a module by itself.
UNIT = r"(func\.func|module|llvm\.func|gpu\.module|gpu\.binary)\b"


def check_unit(runner, text):
    """Nothing if tally-opt accepts the text, whatever it is, else its errors."""
    lines = [line for line in text.splitlines() if line.strip()]
    if all(line.startswith("#") for line in lines):
        holders = (
            f"func.func private @f{i}() attributes {{example = {line}}}\n"
            for i, line in enumerate(lines)
        )
        text = "".join(holders)
    elif not any(re.match(UNIT, line) for line in lines):
        return check_snippet(runner, text)
    status, _, errors = runner.run(text)
    return errors if status else None


def check_pass(runner, owner, source, expected):
    """Runs a pass and compares; values of different names are the same."""
    kind, name, anchor = owner
    function = "llvm.func" if "LLVM::" in anchor else "func.func"
    pipeline = f"{function}({name})" if kind == "InterfacePass" or "FuncOp" in anchor else name
    status, got, errors = runner.run(
        source.text, f"--pass-pipeline=builtin.module({pipeline})"
    )
    if status:
        return errors
    # Canonicalization makes the order of constants the same on both sides.
    _, got, _ = runner.run(got, "--canonicalize", "--cse")
    _, want, errors = runner.run(expected.text, "--canonicalize", "--cse")
    if got != want:
        return f"{errors}expected\n{want}\ngot\n{got}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--tool", default="tally-opt")
    options = parser.parse_args()
    runner = Runner(options.tool)
    failures = count = compared = 0

    def report(example, problem):
        nonlocal failures
        if problem:
            failures += 1
            print(f"{example.where()}: {problem}", file=sys.stderr)

    for path in sorted(options.root.rglob("*.td")):
        source = None
        for example in read_examples(path):
            count += 1
            for unit in re.split(r"(?m)^// (?:Before|After)\b.*$", example.text):
                if unit.strip():
                    report(example, check_unit(runner, unit))
            if example.owner and example.label == "Output:" and source:
                compared += 1
                report(example, check_pass(runner, example.owner, source, example))
            source = example if example.label == "Input:" else None
    print(f"{count} examples, {compared} passes compared, {failures} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
