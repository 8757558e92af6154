//===- RegisterModels.cpp - What is known of upstream's operations --------===//

#include "tally/Analysis/Models/RegisterModels.h"

#include "Models.h"

using namespace mlir;
using namespace tally;

void tally::registerSymbolicShapeModels(DialectRegistry &registry) {
  detail::registerTensorModels(registry);
  detail::registerArithModels(registry);
  detail::registerFloatModels(registry);
  detail::registerAffineModels(registry);
  detail::registerLinalgModels(registry);
  detail::registerSCFModels(registry);
  detail::registerGPUModels(registry);
  detail::registerVectorModels(registry);
  detail::registerTallyModels(registry);
  detail::registerDataDependentModels(registry);
  detail::registerCustomCallModel(registry);
}
