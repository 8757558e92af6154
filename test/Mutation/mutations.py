"""Small changes of C++ sources that a test suite ought to notice.

`find_mutations` reads one file and lists every place where one of the operators below
applies. The sources are LLVM's style, formatted: a binary operator stands between
spaces, a template's bracket does not; so tokens are told apart without a parser. What
does not compile is sorted out by the caller.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    """One change: `old` at `column` of `line` (both from 1) becomes `new`."""

    path: str
    line: int
    column: int
    old: str
    new: str
    kind: str

    def apply(self, text):
        lines = text.split("\n")
        row = lines[self.line - 1]
        start = self.column - 1
        assert row[start : start + len(self.old)] == self.old, self
        lines[self.line - 1] = row[:start] + self.new + row[start + len(self.old) :]
        return "\n".join(lines)

    def describe(self):
        return f"{self.path}:{self.line}:{self.column}: {self.kind}: '{self.old}' -> '{self.new}'"

    def key(self, text):
        """What names the mutation as long as its line stands, wherever that is."""
        row = text.split("\n")[self.line - 1].strip()
        return f"{self.path} | {row} | {self.old} -> {self.new}"


# Kind, pattern (group 1 is what is replaced), replacement.
OPERATORS = [
    ("comparison", r" (<) (?!<)", "<="),
    ("comparison", r" (<=) ", "<"),
    ("comparison", r" (>) ", ">="),
    ("comparison", r" (>=) ", ">"),
    ("comparison", r" (==) ", "!="),
    ("comparison", r" (!=) ", "=="),
    ("connective", r" (&&) ", "||"),
    ("connective", r" (\|\|) ", "&&"),
    ("negation", r"[(&| ](!)(?=[a-zA-Z_(])", ""),
    ("off by one", r"( \+ 1)\b(?!\.)", ""),
    ("off by one", r"( - 1)\b(?!\.)", ""),
    ("off by one", r"= (0);", "1"),
    ("arithmetic", r"[\w)\]] (\+) (?!1\b)", "-"),
    ("arithmetic", r"[\w)\]] (-) (?!1\b)", "+"),
    ("result", r"\breturn (true);", "false"),
    ("result", r"\breturn (false);", "true"),
    ("result", r"\breturn (success\(\));", "failure()"),
    ("result", r"\breturn (failure\(\));", "success()"),
    ("quantifier", r"\b(any_of)\(", "all_of"),
    ("quantifier", r"\b(all_of)\(", "any_of"),
    ("extremum", r"\b(std::min)\b", "std::max"),
    ("extremum", r"\b(std::max)\b", "std::min"),
]

# A statement that is a line: a call, or an assignment to something that exists.
STATEMENT = re.compile(r"^\s+([a-zA-Z_][\w.\->\[\]:]*(?:\(.*\)| [-+|&]?= .*);)$")
NOT_DROPPED = re.compile(r"^\s*(return|using|assert|llvm_unreachable|static_assert|case|throw|delete|goto)\b")


def blank_out(text):
    """Replaces comments, literals and preprocessor lines by spaces; positions stay."""
    pattern = re.compile(
        r"//[^\n]*|/\*.*?\*/|R\"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'",
        re.DOTALL,
    )
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    text = pattern.sub(blank, text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.MULTILINE)


def find_in_line(path, number, row, code):
    for kind, pattern, new in OPERATORS:
        for match in re.finditer(pattern, code):
            yield Mutation(path, number, match.start(1) + 1, match.group(1), new, kind)
    match = STATEMENT.match(code)
    if match and not NOT_DROPPED.match(code):
        start = match.start(1)
        yield Mutation(path, number, start + 1, row[start:], ";", "statement dropped")


def find_mutations(path, text):
    """Every mutation of a file, from its first line to its last."""
    previous = ""
    found = []
    for number, (row, code) in enumerate(zip(text.split("\n"), blank_out(text).split("\n")), 1):
        mutations = find_in_line(path, number, row, code)
        # The second line of a statement is no statement.
        begins = not previous.strip() or previous.rstrip()[-1] in ";{}:)"
        found += [m for m in mutations if begins or m.kind != "statement dropped"]
        if code.strip():
            previous = code
    return found
