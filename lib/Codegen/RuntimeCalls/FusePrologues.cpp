//===- FusePrologues.cpp - Matmuls that compute an operand ----------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"
#include "tally/IR/Tally.h"

#include "Common/Fusion.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_FUSEPROLOGUES
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-fuse-prologues"

using namespace mlir;
using namespace tally::codegen;

namespace {

/// What computes the matrix that a matmul multiplies with.
struct Prologue {
  linalg::GenericOp op;
  /// The input whose elements become those of the matrix, and whether it lies
  /// transposed.
  unsigned matrix;
  bool isTransposed;
};

} // namespace

static int64_t getElementBits(Value tensor) {
  Type type = getElementTypeOrSelf(tensor);
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// Whether a body computes an element from elements and scalars, and nothing
/// else.
static bool isArithmetic(linalg::GenericOp op) {
  Block *body = op.getBody();
  if (!body->getArguments().back().use_empty())
    return false;
  for (Operation &inner : body->without_terminator())
    if (!isMemoryEffectFree(&inner) || inner.getNumRegions() != 0 ||
        isa<linalg::IndexOp>(inner))
      return false;
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(op.getRegion(), used);
  return llvm::none_of(
      used, [](Value value) { return isa<ShapedType>(value.getType()); });
}

/// The prologue that computes `b`, if a matmul that applies it reads fewer
/// bytes than one that reads its result.
static std::optional<Prologue> findPrologue(tally::MatmulOp matmul) {
  auto op = matmul.getB().getDefiningOp<linalg::GenericOp>();
  if (!op || matmul.getPrologue() || matmul.hasEpilogue() ||
      op.getNumResults() != 1 || op.getNumLoops() != 2 ||
      op.getNumParallelLoops() != 2 || !op->hasOneUse() ||
      op->getBlock() != matmul->getBlock() || !isArithmetic(op))
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps.back().isPermutation())
    return std::nullopt;
  std::optional<Prologue> prologue;
  int64_t bits = 0;
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i) {
    Value input = op.getDpsInputs()[i];
    auto type = dyn_cast<RankedTensorType>(input.getType());
    if (!maps[i].isProjectedPermutation(/*allowZeroInResults=*/true))
      return std::nullopt;
    for (auto [dim, expr] : llvm::enumerate(maps[i].getResults()))
      if (isa<AffineConstantExpr>(expr) && type.getDimSize(dim) != 1)
        return std::nullopt;
    if (!maps[i].isPermutation())
      continue;
    bits += getElementBits(input);
    if (!prologue)
      prologue = {op, i, maps[i] != maps.back()};
  }
  if (!prologue || bits >= getElementBits(matmul.getB()))
    return std::nullopt;
  return prologue;
}

static void fuse(tally::MatmulOp matmul, const Prologue &prologue) {
  linalg::GenericOp op = prologue.op;
  noteFused(op, matmul);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  // From an element of the matrix to the loops.
  AffineMap loops = inversePermutation(maps[prologue.matrix]);
  OpBuilder builder(matmul);
  SmallVector<Value> elements;
  SmallVector<AffineMap> elementMaps;
  SmallVector<Type> types{
      getElementTypeOrSelf(op.getDpsInputs()[prologue.matrix])};
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i) {
    if (i == prologue.matrix)
      continue;
    elements.push_back(op.getDpsInputs()[i]);
    elementMaps.push_back(maps[i].compose(loops));
    types.push_back(getElementTypeOrSelf(elements.back()));
  }
  bool transposeB = matmul.getTransposeB() != prologue.isTransposed;
  auto fused = tally::MatmulOp::create(
      builder, matmul.getLoc(), matmul->getResultTypes(), matmul.getA(),
      op.getDpsInputs()[prologue.matrix], elements, /*bias=*/Value(),
      matmul.getC(),
      elements.empty() ? ArrayAttr()
                       : builder.getAffineMapArrayAttr(elementMaps),
      matmul.getTransposeAAttr(), transposeB ? builder.getUnitAttr() : nullptr,
      /*relu=*/UnitAttr(), matmul.getFallbackAttr(), /*prologuesCount=*/1);
  Block *body =
      builder.createBlock(fused.getPrologue(), {}, types,
                          SmallVector<Location>(types.size(), op.getLoc()));
  IRMapping map;
  unsigned next = 1;
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i)
    map.map(op.getBody()->getArgument(i),
            body->getArgument(i == prologue.matrix ? 0 : next++));
  for (Operation &inner : op.getBody()->without_terminator())
    builder.clone(inner, map);
  Value element = op.getBody()->getTerminator()->getOperand(0);
  tally::YieldOp::create(builder, op.getLoc(), map.lookupOrDefault(element));
  matmul->getResults().replaceAllUsesWith(fused->getResults());
  matmul.erase();
  op.erase();
}

void tally::fusePrologues(func::FuncOp function) {
  SmallVector<MatmulOp> ops;
  function.walk([&](MatmulOp op) { ops.push_back(op); });
  for (MatmulOp op : ops) {
    std::optional<Prologue> prologue = findPrologue(op);
    if (!prologue)
      continue;
    LDBG() << describeLastPart(op) << ": computes what it multiplies with";
    fuse(op, *prologue);
  }
}

namespace {
struct FuseProloguesPass : tally::impl::FuseProloguesBase<FuseProloguesPass> {
  void runOnOperation() override { tally::fusePrologues(getOperation()); }
};
} // namespace
