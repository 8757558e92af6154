#!/usr/bin/env python3
"""Writes the program that the check pipeline is timed on, in the named form.

    generate.py 1000                    1,000 symbols, 10,000 operations
    generate.py 1000 --sums=written     prefix sums are written out by name

A packed buffer `x` holds N pieces, one behind the other; how long each is stands in `lengths`. The program
reads each length (`item`), states that it is not negative and that the pieces so far fit the buffer, takes the
piece out of the buffer and computes on it. benchmarks/pipeline/README.md says more; `program.py` is the same in
PyTorch.
"""

import argparse

LIMIT = 1000000
"""Elements of the packed buffer, which the sum of all lengths must not exceed."""

OPERATIONS = 10
"""Tensor operations for each symbol, `item` among them."""


def write_sum(index, sums):
    """Checks u_0 + ... + u_index, which is where the next piece starts."""
    if sums == "written":
        names = " + ".join(f"u{i}" for i in range(index + 1))
        return f"""\
  tally.check <{names} <= {LIMIT}>
  %t{index + 1} = tally.size <{names}> : index
"""
    return f"""\
  tally.check <start + u{index} <= {LIMIT}> (start = %t{index} : index)
  %t{index + 1} = arith.addi %t{index}, %u{index} : index
"""


def write_elementwise(index, kind, result, left, right, shape):
    """result = left + right, or left * right."""
    if kind == "arith":
        op = {"add": "addf", "mul": "mulf"}[result[1]]
        return f"  {result[0]} = arith.{op} {left}, {right} : {shape}\n"
    init = f"%n{index}" if "?" in shape else "%none"
    return (f"  {result[0]} = linalg.{result[1]} ins({left}, {right} : {shape}, {shape}) "
            f"outs({init} : {shape}) -> {shape}\n")


def write_piece(index, count, sums, kind):
    """What is done for one symbol."""
    i, piece = index, "tensor<?xf32>"
    init = f"  %n{i} = tensor.empty(%u{i}) : {piece}\n" if kind == "linalg" else ""
    return f"""\
  %e{i} = tensor.extract_slice %lengths[{i}] [1] [1] : tensor<{count}xi64> to tensor<i64>
  %v{i} = tally.item %e{i} : tensor<i64> bind #tally.bindings<u{i} = result(0)>
  tally.check <u{i} >= 0>
  %u{i} = tally.size <u{i}> : index
{write_sum(index, sums)}\
  %p{i} = tensor.extract_slice %x[%t{i}] [%u{i}] [1] : tensor<{LIMIT}xf32> to {piece}
{init}\
  %f{i} = tensor.splat %two[%u{i}] : {piece}
{write_elementwise(i, kind, (f"%m{i}", "mul"), f"%p{i}", f"%f{i}", piece)}\
  %c{i} = tensor.concat dim(0) %m{i}, %p{i} : ({piece}, {piece}) -> {piece}
  %h{i} = tensor.extract_slice %c{i}[%u{i}] [%u{i}] [1] : {piece} to {piece}
{write_elementwise(i, kind, (f"%a{i}", "add"), f"%h{i}", f"%p{i}", piece)}\
  %s{i} = linalg.reduce {{ arith.addf }} ins(%a{i} : {piece}) outs(%zeros : tensor<f32>) dimensions = [0]
{write_elementwise(i, kind, (f"%r{i + 1}", "add"), f"%r{i}", f"%s{i}", "tensor<f32>")}\
"""


def write_program(count, sums="running", kind="arith"):
    """The text of the program with `count` symbols."""
    table = ", ".join(f"u{i} : unbacked" for i in range(count))
    pieces = "".join(write_piece(i, count, sums, kind) for i in range(count))
    return f"""\
func.func @main(%lengths: tensor<{count}xi64> {{tally.name = "lengths"}}, %x: tensor<{LIMIT}xf32> {{tally.name = "x"}})
    -> tensor<f32> attributes {{tally.symbols = #tally.symbols<{table}>}} {{
  %two = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %none = tensor.empty() : tensor<f32>
  %zeros = linalg.fill ins(%zero : f32) outs(%none : tensor<f32>) -> tensor<f32>
  %t0 = arith.constant 0 : index
  %r0 = arith.constant dense<0.0> : tensor<f32>
{pieces}\
  return %r{count} : tensor<f32>
}}
"""


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("symbols", type=int)
    parser.add_argument("--sums", choices=("running", "written"), default="running")
    parser.add_argument("--elementwise", choices=("arith", "linalg"), default="arith")
    arguments = parser.parse_args()
    print(write_program(arguments.symbols, arguments.sums, arguments.elementwise), end="")


if __name__ == "__main__":
    main()
