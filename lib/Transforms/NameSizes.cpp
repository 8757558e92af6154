//===- NameSizes.cpp - The size table and the shapes of a signature -------===//

#include "NameSizes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tally/IR/Tally.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

//===----------------------------------------------------------------------===//
// The size table
//===----------------------------------------------------------------------===//

/// Returns true if a scalar argument goes into the size of a tensor, directly
/// or through arithmetic.
static bool feedsSizes(BlockArgument argument) {
  llvm::SetVector<Value> values;
  values.insert(argument);
  for (unsigned i = 0; i < values.size(); ++i) {
    for (Operation *user : values[i].getUsers()) {
      // Where an element is says nothing of a size.
      if (isa<tensor::ExtractOp, tensor::InsertOp, tensor::FromElementsOp>(
              user))
        continue;
      if (isa_and_nonnull<tensor::TensorDialect>(user->getDialect()))
        return true;
      if (isMemoryEffectFree(user) && user->getNumRegions() == 0)
        for (Value result : user->getResults())
          if (result.getType().isIntOrIndex())
            values.insert(result);
    }
  }
  return false;
}

namespace {
/// Gives names to the sizes of arguments that have none.
class TableBuilder {
public:
  explicit TableBuilder(FunctionOpInterface function)
      : function(function), context(function.getContext()) {
    if (SymbolsAttr table = SymbolsAttr::get(function))
      symbols.append(table.getSymbols().begin(), table.getSymbols().end());
    for (SymbolDeclAttr symbol : symbols)
      names.insert(symbol.getName());
  }

  void run();

private:
  ExprAttr makeName(bool isSize);
  void nameArgument(BlockArgument argument);

  FunctionOpInterface function;
  MLIRContext *context;
  SmallVector<SymbolDeclAttr> symbols;
  llvm::StringSet<> names;
  unsigned next = 0;
};
} // namespace

ExprAttr TableBuilder::makeName(bool isSize) {
  std::string name;
  do {
    name = "s" + std::to_string(next++);
  } while (!names.insert(name).second);
  std::optional<int64_t> lower;
  if (isSize)
    lower = 0;
  symbols.push_back(SymbolDeclAttr::get(
      context, name, /*unbacked=*/false, SymbolType::Int, lower,
      /*upper=*/std::nullopt, /*divisor=*/1, /*hint=*/std::nullopt,
      /*source=*/"", /*assumed=*/false));
  return ExprAttr::get(context, name);
}

void TableBuilder::nameArgument(BlockArgument argument) {
  unsigned index = argument.getArgNumber();
  if (auto type = dyn_cast<RankedTensorType>(argument.getType())) {
    if (type.hasStaticShape() || function.getArgAttr(index, attr_names::kShape))
      return;
    auto sizes = llvm::map_to_vector(type.getShape(), [&](int64_t size) {
      return ShapedType::isDynamic(size)
                 ? makeName(/*isSize=*/true)
                 : ExprAttr::get(context, std::to_string(size));
    });
    function.setArgAttr(index, attr_names::kShape,
                        ShapeAttr::get(context, sizes));
    return;
  }
  Type type = argument.getType();
  if (type.isIntOrIndex() && !type.isInteger(1) &&
      !function.getArgAttr(index, attr_names::kValue) && feedsSizes(argument))
    function.setArgAttr(index, attr_names::kValue, makeName(/*isSize=*/false));
}

void TableBuilder::run() {
  for (BlockArgument argument : function.getArguments())
    nameArgument(argument);
  if (symbols.empty())
    return;
  function->setAttr(SymbolsAttr::attrName, SymbolsAttr::get(context, symbols));
  // An operation that mentions names must not leave the function before they
  // are
  // bound.
  function->setAttr("no_inline", UnitAttr::get(context));
}

void tally::nameSizes(FunctionOpInterface function) {
  TableBuilder(function).run();
}

//===----------------------------------------------------------------------===//
// The shapes of results
//===----------------------------------------------------------------------===//

/// The expression of a size as an attribute, if it speaks of names alone.
static ExprAttr getNamedExpr(Expr expr, SymbolicShapes &shapes,
                             MLIRContext *context) {
  for (Expr symbol : shapes.getContext().freeSymbols(expr))
    if (shapes.getOrigin(symbol))
      return {};
  return ExprAttr::get(context, expr.str());
}

/// The operations that return from the function.
static SmallVector<Operation *> getReturns(FunctionOpInterface function) {
  SmallVector<Operation *> returns;
  for (Block &block : function.getFunctionBody())
    if (!block.empty() && block.back().hasTrait<OpTrait::ReturnLike>() &&
        block.back().getNumOperands() == function.getNumResults())
      returns.push_back(&block.back());
  return returns;
}

void tally::annotateResults(FunctionOpInterface function,
                            SymbolicShapes &shapes) {
  SmallVector<Operation *> returns = getReturns(function);
  MLIRContext *context = function.getContext();
  if (returns.empty() || !SymbolsAttr::get(function))
    return;
  for (unsigned index = 0; index < function.getNumResults(); ++index) {
    auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[index]);
    if (!type || type.hasStaticShape() ||
        function.getResultAttr(index, attr_names::kShape))
      continue;
    SmallVector<Expr> sizes =
        shapes.getShape(returns.front()->getOperand(index));
    auto agrees = [&](Operation *op) {
      return shapes.getShape(op->getOperand(index)) == sizes;
    };
    SmallVector<ExprAttr> attrs;
    for (Expr size : sizes)
      if (ExprAttr attr = getNamedExpr(size, shapes, context))
        attrs.push_back(attr);
    if (attrs.size() == sizes.size() && llvm::all_of(returns, agrees))
      function.setResultAttr(index, attr_names::kShape,
                             ShapeAttr::get(context, attrs));
  }
}
