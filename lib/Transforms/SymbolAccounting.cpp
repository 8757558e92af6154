//===- SymbolAccounting.cpp - Every symbol is defined once ----------------===//
//
// The rules of the named form about definitions. What the operation that binds
// a symbol can tell by itself (that the symbol is declared as unbacked, that
// the key path fits its types), its verifier has seen to.
//
//===----------------------------------------------------------------------===//

#include "SymbolAccounting.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "tally/Analysis/ValueSources.h"
#include "tally/IR/Tally.h"
#include "tally/Symbolic/Text/Parser.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tally;

namespace {
class SymbolAccounts {
public:
  explicit SymbolAccounts(FunctionOpInterface function) : function(function) {
    if (SymbolsAttr table = SymbolsAttr::get(function))
      for (SymbolDeclAttr decl : table.getSymbols())
        declarations[decl.getName()] = decl;
  }

  LogicalResult verify();

private:
  void verifyBindings(UnbackedBindingOpInterface op);
  bool isUnbacked(StringRef name) const {
    SymbolDeclAttr decl = declarations.lookup(name);
    return decl && decl.getUnbacked();
  }
  void verifyMention(Operation *user, StringRef name);
  void verifySignature();
  void verifySignatureExpr(ExprAttr expr, StringRef where, bool isResult);

  FunctionOpInterface function;
  llvm::StringMap<SymbolDeclAttr> declarations;
  llvm::StringMap<Operation *> definitions;
  /// Names that were reported: once is enough.
  llvm::StringSet<> reported;
  DominanceInfo dominance;
  bool failed = false;
};
} // namespace

/// A binding reads something that is only known when the operation has run, and
/// that no other binding is about.
void SymbolAccounts::verifyBindings(UnbackedBindingOpInterface op) {
  for (BindingAttr binding : op.getSymbolBindings().getBindings()) {
    auto [it, isNew] = definitions.try_emplace(binding.getSymbol(), op);
    if (!isNew) {
      InFlightDiagnostic diagnostic = op.emitOpError()
                                      << "binds symbol '" << binding.getSymbol()
                                      << "', which is bound already";
      diagnostic.attachNote(it->second->getLoc()) << "first bound here";
      failed = true;
    }
    if (binding.getKind() != KeyPathKind::Size)
      continue;
    auto type =
        cast<RankedTensorType>(op->getResult(binding.getResult()).getType());
    if (type.isDynamicDim(binding.getDim()))
      continue;
    op.emitOpError() << "binds symbol '" << binding.getSymbol()
                     << "' to a size that its type knows to be "
                     << type.getDimSize(binding.getDim())
                     << "; use the number instead of the symbol";
    failed = true;
  }
}

void SymbolAccounts::verifyMention(Operation *user, StringRef name) {
  if (!isUnbacked(name))
    return;
  Operation *definition = definitions.lookup(name);
  if (definition && dominance.properlyDominates(definition, user))
    return;
  failed = true;
  if (definition) {
    InFlightDiagnostic diagnostic = user->emitOpError()
                                    << "mentions symbol '" << name
                                    << "' where it may not have been defined";
    diagnostic.attachNote(definition->getLoc()) << "it is defined here";
  } else if (reported.insert(name).second) {
    user->emitOpError() << "mentions symbol '" << name
                        << "', which is unbacked, but no operation binds it";
  }
}

/// The declaration of an argument is checked when the function is entered; that
/// of a result, when it returns.
void SymbolAccounts::verifySignatureExpr(ExprAttr expr, StringRef where,
                                         bool isResult) {
  symbolic::ExprContext context;
  (void)symbolic::parseExpr(
      expr.getText(), context, [&](StringRef name) {
        bool isFirst = !context.lookup(name);
        if (isFirst && isUnbacked(name) && isResult) {
          for (Block &block : function.getFunctionBody())
            if (block.mightHaveTerminator() &&
                block.getTerminator()->hasTrait<OpTrait::ReturnLike>())
              verifyMention(block.getTerminator(), name);
        } else if (isFirst && isUnbacked(name)) {
          function.emitError()
              << "in the declaration of " << where << ": symbol '" << name
              << "' is unbacked: it does not exist yet when the function is "
                 "entered";
          failed = true;
        }
        return context.symbol(
            name, getEngineType(declarations.lookup(name).getType()));
      });
}

void SymbolAccounts::verifySignature() {
  auto verifyShape = [&](ShapeAttr shape, StringRef where, bool isResult) {
    if (!shape)
      return;
    for (auto [dim, size] : llvm::enumerate(shape.getSizes()))
      verifySignatureExpr(size, (where + ".size(" + Twine(dim) + ")").str(),
                          isResult);
  };
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i) {
    std::string name = getArgumentName(function, i);
    if (auto value = function.getArgAttrOfType<ExprAttr>(i, attr_names::kValue))
      verifySignatureExpr(value, name, /*isResult=*/false);
    verifyShape(function.getArgAttrOfType<ShapeAttr>(i, attr_names::kShape),
                name, /*isResult=*/false);
  }
  for (unsigned i = 0, e = function.getNumResults(); i != e; ++i)
    verifyShape(function.getResultAttrOfType<ShapeAttr>(i, attr_names::kShape),
                "result " + std::to_string(i), /*isResult=*/true);
}

LogicalResult SymbolAccounts::verify() {
  function.walk([&](UnbackedBindingOpInterface op) {
    if (op.getSymbolBindings())
      verifyBindings(op);
  });
  function.walk([&](Operation *op) {
    for (const std::string &name : getMentionedNames(op))
      verifyMention(op, name);
  });
  verifySignature();
  return failure(failed);
}

LogicalResult tally::verifySymbolAccounts(FunctionOpInterface function) {
  return SymbolAccounts(function).verify();
}
