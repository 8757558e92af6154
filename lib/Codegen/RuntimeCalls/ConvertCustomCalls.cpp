//===- ConvertCustomCalls.cpp - Calls of custom functions in C ------------===//
//
// See the description of the pass in Passes.td. All that a call passes lies in
// one array of words on the stack of the function: a DLTensor for each argument
// and result, pointers to these, then sizes, strides and numbers.
//
//===----------------------------------------------------------------------===//

#include "Common/RuntimeABI.h"
#include "Common/Utils.h"
#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"
#include "tally/Runtime/tally_runtime.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tally {
#define GEN_PASS_DEF_CONVERTCUSTOMCALLS
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally::codegen;

namespace {

/// The words of a DLTensor.
enum TensorWord : int32_t {
  Data = 0,
  Device = 1,
  RankAndType = 2,
  Shape = 3,
  Strides = 4,
  ByteOffset = 5,
  NumWords = 6
};
static_assert(sizeof(DLTensor) == NumWords * sizeof(int64_t) &&
              offsetof(DLTensor, device) == Device * sizeof(int64_t) &&
              offsetof(DLTensor, ndim) == RankAndType * sizeof(int64_t) &&
              offsetof(DLTensor, dtype) == RankAndType * sizeof(int64_t) + 4 &&
              offsetof(DLTensor, shape) == Shape * sizeof(int64_t) &&
              offsetof(DLTensor, byte_offset) == ByteOffset * sizeof(int64_t));

/// Converts one call.
class CallConversion {
public:
  CallConversion(tally::CustomCallDpsOp op, int64_t number)
      : op(op), loc(op.getLoc()), number(number), builder(op),
        pointer(getPointerType(op.getContext())), i64(builder.getI64Type()),
        numInputs(static_cast<int32_t>(op.getInputs().size())) {}

  void run() {
    layOut();
    fillArguments();
    fillResults();
    for (auto [index, place] : llvm::enumerate(places))
      store(wordOf(place.tensor), pointers + static_cast<int32_t>(index));
    emitCall();
    op->replaceAllUsesWith(loadResults());
    op->erase();
  }

private:
  /// Where a value lies among the words: its tensor, and what that points to.
  struct Place {
    Type type;
    int32_t tensor;
    int32_t content;
  };

  static int32_t getRank(Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped ? static_cast<int32_t>(shaped.getRank()) : 0;
  }

  /// Decides where everything lies, and makes room for it.
  void layOut() {
    for (Type type : op.getInputs().getTypes())
      places.push_back({type, 0, 0});
    auto output = op.getOutputs().begin();
    auto result = op.getScalars().begin();
    for (bool isScalar : op.getIsScalar())
      places.push_back(
          {isScalar ? (*result++).getType() : (*output++).getType(), 0, 0});
    int32_t next = 0;
    for (Place &place : places) {
      place.tensor = next;
      next += NumWords;
    }
    pointers = next;
    next += static_cast<int32_t>(places.size());
    for (Place &place : places) {
      place.content = next;
      next += isa<MemRefType>(place.type) ? 2 * getRank(place.type) : 1;
    }
    slot = createStackSlot(op->getParentOfType<FunctionOpInterface>(),
                           LLVM::LLVMArrayType::get(i64, next));
  }

  //===--------------------------------------------------------------------===//
  // Words
  //===--------------------------------------------------------------------===//

  Value wordOf(int32_t word) {
    return LLVM::GEPOp::create(builder, loc, pointer, i64, slot,
                               ArrayRef<LLVM::GEPArg>{word});
  }
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }
  void store(Value value, int32_t word) {
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(builder, loc, i64, value);
    else if (value.getType().isInteger(1))
      value = arith::ExtUIOp::create(builder, loc, builder.getI8Type(), value);
    LLVM::StoreOp::create(builder, loc, value, wordOf(word));
  }
  Value load(Type type, int32_t word) {
    Type stored = type.isIndex()      ? i64
                  : type.isInteger(1) ? builder.getI8Type()
                                      : type;
    Value value = LLVM::LoadOp::create(builder, loc, stored, wordOf(word));
    if (type.isIndex())
      return arith::IndexCastOp::create(builder, loc, type, value);
    if (type.isInteger(1))
      return arith::TruncIOp::create(builder, loc, type, value);
    return value;
  }

  //===--------------------------------------------------------------------===//
  // Arguments and results
  //===--------------------------------------------------------------------===//

  void fillArguments() {
    for (auto [input, place] : llvm::zip(op.getInputs(), places)) {
      if (isa<MemRefType>(place.type)) {
        fillTensor(input, place);
        continue;
      }
      store(input, place.content);
      fillHeader(wordOf(place.content), place);
    }
  }

  void fillResults() {
    auto output = op.getOutputs().begin();
    for (const Place &place : getResultPlaces()) {
      if (isa<MemRefType>(place.type)) {
        fillTensor(*output++, place);
        continue;
      }
      store(constant(0), place.content);
      fillHeader(wordOf(place.content), place);
    }
  }

  ArrayRef<Place> getResultPlaces() const {
    return ArrayRef(places).drop_front(numInputs);
  }

  /// Stores the fields of a DLTensor whose sizes are in place.
  void fillHeader(Value data, const Place &place) {
    int32_t rank = getRank(place.type);
    auto shaped = dyn_cast<ShapedType>(place.type);
    DLDataType type =
        tally::getDataType(shaped ? shaped.getElementType() : place.type,
                           /*isUnsigned=*/false);
    int64_t lanes = 1;
    store(data, place.tensor + Data);
    store(constant(kDLCPU), place.tensor + Device);
    store(constant(rank | int64_t(type.code) << 32 | int64_t(type.bits) << 40 |
                   lanes << 48),
          place.tensor + RankAndType);
    store(wordOf(place.content), place.tensor + Shape);
    store(wordOf(place.content + rank), place.tensor + Strides);
    store(constant(0), place.tensor + ByteOffset);
  }

  void fillTensor(Value buffer, const Place &place) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
    auto type = cast<MemRefType>(buffer.getType());
    Value address = arith::IndexCastOp::create(
        builder, loc, i64,
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer));
    Value data = LLVM::IntToPtrOp::create(builder, loc, pointer, address);
    Value offset =
        arith::IndexCastOp::create(builder, loc, i64, metadata.getOffset());
    Type element = type.getElementType();
    if (element.isIndex())
      element = i64;
    else if (element.isInteger(1))
      element = builder.getI8Type();
    data = LLVM::GEPOp::create(builder, loc, pointer, element, data,
                               ArrayRef<LLVM::GEPArg>{offset});
    int32_t word = place.content;
    for (ValueRange values : {metadata.getSizes(), metadata.getStrides()})
      for (Value value : values)
        store(value, word++);
    fillHeader(data, place);
  }

  SmallVector<Value> loadResults() {
    SmallVector<Value> sizes, numbers;
    for (const Place &place : getResultPlaces()) {
      auto type = dyn_cast<MemRefType>(place.type);
      if (!type) {
        numbers.push_back(load(place.type, place.content));
        continue;
      }
      for (int32_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          sizes.push_back(load(builder.getIndexType(), place.content + dim));
    }
    llvm::append_range(sizes, numbers);
    return sizes;
  }

  //===--------------------------------------------------------------------===//
  // The call
  //===--------------------------------------------------------------------===//

  /// The record of this place of the program for the runtime: the sizes that
  /// are defined, then the text of an error.
  std::string getRecord() {
    std::string record;
    for (Type type : op.getOutputs().getTypes())
      for (int64_t size : cast<ShapedType>(type).getShape())
        record.push_back(ShapedType::isDynamic(size) ? '?' : '=');
    record.push_back('\0');
    record += op.getCallee();
    record.push_back('\0');
    appendPosition(record, loc);
    return record;
  }

  Value emitRecord() {
    auto module = op->getParentOfType<ModuleOp>();
    auto start = OpBuilder::atBlockBegin(module.getBody());
    std::string record = getRecord();
    auto global = LLVM::GlobalOp::create(
        start, loc,
        LLVM::LLVMArrayType::get(builder.getI8Type(), record.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal,
        ("tally_custom_call_" + Twine(number)).str(),
        builder.getStringAttr(record));
    return LLVM::AddressOfOp::create(builder, loc, global);
  }

  /// Declares the function, or returns its declaration.
  LLVM::LLVMFuncOp declareCallee() {
    auto module = op->getParentOfType<ModuleOp>();
    if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(op.getCallee()))
      return known;
    auto start = OpBuilder::atBlockBegin(module.getBody());
    auto function = LLVM::LLVMFuncOp::create(
        start, module.getLoc(), op.getCallee(),
        getLLVMFunctionType<tally_rt_custom_function>(op.getContext()));
    function->setAttr(tally::attr_names::kCustom, builder.getUnitAttr());
    return function;
  }

  void emitCall() {
    declareRuntimeFunction(op->getParentOfType<ModuleOp>(),
                           tally::runtime_functions::kCustomCall);
    auto count = [&](size_t value) -> Value {
      return arith::ConstantIntOp::create(builder, loc,
                                          static_cast<int64_t>(value), 32);
    };
    // The order of the operations is that of the arguments.
    Value record = emitRecord();
    Value callee = LLVM::AddressOfOp::create(builder, loc, declareCallee());
    Value inputs = wordOf(pointers), inputCount = count(numInputs);
    Value results = wordOf(pointers + numInputs);
    Value resultCount = count(places.size() - numInputs);
    createStatusCall(builder, loc, tally::runtime_functions::kCustomCall,
                     getCallContext(op), record, callee, inputs, inputCount,
                     results, resultCount);
  }

  tally::CustomCallDpsOp op;
  Location loc;
  int64_t number;
  OpBuilder builder;
  Type pointer, i64;
  int32_t numInputs;
  SmallVector<Place> places;
  int32_t pointers = 0;
  Value slot;
};
} // namespace

static LogicalResult check(ModuleOp module, tally::CustomCallDpsOp op) {
  if (failed(requireCallContext(op)))
    return failure();
  if (!op.getTensors().empty() ||
      llvm::any_of(op.getInputs().getTypes(), llvm::IsaPred<TensorType>))
    return op.emitOpError("is on tensors; bufferize it first");
  Operation *other = module.lookupSymbol(op.getCallee());
  if (!other)
    return success();
  return op.emitOpError() << "calls '" << op.getCallee()
                          << "', which is a name of this program already; "
                             "custom functions need names of their own";
}

LogicalResult tally::convertCustomCalls(ModuleOp module) {
  SmallVector<tally::CustomCallDpsOp> calls;
  WalkResult result = module.walk([&](tally::CustomCallDpsOp op) {
    if (failed(check(module, op)))
      return WalkResult::interrupt();
    calls.push_back(op);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (auto [number, op] : llvm::enumerate(calls))
    CallConversion(op, static_cast<int64_t>(number)).run();
  return success();
}

namespace {
struct ConvertCustomCallsPass
    : tally::impl::ConvertCustomCallsBase<ConvertCustomCallsPass> {
  void runOnOperation() override {
    if (failed(tally::convertCustomCalls(getOperation())))
      signalPassFailure();
  }
};

} // namespace
