"""Models in plain PyTorch, small and of random weights: sequences, series, graphs, points, images, tables,
and models whose sizes depend on values (see zoo.py)."""

import torch
from torch import nn
from torch.nn import functional


class Transformer(nn.Module):
    """An encoder and a decoder, with causal attention in the decoder."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(99, 16)
        self.inner = nn.Transformer(16, 2, 1, 1, 32, dropout=0.0, batch_first=True)

    def forward(self, source, target):
        mask = torch.full((target.shape[1],) * 2, float("-inf"), device=target.device).triu(1)
        return self.inner(self.embedding(source), self.embedding(target), tgt_mask=mask)


class Recurrent(nn.Module):
    """A text classifier over a recurrent layer, in both directions."""

    def __init__(self, kind):
        super().__init__()
        self.embedding = nn.Embedding(99, 12)
        self.inner = kind(12, 8, num_layers=2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(16, 5)

    def forward(self, tokens):
        return self.out(self.inner(self.embedding(tokens))[0].amax(1))


class GraphConvolution(nn.Module):
    """Two layers of normalized sums over neighbors."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(8, 16), nn.Linear(16, 4)

    def _spread(self, x, source, target):
        ones = x.new_ones(source.shape[0])
        degree = x.new_zeros(x.shape[0]).index_add(0, target, ones).clamp(min=1).rsqrt()
        weights = (degree[source] * degree[target]).unsqueeze(1)
        return torch.zeros_like(x).index_add(0, target, x[source] * weights)

    def forward(self, x, edges):
        source, target = edges
        x = self._spread(self.first(x), source, target).relu()
        return self._spread(self.last(x), source, target)


class GraphAttention(nn.Module):
    """A softmax over the edges into each node."""

    def __init__(self):
        super().__init__()
        self.value, self.score = nn.Linear(8, 12), nn.Linear(24, 1)

    def forward(self, x, edges):
        source, target = edges
        x = self.value(x)
        scores = functional.leaky_relu(self.score(torch.cat([x[source], x[target]], 1)).squeeze(1), 0.2)
        count = x.shape[0]
        largest = x.new_full((count,), -1e9).scatter_reduce(0, target, scores, "amax").detach()
        weights = (scores - largest[target]).exp()
        sums = x.new_zeros(count).scatter_add(0, target, weights)
        weights = weights / sums[target].clamp(min=1e-9)
        return torch.zeros_like(x).index_add(0, target, x[source] * weights.unsqueeze(1))


class MessagePassing(nn.Module):
    """Messages along edges, a recurrent cell in each node, a mean for each graph."""

    def __init__(self):
        super().__init__()
        self.message, self.cell, self.out = nn.Linear(16, 8), nn.GRUCell(8, 8), nn.Linear(8, 3)

    def forward(self, x, edges):
        source, target = edges
        for _ in range(2):
            messages = self.message(torch.cat([x[source], x[target]], 1)).relu()
            gathered = torch.zeros_like(x).scatter_reduce(
                0, target.unsqueeze(1).expand(-1, 8), messages, "mean", include_self=False)
            x = self.cell(gathered, x)
        return self.out(x.mean(0))


class PointNet(nn.Module):
    """A learned rotation of points, then the maximum over all."""

    def __init__(self):
        super().__init__()
        self.turn = nn.Sequential(nn.Conv1d(3, 16, 1), nn.BatchNorm1d(16), nn.ReLU())
        self.to_matrix = nn.Linear(16, 9)
        self.features = nn.Sequential(nn.Conv1d(3, 16, 1), nn.BatchNorm1d(16), nn.ReLU(), nn.Conv1d(16, 32, 1))
        self.out = nn.Linear(32, 5)

    def forward(self, points):
        matrix = self.to_matrix(self.turn(points).amax(2)).view(-1, 3, 3) + torch.eye(3, device=points.device)
        return self.out(self.features(torch.bmm(matrix, points)).amax(2)).log_softmax(1)


class Double(nn.Sequential):
    def __init__(self, inputs, outputs):
        super().__init__(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(),
                         nn.Conv2d(outputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU())


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.three = Double(3, 8), Double(8, 16), Double(16, 16)
        self.up, self.four, self.five = nn.ConvTranspose2d(16, 16, 2, 2), Double(32, 8), Double(16, 8)
        self.out = nn.Conv2d(8, 2, 1)

    def forward(self, x):
        one = self.one(x)
        two = self.two(functional.max_pool2d(one, 2))
        three = self.three(functional.max_pool2d(two, 2))
        four = self.four(torch.cat([self.up(three), two], 1))
        wide = functional.interpolate(four, scale_factor=2, mode="bilinear", align_corners=False)
        return self.out(self.five(torch.cat([wide, one], 1)))


class Generator(nn.Sequential):
    """Images from noise, by transposed convolutions."""

    def __init__(self):
        super().__init__(
            nn.ConvTranspose2d(10, 12, 4, bias=False), nn.BatchNorm2d(12), nn.ReLU(),
            nn.ConvTranspose2d(12, 6, 4, 2, 1, bias=False), nn.BatchNorm2d(6), nn.ReLU(),
            nn.ConvTranspose2d(6, 3, 3, 2, 1, 1), nn.Tanh())


class DiffusionBlock(nn.Module):
    """A block of a diffusion model: sinusoidal times, group norms, attention over pixels."""

    def __init__(self):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 16))
        self.first, self.second = nn.Conv2d(4, 16, 3, padding=1), nn.Conv2d(16, 16, 3, padding=1)
        self.norm, self.other, self.skip = nn.GroupNorm(4, 16), nn.GroupNorm(4, 16), nn.Conv2d(4, 16, 1)
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
        self.down = nn.Conv2d(16, 16, 3, stride=2, padding=1)

    def forward(self, x, time):
        rates = torch.exp(torch.arange(8, device=x.device) * -0.9)
        angles = time.unsqueeze(1) * rates
        embedding = self.time(torch.cat([angles.sin(), angles.cos()], 1))
        y = functional.silu(self.norm(self.first(x))) + embedding[:, :, None, None]
        y = self.second(functional.silu(self.other(y))) + self.skip(x)
        rows = y.flatten(2).transpose(1, 2)
        y = y + self.attention(rows, rows, rows, need_weights=False)[0].transpose(1, 2).reshape(y.shape)
        return functional.interpolate(self.down(y), scale_factor=2.0, mode="nearest")


class Variational(nn.Module):
    """An autoencoder that draws from what it encodes."""

    def __init__(self):
        super().__init__()
        self.encode, self.mean, self.log = nn.Linear(20, 16), nn.Linear(16, 4), nn.Linear(16, 4)
        self.decode = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 20), nn.Sigmoid())

    def forward(self, x):
        hidden = self.encode(x).relu()
        mean, log = self.mean(hidden), self.log(hidden)
        return self.decode(mean + torch.randn_like(mean) * (0.5 * log).exp()), mean, log


class Recommender(nn.Module):
    """Bags of categories and dense features, all products of pairs."""

    def __init__(self):
        super().__init__()
        self.bags = nn.ModuleList(nn.EmbeddingBag(50, 8, mode=mode) for mode in ("sum", "mean"))
        self.bottom = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 8))
        self.top = nn.Sequential(nn.Linear(8 + 3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())

    def forward(self, dense, categories):
        x = self.bottom(dense)
        parts = torch.stack([x, *(bag(categories) for bag in self.bags)], 1)
        products = parts @ parts.transpose(1, 2)
        rows, columns = torch.tril_indices(3, 3, -1)
        return self.top(torch.cat([x, products[:, rows, columns]], 1))


class Table(nn.Module):
    """A transformer over the columns of a table."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(99, 16)
        self.register_buffer("offsets", torch.arange(4) * 2)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.norm, self.out = nn.BatchNorm1d(5), nn.Linear(4 * 16 + 5, 2)

    def forward(self, categories, numbers):
        x = self.encoder(self.embedding(categories + self.offsets)).flatten(1)
        return self.out(torch.cat([x, self.norm(numbers)], 1))


class Series(nn.Module):
    """N-BEATS: blocks that subtract what they explain."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 24), nn.ReLU()) for _ in range(3))
        self.back = nn.ModuleList(nn.Linear(24, 12) for _ in range(3))
        self.ahead = nn.ModuleList(nn.Linear(24, 4) for _ in range(3))

    def forward(self, x):
        forecast = 0
        for block, back, ahead in zip(self.blocks, self.back, self.ahead):
            hidden = block(x)
            x, forecast = x - back(hidden), forecast + ahead(hidden)
        return forecast


class Temporal(nn.Module):
    """Causal convolutions with growing dilations, weights normalized."""

    def __init__(self):
        super().__init__()
        norm = nn.utils.parametrizations.weight_norm
        self.layers = nn.ModuleList(
            norm(nn.Conv1d(4 if i == 0 else 8, 8, 3, dilation=2**i)) for i in range(3))
        self.out = nn.Conv1d(8, 2, 1)

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            y = layer(functional.pad(x, (2 * 2**i, 0))).relu()
            x = x + y if i else y
        return self.out(x)


class Experts(nn.Module):
    """A mixture of experts that each see the tokens routed to them, as many as there are."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4, bias=False)
        self.experts = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))

    def forward(self, x):
        rows = x.reshape(-1, 8)
        weights, chosen = self.gate(rows).softmax(1).topk(2)
        out = torch.zeros_like(rows)
        for i, expert in enumerate(self.experts):
            row, place = torch.where(chosen == i)
            out = out.index_add(0, row, expert(rows[row]).tanh() * weights[row, place].unsqueeze(1))
        return out.view(x.shape)


class Selection(nn.Module):
    """Boxes over a threshold, best first, without those that overlap a better one much."""

    def __init__(self):
        super().__init__()
        self.box, self.score = nn.Linear(8, 4), nn.Linear(8, 1)

    def forward(self, x):
        scores = self.score(x).squeeze(1)
        kept = torch.nonzero(scores > 0).squeeze(1)
        scores, order = scores[kept].sort(descending=True)
        corners = self.box(x[kept][order])
        low = corners[:, :2]
        high = low + corners[:, 2:].abs() + 0.1
        inner = (torch.minimum(high[:, None], high) - torch.maximum(low[:, None], low)).clamp(min=0).prod(2)
        area = (high - low).prod(1)
        overlap = inner / (area[:, None] + area - inner)
        best = (overlap.tril(-1) < 0.5).all(1)
        return torch.cat([low, high], 1)[best], scores[best]


class Masked(nn.Module):
    """A loss over the places that are masked, and how many there are."""

    def __init__(self):
        super().__init__()
        self.embedding, self.out = nn.Embedding(99, 16), nn.Linear(16, 99)

    def forward(self, tokens):
        mask = tokens % 3 == 0
        hidden = self.embedding(tokens).tanh()
        logits = self.out(hidden[mask])
        return functional.cross_entropy(logits, tokens[mask], reduction="sum"), mask.sum()


class Unique(nn.Module):
    """A mean of vectors for each different token."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(99, 8)

    def forward(self, tokens):
        found, inverse, counts = torch.unique(tokens, return_inverse=True, return_counts=True)
        table = self.embedding(found) * counts.unsqueeze(1)
        return table, table[inverse].sum((0, 1))


class Ragged(nn.Module):
    """Sequences of a batch, packed without their padding, each with its own softmax."""

    def __init__(self):
        super().__init__()
        self.score, self.value = nn.Linear(8, 1), nn.Linear(8, 4)

    def forward(self, x, tokens):
        mask = tokens % 2 == 0
        rows = x[mask]
        owner = torch.nonzero(mask)[:, 0]
        weights = self.score(rows).sigmoid()
        return x.new_zeros(x.shape[0], 4).index_add(0, owner, self.value(rows) * weights)


class Early(nn.Module):
    """One of two branches, by a value."""

    def __init__(self):
        super().__init__()
        self.first, self.more, self.out = nn.Linear(8, 16), nn.Linear(16, 16), nn.Linear(16, 3)

    def forward(self, x):
        hidden = self.first(x).relu()
        hidden = torch.cond(hidden.mean() > 0.3, lambda h: self.more(h).relu(), lambda h: h * 0.5, (hidden,))
        return self.out(hidden)


class Highway(nn.Module):
    """A convolution over characters, and highway layers."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(99, 8)
        self.convolutions = nn.ModuleList(nn.Conv1d(8, 6, width, padding=width // 2) for width in (1, 3, 5))
        self.gate, self.change = nn.Linear(18, 18), nn.Linear(18, 18)

    def forward(self, tokens):
        x = self.embedding(tokens).transpose(1, 2)
        x = torch.cat([layer(x).relu().amax(2) for layer in self.convolutions], 1)
        gate = self.gate(x).sigmoid()
        return gate * self.change(x).relu() + (1 - gate) * x


class Siamese(nn.Module):
    """Two towers and a contrastive loss over the batch, as CLIP has."""

    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(8, 16), nn.Linear(12, 16)
        self.scale = nn.Parameter(torch.tensor(1.0))

    def forward(self, left, right):
        one = functional.normalize(self.left(left), dim=-1)
        two = functional.normalize(self.right(right), dim=-1)
        logits = one @ two.t() * self.scale.exp()
        goal = torch.arange(logits.shape[0], device=logits.device)
        return (functional.cross_entropy(logits, goal) + functional.cross_entropy(logits.t(), goal)) / 2


class Speech(nn.Module):
    """Strided convolutions over features, a recurrent layer, and the CTC loss' log probabilities."""

    def __init__(self):
        super().__init__()
        self.front = nn.Sequential(nn.Conv1d(6, 12, 3, stride=2, padding=1), nn.GELU())
        self.inner, self.out = nn.GRU(12, 8, batch_first=True), nn.Linear(8, 9)

    def forward(self, x):
        return self.out(self.inner(self.front(x).transpose(1, 2))[0]).log_softmax(2)


class SpatialTransformer(nn.Module):
    """Moves an image by what it sees: an affine grid, sampled bilinearly."""

    def __init__(self):
        super().__init__()
        self.see, self.move = nn.Conv2d(3, 4, 3, stride=2, padding=1), nn.Linear(4, 6)

    def forward(self, x):
        turn = self.move(self.see(x).relu().mean((2, 3))).view(-1, 2, 3) * 0.1
        turn = turn + torch.tensor([[1.0, 0, 0], [0, 1.0, 0]], device=turn.device)
        grid = functional.affine_grid(turn, x.shape, align_corners=False)
        return functional.grid_sample(x, grid, align_corners=False)


class Quantizer(nn.Module):
    """The nearest of a book of vectors, with gradients straight through."""

    def __init__(self):
        super().__init__()
        self.encode, self.book, self.decode = nn.Linear(10, 6), nn.Embedding(16, 6), nn.Linear(6, 10)

    def forward(self, x):
        z = self.encode(x)
        nearest = (z.unsqueeze(1) - self.book.weight).square().sum(-1).argmin(-1)
        quantized = self.book(nearest)
        loss = functional.mse_loss(quantized, z.detach()) + 0.25 * functional.mse_loss(z, quantized.detach())
        return self.decode(z + (quantized - z).detach()), loss
