//===- OutlineParallel.cpp - Parallel loops through the runtime -----------===//
//
// See the description of the pass in Passes.td. The body becomes an ordinary
// compiled function, so its asserts branch to its own cold block and no flag
// guards the loop.
//
//===----------------------------------------------------------------------===//

#include "OutlinedBodies.h"
#include "RuntimeABI.h"
#include "Utils.h"
#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"
#include "tally/IR/Operators.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_OUTLINEPARALLEL
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-outline-parallel"

using namespace mlir;
using namespace tally::codegen;

namespace {

/// Builds `arith` on indices at one place.
class IndexBuilder {
public:
  IndexBuilder(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  template <typename Op>
  Value create(Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }
  Value select(arith::CmpIPredicate predicate, Value a, Value b, Value yes,
               Value no) {
    Value flag = arith::CmpIOp::create(builder, loc, predicate, a, b);
    return arith::SelectOp::create(builder, loc, flag, yes, no);
  }

private:
  OpBuilder &builder;
  Location loc;
};

/// Outlines one loop.
class Outliner {
public:
  Outliner(scf::ParallelOp loop, int64_t work, StringRef name)
      : loop(loop), loc(loop.getLoc()),
        parent(loop->getParentOfType<func::FuncOp>()), work(work),
        context(loop.getContext()), builder(loop), captures(parent, loc) {
    outerDims = std::max<unsigned>(loop.getNumLoops(), 2) - 1;
    createBody(name);
  }

  void run(SharedBodies &shared) {
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(loop.getRegion(), used);
    used.insert(loop->getOperands().begin(), loop->getOperands().end());
    captures.add(used.getArrayRef());
    Value data = captures.pack(builder);
    builder.setInsertionPoint(loop);
    SmallVector<Value> extents = computeExtents();
    Value tripCount = computeTripCount(extents);
    Value grain = computeGrain(extents);
    // The body divides by the extents of the outer dimensions.
    fillBody();
    body = shared.share(body);
    callRuntime(tripCount, grain, data);
    loop.erase();
  }

private:
  void createBody(StringRef name) {
    // Indices become i64.
    static_assert(
        std::is_same_v<tally_rt_body, int32_t (*)(tally_rt_context *, int64_t,
                                                  int64_t, void *)>);
    Type index = builder.getIndexType(), pointer = getPointerType(context);
    OpBuilder moduleBuilder(parent);
    body = func::FuncOp::create(
        moduleBuilder, loc, name,
        builder.getFunctionType({pointer, index, index, pointer},
                                {builder.getI32Type()}));
    body.setPrivate();
    body->setAttr(tally::attr_names::kStatus, builder.getUnitAttr());
    body.addEntryBlock();
  }

  /// The trip count of each dimension; 0 for an empty range.
  SmallVector<Value> computeExtents() {
    IndexBuilder index(builder, loc);
    Value zero = index.constant(0);
    SmallVector<Value> extents;
    for (auto [lower, upper, step] : llvm::zip_equal(
             loop.getLowerBound(), loop.getUpperBound(), loop.getStep())) {
      Value span = index.create<arith::SubIOp>(upper, lower);
      Value extent = index.create<arith::CeilDivSIOp>(span, step);
      extents.push_back(index.create<arith::MaxSIOp>(extent, zero));
    }
    return extents;
  }

  /// The iterations of the outer dimensions; none where the last one is empty.
  Value computeTripCount(ArrayRef<Value> extents) {
    IndexBuilder index(builder, loc);
    Value tripCount = extents.front();
    for (Value extent : extents.slice(1, outerDims - 1))
      tripCount = index.create<arith::MulIOp>(tripCount, extent);
    if (outerDims == extents.size())
      return tripCount;
    Value zero = index.constant(0);
    return index.select(arith::CmpIPredicate::eq, extents.back(), zero, zero,
                        tripCount);
  }

  /// Operations in `block` that a machine has to do something for.
  static int64_t countOps(Block *block) {
    int64_t count = 0;
    block->walk([&](Operation *op) {
      if (!op->hasTrait<OpTrait::ConstantLike>() &&
          !op->hasTrait<OpTrait::IsTerminator>())
        ++count;
    });
    return std::max<int64_t>(count, 1);
  }

  /// Returns the first branch of a conditional in a block that has loops: where
  /// several rows are taken at once, or else what is left of them. Null if
  /// there is none.
  static Block *findBranchWithLoops(Block *block) {
    auto isLoop = [](Operation *op) {
      return isa<scf::ForOp, scf::ParallelOp>(op) ? WalkResult::interrupt()
                                                  : WalkResult::advance();
    };
    for (auto choice : block->getOps<scf::IfOp>())
      for (Region &branch : choice->getRegions())
        if (branch.walk(isLoop).wasInterrupted())
          return &branch.front();
    return nullptr;
  }

  /// The points that an iteration is said to take, or the iterations of the
  /// longest chain of nested loops in the body whose bounds are known before
  /// it; what is not known counts as one.
  Value computeInnerTripCount(IndexBuilder &index) {
    if (auto points =
            loop->getAttrOfType<IntegerAttr>(tally::attr_names::kPoints))
      return index.constant(points.getInt());
    Value tripCount = index.constant(1);
    Block *block = loop.getBody();
    auto isOutside = [&](Value value) {
      return loop.isDefinedOutsideOfLoop(value);
    };
    while (block) {
      Block *next = nullptr;
      for (auto inner : block->getOps<scf::ForOp>()) {
        if (isOutside(inner.getUpperBound()) && !next)
          tripCount =
              index.create<arith::MulIOp>(tripCount, inner.getUpperBound());
        next = inner.getBody();
      }
      for (auto inner : block->getOps<scf::ParallelOp>()) {
        for (Value upper : inner.getUpperBound())
          if (isOutside(upper) && !next)
            tripCount = index.create<arith::MulIOp>(tripCount, upper);
        next = inner.getBody();
      }
      block = next ? next : findBranchWithLoops(block);
    }
    return tripCount;
  }

  /// The iterations that are worth a chunk: work / (work of one iteration).
  Value computeGrain(ArrayRef<Value> extents) {
    IndexBuilder index(builder, loc);
    Value one = index.constant(1);
    Value inner = computeInnerTripCount(index);
    if (outerDims < extents.size())
      inner = index.create<arith::MulIOp>(inner, extents.back());
    inner = index.create<arith::MaxSIOp>(inner, one);
    int64_t budget = std::max<int64_t>(work / countOps(loop.getBody()), 1);
    LDBG() << body.getName() << ": a chunk has at least " << budget
           << " points";
    Value grain = index.create<arith::DivUIOp>(index.constant(budget), inner);
    return index.create<arith::MaxSIOp>(grain, one);
  }

  /// The bounds and the step of an outer dimension, in the body.
  struct Range {
    Value lower, upper, step;
  };
  Range getRange(unsigned dim, const IRMapping &map) {
    return {map.lookupOrDefault(loop.getLowerBound()[dim]),
            map.lookupOrDefault(loop.getUpperBound()[dim]),
            map.lookupOrDefault(loop.getStep()[dim])};
  }

  /// Computes the index of each outer dimension from the iteration number.
  SmallVector<Value> delinearize(OpBuilder &inner, Value number,
                                 const IRMapping &map) {
    IndexBuilder index(inner, loc);
    Value one = index.constant(1);
    SmallVector<Value> positions(outerDims);
    for (unsigned dim = outerDims; dim-- > 0;) {
      auto [lower, upper, step] = getRange(dim, map);
      Value position = number;
      if (dim > 0) {
        // The first iteration of no iterations may have no extents.
        Value span = index.create<arith::SubIOp>(upper, lower);
        Value extent = index.create<arith::CeilDivSIOp>(span, step);
        extent = index.create<arith::MaxSIOp>(extent, one);
        position = index.create<arith::RemUIOp>(number, extent);
        number = index.create<arith::DivUIOp>(number, extent);
      }
      Value offset = index.create<arith::MulIOp>(position, step);
      positions[dim] = index.create<arith::AddIOp>(lower, offset);
    }
    return positions;
  }

  /// The indices of the iteration after that of `positions`: no division, which
  /// LLVM would move into loops over the last dimension.
  SmallVector<Value> advance(OpBuilder &inner, ValueRange positions,
                             const IRMapping &map) {
    IndexBuilder index(inner, loc);
    SmallVector<Value> next(positions);
    Value wraps;
    for (unsigned dim = outerDims; dim-- > 0;) {
      auto [lower, upper, step] = getRange(dim, map);
      Value moved = index.create<arith::AddIOp>(positions[dim], step);
      if (wraps)
        moved =
            arith::SelectOp::create(inner, loc, wraps, moved, positions[dim]);
      next[dim] = moved;
      if (dim == 0)
        break;
      wraps = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::sge,
                                    moved, upper);
      next[dim] = arith::SelectOp::create(inner, loc, wraps, lower, moved);
    }
    return next;
  }

  /// Makes, before the loop over the last dimension, what is the same in all of
  /// its iterations: that loop has one at least, and none of them writes what
  /// another one reads.
  llvm::SmallPtrSet<Operation *, 8> hoistInvariants(OpBuilder &inner,
                                                    IRMapping &map) {
    llvm::SmallPtrSet<Operation *, 8> hoisted;
    auto isInvariant = [&](Value value) {
      return loop.isDefinedOutsideOfLoop(value) ||
             (value.getDefiningOp() ? hoisted.contains(value.getDefiningOp())
                                    : value != loop.getInductionVars().back());
    };
    for (Operation &op : loop.getBody()->without_terminator()) {
      // Behind what writes, an iteration may read what it wrote.
      if (op.getNumRegions() != 0 || !(isa<memref::LoadOp>(op) || isPure(&op)))
        break;
      if (!llvm::all_of(op.getOperands(), isInvariant))
        continue;
      inner.clone(op, map);
      hoisted.insert(&op);
    }
    return hoisted;
  }

  void fillBody() {
    Block &entry = body.front();
    OpBuilder inner = OpBuilder::atBlockBegin(&entry);
    IRMapping map = captures.unpack(inner, body);
    Value one = arith::ConstantIndexOp::create(inner, loc, 1);
    Value ok = arith::ConstantIntOp::create(inner, loc, 0, 32);
    // One outer dimension has its index at once; several carry theirs along.
    bool carries = outerDims > 1;
    SmallVector<Value> first;
    if (carries)
      first = delinearize(inner, entry.getArgument(1), map);
    auto outer = scf::ForOp::create(inner, loc, entry.getArgument(1),
                                    entry.getArgument(2), one, first);
    markIndependent(outer);
    inner.setInsertionPointToStart(outer.getBody());
    SmallVector<Value> positions(outer.getRegionIterArgs());
    if (!carries)
      positions = delinearize(inner, outer.getInductionVar(), map);
    map.map(ValueRange(loop.getInductionVars()).take_front(outerDims),
            positions);
    llvm::SmallPtrSet<Operation *, 8> hoisted;
    if (outerDims < loop.getNumLoops()) {
      hoisted = hoistInvariants(inner, map);
      auto last = scf::ForOp::create(
          inner, loc, map.lookupOrDefault(loop.getLowerBound().back()),
          map.lookupOrDefault(loop.getUpperBound().back()),
          map.lookupOrDefault(loop.getStep().back()));
      markIndependent(last);
      map.map(loop.getInductionVars().back(), last.getInductionVar());
      inner.setInsertionPointToStart(last.getBody());
    }
    for (Operation &op : loop.getBody()->without_terminator())
      if (!hoisted.contains(&op))
        inner.clone(op, map);
    if (carries) {
      inner.setInsertionPointToEnd(outer.getBody());
      scf::YieldOp::create(inner, loc, advance(inner, positions, map));
    }
    inner.setInsertionPointToEnd(&entry);
    func::ReturnOp::create(inner, loc, ok);
  }

  void callRuntime(Value tripCount, Value grain, Value data) {
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
    auto toI64 = [&](Value index) -> Value {
      return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                        index);
    };
    tripCount = toI64(tripCount);
    grain = toI64(grain);
    Value pointer = createFunctionPointer(builder, loc, body);
    createStatusCall(builder, loc, tally::runtime_functions::kParallelFor,
                     parent.getArgument(0), zero, tripCount, grain, pointer,
                     data);
  }

  scf::ParallelOp loop;
  Location loc;
  func::FuncOp parent;
  int64_t work;
  MLIRContext *context;
  OpBuilder builder;
  Captures captures;
  func::FuncOp body;
  /// The dimensions that are one range; all but the last, at least one.
  unsigned outerDims;
};

/// The name of a loop in a profiler: the operators of the program that it
/// computes, if they have names, else the operations, at most three.
static std::string describeWork(scf::ParallelOp loop) {
  constexpr size_t maxNames = 3;
  llvm::SetVector<StringRef> operators, operations;
  loop.walk([&](Operation *op) {
    bool computes = isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
                        op->getDialect()) &&
                    !op->hasTrait<OpTrait::ConstantLike>() &&
                    op->getNumResults() != 0 &&
                    !getElementTypeOrSelf(op->getResult(0)).isIndex();
    if (!computes)
      return;
    StringRef name = tally::getOperatorName(op);
    if (name != op->getName().getStringRef())
      operators.insert(name);
    operations.insert(op->getName().stripDialect());
  });
  std::string text;
  const auto &names = operators.empty() ? operations : operators;
  for (StringRef name : ArrayRef(names.getArrayRef()).take_front(maxNames))
    text += "_" + name.str();
  // Only some characters may stand in a symbol of an object file.
  for (char &c : text)
    if (!llvm::isAlnum(c))
      c = '_';
  return text;
}
} // namespace

LogicalResult tally::outlineParallelLoops(ModuleOp module, int64_t work) {
  SmallVector<scf::ParallelOp> loops;
  module.walk<WalkOrder::PreOrder>([&](scf::ParallelOp loop) {
    if (loop.getNumResults() != 0)
      return WalkResult::advance();
    loops.push_back(loop);
    return WalkResult::skip();
  });
  if (loops.empty())
    return success();
  for (scf::ParallelOp loop : loops)
    if (failed(requireCallContext(loop)))
      return failure();
  declareRuntimeFunction(module, runtime_functions::kParallelFor);
  SymbolTable symbols(module);
  SharedBodies shared;
  for (auto [number, loop] : llvm::enumerate(loops)) {
    StringRef parent = loop->getParentOfType<func::FuncOp>().getName();
    std::string name =
        (parent + "_parallel_" + Twine(number)).str() + describeWork(loop);
    while (symbols.lookup(name))
      name += "_";
    Outliner(loop, work, name).run(shared);
  }
  return success();
}

namespace {
struct OutlineParallelPass
    : tally::impl::OutlineParallelBase<OutlineParallelPass> {
  using OutlineParallelBase::OutlineParallelBase;

  void runOnOperation() override {
    if (failed(tally::outlineParallelLoops(getOperation(), work)))
      signalPassFailure();
  }
};

} // namespace
