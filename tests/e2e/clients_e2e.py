#!/usr/bin/env python3
"""`explain` against the clients themselves: curl in its three readings, .NET, Python, Java and Node.js. real_clients.py says where
they are looked for.

usage: clients_e2e.py PROVISIONER [--rows N] [--proxies N] [--seed S]"""
import collections
import json
import random
import unittest
import urllib.parse

import real_clients
from clients_rows import ALL, ASCII, LESS_ODD, WELL_KNOWN, Lists, proxy_url
from harness import Handler, folder, must, options, serve

HTTP_PROXY, HTTPS_PROXY = "http://plain.proxy.example:3128", "http://tls.proxy.example:3129"
HERE, THERE = "127.7.7.7", "127.1.1.1"  # the proxies' address, and everyone else's
PER_LIST = 8
MOST_SHOWN = 20

OPTIONS = options(rows=1000, proxies=300, seed="clients")
PROVISIONER = OPTIONS.provisioner


def assignment(name, value):
    return '%s="%s"\n' % (name, value.replace("\\", "\\\\").replace('"', '\\"'))


class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = folder(cls)
        cls.clients, lacking = real_clients.curls(cls.work)
        try:
            cls.clients.append(real_clients.dotnet(cls.work))
        except real_clients.Missing as error:
            lacking.append(str(error))
        cls.others, lacking_others = real_clients.others()
        cls.nodes, lacking_nodes = real_clients.nodes()
        for one in lacking + lacking_others + lacking_nodes:
            print("SKIPPED: clients_e2e: " + one, flush=True)
        cls.all = cls.clients + cls.others + cls.nodes
        print("seed %s; %s" % (OPTIONS.seed, ", ".join("%s: %s" % (c.dialect, c.version) for c in cls.all)), flush=True)

    def explain(self, settings, urls):
        """What explain says: a list for each URL, of client to decision."""
        source, hosts = self.work / "proxy.env", self.work / "hosts"
        source.write_text(settings, encoding="utf-8")
        hosts.write_text("".join(url + "\n" for url in urls), encoding="utf-8")
        names = sorted({client.dialect for client in self.all} | {"java"})
        decisions = json.loads(must(PROVISIONER, "explain", source, "--hosts", hosts, "--for", ",".join(names), "--output", "json"))["decisions"]
        self.assertEqual(len(decisions), len(urls) * len(names))
        return [{one["client"]: one for one in decisions[i:i + len(names)]} for i in range(0, len(decisions), len(names))]

    def report(self, title, tallies, wrong):
        for name, tally in tallies.items():
            print("%s: %s: %s" % (title, name, ", ".join("%d %s" % (n, what) for what, n in sorted(tally.items()))), flush=True)
        for line in wrong[:MOST_SHOWN]:
            print("  unexplained: " + line)
        self.assertEqual(len(wrong), 0, "%d unexplained" % len(wrong))

    def of_version(self, client, row, said):
        """Whether a client differs because its version is older than that of our reading."""
        if client.dialect != "requests" or tuple(map(int, client.version.split(".")[:2])) >= (2, 33):
            return False
        # It took an entry for the end of a name, also within a label, and its leading dot with it.
        entries = [entry for entry in row[0].replace(" ", "").split(",") if entry]
        if said == "direct":
            return any(entry.startswith("..") or entry.startswith(".") and ":" in entry for entry in entries)
        to = urllib.parse.urlsplit(row[1])
        return any(to.hostname.endswith(entry) or to.netloc.endswith(entry) for entry in entries)

    def compare(self, title, clients, pieces, count):
        lists = Lists(random.Random(OPTIONS.seed + " lists"), pieces)
        rows, ours = [], []
        while len(rows) < count:
            no_proxy = lists.list()
            urls = [lists.url() for _ in range(PER_LIST)]
            settings = assignment("HTTP_PROXY", HTTP_PROXY) + assignment("HTTPS_PROXY", HTTPS_PROXY) + assignment("NO_PROXY", no_proxy)
            ours += self.explain(settings, urls)
            rows += [(no_proxy, url) for url in urls]
        known = " ".join(["plain.proxy.example:3128:" + HERE, "tls.proxy.example:3129:" + HERE] + ["*:%d:%s" % (port, THERE) for port in WELL_KNOWN])
        tallies, wrong = {}, []
        for client in clients:
            answers = client.ask([(HTTP_PROXY, HTTPS_PROXY, *row, known) for row in rows])
            tally = tallies[client.dialect + " " + client.version] = collections.Counter()
            for row, decisions, answer in zip(rows, ours, answers):
                decision = decisions[client.dialect]
                said = decision["decision"]
                if said == "proxy":
                    said = "plain" if "plain" in decision["proxy"] else "tls"
                done = {3128: "plain", 3129: "tls"}.get(answer.port, "direct") if answer.host else "no request"
                if done not in (said, "no request"):
                    done = "as other versions" if self.of_version(client, row, said) else "unexplained"
                tally[done] += 1
                if done == "unexplained":
                    wrong.append("%s %s: NO_PROXY %r, %s: explain %s (%s), the client %s" % (
                        client.dialect, client.version, row[0], row[1], said, decision["note"], answer))
            for what in ("direct", "plain", "tls"):
                self.assertGreater(tally[what], count // 20, "the comparison says little: %s of %s" % (what, client.dialect))
        self.report(title, tallies, wrong)

    def test_lists_and_destinations(self):
        self.compare("lists", self.clients, ALL, OPTIONS.rows)

    def test_python_and_java(self):
        self.compare("less odd lists", self.others, LESS_ODD, 2 * OPTIONS.rows)

    def test_node(self):
        # Each list is a process of its own.
        self.compare("Node.js", self.nodes, ASCII, OPTIONS.rows)

    def test_what_node_sends(self):
        """Whether Node.js asks the proxy at all, and how: with real connections."""
        class Listed(Handler):
            def do_GET(self):
                asked[self.server.server_port].append(self.requestline.partition(" HTTP/")[0])
                self.send_error(502)
            do_CONNECT = do_GET
        proxy, target = serve(self, Listed), serve(self, Listed)
        at = "127.0.0.1:%d" % target.server_port
        script = {"http": "require('http').get('http://%s/x', (a) => a.resume()).on('error', () => 0)" % at,
                  "fetch": "fetch('http://%s/x').catch(() => 0)" % at}
        for client in self.nodes:
            api = "http" if client.dialect == "nodehttp" else "fetch"
            through = ["CONNECT " + at] if client.dialect == "nodefetch24" else ["GET http://%s/x" % at]
            for value, options, proxied in [(None, [], False), ("true", [], False), ("1", [], True), ("0", ["--use-env-proxy"], True),
                                            ("1", ["--no-use-env-proxy"], False)]:
                asked = {server.server_port: [] for server in (proxy, target)}
                environment = {"HTTP_PROXY": "http://127.0.0.1:%d" % proxy.server_port, **({"NODE_USE_ENV_PROXY": value} if value else {})}
                must(client.command[0], *options, "-e", script[api], env=environment)
                with self.subTest(client=client.version, api=api, value=value, options=options):
                    self.assertEqual(asked[proxy.server_port], through if proxied else [])
                    self.assertEqual(asked[target.server_port], [] if proxied else ["GET /x"])

    def excuse(self, client, url, answer):
        """Why a client does something else than it is told to, known and safe: it never goes direct."""
        if answer.host is None and not url.isascii() and client.dialect.startswith(("curl", "node")):
            return "refused by the client"  # proxy-url-idn
        if answer.port == 1080 and client.dialect in ("curl7", "curl8"):
            return "port 1080"  # where the URL has none: proxy-url-port
        return None

    def test_proxy_urls(self):
        chance = random.Random(OPTIONS.seed + " proxies")
        urls = [proxy_url(chance) for _ in range(OPTIONS.proxies)]
        targets = ["http://target.example/", "https://target.example/"]
        ours = [self.explain(assignment("HTTP_PROXY", url) + assignment("HTTPS_PROXY", url), targets) if url else None for url in urls]
        tallies, wrong = {}, []
        for client in self.clients + self.nodes:
            tally = tallies[client.dialect + " " + client.version] = collections.Counter()
            rows, said = [], []
            for url, decisions in zip(urls, ours):
                for target, decision in zip(targets, decisions or []):
                    meant = decision["java"]["proxy"] if decision["java"]["decision"] == "proxy" else ""
                    host, _, port = meant.rpartition(":")
                    bare = host.strip("[]")
                    # curl's list of addresses takes no IPv6 host, and a leading '-' for a removal.
                    names = {"*"} if ":" in bare or "[" in url or bare.startswith("-") else {bare, bare.rstrip(".")} if bare.isascii() else set()
                    known = ["target.example:80:" + THERE, "target.example:443:" + THERE]
                    known += ["%s:%s:%s" % (name, one, HERE) for name in names - {""} for one in {port, "1080"}]
                    rows.append((url, url, "", target, " ".join(known)))
                    said.append((decision[client.dialect], bare, port))
            for (url, _, _, target, _), (decision, host, port), answer in zip(rows, said, client.ask(rows)):
                self.judge(client, (url, target), (decision, host, port), answer, tally, wrong)
            self.assertGreater(tally["used as meant"], OPTIONS.proxies // 10)
            self.assertGreater(tally["invalid"], OPTIONS.proxies // 10)
        self.report("proxies", tallies, wrong)

    def judge(self, client, row, said, answer, tally, wrong):
        decision, host, port = said
        if decision["decision"] == "invalid":
            tally["invalid"] += 1
            direct = answer.host in ("target.example", THERE)
            tally["of them direct"] += direct
            if "direct without an error" in decision["note"] and ".NET goes" in decision["note"] and client.dialect == "dotnet" and not direct:
                wrong.append("%r is said to make .NET go direct, and it does not: %s" % (row, answer))
            if "Node.js ends at its start" in decision["note"] and answer.host is not None:
                wrong.append("%r is said to end Node.js at its start, and it does not: %s" % (row, answer))
            if "curl refuses" in decision["note"] and answer.host is not None:
                wrong.append("%r is said to be refused by curl, and it is not: %s" % (row, answer))
            return
        to_proxy = answer.host is not None and str(answer.port) == port and (answer.host == HERE or real_clients.same_host(answer.host, host))
        as_said = "used as meant" if to_proxy and decision["decision"] == "proxy" else None
        if decision["decision"] == "direct" and answer.host in ("target.example", THERE):
            as_said = "direct, as said"
        if decision["decision"] == "proxy" and "so these requests fail" in decision["note"] and answer.host is None:
            as_said = "fails, as said"
        excuse = as_said or self.excuse(client, row[0], answer)
        tally[excuse or "unexplained"] += 1
        if not excuse:
            wrong.append("%s %s: %r: explain %s %s, the client %s" % (client.dialect, client.version, row, decision["decision"], decision["proxy"], answer))


if __name__ == "__main__":
    unittest.main()
