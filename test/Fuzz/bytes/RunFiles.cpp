//===- RunFiles.cpp - Runs a fuzz target on files -------------------------===//
//
// The driver of a fuzz target where libFuzzer is not: it runs each file, and
// each file of each folder, once. Options of libFuzzer are ignored. A file that
// takes too long ends the process.
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/time.h>

#include <set>
#include <vector>

using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Mutations of bytes are libFuzzer's. Nothing mutates here.
extern "C" size_t LLVMFuzzerMutate(uint8_t *, size_t size, size_t) {
  return size;
}

/// Ends the process after so many seconds of its own time, unless it is called
/// again.
static void setAlarm(long seconds) {
  itimerval timer = {{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

static bool run(StringRef path) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file) {
    errs() << "error: cannot read '" << path
           << "': " << file.getError().message() << "\n";
    return false;
  }
  // Said before, for the case that it crashes.
  errs() << "Running: " << path << "\n";
  // Of the exact size, so that a tool that checks memory sees its end.
  StringRef content = (*file)->getBuffer();
  std::vector<uint8_t> bytes(content.begin(), content.end());
  bytes.shrink_to_fit();
  setAlarm(20);
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  setAlarm(0);
  return true;
}

int main(int argc, char **argv) {
  std::set<std::string> paths;
  for (StringRef argument : ArrayRef(argv, argc).drop_front()) {
    if (argument.starts_with("-"))
      continue;
    if (!sys::fs::is_directory(argument)) {
      paths.insert(argument.str());
      continue;
    }
    std::error_code error;
    for (sys::fs::directory_iterator it(argument, error), end;
         it != end && !error; it.increment(error))
      paths.insert(it->path());
  }
  bool right = true;
  for (const std::string &path : paths)
    right &= run(path);
  return right && !paths.empty() ? 0 : 1;
}
