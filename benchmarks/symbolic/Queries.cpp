//===- Queries.cpp - The short questions of queries.txt -------------------===//

#include "Queries.h"

#include "tally/Symbolic/Text/Parser.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"

#include <fstream>

using namespace tally::symbolic;
using llvm::StringRef;

std::vector<Query> readQueries(const char *path) {
  std::ifstream file(path);
  if (!file)
    llvm::report_fatal_error("cannot read the queries");
  std::vector<Query> queries;
  Query query;
  for (std::string line; std::getline(file, line);) {
    auto [keyword, rest] = StringRef(line).split(' ');
    if (keyword == "symbol")
      query.symbols.push_back(rest.str());
    else if (keyword == "fact")
      query.facts.push_back(rest.str());
    else if (keyword == "prove")
      query.question = rest.str();
    if (keyword == "prove") {
      queries.push_back(query);
      query = Query();
    }
  }
  return queries;
}

Answer answerQuery(const Query &query) {
  ExprContext context;
  Facts facts(context);
  for (const std::string &name : query.symbols)
    facts.setRange(context.symbol(name), Interval::atLeast(0));
  for (const std::string &fact : query.facts)
    facts.add(*parseExpr(fact, context));
  return Prover(facts).prove(*parseExpr(query.question, context));
}
