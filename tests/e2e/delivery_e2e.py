#!/usr/bin/env python3
"""Bakes the sample as archives, and reads them back with programs that are not ours.

usage: delivery_e2e.py PROVISIONER"""
import gzip
import io
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import unittest
import zipfile

from delivery import EPOCH, PROVISIONER, SAMPLE, SECRET, SERVICES, Case, bake, files_of, mode_of, need, run


class Archives(Case):
    def check(self, folder, payload):
        self.assertEqual(files_of(folder), files_of(payload))
        for path in SECRET:
            self.assertEqual(mode_of(folder / path), 0o600, path)
        self.assertEqual(mode_of(folder / "README.txt"), 0o644)
        self.assertEqual({int(p.stat().st_mtime) for p in folder.rglob("*")}, {EPOCH})
        self.assertEqual(mode_of(folder / "trust/ROOT"), 0o755)

    def test_tar_and_tgz_hold_the_payload(self):
        payload = self.baked("payload")
        for form in ("tar", "tgz"):
            archive = self.baked("a." + form, "--format", form)
            self.assertEqual(mode_of(archive), 0o600)
            self.check(self.extracted(archive, "tar", "-xpf", archive), payload)
            listing = run("tar", "--numeric-owner", "-tvf", archive, env={**os.environ, "TZ": "UTC"}).decode()
            for line in listing.splitlines():
                self.assertIn(" 0/0 ", line)
                self.assertIn("2023-11-14 22:13", line)
        need(self, "bsdtar", "libarchive-tools")
        self.check(self.extracted(self.work / "a.tgz", "bsdtar", "-xpf", self.work / "a.tgz"), payload)

    def test_gzip_header_says_nothing(self):
        data = self.baked("a.tgz", "--format", "tgz").read_bytes()
        self.assertEqual(data[:8], b"\x1f\x8b\x08\x00\0\0\0\0")
        self.assertTrue(tarfile.open(fileobj=io.BytesIO(gzip.decompress(data))).getnames())

    def test_zip_holds_the_payload(self):
        need(self, "unzip", "unzip")
        payload = self.baked("payload")
        archive = self.baked("a.zip", "--format", "zip")
        self.assertEqual(mode_of(archive), 0o600)
        run("unzip", "-tq", archive)
        for zone in ("UTC", "Asia/Tokyo"):  # unzip sets the times of the extra field, which are in UTC
            folder = self.work / zone.replace("/", "-")
            folder.mkdir()
            run("unzip", "-q", archive, cwd=folder, env={**os.environ, "TZ": zone})
            self.check(folder, payload)
        with zipfile.ZipFile(archive) as z:
            self.assertIsNone(z.testzip())
            self.assertEqual({i.date_time for i in z.infolist()}, {(2023, 11, 14, 22, 13, 20)})

    def test_same_bytes_whatever_the_zone_folder_locale_and_umask(self):
        for form in ("tar", "tgz", "zip", "iso"):
            first = self.baked("first." + form, "--format", form).read_bytes()
            with tempfile.TemporaryDirectory(prefix="another place ") as folder:
                shutil.copy(SAMPLE, pathlib.Path(folder) / "in put.json")
                result = bake("b/../deep/out", "--format", form, source="in put.json", cwd=folder, preexec_fn=lambda: os.umask(0o077),
                              environment={"TZ": "Pacific/Kiritimati", "LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE.UTF-8", "HOME": "/nonexistent"})
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual((pathlib.Path(folder) / "deep/out").read_bytes(), first, form)

    def test_json_keeps_its_keys(self):
        result = bake(self.work / "a.tgz", "--format", "tgz", "--output", "json")
        document = json.loads(result.stdout)
        self.assertEqual(document["format"], "tgz")
        self.assertEqual(document["out"], str(self.work / "a.tgz"))
        self.assertIn({"path": "egress.json", "secret": True}, [{k: f[k] for k in ("path", "secret")} for f in document["files"]])
        self.assertNotIn("nodes", document)

    def test_without_credentials_anybody_may_read_it(self):
        self.assertEqual(mode_of(self.baked("a.tar", "--format", "tar", "--credentials", "none")), 0o644)

    def test_a_target_that_cannot_be_written_is_left_alone(self):
        mine = self.work / "mine.tar"
        mine.write_text("a letter")
        for out in (mine, mine / "below.tar", self.work):
            result = bake(out, "--format", "tar", "--output", "json")
            self.assertEqual(result.returncode, 13, result.stdout)
            self.assertEqual(json.loads(result.stdout)["error"]["code"], "target")
        self.assertEqual(mine.read_text(), "a letter")
        self.assertEqual(os.listdir(self.work), ["mine.tar"])

    def test_an_archive_of_somebody_else_is_left_alone(self):
        (self.work / "letter").write_text("x")
        run("tar", "-cf", "a.tar", "letter", cwd=self.work)
        run("tar", "-czf", "a.tgz", "letter", cwd=self.work)
        with zipfile.ZipFile(self.work / "a.zip", "w") as z:
            z.write(self.work / "letter", "letter")
        forms = ["tar", "tgz", "zip"]
        if shutil.which("genisoimage"):
            run("genisoimage", "-quiet", "-o", "a.iso", "letter", cwd=self.work)
            forms.append("iso")
        for form in forms:
            before = (self.work / ("a." + form)).read_bytes()
            self.assertEqual(bake(self.work / ("a." + form), "--format", form).returncode, 13, form)
            self.assertEqual((self.work / ("a." + form)).read_bytes(), before)
            self.baked("b." + form, "--format", form)
            self.baked("b." + form, "--format", form)

    def test_a_full_disk_leaves_nothing(self):
        if os.geteuid() != 0 or not shutil.which("unshare"):
            print("NOT RUN: %s: needs root and unshare (Debian package util-linux)" % self.id())
            self.skipTest("needs root and unshare")
        for form, nodes in (("tar", False), ("tgz", False), ("zip", False), ("iso", False), ("iso", True), ("tar", True), ("dir", True)):
            mount = self.work / "mount"
            mount.mkdir(exist_ok=True)
            options = "--nodes %s" % self.nodes() if nodes else ""
            script = ("set -e; mount -t tmpfs -o size=16k tmpfs %s; set +e; %s bake %s --out %s/x/out --format %s %s %s >/dev/null 2>&1; echo $?; find %s -mindepth 1"
                      % (mount, PROVISIONER, SAMPLE, mount, form, " ".join(SERVICES), options, mount))
            ran = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True)
            if ran.returncode != 0 and "mount" in ran.stderr:
                print("NOT RUN: %s: mounting a tmpfs is not allowed here" % self.id())
                self.skipTest("no mounts here")
            self.assertEqual(ran.stdout.split(), ["13"], (form, nodes, ran.stderr))

    def test_options_that_do_not_go_together(self):
        for options, words in ((["--format", "tar", "--label", "X"], "--label"), (["--format", "iso", "--label", "a label that is long"], "1 to 16"), (["--format", "rar"], "rar")):
            result = bake(self.work / "out", *options)
            self.assertEqual(result.returncode, 10, options)
            self.assertIn(words, result.stderr)

    def test_times_that_every_format_can_hold(self):
        for form in ("dir", "tar", "zip", "iso"):
            for time in ("-1", "4354819200", "99999999999999999999", " 1700000000", "+1700000000", "1700000000 ", "0x6553f100"):
                result = bake(self.work / "out", "--format", form, environment={"SOURCE_DATE_EPOCH": time})
                self.assertEqual(result.returncode, 10, (form, time))
                self.assertIn("SOURCE_DATE_EPOCH", result.stderr)
            self.assertEqual(bake(self.work / form, "--format", form, environment={"SOURCE_DATE_EPOCH": "0"}).returncode, 0, form)
        with zipfile.ZipFile(self.work / "zip") as made:
            self.assertEqual({entry.date_time for entry in made.infolist()}, {(1980, 1, 1, 0, 0, 0)}, "ZIP knows no earlier year")


if __name__ == "__main__":
    unittest.main(verbosity=2)
