"""What the JSON of bench.py and models.py begins with."""

import json
import os
import pathlib
import subprocess
import time

import torch


def _describe_device(device):
    if device.type != "cuda":
        return "cpu"
    properties = torch.cuda.get_device_properties(device)
    return f"{properties.name}, {properties.multi_processor_count} multiprocessors"


def describe_run(device, commit=None):
    """The machine, versions, the commit (that of this repository, if there is one and none is given) and the date."""
    try:
        found = subprocess.run(["git", "-C", pathlib.Path(__file__).parent, "rev-parse", "--short", "HEAD"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    except OSError:
        found = ""
    return {"device": _describe_device(device), "torch": torch.__version__, "cuda": torch.version.cuda or "",
            "commit": commit or found or "an unknown commit", "date": time.strftime("%Y-%m-%d")}


def write_json(path, report):
    """Writes a report whole, so that what a run has so far is there when it is cut off. No path, no file."""
    if path:
        part = pathlib.Path(f"{path}.part")
        part.write_text(json.dumps(report, indent=1) + "\n")
        os.replace(part, path)
