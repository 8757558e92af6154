//===- JoinKernels.cpp - Small kernels in one launch ----------------------===//
//
// A launch of a few points takes as long as a block starts and ends. Kernels
// without reductions that are next to each other and need nothing of each other
// become one function, in which each has blocks of its own. So do they where
// there are many points and the accesses of all can be wide; else each is
// launched alone, as the sizes and addresses of its own operands allow.
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

  /// A thread takes as many neighbors of each kernel as `lanes` says.
  void emit(const Twine &name, ArrayRef<unsigned> lanes) {
    llvm::SetVector<Value> captures;
    SmallVector<Value> counts;
    Value all = math.constant(0);
    for (auto [space, count, width] : llvm::zip_equal(spaces, points, lanes)) {
      captures.insert_range(space.getKernel()->getOperands());
      counts.push_back(math.ceilDiv(count, int64_t(kNumThreads) * width));
      all = math.add(all, counts.back());
    }
    captures.insert_range(counts);
    Kernel made = createKernel(host, loc, name.str(), captures.getArrayRef());
    made.function.setKnownBlockSizeAttr(
        host.getDenseI32ArrayAttr({int32_t(kNumThreads), 1, 1}));
    OpBuilder builder = made.getBodyBuilder();
    Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
    emitKernels(made, builder, block, counts, lanes);
    launchKernel(host, loc, made, all, math.constant(kNumThreads));
  }

private:
  /// Each kernel has the blocks behind those of the ones before it.
  void emitKernels(const Kernel &made, OpBuilder &builder, Value block,
                   ArrayRef<Value> counts, ArrayRef<unsigned> lanes) {
    IndexMath inside(builder, loc);
    for (auto [space, count, width] : llvm::zip_equal(spaces, counts, lanes)) {
      Value own = made.map.lookupOrDefault(count);
      if (&space == &spaces.back())
        return emitPoints(space, made, builder, block, own, kNumThreads, width);
      Value isOwn = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, block, own);
      auto branch = scf::IfOp::create(builder, loc, isOwn,
                                      /*withElseRegion=*/true);
      builder.setInsertionPointToStart(branch.thenBlock());
      emitPoints(space, made, builder, block, own, kNumThreads, width);
      builder.setInsertionPointToStart(branch.elseBlock());
      block = inside.sub(block, own);
    }
  }

  OpBuilder &host;
  Location loc;
  IndexMath math;
  std::vector<KernelSpace> spaces;
  /// How many points each kernel has.
  SmallVector<Value> points;
};

/// Finds whether the rows of a kernel can be read and written several elements
/// at a time.
class RowLayout : public KernelLayout {
public:
  using KernelLayout::KernelLayout;

  /// How many; 1 for a kernel that goes through memory in another way.
  unsigned getLanes() const {
    if (extents.empty() || space.hasLoops() || findTransposition(space))
      return 1;
    return chooseLanes(extents.size() - 1);
  }
  Value createIsWide() {
    return createIsAligned(extents.size() - 1, getLanes(),
                           /*needsFullRows=*/true);
  }
};

} // namespace

/// Whether all kernels can take several neighbors, as many as `lanes` says, on
/// the host; null where one never can.
static Value createAreWide(ArrayRef<KernelOp> kernels, OpBuilder &host,
                           SmallVectorImpl<unsigned> &lanes) {
  Value areWide;
  for (KernelOp kernel : kernels) {
    RowLayout layout(kernel);
    lanes.push_back(layout.getLanes());
    if (lanes.back() == 1)
      return {};
    Value isWide = layout.createIsWide();
    areWide = areWide ? host.createOrFold<arith::AndIOp>(kernel.getLoc(),
                                                         areWide, isWide)
                      : isWide;
  }
  return getConstantIntValue(areWide) == 0 ? Value() : areWide;
}

void tally::codegen::joinKernels(ArrayRef<KernelOp> kernels, StringRef name) {
  OpBuilder host(kernels.back());
  Location loc = kernels.front()->getLoc();
  JoinedLaunch launch(kernels, host, loc);
  Value isSmall = launch.createIsSmall();
  SmallVector<unsigned> lanes;
  Value areWide = createAreWide(kernels, host, lanes);
  auto emitIf = [&](Value flag, const Twine &suffix,
                    ArrayRef<unsigned> ofKernels) {
    auto branch = scf::IfOp::create(host, loc, flag, /*withElseRegion=*/true);
    host.setInsertionPointToStart(branch.thenBlock());
    launch.emit(name + suffix, ofKernels);
    host.setInsertionPointToStart(branch.elseBlock());
  };
  if (getConstantIntValue(isSmall) != 0)
    emitIf(isSmall, "", SmallVector<unsigned>(kernels.size(), 1));
  if (areWide)
    emitIf(areWide, "_wide", lanes);
  for (KernelOp kernel : kernels)
    kernel->moveBefore(host.getInsertionBlock(), host.getInsertionPoint());
}
