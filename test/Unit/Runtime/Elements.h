//===- Elements.h - Elements whose sums are exact ---------------*- C++ -*-===//

#ifndef TALLY_TEST_UNIT_RUNTIME_ELEMENTS_H
#define TALLY_TEST_UNIT_RUNTIME_ELEMENTS_H

#include "../../../lib/Runtime/Matmul.h"

#include <cmath>
#include <cstdint>
#include <cstring>

/// An element of bf16, rounded to nearest even.
struct BFloat16 {
  BFloat16() = default;
  explicit BFloat16(double value) {
    float narrow = float(value);
    uint32_t wide;
    std::memcpy(&wide, &narrow, 4);
    bits = std::isnan(value)
               ? uint16_t(wide >> 16 | 0x40)
               : uint16_t((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
  }
  explicit operator double() const {
    uint32_t wide = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &wide, 4);
    return value;
  }
  bool operator==(const BFloat16 &other) const { return bits == other.bits; }

  uint16_t bits = 0;
};

/// A byte whose results are bytes, too.
struct Byte {
  Byte() = default;
  explicit Byte(uint64_t value) : value(int8_t(value)) {}
  explicit operator uint64_t() const { return uint64_t(int64_t(value)); }
  bool operator==(const Byte &other) const { return value == other.value; }

  int8_t value = 0;
};

/// What tests need to know of a type of elements: its name for matmuls, the
/// types of results and of sums, and an element for an integer from -8 to 8.
/// Sums of products of such elements are exact in f32; those of integers wrap.
template <typename T>
struct ElementOf {
  using Result = T;
  using Sum = double;
  static constexpr bool isWide = false;
  static constexpr auto type = sizeof(T) == 8 ? tally::runtime::MatmulType::F64
                                              : tally::runtime::MatmulType::F32;
  static T make(int value) { return T(value) / 8; }
};
template <>
struct ElementOf<BFloat16> {
  using Result = BFloat16;
  using Sum = double;
  static constexpr bool isWide = false;
  static constexpr auto type = tally::runtime::MatmulType::BF16;
  static BFloat16 make(int value) { return BFloat16(value / 8.0); }
};
template <>
struct ElementOf<int8_t> {
  using Result = int32_t;
  using Sum = uint64_t;
  static constexpr bool isWide = true;
  static constexpr auto type = tally::runtime::MatmulType::I8;
  /// The smallest number has no opposite.
  static int8_t make(int value) { return int8_t(value < 8 ? 16 * value : 127); }
};

template <>
struct ElementOf<Byte> {
  using Result = Byte;
  using Sum = uint64_t;
  static constexpr bool isWide = false;
  static constexpr auto type = tally::runtime::MatmulType::I8;
  static Byte make(int value) { return Byte(uint64_t(int64_t(15 * value))); }
};
template <>
struct ElementOf<int16_t> {
  using Result = int16_t;
  using Sum = uint64_t;
  static constexpr bool isWide = false;
  static constexpr auto type = tally::runtime::MatmulType::I16;
  static int16_t make(int value) { return int16_t(value * 4001); }
};
template <>
struct ElementOf<int32_t> {
  using Result = int32_t;
  using Sum = uint64_t;
  static constexpr bool isWide = false;
  static constexpr auto type = tally::runtime::MatmulType::I32;
  static int32_t make(int value) { return value * 260000001; }
};
template <>
struct ElementOf<int64_t> {
  using Result = int64_t;
  using Sum = uint64_t;
  static constexpr bool isWide = false;
  static constexpr auto type = tally::runtime::MatmulType::I64;
  static int64_t make(int value) { return value * 1100000000000000001; }
};

#endif // TALLY_TEST_UNIT_RUNTIME_ELEMENTS_H
