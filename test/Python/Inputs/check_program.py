"""tally.compile of a file, with NumPy alone."""

import gc
import os
import pathlib
import subprocess
import sys
import time
import unittest
import unittest.mock

import numpy
import tally
from tally import _cache

SOURCE, FOLDER = sys.argv[1:]

MAIN = """func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0 : [0, 8]>} {
  %n = tally.size <s0> : index
  %init = tensor.empty(%n) : tensor<?xf32>
  %sum = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  return %sum : tensor<?xf32>
}
"""


class Program(unittest.TestCase):
    def write(self, name, text=MAIN):
        path = os.path.join(FOLDER, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def test_call(self):
        program = tally.compile(self.write("call.mlir"))
        for size in (0, 1, 5, 8):
            x = numpy.arange(size, dtype=numpy.float32)
            numpy.testing.assert_array_equal(program(x), 2 * x)
        with self.assertRaisesRegex(tally.CheckError, "s0 <= 8 does not hold: s0 = 9"):
            program(numpy.zeros(9, numpy.float32))
        self.assertEqual(program.signature, "main(x: f32[s0]) -> (out0: f32[s0])")

    def test_functions_of_other_names(self):
        program = tally.compile(SOURCE)
        x = numpy.arange(8, dtype=numpy.float32).reshape(1, 8)
        numpy.testing.assert_array_equal(program.reshape_add(x, x[0]), 2 * x[0])
        numpy.testing.assert_array_equal(program(x, x[0]), 2 * x[0])
        path = self.write("two.mlir", MAIN.replace("@main", "@twice") + MAIN.replace("@main", "@again"))
        program = tally.compile(path)
        for use in (lambda: program(x[0]), lambda: program.signature):
            with self.assertRaisesRegex(TypeError, "no function of the program is called 'main': call one of 'twice', 'again' by its name"):
                use()
        numpy.testing.assert_array_equal(program.again(x[0]), 2 * x[0])

    def test_the_only_function(self):
        program = tally.compile(self.write("only.mlir", MAIN.replace("@main", "@twice")))
        numpy.testing.assert_array_equal(program(numpy.ones(3, numpy.float32)), [2, 2, 2])
        self.assertEqual(program.signature, "twice(x: f32[s0]) -> (out0: f32[s0])")

    def test_cached(self):
        path = self.write("cached.mlir", MAIN.replace("[0, 8]", "[0, 77]"))
        self.assertFalse(tally.compile(path).was_cached)
        self.assertTrue(tally.compile(path).was_cached)
        self.assertFalse(tally.compile(path, checks="entry").was_cached)

    def test_save_and_load(self):
        library = os.path.join(FOLDER, "libsaved.so")
        tally.compile(self.write("saved.mlir")).save(library)
        x = numpy.ones(3, numpy.float32)
        numpy.testing.assert_array_equal(tally.load(library).main(x), 2 * x)
        self.assertEqual([each for each in os.listdir(FOLDER) if each.startswith("libsaved")], ["libsaved.so"])

    def test_what_is_kept(self):
        """Files that were used lately, as many as there is room for."""
        place = pathlib.Path(FOLDER) / "kept"
        place.mkdir()
        (place / "folder").mkdir()
        now = time.time()
        for name, age in (("old.so", 40 * 24 * 3600), ("last.so", 300), ("first.so", 100), ("second.so", 200)):
            (place / name).write_bytes(bytes(10))
            os.utime(place / name, (now - age, now - age))
        with unittest.mock.patch("tally._cache.MOST_BYTES", 25):
            _cache._remove_old(place)
        self.assertEqual({each.name for each in place.iterdir()}, {"first.so", "second.so", "folder"})

    def test_save_without_a_cache(self):
        library = os.path.join(FOLDER, "libuncached.so")
        with unittest.mock.patch.dict(os.environ, TALLY_RT_CACHE="off"):
            program = tally.compile(self.write("uncached.mlir"))
        place = os.path.dirname(program.library.path)
        program.save(library)
        x = numpy.ones(3, numpy.float32)
        numpy.testing.assert_array_equal(tally.load(library).main(x), 2 * x)
        del program
        gc.collect()  # A library and its entry points refer to each other.
        self.assertFalse(os.path.exists(place))

    def test_version(self):
        def run(*arguments):
            command = [sys.executable, "-m", "tally", *arguments]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout

        root = pathlib.Path(__file__).resolve().parents[3]
        self.assertIn(f'version = "{tally.__version__}"', (root / "pyproject.toml").read_text())
        self.assertIn(f"project(tally VERSION {tally.__version__} ", (root / "CMakeLists.txt").read_text())
        self.assertRegex(run("--version"), f"^tally {tally.__version__}, version [0-9]+ of the runtime's interface")
        self.assertIn("libTallyC", run())

    def test_explain(self):
        text = tally.compile(self.write("explain.mlir")).explain()
        self.assertIn("s0 <= 8: asserted", text)
        path = self.write("fixed.mlir", "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n  return %x : tensor<3xf32>\n}")
        self.assertRegex(tally.compile(path).explain(), r"fixed.mlir:1: remark: arg0.size\(0\) == 3: compared at entry")

    def test_errors(self):
        with self.assertRaisesRegex(FileNotFoundError, "there is no file '/no/file.mlir'"):
            tally.compile("/no/file.mlir")
        with self.assertRaisesRegex(TypeError, "expected the path of a program"):
            tally.compile(3)
        path = self.write("wrong.mlir", MAIN.replace("<s0> : index", "<s1> : index"))
        with self.assertRaisesRegex(tally.CompileError, "wrong.mlir:3: error: .*unknown symbol 's1'"):
            tally.compile(path)
        with self.assertRaisesRegex(TypeError, "no option 'speed'"):
            tally.compile(self.write("options.mlir"), speed="1")
        with self.assertRaisesRegex(ImportError, "is a program, not a library: compile it first"):
            tally.load(path)


unittest.main(argv=["check_program.py"])
