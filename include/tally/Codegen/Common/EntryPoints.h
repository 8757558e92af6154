//===- EntryPoints.h - What compiled modules tell of themselves -*- C++ -*-===//
//
// Names and attributes through which a lowered module describes its entry
// points.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CODEGEN_COMMON_ENTRYPOINTS_H
#define TALLY_CODEGEN_COMMON_ENTRYPOINTS_H

#include "tally/IR/Tally.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tally {

/// Keys of `tally.entry` and of the dictionaries in it.
namespace entry_keys {
inline constexpr llvm::StringLiteral kArguments{"arguments"};
inline constexpr llvm::StringLiteral kResults{"results"};
inline constexpr llvm::StringLiteral kSymbols{"symbols"};
inline constexpr llvm::StringLiteral kName{"name"};
inline constexpr llvm::StringLiteral kType{"type"};
inline constexpr llvm::StringLiteral kShape{"shape"};
inline constexpr llvm::StringLiteral kValue{"value"};
inline constexpr llvm::StringLiteral kUnsigned{"unsigned"};
inline constexpr llvm::StringLiteral kMutates{"mutates"};
/// Of an argument that callers do not see: the argument whose memory it is
/// about, and the dimension of the stride, or -1 for the storage offset.
inline constexpr llvm::StringLiteral kHidden{"hidden"};
} // namespace entry_keys

/// The global that tells of a file with constants (tally_rt_data).
inline constexpr llvm::StringLiteral kDataDescription{"tally_data_description"};

/// Whether an argument is filled in by the entry wrapper: not the caller's.
bool isHidden(mlir::DictionaryAttr argument);

/// The C name of a function: `model` and `main` make `model_main`.
std::string getCName(llvm::StringRef prefix, llvm::StringRef name);

} // namespace tally

#endif // TALLY_CODEGEN_COMMON_ENTRYPOINTS_H
