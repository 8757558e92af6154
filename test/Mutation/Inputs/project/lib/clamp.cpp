// A project with one function, of which the test forgets a case. This comment
// says a < b, and so does the string below.
#include <cstdio>

static const char *text = "a < b";
static int numCalls = 0;
static int history[2 - 1];

int clamp(int value, int low, int high) {
  history[0] = numCalls += 1;
  if (value < low)
    return low;
  if (high == 1000)
    return high;
  if (value > high || value < 0)
    return high;
  return value;
}

int unused(int value) { return value + 1; }

int main(int argc, char **) {
  bool right = clamp(-1, 0, 9) == 0 && clamp(10, 0, 9) == 9;
  return right && text[0] == 'a' ? 0 : 1;
}
