"""Runs single tests of a lit suite, each in a process of its own, with other variables.

lit is used as a library: the suite is found once, and each test is run as lit does.
"""

import os
import pickle
import re
import resource
import select
import signal
import sys
import time
from dataclasses import dataclass


@dataclass
class Result:
    """What a test said: "passed" is as expected, "not run" is as unsupported."""

    test: str
    state: str
    seconds: float
    output: str


class Suite:
    def __init__(self, lit, folder):
        sys.path.insert(0, lit)
        import lit.discovery
        import lit.LitConfig
        import lit.util
        import lit.worker

        # Programs of unit tests fall into the same parts on every machine.
        lit.util.usable_core_count = lambda: 16
        self.worker = lit.worker
        self.config = lit.LitConfig.LitConfig(
            progname="mutate", path=[], diagnostic_level="error", useValgrind=False, valgrindLeakCheck=False,
            valgrindArgs=[], noExecute=False, debug=False, isWindows=False, order="lexical", params={})  # fmt: skip
        found = lit.discovery.find_tests_for_inputs(self.config, [folder])
        self.tests = {test.getFullName(): test for test in found}

    def keep_apart(self, label):
        """Lets what tests write lie in a folder of its own, for a process beside which
        others run the same tests."""
        for suite in {id(test.suite): test.suite for test in self.tests.values()}.values():
            suite.exec_root = os.path.join(suite.exec_root, "beside", label)
        for test in self.tests.values():
            if test.gtest_json_file:
                test.gtest_json_file += "." + label

    def read(self, name):
        """The text of a test, and of the files beside it that it names; none of one that is a
        program."""
        path, texts = self.tests[name].getSourcePath(), [""]
        try:
            texts.append(open(path, errors="replace").read())
            for file in set(re.findall(r"%S/([\w./-]+)", texts[1])):
                texts.append(open(os.path.join(os.path.dirname(path), file), errors="replace").read())
        except OSError:
            pass
        return "\n".join(texts) if path.endswith((".mlir", ".test", ".py", ".prove")) else ""

    def execute(self, name, variables, seconds):
        """In the child: runs one test and returns its result."""
        test = self.tests[name]
        test.config.environment.update(variables)
        # A loop without end is over after so much time of a process.
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        result = self.worker._execute(test, self.config)
        state = "failed" if result.code.isFailure else "passed"
        if result.code.name in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
            state = "not run"
        return Result(name, state, result.elapsed, result.output)

    def start(self, name, variables, seconds):
        reader, writer = os.pipe()
        process = os.fork()
        if process == 0:
            os.setsid()
            # Whatever happens, the child does not go on with what its parent does.
            try:
                os.close(reader)
                with os.fdopen(writer, "wb") as pipe:
                    pickle.dump(self.execute(name, variables, seconds), pipe)
            finally:
                os._exit(0)
        os.close(writer)
        # Others may use the machine as well.
        return Running(name, process, reader, time.monotonic() + 5 * seconds + 60)

    def run(self, names, variables, jobs=1, seconds=lambda name: 600):
        """Yields the result of each test as it ends. What still runs when the caller has
        seen enough is ended. `variables` and `seconds`: of the environment and of a
        process, by a test's name."""
        waiting, running = list(names), {}
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    name = waiting.pop(0)
                    test = self.start(name, variables(name), seconds(name))
                    running[test.reader] = test
                ready, _, _ = select.select(list(running), [], [], 1)
                for reader in ready:
                    yield running.pop(reader).finish()
                for test in [test for test in running.values() if time.monotonic() > test.deadline]:
                    test.end()
        finally:
            for test in running.values():
                test.end()
                test.finish()


@dataclass
class Running:
    """A test that runs, in a group of processes of its own."""

    name: str
    process: int
    reader: int
    deadline: float

    def finish(self):
        with os.fdopen(self.reader, "rb") as pipe:
            content = pipe.read()
        os.waitpid(self.process, 0)
        return pickle.loads(content) if content else Result(self.name, "failed", 0, "the test does not end")

    def end(self):
        try:
            os.killpg(self.process, signal.SIGKILL)
        except ProcessLookupError:
            pass
