//===- Utils.cpp - What the codegen passes share --------------------------===//

#include "Utils.h"
#include "tally/Codegen/Common/EntryPoints.h"
#include "tally/Runtime/tally_runtime.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

/// Returns the place in a file that `loc` stands for, if there is one.
static FileLineColLoc findPosition(Location loc) {
  if (auto position = dyn_cast<FileLineColLoc>(loc))
    return position;
  if (auto name = dyn_cast<NameLoc>(loc))
    return findPosition(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return findPosition(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (FileLineColLoc position = findPosition(part))
        return position;
  return {};
}

void tally::codegen::appendPosition(std::string &record, Location loc) {
  FileLineColLoc position = findPosition(loc);
  StringRef file = position ? position.getFilename().getValue() : StringRef();
  // A NUL would end the field early.
  record.append(file.take_until([](char c) { return c == '\0'; }));
  record.push_back('\0');
  for (unsigned number : {position ? position.getLine() : 0,
                          position ? position.getColumn() : 0}) {
    record += std::to_string(number);
    record.push_back('\0');
  }
}

LogicalResult tally::codegen::requireCallContext(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  if (function && function.getNumArguments() != 0 &&
      isa<LLVM::LLVMPointerType>(function.getArgument(0).getType()))
    return success();
  return op->emitError("needs the call context as the first argument of its "
                       "function; run 'tally-add-context' first");
}

Value tally::codegen::createErrorBits(OpBuilder &builder, Location loc,
                                      Value value) {
  Type type = value.getType(), i64 = builder.getI64Type();
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, i64, value);
  if (isa<FloatType>(type)) {
    if (!type.isF64())
      value = arith::ExtFOp::create(builder, loc, builder.getF64Type(), value);
    return arith::BitcastOp::create(builder, loc, i64, value);
  }
  if (type.isInteger(1))
    return arith::ExtUIOp::create(builder, loc, i64, value);
  if (type.getIntOrFloatBitWidth() < 64)
    return arith::ExtSIOp::create(builder, loc, i64, value);
  return value;
}

void tally::codegen::createLikelyBranch(OpBuilder &builder, Location loc,
                                        Value condition, Block *next,
                                        Block *failure, ValueRange arguments) {
  auto op = cf::CondBranchOp::create(builder, loc, condition, next,
                                     ValueRange{}, failure, arguments);
  op.setBranchWeights(ArrayRef<int32_t>{1 << 20, 1});
}

Value tally::codegen::createStackSlot(FunctionOpInterface function, Type type) {
  auto builder = OpBuilder::atBlockBegin(&function.front());
  Location loc = function.getLoc();
  Value one =
      LLVM::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1));
  return LLVM::AllocaOp::create(
      builder, loc, getPointerType(builder.getContext()), type, one);
}

bool tally::codegen::needsInit(linalg::GenericOp op, OpOperand &init) {
  AffineMap map = op.getMatchingIndexingMap(&init);
  if (op.payloadUsesValueFromOperand(&init) || !map.isProjectedPermutation())
    return true;
  for (auto [dim, size] : llvm::enumerate(op.getStaticLoopRanges()))
    if (!map.isFunctionOfDim(dim) && (ShapedType::isDynamic(size) || size == 0))
      return true;
  return false;
}

void tally::codegen::markIndependent(scf::ForOp loop, Iterations iterations) {
  MLIRContext *context = loop.getContext();
  LLVM::LoopVectorizeAttr vectorize;
  LLVM::LoopUnrollAttr unroll;
  if (iterations == Iterations::Few) {
    auto disable = BoolAttr::get(context, true);
    vectorize = LLVM::LoopVectorizeAttr::get(
        context, disable, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    unroll = LLVM::LoopUnrollAttr::get(context, disable, nullptr, nullptr,
                                       nullptr, nullptr, nullptr, nullptr);
  }
  loop->setAttr(attr_names::kIndependent,
                LLVM::LoopAnnotationAttr::get(
                    context, nullptr, vectorize, nullptr, unroll, nullptr,
                    nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                    nullptr, nullptr, nullptr, {}));
}
