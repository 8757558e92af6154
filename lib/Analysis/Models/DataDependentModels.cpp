//===- DataDependentModels.cpp - Sizes that are in the data ---------------===//

#include "Models.h"
#include "tally/Symbolic/Proof/Prover.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

//===----------------------------------------------------------------------===//
// Symbols of sizes
//===----------------------------------------------------------------------===//

/// Says that the first size of a result is a symbol, by its name where it has
/// one, and returns that.
static Expr setNewSize(Value result, SymbolicShapes &shapes) {
  Expr size = shapes.getBoundSize(cast<OpResult>(result), 0);
  if (!size)
    size = shapes.getSymbolOf(result, 0);
  shapes.setDim(result, 0, size);
  return size;
}

/// The value where it is not negative, or 0. That it is not negative may not
/// follow from the size of a result: this would prove the check of it.
static Expr getNatural(Expr value, SymbolicShapes &shapes) {
  symbolic::ExprContext &context = shapes.getContext();
  symbolic::ProverBudget budget;
  budget.strongest = symbolic::Rung::Facts;
  symbolic::Prover prover(shapes.getFacts(), budget);
  return prover.isProven(context.le(context.zero(), value))
             ? value
             : context.max(value, context.zero());
}

namespace {

//===----------------------------------------------------------------------===//
// Compaction
//===----------------------------------------------------------------------===//

struct NonzeroModel
    : public SymbolicShapeOpInterface::ExternalModel<NonzeroModel, NonzeroOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto nonzero = cast<NonzeroOp>(op);
    Expr rows = setNewSize(nonzero.getResult(), shapes);
    Expr elements =
        getNatural(shapes.getNumElements(nonzero.getSource()), shapes);
    shapes.addProven(shapes.getContext().le(rows, elements), "tally.nonzero");
  }
};

struct MaskedSelectModel
    : public SymbolicShapeOpInterface::ExternalModel<MaskedSelectModel,
                                                     MaskedSelectOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto select = cast<MaskedSelectOp>(op);
    Expr size = setNewSize(select.getResult(), shapes);
    Expr elements = getNatural(shapes.getNumElements(select.getMask()), shapes);
    shapes.addProven(shapes.getContext().le(size, elements),
                     "tally.masked_select");
  }
  void collectPreconditions(Operation *op, SymbolicShapes &,
                            Preconditions &preconditions) const {
    auto select = cast<MaskedSelectOp>(op);
    auto type = cast<RankedTensorType>(select.getSource().getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      preconditions.addEqualDims(select.getSource(), dim, select.getMask(),
                                 dim);
  }
};

struct UniqueModel
    : public SymbolicShapeOpInterface::ExternalModel<UniqueModel, UniqueOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto unique = cast<UniqueOp>(op);
    symbolic::ExprContext &context = shapes.getContext();
    Expr size = shapes.getBoundSize(cast<OpResult>(unique.getCounts()), 0);
    if (size)
      shapes.setDim(unique.getValues(), 0, size);
    else
      size = setNewSize(unique.getValues(), shapes);
    shapes.setDim(unique.getCounts(), 0, size);
    shapes.setShape(unique.getInverse(), shapes.getShape(unique.getSource()));
    Expr elements =
        getNatural(shapes.getNumElements(unique.getSource()), shapes);
    shapes.addProven(context.le(size, elements), "tally.unique");
    shapes.addProven(context.le(context.min(elements, context.one()), size),
                     "tally.unique");
  }
};

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// Elements that are known are preconditions like others.
void requireNatural(Value tensor, StringRef message, SymbolicShapes &shapes,
                    Preconditions &preconditions) {
  symbolic::ExprContext &context = shapes.getContext();
  if (std::optional<SmallVector<Expr>> elements = shapes.getElements(tensor))
    for (Expr element : *elements)
      preconditions.add(symbolic::Comparison::le(context.zero(), element),
                        message);
}

struct RepeatInterleaveModel
    : public SymbolicShapeOpInterface::ExternalModel<RepeatInterleaveModel,
                                                     RepeatInterleaveOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto repeat = cast<RepeatInterleaveOp>(op);
    std::optional<SmallVector<Expr>> counts =
        shapes.getElements(repeat.getCounts());
    if (!counts)
      return (void)setNewSize(repeat.getResult(), shapes);
    for (Expr &count : *counts)
      count = getNatural(count, shapes);
    shapes.setDim(repeat.getResult(), 0, shapes.getContext().sum(*counts));
  }
  void collectPreconditions(Operation *op, SymbolicShapes &shapes,
                            Preconditions &preconditions) const {
    requireNatural(cast<RepeatInterleaveOp>(op).getCounts(),
                   "a negative number of repetitions", shapes, preconditions);
  }
};

struct BincountModel
    : public SymbolicShapeOpInterface::ExternalModel<BincountModel,
                                                     BincountOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto count = cast<BincountOp>(op);
    symbolic::ExprContext &context = shapes.getContext();
    Expr least = getNatural(shapes.getValue(count.getMinlength()), shapes);
    // Where there is no value it is the least.
    if (shapes.getDim(count.getValues(), 0).isConstant(0))
      return shapes.setDim(count.getResult(), 0, least);
    Expr size = setNewSize(count.getResult(), shapes);
    shapes.addProven(context.le(least, size), "tally.bincount");
  }
  void collectPreconditions(Operation *op, SymbolicShapes &shapes,
                            Preconditions &preconditions) const {
    auto count = cast<BincountOp>(op);
    symbolic::ExprContext &context = shapes.getContext();
    preconditions.add(
        symbolic::Comparison::le(context.zero(),
                                 shapes.getValue(count.getMinlength())),
        "minlength is negative");
    if (Value weights = count.getWeights())
      preconditions.addEqualDims(count.getValues(), 0, weights, 0);
    requireNatural(count.getValues(), "a value is negative", shapes,
                   preconditions);
  }
};

//===----------------------------------------------------------------------===//
// Parts of a dimension
//===----------------------------------------------------------------------===//

/// A bound of a slice as a position in [0, size].
Expr clampBound(Expr bound, Expr size, SymbolicShapes &shapes) {
  symbolic::ExprContext &context = shapes.getContext();
  Expr fromStart = context.min(bound, size);
  Expr fromEnd = context.max(context.add(bound, size), context.zero());
  Expr isNegative = context.lt(bound, context.zero());
  if (shapes.isKnown(context.logicalNot(isNegative)))
    return shapes.isKnown(context.le(bound, size)) ? bound : fromStart;
  if (shapes.isKnown(isNegative))
    return fromEnd;
  return context.select(isNegative, fromEnd, fromStart);
}

struct SliceModel
    : public SymbolicShapeOpInterface::ExternalModel<SliceModel, SliceOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto slice = cast<SliceOp>(op);
    symbolic::ExprContext &context = shapes.getContext();
    shapes.setShape(slice.getResult(), shapes.getShape(slice.getSource()));
    Expr size = shapes.getDim(slice.getSource(), slice.getDim());
    Expr start = clampBound(shapes.getValue(slice.getStart()), size, shapes);
    Expr end = clampBound(shapes.getValue(slice.getEnd()), size, shapes);
    Expr length = context.max(context.sub(end, start), context.zero());
    shapes.setDim(slice.getResult(), slice.getDim(),
                  context.ceilDiv(length, context.constant(slice.getStep())));
  }
};

struct SelectModel
    : public SymbolicShapeOpInterface::ExternalModel<SelectModel, SelectOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto select = cast<SelectOp>(op);
    SmallVector<Expr> sizes = shapes.getShape(select.getSource());
    sizes.erase(sizes.begin() + select.getDim());
    shapes.setShape(select.getResult(), sizes);
  }
  void collectPreconditions(Operation *op, SymbolicShapes &shapes,
                            Preconditions &preconditions) const {
    auto select = cast<SelectOp>(op);
    symbolic::ExprContext &context = shapes.getContext();
    Expr index = shapes.getValue(select.getIndex());
    Expr size = shapes.getDim(select.getSource(), select.getDim());
    preconditions.add({symbolic::Comparison::le(context.neg(size), index),
                       symbolic::Comparison::lt(index, size)},
                      "the index is out of range");
  }
};

struct SplitModel
    : public SymbolicShapeOpInterface::ExternalModel<SplitModel, SplitOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto split = cast<SplitOp>(op);
    symbolic::ExprContext &context = shapes.getContext();
    for (auto [result, size] :
         llvm::zip_equal(split.getResults(), split.getSizes())) {
      shapes.setShape(result, shapes.getShape(split.getSource()));
      Expr value = shapes.getValue(size);
      shapes.setDim(result, split.getDim(), value);
      if (Expr name =
              shapes.getBoundSize(cast<OpResult>(result), split.getDim())) {
        shapes.setDim(result, split.getDim(), name);
        shapes.addProven(context.eq(name, getNatural(value, shapes)),
                         "tally.split");
      }
    }
  }
  void collectPreconditions(Operation *op, SymbolicShapes &shapes,
                            Preconditions &preconditions) const {
    auto split = cast<SplitOp>(op);
    symbolic::ExprContext &context = shapes.getContext();
    SmallVector<Expr> sizes;
    for (Value size : split.getSizes()) {
      sizes.push_back(shapes.getValue(size));
      preconditions.add(symbolic::Comparison::le(context.zero(), sizes.back()),
                        "a part has a negative size");
    }
    preconditions.addEqual(context.sum(sizes),
                           shapes.getDim(split.getSource(), split.getDim()));
  }
};

} // namespace

void tally::detail::registerDataDependentModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TallyDialect *) {
    NonzeroOp::attachInterface<NonzeroModel>(*context);
    MaskedSelectOp::attachInterface<MaskedSelectModel>(*context);
    UniqueOp::attachInterface<UniqueModel>(*context);
    RepeatInterleaveOp::attachInterface<RepeatInterleaveModel>(*context);
    BincountOp::attachInterface<BincountModel>(*context);
    SliceOp::attachInterface<SliceModel>(*context);
    SelectOp::attachInterface<SelectModel>(*context);
    SplitOp::attachInterface<SplitModel>(*context);
  });
}
