#!/usr/bin/env python3
"""Egress routers with the programs that are in them: squid decides as `router explain` says, nftables and iptables lead flows through a
real macvlan as it says, haproxy takes and runs its configuration, kubectl takes the objects.

usage: router_e2e.py PROVISIONER [unittest arguments]"""
import concurrent.futures
import json
import os
import pathlib
import random
import socket
import subprocess
import sys
import time
import unittest

import router_servers
from harness import PATH, folder, missing, must, need

os.environ["PATH"] = PATH
DECISIONS = 2000  # at least

ADDRESSES = {  # of names; the others do not exist
    "a.test": ["203.0.113.5"], "www.a.test": ["203.0.113.6"], "b.a.test": ["198.51.100.7"], "c.test": ["10.1.2.3"],
    "multi.test": ["192.0.2.1", "203.0.113.9"], "six.test": ["fd00::7"], "both.test": ["192.0.2.9", "fd00::9"],
    "bad.test": ["198.51.100.66"], "x.bad.test": ["203.0.113.66"], "private.test": ["10.9.9.9"],
}
NAMES = {  # of addresses; the others have none
    "203.0.113.5": "a.test", "203.0.113.6": "www.a.test", "198.51.100.66": "x.bad.test", "10.1.2.3": "other.test", "fd00::7": "six.test",
}
RULES = ["a.test", "*.a.test", "c.test", "*.test", "bad.test", "*.bad.test", "WWW.a.test", "nowhere.test", "*.nowhere.test", "six.test",
         "203.0.113.0/24", "203.0.113.5", "198.51.100.0/25", "10.0.0.0/8", "10.1.2.3/32", "192.0.2.0/28", "fd00::/16", "fd00::7",
         "0.0.0.0/0", "128.0.0.0/1", "0.0.0.0/1", "none", "*.none", "other.test", "203.0.113.66", "192.0.2.77/24", "multi.test", "2001:db8::/32"]
HOSTS = [*ADDRESSES, "nowhere.test", "deep.www.a.test", "A.TEST", "a.test.", "nota.test", "other.test", "203.0.113.5", "203.0.113.6", "203.0.113.77",
         "198.51.100.66", "198.51.100.200", "10.1.2.3", "10.200.0.1", "192.0.2.77", "203.0.28933", "0xcb.0.113.5", "8.8.8.8", "200.1.1.1"]


def provisioner(*words):
    return must(PROVISIONER, "router", *words)


def decisions(*words):
    return json.loads(provisioner("explain", *words, "--output", "json"))["decisions"]


def wait_for_port(port, process, seconds=120):
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        except OSError:
            time.sleep(0.05)
    return False


class Squid:
    """The rendered squid.conf; only what keeps it to this folder and these namespaces is put in front."""

    def __init__(self, folder, conf):
        self.conf = folder / "squid.conf"
        self.conf.write_text("pid_filename none\npinger_enable off\ncoredump_dir %s\nhosts_file none\ndns_nameservers 127.0.0.1\n"
                             "dns_timeout 60 seconds\ndns_retransmit_interval 1 second\nvisible_hostname squid.test\ncache_mem 4 MB\n%s" % (folder, conf))
        self.process = subprocess.Popen(["squid", "-N", "-f", str(self.conf)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if not wait_for_port(8080, self.process):
            raise RuntimeError("squid did not start: %s\n%s" % (conf, self.process.stdout.read().decode()))

    def allows(self, destination):
        host_port, connect = destination
        request = "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n" if connect else "GET http://%s/ HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
        with socket.create_connection(("127.0.0.1", 8080), 30) as proxy:
            proxy.settimeout(30)
            proxy.sendall((request % (host_port, host_port)).encode())
            head = b""
            while b"\r\n\r\n" not in head:
                piece = proxy.recv(4096)
                if not piece:
                    break
                head += piece
        assert head.startswith(b"HTTP/"), (destination, head)
        return not (b" 403 " in head.splitlines()[0] and b"ERR_ACCESS_DENIED" in head)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Decisions(unittest.TestCase):
    def policies(self):
        numbers = random.Random(20260723)
        yield "!*.bad.test\n*.test\n203.0.113.0/24\n"
        yield "!203.0.113.0/24\n*\n"
        yield "none\n"
        yield "!*.113.5\n*\n"
        for _ in range(60):
            lines = [("!" if numbers.random() < 0.4 else "") + rule for rule in numbers.sample(RULES, numbers.randint(1, 8))]
            yield "\n".join(lines + ["*"] * (numbers.random() < 0.4)) + "\n"

    def explained(self, text, destinations, known):
        answers = []
        if known:
            for name in {host.lower().rstrip(".") for host in HOSTS}:
                if not name.replace(".", "").replace("x", "").isalnum() or name[0].isalpha():
                    answers += ["--resolve", "%s=%s" % (name, ",".join(ADDRESSES.get(name, [])))]
            for ip in {"203.0.113.5", "203.0.113.6", "203.0.113.77", "198.51.100.66", "198.51.100.200", "10.1.2.3", "10.200.0.1", "192.0.2.77",
                       "8.8.8.8", "200.1.1.1", "fd00::7", "fd00::8", "2001:db8::1"}:
                answers += ["--resolve", "%s=%s" % (ip, NAMES.get(ip, ""))]
        (self.folder / "policy.txt").write_text(text)
        (self.folder / "hosts.txt").write_text("".join(host + "\n" for host, _ in destinations))
        told = decisions("--kind", "http-proxy", "--destination", self.folder / "policy.txt", "--hosts", self.folder / "hosts.txt", *answers)
        return [decision["decision"] for decision in told]

    def test_squid_decides_as_explained(self):
        need(self, "squid", "ip")
        self.folder = folder(self)
        self.folder.chmod(0o755)
        router_servers.all_addresses_are_ours()
        dns = router_servers.Dns(ADDRESSES, NAMES)
        self.addCleanup(dns.server_close)
        self.addCleanup(dns.shutdown)
        destinations = [(host, False) for host in HOSTS] + [(host + ":443", True) for host in HOSTS]
        destinations += [(host, False) for host in ("[fd00::7]", "[fd00::8]:8080", "[2001:db8::1]", "[::ffff:203.0.113.5]")]
        count, differences, undecided = 0, [], 0
        for text in self.policies():
            (self.folder / "list").write_text(text)
            conf = provisioner("render", "--kind", "http-proxy", "--destination", self.folder / "list", "--format", "squid-conf")
            squid = Squid(self.folder, conf)
            try:
                with concurrent.futures.ThreadPoolExecutor(16) as pool:
                    real = list(pool.map(squid.allows, destinations))
            finally:
                squid.stop()
            told = self.explained(text, destinations, True)
            guessed = self.explained(text, destinations, False)
            for destination, allowed, told_one, guess in zip(destinations, real, told, guessed):
                count += 1
                wanted = "allow" if allowed else "deny"
                undecided += guess == "depends"
                if told_one != wanted or guess not in (wanted, "depends"):
                    differences.append("%r %s: squid says %s, explain %s, without DNS %s" % (text, destination, wanted, told_one, guess))
        print("%d decisions compared with squid, %d differ; %d depend on DNS where it is not known" % (count, len(differences), undecided), flush=True)
        self.assertEqual(differences[:20], [])
        self.assertGreaterEqual(count, DECISIONS)
        self.assertGreater(undecided, 100)


LIST = "80 tcp 203.0.113.25\n8080 tcp 203.0.113.26 80\n8443 tcp 203.0.113.26 443\n53 udp 203.0.113.27 5353\n203.0.113.27\n"
SERVED = ["tcp/203.0.113.25/80", "tcp/203.0.113.26/80", "tcp/203.0.113.26/443", "udp/203.0.113.27/5353", "tcp/203.0.113.27/9999", "udp/203.0.113.27/80"]
ASKED = ["tcp/80", "tcp/8080", "tcp/8443", "udp/53", "tcp/9999", "udp/80"]
SOURCE, GATEWAY, ROUTER = "10.42.253.46", "10.42.253.1", "10.128.0.2"
CR = """apiVersion: network.operator.openshift.io/v1
kind: EgressRouter
metadata: {name: er}
spec:
  addresses: [{ip: 10.42.253.46/24, gateway: 10.42.253.1}]
  redirect:
    redirectRules:
    - {destinationIP: 203.0.113.25, port: 80, protocol: TCP}
    - {destinationIP: 203.0.113.26, port: 8080, protocol: TCP, targetPort: 80}
    - {destinationIP: 203.0.113.27, port: 53, protocol: UDP, targetPort: 5353}
"""


class Flows(unittest.TestCase):
    """Outside with its gateway and servers; a node with a link to it; the router's pod with a macvlan on that link; a client."""

    @classmethod
    def setUpClass(cls):
        if missing("ip", "nft", "iptables-restore"):
            return
        pathlib.Path("/run/netns").mkdir(exist_ok=True)
        must("mount", "-t", "tmpfs", "none", "/run/netns")  # of our mount namespace
        cls.folder = folder(cls)
        for name in ("outside", "node", "client"):
            must("ip", "netns", "add", name)
            must("ip", "-n", name, "link", "set", "lo", "up")
        must("ip", "link", "add", "uplink", "netns", "node", "type", "veth", "peer", "name", "port", "netns", "outside")
        must("ip", "-n", "node", "link", "set", "uplink", "up")
        must("ip", "-n", "outside", "link", "set", "port", "up")
        must("ip", "-n", "outside", "addr", "add", GATEWAY + "/24", "dev", "port")
        for last in (25, 26, 27):
            must("ip", "-n", "outside", "addr", "add", "203.0.113.%d/32" % last, "dev", "lo")
        cls.server = subprocess.Popen(["ip", "netns", "exec", "outside", sys.executable, router_servers.__file__, "serve", *SERVED], stdout=subprocess.PIPE)
        cls.addClassCleanup(cls.stop, cls.server)
        assert cls.server.stdout.readline() == b"ready\n"

    @staticmethod
    def stop(process):
        process.kill()
        process.wait()
        process.stdout.close()

    def setUp(self):
        need(self, "ip", "nft", "iptables-restore")

    def make_router(self, interface):
        """A fresh pod, as the init container leaves its network before the rules."""
        must("ip", "netns", "add", "router")
        self.addCleanup(must, "ip", "netns", "del", "router")
        must("ip", "-n", "node", "link", "add", "m0", "link", "uplink", "type", "macvlan", "mode", "private")
        must("ip", "-n", "node", "link", "set", "m0", "netns", "router", "name", interface)
        # The kernel takes a namespace's devices down some time after its end: the client would still have its eth0.
        self.addCleanup(must, "ip", "-n", "router", "link", "del", interface)
        must("ip", "link", "add", "eth0", "netns", "router", "type", "veth", "peer", "name", "eth0", "netns", "client")
        self.addCleanup(must, "ip", "-n", "router", "link", "del", "eth0")
        for name, device, address in (("router", "eth0", ROUTER + "/24"), ("router", interface, SOURCE + "/24"), ("client", "eth0", "10.128.0.9/24")):
            must("ip", "-n", name, "addr", "add", address, "dev", device)
            must("ip", "-n", name, "link", "set", device, "up")
        must("ip", "-n", "router", "route", "add", "default", "via", GATEWAY, "dev", interface)
        must("ip", "netns", "exec", "router", "sysctl", "-qw", "net.ipv4.ip_forward=1")

    def answers(self, asked):
        questions = ["%s/%s/%s" % (one.split("/")[0], ROUTER, one.split("/")[1]) for one in asked]
        return must("ip", "netns", "exec", "client", sys.executable, router_servers.__file__, "ask", *questions).splitlines()

    def explained(self, policy, asked):
        words = ["%s/%s" % tuple(reversed(one.split("/"))) for one in asked]
        return decisions("--policy", policy, "--source", SOURCE + "/24", "--gateway", GATEWAY, *words)

    def compare(self, policy, asked, load):
        for _ in range(2):  # a pod that starts again loads the rules again
            load()
        told = self.explained(policy, asked)
        for one, decision, answer in zip(asked, told, self.answers(asked), strict=True):
            if decision["decision"] == "none":
                self.assertEqual(answer, "", one)
                continue
            address, port = decision["to"].rsplit(":", 1)
            self.assertEqual(answer, "%s/%s/%s %s" % (one.split("/")[0], address, port, decision["source"]), one)
        return told

    def render(self, form, policy):
        return provisioner("render", "--policy", policy, "--source", SOURCE + "/24", "--gateway", GATEWAY, "--format", form)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def test_nftables(self):
        self.make_router("macvlan0")
        policy = self.write("list", LIST)
        rules = self.render("nft-file", policy)
        told = self.compare(policy, ASKED, lambda: must("ip", "netns", "exec", "router", "nft", "-f", "-", input=rules))
        self.assertEqual({decision["decision"] for decision in told}, {"forward"})
        listed = must("ip", "netns", "exec", "router", "nft", "list", "ruleset")
        self.assertEqual(listed.count("dnat to"), 5, listed)

    def test_iptables(self):
        self.make_router("macvlan0")
        policy = self.write("list", LIST)
        rules = self.render("iptables-file", policy)

        def load():
            must("ip", "netns", "exec", "router", "iptables", "-t", "nat", "-F")
            must("ip", "netns", "exec", "router", "iptables-restore", "--noflush", "--table", "nat", input=rules)

        self.compare(policy, ASKED, load)

    def test_rules_of_an_egress_router_object(self):
        self.make_router("net1")
        policy = self.write("er.yaml", CR)
        rules = self.render("nft-file", policy)
        asked = ["tcp/80", "tcp/8080", "udp/53", "tcp/9999"]
        told = self.compare(policy, asked, lambda: must("ip", "netns", "exec", "router", "nft", "-f", "-", input=rules))
        self.assertEqual([decision["decision"] for decision in told], ["forward"] * 3 + ["none"])


class Haproxy(unittest.TestCase):
    def test_haproxy_takes_and_runs_its_configuration(self):
        need(self, "haproxy", "ip")
        place = folder(self)
        router_servers.all_addresses_are_ours()
        dns = router_servers.Dns({"db.test": ["203.0.113.26"], "pool.test": ["203.0.113.25", "203.0.113.26"]}, {})
        self.addCleanup(dns.server_close)
        self.addCleanup(dns.shutdown)
        served = ["tcp/203.0.113.25/7001", "tcp/203.0.113.26/7001", "tcp/203.0.113.26/7002"]
        server = subprocess.Popen([sys.executable, router_servers.__file__, "serve", *served], stdout=subprocess.PIPE)
        self.addCleanup(Flows.stop, server)
        self.assertEqual(server.stdout.readline(), b"ready\n")
        (place / "list").write_text("9001 203.0.113.25 7001\n9002 db.test 7002\n9003 pool.test 7001\n9004 nowhere.test 7001\n")
        conf = place / "haproxy.cfg"
        conf.write_text(provisioner("render", "--kind", "dns-proxy", "--destination", place / "list", "--format", "haproxy", "--a-records", "pool.test=2",
                                    "--nameserver", "127.0.0.1"))
        must("haproxy", "-c", "-f", conf)
        haproxy = subprocess.Popen(["haproxy", "-db", "-f", str(conf)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(lambda: (haproxy.kill(), haproxy.wait(), haproxy.stderr.close()))
        if not wait_for_port(9001, haproxy):
            self.fail("haproxy did not start: " + haproxy.stderr.read().decode())
        told = decisions("--kind", "dns-proxy", "--destination", place / "list", "9001", "9002", "9003", "9004", "9005", "--resolve",
                         "db.test=203.0.113.26", "--resolve", "pool.test=203.0.113.25,203.0.113.26", "--resolve", "nowhere.test=")
        self.assertEqual([one["decision"] for one in told], ["forward", "forward", "forward", "none", "none"])

        def answer(port, wanted):
            end = time.monotonic() + 120
            while True:  # names are asked for when it runs
                got = router_servers.ask("tcp", "127.0.0.1", port).split(" ")[0]
                if got in wanted or time.monotonic() > end:
                    return got
                time.sleep(0.1)

        self.assertEqual(answer(9001, {"tcp/203.0.113.25/7001"}), "tcp/%s/7001" % told[0]["to"].split(":")[0])
        self.assertEqual(answer(9002, {"tcp/203.0.113.26/7002"}), "tcp/203.0.113.26/7002")
        both = {"tcp/203.0.113.25/7001", "tcp/203.0.113.26/7001"}
        seen = {answer(9003, both) for _ in range(40)}
        self.assertTrue(seen and seen <= both, seen)
        self.assertEqual(router_servers.ask("tcp", "127.0.0.1", 9004), "")
        self.assertEqual(router_servers.ask("tcp", "127.0.0.1", 9005), "")


class Kubectl(unittest.TestCase):
    def test_kubectl_takes_the_objects(self):
        need(self, "kubectl")
        place = folder(self)
        lists = {"redirect": "80 tcp 203.0.113.25\n", "http-proxy": "# list\n!*.bad.test\n*.test\n", "dns-proxy": "80 db.test\n"}
        wanted = {"manifest": ["ServiceAccount", "RoleBinding", "ConfigMap", "Deployment", "Service"], "configmap": ["ConfigMap"],
                  "cr": ["EgressRouter"], "nad": ["NetworkAttachmentDefinition"]}
        for kind, text in lists.items():
            (place / "list").write_text(text)
            for form, kinds in wanted.items():
                if form in ("cr", "nad") and kind != "redirect":
                    continue
                path = place / (form + ".yaml")
                path.write_text(provisioner("render", "--kind", kind, "--destination", place / "list", "--source", "192.168.12.99/24", "--gateway",
                                            "192.168.12.1", "--format", form, "--name", "out"))
                found, output = [], must("kubectl", "label", "--local", "-f", path, "example=1", "-o", "json").strip()
                while output:
                    value, end = json.JSONDecoder().raw_decode(output)
                    output = output[end:].lstrip()
                    found += value["items"] if value["kind"] == "List" else [value]
                self.assertEqual([one["kind"] for one in found], kinds, (kind, form))
                if form == "configmap":
                    self.assertEqual(found[0]["data"]["destination"], text)
                for one in found:
                    if one["kind"] == "Deployment":
                        self.survives(one, place)

    def survives(self, deployment, place):
        """kubectl's own types keep each member: what they do not know they drop, and a wrong type they refuse."""
        del deployment["metadata"]["labels"]  # ours of above
        (place / "deployment.json").write_text(json.dumps(deployment))
        typed = json.loads(must("kubectl", "set", "serviceaccount", "--local", "-f", place / "deployment.json", "out", "-o", "json"))

        def missing(ours, theirs, path):
            if isinstance(ours, dict) and isinstance(theirs, dict):
                return [fault for key, value in ours.items() for fault in missing(value, theirs.get(key), path + "." + key)]
            if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
                return [fault for at, pair in enumerate(zip(ours, theirs)) for fault in missing(*pair, "%s[%d]" % (path, at))]
            return [] if ours == theirs else ["%s: %r became %r" % (path, ours, theirs)]

        self.assertEqual(missing(deployment, typed, "$"), [])


if __name__ == "__main__":
    router_servers.inside()
    PROVISIONER = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
