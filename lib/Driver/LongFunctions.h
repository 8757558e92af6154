//===- LongFunctions.h - Long functions in pieces ---------------*- C++ -*-===//

#ifndef TALLY_LIB_DRIVER_LONGFUNCTIONS_H
#define TALLY_LIB_DRIVER_LONGFUNCTIONS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tally {

/// Has long functions call their pieces, one behind the other: several passes
/// of LLVM take time that grows with the square of the size of a function. A
/// function is cut between loops, where all that does not fail comes by:
///
///   define i32 @main(...) {              define i32 @main(...) {
///     ...                                  %f = call i1 @main.piece(...)
///   20:                                    br i1 %f, label %1, label %failed
///     ...                             ->  1:
///     br i1 %c, label %30, label %failed   %g = call i1 @main.piece.1(...)
///   30:                                    ...
///
/// Values of a piece for those behind it go through the stack of the function,
/// and values from arguments are loaded again: a long function is
/// put into its thunk before. The bodies of parallel loops stay whole. Runs
/// before code is optimized.
void splitLongFunctions(llvm::Module &module);

} // namespace tally

#endif // TALLY_LIB_DRIVER_LONGFUNCTIONS_H
