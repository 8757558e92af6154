//===- Sandbox.cpp - Programs judged in processes of their own ------------===//
//
// A child judges a chunk of programs one after the other and writes a line when
// it begins one, when it enters a phase and when it has a verdict. Where it
// ends before its chunk does, the program that it was at is a finding, and
// another child goes on behind that.
//
//===----------------------------------------------------------------------===//

#include "Sandbox.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include <chrono>
#include <csignal>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace tally::fuzz;

using Clock = std::chrono::steady_clock;

/// How many programs a child judges before its memory is given back.
static constexpr uint64_t kChunk = 64;
/// A machine that is busy with other work lets a child wait.
static constexpr unsigned kWallFactor = 30;
/// Address space of a child, in bytes.
static constexpr rlim_t kMemory = rlim_t(12) << 30;

//===----------------------------------------------------------------------===//
// The child
//===----------------------------------------------------------------------===//

static void writeAll(int fd, StringRef text) {
  while (!text.empty()) {
    ssize_t written = ::write(fd, text.data(), text.size());
    if (written <= 0)
      _exit(1);
    text = text.drop_front(written);
  }
}

/// Allows the process `seconds` of processor time from now on.
static void allowTime(unsigned seconds) {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  rlim_t used = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1;
  rlimit limit = {used + seconds, RLIM_INFINITY};
  setrlimit(RLIMIT_CPU, &limit);
}

static void judgeChunk(uint64_t begin, uint64_t end,
                       const SandboxOptions &options,
                       mlir::MLIRContext *context, const Make &make, int fd,
                       int errors) {
  rlimit memory = {kMemory, kMemory}, core = {0, 0};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &core);
  dup2(errors, STDERR_FILENO);
  for (uint64_t index = begin; index < end; ++index) {
    if (ftruncate(errors, 0) == 0)
      lseek(errors, 0, SEEK_SET);
    allowTime(options.seconds);
    writeAll(fd, "B" + std::to_string(index) + "\nPgenerate\n");
    Verdict verdict;
    Expected<FuzzProgram> program = make(index, context);
    if (program) {
      verdict = judge(*program, options.judge, [&](StringRef phase) {
        writeAll(fd, ("P" + phase + "\n").str());
      });
    } else {
      verdict.kind = Kind::Invalid;
      verdict.detail = toString(program.takeError());
      verdict.signature = getSignature(verdict.detail);
    }
    json::Value value = json::Array{static_cast<int64_t>(verdict.kind),
                                    json::fixUTF8(verdict.signature),
                                    json::fixUTF8(verdict.detail),
                                    verdict.rightCalls, verdict.refusedCalls};
    std::string text;
    raw_string_ostream(text) << 'V' << value << '\n';
    writeAll(fd, text);
  }
}

//===----------------------------------------------------------------------===//
// The parent
//===----------------------------------------------------------------------===//

namespace {

/// A child and what it has said.
struct Worker {
  pid_t process = -1;
  int fd = -1;
  int errors = -1;
  uint64_t next = 0;
  uint64_t end = 0;
  /// Whether `next` has begun.
  bool isAtWork = false;
  std::string phase;
  std::string unread;
  Clock::time_point since;
  Clock::time_point phaseSince;

  void enter(StringRef next, PhaseTimes *times) {
    Clock::time_point now = Clock::now();
    if (times && !phase.empty())
      (*times)[StringRef(phase).split(' ').first.str()] +=
          std::chrono::duration<double>(now - phaseSince).count();
    phase = next.str();
    phaseSince = now;
  }
};

} // namespace

static Worker startWorker(uint64_t begin, uint64_t end,
                          const SandboxOptions &options,
                          mlir::MLIRContext *context, const Make &make) {
  Worker worker;
  worker.next = begin;
  worker.end = end;
  worker.since = Clock::now();
  int pipes[2];
  worker.errors = memfd_create("errors", MFD_CLOEXEC);
  if (pipe(pipes) != 0 || worker.errors < 0)
    report_fatal_error("cannot make a pipe");
  outs().flush();
  worker.process = fork();
  if (worker.process < 0)
    report_fatal_error("cannot start a process");
  if (worker.process == 0) {
    close(pipes[0]);
    judgeChunk(begin, end, options, context, make, pipes[1], worker.errors);
    _exit(0);
  }
  close(pipes[1]);
  worker.fd = pipes[0];
  return worker;
}

static Verdict readVerdict(StringRef text) {
  Verdict verdict;
  Expected<json::Value> value = json::parse(text);
  json::Array *fields = value ? value->getAsArray() : nullptr;
  if (!fields || fields->size() != 5) {
    consumeError(value.takeError());
    verdict.kind = Kind::Crash;
    verdict.signature = "a verdict that cannot be read";
    return verdict;
  }
  verdict.kind = static_cast<Kind>(*(*fields)[0].getAsInteger());
  verdict.signature = (*fields)[1].getAsString()->str();
  verdict.detail = (*fields)[2].getAsString()->str();
  verdict.rightCalls = *(*fields)[3].getAsInteger();
  verdict.refusedCalls = *(*fields)[4].getAsInteger();
  return verdict;
}

/// Takes what a child has written; returns false to stop.
static bool readLines(Worker &worker, const Take &take, PhaseTimes *times) {
  bool goesOn = true;
  size_t end;
  while ((end = worker.unread.find('\n')) != std::string::npos) {
    StringRef line = StringRef(worker.unread).take_front(end);
    if (line.consume_front("B")) {
      worker.isAtWork = true;
      worker.since = Clock::now();
    } else if (line.consume_front("P")) {
      worker.enter(line, times);
    } else if (line.consume_front("V")) {
      worker.isAtWork = false;
      worker.enter("", times);
      goesOn &= take(worker.next++, readVerdict(line));
    }
    worker.unread.erase(0, end + 1);
  }
  return goesOn;
}

/// What the child wrote to its standard error: the last message, and where it
/// was.
static std::string readErrors(int fd) {
  std::string text(8192, '\0');
  ssize_t size = pread(fd, text.data(), text.size(), 0);
  text.resize(std::max<ssize_t>(size, 0));
  return text;
}

/// The functions of the compiler in a stack trace, outermost last.
static std::string getCrashSite(StringRef errors) {
  SmallVector<StringRef> lines;
  errors.split(lines, '\n');
  for (StringRef line : lines)
    if (line.contains("LLVM ERROR") || line.contains("Assertion"))
      return line.str();
  for (StringRef line : lines) {
    size_t at = line.find("_ZN");
    if (at == StringRef::npos || line.contains("llvm3sys") ||
        line.contains("SignalHandler"))
      continue;
    return line.drop_front(at)
        .take_until([](char c) { return c == '+' || c == ')' || c == ' '; })
        .str();
  }
  return "";
}

static Verdict judgeEnd(const Worker &worker, int status, bool isLate) {
  Verdict verdict;
  std::string errors = readErrors(worker.errors);
  if (isLate || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)) {
    // The interpreter is slow by design.
    bool isSlow = worker.phase == "interpret" || worker.phase == "generate";
    verdict.kind = isSlow ? Kind::Unjudged : Kind::Hang;
    verdict.signature = getSignature(worker.phase);
    verdict.detail = "does not end (" + worker.phase + ")";
    return verdict;
  }
  verdict.kind = Kind::Crash;
  std::string how = WIFSIGNALED(status)
                        ? "signal " + std::to_string(WTERMSIG(status))
                        : "exit " + std::to_string(WEXITSTATUS(status));
  if (WIFSIGNALED(status))
    how = std::string("signal ") + strsignal(WTERMSIG(status));
  verdict.signature =
      getSignature(worker.phase) + ": " + getSignature(getCrashSite(errors));
  verdict.detail = how + " (" + worker.phase + ")\n" + errors;
  return verdict;
}

/// Ends a worker that has closed its pipe, or that is late.
static bool endWorker(Worker &worker, bool isLate, const Take &take) {
  bool goesOn = true;
  if (isLate)
    kill(worker.process, SIGKILL);
  int status = 0;
  while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
  }
  if (worker.isAtWork || isLate)
    goesOn = take(worker.next++, judgeEnd(worker, status, isLate));
  close(worker.fd);
  close(worker.errors);
  worker.process = -1;
  return goesOn;
}

void tally::fuzz::judgeAll(uint64_t begin, uint64_t end,
                           const SandboxOptions &options,
                           mlir::MLIRContext *context, const Make &make,
                           const Take &take, PhaseTimes *times) {
  std::vector<Worker> workers(options.jobs);
  uint64_t chunk = std::max<uint64_t>(
      1, std::min<uint64_t>(kChunk, (end - begin) / options.jobs));
  bool goesOn = true;
  auto late = std::chrono::seconds(options.seconds * kWallFactor);
  while (true) {
    SmallVector<pollfd, 4> polled;
    SmallVector<Worker *, 4> active;
    for (Worker &worker : workers) {
      if (worker.process < 0 && goesOn) {
        if (worker.next < worker.end) {
          worker = startWorker(worker.next, worker.end, options, context, make);
        } else if (begin < end) {
          uint64_t last = std::min(end, begin + chunk);
          worker = startWorker(begin, last, options, context, make);
          begin = last;
        }
      }
      if (worker.process >= 0) {
        polled.push_back({worker.fd, POLLIN, 0});
        active.push_back(&worker);
      }
    }
    if (active.empty())
      return;
    poll(polled.data(), polled.size(), /*timeout=*/500);
    for (auto [entry, worker] : llvm::zip_equal(polled, active)) {
      char buffer[4096];
      ssize_t size = 1;
      if (entry.revents) {
        size = read(worker->fd, buffer, sizeof(buffer));
        worker->unread.append(buffer, std::max<ssize_t>(size, 0));
        goesOn &= readLines(*worker, take, times);
      }
      bool isLate = Clock::now() - worker->since > late;
      if (!goesOn && size > 0) {
        kill(worker->process, SIGKILL);
        worker->isAtWork = false;
        endWorker(*worker, /*isLate=*/false, take);
      } else if (size <= 0 || isLate) {
        goesOn &= endWorker(*worker, isLate && size > 0, take);
      }
    }
  }
}
