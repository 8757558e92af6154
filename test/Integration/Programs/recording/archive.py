"""Writes .pt2 archives that are small and the same on every machine."""

import io
import json
import pathlib
import re
import zipfile

import torch

ROOT = pathlib.Path(__file__).resolve().parents[4]
TORCH = pathlib.Path(torch.__file__).resolve().parents[1]

# Members that say nothing about the program (see README.md): left out, or left
# empty where torch.export.load wants the member to be there.
STRIPPED = (".data/serialization_id",)
EMPTIED = ("data/sample_inputs/",)


def _clean_metadata(metadata):
    """Drops process addresses and machine paths from a node's metadata."""
    metadata.pop("from_node", None)
    trace = metadata.get("stack_trace")
    if trace:
        trace = trace.replace(f"{ROOT}/", "").replace(f"{TORCH}/", "")
        metadata["stack_trace"] = trace


def _walk(tree):
    """Cleans every node of a serialized graph and of the graphs inside it."""
    if isinstance(tree, dict):
        if "target" in tree and isinstance(tree.get("metadata"), dict):
            _clean_metadata(tree["metadata"])
        for value in tree.values():
            _walk(value)
    elif isinstance(tree, list):
        for value in tree:
            _walk(value)


def save(exported, path):
    """Saves an exported program, cleaned, and returns its model.json."""
    raw = io.BytesIO()
    torch.export.save(exported, raw)
    model = None
    with zipfile.ZipFile(raw) as source, zipfile.ZipFile(path, "w") as target:
        for info in source.infolist():
            # A saved file's root folder is its stem.
            member = info.filename.split("/", 1)[1]
            if member.startswith(STRIPPED):
                continue
            data = b"" if member.startswith(EMPTIED) else source.read(info)
            if member == "models/model.json":
                model = json.loads(data)
                _walk(model)
                data = json.dumps(model).encode()
            entry = zipfile.ZipInfo(f"{path.stem}/{member}")
            target.writestr(entry, data, zipfile.ZIP_STORED)
    left = re.search(r"/(root|home|tmp)/[^\"\\]*", json.dumps(model))
    if left:
        raise ValueError(f"{path}: a machine path is left: {left.group(0)}")
    return model


def read_model(path):
    """The model.json of an archive."""
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read(f"{path.stem}/models/model.json"))


def targets(model):
    """Counts the op targets of a program, those of its subgraphs included."""
    counts = {}

    def walk(tree):
        if isinstance(tree, dict):
            if "target" in tree and "metadata" in tree:
                name = tree["target"].removeprefix("torch.ops.")
                counts[name] = counts.get(name, 0) + 1
            for value in tree.values():
                walk(value)
        elif isinstance(tree, list):
            for value in tree:
                walk(value)

    walk(model["graph_module"])
    return dict(sorted(counts.items()))
