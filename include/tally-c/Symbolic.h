//===-- tally-c/Symbolic.h - C interface of the symbolic engine ---*- C -*-===//
//
// Questions about symbolic sizes from C, and from any language that calls C:
// expressions are texts in the grammar of docs/Symbolic.md, facts are stated in
// scopes, and a proof tells what it relies on. Needs nothing of MLIR.
//
//   TallySymbolicContext ctx = tallySymbolicContextCreate();
//   tallySymbolicDeclare(ctx, "n", TALLY_SYMBOL_INT);
//   TallyExpr query = tallySymbolicParse(ctx, "2 * (n // 2) <= n", NULL, NULL);
//   TallyProof proof = tallySymbolicProve(ctx, query);
//   assert(tallyProofGetVerdict(proof) == TALLY_VERDICT_YES);
//   tallyProofDestroy(proof);
//   tallySymbolicContextDestroy(ctx);
//
// A context serves one thread at a time. Expressions live as long as their
// context; objects that are null have a null `ptr`.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_C_SYMBOLIC_H
#define TALLY_C_SYMBOLIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define TALLY_CAPI_EXPORTED
#else
#define TALLY_CAPI_EXPORTED __attribute__((visibility("default")))
#endif

// The names are those of MLIR's C interface.
// NOLINTBEGIN(readability-identifier-naming, modernize-use-using)

#ifdef __cplusplus
extern "C" {
#endif

/// Symbols, expressions and what is known of them.
typedef struct {
  void *ptr;
} TallySymbolicContext;

/// A canonical expression: equal ones of a context are the same pointer.
typedef struct {
  const void *ptr;
} TallyExpr;

/// An answer and why.
typedef struct {
  void *ptr;
} TallyProof;

typedef enum {
  TALLY_SYMBOL_INT = 0,
  TALLY_SYMBOL_BOOL = 1,
  TALLY_SYMBOL_FLOAT = 2
} TallySymbolType;

typedef enum {
  /// It is true, and defined, for every assignment that fits the facts.
  TALLY_VERDICT_YES = 0,
  /// It is false, and defined, for every one.
  TALLY_VERDICT_NO = 1,
  TALLY_VERDICT_UNKNOWN = 2,
  /// No assignment fits the facts.
  TALLY_VERDICT_CONTRADICTION = 3
} TallyVerdict;

/// Gets a part of a text. It is called any number of times.
typedef void (*TallyStringCallback)(const char *data, size_t length,
                                    void *user);

TALLY_CAPI_EXPORTED TallySymbolicContext tallySymbolicContextCreate(void);
TALLY_CAPI_EXPORTED void
tallySymbolicContextDestroy(TallySymbolicContext context);

//===----------------------------------------------------------------------===//
// Symbols and expressions
//===----------------------------------------------------------------------===//

/// Declares a symbol. Null if the text is no name, or one that is declared.
TALLY_CAPI_EXPORTED TallyExpr tallySymbolicDeclare(TallySymbolicContext context,
                                                   const char *name,
                                                   TallySymbolType type);

/// Parses an expression over declared symbols. Null where the text is none:
/// `onError`, which may be null, then gets the message, which says where.
TALLY_CAPI_EXPORTED TallyExpr tallySymbolicParse(TallySymbolicContext context,
                                                 const char *text,
                                                 TallyStringCallback onError,
                                                 void *user);

TALLY_CAPI_EXPORTED TallySymbolType tallyExprGetType(TallyExpr expr);

/// Prints the text that parses to this expression.
TALLY_CAPI_EXPORTED void
tallyExprPrint(TallyExpr expr, TallyStringCallback callback, void *user);

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// Opens a scope.
TALLY_CAPI_EXPORTED void tallySymbolicPush(TallySymbolicContext context);
/// Forgets every fact since the scope was opened. False if there is none.
TALLY_CAPI_EXPORTED bool tallySymbolicPop(TallySymbolicContext context);

/// States that a boolean expression holds. `source` says who states it, for
/// proofs that rely on it. False if the expression is no boolean.
TALLY_CAPI_EXPORTED bool tallySymbolicAssume(TallySymbolicContext context,
                                             TallyExpr fact,
                                             const char *source);

/// States that an integer is a multiple of a positive number. False if it is no
/// symbol, or the number is not positive.
TALLY_CAPI_EXPORTED bool
tallySymbolicAssumeMultiple(TallySymbolicContext context, TallyExpr symbol,
                            int64_t divisor, const char *source);

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// Decides a boolean expression. Returns null for any other.
TALLY_CAPI_EXPORTED TallyProof tallySymbolicProve(TallySymbolicContext context,
                                                  TallyExpr query);
TALLY_CAPI_EXPORTED void tallyProofDestroy(TallyProof proof);
TALLY_CAPI_EXPORTED TallyVerdict tallyProofGetVerdict(TallyProof proof);
/// The method that decided it: `canonical`, `ranges`, `facts`, `linear` or
/// `integer`; why it is open where nothing did.
TALLY_CAPI_EXPORTED const char *tallyProofGetReason(TallyProof proof);
/// The facts that it relies on, in the order in which they were stated.
TALLY_CAPI_EXPORTED intptr_t tallyProofGetNumFacts(TallyProof proof);
TALLY_CAPI_EXPORTED TallyExpr tallyProofGetFact(TallyProof proof,
                                                intptr_t index);
TALLY_CAPI_EXPORTED const char *tallyProofGetFactSource(TallyProof proof,
                                                        intptr_t index);

/// An expression simplified under the facts, in terms of earlier symbols.
TALLY_CAPI_EXPORTED TallyExpr
tallySymbolicSimplify(TallySymbolicContext context, TallyExpr expr);

/// Prints the least and the greatest value that an integer expression can have,
/// as far as that is seen, in decimal digits. False, and nothing is printed,
/// where there is no bound or the expression is no integer.
TALLY_CAPI_EXPORTED bool tallySymbolicGetLower(TallySymbolicContext context,
                                               TallyExpr expr,
                                               TallyStringCallback callback,
                                               void *user);
TALLY_CAPI_EXPORTED bool tallySymbolicGetUpper(TallySymbolicContext context,
                                               TallyExpr expr,
                                               TallyStringCallback callback,
                                               void *user);

#ifdef __cplusplus
}
#endif

// NOLINTEND(readability-identifier-naming, modernize-use-using)

#endif // TALLY_C_SYMBOLIC_H
