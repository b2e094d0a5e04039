"""A machine that runs the scripts under a real PowerShell 7: its registry, certificate stores, accounts and the protection of its
folders are one JSON store.

The scripts are run as they are, but for a few names: .NET has no registry and no stores of the machine outside of Windows, and takes
a backslash for a letter. ADAPTED says what stands for what; stand-ins.ps1 has the substitutes."""
import json
import os
import pathlib
import sys
import unittest

import fakes

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import PWSH, ROOT, end_unrun, folder, missing, must, put_tool, run  # noqa: E402

TEMPLATES = ROOT / "templates"
STAND_INS = HERE / "stand-ins.ps1"
ADAPTED = [(b"[Microsoft.Win32.RegistryKey]", b"[StandInKey]"), (b"[IO.FileSystemAclExtensions]", b"[StandInDirectory]"),
           (b"[IO.Directory]", b"[StandInDirectory]"), (b"[IO.File]", b"[StandInFile]"),
           (b"Security.AccessControl.DirectorySecurity", b"StandInSecurity"), (b"Security.Principal.NTAccount", b"StandInAccount"),
           (b"Security.Cryptography.X509Certificates.X509Store", b"StandInStore"), (b"$PSHOME\\", b"$env:FAKE_PSHOME\\")]

CONTROL = "HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\"
ENVIRONMENT = CONTROL + "Environment"
BOOT = CONTROL + "Memory Management\\PrefetchParameters"
CERTIFICATES = "HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\SystemCertificates\\%s\\Certificates"
SERVICES = "HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\"
CONNECTIONS = "Microsoft\\Windows\\CurrentVersion\\Internet Settings\\Connections"
WINHTTP = ["HKEY_LOCAL_MACHINE\\SOFTWARE\\" + CONNECTIONS, "HKEY_LOCAL_MACHINE\\SOFTWARE\\WOW6432Node\\" + CONNECTIONS]
# The access list of a key that nobody closed, and of a closed one.
OPEN = "D:AI(A;CIID;KR;;;BU)(A;CIID;KA;;;BA)(A;CIID;KA;;;SY)(A;CIIOID;KA;;;CO)(A;CIID;KR;;;AC)"
CLOSED = "D:PAI(A;CI;KA;;;BA)(A;CI;KA;;;SY)(A;CIIO;KA;;;CO)"
PROTECTED = "O:BAG:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"
ODD_NAMES = ["two  blanks", "it's \"quoted\"", "\"", "ends with \"", "`$(get-date)", "[a]*?", "%path%;&|<>^", "-remove", "@x", "a]b[c", "a", "a\u200d",
             "\u03c5\u03c0\u03b7\u03c1\u03b5\u03c3\u03af\u03b1\u03c2", "\u540d\u524d", "\U0001f600", "=" * 256]

# With PROVISIONER_POWERSHELL=some, which scripts/test --all sets, fewer tests run, and of many like cases each fifth.
ALL = os.environ.get("PROVISIONER_POWERSHELL") != "some"
STRIDE = 1 if ALL else 5


def keep(case, names):
    """Of the tests of a class those with these names, where not all run."""
    for name in () if ALL else [name for name in dir(case) if name.startswith("test_") and name not in names]:
        setattr(case, name, None)


def run_tests(what, openssl=False):
    """Of the program that calls this, or says loudly what was not tested."""
    if PWSH is None:
        end_unrun(f"no PowerShell (pwsh) on this machine: {what}")
    if openssl and (lacking := missing("openssl")):
        end_unrun(f"missing: {lacking}: {what}")
    unittest.main()


def python_tool(path, text):
    """A program of Windows that is this text of Python."""
    return put_tool(path, text, "#!" + sys.executable)


def make_certificates(case):
    """Three roots and an intermediate, for the tests of a class: PEM by name."""
    place = folder(case, "certificates ")

    def openssl(*words):
        must("openssl", *words, cwd=place)
    for name in ("one", "two", "three"):
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", name + ".key", "-out", name + ".pem", "-days", "3650", "-subj", "/CN=Root " + name)
    (place / "middle.ext").write_text("basicConstraints=critical,CA:TRUE\n")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "middle.key", "-out", "middle.csr", "-subj", "/CN=The middle")
    openssl("x509", "-req", "-in", "middle.csr", "-CA", "one.pem", "-CAkey", "one.key", "-CAcreateserial", "-days", "3650", "-extfile", "middle.ext", "-out", "middle.pem")
    return {name: (place / (name + ".pem")).read_text() for name in ("one", "two", "three", "middle")}


def adapt(script):
    for old, new in ADAPTED:
        script = script.replace(old, new)
    return script


class Machine:
    def __init__(self, root, pwsh):
        self.root, self.pwsh = pathlib.Path(root).resolve(), pwsh
        self.windows = self.root / "Windows"
        self.state = self.root / "ProgramData/Provisioner"
        self.temporary = self.root / "tmp"  # a PowerShell that is killed leaves its sockets and pipes
        for place in (self.windows / "System32", self.state.parent, self.temporary):
            place.mkdir(parents=True)
        self.environment = {n: v for n, v in os.environ.items() if not n.upper().endswith("_PROXY") and not n.startswith("FAKE_")}
        self.environment.update(SystemRoot=str(self.windows), ProgramData=str(self.state.parent), FAKE_STORE=str(self.root / "store.json"),
                                TMPDIR=str(self.temporary), COMPUTERNAME="NODE", NO_COLOR="1", POWERSHELL_TELEMETRY_OPTOUT="1", DOTNET_TieredPGO="0")
        self.output = ""
        store = self.store()
        for key in (ENVIRONMENT, SERVICES + "containerd", WINHTTP[0], "HKEY_LOCAL_MACHINE\\SOFTWARE\\WOW6432Node", CERTIFICATES % "ROOT", CERTIFICATES % "CA"):
            store.make_key(key)
        store.set(ENVIRONMENT, "Path", 2, fakes.utf16("%SystemRoot%\\system32") + "0000")
        store.set(BOOT, "BootId", 4, "07000000")
        store.save()

    # ---- what is there

    def store(self, run=None):
        """As it is, or was behind one of several runs (driver.ps1)."""
        return fakes.Store(str(self.root / "store.json") + (f".{run}" if run else ""))

    def change(self, action):
        store = self.store()
        action(store)
        store.save()

    def set(self, key, name, value):
        self.change(lambda store: store.set(key, name, *value))

    def writes(self):
        return self.store().data["writes"]

    def content(self):
        """Keys and stores: everything that a run may change, less our own folder."""
        data = self.store().data
        return data["keys"], self.certificates(), data["policy"]

    def env(self, name, run=None):
        value = self.store(run).get(ENVIRONMENT, name)
        return bytes.fromhex(value[1]).decode("utf-16-le").rstrip("\0") if value else None

    def service(self, name, run=None):
        value = self.store(run).get(SERVICES + name, "Environment")
        return fakes.multi_entries(value) if value else None

    def sddl(self, service="containerd", run=None):
        return self.store(run).key(SERVICES + service).get("sddl", OPEN)

    def certificates(self, run=None):
        found = {}
        for key in self.store(run).data["keys"]:
            for name in ("ROOT", "CA"):
                store, _, thumbprint = key.rpartition("\\")
                if store == (CERTIFICATES % name).lower():
                    found.setdefault(name, []).append(thumbprint)
        return {name: sorted(thumbprints) for name, thumbprints in found.items()}

    def put_certificate(self, name, thumbprint):
        """As somebody else adds it to the store's own place."""
        self.change(lambda store: store.make_key(f"{CERTIFICATES % name}\\{thumbprint.upper()}"))

    def record(self):
        """What script-state.json says."""
        document = json.loads((self.state / "script-state.json").read_text(encoding="utf-8"))
        assert document["schema"] == 1, document
        return document

    def items(self):
        return {item["key"]: item for item in self.record()["items"]}

    def put_record(self, text):
        (self.state / "script-state.json").write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")

    # ---- what runs

    def shell(self, *arguments, **environment):
        """pwsh with these arguments: its exit code; what it said is in `output`."""
        answer = run(self.pwsh, "-NoProfile", "-NonInteractive", *arguments, env={**self.environment, **environment}, timeout=300)
        self.output = answer.stdout + answer.stderr
        return answer.returncode
