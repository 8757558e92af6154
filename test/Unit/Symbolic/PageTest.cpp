//===- PageTest.cpp - The C++ of docs/Symbolic.md -------------------------===//
//
// The example of the page about the symbolic engine, and what it prints.
// test/Docs/symbolic.test sees to it that the page shows this code.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Proof/Prover.h"
#include "tally/Symbolic/Text/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace tally::symbolic;

static void printAnswer(Facts &facts, Expr query, llvm::raw_ostream &os) {
  Answer answer = Prover(facts).prove(query);
  os << query << ": " << toString(answer.verdict) << " by "
     << toString(answer.rung) << "\n";
  for (FactId id : answer.facts) {
    const Fact &fact = facts.getFact(id);
    os << "  " << fact.expr << ", " << toString(fact.provenance) << ": "
       << fact.source << "\n";
  }
}

static void askAboutHeads(llvm::raw_ostream &os) {
  ExprContext context;
  Expr hidden = context.symbol("hidden");
  Expr heads = context.symbol("heads");

  Facts facts(context);
  facts.setRange(hidden, Interval::of(0, 1 << 20), Provenance::Checked,
                 "x.size(1)");
  facts.setDivisor(hidden, 64, Provenance::Checked, "x.size(1)");
  facts.add(context.ge(heads, context.one()), Provenance::Assumed, "config");

  // Equal polynomials are the same pointer.
  Expr square = context.pow(context.add(hidden, heads), 2);
  Expr sum = *parseExpr("hidden**2 + 2*heads*hidden + heads**2", context);
  os << (square == sum ? "same" : "different") << "\n";

  printAnswer(facts, context.le(context.floorDiv(hidden, heads), hidden), os);
  Expr exact = *parseExpr("heads * (hidden floordiv heads) == hidden", context);
  printAnswer(facts, exact, os);
  {
    Facts::Scope scope(facts);
    facts.add(*parseExpr("hidden mod heads == 0", context), Provenance::Checked,
              "view");
    printAnswer(facts, exact, os);
  }
  // What the scope stated is forgotten here.
}

TEST(Page, ExamplePrintsWhatThePageShows) {
  std::string text;
  llvm::raw_string_ostream os(text);
  askAboutHeads(os);
  EXPECT_EQ(text, R"(same
hidden floordiv heads <= hidden: yes by linear
  hidden <= 1048576 and 0 <= hidden, checked: x.size(1)
  hidden mod 64 == 0, checked: x.size(1)
  1 <= heads, assumed: config
hidden mod heads == 0: unknown by none
hidden mod heads == 0: yes by ranges
  hidden mod heads == 0, checked: view
)");
}
