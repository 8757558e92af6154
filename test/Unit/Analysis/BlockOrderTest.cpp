//===- BlockOrderTest.cpp - Which operation comes first -------------------===//

#include "Analysis/BlockOrder.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using tally::BlockOrder;

namespace {

/// A block of operations of no dialect.
class BlockOrderTest : public ::testing::Test {
protected:
  BlockOrderTest() { context.allowUnregisteredDialects(); }

  /// Makes an operation behind another, or at the beginning of the block.
  Operation *insertBehind(Operation *other) {
    OpBuilder builder(&context);
    if (other)
      builder.setInsertionPointAfter(other);
    else
      builder.setInsertionPointToStart(&block);
    OperationState state(UnknownLoc::get(&context), "test.op");
    return builder.create(state);
  }

  /// Asks about all operations that are adjacent.
  void checkAdjacent() {
    for (Operation &op : block)
      if (Operation *next = op.getNextNode()) {
        ASSERT_TRUE(order.isBefore(&op, next));
        ASSERT_FALSE(order.isBefore(next, &op));
      }
  }

  MLIRContext context;
  Block block;
  BlockOrder order;
};

TEST_F(BlockOrderTest, KnowsWhatIsInsertedAnywhere) {
  std::mt19937 random(20261125);
  SmallVector<Operation *> ops = {insertBehind(nullptr)};
  for (unsigned i = 0; i != 300; ++i)
    ops.push_back(insertBehind(ops.back()));
  checkAdjacent();
  for (unsigned i = 0; i != 1000; ++i) {
    unsigned place = random() % (ops.size() + 1);
    Operation *behind = place == ops.size() ? nullptr : ops[place];
    Operation *made = insertBehind(behind);
    if (Operation *previous = made->getPrevNode())
      ASSERT_TRUE(order.isBefore(previous, made)) << "insertion " << i;
    if (Operation *next = made->getNextNode())
      ASSERT_TRUE(order.isBefore(made, next)) << "insertion " << i;
    ops.push_back(made);
  }
  checkAdjacent();
}

TEST_F(BlockOrderTest, StartsAnewWhereAllIsInsertedAtOnePoint) {
  Operation *first = insertBehind(nullptr), *last = insertBehind(first);
  ASSERT_TRUE(order.isBefore(first, last));
  for (unsigned i = 0; i != 200; ++i) {
    Operation *made = insertBehind(first);
    ASSERT_TRUE(order.isBefore(first, made)) << "insertion " << i;
    ASSERT_TRUE(order.isBefore(made, last)) << "insertion " << i;
  }
  checkAdjacent();
}

TEST_F(BlockOrderTest, ForgetsWhatIsErased) {
  Operation *first = insertBehind(nullptr), *last = insertBehind(first);
  ASSERT_TRUE(order.isBefore(first, last));
  order.forget(first);
  first->moveAfter(last);
  EXPECT_TRUE(order.isBefore(last, first));
}

} // namespace
