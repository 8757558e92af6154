"""Writes the lit test of each recorded program."""

DEFAULT = 1e-5

# Every form verifies; every case is right, and what the reference interpreter says,
# with guard pages behind the memory of inputs and outputs, and then before it.
RUNS = """\
RUN: env TALLY_GUARD_PAGES=both tally-run %S/model.pt2 --cases %S/cases.json{options} --verify-each --compare
"""

REFUSED = """\
RUN: not tally-run %S/model.pt2 --cases %S/cases.json 2>&1 | FileCheck %s
CHECK-NOT: {{{{^(PASS|FAIL)}}}}
CHECK: {text}
CHECK-NOT: {{{{^(PASS|FAIL)}}}}
"""


def read_refused(path):
    """The programs that are not supported yet, and what the error says."""
    refused = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, text = line.split(":", 1)
            refused[name.strip()] = text.strip()
    return refused


def write_tests(programs, root, refused):
    """Writes root/NAME/run.test; returns the refused names that are unknown."""
    for program in programs:
        if not (root / program.name).exists():
            continue
        text = refused.get(program.name)
        if text is not None:
            content = REFUSED.format(text=text)
        else:
            options = "" if program.rtol == DEFAULT else (
                f" --rtol {program.rtol:g} --atol {program.atol:g}")
            content = RUNS.format(options=options)
        (root / program.name / "run.test").write_text(content)
    return sorted(set(refused) - {p.name for p in programs})
