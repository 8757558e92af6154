//===- ComplexMatmul.cpp - Products of matrices of complex numbers --------===//
//
// One matmul of real numbers: the columns of its second operand are both parts
// of the columns, as they lie in memory, and the rows of the first one are the
// parts of the rows.
//
//===----------------------------------------------------------------------===//

#include "Complex.h"

using namespace mlir;

namespace tally::import_pt2 {

/// A matrix of pairs with two dimensions joined: columns and parts, or rows and
/// parts.
static Tensor joinDims(Lowering &op, const Tensor &in, int64_t dim) {
  Sizes sizes(in.sizes);
  sizes[dim] = op.product({sizes[dim], sizes[dim + 1]});
  sizes.erase(sizes.begin() + dim + 1);
  return op.reshape(in, sizes);
}

/// Two dimensions exchanged.
static Tensor exchange(Lowering &op, const Tensor &in, int64_t dim,
                       int64_t other) {
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(in.rank()));
  std::swap(permutation[dim], permutation[other]);
  return op.permute(in, permutation);
}

/// An element at a place in one dimension.
static Tensor pick(Lowering &op, const Tensor &in, int64_t dim, int64_t at) {
  return op.squeeze(op.slice(in, dim, op.literal(at), op.literal(1)), {dim});
}

static Tensor negate(Lowering &op, const Tensor &in) {
  return op.map({in}, in.dtype, in.dtype, [](Scalars &s, ArrayRef<Value> args) {
    return s.neg(args[0]);
  });
}

/// Of a product of parts of rows and parts of columns, [..., m, 2, n, 2], the
/// sums that make pairs.
static Tensor buildSums(Lowering &op, const Tensor &products) {
  int64_t row = products.rank() - 3;
  auto get = [&](int64_t a, int64_t b) {
    return pick(op, pick(op, products, row, a), row + 1, b);
  };
  auto combine = [&](const Tensor &x, const Tensor &y, bool subtracts) {
    return op.map(
        {x, y}, x.dtype, x.dtype, [&](Scalars &s, ArrayRef<Value> args) {
          return subtracts ? s.sub(args[0], args[1]) : s.add(args[0], args[1]);
        });
  };
  return buildPairs(op, combine(get(0, 0), get(1, 1), true),
                    combine(get(0, 1), get(1, 0), false));
}

/// [batch..., m, k, 2] x [batch..., k, n, 2]
static Tensor buildProduct(Lowering &op, const Tensor &a, const Tensor &b,
                           Dtype dtype) {
  int64_t row = a.rank() - 3, column = b.rank() - 2;
  Tensor rows = joinDims(op, exchange(op, a, row + 1, row + 2), row);
  Tensor product = buildMatmul(op, rows, joinDims(op, b, column), dtype);
  Sizes sizes(product.sizes.begin(), product.sizes.end() - 2);
  sizes.append({a.sizes[row], op.literal(2), b.sizes[column], op.literal(2)});
  return buildSums(op, op.reshape(product, sizes));
}

/// Of [..., m, k, 2] what has the real and the imaginary parts of products with
/// rows of pairs as sums along memory, [..., m, 2, k, 2]: [re, -im] and [im,
/// re] of each row.
static Tensor buildFactors(Lowering &op, const Tensor &pairs) {
  Tensor re = getPart(op, pairs, 0), im = getPart(op, pairs, 1);
  int64_t rank = re.rank();
  Sizes sizes(re.sizes);
  sizes.insert(sizes.end() - 1, op.literal(2));
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i <= rank; ++i)
    if (i != rank - 1)
      exprs.push_back(op.b.getAffineDimExpr(unsigned(i)));
  AffineMap map =
      AffineMap::get(unsigned(rank + 1), 0, exprs, op.b.getContext());
  // An element of the first row, or of the second one.
  auto build = [&](const Tensor &first, const Tensor &second) {
    auto generic = linalg::GenericOp::create(
        op.b, op.loc, op.tensorType(sizes, re.dtype),
        ValueRange{first.value, second.value}, op.empty(sizes, re.dtype),
        ArrayRef<AffineMap>{map, map, op.identityMap(rank + 1)},
        op.parallel(rank + 1),
        [&](OpBuilder &b, Location loc, ValueRange args) {
          Value row = linalg::IndexOp::create(b, loc, uint64_t(rank - 1));
          Value zero = arith::ConstantIndexOp::create(b, loc, 0);
          Value isFirst = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::eq, row, zero);
          Value element =
              arith::SelectOp::create(b, loc, isFirst, args[0], args[1]);
          linalg::YieldOp::create(b, loc, element);
        });
    return op.make(generic.getResult(0), re.dtype, sizes);
  };
  return buildPairs(op, build(re, im), build(negate(op, im), re));
}

/// [..., m, k, 2] x [k, 2]. One matrix is what a pair of rows is multiplied
/// with: each of its rows is read once for both.
static Tensor buildVectorProduct(Lowering &op, const Tensor &a, const Tensor &b,
                                 Dtype dtype) {
  Tensor rows = joinDims(op, a, a.rank() - 2);
  Tensor factors = joinDims(op, buildFactors(op, b), 1);
  if (rows.rank() != 2)
    return buildLinear(op, rows, factors, std::nullopt, dtype);
  return exchange(op, buildLinear(op, factors, rows, std::nullopt, dtype), 0,
                  1);
}

/// [..., m, k, 2] x [n, k, 2], the transposed matrix, whose rows are read where
/// they lie.
static Tensor buildRowProduct(Lowering &op, const Tensor &a, const Tensor &b,
                              Dtype dtype) {
  Tensor factors = buildFactors(op, a);
  Tensor product = buildLinear(op, joinDims(op, factors, factors.rank() - 2),
                               joinDims(op, b, 1), std::nullopt, dtype);
  return exchange(op, product, product.rank() - 2, product.rank() - 1);
}

static Tensor getOperand(Lowering &op, StringRef name) {
  Tensor in = op.tensor(name, 2);
  return op.withStaticSize(in, in.rank() - 1, 2);
}

/// What a matrix is the transposed one of, if it has just been transposed.
static std::optional<Tensor> getTransposed(Lowering &op, const Tensor &in) {
  auto transpose = in.value.getDefiningOp<linalg::TransposeOp>();
  if (in.rank() != 3 || !transpose ||
      transpose.getPermutation() != ArrayRef<int64_t>{1, 0, 2})
    return std::nullopt;
  return op.make(transpose.getInput(), in.dtype,
                 {in.sizes[1], in.sizes[0], in.sizes[2]});
}

static void lowerMatmul(Lowering &op) {
  Tensor a = getOperand(op, "self");
  Tensor b = getOperand(op, op.has("other")  ? "other"
                            : op.has("mat2") ? "mat2"
                                             : "vec");
  Dtype dtype = op.resultDtype();
  checkInner(op, a.sizes[a.rank() - 2],
             b.sizes[b.rank() - (b.rank() == 2 ? 2 : 3)]);
  if (b.rank() == 2)
    return op.result(buildVectorProduct(op, a, b, dtype));
  if (std::optional<Tensor> rows = getTransposed(op, b))
    return op.result(buildRowProduct(op, a, *rows, dtype));
  if (a.rank() != 2)
    return op.result(buildProduct(op, a, b, dtype));
  Tensor product = buildProduct(op, op.unsqueeze(a, 0), b, dtype);
  op.result(op.squeeze(product, {product.rank() - 3}));
}

static void lowerLinear(Lowering &op) {
  Tensor in = getOperand(op, "input"), weight = getOperand(op, "weight");
  Dtype dtype = op.resultDtype();
  checkInner(op, in.sizes[in.rank() - 2], weight.sizes[weight.rank() - 2]);
  Tensor product = weight.rank() == 2
                       ? buildVectorProduct(op, in, weight, dtype)
                       : buildRowProduct(op, in, weight, dtype);
  if (!op.has("bias"))
    return op.result(product);
  op.result(op.map({product, op.tensor("bias", 1)}, dtype, dtype,
                   [](Scalars &s, ArrayRef<Value> args) {
                     return s.add(args[0], args[1]);
                   }));
}

void addComplexMatmuls(LoweringTable &table) {
  for (StringRef name : {"matmul", "mm", "bmm", "mv"})
    table.add(("aten." + name + ".default").str(), lowerMatmul);
  table.add("aten.linear.default", lowerLinear);
}

} // namespace tally::import_pt2
