//===- PadGradients.cpp - Gradients of what repeats its border ------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace mlir;

namespace tally::import_pt2 {

/// The element of a dimension that each one of the padded dimension repeats.
static Tensor buildSources(Lowering &op, Expr padded, Expr low, Expr size,
                           bool reflects) {
  Value before = op.scalar(low, Dtype::I64);
  Value last = op.scalar(op.exprs.sub(size, op.literal(1)), Dtype::I64);
  return op.map({buildIndices(op, padded)}, Dtype::I64, Dtype::I64,
                [&](Scalars &s, ArrayRef<Value> args) {
                  Value place = s.sub(args[0], before), zero = s.integer(0);
                  if (reflects) {
                    Value back = s.abs(place);
                    place = s.min(back, s.sub(s.add(last, last), back));
                  }
                  return s.max(s.min(place, last), zero);
                });
}

/// Every element gets the gradients of all those that repeat it.
template <bool reflects>
static void lowerPadBackward(Lowering &op) {
  Tensor in = op.tensor("self"), grad = op.tensor("grad_output");
  Sizes padding = op.symInts("padding"), padded = in.sizes;
  int64_t count = int64_t(padding.size()) / 2, rank = in.rank();
  if (rank < count) {
    (void)op.error("there is more padding than dimensions");
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    int64_t dim = rank - 1 - i;
    Expr low = padding[2 * i], high = padding[2 * i + 1];
    padded[dim] = op.state.simplify(op.exprs.sum({in.sizes[dim], low, high}));
    Expr least = op.literal(1);
    if (reflects)
      least = op.exprs.add(op.exprs.max({low, high, op.literal(0)}), least);
    op.check(Comparison::le(least, in.sizes[dim]),
             Twine(op.target) + ": too few elements for the padding");
  }
  if (!checkSizes(op, grad, padded))
    return;
  Dtype dtype = getComputeDtype(in.dtype);
  grad =
      op.convert(op.make(op.cast(grad.value, op.tensorType(padded, grad.dtype)),
                         grad.dtype, padded),
                 dtype);
  for (int64_t i = 0; i < count; ++i) {
    int64_t dim = rank - 1 - i;
    Expr size = in.sizes[dim];
    Tensor sources =
        buildSources(op, padded[dim], padding[2 * i], size, reflects);
    Tensor index = op.expand(alongDim(op, sources, rank, dim), grad.sizes);
    Sizes sizes = grad.sizes;
    sizes[dim] = size;
    grad = buildScatterAdd(op, op.fill(sizes, dtype, 0.0), dim, index, grad);
  }
  op.result(grad);
}

void addPadGradients(LoweringTable &table) {
  for (StringRef dims : {"1d", "2d", "3d"}) {
    table.add(("aten.reflection_pad" + dims + "_backward.default").str(),
              lowerPadBackward<true>);
    table.add(("aten.replication_pad" + dims + "_backward.default").str(),
              lowerPadBackward<false>);
  }
}

} // namespace tally::import_pt2
