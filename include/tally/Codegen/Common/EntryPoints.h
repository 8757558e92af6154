//===- EntryPoints.h - What compiled modules tell of themselves -*- C++ -*-===//
//
// Names and attributes through which a lowered module describes its entry
// points.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CODEGEN_COMMON_ENTRYPOINTS_H
#define TALLY_CODEGEN_COMMON_ENTRYPOINTS_H

#include "tally/IR/EntryKeys.h"
#include "tally/IR/Tally.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tally {

/// The global that tells of a file with constants (tally_rt_data).
inline constexpr llvm::StringLiteral kDataDescription{"tally_data_description"};

/// Whether an argument is a stride or an offset that the entry wrapper fills
/// in.
bool isHidden(mlir::DictionaryAttr argument);
/// Whether the value of an argument is kept between calls.
bool isState(mlir::DictionaryAttr argument);
/// Whether callers pass an argument: it is neither.
bool isCallers(mlir::DictionaryAttr argument);

/// The C name of a function: `model` and `main` make `model_main`.
std::string getCName(llvm::StringRef prefix, llvm::StringRef name);

} // namespace tally

#endif // TALLY_CODEGEN_COMMON_ENTRYPOINTS_H
