"""Other engines, asked the questions of test/Strength.

An engine is a class with a name that is made for one question, outside the time
that counts, with its symbols and facts; `decide` builds the query and answers
yes, no, contradiction or unknown.
"""

import functools
import operator

ARITHMETIC = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "neg": operator.neg,
    "**": operator.pow,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Builder:
    """Builds an expression out of an engine's `operators`."""

    operators = ARITHMETIC

    def build(self, expr):
        kind = expr[0]
        if kind in ("const", "bool"):
            return expr[1]
        if kind == "symbol":
            return self.symbols[expr[1]]
        operands = [x if isinstance(x, int) else self.build(x) for x in expr[1:]]
        return self.operators[kind](*operands)


# ---------------------------------------------------------------------------- #
# Z3
# ---------------------------------------------------------------------------- #


class Z3:
    """Every operation is an expression and when it is defined."""

    name = "Z3"
    timeout_ms = 2000  # of each of the two checks; Python's timer cannot stop it

    def __init__(self, question):
        import z3

        self.z3, self.divisions, self.query = z3, [], question.query
        self.solver = z3.Solver()
        self.solver.set("timeout", self.timeout_ms)
        self.symbols = {s.name: self.declare(s) for s in question.symbols}
        for fact in question.facts:
            value, defined = self.build(fact)
            self.solver.add(value, defined)
        self.add_divisions()

    @classmethod
    def version(cls):
        import z3

        return z3.get_version_string()

    def declare(self, symbol):
        if symbol.is_bool:
            return self.z3.Bool(symbol.name)
        result = self.z3.Int(symbol.name)
        if symbol.low is not None:
            self.solver.add(result >= symbol.low)
        if symbol.high is not None:
            self.solver.add(result <= symbol.high)
        if symbol.divisor > 1:
            self.solver.add(result % symbol.divisor == 0)
        return result

    def add_divisions(self):
        self.solver.add(*self.divisions)
        self.divisions = []

    def divide(self, a, b):
        """Python's quotient and remainder; anything where b is 0."""
        z3 = self.z3
        quotient, rest = z3.FreshInt(), z3.FreshInt()
        self.divisions += [
            z3.Implies(b != 0, a == b * quotient + rest),
            z3.Implies(b > 0, z3.And(rest >= 0, rest < b)),
            z3.Implies(b < 0, z3.And(rest <= 0, rest > b)),
        ]
        return quotient, rest

    def build_lazy(self, is_and, parts):
        z3 = self.z3
        value, defined = parts[-1]
        for first, first_defined in reversed(parts[:-1]):
            goes_on = first if is_and else z3.Not(first)
            defined = z3.And(first_defined, z3.Implies(goes_on, defined))
            value = z3.And(first, value) if is_and else z3.Or(first, value)
        return value, defined

    def build_division(self, kind, a, b):
        quotient, rest = self.divide(-a if kind == "ceildiv" else a, b)
        if kind == "mod":
            return rest, b != 0
        if kind == "exact_div":
            return quotient, self.z3.And(b != 0, rest == 0)
        return (-quotient if kind == "ceildiv" else quotient), b != 0

    def build(self, expr):
        z3, kind = self.z3, expr[0]
        always = z3.BoolVal(True)
        if kind in ("const", "bool"):
            return (z3.IntVal if kind == "const" else z3.BoolVal)(expr[1]), always
        if kind == "symbol":
            return self.symbols[expr[1]], always
        if kind == "**":
            base, defined = self.build(expr[1])
            power = functools.reduce(operator.mul, [base] * expr[2], z3.IntVal(1))
            return power, defined
        parts = [self.build(x) for x in expr[1:]]
        if kind in ("and", "or"):
            return self.build_lazy(kind == "and", parts)
        values = [value for value, _ in parts]
        if kind == "select":
            chosen = z3.If(values[0], parts[1][1], parts[2][1])
            return z3.If(*values), z3.And(parts[0][1], chosen)
        defined = z3.And([d for _, d in parts])
        if kind in ("floordiv", "ceildiv", "mod", "exact_div"):
            value, is_defined = self.build_division(kind, *values)
            return value, z3.And(defined, is_defined)
        if kind in ("min", "max"):
            better = operator.le if kind == "min" else operator.ge
            pick = lambda a, b: z3.If(better(a, b), a, b)
            return functools.reduce(pick, values), defined
        if kind == "abs":
            return z3.If(values[0] >= 0, values[0], -values[0]), defined
        if kind == "not":
            return z3.Not(values[0]), defined
        return ARITHMETIC[kind](*values), defined

    def excludes(self, condition):
        self.solver.push()
        self.solver.add(condition)
        result = self.solver.check() == self.z3.unsat
        self.solver.pop()
        return result

    def decide(self):
        value, defined = self.build(self.query)
        self.add_divisions()
        never_false = self.excludes(self.z3.Not(self.z3.And(defined, value)))
        never_true = self.excludes(self.z3.Or(self.z3.Not(defined), value))
        if never_false and never_true:
            return "contradiction"
        return "yes" if never_false else "no" if never_true else "unknown"


# ---------------------------------------------------------------------------- #
# SymPy
# ---------------------------------------------------------------------------- #


class SymPy(Builder):
    """Integer symbols with signs; equalities put in; expand, then simplify.

    Inequalities are not used: `ask` with the facts took a second for a question
    and decided none of a sample that this leaves open.
    """

    name = "SymPy"

    def __init__(self, question):
        import sympy

        self.sympy, self.query = sympy, question.query
        self.operators = self.make_operators()
        self.symbols = {}
        for symbol in question.symbols:
            self.symbols[symbol.name] = self.declare(symbol)
        for fact in question.facts:
            self.assume(fact)

    @classmethod
    def version(cls):
        import sympy

        return sympy.__version__

    def make_operators(self):
        sympy = self.sympy
        return ARITHMETIC | {
            "==": self.equal,
            "!=": lambda a, b: sympy.Not(self.equal(a, b)),
            "floordiv": lambda a, b: sympy.floor(a / sympy.sympify(b)),
            "ceildiv": lambda a, b: sympy.ceiling(a / sympy.sympify(b)),
            "exact_div": lambda a, b: a / sympy.sympify(b),
            "mod": lambda a, b: sympy.Mod(a, b),
            "min": sympy.Min,
            "max": sympy.Max,
            "abs": sympy.Abs,
            "select": lambda c, a, b: sympy.Piecewise((a, c), (b, True)),
            "and": sympy.And,
            "or": sympy.Or,
            "not": sympy.Not,
        }

    def declare(self, symbol):
        if symbol.is_bool:
            return self.sympy.Symbol(symbol.name)
        signs = {"integer": True}
        if symbol.low is not None and symbol.low >= 0:
            signs["positive" if symbol.low > 0 else "nonnegative"] = True
        if symbol.high is not None and symbol.high < 0:
            signs["negative"] = True
        result = self.sympy.Symbol(symbol.name, **signs)
        return symbol.divisor * result if symbol.divisor > 1 else result

    def equal(self, a, b):
        logic = self.sympy.logic.boolalg
        kinds = (bool, logic.BooleanAtom, logic.BooleanFunction)
        kinds += (self.sympy.core.relational.Relational,)
        if isinstance(a, kinds) or isinstance(b, kinds):
            return self.sympy.Equivalent(a, b)
        return self.sympy.Eq(a, b)

    def assume(self, fact):
        if fact[0] == "and":
            for part in fact[1:]:
                self.assume(part)
            return
        if fact[0] == "==" and fact[1][0] == "symbol":
            old, new = self.build(fact[1]), self.build(fact[2])
            if old.is_Symbol and not new.has(old):
                for name, value in self.symbols.items():
                    self.symbols[name] = value.subs(old, new)

    def from_sign(self, relation, difference):
        """Whether `difference relation 0` follows from what SymPy assumes."""
        sign = {
            "==": difference.is_zero,
            "!=": difference.is_nonzero,
            "<": difference.is_negative,
            "<=": difference.is_nonpositive,
            ">": difference.is_positive,
            ">=": difference.is_nonnegative,
        }
        return sign[relation]

    def find_truth(self):
        query = self.build(self.query)
        if query in (True, False, self.sympy.true, self.sympy.false):
            return bool(query)
        if self.query[0] not in ("==", "!=", "<", "<=", ">", ">="):
            simple = self.sympy.simplify_logic(query)
            is_known = simple in (self.sympy.true, self.sympy.false)
            return bool(simple) if is_known else None
        relation, left, right = self.query[0], *map(self.build, self.query[1:])
        truth = self.from_sign(relation, self.sympy.expand(left - right))
        if truth is not None:
            return truth
        return self.from_sign(relation, self.sympy.simplify(left - right))

    def decide(self):
        truth = self.find_truth()
        return "unknown" if truth is None else "yes" if truth else "no"


# ---------------------------------------------------------------------------- #
# torch's ShapeEnv
# ---------------------------------------------------------------------------- #


class ShapeEnv(Builder):
    """Unbacked symbols; facts by torch._check; then statically_known_true."""

    name = "torch ShapeEnv"

    def __init__(self, question):
        import torch
        from torch.fx.experimental import symbolic_shapes

        self.torch, self.query = torch, question.query
        self.known_true = symbolic_shapes.statically_known_true
        self.operators = self.make_operators(symbolic_shapes)
        self.env, self.symbols = symbolic_shapes.ShapeEnv(), {}
        self.is_contradiction = False
        for symbol in question.symbols:
            self.symbols[symbol.name] = self.declare(symbol)
        for fact in question.facts:
            self.assume(self.build(fact))

    @classmethod
    def version(cls):
        import torch

        return torch.__version__

    def make_operators(self, shapes):
        torch = self.torch
        ite = lambda c, a, b: (
            (a if c else b) if isinstance(c, bool) else torch.sym_ite(c, a, b)
        )
        return ARITHMETIC | {
            "floordiv": operator.floordiv,
            "ceildiv": lambda a, b: -((-a) // b),
            "exact_div": operator.floordiv,
            "mod": operator.mod,
            "min": lambda *x: functools.reduce(torch.sym_min, x),
            "max": lambda *x: functools.reduce(torch.sym_max, x),
            "abs": abs,
            "select": ite,
            "and": lambda *x: functools.reduce(shapes.sym_and, x),
            "or": lambda *x: functools.reduce(shapes.sym_or, x),
            "not": torch.sym_not,
        }

    def declare(self, symbol):
        if symbol.is_bool:
            return self.env.create_unbacked_symbool()
        result = self.env.create_unbacked_symint()
        if symbol.low is not None:
            self.assume(result >= symbol.low)
        if symbol.high is not None:
            self.assume(result <= symbol.high)
        if symbol.divisor > 1:
            self.assume(result % symbol.divisor == 0)
        return result

    def assume(self, fact):
        try:
            self.torch._check(fact)
        except RuntimeError:
            self.is_contradiction = True

    def decide(self):
        if self.is_contradiction:
            return "contradiction"
        query = self.build(self.query)
        if self.known_true(query):
            return "yes"
        return "no" if self.known_true(self.torch.sym_not(query)) else "unknown"


ENGINES = (Z3, SymPy, ShapeEnv)
