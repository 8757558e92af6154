//===- Fusion.cpp - Why operations run as one, or do not ------------------===//

#include "Fusion.h"

#include "tally/Analysis/ScopedFacts.h"
#include "tally/IR/Operators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

StringRef tally::codegen::toString(FusionObstacle obstacle) {
  switch (obstacle) {
  case FusionObstacle::OtherBlock:
    return "one of them is in a branch or a loop that the other is not in";
  case FusionObstacle::Reshape:
    return "a reshape, a slice or another move of elements is between them";
  case FusionObstacle::RunAsWhole:
    return "one of them is run as a whole, by a kernel of its own or by the "
           "runtime";
  case FusionObstacle::UnknownLoops:
    return "one of them writes a part of its result, or has a loop that runs "
           "over no dimension of an operand";
  case FusionObstacle::OtherPoints:
    return "elements are read at other points than those at which they are "
           "made";
  case FusionObstacle::SharedAtOtherPoints:
    return "both read the same tensor, but at different points";
  case FusionObstacle::OtherSizes:
    return "their loops are not known to run equally often";
  case FusionObstacle::LookedUp:
    return "elements are looked up by an index";
  case FusionObstacle::OtherReduction:
    return "they reduce different dimensions";
  case FusionObstacle::Repeated:
    return "elements would be computed again for many points, and that is not "
           "cheap, or the result is needed elsewhere";
  case FusionObstacle::TooManyOps:
    return "the kernel would have too many operations";
  case FusionObstacle::TooManyOperands:
    return "the kernel would have too many operands";
  case FusionObstacle::InBetween:
    return "another operation has to run between them";
  case FusionObstacle::Reduced:
    return "a reduction has its result when its loop has ended";
  case FusionObstacle::OtherUsers:
    return "the result has more than one use, and elements would be computed "
           "for each";
  case FusionObstacle::Effect:
    return "one of them has an effect";
  case FusionObstacle::InLoop:
    return "elements would be computed in each iteration of a loop";
  case FusionObstacle::LosesSizes:
    return "nothing else tells how often the loops run";
  case FusionObstacle::NotElementwise:
    return "elements are not read one by one";
  case FusionObstacle::MoreThanArithmetic:
    return "one of them is more than arithmetic on elements";
  case FusionObstacle::ScatteredRows:
    return "elements of a row are not next to each other in memory";
  case FusionObstacle::OnePass:
    return "nothing passes over a row more than once, so having it in the "
           "cache gains nothing";
  case FusionObstacle::OtherBatch:
    return "values do not run over the same dimensions of a batch as scores";
  case FusionObstacle::OtherTypes:
    return "their elements are not of one type of floats";
  }
  llvm_unreachable("unknown obstacle");
}

//===----------------------------------------------------------------------===//
// Operators and their places
//===----------------------------------------------------------------------===//

/// Returns the locations that fusion has put together; at least one. None of
/// several is unknown: `FusedLoc::get` leaves these out.
static SmallVector<Location> getPartLocs(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  if (!fused || fused.getMetadata())
    return {loc};
  return llvm::to_vector(fused.getLocations());
}

Location tally::codegen::getLastPartLoc(Operation *op) {
  return getPartLocs(op->getLoc()).back();
}

void tally::codegen::noteFused(Operation *producer, Operation *consumer) {
  SmallVector<Location> parts = getPartLocs(producer->getLoc());
  llvm::append_range(parts, getPartLocs(consumer->getLoc()));
  consumer->setLoc(FusedLoc::get(consumer->getContext(), parts));
}

static std::string describePart(Operation *op, Location loc) {
  std::optional<StringRef> name = findOperatorName(loc);
  return name.value_or(op->getName().getStringRef()).str() + describePlace(loc);
}

SmallVector<std::string>
tally::codegen::describeParts(ArrayRef<Operation *> ops) {
  SmallVector<std::string> parts;
  for (Operation *op : ops) {
    SmallVector<std::string> ofOp;
    for (Location loc : getPartLocs(op->getLoc()))
      ofOp.push_back(describePart(op, loc));
    // A constant that became a part has a parameter's name and no operator.
    auto isNamed = [&](StringRef part) {
      return part != op->getName().getStringRef();
    };
    bool hasName = llvm::any_of(ofOp, isNamed);
    for (const std::string &part : ofOp)
      if ((!hasName || isNamed(part)) && !llvm::is_contained(parts, part))
        parts.push_back(part);
  }
  return parts;
}

bool tally::codegen::isExpensive(linalg::GenericOp op) {
  return op.getBody()
      ->walk([](Operation *nested) {
        bool isFunction =
            isa_and_nonnull<math::MathDialect>(nested->getDialect()) &&
            !isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
                 math::FloorOp, math::FmaOp, math::IsFiniteOp, math::IsInfOp,
                 math::IsNaNOp, math::IsNormalOp, math::RoundOp,
                 math::RoundEvenOp, math::SqrtOp, math::RsqrtOp, math::TruncOp>(
                nested);
        return isFunction ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool tally::codegen::isCheapToRepeat(linalg::GenericOp op) {
  // The most operations on an element that may be repeated for another one.
  constexpr unsigned maxRepeated = 6;
  unsigned count = 0;
  WalkResult result = op.getBody()->walk([&](Operation *nested) {
    ++count;
    return isa_and_nonnull<math::MathDialect>(nested->getDialect()) ||
                   isa<tensor::ExtractOp, arith::DivFOp>(nested) ||
                   nested->getNumRegions() != 0
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return !result.wasInterrupted() && count <= maxRepeated;
}

std::string tally::codegen::describeLastPart(Operation *op) {
  return describePart(op, getLastPartLoc(op));
}
