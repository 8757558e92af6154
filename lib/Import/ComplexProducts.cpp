//===- ComplexProducts.cpp - Products of matrices of complex numbers ------===//
//
// Each part of a product is made of products of parts.
//
//===----------------------------------------------------------------------===//

#include "PairMaker.h"

using namespace llvm;

namespace tally::import_pt2 {

/// Products of two operands, in which each part of the result is a sum of
/// products of parts.
static constexpr StringLiteral kProducts[] = {
    "bmm",    "dot",           "einsum", "ger", "inner", "linalg_matmul", "mm",
    "linear", "linalg_vecdot", "matmul", "mv",  "outer", "vdot"};

/// Those of a matrix, or of batches of them.
static constexpr StringLiteral kMatmuls[] = {"bmm", "linear", "matmul", "mm",
                                             "mv"};

/// Products that are added to the first operand.
static constexpr std::pair<StringLiteral, StringLiteral> kAddedProducts[] = {
    {"addmm", "mm"}, {"baddbmm", "bmm"}, {"addmv", "mv"}, {"addr", "outer"}};

bool isProduct(StringRef name) {
  return is_contained(kProducts, name) ||
         any_of(kAddedProducts,
                [&](const auto &each) { return each.first == name; });
}

bool PairMaker::rewriteProduct(Node &node, StringRef name) {
  if (!is_contained(kProducts, name) || givesOthers(node))
    return false;
  SmallVector<Argument *> operands;
  for (NamedArgument &input : node.inputs) {
    if (isTensor(input.value) && input.name != "bias")
      operands.push_back(&input.value);
    for (Argument &element : input.value.list)
      if (isTensor(element))
        operands.push_back(&element);
  }
  if (operands.empty() || operands.size() > 2)
    return false;
  // These are multiplied as pairs. Two vectors are not: a product has one sum.
  if (is_contained(kMatmuls, name) && operands.size() == 2 &&
      all_of(operands, [&](const Argument *each) { return isPair(*each); }) &&
      any_of(operands,
             [&](const Argument *each) { return getRank(*each) > 1; }))
    return false;
  Argument bias =
      findArgument(node, "bias") ? *findArgument(node, "bias") : Argument();
  if (findArgument(node, "bias"))
    *findArgument(node, "bias") = Argument();
  TensorMeta meta = makeFresh(graph.tensors[node.outputs[0].text]);
  TensorMeta pairs = meta;
  meta.sizes.pop_back();
  SmallVector<std::array<Argument, 2>> parts;
  for (Argument *operand : operands)
    parts.push_back({addPart(node, *operand, 0), addPart(node, *operand, 1)});
  bool isConjugated = name == "vdot" || name == "linalg_vecdot";
  // The product of a part of each; None where one is zero.
  auto multiply = [&](ArrayRef<int64_t> which) {
    for (auto [operand, part, i] : zip(operands, parts, which)) {
      if (part[i].isNone())
        return Argument();
      *operand = part[i];
    }
    return add(node, node.target, node.inputs, meta, /*givesPairs=*/false);
  };
  auto combine = [&](StringRef target, Argument a, Argument b) {
    if (b.isNone())
      return a;
    if (a.isNone() && target == "aten.sub.Tensor")
      return add(node, "aten.neg.default", {{"self", b}}, meta, false);
    if (a.isNone())
      return b;
    return add(node, target, {{"self", a}, {"other", b}}, meta, false);
  };
  Argument re, im;
  if (operands.size() == 1) {
    re = multiply({0});
    im = multiply({1});
  } else if (isConjugated) {
    re = combine("aten.add.Tensor", multiply({0, 0}), multiply({1, 1}));
    im = combine("aten.sub.Tensor", multiply({0, 1}), multiply({1, 0}));
  } else {
    re = combine("aten.sub.Tensor", multiply({0, 0}), multiply({1, 1}));
    im = combine("aten.add.Tensor", multiply({0, 1}), multiply({1, 0}));
  }
  std::vector<NamedArgument> both{{"real", re}, {"imag", im}};
  if (bias.isNone()) {
    node.target = "aten.complex.default";
    node.inputs = both;
  } else {
    Argument product = add(node, "aten.complex.default", both, pairs, true);
    nodes.back().isOnPairs = true;
    node.target = "aten.add.Tensor";
    node.inputs = {{"self", product}, {"other", bias}};
  }
  node.isOnPairs = true;
  return true;
}

bool PairMaker::rewriteAddedProduct(Node &node, StringRef name) {
  const auto *known = find_if(
      kAddedProducts, [&](const auto &each) { return each.first == name; });
  if (known == std::end(kAddedProducts) || givesOthers(node))
    return false;
  SmallVector<Argument> operands;
  for (const NamedArgument &input : node.inputs)
    if (isTensor(input.value))
      operands.push_back(input.value);
  if (operands.size() != 3)
    return false;
  TensorMeta meta = makeFresh(graph.tensors[node.outputs[0].text]);
  auto scale = [&](const Argument &tensor, StringRef factor) {
    Argument *number = findArgument(node, factor);
    if (!number)
      return tensor;
    TensorMeta like = makeFresh(graph.tensors[tensor.text]);
    if (!isPair(tensor))
      like.sizes.push_back(makeLiteral(2));
    like.dtype = meta.dtype;
    Argument scaled =
        add(node, "aten.mul.Tensor", {{"self", tensor}, {"other", *number}},
            std::move(like), true);
    nodes.back().isOnPairs = true;
    return scaled;
  };
  StringRef second = known->second == "bmm"  ? "mat2"
                     : known->second == "mm" ? "mat2"
                     : known->second == "mv" ? "vec"
                                             : "vec2";
  Node product = node;
  product.target = ("aten." + known->second + ".default").str();
  product.inputs = {{"self", operands[1]}, {second.str(), operands[2]}};
  product.name = node.name + "_product";
  product.outputs = {makeName(product.name)};
  graph.tensors[product.name] = meta;
  graph.pairs.insert(product.name);
  Argument made = product.outputs[0];
  rewrite(std::move(product));
  Argument first = scale(operands[0], "beta"), rest = scale(made, "alpha");
  node.target = "aten.add.Tensor";
  node.inputs = {{"self", first}, {"other", rest}};
  node.isOnPairs = true;
  return true;
}

} // namespace tally::import_pt2
