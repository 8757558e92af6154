//===- ContractLoops.h - The loops of a contraction -------------*- C++ -*-===//
//
// The meaning of the maps of `tally.contract`.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_IR_CONTRACTLOOPS_H
#define TALLY_IR_CONTRACTLOOPS_H

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/STLExtras.h"

#include <array>
#include <optional>
#include <string>

namespace tally {

class ContractOp;

/// By how much an index of an operand grows with each iteration of a loop; -1
/// where a dimension of a is read backwards, from its last element.
struct ContractTerm {
  int64_t loop;
  int64_t factor;
};

/// The terms of each dimension of an operand.
using ContractOperand = llvm::SmallVector<llvm::SmallVector<ContractTerm, 2>>;

/// Which operands a loop moves.
enum class ContractLoopKind {
  /// c and at least one of a and b, or all of them.
  Batch,
  /// a and c.
  M,
  /// b and c.
  N,
  /// a and b: the loop is summed over.
  K
};

/// A loop, and a dimension that has its size: of operand 0, 1 or 2.
struct ContractLoop {
  ContractLoopKind kind;
  unsigned operand;
  int64_t dim;
};

/// The loops of a contraction, in the order of the maps, and how its operands
/// a, b and c move with them.
struct ContractLoops {
  llvm::SmallVector<ContractLoop> loops;
  std::array<ContractOperand, 3> operands;
  /// What is subtracted from the index of each dimension of b, which has zeros
  /// around it then; or of c, where that has windows, and what is outside of it
  /// is left out.
  llvm::SmallVector<int64_t> padding;
  /// The index in each dimension of a that the first iteration reads: that of
  /// the last element where the dimension is read backwards, else 0.
  llvm::SmallVector<int64_t> first;
  /// Whether the windows of a convolution move over c.
  bool writesWindows = false;

  bool isPadded() const {
    return llvm::any_of(padding, [](int64_t zeros) { return zeros != 0; });
  }
};

/// Whether a dimension is that of a loop, and nothing else.
inline bool isSingleLoop(llvm::ArrayRef<ContractTerm> terms) {
  return terms.size() == 1 && terms.front().factor == 1;
}

/// Whether a dimension is that of a loop that reads it backwards.
inline bool isBackward(llvm::ArrayRef<ContractTerm> terms) {
  return terms.size() == 1 && terms.front().factor == -1;
}

/// Reads the maps of a, b and c. Returns nothing if they are those of no
/// contraction; `problem`, if it is not null, then says why.
std::optional<ContractLoops>
getContractLoops(llvm::ArrayRef<mlir::AffineMap> maps,
                 std::string *problem = nullptr);

/// The meaning of the maps of a contraction that has been verified.
ContractLoops getLoops(ContractOp op);

/// A contraction of a weight[(g), o, c, k...] and an image[n, (g), c, x...] to
/// a result[n, (g), o, x...], with up to three spatial dimensions; or where it
/// gives the weight, of a result and an image to the gradient of the weight; or
/// where it gives the image, of a weight and a result to that of the image.
struct Convolution {
  bool isGrouped = false;
  bool givesWeight = false;
  bool givesImage = false;
  llvm::SmallVector<int64_t, 3> strides, dilations, padding;
};

/// Returns nothing if the loops are not those of such a convolution, with its
/// dimensions in this order.
std::optional<Convolution> getConvolution(const ContractLoops &loops);

/// The kernels of a convolution for where there is no library: one that copies
/// windows, and the fallback of a matmul; or the one that sums a gradient up.
inline constexpr llvm::StringLiteral kFallbacksAttr{"tally.fallbacks"};

} // namespace tally

#endif // TALLY_IR_CONTRACTLOOPS_H
