"""Follows the recipes of docs/Contributing.md to the letter, in a copy of the sources.

    follow_recipes.py SOURCES BUILD FOLDER

Applies each with utils/apply_recipe.py, compiles the sources that are new
or changed with the commands of the build folder, links tally-opt and tally-run with what
comes of them, and runs the tests that the page shows. Nothing else is built.
"""

import concurrent.futures
import os
import pathlib
import shutil
import sys

from rebuild import Build, run, run_test

SOURCES, BUILD, FOLDER = (pathlib.Path(path).resolve() for path in sys.argv[1:])
COPY = FOLDER / "tally"
sys.path.append(str(SOURCES / "utils"))
import apply_recipe  # noqa: E402

# Registers the passes of Passes.h.inc, which a new pass changes.
REGISTRATION = "lib/Pipelines/InitAll.cpp"
# What each tool leaves out.
TOOLS = {"tally-opt": "lib/Import/", "tally-run": "nothing"}


def apply_recipes():
    """Returns the files that are new or changed, and those among them that are tests."""
    for folder in ("include", "lib", "test/Import/Inputs"):
        shutil.copytree(SOURCES / folder, COPY / folder)
    changed = set()
    for recipe in apply_recipe.read_recipes().values():
        changed.update(*apply_recipe.apply(recipe, COPY))
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
    changed, tests = apply_recipes()
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
