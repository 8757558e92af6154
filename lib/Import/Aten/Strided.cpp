//===- Strided.cpp - Elements at given distances in memory ----------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace mlir;

namespace tally::import_pt2 {

namespace {
/// Elements at given distances in memory.
struct Strided {
  Expr offset;
  Sizes sizes, strides;

  /// Where an element is.
  Value getPosition(OpBuilder &b, Location loc, ValueRange indices, Value first,
                    ArrayRef<Value> steps) const {
    Value at = first;
    for (auto [index, step] : llvm::zip(indices, steps))
      at = arith::AddIOp::create(b, loc, at,
                                 arith::MulIOp::create(b, loc, index, step));
    return at;
  }
  SmallVector<Value> getSteps(Lowering &op) const {
    return llvm::map_to_vector(strides,
                               [&](Expr stride) { return op.size(stride); });
  }
};
} // namespace

/// Checks that all elements are the tensor's own.
static void checkWithin(Lowering &op, const Strided &strided, Expr count) {
  Expr last = strided.offset, zero = op.literal(0);
  SmallVector<Expr> conditions{op.exprs.ge(strided.offset, zero)};
  for (auto [size, stride] : llvm::zip(strided.sizes, strided.strides)) {
    conditions.push_back(op.exprs.ge(size, zero));
    conditions.push_back(op.exprs.ge(stride, zero));
    last = op.exprs.add(
        last, op.exprs.mul(op.exprs.sub(size, op.literal(1)), stride));
  }
  conditions.push_back(op.exprs.logicalOr(
      op.exprs.eq(op.product(strided.sizes), zero), op.exprs.lt(last, count)));
  op.check(op.exprs.logicalAnd(conditions),
           Twine(op.target) + ": the elements are out of bounds");
}

/// When no two elements are one in memory, for strides that become smaller: a
/// step goes beyond all that smaller ones reach.
static Expr getDistinctness(Lowering &op, const Strided &strided) {
  Expr reach = op.literal(0), one = op.literal(1);
  SmallVector<Expr> conditions;
  for (auto [size, stride] :
       llvm::reverse(llvm::zip(strided.sizes, strided.strides))) {
    conditions.push_back(
        op.exprs.logicalOr(op.exprs.le(size, one), op.exprs.gt(stride, reach)));
    reach = op.exprs.add(reach, op.exprs.mul(op.exprs.sub(size, one), stride));
  }
  return op.state.simplify(
      op.exprs.logicalOr(op.exprs.eq(op.product(strided.sizes), op.literal(0)),
                         op.exprs.logicalAnd(conditions)));
}

static Tensor readStrided(Lowering &op, const Tensor &in,
                          const Strided &strided) {
  Tensor flat = op.flatten(in);
  Value first = op.size(strided.offset);
  SmallVector<Value> steps = strided.getSteps(op);
  return op.generate(
      strided.sizes, in.dtype, [&](Scalars &s, ValueRange indices) -> Value {
        Value at = strided.getPosition(s.b, s.loc, indices, first, steps);
        return tensor::ExtractOp::create(s.b, s.loc, flat.value, at);
      });
}

/// Writes the elements of a view one after the other.
static Tensor writeInOrder(Lowering &op, const Tensor &base, const Tensor &view,
                           const Strided &strided) {
  Tensor flat = op.flatten(base);
  Value first = op.size(strided.offset);
  SmallVector<Value> steps = strided.getSteps(op);
  SmallVector<Value> loop =
      op.loop(strided.sizes, flat.value,
              [&](OpBuilder &b, ValueRange indices, ValueRange carry) {
                Value element =
                    tensor::ExtractOp::create(b, op.loc, view.value, indices);
                Value at =
                    strided.getPosition(b, op.loc, indices, first, steps);
                return SmallVector<Value>{
                    tensor::InsertOp::create(b, op.loc, element, carry[0], at)};
              });
  return reshapeBack(op, base, op.make(loop[0], flat.dtype, flat.sizes));
}

static Tensor writeStrided(Lowering &op, const Tensor &base, const Tensor &view,
                           const Strided &strided) {
  Expr isDistinct = getDistinctness(op, strided);
  if (isDistinct.isFalse()) {
    (void)op.error("an in-place update through a view of this kind is not "
                   "supported");
    return base;
  }
  op.check(isDistinct, Twine(op.target) + ": several elements of the updated "
                                          "tensor may be one in memory");
  return writeInOrder(op, base, view, strided);
}

/// How the elements are seen, and written back.
static ViewFns getStrided(Lowering &op, const Strided &strided) {
  Expr expected = op.literal(1);
  bool isRun = true;
  for (auto [size, stride] :
       llvm::reverse(llvm::zip(strided.sizes, strided.strides))) {
    isRun &= stride == expected || size.isConstant(1);
    expected = op.exprs.mul(expected, size);
  }
  if (!isRun)
    return {[=](Lowering &op, const Tensor &in) {
              return readStrided(op, in, strided);
            },
            [=](Lowering &op, const Tensor &base, const Tensor &view) {
              return writeStrided(op, base, view, strided);
            }};
  return {[=](Lowering &op, const Tensor &in) {
            return op.reshape(op.slice(op.flatten(in), 0, strided.offset,
                                       op.product(strided.sizes)),
                              strided.sizes);
          },
          [=](Lowering &op, const Tensor &base, const Tensor &view) {
            return reshapeBack(op, base,
                               op.insertSlice(op.flatten(base),
                                              op.flatten(view), 0,
                                              strided.offset));
          }};
}

/// Elements at given distances in memory, which must be the tensor's own and in
/// its order. What has no distance is repeated.
static void lowerAsStrided(Lowering &op) {
  int64_t slot = op.slotOf("self");
  Strided strided{op.symInt("storage_offset", 0), op.symInts("size"),
                  op.symInts("stride")};
  if (slot < 0)
    return;
  if (op.function.getSlot(slot).base >= 0 ||
      !isContiguousArgument(op, "self") ||
      strided.sizes.size() != strided.strides.size()) {
    (void)op.error("only whole, contiguous tensors are supported");
    return;
  }
  checkWithin(op, strided, op.numel(op.tensor("self")));
  Sizes sizes = strided.sizes;
  for (auto [size, stride] : llvm::zip(strided.sizes, strided.strides))
    if (stride.isConstant(0))
      size = op.state.simplify(op.exprs.min(size, op.literal(1)));
  ViewFns fns = getStrided(op, strided);
  if (strided.sizes == sizes)
    return op.resultView("self", fns.view, fns.writeBack);
  int64_t once = op.function.addView(
      slot, fns.view(op, op.function.read(slot, op)), fns.view, fns.writeBack);
  op.resultViewOf(
      once,
      [sizes](Lowering &op, const Tensor &in) { return op.expand(in, sizes); },
      unexpand);
  noteRepeats(op);
}

/// A copy of a tensor with the elements of another one at given distances in
/// memory; of several for one place, the last.
static void lowerAsStridedScatter(Lowering &op) {
  Tensor self = op.tensor("self"), source = op.tensor("src");
  Strided strided{op.symInt("storage_offset", 0), op.symInts("size"),
                  op.symInts("stride")};
  if (!isContiguousArgument(op, "self") ||
      strided.sizes.size() != strided.strides.size()) {
    (void)op.error("only contiguous tensors are supported");
    return;
  }
  checkWithin(op, strided, op.numel(self));
  source = op.expand(op.convert(source, self.dtype), strided.sizes);
  op.result(writeInOrder(op, self, source, strided));
}

void addStrided(LoweringTable &table) {
  table.add("aten.as_strided_scatter.default", lowerAsStridedScatter);
  table.add("aten.as_strided.default", lowerAsStrided);
}

} // namespace tally::import_pt2
