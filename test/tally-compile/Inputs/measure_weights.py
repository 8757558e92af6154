"""What weights add to the memory of tally-compile; the argument is a folder to work in.

The same program is compiled with little weights and with 64 MB of them, in one constant of rank 5.
"""

import os
import pathlib
import subprocess
import sys

PROGRAM = """
func.func @main(%x: tensor<?x64x2x2x2xf32>) -> tensor<?x64x2x2x2xf32> {{
  %w = tally.constant "w.bin" [0] : tensor<{rows}x64x2x2x2xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64x2x2x2xf32>
  %part = tensor.extract_slice %w[0, 0, 0, 0, 0] [%n, 64, 2, 2, 2] [1, 1, 1, 1, 1]
      : tensor<{rows}x64x2x2x2xf32> to tensor<?x64x2x2x2xf32>
  %e = tensor.empty(%n) : tensor<?x64x2x2x2xf32>
  %y = linalg.mul ins(%x, %part : tensor<?x64x2x2x2xf32>, tensor<?x64x2x2x2xf32>)
      outs(%e : tensor<?x64x2x2x2xf32>) -> tensor<?x64x2x2x2xf32>
  return %y : tensor<?x64x2x2x2xf32>
}}
"""
WEIGHTS = 64 << 20


def compile_weights(folder, rows, *options):
    """The peak of memory, in bytes."""
    (folder / "program.mlir").write_text(PROGRAM.format(rows=rows))
    command = ["tally-compile", folder / "program.mlir", *options]
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, status
    return usage.ru_maxrss << 10


folder = pathlib.Path(sys.argv[1])
rows = WEIGHTS // (64 * 8 * 4)
with open(folder / "w.bin", "wb") as file:
    for row in range(rows // 32):
        file.write(bytes([row % 251]) * (32 * 64 * 8 * 4))
worst = 0
for name, options in (
    ("object file", ["-o", folder / "w.o"]),
    ("library", ["-o", folder / "w.so"]),
    ("data file", ["-o", folder / "w.so", "--data", folder / "w.data"]),
):
    added = compile_weights(folder, rows, *options) - compile_weights(folder, 32, *options)
    print(f"{name}: {added / WEIGHTS:.2f} of the weights")
    worst = max(worst, added / WEIGHTS)
# Once, where the file is mapped: these are pages that the system can take back.
sys.exit(worst > 1.5)
