"""Small changes of C++ sources that a test suite ought to notice, compiled in beside the
code as it is.

`find_mutations` reads one file and lists every place where one of the operators below
applies; `instrument` writes some of them into the file, each behind a question that is
answered when the program runs. The sources are LLVM's style, formatted: a binary operator
stands between spaces, a template's bracket does not; so tokens are told apart without a
parser. What does not compile is sorted out by the caller.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    """One change: `old` at `column` of `line` (both from 1) becomes `new`.

    What runs either way is from `begin` to `end` in the file: the statement, or the
    smallest expression around that ends at a bracket, a comma or the like.
    """

    path: str
    line: int
    column: int
    old: str
    new: str
    kind: str
    begin: int
    end: int

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


COMMENT = r"//[^\n]*|/\*.*?\*/"
LITERAL = r"R\"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'"


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def blank_comments(text):
    """Replaces comments by spaces; positions stay."""
    keep = lambda match: blank(match) if match.group().startswith("/") else match.group()
    return re.sub(f"{COMMENT}|{LITERAL}", keep, text, flags=re.DOTALL)


def blank_out(text):
    """Replaces comments, literals and preprocessor lines by spaces; positions stay."""
    text = re.sub(f"{COMMENT}|{LITERAL}", blank, text, flags=re.DOTALL)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.MULTILINE)


def match_brackets(code):
    """Maps each bracket to its partner; those of templates follow a word."""
    partners, stack = {}, []
    for at, c in enumerate(code):
        before = code[at - 1 : at]
        if c in "([{" or (c == "<" and (before.isalnum() or before == "_") and code[at + 1 : at + 2] not in ("<", "=", " ")):
            stack.append(at)
        elif c == ">" and (before in " -" or not stack or code[stack[-1]] != "<"):
            continue
        elif c in ")]}>":
            while stack and code[stack[-1]] == "<" and c != ">":
                stack.pop()
            if stack:
                partners[at] = stack.pop()
                partners[partners[at]] = at
    return partners


# Where an expression ends, beside brackets.
SEPARATOR = re.compile(r"[,;?]|(?<!:):(?!:)|(?<![=!<>])=(?!=)|(?<=<<)=|(?<=>>)=")
KEYWORD = re.compile(r"\b(return|else|do|case|throw)\b")
# What is not compiled, or must be a constant.
NO_CHOICE = re.compile(r"\b(assert|static_assert|LLVM_DEBUG)\s*\(|\b(constexpr|case|enum|template)\b")


def find_extent(code, partners, begin, end):
    """The expression around a token, or None where there can be no choice."""
    left, right = begin, end
    while left > 0:
        at = left - 1
        if code[at] in ")]}>" and at in partners:
            opening = partners[at]
            # A block, or what an unbraced statement depends on, is before, not inside.
            if code[at] == "}" and code[left : left + 1] == "\n":
                break
            if code[at] == ")" and re.search(r"\b(if|for|while|switch|if constexpr) $", code[max(0, opening - 14) : opening]):
                break
            left = opening
        elif code[at] in "([{" or (code[at] == "<" and at in partners) or SEPARATOR.match(code, at):
            break
        else:
            left = at
    while right < len(code):
        if code[right] in "([{<" and right in partners:
            right = partners[right] + 1
        elif code[right] in ")]}" or (code[right] == ">" and right in partners) or SEPARATOR.match(code, right):
            break
        else:
            right += 1
    for keyword in KEYWORD.finditer(code, left, begin):
        left = keyword.end()
    statement = max(code.rfind(c, 0, begin) for c in ";{}")
    return None if NO_CHOICE.search(code, statement + 1, begin) else (left, right)


def trim(text, begin, end):
    part = text[begin:end]
    return begin + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def find_mutations(path, text):
    """Every mutation of a file, from its first line to its last."""
    code, kept = blank_out(text), blank_comments(text)
    partners = match_brackets(code)
    previous, start, found = "", 0, []
    for number, row in enumerate(code.split("\n"), 1):
        for kind, pattern, new in OPERATORS:
            for match in re.finditer(pattern, row):
                extent = find_extent(code, partners, start + match.start(1), start + match.end(1))
                if extent:
                    begin, end = trim(kept, *extent)
                    found.append(Mutation(path, number, match.start(1) + 1, match.group(1), new, kind, begin, end))
        match = STATEMENT.match(row)
        # The second line of a statement is no statement.
        begins = not previous.strip() or previous.rstrip()[-1] in ";{}:)"
        if match and begins and not NOT_DROPPED.match(row):
            begin, end = start + match.start(1), start + len(row.rstrip())
            old = text[begin:end]
            found.append(Mutation(path, number, match.start(1) + 1, old, ";", "statement dropped", begin, end))
        if row.strip():
            previous = row
        start += len(row) + 1
    return found


def instrument(text, mutations, header):
    """Writes mutations, by their numbers, into a file; they must not overlap. Lines stay."""
    kept = blank_comments(text)
    for number, mutation in sorted(mutations.items(), key=lambda entry: -entry[1].begin):
        begin, end = mutation.begin, mutation.end
        part = text[begin:end]
        if mutation.kind == "statement dropped":
            choice = f"{{ if (!TALLY_MUTANT({number})) {{ {part} }} }}"
        else:
            changed = mutation.apply(kept)
            changed = " ".join(changed[begin : end + len(changed) - len(kept)].split("\n"))
            choice = f"(TALLY_MUTANT({number}) ? ({changed}) : ({part}))"
        text = text[:begin] + choice + text[end:]
    return f'#include "{header}"\n#line 1\n{text}'
