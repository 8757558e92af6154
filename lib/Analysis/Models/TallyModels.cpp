//===- TallyModels.cpp - Shape models of the tally dialect ----------------===//

#include "../ShapesImpl.h"
#include "Models.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tally/IR/TallyFFTOps.h"
#include "tally/IR/TallyLinearAlgebraOps.h"
#include "tally/IR/TallyScanOps.h"
#include "tally/Symbolic/Text/Parser.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

namespace {

struct ItemModel
    : public SymbolicShapeOpInterface::ExternalModel<ItemModel, ItemOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto item = cast<ItemOp>(op);
    std::optional<SmallVector<Expr>> elements =
        shapes.getElements(item.getSource());
    if (elements && elements->size() == 1)
      shapes.setValue(item.getResult(), elements->front());
  }
  void collectPreconditions(Operation *op, SymbolicShapes &shapes,
                            Preconditions &preconditions) const {
    for (Expr size : shapes.getShape(cast<ItemOp>(op).getSource()))
      preconditions.addEqual(size, shapes.getContext().one());
  }
};

struct SymbolModel
    : public SymbolicShapeOpInterface::ExternalModel<SymbolModel, SymbolOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto symbol = cast<SymbolOp>(op);
    shapes.setValue(symbol.getResult(), shapes.getValue(symbol.getSource()));
  }
};

struct SpeculationBarrierModel
    : public SymbolicShapeOpInterface::ExternalModel<SpeculationBarrierModel,
                                                     SpeculationBarrierOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto hold = cast<SpeculationBarrierOp>(op);
    shapes.setValue(hold.getResult(), shapes.getValue(hold.getSource()));
  }
};

struct SizeModel
    : public SymbolicShapeOpInterface::ExternalModel<SizeModel, SizeOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto size = cast<SizeOp>(op);
    if (Expr value = shapes.parse(size.getExpr()))
      shapes.setValue(size.getResult(), value);
  }
};

/// The first subgraph runs where the predicate is true, else the second.
struct CondModel
    : public SymbolicShapeOpInterface::ExternalModel<CondModel, CondOp> {
  void inferSymbolicShapes(Operation *, SymbolicShapes &) const {}

  Expr getRegionCondition(Operation *op, unsigned index,
                          SymbolicShapes &shapes) const {
    Expr holds = shapes.getValue(cast<CondOp>(op).getPredicate());
    return index == 0 ? holds : shapes.getContext().logicalNot(holds);
  }
};

struct AssertModel
    : public SymbolicShapeOpInterface::ExternalModel<AssertModel, AssertOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto assertion = cast<AssertOp>(op);
    for (auto [guarded, result] :
         llvm::zip(assertion.getGuarded(), assertion.getResults()))
      shapes.setValue(result, shapes.getValue(guarded));
  }
};

/// Destinations are as large as the source, but where a part of the order is
/// asked for.
struct SortModel
    : public SymbolicShapeOpInterface::ExternalModel<SortModel, SortOp> {
  /// Results have the sizes of the destinations.
  void inferSymbolicShapes(Operation *, SymbolicShapes &) const {}

  void collectPreconditions(Operation *op, SymbolicShapes &shapes,
                            Preconditions &preconditions) const {
    auto sort = cast<SortOp>(op);
    Value source = sort.getSource(), output = sort.getAnyOutput();
    auto type = cast<ShapedType>(source.getType());
    for (unsigned dim = 0; dim < type.getRank(); ++dim) {
      if (sort.getValues() && sort.getIndices())
        preconditions.addEqualDims(sort.getValues(), dim, sort.getIndices(),
                                   dim);
      if (dim == sort.getDim() && sort.getFirst())
        preconditions.addSlice(
            shapes.getValue(sort.getFirst()), shapes.getDim(output, dim),
            shapes.getContext().one(), shapes.getDim(source, dim));
      else
        preconditions.addEqualDims(source, dim, output, dim);
    }
  }
};

/// Inputs and destinations have the same sizes.
struct PrefixScanModel
    : public SymbolicShapeOpInterface::ExternalModel<PrefixScanModel,
                                                     PrefixScanOp> {
  /// Results have the sizes of the destinations.
  void inferSymbolicShapes(Operation *, SymbolicShapes &) const {}

  void collectPreconditions(Operation *op, SymbolicShapes &,
                            Preconditions &preconditions) const {
    auto scan = cast<PrefixScanOp>(op);
    Value first = scan.getOutputs().front();
    int64_t rank = cast<ShapedType>(first.getType()).getRank();
    SmallVector<Value> others(scan.getInputs());
    llvm::append_range(others, scan.getOutputs().drop_front());
    for (Value other : others)
      for (unsigned dim = 0; dim < rank; ++dim)
        preconditions.addEqualDims(other, dim, first, dim);
  }
};

/// Sizes differ along the dimension of a transform only, where one side may
/// have half of the numbers, and one more.
struct FFTModel
    : public SymbolicShapeOpInterface::ExternalModel<FFTModel, FFTOp> {
  /// The result has the sizes of the destination.
  void inferSymbolicShapes(Operation *, SymbolicShapes &) const {}

  void collectPreconditions(Operation *op, SymbolicShapes &shapes,
                            Preconditions &preconditions) const {
    auto transform = cast<FFTOp>(op);
    symbolic::ExprContext &context = shapes.getContext();
    Value in = transform.getInput(), out = transform.getOutput();
    auto half = [&](Expr size) {
      return context.add(context.floorDiv(size, context.constant(2)),
                         context.one());
    };
    for (unsigned dim = 0; dim < transform.getSignalRank(); ++dim) {
      Expr from = shapes.getDim(in, dim), to = shapes.getDim(out, dim);
      if (dim == transform.getDim() && !transform.takesComplex())
        from = half(from);
      if (dim == transform.getDim() && !transform.givesComplex())
        to = half(to);
      preconditions.addEqual(from, to);
    }
  }
};

/// Dimensions of a letter are of one size, and those of a batch.
struct LinearAlgebraModel
    : public SymbolicShapeOpInterface::ExternalModel<LinearAlgebraModel,
                                                     LinearAlgebraOp> {
  /// Results have the sizes of the destinations.
  void inferSymbolicShapes(Operation *, SymbolicShapes &) const {}

  void collectPreconditions(Operation *op, SymbolicShapes &shapes,
                            Preconditions &preconditions) const {
    auto factor = cast<LinearAlgebraOp>(op);
    unsigned rank = factor.getBatchRank();
    Value first = factor.getInputs().front();
    llvm::SmallDenseMap<char, std::pair<Value, unsigned>> known;
    for (auto [value, operand] :
         llvm::zip(op->getOperands(), factor.getSignature())) {
      for (unsigned dim = 0; dim < rank && value != first; ++dim)
        preconditions.addEqualDims(value, dim, first, dim);
      for (auto [place, letter] : llvm::enumerate(operand.dims)) {
        unsigned dim = rank + place;
        if (letter == '2') {
          preconditions.addEqual(shapes.getDim(value, dim),
                                 shapes.getContext().constant(2));
          continue;
        }
        auto [it, isNew] = known.try_emplace(letter, value, dim);
        if (!isNew)
          preconditions.addEqualDims(value, dim, it->second.first,
                                     it->second.second);
        else if (letter == 'k')
          preconditions.addEqual(
              shapes.getDim(value, dim),
              shapes.getContext().min(shapes.getDim(first, rank),
                                      shapes.getDim(first, rank + 1)));
      }
    }
  }
};

/// Operands have the same size along a loop, but for heads that are grouped.
struct AttentionModel
    : public SymbolicShapeOpInterface::ExternalModel<AttentionModel,
                                                     AttentionOp> {
  /// Results have the sizes of the destinations.
  void inferSymbolicShapes(Operation *, SymbolicShapes &) const {}

  void collectPreconditions(Operation *op, SymbolicShapes &shapes,
                            Preconditions &preconditions) const {
    auto attention = cast<AttentionOp>(op);
    using Dim = std::pair<Value, unsigned>;
    for (unsigned loop = 0; loop < attention.getMap(0).getNumDims(); ++loop) {
      std::optional<Dim> all, shared;
      for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
        std::optional<unsigned> dim = attention.findDim(index, loop);
        if (!dim)
          continue;
        std::optional<Dim> &first =
            attention.isShared(index, loop) ? shared : all;
        if (first)
          preconditions.addEqualDims(first->first, first->second, operand,
                                     *dim);
        else
          first = Dim(operand, *dim);
      }
      if (all && shared)
        addGrouping(shapes.getDim(all->first, all->second),
                    shapes.getDim(shared->first, shared->second), shapes,
                    preconditions);
    }
  }

private:
  /// As many heads of queries, at least one, belong to each head of keys.
  static void addGrouping(Expr queries, Expr keys, SymbolicShapes &shapes,
                          Preconditions &preconditions) {
    symbolic::ExprContext &exprs = shapes.getContext();
    Expr divisor = exprs.max({keys, exprs.one()});
    preconditions.add(
        exprs.eq(exprs.mul(exprs.floorDiv(queries, divisor), keys), queries),
        "heads of queries cannot be grouped for heads of keys");
  }
};

/// Returns true if the names of an expression have values here: an unbacked one
/// whose definition was bound and cleaned away is but a word in the signature.
static bool hasValues(Expr expr, FunctionOpInterface function,
                      SymbolicShapes &shapes) {
  SymbolsAttr table = SymbolsAttr::get(function);
  return llvm::all_of(shapes.getContext().freeSymbols(expr), [&](Expr symbol) {
    SymbolDeclAttr decl =
        table ? table.lookup(symbol.getName()) : SymbolDeclAttr();
    return !decl || !decl.getUnbacked() || shapes.getBindingOp(symbol);
  });
}

/// A function returns what it declares.
struct ReturnModel
    : public SymbolicShapeOpInterface::ExternalModel<ReturnModel,
                                                     func::ReturnOp> {
  void inferSymbolicShapes(Operation *, SymbolicShapes &) const {}

  void collectPreconditions(Operation *op, SymbolicShapes &shapes,
                            Preconditions &preconditions) const {
    auto function = dyn_cast<FunctionOpInterface>(op->getParentOp());
    if (!function || !shapes.isNamedForm() ||
        op->getParentOp() != shapes.getRoot())
      return;
    for (auto [index, value] : llvm::enumerate(op->getOperands())) {
      auto shape =
          function.getResultAttrOfType<ShapeAttr>(index, attr_names::kShape);
      if (!shape || !getRankedType(value))
        continue;
      for (auto [dim, size] : llvm::enumerate(shape.getSizes()))
        if (Expr declared = shapes.parse(size);
            declared && declared.isInt() &&
            hasValues(declared, function, shapes) &&
            shapes.isAvailable(declared, op))
          preconditions.addEqual(declared, shapes.getDim(value, dim));
    }
  }
};

} // namespace

void tally::detail::registerTallyModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TallyDialect *) {
    ItemOp::attachInterface<ItemModel>(*context);
    SymbolOp::attachInterface<SymbolModel>(*context);
    SpeculationBarrierOp::attachInterface<SpeculationBarrierModel>(*context);
    SizeOp::attachInterface<SizeModel>(*context);
    AssertOp::attachInterface<AssertModel>(*context);
    CondOp::attachInterface<CondModel>(*context);
    AttentionOp::attachInterface<AttentionModel>(*context);
    SortOp::attachInterface<SortModel>(*context);
    PrefixScanOp::attachInterface<PrefixScanModel>(*context);
    FFTOp::attachInterface<FFTModel>(*context);
    LinearAlgebraOp::attachInterface<LinearAlgebraModel>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, func::FuncDialect *) {
    func::ReturnOp::attachInterface<ReturnModel>(*context);
  });
}
