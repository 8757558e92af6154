//===- UnifySizes.cpp - Make sizes that are equal one value ---------------===//
//
// Works on uses, not on definitions: two sizes may be equal only behind the
// assert that says so.
//
//===----------------------------------------------------------------------===//

#include "FunctionPass.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/Analysis/ValueSources.h"
#include "tally/IR/Tally.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_UNIFYSIZES
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-unify-sizes"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

namespace {
class SizeUnifier {
public:
  explicit SizeUnifier(FunctionOpInterface function)
      : function(function), shapes(function, SymbolicShapesOptions::bound()) {}

  void run();

private:
  void visitUse(OpOperand &use);
  void registerValue(Value value);
  void noteHeld(Operation *op);
  Value findRepresentative(Expr size, Operation *user);
  Value getConstant(int64_t value, Operation *user);

  FunctionOpInterface function;
  SymbolicShapes shapes;
  DominanceInfo dominance;
  /// The values of each size, those that were seen first at the front.
  llvm::DenseMap<Expr, SmallVector<Value, 1>> valuesOf;
  /// Results of asserts and of speculation barriers, and values computed from
  /// them: their users must stay behind the assert, or in the place.
  llvm::DenseSet<Value> held;
  /// The constants that were made, at the start of each closed region.
  llvm::DenseMap<std::pair<Region *, int64_t>, Value> constants;
};
} // namespace

/// The innermost closed region around an operation: a value of another one must
/// not be used in it.
static Region *getClosedRegion(Operation *op) {
  Region *region = op->getParentRegion();
  while (region && !isa<HigherOrderOpInterface>(region->getParentOp()) &&
         !region->getParentOp()->hasTrait<OpTrait::IsIsolatedFromAbove>())
    region = region->getParentRegion();
  return region;
}

static Region *getClosedRegion(Value value) {
  if (Operation *op = value.getDefiningOp())
    return getClosedRegion(op);
  Region *region = value.getParentRegion();
  Operation *parent = region->getParentOp();
  if (isa<HigherOrderOpInterface>(parent) ||
      parent->hasTrait<OpTrait::IsIsolatedFromAbove>())
    return region;
  return getClosedRegion(parent);
}

void SizeUnifier::run() {
  for (BlockArgument argument : function.getArguments())
    registerValue(argument);
  ScopedFacts(shapes).walk(function, [&](Operation *op) {
    // Asserts show values under the names of their own operands, and a symbol
    // names the value that it is given.
    if (!isa<AssertOp, AssumeOp, SymbolOp>(op))
      for (OpOperand &use : op->getOpOperands())
        visitUse(use);
    noteHeld(op);
    for (Value result : op->getResults())
      registerValue(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          registerValue(argument);
    return true;
  });
}

void SizeUnifier::noteHeld(Operation *op) {
  if (isa<AssertOp, SpeculationBarrierOp>(op) ||
      llvm::any_of(op->getOperands(),
                   [&](Value operand) { return held.contains(operand); }))
    for (Value result : op->getResults())
      if (result.getType().isIntOrIndex())
        held.insert(result);
}

void SizeUnifier::registerValue(Value value) {
  if (!value.getType().isIndex())
    return;
  Expr size = shapes.getFacts().simplify(shapes.getValue(value));
  SmallVector<Value, 1> &values = valuesOf[size];
  // A symbol reads better than what it names.
  if (value.getDefiningOp<SymbolOp>())
    values.insert(values.begin(), value);
  else
    values.push_back(value);
}

Value SizeUnifier::findRepresentative(Expr size, Operation *user) {
  auto it = valuesOf.find(size);
  if (it == valuesOf.end())
    return {};
  Region *closed = getClosedRegion(user);
  for (Value value : it->second)
    if (getClosedRegion(value) == closed &&
        dominance.properlyDominates(value, user))
      return value;
  return {};
}

Value SizeUnifier::getConstant(int64_t value, Operation *user) {
  Region *closed = getClosedRegion(user);
  Value &constant = constants[{closed, value}];
  if (!constant) {
    // Some regions, as that of scf.forall.in_parallel, hold no constants.
    OpBuilder builder = OpBuilder::atBlockBegin(&closed->front());
    constant =
        arith::ConstantIndexOp::create(builder, function.getLoc(), value);
  }
  return constant;
}

/// Operations of the affine dialect take only what is a symbol to them.
static bool mayUse(Operation *user, Value value) {
  return !isa_and_nonnull<affine::AffineDialect>(user->getDialect()) ||
         affine::isValidSymbol(value, affine::getAffineScope(user));
}

void SizeUnifier::visitUse(OpOperand &use) {
  Value value = use.get();
  if (!value.getType().isIndex() || matchPattern(value, m_Constant()) ||
      held.contains(value))
    return;
  Operation *user = use.getOwner();
  Expr size = shapes.getFacts().simplify(shapes.getValue(value));
  if (std::optional<int64_t> known =
          size.isConstant() ? size.getInt64() : std::nullopt) {
    use.set(getConstant(*known, user));
    return;
  }
  Value representative = findRepresentative(size, user);
  if (!representative || representative == value ||
      !mayUse(user, representative))
    return;
  LDBG() << user->getName() << describePlace(user->getLoc()) << ": operand "
         << use.getOperandNumber() << " is " << describeExpr(size, shapes)
         << ", which another value is too";
  use.set(representative);
}

LogicalResult tally::unifySizes(FunctionOpInterface function) {
  if (!function.isExternal())
    SizeUnifier(function).run();
  return success();
}

namespace {
struct UnifySizesPass : tally::impl::UnifySizesBase<UnifySizesPass> {
  void runOnOperation() override {
    if (failed(
            forEachFunction(getOperation(), [&](FunctionOpInterface function) {
              return unifySizes(function);
            })))
      signalPassFailure();
  }
};
} // namespace
