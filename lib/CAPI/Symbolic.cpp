//===- Symbolic.cpp - C interface of the symbolic engine ------------------===//

#include "tally-c/Symbolic.h"

#include "tally/Symbolic/Proof/Prover.h"
#include "tally/Symbolic/Text/Parser.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally;
using llvm::StringRef;
using symbolic::Expr;

namespace {

/// The object of a TallySymbolicContext.
struct Context {
  symbolic::ExprContext expressions;
  symbolic::Facts facts{expressions};
};

/// The object of a TallyProof: facts as they were stated, which a scope may
/// have forgotten since.
struct Proof {
  symbolic::Verdict verdict;
  std::string reason;
  llvm::SmallVector<symbolic::Fact, 4> facts;
};

} // namespace

static Context &unwrap(TallySymbolicContext context) {
  return *static_cast<Context *>(context.ptr);
}

static Expr unwrap(TallyExpr expr) {
  return Expr(static_cast<const symbolic::detail::ExprNode *>(expr.ptr));
}

static TallyExpr wrap(Expr expr) { return {expr.getNode()}; }

static const Proof &unwrap(TallyProof proof) {
  return *static_cast<const Proof *>(proof.ptr);
}

static void print(StringRef text, TallyStringCallback callback, void *user) {
  if (callback)
    callback(text.data(), text.size(), user);
}

TallySymbolicContext tallySymbolicContextCreate(void) {
  return {new Context()};
}

void tallySymbolicContextDestroy(TallySymbolicContext context) {
  delete static_cast<Context *>(context.ptr);
}

//===----------------------------------------------------------------------===//
// Symbols and expressions
//===----------------------------------------------------------------------===//

static symbolic::SymbolType unwrap(TallySymbolType type) {
  switch (type) {
  case TALLY_SYMBOL_INT:
    return symbolic::SymbolType::Int;
  case TALLY_SYMBOL_BOOL:
    return symbolic::SymbolType::Bool;
  case TALLY_SYMBOL_FLOAT:
    return symbolic::SymbolType::Float;
  }
  llvm_unreachable("unknown type of a symbol");
}

TallyExpr tallySymbolicDeclare(TallySymbolicContext context, const char *name,
                               TallySymbolType type) {
  symbolic::ExprContext &expressions = unwrap(context).expressions;
  if (!symbolic::isValidSymbolName(name) || expressions.lookup(name))
    return {nullptr};
  return wrap(expressions.symbol(name, unwrap(type)));
}

TallyExpr tallySymbolicParse(TallySymbolicContext context, const char *text,
                             TallyStringCallback onError, void *user) {
  symbolic::ParseResult result =
      symbolic::parseExpr(text, unwrap(context).expressions);
  if (!result)
    print("column " + std::to_string(result.errorOffset + 1) + ": " +
              result.errorMessage,
          onError, user);
  return wrap(result.expr);
}

TallySymbolType tallyExprGetType(TallyExpr expr) {
  switch (unwrap(expr).getType()) {
  case symbolic::SymbolType::Int:
    return TALLY_SYMBOL_INT;
  case symbolic::SymbolType::Bool:
    return TALLY_SYMBOL_BOOL;
  case symbolic::SymbolType::Float:
    return TALLY_SYMBOL_FLOAT;
  }
  llvm_unreachable("unknown type of an expression");
}

void tallyExprPrint(TallyExpr expr, TallyStringCallback callback, void *user) {
  print(unwrap(expr).str(), callback, user);
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

void tallySymbolicPush(TallySymbolicContext context) {
  unwrap(context).facts.push();
}

bool tallySymbolicPop(TallySymbolicContext context) {
  symbolic::Facts &facts = unwrap(context).facts;
  if (facts.getDepth() == 0)
    return false;
  facts.pop();
  return true;
}

bool tallySymbolicAssume(TallySymbolicContext context, TallyExpr fact,
                         const char *source) {
  if (!unwrap(fact).isBool())
    return false;
  unwrap(context).facts.add(unwrap(fact), symbolic::Provenance::Assumed,
                            source ? source : "");
  return true;
}

bool tallySymbolicAssumeMultiple(TallySymbolicContext context, TallyExpr symbol,
                                 int64_t divisor, const char *source) {
  Expr expr = unwrap(symbol);
  if (!expr.isSymbol() || !expr.isInt() || divisor <= 0)
    return false;
  unwrap(context).facts.setDivisor(expr, divisor, symbolic::Provenance::Assumed,
                                   source ? source : "");
  return true;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// The method that found the answer, or the reason why there is none.
static std::string describe(const symbolic::Answer &answer) {
  return answer.verdict == symbolic::Verdict::Unknown
             ? toString(answer.doubt).str()
             : toString(answer.rung).str();
}

TallyProof tallySymbolicProve(TallySymbolicContext context, TallyExpr query) {
  if (!unwrap(query).isBool())
    return {nullptr};
  symbolic::Facts &facts = unwrap(context).facts;
  symbolic::Answer answer = symbolic::Prover(facts).prove(unwrap(query));
  auto *proof = new Proof{answer.verdict, describe(answer), {}};
  for (symbolic::FactId id : answer.facts)
    proof->facts.push_back(facts.getFact(id));
  return {proof};
}

void tallyProofDestroy(TallyProof proof) {
  delete static_cast<Proof *>(proof.ptr);
}

TallyVerdict tallyProofGetVerdict(TallyProof proof) {
  switch (unwrap(proof).verdict) {
  case symbolic::Verdict::Yes:
    return TALLY_VERDICT_YES;
  case symbolic::Verdict::No:
    return TALLY_VERDICT_NO;
  case symbolic::Verdict::Unknown:
    return TALLY_VERDICT_UNKNOWN;
  case symbolic::Verdict::Contradiction:
    return TALLY_VERDICT_CONTRADICTION;
  }
  llvm_unreachable("unknown verdict");
}

const char *tallyProofGetReason(TallyProof proof) {
  return unwrap(proof).reason.c_str();
}

intptr_t tallyProofGetNumFacts(TallyProof proof) {
  return static_cast<intptr_t>(unwrap(proof).facts.size());
}

TallyExpr tallyProofGetFact(TallyProof proof, intptr_t index) {
  return wrap(unwrap(proof).facts[index].expr);
}

const char *tallyProofGetFactSource(TallyProof proof, intptr_t index) {
  return unwrap(proof).facts[index].source.c_str();
}

TallyExpr tallySymbolicSimplify(TallySymbolicContext context, TallyExpr expr) {
  return wrap(unwrap(context).facts.simplify(unwrap(expr)));
}

/// Prints a bound of an integer expression, if there is one.
static bool
printBound(TallySymbolicContext context, TallyExpr expr,
           llvm::function_ref<symbolic::Bound(const symbolic::Interval &)> get,
           TallyStringCallback callback, void *user) {
  if (!unwrap(expr).isInt())
    return false;
  symbolic::Bound bound = get(unwrap(context).facts.range(unwrap(expr)));
  if (!bound)
    return false;
  std::string text;
  llvm::raw_string_ostream(text) << *bound;
  print(text, callback, user);
  return true;
}

bool tallySymbolicGetLower(TallySymbolicContext context, TallyExpr expr,
                           TallyStringCallback callback, void *user) {
  return printBound(
      context, expr,
      [](const symbolic::Interval &range) { return range.getLower(); },
      callback, user);
}

bool tallySymbolicGetUpper(TallySymbolicContext context, TallyExpr expr,
                           TallyStringCallback callback, void *user) {
  return printBound(
      context, expr,
      [](const symbolic::Interval &range) { return range.getUpper(); },
      callback, user);
}
