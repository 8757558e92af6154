//===- SymPyCalls.cpp - Texts of SymPy as calls ---------------------------===//

#include "SymPyCalls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tally::symbolic;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// srepr
//===----------------------------------------------------------------------===//

namespace {

class SreprParser {
public:
  explicit SreprParser(StringRef text) : rest(text) {}

  bool parse(SymPyCall &call) {
    return parseCall(call, 0) && rest.ltrim().empty();
  }

private:
  bool consume(char c) {
    rest = rest.ltrim();
    return rest.consume_front(StringRef(&c, 1));
  }

  bool parseCall(SymPyCall &call, unsigned depth) {
    if (depth > kMaxSymPyNesting)
      return false;
    if (consume('\'')) {
      size_t end = rest.find('\'');
      if (end == StringRef::npos)
        return false;
      call.head = rest.take_front(end);
      call.isString = true;
      rest = rest.drop_front(end + 1);
      return true;
    }
    call.head = rest.take_while([](char c) {
      return llvm::isAlnum(c) || c == '_' || c == '.' || c == '-' || c == '+';
    });
    rest = rest.drop_front(call.head.size());
    if (call.head.empty())
      return false;
    return !consume('(') || parseArguments(call, depth);
  }

  bool parseArguments(SymPyCall &call, unsigned depth) {
    if (consume(')'))
      return true;
    do {
      SymPyCall argument;
      if (!parseCall(argument, depth + 1))
        return false;
      if (!consume('=')) {
        call.args.push_back(std::move(argument));
        continue;
      }
      SymPyCall value;
      if (!parseCall(value, depth + 1))
        return false;
      call.keywords.push_back({argument.head, value.head});
    } while (consume(','));
    return consume(')');
  }

  StringRef rest;
};

//===----------------------------------------------------------------------===//
// Infix
//===----------------------------------------------------------------------===//

/// Python's grammar, as far as SymPy prints it. Each function reads operands
/// that bind more tightly than its operators.
class InfixParser {
public:
  explicit InfixParser(StringRef text) : rest(text) {}

  bool parse(SymPyCall &call) { return parseOr(call) && rest.ltrim().empty(); }

private:
  using Rule = bool (InfixParser::*)(SymPyCall &);

  bool consume(StringRef op) {
    rest = rest.ltrim();
    if (!rest.starts_with(op))
      return false;
    // A word ends where the letters do.
    if (llvm::isAlpha(op.front()) && rest.size() > op.size() &&
        isNamePart(rest[op.size()]))
      return false;
    rest = rest.drop_front(op.size());
    return true;
  }
  static bool isNamePart(char c) { return llvm::isAlnum(c) || c == '_'; }

  bool parseOr(SymPyCall &call);
  bool parseAnd(SymPyCall &call);
  bool parseNot(SymPyCall &call);
  bool parseComparison(SymPyCall &call);
  bool parseBitOr(SymPyCall &call);
  bool parseBitAnd(SymPyCall &call);
  bool parseSum(SymPyCall &call);
  bool parseProduct(SymPyCall &call);
  bool parseUnary(SymPyCall &call);
  bool parsePower(SymPyCall &call);
  bool parsePrimary(SymPyCall &call);
  bool parseNumber(SymPyCall &call);
  bool parseName(SymPyCall &call);
  bool parseArguments(SymPyCall &call);
  bool parseList(SymPyCall &call, StringRef head, Rule operand,
                 llvm::ArrayRef<StringRef> operators);

  StringRef rest;
  unsigned depth = 0;
};

} // namespace

static SymPyCall makeInteger(StringRef digits) {
  return SymPyCall::of("Integer", SymPyCall(digits));
}
static SymPyCall negate(SymPyCall call) {
  return SymPyCall::of("Mul", makeInteger("-1"), std::move(call));
}

/// Operands with one of the operators between them, as arguments of one call.
bool InfixParser::parseList(SymPyCall &call, StringRef head, Rule operand,
                            llvm::ArrayRef<StringRef> operators) {
  if (!(this->*operand)(call))
    return false;
  SymPyCall list(head);
  while (llvm::any_of(operators, [&](StringRef op) { return consume(op); })) {
    list.args.emplace_back();
    if (!(this->*operand)(list.args.back()))
      return false;
  }
  if (list.args.empty())
    return true;
  list.args.insert(list.args.begin(), std::move(call));
  call = std::move(list);
  return true;
}

bool InfixParser::parseOr(SymPyCall &call) {
  return parseList(call, "Or", &InfixParser::parseAnd, {"or"});
}
bool InfixParser::parseAnd(SymPyCall &call) {
  return parseList(call, "And", &InfixParser::parseNot, {"and"});
}

bool InfixParser::parseNot(SymPyCall &call) {
  if (!consume("not"))
    return parseComparison(call);
  SymPyCall operand;
  if (++depth > kMaxSymPyNesting || !parseNot(operand))
    return false;
  --depth;
  call = SymPyCall::of("Not", std::move(operand));
  return true;
}

/// A chain means each of its links.
bool InfixParser::parseComparison(SymPyCall &call) {
  static const std::pair<StringRef, StringRef> operators[] = {
      {"==", "Eq"}, {"!=", "Ne"}, {"<=", "Le"},
      {">=", "Ge"}, {"<", "Lt"},  {">", "Gt"}};
  if (!parseBitOr(call))
    return false;
  SymPyCall left = std::move(call), chain("And");
  while (true) {
    const auto *op = llvm::find_if(
        operators, [&](const auto &entry) { return consume(entry.first); });
    if (op == std::end(operators))
      break;
    SymPyCall right;
    if (!parseBitOr(right))
      return false;
    chain.args.push_back(SymPyCall::of(op->second, std::move(left), right));
    left = std::move(right);
  }
  if (chain.args.empty())
    call = std::move(left);
  else if (chain.args.size() == 1)
    call = std::move(chain.args.front());
  else
    call = std::move(chain);
  return true;
}

bool InfixParser::parseBitOr(SymPyCall &call) {
  return parseList(call, "Or", &InfixParser::parseBitAnd, {"|"});
}
bool InfixParser::parseBitAnd(SymPyCall &call) {
  return parseList(call, "And", &InfixParser::parseSum, {"&"});
}

bool InfixParser::parseSum(SymPyCall &call) {
  if (!parseProduct(call))
    return false;
  SymPyCall sum("Add");
  while (true) {
    bool isMinus = consume("-");
    if (!isMinus && !consume("+"))
      break;
    SymPyCall term;
    if (!parseProduct(term))
      return false;
    sum.args.push_back(isMinus ? negate(std::move(term)) : std::move(term));
  }
  if (sum.args.empty())
    return true;
  sum.args.insert(sum.args.begin(), std::move(call));
  call = std::move(sum);
  return true;
}

/// `*` and `/` make one product; `//` and `%` take what is before them.
bool InfixParser::parseProduct(SymPyCall &call) {
  if (!parseUnary(call))
    return false;
  unsigned outside = depth;
  SymPyCall product = SymPyCall::of("Mul", std::move(call));
  auto finish = [&] {
    return product.args.size() == 1 ? std::move(product.args.front())
                                    : std::move(product);
  };
  while (true) {
    rest = rest.ltrim();
    if (rest.starts_with("**"))
      return false;
    bool isFloorDiv = consume("//"), isMod = !isFloorDiv && consume("%");
    bool isDivision = !isFloorDiv && !isMod && consume("/");
    if (!isFloorDiv && !isMod && !isDivision && !consume("*"))
      break;
    SymPyCall operand;
    if (!parseUnary(operand))
      return false;
    if (isFloorDiv || isMod) {
      if (++depth > kMaxSymPyNesting)
        return false;
      StringRef head = isMod ? "PythonMod" : "FloorDiv";
      product = SymPyCall::of(
          "Mul", SymPyCall::of(head, finish(), std::move(operand)));
    } else if (isDivision) {
      product.args.push_back(
          SymPyCall::of("Pow", std::move(operand), makeInteger("-1")));
    } else {
      product.args.push_back(std::move(operand));
    }
  }
  call = finish();
  depth = outside;
  return true;
}

bool InfixParser::parseUnary(SymPyCall &call) {
  bool isMinus = consume("-"), isNot = !isMinus && consume("~");
  if (!isMinus && !isNot && !consume("+"))
    return parsePower(call);
  SymPyCall operand;
  if (++depth > kMaxSymPyNesting || !parseUnary(operand))
    return false;
  --depth;
  if (isMinus)
    call = negate(std::move(operand));
  else
    call =
        isNot ? SymPyCall::of("Not", std::move(operand)) : std::move(operand);
  return true;
}

bool InfixParser::parsePower(SymPyCall &call) {
  if (!parsePrimary(call))
    return false;
  if (!consume("**"))
    return true;
  SymPyCall exponent;
  if (++depth > kMaxSymPyNesting || !parseUnary(exponent))
    return false;
  --depth;
  call = SymPyCall::of("Pow", std::move(call), std::move(exponent));
  return true;
}

bool InfixParser::parsePrimary(SymPyCall &call) {
  rest = rest.ltrim();
  if (rest.empty() || ++depth > kMaxSymPyNesting)
    return false;
  bool isRead = false;
  if (consume("("))
    isRead = parseArguments(call) && call.args.size() == 1;
  else if (llvm::isDigit(rest.front()) || rest.front() == '.')
    return --depth, parseNumber(call);
  else
    return --depth, parseName(call);
  --depth;
  if (isRead) {
    SymPyCall inside = std::move(call.args.front());
    call = std::move(inside);
  }
  return isRead;
}

bool InfixParser::parseNumber(SymPyCall &call) {
  size_t size = 0;
  bool isFloat = false;
  auto skipDigits = [&] {
    while (size < rest.size() && llvm::isDigit(rest[size]))
      ++size;
  };
  skipDigits();
  if (size < rest.size() && rest[size] == '.') {
    isFloat = true;
    ++size;
    skipDigits();
  }
  if (size < rest.size() && (rest[size] == 'e' || rest[size] == 'E')) {
    isFloat = true;
    ++size;
    if (size < rest.size() && (rest[size] == '-' || rest[size] == '+'))
      ++size;
    skipDigits();
  }
  StringRef digits = rest.take_front(size);
  rest = rest.drop_front(size);
  call = SymPyCall::of(isFloat ? "Float" : "Integer", SymPyCall(digits));
  return true;
}

/// A function, or a symbol: a name, or a path like `L['x'].size()[0]`.
bool InfixParser::parseName(SymPyCall &call) {
  if (!llvm::isAlpha(rest.front()) && rest.front() != '_')
    return false;
  StringRef text = rest;
  StringRef name = text.take_while(isNamePart);
  rest = rest.drop_front(name.size());
  if (rest.starts_with("(")) {
    rest = rest.drop_front();
    call = SymPyCall(name);
    return parseArguments(call);
  }
  if (name == "True" || name == "true" || name == "False" || name == "false") {
    call = SymPyCall(name.lower() == "true" ? "true" : "false");
    return true;
  }
  if (name == "oo" || name == "inf" || name == "nan") {
    call = SymPyCall::of("Float", SymPyCall(name == "nan" ? "nan" : "inf"));
    return true;
  }
  while (!rest.empty() && (rest.front() == '[' || rest.front() == '.')) {
    if (rest.front() == '[') {
      size_t end = rest.find(']');
      if (end == StringRef::npos)
        return false;
      rest = rest.drop_front(end + 1);
      continue;
    }
    rest = rest.drop_front().drop_while(isNamePart);
    rest.consume_front("()");
  }
  SymPyCall path(text.drop_back(rest.size()));
  path.isString = true;
  call = SymPyCall::of("Symbol", std::move(path));
  call.keywords.push_back({"integer", "True"});
  return true;
}

/// Parses the arguments after an opening parenthesis. The arguments of
/// Piecewise are tuples.
bool InfixParser::parseArguments(SymPyCall &call) {
  if (++depth > kMaxSymPyNesting)
    return false;
  if (!consume(")")) {
    do {
      call.args.emplace_back();
      SymPyCall &argument = call.args.back();
      bool isTuple = call.head == "Piecewise";
      if (isTuple)
        argument.head = "Tuple";
      if (isTuple ? !consume("(") || !parseArguments(argument)
                  : !parseOr(argument))
        return false;
    } while (consume(","));
    if (!consume(")"))
      return false;
  }
  --depth;
  return true;
}

bool tally::symbolic::parseSreprCalls(StringRef text, SymPyCall &call) {
  return SreprParser(text).parse(call);
}

bool tally::symbolic::parseInfixCalls(StringRef text, SymPyCall &call) {
  return InfixParser(text).parse(call);
}
