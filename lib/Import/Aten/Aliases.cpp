//===- Aliases.cpp - The table of operators, and their other names --------===//
//
//===----------------------------------------------------------------------===//

#include "Complex.h"
#include "FFT.h"
#include "LinearAlgebra.h"

using namespace mlir;

namespace tally::import_pt2 {

/// Names of operators that mean the same as another, with equal arguments.
static constexpr std::pair<StringLiteral, StringLiteral> kAliases[] = {
    {"arccos", "acos"},         {"arccosh", "acosh"},
    {"arcsin", "asin"},         {"arcsinh", "asinh"},
    {"arctan", "atan"},         {"arctan2", "atan2"},
    {"arctanh", "atanh"},       {"clip", "clamp"},
    {"divide", "div"},          {"linalg_matmul", "matmul"},
    {"moveaxis", "movedim"},    {"special_entr", "entr"},
    {"special_erf", "erf"},     {"special_erfc", "erfc"},
    {"special_exp2", "exp2"},   {"special_expit", "sigmoid"},
    {"special_expm1", "expm1"}, {"special_log1p", "log1p"},
    {"special_logit", "logit"}, {"special_logsumexp", "logsumexp"},
    {"special_round", "round"}, {"special_sinc", "sinc"},
    {"special_xlogy", "xlogy"}, {"unsafe_chunk", "chunk"},
    {"unsafe_split", "split"},  {"unsafe_split_with_sizes", "split_with_sizes"},
};

void LoweringTable::addAliases() {
  std::vector<std::pair<std::string, LowerFn>> added;
  for (const auto &entry : table) {
    auto [name, overload] = entry.first().drop_front(5).split('.');
    if (!entry.first().starts_with("aten."))
      continue;
    for (const auto &[alias, meant] : kAliases)
      if (name == meant)
        added.push_back(
            {("aten." + alias + "." + overload).str(), entry.second});
  }
  for (const auto &[target, lower] : added)
    table.try_emplace(target, lower);
}

LoweringTable::LoweringTable(bool onPairs) {
  if (onPairs) {
    addComplex(*this);
    addComplexCreation(*this);
    addPlacesOfPairs(*this);
    addAliases();
    return;
  }
  addElementwise(*this);
  addBinary(*this);
  addComparisons(*this);
  addReductions(*this);
  addNormalizations(*this);
  addContractions(*this);
  addAttention(*this);
  addViews(*this);
  addStrided(*this);
  addPermutations(*this);
  addSlices(*this);
  addJoins(*this);
  addIndexing(*this);
  addScatters(*this);
  addCreation(*this);
  addConversions(*this);
  addScans(*this);
  addSymbolic(*this);
  addChecks(*this);
  addDataDependent(*this);
  addConvolutions(*this);
  addPools(*this);
  addPoolGradients(*this);
  addNormalizationGradients(*this);
  addActivationGradients(*this);
  addBags(*this);
  addWindows(*this);
  addRecurrent(*this);
  addHigherOrder(*this);
  addLoops(*this);
  addVmap(*this);
  addProducts(*this);
  addGroupedProducts(*this);
  addLosses(*this);
  addLossGradients(*this);
  addPadGradients(*this);
  addSpecial(*this);
  addShapes(*this);
  addSearches(*this);
  addSegments(*this);
  addStatistics(*this);
  addDistances(*this);
  addGamma(*this);
  addImages(*this);
  addGridSampler(*this);
  addSTFT(*this);
  addLinearAlgebra(*this);
  addFFTToReal(*this);
  addAliases();
}

const LoweringTable &LoweringTable::get(bool onPairs) {
  static const LoweringTable table(false), pairs(true);
  return onPairs ? pairs : table;
}

LoweringTable::Entry LoweringTable::lookup(StringRef target) const {
  if (LowerFn lower = table.lookup(target))
    return {lower, ""};
  if (!target.consume_front("aten."))
    return {};
  auto [name, overload] = target.split('.');
  auto find = [&](StringRef name, StringRef overload) {
    return table.lookup(("aten." + name + "." + overload).str());
  };
  // aten.add_.Tensor is aten.add.Tensor written to its first argument.
  if (name.ends_with("_") && !name.ends_with("__")) {
    StringRef plain = name.drop_back();
    LowerFn lower = find(plain, overload);
    // Views have one form of many overloads.
    if (!lower && overload == "default")
      lower = find(plain, "int");
    return {lower, lower ? "self" : ""};
  }
  // aten.select_copy.int is a copy of the view aten.select.int.
  if (StringRef plain = name; plain.consume_back("_copy"))
    return {find(plain, overload), "", /*copies=*/true};
  // aten.add.out is one of them written to its last argument.
  if (overload == "out") {
    for (StringRef functional : {"default", "Tensor", "self"})
      if (LowerFn lower = find(name, functional))
        return {lower, "out"};
  } else if (overload.consume_back("_out")) {
    if (LowerFn lower = find(name, overload))
      return {lower, "out"};
  }
  return {};
}

} // namespace tally::import_pt2
