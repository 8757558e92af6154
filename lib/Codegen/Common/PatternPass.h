//===- PatternPass.h - Passes that apply patterns once ----------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_COMMON_PATTERNPASS_H
#define TALLY_LIB_CODEGEN_COMMON_PATTERNPASS_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace tally {

/// A pass that applies the patterns of `populate` once to each operation.
/// `Base` is the class that TableGen generates for it.
template <typename Base, void (*populate)(mlir::RewritePatternSet &)>
struct PatternPass : Base {
  llvm::LogicalResult initialize(mlir::MLIRContext *context) override {
    mlir::RewritePatternSet owned(context);
    populate(owned);
    patterns = std::move(owned);
    return mlir::success();
  }

  void runOnOperation() override {
    mlir::walkAndApplyPatterns(this->getOperation(), patterns);
  }

  mlir::FrozenRewritePatternSet patterns;
};

} // namespace tally

#endif // TALLY_LIB_CODEGEN_COMMON_PATTERNPASS_H
