//===- Indexing.cpp - Elements at indices that are data -------------------===//
//
// That an index is in bounds is what the read requires, of every element that
// is computed. Where PyTorch wants it of indices that nothing is read at, it is
// checked before.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "../Symbols.h"

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Data-dependent sizes and values
//===----------------------------------------------------------------------===//

const SymInt *getRecordedSize(Lowering &op, unsigned dim, unsigned index) {
  const TensorMeta *meta = op.resultMeta(index);
  return meta && dim < meta->sizes.size() ? &meta->sizes[dim] : nullptr;
}

std::pair<Expr, BindingsAttr> declareNewSize(Lowering &op,
                                             const SymInt *recorded) {
  std::string name = op.getNewSymbol(recorded, op.node.name);
  Expr size = op.state.declareUnbacked(name, symbolic::SymbolType::Int, 0);
  MLIRContext *context = op.b.getContext();
  return {size,
          BindingsAttr::get(
              context, {BindingAttr::getSize(context, size.getName(), 0, 0)})};
}

Tensor buildNonzero(Lowering &op, const Tensor &in, const SymInt *recorded) {
  auto it = op.state.nonzeroCache.find(in.value);
  if (it != op.state.nonzeroCache.end())
    return it->second;
  auto [count, bindings] = declareNewSize(op, recorded);
  op.state.facts.add(op.exprs.le(count, op.numel(in)),
                     symbolic::Provenance::Proven);
  Sizes sizes{count, op.literal(in.rank())};
  Value value = NonzeroOp::create(
      op.b, op.loc, op.tensorType(sizes, Dtype::I64), in.value, bindings);
  Tensor result = op.make(value, Dtype::I64, sizes);
  op.state.nonzeroCache[in.value] = result;
  return result;
}

Expr buildItem(Lowering &op, const Tensor &in, const SymInt *recorded) {
  if (Expr known = op.state.itemCache.lookup(in.value))
    return known;
  Tensor source = in;
  for (int64_t dim = 0; dim < in.rank(); ++dim)
    source = op.withStaticSize(source, dim, 1);
  bool isBool = in.dtype == Dtype::Bool;
  symbolic::SymbolType type = isFloating(in.dtype) ? symbolic::SymbolType::Float
                                                   : symbolic::SymbolType::Int;
  if (!isBool)
    source = op.convert(source, isFloating(in.dtype) ? Dtype::F64 : Dtype::I64);
  std::string name;
  if (isBool && recorded)
    if (std::optional<StringRef> symbol = getBooleanSymbol(recorded->srepr))
      if (!op.state.lookup(*symbol))
        name = symbol->str();
  if (name.empty())
    name = op.getNewSymbol(recorded, op.node.name);
  std::optional<int64_t> lower, upper;
  if (isBool) {
    lower = 0;
    upper = 1;
  } else if (in.dtype == Dtype::U8) {
    lower = 0;
    upper = 255;
  }
  Expr symbol = op.state.declareUnbacked(name, type, lower, upper);
  MLIRContext *context = op.b.getContext();
  auto bindings = BindingsAttr::get(
      context, {BindingAttr::getValue(context, symbol.getName(), 0)});
  ItemOp::create(op.b, op.loc, source.type().getElementType(), source.value,
                 bindings);
  Expr result = isBool ? op.exprs.eq(symbol, op.literal(1)) : symbol;
  op.state.itemCache[in.value] = result;
  return result;
}

static void lowerNonzero(Lowering &op) {
  Tensor in = op.tensor("self");
  Tensor rows = buildNonzero(op, op.withDim(in), getRecordedSize(op, 0));
  // A tensor without dimensions has an index without numbers.
  if (in.rank() == 0)
    rows = op.slice(rows, 1, op.literal(0), op.literal(0));
  op.result(rows);
}

/// x.nonzero(as_tuple=True): a vector of indices for each dimension.
static void lowerNonzeroTuple(Lowering &op) {
  Tensor in = op.withDim(op.tensor(op.has("condition") ? "condition" : "self"));
  Tensor rows = buildNonzero(op, in, getRecordedSize(op, 0));
  for (unsigned i = 0; i < op.numResults(); ++i)
    op.result(op.squeeze(op.slice(rows, 1, op.literal(i), op.literal(1)), {1}),
              i);
}

static void lowerItem(Lowering &op) {
  Tensor in = op.tensor("self");
  const SymInt *recorded = nullptr;
  for (const auto *numbers :
       {&op.scope.graph.ints, &op.scope.graph.floats, &op.scope.graph.bools})
    if (auto it = numbers->find(op.resultName(0)); it != numbers->end())
      recorded = &it->second;
  op.result(buildItem(op, in, recorded));
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

namespace {
/// An index tensor and the size of what it indexes.
struct Index {
  Tensor tensor;
  Expr size;
};
} // namespace

Unexpanded findUnexpanded(Lowering &op, const Tensor &tensor) {
  Unexpanded result{tensor, {}};
  for (int64_t dim = 0; dim < tensor.rank(); ++dim)
    result.dims.push_back(dim);
  auto generic = tensor.value.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic->getNumResults() != 1 ||
      !llvm::hasSingleElement(*generic.getBody()) ||
      generic.getBody()->getTerminator()->getOperand(0) !=
          generic.getBody()->getArgument(0) ||
      !generic.getIndexingMapsArray().back().isIdentity())
    return result;
  Sizes sizes;
  SmallVector<std::optional<int64_t>> dims;
  for (AffineExpr expr : generic.getIndexingMapsArray().front().getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim && !isa<AffineConstantExpr>(expr))
      return result;
    dims.push_back(dim ? std::optional<int64_t>(dim.getPosition())
                       : std::nullopt);
    sizes.push_back(dim ? tensor.sizes[dim.getPosition()] : op.literal(1));
  }
  return {op.make(generic.getDpsInputs().front(), tensor.dtype, sizes), dims};
}

void checkInRange(Lowering &op, const Tensor &given, Expr size,
                  bool allowNegative, Expr unless) {
  // Elements that are there several times are checked once, if at all.
  auto [index, dims] = findUnexpanded(op, given);
  SmallVector<Expr> cases;
  if (unless)
    cases.push_back(unless);
  for (int64_t dim = 0; dim < given.rank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      cases.push_back(op.exprs.eq(given.sizes[dim], op.literal(0)));
  unless = op.state.simplify(op.exprs.logicalOr(cases));
  if (llvm::any_of(index.sizes, [](Expr s) { return s.isConstant(0); }))
    return;
  Value limit = op.scalar(size, Dtype::I64);
  Value first =
      op.scalar(allowNegative ? op.exprs.neg(size) : op.literal(0), Dtype::I64);
  Value ok = op.all(index, [&](Scalars &s, ArrayRef<Value> element) {
    Scalars wide(s.b, s.loc, Dtype::I64);
    Value x = element[0];
    if (!x.getType().isInteger(64))
      x = arith::ExtSIOp::create(s.b, s.loc, s.b.getI64Type(), x);
    return wide.bitAnd(wide.compare(Compare::Ge, x, first),
                       wide.compare(Compare::Lt, x, limit));
  });
  if (unless && !unless.isFalse())
    ok = arith::OrIOp::create(op.b, op.loc, ok, op.scalar(unless, Dtype::Bool));
  op.checkData(ok, Twine(op.target) + ": an index is out of range");
}

/// An index as an index value, wrapped if it is negative.
static Value toPosition(OpBuilder &b, Location loc, Value index, Value size,
                        bool allowNegative) {
  if (!index.getType().isInteger(64))
    index = arith::ExtSIOp::create(b, loc, b.getI64Type(), index);
  Value position = arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
  if (!allowNegative)
    return position;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value negative =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, position, zero);
  Value wrapped = arith::AddIOp::create(b, loc, position, size);
  return arith::SelectOp::create(b, loc, negative, wrapped, position);
}

/// A new tensor whose elements are computed from index tensors, which broadcast
/// over the dimensions from `offset` on.
static Tensor
generateAt(Lowering &op, Sizes sizes, Dtype dtype, ArrayRef<Index> indices,
           int64_t offset, int64_t indexRank,
           function_ref<Value(OpBuilder &, Location, ValueRange positions,
                              ValueRange indexValues)>
               body) {
  bool isScalar = sizes.empty();
  if (isScalar)
    sizes.push_back(op.literal(1));
  int64_t rank = int64_t(sizes.size());
  Value init = op.empty(sizes, dtype);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const Index &index : indices) {
    SmallVector<AffineExpr> results;
    Tensor tensor = index.tensor;
    int64_t first = offset + indexRank - tensor.rank();
    assert(first >= 0 && first + tensor.rank() <= rank &&
           "the callers give each index a place");
    for (int64_t dim = 0; dim < tensor.rank(); ++dim) {
      bool repeats = op.broadcastDim(tensor, dim, sizes[first + dim]);
      results.push_back(repeats ? op.b.getAffineConstantExpr(0)
                                : op.b.getAffineDimExpr(first + dim));
    }
    inputs.push_back(tensor.value);
    maps.push_back(
        AffineMap::get(unsigned(rank), 0, results, op.b.getContext()));
  }
  maps.push_back(op.identityMap(rank));
  auto generic = linalg::GenericOp::create(
      op.b, op.loc, TypeRange{init.getType()}, inputs, ValueRange{init}, maps,
      op.parallel(rank), [&](OpBuilder &b, Location loc, ValueRange args) {
        SmallVector<Value> positions;
        for (int64_t i = 0; i < rank; ++i)
          positions.push_back(linalg::IndexOp::create(b, loc, i));
        linalg::YieldOp::create(b, loc,
                                body(b, loc, positions, args.drop_back()));
      });
  Tensor result = op.make(generic.getResult(0), dtype, sizes);
  return isScalar ? op.reshape(result, {}) : result;
}

//===----------------------------------------------------------------------===//
// x[indices]
//===----------------------------------------------------------------------===//

/// Masks become the indices where they are true.
static SmallVector<std::optional<Tensor>>
expandMasks(Lowering &op, const Tensor &in,
            ArrayRef<std::optional<Tensor>> indices) {
  SmallVector<std::optional<Tensor>> result;
  for (const std::optional<Tensor> &index : indices) {
    if (!index || (index->dtype != Dtype::Bool && index->dtype != Dtype::U8)) {
      result.push_back(index);
      continue;
    }
    int64_t first = int64_t(result.size());
    if (index->rank() == 0 || first + index->rank() > in.rank()) {
      (void)op.error("a mask without dimensions, or with more than are left of "
                     "the tensor, is not supported");
      return {};
    }
    for (int64_t dim = 0; dim < index->rank(); ++dim)
      op.checkEqual(index->sizes[dim], in.sizes[first + dim],
                    Twine(op.target) + ": the mask has another size than the "
                                       "tensor");
    // The count is the first size of the result that the mask makes.
    const SymInt *recorded = getRecordedSize(op, unsigned(first));
    Tensor rows = buildNonzero(op, *index, recorded);
    for (int64_t dim = 0; dim < index->rank(); ++dim)
      result.push_back(
          op.squeeze(op.slice(rows, 1, op.literal(dim), op.literal(1)), {1}));
  }
  return result;
}

namespace {
/// Where the dimensions of `x[indices]` come from.
struct IndexPlan {
  SmallVector<Index> indices;
  /// For each dimension of x: which index, or -1 and the dimension of the
  /// result.
  SmallVector<int64_t> indexOf, resultDimOf;
  Sizes sizes;
  int64_t offset = 0, indexRank = 0;
};
} // namespace

/// Nothing is read where a dimension that is not indexed is empty; PyTorch
/// still wants a dimension that is indexed not to be.
static void checkIndexable(Lowering &op, const Tensor &in,
                           const IndexPlan &plan, ArrayRef<Expr> indexSizes) {
  Expr zero = op.literal(0);
  SmallVector<Expr> hasIndexed, hasOthers;
  for (auto [size, index] : llvm::zip(in.sizes, plan.indexOf))
    (index >= 0 ? hasIndexed : hasOthers).push_back(op.exprs.gt(size, zero));
  SmallVector<Expr> cases{op.exprs.logicalAnd(hasOthers),
                          op.exprs.logicalAnd(hasIndexed)};
  for (Expr size : indexSizes)
    cases.push_back(op.exprs.eq(size, zero));
  op.check(op.exprs.logicalOr(cases),
           Twine(op.target) + ": an index into an empty dimension");
}

static std::optional<IndexPlan>
planIndex(Lowering &op, const Tensor &in,
          ArrayRef<std::optional<Tensor>> given) {
  SmallVector<std::optional<Tensor>> expanded = expandMasks(op, in, given);
  if (op.hasFailed())
    return std::nullopt;
  expanded.resize(std::max<size_t>(expanded.size(), size_t(in.rank())));
  if (int64_t(expanded.size()) > in.rank()) {
    (void)op.error("there are more indices than dimensions");
    return std::nullopt;
  }
  IndexPlan plan;
  SmallVector<Operand> tensors;
  int64_t first = -1, last = -1;
  for (auto [dim, index] : llvm::enumerate(expanded)) {
    plan.indexOf.push_back(index ? int64_t(plan.indices.size()) : -1);
    if (!index)
      continue;
    if (first < 0)
      first = int64_t(dim);
    last = int64_t(dim);
    plan.indices.push_back({*index, in.sizes[dim]});
    tensors.push_back(*index);
  }
  if (plan.indices.empty()) {
    (void)op.error("there is no index");
    return std::nullopt;
  }
  Sizes indexSizes = op.broadcastSizes(tensors);
  checkIndexable(op, in, plan, indexSizes);
  plan.indexRank = int64_t(indexSizes.size());
  // Indices side by side stay where they are; otherwise they come first.
  bool adjacent = last - first + 1 == int64_t(plan.indices.size());
  plan.offset = adjacent ? first : 0;
  plan.resultDimOf.assign(in.rank(), -1);
  if (!adjacent)
    plan.sizes = indexSizes;
  for (int64_t dim = 0; dim < in.rank(); ++dim) {
    if (adjacent && dim == first)
      plan.sizes.append(indexSizes);
    if (plan.indexOf[dim] >= 0)
      continue;
    plan.resultDimOf[dim] = int64_t(plan.sizes.size());
    plan.sizes.push_back(in.sizes[dim]);
  }
  return plan;
}

/// The position in x of an element of x[indices].
static SmallVector<Value> getPositions(OpBuilder &b, Location loc,
                                       const IndexPlan &plan,
                                       ValueRange positions,
                                       ValueRange indexValues,
                                       ArrayRef<Value> sizes) {
  SmallVector<Value> at;
  for (auto [dim, index] : llvm::enumerate(plan.indexOf))
    at.push_back(index < 0 ? positions[plan.resultDimOf[dim]]
                           : toPosition(b, loc, indexValues[index],
                                        sizes[index], /*allowNegative=*/true));
  return at;
}

static SmallVector<Value> getIndexedSizes(Lowering &op, const IndexPlan &plan) {
  SmallVector<Value> sizes;
  for (const Index &index : plan.indices)
    sizes.push_back(op.size(index.size));
  return sizes;
}

Tensor buildIndex(Lowering &op, const Tensor &in,
                  ArrayRef<std::optional<Tensor>> given) {
  std::optional<IndexPlan> plan = planIndex(op, in, given);
  if (!plan)
    return in;
  SmallVector<Value> sizes = getIndexedSizes(op, *plan);
  return generateAt(
      op, plan->sizes, in.dtype, plan->indices, plan->offset, plan->indexRank,
      [&](OpBuilder &b, Location loc, ValueRange positions,
          ValueRange indexValues) -> Value {
        return tensor::ExtractOp::create(
            b, loc, in.value,
            getPositions(b, loc, *plan, positions, indexValues, sizes));
      });
}

static void lowerIndex(Lowering &op) {
  op.result(buildIndex(op, op.tensor("self"), op.optionalTensors("indices")));
}

/// Whether there is nothing to write though there may be indices: a dimension
/// that they do not have is empty.
static Expr hasNothingElse(Lowering &op, ArrayRef<Expr> sizes,
                           ArrayRef<Expr> ofIndex) {
  SmallVector<Expr> empty;
  for (Expr size : sizes)
    if (!llvm::is_contained(ofIndex, size))
      empty.push_back(op.exprs.eq(size, op.literal(0)));
  return op.state.simplify(op.exprs.logicalOr(empty));
}

/// x[indices] = values, element by element in order: the last one wins, or all
/// are added.
static void lowerIndexPut(Lowering &op) {
  Tensor self = op.tensor("self");
  Tensor values = op.convert(op.tensor("values"), self.dtype);
  bool accumulate = op.flag("accumulate", false);
  std::optional<IndexPlan> plan =
      planIndex(op, self, op.optionalTensors("indices"));
  if (!plan)
    return;
  SmallVector<Value> sizes = getIndexedSizes(op, *plan);
  Tensor wide = op.expand(values, plan->sizes);
  SmallVector<Tensor> indices;
  Sizes indexSizes(plan->sizes.begin() + plan->offset,
                   plan->sizes.begin() + plan->offset + plan->indexRank);
  for (const Index &index : plan->indices) {
    checkInRange(op, index.tensor, index.size, /*allowNegative=*/true,
                 hasNothingElse(op, plan->sizes, index.tensor.sizes));
    indices.push_back(op.expand(index.tensor, indexSizes));
  }
  SmallVector<Value> loop = op.loop(
      plan->sizes, self.value,
      [&](OpBuilder &b, ValueRange positions, ValueRange carry) {
        ValueRange indexPositions =
            positions.slice(plan->offset, plan->indexRank);
        SmallVector<Value> indexValues;
        for (const Tensor &index : indices)
          indexValues.push_back(tensor::ExtractOp::create(
              b, op.loc, index.value, indexPositions));
        SmallVector<Value> at =
            getPositions(b, op.loc, *plan, positions, indexValues, sizes);
        Value value =
            tensor::ExtractOp::create(b, op.loc, wide.value, positions);
        if (accumulate) {
          Value old = tensor::ExtractOp::create(b, op.loc, carry[0], at);
          value = Scalars(b, op.loc, self.dtype).add(old, value);
        }
        return SmallVector<Value>{
            tensor::InsertOp::create(b, op.loc, value, carry[0], at)};
      });
  op.result(op.make(loop[0], self.dtype, self.sizes));
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

static void lowerGather(Lowering &op) {
  Tensor in = op.withDim(op.tensor("self"));
  Tensor given = op.tensor("index"), index = op.withDim(given);
  int64_t dim = op.dim("dim", in.rank());
  // PyTorch takes an index without elements as it is.
  if (isNothing(given.sizes)) {
    op.result(op.make(op.empty(given.sizes, in.dtype), in.dtype, given.sizes));
    return;
  }
  if (index.rank() != in.rank()) {
    (void)op.error("the index differs in its number of dimensions");
    return;
  }
  for (int64_t i = 0; i < in.rank(); ++i)
    if (i != dim)
      op.check(Comparison::le(index.sizes[i], in.sizes[i]),
               Twine(op.target) + ": the index is larger than the tensor");
  Tensor result = generateAt(
      op, index.sizes, in.dtype, {{index, in.sizes[dim]}}, 0, index.rank(),
      [&](OpBuilder &b, Location loc, ValueRange positions,
          ValueRange values) -> Value {
        SmallVector<Value> at(positions);
        at[dim] = toPosition(b, loc, values[0], {}, false);
        return tensor::ExtractOp::create(b, loc, in.value, at);
      });
  op.result(op.reshape(result, given.sizes));
}

static void lowerIndexSelect(Lowering &op) {
  Tensor self = op.tensor("self"), in = op.withDim(self);
  Tensor index = op.convert(op.withDim(op.tensor("index")), Dtype::I64);
  int64_t dim = op.dim("dim", in.rank());
  if (index.rank() != 1) {
    (void)op.error("the index must be a vector");
    return;
  }
  Sizes sizes = in.sizes;
  sizes[dim] = index.sizes[0];
  checkInRange(op, index, in.sizes[dim]);
  Tensor result =
      generateAt(op, sizes, in.dtype, {{index, in.sizes[dim]}}, dim, 1,
                 [&](OpBuilder &b, Location loc, ValueRange positions,
                     ValueRange values) -> Value {
                   SmallVector<Value> at(positions);
                   at[dim] = toPosition(b, loc, values[0], {}, false);
                   return tensor::ExtractOp::create(b, loc, in.value, at);
                 });
  op.result(self.rank() == 0 ? op.reshape(result, {}) : result);
}

static void lowerEmbedding(Lowering &op) {
  Tensor weight = op.tensor("weight");
  Tensor index = op.convert(op.tensor("indices"), Dtype::I64);
  if (weight.rank() != 2) {
    (void)op.error("the weight must be a matrix");
    return;
  }
  Sizes sizes = index.sizes;
  sizes.push_back(weight.sizes[1]);
  checkInRange(op, index, weight.sizes[0]);
  op.result(generateAt(
      op, sizes, weight.dtype, {{index, weight.sizes[0]}}, 0, index.rank(),
      [&](OpBuilder &b, Location loc, ValueRange positions,
          ValueRange values) -> Value {
        SmallVector<Value> at{toPosition(b, loc, values[0], {}, false),
                              positions.back()};
        return tensor::ExtractOp::create(b, loc, weight.value, at);
      }));
}

static void lowerTake(Lowering &op) {
  Tensor in = op.flatten(op.tensor("self"));
  op.result(buildIndex(op, in, {op.tensor("index")}));
}

static void lowerMaskedSelect(Lowering &op) {
  Tensor self = op.tensor("self"), mask = op.tensor("mask");
  Sizes sizes = op.broadcastAtRunTime(self, mask);
  Tensor wide = op.expand(self, sizes), wideMask = op.expand(mask, sizes);
  auto [size, bindings] = declareNewSize(op, getRecordedSize(op, 0));
  op.state.facts.add(op.exprs.le(size, op.numel(wide)),
                     symbolic::Provenance::Proven);
  auto selected = MaskedSelectOp::create(op.b, op.loc, wide.value,
                                         wideMask.value, bindings);
  op.result(op.make(selected.getResult(), self.dtype, {size}));
}

static void lowerTakeAlongDim(Lowering &op) {
  Tensor in = op.tensor("self", op.has("dim") ? 1 : 0);
  Tensor index = op.tensor("indices");
  if (!op.has("dim"))
    return op.result(buildIndex(op, op.flatten(in), {op.flatten(index)}));
  int64_t dim = op.dim("dim", in.rank());
  if (in.rank() != index.rank()) {
    (void)op.error("the indices differ in their number of dimensions");
    return;
  }
  // Indices go around.
  Operand size(op.scalar(in.sizes[dim], Dtype::I64), Dtype::I64);
  index = op.map({index, size}, Dtype::I64, Dtype::I64,
                 [](Scalars &s, ArrayRef<Value> args) {
                   return s.remainder(args[0], s.max(args[1], s.integer(1)));
                 });
  // All other dimensions broadcast.
  Tensor a = in, c = index;
  a.sizes[dim] = c.sizes[dim] = op.literal(1);
  Sizes sizes = op.broadcastSizes({Operand(a), Operand(c)});
  Sizes inSizes = sizes, indexSizes = sizes;
  inSizes[dim] = in.sizes[dim];
  indexSizes[dim] = index.sizes[dim];
  Tensor wide = op.expand(in, inSizes);
  Tensor wideIndex = op.expand(index, indexSizes);
  op.result(generateAt(
      op, indexSizes, in.dtype, {{wideIndex, in.sizes[dim]}}, 0, in.rank(),
      [&](OpBuilder &b, Location loc, ValueRange positions,
          ValueRange values) -> Value {
        SmallVector<Value> at(positions);
        at[dim] = toPosition(b, loc, values[0], {}, false);
        return tensor::ExtractOp::create(b, loc, wide.value, at);
      }));
}

void addIndexing(LoweringTable &table) {
  table.add("aten.nonzero.default", lowerNonzero);
  table.add("aten.nonzero_numpy.default", lowerNonzeroTuple);
  table.add("aten.argwhere.default", lowerNonzero);
  table.add("aten.where.default", lowerNonzeroTuple);
  table.add("aten.item.default", lowerItem);
  table.add("aten._local_scalar_dense.default", lowerItem);
  table.add("aten.index.Tensor", lowerIndex);
  table.add("aten._unsafe_index.Tensor", lowerIndex);
  table.add("aten.index_put.default", lowerIndexPut);
  table.add("aten._unsafe_index_put.default", lowerIndexPut);
  table.add("aten.gather.default", lowerGather);
  table.add("aten.index_select.default", lowerIndexSelect);
  table.add("aten.embedding.default", lowerEmbedding);
  table.add("aten.take.default", lowerTake);
  table.add("aten.take_along_dim.default", lowerTakeAlongDim);
  table.add("aten.masked_select.default", lowerMaskedSelect);
}

} // namespace tally::import_pt2
