"""Prints a recurrence over the N middle parts of two tensors: h = (h * y[:, i] + z[:, i]) @ w."""
import sys

steps = int(sys.argv[1])
whole, part, state = f"tensor<?x{steps}x4xf32>", "tensor<?x1x4xf32>", "tensor<?x4xf32>"
print(f"""func.func @main(%x: {whole} {{tally.name = "x", tally.shape = #tally.shape<s0, {steps}, 4>}},
                %w: tensor<4x4xf32> {{tally.name = "w", tally.shape = #tally.shape<4, 4>}})
    -> ({state} {{tally.shape = #tally.shape<s0, 4>}})
    attributes {{tally.symbols = #tally.symbols<s0 : from "x.size(0)">}} {{
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : {whole}
  %e = tensor.empty(%n) : {whole}
  %y = linalg.exp ins(%x : {whole}) outs(%e : {whole}) -> {whole}
  %z = linalg.negf ins(%x : {whole}) outs(%e : {whole}) -> {whole}
  %i = tensor.empty(%n) : {state}
  %none = linalg.fill ins(%zero : f32) outs(%i : {state}) -> {state}
  %h0 = linalg.fill ins(%one : f32) outs(%i : {state}) -> {state}""")
for i in range(steps):
    for tensor in "yz":
        print(f"""  %{tensor}{i}s = tensor.extract_slice %{tensor}[0, {i}, 0] [%n, 1, 4] [1, 1, 1] : {whole} to {part}
  %{tensor}{i} = tensor.collapse_shape %{tensor}{i}s [[0, 1], [2]] : {part} into {state}""")
    print(f"""  %m{i} = linalg.mul ins(%h{i}, %y{i} : {state}, {state}) outs(%i : {state}) -> {state}
  %a{i} = linalg.add ins(%m{i}, %z{i} : {state}, {state}) outs(%i : {state}) -> {state}
  %h{i + 1} = linalg.matmul ins(%a{i}, %w : {state}, tensor<4x4xf32>) outs(%none : {state}) -> {state}""")
print(f"  return %h{steps} : {state}\n}}")
