"""Losses, and functions of distributions that they are made of."""

import math

import torch
import torch.nn.functional as F

from recording.table import case, function, program
from recording.values import Value, f32, floats, i64, lit

from .common import M, N

FAMILY = "losses"
AUTO = torch.export.Dim.AUTO


def classes(n, k):
    return Value(lambda rng: torch.from_numpy(rng.integers(0, k, n)))


def signs(n):
    return Value(lambda rng: torch.from_numpy(rng.choice([-1.0, 1.0, 0.0], n))
                 .float())


def losses_of_pairs(x, y, z, t):
    return (F.cosine_embedding_loss(x, y, t),
            F.cosine_embedding_loss(x, y, t, margin=-0.25, reduction="none"),
            F.cosine_embedding_loss(x[0], y[0], t[0], reduction="sum"),
            F.triplet_margin_loss(x, y, z),
            F.triplet_margin_loss(x, y, z, margin=0.5, p=1, swap=True,
                                  reduction="none"),
            F.triplet_margin_loss(x[0], y[0], z[0], p=3.0, reduction="sum"))


program("losses_of_pairs", function(losses_of_pairs), FAMILY,
        dynamic=({0: N, 1: M}, {0: N, 1: M}, {0: N, 1: M}, {0: N}),
        example=(f32(4, 3), f32(4, 3), f32(4, 3), signs(4)),
        rtol=1e-4, atol=1e-5,
        cases=[case(f"{n} of {m}", f32(n, m), f32(n, m), f32(n, m), signs(n))
               for n, m in ((4, 3), (1, 1), (5, 16), (32, 7))] +
        [case("none", f32(0, 3), f32(0, 3), f32(0, 3), signs(0), raises="")])


def losses_of_counts(x, t):
    return (F.poisson_nll_loss(x, t), F.poisson_nll_loss(
        x.abs(), t, log_input=False, full=True, reduction="none"),
        F.poisson_nll_loss(x, t, full=True, reduction="sum"))


program("losses_of_counts", function(losses_of_counts), FAMILY,
        dynamic=({0: N}, {0: N}),
        example=(f32(4, 3), Value(lambda rng: torch.from_numpy(
            rng.integers(0, 5, (4, 3))).float())), rtol=1e-4, atol=1e-5,
        cases=[case(f"{n}", f32(n, 3), Value(lambda rng, n=n: torch.from_numpy(
            rng.integers(0, 5, (n, 3))).float())) for n in (4, 1, 0, 17)])


def losses_of_margins(x, t, w):
    return (F.multi_margin_loss(x, t),
            F.multi_margin_loss(x, t, p=2, margin=0.5, weight=w,
                                reduction="none"),
            F.multi_margin_loss(x[0], t[0], reduction="sum"))


program("losses_of_margins", function(losses_of_margins), FAMILY,
        dynamic=({0: N, 1: M}, {0: N}, {0: M}),
        example=(f32(4, 3), classes(4, 3), f32(3, lo=0)),
        rtol=1e-4, atol=1e-5,
        cases=[case(f"{n} of {m}", f32(n, m), classes(n, m), f32(m, lo=0))
               for n, m in ((4, 3), (1, 1), (5, 16), (32, 7))] +
        [case("no such class", f32(2, 3), lit([1, 3]), f32(3), raises=""),
         case("a negative one", f32(2, 3), lit([1, -1]), f32(3), raises="")])


def gammas(x, y):
    return (torch.lgamma(x), torch.digamma(x), torch.erfinv(x), torch.lgamma(y),
            torch.special.log_ndtr(x), torch.mvlgamma(x.abs() + 2, 3),
            torch.special.multigammaln(x.abs() + 1, 1))


SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.0, -2.5, 0.5, -0.5, 1e-8, -1e-8, 30.0, -30.25,
           1e20, math.inf, -math.inf, math.nan, 0.999999, -0.75, 171.5, 12.0]

program("gammas", function(gammas), FAMILY, dynamic=({0: N}, {0: M}),
        example=(f32(4), lit([1, 2, 3])), rtol=1e-4, atol=1e-5,
        cases=[case(f"{n}", f32(n, lo=-8, hi=8),
                    Value(lambda rng, m=m: torch.from_numpy(
                        rng.integers(-3, 9, m)))) for n, m in
               ((4, 3), (1, 1), (0, 0), (32, 17))] +
        [case("special", lit(SPECIAL), lit([-2, -1, 0, 1, 2])),
         case("tiny", lit([sign * 10.0 ** -n for n in (9, 17, 26, 30, 38, 45)
                           for sign in (1, -1)]), lit([1]))])

program("gammas_of_doubles", function(
            lambda x, y: (torch.lgamma(x), torch.digamma(x),
                          torch.erfinv(x / 10), torch.lgamma(y),
                          torch.erfinv(y), torch.digamma(y))), FAMILY,
        dynamic=({0: N}, {0: N}),
        example=(floats(torch.float64, 4), floats(torch.bfloat16, 4)),
        rtol=2e-2, atol=1e-5,
        cases=[case(f"{n}", floats(torch.float64, n, lo=-9, hi=20),
                    floats(torch.bfloat16, n, lo=-2, hi=9))
               for n in (4, 1, 0, 32)] +
        [case("tiny", lit([-1e-20, -1e-30, -1e-300, 1e-300], dtype=torch.float64),
              lit([-1e-3, -1e-9, -1e-30, 1e-38], dtype=torch.bfloat16))])


def image_classes(x, t, weight):
    """Losses of each element of an image, with classes apart in memory."""
    logs = x.log_softmax(1)
    return (F.cross_entropy(x, t), F.cross_entropy(x, t, reduction="none"),
            F.cross_entropy(x, t, weight, ignore_index=1, reduction="sum"),
            F.cross_entropy(x.half(), t), F.nll_loss(logs, t),
            F.nll_loss(logs, t, weight, ignore_index=0, reduction="none"))


def images_and_classes(n, h, w):
    return (f32(n, 5, h, w), i64(n, h, w, lo=0, hi=4), f32(5, lo=0.5))


program(
    "image_classes", function(image_classes), FAMILY, oblivious=True,
    dynamic=({0: N, 2: AUTO, 3: AUTO}, {0: N, 1: AUTO, 2: AUTO}, {}),
    example=images_and_classes(2, 3, 4), rtol=1e-3, atol=1e-4,
    cases=[case(f"{n} of {h} by {w}", *images_and_classes(n, h, w))
           for n, h, w in ((2, 3, 4), (1, 1, 1), (3, 7, 11), (0, 3, 4), (2, 0, 5))]
    + [case("no class", f32(1, 5, 1, 2), lit([[[0, 5]]], torch.int64), f32(5, lo=0.5), raises="")],
)
