"""What the analysis says of scalar arithmetic, against what the arithmetic computes.

`scalar_arithmetic.py write` prints a module that applies each operation to scalars of each kind;
`scalar_arithmetic.py judge SHAPES TALLY-PROVE` reads what --tally-print-shapes says of it. An
expression that has another value than the operation is an error; for each operation is printed
of how many results the value is known.
"""

import collections
import itertools
import re
import subprocess
import sys

# Symbols with their ranges, and constants.
SYMBOLS = {"s0": (0, 4096), "s1": (-5, 8), "s2": (1, 64)}
OPERANDS = ["s0", "s1", "s2", "0", "1", "4", "-3", "-8"]
SAMPLES = [dict(s0=a, s1=b, s2=c) for a in (0, 1, 7, 8, 4096) for b in (-5, -4, -1, 0, 1, 3, 8) for c in (1, 2, 8, 64)]
WIDTH = 64


def signed(value):
    value &= 2**WIDTH - 1
    return value - 2**WIDTH if value >= 2 ** (WIDTH - 1) else value


def unsigned(value):
    return value & (2**WIDTH - 1)


def truncated(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def on_unsigned(function):
    return lambda a, b: function(unsigned(a), unsigned(b))


def divides(function):
    return lambda a, b: function(a, b) if b else None


def shifts(function):
    return lambda a, b: function(a, b) if 0 <= b < WIDTH else None


OPERATIONS = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "divsi": divides(truncated),
    "divui": divides(on_unsigned(lambda a, b: a // b)),
    "floordivsi": divides(lambda a, b: a // b),
    "ceildivsi": divides(lambda a, b: -(-a // b)),
    "ceildivui": divides(on_unsigned(lambda a, b: -(-a // b))),
    "remsi": divides(lambda a, b: a - truncated(a, b) * b),
    "remui": divides(on_unsigned(lambda a, b: a % b)),
    "maxsi": max,
    "minsi": min,
    "maxui": on_unsigned(max),
    "minui": on_unsigned(min),
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "shli": shifts(lambda a, b: a << b),
    "shrsi": shifts(lambda a, b: a >> b),
    "shrui": shifts(lambda a, b: unsigned(a) >> b),
}
COMPARISONS = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b,
    "ult": on_unsigned(lambda a, b: a < b),
    "ule": on_unsigned(lambda a, b: a <= b),
    "ugt": on_unsigned(lambda a, b: a > b),
    "uge": on_unsigned(lambda a, b: a >= b),
}


def cases():
    """Yields the name, both operands and what is computed."""
    for name, function in OPERATIONS.items():
        for a, b in itertools.product(OPERANDS, OPERANDS):
            yield name, a, b, function
    for name, function in COMPARISONS.items():
        for a, b in itertools.product(OPERANDS, OPERANDS):
            yield f"cmpi {name},", a, b, function


def write():
    arguments = ", ".join(f"%{name}: index {{tally.value = #tally.expr<{name}>}}" for name in SYMBOLS)
    table = ", ".join(f"{name} : [{low}, {high}]" for name, (low, high) in SYMBOLS.items())
    print(f"func.func @f({arguments}) attributes {{tally.symbols = #tally.symbols<{table}>}} {{")
    names = {operand: f"%{operand}" if operand in SYMBOLS else f"%c{number}" for number, operand in enumerate(OPERANDS)}
    for operand, name in names.items():
        if operand not in SYMBOLS:
            print(f"  {name} = arith.constant {operand} : index")
    for number, (name, a, b, _) in enumerate(cases()):
        print(f"  %{number} = arith.{name} {names[a]}, {names[b]} : index")
    print("  return\n}")


def judge(path, prove):
    told = {}
    for line in open(path):
        found = re.match(r" +%(\d+) = (.*)", line)
        if found:
            told[int(found.group(1))] = found.group(2)
    counts, questions, expected = collections.defaultdict(collections.Counter), ["int s0, s1, s2"], []
    for number, (name, a, b, function) in enumerate(cases()):
        counts[name.strip(",")]["known" if number in told else "unknown"] += 1
        for sample in SAMPLES if number in told else ():
            value = function(*(sample[each] if each in sample else int(each) for each in (a, b)))
            if value is None:
                continue
            given = ", ".join(f"{symbol} = {number_}" for symbol, number_ in sample.items() if symbol in told[number])
            questions.append(f"eval {told[number]}" + (f" with {given}" if given else ""))
            expected.append((f"{name} {a}, {b} at {sample}", told[number], value if isinstance(value, bool) else signed(value)))
    answers = subprocess.run([prove, "-"], input="\n".join(questions), capture_output=True, text=True).stdout.splitlines()
    assert len(answers) == len(expected), (len(answers), len(expected))
    for (what, expr, value), answer in zip(expected, answers):
        if answer != str(value).lower():
            sys.exit(f"{what} is {value}, not {expr}, which is {answer}")
    for name, count in counts.items():
        print(f"{name}: {count['known']} known, {count['unknown']} not")


write() if sys.argv[1] == "write" else judge(sys.argv[2], sys.argv[3])
