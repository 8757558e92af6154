"""The program of the README's taste, from the named form to a call, from Python."""

import os
import sys
import unittest

import numpy
import tally
from tally import attributes, compiler
from tally.attributes import Binding, Bindings, Expr, Path, Shape, Symbol, Symbols

SOURCE, TABLE, LIBRARY = sys.argv[1:]


class Compiler(unittest.TestCase):
    def setUp(self):
        with open(SOURCE) as file:
            self.text = file.read()

    def test_named_to_call(self):
        module = compiler.Module(self.text)
        self.assertIn("tally.size <s0 * s1>", str(module))
        module.run("tally-propagate-shapes,any(tally-bind-symbols)")
        self.assertIn("tally.check <s0 * s1 == s2>", str(module))
        module.run("tally-check-pipeline")
        self.assertIn("tally.assert", str(module))
        module.write(LIBRARY)
        program = tally.load(LIBRARY)
        x = numpy.arange(8, dtype=numpy.float32).reshape(1, 8)
        numpy.testing.assert_array_equal(program.reshape_add(x, x[0]), 2 * x[0])
        with self.assertRaisesRegex(tally.CheckError, r"s0 \* s1 == s2"):
            program.reshape_add(x, x[0, :7])
        with self.assertRaisesRegex(ValueError, "the program has become '.*' already"):
            module.write(LIBRARY)

    def test_data_file(self):
        numpy.arange(512, dtype=numpy.float32).tofile(LIBRARY + ".bin")
        data = LIBRARY + ".data"
        with open(TABLE) as file:
            text = file.read().replace("OFFSET", "0").replace("table.bin", LIBRARY + ".bin")
        compiler.Module(text).write(LIBRARY + ".data.so", data=data)
        program = tally.load(LIBRARY + ".data.so")
        os.rename(data, data + ".away")
        with self.assertRaisesRegex(tally.DataError, "cannot be opened"):
            program.main(numpy.full(3, 2, numpy.float32))
        os.rename(data + ".away", data)
        numpy.testing.assert_array_equal(program.main(numpy.full(3, 2, numpy.float32)), [0, 2, 4])
        with self.assertRaisesRegex(compiler.CompileError, "must be another file in the folder of"):
            compiler.Module(text).write(LIBRARY + ".data.so", data="elsewhere/f.data")

    def test_errors(self):
        with self.assertRaisesRegex(compiler.CompileError, "error: .*undeclared|error: .*use of"):
            compiler.Module("func.func @f() { return %x : i32 }")
        module = compiler.Module(self.text)
        with self.assertRaisesRegex(compiler.CompileError, "tally-nothing"):
            module.run("tally-nothing")
        with self.assertRaisesRegex(compiler.CompileError, "form must be"):
            module.run("any(tally-verify-form{form=odd})")
        with self.assertRaisesRegex(TypeError, "there is no option 'paint'"):
            module.write(LIBRARY, paint="red")


class Attributes(unittest.TestCase):
    def setUp(self):
        self.context = compiler.Context()

    def test_build_and_read(self):
        ctx = self.context
        self.assertEqual(Expr(ctx, "s0*s1 + 1").text, "s0*s1 + 1")
        shape = Shape(ctx, [Expr(ctx, "s0"), "s0 + s1", 4])
        self.assertEqual(str(shape), "#tally.shape<s0, s0 + s1, 4>")
        self.assertEqual([size.text for size in shape], ["s0", "s0 + s1", "4"])
        self.assertEqual(shape[-1], Expr(ctx, "4"))
        self.assertEqual(len(Shape(ctx, [])), 0)
        with self.assertRaises(IndexError):
            shape[3]
        declared = [
            Symbol("s0", upper=64, divisor=8, hint=16, source="x.size(0)"),
            Symbol("s1", lower=None, assumed=True),
            Symbol("b0", None, type=bool),
            Symbol("u0", 2, 9, unbacked=True),
        ]
        symbols = Symbols(ctx, declared)
        self.assertEqual(list(symbols), declared)
        self.assertEqual(attributes.parse(ctx, str(symbols)), symbols)
        bound = [
            Binding("u0", 0, "size", 1),
            Binding("u1", 1, divisor=4),
            Binding("u2", 0, "stride", 2),
            Binding("u3", 2, "storage_offset"),
        ]
        bindings = Bindings(ctx, bound)
        self.assertEqual(list(bindings), bound)
        self.assertEqual(str(attributes.parse(ctx, str(bindings))), str(bindings))

    def test_paths(self):
        ctx = self.context
        path = Path(ctx, 2, "stride", 1)
        self.assertEqual(str(path), "#tally.path<argument(2).stride(1)>")
        self.assertEqual((path.argument, path.kind, path.dim), (2, "stride", 1))
        self.assertEqual(attributes.parse(ctx, str(path)), path)
        self.assertEqual(str(Path(ctx, 0, "storage_offset")), "#tally.path<argument(0).storage_offset>")
        with self.assertRaisesRegex(ValueError, "'color' is none of value, size"):
            Path(ctx, 0, "color")

    def test_other_context(self):
        other = compiler.Context()
        self.assertNotEqual(Expr(self.context, "s0"), Expr(other, "s0"))
        with self.assertRaisesRegex(ValueError, "#tally.expr<s0> belongs to another context"):
            Shape(self.context, [Expr(other, "s0")])
        with open(SOURCE) as file:
            function = compiler.Module(file.read(), self.context).function("reshape_add")
        with self.assertRaisesRegex(ValueError, "belongs to another context; make it in that of the program"):
            function["tally.symbols"] = Symbols(other, [Symbol("s0")])
        self.assertEqual(len(function["tally.symbols"]), 3)

    def test_parse(self):
        for text, kind in (
            ("#tally.expr<s0>", Expr),
            ("#tally.shape<>", Shape),
            ("#tally.symbols<s0>", Symbols),
            ("#tally.bindings<u0 = result(0)>", Bindings),
            ("#tally.path<argument(0).stride(0)>", Path),
            ("[1, unit]", attributes.Attribute),
        ):
            self.assertIs(type(attributes.parse(self.context, text)), kind)
        one, other = (attributes.parse(self.context, t) for t in ("[1]", "[2]"))
        self.assertNotEqual(one, other)
        self.assertEqual(len({one, other, attributes.parse(self.context, "[1]")}), 2)

    def test_errors(self):
        ctx = self.context
        with self.assertRaisesRegex(compiler.CompileError, "expected an expression"):
            Expr(ctx, "2 *")
        with self.assertRaisesRegex(compiler.CompileError, "'s0' is declared twice"):
            Symbols(ctx, [Symbol("s0"), Symbol("s0")])
        with self.assertRaisesRegex(compiler.CompileError, "unbalanced"):
            attributes.parse(ctx, "#tally.shape<")
        with self.assertRaisesRegex(ValueError, "'color' is none of value, size"):
            Bindings(ctx, [Binding("u0", 0, "color")])
        # What has been reported is not reported again.
        self.assertEqual(Expr(ctx, "s0").text, "s0")

    def test_of_functions(self):
        with open(SOURCE) as file:
            module = compiler.Module(file.read(), self.context)
        function = module.function("reshape_add")
        self.assertEqual(function.argument(0, "tally.shape"), Shape(self.context, ["s0", "s1"]))
        self.assertIsNone(function.argument(0, "tally.odd"))
        self.assertIsNone(function.result(0, "tally.shape"))
        with self.assertRaisesRegex(IndexError, "there is no arg 2"):
            function.argument(2, "tally.shape")
        with self.assertRaises(KeyError):
            module.function("nothing")
        symbols = list(function["tally.symbols"])
        self.assertEqual(symbols[1], Symbol("s1", 0, 65536, 8))
        symbols[0] = Symbol("s0", 0, 7)
        function["tally.symbols"] = Symbols(self.context, symbols)
        module.run("any(tally-bind-symbols)")
        self.assertIn("s0 <= 7", str(module))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
