//===- Signatures.cpp - What functions take and give ----------------------===//

#include "tally/IR/Signatures.h"

#include "tally/IR/Tally.h"
#include "tally/Symbolic/Text/Parser.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

bool tally::isPassable(Type elementType) {
  if (elementType.isIndex() || elementType.isF16() || elementType.isBF16() ||
      elementType.isF32() || elementType.isF64())
    return true;
  auto integer = dyn_cast<IntegerType>(elementType);
  return integer && integer.isSignless() &&
         llvm::is_contained({1, 8, 16, 32, 64}, integer.getWidth());
}

DLDataType tally::getDataType(Type elementType, bool isUnsigned) {
  if (elementType.isInteger(1))
    return {kDLBool, 8, 1};
  if (elementType.isIndex())
    return {kDLInt, 64, 1};
  if (auto complex = dyn_cast<ComplexType>(elementType)) {
    DLDataType part = getDataType(complex.getElementType(), isUnsigned);
    return {kDLComplex, static_cast<uint8_t>(2 * part.bits), 1};
  }
  auto bits = static_cast<uint8_t>(elementType.getIntOrFloatBitWidth());
  if (elementType.isBF16())
    return {kDLBfloat, bits, 1};
  if (isa<FloatType>(elementType))
    return {kDLFloat, bits, 1};
  return {static_cast<uint8_t>(isUnsigned ? kDLUInt : kDLInt), bits, 1};
}

bool tally::tellsItsSymbols(FunctionOpInterface function) {
  llvm::StringSet<> mentioned, alone;
  auto read = [&](ExprAttr expr) {
    symbolic::ExprContext context;
    (void)symbolic::parseExpr(expr.getText(), context,
                              symbolic::SymbolPolicy::DeclareInt);
    for (Expr symbol : context.getSymbols())
      mentioned.insert(symbol.getName());
    if (symbolic::isValidSymbolName(expr.getText()))
      alone.insert(expr.getText());
  };
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    if (auto value =
            function.getArgAttrOfType<ExprAttr>(index, attr_names::kValue))
      read(value);
    if (auto shape =
            function.getArgAttrOfType<ShapeAttr>(index, attr_names::kShape))
      for (ExprAttr size : shape.getSizes())
        read(size);
  }
  return llvm::all_of(mentioned, [&](const auto &entry) {
    return alone.contains(entry.getKey());
  });
}

Location tally::getDeclarationLoc(BlockArgument argument) {
  Location own = argument.getLoc();
  return own->findInstanceOf<FileLineColLoc>()
             ? own
             : argument.getOwner()->getParentOp()->getLoc();
}
