//===- Contractions.cpp - Matmuls, einstein sums --------------------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include <map>

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

void checkInner(Lowering &op, Expr a, Expr b) {
  op.checkEqual(a, b, Twine(op.target) + ": the inner dimensions differ");
}

/// The type in which products are summed: integers in themselves.
static Dtype getSumDtype(Dtype a, Dtype b) {
  return getComputeDtype(promoteTypes(a, b));
}

/// A named op where the types are as it wants them.
template <typename LinalgOp>
static Tensor buildNamed(Lowering &op, const Tensor &a, const Tensor &b,
                         ArrayRef<Expr> sizes, Dtype dtype) {
  Tensor init = op.fill(sizes, dtype, 0.0);
  Value value =
      LinalgOp::create(op.b, op.loc, TypeRange{init.value.getType()},
                       ValueRange{a.value, b.value}, ValueRange{init.value})
          ->getResult(0);
  return op.make(value, dtype, sizes);
}

/// [batch..., m, k] x [batch..., k, n]; batches broadcast.
static Tensor buildBatched(Lowering &op, const Tensor &a, const Tensor &b,
                           Dtype dtype) {
  int64_t aRank = a.rank(), bRank = b.rank();
  checkInner(op, a.sizes[aRank - 1], b.sizes[bRank - 2]);
  bool isPlain = a.dtype == b.dtype && a.dtype == dtype && dtype != Dtype::U8 &&
                 dtype != Dtype::Bool;
  Expr m = a.sizes[aRank - 2], n = b.sizes[bRank - 1];
  if (isPlain && aRank == 2 && bRank == 2)
    return buildNamed<linalg::MatmulOp>(op, a, b, {m, n}, dtype);
  if (isPlain && aRank == 3 && bRank == 3 && a.isOne(0) == b.isOne(0) &&
      a.mayBeOne(0) == b.mayBeOne(0))
    return buildNamed<linalg::BatchMatmulOp>(
        op, a, b, {a.sizes[0].isConstant() ? a.sizes[0] : b.sizes[0], m, n},
        dtype);
  // Sizes of the batch as if it were all there is.
  auto getBatch = [&](const Tensor &tensor) {
    Tensor batch = tensor;
    batch.sizes.resize(tensor.rank() - 2);
    return batch;
  };
  Sizes sizes = op.broadcastSizes({getBatch(a), getBatch(b)});
  int64_t rank = int64_t(sizes.size());
  unsigned loops = unsigned(rank + 3);
  AffineExpr dm = op.b.getAffineDimExpr(rank),
             dn = op.b.getAffineDimExpr(rank + 1),
             dk = op.b.getAffineDimExpr(rank + 2);
  auto getMap = [&](Tensor &tensor, AffineExpr row, AffineExpr column) {
    SmallVector<AffineExpr> results;
    int64_t offset = rank - (tensor.rank() - 2);
    for (int64_t dim = 0; dim < tensor.rank() - 2; ++dim) {
      bool repeats = op.broadcastDim(tensor, dim, sizes[dim + offset]);
      results.push_back(repeats ? op.b.getAffineConstantExpr(0)
                                : op.b.getAffineDimExpr(dim + offset));
    }
    results.append({row, column});
    return AffineMap::get(loops, 0, results, op.b.getContext());
  };
  Tensor x = a, y = b;
  AffineMap xMap = getMap(x, dm, dk), yMap = getMap(y, dk, dn);
  sizes.append({m, n});
  return op.contract(x, xMap, y, yMap, sizes, loops, dtype);
}

Tensor buildMatmul(Lowering &op, const Tensor &a, const Tensor &b, Dtype out) {
  Dtype dtype = getSumDtype(a.dtype, b.dtype);
  if (a.rank() == 0 || b.rank() == 0) {
    (void)op.error("both operands must have dimensions");
    return a;
  }
  // A long sum is as exact as others are.
  if (a.rank() == 1 && b.rank() == 1 && isFloating(dtype)) {
    checkInner(op, a.sizes[0], b.sizes[0]);
    Tensor products = op.map(
        {a, b}, dtype, dtype,
        [](Scalars &s, ArrayRef<Value> args) {
          return s.mul(args[0], args[1]);
        },
        a.sizes);
    return op.convert(op.sum(products, {0}, dtype), out);
  }
  // Vectors become matrices and lose the added dimension again.
  Tensor x = a.rank() == 1 ? op.unsqueeze(a, 0) : a;
  Tensor y = b.rank() == 1 ? op.unsqueeze(b, 1) : b;
  Tensor product = buildBatched(op, x, y, dtype);
  SmallVector<int64_t> added;
  if (a.rank() == 1)
    added.push_back(product.rank() - 2);
  if (b.rank() == 1)
    added.push_back(product.rank() - 1);
  if (!added.empty())
    product = op.squeeze(product, added);
  return op.convert(product, out);
}

static void lowerMatmul(Lowering &op) {
  Tensor other = op.has("other")  ? op.tensor("other")
                 : op.has("mat2") ? op.tensor("mat2")
                 : op.has("vec")  ? op.tensor("vec")
                                  : op.tensor("tensor");
  op.result(buildMatmul(op, op.tensor("self"), other, op.resultDtype()));
}

/// A matmul of i8 with results of i32.
static void lowerIntegerMatmul(Lowering &op) {
  Tensor self = op.tensor("self"), other = op.tensor("mat2");
  if (self.dtype != Dtype::I8 || other.dtype != Dtype::I8 || self.rank() != 2 ||
      other.rank() != 2)
    return (void)op.error("the operands have to be matrices of int8");
  op.result(buildBatched(op, self, other, Dtype::I32));
}

Tensor buildLinear(Lowering &op, const Tensor &in, const Tensor &weight,
                   const std::optional<Tensor> &bias, Dtype out) {
  Dtype dtype = getSumDtype(in.dtype, weight.dtype);
  if (in.rank() == 0 || weight.rank() == 0) {
    (void)op.error("both operands must have dimensions");
    return in;
  }
  checkInner(op, in.sizes.back(), weight.sizes.back());
  bool isVector = weight.rank() == 1;
  int64_t rank = in.rank() - 1 + (isVector ? 0 : 1);
  unsigned loops = unsigned(rank + 1);
  MLIRContext *context = op.b.getContext();
  AffineExpr k = op.b.getAffineDimExpr(rank);
  SmallVector<AffineExpr> inExprs;
  for (int64_t i = 0; i < in.rank() - 1; ++i)
    inExprs.push_back(op.b.getAffineDimExpr(i));
  inExprs.push_back(k);
  SmallVector<AffineExpr> weightExprs;
  Sizes sizes(in.sizes.begin(), in.sizes.end() - 1);
  if (!isVector) {
    weightExprs.push_back(op.b.getAffineDimExpr(rank - 1));
    sizes.push_back(weight.sizes[0]);
  }
  weightExprs.push_back(k);
  Tensor product = op.contract(
      in, AffineMap::get(loops, 0, inExprs, context), weight,
      AffineMap::get(loops, 0, weightExprs, context), sizes, loops, dtype);
  if (!bias)
    return op.convert(product, out);
  return op.map(
      {product, *bias}, dtype, dtype,
      [](Scalars &s, ArrayRef<Value> args) { return s.add(args[0], args[1]); },
      product.sizes, out);
}

static void lowerLinear(Lowering &op) {
  op.result(buildLinear(op, op.tensor("input"), op.tensor("weight"),
                        op.optionalTensor("bias"), op.resultDtype()));
}

bool isLiteralZero(Expr number) {
  return number.isConstant(0) ||
         (number.getKind() == symbolic::ExprKind::FloatConstant &&
          number.getFloat() == 0);
}

/// beta * self + alpha * (a x b).
static void lowerAddmm(Lowering &op, StringRef first, StringRef second) {
  Tensor self = op.tensor("self");
  Tensor a = op.tensor(first), b = op.tensor(second);
  Expr alpha = op.number("alpha", 1), beta = op.number("beta", 1);
  Dtype dtype = getSumDtype(a.dtype, b.dtype);
  Tensor product = buildMatmul(op, a, b, dtype);
  bool ignoresSelf = isLiteralZero(beta);
  SmallVector<Operand> operands{product, alpha};
  if (!ignoresSelf)
    operands.append({Operand(self), Operand(beta)});
  op.result(op.map(
      operands, dtype, dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value scaled = s.mul(args[0], args[1]);
        if (ignoresSelf)
          return scaled;
        return s.add(scaled, s.mul(args[2], args[3]));
      },
      product.sizes, op.resultDtype()));
}

static void lowerAddmmDefault(Lowering &op) { lowerAddmm(op, "mat1", "mat2"); }
static void lowerBaddbmm(Lowering &op) { lowerAddmm(op, "batch1", "batch2"); }
static void lowerAddmv(Lowering &op) { lowerAddmm(op, "mat", "vec"); }

static void lowerOuter(Lowering &op) {
  Tensor a = op.tensor("self"),
         b = op.tensor(op.has("vec2") ? "vec2" : "other");
  Dtype dtype = getComputeDtype(promoteTypes(a.dtype, b.dtype));
  op.result(op.map(
      {op.unsqueeze(a, 1), b}, dtype, dtype,
      [](Scalars &s, ArrayRef<Value> args) { return s.mul(args[0], args[1]); },
      std::nullopt, op.resultDtype()));
}

//===----------------------------------------------------------------------===//
// Einstein sums
//===----------------------------------------------------------------------===//

/// The letters that stand for the last `count` dimensions of an ellipsis: ones
/// that no equation has.
static std::string getEllipsis(int64_t count) {
  std::string letters;
  for (int64_t i = count; i > 0; --i)
    letters.push_back(char('0' + i));
  return letters;
}

static std::string replaceEllipsis(StringRef part, StringRef letters) {
  auto [before, after] = part.split("...");
  return part.contains("...") ? (before + letters + after).str() : part.str();
}

/// Reads `ij,jk->ik`. An ellipsis gets letters of its own.
static bool parseEquation(StringRef equation, ArrayRef<Tensor> tensors,
                          SmallVector<std::string> &inputs,
                          std::string &output) {
  std::string text = equation.str();
  llvm::erase(text, ' ');
  auto [left, right] = StringRef(text).split("->");
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  if (parts.size() != tensors.size())
    return false;
  int64_t widest = 0;
  std::map<char, unsigned> counts;
  for (auto [part, tensor] : llvm::zip(parts, tensors)) {
    int64_t hidden = 0;
    if (part.contains("..."))
      hidden = tensor.rank() - (int64_t(part.size()) - 3);
    if (hidden < 0 || hidden > 9)
      return false;
    widest = std::max(widest, hidden);
    inputs.push_back(replaceEllipsis(part, getEllipsis(hidden)));
    for (char c : part)
      if (llvm::isAlpha(c))
        ++counts[c];
  }
  if (StringRef(text).contains("->")) {
    output = replaceEllipsis(right, getEllipsis(widest));
    return true;
  }
  output = getEllipsis(widest);
  for (auto [letter, count] : counts)
    if (count == 1)
      output.push_back(letter);
  return true;
}

/// Gives the view that eager mode gives where the result has each letter of the
/// only operand once: a letter that is repeated stands for a diagonal, and the
/// rest is a permutation. Returns false where the result is no view.
static bool resultEinsumView(Lowering &op, std::string letters,
                             StringRef output) {
  auto isIn = [](StringRef text) {
    return [text](char letter) { return text.count(letter) == 1; };
  };
  if (!llvm::all_of(letters, isIn(output)) ||
      !llvm::all_of(output, [&](char letter) {
        return StringRef(letters).contains(letter);
      }))
    return false;
  int64_t slot = op.slotsOf("tensors").front();
  for (size_t column = 0; column < letters.size() && !op.hasFailed();) {
    size_t row = letters.find(letters[column]);
    if (row == column) {
      ++column;
      continue;
    }
    Tensor base = op.function.read(slot, op);
    op.checkEqual(base.sizes[row], base.sizes[column],
                  Twine(op.target) + ": the sizes of a letter differ");
    auto [view, writeBack] = getDiagonal(int64_t(row), int64_t(column));
    slot = op.function.addView(slot, view(op, base), view, writeBack);
    // The diagonal is the last dimension.
    letters.push_back(letters[column]);
    letters.erase(column, 1);
    letters.erase(row, 1);
    column = row;
  }
  SmallVector<int64_t> permutation;
  for (char letter : output)
    permutation.push_back(int64_t(letters.find(letter)));
  auto [view, writeBack] = getPermuting(std::move(permutation));
  op.resultViewOf(slot, view, writeBack);
  return true;
}

/// Operands agree on the size of each letter. Reports an error where the
/// equation does not fit them.
static LogicalResult checkLetterSizes(Lowering &op, ArrayRef<Tensor> tensors,
                                      ArrayRef<std::string> inputs,
                                      StringRef output) {
  std::map<char, Expr> sizeOf;
  auto fail = [&] {
    return op.error("the equation does not fit the operands");
  };
  for (auto [part, tensor] : llvm::zip(inputs, tensors)) {
    if (int64_t(part.size()) != tensor.rank())
      return fail();
    for (auto [letter, size] : llvm::zip(part, tensor.sizes)) {
      Expr &known = sizeOf[letter];
      if (known && !size.isConstant(1) && !known.isConstant(1))
        op.checkEqual(known, size,
                      Twine(op.target) + ": the sizes of a letter differ");
      if (!known || known.isConstant(1))
        known = size;
    }
  }
  for (char letter : output)
    if (!sizeOf.count(letter) || output.count(letter) > 1)
      return fail();
  return success();
}

namespace {

/// An operand of an einsum, and a letter for each of its dimensions.
struct Factor {
  Tensor tensor;
  std::string letters;
};

} // namespace

/// The letters that satisfy a condition, each once.
static std::string takeLetters(StringRef letters,
                               function_ref<bool(char)> condition) {
  std::string taken;
  for (char letter : letters)
    if (!StringRef(taken).contains(letter) && condition(letter))
      taken.push_back(letter);
  return taken;
}

/// The sizes of letters in factors, each of which may be 1 in some.
static Sizes getSizes(ArrayRef<Factor> factors, StringRef letters) {
  Sizes sizes;
  for (char letter : letters) {
    Expr &size = sizes.emplace_back();
    for (const Factor &factor : factors)
      for (auto [mine, its] : llvm::zip(factor.letters, factor.tensor.sizes))
        if (mine == letter && (!size || size.isConstant(1)))
          size = its;
  }
  return sizes;
}

/// The map from loops over letters to the dimensions of a factor.
static AffineMap getLetterMap(Lowering &op, const Factor &factor,
                              StringRef letters, ArrayRef<Expr> sizes) {
  SmallVector<AffineExpr> results;
  for (auto [letter, size] : llvm::zip(factor.letters, factor.tensor.sizes)) {
    size_t loop = letters.find(letter);
    bool repeats = size.isConstant(1) && !sizes[loop].isConstant(1);
    results.push_back(repeats ? op.b.getAffineConstantExpr(0)
                              : op.b.getAffineDimExpr(unsigned(loop)));
  }
  return AffineMap::get(unsigned(letters.size()), 0, results,
                        op.b.getContext());
}

/// The product of one or two factors at each point of some letters, which are
/// all that they have.
static Tensor multiplyFactors(Lowering &op, ArrayRef<Factor> factors,
                              StringRef letters, Dtype dtype) {
  Sizes sizes = getSizes(factors, letters);
  SmallVector<AffineMap> maps;
  SmallVector<Value> values;
  for (const Factor &factor : factors) {
    maps.push_back(getLetterMap(op, factor, letters, sizes));
    values.push_back(op.convert(factor.tensor, dtype).value);
  }
  int64_t rank = int64_t(letters.size());
  maps.push_back(op.identityMap(rank));
  Value init = op.empty(sizes, dtype);
  auto generic = linalg::GenericOp::create(
      op.b, op.loc, TypeRange{init.getType()}, values, ValueRange{init}, maps,
      op.parallel(rank), [&](OpBuilder &b, Location loc, ValueRange args) {
        Scalars s(b, loc, dtype);
        Value product = args.size() == 2 ? args[0] : s.mul(args[0], args[1]);
        linalg::YieldOp::create(b, loc, product);
      });
  return op.make(generic.getResult(0), dtype, sizes);
}

/// Sums over the letters that the result does not have, and puts the others in
/// its order.
static Tensor sumLetters(Lowering &op, const Factor &factor, StringRef result,
                         Dtype dtype) {
  SmallVector<int64_t> summed, permutation;
  std::string rest;
  for (auto [dim, letter] : llvm::enumerate(factor.letters)) {
    if (result.contains(letter))
      rest.push_back(letter);
    else
      summed.push_back(int64_t(dim));
  }
  for (char letter : result)
    permutation.push_back(int64_t(rest.find(letter)));
  Tensor sum =
      summed.empty() ? factor.tensor : op.sum(factor.tensor, summed, dtype);
  return op.permute(sum, permutation);
}

/// Sums over the letters that only one of several factors has, as eager mode
/// does before it multiplies.
static void sumOutOwn(Lowering &op, MutableArrayRef<Factor> factors,
                      StringRef output, Dtype dtype) {
  if (factors.size() < 2)
    return;
  std::string letters = output.str();
  for (const Factor &factor : factors)
    letters += factor.letters;
  for (Factor &factor : factors) {
    std::string rest = takeLetters(factor.letters, [&](char letter) {
      return StringRef(letters).count(letter) > 1;
    });
    factor = {sumLetters(op, factor, rest, dtype), rest};
  }
}

/// Multiplies two factors, and sums over the letters that the result does not
/// have.
static Tensor contractPair(Lowering &op, ArrayRef<Factor> pair,
                           StringRef result, Dtype dtype) {
  StringRef a = pair[0].letters, b = pair[1].letters;
  std::string all = (a + b).str();
  std::string summed =
      takeLetters(all, [&](char letter) { return !result.contains(letter); });
  if (summed.empty())
    return multiplyFactors(op, pair, result, dtype);
  // Without a matrix, it is a sum as others are, and as exact.
  if (llvm::all_of(all, [&](char letter) {
        return a.contains(letter) && b.contains(letter);
      }))
    return sumLetters(op, {multiplyFactors(op, pair, a, dtype), a.str()},
                      result, dtype);
  std::string loops = result.str() + summed;
  Sizes sizes = getSizes(pair, loops);
  return op.contract(pair[0].tensor, getLetterMap(op, pair[0], loops, sizes),
                     pair[1].tensor, getLetterMap(op, pair[1], loops, sizes),
                     ArrayRef(sizes).take_front(result.size()),
                     unsigned(loops.size()), dtype);
}

/// Multiplies factors two at a time: the first ones, as eager mode does, or
/// those that the path says, whose product becomes the last factor.
static void contractFactors(Lowering &op, SmallVector<Factor> factors,
                            StringRef output, Dtype dtype) {
  SmallVector<int64_t> path;
  if (op.has("path"))
    path = op.integers("path");
  for (size_t step = 0; factors.size() > 1; step += 2) {
    int64_t i = 0, j = 1;
    if (!path.empty()) {
      if (step + 2 > path.size())
        return (void)op.error("the path does not fit the operands");
      i = std::min(path[step], path[step + 1]);
      j = std::max(path[step], path[step + 1]);
      if (i < 0 || i == j || j >= int64_t(factors.size()))
        return (void)op.error("the path does not fit the operands");
    }
    Factor pair[] = {factors[i], factors[j]};
    factors.erase(factors.begin() + j);
    factors.erase(factors.begin() + i);
    Factor product;
    product.letters = output.str();
    if (!factors.empty()) {
      // Of those that are used later, what both have comes first.
      std::string later = output.str();
      for (const Factor &factor : factors)
        later += factor.letters;
      StringRef a = pair[0].letters, b = pair[1].letters;
      std::string shared =
          takeLetters(a, [&](char letter) { return b.contains(letter); });
      product.letters = takeLetters(shared + (a + b).str(), [&](char letter) {
        return StringRef(later).contains(letter);
      });
    }
    product.tensor = contractPair(op, pair, product.letters, dtype);
    factors.insert(path.empty() ? factors.begin() : factors.end(), product);
  }
  op.result(sumLetters(op, factors.front(), output, dtype));
}

/// A sum of products.
static void lowerEinsum(Lowering &op) {
  SmallVector<std::string> inputs;
  std::string output;
  SmallVector<Tensor> tensors = op.tensors("tensors");
  if (op.hasFailed())
    return;
  if (!parseEquation(op.string("equation"), tensors, inputs, output)) {
    (void)op.error("the equation does not fit the operands");
    return;
  }
  if (tensors.size() == 1 &&
      int64_t(inputs.front().size()) == tensors.front().rank() &&
      resultEinsumView(op, inputs.front(), output))
    return;
  if (failed(checkLetterSizes(op, tensors, inputs, output)))
    return;
  Dtype dtype = tensors[0].dtype;
  for (const Tensor &tensor : tensors)
    dtype = promoteTypes(dtype, tensor.dtype);
  dtype = getComputeDtype(dtype);
  SmallVector<Factor> factors;
  for (auto [tensor, letters] : llvm::zip(tensors, inputs)) {
    Factor factor{tensor, letters};
    // A letter that is repeated stands for a diagonal.
    std::string once = takeLetters(letters, [](char) { return true; });
    if (once != letters)
      factor = {multiplyFactors(op, factor, once, dtype), once};
    factors.push_back(std::move(factor));
  }
  sumOutOwn(op, factors, output, dtype);
  contractFactors(op, std::move(factors), output, dtype);
}

void addContractions(LoweringTable &table) {
  table.add("aten.matmul.default", lowerMatmul);
  table.add("aten.mm.default", lowerMatmul);
  table.add("aten._int_mm.default", lowerIntegerMatmul);
  table.add("aten.bmm.default", lowerMatmul);
  table.add("aten.mv.default", lowerMatmul);
  table.add("aten.dot.default", lowerMatmul);
  table.add("aten.vdot.default", lowerMatmul);
  table.add("aten.linear.default", lowerLinear);
  table.add("aten.addmm.default", lowerAddmmDefault);
  table.add("aten.baddbmm.default", lowerBaddbmm);
  table.add("aten.addmv.default", lowerAddmv);
  table.add("aten.outer.default", lowerOuter);
  table.add("aten.ger.default", lowerOuter);
  table.add("aten.einsum.default", lowerEinsum);
}

} // namespace tally::import_pt2
