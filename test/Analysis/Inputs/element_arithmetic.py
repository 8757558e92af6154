"""Ranges of the results of integer arithmetic, against all results there are.

`element_arithmetic.py write` prints a module that applies each operation to operands of each
kind of range; `element_arithmetic.py judge RANGES` reads what --test-element-ranges says of it:
a result outside of its range is an error, and for each operation is printed how many ranges are
exact, too wide, or not known.
"""

import collections
import itertools
import sys

# The elements of constants; None is an argument, of which nothing is known.
WIDE = {64: [[2, 7], [0, 5], [-9, -2], [-3, 5], [1, 4], [3], [0], [-1], None], 8: [[100, 120], [-120, -100], [0, 5], [-3, 2], [-128], [3], None]}
BOOLEANS = [[1], [0], [0, 1], None]
SAMPLES = {64: [-(2**63), -(2**62), -5, -1, 0, 1, 5, 2**62, 2**63 - 1], 8: range(-128, 128), 1: [0, 1]}


def signed(value, width):
    value &= 2**width - 1
    return value - 2**width if width > 1 and value >= 2 ** (width - 1) else value


def unsigned(value, width):
    return value & (2**width - 1)


def truncated(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def as_unsigned(function):
    return lambda a, b, width: function(unsigned(a, width), unsigned(b, width))


# By name: the result as a number before it is cut to the width; None is undefined.
BINARY = {
    "addi": lambda a, b, w: a + b,
    "subi": lambda a, b, w: a - b,
    "muli": lambda a, b, w: a * b,
    "divsi": lambda a, b, w: truncated(a, b) if b and not (b == -1 and a == -(2 ** (w - 1))) else None,
    "floordivsi": lambda a, b, w: a // b if b and not (b == -1 and a == -(2 ** (w - 1))) else None,
    "divui": as_unsigned(lambda a, b: a // b if b else None),
    "remsi": lambda a, b, w: a - truncated(a, b) * b if b else None,
    "remui": as_unsigned(lambda a, b: a % b if b else None),
    "maxsi": lambda a, b, w: max(a, b),
    "minsi": lambda a, b, w: min(a, b),
    "maxui": as_unsigned(max),
    "minui": as_unsigned(min),
    "andi": lambda a, b, w: a & b,
    "ori": lambda a, b, w: a | b,
    "xori": lambda a, b, w: a ^ b,
}
CASTS = [("extsi", 8, 64), ("extsi", 1, 8), ("extui", 8, 64), ("extui", 1, 8), ("extui", 64, 128), ("trunci", 64, 8), ("trunci", 8, 1)]


def elements(kind, width):
    """All elements that an operand can have."""
    return SAMPLES[width] if kind is None else range(kind[0], kind[-1] + 1)


def cases():
    """Yields name, operands and the types of operands and result."""
    for name in BINARY:
        for width, kinds in WIDE.items():
            for a, b in itertools.product(kinds, kinds):
                yield name, [a, b], width, width
    for name in ("andi", "ori", "xori"):
        for a, b in itertools.product(BOOLEANS, BOOLEANS):
            yield name, [a, b], 1, 1
    for name, width, to in CASTS:
        for kind in BOOLEANS if width == 1 else WIDE[width]:
            yield name, [kind], width, to


def write():
    print("func.func @f(%any64: tensor<2xi64>, %any8: tensor<2xi8>, %any1: tensor<2xi1>) {")
    for number, (name, operands, width, to) in enumerate(cases()):
        values = []
        for side, kind in zip("ab", operands):
            if kind is None:
                values.append(f"%any{width}")
                continue
            values.append(f"%{side}{number}")
            ends = [kind[0], kind[-1]]
            if width == 1:
                ends = ["true" if end else "false" for end in ends]
            print(f"  {values[-1]} = arith.constant dense<[{ends[0]}, {ends[1]}]> : tensor<2xi{width}>")
        cast = f" to tensor<2xi{to}>" if to != width or len(operands) == 1 else ""
        print(f"  %{number} = arith.{name} {', '.join(values)} : tensor<2xi{width}>{cast}")
    print("  return\n}")


def compute(name, operands, width, to):
    """The least and the greatest result."""
    results = []
    for values in itertools.product(*(elements(kind, width) for kind in operands)):
        if len(values) == 2:
            result = BINARY[name](*values, width)
        elif name == "extsi" and width == 1:
            result = -values[0]
        else:
            result = unsigned(values[0], width) if name == "extui" else values[0]
        if result is not None:
            results.append(signed(result, to))
    return (min(results), max(results)) if results else None


def judge(path):
    told = {}
    for line in open(path):
        name, separator, range_ = line.strip().partition(" in ")
        # Results have numbers, in this order; constants have names.
        if separator and name[1:].isdigit():
            told[int(name[1:])] = [None if end == "?" else int(end) for end in range_.strip("[]").split(", ")]
    counts = collections.defaultdict(collections.Counter)
    for number, (name, operands, width, to) in enumerate(cases()):
        lower, upper = told[number]
        expected = compute(name, operands, width, to)
        if expected is None:
            continue
        if (lower is not None and lower > expected[0]) or (upper is not None and upper < expected[1]):
            sys.exit(f"{name} of i{width} {operands} is in {expected}, not in {told[number]}")
        limits = [-(2 ** (to - 1)), 2 ** (to - 1) - 1] if to == 8 else [None, None]
        exact = [lower, upper] == list(expected)
        unknown = not exact and [lower, upper] == limits
        counts[f"{name} i{width}"]["exact" if exact else "unknown" if unknown else "wider"] += 1
    for name, count in counts.items():
        print(f"{name}: {count['exact']} exact, {count['wider']} wider, {count['unknown']} unknown")


if __name__ == "__main__":
    write() if sys.argv[1] == "write" else judge(sys.argv[2])
