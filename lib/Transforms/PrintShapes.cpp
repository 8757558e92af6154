//===- PrintShapes.cpp - Print what the shape analysis knows --------------===//

#include "mlir/IR/AsmState.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tally/Analysis/SymbolicShapes.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"

namespace tally {
#define GEN_PASS_DEF_PRINTSHAPES
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally;
using symbolic::Expr;

namespace {

/// Prints one function.
class ShapePrinter {
public:
  ShapePrinter(FunctionOpInterface function, raw_ostream &os)
      : function(function), shapes(function), state(function), os(os) {}

  void print();

private:
  void printValue(Value value);
  void printPreconditions(Operation *op);
  /// The text of an expression; a symbol without a name is called after what it
  /// is read from.
  std::string getText(Expr expr);
  std::string getText(Value value);

  FunctionOpInterface function;
  SymbolicShapes shapes;
  AsmState state;
  raw_ostream &os;
};

} // namespace

std::string ShapePrinter::getText(Value value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.printAsOperand(stream, state);
  return text;
}

std::string ShapePrinter::getText(Expr expr) {
  symbolic::ExprContext names;
  llvm::DenseMap<Expr, Expr> renamed;
  for (Expr symbol : shapes.getContext().freeSymbols(expr)) {
    std::string name = symbol.getName().str();
    if (auto origin = shapes.getOrigin(symbol);
        origin && !shapes.getSymbolValue(symbol)) {
      name = getText(origin->value);
      if (origin->dim)
        name = "dim(" + name + ", " + std::to_string(*origin->dim) + ")";
    }
    while (names.lookup(name))
      name += '\'';
    renamed[symbol] = names.symbol(name, symbol.getType());
  }
  return names.import(expr, [&](Expr symbol) { return renamed.lookup(symbol); })
      .str();
}

void ShapePrinter::printValue(Value value) {
  if (isa<RankedTensorType>(value.getType())) {
    os << "  " << getText(value) << ": [";
    llvm::interleaveComma(shapes.getShape(value), os,
                          [&](Expr size) { os << getText(size); });
    os << "]\n";
  } else if (value.getType().isIntOrIndex()) {
    if (Expr known = shapes.getValue(value); known != shapes.getSymbolOf(value))
      os << "  " << getText(value) << " = " << getText(known) << "\n";
  }
}

void ShapePrinter::printPreconditions(Operation *op) {
  Preconditions preconditions(shapes);
  shapes.collectPreconditions(op, preconditions);
  for (const Precondition &precondition : preconditions.getPreconditions())
    os << "  " << op->getName() << " needs " << getText(precondition.condition)
       << "\n";
}

void ShapePrinter::print() {
  os << "@" << SymbolTable::getSymbolName(function).getValue() << "\n";
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    printPreconditions(op);
    for (Value result : op->getResults())
      printValue(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          printValue(argument);
  });
}

void tally::printShapes(FunctionOpInterface function, raw_ostream &os) {
  ShapePrinter(function, os).print();
}

namespace {
struct PrintShapesPass : tally::impl::PrintShapesBase<PrintShapesPass> {
  void runOnOperation() override {
    getOperation()->walk([&](FunctionOpInterface function) {
      if (!function.isExternal())
        printShapes(function, llvm::outs());
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
