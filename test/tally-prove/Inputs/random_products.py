"""Prints random facts and questions about products, powers, remainders and booleans: SEED GROUPS."""

import random
import sys

rng = random.Random(int(sys.argv[1]))


def number(low=-9, high=12):
    return rng.randint(low, high)


def symbol():
    return rng.choice("nmk")


def product():
    return " * ".join(symbol() for _ in range(rng.choice([2, 2, 3])))


def compare():
    return rng.choice(["==", "!=", "<", "<=", ">", ">="])


def fact():
    c, x = rng.choice([2, 3, 4, 5, 8]), symbol()
    return rng.choice(
        [
            f"{x} ** {rng.choice([2, 3])} {rng.choice(['<=', '>='])} {number(-30, 130)}",
            f"{product()} {compare()} {number()}",
            f"{x} mod {c} == {rng.randrange(c)}",
            f"({x} floordiv {c}) * {symbol()} {rng.choice(['<=', '>='])} {number()}",
            f"{number(-5, 2)} <= {x} <= {number(2, 12)}",
            f"{x} != 0",
            f"p or {x} > {number()}",
            f"not (p and q and {x} < {number()})",
            f"q == ({x} >= {number()})",
            f"{x} + {symbol()} == {number()}",
            f"{x} == {symbol()} * {c}",
        ]
    )


def query():
    c, x, y = rng.choice([2, 3, 4, 5, 8]), symbol(), symbol()
    return rng.choice(
        [
            f"range {x}",
            f"range {product()}",
            f"range {x} ** 2 + {y}",
            f"divisors {product()} + {c} * {y}",
            f"prove {x} {compare()} {number()}",
            f"prove {product()} {compare()} {number()}",
            f"prove ({x} floordiv {c}) * {c} * {y} <= {x} * {y}",
            f"prove ({x} floordiv {c}) * {y} * n <= {x} * {y} * n",
            f"prove ({x} * {y}) mod {y} == 0",
            f"prove {x} * {y} + {number(0, 9)} >= {x} + {y}",
            f"prove p or {x} {compare()} {number()}",
            "prove not p or q",
            f"equal {x} * ({y} + k), k * {x} + {x} * {y}",
            f"simplify ({x} * {y}) floordiv {rng.choice([x, y, str(c)])}",
            f"simplify max({x} * {y}, {y} * {x} - {number()}, {x} + {number()}, {x})",
            f"simplify min({x} + {y}, {c} + {y}, {y}) + (-{x}) floordiv {c}",
            f"simplify select(p and {x} > {number()}, {x}, {y} mod {c})",
            f"solve {x} from {y if y != x else 'd'} * {x} == d * {c}",
            f"solve {x} from {c} * {x} + {number()} == d, {x} >= {number()}",
            f"solve p from p == ({x} {compare()} {number()})",
            f"prove {x} {compare()} {number()} and q",
        ]
    )


for _ in range(int(sys.argv[2])):
    print("reset\nsymbol d\nbool p, q")
    for name in "nmk":
        print(rng.choice(["symbol", "int"]), name + rng.choice(["", "", " in [1, 12]", " in [-6, 30] divisible by 3"]))
    for _ in range(rng.randint(1, 3)):
        print("fact", fact())
    for _ in range(6):
        print(query())
