//===- KernelCopies.cpp - Outputs that nothing computes -------------------===//

#include "KernelCopies.h"

#include "KernelGroups.h"
#include "KernelSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

/// Makes a kernel that writes an input, or a number, to `output` as it is.
static void createCopy(OpBuilder &builder, Location loc, Value input,
                       Value output) {
  auto type = cast<MemRefType>(output.getType());
  int64_t rank = type.getRank();
  SmallVector<Value> extents;
  for (int64_t dim = 0; dim < rank; ++dim)
    extents.push_back(builder.createOrFold<memref::DimOp>(loc, output, dim));
  auto kernel = KernelOp::create(
      builder, loc, TypeRange(), extents, ValueRange{input}, ValueRange{output},
      builder.getDenseI64ArrayAttr({}), builder.getDenseI64ArrayAttr({}));
  Block *body = new Block;
  kernel.getBody().push_back(body);
  auto tensor = RankedTensorType::get(type.getShape(), type.getElementType());
  bool isScalar = !isa<MemRefType>(input.getType());
  Value from = body->addArgument(isScalar ? input.getType() : tensor, loc);
  Value to = body->addArgument(tensor, loc);
  auto inside = OpBuilder::atBlockEnd(body);
  AffineMap identity = inside.getMultiDimIdentityMap(rank);
  AffineMap fromMap =
      isScalar ? AffineMap::get(rank, 0, builder.getContext()) : identity;
  auto copy = linalg::GenericOp::create(
      inside, loc, TypeRange{tensor}, ValueRange{from}, ValueRange{to},
      ArrayRef<AffineMap>{fromMap, identity},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [](OpBuilder &nested, Location at, ValueRange elements) {
        linalg::YieldOp::create(nested, at, elements.front());
      });
  copy->setAttr(attr_names::kDims,
                inside.getDenseI64ArrayAttr(llvm::to_vector(llvm::seq(rank))));
  YieldOp::create(inside, loc, copy.getResults());
}

/// Canonicalization may find that an output is an input, or the same
/// everywhere: that is a kernel of its own.
static void splitCopiesOff(KernelOp kernel) {
  OpBuilder builder(kernel);
  Operation *yield = kernel.getBody().front().getTerminator();
  for (unsigned index = kernel.getOutputs().size(); index-- > 0;) {
    Value yielded = yield->getOperand(index);
    if (auto op = yielded.getDefiningOp<linalg::GenericOp>();
        op && op->hasAttr(attr_names::kDims))
      continue;
    Value source = yielded;
    if (Value number = getFillValue(yielded.getDefiningOp()))
      source = number;
    if (auto argument = dyn_cast<BlockArgument>(source)) {
      source = getBuffer(kernel, argument);
    } else if (Attribute constant;
               matchPattern(source, m_Constant(&constant))) {
      if (auto elements = dyn_cast<SplatElementsAttr>(constant))
        constant = elements.getSplatValue<Attribute>();
      source = arith::ConstantOp::create(builder, kernel.getLoc(),
                                         cast<TypedAttr>(constant));
    } else {
      continue;
    }
    createCopy(builder, kernel.getLoc(), source, kernel.getOutputs()[index]);
    yield->eraseOperand(index);
    kernel.getBody().front().eraseArgument(kernel.getInputs().size() + index);
    kernel.getOutputsMutable().erase(index);
  }
}

SmallVector<KernelOp> tally::codegen::splitCopies(Operation *root) {
  root->walk([](KernelOp kernel) { splitCopiesOff(kernel); });
  SmallVector<KernelOp> kernels;
  root->walk([&](KernelOp kernel) {
    if (kernel.getOutputs().empty())
      kernel.erase();
    else
      kernels.push_back(kernel);
  });
  return kernels;
}
