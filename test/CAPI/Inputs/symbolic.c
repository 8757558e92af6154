/* The engine from C: questions, facts in scopes, and why an answer is given. */
#include "tally-c/Symbolic.h"

#include <stdio.h>
#include <string.h>

static void show(const char *data, size_t length, void *user) {
  (void)user;
  fwrite(data, 1, length, stdout);
}

static void ask(TallySymbolicContext ctx, const char *text) {
  static const char *const verdicts[] = {"yes", "no", "unknown",
                                         "contradiction"};
  printf("%s: ", text);
  TallyExpr query = tallySymbolicParse(ctx, text, show, NULL);
  if (!query.ptr) {
    puts("");
    return;
  }
  TallyProof proof = tallySymbolicProve(ctx, query);
  if (!proof.ptr) {
    puts("not a question");
    return;
  }
  printf("%s (%s)", verdicts[tallyProofGetVerdict(proof)],
         tallyProofGetReason(proof));
  for (intptr_t i = 0; i < tallyProofGetNumFacts(proof); ++i) {
    printf("%s", i ? ", " : " from ");
    tallyExprPrint(tallyProofGetFact(proof, i), show, NULL);
    printf(" [%s]", tallyProofGetFactSource(proof, i));
  }
  puts("");
  tallyProofDestroy(proof);
}

int main(void) {
  TallySymbolicContext ctx = tallySymbolicContextCreate();
  TallyExpr n = tallySymbolicDeclare(ctx, "n", TALLY_SYMBOL_INT);
  TallyExpr p = tallySymbolicDeclare(ctx, "p", TALLY_SYMBOL_BOOL);
  // CHECK: names: 1 0 0
  printf("names: %d %d %d\n", n.ptr != NULL,
         tallySymbolicDeclare(ctx, "n", TALLY_SYMBOL_INT).ptr != NULL,
         tallySymbolicDeclare(ctx, "2n", TALLY_SYMBOL_INT).ptr != NULL);
  // CHECK: 2 * (n // 2) <= n: yes (
  ask(ctx, "2 * (n // 2) <= n");
  // CHECK: n >= 1: unknown (two assignments disagree)
  ask(ctx, "n >= 1");
  // CHECK: k >= 1: column 1: {{.*}}k
  ask(ctx, "k >= 1");
  // CHECK: n + 1: not a question
  ask(ctx, "n + 1");

  tallySymbolicPush(ctx);
  TallyExpr fact = tallySymbolicParse(ctx, "n >= 3", NULL, NULL);
  // CHECK: facts: 1 0 1 0
  printf("facts: %d %d %d %d\n", tallySymbolicAssume(ctx, fact, "x.size(0)"),
         tallySymbolicAssume(ctx, n, ""),
         tallySymbolicAssumeMultiple(ctx, n, 8, "stated"),
         tallySymbolicAssumeMultiple(ctx, p, 8, ""));
  // CHECK: n >= 1: yes (ranges) from {{.*}}3 <= n [x.size(0)]
  ask(ctx, "n >= 1");
  // CHECK: n % 4 == 0: yes ({{.*}}) from {{.*}} [stated]
  ask(ctx, "n % 4 == 0");
  // CHECK: lower: 8 1
  printf("lower: ");
  printf(" %d", tallySymbolicGetLower(ctx, n, show, NULL));
  // CHECK-NEXT: upper: none
  printf("\nupper: ");
  if (!tallySymbolicGetUpper(ctx, n, show, NULL))
    puts("none");
  // CHECK: closed: 1 0
  printf("closed: %d", tallySymbolicPop(ctx));
  printf(" %d\n", tallySymbolicPop(ctx));
  // CHECK: n >= 1: unknown
  ask(ctx, "n >= 1");

  TallyExpr sum = tallySymbolicParse(ctx, "n + n - 2 * n + 7", NULL, NULL);
  // CHECK: 7 of type 0, p of type 1
  tallyExprPrint(tallySymbolicSimplify(ctx, sum), show, NULL);
  printf(" of type %d, p of type %d\n", tallyExprGetType(sum),
         tallyExprGetType(p));
  tallySymbolicContextDestroy(ctx);
  return 0;
}
