//===- KeepMaskedExtrema.cpp - Masked extrema that LLVM vectorizes --------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_KEEPMASKEDEXTREMA
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-keep-masked-extrema"

using namespace mlir;

/// Returns whether `constant` changes nothing as an operand of `extremum`.
static bool isIdentity(Operation *extremum, Attribute constant) {
  if (auto real = dyn_cast<FloatAttr>(constant)) {
    APFloat value = real.getValue();
    return value.isInfinity() &&
           value.isNegative() == isa<LLVM::MaximumOp, LLVM::MaxNumOp>(extremum);
  }
  auto integer = dyn_cast<IntegerAttr>(constant);
  if (!integer)
    return false;
  APInt value = integer.getValue();
  return TypeSwitch<Operation *, bool>(extremum)
      .Case([&](LLVM::SMaxOp) { return value.isMinSignedValue(); })
      .Case([&](LLVM::SMinOp) { return value.isMaxSignedValue(); })
      .Case([&](LLVM::UMaxOp) { return value.isZero(); })
      .Case([&](LLVM::UMinOp) { return value.isAllOnes(); })
      .Default([](Operation *) { return false; });
}

/// Returns the operand of `extremum`'s select that LLVM would see through, or
/// null.
static OpOperand *findMaskedIdentity(Operation *extremum) {
  for (Value operand : extremum->getOperands()) {
    auto select = operand.getDefiningOp<LLVM::SelectOp>();
    if (!select || !select->hasOneUse())
      continue;
    for (OpOperand *arm :
         {&select.getTrueValueMutable(), &select.getFalseValueMutable()}) {
      Attribute constant;
      if (matchPattern(arm->get(), m_Constant(&constant)) &&
          isIdentity(extremum, constant))
        return arm;
    }
  }
  return nullptr;
}

/// Returns the constant `value` as what is read from the stack at the start of
/// `function`, where LLVM cannot tell what it is.
static Value readFromStack(LLVM::LLVMFuncOp function, Value value) {
  OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
  Location loc = value.getLoc();
  Operation *constant = b.clone(*value.getDefiningOp());
  Value one = LLVM::ConstantOp::create(b, loc, b.getI64Type(), 1);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value slot = LLVM::AllocaOp::create(b, loc, pointer, value.getType(), one);
  LLVM::StoreOp::create(b, loc, constant->getResult(0), slot);
  return LLVM::LoadOp::create(b, loc, value.getType(), slot, /*alignment=*/0,
                              /*isVolatile=*/true);
}

void tally::keepMaskedExtrema(LLVM::LLVMFuncOp function) {
  // One slot for a type and a constant.
  llvm::MapVector<Attribute, SmallVector<OpOperand *>> identities;
  function.walk([&](Operation *op) {
    if (!isa<LLVM::MaximumOp, LLVM::MinimumOp, LLVM::MaxNumOp, LLVM::MinNumOp,
             LLVM::SMaxOp, LLVM::SMinOp, LLVM::UMaxOp, LLVM::UMinOp>(op))
      return;
    Attribute constant;
    if (OpOperand *identity = findMaskedIdentity(op))
      if (matchPattern(identity->get(), m_Constant(&constant)))
        identities[constant].push_back(identity);
  });
  for (auto &[constant, operands] : identities) {
    LDBG() << function.getName() << ": hides " << constant << " from "
           << operands.size() << " masked extrema";
    Value hidden = readFromStack(function, operands.front()->get());
    for (OpOperand *operand : operands)
      operand->set(hidden);
  }
}

namespace {

struct KeepMaskedExtremaPass
    : tally::impl::KeepMaskedExtremaBase<KeepMaskedExtremaPass> {
  void runOnOperation() override { tally::keepMaskedExtrema(getOperation()); }
};

} // namespace
