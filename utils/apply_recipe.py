#!/usr/bin/env python3
"""Applies a recipe of docs/Contributing.md: writes its new files and applies its patches.

Usage: apply_recipe.py                         lists the recipes
       apply_recipe.py "Add a pass" [SOURCES]  applies one, in the sources that this script is in,
                                               or in a copy

Nothing is changed where a file is there already or a patch does not fit.
"""

import pathlib
import re
import subprocess
import sys

from extract_files import FILE

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "Contributing.md"
RECIPE = re.compile(r"^### (Add [^\n]+)\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
PATCH = re.compile(r"^```diff\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class DoesNotFit(Exception):
    """The sources are not as the recipe expects them."""


def read_recipes():
    """The text of each recipe by its heading."""
    return dict(RECIPE.findall(PAGE.read_text()))


def _patch(sources, text, *options):
    done = subprocess.run(["patch", "-p1", "--fuzz=0", "--no-backup-if-mismatch", "-d", sources, *options],
                          input=text, capture_output=True, text=True)
    if done.returncode:
        raise DoesNotFit(f"a patch does not fit:\n{done.stdout}{done.stderr}".rstrip())


def apply(recipe, sources):
    """Applies the text of a recipe, and returns the names of new and of changed files."""
    files, patches = FILE.findall(recipe), PATCH.findall(recipe)
    for name, _ in files:
        if (sources / name).exists():
            raise DoesNotFit(f"{name} is there already")
    for text in patches:
        _patch(sources, text, "--dry-run")
    for name, text in files:
        path = sources / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for text in patches:
        _patch(sources, text)
    changed = re.findall(r"^\+\+\+ b/(\S+)", "".join(patches), re.MULTILINE)
    return [name for name, _ in files], changed


def main():
    recipes = read_recipes()
    if len(sys.argv) == 1:
        print("\n".join(recipes))
        return
    if sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return
    if sys.argv[1] not in recipes:
        sys.exit(f"there is no recipe '{sys.argv[1]}'; there are:\n" + "\n".join(recipes))
    try:
        new, changed = apply(recipes[sys.argv[1]],
                             pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT)
    except DoesNotFit as reason:
        sys.exit(f"{reason}\nNothing was changed.")
    for name in new:
        print("new:    ", name)
    for name in changed:
        print("changed:", name)
    for name in new:
        if name.startswith("test/"):
            print(f"To build it and run its test: ./dev test {name[len('test/'):].partition('.')[0]}")


if __name__ == "__main__":
    main()
