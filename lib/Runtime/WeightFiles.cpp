//===- WeightFiles.cpp - Packed weights that processes share --------------===//
//
// A file is written under another name and gets its own when it is whole. It
// and its folder have to be the user's, and nobody else may write to them. What
// is read is compared with what the file should say, and hashed.
//
//===----------------------------------------------------------------------===//

#include "WeightFiles.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace tally::runtime;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

WeightMemory::~WeightMemory() {
  if (mappedBytes)
    ::munmap(base, mappedBytes);
  else
    std::free(base);
}

void WeightMemory::swap(WeightMemory &other) noexcept {
  std::swap(base, other.base);
  std::swap(offset, other.offset);
  std::swap(mappedBytes, other.mappedBytes);
}

WeightMemory WeightMemory::allocate(size_t bytes) {
  WeightMemory memory;
  void *base = nullptr;
  // Large pages, where there are any: a kernel reads on in many places at once.
  constexpr size_t largePage = size_t(1) << 21;
  bool isLarge = bytes >= 2 * largePage;
  if (posix_memalign(&base, isLarge ? largePage : 64, bytes) != 0)
    return memory;
  if (isLarge)
    ::madvise(base, bytes, MADV_HUGEPAGE);
  memory.base = static_cast<char *>(base);
  return memory;
}

WeightMemory WeightMemory::map(int file, size_t bytes, size_t offset) {
  WeightMemory memory;
  void *base =
      ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
  if (base == MAP_FAILED)
    return memory;
  memory.base = static_cast<char *>(base);
  memory.offset = offset;
  memory.mappedBytes = bytes;
  return memory;
}

uint64_t tally::runtime::hashWeights(const void *data, size_t bytes) {
  // Each step has an inverse, for the word as for what came before.
  constexpr uint64_t factor = 0x9e3779b97f4a7c15;
  auto step = [](uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * factor;
    return hash << 29 | hash >> 35;
  };
  constexpr size_t lanes = 8;
  uint64_t hashes[lanes] = {1, 2, 3, 4, 5, 6, 7, 8}, words[lanes];
  const char *from = static_cast<const char *>(data);
  for (size_t at = 0; at < bytes; at += sizeof(words)) {
    size_t length = std::min(sizeof(words), bytes - at);
    if (length < sizeof(words))
      std::memset(words, 0, sizeof(words));
    std::memcpy(words, from + at, length);
    for (size_t i = 0; i < lanes; ++i)
      hashes[i] = step(hashes[i], words[i]);
  }
  uint64_t result = bytes;
  for (uint64_t hash : hashes)
    result = step(result, hash);
  return result;
}

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

namespace {

/// What `open` returned.
class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }

  bool isOpen() const { return number >= 0; }
  int get() const { return number; }

private:
  int number;
};

} // namespace

/// Whether only the user, and who may do anything, can have written what has
/// this status.
static bool isOwn(const struct stat &status) {
  return status.st_uid == ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Opens a folder, which is made if there is none; -1 unless it is the user's.
static int openOwn(const std::string &path) {
  ::mkdir(path.c_str(), 0700);
  int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat status = {};
  if (folder < 0 || (::fstat(folder, &status) == 0 && isOwn(status)))
    return folder;
  ::close(folder);
  return -1;
}

/// The variable's value if it is an absolute path, else "".
static std::string getPath(const char *variable) {
  const char *value = ::secure_getenv(variable);
  return value && *value == '/' ? value : "";
}

/// Opens the folder of the files; -1 where there is none to use.
static int openFolder() {
  if (const char *wanted = ::secure_getenv("TALLY_RT_CACHE")) {
    bool isOff = !*wanted || std::strcmp(wanted, "off") == 0;
    return isOff ? -1 : openOwn(wanted);
  }
  std::string caches = getPath("XDG_CACHE_HOME");
  if (caches.empty()) {
    std::string home = getPath("HOME");
    // What root makes in the folder of another user is in that one's way.
    struct stat status = {};
    if (home.empty() || ::stat(home.c_str(), &status) != 0 ||
        status.st_uid != ::geteuid())
      return -1;
    caches = home + "/.cache";
  }
  Descriptor parent(openOwn(caches));
  return parent.isOpen() ? openOwn(caches + "/tally") : -1;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace {

/// The first page of a file; the contents follow.
struct Header {
  char magic[8];
  uint64_t bytes;
  /// Of the contents.
  uint64_t hash;
  uint64_t fingerprint[4];
  char description[4096 - 7 * sizeof(uint64_t)];
};
static_assert(sizeof(Header) == 4096);

constexpr std::string_view ending = ".weights";

/// The file of a key in an open folder.
class WeightFile {
public:
  WeightFile(int folder, const WeightKey &key, size_t bytes);

  /// Returns nothing if there is no such file, or one that is not right.
  WeightMemory map() const;
  /// Writes one, unless there is one that is right. Returns false if it cannot.
  bool store(const void *data);

private:
  bool write(int file, const void *data, size_t count) const;

  int folder;
  /// What the file should say, but for the hash.
  Header header = {};
  std::string name;
};

} // namespace

/// The key's description fits: see `fits`.
WeightFile::WeightFile(int folder, const WeightKey &key, size_t bytes)
    : folder(folder) {
  std::memcpy(header.magic, "tallypck", sizeof(header.magic));
  header.bytes = bytes;
  std::copy(key.fingerprint, key.fingerprint + 4, header.fingerprint);
  key.description.copy(header.description, sizeof(header.description));
  char digits[17];
  for (uint64_t word : key.fingerprint) {
    std::snprintf(digits, sizeof(digits), "%016" PRIx64, word);
    name += digits;
  }
  std::snprintf(digits, sizeof(digits), "%016" PRIx64,
                hashWeights(header.description, sizeof(header.description)));
  (name += "-") += digits;
  name += ending;
}

WeightMemory WeightFile::map() const {
  Descriptor file(
      ::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status = {};
  size_t size = sizeof(Header) + header.bytes;
  if (!file.isOpen() || ::fstat(file.get(), &status) != 0 ||
      !S_ISREG(status.st_mode) || !isOwn(status) ||
      status.st_size != static_cast<off_t>(size))
    return {};
  WeightMemory memory =
      WeightMemory::map(file.get(), size, /*offset=*/sizeof(Header));
  if (!memory)
    return memory;
  Header expected = header, found;
  std::memcpy(&found, memory.get() - sizeof(Header), sizeof(Header));
  expected.hash = hashWeights(memory.get(), header.bytes);
  return std::memcmp(&found, &expected, sizeof(Header)) == 0 ? std::move(memory)
                                                             : WeightMemory();
}

bool WeightFile::write(int file, const void *data, size_t count) const {
  const char *from = static_cast<const char *>(data);
  // As much as Linux writes at once.
  constexpr size_t most = size_t(1) << 30;
  while (count > 0) {
    ssize_t written = ::write(file, from, std::min(count, most));
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    from += written;
    count -= static_cast<size_t>(written);
  }
  return true;
}

/// Removes files that no process has mapped for 30 days, and those that a
/// process began a day ago or earlier and did not end.
static void removeOldFiles(int folder, size_t nameLength) {
  constexpr time_t day = 24 * 60 * 60;
  int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *entries = copy < 0 ? nullptr : ::fdopendir(copy);
  if (!entries)
    return;
  time_t now = std::time(nullptr);
  while (const dirent *entry = ::readdir(entries)) {
    std::string_view name = entry->d_name;
    struct stat status = {};
    if (name.find(ending) != nameLength - ending.size() ||
        name.find_first_not_of("0123456789abcdef-") != name.find(ending) ||
        ::fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    time_t last = std::max(status.st_atime, status.st_mtime);
    if (now - last > (name.size() == nameLength ? 30 * day : day))
      ::unlinkat(folder, entry->d_name, 0);
  }
  ::closedir(entries);
}

bool WeightFile::store(const void *data) {
  removeOldFiles(folder, name.size());
  // A file that is too long for a limit would end the process.
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
      (limit.rlim_cur != RLIM_INFINITY &&
       limit.rlim_cur < sizeof(Header) + header.bytes))
    return false;
  struct timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  std::string draft = name + "." + std::to_string(::getpid()) + "." +
                      std::to_string(now.tv_sec) + "." +
                      std::to_string(now.tv_nsec);
  Descriptor file(::openat(folder, draft.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.isOpen())
    return false;
  Header written = header;
  written.hash = hashWeights(data, header.bytes);
  bool isRight = write(file.get(), &written, sizeof(written)) &&
                 write(file.get(), data, header.bytes);
  // Who comes second uses the file of the first; one that is wrong is replaced.
  bool isThere =
      isRight &&
      (::linkat(folder, draft.c_str(), folder, name.c_str(), 0) == 0 ||
       bool(map()) ||
       ::renameat(folder, draft.c_str(), folder, name.c_str()) == 0);
  ::unlinkat(folder, draft.c_str(), 0);
  return isThere;
}

/// Whether a header has room for the description.
static bool fits(const WeightKey &key) {
  return key.description.size() < sizeof(Header::description);
}

WeightMemory tally::runtime::mapWeights(const WeightKey &key, size_t bytes) {
  Descriptor folder(openFolder());
  if (!folder.isOpen() || !fits(key))
    return {};
  return WeightFile(folder.get(), key, bytes).map();
}

WeightMemory tally::runtime::storeWeights(const WeightKey &key,
                                          const void *data, size_t bytes) {
  Descriptor folder(openFolder());
  if (!folder.isOpen() || !fits(key))
    return {};
  WeightFile file(folder.get(), key, bytes);
  return file.store(data) ? file.map() : WeightMemory();
}
