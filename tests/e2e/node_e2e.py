#!/usr/bin/env python3
"""A node's life under Wine: first boot, changes, reboots, removal; read back by a second program (windows_probe).

usage: node_e2e.py PROVISIONER_EXE WINDOWS_PROBE_EXE [unittest arguments]

Proves registry, certificate stores, services and TLS. Permissions, PowerShell and WinHTTP's bypass rules are not shown here:
Wine only pretends to have them."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

import machine_config_server as mcs
import output_schemas
import windows_image
from authority import Authority
from harness import ROOT, argument, folder, must, need, run
from measure import Moments
from probe_servers import Tunnel
from rendered import ignition, mirrors, variables

PROGRAM, PROBE = argument(), argument()
WINE = str(ROOT / "scripts/wine")
HOST = "registry.example.test"
LOCKED = 15  # the program's exit when another run of it is at work


def running(group):
    """The processes of a group that still run. One that is ended and not yet collected does not, unless a thread of it does."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        folder = pathlib.Path("/proc", process)
        try:
            state, _, its_group = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[:3]
            if int(its_group) == group and (state != "Z" or len(os.listdir(folder / "task")) > 1):
                found.append(process)
        except OSError:
            pass  # has ended meanwhile
    return found


def wait_for_group(group, seconds=60):
    """Waits for the end of a killed group: its leader may be gone while the program still holds its lock. Wine's server lets go
    of that when the connection to the program ends, which it sees before what the next program asks of it. The group's number
    is nobody else's while one of its processes is there."""
    until = time.monotonic() + seconds
    while left := running(group):
        if time.monotonic() > until:
            raise AssertionError(f"of the process group {group}, {left} still run {seconds} s after SIGKILL")
        time.sleep(0.01)


class Node(unittest.TestCase):
    """Each test has a machine of its own, as fresh as one can be made cheaply."""

    @classmethod
    def setUpClass(cls):
        cls.keys = folder(cls)
        cls.a, cls.b, cls.c = (Authority(cls.keys, f"Authority {name}", days=60) for name in "ABC")

    def setUp(self):
        self.work = folder(self)
        self.env = {**os.environ, "PROVISIONER_WINE_PREFIX": str(self.work / "wine"), "SOURCE_DATE_EPOCH": ""}
        self.addCleanup(self.wine, "--end")
        self.probe("service", "containerd")
        # Wine puts the certificates of the build machine into ROOT.
        self.host_roots = set()
        self.host_roots = self.state()["certificate"].get("ROOT", set())
        self.source = self.work / "wine/drive_c/egress/worker.json"
        self.source.parent.mkdir(parents=True)

    def wine(self, *words, check=False):
        done = run(WINE, *words, env=self.env, cwd=self.work)
        if check:
            self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def probe(self, *words, check=True):
        return self.wine(PROBE, *words, check=check).stdout

    def program(self, *words, check=True, waits=True, exe=PROGRAM):
        """`waits`: for the service of ours, if there is one, which may be in a round just then: the program says that another run is
        at work."""
        end = time.monotonic() + 60
        while True:
            done = self.wine(exe, *words)
            if done.returncode != LOCKED or not waits or time.monotonic() > end:
                break
            if self.probe("query", "Provisioner").strip() == "none":
                break  # then nobody may hold the lock
            time.sleep(0.2)
        if check:
            self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def json(self, *words, exits=(0,), exe=PROGRAM):
        done = self.program(*words, "--output", "json", check=False, exe=exe)
        self.assertIn(done.returncode, exits, done.stdout + done.stderr)
        schema = {"status": "status", "doctor": "doctor", "service": "service", "fleet": "-".join(words[:2])}.get(words[0], "report")
        return output_schemas.check(schema, json.loads(done.stdout))

    def write(self, proxy, authorities):
        """A rendered config in the place that the node follows."""
        fresh = self.source.with_suffix(".new")
        fresh.write_text(json.dumps(ignition(variables(proxy), "".join(authority.pem.read_text() for authority in authorities))))
        os.replace(fresh, self.source)

    def state(self):
        """What the second program sees: variables, service environments, WinHTTP, {store: thumbprints}."""
        out = {"env": {}, "types": {}, "serviceEnv": {}, "winHttp": "", "bypass": "", "certificate": {}}
        for line in self.probe("state").splitlines():
            item = json.loads(line)
            if item["kind"] == "certificate":
                self.assertEqual(item["type"], 1, f"{item['value']} is in the registry, but Windows does not see it in {item['name']}")
                out["certificate"].setdefault(item["name"], set()).add(item["value"])
            elif item["kind"] == "winHttp":
                out["winHttp"], out["bypass"] = item["value"], item["bypass"]
            elif item["kind"] == "serviceEnv":
                out["serviceEnv"][item["name"]] = item["value"].split("\0")
            else:
                out[item["kind"]][item["name"]] = item["value"]
                out["types"][item["name"]] = item["type"]
        out["all roots"] = out["certificate"].get("ROOT", set())
        out["certificate"]["ROOT"] = out["all roots"] - self.host_roots
        return out

    def expect(self, proxy, authorities, foreign=()):
        state = self.state()
        roots = {authority.thumbprint for authority in (*authorities, *foreign)}
        self.assertEqual(state["certificate"]["ROOT"], roots)
        self.assertLessEqual(self.host_roots, state["all roots"], "certificates of others are gone")
        if "containerd" not in state["serviceEnv"]:
            self.fail(f"the service has no environment\n{state}\n{self.program('status', check=False).stdout}")
        if proxy:
            self.assertEqual({k: v for k, v in state["env"].items() if k != "FOREIGN"},
                             {"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy, "NO_PROXY": "localhost,.svc"})
            self.assertEqual({state["types"][name] for name in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")}, {1})
            self.assertEqual(state["serviceEnv"]["containerd"],
                             ["FOREIGN=1", f"HTTP_PROXY={proxy}", f"HTTPS_PROXY={proxy}", "NO_PROXY=localhost,.svc"])
            self.assertEqual(state["winHttp"], proxy.removeprefix("http://"))
        else:
            self.assertEqual({k for k in state["env"] if k != "FOREIGN"}, set())
            self.assertEqual(state["serviceEnv"]["containerd"], ["FOREIGN=1"])
            self.assertEqual(state["winHttp"], "")
        return state

    def reboot(self):
        self.wine("--end")
        self.wine("cmd", "/c", "exit")  # starts the machine, and with it its services

    def end(self, process):
        """Ends a run of scripts/wine that was started in a session of its own."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(60)
            wait_for_group(process.pid)

    def await_state(self, check, seconds=60):
        """The service works on its own time."""
        end = time.monotonic() + seconds
        while True:
            try:
                return check()
            except AssertionError:
                if time.monotonic() > end:
                    raise
                time.sleep(1)


class FirstBoot(Node):
    def test_a_node_gets_what_the_cluster_says_and_keeps_it(self):
        self.probe("set", "FOREIGN", "%SystemRoot%")
        self.probe("add", "ROOT", self.c.der)
        self.write("http://proxy.example.test:3128", [self.a, self.b])
        self.assertEqual(self.json("plan", "C:\\egress\\worker.json", "--service", "containerd", exits=(4,))["writes"], 8)
        report = self.json("first-boot", "C:\\egress\\worker.json", "--service", "containerd")
        self.assertTrue(report["rebootRequired"])
        self.expect("http://proxy.example.test:3128", [self.a, self.b], [self.c])
        self.assertTrue((self.work / "wine/drive_c/Program Files/Provisioner/provisioner.exe").exists())
        self.assertEqual(self.json("apply", "C:\\egress\\worker.json", "--service", "containerd")["writes"], 0)

        # Changed proxy; one CA of two is replaced. After the reboot the service has seen to it.
        self.write("http://other.example.test:8080", [self.b, self.c])
        self.reboot()
        self.await_state(lambda: self.expect("http://other.example.test:8080", [self.b, self.c]))
        self.assertEqual(self.probe("query", "Provisioner").strip(), "running")
        self.await_state(lambda: self.assertFalse(self.json("status")["openTransaction"]))

        # One CA of one; then none: what was there before us stays.
        self.write("http://other.example.test:8080", [self.a])
        self.reboot()
        self.await_state(lambda: self.expect("http://other.example.test:8080", [self.a], [self.c]))
        self.write("http://other.example.test:8080", [])
        self.reboot()
        self.await_state(lambda: self.expect("http://other.example.test:8080", [], [self.c]))

        # A source that is broken, then gone, changes nothing.
        self.source.write_text("{")
        self.reboot()
        self.await_state(lambda: self.assertEqual(self.probe("query", "Provisioner").strip(), "running"))
        self.source.unlink()
        report = self.json("reconcile", "--once", exits=(11,))
        self.assertEqual(report["writes"], 0)
        self.assertIn("source-unavailable", [f["code"] for f in report["findings"]])
        self.expect("http://other.example.test:8080", [], [self.c])

        # Removed proxy.
        self.write(None, [self.a])
        self.reboot()
        self.await_state(lambda: self.expect(None, [self.a], [self.c]))
        self.assertEqual(self.state()["env"]["FOREIGN"], "%SystemRoot%")

        # Everything of ours goes.
        removed = self.program("remove", "--all")
        self.assertIn("deleted  service      Provisioner", removed.stdout)
        self.expect(None, [], [self.c])
        self.assertEqual(self.probe("query", "Provisioner").strip(), "none")
        self.assertFalse((self.work / "wine/drive_c/ProgramData/Provisioner").exists())

    def test_drift_is_repaired_by_the_service_while_it_runs(self):
        self.write("http://proxy.example.test:3128", [self.a])
        self.json("service", "install", "--source", "C:\\egress\\worker.json", "--service", "containerd")
        self.await_state(lambda: self.expect("http://proxy.example.test:3128", [self.a]))

        def drift():
            self.probe("set", "HTTP_PROXY", "http://somebody:1")
            # A round of the service may come first; there is no drift then, and the exit code is 0.
            self.assertEqual([d["name"] for d in self.json("status", exits=(4,))["drift"]], ["HTTP_PROXY"])

        self.await_state(drift)
        self.await_state(lambda: self.expect("http://proxy.example.test:3128", [self.a]), 90)

    def test_status_tells_what_its_operator_asks_for(self):
        self.write("http://proxy.example.test:3128", [self.a])
        self.program("first-boot", "C:\\egress\\worker.json", "--service", "containerd")
        version = self.program("--version").stdout.split()[1]

        def well():
            status = self.json("status")
            service = status["bootService"]
            self.assertEqual((service["running"], service["version"], service["outdated"]), (True, version, False))
            self.assertEqual(status["reasons"], [])
            return status

        status = self.await_state(well)
        self.assertLess(status["source"]["readAgeSeconds"], 120)
        self.assertIn(status["firstExpiry"]["days"], (59, 60))

        self.wine("net", "stop", "Provisioner", check=True)
        self.assertEqual(self.json("status", exits=(4,))["reasons"], ["service"])
        self.program("service", "install")
        self.await_state(well)
        self.program("service", "uninstall")
        self.assertEqual(self.json("status")["reasons"], [])

    def test_doctor_names_what_is_broken_first(self):
        self.write("http://proxy.example.test:3128", [self.a])
        self.program("first-boot", "C:\\egress\\worker.json", "--service", "containerd", "--service", "Provisioner")

        def first():
            found = [(one["code"], one["key"]) for one in self.json("doctor", exits=(0, 4))["problems"] if "key" in one]
            return found[0] if found else None

        # The process of the boot service began before its environment was set.
        self.await_state(lambda: self.assertEqual(first(), ("service-stale", "serviceEnv:provisioner")))
        self.assertEqual(self.json("status", exits=(4,))["reasons"], ["stale"])
        self.wine("net", "stop", "Provisioner", check=True)
        self.assertIsNone(first())
        self.assertIn("boot-service", [one["code"] for one in self.json("doctor", exits=(4,))["problems"]])
        self.probe("set", "HTTP_PROXY", "http://somebody:1")
        self.assertEqual(first(), ("setting-changed", "env:HTTP_PROXY"))
        decided = json.loads(self.program("explain", "--this-machine", "--url", "http://a.example/", "--for", "go", "--output", "json").stdout)
        self.assertEqual(decided["decisions"][0]["proxy"], "http://proxy.example.test:3128", "containerd has its own")

    def test_doctor_names_each_thing_and_what_it_prints_restores_it(self):
        self.write("http://proxy.example.test:3128", [self.a])
        self.program("first-boot", "C:\\egress\\worker.json", "--service", "containerd")

        def first(code=None, key=None):
            problems = self.json("doctor", exits=(0, 4))["problems"]
            self.assertEqual([(one["code"], one.get("key")) for one in problems[:1]], [(code, key)] if code else [])
            return problems[0]["commands"][0].split() if code else []

        self.await_state(first)
        self.wine("net", "stop", "Provisioner", check=True)  # no round restores anything meanwhile
        (root,) = self.state()["certificate"]["ROOT"]
        for key, place in {
                "env:HTTP_PROXY": (r"SYSTEM\CurrentControlSet\Control\Session Manager\Environment", "/v", "HTTP_PROXY"),
                "serviceEnv:containerd": (r"SYSTEM\CurrentControlSet\Services\containerd", "/v", "Environment"),
                f"certificate:ROOT:{root.lower()}": (rf"SOFTWARE\Microsoft\SystemCertificates\ROOT\Certificates\{root}",),
                "winHttp:64": (r"SOFTWARE\Microsoft\Windows\CurrentVersion\Internet Settings\Connections", "/v", "WinHttpSettings")}.items():
            self.wine("reg", "delete", "HKLM\\" + place[0], *place[1:], "/f", check=True)
            self.program(*first("setting-changed", key)[1:])
            self.assertEqual(first("boot-service")[0], "Start-Service")
        self.wine("sc", "delete", "Provisioner", check=True)
        self.program(*first("boot-service")[1:])
        self.await_state(first)
        for harm in (self.source.unlink, lambda: self.source.write_text("{"), lambda: self.source.chmod(0o666)):
            harm()
            self.program("reconcile", "--once", check=False)
            words = first("round-failed")
            self.write("http://proxy.example.test:3128", [self.a])
            self.program(*words[1:])
            self.await_state(first)

    def test_who_watches_into_a_file_sees_a_failure_at_once(self):
        self.write("http://proxy.example.test:3128", [self.a])
        self.program("first-boot", "C:\\egress\\worker.json", "--service", "containerd")
        self.program("service", "uninstall")
        messages = self.work / "wine/drive_c/egress/messages"
        # scripts/wine gives what a program wrote when it has ended.
        watch = subprocess.Popen([WINE, "cmd", "/c", "Z:" + PROGRAM.replace("/", "\\"), "reconcile", "--watch", "--interval", "1",
                                  "2>C:\\egress\\messages"], env=self.env, stdout=subprocess.DEVNULL, start_new_session=True)
        self.addCleanup(self.end, watch)
        self.await_state(lambda: self.assertTrue(messages.exists()))
        self.source.write_text("{")
        self.await_state(lambda: self.assertIn("[source-unavailable]", messages.read_text(errors="replace")))

    def test_a_payload_that_setup_delivers(self):
        self.write("http://user:c4nary@proxy.example.test:3128", [self.a])
        payload = self.work / "wine/drive_c/windows/Setup/Scripts/Provisioner"
        payload.parent.mkdir(parents=True)
        self.program("bake", "C:\\egress\\worker.json", "--out", "C:\\windows\\Setup\\Scripts\\Provisioner", "--service", "containerd",
                     "--exe", "Z:" + PROGRAM)
        self.source.unlink()
        done = self.program("first-boot", "C:\\windows\\Setup\\Scripts\\Provisioner", "--phase", "specialize")
        self.assertNotIn("c4nary", done.stdout + done.stderr)
        self.assertFalse((payload / "egress.json").exists(), "a file with credentials stays behind")
        self.assertTrue((payload / "README.txt").exists())
        state = self.state()
        self.assertEqual(state["env"]["HTTP_PROXY"], "http://user:c4nary@proxy.example.test:3128")
        self.assertEqual(state["winHttp"], "proxy.example.test:3128")
        self.probe("set", "NO_PROXY")
        self.reboot()
        self.await_state(lambda: self.assertIn("NO_PROXY", self.state()["env"]))

    def test_signers_and_the_cluster_of_a_followed_payload(self):
        names = ("first", "second", "stranger")
        for name in names:
            must("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", self.source.parent / f"{name}.key",
                 "-out", self.source.parent / f"{name}.pem", "-subj", f"/CN={name}", "-days", 30)

        def bake(generation, signer, proxy, *words):
            self.write(proxy, [self.a])
            self.program("bake", "C:\\egress\\worker.json", "--out", "C:\\egress\\payload", "--generation", str(generation), "--service", "containerd",
                         "--sign", f"C:\\egress\\{signer}.key", "--signer", f"C:\\egress\\{signer}.pem", *words)

        bake(1, "first", "http://one.example.test:1", "--for", "prod", "--next-signer", "C:\\egress\\second.pem")
        self.program("first-boot", "C:\\egress\\payload", "--signer", "C:\\egress\\first.pem", "--for", "prod")
        self.expect("http://one.example.test:1", [self.a])
        bake(2, "second", "http://two.example.test:2", "--for", "prod")
        self.reboot()
        self.await_state(lambda: self.expect("http://two.example.test:2", [self.a]))
        for generation, signer, cluster, code in ((3, "stranger", "prod", "signature"), (4, "second", "test", "cluster")):
            bake(generation, signer, "http://planted.example.test:3", "--for", cluster)
            report = self.json("reconcile", "--once", exits=(12,))
            self.assertEqual(report["writes"], 0)
            told = [f["message"] for f in report["findings"] if f["code"] == "source-unavailable"]
            self.assertEqual(len(told), 1)
            self.assertIn(code, told[0])
            self.expect("http://two.example.test:2", [self.a])

    def test_a_followed_payload_that_a_user_can_change(self):
        """Wine shows the modes of Unix as rights of Everyone: enough to see that each file is asked for its own."""
        self.write("http://proxy.example.test:3128", [self.a])
        self.program("bake", "C:\\egress\\worker.json", "--out", "C:\\egress\\payload", "--generation", "1", "--service", "containerd")
        self.program("first-boot", "C:\\egress\\payload")
        self.program("service", "uninstall")
        self.expect("http://proxy.example.test:3128", [self.a])
        self.write("http://planted.example.test:1", [self.b])
        self.program("bake", "C:\\egress\\worker.json", "--out", "C:\\egress\\payload", "--generation", "2", "--service", "containerd")
        planted = self.source.parent / "payload/egress.json"
        planted.chmod(0o666)
        report = self.json("reconcile", "--once", exits=(12,))
        self.assertEqual(report["writes"], 0)
        told = [f for f in report["findings"] if f["code"] == "source-unavailable"]
        self.assertEqual(len(told), 1)
        self.assertIn("can be changed by Everyone", told[0]["message"])
        self.expect("http://proxy.example.test:3128", [self.a])
        planted.chmod(0o644)
        self.json("reconcile", "--once")
        self.expect("http://planted.example.test:1", [self.b])


class Registries(Node):
    """hosts.toml files of a containerd that nobody else configures."""
    WORDS = ("C:\\egress\\worker.json", "--service", "containerd", "--registry-folder", "C:\\containerd\\certs.d")
    KEY = "file:c:\\containerd\\certs.d\\quay.io\\"

    def mirror(self, registry, mirror):
        conf = f'[[registry]]\nlocation = "{registry}"\nmirror = [{{location = "{mirror}"}}]\n'
        fresh = self.source.with_suffix(".new")
        fresh.write_text(json.dumps(ignition(variables("http://proxy.example.test:3128"), self.a.pem.read_text(),
                                             mirrors(conf, {"m.example.test": self.b.pem.read_text()}))))
        os.replace(fresh, self.source)

    def configure(self, folder):
        config = self.work / "wine/drive_c/Program Files/containerd/config.toml"
        config.parent.mkdir(exist_ok=True)
        config.write_text(f"version = 2\n[plugins.'io.containerd.grpc.v1.cri'.registry]\nconfig_path = '{folder}'\n")

    def files(self):
        """{path below config_path: text}, and None without the folder."""
        folder = self.work / "wine/drive_c/containerd/certs.d"
        return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()} if folder.is_dir() else None

    def codes(self, report):
        return {one["code"] for one in report["findings"]}

    def test_files_follow_the_cluster_and_go_again(self):
        self.wine("reg", "add", r"HKLM\SYSTEM\CurrentControlSet\Services\containerd", "/v", "ImagePath", "/d", "containerd.exe --run-service", "/f", check=True)
        self.configure("C:\\elsewhere")
        self.mirror("quay.io", "m.example.test/quay")
        report = self.json("first-boot", *self.WORDS)
        self.assertIn("registries-config", self.codes(report))
        self.assertIn("registries-config", [one["code"] for one in self.json("doctor", exits=(4,))["problems"]])
        self.configure("c:/containerd/certs.d")
        wanted = self.files()
        self.assertEqual(set(wanted), {"quay.io/hosts.toml", "quay.io/m.example.test.pem", "m.example.test/ca.crt"})
        self.assertIn('[host."https://m.example.test/v2/quay"]', wanted["quay.io/hosts.toml"])
        self.assertEqual(wanted["quay.io/m.example.test.pem"].count("BEGIN CERTIFICATE"), 2, "the registry's CA, and what the node trusts")
        again = self.json("apply", *self.WORDS)
        self.assertEqual((again["writes"], self.codes(again) & {"registries-config"}), (0, set()))
        asked = json.loads(self.program("explain", "--this-machine", "--image", "quay.io/org/app:v1", "--output", "json").stdout)
        self.assertEqual([one["url"] for one in asked["images"][0]["endpoints"]], ["https://m.example.test/v2/quay", "https://quay.io/v2"])

        # A change by hand is drift, and the next round sees to it.
        self.wine("net", "stop", "Provisioner", check=True)
        folder = self.work / "wine/drive_c/containerd/certs.d"
        (folder / "quay.io/hosts.toml").write_text("[host]\n")
        (folder / "quay.io/m.example.test.pem").unlink()
        drift = {one["key"]: one["missing"] for one in self.json("status", exits=(4,))["drift"]}
        self.assertEqual(drift, {self.KEY + "hosts.toml": False, self.KEY + "m.example.test.pem": True})
        self.assertEqual({one["key"] for one in self.json("doctor", exits=(4,))["problems"] if one["code"] == "setting-changed"}, set(drift))
        self.json("reconcile", "--once")
        self.assertEqual(self.files(), wanted)

        # Another registry, which takes the place of the first.
        self.mirror("docker.io", "m.example.test/hub")
        self.json("reconcile", "--once")
        self.assertEqual(set(self.files()), {"docker.io/hosts.toml", "docker.io/m.example.test.pem", "m.example.test/ca.crt"})
        self.assertFalse((folder / "quay.io").exists(), "an empty folder of ours stays")

        # A folder that others use now stays, with what is theirs.
        (folder / "theirs.example").mkdir()
        (folder / "theirs.example/hosts.toml").write_text("[host]\n")
        self.program("remove", "--all")
        self.assertEqual(self.files(), {"theirs.example/hosts.toml": "[host]\n"})
        shutil.rmtree(folder)
        folder.parent.rmdir()
        self.json("apply", *self.WORDS)
        self.assertEqual(len(self.files()), 3)
        self.program("remove", "--all")
        self.assertFalse(folder.parent.exists(), "all of its folders were ours")
        self.assertIn("containerd", self.state()["serviceEnv"])


class Trust(Node):
    def origin(self):
        """The URL of a server that A signed, and a proxy that leads there."""
        server = mcs.Server(*self.a.sign(HOST, "serverAuth", f"DNS:{HOST}"))
        self.addCleanup(server.close)
        url = f"https://{HOST}:{server.port}/"
        server.documents["/"] = server.documents[url] = b"ok"  # through a proxy, Wine's WinHTTP sends the whole URL as the path
        return url, Tunnel()

    def test_tls_through_the_proxy_needs_the_certificate(self):
        url, proxy = self.origin()
        self.assertIn("error", self.probe("get", url, check=False), "there is no proxy yet")
        self.write(f"http://127.0.0.1:{proxy.port}", [self.a])
        self.program("apply", "C:\\egress\\worker.json", "--scope", "winhttp")
        before = self.probe("get", url, check=False).strip()
        self.assertTrue(before.startswith("error 12"), before)
        self.assertIn(f"CONNECT {url.split('/')[2]} HTTP/1.1", [head.split("\r\n")[0] for head in proxy.heads], "the request took another way")
        self.program("apply", "C:\\egress\\worker.json")
        self.assertEqual(self.probe("get", url, check=False).strip(), "status 200")
        self.write(f"http://127.0.0.1:{proxy.port}", [self.b])
        self.program("apply", "C:\\egress\\worker.json")
        self.assertTrue(self.probe("get", url, check=False).startswith("error 12"), "the certificate was taken away")

    def test_a_trial_with_a_probe(self):
        url, proxy = self.origin()
        self.write(f"http://127.0.0.1:{proxy.port}", [self.b])  # not the server's
        failed = self.program("apply", "C:\\egress\\worker.json", "--try", "60", "--probe", url, "--output", "json", check=False)
        self.assertEqual(failed.returncode, 14, failed.stdout + failed.stderr)
        self.assertEqual(json.loads(failed.stdout)["error"]["code"], "tls")
        self.expect(None, [])
        self.write(f"http://127.0.0.1:{proxy.port}", [self.a])
        # It waits for the lock: a question below may hold it. Its time is long enough for a busy machine, and ends with `confirm`.
        trial = subprocess.Popen([WINE, PROGRAM, "apply", "C:\\egress\\worker.json", "--try", "600", "--probe", url, "--service",
                                  "containerd", "--wait-lock", "120"], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True, start_new_session=True)
        self.addCleanup(self.end, trial)

        def confirm():
            ended = trial.poll() is not None
            done = self.program("confirm", check=False)
            if ended and done.returncode:
                raise RuntimeError(f"the trial ended with {trial.returncode}: {trial.communicate()[0]}\n{done.stderr}")
            self.assertEqual(done.returncode, 0, done.stderr)

        self.await_state(confirm, 300)
        out, _ = trial.communicate(timeout=300)
        self.assertEqual(trial.returncode, 0, out)
        self.expect(f"http://127.0.0.1:{proxy.port}", [self.a])


class Image(Node):
    """An image that was customised without being booted, and then boots: its registry comes in as an export."""

    def make_image(self):
        root = self.work / "image"
        for made in ("ProgramData", "Program Files"):
            (root / made).mkdir(parents=True)
        self.write(None, [])  # hives with nothing in them
        self.program("bake", "C:\\egress\\worker.json", "--out", "Z:" + str(self.work / "bare"), "--scope", "winhttp",
                     "--allow-empty")
        windows_image.put_hives(root, self.work / "bare/registry")
        foreign = "hex(7):" + ",".join("%02x" % byte for byte in "FOREIGN=1\0\0".encode("utf-16-le"))
        windows_image.merge(root / windows_image.CONFIG / "SYSTEM", windows_image.control_set("ControlSet001", (), ['"Environment"=' + foreign]))
        windows_image.merge(root / windows_image.CONFIG / "SOFTWARE", windows_image.software())
        return root

    def bring_in(self, root):
        """What a machine has that was made of the image: the keys that we look at, our state and our program."""
        for name, prefix, keys in (
                ("SYSTEM", "HKEY_LOCAL_MACHINE\\SYSTEM", ("ControlSet001\\Control\\Session Manager\\Environment", "ControlSet001\\Services\\containerd",
                                                        "ControlSet001\\Services\\EventLog\\Application\\Provisioner")),
                ("SOFTWARE", "HKEY_LOCAL_MACHINE\\SOFTWARE", ("Microsoft\\SystemCertificates\\ROOT\\Certificates", "Microsoft\\Windows",
                                                            "WOW6432Node\\Microsoft\\Windows"))):
            for key in keys:
                done = must("hivexregedit", "--export", "--prefix", prefix, root / windows_image.CONFIG / name, "\\" + key)
                text = done.replace("\\ControlSet001\\", "\\CurrentControlSet\\").replace("\n", "\r\n")
                (self.work / "in.reg").write_bytes(b"\xff\xfe" + text.encode("utf-16-le"))
                self.wine("reg", "import", "Z:" + str(self.work / "in.reg"), check=True)
        drive = self.work / "wine/drive_c"
        shutil.copytree(root / "ProgramData/Provisioner", drive / "ProgramData/Provisioner")
        shutil.copytree(root / "Windows/Setup/Scripts", drive / "windows/Setup/Scripts", dirs_exist_ok=True)

    def test_that_boots_has_nothing_left_to_write(self):
        need(self, "hivexregedit")
        root = self.make_image()
        self.write("http://proxy.example.test:3128", [self.a])
        image = "Z:" + str(root)
        applied = self.json("apply", "C:\\egress\\worker.json", "--root", image, "--service", "containerd", "--install", "--exe", "Z:" + PROGRAM)
        self.assertGreater(applied["writes"], 8)
        self.assertEqual(self.json("apply", "C:\\egress\\worker.json", "--root", image, "--service", "containerd", "--install", "--exe",
                                   "Z:" + PROGRAM)["writes"], 0)
        self.source.unlink()
        self.bring_in(root)
        self.expect("http://proxy.example.test:3128", [self.a])
        report = self.json("reconcile", "--once")
        self.assertEqual(report["writes"], 0, report)
        self.assertFalse(report["rebootRequired"])
        status = self.json("status")
        self.assertEqual((status["drift"], status["openTransaction"]), ([], False))
        # The ledger came along: what was there before is known.
        self.program("remove")
        self.expect(None, [])


class Killed(Node):
    """Ended at random moments: the next run ends right."""

    MOMENTS = 50

    def test_at_random_moments(self):
        self.probe("add", "ROOT", self.c.der)
        self.probe("set", "FOREIGN", "x")
        wanted = [("http://one.example.test:1", [self.a]), ("http://two.example.test:2", [self.b]), (None, [])]
        self.write(*wanted[0])
        moments = Moments(lambda: self.program("apply", "C:\\egress\\worker.json", "--service", "containerd"))
        for number in range(self.MOMENTS):
            proxy, authorities = wanted[(number + 1) % 3]
            self.write(proxy, authorities)
            begun = subprocess.Popen([WINE, PROGRAM, "apply", "C:\\egress\\worker.json", "--service", "containerd"], env=self.env,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            moments.end(begun, lambda: os.killpg(begun.pid, signal.SIGKILL))  # scripts/wine and the program
            wait_for_group(begun.pid)
            self.program("apply", "C:\\egress\\worker.json", "--service", "containerd", waits=False)
            state = self.expect(proxy, authorities, [self.c])
            self.assertEqual(state["env"]["FOREIGN"], "x")
            self.assertFalse(self.json("status")["openTransaction"])
        moments.told(self, self.MOMENTS // 5)


if __name__ == "__main__":
    unittest.main(verbosity=2)
