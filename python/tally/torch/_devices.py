"""Where graphs run."""

import torch

from ..errors import DeviceError


def find_device(tensors, refuse):
    """The one device of tensors: a GPU where one of them is there. `refuse` is called with what is
    wrong where they are on several."""
    found = torch.device("cpu")
    for tensor in tensors:
        if tensor.device.type == "cpu":
            continue
        if found.type != "cpu" and tensor.device != found:
            refuse(f"its tensors are on {found} and on {tensor.device}; they have to be on one device")
        found = tensor.device
    return found


def goes_along(tensor, device):
    """Whether a tensor may be in a graph that runs on a device: there, or, as PyTorch has it, on the
    CPU and a number, a tensor of no dimensions."""
    return tensor.device == device or (tensor.device.type == "cpu" and tensor.dim() == 0)


def find_options(device, given=()):
    """The options of the compiler for a device, asked of its driver unless `given` has its chip."""
    if device.type == "cpu":
        return {}
    if device.type != "cuda":
        raise DeviceError(f"Tally compiles for the CPU and for NVIDIA's GPUs, not for {device.type!r}")
    if "chip" in given:
        return {"target": "cuda"}
    if not torch.cuda.is_available():
        why = "this PyTorch was built without CUDA" if torch.version.cuda is None else (
            "PyTorch finds no GPU: there is none, or no driver (libcuda.so.1)")
        raise DeviceError(f"the program is for {device}, but {why}; the option chip, as in "
                          "chip=\"sm_90a\", compiles for a GPU that is elsewhere")
    major, minor = torch.cuda.get_device_capability(device)
    # From Hopper on, what a chip alone can do has a name with an `a`.
    return {"target": "cuda", "chip": f"sm_{major}{minor}" + "a" * (major >= 9)}
