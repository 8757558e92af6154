//===- TallyAttrs.td - Attributes of the tally dialect -----*- tablegen -*-===//

#ifndef TALLY_IR_ATTRIBUTES_TALLYATTRS_TD
#define TALLY_IR_ATTRIBUTES_TALLYATTRS_TD

include "tally/IR/TallyDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"

class Tally_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<TallyDialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Expressions and shapes
//===----------------------------------------------------------------------===//

def Tally_ExprAttr : Tally_Attr<"Expr", "expr"> {
  let summary = "An expression over symbols.";
  let description = [{
    The expression as it is written, infix, in Python's precedence:
    `+ - * **`, `floordiv ceildiv mod`, `min(a, b)`, `max(a, b)`, `abs(a)`,
    `select(c, a, b)`, `exact_div(a, b)`, `== != < <= > >=`, `and or not`.
    The attribute keeps the syntax, which has been checked; the engine in
    `tally/Symbolic` gives it its meaning and its canonical form, in the order
    of the table of the function it stands in.

    MLIR balances `<` and `>` in the body of an attribute, so an expression with
    one of them is quoted there. Operations print it without quotes.

    ```mlir
    #tally.expr<s0 * s1 + 1>
    #tally.expr<"s0 == s1 and s0 <= 64">
    ```
  }];
  let parameters = (ins StringRefParameter<"the expression's text">:$text);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tally_ShapeAttr : Tally_Attr<"Shape", "shape"> {
  let summary = "The symbolic shape of a tensor: one expression a dimension.";
  let description = [{
    ```mlir
    #tally.shape<s0, s1 * 2, 4>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"ExprAttr", "sizes">:$sizes);
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// The size table
//===----------------------------------------------------------------------===//

def Tally_SymbolType
    : I32EnumAttr<"SymbolType", "what a symbol's value is", [
        I32EnumAttrCase<"Int", 0, "int">, I32EnumAttrCase<"Float", 1, "float">,
        I32EnumAttrCase<"Bool", 2, "bool">]> {
  let cppNamespace = "::tally";
  let genSpecializedAttr = 0;
}

def Tally_SymbolDeclAttr : Tally_Attr<"SymbolDecl", "symbol"> {
  let summary = "The declaration of one symbol.";
  let description = [{
    One entry of a `#tally.symbols` table: a name and what is declared about it.
    A missing bound is an infinity. An integer symbol is backed, at least 0,
    unless it says otherwise; an unbacked one is defined inside the function and may
    be any integer.

    ```mlir
    #tally.symbol<s0 : [0, 4096] % 8 hint 64 from "x.size(0)">
    ```
  }];
  let parameters = (ins
    StringRefParameter<"the name">:$name,
    "bool":$unbacked,
    "::tally::SymbolType":$type,
    "std::optional<int64_t>":$lower,
    "std::optional<int64_t>":$upper,
    "int64_t":$divisor,
    "std::optional<int64_t>":$hint,
    StringRefParameter<"where it comes from, for messages">:$source,
    "bool":$assumed);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// A backed integer symbol of the default range, [0, inf].
    static SymbolDeclAttr getBacked(::mlir::MLIRContext *context,
                                    ::llvm::StringRef name,
                                    ::llvm::StringRef source = "");
    /// An unbacked integer symbol in [lower, upper].
    static SymbolDeclAttr
    getUnbacked(::mlir::MLIRContext *context, ::llvm::StringRef name,
                std::optional<int64_t> lower = std::nullopt,
                std::optional<int64_t> upper = std::nullopt);
    /// Prints `name (: property+)?`, as in the table.
    void printEntry(::mlir::AsmPrinter &printer) const;
  }];
}

def Tally_SymbolsAttr : Tally_Attr<"Symbols", "symbols"> {
  let summary = "The size table of a function.";
  let description = [{
    Every symbol that the function mentions, in the order of definition, which is the
    order of terms in printed expressions. For each: `unbacked`, `float` or
    `bool`, a range `[lo, hi]` (`inf` and `-inf` for none), `% n` for a known
    divisor, `hint n` for a typical value, `from "text"` for what messages call
    it, and `assumed` where the caller vouches for it and nobody checks.

    ```mlir
    #tally.symbols<s0 : [0, 4096], s1 : [0, 65536] % 8 hint 64, u0 : unbacked [0, 100], s2>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"SymbolDeclAttr", "symbols">:$symbols);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The declaration of `name`, or null.
    SymbolDeclAttr lookup(::llvm::StringRef name) const;
    /// The table of the function around `op`, or null.
    static SymbolsAttr getEnclosing(::mlir::Operation *op);
    /// The table of a function, or null.
    static SymbolsAttr get(::mlir::FunctionOpInterface function);
    /// The name of the attribute on a function.
    static constexpr ::llvm::StringLiteral attrName{"tally.symbols"};
  }];
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

def Tally_KeyPathKind
    : I32EnumAttr<"KeyPathKind", "what of a result is read", [
        I32EnumAttrCase<"Value", 0, "value">, I32EnumAttrCase<"Size", 1, "size">,
        I32EnumAttrCase<"Stride", 2, "stride">,
        I32EnumAttrCase<"StorageOffset", 3, "storage_offset">]> {
  let cppNamespace = "::tally";
  let genSpecializedAttr = 0;
}

def Tally_BindingAttr : Tally_Attr<"Binding", "binding"> {
  let summary = "Where one symbol is read: a key path.";
  let description = [{
    ```mlir
    #tally.binding<u0 = result(0).size(1)>
    #tally.binding<u1 = result(0) / 4>
    ```
    `result(i)` is the value itself (a boolean counts as 0 or 1), `.size(d)`,
    `.stride(d)` and `.storage_offset` read a tensor, `/ n` says that the value
    is n times the symbol, which is then checked.
  }];
  let parameters = (ins
    StringRefParameter<"the symbol">:$symbol,
    "unsigned":$result,
    "::tally::KeyPathKind":$kind,
    "unsigned":$dim,
    "int64_t":$divisor);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// `symbol = result(r).size(dim)`.
    static BindingAttr getSize(::mlir::MLIRContext *context,
                               ::llvm::StringRef symbol, unsigned result,
                               unsigned dim);
    /// `symbol = result(r)`.
    static BindingAttr getValue(::mlir::MLIRContext *context,
                                ::llvm::StringRef symbol, unsigned result);
    /// Prints `u0 = result(0).size(1)`.
    void printEntry(::mlir::AsmPrinter &printer) const;
  }];
}

def Tally_BindingsAttr : Tally_Attr<"Bindings", "bindings"> {
  let summary = "The symbols that an operation makes, each with its key path.";
  let description = [{
    ```mlir
    #tally.bindings<u0 = result(0).size(1), u1 = result(1)>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"BindingAttr", "bindings">:$bindings);
  let extraClassDeclaration = [{
    /// The symbol that is a size of a result, or an empty name.
    ::llvm::StringRef lookupSize(unsigned result, unsigned dim) const;
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

def Tally_PathAttr : Tally_Attr<"Path", "path"> {
  let summary = "What of a tensor argument is read: a key path.";
  let description = [{
    ```mlir
    #tally.path<argument(0).stride(1)>
    #tally.path<argument(2).storage_offset>
    ```
    The tensor is the one that the caller passed. Strides and offsets count
    elements, as PyTorch's do.
  }];
  let parameters = (ins
    "unsigned":$argument,
    "::tally::KeyPathKind":$kind,
    "unsigned":$dim);
  let hasCustomAssemblyFormat = 1;
}

#endif // TALLY_IR_ATTRIBUTES_TALLYATTRS_TD
