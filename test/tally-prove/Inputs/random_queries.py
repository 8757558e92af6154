"""Prints random declarations, facts and queries: SEED GROUPS."""

import random
import sys

seed, groups = int(sys.argv[1]), int(sys.argv[2])
rng = random.Random(seed)
NAMES = ["n", "m", "k"]


def integer(depth):
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(NAMES) if rng.random() < 0.7 else str(rng.randint(0, 9))
    a, b = integer(depth - 1), integer(depth - 1)
    literal = rng.choice(["2", "3", "4", "8", "(-2)", "(-3)"])
    return rng.choice(
        [
            f"({a} + {b})",
            f"({a} - {b})",
            f"({a} * {literal})",
            f"({a} * {b})",
            f"({a} floordiv {literal})",
            f"({a} mod {literal})",
            f"({a} ceildiv {literal})",
            f"({a} floordiv {b})",
            f"({a} mod {b})",
            f"min({a}, {b})",
            f"max({a}, {b})",
            f"abs({a})",
            f"exact_div({a} * {literal}, {literal})",
            f"select({boolean(depth - 1)}, {a}, {b})",
            f"({a} << 1)",
            f"({a} >> 1)",
        ]
    )


def boolean(depth):
    if depth == 0 or rng.random() < 0.6:
        op = rng.choice(["==", "!=", "<", "<=", ">", ">="])
        return f"{integer(max(depth, 1))} {op} {integer(max(depth - 1, 0))}"
    a, b = boolean(depth - 1), boolean(depth - 1)
    return rng.choice([f"({a}) and ({b})", f"({a}) or ({b})", f"not ({a})", f"({a}) == ({b})"])


def declare(name):
    restriction = rng.choice(["", " in [1, 8]", " in [0, 64]", " in [-5, 5]", " in [2, inf]"])
    divisor = rng.choice(["", "", " divisible by 4"])
    print(rng.choice(["symbol", "int"]), name + restriction + divisor)


def linear():
    terms = [f"{rng.randint(-4, 4)} * {name}" for name in rng.sample(NAMES, 2)]
    return " + ".join(terms + [rng.choice(["", "0", "n * m", "k floordiv 2"]) or "5"])


def query():
    kind = rng.choice(["prove", "prove", "equal", "simplify", "range", "divisors", "solve"])
    if kind == "solve":
        unknowns = rng.sample(NAMES, rng.randint(1, 2))
        equations = [f"{linear()} == {linear()}" for _ in unknowns]
        return f"solve {', '.join(unknowns)} from {', '.join(equations)}"
    if kind == "prove":
        return "prove " + boolean(2)
    if kind == "equal":
        a = integer(2)
        return f"equal {a}, {rng.choice([integer(2), a + ' + ' + a + ' - ' + a])}"
    return f"{kind} {integer(3)}"


for _ in range(groups):
    print("reset")
    for name in NAMES:
        declare(name)
    for _ in range(rng.randint(0, 2)):
        print("fact", boolean(1))
    for _ in range(6):
        print(query())
