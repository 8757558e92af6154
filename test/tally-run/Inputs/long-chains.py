"""Writes programs of COUNT steps whose tensors may all share one buffer: long-chains.py KIND COUNT.

    updates  a slice after the other is computed from the tensor and inserted into it
    loops    loops one after the other change what they carry, or leave it
    kept     as loops, but a tensor from the middle and the argument are read at the end
    branches as loops, with a branch in each that may start anew
    nested   loops in each other
    parts    parts of different sizes are computed and joined
    checked  as loops, with a check behind each
    read     slices of the argument, one after the other, are counted and summed up; the last one is written to
    joined   parts are joined, three at a time, until one is left; one of these is read once more
"""

import sys

VECTOR = "tensor<?xf32>"


def add(result, left, right, init):
    return f"""  {result} = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}} ins({right} : {VECTOR}) outs({init} : {VECTOR}) {{
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, {left} : f32
    linalg.yield %s : f32
  }} -> {VECTOR}
"""


def grow(result, operand):
    """Doubles each element and adds one, where it is."""
    return f"""  {result} = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}} outs({operand} : {VECTOR}) {{
  ^bb0(%out: f32):
    %d = arith.addf %out, %one : f32
    linalg.yield %d : f32
  }} -> {VECTOR}
"""


def updates(count):
    lines = [f"  %e = tensor.empty(%n) : {VECTOR}\n", add("%x0", "%b", "%x", "%e")]
    for i in range(count):
        lines.append(f"  %p{i} = tensor.extract_slice %x{i}[%h] [%rest] [1] : {VECTOR} to {VECTOR}\n")
        lines.append(grow(f"%q{i}", f"%p{i}"))
        lines.append(f"  %x{i + 1} = tensor.insert_slice %q{i} into %x{i}[0] [%rest] [1] : {VECTOR} into {VECTOR}\n")
    return lines, f"%x{count}"


def loops(count, step=grow):
    lines = []
    for i in range(count):
        lines.append(f"""  %x{i + 1} = scf.for %i{i} = %c0 to %k step %c1 iter_args(%a{i} = {f'%x{i}' if i else '%x'}) -> ({VECTOR}) {{
{step(f"%y{i}", f"%a{i}")}  scf.yield %y{i} : {VECTOR}
  }}
""")
    return lines, f"%x{count}"


def kept(count):
    lines, last = loops(count)
    for name in (f"%x{count // 2}", "%x"):
        lines.append(f"  {last}e = tensor.empty(%n) : {VECTOR}\n  {last}s = linalg.add ins({last}, {name} : {VECTOR}, {VECTOR}) "
                     f"outs({last}e : {VECTOR}) -> {VECTOR}\n")
        last += "s"
    return lines, last


def branches(count):
    return loops(count, lambda result, operand: f"""  {result}c = arith.cmpi ugt, %k, %c1 : index
  {result} = scf.if {result}c -> ({VECTOR}) {{
  {result}e = tensor.empty(%n) : {VECTOR}
  {result}t = linalg.abs ins({operand} : {VECTOR}) outs({result}e : {VECTOR}) -> {VECTOR}
{grow(result + 'g', result + 't')}  scf.yield {result}g : {VECTOR}
  }} else {{
  scf.yield {operand} : {VECTOR}
  }}
""")


def checked(count):
    lines = []
    for i, loop in enumerate(loops(count)[0]):
        lines += [loop, f"""  %f{i} = arith.constant {i} : index
  %t{i} = arith.constant {count} : index
  %m{i} = arith.muli %k, %f{i} : index
  %o{i} = arith.cmpi ule, %m{i}, %t{i} : index
  tally.assert %o{i}, <{i} * k <= {count}> (k = %k : index)
"""]
    return lines, f"%x{count}"


def read(count):
    lines = [f"  %e = tensor.empty() : tensor<f32>\n  %s0 = linalg.fill ins(%b : f32) outs(%e : tensor<f32>) -> tensor<f32>\n"]
    for i in range(count):
        lines.append(f"""  %p{i} = tensor.extract_slice %x[%h] [%rest] [1] : {VECTOR} to {VECTOR}
  %s{i + 1} = linalg.reduce {{ arith.addf }} ins(%p{i} : {VECTOR}) outs(%s{i} : tensor<f32>) dimensions = [0]
""")
    lines.append(f"  %last = tensor.extract %s{count}[] : tensor<f32>\n"
                 f"  %r = linalg.fill ins(%last : f32) outs(%p{count - 1} : {VECTOR}) -> {VECTOR}\n")
    return lines, "%r"


def nested(count):
    lines = []
    for i in range(count):
        lines.append(f"  %r{i} = scf.for %i{i} = %c0 to %k step %c2 iter_args(%a{i} = {f'%a{i - 1}' if i else '%x'}) -> ({VECTOR}) {{\n")
    lines.append(grow("%y", f"%a{count - 1}") + f"  scf.yield %y : {VECTOR}\n  }}\n")
    for i in reversed(range(count - 1)):
        lines.append(grow(f"%y{i}", f"%r{i + 1}") + f"  scf.yield %y{i} : {VECTOR}\n  }}\n")
    return lines, "%r0"


def parts(count):
    lines = []
    for i in range(count):
        lines.append(f"""  %c_{i} = arith.constant {i} : index
  %n{i} = arith.addi %n, %c_{i} : index
  %v{i} = arith.constant {i}.0 : f32
  %e{i} = tensor.empty(%n{i}) : {VECTOR}
  %f{i} = linalg.fill ins(%v{i} : f32) outs(%e{i} : {VECTOR}) -> {VECTOR}
""" + grow(f"%p{i}", f"%f{i}"))
    names = ", ".join(f"%p{i}" for i in range(count))
    lines.append(f"  %r = tensor.concat dim(0) %x, {names} : ({', '.join([VECTOR] * (count + 1))}) -> {VECTOR}\n")
    return lines, "%r"


def joined(count):
    lines = []
    for i in range(count):
        lines.append(f"""  %v{i} = arith.constant {i}.0 : f32
  %e{i} = tensor.empty(%n) : {VECTOR}
""" + add(f"%p{i}", f"%v{i}", "%x", f"%e{i}"))
    names = [f"%p{i}" for i in range(count)]
    while len(names) > 1:
        groups = [names[first:first + 3] for first in range(0, len(names), 3)]
        names = [f"{group[0]}j" for group in groups]
        for name, group in zip(names, groups):
            lines.append(f"  {name} = tensor.concat dim(0) {', '.join(group)} : "
                         f"({', '.join([VECTOR] * len(group))}) -> {VECTOR}\n")
    lines.append(f"  %r = tensor.concat dim(0) {names[0]}, %p3j : ({VECTOR}, {VECTOR}) -> {VECTOR}\n")
    return lines, "%r"


def main():
    lines, result = globals()[sys.argv[1]](int(sys.argv[2]))
    print(f"""func.func @main(%x: {VECTOR}, %k: index) -> {VECTOR} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  %b = arith.constant 0.5 : f32
  %n = tensor.dim %x, %c0 : {VECTOR}
  %h = arith.divui %n, %c2 : index
  %rest = arith.subi %n, %h : index
{''.join(lines)}  return {result} : {VECTOR}
}}""")


main()
