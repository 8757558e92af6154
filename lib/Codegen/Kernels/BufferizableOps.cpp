//===- BufferizableOps.cpp - How Tally's operations become buffers --------===//

#include "tally/Codegen/Kernels/BufferizableOps.h"
#include "tally/IR/TallyFFTOps.h"
#include "tally/IR/TallyLinearAlgebraOps.h"
#include "tally/IR/TallyScanOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::bufferization;

//===----------------------------------------------------------------------===//
// Models of operations
//===----------------------------------------------------------------------===//

namespace {

/// An operation of Tally that writes all of its outputs and reads none of them.
template <typename ConcreteModel, typename ConcreteOp>
struct WriterModel
    : public DstBufferizableOpInterfaceExternalModel<ConcreteModel,
                                                     ConcreteOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  /// The arguments of a kernel's body stay tensors when the kernel itself has
  /// been bufferized, so they do not count.
  bool hasTensorSemantics(Operation *op) const {
    return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (isa<TensorType>(operand.getType())) {
        FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
        if (failed(buffer))
          return failure();
        operand = *buffer;
      }
      operands.push_back(operand);
    }
    OperationState other(op->getLoc(), op->getName(), operands, TypeRange(),
                         op->getAttrs());
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      other.addRegion();
    // Attributes that are stored as properties.
    other.propertiesAttr = op->getPropertiesAsAttribute();
    Operation *made = rewriter.create(other);
    for (auto [from, to] :
         llvm::zip_equal(op->getRegions(), made->getRegions()))
      to.takeBody(from);
    SmallVector<Value> outputs;
    for (OpOperand &output :
         cast<DestinationStyleOpInterface>(made).getDpsInitsMutable())
      outputs.push_back(output.get());
    replaceOpWithBufferizedValues(rewriter, op, outputs);
    return success();
  }
};

struct KernelModel : public WriterModel<KernelModel, tally::KernelOp> {};
struct MatmulModel : public WriterModel<MatmulModel, tally::MatmulOp> {};
struct ContractModel : public WriterModel<ContractModel, tally::ContractOp> {};
struct CountNonzeroModel
    : public WriterModel<CountNonzeroModel, tally::CountNonzeroOp> {};
struct WriteNonzeroModel
    : public WriterModel<WriteNonzeroModel, tally::WriteNonzeroOp> {};
struct AttentionModel : public WriterModel<AttentionModel, tally::AttentionOp> {
};
struct SortModel : public WriterModel<SortModel, tally::SortOp> {};
struct LinearAlgebraModel
    : public WriterModel<LinearAlgebraModel, tally::LinearAlgebraOp> {};
struct FFTModel : public WriterModel<FFTModel, tally::FFTOp> {};
struct PrefixScanModel
    : public WriterModel<PrefixScanModel, tally::PrefixScanOp> {};

} // namespace

void tally::registerBufferizableOpInterfaceModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TallyDialect *) {
    AttentionOp::attachInterface<AttentionModel>(*context);
    KernelOp::attachInterface<KernelModel>(*context);
    MatmulOp::attachInterface<MatmulModel>(*context);
    ContractOp::attachInterface<ContractModel>(*context);
    CountNonzeroOp::attachInterface<CountNonzeroModel>(*context);
    WriteNonzeroOp::attachInterface<WriteNonzeroModel>(*context);
    SortOp::attachInterface<SortModel>(*context);
    LinearAlgebraOp::attachInterface<LinearAlgebraModel>(*context);
    FFTOp::attachInterface<FFTModel>(*context);
    PrefixScanOp::attachInterface<PrefixScanModel>(*context);
  });
}

//===----------------------------------------------------------------------===//
// Unknown operations
//===----------------------------------------------------------------------===//

LogicalResult tally::verifyIsBufferizable(Operation *root,
                                          const BufferizationOptions &options) {
  // One of each name is enough.
  llvm::SmallDenseSet<OperationName> reported;
  root->walk([&](Operation *op) {
    bool isDead = op->use_empty() && isMemoryEffectFree(op);
    if (isDead || !options.isOpAllowed(op) || !hasTensorSemantics(op) ||
        isa<FunctionOpInterface, ToTensorOp, ToBufferOp>(op) ||
        options.dynCastBufferizableOp(op) ||
        !reported.insert(op->getName()).second)
      return;
    if (isa_and_nonnull<tensor::TensorDialect, linalg::LinalgDialect,
                        scf::SCFDialect, arith::ArithDialect>(op->getDialect()))
      op->emitOpError("is on tensors, and how MLIR bufferizes it is not "
                      "registered: have mlir::registerAllDialects do it");
    else
      op->emitOpError("is on tensors, and bufferization does not know it: "
                      "lower it before this pipeline, to operations of linalg, "
                      "tensor or scf or to a 'tally.custom_call', or have it "
                      "implement BufferizableOpInterface");
  });
  return success(reported.empty());
}
