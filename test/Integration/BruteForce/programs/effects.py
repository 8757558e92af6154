"""Custom functions: what they say of sizes, and when they are called."""

from programs import log, program, require


@program(x="f32[a]", y="f32[b]")
def anonymous_dim(x, y):
    kept = x[x > 0]
    require(len(kept) == len(y))
    return kept + y


@program(x="f32[a]", k="i64 in -2..12")
def custom_claim(x, k):
    require(0 <= k <= len(x))
    require(k % 2 == 0, "pairs")
    return x[:k]


@program(x="f32[a]", t="i64[] in -2..10")
def effect_after_check(x, t):
    require(0 <= t <= len(x))
    log(t)
    return x[:t]


@program(x="f32[a]", t="i64[] in -2..10")
def effect_before_definition(x, t):
    require(len(x) >= 2)
    log(1)
    require(0 <= t <= len(x))
    return x[:t]


@program(p="i1", x="f32[a]")
def effect_in_branch(p, x):
    require(not p or len(x) <= 4, "four at most")
    log(1 if p else 2)
    return len(x)


@program(n="i64 in -1..12", x="f32[a]")
def effect_in_loop(n, x):
    for i in range(n):
        require(i <= len(x), "no further")
        log(i)
    return sum(range(n))


@program(n="i64 in -1..4", x="f32[a]", y="f32[b]")
def effect_before_loop(n, x, y):
    for i in range(n):
        require(len(x) == len(y))
        log(i)
        x = x + y
    return x
