//===- Products.cpp - Products made of other products ---------------------===//
//
//===----------------------------------------------------------------------===//

#include "LinearAlgebra.h"
#include "Subgraphs.h"

#include <map>

using namespace mlir;

namespace tally::import_pt2 {

static Tensor multiply(Lowering &op, const Operand &x, const Operand &y) {
  SmallVector<Operand> operands{x, y};
  Dtype dtype = promote(operands);
  return op.map(operands, dtype, dtype, [](Scalars &s, ArrayRef<Value> args) {
    return s.mul(args[0], args[1]);
  });
}

/// The sum over the last dimensions of both.
static void lowerInner(Lowering &op) {
  Tensor x = op.tensor("self"), y = op.tensor("other");
  if (x.rank() == 0 || y.rank() == 0)
    return op.result(multiply(op, x, y));
  Sizes sizes(x.sizes.begin(), x.sizes.end() - 1);
  sizes.append(y.sizes.begin(), y.sizes.end() - 1);
  auto asMatrix = [&](const Tensor &tensor) {
    Expr rows = op.product(ArrayRef(tensor.sizes).drop_back());
    return op.reshape(tensor, {rows, tensor.sizes.back()});
  };
  Tensor product = buildMatmul(op, asMatrix(x), op.permute(asMatrix(y), {1, 0}),
                               op.resultDtype());
  op.result(op.reshape(product, sizes));
}

/// Sums over listed dimensions of both, in their order.
static void lowerTensorDot(Lowering &op) {
  Tensor x = op.tensor("self"), y = op.tensor("other");
  auto getDims = [&](StringRef name, const Tensor &in) {
    SmallVector<int64_t> dims;
    for (int64_t dim : op.integers(name))
      dims.push_back(op.wrapDim(dim, in.rank()));
    return dims;
  };
  SmallVector<int64_t> xDims = getDims("dims_self", x);
  SmallVector<int64_t> yDims = getDims("dims_other", y);
  if (op.hasFailed())
    return;
  if (xDims.size() != yDims.size()) {
    (void)op.error("the lists of dimensions differ in length");
    return;
  }
  // A summed dimension of size 1 is broadcast: the other's is summed right
  // away.
  auto sumAlone = [&](Tensor &in, int64_t dim, bool othersIsOne) {
    if (othersIsOne && !in.isOne(dim))
      in = op.keepDims(op.sum(in, {dim}, in.dtype), {dim});
  };
  for (auto [mine, its] : llvm::zip(xDims, yDims)) {
    bool isOne = x.isOne(mine);
    sumAlone(x, mine, y.isOne(its));
    sumAlone(y, its, isOne);
    op.checkEqual(x.sizes[mine], y.sizes[its],
                  Twine(op.target) + ": the summed sizes differ");
  }
  // Both as matrices: what stays, and what is summed.
  Sizes sizes;
  auto asMatrix = [&](const Tensor &in, ArrayRef<int64_t> summed, bool first) {
    SmallVector<int64_t> order;
    Expr rows = op.literal(1), columns = op.literal(1);
    for (int64_t dim = 0; dim < in.rank(); ++dim) {
      if (llvm::is_contained(summed, dim))
        continue;
      order.push_back(dim);
      sizes.push_back(in.sizes[dim]);
      rows = op.exprs.mul(rows, in.sizes[dim]);
    }
    for (int64_t dim : summed)
      columns = op.exprs.mul(columns, in.sizes[dim]);
    order.insert(first ? order.end() : order.begin(), summed.begin(),
                 summed.end());
    return op.reshape(op.permute(in, order),
                      first ? Sizes{rows, columns} : Sizes{columns, rows});
  };
  Tensor left = asMatrix(x, xDims, true), right = asMatrix(y, yDims, false);
  op.result(op.reshape(buildMatmul(op, left, right, op.resultDtype()), sizes));
}

/// Every element of one times the whole of the other.
static void lowerKron(Lowering &op) {
  Tensor x = op.tensor("self"), y = op.tensor("other");
  int64_t rank = std::max(x.rank(), y.rank());
  while (x.rank() < rank)
    x = op.unsqueeze(x, 0);
  while (y.rank() < rank)
    y = op.unsqueeze(y, 0);
  Sizes xSizes, ySizes, sizes;
  for (auto [a, c] : llvm::zip(x.sizes, y.sizes)) {
    xSizes.append({a, op.literal(1)});
    ySizes.append({op.literal(1), c});
    sizes.push_back(op.exprs.mul(a, c));
  }
  op.result(op.reshape(
      multiply(op, op.reshape(x, xSizes), op.reshape(y, ySizes)), sizes));
}

/// The vector product along a dimension of size 3.
static void lowerCross(Lowering &op) {
  Tensor x = op.tensor("self"), y = op.tensor("other");
  // Without a dimension, torch.cross takes the first one of size 3.
  int64_t dim = x.rank() - 1;
  if (op.has("dim"))
    dim = op.dim("dim", x.rank());
  else if (op.node.target.find("linalg") == std::string::npos)
    for (int64_t i = x.rank() - 1; i >= 0; --i)
      if (x.sizes[i].isConstant(3))
        dim = i;
  if (x.rank() == 0 || x.rank() != y.rank()) {
    (void)op.error("the operands differ in their number of dimensions");
    return;
  }
  auto part = [&](const Tensor &in, int64_t i) {
    return op.slice(in, dim, op.literal(i), op.literal(1));
  };
  for (const Tensor &in : {x, y})
    op.checkEqual(in.sizes[dim], op.literal(3),
                  Twine(op.target) + ": the vectors must have three elements");
  SmallVector<Tensor> parts;
  Dtype dtype = getComputeDtype(promoteTypes(x.dtype, y.dtype));
  for (int64_t i = 0; i < 3; ++i) {
    int64_t j = (i + 1) % 3, k = (i + 2) % 3;
    parts.push_back(op.map({part(x, j), part(y, k), part(x, k), part(y, j)},
                           dtype, dtype, [](Scalars &s, ArrayRef<Value> args) {
                             return s.sub(s.mul(args[0], args[1]),
                                          s.mul(args[2], args[3]));
                           }));
  }
  op.result(op.concat(parts, dim));
}

/// beta * self + alpha * product.
static void resultAdded(Lowering &op, const Tensor &product) {
  Operand self = op.tensor("self");
  Dtype dtype = getComputeDtype(getResultType({self, Operand(product)}));
  Expr factor = op.number("beta", 1);
  bool ignoresSelf = isLiteralZero(factor);
  Operand beta(op.parameter(factor, dtype), dtype);
  Operand alpha(op.parameter(op.number("alpha", 1), dtype), dtype);
  SmallVector<Operand> operands{product, alpha};
  if (!ignoresSelf)
    operands.append({self, beta});
  op.result(op.map(
      operands, dtype, dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value scaled = s.mul(args[0], args[1]);
        return ignoresSelf ? scaled : s.add(scaled, s.mul(args[2], args[3]));
      },
      product.sizes));
}

static void lowerAddr(Lowering &op) {
  Tensor x = op.tensor("vec1"), y = op.tensor("vec2");
  resultAdded(op, multiply(op, op.unsqueeze(x, 1), y));
}

/// The sum of the products of a batch.
static void lowerAddbmm(Lowering &op) {
  Tensor x = op.tensor("batch1"), y = op.tensor("batch2");
  Dtype dtype = getComputeDtype(promoteTypes(x.dtype, y.dtype));
  resultAdded(op, op.sum(buildMatmul(op, x, y, dtype), {0}, dtype));
}

namespace {

/// Factors that are multiplied as matrices; the first and the last may be
/// vectors.
class MatrixChain {
public:
  MatrixChain(Lowering &op, SmallVector<Tensor> factors)
      : op(op), factors(std::move(factors)) {
    findSplits();
  }

  Tensor multiply() { return multiply(0, factors.size() - 1); }

private:
  /// Finds the order with the fewest multiplications, if sizes are known.
  void findSplits();
  Tensor multiply(size_t first, size_t last);

  Lowering &op;
  SmallVector<Tensor> factors;
  /// The last one on the left of the last product of those from `first` to
  /// `last`; empty if they are multiplied from left to right.
  std::map<std::pair<size_t, size_t>, size_t> splits;
};

} // namespace

void MatrixChain::findSplits() {
  // Of each the rows, and the columns of the last one.
  SmallVector<double> sizes;
  for (const Tensor &factor : factors) {
    Expr rows = factor.rank() == 2 || &factor != &factors.front()
                    ? factor.sizes.front()
                    : op.literal(1);
    sizes.push_back(rows.isConstant() ? double(*rows.getInt64()) : 0);
    if (!rows.isConstant())
      return;
  }
  const Tensor &end = factors.back();
  Expr columns = end.rank() == 2 ? end.sizes.back() : op.literal(1);
  if (!columns.isConstant())
    return;
  sizes.push_back(double(*columns.getInt64()));
  std::map<std::pair<size_t, size_t>, double> costs;
  for (size_t length = 2; length <= factors.size(); ++length)
    for (size_t first = 0; first + length <= factors.size(); ++first) {
      size_t last = first + length - 1;
      for (size_t split = first; split < last; ++split) {
        double cost = costs[{first, split}] + costs[{split + 1, last}] +
                      sizes[first] * sizes[split + 1] * sizes[last + 1];
        auto [known, isNew] = costs.try_emplace({first, last}, cost);
        if (!isNew && known->second <= cost)
          continue;
        known->second = cost;
        splits[{first, last}] = split;
      }
    }
}

Tensor MatrixChain::multiply(size_t first, size_t last) {
  if (first == last)
    return factors[first];
  auto known = splits.find({first, last});
  size_t split = known == splits.end() ? last - 1 : known->second;
  Tensor left = multiply(first, split), right = multiply(split + 1, last);
  return buildMatmul(op, left, right,
                     getComputeDtype(promoteTypes(left.dtype, right.dtype)));
}

static void lowerChain(Lowering &op) {
  SmallVector<Tensor> factors =
      op.tensors(op.has("matrices") ? "matrices" : "tensors");
  if (!op.hasFailed())
    op.result(MatrixChain(op, std::move(factors)).multiply());
}

static void lowerMatrixPower(Lowering &op) {
  Tensor in = op.tensor("self", 2);
  int64_t power = op.integer("n", 1), rank = in.rank();
  op.checkEqual(in.sizes[rank - 2], in.sizes[rank - 1],
                Twine(op.target) + ": the matrix is not square");
  // Of an inverse, where the power is negative.
  if (power < 0) {
    auto [inverse, info] = buildInverse(op, getSquare(op, "self"));
    checkInfo(op, info, "linalg.inv");
    in = inverse;
    power = -power;
  }
  if (power == 0)
    return op.result(buildIdentity(op, in));
  op.result(buildMatrixPower(in, power, [&](const Tensor &x, const Tensor &y) {
    return buildMatmul(op, x, y, in.dtype);
  }));
}

/// out[..., k] = sum_ij x[..., i] weight[k, i, j] y[..., j] + bias[k]
static void lowerBilinear(Lowering &op) {
  Tensor x = op.tensor("input1"), y = op.tensor("input2");
  Tensor weight = op.tensor("weight");
  std::optional<Tensor> bias = op.optionalTensor("bias");
  if (x.rank() == 0 || x.rank() != y.rank() || weight.rank() != 3) {
    (void)op.error("both inputs must have the same dimensions, and the weight "
                   "must have three");
    return;
  }
  Dtype dtype = getComputeDtype(x.dtype);
  unsigned lead = unsigned(x.rank() - 1);
  for (auto [mine, its] : llvm::zip(ArrayRef(x.sizes).drop_back(), y.sizes))
    op.checkEqual(mine, its, Twine(op.target) + ": the inputs differ in size");
  for (int64_t dim : {1, 2})
    op.checkEqual((dim == 1 ? x : y).sizes.back(), weight.sizes[dim],
                  Twine(op.target) + ": the summed sizes differ");
  auto getMap = [&](unsigned loops, unsigned fromLead,
                    ArrayRef<unsigned> others) {
    SmallVector<AffineExpr> results;
    for (unsigned loop = 0; loop < fromLead; ++loop)
      results.push_back(op.b.getAffineDimExpr(loop));
    for (unsigned loop : others)
      results.push_back(op.b.getAffineDimExpr(loop));
    return AffineMap::get(loops, 0, results, op.b.getContext());
  };
  // One matmul first, of all rows of x and the weight.
  Sizes sizes(x.sizes.begin(), x.sizes.end() - 1);
  sizes.append({weight.sizes[0], weight.sizes[2]});
  unsigned k = lead, j = lead + 1, i = lead + 2;
  Tensor half =
      op.contract(x, getMap(lead + 3, lead, {i}), weight,
                  getMap(lead + 3, 0, {k, i, j}), sizes, lead + 3, dtype);
  sizes.pop_back();
  Tensor sum = op.contract(half, getMap(lead + 2, lead, {k, j}), y,
                           getMap(lead + 2, lead, {j}), sizes, lead + 2, dtype);
  op.result(bias ? op.map({sum, *bias}, dtype, dtype,
                          [](Scalars &s, ArrayRef<Value> args) {
                            return s.add(args[0], args[1]);
                          })
                 : sum);
}

void addProducts(LoweringTable &table) {
  table.add("aten.inner.default", lowerInner);
  table.add("aten.tensordot.default", lowerTensorDot);
  table.add("aten.kron.default", lowerKron);
  table.add("aten.cross.default", lowerCross);
  table.add("aten.linalg_cross.default", lowerCross);
  table.add("aten.addr.default", lowerAddr);
  table.add("aten.addbmm.default", lowerAddbmm);
  table.add("aten.chain_matmul.default", lowerChain);
  table.add("aten.linalg_multi_dot.default", lowerChain);
  table.add("aten.matrix_power.default", lowerMatrixPower);
  table.add("aten.linalg_matrix_power.default", lowerMatrixPower);
  table.add("aten.bilinear.default", lowerBilinear);
}

} // namespace tally::import_pt2
