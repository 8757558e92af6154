#!/usr/bin/env python3
"""Makes the page of figures from what `bench.py --json` and `models.py --json` wrote.

    page.py FIGURES.json... > docs/FiguresGPU.md

Where several files have a row, that of the last one counts. The page tells when and on what each file was measured. A
row that misses its aim is told with what bounds it, as `bounds.json` says of names as `softmax of long rows
1024x50257`, or of patterns of fnmatch. Rows without one are counted.
"""

import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import pages  # noqa: E402

PEERS = ("eager", "compile")
#: From here on a share of the bandwidth is an aim: what is smaller is partly read from a cache.
LARGE = 64 << 20
DTYPES = {"float32": "f32", "bfloat16": "bf16", "float16": "f16", "int64": "i64"}


def get_label(row):
    return f"{row['workload']} {'x'.join(map(str, row['shape']))}"


def get_seconds(row, name):
    """The time of a contestant, or None."""
    return row.get(name, {}).get("seconds")


def get_ratio(row, peers=PEERS):
    """How many times as fast as the fastest of these peers Tally is; None if one of both was not measured."""
    ours = get_seconds(row, "tally")
    theirs = [seconds for seconds in (get_seconds(row, peer) for peer in peers) if seconds]
    return min(theirs) / ours if ours and theirs else None


def get_share(row):
    """What a call has to move, over its time, as a share of what a copy moves; None where that does not bound it."""
    ours = get_seconds(row, "tally")
    return row["bytes"] / ours / row["bandwidth"] if ours and row["bandwidth_bound"] and row["bytes"] > LARGE else None


def is_below(value, aim):
    """Whether a figure is below its aim as it is printed."""
    return value is not None and round(value, 2) < aim


def misses(row):
    return is_below(get_ratio(row), 1) or is_below(get_share(row), row["aim"])


def format_number(value, aim=None):
    """A figure with two digits; bold where it is below its aim."""
    if value is None:
        return ""
    return f"**{value:.2f}**" if aim is not None and is_below(value, aim) else f"{value:.2f}"


def format_time(seconds):
    return "" if seconds is None else f"{seconds * 1e6:.1f}"


def format_peer(row, peer):
    if "fail" in row.get(peer, {}):
        return "none"
    return format_number(get_ratio(row, (peer,)), 1)


def format_table(titles, rows):
    """A Markdown table."""
    return ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles), *("| " + " | ".join(row) + " |" for row in rows)]


def format_misses(rows, bounds):
    titles = ("workload", "dtype", "us", "faster peer / Tally", "share", "aim", "what bounds it")
    return format_table(titles, [
        (get_label(row), DTYPES.get(row["dtype"], row["dtype"]), format_time(get_seconds(row, "tally")),
         format_number(get_ratio(row), 1), format_number(get_share(row), row["aim"]),
         "" if get_share(row) is None else f"{row['aim']:.2f}", pages.find_bound((get_label(row),), bounds))
        for row in rows])


def format_rows(rows):
    def cells(row):
        ours = row["tally"]
        share = get_share(row)
        waits = f"{ours.get('host_waits', '')}"
        if "waiting_seconds" in ours:
            waits += f" ({ours['waiting_host_waits']}: {format_time(ours['waiting_seconds'])} us)"
        return (get_label(row), DTYPES.get(row["dtype"], row["dtype"]), format_time(ours.get("seconds")),
                format_number(share, row["aim"]), format_peer(row, "eager"), format_peer(row, "compile"),
                f"{format_time(ours.get('host_seconds'))} ({format_time(ours.get('bare_host_seconds'))})",
                f"{ours.get('launches', '')}", waits)
    return format_table(("workload", "dtype", "us", "share", "eager / Tally", "Inductor / Tally", "host us (bare)",
                         "launches", "waits"), [cells(row) for row in rows])


def get_mean(values):
    return statistics.geometric_mean(values) if values else None


def get_model_ratios(model, peers):
    """How many times as fast as the fastest of the peers Tally is, at each shape."""
    ours = model.get("tally", {}).get("seconds") or []
    theirs = [model[peer]["seconds"] for peer in peers if model.get(peer, {}).get("seconds")]
    return [min(each) / time for time, *each in zip(ours, *theirs)] if theirs else []


def format_graphs(facts):
    more = f" + {facts['more_graphs']}" if facts.get("more_graphs") else ""
    return f"{facts['graphs']}{more}" if "graphs" in facts else ""


def format_models(models, bounds):
    """A table of models, its last row a mean; what failed, and what is known of those that are slower than a peer."""
    every = (("eager",), ("compile",), PEERS)
    means = {peers: [] for peers in every}
    rows, failures = [], []
    for model in models:
        found = {peers: get_model_ratios(model, peers) for peers in every}
        for peers, ratios in found.items():
            means[peers] += [get_mean(ratios)] if ratios else []
        ours, faster = model.get("tally", {}), found[PEERS]
        milliseconds = get_mean([1e3 * each for each in ours.get("seconds") or []])
        rows.append((model["name"], format_number(milliseconds), *(format_number(get_mean(found[peers]), 1) for peers in every),
                     f"{min(faster):.2f} to {max(faster):.2f}" if faster else "",
                     f"{format_graphs(ours)}; {format_graphs(model.get('compile', {}))}",
                     "; ".join(f"{model.get(name, {}).get('first_call_seconds', '')}" for name in ("tally", "compile"))))
        failures += [f"- {model['name']}, {name}: {model[name]['fail']}" for name in ("tally", *PEERS)
                     if "fail" in model.get(name, {})]
        failures += [f"- {model['name']}: {model['fail']}"] if "fail" in model else []
        reason = pages.find_bound((model["name"],), bounds) if is_below(get_mean(faster) if faster else None, 1) else ""
        failures += [f"- {model['name']}: {reason}"] if reason else []
    rows.append(("geometric mean", "", *(format_number(get_mean(means[peers]), 1) for peers in every), "", "", ""))
    titles = ("model", "ms", "eager / Tally", "Inductor / Tally", "faster peer / Tally", "of it, over shapes",
              "graphs: Tally; Inductor", "first call, s: Tally; Inductor")
    return format_table(titles, rows) + ([""] + failures if failures else [])


def merge_rows(files):
    """All rows, each with the bandwidth of its file; of those that several files have, the last."""
    rows = {}
    for file in files:
        for row in file.get("rows", ()):
            rows[row["workload"], row["size"]] = {**row, "bandwidth": file["copy_bytes_per_second"]}
    return list(rows.values())


def merge_models(files):
    """The models by the type of their elements."""
    models = {}
    for file in files:
        for model in file.get("models", ()):
            models.setdefault(file["dtype"], {})[model["name"]] = model
    return {dtype: list(found.values()) for dtype, found in models.items()}


def describe_file(file):
    if "rows" in file:
        order = ", algorithms that add in a fixed order" if file.get("deterministic") else ""
        what = f"{len(file['rows'])} rows, beside a copy of {file['copy_bytes_per_second'] / 1e12:.2f} TB/s{order}"
    else:
        what = f"{len(file['models'])} models of {DTYPES.get(file['dtype'], file['dtype'])}"
    return f"- {what}: {file['device']}, torch {file['torch']}, CUDA {file['cuda']}; at {file['commit']}, {file['date']}"


def summarize(rows):
    """Lines about all rows."""
    lines = []
    for size in dict.fromkeys(row["size"] for row in rows):
        ratios = [ratio for ratio in (get_ratio(row) for row in rows if row["size"] == size) if ratio is not None]
        lines += [f"- {size} sizes: {len(ratios)} rows, {sum(is_below(ratio, 1) for ratio in ratios)} of them below 1; geometric "
                  f"mean of the ratios to the faster peer {get_mean(ratios):.2f}"] if ratios else []
    shares = [(get_share(row), row["aim"]) for row in rows if get_share(row) is not None]
    lines.append(f"- share of the bandwidth of a copy: {len(shares)} rows of more than 64 MiB of traffic, "
                 f"{sum(is_below(*each) for each in shares)} of them below their aim")
    waits = [row["tally"]["host_waits"] for row in rows if row["tally"].get("host_waits") is not None]
    lines.append(f"- waits of the host in a call: none in {waits.count(0)} rows, one in {waits.count(1)}, more in "
                 f"{sum(count > 1 for count in waits)}")
    return lines


def describe_compiling(files):
    """What it took to compile the programs of the rows."""
    notes = {name: note for file in files for name, note in file.get("compile", {}).items() if "seconds" in note}
    if not notes:
        return []
    slowest = max(notes, key=lambda name: notes[name]["seconds"])
    return [f"- Tally compiled each of {len(notes)} programs once, for all sizes, several at a time: in "
            f"{statistics.median(note['seconds'] for note in notes.values()):.1f} s (median); `{slowest}` took "
            f"{notes[slowest]['seconds']:.1f} s"]


INTRODUCTION = """# Figures of a GPU

`benchmarks/gpu/page.py` made this page from figures of `bench.py` and `models.py`. Each program of `bench.py` was compiled once
for all of its sizes, and its results were compared with float64. `us` is what a call of Tally's takes on the GPU, in microseconds; behind
it are the times of eager PyTorch and of Inductor (`torch.compile(dynamic=True)`) divided by that: **above 1, Tally is faster**;
below, the number is bold. `none`: it failed; empty: Inductor calls what eager PyTorch calls, and was not measured. `share` is
what a call has to move in its time, as a fraction of what a copy on the device moves, for rows that move more than 64 MiB. It aims at 0.90 for elements and
rows, 0.85 for reductions and 0.70 for scans and for results whose size the data decides. `host us` is what the host is busy with a call, from
Python and, in brackets, through the C ABI. `waits` are times that the host waits for the GPU in a call of Tally's; where
PyTorch checks indices and does not wait for the answer, Tally does not either (`tally_rt_defer_checks`), and what a call takes
that waits is in brackets. [benchmarks/gpu/README.md](../benchmarks/gpu/README.md) says how it is measured.
"""


def make_page(files):
    """The lines of the page."""
    rows = merge_rows(files)
    bounds = pages.read_bounds(HERE / "bounds.json", files[0]["device"])
    lines = [*INTRODUCTION.splitlines(), "", *(describe_file(file) for file in files), *describe_compiling(files)]
    if rows:
        missing = sorted((row for row in rows if misses(row)), key=lambda row: get_ratio(row) or 0)
        unknown = sum(not pages.find_bound((get_label(row),), bounds) for row in missing)
        lines += [*summarize(rows), "", "## Rows that miss an aim", "", *format_misses(missing, bounds)]
        lines += ["", f"Of {unknown} of these rows it is not known what bounds them."] if unknown else []
        failures = [f"- {get_label(row)}: {row['tally']['fail']}" for row in rows if "fail" in row["tally"]]
        lines += ["", "## Rows whose result was wrong, or that failed", "", *failures] if failures else []
        lines += ["", "## All rows", "", *format_rows(rows)]
    for dtype, models in merge_models(files).items():
        lines += ["", f"## Models, {DTYPES.get(dtype, dtype)}", "",
                  "A time is that of a call in a row of calls, whatever bounds it, the host or the GPU; means over the shapes of a",
                  "model are geometric. Results were compared with eager PyTorch at every shape. Graphs are those of the first call, and of",
                  "all later ones. Where Inductor has no figure it was not ready in time; the faster peer is eager PyTorch then.", "", *format_models(models, bounds)]
    return lines


if __name__ == "__main__":
    pages.print_page(make_page, __doc__)
