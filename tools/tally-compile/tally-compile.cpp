//===- tally-compile.cpp - Compiles a program to a library ----------------===//
//
// The library has the C interface of tally_runtime.h and holds the runtime; it
// needs the C and C++ libraries and oneTBB. Exit status: 0 right; 1 bad use or
// a program that cannot be compiled.
//
//===----------------------------------------------------------------------===//

#include "../Compilation.h"
#include "../DebugOptions.h"
#include "../ToolVersion.h"
#include "../Usage.h"
#include "Header.h"
#include "tally/Codegen/Common/EntryPoints.h"
#include "tally/Driver/WriteFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

using namespace llvm;

static cl::OptionCategory category("tally-compile options");

static cl::opt<std::string>
    file(cl::Positional, cl::desc("FILE.mlir | FILE.pt2"), cl::cat(category));
static cl::opt<std::string> output("o",
                                   cl::desc("The file to write: a shared "
                                            "library (.so), an archive (.a) "
                                            "or an object file (.o)"),
                                   cl::value_desc("libf.so"),
                                   cl::cat(category));
static cl::opt<std::string> header("header", cl::desc("The C header to write"),
                                   cl::value_desc("f.h"), cl::cat(category));
static cl::opt<std::string>
    data("data",
         cl::desc("The file to write large constants to, in the folder of -o; "
                  "processes share its pages (default: they are in what -o "
                  "names)"),
         cl::value_desc("f.data"), cl::cat(category));
static cl::opt<std::string>
    chip("chip",
         cl::desc("The GPU to compile for, with --target=cuda (default: "
                  "sm_90a)"),
         cl::value_desc("sm_90a"), cl::init("sm_90a"), cl::cat(category));
static cl::opt<std::string>
    cpu("cpu",
        cl::desc("The processor to compile for: native, one of LLVM's names, "
                 "or levels of x86-64, as x86-64-v3,x86-64-v4, the least first "
                 "(default: generic, which runs on any of this kind)"),
        cl::init("generic"), cl::cat(category));
static cl::opt<std::string>
    triple("triple",
           cl::desc("The machine to compile for, as LLVM names it "
                    "(default: this one)"),
           cl::value_desc("aarch64-linux-gnu"), cl::cat(category));
static cl::opt<std::string>
    runtimeFile("runtime",
                cl::desc("The archive of the runtime that goes into a library "
                         "or an archive (default: the one that belongs to "
                         "this program)"),
                cl::value_desc("libtally_runtime.a"), cl::cat(category));
static cl::opt<std::string> sanitize(
    "sanitize",
    cl::desc("thread: have accesses of memory reported to ThreadSanitizer, "
             "which the program that links the code brings (default: off)"),
    cl::value_desc("thread"), cl::cat(category));
static cl::opt<int64_t>
    work("work",
         cl::desc("The operations that make a part of a parallel loop worth "
                  "another thread (default: 32768)"),
         cl::init(tally::CompileOptions().work), cl::value_desc("count"),
         cl::cat(category));
static tally::SharedCompileOptions shared(category);

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
// The runtime
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

//===----------------------------------------------------------------------===//
// Main
//===----------------------------------------------------------------------===//

/// Returns what the options lack to compile for another machine; empty if they
/// lack nothing.
static std::string checkMachine() {
  if (!runtimeFile.empty() && !sys::fs::exists(runtimeFile))
    return "'" + runtimeFile + "' does not exist";
  auto kind = tally::getOutputKind(output);
  if (tally::isThisMachine(triple) || kind == tally::OutputKind::Object)
    return "";
  if (runtimeFile.empty())
    return "what is written for '" + triple +
           "' holds a runtime for that machine: name its archive with "
           "--runtime, or write an object file (.o)";
  if (kind == tally::OutputKind::Library && !std::getenv("CC"))
    return "a library for '" + triple +
           "' is linked by a compiler for that machine: set CC to one, or "
           "write an archive (.a)";
  return "";
}

/// Returns what is wrong with the options; empty if nothing is.
static std::string checkOptions() {
  if (std::string wrong = shared.check(file); !wrong.empty())
    return wrong;
  if (!tally::getOutputKind(output))
    return "'" + output +
           "' must end in .so, .a or .o: that says what is written";
  if (shared.target == "cpu" && chip.getNumOccurrences())
    return "--chip goes with --target=cuda";
  if (!is_contained({"", "thread"}, StringRef(sanitize)))
    return "unknown --sanitize=" + sanitize + ": thread";
  if (!sanitize.empty() && shared.target != "cpu")
    return "--sanitize is for --target=cpu";
  if (work < 1)
    return "--work must be at least 1";
  if (!Regex("^sm_[0-9]+[af]?$").match(chip))
    return "'" + chip + "' is not the name of a GPU, such as sm_90a";
  for (const std::string &path : shared.link)
    if (!sys::fs::exists(path))
      return "'" + path + "' does not exist";
  return checkMachine();
}

static int run(const char *argv0) {
  if (std::string wrong = checkOptions(); !wrong.empty())
    return fail(wrong);
  std::optional<std::string> runtime =
      runtimeFile.empty() ? findRuntime(argv0) : runtimeFile.getValue();
  if (!runtime)
    return fail(
        "libtally_runtime.a is not in ../lib beside this program: build "
        "or install Tally's runtime");

  tally::CompileOptions options = shared.get(file);
  options.cpu = cpu;
  options.dataFile = data;
  options.triple = triple;
  options.sanitize = sanitize;
  options.work = work;
  options.chip = chip;
  options.prefix = getPrefix();
  tally::Compilation compilation(shared, "tally-compile", file);
  mlir::OwningOpRef<mlir::ModuleOp> module = compilation.read();
  if (!module ||
      failed(tally::lowerProgram(*module, options, compilation.getReport())))
    return 1;
  if (!header.empty())
    if (Error error = tally::writeFile(header, [&](raw_ostream &os) -> Error {
          tally::compile::writeHeader(os, *module, options.prefix);
          return Error::success();
        }))
      return fail(toString(std::move(error)));
  tally::LinkOptions link{*runtime, shared.link};
  Error error =
      tally::emitFile(*module, options, link, output, compilation.getReport());
  compilation.finish();
  if (error)
    return fail(toString(std::move(error)));
  return 0;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  tally::setVersionPrinter();
  tally::registerDebugOptions();
  tally::exitOnCrash("tally-compile");
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Compiles a program of dynamic sizes to a library\n");
  StringRef usage = "FILE -o libNAME.so";
  if (file.getNumOccurrences() == 0)
    return tally::reportMissing("tally-compile", "file", usage);
  if (output.empty())
    return tally::reportMissing("tally-compile", "output", usage);
  return run(argv[0]);
}
