//===- Transforms.h - The passes as functions -------------------*- C++ -*-===//
//
// The passes of Passes.td as functions, for those who embed Tally in a compiler
// of their own. A function that fails has reported an error at the
// operation in question; the IR may then have been changed in part.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TRANSFORMS_TRANSFORMS_H
#define TALLY_TRANSFORMS_TRANSFORMS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Support/LLVM.h"
#include "tally/IR/Tally.h"

namespace tally {

class Z3Solver;

/// The forms of a program; TallyDialect.td says what they are. An input is a
/// program that the pipelines take: of the named form, or one in which no
/// operation mentions a name.
enum class ProgramForm { Input, Named, Bound, Checked };

/// How preconditions become checks.
struct ShapePropagationOptions {
  /// Leave out what holds by construction and what has been stated before. Off,
  /// every precondition that is not true by its form is a check: the reference
  /// that the others can be compared with.
  bool elide = true;
  /// Emit a remark for each precondition that is left out, and why.
  bool explain = false;
  /// Confirms the proofs of those that hold by construction; one that it
  /// refutes is an error.
  Z3Solver *z3 = nullptr;
};

/// Gives every function below (or at) `root` its size table and the shapes of
/// its signature, and puts a check before each operation for what it requires.
/// Functions that are bound already get the checks that they lack.
mlir::LogicalResult
propagateShapes(mlir::Operation *root,
                const ShapePropagationOptions &options = {});

/// Gives every name of the function's table one defining value, placed right
/// after its source, and rewrites what mentions names to use these values. From
/// the named to the bound form.
mlir::LogicalResult bindSymbols(mlir::FunctionOpInterface function);

/// Which checks run. One that is dropped becomes a `tally.assume`.
enum class CheckPolicy {
  All,
  Entry, ///< Those that the sizes and scalars of arguments decide alone.
  None,
};

/// How checks are decided.
struct RuntimeAssertOptions {
  CheckPolicy checks = CheckPolicy::All;
  /// Leave out what is proven. Off, every check is asserted.
  bool elide = true;
  /// Emit a remark at each check that tells what became of it.
  bool explain = false;
  /// Use every means to read sizes from arithmetic, which takes longer, and
  /// compute conditions so that they are read again: exactly, as if nothing
  /// were known of their symbols.
  bool thorough = false;
  /// Confirms every proof that saves a check; one that it refutes is an error.
  Z3Solver *z3 = nullptr;
};

/// Proves every check of the function, or asserts it. From the bound to the
/// checked form.
mlir::LogicalResult
insertRuntimeAsserts(mlir::FunctionOpInterface function,
                     const RuntimeAssertOptions &options = {});

/// Asserts what operations of the checked form require and what neither follows
/// from what is known there nor is asserted before.
mlir::LogicalResult completeAsserts(mlir::FunctionOpInterface function);

/// Replaces sizes that are equal, proven or asserted, by one value.
mlir::LogicalResult unifySizes(mlir::FunctionOpInterface function);

/// Closes the subgraphs that `op` owns: what they use from outside is passed to
/// them; constants are cloned.
mlir::LogicalResult closeSubgraphs(HigherOrderOpInterface op);

/// Closes every subgraph below `root`, from the inside out.
mlir::LogicalResult liftFreeSymbols(mlir::Operation *root);

/// Adds the patterns that lower higher-order operations whose symbols are bound
/// and whose subgraphs are closed.
void populateLowerHigherOrderOpsPatterns(mlir::RewritePatternSet &patterns);

/// Lowers every higher-order operation below `root`, and reports those that
/// cannot be lowered.
mlir::LogicalResult lowerHigherOrderOps(mlir::Operation *root);

/// Gives the symbols of operations to those that take their place. A symbol
/// that a new operation made at the key path of an old one gets the old name,
/// and keeps what is declared and stated of either; where both declare
/// something, both hold. A size that the new type knows takes the place of its
/// symbol. Old operations lose their bindings, new ones get them. Reports a key
/// path that is gone, and declarations that no value fits. All are of the named
/// form.
mlir::LogicalResult rebindSymbols(
    mlir::FunctionOpInterface function,
    llvm::ArrayRef<
        std::pair<UnbackedBindingOpInterface, UnbackedBindingOpInterface>>
        replaced);

/// Computes floats that come out of tensors of one element and only go back
/// into tensors as tensors of rank 0.
void tensorifyScalars(mlir::FunctionOpInterface function);

/// Marks the accesses of a function in the checked form that are in bounds
/// because of what operations whose results depend on data guarantee, before
/// these are lowered.
void markAccesses(mlir::FunctionOpInterface function);

/// How the largest element is found that a size follows from: in a loop, or by
/// a structured reduction, which threads can share.
enum class SizeSearch { Loop, Reduction };

/// Adds the patterns that lower operations whose results depend on data, such
/// as tally.item and tally.nonzero, where they bind no symbol.
void populateLowerDataDependentPatterns(mlir::RewritePatternSet &patterns,
                                        SizeSearch search = SizeSearch::Loop);

/// Lowers every such operation below `root`.
mlir::LogicalResult lowerDataDependentOps(mlir::Operation *root,
                                          SizeSearch search = SizeSearch::Loop);

/// Finds the distinct elements without loops over elements.
mlir::LogicalResult decomposeUniqueOps(mlir::Operation *root);

/// Lowers attention of tensors below `root` to structured operations, in blocks
/// of queries where there are more than `mostScores` scores. Matmuls of keys of
/// half precision run over a multiple of `keyMultiple`.
void lowerAttention(mlir::Operation *root, int64_t mostScores,
                    int64_t keyMultiple = 1);

/// Lowers every sort of tensors below `root` to loops; with `unknownTypesOnly`
/// only those of element types that `tally_rt_host_sort` does not know.
void lowerSorts(mlir::Operation *root, bool unknownTypesOnly = false);

/// Prints what is known of each value of the function, its sizes foremost, and
/// what each operation requires.
void printShapes(mlir::FunctionOpInterface function, llvm::raw_ostream &os);

/// Reports every place where the function is not in the given form.
mlir::LogicalResult verifyForm(mlir::FunctionOpInterface function,
                               ProgramForm form);

} // namespace tally

#endif // TALLY_TRANSFORMS_TRANSFORMS_H
