//===- UnbackedBindingOpInterface.h - Who makes symbols ---------*- C++ -*-===//

#ifndef TALLY_INTERFACES_UNBACKEDBINDINGOPINTERFACE_H
#define TALLY_INTERFACES_UNBACKEDBINDINGOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tally/IR/Attributes/TallyAttrs.h"

namespace tally {
/// The meaning of names at a point of the program; see `SymbolResource` in
/// TallyDialect.td.
struct SymbolResource
    : public mlir::SideEffects::Resource::Base<SymbolResource> {
  llvm::StringRef getName() final { return "tally.symbols"; }
};
} // namespace tally

#include "tally/Interfaces/UnbackedBindingOpInterface.h.inc"

#endif // TALLY_INTERFACES_UNBACKEDBINDINGOPINTERFACE_H
