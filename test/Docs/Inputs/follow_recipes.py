"""Follows the recipes of docs/Contributing.md to the letter, in a copy of the sources.

    follow_recipes.py SOURCES BUILD FOLDER

Writes the files that the page shows, applies its patches, compiles the sources that are new
or changed with the commands of the build folder, links tally-opt and tally-run with what
comes of them, and runs the tests that the page shows. Nothing else is built.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import sys

from rebuild import Build, run, run_test

SOURCES, BUILD, FOLDER = (pathlib.Path(path).resolve() for path in sys.argv[1:])
COPY = FOLDER / "tally"
FILE = re.compile(r"^`([^`\n]+)`:\n\n```\S*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PATCH = re.compile(r"^```diff\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Registers the passes of Passes.h.inc, which a new pass changes.
REGISTRATION = "lib/Pipelines/InitAll.cpp"
# What each tool leaves out.
TOOLS = {"tally-opt": "lib/Import/", "tally-run": "nothing"}


def apply_page():
    """Returns the files that are new or changed, and those among them that are tests."""
    page = (SOURCES / "docs" / "Contributing.md").read_text()
    for folder in ("include", "lib", "test/Import/Inputs"):
        shutil.copytree(SOURCES / folder, COPY / folder)
    changed = set()
    for name, text in FILE.findall(page):
        path = COPY / name
        assert not path.exists(), f"{name} is there already"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        changed.add(name)
    for patch in PATCH.findall(page):
        run(["patch", "-p1", "--fuzz=0", "-d", COPY], input=patch)
        changed.update(re.findall(r"^\+\+\+ b/(\S+)", patch, re.MULTILINE))
    for name in changed:
        if name.startswith("lib/") and name.endswith(".cpp"):
            listed = (COPY / name).parent
            while not (listed / "CMakeLists.txt").exists():
                listed = listed.parent
            assert str((COPY / name).relative_to(listed)) in (listed / "CMakeLists.txt").read_text(), name
    return changed, sorted(name for name in changed if name.startswith("test/"))


def generate_passes():
    """The declarations of passes, in front of those of the build folder."""
    folder = COPY / "include/tally/Transforms"
    mlir = run(["llvm-config-22", "--includedir"]).strip()
    run(["mlir-tblgen-22" if shutil.which("mlir-tblgen-22") else "mlir-tblgen", "-gen-pass-decls",
         "-name", "TallyTransforms", f"-I{mlir}", f"-I{COPY}/include", folder / "Passes.td",
         "-o", folder / "Passes.h.inc"])


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    changed, tests = apply_page()
    generate_passes()
    build = Build(SOURCES, BUILD, FOLDER)
    sources = sorted(name for name in changed | {REGISTRATION} if name.endswith(".cpp"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = dict(zip(sources, pool.map(lambda name: build.compile(name, COPY), sources)))
        list(pool.map(
            lambda tool: build.link(tool, [made for name, made in objects.items() if not name.startswith(TOOLS[tool])]),
            TOOLS))
    for test in tests:
        run_test(COPY / test, FOLDER)
        print("passed", test)


if __name__ == "__main__":
    main()
