"""Cuts a program down while it shows the same finding.

Nothing here needs torch: `keeps(program)` says whether a program still shows
it, and `cut(program, name)` makes a variable an argument, or gives None.
"""

import dataclasses
import re

from .program import Body, Statement, without_dead_code


def _substitute(code, old, new):
    return re.sub(rf"\b{old}\b", new, code)


def _substitute_body(body, old, new):
    return dataclasses.replace(
        body, result=_substitute(body.result, old, new),
        statements=tuple(_substitute_statement(s, old, new)
                         for s in body.statements))


def _substitute_statement(statement, old, new):
    return Statement(
        _substitute(statement.code, old, new), statement.defines,
        tuple(new if w == old else w for w in statement.writes),
        tuple(_substitute_body(b, old, new) for b in statement.bodies),
        statement.checks)


def _without(statements, position, old, new):
    """Drops a statement, another variable in the place of its own."""
    kept = statements[:position]
    rest = statements[position + 1:]
    return kept + tuple(_substitute_statement(s, old, new) for s in rest)


def _replacements(statement):
    """Pairs of a variable that a statement defines and one that may stand for
    it."""
    for defined in statement.defines:
        for used in sorted(statement.uses(), key=lambda n: -int(n[1:])):
            if used not in statement.defines:
                yield defined, used


def _fewer_statements(program):
    for position in reversed(range(len(program.statements))):
        statement = program.statements[position]
        if not statement.defines:
            yield program.replace(
                statements=program.statements[:position]
                + program.statements[position + 1:])
        for old, new in _replacements(statement):
            if len(statement.defines) > 1 and any(
                    d != old and d in _used_after(program, position)
                    for d in statement.defines):
                continue
            yield program.replace(
                statements=_without(program.statements, position, old, new),
                results=tuple(_substitute(r, old, new)
                              for r in program.results))


def _used_after(program, position):
    used = set()
    for statement in program.statements[position + 1:]:
        used |= statement.uses()
    for result in program.results:
        used |= set(re.findall(r"\w+", result))
    return used


def _smaller_body(body):
    for position in reversed(range(len(body.statements))):
        for old, new in _replacements(body.statements[position]):
            yield Body(body.name, body.parameters,
                       _without(body.statements, position, old, new),
                       _substitute(body.result, old, new), body.decorator)


def _smaller_bodies(program):
    for position, statement in enumerate(program.statements):
        for number, body in enumerate(statement.bodies):
            for smaller in _smaller_body(body):
                bodies = list(statement.bodies)
                bodies[number] = smaller
                changed = dataclasses.replace(statement, bodies=tuple(bodies))
                yield program.replace(
                    statements=program.statements[:position] + (changed,)
                    + program.statements[position + 1:])


def _fewer_results(program):
    if len(program.results) > 1:
        for result in program.results:
            yield program.replace(results=(result,))
    for result in program.results:
        if not result.isidentifier():
            yield program.replace(results=(result.split(".")[0].split()[0],))


def _fewer_calls(program):
    """The first call stays: programs are exported with it."""
    if len(program.calls) > 2:
        for call in program.calls[1:]:
            yield program.replace(calls=(program.calls[0], call))
    if len(program.calls) == 2:
        yield program.replace(calls=program.calls[:1])


def _plainer(program):
    for change in ({"strict": False}, {"oblivious": False},
                   {"deferred": False}, {"declared": "auto"}):
        if any(getattr(program, k) != v for k, v in change.items()):
            yield program.replace(**change)
    for position, argument in enumerate(program.inputs):
        for change in ({"layout": "contiguous"}, {"fill": "normal"}):
            if argument.given or all(getattr(argument, k) == v
                                     for k, v in change.items()):
                continue
            plain = dataclasses.replace(argument, **change)
            yield program.replace(
                inputs=program.inputs[:position] + (plain,)
                + program.inputs[position + 1:])


def _cuts(program, cut):
    for statement in reversed(program.statements):
        for name in statement.defines:
            smaller = cut(program, name)
            if smaller is not None:
                yield smaller


def candidates(program, cut=lambda program, name: None):
    """Smaller programs, the much smaller ones first."""
    yield from _fewer_results(program)
    yield from _fewer_calls(program)
    yield from _cuts(program, cut)
    yield from _fewer_statements(program)
    yield from _smaller_bodies(program)
    yield from _plainer(program)


def _weight(program):
    lines = program.source().count("\n")
    plainness = sum((program.strict, program.oblivious, program.deferred,
                     program.declared != "auto"))
    odd = sum((i.fill != "normal") + (i.layout != "contiguous")
              for i in program.inputs)
    return (lines, len(program.results), len(program.calls), plainness, odd,
            len(program.source()))


def shrink(program, keeps, cut=lambda program, name: None, budget=60):
    """The smallest program found with `budget` questions to `keeps`."""
    seen = {program.source()}
    progress = True
    while progress and budget > 0:
        progress = False
        for smaller in candidates(program, cut):
            smaller = without_dead_code(smaller)
            key = (smaller.source(), smaller.calls, smaller.strict,
                   smaller.oblivious, smaller.deferred, smaller.declared,
                   tuple((i.fill, i.layout) for i in smaller.inputs))
            if key in seen or _weight(smaller) >= _weight(program):
                continue
            seen.add(key)
            budget -= 1
            if keeps(smaller):
                program, progress = smaller, True
                break
            if budget <= 0:
                break
    return program
