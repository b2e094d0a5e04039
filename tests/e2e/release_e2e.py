#!/usr/bin/env python3
"""The packages of a release: made twice with the same bytes, installed into a root of their own, run there and removed.

usage: release_e2e.py PROVISIONER BUILD_FOLDER     packs what cmake --install takes out of the build
       release_e2e.py --packages FOLDER            looks at packages that scripts/release made"""
import glob
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import zipfile

import release_trust_e2e
from image_root import run_in, unpacked
from release_rpm import Rpm  # noqa: F401: its tests run with the others
from release_world import EPOCH, FINISHED, PACK, SCRATCH, VERSION, pack, package, packages, read, small, staged, tarball
from harness import ROOT, SAMPLE, digests, end_unrun, folder, missing, must, need, put_tool, run, skip

DOC = "share/doc/provisioner/"


def setUpModule():
    if lacking := missing("dpkg-deb", "dpkg-shlibdeps", "objdump", "cmake"):
        end_unrun("missing: " + lacking)


class Packages(unittest.TestCase):
    def test_sums_and_provenance_name_every_file(self):
        if not FINISHED:
            self.skipTest("scripts/sums and scripts/provenance have tests of their own")
        must("sha256sum", "--strict", "--check", "SHA256SUMS", cwd=packages())
        named = set(re.findall(r"(?m)^[0-9a-f]{64}  (\S+)$", read(packages(), "SHA256SUMS").decode()))
        self.assertEqual(named, set(os.listdir(packages())) - {"SHA256SUMS", "SHA256SUMS.p7s"})
        release_trust_e2e.check_statement(self, json.loads(read(package("*.provenance.json"))), pathlib.Path(packages()))

    def test_bills_of_materials_are_of_the_programs_in_the_packages(self):
        program, inside = (tarball()[path][1] for path in ("bin/provisioner", DOC + "provisioner.spdx.json"))
        self.assertEqual(inside, read(package("*-linux-x86_64.spdx.json")))
        bill = json.loads(inside)
        self.assertEqual(bill["packages"][0]["checksums"][0]["checksumValue"], hashlib.sha256(program).hexdigest())
        self.assertEqual(bill["packages"][0]["licenseDeclared"], "Apache-2.0")
        if not glob.glob(os.path.join(packages(), "*.zip")):
            skip(self, "no zip was made")
        with zipfile.ZipFile(package("*-windows-x86_64.zip")) as archive:
            name = archive.namelist()[0].split("/")[0]
            program, inside = (archive.read(f"{name}/{file}") for file in ("provisioner.exe", "provisioner.spdx.json"))
        self.assertEqual(inside, read(package("*-windows-x86_64.spdx.json")))
        self.assertIn(hashlib.sha256(program).hexdigest(), inside.decode())

    def test_the_tarball_runs_where_it_is_unpacked(self):
        with tempfile.TemporaryDirectory() as place:
            must("tar", "-xf", package("*-linux-x86_64.tar.gz"), "--strip-components=1", "-C", place)
            self.assertTrue(must(f"{place}/bin/provisioner", "--version").startswith(f"provisioner {VERSION}\n"))
            wanted = re.search(r"GNU C library (\S+) or later", read(place, "share/doc/provisioner/REQUIREMENTS.txt").decode())[1]
            self.assertIn(f"GLIBC_{wanted}", must("objdump", "-T", f"{place}/bin/provisioner"))
            for path in ("share/man/man1/provisioner.1", "share/bash-completion/completions/provisioner", "share/zsh/site-functions/_provisioner"):
                self.assertTrue(os.path.getsize(os.path.join(place, path)), path)
            for page in ("LICENSE", "NOTICE", "licenses.txt", "README.md", "provisioner/docs/state.md"):
                self.assertTrue(os.path.getsize(os.path.join(place, "share/doc/provisioner", page)), page)
            codes = read(place, "share/doc/provisioner/provisioner/docs/codes.md").decode()
            self.assertEqual(codes, must(f"{place}/bin/provisioner", "explain-code", "--markdown"))
            recipe = os.path.join(place, "share/doc/provisioner/images/recipes/customize-iso")
            self.assertTrue(must(recipe, "--help").startswith("Takes install.wim out of a Windows ISO"))

    def test_links_of_pages_lead_to_files_of_the_package(self):
        names = {path.removeprefix(DOC) for path in tarball() if path.startswith(DOC)}
        pages = {path.removeprefix(DOC): text.decode() for path, (_, text) in tarball().items() if path.endswith(".md")}
        self.assertGreater(len(pages), 30)
        folders = {os.path.dirname(name) for name in names}
        faults = [f"{page}: {link}" for page, text in pages.items()
                  for link in re.findall(r"\]\((?!https?:)([^)#\s]+)", re.sub(r"(?ms)^```.*?^```", "", text))
                  if os.path.normpath(os.path.join(os.path.dirname(page), link)) not in names | folders]
        self.assertEqual(faults, [])

    def test_installed_from_the_tarball_all_may_read_it(self):
        """By the command that it comes with, with the umask that a careful administrator has."""
        command = re.search(r"(?m)^  (.*tar -xf THIS .* /usr/local)$", tarball()[DOC + "REQUIREMENTS.txt"][1].decode())[1]
        folders = {path for path, (entry, _) in tarball().items() if entry.isdir()}
        # Its own, and none that the system has: tar would change the rights of those.
        self.assertLessEqual({"share/provisioner", "share/doc/provisioner", "share/doc/provisioner/provisioner/docs"}, folders)
        self.assertEqual([name for name in folders if name in ("bin", "share") or name.startswith(("share/man", "share/zsh"))], [])
        with tempfile.TemporaryDirectory() as place:
            command = command.replace("THIS", package("*-linux-x86_64.tar.gz")).replace("/usr/local", place)
            must("sh", "-c", f"umask 077; {command}")
            for at, folders, names in os.walk(place):
                for name in folders + names:
                    rights = os.stat(os.path.join(at, name)).st_mode
                    self.assertEqual(rights & 0o044, 0o044, f"{at}/{name} is {rights:o}")

    def test_the_page_says_how_all_of_the_tarball_is_removed(self):
        files = [path for path, (entry, _) in tarball().items() if not entry.isdir()]
        section = re.search(r"(?ms)^## Remove\n(.*?)^## ", read(ROOT, "provisioner/docs/packages.md").decode())[1]
        told = re.findall(r"`((?:bin|share)/[^`]+)`", section)
        self.assertEqual([path for path in files if not any(path == one or path.startswith(one + "/") for one in told)], [])
        self.assertEqual([one for one in told if not any(path == one or path.startswith(one + "/") for path in files)], [])

    def test_the_released_program_runs_with_older_c_libraries(self):
        if not FINISHED:
            self.skipTest("of finished packages: scripts/release links the program for older systems than this one")
        wanted = re.search(r"GNU C library 2\.(\d+) or later", tarball()[DOC + "REQUIREMENTS.txt"][1].decode())[1]
        self.assertLessEqual(int(wanted), 34, "RHEL 9 has 2.34")

    def test_entries_have_one_time_and_one_owner(self):
        entries = [entry for entry, _ in tarball().values()]
        self.assertEqual(len({entry.mtime for entry in entries}), 1)
        self.assertEqual({(entry.uid, entry.gid, entry.uname) for entry in entries}, {(0, 0, "root")})
        self.assertEqual({oct(entry.mode) for entry in entries}, {"0o755", "0o644"})
        listed = must("dpkg-deb", "--contents", package("provisioner_*.deb")).splitlines()
        self.assertEqual({tuple(line.split()[1:2]) for line in listed}, {("root/root",)})
        self.assertEqual(len({tuple(line.split()[3:5]) for line in listed}), 1, "times")
        rights = {line.split()[0] for line in listed}
        self.assertLessEqual(rights, {"drwxr-xr-x", "-rw-r--r--", "-rwxr-xr-x", "lrwxrwxrwx"})

    def test_the_zip_has_what_windows_needs(self):
        if not glob.glob(os.path.join(packages(), "*.zip")):
            skip(self, "no zip was made")
        with zipfile.ZipFile(package("*-windows-x86_64.zip")) as archive:
            self.assertIsNone(archive.testzip())
            names = {name.split("/", 1)[1] for name in archive.namelist()}
            completion = archive.read(next(name for name in archive.namelist() if name.endswith("/Register-Completion.ps1")))
        self.assertLessEqual({"provisioner.exe", "LICENSE.txt", "NOTICE.txt", "licenses.txt", "README.md", "provisioner/docs/state.md",
                              "provisioner/docs/codes.md", "images/recipes/Customize-Disk.ps1"}, names)
        self.assertNotIn("provisioner.ps1", names, "PowerShell would run it instead of the program")
        self.assertEqual(completion.count(b"\n"), completion.count(b"\r\n"))


class ControllerImage(unittest.TestCase):
    """The image that scripts/release made."""

    def test_it_runs_as_nobody_and_has_no_shell(self):
        if not FINISHED:
            self.skipTest("scripts/pack makes none; scripts/release does")
        lacking = missing("skopeo", "bsdtar", "unshare")
        if lacking or os.geteuid() != 0:
            skip(self, f"missing: {lacking}" if lacking else "only root may chroot")
        config, root = unpacked(package("provisioner-controller-*.oci"), folder(self))
        self.assertEqual([str(path) for path in root.rglob("*") if path.is_file() and path.parent.name in ("bin", "sbin")],
                         [str(root / "usr/bin/provisioner")])
        self.assertTrue(run_in(root, config, "--version").startswith(f"provisioner {VERSION}\n"))
        # The libraries that are loaded later are there: the answer is one of the network.
        done = run_in(root, config, "check", "https://127.0.0.1:1/x.json", "--output", "json", code=14)
        self.assertIn('"network"', done)
        self.assertIn("BEGIN CERTIFICATE", read(root, "etc/ssl/certs/ca-certificates.crt").decode())
        self.assertTrue((root / "usr/share/doc/libc6/copyright").is_file())


class Reproducible(unittest.TestCase):
    def setUp(self):
        if FINISHED:
            self.skipTest("of finished packages, scripts/release run twice shows it")

    def test_another_clock_mask_and_order_give_the_same_bytes(self):
        linux, windows = staged("other", small=True)
        for place, _, names in os.walk(linux, topdown=False):
            for at, path in enumerate(pathlib.Path(place, name) for name in sorted(names)):
                if path.is_symlink():
                    continue
                # Written anew: another order within the folder, other times and rights.
                data, rights = path.read_bytes(), path.stat().st_mode
                path.unlink()
                path.write_bytes(data)
                path.chmod(rights & 0o700)
                os.utime(path, (1_000_000_000 + at, 1_000_000_000 + at))
            os.chmod(place, 0o700)
        other = pack((linux, windows), os.path.join(SCRATCH.name, "other-packages"),
                     env={**os.environ, "TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8"}, umask=0o077)
        first = small()[1]
        self.assertEqual(sorted(os.listdir(other)), sorted(os.listdir(first)))
        for name in os.listdir(other):
            self.assertTrue(read(other, name) == read(first, name), f"{name} differs")


def gzip_time(data):
    return int.from_bytes(data[4:8], "little")


class Pack(unittest.TestCase):
    """What scripts/pack refuses, and what it leaves where it stops."""

    def setUp(self):
        if FINISHED:
            self.skipTest("of finished packages there is nothing to pack")
        self.folder = folder(self)
        self.out = os.path.join(self.folder, "out")

    def words(self, *more):
        (linux, windows), _ = small()
        return [PACK, "--version", VERSION, "--epoch", str(EPOCH), "--linux", linux, "--windows", windows, "--out", self.out, *more]

    def refused(self, code, said, *more):
        done = run(*self.words(*more))
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(said, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_what_is_there_is_not_overwritten(self):
        self.refused(10, "is there already", "--out", small()[1])

    def test_a_maintainer_that_adds_a_field(self):
        for odd in ("A <a@b>\nDepends: evil", "A", "<a@b>", "A <a>", "A <a@b> "):
            self.refused(10, "--maintainer takes", "--maintainer", odd)

    def stopped(self, how):
        """Stops it while the .deb is compressed; gives what is beside the place then."""
        tools = put_tool(self.folder / "bin/dpkg-deb", f"echo $$ > {self.folder}/at\nexec sleep 600\n").parent
        with subprocess.Popen(self.words(), env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}, stderr=subprocess.DEVNULL) as child:
            while not (self.folder / "at").exists() or not read(self.folder, "at").endswith(b"\n"):
                self.assertIsNone(child.poll(), "it ended by itself")
                time.sleep(0.02)
            child.send_signal(how)
            child.wait()
        try:
            os.kill(int(read(self.folder, "at")), signal.SIGKILL)
        except ProcessLookupError:
            pass
        return set(os.listdir(self.folder)) - {"bin", "at"}

    def test_terminated_it_leaves_nothing(self):
        self.assertEqual(self.stopped(signal.SIGTERM), set())

    def test_killed_it_leaves_no_packages_and_the_next_run_makes_them(self):
        left = self.stopped(signal.SIGKILL)
        self.assertNotIn("out", left)
        must(*self.words())
        self.assertEqual(digests(pathlib.Path(self.out)), digests(pathlib.Path(small()[1])))
        must("rm", "-r", *(os.path.join(self.folder, name) for name in left))


class Debian(unittest.TestCase):
    def field(self, name):
        return must("dpkg-deb", "--field", package("provisioner_*.deb"), name).strip()

    def test_says_what_it_needs(self):
        self.assertEqual((self.field("Package"), self.field("Version")), ("provisioner", VERSION))
        depends = self.field("Depends")
        self.assertRegex(depends, r"libc6 \(>= 2\.\d+\)")
        # Loaded when they are needed: the first name that is tried is that of Debian's package.
        for source, field in (("provisioner/net/curl_functions_posix.cc", "Recommends"), ("images/archive/archive_posix.cc", "Recommends"),
                              ("images/tree/wim_codec_posix.cc", "Suggests")):
            library = re.search(r'posix::Library \w+\(\{"lib(\w+)\.so\.(\d+)"', read(ROOT, source).decode())
            self.assertIn(f"lib{library[1]}{library[2]}", self.field(field), source)
        self.assertRegex(self.field("Maintainer"), r"^[^<]+ <[^<> ]+@[^<> ]+>$")
        self.assertGreater(int(self.field("Installed-Size")), 1000)

    def root(self):
        """An empty root whose dpkg believes that the packages are there that ours depends on, with their libraries."""
        root = os.path.join(self.folder, "root")
        for path in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers", "var/log", "tmp"):
            os.makedirs(os.path.join(root, path))
        needed = re.findall(r"(?:^|, )([a-z0-9.+-]+)", self.field("Depends"))
        status = "\n".join(must("dpkg-query", "--status", name) for name in needed)
        pathlib.Path(root, "var/lib/dpkg/status").write_text(status)
        return root

    def dpkg(self, root, *words):
        return must("dpkg", f"--root={root}", f"--log={self.folder}/log", "--force-not-root,script-chrootless,bad-path", *words)

    def files_of(self, root):
        return {os.path.relpath(os.path.join(folder, name), root) for folder, folders, names in os.walk(root) for name in names + folders
                if not os.path.relpath(folder, root).startswith("var/lib/dpkg")}

    def setUp(self):
        self.folder = folder(self)

    def test_is_installed_and_removed_without_a_trace(self):
        root = self.root()
        before = self.files_of(root)
        self.dpkg(root, "--install", package("provisioner_*.deb"))
        self.assertIn("install ok installed", must("dpkg-query", f"--admindir={root}/var/lib/dpkg", "--status", "provisioner"))
        self.assertEqual(self.dpkg(root, "--verify", "provisioner"), "")
        for path in ("usr/bin/provisioner", "usr/share/man/man1/provisioner.1.gz", "usr/share/bash-completion/completions/provisioner",
                     "usr/share/zsh/vendor-completions/_provisioner",
                     "usr/share/doc/provisioner/copyright", "usr/share/doc/provisioner/changelog.gz", "usr/share/doc/provisioner/NOTICE",
                     "usr/share/doc/provisioner/provisioner.spdx.json", "usr/share/doc/provisioner/licenses.txt"):
            self.assertTrue(os.path.getsize(os.path.join(root, path)), path)
        self.assertTrue(gzip.decompress(read(root, "usr/share/man/man1/provisioner.1.gz")).startswith(b".TH PROVISIONER 1 "))
        self.dpkg(root, "--purge", "provisioner")
        self.assertEqual(self.files_of(root), before)

    def test_its_changelog_is_one_that_debians_tools_read(self):
        root = self.root()
        self.dpkg(root, "--install", package("provisioner_*.deb"))
        packed = read(root, "usr/share/doc/provisioner/changelog.gz")
        self.assertEqual(gzip_time(packed), 0)
        path = self.folder / "changelog"
        path.write_bytes(gzip.decompress(packed))
        said = must("dpkg-parsechangelog", "-l", path)
        self.assertRegex(said, rf"(?m)^Version: {re.escape(VERSION)}$")
        self.assertNotIn("warning", said)
        self.assertRegex(read(root, "usr/share/doc/provisioner/copyright").decode(), r"(?m)^Copyright: \d{4} ")

    def test_is_upgraded_from_a_candidate_and_installed_again(self):
        if FINISHED:
            self.skipTest("of finished packages there is one version")
        older, same = (pack(small()[0], os.path.join(self.folder, version), "--version", version) for version in ("0.9.0-rc.1", "0.9.0"))
        root = self.root()
        # Somebody's copy of the program is there already.
        os.makedirs(os.path.join(root, "usr/bin"))
        pathlib.Path(root, "usr/bin/provisioner").write_text("copied\n")
        for place, version in ((older, "0.9.0~rc.1"), (same, "0.9.0"), (same, "0.9.0")):
            self.dpkg(root, "--refuse-downgrade", "--install", *glob.glob(os.path.join(place, "*.deb")))
            self.assertIn(f"Version: {version}\n", must("dpkg-query", f"--admindir={root}/var/lib/dpkg", "--status", "provisioner"))
            self.assertEqual(self.dpkg(root, "--verify", "provisioner"), "")
        self.dpkg(root, "--purge", "provisioner")
        self.assertFalse(os.path.exists(os.path.join(root, "usr")), "something is left")

    def test_programs_linked_with_its_library_depend_on_it(self):
        if FINISHED:
            self.skipTest("of finished packages, the library is linked and run")
        need(self, "cc")
        linux, windows = staged("with-library", small=True)
        place = pathlib.Path(linux, "usr/lib")
        place.mkdir(parents=True, exist_ok=True)
        source = self.folder / "library.c"
        source.write_text('#include <stdlib.h>\nvoid* provisioner_x(void) { return malloc(1); }\n')
        must("cc", "-shared", "-fPIC", "-Wl,-soname,libprovisioner.so.1", source, "-o", place / "libprovisioner.so.0.1.0")
        (place / "libprovisioner.so.1").symlink_to("libprovisioner.so.0.1.0")
        made = glob.glob(os.path.join(pack((linux, windows), os.path.join(self.folder, "made")), "*.deb"))[0]
        self.assertEqual(must("dpkg-deb", "--info", made, "shlibs"), f"libprovisioner 1 provisioner (>= {VERSION})\n")
        self.assertIn("ldconfig", must("dpkg-deb", "--info", made, "triggers"))

    def add_system(self, root):
        """The loader and the libraries of the packages that ours depends on."""
        said = must("ldd", os.path.join(root, "usr/bin/provisioner"))
        for path in set(re.findall(r"(/\S+) \(0x", said)):
            os.makedirs(os.path.dirname(root + path), exist_ok=True)
            shutil.copy(path, root + path)

    def test_runs_in_a_root_that_has_nothing_else(self):
        root = self.root()
        self.dpkg(root, "--install", package("provisioner_*.deb"))
        self.add_system(root)
        enter = ["chroot", root] if os.geteuid() == 0 else ["unshare", "--map-root-user", "chroot", root]
        tried = run(*enter, "/usr/bin/provisioner", "--version")
        if tried.returncode != 0 and "provisioner" not in tried.stdout and re.search(r"chroot|unshare", tried.stderr):
            skip(self, f"no root of its own: {tried.stderr.strip()}")
        self.assertEqual(tried.returncode, 0, tried.stderr)
        self.assertTrue(tried.stdout.startswith(f"provisioner {VERSION}\n"), tried.stdout)
        shutil.copy(SAMPLE, os.path.join(root, "tmp"))
        must(*enter, "/usr/bin/provisioner", "bake", "/tmp/rendered-worker.json", "--out", "/tmp/payload")
        self.assertTrue(os.path.exists(os.path.join(root, "tmp/payload/manifest.json")))
        self.check_commands_without_libraries([*enter, "/usr/bin/provisioner"])

    def check_commands_without_libraries(self, program):
        """The libraries that are loaded when they are needed are not there: these commands do without."""
        source = "/tmp/rendered-worker.json"
        for words in (["extract", source], ["check", source], ["explain", source, "--url", "https://a.example/", "--html", "/tmp/page.html"],
                      ["bake", source, "--out", "/tmp/user-data.yaml", "--format", "userdata", "--platform", "aws"],
                      ["deploy", "--print", "--image", "registry.example.com/provisioner:1"], ["man"], ["completion", "bash"]):
            with self.subTest(words):
                must(*program, *words)
        # These need one, and name its package on Debian and on RHEL.
        for words, code, package_name in ((["extract", "https://127.0.0.1:9/x"], 14, "libcurl4 (RHEL: libcurl)"),
                                          *((["bake", source, "--out", f"/tmp/out.{form}", "--format", form], 13, "libarchive13 (RHEL: libarchive)")
                                            for form in ("tar", "tgz", "zip", "iso"))):
            with self.subTest(words):
                done = run(*program, *words)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(f"install {package_name}", done.stderr)

    def test_its_library_is_found_by_pkg_config_and_linked(self):
        root = self.root()
        self.dpkg(root, "--install", package("provisioner_*.deb"))
        described = glob.glob(os.path.join(root, "usr/lib/*/pkgconfig/provisioner.pc")) + glob.glob(os.path.join(root, "usr/lib/pkgconfig/provisioner.pc"))
        if not described:
            if FINISHED:
                self.fail("the package has no libprovisioner")
            skip(self, "this build has no libprovisioner (-DPROVISIONER_C_LIBRARY=ON); scripts/release tests the one it builds")
        need(self, "pkg-config", "cc")
        environment = {**os.environ, "PKG_CONFIG_LIBDIR": os.path.dirname(described[0]), "PKG_CONFIG_SYSROOT_DIR": root}
        flags = must("pkg-config", "--cflags", "--libs", "provisioner", env=environment).split()
        source, program = self.folder / "ask.c", self.folder / "ask"
        source.write_text('#include <provisioner.h>\n#include <stdio.h>\nint main(void) {\n'
                          '  provisioner_decision* d = provisioner_decide("http://p:3128", "http://p:3128", ".svc", "https://a.svc/", NULL);\n'
                          '  printf("%d %s\\n", (int)provisioner_decision_route(d), provisioner_decision_entry(d));\n'
                          '  provisioner_decision_free(d);\n  return 0;\n}\n')
        must("cc", "-std=c11", "-Wall", "-Werror", source, "-o", program, *flags)
        libraries = os.path.dirname(os.path.dirname(described[0]))
        self.assertEqual(must(program, env={**os.environ, "LD_LIBRARY_PATH": libraries}), "0 .svc\n")
        shown = must("nm", "--dynamic", "--defined-only", os.path.join(libraries, "libprovisioner.so.1"))
        self.assertEqual([name for name in re.findall(r"(?m) [A-Za-z] (\S+?)(?:@.*)?$", shown) if not name.startswith(("provisioner_", "PROVISIONER_"))], [])


class DebianSystem(unittest.TestCase):
    """A Debian system that has nothing but apt, made with the package servers that this machine's apt uses: apt finds what the
    package needs, the program runs, and nothing of it is left when it is removed."""

    @classmethod
    def setUpClass(cls):
        lacking = missing("mmdebstrap", "apt-get")
        if lacking or os.geteuid() != 0:
            cls.skip_all(f"missing: {lacking}" if lacking else "only root makes a system")
        targets = must("apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)", "Created-By: Packages", "Origin: Debian")
        cls.servers = sorted({"deb " + line for line in targets.splitlines()})
        suites = [line.split()[2] for line in cls.servers if re.fullmatch(r"\w+", line.split()[2])]
        if not suites:
            cls.skip_all("apt knows no server of Debian; run apt-get update")
        cls.root = str(folder(cls) / "root")
        made = run("mmdebstrap", "--variant=apt", "--include=ca-certificates", "--skip=cleanup/apt", suites[0], cls.root, "-", input="\n".join(cls.servers))
        if made.returncode != 0:
            # Where no server answers, or root may not mount, there is no system. Anything else is a fault.
            why = re.search(r"(?im)^.*(could not (resolve|connect)|temporary failure|connection (timed out|refused)|not permitted|permission denied).*$", made.stderr)
            if not why:
                raise AssertionError(f"mmdebstrap: exit {made.returncode}\n{made.stderr[-2000:]}")
            cls.skip_all(f"mmdebstrap makes none here: {why[0].strip()}")

    @classmethod
    def skip_all(cls, why):
        print(f"SKIPPED: {cls.__name__}: {why}", flush=True)
        raise unittest.SkipTest(why)

    def inside(self, *words, **options):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
        return must("chroot", self.root, *words, env=environment, input="", **options)

    def files(self):
        """But those that apt and dpkg keep for themselves."""
        kept = ("var/lib/dpkg", "var/lib/apt", "var/cache", "var/log", "proc", "sys", "dev", "tmp", "run")
        return {path for folder, folders, names in os.walk(self.root) for path in (os.path.relpath(os.path.join(folder, name), self.root)
                for name in names + folders) if not path.startswith(kept)}

    def packages(self):
        return set(self.inside("dpkg-query", "-W", "-f", "${Package} ${db:Status-Abbrev}\\n").splitlines())

    def test_apt_installs_it_and_removes_it(self):
        before = self.files(), self.packages()
        shutil.copy(package("provisioner_*.deb"), os.path.join(self.root, "tmp/provisioner.deb"))
        shutil.copytree(os.path.join(ROOT, "tests/sample"), os.path.join(self.root, "tmp/sample"))
        self.inside("apt-get", "install", "-y", "/tmp/provisioner.deb")
        self.assertTrue(self.inside("provisioner", "--version").startswith(f"provisioner {VERSION}\n"))
        # With what it recommends, the commands that load a library have theirs.
        self.inside("provisioner", "bake", "/tmp/sample/rendered-worker.json", "--out", "/tmp/drive.iso", "--format", "iso")
        asked = run("chroot", self.root, "provisioner", "extract", "https://127.0.0.1:9/x", "--source-timeout", "1")
        self.assertEqual(asked.returncode, 14, asked.stderr)
        self.assertNotIn("install ", asked.stderr)
        self.assertEqual(self.inside("dpkg", "--verify", "provisioner"), "")
        self.inside("apt-get", "purge", "-y", "--autoremove", "provisioner")
        self.assertEqual(self.packages(), before[1])
        self.assertEqual(sorted(self.files() ^ before[0]), [])


class Release(unittest.TestCase):
    """What scripts/release refuses before it builds anything."""

    def setUp(self):
        self.folder = folder(self)
        self.script = self.folder / "scripts/release"
        self.script.parent.mkdir()
        shutil.copy(ROOT / "scripts/release", self.script)
        put_tool(self.folder / "scripts/windows-deps", 'test "$*" = --newest\n')
        (self.folder / "CMakeLists.txt").write_text("project(provisioner VERSION 1.2.3 LANGUAGES C)\n")
        self.git("init", "-q")
        self.commit()

    def commit(self, *words):
        self.git("add", "-A")
        self.git("-c", "user.name=a", "-c", "user.email=a@b.invalid", "commit", "-qm", "x", *words)

    def git(self, *words):
        must("git", "-C", self.folder, *words)

    def refused(self, *words):
        done = run(self.script, *words)
        self.assertEqual((done.returncode, done.stdout), (10, ""), done.stderr)
        return done.stderr

    def test_a_tag_that_is_not_the_version(self):
        self.git("tag", "v1.2.4")
        self.assertIn("the tag is v1.2.4, and CMakeLists.txt has version 1.2.3", self.refused())

    def test_what_can_not_be_signed(self):
        """Before the builds: they take an hour."""
        need(self, "openssl", "osslsigncode", "dpkg-shlibdeps", "objdump")
        self.git("tag", "v1.2.3")
        key, other, locked, certificate, password = (self.folder / name for name in ("key", "other", "locked", "certificate", "password"))
        must("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x", "-days", "9", "-keyout", key, "-out", certificate)
        must("openssl", "genrsa", "-out", other, "2048")
        must("openssl", "pkcs8", "-topk8", "-in", key, "-out", locked, "-passout", "pass:right")
        password.write_text("wrong")
        self.assertIn("belong together", self.refused("--key", key))
        self.assertIn("belong together", self.refused("--password-file", password))
        self.assertIn("--sign-cert and --sign-key belong together", self.refused("--sign-key", key))
        self.assertIn("--no-windows leaves out", self.refused("--key", key, "--certificate", certificate, "--no-windows"))
        self.assertIn("/nowhere can't be read", self.refused("--key", "/nowhere", "--certificate", certificate))
        self.assertIn("is not the certificate of", self.refused("--key", other, "--certificate", certificate))
        self.assertIn("is not the certificate of", self.refused("--sign-key", other, "--sign-cert", certificate))
        for more in ([], ["--password-file", password]):
            said = self.refused("--key", locked, "--certificate", certificate, *more)
            self.assertIn("can't be opened", said)
            self.assertNotIn("wrong", said)

    def build(self, *words, **more):
        """As far as the first cmake, a stand-in that notes what it sees and fails."""
        seen = self.folder / "seen"
        tools = put_tool(self.folder / "tools/cmake", f"{{ git rev-parse HEAD; env; }} > {seen}\necho no compiler\nexit 3\n").parent
        done = run(self.script, *words, env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", **more})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("failed while building the Linux program", done.stderr)
        self.assertIn("no compiler", done.stderr)
        self.assertFalse((self.folder / "build").exists(), "packages that are not complete")
        return read(seen).decode().splitlines()

    def test_without_the_newest_libraries_nothing_is_built(self):
        (self.folder / "scripts/windows-deps").write_text("#!/bin/sh\necho not the newest\nexit 1\n")
        self.commit()
        self.git("tag", "v1.2.3")
        done = run(self.script)
        self.assertEqual(done.returncode, 1)
        self.assertIn("not the newest\nscripts/release: failed while building the libraries of the Windows program", done.stderr)
        self.assertNotIn("building the Linux program", done.stdout)

    def test_the_tag_is_built_and_not_a_branch_of_its_name(self):
        self.git("tag", "v1.2.3")
        self.git("tag", "nightly")
        tagged = must("git", "-C", self.folder, "rev-parse", "HEAD").strip()
        self.assertEqual(self.build()[0], tagged)
        self.git("checkout", "-qb", "v1.2.3")
        self.commit("--allow-empty")
        self.assertEqual(self.build("v1.2.3")[0], tagged)

    def test_a_builders_settings_do_not_get_into_it(self):
        self.git("tag", "v1.2.3")
        odd = ("CC", "CXX", "CXXFLAGS", "CPATH", "LIBRARY_PATH", "LD_RUN_PATH", "CMAKE_TOOLCHAIN_FILE", "CMAKE_CXX_COMPILER_LAUNCHER", "DESTDIR",
               "INCLUDE", "LIB", "Boost_ROOT", "OPENSSL_ROOT_DIR", "fmt_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH")
        seen = self.build(**{name: "/nowhere" for name in odd}, GIT_DIR=str(self.folder / ".git"))
        self.assertEqual([line for line in seen if line.split("=")[0] in (*odd, "GIT_DIR")], [])


class Signature(unittest.TestCase):
    """With a key that is made for this, and signs nothing else."""

    @classmethod
    def setUpClass(cls):
        if FINISHED:
            raise unittest.SkipTest("scripts/pack signs; this is a test of it")
        if lacking := missing("osslsigncode", "openssl"):
            print(f"SKIPPED: release_e2e.Signature: missing: {lacking}", flush=True)
            raise unittest.SkipTest("missing: " + lacking)
        cls.folder = folder(cls)
        cls.key, cls.certificate = cls.folder / "key.pem", cls.folder / "certificate.pem"
        must("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=throwaway", "-days", "30000", "-keyout", cls.key,
            "-out", cls.certificate, "-addext", "extendedKeyUsage=codeSigning", "-addext", "keyUsage=digitalSignature")
        cls.stage, cls.plain = small()
        cls.signed = pack(cls.stage, os.path.join(cls.folder, "signed"), "--certificate", cls.certificate, "--key", cls.key)

    def program(self, folder):
        with zipfile.ZipFile(glob.glob(os.path.join(folder, "*.zip"))[0]) as archive:
            name = archive.namelist()[0].split("/")[0]
            return archive.read(f"{name}/provisioner.exe"), archive.read(f"{name}/provisioner.spdx.json")

    def verify(self, data):
        path = self.folder / "looked-at.exe"
        path.write_bytes(data)
        return run("osslsigncode", "verify", "-CAfile", self.certificate, "-in", path)

    def test_is_valid_and_of_this_file(self):
        program, _ = self.program(self.signed)
        done = self.verify(program)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        at = len(read(self.stage[1], "provisioner.exe")) - 100
        changed = program[:at] + bytes([program[at] ^ 1]) + program[at + 1:]
        self.assertNotEqual(self.verify(changed).returncode, 0, "another program passes for the signed one")
        plain, _ = self.program(self.plain)
        self.assertNotEqual(self.verify(plain).returncode, 0, "an unsigned program passes for a signed one")

    def test_the_bill_of_materials_is_of_the_signed_program(self):
        program, bill = self.program(self.signed)
        self.assertIn(hashlib.sha256(program).hexdigest(), bill.decode())

    def test_the_same_key_gives_the_same_bytes(self):
        again = pack(self.stage, os.path.join(self.folder, "again"), "--certificate", self.certificate, "--key", self.key)
        self.assertEqual(digests(pathlib.Path(again)), digests(pathlib.Path(self.signed)))

    def test_a_key_with_a_password_is_opened_by_a_file(self):
        locked, password = self.folder / "locked.pem", self.folder / "password"
        password.write_text("a secret")
        must("openssl", "pkcs8", "-topk8", "-in", self.key, "-out", locked, "-passout", f"file:{password}")
        out = pack(self.stage, os.path.join(self.folder, "locked"), "--certificate", self.certificate, "--key", locked, "--password-file", password)
        self.assertEqual(digests(pathlib.Path(out)), digests(pathlib.Path(self.signed)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
