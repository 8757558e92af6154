"""Writes programs of PyTorch in which one argument of one operator is damaged.

    arguments.py FOLDER [SHARE]       SHARE: one program of so many, by default all

For each operator of the recorded programs, and each argument that it has there,
a program without the argument, and one for each kind of value that it may be
instead; so that what reads it meets all of them, which chance takes long to do.
Texts are as FuzzPt2.cpp reads them.
"""

import json
import pathlib
import sys
import zlib

import seeds


def kinds(graph):
    """A value of each kind that an argument may have."""
    names = [i["as_tensor"]["name"] for i in graph["inputs"] if "as_tensor" in i]
    tensor = {"name": names[0] if names else "nothing"}
    yield {"as_none": True}
    yield {"as_int": -3}
    yield {"as_float": 0.5}
    yield {"as_bool": True}
    yield {"as_string": "x"}
    yield {"as_ints": []}
    yield {"as_ints": [1, -1, 1 << 62]}
    yield {"as_floats": [0.5]}
    yield {"as_tensor": tensor}
    yield {"as_tensor": {"name": "nothing"}}
    yield {"as_tensors": []}
    yield {"as_tensors": [tensor, tensor]}
    yield {"as_optional_tensors": [{"as_none": True}]}
    yield {"as_scalar_type": 7}
    yield {"as_sym_int": {"as_name": "nothing"}}
    yield {"as_sym_ints": [{"as_name": "nothing"}, {"as_int": 2}]}


def damaged(graph, node):
    """The program in each of its damaged forms, with the form's name."""
    inputs = node["inputs"]
    for place, argument in enumerate(list(inputs)):
        name = argument.get("name") or str(place)
        node["inputs"] = inputs[:place] + inputs[place + 1:]
        yield f"{name}-missing"
        for kind in kinds(graph):
            node["inputs"] = [*inputs[:place], {**argument, "arg": kind}, *inputs[place + 1:]]
            yield f"{name}-{json.dumps(kind)}"
    node["inputs"] = inputs
    outputs = node["outputs"]
    for name, changed in ("none", []), ("twice", outputs * 2):
        node["outputs"] = changed
        yield f"results-{name}"
    node["outputs"] = outputs


def graphs(model):
    """The graph of a program and those of its subgraphs."""
    waiting = [model["graph_module"]["graph"]]
    for graph in waiting:
        yield graph
        for node in graph["nodes"]:
            waiting += [i["arg"]["as_graph"]["graph"] for i in node["inputs"]
                        if "as_graph" in i["arg"]]


def programs(share):
    """Each operator's damaged forms once, in the smallest program that has it; one
    of so many."""
    texts = sorted(seeds.pt2(), key=lambda item: len(item[1]))
    done = set()
    for _, text in texts:
        head, _, rest = text.partition(b'{"graph_module"')
        line, _, after = (b'{"graph_module"' + rest).partition(b"\n")
        try:
            model = json.loads(line)
        except ValueError:  # No program with that member.
            continue
        for graph in graphs(model):
            for node in graph["nodes"]:
                for form in damaged(graph, node):
                    key = f"{node['target']} {form}"
                    if key not in done:
                        done.add(key)
                        if zlib.crc32(key.encode()) % share == 0:
                            yield head + json.dumps(model).encode() + b"\n" + after


def main():
    folder, share = pathlib.Path(sys.argv[1]), int((sys.argv[2:] or ["1"])[0])
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for text in programs(share):
        (folder / f"{count:06}").write_bytes(text)
        count += 1
    print(f"{count} damaged programs in {folder}")


if __name__ == "__main__":
    main()
