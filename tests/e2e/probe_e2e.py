#!/usr/bin/env python3
"""Probes through real proxies: what `check --probe` says about each way in which egress settings fail.

usage: probe_e2e.py PROVISIONER"""
import concurrent.futures
import json
import unittest

import probe_servers
from authority import Authority, openssl
from harness import argument, end_unrun, folder, missing, run
from probe_servers import FORBIDDEN, ORIGIN, UNKNOWN, Relay, free_port
from rendered import ignition

PROVISIONER = argument()
PASSWORD = "p@ss/c4nary"
USERINFO = "user:p%40ss%2Fc4nary@"
WRONG = "user:wr0ng%40c4nary@"


class Probe(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if lacking := missing("squid", "mitmdump", "nginx"):
            end_unrun("missing: " + lacking)
        cls.work = folder(cls)
        cls.work.chmod(0o755)  # squid reads its files as another user
        cls.make_certificates()
        cls.servers = probe_servers.Servers(cls.work)
        cls.addClassCleanup(cls.servers.stop)
        cls.start_servers()

    @classmethod
    def make_certificates(cls):
        again = cls.work / "again"
        again.mkdir()
        ca, inspection = (Authority(cls.work, name) for name in ("Origin CA", "Inspection CA"))
        # The same name, made anew.
        cls.ca, cls.inspection, cls.namesake = ca.pem, inspection.pem, Authority(again, "Inspection CA").pem
        # One file with the key behind the certificate suits all of the servers. These keys are worth nothing.
        cls.good = cls.work / "good.pem"
        cls.good.write_text("".join(path.read_text() for path in ca.sign("origin", "serverAuth", f"DNS:localhost,DNS:{ORIGIN}")))
        # mitmproxy's own layout: key and certificate of its CA in one file.
        cls.confdir = cls.work / "confdir"
        cls.confdir.mkdir()
        cls.inspection_pair = cls.confdir / "mitmproxy-ca.pem"
        cls.inspection_pair.write_text(inspection.key.read_text() + inspection.pem.read_text())

    @classmethod
    def start_servers(cls):
        (cls.work / "passwd").write_text("user:%s\n" % openssl("passwd", "-apr1", PASSWORD).strip())
        (cls.work / "digest").write_text("user:%s\n" % PASSWORD)
        helpers = {"basic": "auth_param basic program /usr/lib/squid/basic_ncsa_auth %s/passwd\nauth_param basic children 1" % cls.work,
                   "digest": "auth_param digest program /usr/lib/squid/digest_file_auth %s/digest\nauth_param digest children 1\nauth_param digest realm x" % cls.work}
        names = ("plain", "tls", "basic", "basic_tls", "digest", "mitm", "mitm_as_leaf", "nobody")
        cls.port = {name: free_port() for name in names}
        port = cls.port
        cls.servers.mitmproxy("mitm", port["mitm"], cls.confdir)
        cls.servers.mitmproxy("mitm_as_leaf", port["mitm_as_leaf"], cls.work / "confdir-2", "--certs", "*=%s" % cls.inspection_pair)
        cls.servers.squid("basic", port["basic"], helpers["basic"], tls=(port["basic_tls"], cls.good))
        cls.servers.squid("digest", port["digest"], helpers["digest"])
        cls.servers.nginx("origin", [(port["plain"], None), (port["tls"], cls.good)])
        cls.servers.wait()

    def source(self, proxy, *certificates):
        """A config with this proxy for http and https, and these certificates."""
        lines = "HTTPS_PROXY=%s\n" % proxy
        if not proxy.startswith("https:"):  # only https may go there
            lines += "HTTP_PROXY=%s\n" % proxy
        return json.dumps(ignition(lines, "".join(certificate.read_text() for certificate in certificates)))

    def check(self, source, *options, exit):
        environment = {"http_proxy": "http://127.0.0.1:1", "HTTPS_PROXY": "http://127.0.0.1:1", "NO_PROXY": "*"}  # has no say
        # Long enough for a busy machine; what is to run into it names its own.
        result = run(PROVISIONER, "check", "-", "--probe-timeout", "20", "--output", "json", *options, input=source, env=environment, timeout=300)
        self.assertNotIn("c4nary", result.stdout + result.stderr)
        self.assertEqual(result.returncode, exit, result.stdout + result.stderr)
        return json.loads(result.stdout)

    def works(self, source, url, via=None):
        document = self.check(source, "--probe", url, exit=0)
        (probe,) = document["probes"]
        self.assertEqual((probe["url"], probe["ok"], probe["error"], probe["tries"]), (url, True, None, 1))
        if via:
            self.assertEqual(probe["via"], via)
        return probe["status"], [finding["code"] for finding in document["findings"]]

    def fails(self, source, url, *words, tries=1, code="network"):
        """The one probe fails, and its sentence holds all of the words."""
        (probe,) = self.check(source, "--probe", url, exit=14)["probes"]
        for word in words:
            self.assertIn(word, probe["error"])
        self.assertEqual((probe["ok"], probe["code"], probe["tries"], probe["status"]), (False, code, tries, None), probe["error"])

    @staticmethod
    def together(*calls):
        """Those that wait between their tries, all at once."""
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for future in [pool.submit(call) for call in calls]:
                future.result()

    def at(self, name, userinfo="", scheme="http"):
        return "%s://%slocalhost:%d" % (scheme, userinfo, self.port[name])

    def origin(self, host=ORIGIN, port="tls", path="/", scheme="https"):
        return "%s://%s:%d%s" % (scheme, host, self.port[port], path)

    # Credentials

    def test_basic(self):
        source = self.source(self.at("basic", USERINFO), self.ca)
        via = "http://user:***@localhost:%d" % self.port["basic"]
        self.assertEqual(self.works(source, self.origin(), via)[0], 200)
        self.assertEqual(self.works(source, self.origin(port="plain", scheme="http", path="/moved"), via)[0], 302)
        self.fails(self.source(self.at("basic", WRONG), self.ca), self.origin(), "status 407", "does not take the credentials of its URL (Basic)")
        for url in (self.origin(), self.origin(port="plain", scheme="http")):
            self.fails(self.source(self.at("basic"), self.ca), url, "wants credentials (Basic) and its URL has none", "percent-encoded")

    def test_digest(self):
        relay = Relay(self.port["digest"])
        proxy = "http://%slocalhost:%d" % (USERINFO, relay.port)
        status, findings = self.works(self.source(proxy, self.ca), self.origin())
        self.assertEqual(status, 200)
        self.assertIn("probe-digest", findings)
        self.assertIn(b"Proxy-Authorization: Digest ", relay.seen)
        self.assertNotIn(b"Basic", relay.seen)
        self.fails(self.source(self.at("digest", WRONG), self.ca), self.origin(), "does not take the credentials of its URL (Digest)")

    # A proxy that is spoken to by TLS

    def test_https_proxy(self):
        proxy = self.at("basic_tls", USERINFO, "https")
        self.assertEqual(self.works(self.source(proxy, self.ca), self.origin(), "https://user:***@localhost:%d" % self.port["basic_tls"])[0], 200)
        self.fails(self.source(proxy, self.namesake), self.origin(), "the proxy localhost:", 'issued by "CN=Origin CA"',
                   "not in the source's trust bundle (1 certificate)", code="tls")

    # Refusals

    def test_refused_connect(self):
        squid = self.source(self.at("basic", USERINFO), self.ca)
        self.fails(squid, self.origin(FORBIDDEN), "status 403 (ERR_ACCESS_DENIED)", "its rules forbid this destination")
        self.fails(self.source(self.at("plain"), self.ca), self.origin(), "with status 4", "a web server", "CONNECT", "host and port")
        self.together(
            lambda: self.fails(squid, self.origin(port="nobody"), "status 503 (ERR_CONNECT_FAIL)", "the destination does not answer", tries=3),
            # Its name for this depends on what the DNS says.
            lambda: self.fails(squid, self.origin(UNKNOWN), "(ERR_", "check the name", tries=3))

    # Inspection

    def test_inspecting_proxy(self):
        self.assertEqual(self.works(self.source(self.at("mitm"), self.inspection), self.origin())[0], 200)
        self.fails(self.source(self.at("mitm"), self.ca), self.origin(), 'issued by "CN=Inspection CA"', "not in the source's trust bundle",
                   "a proxy that inspects TLS signs with its own CA", code="tls")
        self.fails(self.source(self.at("mitm"), self.namesake), self.origin(), "a CA of this name is in the source's trust bundle", "with another key", code="tls")

    def test_inspecting_proxy_that_shows_its_ca(self):
        for bundle in (self.ca, self.inspection):
            self.fails(self.source(self.at("mitm_as_leaf"), bundle), self.origin(), 'shows the CA certificate "CN=Inspection CA" itself',
                       "--set confdir=FOLDER", code="tls")

    # Without a proxy

    def test_without_a_proxy(self):
        source = self.source("http://localhost:%d" % self.port["nobody"], self.ca)
        self.assertEqual(self.works(source, self.origin("localhost"), "direct")[0], 200)

    # Results

    def test_each_probe_has_its_result(self):
        source = self.source(self.at("basic", USERINFO), self.ca)
        urls = [self.origin(), self.origin("localhost"), self.origin(FORBIDDEN)]
        document = self.check(source, *[word for url in urls for word in ("--probe", url)], exit=14)
        self.assertEqual([(probe["url"], probe["ok"]) for probe in document["probes"]], list(zip(urls, (True, True, False))))
        self.assertTrue(document["valid"])
        text = run(PROVISIONER, "check", "-", "--probe-timeout", "20", "--probe", urls[0], "--probe", urls[2], input=source)
        via = "http://user:***@localhost:%d" % self.port["basic"]
        self.assertEqual(text.stdout.splitlines()[:2], ["probe %s through %s: ok, status 200" % (urls[0], via), "probe %s through %s: FAILED" % (urls[2], via)])
        self.assertIn("  the proxy localhost:", text.stdout)


if __name__ == "__main__":
    unittest.main()
