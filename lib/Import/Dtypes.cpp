//===- Dtypes.cpp - Element types of exported programs --------------------===//
//
//===----------------------------------------------------------------------===//

#include "Dtypes.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/ErrorHandling.h"

#include <cmath>
#include <limits>

using namespace llvm;
using namespace mlir;

namespace tally::import_pt2 {

std::optional<Dtype> getDtype(int64_t schemaNumber) {
  switch (schemaNumber) {
  case int(Dtype::U8):
  case int(Dtype::I8):
  case int(Dtype::I16):
  case int(Dtype::I32):
  case int(Dtype::I64):
  case int(Dtype::F16):
  case int(Dtype::F32):
  case int(Dtype::F64):
  case int(Dtype::Bool):
  case int(Dtype::BF16):
    return Dtype(schemaNumber);
  default:
    return std::nullopt;
  }
}

StringRef getDtypeName(int64_t schemaNumber) {
  switch (schemaNumber) {
  case 1:
    return "uint8";
  case 2:
    return "int8";
  case 3:
    return "int16";
  case 4:
    return "int32";
  case 5:
    return "int64";
  case 6:
    return "float16";
  case 7:
    return "float32";
  case 8:
    return "float64";
  case 9:
    return "complex32";
  case 10:
    return "complex64";
  case 11:
    return "complex128";
  case 12:
    return "bool";
  case 13:
    return "bfloat16";
  case 28:
    return "uint16";
  case 29:
    return "float8_e4m3fn";
  case 30:
    return "float8_e5m2";
  case 31:
    return "float8_e4m3fnuz";
  case 32:
    return "float8_e5m2fnuz";
  case 33:
    return "float8_e8m0fnu";
  case 34:
    return "uint32";
  case 35:
    return "uint64";
  default:
    return "unknown";
  }
}

unsigned getByteWidth(Dtype dtype) {
  switch (dtype) {
  case Dtype::U8:
  case Dtype::I8:
  case Dtype::Bool:
    return 1;
  case Dtype::I16:
  case Dtype::F16:
  case Dtype::BF16:
    return 2;
  case Dtype::I32:
  case Dtype::F32:
    return 4;
  case Dtype::I64:
  case Dtype::F64:
    return 8;
  case Dtype::Undefined:
    break;
  }
  llvm_unreachable("no element type");
}

mlir::Type getElementType(Dtype dtype, MLIRContext *context) {
  Builder b(context);
  switch (dtype) {
  case Dtype::U8:
  case Dtype::I8:
    return b.getI8Type();
  case Dtype::I16:
    return b.getI16Type();
  case Dtype::I32:
    return b.getI32Type();
  case Dtype::I64:
    return b.getI64Type();
  case Dtype::Bool:
    return b.getI1Type();
  case Dtype::F16:
    return b.getF16Type();
  case Dtype::BF16:
    return b.getBF16Type();
  case Dtype::F32:
    return b.getF32Type();
  case Dtype::F64:
    return b.getF64Type();
  case Dtype::Undefined:
    break;
  }
  llvm_unreachable("no element type");
}

/// The largest finite number of a type of floats.
static double getLargestFloat(Dtype dtype) {
  switch (dtype) {
  case Dtype::F16:
    return 65504.0;
  case Dtype::BF16:
    return 3.3895313892515355e38;
  case Dtype::F32:
    return std::numeric_limits<float>::max();
  default:
    return std::numeric_limits<double>::max();
  }
}

std::optional<std::pair<int64_t, int64_t>> getIntegerBounds(Dtype dtype) {
  if (dtype == Dtype::F16)
    return std::pair<int64_t, int64_t>(-65504, 65504);
  if (dtype == Dtype::U8)
    return std::pair<int64_t, int64_t>(-255, 255);
  if (!isInteger(dtype) || dtype == Dtype::I64)
    return std::nullopt;
  int64_t half = int64_t(1) << (8 * getByteWidth(dtype) - 1);
  return std::pair<int64_t, int64_t>(-half, half - 1);
}

std::optional<std::pair<double, double>> getFloatBounds(Dtype dtype) {
  if (dtype == Dtype::Bool || dtype == Dtype::F64)
    return std::nullopt;
  if (isFloating(dtype))
    return std::pair(-getLargestFloat(dtype), getLargestFloat(dtype));
  if (dtype == Dtype::U8)
    return std::pair(0.0, 255.0);
  // The largest integer of 64 bits is no float; the next one counts as it.
  double half = std::ldexp(1.0, int(8 * getByteWidth(dtype)) - 1);
  return std::pair(-half, dtype == Dtype::I64 ? half : half - 1);
}

bool fits(double value, Dtype dtype) {
  std::optional<std::pair<double, double>> bounds = getFloatBounds(dtype);
  if (!bounds || (isFloating(dtype) && !std::isfinite(value)))
    return true;
  return value >= bounds->first && value <= bounds->second;
}

Dtype promoteTypes(Dtype a, Dtype b) {
  if (a == b || b == Dtype::Bool)
    return a;
  if (a == Dtype::Bool)
    return b;
  if (isFloating(a) != isFloating(b))
    return isFloating(a) ? a : b;
  // Two halves of different kinds, or u8 beside a signed type, meet above.
  if (isHalf(a) && isHalf(b))
    return Dtype::F32;
  if ((a == Dtype::U8 && b == Dtype::I8) || (a == Dtype::I8 && b == Dtype::U8))
    return Dtype::I16;
  return getByteWidth(a) >= getByteWidth(b) ? a : b;
}

Dtype ResultType::promote(Dtype a, Dtype b) {
  if (a == Dtype::Undefined)
    return b;
  if (b == Dtype::Undefined)
    return a;
  return promoteTypes(a, b);
}

Dtype ResultType::combine(Dtype higher, Dtype lower) {
  if (higher != Dtype::Undefined && isFloating(higher))
    return higher;
  bool lowerFloats = lower != Dtype::Undefined && isFloating(lower);
  if (higher == Dtype::Bool || lowerFloats)
    return promote(higher, lower);
  return higher != Dtype::Undefined ? higher : lower;
}

} // namespace tally::import_pt2
