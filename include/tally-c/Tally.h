//===-- tally-c/Tally.h - C interface of the compiler -------------*- C -*-===//
//
// The dialect, its attributes, the passes and the way to code from C, in the
// manner of MLIR's C interface, which these functions go with. The symbolic
// engine has an interface of its own: tally-c/Symbolic.h.
//
// Passes and pipelines are added by name, once they are registered:
//
//   tallyRegisterAllPasses();
//   MlirPassManager pm = mlirPassManagerCreate(context);
//   mlirOpPassManagerAddPipeline(
//       mlirPassManagerGetAsOpPassManager(pm),
//       mlirStringRefCreateFromCString("tally-check-pipeline{verify=true}"),
//       onError, user);
//
// There is no function for each pass, as MLIR generates them for its own: text
// takes the options of a pass too, and is what tally-opt prints.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_C_TALLY_H
#define TALLY_C_TALLY_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Support.h"
#include "tally-c/Symbolic.h"

// The names are those of MLIR's C interface.
// NOLINTBEGIN(readability-identifier-naming, modernize-use-using)

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

/// mlirGetDialectHandle__tally__(): the dialect alone.
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Tally, tally);

/// Adds the dialect, upstream's dialects and the models through which their
/// operations take part: all that a program may need on its way to code.
TALLY_CAPI_EXPORTED void tallyRegisterAllDialects(MlirDialectRegistry registry);

/// Registers Tally's passes and pipelines for pass managers that are built from
/// text. May be called more than once.
TALLY_CAPI_EXPORTED void tallyRegisterAllPasses(void);

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

// An error in an attribute is reported through the diagnostics of the context;
// the result is null then.

/// `#tally.expr<s0 * s1>`.
TALLY_CAPI_EXPORTED bool tallyAttributeIsAExpr(MlirAttribute attribute);
TALLY_CAPI_EXPORTED MlirAttribute tallyExprAttrGet(MlirContext context,
                                                   MlirStringRef text);
TALLY_CAPI_EXPORTED MlirStringRef tallyExprAttrGetText(MlirAttribute expr);

/// `#tally.shape<s0, 4>`, from one #tally.expr for each dimension.
TALLY_CAPI_EXPORTED bool tallyAttributeIsAShape(MlirAttribute attribute);
TALLY_CAPI_EXPORTED MlirAttribute tallyShapeAttrGet(MlirContext context,
                                                    intptr_t rank,
                                                    const MlirAttribute *sizes);
TALLY_CAPI_EXPORTED intptr_t tallyShapeAttrGetRank(MlirAttribute shape);
TALLY_CAPI_EXPORTED MlirAttribute tallyShapeAttrGetSize(MlirAttribute shape,
                                                        intptr_t dim);

/// The declaration of a symbol: an entry of `#tally.symbols`.
typedef struct {
  MlirStringRef name;
  TallySymbolType type;
  /// Whether it is defined inside of the function.
  bool isUnbacked;
  /// Whether the caller tells it and nobody checks it.
  bool isAssumed;
  bool hasLower, hasUpper, hasHint;
  int64_t lower, upper, hint;
  /// At least 1.
  int64_t divisor;
  /// Its name in messages, such as `x.size(0)`; may be empty.
  MlirStringRef source;
} TallySymbolDeclaration;

/// A backed integer of the default range, [0, inf].
TALLY_CAPI_EXPORTED TallySymbolDeclaration
tallySymbolDeclarationGetBacked(MlirStringRef name);

/// `#tally.symbols<s0 : [0, 64], u0 : unbacked>`.
TALLY_CAPI_EXPORTED bool tallyAttributeIsASymbols(MlirAttribute attribute);
TALLY_CAPI_EXPORTED MlirAttribute
tallySymbolsAttrGet(MlirContext context, intptr_t numSymbols,
                    const TallySymbolDeclaration *symbols);
TALLY_CAPI_EXPORTED intptr_t
tallySymbolsAttrGetNumSymbols(MlirAttribute symbols);
TALLY_CAPI_EXPORTED TallySymbolDeclaration
tallySymbolsAttrGetSymbol(MlirAttribute symbols, intptr_t index);

typedef enum {
  TALLY_KEY_PATH_VALUE = 0,
  TALLY_KEY_PATH_SIZE = 1,
  TALLY_KEY_PATH_STRIDE = 2,
  TALLY_KEY_PATH_STORAGE_OFFSET = 3
} TallyKeyPathKind;

/// Where a symbol is read: an entry of `#tally.bindings`.
typedef struct {
  MlirStringRef symbol;
  unsigned result;
  TallyKeyPathKind kind;
  /// The dimension of a size or a stride.
  unsigned dim;
  /// The value is so many times the symbol; at least 1.
  int64_t divisor;
} TallySymbolBinding;

/// `#tally.bindings<u0 = result(0).size(1)>`.
TALLY_CAPI_EXPORTED bool tallyAttributeIsABindings(MlirAttribute attribute);
TALLY_CAPI_EXPORTED MlirAttribute
tallyBindingsAttrGet(MlirContext context, intptr_t numBindings,
                     const TallySymbolBinding *bindings);
TALLY_CAPI_EXPORTED intptr_t
tallyBindingsAttrGetNumBindings(MlirAttribute bindings);
TALLY_CAPI_EXPORTED TallySymbolBinding
tallyBindingsAttrGetBinding(MlirAttribute bindings, intptr_t index);

/// `#tally.path<argument(0).stride(1)>`: what of a tensor argument a hidden
/// argument is. `dim` counts for a size and for a stride.
TALLY_CAPI_EXPORTED bool tallyAttributeIsAPath(MlirAttribute attribute);
TALLY_CAPI_EXPORTED MlirAttribute tallyPathAttrGet(MlirContext context,
                                                   unsigned argument,
                                                   TallyKeyPathKind kind,
                                                   unsigned dim);
TALLY_CAPI_EXPORTED unsigned tallyPathAttrGetArgument(MlirAttribute path);
TALLY_CAPI_EXPORTED TallyKeyPathKind tallyPathAttrGetKind(MlirAttribute path);
TALLY_CAPI_EXPORTED unsigned tallyPathAttrGetDim(MlirAttribute path);

//===----------------------------------------------------------------------===//
// The way to code
//===----------------------------------------------------------------------===//

/// How a program is compiled; an empty string is the default.
typedef struct {
  /// Which checks stay: all, entry or none.
  MlirStringRef checks;
  /// Where it runs: cpu or cuda.
  MlirStringRef target;
  /// The processor: a name of LLVM's, native, or generic.
  MlirStringRef cpu;
  /// The GPU, such as sm_90a.
  MlirStringRef chip;
  /// The prefix of the names of the C functions; `tally`.
  MlirStringRef prefix;
  /// Where relative paths of data files start; the current folder.
  MlirStringRef dataDirectory;
  /// The archive of the runtime, libtally_runtime.a, which goes into libraries
  /// and archives.
  MlirStringRef runtime;
  /// The file that large constants go to, in the folder of what is written;
  /// they go into that.
  MlirStringRef data;
} TallyCompileOptions;

/// Reads a program from a file: MLIR, in any form and also as bytecode, or one
/// that PyTorch exported (.pt2). A null module, and diagnostics, where that
/// fails.
TALLY_CAPI_EXPORTED MlirModule tallyReadProgram(MlirContext context,
                                                MlirStringRef path);

/// Whether exported programs may hold an operator of PyTorch, by the name that
/// they give it: `aten.add.Tensor`.
TALLY_CAPI_EXPORTED bool tallyIsSupportedOperator(MlirStringRef name);
/// The same for an operator on complex numbers, with most arguments.
TALLY_CAPI_EXPORTED bool tallyIsSupportedOnComplex(MlirStringRef name);

/// Lowers a program in any form to the LLVM dialect.
TALLY_CAPI_EXPORTED MlirLogicalResult
tallyLowerModule(MlirModule module, const TallyCompileOptions *options);

/// Writes a lowered module to a file: an object file (`.o`), an archive (`.a`)
/// or a shared library. Where that fails `onError` gets the message.
TALLY_CAPI_EXPORTED MlirLogicalResult
tallyWriteModule(MlirModule module, const TallyCompileOptions *options,
                 MlirStringRef path, MlirStringCallback onError, void *user);

#ifdef __cplusplus
}
#endif

// NOLINTEND(readability-identifier-naming, modernize-use-using)

#endif // TALLY_C_TALLY_H
