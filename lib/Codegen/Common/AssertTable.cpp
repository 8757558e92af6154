//===- AssertTable.cpp - What asserts have to tell ------------------------===//

#include "AssertTable.h"
#include "RuntimeStructs.h"
#include "Utils.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tally::codegen;

void AssertTable::addText(StringRef text) {
  // A NUL would end the field early.
  records.append(text.take_until([](char c) { return c == '\0'; }));
  records.push_back('\0');
}

void AssertTable::addValue(Type type, StringRef name, StringRef source) {
  addText(isa<FloatType>(type) ? "f" : type.isInteger(1) ? "b" : "i");
  addText(name);
  addText(source);
}

int64_t AssertTable::add(tally::AssertOp op, size_t count) {
  auto text = [](std::optional<StringRef> value) {
    return value.value_or(StringRef());
  };
  offsets.push_back(static_cast<int64_t>(records.size()));
  addText(op.getExpr() ? op.getExpr()->getText() : StringRef());
  addText(text(op.getMessage()));
  addText(text(op.getRequiredBy()));
  addText(text(op.getDeclaredBy()));
  appendPosition(records, op.getLoc());
  addText(std::to_string(count));
  DictionaryAttr sources = op.getSourcesAttr();
  for (auto [value, attr] :
       llvm::zip(op.getValues().take_front(count), op.getNames())) {
    StringRef name = cast<StringAttr>(attr).getValue();
    auto source = sources ? sources.getAs<StringAttr>(name) : StringAttr();
    addValue(value.getType(), name, source ? source.getValue() : StringRef());
  }
  return static_cast<int64_t>(offsets.size()) - 1;
}

void AssertTable::emit(ModuleOp module) const {
  if (offsets.empty())
    return;
  Location loc = module.getLoc();
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  auto create = [&](Type type, const Twine &globalName, Attribute value) {
    return LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                  LLVM::Linkage::Internal, globalName.str(),
                                  value);
  };
  auto text =
      create(LLVM::LLVMArrayType::get(builder.getI8Type(), records.size()),
             name + "_records", builder.getStringAttr(records));
  auto positions =
      create(LLVM::LLVMArrayType::get(builder.getI64Type(), offsets.size()),
             name + "_offsets", builder.getI64TensorAttr(offsets));
  auto tableType = getStructType<tally_rt_assert_table>(builder.getContext());
  auto table = create(tableType, name, {});
  builder.createBlock(&table.getInitializerRegion());
  Value value = LLVM::UndefOp::create(builder, loc, tableType);
  int64_t field = 0;
  for (LLVM::GlobalOp part : {text, positions}) {
    Value address = LLVM::AddressOfOp::create(builder, loc, part);
    value = LLVM::InsertValueOp::create(builder, loc, value, address, field++);
  }
  LLVM::ReturnOp::create(builder, loc, value);
}
