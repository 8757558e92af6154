//===- ExpandScales.cpp - Products with powers of two ---------------------===//

#include "ExpandScales.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

/// Whether vectors of any length and type can be scaled by an instruction.
static bool hasScaling(const Function &function, const TargetMachine &machine) {
  return machine.getTargetTriple().isX86() &&
         machine.getSubtargetImpl(function)->checkFeatures(
             "+avx512vl,+avx512dq");
}

/// 2^exponent, a normal number.
static Value *createPower(IRBuilder<> &b, Value *exponent, Type *type) {
  const fltSemantics &semantics = type->getScalarType()->getFltSemantics();
  unsigned fractionBits = APFloat::semanticsPrecision(semantics) - 1;
  int bias = APFloat::semanticsMaxExponent(semantics);
  Type *integer = exponent->getType();
  Value *biased = b.CreateAdd(exponent, ConstantInt::get(integer, bias));
  return b.CreateBitCast(b.CreateShl(biased, fractionBits), type);
}

static void expandScale(IntrinsicInst &scale) {
  IRBuilder<> b(&scale);
  Value *x = scale.getArgOperand(0), *exponent = scale.getArgOperand(1);
  Value *half = b.CreateAShr(exponent, 1), *rest = b.CreateSub(exponent, half);
  Value *product = b.CreateFMul(x, createPower(b, half, x->getType()));
  scale.replaceAllUsesWith(
      b.CreateFMul(product, createPower(b, rest, x->getType())));
  scale.eraseFromParent();
}

void tally::expandScales(Module &module, const TargetMachine &machine) {
  for (Function &function : module) {
    if (function.isDeclaration() || hasScaling(function, machine))
      continue;
    for (Instruction &each : make_early_inc_range(instructions(function)))
      if (auto *call = dyn_cast<IntrinsicInst>(&each);
          call && call->getIntrinsicID() == Intrinsic::ldexp)
        expandScale(*call);
  }
}
