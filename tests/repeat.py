#!/usr/bin/env python3
"""Runs one test many times while compilers keep every processor busy; for tests that fail once in fifty runs.

usage: repeat.py BUILD --has NAME[:PATTERN]      exit 0 if the build has the test
       repeat.py BUILD TIMES NAME[:PATTERN]      exit 1 at the first failure, with its output in BUILD/repeat.log

NAME is ctest's, such as e2e/kube. PATTERN chooses single tests of a program: -k of Python's unittest, a filter of GoogleTest.
A run in which every test was skipped is a failure: it shows nothing.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

# Most of a compilation is of headers like these.
SOURCE = "#include <regex>\n#include <map>\n#include <algorithm>\nstd::regex of(const char* text) { return std::regex(text); }\n"


def find(build, name):
    """The command and the properties of one test; None if the build has none of that name."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    for test in json.loads(listed.stdout)["tests"]:
        if test["name"] == name:
            return test.get("command", []), {one["name"]: one["value"] for one in test.get("properties", [])}
    return None


def with_pattern(command, pattern):
    if not pattern:
        return command
    return [*command, "-k", pattern] if any(word.endswith(".py") for word in command) else [*command, "--gtest_filter=" + pattern]


class Load:
    """One compiler after the other on each processor, as in a build."""

    def __enter__(self):
        self.ended = False
        self.threads = [threading.Thread(target=self.compile) for _ in range(os.cpu_count())]
        for thread in self.threads:
            thread.start()

    def compile(self):
        while not self.ended:
            subprocess.run(["c++", "-std=c++20", "-O1", "-x", "c++", "-c", "-o", os.devnull, "-"], input=SOURCE, text=True, check=False)

    def __exit__(self, *_):
        self.ended = True
        for thread in self.threads:
            thread.join()


def nothing_ran(code, said, properties):
    ran, skipped = re.search(r"(?m)^Ran (\d+) tests?", said), re.search(r"(?m)^OK \(skipped=(\d+)\)", said)
    return (str(code) == str(properties.get("SKIP_RETURN_CODE")) or any(re.search(one, said) for one in properties.get("SKIP_REGULAR_EXPRESSION", []))
            or re.search(r"(?m)^\[  PASSED  \] 0 tests", said) or ran and ran[1] in ("0", skipped and skipped[1]))


def run_once(command, properties, build, log):
    """The exit code; a text where there is none."""
    limit = float(properties.get("TIMEOUT", 1500)) * 2  # ctest's own limit is for a machine that does nothing else
    environment = dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
    with open(log, "wb") as out:
        test = subprocess.Popen(command, cwd=properties.get("WORKING_DIRECTORY", build), env={**os.environ, **environment},
                                stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            return test.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(test.pid, signal.SIGKILL)
            test.wait()
            return f"none after {limit:.0f} s"


def repeat(command, properties, build, times, wanted):
    log = pathlib.Path(build) / "repeat.log"
    seconds = []
    for run in range(1, times + 1):
        began = time.monotonic()
        code = run_once(command, properties, build, log)
        seconds.append(time.monotonic() - began)
        said = log.read_text(errors="replace")
        if nothing_ran(code, said, properties):
            print(f"{wanted}: nothing ran; {log} says why")
            return 1
        if code != 0:
            print(f"{wanted}: run {run} of {times} failed (exit {code}); the end of its output, all of it is in {log}:")
            print("\n".join(said.splitlines()[-60:]))
            return 1
        print(f"{wanted}: {run} of {times} passed, {seconds[-1]:.1f} s, load {os.getloadavg()[0]:.1f}", flush=True)
    print(f"{wanted}: passed {times} times, {min(seconds):.1f} to {max(seconds):.1f} s each")
    return 0


def main(build, times, wanted):
    name, _, pattern = wanted.partition(":")
    found = find(build, name)
    if times == "--has":
        return found is None
    if not found:
        print(f"repeat.py: {build} has no test {name}; ctest --test-dir {build} -N lists them", file=sys.stderr)
        return 10
    command, properties = found
    if not command:
        print(f"repeat.py: the program of {name} is not built", file=sys.stderr)
        return 10
    needs_wine = "wine" in properties.get("FIXTURES_REQUIRED", [])
    if needs_wine:
        subprocess.run(["scripts/wine", "--fresh"], check=True)
    try:
        with Load():
            return repeat(with_pattern(command, pattern), properties, build, int(times), wanted)
    finally:
        if needs_wine:
            subprocess.run(["scripts/wine", "--end"], check=False)


if len(sys.argv) != 4:
    print(__doc__.strip(), file=sys.stderr)
    sys.exit(10)
sys.exit(main(*sys.argv[1:]))
