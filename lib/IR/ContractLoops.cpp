//===- ContractLoops.cpp - The loops of a contraction ---------------------===//

#include "tally/IR/ContractLoops.h"

#include "tally/IR/Tally.h"
#include "tally/Runtime/tally_runtime.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tally;

/// Adds the terms of a sum of loops times positive constants, and notes the
/// constant that is subtracted; returns false if the expression is no such sum.
static bool addTerms(AffineExpr expr, SmallVectorImpl<ContractTerm> &terms,
                     int64_t &padding) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    padding -= constant.getValue();
    return constant.getValue() < 0;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    terms.push_back({dim.getPosition(), 1});
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && binary.getKind() == AffineExprKind::Add)
    return addTerms(binary.getLHS(), terms, padding) &&
           addTerms(binary.getRHS(), terms, padding);
  if (!binary || binary.getKind() != AffineExprKind::Mul)
    return false;
  auto dim = dyn_cast<AffineDimExpr>(binary.getLHS());
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!dim || !factor || factor.getValue() <= 0)
    return false;
  terms.push_back({dim.getPosition(), factor.getValue()});
  return true;
}

/// Returns the loop and the constant of an expression `constant - loop`.
static std::optional<std::pair<int64_t, int64_t>> getBackward(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || binary.getKind() != AffineExprKind::Add)
    return std::nullopt;
  auto turned = dyn_cast<AffineBinaryOpExpr>(binary.getLHS());
  auto last = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!last || last.getValue() <= 0 || !turned ||
      turned.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(turned.getLHS());
  auto factor = dyn_cast<AffineConstantExpr>(turned.getRHS());
  if (!dim || !factor || factor.getValue() != -1)
    return std::nullopt;
  return std::make_pair(int64_t(dim.getPosition()), last.getValue());
}

static std::optional<ContractLoopKind> getKind(const bool (&moves)[3]) {
  auto [a, b, c] = moves;
  if (a && b)
    return c ? ContractLoopKind::Batch : ContractLoopKind::K;
  if (c && (a || b))
    return a ? ContractLoopKind::M : ContractLoopKind::N;
  return std::nullopt;
}

/// Finds out what each loop moves and where its size is.
static bool findLoops(int64_t count, ContractLoops &result,
                      std::string &problem) {
  constexpr unsigned none = ~0u;
  int64_t kinds[4] = {};
  for (int64_t loop = 0; loop < count; ++loop) {
    ContractLoop found{ContractLoopKind::Batch, none, 0};
    bool moves[3] = {};
    // The sizes of c come first: they are known where the result is made.
    for (unsigned operand : {2u, 0u, 1u})
      for (auto [dim, terms] : llvm::enumerate(result.operands[operand])) {
        if (llvm::none_of(terms, [&](const ContractTerm &term) {
              return term.loop == loop;
            }))
          continue;
        moves[operand] = true;
        if (found.operand == none &&
            (isSingleLoop(terms) || isBackward(terms))) {
          found.operand = operand;
          found.dim = int64_t(dim);
        }
      }
    std::optional<ContractLoopKind> kind = getKind(moves);
    std::string name = "loop " + std::to_string(loop);
    if (!kind)
      problem =
          "needs two operands, one of them 'a' or 'b', that move with " + name;
    else if (found.operand == none)
      problem = "has no dimension with the size of " + name;
    else if (++kinds[int(*kind)] > TALLY_RT_MAX_CONTRACT_RANK &&
             *kind != ContractLoopKind::Batch)
      problem = "has more than " + std::to_string(TALLY_RT_MAX_CONTRACT_RANK) +
                " loops of one kind";
    if (!problem.empty())
      return false;
    found.kind = *kind;
    result.loops.push_back(found);
  }
  return true;
}

std::optional<ContractLoops> tally::getContractLoops(ArrayRef<AffineMap> maps,
                                                     std::string *problem) {
  std::string unused;
  std::string &message = problem ? *problem : unused;
  message.clear();
  ContractLoops result;
  result.writesWindows =
      !llvm::all_of(maps[2].getResults(), llvm::IsaPred<AffineDimExpr>);
  unsigned count = maps.front().getNumDims();
  for (auto [map, operand] : llvm::zip_equal(maps, result.operands)) {
    if (map.getNumDims() != count || map.getNumSymbols() != 0) {
      message = "needs maps of the same loops, without symbols";
      return std::nullopt;
    }
    bool mayBePadded =
        &operand == &result.operands[result.writesWindows ? 2 : 1];
    for (AffineExpr expr : map.getResults()) {
      int64_t padding = 0;
      SmallVector<ContractTerm, 2> &terms = operand.emplace_back();
      bool isFirst = &operand == &result.operands[0];
      std::optional<std::pair<int64_t, int64_t>> backward =
          isFirst ? getBackward(expr) : std::nullopt;
      if (isFirst)
        result.first.push_back(backward ? backward->second : 0);
      if (backward) {
        terms.push_back({backward->first, -1});
        continue;
      }
      if (!addTerms(expr, terms, padding) ||
          (padding != 0 && (!mayBePadded || terms.size() < 2))) {
        message = "needs maps to sums of loops times positive constants";
        return std::nullopt;
      }
      if (mayBePadded)
        result.padding.push_back(padding);
    }
  }
  if (!result.writesWindows && !maps[2].isProjectedPermutation()) {
    message = "needs a loop of its own for each dimension of 'c'";
    return std::nullopt;
  }
  if (!findLoops(count, result, message))
    return std::nullopt;
  if (result.writesWindows && !getConvolution(result)) {
    message = "needs a loop of its own for each dimension of 'c', or windows "
              "of a convolution by a weight 'a' and a result 'b'";
    return std::nullopt;
  }
  return result;
}

ContractLoops tally::getLoops(ContractOp op) {
  return *getContractLoops(
      llvm::to_vector(op.getMaps().getAsValueRange<AffineMapAttr>()));
}

/// The stride and the dilation of a window that moves with loop `x` of the
/// result and has the elements of loop `k`.
static std::optional<std::pair<int64_t, int64_t>>
getWindow(ArrayRef<ContractTerm> terms, int64_t x, int64_t k) {
  if (terms.size() != 2)
    return std::nullopt;
  ContractTerm moved = terms[0], inside = terms[1];
  if (moved.loop == k)
    std::swap(moved, inside);
  if (moved.loop != x || inside.loop != k)
    return std::nullopt;
  return std::make_pair(moved.factor, inside.factor);
}

namespace {
/// The dimensions of the operands of a convolution: those of a weight, an image
/// and a result, whichever of them is computed.
struct ConvolutionDims {
  const ContractLoops &loops;
  const ContractOperand &weight, &image, &result;
  ContractLoopKind batch, outChannel, inChannel;

  std::optional<Convolution> match() const;

private:
  /// The loop that a dimension is, or none.
  static int64_t get(ArrayRef<ContractTerm> terms) {
    return isSingleLoop(terms) ? terms.front().loop : int64_t(-1);
  }
  /// Whether a dimension of each of two operands is one loop of a kind.
  bool isOf(ContractLoopKind kind, ArrayRef<ContractTerm> one,
            ArrayRef<ContractTerm> other) const {
    int64_t loop = get(one);
    return loop >= 0 && loops.loops[loop].kind == kind && get(other) == loop;
  }
};
} // namespace

std::optional<Convolution> ConvolutionDims::match() const {
  Convolution found;
  if (image.size() < 3 || weight.empty() || result.size() != image.size())
    return std::nullopt;
  found.isGrouped = isOf(ContractLoopKind::Batch, image[1], image[1]);
  size_t lead = found.isGrouped ? 1 : 0;
  if (image.size() < 3 + lead || image.size() > 5 + lead ||
      weight.size() != image.size())
    return std::nullopt;
  if (found.isGrouped &&
      (get(weight[0]) != get(image[1]) || get(result[1]) != get(image[1])))
    return std::nullopt;
  if (!isOf(batch, image[0], result[0]) ||
      !isOf(outChannel, weight[lead], result[1 + lead]) ||
      !isOf(inChannel, image[1 + lead], weight[1 + lead]))
    return std::nullopt;
  for (size_t dim = 2 + lead; dim < image.size(); ++dim) {
    auto window = getWindow(image[dim], get(result[dim]), get(weight[dim]));
    if (!window)
      return std::nullopt;
    found.strides.push_back(window->first);
    found.dilations.push_back(window->second);
    found.padding.push_back(loops.padding[dim]);
  }
  return found;
}

std::optional<Convolution> tally::getConvolution(const ContractLoops &loops) {
  using Kind = ContractLoopKind;
  const auto &[a, b, c] = loops.operands;
  if (loops.writesWindows) {
    ConvolutionDims image{loops, a, c, b, Kind::N, Kind::K, Kind::M};
    std::optional<Convolution> found = image.match();
    if (found)
      found->givesImage = true;
    return found;
  }
  ConvolutionDims forward{loops, a, b, c, Kind::N, Kind::M, Kind::K};
  if (std::optional<Convolution> found = forward.match())
    return found;
  ConvolutionDims gradient{loops, c, b, a, Kind::K, Kind::M, Kind::N};
  std::optional<Convolution> found = gradient.match();
  if (found)
    found->givesWeight = true;
  return found;
}
