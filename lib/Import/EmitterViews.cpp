//===- EmitterViews.cpp - Views of tensors --------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tally::import_pt2 {

static SmallVector<ReassociationIndices>
getReassociation(ArrayRef<int64_t> groupSizes) {
  SmallVector<ReassociationIndices> result;
  int64_t next = 0;
  for (int64_t count : groupSizes) {
    result.emplace_back();
    for (int64_t i = 0; i < count; ++i)
      result.back().push_back(next++);
  }
  return result;
}

/// Makes one dimension of each group. No groups: all dimensions are 1 and go.
Tensor Emitter::collapse(const Tensor &in, ArrayRef<int64_t> groupSizes) {
  if (int64_t(groupSizes.size()) == in.rank())
    return in;
  Sizes sizes;
  int64_t next = 0;
  for (int64_t count : groupSizes) {
    sizes.push_back(product(ArrayRef(in.sizes).slice(next, count)));
    next += count;
  }
  Value value =
      tensor::CollapseShapeOp::create(b, loc, tensorType(sizes, in.dtype),
                                      in.value, getReassociation(groupSizes));
  return make(value, in.dtype, sizes);
}

/// Splits each dimension into a group.
Tensor Emitter::expandGroups(const Tensor &in, ArrayRef<Expr> sizes,
                             ArrayRef<int64_t> groupSizes) {
  RankedTensorType type = tensorType(sizes, in.dtype);
  // The operand's sizes have to be as static as the groups are.
  Tensor source = in;
  SmallVector<int64_t> shape;
  int64_t next = 0;
  for (int64_t count : groupSizes) {
    int64_t size = 1;
    for (int64_t dim : type.getShape().slice(next, count)) {
      if (ShapedType::isDynamic(size) || ShapedType::isDynamic(dim)) {
        size = ShapedType::kDynamic;
      } else if (llvm::MulOverflow(size, dim, size)) {
        (void)error("the tensor has too many elements");
        return fill(sizes, in.dtype, 0.0);
      }
    }
    next += count;
    shape.push_back(size);
  }
  source.value =
      cast(in.value, RankedTensorType::get(shape, type.getElementType()));
  if (type.getShape().size() == shape.size())
    return make(cast(source.value, type), in.dtype, sizes);
  Value value = tensor::ExpandShapeOp::create(b, loc, type, source.value,
                                              getReassociation(groupSizes),
                                              sizesOrLiterals(sizes));
  return make(value, in.dtype, sizes);
}

namespace {
/// A run of dimensions on both sides with the same number of elements.
struct Group {
  int64_t in, out;
};
} // namespace

/// Finds the finest groups of dimensions whose products are the same
/// expression; what is left at the end is one group, which may be wrong.
static SmallVector<Group> matchGroups(ArrayRef<Expr> in, ArrayRef<Expr> out,
                                      symbolic::ExprContext &exprs) {
  SmallVector<Group> groups;
  size_t i = 0, j = 0;
  auto findNext = [&]() -> std::optional<Group> {
    size_t restIn = in.size() - i, restOut = out.size() - j;
    for (size_t total = 2; total <= restIn + restOut; ++total)
      for (size_t a = 1; a < total; ++a) {
        size_t c = total - a;
        if (a <= restIn && c <= restOut &&
            exprs.product(in.slice(i, a)) == exprs.product(out.slice(j, c)))
          return Group{int64_t(a), int64_t(c)};
      }
    return std::nullopt;
  };
  while (i < in.size() && j < out.size()) {
    std::optional<Group> next = findNext();
    if (!next)
      break;
    groups.push_back(*next);
    i += next->in;
    j += next->out;
  }
  Group rest{int64_t(in.size() - i), int64_t(out.size() - j)};
  if (rest.in == 0 && rest.out == 0)
    return groups;
  // Dimensions of size 1 at the end belong to the last group.
  auto isOne = [](Expr expr) { return expr.isConstant(1); };
  bool onlyOnes = llvm::all_of(in.drop_front(i), isOne) &&
                  llvm::all_of(out.drop_front(j), isOne);
  if (onlyOnes && !groups.empty()) {
    groups.back().in += rest.in;
    groups.back().out += rest.out;
    return groups;
  }
  if (rest.in > 0 && rest.out > 0) {
    groups.push_back(rest);
    return groups;
  }
  // One side has run out: start again with everything as one group.
  return {Group{int64_t(in.size()), int64_t(out.size())}};
}

/// Finds groups of dimensions that a reshape takes to each other. Where the
/// dimensions before the last group may have no elements, those of the last
/// one do not have to match: only the numbers of all elements do.
static SmallVector<Group> getGroups(Emitter &e, const Tensor &in,
                                    ArrayRef<Expr> out) {
  SmallVector<Group> groups = matchGroups(in.sizes, out, e.exprs);
  Group last = groups.back();
  ArrayRef<Expr> sizes = in.sizes;
  Expr restIn = e.product(sizes.take_back(last.in));
  Expr restOut = e.product(out.take_back(last.out));
  Expr before = e.product(sizes.drop_back(last.in));
  auto isTrue = [&](Expr condition) {
    return e.state.simplify(condition).isTrue();
  };
  if (isTrue(e.exprs.eq(restIn, restOut)) ||
      isTrue(e.exprs.ne(before, e.literal(0))))
    return groups;
  return {Group{in.rank(), int64_t(out.size())}};
}

std::string Emitter::describeShape(ArrayRef<Expr> sizes, const Tensor &in) {
  Expr number = numel(in);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << target << ": the shape [";
  llvm::interleaveComma(sizes, os, [&](Expr size) { os << size.str(); });
  os << "] is invalid for " << number.str()
     << (number.isConstant(1) ? " element" : " elements");
  return text;
}

Tensor Emitter::reshape(const Tensor &in, ArrayRef<Expr> sizes) {
  Sizes target(sizes);
  if (ArrayRef<Expr>(in.sizes) == sizes)
    return in;
  if (in.rank() == 0 || target.empty()) {
    // Only sizes of 1 go with a tensor of one element.
    Tensor source = in;
    for (int64_t dim = 0; dim < in.rank(); ++dim)
      source = withStaticSize(source, dim, 1);
    for (Expr size : target)
      checkEqual(size, literal(1), describeShape(target, in));
    if (in.rank() != 0)
      return collapse(source, {});
    Sizes ones(target.size(), literal(1));
    Value value = tensor::ExpandShapeOp::create(
        b, loc, tensorType(ones, in.dtype), source.value,
        SmallVector<ReassociationIndices>{}, sizesOrLiterals(ones));
    return make(value, in.dtype, ones);
  }
  // Sizes beside a literal 0 do not have to match, and literals that do not
  // match never will.
  Expr number = numel(in), wanted = product(target);
  auto isLiteral = [](Expr expr) {
    return expr.isConstant() && expr.getInt64().has_value();
  };
  if (number.isConstant(0) ||
      (isLiteral(number) && isLiteral(wanted) && number != wanted)) {
    checkEqual(wanted, number, describeShape(target, in));
    return make(empty(target, in.dtype), in.dtype, target);
  }
  SmallVector<Group> groups = getGroups(*this, in, target);
  SmallVector<int64_t> inGroups, outGroups;
  int64_t i = 0, j = 0;
  for (Group group : groups) {
    checkEqual(product(ArrayRef(in.sizes).slice(i, group.in)),
               product(ArrayRef(target).slice(j, group.out)),
               describeShape(target, in));
    inGroups.push_back(group.in);
    outGroups.push_back(group.out);
    i += group.in;
    j += group.out;
  }
  return expandGroups(collapse(in, inGroups), target, outGroups);
}

Tensor Emitter::flatten(const Tensor &in) { return reshape(in, {numel(in)}); }

Tensor Emitter::permute(const Tensor &in, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, in.rank())))
    return in;
  if (int64_t(permutation.size()) != in.rank() ||
      !isPermutationVector(permutation)) {
    (void)error("the dimensions are not a permutation");
    return in;
  }
  Sizes sizes;
  for (int64_t dim : permutation)
    sizes.push_back(in.sizes[dim]);
  Value init = empty(sizes, in.dtype);
  Value value = linalg::TransposeOp::create(b, loc, in.value, init, permutation)
                    ->getResult(0);
  Tensor out = make(value, in.dtype, sizes);
  for (int64_t dim : permutation) {
    out.recordedOne.push_back(in.isOne(dim));
    out.tracedOne.push_back(in.mayBeOne(dim));
  }
  return out;
}

Tensor Emitter::unsqueeze(const Tensor &in, int64_t dim) {
  Sizes sizes = in.sizes;
  if (dim != in.rank() && !checkDim(in, dim))
    return in;
  sizes.insert(sizes.begin() + dim, literal(1));
  return reshape(in, sizes);
}

Tensor Emitter::withDim(const Tensor &in) {
  return in.rank() == 0 ? unsqueeze(in, 0) : in;
}

Tensor Emitter::squeeze(const Tensor &in, ArrayRef<int64_t> dims) {
  Tensor source = in;
  Sizes sizes;
  for (int64_t dim = 0; dim < in.rank(); ++dim) {
    if (llvm::is_contained(dims, dim))
      source = withStaticSize(source, dim, 1);
    else
      sizes.push_back(in.sizes[dim]);
  }
  return reshape(source, sizes);
}

Tensor Emitter::expand(const Tensor &in, ArrayRef<Expr> sizes) {
  if (ArrayRef<Expr>(in.sizes) == sizes)
    return in;
  return map(
      {in}, in.dtype, in.dtype,
      [](Scalars &, ArrayRef<Value> args) { return args[0]; }, Sizes(sizes));
}

/// Returns true where a slice starts at the end of a static dimension, or
/// behind it: it is empty, or out of bounds.
static bool isAtEnd(Emitter &e, const Tensor &in, int64_t dim, Expr start,
                    Expr size) {
  if (!start.isConstant() || !in.sizes[dim].isConstant())
    return false;
  std::optional<int64_t> first = start.getInt64();
  std::optional<int64_t> end = in.sizes[dim].getInt64();
  if (!first || !end || *first < *end)
    return false;
  e.check({Comparison::le(start, in.sizes[dim]),
           Comparison::eq(size, e.literal(0))},
          Twine(e.target) + ": the slice is out of bounds");
  return true;
}

Tensor Emitter::slice(const Tensor &in, int64_t dim, Expr start, Expr size,
                      int64_t step) {
  if (!checkDim(in, dim))
    return in;
  Sizes sizes = in.sizes;
  sizes[dim] = size;
  if (start.isConstant(0) && step == 1 && size == in.sizes[dim])
    return in;
  if (!isNothing(sizes) && isAtEnd(*this, in, dim, start, size))
    sizes[dim] = literal(0);
  if (isNothing(sizes))
    return make(empty(sizes, in.dtype), in.dtype, sizes);
  SmallVector<OpFoldResult> offsets(in.rank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(in.rank(), b.getIndexAttr(1));
  offsets[dim] = sizeOrLiteral(start);
  strides[dim] = b.getIndexAttr(step);
  Value value = tensor::ExtractSliceOp::create(
      b, loc, tensorType(sizes, in.dtype), in.value, offsets,
      sizesOrLiterals(sizes), strides);
  Tensor out = make(value, in.dtype, sizes);
  for (int64_t i = 0; i < in.rank(); ++i) {
    out.recordedOne.push_back(i != dim && in.isOne(i));
    out.tracedOne.push_back(i != dim && in.mayBeOne(i));
  }
  return out;
}

Tensor Emitter::insertSlice(const Tensor &into, const Tensor &part, int64_t dim,
                            Expr start, int64_t step) {
  if (!checkDim(into, dim) || !checkDim(part, into.rank() - 1) ||
      isNothing(part.sizes) ||
      isAtEnd(*this, into, dim, start, part.sizes[dim]))
    return into;
  SmallVector<OpFoldResult> offsets(into.rank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(into.rank(), b.getIndexAttr(1));
  offsets[dim] = sizeOrLiteral(start);
  strides[dim] = b.getIndexAttr(step);
  return insertSlice(into, part, offsets, strides);
}

Tensor Emitter::insertSlice(const Tensor &into, const Tensor &part,
                            ArrayRef<OpFoldResult> offsets,
                            ArrayRef<OpFoldResult> strides) {
  // Upstream has no slice of a static dimension without elements.
  if (isNothing(part.sizes))
    return into;
  Value value =
      tensor::InsertSliceOp::create(b, loc, part.value, into.value, offsets,
                                    sizesOrLiterals(part.sizes), strides);
  return make(value, into.dtype, into.sizes);
}

Tensor Emitter::concat(ArrayRef<Tensor> tensors, int64_t dim) {
  Sizes sizes = tensors[0].sizes;
  SmallVector<Value> values;
  SmallVector<Expr> parts;
  for (const Tensor &tensor : tensors) {
    if (!checkDim(tensor, dim))
      return tensors[0];
    if (tensor.rank() != int64_t(sizes.size())) {
      (void)error("the tensors differ in their number of dimensions");
      return tensors[0];
    }
    values.push_back(tensor.value);
    parts.push_back(tensor.sizes[dim]);
    for (int64_t i = 0; i < int64_t(sizes.size()); ++i)
      if (i != dim && tensor.sizes[i].isConstant())
        sizes[i] = tensor.sizes[i];
  }
  sizes[dim] = exprs.sum(parts);
  if (tensors.size() == 1)
    return tensors[0];
  // The operands agree in all other dimensions, also in what is static.
  for (auto [value, tensor] : llvm::zip(values, tensors)) {
    Sizes own = sizes;
    own[dim] = tensor.sizes[dim];
    for (int64_t i = 0; i < int64_t(sizes.size()); ++i)
      if (i != dim)
        checkEqual(tensor.sizes[i], sizes[i],
                   Twine(this->target) +
                       ": the tensors differ in another dimension");
    value = cast(value, tensorType(own, tensor.dtype));
  }
  Value value = tensor::ConcatOp::create(
      b, loc, tensorType(sizes, tensors[0].dtype), dim, values);
  return make(value, tensors[0].dtype, sizes);
}

Tensor Emitter::withStaticSize(const Tensor &in, int64_t dim, int64_t size) {
  if (!checkDim(in, dim) || in.sizes[dim].isConstant(size))
    return in;
  checkEqual(in.sizes[dim], literal(size),
             Twine(this->target) + ": the size must be " + Twine(size));
  Sizes sizes = in.sizes;
  sizes[dim] = literal(size);
  Tensor out = in;
  out.value = cast(in.value, tensorType(sizes, in.dtype));
  out.sizes = sizes;
  return out;
}

} // namespace tally::import_pt2
