"""PyTorch's models through Tally: the backend of torch.compile.

    model = torch.compile(model, backend="tally", dynamic=True)

compiles each graph once for all sizes, forward and backward. `tally.torch.compile(model)` also
keeps PyTorch from compiling again for sizes 0 and 1 and for sizes that were equal at first.
"""

from ._backend import FallbackWarning, UnsupportedProgram, backend, compile, statistics
from ._exported import compile_exported as _compile_exported

__all__ = ["FallbackWarning", "UnsupportedProgram", "backend", "compile", "statistics"]
