"""Prints statements that are long, deep or large, one query a line.

The number of queries goes to standard error, for the test to compare.
"""

import sys

LONG = 100_000
HUGE = "9" * 5000
NAMES = [f"x{i}" for i in range(64)]

queries = [
    # Deep nesting.
    "(" * LONG + "a" + ")" * LONG + " >= 0",
    "-" * LONG + "a <= 0",
    "not " * LONG + "p",
    "min(" * LONG + "a",
    "min(a, " * 250 + "b" + ")" * 250 + " <= a",
    "select(p, a, " * 250 + "b" + ")" * 250 + " >= 0",
    "a" + " ** 2" * LONG + " >= 0",
    # Long chains.
    "a" + " + a" * LONG + " >= 0",
    "a" + " - b" * LONG + " >= 0",
    "a" + " * a" * LONG + " >= 0",
    "a" + " <= a" * LONG,
    "p" + " and p" * LONG,
    "p" + " or a <= b" * LONG,
    "f" + " + f" * LONG + " >= 0",
    "min(" + ", ".join(["a", "b", "c"] * 30_000) + ") <= a",
    # Chains that make deep expressions or enormous literals.
    "a" + " mod 7" * LONG + " >= 0",
    "a" + " mod b" * LONG + " >= 0",
    "a" + " floordiv c" * 1000 + " >= 0",
    "a" + " floordiv 2" * LONG + " >= 0",
    "a" + " << 1" * LONG + " >= 0",
    "a" + "".join(f" mod {10**6 - i}" for i in range(1000)) + " >= 0",
    "a" + "".join(f" floordiv ({n} + 1) mod ({n} + 2)" for n in NAMES) + " >= 0",
    # Large numbers and powers.
    " * ".join(NAMES) + " >= 0",
    " * ".join(f"({n} + 1)" for n in NAMES) + " >= 1",
    "(" + " + ".join(NAMES) + ") ** 64 >= 0",
    "(a + b) ** 1000000000 >= 0",
    "a ** 2147483647 >= 0",
    "2 ** 1000000000 > 0",
    f"a * {HUGE} + b * {HUGE}7 > c",
    f"a mod {HUGE} floordiv {HUGE}1 == 0",
    "9" * 200_000 + " > a",
    # Bytes that are no text.
    "a <= \0 b",
    "a <= \x7f b",
    "x" * LONG,
]

print("symbol a in [0, 100]\nsymbol b\nint c\nfloat f\nbool p")
print("symbol " + ", ".join(NAMES))
for query in queries:
    print("prove " + query)
for keyword in ("equal", "simplify", "range", "divisors", "solve", "eval"):
    print(keyword)
print("push\n" * 2000 + "prove a <= 100\n" + "pop\n" * 2000 + "prove a <= 100")
print(len(queries) + 6 + 2, file=sys.stderr)
