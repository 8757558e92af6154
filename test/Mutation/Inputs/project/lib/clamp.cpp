// A project with one function, of which the test forgets a case. This comment
// says a < b, and so does the string below.
#include <cstdio>

static const char *text = "a < b";
static int numCalls = 0;

int clamp(int value, int low, int high) {
  numCalls += 1;
  if (value < low)
    return low;
  if (value > high || high == 1000)
    return high;
  return value;
}

int main(int argc, char **) {
  bool right = clamp(-1, 0, 9) == 0 && clamp(10, 0, 9) == 9;
  return right && text[0] == 'a' ? 0 : 1;
}
