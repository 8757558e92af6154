"""PyTorch's models through Tally: the backend of torch.compile.

    model = torch.compile(model, backend="tally", dynamic=True)

compiles each graph once for all sizes, forward and backward. `tally.torch.compile(model)` also
keeps PyTorch from compiling again for sizes 0 and 1 and for sizes that were equal at first.
"""

try:
    import torch as _torch
except ModuleNotFoundError as _error:
    if _error.name != "torch":
        raise
    raise ModuleNotFoundError(
        "tally.torch needs PyTorch 2.10 or later: pip install torch", name="torch") from None
if tuple(map(int, _torch.__version__.split(".")[:2])) < (2, 10):
    raise ImportError(f"tally.torch needs PyTorch 2.10 or later; {_torch.__version__} is installed: pip install -U torch")

from torch._dynamo.backends import registry as _registry

from ._backend import backend
from ._compile import compile
from ._exported import compile_exported as _compile_exported
from ._reports import FallbackWarning, UnsupportedProgram, statistics

__all__ = ["FallbackWarning", "UnsupportedProgram", "backend", "compile", "statistics"]

# An installed package has an entry point of this name, which PyTorch registers when it loads it.
_registry._discover_entrypoint_backends()
if "tally" not in _registry._BACKENDS:
    _registry.register_backend(backend, name="tally")
