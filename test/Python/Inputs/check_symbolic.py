"""tally.symbolic, which needs nothing but the engine."""

import sys
import unittest

from tally import symbolic


class Symbolic(unittest.TestCase):
    def setUp(self):
        self.ctx = symbolic.Context()

    def test_prove(self):
        self.ctx.symbol("n")
        answer = self.ctx.prove("2*(n//2) <= n")
        self.assertTrue(answer)
        self.assertEqual(answer.verdict, "yes")
        self.assertFalse(self.ctx.prove("n <= 2*(n//2)"))
        self.assertEqual(self.ctx.prove("n <= 2*(n//2)").verdict, "unknown")
        self.assertEqual(self.ctx.prove("n < n").verdict, "no")

    def test_explanation_names_the_facts(self):
        n = self.ctx.symbol("n", lower=1, upper=64)
        self.ctx.symbol("m", divisor=8)
        answer = self.ctx.prove(n * 2 <= 128)
        self.assertEqual(answer.reason, "ranges")
        self.assertIn(("n <= 64", "n"), answer.facts)
        self.assertIn("n <= 64", str(answer))
        self.assertTrue(self.ctx.prove("m % 4 == 0"))
        self.assertFalse(self.ctx.prove("m % 16 == 0"))

    def test_scopes(self):
        self.ctx.symbol("n")
        with self.ctx.scope():
            self.ctx.assume("n >= 3", "x.size(0)")
            self.assertEqual(self.ctx.prove("n > 2").facts, [("3 <= n", "x.size(0)")])
            self.ctx.assume("n < 0")
            self.assertEqual(self.ctx.prove("n == 7").verdict, "contradiction")
        self.assertEqual(self.ctx.prove("n > 2").verdict, "unknown")
        self.ctx.push()
        self.ctx.assume("n > 2")
        self.assertTrue(self.ctx.prove("n > 2"))
        self.ctx.pop()
        self.assertEqual(self.ctx.prove("n > 2").verdict, "unknown")
        with self.assertRaisesRegex(ValueError, "there is no scope to close"):
            self.ctx.pop()

    def test_expressions(self):
        n, m = self.ctx.symbol("n", lower=0), self.ctx.symbol("m")
        self.assertEqual((n + m) * (n - m), n * n - m * m)
        self.assertEqual(str(2 * n + 1), str(self.ctx.expr("n*2+1")))
        self.assertEqual(self.ctx.range(3 * n + 2), (2, None))
        self.assertEqual(self.ctx.range(self.ctx.expr("10**30") - n), (None, 10**30))
        self.ctx.assume(m.equals(n + 1))
        self.assertEqual(self.ctx.simplify(m * n), n * n + n)
        self.assertIs((n <= m).type, bool)

    def test_powers(self):
        n = self.ctx.symbol("base")
        self.assertEqual(str((n + 1) ** 2 - n**2), "2 * base + 1")
        self.assertEqual(str(2**n), "pow(2, base)")
        self.assertEqual(n**n, self.ctx.expr("pow(base, base)"))

    def test_errors(self):
        n = self.ctx.symbol("n")
        for text, message in [("k + 1", "k"), ("n +", "column 4"), ("", "column 1")]:
            with self.assertRaisesRegex(ValueError, message):
                self.ctx.prove(text)
        for name in ("n", "mod", "1x", ""):
            with self.assertRaisesRegex(ValueError, "is no name of a symbol, or is declared already"):
                self.ctx.symbol(name)
        with self.assertRaisesRegex(TypeError, "n \\+ 1 is no boolean"):
            self.ctx.prove("n + 1")
        with self.assertRaisesRegex(TypeError, "n is no boolean"):
            self.ctx.assume(n)
        with self.assertRaisesRegex(TypeError, "n <= 3 has no value; ask the context"):
            bool(n <= 3)
        with self.assertRaisesRegex(ValueError, "n <= 3 is of another context"):
            symbolic.Context().prove(n <= 3)
        with self.assertRaisesRegex(ValueError, "n is of another context"):
            symbolic.Context().symbol("m") + n
        with self.assertRaises(TypeError):
            n ** 0.5
        with self.assertRaisesRegex(ValueError, "'z' cannot be a multiple of 0"):
            self.ctx.symbol("z", divisor=0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
