//===- CopyRows.cpp - Rows and buffers are copied by memcpy ---------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_COPYROWS
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-copy-rows"

using namespace mlir;

/// The bytes from which on a row is long, and the points that copying one is
/// said to take.
static constexpr int64_t kLongRow = 512, kPoints = 128;

/// The bytes of a block of what lies in one piece, and the points that copying
/// one is said to take.
static constexpr int64_t kBlock = 65536, kBlockPoints = 1024;

/// The bytes of an element; 0 where it is not whole bytes.
static int64_t getElementBytes(Type element) {
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)
    return 0;
  return element.getIntOrFloatBitWidth() / 8;
}

/// The number of the last dimensions that lie in memory in one piece.
static unsigned countRowDims(MemRefType type) {
  auto rank = unsigned(type.getRank());
  // The stride of one element says nothing of those before it.
  if (rank == 0 || type.getShape().back() == 1 || !type.isLastDimUnitStride())
    return 0;
  unsigned count = 1;
  for (; count < rank; ++count) {
    SmallVector<ReassociationIndices> groups;
    for (unsigned dim = 0; dim < rank; ++dim)
      if (dim > rank - count - 1)
        groups.back().push_back(dim);
      else
        groups.push_back({dim});
    if (!memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups))
      break;
  }
  return count;
}

/// Returns how many outer dimensions an operation that copies has, behind which
/// rows lie in one piece in both buffers; 0 if it does anything else, or all is
/// one piece.
static unsigned findOuterDims(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }) ||
      op.getBody()->getOperations().size() != 1 ||
      op.getBody()->getTerminator()->getOperand(0) !=
          op.getRegionInputArgs().front())
    return 0;
  unsigned outer = 0;
  for (Value buffer : op->getOperands()) {
    // The source of a copy into rank 0 may be a scalar.
    auto type = dyn_cast<MemRefType>(buffer.getType());
    unsigned rowDims = type ? countRowDims(type) : 0;
    if (rowDims == 0 || getElementBytes(type.getElementType()) == 0)
      return 0;
    outer = std::max(outer, unsigned(type.getRank()) - rowDims);
  }
  return outer;
}

namespace {

/// Builds `arith` on indices, and copies between addresses.
class CopyBuilder {
protected:
  explicit CopyBuilder(Operation *op) : builder(op), loc(op->getLoc()) {}

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) {
    return arith::MulIOp::create(builder, loc, a, b);
  }
  Value toI64(Value index) {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      index);
  }
  void copy(Value to, Value from, Value bytes) {
    auto type = LLVM::LLVMPointerType::get(builder.getContext());
    Value target = LLVM::IntToPtrOp::create(builder, loc, type, toI64(to));
    Value source = LLVM::IntToPtrOp::create(builder, loc, type, toI64(from));
    LLVM::MemcpyOp::create(builder, loc, target, source, toI64(bytes),
                           /*isVolatile=*/false);
  }
  /// A loop over rows or blocks; what follows is emitted in its body.
  scf::ParallelOp createLoop(ValueRange sizes, int64_t points) {
    SmallVector<Value> zeros(sizes.size(), constant(0)),
        ones(sizes.size(), constant(1));
    auto loop = scf::ParallelOp::create(builder, loc, zeros, sizes, ones);
    loop->setAttr(tally::attr_names::kPoints, builder.getIndexAttr(points));
    builder.setInsertionPointToStart(loop.getBody());
    return loop;
  }

  OpBuilder builder;
  Location loc;
};

/// Copies the rows of one operation.
class RowCopier : CopyBuilder {
public:
  RowCopier(linalg::GenericOp op, unsigned outer)
      : CopyBuilder(op), op(op), outer(outer),
        bytes(getElementBytes(op.getRegionInputArgs().front().getType())) {}

  void run();

private:
  /// The address of a buffer, and how far apart rows are along each of the
  /// outer dimensions, in bytes.
  struct Rows {
    Value address;
    SmallVector<Value> strides;
  };

  Rows describe(Value buffer);
  Value getAddress(const Rows &rows, ValueRange at);

  linalg::GenericOp op;
  unsigned outer;
  int64_t bytes;
};

/// Copies a buffer that lies in one piece into another one.
class BlockCopier : CopyBuilder {
public:
  explicit BlockCopier(memref::CopyOp op) : CopyBuilder(op), op(op) {}

  void run();

private:
  memref::CopyOp op;
};

} // namespace

RowCopier::Rows RowCopier::describe(Value buffer) {
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(
      builder, loc, metadata.getBaseBuffer());
  Rows rows{add(base, mul(metadata.getOffset(), constant(bytes))), {}};
  for (Value stride : metadata.getStrides().take_front(outer))
    rows.strides.push_back(mul(stride, constant(bytes)));
  return rows;
}

Value RowCopier::getAddress(const Rows &rows, ValueRange at) {
  Value address = rows.address;
  for (auto [index, stride] : llvm::zip_equal(at, rows.strides))
    address = add(address, mul(index, stride));
  return address;
}

void RowCopier::run() {
  Value from = op.getDpsInputs().front(), to = op.getDpsInits().front();
  SmallVector<Value> sizes;
  Value length = constant(bytes);
  for (int64_t dim = 0; dim < int64_t(op.getNumLoops()); ++dim) {
    Value size = builder.createOrFold<memref::DimOp>(loc, to, dim);
    if (dim < int64_t(outer))
      sizes.push_back(size);
    else
      length = mul(length, size);
  }
  Value isLong = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                       length, constant(kLongRow));
  auto choice = scf::IfOp::create(builder, loc, TypeRange(), isLong,
                                  /*withElseRegion=*/true);
  op->moveBefore(choice.elseBlock()->getTerminator());
  builder.setInsertionPointToStart(choice.thenBlock());
  Rows source = describe(from), target = describe(to);
  auto rows = createLoop(sizes, kPoints);
  Value address = getAddress(target, rows.getInductionVars());
  copy(address, getAddress(source, rows.getInductionVars()), length);
}

/// Returns whether a copy is one of bytes that lie in one piece, and that no
/// type tells to be few. What is in a parallel loop has a thread already.
static bool isOfBlocks(memref::CopyOp op) {
  auto type = dyn_cast<MemRefType>(op.getSource().getType());
  auto target = dyn_cast<MemRefType>(op.getTarget().getType());
  if (!type || !target || !type.getLayout().isIdentity() ||
      !target.getLayout().isIdentity() ||
      op->getParentOfType<scf::ParallelOp>() ||
      op->getParentOfType<scf::ForallOp>())
    return false;
  int64_t bytes = getElementBytes(type.getElementType());
  return bytes != 0 && (!type.hasStaticShape() ||
                        type.getNumElements() * bytes >= 2 * kBlock);
}

void BlockCopier::run() {
  Value from = op.getSource(), to = op.getTarget();
  auto type = cast<MemRefType>(from.getType());
  Value bytes = constant(getElementBytes(type.getElementType()));
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    bytes = mul(bytes, builder.createOrFold<memref::DimOp>(loc, from, dim));
  auto getAddress = [&](Value buffer) -> Value {
    return memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  };
  Value source = getAddress(from), target = getAddress(to);
  Value block = constant(kBlock);
  Value blocks = arith::CeilDivUIOp::create(builder, loc, bytes, block);
  auto loop = createLoop(blocks, kBlockPoints);
  Value begin = mul(loop.getInductionVars().front(), block);
  Value left = arith::SubIOp::create(builder, loc, bytes, begin);
  copy(add(target, begin), add(source, begin),
       arith::MinUIOp::create(builder, loc, left, block));
  op.erase();
}

void tally::copyRows(func::FuncOp function) {
  SmallVector<std::pair<linalg::GenericOp, unsigned>> found;
  function.walk([&](linalg::GenericOp op) {
    if (unsigned outer = findOuterDims(op))
      found.push_back({op, outer});
  });
  for (auto [op, outer] : found) {
    LDBG() << "rows behind " << outer << " dimensions are copied";
    RowCopier(op, outer).run();
  }
  SmallVector<memref::CopyOp> copies;
  function.walk([&](memref::CopyOp op) {
    if (isOfBlocks(op))
      copies.push_back(op);
  });
  for (memref::CopyOp op : copies)
    BlockCopier(op).run();
}

namespace {
struct CopyRowsPass : tally::impl::CopyRowsBase<CopyRowsPass> {
  void runOnOperation() override { tally::copyRows(getOperation()); }
};
} // namespace
