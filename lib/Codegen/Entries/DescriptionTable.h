//===- DescriptionTable.h - Entry points as constants -----------*- C++ -*-===//
//
// Emits what tally_runtime.h calls tally_rt_library: constants of structs that
// describe every entry point.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_ENTRIES_DESCRIPTIONTABLE_H
#define TALLY_LIB_CODEGEN_ENTRIES_DESCRIPTIONTABLE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace tally::codegen {

/// Collects entry points and emits their tables.
class DescriptionTable {
public:
  DescriptionTable(mlir::ModuleOp module, mlir::OpBuilder &builder);

  /// Adds an entry point: what `tally.entry` tells, the function to call, and
  /// the place of the entry that returns the first values of its state, or -1.
  void addEntry(llvm::StringRef name, mlir::DictionaryAttr entry,
                mlir::LLVM::LLVMFuncOp thunk, int64_t initialState);

  /// Emits the table of entry points and the library that points to it, which
  /// runs on a device of this DLDeviceType.
  mlir::LLVM::GlobalOp emitLibrary(llvm::StringRef name, int32_t deviceType);

  /// The table of entry points, in the order they were added.
  mlir::LLVM::GlobalOp getEntries() const { return entries; }

private:
  /// Builds the value of a constant inside of its initializer.
  using Initializer = std::function<mlir::Value()>;

  mlir::LLVM::GlobalOp emitGlobal(llvm::StringRef name, mlir::Type type,
                                  Initializer initializer);
  /// Emits an array of structs; null where there is none.
  mlir::LLVM::GlobalOp emitArray(llvm::StringRef name, mlir::Type type,
                                 llvm::ArrayRef<Initializer> elements);
  mlir::LLVM::GlobalOp emitValues(llvm::ArrayRef<mlir::DictionaryAttr> values);
  mlir::LLVM::GlobalOp emitHidden(llvm::ArrayRef<mlir::DictionaryAttr> hidden);
  mlir::LLVM::GlobalOp emitSymbols(mlir::DictionaryAttr entry);
  mlir::LLVM::GlobalOp emitSizes(mlir::ShapedType type);
  mlir::LLVM::GlobalOp emitShape(mlir::ArrayAttr shape);
  /// Emits what tells of a file with constants: nothing, until who writes one
  /// fills it in.
  mlir::LLVM::GlobalOp emitData();

  mlir::Value structOf(mlir::Type type, llvm::ArrayRef<mlir::Value> fields);
  mlir::Value number(mlir::Type type, int64_t value);
  mlir::Value dataType(mlir::Type elementType, bool isUnsigned);
  /// The address of a constant string.
  mlir::Value text(llvm::StringRef value);
  /// The address of a global, or null.
  mlir::Value addressOf(mlir::LLVM::GlobalOp global);

  mlir::ModuleOp module;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type pointer, i8, i16, i32, i64;
  mlir::Type dataTypeType, valueType, symbolType, hiddenType, entryType;
  llvm::StringMap<mlir::LLVM::GlobalOp> strings;
  llvm::SmallVector<Initializer> entryInitializers;
  mlir::LLVM::GlobalOp entries;
  unsigned counter = 0;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_ENTRIES_DESCRIPTIONTABLE_H
