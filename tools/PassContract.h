//===- PassContract.h - Who reports an error fails --------------*- C++ -*-===//
//
// What every pass of Tally keeps, looked at in each run of tally-opt: a pass
// that reports an error fails, and one that fails has reported an error.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TOOLS_PASSCONTRACT_H
#define TALLY_TOOLS_PASSCONTRACT_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

#include <atomic>
#include <vector>

namespace tally {

/// Ends the program where a pass breaks the contract. Passes of functions run
/// beside each other, so they are looked at together: as one pass of the module
/// without a name.
class PassContract : public mlir::PassInstrumentation {
public:
  explicit PassContract(mlir::MLIRContext *context)
      : engine(context->getDiagEngine()),
        handler(engine.registerHandler([this](mlir::Diagnostic &diagnostic) {
          numErrors +=
              diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
          return mlir::failure(); // Others tell of it.
        })) {}
  ~PassContract() override { engine.eraseHandler(handler); }

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override {
    if (isTopLevel(op))
      before.push_back(numErrors);
  }
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override {
    check(pass, op, /*failed=*/false);
  }
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) override {
    check(pass, op, /*failed=*/true);
  }

private:
  static bool isTopLevel(mlir::Operation *op) { return !op->getParentOp(); }

  void check(mlir::Pass *pass, mlir::Operation *op, bool failed) {
    if (!isTopLevel(op))
      return;
    bool reported = numErrors != before.back();
    before.pop_back();
    llvm::StringRef name = pass->getArgument();
    if (reported != failed && (name.empty() || name.starts_with("tally-")))
      llvm::reportFatalInternalError(
          "pass '" + name +
          (failed ? "' fails and reports no error"
                  : "' reports an error and does not fail"));
  }

  mlir::DiagnosticEngine &engine;
  mlir::DiagnosticEngine::HandlerID handler;
  std::atomic<unsigned> numErrors = 0;
  std::vector<unsigned> before;
};

/// Does what mlir::MlirOptMain does, with the contract.
inline mlir::LogicalResult runOpt(int argc, char **argv, llvm::StringRef name,
                                  mlir::DialectRegistry &registry) {
  auto [inputName, outputName] =
      mlir::registerAndParseCLIOptions(argc, argv, name, registry);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::MlirOptMain(argc, argv, inputName, outputName, registry);
  std::string error;
  auto input = mlir::openInputFile(inputName, &error);
  auto output = input ? mlir::openOutputFile(outputName, &error) : nullptr;
  if (!output) {
    llvm::errs() << error << '\n';
    return mlir::failure();
  }
  mlir::MlirOptMainConfig checked = config;
  checked.setPassPipelineSetupFn([&config](mlir::PassManager &passes) {
    passes.addInstrumentation(
        std::make_unique<PassContract>(passes.getContext()));
    return config.setupPassPipeline(passes);
  });
  if (failed(
          mlir::MlirOptMain(output->os(), std::move(input), registry, checked)))
    return mlir::failure();
  output->keep();
  return mlir::success();
}

} // namespace tally

#endif // TALLY_TOOLS_PASSCONTRACT_H
