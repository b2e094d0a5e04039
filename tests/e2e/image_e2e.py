#!/usr/bin/env python3
"""Applies settings to images, folders and WIM files, and reads them back with tools that are not ours.

usage: image_e2e.py PROVISIONER"""
import json
import os
import re
import shutil
import subprocess
import unittest

import output_schemas
import windows_image
from harness import SAMPLE, SERVICES, argument, digests, end_unrun, folder, missing, must, run, which
from measure import Moments
from program_file import make_program
from rendered import ignition, mirrors, variables
from windows_image import CONFIG

PROVISIONER = argument()
PASSWORD = "S3cret%40%23%25%26%27p"  # of the sample's proxy


def report(*arguments, exit=0):
    result = run(PROVISIONER, *arguments, "--output", "json")
    assert result.returncode == exit, "%s\nexit %s\n%s%s" % (" ".join(map(str, arguments)), result.returncode, result.stdout, result.stderr)
    return output_schemas.check("status" if arguments[0] == "status" else "report", json.loads(result.stdout))


def export(hive):
    """The whole hive as hivexregedit reads it: path to the set of its lines."""
    keys, at = {}, None
    for line in must("hivexregedit", "--export", hive, "\\", errors="replace").replace("\\\n", "").splitlines():
        if line.startswith("["):
            at = keys.setdefault(line[1:-1].lstrip("\\"), set())
        elif line and at is not None:
            at.add(re.sub(r",\s+", ",", line))
    return keys


def changed(before, after):
    return {k for k in before.keys() | after.keys() if before.get(k) != after.get(k)}


def system_keys(count):
    environment = ['"Path"=hex(2):25,00,53,00,79,00,73,00,00,00', '"NUMBER_OF_PROCESSORS"=str(1):"2"']
    keys = {"Setup": ['"SystemSetupInProgress"=dword:00000000'], **windows_image.SELECT}
    for name in ("ControlSet001", "ControlSet002"):
        keys.update(windows_image.control_set(name, environment))
        keys.update({"%s\\Services\\driver%05d" % (name, number): ['"Start"=dword:00000003', '"Type"=dword:00000001'] for number in range(count)})
    return keys


def software_keys(count):
    keys = {**windows_image.software(), "Microsoft\\Cryptography": (), "Microsoft\\Windows NT": (), "Classes": (), "Classes\\CLSID": (),
            "Microsoft\\Windows NT\\CurrentVersion": ['"SystemRoot"=str(1):"C:\\\\Windows"']}
    for number in range(count):
        keys["Classes\\CLSID\\{%08d-0000-0000-0000-000000000000}" % number] = ['@=str(1):"class %d"' % number, '"x"=hex:01,02,03']
    return keys


class Image(unittest.TestCase):
    """A synthetic Windows whose hives were written by hivexregedit."""
    count = 1500

    @classmethod
    def setUpClass(cls):
        if lacking := missing("hivexregedit"):
            end_unrun("missing: " + lacking)
        cls.work = folder(cls)
        cls.template = windows_image.make(PROVISIONER, cls.work / "template", system_keys(cls.count), software_keys(cls.count))
        for name in ("SYSTEM", "SOFTWARE"):
            os.chmod(cls.template / CONFIG / name, 0o640)
            (cls.template / CONFIG / (name + ".LOG1")).write_bytes(b"")
        (cls.template / "Windows/Setup/Scripts/SetupComplete.cmd").write_bytes(b"@echo off\r\necho own\r\n")
        (cls.template / "Windows/Panther/unattend.xml").write_bytes(
            '<?xml version="1.0" encoding="utf-8"?>\r\n<unattend xmlns="urn:schemas-microsoft-com:unattend">\r\n'
            '  <!-- ours -->\r\n  <settings pass="specialize">\r\n  </settings>\r\n</unattend>\r\n'.encode("utf-8-sig"))
        cls.exe = cls.work / "provisioner.exe"
        cls.exe.write_bytes(make_program(os.urandom(100000)))

    def setUp(self):
        self.root = self.work / self.id().rsplit(".", 1)[1]
        shutil.copytree(self.template, self.root, symlinks=True)

    def hive(self, name):
        return self.root / CONFIG / name

    def apply(self, *more, exit=0):
        return report("apply", SAMPLE, "--root", self.root, *SERVICES, "--install", "--exe", self.exe, *more, exit=exit)

    def test_only_our_keys_differ_and_a_second_run_writes_nothing(self):
        before = {n: export(self.hive(n)) for n in ("SYSTEM", "SOFTWARE")}
        stat = self.hive("SYSTEM").stat()
        planned = report("plan", SAMPLE, "--root", self.root, *SERVICES, "--install", "--exe", self.exe, exit=4)
        applied = self.apply()
        self.assertEqual(planned["writes"], applied["writes"])
        self.assertFalse(applied["rebootRequired"])
        self.assertEqual(applied["target"], "image %s" % self.root)
        system = changed(before["SYSTEM"], export(self.hive("SYSTEM")))
        self.assertEqual(system, {
            "ControlSet001\\Control\\Session Manager\\Environment", "ControlSet001\\Services\\containerd",
            "ControlSet001\\Services\\Provisioner", "ControlSet001\\Services\\EventLog\\Application\\Provisioner"})
        for key in changed(before["SOFTWARE"], export(self.hive("SOFTWARE"))):
            self.assertRegex(key, r"^Microsoft\\SystemCertificates\\(ROOT|CA)\\Certificates\\[0-9A-F]{40}$|Internet Settings\\Connections$"
                                  r"|^WOW6432Node\\Microsoft\\Windows")
        self.assertEqual((self.hive("SYSTEM").stat().st_mode, self.hive("SYSTEM").stat().st_uid), (stat.st_mode, stat.st_uid))

        once = digests(self.root)
        again = self.apply()
        self.assertEqual(again["writes"], 0)
        self.assertEqual(digests(self.root), once)
        self.assertEqual(report("plan", SAMPLE, "--root", self.root, *SERVICES)["writes"], 0)
        status = report("status", "--root", self.root)
        self.assertEqual((status["drift"], status["openTransaction"]), ([], False))

    def test_remove_all_gives_everything_back(self):
        before = {n: export(self.hive(n)) for n in ("SYSTEM", "SOFTWARE")}
        files = digests(self.root)
        self.apply()
        removed = report("remove", "--all", "--root", self.root)
        self.assertGreater(removed["writes"], 0)
        for name in before:
            self.assertEqual(changed(before[name], export(self.hive(name))), set())
        after = digests(self.root)
        self.assertEqual({p for p in after if not p.startswith(CONFIG)}, {p for p in files if not p.startswith(CONFIG)})
        for path in files:
            if not path.startswith(CONFIG):
                self.assertEqual(after[path], files[path], path)

    def target(self):
        return "--root", self.root

    def files(self):
        """The folder in which the image's files are to be seen now."""
        return self.root

    def mirror(self, mirror):
        """A source with a mirror of quay.io."""
        source = self.work / (self.id() + ".json")
        conf = '[[registry]]\nlocation = "quay.io"\nmirror = [{location = "%s"}]\n' % mirror
        source.write_text(json.dumps(ignition(variables("http://proxy.example.test:3128"), more=mirrors(conf))))
        return source

    def registries(self, source):
        return source, *self.target(), "--scope", "registries", "--registry-folder", "C:\\containerd\\certs.d"

    def test_a_file_of_others_keeps_its_mode_and_comes_back(self):
        path = self.root / "containerd/certs.d/quay.io/hosts.toml"
        path.parent.mkdir(parents=True)
        theirs = '[host."https://theirs.example.test".header]\nAuthorization = "Basic c4nary"\n'
        path.write_text(theirs)
        path.chmod(0o600)
        done = run(PROVISIONER, "apply", *self.registries(self.mirror("one.example.test")), "--output", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("c4nary", done.stdout + done.stderr)
        self.assertIn("one.example.test", path.read_text())
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        report("remove", "--all", "--root", self.root)
        self.assertEqual((path.read_text(), path.stat().st_mode & 0o777), (theirs, 0o600))

    def test_hosts_toml_files_come_and_go(self):
        words = self.registries(self.mirror("one.example.test/quay"))

        def hosts():
            path = self.files() / "containerd/certs.d/quay.io/hosts.toml"
            return path.read_text() if path.exists() else None

        before = {p: d for p, d in digests(self.files()).items() if CONFIG not in p}
        self.assertGreater(report("plan", *words, exit=4)["writes"], 0)
        applied = report("apply", *words)
        self.assertEqual([one["key"] for one in applied["changes"] if one["action"] == "create"], ["file:c:\\containerd\\certs.d\\quay.io\\hosts.toml"])
        self.assertIn("registries-config", [one["code"] for one in applied["findings"]], "the image's containerd has no config.toml")
        self.assertIn('[host."https://one.example.test/v2/quay"]', hosts())
        self.assertEqual(report("apply", *words)["writes"], 0)
        self.mirror("two.example.test")
        self.assertEqual([one["action"] for one in report("apply", *words)["changes"]], ["update"])
        self.assertIn('[host."https://two.example.test"]', hosts())
        self.assertEqual(report("status", *self.target()).get("drift", []), [])
        report("remove", "--all", *self.target())
        self.assertIsNone(hosts())
        self.assertFalse((self.files() / "containerd").exists(), "the folders were made for it")
        self.assertEqual({p: d for p, d in digests(self.files()).items() if CONFIG not in p}, before)

    def test_killed_at_random_moments(self):
        moments = Moments(self.apply)
        wanted = {n: export(self.hive(n)) for n in ("SYSTEM", "SOFTWARE")}
        files = {p for p in digests(self.root) if not p.endswith(".json")}
        for _ in range(30):
            shutil.rmtree(self.root)
            shutil.copytree(self.template, self.root)
            process = subprocess.Popen([PROVISIONER, "apply", SAMPLE, "--root", self.root, *SERVICES, "--install", "--exe", self.exe],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            moments.end(process, process.kill)
            self.apply()
            for name in wanted:
                self.assertEqual(changed(wanted[name], export(self.hive(name))), set())
            self.assertEqual({p for p in digests(self.root) if not p.endswith(".json")}, files)
            status = report("status", "--root", self.root)
            self.assertEqual((status["drift"], status["openTransaction"]), ([], False))
        moments.told(self, 5)


class Wim(Image):
    """The same in an image of a WIM file, beside another image and some thousand files."""
    count = 300

    @classmethod
    def setUpClass(cls):
        if not which("wimlib-imagex"):
            print("SKIPPED: image_e2e.Wim: wimlib-imagex is not installed")
            raise unittest.SkipTest("wimlib-imagex is not installed")
        super().setUpClass()
        bulk = cls.template / "Windows/WinSxS"
        for number in range(3000):
            place = bulk / ("component-%02d" % (number % 50))
            place.mkdir(parents=True, exist_ok=True)
            (place / ("file-%04d.bin" % number)).write_bytes(b"%d\n" % number * 50)
        cls.wim = cls.work / "template.wim"
        for name in ("Core", "Desktop"):
            command = ["append"] if cls.wim.exists() else ["capture", "--check", "--compress=LZX"]
            must("wimlib-imagex", command[0], cls.template, cls.wim, name, *command[1:])

    def setUp(self):
        self.file = self.work / (self.id().rsplit(".", 1)[1] + ".wim")
        shutil.copy(self.wim, self.file)

    def extract(self, index):
        out = self.work / ("extracted-%d" % index)
        shutil.rmtree(out, ignore_errors=True)
        must("wimlib-imagex", "apply", self.file, index, out)
        return out

    test_a_file_of_others_keeps_its_mode_and_comes_back = None  # modes are a folder's

    def target(self):
        return "--wim", "%s:1" % self.file

    def files(self):
        return self.extract(1)

    def apply(self, *more, index="1", exit=0):
        return report("apply", SAMPLE, "--wim", "%s:%s" % (self.file, index), *SERVICES, "--install", "--exe", self.exe, *more, exit=exit)

    def test_one_image_changes_and_nothing_else(self):
        self.apply()
        must("wimlib-imagex", "verify", self.file)
        self.assertIn("Integrity", must("wimlib-imagex", "info", self.file))
        first, second = self.extract(1), self.extract(2)
        self.assertEqual(digests(second), digests(self.template))
        before = export(self.template / CONFIG / "SYSTEM")
        self.assertIn("ControlSet001\\Services\\Provisioner", changed(before, export(first / CONFIG / "SYSTEM")))
        others = {p: d for p, d in digests(first).items() if "WinSxS" in p}
        self.assertEqual(others, {p: d for p, d in digests(self.template).items() if "WinSxS" in p})
        size = self.file.stat().st_size
        self.assertEqual(self.apply()["writes"], 0)
        self.assertEqual(self.file.stat().st_size, size)
        self.assertEqual(report("plan", SAMPLE, "--wim", "%s:1" % self.file, *SERVICES)["writes"], 0)

    def test_several_images_at_once(self):
        applied = self.apply(index="1,2")
        self.assertEqual([t["target"].rsplit(":", 1)[1] for t in applied["targets"]], ["1", "2"])
        self.assertEqual(applied["writes"], sum(t["writes"] for t in applied["targets"]))
        self.assertEqual(digests(self.extract(1)).keys(), digests(self.extract(2)).keys())
        status = report("status", "--wim", "%s:1,2" % self.file)
        self.assertEqual([t["drift"] for t in status["targets"]], [[], []])
        for target in status["targets"]:
            self.assertEqual([one["what"] for one in target["notVisible"]], ["users", "processes", "reboot"])
        text = must(PROVISIONER, "status", "--wim", "%s:1,2" % self.file)
        self.assertEqual(re.findall("(?m)^unseen   (.*):", text), 2 * ["users, processes, reboot"])

    def test_an_index_that_is_not_there(self):
        before = self.file.read_bytes()
        self.assertEqual(self.apply(index="1,3", exit=13)["error"]["code"], "target")
        self.assertEqual(self.apply(index="0", exit=10)["error"]["code"], "usage")
        self.assertEqual(self.file.read_bytes(), before)

    def test_remove_all_gives_everything_back(self):
        self.apply()
        report("remove", "--all", "--wim", "%s:1" % self.file)
        root = self.extract(1)
        for name in ("SYSTEM", "SOFTWARE"):
            self.assertEqual(changed(export(self.template / CONFIG / name), export(root / CONFIG / name)), set())
        self.assertEqual({p: d for p, d in digests(root).items() if CONFIG not in p}, {p: d for p, d in digests(self.template).items() if CONFIG not in p})

    def test_a_password_that_was_taken_out_may_still_be_in_the_file(self):
        def holds_password():
            data = self.file.read_bytes()
            return any(word in data for word in (PASSWORD.encode(), PASSWORD.encode("utf-16-le")))

        plain = self.file.with_suffix(".plain")
        must("wimlib-imagex", "export", self.file, "all", plain, "--compress=none", "--check")
        plain.rename(self.file)
        self.assertFalse(holds_password())
        self.assertNotIn("wim-freed-blobs", [f["code"] for f in self.apply()["findings"]], "nothing was taken out")
        self.assertTrue(holds_password())
        removed = report("remove", "--all", "--wim", "%s:1" % self.file)
        (finding,) = [f for f in removed["findings"] if f["code"] == "wim-freed-blobs"]
        self.assertEqual((finding["severity"], finding["where"]), ("warning", "%s:1" % self.file))
        self.assertTrue(holds_password(), "what the finding says")
        must("wimlib-imagex", "optimize", self.file)  # its remedy
        self.assertFalse(holds_password())
        self.apply()
        replaced = report("apply", SAMPLE, "--wim", "%s:1" % self.file, *SERVICES, "--credentials", "none")
        self.assertIn("wim-freed-blobs", [f["code"] for f in replaced["findings"]])

    def test_killed_at_random_moments(self):
        moments = Moments(self.apply)
        for _ in range(20):
            shutil.copy(self.wim, self.file)
            process = subprocess.Popen([PROVISIONER, "apply", SAMPLE, "--wim", "%s:1" % self.file, *SERVICES, "--install", "--exe", self.exe],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            moments.end(process, process.kill)
            must("wimlib-imagex", "info", self.file)
            drift = report("status", "--wim", "%s:1" % self.file)
            self.assertFalse(drift["openTransaction"])
            self.apply()
            must("wimlib-imagex", "verify", self.file)
            self.assertEqual(self.apply()["writes"], 0)
        moments.told(self, 3)

    # What a folder alone can show.
    test_only_our_keys_differ_and_a_second_run_writes_nothing = None


if __name__ == "__main__":
    unittest.main(verbosity=2)
