//===- Benchmark.cpp - How long the check pipeline takes ------------------===//
//
// Parses each file, then runs tally-check-pipeline on copies of the module;
// neither parsing nor copying nor printing is timed. Prints one line of JSON
// for a file: seconds of wall and of processor time, the least of all runs, and
// the processor time of each pass in that run. README.md says what is compared.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "tally/InitAll.h"
#include "tally/Pipelines/Pipelines.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"

#include <chrono>
#include <ctime>

using namespace mlir;

static llvm::cl::list<std::string> files(llvm::cl::Positional,
                                         llvm::cl::OneOrMore,
                                         llvm::cl::desc("<.mlir files>"));
static llvm::cl::opt<unsigned> runs("runs", llvm::cl::init(5),
                                    llvm::cl::desc("Runs for each file"));
static llvm::cl::opt<bool> verify(
    "verify-each", llvm::cl::init(false),
    llvm::cl::desc("Let the pass manager verify the IR after each pass"));

/// Seconds that this thread has had a processor for.
static double getProcessorTime() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

namespace {
/// Adds up the time of each pass by its argument.
struct PassTimes : PassInstrumentation {
  explicit PassTimes(llvm::StringMap<double> &times) : times(times) {}

  void runBeforePass(Pass *, Operation *) override {
    starts.push_back(getProcessorTime());
  }
  void runAfterPass(Pass *pass, Operation *) override {
    double seconds = getProcessorTime() - starts.pop_back_val();
    // What nests passes has no argument.
    if (!pass->getArgument().empty())
      times[pass->getArgument()] += seconds;
  }
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    runAfterPass(pass, op);
  }

  llvm::StringMap<double> &times;
  SmallVector<double> starts;
};

struct Run {
  double wall = 0, processor = 0;
  llvm::StringMap<double> passes;
};
} // namespace

static LogicalResult runOnce(ModuleOp module, Run &run) {
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager manager(module->getName());
  manager.enableVerifier(verify);
  manager.addInstrumentation(std::make_unique<PassTimes>(run.passes));
  tally::buildCheckPipeline(manager);
  auto wall = std::chrono::steady_clock::now();
  double processor = getProcessorTime();
  LogicalResult result = manager.run(*copy);
  run.processor = getProcessorTime() - processor;
  std::chrono::duration<double> taken = std::chrono::steady_clock::now() - wall;
  run.wall = taken.count();
  return result;
}

static LogicalResult measure(const std::string &file, MLIRContext &context) {
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(file, &context);
  if (!module)
    return failure();
  int64_t operations = 0;
  module->walk([&](Operation *) { ++operations; });
  Run best;
  double wall = 0;
  for (unsigned i = 0; i != runs; ++i) {
    Run run;
    if (failed(runOnce(*module, run)))
      return failure();
    wall = i == 0 ? run.wall : std::min(wall, run.wall);
    if (i == 0 || run.processor < best.processor)
      best = std::move(run);
  }
  llvm::json::Object passes;
  for (const auto &pass : best.passes)
    passes[pass.first()] = pass.second;
  llvm::outs() << llvm::json::Value(
                      llvm::json::Object{{"file", file},
                                         {"operations", operations},
                                         {"wall", wall},
                                         {"processor", best.processor},
                                         {"passes", std::move(passes)}})
               << '\n';
  return success();
}

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv);
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  tally::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  for (const std::string &file : files)
    if (failed(measure(file, context)))
      return 1;
  return 0;
}
