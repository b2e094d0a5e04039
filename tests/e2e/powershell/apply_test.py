"""Runs Apply-Egress.ps1 as it is under a real PowerShell 7 (pwsh, or what PWSH names), on a machine of stand-ins (machine.py). With
PROVISIONER_POWERSHELL=some, which scripts/test --all sets, only the tests in SOME run, and those that kill it try a fifth of the changes.

usage: apply_test.py [unittest arguments]"""
import base64
import fcntl
import hashlib
import json
import os
import re
import shutil
import ssl
import sys
import unittest
from unittest import mock

import fakes
from machine import (BOOT, CLOSED, CONNECTIONS, ENVIRONMENT, HERE, ODD_NAMES, OPEN, PROTECTED, PWSH, SERVICES, STRIDE, TEMPLATES, WINHTTP, Machine, adapt, folder, keep,
                     make_certificates, run_tests)

SOME = {"test_a_fresh_machine_gets_all_and_a_record", "test_a_second_run_writes_nothing", "test_undo_restores_each_type_exactly",
        "test_a_newer_list_takes_back_what_it_lacks_first", "test_a_certificate_that_was_there_before_is_never_ours", "test_a_lower_generation_is_refused",
        "test_data_of_other_places_are_refused_before_anything_changes", "test_a_key_is_closed_before_it_holds_a_password_and_opened_after",
        "test_a_service_under_nssm_gets_its_list_there_too",
        "test_a_run_that_is_killed_is_completed_or_undone_by_the_next", "test_the_program_of_the_payload_is_started_with_its_exit_code_handed_on",
        "test_constrained_language_is_refused_before_the_first_change", "test_another_run_is_active"}
CANARY = "Can4ry'p%40ss;&(x$(exit)"
PROXY = f"http://user:{CANARY}@proxy.example.com:3128"
PLAIN = "http://proxy.example.com:3128"
NO_PROXY = ".svc,10.0.0.0/8"
NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
SETTINGS = "18000000000000000300000016000000" + b"proxy.example.com:3128".hex() + "03000000" + b"a;b".hex()
ALL_SCOPES = ["machine", "services", "winhttp", "certs"]
CONTAINERD = SERVICES + "containerd"


class ApplyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.der = {name: ssl.PEM_cert_to_DER_cert(pem) for name, pem in make_certificates(cls).items()}
        cls.sha1 = {name: hashlib.sha1(der).hexdigest() for name, der in cls.der.items()}

    def setUp(self):
        self.machine = Machine(folder(self, "apply test "), PWSH)
        self.payload = self.machine.root / "payload"
        self.script = self.payload / "scripts/Apply-Egress.ps1"
        self.script.parent.mkdir(parents=True)
        self.script.write_bytes(adapt((TEMPLATES / "Apply-Egress.ps1").read_bytes()))
        self.machine.environment["FAKE_SECRET"] = fakes.utf16("Can4ry")
        self.machine.set(CONTAINERD, "Start", (4, "02000000"))
        self.bake()

    # ---- the payload

    def variables(self, proxy, no_proxy=NO_PROXY):
        return {name: value for name, value in zip(NAMES, (proxy, proxy, no_proxy)) if value}

    def operations(self, certificates=("one", "two"), proxy=PROXY, services=("containerd", "kubelet"), env=None, winhttp=True):
        """What the program bakes for these. A value with credentials is null, and stands in egress.json alone."""
        def hidden(values):
            return {name: None if "@" in value else value for name, value in values.items()}

        wanted = self.variables(proxy)
        made = [("certificate", ("CA:" if name == "middle" else "ROOT:") + self.sha1[name], base64.b64encode(self.der[name]).decode()) for name in certificates]
        made += [("env", name, value) for name, value in hidden(wanted if env is None else env).items()]
        made += [("winHttp", view, {"proxy": "proxy.example.com:3128", "bypass": "a;b"}) for view in (("64", "32") if winhttp else ())]
        made = [dict(zip(("kind", "key", "value"), one)) for one in made]
        for name in services:
            made += [{"kind": "serviceSecurity", "key": name}] if proxy and "@" in proxy else []
            made += [{"kind": "serviceEnv", "key": name, "value": hidden(wanted)}]
        return made

    def bake(self, generation=1, scope=ALL_SCOPES, operations=None, proxy=PROXY, left_out=(), **wanted):
        self.put("operations.json", {"schema": 1, "generation": generation, "scope": scope, "leftOut": left_out,
                                     "operations": self.operations(proxy=proxy, **wanted) if operations is None else operations})
        self.put("egress.json", {"schema": 1, "generation": generation, "proxy": self.variables(proxy)})
        self.list_files()

    def put(self, name, document):
        (self.payload / name).write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")

    def list_files(self, **other):
        """manifest.json, with these digests instead of the files' own."""
        files = [{"path": name, "sha256": other.get(name, hashlib.sha256((self.payload / name).read_bytes()).hexdigest())}
                 for name in ("operations.json", "egress.json", "provisioner.exe") if (self.payload / name).exists() and other.get(name, "") is not None]
        self.put("manifest.json", {"schema": 1, "generation": 1, "files": files})

    # ---- runs

    def run_script(self, *options, code=0, leaks=False, **environment):
        """One run, or several with commas between their options."""
        self.assertEqual(self.machine.shell("-File", HERE / "driver.ps1", self.script, *options, **environment), code, self.machine.output)
        self.check_secrets(leaks)

    def check_secrets(self, leaks=False):
        self.assertNotIn("Can4ry", self.machine.output)
        if not leaks:
            self.assertEqual(self.machine.store().data.get("leaks", []), [])

    def run_both(self, code, what=""):
        """Applying and undoing are refused alike, and change nothing but our own folder."""
        before = self.machine.content()
        self.run_script(",", "-Undo", code=code)
        self.assertEqual(self.runs(), [(code, mock.ANY)] * 2, self.machine.output)
        self.assertEqual(self.machine.output.count(what), 2, self.machine.output)
        self.assertEqual(self.machine.content(), before)

    def runs(self):
        """Code and text of each of several runs."""
        parts = re.split(r"^exit code (\d+)\n", self.machine.output, flags=re.M)[:-1]
        return [(int(code), text) for text, code in zip(parts[::2], parts[1::2])]

    def run_cases(self, cases, code):
        """Runs the script in a copy of the payload for each case, which makes of the copy what it is to be."""
        home, words = self.payload, []
        for number, make in enumerate(cases.values()):
            self.payload = home.with_name(f"case{number}")
            shutil.copytree(home, self.payload)
            make()
            words += [",", self.payload / "scripts/Apply-Egress.ps1"]
        self.payload = home
        self.run_script(*words[1:], code=code)
        runs = self.runs()
        self.assertEqual(len(runs), len(cases), self.machine.output)
        for name, run in zip(cases, runs):
            with self.subTest(name):
                self.assertEqual(run[0], code, run[1])
        return dict(zip(cases, (text for _, text in runs)))

    def refused(self, code, *options, what="", **environment):
        """It changes nothing but our own folder."""
        before = self.machine.content()
        self.run_script(*options, code=code, **environment)
        self.assertIn(what, self.machine.output)
        self.assertEqual(self.machine.content(), before)

    def said(self, text):
        self.assertIn(text, self.machine.output)

    def roots(self, *names):
        return sorted(self.sha1[name] for name in names)

    def assert_applied(self, proxy=PROXY, certificates=("one", "two")):
        for name, value in self.variables(proxy).items():
            self.assertEqual(self.machine.store().get(ENVIRONMENT, name), fakes.sz(value))
        for key in WINHTTP:
            self.assertEqual(self.machine.store().get(key, "WinHttpSettings"), (3, SETTINGS))
        self.assertEqual(self.machine.certificates(), {"ROOT": self.roots(*certificates)})
        self.assertLessEqual({f"{name}={value}" for name, value in self.variables(proxy).items()}, set(self.machine.service("containerd")))
        self.assertEqual(self.machine.sddl(), CLOSED if "@" in proxy else OPEN)

    # ---- applying

    def test_a_fresh_machine_gets_all_and_a_record(self):
        self.bake(certificates=("one", "middle"))
        self.run_script()
        self.assertEqual(self.machine.certificates(), {"ROOT": self.roots("one"), "CA": self.roots("middle")})
        self.assertEqual([self.machine.env(name) for name in NAMES], [PROXY, PROXY, NO_PROXY])
        self.assertEqual(self.machine.service("containerd"), [f"{name}={value}" for name, value in self.variables(PROXY).items()])
        self.assertEqual(self.machine.sddl(), CLOSED)
        lines = self.machine.output.splitlines()
        order = [line.split(":")[0] for line in lines[:-2]]
        self.assertEqual(order, ["certificate"] * 2 + ["env"] * 3 + ["winHttp"] * 2 + ["serviceSecurity", "serviceEnv", "warning"], lines)
        self.said("env:HTTP_PROXY: set\n")
        self.said("serviceEnv:containerd: set\n")
        self.said("warning: service kubelet is not installed")
        self.assertEqual(lines[-2], "done: 9 change(s)")
        self.assertTrue(lines[-1].startswith("reboot: needed"))
        self.assertEqual(self.machine.store().data["sddl"][str(self.machine.state)], PROTECTED)
        record = self.machine.record()
        self.assertEqual((record["generation"], record["reboot"]), (1, "counter 7"))
        items = self.machine.items()
        self.assertEqual(list(items), [f"certificate:ROOT:{self.sha1['one']}", f"certificate:CA:{self.sha1['middle']}", *("env:" + name for name in NAMES),
                                       "winHttp:64", "winHttp:32", "serviceSecurity:containerd", "serviceEnv:containerd"])

        def value(name, kind, data):
            return {"name": name, "type": kind, "data": base64.b64encode(data).decode()}

        self.assertEqual(items["env:HTTP_PROXY"], {"key": "env:HTTP_PROXY", "before": None, "ours": value("HTTP_PROXY", 1, bytes.fromhex(fakes.sz(PROXY)[1])),
                                                   "prior": None, "ownKeys": []})
        one = items["certificate:ROOT:" + self.sha1["one"]]
        self.assertEqual((one["before"], one["ours"]), (None, value(self.sha1["one"].upper(), 3, self.der["one"])))
        security = items["serviceSecurity:containerd"]
        self.assertEqual((security["before"], security["ours"]["type"]), (value("", 3, OPEN.encode()), 3))
        self.assertEqual(items["serviceEnv:containerd"]["ours"]["type"], 7)
        path = "SOFTWARE\\WOW6432Node\\" + CONNECTIONS
        self.assertEqual(items["winHttp:32"]["ownKeys"], [path.rsplit("\\", count)[0] for count in (4, 3, 2, 1)] + [path])

    def test_a_second_run_writes_nothing(self):
        self.run_script()
        before, writes = self.machine.content(), self.machine.writes()
        stamp = os.stat(self.machine.state / "script-state.json").st_mtime_ns
        self.run_script()
        self.assertEqual((self.machine.content(), self.machine.writes()), (before, writes))
        self.assertEqual(os.stat(self.machine.state / "script-state.json").st_mtime_ns, stamp)
        self.said("nothing to do\nreboot: needed")
        self.machine.set(BOOT, "BootId", (4, "08000000"))
        self.run_script()
        self.said("nothing to do\nreboot: not needed")
        self.assertEqual(self.machine.record()["reboot"], "")

    def test_undo_restores_each_type_exactly(self):
        values = {(ENVIRONMENT, "http_proxy"): (2, fakes.sz("http://%old%:1")[1]), (ENVIRONMENT, "HTTPS_PROXY"): (3, "0001ff"), (ENVIRONMENT, "NO_PROXY"): fakes.sz(".old"),
                  (WINHTTP[0], "WinHttpSettings"): (3, "beef"), (CONTAINERD, "Environment"): fakes.sz("A=1"),
                  (SERVICES + "list", "Environment"): (7, "".join(fakes.utf16(text) + "0000" for text in ("B=2", "", "no_proxy=x", "A=1")) + "0000"),
                  (SERVICES + "empty", "Environment"): (7, "0000")}
        for (key, name), value in values.items():
            self.machine.set(key, name, value)
        before = self.machine.content()
        self.bake(services=("containerd", "list", "empty"))
        self.run_script()
        self.assertEqual(self.machine.env("HTTP_PROXY"), PROXY)
        self.assertEqual(self.machine.service("list"), ["B=2", f"NO_PROXY={NO_PROXY}", "A=1", f"HTTP_PROXY={PROXY}", f"HTTPS_PROXY={PROXY}"])
        self.run_script("-Undo")
        self.assertEqual(self.machine.content(), before)
        self.said("env:HTTP_PROXY: what was there before is back\n")
        self.said("reboot: needed")
        self.assertEqual([path.name for path in self.machine.state.iterdir()], ["lock"])
        self.run_script("-Undo", ",")
        self.said("nothing to do\nreboot: not needed")

    def test_what_undo_can_not_restore_is_not_touched(self):
        self.bake(certificates=())
        for value in ((8, "00"), (0, "beef"), (4, "2a000000"), (11, "0102030405060708")):
            with self.subTest(value):
                self.machine.set(ENVIRONMENT, "HTTPS_PROXY", value)
                self.run_script(code=13)
                self.said("the value HTTPS_PROXY of HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment is of a type")
                self.assertEqual(self.machine.store().get(ENVIRONMENT, "HTTPS_PROXY"), value)
        # What others make of ours stops no undo.
        self.machine.set(ENVIRONMENT, "HTTP_PROXY", (4, "2a000000"))
        self.run_script("-Undo")
        self.said("env:HTTP_PROXY: left alone, somebody changed it since we set it")
        self.assertEqual(self.machine.store().get(ENVIRONMENT, "HTTP_PROXY"), (4, "2a000000"))

    def test_a_newer_list_takes_back_what_it_lacks_first(self):
        self.machine.change(lambda store: (store.make_key(SERVICES + "kubelet"), store.set(ENVIRONMENT, "HTTP_PROXY", *fakes.sz("old"))))
        before = self.machine.content()
        self.run_script()
        self.bake(generation=2, certificates=("two", "three"), services=("containerd",), env={"NO_PROXY": NO_PROXY}, winhttp=False)
        self.run_script()
        self.assertEqual(self.machine.certificates(), {"ROOT": self.roots("two", "three")})
        self.assertEqual((self.machine.env("HTTP_PROXY"), self.machine.env("HTTPS_PROXY"), self.machine.env("NO_PROXY")), ("old", None, NO_PROXY))
        self.assertEqual((self.machine.service("kubelet"), self.machine.sddl("kubelet")), (None, OPEN))
        self.assertEqual((self.machine.store().get(WINHTTP[0], "WinHttpSettings"), self.machine.store().key(WINHTTP[1])), (None, None))
        self.assertEqual((self.machine.record()["generation"], len(self.machine.items())), (2, 5))
        lines = [line.split(": ", 1) for line in self.machine.output.splitlines()]
        self.assertLess(lines.index(["certificate:ROOT:" + self.sha1["one"], "removed"]), [line[0] for line in lines].index("certificate:ROOT:" + self.sha1["three"]))
        self.run_script("-Undo")
        self.assertEqual(self.machine.content(), before)

    def test_a_certificate_that_was_there_before_is_never_ours(self):
        self.machine.put_certificate("ROOT", self.sha1["one"])
        self.machine.change(lambda store: store.data["policy"].update(ROOT=[self.sha1["two"]]))
        self.bake(certificates=("one", "two", "three"))
        self.run_script()
        self.assertEqual(self.machine.certificates(), {"ROOT": self.roots("one", "three")})
        self.bake(certificates=())
        self.run_script()
        self.assertEqual(self.machine.certificates(), {"ROOT": self.roots("one")})
        self.run_script("-Undo")
        self.assertEqual(self.machine.certificates(), {"ROOT": self.roots("one")})

    def test_a_certificate_that_a_policy_brought_since_stays_the_policys(self):
        self.run_script()
        self.machine.change(lambda store: store.data["policy"].update(ROOT=self.roots("one", "two")))
        self.run_script("-Undo")
        self.assertEqual((self.machine.certificates(), self.machine.store().data["policy"]), ({}, {"ROOT": self.roots("one", "two")}))

    def test_what_is_not_in_scope_stays(self):
        self.run_script()
        before = self.machine.content()
        self.bake(scope=["certs", "hns"], operations=self.operations()[:2], generation=2)
        self.run_script()
        self.assertEqual(self.machine.content(), before)
        self.said("nothing to do")
        self.said("warning: this script does not manage 'hns'; provisioner.exe does")

    def test_what_the_choices_leave_out_is_taken_back(self):
        self.machine.set(ENVIRONMENT, "HTTP_PROXY", fakes.sz("theirs"))
        before = self.machine.content()
        self.run_script()
        self.bake(scope=["certs"], left_out=["machine", "services", "winhttp"], operations=self.operations()[:2], generation=2)
        self.run_script()
        self.assertEqual((self.machine.env("HTTP_PROXY"), self.machine.env("NO_PROXY")), ("theirs", None))
        self.assertEqual((self.machine.service("containerd"), self.machine.sddl()), (None, OPEN))
        self.assertEqual(self.machine.certificates(), {"ROOT": self.roots("one", "two")})
        self.bake(scope=[], left_out=ALL_SCOPES, operations=[], generation=3)
        self.run_script()
        self.assertEqual(self.machine.content(), before)

    def test_a_lower_generation_is_refused(self):
        self.bake(generation=3)
        self.run_script()
        self.bake(proxy=PLAIN, generation=2)
        self.refused(12, what="this payload has generation 2, but 3 was applied before")
        self.run_script("-AllowDowngrade")
        self.assert_applied(PLAIN)
        self.assertEqual(self.machine.record()["generation"], 2)
        for generation in (1795740752, 2 ** 63 - 1):  # of date +%s, and the largest that bake takes
            self.bake(generation=generation)
            self.run_script()
            self.assertEqual(self.machine.record()["generation"], generation)

    def test_the_layout_of_winhttp_that_this_windows_wrote_is_kept(self):
        self.machine.set(WINHTTP[0], "WinHttpSettings", (3, "2800000007000000010000000000000000000000"))
        before = self.machine.content()
        self.run_script()
        self.assertEqual(self.machine.store().get(WINHTTP[0], "WinHttpSettings"), (3, "2800000007" + SETTINGS[10:]))
        self.run_script("-Undo")
        self.assertEqual(self.machine.content(), before)

    def test_a_file_of_operations_alone_needs_no_manifest(self):
        """As user data have it: with the values that are null in a member of its own."""
        path = self.machine.root / "user data.json"
        path.write_text(json.dumps({"schema": 1, "generation": 1, "scope": ALL_SCOPES, "operations": self.operations(), "proxy": self.variables(PROXY)}))
        for name in ("manifest.json", "operations.json", "egress.json"):
            (self.payload / name).unlink()
        self.run_script("-Operations", path)
        self.assert_applied()
        path.write_text(json.dumps({"schema": 1, "generation": 1, "scope": ["certs"], "leftOut": ["machine", "services", "winhttp"], "operations": self.operations()[:2]}))
        self.run_script("-Operations", path)
        self.assertEqual((self.machine.env("NO_PROXY"), self.machine.service("containerd"), self.machine.sddl()), (None, None, OPEN))
        self.assertEqual(self.machine.certificates(), {"ROOT": self.roots("one", "two")})

    # ---- services

    def test_a_key_is_closed_before_it_holds_a_password_and_opened_after(self):
        """Each change of each run is looked at (stand-ins.ps1)."""
        self.bake(proxy=PLAIN)
        self.run_script()
        self.assertEqual(self.machine.sddl(), OPEN)
        self.bake()
        self.run_script()
        self.assert_applied()
        self.bake(proxy=PLAIN)
        self.run_script()
        self.assert_applied(PLAIN)
        self.assertTrue(self.machine.output.index("serviceEnv:containerd: set") < self.machine.output.index("serviceSecurity:containerd: opened"))

    def test_a_service_under_nssm_gets_its_list_there_too(self):
        parameters = CONTAINERD + "\\Parameters"
        lists = {"a proxy": ("AppEnvironmentExtra", ["A=1", "https_proxy=theirs"]), "an environment of its own": ("AppEnvironment", ["A=1"])}
        for what, (name, entries) in lists.items():
            with self.subTest(what):
                self.machine.set(parameters, name, fakes.multi_sz(entries))
                self.machine.set(CONTAINERD, "ObjectName", fakes.sz("NT AUTHORITY\\LocalService"))
                before = self.machine.content()
                self.run_script(",", ",", "-Undo")
                entries = [f"{n}={v}" for n, v in self.variables(PROXY).items()]
                self.assertLessEqual(set(entries), set(fakes.multi_entries(self.machine.store(1).get(parameters, "AppEnvironmentExtra"))))
                self.assertEqual(self.machine.service("containerd", 1), entries)
                self.assertEqual(self.machine.sddl("containerd\\Parameters", 1), CLOSED + "(A;CI;KR;;;LS)")
                self.said("serviceEnv:containerd\\parameters: set\n")
                self.assertEqual(self.machine.output.count("nothing to do"), 1)
                self.assertEqual(self.machine.content(), before)
                self.machine.change(lambda store: store.data["keys"].pop(parameters.lower()))
        self.machine.set(parameters, "AppEnvironmentExtra", fakes.multi_sz(["A=1", "NOT_HTTP_PROXY=1"]))
        self.run_script()
        self.assertNotIn("parameters", self.machine.output)

    def test_the_account_of_a_service_goes_on_reading(self):
        self.machine.change(lambda store: store.data.update(accounts={"NODE\\me": "S-1-5-21-1-2-3-1001", "EXAMPLE\\svc": "S-1-5-21-4-5-6-1105"}))
        self.bake(certificates=(), env={}, winhttp=False)
        for account, reader in (("LocalSystem", ""), ("NT AUTHORITY\\LocalService", "LS"), ("NT Authority\\NetworkService", "NS"),
                                (".\\me", "S-1-5-21-1-2-3-1001"), ("EXAMPLE\\svc", "S-1-5-21-4-5-6-1105")):
            with self.subTest(account):
                self.machine.set(CONTAINERD, "ObjectName", fakes.sz(account))
                before = self.machine.content()
                self.run_script(",", "-Undo")
                self.assertEqual(self.machine.sddl(run=1), CLOSED + (f"(A;CI;KR;;;{reader})" if reader else ""))
                self.assertNotIn("not known here", self.machine.output)
                self.assertEqual(self.machine.content(), before)
        self.machine.change(lambda store: (store.set(CONTAINERD, "ObjectName", *fakes.sz("GONE\\svc")), store.set(CONTAINERD, "ServiceSidType", 4, "01000000")))
        self.run_script()
        self.assertRegex(self.machine.sddl(), re.escape(CLOSED) + r"\(A;CI;KR;;;S-1-5-80(-[0-9]+){5}\)\Z")
        self.said("warning: service containerd runs as an account that is not known here")

    def test_an_account_whose_domain_is_away_goes_on_reading(self):
        """User data run at each boot, before there is a network."""
        self.machine.change(lambda store: (store.data.update(accounts={"EXAMPLE\\svc": "S-1-5-21-4-5-6-1105"}), store.set(CONTAINERD, "ObjectName", *fakes.sz("EXAMPLE\\svc"))))
        before = self.machine.content()
        self.run_script()
        self.machine.change(lambda store: store.data.update(accounts={}))
        self.run_script()
        self.said("nothing to do")
        self.assertNotIn("not known here", self.machine.output)
        self.assertEqual(self.machine.sddl(), CLOSED + "(A;CI;KR;;;S-1-5-21-4-5-6-1105)")
        self.run_script("-Undo")
        self.assertEqual(self.machine.content(), before)

    def test_what_others_made_of_a_key_is_kept(self):
        theirs = "D:PAI(D;CI;KA;;;WD)(A;CI;KA;;;SY)(A;CI;KA;;;BA)(A;CI;KR;;;S-1-5-80-1-2-3-4-5)"
        self.machine.change(lambda store: store.key(CONTAINERD).update(sddl=theirs))
        # A denial for everybody is no leak, but it is taken for one: leaks are seen.
        self.run_script(leaks=True)
        self.assertIn(CONTAINERD, self.machine.store().data["leaks"])
        self.assertEqual(self.machine.sddl(), theirs)
        self.assertNotIn("serviceSecurity", self.machine.output)
        self.run_script("-Undo", leaks=True)
        self.machine.change(lambda store: store.key(CONTAINERD).update(sddl=theirs.replace("S-1-5-80-1-2-3-4-5", "AU")))
        self.run_script(leaks=True)
        self.assertEqual(self.machine.sddl(), theirs.replace("(A;CI;KR;;;S-1-5-80-1-2-3-4-5)", ""))
        opened = theirs + "(A;CI;KR;;;BU)"
        self.machine.change(lambda store: store.key(CONTAINERD).update(sddl=opened))
        self.run_script("-Undo", leaks=True)
        self.assertEqual(self.machine.sddl(), opened)
        self.said("serviceSecurity:containerd: left alone, others may read the key since we closed it")

    def test_a_key_in_an_unknown_form_gets_no_password(self):
        self.machine.change(lambda store: store.key(CONTAINERD).update(sddl="D:NO_ACCESS_CONTROL"))
        self.run_script(code=13)
        self.assertIsNone(self.machine.service("containerd"))
        self.assertEqual(self.machine.env("HTTP_PROXY"), PROXY)
        self.machine.change(lambda store: store.key(CONTAINERD).pop("sddl"))
        self.run_script()
        self.machine.change(lambda store: store.key(CONTAINERD).update(sddl="D:NO_ACCESS_CONTROL"))
        self.run_script("-Undo")
        self.said("serviceSecurity:containerd: left alone")
        self.assertEqual(self.machine.sddl(), "D:NO_ACCESS_CONTROL")

    # ---- hostile data

    def test_services_of_any_name(self):
        self.bake(services=ODD_NAMES)
        self.machine.change(lambda store: [store.make_key(SERVICES + name) for name in ODD_NAMES])
        before = self.machine.content()
        self.run_script()
        for name in ODD_NAMES:
            self.assertEqual(self.machine.service(name), [f"{n}={v}" for n, v in self.variables(PROXY).items()], name)
        self.assertLessEqual({"serviceEnv:" + name for name in ODD_NAMES}, set(self.machine.items()))
        self.run_script()
        self.said("nothing to do")
        # One that differs from another in a letter that nobody sees goes alone.
        self.bake(services=[name for name in ODD_NAMES if name != "a\u200d"])
        self.run_script()
        self.assertEqual((self.machine.service("a\u200d"), len(self.machine.service("a"))), (None, 3))
        self.run_script("-Undo")
        self.assertEqual(self.machine.content(), before)

    def test_values_are_never_evaluated(self):
        values = [f"http://u:Can4ry{value}@p:1" for value in ("$(New-Item evaluated)", "`$(exit 7)", "'; exit 7; '", "\"; exit 7; \"", "%PATH%;$env:PATH", "{0}",
                                                              "\u2018\u2019 & | > \u540d")]
        self.run_cases({value: lambda value=value: self.bake(proxy=value, certificates=(), winhttp=False, services=("containerd",)) for value in values}, 0)
        for run, value in enumerate(values, 1):
            self.assertEqual(self.machine.env("HTTP_PROXY", run), value)
            self.assertEqual(self.machine.service("containerd", run)[0], "HTTP_PROXY=" + value)

    def test_data_of_other_places_are_refused_before_anything_changes(self):
        one = self.operations()[0]
        cases = {
            "another variable": {"kind": "env", "key": "Path", "value": "C:\\evil"}, "a variable in another case": {"kind": "env", "key": "http_proxy", "value": "x"},
            "a variable with a letter that nobody sees": {"kind": "env", "key": "HTTP_PROXY\u200d", "value": "x"},
            "a line break": {"kind": "env", "key": "HTTP_PROXY", "value": "http://x\r\ny"}, "a NUL": {"kind": "env", "key": "HTTP_PROXY", "value": "a\0b"},
            "a number": {"kind": "env", "key": "HTTP_PROXY", "value": 1}, "a list": {"kind": "env", "key": "HTTP_PROXY", "value": ["a", "b"]},
            "a value that egress.json lacks": {"kind": "env", "key": "HTTP_PROXY", "value": None},
            "a variable of a service": {"kind": "serviceEnv", "key": "containerd", "value": {"COR_PROFILER": "{x}"}},
            "a service without variables": {"kind": "serviceEnv", "key": "containerd", "value": None}, "a path": {"kind": "serviceEnv", "key": "a\\b", "value": {"NO_PROXY": "x"}},
            "a way up": {"kind": "serviceEnv", "key": "../x", "value": {"NO_PROXY": "x"}}, "no name": {"kind": "serviceEnv", "key": "", "value": {"NO_PROXY": "x"}},
            "a name with a line break": {"kind": "serviceEnv", "key": "a\nb", "value": {"NO_PROXY": "x"}}, "a key to close": {"kind": "serviceSecurity", "key": "a/b"},
            "another kind": {"kind": "run", "key": "x", "value": "x"}, "a kind with a key in it": {"kind": "serviceEnv:x", "key": "y", "value": ["a", "b"]},
            "two kinds": {"kind": ["serviceEnv:x", "env"], "key": "HTTP_PROXY", "value": "x"}, "no kind": {"key": "HTTP_PROXY"}, "a text": "x",
            "another view": {"kind": "winHttp", "key": "16", "value": {"proxy": "p:1", "bypass": ""}}, "half of winHttp": {"kind": "winHttp", "key": "64", "value": {"proxy": "p:1"}},
            "another store": {**one, "key": one["key"].replace("ROOT", "MY")}, "another certificate": {**one, "key": "ROOT:" + self.sha1["two"]},
            "no certificate": {**one, "value": "AAAA"}, "no base64": {**one, "value": "*"}, "nothing": {**one, "value": None}}
        before = self.machine.content()
        said = self.run_cases({name: lambda one=one: self.bake(operations=[*self.operations(proxy=PLAIN)[:3], one], proxy=None) for name, one in cases.items()}, 11)
        for name, text in said.items():
            self.assertIn("error: operations.json: $.operations[3]", text, name)
        self.assertEqual(self.machine.content(), before)
        self.assertFalse(self.machine.state.exists())

    def test_files_that_the_manifest_does_not_have_are_refused(self):
        def write(name, text, listed):
            (self.payload / name).write_text(text)
            if listed:
                self.list_files()

        files, others = ("operations.json", "egress.json"), ("manifest.json", "operations.json", "egress.json")
        cases = {}
        for name in files:
            cases[name, "is not the file that manifest.json lists", 1] = lambda name=name: self.list_files(**{name: "0" * 64})
            cases[name, "is not the file that manifest.json lists", 2] = lambda name=name: self.list_files(**{name: None})
        for name, remedy in zip(others, ("can't be read: copy the whole payload folder", "can't be read", "from egress.json, which does not have it")):
            cases[name, remedy, 3] = lambda name=name: (self.payload / name).unlink()
        for text in ("", "{", "[]", "null", '"x"', '{"schema":1,"generation":1,"operations":"' + CANARY):
            for name in others:
                cases[name, "is damaged: copy the payload again", text] = lambda name=name, text=text: write(name, text, name != "manifest.json")
        for document in ({"schema": 2, "generation": 1}, {"generation": 1}, {"schema": 1}, {"schema": 1, "generation": "x"}):
            text = json.dumps({**document, "scope": ALL_SCOPES, "operations": []})
            cases["operations.json", "has another schema", text] = lambda text=text: write("operations.json", text, True)
        before = self.machine.content()
        for (name, what, *_), text in self.run_cases(cases, 11).items():
            self.assertRegex(text, "error: .*" + re.escape(name) + ".*" + re.escape(what) if name not in what else re.escape(what))
        self.assertEqual(self.machine.content(), before)
        self.assertFalse(self.machine.state.exists())

    # ---- refusals of the machine

    def test_a_state_folder_of_somebody_else_is_refused(self):
        self.machine.state.mkdir()
        for sddl in ("O:S-1-5-21-1-2-3-1001G:DUD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)", "O:BAG:DUD:AI(A;OICIID;FA;;;BA)", PROTECTED + "(A;;FR;;;BU)", fakes.OPEN_SDDL):
            self.machine.change(lambda store, text=sddl: store.data["sddl"].update({str(self.machine.state): text}))
            self.run_both(12, "is not SYSTEM's and Administrators' alone")
        self.machine.state.rmdir()
        elsewhere = self.machine.root / "elsewhere"
        elsewhere.mkdir()
        self.machine.state.symlink_to(elsewhere)
        self.machine.change(lambda store: store.data["sddl"].update({str(path): PROTECTED for path in (self.machine.state, elsewhere)}))
        self.refused(12, what="is a link")
        self.assertEqual(list(elsewhere.iterdir()), [])

    def test_a_damaged_record_is_not_replaced(self):
        self.run_script()
        good = self.machine.record()
        first = good["items"][0]
        for bad in ("", "{", {"schema": 1}, {**good, "items": None}, {**good, "items": [{**first, "key": "env:Path"}]}, {**good, "items": [{**first, "key": "serviceEnv:a\\b"}]},
                    {**good, "items": [{"key": "env:HTTP_PROXY"}]}, {**good, "items": ["x"]}, {**good, "items": [{**first, "ours": {**first["ours"], "data": "*"}}]}):
            with self.subTest(bad):
                self.machine.put_record(bad)
                self.run_both(13, "script-state.json is damaged")
        for schema in (2, 99999999999):
            self.machine.put_record({**good, "schema": schema})
            self.run_both(12, "a newer script wrote")
        self.machine.put_record(good)
        self.run_script()
        self.said("nothing to do")

    def test_keys_of_other_places_are_not_deleted(self):
        self.machine.change(lambda store: store.make_key(SERVICES + "empty"))
        self.run_script()
        record = self.machine.record()
        for item in record["items"]:
            item["ownKeys"].append("SYSTEM\\CurrentControlSet\\Services\\empty")
        self.machine.put_record(record)
        self.run_script("-Undo")
        self.assertIsNotNone(self.machine.store().key(SERVICES + "empty"))

    def test_another_run_is_active(self):
        self.run_script()
        with open(self.machine.state / "lock", "r+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 0)
            self.run_both(15, "another run is active")
        self.run_script()

    def test_constrained_language_is_refused_before_the_first_change(self):
        self.script.with_name("mode.ps1").write_text("$ExecutionContext.SessionState.LanguageMode; [IO.Path]::GetTempPath(); exit 7\n")
        self.machine.shell("-File", HERE / "driver.ps1", self.script.with_name("mode.ps1"), FAKE_LANGUAGE="ConstrainedLanguage")
        self.said("ConstrainedLanguage\n")
        self.said("Cannot invoke method")
        self.refused(13, FAKE_LANGUAGE="ConstrainedLanguage", what="error: a policy runs scripts in Constrained Language Mode here, so this script changed nothing")
        self.refused(13, "-Undo", FAKE_LANGUAGE="ConstrainedLanguage", what="Constrained Language Mode")
        self.assertFalse(self.machine.state.exists())

    def test_what_the_machine_lacks_is_told(self):
        self.machine.change(lambda store: store.data.update(elevated=False))
        self.refused(13, what="not elevated: run this as administrator")
        self.refused(13, ProgramData="", what="the environment has no ProgramData")
        self.refused(10, "-Unknown", what="usage: Apply-Egress.ps1")
        self.refused(10, "-Undo", "-Operations", self.payload / "operations.json", what="usage: Apply-Egress.ps1")

    # ---- undo and the program's record

    def test_undo_is_refused_where_the_program_keeps_the_record(self):
        self.run_script()
        os.remove(self.machine.state / "script-state.json")
        item = '{"env:HTTP_PROXY":{"before":null,"ours":null,"ownKeys":[]}}'
        for text in ('{"schema":1,"sections":{"ledger":%s}}' % item, '{"sche', '{"schema":1}'):
            (self.machine.state / "state.json").write_text(text)
            self.refused(12, "-Undo", what="run provisioner.exe remove")
        for text in ('{"schema":1,"sections":{"ledger":{}}}', '{"schema":1,"sections":{"source":{"words":[]}}}'):
            (self.machine.state / "state.json").write_text(text)
            self.run_script("-Undo")
            self.said("nothing to do")

    def test_undo_where_nothing_was_applied(self):
        self.refused(0, "-Undo", what="nothing to do")
        self.assertFalse(self.machine.state.exists())

    # ---- power cuts

    def snapshot(self):
        shutil.rmtree(self.machine.root / "snapshot", ignore_errors=True)
        (self.machine.root / "snapshot").mkdir()
        shutil.copy(self.machine.root / "store.json", self.machine.root / "snapshot")
        if self.machine.state.exists():
            shutil.copytree(self.machine.state, self.machine.root / "snapshot/state")
        return self.machine.root / "snapshot"

    def restore(self, folder):
        shutil.rmtree(self.machine.state, ignore_errors=True)
        shutil.copy(folder / "store.json", self.machine.root)
        if (folder / "state").exists():
            shutil.copytree(folder / "state", self.machine.state)

    def cuts(self, *options):
        """Kills a run at each of its changes, from the machine as it is. Yields what is left each time."""
        self.machine.change(lambda store: store.data.update(writes=0))
        begin = shutil.copytree(self.snapshot(), self.machine.root / "begin")
        self.run_script(*options)
        count = self.machine.writes()
        for number in range(1, count + 1, STRIDE):
            # Behind a change is before the next one, but for a file that is made first and then filled.
            for fault in (f"kill:{number}", f"kill-before:{number + 1}"):
                if fault.startswith("kill-before") and not (cut / "state/script-state.json.new").exists():
                    continue
                self.restore(begin)
                with self.subTest(fault):
                    self.machine.shell("-File", HERE / "driver.ps1", self.script, *options, FAKE_FAULT=fault)
                    self.check_secrets()
                    self.assertEqual(self.machine.writes(), int(fault.split(":")[1]))
                    cut = self.snapshot()
                    yield cut
        shutil.rmtree(begin)

    def followed(self, cut, before, **applied):
        """The next run completes it, and an undo then or at once restores."""
        self.run_script(",", "-Undo")
        self.assertEqual(self.machine.content(), before)
        shutil.copy(self.machine.root / "store.json.1", self.machine.root / "store.json")
        self.assert_applied(**applied)
        self.restore(cut)
        self.run_script("-Undo")
        self.assertEqual(self.machine.content(), before)

    def one_service(self):
        """A payload for a service that has a variable already; gives what the machine holds."""
        self.machine.set(CONTAINERD, "Environment", fakes.multi_sz(["A=1", "http_proxy=old"]))
        self.bake(certificates=("one",), services=("containerd",))
        return self.machine.content()

    def test_a_run_that_is_killed_is_completed_or_undone_by_the_next(self):
        before = self.one_service()
        for cut in self.cuts():
            self.followed(cut, before, certificates=("one",))

    def test_a_change_that_is_killed_is_completed_or_undone_by_the_next(self):
        self.machine.change(lambda store: store.make_key(SERVICES + "kubelet"))
        before = self.machine.content()
        self.bake(certificates=("one",))
        self.run_script()
        self.bake(certificates=("two",), services=("containerd",), proxy=PROXY.replace("3128", "8080"), generation=2)
        for cut in self.cuts():
            self.followed(cut, before, proxy=PROXY.replace("3128", "8080"), certificates=("two",))
            self.assertEqual((self.machine.service("kubelet"), self.machine.sddl("kubelet")), (None, OPEN))

    def test_an_undo_that_is_killed_is_completed_by_the_next(self):
        before = self.one_service()
        self.run_script()
        for cut in self.cuts("-Undo"):
            self.followed(cut, before, certificates=("one",))

    def test_changes_that_were_cut_one_after_another_can_be_undone(self):
        def run_and_cut(proxy, **more):
            self.bake(**more)
            self.run_script()
            for number in (1, 2, 3):
                self.bake(proxy=proxy + str(number), generation=1, **more)
                self.machine.change(lambda store: store.data.update(writes=0))
                # Its record is written, and its value is not.
                self.machine.shell("-File", HERE / "driver.ps1", self.script, FAKE_FAULT="kill:2")

        before = self.machine.content()
        run_and_cut("http://other:")
        self.assertEqual(self.machine.env("HTTP_PROXY"), PROXY)
        self.run_script("-Undo")
        self.assertEqual(self.machine.content(), before)
        # Of a list: the password of the first would stay, and its key would be opened.
        run_and_cut("http://user:pw@other:", certificates=(), env={}, winhttp=False)
        self.assertIn(f"HTTP_PROXY={PROXY}", self.machine.service("containerd"))
        item = self.machine.items()["serviceEnv:containerd"]
        self.assertNotEqual(item["ours"]["data"], item["prior"]["data"])
        self.run_script("-Undo")
        self.assertEqual(self.machine.content(), before)

    # ---- the program in the payload

    def put_program(self, code=0, text=None, **listed):
        """A stand-in for provisioner.exe: it notes its arguments, speaks on both streams and ends with `code`."""
        path = self.payload / "provisioner.exe"
        path.write_text(text or f"#!{sys.executable}\nimport json, sys\njson.dump(sys.argv[1:], open({str(self.machine.root / 'started')!r}, 'w'))\n"
                        f"print('target  this machine')\nprint('info: told on standard error', file=sys.stderr)\nsys.exit({code})\n")
        path.chmod(0o755)
        self.list_files(**listed)

    def started(self):
        """The program's arguments, or nothing when it was not started."""
        path = self.machine.root / "started"
        if not path.exists():
            return None
        arguments = json.loads(path.read_text())
        path.unlink()
        return arguments

    def test_the_program_of_the_payload_is_started_with_its_exit_code_handed_on(self):
        payload = str(self.payload)
        for code in (0, 11, 15, 20):
            self.put_program(code)
            self.refused(code, what="provisioner.exe is in this payload and applies it")
            self.assertEqual(self.started(), ["first-boot", payload])
            self.said("target  this machine\n")
            self.said("told on standard error")
            self.assertNotIn("reboot:", self.machine.output)  # it says its own
        self.run_script("-AllowDowngrade", code=20)
        self.assertEqual(self.started(), ["first-boot", payload, "--allow-downgrade"])
        # Its files with credentials go after Windows setup; the program has kept the settings.
        (self.payload / "egress.json").unlink()
        self.run_script(code=20)
        self.assertEqual(self.started(), ["first-boot", payload])
        self.assertFalse(self.machine.state.exists())

    def test_a_program_that_is_not_the_payloads_is_not_started(self):
        self.put_program(**{"provisioner.exe": "0" * 64})
        self.refused(11, what="provisioner.exe is not the file that manifest.json lists")
        (self.payload / "manifest.json").write_text("{")
        self.refused(11, what="manifest.json is damaged")
        # One that the manifest does not list came from elsewhere: the script goes on without it.
        self.put_program(**{"provisioner.exe": None})
        self.run_script()
        self.assert_applied()
        self.said("provisioner.exe is not started: manifest.json does not list it")
        self.run_script("-Undo")
        self.assertIsNone(self.started())

    def test_undo_does_not_start_the_program(self):
        before = self.machine.content()
        self.run_script()
        self.put_program()
        self.run_script("-Undo")
        self.assertIsNone(self.started())
        self.assertEqual(self.machine.content(), before)

    def test_a_program_above_a_folder_of_another_name_is_not_started(self):
        """Script and data were copied into one folder, and anybody may write to the one above."""
        flat = self.payload / "egress"
        flat.mkdir()
        for path in (self.script, *self.payload.glob("*.json")):
            shutil.copy(path, flat)
        self.put_program()
        self.script = flat / "Apply-Egress.ps1"
        self.run_script()
        self.assert_applied()
        self.run_script("-Undo")
        (flat / "operations.json").unlink()
        self.refused(11, what="operations.json can't be read")
        self.assertIsNone(self.started())

    def test_a_program_that_does_not_start_is_the_machines_fault(self):
        self.put_program(text="\x7fELF, and nothing more")
        self.refused(13, what="error: NativeCommandFailed, line ")


assert all(hasattr(ApplyTest, name) for name in SOME)
keep(ApplyTest, SOME)


if __name__ == "__main__":
    run_tests("Apply-Egress.ps1 was NOT run", openssl=True)
