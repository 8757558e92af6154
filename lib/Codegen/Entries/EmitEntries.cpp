//===- EmitEntries.cpp - The C functions of a compiled library ------------===//
//
// See the description of the pass in Passes.td. The tables that it emits are
// those of tally_runtime.h, field by field.
//
//===----------------------------------------------------------------------===//

#include "Common/RuntimeABI.h"
#include "Common/Utils.h"
#include "DescriptionTable.h"
#include "tally/Codegen/Entries/Passes.h"
#include "tally/Codegen/Entries/Transforms.h"
#include "tally/Runtime/tally_runtime.h"

namespace tally {
#define GEN_PASS_DEF_EMITENTRIES
#include "tally/Codegen/Entries/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally::codegen;

/// Returns whether the attribute looks like what tally-describe-entries makes.
static bool isDescription(DictionaryAttr entry) {
  auto isValue = [](Attribute element) {
    auto value = dyn_cast<DictionaryAttr>(element);
    if (value && tally::isHidden(value)) {
      auto path = value.getAs<DenseI64ArrayAttr>(tally::entry_keys::kHidden);
      if (!path || path.size() != 2)
        return false;
    }
    return value && value.getAs<TypeAttr>(tally::entry_keys::kType) &&
           value.getAs<StringAttr>(tally::entry_keys::kName) &&
           value.getAs<ArrayAttr>(tally::entry_keys::kShape);
  };
  return llvm::all_of(
      ArrayRef{tally::entry_keys::kArguments, tally::entry_keys::kResults},
      [&](StringRef key) {
        auto values = entry.getAs<ArrayAttr>(key);
        return values && llvm::all_of(values, isValue);
      });
}

namespace {

/// Emits the function through which the runtime calls a compiled one: it takes
/// pointers to descriptors and numbers apart and stores the results.
class ThunkBuilder {
public:
  ThunkBuilder(LLVM::LLVMFuncOp function, OpBuilder &builder)
      : function(function), builder(builder), loc(function.getLoc()),
        pointer(getPointerType(builder.getContext())) {}

  LLVM::LLVMFuncOp build(StringRef name, ArrayAttr arguments,
                         ArrayAttr results) {
    auto type = getLLVMFunctionType<tally_rt_thunk>(builder.getContext());
    OpBuilder::InsertionGuard guard(builder);
    auto thunk = LLVM::LLVMFuncOp::create(builder, loc, name, type,
                                          LLVM::Linkage::Internal);
    Block *entry = thunk.addEntryBlock(builder);
    builder.setInsertionPointToStart(entry);
    SmallVector<Value> operands{entry->getArgument(0)};
    for (auto [index, value] :
         llvm::enumerate(arguments.getAsRange<DictionaryAttr>()))
      unpack(loadPointer(entry->getArgument(1), index), getType(value),
             operands);
    auto call = LLVM::CallOp::create(builder, loc, function, operands);
    Value status = call.getResult();
    if (isa<LLVM::LLVMStructType>(status.getType())) {
      storeResults(call.getResult(), entry->getArgument(2), results.size());
      status = LLVM::ExtractValueOp::create(builder, loc, status, 0);
    }
    LLVM::ReturnOp::create(builder, loc, status);
    return thunk;
  }

private:
  static Type getType(DictionaryAttr value) {
    return value.getAs<TypeAttr>(tally::entry_keys::kType).getValue();
  }

  /// Nobody writes to the lists and descriptors that the runtime hands over
  /// before the call is over.
  Value load(Value base, Type type, int64_t index) {
    Value address = LLVM::GEPOp::create(
        builder, loc, pointer, type, base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    return LLVM::LoadOp::create(builder, loc, type, address, /*alignment=*/0,
                                /*isVolatile=*/false, /*isNonTemporal=*/false,
                                /*isInvariant=*/true);
  }

  Value loadPointer(Value base, int64_t index) {
    return load(base, pointer, index);
  }

  /// Loads what the compiled function takes for one argument: a number, or the
  /// fields of a descriptor, all of them words.
  void unpack(Value slot, Type type, SmallVectorImpl<Value> &operands) {
    Type i64 = builder.getI64Type();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      if (type.isInteger(1)) {
        Value byte = load(slot, builder.getI8Type(), 0);
        operands.push_back(
            LLVM::TruncOp::create(builder, loc, builder.getI1Type(), byte));
        return;
      }
      operands.push_back(load(slot, type.isIndex() ? i64 : type, 0));
      return;
    }
    operands.push_back(loadPointer(slot, 0));
    operands.push_back(loadPointer(slot, 1));
    for (int64_t word = 2; word < 3 + 2 * tensor.getRank(); ++word)
      operands.push_back(load(slot, i64, word));
  }

  void storeResults(Value results, Value slots, int64_t count) {
    for (int64_t index = 0; index < count; ++index) {
      Value result =
          LLVM::ExtractValueOp::create(builder, loc, results, index + 1);
      if (result.getType().isInteger(1))
        result =
            LLVM::ZExtOp::create(builder, loc, builder.getI8Type(), result);
      LLVM::StoreOp::create(builder, loc, result, loadPointer(slots, index));
    }
  }

  LLVM::LLVMFuncOp function;
  OpBuilder &builder;
  Location loc;
  Type pointer;
};
} // namespace

/// Reports an operation that no pass has lowered. Casts of its operands and
/// results are left as well, and are named only where they are all that is.
static LogicalResult checkLowered(ModuleOp module, StringRef target) {
  Operation *left = nullptr;
  module.walk([&](Operation *op) {
    if (op == module || isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
      return WalkResult::advance();
    bool isCast = isa<UnrealizedConversionCastOp>(op);
    if (!left || !isCast)
      left = op;
    return isCast ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (!left)
    return success();
  return left->emitOpError("cannot be compiled for the ")
         << (target == "cuda" ? "host code of the GPU" : "CPU")
         << ": a pass has to lower it before";
}

/// The place of the entry whose results are the first values of another one's
/// state, or -1.
static int64_t findInitialState(DictionaryAttr entry,
                                ArrayRef<LLVM::LLVMFuncOp> functions) {
  auto name = entry.getAs<FlatSymbolRefAttr>(tally::entry_keys::kInitialState);
  if (!name)
    return -1;
  const auto *found = llvm::find_if(functions, [&](LLVM::LLVMFuncOp each) {
    return each.getName() == name.getValue();
  });
  return found == functions.end() ? -1 : found - functions.begin();
}

static void describe(LLVM::LLVMFuncOp function, OpBuilder &builder,
                     ArrayRef<LLVM::LLVMFuncOp> functions,
                     DescriptionTable &table) {
  auto entry =
      function->getAttrOfType<DictionaryAttr>(tally::attr_names::kEntry);
  auto arguments = entry.getAs<ArrayAttr>(tally::entry_keys::kArguments);
  auto results = entry.getAs<ArrayAttr>(tally::entry_keys::kResults);
  LLVM::LLVMFuncOp thunk =
      ThunkBuilder(function, builder)
          .build(("tally_thunk_" + function.getName()).str(), arguments,
                 results);
  table.addEntry(function.getName(), entry, thunk,
                 findInitialState(entry, functions));
}

static LLVM::LLVMFuncOp getInvoke(ModuleOp module) {
  StringRef name = tally::runtime_functions::kInvoke.name;
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return function;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  return LLVM::LLVMFuncOp::create(
      builder, module.getLoc(), name,
      getLLVMFunctionType<decltype(tally_rt_invoke)>(module->getContext()));
}

/// i32 NAME(ctx, arguments, count, results, count)
static void emitCall(ModuleOp module, OpBuilder &builder, StringRef name,
                     LLVM::GlobalOp library, LLVM::GlobalOp entries,
                     int64_t index) {
  OpBuilder::InsertionGuard guard(builder);
  Location loc = module.getLoc();
  Type pointer = getPointerType(module->getContext()),
       i32 = builder.getI32Type();
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, name,
      LLVM::LLVMFunctionType::get(i32, {pointer, pointer, i32, pointer, i32}));
  Block *block = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  SmallVector<Value> operands{LLVM::AddressOfOp::create(builder, loc, library)};
  Value base = LLVM::AddressOfOp::create(builder, loc, entries);
  operands.push_back(LLVM::GEPOp::create(
      builder, loc, pointer, entries.getType(), base,
      ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(index)}));
  llvm::append_range(operands, block->getArguments());
  auto call = LLVM::CallOp::create(builder, loc, getInvoke(module), operands);
  LLVM::ReturnOp::create(builder, loc, call.getResult());
}

/// ptr NAME(): the description of all entries.
static void emitLibrary(ModuleOp module, OpBuilder &builder, StringRef name,
                        LLVM::GlobalOp library) {
  OpBuilder::InsertionGuard guard(builder);
  Location loc = module.getLoc();
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, name,
      LLVM::LLVMFunctionType::get(getPointerType(module->getContext()), {}));
  builder.setInsertionPointToStart(function.addEntryBlock(builder));
  Value address = LLVM::AddressOfOp::create(builder, loc, library);
  LLVM::ReturnOp::create(builder, loc, address);
}

LogicalResult tally::emitEntries(ModuleOp module, StringRef prefix,
                                 StringRef target) {
  if (target != "cpu" && target != "cuda") {
    module.emitError() << "unknown target '" << target << "': cpu or cuda";
    return failure();
  }
  if (failed(checkLowered(module, target)))
    return failure();
  SmallVector<LLVM::LLVMFuncOp> functions;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    auto entry =
        function->getAttrOfType<DictionaryAttr>(tally::attr_names::kEntry);
    if (!entry)
      continue;
    if (!isDescription(entry)) {
      function.emitError() << "'" << tally::attr_names::kEntry
                           << "' is not what tally-describe-entries makes";
      return failure();
    }
    functions.push_back(function);
  }

  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  DescriptionTable table(module, builder);
  for (LLVM::LLVMFuncOp function : functions)
    describe(function, builder, functions, table);
  LLVM::GlobalOp library = table.emitLibrary(
      "tally_library_description", target == "cuda" ? kDLCUDA : kDLCPU);
  for (auto [index, function] : llvm::enumerate(functions))
    emitCall(module, builder, tally::getCName(prefix, function.getName()),
             library, table.getEntries(), index);
  emitLibrary(module, builder, "tally_library", library);
  if (prefix != "tally")
    emitLibrary(module, builder, tally::getCName(prefix, "library"), library);
  // Names of the program must not meet names of C: `main`, `exp`. The
  // description stays, for who writes a header.
  for (LLVM::LLVMFuncOp function : functions)
    function.setLinkage(LLVM::Linkage::Internal);
  return success();
}

namespace {
struct EmitEntriesPass : tally::impl::EmitEntriesBase<EmitEntriesPass> {
  using EmitEntriesBase::EmitEntriesBase;

  void runOnOperation() override {
    if (failed(tally::emitEntries(getOperation(), prefix, target)))
      signalPassFailure();
  }
};

} // namespace
