//===- AssertTable.h - What asserts have to tell ----------------*- C++ -*-===//
//
// Serializes asserts as `tally_rt_assert_table` of the runtime: strings that
// end in NUL, read only where an assert failed.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_COMMON_ASSERTTABLE_H
#define TALLY_LIB_CODEGEN_COMMON_ASSERTTABLE_H

#include "tally/IR/Tally.h"

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace tally::codegen {

/// The name of the table of asserts in functions, and of those in kernels.
inline constexpr llvm::StringLiteral kAssertTable{"tally_assert_table"};
inline constexpr llvm::StringLiteral kDeviceAssertTable{
    "tally_device_assert_table"};

/// The asserts of a module, numbered as they are added.
class AssertTable {
public:
  /// The name is that of the table in the module.
  explicit AssertTable(llvm::StringRef name) : name(name) {}

  /// Adds an assert that reports its first `count` values; returns its number.
  int64_t add(tally::AssertOp op, size_t count);

  /// Emits the table at the start of the module.
  void emit(mlir::ModuleOp module) const;

private:
  void addText(llvm::StringRef text);
  void addValue(mlir::Type type, llvm::StringRef name, llvm::StringRef source);

  llvm::StringRef name;
  std::string records;
  llvm::SmallVector<int64_t> offsets;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_COMMON_ASSERTTABLE_H
