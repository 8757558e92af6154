//===- ImportPt2.h - Import of exported PyTorch programs --------*- C++ -*-===//
//
// Reads the archive that `torch.export.save` writes and builds the named form
// of the program. PyTorch is not needed.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_IMPORT_IMPORTPT2_H
#define TALLY_IMPORT_IMPORTPT2_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tally {

class OperatorTable;

/// Where the import puts what does not belong into the text of a program, and
/// what it does not know by itself.
struct ImportOptions {
  /// The file that receives the elements of large constants. It is written only
  /// if there are any. Without one, every constant becomes an `arith.constant`.
  std::string dataFile;
  /// How `tally.constant` refers to that file; its last component by default.
  std::string dataFileReference;
  /// Constants of more bytes than this go to the data file, or become
  /// resources.
  int64_t maxInlineBytes = 1024;
  /// Without a data file: whether large constants in floating point are
  /// resources, whose bytes no pass looks at and no printer writes as numbers.
  bool asResources = false;
  /// Operators beside those that the importer knows.
  const OperatorTable *operators = nullptr;
};

/// Imports the exported program in the archive at `path`. The result holds a
/// public function `main` in the named form, verified. Reports what is wrong
/// with the archive, or everything that is unsupported in the program, through
/// the context's diagnostics, and then returns null.
mlir::OwningOpRef<mlir::ModuleOp> importPt2(llvm::StringRef path,
                                            mlir::MLIRContext *context,
                                            const ImportOptions &options = {});

/// Adds the dialects that imported programs use.
void registerImportDialects(mlir::DialectRegistry &registry);

/// Returns true if the importer has a lowering for an operator, by its name as
/// exported programs spell it: `aten.add.Tensor`.
bool isSupportedTarget(llvm::StringRef target);
/// The same of an operator on complex numbers, with most arguments.
bool isSupportedOnComplex(llvm::StringRef target);

} // namespace tally

#endif // TALLY_IMPORT_IMPORTPT2_H
