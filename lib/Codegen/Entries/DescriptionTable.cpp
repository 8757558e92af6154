//===- DescriptionTable.cpp - Entry points as constants -------------------===//

#include "DescriptionTable.h"
#include "Common/RuntimeStructs.h"
#include "Common/Utils.h"
#include "tally/Codegen/Common/EntryPoints.h"
#include "tally/IR/Tally.h"
#include "tally/Runtime/tally_runtime.h"

using namespace mlir;
using namespace tally::codegen;

DescriptionTable::DescriptionTable(ModuleOp module, OpBuilder &builder)
    : module(module), builder(builder), loc(module.getLoc()) {
  MLIRContext *context = module.getContext();
  pointer = getPointerType(context);
  i8 = builder.getI8Type();
  i16 = builder.getI16Type();
  i32 = builder.getI32Type();
  i64 = builder.getI64Type();
  dataTypeType = getIRType(context, AbiType::DataType);
  valueType = getStructType<tally_rt_value>(context);
  symbolType = getStructType<tally_rt_symbol>(context);
  hiddenType = getStructType<tally_rt_hidden>(context);
  entryType = getStructType<tally_rt_entry>(context);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

LLVM::GlobalOp DescriptionTable::emitGlobal(StringRef name, Type type,
                                            Initializer initializer) {
  OpBuilder::InsertionGuard guard(builder);
  std::string unique = ("tally_" + name + "_" + Twine(counter++)).str();
  auto global =
      LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, unique, Attribute());
  builder.createBlock(&global.getInitializerRegion());
  Value value = initializer();
  LLVM::ReturnOp::create(builder, loc, value);
  return global;
}

LLVM::GlobalOp DescriptionTable::emitArray(StringRef name, Type type,
                                           ArrayRef<Initializer> elements) {
  if (elements.empty())
    return {};
  auto arrayType = LLVM::LLVMArrayType::get(type, elements.size());
  return emitGlobal(name, arrayType, [&]() -> Value {
    Value array = LLVM::UndefOp::create(builder, loc, arrayType);
    for (auto [index, element] : llvm::enumerate(elements))
      array = LLVM::InsertValueOp::create(builder, loc, array, element(),
                                          static_cast<int64_t>(index));
    return array;
  });
}

Value DescriptionTable::structOf(Type type, ArrayRef<Value> fields) {
  assert(llvm::equal(cast<LLVM::LLVMStructType>(type).getBody(),
                     ValueRange(fields).getTypes()) &&
         "the values are not those of the fields");
  Value result = LLVM::UndefOp::create(builder, loc, type);
  for (auto [index, field] : llvm::enumerate(fields))
    result = LLVM::InsertValueOp::create(builder, loc, result, field,
                                         static_cast<int64_t>(index));
  return result;
}

Value DescriptionTable::number(Type type, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type,
                                  builder.getIntegerAttr(type, value));
}

Value DescriptionTable::addressOf(LLVM::GlobalOp global) {
  if (!global)
    return LLVM::ZeroOp::create(builder, loc, pointer);
  return LLVM::AddressOfOp::create(builder, loc, global);
}

Value DescriptionTable::text(StringRef value) {
  LLVM::GlobalOp &global = strings[value];
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    std::string terminated = value.str();
    terminated.push_back('\0');
    global = LLVM::GlobalOp::create(
        builder, loc, LLVM::LLVMArrayType::get(i8, terminated.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal,
        ("tally_text_" + Twine(counter++)).str(),
        builder.getStringAttr(terminated));
  }
  return LLVM::AddressOfOp::create(builder, loc, global);
}

Value DescriptionTable::dataType(Type type, bool isUnsigned) {
  DLDataType dataType = tally::getDataType(type, isUnsigned);
  return structOf(dataTypeType, {number(i8, dataType.code),
                                 number(i8, dataType.bits), number(i16, 1)});
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

LLVM::GlobalOp DescriptionTable::emitSizes(ShapedType type) {
  SmallVector<Initializer> sizes;
  for (int64_t size : type.getShape())
    sizes.push_back([this, size] {
      return number(i64, ShapedType::isDynamic(size) ? -1 : size);
    });
  return emitArray("sizes", i64, sizes);
}

LLVM::GlobalOp DescriptionTable::emitShape(ArrayAttr shape) {
  SmallVector<Initializer> texts;
  for (auto size : shape.getAsRange<StringAttr>())
    texts.push_back([this, size] { return text(size.getValue()); });
  return emitArray("shape", pointer, texts);
}

LLVM::GlobalOp DescriptionTable::emitHidden(ArrayRef<DictionaryAttr> hidden) {
  SmallVector<Initializer> initializers;
  for (DictionaryAttr argument : hidden)
    initializers.push_back([=]() -> Value {
      auto path = argument.getAs<DenseI64ArrayAttr>(tally::entry_keys::kHidden);
      return structOf(hiddenType, {number(i32, path[0]), number(i32, path[1])});
    });
  return emitArray("hidden", hiddenType, initializers);
}

LLVM::GlobalOp DescriptionTable::emitValues(ArrayRef<DictionaryAttr> values) {
  SmallVector<Initializer> initializers;
  for (DictionaryAttr value : values) {
    Type type = value.getAs<TypeAttr>(tally::entry_keys::kType).getValue();
    auto tensor = dyn_cast<RankedTensorType>(type);
    bool isComplex = value.contains(tally::entry_keys::kComplex);
    if (isComplex)
      tensor = RankedTensorType::get(tensor.getShape().drop_back(),
                                     ComplexType::get(tensor.getElementType()));
    LLVM::GlobalOp sizes = tensor ? emitSizes(tensor) : LLVM::GlobalOp();
    LLVM::GlobalOp shape =
        emitShape(value.getAs<ArrayAttr>(tally::entry_keys::kShape));
    initializers.push_back([=]() -> Value {
      auto name = value.getAs<StringAttr>(tally::entry_keys::kName);
      auto mutates = value.getAs<IntegerAttr>(tally::entry_keys::kMutates);
      auto expr = value.getAs<StringAttr>(tally::entry_keys::kValue);
      return structOf(valueType,
                      {text(name.getValue()),
                       dataType(tensor ? tensor.getElementType() : type,
                                value.contains(tally::entry_keys::kUnsigned)),
                       number(i32, tensor ? tensor.getRank() : 0),
                       number(i32, tensor ? 0 : 1),
                       number(i32, mutates ? mutates.getInt() : -1),
                       addressOf(sizes), addressOf(shape),
                       text(expr ? expr.getValue() : StringRef())});
    });
  }
  return emitArray("values", valueType, initializers);
}

LLVM::GlobalOp DescriptionTable::emitSymbols(DictionaryAttr entry) {
  auto symbols = entry.getAs<tally::SymbolsAttr>(tally::entry_keys::kSymbols);
  if (!symbols)
    return {};
  SmallVector<Initializer> initializers;
  for (tally::SymbolDeclAttr symbol : symbols.getSymbols())
    initializers.push_back([this, symbol]() -> Value {
      int64_t kind = symbol.getType() == tally::SymbolType::Bool ? TALLY_RT_BOOL
                     : symbol.getType() == tally::SymbolType::Float
                         ? TALLY_RT_FLOAT
                         : TALLY_RT_INT;
      auto lower = symbol.getLower(), upper = symbol.getUpper();
      return structOf(
          symbolType,
          {text(symbol.getName()), text(symbol.getSource()), number(i32, kind),
           number(i32, symbol.getUnbacked()), number(i32, lower.has_value()),
           number(i32, upper.has_value()), number(i64, lower.value_or(0)),
           number(i64, upper.value_or(0)), number(i64, symbol.getDivisor()),
           number(i32, symbol.getAssumed()), number(i32, 0)});
    });
  return emitArray("symbols", symbolType, initializers);
}

void DescriptionTable::addEntry(StringRef name, DictionaryAttr entry,
                                LLVM::LLVMFuncOp thunk, int64_t initialState) {
  SmallVector<DictionaryAttr> arguments, hidden;
  for (auto argument : entry.getAs<ArrayAttr>(tally::entry_keys::kArguments)
                           .getAsRange<DictionaryAttr>())
    (tally::isHidden(argument) ? hidden : arguments).push_back(argument);
  auto results =
      llvm::to_vector(entry.getAs<ArrayAttr>(tally::entry_keys::kResults)
                          .getAsRange<DictionaryAttr>());
  auto symbols = entry.getAs<tally::SymbolsAttr>(tally::entry_keys::kSymbols);
  LLVM::GlobalOp argumentTable = emitValues(arguments);
  LLVM::GlobalOp hiddenTable = emitHidden(hidden);
  LLVM::GlobalOp resultTable = emitValues(results);
  LLVM::GlobalOp symbolTable = emitSymbols(entry);
  int64_t numSymbols = symbols ? symbols.getSymbols().size() : 0;
  size_t numStates = llvm::count_if(arguments, tally::isState);
  size_t numArguments = arguments.size() - numStates, numHidden = hidden.size(),
         numResults = results.size();
  entryInitializers.push_back([=, name = name.str()]() -> Value {
    return structOf(entryType,
                    {text(name), number(i32, numArguments),
                     number(i32, numResults), number(i32, numSymbols),
                     number(i32, numHidden), addressOf(argumentTable),
                     addressOf(resultTable), addressOf(symbolTable),
                     LLVM::AddressOfOp::create(builder, loc, thunk),
                     addressOf(hiddenTable), number(i32, numStates),
                     number(i32, initialState)});
  });
}

LLVM::GlobalOp DescriptionTable::emitData() {
  OpBuilder::InsertionGuard guard(builder);
  Type type = getStructType<tally_rt_data>(module.getContext());
  auto global = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/false,
                                       LLVM::Linkage::Internal,
                                       tally::kDataDescription, Attribute());
  builder.createBlock(&global.getInitializerRegion());
  Value zero = LLVM::ZeroOp::create(builder, loc, type);
  LLVM::ReturnOp::create(builder, loc, zero);
  return global;
}

LLVM::GlobalOp DescriptionTable::emitLibrary(StringRef name,
                                             int32_t deviceType) {
  entries = emitArray("entries", entryType, entryInitializers);
  LLVM::GlobalOp data = emitData();
  Type type = getStructType<tally_rt_library>(module.getContext());
  return emitGlobal(name, type, [&] {
    return structOf(type,
                    {number(i32, TALLY_RT_ABI_VERSION),
                     number(i32, entryInitializers.size()), addressOf(entries),
                     number(i32, deviceType), number(i32, 0), addressOf(data)});
  });
}
