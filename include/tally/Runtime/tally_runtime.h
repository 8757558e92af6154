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

/// Version of everything in this header and in tally_runtime_calls.h. Compiled
/// programs carry the version they were compiled for, and calls between
/// different versions are refused.
#define TALLY_RT_ABI_VERSION 11

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
  kDLComplex = 5,
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

/// The status of a call.
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
  /// The message of the program's author; may be empty.
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

/// The configuration of a context. A field that is null gets the default, and
/// so does one that lies behind `size`: a later version may add fields at the
/// end.
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

/// Gives memory that the context keeps for its next calls back to the system,
/// and what its GPU keeps, after waiting for what runs there.
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

/// Whether later calls on a GPU return although checks of data may still fail
/// (0, the default: they wait for these). A call waits all the same where it
/// needs a value of the GPU, and where it updates an argument. Once a check has
/// failed, later calls compute nothing; the results of that call and of those
/// behind it are undefined. The failure is that of tally_rt_finish_checks, or
/// of the next call that waits.
TALLY_RT_EXPORT void tally_rt_defer_checks(tally_rt_context *ctx,
                                           int32_t defer);

/// Whether later calls on a GPU give the same bits each time (1, the default),
/// or may add floats up in the order in which threads happen to come (0), as
/// algorithms of libraries do, and leave any of the values that are written to
/// one element: gradients of convolutions, and transposed ones, in f32 are up
/// to seven times as fast then, and scatters several times.
TALLY_RT_EXPORT void tally_rt_set_deterministic(tally_rt_context *ctx,
                                                int32_t deterministic);

/// Waits for the checks of calls that have returned, if there are any, and
/// returns TALLY_RT_OK, or the status of the first that failed, which
/// tally_rt_last_error describes. To be called before a library whose calls
/// have checks left is unloaded.
TALLY_RT_EXPORT int32_t tally_rt_finish_checks(tally_rt_context *ctx);

/// Counters of what the calls of a context have cost.
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

/// The properties of a GPU that compiling for it takes.
typedef struct {
  char name[256];
  /// The architecture to compile for: `sm_80`, `sm_90a`.
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
  /// A complex number is a pair of floats, the real part first: the compiled
  /// function has a dimension of two floats behind the others.
  DLDataType dtype;
  int32_t rank;
  /// Nonzero for a number, which is passed as a tensor of rank 0.
  int32_t is_scalar;
  /// Of a result: the argument, or state, it is written back to, or -1. Such a
  /// result is not among the results of a call.
  int32_t mutates;
  /// `rank` sizes, -1 where they are dynamic.
  const int64_t *sizes;
  /// `rank` expressions over the symbols (`s0 * 2`), `?` where nothing is
  /// known.
  const char *const *shape;
  /// The value of a number as an expression; empty if it is not a size.
  const char *value;
} tally_rt_value;

/// A property of the memory of an argument that the program reads and the
/// caller does not pass: a stride or the storage offset of the tensor as it was
/// given, in elements. Without strides a tensor is compact.
typedef struct {
  /// Which argument, a tensor.
  int32_t argument;
  /// The dimension of the stride, or -1 for the storage offset.
  int32_t dimension;
} tally_rt_hidden;

/// The compiled function: `arguments` points to numbers and memref descriptors,
/// those of the state and then the hidden ones last, `results` to the room for
/// them. Only the runtime
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
  /// The tensors that a context keeps between calls of the entry point: they
  /// follow the arguments of the caller in `arguments`.
  int32_t num_states;
  /// The entry point of the library that takes nothing and returns their first
  /// values; -1 if there are none.
  int32_t initial_state;
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

/// The first bytes of a footer.
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
/// same after the call.
TALLY_RT_EXPORT int32_t tally_rt_invoke(
    const tally_rt_library *library, const tally_rt_entry *entry,
    tally_rt_context *ctx, DLTensor *const *arguments, int32_t num_arguments,
    DLManagedTensor **results, int32_t num_results);

/// Copies the value that the context keeps for a state of an entry point, which
/// is its first value before a call has written to it, to a new tensor that the
/// caller owns. A state is numbered as in `arguments` without those of the
/// caller; tally_rt_find_state finds it by its name. Fails as a call does.
TALLY_RT_EXPORT int32_t tally_rt_get_state(const tally_rt_library *library,
                                           const tally_rt_entry *entry,
                                           tally_rt_context *ctx, int32_t state,
                                           DLManagedTensor **value);

/// Gives a state a value, of its data type and sizes, with any strides, on the
/// device of the library.
TALLY_RT_EXPORT int32_t tally_rt_set_state(const tally_rt_library *library,
                                           const tally_rt_entry *entry,
                                           tally_rt_context *ctx, int32_t state,
                                           const DLTensor *value);

/// Forgets all state of a context: calls find the first values again.
TALLY_RT_EXPORT int32_t tally_rt_reset_state(tally_rt_context *ctx);

/// The number of the state called `name`, or -1.
TALLY_RT_EXPORT int32_t tally_rt_find_state(const tally_rt_entry *entry,
                                            const char *name);

/// Gives back what is kept for a library: its kernels and constants on GPUs,
/// and its weights as the kernels of the CPU read them. To be called before a
/// library is removed from memory where this runtime is not part of it; waits
/// for the GPUs.
TALLY_RT_EXPORT void tally_rt_release_library(const tally_rt_library *library);

#ifdef __cplusplus
}
#endif

// NOLINTEND(readability-identifier-naming)

#include "tally/Runtime/tally_runtime_calls.h"

#endif // TALLY_RUNTIME_TALLY_RUNTIME_H
