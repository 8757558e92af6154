//===- WriteFile.h - Files that are written, or an error --------*- C++ -*-===//
//
// A stream of LLVM ends the process if it is destroyed with an error that
// nobody asked for, as a full disk is one. Here it is an error like others.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_WRITEFILE_H
#define TALLY_DRIVER_WRITEFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace tally {

/// Writes to a stream; its own errors are not among those that it returns.
using FileWriter = llvm::function_ref<llvm::Error(llvm::raw_pwrite_stream &)>;

/// Writes a file at `path`, what was there before is gone. Fails where `write`
/// does, and where the file cannot be opened or not all be written.
llvm::Error writeFile(llvm::StringRef path, FileWriter write);

/// Does the same under another name first, so that whoever has mapped the file
/// that was there keeps it, and it stays where this fails.
llvm::Error replaceFile(llvm::StringRef path, FileWriter write);

} // namespace tally

#endif // TALLY_DRIVER_WRITEFILE_H
