//===- Constants.cpp - Weights and constants of a program -----------------===//
//
//===----------------------------------------------------------------------===//

#include "ComplexPairs.h"
#include "Importer.h"
#include "tally/IR/ElementBounds.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// The data file
//===----------------------------------------------------------------------===//

std::string DataFile::getReference() const {
  if (!options.dataFileReference.empty())
    return options.dataFileReference;
  return llvm::sys::path::filename(options.dataFile).str();
}

llvm::Expected<int64_t> DataFile::append(StringRef bytes) {
  if (!stream) {
    std::error_code code;
    stream = std::make_unique<llvm::raw_fd_ostream>(options.dataFile, code);
    if (code)
      return llvm::createStringError(code, "cannot write '" + options.dataFile +
                                               "': " + code.message());
  }
  uint64_t offset = llvm::alignTo(stream->tell(), 64);
  stream->write_zeros(unsigned(offset - stream->tell()));
  stream->write(bytes.data(), bytes.size());
  return int64_t(offset);
}

llvm::Error DataFile::finish() {
  if (!stream)
    return llvm::Error::success();
  stream->close();
  if (!stream->has_error())
    return llvm::Error::success();
  std::error_code code = stream->error();
  stream->clear_error();
  return llvm::createStringError(code, "cannot write '" + options.dataFile +
                                           "': " + code.message());
}

//===----------------------------------------------------------------------===//
// Tensors of the archive
//===----------------------------------------------------------------------===//

LogicalResult ProgramImporter::readTables() {
  struct Source {
    StringRef path;
    llvm::StringMap<StoredTensor> &table;
  };
  for (Source source :
       {Source{"data/weights/model_weights_config.json", weights},
        Source{"data/constants/model_constants_config.json", constants}}) {
    if (!archive.contains(source.path))
      continue;
    llvm::Expected<std::string> json = archive.read(source.path);
    if (!json)
      return emitError(getLocation()) << llvm::toString(json.takeError());
    llvm::Expected<llvm::StringMap<StoredTensor>> table =
        parseTensorTable(*json);
    if (!table)
      return emitError(getLocation()) << llvm::toString(table.takeError());
    source.table = std::move(*table);
    for (auto &entry : source.table)
      makePairs(entry.second.meta);
  }
  return success();
}

static bool isRowMajor(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  int64_t expected = 1;
  if (llvm::is_contained(sizes, 0))
    return true;
  for (auto [size, stride] : llvm::reverse(llvm::zip(sizes, strides))) {
    if (size != 1 && stride != expected)
      return false;
    expected *= size;
  }
  return true;
}

namespace {
/// Where the elements of a stored tensor are in its data.
struct Layout {
  SmallVector<int64_t> sizes, strides;
  int64_t offset = 0;
  int64_t count = 1;  ///< Elements of the tensor.
  int64_t extent = 0; ///< Elements of the data, up to the last one it has.
};
} // namespace

/// None if there is no such tensor, or it is too large for numbers of 64 bits.
static std::optional<Layout> getLayout(const TensorMeta &meta) {
  Layout layout;
  layout.offset = meta.storageOffset.literal.value_or(-1);
  if (layout.offset < 0 || meta.sizes.size() != meta.strides.size())
    return std::nullopt;
  int64_t last = layout.offset;
  for (auto [size, stride] : llvm::zip(meta.sizes, meta.strides)) {
    int64_t count = size.literal.value_or(-1);
    int64_t step = stride.literal.value_or(-1), span = 0;
    layout.sizes.push_back(count);
    layout.strides.push_back(step);
    if (count < 0 || step < 0 ||
        llvm::MulOverflow(layout.count, count, layout.count) ||
        llvm::MulOverflow(std::max<int64_t>(count - 1, 0), step, span) ||
        llvm::AddOverflow(last, span, last))
      return std::nullopt;
  }
  if (layout.count > 0 && llvm::AddOverflow(last, int64_t(1), layout.extent))
    return std::nullopt;
  return layout;
}

/// Data that a tensor repeats is written out up to this many bytes.
static constexpr uint64_t kMaxRepeatedBytes = uint64_t(1) << 30;

/// Reads the elements of a tensor, row-major.
FailureOr<std::string> ProgramImporter::readElements(const StoredTensor &stored,
                                                     const Twine &path) {
  llvm::Expected<std::string> bytes = archive.read(path.str());
  if (!bytes) {
    emitError(getLocation()) << llvm::toString(bytes.takeError());
    return failure();
  }
  std::optional<Layout> layout = getLayout(stored.meta);
  if (!layout)
    return emitError(getLocation())
           << "malformed sizes, strides or offset of the stored tensor '"
           << stored.path << "'";
  uint64_t width = getByteWidth(Dtype(stored.meta.dtype));
  if (uint64_t(layout->extent) > bytes->size() / width)
    return emitError(getLocation()) << "the stored tensor '" << stored.path
                                    << "' is larger than its data";
  if (uint64_t(layout->count) >
      std::max<uint64_t>(bytes->size(), kMaxRepeatedBytes) / width)
    return emitError(getLocation())
           << "the stored tensor '" << stored.path << "' repeats its data to "
           << layout->count << " elements, which are too many";
  if (layout->offset == 0 && isRowMajor(layout->sizes, layout->strides)) {
    bytes->resize(size_t(layout->count) * width);
    return std::move(*bytes);
  }
  std::string elements;
  elements.reserve(size_t(layout->count) * width);
  SmallVector<int64_t> index(layout->sizes.size());
  for (int64_t i = 0; i < layout->count; ++i) {
    int64_t at = layout->offset;
    for (auto [position, stride] : llvm::zip(index, layout->strides))
      at += position * stride;
    elements.append(*bytes, size_t(at) * width, width);
    for (int64_t dim = int64_t(index.size()) - 1; dim >= 0; --dim) {
      if (++index[dim] < layout->sizes[dim])
        break;
      index[dim] = 0;
    }
  }
  return elements;
}

/// Makes a dense attribute of raw little-endian elements.
static DenseElementsAttr getDense(RankedTensorType type, StringRef elements) {
  ArrayRef<char> raw(elements.data(), elements.size());
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, raw);
  SmallVector<bool> flags;
  for (char byte : raw)
    flags.push_back(byte != 0);
  return DenseElementsAttr::get(type, flags);
}

/// Whether all elements are the same, bit by bit, as operations that fold want
/// to know.
static bool isSplat(StringRef elements, size_t width) {
  return elements.drop_front(width) == elements.drop_back(width);
}

/// Makes an attribute that owns its elements; weights that are tied share it.
Attribute ProgramImporter::getResource(const TensorMeta &meta, StringRef path,
                                       RankedTensorType type,
                                       std::string elements) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << path << ' ' << type << ' ' << meta.storageOffset.literal.value_or(0);
  for (const SymInt &stride : meta.strides)
    os << ' ' << stride.literal.value_or(0);
  Attribute &resource = resources[key];
  if (resource)
    return resource;
  auto keep = std::make_shared<std::string>(std::move(elements));
  AsmResourceBlob blob(
      ArrayRef(keep->data(), keep->size()), /*dataAlignment=*/1,
      [keep](void *, size_t, size_t) mutable { keep.reset(); },
      /*dataIsMutable=*/false);
  resource = DenseResourceElementsAttr::get(type, "stored", std::move(blob));
  return resource;
}

FailureOr<Tensor> ProgramImporter::importConstant(Function &function,
                                                  const InputSpec &spec) {
  Location loc = NameLoc::get(StringAttr::get(context, spec.target));
  StringRef folder = "data/weights/";
  auto it = weights.find(spec.target);
  if (it == weights.end()) {
    folder = "data/constants/";
    it = constants.find(spec.target);
    if (it == constants.end())
      return emitError(getLocation())
             << "the archive lacks the tensor '" << spec.target << "'";
  }
  const StoredTensor &stored = it->second;
  std::optional<Dtype> dtype = getDtype(stored.meta.dtype);
  if (stored.isPickled || !dtype)
    return emitError(getLocation())
           << "the tensor '" << spec.target << "' is stored in a form that is "
           << "not supported (" << getDtypeName(stored.meta.dtype)
           << (stored.isPickled ? ", pickled)" : ")");
  FailureOr<Sizes> sizes = function.getRecordedSizes(stored.meta, loc);
  if (failed(sizes))
    return failure();
  FailureOr<std::string> elements = readElements(stored, folder + stored.path);
  if (failed(elements))
    return failure();
  Emitter emitter(function.state, loc, spec.target);
  RankedTensorType type = emitter.tensorType(*sizes, *dtype);
  OpBuilder &b = function.state.builder;
  Value value;
  if (data.isEnabled() && int64_t(elements->size()) > options.maxInlineBytes) {
    llvm::Expected<int64_t> offset = data.append(*elements);
    if (!offset)
      return emitError(getLocation()) << llvm::toString(offset.takeError());
    DenseI64ArrayAttr range;
    if (auto bounds = getElementBounds(type.getElementType(), *elements))
      range = b.getDenseI64ArrayAttr({bounds->first, bounds->second});
    value =
        ConstantOp::create(b, loc, type, b.getStringAttr(data.getReference()),
                           b.getI64IntegerAttr(*offset), range);
  } else if (options.asResources && isa<FloatType>(type.getElementType()) &&
             int64_t(elements->size()) > options.maxInlineBytes &&
             !isSplat(*elements, getByteWidth(*dtype))) {
    value = arith::ConstantOp::create(
        b, loc,
        cast<TypedAttr>(getResource(stored.meta, folder.str() + stored.path,
                                    type, std::move(*elements))));
  } else {
    value = arith::ConstantOp::create(b, loc, getDense(type, *elements));
  }
  return emitter.make(value, *dtype, *sizes);
}

} // namespace tally::import_pt2
