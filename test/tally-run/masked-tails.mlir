// What is left of a row after whole vectors, beside the interpreter and in code (MaskedTails.cpp).
// RUN: tally-run %s --compare --entry f32 --cases %S/Inputs/masked-tails-f32.json | FileCheck %s
// RUN: tally-run %s --compare --entry f16 --cases %S/Inputs/masked-tails-f16.json | FileCheck %s
// RUN: tally-run %s --compare --entry f64 --cases %S/Inputs/masked-tails-f64.json | FileCheck %s
// CHECK-COUNT-20: PASS

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

func.func @f32(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = tensor.empty(%m, %n) : tensor<?x?xf32>
  %start = linalg.fill ins(%lowest : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%start : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.maximumf %a, %acc : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %exps = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %unused: f32):
    %s = arith.subf %a, %b : f32
    %t = math.exp %s : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%exps : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%exps, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%r : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %unused: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  return %y, %sum : tensor<?x?xf32>, tensor<?xf32>
}

func.func @f16(%x: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xf16>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = tensor.empty(%m, %n) : tensor<?x?xf16>
  %start = linalg.fill ins(%lowest : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf16>) outs(%start : tensor<?xf32>) {
  ^bb0(%a: f16, %acc: f32):
    %w = arith.extf %a : f16 to f32
    %s = arith.maximumf %w, %acc : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %exps = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf16>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f16, %b: f32, %unused: f32):
    %w = arith.extf %a : f16 to f32
    %s = arith.subf %w, %b : f32
    %t = math.exp %s : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%exps : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%exps, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%r : tensor<?x?xf16>) {
  ^bb0(%a: f32, %b: f32, %unused: f16):
    %q = arith.divf %a, %b : f32
    %h = arith.truncf %q : f32 to f16
    linalg.yield %h : f16
  } -> tensor<?x?xf16>
  return %y, %sum : tensor<?x?xf16>, tensor<?xf32>
}

func.func @f64(%x: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %zero = arith.constant 0.0 : f64
  %m = tensor.dim %x, %c0 : tensor<?x?xf64>
  %n = tensor.dim %x, %c1 : tensor<?x?xf64>
  %rows = tensor.empty(%m) : tensor<?xf64>
  %e = tensor.empty(%m, %n) : tensor<?x?xf64>
  %r = tensor.empty(%m, %n) : tensor<?x?xf64>
  %start = linalg.fill ins(%lowest : f64) outs(%rows : tensor<?xf64>) -> tensor<?xf64>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf64>) outs(%start : tensor<?xf64>) {
  ^bb0(%a: f64, %acc: f64):
    %s = arith.maximumf %a, %acc : f64
    linalg.yield %s : f64
  } -> tensor<?xf64>
  %exps = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf64>, tensor<?xf64>) outs(%e : tensor<?x?xf64>) {
  ^bb0(%a: f64, %b: f64, %unused: f64):
    %s = arith.subf %a, %b : f64
    %t = math.exp %s : f64
    linalg.yield %t : f64
  } -> tensor<?x?xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%rows : tensor<?xf64>) -> tensor<?xf64>
  %sum = linalg.reduce { arith.addf } ins(%exps : tensor<?x?xf64>) outs(%zeros : tensor<?xf64>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%exps, %sum : tensor<?x?xf64>, tensor<?xf64>) outs(%r : tensor<?x?xf64>) {
  ^bb0(%a: f64, %b: f64, %unused: f64):
    %q = arith.divf %a, %b : f64
    linalg.yield %q : f64
  } -> tensor<?x?xf64>
  return %y, %sum : tensor<?x?xf64>, tensor<?xf64>
}
