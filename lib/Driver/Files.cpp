//===- Files.cpp - Object files, archives and libraries -------------------===//

#include "tally/Driver/Driver.h"

#include "ObjectFiles.h"
#include "tally/Codegen/Common/EntryPoints.h"
#include "tally/Driver/ProgressLine.h"
#include "tally/Driver/WriteFile.h"

#include "mlir/Support/Timing.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tally;

std::optional<OutputKind> tally::getOutputKind(StringRef path) {
  StringRef name = sys::path::filename(path);
  // A version may follow: libf.so.1.2.
  StringRef unversioned = name.rtrim("0123456789.");
  if (name.ends_with(".so") ||
      (unversioned.ends_with(".so") && name[unversioned.size()] == '.'))
    return OutputKind::Library;
  return StringSwitch<std::optional<OutputKind>>(sys::path::extension(name))
      .Case(".o", OutputKind::Object)
      .Case(".a", OutputKind::Archive)
      .Default(std::nullopt);
}

/// The compiler that links: $CC, or the system's.
static std::optional<std::string> findLinker() {
  SmallVector<StringRef> names{"cc", "clang-22", "clang", "gcc"};
  if (const char *given = std::getenv("CC"))
    names.insert(names.begin(), given);
  for (StringRef name : names)
    if (ErrorOr<std::string> path = sys::findProgramByName(name))
      return *path;
  return std::nullopt;
}

/// Only the C interface is visible from outside.
static Error writeVersionScript(StringRef path, StringRef prefix) {
  return writeFile(path, [&](raw_ostream &os) -> Error {
    os << "{ global: tally_library; tally_rt_*; "
       << getCName(prefix, "*").substr(0, prefix.size() + 1)
       << "*; local: *; };\n";
    return Error::success();
  });
}

/// Whether the runtime takes its threads from oneTBB.
static Expected<bool> needsTBB(StringRef runtime) {
  auto buffer = MemoryBuffer::getFile(runtime);
  if (!buffer)
    return createStringError(buffer.getError(),
                             "cannot read '" + runtime + "'");
  Expected<std::unique_ptr<object::Archive>> archive =
      object::Archive::create((*buffer)->getMemBufferRef());
  if (!archive)
    return archive.takeError();
  bool found = false;
  Error error = Error::success();
  for (const object::Archive::Child &child : (*archive)->children(error)) {
    auto member = child.getAsBinary();
    if (!member) {
      consumeError(member.takeError());
      continue;
    }
    if (auto *object = dyn_cast<object::ObjectFile>(member->get()))
      found |= any_of(object->symbols(), [](const object::SymbolRef &symbol) {
        Expected<StringRef> name = symbol.getName();
        if (name)
          return name->contains("3tbb");
        consumeError(name.takeError());
        return false;
      });
  }
  if (error)
    return std::move(error);
  return found;
}

static Error linkLibrary(ArrayRef<std::string> objects, StringRef script,
                         const LinkOptions &link, StringRef output) {
  std::optional<std::string> linker = findLinker();
  if (!linker)
    return createStringError("no C compiler to link with: install cc, or set "
                             "CC");
  std::string versionScript = ("-Wl,--version-script=" + script).str();
  std::string name = ("-Wl,-soname," + sys::path::filename(output)).str();
  // The whole runtime, as the program that calls may use any of it.
  SmallVector<StringRef> arguments{*linker, "-shared", "-o", output};
  arguments.append(objects.begin(), objects.end());
  arguments.append(
      {"-Wl,--whole-archive", link.runtime, "-Wl,--no-whole-archive"});
  arguments.append(link.files.begin(), link.files.end());
  Expected<bool> hasTBB = needsTBB(link.runtime);
  if (!hasTBB)
    return hasTBB.takeError();
  if (*hasTBB)
    arguments.push_back("-ltbb");
  arguments.append({"-lstdc++", "-lm", name, "-Wl,-Bsymbolic",
                    "-Wl,--gc-sections", versionScript});
  std::string message;
  int status =
      sys::ExecuteAndWait(*linker, arguments, std::nullopt, {}, 0, 0, &message);
  if (status == 0)
    return Error::success();
  return createStringError("'" + *linker + "' could not link '" + output + "'" +
                           (message.empty() ? "" : ": " + message));
}

/// Adds the files of an archive to another.
static Error addMembers(StringRef path, std::vector<NewArchiveMember> &members,
                        std::vector<std::unique_ptr<MemoryBuffer>> &buffers) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError(buffer.getError(), "cannot read '" + path + "'");
  Expected<std::unique_ptr<object::Archive>> archive =
      object::Archive::create((*buffer)->getMemBufferRef());
  if (!archive)
    return archive.takeError();
  Error error = Error::success();
  for (const object::Archive::Child &child : (*archive)->children(error)) {
    Expected<NewArchiveMember> member =
        NewArchiveMember::getOldMember(child, /*Deterministic=*/true);
    if (!member) {
      consumeError(std::move(error));
      return member.takeError();
    }
    members.push_back(std::move(*member));
  }
  // Members refer to what was read.
  buffers.push_back(std::move(*buffer));
  return error;
}

/// The program, what it calls and the runtime in one file.
static Error writeStaticLibrary(ArrayRef<std::string> objects,
                                const LinkOptions &link, StringRef output) {
  std::vector<NewArchiveMember> members;
  std::vector<std::unique_ptr<MemoryBuffer>> buffers;
  auto addFile = [&](StringRef path, StringRef name) -> Error {
    Expected<NewArchiveMember> member =
        NewArchiveMember::getFile(path, /*Deterministic=*/true);
    if (!member)
      return member.takeError();
    member->MemberName = name;
    members.push_back(std::move(*member));
    return Error::success();
  };
  std::vector<std::string> names;
  for (size_t part = 0; part < objects.size(); ++part)
    names.push_back((sys::path::stem(output) + "." + Twine(part) + ".o").str());
  for (auto [object, name] : zip_equal(objects, names))
    if (Error error = addFile(object, name))
      return error;
  for (const std::string &file : link.files)
    if (getOutputKind(file) == OutputKind::Object) {
      if (Error error = addFile(file, sys::path::filename(file)))
        return error;
    } else if (getOutputKind(file) == OutputKind::Archive) {
      if (Error error = addMembers(file, members, buffers))
        return error;
    } else {
      return createStringError("'" + file +
                               "' cannot go into an archive: an object file or "
                               "an archive can");
    }
  if (Error error = addMembers(link.runtime, members, buffers))
    return error;
  return writeArchive(output, members, SymtabWritingMode::NormalSymtab,
                      object::Archive::K_GNU, /*Deterministic=*/true,
                      /*Thin=*/false);
}

/// Says what is done now, to whom it concerns.
static mlir::TimingScope enterStage(const CompileReport &report,
                                    StringRef stage) {
  if (report.progress)
    report.progress->setStage(stage);
  return report.timing ? report.timing->nest(stage) : mlir::TimingScope();
}

/// The library looks for its data file beside itself. A file that is there and
/// was written by somebody else is not overwritten: it may be the one that the
/// program reads its constants from.
static Error checkDataFile(StringRef path, StringRef output) {
  auto getFolder = [](StringRef file) {
    StringRef folder = sys::path::parent_path(file);
    return folder.empty() ? StringRef(".") : folder;
  };
  StringRef name = sys::path::filename(path);
  bool isBeside = false;
  std::error_code error =
      sys::fs::equivalent(getFolder(path), getFolder(output), isBeside);
  if (error || !isBeside || name == sys::path::filename(output))
    return createStringError("the data file '" + path.str() +
                             "' must be another file in the folder of '" +
                             output + "', which looks for it there");
  auto old = MemoryBuffer::getFile(path, /*IsText=*/false,
                                   /*RequiresNullTerminator=*/false);
  if (!old || (*old)
                  ->getBuffer()
                  .take_back(sizeof(tally_rt_data_footer))
                  .starts_with(TALLY_RT_DATA_MAGIC))
    return Error::success();
  return createStringError("'" + path.str() +
                           "' is there and no data file that was written "
                           "before: remove it, or choose another name");
}

Error tally::emitFile(mlir::ModuleOp module, const CompileOptions &options,
                      const LinkOptions &link, StringRef path,
                      const CompileReport &report) {
  std::optional<OutputKind> kind = getOutputKind(path);
  if (!kind)
    return createStringError("'" + path.str() +
                             "' must end in .so, .a or .o: that says what is "
                             "written");
  if (kind == OutputKind::Object && !link.files.empty())
    return createStringError("'" + link.files.front() +
                             "' cannot go into an object file: link the two "
                             "together, or write an archive or a library");
  if (!options.dataFile.empty())
    if (Error error = checkDataFile(options.dataFile, path))
      return error;
  auto generate = [&](StringRef object) {
    mlir::TimingScope stage = enterStage(report, "Generate code");
    return emitObjectFiles(module, options, *kind, object);
  };
  if (kind == OutputKind::Object)
    return generate(path).takeError();
  SmallString<128> folder;
  if (std::error_code error =
          sys::fs::createUniqueDirectory("tally-compile", folder))
    return createStringError(
        error, "cannot make a temporary folder: " + error.message() +
                   "; TMPDIR says where");
  scope_exit cleanup([&] { sys::fs::remove_directories(folder); });
  auto objects = generate((folder + "/program.o").str());
  if (!objects)
    return objects.takeError();
  mlir::TimingScope stage = enterStage(report, "Link");
  if (kind == OutputKind::Archive)
    return writeStaticLibrary(*objects, link, path);
  std::string script = (folder + "/exports.map").str();
  if (Error error = writeVersionScript(script, options.prefix))
    return error;
  return linkLibrary(*objects, script, link, path);
}
