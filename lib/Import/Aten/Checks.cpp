//===- Checks.cpp - What the program says must hold -----------------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace mlir;

namespace tally::import_pt2 {

static void lowerAssertScalar(Lowering &op) {
  const Argument *argument = op.find("self");
  Expr condition =
      argument ? op.scalarOrLayoutOf(*argument) : op.number("self");
  std::string message = op.string("assert_msg", "assertion failed").str();
  // A compiled program lays tensors out by itself.
  if (op.state.isAboutLayout(condition))
    return;
  if (!condition.isBool())
    condition = op.exprs.ne(condition, op.literal(0));
  op.check(condition, message);
}

/// A condition that is a tensor's element.
static void lowerAssertTensor(Lowering &op) {
  Tensor in = op.convert(op.tensor("self"), Dtype::Bool);
  for (int64_t dim = 0; dim < in.rank(); ++dim)
    in = op.withStaticSize(in, dim, 1);
  op.checkData(op.element(in), op.string("assert_msg", "assertion failed"));
}

static void lowerConstrainRange(Lowering &op) {
  StringRef name = op.has("size") ? "size" : "symbol";
  Expr value = op.numeric(name);
  bool isSize = StringRef(op.target).contains("for_size");
  if (op.has("min") || isSize)
    op.check(op.exprs.ge(value, op.numeric("min", 0)),
             Twine(op.target) + ": the value is too small");
  if (op.has("max"))
    op.check(op.exprs.le(value, op.numeric("max")),
             Twine(op.target) + ": the value is too large");
}

/// A check that holds of every program that was exported, or what PyTorch
/// finds out about types while it traces.
static void lowerNothing(Lowering &op) { op.ignoreArguments(); }

void addChecks(LoweringTable &table) {
  table.add("aten._assert_scalar.default", lowerAssertScalar);
  table.add("aten._assert_async.default", lowerAssertTensor);
  table.add("aten._assert_async.msg", lowerAssertTensor);
  table.add("aten.sym_constrain_range.default", lowerConstrainRange);
  table.add("aten.sym_constrain_range_for_size.default", lowerConstrainRange);
  table.add("aten._assert_tensor_metadata.default", lowerNothing);
  table.add("aten.promote_types.default", lowerNothing);
}

} // namespace tally::import_pt2
