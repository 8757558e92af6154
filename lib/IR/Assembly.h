//===- Assembly.h - Custom assembly directives ------------------*- C++ -*-===//
//
// The parts of operations' assembly formats that TableGen cannot express. Each
// pair parses and prints `custom<Name>` of the .td files.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IR_ASSEMBLY_H
#define TALLY_LIB_IR_ASSEMBLY_H

#include "tally/IR/Tally.h"

namespace tally {

/// `<s0 * s1>`, or the full attribute.
mlir::ParseResult parseExprBody(mlir::OpAsmParser &parser, ExprAttr &expr);
void printExprBody(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   ExprAttr expr);

/// `<s0 * s1> : index`.
mlir::ParseResult parseSizeBody(mlir::OpAsmParser &parser, ExprAttr &expr,
                                mlir::Type &type);
void printSizeBody(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   ExprAttr expr, mlir::Type type);

/// `in [0, 4096] divisible_by 8`, both optional.
mlir::ParseResult parseSymbolFacts(mlir::OpAsmParser &parser,
                                   mlir::IntegerAttr &lower,
                                   mlir::IntegerAttr &upper,
                                   mlir::IntegerAttr &divisor);
void printSymbolFacts(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      mlir::IntegerAttr lower, mlir::IntegerAttr upper,
                      mlir::IntegerAttr divisor);

/// `(s0 = %0, "s0 * s1" = %1 : index, index)`, or nothing.
mlir::ParseResult parseNamedValues(
    mlir::OpAsmParser &parser,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &values,
    llvm::SmallVectorImpl<mlir::Type> &types, mlir::ArrayAttr &names);
void printNamedValues(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      mlir::OperandRange values, mlir::TypeRange types,
                      mlir::ArrayAttr names);

/// `#tally.bindings<u0 = result(0).size(1), u1 = result(0)>`.
mlir::ParseResult parseBindingList(mlir::OpAsmParser &parser,
                                   BindingsAttr &bindings);
void printBindingList(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      BindingsAttr bindings);

/// `: index, i1`, the types of what an assert guards and returns.
mlir::ParseResult parseGuardedTypes(mlir::OpAsmParser &parser,
                                    llvm::SmallVectorImpl<mlir::Type> &guarded,
                                    llvm::SmallVectorImpl<mlir::Type> &results);
void printGuardedTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                       mlir::TypeRange guarded, mlir::TypeRange results);

} // namespace tally

#endif // TALLY_LIB_IR_ASSEMBLY_H
