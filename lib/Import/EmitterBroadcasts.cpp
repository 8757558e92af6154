//===- EmitterBroadcasts.cpp - Sizes of operands that are repeated --------===//
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tally::import_pt2 {

/// A size that is 0 or 1, as min(n, 1), is repeated where it is 1; where it is
/// 0, so is what it is repeated to.
static bool isAtMostOne(FunctionState &state, Expr size) {
  return !size.isConstant() && state.facts.range(size).isAtMost(1);
}

/// Returns true if two sizes are equal only because torch.export takes for
/// granted that no size is 0 or 1: min(n, 2) and 2, say. The first one is 1
/// then, and repeated, where n is.
static bool areEqualWhereTraced(FunctionState &state, Expr size, Expr other) {
  if (size.isConstant() || state.facts.range(size).isAtLeast(2))
    return false;
  Expr equal = state.exprs.eq(size, other);
  if (state.simplify(equal).isTrue())
    return false;
  symbolic::Facts::Scope scope(state.facts);
  for (Expr symbol : state.exprs.freeSymbols(size))
    state.facts.add(state.exprs.le(state.exprs.constant(2), symbol));
  return state.simplify(equal).isTrue();
}

Sizes Emitter::broadcastSizes(ArrayRef<Operand> operands) {
  int64_t rank = 0;
  for (const Operand &operand : operands)
    if (operand.tensor)
      rank = std::max(rank, operand.tensor->rank());
  Sizes sizes(rank, literal(1));
  for (int64_t i = 0; i < rank; ++i) {
    Expr atMostOne, mayBeOne;
    for (const Operand &operand : operands) {
      if (!operand.tensor)
        continue;
      int64_t dim = i - (rank - operand.tensor->rank());
      if (dim < 0)
        continue;
      Expr size = operand.tensor->sizes[dim];
      if (isAtMostOne(state, size)) {
        atMostOne = atMostOne ? exprs.min(atMostOne, size) : size;
        continue;
      }
      if (operand.tensor->isOne(dim))
        continue;
      if (operand.tensor->mayBeOne(dim)) {
        mayBeOne = mayBeOne ? mayBeOne : size;
        continue;
      }
      // A literal says most.
      if (sizes[i].isConstant(1) ||
          (size.isConstant() && !sizes[i].isConstant()))
        sizes[i] = size;
    }
    if (sizes[i].isConstant(1) && mayBeOne)
      sizes[i] = mayBeOne;
    if (sizes[i].isConstant(1) && atMostOne)
      sizes[i] = atMostOne;
  }
  return sizes;
}

Sizes Emitter::broadcastAtRunTime(Tensor &a, Tensor &b) {
  Sizes sizes = broadcastSizes({Operand(a), Operand(b)});
  for (int64_t dim = 1; dim <= std::min(a.rank(), b.rank()); ++dim) {
    Expr sizeOfA = a.sizes[a.rank() - dim], sizeOfB = b.sizes[b.rank() - dim];
    Expr aIsOne = state.simplify(exprs.eq(sizeOfA, literal(1)));
    Expr bIsOne = state.simplify(exprs.eq(sizeOfB, literal(1)));
    if (a.isOne(a.rank() - dim) || b.isOne(b.rank() - dim) || aIsOne.isTrue() ||
        bIsOne.isTrue() || state.simplify(exprs.eq(sizeOfA, sizeOfB)).isTrue())
      continue;
    for (auto [tensor, isOne] : {std::pair(&a, aIsOne), std::pair(&b, bIsOne)})
      if (!isOne.isFalse()) {
        tensor->tracedOne.resize(tensor->rank());
        tensor->tracedOne[tensor->rank() - dim] = true;
      }
    sizes[int64_t(sizes.size()) - dim] =
        state.simplify(exprs.select(aIsOne, sizeOfB, sizeOfA));
  }
  return sizes;
}

/// Gives a dimension that is 0 or 1, and is broadcast to a size, an element in
/// any case: where it has none, nobody reads it.
static Tensor padToOne(Emitter &e, const Tensor &in, int64_t dim, Expr size) {
  Expr one = e.literal(1);
  e.check(e.exprs.logicalOr(e.exprs.eq(in.sizes[dim], one),
                            e.exprs.eq(in.sizes[dim], size)),
          Twine(e.target) + ": the size must be 1");
  Sizes sizes = in.sizes;
  sizes[dim] = one;
  Tensor zeros = e.fill(sizes, in.dtype, 0.0);
  Tensor padded = e.insertSlice(zeros, in, dim, e.literal(0));
  padded.recordedOne = in.recordedOne;
  return padded;
}

/// Gives a dimension that has a size, or is 1 and broadcast to it, that size.
static Tensor repeatIfOne(Emitter &e, const Tensor &in, int64_t dim,
                          Expr size) {
  Sizes sizes = in.sizes;
  sizes[dim] = size;
  Value isSize = e.scalar(e.exprs.eq(in.sizes[dim], size), Dtype::Bool);
  auto ifOp = scf::IfOp::create(
      e.b, e.loc, TypeRange{e.tensorType(sizes, in.dtype)}, isSize,
      /*addThenBlock=*/true, /*addElseBlock=*/true);
  auto build = [&](Block *block, function_ref<Tensor()> fn) {
    FunctionState::RegionScope scope(e.state, /*isClosed=*/false);
    e.b.setInsertionPointToStart(block);
    Value value = fn().value;
    scf::YieldOp::create(e.b, e.loc, value);
  };
  build(ifOp.thenBlock(), [&] { return e.slice(in, dim, e.literal(0), size); });
  build(ifOp.elseBlock(),
        [&] { return e.expand(e.withStaticSize(in, dim, 1), sizes); });
  Tensor repeated = in;
  repeated.value = ifOp.getResult(0);
  repeated.sizes = sizes;
  if (repeated.mayBeOne(dim))
    repeated.tracedOne[dim] = false;
  return repeated;
}

bool Emitter::broadcastDim(Tensor &tensor, int64_t dim, Expr size) {
  if (tensor.sizes[dim] == size)
    return false;
  if (isAtMostOne(state, tensor.sizes[dim]))
    tensor = padToOne(*this, tensor, dim, size);
  if (tensor.isOne(dim) && !size.isConstant(1)) {
    tensor = withStaticSize(tensor, dim, 1);
    return true;
  }
  bool mayBeOne = tensor.mayBeOne(dim) && !size.isConstant(1) &&
                  !state.simplify(exprs.eq(tensor.sizes[dim], size)).isTrue();
  if (mayBeOne || areEqualWhereTraced(state, tensor.sizes[dim], size))
    tensor = repeatIfOne(*this, tensor, dim, size);
  return false;
}

/// Gives the map that reads an operand in a loop nest over `sizes`.
Value Emitter::broadcastOperand(Tensor tensor, ArrayRef<Expr> sizes,
                                AffineMap &map) {
  int64_t rank = int64_t(sizes.size());
  int64_t offset = rank - tensor.rank();
  if (offset < 0) {
    (void)error("a tensor of " + Twine(tensor.rank()) +
                " dimensions cannot be broadcast to " + Twine(rank));
    map = identityMap(rank);
    return empty(sizes, tensor.dtype);
  }
  SmallVector<AffineExpr> exprsOfMap;
  for (int64_t dim = 0; dim < tensor.rank(); ++dim) {
    bool repeats = broadcastDim(tensor, dim, sizes[dim + offset]);
    // There is no operation that would ask for it.
    if (!repeats && isNothing(sizes))
      checkEqual(tensor.sizes[dim], sizes[dim + offset],
                 Twine(target) + ": the sizes do not broadcast");
    exprsOfMap.push_back(repeats ? b.getAffineConstantExpr(0)
                                 : b.getAffineDimExpr(dim + offset));
  }
  map = AffineMap::get(unsigned(rank), 0, exprsOfMap, b.getContext());
  return tensor.value;
}

} // namespace tally::import_pt2
