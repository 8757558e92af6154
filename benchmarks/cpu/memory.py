"""What bench.py sets beside a program that may wait for memory: a loop in C that moves as many bytes."""

import ctypes
import pathlib
import shutil
import subprocess

import torch


def load_mover(folder):
    """The function of memory.c, compiled for this processor; None where there is no compiler of C."""
    compiler = shutil.which("cc")
    if not compiler:
        return None
    library = folder / "memory.so"
    subprocess.run([compiler, "-O3", "-march=native", "-shared", "-fPIC", "-o", library,
                    pathlib.Path(__file__).with_name("memory.c")], check=True)
    move = ctypes.CDLL(str(library)).move
    move.restype, move.argtypes = ctypes.c_long, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    return move


def plan_moves(sources, targets):
    """Calls of `move` that read all of the sources and write all of the targets: copies, as far as there are both."""
    moves = []
    sources, targets = ([[tensor.data_ptr(), tensor.nbytes] for tensor in tensors] for tensors in (sources, targets))
    while sources or targets:
        heads = [pieces[0] for pieces in (sources, targets) if pieces]
        count = min(size for _, size in heads)
        moves.append((sources[0][0] if sources else None, targets[0][0] if targets else None, count))
        for head in heads:
            head[0], head[1] = head[0] + count, head[1] - count
        sources, targets = ([piece for piece in pieces if piece[1]] for pieces in (sources, targets))
    return moves


def make_plain(move, operands, results):
    """A function that moves what a call has to, and how many bytes these are."""
    operands = [operand.contiguous() for operand in operands if operand.nbytes]
    targets = [torch.zeros(result.nbytes, dtype=torch.uint8) for result in results if result.nbytes]
    moves = plan_moves(operands, targets)

    def plain():
        for each in moves:
            move(*each)

    # The moves have addresses: what these are of lives as long.
    plain.tensors = operands, targets
    return plain, sum(tensor.nbytes for tensor in operands + targets)
