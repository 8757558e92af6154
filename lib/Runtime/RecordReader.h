//===- RecordReader.h - Records of compiled code ----------------*- C++ -*-===//
//
// Compiled code keeps what it has to tell about a failure as strings that end
// in NUL, one after the other. Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_RECORDREADER_H
#define TALLY_LIB_RUNTIME_RECORDREADER_H

#include <cstdint>
#include <cstdlib>
#include <string>

namespace tally::runtime {

/// Reads the strings of a record one after the other.
class RecordReader {
public:
  explicit RecordReader(const char *at) : at(at) {}

  std::string text() {
    std::string result(at);
    at += result.size() + 1;
    return result;
  }

  int32_t number() { return static_cast<int32_t>(std::atol(text().c_str())); }

private:
  const char *at;
};

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_RECORDREADER_H
