#!/usr/bin/env python3
"""Counts the instructions of extract, bake and apply with callgrind: numbers that other work on the machine does not change.

usage: instructions.py PROVISIONER WORK_FOLDER     (scripts/bench --instructions builds and runs it)

Prints a Markdown table with the command of each row, to be compared with that of another commit built the same way."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SAMPLE = HERE.parent / "sample/rendered-worker.json"
CALLGRIND = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
ENVIRONMENT = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "SOURCE_DATE_EPOCH": "1700000000", "TZ": "UTC0", "LC_ALL": "C"}


def run(words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, env=ENVIRONMENT)


def must(words):
    result = run(words)
    if result.returncode != 0:
        sys.exit("%s\nexit %d\n%s" % (shlex.join(map(str, words)), result.returncode, result.stderr))
    return result


def instructions(words):
    result = must([*CALLGRIND, *words])
    found = re.search(r"Collected : (\d+)", result.stderr)
    if not found:
        sys.exit("callgrind gave no count:\n" + result.stderr)
    return int(found.group(1))


def make_image(program, folder):
    """A Windows whose hives are those that bake writes: small, and made without other tools."""
    baked = folder.parent / "baked"
    must([program, "bake", SAMPLE, "--out", baked, "--scope", "winhttp"])
    config = folder / "Windows/System32/config"
    config.mkdir(parents=True)
    for hive in ("SYSTEM", "SOFTWARE"):
        shutil.copy(baked / "registry" / (hive + ".hiv"), config / hive)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    if not shutil.which("valgrind"):
        sys.exit("NOT RUN: valgrind is not installed (Debian package valgrind)")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    image = work / "image"
    make_image(program, image)
    services = ["--service", "containerd", "--service", "kubelet"]
    apply = ["apply", SAMPLE, "--root", image, "--install", *services]
    rows = [("extract", ["extract", SAMPLE]),
            ("bake, a folder", ["bake", SAMPLE, "--out", work / "payload", *services]),
            ("bake, a drive", ["bake", SAMPLE, "--out", work / "drive.iso", "--format", "iso", *services]),
            ("apply, an image", apply),
            ("apply, the same again", apply)]
    names = {str(program): "provisioner", str(work): "work", str(HERE.parents[1]) + "/": ""}
    print("`%s`, environment `%s`:\n" % (shlex.join(CALLGRIND), " ".join("%s=%s" % i for i in ENVIRONMENT.items() if i[0] != "PATH")))
    print("| what | instructions | command |\n|---|---|---|")
    for what, words in rows:
        count = instructions([program, *words])
        shown = shlex.join(map(str, [program, *words]))
        for place, name in names.items():
            shown = shown.replace(place, name)
        print("| %s | %s | `%s` |" % (what, format(count, ","), shown), flush=True)


if __name__ == "__main__":
    main()
