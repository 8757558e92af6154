//===- GroupedProducts.cpp - Matmuls of groups of rows --------------------===//
//
// The mixtures of experts of transformers: rows of a matrix lie in groups, each
// of which has a matrix of its own. Where groups end is data.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Subgraphs.h"

using namespace mlir;

namespace tally::import_pt2 {

namespace {
/// Where groups begin and end in a dimension of `limit` elements.
struct Groups {
  Tensor starts, ends;
  Expr limit;
};

/// What a group begins with, and how many elements it has.
struct Group {
  Expr from, count;
};

using GroupBody =
    llvm::function_ref<Tensor(ArrayRef<Actual> inputs, Group group)>;
} // namespace

/// `ends` has an element for each of `count` groups.
static Groups makeGroups(Lowering &op, const Tensor &ends, Expr count,
                         Expr limit) {
  op.checkEqual(ends.sizes[0], count,
                Twine(op.target) + ": there are other groups than offsets");
  Expr one = op.literal(1);
  op.check(op.exprs.ge(count, one), Twine(op.target) + ": there is no group");
  Tensor before = op.slice(ends, 0, op.literal(0), op.exprs.sub(count, one));
  Tensor starts = op.concat({op.fill({one}, ends.dtype, 0.0), before}, 0);
  return {starts, ends, limit};
}

static Group getGroup(Lowering &op, const Groups &groups, const Tensor &start,
                      const Tensor &end) {
  Expr from = buildItem(op, start, /*recorded=*/nullptr);
  Expr to = buildItem(op, end, /*recorded=*/nullptr);
  constexpr StringLiteral rule =
      ": offsets must grow from 0, to the number of rows at most";
  op.check(op.exprs.ge(from, op.literal(0)), Twine(op.target) + rule);
  op.check(op.exprs.le(from, to), Twine(op.target) + rule);
  op.check(op.exprs.le(to, groups.limit), Twine(op.target) + rule);
  return {from, op.exprs.sub(to, from)};
}

/// Runs `body` for each group, whose inputs are what is carried, and of what is
/// sliced the part of the group. Returns what is carried at last, or, if
/// nothing is, what the body gives, a slice for each group.
static Tensor forGroups(Lowering &op, const Groups &groups, SliceLoop loop,
                        GroupBody body) {
  loop.length = groups.ends.sizes[0];
  loop.sliced.append({groups.starts, groups.ends});
  loop.body = [&](ArrayRef<Actual> inputs) -> FailureOr<SmallVector<Binding>> {
    Group group = getGroup(op, groups, *inputs[inputs.size() - 2].tensor,
                           *inputs.back().tensor);
    return SmallVector<Binding>{
        Binding{op.function.addTensor(body(inputs, group)), Expr()}};
  };
  return buildSliceLoop(op, loop)[0];
}

/// The rows of each group of `in` by its matrix; zero where there is no group.
static Tensor multiplyRows(Lowering &op, const Tensor &in, const Tensor &weight,
                           const Groups &groups) {
  SliceLoop loop;
  loop.carried = {op.fill({in.sizes[0], weight.sizes[2]}, in.dtype, 0.0)};
  loop.sliced = {weight};
  return forGroups(op, groups, loop, [&](ArrayRef<Actual> inputs, Group group) {
    Tensor product = buildMatmul(op, op.slice(in, 0, group.from, group.count),
                                 *inputs[1].tensor, in.dtype);
    return op.insertSlice(*inputs[0].tensor, product, 0, group.from);
  });
}

/// Each matrix by the columns of its group; zero where there is no group.
static Tensor multiplyColumns(Lowering &op, const Tensor &weight,
                              const Tensor &in, const Groups &groups) {
  SliceLoop loop;
  loop.carried = {op.fill({weight.sizes[1], in.sizes[1]}, in.dtype, 0.0)};
  loop.sliced = {weight};
  return forGroups(op, groups, loop, [&](ArrayRef<Actual> inputs, Group group) {
    Tensor product =
        buildMatmul(op, *inputs[1].tensor,
                    op.slice(in, 1, group.from, group.count), in.dtype);
    return op.insertSlice(*inputs[0].tensor, product, 1, group.from);
  });
}

/// The columns of each group of `a` by its rows of `b`: a matrix for each
/// group.
static Tensor multiplyInside(Lowering &op, const Tensor &a, const Tensor &b,
                             const Groups &groups) {
  SliceLoop loop;
  loop.stacked = {
      op.make({}, a.dtype, {groups.ends.sizes[0], a.sizes[0], b.sizes[1]})};
  return forGroups(op, groups, loop, [&](ArrayRef<Actual>, Group group) {
    return buildMatmul(op, op.slice(a, 1, group.from, group.count),
                       op.slice(b, 0, group.from, group.count), a.dtype);
  });
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Which of the four forms it is follows from the dimensions: groups are of
/// rows, of columns, or of what is summed; or there are none, but batches.
static void lowerGroupedMatmul(Lowering &op) {
  Tensor a = op.tensor("self"), b = op.tensor("mat2");
  std::optional<Tensor> ends = op.optionalTensor("offs");
  if (op.has("bias")) {
    (void)op.error("a bias is not supported, by PyTorch neither");
    return;
  }
  auto isMatrix = [](const Tensor &tensor) { return tensor.rank() == 2; };
  auto isBatch = [](const Tensor &tensor) { return tensor.rank() == 3; };
  if (!(isMatrix(a) || isBatch(a)) || !(isMatrix(b) || isBatch(b)) ||
      a.dtype != b.dtype) {
    (void)op.error("the operands must be matrices, or have three dimensions, "
                   "and elements of one type");
    return;
  }
  if (bool(ends) == (isBatch(a) && isBatch(b)) || (ends && ends->rank() != 1)) {
    (void)op.error(
        "offsets, a vector, are needed where an operand is a matrix, "
        "and only there");
    return;
  }
  op.checkEqual(a.sizes.back(), b.sizes[b.rank() - 2],
                Twine(op.target) + ": the summed sizes differ");
  Dtype dtype = op.has("out_dtype") ? op.resultDtype() : a.dtype;
  Tensor result = a;
  if (!ends)
    result = buildMatmul(op, a, b, a.dtype);
  else if (isBatch(b))
    result =
        multiplyRows(op, a, b, makeGroups(op, *ends, b.sizes[0], a.sizes[0]));
  else if (isBatch(a))
    result = multiplyColumns(op, a, b,
                             makeGroups(op, *ends, a.sizes[0], b.sizes[1]));
  else
    result = multiplyInside(op, a, b,
                            makeGroups(op, *ends, ends->sizes[0], a.sizes[1]));
  op.result(op.convert(result, dtype));
}

namespace {
/// The operands of the operators of transformers.
struct Experts {
  Tensor in, weight;
  Groups groups;
};
} // namespace

static std::optional<Experts> getExperts(Lowering &op) {
  Tensor in = op.tensor("input"), weight = op.tensor("weight");
  Tensor ends = op.tensor("offs");
  if (in.rank() != 2 || weight.rank() != 3 || ends.rank() != 1) {
    (void)op.error("the input must be a matrix, the weight of three "
                   "dimensions, and the offsets a vector");
    return std::nullopt;
  }
  op.checkEqual(in.sizes[1], weight.sizes[1],
                Twine(op.target) + ": the summed sizes differ");
  return Experts{in, weight,
                 makeGroups(op, ends, weight.sizes[0], in.sizes[0])};
}

static void lowerExperts(Lowering &op) {
  if (std::optional<Experts> experts = getExperts(op))
    op.result(multiplyRows(op, experts->in, experts->weight, experts->groups));
}

/// The gradients of the rows and of the matrices.
static void lowerExpertsBackward(Lowering &op) {
  std::optional<Experts> experts = getExperts(op);
  Tensor grad = op.tensor("grad_output");
  if (!experts)
    return;
  if (grad.rank() != 2) {
    (void)op.error("the gradient must be a matrix");
    return;
  }
  op.checkEqual(grad.sizes[0], experts->in.sizes[0],
                Twine(op.target) + ": the gradient has other rows");
  op.checkEqual(grad.sizes[1], experts->weight.sizes[2],
                Twine(op.target) + ": the gradient has other columns");
  op.result(multiplyRows(op, grad, op.permute(experts->weight, {0, 2, 1}),
                         experts->groups),
            0);
  op.result(multiplyInside(op, op.permute(experts->in, {1, 0}), grad,
                           experts->groups),
            1);
}

void addGroupedProducts(LoweringTable &table) {
  table.add("aten._grouped_mm.default", lowerGroupedMatmul);
  table.add("transformers.grouped_mm_fallback.default", lowerExperts);
  table.add("transformers.grouped_mm_fallback_backward.default",
            lowerExpertsBackward);
}

} // namespace tally::import_pt2
