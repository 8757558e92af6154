//===- CustomCallModel.cpp - Shape model of tally.custom_call -------------===//

#include "Models.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

namespace {
/// A size that the call defines is at most its bound: the call fails where it
/// is not.
struct CustomCallModel
    : public SymbolicShapeOpInterface::ExternalModel<CustomCallModel,
                                                     CustomCallOp> {
  /// The name that is bound to a size, or the symbol of the size.
  static Expr getSize(CustomCallOp op, Value result, unsigned dim,
                      SymbolicShapes &shapes) {
    BindingsAttr bindings = op.getBindingsAttr();
    if (shapes.isNamedForm() && bindings)
      for (BindingAttr binding : bindings.getBindings())
        if (binding.getKind() == KeyPathKind::Size &&
            op->getResult(binding.getResult()) == result &&
            binding.getDim() == dim && binding.getDivisor() == 1)
          if (Expr name = shapes.getContext().lookup(binding.getSymbol());
              name && name.isInt())
            return name;
    return shapes.getSymbolOf(result, dim);
  }

  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto call = cast<CustomCallOp>(op);
    symbolic::ExprContext &context = shapes.getContext();
    call.forEachBound([&](Value result, unsigned dim, Value bound) {
      Expr size = getSize(call, result, dim, shapes);
      shapes.setDim(result, dim, size);
      // A negative bound fits no size: that it is none is not for the call to
      // prove.
      Expr limit = context.max(shapes.getValue(bound), context.zero());
      shapes.addProven(context.le(size, limit), "tally.custom_call");
    });
  }

  void collectPreconditions(Operation *op, SymbolicShapes &shapes,
                            Preconditions &preconditions) const {
    symbolic::ExprContext &context = shapes.getContext();
    for (Value bound : cast<CustomCallOp>(op).getBounds())
      preconditions.add(context.ge(shapes.getValue(bound), context.zero()));
  }
};
} // namespace

void tally::detail::registerCustomCallModel(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TallyDialect *) {
    CustomCallOp::attachInterface<CustomCallModel>(*context);
  });
}
