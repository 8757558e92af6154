"""Runs the commands of a page and looks for what it shows.

A line that is indented by four spaces and starts with tally-opt or tally-prove
is a command; the code blocks after it, up to the next command, are shown of its
output, in any order of blocks. Blanks and line ends mean nothing, `...` leaves
something out, and a value may have another name in the output, but the same one
in a whole block. Blocks of questions and of text are for ask_questions.py.
"""

import pathlib
import re
import subprocess
import sys


def read_page(text):
    """Pairs of a command and the blocks that follow it, with their lines."""
    sections, block, start, is_output = [], None, 0, False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if block is None:
                block, start = [], number
                is_output = not line.startswith(("```tally-prove", "```cpp", "```text"))
            else:
                if is_output:
                    sections[-1][1].append((start, "\n".join(block)))
                block = None
        elif block is not None:
            block.append(line)
        elif line.startswith(("    tally-opt ", "    tally-prove ")):
            sections.append((line.strip(), []))
    return sections


def to_pattern(piece, names):
    """A regular expression for a piece of a block; names that are not known yet
    become groups."""
    groups, pattern = {}, ""
    for token in re.findall(r"%\w+|\s+|[^%\s]+|%", piece.strip()):
        if token.isspace():
            pattern += r"\s+"
        elif not re.fullmatch(r"%\w+", token):
            pattern += re.escape(token)
        elif token in names:
            pattern += re.escape(names[token]) + r"(?!\w)"
        elif token in groups:
            pattern += f"(?P={groups[token]})" + r"(?!\w)"
        else:
            groups[token] = f"g{len(groups)}"
            pattern += rf"(?P<{groups[token]}>%\w+)"
    return re.compile(pattern), groups


def find_missing(block, output):
    """The first piece of a block that is not in the output, or nothing."""
    names, position = {}, 0
    for piece in block.split("..."):
        if not piece.strip():
            continue
        pattern, groups = to_pattern(piece, names)
        match = pattern.search(output, position)
        if not match:
            return piece.strip()
        position = match.end()
        names.update((name, match[group]) for name, group in groups.items())
    return None


def main():
    page = pathlib.Path(sys.argv[1])
    count = failures = 0
    for command, blocks in read_page(page.read_text()):
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=page.parent,
                              capture_output=True, text=True)
        if done.returncode:
            failures += 1
            print(f"{command}: {done.stderr}", file=sys.stderr)
            continue
        # Attributes are printed with two blanks in places.
        output = re.sub(r"\s+", " ", done.stdout)
        for line, block in blocks:
            count += 1
            missing = find_missing(block, output)
            if missing:
                failures += 1
                print(f"{page}:{line}: not in the output of {command}:\n{missing}",
                      file=sys.stderr)
    print(f"{count} blocks, {failures} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
