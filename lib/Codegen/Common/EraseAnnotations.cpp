//===- EraseAnnotations.cpp - Symbols, assumptions and constants ----------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"
#include "tally/IR/ElementBounds.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace tally {
#define GEN_PASS_DEF_ERASEANNOTATIONS
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

using namespace mlir;

/// Returns the folder of the file that `loc` is in, empty if unknown.
static StringRef getFolder(Location loc) {
  auto position = loc->findInstanceOf<FileLineColLoc>();
  return position ? llvm::sys::path::parent_path(position.getFilename())
                  : StringRef();
}

/// Returns the bytes of one element in a data file.
static int64_t getElementBytes(Type type) {
  return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

/// Maps the elements of `op`; emits an error where the file is not as it should
/// be.
static std::unique_ptr<llvm::MemoryBuffer>
mapElements(tally::ConstantOp op, StringRef dataDirectory) {
  llvm::SmallString<128> path(op.getFile());
  if (llvm::sys::path::is_relative(path)) {
    path = dataDirectory.empty() ? getFolder(op.getLoc()) : dataDirectory;
    llvm::sys::path::append(path, op.getFile());
  }
  ShapedType type = op.getType();
  int64_t bytes = getElementBytes(type.getElementType());
  bool isTooLarge = false;
  if (llvm::is_contained(type.getShape(), 0))
    bytes = 0;
  for (int64_t size : type.getShape())
    isTooLarge |= llvm::MulOverflow(bytes, size, bytes);
  uint64_t fileSize = 0;
  std::error_code error = llvm::sys::fs::file_size(path, fileSize);
  if (error) {
    op.emitError() << "cannot read data file '" << path
                   << "': " << error.message();
    return nullptr;
  }
  int64_t offset = op.getOffset();
  if (isTooLarge || offset < 0 || offset > static_cast<int64_t>(fileSize) ||
      bytes > static_cast<int64_t>(fileSize) - offset) {
    InFlightDiagnostic error = op.emitError() << "needs ";
    isTooLarge ? error << "more than 2^63" : error << bytes;
    error << " bytes at offset " << offset << " of '" << path << "', which has "
          << fileSize;
    return nullptr;
  }
  auto buffer = llvm::MemoryBuffer::getFileSlice(path, bytes, offset);
  if (buffer)
    return std::move(*buffer);
  op.emitError() << "cannot read data file '" << path
                 << "': " << buffer.getError().message();
  return nullptr;
}

/// Makes an attribute of mapped elements. Booleans are packed: in MLIR a dense
/// boolean is a bit.
static ElementsAttr getElements(ShapedType type,
                                std::unique_ptr<llvm::MemoryBuffer> buffer,
                                StringRef name) {
  ArrayRef<char> data(buffer->getBufferStart(), buffer->getBufferSize());
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> bits;
    for (char byte : data)
      bits.push_back(byte != 0);
    return DenseElementsAttr::get(type, bits);
  }
  if (data.empty())
    return DenseElementsAttr::getFromRawBuffer(type, data);
  // The blob keeps the mapping alive.
  auto keep = std::shared_ptr<llvm::MemoryBuffer>(std::move(buffer));
  AsmResourceBlob blob(
      data, /*dataAlignment=*/1,
      [keep](void *, size_t, size_t) mutable { keep.reset(); },
      /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(type, name, std::move(blob));
}

/// Emits an error where an element is outside of the range that `op` states.
static LogicalResult verifyRange(tally::ConstantOp op, StringRef bytes) {
  std::optional<ArrayRef<int64_t>> range = op.getRange();
  auto bounds = tally::getElementBounds(op.getType().getElementType(), bytes);
  if (!range || !bounds)
    return success();
  for (int64_t element : {bounds->first, bounds->second})
    if (element < range->front() || element > range->back())
      return op.emitError()
             << "has an element " << element << " in '" << op.getFile()
             << "', outside of the range [" << *range
             << "] that it states; import the program again";
  return success();
}

static LogicalResult readConstant(tally::ConstantOp op, int64_t number,
                                  StringRef dataDirectory) {
  std::unique_ptr<llvm::MemoryBuffer> buffer = mapElements(op, dataDirectory);
  if (!buffer || failed(verifyRange(op, buffer->getBuffer())))
    return failure();
  ElementsAttr elements =
      getElements(op.getType(), std::move(buffer),
                  ("tally_constant_" + Twine(number)).str());
  OpBuilder builder(op);
  auto constant = arith::ConstantOp::create(builder, op.getLoc(),
                                            cast<TypedAttr>(elements));
  op.replaceAllUsesWith(constant.getResult());
  op.erase();
  return success();
}

LogicalResult tally::eraseAnnotations(ModuleOp module,
                                      StringRef dataDirectory) {
  int64_t constants = 0;
  WalkResult result = module.walk([&](Operation *op) {
    if (auto symbol = dyn_cast<tally::SymbolOp>(op)) {
      symbol.replaceAllUsesWith(symbol.getSource());
      symbol.erase();
    } else if (auto assume = dyn_cast<tally::AssumeOp>(op)) {
      assume.erase();
    } else if (auto constant = dyn_cast<tally::ConstantOp>(op)) {
      if (failed(readConstant(constant, constants++, dataDirectory)))
        return WalkResult::interrupt();
    } else if (isa<tally::CheckOp, tally::SizeOp>(op)) {
      op->emitError("is not allowed in a checked program; run "
                    "'tally-check-pipeline' first");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return success();
}

namespace {
struct EraseAnnotationsPass
    : tally::impl::EraseAnnotationsBase<EraseAnnotationsPass> {
  using EraseAnnotationsBase::EraseAnnotationsBase;

  void runOnOperation() override {
    if (failed(tally::eraseAnnotations(getOperation(), dataDirectory)))
      signalPassFailure();
  }
};

} // namespace
