//===- SortKeys.h - Elements as unsigned numbers ----------------*- C++ -*-===//
//
// A part of SortKernels.h, whose rules hold here too.
//
//===----------------------------------------------------------------------===//

namespace {

enum class Kind { Bool, Unsigned, Signed, Float };

template <typename T>
struct SignedOf;
template <>
struct SignedOf<uint8_t> {
  using Type = int8_t;
};
template <>
struct SignedOf<uint16_t> {
  using Type = int16_t;
};
template <>
struct SignedOf<uint32_t> {
  using Type = int32_t;
};
template <>
struct SignedOf<uint64_t> {
  using Type = int64_t;
};

/// Makes an unsigned key of the bits of an element; `infinity` is that of a
/// float. Elements that are equal have the same key.
template <typename KeyT, Kind kind, uint64_t infinity = 0>
struct Coder {
  using Key = KeyT;
  using Signed = typename SignedOf<Key>::Type;
  typedef Key Element __attribute__((may_alias));
  static constexpr bool isBoolean = kind == Kind::Bool;
  static constexpr int bits = 8 * sizeof(Key);
  static constexpr Key sign = Key(Key(1) << (bits - 1));
  static constexpr Key last = Key(~Key(0));

  /// The element as it is written: a boolean in memory may be any byte.
  static Element normalize(Element element) {
    return kind == Kind::Bool ? Element(element != 0) : element;
  }

  /// `flip` is 0, or all bits for the descending order.
  static Key encode(Key element, Key flip) {
    if constexpr (kind == Kind::Bool)
      element = normalize(element);
    if constexpr (kind == Kind::Signed)
      element = Key(element ^ sign);
    if constexpr (kind == Kind::Float) {
      bool isNaN = Key(element & Key(~sign)) > Key(infinity);
      // Both zeros are the positive one.
      element = element == sign ? Key(0) : element;
      Key negative = Key(Signed(element) >> (bits - 1));
      element = Key(element ^ Key(negative | sign));
      element = isNaN ? last : element;
    }
    return Key(element ^ flip);
  }

  /// The element that has a key, if it is no float.
  static Element decode(Key key, Key flip) {
    static_assert(kind != Kind::Float, "zeros and NaNs share their keys");
    Key element = Key(key ^ flip);
    return kind == Kind::Signed ? Element(element ^ sign) : Element(element);
  }
};

/// The lower halves of keys, for elements whose upper halves are the same.
template <typename Wide>
struct LowerCoder {
  using Key = uint32_t;
  using Signed = int32_t;
  using Element = typename Wide::Element;
  static constexpr int bits = 32;
  static constexpr Key sign = Key(1) << 31, last = ~Key(0);

  static Element normalize(Element element) { return element; }
  static Key encode(Element element, Key flip) {
    return Key(Wide::encode(element, 0)) ^ flip;
  }
};

/// How the elements of a row are sorted whose keys have the same upper halves:
/// like others, but for 64-bit integers, which are mostly small.
template <typename C>
struct NarrowCoder {
  using Type = C;
};
template <Kind kind>
struct NarrowCoder<Coder<uint64_t, kind>> {
  using Type = LowerCoder<Coder<uint64_t, kind>>;
};

} // namespace
