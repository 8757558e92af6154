//===- Constants.cpp - Weights and constants of a program -----------------===//
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

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
  }
  return success();
}

static bool isRowMajor(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  int64_t expected = 1;
  for (auto [size, stride] : llvm::reverse(llvm::zip(sizes, strides))) {
    if (size != 1 && stride != expected)
      return false;
    expected *= size;
  }
  return true;
}

/// Reads the elements of a tensor, row-major.
FailureOr<std::string> ProgramImporter::readElements(const StoredTensor &stored,
                                                     const Twine &path) {
  llvm::Expected<std::string> bytes = archive.read(path.str());
  if (!bytes) {
    emitError(getLocation()) << llvm::toString(bytes.takeError());
    return failure();
  }
  unsigned width = getByteWidth(Dtype(stored.meta.dtype));
  SmallVector<int64_t> sizes, strides;
  int64_t count = 1;
  for (auto [size, stride] :
       llvm::zip(stored.meta.sizes, stored.meta.strides)) {
    sizes.push_back(size.literal.value_or(-1));
    strides.push_back(stride.literal.value_or(-1));
    if (sizes.back() < 0 || strides.back() < 0 ||
        (sizes.back() > 0 && count > (int64_t(1) << 40) / sizes.back()))
      return emitError(getLocation()) << "malformed sizes of a stored tensor";
    count *= sizes.back();
  }
  int64_t offset = stored.meta.storageOffset.literal.value_or(0);
  if (offset == 0 && isRowMajor(sizes, strides) &&
      uint64_t(count) * width <= bytes->size()) {
    bytes->resize(size_t(count) * width);
    return std::move(*bytes);
  }
  std::string elements;
  elements.reserve(size_t(count) * width);
  SmallVector<int64_t> index(sizes.size());
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = offset;
    for (auto [position, stride] : llvm::zip(index, strides))
      at += position * stride;
    if (at < 0 || uint64_t(at + 1) * width > bytes->size())
      return emitError(getLocation())
             << "a stored tensor is larger than its data";
    elements.append(*bytes, size_t(at) * width, width);
    for (int64_t dim = int64_t(sizes.size()) - 1; dim >= 0; --dim) {
      if (++index[dim] < sizes[dim])
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
    value = ConstantOp::create(b, loc, type, data.getReference(), *offset);
  } else {
    value = arith::ConstantOp::create(b, loc, getDense(type, *elements));
  }
  return emitter.make(value, *dtype, *sizes);
}

} // namespace tally::import_pt2
