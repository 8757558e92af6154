"""Asks tally-prove the questions of a file and compares its answers.

  check_answers.py [--unmark] TOOL FILE

Each question (`prove`, `equal`) ends in a comment with the true answer:

  prove 2 * (n floordiv 2) <= n  // yes
  prove n * n mod 8 <= 4         // yes, not decided

`not decided` marks an answer that is true but that is not found; `unknown` is
accepted there. Once it is found the test fails, so that the mark goes;
--unmark removes the marks of such questions.
"""

import argparse
import re
import subprocess
import sys

QUESTION = re.compile(r"\s*(prove|equal)\s")
EXPECTED = re.compile(r"//\s*(yes|no|unknown|contradiction)(, not decided)?\s*$")


def read_questions(path):
    """(line number, text, answer, whether it is marked) of each question."""
    questions = []
    with open(path) as file:
        for number, line in enumerate(file, 1):
            if not QUESTION.match(line):
                continue
            expected = EXPECTED.search(line)
            if not expected:
                raise SystemExit(f"{path}:{number}: no expected answer")
            text = line[: expected.start()].strip()
            questions.append((number, text, expected[1], bool(expected[2])))
    if not questions:
        raise SystemExit(f"{path}: no questions")
    return questions


def judge(answer, expected, is_marked):
    """What is wrong with an answer; nothing if it is as expected."""
    if answer == expected:
        return "is decided now: remove the mark" if is_marked else None
    # Anything follows from what cannot be.
    is_overlooked = expected == "contradiction" and answer in ("yes", "no")
    if answer == "unknown" or is_overlooked:
        return None if is_marked else f"{answer}; it is {expected}, not decided"
    return f"WRONG: answered {answer}, it is {expected}"


def unmark(path, numbers):
    with open(path) as file:
        lines = file.readlines()
    for number in numbers:
        lines[number - 1] = lines[number - 1].replace(", not decided", "")
    with open(path, "w") as file:
        file.writelines(lines)


def ask(tool, path, count):
    run = subprocess.run([tool, path], capture_output=True, text=True)
    sys.stderr.write(run.stderr)
    answers = run.stdout.splitlines()
    if run.returncode != 0 or len(answers) != count:
        raise SystemExit(
            f"{path}: {count} questions, {len(answers)} answers, "
            f"exit status {run.returncode}"
        )
    return answers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--unmark", action="store_true")
    parser.add_argument("tool")
    parser.add_argument("file")
    options = parser.parse_args()
    questions = read_questions(options.file)
    answers = ask(options.tool, options.file, len(questions))
    decided, failures = [], 0
    for (number, text, expected, is_marked), answer in zip(questions, answers):
        if is_marked and answer == expected and options.unmark:
            decided.append(number)
            continue
        problem = judge(answer, expected, is_marked)
        if problem:
            failures += 1
            print(f"{options.file}:{number}: {text}: {problem}")
    unmark(options.file, decided)
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
