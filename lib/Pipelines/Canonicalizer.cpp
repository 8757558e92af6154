//===- Canonicalizer.cpp - Upstream's canonicalizer, less what is wrong ---===//

#include "Canonicalizer.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

std::unique_ptr<Pass> tally::createCanonicalizer() {
  // A pattern is known by the name of its class, as the compiler that built
  // MLIR spells it.
  return createCanonicalizerPass(
      GreedyRewriteConfig(),
      {"(anonymous namespace)::ForOpTensorCastFolder",
       "{anonymous}::ForOpTensorCastFolder",
       "(anonymous namespace)::ExtractFromTensorGenerate",
       "{anonymous}::ExtractFromTensorGenerate",
       "(anonymous namespace)::EraseIdentityLinalgOp<mlir::linalg::GenericOp>",
       "{anonymous}::EraseIdentityLinalgOp<mlir::linalg::GenericOp>"});
}
