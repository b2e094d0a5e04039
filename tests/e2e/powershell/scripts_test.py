"""Runs Install-Egress.ps1 and Remove-Egress.ps1 under a real PowerShell 7 (pwsh, or what PWSH names) against the fakes. Each run
of a script takes seconds. With PROVISIONER_POWERSHELL=some, which scripts/test --all sets, only the tests in SOME run, and those that
kill a script try a fifth of the changes.

usage: scripts_test.py [unittest arguments]"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import fakes

HERE = os.path.dirname(os.path.abspath(__file__))
TEMPLATES = os.path.join(HERE, "..", "..", "..", "templates")
PWSH = shutil.which(os.environ.get("PWSH", "pwsh"))
ALL = os.environ.get("PROVISIONER_POWERSHELL") != "some"
STRIDE = 1 if ALL else 5
SOME = {"test_fresh_install", "test_second_run_writes_nothing", "test_removal_restores_exactly", "test_changed_proxy", "test_rotated_certificate",
        "test_key_of_a_service_with_credentials_is_closed_to_users", "test_variables_are_left_to_the_machine_config_daemon",
        "test_a_run_killed_at_any_change_is_finished_or_undone_by_the_next", "test_a_removal_killed_at_any_change_is_finished_by_the_next",
        "test_the_program_of_the_payload_is_started_and_its_exit_code_handed_on", "test_a_certificate_that_cannot_be_read_is_the_payloads_fault",
        "test_a_key_that_was_closed_before_stays_closed", "test_the_mode_is_set"}


def keep(case, names):
    """Of the tests of a class those with these names, where not all run."""
    for name in () if ALL else [name for name in dir(case) if name.startswith("test_") and name not in names]:
        setattr(case, name, None)

ENVIRONMENT = "HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment"
BOOT = "HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management\\PrefetchParameters"
SERVICES = "HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services"
CONTAINERD = SERVICES + "\\containerd"
CONNECTIONS = "Microsoft\\Windows\\CurrentVersion\\Internet Settings\\Connections"
WINHTTP64 = "HKEY_LOCAL_MACHINE\\SOFTWARE\\" + CONNECTIONS
WINHTTP32 = "HKEY_LOCAL_MACHINE\\SOFTWARE\\WOW6432Node\\" + CONNECTIONS
CANARY = "Can4ry'p%40ss;&(x"
PROXY = f"http://user:{CANARY}@proxy.example.com:3128"
SETTINGS = "18000000000000000300000016000000" + b"proxy.example.com:3128".hex() + "03000000" + b"a;b".hex()
CERTIFICATES = {"one": b"\x30\x03\x02\x01\x01", "two": b"\x30\x03\x02\x01\x02", "three": b"\x30\x03\x02\x01\x03"}


def sha1(name):
    return hashlib.sha1(CERTIFICATES[name]).hexdigest()


OPEN = "D:AI(A;CIID;KR;;;BU)(A;CIID;KA;;;BA)(A;CIID;KA;;;SY)(A;CIIOID;KA;;;CO)(A;CIID;KR;;;AC)"
CLOSED = "D:PAI(A;CI;KA;;;BA)(A;CI;KA;;;SY)(A;CIIO;KA;;;CO)"
ODD_NAMES = ["two  blanks", "it's \"quoted\"", "\"", "ends with \"", "`$(Get-Date)", "[a]*?", "%PATH%;&|<>^", "-Remove", "@x", "a]b[c", "\u03c5\u03c0\u03b7\u03c1\u03b5\u03c3\u03af\u03b1\u03c2",
             "\u540d\u524d", "\U0001f600", "=" * 256]


def schema_one(record, present=()):
    """A record as earlier payloads wrote it, which names the certificates that were there before, too."""
    def text(value):
        return "absent" if value is None else "%x:%s" % (value["type"], value["hex"])

    items = [("generation", "payload", "", str(record["generation"]), "", ""), ("reboot", "machine", "", record["reboot"], "", "")]
    items += [("certificate", "ROOT/" + name, "present", "present", "", "") for name in present]
    for item, entry in record["ledger"].items():
        kind, name = item.split(":", 1)
        before, ours = text(entry["before"]), text(entry["ours"])
        prior = text(record["prior"][item]) if record["prior"].get(item) else ""
        if kind == "certificate":
            items.append((kind, name[:-40].replace(":", "/") + name[-40:].lower(), "absent", "present", "", ""))
        elif kind == "service":
            items += [("serviceEnv", name, before, ours, "", ""), ("serviceOurs", name, "", ours, prior, "")]
        else:
            items.append(({"serviceSecurity": "serviceAcl"}.get(kind, kind), name, before, ours, prior, str(len(entry["ownKeys"]) or "")))
    return {"schema": 1, "items": [dict(zip(("kind", "name", "before", "after", "prior", "key"), item)) for item in items]}


class ScriptTest(unittest.TestCase):
    language = ""  # that of the shell
    service_lines = 2  # the key, and the environment

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="egress test ")
        self.addCleanup(folder.cleanup)
        self.root = os.path.realpath(folder.name)
        self.system32 = os.path.join(self.root, "Windows", "System32")
        self.payload = os.path.join(self.root, "payload")
        self.state_dir = os.path.join(self.root, "ProgramData", "Provisioner")
        self.temporary = os.path.join(self.root, "tmp")  # a PowerShell that is killed leaves its sockets and pipes
        for path in (self.system32, os.path.join(self.payload, "scripts"), os.path.dirname(self.state_dir), self.temporary):
            os.makedirs(path)
        for tool in ("reg", "certutil", "icacls"):
            path = os.path.join(self.system32, tool + ".exe")
            with open(path, "w", encoding="utf-8") as file:
                # A run of a script calls it thirty times and more; with -IS Python starts twice as fast.
                file.write(f"#!{sys.executable} -IS\nimport sys\nsys.path.insert(0, {HERE!r})\nimport fakes\n"
                           f"sys.exit(fakes.run({tool!r}, sys.argv[1:]))\n")
            os.chmod(path, 0o755)
        for name in ("Install-Egress.ps1", "Remove-Egress.ps1"):
            with open(os.path.join(TEMPLATES, name), "rb") as file:
                script = file.read()
            # .NET has neither a registry nor accounts outside of Windows (stand-in-registry.ps1).
            script = script.replace(b"[Microsoft.Win32.RegistryKey]", b"[StandInKey]").replace(b"[Security.Principal.NTAccount]", b"[StandInAccount]")
            with open(os.path.join(self.payload, "scripts", name), "wb") as file:
                file.write(script)
        store = self.store()
        for key in (ENVIRONMENT, BOOT, CONTAINERD + "\\Parameters", WINHTTP64, "HKEY_LOCAL_MACHINE\\SOFTWARE\\WOW6432Node"):
            store.make_key(key)
        store.set(ENVIRONMENT, "Path", 2, fakes.utf16("%SystemRoot%\\system32;C:\\a \"b\"") + "0000")
        store.set(ENVIRONMENT, "Odd", *fakes.sz("line one\r\n[not a key]\r\n\"x\"=\"y\""))
        store.set(BOOT, "BootId", 4, "07000000")
        store.set(CONTAINERD, "ImagePath", 2, fakes.utf16("\"C:\\Program Files\\containerd\\containerd.exe\" --run-service") + "0000")
        store.set(CONTAINERD, "Start", 4, "02000000")
        store.save()
        self.output = ""
        self.bake()

    def run_unchecked(self, script):
        """As run_script, where somebody else opened a key."""
        self.assert_no_user_reads_a_secret = lambda: None
        code = self.run_script(script)
        del self.assert_no_user_reads_a_secret
        return code

    def store(self):
        return fakes.Store(os.path.join(self.root, "store.json"))

    def change(self, action):
        store = self.store()
        action(store)
        store.save()

    def bake(self, certificates=("one", "two"), proxy=PROXY, no_proxy=".svc,10.0.0.0/8", generation=1, **changes):
        environment = {name: value for name, value in (("HTTP_PROXY", proxy), ("HTTPS_PROXY", proxy), ("NO_PROXY", no_proxy)) if value}
        document = {
            "schema": 1, "generation": generation, "source": {"kind": "MachineConfig", "name": "x", "ignitionVersion": "3.4.0"},
            "scope": ["machine", "services", "winhttp", "certs"], "credentials": "machine", "environment": environment,
            "services": [{"name": "containerd", "environment": environment}, {"name": "kubelet", "environment": environment}],
            "winHttp": {"proxy": "proxy.example.com:3128", "bypass": "a;b", "settings": SETTINGS}, "certificates": []}
        for name in certificates:
            file = f"trust/ROOT/{sha1(name).upper()}.cer"
            path = os.path.join(self.payload, file)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as out:
                out.write(CERTIFICATES[name])
            document["certificates"].append({
                "store": "ROOT", "sha1": sha1(name), "sha256": hashlib.sha256(CERTIFICATES[name]).hexdigest(),
                "subject": f"CN={name} \u2018\u001b[31m", "notAfter": "2030-01-01T00:00:00Z", "file": file})
        document["certificates"] = changes.pop("list", document["certificates"])
        document.update(changes)
        with open(os.path.join(self.payload, "egress.json"), "w", encoding="utf-8") as file:
            json.dump(document, file, ensure_ascii=False)

    def run_script(self, script="Install-Egress.ps1", *options, fault=""):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("FAKE_", "PROCESSOR_"))}
        environment.update(SystemRoot=os.path.dirname(self.system32), ProgramData=os.path.dirname(self.state_dir),
                           FAKE_STORE=os.path.join(self.root, "store.json"), FAKE_LOG=os.path.join(self.root, "log"),
                           FAKE_FAULT=fault, FAKE_COUNTER="calls", TMPDIR=self.temporary, COMPUTERNAME="NODE", FAKE_LANGUAGE=self.language, FAKE_PYTHON=sys.executable, FAKE_SCRIPT=os.path.join(HERE, "fakes.py"), NO_COLOR="1",
                           POWERSHELL_TELEMETRY_OPTOUT="1", DOTNET_TieredPGO="0")
        answer = subprocess.run([PWSH, "-NoProfile", "-NonInteractive", "-File", os.path.join(HERE, "driver.ps1"),
                                 os.path.join(self.payload, "scripts", script), *options],
                                capture_output=True, text=True, env=environment, timeout=300, check=False)
        self.output += answer.stdout + answer.stderr
        self.last = answer.stdout + answer.stderr
        self.assert_no_user_reads_a_secret()
        return answer.returncode

    def sddl(self, key=CONTAINERD):
        return self.store().key(key).get("sddl", OPEN)

    def assert_no_user_reads_a_secret(self):
        if self.language:  # without the full language only what machine variables show anyhow is written
            return
        for key in self.store().data["keys"].values():
            if key["name"].startswith(SERVICES) and fakes.utf16("Can4ry") in json.dumps(key["values"]):
                self.assertNotRegex(key.get("sddl", OPEN), ";(BU|AC)\\)", key["name"])

    def install(self, *options, **more):
        self.assertEqual(self.run_script("Install-Egress.ps1", *options, **more), 0, self.last)

    def remove(self):
        self.assertEqual(self.run_script("Remove-Egress.ps1"), 0, self.last)

    def machine(self):
        """Everything of the machine that outlives a run, less the protection of our folder."""
        data = self.store().data
        return {name: data[name] for name in ("keys", "certs", "policy")}

    def env(self, name):
        return self.store().get(ENVIRONMENT, name)

    def entries(self):
        value = self.store().get(CONTAINERD, "Environment")
        return fakes.multi_entries(value) if value else None

    def calls(self):
        with open(os.path.join(self.root, "log"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def assert_installed(self, proxy=PROXY, certificates=("one", "two")):
        self.assertEqual(self.env("HTTP_PROXY"), fakes.sz(proxy))
        self.assertEqual(self.env("HTTPS_PROXY"), fakes.sz(proxy))
        self.assertEqual(self.env("NO_PROXY"), fakes.sz(".svc,10.0.0.0/8"))
        self.assertEqual(self.store().get(WINHTTP64, "WinHttpSettings"), (3, SETTINGS))
        self.assertEqual(self.store().get(WINHTTP32, "WinHttpSettings"), (3, SETTINGS))
        self.assertEqual(sorted(self.store().data["certs"]["ROOT"]), sorted(sha1(name) for name in certificates))
        self.assertIn("HTTP_PROXY=" + proxy, self.entries())

    def tearDown(self):
        if not os.path.exists(os.path.join(self.root, "log")):
            return
        self.assertNotIn("Can4ry", self.output)
        for call in self.calls():
            self.assertNotIn("Can4ry", json.dumps(call))
            self.assertNotIn(fakes.utf16("Can4ry"), json.dumps(call))
        if os.path.isdir(self.state_dir):
            self.assertLessEqual(set(os.listdir(self.state_dir)), {"script-state.json", "script-state.json.old", "script-state.json.new"})

    def test_fresh_install(self):
        before = self.machine()
        self.install()
        self.assert_installed()
        self.assertEqual(self.env("path"), (2, before["keys"][ENVIRONMENT.lower()]["values"]["path"][2]))
        self.assertIn("machine variable HTTP_PROXY: set to http://user:***@proxy.example.com:3128", self.last)
        self.assertIn("warning: service kubelet is not installed", self.last)
        self.assertIn("reboot: needed", self.last.strip().splitlines()[-1])
        self.assertNotIn("\x1b", self.last)
        self.assertEqual(self.entries(), [f"HTTP_PROXY={PROXY}", f"HTTPS_PROXY={PROXY}", "NO_PROXY=.svc,10.0.0.0/8"])
        with open(os.path.join(self.state_dir, "script-state.json"), "rb") as file:
            record = json.loads(file.read())
        self.assertEqual((record["schema"], record["generation"], record["prior"], record["reboot"]), (2, 1, {}, "counter 4:07000000"))
        self.assertEqual(record["ledger"]["env:HTTP_PROXY"], {"before": None, "ours": {"type": 1, "hex": fakes.sz(PROXY)[1]}, "ownKeys": []})
        self.assertEqual(record["ledger"]["certificate:ROOT:" + sha1("one").upper()], {"before": None, "ours": None, "ownKeys": []})
        self.assertEqual(record["ledger"]["winHttp:32"]["ownKeys"], ["SOFTWARE\\WOW6432Node\\" + CONNECTIONS.rsplit("\\", n)[0] for n in (4, 3, 2, 1)] +
                         ["SOFTWARE\\WOW6432Node\\" + CONNECTIONS])
        self.assertEqual(record["ledger"]["service:containerd"]["ours"], {"type": 7, "hex": fakes.multi_sz(self.entries())[1]})
        self.assertIn("D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)", self.store().data["sddl"][self.state_dir])

    def test_a_user_name_alone_is_not_shown(self):
        """It may be a token, with or without a password behind it."""
        for proxy, shown in (("http://Can4ryToken@proxy.example.com:3128", "http://***@proxy.example.com:3128"),
                             ("http://Can4ry%3AToken@proxy.example.com:3128", "http://***@proxy.example.com:3128"),
                             ("Can4ryToken@proxy.example.com:3128", "***@proxy.example.com:3128"),
                             ("http://Can4ry@Token@proxy.example.com:3128", "http://***@proxy.example.com:3128")):
            with self.subTest(proxy):
                self.bake(proxy=proxy)
                self.install()
                self.assertEqual(self.env("HTTP_PROXY"), fakes.sz(proxy))
                self.assertIn(f"machine variable HTTP_PROXY: set to {shown}", self.last)
                self.assertNotIn("Can4ry", self.last)
                self.assertNotIn("Token", self.last)
                self.remove()
                self.assertNotIn("Can4ry", self.last)

    def test_where_the_program_took_the_record_over_a_removal_says_so(self):
        self.install()
        before = self.machine()
        for name in os.listdir(self.state_dir):
            os.remove(os.path.join(self.state_dir, name))
        item = '{"env:HTTP_PROXY":{"before":null,"ours":null,"ownKeys":[]}}'
        # The state record, and the ledger's own file that there was before it: with something of ours or damaged, and with nothing.
        forms = {"state.json": (['{"schema":1,"sections":{"ledger":%s}}' % item, '{"sche', '{"schema":1,"sections":[]}', '{"schema":1}'],
                                ['{"schema":1,"sections":{"ledger":{}}}', '{"schema":1,"sections":{"source":{"words":[]}}}']),
                 "ledger.json": (['{"schema":1,"items":%s}' % item, '{"sche'], ['{"schema":1,"items":{}}'])}
        for name, (taken, free) in forms.items():
            path = os.path.join(self.state_dir, name)
            for text in taken + free:
                with self.subTest(file=name, text=text):
                    with open(path, "w", encoding="ascii") as file:
                        file.write(text)
                    if text in taken:
                        self.assertEqual(self.run_script("Remove-Egress.ps1"), 12, self.last)
                        self.assertIn("run provisioner.exe remove", self.last)
                        self.assertEqual(self.machine(), before)
                    else:
                        self.remove()
                        self.assertIn("nothing to do", self.last)
            os.remove(path)

    def test_order_is_certificates_environment_winhttp_services_and_removal_is_reversed(self):
        def order():
            return [line.split()[0] for line in self.last.splitlines() if line.split()[0] in ("certificate", "machine", "WinHTTP", "service")]
        self.install()
        self.assertEqual(order(), ["certificate"] * 2 + ["machine"] * 3 + ["WinHTTP"] * 2 + ["service"] * self.service_lines)
        self.remove()
        self.assertEqual(order(), ["service"] * self.service_lines + ["WinHTTP"] * 2 + ["machine"] * 3 + ["certificate"] * 2)

    def test_second_run_writes_nothing(self):
        self.install()
        before, writes = self.machine(), self.store().data["writes"]
        stamp = os.stat(os.path.join(self.state_dir, "script-state.json")).st_mtime_ns
        self.install()
        self.assertEqual(self.machine(), before)
        self.assertEqual(self.store().data["writes"], writes)
        self.assertEqual(os.stat(os.path.join(self.state_dir, "script-state.json")).st_mtime_ns, stamp)
        self.assertIn("nothing to do", self.last)
        self.assertIn("reboot: needed", self.last)
        self.change(lambda store: store.set(BOOT, "BootId", 4, "08000000"))
        self.install()
        self.assertIn("reboot: not needed", self.last)

    def test_removal_restores_exactly(self):
        self.change(lambda store: (store.set(ENVIRONMENT, "http_proxy", 2, fakes.sz("http://old%40:1")[1]),
                                   store.set(CONTAINERD, "Environment", *fakes.multi_sz(["B=2", "no_proxy=x", "A=1"]))))
        before = self.machine()
        self.install()
        self.assertEqual(self.env("HTTP_PROXY"), fakes.sz(PROXY))
        self.assertEqual(self.entries(), ["B=2", "NO_PROXY=.svc,10.0.0.0/8", "A=1", f"HTTP_PROXY={PROXY}", f"HTTPS_PROXY={PROXY}"])
        self.remove()
        before["certs"] = {"ROOT": []}
        self.assertEqual(self.machine(), before)
        self.assertFalse(os.path.exists(self.state_dir))
        self.remove()
        self.assertIn("nothing to do", self.last)

    def test_changed_proxy(self):
        before = self.machine()
        self.install()
        other = PROXY.replace("3128", "8080")
        self.bake(proxy=other, generation=2)
        self.install()
        self.assert_installed(proxy=other)
        self.assertIn("done: 3 change(s)", self.last)
        self.remove()
        self.assertEqual(self.machine()["keys"], before["keys"])

    def test_lower_generation_is_refused(self):
        self.bake(generation=3)
        self.install()
        self.bake(proxy="http://other:1", generation=2)
        before = self.machine()
        self.assertEqual(self.run_script(), 12, self.last)
        self.assertEqual(self.machine(), before)
        self.install("-AllowDowngrade")
        self.assertEqual(self.env("HTTP_PROXY"), fakes.sz("http://other:1"))

    def test_rotated_certificate(self):
        self.install()
        self.bake(certificates=("two", "three"))
        self.install()
        self.assert_installed(certificates=("two", "three"))
        self.remove()
        self.assertEqual(self.store().data["certs"]["ROOT"], [])

    def test_certificates_that_were_there_before_are_kept(self):
        self.change(lambda store: (store.data["certs"].update(ROOT=[sha1("one")]), store.data["policy"].update(ROOT=[sha1("two")])))
        self.bake(certificates=("one", "two", "three"))
        self.install()
        self.assertEqual(self.store().data["certs"]["ROOT"], [sha1("one"), sha1("three")])
        self.bake(certificates=())
        self.install()
        self.assertEqual(self.store().data["certs"]["ROOT"], [sha1("one")])
        self.remove()
        self.assertEqual(self.store().data["certs"]["ROOT"], [sha1("one")])

    def test_variables_no_longer_wanted_are_restored_and_foreign_ones_kept(self):
        self.install()
        self.bake(proxy=None)
        self.change(lambda store: store.set(ENVIRONMENT, "FTP_PROXY", *fakes.sz("foreign")))
        self.install()
        self.assertIsNone(self.env("HTTP_PROXY"))
        self.assertEqual(self.env("FTP_PROXY"), fakes.sz("foreign"))
        self.assertEqual(self.entries(), ["NO_PROXY=.svc,10.0.0.0/8"])

    def test_facility_out_of_scope_is_left_alone(self):
        self.install()
        before = self.machine()
        self.bake(scope=["certs"], environment={}, services=[], winHttp=None)
        self.install()
        self.assertEqual(self.machine(), before)
        self.assertIn("nothing to do", self.last)

    def test_foreign_service_entries_added_later_are_kept(self):
        self.change(lambda store: store.set(CONTAINERD, "Environment", *fakes.multi_sz(["OLD=1", "https_proxy=before"])))
        self.install()
        self.change(lambda store: store.set(CONTAINERD, "Environment", *fakes.multi_sz(["NEW=1"] + self.entries())))
        before = self.machine()
        self.install()
        self.assertEqual(self.machine(), before)
        self.remove()
        self.assertEqual(self.entries(), ["NEW=1", "OLD=1", "https_proxy=before"])

    def test_service_entry_changed_by_somebody_is_left_alone(self):
        self.install()
        self.change(lambda store: store.set(CONTAINERD, "Environment", *fakes.multi_sz(["HTTP_PROXY=theirs", "NO_PROXY=.svc,10.0.0.0/8"])))
        self.remove()
        self.assertEqual(self.entries(), ["HTTP_PROXY=theirs"])

    def test_key_of_a_service_with_credentials_is_closed_to_users(self):
        self.install()
        self.assertEqual(self.sddl(), CLOSED)
        self.assertIn("service containerd: key closed to users", self.last)
        self.bake(proxy="http://proxy.example.com:3128")
        self.install()
        self.assertEqual(self.sddl(), OPEN)
        self.assertEqual(self.entries()[0], "HTTP_PROXY=http://proxy.example.com:3128")

    def test_account_of_the_service_goes_on_reading(self):
        self.change(lambda store: store.data.update(accounts={"NODE\\me": "S-1-5-21-1-2-3-1001", "EXAMPLE\\svc": "S-1-5-21-4-5-6-1105"}))
        for account, readers in (("LocalSystem", ""), ("NT AUTHORITY\\LocalService", "LS"), ("NT Authority\\NetworkService", "NS"),
                                 (".\\me", "S-1-5-21-1-2-3-1001"), ("EXAMPLE\\svc", "S-1-5-21-4-5-6-1105")):
            with self.subTest(account):
                self.change(lambda store, name=account: store.set(CONTAINERD, "ObjectName", *fakes.sz(name)))
                before = self.machine()["keys"]
                self.install()
                self.assertEqual(self.sddl(), CLOSED + (f"(A;CI;KR;;;{readers})" if readers else ""))
                self.assertNotIn("warning: service containerd", self.last)
                self.remove()
                self.assertEqual(self.machine()["keys"], before)
        self.change(lambda store: (store.set(CONTAINERD, "ObjectName", *fakes.sz("GONE\\svc")), store.set(CONTAINERD, "ServiceSidType", 4, "01000000")))
        self.install()
        self.assertRegex(self.sddl(), re.escape(CLOSED) + r"\(A;CI;KR;;;S-1-5-80(-[0-9]+){5}\)\Z")
        self.assertIn("warning: service containerd runs as an account that is not known here", self.last)

    def test_what_others_made_of_the_key_is_kept(self):
        theirs = "D:PAI(D;CI;KA;;;WD)(A;CI;KA;;;SY)(A;CI;KA;;;BA)(A;CI;KR;;;S-1-5-80-1-2-3-4-5)"
        self.change(lambda store: store.key(CONTAINERD).update(sddl=theirs))
        self.install()
        self.assertEqual(self.sddl(), theirs)
        self.assertNotIn("key closed", self.last)
        self.remove()
        self.change(lambda store: store.key(CONTAINERD).update(sddl=theirs.replace("S-1-5-80-1-2-3-4-5", "AU")))
        self.install()
        self.assertEqual(self.sddl(), theirs.replace("(A;CI;KR;;;S-1-5-80-1-2-3-4-5)", ""))
        opened = theirs + "(A;CI;KR;;;WD)"
        self.change(lambda store: store.key(CONTAINERD).update(sddl=opened))
        self.assertEqual(self.run_unchecked("Remove-Egress.ps1"), 0, self.last)
        self.assertEqual(self.sddl(), opened)
        self.assertIn("who may read its key was changed since we closed it", self.last)

    def test_a_key_in_an_unknown_form_gets_no_secret(self):
        self.change(lambda store: store.key(CONTAINERD).update(sddl="D:NO_ACCESS_CONTROL"))
        self.assertEqual(self.run_script(), 13, self.last)
        self.assertIsNone(self.entries())

    def test_services_of_any_name(self):
        wanted = [{"name": name, "environment": {"HTTP_PROXY": PROXY}} for name in ODD_NAMES]
        self.bake(services=wanted)
        self.change(lambda store: [store.make_key(SERVICES + "\\" + name) for name in ODD_NAMES])
        before = self.machine()["keys"]
        self.install()
        for name in ODD_NAMES:
            value = self.store().get(SERVICES + "\\" + name, "Environment")
            self.assertEqual(value and fakes.multi_entries(value), [f"HTTP_PROXY={PROXY}"], name)
        with open(os.path.join(self.state_dir, "script-state.json"), "rb") as file:
            items = json.loads(file.read().decode("ascii"))["ledger"]
        self.assertEqual(sorted(i.removeprefix("service:") for i in items if i.startswith("service:")), sorted(ODD_NAMES))
        self.install()
        self.assertIn("nothing to do", self.last)
        self.remove()
        self.assertEqual(self.machine()["keys"], before)
        self.bake(services=[])

    def test_service_environment_of_another_type_is_a_failure_but_the_rest_is_done(self):
        self.change(lambda store: store.set(CONTAINERD, "Environment", *fakes.sz("A=1")))
        self.assertEqual(self.run_script(), 13, self.last)
        self.assertEqual(self.store().get(CONTAINERD, "Environment"), fakes.sz("A=1"))
        self.assertEqual(self.env("HTTP_PROXY"), fakes.sz(PROXY))

    def test_value_changed_by_somebody_is_set_again_but_not_removed(self):
        self.install()
        self.change(lambda store: store.set(ENVIRONMENT, "HTTP_PROXY", *fakes.sz("http://theirs:1")))
        self.install()
        self.assert_installed()
        self.change(lambda store: store.set(ENVIRONMENT, "NO_PROXY", *fakes.sz("theirs")))
        self.remove()
        self.assertEqual((self.env("HTTP_PROXY"), self.env("NO_PROXY")), (None, fakes.sz("theirs")))
        self.assertIn("machine variable NO_PROXY: left alone", self.last)

    def test_type_is_repaired(self):
        self.change(lambda store: store.set(ENVIRONMENT, "HTTP_PROXY", 2, fakes.sz(PROXY)[1]))
        self.install()
        self.assertEqual(self.env("HTTP_PROXY"), fakes.sz(PROXY))

    def test_winhttp_layout_of_this_windows_is_kept(self):
        self.change(lambda store: store.set(WINHTTP64, "WinHttpSettings", 3, "2800000000000000010000000000000000000000"))
        before = self.machine()["keys"]
        self.install()
        self.assertEqual(self.store().get(WINHTTP64, "WinHttpSettings"), (3, "28" + SETTINGS[2:]))
        self.remove()
        self.assertEqual(self.machine()["keys"], before)

    def test_variables_are_left_to_the_machine_config_daemon(self):
        self.install()
        self.change(lambda store: (store.make_key(SERVICES + "\\windows-instance-config-daemon"),
                                   store.set(ENVIRONMENT, "HTTP_PROXY", *fakes.sz("http://cluster:1"))))
        self.install()
        self.assertEqual(self.env("HTTP_PROXY"), fakes.sz("http://cluster:1"))
        self.assertIn("left to windows-instance-config-daemon", self.last)
        self.remove()
        self.assertEqual(self.env("HTTP_PROXY"), fakes.sz("http://cluster:1"))

    def test_bad_hash_is_refused_before_anything_changes(self):
        before = self.machine()
        with open(os.path.join(self.payload, "trust", "ROOT", sha1("two").upper() + ".cer"), "wb") as file:
            file.write(b"\x30\x00")
        self.assertEqual(self.run_script(), 11, self.last)
        self.assertEqual(self.machine(), before)
        self.assertFalse(os.path.exists(self.state_dir))

    def test_bad_payloads_are_refused(self):
        before = self.machine()
        cases = {"no environment": {"environment": None}, "a list": {"environment": []}, "a number": {"environment": {"HTTP_PROXY": 1}},
                 "a line break": {"environment": {"HTTP_PROXY": "http://x\r\ny"}}, "a name": {"environment": {"A=B": "x"}},
                 "another variable": {"environment": {"HTTP_PROXY": "http://p:1", "Path": "C:\\evil"}},
                 "another variable of a service": {"services": [{"name": "containerd", "environment": {"COR_PROFILER": "{x}"}}]},
                 "a variable in another case": {"environment": {"http_proxy": "http://p:1"}},
                 "a variable with a letter that nobody sees": {"environment": {"HTTP_PROXY\u200d": "http://p:1"}},
                 "a schema": {"schema": 2}, "no scope": {"scope": []}, "a service name": {"services": [{"name": "a\\b", "environment": {}}]},
                 "winHttp": {"winHttp": {"settings": "18"}}, "no winHttp member": {"winHttp": {}},
                 "a path": {"list": [{"store": "ROOT", "sha1": "0" * 40, "sha256": "0" * 64, "file": "trust/../x.cer"}]},
                 "a store": {"list": [{"store": "MY", "sha1": "0" * 40, "sha256": "0" * 64, "file": "x"}]}}
        for name, changes in cases.items():
            with self.subTest(name):
                self.bake(**changes)
                self.assertEqual(self.run_script(), 11, self.last)
        for text in ("", "{", '{"schema":1,"environment":{"HTTP_PROXY":"http://u:' + CANARY, "[]", "null", '"x"'):
            with self.subTest(text):
                with open(os.path.join(self.payload, "egress.json"), "w", encoding="utf-8") as file:
                    file.write(text)
                self.assertEqual(self.run_script(), 11, self.last)
        os.remove(os.path.join(self.payload, "egress.json"))
        self.assertEqual(self.run_script(), 11, self.last)
        self.assertEqual(self.machine(), before)

    def test_a_certificate_that_cannot_be_read_is_the_payloads_fault(self):
        before = self.machine()
        path = os.path.join(self.payload, "trust", "ROOT", sha1("two").upper() + ".cer")
        os.remove(path)
        os.mkdir(path)
        self.assertEqual(self.run_script(), 11, self.last)
        self.assertIn("can't be read: check who may read the payload", self.last)
        self.assertEqual(self.machine(), before)

    def test_a_tool_that_does_not_start_is_the_machines_fault(self):
        with open(os.path.join(self.system32, "certutil.exe"), "wb") as file:
            file.write(b"\x7fELF, and nothing more")
        self.assertEqual(self.run_script(), 13, self.last)

    def lock(self, holder):
        os.makedirs(self.state_dir, exist_ok=True)
        self.change(lambda store: store.data["sddl"].update({self.state_dir: "O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"}))
        path = os.path.join(self.state_dir, "script.lock")
        with open(path, "w", encoding="ascii") as file:
            file.write(holder)
        return path

    def test_one_run_at_a_time(self):
        """Of this script and of the program, by a file that both honour."""
        program = os.path.join(self.root, "provisioner")
        shutil.copy(shutil.which("sleep"), program)
        with subprocess.Popen([program, "600"]) as holder:
            try:
                before = self.machine()
                path = self.lock(str(holder.pid))
                for script in ("Install-Egress.ps1", "Remove-Egress.ps1"):
                    self.assertEqual(self.run_script(script), 15, self.last)
                    self.assertIn(f"another run is active (process {holder.pid})", self.last)
                self.assertEqual(self.machine(), before)
                with open(path, encoding="ascii") as file:
                    self.assertEqual(file.read(), str(holder.pid))
            finally:
                holder.kill()
        # What a run left that was killed is no run, nor is a number that is another program's now.
        for left in (str(holder.pid), str(os.getpid()), ""):
            self.lock(left)
            self.install()
            self.assertFalse(os.path.exists(path))

    def test_not_elevated(self):
        self.change(lambda store: store.data.update(elevated=False))
        self.assertEqual(self.run_script(), 13, self.last)
        self.assertIn("not elevated", self.last)

    def test_success_is_read_back(self):
        self.assertEqual(self.run_script(fault="add-nothing"), 13, self.last)
        self.bake(certificates=())
        self.assertEqual(self.run_script(fault="import-skips"), 13, self.last)
        self.install()
        self.remove()

    def test_folder_of_somebody_else_is_refused(self):
        os.mkdir(self.state_dir)
        for sddl in ("O:S-1-5-21-1-2-3-1001G:DUD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)", "O:S-1-5-21-1-2-3-1001G:DUD:AI(A;ID;FA;;;BU)"):
            self.change(lambda store, text=sddl: store.data["sddl"].update({self.state_dir: text}))
            self.assertEqual(self.run_script(), 12, self.last)
            self.assertEqual(self.run_script("Remove-Egress.ps1"), 12, self.last)
        self.change(lambda store: store.data["sddl"].update({self.state_dir: fakes.OPEN_SDDL}))
        planted = os.path.join(self.state_dir, "script-state.json")
        with open(planted, "w", encoding="utf-8") as file:
            file.write("{}")
        self.assertEqual(self.run_script("Remove-Egress.ps1"), 12, self.last)
        os.remove(planted)
        self.install()

    def test_link_in_place_of_the_folder_is_refused(self):
        os.mkdir(os.path.join(self.root, "elsewhere"))
        os.symlink(os.path.join(self.root, "elsewhere"), self.state_dir)
        self.assertEqual(self.run_script(), 12, self.last)
        os.remove(self.state_dir)

    def test_a_run_killed_at_any_change_is_finished_or_undone_by_the_next(self):
        self.change(lambda store: store.set(CONTAINERD, "Environment", *fakes.multi_sz(["A=1", "http_proxy=old"])))
        with open(os.path.join(self.root, "store.json"), encoding="utf-8") as file:
            pristine = file.read()
        before = self.machine()["keys"]
        for first, kind in enumerate(("kill", "kill-before"), 1):
            for number in range(first if STRIDE > 1 else 1, 13, STRIDE):
                for following in ("install", "remove"):
                    with self.subTest(kind=kind, number=number, following=following):
                        shutil.rmtree(self.state_dir, ignore_errors=True)
                        with open(os.path.join(self.root, "store.json"), "w", encoding="utf-8") as file:
                            file.write(pristine)
                        code = self.run_script(fault=f"{kind}:{number}")
                        if number <= 11:
                            self.assertNotEqual(code, 0)
                        if following == "install":
                            self.install()
                            self.assert_installed()
                        self.remove()
                        self.assertEqual(self.machine()["keys"], before)
                        self.assertEqual(self.store().data["certs"].get("ROOT", []), [])

    def test_a_change_of_proxy_killed_before_it_was_written_can_be_removed(self):
        before = self.machine()["keys"]
        self.install()
        self.bake(proxy="http://second:1")
        for number in (1, 2, 3):
            self.assertNotEqual(self.run_script(fault="kill-before:1"), 0)
            self.change(lambda store: store.data.update(calls=0))
            self.install()
            self.bake(proxy=f"http://other:{number}")
        self.assertNotEqual(self.run_script(fault="kill-before:1"), 0)
        self.remove()
        self.assertEqual(self.machine()["keys"], before)

    def test_a_removal_killed_at_any_change_is_finished_by_the_next(self):
        self.change(lambda store: store.set(CONTAINERD, "Environment", *fakes.multi_sz(["A=1", "http_proxy=old"])))
        before = self.machine()["keys"]
        for first, kind in enumerate(("kill", "kill-before"), 1):
            for number in range(first if STRIDE > 1 else 1, 12, STRIDE):
                with self.subTest(kind=kind, number=number):
                    self.install()
                    self.change(lambda store: store.data.update(calls=0))
                    self.assertNotEqual(self.run_script("Remove-Egress.ps1", fault=f"{kind}:{number}"), 0)
                    self.remove()
                    self.assertEqual(self.machine()["keys"], before)
                    self.assertEqual(self.store().data["certs"]["ROOT"], [])
                    self.assertFalse(os.path.exists(self.state_dir))

    def test_damaged_state(self):
        self.install()
        self.bake(proxy="http://second:1")
        self.install()
        state = os.path.join(self.state_dir, "script-state.json")
        with open(state, "w", encoding="utf-8") as file:
            file.write('{"schema":1,"items":[{"ki')
        self.install()
        self.assertIn("warning: script-state.json was damaged", self.last)
        for name in os.listdir(self.state_dir):
            with open(os.path.join(self.state_dir, name), "w", encoding="utf-8") as file:
                file.write("{")
        before = self.machine()
        self.assertEqual(self.run_script("Remove-Egress.ps1"), 13, self.last)
        self.assertEqual(self.machine(), before)

    def put_program(self, code=0, text=None, named=True, **manifest):
        """A stand-in for the payload's provisioner.exe: it notes its arguments, speaks on both streams and ends with `code`."""
        text = text or (f"#!{sys.executable}\nimport json, sys\njson.dump(sys.argv[1:], open({os.path.join(self.root, 'started')!r}, 'w'))\n"
                        f"print('target  this machine')\nprint('info: told on standard error', file=sys.stderr)\nsys.exit({code})\n")
        path = os.path.join(self.payload, "provisioner.exe")
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, 0o755)
        entry = {"path": "provisioner.exe", "size": len(text), "sha256": hashlib.sha256(text.encode()).hexdigest(), **manifest}
        files = [{"path": "egress.json", "sha256": "0" * 64, "secret": True}] + ([entry] if named else [])
        with open(os.path.join(self.payload, "manifest.json"), "w", encoding="utf-8") as file:
            json.dump({"schema": 1, "generation": 1, "files": files}, file)

    def started(self):
        """The program's arguments, or nothing when it was not started."""
        path = os.path.join(self.root, "started")
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            arguments = json.load(file)
        os.remove(path)
        return arguments

    def test_the_program_of_the_payload_is_started_and_its_exit_code_handed_on(self):
        before = self.machine()
        for code in (0, 11, 14, 15, 20):
            self.put_program(code)
            self.assertEqual(self.run_script(), code, self.last)
            self.assertEqual(self.started(), ["first-boot", self.payload])
            self.assertIn("provisioner.exe is in this payload and applies it", self.last)
            self.assertIn("target  this machine\n", self.last)
            self.assertIn("told on standard error", self.last)
            self.assertNotIn("reboot:", self.last)  # it says its own
        self.assertEqual(self.run_script("Install-Egress.ps1", "-AllowDowngrade"), 20, self.last)
        self.assertEqual(self.started(), ["first-boot", self.payload, "--allow-downgrade"])
        # Its files with credentials go after Windows setup; the program has kept the settings.
        os.remove(os.path.join(self.payload, "egress.json"))
        self.assertEqual(self.run_script(), 20, self.last)
        self.assertEqual(self.started(), ["first-boot", self.payload])
        self.assertEqual(self.machine(), before)
        self.assertFalse(os.path.exists(self.state_dir))

    def test_a_program_that_is_not_the_payloads_is_not_started(self):
        before = self.machine()
        self.put_program(sha256="0" * 64)
        self.assertEqual(self.run_script(), 11, self.last)
        self.assertIn("is not the file that manifest.json names", self.last)
        for text in ("", "{", "[]", '"x"', None):
            path = os.path.join(self.payload, "manifest.json")
            os.remove(path)
            if text is not None:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            self.assertEqual(self.run_script(), 11, self.last)
            self.assertIn("is missing or damaged: copy the whole payload folder", self.last)
            self.put_program()
        self.assertEqual(self.machine(), before)
        # One that the manifest does not name came from elsewhere: the script goes on without it.
        self.put_program(named=False)
        self.install()
        self.assert_installed()
        self.assertIn("provisioner.exe is not started: manifest.json does not name it", self.last)
        self.assertIsNone(self.started())
        self.remove()

    def test_a_program_above_a_folder_of_another_name_is_not_started(self):
        """Scripts and data were copied into one folder, and anybody may write to the one above."""
        self.put_program()
        before = self.machine()
        shutil.copytree(os.path.join(self.payload, "scripts"), os.path.join(self.payload, "egress"))
        for name in ("scripts", "egress"):
            folder = os.path.join(self.payload, name)
            shutil.copy(os.path.join(self.payload, "egress.json"), folder)
            shutil.copytree(os.path.join(self.payload, "trust"), os.path.join(folder, "trust"))
            self.install_from(folder)
        os.remove(os.path.join(self.payload, "egress", "egress.json"))
        self.install_from(os.path.join(self.payload, "egress"))
        self.assertEqual(self.machine()["keys"], before["keys"])

    def install_from(self, folder):
        self.assertEqual(self.run_script(os.path.join(folder, "Install-Egress.ps1")), 0, self.last)
        self.assert_installed()
        self.assertIsNone(self.started())
        self.remove()

    def test_a_program_that_does_not_start_is_the_machines_fault(self):
        self.put_program(text="\x7fELF, and nothing more")
        self.assertEqual(self.run_script(), 13, self.last)

    def test_a_removal_does_not_start_the_program(self):
        before = self.machine()
        self.install()
        self.put_program()
        self.remove()
        self.assertIsNone(self.started())
        self.assertEqual(self.machine()["keys"], before["keys"])

    def record(self, name="script-state.json"):
        with open(os.path.join(self.state_dir, name), "rb") as file:
            return json.loads(file.read())

    def put_record(self, document, name="script-state.json"):
        with open(os.path.join(self.state_dir, name), "w", encoding="utf-8") as file:
            json.dump(document, file, ensure_ascii=False)

    def test_a_record_of_an_earlier_payload_is_taken_over(self):
        self.change(lambda store: (store.set(ENVIRONMENT, "http_proxy", 2, fakes.sz("http://old%40:1")[1]), store.make_key(SERVICES + "\\" + ODD_NAMES[10]),
                                   store.set(CONTAINERD, "Environment", *fakes.multi_sz(["B=2", "no_proxy=x", "A=1"])), store.data["certs"].update(ROOT=[sha1("three")])))
        before = self.machine()
        wanted = [{"name": name, "environment": {"HTTP_PROXY": PROXY, "NO_PROXY": ".svc"}} for name in ("containerd", ODD_NAMES[10])]
        for changed in ({}, {"proxy": "http://second:1", "generation": 2}, None):
            with self.subTest(changed):
                self.bake(certificates=("one", "two", "three"), services=wanted)
                self.install()
                ledger = self.record()["ledger"]
                for name in os.listdir(self.state_dir):
                    os.remove(os.path.join(self.state_dir, name))
                record = schema_one({"generation": 1, "reboot": "counter 4:07000000", "prior": {}, "ledger": ledger}, [sha1("three")])
                self.put_record(record)
                self.install()
                self.assertIn("nothing to do", self.last)
                self.assertIn("reboot: needed", self.last)
                self.assertEqual((self.record()["ledger"], self.record()["schema"]), (ledger, 2))
                if changed:
                    self.bake(certificates=("two", "three"), **changed)
                    self.install()
                    self.assertEqual(self.store().data["certs"]["ROOT"], [sha1("three"), sha1("two")])
                if changed is None:
                    self.put_record(record)
                self.remove()
                self.assertEqual(self.machine(), {**before, "certs": {"ROOT": [sha1("three")]}})

    def test_services_that_differ_in_a_letter_like_final_sigma_only(self):
        names = ["\u03c3", "\u03c2"]
        self.change(lambda store: [store.make_key(SERVICES + "\\" + name) for name in names])
        before = self.machine()["keys"]
        self.bake(services=[{"name": name, "environment": {"NO_PROXY": ".svc"}} for name in names])
        self.assertEqual(self.run_script(), 13, self.last)
        self.assertIn("the record can't hold it beside", self.last)
        self.assertIn("service:\u03c3", self.record()["ledger"])
        self.remove()
        self.assertEqual(self.machine()["keys"], before)

    def test_a_value_of_an_earlier_record_that_was_never_written_is_ours_too(self):
        before = self.machine()["keys"]
        self.install()
        record = self.record()
        record["prior"] = {item: record["ledger"][item]["ours"] for item in ("env:HTTP_PROXY", "service:containerd")}
        for item in record["prior"]:
            record["ledger"][item]["ours"] = {"type": record["prior"][item]["type"], "hex": "7800000000"[:8]}
        for document in (record, schema_one(record)):
            with self.subTest(document["schema"]):
                self.put_record(document)
                self.remove()
                self.assertEqual(self.machine()["keys"], before)
                self.install()

    def test_a_record_of_newer_scripts_is_refused(self):
        self.install()
        before = self.machine()
        good = self.record()
        self.put_record(good, "script-state.json.old")
        self.put_record({**good, "schema": 3})
        for script in ("Install-Egress.ps1", "Remove-Egress.ps1"):
            self.assertEqual(self.run_script(script), 12, self.last)
            self.assertIn("has schema 3, which newer scripts wrote", self.last)
        self.assertEqual((self.machine(), self.record()["schema"]), (before, 3))
        self.put_record(good)

    def test_a_record_that_names_other_places_is_damaged(self):
        """rules_test.py has more of them."""
        self.install()
        before, good = self.machine(), self.record()
        good["ledger"]["env:Path"] = good["ledger"]["env:HTTP_PROXY"]
        for name in ("script-state.json", "script-state.json.old"):
            self.put_record(good, name)
        self.assertEqual(self.run_script("Remove-Egress.ps1"), 13, self.last)
        self.assertIn("script-state.json is damaged", self.last)
        self.assertEqual(self.machine(), before)

    def test_usage(self):
        self.assertEqual(self.run_script("Install-Egress.ps1", "-Unknown"), 10, self.last)


class ConstrainedScriptTest(ScriptTest):
    """The same where a policy leaves a script only cmdlets and core types. Power cuts are the same in both modes."""
    language = "ConstrainedLanguage"
    service_lines = 1
    test_a_run_killed_at_any_change_is_finished_or_undone_by_the_next = None
    test_a_change_of_proxy_killed_before_it_was_written_can_be_removed = None
    test_a_removal_killed_at_any_change_is_finished_by_the_next = None

    test_account_of_the_service_goes_on_reading = None
    test_what_others_made_of_the_key_is_kept = None
    test_a_key_in_an_unknown_form_gets_no_secret = None

    def test_key_of_a_service_with_credentials_is_closed_to_users(self):
        """It can't be: what machine variables don't show is not written, and the rest is done."""
        services = [{"name": "containerd", "environment": {"HTTP_PROXY": PROXY}}, {"name": "absent", "environment": {"HTTP_PROXY": PROXY}}]
        self.bake(credentials="services", services=services, environment={"HTTP_PROXY": "http://proxy.example.com:3128"})
        self.assertEqual(self.run_script(), 13, self.last)
        self.assertIsNone(self.entries())
        self.assertEqual(self.env("HTTP_PROXY"), fakes.sz("http://proxy.example.com:3128"))
        self.assertIn("service containerd: its environment is not set", self.last)
        self.assertNotIn("service absent: its", self.last)

    def test_a_key_that_was_closed_before_stays_closed(self):
        self.language = ""
        self.install()
        self.language = "ConstrainedLanguage"
        self.assertEqual(self.run_script("Remove-Egress.ps1"), 13, self.last)
        self.assertIn("its key stays closed to users", self.last)
        self.assertEqual((self.sddl(), self.entries()), (CLOSED, None))
        self.language = ""
        self.remove()
        self.assertEqual(self.sddl(), OPEN)

    def test_the_mode_is_set(self):
        with open(os.path.join(self.payload, "scripts", "Install-Egress.ps1"), "w", encoding="utf-8") as file:
            file.write("$ExecutionContext.SessionState.LanguageMode; [IO.Path]::GetTempPath(); exit 7\n")
        self.run_script()
        self.assertIn("ConstrainedLanguage\n", self.last)
        self.assertIn("Cannot invoke method", self.last)


assert all(hasattr(ScriptTest, name) or hasattr(ConstrainedScriptTest, name) for name in SOME)
keep(ScriptTest, SOME)
keep(ConstrainedScriptTest, SOME)


if __name__ == "__main__":
    if PWSH is None:
        print("SKIPPED: no PowerShell (pwsh) on this machine: Install-Egress.ps1 and Remove-Egress.ps1 were NOT run")
        sys.exit(77)
    unittest.main()
