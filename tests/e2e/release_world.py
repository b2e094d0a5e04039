"""The packages of a release that its tests look at: those that scripts/release made, or those that scripts/pack makes of a build."""
import functools
import glob
import hashlib
import os
import pathlib
import re
import shutil
import sys
import tarfile
import tempfile

import program_file
from harness import ROOT, must

PACK = ROOT / "scripts/pack"
EPOCH = 1_700_000_001  # an odd second: a zip has even ones
# Of the test's command line: PROVISIONER BUILD_FOLDER, or --packages FOLDER for those that scripts/release made.
FINISHED = os.path.abspath(sys.argv[2]) if sys.argv[1] == "--packages" else None
PROVISIONER, BUILD = (None, None) if FINISHED else map(os.path.abspath, sys.argv[1:3])
del sys.argv[1:3]
VERSION = re.search(r"(?m)^project\(provisioner VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
SCRATCH = tempfile.TemporaryDirectory()


def read(*parts):
    with open(os.path.join(*parts), "rb") as file:
        return file.read()


def staged(name, small=False):
    """What scripts/release gets by installing the build, and a folder with a program that looks like Windows'. `small`: with
    another program, since compressing ours takes a while."""
    linux = os.path.join(SCRATCH.name, name, "linux")
    for component in ("program", "documentation", "library", "development"):
        must("cmake", "--install", BUILD, "--prefix", os.path.join(linux, "usr"), "--component", component)
    if small:
        shutil.copy(shutil.which("true"), os.path.join(linux, "usr", "bin", "provisioner"))
    windows = os.path.join(SCRATCH.name, name, "windows")
    os.makedirs(windows)
    exe = program_file.make_program(b"\0" * 4096, version=VERSION)
    for file, data in (("provisioner.exe", exe), ("licenses.txt", b"licences\n"),
                       ("provisioner.spdx.json", b'{"checksumValue": "%s"}\n' % hashlib.sha256(exe).hexdigest().encode())):
        pathlib.Path(windows, file).write_bytes(data)
    return linux, windows


def pack(stage, out, *more, **options):
    linux, windows = stage
    must(PACK, "--version", VERSION, "--epoch", str(EPOCH), "--linux", linux, "--windows", windows, "--out", out, *more, **options)
    return out


@functools.cache
def packages():
    return FINISHED or pack(staged("stage"), os.path.join(SCRATCH.name, "packages"))


@functools.cache
def small():
    """The stage, and the packages made of it."""
    stage = staged("small", small=True)
    return stage, pack(stage, os.path.join(SCRATCH.name, "small-packages"))


def package(pattern):
    found = glob.glob(os.path.join(packages(), pattern))
    assert len(found) == 1, (pattern, os.listdir(packages()))
    return found[0]


@functools.cache
def tarball():
    """{path without the first folder: (entry, contents)} of the archive."""
    with tarfile.open(package("*-linux-x86_64.tar.gz")) as archive:
        return {entry.name.partition("/")[2]: (entry, archive.extractfile(entry).read() if entry.isfile() else b"") for entry in archive.getmembers()}
