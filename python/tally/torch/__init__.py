"""PyTorch's models through Tally: the backend of torch.compile.

    model = torch.compile(model, backend="tally", dynamic=True)

compiles each graph once for all sizes, forward and backward. `tally.torch.compile(model)` also
keeps PyTorch from compiling again for sizes 0 and 1 and for sizes that were equal at first.
"""

from torch._dynamo.backends import registry as _registry

from ._backend import backend
from ._compile import compile
from ._exported import compile_exported as _compile_exported
from ._reports import FallbackWarning, UnsupportedProgram, statistics

__all__ = ["FallbackWarning", "UnsupportedProgram", "backend", "compile", "statistics"]

# An installed package is found by its name without this.
if "tally" not in _registry._COMPILER_FNS:
    _registry.register_backend(backend, name="tally")
