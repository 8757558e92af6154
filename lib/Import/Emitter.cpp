//===- Emitter.cpp - Sizes, elementwise computations, reductions ----------===//
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Value Emitter::index(int64_t value) {
  Value &cached = state.indexCache[value];
  if (!cached || !state.isVisible(cached))
    cached = arith::ConstantIndexOp::create(b, loc, value);
  return cached;
}

Value Emitter::size(Expr expr) {
  if (std::optional<int64_t> value =
          expr.isConstant() ? expr.getInt64() : std::nullopt)
    return index(*value);
  Value &cached = state.sizeCache[expr];
  if (!cached || !state.isVisible(cached))
    cached = SizeOp::create(b, loc, b.getIndexType(), state.getAttr(expr));
  return cached;
}

OpFoldResult Emitter::sizeOrLiteral(Expr expr) {
  if (std::optional<int64_t> value =
          expr.isConstant() ? expr.getInt64() : std::nullopt)
    return b.getIndexAttr(*value);
  return size(expr);
}

SmallVector<OpFoldResult> Emitter::sizesOrLiterals(ArrayRef<Expr> sizes) {
  return llvm::map_to_vector(sizes,
                             [&](Expr expr) { return sizeOrLiteral(expr); });
}

static bool isFloatLiteral(Expr expr) {
  return expr.getKind() == symbolic::ExprKind::FloatConstant;
}

Value Emitter::scalar(Expr expr, Dtype dtype) {
  if (expr.isBool()) {
    Value value =
        expr.isTrue() || expr.isFalse()
            ? Scalars(b, loc, Dtype::Bool).integer(expr.isTrue())
            : SizeOp::create(b, loc, b.getI1Type(), state.getAttr(expr));
    return Scalars(b, loc, Dtype::Bool).castTo(dtype, value);
  }
  if (expr.isFloat()) {
    if (isFloatLiteral(expr))
      return Scalars(b, loc, dtype).number(expr.getFloat());
    Value value = SizeOp::create(b, loc, b.getF64Type(), state.getAttr(expr));
    return Scalars(b, loc, Dtype::F64).castTo(dtype, value);
  }
  if (std::optional<int64_t> value =
          expr.isConstant() ? expr.getInt64() : std::nullopt)
    return Scalars(b, loc, dtype).integer(*value);
  Value value = arith::IndexCastOp::create(b, loc, b.getI64Type(), size(expr));
  return Scalars(b, loc, Dtype::I64).castTo(dtype, value);
}

Value Emitter::parameter(const Operand &number, Dtype dtype, Expr unless) {
  std::string message =
      (target + ": the value does not fit the type " + getDtypeName(int(dtype)))
          .str();
  auto checkExpr = [&](ArrayRef<Comparison> fits) {
    if (unless)
      check(exprs.logicalOr(unless, symbolic::getCondition(fits, exprs)),
            message);
    else
      check(fits, message);
  };
  Expr expr = number.expr;
  Scalars scalars(b, loc, number.dtype);
  Value value, inside;
  if (number.tensor) {
    value = element(*number.tensor);
    inside = scalars.fits(dtype, value);
  } else if (!expr) {
    value = number.scalar;
    inside = scalars.fits(dtype, value);
  } else if (isFloatLiteral(expr)) {
    if (!fits(expr.getFloat(), dtype))
      check(unless ? unless : exprs.falseExpr(), message);
    return scalar(expr, dtype);
  } else if (expr.isInt()) {
    if (auto bounds = getIntegerBounds(dtype))
      checkExpr({Comparison::le(literal(bounds->first), expr),
                 Comparison::le(expr, literal(bounds->second))});
    return scalar(expr, dtype);
  } else {
    value = scalar(expr, number.dtype);
    inside = scalars.fits(dtype, value);
  }
  if (inside && unless)
    inside = arith::OrIOp::create(b, loc, inside, scalar(unless, Dtype::Bool));
  if (inside)
    checkData(inside, message);
  return scalars.castTo(dtype, value);
}

RankedTensorType Emitter::tensorType(ArrayRef<Expr> sizes, Dtype dtype) {
  SmallVector<int64_t> shape;
  for (Expr size : sizes) {
    std::optional<int64_t> value =
        size.isConstant() ? size.getInt64() : std::nullopt;
    shape.push_back(value && *value >= 0 ? *value : ShapedType::kDynamic);
  }
  return RankedTensorType::get(shape,
                               getElementType(dtype, state.getContext()));
}

LogicalResult Emitter::error(const Twine &message) {
  if (!failed)
    emitError(loc) << target << ": " << message;
  failed = true;
  return failure();
}

bool Emitter::checkDim(const Tensor &tensor, int64_t dim) {
  if (dim < tensor.rank())
    return true;
  (void)error("a tensor of " + Twine(tensor.rank()) +
              " dimensions has no dimension " + Twine(dim));
  return false;
}

void Emitter::check(Expr condition, const Twine &message) {
  condition = state.simplify(condition);
  if (condition.isTrue())
    return;
  CheckOp::create(b, loc, state.getAttr(condition), b.getStringAttr(message));
  if (!condition.isFalse())
    state.facts.add(condition);
}

void Emitter::check(ArrayRef<Comparison> comparisons, const Twine &message) {
  SmallVector<Comparison> told;
  for (const Comparison &comparison : comparisons)
    if (!state.simplify(comparison.getCondition(exprs)).isTrue())
      told.push_back(comparison);
  auto simplified =
      symbolic::mapSides(told, [&](Expr side) { return state.simplify(side); });
  Expr condition = symbolic::getCondition(simplified, exprs);
  if (condition.isTrue())
    return;
  CheckOp::create(b, loc,
                  ExprAttr::get(b.getContext(), symbolic::toString(simplified)),
                  b.getStringAttr(message));
  if (!condition.isFalse())
    state.facts.add(state.simplify(condition));
}

void Emitter::checkData(Value ok, const Twine &message) {
  auto condition = ExprAttr::get(b.getContext(), "ok");
  auto op = CheckOp::create(b, loc, condition, ok, StringRef("ok"));
  op.setMessage(message.str());
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

bool isNothing(ArrayRef<Expr> sizes) {
  return llvm::any_of(sizes, [](Expr size) { return size.isConstant(0); });
}

Tensor Emitter::make(Value value, Dtype dtype, ArrayRef<Expr> sizes) {
  Tensor tensor;
  tensor.value = value;
  tensor.dtype = dtype;
  tensor.sizes.assign(sizes.begin(), sizes.end());
  return tensor;
}

Value Emitter::empty(ArrayRef<Expr> sizes, Dtype dtype) {
  RankedTensorType type = tensorType(sizes, dtype);
  SmallVector<Value> dynamic;
  for (auto [expr, dim] : llvm::zip(sizes, type.getShape()))
    if (ShapedType::isDynamic(dim))
      dynamic.push_back(size(expr));
  return tensor::EmptyOp::create(b, loc, type, dynamic);
}

Tensor Emitter::fill(ArrayRef<Expr> sizes, Dtype dtype, Value value) {
  Value filled =
      linalg::FillOp::create(b, loc, value, empty(sizes, dtype)).getResult(0);
  return make(filled, dtype, sizes);
}

Tensor Emitter::fill(ArrayRef<Expr> sizes, Dtype dtype, double value) {
  return fill(sizes, dtype, Scalars(b, loc, dtype).number(value));
}

Tensor Emitter::fromScalar(Value value, Dtype dtype) {
  Value tensor = tensor::FromElementsOp::create(b, loc, tensorType({}, dtype),
                                                ValueRange{value});
  return make(tensor, dtype, {});
}

Value Emitter::element(const Tensor &tensor) {
  SmallVector<Value> indices(tensor.rank());
  for (Value &i : indices)
    i = index(0);
  return tensor::ExtractOp::create(b, loc, tensor.value, indices);
}

Value Emitter::cast(Value value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(b, loc, type, value);
}

Tensor Emitter::convert(const Tensor &tensor, Dtype dtype) {
  if (tensor.dtype == dtype)
    return tensor;
  return map({tensor}, dtype, dtype,
             [](Scalars &, ArrayRef<Value> args) { return args[0]; });
}

Tensor Emitter::generate(ArrayRef<Expr> sizes, Dtype dtype,
                         function_ref<Value(Scalars &, ValueRange)> body) {
  Value init = empty(sizes, dtype);
  if (isNothing(sizes))
    return make(init, dtype, sizes);
  int64_t rank = int64_t(sizes.size());
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange{init.getType()}, ValueRange{}, ValueRange{init},
      ArrayRef<AffineMap>{identityMap(rank)}, parallel(rank),
      [&](OpBuilder &builder, Location loc, ValueRange) {
        SmallVector<Value> indices;
        for (int64_t i = 0; i < rank; ++i)
          indices.push_back(linalg::IndexOp::create(builder, loc, i));
        Scalars scalars(builder, loc, dtype);
        linalg::YieldOp::create(builder, loc, body(scalars, indices));
      });
  return make(generic.getResult(0), dtype, sizes);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Dtype getResultType(ArrayRef<Operand> operands) {
  ResultType type;
  for (const Operand &operand : operands) {
    if (operand.tensor)
      type.addTensor(operand.dtype, operand.tensor->rank() > 0);
    else
      type.addScalar(operand.dtype);
  }
  return type.get();
}

void roundTo(Dtype type, MutableArrayRef<Operand> operands,
             bool exceptScalars) {
  if (!isHalf(type))
    return;
  for (auto [position, operand] : llvm::enumerate(operands)) {
    auto isOne = [](Expr size) { return size.isConstant(1); };
    bool isScalar =
        !operand.tensor || llvm::all_of(operand.tensor->sizes, isOne);
    bool isExact = exceptScalars && isScalar && position > 0;
    if (operand.dtype != type && !operand.isRaw && !isExact)
      operand.rounded = type;
  }
}

Dtype promote(MutableArrayRef<Operand> operands, bool exceptScalars) {
  Dtype type = getResultType(operands);
  roundTo(type, operands, exceptScalars);
  return getComputeDtype(type);
}

Tensor Emitter::map(ArrayRef<Operand> operands, Dtype compute, Dtype result,
                    ElementFn body, std::optional<Sizes> given, Dtype stored) {
  if (stored == Dtype::Undefined)
    stored = result;
  Sizes sizes = given ? *given : broadcastSizes(operands);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<Value> numbers(operands.size());
  for (auto [operand, number] : llvm::zip(operands, numbers)) {
    if (operand.expr && operand.rounded != Dtype::Undefined)
      number = Scalars(b, loc, operand.rounded)
                   .castTo(compute, scalar(operand.expr, operand.rounded));
    else if (operand.expr)
      number = scalar(operand.expr, compute);
    if (!operand.tensor)
      continue;
    AffineMap map;
    inputs.push_back(broadcastOperand(*operand.tensor, sizes, map));
    maps.push_back(map);
  }
  int64_t rank = int64_t(sizes.size());
  maps.push_back(identityMap(rank));
  Value init = empty(sizes, stored);
  if (isNothing(sizes))
    return make(init, stored, sizes);
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange{init.getType()}, inputs, ValueRange{init}, maps,
      parallel(rank), [&](OpBuilder &builder, Location loc, ValueRange args) {
        SmallVector<Value> values;
        unsigned next = 0;
        for (auto [operand, number] : llvm::zip(operands, numbers)) {
          if (number) {
            values.push_back(number);
            continue;
          }
          Value value = operand.tensor ? args[next++] : operand.scalar;
          Scalars from(builder, loc, operand.dtype);
          if (operand.rounded != Dtype::Undefined) {
            value = from.castTo(operand.rounded, value);
            from.dtype = operand.rounded;
          }
          values.push_back(operand.isRaw ? value : from.castTo(compute, value));
        }
        Scalars scalars(builder, loc, compute);
        Value value = body(scalars, values);
        value = Scalars(builder, loc, result).castTo(stored, value);
        linalg::YieldOp::create(builder, loc, value);
      });
  return make(generic.getResult(0), stored, sizes);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Tensor Emitter::reduce(const Tensor &in, ArrayRef<int64_t> dims, Dtype dtype,
                       Value init, CombineFn combine) {
  SmallVector<bool> reduced(in.rank(), dims.empty());
  for (int64_t dim : dims)
    if (checkDim(in, dim))
      reduced[dim] = true;
  Sizes sizes;
  SmallVector<AffineExpr> outExprs;
  SmallVector<utils::IteratorType> iterators;
  for (int64_t dim = 0; dim < in.rank(); ++dim) {
    iterators.push_back(reduced[dim] ? utils::IteratorType::reduction
                                     : utils::IteratorType::parallel);
    if (reduced[dim])
      continue;
    sizes.push_back(in.sizes[dim]);
    outExprs.push_back(b.getAffineDimExpr(dim));
  }
  Tensor start = fill(sizes, dtype, init);
  auto outMap =
      AffineMap::get(unsigned(in.rank()), 0, outExprs, b.getContext());
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange{start.value.getType()}, ValueRange{in.value},
      ValueRange{start.value},
      ArrayRef<AffineMap>{identityMap(in.rank()), outMap}, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Value value = Scalars(builder, loc, in.dtype).castTo(dtype, args[0]);
        Scalars scalars(builder, loc, dtype);
        linalg::YieldOp::create(builder, loc, combine(scalars, value, args[1]));
      });
  return make(generic.getResult(0), dtype, sizes);
}

Value Emitter::all(const Tensor &in, ElementFn body) {
  Value start =
      fill({}, Dtype::Bool, Scalars(b, loc, Dtype::Bool).integer(1)).value;
  SmallVector<utils::IteratorType> iterators(in.rank(),
                                             utils::IteratorType::reduction);
  auto outMap = AffineMap::get(unsigned(in.rank()), 0, b.getContext());
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange{start.getType()}, ValueRange{in.value},
      ValueRange{start}, ArrayRef<AffineMap>{identityMap(in.rank()), outMap},
      iterators, [&](OpBuilder &builder, Location loc, ValueRange args) {
        Scalars scalars(builder, loc, in.dtype);
        Value element = args[0];
        Value holds = body(scalars, element);
        linalg::YieldOp::create(
            builder, loc,
            arith::AndIOp::create(builder, loc, holds, args[1]).getResult());
      });
  return element(make(generic.getResult(0), Dtype::Bool, {}));
}

Tensor Emitter::sum(const Tensor &in, ArrayRef<int64_t> dims, Dtype dtype) {
  // Adding one element after the other to one result loses what is small
  // beside it: PyTorch adds parts of a tensor up, which is as exact as this.
  bool isWhole = dims.empty() || int64_t(dims.size()) == in.rank();
  // Elements are rounded to the type first, as they are where it is not wider.
  if (dtype == Dtype::F32 && isWhole && in.rank() > 0)
    return convert(sum(convert(in, dtype), dims, Dtype::F64), dtype);
  Value zero = Scalars(b, loc, dtype).integer(0);
  return reduce(
      in, dims, dtype, zero,
      [](Scalars &s, Value element, Value acc) { return s.add(acc, element); });
}

Tensor Emitter::max(const Tensor &in, ArrayRef<int64_t> dims) {
  Value lowest = Scalars(b, loc, in.dtype).lowest();
  return reduce(
      in, dims, in.dtype, lowest,
      [](Scalars &s, Value element, Value acc) { return s.max(acc, element); });
}

Tensor Emitter::keepDims(const Tensor &reduced, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> sorted(dims);
  llvm::sort(sorted);
  Sizes sizes = reduced.sizes;
  for (int64_t dim : sorted) {
    if (dim > int64_t(sizes.size())) {
      (void)error("there is no dimension " + Twine(dim));
      return reduced;
    }
    sizes.insert(sizes.begin() + dim, literal(1));
  }
  return reshape(reduced, sizes);
}

Tensor Emitter::contract(const Tensor &lhs, AffineMap lhsMap, const Tensor &rhs,
                         AffineMap rhsMap, ArrayRef<Expr> sizes,
                         unsigned numLoops, Dtype dtype) {
  Tensor start = fill(sizes, dtype, 0.0);
  if (int64_t(lhsMap.getNumResults()) != lhs.rank() ||
      int64_t(rhsMap.getNumResults()) != rhs.rank()) {
    (void)error("the operands do not have the dimensions that are needed");
    return start;
  }
  SmallVector<utils::IteratorType> iterators = parallel(int64_t(sizes.size()));
  iterators.resize(numLoops, utils::IteratorType::reduction);
  AffineMap outMap = firstLoops(numLoops, unsigned(sizes.size()));
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange{start.value.getType()},
      ValueRange{lhs.value, rhs.value}, ValueRange{start.value},
      ArrayRef<AffineMap>{lhsMap, rhsMap, outMap}, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Value x = Scalars(builder, loc, lhs.dtype).castTo(dtype, args[0]);
        Value y = Scalars(builder, loc, rhs.dtype).castTo(dtype, args[1]);
        Scalars s(builder, loc, dtype);
        linalg::YieldOp::create(builder, loc, s.add(args[2], s.mul(x, y)));
      });
  return make(generic.getResult(0), dtype, sizes);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<Value> Emitter::loop(
    ArrayRef<Expr> sizes, ValueRange init,
    function_ref<SmallVector<Value>(OpBuilder &, ValueRange, ValueRange)>
        body) {
  if (sizes.empty())
    return body(b, {}, init);
  if (isNothing(sizes))
    return llvm::to_vector_of<Value>(init);
  SmallVector<Value> lower(sizes.size(), index(0));
  SmallVector<Value> step(sizes.size(), index(1));
  SmallVector<Value> upper;
  for (Expr expr : sizes)
    upper.push_back(size(expr));
  scf::LoopNest nest = scf::buildLoopNest(
      b, loc, lower, upper, step, init,
      [&](OpBuilder &builder, Location, ValueRange indices, ValueRange carry) {
        return body(builder, indices, carry);
      });
  return llvm::to_vector_of<Value>(nest.results);
}

} // namespace tally::import_pt2
