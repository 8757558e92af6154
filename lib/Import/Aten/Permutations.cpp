//===- Permutations.cpp - Dimensions in another order ---------------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace tally::import_pt2 {

ViewFns getPermuting(SmallVector<int64_t> permutation) {
  SmallVector<int64_t> inverse = invertPermutationVector(permutation);
  return {[permutation](Lowering &op, const Tensor &in) {
            return op.permute(in, permutation);
          },
          [inverse](Lowering &op, const Tensor &, const Tensor &view) {
            return op.permute(view, inverse);
          }};
}

static void resultPermuted(Lowering &op, SmallVector<int64_t> permutation) {
  if (!isPermutationVector(permutation)) {
    (void)op.error("the dimensions are not a permutation");
    return;
  }
  ViewFns fns = getPermuting(std::move(permutation));
  op.resultView("self", fns.view, fns.writeBack);
}

static void lowerPermute(Lowering &op) {
  int64_t rank = op.tensor("self").rank();
  SmallVector<int64_t> permutation;
  for (int64_t dim : op.integers("dims"))
    permutation.push_back(op.wrapDim(dim, rank));
  resultPermuted(op, permutation);
}

static void resultSwapped(Lowering &op, int64_t a, int64_t b, int64_t rank) {
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (rank > 0)
    std::swap(permutation[a], permutation[b]);
  resultPermuted(op, permutation);
}

static void lowerTranspose(Lowering &op) {
  int64_t rank = op.tensor("self").rank();
  resultSwapped(op, op.dim("dim0", rank), op.dim("dim1", rank), rank);
}

/// The same with the names that NumPy gave the arguments.
static void lowerSwapAxes(Lowering &op) {
  int64_t rank = op.tensor("self").rank();
  resultSwapped(op, op.dim("axis0", rank), op.dim("axis1", rank), rank);
}

static void lowerT(Lowering &op) {
  int64_t rank = op.tensor("self").rank();
  resultSwapped(op, 0, rank < 2 ? 0 : 1, rank);
}

static void lowerMatrixTranspose(Lowering &op) {
  int64_t rank = op.tensor("self").rank();
  if (rank < 2) {
    (void)op.error("two dimensions are needed");
    return;
  }
  resultSwapped(op, rank - 2, rank - 1, rank);
}

static void lowerReverseDims(Lowering &op) {
  auto permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, op.tensor("self").rank()));
  std::reverse(permutation.begin(), permutation.end());
  resultPermuted(op, permutation);
}

/// Moves some dimensions to other places; the others keep their order.
static void lowerMoveDim(Lowering &op) {
  int64_t rank = op.tensor("self").rank();
  SmallVector<int64_t> permutation(rank, -1), rest;
  SmallVector<int64_t> from = op.integers("source");
  SmallVector<int64_t> to = op.integers("destination");
  bool isRight = from.size() == to.size();
  for (auto [source, destination] : llvm::zip(from, to)) {
    int64_t dim = op.wrapDim(source, rank);
    int64_t place = op.wrapDim(destination, rank);
    if (rank == 0)
      continue;
    isRight &= permutation[place] < 0;
    permutation[place] = dim;
  }
  if (!isRight) {
    (void)op.error("each dimension needs a place of its own");
    return;
  }
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(permutation, dim))
      rest.push_back(dim);
  int64_t next = 0;
  for (int64_t &dim : permutation)
    if (dim < 0 && next < int64_t(rest.size()))
      dim = rest[next++];
  resultPermuted(op, permutation);
}

void addPermutations(LoweringTable &table) {
  table.add("aten.permute.default", lowerPermute);
  table.add("aten.transpose.int", lowerTranspose);
  table.add("aten.swapaxes.default", lowerSwapAxes);
  table.add("aten.swapdims.default", lowerTranspose);
  table.add("aten.t.default", lowerT);
  table.add("aten.numpy_T.default", lowerReverseDims);
  table.add("aten.mT.default", lowerMatrixTranspose);
  table.add("aten.adjoint.default", lowerMatrixTranspose);
  table.add("aten.movedim.int", lowerMoveDim);
  table.add("aten.movedim.intlist", lowerMoveDim);
}

} // namespace tally::import_pt2
