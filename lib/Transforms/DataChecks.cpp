//===- DataChecks.cpp - Whether indices read from data are in bounds ------===//

#include "DataChecks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tally;

//===----------------------------------------------------------------------===//
// The bodies of tensor.generate and tensor.pad
//===----------------------------------------------------------------------===//

/// A size of the result of `around`, before it is there.
static Value buildExtent(OpBuilder &builder, Operation *around, unsigned dim) {
  Location loc = around->getLoc();
  auto type = cast<RankedTensorType>(around->getResult(0).getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantIndexOp::create(builder, loc, type.getDimSize(dim));
  if (auto generate = dyn_cast<tensor::GenerateOp>(around))
    return generate.getDynamicExtents()[type.getDynamicDimIndex(dim)];
  // That these do not wrap around is what the operation requires itself.
  auto pad = cast<tensor::PadOp>(around);
  Value size = tensor::DimOp::create(builder, loc, pad.getSource(), dim);
  for (OpFoldResult amount :
       {pad.getMixedLowPad()[dim], pad.getMixedHighPad()[dim]})
    size = arith::AddIOp::create(
        builder, loc, size,
        getValueOrCreateConstantIndexOp(builder, loc, amount),
        arith::IntegerOverflowFlags::nsw);
  return size;
}

/// An operand that is not read: it says how often the loops of a structured
/// operation run.
static Value buildSpace(OpBuilder &builder, Operation *around) {
  auto type = cast<RankedTensorType>(around->getResult(0).getType());
  SmallVector<Value> extents;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      extents.push_back(buildExtent(builder, around, dim));
  return tensor::EmptyOp::create(builder, around->getLoc(), type.getShape(),
                                 builder.getI1Type(), extents);
}

Value tally::buildForAll(OpBuilder &builder, Location loc, Value input,
                         BuildCondition condition) {
  unsigned rank = cast<RankedTensorType>(input.getType()).getRank();
  Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
  Value init = tensor::FromElementsOp::create(
      builder, loc, RankedTensorType::get({}, builder.getI1Type()),
      ValueRange{yes});
  SmallVector<AffineMap> maps{builder.getMultiDimIdentityMap(rank),
                              AffineMap::get(rank, 0, builder.getContext())};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  auto all = linalg::GenericOp::create(
      builder, loc, TypeRange{init.getType()}, ValueRange{input},
      ValueRange{init}, maps, iterators,
      [&](OpBuilder &body, Location, ValueRange arguments) {
        Value holds = condition(body, arguments[0]);
        linalg::YieldOp::create(
            body, loc,
            arith::AndIOp::create(body, loc, arguments[1], holds).getResult());
      });
  return tensor::ExtractOp::create(builder, loc, all.getResult(0),
                                   ValueRange{});
}

Value tally::buildAreBelow(OpBuilder &builder, Location loc, ValueRange indices,
                           ValueRange sizes) {
  Value all;
  for (auto [index, size] : llvm::zip_equal(indices, sizes)) {
    Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        index, size);
    all = all ? arith::AndIOp::create(builder, loc, all, below) : below;
  }
  // Where nothing is left out, a check may have no index.
  if (!all)
    all = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  return all;
}

Value tally::buildBodyBounds(OpBuilder &builder, Operation *around,
                             tensor::ExtractOp extract, ArrayRef<unsigned> dims,
                             ArrayRef<Operation *> slice) {
  Location loc = extract.getLoc();
  SmallVector<Value> sizes;
  for (unsigned dim : dims)
    sizes.push_back(
        tensor::DimOp::create(builder, loc, extract.getTensor(), dim));
  Value space = buildSpace(builder, around);
  return buildForAll(builder, loc, space, [&](OpBuilder &body, Value) {
    IRMapping mapping;
    for (auto [dim, index] :
         llvm::enumerate(extract->getBlock()->getArguments()))
      mapping.map(index, linalg::IndexOp::create(body, loc, dim).getResult());
    for (Operation *op : slice)
      body.clone(*op, mapping);
    SmallVector<Value> indices;
    for (unsigned dim : dims)
      indices.push_back(mapping.lookupOrDefault(extract.getIndices()[dim]));
    return buildAreBelow(body, loc, indices, sizes);
  });
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

static Value castToIndex(OpBuilder &builder, Location loc, Value integer) {
  Type index = builder.getIndexType();
  if (integer.getType().isIndex())
    return integer;
  if (integer.getType().isInteger(1)) // true is not -1
    return arith::IndexCastUIOp::create(builder, loc, index, integer);
  return arith::IndexCastOp::create(builder, loc, index, integer);
}

Value tally::buildCoordinateBounds(OpBuilder &builder, Location loc,
                                   Value tensor, Value coordinates,
                                   ArrayRef<int64_t> dims) {
  unsigned last = cast<RankedTensorType>(coordinates.getType()).getRank() - 1;
  SmallVector<Value> sizes;
  for (int64_t dim : dims)
    sizes.push_back(tensor::DimOp::create(builder, loc, tensor, dim));
  return buildForAll(
      builder, loc, coordinates, [&](OpBuilder &body, Value coordinate) {
        Value limit = sizes.front();
        // The last dimension tells which coordinate it is.
        for (unsigned i = 1; i < sizes.size(); ++i) {
          Value which = linalg::IndexOp::create(body, loc, last);
          Value number = arith::ConstantIndexOp::create(body, loc, i);
          Value isThis = arith::CmpIOp::create(
              body, loc, arith::CmpIPredicate::eq, which, number);
          limit = arith::SelectOp::create(body, loc, isThis, sizes[i], limit);
        }
        return buildAreBelow(body, loc, castToIndex(body, loc, coordinate),
                             limit);
      });
}

//===----------------------------------------------------------------------===//
// Computing the same twice
//===----------------------------------------------------------------------===//

namespace {
/// Compares what computes two values.
class Comparison {
public:
  explicit Comparison(SymbolicShapes &shapes) : shapes(shapes) {}

  bool areEqual(Value a, Value b);

private:
  bool isSameSize(Value a, Value b);

  SymbolicShapes &shapes;
  static constexpr unsigned kMaxDepth = 16;
  unsigned depth = 0;
  /// The values that correspond in the regions that are compared.
  llvm::DenseMap<Value, Value> counterparts;
};
} // namespace

/// Sizes of two tensors may be the same: 2 * x is as long as x.
bool Comparison::isSameSize(Value a, Value b) {
  auto getSize = [&](Value value) -> symbolic::Expr {
    auto dim = value.getDefiningOp<tensor::DimOp>();
    auto type = dim ? dyn_cast<RankedTensorType>(dim.getSource().getType())
                    : RankedTensorType();
    std::optional<int64_t> number =
        type ? dim.getConstantIndex() : std::nullopt;
    return number && *number < type.getRank()
               ? shapes.getDim(dim.getSource(), *number)
               : symbolic::Expr();
  };
  symbolic::Expr size = getSize(a);
  return size && size == getSize(b);
}

bool Comparison::areEqual(Value a, Value b) {
  if (a == b || counterparts.lookup(a) == b || isSameSize(a, b))
    return true;
  auto resultA = dyn_cast<OpResult>(a), resultB = dyn_cast<OpResult>(b);
  if (!resultA || !resultB || depth == kMaxDepth ||
      resultA.getResultNumber() != resultB.getResultNumber())
    return false;
  ++depth;
  bool equal = OperationEquivalence::isEquivalentTo(
      resultA.getOwner(), resultB.getOwner(),
      [&](Value x, Value y) { return success(areEqual(x, y)); },
      [&](Value x, Value y) { counterparts[x] = y; },
      OperationEquivalence::IgnoreLocations);
  --depth;
  return equal;
}

Value tally::reuseComputation(Value value, Operation *above,
                              SymbolicShapes &shapes) {
  Operation *last = value.getDefiningOp();
  Value found;
  for (Operation *op = above; op && !found; op = op->getPrevNode())
    if (op->getName() == last->getName() &&
        Comparison(shapes).areEqual(value, op->getResult(0)))
      found = op->getResult(0);
  if (!found)
    return value;
  while (last && last != above) {
    Operation *previous = last->getPrevNode();
    last->erase();
    last = previous;
  }
  return found;
}
