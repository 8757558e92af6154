//===- Signature.cpp - What a program is called with ----------------------===//

#include "Signature.h"

#include "Array.h"
#include "tally/IR/Signatures.h"
#include "tally/IR/Tally.h"
#include "tally/Interpreter/EntrySignature.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tally::run;

std::string Signature::describeMismatch(size_t numGiven) const {
  std::string text;
  raw_string_ostream os(text);
  os << function << " takes " << arguments.size() << " argument"
     << (arguments.size() == 1 ? "" : "s") << ", " << numGiven << " given";
  if (!arguments.empty())
    os << "; each is an --input, with numbers for sizes:";
  for (const Argument &argument : arguments)
    os << "\n  --input '" << argument.type << "=random'  (" << argument.name
       << ")";
  return text;
}

Signature tally::run::getSignature(const tally_rt_entry &entry) {
  Signature signature{entry.name, {}};
  for (const tally_rt_value &value :
       ArrayRef(entry.arguments, entry.num_arguments)) {
    std::string type = printType(value.dtype);
    if (!value.is_scalar)
      type += "[" + join(ArrayRef(value.shape, value.rank), ", ") + "]";
    signature.arguments.push_back({value.name, type});
  }
  return signature;
}

/// The sizes of a tensor: as they are declared, or `?`.
static std::string describeSizes(mlir::ShapedType type,
                                 tally::ShapeAttr shape) {
  SmallVector<std::string> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    sizes.push_back(!type.isDynamicDim(dim)
                        ? std::to_string(type.getDimSize(dim))
                    : shape ? shape.getSizes()[dim].getText().str()
                            : "?");
  return "[" + join(sizes, ", ") + "]";
}

Signature tally::run::getSignature(mlir::FunctionOpInterface function) {
  Signature signature{function.getName().str(), {}};
  interpreter::EntrySignature entry(function);
  for (auto [index, type] : enumerate(entry.getArgumentTypes())) {
    if (!entry.isCallers(index))
      continue;
    mlir::Type element = mlir::getElementTypeOrSelf(type);
    std::string text =
        tally::isPassable(element)
            ? printType(tally::getDataType(element, entry.isUnsigned(index)))
            : "?";
    if (auto tensor = dyn_cast<mlir::ShapedType>(type);
        tensor && tensor.hasRank())
      text += describeSizes(tensor, function.getArgAttrOfType<tally::ShapeAttr>(
                                        index, attr_names::kShape));
    signature.arguments.push_back({entry.getName(index), text});
  }
  return signature;
}
