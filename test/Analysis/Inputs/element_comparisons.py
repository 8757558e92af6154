"""Ranges of what is compared, where a comparison holds and where it does not, against all
elements there are.

`element_comparisons.py write` prints a module in which elements of each kind of range are
compared in each way; `element_comparisons.py judge RANGES` reads what --test-element-ranges
says of them: an element outside of its range is an error, and for each comparison is printed
how many ranges are exact, too wide, or not narrowed at all.
"""

import collections
import itertools
import operator
import sys

from element_arithmetic import SAMPLES, elements, unsigned

# The elements of constants; None is an argument, of which nothing is known.
KINDS = {64: [[2, 7], [0, 5], [-9, -2], [-3, 5], [2], [5], [0], [-9], [-2], None], 8: [[100, 127], [-128, -100], [0, 5], [5], [127], [-128], None]}
SIGNED = {"eq": operator.eq, "ne": operator.ne, "slt": operator.lt, "sle": operator.le, "sgt": operator.gt, "sge": operator.ge}
UNSIGNED = {"ult": operator.lt, "ule": operator.le, "ugt": operator.gt, "uge": operator.ge}
SIDES = list(itertools.product((True, False), (0, 1)))


def holds(name, width, a, b):
    if name in SIGNED:
        return SIGNED[name](a, b)
    return UNSIGNED[name](unsigned(a, width), unsigned(b, width))


def cases():
    """Yields comparison, width and the kinds of both sides."""
    for name in [*SIGNED, *UNSIGNED]:
        for width, kinds in KINDS.items():
            for a, b in itertools.product(kinds, kinds):
                if a or b:
                    yield name, width, a, b


def remaining(name, width, kinds):
    """What each side can be where the comparison holds, and where it does not."""
    found = {side: [] for side in SIDES}
    for values in itertools.product(*(elements(kind, width) for kind in kinds)):
        truth = holds(name, width, *values)
        for side in (0, 1):
            found[truth, side].append(values[side])
    return [found[side] for side in SIDES]


def write():
    print("#id = affine_map<(d0) -> (d0)>")
    print("func.func @f(%any64: tensor<2xi64>, %any8: tensor<2xi8>) {")
    for number, (name, width, *kinds) in enumerate(cases()):
        values = []
        for side, kind in zip("ab", kinds):
            if kind is None:
                values.append(f"%any{width}")
                continue
            values.append(f"%{side}{number}")
            print(f"  {values[-1]} = arith.constant dense<[{kind[0]}, {kind[-1]}]> : tensor<2xi{width}>")
        type = f"tensor<2xi{width}>"
        types = ", ".join([type] * 4)
        print(f"  %e{number} = tensor.empty() : {type}")
        print(f"  %{number}:4 = linalg.generic {{indexing_maps = [{', '.join(['#id'] * 6)}], iterator_types = [\"parallel\"]}}")
        print(f"      ins({', '.join(values)} : {type}, {type}) outs({', '.join([f'%e{number}'] * 4)} : {types}) {{")
        print(f"  ^bb0(%x: i{width}, %y: i{width}, {', '.join(f'%o{i}: i{width}' for i in range(4))}):")
        print(f"    %p = arith.cmpi {name}, %x, %y : i{width}")
        for result, ((truth, side), left) in enumerate(zip(SIDES, remaining(name, width, kinds))):
            # Where the side does not count there is one of its elements.
            other = min(left, default=0)
            arms = ["%xy"[0] + "xy"[side], f"%k{result}"]
            print(f"    %k{result} = arith.constant {other} : i{width}")
            print(f"    %r{result} = arith.select %p, {', '.join(arms if truth else arms[::-1])} : i{width}")
        print(f"    linalg.yield {', '.join(f'%r{i}' for i in range(4))} : {', '.join([f'i{width}'] * 4)}")
        print(f"  }} -> ({types})")
    print("  return\n}")


def read(path):
    """The ranges of the results, by number of the comparison and of the result."""
    told = collections.defaultdict(dict)
    for line in open(path):
        name, separator, range_ = line.strip().partition(" in ")
        number, _, result = name[1:].partition("#")
        if separator and number.isdigit() and result.isdigit():
            told[int(number)][int(result)] = [None if end == "?" else int(end) for end in range_.strip("[]").split(", ")]
    return [told[number] for number in sorted(told)]


def judge(path):
    told = read(path)
    counts = collections.defaultdict(collections.Counter)
    for ranges, (name, width, *kinds) in zip(told, cases(), strict=True):
        for result, ((truth, side), left) in enumerate(zip(SIDES, remaining(name, width, kinds))):
            if not left:
                continue
            lower, upper = ranges[result]
            expected = [min(left), max(left)]
            if (lower is not None and lower > expected[0]) or (upper is not None and upper < expected[1]):
                sys.exit(f"{kinds[side]} of i{width} is in {expected} where {name} {kinds} is {truth}, not in {[lower, upper]}")
            before = list(elements(kinds[side], width))
            if kinds[side] is None and width == 64:
                # Samples have ends that are none.
                expected = [None if end in (SAMPLES[64][0], SAMPLES[64][-1]) else end for end in expected]
            whole = [before[0], before[-1]] if kinds[side] or width == 8 else [None, None]
            exact = [lower, upper] == expected
            counts[f"{name} i{width}"]["exact" if exact else "same" if [lower, upper] == whole else "wider"] += 1
    for name, count in counts.items():
        print(f"{name}: {count['exact']} exact, {count['wider']} wider, {count['same']} not narrowed")


if __name__ == "__main__":
    write() if sys.argv[1] == "write" else judge(sys.argv[2])
