//===- TabulateColumns.cpp - What depends on the column alone -------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_TABULATECOLUMNS
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-tabulate-columns"

using namespace mlir;
using namespace tally::codegen;

/// A table is made for so many rows at least, of so many columns at most: the
/// second cache holds it. So many tables are looked up at most.
static constexpr int64_t kFewestRows = 4, kMostColumns = 16384;
static constexpr size_t kMostTables = 8;

namespace {

/// Schedules one operation.
class ColumnTabulation {
public:
  explicit ColumnTabulation(linalg::GenericOp op)
      : op(op), builder(op), loc(op.getLoc()), column(op.getNumLoops() - 1) {}

  /// Finds what is put into tables; returns whether there is something.
  bool find();
  void run();
  size_t getNumTables() const { return tabulated.size(); }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  bool isOfColumn(Value value) const {
    return ofColumn.contains(value.getDefiningOp());
  }
  bool dependsOnColumnAlone(Operation &inner);
  Value createChoice(Value &columns);
  linalg::GenericOp createTables(ArrayRef<Value> tables);
  linalg::GenericOp createLookups(ArrayRef<Value> tables);

  linalg::GenericOp op;
  OpBuilder builder;
  Location loc;
  /// The loop over columns.
  unsigned column;
  /// The operations of the body that depend on the column and nothing else, and
  /// those of them that are costly or use such.
  llvm::SetVector<Operation *> ofColumn;
  llvm::SmallPtrSet<Operation *, 16> costly;
  SmallVector<Value> tabulated;
};

} // namespace

//===----------------------------------------------------------------------===//
// What is tabulated
//===----------------------------------------------------------------------===//

/// Returns whether an operation takes much longer than to load what it gives.
/// Before AVX-512 no instruction converts vectors of 64-bit integers, and none
/// divides them.
static bool isCostly(Operation &op) {
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return op.getOperand(0).getType().getIntOrFloatBitWidth() == 64;
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return op.getResult(0).getType().getIntOrFloatBitWidth() == 64;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
          arith::RemFOp>(op))
    return true;
  return isa<math::MathDialect>(op.getDialect()) &&
         !isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
              math::FloorOp, math::FmaOp, math::RoundEvenOp, math::TruncOp>(op);
}

bool ColumnTabulation::dependsOnColumnAlone(Operation &inner) {
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    return index.getDim() == column;
  // Without a row, what follows from a column would not be computed at all.
  if (inner.getNumRegions() != 0 || inner.getNumResults() != 1 ||
      !isPure(&inner) || !inner.getResult(0).getType().isIntOrIndexOrFloat())
    return false;
  return llvm::any_of(inner.getOperands(),
                      [&](Value value) { return isOfColumn(value); }) &&
         llvm::all_of(inner.getOperands(), [&](Value value) {
           return isOfColumn(value) || value.getParentBlock() != op.getBody();
         });
}

bool ColumnTabulation::find() {
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (!dependsOnColumnAlone(inner))
      continue;
    ofColumn.insert(&inner);
    if (isCostly(inner) || llvm::any_of(inner.getOperands(), [&](Value value) {
          return costly.contains(value.getDefiningOp());
        }))
      costly.insert(&inner);
  }
  // What others use, and what is not computed in no time from what they use.
  llvm::SmallPtrSet<Operation *, 16> used;
  for (Operation *inner : ofColumn)
    if (costly.contains(inner) &&
        llvm::any_of(inner->getUsers(),
                     [&](Operation *user) { return !ofColumn.contains(user); }))
      used.insert(inner);
  for (Operation *inner : ofColumn) {
    if (!used.contains(inner))
      continue;
    bool isCheap = !isCostly(*inner) &&
                   llvm::all_of(inner->getOperands(), [&](Value value) {
                     Operation *def = value.getDefiningOp();
                     return !costly.contains(def) || used.contains(def);
                   });
    if (!isCheap)
      tabulated.push_back(inner->getResult(0));
  }
  return !tabulated.empty() && tabulated.size() <= kMostTables;
}

//===----------------------------------------------------------------------===//
// Tables and what looks them up
//===----------------------------------------------------------------------===//

/// Returns whether tables pay, and sets the number of columns.
Value ColumnTabulation::createChoice(Value &columns) {
  SmallVector<Range> ranges =
      cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(builder, loc);
  auto getSize = [&](unsigned loop) {
    return getValueOrCreateConstantIndexOp(builder, loc, ranges[loop].size);
  };
  columns = getSize(column);
  Value rows = constant(1);
  for (unsigned loop = 0; loop < column; ++loop)
    rows = builder.createOrFold<arith::MulIOp>(loc, rows, getSize(loop));
  Value areMany = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::sge, rows, constant(kFewestRows));
  Value fit = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::sle, columns, constant(kMostColumns));
  return builder.createOrFold<arith::AndIOp>(loc, areMany, fit);
}

linalg::GenericOp ColumnTabulation::createTables(ArrayRef<Value> tables) {
  SmallVector<AffineMap> maps(tables.size(), builder.getMultiDimIdentityMap(1));
  return linalg::GenericOp::create(
      builder, loc, /*inputs=*/ValueRange(), tables, maps,
      utils::IteratorType::parallel,
      [&](OpBuilder &builder, Location loc, ValueRange) {
        IRMapping map;
        for (Operation *inner : ofColumn)
          if (isa<linalg::IndexOp>(inner))
            map.map(inner->getResult(0),
                    linalg::IndexOp::create(builder, loc, 0).getResult());
          else
            builder.clone(*inner, map);
        linalg::YieldOp::create(
            builder, loc, llvm::map_to_vector(tabulated, [&](Value value) {
              return map.lookup(value);
            }));
      });
}

/// The operation, with an input for each table.
linalg::GenericOp ColumnTabulation::createLookups(ArrayRef<Value> tables) {
  SmallVector<Value> inputs = op.getInputs();
  inputs.append(tables.begin(), tables.end());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.insert(
      maps.begin() + op.getNumDpsInputs(), tables.size(),
      AffineMap::get(op.getNumLoops(), 0, builder.getAffineDimExpr(column)));
  auto lookups = linalg::GenericOp::create(
      builder, loc, inputs, op.getOutputs(), maps, op.getIteratorTypesArray());
  lookups->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  IRMapping map;
  op.getRegion().cloneInto(&lookups.getRegion(), map);
  Block *body = lookups.getBody();
  for (auto [index, value] : llvm::enumerate(tabulated)) {
    BlockArgument found = body->insertArgument(op.getNumDpsInputs() + index,
                                               value.getType(), value.getLoc());
    map.lookup(value).replaceAllUsesWith(found);
  }
  for (Operation *inner : llvm::reverse(ofColumn)) {
    Operation *copy = map.lookup(inner->getResult(0)).getDefiningOp();
    if (copy->use_empty())
      copy->erase();
  }
  return lookups;
}

void ColumnTabulation::run() {
  Value columns;
  Value pays = createChoice(columns);
  auto choice = scf::IfOp::create(builder, loc, pays, /*withElseRegion=*/true);
  op->moveBefore(choice.elseBlock()->getTerminator());
  builder.setInsertionPointToStart(choice.thenBlock());
  SmallVector<Value> tables;
  for (Value value : tabulated)
    tables.push_back(memref::AllocOp::create(
        builder, loc, MemRefType::get({ShapedType::kDynamic}, value.getType()),
        columns));
  createTables(tables);
  createLookups(tables);
  for (Value table : tables)
    memref::DeallocOp::create(builder, loc, table);
}

void tally::tabulateColumns(func::FuncOp function) {
  SmallVector<linalg::GenericOp> found;
  function.walk([&](linalg::GenericOp op) {
    if (op.hasPureBufferSemantics() && op.getNumLoops() >= 2 &&
        !op->getParentOfType<scf::ParallelOp>() &&
        !op->getParentOfType<scf::ForallOp>())
      found.push_back(op);
  });
  for (linalg::GenericOp op : found) {
    ColumnTabulation tabulation(op);
    if (!tabulation.find())
      continue;
    LDBG() << describeLastPart(op) << ": " << tabulation.getNumTables()
           << " tables of columns";
    tabulation.run();
  }
}

namespace {
struct TabulateColumnsPass
    : public tally::impl::TabulateColumnsBase<TabulateColumnsPass> {
  void runOnOperation() override { tally::tabulateColumns(getOperation()); }
};
} // namespace
