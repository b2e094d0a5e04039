#!/usr/bin/env python3
"""Runs a test suite built with CMocka and its twin built with the shim in every format, and compares what they print and return.

Both outputs are equal but for what differs between two runs of one program (times, addresses) and two deliberate differences:
  - CMocka 1.1.5 prints "%s" where the name of a mock belongs; the shim prints the name.
  - when only a group's teardown failed CMocka exits with 0; the shim counts each such group.
Standard output and standard error are compared separately, and so are the files that CMOCKA_XML_FILE names.
"""
import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PARTS = ["results", "assertions", "mocks", "state", "several", "group-setup", "group-teardown"]
FORMATS = ["tap", "subunit", "xml", "TAP", "Xml"]
# Part -> exit codes (CMocka's, the shim's) that differ on purpose.
EXITS = {"group-teardown": (0, 2)}


def normalise(text):
    text = re.sub(r'time="[0-9.]+"', 'time="T"', text)
    text = re.sub(r"\S*/twin\.c:", "twin.c:", text)
    text = re.sub(r"0x[0-9a-f]{7,}\b(?<!0xffffffffffffffff)", "ADDRESS", text)
    text = re.sub(r"(%s|\w+)(\(\) has remaining non-returned values)", r"NAME\2", text)
    text = re.sub(r"'(%s|\w+)'( parameter still has values)", r"'NAME'\2", text)
    text = re.sub(r"(%s|\w+)( function was expected to be called)", r"NAME\2", text)
    return text


def run(program, part, environment):
    with tempfile.TemporaryDirectory() as folder:
        full = {k: v for k, v in os.environ.items() if not k.startswith(("CMOCKA_", "GTEST_"))} | environment
        (pathlib.Path(folder) / "there-before.xml").write_text("mine\n")
        done = subprocess.run([program.resolve(), part], cwd=folder, env=full, capture_output=True, text=True, timeout=60)
        files = {p.name: normalise(p.read_text()) for p in sorted(pathlib.Path(folder).iterdir())}
    return {"exit": done.returncode, "stdout": normalise(done.stdout), "stderr": normalise(done.stderr), "files": files}


def compare(real, shim, label, part):
    faults = []
    if (real["exit"], shim["exit"]) != EXITS.get(part, (real["exit"], real["exit"])):
        faults.append(f"exit code {real['exit']} and {shim['exit']}")
    texts = [(name, real[name], shim[name]) for name in ("stdout", "stderr")]
    for name in sorted(real["files"].keys() | shim["files"].keys()):
        texts.append((name, real["files"].get(name, "(absent)"), shim["files"].get(name, "(absent)")))
    for name, a, b in texts:
        if a != b:
            faults += difflib.unified_diff(a.splitlines(), b.splitlines(), f"cmocka {name}", f"shim {name}", lineterm="")
    for fault in faults:
        print(f"{label}: {fault}")
    return not faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--real", required=True, type=pathlib.Path)
    parser.add_argument("--shim", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    cases = [(part, {"CMOCKA_MESSAGE_OUTPUT": f}) for part in PARTS for f in FORMATS]
    for name in ("one.xml", "of-%g.xml", "%g/%g.xml", "there-before.xml", ""):
        cases += [(part, {"CMOCKA_MESSAGE_OUTPUT": "xml", "CMOCKA_XML_FILE": name}) for part in ("several", "results")]
    good = 0
    for part, environment in cases:
        label = " ".join([f"{k}={v}" for k, v in environment.items()] + [part])
        real = run(arguments.real, part, environment)
        if not (real["stdout"] or real["stderr"] or len(real["files"]) > 1):
            print(f"{label}: CMocka printed nothing, so nothing was compared")
            continue
        good += compare(real, run(arguments.shim, part, environment), label, part)
    print(f"{good} of {len(cases)} runs are equal")
    return 0 if good == len(cases) else 1


if __name__ == "__main__":
    sys.exit(main())
