//===- Assembly.cpp - Custom assembly directives --------------------------===//

#include "Assembly.h"

#include "ExprText.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tally;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// Returns true if the text of an expression contains what MLIR's lexer cannot
/// read or takes for something else.
static bool needsQuotes(const char *text) {
  for (int depth = 0; *text && *text != '\n'; ++text) {
    depth += (*text == '(') - (*text == ')');
    if (*text == '!' || *text == '%')
      return true;
    if (*text == '>' && depth == 0 && text[1] != '=')
      return false;
  }
  return false;
}

static ParseResult emitExprError(OpAsmParser &parser) {
  return parser.emitError(
      parser.getCurrentLocation(),
      "expected an expression between '<' and '>'; an "
      "expression with '>', '!=', '%', '/' or a point is quoted: "
      "<\"a > b\">");
}

/// Consumes the tokens of an expression up to the `>` that ends it and appends
/// them to `text`.
static ParseResult parseExprTokens(OpAsmParser &parser, std::string &text) {
  if (needsQuotes(parser.getCurrentLocation().getPointer()))
    return emitExprError(parser);
  for (int depth = 0;;) {
    StringRef keyword;
    APInt integer;
    if (succeeded(parser.parseOptionalKeyword(&keyword))) {
      text += (" " + keyword).str();
    } else if (succeeded(parser.parseOptionalMinus())) {
      text += " -";
    } else if (parser.parseOptionalInteger(integer).has_value()) {
      text += " " + llvm::toString(integer, 10, /*Signed=*/true);
    } else if (succeeded(parser.parseOptionalLParen())) {
      text += " (";
      ++depth;
    } else if (depth > 0 && succeeded(parser.parseOptionalRParen())) {
      text += " )";
      --depth;
    } else if (depth > 0 && succeeded(parser.parseOptionalComma())) {
      text += " ,";
    } else if (succeeded(parser.parseOptionalPlus())) {
      text += " +";
    } else if (succeeded(parser.parseOptionalStar())) {
      text += succeeded(parser.parseOptionalStar()) ? " **" : " *";
    } else if (succeeded(parser.parseOptionalEqual())) {
      if (parser.parseEqual())
        return failure();
      text += " ==";
    } else if (succeeded(parser.parseOptionalLess())) {
      text += succeeded(parser.parseOptionalEqual()) ? " <=" : " <";
    } else if (succeeded(parser.parseOptionalGreater())) {
      if (succeeded(parser.parseOptionalEqual()))
        text += " >=";
      else if (depth > 0)
        text += " >";
      else
        return success();
    } else {
      return emitExprError(parser);
    }
  }
}

ParseResult tally::parseExprBody(OpAsmParser &parser, ExprAttr &expr) {
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalLess()))
    return parser.parseAttribute(expr);
  std::string text;
  if (succeeded(parser.parseOptionalString(&text))) {
    if (parser.parseGreater())
      return failure();
  } else if (parseExprTokens(parser, text)) {
    return failure();
  }
  if (std::optional<std::string> problem = detail::findExprError(text))
    return parser.emitError(loc) << *problem;
  expr = ExprAttr::get(parser.getContext(), detail::normalizeExprText(text));
  return success();
}

void tally::printExprBody(OpAsmPrinter &printer, Operation *, ExprAttr expr) {
  if (detail::isPlainExprText(expr.getText()))
    printer << '<' << expr.getText() << '>';
  else
    printer << "<\"" << expr.getText() << "\">";
}

// MLIR takes `: type` behind a whole attribute for the attribute's type, so
// that the type in `tally.size #tally.expr<s0> : index` has been consumed when
// the attribute has been parsed. It is read again from the text.
ParseResult tally::parseSizeBody(OpAsmParser &parser, ExprAttr &expr,
                                 Type &type) {
  const char *start = parser.getCurrentLocation().getPointer();
  if (parseExprBody(parser, expr))
    return failure();
  if (succeeded(parser.parseOptionalColon()))
    return parser.parseType(type);
  const char *end = parser.getCurrentLocation().getPointer();
  StringRef text = StringRef(start, end - start).rsplit('>').second.ltrim();
  if (!text.consume_front(":"))
    return parser.emitError(parser.getCurrentLocation(), "expected ': type'");
  type = parseType(text.trim(), parser.getContext());
  return success(type != nullptr);
}

void tally::printSizeBody(OpAsmPrinter &printer, Operation *op, ExprAttr expr,
                          Type type) {
  printExprBody(printer, op, expr);
  printer << " : " << type;
}

//===----------------------------------------------------------------------===//
// Facts of a symbol
//===----------------------------------------------------------------------===//

/// Parses an integer, `inf` or `-inf`; the infinities give null.
static ParseResult parseBound(OpAsmParser &parser, IntegerAttr &bound) {
  bool negative = succeeded(parser.parseOptionalMinus());
  if (succeeded(parser.parseOptionalKeyword("inf")))
    return success();
  int64_t value = 0;
  if (parser.parseInteger(value))
    return failure();
  bound = parser.getBuilder().getI64IntegerAttr(negative ? -value : value);
  return success();
}

ParseResult tally::parseSymbolFacts(OpAsmParser &parser, IntegerAttr &lower,
                                    IntegerAttr &upper, IntegerAttr &divisor) {
  if (succeeded(parser.parseOptionalKeyword("in")) &&
      (parser.parseLSquare() || parseBound(parser, lower) ||
       parser.parseComma() || parseBound(parser, upper) ||
       parser.parseRSquare()))
    return failure();
  int64_t value = 1;
  if (succeeded(parser.parseOptionalKeyword("divisible_by")) &&
      parser.parseInteger(value))
    return failure();
  divisor = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

void tally::printSymbolFacts(OpAsmPrinter &printer, Operation *,
                             IntegerAttr lower, IntegerAttr upper,
                             IntegerAttr divisor) {
  if (lower || upper) {
    printer << " in [";
    lower ? printer << lower.getInt() : printer << "-inf";
    printer << ", ";
    upper ? printer << upper.getInt() : printer << "inf";
    printer << ']';
  }
  if (divisor.getInt() != 1)
    printer << " divisible_by " << divisor.getInt();
}

//===----------------------------------------------------------------------===//
// Named values
//===----------------------------------------------------------------------===//

ParseResult
tally::parseNamedValues(OpAsmParser &parser,
                        SmallVectorImpl<OpAsmParser::UnresolvedOperand> &values,
                        SmallVectorImpl<Type> &types, ArrayAttr &names) {
  SmallVector<StringRef> parsedNames;
  SmallVector<std::string> storage;
  if (succeeded(parser.parseOptionalLParen())) {
    auto parseEntry = [&]() -> ParseResult {
      return failure(parser.parseKeywordOrString(&storage.emplace_back()) ||
                     parser.parseEqual() ||
                     parser.parseOperand(values.emplace_back()));
    };
    if (parser.parseCommaSeparatedList(parseEntry) ||
        parser.parseColonTypeList(types) || parser.parseRParen())
      return failure();
  }
  parsedNames.assign(storage.begin(), storage.end());
  names = parser.getBuilder().getStrArrayAttr(parsedNames);
  return success();
}

void tally::printNamedValues(OpAsmPrinter &printer, Operation *,
                             OperandRange values, TypeRange types,
                             ArrayAttr names) {
  if (values.empty())
    return;
  printer << " (";
  llvm::interleaveComma(
      llvm::zip_equal(names, values), printer, [&](auto entry) {
        auto [name, value] = entry;
        printer.printKeywordOrString(cast<StringAttr>(name).getValue());
        printer << " = " << value;
      });
  printer << " : " << types << ')';
}

//===----------------------------------------------------------------------===//
// Bindings and guarded values
//===----------------------------------------------------------------------===//

// Key paths contain dots, which are no tokens of MLIR's lexer: the attribute is
// printed whole.
ParseResult tally::parseBindingList(OpAsmParser &parser,
                                    BindingsAttr &bindings) {
  return parser.parseAttribute(bindings);
}

void tally::printBindingList(OpAsmPrinter &printer, Operation *,
                             BindingsAttr bindings) {
  printer.printAttribute(bindings);
}

ParseResult tally::parseGuardedTypes(OpAsmParser &parser,
                                     SmallVectorImpl<Type> &guarded,
                                     SmallVectorImpl<Type> &results) {
  if (parser.parseColonTypeList(guarded))
    return failure();
  llvm::append_range(results, guarded);
  return success();
}

void tally::printGuardedTypes(OpAsmPrinter &printer, Operation *,
                              TypeRange guarded, TypeRange) {
  printer << ": " << guarded;
}
