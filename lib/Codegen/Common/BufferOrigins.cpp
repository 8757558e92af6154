//===- BufferOrigins.cpp - Which buffers may be one -----------------------===//

#include "BufferOrigins.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tally::codegen;

Value BufferOrigins::getRoot(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>()) {
    Value source = view.getViewSource();
    if (!isa<BaseMemRefType>(source.getType()))
      break;
    memref = source;
  }
  return memref;
}

bool BufferOrigins::isFresh(Value memref) {
  return isa_and_nonnull<memref::AllocOp, memref::AllocaOp,
                         bufferization::CloneOp, func::CallOp>(
      memref.getDefiningOp());
}

BufferOrigins::BufferOrigins(Operation *root) : dominance(root) {
  auto unite = [&](Value a, Value b) {
    classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  };
  BufferViewFlowAnalysis flow(root);
  for (const auto &[value, dependents] : flow)
    for (Value dependent : dependents)
      if (!isFresh(dependent))
        unite(value, dependent);
  // Callers may pass one buffer twice, and get one twice.
  auto uniteAll = [&](ValueRange values) {
    Value first;
    for (Value value : values)
      if (isa<BaseMemRefType>(value.getType())) {
        if (first)
          unite(first, value);
        first = value;
      }
  };
  root->walk([&](Operation *op) {
    if (isa<func::CallOp>(op))
      uniteAll(op->getResults());
    else if (auto function = dyn_cast<FunctionOpInterface>(op);
             function && !function.isExternal())
      uniteAll(function.getArguments());
  });
}

const void *BufferOrigins::getClass(Value memref) {
  const void *key = memref.getAsOpaquePointer();
  auto leader = classes.findLeader(key);
  return leader == classes.member_end() ? key : *leader;
}

bool BufferOrigins::isFreshAfter(Value memref, Value other) {
  Operation *maker = memref.getDefiningOp();
  return isFresh(memref) && other.getDefiningOp() != maker &&
         dominance.properlyDominates(other, maker);
}

BufferOrigins::Relation BufferOrigins::relate(Value a, Value b) {
  a = getRoot(a), b = getRoot(b);
  if (a == b)
    return Relation::Same;
  if (getClass(a) != getClass(b) || isFreshAfter(a, b) || isFreshAfter(b, a))
    return Relation::Distinct;
  return Relation::Unknown;
}
