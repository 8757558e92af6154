//===- ArithModels.cpp - Values of scalar arithmetic ----------------------===//
//
// The mathematical value of index and integer arithmetic, given where it is
// known not to wrap around: by ranges, or because the program says so (`nsw`).
// Integers are seen as signed; what an operation computes on unsigned numbers
// is told where its operands are not negative. Index has 64 bits. FloatModels
// has the floats.
//
//   operation (arith, index)         expression, and where it is given
//   addi, subi, muli                 a + b, a - b, a * b, also where a or b is
//                                    known modulo 2**n alone (getResidue)
//   floordivsi, ceildivsi            a floordiv b, a ceildiv b; b not 0
//   divsi, divui                     a floordiv b; a >= 0 (they truncate), b >
//   0 ceildivui                        a ceildiv b; a >= 0, b > 0 remsi, remui
//   a mod b; a >= 0 (the sign is a's), b > 0 maxsi, minsi max, min maxui, minui
//   max, min; a, b >= 0 shli                             a * 2 ** b; 0 <= b <
//   width shrsi                            a floordiv 2 ** b; 0 <= b < width
//   shrui                            that; a >= 0
//   andi, ori, xori                  of i1: and, or, !=; else bits, where they
//                                    are a mod or their range is known
//   cmpi eq, ne, slt, sle, ...       ==, !=, <, <=, ...
//   cmpi ult, ule                    0 <= a and a < b, a <= b; b >= 0
//   cmpi ugt, uge                    the opposites of ule, ult
//   select                           select, of integers, i1 and f64
//   constant, index.bool.constant    literals
//   extsi, index_cast                a (of i1: -1 or 0)
//   extui, index_castui              a; a >= 0 or as wide (of i1: 1 or 0)
//   trunci                           a; where it fits, so that nothing is cut
//
// Divisions and remainders precondition a divisor that is not 0.
//
// Not read are the operations with two results (addui_extended, mulsi_extended,
// ...), bitcast and trunci to i1.
//
//===----------------------------------------------------------------------===//

#include "../ShapesImpl.h"
#include "Models.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

namespace {

unsigned getWidth(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer ? integer.getWidth() : 64;
}

/// The operands of an operation as expressions, and what is asked of them.
struct Operands {
  Operands(Operation *op, SymbolicShapes &shapes, bool asResidues = false)
      : shapes(shapes), context(shapes.getContext()),
        width(getWidth(op->getOperand(0).getType())) {
    for (Value operand : op->getOperands())
      exprs.push_back(asResidues ? shapes.getResidue(operand)
                                 : shapes.getValue(operand));
  }
  Expr operator[](unsigned index) const { return exprs[index]; }

  bool areInts() const {
    return llvm::all_of(exprs, [](Expr expr) { return expr.isInt(); });
  }
  bool isNonNegative(unsigned index) const {
    return exprs[index].isInt() &&
           shapes.isKnown(context.le(context.zero(), exprs[index]));
  }
  bool areNonNegative() const { return isNonNegative(0) && isNonNegative(1); }
  bool isPositive(unsigned index) const {
    return exprs[index].isInt() &&
           shapes.isKnown(context.lt(context.zero(), exprs[index]));
  }
  bool isNonZero(unsigned index) const {
    return exprs[index].isInt() &&
           shapes.isKnown(context.ne(exprs[index], context.zero()));
  }
  /// Returns true if the second operand is a number of bits that the first one
  /// has; shifts by others have no value.
  bool isShift() const {
    return isNonNegative(1) &&
           shapes.isKnown(context.lt(exprs[1], context.constant(width)));
  }

  SymbolicShapes &shapes;
  symbolic::ExprContext &context;
  /// That of the first operand.
  unsigned width;
  SmallVector<Expr, 3> exprs;
};

enum class Kind {
  Add,
  Sub,
  Mul,
  DivSigned,
  DivUnsigned,
  CeilDivSigned,
  CeilDivUnsigned,
  FloorDivSigned,
  RemSigned,
  RemUnsigned,
  MaxSigned,
  MaxUnsigned,
  MinSigned,
  MinUnsigned,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRightSigned,
  ShiftRightUnsigned,
};

/// Divisions and remainders, where the divisor is known not to be zero.
Expr evaluateDivision(Kind kind, const Operands &x) {
  symbolic::ExprContext &context = x.context;
  bool divides = x.isPositive(1);
  switch (kind) {
  case Kind::DivUnsigned:
  case Kind::DivSigned: // truncates, which is another thing below zero
    return divides && x.isNonNegative(0) ? context.floorDiv(x[0], x[1])
                                         : Expr();
  case Kind::CeilDivUnsigned:
    return divides && x.isNonNegative(0) ? context.ceilDiv(x[0], x[1]) : Expr();
  case Kind::CeilDivSigned:
    return x.isNonZero(1) ? context.ceilDiv(x[0], x[1]) : Expr();
  case Kind::FloorDivSigned:
    return x.isNonZero(1) ? context.floorDiv(x[0], x[1]) : Expr();
  case Kind::RemUnsigned:
  case Kind::RemSigned:
    return divides && x.isNonNegative(0) ? context.mod(x[0], x[1]) : Expr();
  default:
    return {};
  }
}

/// Operations on bits: of booleans, or of integers in two's complement.
Expr evaluateBits(Kind kind, const Operands &x) {
  symbolic::ExprContext &context = x.context;
  switch (kind) {
  case Kind::And:
    return context.bitwise(symbolic::BitwiseOp::And, x[0], x[1]);
  case Kind::Or:
    return context.bitwise(symbolic::BitwiseOp::Or, x[0], x[1]);
  case Kind::Xor:
    return context.bitwise(symbolic::BitwiseOp::Xor, x[0], x[1]);
  default:
    break;
  }
  if (!x.areInts() || !x.isShift())
    return {};
  if (kind == Kind::ShiftLeft)
    return context.shiftLeft(x[0], x[1]);
  if (kind == Kind::ShiftRightSigned || x.isNonNegative(0))
    return context.shiftRight(x[0], x[1]);
  return {};
}

Expr evaluateBinary(Kind kind, const Operands &x) {
  symbolic::ExprContext &context = x.context;
  if (kind >= Kind::And)
    return evaluateBits(kind, x);
  if (!x.areInts())
    return {};
  switch (kind) {
  case Kind::Add:
    return context.add(x[0], x[1]);
  case Kind::Sub:
    return context.sub(x[0], x[1]);
  case Kind::Mul:
    return context.mul(x[0], x[1]);
  case Kind::MaxSigned:
    return context.max(x[0], x[1]);
  case Kind::MinSigned:
    return context.min(x[0], x[1]);
  case Kind::MaxUnsigned:
    return x.areNonNegative() ? context.max(x[0], x[1]) : Expr();
  case Kind::MinUnsigned:
    return x.areNonNegative() ? context.min(x[0], x[1]) : Expr();
  default:
    return evaluateDivision(kind, x);
  }
}

/// Returns true if the program says that an operation does not wrap around.
bool isWrapFree(Operation *op) {
  auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  return flags && bitEnumContainsAll(flags.getOverflowAttr().getValue(),
                                     arith::IntegerOverflowFlags::nsw);
}

/// Bounds a quotient or a remainder by a constant that has no expression.
void limitDivision(Kind kind, Value result, const Operands &x,
                   SymbolicShapes &shapes) {
  std::optional<int64_t> divisor =
      x[1].isInt() ? x[1].getInt64() : std::nullopt;
  bool isSigned = kind == Kind::DivSigned || kind == Kind::RemSigned;
  bool isRemainder = kind == Kind::RemSigned || kind == Kind::RemUnsigned;
  if (!divisor || *divisor < 2 ||
      !(isSigned || isRemainder || kind == Kind::DivUnsigned))
    return;
  int64_t limit = isRemainder ? *divisor - 1
                  : isSigned  ? INT64_MAX / *divisor + 1
                              : static_cast<int64_t>(UINT64_MAX / *divisor);
  shapes.addProvenRange(shapes.getSymbolOf(result),
                        symbolic::Interval::of(isSigned ? -limit : 0, limit));
}

/// Returns whether `op` stands in code that runs step by step. In the body of a
/// structured operation it runs per element, and is checked where it does.
bool isInControlFlow(Operation *op) {
  return isa<FunctionOpInterface, LoopLikeOpInterface, RegionBranchOpInterface,
             HigherOrderOpInterface>(op->getParentOp());
}

template <typename OpT, Kind kind>
struct BinaryModel
    : public SymbolicShapeOpInterface::ExternalModel<BinaryModel<OpT, kind>,
                                                     OpT> {
  void collectPreconditions(Operation *op, SymbolicShapes &shapes,
                            Preconditions &preconditions) const {
    if (kind < Kind::DivSigned || kind > Kind::RemUnsigned ||
        !op->getOperand(1).getType().isIntOrIndex() ||
        getWidth(op->getOperand(1).getType()) > 64 || !isInControlFlow(op))
      return;
    if (Expr divisor = shapes.getValue(op->getOperand(1)); divisor.isInt())
      preconditions.add(
          symbolic::Comparison::ne(divisor, shapes.getContext().zero()),
          "integer division by zero");
  }

  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    Value result = op->getResult(0);
    if (!result.getType().isIntOrIndex())
      return;
    constexpr bool isRing =
        kind == Kind::Add || kind == Kind::Sub || kind == Kind::Mul;
    Operands x(op, shapes);
    Expr value = evaluateBinary(kind, x);
    if (!value)
      return limitDivision(kind, result, x, shapes);
    if (isWrapFree(op))
      return shapes.setValue(result, value);
    if (!isRing)
      return shapes.setValueIfFits(result, value);
    Operands residues(op, shapes, /*asResidues=*/true);
    shapes.setValueIfFits(
        result, value,
        residues.exprs == x.exprs ? value : evaluateBinary(kind, residues));
  }
};

//===----------------------------------------------------------------------===//
// Comparisons and selection
//===----------------------------------------------------------------------===//

/// How two integers are compared: by `<`, `<=`, `==`, negated or not.
struct Comparison {
  enum { Less, LessEqual, Equal } kind;
  bool isNegated, isSwapped, isUnsigned;
};

Comparison getComparison(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  using C = Comparison;
  switch (predicate) {
  case P::eq:
    return {C::Equal, false, false, false};
  case P::ne:
    return {C::Equal, true, false, false};
  case P::slt:
    return {C::Less, false, false, false};
  case P::sle:
    return {C::LessEqual, false, false, false};
  case P::sgt:
    return {C::Less, false, true, false};
  case P::sge:
    return {C::LessEqual, false, true, false};
  case P::ult:
    return {C::Less, false, false, true};
  case P::ule:
    return {C::LessEqual, false, false, true};
  case P::ugt:
    return {C::LessEqual, true, false, true};
  case P::uge:
    return {C::Less, true, false, true};
  }
  llvm_unreachable("unknown predicate");
}

Expr evaluateComparison(Comparison comparison, const Operands &x) {
  symbolic::ExprContext &context = x.context;
  if (comparison.kind == Comparison::Equal && x[0].getType() == x[1].getType())
    return comparison.isNegated ? context.ne(x[0], x[1])
                                : context.eq(x[0], x[1]);
  if (!x.areInts())
    return {};
  Expr a = x[comparison.isSwapped], b = x[!comparison.isSwapped];
  // Seen as unsigned, a negative number is above every other one.
  if (comparison.isUnsigned && !x.isNonNegative(1))
    return {};
  Expr result =
      comparison.kind == Comparison::Less ? context.lt(a, b) : context.le(a, b);
  if (comparison.isUnsigned)
    result = context.logicalAnd(context.le(context.zero(), a), result);
  return comparison.isNegated ? context.logicalNot(result) : result;
}

struct CmpModel
    : public SymbolicShapeOpInterface::ExternalModel<CmpModel, arith::CmpIOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto compare = cast<arith::CmpIOp>(op);
    if (compare.getType().isInteger(1) &&
        compare.getLhs().getType().isIntOrIndex())
      if (Expr value = evaluateComparison(getComparison(compare.getPredicate()),
                                          Operands(op, shapes)))
        shapes.setValue(compare, value);
  }
};

struct IndexCmpModel
    : public SymbolicShapeOpInterface::ExternalModel<IndexCmpModel,
                                                     index::CmpOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto compare = cast<index::CmpOp>(op);
    auto predicate = arith::symbolizeCmpIPredicate(
        index::stringifyIndexCmpPredicate(compare.getPred()));
    if (!predicate)
      return;
    if (Expr value =
            evaluateComparison(getComparison(*predicate), Operands(op, shapes)))
      shapes.setValue(compare, value);
  }
};

struct SelectModel
    : public SymbolicShapeOpInterface::ExternalModel<SelectModel,
                                                     arith::SelectOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto select = cast<arith::SelectOp>(op);
    if (auto type = dyn_cast<RankedTensorType>(select.getType())) {
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        inferDim(select, dim, shapes);
      return;
    }
    if (!select.getType().isIntOrIndex() && !select.getType().isF64())
      return;
    Operands x(op, shapes), residues(op, shapes, /*asResidues=*/true);
    if (!x[0].isBool())
      return;
    symbolic::ExprContext &context = shapes.getContext();
    Expr value = context.select(x[0], x[1], x[2]);
    if (x.exprs == residues.exprs)
      return shapes.setValue(select, value);
    shapes.setValueIfFits(select, value,
                          context.select(x[0], residues[1], residues[2]));
  }
  static void inferDim(arith::SelectOp select, unsigned dim,
                       SymbolicShapes &shapes) {
    Expr a = shapes.getDim(select.getTrueValue(), dim);
    Expr b = shapes.getDim(select.getFalseValue(), dim);
    bool isWhole = select.getCondition().getType().isInteger(1);
    if (!isWhole || a == b)
      shapes.setDim(select, dim, a);
    else
      shapes.setDim(select, dim,
                    shapes.getContext().select(
                        shapes.getValue(select.getCondition()), a, b));
  }
  /// A whole tensor is taken as it is; elements are taken from equal shapes.
  void collectPreconditions(Operation *op, SymbolicShapes &,
                            Preconditions &preconditions) const {
    auto select = cast<arith::SelectOp>(op);
    auto type = dyn_cast<RankedTensorType>(select.getType());
    if (!type || select.getCondition().getType().isInteger(1))
      return;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      preconditions.addEqualDims(select.getCondition(), dim,
                                 select.getTrueValue(), dim);
      preconditions.addEqualDims(select.getTrueValue(), dim,
                                 select.getFalseValue(), dim);
    }
  }
};

//===----------------------------------------------------------------------===//
// Constants and casts
//===----------------------------------------------------------------------===//

template <typename OpT>
struct ConstantModel
    : public SymbolicShapeOpInterface::ExternalModel<ConstantModel<OpT>, OpT> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    symbolic::ExprContext &context = shapes.getContext();
    Attribute attr = cast<OpT>(op).getValueAttr();
    Value result = op->getResult(0);
    if (auto integer = dyn_cast<IntegerAttr>(attr)) {
      const APInt &value = integer.getValue();
      if (result.getType().isInteger(1))
        shapes.setValue(result, context.boolean(value.isOne()));
      else
        shapes.setValue(result,
                        context.constant(symbolic::DynamicAPInt(value)));
    } else if (auto real = dyn_cast<FloatAttr>(attr);
               real && result.getType().isF64()) {
      shapes.setValue(result, context.floatConstant(real.getValueAsDouble()));
    }
  }
};

/// Sign extension, truncation, and casts between index and integers.
void inferSignedCast(Value from, Value to, SymbolicShapes &shapes) {
  symbolic::ExprContext &context = shapes.getContext();
  Expr value = shapes.getValue(from);
  if (value.isBool()) { // true is -1
    if (!to.getType().isInteger(1))
      shapes.setValueIfFits(
          to, context.select(value, context.constant(-1), context.zero()));
    return;
  }
  unsigned width = getWidth(to.getType()), fromWidth = getWidth(from.getType());
  if (width > fromWidth)
    shapes.setValue(to, value);
  else if (width != 1)
    shapes.setValueIfFits(to, value, shapes.getResidue(from));
}

/// Zero extension and what is like it.
void inferUnsignedCast(Value from, Value to, SymbolicShapes &shapes) {
  symbolic::ExprContext &context = shapes.getContext();
  Expr value = shapes.getValue(from);
  unsigned width = getWidth(from.getType());
  if (value.isBool())
    return shapes.setValue(
        to, context.select(value, context.one(), context.zero()));
  bool isSameWidth = width == getWidth(to.getType());
  if (isSameWidth || shapes.isKnown(context.le(context.zero(), value)))
    return shapes.setValueIfFits(to, value);
  if (width < 63)
    shapes.addProvenRange(shapes.getSymbolOf(to),
                          symbolic::Interval::of(0, (int64_t(1) << width) - 1));
}

template <typename OpT, bool isSigned>
struct IntCastModel : public SymbolicShapeOpInterface::ExternalModel<
                          IntCastModel<OpT, isSigned>, OpT> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    Value from = op->getOperand(0), to = op->getResult(0);
    if (!from.getType().isIntOrIndex() || !to.getType().isIntOrIndex())
      return;
    if (isSigned)
      inferSignedCast(from, to, shapes);
    else
      inferUnsignedCast(from, to, shapes);
  }
};

} // namespace

template <typename OpT, Kind kind>
static void attach(MLIRContext *context) {
  OpT::template attachInterface<BinaryModel<OpT, kind>>(*context);
}

static void attachArith(MLIRContext *context) {
  attach<arith::AddIOp, Kind::Add>(context);
  attach<arith::SubIOp, Kind::Sub>(context);
  attach<arith::MulIOp, Kind::Mul>(context);
  attach<arith::DivSIOp, Kind::DivSigned>(context);
  attach<arith::DivUIOp, Kind::DivUnsigned>(context);
  attach<arith::CeilDivSIOp, Kind::CeilDivSigned>(context);
  attach<arith::CeilDivUIOp, Kind::CeilDivUnsigned>(context);
  attach<arith::FloorDivSIOp, Kind::FloorDivSigned>(context);
  attach<arith::RemSIOp, Kind::RemSigned>(context);
  attach<arith::RemUIOp, Kind::RemUnsigned>(context);
  attach<arith::MaxSIOp, Kind::MaxSigned>(context);
  attach<arith::MaxUIOp, Kind::MaxUnsigned>(context);
  attach<arith::MinSIOp, Kind::MinSigned>(context);
  attach<arith::MinUIOp, Kind::MinUnsigned>(context);
  attach<arith::AndIOp, Kind::And>(context);
  attach<arith::OrIOp, Kind::Or>(context);
  attach<arith::XOrIOp, Kind::Xor>(context);
  attach<arith::ShLIOp, Kind::ShiftLeft>(context);
  attach<arith::ShRSIOp, Kind::ShiftRightSigned>(context);
  attach<arith::ShRUIOp, Kind::ShiftRightUnsigned>(context);
  arith::CmpIOp::attachInterface<CmpModel>(*context);
  arith::SelectOp::attachInterface<SelectModel>(*context);
  arith::ConstantOp::attachInterface<ConstantModel<arith::ConstantOp>>(
      *context);
  arith::ExtSIOp::attachInterface<IntCastModel<arith::ExtSIOp, true>>(*context);
  arith::TruncIOp::attachInterface<IntCastModel<arith::TruncIOp, true>>(
      *context);
  arith::IndexCastOp::attachInterface<IntCastModel<arith::IndexCastOp, true>>(
      *context);
  arith::ExtUIOp::attachInterface<IntCastModel<arith::ExtUIOp, false>>(
      *context);
  arith::IndexCastUIOp::attachInterface<
      IntCastModel<arith::IndexCastUIOp, false>>(*context);
}

static void attachIndex(MLIRContext *context) {
  attach<index::AddOp, Kind::Add>(context);
  attach<index::SubOp, Kind::Sub>(context);
  attach<index::MulOp, Kind::Mul>(context);
  attach<index::DivSOp, Kind::DivSigned>(context);
  attach<index::DivUOp, Kind::DivUnsigned>(context);
  attach<index::CeilDivSOp, Kind::CeilDivSigned>(context);
  attach<index::CeilDivUOp, Kind::CeilDivUnsigned>(context);
  attach<index::FloorDivSOp, Kind::FloorDivSigned>(context);
  attach<index::RemSOp, Kind::RemSigned>(context);
  attach<index::RemUOp, Kind::RemUnsigned>(context);
  attach<index::MaxSOp, Kind::MaxSigned>(context);
  attach<index::MaxUOp, Kind::MaxUnsigned>(context);
  attach<index::MinSOp, Kind::MinSigned>(context);
  attach<index::MinUOp, Kind::MinUnsigned>(context);
  attach<index::AndOp, Kind::And>(context);
  attach<index::OrOp, Kind::Or>(context);
  attach<index::XOrOp, Kind::Xor>(context);
  attach<index::ShlOp, Kind::ShiftLeft>(context);
  attach<index::ShrSOp, Kind::ShiftRightSigned>(context);
  attach<index::ShrUOp, Kind::ShiftRightUnsigned>(context);
  index::CmpOp::attachInterface<IndexCmpModel>(*context);
  index::ConstantOp::attachInterface<ConstantModel<index::ConstantOp>>(
      *context);
  index::BoolConstantOp::attachInterface<ConstantModel<index::BoolConstantOp>>(
      *context);
  index::CastSOp::attachInterface<IntCastModel<index::CastSOp, true>>(*context);
  index::CastUOp::attachInterface<IntCastModel<index::CastUOp, false>>(
      *context);
}

void tally::detail::registerArithModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attachArith(context);
  });
  registry.addExtension(+[](MLIRContext *context, index::IndexDialect *) {
    attachIndex(context);
  });
}
