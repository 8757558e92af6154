//===- TallyDialect.td - The tally dialect -----------------*- tablegen -*-===//

#ifndef TALLY_IR_TALLYDIALECT_TD
#define TALLY_IR_TALLYDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TallyDialect : Dialect {
  let name = "tally";
  let cppNamespace = "::tally";
  let summary = "Programs whose sizes are unknown until run time.";
  let description = [{
    The dialect states what cannot be derived about sizes, and nothing else: the
    size table of a function (`tally.symbols`), the symbolic shapes of its
    arguments and results (`tally.shape`), where an operation makes new symbols
    (`bind`), and what the user asserts (`tally.check`) or assumes
    (`tally.assume`). The shape of every other value is an analysis.

    A program passes through three forms; `tally-verify-form` states the rules
    of each.

    - **named**: a symbol is a name in the function's table; expressions mention
      names.
    - **bound**: a symbol is an SSA value, made by `tally.symbol`; every
      expression lists the values of its symbols.
    - **checked**: every check has been proven or has become a `tally.assert`.

    ```mlir
    func.func @double(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>})
        -> (tensor<?xf32> {tally.shape = #tally.shape<s0 * 2>})
        attributes {tally.symbols = #tally.symbols<s0 : [0, 4096] % 8>} {
      %n = tally.size <s0 * 2> : index
      %r = tensor.concat dim(0) %x, %x
          : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```

    Discardable attributes of functions, arguments and results:

    | attribute       | on                | meaning                                           |
    |-----------------|-------------------|---------------------------------------------------|
    | `tally.symbols` | function          | `#tally.symbols`: the size table                  |
    | `tally.shape`   | argument, result  | `#tally.shape`: one expression a dimension        |
    | `tally.value`   | argument          | `#tally.expr`: the value of a scalar, or of the only element of a tensor of rank 0 |
    | `tally.initial_state` | function    | symbol: the function whose results are the first values of the state |
    | `tally.state`   | argument          | unit: its value is kept between calls             |
    | `tally.hidden`  | argument          | `#tally.path`: the stride or offset of a tensor argument that this is |
    | `tally.name`    | argument, result  | string: the name in the source program            |
    | `tally.unsigned`| argument, result  | unit: the integers are unsigned at the ABI        |
    | `tally.complex` | argument, result  | unit: complex numbers at the ABI; the last dimension, of size 2, has both parts |
    | `tally.mutates` | result            | integer: written back to that argument on success |

    Passes leave notes for each other on operations of any dialect:

    | attribute                  | on                     | meaning                                    |
    |----------------------------|------------------------|--------------------------------------------|
    | `tally.checked`            | operation              | unit: what it requires of its operands has been checked before it |
    | `tally.unchecked`          | operation              | unit: it requires something of every element that no check before it can state; the checked form has none |
    | `tally.checked_by_callers` | private function       | unit: every call checks what the function declares of its arguments |
    | `tally.entry`              | function               | dictionary of `arguments`, `results` and `symbols`: its signature as the user knows it |
    | `tally.custom`             | declaration            | unit: a `tally_rt_custom_function`, which is neither part of the program nor of the runtime |
    | `tally.status`             | function, call         | unit: its first result is a status already; of a call, that may be a pointer that is null where it failed |
    | `tally.dims`               | operation of a kernel  | array of i64: the dimension of the kernel that each of its loops runs over |
    | `tally.points`             | loop                   | integer: how many points an iteration takes, where inner loops do not tell |
    | `tally.fallbacks`          | `tally.contract`       | one or two symbols: the kernels of a convolution for where there is no library |
    | `tally.independent`        | loop, branch           | `#llvm.loop_annotation`: no iteration reads or writes what another one writes |
    | `tally.operator`           | location (metadata)    | string: the operator of the source program that an operation is part of |

    A hidden argument is an `index` behind all others of a public function. A
    caller of the compiled function does not see it: its entry reads it from the
    tensor as it was passed. A call in the IR passes it as any other argument.

    ```mlir
    func.func @row_pitch(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                         %pitch: index {tally.hidden = #tally.path<argument(0).stride(0)>,
                                        tally.value = #tally.expr<s2>}) -> index
        attributes {tally.symbols = #tally.symbols<s0, s1, s2>} {
      tally.check <s2 >= s1>
      return %pitch : index
    }
    ```

    State is what a public function keeps between calls: tensor arguments of
    fixed sizes behind those of the caller. A call of the compiled function finds
    the values that the last successful one has written to them
    (`tally.mutates`), and the first call those that a public function without
    arguments returns. Each call context has its own. A call in the IR passes
    them as any other argument.

    ```mlir
    func.func @initial_state() -> (tensor<i64> {tally.name = "calls"}) {
      %zero = arith.constant dense<0> : tensor<i64>
      return %zero : tensor<i64>
    }
    func.func @main(%n: i64 {tally.name = "n"}, %calls: tensor<i64> {tally.name = "calls", tally.state})
        -> (tensor<i64>, tensor<i64> {tally.mutates = 1 : i64})
        attributes {tally.initial_state = @initial_state} {
      %old = tensor.extract %calls[] : tensor<i64>
      %new = arith.addi %old, %n : i64
      %next = tensor.from_elements %new : tensor<i64>
      return %next, %next : tensor<i64>, tensor<i64>
    }
    ```
  }];
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

/// The meaning of names at a point of the program. An op that mentions a name reads
/// it, an op that makes a symbol writes it, so that no pass of MLIR moves one
/// across the other.
def SymbolResource : Resource<"::tally::SymbolResource">;

/// The error of a call. What may raise it writes it.
def ErrorResource : Resource<"::tally::ErrorResource">;

class Tally_Op<string mnemonic, list<Trait> traits = []>
    : Op<TallyDialect, mnemonic, traits>;

#endif // TALLY_IR_TALLYDIALECT_TD
