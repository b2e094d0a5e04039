#!/usr/bin/env python3
"""What a user of a release can verify: the signed list of digests, with the command of the page, and the provenance statement.

usage: release_trust_e2e.py"""
import hashlib
import json
import os
import re
import shutil
import sys
import unittest

from harness import ROOT, end_unrun, folder, missing, must, put_tool, run

PAGE = (ROOT / "provisioner/docs/packages.md").read_text()
VERIFY = re.search(r"(?m)^\$ (openssl cms -verify .*)$", PAGE)[1]
FILES = {"provisioner_0.1.0_amd64.deb": b"!<arch>\n", "provisioner-0.1.0.provenance.json": b"{}\n", "provisioner-0.1.0-linux-x86_64.spdx.json": b"{ }\n"}


def setUpModule():
    if lacking := missing("openssl"):
        end_unrun("missing: " + lacking)


def make_signer(place, name, *more):
    place.mkdir(exist_ok=True)
    key, certificate = place / f"{name}.key", place / f"{name}.pem"
    must("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=release", "-set_serial", "7", "-days", "9",
         "-keyout", key, "-out", certificate, *more)
    return key, certificate


def check_statement(case, statement, packages):
    """What in-toto's statement (v1) and SLSA's provenance (v1) require, and that it is about these files."""
    case.assertEqual((statement["_type"], statement["predicateType"]), ("https://in-toto.io/Statement/v1", "https://slsa.dev/provenance/v1"))
    unlisted = {"SHA256SUMS", "SHA256SUMS.p7s", *(path.name for path in packages.glob("*.provenance.json"))}
    case.assertEqual({one["name"]: one["digest"] for one in statement["subject"]},
                     {path.name: {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()} for path in packages.iterdir() if path.name not in unlisted})
    definition, details = statement["predicate"]["buildDefinition"], statement["predicate"]["runDetails"]
    for uri in (definition["buildType"], details["builder"]["id"]):
        case.assertRegex(uri, r"^[a-z]+:\S+$")
    case.assertIsInstance(definition["externalParameters"], dict)
    case.assertGreater(len(definition["resolvedDependencies"]), 5)
    for one in definition["resolvedDependencies"]:
        (kind, digest), = one["digest"].items()
        case.assertRegex(digest, {"sha256": r"^[0-9a-f]{64}$", "gitCommit": r"^[0-9a-f]{40}$"}[kind], one)
        if kind == "sha256":
            case.assertRegex(one["uri"], r"^pkg:deb/debian/[a-z0-9.+-]+@[A-Za-z0-9.%~_-]+\?arch=(amd64|all|source)$")


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


class List(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keys = folder(cls)
        cls.key, cls.certificate = make_signer(cls.keys, "ours")

    def setUp(self):
        self.place = folder(self)
        for name, data in FILES.items():
            (self.place / name).write_bytes(data)

    def sums(self, key=None, certificate=None, **options):
        return run(ROOT / "scripts/sums", self.place, *(("--sign-key", key, "--sign-cert", certificate) if key else ()), **options)

    def signed(self):
        done = self.sums(self.key, self.certificate)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        shutil.copy(self.certificate, self.place / "release.pem")

    def verified(self, **environment):
        """Its exit code is 0 where all is well, as the page has it."""
        return run("bash", "-c", VERIFY, cwd=self.place, env={**os.environ, **environment})

    def refused(self, name, data, **environment):
        path = self.place / name
        before = path.read_bytes()
        path.write_bytes(data)
        self.assertNotEqual(self.verified(**environment).returncode, 0, f"{name} is another, and passes")
        path.write_bytes(before)

    def test_the_list_names_every_file_and_the_pages_command_reads_it(self):
        self.signed()
        done = self.verified()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "".join(f"{name}: OK\n" for name in sorted(FILES)))
        (self.place / "provisioner-0.1.0.provenance.json").unlink()  # somebody needs one package
        self.assertEqual(self.verified().returncode, 0)

    def test_one_byte_of_anything_is_enough(self):
        self.signed()
        for name in (*FILES, "SHA256SUMS"):
            data = (self.place / name).read_bytes()
            for at in {0, len(data) // 2, len(data) - 1}:
                self.refused(name, flipped(data, at))
        data = (self.place / "SHA256SUMS.p7s").read_bytes()
        # The last 256 bytes are the signature itself. Of what is before them CMS does not sign some labels.
        for at in (0, 10, *range(len(data) - 256, len(data), 17), len(data) - 1):
            self.refused("SHA256SUMS.p7s", flipped(data, at))
        self.refused("SHA256SUMS.p7s", b"")

    def test_another_signer_of_the_same_name(self):
        """Also one whose certificate the machine trusts for other things."""
        key, certificate = make_signer(self.keys, "others")
        self.signed()
        trusted = self.keys / "trusted"
        trusted.mkdir()
        digest = must("openssl", "x509", "-in", certificate, "-noout", "-subject_hash").strip()
        shutil.copy(certificate, trusted / f"{digest}.0")
        for with_certificate in ("-nocerts", "-nosmimecap"):  # without and with it in the signature
            forged = must("openssl", "cms", "-sign", "-binary", with_certificate, "-in", self.place / "SHA256SUMS", "-signer", certificate,
                          "-inkey", key, "-outform", "DER", text=False)
            self.refused("SHA256SUMS.p7s", forged, SSL_CERT_DIR=str(trusted), SSL_CERT_FILE=str(certificate))

    def test_a_certificate_that_has_expired_still_tells_who_signed(self):
        request = must("openssl", "req", "-new", "-key", self.key, "-subj", "/CN=release")
        expired = self.keys / "expired.pem"
        must("openssl", "x509", "-req", "-signkey", self.key, "-days", "-1", "-out", expired, input=request)
        self.assertEqual(self.sums(self.key, expired).returncode, 0)
        shutil.copy(expired, self.place / "release.pem")
        self.assertEqual(self.verified().returncode, 0)

    def test_the_same_key_gives_the_same_bytes(self):
        self.signed()
        first = (self.place / "SHA256SUMS.p7s").read_bytes()
        for name in ("SHA256SUMS", "SHA256SUMS.p7s", "release.pem"):
            (self.place / name).unlink()
        self.signed()
        self.assertEqual((self.place / "SHA256SUMS.p7s").read_bytes(), first)

    def test_a_key_with_a_password_is_opened_by_a_file(self):
        locked, password = self.keys / "locked.pem", self.keys / "password"
        password.write_text("a secret")
        must("openssl", "pkcs8", "-topk8", "-in", self.key, "-out", locked, "-passout", f"file:{password}")
        done = run(ROOT / "scripts/sums", self.place, "--sign-key", locked, "--sign-cert", self.certificate, "--sign-password-file", password)
        self.assertEqual(done.returncode, 0, done.stderr)
        shutil.copy(self.certificate, self.place / "release.pem")
        self.assertEqual(self.verified().returncode, 0)

    def test_without_a_key_it_says_so(self):
        done = self.sums()
        self.assertEqual(done.returncode, 0)
        self.assertIn("SHA256SUMS is NOT SIGNED", done.stderr)
        self.assertFalse((self.place / "SHA256SUMS.p7s").exists())

    def test_what_does_not_belong_together_leaves_nothing(self):
        _, other = make_signer(self.keys, "third")
        done = self.sums(self.key, other)
        self.assertEqual(done.returncode, 1)
        self.assertIn("can't sign with", done.stderr)
        self.assertEqual(set(os.listdir(self.place)), set(FILES))
        self.assertEqual(run(ROOT / "scripts/sums", self.place, "--sign-key", self.key).returncode, 10)


# A project whose build reads zlib's header and library, and those of the compiler.
PROJECT = {"CMakeLists.txt": "cmake_minimum_required(VERSION 3.25)\nproject(small C)\nadd_executable(small small.c)\n"
                             "target_include_directories(small PRIVATE extra)\ntarget_link_libraries(small libz.a)\n",
           "small.c": '#include <zlib.h>\n#if __has_include(<of_nobody.h>)\n#include <of_nobody.h>\n#endif\nint main(void) { return zlibVersion() == 0; }\n',
           ".gitignore": "/build/\n"}
# An archive of packages that are made of what is installed. CHANGED is one that has another zlib.h, OFFERED another version.
ARCHIVE = """
import os, pathlib, subprocess, sys
words, kept = sys.argv[1:], pathlib.Path(os.environ["KEPT"])
def ask(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout
def pack(name, version):
    tree = kept / f"{name}.tree"
    files = [path for path in ask("dpkg", "-L", name).splitlines() if os.path.isfile(path) and not os.path.islink(path) and "/doc/" not in path]
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(f"Package: {name}\\nVersion: {version}\\nArchitecture: amd64\\nMaintainer: a <a@b.invalid>\\nDescription: x\\n")
    subprocess.run(["cp", "--parents", "-t", tree, *files], check=True)
    if os.environ.get("CHANGED") == name:
        next(tree.rglob("zlib.h")).write_text("another")
    ask("dpkg-deb", "-Znone", "--build", tree, kept / f"{name}.deb")
    subprocess.run(["rm", "-r", tree], check=True)
if "indextargets" in words:
    print("deb http://archive.invalid x main")
elif "update" in words:
    sys.exit(int(os.environ.get("UPDATE", "0")))
elif "policy" in words:
    for name in words[words.index("policy") + 1:]:
        version = ask("dpkg-query", "-W", "-f", "${Version}", name)
        print(f"{name}:\\n  Installed: {version}\\n  Candidate: {os.environ.get('OFFERED') if name == 'zlib1g-dev' and 'OFFERED' in os.environ else version}")
elif "download" in words:
    for name, version in (word.split("=") for word in words[words.index("download") + 1:]):
        if os.environ.get("LACKS") == name:
            sys.exit(f"E: {name} can't be fetched")
        if not (kept / f"{name}.deb").exists():
            pack(name, version)
        os.symlink(kept / f"{name}.deb", f"{name}.deb")
"""


class Provenance(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if lacking := missing("cmake", "ninja", "cc", "dpkg-deb", "git"):
            print(f"SKIPPED: release_trust_e2e.Provenance: missing: {lacking}", flush=True)
            raise unittest.SkipTest("missing: " + lacking)
        cls.work = folder(cls)
        cls.source, cls.packages = cls.work / "source", cls.work / "packages"
        cls.packages.mkdir()
        cls.source.mkdir()
        for name in ("a.deb", "b.zip"):
            (cls.packages / name).write_text(name)
        for name, text in PROJECT.items():
            (cls.source / name).write_text(text)
        cls.git("init", "-q")
        cls.git("add", "-A")
        cls.git("-c", "user.name=a", "-c", "user.email=a@b.invalid", "commit", "-qm", "x")
        cls.git("tag", "v0.1.0")
        for name in ("apt-get", "apt-cache"):
            put_tool(cls.work / "tools" / name, ARCHIVE, f"#!{sys.executable}")
        (cls.work / "kept").mkdir()
        cls.build()

    @classmethod
    def git(cls, *words):
        return must("git", "-C", cls.source, *words)

    @classmethod
    def build(cls):
        must("cmake", "-G", "Ninja", "-S", cls.source, "-B", cls.source / "build", "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--dependency-file=linked.d")
        must("cmake", "--build", cls.source / "build")

    def write(self, **environment):
        out = self.work / "statement.json"
        out.unlink(missing_ok=True)
        done = run(ROOT / "scripts/provenance", "--packages", self.packages, "--source", self.source, "--tag", "v0.1.0", "--out", out,
                   self.source / "build/small", env={"KEPT": self.work / "kept", **os.environ, "PATH": f"{self.work}/tools:{os.environ['PATH']}", **environment})
        return done, json.loads(out.read_text()) if out.exists() else None

    def refused(self, said, **environment):
        done, statement = self.write(**environment)
        self.assertEqual((done.returncode, statement), (1, None), done.stderr)
        self.assertIn(said, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_is_a_statement_of_the_files_and_of_what_was_read(self):
        version = must("dpkg-query", "-W", "-f", "${Version}", "zlib1g-dev")
        self.bill("zlib1g-dev", version)
        done, statement = self.write()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(statement, self.write(TZ="Asia/Kathmandu", LC_ALL="C.UTF-8")[1])
        check_statement(self, statement, self.packages)
        resolved = statement["predicate"]["buildDefinition"]["resolvedDependencies"]
        self.assertEqual(resolved[0]["digest"], {"gitCommit": self.git("rev-parse", "HEAD").strip()})
        digests = {re.search(r"/([^/@]+)@", one["uri"])[1]: one["digest"]["sha256"] for one in resolved[1:]}
        self.assertLessEqual({"zlib1g-dev", "libc6-dev", "libc6", "linux-libc-dev", "cmake", "ninja-build", "binutils-x86-64-linux-gnu"}, set(digests))
        self.assertTrue(any(re.fullmatch(r"gcc-\d+", name) for name in digests), digests)
        self.assertNotIn("libssl-dev", digests, "nothing of it was read")
        for name, digest in digests.items():
            self.assertEqual(digest, hashlib.sha256((self.work / f"kept/{name}.deb").read_bytes()).hexdigest(), name)

    def test_nothing_older_than_what_is_offered(self):
        self.refused("zlib1g-dev 1:1.2.13.dfsg-1 (Debian offers 1:9)" if "1.2.13" in must("dpkg-query", "-W", "zlib1g-dev") else "Debian offers 1:9", OFFERED="1:9")
        self.refused("zlib1g-dev can't be fetched", LACKS="zlib1g-dev")
        self.refused("failed (exit 100)", UPDATE="100")

    def test_what_was_read_is_what_the_package_has(self):
        other = self.work / "other"
        other.mkdir()
        for deb in (self.work / "kept").glob("*.deb"):
            if deb.stem != "zlib1g-dev":
                (other / deb.name).symlink_to(deb)
        self.refused("read by the build, but not as zlib1g-dev.deb has it: /usr/include/zlib.h", CHANGED="zlib1g-dev", KEPT=str(other))

    def test_a_file_of_no_package(self):
        place = folder(self)
        (place / "of_nobody.h").write_text("\n")
        try:
            must("cmake", "-S", self.source, "-B", self.source / "build", f"-DCMAKE_C_FLAGS=-isystem {place}")
            must("cmake", "--build", self.source / "build")
            self.refused(f"of no Debian package, so nobody can say where it comes from: {place}/of_nobody.h")
        finally:
            must("cmake", "-S", self.source, "-B", self.source / "build", "-DCMAKE_C_FLAGS=")
            self.build()

    def test_sources_that_are_not_those_of_the_tag(self):
        (self.source / "more.c").write_text("\n")
        self.addCleanup((self.source / "more.c").unlink)
        self.refused("is not as v0.1.0 has it")

    def bill(self, name, version):
        path = self.source / "build/provisioner.spdx.json"
        self.addCleanup(lambda: path.unlink(missing_ok=True))
        path.write_text(json.dumps({"packages": [{"name": name, "versionInfo": version, "sourceInfo": f"Debian package {name}"}]}))

    def test_a_bill_of_materials_that_names_something_else(self):
        for name, version in (("zlib1g-dev", "1:9"), ("libssl-dev", must("dpkg-query", "-W", "-f", "${Version}", "libssl-dev"))):
            self.bill(name, version)
            self.refused(f"names {name} {version}, of which nothing was read")


if __name__ == "__main__":
    unittest.main(verbosity=2)
