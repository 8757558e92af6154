//===- Aliases.cpp - Other names of the same operators --------------------===//
//
//===----------------------------------------------------------------------===//

#include "../Lowering.h"

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

} // namespace tally::import_pt2
