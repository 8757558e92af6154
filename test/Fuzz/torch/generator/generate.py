"""Makes a random program from a seed."""

import random

from recording import plain

from . import builder, data
from .families import TEMPLATES, control_flow
from .program import Input, Program, Size, without_dead_code

SIZES = ("n", "m", "k")
# Sizes of the trials: a program is legal there.  They are told apart by what
# they are in all trials.
TRIALS = ({"n": 6, "m": 4, "k": 3}, {"n": 4, "m": 7, "k": 2},
          {"n": 5, "m": 3, "k": 7})
BOUND = 12


def _fill(rng, dtype, rank, special):
    if dtype == "i64" and rank == 0:
        return rng.choice(("count:n", "count:3", "normal"))
    if dtype == "i64" and rng.random() < 0.4:
        return rng.choice(("index:n", "wrapped:n", "index:m", "wrapped:3"))
    fills = ["normal"] * 4 + ["ties", "positive"]
    if dtype in data.FLOATS:
        fills.append("halves")
    return "special" if special and rng.random() < 0.6 else rng.choice(fills)


def _dims(rng, rank, sizes):
    """Sizes by name, or literals."""
    return tuple(rng.choice(sizes) if rng.random() < 0.75
                 else rng.choice((1, 2, 3, 4)) for _ in range(rank))


def _inputs(rng, sizes, special):
    main = rng.choice(("f32",) * 5 + ("f16", "bf16", "f64", "i64", "i32"))
    inputs = []
    for position in range(rng.choice((1, 2, 2, 3, 3, 4))):
        dtype = main if rng.random() < 0.6 else rng.choice(data.ALL + ("i64",))
        rank = rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 4)) if position else \
            rng.choice((1, 2, 2, 3, 4))
        layout = rng.choice(("transposed", "stepped", "offset")) \
            if rng.random() < 0.12 else "contiguous"
        dims = _dims(rng, rank, sizes)
        if position and rng.random() < 0.3:  # The sizes of another input.
            dims = inputs[0].dims
        inputs.append(Input(f"x{position}", dtype, dims,
                            _fill(rng, dtype, len(dims), special), layout))
    return tuple(inputs)


def _calls(rng, sizes, declared):
    """Calls at ordinary sizes, at 0, 1, equal sizes and around the bounds."""
    ordinary = TRIALS[0]
    largest = {s.name: s.maximum or BOUND for s in sizes}
    calls = [("first", ordinary), ("second", TRIALS[1]),
             ("equal", dict.fromkeys(SIZES, 5)),
             ("zero", dict.fromkeys(SIZES, 0)),
             ("one", dict.fromkeys(SIZES, 1)),
             ("two", dict.fromkeys(SIZES, 2))]
    for size in sizes:
        calls.append((f"{size.name} 0", {**ordinary, size.name: 0}))
        calls.append((f"{size.name} 1", {**ordinary, size.name: 1}))
    calls.append(("bound", {**ordinary, **largest}))
    if declared != "auto":
        name = rng.choice([s.name for s in sizes])
        calls.append((f"beyond {name}",
                      {**ordinary, name: largest[name] + 1}))
    return tuple((name, tuple(sorted(at.items()))) for name, at in calls)


def _grow(build, wanted):
    rng = build.rng
    families = sorted({t.family for t in TEMPLATES})
    # A few families prevail in each program.
    liked = {f: rng.choice((0.3, 1, 1, 3)) for f in families}
    weights = [t.weight * liked[t.family] for t in TEMPLATES]
    while len(build.statements) < wanted:
        chosen = rng.choices(TEMPLATES, weights)[0]
        try:
            chosen.apply(build)
        except (builder.NoMatch, builder.Rejected):
            continue


def _results(build, rng):
    """The last values, and a few others."""
    used = set().union(*[s.uses() for s in build.statements])
    defined = [n for s in build.statements for n in s.defines
               if n in build.names]
    ends = [n for n in defined if n not in used]
    ends = ends[-12:] if build.shared.wide else ends[-4:]
    if len(ends) < 2 and defined and rng.random() < 0.3:
        ends.append(rng.choice(defined))
    ends = list(dict.fromkeys(ends or build.names[-1:]))
    if rng.random() < 0.2:
        x = rng.choice(ends)
        if build.info(x).rank:
            d = rng.randrange(build.info(x).rank)
            ends.append(f"{x}.shape[{d}]"
                        if build.info(x).constant(d) is None else f"{x} == {x}")
    return tuple(ends)


def generate(seed):
    """The program of a seed; None where it could not be completed."""
    rng = random.Random(seed)
    declared = rng.choice(("auto", "auto", "range", "named"))
    names = SIZES[:rng.choice((1, 2, 2, 3))]
    sizes = tuple(Size(name, 0, None if declared == "auto" else
                       rng.choice((BOUND, 16, 33))) for name in names)
    inputs = _inputs(rng, names, special=rng.random() < 0.3)
    program = Program(
        f"r{seed}", inputs, (), (), sizes, declared=declared,
        calls=_calls(rng, sizes, declared),
        oblivious=rng.random() < 0.4, deferred=rng.random() < 0.3,
        strict=rng.random() < 0.08)
    trials = [(name, dict(at)) for name, at in
              zip(("first", "second", "third"), TRIALS)]
    build = builder.start(rng, program, trials,
                          control_flow.eager_environment(plain))
    # A wide program has many results, each a few statements from the arguments.
    build.shared.wide = rng.random() < 0.35
    try:
        _grow(build, 15 if build.shared.wide
              else rng.choice((3, 5, 6, 8, 10, 12, 15)))
    except builder.Broken:
        return None
    program = program.replace(
        statements=tuple(build.statements), results=_results(build, rng),
        parameters=tuple(build.shared.parameters))
    return without_dead_code(program)
