//===- Json.h - JSON in little memory ---------------------------*- C++ -*-===//
//
// The tree of a JSON text, in some 30 bytes a value: LLVM's takes 4 KB for an
// object, and an exported program has tens of thousands.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_JSON_H
#define TALLY_LIB_IMPORT_JSON_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>

namespace tally::import_pt2 {

struct JsonMember;

/// The members of an object, in the order of the text.
class JsonObject {
public:
  JsonObject() = default;
  explicit JsonObject(llvm::ArrayRef<JsonMember> members) : members(members) {}

  const JsonMember *begin() const { return members.begin(); }
  const JsonMember *end() const { return members.end(); }
  size_t size() const { return members.size(); }

  /// The value of a name, the last one if there are several; null if there is
  /// none.
  const class JsonValue *get(llvm::StringRef name) const;
  /// The value of a name where it is of this kind.
  std::optional<bool> getBoolean(llvm::StringRef name) const;
  std::optional<llvm::StringRef> getString(llvm::StringRef name) const;
  std::optional<int64_t> getInteger(llvm::StringRef name) const;
  std::optional<JsonObject> getObject(llvm::StringRef name) const;

private:
  llvm::ArrayRef<JsonMember> members;
};

/// A value of a tree: it refers to that and to the text.
class JsonValue {
public:
  enum class Kind : uint8_t { Null, Boolean, Number, String, Array, Object };

  JsonValue() = default;
  explicit JsonValue(bool value) : kind(Kind::Boolean), size(value ? 1 : 0) {}
  /// A number as it is written, or a string without its escapes.
  JsonValue(Kind kind, llvm::StringRef text)
      : data(text.data()), kind(kind), size(text.size()) {}
  explicit JsonValue(llvm::ArrayRef<JsonValue> elements)
      : data(elements.data()), kind(Kind::Array), size(elements.size()) {}
  explicit JsonValue(llvm::ArrayRef<JsonMember> members)
      : data(members.data()), kind(Kind::Object), size(members.size()) {}

  bool isNull() const { return kind == Kind::Null; }
  std::optional<bool> getBoolean() const;
  std::optional<llvm::StringRef> getString() const;
  /// The number as it is written, which may have more digits than 64 bits hold.
  std::optional<llvm::StringRef> getNumberText() const;
  /// A number without a fraction that 64 bits hold; 2.0 is one.
  std::optional<int64_t> getInteger() const;
  std::optional<double> getDouble() const;
  std::optional<llvm::ArrayRef<JsonValue>> getArray() const;
  std::optional<JsonObject> getObject() const;

private:
  const void *data = nullptr;
  Kind kind = Kind::Null;
  size_t size = 0;
};

struct JsonMember {
  llvm::StringRef name;
  JsonValue value;
};

/// Reads a text, which has to outlive the tree, as `allocator` has to. `what`
/// is what an error says that the text is.
llvm::Expected<JsonValue> parseJson(llvm::StringRef text, llvm::StringRef what,
                                    llvm::BumpPtrAllocator &allocator);

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_JSON_H
