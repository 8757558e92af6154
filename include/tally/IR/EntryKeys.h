//===- EntryKeys.h - What an entry point tells of itself --------*- C++ -*-===//

#ifndef TALLY_IR_ENTRYKEYS_H
#define TALLY_IR_ENTRYKEYS_H

#include "llvm/ADT/StringRef.h"

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
/// The last dimension is the real and the imaginary part of a complex number.
inline constexpr llvm::StringLiteral kComplex{"complex"};
inline constexpr llvm::StringLiteral kMutates{"mutates"};
/// Of an argument that callers do not see: the argument whose memory it is
/// about, and the dimension of the stride, or -1 for the storage offset.
inline constexpr llvm::StringLiteral kHidden{"hidden"};
/// Of an argument that callers do not see, as its value is kept between calls.
inline constexpr llvm::StringLiteral kState{"state"};
/// Of an entry: the one whose results are the first values of its state.
inline constexpr llvm::StringLiteral kInitialState{"initial_state"};
} // namespace entry_keys

} // namespace tally

#endif // TALLY_IR_ENTRYKEYS_H
