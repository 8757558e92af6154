//===- Interpreter.cpp - Running a program as it stands -------------------===//

#include "tally/Interpreter/Interpreter.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tally::interpreter;

//===----------------------------------------------------------------------===//
// What comes of a run
//===----------------------------------------------------------------------===//

/// Prints `file:line:column: `, or nothing where the location is unknown.
static void printLocation(raw_ostream &os, mlir::Location loc) {
  if (auto file = loc->findInstanceOf<mlir::FileLineColLoc>())
    os << file.getFilename().getValue() << ':' << file.getLine() << ':'
       << file.getColumn() << ": ";
}

std::string CheckFailure::describe() const {
  std::string text;
  raw_string_ostream os(text);
  printLocation(os, loc);
  os << message;
  if (!expression.empty())
    os << (message.empty() ? "" : ": ") << expression << " does not hold";
  StringRef separator = ": ";
  for (const auto &[name, value] : values) {
    os << separator << name << " = " << value;
    separator = ", ";
  }
  if (!declaredBy.empty())
    os << "; declared by " << declaredBy;
  if (!requiredBy.empty())
    os << "; needed by " << requiredBy;
  return text;
}

std::string RunError::describe() const {
  std::string text;
  raw_string_ostream os(text);
  printLocation(os, loc);
  os << message;
  return text;
}

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

void HandlerTable::add(StringRef operation, Handler handler) {
  handlers[operation] = std::move(handler);
}

const Handler *HandlerTable::lookup(mlir::Operation *op) const {
  auto found = handlers.find(op->getName().getStringRef());
  return found == handlers.end() ? nullptr : &found->second;
}

const HandlerTable &HandlerTable::getDefault() {
  static const HandlerTable table;
  return table;
}

Outcome tally::interpreter::interpret(mlir::FunctionOpInterface entry,
                                      ArrayRef<Value> args,
                                      const InterpreterOptions &options) {
  (void)args;
  (void)options;
  return RunError{RunError::Kind::Unsupported,
                  "the interpreter runs nothing yet", entry.getLoc()};
}
