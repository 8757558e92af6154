//===- WriteFile.cpp - Files that are written, or an error ----------------===//

#include "tally/Driver/WriteFile.h"

#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace tally;

static Error makeError(std::error_code error, StringRef path) {
  return createStringError(error,
                           "cannot write '" + path + "': " + error.message());
}

/// Writes all to an open file and takes the stream's error from it.
static Error writeAll(raw_fd_ostream &os, StringRef path, FileWriter write) {
  Error result = write(os);
  os.flush();
  std::error_code error = os.error();
  os.clear_error();
  if (result)
    return result;
  return error ? makeError(error, path) : Error::success();
}

Error tally::writeFile(StringRef path, FileWriter write) {
  std::error_code error;
  raw_fd_ostream os(path, error, sys::fs::OF_None);
  if (error)
    return makeError(error, path);
  return writeAll(os, path, write);
}

Error tally::replaceFile(StringRef path, FileWriter write) {
  Expected<sys::fs::TempFile> file = sys::fs::TempFile::create(
      path + ".%%%%%%", sys::fs::all_read | sys::fs::all_write);
  if (!file)
    return makeError(errorToErrorCode(file.takeError()), path);
  raw_fd_ostream os(file->FD, /*shouldClose=*/false);
  if (Error error = writeAll(os, path, write))
    return joinErrors(std::move(error), file->discard());
  return file->keep(path);
}
