"""Reads the questions of test/Strength: the grammar of tally-prove in Python.

An expression is a tuple of an operator and its operands; operators are spelled
as in the text. `const`, `bool` and `symbol` are the leaves.
"""

import dataclasses
import pathlib
import re

FUNCTIONS = ("min", "max", "abs", "select", "exact_div")
WORDS = FUNCTIONS + ("and", "or", "not", "true", "false", "floordiv", "ceildiv", "mod")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z_]\w*)|(\*\*|<<|>>|[=!<>]=|[-+*<>(),]))")
DECLARATION = re.compile(
    r"(symbol|int|bool) (\w+(?:, \w+)*)"
    r"(?: in \[([^,]+), ([^\]]+)\])?(?: divisible by (\d+))?$"
)
QUESTION = re.compile(r"(prove|equal) (.*?)\s*//\s*(\w+)")


@dataclasses.dataclass
class Symbol:
    name: str
    is_bool: bool
    low: int | None
    high: int | None
    divisor: int


@dataclasses.dataclass
class Question:
    key: str  # FILE:LINE
    family: str
    symbols: list
    facts: list  # expressions
    fact_texts: list
    query: tuple
    query_text: str
    answer: str


class Parser:
    """Recursive descent over the tokens of one expression."""

    def __init__(self, text):
        self.text, self.at, self.tokens = text, 0, []
        position, text = 0, text.rstrip()
        while position < len(text):
            match = TOKEN.match(text, position)
            if not match:
                raise SyntaxError(f"at {position} of {text!r}")
            position = match.end()
            self.tokens.append(match[1] or match[2] or match[3])

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, *wanted):
        token = self.peek()
        if wanted and token not in wanted:
            return None
        self.at += 1
        return token

    def need(self, token):
        if not self.take(token):
            raise SyntaxError(f"expected {token} in {self.text!r}")

    def parse_all(self):
        result = self.parse_or()
        if self.peek() is not None:
            raise SyntaxError(f"unexpected {self.peek()} in {self.text!r}")
        return result

    def parse_list(self, operator, parse_operand):
        operands = [parse_operand()]
        while self.take(operator):
            operands.append(parse_operand())
        return (operator, *operands) if len(operands) > 1 else operands[0]

    def parse_or(self):
        return self.parse_list("or", self.parse_and)

    def parse_and(self):
        return self.parse_list("and", self.parse_not)

    def parse_not(self):
        return ("not", self.parse_not()) if self.take("not") else self.parse_compare()

    def parse_compare(self):
        left, links = self.parse_shift(), []
        while operator := self.take(*COMPARISONS):
            right = self.parse_shift()
            links.append((operator, left, right))
            left = right
        if not links:
            return left
        return ("and", *links) if len(links) > 1 else links[0]

    def parse_shift(self):
        result = self.parse_sum()
        while operator := self.take("<<", ">>"):
            factor = ("const", 2 ** self.parse_sum()[1])
            result = ("*" if operator == "<<" else "floordiv", result, factor)
        return result

    def parse_sum(self):
        result = self.parse_product()
        while operator := self.take("+", "-"):
            result = (operator, result, self.parse_product())
        return result

    def parse_product(self):
        result = self.parse_unary()
        while operator := self.take("*", "floordiv", "ceildiv", "mod"):
            result = (operator, result, self.parse_unary())
        return result

    def parse_unary(self):
        if not self.take("-"):
            return self.parse_power()
        operand = self.parse_unary()
        return ("const", -operand[1]) if operand[0] == "const" else ("neg", operand)

    def parse_power(self):
        base = self.parse_primary()
        return ("**", base, self.parse_unary()[1]) if self.take("**") else base

    def parse_primary(self):
        token = self.take()
        if token is None:
            raise SyntaxError(f"unexpected end of {self.text!r}")
        if token.isdigit():
            return ("const", int(token))
        if token in ("true", "false"):
            return ("bool", token == "true")
        if token == "(":
            result = self.parse_or()
            self.need(")")
            return result
        if token in FUNCTIONS:
            self.need("(")
            arguments = [self.parse_or()]
            while self.take(","):
                arguments.append(self.parse_or())
            self.need(")")
            return (token, *arguments)
        if token in WORDS or not token.isidentifier():
            raise SyntaxError(f"unexpected {token} in {self.text!r}")
        return ("symbol", token)


def parse(text):
    return Parser(text).parse_all()


def parse_query(keyword, text):
    if keyword == "prove":
        return parse(text)
    parser = Parser(text)
    left = parser.parse_or()
    parser.need(",")
    return ("==", left, parser.parse_all())


def read_bound(text, default):
    if text is None:
        return default
    return None if text.strip() in ("inf", "-inf") else int(text)


def read_declaration(line):
    match = DECLARATION.match(line)
    if not match:
        raise SyntaxError(line)
    kind, names, low, high, divisor = match.groups()
    low = read_bound(low, 0 if kind == "symbol" else None)
    high = read_bound(high, None)
    for name in names.split(", "):
        yield Symbol(name, kind == "bool", low, high, int(divisor or 1))


def read_file(path):
    symbols, facts, texts, questions = [], [], [], []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        word, _, rest = line.partition(" ")
        if word == "reset":
            symbols, facts, texts = [], [], []
        elif word in ("symbol", "int", "bool"):
            symbols = symbols + list(read_declaration(line))
        elif word == "fact":
            facts, texts = facts + [parse(rest)], texts + [rest]
        elif match := QUESTION.match(line):
            keyword, text, answer = match.groups()
            key, query = f"{path.name}:{number}", parse_query(keyword, text)
            entry = (symbols, facts, texts, query, f"{keyword} {text}", answer)
            questions.append(Question(key, path.stem, *entry))
        elif line and not line.startswith("//"):
            raise SyntaxError(f"{path}:{number}: {line}")
    return questions


def read_directory(folder):
    files = sorted(pathlib.Path(folder).glob("*.prove"))
    return [question for path in files for question in read_file(path)]
