//===- Benchmark.cpp - How fast the symbolic engine is --------------------===//
//
// The streams that README.md in this folder describes.
//
//===----------------------------------------------------------------------===//

#include "Queries.h"

#include "benchmark/benchmark.h"

#include <algorithm>
#include <chrono>
#include <random>

using namespace tally::symbolic;

namespace {

/// A random expression in postfix: operands are popped, the result is pushed.
struct Step {
  enum Kind : uint8_t { Symbol, Constant, Add, Mul, FloorDiv, Mod, Min } kind;
  /// Number of a symbol, value of a literal.
  int64_t value;
};

/// Trees of 5 to 15 nodes; most divisors are literals, one in eight a symbol.
class TreeMaker {
public:
  explicit TreeMaker(unsigned seed) : random(seed) {}

  std::vector<Step> make() {
    steps.clear();
    grow(std::uniform_int_distribution<int>(2, 7)(random));
    return steps;
  }

private:
  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

  /// Appends a tree with this many leaves.
  void grow(int leaves) {
    if (leaves == 1) {
      if (pick(0, 3) == 0)
        steps.push_back({Step::Constant, pick(-8, 64)});
      else
        steps.push_back({Step::Symbol, pick(0, 7)});
      return;
    }
    auto kind = static_cast<Step::Kind>(pick(Step::Add, Step::Min));
    int left = pick(1, leaves - 1);
    if (kind != Step::FloorDiv && kind != Step::Mod) {
      grow(left);
      grow(leaves - left);
    } else {
      grow(leaves - 1);
      if (pick(0, 7) == 0)
        steps.push_back({Step::Symbol, pick(0, 7)});
      else
        steps.push_back({Step::Constant, pick(2, 16)});
    }
    steps.push_back({kind, 0});
  }

  std::mt19937 random;
  std::vector<Step> steps;
};

Expr build(const std::vector<Step> &steps, ExprContext &context,
           const std::vector<Expr> &symbols) {
  llvm::SmallVector<Expr, 16> stack;
  for (const Step &step : steps) {
    if (step.kind == Step::Symbol) {
      stack.push_back(symbols[step.value]);
      continue;
    }
    if (step.kind == Step::Constant) {
      stack.push_back(context.constant(step.value));
      continue;
    }
    Expr b = stack.pop_back_val(), a = stack.pop_back_val();
    stack.push_back(step.kind == Step::Add        ? context.add(a, b)
                    : step.kind == Step::Mul      ? context.mul(a, b)
                    : step.kind == Step::FloorDiv ? context.floorDiv(a, b)
                    : step.kind == Step::Mod      ? context.mod(a, b)
                                                  : context.min(a, b));
  }
  return stack.back();
}

std::vector<Expr> makeSymbols(ExprContext &context, size_t count) {
  std::vector<Expr> symbols;
  for (size_t i = 0; i != count; ++i)
    symbols.push_back(context.symbol("s" + std::to_string(i)));
  return symbols;
}

/// Building and canonicalizing different small expressions in one context.
void buildSmall(benchmark::State &state) {
  TreeMaker maker(1);
  std::vector<std::vector<Step>> trees(20000);
  size_t numNodes = 0;
  for (std::vector<Step> &tree : trees) {
    tree = maker.make();
    numNodes += tree.size();
  }
  size_t made = 0, memory = 0;
  for (auto _ : state) {
    ExprContext context;
    std::vector<Expr> symbols = makeSymbols(context, 8);
    for (const std::vector<Step> &tree : trees)
      benchmark::DoNotOptimize(build(tree, context, symbols));
    made = context.getNumNodes();
    memory = context.getMemoryUsed();
  }
  state.SetItemsProcessed(state.iterations() * numNodes);
  state.counters["distinct_nodes"] = made;
  state.counters["bytes_per_node"] = double(memory) / made;
}

/// A sum of many symbols at once.
void buildSum(benchmark::State &state) {
  for (auto _ : state) {
    ExprContext context;
    std::vector<Expr> symbols = makeSymbols(context, state.range(0));
    benchmark::DoNotOptimize(context.sum(symbols));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetComplexityN(state.range(0));
}

/// A sum that grows by one symbol at a time.
void growSum(benchmark::State &state) {
  for (auto _ : state) {
    ExprContext context;
    Expr sum = context.zero();
    for (Expr symbol : makeSymbols(context, state.range(0)))
      sum = context.add(sum, symbol);
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

/// N times: a new symbol, a fact that it is natural, a question about the sum
/// of all symbols so far, and the same as a fact.
void prefixSums(benchmark::State &state) {
  for (auto _ : state) {
    ExprContext context;
    Facts facts(context);
    Prover prover(facts);
    Expr sum = context.zero(), limit = context.constant(1000000);
    for (Expr symbol : makeSymbols(context, state.range(0))) {
      facts.add(context.ge(symbol, context.zero()));
      sum = context.add(sum, symbol);
      Expr bound = context.le(sum, limit);
      if (prover.prove(bound).verdict != Verdict::Unknown)
        state.SkipWithError("nobody can know that");
      facts.add(bound);
    }
    if (!prover.isProven(context.le(sum, limit)))
      state.SkipWithError("a fact was forgotten");
  }
}

/// Facts of all kinds about many symbols, each about two or three that were
/// defined near each other. All of them hold where every symbol is 0.
class Mix {
public:
  Mix(ExprContext &context, size_t numSymbols)
      : context(context), symbols(makeSymbols(context, numSymbols)) {}

  size_t getNumSymbols() const { return symbols.size(); }

  /// The range of a symbol.
  Expr makeRange(size_t index) {
    return context.logicalAnd(
        context.le(context.zero(), symbols[index]),
        context.le(symbols[index], context.constant(pick(1000, 100000))));
  }
  /// Of ten relations two are divisors, four `a <= b`, three `a + b <= c` and
  /// one is an equality, `a == 2 * b`, with each symbol defined at most once.
  Expr makeRelation() {
    size_t index = pick(0, symbols.size() - 17);
    Expr a = symbols[index], b = symbols[index + pick(1, 8)],
         c = symbols[index + pick(9, 16)];
    int64_t kind = pick(0, 9);
    if (kind < 2)
      return context.eq(context.mod(a, context.constant(8)), context.zero());
    if (kind == 2 && nextDefined < symbols.size()) {
      Expr twice = context.scale(DynamicAPInt(2), symbols[nextDefined - 1]);
      Expr result = context.eq(symbols[nextDefined], twice);
      nextDefined += 4;
      return result;
    }
    return kind < 7 ? context.le(a, b) : context.le(context.add(a, b), c);
  }
  /// One that follows from a fact, from ranges, or from nothing.
  Expr makeQuestion() {
    size_t index = pick(0, symbols.size() - 17);
    Expr a = symbols[index], b = symbols[index + pick(1, 8)];
    switch (pick(0, 3)) {
    case 0:
      return context.ge(context.add(a, b), context.zero());
    case 1:
      return context.le(a, context.constant(100000));
    case 2:
      return context.eq(context.mod(a, context.constant(4)), context.zero());
    default:
      return context.le(a, b);
    }
  }

private:
  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

  ExprContext &context;
  std::vector<Expr> symbols;
  std::mt19937 random{7};
  size_t nextDefined = 3;
};

/// N / 5 symbols and N facts, the range of each symbol first, and a question
/// after every 25th.
void mixedFacts(benchmark::State &state) {
  size_t numFacts = state.range(0), numDecided = 0;
  for (auto _ : state) {
    ExprContext context;
    Facts facts(context);
    Prover prover(facts);
    Mix mix(context, numFacts / 5);
    numDecided = 0;
    for (size_t i = 0; i != numFacts; ++i) {
      facts.add(i < mix.getNumSymbols() ? mix.makeRange(i)
                                        : mix.makeRelation());
      if (i % 25 == 24)
        numDecided +=
            prover.prove(mix.makeQuestion()).verdict != Verdict::Unknown;
    }
    if (facts.isContradictory())
      state.SkipWithError("the facts exclude each other");
  }
  state.counters["decided"] = double(numDecided) / (numFacts / 25);
  state.SetComplexityN(numFacts);
}

/// A scope with one fact and one question beside many facts.
void pushPop(benchmark::State &state) {
  ExprContext context;
  Facts facts(context);
  Prover prover(facts);
  Mix mix(context, state.range(0) / 5);
  for (int64_t i = 0; i != state.range(0); ++i)
    facts.add(size_t(i) < mix.getNumSymbols() ? mix.makeRange(i)
                                              : mix.makeRelation());
  Expr last = context.symbol("last");
  Expr fact = context.ge(last, context.constant(5));
  Expr question = context.ge(last, context.constant(3));
  for (auto _ : state) {
    Facts::Scope scope(facts);
    facts.add(fact);
    if (!prover.isProven(question))
      state.SkipWithError("a fact was forgotten");
  }
}

/// The questions of queries.txt, each from text in a fresh context. Reports
/// the median and the slowest, of the best of several runs of each.
void queries(benchmark::State &state) {
  using Clock = std::chrono::steady_clock;
  std::vector<Query> all = readQueries(TALLY_QUERIES);
  std::vector<double> best(all.size(), 1e9);
  size_t numDecided = 0;
  for (auto _ : state) {
    numDecided = 0;
    for (size_t i = 0; i != all.size(); ++i) {
      Clock::time_point start = Clock::now();
      numDecided += answerQuery(all[i]).verdict != Verdict::Unknown;
      std::chrono::duration<double, std::micro> taken = Clock::now() - start;
      best[i] = std::min(best[i], taken.count());
    }
  }
  std::sort(best.begin(), best.end());
  state.counters["median_us"] = best[best.size() / 2];
  state.counters["slowest_us"] = best.back();
  state.counters["decided"] = numDecided;
  state.counters["questions"] = all.size();
}

} // namespace

BENCHMARK(buildSmall)->Unit(benchmark::kMillisecond);
BENCHMARK(buildSum)->Range(1000, 100000)->Unit(benchmark::kMicrosecond);
BENCHMARK(growSum)->Arg(400)->Arg(10000)->Unit(benchmark::kMicrosecond);
BENCHMARK(prefixSums)
    ->Arg(50)
    ->Arg(100)
    ->Arg(200)
    ->Arg(400)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(mixedFacts)
    ->Arg(1000)
    ->Arg(5000)
    ->Arg(10000)
    ->Arg(31623)
    ->Arg(100000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(pushPop)->Arg(1000)->Arg(100000)->Unit(benchmark::kNanosecond);
BENCHMARK(queries)->Unit(benchmark::kMicrosecond);

BENCHMARK_MAIN();
