//===- MatmulElements.h - The elements of matmuls ---------------*- C++ -*-===//
//
// How f16, bf16 and integers are read and written. A part of MatmulKernels.h,
// whose rules hold here too.
//
//===----------------------------------------------------------------------===//

namespace {

/// The bits of an f16 or a bf16.
struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};

float bitsToFloat(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

uint32_t floatToBits(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float widen(float value) { return value; }
double widen(double value) { return value; }
uint8_t widen(uint8_t value) { return value; }
uint16_t widen(uint16_t value) { return value; }
uint32_t widen(uint32_t value) { return value; }
uint64_t widen(uint64_t value) { return value; }
uint32_t widen(int8_t value) { return uint32_t(int32_t(value)); }
uint32_t widen(int16_t value) { return uint32_t(int32_t(value)); }
float widen(BFloat value) { return bitsToFloat(uint32_t(value.bits) << 16); }

/// Moves the exponent by a multiplication, which is right for subnormals, too.
float widen(Half value) {
  uint32_t magnitude = uint32_t(value.bits & 0x7fff) << 13;
  float scaled = bitsToFloat(magnitude) * bitsToFloat(0x77800000);
  uint32_t bits = floatToBits(scaled);
  if (magnitude >= 0x0f800000)
    bits |= 0x7f800000;
  return bitsToFloat(bits | uint32_t(value.bits & 0x8000) << 16);
}

void narrow(float value, float &result) { result = value; }
void narrow(double value, double &result) { result = value; }
void narrow(uint32_t value, int8_t &result) { result = int8_t(value); }
void narrow(uint32_t value, int16_t &result) { result = int16_t(value); }
void narrow(uint32_t value, uint32_t &result) { result = value; }
void narrow(uint64_t value, uint64_t &result) { result = value; }

#if defined(TALLY_MATMUL_PAIRS)
/// Zero in the place of a subnormal number.
float flush(float value) {
  uint32_t bits = floatToBits(value);
  return bits & 0x7f800000 ? value : bitsToFloat(bits & 0x80000000);
}
#else
float flush(float value) { return value; }
#endif

void narrow(float value, BFloat &result) {
  uint32_t bits = floatToBits(flush(value));
  bool isNaN = (bits & 0x7fffffff) > 0x7f800000;
  uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
  result.bits = uint16_t((isNaN ? bits | 0x400000 : rounded) >> 16);
}

void narrow(float value, Half &result) {
  uint32_t bits = floatToBits(value), sign = bits >> 16 & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  uint32_t rounded;
  if (magnitude > 0x7f800000) {
    rounded = 0x7e00;
  } else if (magnitude >= 0x477ff000) {
    rounded = 0x7c00;
  } else if (magnitude < 0x38800000) {
    // Subnormal: the unit of the sum is that of the result.
    rounded = floatToBits(bitsToFloat(magnitude) + 0.5f) - floatToBits(0.5f);
  } else {
    uint32_t odd = magnitude >> 13 & 1;
    rounded = (magnitude - 0x38000000 + 0xfff + odd) >> 13;
  }
  result.bits = uint16_t(sign | rounded);
}

/// The type that elements are multiplied and summed in.
template <typename S>
struct SumOf {
  using Type = float;
};
template <>
struct SumOf<double> {
  using Type = double;
};
/// Modulo 2^32.
template <>
struct SumOf<int8_t> {
  using Type = uint32_t;
};
template <>
struct SumOf<int16_t> {
  using Type = uint32_t;
};
template <>
struct SumOf<uint32_t> {
  using Type = uint32_t;
};
template <>
struct SumOf<uint64_t> {
  using Type = uint64_t;
};

} // namespace
