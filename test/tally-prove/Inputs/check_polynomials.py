"""Compares tally-prove with SymPy on random polynomials.

  check_polynomials.py TOOL SEED COUNT

`equal` must say yes exactly for those pairs whose difference SymPy expands to
0, and must find the polynomials equal by their form alone.
"""

import random
import subprocess
import sys

import sympy

NAMES = ["x", "y", "z", "t"]
SYMBOLS = {name: sympy.Symbol(name, integer=True) for name in NAMES}


def polynomial(rng, depth):
    """A random polynomial as text, and for SymPy."""
    if depth == 0:
        if rng.random() < 0.7:
            name = rng.choice(NAMES)
            return name, SYMBOLS[name]
        value = rng.choice([rng.randint(-9, 9), rng.randint(-(1 << 70), 1 << 70)])
        return f"({value})", sympy.Integer(value)
    kind = rng.random()
    text, value = polynomial(rng, depth - 1)
    if kind < 0.1:
        return f"(-{text})", -value
    if kind < 0.2:
        exponent = rng.randint(0, 3)
        return f"{text} ** {exponent}" if text.isalpha() else f"({text}) ** {exponent}", value**exponent
    other_text, other = polynomial(rng, depth - 1)
    if kind < 0.5:
        return f"({text} + {other_text})", value + other
    if kind < 0.7:
        return f"({text} - {other_text})", value - other
    return f"({text} * {other_text})", value * other


def pair(rng):
    """Two polynomials, often equal ones in different shapes."""
    text, value = polynomial(rng, rng.randint(1, 4))
    kind = rng.random()
    if kind < 0.25:
        return text, value, str(sympy.expand(value)), value
    if kind < 0.4:
        return text, value, str(sympy.factor(value)), value
    if kind < 0.5:
        # Equal but for one small term.
        extra = SYMBOLS[rng.choice(NAMES)] ** rng.randint(0, 2)
        other = sympy.expand(value + extra)
        return text, value, str(other), other
    other_text, other = polynomial(rng, rng.randint(1, 4))
    return text, value, other_text, other


def main():
    tool, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    pairs = [pair(rng) for _ in range(count)]
    lines = [f"int {', '.join(NAMES)}"]
    lines += [f"equal {left}, {right}" for left, _, right, _ in pairs]
    run = subprocess.run([tool, "--explain", "-"], input="\n".join(lines) + "\n",
                         capture_output=True, text=True, check=True)
    answers = run.stdout.splitlines()
    assert len(answers) == count, run.stderr
    num_equal = 0
    for answer, (left, left_value, right, right_value) in zip(answers, pairs):
        is_equal = sympy.expand(left_value - right_value) == 0
        num_equal += is_equal
        verdict, reason = answer.split("\t")
        is_right = verdict == "yes" and reason.startswith("canonical") if is_equal else verdict != "yes"
        if not is_right:
            sys.exit(f"seed {seed}: equal {left}, {right}\n"
                     f"is {'yes' if is_equal else 'not yes'}, answered {answer}")
    print(f"{count} pairs, {num_equal} equal, all as SymPy says")


main()
