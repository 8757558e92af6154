//===- SCFModels.cpp - When regions of the scf dialect run ----------------===//
//
// Loops and scf.if need no model where interfaces describe them.
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

namespace {
/// A region of a switch runs in its case, the first one in that of no case.
struct SwitchModel
    : public SymbolicShapeOpInterface::ExternalModel<SwitchModel,
                                                     scf::IndexSwitchOp> {
  void inferSymbolicShapes(Operation *, SymbolicShapes &) const {}

  Expr getRegionCondition(Operation *op, unsigned index,
                          SymbolicShapes &shapes) const {
    auto choice = cast<scf::IndexSwitchOp>(op);
    symbolic::ExprContext &context = shapes.getContext();
    Expr argument = shapes.getValue(choice.getArg());
    SmallVector<Expr> others;
    for (auto [value, region] :
         llvm::zip_equal(choice.getCases(), choice.getCaseRegions())) {
      if (region.getRegionNumber() == index)
        return context.eq(argument, context.constant(value));
      others.push_back(context.ne(argument, context.constant(value)));
    }
    return context.logicalAnd(others);
  }
};
} // namespace

void tally::detail::registerSCFModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    scf::IndexSwitchOp::attachInterface<SwitchModel>(*context);
  });
}
