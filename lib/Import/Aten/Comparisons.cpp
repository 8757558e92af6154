//===- Comparisons.cpp - Comparisons and logic ----------------------------===//
//
//===----------------------------------------------------------------------===//

#include "../Lowering.h"

using namespace mlir;

namespace tally::import_pt2 {

template <Compare kind>
static void lowerCompare(Lowering &op) {
  SmallVector<Operand> operands{op.operand("self"), op.operand("other")};
  Dtype compute = promote(operands);
  op.result(op.map(
      operands, compute, Dtype::Bool,
      [](Scalars &s, ArrayRef<Value> args) {
        return s.compare(kind, args[0], args[1]);
      },
      std::nullopt, op.resultDtype(0, Dtype::Bool)));
}

namespace {
enum class Logic { And, Or, Xor };
} // namespace

template <Logic kind>
static void lowerLogic(Lowering &op) {
  Tensor x = op.tensor("self"), y = op.tensor("other");
  // A number that is not 0 may be 0 in the type that both have in common.
  Dtype type = getResultType({x, y});
  op.result(op.map(
      {op.convert(x, type), op.convert(y, type)}, Dtype::Bool, Dtype::Bool,
      [](Scalars &s, ArrayRef<Value> args) {
        switch (kind) {
        case Logic::And:
          return s.bitAnd(args[0], args[1]);
        case Logic::Or:
          return s.bitOr(args[0], args[1]);
        case Logic::Xor:
          return s.bitXor(args[0], args[1]);
        }
        llvm_unreachable("unknown logic");
      },
      std::nullopt, op.resultDtype(0, Dtype::Bool)));
}

/// |x - y| <= atol + rtol * |y|, or equal (infinities).
static Tensor buildIsClose(Lowering &op) {
  Tensor x = op.tensor("self"), y = op.tensor("other");
  double rtol = op.real("rtol", 1e-5), atol = op.real("atol", 1e-8);
  bool equalNan = op.flag("equal_nan", false);
  Dtype compute =
      getComputeDtype(getFloatDtype(getResultType({Operand(x), Operand(y)})));
  return op.map(
      {x, y}, compute, Dtype::Bool, [&](Scalars &s, ArrayRef<Value> args) {
        Value gap = s.abs(s.sub(args[0], args[1]));
        Value bound =
            s.add(s.number(atol), s.mul(s.number(rtol), s.abs(args[1])));
        Value finite = s.compare(Compare::Lt, gap, s.highest());
        Value close = s.bitAnd(finite, s.compare(Compare::Le, gap, bound));
        close = s.bitOr(close, s.compare(Compare::Eq, args[0], args[1]));
        if (!equalNan)
          return close;
        return s.bitOr(close, s.bitAnd(s.isNan(args[0]), s.isNan(args[1])));
      });
}

static void lowerIsClose(Lowering &op) { op.result(buildIsClose(op)); }

void addComparisons(LoweringTable &table) {
  for (StringRef overload : {"Tensor", "Scalar"}) {
    auto add = [&](StringRef name, LowerFn fn) {
      table.add(("aten." + name + "." + overload).str(), fn);
    };
    add("eq", lowerCompare<Compare::Eq>);
    add("ne", lowerCompare<Compare::Ne>);
    add("lt", lowerCompare<Compare::Lt>);
    add("le", lowerCompare<Compare::Le>);
    add("gt", lowerCompare<Compare::Gt>);
    add("ge", lowerCompare<Compare::Ge>);
    add("not_equal", lowerCompare<Compare::Ne>);
    add("less", lowerCompare<Compare::Lt>);
    add("less_equal", lowerCompare<Compare::Le>);
    add("greater", lowerCompare<Compare::Gt>);
    add("greater_equal", lowerCompare<Compare::Ge>);
  }
  table.add("aten.logical_and.default", lowerLogic<Logic::And>);
  table.add("aten.logical_or.default", lowerLogic<Logic::Or>);
  table.add("aten.logical_xor.default", lowerLogic<Logic::Xor>);
  table.add("aten.isclose.default", lowerIsClose);
}

} // namespace tally::import_pt2
