#!/usr/bin/env python3
"""Sources on servers: the real program against a Machine Config Server and a web server on the loopback interface, and
against what can be wrong with them.

usage: sources_e2e.py PROVISIONER [unittest arguments]"""
import base64
import hashlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True
import machine_config_server as mcs

PROVISIONER = os.path.abspath(sys.argv.pop(1))
TESTS = pathlib.Path(__file__).resolve().parents[1]
SAMPLE = TESTS / "sample/rendered-worker.json"
PROXY = "http://proxy.example.test:3128"
NAME = "mcs.example.test"  # of the server, for what goes through a proxy: clients as Go's never ask one for localhost


class ConnectProxy(threading.Thread):
    """Connects whoever asks to this machine, whatever the name; notes what was asked. `asks`: wants credentials, of any kind."""

    def __init__(self, asks=False):
        super().__init__(daemon=True)
        self.asks = asks
        self.seen = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.start()

    def run(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            piece = client.recv(4096)
            if not piece:
                return
            head += piece
        self.seen.append(head.decode())
        if self.asks and b"\r\nProxy-Authorization: " not in head:
            client.sendall(b'HTTP/1.1 407 x\r\nProxy-Authenticate: Basic realm="p"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
            return client.close()
        port = head.split()[1].decode().rsplit(":", 1)[1]
        upstream = socket.create_connection(("127.0.0.1", int(port)))
        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        threading.Thread(target=self.pump, args=(upstream, client), daemon=True).start()
        self.pump(client, upstream)

    @staticmethod
    def pump(source, sink):
        try:
            while piece := source.recv(65536):
                sink.sendall(piece)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class Sources(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keys = pathlib.Path(tempfile.mkdtemp(prefix="provisioner-sources-"))
        cls.addClassCleanup(shutil.rmtree, cls.keys)
        cls.ca, cls.other, cls.cluster = (mcs.Authority(cls.keys, name) for name in ("mcs-ca", "other-ca", "cluster-ca"))
        cls.leaf = cls.ca.leaf(f"DNS:localhost,IP:127.0.0.1,DNS:{NAME}")

    def setUp(self):
        self.server = self.serve(*self.leaf)
        self.server.pools["worker"] = mcs.config(PROXY, [self.cluster])

    def serve(self, *identity):
        server = mcs.Server(*identity)
        self.addCleanup(server.close)
        return server

    def run_program(self, *words, environment=None, seconds=60):
        env = {"PATH": os.environ["PATH"], **(environment or {})}
        done = subprocess.run([PROVISIONER, *map(str, words)], env=env, capture_output=True, text=True, timeout=seconds)
        self.assertNotIn("BOOTSTRAP-TOKEN-CANARY", done.stdout + done.stderr)
        return done

    def extract(self, source, *words, ca=None, **options):
        done = self.run_program("extract", source, *(["--ca", ca] if ca else []), *words, **options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def refused(self, exit, code, source, *words, ca=None, **options):
        done = self.run_program("extract", source, *(["--ca", ca] if ca else []), *words, **options)
        self.assertEqual(done.returncode, exit, done.stdout + done.stderr)
        error = json.loads(done.stdout)["error"]
        self.assertEqual(error["code"], code, error)
        return error["message"]

    def pointer(self, url, authorities=(), version="3.2.0", **ignition):
        sources = [{"source": "data:text/plain;charset=utf-8;base64," + base64.b64encode(a.pem.read_bytes()).decode()} for a in authorities]
        config = {"append" if version.startswith("2") else "merge": [{"source": url}]}
        path = self.keys / "worker.ign"
        path.write_text(json.dumps({"ignition": {"config": config, "security": {"tls": {"certificateAuthorities": sources}}, "version": version, **ignition}}))
        return path


class MachineConfigServer(Sources):
    def test_gives_the_settings_of_a_pool(self):
        said = self.extract(self.server.mcs(), ca=self.ca.pem)
        self.assertEqual(said["proxy"], {"HTTP_PROXY": PROXY, "HTTPS_PROXY": PROXY, "NO_PROXY": "localhost,.svc"})
        self.assertEqual(said["source"]["ignitionVersion"], "3.5.0")
        self.assertEqual([c["subject"] for c in said["trustBundle"]["certificates"]], ["CN=cluster-ca"])
        path, headers = self.server.requests[0]
        self.assertEqual((path, len(self.server.requests)), ("/config/worker", 1))
        self.assertEqual(headers["Accept"], "application/vnd.coreos.ignition+json;version=3.5.0, */*;q=0.1")
        self.assertNotIn("decoy", json.dumps(said))
        done = self.run_program("check", self.server.mcs(), "--ca", self.ca.pem)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_is_baked(self):
        out = self.keys / "payload"
        done = self.run_program("bake", self.server.mcs(), "--ca", self.ca.pem, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        for file in out.rglob("*"):
            if file.is_file():
                self.assertNotIn(b"BOOTSTRAP-TOKEN-CANARY", file.read_bytes(), file)

    def test_needs_its_ca(self):
        self.assertIn("--ca FILE", self.refused(10, "usage", self.server.mcs()))
        self.assertEqual(self.server.requests, [])

    def test_is_verified(self):
        self.assertIn("the CAs that were named", self.refused(14, "tls", self.server.mcs(), ca=self.other.pem))
        wrong_name = self.serve(*self.ca.leaf("DNS:other.example.test", label="name"))
        self.refused(14, "tls", wrong_name.mcs(), ca=self.ca.pem)
        expired = self.serve(*self.ca.leaf(expired=True, label="expired"))
        self.assertIn("expired", self.refused(14, "tls", expired.mcs(), ca=self.ca.pem))
        weak = [self.serve(*self.ca.leaf(label="short", bits=1024)), self.serve(*self.ca.leaf(label="sha1", digest="sha1"))]
        for server in weak:
            self.refused(14, "tls", server.mcs(), ca=self.ca.pem)
        for server in (self.server, wrong_name, expired, *weak):
            self.assertEqual(server.requests, [])

    def test_is_not_verified_by_what_it_delivers(self):
        server = self.serve(*self.other.leaf(label="delivered"))
        server.pools["worker"] = mcs.config(PROXY, [self.other])
        self.refused(14, "tls", server.mcs(), ca=self.ca.pem)

    def test_the_environment_has_no_say(self):
        nobody = "http://127.0.0.1:9"
        environment = {"https_proxy": nobody, "HTTPS_PROXY": nobody, "ALL_PROXY": nobody, "SSL_CERT_FILE": str(self.ca.pem)}
        self.extract(self.server.mcs(), ca=self.ca.pem, environment=environment)
        self.server.documents["/doc"] = SAMPLE.read_bytes()
        self.refused(14, "tls", self.server.url("/doc"), environment=environment)

    def test_keys_of_tls_are_kept(self):
        """Where a library would write them for whoever can set a variable or read the file."""
        log = self.keys / "keys.log"
        environment = {"SSLKEYLOGFILE": str(log)}
        self.extract(self.server.mcs(), ca=self.ca.pem, environment=environment)
        done = self.run_program("check", SAMPLE, "--probe", self.server.url("/doc"), environment=environment)
        self.assertIn(done.returncode, (11, 14), done.stderr)
        self.assertEqual(len(self.server.requests), 1)
        self.assertFalse(log.exists(), "the keys of a connection were written")
        # Another client of the same server shows that they could have been.
        if shutil.which("curl") is None:
            print("NOT RUN: curl is missing: nobody showed that this server's connections have keys to write", flush=True)
            return
        subprocess.run(["curl", "-s", "--cacert", self.ca.pem, self.server.url("/doc")], env={"PATH": os.environ["PATH"], **environment},
                       capture_output=True, check=False)
        if not log.exists():
            print("NOT RUN: this curl writes no keys: nobody showed that this server's connections have any to write", flush=True)

    def test_a_proxy_may_stand_elsewhere_than_on_the_command_line(self):
        proxy = ConnectProxy(asks=True)
        self.addCleanup(proxy.socket.close)
        secret = self.keys / "proxy-url"
        secret.write_text(f"http://user:hunter2@127.0.0.1:{proxy.port}\n")
        url = self.keys / "source-url"
        url.write_text(self.server.mcs() + "\r\n")
        for words, environment in ((["@" + str(secret)], None), (["env:EGRESS_SOURCE_PROXY"], {"EGRESS_SOURCE_PROXY": secret.read_text()})):
            proxy.seen.clear()
            self.extract("@" + str(url), "--source-proxy", *words, ca=self.ca.pem, environment=environment)
            self.assertIn("Proxy-Authorization: Basic", proxy.seen[-1])
        secret.write_text("http://user:hunter2@127.0.0.1:1\n")
        done = self.run_program("extract", self.server.mcs(), "--ca", self.ca.pem, "--source-proxy", "@" + str(secret), "--source-timeout", "2")
        self.assertEqual(done.returncode, 14, done.stdout)
        self.assertNotIn("hunter2", done.stdout + done.stderr)

    def test_an_address_instead_of_a_name(self):
        self.extract(self.server.mcs(host="127.0.0.1"), ca=self.ca.pem)

    def test_trouble_that_passes(self):
        self.server.fail(500, times=2)
        self.extract(self.server.mcs(), ca=self.ca.pem)
        self.assertEqual(len(self.server.requests), 3)
        self.server.fail("close", times=1)
        self.extract(self.server.mcs(), ca=self.ca.pem)
        self.server.fail("cut", times=1)
        self.extract(self.server.mcs(), ca=self.ca.pem)

    def test_trouble_that_stays(self):
        for fault, words in ((500, "pool that does not exist"), (503, "not ready yet"), ("close", "ended the connection"), ("cut", "ended the connection"),
                             ("silent", "did not answer"), ("slow", "did not answer")):
            with self.subTest(fault):
                self.server.fail(fault)
                began = time.monotonic()
                self.assertIn(words, self.refused(14, "network", self.server.mcs(), "--source-timeout", "2", ca=self.ca.pem))
                self.assertLess(time.monotonic() - began, 10)

    def test_a_dead_one_is_given_up_on(self):
        dead = mcs.Server(*self.leaf)
        dead.close()
        began = time.monotonic()
        self.assertIn("refused the connection", self.refused(14, "network", dead.mcs(), ca=self.ca.pem))
        self.assertLess(time.monotonic() - began, 15)

    def test_refusals_are_explained(self):
        for status, exit, code, words in ((400, 14, "network", "Ignition spec"), (401, 14, "network", "wants to know who asks"),
                                          (403, 14, "network", "does not let this machine"), (404, 11, "not-found", "not a Machine Config Server")):
            self.server.fail(status)
            self.assertIn(words, self.refused(exit, code, self.server.mcs(), ca=self.ca.pem))

    def test_an_unknown_pool(self):
        self.assertIn("oc get machineconfigpool", self.refused(14, "network", self.server.mcs("infra"), "--source-timeout", "1", ca=self.ca.pem))

    def test_an_endless_answer_ends(self):
        self.server.fail("huge")
        began = time.monotonic()
        self.assertIn("larger than", self.refused(11, "too-large", self.server.mcs(), ca=self.ca.pem))
        self.assertLess(time.monotonic() - began, 20)

    def test_other_servers_are_told_apart(self):
        self.server.content_type = "text/html"
        self.assertIn("HTML page", self.refused(11, "kind", self.server.mcs(), ca=self.ca.pem))
        self.server.content_type = "text/plain"
        self.assertIn("not a Machine Config Server", self.refused(11, "kind", self.server.mcs(), ca=self.ca.pem))
        self.server.redirects["/config/worker"] = self.server.url("/doc")
        self.assertIn("not followed here", self.refused(14, "network", self.server.mcs(), ca=self.ca.pem))

    def test_a_port_without_tls(self):
        plain = self.serve()
        self.assertIn("TLS", self.refused(14, "tls", plain.mcs(), ca=self.ca.pem))

    def test_through_a_proxy(self):
        proxy = ConnectProxy(asks=True)
        self.addCleanup(proxy.socket.close)
        self.extract(self.server.mcs(), "--source-proxy", f"http://user:hunter2@127.0.0.1:{proxy.port}", ca=self.ca.pem)
        for head in proxy.seen:
            self.assertTrue(head.startswith(f"CONNECT localhost:{self.server.port} "), proxy.seen)
        self.assertEqual(len(proxy.seen), 2)
        self.assertNotIn("Proxy-Authorization", proxy.seen[0])
        self.assertIn("Proxy-Authorization: Basic", proxy.seen[1])
        self.assertNotIn("Proxy-Authorization", self.server.requests[0][1])
        words = self.refused(14, "network", self.server.mcs(), "--source-proxy", f"http://127.0.0.1:{proxy.port}", ca=self.ca.pem)
        self.assertIn(f"the proxy 127.0.0.1:{proxy.port} answers with status 407: it wants credentials (Basic) and its URL has none", words)


class PointerConfig(Sources):
    def test_leads_to_the_server(self):
        worker = self.pointer(self.server.url("/config/worker"), [self.ca])
        self.assertEqual(self.extract(worker)["proxy"]["HTTP_PROXY"], PROXY)
        self.assertIn("version=3.5.0", self.server.requests[0][1]["Accept"])
        self.assertEqual(self.extract(self.server.mcs(), ca=worker)["proxy"]["HTTP_PROXY"], PROXY)

    def test_of_spec_two_asks_for_spec_two(self):
        worker = self.pointer(self.server.url("/config/worker"), [self.ca], version="2.2.0")
        said = self.extract(worker)
        self.assertEqual(said["proxy"]["HTTP_PROXY"], PROXY)
        self.assertIn("version=2.2.0", self.server.requests[0][1]["Accept"])

    def test_says_whom_to_believe(self):
        self.refused(14, "tls", self.pointer(self.server.url("/config/worker"), [self.other]))
        # --ca is for what has no CA of its own.
        self.refused(14, "tls", self.pointer(self.server.url("/config/worker"), [self.other]), ca=self.ca.pem)
        self.assertIn("--ca FILE", self.refused(11, "merge-remote", self.pointer(self.server.url("/config/worker"))))
        self.assertEqual(self.server.requests, [])
        self.extract(self.pointer(self.server.url("/config/worker")), ca=self.ca.pem)

    def test_says_how_long_to_wait(self):
        self.server.fail("silent")
        worker = self.pointer(self.server.url("/config/worker"), [self.ca], timeouts={"httpResponseHeaders": 1, "httpTotal": 2})
        began = time.monotonic()
        self.refused(14, "network", worker)
        self.assertLess(time.monotonic() - began, 8)

    def test_says_which_proxy(self):
        proxy = ConnectProxy()
        self.addCleanup(proxy.socket.close)
        url, proxied = self.server.url("/config/worker", host=NAME), {"httpsProxy": f"http://127.0.0.1:{proxy.port}"}
        self.extract(self.pointer(url, [self.ca], proxy=proxied))
        self.assertTrue(proxy.seen[0].startswith(f"CONNECT {NAME}:"), proxy.seen)
        worker = self.pointer(url, [self.ca], proxy={**proxied, "noProxy": ["example.test"]})
        self.assertIn("is not found", self.refused(14, "network", worker, "--source-timeout", "5"))
        self.assertEqual(len(proxy.seen), 1)

    def test_of_a_server(self):
        worker = self.pointer(self.server.url("/config/worker"), [self.ca])
        web = self.serve(*self.other.leaf(label="web"))
        web.documents["/worker.ign"] = worker.read_bytes()
        self.assertEqual(self.extract(web.url("/worker.ign"), ca=self.other.pem)["proxy"]["HTTP_PROXY"], PROXY)


class Document(Sources):
    def setUp(self):
        super().setUp()
        self.server.documents["/doc"] = SAMPLE.read_bytes()
        self.hash = hashlib.sha256(SAMPLE.read_bytes()).hexdigest()

    def test_is_read_as_a_file_is(self):
        there, here = self.extract(self.server.url("/doc"), ca=self.ca.pem), self.extract(SAMPLE)
        self.assertEqual(there, here)

    def test_has_the_hash_that_was_named(self):
        plain = self.serve()
        plain.documents["/doc"] = SAMPLE.read_bytes()
        self.extract(plain.url("/doc") + "#sha256=" + self.hash)
        self.refused(11, "scheme", plain.url("/doc"))
        plain.documents["/doc"] += b" "
        self.refused(11, "hash-mismatch", plain.url("/doc") + "#sha256=" + self.hash)

    def test_may_have_moved(self):
        web = self.serve(*self.ca.leaf(label="moved"))
        self.server.redirects["/old"] = web.url("/new")
        web.documents["/new"] = SAMPLE.read_bytes()
        self.extract(self.server.url("/old"), ca=self.ca.pem)
        plain = self.serve()
        plain.documents["/new"] = SAMPLE.read_bytes()
        self.server.redirects["/old"] = plain.url("/new")
        self.assertIn("only from https:// to https://", self.refused(14, "network", self.server.url("/old"), ca=self.ca.pem))
        self.assertEqual(plain.requests, [])
        self.server.redirects["/old"] = self.server.url("/old")
        self.assertIn("redirects", self.refused(14, "network", self.server.url("/old"), ca=self.ca.pem))

    def test_is_known_by_the_systems_roots_without_a_ca(self):
        self.assertIn("the list of CAs that this system trusts", self.refused(14, "tls", self.server.url("/doc")))

    def test_a_page_is_none(self):
        self.server.documents["/doc"] = b"<!DOCTYPE html><html><title>Sign in</title></html>"
        self.assertIn("HTML page", self.refused(11, "kind", self.server.url("/doc"), ca=self.ca.pem))
        self.server.documents["/doc"] = b""
        self.assertIn("sends nothing", self.refused(11, "kind", self.server.url("/doc"), ca=self.ca.pem))
        self.server.documents["/doc"] = SAMPLE.read_bytes()[:1000]
        self.refused(11, "json", self.server.url("/doc"), ca=self.ca.pem)

    def test_credentials_are_not_shown(self):
        for url in (f"https://user:hunter2@localhost:{self.server.port}/doc", f"https://localhost:{self.server.port}/none?sig=hunter2"):
            done = self.run_program("extract", url, "--ca", self.ca.pem)
            self.assertEqual(done.returncode, 11)
            self.assertNotIn("hunter2", done.stdout + done.stderr)

    def test_a_ca_file_that_holds_none(self):
        empty = self.keys / "empty.pem"
        empty.write_text("")
        self.refused(11, "cert", self.server.url("/doc"), ca=empty)
        self.refused(11, "not-found", self.server.url("/doc"), ca=self.keys / "none.pem")

    def test_options(self):
        self.refused(10, "usage", self.server.url("/doc"), "--source-timeout", "0")
        self.refused(10, "usage", self.server.url("/doc"), "--source-timeout", "x")
        self.assertIn("the URL of the proxy is malformed", self.refused(11, "proxy-url", self.server.url("/doc"), "--source-proxy", "socks5://p:1"))
        for command in ("extract", "check", "bake", "plan", "apply", "first-boot", "service"):
            text = self.run_program(command, "--help").stdout
            for option in ("--ca FILE", "--source-proxy URL", "--source-timeout SECONDS"):
                self.assertIn(option, text, command)


if __name__ == "__main__":
    if shutil.which("openssl") is None:
        print("NOT RUN: openssl is missing (Debian package openssl); scripts/setup installs it", flush=True)
        sys.exit(77)
    unittest.main(verbosity=2)
