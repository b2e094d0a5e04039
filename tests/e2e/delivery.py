"""What the tests of payloads, archives, drives and fleets share. The program is the first argument of the test."""
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

PROVISIONER = os.path.abspath(sys.argv.pop(1))
TESTS = pathlib.Path(__file__).resolve().parents[1]
SAMPLE = TESTS / "sample/rendered-worker.json"
SERVICES = ["--service", "containerd", "--service", "kubelet"]
EPOCH = 1700000000
SECRET = {"egress.json", "registry/SYSTEM.hiv", "registry/egress.reg"}
UNATTEND = "{urn:schemas-microsoft-com:unattend}"
NODES = ("name,address,gateway,dns,mac\n"
         "win-1,10.0.0.5/24,10.0.0.1,\"10.0.0.2,10.0.0.3\",00-15-5D-00-00-01\n"
         "WIN-2,,,,\n"
         "win-3,2001:db8::7/64,fe80::1,2001:db8::53,\n")


def bake(out, *options, environment=None, source=SAMPLE, **kwargs):
    env = {k: v for k, v in os.environ.items() if k not in ("SOURCE_DATE_EPOCH", "TZ")}
    env["SOURCE_DATE_EPOCH"] = str(EPOCH)
    env.update(environment or {})
    return subprocess.run([PROVISIONER, "bake", str(source), "--out", str(out), *SERVICES, *map(str, options)],
                          capture_output=True, text=True, env=env, **kwargs)


def files_of(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def need(case, tool, package):
    if not shutil.which(tool):
        print("NOT RUN: %s: %s is missing (Debian package %s)" % (case.id(), tool, package))
        case.skipTest("%s is missing" % tool)


def run(*words, **kwargs):
    return subprocess.run([str(w) for w in words], capture_output=True, check=True, **kwargs).stdout


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="provisioner-delivery-"))
        self.addCleanup(shutil.rmtree, self.work)

    def baked(self, name, *options, **kwargs):
        out = self.work / name
        result = bake(out, *options, **kwargs)
        self.assertEqual(result.returncode, 0, result.stderr)
        return out

    def extracted(self, archive, *command):
        folder = self.work / ("from-" + command[0] + "-" + archive.name)
        folder.mkdir()
        run(*command, cwd=folder)
        return folder

    def nodes(self, text=NODES, name="nodes.csv"):
        path = self.work / name
        path.write_text(text)
        return path
