//===- JoinKernels.cpp - Small kernels in one launch ----------------------===//
//
// A launch of a few points takes as long as a block starts and ends. Kernels
// without reductions that are next to each other and need nothing of each other
// become one function, in which each has blocks of its own. Where there are
// many points, each is taken as the sizes and addresses of its operands allow.
//
//===----------------------------------------------------------------------===//

#include "JoinKernels.h"

#include "Common/BufferOrigins.h"
#include "Common/BufferParts.h"
#include "KernelLayout.h"
#include "Kernels/KernelGroups.h"
#include "Schedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

/// The most kernels of a launch, and the most operations and operands of all of
/// them.
static constexpr size_t kMaxKernels = 8;
static constexpr int64_t kMaxCode = 256;
static constexpr size_t kMaxOperands = 64;
/// The most points that one launch is for.
static constexpr int64_t kMaxPoints = 1 << 18;
static constexpr unsigned kNumThreads = 256;

//===----------------------------------------------------------------------===//
// Which kernels
//===----------------------------------------------------------------------===//

namespace {

/// Collects kernels until one needs another.
class KernelJoiner {
public:
  explicit KernelJoiner(BufferOrigins &origins) : origins(origins) {}

  bool add(KernelOp kernel) {
    if (!kernel.getReduced().empty() || kernels.size() == kMaxKernels ||
        kernel.getBody()
            .walk([](AssertOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      return false;
    int64_t size = KernelSpace(kernel).getCodeSize();
    if (code + size > kMaxCode ||
        operands + kernel->getNumOperands() > kMaxOperands)
      return false;
    addSizes(kernel);
    if (!llvm::all_of(kernels, [&](KernelOp other) {
          return areIndependent(other, kernel);
        }))
      return false;
    kernels.push_back(kernel);
    code += size;
    operands += kernel->getNumOperands();
    return true;
  }

  SmallVector<KernelOp> kernels;

private:
  /// Remembers numbers that are not negative: the sizes of parts.
  void addSizes(KernelOp kernel) {
    for (Value output : kernel.getOutputs())
      if (auto part = output.getDefiningOp<memref::SubViewOp>())
        sizes.insert_range(part.getSizes());
  }

  bool areIndependent(KernelOp first, KernelOp second) {
    auto isApart = [&](Value a, Value b) {
      if (!isa<MemRefType>(a.getType()) || !isa<MemRefType>(b.getType()))
        return true;
      return origins.relate(a, b) == BufferOrigins::Relation::Distinct ||
             areApart(a, b, sizes);
    };
    auto areDistinct = [&](ValueRange written, ValueRange others) {
      return llvm::all_of(written, [&](Value a) {
        return llvm::all_of(others, [&](Value b) { return isApart(a, b); });
      });
    };
    return areDistinct(first.getOutputs(), second.getOutputs()) &&
           areDistinct(first.getOutputs(), second.getInputs()) &&
           areDistinct(second.getOutputs(), first.getInputs());
  }

  BufferOrigins &origins;
  llvm::DenseSet<Value> sizes;
  int64_t code = 0;
  size_t operands = 0;
};

} // namespace

/// Whether a kernel can run behind an operation as well as before it.
static bool canPass(Operation *op) {
  return isPure(op) || isa<memref::AllocOp>(op);
}

SmallVector<SmallVector<KernelOp>>
tally::codegen::findJoinableKernels(ArrayRef<KernelOp> kernels,
                                    BufferOrigins &origins) {
  SmallVector<SmallVector<KernelOp>> groups;
  llvm::SmallPtrSet<Operation *, 16> seen;
  for (KernelOp kernel : kernels) {
    KernelJoiner joiner(origins);
    if (seen.contains(kernel) || !joiner.add(kernel))
      continue;
    for (Operation *next = kernel->getNextNode(); next;
         next = next->getNextNode()) {
      auto other = dyn_cast<KernelOp>(next);
      if (other ? !joiner.add(other) : !canPass(next))
        break;
    }
    seen.insert_range(joiner.kernels);
    if (joiner.kernels.size() > 1)
      groups.push_back(std::move(joiner.kernels));
  }
  return groups;
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

namespace {

/// In which ways a kernel may run.
struct FittingWays {
  /// The best one first. The last one fits if the others do not.
  SmallVector<PointwiseWay> list;
  /// Whether each of the others fits, on the host.
  SmallVector<Value> flags;
};

/// Emits the launch of all kernels of a group.
class JoinedLaunch {
public:
  JoinedLaunch(ArrayRef<KernelOp> kernels, OpBuilder &host, Location loc)
      : host(host), loc(loc), math(host, loc) {
    for (KernelOp kernel : kernels) {
      spaces.emplace_back(kernel);
      points.push_back(math.product(llvm::to_vector(kernel.getExtents())));
    }
  }

  /// Whether there are few points, on the host.
  Value createIsSmall() {
    Value all = points.front();
    for (Value count : ArrayRef(points).drop_front())
      all = math.add(all, count);
    return host.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ule, all,
                                            math.constant(kMaxPoints));
  }

  /// Each kernel runs in the first of its ways that fits.
  void emit(const Twine &name, ArrayRef<FittingWays> waysOf) {
    llvm::SetVector<Value> captures;
    llvm::SmallPtrSet<Value, 8> written;
    for (const KernelSpace &space : spaces) {
      captures.insert_range(space.getKernel()->getOperands());
      written.insert_range(space.getKernel().getOutputs());
    }
    SmallVector<Value> counts;
    Value all = math.constant(0);
    for (auto [space, ways] : llvm::zip_equal(spaces, waysOf)) {
      counts.push_back(createNumBlocks(space, ways));
      all = math.add(all, counts.back());
      captures.insert_range(ways.flags);
    }
    captures.insert_range(counts);
    Kernel made = createKernel(host, loc, name.str(), captures.getArrayRef());
    made.function.setKnownBlockSizeAttr(
        host.getDenseI32ArrayAttr({int32_t(kNumThreads), 1, 1}));
    annotatePointers(made, captures.getArrayRef(), written);
    OpBuilder builder = made.getBodyBuilder();
    Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
    emitKernels(made, builder, block, counts, waysOf);
    launchKernel(host, loc, made, all, math.constant(kNumThreads));
  }

private:
  Value createNumBlocks(const KernelSpace &space, const FittingWays &ways) {
    SmallVector<Value> extents = getExtents(space);
    Value count;
    for (size_t i = ways.list.size(); i-- > 0;) {
      Value own = createPointwiseSchedule(space, ways.list[i], kNumThreads)
                      ->createNumBlocks(host, extents);
      count = count ? host.createOrFold<arith::SelectOp>(loc, ways.flags[i],
                                                         own, count)
                    : own;
    }
    return count;
  }

  SmallVector<Value> getExtents(const KernelSpace &space) {
    KernelOp kernel = space.getKernel();
    SmallVector<Value> extents;
    for (const ScheduleDim &dim : space.getDims())
      extents.push_back(math.product(
          llvm::map_to_vector(dim.dims, [&](unsigned part) -> Value {
            return kernel.getExtents()[part];
          })));
    return extents;
  }

  /// Each kernel has the blocks behind those of the ones before it.
  void emitKernels(const Kernel &made, OpBuilder &builder, Value block,
                   ArrayRef<Value> counts, ArrayRef<FittingWays> waysOf) {
    IndexMath inside(builder, loc);
    for (auto [space, count, ways] : llvm::zip_equal(spaces, counts, waysOf)) {
      Value own = made.map.lookupOrDefault(count);
      if (&space == &spaces.back())
        return emitFirst(space, ways, made, builder, block, own);
      Value isOwn = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, block, own);
      auto branch = scf::IfOp::create(builder, loc, isOwn,
                                      /*withElseRegion=*/true);
      builder.setInsertionPointToStart(branch.thenBlock());
      emitFirst(space, ways, made, builder, block, own);
      builder.setInsertionPointToStart(branch.elseBlock());
      block = inside.sub(block, own);
    }
  }

  /// The first of some ways that fits.
  void emitFirst(const KernelSpace &space, const FittingWays &ways,
                 const Kernel &made, OpBuilder builder, Value block,
                 Value blocks) {
    for (auto [way, flag] : llvm::zip(ways.list, ways.flags)) {
      auto branch =
          scf::IfOp::create(builder, loc, made.map.lookupOrDefault(flag),
                            /*withElseRegion=*/true);
      OpBuilder inner(branch.getThenBodyBuilder());
      emitPoints(space, way, kNumThreads, made, inner, block, blocks);
      builder.setInsertionPointToStart(branch.elseBlock());
    }
    emitPoints(space, ways.list.back(), kNumThreads, made, builder, block,
               blocks);
  }

  OpBuilder &host;
  Location loc;
  IndexMath math;
  std::vector<KernelSpace> spaces;
  /// How many points each kernel has.
  SmallVector<Value> points;
};

/// Finds in which ways a kernel can run.
class WayFinder : public KernelLayout {
public:
  using KernelLayout::KernelLayout;

  FittingWays get() {
    FittingWays ways;
    for (PointwiseWay way : getPointwiseWays()) {
      bool isLast = way.lanes == 1 && !way.isNarrow;
      Value fits = isLast ? Value() : createFits(way);
      if (fits && getConstantIntValue(fits) == 0)
        continue;
      ways.list.push_back(way);
      if (!fits || getConstantIntValue(fits))
        break;
      ways.flags.push_back(fits);
    }
    return ways;
  }
};

} // namespace

bool tally::codegen::joinKernels(ArrayRef<KernelOp> kernels, StringRef name) {
  OpBuilder host(kernels.back());
  Location loc = kernels.front()->getLoc();
  JoinedLaunch launch(kernels, host, loc);
  // What lies across the results is taken in squares.
  bool isForAll = llvm::none_of(kernels, [](KernelOp kernel) {
    return findTransposition(KernelSpace(kernel)).has_value();
  });
  auto few = [&] {
    FittingWays one;
    one.list.push_back(
        {.lanes = 1, .inOrder = false, .isNarrow = false, .maxApart = 1});
    launch.emit(name, SmallVector<FittingWays>(kernels.size(), one));
  };
  auto many = [&] {
    for (KernelOp kernel : kernels)
      kernel->moveBefore(host.getInsertionBlock(), host.getInsertionPoint());
    if (isForAll)
      launch.emit(name + "_large",
                  llvm::map_to_vector(kernels, [](KernelOp kernel) {
                    return WayFinder(kernel).get();
                  }));
  };
  Value isSmall = launch.createIsSmall();
  choose(host, loc, isSmall, few, many);
  return isForAll || getConstantIntValue(isSmall).value_or(0) != 0;
}
