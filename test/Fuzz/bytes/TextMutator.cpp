//===- TextMutator.cpp - Mutations that respect tokens --------------------===//

#include "TextMutator.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstring>
#include <random>
#include <string>

using namespace llvm;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

/// A part of the text.
struct Span {
  size_t begin = 0;
  size_t end = 0;

  size_t size() const { return end - begin; }
};

/// Literals that are at the edge of something.
constexpr StringLiteral kLiterals[] = {
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "64",
    "255",
    "65536",
    "2147483648",
    "281474976710657",
    "4611686018427387904",
    "9223372036854775807",
    "-9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "0.5",
    "-0.0",
    "1e308",
    "1e400",
    "inf",
    "nan",
    "true",
    "false",
    "null",
    "[]",
    "{}",
    "()",
    "\"\"",
    "?",
};

bool isWord(char c) { return isAlnum(c) || StringRef("_.$%@#!^").contains(c); }

/// A text and its units: words, strings, and what balanced brackets enclose,
/// brackets included.
class Text {
public:
  /// `opensStrings`: strings are cut into words as well.
  Text(StringRef text, bool opensStrings)
      : text(text), opensStrings(opensStrings) {
    findUnits();
  }

  ArrayRef<Span> getUnits() const { return units; }
  StringRef get(Span span) const { return text.slice(span.begin, span.end); }

private:
  void findUnits() {
    SmallVector<size_t> open;
    for (size_t i = 0; i < text.size();) {
      char c = text[i];
      size_t end = i + 1;
      if (c == '"' && !opensStrings) {
        while (end < text.size() && text[end] != '"')
          end += text[end] == '\\' ? 2 : 1;
        end = std::min(end + 1, text.size());
        units.push_back({i, end});
      } else if (isWord(c)) {
        while (end < text.size() && isWord(text[end]))
          ++end;
        units.push_back({i, end});
      } else if (StringRef("([{<").contains(c)) {
        open.push_back(i);
      } else if (StringRef(")]}").contains(c) ||
                 (c == '>' && i > 0 && text[i - 1] != '-')) {
        closeBracket(open, i);
      }
      i = end;
    }
  }

  void closeBracket(SmallVectorImpl<size_t> &open, size_t at) {
    StringRef pairs("()[]{}<>");
    char opening = pairs[pairs.find(text[at]) - 1];
    // A comparison is no bracket.
    while (opening != '<' && !open.empty() && text[open.back()] == '<')
      open.pop_back();
    if (open.empty() || text[open.back()] != opening)
      return;
    units.push_back({open.pop_back_val(), at + 1});
  }

  StringRef text;
  bool opensStrings;
  SmallVector<Span, 0> units;
};

/// One mutation after the other.
class Mutator {
public:
  Mutator(std::string text, unsigned seed)
      : text(std::move(text)), random(seed) {}

  void mutate();
  void insertFrom(StringRef other);
  const std::string &getText() const { return text; }
  size_t pick(size_t count) { return random() % count; }

private:
  void replace(Span span, StringRef by) {
    text.replace(span.begin, span.size(), by.str());
  }
  /// A unit like the given one: both are names of values, or numbers ...
  Span pickAlike(const Text &parsed, Span unit);
  Span pickUnit(const Text &parsed) {
    return parsed.getUnits()[pick(parsed.getUnits().size())];
  }
  void removeUnit(Span unit);
  void changeNumber(Span unit);
  void swapUnits(Span a, Span b);
  void changeLines();
  SmallVector<Span, 0> getLines() const;

  std::string text;
  std::minstd_rand random;
};

} // namespace

Span Mutator::pickAlike(const Text &parsed, Span unit) {
  char first = text[unit.begin];
  SmallVector<Span, 0> alike;
  for (Span other : parsed.getUnits()) {
    char c = text[other.begin];
    if (c == first || (isDigit(c) && isDigit(first)) ||
        (isAlpha(c) && isAlpha(first)))
      alike.push_back(other);
  }
  return alike[pick(alike.size())];
}

/// Removes a unit, with the comma behind or before it.
void Mutator::removeUnit(Span unit) {
  size_t next = text.find_first_not_of(" \n", unit.end);
  if (next != std::string::npos && text[next] == ',')
    unit.end = next + 1;
  else if (size_t last = text.find_last_not_of(" \n", unit.begin - 1);
           unit.begin > 0 && last != std::string::npos && text[last] == ',')
    unit.begin = last;
  replace(unit, "");
}

void Mutator::changeNumber(Span unit) {
  int64_t value = 0;
  if (StringRef(text).slice(unit.begin, unit.end).getAsInteger(10, value))
    return replace(unit, kLiterals[pick(std::size(kLiterals))]);
  auto bits = static_cast<uint64_t>(value);
  switch (pick(5)) {
  case 0:
    return replace(unit, std::to_string(static_cast<int64_t>(bits + 1)));
  case 1:
    return replace(unit, std::to_string(static_cast<int64_t>(bits - 1)));
  case 2:
    return replace(unit, std::to_string(static_cast<int64_t>(0 - bits)));
  case 3:
    return replace(unit, std::to_string(static_cast<int64_t>(bits * 2)));
  default:
    return replace(unit, kLiterals[pick(std::size(kLiterals))]);
  }
}

void Mutator::swapUnits(Span a, Span b) {
  if (a.begin > b.begin)
    std::swap(a, b);
  if (a.end > b.begin)
    return;
  std::string left = text.substr(a.begin, a.size());
  std::string right = text.substr(b.begin, b.size());
  replace(b, left);
  replace(a, right);
}

SmallVector<Span, 0> Mutator::getLines() const {
  SmallVector<Span, 0> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin);
    end = end == std::string::npos ? text.size() : end + 1;
    lines.push_back({begin, end});
    begin = end;
  }
  return lines;
}

void Mutator::changeLines() {
  SmallVector<Span, 0> lines = getLines();
  if (lines.empty())
    return;
  Span a = lines[pick(lines.size())], b = lines[pick(lines.size())];
  switch (pick(3)) {
  case 0:
    return replace(a, "");
  case 1:
    return (void)text.insert(b.begin, text.substr(a.begin, a.size()));
  default:
    return swapUnits(a, b);
  }
}

void Mutator::mutate() {
  Text parsed(text, /*opensStrings=*/pick(3) == 0);
  if (parsed.getUnits().empty())
    return;
  Span unit = pickUnit(parsed), other = pickUnit(parsed);
  switch (pick(9)) {
  case 0:
    return replace(unit, parsed.get(other).str());
  case 1:
  case 2:
    return replace(unit, parsed.get(pickAlike(parsed, unit)).str());
  case 3:
    return removeUnit(unit);
  case 4:
    return (void)text.insert(unit.begin, (parsed.get(other) + ", ").str());
  case 5:
    return swapUnits(unit, other);
  case 6:
    return changeNumber(unit);
  case 7: {
    // A number, if there is one near by.
    for (unsigned i = 0; i < 8 && !isDigit(text[unit.begin]); ++i)
      unit = pickUnit(parsed);
    return changeNumber(unit);
  }
  default:
    return changeLines();
  }
}

void Mutator::insertFrom(StringRef other) {
  bool opensStrings = pick(4) == 0;
  Text mine(text, opensStrings), theirs(other, opensStrings);
  if (mine.getUnits().empty() || theirs.getUnits().empty())
    return;
  Span from = theirs.getUnits()[pick(theirs.getUnits().size())];
  Span at = pickUnit(mine);
  if (pick(2))
    replace(at, theirs.get(from));
  else
    text.insert(at.begin, (theirs.get(from) + ", ").str());
}

static size_t write(StringRef text, uint8_t *out, size_t maxSize) {
  size_t size = std::min(text.size(), maxSize);
  if (size)
    std::memcpy(out, text.data(), size);
  return size;
}

static StringRef toText(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

size_t tally::fuzz::mutateText(uint8_t *data, size_t size, size_t maxSize,
                               unsigned seed) {
  Mutator mutator(toText(data, size).str(), seed);
  if (mutator.pick(6) == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  for (size_t count = 1 + mutator.pick(3); count > 0; --count)
    mutator.mutate();
  if (mutator.getText().size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  return write(mutator.getText(), data, maxSize);
}

size_t tally::fuzz::crossText(const uint8_t *first, size_t firstSize,
                              const uint8_t *second, size_t secondSize,
                              uint8_t *out, size_t maxSize, unsigned seed) {
  Mutator mutator(toText(first, firstSize).str(), seed);
  mutator.insertFrom(toText(second, secondSize));
  return write(mutator.getText(), out, maxSize);
}
