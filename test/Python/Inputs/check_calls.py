"""Calls the library that program.mlir was compiled to, in every way; with --ctypes, without the module in C."""

import ctypes
import gc
import sys
import threading
import unittest

import numpy as np
import tally
from tally import _native, abi
from tally import library as calling

if "--ctypes" in sys.argv:
    sys.argv.remove("--ctypes")
    calling._native_call = None
else:
    assert calling._native_call or not _native.find("_call.abi3.so")

library = tally.load(sys.argv.pop(1))


def matrix(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


@unittest.skipUnless(calling._native_call, "the module in C is not there")
class WithoutPython(unittest.TestCase):
    """What the module in C does itself, and what it leaves to the package."""

    def takes(self, name, *args):
        return getattr(library, name)._caller(*args) is not NotImplemented

    def test_numbers(self):
        caller = library.numbers._caller
        for given in [(1, 2.5, True), (-1, -0.5, False), (2**63 - 1, 1e300, True), (-(2**63), 0.0, False)]:
            returned = caller(*given)
            self.assertEqual(returned, given)
            self.assertEqual([type(each) for each in returned], [int, float, bool])
        self.assertEqual(caller(np.array(7), np.array(1.5), np.array(True)), (7, 1.5, True))
        for other in [(True, 2.5, True), (1.0, 2.5, True), (1, 2, True), (1, True, True), (1, 2.5, 1), (1, 2.5, 0.0),
                      (2**63, 2.5, True), (-(2**63) - 1, 2.5, True), (np.int64(1), 2.5, True), (1, 2.5), (1, 2.5, True, 1),
                      ("1", 2.5, True), (None, 2.5, True)]:  # fmt: skip
            self.assertFalse(self.takes("numbers", *other), other)
        self.assertIs(caller(1, 2.5, True, b=True), NotImplemented)
        self.assertFalse(self.takes("add", 1.0, matrix(1, 1)))

    def test_kinds(self):
        names = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "?"]
        arrays = [np.array([0, 1, 1, 0, 1], name) for name in names]
        for views in (arrays, [each[::-1] for each in arrays], [each[::2] for each in arrays], [each[:0] for each in arrays]):
            returned = library.kinds._caller(*views)
            for given, result in zip(views, returned):
                np.testing.assert_array_equal(given, result)
                self.assertEqual(given.dtype, result.dtype)
                self.assertTrue(result.flags.writeable)
        # Each in a place for another kind is an error, of the package or of the runtime.
        for i in range(len(names)):
            for j in range(len(names)):
                if i == j:
                    continue
                with self.assertRaises(tally.Error, msg=f"{names[j]} for {names[i]}"):
                    library.kinds(*arrays[:i], arrays[j], *arrays[i + 1 :])
        self.assertTrue(self.takes("same", np.array([1], np.uint16), np.array([True]), np.ones((1, 2), np.float16)))

    def test_arrays(self):
        x = matrix(2, 3)
        records = np.zeros((2, 3), [("a", np.int8), ("b", np.float32)])["b"]
        class Derived(np.ndarray):
            pass
        for other in (x.astype(">f4"), records, x.view(Derived), x.tolist(), x.astype("c32"), x.astype("S3"), x.astype(object)):
            self.assertFalse(self.takes("add", x, other))
            self.assertFalse(self.takes("add", other, x))
        frozen = np.arange(4)
        frozen.flags.writeable = False
        self.assertFalse(self.takes("update", frozen))
        self.assertFalse(self.takes("update", [1, 2]))
        self.assertIsNone(library.update._caller(np.arange(4)))
        self.assertTrue(self.takes("deep", np.ones([1] * 8, np.float32)))
        deeper = np.ones([1] * 9, np.float32)
        self.assertFalse(self.takes("deeper", deeper))
        np.testing.assert_array_equal(library.deeper(deeper), deeper)

    def test_entries(self):
        # Numbers of other types, and hidden arguments.
        self.assertIsNone(library.scalars._caller)
        self.assertIsNone(library.layout._caller)
        self.assertIsNotNone(library.numbers._caller)

    def test_nothing_leaks(self):
        x = matrix(50, 50)
        caller = library.add._caller
        before = sys.getrefcount(x)
        for _ in range(50):
            caller(x, x)
            self.takes("add", x, x.tolist())
            with self.assertRaises(tally.InvalidArgument):
                caller(x, matrix(1, 1, 1))
        self.assertEqual(sys.getrefcount(x), before)


class Results(unittest.TestCase):
    def test_sizes(self):
        for shape in [(0, 0), (1, 1), (0, 4), (3, 0), (2, 5), (300, 70)]:
            x = matrix(*shape)
            np.testing.assert_array_equal(library.add(x, x), x + x)

    def test_strides(self):
        x = matrix(6, 8)
        views = [x.T, x[::-1], x[:, ::-2], x[1:, 2:], x[::2, ::3], x[2:2]]
        views.append(np.broadcast_to(np.float32(3), (2, 5)))
        misaligned = np.zeros(4 * 6 + 1, np.uint8)[1:].view(np.float32).reshape(2, 3)
        records = np.zeros((2, 3), [("a", np.int8), ("b", np.float32)])["b"]
        swapped = matrix(2, 3).astype(">f4")
        for view in [*views, misaligned, records, swapped]:
            np.testing.assert_array_equal(library.add(view, y=view), view + view)

    def test_result_owns_its_memory(self):
        x = matrix(200, 300)
        results = [library.add(x, x) for _ in range(20)]
        part = results[7][3:, 5]
        self.assertTrue(results[7].flags.writeable)
        del results
        gc.collect()
        library.add(x, x)
        np.testing.assert_array_equal(part, 2 * x[3:, 5])

    def test_protocols(self):
        class Interface:
            def __init__(self, array):
                self.array = array
                self.__array_interface__ = array.__array_interface__

        class DLPack:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **options):
                return self.array.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        x = matrix(2, 3)
        for wrap in (Interface, DLPack):
            np.testing.assert_array_equal(library.add(wrap(x), wrap(x)), 2 * x)
        np.testing.assert_array_equal(library.add([[1, 2]], [[3, 4]]), [[4, 6]])

    def test_exchange(self):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        describe_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_int64))
        described = []

        def describe(tensor, words):
            array = tensor.array
            described.append(array.shape)
            words[0], words[1], words[5] = array.__array_interface__["data"][0], tensor.device, 0
            words[2] = abi.pack_type(array.ndim, abi.FLOAT, 32)
            words[3], words[4] = ctypes.addressof(tensor.shape), ctypes.addressof(tensor.strides)
            return 0

        callback = describe_type(describe)
        address = ctypes.cast(callback, ctypes.c_void_p).value
        table = (ctypes.c_int64 * 7)(1 | 2 << 32, 0, 0, 0, 0, address, 0)

        class Tensor:
            __dlpack_c_exchange_api__ = new(ctypes.addressof(table), b"dlpack_exchange_api", None)
            requires_grad = False
            device = abi.CPU

            def __init__(self, array):
                sizes = ctypes.c_int64 * array.ndim
                self.array, self.shape = array, sizes(*array.shape)
                self.strides = sizes(*(stride // 4 for stride in array.strides))

            def is_neg(self):
                return False

            def __dlpack__(self, **options):
                return self.array.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        class Derived(Tensor):
            pass

        x = matrix(4, 3)
        fast = calling._native_call is not None
        for view in (x, x.T, x[::-2], x[:0], x[1:, 2:]):
            tensor = Tensor(view)
            np.testing.assert_array_equal(library.add(tensor, tensor), view + view)
            self.assertEqual(described, [view.shape] * 2 if fast else [])
            described.clear()
        # What it does not hold for goes through the protocol.
        other = Tensor(x)
        other.device = 2
        gradient = Tensor(x)
        gradient.requires_grad = True
        negative = Tensor(x)
        negative.is_neg = lambda: True
        with self.assertRaisesRegex(tally.InvalidArgument, r"\('x'\): is a view that negates: pass tensor.resolve_neg"):
            library.add(negative, x)
        for tensor in (Derived(x), other, gradient):
            np.testing.assert_array_equal(library.add(tensor, tensor), 2 * x)
        self.assertEqual(len(described), 1 if fast else 0)

    def test_scalars(self):
        self.assertEqual(library.scalars(2, 1.5, True, 200), (4, 3.0, False, 200))
        kinds = [type(each) for each in library.scalars(-1, 0, False, 0)]
        self.assertEqual(kinds, [int, float, bool, int])
        given = library.scalars(np.int64(2), np.float64(2), np.bool_(False), np.uint8(1))
        self.assertEqual(given, (4, 4.0, True, 1))

    def test_update(self):
        x = np.arange(10)
        self.assertIsNone(library.update(x[::3]))
        np.testing.assert_array_equal(x, [0, 1, 2, 6, 4, 5, 12, 7, 8, 18])

    def test_small_types(self):
        bits = np.array([0x3F80, 0xC000], np.uint16)
        flags, halves = np.array([True, False]), np.ones((2, 2), np.float16)
        results = library.same(bits, flags, halves)
        for given, result in zip((bits, flags, halves), results):
            np.testing.assert_array_equal(given, result)
            self.assertEqual(given.dtype, result.dtype)
            self.assertFalse(np.shares_memory(given, result))


class Hidden(unittest.TestCase):
    """Strides and offsets of arguments, as the caller passes them."""

    def check(self, x, strides, offset):
        *layout, same = library.layout(x)
        self.assertEqual(layout, [*strides, offset])
        np.testing.assert_array_equal(same, x)

    def test_views(self):
        x = matrix(6, 8)
        self.check(x, (8, 1), 0)
        self.check(x.T, (1, 8), 0)
        self.check(x[1:, 2:], (8, 1), 10)
        self.check(x[2, 1:5].reshape(2, 2), (2, 1), 17)
        self.check(x[::2, ::-1], (16, -1), 7)
        self.check(np.broadcast_to(np.float32(3), (2, 5)), (0, 0), 0)

    def test_nobody_sees_them(self):
        self.assertEqual(
            library.layout.signature,
            "layout(x: f32[s0, s1]) -> "
            "(out0: i64, out1: i64, out2: i64, out3: f32[s0, s1])",
        )
        self.assertRaises(TypeError, lambda: library.layout(matrix(1, 1), 1, 1, 0))

    def test_checks(self):
        with self.assertRaises(tally.CheckError) as caught:
            library.layout(matrix(4, 8)[:, :2])
        error = caught.exception
        self.assertEqual(error.user_message, "the rows are too far apart")
        named = {value.name: value for value in error.values}
        self.assertEqual(named["s2"], ("s2", "x.stride(0)", 8))
        with self.assertRaises(tally.CheckError) as caught:
            library.layout(matrix(6, 8)[5:, 2:])
        self.assertEqual(caught.exception.values[0][1:], ("x.storage_offset()", 42))


class Errors(unittest.TestCase):
    def test_check(self):
        with self.assertRaises(RuntimeError) as caught:
            library.add(matrix(2, 3), matrix(2, 4))
        error = caught.exception
        self.assertIsInstance(error, tally.CheckError)
        self.assertEqual(error.expression, "s1 == s3")
        self.assertEqual(error.required_by, "linalg.add")
        self.assertTrue(error.file.endswith("program.mlir"))
        self.assertEqual((error.line, error.user_message, error.declared_by), (8, "", ""))
        self.assertGreater(error.column, 0)
        expected = [("s1", "x.size(1)", 3), ("s3", "y.size(1)", 4)]
        self.assertEqual(error.values, expected)
        self.assertEqual(error.values[0].source, "x.size(1)")
        self.assertEqual(
            str(error),
            f"{error.file}:8:{error.column}: s1 == s3 does not hold: s1 = 3, s3 = 4 "
            "(s1 = x.size(1), s3 = y.size(1)); needed by linalg.add",
        )
        self.assertEqual(error.message, str(error))

    def test_messages(self):
        with self.assertRaises(tally.CheckError) as caught:
            library.scalars(3, 1.0, True, 1)
        self.assertEqual(caught.exception.user_message, "three is too many")
        with self.assertRaises(tally.CheckError) as caught:
            library.scalars(9, 1.0, True, 1)
        self.assertEqual(caught.exception.declared_by, "n")
        self.assertEqual(caught.exception.values, [("s0", "n", 9)])

    def test_invalid(self):
        x = matrix(2, 3)
        for call, text in [
            (lambda: library.add(x, x.astype(np.float64)), "data type f64, expected f32"),
            (lambda: library.add(x, x[0]), "rank 1, expected 2"),
            (lambda: library.add(x, np.array([["a"]])), "data type"),
            (lambda: library.add(x, "text"), "argument 1 ('y')"),
            (lambda: library.scalars(1.5, 1.0, True, 1), "argument 0 ('n')"),
            (lambda: library.scalars(1, 1.0, 1, 1), "expected a boolean, not 1"),
            (lambda: library.scalars(1, 1.0, True, 256), "argument 3 ('u')"),
            (lambda: library.update([1, 2]), "is written to: it must be an array that can be"),
            (lambda: library.update(np.broadcast_to(np.int64(1), 3)), "is written to"),
        ]:
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertIsInstance(caught.exception, tally.InvalidArgument)
            self.assertIn(text, str(caught.exception))

    def test_use(self):
        x = matrix(2, 3)
        for call, text in [
            (lambda: library.add(x), "add misses argument 'y'"),
            (lambda: library.add(x, x, x), "add takes 2 arguments, 3 given"),
            (lambda: library.add(x, z=x), "add has no argument 'z'"),
            (lambda: library.add(x, x=x), "add got argument 'x' twice"),
        ]:
            with self.assertRaisesRegex(TypeError, text):
                call()
        with self.assertRaisesRegex(AttributeError, "there is no function 'missing'"):
            library.missing  # noqa: B018
        self.assertRaises(OSError, lambda: tally.load("none.so"))

    def test_memory(self):
        with self.assertRaises(MemoryError) as caught:
            library.large(1 << 40)
        self.assertIsInstance(caught.exception, tally.OutOfMemory)
        np.testing.assert_array_equal(library.large(2), np.zeros((2, 2)))

    def test_nothing_is_left(self):
        for n in (1, 3, 9):
            try:
                library.scalars(n, 1.0, True, 1)
            except tally.CheckError:
                pass
        live = library._functions.tally_rt_live_allocations
        self.assertEqual({live(context) for context in library._contexts}, {0})


class Libraries(unittest.TestCase):
    def test_entries(self):
        names = ["add", "scalars", "update", "same", "large", "layout", "numbers", "kinds", "deep", "deeper"]
        self.assertEqual([entry.__name__ for entry in library], names)
        self.assertEqual(len(library), 10)
        self.assertIs(library["add"], library.add)
        self.assertIn("scalars", dir(library))
        self.assertEqual(
            library.scalars.__doc__,
            "scalars(n: i64 = s0, f: f64, b: i1, u: u8) -> "
            "(out0: i64, out1: f64, out2: i1, out3: u8)",
        )
        self.assertIn("add(x: f32[s0, s1], y: f32[s2, s3])", repr(library.add))

    def test_threads(self):
        wrong = []

        def work(n):
            x = matrix(n, 10)
            for _ in range(300):
                if not np.array_equal(library.add(x, x), 2 * x):
                    wrong.append(n)
                try:
                    library.add(x, x[:, 1:])
                    wrong.append(n)
                except tally.CheckError as error:
                    if error.values[1].value != 9:
                        wrong.append(n)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


unittest.main()
