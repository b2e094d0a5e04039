#!/usr/bin/env python3
"""Bakes the sample as archives, drives and fleets, and reads them back with programs that are not ours.

usage: delivery_e2e.py PROVISIONER"""
import gzip
import io
import json
import os
import pathlib
import pty
import re
import shutil
import stat
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest
import xml.etree.ElementTree
import zipfile

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
        for options, words in ((["--format", "tar", "--label", "X"], "--label"), (["--format", "iso", "--label", "CIDATA"], "cidata"),
                               (["--format", "iso", "--label", "a label that is long"], "1 to 16"), (["--format", "rar"], "rar")):
            result = bake(self.work / "out", *options)
            self.assertEqual(result.returncode, 10, options)
            self.assertIn(words, result.stderr)
        result = bake(self.work / "out.zip", "--format", "zip", environment={"SOURCE_DATE_EPOCH": "0"})
        self.assertEqual(result.returncode, 10)
        self.assertIn("SOURCE_DATE_EPOCH", result.stderr)


class Drives(Case):
    def volume_descriptors(self, image):
        data = image.read_bytes()
        out = {}
        for sector in range(16, 32):
            d = data[sector * 2048:(sector + 1) * 2048]
            self.assertEqual(d[1:6], b"CD001")
            if d[0] == 255:
                return data, out
            out[d[0]] = d

    def test_labels_and_dates(self):
        for label in ("config-2", "cidata", "PROVISION", "other.drive-1"):
            image = self.baked(label + ".iso", "--format", "iso", "--label", label)
            self.assertEqual(mode_of(image), 0o600)
            data, volumes = self.volume_descriptors(image)
            self.assertEqual(volumes[1][40:72].decode("ascii").rstrip(), label)
            self.assertEqual(volumes[2][40:72].decode("utf-16-be").rstrip(), label)
            self.assertEqual(volumes[2][88:91], b"%/E")  # UCS-2, level 3
            for volume in volumes.values():
                for at in (813, 830, 864):
                    self.assertEqual(volume[at:at + 17], b"2023111422132000\0")
                self.assertEqual(volume[847:864], b"0" * 16 + b"\0")
                self.assertEqual(struct.unpack_from("<I", volume, 80)[0] * 2048, len(data))
            self.assertNotIn(b"libarchive", data[:0x10000].lower())

    def tree(self, image):
        """Joliet's names and sizes, as Windows sees them."""
        need(self, "isoinfo", "genisoimage")
        out, folder = {}, ""
        for line in run("isoinfo", "-J", "-l", "-i", image).decode().splitlines():
            if line.startswith("Directory listing of "):
                folder = line[len("Directory listing of "):].strip("/ ")
            match = re.match(r"(.).{9}\s+\d+\s+\d+\s+\d+\s+(\d+) (.{11}) \[.*\]  (.*)", line)
            if match and match[4].strip() not in (".", "..") and match[1] == "-":
                self.assertEqual(match[3], "Nov 14 2023")
                out[(folder + "/" + match[4].strip()).strip("/")] = int(match[2])
        return out

    def joliet_bytes(self, image, path):
        return run("isoinfo", "-J", "-i", image, "-x", "/" + path)

    def test_config_drive_as_cloudbase_init_reads_it(self):
        payload = files_of(self.baked("payload"))
        image = self.baked("a.iso", "--format", "iso", "--label", "config-2")
        tree = self.tree(image)
        expected = {"openstack/latest/meta_data.json", "openstack/latest/user_data"} | {"provisioner/" + p for p in payload}
        self.assertEqual(set(tree), expected)
        for path, data in payload.items():
            self.assertEqual(self.joliet_bytes(image, "provisioner/" + path), data, path)
        meta = json.loads(self.joliet_bytes(image, "openstack/latest/meta_data.json"))
        self.assertEqual(list(meta), ["uuid"])
        self.assertTrue(self.joliet_bytes(image, "openstack/latest/user_data").startswith(b"#ps1_sysnative\r\n"))

    def test_nocloud_drive_as_cloudbase_init_reads_it(self):
        image = self.baked("a.iso", "--format", "iso", "--label", "cidata")
        tree = self.tree(image)
        self.assertLessEqual({"meta-data", "user-data", "provisioner/manifest.json"}, set(tree))
        self.assertRegex(self.joliet_bytes(image, "meta-data").decode(), r'\Ainstance-id: "[0-9a-f-]{36}"\n\Z')

    def test_plain_drive_has_the_payload_at_its_root(self):
        payload = files_of(self.baked("payload"))
        image = self.baked("a.iso", "--format", "iso")
        self.assertEqual(self.tree(image), {path: len(data) for path, data in payload.items()})

    def test_rock_ridge_has_names_modes_and_times(self):
        payload = self.baked("payload")
        image = self.baked("a.iso", "--format", "iso")
        need(self, "bsdtar", "libarchive-tools")
        folder = self.extracted(image, "bsdtar", "-xpf", image)
        self.assertEqual(files_of(folder), files_of(payload))
        for path in files_of(payload):
            self.assertEqual(mode_of(folder / path), 0o600 if path in SECRET else 0o644, path)
        self.assertEqual({int(p.stat().st_mtime) for p in folder.rglob("*")}, {EPOCH})

    def test_xorriso_reads_the_same(self):
        need(self, "xorriso", "xorriso")
        payload = self.baked("payload")
        image = self.baked("a.iso", "--format", "iso", "--label", "config-2")
        out = self.work / "x"
        result = subprocess.run(["xorriso", "-osirrox", "on", "-indev", image, "-pvd_info", "-extract", "/", out], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Volume Id    : config-2", result.stdout)
        self.assertIn("Creation Time: 2023111422132000", result.stdout)
        self.assertNotIn("WARNING", result.stderr)
        self.assertEqual({p: d for p, d in files_of(out).items() if p.startswith("provisioner/")},
                         {"provisioner/" + p: d for p, d in files_of(payload).items()})

    def test_credentials_on_a_drive_are_said(self):
        result = bake(self.work / "a.iso", "--format", "iso")
        self.assertIn("[drive-secret]", result.stderr)
        self.assertNotIn("[drive-secret]", bake(self.work / "b.iso", "--format", "iso", "--credentials", "none").stderr)


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
        tcp_ip = self.component(nodes["win-1"]["unattend.xml"], "Microsoft-Windows-TCPIP")
        self.assertEqual(self.text(tcp_ip, "Interfaces/Interface/UnicastIpAddresses/IpAddress"), ["10.0.0.5/24"])
        self.assertEqual(self.text(tcp_ip, "Interfaces/Interface/Routes/Route/NextHopAddress"), ["10.0.0.1"])
        dns = self.component(nodes["win-1"]["unattend.xml"], "Microsoft-Windows-DNS-Client")
        self.assertEqual(self.text(dns, "Interfaces/Interface/DNSServerSearchOrder/IpAddress"), ["10.0.0.2", "10.0.0.3"])
        self.assertIsNone(self.component(nodes["WIN-2"]["unattend.xml"], "Microsoft-Windows-TCPIP"))
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

    def test_common_is_a_source(self):
        folder = self.baked("fleet", "--nodes", self.nodes())
        again = self.work / "again"
        result = subprocess.run([PROVISIONER, "bake", folder / "common", "--out", again, "--output", "json"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertEqual(files_of(again), files_of(folder / "common"))

    def test_answer_files_follow_the_schema(self):
        schema = TESTS.parent.parent / "shared/cases/windows/autounattend.xsd"
        need(self, "xmllint", "libxml2-utils")
        if not schema.exists():
            print("NOT RUN: %s: the schema is not beside this tree" % self.id())
            self.skipTest("no schema")
        folder = self.baked("fleet", "--nodes", self.nodes())
        for path in folder.glob("nodes/*/unattend.xml"):
            run("xmllint", "--noout", "--schema", schema, path)

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

    def test_json_is_a_list_too(self):
        csv = self.baked("a.tar", "--format", "tar", "--nodes", self.nodes()).read_bytes()
        rows = [{"name": "WIN-2"}, {"name": "win-3", "address": "2001:db8::7/64", "gateway": "fe80::1", "dns": "2001:db8::53"},
                {"name": "win-1", "address": "10.0.0.5/24", "gateway": "10.0.0.1", "dns": ["10.0.0.2", "10.0.0.3"], "mac": "00:15:5d:00:00:01"}]
        as_json = self.baked("b.tar", "--format", "tar", "--nodes", self.nodes(json.dumps(rows), "nodes.json")).read_bytes()
        self.assertEqual(csv, as_json)

    def test_one_drive_for_each(self):
        payload = files_of(self.baked("payload"))
        need(self, "bsdtar", "libarchive-tools")
        drives = self.baked("drives", "--format", "iso", "--label", "cidata", "--nodes", self.nodes())
        self.assertEqual(sorted(os.listdir(drives)), ["WIN-2.iso", "win-1.iso", "win-3.iso"])
        self.assertEqual(mode_of(drives / "win-1.iso"), 0o600)
        files = files_of(self.extracted(drives / "win-1.iso", "bsdtar", "-xf", drives / "win-1.iso"))
        self.assertEqual({p[12:]: d for p, d in files.items() if p.startswith("provisioner/")}, payload)
        self.assertIn('local-hostname: "win-1"', files["meta-data"].decode())
        self.assertIn("10.0.0.5/24", files["network-config"].decode())
        again = self.baked("again", "--format", "iso", "--label", "cidata", "--nodes", self.nodes(), environment={"TZ": "Asia/Tokyo"})
        self.assertEqual(files_of(again), files_of(drives))

    def test_a_plain_drive_has_the_answer_file_where_setup_looks(self):
        need(self, "bsdtar", "libarchive-tools")
        drives = self.baked("drives", "--format", "iso", "--nodes", self.nodes())
        files = files_of(self.extracted(drives / "win-1.iso", "bsdtar", "-xf", drives / "win-1.iso"))
        self.assertEqual(self.text(self.component(files["unattend.xml"], "Microsoft-Windows-Shell-Setup"), "ComputerName"), ["win-1"])
        self.assertIn("provisioner/manifest.json", files)

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

    def test_an_answer_file_with_a_network_of_its_own_is_refused_before_anything_is_written(self):
        mine = self.work / "mine.xml"
        mine.write_text('<unattend xmlns="urn:schemas-microsoft-com:unattend"><settings pass="specialize"><component '
                        'name="Microsoft-Windows-TCPIP" processorArchitecture="amd64"/></settings></unattend>')
        result = bake(self.work / "fleet.tar", "--format", "tar", "--nodes", self.nodes(), "--unattend", mine)
        self.assertEqual(result.returncode, 11)
        self.assertIn("mine.xml", result.stderr)
        self.assertFalse((self.work / "fleet.tar").exists())

    def test_a_folder_that_is_not_empty_is_refused(self):
        (self.work / "fleet").mkdir()
        (self.work / "fleet/letter").write_text("x")
        for form in ("dir", "iso"):
            result = bake(self.work / "fleet", "--format", form, "--nodes", self.nodes())
            self.assertEqual(result.returncode, 13)
        self.assertEqual(os.listdir(self.work / "fleet"), ["letter"])

    def test_progress_on_a_terminal_only(self):
        nodes = self.nodes("name\n" + "".join("n%05d\n" % i for i in range(6000)))
        out = self.work / "fleet.zip"
        quiet = bake(out, "--format", "zip", "--nodes", nodes)
        self.assertNotIn(" of 6000", quiet.stderr + quiet.stdout)
        self.assertIn("6000 nodes", quiet.stdout)
        ours, theirs = pty.openpty()
        shown = b""
        with subprocess.Popen([PROVISIONER, "bake", SAMPLE, "--out", out, "--format", "zip", "--nodes", nodes], stdout=subprocess.DEVNULL, stderr=theirs) as child:
            os.close(theirs)
            while True:
                try:
                    piece = os.read(ours, 4096)
                except OSError:
                    break
                if not piece:
                    break
                shown += piece
        os.close(ours)
        self.assertEqual(child.returncode, 0)
        self.assertRegex(shown.decode(), r"\rnodes \d+ of 6000")

    def test_no_password_in_what_is_printed(self):
        result = bake(self.work / "fleet.tar", "--format", "tar", "--nodes", self.nodes())
        self.assertNotIn("S3cret", result.stdout + result.stderr)
        for path, data in self.read_tar(self.work / "fleet.tar").items():
            if path.startswith("nodes/"):
                self.assertNotIn(b"S3cret", data)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
