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

/// What tests need to know of a type of elements: its name for matmuls, the
/// type of results, and an element for an integer from -8 to 8. Sums of
/// products of such elements are exact in f32.
template <typename T>
struct ElementOf {
  using Result = T;
  static constexpr auto type = sizeof(T) == 8 ? tally::runtime::MatmulType::F64
                                              : tally::runtime::MatmulType::F32;
  static T make(int value) { return T(value) / 8; }
};
template <>
struct ElementOf<BFloat16> {
  using Result = BFloat16;
  static constexpr auto type = tally::runtime::MatmulType::BF16;
  static BFloat16 make(int value) { return BFloat16(value / 8.0); }
};
template <>
struct ElementOf<int8_t> {
  using Result = int32_t;
  static constexpr auto type = tally::runtime::MatmulType::I8;
  /// The smallest number has no opposite.
  static int8_t make(int value) { return int8_t(value < 8 ? 16 * value : 127); }
};

#endif // TALLY_TEST_UNIT_RUNTIME_ELEMENTS_H
