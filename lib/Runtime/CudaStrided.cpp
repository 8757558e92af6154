//===- CudaStrided.cpp - Copies between layouts on a GPU ------------------===//
//
// Inputs of any strides become compact, and new values go back to them, by a
// kernel written here as PTX, which the driver compiles on its first use.
//
//===----------------------------------------------------------------------===//

#include "CudaCall.h"

#include <algorithm>
#include <array>

using namespace tally::runtime;

namespace {

/// The parameter of the kernel; it reads the fields by their offsets. Strides
/// are in bytes, the last dimension is the innermost.
struct CopyParameters {
  uint64_t source;
  uint64_t target;
  uint64_t count;
  uint64_t rank;
  int64_t sizes[TALLY_RT_MAX_COPY_RANK];
  int64_t sourceStrides[TALLY_RT_MAX_COPY_RANK];
  int64_t targetStrides[TALLY_RT_MAX_COPY_RANK];
};
static_assert(sizeof(CopyParameters) == 416, "the kernel's text says so");

/// The kernel for one size of an element; a module of its own, as compiling it
/// takes the driver some 10 ms.
struct CopyKernel {
  void create(int elementBits, int indexBits);

  std::string name;
  std::string text;
  tally_rt_gpu_module module;
  tally_rt_kernel kernel;
};

/// One for each size of an element, and for counts of 32 and 64 bits, as a
/// division of 64 bits takes several times as long.
struct CopyKernels {
  CopyKernels();

  std::array<CopyKernel, 8> kernels;
};

} // namespace

/// The kernel: $N is its name, $B the bits of an element, $V the bits of a
/// register that holds one, $I the bits of the division.
static const char kKernelText[] = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry $N(.param .align 8 .b8 p[416])
{
  .reg .pred %done;
  .reg .b32 %block, %threads, %thread, %blocks;
  .reg .b64 %base, %source, %target, %count, %rank, %i, %step, %wide;
  .reg .b64 %from, %to, %offset, %at, %size, %coord, %stride;
  .reg .b$I %rest, %extent, %quotient, %product, %remainder;
  .reg .b$V %value;
  mov.u64 %base, p;
  ld.param.u64 %source, [p];
  ld.param.u64 %target, [p+8];
  ld.param.u64 %count, [p+16];
  ld.param.u64 %rank, [p+24];
  shl.b64 %rank, %rank, 3;
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mov.u32 %blocks, %nctaid.x;
  mul.wide.u32 %i, %block, %threads;
  cvt.u64.u32 %wide, %thread;
  add.u64 %i, %i, %wide;
  mul.wide.u32 %step, %blocks, %threads;
ELEMENT:
  setp.ge.u64 %done, %i, %count;
  @%done bra END;
  cvt.u$I.u64 %rest, %i;
  mov.u64 %from, %source;
  mov.u64 %to, %target;
  mov.u64 %offset, %rank;
DIMENSION:
  setp.eq.u64 %done, %offset, 0;
  @%done bra MOVE;
  sub.u64 %offset, %offset, 8;
  add.u64 %at, %base, %offset;
  ld.param.u64 %size, [%at+32];
  cvt.u$I.u64 %extent, %size;
  div.u$I %quotient, %rest, %extent;
  mul.lo.u$I %product, %quotient, %extent;
  sub.u$I %remainder, %rest, %product;
  mov.b$I %rest, %quotient;
  cvt.u64.u$I %coord, %remainder;
  ld.param.u64 %stride, [%at+160];
  mad.lo.s64 %from, %coord, %stride, %from;
  ld.param.u64 %stride, [%at+288];
  mad.lo.s64 %to, %coord, %stride, %to;
  bra DIMENSION;
MOVE:
  ld.global.b$B %value, [%from];
  st.global.b$B [%to], %value;
  add.u64 %i, %i, %step;
  bra ELEMENT;
END:
  ret;
}
)";

/// Replaces every occurrence of `name` in `text`.
static void substitute(std::string &text, const std::string &name,
                       const std::string &value) {
  for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;
       at += value.size())
    text.replace(at, name.size(), value);
}

void CopyKernel::create(int elementBits, int indexBits) {
  name = "tally_copy_" + std::to_string(elementBits) + "_" +
         std::to_string(indexBits);
  text = kKernelText;
  substitute(text, "$N", name);
  substitute(text, "$B", std::to_string(elementBits));
  substitute(text, "$V", std::to_string(std::max(elementBits, 16)));
  substitute(text, "$I", std::to_string(indexBits));
  module = {text.c_str(), text.size() + 1, "sm_80"};
  kernel = {&module, name.c_str()};
}

CopyKernels::CopyKernels() {
  for (int i = 0; i < 8; ++i)
    kernels[i].create(8 << (i / 2), i % 2 ? 64 : 32);
}

/// Adds a dimension, merged with the one outside of it where one stride leads
/// through both. Returns false where there are too many.
static bool addDimension(CopyParameters &copy, int64_t size,
                         int64_t sourceStride, int64_t targetStride) {
  if (size == 1)
    return true;
  uint64_t last = copy.rank - 1;
  if (copy.rank > 0 && copy.sourceStrides[last] == size * sourceStride &&
      copy.targetStrides[last] == size * targetStride) {
    copy.sizes[last] *= size;
  } else {
    if (copy.rank == TALLY_RT_MAX_COPY_RANK)
      return false;
    last = copy.rank++;
    copy.sizes[last] = size;
  }
  copy.sourceStrides[last] = sourceStride;
  copy.targetStrides[last] = targetStride;
  return true;
}

bool CudaCall::copyStrided(void *target, const int64_t *targetStrides,
                           const void *source, const int64_t *sourceStrides,
                           int32_t rank, const int64_t *sizes,
                           int64_t elementBytes) {
  if (std::find(sizes, sizes + rank, 0) != sizes + rank)
    return true;
  CopyParameters copy = {};
  copy.source = reinterpret_cast<uintptr_t>(source);
  copy.target = reinterpret_cast<uintptr_t>(target);
  bool fits = true;
  for (int32_t d = 0; d < rank; ++d)
    fits &= addDimension(copy, sizes[d], sourceStrides[d] * elementBytes,
                         targetStrides[d] * elementBytes);
  // Elements that are not aligned, or that no register can hold, are moved byte
  // by byte.
  bool isWord = elementBytes == 1 || elementBytes == 2 || elementBytes == 4 ||
                elementBytes == 8;
  if (!isWord || (copy.source | copy.target) % elementBytes != 0) {
    fits &= addDimension(copy, elementBytes, 1, 1);
    elementBytes = 1;
  }
  if (!fits)
    return fail("a tensor of more than " +
                std::to_string(TALLY_RT_MAX_COPY_RANK) +
                " dimensions that cannot be merged cannot be made compact on "
                "the GPU");
  copy.count = 1;
  for (uint64_t d = 0; d < copy.rank; ++d)
    copy.count *= copy.sizes[d];
  bool isOneRun = copy.rank == 0 ||
                  (copy.rank == 1 && copy.sourceStrides[0] == elementBytes &&
                   copy.targetStrides[0] == elementBytes);
  if (isOneRun)
    return this->copy(target, source,
                      static_cast<int64_t>(copy.count) * elementBytes);
  static const CopyKernels kernels;
  int index = copy.count > UINT32_MAX;
  for (int64_t bytes = elementBytes; bytes > 1; bytes /= 2)
    index += 2;
  const int64_t threads = 256, mostBlocks = 1 << 16;
  int64_t blocks =
      static_cast<int64_t>(copy.count / threads + (copy.count % threads != 0));
  const int64_t grid[] = {std::min(blocks, mostBlocks), 1, 1};
  const int64_t block[] = {threads, 1, 1};
  void *arguments[] = {&copy};
  return enqueue(kernels.kernels[index].kernel, grid, block, 0, arguments);
}

//===----------------------------------------------------------------------===//
// Copies of rows
//===----------------------------------------------------------------------===//

namespace {

/// The parameter of the kernel; it reads the fields by their offsets. Columns
/// are elements, distances bytes.
struct RowParameters {
  uint64_t source, target;
  int64_t rows, columns, allRows, allColumns;
  int64_t sourcePitch, targetPitch;
};
static_assert(sizeof(RowParameters) == 64, "the kernel's text says so");

/// The kernel for one size of an element.
struct RowKernel {
  explicit RowKernel(int64_t elementBytes);

  std::string name;
  std::string text;
  tally_rt_gpu_module module;
  tally_rt_kernel kernel;
};

} // namespace

/// The kernel up to its loops; $N is its name, $B the bits of an element. A
/// block has columns of its own, of all rows.
static const char kStart[] = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry $N(.param .align 8 .b8 p[64])
{
  .reg .pred %done, %isRow;
  .reg .b32 %block, %blocks, %thread, %threads;
  .reg .b64 %source, %target, %rows, %columns, %allRows, %allColumns;
  .reg .b64 %sourcePitch, %targetPitch, %row, %rowStep, %first, %wide;
  .reg .b64 %start, %step, %four, %from, %to;
  ld.param.u64 %source, [p];
  ld.param.u64 %target, [p+8];
  ld.param.u64 %rows, [p+16];
  ld.param.u64 %columns, [p+24];
  ld.param.u64 %allRows, [p+32];
  ld.param.u64 %allColumns, [p+40];
  ld.param.u64 %sourcePitch, [p+48];
  ld.param.u64 %targetPitch, [p+56];
  mov.u32 %thread, %tid.x;
  mov.u32 %threads, %ntid.x;
  cvt.u64.u32 %step, %threads;
  shl.b64 %four, %step, 2;
  mov.u32 %block, %ctaid.x;
  cvt.u64.u32 %start, %block;
  mul.lo.u64 %start, %start, %four;
  cvt.u64.u32 %wide, %thread;
  add.u64 %start, %start, %wide;
  mov.u32 %blocks, %nctaid.x;
  cvt.u64.u32 %wide, %blocks;
  mul.lo.u64 %four, %four, %wide;
  mov.u32 %block, %ctaid.y;
  cvt.u64.u32 %row, %block;
  mov.u32 %blocks, %nctaid.y;
  cvt.u64.u32 %rowStep, %blocks;
ROW:
  setp.ge.u64 %done, %row, %allRows;
  @%done bra END;
  setp.lt.u64 %isRow, %row, %rows;
  mad.lo.s64 %from, %row, %sourcePitch, %source;
  mad.lo.s64 %to, %row, %targetPitch, %target;
  mov.u64 %first, %start;
COLUMN:
  setp.ge.u64 %done, %first, %allColumns;
  @%done bra NEXT;
)";

/// Reads one of the four elements: $i says which, $Z is the binary logarithm of
/// its bytes. Its column is %c$i.
static const char kRead[] = R"(  .reg .pred %read$i, %write$i;
  .reg .b64 %c$i, %at$i;
  .reg .b$B %v$i;
  mad.lo.u64 %c$i, %step, $i, %first;
  setp.lt.u64 %write$i, %c$i, %allColumns;
  setp.lt.u64 %read$i, %c$i, %columns;
  and.pred %read$i, %read$i, %isRow;
  shl.b64 %c$i, %c$i, $Z;
  add.u64 %at$i, %from, %c$i;
  mov.b$B %v$i, 0;
  @%read$i ld.global.b$B %v$i, [%at$i];
)";
static const char kWrite[] = R"(  add.u64 %at$i, %to, %c$i;
  @%write$i st.global.b$B [%at$i], %v$i;
)";
static const char kEnd[] = R"(  add.u64 %first, %first, %four;
  bra COLUMN;
NEXT:
  add.u64 %row, %row, %rowStep;
  bra ROW;
END:
  ret;
}
)";

RowKernel::RowKernel(int64_t elementBytes) {
  std::string bits = std::to_string(elementBytes * 8);
  name = "tally_copy_rows_" + bits;
  text = kStart;
  for (const char *part : {kRead, kWrite})
    for (int i = 0; i < 4; ++i) {
      std::string one = part;
      substitute(one, "$i", std::to_string(i));
      text += one;
    }
  text += kEnd;
  substitute(text, "$N", name);
  substitute(text, "$B", bits);
  substitute(text, "$Z", elementBytes == 2 ? "1" : "2");
  module = {text.c_str(), text.size() + 1, "sm_80"};
  kernel = {&module, name.c_str()};
}

bool CudaCall::copyRows(const CudaRows &target, const CudaRows &source,
                        int64_t elementBytes) {
  static const RowKernel halves(2), floats(4);
  RowParameters copy = {reinterpret_cast<uintptr_t>(source.data),
                        reinterpret_cast<uintptr_t>(target.data),
                        source.rows,
                        source.columns,
                        target.rows,
                        target.columns,
                        source.leading * elementBytes,
                        target.leading * elementBytes};
  const int64_t threads = 256, columns = 4 * threads, mostBlocks = 65535;
  const int64_t grid[] = {
      std::min((target.columns + columns - 1) / columns, mostBlocks),
      std::min(target.rows, mostBlocks), 1};
  const int64_t block[] = {threads, 1, 1};
  void *arguments[] = {&copy};
  return enqueue((elementBytes == 2 ? halves : floats).kernel, grid, block, 0,
                 arguments);
}
