//===- CudaToolkit.cpp - Where NVIDIA's tools are -------------------------===//

#include "CudaToolkit.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tally::codegen;

/// Adds the folders in `folder` whose names start with `prefix`, the last one
/// first: of two versions the newer.
static void addFolders(StringRef folder, StringRef prefix,
                       SmallVectorImpl<std::string> &result) {
  SmallVector<std::string> found;
  std::error_code error;
  for (sys::fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error))
    if (sys::path::filename(it->path()).starts_with(prefix) &&
        sys::fs::is_directory(it->path()))
      found.push_back(it->path());
  llvm::sort(found, std::greater<>());
  llvm::append_range(result, found);
}

/// Adds `folder` and what is below it where it is a Python environment or the
/// folder of its packages: those of CUDA 13 share `nvidia/cu13`, older ones
/// have a folder each.
static void addRoots(StringRef folder, SmallVectorImpl<std::string> &roots) {
  if (folder.empty())
    return;
  roots.push_back(folder.str());
  SmallVector<std::string> packages{folder.str()};
  addFolders((folder + "/lib").str(), "python", packages);
  for (StringRef package : packages) {
    StringRef sites = package == folder ? "" : "/site-packages";
    addFolders((package + sites + "/nvidia").str(), "cu", roots);
  }
}

static std::string getVariable(StringRef name) {
  return sys::Process::GetEnv(name).value_or("");
}

CudaToolkit::CudaToolkit(StringRef folder) {
  if (!folder.empty()) {
    addRoots(folder, roots);
    return;
  }
  for (StringRef name : {"CUDA_HOME", "CUDA_PATH"})
    addRoots(getVariable(name), roots);
  if (ErrorOr<std::string> ptxas = sys::findProgramByName("ptxas")) {
    // .../bin/ptxas
    SmallString<128> path(*ptxas);
    sys::fs::make_absolute(path);
    addRoots(sys::path::parent_path(sys::path::parent_path(path)), roots);
  }
  addRoots(getVariable("VIRTUAL_ENV"), roots);
  addRoots("/usr/local/cuda", roots);
}

std::string CudaToolkit::find(StringRef name,
                              bool (*accepts)(StringRef)) const {
  for (StringRef root : roots) {
    SmallString<128> path(root);
    sys::path::append(path, name);
    if (accepts(path))
      return path.str().str();
  }
  return "";
}

std::string CudaToolkit::findPtxas() const {
  return find("bin/ptxas",
              [](StringRef path) { return sys::fs::can_execute(path); });
}

std::string CudaToolkit::findLibdevice() const {
  return find("nvvm/libdevice/libdevice.10.bc",
              [](StringRef path) { return sys::fs::is_regular_file(path); });
}

Expected<std::string> tally::codegen::runPtxas(StringRef ptxas, StringRef chip,
                                               int optLevel, StringRef ptx) {
  SmallString<128> folder;
  if (std::error_code error =
          sys::fs::createUniqueDirectory("tally-ptxas", folder))
    return createStringError(
        error, "cannot make a temporary folder: " + error.message() +
                   "; TMPDIR says where");
  scope_exit remove([&] { sys::fs::remove_directories(folder); });
  std::string source = (folder + "/kernels.ptx").str();
  std::string target = (folder + "/kernels.cubin").str();
  std::string log = (folder + "/log").str();
  std::error_code error;
  {
    raw_fd_ostream stream(source, error);
    if (!error)
      stream << ptx;
    stream.flush();
    bool failed = error || stream.has_error();
    stream.clear_error();
    if (failed)
      return createStringError("cannot write " + source);
  }
  std::string level = std::to_string(optLevel);
  StringRef arguments[] = {ptxas, "-arch", chip, "--opt-level",
                           level, source,  "-o", target};
  std::optional<StringRef> redirects[] = {std::nullopt, log, log};
  std::string reason;
  int status = sys::ExecuteAndWait(ptxas, arguments, /*Env=*/std::nullopt,
                                   redirects, /*SecondsToWait=*/0,
                                   /*MemoryLimit=*/0, &reason);
  if (status != 0) {
    if (auto text = MemoryBuffer::getFile(log); text && reason.empty())
      reason = (*text)->getBuffer().trim().str();
    return createStringError(ptxas + " failed: " + reason);
  }
  auto code = MemoryBuffer::getFile(target);
  if (!code)
    return createStringError(code.getError(), "cannot read " + target);
  return (*code)->getBuffer().str();
}
