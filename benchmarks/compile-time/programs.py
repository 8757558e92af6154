"""Programs of any size for compile_time.py, by what grows."""

VECTOR = "tensor<?xf32>"
MATRIX = "tensor<?x?xf32>"
SIZES = """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
"""


def map_vector(result, operand, operation, size="%n"):
    """A structured operation of its own, as it exponentiates, too."""
    return f"""  {result}e = tensor.empty({size}) : {VECTOR}
  {result} = linalg.{operation} ins({operand} : {VECTOR}) outs({result}e : {VECTOR}) -> {VECTOR}
"""


def calls(count):
    """`count` calls of one subgraph, each of what the one before gives."""
    lines = [f"func.func private @sub(%x: {VECTOR}) -> {VECTOR} {{\n{SIZES}",
             f"  %n = tensor.dim %x, %c0 : {VECTOR}\n", map_vector("%r", "%x", "exp"),
             f"  return %r : {VECTOR}\n}}\nfunc.func @main(%x0: {VECTOR}) -> {VECTOR} {{\n"]
    lines += [f"  %x{i + 1} = tally.invoke_subgraph @sub(%x{i}) : ({VECTOR}) -> {VECTOR}\n"
              for i in range(count)]
    return "".join(lines) + f"  return %x{count} : {VECTOR}\n}}\n"


def elementwise(count):
    """A chain of `count` elementwise operations."""
    lines = [f"func.func @main(%x0: {VECTOR}) -> {VECTOR} {{\n{SIZES}  %n = tensor.dim %x0, %c0 : {VECTOR}\n"]
    lines += [map_vector(f"%x{i + 1}", f"%x{i}", ("abs", "negf")[i % 2]) for i in range(count)]
    return "".join(lines) + f"  return %x{count} : {VECTOR}\n}}\n"


def operations(count):
    """`count` pairs of a reduction over rows and what broadcasts its result."""
    lines = [f"func.func @main(%x0: {MATRIX}) -> {MATRIX} {{\n{SIZES}",
             f"  %m = tensor.dim %x0, %c0 : {MATRIX}\n  %n = tensor.dim %x0, %c1 : {MATRIX}\n"]
    for i in range(count):
        lines.append(f"""  %e{i} = tensor.empty(%m) : {VECTOR}
  %f{i} = linalg.fill ins(%zero : f32) outs(%e{i} : {VECTOR}) -> {VECTOR}
  %s{i} = linalg.reduce {{ arith.addf }} ins(%x{i} : {MATRIX}) outs(%f{i} : {VECTOR}) dimensions = [1]
  %g{i} = tensor.empty(%m, %n) : {MATRIX}
  %b{i} = linalg.broadcast ins(%s{i} : {VECTOR}) outs(%g{i} : {MATRIX}) dimensions = [1]
  %x{i + 1} = linalg.sub ins(%x{i}, %b{i} : {MATRIX}, {MATRIX}) outs(%g{i} : {MATRIX}) -> {MATRIX}
""")
    return "".join(lines) + f"  return %x{count} : {MATRIX}\n}}\n"


def buffers(count):
    """`count` tensors that are all there before they are joined, a dozen at a time."""
    lines = [f"func.func @main(%x: {VECTOR}) -> {VECTOR} {{\n{SIZES}  %n = tensor.dim %x, %c0 : {VECTOR}\n"]
    for i in range(count):
        lines.append(f"""  %e{i} = tensor.empty(%n) : {VECTOR}
  %k{i} = arith.constant {i}.0 : f32
  %y{i} = linalg.map ins(%x : {VECTOR}) outs(%e{i} : {VECTOR}) (%v : f32, %o : f32) {{
    %w = arith.addf %v, %k{i} : f32
    linalg.yield %w : f32
  }}
""")
    parts = [f"%y{i}" for i in range(count)]
    while len(parts) > 1:
        joined = []
        for first in range(0, len(parts), 12):
            name, group = f"{parts[first]}j", parts[first:first + 12]
            lines.append(f"  {name} = tensor.concat dim(0) {', '.join(group)} : "
                         f"({', '.join([VECTOR] * len(group))}) -> {VECTOR}\n")
            joined.append(name)
        parts = joined
    return "".join(lines) + f"  return {parts[0]} : {VECTOR}\n}}\n"


def regions(count):
    """`count` branches in loops, which hand buffers on."""
    lines = [f"func.func @main(%x0: {VECTOR}, %k: index) -> {VECTOR} {{\n{SIZES}",
             f"  %n = tensor.dim %x0, %c0 : {VECTOR}\n"]
    for i in range(count):
        lines.append(f"""  %x{i + 1} = scf.for %i{i} = %c0 to %k step %c1 iter_args(%a{i} = %x{i}) -> ({VECTOR}) {{
  %p{i} = arith.cmpi ult, %i{i}, %c1 : index
  %r{i} = scf.if %p{i} -> ({VECTOR}) {{
{map_vector(f"%y{i}", f"%a{i}", "exp")}  scf.yield %y{i} : {VECTOR}
  }} else {{
  scf.yield %a{i} : {VECTOR}
  }}
  scf.yield %r{i} : {VECTOR}
  }}
""")
    return "".join(lines) + f"  return %x{count} : {VECTOR}\n}}\n"


def read_index(name, position, count):
    """A size that is read out of %k."""
    return f"""  {name}p = arith.constant {position} : index
  {name}e = tensor.extract %k[{name}p] : tensor<{count}xi64>
  {name} = arith.index_cast {name}e : i64 to index
"""


def asserts(count):
    """`count` asserts about the same sizes and a number of the data each."""
    lines = [f"func.func @main(%x: {MATRIX}, %k: tensor<{count}xi64>) -> {MATRIX} {{\n{SIZES}",
             f"  %m = tensor.dim %x, %c0 : {MATRIX}\n  %n = tensor.dim %x, %c1 : {MATRIX}\n"]
    for i in range(count):
        lines += [read_index(f"%v{i}", i, count),
                  f"  tally.check <0 <= v and v < {i + 2} * m + n> "
                  f"(v = %v{i}, m = %m, n = %n : index, index, index)\n"]
    return "".join(lines) + f"  return %x : {MATRIX}\n}}\n"


def slices(count):
    """`count` slices, each of the one before, up to a number of the data."""
    lines = [f"func.func @main(%x0: {VECTOR}, %k: tensor<{count}xi64>) -> {VECTOR} {{\n{SIZES}"]
    for i in range(count):
        lines += [read_index(f"%v{i}", i, count),
                  f"  %x{i + 1} = tensor.extract_slice %x{i}[0] [%v{i}] [1] : {VECTOR} to {VECTOR}\n"]
    return "".join(lines) + f"  return %x{count} : {VECTOR}\n}}\n"


def arguments(count):
    """`count` arguments, which are summed up."""
    operands = ", ".join(f"%x{i}: {VECTOR}" for i in range(count))
    lines = [f"func.func @main({operands}) -> {VECTOR} {{\n"]
    lines += [f"  %y{i + 1} = arith.addf {f'%y{i}' if i else '%x0'}, %x{i} : {VECTOR}\n"
              for i in range(count)]
    return "".join(lines) + f"  return %y{count} : {VECTOR}\n}}\n"


PROGRAMS = {program.__name__: program for program in
            (calls, elementwise, operations, buffers, regions, asserts, slices, arguments)}
# What costs little is repeated more often, so that it shows beside what every program costs.
UNITS = {"calls": 8, "elementwise": 16, "asserts": 4, "slices": 4, "arguments": 2}
