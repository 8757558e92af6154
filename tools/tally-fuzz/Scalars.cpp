//===- Scalars.cpp - Random arithmetic ------------------------------------===//
//
// Everything that is written here has a defined value: divisors are positive,
// shifts are shorter than the type, floats fit the integers that they become.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally::fuzz;

static unsigned getWidth(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

Value Generator::scalarConstant(Type type) {
  if (isa<FloatType>(type)) {
    double value = random.pick({0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 3.0});
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  }
  int64_t value = random.pick({0, 1, 2, 3, 5, 7, -1, -2});
  if (type.isInteger(1))
    return arith::ConstantOp::create(b, b.getBoolAttr(value & 1));
  if (random.chance(5) && getWidth(type) > 1) // the smallest of the type
    value = getWidth(type) == 64 ? INT64_MIN
                                 : -(int64_t(1) << (getWidth(type) - 1));
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

template <typename IndexCast, typename Extend>
static Value convertInteger(ImplicitLocOpBuilder &b, Value value, Type type) {
  Type from = value.getType();
  if (from.isIndex() || type.isIndex())
    return IndexCast::create(b, type, value);
  if (getWidth(from) < getWidth(type))
    return Extend::create(b, type, value);
  return arith::TruncIOp::create(b, type, value);
}

Leaf Generator::convert(Leaf leaf, Type type) {
  Type from = leaf.value.getType();
  if (from == type)
    return leaf;
  bool isSigned = random.chance(60);
  if (isa<FloatType>(from) && isa<FloatType>(type)) {
    unsigned fromWidth = getWidth(from), width = getWidth(type);
    if (fromWidth == width) { // f16 and bf16
      leaf.value = arith::ExtFOp::create(b, b.getF32Type(), leaf.value);
      fromWidth = 32;
    }
    if (fromWidth < width)
      return {arith::ExtFOp::create(b, type, leaf.value), leaf.inexact};
    return {arith::TruncFOp::create(b, type, leaf.value), leaf.inexact};
  }
  if (isa<FloatType>(type)) {
    Value value = leaf.value;
    if (from.isIndex())
      value = arith::IndexCastOp::create(b, b.getI64Type(), value);
    if (isSigned)
      return {arith::SIToFPOp::create(b, type, value)};
    return {arith::UIToFPOp::create(b, type, value)};
  }
  if (isa<FloatType>(from)) {
    if (leaf.inexact)
      return {scalarConstant(type)};
    auto constant = [&](double value) -> Value {
      return arith::ConstantOp::create(b, b.getFloatAttr(from, value));
    };
    if (type.isInteger(1))
      return {arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, leaf.value,
                                    constant(0))};
    // What is not a number becomes the limit.
    Value value = arith::MaxNumFOp::create(b, leaf.value, constant(-100));
    value = arith::MinNumFOp::create(b, value, constant(100));
    Type integer = type.isIndex() ? b.getI64Type() : type;
    value = arith::FPToSIOp::create(b, integer, value);
    return convert({value}, type);
  }
  if (isSigned)
    return {convertInteger<arith::IndexCastOp, arith::ExtSIOp>(b, leaf.value,
                                                               type)};
  return {convertInteger<arith::IndexCastUIOp, arith::ExtUIOp>(b, leaf.value,
                                                               type)};
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// `exact` wants a value that decisions may depend on.
Leaf Generator::makeScalar(Type type, ArrayRef<Leaf> leaves, unsigned depth,
                           bool exact) {
  if (depth == 0 || random.chance(25)) {
    SmallVector<Leaf> found, others;
    for (const Leaf &leaf : leaves)
      if (!exact || !leaf.inexact)
        (leaf.value.getType() == type ? found : others).push_back(leaf);
    if (!found.empty() && random.chance(85))
      return random.pick(found);
    if (!others.empty() && random.chance(70))
      return convert(random.pick(others), type);
    return {scalarConstant(type)};
  }
  if (random.chance(10)) {
    Leaf condition = makeScalar(b.getI1Type(), leaves, depth - 1, true);
    Leaf x = makeScalar(type, leaves, depth - 1, exact);
    Leaf y = makeScalar(type, leaves, depth - 1, exact);
    return {arith::SelectOp::create(b, condition.value, x.value, y.value),
            x.inexact || y.inexact};
  }
  if (type.isInteger(1))
    return makeBoolean(leaves, depth);
  if (isa<FloatType>(type))
    return makeFloat(type, leaves, depth, exact);
  return makeInteger(type, leaves, depth);
}

Leaf Generator::makeBoolean(ArrayRef<Leaf> leaves, unsigned depth) {
  if (random.chance(30)) {
    Value x = makeScalar(b.getI1Type(), leaves, depth - 1, true).value;
    Value y = makeScalar(b.getI1Type(), leaves, depth - 1, true).value;
    switch (random.below(3)) {
    case 0:
      return {arith::AndIOp::create(b, x, y)};
    case 1:
      return {arith::OrIOp::create(b, x, y)};
    default:
      return {arith::XOrIOp::create(b, x, y)};
    }
  }
  Type type = leaves.empty() ? Type(b.getI64Type())
                             : random.pick(leaves).value.getType();
  Value x = makeScalar(type, leaves, depth - 1, true).value;
  Value y = makeScalar(type, leaves, depth - 1, true).value;
  if (isa<FloatType>(type)) {
    auto predicate = static_cast<arith::CmpFPredicate>(random.in(1, 14));
    return {arith::CmpFOp::create(b, predicate, x, y)};
  }
  auto predicate = static_cast<arith::CmpIPredicate>(random.below(10));
  return {arith::CmpIOp::create(b, predicate, x, y)};
}

template <typename... Ops>
static Value createOneOf(ImplicitLocOpBuilder &b, Random &random, Value x,
                         Value y) {
  using Create = Value (*)(ImplicitLocOpBuilder &, Value, Value);
  static constexpr Create creators[] = {
      +[](ImplicitLocOpBuilder &builder, Value left, Value right) -> Value {
        return Ops::create(builder, left, right);
      }...};
  return creators[random.below(sizeof...(Ops))](b, x, y);
}

Leaf Generator::makeInteger(Type type, ArrayRef<Leaf> leaves, unsigned depth) {
  Value x = makeScalar(type, leaves, depth - 1, true).value;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  };
  if (random.chance(15)) {
    // An odd divisor from 1 to 7.
    Value y = constant(random.in(1, 7));
    if (random.chance(50)) {
      y = makeScalar(type, leaves, depth - 1, true).value;
      y = arith::AndIOp::create(b, y, constant(6));
      y = arith::OrIOp::create(b, y, constant(1));
    }
    return {createOneOf<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                        arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
                        arith::CeilDivUIOp>(b, random, x, y)};
  }
  if (random.chance(10))
    return {createOneOf<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(
        b, random, x, constant(random.in(0, getWidth(type) - 1)))};
  Value y = makeScalar(type, leaves, depth - 1, true).value;
  return {
      createOneOf<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
                  arith::OrIOp, arith::XOrIOp, arith::MaxSIOp, arith::MinSIOp,
                  arith::MaxUIOp, arith::MinUIOp>(b, random, x, y)};
}

Leaf Generator::makeFloat(Type type, ArrayRef<Leaf> leaves, unsigned depth,
                          bool exact) {
  Leaf x = makeScalar(type, leaves, depth - 1, exact);
  if (random.chance(20)) {
    // What rounds to an integer must not decide by a rounding error.
    if (x.inexact || random.chance(40))
      return {arith::NegFOp::create(b, x.value), x.inexact};
    if (allowInexact && !exact && getWidth(type) >= 32 && random.chance(50))
      return makeFunction(type, x);
    switch (random.below(6)) {
    case 0:
      return {math::FloorOp::create(b, x.value)};
    case 1:
      return {math::CeilOp::create(b, x.value)};
    case 2:
      return {math::TruncOp::create(b, x.value)};
    case 3:
      return {math::RoundEvenOp::create(b, x.value)};
    case 4:
      return {math::SqrtOp::create(b, x.value)};
    default:
      return {math::AbsFOp::create(b, x.value)};
    }
  }
  Leaf y = makeScalar(type, leaves, depth - 1, exact);
  bool inexact = x.inexact || y.inexact;
  if (inexact)
    return {createOneOf<arith::AddFOp, arith::MaximumFOp, arith::MinimumFOp>(
                b, random, x.value, y.value),
            true};
  return {
      createOneOf<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::MulFOp,
                  arith::DivFOp, arith::MaximumFOp, arith::MinimumFOp>(
          b, random, x.value, y.value)};
}

/// A function that differs in the last bits from library to library.
Leaf Generator::makeFunction(Type type, Leaf operand) {
  // Where it neither overflows nor has a pole.
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  };
  Value x = arith::MaximumFOp::create(b, operand.value, constant(-4));
  x = arith::MinimumFOp::create(b, x, constant(4));
  switch (random.below(6)) {
  case 0:
    return {math::ExpOp::create(b, x), true};
  case 1:
    return {math::TanhOp::create(b, x), true};
  case 2:
    return {math::SinOp::create(b, x), true};
  case 3:
    return {math::CosOp::create(b, x), true};
  case 4:
    return {math::ErfOp::create(b, x), true};
  default:
    x = arith::MaximumFOp::create(b, x, constant(0.5));
    return {random.chance(50) ? Value(math::LogOp::create(b, x))
                              : Value(math::RsqrtOp::create(b, x)),
            true};
  }
}

/// An operation whose order does not matter, but for rounding.
Leaf Generator::combineForReduction(Value accumulator, Leaf value) {
  Type type = accumulator.getType();
  if (isa<FloatType>(type)) {
    if (allowInexact && random.chance(70))
      return {arith::AddFOp::create(b, accumulator, value.value), true};
    return {createOneOf<arith::MaximumFOp, arith::MinimumFOp>(
                b, random, accumulator, value.value),
            value.inexact};
  }
  if (type.isInteger(1))
    return {createOneOf<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(
        b, random, accumulator, value.value)};
  return {
      createOneOf<arith::AddIOp, arith::AddIOp, arith::MulIOp, arith::MaxSIOp,
                  arith::MinSIOp, arith::MaxUIOp, arith::OrIOp, arith::XOrIOp>(
          b, random, accumulator, value.value)};
}

//===----------------------------------------------------------------------===//
// Operations on scalars
//===----------------------------------------------------------------------===//

bool Generator::emitScalar() {
  Leaf leaf = makeScalar(randomElementType(), getLeaves(), 2);
  if (!leaf.value.getDefiningOp())
    return false;
  add(leaf.value, leaf.inexact);
  return true;
}

bool Generator::emitIndex() {
  std::optional<Item> x = pickSize(0, 40);
  if (!x)
    return false;
  Item y = indexConstant(random.in(1, 3));
  if (random.chance(50))
    if (std::optional<Item> other = pickSize(0, 12))
      y = *other;
  Value result;
  Quantity number;
  switch (random.below(7)) {
  case 0:
    addIndex(*x, y);
    return true;
  case 1: {
    Quantity difference = combine(x->number, y.number, std::minus<int64_t>());
    if (difference.getMin() < 0 && random.chance(90))
      return false;
    subIndex(*x, y);
    return true;
  }
  case 2:
    mulIndex(*x, y);
    return true;
  case 3:
    result = arith::MinSIOp::create(b, x->value, y.value);
    number = combine(x->number, y.number,
                     [](int64_t p, int64_t q) { return std::min(p, q); });
    break;
  case 4:
    result = arith::MaxSIOp::create(b, x->value, y.value);
    number = combine(x->number, y.number,
                     [](int64_t p, int64_t q) { return std::max(p, q); });
    break;
  case 5:
    y = indexConstant(random.in(1, 4));
    result = createOneOf<arith::FloorDivSIOp, arith::DivUIOp, arith::DivSIOp>(
        b, random, x->value, y.value);
    number = combine(x->number, y.number, std::divides<int64_t>());
    break;
  default:
    y = indexConstant(random.in(1, 4));
    result = createOneOf<arith::CeilDivSIOp, arith::CeilDivUIOp>(
        b, random, x->value, y.value);
    number = combine(x->number, y.number,
                     [](int64_t p, int64_t q) { return (p + q - 1) / q; });
    break;
  }
  add(result, number);
  return true;
}

/// `tally.size` over the names of the function.
bool Generator::emitSymbolicSize() {
  if (!isNamed || symbols.empty() || main->getRegions().empty() ||
      b.getInsertionBlock()->getParentOp() != main)
    return false;
  unsigned i = random.below(symbols.size()), j = random.below(symbols.size());
  std::string x = "s" + std::to_string(i), y = "s" + std::to_string(j);
  std::string text;
  Quantity number;
  switch (random.below(6)) {
  case 0:
    text = x + " + " + y;
    number = combine(symbols[i], symbols[j], std::plus<int64_t>());
    break;
  case 1:
    text = x + " * " + y;
    number = combine(symbols[i], symbols[j], std::multiplies<int64_t>());
    break;
  case 2:
    text = "max(" + x + ", " + y + ")";
    number = combine(symbols[i], symbols[j],
                     [](int64_t p, int64_t q) { return std::max(p, q); });
    break;
  case 3:
    text = "min(" + x + ", " + y + ") + 1";
    number = combine(symbols[i], symbols[j],
                     [](int64_t p, int64_t q) { return std::min(p, q) + 1; });
    break;
  case 4:
    text = x + " floordiv 2";
    number = combine(symbols[i], constant(2), std::divides<int64_t>());
    break;
  default:
    text = "2 * " + x + " + 1";
    number = combine(symbols[i], constant(2),
                     [](int64_t p, int64_t q) { return p * q + 1; });
    break;
  }
  auto expression = tally::ExprAttr::get(context, text);
  add(tally::SizeOp::create(b, b.getIndexType(), expression), number);
  return true;
}

/// An integer over the names of the function; most divisors are not 0.
std::string Generator::makeNumberText(unsigned depth) {
  if (depth == 0 || random.chance(20))
    return random.chance(70)
               ? "s" + std::to_string(random.below(symbols.size()))
               : std::to_string(random.in(0, 4));
  std::string x = makeNumberText(depth - 1), y = makeNumberText(depth - 1);
  switch (random.below(6)) {
  case 0:
    return "(" + x + random.pick({" + ", " - ", " * "}) + y + ")";
  case 1:
    return random.pick({"min(", "max("}) + x + ", " + y + ")";
  case 2:
    return "select(" + makeTruthText(depth - 1) + ", " + x + ", " + y + ")";
  case 3:
    return "select(" + y + " == 0, 1, " + x + " floordiv " + y + ")";
  default:
    if (random.chance(60))
      y = "max(" + y + ", 1)";
    return "(" + x + random.pick({" floordiv ", " mod "}) + y + ")";
  }
}

/// A truth over the names of the function; a division behind `or` and `and`
/// counts only where it is evaluated.
std::string Generator::makeTruthText(unsigned depth) {
  if (depth != 0 && random.chance(40))
    return "(" + makeTruthText(depth - 1) + random.pick({" or ", " and "}) +
           makeTruthText(depth - 1) + ")";
  std::string x = makeNumberText(depth), y = makeNumberText(depth);
  std::string compare = random.pick({" == ", " != ", " < ", " <= "});
  if (depth != 0 && random.chance(50)) {
    // What is asked first may be something else than the divisor.
    std::string guard = random.chance(50) ? y + " == 0" : makeTruthText(0);
    return random.chance(50)
               ? "(" + guard + " or 12 floordiv " + y + compare + x + ")"
               : "(not (" + guard + ") and 12 mod " + y + compare + x + ")";
  }
  return (random.chance(20) ? "not (" : "(") + x + compare + y + ")";
}

/// `tally.size` as a number of the program, of any sign, or as a condition.
bool Generator::emitSymbolicNumber() {
  if (!isNamed || symbols.empty() ||
      b.getInsertionBlock()->getParentOp() != main)
    return false;
  bool isTruth = random.chance(60);
  auto expression = tally::ExprAttr::get(context, isTruth ? makeTruthText(2)
                                                          : makeNumberText(2));
  Type type = isTruth ? b.getI1Type() : b.getI64Type();
  add(tally::SizeOp::create(b, type, expression), /*inexact=*/false);
  return true;
}

/// A statement of the user: most hold in the planned calls.
bool Generator::emitCheck() {
  std::optional<Item> x = pickSize(-1000000, 1000000);
  std::optional<Item> y = pickSize(-1000000, 1000000);
  if (!x || !y)
    return false;
  auto holds = [&](auto compare) {
    return llvm::all_of(
        llvm::zip_equal(x->number.calls, y->number.calls), [&](auto pair) {
          return compare(std::get<0>(pair).high, std::get<1>(pair).low);
        });
  };
  SmallVector<StringRef> texts;
  if (holds(std::less_equal<int64_t>()))
    texts.push_back("p <= q");
  if (holds(std::less<int64_t>()))
    texts.push_back("p < q");
  if (areEqual(x->number, y->number))
    texts.push_back("p == q");
  if (x->number.isExact() && y->number.isExact() && random.chance(30))
    texts.push_back("p <= q + 3 or 2 * q < p");
  if (random.chance(3))
    texts.append({"p == q + 1", "p * q == 6", "p mod 2 == 0"});
  if (texts.empty())
    return false;
  auto condition = tally::ExprAttr::get(context, random.pick(texts));
  if (condition.getText().contains('q'))
    tally::CheckOp::create(b, condition, ValueRange{x->value, y->value},
                           {"p", "q"});
  else
    tally::CheckOp::create(b, condition, ValueRange{x->value}, {"p"});
  return true;
}
