//===- Header.cpp - C headers of compiled programs ------------------------===//

#include "Header.h"
#include "tally/Codegen/Common/EntryPoints.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

/// Prints `x: f32[s0, s1]` or `n: i64 = s0`.
static void printValue(raw_ostream &os, DictionaryAttr value) {
  Type type = value.getAs<TypeAttr>(tally::entry_keys::kType).getValue();
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : type;
  os << value.getAs<StringAttr>(tally::entry_keys::kName).getValue() << ": ";
  if (element.isIndex())
    os << "i64";
  else if (value.contains(tally::entry_keys::kUnsigned))
    os << 'u' << element.getIntOrFloatBitWidth();
  else if (value.contains(tally::entry_keys::kComplex))
    os << 'c' << 2 * element.getIntOrFloatBitWidth();
  else
    os << element;
  auto shape = value.getAs<ArrayAttr>(tally::entry_keys::kShape);
  if (tensor && !shape.empty()) {
    os << '[';
    llvm::interleaveComma(shape.getAsRange<StringAttr>(), os,
                          [&](StringAttr size) { os << size.getValue(); });
    os << ']';
  }
  if (auto expr = value.getAs<StringAttr>(tally::entry_keys::kValue))
    os << " = " << expr.getValue();
}

static bool isReturned(DictionaryAttr result) {
  return !result.contains(tally::entry_keys::kMutates);
}

/// Prints what is declared about a symbol.
static void printSymbol(raw_ostream &os, tally::SymbolDeclAttr symbol) {
  os << "///   " << symbol.getName();
  if (symbol.getLower() || symbol.getUpper()) {
    os << " in [";
    symbol.getLower() ? os << *symbol.getLower() : os << "-inf";
    os << ", ";
    symbol.getUpper() ? os << *symbol.getUpper() : os << "inf";
    os << ']';
  }
  if (symbol.getDivisor() != 1)
    os << ", a multiple of " << symbol.getDivisor();
  if (!symbol.getSource().empty())
    os << ", is " << symbol.getSource();
  if (symbol.getUnbacked())
    os << ", known only when it has run";
  os << '\n';
}

/// Prints the signature of a function as comments and its declaration.
static void printEntry(raw_ostream &os, StringRef prefix, StringRef name,
                       DictionaryAttr entry) {
  auto all = entry.getAs<ArrayAttr>(tally::entry_keys::kArguments);
  auto arguments = llvm::to_vector(llvm::make_filter_range(
      all.getAsRange<DictionaryAttr>(), tally::isCallers));
  auto results = entry.getAs<ArrayAttr>(tally::entry_keys::kResults);
  SmallVector<DictionaryAttr> returned;
  for (auto result : results.getAsRange<DictionaryAttr>())
    if (isReturned(result))
      returned.push_back(result);

  os << "/// " << name << '(';
  llvm::interleaveComma(arguments, os,
                        [&](DictionaryAttr value) { printValue(os, value); });
  os << ") -> (";
  llvm::interleaveComma(returned, os,
                        [&](DictionaryAttr value) { printValue(os, value); });
  os << ")\n";
  if (auto symbols =
          entry.getAs<tally::SymbolsAttr>(tally::entry_keys::kSymbols))
    for (tally::SymbolDeclAttr symbol : symbols.getSymbols())
      printSymbol(os, symbol);
  for (auto result : results.getAsRange<DictionaryAttr>()) {
    auto target = result.getAs<IntegerAttr>(tally::entry_keys::kMutates);
    if (!target)
      continue;
    auto argument = cast<DictionaryAttr>(all[target.getInt()]);
    os << (tally::isState(argument) ? "///   keeps " : "///   writes to ")
       << argument.getAs<StringAttr>(tally::entry_keys::kName).getValue()
       << " on success\n";
  }
  std::string function = tally::getCName(prefix, name);
  std::string macro = StringRef(function).upper();
  os << "#define " << macro << "_NUM_ARGUMENTS " << arguments.size() << '\n'
     << "#define " << macro << "_NUM_RESULTS " << returned.size() << '\n'
     << "int32_t " << function << "(tally_rt_context *ctx,\n"
     << "    DLTensor *const *arguments, int32_t num_arguments,\n"
     << "    DLManagedTensor **results, int32_t num_results);\n\n";
}

void tally::compile::writeHeader(raw_ostream &os, ModuleOp module,
                                 StringRef prefix) {
  std::string library = getCName(prefix, "library");
  std::string guard = StringRef(library).upper() + "_H";
  os << "// Written by tally-compile.\n\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n"
     << "#include \"tally/Runtime/tally_runtime.h\"\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
     << "/// Describes every function below.\n"
     << "const tally_rt_library *" << library << "(void);\n\n";
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (auto entry =
            function->getAttrOfType<DictionaryAttr>(tally::attr_names::kEntry))
      printEntry(os, prefix, function.getName(), entry);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(tally::attr_names::kCustom))
      os << "/// Called by the library: a tally_rt_custom_function.\n"
         << "int32_t " << function.getName() << "(tally_rt_context *ctx,\n"
         << "    const DLTensor *const *arguments, int32_t num_arguments,\n"
         << "    DLTensor *const *results, int32_t num_results);\n\n";
  os << "#ifdef __cplusplus\n}\n#endif\n\n#endif // " << guard << '\n';
}
