//===- RowEmitter.cpp - What a row of a kernel computes -------------------===//

#include "RowEmitter.h"

#include "Combiners.h"
#include "Common/Extrema.h"
#include "Common/Fusion.h"
#include "Common/Utils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tally::codegen;

/// The most elements of a window whose loops are unrolled: 8 by 8.
static constexpr int64_t kMaxWindow = 64;

/// Sums of windows with so many elements are made in two parts: not each
/// addition waits for the one before.
static constexpr int64_t kLongWindow = 16;

/// The alignment of a row on the stack: a line of a cache.
static constexpr int64_t kStackAlignment = 64;

/// How far an index moves with a loop.
static int64_t getStep(AffineExpr index, unsigned loop, unsigned numLoops) {
  MLIRContext *context = index.getContext();
  SmallVector<AffineExpr> point(numLoops, getAffineConstantExpr(0, context));
  auto evaluate = [&] {
    return cast<AffineConstantExpr>(index.replaceDimsAndSymbols(point, {}))
        .getValue();
  };
  int64_t start = evaluate();
  point[loop] = getAffineConstantExpr(1, context);
  return evaluate() - start;
}

bool tally::codegen::sharesWindows(const KernelSpace &space) {
  unsigned numRowDims = space.getNumRowDims();
  if (numRowDims < 2)
    return false;
  return llvm::any_of(space.getReads(), [&](const KernelAccess &access) {
    unsigned numLoops = access.map.getNumDims();
    return llvm::any_of(access.map.getResults(), [&](AffineExpr index) {
      bool isMoved = false, isInside = false;
      for (unsigned loop = 0; loop < numLoops; ++loop) {
        unsigned dim = space.getDim(access.op, loop);
        bool isNext = getStep(index, loop, numLoops) == 1;
        isMoved |= isNext && dim == numRowDims - 2;
        isInside |= isNext && dim >= numRowDims;
      }
      return isMoved && isInside;
    });
  });
}

//===----------------------------------------------------------------------===//
// A row
//===----------------------------------------------------------------------===//

std::optional<int64_t> RowEmitter::getConstantLength() const {
  int64_t length = 1;
  for (unsigned dim = space.getNumRowDims(); dim < at.size(); ++dim) {
    std::optional<int64_t> extent =
        getConstantIntValue(kernelOperands.getExtent(dim));
    if (!extent || *extent > kMaxWindow)
      return std::nullopt;
    length *= *extent;
  }
  return length;
}

bool RowEmitter::isWindow() const {
  std::optional<int64_t> length = getConstantLength();
  return length && *length <= kMaxWindow && space.getPhases().size() == 1 &&
         llvm::all_of(space.getWrites(), [&](const KernelAccess &access) {
           return space.isOfRow(access.op);
         });
}

int64_t RowEmitter::getWindowStride() const {
  int64_t stride = 1;
  for (unsigned dim = space.getNumRowDims() + 1; dim < at.size(); ++dim)
    stride *= *getConstantIntValue(kernelOperands.getExtent(dim));
  return stride;
}

void RowEmitter::startWindow() {
  addRowValues(builder, kernelOperands, {at}, /*phase=*/0, rows);
  carried = getInits(/*phase=*/0);
  ArrayRef<linalg::GenericOp> ops = space.getPhases().front();
  auto isSum = [](linalg::GenericOp op) {
    std::optional<Combiner> combiner;
    if (op->getNumResults() == 1)
      combiner = findCombiner(op);
    return combiner && isReassociated(*combiner);
  };
  if (getWindowLength() < kLongWindow || !llvm::all_of(ops, isSum))
    return;
  for (linalg::GenericOp op : ops)
    secondSums.push_back(
        arith::ConstantOp::create(builder, loc, findCombiner(op)->neutral));
}

void RowEmitter::addElement(int64_t element) {
  SmallVector<Value> indices = at;
  bool isSecond = !secondSums.empty() && element % 2 == 1;
  SmallVector<Value> &sums = isSecond ? secondSums : carried;
  for (unsigned dim = at.size(); dim-- > space.getNumRowDims();) {
    int64_t extent = *getConstantIntValue(kernelOperands.getExtent(dim));
    indices[dim] =
        arith::ConstantIndexOp::create(builder, loc, element % extent);
    element /= extent;
  }
  PointEmitter emitter(builder, kernelOperands, rows, {indices});
  sums = reduceElement(emitter, /*phase=*/0, sums);
}

void RowEmitter::finishWindow() {
  for (auto [op, sum, second] :
       llvm::zip(space.getPhases().front(), carried, secondSums)) {
    auto combiner = cast<arith::AddFOp>(findCombiner(op)->op);
    sum = arith::AddFOp::create(builder, loc, sum, second,
                                combiner.getFastmath());
  }
  setResults(/*phase=*/0, carried);
  addRowValues(builder, kernelOperands, {at}, /*phase=*/1, rows);
  storeRow();
}

SmallVector<Value> RowEmitter::createLoops(unsigned phase,
                                           ArrayRef<Value> carried, Body body) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> indices = at;
  SmallVector<scf::ForOp> loops;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  ValueRange values(carried);
  for (unsigned dim = space.getNumRowDims(); dim < indices.size(); ++dim) {
    auto loop = scf::ForOp::create(builder, loc, begin ? begin : zero,
                                   end ? end : kernelOperands.getExtent(dim),
                                   one, values);
    // A kernel does not read what it writes, but for values that are kept
    // there.
    markIndependent(loop);
    // Loops without values have a terminator already.
    if (!carried.empty() && !loops.empty())
      scf::YieldOp::create(builder, loc, loop.getResults());
    loops.push_back(loop);
    indices[dim] = loop.getInductionVar();
    values = loop.getRegionIterArgs();
    builder.setInsertionPointToStart(loop.getBody());
  }
  PointEmitter emitter(builder, kernelOperands, rows, {indices});
  loadKept(emitter, phase, indices.back());
  SmallVector<Value> next = body(emitter, indices.back(), values);
  if (!next.empty())
    scf::YieldOp::create(builder, loc, next);
  return llvm::to_vector_of<Value>(loops.front().getResults());
}

void RowEmitter::allocateRows() {
  for (const KeptValue &value : kept)
    if (!value.output) {
      auto type = MemRefType::get({stackLength},
                                  getElementTypeOrSelf(value.value.getType()));
      stack[value.value] = memref::AllocaOp::create(
          builder, loc, type, builder.getI64IntegerAttr(kStackAlignment));
    }
}

void RowEmitter::loadKept(PointEmitter &emitter, unsigned phase,
                          Value element) {
  for (const KeptValue &value : kept) {
    if (value.phase >= phase)
      continue;
    emitter.setResult(value.value,
                      value.output
                          ? emitter.load(*value.output).front()
                          : memref::LoadOp::create(
                                builder, loc, stack.at(value.value), element)
                                .getResult());
  }
}

void RowEmitter::storeKept(PointEmitter &emitter, unsigned phase,
                           Value element) {
  for (const KeptValue &value : kept) {
    if (value.phase != phase)
      continue;
    SmallVector<Value> elements = emitter.get(value.value);
    if (value.output)
      emitter.store(*value.output, elements);
    else
      memref::StoreOp::create(builder, loc, elements.front(),
                              stack.at(value.value), element);
  }
}

/// Windows that are taken at once would need more registers for bits than AVX2
/// has.
Operation *RowEmitter::getExtremum(linalg::GenericOp op) const {
  Operation *extremum = matchExtremum(op);
  bool usesBits = extremum && extremum->getResult(0).getType().isF32() &&
                  !(isWindow() && sharesWindows(space));
  return usesBits ? extremum : nullptr;
}

SmallVector<Value> RowEmitter::getInits(unsigned phase) {
  SmallVector<Value> start;
  PointEmitter outside = atRow();
  for (linalg::GenericOp op : space.getPhases()[phase])
    for (OpOperand &init : op.getDpsInitsMutable()) {
      // What a part starts from; the rest is joined with it later.
      Value value = numParts ? arith::ConstantOp::create(
                                   builder, loc, findCombiner(op)->neutral)
                                   .getResult()
                             : outside.getOperand(op, init).front();
      if (getExtremum(op))
        llvm::append_range(start,
                           createBitRange(builder, loc, value).getValues());
      else
        start.push_back(value);
    }
  return start;
}

SmallVector<Value> RowEmitter::reduceElement(PointEmitter &emitter,
                                             unsigned phase,
                                             ValueRange carried) {
  SmallVector<Value> next;
  for (linalg::GenericOp op : space.getPhases()[phase]) {
    SmallVector<Value> elements =
        emitter.getElements(op, /*lane=*/0, /*withInits=*/false);
    auto compute = [&] {
      return emitter.computePayload(op, /*lane=*/0, elements);
    };
    if (Operation *extremum = getExtremum(op)) {
      // Joined with what changes nothing, an element stays what it is.
      elements.back() = arith::ConstantOp::create(
          builder, loc, *arith::getNeutralElement(extremum));
      auto range = BitRange::get(carried.take_front(BitRange::kNumValues));
      range = extendBitRange(builder, loc, range, compute().front());
      carried = carried.drop_front(BitRange::kNumValues);
      llvm::append_range(next, range.getValues());
      continue;
    }
    for (unsigned result = 0; result < op->getNumResults(); ++result)
      elements[op.getNumDpsInputs() + result] = carried[result];
    carried = carried.drop_front(op->getNumResults());
    llvm::append_range(next, compute());
  }
  return next;
}

void RowEmitter::setResults(unsigned phase, ValueRange carried) {
  for (linalg::GenericOp op : space.getPhases()[phase]) {
    if (Operation *extremum = getExtremum(op)) {
      auto range = BitRange::get(carried.take_front(BitRange::kNumValues));
      rows[op->getResult(0)] = {
          createExtremum(builder, loc, range, builder.getF32Type(), extremum)};
      carried = carried.drop_front(BitRange::kNumValues);
      continue;
    }
    for (auto [result, value] : llvm::zip(op->getResults(), carried))
      rows[result] = {value};
    carried = carried.drop_front(op->getNumResults());
  }
}

void RowEmitter::reduce(unsigned phase) {
  auto body = [&](PointEmitter &emitter, Value element, ValueRange carried) {
    storeKept(emitter, phase, element);
    return reduceElement(emitter, phase, carried);
  };
  setResults(phase, createLoops(phase, getInits(phase), body));
}

void RowEmitter::run() {
  if (isWindow()) {
    startWindow();
    for (int64_t element = 0; element < getWindowLength(); ++element)
      addElement(element);
    return finishWindow();
  }
  allocateRows();
  unsigned last = space.getPhases().size();
  for (unsigned phase = 0; phase < last; ++phase) {
    addRowValues(builder, kernelOperands, {at}, phase, rows);
    reduce(phase);
  }
  addRowValues(builder, kernelOperands, {at}, last, rows);
  storeElements();
  storeRow();
}

/// Stores the results that have an element for each of the row.
void RowEmitter::storeElements() {
  SmallVector<std::pair<KernelAccess, Value>> writes;
  for (auto [access, value] :
       llvm::zip_equal(space.getWrites(), space.getKernel().getYielded())) {
    bool isThere = llvm::any_of(
        kept, [&, value = value, &access = access](const KeptValue &k) {
          return k.value == value && k.output &&
                 k.output->operand == access.operand;
        });
    if (!space.isOfRow(access.op) && !isThere)
      writes.push_back({access, value});
  }
  if (writes.empty())
    return;
  createLoops(space.getPhases().size(), {},
              [&](PointEmitter &emitter, Value, ValueRange) {
                // An output may hold what another one needs.
                SmallVector<SmallVector<Value>> elements;
                for (auto &[access, value] : writes)
                  elements.push_back(emitter.get(value));
                for (auto [write, element] : llvm::zip_equal(writes, elements))
                  emitter.store(write.first, element);
                return SmallVector<Value>();
              });
}

void RowEmitter::storeRow() {
  PointEmitter emitter = atRow();
  for (auto [access, value] :
       llvm::zip_equal(space.getWrites(), space.getKernel().getYielded()))
    if (space.isOfRow(access.op))
      emitter.store(access, emitter.get(value));
}

//===----------------------------------------------------------------------===//
// Rows in parts
//===----------------------------------------------------------------------===//

bool RowEmitter::hasParts() const {
  if (at.size() != space.getNumRowDims() + 1 || isWindow())
    return false;
  return llvm::all_of(space.getPhases(), [](ArrayRef<linalg::GenericOp> ops) {
    return llvm::all_of(ops, [](linalg::GenericOp op) {
      return op->getNumResults() == 1 && findCombiner(op);
    });
  });
}

Value RowEmitter::createPartLoop() {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value count = arith::MulIOp::create(builder, loc, numRows, numParts);
  auto loop = scf::ParallelOp::create(builder, loc, zero, count, one);
  loop->setAttr(tally::attr_names::kPoints, builder.getIndexAttr(partSize));
  builder.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVars()[0];
  Value row = arith::DivUIOp::create(builder, loc, number, numParts);
  Value part = arith::RemUIOp::create(builder, loc, number, numParts);
  Value size = arith::ConstantIndexOp::create(builder, loc, partSize);
  begin = arith::MulIOp::create(builder, loc, part, size);
  end = arith::AddIOp::create(builder, loc, begin, size);
  end = arith::MinSIOp::create(builder, loc, end,
                               kernelOperands.getExtent(at.size() - 1));
  startRow(row);
  return number;
}

void RowEmitter::startRow(Value row) {
  rows.clear();
  if (space.getNumRowDims() != 0)
    at.front() = row;
  firstPart = arith::MulIOp::create(builder, loc, row, numParts);
}

void RowEmitter::joinPhases(unsigned end) {
  for (unsigned phase = 0; phase < end; ++phase) {
    addRowValues(builder, kernelOperands, {at}, phase, rows);
    for (auto [op, buffer] :
         llvm::zip_equal(space.getPhases()[phase], partial[phase]))
      rows[op->getResult(0)] = {joinParts(op, buffer)};
  }
  addRowValues(builder, kernelOperands, {at}, end, rows);
}

/// Joins what parts have reduced with what the reduction starts from.
Value RowEmitter::joinParts(linalg::GenericOp op, Value results) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value start = atRow().getOperand(op, *op.getDpsInitOperand(0)).front();
  Operation *combiner = findCombiner(op)->op;
  bool isFirst = combiner->getOperand(0) == op.getRegionOutputArgs()[0];
  auto loop = scf::ForOp::create(
      builder, loc, zero, numParts, one, start,
      [&](OpBuilder &inner, Location, Value part, ValueRange carried) {
        Value place = arith::AddIOp::create(inner, loc, firstPart, part);
        Value value = memref::LoadOp::create(inner, loc, results, place);
        Operation *join = inner.clone(*combiner);
        join->setOperands(isFirst ? ValueRange{carried[0], value}
                                  : ValueRange{value, carried[0]});
        scf::YieldOp::create(inner, loc, join->getResult(0));
      });
  return loop.getResult(0);
}

void RowEmitter::reduceInParts(unsigned phase) {
  Value count = arith::MulIOp::create(builder, loc, numRows, numParts);
  SmallVector<Value> &buffers = partial.emplace_back();
  ArrayRef<linalg::GenericOp> ops = space.getPhases()[phase];
  for (linalg::GenericOp op : ops) {
    auto type = MemRefType::get({ShapedType::kDynamic},
                                getElementTypeOrSelf(op->getResult(0)));
    buffers.push_back(memref::AllocOp::create(builder, loc, type, count));
  }
  OpBuilder::InsertionGuard guard(builder);
  Value number = createPartLoop();
  joinPhases(phase);
  reduce(phase);
  for (auto [op, buffer] : llvm::zip_equal(ops, buffers))
    memref::StoreOp::create(builder, loc, rows[op->getResult(0)].front(),
                            buffer, number);
}

void RowEmitter::storeRowsInParts() {
  auto isOfRow = [&](const KernelAccess &access) {
    return space.isOfRow(access.op);
  };
  unsigned last = space.getPhases().size();
  if (!llvm::all_of(space.getWrites(), isOfRow)) {
    OpBuilder::InsertionGuard guard(builder);
    createPartLoop();
    joinPhases(last);
    storeElements();
  }
  // Rows as a whole.
  begin = end = nullptr;
  if (!llvm::any_of(space.getWrites(), isOfRow))
    return;
  OpBuilder::InsertionGuard guard(builder);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop = scf::ForOp::create(builder, loc, zero, numRows, one);
  builder.setInsertionPointToStart(loop.getBody());
  startRow(loop.getInductionVar());
  joinPhases(last);
  storeRow();
}

void RowEmitter::runInParts(Value count, int64_t size) {
  numRows = count;
  partSize = size;
  numParts = arith::CeilDivSIOp::create(
      builder, loc, kernelOperands.getExtent(at.size() - 1),
      arith::ConstantIndexOp::create(builder, loc, size));
  for (unsigned phase = 0; phase < space.getPhases().size(); ++phase)
    reduceInParts(phase);
  storeRowsInParts();
  for (ArrayRef<Value> buffers : partial)
    for (Value buffer : buffers)
      memref::DeallocOp::create(builder, loc, buffer);
}
