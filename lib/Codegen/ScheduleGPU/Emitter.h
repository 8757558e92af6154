//===- Emitter.h - Code of kernels, operation by operation ------*- C++ -*-===//
//
// Shorthands for the kernels that are written by hand rather than made of a
// body: compaction and sorting.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_EMITTER_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_EMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tally::codegen {

/// Builds arithmetic at one place.
class Emitter {
public:
  using Value = mlir::Value;

  Emitter(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  Value index(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value i32(int64_t value) {
    return mlir::arith::ConstantIntOp::create(builder, loc, value, 32);
  }
  template <typename Op>
  Value create(Value a, Value b) {
    return builder.createOrFold<Op>(loc, a, b);
  }
  Value compare(mlir::arith::CmpIPredicate predicate, Value a, Value b) {
    return builder.createOrFold<mlir::arith::CmpIOp>(loc, predicate, a, b);
  }
  Value select(Value condition, Value yes, Value no) {
    return mlir::arith::SelectOp::create(builder, loc, condition, yes, no);
  }
  Value cast(Value value, mlir::Type type) {
    return mlir::arith::IndexCastUIOp::create(builder, loc, type, value);
  }
  Value load(Value buffer, mlir::ValueRange indices) {
    return mlir::memref::LoadOp::create(builder, loc, buffer, indices);
  }
  void store(Value value, Value buffer, mlir::ValueRange indices) {
    mlir::memref::StoreOp::create(builder, loc, value, buffer, indices);
  }
  Value size(Value buffer, int64_t dim) {
    return builder.createOrFold<mlir::memref::DimOp>(loc, buffer, dim);
  }
  Value elementCount(Value buffer) {
    Value count = index(1);
    int64_t rank = ::llvm::cast<mlir::MemRefType>(buffer.getType()).getRank();
    for (int64_t dim = 0; dim < rank; ++dim)
      count = create<mlir::arith::MulIOp>(count, size(buffer, dim));
    return count;
  }
  void barrier() { mlir::gpu::BarrierOp::create(builder, loc); }

  /// Does `body` where the condition holds.
  void ifThen(Value condition, llvm::function_ref<void()> body) {
    auto branch = mlir::scf::IfOp::create(builder, loc, condition);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    body();
  }
  /// What `body` gives where the condition holds, and zeros where it does not.
  llvm::SmallVector<Value>
  ifElseZero(Value condition, mlir::TypeRange types,
             llvm::function_ref<llvm::SmallVector<Value>()> body) {
    auto branch = mlir::scf::IfOp::create(builder, loc, types, condition,
                                          /*withElseRegion=*/true);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    llvm::SmallVector<Value> zeros;
    for (mlir::Type type : types)
      zeros.push_back(mlir::arith::ConstantOp::create(
          builder, loc, builder.getZeroAttr(type)));
    mlir::scf::YieldOp::create(builder, loc, zeros);
    builder.setInsertionPointToStart(branch.thenBlock());
    llvm::SmallVector<Value> values = body();
    mlir::scf::YieldOp::create(builder, loc, values);
    return llvm::SmallVector<Value>(branch.getResults());
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_EMITTER_H
