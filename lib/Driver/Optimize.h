//===- Optimize.h - LLVM's optimizations ------------------------*- C++ -*-===//

#ifndef TALLY_LIB_DRIVER_OPTIMIZE_H
#define TALLY_LIB_DRIVER_OPTIMIZE_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tally {

/// Optimizes a module for a machine, at a level from 0 to 3. In functions of
/// more than 500 instructions, conditions are not derived from each other: that
/// takes time that grows with the square of their number, and of sizes it is
/// done before (Facts.h). Code for x86-64 is generated without loop strength
/// reduction, which took up to a third of the time of compiling: addresses
/// there hold a sum and a product, and code without it was as fast or faster.
void optimizeCode(llvm::Module &code, llvm::TargetMachine &machine,
                  unsigned level);

} // namespace tally

#endif // TALLY_LIB_DRIVER_OPTIMIZE_H
