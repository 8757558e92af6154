#!/usr/bin/env python3
"""Runs the same streams through Tally, SymPy and, where installed, torch's ShapeEnv.

    compare.py                     prefix sums for N = 100, and queries.txt
    compare.py --prefix 100 400    other sizes; 400 takes ShapeEnv half a minute

Needs tally-symbolic-benchmark on the PATH (./dev bench symbolic/compare.py).
benchmarks/symbolic/README.md says what the columns mean.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import time

import sympy

try:
    import torch
    from torch.fx.experimental.symbolic_shapes import ShapeEnv, statically_known_true
except ImportError:
    torch = None

LIMIT = 1000000
QUERIES = pathlib.Path(__file__).resolve().parent / "queries.txt"


def run_tally(pattern):
    """The best figures of the benchmarks that match, by name; CPU seconds."""
    command = ["tally-symbolic-benchmark", f"--benchmark_filter={pattern}",
               "--benchmark_format=json", "--benchmark_repetitions=5",
               "--benchmark_min_time=0.1"]
    output = subprocess.run(command, check=True, capture_output=True, text=True)
    units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}
    best = {}
    for figures in json.loads(output.stdout)["benchmarks"]:
        if figures["run_type"] != "iteration":
            continue
        figures["seconds"] = figures["cpu_time"] * units[figures["time_unit"]]
        name = figures["run_name"]
        if name not in best or figures["seconds"] < best[name]["seconds"]:
            best[name] = figures
    return best


def time_shape_env_prefix(count):
    start = time.process_time()
    environment = ShapeEnv()
    total = 0
    for _ in range(count):
        size = environment.create_unbacked_symint()
        torch._check(size >= 0)
        total = total + size
        torch._check(total <= LIMIT)
    return time.process_time() - start


def time_sympy_prefix(count):
    """Only builds and asks: SymPy has no facts about sums."""
    start = time.process_time()
    total = sympy.Integer(0)
    for index in range(count):
        total = total + sympy.Symbol(f"u{index}", integer=True, nonnegative=True)
        assert (total <= LIMIT) not in (sympy.true, sympy.false)
    return time.process_time() - start


def read_queries():
    """Blocks of queries.txt as (symbols, facts, question), each in Python."""
    def to_python(text):
        text = re.sub(r"(\w+) ceildiv (\w+)", r"(-(-\1 // \2))", text)
        return text.replace(" floordiv ", " // ").replace(" mod ", " % ")

    blocks, symbols, facts = [], [], []
    for line in QUERIES.read_text().splitlines():
        keyword, _, rest = line.partition(" ")
        if keyword == "symbol":
            symbols.append(rest)
        elif keyword == "fact":
            facts += to_python(rest).split(" and ")
        elif keyword == "prove":
            blocks.append((symbols, facts, to_python(rest)))
            symbols, facts = [], []
    return blocks


def ask_sympy(symbols, facts, question):
    """Assumptions say what symbols are; other facts are beyond them."""
    names = {name: sympy.Symbol(name, integer=True, nonnegative=True) for name in symbols}
    for fact in facts:
        match = re.fullmatch(r"(\w+) >= (\d+)", fact)
        if match and int(match[2]) >= 1:
            names[match[1]] = sympy.Symbol(match[1], integer=True, positive=True)
    names.update(min=sympy.Min, max=sympy.Max)
    if "==" in question or "!=" in question:
        operator = "==" if "==" in question else "!="
        left, right = (eval(side, {}, names) for side in question.split(operator))
        relation = sympy.Eq(left, right) if operator == "==" else sympy.Ne(left, right)
    else:
        relation = eval(question, {}, names)
    return sympy.simplify(relation) in (sympy.true, sympy.false)


def ask_shape_env(symbols, facts, question):
    environment = ShapeEnv()
    names = {"min": torch.sym_min, "max": torch.sym_max}
    for name in symbols:
        names[name] = environment.create_unbacked_symint()
        torch._check(names[name] >= 0)
    for fact in facts:
        sides = [eval(side, {}, names) for side in fact.split(" or ")]
        torch._check(sides[0] if len(sides) == 1 else torch.sym_or(*sides))
    return statically_known_true(eval(question, {}, names))


def time_queries(ask):
    """Median and greatest seconds, how many were decided, and how many failed."""
    times, decided, failed = [], 0, 0
    for block in read_queries():
        start = time.process_time()
        try:
            decided += bool(ask(*block))
        except Exception:  # What a system cannot take in counts as not decided.
            failed += 1
        times.append(time.process_time() - start)
    return statistics.median(times), max(times), decided, failed


def compare_prefix_sums(sizes):
    print("| prefix sums | N | ms | Tally is faster by |\n|---|---|---|---|")
    names = "|".join(f"prefixSums/{size}$" for size in sizes)
    figures = run_tally(names)
    for size in sizes:
        tally = figures[f"prefixSums/{size}"]["seconds"]
        print(f"| Tally | {size} | {tally * 1e3:.2f} | |")
        rows = [("SymPy, no facts", time_sympy_prefix)]
        if torch:
            rows.append((f"ShapeEnv, torch {torch.__version__}", time_shape_env_prefix))
        for name, measure in rows:
            seconds = measure(size)
            print(f"| {name} | {size} | {seconds * 1e3:.0f} | {seconds / tally:.0f} x |")


def compare_queries():
    print("\n| queries.txt | median us | slowest us | decided | Tally is faster by |")
    print("|---|---|---|---|---|")
    tally = run_tally("queries")["queries"]
    print(f"| Tally | {tally['median_us']:.1f} | {tally['slowest_us']:.0f} | "
          f"{tally['decided']:.0f} of {tally['questions']:.0f} | |")
    asks = [("SymPy", ask_sympy)]
    if torch:
        asks.append(("ShapeEnv", ask_shape_env))
    for name, ask in asks:
        median, slowest, decided, failed = time_queries(ask)
        note = f", {failed} raised" if failed else ""
        print(f"| {name} | {median * 1e6:.0f} | {slowest * 1e6:.0f} | {decided}{note} | "
              f"{median * 1e6 / tally['median_us']:.0f} x |")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", type=int, nargs="+", default=[100], metavar="N",
                        choices=(50, 100, 200, 400), help="sizes of the prefix sums")
    arguments = parser.parse_args()
    compare_prefix_sums(arguments.prefix)
    compare_queries()


if __name__ == "__main__":
    main()
