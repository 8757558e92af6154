//===- PackedConstants.h - Where constants are kept packed ------*- C++ -*-===//
//
// Emits what tally_runtime_calls.h calls tally_rt_packed.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_RUNTIMECALLS_PACKEDCONSTANTS_H
#define TALLY_LIB_CODEGEN_RUNTIMECALLS_PACKEDCONSTANTS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace tally::codegen {

/// The memory in which the runtime keeps constants as its kernels read them.
class PackedConstants {
public:
  explicit PackedConstants(mlir::ModuleOp module) : module(module) {}

  /// The place of a constant, or of a part of one, shared by all that read the
  /// same for the same `use`; null for other buffers.
  mlir::LLVM::GlobalOp find(mlir::Value buffer, llvm::StringRef use);
  /// The same for what is computed from buffers that hold the same in each
  /// call.
  mlir::LLVM::GlobalOp findComputed(mlir::ValueRange buffers,
                                    llvm::StringRef use);

private:
  mlir::LLVM::GlobalOp createPlace(llvm::StringRef constant,
                                   llvm::ArrayRef<uint64_t> fingerprint);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols{module};
  llvm::StringMap<mlir::LLVM::GlobalOp> places;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_RUNTIMECALLS_PACKEDCONSTANTS_H
