//===- FuzzPt2.cpp - Any bytes as an exported program ---------------------===//
//
// An input is a .pt2 archive, or the text of one, which mutations leave whole:
//
//   === models/model.json
//   {"graph_module": ...
//   === data/weights/weight_0
//   ...
//
// A member goes up to the new line before the next one, or to the end.
//
//===----------------------------------------------------------------------===//

#include "TextMutator.h"
#include "tally/Import/ImportPt2.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/mman.h>
#include <unistd.h>
#include <zip.h>

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace llvm;

TALLY_FUZZ_TEXT

static void fail(const char *what) {
  std::perror(what);
  std::exit(1);
}

/// Adds the members of a text to an archive.
static void addMembers(zip_t *zip, StringRef text) {
  while (text.consume_front("=== ")) {
    auto [name, rest] = text.split('\n');
    auto [content, next] = rest.split("\n=== ");
    // A name that occurs twice, or that is none, is left out.
    zip_source_t *source =
        zip_source_buffer(zip, content.data(), content.size(), 0);
    zip_int64_t index =
        zip_file_add(zip, ("model/" + name).str().c_str(), source, 0);
    if (index < 0)
      zip_source_free(source);
    else
      zip_set_file_compression(zip, index, ZIP_CM_STORE, 0);
    if (next.empty())
      return;
    text = StringRef(next.data() - 4, next.size() + 4);
  }
}

/// The bytes of an archive.
static std::string makeArchive(StringRef text) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t *source = zip_source_buffer_create(nullptr, 0, 0, &error);
  zip_t *zip = zip_open_from_source(source, ZIP_TRUNCATE, &error);
  if (!zip)
    fail("zip_open_from_source");
  zip_source_keep(source);
  addMembers(zip, text);
  std::string bytes;
  if (zip_get_num_entries(zip, 0) == 0 || zip_close(zip) != 0) {
    zip_discard(zip);
  } else if (zip_source_open(source) == 0) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    zip_source_stat(source, &stat);
    bytes.resize(stat.size);
    zip_source_read(source, bytes.data(), bytes.size());
    zip_source_close(source);
  }
  zip_source_free(source);
  return bytes;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef input(reinterpret_cast<const char *>(data), size);
  std::string bytes = input.str();
  if (input.starts_with("=== "))
    bytes = makeArchive(input);
  // A file that is in memory only.
  int file = memfd_create("model.pt2", 0);
  if (file < 0 || write(file, bytes.data(), bytes.size()) !=
                      static_cast<ssize_t>(bytes.size()))
    fail("memfd_create");
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler handler(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  if (auto module =
          tally::importPt2("/proc/self/fd/" + std::to_string(file), &context)) {
    std::string printed;
    raw_string_ostream os(printed);
    module->print(os);
  }
  close(file);
  return 0;
}
