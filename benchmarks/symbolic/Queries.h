//===- Queries.h - The short questions of queries.txt -----------*- C++ -*-===//

#ifndef TALLY_BENCHMARKS_SYMBOLIC_QUERIES_H
#define TALLY_BENCHMARKS_SYMBOLIC_QUERIES_H

#include "tally/Symbolic/Proof/Prover.h"

#include <string>
#include <vector>

/// One question in a context of its own.
struct Query {
  std::vector<std::string> symbols, facts;
  std::string question;
};

/// Reads the statements of tally-prove that queries.txt uses: `symbol NAME`
/// (a natural number), `fact`, `prove` and `reset`.
std::vector<Query> readQueries(const char *path);

/// Answers a question from the text, in a fresh context.
tally::symbolic::Answer answerQuery(const Query &query);

#endif // TALLY_BENCHMARKS_SYMBOLIC_QUERIES_H
