"""Programs for a GPU of PyTorch's, compiled on any machine."""

import sys
import unittest
from unittest import mock

import tally
import tally.torch
import torch
from tally.torch import _devices, _partitions
from tally.torch._backend import GraphCompiler
from tally.torch._call import TensorCall
from tally.torch._exported import _find_options
from tally.torch._recurrent import recurrent_layers
from torch._subclasses import FakeTensorMode
from torch.export import Dim, export
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import ShapeEnv

aten = torch.ops.aten


class Model(torch.nn.Module):
    def forward(self, x, y):
        return torch.relu(x @ y) + 1


def trace(function, *sizes_and_devices):
    """A graph of fake tensors, which may be on devices that are not there."""
    with FakeTensorMode(shape_env=ShapeEnv()):
        inputs = [torch.empty(sizes, device=device) for sizes, device in sizes_and_devices]
        return make_fx(function, tracing_mode="symbolic")(*inputs), inputs


def without_gpu():
    return mock.patch("torch.cuda.is_available", lambda: False)


def with_gpu(*capability):
    available = mock.patch("torch.cuda.is_available", lambda: True)
    return available, mock.patch("torch.cuda.get_device_capability", lambda device: capability)


class Devices(unittest.TestCase):
    def setUp(self):
        tally.torch.statistics.clear()

    def test_exported_for_a_chip(self):
        inputs = torch.randn(3, 8), torch.randn(8, 2)
        exported = export(Model(), inputs, dynamic_shapes=({0: Dim("n")}, None))
        program = tally.compile(exported, target="cuda", chip="sm_90")
        self.assertTrue(program.library.is_on_gpu)
        with self.assertRaisesRegex(tally.InvalidArgument, "was compiled for a GPU, and its arguments are on the CPU"):
            program(*inputs)
        program.save(sys.argv[1])
        with self.assertRaisesRegex(ImportError, "was compiled for a GPU, not for the CPU"):
            tally.load(sys.argv[1])

    def test_order_of_sums(self):
        """A graph that is compiled adds up as eager mode may; an exported program gives the same bits."""
        inputs = torch.randn(3, 8), torch.randn(8, 2)
        with mock.patch("tally.library.Library.set_deterministic") as chosen:
            tally.compile(export(Model(), inputs))(*inputs)
            chosen.assert_not_called()
            for wanted in (False, True):
                torch._dynamo.reset()
                with torch.backends.cudnn.flags(deterministic=wanted):
                    tally.torch.compile(Model())(*inputs)
                chosen.assert_called_with(wanted)

    def test_no_gpu(self):
        with without_gpu(), self.assertRaisesRegex(tally.DeviceError, 
                r'; the option chip, as in chip="sm_90a", compiles for a GPU that is elsewhere'):
            _devices.find_options(torch.device("cuda:0"))
        with self.assertRaisesRegex(tally.DeviceError, "Tally compiles for the CPU and for NVIDIA's GPUs, not for 'xpu'"):
            _devices.find_options(torch.device("xpu"))
        self.assertEqual(_devices.find_options(torch.device("cpu")), {})
        self.assertEqual(_devices.find_options(torch.device("cuda"), {"chip"}), {"target": "cuda"})

    def test_no_module_in_c(self):
        entry = mock.Mock(_results=[])
        entry._library = mock.Mock(is_on_gpu=True, _make_caller=lambda *args: None)
        with self.assertRaisesRegex(
                tally.DeviceError,
                "calls on a GPU need tally's module in C, which was not built, or not for this Python"):
            TensorCall(entry)()

    def test_chips(self):
        for capability, chip in (((8, 0), "sm_80"), ((9, 0), "sm_90a"), ((12, 0), "sm_120a")):
            available, asked = with_gpu(*capability)
            with available, asked:
                options = _devices.find_options(torch.device("cuda:1"))
            self.assertEqual(options, {"target": "cuda", "chip": chip})

    def test_graph(self):
        module, inputs = trace(lambda x, s: (torch.relu(x * s + 2).t(), s * 2), ((3, 8), "cuda"), ((), "cpu"))
        self.assertEqual(_partitions.describe_refusals(module), "")
        available, asked = with_gpu(8, 0)
        with available, asked:
            call = GraphCompiler("inference", {"fallback": "error"})(module, inputs)
        self.assertEqual(tally.torch.statistics[0][0], "inference")
        self.assertIn(tally.torch.statistics[0][1], ("compiled", "cached"))
        with self.assertRaisesRegex(tally.InvalidArgument, "its arguments are on the CPU"):
            call([torch.randn(3, 8), torch.tensor(2.0)])

    def test_cells(self):
        """PyTorch cannot trace its own operators for cells on a GPU; what they compute is that of cells on a CPU."""
        for cell, operator in ((torch.nn.GRUCell(3, 4), aten.gru_cell.default), (torch.nn.LSTMCell(3, 4), aten.lstm_cell.default)):
            states = [torch.randn(2, 4)] * (1 if operator is aten.gru_cell.default else 2)
            arguments = [torch.randn(2, 3), *states, *(each.detach() for each in cell.parameters())]

            def call(x, *rest, operator=operator):
                hx, params = (rest[0], rest[1:]) if len(rest) == 5 else (list(rest[:2]), rest[2:])
                return operator(x, hx, *params)

            with recurrent_layers():
                module, inputs = trace(call, *((tuple(each.shape), "cuda") for each in arguments))
            self.assertEqual(_partitions.describe_refusals(module), "")
            self.assertTrue(all(each.device.type == "cuda" for each in inputs))
            torch.testing.assert_close(module(*arguments), call(*arguments))

    def test_graph_without_gpu(self):
        module, inputs = trace(lambda x: torch.relu(x) + 2, ((3, 8), "cuda"))
        with without_gpu(), self.assertRaisesRegex(tally.torch.UnsupportedProgram, "the program is for cuda:0"):
            GraphCompiler("inference", {"fallback": "error"})(module, inputs)

    def test_made_on_cpu(self):
        """What is made of sizes and numbers on the CPU is made where the graph runs."""
        def call(x):
            rows, columns = torch.tril_indices(3, 3, -1)
            places = torch.arange(x.shape[0]).flip(0)
            picked = aten.index.Tensor(x, [rows, columns]), aten.index.Tensor(x, [places])
            return *picked, x + torch.ones(x.shape[0]).cumsum(0).to(x.device).unsqueeze(1), places * 2

        module, inputs = trace(call, ((5, 4), "cuda"))
        self.assertEqual(_partitions.describe_refusals(module), "")
        available, asked = with_gpu(8, 0)
        with available, asked:
            GraphCompiler("inference", {"fallback": "error"})(module, inputs)
        module, _ = trace(lambda x, places: aten.index.Tensor(x, [places.long() + torch.arange(2)]), ((5, 4), "cuda"), ((2,), "cpu"))
        self.assertRegex(_partitions.describe_refusals(module), r"tensors on cpu beside those on cuda:0")

    def test_several_devices(self):
        module, _ = trace(lambda x, y: (x + 1, y + 1), ((3, 8), "cuda"), ((3, 8), "cpu"))
        self.assertRegex(_partitions.describe_refusals(module), r"tensors on cpu beside those on cuda:0")
        with FakeTensorMode():
            tensors = [torch.empty(3, device=name) for name in ("cpu", "cuda:0", "cuda:1")]
        exported = mock.Mock()
        exported.graph.nodes = [mock.Mock(op="placeholder", meta={"val": each}) for each in tensors]
        with self.assertRaisesRegex(
                tally.DeviceError,
                "the program cannot be compiled: its tensors are on cuda:0 and on cuda:1; they have to be on one device"):
            _find_options(exported, {})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
