"""Runs the baked user data of every platform and form under a real PowerShell 7 (pwsh, or what PWSH names). With
PROVISIONER_POWERSHELL=some, as scripts/test --all sets it, what stands in SOME runs.

usage: user_data_scripts_test.py PROVISIONER"""
import base64
import hashlib
import json
import os
import sys
import unittest

from machine import PWSH, WINHTTP, folder, keep, make_certificates, must, run, run_tests
from user_data_machine import Machine, write_tool
from harness import SAMPLE, Handler, serve
from kube_api_server import CONFIGS, POOLS, ApiServer, Authority, kubeconfig
import user_data_reader

PROVISIONER = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else ""
EXE_URL = "https://downloads.example.com/provisioner.exe?sig=Can4ryToken"
BUNDLE_URL = "https://files.example.com/bundle.pem"
CANARY = "S3cret"
SOME = {"test_every_form_applies_everything", "test_any_number_of_certificates", "test_second_run_writes_nothing",
        "test_where_there_is_no_room_only_certificates_are_taken_back",
        "test_constrained_language_is_refused_before_anything_is_made", "test_fetched_bundle", "test_program_takes_over",
        "test_other_script_runs_behind_ours", "test_what_the_controller_keeps", "test_task_tries_again_and_says_why"}
AGAIN = 1002 & 0xFF  # Windows has the whole of an exit code, and this system its low byte
CONSTRAINED = b"$ExecutionContext.SessionState.LanguageMode='ConstrainedLanguage';"
# Of no operator's, but of their form.
OPERATORS = "<powershell>\nSet-Content \"$env:SystemRoot\\operator\" \"$LASTEXITCODE\"\n</powershell>\n<persist>true</persist>\n"

FORMS = {name: ["--platform", name] for name in ("aws", "azure", "gcp", "vsphere", "nutanix", "openstack", "none")}


class UserDataScripts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pem = make_certificates(cls)
        cls.sha1 = {name: hashlib.sha1(base64.b64decode("".join(pem.split("\n")[1:-2]))).hexdigest() for name, pem in cls.pem.items()}

    def setUp(self):
        self.root = folder(self, "user data test ")
        self.machine = self.new_machine("machine")

    def new_machine(self, name):
        (self.root / name).mkdir()
        return Machine(self.root / name, PWSH, PROVISIONER)

    def bake(self, *options, certificates=("one", "two"), proxy=None, services=("containerd", "kubelet"), generation=1):
        """User data, and the proxy's variables that it is to set."""
        document = json.loads(SAMPLE.read_text())
        for file in document["spec"]["config"]["storage"]["files"]:
            if file["path"].endswith("user-ca-bundle.crt"):
                pem = "".join(self.pem[name] for name in certificates)
                file["contents"] = {"source": "data:;base64," + base64.b64encode(pem.encode()).decode()}
            if proxy and file["path"].endswith("proxy.env"):
                text = f"HTTP_PROXY={proxy}\nHTTPS_PROXY={proxy}\nNO_PROXY=.cluster.local,.svc,10.0.0.0/8\n"
                file["contents"] = {"source": "data:;base64," + base64.b64encode(text.encode()).decode()}
        source = self.root / "source.json"
        source.write_text(json.dumps(document))
        out = self.root / "baked"
        words = [word for name in services for word in ("--service", name)] + ["--generation", str(generation), *map(str, options)]
        answer = run(PROVISIONER, "bake", source, "--format", "userdata", "--out", out, *words)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.said = answer.stderr
        self.proxy = {n: v for n, v in json.loads(must(PROVISIONER, "extract", source, "--show-secrets"))["proxy"].items() if v}
        return out.read_bytes()

    def run_data(self, data, code=0, machine=None, **more):
        machine = machine or self.machine
        self.assertEqual(machine.run(data, **more), code, machine.output)
        self.assertNotIn(CANARY, machine.output)
        self.assertNotIn("Can4ry", machine.output)

    def assert_applied(self, certificates=None, machine=None, service=True):
        machine = machine or self.machine
        for name, value in self.proxy.items():
            self.assertEqual(machine.env(name), value)
        wanted = [f"{name}={value}" for name, value in self.proxy.items()]
        if service:
            self.assertEqual(machine.service("containerd"), wanted)
        self.assertIsNone(machine.service("kubelet"))
        self.assertEqual(machine.certificates(), certificates if certificates is not None else {"ROOT": self.roots("one", "two")})
        for key in WINHTTP:
            kind, settings = machine.store().get(key, "WinHttpSettings")
            settings = bytes.fromhex(settings)
            self.assertEqual((kind, settings[:4], settings[8:12]), (3, b"\x18\0\0\0", b"\x03\0\0\0"))
            size = int.from_bytes(settings[12:16], "little")
            self.assertEqual(settings[16:16 + size].decode(), "proxy.example.com:3128")
            bypass = int.from_bytes(settings[16 + size:20 + size], "little")
            self.assertEqual(len(settings), 20 + size + bypass)

    def roots(self, *names):
        return sorted(self.sha1[name] for name in names)

    def left(self):
        """What user data left in its folder."""
        return sorted(path.name for path in self.machine.work.iterdir()) if self.machine.work.exists() else []

    # ---- every form

    def test_every_form_applies_everything(self):
        for number, (name, options) in enumerate(FORMS.items()):
            with self.subTest(name):
                machine = self.new_machine(f"form{number}")
                self.run_data(self.bake(*options), machine=machine)
                self.assert_applied(machine=machine)
                self.assertEqual(list(machine.work.iterdir()), [])

    def test_any_number_of_certificates(self):
        for number, names in enumerate(((), ("one",), ("three", "one", "middle", "two"))):
            with self.subTest(names):
                machine = self.new_machine(f"certificates{number}")
                self.run_data(self.bake("--platform", "none", certificates=names), machine=machine)
                wanted = {"ROOT": self.roots(*(n for n in names if n != "middle")), "CA": self.roots(*(n for n in names if n == "middle"))}
                self.assert_applied({store: found for store, found in wanted.items() if found}, machine=machine)

    def test_windows_does_not_log_the_script_for_its_words(self):
        """By PowerShell's own look at a script, which is what decides whether it is logged with its data (event 4104)."""
        program = ("foreach ($file in $args) { $ast = [Management.Automation.Language.Parser]::ParseFile($file, [ref]$null, [ref]$null); "
                   "$look = [ScriptBlock].GetMethod('CheckSuspiciousContent', [Reflection.BindingFlags]'NonPublic, Static'); "
                   "'' + $look.Invoke($null, @($ast)) }")
        (self.root / "look.ps1").write_text(program)
        files = [self.root / "control.ps1"]
        files[0].write_text("$x = [IO.MemoryStream]::new()\n")
        for number, options in enumerate(FORMS.values()):
            files.append(self.root / f"form{number}.ps1")
            files[-1].write_bytes(user_data_reader.script_of(self.bake(*options)))
        said = must(PWSH, "-NoProfile", "-File", self.root / "look.ps1", *files).splitlines()
        self.assertEqual(said, ["MemoryStream"] + [""] * len(FORMS))

    # ---- what it does at the next boot; apply_test.py shows what the script does in all cases

    def test_second_run_writes_nothing(self):
        data = self.bake("--platform", "aws")
        self.run_data(data)
        before, stamp = self.machine.writes(), (self.machine.state / "script-state.json").stat().st_mtime_ns
        self.run_data(data)
        self.assertEqual(self.machine.writes(), before)
        self.assertEqual((self.machine.state / "script-state.json").stat().st_mtime_ns, stamp)
        self.assert_applied()

    def test_where_there_is_no_room_only_certificates_are_taken_back(self):
        """The script without its regions "full"."""
        def long(size):
            return self.operators(OPERATORS.replace("</powershell>", "#" * size + "\n</powershell>"))

        data = self.bake("--platform", "aws", *long(6200))
        self.assertIn("userdata-short", self.said)
        self.run_data(data)
        self.assert_applied()
        before, stamp = self.machine.writes(), (self.machine.state / "script-state.json").stat().st_mtime_ns
        self.run_data(data)
        self.assertEqual((self.machine.writes(), (self.machine.state / "script-state.json").stat().st_mtime_ns), (before, stamp))
        data = self.bake("--platform", "aws", *long(7300), certificates=("one",), services=())
        self.assertIn("userdata-short", self.said)
        self.run_data(data)
        self.assertEqual(self.machine.certificates(), {"ROOT": self.roots("one")})
        self.assertEqual(len(self.machine.service("containerd")), 3)
        self.assertIn("serviceEnv:containerd", self.machine.items())

    # ---- refusals

    def test_constrained_language_is_refused_before_anything_is_made(self):
        before = self.machine.writes()
        for name in ("aws", "azure"):
            self.run_data(self.bake(*FORMS[name]), code=13, first=CONSTRAINED)
            self.assertIn("ConstrainedLanguage", self.machine.output)
        self.assertEqual(self.machine.writes(), before)
        self.assertFalse(self.machine.work.exists())

    def test_constrained_language_of_what_is_carried_leaves_no_data(self):
        self.run_data(self.bake("--platform", "aws"), code=13, carried_first=CONSTRAINED)
        self.assertIn("ConstrainedLanguage", self.machine.output)
        self.assertEqual((self.machine.state.exists(), self.machine.certificates(), self.left()), (False, {}, []))

    def test_line_ends_of_windows_change_nothing(self):
        self.run_data(self.bake("--platform", "none"), damage=lambda script: script.replace(b"\n", b"\r\n"))
        self.assert_applied()

    def test_damaged_data_are_not_run(self):
        """One letter is another one, in each half of the data: what is unpacked is not what its sum says, or nothing is.
        The packed data and the script may lie in the closed folder then; the next run writes over them."""
        for number, place in enumerate((0.3, 0.9)):
            def damage(script, place=place):
                begin, end = user_data_reader.DATA.search(script).span(1)
                at = begin + int((end - begin) * place)
                at += script[at:at + 1] == b"\n"
                return script[:at] + (b"0" if script[at:at + 1] != b"0" else b"1") + script[at + 1:]

            with self.subTest(place):
                machine = self.new_machine(f"damaged{number}")
                self.run_data(self.bake("--platform", "none"), code=13, machine=machine, damage=damage)
                self.assertIn("provisioner: ", machine.output)
                self.assertLessEqual({path.name for path in machine.work.iterdir()}, {"z", "run.ps1", "apply.ps1"})
                self.assertEqual((machine.certificates(), machine.env("HTTP_PROXY"), machine.state.exists()), ({}, None, False))

    # ---- certificates from elsewhere

    def bundle(self, *names, failures=0, digest="", url=BUNDLE_URL, options=()):
        """User data that fetch the bundle of a payload with these certificates."""
        self.bake("--platform", "aws", certificates=names)
        must(PROVISIONER, "bake", self.root / "source.json", "--out", self.root / "payload")
        pem = (self.root / "payload/trust/bundle.pem").read_bytes()
        self.machine.serve(url, digest.encode() or pem, failures)
        return self.bake("--platform", "aws", "--ca-transport", f"{url}#sha256={hashlib.sha256(pem).hexdigest()}", *options, certificates=names)

    def test_fetched_bundle(self):
        self.run_data(self.bundle("one", "middle", "two"))
        self.assert_applied({"ROOT": self.roots("one", "two"), "CA": self.roots("middle")})
        (call,) = self.machine.calls("curl")
        self.assertEqual(call["proxies"], self.proxy)
        self.assertIn("-gksSfL", call["arguments"])
        # At the next boot the file is there already, and nothing is written.
        before = self.machine.writes()
        self.run_data(self.bundle("one", "middle", "two"))
        self.assertEqual((self.machine.writes(), len(self.machine.calls("curl"))), (before, 1))

    def test_a_token_is_on_no_command_line_and_told_to_nobody_unknown(self):
        self.run_data(self.bundle("one", url=BUNDLE_URL + "?sig=Can4ryToken&x=[1]"))
        (call,) = self.machine.calls("curl")
        self.assertIn("-gsSfL", call["arguments"])
        self.assertNotIn("Can4ry", json.dumps(call["arguments"]))
        self.assertEqual(self.left(), ["bundle"])

    def test_another_bundle_is_refused_and_the_rest_is_applied(self):
        self.run_data(self.bundle("one", digest="another"), code=11)
        self.assert_applied({})
        self.assertIn("11 " + BUNDLE_URL + " has another SHA-256", self.machine.output)

    def test_a_missing_bundle_takes_nothing_away(self):
        self.run_data(self.bundle("one", "two"))
        (self.machine.work / "bundle").unlink()
        data = self.bundle("one", "two")
        self.machine.change(lambda store: store.data.update(web={}))
        self.run_data(data, code=14)
        self.assert_applied()
        self.assertIn("14 can't download " + BUNDLE_URL, self.machine.output)

    # ---- the program from elsewhere

    def with_program(self, *options, digest=None, failures=0):
        program = self.root / "provisioner.exe"
        write_tool(program, "provisioner")
        data = program.read_bytes()
        self.machine.serve(EXE_URL, data, failures)
        platform = () if "--platform" in options else ("--platform", "aws")
        return self.bake(*platform, "--exe-url", f"{EXE_URL}#sha256={digest or hashlib.sha256(data).hexdigest()}", *options)

    def test_program_takes_over(self):
        data = self.with_program()
        self.run_data(data)
        self.assert_applied()
        self.assertEqual([call["arguments"][0] for call in self.machine.calls("provisioner")], ["bake", "first-boot"])
        self.assertTrue(self.machine.program.exists())
        self.assertEqual(self.left(), ["done"])
        self.run_data(data)
        self.assertEqual((len(self.machine.calls("provisioner")), len(self.machine.calls("curl"))), (2, 1))

    def test_program_gets_changed_settings(self):
        self.run_data(self.with_program())
        before = self.machine.writes()
        self.run_data(self.with_program("--with-wmco"))
        self.assertEqual(self.machine.writes(), before)
        self.assertEqual([call["arguments"][0] for call in self.machine.calls("provisioner")], ["bake", "first-boot"] * 2)

    def test_program_with_another_digest_is_not_run(self):
        self.run_data(self.with_program(digest="0" * 64), code=11)
        self.assert_applied()
        self.assertEqual(self.machine.calls("provisioner"), [])

    def test_program_that_fails_hands_on_its_code(self):
        data = self.with_program()
        self.machine.change(lambda store: store.data.update(first_boot_code=12))
        self.run_data(data, code=12)
        self.assertEqual(self.left(), [])
        self.machine.change(lambda store: store.data.update(first_boot_code=0))
        self.run_data(data)
        self.assertEqual(self.left(), ["done"])

    def test_program_that_cannot_be_fetched(self):
        self.run_data(self.with_program(failures=9), code=14)
        self.assert_applied()
        self.assertNotIn("?", self.machine.output)

    # ---- beside another script

    def operators(self, text=OPERATORS):
        """Options that put ours before this script."""
        (self.root / "operators.txt").write_text(text)
        return ["--append-to", self.root / "operators.txt"]

    def appended(self, **more):
        return self.with_program(*self.operators(), **more)

    def run_task(self, *left, code=0):
        """The task, after which there is none, and these files are left."""
        self.assertEqual(self.machine.run_task(), code, self.machine.output)
        if code == 0:
            self.assertEqual((self.machine.store().data["tasks"], self.left()), ({}, list(left or ["done"])))

    def task(self):
        task = self.machine.store().data["tasks"]["ProvisionerUserData"]
        self.assertEqual((task["/ru"], task["/sc"], task["runs"]), ("SYSTEM", "onstart", 1))

    def operator_saw(self):
        """The exit code that the operator's script found."""
        return (self.machine.windows / "operator").read_text().strip()

    def test_other_script_runs_behind_ours(self):
        self.run_data(self.bake("--platform", "aws", *self.operators()))
        self.assert_applied()
        self.assertEqual(self.operator_saw(), "0")

    def test_what_the_controller_keeps(self):
        """As a machine gets it: the Secret in an API server."""
        machines = "/api/v1/namespaces/openshift-machine-api/secrets"
        authority = Authority(folder(self), "cluster-ca")
        server = ApiServer(authority.sign("api", "serverAuth", "IP:127.0.0.1"))
        self.addCleanup(server.close)
        (self.root / "config").write_text(kubeconfig(server.port, authority.pem))
        server.put(f"{machines}/ours", labels={"egress-provisioner/keeps": "user-data"})
        server.put(f"{machines}/theirs", data={"userData": base64.b64encode(OPERATORS.encode()).decode()})
        for certificates in (("one",), ("one", "two")):
            baked = self.bake("--platform", "aws", *self.operators(), certificates=certificates)
            config = json.loads((self.root / "source.json").read_text())
            name = config["metadata"]["name"]
            server.put(f"{CONFIGS}/{name}", spec=config["spec"])
            server.put(f"{POOLS}/worker", spec={"configuration": {"name": name}}, status={"machineCount": 1, "configuration": {"name": name}})
            must(PROVISIONER, "controller", "--source", "kube:///worker", "--kubeconfig", self.root / "config", "--secret", "openshift-machine-api/ours",
                 "--append-to-secret", "openshift-machine-api/theirs", "--platform", "aws", "--service", "containerd", "--service", "kubelet", "--once")
            kept = base64.b64decode(server.objects[f"{machines}/ours"]["data"]["userData"])
            self.assertEqual(kept, baked, "it is what bake writes now")
        self.run_data(kept)
        self.assert_applied()
        self.assertEqual(self.operator_saw(), "0")

    def test_other_script_downloads_through_the_proxy(self):
        """By .NET, whose default Invoke-WebRequest of Windows PowerShell takes; that of PowerShell 7 has another, so WebClient stands for it."""
        asked = []

        class Proxy(Handler):
            def do_GET(self):
                given = self.headers.get("Proxy-Authorization", "")
                asked.append((self.path, given))
                if given:
                    self.reply(200, b"file")
                else:
                    self.reply(407, b"file", Proxy_Authenticate='Basic realm="proxy"')

        theirs = ("<powershell>\n$there = [Net.WebRequest]::DefaultWebProxy\n"
                  "Set-Content \"$env:SystemRoot\\ways\" ('https://s3.example.com/', 'http://a.svc:8080/', 'http://xsvc/', 'https://api.cluster.local/', "
                  "'http://10.1.2.3/', 'http://plain/' | ForEach-Object { \"$_ $($there.IsBypassed($_))\" })\n"
                  "Set-Content \"$env:SystemRoot\\fetched\" ([Net.WebClient]::new().DownloadString('http://downloads.example.com/a.msi'))\n"
                  "</powershell>\n<persist>true</persist>\n")
        server = serve(self, Proxy)
        self.run_data(self.bake("--platform", "aws", *self.operators(theirs), proxy=f"http://user:{CANARY}%40@127.0.0.1:{server.server_port}"))
        self.assertEqual((self.machine.windows / "fetched").read_text().strip(), "file", self.machine.output)
        self.assertEqual(asked[-1], ("http://downloads.example.com/a.msi", "Basic " + base64.b64encode(f"user:{CANARY}@".encode()).decode()))
        self.assertEqual((self.machine.windows / "ways").read_text().splitlines(),
                         ["https://s3.example.com/ False", "http://a.svc:8080/ True", "http://xsvc/ False", "https://api.cluster.local/ True",
                          "http://10.1.2.3/ False", "http://plain/ False"])

    def test_other_script_does_not_wait_for_the_program(self):
        self.run_data(self.appended())
        self.assert_applied()
        self.assertEqual(self.operator_saw(), "0")
        self.assertEqual((self.machine.calls("curl"), self.machine.calls("provisioner")), ([], []))
        self.task()
        self.assertIn("data.egress", self.left())
        self.run_task()
        self.assertTrue(self.machine.program.exists())

    def test_task_tries_again_and_says_why(self):
        self.run_data(self.appended(failures=3))
        self.run_task()
        self.assertEqual(self.machine.store().data["slept"], 180)

    def test_task_that_gives_up_has_the_next_boot(self):
        self.run_data(self.appended(failures=12))
        self.run_task(code=14)
        self.assertEqual(len(self.machine.calls("curl")), 10)
        self.assertEqual(list(self.machine.store().data["tasks"]), ["ProvisionerUserData"])
        self.assertLessEqual({"data.egress", "error", "run.ps1"}, set(self.left()))
        shown = (self.machine.work / "error").read_text()
        self.assertIn("14 can't download https://downloads.example.com/provisioner.exe", shown)
        self.assertNotIn("Can4ry", shown)
        self.run_task()

    def test_failed_download_is_not_the_end_where_user_data_run_once(self):
        for number, (name, code) in enumerate((("azure", 14), ("openstack", AGAIN))):
            with self.subTest(name):
                self.machine = self.new_machine(f"once{number}")
                self.run_data(self.with_program(*FORMS[name], failures=1), code=code)
                self.assert_applied()
                self.task()
                self.assertIn("14 can't download", (self.machine.work / "error").read_text())
                self.run_task()
                self.assertTrue(self.machine.program.exists())

    def test_download_that_works_at_once_makes_no_task(self):
        self.run_data(self.with_program("--platform", "azure"))
        self.assertEqual((self.machine.calls("schtasks"), self.left()), ([], ["done"]))

    def test_only_what_another_boot_may_help_is_run_again(self):
        """Codes as cloudbase-init gets them: 1002 has it run user data again at the next boot."""
        data = self.with_program("--platform", "openstack")
        for code, shown in ((12, 12), (15, AGAIN)):
            self.machine.change(lambda store, code=code: store.data.update(first_boot_code=code))
            self.run_data(data, code=shown)
        self.machine.change(lambda store: store.data.update(first_boot_code=0))
        self.run_data(data)
        self.assertEqual(self.left(), ["done"])

    def test_task_that_cannot_be_made(self):
        data = self.appended()
        self.machine.change(lambda store: store.data.update(tasks_broken=True))
        self.assertEqual(self.machine.run(data), 0, self.machine.output)
        self.assertEqual(self.operator_saw(), "13")
        self.assertIn("13 no scheduled task", self.machine.output)
        self.assertEqual((self.machine.work / "error").read_text().strip(), "13 no scheduled task")
        self.assert_applied()

    def test_task_fetches_a_bundle_that_failed(self):
        self.run_data(self.bundle("one", "two", failures=1, options=self.operators()))
        self.assert_applied({})
        self.assertEqual(self.operator_saw(), "14")
        self.run_task("bundle")
        self.assert_applied()


assert all(hasattr(UserDataScripts, name) for name in SOME)
keep(UserDataScripts, SOME)


if __name__ == "__main__":
    run_tests("the scripts of user data were NOT run", openssl=True)
