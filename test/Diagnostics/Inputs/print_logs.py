"""Runs tests of what passes log with assertions, which a release build leaves out.

    print_logs.py SOURCES BUILD FOLDER TEST...

Compiles the sources of the passes whose logs the tests print, and the tool, with assertions, and
links tally-opt with them; everything else is the build folder's.
"""

import concurrent.futures
import os
import pathlib
import re
import sys

SOURCES, BUILD, FOLDER = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
sys.path.insert(0, str(SOURCES / "test/Docs/Inputs"))

from rebuild import Build, run_test  # noqa: E402


def main():
    tests = [SOURCES / name for name in sys.argv[4:]]
    passes = {name for test in tests for name in re.findall(r"--debug-only=([\w-]+)", test.read_text())}
    sources = [str(path.relative_to(SOURCES)) for path in sorted((SOURCES / "lib").rglob("*.cpp"))
               if set(re.findall(r'^#define DEBUG_TYPE "(.*)"', path.read_text(), re.MULTILINE)) & passes]
    assert len(sources) >= len(passes), sources
    tool = "tools/tally-opt/tally-opt.cpp"
    build = Build(SOURCES, BUILD, FOLDER)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda name: build.compile(name, SOURCES, "-UNDEBUG", "-O0"), [*sources, tool]))
    build.link("tally-opt", objects)
    for test in tests:
        run_test(test, FOLDER)
        print("passed", test.relative_to(SOURCES))


if __name__ == "__main__":
    main()
