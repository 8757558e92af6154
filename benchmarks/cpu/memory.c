// What bench.py times beside a program: a loop that moves as many bytes, and
// computes nothing of use.

#include <stddef.h>

enum { LINE = 64, UNROLL = 8 };
typedef long Vector __attribute__((vector_size(LINE)));
typedef Vector Line __attribute__((aligned(1), may_alias));

static Vector read_all(const char *from, size_t bytes) {
  Vector sums[UNROLL] = {0};
  size_t i = 0;
  for (; i + UNROLL * LINE <= bytes; i += UNROLL * LINE)
    for (int j = 0; j < UNROLL; ++j)
      sums[j] += *(const Line *)(from + i + j * LINE);
  for (; i + LINE <= bytes; i += LINE)
    sums[0] += *(const Line *)(from + i);
  for (int j = 1; j < UNROLL; ++j)
    sums[0] += sums[j];
  return sums[0];
}

static void write_all(char *to, size_t bytes, Vector value) {
  for (size_t i = 0; i + LINE <= bytes; i += LINE)
    *(Line *)(to + i) = value;
}

static void copy_all(const char *from, char *to, size_t bytes) {
  Vector one = {1};
  for (size_t i = 0; i + LINE <= bytes; i += LINE)
    *(Line *)(to + i) = *(const Line *)(from + i) + one;
}

// Copies bytes; without a destination reads them, and without a source writes
// them.
long move(const char *from, char *to, size_t bytes) {
  Vector value = {0};
  if (!to)
    value = read_all(from, bytes);
  else if (!from)
    write_all(to, bytes, value);
  else
    copy_all(from, to, bytes);
  return value[0];
}
