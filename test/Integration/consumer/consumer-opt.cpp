//===- consumer-opt.cpp - A compiler that embeds Tally --------------------===//
//
// An opt tool with Tally's dialect, passes and pipelines, and a pass of its own
// that calls Tally's functions.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tally/IR/Tally.h"
#include "tally/InitAll.h"
#include "tally/Transforms/Transforms.h"

namespace {
struct StraightenSubgraphs
    : public mlir::PassWrapper<StraightenSubgraphs,
                               mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StraightenSubgraphs)

  llvm::StringRef getArgument() const final { return "straighten-subgraphs"; }
  llvm::StringRef getDescription() const final {
    return "Close subgraphs and turn them into control flow";
  }
  void getDependentDialects(mlir::DialectRegistry &registry) const final {
    registry.insert<mlir::func::FuncDialect, mlir::scf::SCFDialect>();
  }
  void runOnOperation() final {
    if (failed(tally::liftFreeSymbols(getOperation())) ||
        failed(tally::lowerHigherOrderOps(getOperation())))
      signalPassFailure();
  }
};
} // namespace

int main(int argc, char **argv) {
  tally::registerAllPasses();
  mlir::PassRegistration<StraightenSubgraphs>();
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::scf::SCFDialect, mlir::tensor::TensorDialect>();
  tally::registerAllDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "consumer optimizer driver\n", registry));
}
