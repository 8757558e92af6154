//===- RuntimeFunctions.h - What compiled code calls ------------*- C++ -*-===//
//
// The functions of RuntimeFunctions.def as constants, with what the compiler
// has to know of their C types. Nothing here needs the runtime to be linked.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUNTIME_RUNTIMEFUNCTIONS_H
#define TALLY_RUNTIME_RUNTIMEFUNCTIONS_H

#include "tally/Runtime/tally_runtime.h"

#include <array>
#include <cstddef>
#include <type_traits>

namespace tally {

/// The type of compiled code for a C type.
enum class AbiType { Void, I8, I16, I32, I64, Pointer, DataType };

/// Returns what a C type is to compiled code; no other type compiles.
template <typename T>
constexpr AbiType getAbiType() {
  if constexpr (std::is_void_v<T>) {
    return AbiType::Void;
  } else if constexpr (std::is_pointer_v<T>) {
    static_assert(sizeof(T) == 8, "compiled code is for 64 bits");
    return AbiType::Pointer;
  } else if constexpr (std::is_same_v<T, DLDataType>) {
    return AbiType::DataType;
  } else {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T>,
                  "compiled code passes integers and pointers");
    return sizeof(T) == 1   ? AbiType::I8
           : sizeof(T) == 2 ? AbiType::I16
           : sizeof(T) == 4 ? AbiType::I32
                            : AbiType::I64;
  }
}

/// A C function type, as compiled code sees it.
template <typename Function>
struct AbiSignature;
template <typename Result, typename... Arguments>
struct AbiSignature<Result(Arguments...)> {
  static constexpr size_t numArguments = sizeof...(Arguments);
  static constexpr AbiType result = getAbiType<Result>();
  static constexpr std::array<AbiType, sizeof...(Arguments)> arguments{
      getAbiType<Arguments>()...};
};

/// A function of the runtime: its name, and as a type its signature.
template <typename Function>
struct RuntimeFunction {
  using Signature = AbiSignature<Function>;
  const char *name;
};

/// The functions of RuntimeFunctions.def: `kAlloc` is tally_rt_alloc.
namespace runtime_functions {
#define TALLY_RUNTIME_FUNCTION(NAME, FUNCTION)                                 \
  inline constexpr RuntimeFunction<decltype(FUNCTION)> k##NAME{#FUNCTION};
#include "tally/Runtime/RuntimeFunctions.def"
} // namespace runtime_functions

} // namespace tally

#endif // TALLY_RUNTIME_RUNTIMEFUNCTIONS_H
