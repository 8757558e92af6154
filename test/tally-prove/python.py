# RUN: %python %s tally-prove 4000

"""Evaluates random expressions with Python and with `tally-prove`.

Integers have 64 bits, so that one that leaves them has no value. A seed may be
given after the number of expressions.
"""

import math
import random
import subprocess
import sys

INTS = [0, 1, -1, 2, -2, 3, 5, 7, -7, 8, 10, 12345, 2**31, 2**53, 2**53 + 1]
INTS += [-(2**53) - 1, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.5, 1.0, -1.0, 2.0, 0.1, 123.456]
FLOATS += [1e300, -1e300, 5e-324, 1e-310, math.inf, -math.inf, math.nan, 2.0**53]
FLOATS += [2.0**63, -987654.325, 1e22, 2.675, 710.0]
SYMBOLS = {"a": "i", "b": "i", "c": "i", "f": "f", "g": "f", "p": "b", "q": "b"}
ERRORS = (ArithmeticError, ValueError, TypeError)


def shift(value, count, is_left):
    if count > 1000 and (is_left and value):
        raise OverflowError
    return value << count if is_left else value >> min(count, 1000)


def power(base, exponent):
    if exponent < 0:
        raise ValueError
    if abs(base) > 1 and exponent > 64:
        raise OverflowError
    return base ** (exponent if exponent < 64 else 62 + exponent % 2 + 2 * (abs(base) > 1))


def float_power(base, exponent):
    result = base**exponent
    if isinstance(result, complex):
        raise ValueError
    return result


def exact(dividend, divisor):
    if dividend % divisor:
        raise ValueError
    return dividend // divisor


# What an operation gives: its text, the kinds of its operands, its meaning.
OPERATIONS = {
    "i": [
        ("({} + {})", "ii", lambda x, y: x + y),
        ("({} - {})", "ii", lambda x, y: x - y),
        ("({} * {})", "ii", lambda x, y: x * y),
        ("(-{})", "i", lambda x: -x),
        ("({} floordiv {})", "ii", lambda x, y: x // y),
        ("({} mod {})", "ii", lambda x, y: x % y),
        ("({} ceildiv {})", "ii", lambda x, y: -(-x // y)),
        ("exact_div({}, {})", "ii", exact),
        ("({} << {})", "ii", lambda x, y: shift(x, y, True)),
        ("({} >> {})", "ii", lambda x, y: shift(x, y, False)),
        ("pow({}, {})", "ii", power),
        ("({}) ** 3", "i", lambda x: x**3),
        ("min({}, {}, {})", "iii", min),
        ("max({}, {}, {})", "iii", max),
        ("abs({})", "i", abs),
        ("bitwise_and({}, {})", "ii", lambda x, y: x & y),
        ("bitwise_or({}, {})", "ii", lambda x, y: x | y),
        ("bitwise_xor({}, {})", "ii", lambda x, y: x ^ y),
        ("bitwise_and({}, 7)", "i", lambda x: x & 7),
        ("to_int({})", "f", int),
        ("trunc({})", "f", math.trunc),
        ("floor({})", "f", math.floor),
        ("ceil({})", "f", math.ceil),
        ("round({})", "f", round),
        ("round({}, -1)", "i", lambda x: round(x, -1)),
    ],
    "f": [
        ("({} + {})", "ff", lambda x, y: x + y),
        ("({} - {})", "ff", lambda x, y: x - y),
        ("({} * {})", "ff", lambda x, y: x * y),
        ("({} / {})", "ff", lambda x, y: x / y),
        ("({} / {})", "ii", lambda x, y: x / y),
        ("({} * {})", "if", lambda x, y: x * y),
        ("(-{})", "f", lambda x: -x),
        ("abs({})", "f", abs),
        ("min({}, {}, {})", "fff", min),
        ("max({}, {}, {})", "fff", max),
        ("pow({}, {})", "ff", float_power),
        ("to_float({})", "i", float),
        ("round({}, 2)", "f", lambda x: round(x, 2)),
        ("round({}, -1)", "f", lambda x: round(x, -1)),
    ],
    "b": [
        ("({} < {})", "ii", lambda x, y: x < y),
        ("({} <= {})", "if", lambda x, y: x <= y),
        ("({} == {})", "fi", lambda x, y: x == y),
        ("({} != {})", "ff", lambda x, y: x != y),
        ("({} >= {})", "ff", lambda x, y: x >= y),
        ("({} == {})", "bb", lambda x, y: x == y),
        ("(not {})", "b", lambda x: not x),
    ],
}
for name in "sqrt exp log log2 sin cos tan asin acos atan sinh cosh tanh asinh".split():
    OPERATIONS["f"].append((name + "({})", "f", getattr(math, name)))


def check(value):
    """Refuses an integer that a machine word does not hold."""
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise OverflowError
    return value


def make_leaf(rng, kind):
    if rng.random() < 0.6:
        name = rng.choice([n for n, k in SYMBOLS.items() if k == kind])
        return name, lambda env: env[name]
    value = make_value(rng, kind)
    return f"({spell(value)})", lambda env: value


def make(rng, kind, depth):
    """An expression as text, and as a function of the values of symbols."""
    if depth == 0 or rng.random() < 0.12:
        return make_leaf(rng, kind)
    choice = rng.random()
    if choice < 0.06:
        (c, C), (x, X), (y, Y) = (make(rng, k, depth - 1) for k in "b" + 2 * kind)
        return f"select({c}, {x}, {y})", lambda env: X(env) if C(env) else Y(env)
    if kind == "b" and choice < 0.3:
        (x, X), (y, Y) = (make(rng, "b", depth - 1) for _ in range(2))
        if choice < 0.18:
            return f"({x} and {y})", lambda env: X(env) and Y(env)
        return f"({x} or {y})", lambda env: X(env) or Y(env)
    text, kinds, meaning = rng.choice(OPERATIONS[kind])
    operands = [make(rng, k, depth - 1) for k in kinds]
    return (
        text.format(*(x for x, _ in operands)),
        lambda env: check(meaning(*[X(env) for _, X in operands])),
    )


def make_value(rng, kind):
    return rng.choice({"i": INTS, "f": FLOATS, "b": [True, False]}[kind])


def spell(value):
    return str(value).lower() if isinstance(value, bool) else repr(value)


def main():
    tool, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 20261122
    print("seed", seed)
    rng = random.Random(seed)
    kinds = {"i": "int", "f": "float", "b": "bool"}
    lines = [f"{kinds[k]} {name}" for name, k in SYMBOLS.items()]
    expected = []
    for _ in range(count):
        text, meaning = make(rng, rng.choice("ifb"), rng.randint(1, 4))
        env = {name: make_value(rng, kind) for name, kind in SYMBOLS.items()}
        try:
            expected.append(spell(meaning(env)))
        except ERRORS:
            expected.append("undefined")
        values = ", ".join(f"{name} = {spell(v)}" for name, v in env.items())
        lines.append(f"eval {text} with {values}")
    run = subprocess.run([tool, "-"], input="\n".join(lines) + "\n", text=True, capture_output=True)
    answers = run.stdout.splitlines()
    wrong = len(answers) != count or run.returncode != 0
    for line, want, got in zip(lines[len(SYMBOLS) :], expected, answers):
        if got.split(" (")[0] != want:
            print(f"{line}\n  Python: {want}\n  tally-prove: {got}")
            wrong = True
    defined = sum(want != "undefined" for want in expected)
    print(f"{count} expressions, {defined} of them have a value")
    sys.exit(wrong or defined < count // 2)


main()
