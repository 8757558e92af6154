//===- Overlaps.cpp - Operands that share memory with what is updated -----===//
//
// PyTorch's elementwise operators refuse to update a tensor while they read
// another part of its memory, as far as they see it: both must be dense, and
// neither the same view of the memory nor apart in it (at::MemoryOverlap).
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tally::import_pt2 {

/// Whether the memory of an operand is looked at, by the name of the operator
/// without the underscore.
static bool looksAtMemory(StringRef target) {
  static const llvm::StringSet<> names = {
      "__iand__",     "__ilshift__",  "__ior__",      "__irshift__",
      "__ixor__",     "add_",         "addcdiv_",     "addcmul_",
      "atan2_",       "bitwise_and_", "bitwise_or_",  "bitwise_xor_",
      "clamp_",       "clamp_max_",   "clamp_min_",   "copy_",
      "copysign_",    "div_",         "eq_",          "floor_divide_",
      "fmod_",        "ge_",          "gt_",          "hypot_",
      "le_",          "lerp_",        "logical_and_", "logical_or_",
      "logical_xor_", "lt_",          "mul_",         "ne_",
      "pow_",         "remainder_",   "sub_",         "xlogy_",
  };
  return target.consume_front("aten.") &&
         names.contains(target.split('.').first);
}

namespace {
/// Where the elements of a tensor are.
struct Layout {
  Sizes sizes, strides;
  Expr offset;
};
} // namespace

/// As far as it is recorded; nothing where it is not known.
static std::optional<Layout> getLayout(Lowering &op, StringRef name) {
  auto it = op.scope.graph.tensors.find(name);
  if (it == op.scope.graph.tensors.end() ||
      it->second.sizes.size() != it->second.strides.size())
    return std::nullopt;
  Layout layout;
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

/// When PyTorch finds that two tensors of one storage overlap only partly.
static Expr overlapPartly(Lowering &op, const Layout &a, const Layout &b) {
  symbolic::ExprContext &exprs = op.exprs;
  Expr aEnd = exprs.add(a.offset, exprs.product(a.sizes));
  Expr bEnd = exprs.add(b.offset, exprs.product(b.sizes));
  SmallVector<Expr> isSame{exprs.eq(a.offset, b.offset),
                           exprs.boolean(a.strides.size() == b.strides.size())};
  isSame.push_back(exprs.eq(aEnd, bEnd));
  for (auto [mine, its] : llvm::zip(a.strides, b.strides))
    isSame.push_back(exprs.eq(mine, its));
  return exprs.logicalAnd({exprs.lt(a.offset, bEnd), exprs.lt(b.offset, aEnd),
                           exprs.lt(a.offset, aEnd), exprs.lt(b.offset, bEnd),
                           isDense(op, a), isDense(op, b),
                           exprs.logicalNot(exprs.logicalAnd(isSame))});
}

void checkOverlaps(Lowering &op) {
  if (!looksAtMemory(op.node.target))
    return;
  const Argument *written = op.find("self");
  if (!written || !written->isName())
    return;
  int64_t slot = op.slotOf("self");
  std::optional<Layout> layout = getLayout(op, written->text);
  if (slot < 0 || !layout)
    return;
  for (const NamedArgument &input : op.node.inputs) {
    auto it = input.value.isName() ? op.scope.values.find(input.value.text)
                                   : op.scope.values.end();
    if (it == op.scope.values.end() || !it->second.isTensor() ||
        it->second.slot == slot ||
        op.function.getSlot(it->second.slot).storage !=
            op.function.getSlot(slot).storage)
      continue;
    std::optional<Layout> other = getLayout(op, input.value.text);
    if (!other)
      continue;
    Expr overlap = overlapPartly(op, *layout, *other);
    op.check(op.state.simplify(op.exprs.logicalNot(overlap)),
             Twine(op.node.target) +
                 ": some elements of the input tensor and the written-to "
                 "tensor refer to a single memory location; clone() it");
  }
}

} // namespace tally::import_pt2
