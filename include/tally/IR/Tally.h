//===- Tally.h - The tally dialect ------------------------------*- C++ -*-===//
//
// Attributes, operations and interfaces of the dialect; the TableGen files
// beside this one document each.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_IR_TALLY_H
#define TALLY_IR_TALLY_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tally/IR/Attributes/TallyAttrs.h"
#include "tally/Interfaces/HigherOrderOpInterface.h"
#include "tally/Interfaces/SymbolicShapeOpInterface.h"
#include "tally/Interfaces/UnbackedBindingOpInterface.h"

#include <optional>

namespace tally {

class YieldOp;

/// The error of a call.
struct ErrorResource : public mlir::SideEffects::Resource::Base<ErrorResource> {
  llvm::StringRef getName() final { return "tally.error"; }
};

/// Names of discardable attributes; the dialect's description has a table of
/// them.
namespace attr_names {
inline constexpr llvm::StringLiteral kShape{"tally.shape"};
inline constexpr llvm::StringLiteral kValue{"tally.value"};
inline constexpr llvm::StringLiteral kName{"tally.name"};
/// On an `index` argument that callers do not see: the stride or the storage
/// offset of a tensor argument, a #tally.path.
inline constexpr llvm::StringLiteral kHidden{"tally.hidden"};
/// On a tensor argument that callers do not see: its value is kept between
/// calls (unit).
inline constexpr llvm::StringLiteral kState{"tally.state"};
/// On a function with such arguments: the function whose results are their
/// first values, a symbol.
inline constexpr llvm::StringLiteral kInitialState{"tally.initial_state"};
inline constexpr llvm::StringLiteral kUnsigned{"tally.unsigned"};
/// On a tensor of floats whose last dimension has size 2: it is one of complex
/// numbers at the ABI (unit).
inline constexpr llvm::StringLiteral kComplex{"tally.complex"};
inline constexpr llvm::StringLiteral kMutates{"tally.mutates"};
/// On an operation in the body of a structured operation: what it requires of
/// every element has become one check before the structured operation.
inline constexpr llvm::StringLiteral kChecked{"tally.checked"};
/// On an operation that requires something of every element which no check
/// before it can state (unit). The checked form has no such operation.
inline constexpr llvm::StringLiteral kUnchecked{"tally.unchecked"};
/// On a private function: every call of it checks what it declares of its
/// arguments (unit).
inline constexpr llvm::StringLiteral kCheckedByCallers{
    "tally.checked_by_callers"};
/// On a public function on its way to code: its signature as the user knows it,
/// a dictionary of `arguments`, `results` and `symbols`.
inline constexpr llvm::StringLiteral kEntry{"tally.entry"};
/// On an operation in a kernel: the dimension of the kernel that each of its
/// loops runs over, an array of numbers.
inline constexpr llvm::StringLiteral kDims{"tally.dims"};
/// On a function, or a call, whose first result is a status already, or, of a
/// call, a pointer that is null where it failed.
inline constexpr llvm::StringLiteral kStatus{"tally.status"};
/// On the declaration of a function that is neither part of the program nor of
/// the runtime: a `tally_rt_custom_function`.
inline constexpr llvm::StringLiteral kCustom{"tally.custom"};
/// On a loop, and then on the branch that repeats it: none of its iterations
/// reads or writes what another one writes. The value is an attribute of the
/// LLVM dialect, so that it survives until there are branches.
inline constexpr llvm::StringLiteral kIndependent{"tally.independent"};
/// On a parallel loop: how many points each iteration takes, where its inner
/// loops do not tell.
inline constexpr llvm::StringLiteral kPoints{"tally.points"};
} // namespace attr_names

} // namespace tally

#include "tally/IR/TallyDialect.h.inc"

namespace tally {
/// The trait of operations that state a condition: `tally.check`,
/// `tally.assume` and `tally.assert`.
template <typename ConcreteType>
class StatesCondition
    : public mlir::OpTrait::TraitBase<ConcreteType, StatesCondition> {};
} // namespace tally

#define GET_OP_CLASSES
#include "tally/IR/TallyOps.h.inc"

namespace tally {

/// The type of the expressions that stand for a declared symbol.
symbolic::SymbolType getEngineType(SymbolType type);

/// The type of the expressions that stand for a value of this type, or for an
/// element of a tensor of them.
symbolic::SymbolType getSymbolType(mlir::Type type);

/// Whether `value` is constant-like: a closed subgraph may use it from outside.
bool isConstantLike(mlir::Value value);

/// The symbols that a `tally.size` or a statement mentions by the names they
/// have in the function's table, in order of appearance.
llvm::SmallVector<std::string> getMentionedNames(mlir::Operation *op);

/// The first symbol that `op` mentions by the name it has in the function's
/// table, or that it binds; empty if there is none, as in the bound form.
std::string getMentionedName(mlir::Operation *op);

} // namespace tally

#endif // TALLY_IR_TALLY_H
