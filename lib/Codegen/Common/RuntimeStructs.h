//===- RuntimeStructs.h - Structs of the runtime in IR ----------*- C++ -*-===//
//
// The structs of tally_runtime.h that compiled code fills or reads, as types of
// IR. The fields are named here; where they lie and what they are comes from
// the header. A field that is left out, or out of order, does not compile.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_COMMON_RUNTIMESTRUCTS_H
#define TALLY_LIB_CODEGEN_COMMON_RUNTIMESTRUCTS_H

#include "RuntimeABI.h"

#include <cstddef>
#include <type_traits>

namespace tally::codegen {

/// A field of a struct, or as many fields as an array has elements.
struct AbiField {
  size_t offset;
  size_t size;
  AbiType type;
  size_t count;
};

/// The fields of a struct, in order.
template <typename Struct>
struct AbiStruct;

#define TALLY_ABI_FIELD(FIELD)                                                 \
  AbiField {                                                                   \
    offsetof(Struct, FIELD), sizeof(Struct::FIELD),                            \
        getAbiType<std::remove_all_extents_t<decltype(Struct::FIELD)>>(),      \
        sizeof(Struct::FIELD) /                                                \
            sizeof(std::remove_all_extents_t<decltype(Struct::FIELD)>)         \
  }

/// Returns whether the fields are all that the struct has: each begins where
/// the one before it ends. Padding has to be a field, too.
template <typename Struct>
constexpr bool hasAllFields() {
  size_t end = 0;
  for (const AbiField &field : AbiStruct<Struct>::fields) {
    if (field.offset != end)
      return false;
    end += field.size;
  }
  return end == sizeof(Struct);
}

/// The position in IR of the field at an offset.
template <typename Struct>
constexpr int64_t getFieldIndex(size_t offset) {
  int64_t index = 0;
  for (const AbiField &field : AbiStruct<Struct>::fields) {
    if (field.offset == offset)
      return index;
    index += int64_t(field.count);
  }
  return -1;
}

/// The type of a struct in IR, where an array is as many fields.
template <typename Struct>
mlir::LLVM::LLVMStructType getStructType(mlir::MLIRContext *context) {
  static_assert(hasAllFields<Struct>(),
                "the fields are not those of the header, in their order");
  llvm::SmallVector<mlir::Type> types;
  for (const AbiField &field : AbiStruct<Struct>::fields)
    types.append(field.count, getIRType(context, field.type));
  return mlir::LLVM::LLVMStructType::getLiteral(context, types);
}

//===----------------------------------------------------------------------===//
// Description of a compiled program
//===----------------------------------------------------------------------===//

template <>
struct AbiStruct<tally_rt_symbol> {
  using Struct = tally_rt_symbol;
  static constexpr AbiField fields[] = {
      TALLY_ABI_FIELD(name),      TALLY_ABI_FIELD(source),
      TALLY_ABI_FIELD(kind),      TALLY_ABI_FIELD(unbacked),
      TALLY_ABI_FIELD(has_lower), TALLY_ABI_FIELD(has_upper),
      TALLY_ABI_FIELD(lower),     TALLY_ABI_FIELD(upper),
      TALLY_ABI_FIELD(divisor),   TALLY_ABI_FIELD(assumed),
      TALLY_ABI_FIELD(reserved)};
};

template <>
struct AbiStruct<tally_rt_value> {
  using Struct = tally_rt_value;
  static constexpr AbiField fields[] = {
      TALLY_ABI_FIELD(name),    TALLY_ABI_FIELD(dtype),
      TALLY_ABI_FIELD(rank),    TALLY_ABI_FIELD(is_scalar),
      TALLY_ABI_FIELD(mutates), TALLY_ABI_FIELD(sizes),
      TALLY_ABI_FIELD(shape),   TALLY_ABI_FIELD(value)};
};

template <>
struct AbiStruct<tally_rt_hidden> {
  using Struct = tally_rt_hidden;
  static constexpr AbiField fields[] = {TALLY_ABI_FIELD(argument),
                                        TALLY_ABI_FIELD(dimension)};
};

template <>
struct AbiStruct<tally_rt_entry> {
  using Struct = tally_rt_entry;
  static constexpr AbiField fields[] = {
      TALLY_ABI_FIELD(name),        TALLY_ABI_FIELD(num_arguments),
      TALLY_ABI_FIELD(num_results), TALLY_ABI_FIELD(num_symbols),
      TALLY_ABI_FIELD(num_hidden),  TALLY_ABI_FIELD(arguments),
      TALLY_ABI_FIELD(results),     TALLY_ABI_FIELD(symbols),
      TALLY_ABI_FIELD(thunk),       TALLY_ABI_FIELD(hidden),
      TALLY_ABI_FIELD(num_states),  TALLY_ABI_FIELD(initial_state)};
};

template <>
struct AbiStruct<tally_rt_library> {
  using Struct = tally_rt_library;
  static constexpr AbiField fields[] = {
      TALLY_ABI_FIELD(abi_version), TALLY_ABI_FIELD(num_entries),
      TALLY_ABI_FIELD(entries),     TALLY_ABI_FIELD(device_type),
      TALLY_ABI_FIELD(reserved),    TALLY_ABI_FIELD(data)};
};

template <>
struct AbiStruct<tally_rt_data> {
  using Struct = tally_rt_data;
  static constexpr AbiField fields[] = {
      TALLY_ABI_FIELD(name),      TALLY_ABI_FIELD(base),
      TALLY_ABI_FIELD(bytes),     TALLY_ABI_FIELD(hash),
      TALLY_ABI_FIELD(is_mapped), TALLY_ABI_FIELD(reserved)};
};

//===----------------------------------------------------------------------===//
// Called by compiled code only
//===----------------------------------------------------------------------===//

template <>
struct AbiStruct<tally_rt_assert_table> {
  using Struct = tally_rt_assert_table;
  static constexpr AbiField fields[] = {TALLY_ABI_FIELD(records),
                                        TALLY_ABI_FIELD(offsets)};
};

template <>
struct AbiStruct<tally_rt_host_matmul_args> {
  using Struct = tally_rt_host_matmul_args;
  static constexpr AbiField fields[] = {
      TALLY_ABI_FIELD(m),         TALLY_ABI_FIELD(n),
      TALLY_ABI_FIELD(k),         TALLY_ABI_FIELD(a),
      TALLY_ABI_FIELD(b),         TALLY_ABI_FIELD(c),
      TALLY_ABI_FIELD(a_strides), TALLY_ABI_FIELD(b_strides),
      TALLY_ABI_FIELD(c_strides), TALLY_ABI_FIELD(batch_rank),
      TALLY_ABI_FIELD(batch),     TALLY_ABI_FIELD(dtype),
      TALLY_ABI_FIELD(c_dtype),   TALLY_ABI_FIELD(packed_b)};
};

template <>
struct AbiStruct<tally_rt_matrix_part> {
  using Struct = tally_rt_matrix_part;
  static constexpr AbiField fields[] = {
      TALLY_ABI_FIELD(elements), TALLY_ABI_FIELD(stride),
      TALLY_ABI_FIELD(line),     TALLY_ABI_FIELD(lines),
      TALLY_ABI_FIELD(first),    TALLY_ABI_FIELD(count)};
};

template <>
struct AbiStruct<tally_rt_host_loop> {
  using Struct = tally_rt_host_loop;
  static constexpr AbiField fields[] = {
      TALLY_ABI_FIELD(size), TALLY_ABI_FIELD(a_stride),
      TALLY_ABI_FIELD(b_stride), TALLY_ABI_FIELD(c_stride)};
};

template <>
struct AbiStruct<tally_rt_host_contract_args> {
  using Struct = tally_rt_host_contract_args;
  static constexpr AbiField fields[] = {
      TALLY_ABI_FIELD(a),       TALLY_ABI_FIELD(b),
      TALLY_ABI_FIELD(c),       TALLY_ABI_FIELD(batch_rank),
      TALLY_ABI_FIELD(m_rank),  TALLY_ABI_FIELD(n_rank),
      TALLY_ABI_FIELD(k_rank),  TALLY_ABI_FIELD(loops),
      TALLY_ABI_FIELD(dtype),   TALLY_ABI_FIELD(c_dtype),
      TALLY_ABI_FIELD(packed_a)};
};

template <>
struct AbiStruct<tally_rt_host_sort_args> {
  using Struct = tally_rt_host_sort_args;
  static constexpr AbiField fields[] = {
      TALLY_ABI_FIELD(source),         TALLY_ABI_FIELD(values),
      TALLY_ABI_FIELD(indices),        TALLY_ABI_FIELD(size),
      TALLY_ABI_FIELD(first),          TALLY_ABI_FIELD(count),
      TALLY_ABI_FIELD(source_stride),  TALLY_ABI_FIELD(values_stride),
      TALLY_ABI_FIELD(indices_stride), TALLY_ABI_FIELD(rank),
      TALLY_ABI_FIELD(loops),          TALLY_ABI_FIELD(dtype),
      TALLY_ABI_FIELD(descending)};
};

template <>
struct AbiStruct<tally_rt_host_matrix> {
  using Struct = tally_rt_host_matrix;
  static constexpr AbiField fields[] = {
      TALLY_ABI_FIELD(data), TALLY_ABI_FIELD(rows), TALLY_ABI_FIELD(columns),
      TALLY_ABI_FIELD(row_stride), TALLY_ABI_FIELD(column_stride)};
};

template <>
struct AbiStruct<tally_rt_host_linear_algebra_args> {
  using Struct = tally_rt_host_linear_algebra_args;
  static constexpr AbiField fields[] = {
      TALLY_ABI_FIELD(kind),         TALLY_ABI_FIELD(dtype),
      TALLY_ABI_FIELD(num_matrices), TALLY_ABI_FIELD(matrices),
      TALLY_ABI_FIELD(batch_rank),   TALLY_ABI_FIELD(batch)};
};

template <>
struct AbiStruct<tally_rt_host_fft_args> {
  using Struct = tally_rt_host_fft_args;
  static constexpr AbiField fields[] = {TALLY_ABI_FIELD(kind),
                                        TALLY_ABI_FIELD(dtype),
                                        TALLY_ABI_FIELD(scaling),
                                        TALLY_ABI_FIELD(length),
                                        TALLY_ABI_FIELD(in),
                                        TALLY_ABI_FIELD(in_stride),
                                        TALLY_ABI_FIELD(in_part_stride),
                                        TALLY_ABI_FIELD(out),
                                        TALLY_ABI_FIELD(out_stride),
                                        TALLY_ABI_FIELD(out_part_stride),
                                        TALLY_ABI_FIELD(batch_rank),
                                        TALLY_ABI_FIELD(batch)};
};

template <>
struct AbiStruct<tally_rt_score_block> {
  using Struct = tally_rt_score_block;
  static constexpr AbiField fields[] = {
      TALLY_ABI_FIELD(scores), TALLY_ABI_FIELD(row_stride),
      TALLY_ABI_FIELD(query),  TALLY_ABI_FIELD(queries),
      TALLY_ABI_FIELD(key),    TALLY_ABI_FIELD(keys),
      TALLY_ABI_FIELD(batch)};
};

template <>
struct AbiStruct<tally_rt_host_attention_args> {
  using Struct = tally_rt_host_attention_args;
  static constexpr AbiField fields[] = {
      TALLY_ABI_FIELD(query),         TALLY_ABI_FIELD(key),
      TALLY_ABI_FIELD(value),         TALLY_ABI_FIELD(output),
      TALLY_ABI_FIELD(queries),       TALLY_ABI_FIELD(keys),
      TALLY_ABI_FIELD(depth),         TALLY_ABI_FIELD(columns),
      TALLY_ABI_FIELD(query_strides), TALLY_ABI_FIELD(key_strides),
      TALLY_ABI_FIELD(value_strides), TALLY_ABI_FIELD(output_strides),
      TALLY_ABI_FIELD(first_offset),  TALLY_ABI_FIELD(last_offset),
      TALLY_ABI_FIELD(batch_rank),    TALLY_ABI_FIELD(batch),
      TALLY_ABI_FIELD(key_heads),     TALLY_ABI_FIELD(dtype),
      TALLY_ABI_FIELD(is_strict)};
};

//===----------------------------------------------------------------------===//
// Called by compiled host code of the GPU only
//===----------------------------------------------------------------------===//

template <>
struct AbiStruct<tally_rt_gpu_module> {
  using Struct = tally_rt_gpu_module;
  static constexpr AbiField fields[] = {
      TALLY_ABI_FIELD(image), TALLY_ABI_FIELD(size), TALLY_ABI_FIELD(chip)};
};

template <>
struct AbiStruct<tally_rt_kernel> {
  using Struct = tally_rt_kernel;
  static constexpr AbiField fields[] = {TALLY_ABI_FIELD(module),
                                        TALLY_ABI_FIELD(name)};
};

template <>
struct AbiStruct<tally_rt_matmul_args> {
  using Struct = tally_rt_matmul_args;
  static constexpr AbiField fields[] = {
      TALLY_ABI_FIELD(batch),       TALLY_ABI_FIELD(m),
      TALLY_ABI_FIELD(n),           TALLY_ABI_FIELD(k),
      TALLY_ABI_FIELD(a),           TALLY_ABI_FIELD(b),
      TALLY_ABI_FIELD(c),           TALLY_ABI_FIELD(lda),
      TALLY_ABI_FIELD(ldb),         TALLY_ABI_FIELD(ldc),
      TALLY_ABI_FIELD(stride_a),    TALLY_ABI_FIELD(stride_b),
      TALLY_ABI_FIELD(stride_c),    TALLY_ABI_FIELD(bias),
      TALLY_ABI_FIELD(dtype),       TALLY_ABI_FIELD(transpose_a),
      TALLY_ABI_FIELD(transpose_b), TALLY_ABI_FIELD(result_dtype),
      TALLY_ABI_FIELD(relu),        TALLY_ABI_FIELD(reserved)};
};

template <>
struct AbiStruct<tally_rt_convolution_args> {
  using Struct = tally_rt_convolution_args;
  static constexpr AbiField fields[] = {
      TALLY_ABI_FIELD(batch),       TALLY_ABI_FIELD(groups),
      TALLY_ABI_FIELD(in_channels), TALLY_ABI_FIELD(out_channels),
      TALLY_ABI_FIELD(in),          TALLY_ABI_FIELD(window),
      TALLY_ABI_FIELD(out),         TALLY_ABI_FIELD(stride),
      TALLY_ABI_FIELD(dilation),    TALLY_ABI_FIELD(padding),
      TALLY_ABI_FIELD(image),       TALLY_ABI_FIELD(weight),
      TALLY_ABI_FIELD(result),      TALLY_ABI_FIELD(dtype)};
};

template <>
struct AbiStruct<tally_rt_fft_args> {
  using Struct = tally_rt_fft_args;
  static constexpr AbiField fields[] = {
      TALLY_ABI_FIELD(kind),  TALLY_ABI_FIELD(dtype), TALLY_ABI_FIELD(length),
      TALLY_ABI_FIELD(batch), TALLY_ABI_FIELD(in),    TALLY_ABI_FIELD(out)};
};

#undef TALLY_ABI_FIELD

/// Stores a struct on the stack of a function. The values are those of its
/// fields, in order, each element of an array for itself.
mlir::Value createStruct(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::FunctionOpInterface function,
                         mlir::LLVM::LLVMStructType type,
                         llvm::ArrayRef<mlir::Value> values);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_COMMON_RUNTIMESTRUCTS_H
