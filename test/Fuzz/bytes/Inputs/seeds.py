"""Writes what a fuzz target starts with, from what is in the project.

    seeds.py TARGET TALLY-OPT FOLDER

The recorded programs of PyTorch become texts as FuzzPt2.cpp reads them; .mlir
files are those of the tests; bytecode is made of them.
"""

import json
import pathlib
import re
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[4]
MAX_BYTES = 16384


def prove():
    for path in sorted(ROOT.glob("test/tally-prove/*.test")):
        # Scripts are between the commands; other lines are errors, which is fine.
        yield path.stem, path.read_bytes()
    for path in sorted(ROOT.glob("docs/*.prove")):
        yield path.stem, path.read_bytes()


def npy():
    for index, path in enumerate(sorted(ROOT.glob("test/Integration/Programs/**/*.npy"))):
        if index % 50 == 0:
            yield str(index), path.read_bytes()


# What the importer does not look at is most of a program.
IGNORED = """custom_obj_values device guards_code hint kind
    layout metadata module_call_graph opset_version requires_grad torch_version
    treespec_namedtuple_fields verifiers""".split()


def simplify(value):
    if isinstance(value, list):
        return [simplify(element) for element in value]
    if isinstance(value, dict):
        return {key: simplify(entry) for key, entry in value.items() if key not in IGNORED}
    return value


def change_ranks(model):
    """The model, and what it is if one argument has no dimensions, or one more."""
    yield model
    graph = model["graph_module"]["graph"]
    for argument in graph["inputs"]:
        meta = graph["tensor_values"].get(argument.get("as_tensor", {}).get("name"))
        if not meta:
            continue
        recorded = {name: meta[name] for name in ("sizes", "strides")}
        for rank in {0, len(meta["sizes"]) + 1} - {len(meta["sizes"])}:
            for name, numbers in recorded.items():
                meta[name] = (numbers + [{"as_int": 1}])[:rank]
            yield model
        meta.update(recorded)


def pt2():
    for path in sorted(ROOT.glob("test/Integration/Programs/recorded/*/model.pt2")):
        before, after, model = b"", b"", None
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                member = name.partition("/")[2]
                if ".data/" in member or "sample_inputs" in member or "/" not in member:
                    continue
                if member.endswith("model.json"):
                    model = simplify(json.loads(archive.read(name)))
                    before, after = after + f"=== {member}\n".encode(), b""
                else:
                    after += f"=== {member}\n".encode() + archive.read(name) + b"\n"
        for index, variant in enumerate(change_ranks(model)):
            yield f"{path.parent.name}-{index}", before + json.dumps(variant).encode() + b"\n" + after


def mlir():
    folders = "Analysis Transforms IR Hazards Strength Pipelines tally-run Docs".split()
    for folder in folders:
        for path in sorted((ROOT / "test" / folder).glob("**/*.mlir")):
            text = path.read_text()
            # One module each.
            for index, part in enumerate(re.split(r"^// -----.*$", text, flags=re.M)):
                lines = [line for line in part.splitlines() if not line.lstrip().startswith("//")]
                yield f"{folder}-{path.stem}-{index}", "\n".join(lines).strip().encode() + b"\n"


def bytecode(opt):
    for name, text in mlir():
        made = subprocess.run([opt, "--emit-bytecode", "-"], input=text, capture_output=True)
        if made.returncode == 0:
            yield name, made.stdout


def main():
    target, opt, folder = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    seeds = bytecode(opt) if target == "bytecode" else globals()[target]()
    count = 0
    for name, content in seeds:
        if len(content) <= MAX_BYTES:
            (folder / name).write_bytes(content)
            count += 1
    print(f"{count} seeds in {folder}")


if __name__ == "__main__":
    main()
