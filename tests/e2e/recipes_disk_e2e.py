#!/usr/bin/env python3
"""Runs images/recipes/customize-disk on made-up disks with a Windows on NTFS, in each format, and kills it at any moment.

usage: recipes_disk_e2e.py PROVISIONER"""
import contextlib
import ctypes
import json
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest

from harness import PATH, SAMPLE, folder, missing, must, put_tool, run, skip, which
from measure import MIB
from program_file import make_program
from recipes import PROVISIONER, RECIPES, SECRET, Folder, bake_hives, make_windows
from windows_image import CONFIG

CUSTOMIZE = RECIPES / "customize-disk"
TOOLS = ("qemu-img", "qemu-storage-daemon", "ntfs-3g", "mkntfs", "sfdisk", "hivexregedit", "unshare", "setpriv")
DATA, ESP, MSR, RECOVERY = ("EBD0A0A2-B9E5-4433-87C0-68B6B72699C7", "C12A7328-F81F-11D2-BA4B-00A0C93EC93B",
                            "E3C9E316-0B5C-4DB8-817D-F92DF00215AE", "DE94BBA4-06D1-4D40-A16A-BFD50179D6AC")
WINDOWS, OTHER = 3, 4
# Number, start and size in MiB, type.
LAYOUT = {1: (1, 2, ESP), 2: (3, 1, MSR), WINDOWS: (4, 24, DATA), OTHER: (28, 4, DATA), 5: (32, 2, RECOVERY)}
DISK_SIZE = 36
# File name, QEMU's format, options of qemu-img convert.
FORMATS = {"dynamic.vhdx": ("vhdx", []), "fixed.vhdx": ("vhdx", ["-o", "subformat=fixed"]),
           "dynamic.vhd": ("vpc", ["-o", "force_size"]), "fixed.vhd": ("vpc", ["-o", "subformat=fixed,force_size"]),
           "compressed.qcow2": ("qcow2", ["-c"]), "sparse.vmdk": ("vmdk", ["-o", "subformat=monolithicSparse,adapter_type=lsilogic,hwversion=14"]),
           "stream.vmdk": ("vmdk", ["-o", "subformat=streamOptimized,adapter_type=lsilogic"]), "disk.raw": ("raw", [])}

# A qemu-storage-daemon that misses the first SIGTERM, as the real one does when that comes just before its poll().
DEAF = """real=%s
[ "$1" != --help ] || exec $real --help
$real "$@" &
child=$!
trap 'if [ -n "${missed:-}" ]; then kill -TERM $child; else missed=1; echo once >>"${0%%/*}/missed"; fi' TERM
while kill -0 $child 2>/dev/null; do wait $child; done
wait $child
"""


def own_mounts():
    """Nobody else sees what is mounted from here on, and it goes with this process."""
    return ctypes.CDLL(None, use_errno=True).unshare(0x00020000) == 0 and run("mount", "--make-rprivate", "/").returncode == 0


@contextlib.contextmanager
def mounted(volume, options="rw"):
    """An NTFS volume in a file; its driver has written everything when this ends."""
    place = pathlib.Path(tempfile.mkdtemp(prefix="recipes-disk-mount-"))
    log = open(os.fspath(place) + ".log", "w+")
    driver = subprocess.Popen(["ntfs-3g", "-o", options + ",no_detach", volume, place], stdout=log, stderr=log)
    try:
        until = time.monotonic() + 60
        while not os.path.ismount(place):
            if driver.poll() is not None or time.monotonic() > until:
                log.seek(0)
                raise RuntimeError("ntfs-3g %s: %s: %s" % (volume, driver.poll(), log.read()))
            time.sleep(0.02)
        yield place
    finally:
        if os.path.ismount(place):
            must("umount", place)
        driver.wait(60)
        log.close()
        os.unlink(log.name)
        place.rmdir()


def make_ntfs(file, size, label):
    with open(file, "wb") as volume:
        volume.truncate(size * MIB)
    must("mkntfs", "-F", "-q", "-Q", "-L", label, file)


def make_disk(file, volumes, label="gpt"):
    """A raw disk with the layout of Windows; `volumes` are the files for its partitions, the others hold noise."""
    with open(file, "wb") as disk:
        disk.truncate(DISK_SIZE * MIB)
        for number, (start, size, _) in LAYOUT.items():
            disk.seek(start * MIB)
            disk.write(volumes[number].read_bytes() if number in volumes else random.Random(number).randbytes(size * MIB))
    kinds = {number: kind if label == "gpt" else "7" for number, (_, _, kind) in LAYOUT.items() if label == "gpt" or number in (WINDOWS, OTHER)}
    lines = ["label: " + label] + ["start=%d,size=%d,type=%s" % (LAYOUT[n][0] * 2048, LAYOUT[n][1] * 2048, kinds[n]) for n in kinds]
    must("sfdisk", "-q", "--wipe", "never", "--wipe-partitions", "never", file, input="\n".join(lines) + "\n")
    return file


def parts_of(data):
    """The bytes of each partition, and what is before and behind them."""
    out = {number: data[start * MIB:(start + size) * MIB] for number, (start, size, _) in LAYOUT.items()}
    out["table"] = data[:MIB]
    out["end"] = data[34 * MIB:DISK_SIZE * MIB]
    return out


def info_of(disk, format):
    return json.loads(must("qemu-img", "info", "--output=json", "-f", format, disk))


class Disk(Folder):
    """One raw disk for all tests, which other formats are made of."""

    @classmethod
    def setUpClass(cls):
        cls.missing = ""
        if lacking := missing(*TOOLS):
            cls.missing = "not installed: " + lacking
            return
        cls.made = folder(cls, prefix="recipes-disk-")
        if os.geteuid() != 0 or not own_mounts() or run("unshare", "--mount", "--pid", "--fork", "true").returncode != 0:
            cls.missing = "namespaces can't be made here (needs root, in a container SYS_ADMIN)"
            return
        cls.volume = cls.made / "windows.ntfs"
        make_ntfs(cls.volume, LAYOUT[WINDOWS][1], "Windows")
        try:
            with mounted(cls.volume):
                pass
        except RuntimeError as error:
            cls.missing = "NTFS can't be mounted here (needs /dev/fuse): %s" % error
            return
        cls.hives = bake_hives(cls.made)
        with mounted(cls.volume) as root:
            make_windows(root, cls.hives)
        cls.other = cls.made / "other.ntfs"
        make_ntfs(cls.other, LAYOUT[OTHER][1], "Data")
        cls.raw = make_disk(cls.made / "disk.raw", {WINDOWS: cls.volume, OTHER: cls.other})
        cls.untouched = parts_of(cls.raw.read_bytes())
        cls.exe = cls.made / "provisioner.exe"
        cls.exe.write_bytes(make_program(os.urandom(1000)))

    def setUp(self):
        super().setUp()
        if self.missing:
            skip(self, self.missing)
        self.words = [SAMPLE, "--install", "--exe", self.exe, "--service", "containerd"]
        self.mounts = pathlib.Path("/proc/self/mountinfo").read_text()

    def disk(self, name, source=None):
        """The disk in the format that its name says, in this test's folder."""
        format, options = FORMATS[name]
        must("qemu-img", "convert", "-f", "raw", "-O", format, *options, source or self.raw, self.folder / name)
        return self.folder / name

    def customize(self, *options, words=None, environment=None):
        return run(CUSTOMIZE, *options, "--", *(words or self.words), env={**os.environ, **(environment or {})}, timeout=300)

    def with_tool(self, name, text, shell="#!/bin/sh"):
        """An environment in which this is found in the place of a program."""
        tools = self.folder / "bin"
        shutil.rmtree(tools, ignore_errors=True)
        tool = put_tool(tools / name, text, shell)
        return {"PATH": "%s:%s" % (tools, PATH), "PROVISIONER": str(tool) if name == "provisioner" else PROVISIONER}

    def assertDone(self, result):
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertNotIn(SECRET, result.stdout + result.stderr)
        self.assertIn("done: ", result.stdout)

    def assertLeft(self, *names):
        super().assertLeft(*names)
        self.assertGone()

    def assertGone(self):
        """What was killed with the script may end a moment after it."""
        until = time.monotonic() + 120
        while self.users() and time.monotonic() < until:
            time.sleep(0.02)
        self.assertEqual(self.users(), [])
        self.assertEqual(pathlib.Path("/proc/self/mountinfo").read_text(), self.mounts)

    def users(self):
        """The processes that work in this test's folder, or see something mounted there."""
        found = []
        for place in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                seen = (place / "cmdline").read_bytes().decode(errors="replace") + os.readlink(place / "cwd") + (place / "mountinfo").read_text(errors="replace")
            except OSError:
                continue
            if str(self.folder) in seen and int(place.name) != os.getpid():
                found.append(seen[:200])
        return found

    def partitions(self, disk, format):
        raw = self.folder / "read.raw"
        must("qemu-img", "convert", "-f", format, "-O", "raw", disk, raw)
        data = raw.read_bytes()
        raw.unlink()
        return parts_of(data)

    def assertCustomised(self, disk, format, number=WINDOWS):
        before, after = self.untouched, self.partitions(disk, format)
        self.assertEqual([name for name in before if before[name] != after[name]], [number])
        volume = self.folder / "read.ntfs"
        volume.write_bytes(after[number])
        with mounted(volume, "ro") as root:
            shutil.copyfile(root / CONFIG / "SYSTEM", self.folder / "read.hive")
            ours = sorted(os.listdir(root / "Program Files/Provisioner"))
            kept = (root / "Windows/notepad.exe").stat().st_size
        volume.unlink()
        exported = must("hivexregedit", "--export", self.folder / "read.hive", r"\ControlSet001\Control\Session Manager\Environment")
        self.assertIn("proxy.example.com:3128".encode("utf-16-le"), (self.folder / "read.hive").read_bytes())
        self.assertRegex(exported, '"HTTP_PROXY"=')
        (self.folder / "read.hive").unlink()
        self.assertEqual((ours, kept), (["provisioner.exe"], 50000))


class CustomizeDisk(Disk):
    def test_every_format_stays_what_it_is(self):
        for name, (format, _) in FORMATS.items():
            with self.subTest(name):
                disk = self.disk(name)
                before = disk.read_bytes()
                out = self.folder / ("out-" + name)
                self.assertDone(self.customize("--out", out, disk))
                self.assertEqual(disk.read_bytes(), before)
                self.assertEqual(out.stat().st_mode & 0o777, 0o600)
                self.assertCustomised(out, format)
                self.assertIn(run("qemu-img", "check", "-f", format, out).returncode, (0, 63))
                shape = [info_of(file, format) for file in (disk, out)]
                self.assertEqual(*[info["virtual-size"] for info in shape])
                self.assertEqual(*[info.get("cluster-size") for info in shape])
                self.assertEqual(*[info.get("format-specific", {}).get("data", {}).get("create-type") for info in shape])
                if format == "vmdk":
                    text = out.read_bytes()[:MIB]
                    self.assertIn(b'SPARSE "%s"' % out.name.encode(), text)
                    self.assertEqual(*[re.findall(rb"ddb\.(?:adapterType|virtualHWVersion) = .*", file.read_bytes()[:MIB]) for file in (disk, out)])
                if format == "vpc":
                    # The kind of the disk: fixed, dynamic.
                    self.assertEqual(*[file.read_bytes()[-512:][60:64] for file in (disk, out)])
                if name == "compressed.qcow2":
                    self.assertLess(out.stat().st_size, 16 * MIB + disk.stat().st_size)
                self.assertLeft(name, "out-" + name)
                disk.unlink()
                out.unlink()

    def test_in_place(self):
        disk = self.disk("dynamic.vhdx")
        disk.chmod(0o640)
        os.chown(disk, 12, 34)
        self.assertEqual(self.customize("--plan", disk).returncode, 4)
        link = self.folder / "link.vhdx"
        link.symlink_to("dynamic.vhdx")
        self.assertDone(self.customize("--in-place", link))
        state = disk.stat()
        self.assertEqual((state.st_mode & 0o777, state.st_uid, state.st_gid, disk.is_symlink(), link.is_symlink()), (0o640, 12, 34, False, True))
        self.assertCustomised(disk, "vhdx")
        before = disk.read_bytes()
        planned = self.customize("--plan", disk)
        self.assertEqual(planned.returncode, 0, planned.stdout + planned.stderr)
        self.assertEqual(disk.read_bytes(), before)
        self.assertDone(self.customize("--in-place", disk, words=[*self.words, "--allow-empty", "--wait-lock", "5"]))
        self.assertCustomised(disk, "vhdx")
        disk.chmod(0o644)
        self.assertIn("every user of this machine can read", self.customize("--in-place", disk).stdout)
        self.assertLeft("dynamic.vhdx", "link.vhdx")

    def test_names_that_mean_something_to_others(self):
        name = "a,b:c 100% $(x) 'q'.qcow2"
        os.rename(self.disk("compressed.qcow2"), self.folder / name)
        (self.folder / "w d").mkdir()
        result = run(CUSTOMIZE, "--out", "w d/-o.qcow2", "./" + name, "--", *self.words, cwd=self.folder)
        self.assertDone(result)
        self.assertCustomised(self.folder / "w d/-o.qcow2", "qcow2")

    def test_without_fuse_exports_the_partition_is_copied(self):
        disk = self.disk("dynamic.vhdx")
        environment = self.with_tool("qemu-storage-daemon", "[ \"$1\" = --help ] || exit 9\n")
        self.assertEqual(self.customize("--plan", disk, environment=environment).returncode, 4)
        self.assertDone(self.customize("--in-place", disk, environment=environment))
        self.assertCustomised(disk, "vhdx")
        self.assertLeft("bin", "dynamic.vhdx")

    def test_what_the_disk_says_of_itself_is_read_without_root(self):
        disk = self.disk("compressed.qcow2")
        log = self.folder / "rights"
        log.touch()
        log.chmod(0o666)
        # Not /proc/$$: the program is in a namespace of processes of its own, where its number is another one.
        tell = "case $1 in info | check) echo $1 $(id -u) $(sed -n 's/^CapEff:.//p' /proc/self/status) >>%s ;; esac\nexec %s \"$@\"\n"
        environment = self.with_tool("qemu-img", tell % (log, which("qemu-img")))
        for mode, rights in ((0o700, "0000000000000004"), (0o755, "0000000000000000")):
            with self.subTest(rights):
                self.folder.chmod(mode)
                disk.chmod(mode & 0o644)
                log.write_text("")
                self.assertEqual(self.customize("--plan", disk, environment=environment).returncode, 4)
                self.assertEqual(log.read_text().splitlines(), ["%s 65534 %s" % (what, rights) for what in ("info", "check")])

    def test_a_storage_daemon_that_misses_a_signal(self):
        environment = self.with_tool("qemu-storage-daemon", DEAF % which("qemu-storage-daemon"), "#!/bin/bash")
        disk = self.disk("dynamic.vhdx")
        self.assertDone(self.customize("--in-place", disk, environment=environment))
        self.assertCustomised(disk, "vhdx")
        self.assertGreater(len((self.folder / "bin/missed").read_text().split()), 2)
        self.assertLeft("bin", "dynamic.vhdx")

    def test_a_partition_table_of_old_and_two_windows(self):
        second = self.folder / "second.ntfs"
        make_ntfs(second, LAYOUT[OTHER][1], "Second")
        with mounted(second) as root:
            # As another tool may have written it.
            (root / "WINDOWS/system32/config").mkdir(parents=True)
            shutil.copyfile(self.hives / "SYSTEM.hiv", root / "WINDOWS/system32/config/system")
        disk = make_disk(self.folder / "disk.raw", {WINDOWS: self.volume, OTHER: second}, "dos")
        self.assertRefused(self.customize("--in-place", disk), 10, "several partitions with Windows", "--partition N", "1 4194304", "2 29360128")
        self.assertRefused(self.customize("--in-place", disk, "--partition", "7"), 11, "no Windows on partition 7")
        before = disk.read_bytes()
        self.assertDone(self.customize("--in-place", disk, "--partition", "1"))
        after = disk.read_bytes()
        self.assertEqual((after[:4 * MIB], after[28 * MIB:]), (before[:4 * MIB], before[28 * MIB:]))
        self.assertNotEqual(after, before)
        self.assertLeft("disk.raw", "second.ntfs")

    def test_snapshots_stay(self):
        disk = self.disk("compressed.qcow2")
        must("qemu-img", "snapshot", "-c", "sealed", disk)
        result = self.customize("--in-place", disk)
        self.assertDone(result)
        self.assertIn("note: the snapshots", result.stdout)
        self.assertCustomised(disk, "qcow2")
        must("qemu-img", "snapshot", "-a", "sealed", disk)
        self.assertEqual(self.partitions(disk, "qcow2"), self.untouched)


class CustomizeDiskRefuses(Disk):
    """Each leaves the disk as it was, and nothing beside it."""

    def refused(self, disk, code, *texts, options=("--in-place",), words=None, environment=None):
        before, names = disk.read_bytes(), os.listdir(self.folder)
        result = self.customize(*options, disk, words=words, environment=environment)
        self.assertRefused(result, code, *texts)
        self.assertNotIn("done:", result.stdout)
        self.assertEqual(disk.read_bytes(), before)
        self.assertLeft(*names)

    def with_volume(self, name, change):
        volume = self.folder / "changed.ntfs"
        shutil.copyfile(self.volume, volume)
        change(volume)
        disk = make_disk(self.folder / name, {WINDOWS: volume, OTHER: self.other})
        volume.unlink()
        return disk

    def test_file_systems_that_windows_still_needs(self):
        def hibernate(volume):
            with mounted(volume) as root:
                (root / "hiberfil.sys").write_bytes(b"hibr" + bytes(8192))

        def unclean(volume):
            """A journal of two restart pages that says that the volume is in use."""
            with mounted(volume, "ro,show_sys_files") as root:
                size = (root / "$LogFile").stat().st_size
            data = bytearray(volume.read_bytes())
            at = data.index(b"\xff" * (64 << 10), 1)
            while at % 4096:
                at += 1
            page = bytearray(4096)
            struct.pack_into("<4sHHQIIHHH", page, 0, b"RSTR", 30, 9, 0, 4096, 4096, 48, 1, 1)
            struct.pack_into("<QHHHHIHHQIHH", page, 48, 0, 1, 0xFFFF, 0, 0, 0, 0xE0, 0x40, size, 0, 48, 64)
            struct.pack_into("<QQHHHHI", page, 48 + 64, 0, 0, 0xFFFF, 0xFFFF, 0, 0, 8)
            for sector in range(8):
                struct.pack_into("<H", page, 32 + 2 * sector, int.from_bytes(page[512 * sector + 510:512 * sector + 512], "little"))
            for sector in range(8):
                struct.pack_into("<H", page, 512 * sector + 510, 1)
            struct.pack_into("<H", page, 30, 1)
            data[at:at + 8192] = page + page
            volume.write_bytes(data)

        def mark(volume):
            must("ntfsfix", volume)

        def lock(volume):
            with open(volume, "r+b") as file:
                file.seek(3)
                file.write(b"-FVE-FS-")

        self.refused(self.with_volume("hibernated.raw", hibernate), 12, "hibernated", "shutdown /s /f /t 0")
        self.refused(self.with_volume("hibernated.raw", hibernate), 12, "hibernated", options=("--plan",))
        self.refused(self.with_volume("unclean.raw", unclean), 12, "journal", "shutdown /s /f /t 0")
        self.refused(self.with_volume("marked.raw", mark), 12, "chkdsk")
        self.refused(self.with_volume("locked.raw", lock), 12, "BitLocker", "manage-bde -off", "partition 3")

    def test_disks_that_are_not_all_there(self):
        whole = self.disk("compressed.qcow2")
        must("qemu-img", "create", "-f", "qcow2", "-F", "qcow2", "-b", whole, self.folder / "overlay.qcow2")
        self.refused(self.folder / "overlay.qcow2", 12, "only the differences", "compressed.qcow2")
        must("qemu-img", "create", "-f", "qcow2", "-o", "data_file=%s,data_file_raw=on" % (self.folder / "data.bin"), self.folder / "outside.qcow2", "%dM" % DISK_SIZE)
        self.refused(self.folder / "outside.qcow2", 12, "another file")
        must("qemu-img", "create", "-f", "qcow2", "--object", "secret,id=s,data=word", "-o", "encrypt.format=aes,encrypt.key-secret=s",
             self.folder / "secret.qcow2", "%dM" % DISK_SIZE)
        self.refused(self.folder / "secret.qcow2", 12, "encrypted")
        must("qemu-img", "convert", "-O", "vmdk", "-o", "subformat=monolithicFlat", self.raw, self.folder / "flat.vmdk")
        self.refused(self.folder / "flat.vmdk", 12, "several files", "subformat=monolithicSparse")
        child = self.disk("dynamic.vhd")
        data = bytearray(child.read_bytes())
        for footer in (0, len(data) - 512):
            data[footer + 60:footer + 64] = (4).to_bytes(4, "big")
        child.write_bytes(data)
        self.refused(child, 12, "only the differences")
        cut = self.disk("dynamic.vhdx")
        cut.write_bytes(cut.read_bytes()[:300000])
        self.refused(cut, 11, "can't be read as vhdx")

    def test_what_is_no_disk_with_windows(self):
        page = self.folder / "page.raw"
        page.write_text("<html>Sign in</html>\n" * 1000)
        self.refused(page, 11, "not a disk that this script knows")
        (self.folder / "install.wim").write_bytes(b"MSWIM\0\0\0" + bytes(1000))
        self.refused(self.folder / "install.wim", 11, "--wim")
        self.refused(make_disk(self.folder / "linux.raw", {WINDOWS: self.other, OTHER: self.other}), 11, "no partition with Windows", DATA)
        plain = self.folder / "plain.raw"
        plain.write_bytes(bytes(510) + b"\x55\xaa" + bytes(4 * MIB))
        self.refused(plain, 11, "plain.raw")
        short = self.folder / "short"
        short.write_bytes(b"x")
        self.refused(short, 11, "too short")

    def test_a_disk_that_is_in_use(self):
        disk = self.disk("compressed.qcow2")

        # It asks for commands when it has the disk. To ask it for the lock would be to hold the lock for a moment.
        with subprocess.Popen(["qemu-io", "-f", "qcow2", disk], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            try:
                self.assertEqual(holder.stdout.read(len(b"qemu-io> ")), b"qemu-io> ")
                result = self.customize("--in-place", disk)
                self.assertRefused(result, 12, "is in use")
            finally:
                holder.kill()
        os.link(disk, self.folder / "second.qcow2")
        self.refused(disk, 12, "hard link")

    def test_a_disk_that_changes_meanwhile(self):
        disk = self.disk("compressed.qcow2")
        result = self.customize("--in-place", disk, environment=self.fake('printf x >>"%s"\n' % disk))
        self.assertRefused(result, 12, "changed by another program")
        self.assertLeft("compressed.qcow2", "fake")

    def test_words(self):
        disk = self.disk("disk.raw")
        other = self.folder / "other"
        other.write_text("precious")
        self.refused(disk, 13, "exists", "--replace", options=("--out", other))
        self.refused(disk, 13, "no such folder", options=("--out", self.folder / "no/out.raw"))
        self.refused(disk, 10, "--in-place", options=("--out", disk))
        self.refused(disk, 10, "give one of", options=("--plan", "--in-place"))
        self.refused(disk, 10, "--partition", options=("--in-place", "--partition", "x"))
        self.refused(disk, 10, "--frobnicate", options=("--in-place", "--frobnicate"))
        self.refused(disk, 10, "standard input", words=["-"])
        self.refused(disk, 10, "--root", words=[SAMPLE, "--root", "/"])
        self.assertRefused(run(CUSTOMIZE, "--in-place", disk), 10, "-- SOURCE")
        self.assertRefused(run(CUSTOMIZE, "--out"), 10, "--out needs a value")
        self.assertRefused(self.customize("--in-place", self.folder / "no.raw"), 11, "no.raw: no such file")
        self.assertEqual(other.read_text(), "precious")

    def test_failures_keep_their_code(self):
        disk = self.disk("compressed.qcow2")
        self.refused(disk, 10, "credentials", words=[SAMPLE, "--credentials", "everywhere"])
        self.refused(disk, 12, "dirty hive", "exit 12", "was not touched", environment=self.fake("echo 'a dirty hive' >&2; exit 12\n"))
        self.refused(disk, 20, "drift", environment=self.fake('[ "$1" != plan ] || { echo drift; exit 4; }\n'))
        out = self.folder / "out.qcow2"
        out.write_text("precious")
        self.refused(disk, 7, "exit 7", options=("--replace", "--out", out), environment=self.fake("exit 7\n"))
        self.assertEqual(out.read_text(), "precious")
        self.assertDone(self.customize("--replace", "--out", out, disk))
        self.assertCustomised(out, "qcow2")

    def test_no_space(self):
        small = self.folder / "small"
        small.mkdir()
        must("mount", "-t", "tmpfs", "-o", "size=8m", "none", small)
        self.addCleanup(run, "umount", "-l", small)
        self.mounts = pathlib.Path("/proc/self/mountinfo").read_text()
        disk = self.disk("dynamic.vhdx")
        result = self.customize("--out", small / "out.vhdx", disk)
        self.assertRefused(result, 13, "MiB are needed", "8 MiB are free")
        self.assertEqual(os.listdir(small), [])


class CustomizeDiskEnds(Disk):
    """However it ends, the disk is the old one or the new one, and no mount and no process is left."""

    # Where it stops: a program, whether it ran before, and what its arguments begin with.
    POINTS = [("cp", False, ""), ("cp", True, ""), ("sfdisk", True, ""), ("qemu-storage-daemon", False, "--blockdev"), ("ntfs-3g", False, ""),
              ("provisioner", False, "apply"), ("provisioner", True, "apply"), ("umount", True, ""), ("provisioner", True, "plan"),
              ("qemu-img", False, "check"), ("sync", False, ""), ("mv", False, ""), ("mv", True, "")]

    def stops(self, program, ran, argument):
        """Programs of which one stops there, and says so; qemu-img does it as nobody."""
        self.folder.chmod(0o777)
        real = PROVISIONER if program == "provisioner" else which(program)
        script = 'stop() { echo >"%s/reached"; exec sleep 600; }\n' % self.folder
        script += 'case "$1" in "%s"*) ;; *) exec "%s" "$@";; esac\n' % (argument, real)
        script += '"%s" "$@" || exit\nstop\n' % real if ran else "stop\n"
        return self.with_tool(program, script)

    def begin(self, disk, environment=None):
        return subprocess.Popen([CUSTOMIZE, "--in-place", disk, "--", *self.words], env={**os.environ, **(environment or {})},
                                start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))

    def test_programs_that_fail(self):
        disk = self.disk("sparse.vmdk")
        before = disk.read_bytes()
        fails = "case \"$*\" in *%s*) echo broken >&2; exit 1;; esac; exec %s \"$@\"\n"
        # Such a program is killed while ours is at work on the mounted disk. Both are in one namespace of processes.
        dies = "echo $$ >\"${0%%/*}/number\"; exec %s \"$@\"\n"
        killer = put_tool(self.folder / "killer", "kill -KILL \"$(cat '%s/bin/number')\"\n" % self.folder)
        for program, script, argument, code, ours in (
                ("ntfs-3g", fails, "rw,no_detach", 11, PROVISIONER), ("umount", fails, "mnt", 20, PROVISIONER), ("mv", fails, "sparse", 13, PROVISIONER),
                ("sync", fails, "sparse", 13, PROVISIONER), ("qemu-img", fails, "convert", 13, PROVISIONER), ("qemu-img", fails, "create", 13, PROVISIONER),
                ("sfdisk", fails, "json", 11, PROVISIONER), ("ntfs-3g", dies, "", 20, killer), ("qemu-storage-daemon", dies, "", 20, killer)):
            with self.subTest(program=program, argument=argument, code=code):
                real = which(program)
                environment = self.with_tool(program, script % (argument, real) if argument else script % real)
                result = self.customize("--in-place", disk, environment={**environment, "PROVISIONER": str(ours)})
                self.assertEqual(result.returncode, code, result.stdout + result.stderr)
                self.assertIn("customize-disk: ", result.stderr)
                self.assertEqual(disk.read_bytes(), before)
                self.assertLeft("bin", "killer", "sparse.vmdk")

    def test_killed_between_any_two_steps(self):
        disk = self.disk("dynamic.vhdx")
        before = disk.read_bytes()
        for point in self.POINTS:
            with self.subTest(point):
                process = self.begin(disk, self.stops(*point))
                self.reach(process)
                process.kill()
                process.wait(60)
                self.assertGone()
                if point == ("mv", True, ""):
                    self.assertCustomised(disk, "vhdx")
                else:
                    self.assertEqual(disk.read_bytes(), before)
        shutil.rmtree(self.folder / "bin")
        self.assertNotEqual(os.listdir(self.folder), ["dynamic.vhdx"])
        self.assertDone(self.customize("--in-place", disk))
        self.assertLeft("dynamic.vhdx")
        self.assertCustomised(disk, "vhdx")

    def test_a_signal_leaves_nothing(self):
        disk = self.disk("compressed.qcow2")
        before = disk.read_bytes()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process = self.begin(disk, self.stops("provisioner", True, "apply"))
            self.reach(process)
            os.killpg(process.pid, number)
            self.assertEqual(process.wait(60), 128 + number)
            self.assertEqual(disk.read_bytes(), before)
            self.assertLeft("bin", "compressed.qcow2")

    def test_another_run_is_not_cleaned_away(self):
        disk = self.disk("compressed.qcow2")
        process = self.begin(disk, self.stops("provisioner", True, "apply"))
        self.reach(process)
        self.assertDone(self.customize("--out", self.folder / "out.qcow2", disk))
        self.assertEqual(len(list(self.folder.glob(".customize-disk.*"))), 1)
        process.terminate()
        process.wait(60)
        self.assertLeft("bin", "compressed.qcow2", "out.qcow2")


if __name__ == "__main__":
    unittest.main(verbosity=2)
