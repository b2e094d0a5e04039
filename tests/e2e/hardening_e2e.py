#!/usr/bin/env python3
"""What the built program's file itself says of its hardening (provisioner/docs/security.md), and that nothing of the
machine that built it is in it. Reads the file alone: Wine prefers its own libraries and would prove nothing.

usage: hardening_e2e.py PROVISIONER BUILD-FOLDER"""
import json
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import unittest

BUILD = pathlib.Path(sys.argv.pop(2)).resolve()
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
BYTES = PROGRAM.read_bytes()
IS_PE = BYTES[:2] == b"MZ"
CACHE = dict(re.findall(r"(?m)^(\w+):\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text()))
SANITIZED = "-fsanitize" in CACHE["CMAKE_CXX_FLAGS"]
OPTIMISED = CACHE["CMAKE_BUILD_TYPE"] in ("Release", "RelWithDebInfo", "MinSizeRel")
INTEL = IS_PE or BYTES[18:20] == b"\x3e\x00"

# What Windows 10 and Server 2016 and later take from System32 whoever imports it (Session Manager\KnownDLLs); ntdll is
# mapped before any program.
KNOWN_DLLS = set("""advapi32 clbcatq combase comdlg32 coml2 difxapi gdi32 gdiplus imagehlp imm32 kernel32 msctf msvcrt
    normaliz nsi ntdll ole32 oleaut32 psapi rpcrt4 sechost setupapi shcore shell32 shlwapi user32 wldap32 ws2_32""".split())
LATE_DLLS = {"advapi32", "bcrypt", "crypt32"}


def commands():
    """(source, the words of its compilation) for each of our sources; CMake writes the text of those that are compiled together."""
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["directory"], entry["file"])
        if path.parent.name == "Unity":
            for source in re.findall(r'(?m)^#include "(.*)"$', path.read_text()):
                yield source, shlex.split(entry["command"])
        elif path.suffix not in (".rc", ".hxx", ".cxx"):
            yield entry["file"], shlex.split(entry["command"])


class Everywhere(unittest.TestCase):
    def test_every_source_is_compiled_with_the_options(self):
        wanted = {"-fstack-protector-strong"}
        unwanted = set()
        fortify = "-D_FORTIFY_SOURCE=" + ("2" if IS_PE else "3")
        (wanted if OPTIMISED and not SANITIZED else unwanted).add(fortify)
        if not IS_PE:
            wanted.add("-fPIE")
            if INTEL:
                wanted |= {"-fcf-protection=full", "-fstack-clash-protection"}
        seen = 0
        for source, words in commands():
            seen += 1
            self.assertLessEqual(wanted, set(words), source)
            self.assertFalse(unwanted & set(words), source)
            # Nothing behind them takes them back.
            self.assertFalse({"-fno-stack-protector", "-fcf-protection=none", "-fno-pie"} & set(words), source)
            if fortify in wanted:
                self.assertGreater(words.index(fortify), words.index("-U_FORTIFY_SOURCE"), source)
        self.assertGreater(seen, 300)

    @unittest.skipIf(SANITIZED, "the sanitizers' messages name sources by their paths")
    def test_holds_no_path_of_the_machine_that_built_it(self):
        home = os.path.normpath(os.path.expanduser("~"))
        folders = {str(BUILD), CACHE["CMAKE_CACHEFILE_DIR"], CACHE["CMAKE_HOME_DIRECTORY"], home, os.path.realpath(home)}
        if IS_PE:
            folders |= {CACHE["WINDEPS_PREFIX"], os.path.dirname(CACHE["WINDEPS_PREFIX"])}
        for folder in folders - {"/", "/usr"}:  # a home that says nothing about whose it is
            # As whole names: /src is not what /usr/src begins with.
            name = re.escape(folder.encode()).replace(b"/", rb"[\\/]")
            found = re.search(rb"(?<![\w.\\/-])" + name + rb"(?![\w.-])[ -~]*", BYTES)
            self.assertIsNone(found, folder)

    def test_openssl_looks_for_its_files_where_administrators_write(self):
        places = set(re.findall(rb"(?<=\0)([ -~]+)/(?:certs|private|cert\.pem)(?=\0)", BYTES))
        if not IS_PE and (SANITIZED or CACHE["PROVISIONER_STATIC_LIBRARIES"] != "ON"):
            self.assertEqual(places, set(), "OpenSSL is a library of the system here")
        else:
            self.assertEqual(places, {b"C:/Program Files/Provisioner/ssl" if IS_PE else b"/usr/lib/ssl"})


@unittest.skipIf(IS_PE, "of Linux")
class Elf(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        def ask(*words):
            return subprocess.run(["readelf", "-W", *words, PROGRAM], check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout
        cls.header, cls.segments, cls.dynamic, cls.symbols = ask("-h"), ask("-l"), ask("-d"), ask("-s")

    def flags_of(self, kind):
        """The protection of each segment of that kind: "R", "RW", "R E" …"""
        return re.findall(r"(?m)^ +%s +(?:0x\w+ +){5}([RWE ]{3})" % kind, self.segments)

    def test_is_position_independent(self):
        self.assertRegex(self.header, r"Type: +DYN ")
        self.assertRegex(self.dynamic, r"\(FLAGS_1\).*\bPIE\b")
        self.assertNotIn("TEXTREL", self.dynamic)

    def test_what_the_loader_writes_is_read_only_afterwards(self):
        self.assertEqual(len(self.flags_of("GNU_RELRO")), 1)
        self.assertRegex(self.dynamic, r"\(FLAGS\).*\bBIND_NOW\b")
        self.assertRegex(self.dynamic, r"\(FLAGS_1\).*\bNOW\b")

    def test_nothing_is_writable_and_executable(self):
        self.assertEqual([flags.strip() for flags in self.flags_of("GNU_STACK")], ["RW"])
        loaded = self.flags_of("LOAD")
        self.assertGreater(len(loaded), 1)
        for flags in loaded:
            self.assertFalse("W" in flags and "E" in flags, flags)

    def test_looks_for_libraries_where_the_system_does(self):
        self.assertNotRegex(self.dynamic, r"\((RPATH|RUNPATH)\)")
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", self.dynamic):
            self.assertNotIn("/", name)

    def test_frames_and_copies_are_checked(self):
        self.assertIn(" __stack_chk_fail", self.symbols)
        if OPTIMISED and not SANITIZED:
            self.assertRegex(self.symbols, r" __(memcpy|memmove|printf|fprintf|vfprintf|snprintf|read)_chk\b")

    @unittest.skipUnless(INTEL, "an Intel processor's")
    def test_indirect_branches_land_on_marks(self):
        found = re.search(r"(?m)^ *\d+: (\w+) +\d+ FUNC +GLOBAL +\w+ +\d+ main$", self.symbols)
        self.assertIsNotNone(found)
        at = int(found[1], 16)
        for kind, offset, address, size in re.findall(r"(?m)^ +(LOAD) +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)", self.segments):
            begin = int(address, 16)
            if begin <= at < begin + int(size, 16):
                place = int(offset, 16) + at - begin
                self.assertEqual(BYTES[place:place + 4], b"\xf3\x0f\x1e\xfa", "main begins with endbr64")
                return
        self.fail("main is in no segment")


class PortableExecutable:
    """As much of a 64-bit PE file as the tests ask for."""

    def __init__(self, data):
        self.data = data
        at = struct.unpack_from("<I", data, 0x3C)[0]
        assert data[at:at + 4] == b"PE\0\0"
        self.machine, count, self.time, _, _, size, self.characteristics = struct.unpack_from("<HHIIIHH", data, at + 4)
        optional = at + 24
        assert struct.unpack_from("<H", data, optional)[0] == 0x20B
        self.base = struct.unpack_from("<Q", data, optional + 24)[0]
        self.dll_characteristics = struct.unpack_from("<H", data, optional + 70)[0]
        directories = struct.unpack_from("<I", data, optional + 108)[0]
        self.directories = [struct.unpack_from("<II", data, optional + 112 + 8 * i) for i in range(directories)]
        self.sections = []
        for i in range(count):
            name, size_in_memory, address, size_in_file, place = struct.unpack_from("<8sIIII", data, optional + size + 40 * i)
            flags = struct.unpack_from("<I", data, optional + size + 40 * i + 36)[0]
            self.sections.append((name.rstrip(b"\0").decode(), address, min(size_in_memory, size_in_file), place, flags))

    def place(self, address):
        """Where in the file an address relative to the image is; None if nowhere."""
        for _, begin, size, place, _ in self.sections:
            if begin <= address < begin + size:
                return place + address - begin
        return None

    def text(self, address):
        place = self.place(address)
        return None if place is None else self.data[place:self.data.index(b"\0", place)].decode("latin-1")

    def functions(self, table):
        """The names in a table of imports."""
        found, place = [], self.place(table)
        while (entry := struct.unpack_from("<Q", self.data, place)[0]) != 0:
            found.append("#%d" % (entry & 0xFFFF) if entry >> 63 else self.text(entry + 2))
            place += 8
        return found

    def imports(self):
        """{library: functions} that Windows loads before the program runs."""
        found, place = {}, self.place(self.directories[1][0])
        while True:
            table, _, _, name, addresses = struct.unpack_from("<5I", self.data, place)
            if name == 0:
                return found
            found.setdefault(stem(self.text(name)), []).extend(self.functions(table or addresses))
            place += 20

    def late_imports(self):
        """{library: functions} that are looked up when they are called. GNU ld writes no directory of these
        (entry 13), so their descriptors are found by their form."""
        found = {}
        for _, _, size, begin, _ in self.sections:
            for place in range(begin, begin + size - 31, 4):
                kind, name, handle, addresses, table, *rest = struct.unpack_from("<8I", self.data, place)
                if kind != 1 or rest != [0, 0, 0] or None in map(self.place, (name, handle, addresses, table)):
                    continue
                library = self.text(name)
                if library and re.fullmatch(r"[\w.-]+\.dll", library, re.IGNORECASE):
                    found.setdefault(stem(library), []).extend(self.functions(table))
        return found


def stem(library):
    return library.lower().removesuffix(".dll")


@unittest.skipUnless(IS_PE, "of Windows")
class Pe(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.file = PortableExecutable(BYTES)
        cls.imports = cls.file.imports()
        cls.late = cls.file.late_imports()

    def test_is_moved_and_its_data_not_executed(self):
        for name, bit in (("HIGH_ENTROPY_VA", 0x20), ("DYNAMIC_BASE", 0x40), ("NX_COMPAT", 0x100)):
            self.assertTrue(self.file.dll_characteristics & bit, name)
        self.assertFalse(self.file.characteristics & 1, "relocations are stripped")
        self.assertGreater(self.file.directories[5][1], 0, "no relocations, so it can't be moved")
        self.assertGreater(self.file.base, 0xFFFFFFFF, "the whole address space is for what begins above 4 GB")

    def test_nothing_is_writable_and_executable(self):
        self.assertGreater(len(self.file.sections), 3)
        for name, _, _, _, flags in self.file.sections:
            self.assertFalse(flags & 0x80000000 and flags & 0x20000000, name)

    def test_imports_known_dlls_only(self):
        self.assertIn("kernel32", self.imports)
        self.assertLessEqual(set(self.imports), KNOWN_DLLS)

    def test_imports_nothing_that_is_forwarded_elsewhere(self):
        # ADVAPI32 has these from CRYPTSP and CRYPTBASE, which are searched as any library is.
        forwarded = [name for name in self.imports["advapi32"] if re.match(r"Crypt|SystemFunction", name)]
        self.assertEqual(forwarded, [])

    def test_loads_the_others_late_and_from_system32(self):
        self.assertLessEqual(set(self.late), LATE_DLLS)
        self.assertIn("CertOpenStore", self.late["crypt32"])
        self.assertIn("CryptAcquireContextW", self.late["advapi32"])
        for name in ("SetDefaultDllDirectories", "LoadLibraryExA"):
            self.assertIn(name, self.imports["kernel32"])

    def test_asks_for_no_more_rights_than_its_caller_has(self):
        begin, size = self.file.place(self.file.directories[2][0]), self.file.directories[2][1]
        manifest = BYTES[BYTES.index(b"<assembly", begin, begin + size):BYTES.index(b"</assembly>", begin, begin + size)].decode()
        self.assertRegex(manifest, r'<requestedExecutionLevel level="asInvoker" uiAccess="false"\s*/>')
        self.assertNotIn("<dependency", manifest)
        for word in ("longPathAware", "activeCodePage"):
            self.assertIn(word, manifest)
        self.assertIn("OriginalFilename".encode("utf-16-le"), BYTES)

    def test_checks_frames_itself(self):
        # With libssp it would ask a library before it could say where libraries are.
        self.assertIn(b"the stack was overwritten", BYTES)
        self.assertNotIn(b"stack smashing detected", BYTES)

    def test_holds_no_time(self):
        self.assertEqual(self.file.time, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
