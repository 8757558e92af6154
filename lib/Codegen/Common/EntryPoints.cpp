//===- EntryPoints.cpp - How entry points are described -------------------===//

#include "tally/Codegen/Common/EntryPoints.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tally;

bool tally::isHidden(DictionaryAttr argument) {
  return argument.contains(entry_keys::kHidden);
}

bool tally::isState(DictionaryAttr argument) {
  return argument.contains(entry_keys::kState);
}

bool tally::isCallers(DictionaryAttr argument) {
  return !isHidden(argument) && !isState(argument);
}

std::string tally::getCName(StringRef prefix, StringRef name) {
  std::string result = (prefix + "_" + name).str();
  for (char &c : result)
    if (!llvm::isAlnum(c))
      c = '_';
  return result;
}
