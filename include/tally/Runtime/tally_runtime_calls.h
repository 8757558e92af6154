//===- tally_runtime_calls.h - What compiled programs call --------*- C -*-===//
//
// The functions of the runtime that code compiled by Tally calls, and their
// structs. RuntimeFunctions.def lists the functions. Other programs have no use
// for them, but for those that custom functions may call. tally_runtime.h
// includes this header.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUNTIME_TALLY_RUNTIME_CALLS_H
#define TALLY_RUNTIME_TALLY_RUNTIME_CALLS_H

#ifndef TALLY_RUNTIME_TALLY_RUNTIME_H
#error "include tally/Runtime/tally_runtime.h"
#endif

// NOLINTBEGIN(readability-identifier-naming)

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Called by compiled code only
//===----------------------------------------------------------------------===//

/// The asserts of a compiled module: `records` holds, one after the other, the
/// fields of each as strings that end in NUL; `offsets[i]` is where the record
/// of assert i begins. The fields: expression, user message, required by,
/// declared by, file, line, column, number of values, then for each value its
/// kind (`i`, `b` or `f`), name and source.
typedef struct {
  const char *records;
  const int64_t *offsets;
} tally_rt_assert_table;

/// Memory of the call; never null for 0 bytes. Returns null after recording an
/// error where there is none; -1 bytes stand for a size that does not fit. In a
/// call on a GPU it is memory of that GPU, aligned to
/// TALLY_RT_DEVICE_ALIGNMENT.
TALLY_RT_EXPORT void *tally_rt_alloc(tally_rt_context *ctx, int64_t bytes,
                                     int64_t alignment);

/// Releases what tally_rt_alloc returned.
TALLY_RT_EXPORT void tally_rt_free(tally_rt_context *ctx, void *pointer);

/// Records that an assert failed, unless an error is already recorded, and
/// returns TALLY_RT_CHECK_FAILED. Floats are passed as the bits of a double.
TALLY_RT_EXPORT int32_t tally_rt_fail(tally_rt_context *ctx,
                                      const tally_rt_assert_table *table,
                                      int32_t index, int32_t num_values,
                                      const int64_t *values);

/// Calls a custom function and checks the sizes that it has written. `record`
/// holds strings that end in NUL: for each dimension of each result that is a
/// tensor, in order, `?` where its size may be less than the room and `=` where
/// not; the name of the function; file, line and column of the call. Returns a
/// status.
TALLY_RT_EXPORT int32_t tally_rt_custom_call(
    tally_rt_context *ctx, const char *record,
    tally_rt_custom_function function, const DLTensor *const *arguments,
    int32_t num_arguments, DLTensor *const *results, int32_t num_results);

/// The body of an outlined parallel loop. Returns a status.
typedef int32_t (*tally_rt_body)(tally_rt_context *ctx, int64_t begin,
                                 int64_t end, void *data);

/// Runs `body` over [begin, end); small loops run on the calling thread.
/// Returns nonzero if a chunk failed; chunks that start after a failure are
/// skipped.
TALLY_RT_EXPORT int32_t tally_rt_parallel_for(tally_rt_context *ctx,
                                              int64_t begin, int64_t end,
                                              int64_t grain, tally_rt_body body,
                                              void *data);

/// The level of x86-64 whose instructions compiled kernels and the runtime use:
/// 5 (AVX-512 with fast gathers), 4 (AVX-512), 3 (AVX2 and fused multiply-add),
/// or 0 for what all of its kind have. It is the highest that this machine
/// supports; TALLY_RT_CPU=baseline, x86-64-v3 or x86-64-v4 in the environment
/// lowers it, and the last one keeps matmuls from instructions above it, avx512
/// from those of AMX. The last bits of results in floating point depend on it.
TALLY_RT_EXPORT int32_t tally_rt_processor_level(void);

/// A constant operand of a matmul as the kernels of a processor read it: memory
/// of the library.
typedef struct {
  /// Null at first; the runtime keeps a packed copy there.
  void *data;
  /// A hash of the constant: two that differ have different ones. Zeros where
  /// the compiler does not know it.
  uint64_t fingerprint[4];
} tally_rt_packed;

/// For each index of the batch: C = A B on the CPU, where A is m x k and B is
/// k x n. All strides are in elements and may be any, 0 too (but not those of
/// C); each pair is of rows and of columns.
typedef struct {
  int64_t m, n, k;
  const void *a, *b;
  void *c;
  int64_t a_strides[2], b_strides[2], c_strides[2];
  int64_t batch_rank;
  /// batch_rank sizes, then as many strides of A, of B and of C.
  const int64_t *batch;
  /// A TALLY_RT_DATA_TYPE of A and B, and one of C: the same, f32 for f16 or
  /// bf16, or i32 for i8.
  int64_t dtype, c_dtype;
  /// Null, or where B is kept packed, if it is the same in each call.
  tally_rt_packed *packed_b;
} tally_rt_host_matmul_args;

/// Computes matmuls of f32, f64, f16 or bf16, the last two summed in f32 and
/// rounded once, or of i8, summed in i32, modulo 2^32. The order of each sum
/// follows from the sizes, the strides, the processor and whether B is
/// constant, never from the number of threads. A sum over nothing is zero.
/// `tally_rt_processor_level` tells which instructions it uses; those of
/// AVX512-BF16 and of AMX take subnormal bf16 for zero.
TALLY_RT_EXPORT int32_t tally_rt_host_matmul(
    tally_rt_context *ctx, const tally_rt_host_matmul_args *args);

/// A part of a matrix: element j of line i is at `elements[i * stride + j]`. It
/// is element `first` + j of line `line` + i of the whole.
typedef struct {
  void *elements;
  int64_t stride, line, lines, first, count;
} tally_rt_matrix_part;

/// Computes the elements of a part, on several threads at once. Does not fail,
/// and returns TALLY_RT_OK.
typedef int32_t (*tally_rt_matrix_fn)(tally_rt_context *ctx,
                                      const tally_rt_matrix_part *part,
                                      void *data);

/// A matmul without a batch whose B is not in memory: `b` is null, and
/// `compute` makes parts of B where they are multiplied or packed. Along its
/// lines B has the stride 1, else 0.
TALLY_RT_EXPORT int32_t tally_rt_host_matmul_computed(
    tally_rt_context *ctx, const tally_rt_host_matmul_args *args,
    tally_rt_matrix_fn compute, void *data);

/// A loop of a contraction: how often it runs, and by how many elements each
/// operand moves with it.
typedef struct {
  int64_t size, a_stride, b_stride, c_stride;
} tally_rt_host_loop;

/// C, at the position of all loops but those of k, is the sum over the loops of
/// k of A times B. Each kind of loops goes from the outermost to the innermost
/// one: those of a batch move C and A, B or both, those of m move A and C,
/// those of n move B and C, those of k move A and B. A convolution is one: a
/// loop over its result and one over its window move the same operand.
typedef struct {
  const void *a, *b;
  void *c;
  /// The numbers of loops; at most TALLY_RT_MAX_CONTRACT_RANK of m, of n and
  /// of k.
  int64_t batch_rank, m_rank, n_rank, k_rank;
  /// Those of the batch, of m, of n and of k.
  const tally_rt_host_loop *loops;
  /// As of a matmul.
  int64_t dtype, c_dtype;
  /// Null, or where A is kept packed, if it and the loops that move it are the
  /// same in each call.
  tally_rt_packed *packed_a;
} tally_rt_host_contract_args;

/// Computes a contraction by the matmuls of `tally_rt_host_matmul`, with what
/// that says about types, sums and threads. No copy of an operand is made.
TALLY_RT_EXPORT int32_t tally_rt_host_contract(
    tally_rt_context *ctx, const tally_rt_host_contract_args *args);

/// A sort of rows on the CPU. All strides are in elements and may be any, 0 too
/// (but not those of what is written).
typedef struct {
  const void *source;
  /// Elements in order, and where in its row each was. One may be null.
  void *values;
  int64_t *indices;
  /// The number of elements of a row, and the part of the order that is
  /// written.
  int64_t size, first, count;
  int64_t source_stride, values_stride, indices_stride;
  /// The loops over rows: their sizes, then as many strides of the source, of
  /// the values and of the indices.
  int64_t rank;
  const int64_t *loops;
  /// A TALLY_RT_DATA_TYPE; kDLBool is a byte.
  int64_t dtype;
  int64_t descending;
} tally_rt_host_sort_args;

/// Sorts rows of booleans, of integers of 8 to 64 bits, or of f16, bf16, f32 or
/// f64. What is equal keeps its order; both zeros are equal; NaN is the
/// largest, and equal to NaN. A row has at most TALLY_RT_MAX_SORT_SIZE
/// elements; memory is allocated for at most 32 bytes for each of them, for
/// each thread.
TALLY_RT_EXPORT int32_t tally_rt_host_sort(tally_rt_context *ctx,
                                           const tally_rt_host_sort_args *args);

/// A part of the scores of one head: element (i, j) is at
/// `scores[i * row_stride + j]` and belongs to the query `query + i` and to the
/// key `key + j`.
typedef struct {
  /// Products, which become scores: f64 where the operands are, else f32.
  void *scores;
  int64_t row_stride, query, queries, key, keys;
  /// The position in each loop of the batch.
  const int64_t *batch;
} tally_rt_score_block;

/// Makes scores of products, on several threads at once. Returns a status.
typedef int32_t (*tally_rt_score_fn)(tally_rt_context *ctx,
                                     const tally_rt_score_block *block,
                                     void *data);

/// Attention on the CPU. All strides are in elements and may be any, 0 too (but
/// not those of the output): of each operand's rows, which are queries or keys,
/// and of its columns.
typedef struct {
  const void *query, *key, *value;
  void *output;
  /// The numbers of queries and keys, the columns of both and those of values.
  int64_t queries, keys, depth, columns;
  int64_t query_strides[2], key_strides[2], value_strides[2], output_strides[2];
  /// Query i sees no keys but i + first_offset to i + last_offset.
  int64_t first_offset, last_offset;
  /// The loops over heads: their sizes, then as many strides of the queries, of
  /// the keys, of the values and of the output.
  int64_t batch_rank;
  const int64_t *batch;
  /// The number of keys' heads in the last loop, each shared by as many
  /// neighboring ones of queries; -1 if it is that of queries.
  int64_t key_heads;
  /// A TALLY_RT_DATA_TYPE: of all four.
  int64_t dtype;
  /// Not 0: a query that has keys, but no score above minus infinity, gets NaN.
  int64_t is_strict;
} tally_rt_host_attention_args;

/// For each query the sum of values, weighted by the softmax of its scores,
/// which `score` makes of products (null: they are the scores). Scores, weights
/// and sums of f16 and bf16 are kept in f32. A query of which all scores are
/// minus infinity gets zeros if the softmax is not strict. No result depends on
/// the number of threads; no memory is allocated for all scores.
TALLY_RT_EXPORT int32_t tally_rt_host_attention(
    tally_rt_context *ctx, const tally_rt_host_attention_args *args,
    tally_rt_score_fn score, void *data);

/// What a tally_rt_host_linear_algebra computes: a kind and flags.
typedef enum {
  TALLY_RT_LU = 0,
  TALLY_RT_SOLVE_LU = 1,
  TALLY_RT_CHOLESKY = 2,
  TALLY_RT_QR = 3,
  TALLY_RT_EIGH = 4,
  TALLY_RT_SVD = 5,
  TALLY_RT_SOLVE_TRIANGULAR = 6,
  TALLY_RT_GEQRF = 7,
  TALLY_RT_REFLECTIONS = 8,
  TALLY_RT_EIG = 9,
  TALLY_RT_LDL = 10,
  TALLY_RT_SOLVE_LDL = 11,
  TALLY_RT_MATRIX_EXP = 12,
  TALLY_RT_TRANSPOSED = 16,
  TALLY_RT_UPPER = 32,
  TALLY_RT_UNIT = 64,
  TALLY_RT_HERMITIAN = 128,
  /// By LAPACK even where the runtime has kernels of its own.
  TALLY_RT_BY_LAPACK = 256
} tally_rt_linear_algebra;

/// A matrix, a vector (one column) or a number of each problem of a batch.
/// Strides are in elements, those of complex numbers in parts.
typedef struct {
  void *data;
  int64_t rows, columns, row_stride, column_stride;
} tally_rt_host_matrix;

/// Problems of linear algebra on the CPU: the operands of a
/// `tally.linear_algebra`, in order.
typedef struct {
  /// Of tally_rt_linear_algebra.
  int64_t kind;
  /// A TALLY_RT_DATA_TYPE, that of the first operand: f32, f64, c64 or c128.
  /// Pivots and info are i32.
  int64_t dtype;
  int64_t num_matrices;
  const tally_rt_host_matrix *matrices;
  /// The sizes of the batch, then as many strides of each matrix, then, where
  /// there are complex numbers, the stride between the parts of those of each.
  int64_t batch_rank;
  const int64_t *batch;
} tally_rt_host_linear_algebra_args;

/// Factors matrices, or solves equations. LU, Cholesky and equations of at most
/// 64 rows and columns (32 where one matrix alone is factored) are kernels of
/// the runtime, for several problems at once; the rest is LAPACK's, which is
/// opened on the first call that needs it: `liblapack.so.3`, or the file that
/// TALLY_LIBLAPACK names. Fails where there is none, where what is computed
/// does not converge, and where a pivot is no row. Several problems run on
/// several threads.
TALLY_RT_EXPORT int32_t tally_rt_host_linear_algebra(
    tally_rt_context *ctx, const tally_rt_host_linear_algebra_args *args);

/// What a tally_rt_host_fft computes.
typedef enum {
  TALLY_RT_FFT_FORWARD = 0,
  TALLY_RT_FFT_BACKWARD = 1,
  TALLY_RT_FFT_REAL_TO_COMPLEX = 2,
  TALLY_RT_FFT_COMPLEX_TO_REAL = 3
} tally_rt_fft_kind;

/// What its sums are divided by, if not by 1.
typedef enum {
  TALLY_RT_FFT_BY_ROOT = 1,
  TALLY_RT_FFT_BY_LENGTH = 2
} tally_rt_fft_scaling;

/// Fourier transforms on the CPU: a `tally.fft`. Strides are in floats.
typedef struct {
  /// Of tally_rt_fft_kind and tally_rt_fft_scaling.
  int64_t kind;
  /// A TALLY_RT_DATA_TYPE of the parts: f32 or f64.
  int64_t dtype;
  int64_t scaling;
  /// Of a line, in complex numbers, or in real ones where one side has these.
  int64_t length;
  const void *in;
  /// From number to number, and from the real part to the other.
  int64_t in_stride, in_part_stride;
  void *out;
  int64_t out_stride, out_part_stride;
  /// The sizes of the batch, then as many strides of each side.
  int64_t batch_rank;
  const int64_t *batch;
} tally_rt_host_fft_args;

/// Transforms each line. Several lines run on several threads, and each has the
/// same result on all of them.
TALLY_RT_EXPORT int32_t tally_rt_host_fft(tally_rt_context *ctx,
                                          const tally_rt_host_fft_args *args);

//===----------------------------------------------------------------------===//
// Called by compiled host code of the GPU only
//===----------------------------------------------------------------------===//

/// Kernels in the compiled library: a cubin, or PTX that ends in NUL (counted
/// in `size`). `chip` is what they were compiled for.
typedef struct {
  const void *image;
  uint64_t size;
  const char *chip;
} tally_rt_gpu_module;

/// A kernel. Both structs are constants: their addresses stand for them.
typedef struct {
  const tally_rt_gpu_module *module;
  const char *name;
} tally_rt_kernel;

/// Queues a kernel. `arguments` points to one pointer for each parameter. A
/// grid of size 0 launches nothing.
TALLY_RT_EXPORT int32_t tally_rt_launch(
    tally_rt_context *ctx, const tally_rt_kernel *kernel, int64_t grid_x,
    int64_t grid_y, int64_t grid_z, int64_t block_x, int64_t block_y,
    int64_t block_z, int64_t shared_bytes, void *const *arguments);

/// Copies `bytes` bytes from the GPU to `host` and waits. With a table it also
/// fails if an assert failed in a kernel of this call.
TALLY_RT_EXPORT int32_t tally_rt_read_back(tally_rt_context *ctx,
                                           const tally_rt_assert_table *table,
                                           const void *device, void *host,
                                           int64_t bytes);

/// The copy of a constant of the library on the call's GPU, made once. Null
/// after recording an error; never null for 0 bytes.
TALLY_RT_EXPORT void *tally_rt_constant(tally_rt_context *ctx, const void *host,
                                        int64_t bytes);

/// Queues a copy within the GPU; the two do not overlap.
TALLY_RT_EXPORT int32_t tally_rt_copy(tally_rt_context *ctx, void *target,
                                      const void *source, int64_t bytes);

/// Where a kernel records that an assert failed. The one that turns `state`
/// from 0 to 1 plus the assert's index stores the rest.
typedef struct {
  int64_t state;
  int64_t count;
  /// Floats as the bits of a double.
  int64_t values[TALLY_RT_MAX_DEVICE_VALUES];
} tally_rt_device_error;

/// The tally_rt_device_error of this call, as an address for kernels; all 0
/// when the call first asks for it. Null after recording an error. `table`
/// tells what kernels record there; a failure that they have recorded comes
/// before one that tally_rt_fail is called for later.
TALLY_RT_EXPORT void *
tally_rt_device_errors(tally_rt_context *ctx,
                       const tally_rt_assert_table *table);

/// Waits and fails if an assert failed in a kernel of this call, as
/// tally_rt_fail. Does not wait in a call that never asked for
/// tally_rt_device_errors.
TALLY_RT_EXPORT int32_t tally_rt_check_device(
    tally_rt_context *ctx, const tally_rt_assert_table *table);

/// Whether results of this call may depend on the order in which threads come:
/// 1 or 0.
TALLY_RT_EXPORT int32_t tally_rt_any_order(const tally_rt_context *ctx);

/// For each b: the row-major matrix C[b] = op(A[b]) op(B[b]), where op(A[b]) is
/// m x k and op(B[b]) is k x n. Leading dimensions and strides between batches
/// are in elements. A bias is added to each row of one product of f32, f16 or
/// bf16, and negative elements become 0 after that, before sums are rounded.
typedef struct {
  int64_t batch, m, n, k;
  const void *a, *b;
  void *c;
  int64_t lda, ldb, ldc;
  int64_t stride_a, stride_b, stride_c;
  /// n elements of the type of C, or null for none.
  const void *bias;
  /// A TALLY_RT_DATA_TYPE: of A and B.
  int32_t dtype;
  int32_t transpose_a, transpose_b;
  /// That of C: the same, or f32 for f16 and bf16. 0 is the same.
  int32_t result_dtype;
  /// Whether negative elements become 0; NaN stays NaN.
  int32_t relu;
  int32_t reserved;
} tally_rt_matmul_args;

/// Queues a product: by cuBLASLt (f32 without tf32, f64, f16, bf16; half
/// precision is summed in f32), or where it cannot, by `fallback`: a kernel of
/// blocks of 256 threads that loops over all elements of C and takes a, b, c,
/// batch, m, n, k, lda, ldb, ldc, stride_a, stride_b, stride_c, and the bias
/// where there is one; the transpositions and what becomes 0 are part of it.
/// The first such use in a process prints a warning.
TALLY_RT_EXPORT int32_t tally_rt_matmul(tally_rt_context *ctx,
                                        const tally_rt_matmul_args *args,
                                        const tally_rt_kernel *fallback);

/// result[n, g, o, x] = the sum over c and k of weight[g, o, c, k] *
/// image[n, g, c, x * stride + k * dilation - padding], for three spatial
/// dimensions; one that there is not has the sizes 1. Where there is padding,
/// what lies outside of the image is 0; all else that is read lies in it. All
/// three tensors are without gaps.
typedef struct {
  int64_t batch, groups;
  /// Of one group.
  int64_t in_channels, out_channels;
  int64_t in[3], window[3], out[3], stride[3], dilation[3], padding[3];
  /// One of the three is written.
  void *image, *weight, *result;
  /// A TALLY_RT_DATA_TYPE: of all three.
  int64_t dtype;
} tally_rt_convolution_args;

/// Queues a convolution: by cuDNN (f32 without tf32, f64, f16, bf16; half
/// precision is summed in f32), or where it cannot, as products of the weight
/// and copies of windows, which take a bounded part of memory at a time.
/// `windows` is a kernel of blocks of 256 threads that copies them: it takes
/// image, target, rows, in, window, out[1], out[2], stride, dilation, padding,
/// first, count, where target[row, k, p] becomes image[row, x * stride + k *
/// dilation - padding], x being the position first + p of the result, for all k
/// of the window and all p below count. `product` is the fallback of
/// tally_rt_matmul without transpositions.
TALLY_RT_EXPORT int32_t tally_rt_convolution(
    tally_rt_context *ctx, const tally_rt_convolution_args *args,
    const tally_rt_kernel *windows, const tally_rt_kernel *product);

/// Queues the gradient of a convolution by its weight: weight[g, o, c, k]
/// becomes the sum over n and x of result[n, g, o, x] * image[n, g, c, x *
/// stride + k * dilation - padding]. By cuDNN as tally_rt_convolution, or by
/// `fallback`, a kernel of blocks of 256 threads that takes image, result,
/// weight, batch, groups, in_channels, out_channels, in, window, out, stride,
/// dilation and padding.
TALLY_RT_EXPORT int32_t tally_rt_weight_gradient(
    tally_rt_context *ctx, const tally_rt_convolution_args *args,
    const tally_rt_kernel *fallback);

/// Queues the gradient of a convolution by its image, which a transposed
/// convolution is as well: image[n, g, c, y] becomes the sum over o, and over x
/// and k with x * stride + k * dilation - padding = y, of result[n, g, o, x] *
/// weight[g, o, c, k]. What windows write outside of the image is left out, and
/// where none writes, the image is 0. By cuDNN as tally_rt_convolution, or by
/// `fallback`, a kernel as that of tally_rt_weight_gradient.
TALLY_RT_EXPORT int32_t tally_rt_image_gradient(
    tally_rt_context *ctx, const tally_rt_convolution_args *args,
    const tally_rt_kernel *fallback);

/// Fourier transforms on a GPU: lines that lie one after the other, without
/// gaps, and whose sums are not divided.
typedef struct {
  /// Of tally_rt_fft_kind.
  int64_t kind;
  /// A TALLY_RT_DATA_TYPE of the parts: f32 or f64.
  int64_t dtype;
  /// Of a line, in complex numbers, or in real ones where one side has these.
  int64_t length;
  /// The number of lines.
  int64_t batch;
  const void *in;
  void *out;
} tally_rt_fft_args;

/// Queues transforms by cuFFT, which is opened on the first call:
/// `libcufft.so.12`, `libcufft.so.11`, or the file that TALLY_LIBCUFFT names.
/// Fails where there is none. The operand stays as it is.
TALLY_RT_EXPORT int32_t tally_rt_fft(tally_rt_context *ctx,
                                     const tally_rt_fft_args *args);

#ifdef __cplusplus
}
#endif

// NOLINTEND(readability-identifier-naming)

#endif // TALLY_RUNTIME_TALLY_RUNTIME_CALLS_H
