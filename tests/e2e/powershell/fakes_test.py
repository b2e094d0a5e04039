"""Tests of the fakes themselves; they need no PowerShell."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import fakes

HERE = os.path.dirname(os.path.abspath(__file__))
KEY = "HKEY_LOCAL_MACHINE\\SOFTWARE\\Test"


class FakeTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.environment = dict(os.environ, FAKE_STORE=self.path("store.json"), FAKE_LOG=self.path("log"))
        self.environment.pop("FAKE_FAULT", None)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def store(self):
        return fakes.Store(self.path("store.json"))

    def tool(self, *arguments, **environment):
        return subprocess.run([sys.executable, os.path.join(HERE, "fakes.py"), *arguments], capture_output=True, text=True,
                              env=dict(self.environment, **environment), check=False)

    def import_text(self, text, encoding="utf-16-le", bom=b"\xff\xfe", **environment):
        with open(self.path("in.reg"), "wb") as file:
            file.write(bom + text.encode(encoding))
        return self.tool("reg", "import", self.path("in.reg"), "/reg:64", **environment).returncode

    def section(self, body):
        return f"{fakes.HEADER}\r\n\r\n[{KEY}]\r\n{body}\r\n"

    def test_round_trip_of_every_value_form(self):
        store = self.store()
        values = {"": fakes.sz("default"), "sz": fakes.sz('a "b" c:\\d'), "Lines": fakes.sz("one\r\ntwo"), "empty": fakes.sz(""),
                  'na"me\\x': fakes.sz("x"), "expand": (2, fakes.utf16("%SystemRoot%\\x") + "0000"),
                  "multi": fakes.multi_sz(["A=1", "B=caf\u00e9 " + "y" * 200]), "nothing": (0, ""), "binary": (3, "00ff" * 100),
                  "number": (4, "0a000000"), "long": (11, "0100000000000000"), "cut": (1, "41004200")}
        for name, value in values.items():
            store.set(KEY, name, *value)
        store.make_key(KEY + "\\Sub")
        store.save()
        self.assertEqual(self.tool("reg", "export", "HKLM\\SOFTWARE\\Test", self.path("out.reg"), "/y", "/reg:64").returncode, 0)
        with open(self.path("out.reg"), "rb") as file:
            raw = file.read()
        self.assertTrue(raw.startswith(b"\xff\xfe" + "Windows Registry".encode("utf-16-le")))
        again = fakes.Store(self.path("again.json"))
        self.assertTrue(fakes.apply_reg_file(again, raw))
        for name, value in values.items():
            expected = fakes.sz("AB") if name == "cut" and again.get(KEY, name)[1].endswith("0000") else value
            self.assertEqual(again.get(KEY, name), expected, name)
        self.assertIsNotNone(again.key(KEY + "\\Sub"))

    def test_lines_are_wrapped(self):
        text = fakes.format_value("multi", *fakes.multi_sz(["A=" + "x" * 100]))
        lines = text.split("\r\n")
        self.assertGreater(len(lines), 5)
        self.assertTrue(all(line.endswith(",\\") for line in lines[:-1]))
        self.assertTrue(all(line.startswith("  ") for line in lines[1:]))

    def test_import_refuses_and_skips_like_the_real_one(self):
        good = self.section('"a"="1"')
        self.assertEqual(self.import_text(good, bom=b""), 1)
        self.assertEqual(self.import_text(good, encoding="utf-8", bom=b""), 1)
        self.assertEqual(self.import_text(good.replace("Version", "Varsion")), 1)
        self.assertIsNone(self.store().key(KEY))
        self.assertEqual(self.import_text(self.section('"a"=hex(7):41,0\r\n"b"=hex:zz\r\nnonsense\r\n"c"="3"')), 0)
        self.assertEqual([self.store().get(KEY, name) for name in "abc"], [None, None, fakes.sz("3")])
        self.assertEqual(self.import_text(f'{fakes.HEADER}\r\n\r\n[HKLM\\SOFTWARE\\Short]\r\n"a"="1"\r\n'), 0)
        self.assertIsNone(self.store().key("HKEY_LOCAL_MACHINE\\SOFTWARE\\Short"))

    def test_import_deletes_values_and_trees(self):
        self.import_text(self.section('"a"="1"\r\n"B"=dword:0000000a\r\n"c"=hex(1):41,00,\\\r\n  00,00'))
        self.assertEqual([self.store().get(KEY, name) for name in "abc"], [fakes.sz("1"), (4, "0a000000"), fakes.sz("A")])
        self.import_text(self.section('"A"=-\r\n"gone"=-'))
        self.assertIsNone(self.store().get(KEY, "a"))
        self.import_text(f"{fakes.HEADER}\r\n\r\n[-{KEY}]\r\n")
        self.assertIsNone(self.store().key(KEY))
        self.assertIsNotNone(self.store().key("HKEY_LOCAL_MACHINE\\SOFTWARE"))

    def test_names_keep_their_first_spelling(self):
        self.import_text(self.section('"http_proxy"="1"\r\n"HTTP_PROXY"="2"'))
        self.assertEqual(list(self.store().key(KEY)["values"].values()), [["http_proxy", *fakes.sz("2")]])

    def test_query(self):
        self.import_text(self.section('"a"="1"').replace("Test", "Test\\Sub"))
        answer = self.tool("reg", "query", "hklm\\software\\test", "/reg:64")
        self.assertEqual(answer.returncode, 0)
        self.assertIn(KEY + "\\Sub", answer.stdout)
        self.assertEqual(self.tool("reg", "query", "HKLM\\SOFTWARE\\Absent", "/reg:64").returncode, 1)
        self.assertEqual(self.tool("reg", "query", "HKLM\\SOFTWARE\\Test").returncode, 1, "the 32-bit view")
        self.assertEqual(self.tool("reg", "query", "HKU\\S-1-5-19").returncode, 0)

    def test_certutil(self):
        with open(self.path("a.cer"), "wb") as file:
            file.write(b"\x30\x03\x02\x01\x05")
        sha1 = fakes.hashlib.sha1(b"\x30\x03\x02\x01\x05").hexdigest()
        self.assertNotEqual(self.tool("certutil", "-store", "ROOT", sha1).returncode, 0)
        self.assertEqual(self.tool("certutil", "-f", "-addstore", "ROOT", self.path("a.cer"), FAKE_FAULT="add-nothing").returncode, 0)
        self.assertNotEqual(self.tool("certutil", "-store", "ROOT", sha1).returncode, 0)
        self.assertEqual(self.tool("certutil", "-f", "-addstore", "ROOT", self.path("a.cer")).returncode, 0)
        self.assertEqual(self.tool("certutil", "-store", "ROOT", sha1.upper()).returncode, 0)
        self.assertNotEqual(self.tool("certutil", "-store", "CA", sha1).returncode, 0)
        self.assertEqual(self.tool("certutil", "-delstore", "ROOT", sha1).returncode, 0)
        self.assertEqual(self.store().data["certs"]["ROOT"], [])
        with open(self.path("a.cer"), "wb") as file:
            file.write(b"-----BEGIN")
        self.assertNotEqual(self.tool("certutil", "-f", "-addstore", "ROOT", self.path("a.cer")).returncode, 0)

    def test_icacls(self):
        store = self.store()
        store.data["sddl"][os.path.realpath(self.folder.name)] = "O:S-1-5-21-1-2-3-1001G:DUD:AI(A;;FA;;;S-1-5-21-9)(A;OICIID;FA;;;BU)"
        store.save()
        self.assertEqual(self.tool("icacls", self.folder.name, "/setowner", "*S-1-5-32-544").returncode, 0)
        self.tool("icacls", self.folder.name, "/inheritance:r", "/grant:r", "*S-1-5-18:(OI)(CI)F", "*S-1-5-32-544:(OI)(CI)F")
        self.assertEqual(self.tool("sddl", self.folder.name).stdout.strip(),
                         "O:BAG:DUD:PAI(A;;FA;;;S-1-5-21-9)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)")
        self.assertNotEqual(self.tool("icacls", self.folder.name, "/grant", "Everyone:F").returncode, 0)

    def test_every_call_is_recorded_and_faults_work(self):
        self.assertEqual(self.import_text(self.section('"a"="1"'), FAKE_FAULT="import-skips"), 0)
        self.assertIsNone(self.store().key(KEY))
        with open(self.path("log"), encoding="utf-8") as file:
            self.assertEqual(json.loads(file.readline())[:2], ["reg", "import"])
        for fault, written in (("kill-before:1", None), ("kill:1", fakes.sz("1"))):
            store = self.store()
            store.data["calls"] = 0
            store.save()
            with open(self.path("in.reg"), "wb") as file:
                file.write(b"\xff\xfe" + self.section('"a"="1"').encode("utf-16-le"))
            caller = [sys.executable, "-c", "import subprocess,sys; subprocess.run(sys.argv[1:]); print('survived')", sys.executable,
                      os.path.join(HERE, "fakes.py"), "reg", "import", self.path("in.reg"), "/reg:64"]
            answer = subprocess.run(caller, capture_output=True, text=True, env=dict(self.environment, FAKE_FAULT=fault), check=False)
            self.assertEqual((answer.returncode, answer.stdout), (-9, ""))
            self.assertEqual(self.store().get(KEY, "a"), written)


if __name__ == "__main__":
    unittest.main()
