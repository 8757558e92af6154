//===- Utils.cpp - What the codegen passes share --------------------------===//

#include "Utils.h"
#include "tally/Codegen/EntryPoints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

func::FuncOp tally::codegen::declareRuntimeFunction(ModuleOp module,
                                                    StringRef name,
                                                    TypeRange arguments,
                                                    TypeRange results,
                                                    bool cold) {
  if (auto function = module.lookupSymbol<func::FuncOp>(name))
    return function;
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  auto function =
      func::FuncOp::create(builder, module.getLoc(), name,
                           builder.getFunctionType(arguments, results));
  function.setPrivate();
  function->setAttr(tally::attr_names::kRuntime, builder.getUnitAttr());
  if (cold)
    function->setAttr("passthrough", builder.getStrArrayAttr(
                                         {"cold", "noinline", "nounwind"}));
  return function;
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

Value tally::codegen::createRoom(FunctionOpInterface function, Type type) {
  auto builder = OpBuilder::atBlockBegin(&function.front());
  Location loc = function.getLoc();
  Value one =
      LLVM::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1));
  return LLVM::AllocaOp::create(
      builder, loc, getPointerType(builder.getContext()), type, one);
}

std::string tally::getCName(StringRef prefix, StringRef name) {
  std::string result = (prefix + "_" + name).str();
  for (char &c : result)
    if (!llvm::isAlnum(c))
      c = '_';
  return result;
}
