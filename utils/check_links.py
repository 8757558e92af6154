#!/usr/bin/env python3
"""Finds links of the documentation that lead nowhere, and files that it names and that do not exist.

Reads every page (*.md) outside of the build folders. The file or folder of a relative
link must exist, and its anchor must be that of a heading there, as GitHub spells it.
A path in backquotes that starts with a folder of the sources, such as `lib/Driver`, must
exist as well, unless a colon follows: then the page shows that file. Links to other sites
are not followed. Exit status: 0 if all is well, else 1. `--count` prints how many links
and paths were looked at.
"""

import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\]\(([^()\s]+)\)")
PATH = re.compile(r"`((?:benchmarks|cmake|docs|include|lib|python|test|tools|utils)/[\w./-]+)`(?!:\n)")
HEADING = re.compile(r"^#+ +(.*?)(?: +#+)?$", re.MULTILINE)


def list_pages():
    for folder, subfolders, names in os.walk(ROOT):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith((".", "build")))
        for name in sorted(names):
            if name.endswith(".md"):
                yield pathlib.Path(folder, name)


def blank(match):
    """The spaces that take the place of code, in which nothing is a link."""
    return re.sub(r"[^\n]", " ", match[0])


def read_text(page):
    """The text of a page without its blocks of code."""
    return BLOCK.sub(blank, page.read_text())


def get_anchors(page):
    anchors, counts = set(), {}
    for heading in HEADING.findall(read_text(page)):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        anchors.add(f"{anchor}-{counts[anchor]}" if anchor in counts else anchor)
        counts[anchor] = counts.get(anchor, 0) + 1
    return anchors


def find_problem(page, link):
    """What is wrong with a relative link, or None."""
    name, _, anchor = link.partition("#")
    target = page.parent / name if name else page
    if not target.exists():
        return "there is no such file"
    if ROOT not in (target.resolve(), *target.resolve().parents):
        return "it leaves the project"
    if anchor and (target.suffix != ".md" or anchor not in get_anchors(target)):
        return "there is no such heading"
    return None


def check_page(page):
    """Returns how many links and paths the page has, and those that are wrong: place, text and problem."""
    text = read_text(page)
    links = [match for match in LINK.finditer(CODE.sub(blank, text)) if not re.match(r"[a-z]+:", match[1])]
    paths = list(PATH.finditer(text))
    wrong = [(match.start(), match[1], find_problem(page, match[1])) for match in links]
    wrong += [(match.start(), match[1], "there is no such file") for match in paths if not (ROOT / match[1]).exists()]
    return len(links), len(paths), [
        (text.count("\n", 0, start) + 1, what, problem) for start, what, problem in sorted(wrong) if problem
    ]


def main():
    num_links, num_paths, status = 0, 0, 0
    for page in list_pages():
        links, paths, wrong = check_page(page)
        num_links += links
        num_paths += paths
        for line, what, problem in wrong:
            print(f"{page.relative_to(ROOT)}:{line}: {what}: {problem}")
            status = 1
    if "--count" in sys.argv:
        print(f"{num_links} links, {num_paths} paths")
    return status


if __name__ == "__main__":
    sys.exit(main())
