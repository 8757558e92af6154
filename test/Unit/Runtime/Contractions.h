//===- Contractions.h - Contractions that are compared ----------*- C++ -*-===//
//
// Problems, their operands between guard pages, and what compares the results
// of the runtime with sums that are exact.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TEST_UNIT_RUNTIME_CONTRACTIONS_H
#define TALLY_TEST_UNIT_RUNTIME_CONTRACTIONS_H

#include "../../../lib/Runtime/Context.h"
#include "../../../lib/Runtime/Matmul.h"
#include "Elements.h"
#include "Guarded.h"
#include "tally/Runtime/tally_runtime.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace contractions {

using namespace tally::runtime;

using Loop = tally_rt_host_loop;
using Loops = std::vector<Loop>;

/// A contraction by its loops, and the numbers of elements of the operands.
struct Problem {
  Loops batch, m, n, k;

  static int64_t count(const Loops &loops) {
    int64_t product = 1;
    for (const Loop &loop : loops)
      product *= loop.size;
    return product;
  }

  int64_t getElements(int64_t Loop::*stride) const {
    int64_t last = 0;
    for (const Loops *loops : {&batch, &m, &n, &k})
      for (const Loop &loop : *loops) {
        if (loop.size == 0)
          return 0;
        last += (loop.size - 1) * std::abs(loop.*stride);
      }
    return last + 1;
  }

  /// Where the iteration with all numbers 0 is: loops with negative strides end
  /// at the first element.
  int64_t getStart(int64_t Loop::*stride) const {
    int64_t start = 0;
    for (const Loop &loop : getLoops())
      start += (loop.size - 1) * std::max<int64_t>(-(loop.*stride), 0);
    return start;
  }

  int64_t getElementsOfC() const {
    Problem other = *this;
    other.k.clear();
    return other.getElements(&Loop::c_stride);
  }

  Loops getLoops() const {
    Loops all;
    for (const Loops *loops : {&batch, &m, &n, &k})
      all.insert(all.end(), loops->begin(), loops->end());
    return all;
  }
};

/// Calls `use` with the offsets of a, b and c for all iterations.
template <typename Use>
void iterate(const Loops &loops, Use use, size_t depth = 0, int64_t a = 0,
             int64_t b = 0, int64_t c = 0) {
  if (depth == loops.size())
    return use(a, b, c);
  const Loop &loop = loops[depth];
  for (int64_t i = 0; i < loop.size; ++i)
    iterate(loops, use, depth + 1, a + i * loop.a_stride, b + i * loop.b_stride,
            c + i * loop.c_stride);
}

/// Operands of small integers divided by 8, exact in every type, and the result
/// that loops compute.
template <typename T>
struct Operands {
  using Result = typename ElementOf<T>::Result;
  using Sum = typename ElementOf<T>::Sum;

  explicit Operands(const Problem &problem)
      : sizeA(problem.getElements(&Loop::a_stride)),
        sizeB(problem.getElements(&Loop::b_stride)),
        sizeC(problem.getElementsOfC()),
        startA(problem.getStart(&Loop::a_stride)), a(size_t(sizeA) * sizeof(T)),
        b(size_t(sizeB) * sizeof(T)), c(size_t(sizeC) * sizeof(Result)),
        expected(size_t(sizeC), 0), isWritten(size_t(sizeC), false) {
    std::mt19937 random{unsigned(sizeA * 31 + sizeB)};
    for (int64_t i = 0; i < sizeA; ++i)
      a.as<T>()[i] = ElementOf<T>::make(int(random() % 17) - 8);
    for (int64_t i = 0; i < sizeB; ++i)
      b.as<T>()[i] = ElementOf<T>::make(int(random() % 17) - 8);
    clear();
    Problem results = problem;
    results.k.clear();
    iterate(results.getLoops(), [&](int64_t, int64_t, int64_t at) {
      isWritten[size_t(at)] = true;
    });
    iterate(problem.getLoops(), [&](int64_t i, int64_t j, int64_t at) {
      expected[size_t(at)] += Sum(a.as<T>()[startA + i]) * Sum(b.as<T>()[j]);
    });
  }

  void clear() {
    std::memset(c.as<void>(), 0x7f, size_t(sizeC) * sizeof(Result));
  }

  /// Every order of the sums is exact, as all terms are multiples of 1/64.
  void check() {
    Result untouched;
    std::memset(&untouched, 0x7f, sizeof(Result));
    for (size_t i = 0; i < size_t(sizeC); ++i)
      ASSERT_EQ(c.as<Result>()[i],
                isWritten[i] ? Result(expected[i]) : untouched)
          << "at " << i;
  }

  int64_t sizeA, sizeB, sizeC, startA;
  Guarded a, b, c;
  std::vector<Sum> expected;
  std::vector<bool> isWritten;
};

struct Convolution {
  int64_t images, groups, outputs, channels;
  std::vector<int64_t> sizes, window, stride, dilation;
};

/// A convolution, a being the weights: [n, g, c, ...] * [g, o, c, ...].
inline Problem makeChannelsFirst(const Convolution &conv) {
  size_t rank = conv.sizes.size();
  std::vector<int64_t> in(rank + 1, 1), window(rank + 1, 1), out(rank + 1, 1);
  for (size_t dim = rank; dim-- > 0;) {
    int64_t reach = conv.dilation[dim] * (conv.window[dim] - 1) + 1;
    int64_t size = conv.sizes[dim] == 0
                       ? 0
                       : (conv.sizes[dim] - 1) * conv.stride[dim] + reach;
    in[dim] = in[dim + 1] * size;
    window[dim] = window[dim + 1] * conv.window[dim];
    out[dim] = out[dim + 1] * conv.sizes[dim];
  }
  Problem problem;
  int64_t all = conv.groups * conv.outputs;
  problem.batch = {
      {conv.images, 0, conv.groups * conv.channels * in[0], all * out[0]},
      {conv.groups, conv.outputs * conv.channels * window[0],
       conv.channels * in[0], conv.outputs * out[0]}};
  problem.m = {{conv.outputs, conv.channels * window[0], 0, out[0]}};
  problem.k = {{conv.channels, window[0], in[0], 0}};
  for (size_t dim = 0; dim < rank; ++dim) {
    problem.n.push_back(
        {conv.sizes[dim], 0, in[dim + 1] * conv.stride[dim], out[dim + 1]});
    problem.k.push_back({conv.window[dim], window[dim + 1],
                         in[dim + 1] * conv.dilation[dim], 0});
  }
  return problem;
}

/// The same, with images as columns: what the compiler makes of it.
inline Problem makeImagesColumns(const Convolution &conv) {
  Problem problem = makeChannelsFirst(conv);
  problem.n.insert(problem.n.begin(), problem.batch.front());
  problem.batch.erase(problem.batch.begin());
  return problem;
}

/// The gradient of a convolution's weights, a being that of its results.
inline Problem makeWeightGradient(const Convolution &conv) {
  Problem forward = makeChannelsFirst(conv), problem;
  const Loop &images = forward.batch[0], &groups = forward.batch[1],
             &outputs = forward.m[0];
  problem.batch = {
      {groups.size, groups.c_stride, groups.b_stride, groups.a_stride}};
  problem.m = {{outputs.size, outputs.c_stride, 0, outputs.a_stride}};
  for (const Loop &loop : forward.k)
    problem.n.push_back({loop.size, 0, loop.b_stride, loop.a_stride});
  problem.k = {{images.size, images.c_stride, images.b_stride, 0}};
  for (const Loop &loop : forward.n)
    problem.k.push_back({loop.size, loop.c_stride, loop.b_stride, 0});
  return problem;
}

/// What reads a convolution's images backwards, as the gradient of them does: a
/// is the weights with windows that are mirrored and channels that are
/// exchanged.
inline Problem makeMirrored(const Convolution &conv) {
  Problem problem = makeImagesColumns(conv);
  Loop &outputs = problem.m.front(), &channels = problem.k.front();
  for (size_t dim = 1; dim < problem.k.size(); ++dim)
    problem.k[dim].a_stride *= -1;
  // [c, o, ...] in the place of [o, c, ...].
  outputs.a_stride = channels.a_stride;
  channels.a_stride *= conv.outputs;
  return problem;
}

/// A convolution, b being the weights: [n, y, x, c] * [i, j, c, o].
inline Problem makeChannelsLast(const Convolution &conv) {
  Problem problem;
  int64_t o = conv.outputs, c = conv.channels;
  int64_t width = (conv.sizes[1] - 1) * conv.stride[1] +
                  conv.dilation[1] * (conv.window[1] - 1) + 1;
  int64_t height = (conv.sizes[0] - 1) * conv.stride[0] +
                   conv.dilation[0] * (conv.window[0] - 1) + 1;
  problem.m = {
      {conv.images, height * width * c, 0, conv.sizes[0] * conv.sizes[1] * o},
      {conv.sizes[0], width * c * conv.stride[0], 0, conv.sizes[1] * o},
      {conv.sizes[1], c * conv.stride[1], 0, o}};
  problem.n = {{o, 0, 1, 1}};
  problem.k = {
      {conv.window[0], width * c * conv.dilation[0], conv.window[1] * c * o, 0},
      {conv.window[1], c * conv.dilation[1], c * o, 0},
      {c, 1, o, 0}};
  return problem;
}

/// The arguments of the runtime's function; `loops` are those of the problem
/// and have to last as long, and what is packed of a is kept at `packed`, if
/// there is such a place.
inline tally_rt_host_contract_args
makeArguments(const Problem &problem, const Loops &loops, const void *a,
              const void *b, void *c, int64_t dtype, tally_rt_packed *packed) {
  return {a,
          b,
          c,
          int64_t(problem.batch.size()),
          int64_t(problem.m.size()),
          int64_t(problem.n.size()),
          int64_t(problem.k.size()),
          loops.data(),
          dtype,
          dtype,
          packed};
}

template <typename T>
void compare(const Problem &problem, int64_t dtype) {
  Operands<T> operands(problem);
  tally_rt_library library = {};
  tally_rt_context *ctx = tally_rt_context_create(nullptr);
  ctx->library = &library;
  Loops loops = problem.getLoops();
  tally_rt_host_contract_args args = makeArguments(
      problem, loops, operands.a.template as<T>() + operands.startA,
      operands.b.template as<void>(), operands.c.template as<void>(), dtype,
      nullptr);
  // A is packed in each call, in the first of several, before.
  tally_rt_packed packed = {};
  for (tally_rt_packed *place :
       {static_cast<tally_rt_packed *>(nullptr), &packed, &packed}) {
    args.packed_a = place;
    ASSERT_EQ(tally_rt_host_contract(ctx, &args), TALLY_RT_OK);
    EXPECT_EQ(tally_rt_live_allocations(ctx), 0);
    operands.check();
    operands.clear();
  }
  tally_rt_context_destroy(ctx);
  tally_rt_release_library(&library);
}

inline constexpr int64_t f32 = TALLY_RT_DATA_TYPE(kDLFloat, 32),
                         f64 = TALLY_RT_DATA_TYPE(kDLFloat, 64);

inline std::vector<Convolution> getConvolutions() {
  std::vector<Convolution> result{
      {1, 1, 3, 2, {9}, {3}, {1}, {1}},
      {2, 2, 5, 3, {33}, {2}, {3}, {2}},
      {1, 1, 16, 3, {5, 6, 7}, {2, 3, 2}, {1, 2, 1}, {2, 1, 3}},
      {2, 3, 1, 1, {8, 9}, {3, 3}, {1, 1}, {1, 1}},
      {1, 1, 30, 40, {7, 7}, {3, 3}, {1, 1}, {1, 1}},
      {1, 1, 70, 5, {33, 40}, {1, 1}, {1, 1}, {1, 1}},
      {1, 1, 4, 3, {6, 5}, {8, 8}, {8, 8}, {1, 1}},
      {0, 1, 4, 3, {6, 5}, {2, 2}, {1, 1}, {1, 1}},
      {1, 1, 0, 3, {6, 5}, {2, 2}, {1, 1}, {1, 1}},
      {2, 1, 4, 0, {6, 5}, {2, 2}, {1, 1}, {1, 1}},
      {2, 1, 4, 3, {0, 5}, {2, 2}, {1, 1}, {1, 1}},
      {1, 1, 1, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {2, 1, 30, 3, {9, 40}, {3, 3}, {1, 1}, {1, 1}},
      {2, 2, 15, 3, {30, 20}, {3, 2}, {1, 1}, {2, 1}},
      {2, 1, 7, 3, {5, 4, 32}, {2, 3, 2}, {1, 1, 1}, {1, 2, 1}},
      {2, 1, 5, 90, {300}, {5}, {1}, {3}},
      // Lines of the image that several lines of a window share, in blocks.
      {1, 1, 1, 60, {45, 9}, {3, 3}, {2, 2}, {1, 1}},
      {2, 1, 5, 2, {9, 33}, {5, 4}, {2, 2}, {3, 1}},
      {1, 1, 9, 3, {7, 30}, {4, 5}, {3, 2}, {2, 1}},
      {1, 1, 9, 3, {7, 30}, {3, 5}, {1, 2}, {2, 3}},
      {1, 1, 9, 3, {9, 30}, {5, 5}, {4, 3}, {2, 1}},
      {1, 1, 3, 3, {4, 3, 20}, {3, 3, 3}, {2, 2, 2}, {1, 2, 1}}};
  for (int64_t stride : {1, 2, 3})
    for (int64_t dilation : {1, 2})
      for (int64_t width : {1, 2, 15, 16, 17, 33})
        result.push_back(
            {2, 2, 9, 4, {5, width}, {3, 2}, {2, stride}, {1, dilation}});
  return result;
}

inline void append(MatmulIndex &index, const Loops &loops,
                   int64_t Loop::*stride) {
  for (const Loop &loop : loops) {
    index.sizes[index.rank] = loop.size;
    index.strides[index.rank++] = loop.*stride;
  }
}

inline void compareThreads(const Problem &problem, bool packs = true) {
  Loops loops = problem.getLoops();
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> a(size_t(problem.getElements(&Loop::a_stride))),
      b(size_t(problem.getElements(&Loop::b_stride)));
  for (std::vector<float> *values : {&a, &b})
    for (float &value : *values)
      value = normal(random);
  std::vector<float> results[2];
  for (bool serial : {false, true}) {
    std::vector<float> &c = results[serial];
    c.resize(size_t(problem.getElementsOfC()));
    tally_rt_config config = TALLY_RT_CONFIG_INIT;
    if (serial)
      config.parallel_for = tally_rt_serial_for;
    tally_rt_context *ctx = tally_rt_context_create(&config);
    tally_rt_library library = {};
    ctx->library = &library;
    tally_rt_packed packed = {};
    tally_rt_host_contract_args args = makeArguments(
        problem, loops, a.data(), b.data(), c.data(), f32, &packed);
    ASSERT_EQ(tally_rt_host_contract(ctx, &args), TALLY_RT_OK);
    // Panels of windows that are of another height are kept elsewhere.
    const MatmulLevel &level = getMatmulLevel(MatmulType::F32);
    if (packs && level.getTileRows(MatmulType::F32, MatmulMethod::Windows) ==
                     level.getTileRows(MatmulType::F32, MatmulMethod::Packed))
      EXPECT_NE(packed.data, nullptr);
    tally_rt_context_destroy(ctx);
    tally_rt_release_library(&library);
  }
  EXPECT_EQ(results[0], results[1]);
}

} // namespace contractions

#endif // TALLY_TEST_UNIT_RUNTIME_CONTRACTIONS_H
