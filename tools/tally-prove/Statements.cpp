//===- Statements.cpp - The lines that tally-prove reads ------------------===//
//
// Cuts lines into their parts and reads declarations.
//
//===----------------------------------------------------------------------===//

#include "Statements.h"

#include "tally/Symbolic/Text/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tally;
using namespace tally::prove;
using llvm::SmallVector;
using llvm::StringRef;
using symbolic::Bound;
using symbolic::DynamicAPInt;

bool prove::isQuery(Keyword keyword) { return keyword >= Keyword::Prove; }

static bool isNamePart(char c) { return llvm::isAlnum(c) || c == '_'; }

static Keyword findKeyword(StringRef word) {
  return llvm::StringSwitch<Keyword>(word)
      .Case("symbol", Keyword::Symbol)
      .Case("int", Keyword::Int)
      .Case("float", Keyword::Float)
      .Case("bool", Keyword::Bool)
      .Case("fact", Keyword::Fact)
      .Case("push", Keyword::Push)
      .Case("pop", Keyword::Pop)
      .Case("reset", Keyword::Reset)
      .Case("prove", Keyword::Prove)
      .Case("equal", Keyword::Equal)
      .Case("simplify", Keyword::Simplify)
      .Case("range", Keyword::Range)
      .Case("divisors", Keyword::Divisors)
      .Case("solve", Keyword::Solve)
      .Case("eval", Keyword::Eval)
      .Default(Keyword::Unknown);
}

Statement::Statement(StringRef text) : text(text.rtrim()) {
  line = text.substr(0, text.find("//")).rtrim();
  StringRef trimmed = line.ltrim();
  word = trimmed.take_while(isNamePart);
  if (word.empty())
    word = trimmed.take_until([](char c) { return llvm::isSpace(c); });
  rest = trimmed.drop_front(word.size()).ltrim();
  if (!trimmed.empty())
    keyword = findKeyword(word);
}

bool Statement::hasDoubtfulComment() const {
  size_t comment = text.find("//", line.size());
  return comment != StringRef::npos && comment <= line.size() + 1 &&
         (keyword == Keyword::Fact || isQuery(keyword)) && !rest.empty();
}

SmallVector<StringRef, 2>
prove::readCommentAsDivision(const Statement &statement) {
  size_t comment = statement.text.find("//", statement.line.size());
  StringRef all = statement.text.drop_front(statement.offsetOf(statement.rest));
  SmallVector<StringRef, 2> operands;
  for (size_t end : {StringRef::npos, statement.text.find("//", comment + 2)}) {
    StringRef text = all.take_front(end - statement.offsetOf(all));
    for (StringRef word : {"from", "with"}) {
      auto [before, after] = splitAtWord(text, word);
      text =
          after.data() && statement.offsetOf(after) <= comment ? after : before;
    }
    for (StringRef operand : splitAtCommas(text))
      if (statement.offsetOf(operand) <= comment)
        text = operand;
    operands.push_back(text);
  }
  return operands;
}

bool prove::isValidName(StringRef name) {
  return symbolic::isValidSymbolName(name) &&
         findKeyword(name) == Keyword::Unknown && name != "in" &&
         name != "divisible" && name != "with" && name != "from";
}

SmallVector<StringRef, 2> prove::splitAtCommas(StringRef text) {
  SmallVector<StringRef, 2> parts;
  unsigned depth = 0;
  size_t begin = 0;
  for (auto [i, c] : llvm::enumerate(text)) {
    if (c == '(')
      ++depth;
    else if (c == ')' && depth != 0)
      --depth;
    if (c != ',' || depth != 0)
      continue;
    parts.push_back(text.slice(begin, i).trim());
    begin = i + 1;
  }
  parts.push_back(text.drop_front(begin).trim());
  return parts;
}

std::pair<StringRef, StringRef> prove::splitAtWord(StringRef text,
                                                   StringRef word) {
  size_t end = 0;
  for (size_t at = text.find(word); at != StringRef::npos;
       at = text.find(word, end)) {
    end = at + word.size();
    if ((at != 0 && isNamePart(text[at - 1])) ||
        (end < text.size() && isNamePart(text[end])))
      continue;
    return {text.substr(0, at).rtrim(), text.drop_front(end).ltrim()};
  }
  return {text, StringRef()};
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

namespace {

/// Reads a declaration from left to right.
class DeclarationParser {
public:
  DeclarationParser(const Statement &statement, Failure &failure)
      : statement(statement), rest(statement.rest), failure(failure) {}

  bool parse(Declaration &declaration);

private:
  /// Makes a fact of the name of a symbol.
  using FactMaker = llvm::function_ref<std::string(StringRef symbol)>;

  bool parseNames(Declaration &declaration);
  bool parseRange(Declaration &declaration);
  bool parseBound(Bound &bound, StringRef infinity, FactMaker makeFact);
  bool parseDivisor(Declaration &declaration);
  /// `makeFact` says as a fact what a literal says here.
  std::optional<DynamicAPInt> parseNumber(FactMaker makeFact);

  /// Takes a word or punctuation off the rest.
  bool consume(StringRef expected);
  bool fail(StringRef at, const llvm::Twine &message) {
    failure = {statement.offsetOf(at), message.str()};
    return false;
  }

  const Statement &statement;
  StringRef rest;
  Failure &failure;
};

} // namespace

bool DeclarationParser::consume(StringRef expected) {
  if (!rest.starts_with(expected))
    return false;
  StringRef after = rest.drop_front(expected.size());
  if (isNamePart(expected.back()) && !after.empty() &&
      isNamePart(after.front()))
    return false;
  rest = after.ltrim();
  return true;
}

bool DeclarationParser::parseNames(Declaration &declaration) {
  do {
    StringRef name = rest.take_while(isNamePart);
    if (name.empty())
      return fail(rest, "expected a name");
    if (!isValidName(name))
      return fail(name, llvm::isDigit(name.front())
                            ? "'" + name + "' is not a name"
                            : "'" + name + "' is a keyword");
    if (llvm::is_contained(declaration.names, name))
      return fail(name, "'" + name + "' is declared twice");
    declaration.names.push_back(name);
    rest = rest.drop_front(name.size()).ltrim();
  } while (consume(","));
  return true;
}

std::optional<DynamicAPInt> DeclarationParser::parseNumber(FactMaker makeFact) {
  symbolic::ExprContext scratch;
  size_t consumed = 0;
  StringRef symbol;
  auto resolve = [&](StringRef name) {
    symbol = name;
    return symbolic::Expr();
  };
  symbolic::ParseResult result = symbolic::parseExprPrefix(
      rest, scratch, resolve, consumed, /*allowComparison=*/false);
  if (!result) {
    fail(rest.drop_front(result.errorOffset),
         symbol.empty() ? result.errorMessage
                        : "expected a literal; with symbols, write a fact, "
                          "such as '" +
                              makeFact(symbol) + "'");
    return std::nullopt;
  }
  if (!(*result).isConstant()) {
    fail(rest, "expected an integer");
    return std::nullopt;
  }
  rest = rest.drop_front(consumed).ltrim();
  return (*result).getConstant();
}

bool DeclarationParser::parseBound(Bound &bound, StringRef infinity,
                                   FactMaker makeFact) {
  StringRef at = rest;
  for (StringRef spelling : {"-inf", "inf"})
    if (consume(spelling))
      return spelling == infinity ||
             fail(at, "no number is in a range with this end");
  bound = parseNumber(makeFact);
  return bound.has_value();
}

/// How to write what is none of the restrictions of a declaration.
static std::string suggestRestriction(StringRef text) {
  if (text.consume_front("%") || text.consume_front("mod "))
    return "; write 'divisible by " +
           text.ltrim().take_while(llvm::isDigit).str() + "'";
  if (!text.empty() && StringRef("<>=!").contains(text.front()))
    return "; write a fact";
  return "";
}

bool DeclarationParser::parseRange(Declaration &declaration) {
  StringRef at = rest;
  if (!consume("in"))
    return fail(at, "expected 'in', 'divisible by' or the end" +
                        suggestRestriction(rest));
  if (declaration.range)
    return fail(at, "the range is given twice");
  Bound lower, upper;
  bool isOpen = consume("(");
  if (!isOpen && !consume("["))
    return fail(rest, "expected '[' or '('");
  StringRef name = declaration.names[0];
  auto makeLower = [&](StringRef symbol) {
    return ("fact " + symbol + (isOpen ? " < " : " <= ") + name).str();
  };
  if (!parseBound(lower, "-inf", makeLower))
    return false;
  if (lower && isOpen)
    *lower += 1;
  if (!consume(","))
    return fail(rest, "expected ','");
  auto makeUpper = [&](StringRef symbol) {
    return ("fact " + name + " <= " + symbol).str();
  };
  if (!parseBound(upper, "inf", makeUpper))
    return false;
  isOpen = consume(")");
  if (!isOpen && !consume("]"))
    return fail(rest, "expected ']' or ')'");
  if (upper && isOpen)
    *upper -= 1;
  declaration.range = symbolic::Interval(lower, upper);
  return true;
}

bool DeclarationParser::parseDivisor(Declaration &declaration) {
  if (declaration.divisor)
    return fail(rest, "the divisor is given twice");
  consume("divisible");
  if (!consume("by"))
    return fail(rest, "expected 'by'");
  StringRef at = rest;
  declaration.divisor = parseNumber([&](StringRef symbol) {
    return ("fact " + declaration.names[0] + " mod " + symbol + " == 0").str();
  });
  if (!declaration.divisor)
    return false;
  return *declaration.divisor > 0 || fail(at, "a divisor is at least 1");
}

bool DeclarationParser::parse(Declaration &declaration) {
  if (!parseNames(declaration))
    return false;
  bool hasRestrictions =
      statement.keyword == Keyword::Symbol || statement.keyword == Keyword::Int;
  while (!rest.empty()) {
    if (!hasRestrictions)
      return fail(rest, "expected the end: only integers have a range or a "
                        "divisor");
    bool isDivisor = rest.take_while(isNamePart) == "divisible";
    if (isDivisor ? !parseDivisor(declaration) : !parseRange(declaration))
      return false;
  }
  return true;
}

bool prove::parseDeclaration(const Statement &statement,
                             Declaration &declaration, Failure &failure) {
  return DeclarationParser(statement, failure).parse(declaration);
}
