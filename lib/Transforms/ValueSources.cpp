//===- ValueSources.cpp - Where values come from, for messages ------------===//

#include "ValueSources.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tally/IR/Tally.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tally;

/// What a key path reads of a tensor: `.size(1)`.
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

/// What is passed for an argument of a subgraph that runs at most once for each
/// time that its operation does; null for any other value.
static Value getPassedValue(BlockArgument argument) {
  Region *region = argument.getParentRegion();
  auto parent = dyn_cast<HigherOrderOpInterface>(region->getParentOp());
  if (!parent || parent.getResultJoin() == ResultJoin::Loop)
    return {};
  for (auto [index, subgraph] : llvm::enumerate(parent.getSubgraphs())) {
    OperandRange operands = parent.getSubgraphOperands(index);
    if (subgraph == region && operands.size() == region->getNumArguments())
      return operands[argument.getArgNumber()];
  }
  return {};
}

/// The value that another one merely hands on: through casts, names, asserts
/// and arguments of subgraphs.
static Value skipHandedOn(Value value) {
  while (true) {
    Value next;
    if (auto argument = dyn_cast<BlockArgument>(value))
      next = getPassedValue(argument);
    else if (Operation *op = value.getDefiningOp();
             isa<SymbolOp, HoldOp, tensor::CastOp, arith::IndexCastOp,
                 arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp,
                 arith::ExtFOp>(op))
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

/// `tally.nonzero(mask)`, or `tensor.concat(...)`; nothing for an operation
/// that says as little as a loop.
static std::string describeOperation(Operation *op) {
  if (auto call = dyn_cast<CallOpInterface>(op))
    if (auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
      return (callee.getLeafReference().getValue() + "(...)").str();
  if (auto call = dyn_cast<CustomCallOp>(op))
    return (call.getCallee() + "(...)").str();
  if (op->getNumRegions() != 0 && !isa<HigherOrderOpInterface>(op))
    return {};
  std::string operand = "...";
  if (op->getNumOperands() == 1)
    if (auto argument =
            dyn_cast<BlockArgument>(skipHandedOn(op->getOperand(0))))
      if (std::string name = describeArgument(argument); !name.empty())
        operand = name;
  return (op->getName().getStringRef() + "(" + operand + ")").str();
}

std::string tally::describeTensor(Value tensor) {
  tensor = skipHandedOn(tensor);
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return describeArgument(argument);
  return describeOperation(tensor.getDefiningOp());
}

/// `x[0, 2]`, or `x[...]` where a position is not known.
static std::string describeElement(Value tensor, ValueRange indices) {
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

/// What an argument of a block is: one of the function, or the index of a loop.
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
  return variables && llvm::is_contained(*variables, argument)
             ? "the index of a loop"
             : "";
}

/// What the name of a symbol says of the value that it names.
static StringRef getOrigin(Operation *op) {
  auto symbol = dyn_cast_or_null<SymbolOp>(op);
  return symbol ? symbol.getOrigin().value_or("") : "";
}

std::string tally::describeSource(Value value) {
  if (StringRef origin = getOrigin(value.getDefiningOp()); !origin.empty())
    return origin.str();
  for (Operation *user : value.getUsers())
    if (StringRef origin = getOrigin(user); !origin.empty())
      return origin.str();
  if (Value passed = skipHandedOn(value); passed != value)
    return describeSource(passed);
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
  if (auto item = dyn_cast<ItemOp>(op))
    return describeElement(item.getSource(), {});
  return isa<CallOpInterface, UnbackedBindingOpInterface>(op)
             ? describeOperation(op)
             : "";
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

std::string tally::describeExpr(symbolic::Expr expr, SymbolicShapes &shapes) {
  symbolic::ExprContext names;
  llvm::DenseMap<symbolic::Expr, symbolic::Expr> renamed;
  for (symbolic::Expr symbol : shapes.getContext().freeSymbols(expr)) {
    std::string name;
    std::optional<SymbolicShapes::Origin> origin = shapes.getOrigin(symbol);
    if (origin && !shapes.getSymbolValue(symbol))
      name = origin->dim ? describeSize(origin->value, *origin->dim)
                         : describeSource(origin->value);
    if (name.empty())
      name = symbol.getName().str();
    while (names.lookup(name))
      name += '\'';
    renamed[symbol] = names.symbol(name, symbol.getType());
  }
  return names
      .import(expr,
              [&](symbolic::Expr symbol) { return renamed.lookup(symbol); })
      .str();
}
