//===- Matmul.h - Matmuls on the CPU ----------------------------*- C++ -*-===//
//
// A matmul is packed into panels that fit the caches and multiplied by micro
// kernels that keep a tile of the result in registers: K. Goto and R. van de
// Geijn, "Anatomy of High-Performance Matrix Multiplication", ACM TOMS 34(3),
// 2008. The kernels are compiled once for each level of processors; the one to
// run is chosen when it runs.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_MATMUL_H
#define TALLY_LIB_RUNTIME_MATMUL_H

#include "tally/Runtime/tally_runtime.h"

#include <cstddef>
#include <cstdint>

namespace tally::runtime {

/// Types of elements; f16 and bf16 are multiplied and summed in f32, i8 and i16
/// in i32. Results of integers are modulo a power of two, so that they are the
/// same for integers without a sign.
enum class MatmulType { F32, F64, F16, BF16, I8, I16, I32, I64 };

/// The way to compute a matmul. It follows from the sizes and strides of the
/// whole one, so that the order of each sum does not depend on how it is
/// divided among threads.
enum class MatmulMethod {
  /// Both operands are packed.
  Packed,
  /// B is read where it is: too few rows would use a packed one.
  InPlace,
  /// Neither is packed, as sums are short and B fits the first cache; only for
  /// f32 and f64.
  Unpacked,
  /// Columns of B are windows of an image, which are read where they are, or
  /// from lines that are copied once for several of them; only for types that
  /// sums have.
  Windows,
  /// All that is summed over lies in lines of both operands, which are read
  /// where they are; only for f32 and f64.
  Lines,
  /// One row: the rows of B are scaled and added up.
  Row,
  /// Few rows, or few columns, of operands whose sums run along memory: each is
  /// read where it is, B once for several rows of A.
  Dots,
  /// Small matrices, many of them at once: rows of the result stay in registers
  /// while rows of B are read where they are. For `runBatch` of the level, and
  /// only for f32 and f64.
  Batch
};

/// An index that several loops make together, as the window of a convolution
/// does: the last loop runs fastest, and each moves by a stride of its own.
struct MatmulIndex {
  /// At least one loop, none of them empty.
  int64_t rank;
  int64_t sizes[TALLY_RT_MAX_CONTRACT_RANK],
      strides[TALLY_RT_MAX_CONTRACT_RANK];
};

/// So many panels of columns share a panel of rows where columns are windows.
constexpr int64_t kWindowBlockPanels = 8;

/// The least elements of a line for the method Lines.
constexpr int64_t kShortestLine = 4;

/// Where the elements of an operand lie whose rows or columns are not evenly
/// spaced. No matrix is built of them: they are packed from where they are.
struct MatmulLayout {
  /// The index that only this operand has, and the one that is summed over.
  MatmulIndex outer, depth;
  /// The offset of the last element; INT64_MIN if a stride is negative.
  int64_t last;
};

/// A matrix: strides in elements.
template <typename Pointer>
struct MatmulMatrix {
  Pointer data;
  int64_t rowStride, columnStride;
  /// If not null, used in place of the strides, and `start` is the first value
  /// of the outer index.
  const MatmulLayout *layout = nullptr;
  int64_t start = 0;
};

/// What computes elements of B, which is not in memory.
struct MatmulSource {
  tally_rt_matrix_fn compute;
  tally_rt_context *context;
  void *data;
};

/// c = a b on one thread: a is m x k, b is k x n.
struct MatmulTask {
  int64_t m, n, k;
  MatmulMatrix<const void *> a, b;
  MatmulMatrix<void *> c;
  MatmulType type;
  MatmulMethod method;
  /// Memory of `scratchBytes` bytes, aligned to 64.
  void *scratch;
  /// If not 0, columns of c are evenly spaced in groups of so many, which lie
  /// `groupStride` elements apart: the images of a batch, say. There are whole
  /// groups of them.
  int64_t groupColumns = 0, groupStride = 0;
  /// If not null, all of B in panels, as `packColumns` of the level writes
  /// them, and the number of the first panel; only for the method Packed.
  const void *packedB = nullptr;
  int64_t firstPanel = 0;
  /// If not null, all of A in panels, as `packRows` of the level writes them,
  /// from the first row of the task on, and the rows of a panel; only for the
  /// methods Packed and Windows.
  const void *packedA = nullptr;
  int64_t panelRows = 0;
  /// Whether c has the type that elements are summed in, if that is another
  /// one.
  bool isWide = false;
  /// If not null, B is computed where it is read; only for the methods Packed
  /// and Dots. Its lines are columns if the stride of its rows is 1, and
  /// `b.start` is its first column.
  const MatmulSource *sourceB = nullptr;
};

/// How many matmuls follow each other, and by how many elements each operand
/// moves from one to the next.
struct MatmulBatch {
  int64_t count, stepA, stepB, stepC;
};

/// The most that k is for the method Batch where columns of B are turned.
constexpr int64_t kMaxBatchDepth = 64;

/// Attention of some queries of one head, on one thread. Queries and keys have
/// a row for each, with the depth as columns; values have a row for each key.
struct AttentionTask {
  int64_t firstQuery, queries;
  /// The most queries of a task.
  int64_t queryBlock;
  int64_t keys, depth, columns;
  MatmulMatrix<const void *> query, key, value;
  MatmulMatrix<void *> output;
  MatmulType type;
  /// Whether keys are packed, and values; what is not, is read where it is:
  /// keys whose depth, values whose columns lie next to each other.
  bool packsKeys, packsValues;
  /// A query sees no keys but those from its own position plus the first
  /// offset to that plus the last one.
  int64_t firstOffset, lastOffset;
  /// Whether a query that has keys, but no score above minus infinity, gets
  /// NaN.
  bool isStrict;
  /// Makes scores of products; null where they are the scores.
  tally_rt_score_fn score;
  tally_rt_context *context;
  void *data;
  const int64_t *batch;
  /// Memory of `getAttentionBytes`, aligned to 64, with what `packAttention`
  /// wrote.
  void *scratch;
};

/// The functions that are compiled for one level of processors.
struct MatmulLevel {
  const char *name;
  /// The tile of the result that stays in registers, for each type and method.
  int64_t (*getTileRows)(MatmulType, MatmulMethod);
  int64_t (*getTileColumns)(MatmulType, MatmulMethod);
  size_t (*getScratchBytes)(const MatmulTask &);
  void (*run)(const MatmulTask &);
  /// The bytes of all of B in panels, and what writes them. B has no layout.
  size_t (*getPackedBytes)(const MatmulTask &);
  void (*packColumns)(const MatmulTask &, void *to);
  /// The same for A, in panels of `panelRows`.
  size_t (*getPackedRowBytes)(const MatmulTask &);
  void (*packRows)(const MatmulTask &, void *to);
  /// By how many bytes each row moves on in these panels.
  size_t (*getPackedRowStride)(const MatmulTask &);
  /// The bytes of the scratch memory of attention, what packs keys and values
  /// of a head, and what computes some of its queries; null where the level has
  /// no type that attention can have.
  size_t (*getAttentionBytes)(const AttentionTask &);
  void (*packAttention)(const AttentionTask &);
  int32_t (*runAttention)(const AttentionTask &);
  /// Computes matmuls that follow each other, of which the task is the first.
  void (*runBatch)(const MatmulTask &, const MatmulBatch &);
};

/// The levels that this build has, the least one first. Only what the processor
/// supports may run.
extern const MatmulLevel matmulBaseline;
#if defined(__x86_64__)
extern const MatmulLevel matmulV3;
extern const MatmulLevel matmulV4;
/// x86-64-v4 with AVX512-BF16, for bf16 alone, and with AVX512-VNNI, for i8
/// alone.
extern const MatmulLevel matmulPairs;
extern const MatmulLevel matmulQuads;
/// The same with AMX-BF16 and with AMX-INT8, whose registers are square tiles.
extern const MatmulLevel matmulPairSquares;
extern const MatmulLevel matmulQuadSquares;
#endif

/// The level for a type: that of `tally_rt_processor_level`, or one above it.
const MatmulLevel &getMatmulLevel(MatmulType type);

/// The same without square tiles, which attention has no use for.
const MatmulLevel &getVectorLevel(MatmulType type);

/// For no more rows than that, what is computed of B is not packed.
constexpr int64_t kFewComputedRows = 4;

/// The bytes of an element of an operand.
int64_t getElementBytes(MatmulType type);

bool isInteger(MatmulType type);

/// Reads a TALLY_RT_DATA_TYPE, of operands. Returns false if the runtime does
/// not know the type.
bool getMatmulType(int64_t dtype, MatmulType &type);

/// Whether a matmul is computed with its operands turned, as b^T a^T: what lies
/// along memory are its columns then.
bool isBetterTurned(const MatmulTask &whole);

/// The task b^T a^T.
MatmulTask turnMatmul(const MatmulTask &task);
/// Whether a matrix whose columns lie along memory is multiplied with a vector:
/// the transposed product, with the method Row, adds up scaled columns.
bool isTurnedRow(const MatmulTask &whole, const MatmulLevel &level);

/// Whether the method Batch is the best one for a batch of a matmul, turned
/// where that is better.
bool areSmallMatmuls(const MatmulTask &whole, int64_t batch,
                     const MatmulLevel &level);

/// Chooses how the whole of a matmul is computed.
MatmulMethod chooseMatmulMethod(const MatmulTask &whole,
                                const MatmulLevel &level);

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_MATMUL_H
