//===- Symbolic.cpp - Arithmetic of sizes and other numbers ---------------===//
//
// Numbers of the program are expressions; they become values only where an
// operation needs them.
//
//===----------------------------------------------------------------------===//

#include "../Symbols.h"
#include "Families.h"

using namespace mlir;

namespace tally::import_pt2 {

using symbolic::ExprContext;
using symbolic::FloatFunction;

namespace {
using BinaryExpr = Expr (*)(ExprContext &, Expr, Expr);
} // namespace

static Expr argument(Lowering &op, unsigned index) {
  if (const Argument *value = op.positional(index))
    return op.scalarOrLayoutOf(*value);
  return op.literal(1);
}

/// A boolean beside a number counts as 0 or 1.
static Expr toNumber(Lowering &op, Expr expr) {
  if (!expr.isBool())
    return expr;
  return op.exprs.select(expr, op.literal(1), op.literal(0));
}

template <BinaryExpr fn>
static void lower(Lowering &op) {
  Expr x = toNumber(op, argument(op, 0)), y = toNumber(op, argument(op, 1));
  if (!op.hasFailed())
    op.result(fn(op.exprs, x, y));
}

/// Operations that are defined for integers only.
template <BinaryExpr fn>
static void lowerInt(Lowering &op) {
  Expr x = toNumber(op, argument(op, 0)), y = toNumber(op, argument(op, 1));
  if (x.isFloat() || y.isFloat()) {
    (void)op.error(
        "floats are not supported here: only integers and booleans are");
    return;
  }
  if (!op.hasFailed())
    op.result(fn(op.exprs, x, y));
}

static Expr add(ExprContext &c, Expr x, Expr y) { return c.add(x, y); }
static Expr sub(ExprContext &c, Expr x, Expr y) { return c.sub(x, y); }
static Expr mul(ExprContext &c, Expr x, Expr y) { return c.mul(x, y); }
static Expr floorDiv(ExprContext &c, Expr x, Expr y) {
  return c.floorDiv(x, y);
}
static Expr mod(ExprContext &c, Expr x, Expr y) { return c.mod(x, y); }
static Expr trueDiv(ExprContext &c, Expr x, Expr y) { return c.trueDiv(x, y); }
static Expr max(ExprContext &c, Expr x, Expr y) { return c.max(x, y); }
static Expr min(ExprContext &c, Expr x, Expr y) { return c.min(x, y); }
static Expr lt(ExprContext &c, Expr x, Expr y) { return c.lt(x, y); }
static Expr le(ExprContext &c, Expr x, Expr y) { return c.le(x, y); }
static Expr gt(ExprContext &c, Expr x, Expr y) { return c.gt(x, y); }
static Expr ge(ExprContext &c, Expr x, Expr y) { return c.ge(x, y); }
static Expr eq(ExprContext &c, Expr x, Expr y) { return c.eq(x, y); }
static Expr ne(ExprContext &c, Expr x, Expr y) { return c.ne(x, y); }

/// and, or of booleans.
template <bool isAnd>
static void lowerLogic(Lowering &op) {
  Expr x = argument(op, 0), y = argument(op, 1);
  if (!x.isBool() || !y.isBool()) {
    (void)op.error("only booleans are supported");
    return;
  }
  op.result(isAnd ? op.exprs.logicalAnd(x, y) : op.exprs.logicalOr(x, y));
}

static Expr toTruth(Lowering &op, Expr expr) {
  return expr.isBool() ? expr : op.exprs.ne(expr, op.literal(0));
}

static void lowerNot(Lowering &op) {
  op.result(op.exprs.logicalNot(toTruth(op, argument(op, 0))));
}
static void lowerNeg(Lowering &op) {
  op.result(op.exprs.neg(toNumber(op, argument(op, 0))));
}
static void lowerPos(Lowering &op) { op.result(toNumber(op, argument(op, 0))); }
static void lowerAbs(Lowering &op) {
  op.result(op.exprs.abs(toNumber(op, argument(op, 0))));
}

static void lowerPow(Lowering &op) {
  Expr base = argument(op, 0), exponent = argument(op, 1);
  if (base.isFloat() || exponent.isFloat()) {
    op.result(op.exprs.pow(toNumber(op, base), toNumber(op, exponent)));
    return;
  }
  std::optional<int64_t> power = exponent.isInt() && exponent.isConstant()
                                     ? exponent.getInt64()
                                     : std::nullopt;
  if (!power || *power < 0 || *power > 64 || !base.isInt()) {
    (void)op.error("only small natural powers of integers are supported");
    return;
  }
  op.result(op.exprs.pow(base, unsigned(*power)));
}

template <bool isLeft>
static void lowerShift(Lowering &op) {
  Expr x = argument(op, 0), by = argument(op, 1);
  std::optional<int64_t> shift =
      by.isInt() && by.isConstant() ? by.getInt64() : std::nullopt;
  if (!shift || *shift < 0 || *shift > 62 || !x.isInt()) {
    (void)op.error("only shifts of integers by literals are supported");
    return;
  }
  Expr power = op.literal(int64_t(1) << *shift);
  op.result(isLeft ? op.exprs.mul(x, power) : op.exprs.floorDiv(x, power));
}

static void lowerIte(Lowering &op) {
  Expr c = argument(op, 0), x = argument(op, 1), y = argument(op, 2);
  if (x.isFloat() != y.isFloat()) {
    x = op.exprs.toFloat(toNumber(op, x));
    y = op.exprs.toFloat(toNumber(op, y));
  } else if (x.isBool() != y.isBool()) {
    x = toNumber(op, x);
    y = toNumber(op, y);
  }
  op.result(op.exprs.select(toTruth(op, c), x, y));
}

static Expr toFloat(Lowering &op, Expr expr) {
  expr = toNumber(op, expr);
  return expr.isFloat() ? expr : op.exprs.toFloat(expr);
}
static void lowerFloat(Lowering &op) {
  op.result(toFloat(op, argument(op, 0)));
}
template <FloatFunction function>
static void lowerFunction(Lowering &op) {
  op.result(op.exprs.floatFunction(function, toFloat(op, argument(op, 0))));
}
/// int() and math.trunc.
static void lowerTrunc(Lowering &op) {
  Expr x = toNumber(op, argument(op, 0));
  op.result(x.isFloat() ? op.exprs.toInt(x) : x);
}

namespace {
enum class Rounding { Floor, Ceil };
} // namespace

/// math.floor and math.ceil.
template <Rounding rounding>
static void lowerRound(Lowering &op) {
  Expr x = toNumber(op, argument(op, 0));
  if (!x.isFloat())
    return op.result(x);
  // Correct what truncation does on the other side of zero.
  Expr whole = op.exprs.toInt(x);
  Expr back = op.exprs.toFloat(whole);
  bool isFloor = rounding == Rounding::Floor;
  Expr off = isFloor ? op.exprs.lt(x, back) : op.exprs.lt(back, x);
  Expr next = op.exprs.add(whole, op.literal(isFloor ? -1 : 1));
  op.result(op.exprs.select(off, next, whole));
}

static void lowerSum(Lowering &op) {
  SmallVector<Expr> terms;
  if (const Argument *list = op.positional(0))
    for (const Argument &term : list->list)
      terms.push_back(toNumber(op, op.scalarOrLayoutOf(term)));
  op.result(op.exprs.sum(terms));
}

//===----------------------------------------------------------------------===//
// Sizes of tensors
//===----------------------------------------------------------------------===//

static void lowerSize(Lowering &op) {
  Tensor in = op.tensor("self");
  if (in.rank() == 0) {
    (void)op.error("the tensor has no dimensions");
    return;
  }
  op.result(in.sizes[op.dim("dim", in.rank())]);
}

static void lowerNumel(Lowering &op) { op.result(op.numel(op.tensor("self"))); }

/// Where a tensor is in memory: what was recorded, for assertions about it.
/// Symbols of the recorded expression alone are no numbers of the program.
static const TensorMeta *getMeta(Lowering &op) {
  const TensorMeta *meta = op.argumentMeta("self");
  if (!meta)
    (void)op.error("the tensor has no recorded metadata");
  return meta;
}

/// Of a tensor of complex numbers, which is one of pairs, half of the number.
template <bool isOfPairs>
static void resultRecorded(Lowering &op, const SymInt &number) {
  auto result = [&](Expr value) {
    op.result(isOfPairs ? op.exprs.floorDiv(value, op.literal(2)) : value);
  };
  if (number.literal)
    return result(op.literal(*number.literal));
  llvm::Expected<Expr> value = readSrepr(
      number.srepr, op.exprs, [&](StringRef name, symbolic::SymbolType type) {
        Expr known = op.state.lookup(name);
        return known ? known : op.state.getLayoutSymbol(name, type);
      });
  if (!value) {
    (void)op.error(llvm::toString(value.takeError()));
    return;
  }
  result(*value);
}

template <bool isOfPairs>
static void lowerStride(Lowering &op) {
  const TensorMeta *meta = getMeta(op);
  if (!meta || meta->strides.empty())
    return;
  int64_t rank = int64_t(meta->strides.size()) - isOfPairs;
  resultRecorded<isOfPairs>(op, meta->strides[op.dim("dim", rank)]);
}

template <bool isOfPairs>
static void lowerStorageOffset(Lowering &op) {
  if (const TensorMeta *meta = getMeta(op))
    resultRecorded<isOfPairs>(op, meta->storageOffset);
}

void addPlacesOfPairs(LoweringTable &table) {
  table.add("aten.sym_stride.int", lowerStride<true>);
  table.add("aten.sym_storage_offset.default", lowerStorageOffset<true>);
}

void addSymbolic(LoweringTable &table) {
  table.add("_operator.add", lower<add>);
  table.add("_operator.sub", lower<sub>);
  table.add("_operator.mul", lower<mul>);
  table.add("_operator.truediv", lower<trueDiv>);
  table.add("_operator.floordiv", lowerInt<floorDiv>);
  table.add("_operator.mod", lowerInt<mod>);
  table.add("_operator.pow", lowerPow);
  table.add("_operator.lshift", lowerShift<true>);
  table.add("_operator.rshift", lowerShift<false>);
  table.add("_operator.neg", lowerNeg);
  table.add("_operator.pos", lowerPos);
  table.add("_operator.abs", lowerAbs);
  table.add("_operator.lt", lower<lt>);
  table.add("_operator.le", lower<le>);
  table.add("_operator.gt", lower<gt>);
  table.add("_operator.ge", lower<ge>);
  table.add("_operator.eq", lower<eq>);
  table.add("_operator.ne", lower<ne>);
  table.add("_operator.and_", lowerLogic<true>);
  table.add("_operator.or_", lowerLogic<false>);
  table.add("_operator.not_", lowerNot);
  table.add("torch.sym_not", lowerNot);
  table.add("torch.sym_max", lower<max>);
  table.add("torch.sym_min", lower<min>);
  table.add("torch.sym_ite", lowerIte);
  table.add("torch.sym_float", lowerFloat);
  table.add("torch.sym_int", lowerTrunc);
  table.add("torch.sym_sum", lowerSum);
  table.add("torch.sym_sqrt", lowerFunction<FloatFunction::Sqrt>);
  table.add("torch._sym_sqrt", lowerFunction<FloatFunction::Sqrt>);
  table.add("torch._sym_log2", lowerFunction<FloatFunction::Log2>);
  table.add("torch._sym_sin", lowerFunction<FloatFunction::Sin>);
  table.add("torch._sym_cos", lowerFunction<FloatFunction::Cos>);
  table.add("torch._sym_tan", lowerFunction<FloatFunction::Tan>);
  table.add("torch._sym_asin", lowerFunction<FloatFunction::Asin>);
  table.add("torch._sym_acos", lowerFunction<FloatFunction::Acos>);
  table.add("torch._sym_atan", lowerFunction<FloatFunction::Atan>);
  table.add("torch._sym_sinh", lowerFunction<FloatFunction::Sinh>);
  table.add("torch._sym_cosh", lowerFunction<FloatFunction::Cosh>);
  table.add("torch._sym_tanh", lowerFunction<FloatFunction::Tanh>);
  table.add("math.trunc", lowerTrunc);
  table.add("math.floor", lowerRound<Rounding::Floor>);
  table.add("math.ceil", lowerRound<Rounding::Ceil>);
  table.add("aten.sym_size.int", lowerSize);
  table.add("aten.sym_numel.default", lowerNumel);
  table.add("aten.sym_stride.int", lowerStride<false>);
  table.add("aten.sym_storage_offset.default", lowerStorageOffset<false>);
}

} // namespace tally::import_pt2
