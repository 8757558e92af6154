//===- tally_runtime.h - C interface of compiled Tally programs ---*- C -*-===//
//
// The C ABI between a program compiled by Tally, the runtime it is linked with
// and the program that calls it. C99; no global state but the thread pool.
//
// A caller makes a call context, passes tensors as DLPack's DLTensor and gets
// results as DLManagedTensor:
//
//   tally_rt_context *ctx = tally_rt_context_create(NULL);
//   DLTensor *args[] = {&x, &y};
//   DLManagedTensor *results[1];
//   if (model_main(ctx, args, 2, results, 1) != TALLY_RT_OK)
//     puts(tally_rt_last_error(ctx)->message);
//   ...
//   results[0]->deleter(results[0]);
//   tally_rt_context_destroy(ctx);
//
// A program that was compiled for the GPU takes and returns tensors on it
// (kDLCUDA) and works on the caller's stream. The driver (libcuda.so.1) and
// cuBLASLt are loaded when they are first needed: without them everything on
// the CPU works. TALLY_LIBCUDA and TALLY_LIBCUBLASLT in the environment name
// other files to load.
//
// A call never ends the process: a failed check is a status and an error in the
// context, every buffer of the call has been released, and the context can be
// used again. A context serves one call at a time; any number of contexts may
// be used from any number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUNTIME_TALLY_RUNTIME_H
#define TALLY_RUNTIME_TALLY_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/// Version of everything in this header. Compiled programs carry the version
/// they were compiled for, and calls between different versions are refused.
#define TALLY_RT_ABI_VERSION 5

#if defined(_WIN32)
#define TALLY_RT_EXPORT
#else
#define TALLY_RT_EXPORT __attribute__((visibility("default")))
#endif

// The names are those of C and of DLPack.
// NOLINTBEGIN(readability-identifier-naming)

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// DLPack
//===----------------------------------------------------------------------===//

// Binary compatible with DLPack. A program that uses dlpack.h includes it
// before this header.
#ifndef DLPACK_DLPACK_H_
typedef enum {
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3,
  kDLCUDAManaged = 13
} DLDeviceType;

typedef enum {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLBool = 6
} DLDataTypeCode;

typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  /// Counted in elements; null for a compact row-major tensor.
  int64_t *strides;
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;
#endif // DLPACK_DLPACK_H_

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

/// The greatest size of an argument, and the greatest product of those of its
/// sizes that are not 0. A call with more is refused; compiled code relies on
/// it where it computes with sizes.
#define TALLY_RT_MAX_ELEMENTS ((int64_t)1 << 48)

/// The values that a failed assert of a kernel keeps; it has no more room.
#define TALLY_RT_MAX_DEVICE_VALUES 30

/// The dimensions of a tensor on a GPU that is not compact, counted after those
/// that lie one after the other have been merged.
#define TALLY_RT_MAX_COPY_RANK 16

/// The loops of m, of n and of k of a tally_rt_host_contract.
#define TALLY_RT_MAX_CONTRACT_RANK 8

/// The elements of a row of a tally_rt_host_sort.
#define TALLY_RT_MAX_SORT_SIZE ((int64_t)UINT32_MAX)

/// The alignment of memory of a call on the CPU, in bytes, where no more is
/// asked for: a cache line.
#define TALLY_RT_HOST_ALIGNMENT 64

/// The alignment of memory of a call on a GPU, in bytes.
#define TALLY_RT_DEVICE_ALIGNMENT 256

/// A data type in one number, as the structs that compiled code passes have it:
/// a DLDataTypeCode and the bits of an element.
#define TALLY_RT_DATA_TYPE(code, bits) ((code) << 8 | (bits))

//===----------------------------------------------------------------------===//
// Status and errors
//===----------------------------------------------------------------------===//

/// What a call returns.
typedef enum {
  TALLY_RT_OK = 0,
  /// A check of the program does not hold for these inputs.
  TALLY_RT_CHECK_FAILED = 1,
  /// A buffer could not be allocated, or its size does not fit in memory.
  TALLY_RT_OUT_OF_MEMORY = 2,
  /// The call does not fit the signature: number of arguments, data type, rank,
  /// device.
  TALLY_RT_INVALID_ARGUMENT = 3,
  /// The context is in use by another call. Its error is not touched.
  TALLY_RT_BUSY = 4,
  /// There is no GPU or no driver, or the driver or a library of the GPU
  /// failed; the message holds its text.
  TALLY_RT_DEVICE_ERROR = 5,
  /// A function that the program calls from elsewhere failed; the message holds
  /// its text.
  TALLY_RT_CUSTOM_FAILED = 6,
  /// The file with the program's constants is missing, or is another one; the
  /// message tells which it is.
  TALLY_RT_DATA_ERROR = 7
} tally_rt_status;

/// How the value of a name is to be read.
typedef enum {
  TALLY_RT_INT = 0,
  TALLY_RT_BOOL = 1,
  TALLY_RT_FLOAT = 2
} tally_rt_kind;

/// A name of a failed expression and the value it had.
typedef struct {
  /// A symbol (`s0`) or the text of a subexpression (`s0 * s1`).
  const char *name;
  /// Where the value comes from (`x.size(0)`); empty if that is not known.
  const char *source;
  tally_rt_kind kind;
  /// The value; of a boolean 0 or 1; of a float its value rounded to zero.
  int64_t value;
  /// The value as a floating-point number, whatever its kind.
  double float_value;
} tally_rt_error_value;

/// Why the last call failed. Strings are never null; they belong to the context
/// and live until its next call.
typedef struct {
  tally_rt_status status;
  /// Everything below in one line, for a person:
  /// `model.py:41: s0 * s1 == s2 does not hold: 24 * 7 = 168, s2 = 160
  /// (s0 = x.size(0), s1 = x.size(1), s2 = y.size(0)); needed by linalg.add`.
  const char *message;
  /// The expression that does not hold; empty where there is none.
  const char *expression;
  /// What the program's author wrote about it; may be empty.
  const char *user_message;
  /// The operation that needs it (`linalg.add`); may be empty.
  const char *required_by;
  /// The argument whose declaration says so; may be empty.
  const char *declared_by;
  /// Source position; the file may be empty, line and column may be 0.
  const char *file;
  int32_t line;
  int32_t column;
  int32_t num_values;
  const tally_rt_error_value *values;
} tally_rt_error;

//===----------------------------------------------------------------------===//
// Call contexts
//===----------------------------------------------------------------------===//

/// Where all memory of a call on the CPU comes from, its results included. Both
/// functions may be called from several threads at once. `allocate` returns
/// null where there is no memory; `bytes` is never 0. `deallocate` gets the
/// same size and alignment.
typedef struct {
  void *user;
  void *(*allocate)(void *user, size_t bytes, size_t alignment);
  void (*deallocate)(void *user, void *pointer, size_t bytes, size_t alignment);
} tally_rt_allocator;

/// A part [begin, end) of a parallel loop. Returns nonzero where it failed.
typedef int32_t (*tally_rt_chunk)(void *closure, int64_t begin, int64_t end);

/// Runs `chunk` over all of [begin, end) in pieces of about `grain` iterations
/// or more, in any order, on any threads, and returns when all have returned.
/// The result is nonzero if a chunk returned nonzero.
typedef int32_t (*tally_rt_parallel_for_fn)(void *user, int64_t begin,
                                            int64_t end, int64_t grain,
                                            tally_rt_chunk chunk,
                                            void *closure);

/// What a context is made with. A field that is null gets the default, and so
/// does one that lies behind `size`: a later version may add fields at the end.
typedef struct {
  /// sizeof(tally_rt_config), as the caller knows it.
  size_t size;
  /// Default: aligned memory of the C library. The context keeps what is freed
  /// for its next calls: together with what is in use, at most twice what one
  /// of the last calls has needed at once.
  const tally_rt_allocator *allocator;
  /// Default: oneTBB's pool.
  tally_rt_parallel_for_fn parallel_for;
  void *parallel_for_user;
} tally_rt_config;

/// A configuration in which everything is the default.
#define TALLY_RT_CONFIG_INIT {sizeof(tally_rt_config), 0, 0, 0}

typedef struct tally_rt_context tally_rt_context;

/// The ABI version of the runtime.
TALLY_RT_EXPORT uint32_t tally_rt_abi_version(void);

/// Makes a context; `config` may be null. Returns null where there is no
/// memory, or where the configuration does not tell its size.
TALLY_RT_EXPORT tally_rt_context *
tally_rt_context_create(const tally_rt_config *config);

/// Destroys a context. Results of its calls stay valid.
TALLY_RT_EXPORT void tally_rt_context_destroy(tally_rt_context *ctx);

/// Gives memory that the context keeps for its next calls back to the system.
/// A caller's allocator is asked for each buffer, nothing of it is kept.
TALLY_RT_EXPORT void tally_rt_context_trim(tally_rt_context *ctx);

/// The error of the context's last call, or null if it succeeded.
TALLY_RT_EXPORT const tally_rt_error *
tally_rt_last_error(const tally_rt_context *ctx);

/// The buffers that the context's calls hold; 0 between calls. Neither results
/// that were handed over, which belong to the caller, nor memory that is kept
/// for the next call are counted.
TALLY_RT_EXPORT int64_t tally_rt_live_allocations(const tally_rt_context *ctx);

/// An allocator for tests that puts every buffer against an inaccessible page:
/// its end (`before` zero), or its start (`before` nonzero). An access outside
/// of the buffer then ends the process at the instruction that made it. A
/// buffer's end is exact, so its start is only aligned as far as its size
/// allows.
TALLY_RT_EXPORT const tally_rt_allocator *
tally_rt_guard_page_allocator(int before);

/// A parallel-for that runs everything on the calling thread.
TALLY_RT_EXPORT int32_t tally_rt_serial_for(void *user, int64_t begin,
                                            int64_t end, int64_t grain,
                                            tally_rt_chunk chunk,
                                            void *closure);

//===----------------------------------------------------------------------===//
// Custom functions
//===----------------------------------------------------------------------===//

/// A function that a program calls with tally.custom_call. Arguments are
/// compact tensors on the CPU, numbers tensors of rank 0; nothing may be
/// written to them or kept. `results` are tensors with room for the sizes that
/// `shape` holds, the bounds that the program gives; element (i, j) is at
/// data[i * strides[0] + j * strides[1]]. The function writes the elements, and
/// each actual size, at most the bound, to the place in `shape` (a size that it
/// leaves alone is the bound; one that is no bound must stay). Returns 0, or
/// anything else where it failed: then the call of the program fails.
///
/// It may use tally_rt_custom_error, tally_rt_alloc, tally_rt_free and
/// tally_rt_parallel_for with `ctx`; what it allocates and does not free lives
/// until the program's call ends. It must not write behind the end of a result
/// or leave by longjmp; a C++ exception is a failure.
typedef int32_t (*tally_rt_custom_function)(tally_rt_context *ctx,
                                            const DLTensor *const *arguments,
                                            int32_t num_arguments,
                                            DLTensor *const *results,
                                            int32_t num_results);

/// For a custom function that fails: says why. Returns TALLY_RT_CUSTOM_FAILED,
/// to be returned. Of several messages the first counts.
TALLY_RT_EXPORT int32_t tally_rt_custom_error(tally_rt_context *ctx,
                                              const char *message);

//===----------------------------------------------------------------------===//
// The GPU
//===----------------------------------------------------------------------===//

/// Sets the stream (a CUstream) that the context's next calls work on; null,
/// the default, is the legacy default stream. The stream has to outlive the
/// results of its calls, which are released in its order: work on other streams
/// that reads a result has to be ordered before that.
TALLY_RT_EXPORT void tally_rt_set_stream(tally_rt_context *ctx, void *stream);

/// What the calls of a context have cost.
typedef struct {
  /// Kernels launched, those of the runtime included.
  int64_t launches;
  /// How often the host waited for the GPU.
  int64_t host_waits;
  /// Buffers of calls, results included.
  int64_t allocations;
  int64_t bytes_allocated;
  /// Constants copied to the GPU: once for each GPU, when first used.
  int64_t uploads;
  /// Calls of cuBLASLt.
  int64_t library_calls;
  int64_t reserved[2];
} tally_rt_counters;

/// The counts since the context was made or tally_rt_reset_counters.
TALLY_RT_EXPORT void tally_rt_get_counters(const tally_rt_context *ctx,
                                           tally_rt_counters *counters);

/// Sets all counts to 0.
TALLY_RT_EXPORT void tally_rt_reset_counters(tally_rt_context *ctx);

/// What there is to know about a GPU before compiling for it.
typedef struct {
  char name[256];
  /// What to compile for: `sm_80`, `sm_90a`.
  char chip[32];
  int32_t multiprocessors;
  int32_t reserved;
  int64_t memory_bytes;
} tally_rt_gpu_info;

/// Describes GPU `device`. Fails with TALLY_RT_DEVICE_ERROR where there is none
/// or no driver.
TALLY_RT_EXPORT int32_t tally_rt_get_gpu_info(tally_rt_context *ctx,
                                              int32_t device,
                                              tally_rt_gpu_info *info);

/// Copies a compact tensor on the CPU to GPU `device` and waits. The result
/// belongs to the caller.
TALLY_RT_EXPORT int32_t tally_rt_copy_to_device(tally_rt_context *ctx,
                                                int32_t device,
                                                const DLTensor *source,
                                                DLManagedTensor **result);

/// Copies a compact tensor on a GPU to `target` on the CPU and waits, after
/// everything before it on the context's stream.
TALLY_RT_EXPORT int32_t tally_rt_copy_to_host(tally_rt_context *ctx,
                                              const DLTensor *source,
                                              void *target);

/// Waits for everything on the context's stream of GPU `device`; a failure of
/// earlier work comes out here at the latest.
TALLY_RT_EXPORT int32_t tally_rt_synchronize(tally_rt_context *ctx,
                                             int32_t device);

//===----------------------------------------------------------------------===//
// Description of a compiled program
//===----------------------------------------------------------------------===//

/// A size name of an entry point, as declared.
typedef struct {
  const char *name;
  /// Where it is read (`x.size(0)`); empty if that was not declared.
  const char *source;
  /// A tally_rt_kind.
  int32_t kind;
  /// Nonzero if it is defined from data inside of the program.
  int32_t unbacked;
  int32_t has_lower;
  int32_t has_upper;
  int64_t lower;
  int64_t upper;
  /// It is a multiple of this; 1 if nothing is known.
  int64_t divisor;
  /// Nonzero if nobody checks the declaration.
  int32_t assumed;
  int32_t reserved;
} tally_rt_symbol;

/// An argument or a result.
typedef struct {
  const char *name;
  DLDataType dtype;
  int32_t rank;
  /// Nonzero for a number, which is passed as a tensor of rank 0.
  int32_t is_scalar;
  /// Of a result: the argument it is written back to, or -1. Such a result is
  /// not among the results of a call.
  int32_t mutates;
  /// `rank` sizes, -1 where they are dynamic.
  const int64_t *sizes;
  /// `rank` expressions over the symbols (`s0 * 2`), `?` where nothing is
  /// known.
  const char *const *shape;
  /// The value of a number as an expression; empty if it is not a size.
  const char *value;
} tally_rt_value;

/// What a program wants to know of the memory of an argument and the caller
/// does not pass: a stride or the storage offset of the tensor as it was given,
/// in elements. Without strides a tensor is compact.
typedef struct {
  /// Which argument, a tensor.
  int32_t argument;
  /// The dimension of the stride, or -1 for the storage offset.
  int32_t dimension;
} tally_rt_hidden;

/// The compiled function: `arguments` points to numbers and memref descriptors,
/// hidden ones last, `results` to the room for them. Only the runtime
/// calls it.
typedef int32_t (*tally_rt_thunk)(tally_rt_context *ctx, void *const *arguments,
                                  void *const *results);

/// A function that can be called from outside.
typedef struct {
  const char *name;
  int32_t num_arguments;
  /// All results of the compiled function, those that are written back to an
  /// argument included.
  int32_t num_results;
  int32_t num_symbols;
  int32_t num_hidden;
  const tally_rt_value *arguments;
  const tally_rt_value *results;
  const tally_rt_symbol *symbols;
  tally_rt_thunk thunk;
  const tally_rt_hidden *hidden;
} tally_rt_entry;

/// Where the constants of a program are that `tally-compile --data` wrote to a
/// file. The runtime maps the file when the program is first called; processes
/// share its pages.
typedef struct {
  /// The name of the file, which is in the folder of the library, or of the
  /// program that the code is linked into. Null where constants are in the
  /// library.
  const char *name;
  /// Whole pages that the constants are to be at.
  void *base;
  /// Their size; in the file a tally_rt_data_footer follows.
  int64_t bytes;
  /// A hash of the constants.
  uint64_t hash;
  /// Nonzero once they are there.
  int32_t is_mapped;
  int32_t reserved;
} tally_rt_data;

/// The end of a file with constants.
typedef struct {
  /// TALLY_RT_DATA_MAGIC
  char magic[8];
  int64_t bytes;
  uint64_t hash;
  uint64_t reserved;
} tally_rt_data_footer;

/// What a footer begins with.
#define TALLY_RT_DATA_MAGIC "tallydat"

/// A compiled program. Every compiled library exports
/// `const tally_rt_library *tally_library(void)`.
typedef struct {
  uint32_t abi_version;
  int32_t num_entries;
  const tally_rt_entry *entries;
  /// Where its tensors live: kDLCPU or kDLCUDA.
  int32_t device_type;
  int32_t reserved;
  tally_rt_data *data;
} tally_rt_library;

/// The entry point called `name`, or null.
TALLY_RT_EXPORT const tally_rt_entry *
tally_rt_find_entry(const tally_rt_library *library, const char *name);

/// The results that a call returns: those that are not written back.
TALLY_RT_EXPORT int32_t tally_rt_num_returned(const tally_rt_entry *entry);

/// Calls an entry point. Every argument is a tensor of the data type and rank
/// that the entry point declares; any strides will do. On success `results`
/// holds the returned tensors, compact, owned by the caller, sharing memory
/// with nothing; else it holds nulls, no argument has been written to, and
/// tally_rt_last_error says why.
///
/// Tensors live where the library runs, on a GPU all on the same one; numbers
/// (is_scalar) are on the CPU, and one that is given on the GPU is read back. A
/// call on the GPU returns when its work is queued: what fails after that comes
/// out of a later call. Without a tensor among the arguments it runs on the
/// calling thread's current GPU, or GPU 0. The thread's current context is the
/// same after the call. Booleans on the GPU have to be 0 or 1.
TALLY_RT_EXPORT int32_t tally_rt_invoke(
    const tally_rt_library *library, const tally_rt_entry *entry,
    tally_rt_context *ctx, DLTensor *const *arguments, int32_t num_arguments,
    DLManagedTensor **results, int32_t num_results);

/// Gives back what is kept for a library: its kernels and constants on GPUs,
/// and its weights as the kernels of the CPU read them. To be called before a
/// library is removed from memory where this runtime is not part of it; waits
/// for the GPUs.
TALLY_RT_EXPORT void tally_rt_release_library(const tally_rt_library *library);

//===----------------------------------------------------------------------===//
// Called by compiled code only
//===----------------------------------------------------------------------===//

// RuntimeFunctions.def lists what stands in this section and the next one.

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
/// 4 (AVX-512), 3 (AVX2 and fused multiply-add), or 0 for what every processor
/// of its kind has. It is the highest that this machine supports;
/// TALLY_RT_CPU=baseline or x86-64-v3 in the environment lowers it. The last
/// bits of results in floating point depend on it.
TALLY_RT_EXPORT int32_t tally_rt_processor_level(void);

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
  /// A TALLY_RT_DATA_TYPE: of all three.
  int64_t dtype;
  /// Null, or memory of the library, zero at first, if B is the same in each
  /// call: the runtime keeps a copy of B there that is packed for its kernels.
  void **packed_b;
} tally_rt_host_matmul_args;

/// Computes matmuls of f32, f64, f16 or bf16; the last two are summed in f32
/// and rounded once. The order of each sum follows from the sizes, the strides
/// and the processor, never from the number of threads. A sum over nothing is
/// zero. `tally_rt_processor_level` tells which instructions it uses.
TALLY_RT_EXPORT int32_t tally_rt_host_matmul(
    tally_rt_context *ctx, const tally_rt_host_matmul_args *args);

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
  /// A TALLY_RT_DATA_TYPE: of all three.
  int64_t dtype;
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
} tally_rt_host_attention_args;

/// For each query the sum of values, weighted by the softmax of its scores,
/// which `score` makes of products (null: they are the scores). Scores, weights
/// and sums of f16 and bf16 are kept in f32. A query of which all scores are
/// minus infinity gets zeros. No result depends on the number of threads; no
/// memory is allocated for all scores.
TALLY_RT_EXPORT int32_t tally_rt_host_attention(
    tally_rt_context *ctx, const tally_rt_host_attention_args *args,
    tally_rt_score_fn score, void *data);

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
/// when the call first asks for it. Null after recording an error.
TALLY_RT_EXPORT void *tally_rt_device_errors(tally_rt_context *ctx);

/// Waits and fails if an assert failed in a kernel of this call, as
/// tally_rt_fail. Does not wait in a call that never asked for
/// tally_rt_device_errors.
TALLY_RT_EXPORT int32_t tally_rt_check_device(
    tally_rt_context *ctx, const tally_rt_assert_table *table);

/// For each b: the row-major matrix C[b] = op(A[b]) op(B[b]), where op(A[b]) is
/// m x k and op(B[b]) is k x n. Leading dimensions and strides between batches
/// are in elements.
typedef struct {
  int64_t batch, m, n, k;
  const void *a, *b;
  void *c;
  int64_t lda, ldb, ldc;
  int64_t stride_a, stride_b, stride_c;
  /// A TALLY_RT_DATA_TYPE: of all three.
  int32_t dtype;
  int32_t transpose_a, transpose_b;
  int32_t reserved;
} tally_rt_matmul_args;

/// Queues a product: by cuBLASLt (f32 without tf32, f64, f16, bf16; half
/// precision is summed in f32), or where it cannot, by `fallback`: a kernel of
/// blocks of 256 threads that loops over all elements of C and takes a, b, c,
/// batch, m, n, k, lda, ldb, ldc, stride_a, stride_b, stride_c, where the
/// transpositions are part of it. The first such use in a process prints a
/// warning.
TALLY_RT_EXPORT int32_t tally_rt_matmul(tally_rt_context *ctx,
                                        const tally_rt_matmul_args *args,
                                        const tally_rt_kernel *fallback);

#ifdef __cplusplus
}
#endif

// NOLINTEND(readability-identifier-naming)

#endif // TALLY_RUNTIME_TALLY_RUNTIME_H
