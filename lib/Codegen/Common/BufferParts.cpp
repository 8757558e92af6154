//===- BufferParts.cpp - Parts of a buffer that share no element ----------===//

#include "BufferParts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

/// Adds what an index is the sum of; returns the constant part.
static int64_t addTerms(OpFoldResult index, SmallVectorImpl<Value> &terms) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return *constant;
  Value value = cast<Value>(index);
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    return addTerms(sum.getLhs(), terms) + addTerms(sum.getRhs(), terms);
  auto apply = value.getDefiningOp<affine::AffineApplyOp>();
  AffineMap map = apply ? apply.getAffineMap() : AffineMap();
  SmallVector<AffineExpr> open;
  if (map)
    open.push_back(map.getResult(0));
  SmallVector<Value> found;
  int64_t constant = 0;
  while (!open.empty()) {
    AffineExpr expr = open.pop_back_val();
    if (expr.getKind() == AffineExprKind::Add) {
      open.push_back(cast<AffineBinaryOpExpr>(expr).getLHS());
      open.push_back(cast<AffineBinaryOpExpr>(expr).getRHS());
    } else if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
      constant += number.getValue();
    } else if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      found.push_back(apply.getOperands()[dim.getPosition()]);
    } else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
      found.push_back(
          apply.getOperands()[map.getNumDims() + symbol.getPosition()]);
    } else {
      terms.push_back(value);
      return 0;
    }
  }
  if (!map)
    found.push_back(value);
  terms.append(found);
  return constant;
}

/// Whether `later` starts behind the end of `first`: what is left of its offset
/// are sizes of other parts.
static bool startsBehind(memref::SubViewOp first, memref::SubViewOp later,
                         unsigned dim, const llvm::DenseSet<Value> &sizes) {
  SmallVector<Value> ends, starts;
  int64_t end = addTerms(first.getMixedOffsets()[dim], ends) +
                addTerms(first.getMixedSizes()[dim], ends);
  int64_t start = addTerms(later.getMixedOffsets()[dim], starts);
  for (Value term : ends) {
    auto *it = llvm::find(starts, term);
    if (it == starts.end())
      return false;
    starts.erase(it);
  }
  return start >= end &&
         llvm::all_of(starts, [&](Value term) { return sizes.contains(term); });
}

bool tally::codegen::areApart(Value a, Value b,
                              const llvm::DenseSet<Value> &sizes) {
  auto first = a.getDefiningOp<memref::SubViewOp>();
  auto second = b.getDefiningOp<memref::SubViewOp>();
  if (!first || !second || first.getSource() != second.getSource() ||
      !first.hasUnitStride() || !second.hasUnitStride())
    return false;
  return llvm::any_of(llvm::seq(first.getSourceType().getRank()),
                      [&](unsigned dim) {
                        return startsBehind(first, second, dim, sizes) ||
                               startsBehind(second, first, dim, sizes);
                      });
}
