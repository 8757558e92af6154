//===- SplitReductions.cpp - Reductions of many elements ------------------===//
//
// See the description of the pass in ReductionPasses.td.
//
//===----------------------------------------------------------------------===//

#include "Combiners.h"
#include "Common/Fusion.h"
#include "Common/Utils.h"
#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-split-reductions"

using namespace mlir;
using namespace tally::codegen;

/// The elements that a part has, and those of f32 that are summed up before the
/// sum is added to one of f64: a vector of several accumulators adds few of
/// them one after the other.
static constexpr int64_t kPart = 4096, kBlock = 512;

/// Rows of at least so many elements are divided into parts of so many where
/// there are at most so many rows; else each is a part of the work. A thread
/// sums up 4096 elements in 140 ns, so what each part costs beside shows.
static constexpr int64_t kLongRow = 524288, kRowPart = 131072, kFewRows = 32;

namespace {

/// How an operation is reduced in parts.
struct Reduction : Combiner {
  /// The leading loops that are not reduced.
  unsigned numRowLoops;
  /// In a sum of f64 the conversion of an element of f32, if it is one, and
  /// what becomes of the sum has no more bits than one of f32.
  arith::ExtFOp widening;
};

/// Schedules one operation.
class ReductionEmitter {
public:
  ReductionEmitter(linalg::GenericOp op, Reduction combiner)
      : op(op), combiner(combiner), builder(op), loc(op.getLoc()) {}

  void run();
  void runRows();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value createSize(unsigned firstLoop, unsigned endLoop);
  void flattenInputs(Value total);
  Value createElement(Value at, Value accumulator);
  Value createLoop(Value begin, Value end, int64_t step, TypedAttr start,
                   llvm::function_ref<Value(Value, Value)> body);
  Value createPart(Value begin, Value end);
  void createExtremum(Value begin, Value end, Value results, Value part);
  void createParts(Value parts, Value length, Value results);
  Value createJoin(Value first, Value parts, Value results, Value start);

  linalg::GenericOp op;
  Reduction combiner;
  OpBuilder builder;
  Location loc;
  /// Each input as a row of elements, or as the number that it is.
  SmallVector<Value> inputs;
  /// The number of rows; null if all is reduced to one number.
  Value rows;
  int64_t partSize = kPart;
};

} // namespace

/// The number of points of some loops.
Value ReductionEmitter::createSize(unsigned firstLoop, unsigned endLoop) {
  Value total = firstLoop == endLoop ? constant(1) : Value();
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto type = dyn_cast<MemRefType>(input->get().getType());
    if (!type || type.getRank() == 0)
      continue;
    for (unsigned dim = firstLoop; dim < endLoop; ++dim) {
      Value size = builder.createOrFold<memref::DimOp>(loc, input->get(), dim);
      total = total ? arith::MulIOp::create(builder, loc, total, size) : size;
    }
    break;
  }
  return total;
}

void ReductionEmitter::flattenInputs(Value total) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value value = input->get();
    if (auto type = dyn_cast<MemRefType>(value.getType())) {
      if (type.getRank() == 0)
        value = memref::LoadOp::create(builder, loc, value);
      else
        value = memref::ReinterpretCastOp::create(
            builder, loc,
            MemRefType::get({ShapedType::kDynamic}, type.getElementType()),
            value, OpFoldResult(builder.getIndexAttr(0)), OpFoldResult(total),
            OpFoldResult(builder.getIndexAttr(1)));
    }
    inputs.push_back(value);
  }
}

/// Adds an element to what has been accumulated, in f64 or, before it is
/// widened, in f32.
Value ReductionEmitter::createElement(Value at, Value accumulator) {
  IRMapping map;
  for (auto [operand, input] :
       llvm::zip_equal(op.getDpsInputOperands(), inputs)) {
    BlockArgument argument = op.getMatchingBlockArgument(operand);
    Value value = input;
    if (isa<MemRefType>(value.getType())) {
      if (argument.use_empty())
        continue;
      value = memref::LoadOp::create(builder, loc, value, at);
    }
    map.map(argument, value);
  }
  map.map(op.getRegionOutputArgs()[0], accumulator);
  for (Operation &inner : op.getBody()->without_terminator())
    if (!combiner.widening ||
        (&inner != combiner.op && &inner != combiner.widening))
      builder.clone(inner, map);
  if (!combiner.widening)
    return map.lookup(combiner.op->getResult(0));
  auto sum = cast<arith::AddFOp>(combiner.op);
  return arith::AddFOp::create(builder, loc, accumulator,
                               map.lookupOrDefault(combiner.widening.getIn()),
                               sum.getFastmath());
}

/// A loop that carries one number.
Value ReductionEmitter::createLoop(
    Value begin, Value end, int64_t step, TypedAttr start,
    llvm::function_ref<Value(Value, Value)> body) {
  Value initial = arith::ConstantOp::create(builder, loc, start);
  auto loop =
      scf::ForOp::create(builder, loc, begin, end, constant(step), initial);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value next = body(loop.getInductionVar(), loop.getRegionIterArgs()[0]);
  scf::YieldOp::create(builder, loc, next);
  return loop.getResult(0);
}

/// Reduces the elements of a part.
Value ReductionEmitter::createPart(Value begin, Value end) {
  auto element = [&](Value at, Value sum) { return createElement(at, sum); };
  if (!combiner.widening)
    return createLoop(begin, end, 1, combiner.neutral, element);
  return createLoop(
      begin, end, kBlock, combiner.neutral, [&](Value at, Value sum) {
        Value next = arith::AddIOp::create(builder, loc, at, constant(kBlock));
        next = arith::MinSIOp::create(builder, loc, next, end);
        Value block =
            createLoop(at, next, 1, builder.getF32FloatAttr(0), element);
        block = arith::ExtFOp::create(builder, loc, sum.getType(), block);
        return arith::AddFOp::create(builder, loc, sum, block).getResult();
      });
}

/// Leaves the largest or the smallest element of a part to an operation that
/// `tally-carry-reductions` has vectors for.
void ReductionEmitter::createExtremum(Value begin, Value end, Value results,
                                      Value part) {
  Value neutral = arith::ConstantOp::create(builder, loc, combiner.neutral);
  memref::StoreOp::create(builder, loc, neutral, results, part);
  OpFoldResult one = builder.getIndexAttr(1);
  auto type = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      {}, cast<MemRefType>(results.getType()), {OpFoldResult(part)}, {one},
      {one}));
  Value result = memref::SubViewOp::create(builder, loc, type, results,
                                           {OpFoldResult(part)}, {one}, {one});
  OpFoldResult size =
      arith::SubIOp::create(builder, loc, end, begin).getResult();
  MLIRContext *context = builder.getContext();
  SmallVector<Value> parts;
  SmallVector<AffineMap> maps;
  for (Value input : inputs) {
    bool isRow = isa<MemRefType>(input.getType());
    parts.push_back(isRow ? memref::SubViewOp::create(builder, loc, input,
                                                      {OpFoldResult(begin)},
                                                      {size}, {one})
                          : input);
    maps.push_back(isRow ? AffineMap::getMultiDimIdentityMap(1, context)
                         : AffineMap::get(1, 0, context));
  }
  maps.push_back(AffineMap::get(1, 0, context));
  auto reduction = linalg::GenericOp::create(
      builder, loc, parts, ValueRange{result}, maps,
      {utils::IteratorType::reduction}, /*bodyBuild=*/nullptr);
  IRMapping map;
  op.getRegion().cloneInto(&reduction.getRegion(), map);
}

/// Reduces the parts of a row, or of several ones.
void ReductionEmitter::createParts(Value parts, Value length, Value results) {
  OpBuilder::InsertionGuard guard(builder);
  Value zero = constant(0), one = constant(1), size = constant(partSize);
  Value all = parts;
  if (rows)
    all = arith::MulIOp::create(builder, loc, rows, parts);
  auto parallel = scf::ParallelOp::create(builder, loc, zero, all, one);
  parallel->setAttr(tally::attr_names::kPoints, builder.getIndexAttr(partSize));
  builder.setInsertionPointToStart(parallel.getBody());
  Value part = parallel.getInductionVars()[0], ofRow = part, start;
  if (rows) {
    Value row = arith::DivUIOp::create(builder, loc, part, parts);
    ofRow = arith::RemUIOp::create(builder, loc, part, parts);
    start = arith::MulIOp::create(builder, loc, row, length);
  }
  Value begin = arith::MulIOp::create(builder, loc, ofRow, size);
  Value end = arith::AddIOp::create(builder, loc, begin, size);
  end = arith::MinSIOp::create(builder, loc, end, length);
  if (rows) {
    begin = arith::AddIOp::create(builder, loc, begin, start);
    end = arith::AddIOp::create(builder, loc, end, start);
  }
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(combiner.op))
    return createExtremum(begin, end, results, part);
  memref::StoreOp::create(builder, loc, createPart(begin, end), results, part);
}

/// Adds parts, from the first one on, to what the result holds.
Value ReductionEmitter::createJoin(Value first, Value parts, Value results,
                                   Value start) {
  auto loop = scf::ForOp::create(
      builder, loc, constant(0), parts, constant(1), start,
      [&](OpBuilder &inner, Location, Value part, ValueRange carried) {
        if (first)
          part = arith::AddIOp::create(inner, loc, first, part);
        Value value = memref::LoadOp::create(inner, loc, results, part);
        Operation *join = inner.clone(*combiner.op);
        bool isFirst =
            combiner.op->getOperand(0) == op.getRegionOutputArgs()[0];
        join->setOperands(isFirst ? ValueRange{carried[0], value}
                                  : ValueRange{value, carried[0]});
        scf::YieldOp::create(inner, loc, join->getResult(0));
      });
  return loop.getResult(0);
}

/// Chooses between rows as they are and rows in parts.
void ReductionEmitter::runRows() {
  unsigned rowLoops = combiner.numRowLoops;
  partSize = kRowPart;
  rows = createSize(0, rowLoops);
  Value length = createSize(rowLoops, op.getNumLoops());
  Value isLong = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                       length, constant(kLongRow));
  Value areFew = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                       rows, constant(kFewRows));
  auto choice = scf::IfOp::create(
      builder, loc, arith::AndIOp::create(builder, loc, isLong, areFew),
      /*withElseRegion=*/true);
  op->moveBefore(choice.elseBlock()->getTerminator());
  builder.setInsertionPointToStart(choice.thenBlock());
  flattenInputs(arith::MulIOp::create(builder, loc, rows, length));
  Value parts =
      arith::CeilDivSIOp::create(builder, loc, length, constant(partSize));
  auto type =
      MemRefType::get({ShapedType::kDynamic}, combiner.neutral.getType());
  Value results = memref::AllocOp::create(
      builder, loc, type,
      ValueRange{arith::MulIOp::create(builder, loc, rows, parts)});
  createParts(parts, length, results);
  Value output = memref::ReinterpretCastOp::create(
      builder, loc, type, op.getDpsInitOperand(0)->get(),
      OpFoldResult(builder.getIndexAttr(0)), OpFoldResult(rows),
      OpFoldResult(builder.getIndexAttr(1)));
  auto loop = scf::ForOp::create(builder, loc, constant(0), rows, constant(1));
  memref::DeallocOp::create(builder, loc, results);
  builder.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  Value start = memref::LoadOp::create(builder, loc, output, row);
  Value first = arith::MulIOp::create(builder, loc, row, parts);
  memref::StoreOp::create(
      builder, loc, createJoin(first, parts, results, start), output, row);
}

void ReductionEmitter::run() {
  if (combiner.numRowLoops)
    return runRows();
  Value total = createSize(0, op.getNumLoops());
  flattenInputs(total);
  Value parts =
      arith::CeilDivSIOp::create(builder, loc, total, constant(kPart));
  auto type =
      MemRefType::get({ShapedType::kDynamic}, combiner.neutral.getType());
  Value results = memref::AllocOp::create(builder, loc, type, parts);
  createParts(parts, total, results);
  Value output = op.getDpsInitOperand(0)->get();
  Value start = memref::LoadOp::create(builder, loc, output);
  memref::StoreOp::create(builder, loc,
                          createJoin(Value(), parts, results, start), output);
  memref::DeallocOp::create(builder, loc, results);
  op.erase();
}

/// Returns true if nothing depends on more bits of a value of f64 than f32 has.
static bool isRounded(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    if (isa<arith::TruncFOp>(user))
      return !user->getResult(0).getType().isF64();
    return isa<arith::MulFOp, arith::DivFOp>(user) &&
           isRounded(user->getResult(0));
  });
}

/// Returns true if what `op` leaves in a buffer of its own is only read to be
/// rounded.
static bool isOutputRounded(linalg::GenericOp op) {
  Value buffer = op.getDpsInitOperand(0)->get();
  if (!buffer.getDefiningOp<memref::AllocOp>())
    return false;
  return llvm::all_of(buffer.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto load = dyn_cast<memref::LoadOp>(user))
      return isRounded(load.getResult());
    auto other = dyn_cast<linalg::LinalgOp>(user);
    if (!other)
      return isa<memref::DeallocOp>(user);
    return user == op.getOperation() ||
           isRounded(other.getMatchingBlockArgument(&use));
  });
}

/// Returns how elements are joined.
static std::optional<Reduction> findPlainReduction(linalg::GenericOp op) {
  std::optional<Combiner> combiner = findCombiner(op);
  if (!combiner)
    return std::nullopt;
  arith::ExtFOp widening;
  if (isa<arith::AddFOp>(combiner->op) && combiner->neutral.getType().isF64() &&
      isOutputRounded(op))
    for (Value operand : combiner->op->getOperands())
      if (auto extend = operand.getDefiningOp<arith::ExtFOp>())
        if (extend.getIn().getType().isF32() && extend->hasOneUse() &&
            extend->getBlock() == op.getBody())
          widening = extend;
  return Reduction{*combiner, /*numRowLoops=*/0, widening};
}

/// The number of leading loops that are not reduced, if all that follow are and
/// the output runs over these loops, in the order of memory. None if the sizes
/// tell that rows are not few and long.
static std::optional<unsigned> findRowLoops(linalg::GenericOp op) {
  unsigned loops = op.getNumLoops();
  unsigned rowLoops = op.getNumParallelLoops();
  OpOperand *init = op.getDpsInitOperand(0);
  auto type = dyn_cast<MemRefType>(init->get().getType());
  if (rowLoops == 0)
    return 0;
  if (rowLoops == loops || !type || !type.getLayout().isIdentity() ||
      op.getMatchingIndexingMap(init) !=
          AffineMap::getMultiDimIdentityMap(loops, op.getContext())
              .getMajorSubMap(rowLoops))
    return std::nullopt;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto getSize = [](ArrayRef<int64_t> sizes) {
    return ShapedType::isDynamicShape(sizes)
               ? ShapedType::kDynamic
               : ShapedType::getNumElements(sizes);
  };
  int64_t rows = getSize(ArrayRef(ranges).take_front(rowLoops));
  int64_t length = getSize(ArrayRef(ranges).drop_front(rowLoops));
  if ((ShapedType::isStatic(rows) && rows > kFewRows) ||
      (ShapedType::isStatic(length) && length < kLongRow))
    return std::nullopt;
  return rowLoops;
}

/// Returns true for an operation on buffers that reduces something to one
/// result, and whose body has no regions.
static bool isSimpleReduction(linalg::GenericOp op) {
  return op.hasPureBufferSemantics() && op.getNumDpsInits() == 1 &&
         op.getNumReductionLoops() != 0 &&
         llvm::all_of(op.getBody()->getOperations(), [](Operation &inner) {
           return inner.getNumRegions() == 0;
         });
}

/// Returns how an operation on buffers that reduces all that it reads, or each
/// row of it, in the order of memory, joins elements.
static std::optional<Reduction> findReduction(linalg::GenericOp op) {
  if (!isSimpleReduction(op) || op.hasIndexSemantics())
    return std::nullopt;
  bool hasElements = false;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type || type.getRank() == 0)
      continue;
    if (op.isDpsInit(&operand))
      continue;
    if (!op.getMatchingIndexingMap(&operand).isIdentity() ||
        !type.getLayout().isIdentity())
      return std::nullopt;
    hasElements = true;
  }
  std::optional<unsigned> rowLoops = findRowLoops(op);
  std::optional<Reduction> combiner =
      hasElements && rowLoops ? findPlainReduction(op) : std::nullopt;
  if (combiner)
    combiner->numRowLoops = *rowLoops;
  return combiner;
}

/// Returns how an operation that reduces all that it reads, but not in the
/// order of memory, joins elements: where operands have one element for each
/// row, say.
static std::optional<Combiner> findOtherReduction(linalg::GenericOp op) {
  if (!isSimpleReduction(op) || op.getNumParallelLoops() != 0 ||
      op.getNumLoops() < 2 || findReduction(op))
    return std::nullopt;
  return findCombiner(op);
}

/// Reduces each row to an element of a buffer, and then these.
static void reduceRowsFirst(linalg::GenericOp op, const Combiner &combiner) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  unsigned rowLoops = op.getNumLoops() - 1;
  SmallVector<Value> sizes;
  SmallVector<int64_t> shape = op.getStaticLoopRanges();
  shape.pop_back();
  SmallVector<Range> ranges =
      cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(builder, loc);
  for (unsigned loop = 0; loop < rowLoops; ++loop)
    if (ShapedType::isDynamic(shape[loop]))
      sizes.push_back(
          getValueOrCreateConstantIndexOp(builder, loc, ranges[loop].size));
  Value neutral = arith::ConstantOp::create(builder, loc, combiner.neutral);
  Value rows = memref::AllocOp::create(
      builder, loc, MemRefType::get(shape, neutral.getType()), sizes);
  linalg::FillOp::create(builder, loc, neutral, rows);

  MLIRContext *context = builder.getContext();
  auto ofRow = AffineMap::getMultiDimIdentityMap(rowLoops, context);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.back() = AffineMap::get(rowLoops + 1, 0, ofRow.getResults(), context);
  SmallVector<utils::IteratorType> iterators(rowLoops,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  auto ofRows = linalg::GenericOp::create(builder, loc, op.getInputs(),
                                          ValueRange{rows}, maps, iterators,
                                          /*bodyBuild=*/nullptr);
  IRMapping map;
  op.getRegion().cloneInto(&ofRows.getRegion(), map);

  maps = {ofRow, AffineMap::get(rowLoops, 0, context)};
  iterators.assign(rowLoops, utils::IteratorType::reduction);
  linalg::GenericOp::create(
      builder, loc, ValueRange{rows}, op.getDpsInits(), maps, iterators,
      [&](OpBuilder &inner, Location bodyLoc, ValueRange args) {
        Operation *join = inner.clone(*combiner.op);
        join->setOperands({args[1], args[0]});
        linalg::YieldOp::create(inner, bodyLoc, join->getResult(0));
      });
  memref::DeallocOp::create(builder, loc, rows);
  op.erase();
}

void tally::splitReductions(func::FuncOp function) {
  SmallVector<std::pair<linalg::GenericOp, Combiner>> others;
  function.walk([&](linalg::GenericOp op) {
    if (std::optional<Combiner> combiner = findOtherReduction(op))
      others.push_back({op, *combiner});
  });
  for (auto &[op, combiner] : others) {
    LDBG() << describeLastPart(op) << ": rows are reduced first";
    reduceRowsFirst(op, combiner);
  }
  SmallVector<std::pair<linalg::GenericOp, Reduction>> found;
  function.walk([&](linalg::GenericOp op) {
    if (std::optional<Reduction> combiner = findReduction(op))
      found.push_back({op, *combiner});
  });
  for (auto [op, combiner] : found) {
    LDBG() << describeLastPart(op) << ": "
           << (combiner.numRowLoops ? "few long rows are " : "")
           << "reduced in parts of "
           << (combiner.numRowLoops ? kRowPart : kPart) << " elements";
    ReductionEmitter(op, combiner).run();
  }
}

namespace {
struct SplitReductionsPass
    : public tally::impl::SplitReductionsBase<SplitReductionsPass> {
  void runOnOperation() override { tally::splitReductions(getOperation()); }
};
} // namespace
