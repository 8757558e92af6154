"""The figures of bench.py as text."""

import statistics

NAMES = {"tally": "Tally", "eager": "eager", "compile": "torch.compile"}


def _microseconds(seconds):
    return "" if seconds is None else f"{seconds * 1e6:.1f}"


def _share(row, figures, bandwidth):
    seconds = figures.get("seconds")
    if not seconds or not row["bandwidth_bound"]:
        return ""
    return f"{row['bytes'] / seconds / bandwidth:.2f}"


def _size(count):
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


def _ratio(row, peer):
    """How many times as fast as a peer Tally is."""
    ours, theirs = row.get("tally", {}).get("seconds"), row.get(peer, {}).get("seconds")
    return f"{theirs / ours:.2f}" if ours and theirs else ""


def _count(figures, name):
    return str(figures[name]) if name in figures else ""


def progress(row):
    parts = [row["workload"], row["size"]]
    for name in NAMES:
        if name in row:
            figures = row[name]
            parts.append(f"{NAMES[name]} " + (
                f"FAIL: {figures['fail']}" if "fail" in figures
                else f"{_microseconds(figures['seconds'])} us"))
    return ", ".join(parts)


def _cells(row, bandwidth):
    shape = "x".join(map(str, row["shape"]))
    cells = {"workload": row["workload"], "size": row["size"], "shape": shape,
             "dtype": row["dtype"], "bytes": _size(row["bytes"])}
    for name, title in NAMES.items():
        figures = row.get(name, {})
        cells[f"{title} us"] = ("FAIL" if "fail" in figures
                                else _microseconds(figures.get("seconds")))
        cells[f"{title} share"] = _share(row, figures, bandwidth)
    cells["x eager"] = _ratio(row, "eager")
    cells["x compile"] = _ratio(row, "compile")
    cells["host Tally (bare)"] = " ".join(filter(None, (
        _microseconds(row.get("tally", {}).get("host_seconds")),
        _bare(row.get("tally", {})))))
    for name in ("eager", "compile"):
        cells[f"host {name}"] = _microseconds(row.get(name, {}).get("host_seconds"))
    for name in NAMES:
        figures = row.get(name, {})
        cells[f"launches, waits {name}"] = " ".join(filter(None, (
            _count(figures, "launches"), _count(figures, "host_waits"))))
    return cells


def _bare(figures):
    bare = figures.get("bare_host_seconds")
    return "" if bare is None else f"({_microseconds(bare)})"


def _markdown(rows):
    """A Markdown table without its empty columns, aligned for people."""
    titles = [t for t in rows[0] if any(row[t] for row in rows)]
    widths = {t: max(len(t), *(len(row[t]) for row in rows)) for t in titles}
    lines = ["| " + " | ".join(t.ljust(widths[t]) for t in titles) + " |",
             "|" + "|".join("-" * (widths[t] + 2) for t in titles) + "|"]
    lines += ["| " + " | ".join(row[t].ljust(widths[t]) for t in titles) + " |"
              for row in rows]
    return "\n".join(lines)


def render(report):
    bandwidth = report["copy_bytes_per_second"]
    lines = [f"{report['device']}, torch {report['torch']}; a large copy moves "
             f"{bandwidth / 1e12:.2f} TB/s, counting bytes read and written", "",
             _markdown([_cells(row, bandwidth) for row in report["rows"]]), ""]
    for row in report["rows"]:
        lines += [f"{NAMES[name]} FAIL, {row['workload']}, {row['size']}: {row[name]['fail']}"
                  for name in NAMES if "fail" in row.get(name, {})]
    ctypes = [row["tally"]["ctypes_seconds"] for row in report["rows"]
              if "ctypes_seconds" in row.get("tally", {})]
    if ctypes:
        lines.append("Of the bare host time, ctypes takes about "
                     f"{_microseconds(statistics.median(ctypes))} us for each of its calls: "
                     "one for the program, one for each result")
    if report["compile"]:
        lines.append("Tally compiled each program once, for all sizes: " + ", ".join(
            f"{name} {notes['seconds']:.2f} s" for name, notes in report["compile"].items()))
    graphs = {row["workload"]: row["compiled_graphs"]
              for row in report["rows"] if "compiled_graphs" in row}
    if graphs:
        lines.append("Graphs that torch.compile compiled for these sizes: " + ", ".join(
            f"{name} {count}" for name, count in graphs.items()))
    return "\n".join(lines)
