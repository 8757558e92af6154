//===- CheckModule.cpp - The check pipeline on any module -----------------===//

#include "CheckModule.h"
#include "ReadFirst.h"

#include "tally/Analysis/Models/RegisterModels.h"
#include "tally/IR/Tally.h"
#include "tally/Pipelines/Pipelines.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include <cstdlib>
#include <optional>

using namespace mlir;

namespace {

/// Verifies what each pass leaves, where the pass says that all is right.
struct VerifyAfterPass : PassInstrumentation {
  void runAfterPass(Pass *pass, Operation *op) override {
    if (succeeded(verify(op)))
      return;
    llvm::errs() << "invalid IR after " << pass->getName() << ":\n";
    op->print(llvm::errs(), OpPrintingFlags().printGenericOpForm());
    std::abort();
  }
};

} // namespace

/// What programs of Tally are made of. Upstream's parsers of other dialects are
/// not what is tested.
static void registerDialects(DialectRegistry &registry) {
  registry
      .insert<arith::ArithDialect, bufferization::BufferizationDialect,
              cf::ControlFlowDialect, func::FuncDialect, linalg::LinalgDialect,
              math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
              tally::TallyDialect, tensor::TensorDialect>();
  tally::registerSymbolicShapeModels(registry);
}

/// Reads a module, which verifies it; null where it is none.
static OwningOpRef<ModuleOp> readModule(StringRef content,
                                        MLIRContext &context) {
  // Else what a dialect says about its attributes depends on whether anything
  // was read before that belongs to it.
  context.loadAllAvailableDialects();
  return parseSourceString<ModuleOp>(content, ParserConfig(&context));
}

void tally::fuzz::checkModule(StringRef content) {
  // What is empty may have no address, which the parser takes for the place to
  // complete.
  if (content.empty())
    return;
  static const DialectRegistry registry = [] {
    DialectRegistry result;
    registerDialects(result);
    return result;
  }();
  std::optional<MLIRContext> context(std::in_place, registry,
                                     MLIRContext::Threading::DISABLED);
  context->getDiagEngine().registerHandler(
      [](Diagnostic &) { return success(); });
  // What the reader writes where it must not ends a process as late as here.
  if (endsUpstream([&] {
        (void)readModule(content, *context);
        context.reset();
      }))
    return;
  OwningOpRef<ModuleOp> module = readModule(content, *context);
  if (!module)
    return;
  PassManager pm(&*context);
  pm.enableVerifier(false);
  pm.addInstrumentation(std::make_unique<VerifyAfterPass>());
  CheckPipelineOptions options;
  options.verify = true;
  buildCheckPipeline(pm, options);
  (void)pm.run(*module);
}
