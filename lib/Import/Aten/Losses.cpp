//===- Losses.cpp - Losses and similarities -------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "Normalizations.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

namespace {
/// How PyTorch numbers the ways to reduce a loss.
enum Reduction : int64_t { None = 0, Mean = 1, Sum = 2 };
} // namespace

static Tensor divideBy(Lowering &op, const Tensor &in, const Operand &by) {
  return op.map({in, by}, in.dtype, in.dtype,
                [](Scalars &s, ArrayRef<Value> args) {
                  return s.divFloat(args[0], args[1]);
                });
}

/// Gives a loss as it is, its mean or its sum.
static void resultReduced(Lowering &op, const Tensor &loss) {
  int64_t reduction = op.integer("reduction", Reduction::Mean);
  if (reduction == Reduction::None)
    return op.result(loss);
  Tensor sum = op.sum(loss, {}, loss.dtype);
  op.result(reduction == Reduction::Mean ? divideBy(op, sum, op.numel(loss))
                                         : sum);
}

static Dtype getLossDtype(ArrayRef<Operand> operands) {
  return getComputeDtype(getFloatDtype(getResultType(operands)));
}

/// A loss of each element and what it should be.
static void lowerPairLoss(Lowering &op, ElementFn fn) {
  Operand self = op.tensor("self"), target = op.tensor("target");
  Dtype dtype = getLossDtype({self, target});
  resultReduced(op, op.map({self, target}, dtype, dtype, fn));
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

static void lowerSquaredLoss(Lowering &op) {
  lowerPairLoss(op, [](Scalars &s, ArrayRef<Value> args) {
    Value gap = s.sub(args[0], args[1]);
    return s.mul(gap, gap);
  });
}

static void lowerAbsoluteLoss(Lowering &op) {
  lowerPairLoss(op, [](Scalars &s, ArrayRef<Value> args) {
    return s.abs(s.sub(args[0], args[1]));
  });
}

static void lowerSmoothLoss(Lowering &op) {
  double beta = op.real("beta", 1);
  lowerPairLoss(op, [&](Scalars &s, ArrayRef<Value> args) {
    Value gap = s.abs(s.sub(args[0], args[1]));
    if (beta == 0)
      return gap;
    Value square =
        s.divFloat(s.mul(s.mul(s.number(0.5), gap), gap), s.number(beta));
    Value isSmall = s.compare(Compare::Lt, gap, s.number(beta));
    return s.select(isSmall, square, s.sub(gap, s.number(0.5 * beta)));
  });
}

static void lowerHuberLoss(Lowering &op) {
  double delta = op.real("delta", 1);
  lowerPairLoss(op, [&](Scalars &s, ArrayRef<Value> args) {
    Value gap = s.abs(s.sub(args[0], args[1]));
    Value square = s.mul(s.mul(s.number(0.5), gap), gap);
    Value line = s.mul(s.number(delta), s.sub(gap, s.number(0.5 * delta)));
    Value isSmall = s.compare(Compare::Le, gap, s.number(delta));
    return s.select(isSmall, square, line);
  });
}

static void lowerSoftMarginLoss(Lowering &op) {
  lowerPairLoss(op, [](Scalars &s, ArrayRef<Value> args) -> Value {
    Value exp = math::ExpOp::create(s.b, s.loc, s.neg(s.mul(args[0], args[1])));
    return math::Log1pOp::create(s.b, s.loc, exp);
  });
}

static void lowerHingeLoss(Lowering &op) {
  double margin = op.real("margin", 1);
  lowerPairLoss(op, [&](Scalars &s, ArrayRef<Value> args) {
    Value zero = s.number(0);
    Value hinge = s.max(s.sub(s.number(margin), args[0]), zero);
    Value isPlus = s.compare(Compare::Eq, args[1], s.number(1));
    Value isMinus = s.compare(Compare::Eq, args[1], s.number(-1));
    return s.add(s.select(isPlus, zero, hinge),
                 s.select(isMinus, zero, args[0]));
  });
}

/// target * (log(target) - self), with the limit 0 at 0.
static void lowerDivergence(Lowering &op) {
  bool isLog = op.flag("log_target", false);
  lowerPairLoss(op, [&](Scalars &s, ArrayRef<Value> args) -> Value {
    Value target = args[1];
    if (isLog)
      return s.mul(math::ExpOp::create(s.b, s.loc, target),
                   s.sub(target, args[0]));
    Value log = math::LogOp::create(s.b, s.loc, target);
    Value own = s.select(s.compare(Compare::Eq, target, s.number(0)),
                         s.number(0), s.mul(target, log));
    return s.sub(own, s.mul(target, args[0]));
  });
}

static void lowerMarginRanking(Lowering &op) {
  Operand x = op.tensor("input1"), y = op.tensor("input2");
  Operand target = op.tensor("target");
  double margin = op.real("margin", 0);
  Dtype dtype = getLossDtype({x, y, target});
  resultReduced(op, op.map({x, y, target}, dtype, dtype,
                           [&](Scalars &s, ArrayRef<Value> args) {
                             Value gap = s.sub(args[0], args[1]);
                             Value loss = s.add(s.neg(s.mul(args[2], gap)),
                                                s.number(margin));
                             return s.max(loss, s.number(0));
                           }));
}

/// The negative log likelihood of counts under a Poisson distribution whose
/// mean is given, or the logarithm of it; in full with Stirling's term.
static void lowerPoissonLoss(Lowering &op) {
  Operand self = op.tensor("input"), target = op.tensor("target");
  bool isLog = op.flag("log_input", true), isFull = op.flag("full", false);
  double eps = op.real("eps", 1e-8);
  Dtype dtype = getLossDtype({self, target});
  resultReduced(
      op, op.map({self, target}, dtype, dtype,
                 [&](Scalars &s, ArrayRef<Value> args) {
                   auto log = [&](Value x) -> Value {
                     return math::LogOp::create(s.b, s.loc, x);
                   };
                   Value x = args[0], t = args[1], loss;
                   if (isLog)
                     loss =
                         s.sub(math::ExpOp::create(s.b, s.loc, x), s.mul(t, x));
                   else
                     loss = s.sub(x, s.mul(t, log(s.add(x, s.number(eps)))));
                   if (!isFull)
                     return loss;
                   Value rest =
                       s.mul(s.number(0.5), log(s.mul(s.number(2 * M_PI), t)));
                   Value term = s.add(s.sub(s.mul(t, log(t)), t), rest);
                   Value isFew = s.compare(Compare::Le, t, s.number(1));
                   return s.add(loss, s.select(isFew, s.number(0), term));
                 }));
}

/// Probabilities, which no NaN is one of.
static void checkProbabilities(Lowering &op, const Tensor &in, StringRef name) {
  checkAll(op, in,
           ("all elements of the " + name + " must be between 0 and 1").str(),
           [](Scalars &s, Value x) -> Value {
             return arith::AndIOp::create(
                 s.b, s.loc, s.compare(Compare::Ge, x, s.number(0)),
                 s.compare(Compare::Le, x, s.number(1)));
           });
}

/// The probability of each element is given, or its logit.
template <bool hasLogits>
static void lowerBinaryCrossEntropy(Lowering &op) {
  Operand self = op.tensor("self"), target = op.tensor("target");
  if (!hasLogits) {
    checkProbabilities(op, *self.tensor, "input");
    checkProbabilities(op, *target.tensor, "target");
  }
  SmallVector<Operand> operands{self, target};
  std::optional<Tensor> weight = op.optionalTensor("weight");
  std::optional<Tensor> positive;
  if (hasLogits)
    positive = op.optionalTensor("pos_weight");
  if (weight)
    operands.push_back(*weight);
  if (positive)
    operands.push_back(*positive);
  Dtype dtype = getLossDtype({self, target});
  Tensor loss =
      op.map(operands, dtype, dtype, [&](Scalars &s, ArrayRef<Value> args) {
        Value x = args[0], y = args[1], one = s.number(1);
        Value value;
        if (hasLogits) {
          // (1 - y) * x - (1 + (p - 1) * y) * log(sigmoid(x))
          Value exp = math::ExpOp::create(s.b, s.loc, s.neg(s.abs(x)));
          Value tail = math::Log1pOp::create(s.b, s.loc, exp);
          Value logSigmoid = s.sub(s.min(x, s.number(0)), tail);
          Value scale = one;
          if (positive)
            scale = s.add(one, s.mul(s.sub(args.back(), one), y));
          value = s.sub(s.mul(s.sub(one, y), x), s.mul(scale, logSigmoid));
        } else {
          // Logarithms are cut off at -100.
          Value least = s.number(-100);
          Value log = math::LogOp::create(s.b, s.loc, x);
          Value logRest = math::Log1pOp::create(s.b, s.loc, s.neg(x));
          Value gain = s.add(s.mul(y, s.max(log, least)),
                             s.mul(s.sub(one, y), s.max(logRest, least)));
          value = s.neg(gain);
        }
        return weight ? s.mul(value, args[2]) : value;
      });
  resultReduced(op, loss);
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

namespace {
/// The parts of a loss over classes.
struct ClassLoss {
  /// Where the classes are in the logarithms of the probabilities.
  int64_t dim;
  Tensor logs;
  /// A factor for each class, along `dim`.
  std::optional<Tensor> weight;
  /// Where this is given, `logs` has logits, in any type of floats.
  std::optional<LogNormalizer> normalizer;
};
} // namespace

static Operand getWeight(Lowering &op, const ClassLoss &loss) {
  return loss.weight ? Operand(*loss.weight) : Operand(op.literal(1));
}

/// Whether elements are computed for this loss: then the one of a class is
/// picked where it is computed, and none of them gets memory.
static bool isComputed(const Tensor &logs) {
  auto generic = logs.value.getDefiningOp<linalg::GenericOp>();
  return generic && generic.getNumParallelLoops() == generic.getNumLoops();
}

/// Of each place, what `pick` says of its class; 0 where that is ignored.
static Tensor
pickFor(Lowering &op, const ClassLoss &loss, const Tensor &target,
        int64_t ignored,
        function_ref<Value(Scalars &, ValueRange at, Value position)> pick) {
  Dtype dtype = getComputeDtype(loss.logs.dtype);
  Value limit = op.scalar(loss.logs.sizes[loss.dim], Dtype::I64);
  Operand classes = target;
  classes.isRaw = true;
  auto build = [&](Scalars &s, ArrayRef<Value> args) {
    Scalars i(s.b, s.loc, Dtype::I64);
    Value inside = i.bitAnd(i.compare(Compare::Ge, args[0], i.integer(0)),
                            i.compare(Compare::Lt, args[0], limit));
    Value counts = i.compare(Compare::Ne, args[0], i.integer(ignored));
    SmallVector<Value> at;
    for (int64_t place = 0; place < target.rank(); ++place)
      at.push_back(linalg::IndexOp::create(s.b, s.loc, place));
    Value position =
        arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), args[0]);
    at.insert(at.begin() + loss.dim, position);
    auto ifOp = scf::IfOp::create(
        s.b, s.loc, i.bitAnd(inside, counts),
        [&](OpBuilder &b, Location loc) {
          Scalars inner(b, loc, dtype);
          scf::YieldOp::create(b, loc, pick(inner, at, position));
        },
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, Scalars(b, loc, dtype).number(0));
        });
    return ifOp.getResult(0);
  };
  return op.map({classes}, dtype, dtype, build);
}

/// The same as `pickClass`, of logarithms that lie in memory.
static std::pair<Tensor, Tensor> lookUpClass(Lowering &op,
                                             const ClassLoss &loss,
                                             const Tensor &target,
                                             int64_t ignored) {
  std::optional<Tensor> factors;
  if (loss.weight)
    factors =
        op.convert(op.reshape(*loss.weight, {loss.weight->sizes[loss.dim]}),
                   getComputeDtype(loss.logs.dtype));
  auto pickWeight = [&](Scalars &s, ValueRange, Value position) -> Value {
    if (!factors)
      return s.number(1);
    return tensor::ExtractOp::create(s.b, s.loc, factors->value, position);
  };
  auto pickLoss = [&](Scalars &s, ValueRange at, Value position) -> Value {
    Value x = tensor::ExtractOp::create(s.b, s.loc, loss.logs.value, at);
    if (loss.normalizer) {
      SmallVector<Value> place(at);
      place[loss.dim] = arith::ConstantIndexOp::create(s.b, s.loc, 0);
      auto read = [&](const Tensor &of) {
        return tensor::ExtractOp::create(s.b, s.loc, of.value, place);
      };
      x = Scalars(s.b, s.loc, loss.logs.dtype).castTo(s.dtype, x);
      x = s.sub(s.sub(x, read(loss.normalizer->max)),
                read(loss.normalizer->log));
    }
    return s.neg(s.mul(x, pickWeight(s, at, position)));
  };
  return {pickFor(op, loss, target, ignored, pickLoss),
          pickFor(op, loss, target, ignored, pickWeight)};
}

/// The loss for one class in each place, and the weight of that class there.
static std::pair<Tensor, Tensor> pickClass(Lowering &op, const ClassLoss &loss,
                                           const Tensor &target,
                                           double smoothing) {
  int64_t ignored = op.integer("ignore_index", -100);
  Expr count = loss.logs.sizes[loss.dim];
  Value limit = op.scalar(count, Dtype::I64);
  checkAll(op, target, "a class is out of range", [&](Scalars &s, Value x) {
    Value inside = s.bitAnd(s.compare(Compare::Ge, x, s.integer(0)),
                            s.compare(Compare::Lt, x, limit));
    return s.bitOr(inside, s.compare(Compare::Eq, x, s.integer(ignored)));
  });
  if (smoothing == 0 && (loss.normalizer || !isComputed(loss.logs)))
    return lookUpClass(op, loss, target, ignored);
  Tensor classes =
      alongDim(op, buildIndices(op, count), loss.logs.rank(), loss.dim);
  Operand chosen = op.unsqueeze(target, loss.dim);
  Dtype dtype = loss.logs.dtype;
  Operand isCounted = op.map(
      {chosen}, Dtype::I64, Dtype::Bool, [&](Scalars &s, ArrayRef<Value> args) {
        return s.compare(Compare::Ne, args[0], s.integer(ignored));
      });
  Operand isChosen =
      op.map({chosen, classes, isCounted}, Dtype::I64, Dtype::Bool,
             [](Scalars &s, ArrayRef<Value> args) {
               Value same = s.compare(Compare::Eq, args[0], args[1]);
               Value counts = s.compare(Compare::Ne, args[2], s.integer(0));
               return s.bitAnd(same, counts);
             });
  isChosen.isRaw = isCounted.isRaw = true;
  Operand weight = getWeight(op, loss);
  Tensor weights = op.map(
      {isChosen, weight}, dtype, dtype,
      [](Scalars &s, ArrayRef<Value> args) {
        return s.select(args[0], args[1], s.number(0));
      },
      loss.logs.sizes);
  Value share = op.scalar(count, dtype);
  Tensor values = op.map(
      {loss.logs, isChosen, isCounted, weight}, dtype, dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value cost = s.neg(s.mul(args[0], args[3])), zero = s.number(0);
        Value hard = s.select(args[1], cost, zero);
        if (smoothing == 0)
          return hard;
        Value soft = s.select(args[2], s.divFloat(cost, share), zero);
        return s.add(s.mul(s.number(1 - smoothing), hard),
                     s.mul(s.number(smoothing), soft));
      },
      loss.logs.sizes);
  return {op.sum(values, {loss.dim}, dtype),
          op.sum(weights, {loss.dim}, dtype)};
}

static void resultClassLoss(Lowering &op, const ClassLoss &loss,
                            const Tensor &target, double smoothing) {
  auto [values, weights] =
      pickClass(op, loss, op.convert(target, Dtype::I64), smoothing);
  if (op.integer("reduction", Reduction::Mean) != Reduction::Mean)
    return resultReduced(op, values);
  Dtype dtype = getComputeDtype(loss.logs.dtype);
  op.result(
      divideBy(op, op.sum(values, {}, dtype), op.sum(weights, {}, dtype)));
}

static std::optional<Tensor> getClassWeight(Lowering &op, const Tensor &logs,
                                            int64_t dim) {
  std::optional<Tensor> weight = op.optionalTensor("weight");
  if (!weight)
    return std::nullopt;
  if (weight->rank() != 1) {
    (void)op.error("the weights of the classes must be a vector");
    return std::nullopt;
  }
  op.checkEqual(weight->sizes[0], logs.sizes[dim],
                Twine(op.target) + ": there must be a weight for each class");
  return alongDim(op, *weight, logs.rank(), dim);
}

/// The sizes of all dimensions but that of the classes are those of the target.
static bool checkTarget(Lowering &op, const Tensor &logs, int64_t dim,
                        const Tensor &target) {
  if (target.rank() != logs.rank() - 1) {
    (void)op.error("a target of " + Twine(target.rank()) +
                   " dimensions does not fit an input of " +
                   Twine(logs.rank()));
    return false;
  }
  Sizes sizes = logs.sizes;
  sizes.erase(sizes.begin() + dim);
  for (auto [mine, its] : llvm::zip(sizes, target.sizes))
    op.checkEqual(mine, its,
                  Twine(op.target) + ": the target has another size");
  return true;
}

static void lowerLikelihoodLoss(Lowering &op) {
  Tensor self = op.tensor("self"), target = op.tensor("target");
  ClassLoss loss;
  loss.dim = self.rank() == 1 ? 0 : 1;
  loss.logs = op.convert(self, getComputeDtype(self.dtype));
  if (!checkTarget(op, self, loss.dim, target))
    return;
  if (loss.dim + 1 < self.rank())
    if (auto found = findLogNormalizer(op, loss.logs, loss.dim))
      std::tie(loss.logs, loss.normalizer) = *found;
  loss.weight = getClassWeight(op, self, loss.dim);
  resultClassLoss(op, loss, target, 0);
}

static void lowerCrossEntropy(Lowering &op) {
  Tensor self = op.tensor("self"), target = op.tensor("target");
  double smoothing = op.real("label_smoothing", 0);
  ClassLoss loss;
  loss.dim = self.rank() == 1 ? 0 : 1;
  if (self.rank() == 0) {
    (void)op.error("the input has no dimensions");
    return;
  }
  Tensor logits = op.convert(self, getComputeDtype(self.dtype));
  // Classes that are no neighbors in memory are looked up: one element is read
  // again of each place, and not all of them.
  bool looksUp =
      loss.dim + 1 < self.rank() && smoothing == 0 && !isFloating(target.dtype);
  if (looksUp) {
    loss.logs = self;
    loss.normalizer = buildLogNormalizer(op, logits, loss.dim);
  } else {
    loss.logs = buildLogSoftmax(op, logits, loss.dim);
  }
  loss.weight = getClassWeight(op, self, loss.dim);
  if (!isFloating(target.dtype)) {
    if (checkTarget(op, self, loss.dim, target))
      resultClassLoss(op, loss, target, smoothing);
    return;
  }
  // The target is the probability of each class.
  (void)op.find("ignore_index");
  Dtype dtype = loss.logs.dtype;
  Value share = op.scalar(self.sizes[loss.dim], dtype);
  Tensor values = op.map({loss.logs, target, getWeight(op, loss)}, dtype, dtype,
                         [&](Scalars &s, ArrayRef<Value> args) {
                           Value part = args[1];
                           if (smoothing != 0)
                             part =
                                 s.add(s.mul(part, s.number(1 - smoothing)),
                                       s.divFloat(s.number(smoothing), share));
                           return s.neg(s.mul(s.mul(args[0], part), args[2]));
                         });
  resultReduced(op, op.sum(values, {loss.dim}, dtype));
}

/// By how much other classes come too near to the right one.
static void lowerMultiMarginLoss(Lowering &op) {
  Tensor self = op.tensor("self"), target = op.tensor("target");
  int64_t p = op.integer("p", 1);
  double margin = op.real("margin", 1);
  int64_t rank = self.rank(), dim = rank - 1;
  if (rank < 1 || rank > 2 || target.rank() > 1 || (p != 1 && p != 2)) {
    (void)op.error("the input must have one or two dimensions, the target one "
                   "at most, and p must be 1 or 2");
    return;
  }
  Sizes samples(self.sizes.begin(), self.sizes.begin() + dim);
  target = op.reshape(op.convert(target, Dtype::I64), samples);
  std::optional<Tensor> weight = getClassWeight(op, self, dim);
  Expr count = self.sizes[dim];
  op.check(Comparison::le(op.literal(1), count),
           Twine(op.target) + ": there are no classes");
  Value limit = op.scalar(count, Dtype::I64);
  checkAll(op, target, "a class is out of range", [&](Scalars &s, Value x) {
    return s.bitAnd(s.compare(Compare::Ge, x, s.integer(0)),
                    s.compare(Compare::Lt, x, limit));
  });
  Dtype dtype = getComputeDtype(self.dtype);
  Operand isRight =
      op.map({op.unsqueeze(target, dim),
              alongDim(op, buildIndices(op, count), rank, dim)},
             Dtype::I64, Dtype::Bool, [](Scalars &s, ArrayRef<Value> args) {
               return s.compare(Compare::Eq, args[0], args[1]);
             });
  isRight.isRaw = true;
  auto pick = [&](const Operand &of) {
    Tensor picked = op.map(
        {isRight, of}, dtype, dtype,
        [](Scalars &s, ArrayRef<Value> args) {
          return s.select(args[0], args[1], s.number(0));
        },
        self.sizes);
    return op.keepDims(op.sum(picked, {dim}, dtype), {dim});
  };
  Operand factor = weight ? Operand(pick(*weight)) : Operand(op.literal(1));
  Tensor terms = op.map(
      {self, pick(self), isRight, factor}, dtype, dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value gap = s.add(s.sub(s.number(margin), args[1]), args[0]);
        Value term = p == 2 ? s.mul(gap, gap) : gap;
        Value counts = s.compare(Compare::Gt, gap, s.number(0));
        term = s.select(counts, s.mul(term, args[3]), s.number(0));
        return s.select(args[2], s.number(0), term);
      },
      self.sizes);
  resultReduced(op, divideBy(op, op.sum(terms, {dim}, dtype), count));
}

//===----------------------------------------------------------------------===//
// Similarities
//===----------------------------------------------------------------------===//

/// By how much what is alike is not nearer than what is not.
static void lowerTripletLoss(Lowering &op) {
  Tensor anchor = op.tensor("anchor", 1), positive = op.tensor("positive", 1);
  Tensor negative = op.tensor("negative", 1);
  double margin = op.real("margin", 1), p = op.real("p", 2);
  double eps = op.real("eps", 1e-6);
  Tensor near = buildDistance(op, anchor, positive, p, eps);
  SmallVector<Operand> operands{near,
                                buildDistance(op, anchor, negative, p, eps)};
  if (op.flag("swap", false))
    operands.push_back(buildDistance(op, positive, negative, p, eps));
  resultReduced(op, op.map(operands, near.dtype, near.dtype,
                           [&](Scalars &s, ArrayRef<Value> args) {
                             Value far = args[1];
                             if (args.size() > 2)
                               far = s.min(far, args[2]);
                             Value gap =
                                 s.add(s.number(margin), s.sub(args[0], far));
                             return s.max(gap, s.number(0));
                           }));
}

/// 1 less the cosine of what is to be alike, and the cosine of what is not.
static void lowerCosineLoss(Lowering &op) {
  Tensor x = op.tensor("input1", 1), y = op.tensor("input2", 1);
  Tensor target = op.tensor("target");
  double margin = op.real("margin", 0);
  Dtype dtype = getLossDtype({x, y});
  Sizes sizes = op.broadcastSizes({x, y});
  int64_t dim = target.rank();
  if (dim >= int64_t(sizes.size())) {
    (void)op.error("a target of " + Twine(dim) +
                   " dimensions does not fit inputs of " + Twine(sizes.size()));
    return;
  }
  auto sumOf = [&](const Tensor &a, const Tensor &b, double eps) {
    Tensor products = op.map(
        {a, b}, dtype, dtype,
        [](Scalars &s, ArrayRef<Value> args) {
          return s.mul(args[0], args[1]);
        },
        sizes);
    return op.map({op.sum(products, {dim}, dtype)}, dtype, dtype,
                  [&](Scalars &s, ArrayRef<Value> args) {
                    return s.add(args[0], s.number(eps));
                  });
  };
  resultReduced(
      op,
      op.map({sumOf(x, y, 0), sumOf(x, x, 1e-12), sumOf(y, y, 1e-12), target},
             dtype, dtype, [&](Scalars &s, ArrayRef<Value> args) {
               Value root =
                   math::SqrtOp::create(s.b, s.loc, s.mul(args[1], args[2]));
               Value cosine = s.divFloat(args[0], root), zero = s.number(0);
               Value apart = s.max(s.sub(cosine, s.number(margin)), zero);
               auto where = [&](double of, Value loss) {
                 Value is = s.compare(Compare::Eq, args[3], s.number(of));
                 return s.select(is, loss, zero);
               };
               return s.add(where(1, s.sub(s.number(1), cosine)),
                            where(-1, apart));
             }));
}

void addLosses(LoweringTable &table) {
  table.add("aten.mse_loss.default", lowerSquaredLoss);
  table.add("aten.l1_loss.default", lowerAbsoluteLoss);
  table.add("aten.smooth_l1_loss.default", lowerSmoothLoss);
  table.add("aten.huber_loss.default", lowerHuberLoss);
  table.add("aten.soft_margin_loss.default", lowerSoftMarginLoss);
  table.add("aten.hinge_embedding_loss.default", lowerHingeLoss);
  table.add("aten.margin_ranking_loss.default", lowerMarginRanking);
  table.add("aten.kl_div.default", lowerDivergence);
  table.add("aten.poisson_nll_loss.default", lowerPoissonLoss);
  table.add("aten.multi_margin_loss.default", lowerMultiMarginLoss);
  table.add("aten.triplet_margin_loss.default", lowerTripletLoss);
  table.add("aten.cosine_embedding_loss.default", lowerCosineLoss);
  table.add("aten.binary_cross_entropy.default",
            lowerBinaryCrossEntropy<false>);
  table.add("aten.binary_cross_entropy_with_logits.default",
            lowerBinaryCrossEntropy<true>);
  table.add("aten.nll_loss.default", lowerLikelihoodLoss);
  table.add("aten.nll_loss_nd.default", lowerLikelihoodLoss);
  table.add("aten.nll_loss2d.default", lowerLikelihoodLoss);
  table.add("aten.cross_entropy_loss.default", lowerCrossEntropy);
}

} // namespace tally::import_pt2
