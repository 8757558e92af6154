//===- ComplexViews.cpp - Parts of complex numbers elsewhere --------------===//
//
// Operators that move the dimension of parts, or that work on each part alone.
//
//===----------------------------------------------------------------------===//

#include "PairMaker.h"

using namespace llvm;

namespace tally::import_pt2 {

void wrapDims(Argument &argument, int64_t rank) {
  for_each(argument.list, [&](Argument &each) { wrapDims(each, rank); });
  if (argument.kind == Argument::Kind::Int && argument.integer < 0)
    argument.integer += std::max<int64_t>(rank, 1);
}

bool PairMaker::rewriteTransposed(Node &node, StringRef name) {
  if (!is_contained({"t", "numpy_T", "mT", "mH", "matrix_H", "adjoint"},
                    name) ||
      node.inputs.empty())
    return false;
  int64_t rank = getRank(node);
  bool isConjugated = is_contained({"mH", "matrix_H", "adjoint"}, name);
  auto order = to_vector(seq<int64_t>(rank + 1));
  if (name == "t" || name == "numpy_T")
    std::reverse(order.begin(), order.end() - 1);
  else if (rank >= 2)
    std::swap(order[rank - 1], order[rank - 2]);
  if (isConjugated) {
    TensorMeta meta = makeFresh(graph.tensors[node.outputs[0].text]);
    Argument permuted =
        add(node, "aten.permute.default",
            {{"self", node.inputs[0].value}, {"dims", makeInts(order)}},
            std::move(meta), /*givesPairs=*/true);
    node.target = "aten._conj.default";
    node.isOnPairs = true;
    node.inputs = {{"self", permuted}};
    return true;
  }
  node.target = "aten.permute.default";
  setArgument(node, "dims", makeInts(order));
  return true;
}

/// Views whose last dimension is a new one, behind that of parts.
bool PairMaker::rewriteNewLast(Node &node, StringRef name) {
  if ((name != "diagonal" && name != "unfold") || node.inputs.empty() ||
      givesOthers(node))
    return false;
  int64_t rank = getRank(node);
  std::pair<StringRef, int64_t> dims[] = {{"dim1", 0}, {"dim2", 1}};
  if (name == "unfold")
    dims[0] = dims[1] = {"dimension", 0};
  for (auto [dim, absent] : dims) {
    if (!findArgument(node, dim))
      setArgument(node, dim, makeInt(absent));
    wrapDims(*findArgument(node, dim), rank);
  }
  TensorMeta meta = makeFresh(graph.tensors[node.outputs[0].text]);
  int64_t last = int64_t(meta.sizes.size()) - 1;
  if (last < 1)
    return false;
  std::swap(meta.sizes[last], meta.sizes[last - 1]);
  Argument made = add(node, node.target, node.inputs, std::move(meta),
                      /*givesPairs=*/false);
  node.target = "aten.transpose.int";
  node.inputs = {
      {"self", made}, {"dim0", makeInt(last - 1)}, {"dim1", makeInt(last)}};
  return true;
}

/// Operators of one tensor that do the same to both parts.
static constexpr StringLiteral kLinear[] = {"diag", "diag_embed", "trace",
                                            "tril", "triu"};

/// Norms of vectors, for which the magnitudes of numbers count.
static constexpr StringLiteral kNorms[] = {"frobenius_norm", "linalg_norm",
                                           "linalg_vector_norm", "norm"};

bool isOfParts(StringRef name) {
  return is_contained(kLinear, name) || is_contained(kNorms, name);
}

bool PairMaker::rewriteNorm(Node &node, StringRef name) {
  Argument *self = findArgument(node, "self");
  // An order makes it one of matrices.
  bool isOfMatrices = name == "linalg_norm" && findArgument(node, "ord");
  if (!is_contained(kNorms, name) || !self || !isPair(*self) || isOfMatrices ||
      !givesOthers(node) || findArgument(node, "dtype"))
    return false;
  TensorMeta meta = makeFresh(graph.tensors[self->text]);
  meta.sizes.pop_back();
  Argument magnitudes = add(node, "aten.abs.default", {{"self", *self}},
                            std::move(meta), /*givesPairs=*/false);
  nodes.back().isOnPairs = true;
  setArgument(node, "self", magnitudes);
  return true;
}

bool PairMaker::rewriteLinear(Node &node, StringRef name) {
  Argument *self = findArgument(node, "self");
  if (!is_contained(kLinear, name) || !self || !isPair(*self) ||
      givesOthers(node))
    return false;
  Argument whole = *self;
  TensorMeta meta = makeFresh(graph.tensors[node.outputs[0].text]);
  meta.sizes.pop_back();
  auto make = [&](int64_t part) {
    setArgument(node, "self", addPart(node, whole, part));
    return add(node, node.target, node.inputs, meta, /*givesPairs=*/false);
  };
  Argument re = make(0), im = make(1);
  node.target = "aten.complex.default";
  node.inputs = {{"real", re}, {"imag", im}};
  node.isOnPairs = true;
  return true;
}

} // namespace tally::import_pt2
