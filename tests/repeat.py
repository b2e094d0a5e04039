#!/usr/bin/env python3
"""Runs one test many times while compilers keep every processor busy; for tests that fail once in fifty runs.

usage: repeat.py BUILD --has NAME[:PATTERN]      exit 0 if the build has the test
       repeat.py BUILD TIMES NAME[:PATTERN]      exit 1 at the first failure, with its output in BUILD/repeat.log

NAME is ctest's, such as e2e/kube. PATTERN chooses single tests of a program: -k of Python's unittest, a filter of GoogleTest.
"""
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

SKIPPED = 77
# Most of a compilation is of headers like these.
SOURCE = "#include <regex>\n#include <map>\n#include <algorithm>\nstd::regex of(const char* text) { return std::regex(text); }\n"


def find(build, name):
    """The command and the properties of one test; None if the build has none of that name."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    for test in json.loads(listed.stdout)["tests"]:
        if test["name"] == name and "command" in test:
            return test["command"], {one["name"]: one["value"] for one in test.get("properties", [])}
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
            subprocess.run(["c++", "-std=c++20", "-O1", "-x", "c++", "-c", "-o", os.devnull, "-"], input=SOURCE, text=True, check=True)

    def __exit__(self, *_):
        self.ended = True
        for thread in self.threads:
            thread.join()


def main(build, times, wanted):
    name, _, pattern = wanted.partition(":")
    found = find(build, name)
    if times == "--has":
        return found is None
    if not found:
        print(f"repeat.py: {build} has no test {name}; ctest --test-dir {build} -N lists them", file=sys.stderr)
        return 10
    command, properties = found
    command = with_pattern(command, pattern)
    limit = float(properties.get("TIMEOUT", 1500)) * 2  # ctest's own limit is for a machine that does nothing else
    log = pathlib.Path(build) / "repeat.log"
    seconds = []
    if "wine" in properties.get("FIXTURES_REQUIRED", []):
        subprocess.run(["scripts/wine", "--fresh"], check=True)
    with Load():
        for run in range(1, int(times) + 1):
            began = time.monotonic()
            with open(log, "wb") as out:
                try:
                    code = subprocess.run(command, cwd=properties.get("WORKING_DIRECTORY", build), stdin=subprocess.DEVNULL,
                                          stdout=out, stderr=subprocess.STDOUT, timeout=limit, check=False).returncode
                except subprocess.TimeoutExpired:
                    code = f"none after {limit:.0f} s"
            seconds.append(time.monotonic() - began)
            said = log.read_text(errors="replace")
            if code == SKIPPED or code == 0 and ("Ran 0 tests" in said or "Running 0 tests" in said):
                print(f"{wanted}: nothing ran; see {log}")
                return 1
            if code != 0:
                print(f"{wanted}: run {run} of {times} failed (exit {code}); the end of its output, all of it is in {log}:")
                print("\n".join(said.splitlines()[-60:]))
                return 1
            print(f"{wanted}: {run} of {times} passed, {seconds[-1]:.1f} s, load {os.getloadavg()[0]:.1f}", flush=True)
    print(f"{wanted}: passed {times} times, {min(seconds):.1f} to {max(seconds):.1f} s each")
    return 0


if len(sys.argv) != 4:
    print(__doc__.strip(), file=sys.stderr)
    sys.exit(10)
sys.exit(main(*sys.argv[1:]))
