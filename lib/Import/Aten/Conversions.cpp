//===- Conversions.cpp - Changes of the element type ----------------------===//
//
//===----------------------------------------------------------------------===//

#include "../Lowering.h"

using namespace mlir;

namespace tally::import_pt2 {

/// Gives the tensor itself where nothing changes, unless a copy is asked for.
static void lowerTo(Lowering &op) {
  Tensor in = op.tensor("self");
  // Only the type of this one counts.
  std::optional<Tensor> other = op.optionalTensor("other");
  Dtype dtype = op.resultDtype(0, other ? other->dtype : in.dtype);
  if (in.dtype == dtype && !op.flag("copy", false))
    return op.resultAlias("self");
  op.result(op.convert(in, dtype));
}

/// Always a copy.
static void lowerToCopy(Lowering &op) {
  op.result(
      op.convert(op.tensor(op.has("a") ? "a" : "self"), op.resultDtype()));
}

/// A constant that a program spells out.
static void lowerIdentity(Lowering &op) { op.resultAlias("self"); }

void addConversions(LoweringTable &table) {
  table.add("aten.to.dtype", lowerTo);
  table.add("aten.to.dtype_layout", lowerTo);
  table.add("aten.to.device", lowerTo);
  table.add("aten.to.other", lowerTo);
  table.add("aten.to.prim_dtype", lowerTo);
  table.add("aten.type_as.default", lowerTo);
  table.add("aten._to_copy.default", lowerToCopy);
  table.add("prims.convert_element_type.default", lowerToCopy);
  for (StringRef name : {"float", "double", "half", "int", "long", "bool"})
    table.add(("aten." + name + ".default").str(), lowerTo);
  table.add("aten.cpu.default", lowerIdentity);
  table.add("aten.resolve_conj.default", lowerIdentity);
  table.add("aten.resolve_neg.default", lowerIdentity);
  table.add("aten.positive.default", lowerIdentity);
}

} // namespace tally::import_pt2
