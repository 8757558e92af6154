//===- Compilation.cpp - A program that a tool compiles -------------------===//

#include "Compilation.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally;

static mlir::DialectRegistry getRegistry() {
  mlir::DialectRegistry registry;
  registerDriverDialects(registry);
  return registry;
}

Compilation::Compilation(const SharedCompileOptions &shared,
                         llvm::StringRef tool, llvm::StringRef file)
    : shared(shared), context(getRegistry()), file(file),
      printer(&context, tool, file) {
  timing.setEnabled(shared.timing || shared.verbose);
  timing.setDisplayMode(mlir::DefaultTimingManager::DisplayMode::Tree);
  root = timing.getRootScope();
  // The progress line makes room for diagnostics.
  context.getDiagEngine().registerHandler([this](mlir::Diagnostic &) {
    progress.finish();
    return mlir::failure(); // for who prints it
  });
}

Compilation::~Compilation() { finish(); }

mlir::TimingScope Compilation::enterStage(llvm::StringRef stage) {
  progress.setStage(stage);
  return root.nest(stage);
}

mlir::OwningOpRef<mlir::ModuleOp> Compilation::read() {
  mlir::TimingScope stage = enterStage("Read");
  OperatorTable operators = shared.customCalls.getOperators();
  return readProgram(file, &context, &operators);
}

void Compilation::finish() {
  progress.finish();
  if (isFinished)
    return;
  isFinished = true;
  root.stop();
  if (shared.verbose)
    llvm::errs() << checks.str() << '\n';
  // It would print once more when it goes.
  timing.print();
  timing.setEnabled(false);
}
