//===- ValueSources.cpp - Where values come from, for messages ------------===//

#include "tally/Analysis/ValueSources.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tally/IR/Operators.h"
#include "tally/IR/Tally.h"
#include "tally/Symbolic/Text/Parser.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tally;

/// Describes what a key path reads of a tensor: `.size(1)`.
static std::string describeSteps(KeyPathKind kind, unsigned dim) {
  switch (kind) {
  case KeyPathKind::Value:
    return "";
  case KeyPathKind::Size:
    return ".size(" + std::to_string(dim) + ")";
  case KeyPathKind::Stride:
    return ".stride(" + std::to_string(dim) + ")";
  case KeyPathKind::StorageOffset:
    return ".storage_offset()";
  }
  llvm_unreachable("unknown step of a key path");
}

std::string tally::getArgumentName(FunctionOpInterface function,
                                   unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, attr_names::kName);
  if (name)
    return name.str();
  auto path = function.getArgAttrOfType<PathAttr>(index, attr_names::kHidden);
  if (!path)
    return "arg" + std::to_string(index);
  return getArgumentName(function, path.getArgument()) +
         describeSteps(path.getKind(), path.getDim());
}

/// The value that another one merely hands on: through casts, names, asserts
/// and arguments of subgraphs.
static Value skipHandedOn(Value value) {
  while (true) {
    Value next;
    if (auto argument = dyn_cast<BlockArgument>(value))
      next = getPassedValue(argument);
    else if (Operation *op = value.getDefiningOp();
             isa<SymbolOp, SpeculationBarrierOp, tensor::CastOp,
                 arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
                 arith::ExtUIOp, arith::ExtFOp>(op))
      next = op->getOperand(0);
    else if (auto assertion = dyn_cast<AssertOp>(op))
      next = assertion.getGuarded()[cast<OpResult>(value).getResultNumber()];
    if (!next)
      return value;
    value = next;
  }
}

/// The name of an argument of the function, or nothing.
static std::string describeArgument(BlockArgument argument) {
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (function && argument.getOwner()->isEntryBlock())
    return getArgumentName(function, argument.getArgNumber());
  return {};
}

/// The input of an operation: the first operand of the first of the
/// operations that a front end made of one operator.
static Value getOperatorInput(Operation *op) {
  Value input = op->getNumOperands() == 0 ? Value() : op->getOperand(0);
  while (input) {
    Operation *producer = input.getDefiningOp();
    if (!producer || producer->getLoc() != op->getLoc() ||
        producer->getNumOperands() == 0)
      break;
    input = producer->getOperand(0);
  }
  return input;
}

/// `tally.nonzero(mask)`, `scf.while(...)`, or `concat(x, ...)` where the
/// location tells the operator; nothing for an operation that runs its body for
/// each element, which says too little.
static std::string describeOperation(Operation *op) {
  if (auto call = dyn_cast<CallOpInterface>(op))
    if (auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
      return (callee.getLeafReference().getValue() + "(...)").str();
  if (auto call = dyn_cast<CustomCallOp>(op))
    return (call.getCallee() + "(...)").str();
  StringRef name = getOperatorName(op);
  bool hasOperator = name != op->getName().getStringRef();
  if (op->getNumRegions() != 0 &&
      !isa<HigherOrderOpInterface, RegionBranchOpInterface>(op))
    return {};
  std::string operands = "...";
  Value input = hasOperator                 ? getOperatorInput(op)
                : op->getNumOperands() == 1 ? op->getOperand(0)
                                            : Value();
  if (input)
    if (auto argument = dyn_cast<BlockArgument>(skipHandedOn(input)))
      if (std::string described = describeArgument(argument);
          !described.empty())
        operands = described + (op->getNumOperands() == 1 ? "" : ", ...");
  return (name + "(" + operands + ")").str();
}

/// The operation that makes a value; `scf.while(...)#1` tells results of a loop
/// or a branch apart.
static std::string describeResult(OpResult result) {
  Operation *op = result.getOwner();
  std::string operation = describeOperation(op);
  if (operation.empty() || op->getNumRegions() == 0 || op->getNumResults() == 1)
    return operation;
  return operation + "#" + std::to_string(result.getResultNumber());
}

std::string tally::describeTensor(Value tensor) {
  tensor = skipHandedOn(tensor);
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return describeArgument(argument);
  return describeResult(cast<OpResult>(tensor));
}

/// `x[2, 0]` of a tensor that holds this element of x alone; or nothing.
static std::string describeOnlyElement(Value tensor) {
  while (true) {
    tensor = skipHandedOn(tensor);
    Operation *op = tensor.getDefiningOp();
    if (!op || !isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      break;
    tensor = op->getOperand(0);
  }
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || llvm::any_of(slice.getStaticSizes(),
                             [](int64_t size) { return size != 1; }))
    return {};
  std::string name = describeTensor(slice.getSource());
  if (name.empty() || ShapedType::isDynamicShape(slice.getStaticOffsets()))
    return {};
  return name + "[" +
         llvm::join(llvm::map_range(
                        slice.getStaticOffsets(),
                        [](int64_t offset) { return std::to_string(offset); }),
                    ", ") +
         "]";
}

/// `x[0, 2]`, or `x[...]` where a position is not known.
static std::string describeElement(Value tensor, ValueRange indices) {
  if (indices.empty())
    if (std::string element = describeOnlyElement(tensor); !element.empty())
      return element;
  std::string name = describeTensor(tensor);
  if (name.empty())
    return name;
  if (indices.empty())
    return name + ".item()";
  SmallVector<std::string> positions;
  for (Value index : indices) {
    std::optional<int64_t> known = getConstantIntValue(index);
    if (!known)
      return name + "[...]";
    positions.push_back(std::to_string(*known));
  }
  return name + "[" + llvm::join(positions, ", ") + "]";
}

static std::string describeSize(Value tensor, std::optional<int64_t> dim) {
  std::string name = describeTensor(tensor);
  if (name.empty() || !dim)
    return {};
  return name + ".size(" + std::to_string(*dim) + ")";
}

static constexpr llvm::StringLiteral kLoopIndex{"the index of a loop"};
static constexpr llvm::StringLiteral kLoopCarried{"what a loop carries"};

/// Describes an argument of a block: one of the function, or the index of a
/// loop.
static std::string describeScalarArgument(BlockArgument argument) {
  if (std::string name = describeArgument(argument); !name.empty())
    return name;
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto structured = dyn_cast<linalg::LinalgOp>(parent))
    return describeElement(structured->getOperand(argument.getArgNumber()),
                           argument);
  auto loop = dyn_cast<LoopLikeOpInterface>(parent);
  std::optional<SmallVector<Value>> variables;
  if (loop)
    variables = loop.getLoopInductionVars();
  if (variables && llvm::is_contained(*variables, argument))
    return kLoopIndex.str();
  return isa<LoopLikeOpInterface>(parent) ? kLoopCarried.str() : "";
}

/// The origin of a value, as the name of its symbol tells.
static StringRef getOrigin(Operation *op) {
  auto symbol = dyn_cast_or_null<SymbolOp>(op);
  return symbol ? symbol.getOrigin().value_or("") : "";
}

/// Where a value that nothing hands on comes from.
static std::string describeProducer(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return describeScalarArgument(argument);
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return describeSize(dim.getSource(), dim.getConstantIndex());
  if (auto dim = dyn_cast<memref::DimOp>(op))
    return describeSize(dim.getSource(), dim.getConstantIndex());
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return describeElement(extract.getTensor(), extract.getIndices());
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return describeElement(load.getMemRef(), load.getIndices());
  if (auto item = dyn_cast<ItemOp>(op)) {
    std::string element = describeElement(item.getSource(), {});
    return element.empty() ? describeOperation(op) : element;
  }
  // Of a boolean, what it means is more than what computed it.
  bool isMade = isa<CallOpInterface, UnbackedBindingOpInterface>(op);
  return isMade || !value.getType().isInteger(1)
             ? describeResult(cast<OpResult>(value))
             : "";
}

std::string tally::describeSource(Value value) {
  if (StringRef origin = getOrigin(value.getDefiningOp()); !origin.empty())
    return origin.str();
  for (Operation *user : value.getUsers())
    if (StringRef origin = getOrigin(user); !origin.empty())
      return origin.str();
  if (Value passed = skipHandedOn(value); passed != value)
    return describeSource(passed);
  return describeProducer(value);
}

/// The tensor and the dimension that a value is the size of.
static std::pair<Value, std::optional<int64_t>> getSizeOf(Value value) {
  value = skipHandedOn(value);
  if (auto dim = value.getDefiningOp<tensor::DimOp>())
    return {dim.getSource(), dim.getConstantIndex()};
  if (auto dim = value.getDefiningOp<memref::DimOp>())
    return {dim.getSource(), dim.getConstantIndex()};
  return {value, std::nullopt};
}

/// Returns true if a value is what a loop hands from one iteration to the next.
static bool isLoopCarried(Value value) {
  auto argument = dyn_cast<BlockArgument>(skipHandedOn(value));
  return argument && describeScalarArgument(argument) == kLoopCarried;
}

/// The letters and digits of where a value comes from; empty if that makes no
/// name.
static std::string nameAfterSource(Value value, std::optional<int64_t> dim) {
  constexpr size_t maxLength = 40;
  if (dim && isLoopCarried(value))
    return "loop_carried_size_" + std::to_string(*dim);
  std::string source =
      dim ? describeSize(value, *dim) : describeProducer(skipHandedOn(value));
  if (source == kLoopIndex)
    return "loop_index";
  if (source == kLoopCarried)
    return "loop_carried";
  std::string name;
  for (StringRef rest = source; !rest.empty();) {
    if (rest.consume_front("[...]"))
      name += "_element";
    StringRef word =
        rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    rest = rest.drop_front(word.size());
    if (!word.empty())
      name += (name.empty() ? "" : "_") + word.str();
    else
      rest = rest.drop_front(rest.empty() ? 0 : 1);
  }
  bool isName = name.size() <= maxLength && symbolic::isValidSymbolName(name);
  return isName ? name : "";
}

std::string tally::chooseName(Value value, std::optional<unsigned> dim) {
  std::optional<int64_t> read = dim;
  if (!dim)
    std::tie(value, read) = getSizeOf(value);
  if (std::string name = nameAfterSource(value, read); !name.empty())
    return name;
  if (read)
    return "size";
  return value.getType().isInteger(1) ? "ok" : "value";
}

std::string tally::describeKeyPath(Operation *op, BindingAttr binding) {
  Value result = op->getResult(binding.getResult());
  std::string text = binding.getKind() == KeyPathKind::Value
                         ? describeSource(result)
                         : describeTensor(result);
  if (text.empty())
    return text;
  text += describeSteps(binding.getKind(), binding.getDim());
  if (binding.getDivisor() != 1)
    text += " / " + std::to_string(binding.getDivisor());
  return text;
}

bool tally::tellsOnlyMessage(CheckOp check) {
  return check.getMessage() && llvm::any_of(check.getValues(), [](Value value) {
           return value.getType().isInteger(1) && describeSource(value).empty();
         });
}

namespace {
/// Names symbols after where they come from, in a context for texts alone.
class SymbolNamer {
public:
  SymbolNamer(ArrayRef<symbolic::Expr> symbols, SymbolicShapes &shapes) {
    for (symbolic::Expr symbol : symbols) {
      std::string name = getName(symbol, shapes);
      while (names.lookup(name))
        name += '\'';
      renamed[symbol] = names.symbol(name, symbol.getType());
    }
  }

  symbolic::Expr rename(symbolic::Expr expr) {
    return names.import(
        expr, [&](symbolic::Expr symbol) { return renamed.lookup(symbol); });
  }

private:
  static std::string getName(symbolic::Expr symbol, SymbolicShapes &shapes) {
    std::optional<SymbolicShapes::Origin> origin = shapes.getOrigin(symbol);
    if (!origin || shapes.getSymbolValue(symbol))
      return symbol.getName().str();
    auto [value, dim] = *origin;
    std::string source =
        dim ? describeSize(value, *dim) : describeSource(value);
    return source.empty() ? chooseName(value, dim) : source;
  }

  symbolic::ExprContext names;
  llvm::DenseMap<symbolic::Expr, symbolic::Expr> renamed;
};
} // namespace

std::string tally::describeExpr(symbolic::Expr expr, SymbolicShapes &shapes) {
  SymbolNamer namer(shapes.getContext().freeSymbols(expr), shapes);
  return namer.rename(expr).str();
}

std::string tally::describePrecondition(const Precondition &precondition,
                                        SymbolicShapes &shapes) {
  if (precondition.told.empty())
    return describeExpr(precondition.condition, shapes);
  SymbolNamer namer(
      symbolic::freeSymbols(precondition.told, shapes.getContext()), shapes);
  return symbolic::toString(
      symbolic::mapSides(precondition.told, [&](symbolic::Expr side) {
        return namer.rename(side);
      }));
}
