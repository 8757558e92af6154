//===- ProgressLine.cpp - What takes so long ------------------------------===//

#include "tally/Driver/ProgressLine.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <optional>

using namespace tally;

/// How long a compiler may be silent; nothing where nobody looks.
static std::optional<std::chrono::seconds> getPatience() {
  unsigned seconds = 2;
  const char *wish = std::getenv("TALLY_PROGRESS");
  bool isWish = wish && !llvm::StringRef(wish).getAsInteger(10, seconds);
  if (!isWish && !llvm::sys::Process::StandardErrIsDisplayed())
    return std::nullopt;
  return std::chrono::seconds(seconds);
}

ProgressLine::ProgressLine() : start(std::chrono::steady_clock::now()) {
  if (getPatience())
    thread = std::thread([this] { show(); });
}

void ProgressLine::setStage(llvm::StringRef newStage) {
  std::lock_guard<std::mutex> lock(mutex);
  stage = newStage.str();
}

void ProgressLine::finish() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOver = true;
  }
  wakeUp.notify_all();
  if (thread.joinable())
    thread.join();
  if (isShown)
    llvm::errs() << "\r\033[K";
  isShown = false;
}

void ProgressLine::show() {
  std::unique_lock<std::mutex> lock(mutex);
  auto next = start + *getPatience();
  while (!wakeUp.wait_until(lock, next, [this] { return isOver; })) {
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::steady_clock::now() - start);
    llvm::errs() << "\r\033[K" << seconds.count() << " s: " << stage;
    isShown = true;
    next += std::chrono::seconds(1);
  }
}
