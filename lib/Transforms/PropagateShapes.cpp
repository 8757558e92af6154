//===- PropagateShapes.cpp - Name sizes and state what operations need ----===//
//
// Gives every function its size table and the shapes of its signature, and puts
// a check before each operation for what it requires of its operands.
//
//===----------------------------------------------------------------------===//

#include "PropagateShapes.h"

#include "CheckReport.h"
#include "DataPreconditions.h"
#include "ElementChecks.h"
#include "NameSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/Interfaces/MaskingOpInterface.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ParallelCombiningOpInterface.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/Analysis/SymbolicShapes.h"
#include "tally/Analysis/ValueSources.h"
#include "tally/IR/Operators.h"
#include "tally/IR/Signatures.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_PROPAGATESHAPES
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-propagate-shapes"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

namespace {
/// Walks a function and puts a check before each operation that needs one. A
/// condition that has been stated where it dominates is not stated again.
class CheckInserter {
public:
  CheckInserter(FunctionOpInterface function, SymbolicShapes &shapes,
                const ShapePropagationOptions &options,
                CheckSummary *summary = nullptr)
      : function(function), shapes(shapes), ranges(shapes),
        elide(options.elide), preconditions(shapes, options.elide),
        report(shapes, options.explain, summary) {
    if (options.z3)
      validator.emplace(shapes, *options.z3);
    if (summary || options.explain || options.z3)
      preconditions.setProvenHandler([this](const Precondition &precondition,
                                            const symbolic::Answer &answer) {
        noteProven(precondition, answer);
      });
  }

  LogicalResult run() {
    visitRegion(function.getFunctionBody());
    return failure(hasFailed);
  }
  /// Puts checks for these preconditions only.
  void run(ArrayRef<Precondition> preconditions);

private:
  void visitRegion(Region &region);
  void visitBlock(Block &block);
  void visit(Operation *op);
  void state(const Precondition &precondition);
  bool isTold(const Precondition &precondition, Expr condition,
              Operation *before) const;
  void place(Operation *before, const Precondition &precondition,
             Expr condition);
  void placeForData(Operation *before, Operation *op, Expr condition);
  void note(Expr condition);
  void noteProven(const Precondition &precondition,
                  const symbolic::Answer &answer);
  bool isStated(Expr condition) const;

  FunctionOpInterface function;
  SymbolicShapes &shapes;
  ElementRanges ranges;
  bool elide;
  /// Of the operation that is visited: one check is for all of its elements and
  /// indices; one that was there before shows a precondition.
  bool isReduced = false, isProvenByCheck = false;
  Preconditions preconditions;
  CheckReport report;
  std::optional<ProofValidator> validator;
  bool hasFailed = false;
  /// Set if not all preconditions are wanted. What was known where they were
  /// found is no part of them, so that they cannot be told from all
  /// preconditions.
  std::optional<llvm::DenseMap<Operation *, SmallVector<Precondition>>> wanted;
  /// The stated conditions, in each scope around.
  SmallVector<llvm::SetVector<Expr>> stated;
};
} // namespace

void CheckInserter::note(Expr condition) {
  if (!condition)
    return;
  stated.back().insert(condition);
  if (condition.getKind() == symbolic::ExprKind::And)
    for (Expr part : condition.getOperands())
      stated.back().insert(part);
}

/// A precondition holds by construction: it does not become a check.
void CheckInserter::noteProven(const Precondition &precondition,
                               const symbolic::Answer &answer) {
  report.reportProven(precondition, answer);
  if (validator && failed(validator->validate(precondition.op,
                                              precondition.condition, answer)))
    hasFailed = true;
}

bool CheckInserter::isStated(Expr condition) const {
  auto isIn = [&](Expr expr) {
    return llvm::any_of(stated, [&](const llvm::SetVector<Expr> &scope) {
      return scope.contains(expr);
    });
  };
  return isIn(condition) || (condition.getKind() == symbolic::ExprKind::And &&
                             llvm::all_of(condition.getOperands(), isIn));
}

/// The precondition is not lost: tally-insert-runtime-asserts reports it,
/// unless it can prove it.
static void markUnchecked(Operation *op) {
  op->setAttr(attr_names::kUnchecked, UnitAttr::get(op->getContext()));
}

/// Describes the need of an operation that can never be right.
static std::string describeNeed(const Precondition &precondition,
                                SymbolicShapes &shapes) {
  if (!precondition.told.empty())
    return describePrecondition(precondition, shapes);
  return precondition.message.empty() ? "what is false" : precondition.message;
}

/// Returns true if the words of the operation say the condition, of values that
/// exist at the place.
bool CheckInserter::isTold(const Precondition &precondition, Expr condition,
                           Operation *before) const {
  return !precondition.told.empty() && condition == precondition.condition &&
         llvm::all_of(precondition.told, [&](const symbolic::Comparison &told) {
           return shapes.isAvailable(told.lhs, before) &&
                  shapes.isAvailable(told.rhs, before);
         });
}

void CheckInserter::place(Operation *before, const Precondition &precondition,
                          Expr condition) {
  if (condition.isTrue())
    return;
  if (elide && isStated(condition))
    return report.reportStated(precondition);
  if (!shapes.isAvailable(condition, before))
    return markUnchecked(precondition.op);
  if (condition.isFalse())
    precondition.op->emitWarning() << "can never be right: it needs "
                                   << describeNeed(precondition, shapes);
  OpBuilder builder(before);
  Operation *reader = before == precondition.op ? before : nullptr;
  SymbolicShapes::Statement statement =
      isTold(precondition, condition, before)
          ? shapes.state(builder, precondition.op->getLoc(), precondition.told,
                         reader)
          : shapes.state(builder, precondition.op->getLoc(), condition, reader);
  LDBG() << precondition.op->getName()
         << describePlace(precondition.op->getLoc()) << ": needs "
         << statement.expr.getText();
  SmallVector<StringRef> names(statement.names.begin(), statement.names.end());
  auto check = CheckOp::create(builder, precondition.op->getLoc(),
                               statement.expr, statement.values, names);
  check.setRequiredBy(getOperatorName(precondition.op));
  if (!precondition.message.empty())
    check.setMessage(precondition.message);
  note(condition);
}

/// Returns true if operations of the region may be preceded by a check: it runs
/// once each time its operation does, or once in each iteration, in order.
/// Interfaces tell that. Of an operation without any that is no structured
/// operation its effects tell: code, as that of a kernel that is launched, has
/// those of the operations in it. What nobody has registered takes everything.
static bool mayContainChecks(Region *region) {
  Operation *op = region->getParentOp();
  if (isa<FunctionOpInterface, RegionBranchOpInterface, LoopLikeOpInterface,
          HigherOrderOpInterface>(op))
    return true;
  if (isa<InParallelOpInterface, DestinationStyleOpInterface,
          vector::MaskingOpInterface, tensor::GenerateOp, tensor::PadOp>(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return false;
  return !op->isRegistered() ||
         op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
}

void CheckInserter::state(const Precondition &precondition) {
  Region *region = precondition.op->getParentRegion();
  if (mayContainChecks(region))
    return place(precondition.op, precondition, precondition.condition);
  Operation *around = region->getParentOp();
  // What is combined at the end of a parallel body is known before, and so is
  // what is masked.
  if (isa<InParallelOpInterface, vector::MaskingOpInterface>(around) &&
      mayContainChecks(around->getParentRegion()))
    return place(around, precondition, precondition.condition);
  if (mayContainChecks(around->getParentRegion())) {
    if (Expr forAll =
            quantifyOverElements(around, precondition.condition, shapes, elide))
      return place(around, precondition, forAll);
    SmallVector<Expr> known;
    for (const llvm::SetVector<Expr> &scope : stated)
      known.append(scope.begin(), scope.end());
    if (isReduced)
      return;
    if (elide && isProvenForElements(around, precondition, known, ranges,
                                     isProvenByCheck)) {
      symbolic::Answer answer;
      answer.verdict = symbolic::Verdict::Yes;
      answer.rung = symbolic::Rung::Facts;
      return report.reportProven(precondition, answer);
    }
    if (Expr all = reduceOverElements(around, precondition.op, known, ranges)) {
      isReduced = true;
      return placeForData(around, precondition.op, all);
    }
  }
  markUnchecked(precondition.op);
}

/// The name in messages of the tensor that an operation reads or writes at
/// indices.
static std::string describeAccessed(Operation *op) {
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return describeTensor(extract.getTensor());
  if (auto gather = dyn_cast<tensor::GatherOp>(op))
    return describeTensor(gather.getSource());
  if (auto scatter = dyn_cast<tensor::ScatterOp>(op))
    return describeTensor(scatter.getDest());
  return {};
}

void CheckInserter::placeForData(Operation *before, Operation *op,
                                 Expr condition) {
  std::string message = "an index is out of bounds";
  if (std::string name = describeAccessed(op); !name.empty())
    message += " of " + name;
  place(before, {condition, op, message, {}}, condition);
}

void CheckInserter::run(ArrayRef<Precondition> preconditions) {
  wanted.emplace();
  for (const Precondition &precondition : preconditions)
    (*wanted)[precondition.op].push_back(precondition);
  visitRegion(function.getFunctionBody());
}

void tally::statePreconditions(FunctionOpInterface function,
                               SymbolicShapes &shapes,
                               ArrayRef<Precondition> wanted) {
  CheckInserter(function, shapes, {}).run(wanted);
}

void CheckInserter::visit(Operation *op) {
  if (isa<CheckOp, AssertOp>(op))
    return note(shapes.getCondition(op));
  // Placing a check must not disturb what is being read.
  SmallVector<Precondition> current;
  if (wanted) {
    current = wanted->lookup(op);
  } else {
    preconditions.clear();
    shapes.collectPreconditions(op, preconditions);
    current = llvm::to_vector(preconditions.getPreconditions());
  }
  isReduced = isProvenByCheck = false;
  for (const Precondition &precondition : current)
    state(precondition);
  if ((isReduced || isProvenByCheck) && !op->hasAttr(attr_names::kUnchecked))
    op->setAttr(attr_names::kChecked, UnitAttr::get(op->getContext()));
  if (!wanted && mayContainChecks(op->getParentRegion())) {
    if (Expr all = reduceOverCoordinates(op, ranges, elide))
      placeForData(op, op, all);
    if (std::optional<Precondition> precondition =
            reduceOverData(op, ranges, elide))
      place(op, *precondition, precondition->condition);
  }
  for (Region &region : op->getRegions())
    visitRegion(region);
}

void CheckInserter::visitBlock(Block &block) {
  stated.emplace_back();
  for (Operation &op : llvm::make_early_inc_range(block))
    visit(&op);
  stated.pop_back();
}

void CheckInserter::visitRegion(Region &region) {
  for (Block &block : region)
    visitBlock(block);
}

//===----------------------------------------------------------------------===//
// Making things visible
//===----------------------------------------------------------------------===//

/// Returns true if the elements of a shape tensor are values of the program.
static bool isVisible(Value shape) {
  return shape.getDefiningOp<tensor::FromElementsOp>() ||
         matchPattern(shape, m_Constant());
}

/// Reads the shape that a `tensor.reshape` is given element by element, where
/// nobody sees them yet: they are sizes, and of type index.
static void exposeShape(tensor::ReshapeOp op) {
  auto type = cast<RankedTensorType>(op.getShape().getType());
  bool isIndex = type.getElementType().isIndex();
  if (!isa<RankedTensorType>(op.getResult().getType()) ||
      !type.hasStaticShape() || (isIndex && isVisible(op.getShape())))
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type index = builder.getIndexType();
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getDimSize(0); ++dim) {
    Value position = arith::ConstantIndexOp::create(builder, loc, dim);
    Value size =
        tensor::ExtractOp::create(builder, loc, op.getShape(), position);
    sizes.push_back(
        isIndex ? size
                : Value(arith::IndexCastOp::create(builder, loc, index, size)));
  }
  op.getShapeMutable().assign(tensor::FromElementsOp::create(
      builder, loc, RankedTensorType::get(type.getShape(), index), sizes));
}

/// Makes sizes visible, and takes nobody's word for what has been checked.
static void prepare(FunctionOpInterface function) {
  function.walk([](Operation *op) {
    op->removeAttr(attr_names::kChecked);
    op->removeAttr(attr_names::kCheckedByCallers);
    if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
      exposeShape(reshape);
  });
}

//===----------------------------------------------------------------------===//
// Checks of what a private function declares
//===----------------------------------------------------------------------===//

/// Marks the private functions that are only called, by functions that get
/// their checks here as well: a call checks what they declare.
static void
markCheckedByCallers(Operation *root,
                     const llvm::SetVector<FunctionOpInterface> &functions) {
  if (!root->hasTrait<OpTrait::SymbolTable>())
    return;
  auto candidates =
      llvm::filter_to_vector(functions, [](FunctionOpInterface function) {
        auto symbol = dyn_cast<SymbolOpInterface>(function.getOperation());
        return symbol && !symbol.isPublic() && SymbolsAttr::get(function) &&
               tellsItsSymbols(function);
      });
  if (candidates.empty())
    return;
  SymbolTableCollection symbolTables;
  SymbolUserMap users(symbolTables, root);
  for (FunctionOpInterface function : candidates) {
    auto isChecked = [&](Operation *user) {
      auto call = dyn_cast<CallOpInterface>(user);
      return call &&
             functions.contains(user->getParentOfType<FunctionOpInterface>());
    };
    ArrayRef<Operation *> calls = users.getUsers(function);
    if (!calls.empty() && llvm::all_of(calls, isChecked))
      function->setAttr(attr_names::kCheckedByCallers,
                        UnitAttr::get(function.getContext()));
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The functions below an operation, callees before their callers where there
/// is no recursion.
static llvm::SetVector<FunctionOpInterface> getFunctions(Operation *root) {
  llvm::SetVector<FunctionOpInterface> order;
  llvm::DenseSet<Operation *> entered;
  SymbolTableCollection symbolTables;
  std::function<void(FunctionOpInterface)> enter =
      [&](FunctionOpInterface function) {
        if (!entered.insert(function).second)
          return;
        function.walk([&](CallOpInterface call) {
          auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
          auto callee =
              name ? symbolTables.lookupNearestSymbolFrom<FunctionOpInterface>(
                         call, name)
                   : FunctionOpInterface();
          if (callee && root->isAncestor(callee))
            enter(callee);
        });
        if (!function.isExternal())
          order.insert(function);
      };
  root->walk([&](FunctionOpInterface function) { enter(function); });
  return order;
}

/// Returns true if the names of the function have their values already.
static bool isBound(FunctionOpInterface function) {
  return function.walk([](SymbolOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

LogicalResult tally::propagateShapes(Operation *root,
                                     const ShapePropagationOptions &options) {
  return propagateShapes(root, options, /*summary=*/nullptr);
}

LogicalResult tally::propagateShapes(Operation *root,
                                     const ShapePropagationOptions &options,
                                     CheckSummary *summary) {
  llvm::SetVector<FunctionOpInterface> functions = getFunctions(root);
  llvm::DenseSet<Operation *> bound;
  for (FunctionOpInterface function : functions) {
    prepare(function);
    if (isBound(function))
      bound.insert(function);
    else
      nameSizes(function);
  }
  markCheckedByCallers(root, functions);
  using Form = SymbolicShapesOptions::Form;
  for (FunctionOpInterface function : functions) {
    bool isNamed = !bound.contains(function);
    SymbolicShapesOptions form;
    form.form = isNamed ? Form::Named : Form::Bound;
    SymbolicShapes shapes(function, form);
    if (isNamed)
      annotateResults(function, shapes);
    if (failed(CheckInserter(function, shapes, options, summary).run()))
      return failure();
  }
  return success();
}

namespace {
struct PropagateShapesPass
    : tally::impl::PropagateShapesBase<PropagateShapesPass> {
  using PropagateShapesBase::PropagateShapesBase;

  LogicalResult initialize(MLIRContext *context) override {
    propagation.elide = elide;
    propagation.explain = explain;
    if (failed(openValidator(context, "tally-propagate-shapes", validate, z3)))
      return failure();
    propagation.z3 = z3.get();
    return success();
  }

  void runOnOperation() override {
    if (failed(propagateShapes(getOperation(), propagation, summary)))
      signalPassFailure();
  }

  ShapePropagationOptions propagation;
  std::shared_ptr<Z3Solver> z3;
  CheckSummary *summary = nullptr;
};
} // namespace

std::unique_ptr<Pass>
tally::createPropagateShapes(const PropagateShapesOptions &options,
                             CheckSummary &summary) {
  auto pass = std::make_unique<PropagateShapesPass>(options);
  pass->summary = &summary;
  return pass;
}
