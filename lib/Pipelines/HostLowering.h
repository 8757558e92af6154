//===- HostLowering.h - From loops to the LLVM dialect ----------*- C++ -*-===//
//
// What the pipelines for the CPU and for a GPU have in common.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_PIPELINES_HOSTLOWERING_H
#define TALLY_LIB_PIPELINES_HOSTLOWERING_H

#include "Canonicalizer.h"

#include "mlir/Pass/PassManager.h"

namespace tally {

/// Removes what has become constant, equal or unused from each function.
void addCleanup(mlir::OpPassManager &functions,
                Strides strides = Strides::Refine);

/// Adds the last passes that know declarations and assumptions: the verifier of
/// the checked form, if `verify`, and what describes the entry points.
void addEntryDescriptions(mlir::OpPassManager &pm, bool verify);

/// Adds `tally-erase-annotations`.
void addEraseAnnotations(mlir::OpPassManager &pm,
                         llvm::StringRef dataDirectory);

/// Adds the passes that free the buffers of a module which has just been
/// bufferized.
void addBufferOwners(mlir::OpPassManager &pm);

/// Adds the passes from functions on buffers, with the call context, to the
/// LLVM dialect and the C functions, whose names start with `prefix`. Tensors
/// of a call are on `device`: cpu or cuda.
void addHostLowering(mlir::OpPassManager &pm, llvm::StringRef prefix,
                     llvm::StringRef device = "cpu");

/// Registers `tally-host-pipeline`.
void registerHostPipeline();

} // namespace tally

#endif // TALLY_LIB_PIPELINES_HOSTLOWERING_H
