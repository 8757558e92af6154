//===- Npy.cpp - Files of numpy -------------------------------------------===//
//
// The format is numpy's own: a magic string, a version, and a Python dictionary
// with the data type, the order and the shape.
//
//===----------------------------------------------------------------------===//

#include "Array.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

using namespace llvm;
using namespace tally::run;

namespace {

/// What the dictionary of a file says.
struct Header {
  StringRef descr;
  bool fortranOrder = false;
  SmallVector<int64_t> shape;
};

constexpr StringLiteral kMagic("\x93NUMPY");

} // namespace

static Error npyError(StringRef path, const Twine &message) {
  return createStringError("'" + path + "': " + message);
}

/// The value after `'key':` in the dictionary.
static StringRef findValue(StringRef dictionary, StringRef key) {
  std::string quoted = ("'" + key + "':").str();
  size_t at = dictionary.find(quoted);
  if (at == StringRef::npos)
    return {};
  return dictionary.substr(at + quoted.size()).ltrim();
}

static Error parseHeader(StringRef path, StringRef dictionary, Header &header) {
  StringRef descr = findValue(dictionary, "descr");
  if (!descr.consume_front("'"))
    return npyError(path, "has no simple data type");
  header.descr = descr.take_until([](char c) { return c == '\''; });
  StringRef order = findValue(dictionary, "fortran_order");
  if (!order.starts_with("True") && !order.starts_with("False"))
    return npyError(path, "has a header without an order");
  header.fortranOrder = order.starts_with("True");
  StringRef shape = findValue(dictionary, "shape");
  if (!shape.consume_front("("))
    return npyError(path, "has a header without a shape");
  shape = shape.take_until([](char c) { return c == ')'; });
  SmallVector<StringRef> sizes;
  shape.split(sizes, ',');
  for (StringRef text : sizes) {
    int64_t size = 0;
    if (text.trim().empty())
      continue;
    if (text.trim().getAsInteger(10, size) || size < 0)
      return npyError(path, "has a size '" + text.trim() + "'");
    header.shape.push_back(size);
  }
  // As NumPy itself.
  constexpr size_t maxRank = 64;
  if (header.shape.size() > maxRank)
    return npyError(path, "has more than " + Twine(maxRank) + " dimensions");
  return Error::success();
}

static std::optional<DLDataType> parseDescr(StringRef descr) {
  if (descr.empty() || descr.front() == '>')
    return std::nullopt;
  return StringSwitch<std::optional<DLDataType>>(descr.drop_front())
      .Case("b1", parseType("i1"))
      .Case("u1", parseType("u8"))
      .Case("i1", parseType("i8"))
      .Case("i2", parseType("i16"))
      .Case("i4", parseType("i32"))
      .Case("i8", parseType("i64"))
      .Case("f2", parseType("f16"))
      .Case("f4", parseType("f32"))
      .Case("f8", parseType("f64"))
      .Cases({"V2", "u2"}, parseType("bf16"))
      .Default(std::nullopt);
}

/// Splits a file into its dictionary and its elements.
static Error splitFile(StringRef path, StringRef content, StringRef &dictionary,
                       StringRef &elements) {
  if (!content.starts_with(kMagic))
    return npyError(path, "is not an .npy file");
  if (content.size() < 10)
    return npyError(path, "is truncated: it ends in the header");
  auto byte = [&](size_t at) { return static_cast<uint8_t>(content[at]); };
  bool isShort = byte(6) == 1;
  if (byte(6) < 1 || byte(6) > 3)
    return npyError(path, "is of version " + Twine(unsigned(byte(6))) +
                              " of the format");
  size_t start = isShort ? 10 : 12;
  size_t length = byte(8) | byte(9) << 8;
  if (!isShort && content.size() >= 12)
    length |= static_cast<size_t>(byte(10)) << 16 |
              static_cast<size_t>(byte(11)) << 24;
  if (content.size() < start || content.size() - start < length)
    return npyError(path, "is truncated: it ends in the header");
  dictionary = content.substr(start, length);
  elements = content.substr(start + length);
  return Error::success();
}

/// Copies elements in column-major order into row-major order.
static void copyTransposed(const Array &array, const char *source) {
  ArrayRef<int64_t> shape = array.getShape();
  int64_t size = getElementSize(array.getType());
  for (int64_t i = 0; i < array.getNumElements(); ++i) {
    int64_t rest = i, stride = 1, from = 0;
    SmallVector<int64_t> index(shape.size());
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      index[d] = rest % shape[d];
    for (size_t d = 0; d < shape.size(); stride *= shape[d++])
      from += index[d] * stride;
    std::memcpy(array.getData() + i * size, source + from * size, size);
  }
}

Expected<Array> tally::run::parseNpy(StringRef name, StringRef content,
                                     const tally_rt_allocator &allocator) {
  StringRef dictionary, elements;
  Header header;
  if (Error error = splitFile(name, content, dictionary, elements))
    return std::move(error);
  if (Error error = parseHeader(name, dictionary, header))
    return std::move(error);
  // Complex numbers are pairs of floats.
  StringRef descr = header.descr;
  bool isComplex = descr == "<c8" || descr == "<c16";
  if (isComplex) {
    descr = descr == "<c8" ? "<f4" : "<f8";
    header.shape.push_back(2);
  }
  std::optional<DLDataType> type = parseDescr(descr);
  if (!type || (isComplex && header.fortranOrder))
    return npyError(name, "has data type '" + header.descr +
                              "', which is not supported");
  // The sizes of a damaged header may be any: what they need is asked for only
  // if the file has that many bytes.
  std::optional<int64_t> bytes = countBytes(*type, header.shape);
  if (bytes && elements.size() < static_cast<uint64_t>(*bytes))
    return npyError(name,
                    "is truncated: " + describeArray(*type, header.shape) +
                        " needs " + Twine(*bytes) + " bytes, it has " +
                        Twine(elements.size()));
  Expected<Array> array = Array::create(*type, header.shape, allocator);
  if (!array)
    return npyError(name, toString(array.takeError()));
  if (header.fortranOrder)
    copyTransposed(*array, elements.data());
  else
    std::memcpy(array->getData(), elements.data(), array->getNumBytes());
  return array;
}

Expected<Array> tally::run::readNpy(StringRef path,
                                    const tally_rt_allocator &allocator) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file)
    return npyError(path, "cannot be read: " + file.getError().message());
  return parseNpy(path, (*file)->getBuffer(), allocator);
}

static StringRef getDescr(DLDataType type) {
  return StringSwitch<StringRef>(printType(type))
      .Case("i1", "|b1")
      .Case("u8", "|u1")
      .Case("i8", "|i1")
      .Case("i16", "<i2")
      .Case("i32", "<i4")
      .Case("i64", "<i8")
      .Case("f16", "<f2")
      .Case("bf16", "<V2")
      .Case("f32", "<f4")
      .Default("<f8");
}

Error tally::run::writeNpy(StringRef path, const Array &array) {
  std::string shape;
  for (int64_t size : array.getShape())
    shape += std::to_string(size) + ", ";
  // One comma is needed in a tuple of one, none after the last of several.
  if (array.getShape().size() == 1)
    shape.pop_back();
  else if (!shape.empty())
    shape.resize(shape.size() - 2);
  std::string dictionary =
      ("{'descr': '" + getDescr(array.getType()) +
       "', 'fortran_order': False, 'shape': (" + shape + "), }")
          .str();
  // The elements start at a multiple of 64 bytes.
  size_t total = alignTo(10 + dictionary.size() + 1, 64);
  dictionary.resize(total - 10 - 1, ' ');
  dictionary.push_back('\n');
  std::error_code error;
  raw_fd_ostream os(path, error, sys::fs::OF_None);
  if (error)
    return npyError(path, "cannot be written: " + error.message());
  os << kMagic << '\x01' << '\x00' << static_cast<char>(dictionary.size() & 255)
     << static_cast<char>(dictionary.size() >> 8) << dictionary;
  os.write(array.getData(), array.getNumBytes());
  os.close();
  if (!os.has_error())
    return Error::success();
  std::string message = os.error().message();
  os.clear_error();
  return npyError(path, "cannot be written: " + message);
}
