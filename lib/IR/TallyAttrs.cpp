//===- TallyAttrs.cpp - Attributes of the tally dialect -------------------===//
//
// Every attribute is read from its raw text (ExprText.h) and written back in
// one canonical spelling.
//
//===----------------------------------------------------------------------===//

#include "ExprText.h"
#include "mlir/IR/DialectImplementation.h"
#include "tally/IR/Tally.h"
#include "tally/Symbolic/Text/Parser.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tally;
using tally::detail::Scanner;

#define GET_ATTRDEF_CLASSES
#include "tally/IR/Attributes/TallyAttrs.cpp.inc"

#include "tally/IR/Attributes/TallyEnums.cpp.inc"

/// The text between the `<` and `>` of the attribute that `parser` stands at.
/// MLIR hands a dialect the whole attribute and goes on behind it whatever was
/// read.
static StringRef getBody(AsmParser &parser) {
  StringRef spec = static_cast<DialectAsmParser &>(parser).getFullSymbolSpec();
  size_t start = spec.find('<');
  if (start == StringRef::npos)
    return StringRef(spec.end(), 0);
  return spec.drop_front(start + 1).rtrim().drop_back();
}

/// Reads a body with `parse`, which returns the attribute or null after an
/// error, and wants nothing to be left over.
template <typename ParseFn>
static Attribute parseBody(AsmParser &parser, ParseFn &&parse) {
  bool failed = false;
  auto onError = [&](const char *where, const Twine &message) {
    failed = true;
    parser.emitError(SMLoc::getFromPointer(where)) << message;
  };
  Scanner scanner(getBody(parser), onError);
  Attribute attr = parse(scanner);
  if (attr && !failed && !scanner.atEnd())
    scanner.fail("unexpected text '" + scanner.remaining() + "'");
  return failed ? Attribute() : attr;
}

/// Gets an attribute, with errors at the place of the scanner.
template <typename AttrT, typename... Args>
static AttrT getAt(AsmParser &parser, Args &&...args) {
  SMLoc loc = parser.getNameLoc();
  return AttrT::getChecked([&] { return parser.emitError(loc); },
                           parser.getContext(), std::forward<Args>(args)...);
}

/// Prints a quoted string with the escapes that the scanner knows.
static void printQuoted(AsmPrinter &printer, StringRef text) {
  printer << '"';
  for (char c : text) {
    if (c == '"' || c == '\\')
      printer << '\\';
    printer << c;
  }
  printer << '"';
}

//===----------------------------------------------------------------------===//
// ExprAttr and ShapeAttr
//===----------------------------------------------------------------------===//

LogicalResult ExprAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringRef text) {
  if (std::optional<std::string> problem = detail::findExprError(text))
    return emitError() << *problem;
  return success();
}

/// Prints an expression inside of an attribute.
static void printExpr(AsmPrinter &printer, StringRef text) {
  if (text.find_first_of("<>") == StringRef::npos)
    printer << text;
  else
    printQuoted(printer, text);
}

Attribute ExprAttr::parse(AsmParser &parser, Type) {
  return parseBody(parser, [&](Scanner &scanner) -> Attribute {
    std::optional<std::string> text = scanner.parseExprText();
    return text ? ExprAttr::get(parser.getContext(), *text) : Attribute();
  });
}

void ExprAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printExpr(printer, getText());
  printer << '>';
}

Attribute ShapeAttr::parse(AsmParser &parser, Type) {
  return parseBody(parser, [&](Scanner &scanner) -> Attribute {
    SmallVector<ExprAttr> sizes;
    while (!scanner.atEnd()) {
      std::optional<std::string> text = scanner.parseExprText();
      if (!text)
        return {};
      sizes.push_back(ExprAttr::get(parser.getContext(), *text));
      if (scanner.atEnd() || !scanner.parse(","))
        break;
      if (scanner.atEnd())
        scanner.fail("expected an expression after ','");
    }
    return ShapeAttr::get(parser.getContext(), sizes);
  });
}

void ShapeAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getSizes(), printer, [&](ExprAttr size) {
    printExpr(printer, size.getText());
  });
  printer << '>';
}

//===----------------------------------------------------------------------===//
// SymbolDeclAttr and SymbolsAttr
//===----------------------------------------------------------------------===//

SymbolDeclAttr SymbolDeclAttr::getBacked(MLIRContext *context, StringRef name,
                                         StringRef source) {
  return get(context, name, /*unbacked=*/false, SymbolType::Int, /*lower=*/0,
             /*upper=*/std::nullopt, /*divisor=*/1, /*hint=*/std::nullopt,
             source, /*assumed=*/false);
}

SymbolDeclAttr SymbolDeclAttr::getUnbacked(MLIRContext *context, StringRef name,
                                           std::optional<int64_t> lower,
                                           std::optional<int64_t> upper) {
  return get(context, name, /*unbacked=*/true, SymbolType::Int, lower, upper,
             /*divisor=*/1, /*hint=*/std::nullopt, /*source=*/"",
             /*assumed=*/false);
}

LogicalResult SymbolDeclAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, StringRef name, bool,
    SymbolType type, std::optional<int64_t> lower, std::optional<int64_t> upper,
    int64_t divisor, std::optional<int64_t>, StringRef, bool) {
  if (!symbolic::isValidSymbolName(name))
    return emitError() << "'" << name << "' cannot name a symbol";
  if (lower && upper && *lower > *upper)
    return emitError() << "the range of symbol '" << name << "' is empty: ["
                       << *lower << ", " << *upper << "]";
  if (divisor < 1)
    return emitError() << "the divisor of symbol '" << name
                       << "' must be at least 1, not " << divisor;
  bool hasFacts = lower || upper || divisor != 1;
  if (type != SymbolType::Int && hasFacts)
    return emitError() << "symbol '" << name << "' is a "
                       << stringifySymbolType(type)
                       << ": only integers have a range or a divisor";
  return success();
}

namespace {
/// The properties after the `:` of an entry; each is optional.
struct SymbolProperties {
  bool unbacked = false, assumed = false, hasRange = false;
  SymbolType type = SymbolType::Int;
  std::optional<int64_t> lower, upper, hint;
  int64_t divisor = 1;
  std::string source;
};
} // namespace

/// Reads one bound: an integer, `inf` or `-inf`.
static bool scanBound(Scanner &scanner, std::optional<int64_t> &bound) {
  if (scanner.consume("-inf") || scanner.consumeKeyword("inf"))
    return true;
  bound = scanner.parseInteger();
  return bound.has_value();
}

/// Reads one property; false after an error, nothing if there is none.
static std::optional<bool> scanProperty(Scanner &scanner,
                                        SymbolProperties &properties) {
  if (scanner.consumeKeyword("unbacked"))
    return properties.unbacked = true;
  if (scanner.consumeKeyword("assumed"))
    return properties.assumed = true;
  for (SymbolType type : {SymbolType::Float, SymbolType::Bool, SymbolType::Int})
    if (scanner.consumeKeyword(stringifySymbolType(type))) {
      properties.type = type;
      return true;
    }
  if (scanner.consume("[")) {
    properties.hasRange = true;
    return scanBound(scanner, properties.lower) && scanner.parse(",") &&
           scanBound(scanner, properties.upper) && scanner.parse("]");
  }
  if (scanner.consume("%")) {
    std::optional<int64_t> divisor = scanner.parseInteger();
    properties.divisor = divisor.value_or(1);
    return divisor.has_value();
  }
  if (scanner.consumeKeyword("hint")) {
    properties.hint = scanner.parseInteger();
    return properties.hint.has_value();
  }
  if (scanner.consumeKeyword("from")) {
    std::optional<std::string> source = scanner.parseString();
    properties.source = source.value_or("");
    return source.has_value();
  }
  return std::nullopt;
}

/// Reads `name (: property+)?`.
static SymbolDeclAttr scanSymbol(Scanner &scanner, AsmParser &parser) {
  std::optional<StringRef> name = scanner.parseName("the name of a symbol");
  if (!name)
    return {};
  SymbolProperties properties;
  if (scanner.consume(":")) {
    unsigned count = 0;
    for (;; ++count) {
      std::optional<bool> read = scanProperty(scanner, properties);
      if (!read)
        break;
      if (!*read)
        return {};
    }
    if (count == 0) {
      scanner.fail("expected a property of the symbol: 'unbacked', 'float', "
                   "'bool', 'assumed', '[lo, hi]', '% n', 'hint n' or 'from "
                   "\"text\"'");
      return {};
    }
  }
  bool isBackedInt = !properties.unbacked && properties.type == SymbolType::Int;
  if (isBackedInt && !properties.hasRange)
    properties.lower = 0;
  return getAt<SymbolDeclAttr>(
      parser, *name, properties.unbacked, properties.type, properties.lower,
      properties.upper, properties.divisor, properties.hint, properties.source,
      properties.assumed);
}

Attribute SymbolDeclAttr::parse(AsmParser &parser, Type) {
  return parseBody(parser, [&](Scanner &scanner) -> Attribute {
    return scanSymbol(scanner, parser);
  });
}

void SymbolDeclAttr::printEntry(AsmPrinter &printer) const {
  printer << getName();
  bool first = true;
  auto property = [&]() -> AsmPrinter & {
    printer << (first ? " : " : " ");
    first = false;
    return printer;
  };
  if (getUnbacked())
    property() << "unbacked";
  if (getType() != SymbolType::Int)
    property() << stringifySymbolType(getType());
  bool isDefaultRange = getUnbacked() || getType() != SymbolType::Int
                            ? !getLower() && !getUpper()
                            : getLower() == 0 && !getUpper();
  if (!isDefaultRange) {
    property() << '[';
    getLower() ? printer << *getLower() : printer << "-inf";
    printer << ", ";
    getUpper() ? printer << *getUpper() : printer << "inf";
    printer << ']';
  }
  if (getDivisor() != 1)
    property() << "% " << getDivisor();
  if (getHint())
    property() << "hint " << *getHint();
  if (!getSource().empty()) {
    property() << "from ";
    printQuoted(printer, getSource());
  }
  if (getAssumed())
    property() << "assumed";
}

void SymbolDeclAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printEntry(printer);
  printer << '>';
}

LogicalResult SymbolsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<SymbolDeclAttr> symbols) {
  llvm::StringSet<> seen;
  for (SymbolDeclAttr symbol : symbols)
    if (!seen.insert(symbol.getName()).second)
      return emitError() << "symbol '" << symbol.getName()
                         << "' is declared twice";
  return success();
}

Attribute SymbolsAttr::parse(AsmParser &parser, Type) {
  return parseBody(parser, [&](Scanner &scanner) -> Attribute {
    SmallVector<SymbolDeclAttr> symbols;
    while (!scanner.atEnd()) {
      SymbolDeclAttr symbol = scanSymbol(scanner, parser);
      if (!symbol)
        return {};
      symbols.push_back(symbol);
      if (scanner.atEnd())
        break;
      if (!scanner.consume(",")) {
        scanner.fail("expected ',' and the next symbol, or ':' and a property "
                     "of '" +
                     symbol.getName().str() + "'");
        break;
      }
    }
    return getAt<SymbolsAttr>(parser, symbols);
  });
}

void SymbolsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getSymbols(), printer, [&](SymbolDeclAttr symbol) {
    symbol.printEntry(printer);
  });
  printer << '>';
}

SymbolDeclAttr SymbolsAttr::lookup(StringRef name) const {
  for (SymbolDeclAttr symbol : getSymbols())
    if (symbol.getName() == name)
      return symbol;
  return {};
}

SymbolsAttr SymbolsAttr::get(FunctionOpInterface function) {
  return function->getAttrOfType<SymbolsAttr>(attrName);
}

SymbolsAttr SymbolsAttr::getEnclosing(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  return function ? get(function) : SymbolsAttr();
}

//===----------------------------------------------------------------------===//
// BindingAttr and BindingsAttr
//===----------------------------------------------------------------------===//

BindingAttr BindingAttr::getSize(MLIRContext *context, StringRef symbol,
                                 unsigned result, unsigned dim) {
  return get(context, symbol, result, KeyPathKind::Size, dim, /*divisor=*/1);
}

BindingAttr BindingAttr::getValue(MLIRContext *context, StringRef symbol,
                                  unsigned result) {
  return get(context, symbol, result, KeyPathKind::Value, /*dim=*/0,
             /*divisor=*/1);
}

LogicalResult BindingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  StringRef symbol, unsigned, KeyPathKind,
                                  unsigned, int64_t divisor) {
  if (!symbolic::isValidSymbolName(symbol))
    return emitError() << "'" << symbol << "' cannot name a symbol";
  if (divisor < 1)
    return emitError() << "the divisor in the key path of '" << symbol
                       << "' must be at least 1, not " << divisor;
  return success();
}

/// Reads `(n)`.
static std::optional<unsigned> scanIndex(Scanner &scanner) {
  if (!scanner.parse("("))
    return std::nullopt;
  std::optional<int64_t> index = scanner.parseInteger();
  if (!index || !scanner.parse(")"))
    return std::nullopt;
  if (*index < 0 || *index > std::numeric_limits<unsigned>::max()) {
    scanner.fail("an index must not be negative");
    return std::nullopt;
  }
  return static_cast<unsigned>(*index);
}

namespace {
/// A key path: `result(0).size(1)`, `argument(2).storage_offset`.
struct KeyPath {
  unsigned root;
  KeyPathKind kind = KeyPathKind::Value;
  unsigned dim = 0;
};
} // namespace

/// Returns true if the kind says which dimension it is of.
static bool hasDim(KeyPathKind kind) {
  return kind == KeyPathKind::Size || kind == KeyPathKind::Stride;
}

/// Reads a key path that starts with `root`.
static std::optional<KeyPath> scanKeyPath(Scanner &scanner, StringRef root) {
  if (!scanner.consumeKeyword(root)) {
    scanner.fail("expected a key path, such as '" + root + "(0).size(1)'");
    return std::nullopt;
  }
  std::optional<unsigned> index = scanIndex(scanner);
  if (!index)
    return std::nullopt;
  KeyPath path{*index};
  if (!scanner.consume("."))
    return path;
  std::optional<StringRef> step = scanner.parseName("a step of a key path");
  if (!step)
    return std::nullopt;
  std::optional<KeyPathKind> known = symbolizeKeyPathKind(*step);
  if (!known || *known == KeyPathKind::Value) {
    scanner.fail("unknown step '" + *step +
                 "' in a key path: one of 'size', 'stride', "
                 "'storage_offset'");
    return std::nullopt;
  }
  path.kind = *known;
  if (!hasDim(path.kind))
    return path;
  std::optional<unsigned> dim = scanIndex(scanner);
  if (!dim)
    return std::nullopt;
  path.dim = *dim;
  return path;
}

/// Prints what follows the root of a key path.
static void printSteps(AsmPrinter &printer, KeyPathKind kind, unsigned dim) {
  if (kind != KeyPathKind::Value)
    printer << '.' << stringifyKeyPathKind(kind);
  if (hasDim(kind))
    printer << '(' << dim << ')';
}

/// Reads `u0 = result(0).size(1) / 4`.
static BindingAttr scanBinding(Scanner &scanner, AsmParser &parser) {
  std::optional<StringRef> symbol = scanner.parseName("the name of a symbol");
  if (!symbol || !scanner.parse("="))
    return {};
  std::optional<KeyPath> path = scanKeyPath(scanner, "result");
  if (!path)
    return {};
  std::optional<int64_t> divisor = 1;
  if (scanner.consume("/") && !(divisor = scanner.parseInteger()))
    return {};
  return getAt<BindingAttr>(parser, *symbol, path->root, path->kind, path->dim,
                            *divisor);
}

Attribute BindingAttr::parse(AsmParser &parser, Type) {
  return parseBody(parser, [&](Scanner &scanner) -> Attribute {
    return scanBinding(scanner, parser);
  });
}

void BindingAttr::printEntry(AsmPrinter &printer) const {
  printer << getSymbol() << " = result(" << getResult() << ')';
  printSteps(printer, getKind(), getDim());
  if (getDivisor() != 1)
    printer << " / " << getDivisor();
}

void BindingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printEntry(printer);
  printer << '>';
}

LogicalResult BindingsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<BindingAttr> bindings) {
  llvm::StringSet<> seen;
  for (BindingAttr binding : bindings)
    if (!seen.insert(binding.getSymbol()).second)
      return emitError() << "symbol '" << binding.getSymbol()
                         << "' is bound twice";
  return success();
}

StringRef BindingsAttr::lookupSize(unsigned result, unsigned dim) const {
  for (BindingAttr binding : getBindings())
    if (binding.getKind() == KeyPathKind::Size && binding.getDim() == dim &&
        binding.getResult() == result && binding.getDivisor() == 1)
      return binding.getSymbol();
  return {};
}

Attribute BindingsAttr::parse(AsmParser &parser, Type) {
  return parseBody(parser, [&](Scanner &scanner) -> Attribute {
    SmallVector<BindingAttr> bindings;
    do {
      BindingAttr binding = scanBinding(scanner, parser);
      if (!binding)
        return {};
      bindings.push_back(binding);
    } while (scanner.consume(","));
    return getAt<BindingsAttr>(parser, bindings);
  });
}

void BindingsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getBindings(), printer, [&](BindingAttr binding) {
    binding.printEntry(printer);
  });
  printer << '>';
}

//===----------------------------------------------------------------------===//
// PathAttr
//===----------------------------------------------------------------------===//

Attribute PathAttr::parse(AsmParser &parser, Type) {
  return parseBody(parser, [&](Scanner &scanner) -> Attribute {
    std::optional<KeyPath> path = scanKeyPath(scanner, "argument");
    if (!path)
      return {};
    return PathAttr::get(parser.getContext(), path->root, path->kind,
                         path->dim);
  });
}

void PathAttr::print(AsmPrinter &printer) const {
  printer << "<argument(" << getArgument() << ')';
  printSteps(printer, getKind(), getDim());
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

void TallyDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tally/IR/Attributes/TallyAttrs.cpp.inc"
      >();
}
