//===- Archive.h - The zip archive of an exported program -------*- C++ -*-===//
//
// A .pt2 file is a zip whose members lie below one root folder.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_ARCHIVE_H
#define TALLY_LIB_IMPORT_ARCHIVE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace tally::import_pt2 {

/// An open archive. Members are named without the root folder.
class Archive {
public:
  /// Opens an archive and finds its root folder.
  static llvm::Expected<Archive> open(llvm::StringRef path);

  Archive(Archive &&other) noexcept;
  Archive &operator=(Archive &&other) = delete;
  ~Archive();

  bool contains(llvm::StringRef member) const;
  /// Reads a whole member.
  llvm::Expected<std::string> read(llvm::StringRef member) const;

private:
  Archive(void *handle, uint64_t fileSize, std::string root)
      : handle(handle), fileSize(fileSize), root(std::move(root)) {}

  void *handle;
  uint64_t fileSize;
  std::string root;
};

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_ARCHIVE_H
