"""The program of generate.py in PyTorch, and how long torch.export takes for it."""

import time

import torch

from generate import LIMIT


class Program(torch.nn.Module):
    """Reads the lengths of packed pieces, checks that they fit, and computes on each."""

    def __init__(self, count):
        super().__init__()
        self.count = count

    def forward(self, lengths, x):
        start, result = 0, torch.zeros(())
        for index in range(self.count):
            length = lengths[index].item()
            torch._check(length >= 0)
            torch._check(start + length <= LIMIT)
            piece = torch.narrow(x, 0, start, length)
            start = start + length
            product = piece * torch.full((length,), 2.0)
            both = torch.cat([product, piece])
            half = torch.narrow(both, 0, length, length)
            result = result + (half + piece).sum()
        return result


def time_export(count):
    """Processor seconds of torch.export, and the operations of the exported graph."""
    lengths = torch.ones(count, dtype=torch.int64)
    x = torch.zeros(LIMIT)
    start = time.process_time()
    program = torch.export.export(Program(count), (lengths, x))
    seconds = time.process_time() - start
    operations = sum(node.op == "call_function" for node in program.graph.nodes)
    return seconds, operations
