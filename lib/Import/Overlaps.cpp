//===- Overlaps.cpp - Operands that share memory with what is updated -----===//
//
// PyTorch's operators refuse to update a tensor while they read its memory, as
// far as they see it: both must be dense, and not apart (at::MemoryOverlap).
// Elementwise ones may read the very elements that they write.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tally::import_pt2 {

namespace {
/// Which operands an operator that updates a tensor refuses.
enum class Refused { None, PartOfWritten, AnyOfWritten };
} // namespace

/// By the name of the operator, with the underscore.
static Refused getRefused(StringRef target) {
  static const llvm::StringSet<> elementwise = {
      "__iand__",      "__ilshift__",  "__ior__",      "__irshift__",
      "__ixor__",      "add_",         "addcdiv_",     "addcmul_",
      "addr_",         "atan2_",       "bitwise_and_", "bitwise_or_",
      "bitwise_xor_",  "clamp_",       "clamp_max_",   "clamp_min_",
      "copy_",         "copysign_",    "div_",         "eq_",
      "floor_divide_", "fmod_",        "ge_",          "gt_",
      "hypot_",        "le_",          "lerp_",        "logical_and_",
      "logical_or_",   "logical_xor_", "lt_",          "masked_fill_",
      "mul_",          "ne_",          "pow_",         "remainder_",
      "sub_",          "xlogy_",
  };
  static const llvm::StringSet<> anywhere = {
      "index_add_",   "index_copy_",      "index_fill_",   "index_put_",
      "put_",         "_index_put_impl_", "index_reduce_", "scatter_",
      "scatter_add_", "scatter_reduce_",
  };
  if (!target.consume_front("aten."))
    return Refused::None;
  StringRef name = target.split('.').first;
  if (elementwise.contains(name))
    return Refused::PartOfWritten;
  return anywhere.contains(name) ? Refused::AnyOfWritten : Refused::None;
}

namespace {
/// Where the elements of a tensor are; strides and the offset are numbers of
/// elements.
struct Layout {
  Sizes sizes, strides;
  Expr offset;
  int64_t width;
};
} // namespace

/// As far as it is recorded; nothing where it is not known.
static std::optional<Layout> getLayout(Lowering &op, StringRef name) {
  auto it = op.scope.graph.tensors.find(name);
  if (it == op.scope.graph.tensors.end() ||
      it->second.sizes.size() != it->second.strides.size())
    return std::nullopt;
  std::optional<Dtype> dtype = getDtype(it->second.dtype);
  if (!dtype)
    return std::nullopt;
  Layout layout;
  layout.width = getByteWidth(*dtype);
  auto find = [&](const SymInt &number) {
    return op.function.findRecorded(number);
  };
  for (auto [size, stride] : llvm::zip(it->second.sizes, it->second.strides)) {
    layout.sizes.push_back(find(size));
    layout.strides.push_back(find(stride));
  }
  layout.offset = find(it->second.storageOffset);
  bool isKnown = layout.offset &&
                 llvm::all_of(layout.sizes, [](Expr e) { return bool(e); }) &&
                 llvm::all_of(layout.strides, [](Expr e) { return bool(e); });
  return isKnown ? std::optional(layout) : std::nullopt;
}

/// When the elements fill a part of the memory in the order of the dimensions,
/// or in the opposite one.
static Expr isDense(Lowering &op, const Layout &layout, bool isReversed) {
  Expr one = op.literal(1), expected = one;
  SmallVector<Expr> parts;
  size_t rank = layout.sizes.size();
  for (size_t i = 0; i != rank; ++i) {
    size_t dim = isReversed ? i : rank - 1 - i;
    parts.push_back(
        op.exprs.logicalOr(op.exprs.le(layout.sizes[dim], one),
                           op.exprs.eq(layout.strides[dim], expected)));
    expected = op.exprs.mul(expected, layout.sizes[dim]);
  }
  return op.exprs.logicalAnd(parts);
}

static Expr isDense(Lowering &op, const Layout &layout) {
  return op.exprs.logicalOr(isDense(op, layout, /*isReversed=*/false),
                            isDense(op, layout, /*isReversed=*/true));
}

/// When PyTorch finds that two tensors of one storage overlap: only partly, or
/// anyhow.
static Expr overlap(Lowering &op, const Layout &a, const Layout &b,
                    Refused refused) {
  symbolic::ExprContext &exprs = op.exprs;
  auto inBytes = [&](Expr elements, const Layout &layout) {
    return exprs.mul(elements, op.literal(layout.width));
  };
  Expr aBegin = inBytes(a.offset, a), bBegin = inBytes(b.offset, b);
  Expr aEnd = exprs.add(aBegin, inBytes(exprs.product(a.sizes), a));
  Expr bEnd = exprs.add(bBegin, inBytes(exprs.product(b.sizes), b));
  SmallVector<Expr> parts{exprs.lt(aBegin, bEnd), exprs.lt(bBegin, aEnd),
                          exprs.lt(aBegin, aEnd), exprs.lt(bBegin, bEnd),
                          isDense(op, a),         isDense(op, b)};
  if (refused == Refused::PartOfWritten) {
    SmallVector<Expr> isSame{
        exprs.eq(aBegin, bBegin), exprs.eq(aEnd, bEnd),
        exprs.boolean(a.strides.size() == b.strides.size())};
    for (auto [mine, its] : llvm::zip(a.strides, b.strides))
      isSame.push_back(exprs.eq(mine, its));
    parts.push_back(exprs.logicalNot(exprs.logicalAnd(isSame)));
  }
  return exprs.logicalAnd(parts);
}

/// Checks an operand of an operator that writes the tensor in `slot`.
static void checkOperand(Lowering &op, const Argument &operand, int64_t slot,
                         const Layout &written, Refused refused) {
  auto it = operand.isName() ? op.scope.values.find(operand.text)
                             : op.scope.values.end();
  if (it == op.scope.values.end() || !it->second.isTensor() ||
      op.function.getSlot(it->second.slot).storage !=
          op.function.getSlot(slot).storage)
    return;
  Expr found;
  if (it->second.slot == slot) {
    if (refused == Refused::PartOfWritten)
      return;
    found = op.exprs.boolean(true);
  } else if (std::optional<Layout> read = getLayout(op, operand.text)) {
    found = overlap(op, written, *read, refused);
  } else {
    return;
  }
  op.check(op.state.simplify(op.exprs.logicalNot(found)),
           Twine(op.node.target) +
               ": some elements of the input tensor and the written-to "
               "tensor refer to a single memory location; clone() it");
}

void checkOverlaps(Lowering &op) {
  Refused refused = getRefused(op.node.target);
  if (refused == Refused::None)
    return;
  const Argument *written = op.find("self");
  if (!written || !written->isName())
    return;
  int64_t slot = op.slotOf("self");
  std::optional<Layout> layout = getLayout(op, written->text);
  if (slot < 0 || !layout)
    return;
  for (const NamedArgument &input : op.node.inputs) {
    // A value to fill with is read first.
    if (input.name == "self" || input.name == "value")
      continue;
    checkOperand(op, input.value, slot, *layout, refused);
    for (const Argument &element : input.value.list)
      checkOperand(op, element, slot, *layout, refused);
  }
}

} // namespace tally::import_pt2
