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
/// `precondition(OpT, shapes, preconditions)`.
template <typename Model, typename OpT>
struct ModelOf
    : public SymbolicShapeOpInterface::ExternalModel<ModelOf<Model, OpT>, OpT> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    Model::infer(cast<OpT>(op), shapes);
  }
  void collectPreconditions(Operation *op, SymbolicShapes &shapes,
                            Preconditions &preconditions) const {
    Model::require(cast<OpT>(op), shapes, preconditions);
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

void requireNonNegative(ValueRange sizes, SymbolicShapes &shapes,
                        Preconditions &preconditions) {
  for (Value size : sizes)
    preconditions.add(symbolic::Comparison::le(shapes.getContext().zero(),
                                               shapes.getValue(size)));
}

void requireNonNegative(ArrayRef<OpFoldResult> sizes, SymbolicShapes &shapes,
                        Preconditions &preconditions) {
  for (OpFoldResult size : sizes)
    preconditions.add(symbolic::Comparison::le(shapes.getContext().zero(),
                                               shapes.getValue(size)));
}

/// A size that is computed from others must be one.
void requireFits(Expr size, SymbolicShapes &shapes,
                 Preconditions &preconditions) {
  preconditions.add(
      symbolic::Comparison::le(size, shapes.getContext().constant(INT64_MAX)),
      "the size is too large");
}

void copyShape(Value from, Value to, SymbolicShapes &shapes) {
  shapes.setShape(to, shapes.getShape(from));
}

void requireIndices(Value tensor, ValueRange indices, SymbolicShapes &shapes,
                    Preconditions &preconditions) {
  for (auto [dim, index] : llvm::enumerate(indices))
    preconditions.addInBounds(shapes.getValue(index),
                              shapes.getDim(tensor, dim));
}

/// The slice that offsets, sizes and strides describe is inside of a tensor.
template <typename OpT>
void requireSlice(OpT op, Value tensor, SymbolicShapes &shapes,
                  Preconditions &preconditions) {
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                            sizes = op.getMixedSizes(),
                            strides = op.getMixedStrides();
  for (unsigned dim = 0; dim < offsets.size(); ++dim)
    preconditions.addSlice(
        shapes.getValue(offsets[dim]), shapes.getValue(sizes[dim]),
        shapes.getValue(strides[dim]), shapes.getDim(tensor, dim));
}

/// The source of an insertion has the sizes of the slice that it fills.
template <typename OpT>
void requireSourceOfSlice(OpT op, SymbolicShapes &shapes,
                          Preconditions &preconditions) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned next = 0;
  for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
    if (!dropped.test(dim))
      preconditions.addEqual(shapes.getDim(op.getSource(), next++),
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
  static void require(tensor::EmptyOp op, SymbolicShapes &shapes,
                      Preconditions &preconditions) {
    requireNonNegative(op.getDynamicSizes(), shapes, preconditions);
  }
};

struct GenerateModel {
  static void infer(tensor::GenerateOp op, SymbolicShapes &shapes) {
    setDynamicDims(op, op.getDynamicExtents(), shapes);
  }
  static void require(tensor::GenerateOp op, SymbolicShapes &shapes,
                      Preconditions &preconditions) {
    requireNonNegative(op.getDynamicExtents(), shapes, preconditions);
  }
};

struct SplatModel {
  static void infer(tensor::SplatOp op, SymbolicShapes &shapes) {
    setDynamicDims(op, op.getDynamicSizes(), shapes);
  }
  static void require(tensor::SplatOp op, SymbolicShapes &shapes,
                      Preconditions &preconditions) {
    requireNonNegative(op.getDynamicSizes(), shapes, preconditions);
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
  static void require(OpT op, SymbolicShapes &shapes,
                      Preconditions &preconditions) {
    if (ShapedType type = getRankedType(op.getSource()))
      return preconditions.addInBounds(
          shapes.getValue(op.getIndex()),
          shapes.getContext().constant(type.getRank()));
    // The rank of an unranked reshape is how many sizes it is given.
    Value source = op.getSource();
    while (auto cast = source.getDefiningOp<tensor::CastOp>())
      source = cast.getSource();
    if (auto reshape = source.getDefiningOp<tensor::ReshapeOp>())
      preconditions.addInBounds(shapes.getValue(op.getIndex()),
                                shapes.getDim(reshape.getShape(), 0));
  }
};

struct RankModel {
  static void infer(tensor::RankOp op, SymbolicShapes &shapes) {
    if (ShapedType type = getRankedType(op.getTensor()))
      shapes.setValue(op, shapes.getContext().constant(type.getRank()));
  }
  static void require(tensor::RankOp, SymbolicShapes &, Preconditions &) {}
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
  static void require(tensor::ExtractOp op, SymbolicShapes &shapes,
                      Preconditions &preconditions) {
    if (!op->hasAttr(attr_names::kChecked))
      requireIndices(op.getTensor(), op.getIndices(), shapes, preconditions);
  }
};

struct InsertModel {
  static void infer(tensor::InsertOp op, SymbolicShapes &shapes) {
    copyShape(op.getDest(), op, shapes);
  }
  static void require(tensor::InsertOp op, SymbolicShapes &shapes,
                      Preconditions &preconditions) {
    if (!op->hasAttr(attr_names::kChecked))
      requireIndices(op.getDest(), op.getIndices(), shapes, preconditions);
  }
};

//===----------------------------------------------------------------------===//
// Casts and views
//===----------------------------------------------------------------------===//

struct CastModel {
  /// The tensor that is cast, seen through casts to unranked tensors.
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
  static void require(tensor::CastOp op, SymbolicShapes &shapes,
                      Preconditions &preconditions) {
    ShapedType type = getRankedType(op);
    Value source = getSource(op);
    ShapedType from = getRankedType(source);
    if (!type || !from)
      return;
    symbolic::ExprContext &context = shapes.getContext();
    if (from.getRank() != type.getRank())
      return preconditions.add(context.falseExpr(),
                               "a tensor of rank " + Twine(type.getRank()) +
                                   ", and this one has rank " +
                                   Twine(from.getRank()));
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!type.isDynamicDim(dim))
        preconditions.addEqual(shapes.getDim(source, dim),
                               context.constant(type.getDimSize(dim)));
  }
};

struct BitcastModel {
  static void infer(tensor::BitcastOp op, SymbolicShapes &shapes) {
    copyShape(op.getSource(), op, shapes);
  }
  static void require(tensor::BitcastOp, SymbolicShapes &, Preconditions &) {}
};

/// A shape without dimensions stands for sizes of 1.
static void requireOnes(ArrayRef<Expr> sizes, SymbolicShapes &shapes,
                        Preconditions &preconditions) {
  for (Expr size : sizes)
    preconditions.addEqual(size, shapes.getContext().one());
}

struct CollapseModel {
  static void infer(tensor::CollapseShapeOp op, SymbolicShapes &shapes) {
    for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices()))
      shapes.setDim(op, dim, getProduct(op.getSrc(), group, shapes));
  }
  static void require(tensor::CollapseShapeOp op, SymbolicShapes &shapes,
                      Preconditions &preconditions) {
    if (op.getResultType().getRank() == 0)
      requireOnes(shapes.getShape(op.getSrc()), shapes, preconditions);
    for (auto &group : op.getReassociationIndices())
      requireFits(getProduct(op.getSrc(), group, shapes), shapes,
                  preconditions);
  }
};

struct ExpandModel {
  static void infer(tensor::ExpandShapeOp op, SymbolicShapes &shapes) {
    for (auto [dim, size] : llvm::enumerate(op.getMixedOutputShape()))
      shapes.setDim(op, dim, shapes.getValue(size));
  }
  static void require(tensor::ExpandShapeOp op, SymbolicShapes &shapes,
                      Preconditions &preconditions) {
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
    requireNonNegative(sizes, shapes, preconditions);
    if (op.getSrcType().getRank() == 0)
      requireOnes(
          llvm::map_to_vector(
              sizes, [&](OpFoldResult size) { return shapes.getValue(size); }),
          shapes, preconditions);
    for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
      auto factors = llvm::map_to_vector(
          group, [&](int64_t index) { return shapes.getValue(sizes[index]); });
      preconditions.addEqual(shapes.getDim(op.getSrc(), dim),
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
  static void require(tensor::ReshapeOp op, SymbolicShapes &shapes,
                      Preconditions &preconditions) {
    std::optional<SmallVector<Expr>> sizes = shapes.getElements(op.getShape());
    if (!sizes || !getRankedType(op.getSource()))
      return;
    symbolic::ExprContext &context = shapes.getContext();
    for (Expr size : *sizes)
      preconditions.add(symbolic::Comparison::le(context.zero(), size));
    if (ShapedType type = getRankedType(op))
      for (auto [dim, size] : llvm::enumerate(*sizes))
        if (!type.isDynamicDim(dim))
          preconditions.addEqual(size, context.constant(type.getDimSize(dim)));
    preconditions.addEqual(shapes.getNumElements(op.getSource()),
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
  static void require(tensor::ExtractSliceOp op, SymbolicShapes &shapes,
                      Preconditions &preconditions) {
    requireSlice(op, op.getSource(), shapes, preconditions);
  }
};

struct InsertSliceModel {
  static void infer(tensor::InsertSliceOp op, SymbolicShapes &shapes) {
    copyShape(op.getDest(), op, shapes);
  }
  static void require(tensor::InsertSliceOp op, SymbolicShapes &shapes,
                      Preconditions &preconditions) {
    requireSlice(op, op.getDest(), shapes, preconditions);
    requireSourceOfSlice(op, shapes, preconditions);
  }
};

struct ParallelInsertSliceModel {
  static void infer(tensor::ParallelInsertSliceOp, SymbolicShapes &) {}
  static void require(tensor::ParallelInsertSliceOp op, SymbolicShapes &shapes,
                      Preconditions &preconditions) {
    requireSlice(op, op.getDest(), shapes, preconditions);
    requireSourceOfSlice(op, shapes, preconditions);
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
  static void require(tensor::ConcatOp op, SymbolicShapes &shapes,
                      Preconditions &preconditions) {
    Value first = op.getInputs().front();
    for (Value input : op.getInputs().drop_front())
      for (int64_t dim = 0; dim < op.getResultType().getRank(); ++dim)
        if (dim != static_cast<int64_t>(op.getDim()))
          preconditions.addEqualDims(first, dim, input, dim);
    requireFits(getTotal(op, shapes), shapes, preconditions);
    // A static size of the result is a claim.
    symbolic::ExprContext &context = shapes.getContext();
    RankedTensorType type = op.getResultType();
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!type.isDynamicDim(dim))
        preconditions.addEqual(dim == static_cast<int64_t>(op.getDim())
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
  static void require(tensor::PadOp op, SymbolicShapes &shapes,
                      Preconditions &preconditions) {
    requireNonNegative(op.getMixedLowPad(), shapes, preconditions);
    requireNonNegative(op.getMixedHighPad(), shapes, preconditions);
    RankedTensorType type = op.getResultType();
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      Expr size = getPadded(op, dim, shapes);
      if (type.isDynamicDim(dim))
        requireFits(size, shapes, preconditions);
      else
        preconditions.addEqual(
            size, shapes.getContext().constant(type.getDimSize(dim)));
    }
  }
};

//===----------------------------------------------------------------------===//
// Tensors and buffers
//===----------------------------------------------------------------------===//

/// The result has the shape of the only operand, and a rank where that has one.
template <typename OpT>
struct SameShapeModel {
  static void infer(OpT op, SymbolicShapes &shapes) {
    if (getRankedType(op->getResult(0)))
      copyShape(op->getOperand(0), op->getResult(0), shapes);
  }
  static void require(OpT, SymbolicShapes &, Preconditions &) {}
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
void requireCoordinates(Value whole, Value indices, ArrayRef<int64_t> indexed,
                        SymbolicShapes &shapes, Preconditions &preconditions) {
  unsigned last = getRankedType(indices).getRank() - 1;
  preconditions.addEqual(shapes.getDim(indices, last),
                         shapes.getContext().constant(indexed.size()));
  std::optional<SmallVector<Expr>> elements = shapes.getElements(indices);
  if (!elements || indexed.empty() || elements->size() % indexed.size() != 0)
    return;
  for (auto [position, element] : llvm::enumerate(*elements))
    preconditions.addInBounds(
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
  static void require(tensor::GatherOp op, SymbolicShapes &shapes,
                      Preconditions &preconditions) {
    requireCoordinates(op.getSource(), op.getIndices(), op.getGatherDims(),
                       shapes, preconditions);
  }
};

struct ScatterModel {
  static void infer(tensor::ScatterOp op, SymbolicShapes &shapes) {
    copyShape(op.getDest(), op, shapes);
  }
  static void require(tensor::ScatterOp op, SymbolicShapes &shapes,
                      Preconditions &preconditions) {
    unsigned leading = getRankedType(op.getIndices()).getRank() - 1;
    for (unsigned dim = 0; dim < leading; ++dim)
      preconditions.addEqualDims(op.getIndices(), dim, op.getSource(), dim);
    forEachSliceDim(op.getScatterDims(), op.getDest(), op.getSource(),
                    op.getIndices(), [&](unsigned dim, unsigned place) {
                      preconditions.addEqualDims(op.getDest(), dim,
                                                 op.getSource(), place);
                    });
    requireCoordinates(op.getDest(), op.getIndices(), op.getScatterDims(),
                       shapes, preconditions);
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
