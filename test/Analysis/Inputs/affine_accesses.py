"""What structured operations need of sizes, against all accesses that they make.

`affine_accesses.py write` prints a module that reads a vector at each of the indices below;
`affine_accesses.py judge SHAPES TALLY-PROVE` reads what --tally-print-shapes says that they
need. What allows an access out of bounds is an error; for each index is printed whether exactly
the calls with such an access are excluded, or how many others.
"""

import itertools
import re
import subprocess
import sys

# Of two loops over s0 and s1; the vector has s2 elements.
INDICES = ["d0", "d1 + 2", "d0 + d1", "d0 * 2 + d1", "d0 * 3 - d1 + 1", "-d0 + 5", "-d0 - d1 + 4", "d0 * -2 + 6", "3", "-1", "0",
           "d0 floordiv 2", "(d0 + 3) floordiv 2", "(-d0 + 3) floordiv 2", "(d0 + d1) floordiv 3", "d0 ceildiv 2",
           "(d0 * 2 + 1) ceildiv 3", "d0 mod 3", "(d0 + 1) mod 3", "(d0 * 2) mod 5", "(d0 + d1) mod 4", "(-d0) mod 3",
           "(d0 floordiv 2) * 2 + d1", "(d0 mod 2) * 3 + d1", "(d0 floordiv 2) mod 2", "d0 * 2 - (d0 floordiv 2) * 4"]  # fmt: skip
SIZES = list(itertools.product(range(6), range(6), range(12)))


def write():
    sizes = "{tally.shape = #tally.shape<%s>}"
    print(f"func.func @f(%x: tensor<?xf32> {sizes % 's2'}, %o: tensor<?x?xf32> {sizes % 's0, s1'})")
    print("    attributes {tally.symbols = #tally.symbols<s0 : [0, 64], s1 : [0, 64], s2 : [0, 64]>} {")
    for number, index in enumerate(INDICES):
        print(f"""  %{number} = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> ({index})>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}} ins(%x : tensor<?xf32>) outs(%o : tensor<?x?xf32>) {{
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }} -> tensor<?x?xf32>""")
    print("  return\n}")


def evaluate(index, d0, d1):
    index = re.sub(r"(\S+|\([^()]*\)) ceildiv (\d)", r"-(-(\1) // \2)", index)
    return eval(index.replace("floordiv", "//").replace("mod", "%"), {"d0": d0, "d1": d1})


def judge(path, prove):
    needs, needed = [], []
    for line in open(path):
        if "linalg.generic needs " in line:
            needed.append(line.split(" needs ")[1].strip())
        elif re.match(r" +%\d+: \[s0, s1\]", line):
            needs.append(" and ".join(f"({each})" for each in needed) or "true")
            needed = []
    assert len(needs) == len(INDICES), needs
    questions = ["int s0, s1, s2"]
    for need, (s0, s1, s2) in itertools.product(needs, SIZES):
        given = [f"{name} = {value}" for name, value in (("s0", s0), ("s1", s1), ("s2", s2)) if name in need]
        questions.append(f"eval {need}" + (f" with {', '.join(given)}" if given else ""))
    answers = iter(subprocess.run([prove, "-"], input="\n".join(questions), capture_output=True, text=True).stdout.splitlines())
    for index, need in zip(INDICES, needs):
        excluded = 0
        for s0, s1, s2 in SIZES:
            right = all(0 <= evaluate(index, d0, d1) < s2 for d0 in range(s0) for d1 in range(s1))
            allowed = next(answers)
            assert allowed in ("true", "false"), (need, allowed)
            if allowed == "true" and not right:
                sys.exit(f"{need} allows {index} out of bounds for {s0}, {s1}, {s2}")
            excluded += allowed == "false" and right
        print(f"{index}: {'exact' if not excluded else f'{excluded} too many'}")


write() if sys.argv[1] == "write" else judge(sys.argv[2], sys.argv[3])
