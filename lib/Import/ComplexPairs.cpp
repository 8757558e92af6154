//===- ComplexPairs.cpp - Complex numbers as pairs ------------------------===//
//
//===----------------------------------------------------------------------===//

#include "PairMaker.h"

#include "Lowering.h"

using namespace llvm;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

static constexpr int64_t kComplex64 = 10, kComplex128 = 11;

SymInt makeLiteral(int64_t value) {
  SymInt number;
  number.literal = value;
  return number;
}

static void makeTwice(SymInt &number) {
  if (number.literal)
    *number.literal *= 2;
  if (number.traced)
    *number.traced *= 2;
  if (!number.srepr.empty())
    number.srepr = "Mul(Integer(2), " + number.srepr + ")";
}

bool makePairs(TensorMeta &meta) {
  if (meta.dtype != kComplex64 && meta.dtype != kComplex128)
    return false;
  meta.dtype = int64_t(meta.dtype == kComplex64 ? Dtype::F32 : Dtype::F64);
  for_each(meta.strides, makeTwice);
  makeTwice(meta.storageOffset);
  meta.sizes.push_back(makeLiteral(2));
  meta.strides.push_back(makeLiteral(1));
  return true;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Argument makeName(StringRef name) {
  Argument argument;
  argument.kind = Argument::Kind::Name;
  argument.text = name.str();
  return argument;
}

Argument makeInt(int64_t value) {
  Argument argument;
  argument.kind = Argument::Kind::Int;
  argument.integer = DynamicAPInt(value);
  return argument;
}

Argument makeList(std::vector<Argument> elements) {
  Argument argument;
  argument.kind = Argument::Kind::List;
  argument.list = std::move(elements);
  return argument;
}

Argument makeInts(ArrayRef<int64_t> values) {
  std::vector<Argument> list;
  for (int64_t value : values)
    list.push_back(makeInt(value));
  return makeList(std::move(list));
}

Argument *findArgument(Node &node, StringRef name) {
  for (NamedArgument &input : node.inputs)
    if (input.name == name && !input.value.isNone())
      return &input.value;
  return nullptr;
}

void setArgument(Node &node, StringRef name, Argument value) {
  for (NamedArgument &input : node.inputs)
    if (input.name == name) {
      input.value = std::move(value);
      return;
    }
  node.inputs.push_back({name.str(), std::move(value)});
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

namespace {
/// An operator that does the same to pairs.
struct SameOperator {
  StringLiteral name;
  /// Arguments that are dimensions, of a tensor of the operands' rank and so
  /// many more; `end=-1` is one with a default.
  StringLiteral dims = "";
  int64_t moreDims = 0;
  /// A list with an element for each dimension, and what it has for the last.
  StringLiteral sizes = "";
  int64_t lastSize = 2;
};
} // namespace

static constexpr SameOperator kSameOperators[] = {
    {"alias"},
    {"cat", "dim"},
    {"chunk", "dim"},
    {"clone"},
    {"concat", "dim"},
    {"contiguous"},
    {"copy"},
    {"cumsum", "dim"},
    {"detach"},
    {"empty", "", 0, "size"},
    {"expand", "", 0, "size"},
    {"broadcast_to", "", 0, "size"},
    {"expand_as"},
    {"flatten", "start_dim=0,end_dim=-1"},
    {"flip", "dims"},
    {"fliplr"},
    {"flipud"},
    {"index"},
    {"_unsafe_index"},
    {"index_add", "dim"},
    {"index_copy", "dim"},
    {"index_put"},
    {"_index_put_impl"},
    {"index_select", "dim"},
    {"lift"},
    {"lift_fresh"},
    {"lift_fresh_copy"},
    {"movedim", "source,destination"},
    {"moveaxis", "source,destination"},
    {"narrow", "dim"},
    {"neg"},
    {"negative"},
    {"new_empty", "", 0, "size"},
    {"new_empty_strided", "", 0, "size"},
    {"new_zeros", "", 0, "size"},
    {"positive"},
    {"repeat", "", 0, "repeats", 1},
    {"reshape", "", 0, "shape"},
    {"reshape_as"},
    {"resolve_conj"},
    {"resolve_neg"},
    {"rot90", "dims"},
    {"select", "dim"},
    {"select_backward", "dim", 0, "input_sizes"},
    {"select_scatter", "dim"},
    {"slice", "dim"},
    {"slice_backward", "dim", 0, "input_sizes"},
    {"slice_scatter", "dim"},
    {"split", "dim"},
    {"split_with_sizes", "dim"},
    {"squeeze", "dim"},
    {"stack", "dim", 1},
    {"swapaxes", "axis0,axis1"},
    {"swapdims", "dim0,dim1"},
    {"sym_size", "dim"},
    {"tensor_split", "dim"},
    {"tile", "", 0, "dims", 1},
    {"transpose", "dim0,dim1"},
    {"unbind", "dim"},
    {"unflatten", "dim"},
    {"unsafe_chunk", "dim"},
    {"unsafe_split", "dim"},
    {"unsafe_split_with_sizes", "dim"},
    {"unsqueeze", "dim", 1},
    {"view", "", 0, "size"},
    {"_unsafe_view", "", 0, "size"},
    {"view_as"},
    {"zeros", "", 0, "size"},
    {"zero"},
};

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

int64_t PairMaker::getRank(const Argument &argument) const {
  auto it = graph.tensors.find(argument.text);
  return it == graph.tensors.end()
             ? 0
             : int64_t(it->second.sizes.size()) - isPair(argument);
}

/// The number of dimensions of the first operand.
int64_t PairMaker::getRank(const Node &node) const {
  for (const NamedArgument &input : node.inputs) {
    if (isTensor(input.value))
      return getRank(input.value);
    for (const Argument &element : input.value.list)
      if (isTensor(element))
        return getRank(element);
  }
  return 0;
}

/// Whether a result is a tensor that is not of complex numbers.
bool PairMaker::givesOthers(const Node &node) const {
  auto isOther = [&](const Argument &output) {
    return isTensor(output) && !isPair(output);
  };
  return any_of(node.outputs, [&](const Argument &output) {
    return isOther(output) || any_of(output.list, isOther);
  });
}

//===----------------------------------------------------------------------===//
// More nodes
//===----------------------------------------------------------------------===//

Argument PairMaker::add(const Node &node, StringRef target,
                        std::vector<NamedArgument> inputs, TensorMeta meta,
                        bool givesPairs) {
  Node made;
  made.target = target.str();
  made.stackTrace = node.stackTrace;
  made.inputs = std::move(inputs);
  made.isOnPairs = target.starts_with("tally.");
  do
    made.name = node.name + "_part_" + std::to_string(++numAdded);
  while (graph.tensors.contains(made.name));
  made.outputs.push_back(makeName(made.name));
  graph.tensors[made.name] = std::move(meta);
  if (givesPairs)
    graph.pairs.insert(made.name);
  Argument result = made.outputs.front();
  nodes.push_back(std::move(made));
  return result;
}

TensorMeta makeFresh(TensorMeta meta) {
  meta.strides.clear();
  meta.storageOffset = makeLiteral(0);
  return meta;
}

/// The real or the imaginary part of an operand; None where that is zero.
Argument PairMaker::addPart(const Node &node, const Argument &argument,
                            int64_t part) {
  if (!isPair(argument))
    return part == 0 ? argument : Argument();
  TensorMeta meta = makeFresh(graph.tensors[argument.text]);
  meta.sizes.pop_back();
  return add(node, "tally.part", {{"self", argument}, {"index", makeInt(part)}},
             std::move(meta),
             /*givesPairs=*/false);
}

/// An operand, a tensor or a number, as a tensor of complex numbers of the type
/// of the result.
Argument PairMaker::addPairs(const Node &node, const Argument &argument) {
  if (isPair(argument))
    return argument;
  TensorMeta meta;
  if (isTensor(argument))
    meta = makeFresh(graph.tensors[argument.text]);
  meta.storageOffset = makeLiteral(0);
  meta.dtype = int64_t(Dtype::F32);
  for (const Argument &output : node.outputs)
    if (isPair(output))
      meta.dtype = graph.tensors[output.text].dtype;
  meta.sizes.push_back(makeLiteral(2));
  return add(node, "tally.as_complex", {{"self", argument}}, std::move(meta),
             /*givesPairs=*/true);
}

/// A tensor with one more dimension, behind the others.
Argument PairMaker::addUnsqueezed(const Node &node, const Argument &argument) {
  TensorMeta meta = makeFresh(graph.tensors[argument.text]);
  int64_t rank = int64_t(meta.sizes.size());
  meta.sizes.push_back(makeLiteral(1));
  return add(node, "aten.unsqueeze.default",
             {{"self", argument}, {"dim", makeInt(rank)}}, std::move(meta),
             /*givesPairs=*/false);
}

/// Makes all floats among the operands complex.
void PairMaker::makeAllPairs(Node &node) {
  for (NamedArgument &input : node.inputs) {
    bool isIndex = input.name == "index" || input.name == "indices" ||
                   input.name == "condition" || input.name == "mask";
    if (isIndex)
      continue;
    if (isTensor(input.value))
      input.value = addPairs(node, input.value);
    for (Argument &element : input.value.list)
      if (isTensor(element))
        element = addPairs(node, element);
  }
}

//===----------------------------------------------------------------------===//
// What moves elements
//===----------------------------------------------------------------------===//

bool PairMaker::rewriteSame(Node &node, StringRef name) {
  const SameOperator *same =
      find_if(kSameOperators,
              [&](const SameOperator &each) { return each.name == name; });
  bool isOther = StringRef(node.target).ends_with(".dtype");
  if (same == std::end(kSameOperators) || isOther || givesOthers(node))
    return false;
  makeAllPairs(node);
  int64_t rank = getRank(node) + same->moreDims;
  SmallVector<StringRef> dims;
  StringRef(same->dims).split(dims, ',', -1, /*KeepEmpty=*/false);
  for (StringRef dim : dims) {
    auto [argument, absent] = dim.split('=');
    int64_t number = 0;
    if (!findArgument(node, argument) && !absent.getAsInteger(10, number))
      setArgument(node, argument, makeInt(number));
    if (Argument *given = findArgument(node, argument))
      wrapDims(*given, rank);
  }
  if (Argument *given = findArgument(node, same->sizes)) {
    if (given->kind != Argument::Kind::List)
      *given = makeList({*given});
    given->list.push_back(makeInt(same->lastSize));
  }
  return true;
}

/// Adds that there is no padding of the dimension of parts.
static void padNoParts(Argument &pad) {
  std::vector<Argument> both{makeInt(0), makeInt(0)};
  llvm::append_range(both, pad.list);
  pad.list = std::move(both);
}

/// The parts as tensors, padding, shifts, and whole orders of dimensions.
bool PairMaker::rewriteParts(Node &node, StringRef name) {
  int64_t rank = getRank(node);
  if (name == "view_as_real") {
    node.target = "aten.alias.default";
  } else if ((name == "real" || name == "imag") && !node.inputs.empty() &&
             hasPair(node.inputs[0].value)) {
    node.target = "aten.select.int";
    setArgument(node, "dim", makeInt(rank));
    setArgument(node, "index", makeInt(name == "imag"));
  } else if (name == "permute") {
    Argument *dims = findArgument(node, "dims");
    if (!dims)
      return false;
    wrapDims(*dims, rank);
    dims->list.push_back(makeInt(rank));
  } else if (name == "fft_fftshift" || name == "fft_ifftshift") {
    Argument *dims = findArgument(node, "dim");
    if (dims && dims->kind != Argument::Kind::List)
      *dims = makeList({*dims});
    if (dims)
      wrapDims(*dims, rank);
    else
      setArgument(node, "dim", makeInts(to_vector(seq<int64_t>(rank))));
  } else if (name == "roll") {
    Argument *dims = findArgument(node, "dims");
    bool isFlat = !dims || dims->list.empty();
    if (isFlat && rank != 1)
      return false;
    if (isFlat)
      setArgument(node, "dims", makeInts({0}));
    else
      wrapDims(*dims, rank);
  } else if (name == "constant_pad_nd" || name == "pad") {
    Argument *pad = findArgument(node, "pad"),
             *value = findArgument(node, "value");
    Argument *mode = findArgument(node, "mode");
    bool isZero = !value ||
                  (value->kind == Argument::Kind::Int && value->integer == 0) ||
                  (value->kind == Argument::Kind::Float && value->real == 0);
    bool isConstant = !mode || mode->text == "constant";
    if (!pad || (isConstant && !isZero))
      return false;
    padNoParts(*pad);
  } else if (name.starts_with("reflection_pad") ||
             name.starts_with("replication_pad")) {
    Argument *pad = findArgument(node, "padding");
    if (!pad || name.ends_with("backward"))
      return false;
    padNoParts(*pad);
  } else {
    return false;
  }
  return true;
}

/// Sums, of which no dimensions are all of them.
bool PairMaker::rewriteSum(Node &node, StringRef name) {
  if ((name != "sum" && name != "mean") || node.inputs.empty() ||
      givesOthers(node))
    return false;
  int64_t rank = getRank(node);
  makeAllPairs(node);
  Argument *dims = findArgument(node, "dim");
  if (dims && dims->kind == Argument::Kind::Int)
    *dims = makeList({*dims});
  if (dims && !dims->list.empty())
    wrapDims(*dims, rank);
  else
    setArgument(node, "dim", makeInts(to_vector(seq<int64_t>(rank))));
  node.target = name == "sum" ? "aten.sum.dim_IntList" : "aten.mean.dim";
  if (rank > 0)
    return true;
  // The only element.
  Argument self = node.inputs[0].value;
  node.target = "aten.clone.default";
  node.inputs = {{"self", self}};
  return true;
}

/// Choices between complex numbers.
bool PairMaker::rewriteChoice(Node &node, StringRef name) {
  Argument *chosen = findArgument(node, "condition");
  if (name == "where" && chosen && isTensor(*chosen) &&
      findArgument(node, "self") && findArgument(node, "other")) {
    setArgument(node, "condition", addUnsqueezed(node, *chosen));
    setArgument(node, "self", addPairs(node, *findArgument(node, "self")));
    setArgument(node, "other", addPairs(node, *findArgument(node, "other")));
    node.target = "aten.where.self";
    return true;
  }
  Argument *self = findArgument(node, "self"),
           *mask = findArgument(node, "mask");
  Argument *value = findArgument(node, "value");
  if (name != "masked_fill" || !self || !value || !mask || !isTensor(*mask) ||
      givesOthers(node) ||
      !is_contained({"aten.masked_fill.Scalar", "aten.masked_fill.Tensor"},
                    StringRef(node.target)))
    return false;
  Argument condition = addUnsqueezed(node, *mask);
  Argument filled = addPairs(node, *value), kept = addPairs(node, *self);
  node.target = "aten.where.self";
  node.inputs = {{"condition", condition}, {"self", filled}, {"other", kept}};
  return true;
}

/// Indices of elements, which are those of both parts.
bool PairMaker::rewriteIndexed(Node &node, StringRef name) {
  Argument *index = findArgument(node, "index"),
           *dim = findArgument(node, "dim");
  if (!is_contained({"gather", "scatter", "scatter_add"}, name) || !index ||
      !isTensor(*index) || !dim || givesOthers(node) ||
      StringRef(node.target).contains("value"))
    return false;
  wrapDims(*dim, getRank(node));
  TensorMeta meta = makeFresh(graph.tensors[index->text]);
  std::vector<int64_t> sizes(meta.sizes.size(), -1);
  sizes.push_back(2);
  meta.sizes.push_back(makeLiteral(2));
  Argument both =
      add(node, "aten.expand.default",
          {{"self", addUnsqueezed(node, *index)}, {"size", makeInts(sizes)}},
          std::move(meta), /*givesPairs=*/false);
  setArgument(node, "index", both);
  makeAllPairs(node);
  return true;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// The name of what `name_` writes to its operand, and of the view that
/// `name_copy` copies.
static StringRef getPlainName(StringRef name) {
  name = name.split('.').first;
  if (!name.ends_with("__") && name.consume_back("_"))
    return name;
  if (name != "index_copy")
    name.consume_back("_copy");
  return name;
}

bool isSupportedOnPairs(StringRef target) {
  static constexpr StringLiteral kOthers[] = {"fft_fftshift",
                                              "fft_ifftshift",
                                              "diagonal",
                                              "unfold",
                                              "scatter",
                                              "view_as_real",
                                              "real",
                                              "imag",
                                              "permute",
                                              "roll",
                                              "constant_pad_nd",
                                              "pad",
                                              "reflection_pad1d",
                                              "reflection_pad2d",
                                              "reflection_pad3d",
                                              "replication_pad1d",
                                              "replication_pad2d",
                                              "replication_pad3d",
                                              "t",
                                              "mT",
                                              "mH",
                                              "adjoint",
                                              "sum",
                                              "mean",
                                              "where",
                                              "masked_fill",
                                              "gather",
                                              "scatter_add"};
  StringRef name = target;
  if (LoweringTable::get(/*onPairs=*/true).lookup(target).lower ||
      !name.consume_front("aten."))
    return LoweringTable::get(/*onPairs=*/true).lookup(target).lower ||
           name.starts_with("higher_order.") || name.starts_with("_operator.");
  StringRef plain = getPlainName(name);
  return is_contained(kOthers, plain) || isProduct(plain) || isOfParts(plain) ||
         any_of(kSameOperators,
                [&](const SameOperator &each) { return each.name == plain; });
}

/// Writes what an operator gives to its first operand.
bool PairMaker::rewriteUpdate(Node &node, StringRef name) {
  Argument *self = findArgument(node, "self");
  if (!self || !isPair(*self))
    return false;
  Node plain = node;
  plain.name = node.name + "_new";
  plain.target =
      ("aten." + name + "." + StringRef(node.target).rsplit('.').second).str();
  plain.outputs = {makeName(plain.name)};
  graph.tensors[plain.name] = makeFresh(graph.tensors[self->text]);
  graph.pairs.insert(plain.name);
  if (!rewriteChoice(plain, name) && !rewriteIndexed(plain, name) &&
      !rewriteLinear(plain, name) && !rewriteAddedProduct(plain, name))
    return false;
  node.target = "aten.copy_.default";
  node.inputs = {{"self", *self}, {"src", plain.outputs[0]}};
  nodes.push_back(std::move(plain));
  return true;
}

void PairMaker::rewrite(Node node) {
  auto isOnPairs = [&](const Argument &argument) { return hasPair(argument); };
  bool hasPairs = any_of(node.outputs, isOnPairs) ||
                  any_of(node.inputs, [&](const NamedArgument &input) {
                    return hasPair(input.value);
                  });
  StringRef name(node.target);
  bool isAten = name.consume_front("aten.");
  // What calls a graph, or checks what is known, or computes numbers.
  bool isAnyCall =
      !isAten && (name.starts_with("higher_order.") ||
                  name.starts_with("_operator.") || name.starts_with("torch."));
  if (!hasPairs || isAnyCall || name.starts_with("_assert_tensor_metadata")) {
    nodes.push_back(std::move(node));
    return;
  }
  std::string plain = getPlainName(name).str();
  bool isUpdate = isAten && name.split('.').first.size() == plain.size() + 1;
  bool isKnown = isAten && rewriteSame(node, plain);
  if (!isKnown && isUpdate)
    isKnown = rewriteUpdate(node, plain);
  else if (!isKnown && isAten && !node.outputs.empty())
    isKnown = rewriteParts(node, plain) || rewriteTransposed(node, plain) ||
              rewriteNewLast(node, plain) || rewriteLinear(node, plain) ||
              rewriteNorm(node, plain) || rewriteSum(node, plain) ||
              rewriteChoice(node, plain) || rewriteIndexed(node, plain) ||
              rewriteProduct(node, plain) || rewriteAddedProduct(node, plain);
  node.isOnPairs |= !isKnown;
  nodes.push_back(std::move(node));
}

static void makePairsOf(Graph &graph) { PairMaker(graph).run(); }

void PairMaker::run() {
  for (auto &entry : graph.tensors)
    if (makePairs(entry.second))
      graph.pairs.insert(entry.first());
  nodes.reserve(graph.nodes.size());
  for (Node &node : graph.nodes) {
    for (NamedArgument &input : node.inputs)
      if (input.value.graph)
        makePairsOf(*input.value.graph);
    rewrite(std::move(node));
  }
  graph.nodes = std::move(nodes);
}

void makePairs(Program &program) { makePairsOf(program.graph); }

} // namespace tally::import_pt2
