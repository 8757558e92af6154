//===- RecognizeAttention.cpp - Attention that was written out ------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "AttentionChain.h"
#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_RECOGNIZEATTENTION
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-recognize-attention"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

namespace {

/// Replaces a chain by one operation.
class ChainReplacement {
public:
  explicit ChainReplacement(const AttentionChain &chain)
      : chain(chain), builder(chain.getLast()), loc(chain.getLast()->getLoc()),
        batch(chain.rank - 2) {
    for (unsigned dim = 0, next = 0; dim < chain.rank; ++dim)
      loops.push_back(dim == chain.queryDim    ? batch
                      : dim == chain.keyDim    ? batch + 1
                      : dim == chain.sharedDim ? batch - 1
                                               : next++);
  }

  void run();

private:
  /// The loops of attention that a dimension of scores runs over.
  using Loops = SmallVector<unsigned>;
  /// What an operand becomes, and its map.
  struct Operand {
    Value value;
    AffineMap map;
  };

  Loops getLoops(unsigned dim, bool isSplit) const {
    return llvm::map_to_vector(chain.getDims(dim, isSplit), [&](int64_t split) {
      return loops[size_t(split)];
    });
  }
  /// The same for each loop of a product, given the operand or the result that
  /// has the scores, and what its other loop is.
  SmallVector<Loops> getProductLoops(linalg::LinalgOp op, unsigned scores,
                                     bool isSplit, unsigned other) const;
  Operand split(Value value, AffineMap map, ArrayRef<Loops> loopsOf);
  void addElements();
  void fillScore(Block *block);
  Operand createOutput(ArrayRef<Loops> loopsOf);
  AttentionOp createOp();
  Value merge(Value tensor);

  const AttentionChain &chain;
  OpBuilder builder;
  Location loc;
  unsigned batch;
  /// Of each dimension of scores.
  Loops loops;
  SmallVector<Operand> elements;
  /// The number of each step's inputs among the elements, if it is one.
  SmallVector<SmallVector<std::optional<unsigned>>> elementOf;
};

} // namespace

SmallVector<ChainReplacement::Loops>
ChainReplacement::getProductLoops(linalg::LinalgOp op, unsigned scores,
                                  bool isSplit, unsigned other) const {
  SmallVector<Loops> loopsOf(op.getNumLoops(), Loops{other});
  AffineMap map = op.getIndexingMapsArray()[scores];
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    loopsOf[cast<AffineDimExpr>(expr).getPosition()] =
        getLoops(unsigned(dim), isSplit);
  return loopsOf;
}

/// Splits the dimensions of a tensor whose loop is several ones of attention.
ChainReplacement::Operand ChainReplacement::split(Value value, AffineMap map,
                                                  ArrayRef<Loops> loopsOf) {
  SmallVector<ReassociationIndices> groups;
  SmallVector<OpFoldResult> sizes;
  SmallVector<AffineExpr> exprs;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    ReassociationIndices group;
    for (unsigned to : loop ? loopsOf[loop.getPosition()] : Loops{0}) {
      group.push_back(int64_t(exprs.size()));
      exprs.push_back(loop ? builder.getAffineDimExpr(to) : expr);
    }
    if (group.size() == 1) {
      sizes.push_back(tensor::getMixedSize(builder, loc, value, int64_t(dim)));
    } else {
      for (unsigned to : loopsOf[loop.getPosition()])
        sizes.push_back(chain.split->sizes[size_t(
            std::distance(loops.begin(), llvm::find(loops, to)))]);
    }
    groups.push_back(group);
  }
  if (type && exprs.size() != size_t(type.getRank())) {
    SmallVector<int64_t> shape = decomposeMixedValues(sizes).first;
    value = builder.createOrFold<tensor::ExpandShapeOp>(loc, type.clone(shape),
                                                        value, groups, sizes);
  }
  return {value, AffineMap::get(batch + 4, 0, exprs, builder.getContext())};
}

/// Collects what steps read beside the scores.
void ChainReplacement::addElements() {
  for (const ScoreStep &step : chain.steps) {
    linalg::LinalgOp op = step.op;
    SmallVector<Loops> loopsOf;
    for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
      loopsOf.push_back(getLoops(dim, step.isSplit));
    auto &numbers = elementOf.emplace_back();
    OpOperand *path = op.getDpsInputOperand(step.input);
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (input->get() == path->get() && map.isIdentity()) {
        numbers.push_back(std::nullopt);
        continue;
      }
      numbers.push_back(elements.size());
      elements.push_back(split(input->get(), map, loopsOf));
    }
  }
}

/// Does with the product what the steps do.
void ChainReplacement::fillScore(Block *block) {
  OpBuilder b = OpBuilder::atBlockEnd(block);
  Value score = block->getArgument(batch + 2);
  for (auto [step, numbers] : llvm::zip_equal(chain.steps, elementOf)) {
    linalg::LinalgOp op = step.op;
    Block &body = op->getRegion(0).front();
    IRMapping map;
    for (auto [input, number] : llvm::enumerate(numbers))
      map.map(body.getArgument(unsigned(input)),
              number ? block->getArgument(batch + 3 + *number) : score);
    for (Operation &inner : body.without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(inner))
        map.map(index.getResult(),
                block->getArgument(
                    getLoops(unsigned(index.getDim()), step.isSplit).front()));
      else
        b.clone(inner, map);
    }
    score = map.lookupOrDefault(body.getTerminator()->getOperand(0));
  }
  YieldOp::create(b, loc, score);
}

/// An empty tensor of the result's elements, in the dimensions after the split.
ChainReplacement::Operand
ChainReplacement::createOutput(ArrayRef<Loops> loopsOf) {
  linalg::LinalgOp last = chain.result;
  Value init = last.getDpsInits().front();
  std::optional<SmallVector<OpFoldResult>> sizes = findSizes(init);
  Value empty = tensor::EmptyOp::create(
      builder, loc, sizes ? *sizes : tensor::getMixedSizes(builder, loc, init),
      getElementTypeOrSelf(chain.getLast()->getResult(0)));
  Operand output = split(
      empty, last.getMatchingIndexingMap(last.getDpsInitOperand(0)), loopsOf);
  if (auto view = output.value.getDefiningOp<tensor::ExpandShapeOp>())
    output.value =
        tensor::EmptyOp::create(builder, loc, view.getMixedOutputShape(),
                                view.getResultType().getElementType());
  return output;
}

/// Makes the operation, without its region.
AttentionOp ChainReplacement::createOp() {
  linalg::LinalgOp scores = chain.scores, last = chain.result;
  SmallVector<Loops> scoreLoops =
      getProductLoops(scores, 2, chain.scoresAreSplit, batch + 2);
  SmallVector<Loops> resultLoops =
      getProductLoops(last, chain.weightInput, chain.resultIsSplit, batch + 3);
  auto splitInput = [&](linalg::LinalgOp op, unsigned input,
                        ArrayRef<Loops> loopsOf) {
    OpOperand *operand = op.getDpsInputOperand(input);
    Value tensor = operand->get();
    AffineMap map = op.getMatchingIndexingMap(operand);
    // A view may be undone only where no transpose is in between.
    while (auto source = tensor.getDefiningOp<linalg::LinalgOp>()) {
      std::optional<AffineMap> order = matchTranspose(source);
      if (!order)
        break;
      tensor = source.getDpsInputs().front();
      map = order->compose(map);
    }
    Operand operandOfLoops = split(tensor, map, loopsOf);
    // All heads read the only one.
    operandOfLoops.map = operandOfLoops.map.replace(
        builder.getAffineConstantExpr(0),
        builder.getAffineDimExpr(batch == 0 ? 0 : batch - 1), batch + 4, 0);
    return operandOfLoops;
  };
  Operand query = splitInput(scores, chain.queryInput, scoreLoops);
  Operand key = splitInput(scores, chain.keyInput, scoreLoops);
  Operand value = splitInput(last, 1 - chain.weightInput, resultLoops);
  addElements();
  Operand output = createOutput(resultLoops);
  SmallVector<AffineMap> maps{query.map, key.map, value.map};
  SmallVector<Value> tensors;
  for (const Operand &element : elements) {
    tensors.push_back(element.value);
    maps.push_back(element.map);
  }
  maps.push_back(output.map);
  return AttentionOp::create(
      builder, loc, output.value.getType(), query.value, key.value, value.value,
      tensors, output.value, builder.getAffineMapArrayAttr(maps),
      chain.sharedDim ? builder.getUnitAttr() : UnitAttr(),
      /*strict=*/builder.getUnitAttr(),
      /*masksCount=*/0);
}

/// Gives the result the dimensions that it had.
Value ChainReplacement::merge(Value tensor) {
  auto type = cast<RankedTensorType>(chain.getLast()->getResult(0).getType());
  if (cast<RankedTensorType>(tensor.getType()).getRank() != type.getRank()) {
    SmallVector<ReassociationIndices> groups;
    linalg::LinalgOp op = chain.result;
    int64_t next = 0;
    SmallVector<Loops> loopsOf =
        getProductLoops(op, chain.weightInput, chain.resultIsSplit, batch + 3);
    for (AffineExpr expr :
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResults()) {
      auto &group = groups.emplace_back();
      for (size_t i = 0,
                  e = loopsOf[cast<AffineDimExpr>(expr).getPosition()].size();
           i < e; ++i)
        group.push_back(next++);
    }
    tensor = tensor::CollapseShapeOp::create(builder, loc, tensor, groups);
  }
  return tensor.getType() == type
             ? tensor
             : tensor::CastOp::create(builder, loc, type, tensor).getResult();
}

void ChainReplacement::run() {
  AttentionOp attention = createOp();
  Block &block = attention.getScore().emplaceBlock();
  block.addArguments(SmallVector<Type>(batch + 2, builder.getIndexType()),
                     SmallVector<Location>(batch + 2, loc));
  block.addArgument(attention.getSumType(), loc);
  for (Value element : attention.getElements())
    block.addArgument(getElementTypeOrSelf(element), loc);
  fillScore(&block);
  // In the order of the program.
  SmallVector<Operation *> parts(chain.parts.getArrayRef());
  llvm::sort(parts,
             [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  for (Operation *part : parts)
    if (isa<linalg::LinalgOp>(part))
      noteFused(part, attention);
  Value result = merge(attention->getResult(0));
  chain.getLast()->getResult(0).replaceAllUsesWith(result);
  if (chain.rounding)
    chain.rounding->erase();
  chain.result->erase();
  for (Operation *part : parts) {
    for (Operation *user : llvm::make_early_inc_range(part->getUsers())) {
      OpBuilder at(user);
      user->replaceAllUsesWith(ValueRange{
          getValueOrCreateConstantIndexOp(at, loc, *findSize(user))});
      user->erase();
    }
    part->erase();
  }
}

/// Tells why a chain stays as it is.
static void reportObstacle(const AttentionChain &chain,
                           FusionObstacle obstacle) {
  std::string text = describeLastPart(chain.getLast()) + " is not fused with " +
                     describeLastPart(chain.softmax) + ": " +
                     toString(obstacle).str();
  LDBG() << text;
  // What becomes of operations is told by the same name for all passes.
  remark::missed(
      getLastPartLoc(chain.getLast()),
      remark::RemarkOpts::name("NotFused")
          .category("tally-form-kernels")
          .function(chain.result->getParentOfType<func::FuncOp>().getName()))
      << text;
}

void tally::recognizeAttention(func::FuncOp function) {
  SmallVector<linalg::LinalgOp> ops;
  function.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  // An operation may be erased with a chain that it is a part of, but not the
  // last one of another chain: that would have another use.
  llvm::SmallPtrSet<Operation *, 16> erased;
  for (linalg::LinalgOp op : ops) {
    if (erased.contains(op))
      continue;
    std::optional<AttentionChain> chain = matchAttentionChain(op);
    if (!chain)
      continue;
    if (std::optional<FusionObstacle> obstacle =
            findAttentionObstacle(*chain)) {
      reportObstacle(*chain, *obstacle);
      continue;
    }
    LDBG() << describeLastPart(chain->getLast()) << ": attention with "
           << describeLastPart(chain->softmax) << " and "
           << describeLastPart(chain->scores);
    erased.insert_range(chain->parts);
    erased.insert(chain->getLast());
    ChainReplacement(*chain).run();
  }
}

namespace {
struct RecognizeAttentionPass
    : tally::impl::RecognizeAttentionBase<RecognizeAttentionPass> {
  void runOnOperation() override { tally::recognizeAttention(getOperation()); }
};
} // namespace
