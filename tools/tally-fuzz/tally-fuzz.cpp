//===- tally-fuzz.cpp - Random programs, judged by the interpreter --------===//
//
// Exit status: 0 nothing was found; 1 bad use; 4 something was found.
//
//===----------------------------------------------------------------------===//

#include "../ToolVersion.h"
#include "Generator.h"
#include "Shrinker.h"
#include "tally/Driver/Driver.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>
#include <map>
#include <random>

using namespace llvm;
using namespace tally::fuzz;

//===----------------------------------------------------------------------===//
// Command line
//===----------------------------------------------------------------------===//

static cl::OptionCategory category("tally-fuzz options");

static cl::opt<unsigned long long>
    seed("seed", cl::desc("The first program (default: a random one)"),
         cl::cat(category));
static cl::opt<unsigned long long>
    programCount("count", cl::desc("How many programs (default: 1000)"),
                 cl::init(1000), cl::cat(category));
static cl::opt<double>
    minutes("minutes",
            cl::desc("Stop after so long, whatever the count (default: "
                     "no limit)"),
            cl::cat(category));
static cl::opt<unsigned> jobs("jobs",
                              cl::desc("Processes at a time (default: 2)"),
                              cl::init(2), cl::cat(category));
static cl::opt<std::string>
    output("output-dir",
           cl::desc("Write what is found to this folder (default: it is "
                    "only printed)"),
           cl::value_desc("folder"), cl::cat(category));
static cl::opt<std::string>
    replay("replay",
           cl::desc("Judge the program of a file, with the calls in its "
                    "comments (default: random programs)"),
           cl::value_desc("file.mlir"), cl::cat(category));
static cl::opt<bool>
    print("print",
          cl::desc("Only print the program of the seed (default: "
                   "off)"),
          cl::cat(category));
static cl::opt<unsigned>
    shrinkSeconds("shrink",
                  cl::desc("Make what is found smaller for so many seconds; 0 "
                           "does not (default: 60)"),
                  cl::init(60), cl::value_desc("seconds"), cl::cat(category));
static cl::opt<unsigned>
    keep("keep",
         cl::desc("How many findings of one kind and message are written "
                  "(default: 3)"),
         cl::init(3), cl::cat(category));
static cl::opt<unsigned>
    seconds("limit", cl::desc("How long a program may take (default: 20)"),
            cl::init(20), cl::value_desc("seconds"), cl::cat(category));
static cl::opt<bool>
    elide("elide",
          cl::desc("Leave out the checks that are proven (default: "
                   "true)"),
          cl::init(true), cl::cat(category));
static cl::opt<unsigned>
    optimize("O",
             cl::desc("How hard LLVM optimizes, from 0 to 3: most of the time "
                      "goes there (default: 3)"),
             cl::init(3), cl::Prefix, cl::value_desc("level"),
             cl::cat(category));
static cl::opt<std::string>
    plant("plant",
          cl::desc("For tests: the compiled program has the second operation "
                   "in place of the first one (default: none)"),
          cl::value_desc("arith.addi=arith.subi"), cl::cat(category));

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// The program of a seed, read back from its text: what is judged is what a
/// file would hold.
static Expected<FuzzProgram> makeProgram(uint64_t index,
                                         mlir::MLIRContext *context) {
  FuzzProgram program = Generator(context, index).generate();
  std::string errors, text;
  mlir::ScopedDiagnosticHandler handler(context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          errors += diagnostic.str() + "\n";
                                          return mlir::success();
                                        });
  if (failed(mlir::verify(*program.module)))
    return createStringError(errors);
  raw_string_ostream os(text);
  printProgram(os, program);
  program.module = mlir::parseSourceString<mlir::ModuleOp>(text, context);
  if (!program.module)
    return createStringError("does not parse: " + errors);
  return program;
}

/// Counts what came of the programs.
struct Summary {
  uint64_t programs = 0;
  uint64_t rightCalls = 0;
  uint64_t refusedCalls = 0;
  PhaseTimes times;
  std::array<uint64_t, kNumKinds> kinds = {};
  /// How often each finding was made, with its first seed and detail.
  struct Finding {
    uint64_t count = 0;
    uint64_t seed = 0;
    Verdict verdict;
  };
  std::map<std::pair<Kind, std::string>, Finding> findings;

  /// Returns how many there are like it.
  uint64_t add(uint64_t index, const Verdict &verdict) {
    ++programs;
    ++kinds[static_cast<unsigned>(verdict.kind)];
    rightCalls += verdict.rightCalls;
    refusedCalls += verdict.refusedCalls;
    if (verdict.kind == Kind::Right)
      return 0;
    Finding &finding = findings[{verdict.kind, verdict.signature}];
    if (finding.count++ == 0) {
      finding.seed = index;
      finding.verdict = verdict;
    }
    return finding.count;
  }
};

static void printSummary(const Summary &summary, double time) {
  outs() << summary.programs << " programs in " << format("%.1f", time)
         << " s (" << format("%.0f", 60 * summary.programs / time)
         << " a minute):";
  StringRef separator = " ";
  for (unsigned kind = 0; kind < kNumKinds; ++kind)
    if (summary.kinds[kind]) {
      outs() << separator << summary.kinds[kind] << ' '
             << getName(static_cast<Kind>(kind));
      separator = ", ";
    }
  outs() << "\ncalls: " << summary.rightCalls << " right, "
         << summary.refusedCalls << " refused by both\ntime:";
  double sum = 0;
  for (const auto &[phase, spent] : summary.times)
    sum += spent;
  for (const auto &[phase, spent] : summary.times)
    outs() << ' ' << phase << format(" %.0f%%", 100 * spent / sum);
  outs() << '\n';
  for (const auto &[key, finding] : summary.findings)
    outs() << "  " << getName(key.first) << " x " << finding.count
           << ", first seed " << finding.seed << ": "
           << StringRef(finding.verdict.detail).split('\n').first << '\n';
}

/// A folder's file for a finding; what it was before it was made smaller is
/// what the seed makes.
static void writeFinding(const FuzzProgram &program, const Verdict &verdict,
                         uint64_t index) {
  std::string name = getName(verdict.kind).str();
  llvm::replace(name, ' ', '-');
  SmallString<128> path(output);
  sys::path::append(path, name + "-" + Twine(index) + ".mlir");
  std::error_code error;
  raw_fd_ostream os(path, error);
  if (error) {
    errs() << "tally-fuzz: cannot write '" << path << "'\n";
    return;
  }
  os << "// " << getName(verdict.kind) << ", seed " << index << '\n';
  SmallVector<StringRef> lines;
  StringRef(verdict.detail).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : ArrayRef(lines).take_front(20))
    os << "// " << line.take_front(400) << '\n';
  printProgram(os, program);
  outs() << "  written to " << path << '\n';
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

static SandboxOptions getSandboxOptions() {
  SandboxOptions options;
  options.judge.plant = plant;
  options.judge.elide = elide;
  options.judge.optimize = std::min(3u, optimize.getValue());
  options.jobs = std::max(1u, jobs.getValue());
  options.seconds = seconds;
  return options;
}

/// Loads what every program needs, so that children start with it.
static void warmUp(mlir::MLIRContext *context) {
  FuzzProgram program;
  program.module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
      "  %y = arith.addf %x, %x : tensor<?xf32>\n"
      "  return %y : tensor<?xf32>\n}\n",
      context);
  judge(program, {}, [](StringRef) {});
}

static int printOne(mlir::MLIRContext *context) {
  Expected<FuzzProgram> program = makeProgram(seed, context);
  if (!program) {
    errs() << "tally-fuzz: " << toString(program.takeError()) << '\n';
    Generator(context, seed).generate().module->dump();
    return 1;
  }
  printProgram(outs(), *program);
  return 0;
}

static int replayFile(mlir::MLIRContext *context) {
  SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, context, errs());
  Expected<FuzzProgram> program = readFuzzProgram(replay, context);
  if (!program) {
    errs() << "tally-fuzz: " << toString(program.takeError()) << '\n';
    return 1;
  }
  Verdict verdict;
  auto make = [&](uint64_t, mlir::MLIRContext *) -> Expected<FuzzProgram> {
    return program->clone();
  };
  auto take = [&](uint64_t, const Verdict &result) {
    verdict = result;
    return true;
  };
  SandboxOptions options = getSandboxOptions();
  judgeAll(0, 1, options, context, make, take);
  outs() << getName(verdict.kind) << ": " << verdict.rightCalls
         << " calls right, " << verdict.refusedCalls << " refused by both\n"
         << verdict.detail << '\n';
  if (isFinding(verdict.kind) && !output.empty()) {
    FuzzProgram smaller =
        shrink(std::move(*program), verdict, options, context, shrinkSeconds);
    writeFinding(smaller, verdict, 0);
  }
  return isFinding(verdict.kind) ? 4 : 0;
}

static int fuzz(mlir::MLIRContext *context) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  auto getTime = [&] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  outs() << "seed " << seed << ", " << programCount << " programs\n";
  Summary summary;
  SandboxOptions options = getSandboxOptions();
  std::vector<std::pair<uint64_t, Verdict>> found;
  auto take = [&](uint64_t index, const Verdict &verdict) {
    if (summary.add(index, verdict) <= keep && isFinding(verdict.kind)) {
      outs() << getName(verdict.kind) << ", seed " << index << ": "
             << StringRef(verdict.detail).split('\n').first << '\n';
      outs().flush();
      found.emplace_back(index, verdict);
    }
    return !minutes.getNumOccurrences() || getTime() < 60 * minutes;
  };
  judgeAll(seed, seed + programCount, options, context, makeProgram, take,
           &summary.times);
  double time = getTime();
  for (auto &[index, verdict] : found) {
    if (output.empty())
      break;
    Expected<FuzzProgram> program = makeProgram(index, context);
    if (!program) {
      consumeError(program.takeError());
      continue;
    }
    FuzzProgram smaller = std::move(*program);
    if (shrinkSeconds)
      smaller =
          shrink(std::move(smaller), verdict, options, context, shrinkSeconds);
    writeFinding(smaller, verdict, index);
  }
  printSummary(summary, time);
  return found.empty() ? 0 : 4;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  tally::setVersionPrinter();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Writes random programs, compiles and interprets them, and compares\n");
  if (!plant.empty() && !StringRef(plant).contains('=')) {
    errs() << "tally-fuzz: --plant takes two operations: "
              "arith.addi=arith.subi\n";
    return 1;
  }
  if (!output.empty())
    if (std::error_code error = sys::fs::create_directories(output)) {
      errs() << "tally-fuzz: '" << output
             << "' cannot be made: " << error.message() << '\n';
      return 1;
    }
  if (seed.getNumOccurrences() == 0)
    seed = std::random_device()() * 1'000'000ull;
  // A trace needs no symbolizer, which would take its time in every child.
  setenv("LLVM_DISABLE_SYMBOLIZATION", "1", /*overwrite=*/1);
  mlir::DialectRegistry registry;
  tally::registerDriverDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  if (print)
    return printOne(&context);
  warmUp(&context);
  return replay.empty() ? fuzz(&context) : replayFile(&context);
}
