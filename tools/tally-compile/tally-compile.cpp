//===- tally-compile.cpp - Compiles a program to a shared library ---------===//
//
// The library has the C interface of tally_runtime.h and holds the runtime; it
// needs the C and C++ libraries and oneTBB. Exit status: 0 right; 1 bad use or
// a program that cannot be compiled.
//
//===----------------------------------------------------------------------===//

#include "Header.h"
#include "tally/Codegen/EntryPoints.h"
#include "tally/Driver/Driver.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

static cl::OptionCategory category("tally-compile options");

static cl::opt<std::string> file(cl::Positional, cl::Required,
                                 cl::desc("FILE.mlir | FILE.pt2"),
                                 cl::cat(category));
static cl::opt<std::string> output("o", cl::Required,
                                   cl::desc("The shared library to write"),
                                   cl::value_desc("libf.so"),
                                   cl::cat(category));
static cl::opt<std::string> header("header", cl::desc("The C header to write"),
                                   cl::value_desc("f.h"), cl::cat(category));
static cl::opt<std::string> target("target",
                                   cl::desc("Where to run: cpu or cuda"),
                                   cl::init("cpu"), cl::cat(category));
static cl::opt<std::string>
    chip("chip", cl::desc("The GPU to compile for, with --target=cuda"),
         cl::value_desc("sm_90a"), cl::init("sm_90a"), cl::cat(category));
static cl::opt<std::string>
    cpu("cpu",
        cl::desc("The processor to compile for: native, or one of LLVM's names "
                 "(default: x86-64 or what is generic here)"),
        cl::init("generic"), cl::cat(category));
static cl::opt<std::string> checks(
    "checks",
    cl::desc("Which run-time checks stay: all, entry (on sizes and scalars of "
             "arguments) or none; the others are taken on trust"),
    cl::init("all"), cl::cat(category));
static cl::opt<bool>
    elide("elide",
          cl::desc("Leave out checks that are proven (the default); off, every "
                   "check runs, to compare with"),
          cl::init(true), cl::cat(category));
static cl::list<std::string>
    linked("link",
           cl::desc("An object file, archive or library with functions that "
                    "the program calls with tally.custom_call; without it, who "
                    "loads the library provides them"),
           cl::value_desc("file"), cl::cat(category));

static cl::extrahelp exitStatuses(
    "\nExit status: 0 right; 1 bad use or an unsupported program.\n");

/// Prints an error in this tool's name.
static int fail(const Twine &message) {
  errs() << "tally-compile: " << message << '\n';
  return 1;
}

/// `out/libmodel.so` makes `model`.
static std::string getPrefix() {
  StringRef stem = sys::path::stem(output);
  stem.consume_front("lib");
  if (stem.empty() || llvm::isDigit(stem.front()))
    return ("tally_" + stem).str();
  return stem.str();
}

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

/// Finds the archive of the runtime beside this program: in the build tree, or
/// where it was installed.
static std::optional<std::string> findRuntime(const char *argv0) {
  static int anchor;
  std::string program = sys::fs::getMainExecutable(argv0, &anchor);
  StringRef bin = sys::path::parent_path(program);
  for (StringRef folder : {"../lib", "../" TALLY_INSTALL_LIBDIR}) {
    SmallString<128> path(bin);
    sys::path::append(path, folder, "libtally_runtime.a");
    if (sys::fs::exists(path))
      return std::string(path);
  }
  return std::nullopt;
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
  std::error_code error;
  raw_fd_ostream os(path, error);
  if (error)
    return createStringError(error, "cannot write '" + path.str() + "'");
  os << "{ global: tally_library; tally_rt_*; "
     << tally::getCName(prefix, "*").substr(0, prefix.size() + 1)
     << "*; local: *; };\n";
  return Error::success();
}

static Error link(ArrayRef<std::string> objects, StringRef script,
                  StringRef runtime) {
  std::optional<std::string> linker = findLinker();
  if (!linker)
    return createStringError("no C compiler to link with: install cc, or set "
                             "CC");
  std::string versionScript = ("-Wl,--version-script=" + script).str();
  std::string name = ("-Wl,-soname," + sys::path::filename(output)).str();
  // The whole runtime, as the program that calls may use any of it.
  SmallVector<StringRef> arguments{*linker, "-shared", "-o", output};
  arguments.append(objects.begin(), objects.end());
  arguments.append({"-Wl,--whole-archive", runtime, "-Wl,--no-whole-archive"});
  arguments.append(linked.begin(), linked.end());
  arguments.append({"-ltbb", "-lstdc++", "-lm", name, "-Wl,-Bsymbolic",
                    "-Wl,--gc-sections", versionScript});
  std::string message;
  int status =
      sys::ExecuteAndWait(*linker, arguments, std::nullopt, {}, 0, 0, &message);
  if (status == 0)
    return Error::success();
  return createStringError("'" + *linker + "' could not link '" + output + "'" +
                           (message.empty() ? "" : ": " + message));
}

/// Makes a temporary folder for what is linked, and removes it.
static Error compileAndLink(mlir::ModuleOp module,
                            const tally::CompileOptions &options,
                            StringRef runtime) {
  SmallString<128> folder;
  if (std::error_code error =
          sys::fs::createUniqueDirectory("tally-compile", folder))
    return createStringError(error, "cannot make a temporary folder");
  scope_exit cleanup([&] { sys::fs::remove_directories(folder); });
  std::string object = (folder + "/program.o").str();
  std::string script = (folder + "/exports.map").str();
  auto objects = tally::emitObjectFiles(module, options, object);
  if (!objects)
    return objects.takeError();
  if (Error error = writeVersionScript(script, options.prefix))
    return error;
  return link(*objects, script, runtime);
}

//===----------------------------------------------------------------------===//
// Main
//===----------------------------------------------------------------------===//

static int run(const char *argv0) {
  if (target != "cpu" && target != "cuda")
    return fail("unknown target '" + target + "': cpu or cuda");
  if (target == "cpu" && chip.getNumOccurrences())
    return fail("--chip goes with --target=cuda");
  if (!Regex("^sm_[0-9]+[af]?$").match(chip))
    return fail("'" + chip + "' is not the name of a GPU, such as sm_90a");
  for (const std::string &path : linked)
    if (!sys::fs::exists(path))
      return fail("'" + path + "' does not exist");
  std::optional<std::string> runtime = findRuntime(argv0);
  if (!runtime)
    return fail("libtally_runtime.a is not beside this program");

  mlir::DialectRegistry registry;
  tally::registerDriverDialects(registry);
  mlir::MLIRContext context(registry);
  SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context, errs());
  mlir::OwningOpRef<mlir::ModuleOp> module = tally::readProgram(file, &context);
  if (!module)
    return 1;
  tally::CompileOptions options;
  options.checks = checks;
  options.elide = elide;
  options.cpu = cpu;
  options.target = target;
  options.chip = chip;
  options.prefix = getPrefix();
  options.dataDirectory = sys::path::parent_path(file).str();
  if (options.dataDirectory.empty())
    options.dataDirectory = ".";
  if (failed(tally::lowerProgram(*module, options)))
    return 1;
  if (!header.empty()) {
    std::error_code error;
    raw_fd_ostream os(header, error);
    if (error)
      return fail("cannot write '" + header + "': " + error.message());
    tally::compile::writeHeader(os, *module, options.prefix);
  }
  if (Error error = compileAndLink(*module, options, *runtime))
    return fail(toString(std::move(error)));
  return 0;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  tally::exitOnCrash("tally-compile");
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Compiles a program of dynamic sizes to a shared library\n");
  return run(argv[0]);
}
