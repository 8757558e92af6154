//===- Views.cpp - Other looks at the same elements -----------------------===//
//
// Each view says how it is made from its base and, where an in-place update may
// go through it, how the base is put together again.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

Tensor reshapeBack(Lowering &op, const Tensor &base, const Tensor &view) {
  Tensor result = op.reshape(view, base.sizes);
  result.value = op.cast(result.value, base.type());
  return result;
}

static void
resultReshaped(Lowering &op, StringRef base,
               std::function<Sizes(Lowering &, const Tensor &)> getSizes) {
  op.resultView(
      base,
      [getSizes](Lowering &op, const Tensor &in) {
        return op.reshape(in, getSizes(op, in));
      },
      reshapeBack);
}

/// Works out the size that is given as -1.
static Sizes inferSizes(Lowering &op, const Tensor &in, Sizes sizes) {
  int64_t unknown = -1;
  SmallVector<Expr> others;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (size.isConstant(-1))
      unknown = int64_t(i);
    else
      others.push_back(size);
  }
  if (unknown < 0)
    return sizes;
  Expr known = op.product(others);
  // No size is 0 that is given, so that sizes on both sides cancel; what is
  // left must divide.
  SmallVector<Expr> rest(in.sizes.begin(), in.sizes.end());
  SmallVector<Expr> below;
  for (Expr size : others) {
    auto *it = llvm::find(rest, size);
    if (it != rest.end())
      rest.erase(it);
    else
      below.push_back(size);
  }
  Expr numel = op.product(rest), divisor = op.product(below);
  SmallVector<Expr> conditions{op.exprs.ne(known, op.literal(0))};
  if (!divisor.isConstant(1))
    conditions.push_back(
        op.exprs.eq(op.exprs.mod(numel, divisor), op.literal(0)));
  op.check(op.exprs.logicalAnd(conditions), op.describeShape(sizes, in));
  // The divisor is not 0, as has just been checked.
  sizes[unknown] = numel.isConstant(0)
                       ? numel
                       : op.state.simplify(op.exprs.floorDiv(numel, divisor));
  return sizes;
}

/// Returns true if the tensor is recorded as contiguous: then a reshape is a
/// view.
static bool isContiguous(const TensorMeta &meta, Lowering &op) {
  // A dimension of size 0 counts as one of size 1, where it is written out.
  Expr expected = op.literal(1), other = expected;
  // In a subgraph the sizes of the caller are not known, but equal.
  auto find = [&](const SymInt &number) {
    return op.function.findRecorded(number, /*isFormal=*/true);
  };
  for (auto [size, stride] :
       llvm::reverse(llvm::zip(meta.sizes, meta.strides))) {
    if (size.isLiteral(1))
      continue;
    Expr strideExpr = find(stride), sizeExpr = find(size);
    if (!strideExpr || !sizeExpr ||
        (strideExpr != expected && strideExpr != other))
      return false;
    expected = op.exprs.mul(strideExpr, sizeExpr);
    other = op.exprs.mul(strideExpr, op.exprs.max(sizeExpr, op.literal(1)));
  }
  return true;
}

/// When a tensor of these sizes and strides is contiguous, if it has elements;
/// null where they are not known. One element is anywhere.
static Expr getContiguity(Lowering &op, const TensorMeta &meta) {
  Expr one = op.literal(1), expected = one;
  symbolic::Facts::Scope scope(op.state.facts);
  SmallVector<Expr> isRun;
  for (auto [size, stride] :
       llvm::reverse(llvm::zip(meta.sizes, meta.strides))) {
    Expr strideExpr = op.function.findRecorded(stride, /*isFormal=*/true);
    Expr sizeExpr = op.function.findRecorded(size, /*isFormal=*/true);
    if (!strideExpr || !sizeExpr)
      return Expr();
    isRun.push_back(op.exprs.logicalOr(op.exprs.le(sizeExpr, one),
                                       op.exprs.eq(strideExpr, expected)));
    expected = op.exprs.mul(expected, sizeExpr);
    op.state.facts.add(op.exprs.le(one, sizeExpr));
  }
  return op.state.facts.isContradictory()
             ? op.exprs.boolean(true)
             : op.state.simplify(op.exprs.logicalAnd(isRun));
}

bool isContiguousArgument(Lowering &op, StringRef name) {
  const TensorMeta *meta = op.argumentMeta(name);
  return meta && isContiguous(*meta, op);
}

/// When the dimensions before and behind a boundary of a tensor are apart in a
/// view of it too, where neither has elements that are nothing.
static Expr getBoundaryIsKept(Lowering &op, ArrayRef<Expr> before,
                              ArrayRef<Expr> behind, ArrayRef<Expr> view) {
  SmallVector<Expr> choices;
  for (size_t i = 0; i <= view.size(); ++i) {
    Expr isBefore = op.state.simplify(
        op.exprs.eq(op.product(before), op.product(view.take_front(i))));
    Expr isBehind = op.state.simplify(
        op.exprs.eq(op.product(behind), op.product(view.drop_front(i))));
    // Both say the same; that which is known or has fewer sizes is taken.
    bool isKnown = isBefore.isTrue() || isBefore.isFalse();
    choices.push_back(isKnown || i == 0 ? isBefore : isBehind);
  }
  return op.exprs.logicalOr(choices);
}

/// When PyTorch makes a view of a tensor of another shape, if it has elements;
/// null where it cannot be known. A dimension ends a run of memory where its
/// stride does not lead on to the next, and then one of the view has to end
/// there too.
static Expr getReshapeIsView(Lowering &op, const TensorMeta &meta,
                             ArrayRef<Expr> view) {
  symbolic::ExprContext &exprs = op.exprs;
  symbolic::Facts::Scope scope(op.state.facts);
  Sizes sizes, strides;
  for (auto [size, stride] : llvm::zip(meta.sizes, meta.strides)) {
    sizes.push_back(op.function.findRecorded(size, /*isFormal=*/true));
    strides.push_back(op.function.findRecorded(stride, /*isFormal=*/true));
    if (!sizes.back() || !strides.back())
      return Expr();
    op.state.facts.add(exprs.le(op.literal(1), sizes.back()));
  }
  if (op.state.facts.isContradictory())
    return exprs.boolean(true);
  ArrayRef<Expr> in = sizes;
  auto isSame = [](Expr a, Expr b) { return a == b; };
  auto countSame = [&](auto a, auto b) {
    return size_t(
        std::mismatch(a.begin(), a.end(), b.begin(), b.end(), isSame).first -
        a.begin());
  };
  size_t first = countSame(in, view);
  size_t rest = std::min(in.size(), view.size()) - first;
  size_t last =
      std::min(rest, countSame(llvm::reverse(in), llvm::reverse(view)));
  size_t end = in.size() - last;
  ArrayRef<Expr> between = view.drop_front(first).drop_back(last);
  SmallVector<Expr> conditions;
  Expr expected;
  for (size_t dim = in.size(); dim-- > first;) {
    Expr isOne = exprs.eq(in[dim], op.literal(1));
    if (dim + 1 < end)
      conditions.push_back(op.state.simplify(exprs.logicalOr(
          {isOne, exprs.eq(strides[dim], expected),
           getBoundaryIsKept(op, in.slice(first, dim + 1 - first),
                             in.slice(dim + 1, end - dim - 1), between)})));
    Expr next = exprs.mul(strides[dim], in[dim]);
    expected = expected ? exprs.select(isOne, expected, next) : next;
  }
  return op.state.simplify(exprs.logicalAnd(conditions));
}

/// A view where the strides of the tensor allow one, and a copy elsewhere.
static void resultReshapedOrCopied(
    Lowering &op, std::function<Sizes(Lowering &, const Tensor &)> getSizes) {
  if (isContiguousArgument(op, "self"))
    return resultReshaped(op, "self", getSizes);
  Tensor in = op.tensor("self");
  Tensor out = op.reshape(in, getSizes(op, in));
  const TensorMeta *meta = op.argumentMeta("self");
  Expr condition;
  if (meta && !op.hasFailed())
    condition = getReshapeIsView(op, *meta, out.sizes);
  op.resultViewIf(
      "self", condition, std::move(out),
      [getSizes](Lowering &op, const Tensor &in) {
        return op.reshape(in, getSizes(op, in));
      },
      reshapeBack);
}

static void lowerView(Lowering &op) {
  Sizes sizes = op.symInts(op.has("size") ? "size" : "shape");
  auto getSizes = [sizes](Lowering &op, const Tensor &in) {
    return inferSizes(op, in, sizes);
  };
  if (StringRef(op.node.target).starts_with("aten.reshape"))
    return resultReshapedOrCopied(op, getSizes);
  resultReshaped(op, "self", getSizes);
}

static void lowerViewAs(Lowering &op) {
  Sizes sizes = op.tensor("other").sizes;
  resultReshaped(op, "self",
                 [sizes](Lowering &, const Tensor &) { return sizes; });
}

static void lowerReshapeAs(Lowering &op) {
  Sizes sizes = op.tensor("other").sizes;
  resultReshapedOrCopied(op,
                         [sizes](Lowering &, const Tensor &) { return sizes; });
}

static void lowerFlatten(Lowering &op) {
  int64_t rank = op.tensor("self").rank();
  if (rank == 0)
    return resultReshaped(op, "self", [](Lowering &op, const Tensor &) {
      return Sizes{op.literal(1)};
    });
  int64_t start = op.dim("start_dim", rank, 0);
  int64_t end = op.dim("end_dim", rank, -1);
  if (end < start) {
    (void)op.error("the dimensions are in the wrong order");
    return;
  }
  resultReshapedOrCopied(op, [=](Lowering &op, const Tensor &in) {
    Sizes sizes(in.sizes.begin(), in.sizes.begin() + start);
    sizes.push_back(
        op.product(ArrayRef(in.sizes).slice(start, end - start + 1)));
    sizes.append(in.sizes.begin() + end + 1, in.sizes.end());
    return sizes;
  });
}

static void lowerUnflatten(Lowering &op) {
  int64_t dim = op.dim("dim", op.tensor("self", 1).rank());
  Sizes parts = op.symInts("sizes");
  resultReshaped(op, "self", [=](Lowering &op, const Tensor &in) {
    Tensor one = in;
    one.sizes = {in.sizes[dim]};
    Sizes inferred = inferSizes(op, one, parts);
    Sizes sizes(in.sizes.begin(), in.sizes.begin() + dim);
    sizes.append(inferred);
    sizes.append(in.sizes.begin() + dim + 1, in.sizes.end());
    return sizes;
  });
}

static void lowerUnsqueeze(Lowering &op) {
  int64_t dim = op.dim("dim", op.tensor("self").rank() + 1);
  op.resultView(
      "self",
      [dim](Lowering &op, const Tensor &in) { return op.unsqueeze(in, dim); },
      reshapeBack);
}

static void lowerSqueeze(Lowering &op) {
  Tensor in = op.tensor("self");
  SmallVector<int64_t> dims;
  bool isListed = op.has("dim");
  SmallVector<int64_t> listed =
      isListed ? op.dims("dim", in.rank()) : SmallVector<int64_t>();
  if (isListed && op.find("dim")->kind == Argument::Kind::List &&
      op.find("dim")->list.empty())
    listed.clear();
  for (int64_t dim = 0; dim < in.rank(); ++dim)
    if (in.isOne(dim) && (!isListed || llvm::is_contained(listed, dim)))
      dims.push_back(dim);
  // A size that was 1 where the program was recorded must be 1 again: that
  // makes the number of dimensions.
  llvm::sort(listed);
  listed.erase(llvm::unique(listed), listed.end());
  const TensorMeta *meta = op.resultMeta();
  if (isListed && meta &&
      meta->sizes.size() + listed.size() == size_t(in.rank()))
    dims = listed;
  op.resultView(
      "self",
      [dims](Lowering &op, const Tensor &in) { return op.squeeze(in, dims); },
      reshapeBack);
}

//===----------------------------------------------------------------------===//
// Expansion
//===----------------------------------------------------------------------===//

/// Returns true for operators that PyTorch lets write to one element through
/// several.
static bool mayWriteRepeated(Lowering &op) {
  StringRef name = StringRef(op.node.target).split("aten.").second;
  name = name.split('.').first;
  // Several values for one element leave open which of them stays.
  if (name == "index_put_")
    return !op.flag("accumulate", false) &&
           llvm::all_of(op.tensor("values").sizes,
                        [](Expr size) { return size.isConstant(1); });
  return llvm::is_contained({"fill_", "zero_", "masked_fill_", "index_fill_"},
                            name);
}

/// The dimensions of the expanded tensor that the updated one has, which is it
/// or a slice of it.
static std::optional<SmallVector<int64_t>> getUpdatedDims(Lowering &op,
                                                          int64_t slot) {
  using Fn = Tensor (*)(Lowering &, const Tensor &, const Tensor &);
  auto dims = llvm::to_vector(
      llvm::seq<int64_t>(op.function.getSlot(slot).tensor.rank()));
  for (;; slot = op.function.getSlot(slot).base) {
    const TensorSlot &current = op.function.getSlot(slot);
    const Fn *fn = current.writeBack.target<Fn>();
    if (fn && *fn == unexpand)
      return dims;
    if (!current.dimsOfBase)
      return std::nullopt;
    for (int64_t &dim : dims)
      dim = (*current.dimsOfBase)[dim];
  }
}

/// Checks an update of a view that repeats its base along some dimensions.
static void checkRepeated(Lowering &op, ArrayRef<int64_t> repeated) {
  int64_t slot = op.slotOf("self");
  if (slot < 0 || mayWriteRepeated(op))
    return;
  std::optional<SmallVector<int64_t>> dims = getUpdatedDims(op, slot);
  if (!dims) {
    (void)op.error("an in-place update through a view of this kind is not "
                   "supported");
    return;
  }
  const Tensor &updated = op.function.getSlot(slot).tensor;
  Expr isEmpty = op.exprs.eq(op.numel(updated), op.literal(0));
  for (auto [dim, size] : llvm::zip(*dims, updated.sizes))
    if (llvm::is_contained(repeated, dim) && !size.isConstant(1))
      op.check(op.exprs.logicalOr(op.exprs.le(size, op.literal(1)), isEmpty),
               Twine(op.target) +
                   ": several elements of the updated tensor are "
                   "one in memory");
}

Tensor unexpand(Lowering &op, const Tensor &base, const Tensor &view) {
  if (ArrayRef<Expr>(base.sizes) == ArrayRef<Expr>(view.sizes))
    return view;
  int64_t offset = view.rank() - base.rank();
  Tensor source = base;
  Sizes kept;
  auto repeated = llvm::to_vector(llvm::seq<int64_t>(offset));
  SmallVector<AffineExpr> exprs;
  SmallVector<utils::IteratorType> iterators(view.rank(),
                                             utils::IteratorType::reduction);
  for (int64_t dim = 0; dim < base.rank(); ++dim) {
    Expr size = view.sizes[dim + offset];
    if (base.isOne(dim) && base.sizes[dim] != size) {
      source = op.withStaticSize(source, dim, 1);
      repeated.push_back(dim + offset);
      continue;
    }
    if (!base.sizes[dim].isConstant(1) && base.sizes[dim] != size &&
        op.state.facts.range(base.sizes[dim]).isAtMost(1)) {
      (void)op.error("an in-place update through a view of this kind is not "
                     "supported");
      return base;
    }
    iterators[dim + offset] = utils::IteratorType::parallel;
    exprs.push_back(op.b.getAffineDimExpr(dim + offset));
    kept.push_back(base.sizes[dim]);
  }
  checkRepeated(op, repeated);
  // Of the elements that are one of the base, that which it is not already.
  source = op.reshape(source, kept);
  auto map = AffineMap::get(unsigned(view.rank()), 0, exprs, op.b.getContext());
  SmallVector<AffineMap> maps{op.identityMap(view.rank()), map, map};
  auto generic = linalg::GenericOp::create(
      op.b, op.loc, TypeRange{source.value.getType()},
      ValueRange{view.value, source.value}, ValueRange{source.value}, maps,
      iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
        Scalars s(b, loc, view.dtype);
        Value isSame = s.compare(Compare::Eq, args[0], args[1]);
        if (s.isFloat())
          isSame = arith::OrIOp::create(
              b, loc, isSame,
              arith::AndIOp::create(b, loc, s.isNan(args[0]),
                                    s.isNan(args[1])));
        linalg::YieldOp::create(b, loc, s.select(isSame, args[2], args[0]));
      });
  Tensor result = op.make(generic.getResult(0), base.dtype, kept);
  result = op.reshape(result, base.sizes);
  return op.make(op.cast(result.value, base.type()), base.dtype, base.sizes);
}

void noteRepeats(Lowering &op, unsigned index) {
  if (op.hasFailed() || index >= op.numResults())
    return;
  auto it = op.scope.values.find(op.resultName(index));
  if (it != op.scope.values.end() && it->second.isTensor())
    op.function.getSlot(it->second.slot).repeatsBase = true;
}

static void resultExpanded(Lowering &op, Sizes given) {
  if (int64_t(given.size()) < op.tensor("self").rank()) {
    (void)op.error("the size has fewer dimensions than the tensor");
    return;
  }
  op.resultView(
      "self",
      [given](Lowering &op, const Tensor &in) {
        Sizes sizes = given;
        int64_t offset = int64_t(sizes.size()) - in.rank();
        for (int64_t dim = 0; dim < in.rank() && offset >= 0; ++dim) {
          Expr &size = sizes[dim + offset];
          if (size.isConstant(-1))
            size = in.sizes[dim];
          // PyTorch's sizes agree or are 1.
          bool isOne = in.isOne(dim) || in.mayBeOne(dim) ||
                       op.state.facts.range(in.sizes[dim]).isAtMost(1);
          if (!isOne && size != in.sizes[dim])
            op.checkEqual(size, in.sizes[dim],
                          Twine(op.target) + ": the sizes differ");
        }
        return op.expand(in, sizes);
      },
      unexpand);
  noteRepeats(op);
}

static void lowerExpand(Lowering &op) {
  resultExpanded(op, op.symInts("size"));
}
static void lowerExpandAs(Lowering &op) {
  resultExpanded(op, op.tensor("other").sizes);
}

Tensor alongDim(Lowering &op, const Tensor &in, int64_t rank, int64_t dim) {
  Sizes sizes(rank, op.literal(1));
  if (in.rank() != 1 || dim >= rank) {
    (void)op.error("an operand must be a vector");
    return op.fill(sizes, in.dtype, 0.0);
  }
  sizes[dim] = in.sizes[0];
  return op.reshape(in, sizes);
}

//===----------------------------------------------------------------------===//
// Memory seen in another way
//===----------------------------------------------------------------------===//

/// The bits of each element as another type of the same width.
static void lowerViewDtype(Lowering &op) {
  Dtype from = op.tensor("self").dtype, to = op.resultDtype();
  if (getByteWidth(from) != getByteWidth(to) || from == Dtype::Bool ||
      to == Dtype::Bool) {
    (void)op.error("only types of the same width are supported");
    return;
  }
  auto convertBits = [](Lowering &op, const Tensor &in, Dtype dtype) {
    return op.map({in}, in.dtype, dtype,
                  [&](Scalars &s, ArrayRef<Value> args) -> Value {
                    Type type = getElementType(dtype, s.b.getContext());
                    if (args[0].getType() == type)
                      return args[0];
                    return arith::BitcastOp::create(s.b, s.loc, type, args[0]);
                  });
  };
  op.resultView(
      "self",
      [=](Lowering &op, const Tensor &in) { return convertBits(op, in, to); },
      [=](Lowering &op, const Tensor &, const Tensor &view) {
        return convertBits(op, view, from);
      });
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

static void lowerAlias(Lowering &op) { op.resultAlias("self"); }

/// The tensor, in a shape, if its elements are next to each other; a copy of
/// it elsewhere. The sizes may make it contiguous.
static void
resultContiguous(Lowering &op, const Tensor &copy,
                 std::function<Tensor(Lowering &, const Tensor &)> view) {
  const TensorMeta *meta = op.argumentMeta("self");
  if (!meta || op.has("memory_format"))
    return op.result(copy);
  op.resultViewIf("self", getContiguity(op, *meta), copy, std::move(view),
                  reshapeBack);
}

static void lowerContiguous(Lowering &op) {
  if (isContiguousArgument(op, "self"))
    return op.resultAlias("self");
  resultContiguous(op, op.tensor("self"),
                   [](Lowering &, const Tensor &in) { return in; });
}

/// A vector of what `contiguous` gives, also where a reshape would be a view of
/// elements that are apart.
static void lowerRavel(Lowering &op) {
  auto getSizes = [](Lowering &op, const Tensor &in) {
    return Sizes{op.product(in.sizes)};
  };
  if (isContiguousArgument(op, "self"))
    return resultReshaped(op, "self", getSizes);
  auto ravel = [getSizes](Lowering &op, const Tensor &in) {
    return op.reshape(in, getSizes(op, in));
  };
  resultContiguous(op, ravel(op, op.tensor("self")), ravel);
}

static void lowerClone(Lowering &op) { op.result(op.tensor("self")); }

/// The elements are negated when they are read, and when they are written.
static void lowerNegatedView(Lowering &op) {
  auto negate = [](Lowering &op, const Tensor &in) {
    return op.map(
        {in}, in.dtype, in.dtype,
        [](Scalars &s, ArrayRef<Value> args) { return s.neg(args[0]); });
  };
  op.resultView("self", negate,
                [negate](Lowering &op, const Tensor &, const Tensor &view) {
                  return negate(op, view);
                });
}

static void addReshapes(LoweringTable &table) {
  table.add("aten.view.default", lowerView);
  table.add("aten._unsafe_view.default", lowerView);
  table.add("aten.reshape.default", lowerView);
  table.add("aten.view_as.default", lowerViewAs);
  table.add("aten.reshape_as.default", lowerReshapeAs);
  table.add("aten.flatten.using_ints", lowerFlatten);
  table.add("aten.ravel.default", lowerRavel);
  table.add("aten.unflatten.int", lowerUnflatten);
  table.add("aten.unsqueeze.default", lowerUnsqueeze);
  table.add("aten.squeeze.default", lowerSqueeze);
  table.add("aten.squeeze.dim", lowerSqueeze);
  table.add("aten.squeeze.dims", lowerSqueeze);
}

void addViews(LoweringTable &table) {
  addReshapes(table);
  table.add("aten.expand.default", lowerExpand);
  table.add("aten.broadcast_to.default", lowerExpand);
  table.add("aten.expand_as.default", lowerExpandAs);
  table.add("aten.view.dtype", lowerViewDtype);
  table.add("aten.alias.default", lowerAlias);
  table.add("aten.detach.default", lowerAlias);
  table.add("aten.lift.default", lowerAlias);
  // Those of complex numbers have lowerings of their own.
  for (StringRef name : {"real", "conj", "resolve_conj", "resolve_neg"})
    table.add(("aten." + name + ".default").str(), lowerAlias);
  table.add("aten.conj_physical.default", lowerClone);
  table.add("aten.detach_.default", lowerAlias);
  table.add("aten.lift_fresh.default", lowerAlias);
  table.add("aten.lift_fresh_copy.default", lowerClone);
  table.add("aten._neg_view.default", lowerNegatedView);
  table.add("aten.contiguous.default", lowerContiguous);
  table.add("aten.clone.default", lowerClone);
}

} // namespace tally::import_pt2
