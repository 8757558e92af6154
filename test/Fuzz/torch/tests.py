#!/usr/bin/env python3
"""Tests of the parts that need no torch: cutting programs down, and reading
what tally-run says."""

import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from generator import judge, shrink  # noqa: E402
from generator.program import (Body, Input, Program, Size,  # noqa: E402
                               Statement, without_dead_code)


def example():
    """Five statements, one of them with a subgraph, and a write."""
    body = Body("f5", ("a6",), (
        Statement("v7 = a6.sin()", ("v7",)),
        Statement("v8 = v7.cumsum(0)", ("v8",))), "v8")
    return Program(
        "example",
        (Input("x0", "f32", ("n",)), Input("x1", "f32", ("m",), "special")),
        (Statement("v2 = x0.clone()", ("v2",)),
         Statement("v3 = x1.exp()", ("v3",)),
         Statement("v2.add_(1)", writes=("v2",)),
         Statement("v4 = cond(v2.any(), f5, f5, (v2,))", ("v4",),
                   bodies=(body,)),
         Statement("v9, v10 = v4.chunk(2)", ("v9", "v10"))),
        ("v9", "v3"), (Size("n"), Size("m")),
        (("first", (("m", 3), ("n", 4))), ("zero", (("m", 0), ("n", 0)))),
        strict=True)


class Programs(unittest.TestCase):

    def test_source(self):
        self.assertEqual(example().source(), """\
def forward(self, x0, x1):
    v2 = x0.clone()
    v3 = x1.exp()
    v2.add_(1)
    def f5(a6):
        v7 = a6.sin()
        v8 = v7.cumsum(0)
        return v8
    v4 = cond(v2.any(), f5, f5, (v2,))
    v9, v10 = v4.chunk(2)
    return (v9, v3,)
""")

    def test_dead_code_keeps_writes(self):
        program = without_dead_code(example().replace(results=("v9",)))
        self.assertNotIn("v3", program.source())
        self.assertIn("v2.add_(1)", program.source())
        self.assertEqual([i.name for i in program.inputs], ["x0"])
        self.assertEqual([s.name for s in program.sizes], ["n"])

    def test_free_variables_of_a_body_are_uses(self):
        body = Body("f1", ("a2",), (Statement("v3 = a2 + v9", ("v3",)),), "v3")
        statement = Statement("v4 = f1(v5)", ("v4",), bodies=(body,))
        self.assertEqual(statement.uses(), {"v5", "v9"})


class Shrinking(unittest.TestCase):

    def test_finds_the_statement(self):
        def keeps(program):
            return "exp()" in program.source()
        small = shrink.shrink(example(), keeps)
        self.assertEqual([s.code for s in small.statements], ["v3 = x1.exp()"])
        self.assertEqual(small.results, ("v3",))
        self.assertEqual(len(small.calls), 1)
        self.assertFalse(small.strict)
        self.assertEqual(small.inputs[0].fill, "normal")

    def test_looks_into_bodies(self):
        small = shrink.shrink(example(), lambda p: "cumsum" in p.source(), budget=200)
        self.assertNotIn("sin", small.source())
        self.assertNotIn("chunk", small.source())
        self.assertNotIn("add_", small.source())

    def test_keeps_the_failing_call(self):
        small = shrink.shrink(
            example(), lambda p: any(c[0] == "zero" for c in p.calls))
        self.assertEqual([c[0] for c in small.calls], ["first", "zero"])

    def test_cuts(self):
        def cut(program, name):
            if name != "v4":
                return None
            return without_dead_code(program.replace(
                inputs=program.inputs + (Input("v4", "f32", (0,)),),
                statements=tuple(s for s in program.statements
                                 if "v4" not in s.defines)))
        small = shrink.shrink(example(), lambda p: "chunk" in p.source(), cut)
        self.assertEqual([s.code for s in small.statements],
                         ["v9, v10 = v4.chunk(2)"])

    def test_the_budget_ends(self):
        asked = []
        shrink.shrink(example(), lambda p: bool(asked.append(p)), budget=5)
        self.assertEqual(len(asked), 5)


class Judging(unittest.TestCase):

    def kind(self, *run, **options):
        return judge.classify(*run, **options).kind

    def test_refusals(self):
        self.assertEqual(self.kind(1, "", "error: the program uses 1 operator "
                                   "that is not supported: aten.fft"),
                         judge.UNSUPPORTED)
        self.assertEqual(self.kind(1, "", "error: aten.norm: norms of matrices "
                                   "are not supported"), judge.FORM)
        self.assertEqual(self.kind(1, "", "error: aten.add_: aten.reshape.default "
                                   "gives a view or a copy, which depends"),
                         judge.UNSUPPORTED)
        self.assertEqual(self.kind(1, "", "error: 'tensor.empty' op needs x",
                                   may_refuse=True), judge.UNSUPPORTED)
        self.assertEqual(self.kind(1, "", "error: 'tensor.empty' op needs x"),
                         judge.REFUSED)

    def test_cases(self):
        self.assertEqual(self.kind(0, "PASS one\nPASS two\n", ""), judge.RIGHT)
        self.assertEqual(self.kind(4, "PASS a\nFAIL b: out0 differs", ""),
                         judge.WRONG)
        self.assertEqual(self.kind(4, "FAIL b: no error, expected one that "
                                   "contains ''", ""), judge.MISSED)
        self.assertEqual(self.kind(4, "FAIL b: check failed: x", ""),
                         judge.REJECTED)
        overlap = "FAIL b: check failed: 2 <= 1: windows that overlap are " \
            "read only\n"
        self.assertEqual(self.kind(4, overlap, ""), judge.UNSUPPORTED)
        self.assertEqual(self.kind(4, overlap + "FAIL c: check failed: x", ""),
                         judge.REJECTED)

    def test_the_worst_case_counts(self):
        found = judge.classify(4, "FAIL a: out0 differs\nFAIL b: check failed:"
                               " x\n", "")
        self.assertEqual((found.kind, found.case), (judge.WRONG, "a"))

    def test_open_cases_may_be_refused_but_not_wrong(self):
        self.assertEqual(self.kind(4, "FAIL b: check failed: x", "",
                                   open_cases={"b"}), judge.RIGHT)
        self.assertEqual(self.kind(4, "FAIL b: out0 differs", "",
                                   open_cases={"b"}), judge.WRONG)

    def test_signals(self):
        self.assertEqual(self.kind(-11, "", ""), judge.CRASH)
        self.assertEqual(self.kind(139, "", ""), judge.CRASH)
        self.assertEqual(self.kind(2, "", ""), judge.CRASH)
        self.assertEqual(self.kind(None, "", ""), judge.HANG)

    def test_operators_that_are_not_supported_are_named(self):
        self.assertEqual(
            judge.unsupported("m: error: the program uses 2 operators that are "
                              "not supported: aten.a.default, aten._b.Tensor_c"),
            ["aten.a.default", "aten._b.Tensor_c"])
        self.assertEqual(
            judge.unsupported("m: error: aten.a.default: x gives a view or a copy"),
            ["aten.a.default: x gives a view or a copy"])

    def test_signatures_leave_names_and_numbers_out(self):
        first = judge.classify(1, "", "a.py:3: error: 'tensor.empty' op needs "
                               "2 * s6 <= u0")
        second = judge.classify(1, "", "b.py:9: error: 'tensor.empty' op needs "
                                "4 * s17 <= u3")
        self.assertEqual(first.signature, second.signature)


class Running(unittest.TestCase):
    """Tools that stand for tally-run."""

    def judged(self, script):
        with tempfile.TemporaryDirectory() as folder:
            tool = pathlib.Path(folder) / "tool"
            tool.write_text(f"#!/bin/sh\n{script}\n")
            tool.chmod(0o755)
            cases = pathlib.Path(folder) / "cases.json"
            cases.write_text('[{"name": "first", "expect": []}]')
            return judge.judge([tool], pathlib.Path(folder), (), seconds=1).kind

    def test_tools(self):
        self.assertEqual(self.judged("echo PASS first"), judge.RIGHT)
        self.assertEqual(self.judged("echo 'FAIL first: differs'; exit 4"),
                         judge.WRONG)
        self.assertEqual(self.judged("kill -SEGV $$"), judge.CRASH)
        self.assertEqual(self.judged("echo 'error: no' >&2; exit 1"),
                         judge.REFUSED)
        self.assertEqual(self.judged("while :; do :; done"), judge.HANG)


if __name__ == "__main__":
    unittest.main()
