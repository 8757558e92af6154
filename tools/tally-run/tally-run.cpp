//===- tally-run.cpp - Compiles a program in memory and runs it -----------===//
//
// Exit status: 0 right; 1 bad use or a program that cannot be compiled; 3 a
// run-time check failed; 4 a result differs from what was expected.
//
//===----------------------------------------------------------------------===//

#include "../Compilation.h"
#include "../DebugOptions.h"
#include "../ToolVersion.h"
#include "../Usage.h"
#include "Interpreted.h"
#include "Runner.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

#include <chrono>

using namespace llvm;
using namespace tally::run;

//===----------------------------------------------------------------------===//
// Command line
//===----------------------------------------------------------------------===//

static cl::OptionCategory category("tally-run options");

static tally::SharedCompileOptions shared(category);
static cl::opt<std::string> file(cl::Positional,
                                 cl::desc("FILE.mlir | FILE.pt2 | LIBRARY.so"),
                                 cl::cat(category));
static cl::opt<std::string>
    entryName("entry",
              cl::desc("The function to run (default: main, or the "
                       "only public one)"),
              cl::value_desc("name"), cl::cat(category));
static cl::list<std::string>
    inputs("input",
           cl::desc("An argument: x.npy, f32[3,0,7]=random, i64[4]=1,2,3,4, "
                    "f32[0]=, i64=3 (also for an index), f32=0.5 or i1=true"),
           cl::value_desc("spec"), cl::cat(category));
static cl::list<std::string>
    expected("expect",
             cl::desc("What a result must be, as an --input says it (out0.npy, "
                      "f32[2]=1,2); once for each result"),
             cl::value_desc("spec"), cl::cat(category));
static cl::opt<double> relativeTolerance(
    "rtol",
    cl::desc("Relative tolerance of --expect (default: as the type "
             "of the elements has it)"),
    cl::cat(category));
static cl::opt<double> absoluteTolerance(
    "atol",
    cl::desc("Absolute tolerance of --expect (default: as the type "
             "of the elements has it)"),
    cl::cat(category));
static cl::opt<unsigned long long>
    seed("seed",
         cl::desc("Decides what random inputs are, and in which order "
                  "--interpret=gpu runs threads; where the remainder of "
                  "a division by 4 is 2 or 3, that run takes the kernels of "
                  "--any-order (default: 0)"),
         cl::init(0), cl::cat(category));
static cl::opt<bool>
    anyOrder("any-order",
             cl::desc("Let a GPU add up floats in the order in which threads "
                      "come (default: off)"),
             cl::cat(category));
static cl::opt<std::string>
    outputDir("output-dir",
              cl::desc("Write results as out0.npy, out1.npy, ... to this "
                       "folder instead of printing them (default: they are "
                       "printed)"),
              cl::value_desc("folder"), cl::cat(category));
static cl::opt<unsigned> repeat("repeat",
                                cl::desc("Run this many times (default: 1)"),
                                cl::init(1), cl::value_desc("n"),
                                cl::cat(category));
static cl::opt<bool> showTime(
    "call-time",
    cl::desc("Print how long a call takes by the clock on the wall, the "
             "median of --repeat, and on a GPU what it launches, waits for and "
             "allocates; the kernels that "
             "--interpret=gpu launches, with their blocks (default: off)"),
    cl::cat(category));
static cl::alias timeAlias("time", cl::desc("Another name of --call-time"),
                           cl::aliasopt(showTime), cl::Hidden,
                           cl::cat(category));
static cl::alias load("load", cl::desc("Another name of --link"),
                      cl::aliasopt(shared.link), cl::Hidden, cl::cat(category));
static cl::opt<std::string>
    cases("cases", cl::desc("Compile once, run every case of a file"),
          cl::value_desc("cases.json"), cl::cat(category));

static cl::extrahelp exitStatuses(
    "\nExit status: 0 right; 1 bad use or an unsupported program; 3 a run-time "
    "check failed;\n4 a result differs from what was expected, or a case "
    "failed.\n");

static cl::opt<std::string> interpret(
    "interpret",
    cl::desc(
        "Interpret the program instead of compiling it, exactly and slowly: "
        "as it stands, in the form named, bound or checked, or as kernels that "
        "are scheduled for a GPU, gpu (default: off)"),
    cl::ValueOptional, cl::value_desc("form"), cl::cat(category));
static cl::opt<bool> compare(
    "compare",
    cl::desc("Compile the program and interpret it as well (in the form "
             "of --interpret), and compare what comes of each call; with "
             "--interpret=gpu, compare its kernels with the program as it "
             "stands (default: off)"),
    cl::cat(category));

namespace {

/// What the process returns.
enum ExitStatus { Right = 0, BadUse = 1, CheckFailed = 3, Different = 4 };

} // namespace

/// Prints an error in this tool's name.
static ExitStatus fail(const Twine &message, ExitStatus status = BadUse) {
  outs().flush();
  errs() << "tally-run: " << message << '\n';
  return status;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Whether nothing is compiled: kernels for a GPU are interpreted, too.
static bool interpretsOnly() {
  return interpret.getNumOccurrences() && (!compare || interpret == "gpu");
}

/// Refuses options that make no sense before anything is compiled.
static std::optional<ExitStatus> checkOptions() {
  if (std::string wrong = shared.check(file); !wrong.empty())
    return fail(wrong);
  if (!is_contained({"", "named", "bound", "checked", "gpu"},
                    StringRef(interpret.getValue())))
    return fail("unknown --interpret=" + interpret +
                ": named, bound, checked or gpu, or nothing to run the program "
                "as it stands");
  bool interprets = interpret.getNumOccurrences() || compare;
  if (interprets && StringRef(file).ends_with(".so"))
    return fail("'" + file +
                "' is compiled already: there is nothing to "
                "interpret");
  if (interpretsOnly() && shared.decideCode())
    return fail("--target, --checks, --elide and -O decide how a program is "
                "compiled: they do not go with --interpret");
  if (repeat == 0)
    return fail("--repeat must be at least 1");
  if (!cases.empty() && (!inputs.empty() || !expected.empty()))
    return fail("--cases brings its own inputs: --input and --expect do not go "
                "with it");
  return std::nullopt;
}

/// Reads and compiles the program; reports what is wrong.
static std::unique_ptr<tally::JitProgram> compile(ArrayRef<void *> loaded) {
  tally::Compilation compilation(shared, "tally-run", file);
  mlir::OwningOpRef<mlir::ModuleOp> module = compilation.read();
  if (!module)
    return nullptr;
  tally::CompileOptions options = shared.get(file);
  if (options.target == "cuda") {
    // Without a GPU there is nothing to compile for.
    Expected<std::string> chip = findChip();
    if (!chip) {
      fail(toString(chip.takeError()));
      return nullptr;
    }
    options.chip = *chip;
  }
  if (failed(tally::lowerProgram(*module, options, compilation.getReport())))
    return nullptr;
  mlir::TimingScope generating = compilation.enterStage("Generate code");
  auto program = tally::JitProgram::create(*module, loaded, options.optimize);
  generating.stop();
  compilation.finish();
  if (program)
    return std::move(*program);
  fail(toString(program.takeError()));
  return nullptr;
}

/// Loads the libraries with custom functions.
static std::optional<std::vector<void *>> loadLibraries() {
  std::vector<void *> loaded;
  for (const std::string &path : shared.link) {
    Expected<void *> library = tally::loadCustomLibrary(path);
    if (!library) {
      fail(toString(library.takeError()));
      return std::nullopt;
    }
    loaded.push_back(*library);
  }
  return loaded;
}

/// Compiles the program, or loads it where it was compiled before.
static std::optional<Program> getProgram(ArrayRef<void *> loaded) {
  if (!StringRef(file).ends_with(".so")) {
    std::unique_ptr<tally::JitProgram> compiled = compile(loaded);
    if (!compiled)
      return std::nullopt;
    return Program(std::move(compiled));
  }
  Expected<Program> program = Program::load(file);
  if (!program) {
    fail(toString(program.takeError()));
    return std::nullopt;
  }
  StringRef compiledFor = program->isForGpu() ? "cuda" : "cpu";
  if (shared.target.getNumOccurrences() && shared.target != compiledFor) {
    fail("'" + file + "' was compiled for --target=" + compiledFor);
    return std::nullopt;
  }
  if (shared.checks.getNumOccurrences() || shared.elide.getNumOccurrences() ||
      shared.optimize.getNumOccurrences()) {
    fail("--checks, --elide and -O decide how a program is compiled: '" + file +
         "' is compiled already");
    return std::nullopt;
  }
  return std::move(*program);
}

/// Finds the function to run.
static const tally_rt_entry *findEntry(const tally_rt_library &library) {
  std::string name = entryName.empty() ? "main" : entryName.getValue();
  if (const tally_rt_entry *entry = tally_rt_find_entry(&library, name.c_str()))
    return entry;
  if (entryName.empty() && library.num_entries == 1)
    return &library.entries[0];
  std::string names;
  for (int32_t i = 0; i < library.num_entries; ++i)
    names += std::string(i ? ", " : "") + library.entries[i].name;
  fail("there is no public function '" + name + "'" +
       (names.empty() ? "" : "; there are: " + names));
  return nullptr;
}

static Error writeResults(const Outcome &outcome) {
  if (std::error_code error = sys::fs::create_directories(outputDir))
    return createStringError(error, "'" + outputDir +
                                        "' cannot be made: " + error.message());
  for (auto [index, result] : enumerate(outcome.results)) {
    SmallString<128> path(outputDir);
    sys::path::append(path, "out" + Twine(index) + ".npy");
    if (Error error = writeNpy(path, result))
      return error;
  }
  return Error::success();
}

static void printResults(const Outcome &outcome) {
  for (auto [name, result] : zip_equal(outcome.names, outcome.results)) {
    outs() << name << ": " << result.describe() << " =\n";
    printArray(outs(), result);
    outs() << '\n';
  }
}

/// What the calls took.
struct Times {
  std::vector<double> host;
  std::vector<double> total;
};

static double getMedian(std::vector<double> times) {
  llvm::sort(times);
  return times[times.size() / 2];
}

/// On a GPU a call is over for the host before its work is done.
static void printTimes(double compileTime, const Times &times,
                       const Caller &caller, const Outcome &outcome) {
  outs() << format("compile: %.3f ms\n", compileTime * 1e3)
         << format("call: %.6f ms, median of %zu\n",
                   getMedian(times.total) * 1e3, times.total.size());
  for (const std::string &launch : outcome.launches)
    outs() << "launch: " << launch << '\n';
  if (!caller.isOnGpu())
    return;
  const tally_rt_counters &counters = outcome.counters;
  outs() << format("host: %.6f ms until the call returned, median of %zu\n",
                   getMedian(times.host) * 1e3, times.host.size())
         << "last call: " << counters.launches << " launches, "
         << counters.library_calls << " library calls, " << counters.host_waits
         << " host waits, " << counters.allocations << " allocations of "
         << counters.bytes_allocated << " bytes\n";
}

static Expected<std::vector<Array>>
readInputs(const CountingAllocator &allocator) {
  std::vector<Array> arrays;
  for (auto [index, spec] : enumerate(inputs)) {
    Expected<Array> array = readSpec(spec, "", seed + index, allocator.get());
    if (!array)
      return array.takeError();
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

/// Calls `repeat` times, each time with the inputs as they were given.
static Expected<Outcome> callRepeatedly(Caller &caller,
                                        const CountingAllocator &allocator,
                                        Times &times) {
  Expected<std::vector<Array>> given = readInputs(allocator);
  if (!given)
    return given.takeError();
  Outcome outcome;
  for (unsigned i = 0; i < repeat; ++i) {
    std::vector<Array> arguments;
    for (const Array &array : *given) {
      Expected<Array> copy = array.clone(allocator.get());
      if (!copy)
        return copy.takeError();
      arguments.push_back(std::move(*copy));
    }
    outcome = caller.call(arguments);
    times.host.push_back(outcome.hostSeconds);
    times.total.push_back(outcome.seconds);
    if (outcome.status != TALLY_RT_OK)
      break;
  }
  return outcome;
}

/// Runs with the inputs of the command line.
static ExitStatus runOnce(Caller &caller, const CountingAllocator &allocator,
                          double compileTime) {
  Signature signature = caller.getSignature();
  if (inputs.size() != signature.arguments.size())
    return fail(signature.describeMismatch(inputs.size()));
  Times times;
  Expected<Outcome> outcome = callRepeatedly(caller, allocator, times);
  if (!outcome)
    return fail(toString(outcome.takeError()));
  if (outcome->isRunTimeError())
    return fail("check failed: " + outcome->message, CheckFailed);
  if (outcome->status != TALLY_RT_OK)
    return fail(outcome->message);
  if (!outputDir.empty()) {
    if (Error error = writeResults(*outcome))
      return fail(toString(std::move(error)));
  } else if (expected.empty()) {
    printResults(*outcome);
  }
  if (showTime)
    printTimes(compileTime, times, caller, *outcome);
  if (expected.empty())
    return Right;
  Tolerance tolerance;
  if (relativeTolerance.getNumOccurrences())
    tolerance.relative = relativeTolerance;
  if (absoluteTolerance.getNumOccurrences())
    tolerance.absolute = absoluteTolerance;
  Expected<std::optional<std::string>> difference =
      compareResults(*outcome, std::vector<std::string>(expected), "",
                     tolerance, allocator.get());
  if (!difference)
    return fail(toString(difference.takeError()));
  if (*difference)
    return fail(**difference, Different);
  return Right;
}

/// Runs the cases of a file.
static ExitStatus runFile(Caller &caller, CountingAllocator &allocator) {
  CaseOptions options;
  options.seed = seed;
  options.needsNoExpectation = compare;
  options.showLaunches = showTime;
  if (relativeTolerance.getNumOccurrences())
    options.tolerance.relative = relativeTolerance;
  if (absoluteTolerance.getNumOccurrences())
    options.tolerance.absolute = absoluteTolerance;
  Expected<int> failures = runCases(caller, cases, options, allocator);
  if (!failures)
    return fail(toString(failures.takeError()));
  return *failures ? Different : Right;
}

/// Runs what the command line asks for.
static ExitStatus runAll(Caller &caller, CountingAllocator &allocator,
                         double compileTime) {
  return cases.empty() ? runOnce(caller, allocator, compileTime)
                       : runFile(caller, allocator);
}

/// Reads the program for the interpreter.
static std::unique_ptr<InterpretedProgram>
readInterpreted(StringRef form, ArrayRef<void *> loaded,
                const CountingAllocator &allocator) {
  std::unique_ptr<InterpretedProgram> program =
      InterpretedProgram::create(file, shared.customCalls.getOperators(), form,
                                 entryName, loaded, allocator);
  if (program)
    program->setSeed(seed);
  return program;
}

/// Runs a program, and the interpreter to compare with.
static ExitStatus runBoth(Caller &caller, StringRef word, StringRef form,
                          ArrayRef<void *> loaded, CountingAllocator &allocator,
                          double compileTime) {
  std::unique_ptr<InterpretedProgram> interpreted =
      readInterpreted(form, loaded, allocator);
  if (!interpreted)
    return BadUse;
  Tolerance tolerance;
  if (relativeTolerance.getNumOccurrences())
    tolerance.relative = relativeTolerance;
  if (absoluteTolerance.getNumOccurrences())
    tolerance.absolute = absoluteTolerance;
  ComparingCaller both(caller, *interpreted, word, tolerance, allocator);
  return runAll(both, allocator, compileTime);
}

static ExitStatus runInterpreted(ArrayRef<void *> loaded,
                                 CountingAllocator &allocator) {
  Clock::time_point start = Clock::now();
  std::unique_ptr<InterpretedProgram> program =
      readInterpreted(interpret, loaded, allocator);
  if (!program)
    return BadUse;
  double compileTime = secondsSince(start);
  if (compare)
    return runBoth(*program, "scheduled", /*form=*/"", loaded, allocator,
                   compileTime);
  return runAll(*program, allocator, compileTime);
}

static ExitStatus runCompiled(ArrayRef<void *> loaded,
                              CountingAllocator &allocator) {
  Clock::time_point start = Clock::now();
  std::optional<Program> program = getProgram(loaded);
  if (!program)
    return BadUse;
  double compileTime = secondsSince(start);
  const tally_rt_entry *entry = findEntry(program->getLibrary());
  if (!entry)
    return BadUse;
  Runner runner(*program, *entry, allocator);
  runner.setAnyOrder(anyOrder);
  if (!compare)
    return runAll(runner, allocator, compileTime);
  return runBoth(runner, "compiled", interpret, loaded, allocator, compileTime);
}

static ExitStatus run() {
  if (std::optional<ExitStatus> status = checkOptions())
    return *status;
  std::optional<std::vector<void *>> loaded = loadLibraries();
  if (!loaded)
    return BadUse;
  CountingAllocator allocator;
  ExitStatus status = interpretsOnly() ? runInterpreted(*loaded, allocator)
                                       : runCompiled(*loaded, allocator);
  if (allocator.getLive() != 0)
    return fail(Twine(allocator.getLive()) + " buffers leaked", Different);
  return status;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  tally::setVersionPrinter();
  tally::registerDebugOptions();
  tally::exitOnCrash("tally-run");
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles a program of dynamic sizes in memory and runs it\n");
  if (file.getNumOccurrences() == 0)
    return tally::reportMissing(
        "tally-run", "file",
        "FILE --input x.npy, an --input for each argument");
  return run();
}
