//===- Cases.cpp - Files of cases -----------------------------------------===//
//
// [{"name": "batch 3", "inputs": [SPEC...], "expect": ["y.npy"...]},
//  {"name": "too long", "inputs": [SPEC...], "raises": "s0 <= 64"}]
//
// "mutated": {"0": "x.npy"} says what argument 0 holds after the call.
//
//===----------------------------------------------------------------------===//

#include "Runner.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace llvm;
using namespace tally::run;

namespace {

struct Case {
  std::string name;
  std::vector<std::string> inputs;
  std::optional<std::vector<std::string>> expect;
  std::optional<std::string> raises;
  std::map<std::string, std::string> mutated;
  Tolerance tolerance;
};

/// Found by the JSON library through the type.
bool fromJSON(const json::Value &value, Case &result, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", result.name) &&
         map.map("inputs", result.inputs) &&
         map.mapOptional("expect", result.expect) &&
         map.mapOptional("raises", result.raises) &&
         map.mapOptional("mutated", result.mutated) &&
         map.mapOptional("rtol", result.tolerance.relative) &&
         map.mapOptional("atol", result.tolerance.absolute);
}

} // namespace

static Expected<std::vector<Case>> readCases(StringRef path,
                                             bool needsNoExpectation) {
  auto file = MemoryBuffer::getFile(path);
  if (!file)
    return createStringError("'" + path +
                             "': cannot be read: " + file.getError().message());
  Expected<json::Value> value = json::parse((*file)->getBuffer());
  if (!value)
    return createStringError("'" + path + "': " + toString(value.takeError()));
  std::vector<Case> cases;
  json::Path::Root root("cases");
  if (!fromJSON(*value, cases, root))
    return createStringError("'" + path + "': " + toString(root.getError()));
  for (const Case &testCase : cases)
    if (!testCase.expect && !testCase.raises && !needsNoExpectation)
      return createStringError("'" + path + "': case '" + testCase.name +
                               "' has neither 'expect' nor 'raises'");
  return cases;
}

/// Judges a call that failed. Returns why the case fails, or nothing.
static std::optional<std::string> judgeError(const Case &testCase,
                                             const Outcome &outcome) {
  // A GPU that fails is not what a case can expect.
  if (outcome.isRunTimeError() && !testCase.expect && !testCase.raises)
    return std::nullopt;
  if (!testCase.raises || outcome.status == TALLY_RT_DEVICE_ERROR)
    return outcome.isRunTimeError() ? "check failed: " + outcome.message
                                    : outcome.message;
  if (StringRef(outcome.message).contains(*testCase.raises))
    return std::nullopt;
  return "the error does not contain '" + *testCase.raises +
         "': " + outcome.message;
}

/// Compares the arguments that the case says the call writes to.
static Expected<std::optional<std::string>>
compareMutated(const Case &testCase, ArrayRef<Array> arguments,
               StringRef folder, const Tolerance &tolerance,
               const CountingAllocator &allocator) {
  for (const auto &[position, file] : testCase.mutated) {
    size_t index = 0;
    if (StringRef(position).getAsInteger(10, index) ||
        index >= arguments.size())
      return createStringError("there is no argument " + position);
    Expected<Array> expected =
        readSpec(file, folder, /*seed=*/0, allocator.get());
    if (!expected)
      return expected.takeError();
    if (std::optional<std::string> difference =
            compareArrays(arguments[index], *expected, tolerance))
      return "argument " + position + " " + *difference;
  }
  return std::nullopt;
}

/// Runs one case, and notes what it has launched. Returns why it fails, or
/// nothing.
static std::optional<std::string> runCase(Caller &caller, const Case &testCase,
                                          StringRef folder,
                                          const CaseOptions &options,
                                          const CountingAllocator &allocator,
                                          std::vector<std::string> &launches) {
  std::vector<Array> inputs;
  for (auto [index, spec] : enumerate(testCase.inputs)) {
    Expected<Array> input =
        readSpec(spec, folder, options.seed + index, allocator.get());
    if (!input)
      return toString(input.takeError());
    inputs.push_back(std::move(*input));
  }
  Outcome outcome = caller.call(inputs);
  // The next case is a first call again.
  caller.resetState();
  launches = outcome.launches;
  if (outcome.status != TALLY_RT_OK)
    return judgeError(testCase, outcome);
  if (testCase.raises)
    return "no error, expected one that contains '" + *testCase.raises + "'";
  if (!testCase.expect)
    return std::nullopt;
  Tolerance tolerance = options.tolerance;
  if (testCase.tolerance.relative)
    tolerance.relative = testCase.tolerance.relative;
  if (testCase.tolerance.absolute)
    tolerance.absolute = testCase.tolerance.absolute;
  Expected<std::optional<std::string>> difference = compareResults(
      outcome, *testCase.expect, folder, tolerance, allocator.get());
  if (difference && !*difference)
    difference = compareMutated(testCase, inputs, folder, tolerance, allocator);
  return difference ? *difference : toString(difference.takeError());
}

Expected<int> tally::run::runCases(Caller &caller, StringRef path,
                                   const CaseOptions &options,
                                   CountingAllocator &allocator) {
  Expected<std::vector<Case>> cases =
      readCases(path, options.needsNoExpectation);
  if (!cases)
    return cases.takeError();
  int failures = 0;
  for (const Case &testCase : *cases) {
    std::vector<std::string> launches;
    std::optional<std::string> why;
    for (unsigned round = 0; !why && round < allocator.getNumRounds();
         ++round) {
      allocator.startRound(round);
      why = runCase(caller, testCase, sys::path::parent_path(path), options,
                    allocator, launches);
      if (!why && allocator.getLive() != 0)
        why = std::to_string(allocator.getLive()) + " buffers leaked";
    }
    if (why)
      outs() << "FAIL " << testCase.name << ": " << *why << '\n';
    else
      outs() << "PASS " << testCase.name << '\n';
    if (options.showLaunches)
      for (const std::string &launch : launches)
        outs() << "launch: " << launch << '\n';
    outs().flush();
    failures += why.has_value();
  }
  return failures;
}
