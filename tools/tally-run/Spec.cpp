//===- Spec.cpp - Inputs as they are written on the command line ----------===//

#include "Array.h"
#include "SplitMix.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace tally::run;

/// A number in [-1, 1), each equally likely.
static double nextFloat(SplitMix &random) {
  return static_cast<double>(random.next() >> 11) / (1ull << 52) - 1;
}

static Error specError(StringRef spec, const Twine &message) {
  return createStringError("input '" + spec + "': " + message);
}

/// Floats in [-1, 1), booleans, and integers from 0 to 9.
static void fillRandom(Array &array, uint64_t seed) {
  SplitMix random(seed);
  bool isBool = array.getType().code == kDLBool;
  for (int64_t i = 0; i < array.getNumElements(); ++i) {
    if (isFloat(array.getType()))
      array.setFloat(i, nextFloat(random));
    else
      array.setInt(i, static_cast<int64_t>(random.next() >> 8) %
                          (isBool ? 2 : 10));
  }
}

/// Sets one element from text; false where it is not one of the data type.
static bool setElement(Array &array, int64_t index, StringRef text) {
  if (isFloat(array.getType())) {
    double value = 0;
    // Nothing would be read as 0.
    if (text.empty() || !to_float(text, value))
      return false;
    array.setFloat(index, value);
    return true;
  }
  if (array.getType().code == kDLBool) {
    if (text != "true" && text != "false" && text != "1" && text != "0")
      return false;
    array.setInt(index, text == "true" || text == "1");
    return true;
  }
  int64_t value = 0;
  if (text.getAsInteger(10, value))
    return false;
  array.setInt(index, value);
  return array.getInt(index) == value; // else it was out of range
}

static Error parseElements(StringRef spec, StringRef text, Array &array,
                           const tally_rt_allocator &allocator) {
  SmallVector<StringRef> elements;
  if (!text.trim().empty())
    text.split(elements, ',');
  int64_t count = array.getNumElements();
  // A single element fills the array.
  bool fills = elements.size() == 1;
  if (!fills && static_cast<int64_t>(elements.size()) != count)
    return specError(spec, Twine(elements.size()) + " elements for " +
                               array.describe());
  auto set = [&](Array &target, int64_t i, StringRef element) -> Error {
    if (setElement(target, i, element.trim()))
      return Error::success();
    // A word in the place of all elements looks for another way to fill them.
    bool isWord = fills && element.trim().size() > 1 &&
                  llvm::all_of(element.trim(), llvm::isAlpha);
    return specError(spec, "'" + element.trim() + "' is not of type " +
                               printType(target.getType()) +
                               (isWord ? "; write a number, which fills the "
                                         "array, or 'random'"
                                       : ""));
  };
  // What fills an array without elements has to be an element all the same.
  if (fills && count == 0) {
    Expected<Array> one = Array::create(array.getType(), {}, allocator);
    return one ? set(*one, 0, elements[0]) : one.takeError();
  }
  for (int64_t i = 0; i < count; ++i)
    if (Error error = set(array, i, elements[fills ? 0 : i]))
      return error;
  return Error::success();
}

/// Reads `3,0,7` (brackets removed).
static bool parseShape(StringRef text, SmallVectorImpl<int64_t> &shape) {
  if (text.trim().empty())
    return true;
  SmallVector<StringRef> sizes;
  text.split(sizes, ',');
  for (StringRef size : sizes) {
    if (size.trim().getAsInteger(10, shape.emplace_back()) || shape.back() < 0)
      return false;
  }
  return true;
}

Expected<Array> tally::run::readSpec(StringRef spec, StringRef folder,
                                     uint64_t seed,
                                     const tally_rt_allocator &allocator) {
  auto [head, value] = spec.split('=');
  StringRef name = head.take_until([](char c) { return c == '['; }).trim();
  std::optional<DLDataType> type = parseType(name);
  if (!type || !spec.contains('=')) {
    if (!spec.ends_with(".npy"))
      return specError(spec, "is neither a file ending in .npy nor of the form "
                             "f32[2,3]=random, i64[2]=1,2 or i64=3");
    SmallString<128> path(spec);
    if (sys::path::is_relative(path)) {
      path = folder;
      sys::path::append(path, spec);
    }
    return readNpy(path, allocator);
  }
  StringRef brackets = head.trim().drop_front(name.size()).trim();
  SmallVector<int64_t> shape;
  if (!brackets.empty() &&
      (!brackets.consume_front("[") || !brackets.consume_back("]") ||
       !parseShape(brackets, shape)))
    return specError(spec, "'" + head.trim().drop_front(name.size()) +
                               "' is no shape; write its sizes as in f32[2,3]");
  Expected<Array> array = Array::create(*type, shape, allocator);
  if (!array)
    return array.takeError();
  if (value.trim() == "random")
    fillRandom(*array, seed);
  else if (Error error = parseElements(spec, value, *array, allocator))
    return std::move(error);
  return array;
}
