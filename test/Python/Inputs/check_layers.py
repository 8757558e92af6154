"""Layers of torch.nn through tally.torch.compile: recurrent ones, attention with masks, and graphs in parts
that have graphs of their own."""

import copy
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import tally.torch
import torch
from tally.torch import FallbackWarning, statistics
from torch import nn
from torch.nn import functional

torch.set_num_threads(1)
warnings.simplefilter("error", FallbackWarning)

SILENT = {"fallback": "silent"}


def flatten(result):
    return [each for each in torch.utils._pytree.tree_leaves(result) if isinstance(each, torch.Tensor)]


class Layers(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        statistics.clear()
        torch.manual_seed(0)

    def assert_close(self, actual, expected):
        torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5)

    def train(self, model, calls, options=None):
        """One graph forward and one backward for all calls; results and all gradients are those of eager."""
        other = copy.deepcopy(model)
        compiled = tally.torch.compile(model, options=options)
        for arguments in calls:
            gradients, results = [], []
            for function, module in ((compiled, model), (other, other)):
                module.zero_grad()
                given = [each.clone().requires_grad_(each.is_floating_point()) for each in arguments]
                torch.manual_seed(3)
                found = flatten(function(*given))
                total = sum(
                    (each * torch.linspace(-1, 1, each.numel()).reshape(each.shape)).sum() for each in found)
                total.backward()
                results.append(found)
                gradients.append([each.grad for each in (*module.parameters(), *given)])
            self.assert_close(*results)
            self.assert_close(*gradients)

    def assert_graphs(self, *kinds):
        self.assertEqual(statistics and [kind for kind, _ in statistics], list(kinds))
        self.assertEqual({what for _, what in statistics} - {"compiled", "cached"}, set())


class Recurrent(Layers):
    def test_training(self):
        deep = {"num_layers": 2, "bidirectional": True, "bias": False}
        for kind, options in ((nn.LSTM, deep), (nn.GRU, {"bidirectional": True}), (nn.GRU, {"bias": False}),
                              (nn.RNN, {"batch_first": True}), (nn.RNN, {"nonlinearity": "relu"})):
            with self.subTest(kind=kind.__name__, **options):
                torch._dynamo.reset()
                statistics.clear()
                calls = [[torch.randn(shape)] for shape in ((5, 2, 3), (1, 1, 3), (4, 7, 3))]
                self.train(kind(3, 4, **options), calls)
                self.assert_graphs("forward", "backward")

    def test_projections(self):
        calls = [[torch.randn(shape)] for shape in ((5, 2, 3), (1, 1, 3))]
        self.train(nn.LSTM(3, 4, proj_size=2, num_layers=2), calls)
        self.assert_graphs("forward", "backward")

    def test_first_states(self):
        class Given(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = nn.LSTM(3, 4)

            def forward(self, x, hidden, cells):
                return self.inner(x, (hidden, cells))

        calls = [[torch.randn(steps, batch, 3), *torch.randn(2, 1, batch, 4)] for steps, batch in ((5, 2), (1, 1))]
        self.train(Given(), calls)
        self.assert_graphs("forward", "backward")

    def test_dropout_between_layers(self):
        """PyTorch's own takes none out."""
        calls = [[torch.randn(shape)] for shape in ((5, 2, 3), (1, 1, 3))]
        model = nn.GRU(3, 16, num_layers=2, dropout=0.5)
        self.train(model, calls, SILENT)
        self.assertIn(("forward", "compiled"), [(kind, what.replace("cached", "compiled")) for kind, what in statistics])
        compiled = tally.torch.compile(model, options=SILENT)
        with torch.no_grad():
            results = []
            for function in (compiled, model):
                torch.manual_seed(1)
                results.append(function(calls[0][0])[0])
        self.assert_close(*results)

    def test_autocast(self):
        """States have the types that PyTorch gives them, and so have results and gradients."""
        for kind in (nn.LSTM, nn.GRU, nn.RNN):
            with self.subTest(kind=kind.__name__):
                torch._dynamo.reset()
                statistics.clear()
                model = kind(3, 4, num_layers=2)
                compiled = tally.torch.compile(model)
                for shape in ((5, 2, 3), (1, 1, 3), (4, 7, 3)):
                    x, found = torch.randn(shape), []
                    for function in (compiled, model):
                        with torch.autocast("cpu", torch.bfloat16):
                            results = flatten(function(x))
                        total = sum(each.float().square().sum() for each in results)
                        found.append([*results, *torch.autograd.grad(total, list(model.parameters()))])
                    for actual, expected in zip(*found):
                        torch.testing.assert_close(actual, expected, rtol=2e-2, atol=2e-2 * float(expected.abs().max()))
                self.assert_graphs("forward", "backward")

    def test_inference(self):
        for kind in (nn.LSTM, nn.GRU, nn.RNN):
            torch._dynamo.reset()
            statistics.clear()
            model = kind(3, 4, num_layers=2)
            compiled = tally.torch.compile(model, fullgraph=True)
            with torch.no_grad():
                for shape in ((5, 2, 3), (1, 1, 3), (9, 4, 3), (6, 3)):
                    x = torch.randn(shape)
                    self.assert_close(flatten(compiled(x)), flatten(model(x)))
            # The last call has no batch.
            self.assert_graphs("inference", "inference")


class KernelsOfImages(nn.Module):
    """Convolutions with kernels that are computed for each image: there are as many groups as images."""

    def __init__(self):
        super().__init__()
        self.kernels = nn.Linear(3, 2 * 3 * 3)

    def forward(self, x):
        n, c, length = x.shape
        kernels = self.kernels(x.mean(2)).reshape(n * 2, c, 3)
        y = functional.conv1d(x.reshape(1, n * c, length), kernels, padding=1, groups=n)
        return functional.conv_transpose1d(y.tanh(), kernels, stride=2, groups=n).reshape(n, c, -1)


class Convolutions(Layers):
    def test_kernels_of_images(self):
        calls = [[torch.randn(shape)] for shape in ((2, 3, 5), (1, 3, 1), (5, 3, 8))]
        self.train(KernelsOfImages(), calls)
        self.assert_graphs("forward", "backward")


class Spectrum(nn.Module):
    """A layer of a Fourier neural operator: it writes to parts of a spectrum."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 3, 2, 2, 2) / 3)

    def forward(self, x):
        spectrum, weight = torch.fft.rfft2(x), torch.view_as_complex(self.weight)
        result = torch.zeros_like(spectrum)
        result[..., :2, :2] = torch.einsum("bixy,ioxy->boxy", spectrum[..., :2, :2], weight)
        result[..., -2:, :2] = torch.einsum("bixy,ioxy->boxy", spectrum[..., -2:, :2], weight.conj())
        return torch.fft.irfft2(result, s=x.shape[-2:]) + functional.gelu(x)


class Spectra(Layers):
    def test_training(self):
        """Its gradient asks where complex numbers are in memory."""
        self.train(Spectrum(), [[torch.randn(shape)] for shape in ((2, 3, 8, 9), (1, 3, 4, 4), (3, 3, 7, 12))])
        self.assertEqual({what for _, what in statistics} - {"compiled", "cached"}, set())


class Masked(nn.Module):
    """Attention that leaves out what is padded and what comes later: masks of two element types, which
    PyTorch warns of."""

    def __init__(self):
        super().__init__()
        self.inner = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x, places):
        later = torch.full((x.shape[1], x.shape[1]), float("-inf")).triu(1)
        return self.inner(x, x, x, key_padding_mask=places >= 3, attn_mask=later, need_weights=False)[0]


class Attention(Layers):
    def make_calls(self):
        for batch, length in ((2, 5), (1, 1), (4, 3)):
            yield [torch.randn(batch, length, 8), torch.arange(length).expand(batch, length)]

    def test_warning(self):
        """No graph ends at it."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            self.train(Masked(), self.make_calls())
        self.assert_graphs("forward", "backward")

    def test_padding_does_not_ask_for_sizes(self):
        class Encoder(nn.Module):
            def __init__(self):
                super().__init__()
                layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
                self.inner = nn.TransformerEncoder(layer, 1)

            def forward(self, x, places):
                return self.inner(x, src_key_padding_mask=places >= 3)

        self.train(Encoder(), self.make_calls())
        self.assert_graphs("forward", "backward")

    def test_causal_mask(self):
        """Whether a mask is causal is not asked for: no graph ends there."""
        inner = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0), 1, enable_nested_tensor=False)

        def encode(x):
            return inner(x, mask=nn.Transformer.generate_square_subsequent_mask(x.shape[0]))

        compiled = tally.torch.compile(encode, fullgraph=True)
        with torch.no_grad():
            for shape in ((5, 2, 8), (1, 1, 8), (3, 4, 8)):
                x = torch.randn(shape)
                self.assert_close(compiled(x), encode(x))
        self.assert_graphs("inference")

    def test_causal_by_a_size(self):
        """Whether attention is causal depends on a size, as transformers has it: no graph ends there."""
        def attend(query, key):
            return functional.scaled_dot_product_attention(query, key, key, is_causal=query.shape[2] > 1) + 1

        compiled = tally.torch.compile(attend, fullgraph=True)
        with torch.no_grad():
            for rows in (5, 1, 3):
                query, key = torch.randn(2, 3, rows, 8), torch.randn(2, 3, 6, 8)
                self.assert_close(compiled(query, key), attend(query, key))
        self.assertLessEqual(len(statistics), 2)

    def test_row_beside_selected_rows(self):
        """A size that depends on values meets one that may be 1: a graph for one row, and one for all others."""
        def add(x, mask, y):
            return x[mask] + y

        compiled = tally.torch.compile(add, fullgraph=True)
        x, mask = torch.randn(5, 3), torch.tensor([True, False, True, True, False])
        for rows in (3, 1, 1, 3):
            y = torch.randn(rows, 3)
            torch.testing.assert_close(compiled(x, mask, y), add(x, mask, y))
        torch.testing.assert_close(compiled(x, mask & False, y[:0]), x[:0])
        self.assertEqual([how in ("compiled", "cached") for _, how in statistics], [True, True])
        with self.assertRaisesRegex(tally.CheckError, "y_size_0 = 2|s[0-9]+ = 2"):
            compiled(x, mask, y[:2])

    def test_half_precision(self):
        """PyTorch computes it in f32, as values are wider than keys; in the graph it is one operator."""
        kept = torch.ops.tally.attention.default

        def attend(query, key, value, mask):
            return (functional.scaled_dot_product_attention(query, key, value, scale=0.3),
                    functional.scaled_dot_product_attention(query, key, value, attn_mask=mask))

        compiled = tally.torch.compile(attend)
        for kind in (torch.bfloat16, torch.float16):
            for rows, columns in ((70, 13), (5, 9), (64, 8), (3, 1), (0, 4)):
                arguments = [torch.randn(2, 3, count, width, dtype=kind)
                             for count, width in ((rows, 16), (columns, 16), (columns, 24))]
                mask = torch.rand(rows, columns) > 0.3
                found = compiled(*arguments, mask)
                exact = attend(*(each.double() for each in arguments), mask)
                rounded = attend(*arguments, mask)
                for one, right, eager in zip(found, exact, rounded):
                    torch.testing.assert_close(one.double().nan_to_num(), right.nan_to_num(), rtol=0, atol=2e-2)
                    self.assertEqual(one.dtype, eager.dtype)
        self.assertEqual({what for _, what in statistics} - {"compiled", "cached"}, set())
        with torch._subclasses.FakeTensorMode():
            self.assertEqual(kept(*(torch.empty(2, 3, 4, 5) for _ in range(3)), None, False, None).shape, (2, 3, 4, 5))

    def test_mask_that_broadcasts(self):
        """A mask of one row for all, or of one for each: two graphs, both right."""
        def attend(query, mask):
            return functional.scaled_dot_product_attention(query, query, query, attn_mask=mask)

        compiled = tally.torch.compile(attend)
        for rows, batch in ((4, 2), (1, 2), (4, 1), (1, 1)):
            query, mask = torch.randn(2, 3, 4, 8), torch.randn(batch, 1, rows, 4)
            self.assert_close(compiled(query, mask), attend(query, mask))


class Parts(Layers):
    def test_branches(self):
        """A graph in parts, because of random numbers that depend on values, of which one has branches."""
        class Branches(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = nn.Linear(6, 6)

            def forward(self, x):
                y = functional.rrelu(self.inner(x), training=True)
                return torch.cond(y.sum() > 0, lambda y: self.inner(y).sin(), lambda y: y.cos(), (y,))

        self.train(Branches(), [[torch.randn(size, 6)] for size in (4, 1, 9)], SILENT)
        self.assertEqual(sum(what in ("compiled", "cached") for _, what in statistics), 3)

    def test_branch_that_is_not_known(self):
        """PyTorch runs a condition whose branch has an operator that is not known; else what lies around
        it is compiled."""
        def function(x):
            y = x.exp() + 1
            z = torch.cond(y.sum() > 20, torch.special.airy_ai, torch.cos, (y,))
            return z * 2 + y

        compiled = tally.torch.compile(function, options=SILENT)
        for size in (3, 1, 30):
            x = torch.randn(size)
            self.assert_close(compiled(x), function(x))
        self.assertTrue(any(what in ("compiled", "cached") for _, what in statistics), statistics)


class Mapped(Layers):
    def test_number(self):
        """PyTorch's trace has a copy of a number, which is no tensor."""
        def function(x):
            return torch.func.vmap(lambda row: row + 0.5)(x)

        compiled = tally.torch.compile(function, fullgraph=True)
        for size in (3, 1, 8):
            x = torch.randn(size)
            self.assert_close(compiled(x), function(x))
        self.assert_graphs("inference")


class Installed(unittest.TestCase):
    def assert_import_error(self, torch_module, text):
        program = f"import sys, types; sys.modules['torch'] = {torch_module}; import tally.torch"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertIn(text, done.stderr)

    def test_without_torch(self):
        self.assert_import_error("None", "tally.torch needs PyTorch 2.10 or later: pip install torch")

    def test_old_torch(self):
        self.assert_import_error(
            "types.SimpleNamespace(__version__='2.9.1')", "tally.torch needs PyTorch 2.10 or later; 2.9.1 is installed")

    def test_entry_point(self):
        """An installed package is found by the backend's name, imported before or not."""
        program = "import torch; print(torch.compile(torch.neg, backend='tally')(torch.ones(2)).sum().item())"
        with tempfile.TemporaryDirectory() as folder:
            information = pathlib.Path(folder, "tally-0.dist-info")
            information.mkdir()
            (information / "METADATA").write_text("Metadata-Version: 2.1\nName: tally\nVersion: 0\n")
            (information / "entry_points.txt").write_text("[torch_dynamo_backends]\ntally = tally.torch:backend\n")
            path = os.pathsep.join((folder, os.environ["PYTHONPATH"]))
            for before in ("", "import tally.torch; "):
                done = subprocess.run(
                    [sys.executable, "-c", before + program], env={**os.environ, "PYTHONPATH": path},
                    capture_output=True, text=True)
                self.assertEqual(done.stdout, "-2.0\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
