//===- LowerHostAttention.cpp - Attention on the CPU as runtime calls -----===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "BlockFunction.h"
#include "Common/OutlinedBodies.h"
#include "HostCall.h"
#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

#include "tally/Analysis/ScopedFacts.h"
#include "llvm/Support/DebugLog.h"
#include <limits>

namespace tally {
#define GEN_PASS_DEF_LOWERHOSTATTENTION
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-lower-host-attention"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

//===----------------------------------------------------------------------===//
// Which keys a query sees
//===----------------------------------------------------------------------===//

namespace {

/// A sum of the positions of a query and a key, of numbers that all of them
/// share, and of a constant.
struct PositionSum {
  int64_t query = 0, key = 0, constant = 0;
  SmallVector<std::pair<Value, int64_t>> others;
};

/// Reads from what masks scores how far a key is from its query at most.
class VisibleKeys {
public:
  explicit VisibleKeys(AttentionOp op)
      : builder(op), loc(op.getLoc()), region(op.getScore()),
        query(region.getArgument(op.getQueryLoop())),
        key(region.getArgument(op.getKeyLoop())) {
    Value score = region.front().getTerminator()->getOperand(0);
    while (auto choice = score.getDefiningOp<arith::SelectOp>()) {
      FloatAttr other;
      if (!matchPattern(choice.getFalseValue(), m_Constant(&other)) ||
          !other.getValue().isInfinity() || !other.getValue().isNegative())
        break;
      visit(choice.getCondition());
      score = choice.getTrueValue();
    }
  }

  /// The least and the largest distance of a key behind its query that it sees;
  /// null where there is no limit.
  Value first, last;

private:
  /// Takes in a condition that must hold.
  void visit(Value condition) {
    if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
      visit(both.getLhs());
      visit(both.getRhs());
      return;
    }
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    if (!compare || !compare.getLhs().getType().isIndex())
      return;
    auto predicate = compare.getPredicate();
    bool isLess = predicate == arith::CmpIPredicate::sle ||
                  predicate == arith::CmpIPredicate::slt;
    bool isStrict = predicate == arith::CmpIPredicate::slt ||
                    predicate == arith::CmpIPredicate::sgt;
    if (!isLess && predicate != arith::CmpIPredicate::sge &&
        predicate != arith::CmpIPredicate::sgt)
      return;
    // The sum is at most 0.
    PositionSum sum;
    if (!add(compare.getLhs(), isLess ? 1 : -1, sum) ||
        !add(compare.getRhs(), isLess ? -1 : 1, sum))
      return;
    sum.constant += isStrict ? 1 : 0;
    if (sum.key == 1 && sum.query == -1)
      limit<arith::MinSIOp>(last, createOffset(sum, -1));
    else if (sum.key == -1 && sum.query == 1)
      limit<arith::MaxSIOp>(first, createOffset(sum, 1));
  }

  /// Adds a value some times; false where it is no such sum.
  bool add(Value value, int64_t times, PositionSum &sum) {
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number))) {
      sum.constant += times * number.getSExtValue();
      return true;
    }
    if (value == query || value == key) {
      (value == query ? sum.query : sum.key) += times;
      return true;
    }
    if (auto op = value.getDefiningOp<arith::AddIOp>())
      return add(op.getLhs(), times, sum) && add(op.getRhs(), times, sum);
    if (auto op = value.getDefiningOp<arith::SubIOp>())
      return add(op.getLhs(), times, sum) && add(op.getRhs(), -times, sum);
    if (region.isAncestor(value.getParentRegion()))
      return false;
    sum.others.push_back({value, times});
    return true;
  }

  /// The part of a sum without positions, some times, before the op.
  Value createOffset(const PositionSum &sum, int64_t times) {
    Value offset =
        arith::ConstantIndexOp::create(builder, loc, times * sum.constant);
    for (auto [value, factor] : sum.others) {
      if (times * factor > 0)
        offset = arith::AddIOp::create(builder, loc, offset, value);
      else
        offset = arith::SubIOp::create(builder, loc, offset, value);
    }
    return offset;
  }

  template <typename Choice>
  void limit(Value &known, Value offset) {
    known = known ? Choice::create(builder, loc, known, offset) : offset;
  }

  OpBuilder builder;
  Location loc;
  Region &region;
  Value query, key;
};

//===----------------------------------------------------------------------===//
// The function that makes scores
//===----------------------------------------------------------------------===//

/// Makes the function for a tally_rt_score_block.
class ScoreFunction : BlockFunction {
public:
  ScoreFunction(AttentionOp op, StringRef name)
      : BlockFunction(op, name,
                      getFunctionType<tally_rt_score_fn>(op.getContext())),
        op(op) {}

  /// Fills the function, which uses what `captures` has.
  func::FuncOp create(Captures &captures) {
    map = captures.unpack(builder, function);
    readBlock();
    createLoops(
        numQueries, numKeys,
        [&](Value row) {
          positions.push_back(
              arith::AddIOp::create(builder, loc, firstQuery, row));
          readElements(/*perKey=*/false);
        },
        [&](Value row, Value column) {
          positions.push_back(
              arith::AddIOp::create(builder, loc, firstKey, column));
          readElements(/*perKey=*/true);
          Value product = memref::LoadOp::create(builder, loc, scores,
                                                 ValueRange{row, column});
          memref::StoreOp::create(builder, loc, createScore(product), scores,
                                  ValueRange{row, column});
        });
    return function;
  }

private:
  /// Reads the fields of the block.
  void readBlock() {
    Type pointer = getPointerType(context), i64 = builder.getI64Type();
    using Block = tally_rt_score_block;
    Value block = loadBlock<Block>();
    auto get = [&](size_t offset) { return getField<Block>(block, offset); };
    Value queries = get(offsetof(Block, queries)),
          keys = get(offsetof(Block, keys)),
          data = get(offsetof(Block, scores)),
          batch = get(offsetof(Block, batch));
    firstQuery = toIndex(get(offsetof(Block, query)));
    numQueries = toIndex(queries);
    firstKey = toIndex(get(offsetof(Block, key)));
    numKeys = toIndex(keys);
    for (unsigned loop = 0; loop < op.getNumBatchLoops(); ++loop) {
      Value address = LLVM::GEPOp::create(
          builder, loc, pointer, i64, batch,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(loop)});
      positions.push_back(
          toIndex(LLVM::LoadOp::create(builder, loc, i64, address)));
    }
    scores = createMatrix(op.getSumType(), data, queries, keys,
                          get(offsetof(Block, row_stride)));
  }

  /// Reads the elements that differ from key to key, or those that do not.
  void readElements(bool perKey) {
    elements.resize(op.getElements().size());
    for (auto [index, operand] : llvm::enumerate(op.getElements()))
      if (op.findDim(3 + index, op.getKeyLoop()).has_value() == perKey)
        elements[index] = readElement(operand, op.getMap(3 + index), positions);
  }

  Value createScore(Value product) {
    SmallVector<Value> arguments = positions;
    arguments.push_back(product);
    llvm::append_range(arguments, elements);
    return createYielded(op.getScore(), arguments);
  }

  AttentionOp op;
  Value scores, firstQuery, numQueries, firstKey, numKeys;
  /// Of each loop of the batch, of the query and of the key.
  SmallVector<Value> positions;
  SmallVector<Value> elements;
};

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

/// Lowers one operation.
class HostAttentionLowering : public HostCall {
public:
  explicit HostAttentionLowering(AttentionOp op) : HostCall(op), op(op) {}

  void run(StringRef name, SharedBodies &shared) {
    Value arguments = createArguments();
    Value function = createNull(), data = createNull();
    if (!isTrivial()) {
      Captures captures(op->getParentOfType<func::FuncOp>(), loc);
      llvm::SetVector<Value> used;
      getUsedValuesDefinedAbove(op->getRegions(), used);
      used.insert(op.getElements().begin(), op.getElements().end());
      captures.add(used.getArrayRef());
      data = captures.pack(builder);
      func::FuncOp body =
          shared.share(ScoreFunction(op, name).create(captures));
      function = createFunctionPointer(builder, loc, body);
    }
    call(runtime_functions::kHostAttention, arguments, function, data);
  }

  /// Whether products are scores.
  bool isTrivial() {
    Block &score = op.getScore().front();
    return score.getTerminator()->getOperand(0) ==
           score.getArgument(op.getNumBatchLoops() + 2);
  }

private:
  unsigned getOutputNumber() { return op->getNumOperands() - 1; }

  Value getLoopSize(unsigned operand, unsigned loop) {
    return getSize(op->getOperand(operand), *op.findDim(operand, loop));
  }

  /// How far the first and the last key that a query sees are behind it. All
  /// keys of a strict softmax count, also those of weight 0.
  SmallVector<Value> createOffsets() {
    Value first = constant(std::numeric_limits<int64_t>::min());
    Value last = constant(std::numeric_limits<int64_t>::max());
    if (op.getStrict())
      return {first, last};
    VisibleKeys visible(op);
    return {visible.first ? toI64(visible.first) : first,
            visible.last ? toI64(visible.last) : last};
  }

  /// A tally_rt_host_attention_args on the stack.
  Value createArguments() {
    const unsigned operands[] = {0, 1, 2, getOutputNumber()};
    SmallVector<Value> fields, batch, rows;
    for (unsigned loop = 0; loop < op.getNumBatchLoops(); ++loop)
      batch.push_back(getLoopSize(0, loop));
    for (unsigned operand : operands) {
      auto [address, strides] = describeBuffer(op->getOperand(operand));
      fields.push_back(address);
      for (unsigned loop = 0; loop < op.getMap(0).getNumDims(); ++loop)
        if (std::optional<unsigned> dim = op.findDim(operand, loop))
          (loop < op.getNumBatchLoops() ? batch : rows)
              .push_back(strides[*dim]);
    }
    fields.append({getLoopSize(0, op.getQueryLoop()),
                   getLoopSize(1, op.getKeyLoop()),
                   getLoopSize(0, op.getDepthLoop()),
                   getLoopSize(2, op.getColumnLoop())});
    llvm::append_range(fields, rows);
    llvm::append_range(fields, createOffsets());
    fields.push_back(constant(op.getNumBatchLoops()));
    fields.push_back(createArray(batch));
    fields.push_back(op.getGrouped() ? getLoopSize(1, op.getNumBatchLoops() - 1)
                                     : constant(-1));
    fields.push_back(getTypeCode(op.getOutput()));
    fields.push_back(constant(op.getStrict()));
    return createStruct<tally_rt_host_attention_args>(fields);
  }

  AttentionOp op;
};

} // namespace

LogicalResult tally::lowerHostAttention(ModuleOp module) {
  SmallVector<AttentionOp> ops;
  WalkResult result = module.walk([&](AttentionOp op) {
    ops.push_back(op);
    if (!isa<MemRefType>(op.getOutput().getType()))
      return WalkResult(op.emitOpError("is on tensors; bufferize it first"));
    if (op.getMask())
      return WalkResult(op.emitOpError("has a region 'mask'; run "
                                       "'tally-prepare-attention' first"));
    return WalkResult(requireCallContext(op));
  });
  if (result.wasInterrupted())
    return failure();
  SymbolTable symbols(module);
  SharedBodies shared;
  for (auto [number, op] : llvm::enumerate(ops)) {
    StringRef parent = op->getParentOfType<func::FuncOp>().getName();
    std::string name = (parent + "_scores_" + Twine(number)).str();
    while (symbols.lookup(name))
      name += "_";
    LDBG() << op->getName() << describePlace(op.getLoc())
           << ": a call of the runtime, with its scores in " << name;
    HostAttentionLowering(op).run(name, shared);
  }
  return success();
}

namespace {
struct LowerHostAttentionPass
    : tally::impl::LowerHostAttentionBase<LowerHostAttentionPass> {
  void runOnOperation() override {
    if (failed(tally::lowerHostAttention(getOperation())))
      signalPassFailure();
  }
};
} // namespace
