//===- CudaToolkit.h - Where NVIDIA's tools are -----------------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_NVVM_CUDATOOLKIT_H
#define TALLY_LIB_CODEGEN_NVVM_CUDATOOLKIT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tally::codegen {

/// The parts of a CUDA toolkit that the compiler uses. It may be installed as a
/// whole, or as NVIDIA's packages for Python.
class CudaToolkit {
public:
  /// Looks in `folder` and nowhere else; in the usual places if it is empty.
  explicit CudaToolkit(llvm::StringRef folder);

  /// The path of the assembler; empty if there is none.
  std::string findPtxas() const;

  /// The path of the library of mathematics; empty if there is none.
  std::string findLibdevice() const;

private:
  std::string find(llvm::StringRef name,
                   bool (*accepts)(llvm::StringRef)) const;

  /// Folders that may be a toolkit, the preferred first.
  llvm::SmallVector<std::string> roots;
};

/// Assembles PTX for `chip`, and returns the machine code, or what `ptxas`
/// said.
llvm::Expected<std::string> runPtxas(llvm::StringRef ptxas,
                                     llvm::StringRef chip, int optLevel,
                                     llvm::StringRef ptx);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_NVVM_CUDATOOLKIT_H
