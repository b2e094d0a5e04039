#!/usr/bin/env python3
"""Bakes the sample for many nodes at once, and reads the result back with programs that are not ours.

usage: fleets_e2e.py PROVISIONER"""
import json
import os
import pty
import select
import signal
import subprocess
import tarfile
import time
import unittest
import xml.etree.ElementTree
import zipfile

from delivery import EPOCH, PROVISIONER, UNATTEND, Case, bake, files_of
from harness import SAMPLE, SHARED, mode_of, must, need, skip


class Fleets(Case):
    def read_tar(self, archive):
        with tarfile.open(archive) as tar:
            members = tar.getmembers()
            self.assertEqual([m.name for m in members], sorted((m.name for m in members)))
            return {m.name: tar.extractfile(m).read() for m in members if m.isfile()}

    def component(self, answers, name):
        root = xml.etree.ElementTree.fromstring(answers)
        found = [c for s in root.findall(UNATTEND + "settings") if s.get("pass") == "specialize" for c in s if c.get("name") == name]
        self.assertLessEqual(len(found), 1)
        return found[0] if found else None

    def text(self, element, path):
        return [e.text for e in element.findall("/".join(UNATTEND + p for p in path.split("/")))]

    def check_tree(self, files, payload):
        self.assertEqual({p[7:]: d for p, d in files.items() if p.startswith("common/")}, payload)
        nodes = {}
        for path, data in files.items():
            if path.startswith("nodes/"):
                nodes.setdefault(path.split("/")[1], {})[path.split("/")[2]] = data
        self.assertEqual(set(nodes), {"win-1", "WIN-2", "win-3"})
        for name, node in nodes.items():
            self.assertEqual(self.text(self.component(node["unattend.xml"], "Microsoft-Windows-Shell-Setup"), "ComputerName"), [name])
            self.assertIsNotNone(self.component(node["unattend.xml"], "Microsoft-Windows-Deployment"))
            self.assertEqual(json.loads(node["meta_data.json"])["hostname"], name)
            self.assertIn('local-hostname: "%s"' % name, node["meta-data"].decode())
        self.assertEqual(len({json.loads(n["meta_data.json"])["uuid"] for n in nodes.values()}), 3)
        self.assertEqual([self.component(nodes[name]["unattend.xml"], "Microsoft-Windows-TCPIP") is None for name in ("win-1", "WIN-2")], [False, True])
        self.assertEqual(set(nodes["win-1"]) - set(nodes["WIN-2"]), {"network-config", "network_data.json"})

    def test_one_archive_for_all(self):
        payload = files_of(self.baked("payload"))
        nodes = self.nodes()
        for form in ("tar", "tgz"):
            self.check_tree(self.read_tar(self.baked("fleet." + form, "--format", form, "--nodes", nodes)), payload)
        with zipfile.ZipFile(self.baked("fleet.zip", "--format", "zip", "--nodes", nodes)) as z:
            self.check_tree({i.filename: z.read(i) for i in z.infolist() if not i.is_dir()}, payload)
        folder = self.baked("fleet", "--nodes", nodes)
        self.check_tree(files_of(folder), payload)
        self.assertEqual({int(p.stat().st_mtime) for p in folder.rglob("*")}, {EPOCH})
        self.assertEqual(mode_of(folder / "common/egress.json"), 0o600)

    def test_answer_files_follow_the_schema(self):
        schema = SHARED / "cases/windows/autounattend.xsd"
        need(self, "xmllint")
        if not schema.exists():
            skip(self, "the schema is not beside this tree")
        files = list(self.baked("fleet", "--nodes", self.nodes()).rglob("unattend.xml"))
        self.assertEqual(len(files), 4, "that of all, and one of each node")
        must("xmllint", "--noout", "--schema", schema, *files)

    def test_an_answer_file_of_ones_own(self):
        mine = self.work / "mine.xml"
        mine.write_text('<unattend xmlns="urn:schemas-microsoft-com:unattend"><!-- kept -->\n  <settings pass="specialize">\n'
                        '    <component name="Microsoft-Windows-Shell-Setup" processorArchitecture="amd64">\n'
                        '      <ComputerName>*</ComputerName>\n    </component>\n  </settings>\n</unattend>\n')
        files = self.read_tar(self.baked("fleet.tar", "--format", "tar", "--nodes", self.nodes(), "--unattend", mine))
        text = files["nodes/WIN-2/unattend.xml"].decode()
        self.assertIn("<!-- kept -->", text)
        self.assertIn("      <ComputerName>WIN-2</ComputerName>\n", text)
        self.assertIn("RunSynchronousCommand", text)
        with tarfile.open(self.work / "fleet.tar") as tar:  # it may hold passwords of somebody's
            self.assertEqual(tar.getmember("nodes/WIN-2/unattend.xml").mode, 0o600)

    def test_one_drive_for_each(self):
        payload = files_of(self.baked("payload"))
        need(self, "bsdtar")
        drives = self.baked("drives", "--format", "iso", "--label", "cidata", "--nodes", self.nodes())
        self.assertEqual(sorted(os.listdir(drives)), ["WIN-2.iso", "win-1.iso", "win-3.iso"])
        self.assertEqual(mode_of(drives / "win-1.iso"), 0o600)
        files = files_of(self.extracted(drives / "win-1.iso", "bsdtar", "-xf", drives / "win-1.iso"))
        self.assertEqual({p[12:]: d for p, d in files.items() if p.startswith("provisioner/")}, payload)
        self.assertIn('local-hostname: "win-1"', files["meta-data"].decode())
        self.assertIn("10.0.0.5/24", files["network-config"].decode())
        again = self.baked("again", "--format", "iso", "--label", "cidata", "--nodes", self.nodes(), environment={"TZ": "Asia/Tokyo"})
        self.assertEqual(files_of(again), files_of(drives))

    def test_addresses_without_a_mac_are_said(self):
        result = bake(self.work / "drives", "--format", "iso", "--label", "cidata", "--nodes", self.nodes())
        self.assertIn("[no-mac]: 1 node(s)", result.stderr)

    def test_a_bad_row_is_named_before_anything_is_written(self):
        for form in ("tar", "dir", "iso"):
            nodes = self.nodes("name,address\nwin-1,10.0.0.5/24\nwin-2,10.0.0.300/24\n")
            result = bake(self.work / "deep/fleet", "--format", form, "--nodes", nodes, "--output", "json")
            self.assertEqual(result.returncode, 11)
            error = json.loads(result.stdout)["error"]
            self.assertEqual(error["code"], "row")
            self.assertEqual(error["where"], "%s: line 3, column 7" % nodes)
            self.assertEqual(os.listdir(self.work), ["nodes.csv"])

    def test_progress_on_a_terminal_only(self):
        nodes = self.nodes("name\n" + "".join("n%05d\n" % i for i in range(30000)))
        out = self.work / "fleet.tgz"
        quiet = bake(out, "--format", "tgz", "--nodes", nodes)
        self.assertNotIn(" of 30000", quiet.stderr + quiet.stdout)
        self.assertIn("30000 nodes", quiet.stdout)
        ours, theirs = pty.openpty()
        shown = b""
        with subprocess.Popen([PROVISIONER, "bake", SAMPLE, "--out", out, "--format", "tgz", "--nodes", nodes], stdout=subprocess.DEVNULL, stderr=theirs) as child:
            os.close(theirs)
            # On any machine this is a long run: once it writes, it stands still until it is time to say how far it is.
            while child.poll() is None:
                if b" of 30000" not in shown and list(self.work.glob(".fleet.tgz.provisioner-*")):
                    child.send_signal(signal.SIGSTOP)
                    time.sleep(0.25)
                    child.send_signal(signal.SIGCONT)
                shown += self.waiting(ours)
                time.sleep(0.01)
            shown += self.waiting(ours)
        os.close(ours)
        self.assertEqual(child.returncode, 0)
        self.assertRegex(shown.decode(), r"\rnodes \d+ of 30000")

    @staticmethod
    def waiting(terminal):
        """What nobody has read yet."""
        out = b""
        while select.select([terminal], [], [], 0)[0]:
            try:
                out += os.read(terminal, 4096)
            except OSError:  # all of it, and nobody writes any more
                break
        return out

    def interrupted(self, out, number, *options):
        """A bake of many nodes that gets this signal as soon as it has something beside its place."""
        # A test that runs in the background has SIGINT ignored, and the program would leave it so.
        with subprocess.Popen([PROVISIONER, "bake", SAMPLE, "--out", out, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler)) as child:
            while child.poll() is None and not list(self.work.glob(".%s.provisioner-*" % out.name)):
                time.sleep(0.001)
            self.assertIsNone(child.poll(), "it ended before it could be interrupted")
            child.send_signal(number)
            said = child.communicate()[1]
        self.assertEqual(child.returncode, -number, said)
        return said

    # What is beside the place holds credentials, and of many nodes it is large.
    def test_an_interrupted_run_leaves_nothing(self):
        nodes = self.nodes("name\n" + "".join("n%05d\n" % i for i in range(20000)))
        for form, name in (("tgz", "fleet.tgz"), ("dir", "fleet"), ("iso", "drives")):
            for number in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(form, signal=number):
                    said = self.interrupted(self.work / name, number, "--format", form, "--nodes", nodes)
                    self.assertIn("[interrupted]", said)
                    self.assertEqual(os.listdir(self.work), ["nodes.csv"])

    def test_what_a_killed_run_left_goes_with_the_next(self):
        many = self.nodes("name\n" + "".join("n%05d\n" % i for i in range(20000)))
        few = self.nodes(name="few.csv")
        for form, name in (("tgz", "fleet.tgz"), ("dir", "fleet"), ("iso", "drives")):
            with self.subTest(form):
                self.interrupted(self.work / name, signal.SIGKILL, "--format", form, "--nodes", many)
                self.assertTrue(list(self.work.glob(".*.provisioner-*")))
                self.assertEqual(bake(self.work / name, "--format", form, "--nodes", few).returncode, 0)
                self.assertEqual(list(self.work.glob(".*.provisioner-*")), [])

    def test_no_password_in_what_is_printed(self):
        result = bake(self.work / "fleet.tar", "--format", "tar", "--nodes", self.nodes())
        self.assertNotIn("S3cret", result.stdout + result.stderr)
        for path, data in self.read_tar(self.work / "fleet.tar").items():
            if path.startswith("nodes/"):
                self.assertNotIn(b"S3cret", data)


if __name__ == "__main__":
    unittest.main(verbosity=2)
