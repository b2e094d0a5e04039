#!/usr/bin/env python3
"""`explain --through` compared with real requests: curl with NO_PROXY, a squid with the rendered rules, and a server outside that says
whom it sees.

usage: through_e2e.py PROVISIONER [unittest arguments]"""
import itertools
import json
import os
import unittest

from harness import Handler, argument, end_unrun, folder, missing, must, run, serve
from probe_servers import Servers, free_port
from real_clients import curl_dialect

PROVISIONER = argument()
SOURCE = "127.0.0.45"  # the router's; what is not proxied comes from another address
HOSTS = {"registry.test": "127.1.0.1", "cdn.registry.test": "127.1.0.2", "console.registry.test": "127.1.0.3", "mirror.example": "127.1.0.4"}
POLICIES = [
    "*.registry.test",
    "!console.registry.test\n*.registry.test",
    "# the wrong way round\n*.registry.test\n!console.registry.test",
    "registry.test\nmirror.example",
    "127.1.0.0/31",
    "\n!127.1.0.2\n*",
    "!*.registry.test\n*",
    "# nothing",
    "*",
]
NO_PROXY = ["", "registry.test", ".registry.test,127.0.0.0/8", "cdn.registry.test,mirror.example"]


class Outside(Handler):
    """Says whom it sees."""

    def do_GET(self):
        self.reply(200, self.client_address[0].encode())


def router(destinations):
    """The manifest of a router with these destinations."""
    setup = {"EGRESS_SOURCE": SOURCE, "EGRESS_GATEWAY": "127.0.0.1", "EGRESS_ROUTER_MODE": "http-proxy"}
    containers = [("router", setup), ("proxy", {"EGRESS_HTTP_PROXY_DESTINATION": destinations})]
    made = [{"name": name, "image": "i", "env": [{"name": key, "value": value} for key, value in values.items()]} for name, values in containers]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "egress-http"}, "spec": {"initContainers": made[:1], "containers": made[1:]}}


class TheWay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if lacking := missing("squid", "curl"):
            end_unrun("missing: " + lacking)
        cls.dialect = curl_dialect(must("curl", "--version").split()[1])
        if cls.dialect is None:
            end_unrun("nobody knows how this curl reads NO_PROXY")
        cls.work = folder(cls)
        cls.work.chmod(0o755)
        cls.port = free_port()
        for address in HOSTS.values():
            serve(cls, Outside, address, cls.port)
        # Before the first squid reads it: one that reads while it is written knows no names.
        (cls.work / "hosts").write_text("".join("%s %s\n" % (address, name) for name, address in HOSTS.items()))
        cls.servers = Servers(cls.work)
        cls.addClassCleanup(cls.servers.stop)
        cls.squids = [cls.squid(number, text) for number, text in enumerate(POLICIES)]
        cls.servers.wait()

    @classmethod
    def squid(cls, number, destinations):
        """Starts one with the rules that we render of them; its port."""
        listed = cls.work / ("destinations%d" % number)
        listed.write_text(destinations + "\n")
        rules = must(PROVISIONER, "router", "render", "--kind", "http-proxy", "--destination", listed, "--format", "squid")
        port = free_port()
        cls.servers.squid_with("through%d" % number, port, cls.work / "hosts", "tcp_outgoing_address %s\n%s" % (SOURCE, rules))
        return port

    def urls(self):
        return ["http://%s:%d/" % (name, self.port) for name in HOSTS]

    def ask(self, url, proxy, no_proxy, tunnel):
        """What curl gets: "refused", or whom the server outside saw."""
        answers = [word for name, address in HOSTS.items() for word in ("--resolve", "%s:%d:%s" % (name, self.port, address))]
        environment = {"PATH": os.environ["PATH"], "http_proxy": proxy, "no_proxy": no_proxy}
        form = ["--proxytunnel"] if tunnel else []
        done = run("curl", "-q", "-sS", "--max-time", "30", *answers, *form, "-w", "\n%{http_code} %{http_connect}", url, env=environment)
        body, _, codes = done.stdout.rpartition("\n")
        if "403" in codes.split():
            return "refused"
        self.assertEqual(done.returncode, 0, (url, proxy, no_proxy, done.stderr))
        self.assertEqual(codes.split()[0], "200", (url, proxy, no_proxy, body))
        return body

    def write(self, policy, proxy, no_proxy):
        source, through = self.work / "proxy.env", self.work / "router.json"
        source.write_text("HTTP_PROXY=%s\nHTTPS_PROXY=%s\nNO_PROXY=%s\n" % (proxy, proxy, no_proxy))
        through.write_text(json.dumps(router(policy)))
        known = [word for pair in HOSTS.items() for word in ("--resolve", "%s=%s" % pair)]
        return [source, "--through", through, "--for", self.dialect, "--output", "json", *known]

    def test_what_the_outside_sees(self):
        seen = []
        for (policy, port), no_proxy in itertools.product(zip(POLICIES, self.squids), NO_PROXY):
            proxy = "http://127.0.0.1:%d" % port
            done = run(PROVISIONER, "explain", *self.write(policy, proxy, no_proxy), "--url", *self.urls())
            self.assertEqual(done.returncode, 0, done.stderr)
            for one in json.loads(done.stdout)["decisions"]:
                for tunnel in (False, True):
                    real = self.ask(one["url"], proxy, no_proxy, tunnel)
                    route = one["route"]
                    about = "policy %r, NO_PROXY %r, tunnel %s: curl %s, explain %s" % (policy, no_proxy, tunnel, real, one)
                    expected = {"refused": "deny", SOURCE: "allow"}.get(real, "direct")
                    self.assertEqual(route["decision"], expected, about)
                    self.assertEqual(route["source"], SOURCE if expected == "allow" else None, about)
                    self.assertEqual(one["decision"], "direct" if expected == "direct" else "proxy", about)
                    seen.append(expected)
        self.assertGreaterEqual(min(seen.count(word) for word in ("deny", "allow", "direct")), 40, seen)


if __name__ == "__main__":
    unittest.main()
