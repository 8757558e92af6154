//===- Passes.td - From structured operations to kernels ---*- tablegen -*-===//

#ifndef TALLY_CODEGEN_KERNELS_PASSES
#define TALLY_CODEGEN_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

def LookPastPads : Pass<"tally-look-past-pads", "::mlir::func::FuncOp"> {
  let summary = "Look elements up where they are, not in a padded copy";
  let description = [{
    A tensor that is a part of a larger one, the rest of which is one number,
    needs no memory of its own where it is only looked up: a lookup asks whether
    its indices are inside. `searchsorted` has one more element behind its table,
    so that there is always one to look at. Reductions of windows of at most 64
    elements, as those of pools, look the elements of their windows up, and so do
    operations that one row or column of a tensor is broadcast to, where it was
    sliced from a dimension that may be empty.

    Where the larger tensor is needed, it is one operation that looks its elements
    up, instead of one that writes the number everywhere and a copy; unless an
    operation can compute the smaller tensor in its place.

    Input:
    ```mlir
    func.func @at(%x: tensor<?xf32>, %n: index, %more: index, %i: index) -> f32 {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty(%more) : tensor<?xf32>
      %f = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%zero : f32) outs(%e : tensor<?xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<?xf32>
      %pad = tensor.insert_slice %x into %f[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
      %v = tensor.extract %pad[%i] : tensor<?xf32>
      return %v : f32
    }
    ```

    Output:
    ```mlir
    func.func @at(%x: tensor<?xf32>, %n: index, %more: index, %i: index) -> f32 {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty(%more) : tensor<?xf32>
      %f = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%zero : f32) outs(%e : tensor<?xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<?xf32>
      %inside = arith.cmpi ult, %i, %n : index
      %v = scf.if %inside -> (f32) {
        %there = tensor.extract %x[%i] : tensor<?xf32>
        scf.yield %there : f32
      } else {
        scf.yield %zero : f32
      }
      return %v : f32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def LookUpOneHots : Pass<"tally-look-up-one-hots", "::mlir::func::FuncOp"> {
  let summary = "Look an element up instead of adding zeros to it";
  let description = [{
    A loss of classes (`cross_entropy`) takes from each row the element of the
    class that is right: it sums up the elements whose index is the class, and
    zeros for all others. Such a sum becomes a lookup, with what is computed of
    the one element, so that the row is not read for it. Where the class is no
    index of the row, the sum is 0.

    The key, with which indices are compared, may be computed from what does not
    depend on the index; it is an `index` or an `i64`.

    Input:
    ```mlir
    #element = affine_map<(i, j) -> (i, j)>
    #row = affine_map<(i, j) -> (i)>
    func.func @pick(%x: tensor<?x?xf32>, %class: tensor<?xi64>, %start: tensor<?xf32>) -> tensor<?xf32> {
      %zero = arith.constant 0.0 : f32
      %r = linalg.generic {indexing_maps = [#element, #row, #row], iterator_types = ["parallel", "reduction"]}
          ins(%x, %class : tensor<?x?xf32>, tensor<?xi64>) outs(%start : tensor<?xf32>) {
      ^bb0(%in: f32, %key: i64, %out: f32):
        %j = linalg.index 1 : index
        %number = arith.index_cast %j : index to i64
        %is = arith.cmpi eq, %key, %number : i64
        %negated = arith.negf %in : f32
        %term = arith.select %is, %negated, %zero : f32
        %sum = arith.addf %out, %term : f32
        linalg.yield %sum : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```

    Output:
    ```mlir
    #all = affine_map<(i) -> (i)>
    func.func @pick(%x: tensor<?x?xf32>, %class: tensor<?xi64>, %start: tensor<?xf32>) -> tensor<?xf32> {
      %zero = arith.constant 0.0 : f32
      %c1 = arith.constant 1 : index
      %size = tensor.dim %x, %c1 : tensor<?x?xf32>
      %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]}
          ins(%class : tensor<?xi64>) outs(%start : tensor<?xf32>) {
      ^bb0(%key: i64, %out: f32):
        %i = linalg.index 0 : index
        %j = arith.index_cast %key : i64 to index
        %inside = arith.cmpi ult, %j, %size : index
        %term = scf.if %inside -> (f32) {
          %number = arith.index_cast %j : index to i64
          %is = arith.cmpi eq, %key, %number : i64
          %in = tensor.extract %x[%i, %j] : tensor<?x?xf32>
          %negated = arith.negf %in : f32
          %picked = arith.select %is, %negated, %zero : f32
          scf.yield %picked : f32
        } else {
          %nothing = arith.constant 0.0 : f32
          scf.yield %nothing : f32
        }
        %sum = arith.addf %out, %term : f32
        linalg.yield %sum : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ComputeLookups : Pass<"tally-compute-lookups", "::mlir::func::FuncOp"> {
  let summary = "Compute elements where they are looked up, if that is cheap";
  let description = [{
    A tensor that other operations only look up, by indices that they compute, is
    not stored where each of its elements is computed from its indices, and from
    at most one element of another tensor, by a few operations: a reader that
    looks it up computes the element, and reads no more than before. So the images
    of an interpolation, which takes the rows and then the columns that it has
    computed numbers of, are one kernel. What depends on indices alone is computed
    as well where it is broadcast: the bounds of the windows of an adaptive pool.
    Functions such as a sine are not computed again, and a reduction computes none
    of what it looks up again and again. For a GPU, where a launch takes longer.

    Input:
    ```mlir
    func.func @every_other(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
      %two = arith.constant 2 : index
      %e = tensor.empty(%n) : tensor<?xindex>
      %places = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          outs(%e : tensor<?xindex>) {
      ^bb0(%unused: index):
        %i = linalg.index 0 : index
        %t = arith.muli %i, %two : index
        linalg.yield %t : index
      } -> tensor<?xindex>
      %e1 = tensor.empty(%n) : tensor<?xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          outs(%e1 : tensor<?xf32>) {
      ^bb0(%unused: f32):
        %i = linalg.index 0 : index
        %place = tensor.extract %places[%i] : tensor<?xindex>
        %t = tensor.extract %x[%place] : tensor<?xf32>
        linalg.yield %t : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```

    Output:
    ```mlir
    func.func @every_other(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
      %two = arith.constant 2 : index
      %e1 = tensor.empty(%n) : tensor<?xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          outs(%e1 : tensor<?xf32>) {
      ^bb0(%unused: f32):
        %i = linalg.index 0 : index
        %place = arith.muli %i, %two : index
        %t = tensor.extract %x[%place] : tensor<?xf32>
        linalg.yield %t : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def JoinLookups : Pass<"tally-join-lookups", "::mlir::func::FuncOp"> {
  let summary = "Look up the parts of a concatenation in one operation";
  let description = [{
    Where each part of a concatenation looks elements of the same tensor up, at
    indices that follow from those of the point, the whole does, at the indices of
    the part that the point is in: the borders and the inside of a reflected image
    are one kernel. A CPU goes through the inside faster if it is apart.

    Input:
    ```mlir
    func.func @repeat(%x: tensor<?xf32>, %n: index, %last: index) -> tensor<?xf32> {
      %e = tensor.empty(%n) : tensor<?xf32>
      %inside = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
      ^bb0(%out: f32):
        %i = linalg.index 0 : index
        %v = tensor.extract %x[%i] : tensor<?xf32>
        linalg.yield %v : f32
      } -> tensor<?xf32>
      %f = tensor.empty() : tensor<3xf32>
      %end = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%f : tensor<3xf32>) {
      ^bb0(%out: f32):
        %v = tensor.extract %x[%last] : tensor<?xf32>
        linalg.yield %v : f32
      } -> tensor<3xf32>
      %r = tensor.concat dim(0) %inside, %end : (tensor<?xf32>, tensor<3xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```

    Output, without unused operations:
    ```mlir
    func.func @repeat(%x: tensor<?xf32>, %n: index, %last: index) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %all = affine.apply affine_map<()[n] -> (n + 3)>()[%n]
      %e = tensor.empty(%all) : tensor<?xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
      ^bb0(%out: f32):
        %i = linalg.index 0 : index
        %a = arith.subi %i, %c0 : index
        %b = arith.subi %i, %n : index
        %isInside = arith.cmpi slt, %i, %n : index
        %at = arith.select %isInside, %a, %last : index
        %v = tensor.extract %x[%at] : tensor<?xf32>
        linalg.yield %v : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SplitConcats : Pass<"tally-split-concats", "::mlir::func::FuncOp"> {
  let summary = "Compute what is made of a concatenation part by part";
  let description = [{
    Where a concatenation is only read by operations on points, these are split:
    one for each part, which reads the part where it is computed, and slices of
    other operands. What they make is concatenated again, where it is needed as a
    whole. So parts need no memory of their own, and are not copied: in a rotary
    embedding, `x * cos + cat(-x[..., h:], x[..., :h]) * sin`, either half of the
    result is computed from both halves of x.

    Operations that read the results, and those that nobody else reads, are split
    as well. Of a concatenation of more than four parts nothing is: each is a
    kernel.

    Input:
    ```mlir
    #all = affine_map<(i) -> (i)>
    func.func @twice(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
      %c = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      %r = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel"]}
          ins(%c, %z : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        %s = arith.addf %a, %b : f32
        linalg.yield %s : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```

    Output:
    ```mlir
    #all = affine_map<(i) -> (i)>
    func.func @twice(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
      %zero = arith.constant 0 : index
      %m = tensor.dim %x, %zero : tensor<?xf32>
      %zero1 = arith.constant 0 : index
      %n = tensor.dim %y, %zero1 : tensor<?xf32>
      %z0 = tensor.extract_slice %z[0] [%m] [1] : tensor<?xf32> to tensor<?xf32>
      %e0 = tensor.empty(%m) : tensor<?xf32>
      %r0 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel"]}
          ins(%x, %z0 : tensor<?xf32>, tensor<?xf32>) outs(%e0 : tensor<?xf32>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        %s = arith.addf %a, %b : f32
        linalg.yield %s : f32
      } -> tensor<?xf32>
      %z1 = tensor.extract_slice %z[%m] [%n] [1] : tensor<?xf32> to tensor<?xf32>
      %e1 = tensor.empty(%n) : tensor<?xf32>
      %r1 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel"]}
          ins(%y, %z1 : tensor<?xf32>, tensor<?xf32>) outs(%e1 : tensor<?xf32>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        %s = arith.addf %a, %b : f32
        linalg.yield %s : f32
      } -> tensor<?xf32>
      %r = tensor.concat dim(0) %r0, %r1 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def DeferChecks : Pass<"tally-defer-checks", "::mlir::func::FuncOp"> {
  let summary = "Have kernels assert what is checked of data";
  let description = [{
    An assert whose condition is loaded from memory of the device would make the
    host wait. It moves to the device, where it writes the error word
    (`tally-lower-device-asserts`):

    - A kernel that finds out whether something holds for all elements is erased.
      The kernel that comes next asserts it of each element that it reads, before
      it uses the element, if it reads all of them and looks up nothing by what
      follows from others.
    - Else loops assert it of each element, which become a kernel.
    - Any other assert that needs loads, all of which are for asserts alone,
      is run by one thread, in a loop of one iteration.

    The order of asserts stays: the host waits for none of them, and no kernel
    behind a failed one does anything. Where the kernel has no points, for
    instance because rows are empty, loops check the elements before it. Asserts
    of what the host needs anyway stay where they are.

    Input:
    ```mlir
    func.func @take(%x: memref<?xf32>, %i: memref<?xindex>, %n: index, %m: index) -> memref<?xf32> {
      %y = memref.alloc(%m) : memref<?xf32>
      %flag = memref.alloc() : memref<i1>
      tally.kernel(%m) reduces [0] ins(%i, %n : memref<?xindex>, index) outs(%flag : memref<i1>) {
      ^bb0(%is: tensor<?xindex>, %size: index, %out: tensor<i1>):
        %true = arith.constant dense<true> : tensor<i1>
        %all = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"], tally.dims = array<i64: 0>}
            ins(%is : tensor<?xindex>) outs(%true : tensor<i1>) {
        ^bb0(%at: index, %sofar: i1):
          %in = arith.cmpi ult, %at, %size : index
          %t = arith.andi %sofar, %in : i1
          linalg.yield %t : i1
        } -> tensor<i1>
        tally.yield %all : tensor<i1>
      }
      %ok = memref.load %flag[] : memref<i1>
      tally.assert %ok message("an index is out of bounds")
      tally.kernel(%m) ins(%i, %x : memref<?xindex>, memref<?xf32>) outs(%y : memref<?xf32>) {
      ^bb0(%is: tensor<?xindex>, %xs: tensor<?xf32>, %ys: tensor<?xf32>):
        %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"], tally.dims = array<i64: 0>}
            ins(%is : tensor<?xindex>) outs(%ys : tensor<?xf32>) {
        ^bb0(%at: index, %unused: f32):
          %v = tensor.extract %xs[%at] : tensor<?xf32>
          linalg.yield %v : f32
        } -> tensor<?xf32>
        tally.yield %r : tensor<?xf32>
      }
      return %y : memref<?xf32>
    }
    ```

    Of the output, the body of what is left:
    ```
    ^bb0(%at: index, %unused: f32):
      %in = arith.cmpi ult, %at, %size : index
      %t = arith.andi %true, %in : i1
      tally.assert %t message("an index is out of bounds")
      %v = tensor.extract %xs[%at] : tensor<?xf32>
      linalg.yield %v : f32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::tally::TallyDialect"
  ];
}

def PlaceOnDevice : Pass<"tally-place-on-device", "::mlir::ModuleOp"> {
  let summary = "Free host code of accesses to memory of the device";
  let description = [{
    Every memref of a function is memory of the device, which host code cannot
    touch. Structured operations on memrefs that are left, and copies between
    buffers with gaps, become `tally.kernel`; other copies are calls of the
    runtime later. The outermost loops and branches whose whole content one
    thread can run become a kernel of one thread; what they result in comes back
    through memory. Any other load becomes a `tally.read_back`. Loops around
    kernels and allocations stay on the host. Operands of `tally.matmul` that no
    library takes as they lie in memory are copied. `PlacementOpInterface` tells
    what uses memory in a thread or on the host; what uses it in another way is
    an error. What is allocated here is freed here: runs when buffers have been
    deallocated. Runs on a module, which gets the functions for the GPU.

    Input:
    ```mlir
    func.func @main(%x: memref<?xindex>, %y: memref<4xindex>, %total: memref<index>, %n: index) -> index {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %n step %c1 {
        %v = memref.load %x[%i] : memref<?xindex>
        memref.store %i, %y[%v] : memref<4xindex>
      }
      %count = memref.load %total[] : memref<index>
      return %count : index
    }
    ```

    Output:
    ```mlir
    module attributes {gpu.container_module} {
      gpu.module @kernels {
        gpu.func @main_thread(%px: memref<1xindex>, %py: memref<1xindex>, %n: index, %dx: index) kernel {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %x = memref.reinterpret_cast %px to offset: [0], sizes: [%dx], strides: [1] : memref<1xindex> to memref<?xindex, strided<[1]>>
          %y = memref.reinterpret_cast %py to offset: [0], sizes: [4], strides: [1] : memref<1xindex> to memref<4xindex, strided<[1]>>
          scf.for %i = %c0 to %n step %c1 {
            %v = memref.load %x[%i] : memref<?xindex, strided<[1]>>
            memref.store %i, %y[%v] : memref<4xindex, strided<[1]>>
          }
          gpu.return
        }
      }
      func.func @main(%x: memref<?xindex>, %y: memref<4xindex>, %total: memref<index>, %n: index) -> index {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %px = memref.reinterpret_cast %x to offset: [0], sizes: [1], strides: [1] : memref<?xindex> to memref<1xindex>
        %dx = memref.dim %x, %c0 : memref<?xindex>
        %py = memref.reinterpret_cast %y to offset: [0], sizes: [1], strides: [1] : memref<4xindex> to memref<1xindex>
        gpu.launch_func @kernels::@main_thread blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
            args(%px : memref<1xindex>, %py : memref<1xindex>, %n : index, %dx : index)
        %count = tally.read_back %total[] : memref<index>
        return %count : index
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect", "::tally::TallyDialect"
  ];
}

def PlanArena : Pass<"tally-plan-arena", "::mlir::func::FuncOp"> {
  let summary = "Make one allocation of many";
  let description = [{
    Buffers that a function allocates and frees in its outermost block, between
    two checks, become parts of one allocation, if their sizes can be computed
    where the first of them is made. Buffers of the same size that are not used
    at the same time share a part. Sums and products are checked: what does not
    fit asks for -1 bytes, which the runtime refuses. What a function returns
    keeps an allocation of its own. Runs when buffers have been deallocated; a
    buffer may be shared as soon as its last use has been launched, because
    kernels run in order.

    ```mlir
    // Before
    %a = memref.alloc(%n) : memref<?xf32>
    %b = memref.alloc(%n) : memref<?xf32>
    memref.copy %a, %b : memref<?xf32> to memref<?xf32>
    memref.dealloc %a : memref<?xf32>
    memref.dealloc %b : memref<?xf32>
    // After
    %arena = memref.alloc(%bytes) {alignment = 256 : i64} : memref<?xi8>
    %a = memref.view %arena[%c0][%n] : memref<?xi8> to memref<?xf32>
    %b = memref.view %arena[%offset][%n] : memref<?xi8> to memref<?xf32>
    memref.copy %a, %b : memref<?xf32> to memref<?xf32>
    memref.dealloc %arena : memref<?xi8>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

def FormKernels : Pass<"tally-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "Make kernels of operations that share an iteration space";
  let description = [{
    Every `linalg.generic` on tensors becomes part of a `tally.kernel`. Those
    that run over the same dimensions become one: chains of pointwise
    operations, with what they broadcast, and reductions with what makes their
    operands and uses their results for the same rows. Two dimensions are the
    same where one operation reads what another made, or where their sizes are
    known to be equal (by what is declared, asserted and implied at that place).
    Nothing moves above an operation with an effect, so an access stays behind
    its check. Constants and fills are made where they are used.

    With `rows-only`, as for the CPU, a kernel is formed only where it gains by
    having a row in the cache: where it reduces rows whose elements are next to
    each other in memory, and computes elements of the same row before or after,
    or where all that it does is to reduce windows of at most 64 elements, as
    depthwise convolutions and pooling do. What reads or writes rows along another
    dimension does not join them, and neither does what looks for the first of the
    best elements. In a group that becomes no kernel, operations that compute an
    element for each point become one `linalg.generic` with several results, where
    one reads what another makes or both read the same elements: each tensor is
    read once and written once. Those that transpose stay apart, and so do those
    that wait for a reduction, or whose result becomes a part of another tensor, in
    the place of which it is computed. Everything else stays as it is.

    Input:
    ```mlir
    func.func @roots(%x: tensor<8x?xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
      %zeros = arith.constant dense<0.0> : tensor<8xf32>
      %sums = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<8x?xf32>) outs(%zeros : tensor<8xf32>) {
      ^bb0(%v: f32, %sum: f32):
        %t = arith.addf %sum, %v : f32
        linalg.yield %t : f32
      } -> tensor<8xf32>
      %roots = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%sums : tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%v: f32, %unused: f32):
        %t = math.sqrt %v : f32
        linalg.yield %t : f32
      } -> tensor<8xf32>
      return %roots : tensor<8xf32>
    }
    ```

    Output:
    ```mlir
    func.func @roots(%x: tensor<8x?xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
      %m = arith.constant 8 : index
      %c1 = arith.constant 1 : index
      %n = tensor.dim %x, %c1 : tensor<8x?xf32>
      %empty = tensor.empty() : tensor<8xf32>
      %r = tally.kernel(%m, %n) reduces [1] ins(%x : tensor<8x?xf32>) outs(%empty : tensor<8xf32>) {
      ^bb0(%a: tensor<8x?xf32>, %o: tensor<8xf32>):
        %zeros = arith.constant dense<0.0> : tensor<8xf32>
        %sums = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
            ins(%a : tensor<8x?xf32>) outs(%zeros : tensor<8xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
        ^bb0(%v: f32, %sum: f32):
          %t = arith.addf %sum, %v : f32
          linalg.yield %t : f32
        } -> tensor<8xf32>
        %roots = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
            ins(%sums : tensor<8xf32>) outs(%o : tensor<8xf32>) attrs = {tally.dims = array<i64: 0>} {
        ^bb0(%v: f32, %unused: f32):
          %t = math.sqrt %v : f32
          linalg.yield %t : f32
        } -> tensor<8xf32>
        tally.yield %roots : tensor<8xf32>
      } -> tensor<8xf32>
      return %r : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"rowsOnly", "rows-only", "bool", "false",
           "form only kernels that pass over rows more than once">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::mlir::ub::UBDialect", "::tally::TallyDialect"
  ];
}

def BufferizeKernels : Pass<"tally-bufferize-kernels", "::mlir::ModuleOp"> {
  let summary = "Bufferize in one shot, but for the bodies of kernels";
  let description = [{
    Tensors become buffers with `one-shot-bufferize`, across calls; a result is
    written where it is wanted (`eliminate-empty-tensors`). A kernel gets
    buffers to read and to write, and says on tensors what it computes. Runs on
    a module: a function and its calls change together.

    Input:
    ```mlir
    func.func @negate(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
      %e = tensor.empty(%n) : tensor<?xf32>
      %r = tally.kernel(%n) ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
      ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
        %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
            ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
        ^bb0(%v: f32, %unused: f32):
          %t = arith.negf %v : f32
          linalg.yield %t : f32
        } -> tensor<?xf32>
        tally.yield %s : tensor<?xf32>
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```

    Output:
    ```mlir
    func.func @negate(%x: memref<?xf32>, %n: index) -> memref<?xf32> {
      %m = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
      tally.kernel(%n) ins(%x : memref<?xf32>) outs(%m : memref<?xf32>) {
      ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
        %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
            ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
        ^bb0(%v: f32, %unused: f32):
          %t = arith.negf %v : f32
          linalg.yield %t : f32
        } -> tensor<?xf32>
        tally.yield %s : tensor<?xf32>
      }
      return %m : memref<?xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def ElideCopies : Pass<"tally-elide-copies", "::mlir::func::FuncOp"> {
  let summary = "Have kernels write where their results are copied to";
  let description = [{
    Where a kernel writes a buffer that is only copied, into a part of another
    buffer, it writes the part: two results of a kernel that are inserted into
    one tensor, as those of complex numbers are, and results that get a
    dimension of one element first, as the edges of padded images do, which
    bufferization gives buffers of their own. The other buffer, and the number that
    its part depends on, come before the kernel then. Nothing may read or write
    the part, or check an assert, between the kernel and the copy. Runs between
    bufferization and `ownership-based-buffer-deallocation`.

    Input:
    ```mlir
    func.func @pair(%x: memref<?xf32>, %n: index) -> memref<?x2xf32> {
      %a = memref.alloc(%n) : memref<?x1xf32>
      %v = memref.expand_shape %x [[0, 1]] output_shape [%n, 1] : memref<?xf32> into memref<?x1xf32>
      %c1 = arith.constant 1 : index
      tally.kernel(%n, %c1) ins(%v : memref<?x1xf32>) outs(%a : memref<?x1xf32>) {
      ^bb0(%i: tensor<?x1xf32>, %o: tensor<?x1xf32>):
        %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
            ins(%i : tensor<?x1xf32>) outs(%o : tensor<?x1xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
        ^bb0(%e: f32, %unused: f32):
          %t = arith.negf %e : f32
          linalg.yield %t : f32
        } -> tensor<?x1xf32>
        tally.yield %s : tensor<?x1xf32>
      }
      %all = memref.alloc(%n) : memref<?x2xf32>
      %part = memref.subview %all[0, 1] [%n, 1] [1, 1] : memref<?x2xf32> to memref<?x1xf32, strided<[2, 1], offset: 1>>
      memref.copy %a, %part : memref<?x1xf32> to memref<?x1xf32, strided<[2, 1], offset: 1>>
      return %all : memref<?x2xf32>
    }
    ```

    Output:
    ```mlir
    func.func @pair(%x: memref<?xf32>, %n: index) -> memref<?x2xf32> {
      %v = memref.expand_shape %x [[0, 1]] output_shape [%n, 1] : memref<?xf32> into memref<?x1xf32>
      %c1 = arith.constant 1 : index
      %all = memref.alloc(%n) : memref<?x2xf32>
      %part = memref.subview %all[0, 1] [%n, 1] [1, 1] : memref<?x2xf32> to memref<?x1xf32, strided<[2, 1], offset: 1>>
      tally.kernel(%n, %c1) ins(%v : memref<?x1xf32>) outs(%part : memref<?x1xf32, strided<[2, 1], offset: 1>>) {
      ^bb0(%i: tensor<?x1xf32>, %o: tensor<?x1xf32>):
        %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
            ins(%i : tensor<?x1xf32>) outs(%o : tensor<?x1xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
        ^bb0(%e: f32, %unused: f32):
          %t = arith.negf %e : f32
          linalg.yield %t : f32
        } -> tensor<?x1xf32>
        tally.yield %s : tensor<?x1xf32>
      }
      return %all : memref<?x2xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

#endif // TALLY_CODEGEN_KERNELS_PASSES
