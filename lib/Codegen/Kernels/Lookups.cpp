//===- Lookups.cpp - Elements that a body looks up itself -----------------===//

#include "Lookups.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

bool tally::codegen::knowsLoopsWithout(linalg::GenericOp op, OpOperand &input) {
  llvm::SmallBitVector known(op.getNumLoops());
  for (OpOperand &other : op->getOpOperands())
    if (&other != &input)
      for (AffineExpr expr : op.getMatchingIndexingMap(&other).getResults())
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          known.set(dim.getPosition());
  return op.isDpsInput(&input) && op.hasPureTensorSemantics() && known.all();
}

void tally::codegen::replaceInput(
    linalg::GenericOp op, OpOperand &input,
    llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> create) {
  OpBuilder builder(op);
  AffineMap map = op.getMatchingIndexingMap(&input);
  unsigned number = input.getOperandNumber();
  SmallVector<Value> inputs = op.getDpsInputs();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  inputs.erase(inputs.begin() + number);
  maps.erase(maps.begin() + number);
  auto made = linalg::GenericOp::create(
      builder, op.getLoc(), op->getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray());
  Block &body = op.getRegion().front();
  made.getRegion().takeBody(op.getRegion());
  builder.setInsertionPointToStart(&body);
  SmallVector<Value> loops;
  for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
    loops.push_back(linalg::IndexOp::create(builder, op.getLoc(), loop));
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(
        affine::expandAffineExpr(builder, op.getLoc(), expr, loops, {}));
  BlockArgument element = body.getArgument(number);
  if (!element.use_empty())
    element.replaceAllUsesWith(create(builder, op.getLoc(), indices));
  body.eraseArgument(number);
  op->replaceAllUsesWith(made->getResults());
  op->erase();
}
