//===- Normalizations.h - Norms of layers and gradients ---------*- C++ -*-===//
//
// The part that a norm of a layer and its gradient have in common.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_ATEN_NORMALIZATIONS_H
#define TALLY_LIB_IMPORT_ATEN_NORMALIZATIONS_H

#include "Families.h"

namespace tally::import_pt2 {

/// What makes logarithms of probabilities of the elements along a dimension,
/// which stays with size 1: their largest one, which is subtracted, and then
/// the logarithm of the sum of the exponentials.
struct LogNormalizer {
  Tensor max, log;
};
LogNormalizer buildLogNormalizer(Lowering &op, const Tensor &in, int64_t dim);

/// What logarithms that `buildLogSoftmax` made are of, and how; nothing if they
/// are others.
std::optional<std::pair<Tensor, LogNormalizer>>
findLogNormalizer(Lowering &op, const Tensor &logs, int64_t dim);

/// The dimensions that are normalized, which must have the sizes that are
/// given; nothing if there are more.
std::optional<llvm::SmallVector<int64_t>> getNormalizedDims(Lowering &op,
                                                            const Tensor &in);

/// A weight, a bias or statistics: a vector along the channels.
std::optional<Tensor> getChannels(Lowering &op, llvm::StringRef name,
                                  const Tensor &in);

/// The squares of what elements differ from the mean by.
Tensor buildSquaredDistances(Lowering &op, const Tensor &in, const Tensor &mean,
                             Dtype dtype);

/// The sizes that the form which decompositions leave repeats.
void checkGroupSizes(Lowering &op, const Tensor &in);

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_ATEN_NORMALIZATIONS_H
