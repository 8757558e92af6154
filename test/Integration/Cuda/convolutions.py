#!/usr/bin/env python3
"""Runs convolutions at several sizes and compares with PyTorch in float64.

    convolutions.py                                on the GPU
    convolutions.py --filter depthwise --device cpu
    convolutions.py --time                         and times the largest size beside eager
    convolutions.py --time --deterministic         with algorithms that give the same bits each time

Each module is exported and compiled once, for all sizes. An error is measured beside the
sum of the absolute values of what is summed up. Needs torch. Ends with status 1 where a
result is wrong. TALLY_LIBCUDNN=none shows what is computed without cuDNN.
"""

import argparse
import concurrent.futures
import copy
import pathlib
import re
import subprocess
import sys
import tempfile

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "benchmarks" / "gpu"))

import measure
from tally_library import Program

TYPES = {"f32": (torch.float32, 1e-5), "f16": (torch.float16, 2e-3),
         "bf16": (torch.bfloat16, 1.6e-2), "f64": (torch.float64, 1e-13)}

# Name: class, arguments, types, sizes of a batch and its images; the last one is timed.
IMAGES = [(1, 7, 9), (2, 8, 8), (3, 33, 31), (0, 8, 9), (32, 56, 56)]
SMALL = [(1, 1, 1), (2, 5, 3), (3, 17, 16), (32, 56, 56)]
CASES = {
    "3x3": ("Conv2d", (64, 64, 3), {"padding": 1}, "f32 f16 bf16 f64", IMAGES),
    "3x3 no bias": ("Conv2d", (64, 64, 3), {"padding": 1, "bias": False}, "f32 f16", IMAGES),
    "3x3 odd channels": ("Conv2d", (5, 7, 3), {}, "f32 f16 bf16", IMAGES),
    "stem": ("Conv2d", (3, 64, 7), {"padding": 3, "stride": 2, "bias": False}, "f32 f16",
             [(1, 9, 8), (2, 31, 33), (32, 224, 224)]),
    "1x1": ("Conv2d", (64, 256, 1), {}, "f32 f16", SMALL),
    "1x1 stride": ("Conv2d", (64, 128, 1), {"stride": 2}, "f32 f16", SMALL),
    "resnet 128": ("Conv2d", (128, 128, 3), {"padding": 1, "bias": False}, "f32 f16",
                   [(1, 3, 5), (32, 28, 28)]),
    "resnet 256": ("Conv2d", (256, 256, 3), {"padding": 1, "bias": False}, "f32 f16",
                   [(1, 3, 5), (32, 14, 14)]),
    "resnet 512": ("Conv2d", (512, 512, 3), {"padding": 1, "bias": False}, "f32 f16",
                   [(1, 3, 5), (32, 7, 7)]),
    "resnet stride": ("Conv2d", (64, 128, 3), {"padding": 1, "stride": 2, "bias": False}, "f32 f16",
                      [(1, 3, 5), (32, 56, 56)]),
    "stride and dilation": ("Conv2d", (6, 10, (3, 2)), {"stride": (2, 3), "dilation": (2, 3)}, "f32 f16",
                            IMAGES),
    "dilated": ("Conv2d", (64, 64, 3), {"padding": 2, "dilation": 2}, "f32", IMAGES),
    "groups": ("Conv2d", (64, 96, 3), {"padding": 1, "groups": 8}, "f32 f16", IMAGES),
    "one group each": ("Conv2d", (6, 12, 3), {"padding": 1, "groups": 6}, "f32", IMAGES),
    "depthwise": ("Conv2d", (64, 64, 3), {"padding": 1, "groups": 64}, "f32 f16 bf16", IMAGES),
    "depthwise 7x7": ("Conv2d", (96, 96, 7), {"padding": 3, "groups": 96}, "f32 f16", IMAGES),
    "depthwise stride": ("Conv2d", (6, 6, (3, 5)), {"padding": (2, 1), "stride": 2, "dilation": (1, 2), "groups": 6},
                         "f32 f64", IMAGES),
    "depthwise 1d": ("Conv1d", (48, 48, 4), {"padding": 3, "groups": 48}, "f32 bf16", [(1, 5), (2, 77), (16, 1000)]),
    "one channel": ("Conv2d", (1, 1, 5), {"padding": 2}, "f32", IMAGES),
    "1d": ("Conv1d", (16, 32, 5), {"padding": 2}, "f32 f16", [(1, 5), (2, 77), (3, 1), (16, 1000)]),
    "1d stride": ("Conv1d", (4, 6, 3), {"stride": 2}, "f32 f64", [(1, 3), (2, 77), (3, 4), (16, 1000)]),
    "3d": ("Conv3d", (8, 16, 3), {"padding": 1}, "f32 f16",
           [(1, 2, 3, 4), (2, 5, 6, 7), (1, 1, 1, 1), (4, 16, 28, 28)]),
    "3d stride": ("Conv3d", (3, 5, (1, 3, 2)), {"stride": (1, 2, 3), "dilation": (1, 2, 1)}, "f32",
                  [(1, 2, 5, 4), (2, 5, 9, 7), (4, 16, 28, 28)]),
    "gradient": ("WeightGradient", (16, 24, 3), {"padding": 1}, "f32 f16 bf16 f64", IMAGES),
    "gradient without padding": ("WeightGradient", (5, 7, (3, 2)), {"dilation": (2, 3)}, "f32 f16", IMAGES),
    "gradient stride": ("WeightGradient", (16, 24, 3), {"padding": 1, "stride": 2}, "f32 f16", IMAGES),
    "gradient groups": ("WeightGradient", (16, 24, 3), {"padding": 1, "groups": 4}, "f32", IMAGES),
    "gradient depthwise": ("WeightGradient", (16, 16, 3), {"padding": 1, "groups": 16}, "f32", IMAGES),
    "image gradient": ("ImageGradient", (16, 24, 3), {"padding": 1}, "f32 f16 f64", IMAGES),
    "image gradient stride": ("ImageGradient", (16, 24, 3), {"padding": 1, "stride": 2}, "f32 f16 bf16", IMAGES),
    "image gradient groups": ("ImageGradient", (16, 24, (3, 2)), {"groups": 4, "stride": (1, 3), "dilation": (2, 1)},
                              "f32", IMAGES),
    "gradient 64": ("WeightGradient", (64, 64, 3), {"padding": 1}, "f32 f16", IMAGES),
    "gradient 64 stride": ("WeightGradient", (64, 128, 3), {"padding": 1, "stride": 2}, "f32", IMAGES),
    "transposed": ("ConvTranspose2d", (16, 8, 3), {"stride": 2, "padding": 1, "output_padding": 1},
                   "f32 f16", IMAGES),
    "transposed blocks": ("ConvTranspose2d", (16, 8, 2), {"stride": 2}, "f32 f16", IMAGES),
    "transposed groups": ("ConvTranspose2d", (8, 12, 4), {"stride": 2, "padding": 1, "groups": 4}, "f32", IMAGES),
    "transposed 64": ("ConvTranspose2d", (128, 64, 4), {"stride": 2, "padding": 1, "bias": False}, "f32 f16",
                      [(1, 3, 5), (32, 32, 32)]),
    "transposed dense": ("ConvTranspose2d", (16, 8, 3), {"padding": 2}, "f32", IMAGES),
    "transposed dilated": ("ConvTranspose2d", (6, 4, (2, 3)), {"stride": (1, 2), "dilation": (3, 2),
                                                               "output_padding": (2, 1)}, "f32 f16", IMAGES),
    "transposed 1d": ("ConvTranspose1d", (6, 4, 4), {"stride": 3}, "f32 f16", [(1, 2), (3, 35), (16, 1000)]),
    "transposed 3d": ("ConvTranspose3d", (16, 8, 3), {"stride": 2, "padding": 1}, "f32 f16",
                      [(1, 2, 3, 4), (2, 5, 6, 7), (1, 1, 1, 1), (4, 16, 28, 28)]),
}


class Gradient(torch.nn.Module):
    """A gradient of a convolution, for a result that is its own gradient."""

    mask = ()

    def __init__(self, *arguments, **options):
        super().__init__()
        self.convolution = torch.nn.Conv2d(*arguments, bias=False, **options)
        self.in_channels = self.convolution.in_channels

    def forward(self, x):
        of = self.convolution
        return torch.ops.aten.convolution_backward(
            of(x), x, of.weight, None, of.stride, of.padding, of.dilation, False, (0, 0), of.groups,
            self.mask)[self.mask.index(True)]


class WeightGradient(Gradient):
    mask = (False, True, False)


class ImageGradient(Gradient):
    mask = (True, False, False)


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--filter", default="", metavar="REGEX")
    parser.add_argument("--jobs", type=int, default=4, metavar="N", help="compilations at a time")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--deterministic", action="store_true", help="PyTorch's algorithms, too")
    parser.add_argument("--keep", metavar="DIR", help="leave programs in DIR; those there are used")
    parser.add_argument("--tally-compile", default="tally-compile", metavar="PATH")
    return parser.parse_args()


def make_module(case, dtype):
    kind, arguments, options, _, _ = case
    torch.manual_seed(0)
    make = {"WeightGradient": WeightGradient, "ImageGradient": ImageGradient}.get(kind) or getattr(torch.nn, kind)
    module = make(*arguments, **options).eval()
    # A weight that is given is of the same type as one of the program.
    return module.to(dtype).requires_grad_(False)


def export(module, case, dtype, path):
    *_, sizes = case
    batch, *image = sizes[-1]
    x = torch.zeros(max(batch, 2), module.in_channels, *image, dtype=dtype)
    dims = {0: torch.export.Dim("n", min=0, max=1 << 20)}
    dims.update({2 + i: torch.export.Dim.AUTO for i in range(len(image))})
    torch.export.save(torch.export.export(module, (x,), dynamic_shapes=(dims,)), path)


def compile_case(options, path):
    library = path.with_suffix(".so")
    if library.exists():
        return library
    target = ["--target=cuda", "--chip=sm_90a"] if options.device == "cuda" else []
    done = subprocess.run([options.tally_compile, str(path), "-o", str(library), *target],
                          capture_output=True, text=True)
    return library if done.returncode == 0 else done.stderr.strip().splitlines()[0]


def check(program, module, x, tolerance):
    """What is wrong with a result, or its largest relative error and that of eager."""
    wide = make_wide(module)
    expected = wide(x.double())
    for parameter in wide.parameters():
        parameter.abs_()
    allowed = tolerance * wide(x.double().abs())
    (result,) = program(x)
    if result.shape != expected.shape:
        return f"has shape {tuple(result.shape)}, expected {tuple(expected.shape)}", None
    error = (result.double() - expected).abs()
    if not (error <= allowed).all():
        place = tuple(int(i) for i in (~(error <= allowed)).nonzero()[0])
        return (f"is {float(result[place]):.9g} at {place}, expected {float(expected[place]):.9g}", None)
    scale = (allowed / tolerance).clamp_min(1e-300)
    other = (module(x).double() - expected).abs()
    return None, [float((e / scale).max()) if e.numel() else 0 for e in (error, other)]


def make_wide(module):
    return copy.deepcopy(module).double()


def time_case(program, module, x):
    if x.device.type != "cuda":
        return ""
    call = program.prepare(x)
    program.reset_counters()
    call.enqueue()
    counters = program.counters()
    times = [measure.measure(calls, x.device, 20, 7, False)[0]
             for calls in ([call.enqueue], [lambda: module(x)])]
    return (f" {times[0] * 1e6:.1f} us, eager {times[1] * 1e6:.1f}, x {times[1] / times[0]:.2f}, "
            f"{counters.launches} launches, {counters.library_calls} of libraries")


def run_case(options, name, library, case, kind):
    dtype, tolerance = TYPES[kind]
    if isinstance(library, str):
        return f"FAIL {name} {kind}: {library}"
    device = torch.device(options.device)
    program = Program(str(library))
    if device.type == "cuda":
        program.use_current_stream()
        program.set_deterministic(options.deterministic)
    module = make_module(case, dtype).to(device)
    generator = torch.Generator(device).manual_seed(1)
    errors, times = [], ""
    for batch, *image in case[-1]:
        x = torch.randn(batch, module.in_channels, *image, generator=generator,
                        device=device).to(dtype)
        try:
            problem, found = check(program, module, x, tolerance)
        except RuntimeError as failure:
            # What eager refuses is refused here as well.
            try:
                make_wide(module)(x.double())
                problem = str(failure).splitlines()[0]
            except RuntimeError:
                continue
        if problem:
            return f"FAIL {name} {kind} {(batch, *image)}: {problem}"
        errors.append(found)
        if options.time and (batch, *image) == case[-1][-1]:
            times = time_case(program, module, x)
    worst = [max(each) for each in zip(*errors)]
    return f"PASS {name} {kind}: error {worst[0]:.1e}, eager {worst[1]:.1e}{times}"


def main():
    options = parse_arguments()
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.deterministic = options.deterministic
    torch.backends.cuda.matmul.allow_tf32 = False
    wanted = [(name, kind) for name, case in CASES.items() for kind in case[3].split()
              if re.search(options.filter, f"{name} {kind}")]
    failed = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        paths = []
        for name, kind in wanted:
            name_of_file = f"{name} {kind}.pt2".replace(" ", "_")
            paths.append(pathlib.Path(options.keep or folder) / name_of_file)
            dtype = TYPES[kind][0]
            if not paths[-1].exists():
                export(make_module(CASES[name], dtype), CASES[name], dtype, paths[-1])
        compiled = pool.map(lambda path: compile_case(options, path), paths)
        for (name, kind), library in zip(wanted, compiled):
            line = run_case(options, name, library, CASES[name], kind)
            failed += line.startswith("FAIL")
            print(line, flush=True)
    print(f"{len(wanted) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
