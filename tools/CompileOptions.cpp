//===- CompileOptions.cpp - Options of tools that compile -----------------===//

#include "CompileOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace tally;

SharedCompileOptions::SharedCompileOptions(cl::OptionCategory &category)
    : target("target",
             cl::desc("Where the program runs: cpu or cuda (default: cpu)"),
             cl::init("cpu"), cl::cat(category)),
      device("device", cl::desc("Another name of --target"),
             cl::aliasopt(target), cl::cat(category)),
      checks("checks",
             cl::desc("Which run-time checks stay: all, entry (on sizes and "
                      "scalars of arguments) or none; the others are taken on "
                      "trust (default: all)"),
             cl::init("all"), cl::cat(category)),
      elide("elide",
            cl::desc("Leave out checks that are proven; off, every check runs, "
                     "to compare with (default: true)"),
            cl::init(true), cl::cat(category)),
      optimize(
          "O", cl::desc("How hard LLVM optimizes, from 0 to 3 (default: 3)"),
          cl::init(3), cl::Prefix, cl::value_desc("level"), cl::cat(category)),
      optimizeAlias("optimize", cl::desc("Another name of -O"),
                    cl::aliasopt(optimize), cl::Hidden, cl::cat(category)),
      link("link",
           cl::desc("A file with functions that the program calls with "
                    "tally.custom_call (default: none)"),
           cl::value_desc("file"), cl::cat(category)),
      sourcePaths("source-paths",
                  cl::desc("Whether errors of the compiled program tell where "
                           "in the sources a check stands (default: true)"),
                  cl::init(true), cl::cat(category)),
      explain("explain",
              cl::desc("Tell, at each check, whether it was proven and from "
                       "what; which operations run as one kernel, and why "
                       "others do not (default: off)"),
              cl::cat(category)),
      timing("timing", cl::desc("Tell how long every pass took (default: off)"),
             cl::cat(category)),
      verbose("v",
              cl::desc("Tell what became of checks, and how long the stages "
                       "took (default: off)"),
              cl::cat(category)),
      verifyEach("verify-each",
                 cl::desc("Verify the module behind each pass, and Tally's "
                          "forms between the stages (default: off)"),
                 cl::cat(category)),
      customCalls(category) {}

std::string SharedCompileOptions::check(StringRef file) const {
  if (std::string wrong = customCalls.check(file); !wrong.empty())
    return wrong;
  if (target != "cpu" && target != "cuda")
    return "unknown target '" + target + "': cpu or cuda";
  if (!is_contained({"all", "entry", "none"}, StringRef(checks.getValue())))
    return "unknown --checks=" + checks + ": all, entry or none";
  if (optimize > 3)
    return "-O goes from 0 to 3";
  return "";
}

CompileOptions SharedCompileOptions::get(StringRef file) const {
  CompileOptions options;
  options.target = target;
  options.checks = checks;
  options.elide = elide;
  options.optimize = optimize;
  options.sourcePaths = sourcePaths;
  options.explain = explain;
  options.verifyEach = verifyEach;
  options.dataDirectory = sys::path::parent_path(file).str();
  if (options.dataDirectory.empty())
    options.dataDirectory = ".";
  return options;
}
