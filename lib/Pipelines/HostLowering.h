//===- HostLowering.h - From loops to the LLVM dialect ----------*- C++ -*-===//
//
// The part that the pipelines for the CPU and for a GPU have in common.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_PIPELINES_HOSTLOWERING_H
#define TALLY_LIB_PIPELINES_HOSTLOWERING_H

#include "Canonicalizer.h"

#include "mlir/Pass/PassManager.h"
#include "tally/Pipelines/TargetPipeline.h"

namespace tally {

/// Removes what has become constant, equal or unused from each function.
void addCleanup(mlir::OpPassManager &functions,
                Strides strides = Strides::Refine);

/// Adds the first passes behind the checked form: higher-order operations and
/// those whose results depend on data, which `addDataDependent` has passes for,
/// become loops and structured operations. Then come the last passes that know
/// declarations and assumptions: the verifier of the checked form, if `verify`,
/// and what describes the entry points.
void addControlFlowOfData(mlir::OpPassManager &pm, bool verify,
                          AddPasses addDataDependent);

/// Adds the passes that make a `linalg.generic` of each structured operation,
/// except of those that the passes of `addRecognition` make calls of.
void addGeneralForm(mlir::OpPassManager &functions, AddPasses addRecognition);

/// Adds the passes that make allocations of empty tensors.
void addAllocations(mlir::OpPassManager &functions);

/// Adds the passes by which f16 and bf16 are computed in f32 and rounded after
/// every operation.
void addRounding(mlir::OpPassManager &pm);

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
