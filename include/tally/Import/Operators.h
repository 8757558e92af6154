//===- Operators.h - Operators that are registered from outside -*- C++ -*-===//
//
// The importer knows PyTorch's own operators. Those of a `torch.library`, or
// others that it lacks, are added to an OperatorTable by who calls it.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_IMPORT_OPERATORS_H
#define TALLY_IMPORT_OPERATORS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <string>

namespace tally {

/// A call of an operator in an exported program. Arguments have the names of
/// the operator's schema. A missing or wrong argument is reported; a stand-in
/// is returned, so that a lowering need not look.
class ImportedCall {
public:
  virtual ~ImportedCall() = default;

  /// The operator: `mylib.scale.default`.
  virtual llvm::StringRef getTarget() const = 0;
  /// Builds at the place of the call.
  virtual mlir::OpBuilder &getBuilder() = 0;
  /// The user's line that made the call.
  virtual mlir::Location getLoc() const = 0;

  /// Whether the argument is there and not None.
  virtual bool has(llvm::StringRef argument) = 0;
  /// A tensor.
  virtual mlir::Value getTensor(llvm::StringRef argument) = 0;
  /// A list of tensors.
  virtual llvm::SmallVector<mlir::Value>
  getTensors(llvm::StringRef argument) = 0;
  /// An integer (i64), float (f64) or boolean (i1), symbolic or not.
  virtual mlir::Value getScalar(llvm::StringRef argument) = 0;
  /// A literal, or what is given for one that is absent.
  virtual int64_t getInteger(llvm::StringRef argument, int64_t absent) = 0;
  virtual double getReal(llvm::StringRef argument, double absent) = 0;
  virtual bool getFlag(llvm::StringRef argument, bool absent) = 0;
  virtual std::string getString(llvm::StringRef argument,
                                llvm::StringRef absent = "") = 0;

  virtual unsigned getNumResults() const = 0;
  /// The type of a result that is a tensor, as PyTorch has recorded it.
  virtual mlir::RankedTensorType getResultType(unsigned result = 0) = 0;
  /// The sizes that PyTorch has recorded of it, as attributes or index values.
  /// One that the arguments do not determine is reported.
  virtual llvm::SmallVector<mlir::OpFoldResult>
  getResultSizes(unsigned result = 0) = 0;
  /// Gives the value of a result, a tensor of its own memory. That it has the
  /// recorded sizes becomes a check, unless the analysis of sizes knows it.
  virtual void setResult(mlir::Value value, unsigned result = 0) = 0;

  /// Calls a custom function with all arguments (tensors and scalars, in the
  /// order of the schema) for the results, each of the recorded sizes.
  virtual mlir::LogicalResult callCustom(llvm::StringRef function,
                                         bool isPure) = 0;

  /// Reports an error at the call.
  virtual mlir::LogicalResult emitError(const llvm::Twine &message) = 0;
};

/// Operators by name, beside those that the importer knows; one of the same
/// name takes the place of the importer's.
class OperatorTable {
public:
  using LowerFn = std::function<mlir::LogicalResult(ImportedCall &)>;

  /// Has calls of the operator, `mylib.scale.default`, built by a function,
  /// which sets every result.
  void add(llvm::StringRef target, LowerFn lower) {
    table[target] = std::move(lower);
  }

  /// Makes calls of the operator calls of a custom function. One that is pure
  /// may be dropped where its results are not used.
  void addCustomCall(llvm::StringRef target, llvm::StringRef function,
                     bool isPure = true);

  /// The function of an operator, or null.
  const LowerFn *lookup(llvm::StringRef target) const {
    auto it = table.find(target);
    return it == table.end() ? nullptr : &it->second;
  }

private:
  llvm::StringMap<LowerFn> table;
};

} // namespace tally

#endif // TALLY_IMPORT_OPERATORS_H
