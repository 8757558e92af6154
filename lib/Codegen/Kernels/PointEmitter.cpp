//===- PointEmitter.cpp - The elements at a point of a kernel -------------===//

#include "PointEmitter.h"
#include "KernelGroups.h"
#include "NarrowIndices.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

//===----------------------------------------------------------------------===//
// KernelOperands
//===----------------------------------------------------------------------===//

/// A view of all that lies behind the pointer of a buffer.
static KernelOperands::Buffer flatten(OpBuilder &builder, Location loc,
                                      Value memref,
                                      arith::IntegerOverflowFlags ofDense) {
  auto type = cast<MemRefType>(memref.getType());
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  // Nobody asks for the size of the view.
  auto flatType =
      MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  Value size = arith::ConstantIndexOp::create(
      builder, loc, std::numeric_limits<int64_t>::max());
  KernelOperands::Buffer buffer;
  buffer.flat = memref::ReinterpretCastOp::create(
      builder, loc, flatType, metadata.getBaseBuffer(),
      OpFoldResult(builder.getIndexAttr(0)), ArrayRef<OpFoldResult>{size},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
  buffer.offset = metadata.getConstifiedMixedOffset();
  buffer.strides = metadata.getConstifiedMixedStrides();
  if (type.getLayout().isIdentity())
    buffer.overflow = ofDense;
  return buffer;
}

KernelOperands::KernelOperands(const KernelSpace &space, const IRMapping &map,
                               OpBuilder &builder, bool isNarrow,
                               arith::IntegerOverflowFlags ofDense)
    : space(space), loc(space.getKernel().getLoc()), isNarrow(isNarrow) {
  KernelOp op = space.getKernel();
  auto bind = [&](Value operand, BlockArgument argument) {
    Value inside = map.lookupOrDefault(operand);
    if (isa<MemRefType>(operand.getType()))
      buffers[argument] = flatten(builder, loc, inside, ofDense);
    else
      numbers[argument] = inside;
  };
  for (auto [operand, argument] :
       llvm::zip_equal(op.getInputs(), op.getInputArguments()))
    bind(operand, argument);
  for (auto [operand, argument] :
       llvm::zip_equal(op.getOutputs(), op.getOutputArguments()))
    bind(operand, argument);
  for (const ScheduleDim &dim : space.getDims()) {
    Value extent;
    for (unsigned part : dim.dims) {
      Value size = map.lookupOrDefault(op.getExtents()[part]);
      extent = extent ? createOnIndices<arith::MulIOp>(builder, loc, isNarrow,
                                                       extent, size)
                      : size;
    }
    extents.push_back(extent);
  }
}

Value KernelOperands::getScalar(OpBuilder &builder, Value value) const {
  if (Value known = numbers.lookup(value))
    return known;
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return {};
  if (auto elements = dyn_cast<SplatElementsAttr>(constant))
    constant = elements.getSplatValue<Attribute>();
  // Poison, where a sum starts that its first value replaces.
  if (isa<ub::PoisonAttrInterface>(constant))
    return ub::PoisonOp::create(builder, loc,
                                getElementTypeOrSelf(value.getType()));
  return arith::ConstantOp::create(builder, loc, cast<TypedAttr>(constant));
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

bool tally::codegen::canVectorize(Type element) {
  return element.isIntOrFloat();
}

/// The bytes that some elements, of which a boolean is a byte, are in memory.
static unsigned getBytes(unsigned count, Type element) {
  return count * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

LaneLayout tally::codegen::getLaneLayout(const KernelSpace &space,
                                         const KernelAccess &access,
                                         unsigned dim) {
  Value buffer = getBuffer(space.getKernel(), access.operand);
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return LaneLayout::Apart;
  LaneLayout layout = LaneLayout::Same;
  for (auto [position, result] : llvm::enumerate(access.map.getResults()))
    for (unsigned loop = 0; loop < access.map.getNumDims(); ++loop) {
      if (!result.isFunctionOfDim(loop) || space.getDim(access.op, loop) != dim)
        continue;
      if (!space.isInnermost(access.op, loop))
        continue;
      bool isNext = isa<AffineDimExpr>(result) && strides[position] == 1;
      if (layout != LaneLayout::Same || !isNext)
        return LaneLayout::Apart;
      layout = LaneLayout::Contiguous;
    }
  return layout;
}

bool tally::codegen::isInOrder(const KernelSpace &space,
                               const KernelAccess &access) {
  Value buffer = getBuffer(space.getKernel(), access.operand);
  if (!cast<MemRefType>(buffer.getType()).getLayout().isIdentity())
    return false;
  SmallVector<int64_t> walked, all;
  for (AffineExpr result : access.map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(result);
    if (!loop)
      return false;
    walked.push_back(getKernelDims(access.op)[loop.getPosition()]);
  }
  for (const ScheduleDim &dim : space.getDims())
    llvm::append_range(all, dim.dims);
  return walked == all;
}

/// How the lanes of the point lie in memory.
LaneLayout PointEmitter::getLayout(const KernelAccess &access) const {
  if (point.lanes == 1)
    return LaneLayout::Same;
  if (point.laneIndices.empty())
    return getLaneLayout(space, access, point.laneDim);
  if (isInOrder(space, access))
    return LaneLayout::Contiguous;
  return access.map.getNumResults() == 0 ? LaneLayout::Same : LaneLayout::Apart;
}

Value PointEmitter::add(Value a, Value b) {
  return createOnIndices<arith::AddIOp>(builder, loc,
                                        kernelOperands.areNarrow(), a, b);
}

Value PointEmitter::addTerm(Value sum, Value index, OpFoldResult stride,
                            arith::IntegerOverflowFlags overflow) {
  std::optional<int64_t> constant = getConstantIntValue(stride);
  if (constant == 0)
    return sum;
  Value term = index;
  if (constant != 1)
    term = createOnIndices<arith::MulIOp>(
        builder, loc, kernelOperands.areNarrow(), index,
        getValueOrCreateConstantIndexOp(builder, loc, stride), overflow);
  return sum ? createOnIndices<arith::AddIOp>(builder, loc,
                                              kernelOperands.areNarrow(), sum,
                                              term, overflow)
             : term;
}

Value PointEmitter::getIndex(linalg::GenericOp op, unsigned loop,
                             unsigned lane) {
  unsigned dim = space.getDim(op, loop);
  if (!point.laneIndices.empty())
    return point.laneIndices[lane][dim];
  Value index = point.indices[dim];
  if (lane == 0 || dim != point.laneDim)
    return index;
  return add(index, arith::ConstantIndexOp::create(builder, loc, lane));
}

/// The place of an element in the flat view of its buffer.
Value PointEmitter::getOffset(const KernelAccess &access, unsigned lane) {
  const KernelOperands::Buffer &buffer =
      kernelOperands.getBuffer(access.operand);
  Value sum;
  if (getConstantIntValue(buffer.offset) != 0)
    sum = getValueOrCreateConstantIndexOp(builder, loc, buffer.offset);
  for (auto [result, stride] :
       llvm::zip_equal(access.map.getResults(), buffer.strides)) {
    if (auto loop = dyn_cast<AffineDimExpr>(result)) {
      // Dimensions that are one are walked through by the innermost.
      if (space.isInnermost(access.op, loop.getPosition()))
        sum = addTerm(sum, getIndex(access.op, loop.getPosition(), lane),
                      stride, buffer.overflow);
      continue;
    }
    SmallVector<Value> loops;
    for (unsigned loop = 0; loop < access.map.getNumDims(); ++loop)
      loops.push_back(result.isFunctionOfDim(loop)
                          ? getIndex(access.op, loop, lane)
                          : Value());
    Value index = affine::expandAffineExpr(builder, loc, result, loops, {});
    sum = addTerm(sum, index, stride, buffer.overflow);
  }
  return sum ? sum
             : arith::ConstantIndexOp::create(builder, loc, 0).getResult();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

SmallVector<Value> PointEmitter::load(const KernelAccess &access) {
  Value flat = kernelOperands.getBuffer(access.operand).flat;
  Type element = cast<MemRefType>(flat.getType()).getElementType();
  LaneLayout layout = getLayout(access);
  if (layout == LaneLayout::Contiguous && canVectorize(element)) {
    auto type = VectorType::get({int64_t(point.lanes)}, element);
    auto vector =
        vector::LoadOp::create(builder, loc, type, flat, getOffset(access, 0));
    vector.setAlignment(getBytes(point.lanes, element));
    SmallVector<Value> elements;
    for (unsigned lane = 0; lane < point.lanes; ++lane)
      elements.push_back(
          vector::ExtractOp::create(builder, loc, vector, int64_t(lane)));
    return elements;
  }
  SmallVector<Value> elements;
  unsigned count = layout == LaneLayout::Same ? 1 : point.lanes;
  for (unsigned lane = 0; lane < count; ++lane)
    elements.push_back(
        memref::LoadOp::create(builder, loc, flat, getOffset(access, lane)));
  return elements;
}

void PointEmitter::store(const KernelAccess &access, ArrayRef<Value> elements) {
  Value flat = kernelOperands.getBuffer(access.operand).flat;
  auto element = [&](unsigned lane) {
    return elements[elements.size() == 1 ? 0 : lane];
  };
  Type type = elements.front().getType();
  if (canVectorize(type) && getLayout(access) == LaneLayout::Contiguous) {
    SmallVector<Value> lanes;
    for (unsigned lane = 0; lane < point.lanes; ++lane)
      lanes.push_back(element(lane));
    Value vector = vector::FromElementsOp::create(
        builder, loc, VectorType::get({int64_t(point.lanes)}, type), lanes);
    auto store = vector::StoreOp::create(builder, loc, vector, flat,
                                         getOffset(access, 0));
    store.setAlignment(getBytes(point.lanes, type));
    return;
  }
  for (unsigned lane = 0; lane < point.lanes; ++lane)
    memref::StoreOp::create(builder, loc, element(lane), flat,
                            getOffset(access, lane));
}

/// An element of a table, at indices that the payload computed.
Value PointEmitter::loadElement(Value table, ValueRange indices) {
  auto argument = dyn_cast<BlockArgument>(table);
  if (!argument) {
    // All elements of a constant or a fill are the same.
    Value filled = getFillValue(table.getDefiningOp());
    return kernelOperands.getScalar(builder, filled ? filled : table);
  }
  const KernelOperands::Buffer &buffer = kernelOperands.getBuffer(argument);
  Value sum = getValueOrCreateConstantIndexOp(builder, loc, buffer.offset);
  for (auto [index, stride] : llvm::zip_equal(indices, buffer.strides))
    sum = addTerm(sum, index, stride, buffer.overflow);
  return memref::LoadOp::create(builder, loc, buffer.flat, sum);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

SmallVector<Value> PointEmitter::getOperand(linalg::GenericOp op,
                                            OpOperand &operand) {
  Value value = operand.get();
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && isa<RankedTensorType>(value.getType()))
    return load({op, op.getMatchingIndexingMap(&operand), argument, &operand});
  if (Value number = kernelOperands.getScalar(builder, value))
    return {number};
  return get(value);
}

SmallVector<Value> PointEmitter::get(Value tensor) {
  if (auto row = rows.find(tensor); row != rows.end())
    return row->second;
  auto it = known.find(tensor);
  if (it != known.end())
    return it->second;
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (Value number = getFillValue(op))
    if (Value inside = kernelOperands.getScalar(builder, number))
      return {inside};
  bool sharesLanes =
      point.lanes == 1 ||
      (point.laneIndices.empty() ? !space.runsOver(op, point.laneDim)
                                 : op.getNumLoops() == 0);
  SmallVector<SmallVector<Value>> results(op->getNumResults());
  for (unsigned lane = 0; lane < (sharesLanes ? 1 : point.lanes); ++lane) {
    SmallVector<Value> elements = getElements(op, lane, /*withInits=*/true);
    for (auto [index, value] :
         llvm::enumerate(computePayload(op, lane, elements)))
      results[index].push_back(value);
  }
  for (auto [result, values] : llvm::zip_equal(op->getResults(), results))
    known[result] = values;
  return known[tensor];
}

SmallVector<Value> PointEmitter::getElements(linalg::GenericOp op,
                                             unsigned lane, bool withInits) {
  SmallVector<Value> elements;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isNeeded = op.payloadUsesValueFromOperand(&operand) &&
                    (withInits || op.isDpsInput(&operand));
    if (!isNeeded) {
      elements.push_back({});
      continue;
    }
    // Loads of all lanes at once are made in the first.
    auto it = operands.find(&operand);
    if (it == operands.end())
      it = operands.insert({&operand, getOperand(op, operand)}).first;
    ArrayRef<Value> lanes = it->second;
    elements.push_back(lanes[lanes.size() == 1 ? 0 : lane]);
  }
  return elements;
}

/// Gives what the payload uses from outside of the operation.
void PointEmitter::mapOuterValues(linalg::GenericOp op, IRMapping &map) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(op.getRegion(), used);
  for (Value value : used)
    if (!isa<ShapedType>(value.getType()))
      if (Value number = kernelOperands.getScalar(builder, value))
        map.map(value, number);
}

SmallVector<Value> PointEmitter::computePayload(linalg::GenericOp op,
                                                unsigned lane,
                                                ArrayRef<Value> elements) {
  IRMapping map;
  mapOuterValues(op, map);
  Block *body = op.getBody();
  for (auto [argument, element] :
       llvm::zip_equal(body->getArguments(), elements))
    if (element)
      map.map(argument, element);
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      map.map(index.getResult(), getIndex(op, index.getDim(), lane));
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      SmallVector<Value> indices;
      for (Value position : extract.getIndices())
        indices.push_back(map.lookupOrDefault(position));
      map.map(extract.getResult(), loadElement(extract.getTensor(), indices));
    } else {
      replaceIndexing(op, builder.clone(inner, map), lane);
    }
  }
  SmallVector<Value> results;
  for (Value yielded : body->getTerminator()->getOperands())
    results.push_back(map.lookupOrDefault(yielded));
  return results;
}

/// Inside of branches and loops of a payload.
void PointEmitter::replaceIndexing(linalg::GenericOp op, Operation *clone,
                                   unsigned lane) {
  if (clone->getNumRegions() == 0)
    return;
  SmallVector<Operation *> inner;
  clone->walk([&](Operation *nested) {
    if (isa<linalg::IndexOp, tensor::ExtractOp>(nested))
      inner.push_back(nested);
  });
  OpBuilder::InsertionGuard guard(builder);
  for (Operation *nested : inner) {
    builder.setInsertionPoint(nested);
    Value value;
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      value = getIndex(op, index.getDim(), lane);
    } else {
      auto extract = cast<tensor::ExtractOp>(nested);
      value = loadElement(extract.getTensor(), extract.getIndices());
    }
    nested->getResult(0).replaceAllUsesWith(value);
    nested->erase();
  }
}

void tally::codegen::addRowValues(OpBuilder &builder,
                                  const KernelOperands &kernelOperands,
                                  const Point &row, unsigned phase,
                                  RowValues &values) {
  const KernelSpace &space = kernelOperands.getSpace();
  PointEmitter emitter(builder, kernelOperands, values, row);
  for (linalg::GenericOp op : space.getOps())
    if (op.getNumReductionLoops() == 0 && space.isOfRow(op) &&
        space.getPhase(op) == phase)
      for (Value result : op->getResults())
        values[result] = emitter.get(result);
}
