"""Part of secrets_canary.py: credentials by which a source is reached, on ways that fail."""
import base64
import concurrent.futures
import json
import socket
import urllib.parse

from canary_words import ESCAPED, SIMPLE, holds
from harness import SAMPLE, Handler, serve


class Refusing(Handler):
    """A proxy, or a server, to which nothing is good enough, and which repeats what it was given."""

    def refuse(self):
        given = self.headers.get("Proxy-Authorization", "")
        basic = base64.b64decode(given.removeprefix("Basic ")) if given.startswith("Basic ") else b""
        self.server.given.append(basic + urllib.parse.unquote_to_bytes(basic))
        self.reply(407 if self.command == "CONNECT" or self.path.startswith("http") else 403, b"refused: " + basic + self.path.encode(),
                   reason="no " + self.path, Proxy_Authenticate='Basic realm="p"')

    do_GET = do_CONNECT = refuse


class RemoteSources:
    """For a TestCase that has provisioner(*words) and a folder `temporary`."""

    def test_remote_sources(self):
        """Credentials for reaching a source, on ways that fail: nobody listens, or a server refuses."""
        with socket.create_server(("127.0.0.1", 0)) as closed:
            nobody = "127.0.0.1:%d" % closed.getsockname()[1]
        refusing = serve(self, Refusing)
        refusing.given = []
        proxy = "127.0.0.1:%d" % refusing.server_address[1]
        document = "https://%s/doc?sv=1&sig=%s" % (nobody, SIMPLE)
        plain = "http://%s/doc?sig=%s" % (proxy, SIMPLE)
        digest = "#sha256=" + "0" * 64
        calls = [[document], [document + "#" + SIMPLE], [document + digest], [plain], [plain + digest], ["https://%s@%s/" % (SIMPLE, nobody)],
                 ["mcs://%s/worker?sig=%s" % (nobody, SIMPLE)], ["s3://bucket/x?sig=" + SIMPLE], ["kube:///worker?sig=" + SIMPLE]]
        for form in ("http://u:%%s@%s" % nobody, "http://u:%%s@%s" % proxy, "https://u:%%s@%s" % proxy, "socks5://u:%s@p:1", "u:%s@p:x", "http://u:%s@"):
            for source in (document, plain + digest, "http://%s/doc%s" % (nobody, digest), "kube:///worker"):
                calls.append([source, "--source-proxy", form.replace("%s", ESCAPED if len(calls) % 2 else SIMPLE)])
        self.remote(calls)
        self.assertGreater(len(refusing.given), 0, "a proxy must have been given the password")
        self.assertTrue(any(holds(text) for text in refusing.given))

    def test_kubeconfigs(self):
        with socket.create_server(("127.0.0.1", 0)) as closed:
            nobody = "127.0.0.1:%d" % closed.getsockname()[1]
        key = "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n" % base64.b64encode(SIMPLE.encode() * 9).decode()
        certificate = SAMPLE.with_name("proxy-root.pem").read_bytes()
        pem = lambda data: base64.b64encode(data).decode()
        (self.temporary / "token").write_text(SIMPLE)
        (self.temporary / "key").write_text(key)
        (self.temporary / "crt").write_bytes(certificate)
        pair = {"client-certificate-data": pem(certificate), "client-key-data": pem(key.encode())}
        users = [{"token": SIMPLE}, {"token": SIMPLE + "\n" + SIMPLE}, {"token": [SIMPLE]}, {"tokenFile": "token"}, {"tokenFile": "no/" + "token"}, pair,
                 {"client-certificate": "crt", "client-key": "key"}, {**pair, "client-certificate-data": pem(key.encode())},
                 {**pair, "client-key-data": SIMPLE + "*"}, {"client-key-data": pair["client-key-data"]}, {"username": "u", "password": SIMPLE},
                 {"exec": {"command": "x", "args": [SIMPLE], "env": [{"name": "T", "value": SIMPLE}]}},
                 {"auth-provider": {"name": "oidc", "config": {"id-token": SIMPLE}}}]
        cluster = {"server": "https://" + nobody, "certificate-authority-data": pem(certificate)}
        clusters = [cluster, {**cluster, "server": "https://u:%s@%s" % (SIMPLE, nobody)}, {**cluster, "server": "https://%s/?token=%s" % (nobody, SIMPLE)},
                    {**cluster, "proxy-url": "http://u:%s@%s" % (SIMPLE, nobody)}, {**cluster, "proxy-url": "socks5://u:%s@p:1" % SIMPLE},
                    {**cluster, "certificate-authority-data": pem(key.encode())}]
        texts = [json.dumps({"current-context": "c", "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                             "clusters": [{"name": "c", "cluster": place}], "users": [{"name": "u", "user": user}]})
                 for place, user in [(cluster, user) for user in users] + [(place, users[0]) for place in clusters[1:]]]
        texts += [texts[0][:-9], texts[0].replace(": ", " "), "token: '" + SIMPLE, "a: *" + SIMPLE, key]
        paths = [self.temporary / ("kubeconfig-%d" % i) for i in range(len(texts))]
        for path, text in zip(paths, texts):
            path.write_text(text)
        self.remote([[source, "--kubeconfig", str(path)] for path in paths for source in ("kube:///worker", "kube:///proxy")])

    def remote(self, calls):
        """extract of all of them, many at a time: they do little but wait."""
        calls = [["extract", *words, "--source-timeout", "1", *more] for words in calls for more in ([], ["--output", "json"])]
        with concurrent.futures.ThreadPoolExecutor(24) as pool:
            results = list(pool.map(lambda words: self.provisioner(*words), calls))
        for words, result in zip(calls, results):
            with self.subTest(words):
                self.assertIn(result.returncode, (10, 11, 14), result.stderr[:500])
                for stream in (result.stdout, result.stderr):
                    self.assertFalse(holds(stream), stream[:1000])
