//===- Tally.cpp - C interface of the compiler ----------------------------===//

#include "tally-c/Tally.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Wrap.h"
#include "tally/Driver/Driver.h"
#include "tally/IR/Tally.h"
#include "tally/Import/ImportPt2.h"
#include "tally/InitAll.h"

#include <mutex>

using namespace mlir;
using namespace tally;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Tally, tally, tally::TallyDialect)

void tallyRegisterAllDialects(MlirDialectRegistry registry) {
  registerDriverDialects(*unwrap(registry));
}

void tallyRegisterAllPasses(void) {
  static std::once_flag once;
  std::call_once(once, [] { registerAllPasses(); });
}

/// Makes an attribute, or reports what is wrong with it.
template <typename AttrT, typename... Args>
static AttrT getChecked(MLIRContext *context, Args &&...args) {
  auto report = [context] { return emitError(UnknownLoc::get(context)); };
  return AttrT::getChecked(report, context, std::forward<Args>(args)...);
}

/// Empty where the pointer of a string is null.
static StringRef toString(MlirStringRef text) {
  return text.data ? unwrap(text) : StringRef();
}

//===----------------------------------------------------------------------===//
// Expressions and shapes
//===----------------------------------------------------------------------===//

bool tallyAttributeIsAExpr(MlirAttribute attribute) {
  return isa<ExprAttr>(unwrap(attribute));
}

MlirAttribute tallyExprAttrGet(MlirContext context, MlirStringRef text) {
  return wrap(getChecked<ExprAttr>(unwrap(context), toString(text)));
}

MlirStringRef tallyExprAttrGetText(MlirAttribute expr) {
  return wrap(cast<ExprAttr>(unwrap(expr)).getText());
}

bool tallyAttributeIsAShape(MlirAttribute attribute) {
  return isa<ShapeAttr>(unwrap(attribute));
}

MlirAttribute tallyShapeAttrGet(MlirContext context, intptr_t rank,
                                const MlirAttribute *sizes) {
  SmallVector<ExprAttr> exprs;
  for (MlirAttribute size : ArrayRef(sizes, rank)) {
    auto expr = dyn_cast_or_null<ExprAttr>(unwrap(size));
    if (!expr) {
      emitError(UnknownLoc::get(unwrap(context)))
          << "a size of a #tally.shape is a #tally.expr";
      return {nullptr};
    }
    exprs.push_back(expr);
  }
  return wrap(ShapeAttr::get(unwrap(context), exprs));
}

intptr_t tallyShapeAttrGetRank(MlirAttribute shape) {
  return static_cast<intptr_t>(
      cast<ShapeAttr>(unwrap(shape)).getSizes().size());
}

MlirAttribute tallyShapeAttrGetSize(MlirAttribute shape, intptr_t dim) {
  return wrap(cast<ShapeAttr>(unwrap(shape)).getSizes()[dim]);
}

//===----------------------------------------------------------------------===//
// Symbols and bindings
//===----------------------------------------------------------------------===//

static SymbolType unwrap(TallySymbolType type) {
  switch (type) {
  case TALLY_SYMBOL_INT:
    return SymbolType::Int;
  case TALLY_SYMBOL_BOOL:
    return SymbolType::Bool;
  case TALLY_SYMBOL_FLOAT:
    return SymbolType::Float;
  }
  llvm_unreachable("unknown type of a symbol");
}

static TallySymbolType wrap(SymbolType type) {
  switch (type) {
  case SymbolType::Int:
    return TALLY_SYMBOL_INT;
  case SymbolType::Bool:
    return TALLY_SYMBOL_BOOL;
  case SymbolType::Float:
    return TALLY_SYMBOL_FLOAT;
  }
  llvm_unreachable("unknown type of a symbol");
}

TallySymbolDeclaration tallySymbolDeclarationGetBacked(MlirStringRef name) {
  TallySymbolDeclaration declaration = {};
  declaration.name = name;
  declaration.hasLower = true;
  declaration.divisor = 1;
  return declaration;
}

bool tallyAttributeIsASymbols(MlirAttribute attribute) {
  return isa<SymbolsAttr>(unwrap(attribute));
}

MlirAttribute tallySymbolsAttrGet(MlirContext context, intptr_t numSymbols,
                                  const TallySymbolDeclaration *symbols) {
  auto optional = [](bool isThere, int64_t value) {
    return isThere ? std::optional<int64_t>(value) : std::nullopt;
  };
  SmallVector<SymbolDeclAttr> table;
  for (const TallySymbolDeclaration &symbol : ArrayRef(symbols, numSymbols)) {
    table.push_back(getChecked<SymbolDeclAttr>(
        unwrap(context), toString(symbol.name), symbol.isUnbacked,
        unwrap(symbol.type), optional(symbol.hasLower, symbol.lower),
        optional(symbol.hasUpper, symbol.upper), symbol.divisor,
        optional(symbol.hasHint, symbol.hint), toString(symbol.source),
        symbol.isAssumed));
    if (!table.back())
      return {nullptr};
  }
  return wrap(getChecked<SymbolsAttr>(unwrap(context),
                                      ArrayRef<SymbolDeclAttr>(table)));
}

intptr_t tallySymbolsAttrGetNumSymbols(MlirAttribute symbols) {
  return static_cast<intptr_t>(
      cast<SymbolsAttr>(unwrap(symbols)).getSymbols().size());
}

TallySymbolDeclaration tallySymbolsAttrGetSymbol(MlirAttribute symbols,
                                                 intptr_t index) {
  SymbolDeclAttr symbol =
      cast<SymbolsAttr>(unwrap(symbols)).getSymbols()[index];
  TallySymbolDeclaration declaration = {};
  declaration.name = wrap(symbol.getName());
  declaration.type = wrap(symbol.getType());
  declaration.isUnbacked = symbol.getUnbacked();
  declaration.isAssumed = symbol.getAssumed();
  declaration.hasLower = symbol.getLower().has_value();
  declaration.hasUpper = symbol.getUpper().has_value();
  declaration.hasHint = symbol.getHint().has_value();
  declaration.lower = symbol.getLower().value_or(0);
  declaration.upper = symbol.getUpper().value_or(0);
  declaration.hint = symbol.getHint().value_or(0);
  declaration.divisor = symbol.getDivisor();
  declaration.source = wrap(symbol.getSource());
  return declaration;
}

static_assert(static_cast<int>(KeyPathKind::Value) == TALLY_KEY_PATH_VALUE &&
              static_cast<int>(KeyPathKind::Size) == TALLY_KEY_PATH_SIZE &&
              static_cast<int>(KeyPathKind::Stride) == TALLY_KEY_PATH_STRIDE &&
              static_cast<int>(KeyPathKind::StorageOffset) ==
                  TALLY_KEY_PATH_STORAGE_OFFSET);

bool tallyAttributeIsABindings(MlirAttribute attribute) {
  return isa<BindingsAttr>(unwrap(attribute));
}

MlirAttribute tallyBindingsAttrGet(MlirContext context, intptr_t numBindings,
                                   const TallySymbolBinding *bindings) {
  SmallVector<BindingAttr> entries;
  for (const TallySymbolBinding &binding : ArrayRef(bindings, numBindings)) {
    entries.push_back(getChecked<BindingAttr>(
        unwrap(context), toString(binding.symbol), binding.result,
        static_cast<KeyPathKind>(binding.kind), binding.dim, binding.divisor));
    if (!entries.back())
      return {nullptr};
  }
  return wrap(getChecked<BindingsAttr>(unwrap(context),
                                       ArrayRef<BindingAttr>(entries)));
}

intptr_t tallyBindingsAttrGetNumBindings(MlirAttribute bindings) {
  return static_cast<intptr_t>(
      cast<BindingsAttr>(unwrap(bindings)).getBindings().size());
}

TallySymbolBinding tallyBindingsAttrGetBinding(MlirAttribute bindings,
                                               intptr_t index) {
  BindingAttr binding =
      cast<BindingsAttr>(unwrap(bindings)).getBindings()[index];
  return {wrap(binding.getSymbol()), binding.getResult(),
          static_cast<TallyKeyPathKind>(binding.getKind()), binding.getDim(),
          binding.getDivisor()};
}

//===----------------------------------------------------------------------===//
// Key paths
//===----------------------------------------------------------------------===//

bool tallyAttributeIsAPath(MlirAttribute attribute) {
  return isa<PathAttr>(unwrap(attribute));
}

MlirAttribute tallyPathAttrGet(MlirContext context, unsigned argument,
                               TallyKeyPathKind kind, unsigned dim) {
  bool hasDim = kind == TALLY_KEY_PATH_SIZE || kind == TALLY_KEY_PATH_STRIDE;
  return wrap(PathAttr::get(unwrap(context), argument,
                            static_cast<KeyPathKind>(kind), hasDim ? dim : 0));
}

unsigned tallyPathAttrGetArgument(MlirAttribute path) {
  return cast<PathAttr>(unwrap(path)).getArgument();
}

TallyKeyPathKind tallyPathAttrGetKind(MlirAttribute path) {
  return static_cast<TallyKeyPathKind>(cast<PathAttr>(unwrap(path)).getKind());
}

unsigned tallyPathAttrGetDim(MlirAttribute path) {
  return cast<PathAttr>(unwrap(path)).getDim();
}

//===----------------------------------------------------------------------===//
// The way to code
//===----------------------------------------------------------------------===//

static CompileOptions convert(const TallyCompileOptions &from) {
  CompileOptions options;
  options.cpu = "generic";
  options.dataDirectory = ".";
  for (auto [text, option] : {std::pair(from.checks, &options.checks),
                              {from.target, &options.target},
                              {from.cpu, &options.cpu},
                              {from.chip, &options.chip},
                              {from.prefix, &options.prefix},
                              {from.data, &options.dataFile},
                              {from.dataDirectory, &options.dataDirectory}})
    if (!toString(text).empty())
      *option = toString(text).str();
  return options;
}

MlirModule tallyReadProgram(MlirContext context, MlirStringRef path) {
  return wrap(readProgram(toString(path), unwrap(context)).release());
}

bool tallyIsSupportedOperator(MlirStringRef name) {
  return isSupportedTarget(toString(name));
}

bool tallyIsSupportedOnComplex(MlirStringRef name) {
  return isSupportedOnComplex(toString(name));
}

MlirLogicalResult tallyLowerModule(MlirModule module,
                                   const TallyCompileOptions *options) {
  return wrap(lowerProgram(unwrap(module), convert(*options)));
}

MlirLogicalResult tallyWriteModule(MlirModule module,
                                   const TallyCompileOptions *options,
                                   MlirStringRef path,
                                   MlirStringCallback onError, void *user) {
  LinkOptions link;
  link.runtime = toString(options->runtime).str();
  llvm::Error error =
      emitFile(unwrap(module), convert(*options), link, toString(path));
  if (!error)
    return mlirLogicalResultSuccess();
  std::string message = llvm::toString(std::move(error));
  if (onError)
    onError(mlirStringRefCreate(message.data(), message.size()), user);
  return mlirLogicalResultFailure();
}
