#!/usr/bin/env python3
"""Pulls of images through proxies, registries, token services, storage and mirrors, each broken in each way: what `check --image` and
`explain --image` say, and what containerd does.

usage: pull_e2e.py PROVISIONER [unittest arguments]"""
import base64
import concurrent.futures
import dataclasses
import json
import os
import re
import shutil
import sys
import time
import unittest
import urllib.parse

import pull_servers
from harness import ROOT, argument, end_unrun, folder, missing, must, run
from pull_image import PLATFORMS
from pull_servers import ABSENT, INSPECTING, LOGIN, OPEN, PASSWORD, PROXY, PROXY_PASSWORD, PROXY_USER, SITES, USER, World
from pull_registries_conf import CONFS, REFUSED
from pull_setups import ORDERS, SETUPS
from rendered import ignition, mirrors
from windows_image import put_hives

pull_servers.inside()
PROVISIONER = argument()
PROXIES = {"login": "http://%s:%s@%s:%d" % (PROXY_USER, PROXY_PASSWORD, PROXY, LOGIN), "wrong": "http://%s:n0t@%s:%d" % (PROXY_USER, PROXY, LOGIN),
           "anonymous": "http://%s:%d" % (PROXY, LOGIN), "open": "http://%s:%d" % (PROXY, OPEN), "inspecting": "http://%s:%d" % (PROXY, INSPECTING),
           "absent": "http://%s:%d" % (PROXY, ABSENT), "unknown": "http://nobody.inner.test:%d" % OPEN, "": ""}
WINDOWS = [platform["os.version"] for platform in PLATFORMS if platform["os"] == "windows"]


def host_of(place):
    """Of a URL, or of "host:port"."""
    return urllib.parse.urlsplit(place if "://" in place else "//" + place).hostname


@dataclasses.dataclass
class Pulled:
    """What containerd did."""
    arrives: bool
    log: str


@dataclasses.dataclass
class Checked:
    """What `check --image` said, and what the servers saw."""
    exit: int
    document: dict
    errors: str
    requests: list
    proxied: list


class Pull(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        if lacking := missing("containerd", "ctr", "docker-registry", "skopeo", "squid", "mitmdump", "nginx", "ip", "openssl"):
            end_unrun("missing: " + lacking)
        cls.work = folder(cls)
        cls.work.chmod(0o755)  # squid reads its files as another user
        cls.world = World(cls.work, cls)
        files = {"CA": cls.world.ca, "OTHER": cls.world.other, "INSPECTION": cls.world.inspection}
        cls.prepared = [cls.prepare(number, setup, files) for number, setup in enumerate(SETUPS)]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            cls.pulled = list(pool.map(cls.pull, range(len(SETUPS))))
        cls.source = cls.work / "proxy.env"
        cls.source.write_text("HTTP_PROXY=http://proxy.test:1\nHTTPS_PROXY=http://proxy.test:1\n")
        cls.rules = (ROOT / "provisioner/docs/registries.md").read_text()
        requests, proxied = cls.world.seen()
        cls.asked_by_containerd = {request["host"] for request in requests} | {host_of(one) for one in proxied}
        began = time.monotonic()
        cls.checked = [cls.check(number) for number in range(len(SETUPS))]
        if os.environ.get("PULL_E2E_TABLE"):
            print("the checks took %.1f s" % (time.monotonic() - began), file=sys.stderr)

    @classmethod
    def prepare(cls, number, setup, files):
        """The folder with what both get."""
        place = cls.work / ("setup%03d" % number)
        (place / "hosts.d").mkdir(parents=True)
        if setup.hosts:
            text = re.sub('"(CA|OTHER|INSPECTION)"', lambda found: json.dumps(str(files[found[1]])), setup.hosts)
            (place / "hosts.d" / (setup.folder or setup.registry)).mkdir()
            (place / "hosts.d" / (setup.folder or setup.registry) / "hosts.toml").write_text(text)
        login = {"right": PASSWORD, "wrong": "wr0ng"}.get(setup.user)
        auths = {setup.registry: {"auth": base64.b64encode(("%s:%s" % (USER, login)).encode()).decode()}} if login else {}
        (place / "pull-secret.json").write_text(json.dumps({"auths": auths}))
        proxy = PROXIES[setup.proxy]
        variables = "HTTP_PROXY=%s\nHTTPS_PROXY=%s\nNO_PROXY=%s\n" % (proxy, proxy, setup.no_proxy) if proxy else "# no proxy\n"
        (place / "source.json").write_text(json.dumps(ignition(variables, "".join(files[name].read_text() for name in setup.bundle.split()))))
        (place / "bundle.pem").write_text("".join(files[name].read_text() for name in setup.bundle.split()))
        return place

    @classmethod
    def reference(cls, setup):
        found = "@" + cls.world.image.digest if setup.object == "@" else setup.object
        return "%s/%s%s" % (setup.registry, setup.repository, found)

    @classmethod
    def pull(cls, number):
        """containerd's client makes the requests: its variables and roots count, not the service's."""
        setup, place = SETUPS[number], cls.prepared[number]
        environment = {"PATH": os.environ["PATH"], "SSL_CERT_FILE": str(place / "bundle.pem"), "SSL_CERT_DIR": "/nowhere"}
        if proxy := PROXIES[setup.proxy]:
            environment.update(HTTP_PROXY=proxy, HTTPS_PROXY=proxy, NO_PROXY=setup.no_proxy)
        login = {"right": ["--user", "%s:%s" % (USER, PASSWORD)], "wrong": ["--user", USER + ":wr0ng"], "": []}[setup.user]
        ctr = ["ctr", "--debug", "--address", cls.world.socket, "--namespace", "setup%d" % number, "content"]
        done = run(*ctr, "fetch", "--platform", "windows/amd64", "--hosts-dir", place / "hosts.d", *login, cls.reference(setup), env=environment, timeout=120)
        # It takes a page of HTML for an image without layers; a pull fails when it unpacks that.
        there = set(must(*ctr, "ls", "-q", timeout=120).split()) if done.returncode == 0 else set()
        layout = cls.world.images.get(setup.repository)
        wanted = {digest for build in WINDOWS if layout and build in layout.layers for digest in [layout.digest, layout.manifests[build], *layout.layers[build]]}
        return Pulled(bool(wanted) and wanted <= there, done.stderr)

    @classmethod
    def check(cls, number):
        """What this program says, and what the servers saw of it."""
        setup, place = SETUPS[number], cls.prepared[number]
        done = run(PROVISIONER, "check", place / "source.json", "--image", cls.reference(setup), "--registries", place / "hosts.d", "--pull-secret",
                   place / "pull-secret.json", "--output", "json", timeout=120)
        requests, proxied = cls.world.seen()
        return Checked(done.returncode, json.loads(done.stdout) if done.stdout.startswith("{") else {}, done.stderr, requests, proxied)

    def test_check_says_what_containerd_does(self):
        wrong = []
        for setup, pulled, checked in zip(SETUPS, self.pulled, self.checked):
            (image,) = checked.document.get("images", [{}])
            if os.environ.get("PULL_E2E_TABLE"):
                print("%-8s %s: %s" % ("arrives" if image.get("arrives") else "FAILED", setup.name, image.get("error", checked.errors)), file=sys.stderr)
            if setup.rule:
                self.assertIn(setup.rule, self.rules)
            if (image.get("arrives", False) != pulled.arrives) != bool(setup.rule):
                wrong.append("%s: check says %s: %s; containerd: %s" % (setup.name, image.get("arrives"), image.get("error", checked.errors), pulled.arrives))
            # A hosts.toml that containerd refuses is an error of the settings.
            refused = any(finding["severity"] == "error" for finding in checked.document.get("findings", []))
            if image and checked.exit not in ((11,) if refused else (0,) if image["arrives"] else (4, 14)):
                wrong.append("%s: exit code %d" % (setup.name, checked.exit))
        self.assertEqual("\n".join(wrong), "")

    def test_containerd_does_what_the_table_says(self):
        wrong = []
        for setup, pulled in zip(SETUPS, self.pulled):
            last = (pulled.log.strip().splitlines() or [""])[-1][:300]
            if os.environ.get("PULL_E2E_TABLE"):
                print("%-8s %s: %s" % ("arrives" if pulled.arrives else "FAILED", setup.name, last), file=sys.stderr)
            if pulled.arrives != setup.arrives:
                wrong.append("%s: by containerd %s: %s" % (setup.name, "it arrives" if pulled.arrives else "it does not arrive", last))
        self.assertEqual("\n".join(wrong), "")

    def test_the_set_ups_are_many_and_differ(self):
        self.assertEqual(len({setup.name for setup in SETUPS}), len(SETUPS))
        self.assertGreaterEqual(min(sum(setup.arrives is arrives for setup in SETUPS) for arrives in (True, False)), 40)

    def test_a_build_gets_its_own_manifest(self):
        place = self.prepared[0]
        for build, name in ("10.0.17763", WINDOWS[0]), ("10.0.20348", WINDOWS[1]):
            done = run(PROVISIONER, "check", place / "source.json", "--image", self.reference(SETUPS[0]), "--registries", place / "hosts.d", "--pull-secret",
                       place / "pull-secret.json", "--os-version", build, "--output", "json", timeout=120)
            (image,) = json.loads(done.stdout)["images"]
            self.assertTrue(image["arrives"], image)
            self.assertEqual([one["url"].rpartition("/")[2] for one in image["requests"] if one["purpose"] == "manifest" and one["ok"]],
                             [self.world.image.manifests[name]])

    # ---- what is sent where

    def test_only_the_hosts_that_are_listed_are_asked(self):
        listed, before, wrong = set(), set(), []
        for setup, checked in zip(SETUPS, self.checked):
            hosts = {one["host"] for one in checked.document.get("hosts", [])}
            # squid writes a line once a tunnel has ended, which may be after the program has.
            unlisted = ({request["host"] for request in checked.requests} - hosts) | ({host_of(one) for one in checked.proxied} - hosts - before)
            listed |= hosts
            before = hosts
            if unlisted:
                wrong.append("%s: %s" % (setup.name, sorted(unlisted)))
        self.assertEqual("\n".join(wrong), "")
        works = next(checked for setup, checked in zip(SETUPS, self.checked) if setup.name == "all works")
        everything = {"registry.outer.test": ["ping", "index", "manifest", "config", "layer"], "tokens.outer.test": ["token"],
                      "storage.outer.test": ["config", "layer"]}
        self.assertEqual({one["host"]: one["purposes"] for one in works.document["hosts"]}, everything)
        self.assertEqual({one["port"] for one in works.document["hosts"]}, {443})
        # The first two set-ups ask the same hosts, so a line that comes late is among those of the second.
        self.assertEqual({host_of(one) for checked in self.checked[:2] for one in checked.proxied}, set(everything))
        # Whoever allows the listed hosts allows all that containerd asks for.
        self.assertEqual(self.asked_by_containerd - listed, set())

    def test_a_login_stays_with_the_registry_and_its_token_service(self):
        seen, wrong = set(), []
        for setup, checked in zip(SETUPS, self.checked):
            led = {host_of(request["redirectedTo"]) for image in checked.document.get("images", []) for request in image["requests"] if "redirectedTo" in request}
            for request in checked.requests:
                if request["authorization"] == "yes":
                    seen.add(request["host"])
                    if request["host"] in led or SITES[request["host"]].kind in ("storage", "/layers", "layers"):
                        wrong.append("%s: %s" % (setup.name, request))
        self.assertEqual(wrong, [])
        self.assertGreaterEqual(seen, {"registry.outer.test", "registry.inner.test", "tokens.outer.test", "basic.outer.test", "basic-mirror.inner.test"})

    def test_no_login_is_shown(self):
        for checked in self.checked:
            for secret in (PASSWORD, base64.b64encode(("%s:%s" % (USER, PASSWORD)).encode()).decode(), PROXY_PASSWORD, *self.world.tokens.values()):
                self.assertNotIn(secret, json.dumps(checked.document) + checked.errors)

    # ---- the order of endpoints

    def explain(self, reference, registries, platform):
        """The endpoints as (URL, capabilities), and what is said of the image."""
        done = run(PROVISIONER, "explain", self.source, "--image", reference, "--registries", registries, "--platform", platform, "--output", "json")
        if done.returncode != 0:
            return [], done.stderr
        (image,) = json.loads(done.stdout)["images"]
        return [(one["url"], one["capabilities"]) for one in image["endpoints"]], image.get("note", "")

    def roots_asked_by_containerd(self, reference, place):
        """The roots of the URLs that it asks while every connection is refused."""
        proxy = "http://10.99.1.3:1"
        done = run("ctr", "--debug", "--address", self.world.socket, "--namespace", "order", "content", "fetch", "--hosts-dir", place, reference, timeout=120,
                   env={"PATH": os.environ["PATH"], "HTTP_PROXY": proxy, "HTTPS_PROXY": proxy})
        self.assertNotEqual(done.returncode, 0, reference)
        return re.findall(r'msg="do request".* url="?(\S*?)/manifests/', done.stderr)

    def order(self, number):
        order = ORDERS[number]
        place = self.work / ("order%03d" % number)
        for name, text in order.files.items():
            (place / name).mkdir(parents=True)
            (place / name / "hosts.toml").write_text(text)
        place.mkdir(exist_ok=True)
        real = self.roots_asked_by_containerd(order.reference, place)
        repository = order.reference.split("/", 1)[1].split("@")[0].split(":")[0]
        wanted = ["pull"] if "@" in order.reference else ["pull", "resolve"]
        told, note = self.explain(order.reference, place, "linux/amd64")
        ours = ["%s/%s" % (url, repository) for url, capabilities in told if set(wanted) <= set(capabilities)]
        if order.rule:
            self.assertIn(order.rule, self.rules)
        return [] if (real == ours) != bool(order.rule) else ["%s: containerd asks %s, explain says %s %s" % (order.name, real, ours, note)]

    def test_the_order_of_endpoints(self):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            wrong = sum(pool.map(self.order, range(len(ORDERS))), [])
        self.assertEqual("\n".join(wrong), "")

    # ---- hosts.toml files that this program writes

    def written(self, conf, cas):
        """The folder of hosts.toml files of an image that got these settings."""
        place = self.work / "written"
        shutil.rmtree(place, ignore_errors=True)
        (place / "root").mkdir(parents=True)
        must(PROVISIONER, "bake", self.source, "--out", place / "baked", "--scope", "machine,winhttp")
        put_hives(place / "root", place / "baked/registry")
        config = ignition("HTTP_PROXY=http://proxy.test:1\nHTTPS_PROXY=http://proxy.test:1\n", more=mirrors(conf, cas))
        (place / "source.json").write_text(json.dumps(config))
        must(PROVISIONER, "apply", place / "source.json", "--root", place / "root", "--registry-folder", "C:\\containerd\\certs.d")
        return place / "root/containerd/certs.d"

    def test_containerd_reads_the_files_that_are_written(self):
        conf = """
[[registry]]
location = "mirrored.test:5000"
mirror = [{location = "mirror.inner.test"}, {location = "two.test:5001/all", insecure = true}, {location = "three.test", pull-from-mirror = "digest-only"}]
[[registry]]
location = "blocked.test"
blocked = true
[[registry]]
location = "closed.test"
blocked = true
mirror = [{location = "mirror.inner.test"}, {location = "two.test:5001/all"}]
[[registry]]
location = "insecure.test"
insecure = true
"""
        place = self.written(conf, {"mirror.inner.test": self.world.ca.read_text()})
        two = ["https://two.test:5001/v2/all/team/app", "http://two.test:5001/v2/all/team/app"]
        for reference, roots in {
                "mirrored.test:5000/team/app:v1": ["https://mirror.inner.test/v2/team/app", *two, "https://mirrored.test:5000/v2/team/app"],
                "mirrored.test:5000/team/app@" + self.world.image.digest: ["https://mirror.inner.test/v2/team/app", *two, "https://three.test/v2/team/app",
                                                                           "https://mirrored.test:5000/v2/team/app"],
                "blocked.test/team/app:v1": [],
                "closed.test/team/app:v1": ["https://mirror.inner.test/v2/team/app", "https://two.test:5001/v2/all/team/app"],
                "insecure.test/team/app:v1": ["https://insecure.test/v2/team/app", "http://insecure.test/v2/team/app"]}.items():
            self.assertEqual(self.roots_asked_by_containerd(reference, place), roots, reference)
        # No root of the machine counts here: what arrives does so by the CA that was written beside hosts.toml.
        for ca, arrives in ((self.world.ca, True), (self.world.other, False)):
            place = self.written(conf, {"mirror.inner.test": ca.read_text()})
            done = run("ctr", "--address", self.world.socket, "--namespace", "written%d" % arrives, "content", "fetch", "--platform", "windows/amd64",
                       "--hosts-dir", place, "mirrored.test:5000/team/app:v1", timeout=120,
                       env={"PATH": os.environ["PATH"], "SSL_CERT_FILE": "/nowhere", "SSL_CERT_DIR": "/nowhere"})
            self.assertEqual(done.returncode == 0, arrives, done.stderr)

    def linux(self, case):
        number, name, text, reference = case
        place = self.work / ("registries%03d.conf" % number)
        place.write_text(text)
        log = run("skopeo", "--debug", "--registries-conf", place, "inspect", "docker://" + reference, timeout=120).stderr
        tried = re.findall(r'Trying to access \\"([^"\\]*)', log)
        # It says so before it looks whether the place is blocked.
        blocked = set(re.findall(r'Accessing \\"([^"\\]*)\\" failed: registry \S+ is blocked', log))
        real = [one.split("/")[0] for one in tried if one not in blocked]
        told, note = self.explain(reference, place, "linux/amd64")
        ours = [url.split("/")[2] for url, _ in told]
        return [] if [{"docker.io": "registry-1.docker.io"}.get(one, one) for one in real] == ours else [
            "%s, %s: skopeo asks %s, explain says %s %s" % (name, reference, real, ours, note)]

    def test_registries_conf_as_skopeo_reads_it(self):
        cases = [(name, text, reference) for name, text, references in CONFS for reference in references] + REFUSED
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            wrong = sum(pool.map(self.linux, [(number, *case) for number, case in enumerate(cases)]), [])
        self.assertEqual("\n".join(wrong), "")
        self.assertGreaterEqual(len(cases), 40)


if __name__ == "__main__":
    unittest.main()
