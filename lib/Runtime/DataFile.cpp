//===- DataFile.cpp - Constants beside the library ------------------------===//
//
// A library that keeps its constants in a file has pages without contents where
// they are to be; the file is mapped over these.
//
//===----------------------------------------------------------------------===//

#include "DataFile.h"
#include "Context.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tally::runtime;

/// Returns the path of the file that the code at `address` was loaded from,
/// whatever the current folder was by then; empty if it is from none.
static std::string findFileOf(const void *address) {
  auto wanted = reinterpret_cast<uintptr_t>(address);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    size_t path = line.find('/');
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &begin, &end) ==
            2 &&
        begin <= wanted && wanted < end && path != std::string::npos)
      return line.substr(path);
  }
  return "";
}

namespace {

/// A file that is open for reading.
class InputFile {
public:
  explicit InputFile(const std::string &path)
      : descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;
  ~InputFile() {
    if (descriptor >= 0)
      ::close(descriptor);
  }

  int get() const { return descriptor; }

private:
  int descriptor;
};

} // namespace

/// Whether the file ends as that of these constants does.
static bool isFileOf(const tally_rt_data &data, int file) {
  tally_rt_data_footer footer = {};
  struct stat status = {};
  return ::fstat(file, &status) == 0 &&
         status.st_size ==
             static_cast<off_t>(data.bytes + sizeof(tally_rt_data_footer)) &&
         ::pread(file, &footer, sizeof(footer), data.bytes) ==
             static_cast<ssize_t>(sizeof(footer)) &&
         std::memcmp(footer.magic, TALLY_RT_DATA_MAGIC, sizeof(footer.magic)) ==
             0 &&
         footer.bytes == data.bytes && footer.hash == data.hash;
}

/// Returns what is wrong; empty if nothing is.
static std::string map(const tally_rt_data &data) {
  std::string program = findFileOf(&data);
  std::string path =
      program.substr(0, program.find_last_of('/') + 1) + data.name;
  std::string what = "the file with the program's constants, '" + path + "', ";
  InputFile file(path);
  if (file.get() < 0)
    return what + "cannot be opened: " + std::strerror(errno);
  if (!isFileOf(data, file.get()))
    return what + "is not the one that '" + program +
           "' was compiled with; put that one there, or compile again";
  if (::mmap(data.base, data.bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED,
             file.get(), 0) == MAP_FAILED)
    return what + "cannot be mapped: " + std::strerror(errno);
  return "";
}

bool tally::runtime::mapConstants(const tally_rt_library &library,
                                  tally_rt_context &ctx) {
  tally_rt_data *data = library.data;
  if (!data || !data->name ||
      __atomic_load_n(&data->is_mapped, __ATOMIC_ACQUIRE))
    return true;
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  if (__atomic_load_n(&data->is_mapped, __ATOMIC_RELAXED))
    return true;
  std::string wrong = map(*data);
  if (wrong.empty()) {
    __atomic_store_n(&data->is_mapped, 1, __ATOMIC_RELEASE);
    return true;
  }
  ErrorRecord record;
  record.status = TALLY_RT_DATA_ERROR;
  record.userMessage = std::move(wrong);
  ctx.fail(std::move(record));
  return false;
}
