//===- TensorModels.cpp - Shape models of the tensor dialect --------------===//

#include "../ShapesImpl.h"
#include "Models.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

namespace {

/// The base of a model for `OpT`, implemented by `infer(OpT, shapes)` and
/// `demand(OpT, shapes, demands)`.
template <typename Model, typename OpT>
struct ModelOf
    : public SymbolicShapeOpInterface::ExternalModel<ModelOf<Model, OpT>, OpT> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    Model::infer(cast<OpT>(op), shapes);
  }
  void collectDemands(Operation *op, SymbolicShapes &shapes,
                      Demands &demands) const {
    Model::demand(cast<OpT>(op), shapes, demands);
  }
};

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Sets the dynamic dimensions of a result from a list of one value for each.
void setDynamicDims(Value result, ValueRange sizes, SymbolicShapes &shapes) {
  auto type = cast<RankedTensorType>(result.getType());
  unsigned next = 0;
  for (int64_t dim = 0; dim < type.getRank() && next < sizes.size(); ++dim)
    if (type.isDynamicDim(dim))
      shapes.setDim(result, dim, shapes.getValue(sizes[next++]));
}

void demandNonNegative(ValueRange sizes, SymbolicShapes &shapes,
                       Demands &demands) {
  for (Value size : sizes)
    demands.add(symbolic::Comparison::le(shapes.getContext().zero(),
                                         shapes.getValue(size)));
}

void demandNonNegative(ArrayRef<OpFoldResult> sizes, SymbolicShapes &shapes,
                       Demands &demands) {
  for (OpFoldResult size : sizes)
    demands.add(symbolic::Comparison::le(shapes.getContext().zero(),
                                         shapes.getValue(size)));
}

/// A size that is computed from others must be one.
void demandFits(Expr size, SymbolicShapes &shapes, Demands &demands) {
  demands.add(
      symbolic::Comparison::le(size, shapes.getContext().constant(INT64_MAX)),
      "the size is too large");
}

void copyShape(Value from, Value to, SymbolicShapes &shapes) {
  shapes.setShape(to, shapes.getShape(from));
}

void demandIndices(Value tensor, ValueRange indices, SymbolicShapes &shapes,
                   Demands &demands) {
  for (auto [dim, index] : llvm::enumerate(indices))
    demands.addInBounds(shapes.getValue(index), shapes.getDim(tensor, dim));
}

/// The slice that offsets, sizes and strides describe is inside of a tensor.
template <typename OpT>
void demandSlice(OpT op, Value tensor, SymbolicShapes &shapes,
                 Demands &demands) {
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                            sizes = op.getMixedSizes(),
                            strides = op.getMixedStrides();
  for (unsigned dim = 0; dim < offsets.size(); ++dim)
    demands.addSlice(shapes.getValue(offsets[dim]), shapes.getValue(sizes[dim]),
                     shapes.getValue(strides[dim]), shapes.getDim(tensor, dim));
}

/// The source of an insertion has the sizes of the slice that it fills.
template <typename OpT>
void demandSourceOfSlice(OpT op, SymbolicShapes &shapes, Demands &demands) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned next = 0;
  for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
    if (!dropped.test(dim))
      demands.addEqual(shapes.getDim(op.getSource(), next++),
                       shapes.getValue(size));
}

Expr getProduct(Value tensor, ArrayRef<int64_t> group, SymbolicShapes &shapes) {
  auto factors = llvm::map_to_vector(
      group, [&](int64_t dim) { return shapes.getDim(tensor, dim); });
  return shapes.getContext().product(factors);
}

//===----------------------------------------------------------------------===//
// Sources of tensors
//===----------------------------------------------------------------------===//

struct EmptyModel {
  static void infer(tensor::EmptyOp op, SymbolicShapes &shapes) {
    setDynamicDims(op, op.getDynamicSizes(), shapes);
  }
  static void demand(tensor::EmptyOp op, SymbolicShapes &shapes,
                     Demands &demands) {
    demandNonNegative(op.getDynamicSizes(), shapes, demands);
  }
};

struct GenerateModel {
  static void infer(tensor::GenerateOp op, SymbolicShapes &shapes) {
    setDynamicDims(op, op.getDynamicExtents(), shapes);
  }
  static void demand(tensor::GenerateOp op, SymbolicShapes &shapes,
                     Demands &demands) {
    demandNonNegative(op.getDynamicExtents(), shapes, demands);
  }
};

struct SplatModel {
  static void infer(tensor::SplatOp op, SymbolicShapes &shapes) {
    setDynamicDims(op, op.getDynamicSizes(), shapes);
  }
  static void demand(tensor::SplatOp op, SymbolicShapes &shapes,
                     Demands &demands) {
    demandNonNegative(op.getDynamicSizes(), shapes, demands);
  }
};

//===----------------------------------------------------------------------===//
// Sizes and elements
//===----------------------------------------------------------------------===//

/// The ranked tensor that an unranked one is known to be; null if nobody says.
Value getRankedSource(Value unranked) {
  while (auto cast = unranked.getDefiningOp<tensor::CastOp>()) {
    unranked = cast.getSource();
    if (getRankedType(unranked))
      return unranked;
  }
  return {};
}

template <typename OpT>
struct DimModel {
  static void infer(OpT op, SymbolicShapes &shapes) {
    Value source = op.getSource();
    if (!getRankedType(source))
      if (Value ranked = getRankedSource(source))
        source = ranked;
    ShapedType type = getRankedType(source);
    std::optional<int64_t> index = op.getConstantIndex();
    if (type && index && *index >= 0 && *index < type.getRank())
      return shapes.setValue(op, shapes.getDim(source, *index));
    if (!type && index && *index >= 0)
      return shapes.setValue(op, shapes.getSymbolOf(source, *index));
    shapes.addProvenRange(shapes.getSymbolOf(op),
                          symbolic::Interval::of(0, INT64_MAX));
  }
  static void demand(OpT op, SymbolicShapes &shapes, Demands &demands) {
    if (ShapedType type = getRankedType(op.getSource()))
      return demands.addInBounds(shapes.getValue(op.getIndex()),
                                 shapes.getContext().constant(type.getRank()));
    // The rank of an unranked reshape is how many sizes it is given.
    Value source = op.getSource();
    while (auto cast = source.getDefiningOp<tensor::CastOp>())
      source = cast.getSource();
    if (auto reshape = source.getDefiningOp<tensor::ReshapeOp>())
      demands.addInBounds(shapes.getValue(op.getIndex()),
                          shapes.getDim(reshape.getShape(), 0));
  }
};

struct RankModel {
  static void infer(tensor::RankOp op, SymbolicShapes &shapes) {
    if (ShapedType type = getRankedType(op.getTensor()))
      shapes.setValue(op, shapes.getContext().constant(type.getRank()));
  }
  static void demand(tensor::RankOp, SymbolicShapes &, Demands &) {}
};

struct ExtractModel {
  static void infer(tensor::ExtractOp op, SymbolicShapes &shapes) {
    std::optional<SmallVector<Expr>> elements =
        shapes.getElements(op.getTensor());
    if (!elements)
      return;
    int64_t position = 0;
    auto type = cast<RankedTensorType>(op.getTensor().getType());
    for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
      std::optional<int64_t> known = shapes.getValue(index).getInt64();
      if (!known || *known < 0 || *known >= type.getDimSize(dim))
        return;
      position = position * type.getDimSize(dim) + *known;
    }
    shapes.setValue(op, (*elements)[position]);
  }
  static void demand(tensor::ExtractOp op, SymbolicShapes &shapes,
                     Demands &demands) {
    if (!op->hasAttr(attr_names::kChecked))
      demandIndices(op.getTensor(), op.getIndices(), shapes, demands);
  }
};

struct InsertModel {
  static void infer(tensor::InsertOp op, SymbolicShapes &shapes) {
    copyShape(op.getDest(), op, shapes);
  }
  static void demand(tensor::InsertOp op, SymbolicShapes &shapes,
                     Demands &demands) {
    if (!op->hasAttr(attr_names::kChecked))
      demandIndices(op.getDest(), op.getIndices(), shapes, demands);
  }
};

//===----------------------------------------------------------------------===//
// Casts and views
//===----------------------------------------------------------------------===//

struct CastModel {
  /// What is cast, seen through casts to unranked tensors.
  static Value getSource(tensor::CastOp op) {
    Value source = op.getSource();
    if (getRankedType(source))
      return source;
    Value ranked = getRankedSource(source);
    return ranked ? ranked : source;
  }
  static void infer(tensor::CastOp op, SymbolicShapes &shapes) {
    ShapedType type = getRankedType(op);
    Value source = getSource(op);
    ShapedType from = getRankedType(source);
    if (!type || (from && from.getRank() != type.getRank()))
      return;
    if (from)
      return copyShape(source, op, shapes);
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      shapes.setDim(op, dim, shapes.getSymbolOf(source, dim));
  }
  static void demand(tensor::CastOp op, SymbolicShapes &shapes,
                     Demands &demands) {
    ShapedType type = getRankedType(op);
    Value source = getSource(op);
    ShapedType from = getRankedType(source);
    if (!type || !from)
      return;
    symbolic::ExprContext &context = shapes.getContext();
    if (from.getRank() != type.getRank())
      return demands.add(context.falseExpr(), "a tensor of rank " +
                                                  Twine(type.getRank()) +
                                                  ", and this one has rank " +
                                                  Twine(from.getRank()));
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!type.isDynamicDim(dim))
        demands.addEqual(shapes.getDim(source, dim),
                         context.constant(type.getDimSize(dim)));
  }
};

struct BitcastModel {
  static void infer(tensor::BitcastOp op, SymbolicShapes &shapes) {
    copyShape(op.getSource(), op, shapes);
  }
  static void demand(tensor::BitcastOp, SymbolicShapes &, Demands &) {}
};

/// A shape without dimensions stands for sizes of 1.
static void demandOnes(ArrayRef<Expr> sizes, SymbolicShapes &shapes,
                       Demands &demands) {
  for (Expr size : sizes)
    demands.addEqual(size, shapes.getContext().one());
}

struct CollapseModel {
  static void infer(tensor::CollapseShapeOp op, SymbolicShapes &shapes) {
    for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices()))
      shapes.setDim(op, dim, getProduct(op.getSrc(), group, shapes));
  }
  static void demand(tensor::CollapseShapeOp op, SymbolicShapes &shapes,
                     Demands &demands) {
    if (op.getResultType().getRank() == 0)
      demandOnes(shapes.getShape(op.getSrc()), shapes, demands);
    for (auto &group : op.getReassociationIndices())
      demandFits(getProduct(op.getSrc(), group, shapes), shapes, demands);
  }
};

struct ExpandModel {
  static void infer(tensor::ExpandShapeOp op, SymbolicShapes &shapes) {
    for (auto [dim, size] : llvm::enumerate(op.getMixedOutputShape()))
      shapes.setDim(op, dim, shapes.getValue(size));
  }
  static void demand(tensor::ExpandShapeOp op, SymbolicShapes &shapes,
                     Demands &demands) {
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
    demandNonNegative(sizes, shapes, demands);
    if (op.getSrcType().getRank() == 0)
      demandOnes(
          llvm::map_to_vector(
              sizes, [&](OpFoldResult size) { return shapes.getValue(size); }),
          shapes, demands);
    for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
      auto factors = llvm::map_to_vector(
          group, [&](int64_t index) { return shapes.getValue(sizes[index]); });
      demands.addEqual(shapes.getDim(op.getSrc(), dim),
                       shapes.getContext().product(factors));
    }
  }
};

struct ReshapeModel {
  static void infer(tensor::ReshapeOp op, SymbolicShapes &shapes) {
    if (!getRankedType(op))
      return;
    if (std::optional<SmallVector<Expr>> sizes =
            shapes.getElements(op.getShape()))
      shapes.setShape(op, *sizes);
  }
  static void demand(tensor::ReshapeOp op, SymbolicShapes &shapes,
                     Demands &demands) {
    std::optional<SmallVector<Expr>> sizes = shapes.getElements(op.getShape());
    if (!sizes || !getRankedType(op.getSource()))
      return;
    symbolic::ExprContext &context = shapes.getContext();
    for (Expr size : *sizes)
      demands.add(symbolic::Comparison::le(context.zero(), size));
    if (ShapedType type = getRankedType(op))
      for (auto [dim, size] : llvm::enumerate(*sizes))
        if (!type.isDynamicDim(dim))
          demands.addEqual(size, context.constant(type.getDimSize(dim)));
    demands.addEqual(shapes.getNumElements(op.getSource()),
                     context.product(*sizes));
  }
};

//===----------------------------------------------------------------------===//
// Slices, concatenation, padding
//===----------------------------------------------------------------------===//

struct ExtractSliceModel {
  static void infer(tensor::ExtractSliceOp op, SymbolicShapes &shapes) {
    llvm::SmallBitVector dropped = op.getDroppedDims();
    unsigned next = 0;
    for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
      if (!dropped.test(dim))
        shapes.setDim(op, next++, shapes.getValue(size));
  }
  static void demand(tensor::ExtractSliceOp op, SymbolicShapes &shapes,
                     Demands &demands) {
    demandSlice(op, op.getSource(), shapes, demands);
  }
};

struct InsertSliceModel {
  static void infer(tensor::InsertSliceOp op, SymbolicShapes &shapes) {
    copyShape(op.getDest(), op, shapes);
  }
  static void demand(tensor::InsertSliceOp op, SymbolicShapes &shapes,
                     Demands &demands) {
    demandSlice(op, op.getDest(), shapes, demands);
    demandSourceOfSlice(op, shapes, demands);
  }
};

struct ParallelInsertSliceModel {
  static void infer(tensor::ParallelInsertSliceOp, SymbolicShapes &) {}
  static void demand(tensor::ParallelInsertSliceOp op, SymbolicShapes &shapes,
                     Demands &demands) {
    demandSlice(op, op.getDest(), shapes, demands);
    demandSourceOfSlice(op, shapes, demands);
  }
};

struct ConcatModel {
  static Expr getTotal(tensor::ConcatOp op, SymbolicShapes &shapes) {
    auto sizes = llvm::map_to_vector(op.getInputs(), [&](Value input) {
      return shapes.getDim(input, op.getDim());
    });
    return shapes.getContext().sum(sizes);
  }
  static void infer(tensor::ConcatOp op, SymbolicShapes &shapes) {
    Value first = op.getInputs().front();
    for (int64_t dim = 0; dim < op.getResultType().getRank(); ++dim) {
      if (dim == static_cast<int64_t>(op.getDim())) {
        shapes.setDim(op, dim, getTotal(op, shapes));
        continue;
      }
      // Any input tells the size; one that knows it best is taken.
      Expr size = shapes.getDim(first, dim);
      for (Value input : op.getInputs())
        if (Expr other = shapes.getDim(input, dim); other.isConstant())
          size = other;
      shapes.setDim(op, dim, size);
    }
  }
  static void demand(tensor::ConcatOp op, SymbolicShapes &shapes,
                     Demands &demands) {
    Value first = op.getInputs().front();
    for (Value input : op.getInputs().drop_front())
      for (int64_t dim = 0; dim < op.getResultType().getRank(); ++dim)
        if (dim != static_cast<int64_t>(op.getDim()))
          demands.addEqualDims(first, dim, input, dim);
    demandFits(getTotal(op, shapes), shapes, demands);
    // A static size of the result is a claim.
    symbolic::ExprContext &context = shapes.getContext();
    RankedTensorType type = op.getResultType();
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!type.isDynamicDim(dim))
        demands.addEqual(dim == static_cast<int64_t>(op.getDim())
                             ? getTotal(op, shapes)
                             : shapes.getDim(first, dim),
                         context.constant(type.getDimSize(dim)));
  }
};

struct PadModel {
  static Expr getPadded(tensor::PadOp op, unsigned dim,
                        SymbolicShapes &shapes) {
    return shapes.getContext().sum(
        {shapes.getDim(op.getSource(), dim),
         shapes.getValue(op.getMixedLowPad()[dim]),
         shapes.getValue(op.getMixedHighPad()[dim])});
  }
  static void infer(tensor::PadOp op, SymbolicShapes &shapes) {
    for (int64_t dim = 0; dim < op.getResultType().getRank(); ++dim)
      shapes.setDim(op, dim, getPadded(op, dim, shapes));
  }
  static void demand(tensor::PadOp op, SymbolicShapes &shapes,
                     Demands &demands) {
    demandNonNegative(op.getMixedLowPad(), shapes, demands);
    demandNonNegative(op.getMixedHighPad(), shapes, demands);
    RankedTensorType type = op.getResultType();
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      Expr size = getPadded(op, dim, shapes);
      if (type.isDynamicDim(dim))
        demandFits(size, shapes, demands);
      else
        demands.addEqual(size,
                         shapes.getContext().constant(type.getDimSize(dim)));
    }
  }
};

//===----------------------------------------------------------------------===//
// Tensors and buffers
//===----------------------------------------------------------------------===//

/// The result has the shape of the only operand.
template <typename OpT>
struct SameShapeModel {
  static void infer(OpT op, SymbolicShapes &shapes) {
    if (getRankedType(op->getOperand(0)) && getRankedType(op->getResult(0)))
      copyShape(op->getOperand(0), op->getResult(0), shapes);
  }
  static void demand(OpT, SymbolicShapes &, Demands &) {}
};

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

/// Calls `use(outer, inner)` for each dimension of the whole tensor that the
/// slices of a gather or scatter keep, with its place in the tensor of slices.
void forEachSliceDim(ArrayRef<int64_t> indexed, Value whole, Value slices,
                     Value indices,
                     function_ref<void(unsigned, unsigned)> use) {
  unsigned rank = getRankedType(whole).getRank();
  unsigned next = getRankedType(indices).getRank() - 1;
  bool isReduced = getRankedType(slices).getRank() < next + rank;
  for (unsigned dim = 0; dim < rank; ++dim) {
    bool isIndexed = llvm::is_contained(indexed, dim);
    if (!isIndexed)
      use(dim, next);
    next += !isIndexed || !isReduced;
  }
}

/// Each coordinate that is known is in bounds; those that are not are checked
/// by a computation.
void demandCoordinates(Value whole, Value indices, ArrayRef<int64_t> indexed,
                       SymbolicShapes &shapes, Demands &demands) {
  unsigned last = getRankedType(indices).getRank() - 1;
  demands.addEqual(shapes.getDim(indices, last),
                   shapes.getContext().constant(indexed.size()));
  std::optional<SmallVector<Expr>> elements = shapes.getElements(indices);
  if (!elements || indexed.empty() || elements->size() % indexed.size() != 0)
    return;
  for (auto [position, element] : llvm::enumerate(*elements))
    demands.addInBounds(
        element, shapes.getDim(whole, indexed[position % indexed.size()]));
}

struct GatherModel {
  static void infer(tensor::GatherOp op, SymbolicShapes &shapes) {
    unsigned leading = getRankedType(op.getIndices()).getRank() - 1;
    for (unsigned dim = 0; dim < leading; ++dim)
      shapes.setDim(op, dim, shapes.getDim(op.getIndices(), dim));
    forEachSliceDim(op.getGatherDims(), op.getSource(), op, op.getIndices(),
                    [&](unsigned dim, unsigned place) {
                      shapes.setDim(op, place,
                                    shapes.getDim(op.getSource(), dim));
                    });
  }
  static void demand(tensor::GatherOp op, SymbolicShapes &shapes,
                     Demands &demands) {
    demandCoordinates(op.getSource(), op.getIndices(), op.getGatherDims(),
                      shapes, demands);
  }
};

struct ScatterModel {
  static void infer(tensor::ScatterOp op, SymbolicShapes &shapes) {
    copyShape(op.getDest(), op, shapes);
  }
  static void demand(tensor::ScatterOp op, SymbolicShapes &shapes,
                     Demands &demands) {
    unsigned leading = getRankedType(op.getIndices()).getRank() - 1;
    for (unsigned dim = 0; dim < leading; ++dim)
      demands.addEqualDims(op.getIndices(), dim, op.getSource(), dim);
    forEachSliceDim(op.getScatterDims(), op.getDest(), op.getSource(),
                    op.getIndices(), [&](unsigned dim, unsigned place) {
                      demands.addEqualDims(op.getDest(), dim, op.getSource(),
                                           place);
                    });
    demandCoordinates(op.getDest(), op.getIndices(), op.getScatterDims(),
                      shapes, demands);
  }
};

} // namespace

template <typename Model, typename OpT>
static void attach(MLIRContext *context) {
  OpT::template attachInterface<ModelOf<Model, OpT>>(*context);
}

void tally::detail::registerTensorModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attach<EmptyModel, tensor::EmptyOp>(context);
    attach<GenerateModel, tensor::GenerateOp>(context);
    attach<SplatModel, tensor::SplatOp>(context);
    attach<DimModel<tensor::DimOp>, tensor::DimOp>(context);
    attach<RankModel, tensor::RankOp>(context);
    attach<ExtractModel, tensor::ExtractOp>(context);
    attach<InsertModel, tensor::InsertOp>(context);
    attach<CastModel, tensor::CastOp>(context);
    attach<BitcastModel, tensor::BitcastOp>(context);
    attach<CollapseModel, tensor::CollapseShapeOp>(context);
    attach<ExpandModel, tensor::ExpandShapeOp>(context);
    attach<ReshapeModel, tensor::ReshapeOp>(context);
    attach<ExtractSliceModel, tensor::ExtractSliceOp>(context);
    attach<InsertSliceModel, tensor::InsertSliceOp>(context);
    attach<ParallelInsertSliceModel, tensor::ParallelInsertSliceOp>(context);
    attach<ConcatModel, tensor::ConcatOp>(context);
    attach<PadModel, tensor::PadOp>(context);
    attach<GatherModel, tensor::GatherOp>(context);
    attach<ScatterModel, tensor::ScatterOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, memref::MemRefDialect *) {
    attach<DimModel<memref::DimOp>, memref::DimOp>(context);
  });
  registry.addExtension(
      +[](MLIRContext *context, bufferization::BufferizationDialect *) {
        using bufferization::ToBufferOp;
        using bufferization::ToTensorOp;
        attach<SameShapeModel<ToTensorOp>, ToTensorOp>(context);
        attach<SameShapeModel<ToBufferOp>, ToBufferOp>(context);
      });
}
