//===- Document.cpp - What is known of the sizes in a text ----------------===//

#include "Document.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/Analysis/SymbolicShapes.h"
#include "tally/Analysis/ValueSources.h"
#include "tally/Symbolic/Proof/Prover.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;
using tally::lsp::Hint;
using tally::lsp::Position;

//===----------------------------------------------------------------------===//
// What is told of an expression
//===----------------------------------------------------------------------===//

/// The symbols of an expression, in order of appearance.
static void collectSymbols(Expr expr, llvm::SetVector<const void *> &seen,
                           SmallVectorImpl<Expr> &symbols) {
  if (!seen.insert(expr.getNode()))
    return;
  if (expr.isSymbol())
    symbols.push_back(expr);
  for (Expr operand : expr.getOperands())
    collectSymbols(operand, seen, symbols);
}

/// ` in [0, 64], a multiple of 8`, as far as something is known.
static std::string describeRange(Expr expr, symbolic::Facts &facts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!expr.isInt())
    return text;
  symbolic::Interval range = facts.range(expr);
  if (range.isEmpty())
    return " has no value: the declarations exclude each other";
  if (!range.isAll()) {
    os << " in [";
    range.getLower() ? os << *range.getLower() : os << "-inf";
    os << ", ";
    range.getUpper() ? os << *range.getUpper() : os << "inf";
    os << ']';
  }
  if (auto divisor = facts.congruence(expr).getDivisor(); divisor > 1)
    os << (text.empty() ? " is" : ",") << " a multiple of " << divisor;
  return text;
}

namespace {

/// A function, and what the analysis tells of it.
class AnalyzedFunction {
public:
  AnalyzedFunction(FunctionOpInterface function, const AsmParserState &state)
      : function(function), state(state), shapes(function, getOptions()) {}

  std::string describe(Value value);
  std::string describeSymbol(StringRef name);
  /// What an operation needs that neither follows from the declarations nor is
  /// stated before it.
  std::string describePreconditions(Operation *op);

private:
  static SymbolicShapesOptions getOptions() {
    SymbolicShapesOptions options;
    options.declarations = SymbolicShapesOptions::Declarations::Facts;
    return options;
  }

  std::string getName(Value value);
  std::string getPlace(Expr symbol);
  std::string print(Expr expr);
  std::string describeOrigin(Expr symbol);
  bool saysNothing(Expr scalar);
  std::string describeValue(Expr scalar);
  std::string printUnmet(Operation *op, symbolic::Prover &prover);
  /// `- s0 in [0, 64] ...`, a line of a list.
  std::string describeItem(Expr expr);
  /// A line for each of the expressions that is more than a number, and for
  /// each symbol in them.
  std::string describeItems(ArrayRef<Expr> exprs);

  FunctionOpInterface function;
  const AsmParserState &state;
  SymbolicShapes shapes;
  /// What each operation needs; unknown before somebody asks.
  std::optional<llvm::DenseMap<Operation *, std::string>> needs;
};

} // namespace

/// What the text calls a value; empty where it does not tell.
std::string AnalyzedFunction::getName(Value value) {
  auto getText = [](SMRange range) {
    return range.isValid()
               ? std::string(range.Start.getPointer(), range.End.getPointer())
               : std::string();
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    const auto *block = state.getBlockDef(argument.getOwner());
    unsigned index = argument.getArgNumber();
    return block && index < block->arguments.size()
               ? getText(block->arguments[index].loc)
               : "";
  }
  const auto *op = state.getOpDef(value.getDefiningOp());
  if (!op)
    return "";
  unsigned index = cast<OpResult>(value).getResultNumber();
  for (const auto &group : llvm::reverse(op->resultGroups)) {
    if (group.startIndex > index)
      continue;
    std::string name = getText(group.definition.loc);
    return index == group.startIndex
               ? name
               : name + "#" + std::to_string(index - group.startIndex);
  }
  return "";
}

/// Where a symbol can be read: `%x.size(1)`; empty where the text has no name
/// for that.
std::string AnalyzedFunction::getPlace(Expr symbol) {
  std::optional<SymbolicShapes::Origin> origin = shapes.getOrigin(symbol);
  std::string name = origin ? getName(origin->value) : "";
  if (!name.empty() && origin->dim)
    name += ".size(" + std::to_string(*origin->dim) + ")";
  return name;
}

/// The expression, with places for symbols that have no name.
std::string AnalyzedFunction::print(Expr expr) {
  llvm::SetVector<const void *> seen;
  SmallVector<Expr> symbols;
  collectSymbols(expr, seen, symbols);
  llvm::StringMap<std::string> places;
  for (Expr symbol : symbols)
    if (symbol.isAnonymous())
      if (std::string place = getPlace(symbol); !place.empty())
        places[symbol.str()] = place;
  std::string text = expr.str(), result;
  for (StringRef rest = text; !rest.empty();) {
    StringRef word = rest.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '%'; });
    if (word.empty())
      word = rest.take_front();
    auto it = places.find(word);
    result += it == places.end() ? word.str() : it->second;
    rest = rest.drop_front(word.size());
  }
  return result;
}

/// Where a symbol with a name is from: `, from x.size(1)`.
std::string AnalyzedFunction::describeOrigin(Expr symbol) {
  SymbolsAttr table = SymbolsAttr::get(function);
  SymbolDeclAttr declared = table ? table.lookup(symbol.getName()) : nullptr;
  if (!declared) {
    std::string place = getPlace(symbol);
    return place.empty() ? "" : ", which is `" + place + "`";
  }
  std::string text = declared.getUnbacked() ? ", unbacked" : "";
  if (!declared.getSource().empty())
    text += ", from `" + declared.getSource().str() + "`";
  if (declared.getHint())
    text += ", such as " + std::to_string(*declared.getHint());
  return declared.getAssumed() ? text + ", assumed" : text;
}

std::string AnalyzedFunction::describeItem(Expr expr) {
  std::string text = "- `" + print(expr) + "`";
  text += describeRange(expr, shapes.getFacts());
  if (expr.isSymbol() && !expr.isAnonymous())
    text += describeOrigin(expr);
  return text + "\n";
}

std::string AnalyzedFunction::describeItems(ArrayRef<Expr> exprs) {
  llvm::SetVector<const void *> seen;
  SmallVector<Expr> items, symbols;
  for (Expr expr : exprs)
    collectSymbols(expr, seen, symbols);
  for (Expr expr : exprs)
    if (!expr.isSymbol() && !expr.isConstant() &&
        !llvm::is_contained(items, expr))
      items.push_back(expr);
  items.append(symbols);
  std::string text;
  for (Expr item : items)
    text += describeItem(item);
  return text;
}

/// Whether there is no more to a scalar than that it is one.
bool AnalyzedFunction::saysNothing(Expr scalar) {
  return scalar.isSymbol() && scalar.isAnonymous() &&
         describeRange(scalar, shapes.getFacts()).empty();
}

std::string AnalyzedFunction::describeValue(Expr scalar) {
  return "Symbolic value: `" + print(scalar) + "`\n\n" + describeItems(scalar);
}

std::string AnalyzedFunction::describe(Value value) {
  Type type = value.getType();
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    SmallVector<Expr> sizes = shapes.getShape(value);
    std::string text = "Symbolic shape: `[";
    text += llvm::join(
        llvm::map_range(sizes, [&](Expr size) { return print(size); }), ", ");
    text += "]`\n\n";
    // The element of a tensor without dimensions may be an expression, too.
    auto elements =
        tensor.getRank() == 0 ? shapes.getElements(value) : std::nullopt;
    if (elements && !saysNothing(elements->front()))
      return text + describeValue(elements->front());
    return text + describeItems(sizes);
  }
  if (!type.isIntOrIndex())
    return "";
  Expr scalar = shapes.getValue(value);
  return saysNothing(scalar) ? "" : describeValue(scalar);
}

std::string AnalyzedFunction::describeSymbol(StringRef name) {
  if (shapes.isNamedForm()) {
    SymbolsAttr table = SymbolsAttr::get(function);
    if (!table || !table.lookup(name))
      return "";
    Expr symbol = shapes.parse(ExprAttr::get(function->getContext(), name));
    return symbol ? "Symbol\n\n" + describeItem(symbol) : "";
  }
  std::string text;
  function->walk([&](SymbolOp op) {
    if (op.getName() != name)
      return WalkResult::advance();
    text = "Symbol\n\n" + describeItem(shapes.getValue(op.getResult()));
    return WalkResult::interrupt();
  });
  return text;
}

/// What `op` needs beyond the facts that hold before it.
std::string AnalyzedFunction::printUnmet(Operation *op,
                                         symbolic::Prover &prover) {
  Preconditions preconditions(shapes);
  preconditions.setOperation(op);
  shapes.collectPreconditions(op, preconditions);
  SmallVector<std::string> texts;
  for (const Precondition &precondition : preconditions.getPreconditions())
    if (precondition.condition.isFalse())
      texts.push_back(describePrecondition(precondition, shapes));
    else if (!prover.isProven(precondition.condition))
      texts.push_back(print(precondition.condition));
  return texts.empty() ? "" : "needs " + llvm::join(texts, ", ");
}

std::string AnalyzedFunction::describePreconditions(Operation *op) {
  if (!needs) {
    needs.emplace();
    symbolic::Prover prover(shapes.getFacts());
    ScopedFacts(shapes).walk(function, [&](Operation *visited) {
      if (std::string text = printUnmet(visited, prover); !text.empty())
        needs->try_emplace(visited, text);
      return true;
    });
  }
  return needs->lookup(op);
}

//===----------------------------------------------------------------------===//
// Part
//===----------------------------------------------------------------------===//

class tally::lsp::Part {
public:
  Part(StringRef text, unsigned firstLine, const DialectRegistry &registry)
      : text(text), firstLine(firstLine), registry(registry) {}

  unsigned getFirstLine() const { return firstLine; }
  std::string getHover(Position position);
  void collectHints(std::vector<Hint> &hints);

private:
  /// Returns whether the text is a program that verifies.
  bool read();
  FunctionOpInterface findFunction(SMLoc loc);
  Value findValue(SMLoc loc);
  AnalyzedFunction &analyze(FunctionOpInterface function);
  SMLoc getLoc(Position position);

  std::string text;
  unsigned firstLine;
  const DialectRegistry &registry;
  std::unique_ptr<MLIRContext> context;
  llvm::SourceMgr sources;
  Block block;
  AsmParserState state;
  std::optional<bool> isRead;
  llvm::DenseMap<Operation *, std::unique_ptr<AnalyzedFunction>> functions;
};

bool tally::lsp::Part::read() {
  if (isRead)
    return *isRead;
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->allowUnregisteredDialects();
  // MLIR's server reports what is wrong.
  ScopedDiagnosticHandler handler(context.get(),
                                  [](Diagnostic &) { return success(); });
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text), SMLoc());
  isRead = succeeded(
      parseAsmSourceFile(sources, &block, ParserConfig(context.get()), &state));
  return *isRead;
}

static bool contains(SMRange range, SMLoc loc) {
  return range.isValid() && range.Start.getPointer() <= loc.getPointer() &&
         loc.getPointer() <= range.End.getPointer();
}

static bool contains(const AsmParserState::SMDefinition &definition,
                     SMLoc loc) {
  return contains(definition.loc, loc) ||
         llvm::any_of(definition.uses,
                      [&](SMRange use) { return contains(use, loc); });
}

SMLoc tally::lsp::Part::getLoc(Position position) {
  return sources.FindLocForLineAndColumn(sources.getMainFileID(),
                                         position.line - firstLine + 1,
                                         position.character + 1);
}

/// The innermost function whose text holds the place.
FunctionOpInterface tally::lsp::Part::findFunction(SMLoc loc) {
  FunctionOpInterface found;
  for (const auto &op : state.getOpDefs())
    if (auto function = dyn_cast<FunctionOpInterface>(op.op);
        function && contains(op.scopeLoc, loc) &&
        (!found || found->isProperAncestor(function)))
      found = function;
  return found;
}

/// The value that is named at the place.
Value tally::lsp::Part::findValue(SMLoc loc) {
  for (const auto &op : state.getOpDefs())
    for (const auto &group : op.resultGroups)
      if (contains(group.definition, loc))
        return op.op->getResult(group.startIndex);
  for (const auto &parsed : state.getBlockDefs())
    for (auto [index, argument] : llvm::enumerate(parsed.arguments))
      if (contains(argument, loc))
        return parsed.block->getArgument(index);
  return {};
}

AnalyzedFunction &tally::lsp::Part::analyze(FunctionOpInterface function) {
  auto &analyzed = functions[function];
  if (!analyzed)
    analyzed = std::make_unique<AnalyzedFunction>(function, state);
  return *analyzed;
}

/// The name around a place, as of a symbol.
static StringRef getWord(StringRef text, const char *at) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  const char *start = at, *end = at;
  while (start > text.begin() && isPart(start[-1]))
    --start;
  while (end < text.end() && isPart(*end))
    ++end;
  return {start, static_cast<size_t>(end - start)};
}

std::string tally::lsp::Part::getHover(Position position) {
  if (!read())
    return "";
  SMLoc loc = getLoc(position);
  FunctionOpInterface function = loc.isValid() ? findFunction(loc) : nullptr;
  if (!function || function.isExternal())
    return "";
  if (Value value = findValue(loc))
    return analyze(function).describe(value);
  StringRef buffer =
      sources.getMemoryBuffer(sources.getMainFileID())->getBuffer();
  return analyze(function).describeSymbol(getWord(buffer, loc.getPointer()));
}

void tally::lsp::Part::collectHints(std::vector<Hint> &hints) {
  if (!read())
    return;
  StringRef buffer =
      sources.getMemoryBuffer(sources.getMainFileID())->getBuffer();
  for (const auto &op : state.getOpDefs()) {
    FunctionOpInterface function =
        op.op->getParentOfType<FunctionOpInterface>();
    if (!function)
      continue;
    std::string label = analyze(function).describePreconditions(op.op);
    if (label.empty())
      continue;
    auto [line, column] = sources.getLineAndColumn(op.loc.Start);
    StringRef rest = buffer.substr(op.loc.Start.getPointer() - buffer.begin());
    size_t length = rest.take_until([](char c) { return c == '\n'; }).size();
    hints.push_back(
        {{firstLine + line - 1, static_cast<unsigned>(column - 1 + length)},
         std::move(label)});
  }
}

//===----------------------------------------------------------------------===//
// Document
//===----------------------------------------------------------------------===//

tally::lsp::Document::Document(StringRef text,
                               const DialectRegistry &registry) {
  unsigned line = 0, firstLine = 0;
  std::string part;
  for (StringRef rest = text; !rest.empty() || line == 0; ++line) {
    auto [first, behind] = rest.split('\n');
    if (first.starts_with("// -----")) {
      parts.push_back(std::make_unique<Part>(part, firstLine, registry));
      part.clear();
      firstLine = line + 1;
    } else {
      part += first.str() + "\n";
    }
    rest = behind;
  }
  parts.push_back(std::make_unique<Part>(part, firstLine, registry));
}

tally::lsp::Document::~Document() = default;

std::string tally::lsp::Document::getHover(Position position) {
  for (const auto &part : llvm::reverse(parts))
    if (part->getFirstLine() <= position.line)
      return part->getHover(position);
  return "";
}

std::vector<Hint> tally::lsp::Document::getHints() {
  std::vector<Hint> hints;
  for (const auto &part : parts)
    part->collectHints(hints);
  return hints;
}
