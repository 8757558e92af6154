//===- EntrySignature.cpp - What a caller sees of a function --------------===//

#include "tally/Interpreter/EntrySignature.h"

#include "tally/IR/EntryKeys.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

using namespace llvm;
using namespace tally::interpreter;

EntrySignature::EntrySignature(mlir::FunctionOpInterface function)
    : function(function),
      entry(function->getAttrOfType<mlir::DictionaryAttr>(attr_names::kEntry)) {
}

bool EntrySignature::takesContext() const {
  return function.getNumArguments() > 0 &&
         isa<mlir::LLVM::LLVMPointerType>(function.getArgumentTypes().front());
}

/// The description of an argument or a result, or null.
mlir::DictionaryAttr EntrySignature::getDescription(StringRef list,
                                                    unsigned index) const {
  auto values = entry ? entry.getAs<mlir::ArrayAttr>(list) : mlir::ArrayAttr();
  return values && index < values.size()
             ? dyn_cast<mlir::DictionaryAttr>(values[index])
             : mlir::DictionaryAttr();
}

/// What is said of an argument, there or by an attribute of its own.
mlir::Attribute EntrySignature::getAttr(unsigned argument, StringRef key,
                                        StringRef attribute) const {
  if (mlir::DictionaryAttr value =
          getDescription(entry_keys::kArguments, argument))
    return value.get(key);
  return function.getArgAttr(argument + takesContext(), attribute);
}

mlir::Attribute EntrySignature::getResultAttr(unsigned result, StringRef key,
                                              StringRef attribute) const {
  if (mlir::DictionaryAttr value = getDescription(entry_keys::kResults, result))
    return value.get(key);
  return function.getResultAttr(result, attribute);
}

std::string EntrySignature::getName(unsigned argument) const {
  auto name = dyn_cast_or_null<mlir::StringAttr>(
      getAttr(argument, entry_keys::kName, attr_names::kName));
  return name ? name.str() : "arg" + std::to_string(argument);
}

std::optional<HiddenArgument>
EntrySignature::getHidden(unsigned argument) const {
  mlir::Attribute attr =
      getAttr(argument, entry_keys::kHidden, attr_names::kHidden);
  HiddenArgument hidden;
  if (auto numbers = dyn_cast_or_null<mlir::DenseI64ArrayAttr>(attr);
      numbers && numbers.size() == 2) {
    hidden.argument = static_cast<unsigned>(numbers[0]);
    if (numbers[1] >= 0)
      hidden.dim = static_cast<unsigned>(numbers[1]);
    return hidden;
  }
  auto path = dyn_cast_or_null<PathAttr>(attr);
  if (!path)
    return std::nullopt;
  hidden.argument = static_cast<unsigned>(path.getArgument());
  if (path.getKind() == KeyPathKind::Stride)
    hidden.dim = static_cast<unsigned>(path.getDim());
  return hidden;
}

bool EntrySignature::isState(unsigned argument) const {
  return static_cast<bool>(
      getAttr(argument, entry_keys::kState, attr_names::kState));
}

mlir::FunctionOpInterface EntrySignature::getInitialState() const {
  auto name =
      entry ? entry.getAs<mlir::FlatSymbolRefAttr>(entry_keys::kInitialState)
            : function->getAttrOfType<mlir::FlatSymbolRefAttr>(
                  attr_names::kInitialState);
  if (!name)
    return {};
  return mlir::SymbolTable::lookupNearestSymbolFrom<mlir::FunctionOpInterface>(
      function, name);
}

bool EntrySignature::isUnsigned(unsigned argument) const {
  return static_cast<bool>(
      getAttr(argument, entry_keys::kUnsigned, attr_names::kUnsigned));
}

std::string EntrySignature::getResultName(unsigned result) const {
  auto name = dyn_cast_or_null<mlir::StringAttr>(
      getResultAttr(result, entry_keys::kName, attr_names::kName));
  return name ? name.str() : "";
}

bool EntrySignature::isResultUnsigned(unsigned result) const {
  return static_cast<bool>(
      getResultAttr(result, entry_keys::kUnsigned, attr_names::kUnsigned));
}

std::optional<unsigned> EntrySignature::getMutated(unsigned result) const {
  auto mutated = dyn_cast_or_null<mlir::IntegerAttr>(
      getResultAttr(result, entry_keys::kMutates, attr_names::kMutates));
  if (!mutated)
    return std::nullopt;
  return static_cast<unsigned>(mutated.getInt());
}
