//===- Passes.td - From the named to the checked form ------*- tablegen -*-===//

#ifndef TALLY_TRANSFORMS_PASSES_TD
#define TALLY_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"
include "tally/Transforms/LoweringPasses.td"

def PropagateShapes : Pass<"tally-propagate-shapes"> {
  let summary = "Name the sizes of a program and state what its operations need";
  let description = [{
    Makes the named form, also of a program without any annotation. Every `?` of
    an argument that has no `tally.shape` gets a name of its own in the
    function's `tally.symbols` table (two sizes are never taken to be equal), and
    so does an integer argument that goes into a size. A result gets a
    `tally.shape` if its sizes can be told in these names.

    The size of every value in the function is derived from that, and each
    operation gets a `tally.check` before it for what it requires of its operands
    and does not hold by itself: equal sizes, indices and slices in bounds, sizes
    that are not negative. A size that has no name is an operand of the check.
    What is the same condition is stated once where that dominates.

    What an operation in the body of a structured operation requires of every
    element becomes one condition before the structured operation; if that takes
    a computation over all elements, the operation is marked `tally.checked`. A
    mark that is there already is not believed. One whose precondition nobody can state
    before is marked `tally.unchecked`.

    Operations of unknown dialects are left as they are. A function with a table
    becomes `no_inline` until it is bound; one that is bound already gets the
    checks that it lacks. Run it before any canonicalization: a precondition that is
    cleaned away is lost.

    Run it on the module: callees come before their callers, which read the sizes of
    results from their signatures, and a private function that all callers check
    checks nothing itself.

    Input:

    ```mlir
    func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %r = arith.addf %x, %y : tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```

    Output:

    ```mlir
    func.func @f(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>},
                 %y: tensor<?xf32> {tally.shape = #tally.shape<s1>})
        -> (tensor<?xf32> {tally.shape = #tally.shape<s0>})
        attributes {no_inline, tally.symbols = #tally.symbols<s0, s1>} {
      tally.check <s0 == s1> required_by("arith.addf")
      %r = arith.addf %x, %y : tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```
  }];
  let options = [
    Option<"elide", "elide", "bool", /*default=*/"true",
           "Leave out preconditions that hold by construction or have been stated "
           "before; off, every precondition is a check.">,
    Option<"explain", "explain", "bool", /*default=*/"false",
           "Emit a remark for each precondition that is left out, and why.">,
    Option<"validate", "validate", "bool", /*default=*/"false",
           "Have Z3 confirm the proof of each precondition that holds by "
           "construction (needs libz3).">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
    "::tally::TallyDialect"
  ];
}

def PrintShapes : Pass<"tally-print-shapes"> {
  let summary = "Print the sizes and integer values that the analysis derives";
  let description = [{
    Changes nothing. Prints, for each function, the size of every tensor and the
    value of every integer as an expression, and what each operation requires. A
    size that nobody tells is written `dim(%x, 0)`.

    ```mlir
    // Prints %r: [s0 + s1].
    func.func @f(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>},
                 %y: tensor<?xf32> {tally.shape = #tally.shape<s1>}) -> tensor<?xf32>
        attributes {tally.symbols = #tally.symbols<s0, s1>} {
      %r = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```
  }];
}

def BindSymbols : Pass<"tally-bind-symbols"> {
  let summary = "Give every symbol one defining value";
  let description = [{
    Turns the named form into the bound form. Every name of the function's
    `tally.symbols` table gets exactly one `tally.symbol`, placed right after its
    source: for a backed symbol a size or the value of an argument, for an
    unbacked one the key path in an operation's `bind`. A backed symbol that
    stands only inside of expressions is solved for; what the solution takes for
    granted becomes a check. Each declared range or divisor becomes a check on
    the raw value before the symbol, unless it is declared `assumed`.

    `tally.size` becomes arithmetic on the symbols, and every check gets the
    values of its symbols as operands.

    Input:

    ```mlir
    func.func @f(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, 2>}) -> index
        attributes {tally.symbols = #tally.symbols<s0 : [0, 4096]>} {
      %n = tally.size <s0 * 2> : index
      return %n : index
    }
    ```

    Output:

    ```mlir
    func.func @f(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, 2>}) -> index
        attributes {tally.symbols = #tally.symbols<s0 : [0, 4096]>} {
      %c0 = arith.constant 0 : index
      %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>
      %c1 = arith.constant 1 : index
      %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
      tally.check <s0 <= 4096> (s0 = %d0 : index) declared_by("x")
      %s0 = tally.symbol "s0" = %d0 from "x.size(0)" in [0, 4096] : index
      tally.check <x_size_1 == 2> (x_size_1 = %d1 : index) declared_by("x")
      %c2 = arith.constant 2 : index
      %n = arith.muli %s0, %c2 : index
      return %n : index
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::tally::TallyDialect"
  ];
}

def LiftFreeSymbols : Pass<"tally-lift-free-symbols"> {
  let summary = "Close every subgraph";
  let description = [{
    What a region of a higher-order operation uses from outside becomes an
    operand of the operation and an argument of its regions: tensors and sizes
    alike. A constant is cloned into the region instead, a value that is passed
    already is not passed again, and a symbol stays a symbol: the region names
    its argument anew, with the same facts. Nested operations are closed from
    the inside out.

    Any operation that implements `HigherOrderOpInterface` takes part.
    The callee of a `tally.invoke_subgraph` is a function and closed as it is.
    An operation inside of a subgraph that mentions a name of the function's
    table is an error: run `tally-bind-symbols` first.

    Input:

    ```mlir
    func.func @f(%p: i1, %x: tensor<?xf32>, %d: index) -> tensor<?xf32> {
      %s0 = tally.symbol "s0" = %d in [0, 64] : index
      %r = tally.cond %p : () -> tensor<?xf32> {
        tally.yield %x : tensor<?xf32>
      } else {
        %e = tensor.empty(%s0) : tensor<?xf32>
        tally.yield %e : tensor<?xf32>
      }
      return %r : tensor<?xf32>
    }
    ```

    Output:

    ```mlir
    func.func @f(%p: i1, %x: tensor<?xf32>, %d: index) -> tensor<?xf32> {
      %s0 = tally.symbol "s0" = %d in [0, 64] : index
      %r = tally.cond %p(%x, %s0) : (tensor<?xf32>, index) -> tensor<?xf32> {
      ^bb0(%a: tensor<?xf32>, %n: index):
        %s0_0 = tally.symbol "s0" = %n in [0, 64] : index
        tally.yield %a : tensor<?xf32>
      } else {
      ^bb0(%a: tensor<?xf32>, %n: index):
        %s0_0 = tally.symbol "s0" = %n in [0, 64] : index
        %e = tensor.empty(%s0_0) : tensor<?xf32>
        tally.yield %e : tensor<?xf32>
      }
      return %r : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = ["::tally::TallyDialect"];
}

def InsertRuntimeAsserts : Pass<"tally-insert-runtime-asserts"> {
  let summary = "Prove every check, or assert it";
  let description = [{
    Turns the bound form into the checked form. Each `tally.check` is proven from
    the facts that hold where it stands: the ranges of sizes, the checks before
    it, assumptions, the conditions of the branches around it. What cannot be
    proven becomes a `tally.assert` at the earliest point where its symbols
    exist and from which the check is certain to execute, and is a fact from
    there on. A check that can never hold is reported where it is certain to
    execute, and asserted. An operation that is marked `tally.unchecked`, as no
    check could state what it requires, is an error unless that is proven.

    Input:

    ```mlir
    func.func @f(%a: index, %b: index) -> index {
      %s0 = tally.symbol "s0" = %a from "a" : index
      %s1 = tally.symbol "s1" = %b from "b" : index
      tally.check <s0 == s1> (s0 = %s0, s1 = %s1 : index, index) required_by("linalg.add")
      tally.check <s0 + 1 == s1 + 1> (s0 = %s0, s1 = %s1 : index, index)
      return %s0 : index
    }
    ```

    Output:

    ```mlir
    func.func @f(%a: index, %b: index) -> index {
      %s0 = tally.symbol "s0" = %a from "a" : index
      %s1 = tally.symbol "s1" = %b from "b" : index
      %ok = arith.cmpi eq, %s0, %s1 : index
      tally.assert %ok, <s0 == s1> (s0 = %s0, s1 = %s1 : index, index)
          sources({s0 = "a", s1 = "b"}) required_by("linalg.add")
      return %s0 : index
    }
    ```
  }];
  let options = [
    Option<"checks", "checks", "std::string", /*default=*/"\"all\"",
           "`all`; `entry`: only what the sizes and scalars of arguments decide "
           "alone; `none`. A check that is dropped, and an assert that is there "
           "already, becomes a tally.assume: the caller is trusted.">,
    Option<"elide", "elide", "bool", /*default=*/"true",
           "Leave out what is proven; off, every check is asserted.">,
    Option<"explain", "explain", "bool", /*default=*/"false",
           "Print, for each check, what became of it: proven and from what, "
           "merged into which assert, asserted where, or assumed.">,
    Option<"validate", "validate", "bool", /*default=*/"false",
           "Have Z3 confirm every proof that saves a check; what it refutes is an "
           "error. Setting TALLY_VALIDATE in the environment does the same.">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::tally::TallyDialect"
  ];
}

def CompleteAsserts : Pass<"tally-complete-asserts"> {
  let summary = "Assert what is required and not known in the checked form";
  let description = [{
    Recomputes what every operation of the checked form requires, as
    `tally-verify-form` does. What neither follows from what is known there nor
    is asserted before is asserted now, as early as that can be. So a program for
    which all checks were decided is not refused because a pass in between made
    something out of it in which the proof is not found again: it has an assert
    more. What no assert can state, an element of a loop nest that might be out
    of bounds, is an error.

    Where nothing has to be asserted nothing changes, and a `tally-verify-form`
    that follows need not look again.

    Input:

    ```mlir
    func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %r = arith.addf %x, %y : tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```

    Output:

    ```mlir
    func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %d0 = tensor.dim %x, %c0 : tensor<?xf32>
      %c0_0 = arith.constant 0 : index
      %d1 = tensor.dim %y, %c0_0 : tensor<?xf32>
      %ok = arith.cmpi eq, %d0, %d1 : index
      tally.assert %ok, <arg0_size_0 == arg1_size_0> (arg0_size_0 = %d0, arg1_size_0 = %d1 : index, index)
          sources({arg0_size_0 = "arg0.size(0)", arg1_size_0 = "arg1.size(0)"}) required_by("arith.addf")
      %r = arith.addf %x, %y : tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
    "::tally::TallyDialect"
  ];
}

def UnifySizes : Pass<"tally-unify-sizes"> {
  let summary = "Make sizes that are equal one value";
  let description = [{
    Replaces each use of a size by the first value that is equal to it, by proof
    or by an assert before, and dominates the use. Passes of MLIR compare sizes
    as values: this is how they see what has been proven.

    Input:

    ```mlir
    func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (index, index) {
      %c0 = arith.constant 0 : index
      %d0 = tensor.dim %x, %c0 : tensor<?xf32>
      %s0 = tally.symbol "s0" = %d0 : index
      %d1 = tensor.dim %y, %c0 : tensor<?xf32>
      %ok = arith.cmpi eq, %s0, %d1 : index
      tally.assert %ok, <s0 == d1> (s0 = %s0, d1 = %d1 : index, index)
      return %s0, %d1 : index, index
    }
    ```

    Output:

    ```mlir
    func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (index, index) {
      %c0 = arith.constant 0 : index
      %d0 = tensor.dim %x, %c0 : tensor<?xf32>
      %s0 = tally.symbol "s0" = %d0 : index
      %d1 = tensor.dim %y, %c0 : tensor<?xf32>
      %ok = arith.cmpi eq, %s0, %d1 : index
      tally.assert %ok, <s0 == d1> (s0 = %s0, d1 = %d1 : index, index)
      return %s0, %s0 : index, index
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::tally::TallyDialect"
  ];
}

def VerifyForm : Pass<"tally-verify-form"> {
  let summary = "Report where a function is not in a given form";
  let description = [{
    Changes nothing. `form=named`: every symbol that is mentioned is declared,
    every unbacked one is bound once, to something that no type knows, and is
    mentioned only after that. `form=bound`: no operation mentions a
    name of the table, every check has the values of its symbols, subgraphs are
    closed. `form=checked`: in addition no check is left, and every precondition of
    every operation follows from the asserts and assumptions before it.
    `form=input`: what the pipelines take; a function is in the named form, or none
    of its operations mentions or binds a name.

    ```mlir
    // Accepted with form=bound:
    func.func @f(%a: index, %b: index) {
      %s0 = tally.symbol "s0" = %a : index
      tally.check <s0 <= 4> (s0 = %s0 : index)
      return
    }
    ```
  }];
  let options = [
    Option<"form", "form", "std::string", /*default=*/"\"checked\"",
           "`input`, `named`, `bound` or `checked`.">
  ];
}

#endif // TALLY_TRANSFORMS_PASSES_TD
