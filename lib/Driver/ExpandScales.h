//===- ExpandScales.h - Products with powers of two -------------*- C++ -*-===//

#ifndef TALLY_LIB_DRIVER_EXPANDSCALES_H
#define TALLY_LIB_DRIVER_EXPANDSCALES_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tally {

/// Makes two products with normal powers of 2 of each `llvm.ldexp` in functions
/// for processors without AVX-512, whose code would be a call for each element.
/// Exponents are those of math functions (`FloatBuilder::scale`): half of one
/// is that of a normal number. Runs before loops are vectorized.
///
///   %y = call float @llvm.ldexp.f32.i32(float %x, i32 %n)
///
/// becomes, with a number whose bits are `(n / 2 + 127) << 23`, and one for the
/// rest of n,
///
///   %product = fmul float %x, %half
///   %y = fmul float %product, %rest
void expandScales(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace tally

#endif // TALLY_LIB_DRIVER_EXPANDSCALES_H
