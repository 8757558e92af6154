//===- ProgressLine.h - What takes so long ----------------------*- C++ -*-===//
//
// A line on the terminal for whoever waits for a compiler.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_PROGRESSLINE_H
#define TALLY_DRIVER_PROGRESSLINE_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace tally {

/// Shows a stage on standard error, if that is a terminal, once two seconds
/// have passed; `TALLY_PROGRESS=N` shows it everywhere, after N. The line goes
/// away before anything else is printed: call `finish` first.
class ProgressLine {
public:
  ProgressLine();
  ~ProgressLine() { finish(); }
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  /// Says what is done now.
  void setStage(llvm::StringRef newStage);
  /// Removes the line; nothing is shown any more.
  void finish();

private:
  void show();

  std::mutex mutex;
  std::condition_variable wakeUp;
  std::string stage;
  bool isOver = false;
  bool isShown = false;
  std::chrono::steady_clock::time_point start;
  std::thread thread;
};

} // namespace tally

#endif // TALLY_DRIVER_PROGRESSLINE_H
