"""Runs tally-run, plainly or under compute-sanitizer."""

import concurrent.futures
import shutil
import subprocess
import sys

# What compute-sanitizer ends with where it found something.
SANITIZER_STATUS = 99


def add_arguments(parser):
    parser.add_argument("--tally-run", default="tally-run", metavar="PATH")
    parser.add_argument("--compare", action="store_true",
                        help="with what the reference interpreter says, too")
    parser.add_argument("--jobs", type=int, default=2, metavar="N",
                        help="processes at a time")
    parser.add_argument("--sanitizer", choices=("memcheck", "racecheck", "initcheck", "synccheck"),
                        help="run under this tool of compute-sanitizer")
    parser.add_argument("--timeout", type=float, default=600, metavar="SECONDS",
                        help="for one program")


def find_tools(options):
    """The start of a command line; ends the process where a tool is missing."""
    names = [options.tally_run] + (["compute-sanitizer"] if options.sanitizer else [])
    for name in names:
        if not shutil.which(name):
            sys.exit(f"'{name}' is not there")
    sanitizer = ["compute-sanitizer", "--tool", options.sanitizer, "--require-cuda-init", "no",
                 "--error-exitcode", str(SANITIZER_STATUS)] if options.sanitizer else []
    return [*sanitizer, options.tally_run, *(["--compare"] if options.compare else [])]


def run(command, timeout, environment=None):
    """Exit status, lines of output and lines of errors; status None is a timeout."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              timeout=timeout, env=environment)
    except subprocess.TimeoutExpired:
        return None, [], []
    return done.returncode, done.stdout.splitlines(), done.stderr.splitlines()


def first_reason(status, output, errors, timeout):
    """Why a run of --cases is no success, in one line; None where it is one."""
    if status == 0:
        return None if any(line.startswith("PASS ") for line in output) else "no case was run"
    if status is None:
        return f"no end after {timeout:g} seconds"
    failed = [line for line in output if line.startswith("FAIL ")]
    if status == SANITIZER_STATUS:
        # Its lines begin with =========; the first is its name.
        failed += [line for line in output + errors if line.startswith("========= ")
                   and "COMPUTE-SANITIZER" not in line]
    lines = failed + [line for line in errors if line.strip()]
    if status < 0:
        return f"ended by signal {-status}" + (f": {lines[-1]}" if lines else "")
    return lines[0] if lines else f"exit status {status}"


def check_all(names, check, jobs):
    """Calls check(name), which returns a reason or None, for each name, a few at a
    time, prints a line for each, and returns how many failed."""
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for name, reason in zip(names, pool.map(check, names)):
            print(f"FAIL {name}: {reason}" if reason else f"PASS {name}", flush=True)
            failed += reason is not None
    print(f"{len(names) - failed} passed, {failed} failed")
    return failed
