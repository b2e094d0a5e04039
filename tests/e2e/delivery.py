"""What the tests of payloads, archives, drives and fleets share. The program is the first argument of the test."""
import os
import unittest

from harness import SAMPLE, SERVICES, argument, folder, must, run

PROVISIONER = argument()
EPOCH = 1700000000
SECRET = {"egress.json", "registry/SYSTEM.hiv", "registry/egress.reg"}
UNATTEND = "{urn:schemas-microsoft-com:unattend}"
NODES = ("name,address,gateway,dns,mac\n"
         "win-1,10.0.0.5/24,10.0.0.1,\"10.0.0.2,10.0.0.3\",00-15-5D-00-00-01\n"
         "WIN-2,,,,\n"
         "win-3,2001:db8::7/64,fe80::1,2001:db8::53,\n")


def bake(out, *options, environment=None, source=SAMPLE, services=SERVICES, **kwargs):
    env = {k: v for k, v in os.environ.items() if k != "TZ"}
    return run(PROVISIONER, "bake", source, "--out", out, *services, *options, env={**env, "SOURCE_DATE_EPOCH": str(EPOCH), **(environment or {})}, **kwargs)


def files_of(place):
    return {str(p.relative_to(place)): p.read_bytes() for p in sorted(place.rglob("*")) if p.is_file()}


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.work = folder(self)

    def baked(self, name, *options, **kwargs):
        out = self.work / name
        result = bake(out, *options, **kwargs)
        self.assertEqual(result.returncode, 0, result.stderr)
        return out

    def extracted(self, archive, *command):
        out = self.work / ("from-" + command[0] + "-" + archive.name)
        out.mkdir()
        must(*command, cwd=out)
        return out

    def nodes(self, text=NODES, name="nodes.csv"):
        path = self.work / name
        path.write_text(text)
        return path
