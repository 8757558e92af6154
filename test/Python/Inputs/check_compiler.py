"""The program of the README's taste, from the named form to a call, from Python."""

import sys
import unittest

import numpy
import tally
from tally import compiler

SOURCE, LIBRARY = sys.argv[1:]


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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
