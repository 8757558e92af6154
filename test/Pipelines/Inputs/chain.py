"""Prints functions with chains of tensors that may share a buffer: each operation writes
where the one before did.

    chain.py LENGTH

@alone has one chain of LENGTH operations, @two has two beside each other, @read reads its
first tensor in the end, @inserted inserts into the chain at its start, @branch has it in a
branch, @argument starts with an argument, as do @kept, which is private, and @borrowed,
which may not write to it. @loop has one half in front of a loop that yields it, the other behind.

Extracts of %x, LENGTH of them, are all that @readers has, and @called_readers, which is
private; @own_readers reads what it computes, @shared_readers that and where it was
computed, and @written_readers writes to %x in the end.
"""

import sys

length = int(sys.argv[1])
T = "tensor<8xf32>"


def chain(value, name, count=length, step="fill ins(%s : f32)"):
    for i in range(count):
        print(f"  %{name}{i} = linalg.{step} outs(%{value} : {T}) -> {T}")
        value = f"{name}{i}"
    return value


def function(head, results, body, attributes=""):
    print(f"func.func {head}(%x: {T}{attributes}, %v: tensor<4xf32>, %s: f32) -> ({', '.join([T] * results)}) {{")
    values = body()
    print(f"  return {', '.join('%' + value for value in values)} : {', '.join([T] * results)}\n}}")


def empty(name):
    print(f"  %{name} = tensor.empty() : {T}")
    return name


def two():
    first, second = empty("e"), empty("f")
    for i in range(length):
        for name, value in (("a", first), ("b", second)):
            print(f"  %{name}{i} = linalg.fill ins(%s : f32) outs(%{value} : {T}) -> {T}")
        first, second = f"a{i}", f"b{i}"
    return [first, second]


def read():
    end = chain(empty("e"), "a")
    return [end, "a0"]


def inserted():
    print(f"  %i = tensor.insert_slice %v into %{empty('e')}[0] [4] [1] : tensor<4xf32> into {T}")
    return [chain("i", "a")]


def branch():
    print(f"  %c = arith.constant true\n  %r = scf.if %c -> {T} {{")
    print(f"  scf.yield %{chain(empty('e'), 'a')} : {T}\n  }} else {{\n  scf.yield %x : {T}\n  }}")
    return [chain("r", "b", 2)]


def loop():
    print("  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index")
    end = chain(empty("e"), "a", length // 2)
    print(f"  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%p = %{empty('f')}) -> ({T}) {{")
    print(f"    scf.yield %{end} : {T}\n  }}")
    return [chain("r", "b", length // 2)]


def argument():
    return [chain("x", "a", step=f"exp ins(%x : {T})")]


def readers(value="x"):
    print("  %c = arith.constant 0 : index")
    for i in range(length):
        print(f"  %r{i} = tensor.extract %{value}[%c] : {T}")
    return [empty("f")]


def own():
    return chain(empty("e"), "a", 1)


print("module {")
function("@alone", 1, lambda: [chain(empty("e"), "a")])
function("@two", 2, two)
function("@read", 2, read)
function("@inserted", 1, inserted)
function("@branch", 1, branch)
function("@argument", 1, argument)
function("private @kept", 1, argument)
function("@borrowed", 1, argument, " {bufferization.writable = false}")
function("@loop", 1, loop)
function("@readers", 1, readers)
function("private @called_readers", 1, readers)
function("@own_readers", 1, lambda: readers(own()))
function("@shared_readers", 2, lambda: readers(own()) + ["e"])
function("@written_readers", 1, lambda: [readers(), chain("x", "a", 1)][1:])
print("}")
