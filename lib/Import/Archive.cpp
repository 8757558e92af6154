//===- Archive.cpp - The zip archive of an exported program ---------------===//
//
//===----------------------------------------------------------------------===//

#include "Archive.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"

#include <zip.h>

using namespace llvm;

namespace tally::import_pt2 {

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// The folder that all members share, with its slash: the first component of
/// the member that every archive has.
static Expected<std::string> findRoot(zip_t *zip) {
  constexpr StringLiteral program("models/model.json");
  zip_int64_t count = zip_get_num_entries(zip, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char *raw = zip_get_name(zip, i, ZIP_FL_ENC_RAW);
    if (!raw)
      continue;
    StringRef name(raw);
    if (name == program)
      return std::string();
    auto [root, rest] = name.split('/');
    if (rest == program)
      return (root + "/").str();
  }
  return makeError(
      "the archive holds no exported program (models/model.json is missing)");
}

Expected<Archive> Archive::open(StringRef path) {
  int code = 0;
  zip_t *zip = zip_open(path.str().c_str(), ZIP_RDONLY, &code);
  if (!zip) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    if (code == ZIP_ER_NOZIP || code == ZIP_ER_INCONS)
      return makeError("not a .pt2 archive, or a truncated one: " + text);
    return makeError("cannot open the archive: " + text);
  }
  Expected<std::string> root = findRoot(zip);
  if (!root) {
    zip_discard(zip);
    return root.takeError();
  }
  uint64_t fileSize = 0;
  if (std::error_code error = sys::fs::file_size(path, fileSize)) {
    zip_discard(zip);
    return makeError("cannot open the archive: " + error.message());
  }
  return Archive(zip, fileSize, std::move(*root));
}

Archive::Archive(Archive &&other) noexcept
    : handle(other.handle), fileSize(other.fileSize),
      root(std::move(other.root)) {
  other.handle = nullptr;
}

Archive::~Archive() {
  if (handle)
    zip_discard(static_cast<zip_t *>(handle));
}

bool Archive::contains(StringRef member) const {
  return zip_name_locate(static_cast<zip_t *>(handle),
                         (root + member).str().c_str(), 0) >= 0;
}

Expected<std::string> Archive::read(StringRef member) const {
  auto *zip = static_cast<zip_t *>(handle);
  std::string name = (root + member).str();
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat(zip, name.c_str(), 0, &stat) != 0 ||
      !(stat.valid & ZIP_STAT_SIZE))
    return makeError("the archive lacks the member '" + member + "'");
  zip_file_t *file = zip_fopen(zip, name.c_str(), 0);
  if (!file)
    return makeError("cannot read the member '" + member +
                     "': " + zip_strerror(zip));
  // Grows while reading: the size in a damaged header may be any number. One
  // byte more is asked for, which finds the end.
  constexpr size_t step = size_t(1) << 24;
  std::string bytes;
  bytes.reserve(size_t(std::min<zip_uint64_t>(stat.size, fileSize)) + 1);
  zip_int64_t got = 0;
  do {
    size_t have = bytes.size();
    size_t want = have < stat.size
                      ? size_t(std::min<zip_uint64_t>(step, stat.size - have))
                      : 1;
    bytes.resize(have + want);
    got = zip_fread(file, bytes.data() + have, want);
    bytes.resize(have + size_t(std::max<zip_int64_t>(got, 0)));
  } while (got > 0);
  std::string text = zip_file_strerror(file);
  zip_fclose(file);
  if (got < 0)
    return makeError("the member '" + member + "' is damaged: " + text);
  if (bytes.size() != stat.size)
    return makeError("the member '" + member + "' is truncated");
  return bytes;
}

} // namespace tally::import_pt2
