//===- LargeConstants.h - Constants that stay out of LLVM -------*- C++ -*-===//
//
// LLVM knows of a large constant its address. The bytes go from where the
// program has them to where the compiled program reads them, untouched: they
// are copied for code in memory, and written behind the code, or to a file of
// their own, for code in files.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_DRIVER_LARGECONSTANTS_H
#define TALLY_LIB_DRIVER_LARGECONSTANTS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tally {

/// The large constants of a module of the LLVM dialect, all of which lie in one
/// block. While this object lives the module declares them only.
class LargeConstants {
public:
  struct Constant {
    mlir::LLVM::GlobalOp global;
    mlir::Attribute value;
    mlir::LLVM::Linkage linkage;
    llvm::ArrayRef<char> bytes;
    /// Where it lies in the block.
    uint64_t offset;
  };

  explicit LargeConstants(mlir::ModuleOp module);
  ~LargeConstants();
  LargeConstants(const LargeConstants &) = delete;
  LargeConstants &operator=(const LargeConstants &) = delete;

  llvm::ArrayRef<Constant> get() const { return constants; }
  /// The bytes of the block.
  uint64_t getSize() const { return size; }
  void write(llvm::raw_ostream &os) const;
  uint64_t getHash() const;

private:
  llvm::SmallVector<Constant> constants;
  uint64_t size = 0;
};

/// The block in a module of LLVM and in its object file.
class ConstantBlock {
public:
  /// Has the code refer to one symbol whose name begins with `prefix`. With the
  /// name of a file its description becomes that of this block.
  ConstantBlock(const LargeConstants &constants, llvm::Module &code,
                llvm::StringRef prefix, llvm::StringRef file);

  /// Reserves memory for the block in the object file that the module becomes;
  /// other object files may refer to what is shared.
  void reserve(llvm::Module &code, bool isShared) const;
  /// Puts the bytes into the object file; for a block in a file nothing.
  llvm::Error fill(llvm::StringRef object) const;
  /// Writes the file.
  llvm::Error writeFile(llvm::StringRef path) const;

private:
  void describe(llvm::Module &code, llvm::StringRef file) const;

  const LargeConstants &constants;
  std::string symbol;
  bool isInFile;
  /// Whether instructions cannot reach across it.
  bool isFar = false;
  /// Its size with padding: to pages, if the block is in a file.
  uint64_t size = 0, alignment = 0, hash = 0;
};

} // namespace tally

#endif // TALLY_LIB_DRIVER_LARGECONSTANTS_H
