//===- Rows.cpp - Random rows and tables ----------------------------------===//
//
// What passes over a row more than once, and elements of a table at positions
// that are computed: such operations are fused into kernels of rows.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tally::fuzz;

/// Makes a linalg.generic over the elements of a tensor. Each operand goes with
/// the first of the loops, as many as it has dimensions; `init` also.
Item Generator::emitOverElements(
    ArrayRef<Item> operands, const Item &init, unsigned numLoops,
    function_ref<Leaf(ArrayRef<Leaf> operands, Value old)> makeElement) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  auto addMap = [&](const Item &item) {
    SmallVector<AffineExpr> loops;
    for (unsigned loop = 0; loop < item.getRank(); ++loop)
      loops.push_back(b.getAffineDimExpr(loop));
    maps.push_back(AffineMap::get(numLoops, 0, loops, context));
  };
  for (const Item &operand : operands) {
    inputs.push_back(operand.value);
    addMap(operand);
  }
  addMap(init);
  SmallVector<utils::IteratorType> kinds(numLoops,
                                         utils::IteratorType::parallel);
  for (unsigned loop = init.getRank(); loop < numLoops; ++loop)
    kinds[loop] = utils::IteratorType::reduction;
  bool inexact = false;
  auto op = linalg::GenericOp::create(
      b, init.value.getType(), inputs, init.value, maps, kinds,
      [&](OpBuilder &inner, Location, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(inner.getInsertionBlock(),
                            inner.getInsertionPoint());
        SmallVector<Leaf> leaves;
        for (auto [argument, operand] :
             llvm::zip_equal(arguments.drop_back(), operands))
          leaves.push_back({argument, operand.inexact});
        Leaf leaf = makeElement(leaves, arguments.back());
        inexact |= leaf.inexact;
        linalg::YieldOp::create(b, leaf.value);
      });
  return add(op.getResult(0), init.shape, inexact);
}

/// Something over the elements of rows with a value for each row, which is made
/// from these elements; sometimes once more, as in a softmax or a norm.
bool Generator::emitRows() {
  std::optional<Item> x = random.chance(40) ? makeLookup() : pickTensor();
  if (!x || x->getRank() == 0)
    return false;
  unsigned rank = x->getRank();
  Item elements = *x;
  for (unsigned i = random.chance(50) ? 2 : 1; i > 0; --i) {
    Type type = elements.getElementType();
    Item init = makeFilled(ArrayRef(elements.shape).drop_back(), type);
    Item row =
        emitOverElements(elements, init, rank, [&](auto leaves, Value old) {
          return combineForReduction(old, leaves[0]);
        });
    Item empty;
    empty.value = makeEmpty(elements.shape, type);
    empty.shape = elements.shape;
    elements =
        emitOverElements({elements, row}, empty, rank, [&](auto leaves, Value) {
          return makeScalar(type, leaves, 2);
        });
  }
  return true;
}

/// A position inside of a dimension of a table: that of the element itself, or
/// the remainder of anything.
Value Generator::makePosition(ArrayRef<Leaf> leaves, ArrayRef<Quantity> loops,
                              const Quantity &size, Value sizeValue) {
  for (auto [loop, count] : llvm::enumerate(loops))
    if (areEqual(count, size) && random.chance(60))
      return linalg::IndexOp::create(b, loop);
  Leaf leaf = makeScalar(b.getIndexType(), leaves, 1, /*exact=*/true);
  return arith::RemUIOp::create(b, leaf.value, sizeValue);
}

/// Elements of a table, or of a fill, at positions that are computed.
std::optional<Item> Generator::makeLookup() {
  auto isTable = [](const Item &item) {
    return item.getRank() >= 1 && item.getRank() <= 3 &&
           llvm::all_of(item.shape, [](const Quantity &size) {
             return size.getMin() >= 1;
           });
  };
  std::optional<Item> at = pickTensor(), table = pickTensor(isTable);
  if (!at || !table)
    return std::nullopt;
  if (random.chance(30)) {
    // A copy, as an element of a plain fill is folded at once.
    Item filled = makeFilled(table->shape, table->getElementType());
    Item copy;
    copy.value = makeEmpty(filled.shape, filled.getElementType());
    copy.shape = filled.shape;
    table = emitOverElements(filled, copy, filled.getRank(),
                             [](auto leaves, Value) { return leaves[0]; });
  }
  SmallVector<Value> sizes;
  for (const Quantity &size : table->shape)
    sizes.push_back(getValue(size));
  Type type = table->getElementType();
  Item empty;
  empty.value = makeEmpty(at->shape, type);
  empty.shape = at->shape;
  return emitOverElements(
      *at, empty, at->getRank(), [&](auto leaves, Value) -> Leaf {
        SmallVector<Leaf> exact;
        if (!at->inexact)
          exact.push_back(leaves[0]);
        SmallVector<Value> positions;
        for (auto [size, value] : llvm::zip_equal(table->shape, sizes))
          positions.push_back(makePosition(exact, at->shape, size, value));
        return {tensor::ExtractOp::create(b, table->value, positions),
                table->inexact};
      });
}

bool Generator::emitLookup() { return makeLookup().has_value(); }
