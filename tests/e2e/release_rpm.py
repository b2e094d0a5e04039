"""The RPMs of a release, in a tree with a database of rpm's own: what they need, installed, run and removed. Part of release_e2e.py.

RHEL's own packages are not here. Where a package of theirs is needed, one is made that has Debian's libraries, or only says that it has
those of RHEL."""
import functools
import glob
import os
import pathlib
import re
import shutil
import unittest

from harness import ROOT, SAMPLE, folder, missing, must, need, run
from release_world import BUILD, FINISHED, SCRATCH, VERSION, pack, packages, read, small, staged

# What RHEL's package `filesystem` owns of the folders that are ours to use.
FILESYSTEM = ("/usr", "/usr/bin", "/usr/include", "/usr/lib64", "/usr/lib64/pkgconfig", "/usr/share", "/usr/share/doc", "/usr/share/licenses",
              "/usr/share/man", "/usr/share/man/man1", "/tmp", "/usr/lib", "/lib64", "/var", "/var/lib", "/var/lib/rpm")
NAMES = ("provisioner", "provisioner-libs", "provisioner-devel")


def make_rpm(place, name, spec, tree=None):
    """A package for the tests, of a tree."""
    (place / f"{name}.spec").write_text(f"Name: {name}\nVersion: 1\nRelease: 1\nSummary: x\nLicense: x\n{spec}\n%description\nx\n"
                                        f"%install\n{f'cp -a {tree}/. %{{buildroot}}' if tree else ':'}\n%files\n{'/*' if tree else ''}\n")
    must("rpmbuild", "-bb", "--define", f"_topdir {place}/{name}", "--define", "debug_package %{nil}", "--define", "__os_install_post %{nil}",
         "--define", "_build_id_links none", "--define", "_binary_payload w1.gzdio", place / f"{name}.spec")
    return glob.glob(f"{place}/{name}/RPMS/*/*.rpm")[0]


def rpms(place):
    return [path for name in NAMES for path in glob.glob(os.path.join(place, f"{name}-[0-9]*.rpm"))]


def as_released():
    """The program of the build, linked as scripts/release does: for older systems than this one, without symbols."""
    commands = must("ninja", "-C", BUILD, "-t", "commands", "provisioner").splitlines()
    link = next(line for line in commands if " -o provisioner " in line).split(" && ")[1]
    out = os.path.join(SCRATCH.name, "as-released")
    must("bash", "-c", link.replace("-static-libgcc", "-Wl,--gc-sections").replace(" -o provisioner ", f" -s -o {out} "), cwd=BUILD)
    return out


def add_library(linux):
    """Where the build has no libprovisioner, one with a single function stands in."""
    libraries, source = pathlib.Path(linux, "usr/lib/x86_64-linux-gnu"), os.path.join(SCRATCH.name, "library.c")
    if list(pathlib.Path(linux, "usr/lib").rglob("libprovisioner.so.1")):
        return
    (libraries / "pkgconfig").mkdir(parents=True)
    pathlib.Path(source).write_text("void provisioner_decision_free(void* decision) { (void)decision; }\n")
    must("cc", "-shared", "-fPIC", "-Wl,-soname,libprovisioner.so.1", source, "-o", libraries / "libprovisioner.so.0.1.0")
    (libraries / "libprovisioner.so.1").symlink_to("libprovisioner.so.0.1.0")
    (libraries / "libprovisioner.so").symlink_to("libprovisioner.so.1")
    values = {"CMAKE_INSTALL_PREFIX": "/usr", "CMAKE_INSTALL_INCLUDEDIR": "include", "CMAKE_INSTALL_LIBDIR": "lib/x86_64-linux-gnu",
              "PROJECT_VERSION": VERSION}
    described = re.sub(r"@(\w+)@", lambda name: values[name[1]], (ROOT / "provisioner/c_api/provisioner.pc.in").read_text())
    (libraries / "pkgconfig/provisioner.pc").write_text(described)
    pathlib.Path(linux, "usr/include").mkdir()
    shutil.copy(ROOT / "provisioner/c_api/provisioner.h", f"{linux}/usr/include")


@functools.cache
def made():
    """The three RPMs: those that scripts/release made, or those of a program that is linked as it does."""
    if FINISHED:
        return rpms(packages())
    linux, windows = staged("rpm", small=True)
    shutil.copy(as_released(), f"{linux}/usr/bin/provisioner")
    add_library(linux)
    return rpms(pack((linux, windows), os.path.join(SCRATCH.name, "rpms")))


def requirements(path):
    return must("rpm", "-qp", "--requires", path).splitlines()


def wanted(lines, interface="GLIBC"):
    """The versions of an interface of the system's libraries that these requirements name."""
    return {tuple(map(int, version.split("."))) for version in re.findall(rf"\({interface}_([\d.]+)\)", "\n".join(lines))}


class Rpm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        lacking = missing("rpm", "rpmbuild", "objdump", "bsdtar")
        if lacking or os.geteuid() != 0:
            print(f"SKIPPED: release_e2e.Rpm: {f'missing: {lacking}' if lacking else 'only root installs into a tree'}", flush=True)
            raise unittest.SkipTest("no rpm, or not root")
        print("Rpm: RHEL is not here: Debian's libraries stand in for its glibc, and no dnf resolves dependencies", flush=True)
        cls.work = folder(cls)

    def setUp(self):
        self.tree = folder(self)
        self.rpm("--initdb")

    def rpm(self, *words, code=0):
        done = run("rpm", "--root", self.tree, *(["--force-debian"] if words[0] in ("-i", "-U", "-e") else []), *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def inside(self, *words):
        # Debian's loader does not look into the folders of RHEL's by itself.
        return must("chroot", self.tree, *words, env={**os.environ, "LD_LIBRARY_PATH": "/lib64:/usr/lib64"})

    def files(self):
        return {str(path.relative_to(self.tree)): path.lstat().st_mode for path in self.tree.rglob("*") if "var/lib/rpm" not in str(path)}

    def system(self, packages=()):
        """Installs a package that has the folders of RHEL's `filesystem`, and the libraries that ours need, from this machine."""
        root = folder(self)
        for path in FILESYSTEM:
            os.makedirs(f"{root}{path}", exist_ok=True)
        os.chmod(f"{root}/tmp", 0o1777)
        names = {name.split("(")[0] for path in packages or made() for name in requirements(path) if re.match(r"(lib|ld-)\S+\.so\.\d+\(", name)}
        found = dict(re.findall(r"(?m)^\t(\S+) \(libc6,x86-64.*\) => (\S+)$", must("/sbin/ldconfig", "-p")))
        for name in sorted((names | {"libgcc_s.so.1"}) - {"libprovisioner.so.1"}):
            shutil.copy(os.path.realpath(found[name]), f"{root}/lib64/{name}")
            os.chmod(f"{root}/lib64/{name}", 0o755)
        # What RHEL's glibc and pkgconf say of themselves.
        self.rpm("-i", make_rpm(folder(self), "stand-in", "Provides: rtld(GNU_HASH)\nProvides: /usr/bin/pkg-config\nAutoReq: no", root))

    def test_is_installed_run_and_removed_without_a_trace(self):
        self.system()
        before = self.files()
        self.rpm("-i", *made())
        for name in NAMES:
            self.assertEqual(self.rpm("-V", name), "")
        listed = self.rpm("-q", "--qf", "[%{FILEMODES:perms} %{FILEUSERNAME} %{FILEGROUPNAME} %{FILENAMES}\n]", *NAMES)
        self.assertEqual({" ".join(line.split()[1:3]) for line in listed.splitlines()}, {"root root"})
        self.assertLessEqual({line.split()[0] for line in listed.splitlines()}, {"drwxr-xr-x", "-rw-r--r--", "-rwxr-xr-x", "lrwxrwxrwx"})
        for path in ("usr/bin/provisioner", "usr/share/man/man1/provisioner.1.gz", "usr/share/bash-completion/completions/provisioner",
                     "usr/share/zsh/site-functions/_provisioner", "usr/share/licenses/provisioner/LICENSE", "usr/share/doc/provisioner/licenses.txt"):
            self.assertIn(f"/{path}\n", listed)
            self.assertEqual(os.stat(self.tree / path).st_uid, 0)
        # Each new folder has an owner, so it goes with the package.
        new = {"/" + path for path in self.files().keys() - before.keys()}
        self.assertEqual(new, set(re.findall(r"(?m) (/\S+)$", listed)))
        self.assertTrue(self.inside("/usr/bin/provisioner", "--version").startswith(f"provisioner {VERSION}\n"))
        shutil.copy(SAMPLE, self.tree / "tmp")
        self.inside("/usr/bin/provisioner", "bake", "/tmp/rendered-worker.json", "--out", "/tmp/payload")
        self.assertTrue((self.tree / "tmp/payload/manifest.json").exists())
        shutil.rmtree(self.tree / "tmp/payload")
        os.unlink(self.tree / "tmp/rendered-worker.json")
        (self.tree / "usr/bin/provisioner").write_text("changed\n")
        self.assertIn("/usr/bin/provisioner", self.rpm("-V", "provisioner", code=1))
        self.rpm("-e", *reversed(NAMES))
        self.assertEqual(self.files(), before)

    def test_needs_no_more_and_no_less_than_the_program_does(self):
        """The versions of glibc stand in its requirements, so rpm refuses where the program would not run."""
        lines = requirements(made()[0])
        must("bsdtar", "-xf", made()[0], "-C", self.tree, "./usr/bin/provisioner")
        named = re.findall(r"GLIBC_[\d.]+", must("objdump", "-p", self.tree / "usr/bin/provisioner"))
        self.assertEqual(wanted(lines), wanted(f"({name})" for name in named))
        self.assertEqual([line for line in lines if re.match(r"/|lib(curl|archive|wim|stdc)", line)], [])
        for source, field in (("provisioner/net/curl_functions_posix.cc", "recommends"), ("images/archive/archive_posix.cc", "recommends"),
                              ("images/tree/wim_codec_posix.cc", "suggests")):
            library = re.search(r'posix::Library \w+\(\{"(lib\w+\.so\.\d+)"', read(ROOT, source).decode())[1]
            self.assertIn(f"{library}()(64bit)\n", must("rpm", "-qp", f"--{field}", made()[0]), source)

    def install_where(self, **newest):
        """What rpm says of ours where the system's libraries have these versions of their interfaces, and no newer ones."""
        lines = [line for path in made() for line in requirements(path) if not line.startswith(("rpmlib", "provisioner", "libprovisioner"))]
        given = [line for line in lines if all(version <= most for name, most in newest.items() for version in wanted([line], name))]
        self.rpm("-i", make_rpm(folder(self), "rhel", "\n".join(f"Provides: {line}" for line in given)))
        return run("rpm", "--root", self.tree, "--force-debian", "-i", "--test", *made())

    def test_rhel_9_has_what_they_need(self):
        done = self.install_where(GLIBC=(2, 34), GLIBCXX=(3, 4, 29), CXXABI=(1, 3, 13))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_rhel_8_is_refused(self):
        done = self.install_where(GLIBC=(2, 28), GLIBCXX=(3, 4, 25), CXXABI=(1, 3, 11))
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"libc\.so\.6\(GLIBC_2\.3\d\)\(64bit\) is needed by provisioner-")

    def test_the_library_is_where_rhel_has_it_and_found_by_pkg_config(self):
        need(self, "pkg-config", "cc")
        self.system()
        before = self.files()
        self.rpm("-i", *made())
        self.assertTrue((self.tree / "usr/lib64/libprovisioner.so.1").exists())
        self.assertIn("libprovisioner.so.1()(64bit)", self.rpm("-q", "--provides", "provisioner-libs"))
        self.assertIn(f"provisioner-libs(x86-64) = {VERSION}-1", self.rpm("-q", "--requires", "provisioner-devel"))
        environment = {**os.environ, "PKG_CONFIG_LIBDIR": str(self.tree / "usr/lib64/pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": str(self.tree)}
        flags = must("pkg-config", "--cflags", "--libs", "provisioner", env=environment).split()
        self.assertIn(f"-L{self.tree}/usr/lib64", flags)
        source = self.work / "ask.c"
        source.write_text("#include <provisioner.h>\nint main(void) { provisioner_decision_free(0); return 0; }\n")
        must("cc", "-std=c11", source, "-o", self.tree / "tmp/ask", *flags)
        self.inside("/tmp/ask")
        os.unlink(self.tree / "tmp/ask")
        self.rpm("-e", *reversed(NAMES))
        self.assertEqual(self.files(), before)

    def test_is_upgraded_from_a_candidate(self):
        if FINISHED:
            self.skipTest("of finished packages there is one version")
        older, newer = (pack(small()[0], os.path.join(self.work, version), "--version", version) for version in ("0.9.0-rc.1", "0.9.0"))
        self.system(rpms(older))
        self.rpm("-i", *rpms(older))
        self.rpm("-U", *rpms(newer))
        self.assertEqual(self.rpm("-q", "provisioner"), "provisioner-0.9.0-1.x86_64\n")
        self.assertIn("newer than", self.rpm("-U", *rpms(older), code=2))
