"""Compiles a few sources in another way than the build folder has them, and links tools with them."""

import json
import os
import re
import shlex
import subprocess
import sys
import threading


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode:
        sys.exit(f"{command}\n{result.stdout}{result.stderr}")
    return result.stdout


class Build:
    """The build folder of the sources, and a folder for what is made."""

    def __init__(self, sources, build, folder):
        self.sources, self.build, self.folder = sources, build, folder
        (folder / "bin").mkdir(parents=True, exist_ok=True)
        self.commands = {entry["file"]: entry["command"]
                         for entry in json.loads((build / "compile_commands.json").read_text())}
        self.headers, self.lock = {}, threading.Lock()

    def precompile(self, words, options):
        """The precompiled header of the build's command in `words`, made once more with `options`: it
        holds for the options that it was made with."""
        at = words.index("-include-pch")
        header = words[at + 2].removesuffix(".pch")
        with self.lock:
            if (header, options) not in self.headers:
                target = self.folder / f"{len(self.headers)}.pch"
                # As CMake does it.
                command = words[: at - 1] + ["-Xclang", "-emit-pch"] + words[at + 3 :]
                command[command.index("-o") + 1] = str(target)
                command[-1:] = [*options, "-x", "c++-header", f"{header}.cxx"]
                run(command, cwd=self.build)
                self.headers[header, options] = str(target)
        return self.headers[header, options]

    def compile(self, name, root, *options):
        """Compiles a source below `root` as the build compiles it, or another one of its folder."""
        folder = str(self.sources / name).rsplit("/", 1)[0] + "/"
        command = self.commands.get(str(self.sources / name)) or next(
            text for file, text in self.commands.items() if file.startswith(folder))
        # The build folder may be one of the sources' folders.
        words = [word if str(self.build) in word else word.replace(f"{self.sources}/", f"{root}/")
                 for word in shlex.split(command)]
        target = self.folder / (name.replace("/", "_") + ".o")
        words[words.index("-o") + 1] = str(target)
        if options and "-include-pch" in words:
            words[words.index("-include-pch") + 2] = self.precompile(words, options)
        words[-1:] = [*options, str(root / name)]
        run(words, cwd=self.build)
        return str(target)

    def link(self, tool, objects):
        """Links a tool; what was compiled here comes first, and takes the place of the archives'."""
        command = run(["ninja", "-C", self.build, "-t", "commands", tool]).splitlines()[-1]
        words = shlex.split(command)
        words = words[words.index("&&") + 1 : len(words) - words[::-1].index("&&") - 1]
        words[words.index("-o") + 1] = str(self.folder / "bin" / tool)
        first = next(i for i, word in enumerate(words) if word.endswith(".o"))
        own = [word for word in words[first:] if word.endswith(f"/{tool}.cpp.o")]
        if any(name.endswith(f"_{tool}.cpp.o") for name in objects):
            words = [word for word in words if word not in own]
        run(words[:first] + objects + words[first:], cwd=self.build)


def run_test(path, folder):
    """Runs the lines of a test, with the tools of `folder`."""
    environment = dict(os.environ)
    environment["PATH"] = os.pathsep.join([str(folder / "bin"), environment["PATH"]])
    text = re.sub(r"\\\n// RUN: +", "", path.read_text())
    lines = re.findall(r"RUN: (.*)", text)
    assert lines, path
    for line in lines:
        for key, value in {"%python": sys.executable, "%S": path.parent, "%s": path,
                           "%t": folder / path.name}.items():
            line = line.replace(key, str(value))
        run(["bash", "-o", "pipefail", "-ec", line], env=environment)
