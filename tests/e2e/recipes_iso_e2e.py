#!/usr/bin/env python3
"""Runs images/recipes/customize-iso on a made-up ISO of Windows.

usage: recipes_iso_e2e.py PROVISIONER"""
import json
import os
import shutil
import signal
import subprocess
import unittest

from harness import SAMPLE, folder, missing, mode_of, must, need, run, skip
from program_file import make_program
from recipes import PROVISIONER, RECIPES, SECRET, Folder, bake_hives, make_windows

CUSTOMIZE = RECIPES / "customize-iso"
OURS = ["/Program Files/Provisioner/provisioner.exe", "/Windows/Setup/Scripts/Provisioner/manifest.json",
        "/Windows/Setup/Scripts/Provisioner/egress.json", "/Windows/Setup/Scripts/SetupComplete.cmd", "/Windows/System32/Sysprep/unattend.xml"]


def make_iso(place, name, image, as_name="sources/install.wim"):
    """UDF beside ISO 9660, as 7z finds it on a Windows medium."""
    root = place / (name + ".root")
    (root / "sources").mkdir(parents=True)
    shutil.copy(image, root / as_name)
    (root / "setup.exe").write_bytes(b"MZ")
    must("genisoimage", "-quiet", "-udf", "-allow-limited-size", "-iso-level", "3", "-V", "SSS_X64", "-o", place / name, root)
    return place / name


class Iso(Folder):
    """One ISO with two images for all tests; their hives are ones that the program wrote, with an older proxy."""

    @classmethod
    def setUpClass(cls):
        cls.missing = missing("7z", "wimlib-imagex", "genisoimage")
        if cls.missing:
            return
        cls.made = folder(cls, prefix="recipes-iso-")
        make_windows(cls.made / "windows", bake_hives(cls.made))
        cls.wim = cls.made / "install.wim"
        must("wimlib-imagex", "capture", cls.made / "windows", cls.wim, "Server Core", "--compress=LZX")
        must("wimlib-imagex", "append", cls.made / "windows", cls.wim, "Server Desktop")
        cls.iso = make_iso(cls.made, "windows.iso", cls.wim)
        cls.exe = cls.made / "provisioner.exe"
        cls.exe.write_bytes(make_program(os.urandom(1000)))

    def setUp(self):
        super().setUp()
        if self.missing:
            skip(self, "not installed: " + self.missing)

    def customize(self, *arguments, environment=None):
        return run(CUSTOMIZE, *arguments, env={**os.environ, **(environment or {})})


class CustomizeIso(Iso):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "install.wim"
        self.options = ["--exe", self.exe, "--service", "containerd"]

    def files(self, wim, index):
        return must("wimlib-imagex", "dir", wim, index).splitlines()

    def contents(self, index, path):
        must("wimlib-imagex", "extract", self.out, index, path, "--dest-dir", self.folder / "taken")
        data = (self.folder / "taken" / path.split("/")[-1]).read_bytes()
        shutil.rmtree(self.folder / "taken")
        return data

    def assertCustomised(self, index, secret=True):
        files = self.files(self.out, index)
        for name in OURS:
            self.assertIn(name, files)
        hive = self.contents(index, "/Windows/System32/config/SYSTEM")
        self.assertIn("proxy.example.com:3128".encode("utf-16-le"), hive)
        self.assertEqual(SECRET.encode("utf-16-le") in hive, secret)
        self.assertEqual(SECRET.encode() in self.contents(index, "/Windows/Setup/Scripts/Provisioner/egress.json"), secret)

    def test_one_image_of_an_iso(self):
        before = self.iso.read_bytes()
        result = self.customize(self.iso, SAMPLE, self.out, "--index", "2", *self.options)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("image 2 (Server Desktop)", result.stdout)
        self.assertNotIn(SECRET, result.stdout + result.stderr)
        self.assertLeft("install.wim")
        self.assertEqual(mode_of(self.out), 0o600)
        self.assertCustomised(2)
        self.assertEqual(self.files(self.out, 1), self.files(self.wim, 1))
        self.assertIn("/Windows/notepad.exe", self.files(self.out, 2))
        self.assertEqual(self.iso.read_bytes(), before)

    def test_a_second_run_writes_nothing(self):
        must(CUSTOMIZE, self.iso, SAMPLE, self.out, "--all", *self.options)
        self.assertCustomised(1)
        self.assertCustomised(2)
        before = self.out.read_bytes()
        again = json.loads(must(PROVISIONER, "apply", SAMPLE, "--wim", "%s:1,2" % self.out, "--install", *self.options, "--output", "json"))
        self.assertEqual(again["writes"], 0, again)
        self.assertEqual(self.out.read_bytes(), before)
        # Nor if the result is customised again, which takes a WIM for an ISO.
        must(CUSTOMIZE, self.out, SAMPLE, self.folder / "again.wim", "--all", *self.options)
        self.assertEqual((self.folder / "again.wim").read_bytes(), before)

    def test_a_solid_esd(self):
        esd = self.folder / "install.esd"
        must("wimlib-imagex", "export", self.wim, "1", esd, "--solid")
        iso = make_iso(self.folder, "esd.iso", esd, "sources/install.esd")
        must(CUSTOMIZE, iso, SAMPLE, self.out, *self.options)
        self.assertCustomised(1)

    def test_options_behind_two_dashes_are_those_of_apply(self):
        must(CUSTOMIZE, self.iso, SAMPLE, self.out, "--index", "1", *self.options, "--", "--credentials", "none")
        self.assertCustomised(1, secret=False)
        refused = self.customize(self.iso, SAMPLE, self.folder / "other.wim", "--index", "1", "--", "--credentials", "everywhere")
        self.assertRefused(refused, 10, "credentials")


class CustomizeIsoRefuses(Iso):
    """Nothing here needs a provisioner: it ends before, or takes one that only plays one."""

    def test_what_is_no_windows_medium(self):
        (self.folder / "page.iso").write_text("<html>Sign in</html>\n" * 100)
        self.assertRefused(self.customize(self.folder / "page.iso", SAMPLE, self.folder / "out.wim"), 11, "7z can't read it")
        iso = make_iso(self.folder, "other.iso", self.wim, "sources/boot.wim")
        self.assertRefused(self.customize(iso, SAMPLE, self.folder / "out.wim"), 11, "no sources/install.wim", "setup.exe")
        split = make_iso(self.folder, "split.iso", self.wim, "sources/install.swm")
        self.assertRefused(self.customize(split, SAMPLE, self.folder / "out.wim"), 11, "wimlib-imagex join")
        empty = make_iso(self.folder, "empty.iso", self.exe)
        self.assertRefused(self.customize(empty, SAMPLE, self.folder / "out.wim"), 11, "can't be read as a WIM")
        self.assertLeft(*[name + end for name in ("other.iso", "split.iso", "empty.iso") for end in ("", ".root")], "page.iso")

    def test_an_iso_that_was_cut_short(self):
        cut = self.folder / "cut.iso"
        whole, image = self.iso.read_bytes(), self.wim.read_bytes()
        cut.write_bytes(whole[: whole.index(image) + len(image) // 2])
        result = self.customize(cut, SAMPLE, self.folder / "out.wim", "--index", "1")
        self.assertRefused(result, 11, "cut.iso")
        self.assertLeft("cut.iso")

    def test_which_image(self):
        out = self.folder / "out.wim"
        self.assertRefused(self.customize(self.iso, SAMPLE, out), 10, "has 2 images", "1  Server Core", "2  Server Desktop", "--all")
        self.assertRefused(self.customize(self.iso, SAMPLE, out, "--index", "3"), 10, "no image 3", "2  Server Desktop")
        self.assertRefused(self.customize(self.iso, SAMPLE, out, "--index", "x"), 10, "--index")
        self.assertRefused(self.customize(self.iso, SAMPLE, out, "--index", "1", "--all"), 10, "--all")
        self.assertEqual(self.customize("--list", self.iso, environment={"TMPDIR": str(self.folder)}).stdout.splitlines()[-2:],
                         ["  1  Server Core", "  2  Server Desktop"])
        self.assertLeft()

    def test_places(self):
        out = self.folder / "out.wim"
        out.write_text("precious")
        self.assertRefused(self.customize(self.iso, SAMPLE, out, "--all"), 13, "exists", "--replace")
        self.assertRefused(self.customize(self.iso, SAMPLE, self.folder / "no/out.wim"), 13, "no such folder")
        self.assertRefused(self.customize(self.folder / "no.iso", SAMPLE, self.folder / "o.wim"), 11, "no.iso: no such file")
        self.assertRefused(self.customize(self.iso, self.folder / "no.json", self.folder / "o.wim"), 11, "no.json")
        self.assertRefused(self.customize(self.iso, SAMPLE, self.folder / "o.wim", "--exe", "no.exe"), 11, "no such file; a package has one")
        self.assertRefused(self.customize(self.iso, SAMPLE), 10, "--help")
        self.assertRefused(self.customize(self.iso, SAMPLE, self.folder / "o.wim", "--frobnicate"), 10, "--frobnicate")
        self.assertEqual(out.read_text(), "precious")
        self.assertLeft("out.wim")

    def test_a_failure_keeps_its_code_and_leaves_nothing(self):
        environment = self.fake("echo '%s: this hive is dirty' >&2; exit 12\n" % "SYSTEM")
        (self.folder / "out.wim").write_text("precious")
        result = self.customize(self.iso, SAMPLE, self.folder / "out.wim", "--replace", "--all", environment=environment)
        self.assertRefused(result, 12, "this hive is dirty", "exit 12", "was not touched")
        self.assertEqual((self.folder / "out.wim").read_text(), "precious")
        self.assertLeft("fake", "out.wim")

    def test_a_certificate_that_expires_soon_is_no_fault_of_the_image(self):
        for reasons, code in (('["expiry"]', 0), ('["drift", "expiry"]', 20), ("[]", 20)):
            environment = self.fake('[ "$1" != status ] || { echo \'{"reasons": %s}\'; exit 4; }\n' % reasons)
            out = self.folder / "out.wim"
            result = self.customize(self.iso, SAMPLE, out, "--all", environment=environment)
            self.assertEqual(result.returncode, code, result.stdout + result.stderr)
            self.assertEqual(out.exists(), code == 0)
            out.unlink(missing_ok=True)

    def test_a_result_that_fails_its_check_is_no_result(self):
        for command in ("status", "plan"):
            environment = self.fake('[ "$1" != %s ] || { echo drift; exit 4; }\n' % command)
            self.assertRefused(self.customize(self.iso, SAMPLE, self.folder / "out.wim", "--all", environment=environment), 20, "drift")
        damage = self.fake('case $1 in apply) f=${4%%:*}; dd if=/dev/urandom of="$f" bs=1 seek=300 count=2000 conv=notrunc 2>/dev/null;; esac\n')
        self.assertRefused(self.customize(self.iso, SAMPLE, self.folder / "out.wim", "--all", environment=damage), 20, "damaged")
        self.assertLeft("fake")

    def test_replace(self):
        (self.folder / "out.wim").write_text("old")
        result = self.customize(self.iso, SAMPLE, self.folder / "out.wim", "--all", "--replace", environment=self.fake("exit 0\n"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((self.folder / "out.wim").read_bytes(), self.wim.read_bytes())
        self.assertLeft("fake", "out.wim")

    def test_an_interrupted_run_leaves_nothing(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            environment = {**os.environ, **self.fake("echo $$ > %s/reached; exec sleep 600\n" % self.folder)}
            process = subprocess.Popen([CUSTOMIZE, self.iso, SAMPLE, self.folder / "out.wim", "--all"], env=environment, start_new_session=True,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
            self.reach(process)
            os.killpg(process.pid, number)
            self.assertEqual(process.wait(60), 128 + number)
            self.assertLeft("fake")

    def test_no_space(self):
        need(self, "unshare")
        small = self.folder / "small"
        small.mkdir()
        script = 'mount -t tmpfs -o size=2m none "$1" || exit 77; "$2" "$3" "$4" "$1/out.wim" --all; code=$?; ls -A "$1"; exit $code'
        result = run("unshare", "-m", "sh", "-c", script, "sh", small, CUSTOMIZE, self.iso, SAMPLE)
        if result.returncode == 77 or "unshare failed" in result.stderr:
            skip(self, "a small volume needs the right to mount (root)")
        self.assertRefused(result, 13, "MiB are needed", "2 MiB are free")
        self.assertEqual(result.stdout, "")

    def test_missing_tools_are_named_with_their_packages(self):
        (self.folder / "bin").mkdir()
        (self.folder / "bin/dirname").symlink_to(shutil.which("dirname"))
        result = run(shutil.which("bash"), CUSTOMIZE, self.iso, SAMPLE, self.folder / "out.wim", env={"PATH": str(self.folder / "bin")})
        self.assertRefused(result, 10, "apt-get install p7zip-full wimtools")


if __name__ == "__main__":
    unittest.main(verbosity=2)
