//===- EntrySignature.h - What a caller sees of a function ------*- C++ -*-===//

#ifndef TALLY_INTERPRETER_ENTRYSIGNATURE_H
#define TALLY_INTERPRETER_ENTRYSIGNATURE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <optional>
#include <string>

namespace tally::interpreter {

/// An argument that the caller does not give: a stride of another one, or its
/// storage offset where there is no dimension.
struct HiddenArgument {
  unsigned argument = 0;
  std::optional<unsigned> dim;
};

/// What a caller sees of a function: by the attributes of its arguments and
/// results, or, on its way to code, by one attribute (`tally.entry`).
class EntrySignature {
public:
  explicit EntrySignature(mlir::FunctionOpInterface function);

  /// Whether the first argument is the context of the call, which is no
  /// argument of the caller.
  bool takesContext() const;
  /// The types of the arguments without it.
  llvm::ArrayRef<mlir::Type> getArgumentTypes() const {
    return function.getArgumentTypes().drop_front(takesContext());
  }
  /// Of an argument, by its number without the context.
  std::string getName(unsigned argument) const;
  std::optional<HiddenArgument> getHidden(unsigned argument) const;
  /// Whether the value of an argument is kept between calls.
  bool isState(unsigned argument) const;
  /// Whether the caller gives an argument.
  bool isCallers(unsigned argument) const {
    return !isState(argument) && !getHidden(argument);
  }
  /// The function that returns the first values of what is kept, or null.
  mlir::FunctionOpInterface getInitialState() const;
  bool isUnsigned(unsigned argument) const;
  /// The name of a result, if it has one.
  std::string getResultName(unsigned result) const;
  bool isResultUnsigned(unsigned result) const;
  /// The argument that a result is written back to.
  std::optional<unsigned> getMutated(unsigned result) const;

private:
  mlir::Attribute getAttr(unsigned argument, llvm::StringRef key,
                          llvm::StringRef attribute) const;
  mlir::Attribute getResultAttr(unsigned result, llvm::StringRef key,
                                llvm::StringRef attribute) const;
  mlir::DictionaryAttr getDescription(llvm::StringRef list,
                                      unsigned index) const;

  mutable mlir::FunctionOpInterface function;
  mlir::DictionaryAttr entry;
};

} // namespace tally::interpreter

#endif // TALLY_INTERPRETER_ENTRYSIGNATURE_H
