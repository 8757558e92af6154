//===- MatmulPacking.h - Operands become panels -----------------*- C++ -*-===//
//
// A panel has the elements of some rows of A, or columns of B, in the order
// that a micro kernel reads them. A part of MatmulKernels.h, whose rules hold
// here too.
//
//===----------------------------------------------------------------------===//

namespace {

//===----------------------------------------------------------------------===//
// Operands with two strides
//===----------------------------------------------------------------------===//

/// Copies a square of elements, or of groups of elements, whose lines lie
/// `stride` apart, turned: line i becomes column i, and lines of the result lie
/// `width` apart.
template <int size, int group, typename T, typename S>
void turnBlock(const S *from, int64_t stride, T *to, int64_t width) {
  typedef T Line __attribute__((vector_size(size * sizeof(T))));
  typedef T Unaligned __attribute__((vector_size(size * sizeof(T)),
                                     aligned(alignof(T)), may_alias));
  Line r[size];
  for (int i = 0; i < size; ++i) {
    const S *line = from + i * stride;
    if constexpr (sizeof(T) == group * sizeof(S)) {
      r[i] = *reinterpret_cast<const Unaligned *>(line);
    } else {
      T elements[size];
      for (int j = 0; j < size; ++j)
        elements[j] = widen(line[j]);
      r[i] = *reinterpret_cast<const Unaligned *>(elements);
    }
  }
  auto put = [&](int row, Line value) {
    *reinterpret_cast<Unaligned *>(to + row * width) = value;
  };
  if constexpr (size == 4) {
    Line a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    Line b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    Line c = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    Line d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    put(0, __builtin_shufflevector(a, b, 0, 1, 4, 5));
    put(1, __builtin_shufflevector(a, b, 2, 3, 6, 7));
    put(2, __builtin_shufflevector(c, d, 0, 1, 4, 5));
    put(3, __builtin_shufflevector(c, d, 2, 3, 6, 7));
  } else {
    // Pairs of lines, then fours, each within halves of vectors; then halves.
    Line pairs[8], fours[8];
    for (int i = 0; i < 8; i += 2) {
      pairs[i] =
          __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
      pairs[i + 1] =
          __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
      for (int j = 0; j < 2; ++j) {
        Line low = pairs[i + j], high = pairs[i + j + 2];
        fours[i + 2 * j] =
            __builtin_shufflevector(low, high, 0, 1, 8, 9, 4, 5, 12, 13);
        fours[i + 2 * j + 1] =
            __builtin_shufflevector(low, high, 2, 3, 10, 11, 6, 7, 14, 15);
      }
    for (int j = 0; j < 4; ++j) {
      put(j, __builtin_shufflevector(fours[j], fours[j + 4], 0, 1, 2, 3, 8, 9,
                                     10, 11));
      put(j + 4, __builtin_shufflevector(fours[j], fours[j + 4], 4, 5, 6, 7, 12,
                                         13, 14, 15));
    }
  }
}

/// Copies lines, turned, in squares; the last ones overlap with others. There
/// is at least one square.
template <int size, int group = 1, typename T, typename S>
void turnLines(int64_t count, int64_t width, int64_t depth, const S *from,
               int64_t stride, T *to) {
  for (int64_t i = 0; i < count; i += size) {
    int64_t line = least(i, count - size);
    for (int64_t p = 0; p < depth; p += size) {
      int64_t at = least(p, depth - size);
      turnBlock<size, group>(from + line * stride + at * group, stride,
                             to + at * width + line, width);
    }
  }
}

/// to[p * width + i] = 0 for values of i from `count` to `width`.
template <typename T>
void clearPanel(int64_t count, int64_t width, int64_t depth, T *to) {
  for (int64_t p = 0; count < width && p < depth; ++p)
    for (int64_t q = count; q < width; ++q)
      to[p * width + q] = T{};
}

/// Copies lines as words: of each word of the result the first element is
/// from[i * stride + p * depthStride], for a multiple p of the group.
template <typename P, typename S>
void copyWords(int64_t count, int64_t width, int64_t depth, const S *from,
               int64_t stride, int64_t depthStride, P *to) {
  constexpr int64_t group = kGroup<P>;
  int64_t whole = depth / group, words = 0;
  auto *bits = reinterpret_cast<uint32_t *>(to);
  if (depthStride == 1 && count >= 4 && whole >= 4) {
    if (count >= 8 && whole >= 8)
      turnLines<8, group>(count, width, whole, from, stride, bits);
    else
      turnLines<4, group>(count, width, whole, from, stride, bits);
    words = whole;
  } else if (stride == 1 && count == Vector<P>::columns) {
    for (; words < whole; ++words) {
      const S *line = from + words * group * depthStride;
      uint32_t *target = bits + words * width;
      store(target, joinLines<P>(line, depthStride));
      store(target + Vector<P>::lanes,
            joinLines<P>(line + Vector<P>::lanes, depthStride));
    }
  } else if (stride == 1 && width == Vector<P>::columns) {
    // A panel of columns that are not whole vectors.
    constexpr int64_t lanes = Vector<P>::lanes;
    for (; words * group < depth; ++words) {
      const S *line = from + words * group * depthStride;
      uint32_t *target = bits + words * width;
      int64_t lines = least(group, depth - words * group);
      store(target,
            joinParts<P>(line, depthStride, least(lanes, count), lines));
      store(target + lanes,
            count > lanes
                ? joinParts<P>(line + lanes, depthStride, count - lanes, lines)
                : Words{});
    }
  }
  for (int64_t p = words * group; p < depth; p += group)
    for (int64_t i = 0; i < count; ++i)
      to[p / group * width + i] =
          makeWord<P>(from + i * stride + p * depthStride, depthStride,
                      least(group, depth - p));
}

/// Copies some words of each of `count` lines to squares, one above the other:
/// those of a line follow each other, and zeros.
template <typename P, typename S>
void copySquares(int64_t count, int64_t depth, const S *from, int64_t stride,
                 int64_t depthStride, uint32_t *to) {
  if (depthStride == 1) {
    size_t bytes = size_t(depth) * sizeof(S);
    for (int64_t i = 0; i < count; ++i) {
      uint32_t *line = to + i * kSquare;
      if (depth < kSquare * kGroup<P>)
        __builtin_memset(line, 0, kSquare * sizeof(P));
      if (depth == kSquare * kGroup<P>)
        __builtin_memcpy(line, from + i * stride, kSquare * sizeof(P));
      else
        __builtin_memcpy(line, from + i * stride, bytes);
    }
    return;
  }
  // Words of all lines beside each other, which are turned.
  P words[kSquare * kMaxRows] = {};
  copyWords(count, count, depth, from, stride, depthStride, words);
  const auto *bits = reinterpret_cast<const uint32_t *>(words);
  if (count >= 8)
    return turnLines<8>(kSquare, kSquare, count, bits, count, to);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t p = 0; p < kSquare; ++p)
      to[i * kSquare + p] = bits[p * count + i];
}

/// Clears the words that fill up squares, for `depth` elements along k.
template <typename P>
void clearRest(int64_t width, int64_t depth, P *panel) {
  if constexpr (kIsSquare<P>)
    for (int64_t i = width * divideUp(depth, kGroup<P>);
         i < width * countWords<P>(depth); ++i)
      panel[i] = P{};
}

/// to[p * width + i] = from[i * stride + p * depthStride] for `count` values of
/// i; other ones stay as they are.
template <typename T, typename S>
void copyPanel(int64_t count, int64_t width, int64_t depth, const S *from,
               int64_t stride, int64_t depthStride, T *to) {
  constexpr bool isCopied = sizeof(T) == sizeof(S);
  constexpr int large = isCopied && sizeof(T) == 4 ? 8 : 4;
  if (depthStride == -1 && count >= 4 && depth >= 4)
    // Mirrored windows: the lines of the result from the last one on.
    return copyPanel(count, -width, depth, from - (depth - 1), stride, 1,
                     to + (depth - 1) * width);
  if (depthStride == 1 && count >= large && depth >= large) {
    turnLines<large>(count, width, depth, from, stride, to);
  } else if (depthStride == 1 && count >= 4 && depth >= 4) {
    turnLines<4>(count, width, depth, from, stride, to);
  } else if (isCopied && stride == 1 && count == Vector<T>::columns) {
    const T *line = reinterpret_cast<const T *>(from);
    for (int64_t p = 0; p < depth; ++p) {
      __builtin_prefetch(line + kPackedRowsAhead * depthStride);
      __builtin_prefetch(line + kPackedRowsAhead * depthStride +
                         Vector<T>::lanes);
      store(to, load(line));
      store(to + Vector<T>::lanes, load(line + Vector<T>::lanes));
      line += depthStride;
      to += width;
    }
  } else if (stride == 1) {
    for (int64_t p = 0; p < depth; ++p)
      for (int64_t q = 0; q < count; ++q)
        to[p * width + q] = widen(from[p * depthStride + q]);
  } else {
    for (int64_t p = 0; p < depth; ++p)
      for (int64_t q = 0; q < count; ++q)
        to[p * width + q] = widen(from[p * depthStride + q * stride]);
  }
}

/// The same for all values of i below `width`, with 0 for those from `count`.
template <typename T, typename S>
void packPanel(int64_t count, int64_t width, int64_t depth, const S *from,
               int64_t stride, int64_t depthStride, T *to) {
  if constexpr (kGroup<T> > 1)
    copyWords(count, width, depth, from, stride, depthStride, to);
  else
    copyPanel(count, width, depth, from, stride, depthStride, to);
  clearPanel(count, width, divideUp(depth, kGroup<T>), to);
  clearRest(width, depth, to);
}

/// The same for lines, whose number is the width.
template <typename P, typename S>
void packPanel(int64_t count, int64_t, int64_t depth, const S *from,
               int64_t stride, int64_t depthStride, Line<P> *to) {
  constexpr int64_t elements = kSquare * kGroup<P>;
  auto *words = reinterpret_cast<uint32_t *>(to);
  for (int64_t p = 0; p < depth; p += elements) {
    copySquares<P>(count, least(elements, depth - p), from + p * depthStride,
                   stride, depthStride, words);
    words += count * kSquare;
  }
}

//===----------------------------------------------------------------------===//
// Operands with layouts
//===----------------------------------------------------------------------===//

/// Calls `use(at, offset, length)` for each part of `count` values of an index,
/// from `first` on, that are evenly spaced by its last stride.
template <typename Use>
void forEachRun(const MatmulIndex &index, int64_t first, int64_t count,
                Use use) {
  int64_t inner = index.rank - 1, positions[TALLY_RT_MAX_CONTRACT_RANK],
          offset = 0;
  for (int64_t loop = inner; loop >= 0; --loop) {
    positions[loop] = first % index.sizes[loop];
    first /= index.sizes[loop];
    offset += positions[loop] * index.strides[loop];
  }
  for (int64_t at = 0; at < count;) {
    int64_t length = least(count - at, index.sizes[inner] - positions[inner]);
    use(at, offset, length);
    at += length;
    // The next position of the last loop that is not at its end.
    offset -= positions[inner] * index.strides[inner];
    positions[inner] = 0;
    for (int64_t loop = inner - 1; loop >= 0; --loop) {
      offset += index.strides[loop];
      if (++positions[loop] < index.sizes[loop])
        break;
      offset -= positions[loop] * index.strides[loop];
      positions[loop] = 0;
    }
  }
}

/// Offsets of the elements of an index, one after the other: of a block, whose
/// depth is at most `kMaxDepth` words.
struct Offsets {
  int64_t values[4 * kMaxDepth];
};

void setOffsets(const MatmulIndex &index, int64_t first, int64_t count,
                Offsets &offsets) {
  int64_t stride = index.strides[index.rank - 1];
  forEachRun(index, first, count,
             [&](int64_t at, int64_t offset, int64_t length) {
               for (int64_t i = 0; i < length; ++i)
                 offsets.values[at + i] = offset + i * stride;
             });
}

template <int64_t... lanes>
struct Lanes {};

template <int64_t count, int64_t... lanes>
struct CountLanes : CountLanes<count - 1, count - 1, lanes...> {};

template <int64_t... lanes>
struct CountLanes<0, lanes...> {
  using Type = Lanes<lanes...>;
};

/// Each second element of two vectors, from the first or the second one on.
template <int64_t first, typename Vec, int64_t... lanes>
Vec takeHalf(Vec low, Vec high, Lanes<lanes...>) {
  return __builtin_shufflevector(low, high, (2 * lanes + first)...);
}

/// Copies a vector of elements that lie `stride` apart, 1 or 2.
template <typename T, typename S, int64_t stride>
void copyVector(const S *from, T *to) {
  constexpr int64_t lanes = Vector<T>::lanes;
  if constexpr (sizeof(T) != sizeof(S)) {
    S elements[stride * lanes];
    __builtin_memcpy(elements, from, sizeof(elements));
    for (int64_t i = 0; i < lanes; ++i)
      to[i] = widen(elements[i * stride]);
  } else if constexpr (stride == 1) {
    store(to, load(from));
  } else {
    store(to, takeHalf<0>(load(from), load(from + lanes),
                          typename CountLanes<lanes>::Type()));
  }
}

/// Copies elements that lie `stride` apart.
template <typename T>
void copySpaced(const T *from, int64_t stride, int64_t count, T *to) {
  constexpr int64_t lanes = Vector<T>::lanes;
  if (stride != 2 || count <= lanes) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = from[i * stride];
    return;
  }
  for (int64_t i = 0; i + lanes < count; i += lanes)
    copyVector<T, T, 2>(from + 2 * i, to + i);
  // The last vector reads nothing behind the last element.
  const T *last = from + 2 * (count - lanes) - 1;
  store(to + count - lanes, takeHalf<1>(load(last), load(last + lanes),
                                        typename CountLanes<lanes>::Type()));
}

/// The run of summed elements that is asked for while one is packed.
constexpr int64_t kPackedRunsAhead = 4;

/// Packs a panel row by row, each in whole vectors; what they write too much is
/// overwritten by what comes next.
template <typename T, typename S, int64_t stride>
void packSpans(const MatmulLayout &layout, const S *data, int64_t first,
               int64_t count, int64_t width, const int64_t *rows, int64_t depth,
               T *to) {
  constexpr int64_t lanes = Vector<T>::lanes, columns = Vector<T>::columns;
  constexpr int64_t most = columns > kMaxRows ? columns : kMaxRows;
  // Of each vector: where it goes, where it is, and how much of it is needed.
  int64_t targets[most], sources[most], lengths[most], vectors = 0, reach = 0;
  forEachRun(layout.outer, first, count,
             [&](int64_t at, int64_t offset, int64_t length) {
               for (int64_t q = 0; q < length; q += lanes) {
                 targets[vectors] = at + q;
                 sources[vectors] = offset + q * stride;
                 lengths[vectors++] = least(lanes, length - q);
                 int64_t end = offset + (q + lanes) * stride - 1;
                 reach = end > reach ? end : reach;
               }
             });
  auto packRow = [&](int64_t p, int64_t number) {
    const S *row = data + rows[p];
    T *line = to + p * width;
    if (rows[p] + reach <= layout.last) {
      for (int64_t i = 0; i < number; ++i)
        copyVector<T, S, stride>(row + sources[i], line + targets[i]);
      return;
    }
    for (int64_t i = 0; i < number; ++i)
      for (int64_t q = 0; q < lengths[i]; ++q)
        line[targets[i] + q] = widen(row[sources[i] + q * stride]);
  };
  // Most panels are a few whole vectors: a loop that knows how many keeps their
  // places in registers.
  switch (vectors) {
  case 2:
    for (int64_t p = 0; p < depth; ++p)
      packRow(p, 2);
    break;
  case 3:
    for (int64_t p = 0; p < depth; ++p)
      packRow(p, 3);
    break;
  default:
    for (int64_t p = 0; p < depth; ++p)
      packRow(p, vectors);
  }
  clearPanel(count, width, depth, to);
}

/// Asks for the memory of elements that lie `stride` apart. They need not be
/// there.
template <typename S>
void prefetchLines(const S *from, int64_t count, int64_t stride) {
  constexpr int64_t line = 64 / sizeof(S);
  for (int64_t at = 0; at < count * stride; at += most(line, stride))
    __builtin_prefetch(from + at);
}

/// to[q * width + i] is the element at the outer index `first` + i and the
/// summed index `p` + q, for `count` values of i; 0 for others below `width`.
/// `rows` are the offsets of the latter.
template <typename T, typename S>
void copyLayout(const MatmulLayout &layout, const S *data, int64_t first,
                int64_t count, int64_t width, const int64_t *rows, int64_t p,
                int64_t depth, T *to) {
  int64_t stride = layout.outer.strides[layout.outer.rank - 1];
  if (stride == 1)
    return packSpans<T, S, 1>(layout, data, first, count, width, rows, depth,
                              to);
  if (stride == 2)
    return packSpans<T, S, 2>(layout, data, first, count, width, rows, depth,
                              to);
  int64_t inner = layout.depth.rank - 1;
  int64_t depthStride = layout.depth.strides[inner];
  int64_t ahead =
      inner ? kPackedRunsAhead * layout.depth.strides[inner - 1] : 0;
  forEachRun(layout.depth, p, depth, [&](int64_t q, int64_t row, int64_t run) {
    forEachRun(layout.outer, first, count,
               [&](int64_t i, int64_t offset, int64_t length) {
                 prefetchLines(data + row + offset + ahead, length, stride);
                 copyPanel(length, width, run, data + row + offset, stride,
                           depthStride, to + q * width + i);
               });
  });
  clearPanel(count, width, depth, to);
}

/// The same for words of several elements, in parts: lines of elements first.
template <typename T, typename S>
void packLayout(const MatmulLayout &layout, const S *data, int64_t first,
                int64_t count, int64_t width, const Offsets &rows, int64_t p,
                int64_t depth, T *to) {
  constexpr int64_t group = kGroup<T>;
  if constexpr (group == 1) {
    copyLayout(layout, data, first, count, width, rows.values, p, depth, to);
  } else {
    using Raw = typename RawOf<T>::Type;
    constexpr int64_t most = 64, columns = Vector<T>::columns;
    constexpr int64_t widest = columns > kMaxRows ? columns : kMaxRows;
    // Whole vectors are written.
    Raw lines[most * widest + Vector<Raw>::lanes];
    const Raw *elements = reinterpret_cast<const Raw *>(data);
    for (int64_t q = 0; q < depth; q += most) {
      int64_t part = least(most, depth - q);
      copyLayout(layout, elements, first, count, width, rows.values + q, p + q,
                 part, lines);
      packPanel(width, width, part, lines, 1, width, to + q / group * width);
    }
  }
}

/// Packs all of A: panels one behind the other, each with the whole depth.
template <typename T, typename S>
void packAllRows(const MatmulTask &task, int64_t panelRows, T *to) {
  constexpr int64_t group = kGroup<T>;
  int64_t words = countWords<typename LeftOf<T>::Type>(task.k);
  const auto &a = task.a;
  const S *data = static_cast<const S *>(a.data);
  Offsets offsets;
  for (int64_t p = 0; p < task.k; p += kMaxDepth) {
    int64_t depth = least(kMaxDepth, task.k - p);
    if (a.layout)
      setOffsets(a.layout->depth, p, depth, offsets);
    forEachRowPanel(task.m, panelRows, [&](int64_t row, int64_t rows) {
      T *panel = to + row * words + p / group * rows;
      if (a.layout)
        packLayout(*a.layout, data, a.start + row, rows, rows, offsets, p,
                   depth, panel);
      else
        packPanel(rows, rows, depth,
                  data + row * a.rowStride + p * a.columnStride, a.rowStride,
                  a.columnStride, panel);
    });
  }
  shiftRows(task.m * words, to);
}

} // namespace
