#!/usr/bin/env python3
"""Makes the page of figures from what `bench.py --json` wrote.

    page.py FIGURES.json... > docs/FiguresCPU.md       (docs/FiguresAVX2.md: on a processor without AVX-512,
                                                        docs/FiguresIntel.md: on one of Intel with AVX-512)

Where several files have a row, that of the last one counts. The page tells when each was measured.
`aims.json` says what is aimed at: for a kind of programs, the least ratios to eager and to Inductor, and names of
programs as patterns of fnmatch, of which the first that fits counts. A row that misses its aim is told with what bounds
it. That is the memory, where a loop that moves as many bytes takes nearly as long (`bench.py --memory`). For others,
`bounds.json` has a list of names of programs or rows, as patterns, and a sentence for each; behind it the vectors of the
processors that it holds for, if it does not for all. Rows without one are counted.
"""

import dataclasses
import fnmatch
import json
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import pages  # noqa: E402


# A row is bound by the memory where a loop that moves as many bytes takes so much of its time, unless a peer takes less than
# the loop by more than a measurement is wrong.
MEMORY_SHARE = 0.85
TOLERANCE = 0.05


@dataclasses.dataclass
class Aim:
    """The least ratios that are aimed at for programs of a kind."""
    kind: str
    eager: float
    inductor: float
    patterns: list
    title: str = "Operations"

    def is_missed(self, row):
        return any(ratio < least for ratio, least in zip(row[2:], (self.eager, self.inductor)))

    def get_distance(self, row):
        """How far a row is from its aim: below 1 it misses it."""
        return min(ratio / least for ratio, least in zip(row[2:], (self.eager, self.inductor)))


AIMS = [Aim(*each) for each in json.loads((HERE / "aims.json").read_text())]


def find_aim(section, row):
    """The aim of a row of a section."""
    return next(aim for aim in AIMS if aim.title == section["title"]
                and any(fnmatch.fnmatchcase(row[0].split()[0], each) for each in aim.patterns))


def get_ratio(row):
    """The ratio to the fastest of the peers."""
    return min(row[2:])


def find_vectors(file):
    """The vectors of the processor: `AVX2`. Those of Intel have libraries of their own in PyTorch: `AVX-512 of Intel`."""
    processor, _, vectors = file["processor"].rpartition(", ")
    return f"{vectors} of Intel" if processor.startswith("Intel") else vectors


def find_bound(section, row, bounds):
    """What bounds a row; empty if nobody has said."""
    label = row[0]
    share = section["moved"].get(label, (None, None))[1] or 0
    if share >= MEMORY_SHARE and get_ratio(row) >= share - TOLERANCE:
        return "Memory: a loop that only moves as many bytes takes nearly as long."
    return pages.find_bound((label, label.split()[0]), bounds)


def format_ratios(ratios):
    """Cells; ratios below 1 stand out."""
    return ["none" if ratio == float("inf") else f"{ratio:.2f}" if ratio >= 1 else f"**{ratio:.2f}**" for ratio in ratios]


def format_rows(section):
    """A table of the rows of a section."""
    peers = section["peers"]
    lines = ["| program and sizes | us | " + " | ".join(f"{peer} / Tally" for peer in peers) + " |",
             "|---|--:|" + "--:|" * len(peers)]
    for label, time, *ratios in section["rows"]:
        lines.append(f"| {label} | {time:.1f} | " + " | ".join(format_ratios(ratios)) + " |")
    return lines


def format_misses(section, rows, bounds):
    """A table of rows that miss their aims, with what bounds them."""
    peers = section["peers"]
    lines = ["| program and sizes | us | " + " | ".join(f"{peer} / Tally" for peer in peers)
             + " | MB | loop / Tally | what bounds it |", "|---|--:|" + "--:|" * len(peers) + "--:|--:|---|"]
    for label, time, *ratios in rows:
        count, share = section["moved"].get(label, (None, None))
        memory = ["", ""] if share is None else [f"{count / 1e6:.1f}", f"{share:.2f}"]
        cells = [*format_ratios(ratios), *memory, find_bound(section, (label, time, *ratios), bounds)]
        lines.append(f"| {label} | {time:.1f} | " + " | ".join(cells) + " |")
    return lines


def format_aims(sections):
    """A table of the aims, and of how many rows miss each of them."""
    lines = ["| kind | eager / Tally | Inductor / Tally | rows | rows that miss it |", "|---|--:|--:|--:|--:|"]
    for aim in AIMS:
        rows = [row for section in sections for row in section["rows"] if find_aim(section, row) is aim]
        lines.append(f"| {aim.kind} | {aim.eager} | {aim.inductor} | {len(rows)} | {sum(map(aim.is_missed, rows))} |")
    return lines


def format_compilations(compilations):
    """A table of what it took to compile, and what is below it."""
    lines = ["| program | s | s of the processor | MB at most | MB of weights |", "|---|--:|--:|--:|--:|"]
    for each in compilations:
        lines.append(f"| {each['name']} | {each['seconds']:.2f} | {each['processor_seconds']:.2f} "
                     f"| {each['peak_bytes'] / 1e6:.0f} | {each['weight_bytes'] / 1e6:.0f} |")
    median = statistics.median(each["seconds"] for each in compilations)
    beyond = max(each["peak_bytes"] - 3 * each["weight_bytes"] for each in compilations)
    return lines + ["", f"The median is {median:.2f} s; no program took more than {max(beyond, 0) / 1e6:.0f} MB and three "
                    "times its weights."]


def describe(section):
    """A title, and how many threads."""
    count = section["threads"]
    return section["title"] if count == 1 else f"{section['title']}, {count} threads"


def summarize(section):
    """A line about all rows of a section."""
    rows, peers = section["rows"], section["peers"]
    faster = "the faster of eager and Inductor" if len(peers) > 1 else peers[0]
    mean = statistics.geometric_mean(get_ratio(row) for row in rows)
    clock = "the time of the thread" if section["threads"] == 1 else "the time that passed"
    return (f"- {describe(section).lower()}: {len(rows)} rows ({clock}), {sum(get_ratio(row) < 1 for row in rows)} of them below "
            f"1; geometric mean of the ratios to {faster} {mean:.2f}")


def merge_sections(files):
    """One section for each title and number of threads."""
    merged = {}
    for file in files:
        for section in file["sections"]:
            known = merged.setdefault((section["title"], section["threads"]), {**section, "rows": [], "compilations": [], "moved": {}})
            for part, name in (("rows", lambda row: row[0]), ("compilations", lambda each: each["name"])):
                new = {name(each): each for each in section[part]}
                kept = [new.pop(name(each), each) for each in known[part]]
                known[part] = kept + list(new.values())
            moved = section.get("moved", {})
            for label, *_ in section["rows"]:
                known["moved"][label] = moved.get(label, (None, None))
    return list(merged.values())


def describe_files(files):
    """When rows were measured, those of a commit at once."""
    counts = {}
    for file in files:
        runs = f" (medians of {file['runs']} runs)" if "runs" in file else ""
        place = f"{file['commit']}, {file['date']}{runs}"
        counts[place] = counts.get(place, 0) + sum(len(section["rows"]) for section in file["sections"])
    parts = [f"{f'{count} rows' if count else 'what compiling took'} at {place}" for place, count in counts.items()]
    return f"- measured: {'; then '.join(parts)}"


def make_page(files):
    """The lines of the page."""
    vectors = find_vectors(files[0])
    bounds = pages.read_bounds(HERE / "bounds.json", vectors)
    sections = merge_sections(files)
    lines = [f"# Figures of a CPU with {vectors}", "",
             "`benchmarks/cpu/page.py` made this page from figures of `bench.py`. Each program was compiled once for all of its",
             "sizes, and its results were compared with those of eager PyTorch. `us` is what a call of Tally's takes, in",
             "microseconds, from Python. Behind it is the time of eager, and of Inductor, divided by that: **above 1, Tally is",
             "faster**; below, the number is bold. `none`: Inductor cannot compile it. All are called in turns; what counts is the",
             "median." if any("Inductor" in section["peers"] for section in sections) else "median. Inductor was not measured.", "",
             f"- processor: {files[0]['processor']}", f"- {files[0]['versions']}"]
    lines += [describe_files(files)] + [summarize(section) for section in sections]
    lines += ["", "## What is aimed at", "", *format_aims(sections), "",
              "Rows that miss their aims are told with what bounds them, the furthest from its aim first. `MB` are the bytes of",
              "operands and results that a call reads and writes. Beside it is the time of a loop in C that moves as many bytes and",
              "computes nothing, on the same core in the same turns, divided by that of the call: near 1, the memory bounds it.", "",
              "Rows of a few MB differ from hour to hour, by what else uses the last cache and the memory, and by what eager's",
              "allocator gives back to the system: fresh pages for a result are a part of its time. Where a row has been measured",
              "once, another hour may find it on the other side of an aim."]
    for section in sections:
        missing = sorted((row for row in section["rows"] if find_aim(section, row).is_missed(row)),
                         key=lambda row, section=section: find_aim(section, row).get_distance(row))
        if missing:
            unknown = sum(not find_bound(section, row, bounds) for row in missing)
            lines += ["", f"## Rows that miss their aims: {describe(section).lower()}", "",
                      *format_misses(section, missing, bounds)]
            lines += ["", f"Of {unknown} of these rows it is not known what bounds them."] if unknown else []
    for section in sections:
        lines += ["", f"## {describe(section)}", "", *format_rows(section)]
        if section["title"] == "Models" and section["compilations"]:
            where = "one core" if section["cores"] == 1 else f"{section['cores']} cores"
            lines += ["", f"### Compiling them, on {where}", "", *format_compilations(section["compilations"])]
    return lines


if __name__ == "__main__":
    pages.print_page(make_page, __doc__)
