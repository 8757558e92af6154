//===- Program.h - A program and what it is called with ---------*- C++ -*-===//

#ifndef TALLY_TOOLS_TALLYFUZZ_PROGRAM_H
#define TALLY_TOOLS_TALLYFUZZ_PROGRAM_H

#include "../tally-run/Array.h"
#include "tally/IR/Signatures.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace tally::fuzz {

using run::Array;

/// A module whose function `main` is called with each list of arguments.
struct FuzzProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::vector<Array>> calls;

  FuzzProgram clone() const;
};

/// Writes a module with its calls as comments, so that the file is all it takes
/// to replay it:
///
///     // call: i64[3]=1,2,3 f32=0.5
void printProgram(llvm::raw_ostream &os, const FuzzProgram &program);

/// Reads what printProgram wrote; reports what is wrong with it.
llvm::Expected<FuzzProgram> readFuzzProgram(llvm::StringRef path,
                                            mlir::MLIRContext *context);

/// An input in the form that tally-run takes: `f32[2]=1,2`.
std::string printSpec(const Array &array);

/// Compact tensors outside of any call.
const tally_rt_allocator &getPlainAllocator();

/// A tensor of a type and shape; never fails, for small ones.
Array makeArray(DLDataType type, llvm::ArrayRef<int64_t> shape);

} // namespace tally::fuzz

#endif // TALLY_TOOLS_TALLYFUZZ_PROGRAM_H
