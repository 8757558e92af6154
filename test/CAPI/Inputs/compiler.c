/* A program from the named form to a call, all of it from C. */
#include "mlir-c/Diagnostics.h"
#include "tally-c/Tally.h"
#include "tally/Runtime/tally_runtime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show(MlirStringRef text, void *user) {
  (void)user;
  fwrite(text.data, 1, text.length, stdout);
}

static MlirLogicalResult showDiagnostic(MlirDiagnostic diagnostic, void *user) {
  (void)user;
  printf("error: ");
  mlirDiagnosticPrint(diagnostic, show, NULL);
  puts("");
  return mlirLogicalResultSuccess();
}

static MlirStringRef ref(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

static void showAttribute(MlirAttribute attribute) {
  mlirAttributePrint(attribute, show, NULL);
  puts("");
}

static void checkAttributes(MlirContext context) {
  MlirAttribute exprs[] = {tallyExprAttrGet(context, ref("s0 * 2")),
                           tallyExprAttrGet(context, ref("4"))};
  MlirAttribute shape = tallyShapeAttrGet(context, 2, exprs);
  // CHECK: #tally.shape<s0 * 2, 4>
  showAttribute(shape);
  // CHECK-NEXT: rank 2, s0 * 2, 1 0
  MlirStringRef text = tallyExprAttrGetText(tallyShapeAttrGetSize(shape, 0));
  printf("rank %d, %.*s, %d %d\n", (int)tallyShapeAttrGetRank(shape),
         (int)text.length, text.data, tallyAttributeIsAShape(shape),
         tallyAttributeIsAExpr(shape));
  // CHECK-NEXT: error: {{.*}}
  // CHECK-NEXT: 1
  printf("%d\n", tallyExprAttrGet(context, ref("s0 *")).ptr == NULL);

  // CHECK-NEXT: error: a size of a #tally.shape is a #tally.expr
  // CHECK-NEXT: 1
  printf("%d\n", tallyShapeAttrGet(context, 1, &shape).ptr == NULL);

  TallySymbolDeclaration symbols[3] = {
      tallySymbolDeclarationGetBacked(ref("s0")),
      tallySymbolDeclarationGetBacked(ref("u0")),
      tallySymbolDeclarationGetBacked(ref("zf"))};
  symbols[0].hasUpper = true;
  symbols[0].upper = 64;
  symbols[0].divisor = 8;
  symbols[0].source = ref("x.size(0)");
  symbols[1].isUnbacked = true;
  symbols[1].hasLower = false;
  symbols[1].isAssumed = true;
  MlirAttribute table = tallySymbolsAttrGet(context, 2, symbols);
  // CHECK-NEXT: #tally.symbols<s0 : [0, 64] % 8 from "x.size(0)", u0 :
  // unbacked assumed>
  showAttribute(table);
  TallySymbolDeclaration first = tallySymbolsAttrGetSymbol(table, 0);
  // CHECK-NEXT: 2: s0 up to 64 by 8
  printf("%d: %.*s up to %d by %d\n", (int)tallySymbolsAttrGetNumSymbols(table),
         (int)first.name.length, first.name.data, (int)first.upper,
         (int)first.divisor);
  TallySymbolDeclaration second = tallySymbolsAttrGetSymbol(table, 1);
  // CHECK-NEXT: unbacked 1, assumed 1, with a lower bound 0
  printf("unbacked %d, assumed %d, with a lower bound %d\n", second.isUnbacked,
         second.isAssumed, second.hasLower);
  /* What is read is what was written. */
  symbols[0].hasHint = true;
  symbols[0].hint = 16;
  symbols[0].lower = 8;
  symbols[2].type = TALLY_SYMBOL_FLOAT;
  symbols[2].hasLower = false;
  TallySymbolDeclaration again[3];
  MlirAttribute all = tallySymbolsAttrGet(context, 3, symbols);
  // CHECK-NEXT: #tally.symbols<s0 : [8, 64] % 8 hint 16 from "x.size(0)"
  showAttribute(all);
  for (int i = 0; i < 3; ++i)
    again[i] = tallySymbolsAttrGetSymbol(all, i);
  // CHECK-NEXT: same 1
  printf("same %d\n",
         mlirAttributeEqual(all, tallySymbolsAttrGet(context, 3, again)));
  symbols[0].divisor = 0;
  // CHECK-NEXT: error: the divisor of symbol 's0' must be at least 1, not 0
  // CHECK-NEXT: 1
  printf("%d\n", tallySymbolsAttrGet(context, 2, symbols).ptr == NULL);

  TallySymbolBinding binding = {ref("u0"), 0, TALLY_KEY_PATH_SIZE, 1, 1};
  MlirAttribute bindings = tallyBindingsAttrGet(context, 1, &binding);
  // CHECK-NEXT: #tally.bindings<u0 = result(0).size(1)>
  showAttribute(bindings);
  // CHECK-NEXT: 1 of dim 1
  printf("%d of dim %d\n", (int)tallyBindingsAttrGetNumBindings(bindings),
         (int)tallyBindingsAttrGetBinding(bindings, 0).dim);

  MlirAttribute path = tallyPathAttrGet(context, 2, TALLY_KEY_PATH_STRIDE, 1);
  // CHECK-NEXT: #tally.path<argument(2).stride(1)>
  showAttribute(path);
  // CHECK-NEXT: stride of dim 1 of argument 2, 1 0
  printf("stride of dim %u of argument %u, %d %d\n", tallyPathAttrGetDim(path),
         tallyPathAttrGetArgument(path),
         tallyPathAttrGetKind(path) == TALLY_KEY_PATH_STRIDE,
         tallyAttributeIsAPath(bindings));
  // CHECK-NEXT: #tally.path<argument(0).storage_offset>
  showAttribute(tallyPathAttrGet(context, 0, TALLY_KEY_PATH_STORAGE_OFFSET, 7));
}

static void run(MlirContext context, MlirModule module, const char *pipeline) {
  MlirPassManager pm = mlirPassManagerCreate(context);
  MlirLogicalResult parsed = mlirOpPassManagerAddPipeline(
      mlirPassManagerGetAsOpPassManager(pm), ref(pipeline), show, NULL);
  if (mlirLogicalResultIsFailure(parsed) ||
      mlirLogicalResultIsFailure(
          mlirPassManagerRunOnOp(pm, mlirModuleGetOperation(module))))
    exit(1);
  mlirPassManagerDestroy(pm);
}

typedef int32_t (*Function)(tally_rt_context *, DLTensor *const *, int32_t,
                            DLManagedTensor **, int32_t);

/* Calls a library with x of 2 x 3 and y of `size`. */
static void call(const char *path, int64_t size) {
  void *library = dlopen(path, RTLD_NOW);
  if (!library) {
    puts(dlerror());
    exit(1);
  }
  Function function;
  *(void **)&function = dlsym(library, "taste_reshape_add");
  tally_rt_context *(*create)(const tally_rt_config *);
  *(void **)&create = dlsym(library, "tally_rt_context_create");
  const tally_rt_error *(*lastError)(const tally_rt_context *);
  *(void **)&lastError = dlsym(library, "tally_rt_last_error");
  float xs[8] = {1, 2, 3, 4, 5, 6, 7, 8},
        ys[8] = {10, 20, 30, 40, 50, 60, 70, 80};
  int64_t shapeX[2] = {1, 8}, shapeY[1] = {size};
  DLTensor x = {xs, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shapeX, NULL, 0};
  DLTensor y = {ys, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shapeY, NULL, 0};
  DLTensor *arguments[2] = {&x, &y};
  DLManagedTensor *result = NULL;
  tally_rt_context *ctx = create(NULL);
  int32_t status = function(ctx, arguments, 2, &result, 1);
  if (status == TALLY_RT_OK)
    printf("%g ... %g\n", ((float *)result->dl_tensor.data)[0],
           ((float *)result->dl_tensor.data)[7]);
  else
    printf("status %d: %s\n", status, lastError(ctx)->message);
}

int main(int argc, char **argv) {
  (void)argc;
  const char *source = argv[1], *output = argv[2], *runtime = argv[3];
  tallyRegisterAllPasses();
  tallyRegisterAllPasses();
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  tallyRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, true);
  mlirContextAttachDiagnosticHandler(context, showDiagnostic, NULL, NULL);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__tally__(), context);
  checkAttributes(context);

  MlirModule module = mlirModuleCreateParse(context, ref(source));
  // CHECK: tally.check <s0 * s1 == s2>
  // CHECK-SAME: required_by("linalg.add")
  run(context, module,
      "tally-propagate-shapes,any(tally-bind-symbols),tally-lift-free-symbols,"
      "any(tally-verify-form{form=bound})");
  mlirOperationPrint(mlirModuleGetOperation(module), show, NULL);
  // CHECK: tally.assert %{{.*}}, <s0 * s1 == s2>
  run(context, module, "tally-check-pipeline");
  mlirOperationPrint(mlirModuleGetOperation(module), show, NULL);

  TallyCompileOptions options = {0};
  options.prefix = ref("taste");
  options.runtime = ref(runtime);
  if (mlirLogicalResultIsFailure(tallyLowerModule(module, &options)) ||
      mlirLogicalResultIsFailure(
          tallyWriteModule(module, &options, ref(output), show, NULL)))
    return 1;
  // CHECK: cannot
  options.runtime = ref("/nowhere.a");
  printf("\n%d\n", mlirLogicalResultIsFailure(tallyWriteModule(
                       module, &options, ref("/nowhere/f.a"), show, NULL)));
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);

  // CHECK: 11 ... 88
  call(output, 8);
  // CHECK: status 1: {{.*}}s0 * s1 == s2 does not hold
  call(output, 7);
  return 0;
}
