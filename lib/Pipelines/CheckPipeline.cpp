//===- CheckPipeline.cpp - From the named to the checked form -------------===//

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tally/Pipelines/Passes.h"
#include "tally/Pipelines/Pipelines.h"
#include "tally/Transforms/CheckSummary.h"
#include "tally/Transforms/Passes.h"

using namespace mlir;
using namespace tally;

void tally::buildCheckPipeline(OpPassManager &pm,
                               const CheckPipelineOptions &options,
                               CheckSummary *summary) {
  PropagateShapesOptions propagation{options.elide, options.explain,
                                     options.validate};
  pm.addPass(summary ? createPropagateShapes(propagation, *summary)
                     : createPropagateShapes(propagation));
  OpPassManager &functions = pm.nestAny();
  auto verify = [&](StringRef form) {
    if (options.verify)
      functions.addPass(createVerifyForm({form.str()}));
  };
  verify("input");
  functions.addPass(createBindSymbols());
  functions.addPass(createLiftFreeSymbols());
  verify("bound");
  InsertRuntimeAssertsOptions asserts{options.checks, options.elide,
                                      options.explain, options.validate};
  functions.addPass(summary ? createInsertRuntimeAsserts(asserts, *summary)
                            : createInsertRuntimeAsserts(asserts));
  // Equal sizes in one value would make asserts of their equality fold.
  if (options.elide)
    functions.addPass(createUnifySizes());
  functions.addPass(createCanonicalizer());
  functions.addPass(createCSE());
  // Values that are the same inside of a subgraph and outside have become one.
  functions.addPass(createLiftFreeSymbols());
  verify("checked");
}

void tally::registerCheckPipeline() {
  PassPipelineRegistration<CheckPipelineOptions>(
      "tally-check-pipeline",
      "Take the named form, or a program without any annotation, to the "
      "checked form",
      [](OpPassManager &pm, const CheckPipelineOptions &options) {
        buildCheckPipeline(pm, options);
      });
}
