#!/usr/bin/env python3
"""Malformed, hostile and oversized inputs: each is refused with a code of error.cc or done, in bounded time and memory, and a
refusal leaves no trace at the output. What an input may cost is measured by an honest one of its size in the same run.

usage: hostile.py PROVISIONER [--sanitizer]     --sanitizer: small inputs, memory unchecked"""
import collections
import gzip
import json
import os
import pathlib
import re
import shutil
import sys
import time
import unittest

import hostile_inputs as make
from harness import SAMPLE, argument, folder, skip
from measure import MIB, digest, private_mounts, produce, produced, run, snapshot
from program_file import make_program
from rendered import BUNDLE, ENVIRONMENT

SANITIZER = "--sanitizer" in sys.argv and not sys.argv.remove("--sanitizer")
PROVISIONER = argument()
SCALE = 50 if SANITIZER else 1
MEMORY = None if SANITIZER else 4 << 30
CPU_FLOOR, WALL_FLOOR, MEMORY_FLOOR = (10, 30, 0) if SANITIZER else (0.3, 2, 40)
CONTRACT = {10: "usage", 12: "empty shrink dirty-hive hive fail-open size-limit reserved-name downgrade owner signature manifest",
            11: "json yaml type kind version invalid-config no-config not-found data-url scheme compression decompress too-large "
                "hash-spec hash-mismatch remote-source merge-remote duplicate-path link directory env-nul env-utf8 proxy-url no-proxy "
                "cert xml row", 13: "target io"}
DONE = "done"

# name, maker and arguments, what must come of it: DONE or the codes of a refusal, the honest twin
Row = collections.namedtuple("Row", "name maker expected twin")


def pair(honest, hostile):
    """What the hostile input and then its honest twin cost, measured one right after the other (the twin first)."""
    twin = honest()
    return hostile(), twin


def n(number):
    return max(1, number // SCALE)


TWINS = {
    "text 2 MiB": (make.honest_text, n(2 * MIB)),
    "text 25 MiB": (make.honest_text, n(25 * MIB)),
    "text 200 MiB": (make.honest_text, n(200 * MIB)),
    "notes 100 MiB": (make.honest_notes, n(100 * MIB)),
    "yaml 2 MiB": (make.honest_yaml, n(2 * MIB)),
    "yaml 10 MiB": (make.honest_yaml, n(10 * MIB)),
    "values 7 M": (make.values, n(7000000)),
    "bundle 40 MiB": (make.honest_bundle, n(99000)),
    "bundle up to the limit": (make.honest_bundle, 99000),  # also under the sanitizers, as the limit is the same there
}
ROWS = [
    Row("gzip bomb, 512 MiB", (make.bomb, 512 * MIB), "too-large", "bundle 40 MiB"),
    Row("gzip bomb as proxy.env", (make.bomb, 256 * MIB, ENVIRONMENT), "too-large", "bundle 40 MiB"),
    Row("gzip bomb of a million empty members", (make.bomb_of_members, n(1000000), 0), DONE, "text 25 MiB"),
    Row("gzip bomb of 1 MiB members", (make.bomb_of_members, 500, MIB), "too-large", "bundle 40 MiB"),
    Row("gzip in gzip in gzip", (make.nested_gzip, 256 * MIB), "cert", "text 2 MiB"),
    Row("five compressed configs of 7 M values", (make.merge_bomb, 5, n(7000000)), DONE if SANITIZER else "too-large", "values 7 M"),
    Row("17 configs within each other", (make.merge_chain, 17), "too-large", "text 2 MiB"),
    Row("9 M values", (make.values, 9000000), "too-large", "values 7 M"),
    Row("arrays 1,000,000 deep", (make.nested_json, b"[", b"]", 1000000), "json", "text 2 MiB"),
    Row("objects 1,000,000 deep", (make.nested_json, b'{"a":', b"}", 1000000), "json", "text 2 MiB"),
    Row("1,000,000 unclosed arrays", (make.nested_json, b"[", b"", 1000000), "json", "text 2 MiB"),
    Row("230,000 tiny files", (make.tiny_files, n(230000)), DONE, "text 25 MiB"),
    Row("230,000 files of one path", (make.tiny_files, n(230000), True), "duplicate-path", "text 25 MiB"),
    Row("200,000 append entries", (make.tiny_appends, n(200000)), DONE, "text 25 MiB"),
    Row("1 GB string", (make.long_string, n(10 ** 9)), DONE if SANITIZER else "too-large", "text 2 MiB"),
    Row("100 MiB of percent escapes, bundle", (make.percent_url, BUNDLE, b"A", n(100 * MIB)), "cert", "notes 100 MiB"),
    Row("201 MiB of percent escapes, proxy.env", (make.percent_url, ENVIRONMENT, b"A", n(201 * MIB)), "too-large", "text 200 MiB"),
    Row("percent escape cut short", (make.percent_url, ENVIRONMENT, b"A", n(25 * MIB), b"%4"), "data-url", "text 25 MiB"),
    Row("YAML alias bomb", (make.alias_bomb, 12), "yaml", "yaml 2 MiB"),
    Row("YAML blocks 1,000,000 deep", (make.yaml_of, b"- " * 1000000), "yaml", "yaml 2 MiB"),
    Row("YAML mappings 3,000 deep", (make.yaml_of, make.indented(3000)), "yaml", "yaml 10 MiB"),
    Row("YAML flow 1,000,000 deep", (make.yaml_of, b"  " + b"[" * 1000000), "yaml", "yaml 2 MiB"),
    Row("YAML flow 990 deep, then long", (make.yaml_of, b"  " + b"[" * 990 + b"a," * n(1000000) + b"]" * 990), "yaml", "yaml 2 MiB"),
    Row("YAML flow 38 deep, then long", (make.yaml_of, b"  " + b"[" * 38 + b"a," * n(1000000) + b"]" * 38), DONE, "yaml 10 MiB"),
    Row("60,000 %TAG directives", (make.tag_directives, 60000), "yaml", "yaml 2 MiB"),
    Row("YAML key 2 MiB long", (make.yaml_of, b"  ? " + b"a" * n(2 * MIB) + b"\n  : b\n"), DONE, "yaml 2 MiB"),
    Row("environment file of 16 M bad lines", (make.packed_text, ENVIRONMENT, b"x\n", n(32 * MIB)), DONE if SANITIZER else "too-large", "text 25 MiB"),
    Row("environment file of 500,000 bad lines", (make.packed_text, ENVIRONMENT, b"x\n", n(MIB)), DONE, "text 2 MiB"),
    Row("environment file of 32 MiB NUL", (make.packed_text, ENVIRONMENT, b"\0", n(32 * MIB)), "too-large env-nul", "text 25 MiB"),
    Row("a million certificates", (make.million_certificates, 1000), "too-large", "bundle 40 MiB"),
    Row("100,001 certificates", (make.honest_bundle, 100001), "too-large", "bundle up to the limit"),
    Row("a million empty blocks", (make.bundle_of, b"-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", n(52 * MIB)), "cert", "bundle 40 MiB"),
    Row("a million blocks of another kind", (make.bundle_of, b"-----BEGIN X-----\nQUJD\n-----END X-----\n", n(36 * MIB)), DONE, "bundle 40 MiB"),
    Row("a million private keys", (make.bundle_of, b"-----BEGIN PRIVATE KEY-----\nQUJD\n-----END PRIVATE KEY-----\n", n(40 * MIB)), DONE, "bundle 40 MiB"),
    Row("40 MiB of hyphens", (make.bundle_of, b"-", n(40 * MIB)), DONE, "bundle 40 MiB"),
    Row("40 MiB of BEGIN", (make.bundle_of, b"-----BEGIN ", n(40 * MIB)), "cert", "bundle 40 MiB"),
    Row("40 MiB of commented BEGIN", (make.bundle_of, b"#-----BEGIN CERTIFICATE----- x\n", n(40 * MIB)), DONE, "bundle 40 MiB"),
    Row("40 MiB of one certificate again", (make.bundle_of, make.root(), n(40 * MIB)), DONE, "bundle 40 MiB"),
    Row("40 MiB of HTML", (make.packed_text, BUNDLE, b"<p>502 Bad Gateway</p>\n", n(40 * MIB), b"<html>"), "cert", "bundle 40 MiB"),
    Row("40 MiB of UTF-16", (make.packed_text, BUNDLE, b"<\0\n\0", n(40 * MIB), b"\xff\xfe"), "cert", "bundle 40 MiB"),
    Row("40 MiB of DER lengths", (make.packed_text, BUNDLE, b"\x30\x80", n(40 * MIB)), "cert", "bundle 40 MiB"),
]


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = str(folder(cls))
        os.chmod(cls.work, 0o755)
        cls.sample = os.path.join(cls.work, "sample.json")
        shutil.copy(SAMPLE, cls.sample)
        cls.input = os.path.join(cls.work, "input")
        cls.outputs = os.path.join(cls.work, "outputs")
        cls.payload = os.path.join(cls.outputs, "payload")
        cls.twins = {}
        made = cls.provisioner("bake", cls.sample, "--out", cls.payload)
        assert made.exit == 0, made.err
        cls.before = snapshot(cls.outputs)

    @classmethod
    def provisioner(cls, *words, **options):
        return run([PROVISIONER, *words], memory=MEMORY, **options)

    def refused(self, result, codes=None):
        """Ended as the contract has it; its document says what and where. An exit of 0 is allowed unless `codes` are given."""
        self.assertIn(result.exit, {0, *CONTRACT} if codes is None else CONTRACT, "%s %s" % (result.err[-500:], result.out[-500:]))
        if result.exit == 0:
            return None
        error = json.loads(result.out)["error"]
        self.assertIn(error["code"], CONTRACT[result.exit].split())
        self.assertTrue(error["message"] and error["where"], error)
        self.assertIsNone(re.search(rb"[^\n -~\x80-\xff]", result.err), "a control character reaches the terminal")
        if codes is not None:
            self.assertIn(error["code"], codes.split(), error)
        return error["code"]

    def untouched(self):
        self.assertEqual(snapshot(self.outputs), self.before, "a refusal must leave the earlier payload and nothing beside it")

    def baked(self, out):
        """A payload is complete: what its manifest lists is there, and nothing beside it."""
        listed = json.loads((pathlib.Path(out) / "manifest.json").read_text())["files"]
        found = {path: entry[2] for path, entry in snapshot(out).items() if entry[2]}
        found.pop("manifest.json")
        self.assertEqual(found, {file["path"]: file["sha256"] for file in listed})

    def bake(self, source, *words, **options):
        """Bakes over the earlier payload; a refusal leaves it as it was, a success is undone."""
        result = self.provisioner("bake", source, "--out", self.payload, "--output", "json", *words, **options)
        if self.refused(result) is not None:
            self.untouched()
            return result
        self.baked(self.payload)
        self.assertEqual(os.listdir(self.outputs), ["payload"])
        self.provisioner("bake", self.sample, "--out", self.payload)
        type(self).before = snapshot(self.outputs)
        return result

    def cheap(self, name, result, twin, again):
        """Within the bounds. Other work on the machine makes either run dearer, so what exceeds them is measured again with
        its twin right before it, as `again()` does: noise passes, a cost that is real is there in each pair."""
        for _ in range(4):
            if result.cpu <= 2 * twin.cpu + CPU_FLOOR and result.wall <= 2 * twin.wall + WALL_FLOOR:
                break
            result, twin = again()
            self.report(name, "measured again", result, twin)
        with self.subTest(name):
            self.assertLessEqual(result.cpu, 2 * twin.cpu + CPU_FLOOR, "CPU seconds")
            self.assertLessEqual(result.wall, 2 * twin.wall + WALL_FLOOR, "seconds")
            if not SANITIZER:
                self.assertLessEqual(result.memory, 2 * twin.memory + MEMORY_FLOOR, "MiB")

    def report(self, name, outcome, result, twin):
        print("%-42s %-15s %5.2f s CPU of %5.2f, %4.0f MiB of %4.0f" % (name, outcome, result.cpu, twin.cpu, result.memory, twin.memory), flush=True)

    def twin(self, name, again=False):
        if again or name not in self.twins:
            maker, *arguments = TWINS[name]
            produced(maker, self.input, *arguments)
            self.twins[name] = self.provisioner("check", self.input, "--output", "json")
            self.assertEqual(self.twins[name].exit, 0, self.twins[name].out[-500:])
        return self.twins[name]

    def test_rows(self):
        for row in ROWS:
            with self.subTest(row.name):
                twin = self.twin(row.twin)
                result = self.outcome_of(row)
                self.report(row.name, self.refused(result, None if row.expected == DONE else row.expected) or DONE, result, twin)
                self.cheap(row.name, result, twin, lambda: pair(lambda: self.twin(row.twin, again=True), lambda: self.outcome_of(row)))

    def outcome_of(self, row):
        maker, *arguments = row.maker
        produced(maker, self.input, *arguments)
        # What is refused is so before anything is written: bake's cost is then that of reading, as the twin's is. A source
        # may be read and hold nothing.
        result = self.bake(self.input, "--allow-empty")
        if row.expected != DONE:
            return result
        self.assertEqual(result.exit, 0, result.out[-500:])
        return self.provisioner("check", self.input, "--output", "json")

    def test_endless_and_huge_streams(self):
        size = n(200 * MIB)
        honest = lambda: self.provisioner("check", "-", "--output", "json", feed=lambda file: make.string_of(file, size))
        twin = honest()
        self.assertEqual(twin.exit, 0, twin.out)
        huge = lambda file: make.string_of(file, 10 ** 9)
        self.refused(self.bake("/dev/zero"), "too-large")
        endless = lambda file: [file.write(b"[" * MIB) for _ in iter(int, 1)]
        for name, words, options in (("1 GB string on standard input", "-", {"feed": huge}), ("endless standard input", "-", {"feed": endless}),
                                     ("/dev/zero as standard input", "-", {"stdin": "/dev/zero"}), ("/dev/zero", "/dev/zero", {})):
            with self.subTest(name):
                if SANITIZER and "endless" not in name:
                    continue
                measured = lambda: self.provisioner("check", words, "--output", "json", **options)
                result = measured()
                self.refused(result, "too-large")
                self.report(name, "too-large", result, twin)
                self.cheap(name, result, twin, lambda: pair(honest, measured))

    def test_options_that_name_files(self):
        write = lambda name, *parts: make.write(os.path.join(self.work, name), *parts) or os.path.join(self.work, name)
        bundle = write("bundle.pem", make.root())
        self.assertEqual(self.bake(self.sample, "--subtract", bundle).exit, 0)
        self.refused(self.bake(self.sample, "--subtract", "/dev/zero"), "too-large")
        self.refused(self.bake(self.sample, "--subtract", write("html", b"<html>502</html>")), "cert")
        self.refused(self.bake(self.sample, "--subtract", write("cut", make.root()[:-40])), "cert")
        self.refused(self.bake(self.sample, "--subtract", write("utf16", "<x>".encode("utf-16"))), "cert")
        self.refused(self.bake(self.sample, "--subtract", write("nul", b"\0" * 1000)), "cert")
        for option in ("--subtract", "--exe"):
            self.refused(self.bake(self.sample, option, self.work), "io")
            self.refused(self.bake(self.sample, option, os.path.join(self.work, "none")), "not-found")
        if not SANITIZER:
            self.refused(self.bake(self.sample, "--exe", "/dev/zero"), "too-large")

    def test_encodings_and_pages_as_source(self):
        text = SAMPLE.read_bytes()
        for name, data, codes in (("empty", b"", "json"), ("blanks", b" \n" * 1000, "json"), ("HTML", b"<html><body>502</body></html>", "yaml kind type"),
                                  ("UTF-16, cut", text.decode().encode("utf-16")[:-1], "json"), ("UTF-16 within UTF-8", text + "{}".encode("utf-16"), "json"),
                                  ("UTF-16 without mark, cut", text.decode().encode("utf-16-le")[:-1], "json"), ("a mark inside", text.replace(b"{", b"{\xef\xbb\xbf", 1), "json"),
                                  ("NULs", b"\0" * 10000, "json yaml"), ("a NUL inside", text.replace(b"spec", b"sp\0ec", 1), "json"),
                                  ("gzip", gzip.compress(text), "kind"), ("PEM, cut", make.root()[:-40], "cert"),
                                  ("two documents, one cut", text + text[:-3], "json"), ("invalid UTF-8", text.replace(b"worker", b"w\xc0\xaf", 1), "json"),
                                  ("escapes", b'{"\x1b[2J":0}', "json"), ("lone surrogate", b'{"a":"\\ud800"}', "json kind type no-config")):
            with self.subTest(name):
                make.write(self.input, data)
                self.refused(self.provisioner("extract", self.input), codes)
                self.refused(self.bake(self.input), codes)

        for name, data in (("UTF-16 LE", text.decode().encode("utf-16")), ("UTF-16 BE", b"\xfe\xff" + text.decode().encode("utf-16-be")),
                           ("UTF-16 LE without mark", text.decode().encode("utf-16-le")), ("UTF-16 BE without mark", text.decode().encode("utf-16-be")),
                           ("two documents", text + text), ("byte order mark", b"\xef\xbb\xbf" + text)):
            with self.subTest(name):
                make.write(self.input, data)
                self.assertEqual(self.provisioner("extract", self.input).exit, 0)
                self.assertEqual(self.bake(self.input).exit, 0)

    def test_what_is_no_file(self):
        loop = os.path.join(self.work, "loop")
        os.symlink(loop, loop)
        for source, codes in ((self.work, "not-found"), ("/dev/null", "json"), (loop, "io"), ("/proc/self/mem", "io"), ("x" * 5000, "io"), ("", "usage"),
                              (os.path.join(self.work, "none"), "not-found"), (self.sample + "/x", "io not-found")):
            with self.subTest(source[-20:]):
                self.refused(self.bake(source), codes)

    def test_payloads_as_source(self):
        size = n(32 * MIB)
        twin = self.twin("values 7 M")
        deep = lambda opening, closing: b'{"schema":1,"x":' + opening * 1000000 + closing * 1000000 + b"}"
        for name, file, data, codes in (
                ("arrays 1,000,000 deep", "manifest.json", lambda: deep(b"[", b"]"), "json manifest"), ("objects 1,000,000 deep", "manifest.json", lambda: deep(b'{"a":', b"}"), "json manifest"),
                ("16 M values", "manifest.json", lambda: b'{"schema":1,"x":[' + b"0," * (size // 2) + b"0]}", "json type manifest too-large"),
                ("long string", "manifest.json", lambda: b'{"schema":1,"x":"' + b"a" * size + b'"}', "json type manifest too-large"),
                ("65 MiB", "manifest.json", lambda: b" " * (65 * MIB), "too-large"), ("empty", "manifest.json", lambda: b"", "json manifest"), ("HTML", "manifest.json", lambda: b"<html>", "json manifest"),
                ("UTF-16", "manifest.json", lambda: "{}".encode("utf-16"), "json manifest"), ("changed", "egress.json", lambda: b"{}", "manifest too-large"),
                ("larger", "unattend.xml", lambda: b"x" * size, "manifest too-large"), ("unlisted", "scripts/evil.cmd", lambda: b"x", "manifest")):
            with self.subTest(name):
                source = self.copy_of_payload()
                produced(lambda: make.write(os.path.join(source, file), data()))
                measured = lambda: self.provisioner("check", source, "--output", "json")
                result = measured()
                self.refused(result, codes)
                self.report("payload: %s: %s" % (file, name), json.loads(result.out)["error"]["code"], result, twin)
                self.cheap(name, result, twin, lambda: pair(lambda: self.twin("values 7 M", again=True), measured))
                self.refused(self.bake(source), codes)
        for name, put in (("fifo", os.mkfifo), ("link", lambda path: os.symlink("/dev/zero", path)), ("folder", os.mkdir), ("loop", lambda path: os.symlink(path, path))):
            for file in ("egress.json", "manifest.json"):
                with self.subTest(name, file=file):
                    source = self.copy_of_payload()
                    os.unlink(os.path.join(source, file))
                    put(os.path.join(source, file))
                    self.refused(self.bake(source), "manifest link io not-found")

    def copy_of_payload(self):
        source = os.path.join(self.work, "copy")
        shutil.rmtree(source, ignore_errors=True)
        shutil.copytree(self.payload, source)
        return source

    def test_a_fifo_waits_for_its_writer_and_is_read(self):
        fifo = os.path.join(self.work, "fifo")
        os.mkfifo(fifo)
        began = time.monotonic()
        writer = produce(lambda: (time.sleep(0.5), shutil.copy(self.sample, self.input), make.write(fifo, pathlib.Path(self.sample).read_bytes())))
        result = self.provisioner("extract", fifo)
        waited = time.monotonic() - began
        os.waitpid(writer, 0)
        self.assertEqual(result.exit, 0, result.out)
        self.assertGreater(waited, 0.4)
        self.assertLess(result.cpu, 0.3 if not SANITIZER else 3, "waiting costs nothing")

    def test_unreadable_and_read_only(self):
        if os.geteuid() != 0:
            skip(self, "needs root, who can become somebody that may not read a file")
        nobody = 65534
        if run(["sh", "-c", "test -x " + PROVISIONER], user=nobody).exit != 0:
            skip(self, "the program is not executable for other users here")
        os.chmod(self.sample, 0o600)
        self.refused(self.bake(self.sample, user=nobody), "io")
        os.chmod(self.sample, 0o644)
        for out in (self.payload, os.path.join(self.outputs, "other/deep")):
            self.refused(self.provisioner("bake", self.sample, "--out", out, "--output", "json", user=nobody), "target io")
            self.untouched()

    def test_full_disk(self):
        words = private_mounts()
        if words is None:
            skip(self, "no mounts in a private namespace here (unshare -m)")
        disk = os.path.join(self.work, "disk")
        os.mkdir(disk)
        program = os.path.join(self.work, "provisioner.exe")
        pathlib.Path(program).write_bytes(make_program(os.urandom(100000)))
        script = 'mount -t tmpfs -o "$1" none "$2" && cp -a "$3" "$2/payload" && before=$(cd "$2" && find . | sort) && shift 2 && shift && ' \
                 '{ "$@" --out %s/payload; a=$?; "$@" --out %s/new/deep/payload; b=$?; }; [ "$(cd %s && find . | sort)" = "$before" ] || a=99; ' \
                 'sha256sum $(find %s -type f | sort) >&2; [ $a -eq 13 ] && [ $b -eq 13 ]' % (disk, disk, disk, disk)
        digests = sorted(digest(os.path.join(base, file)) for base, _, files in os.walk(self.payload) for file in files)
        for options in ("size=256k", "size=1m,nr_inodes=24"):
            with self.subTest(options):
                bake = [PROVISIONER, "bake", self.sample, "--output", "json", "--exe", program]
                result = run(words + ["sh", "-c", script, "sh", options, disk, self.payload] + bake)
                self.assertEqual(result.exit, 0, result.out.decode() + result.err.decode())
                self.assertEqual(sorted(re.findall(r"^([0-9a-f]{64}) ", result.err.decode(), re.M)), digests, "the earlier payload is as it was")
                self.assertEqual(result.out.count(b'"code": "io"') + result.out.count(b'"code": "target"'), 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
