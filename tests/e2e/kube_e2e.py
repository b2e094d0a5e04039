#!/usr/bin/env python3
"""A cluster as a source, and `fleet status`: the program against a loopback API server. What can be wrong with one is tested in
tests/source and tests/fleet, what follows it in kube_node_e2e.py and cluster_e2e.py.

usage: kube_e2e.py PROVISIONER [unittest arguments]"""
import base64
import hashlib
import json
import os
import pty
import shutil
import signal
import subprocess
import time
import unittest

import output_schemas
from harness import ROOT, SAMPLE, argument, folder, run
from kube_api_server import BUNDLES, NODES, POOLS, ApiServer, Authority, kubeconfig

PROGRAM = argument()
ROOT_PEM, PROXY_PEM = (SAMPLE.with_name(f"{name}.pem").read_text() for name in ("corporate-root", "proxy-root"))
CONFIRMED = "/api/v1/namespaces/egress-provisioner/secrets/confirmed"
PROXY = "http://user:c4nary@proxy.example.test:3128"


class Kube(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keys = folder(cls)
        cls.authority, cls.other = Authority(cls.keys, "ca"), Authority(cls.keys, "other")
        cls.leaf = cls.authority.sign("api", "serverAuth", "IP:127.0.0.1")
        cls.client = cls.authority.sign("system:node:win-1", "clientAuth")

    def setUp(self):
        self.work = folder(self)
        self.server = ApiServer(self.leaf, self.authority.pem)
        self.addCleanup(self.close_server)
        self.server.put_config("rendered-worker-1", PROXY, ROOT_PEM)
        self.config()

    def close_server(self):
        self.server.close()
        self.server.held.close()  # no other server comes back

    def config(self, **options):
        (self.work / "config").write_text(kubeconfig(self.server.port, **{"ca": self.authority.pem, **options}))

    def run_program(self, *words):
        done = run(PROGRAM, *words, timeout=120, env={"PATH": os.environ["PATH"], "HOME": str(self.work), "KUBECONFIG": str(self.work / "config")})
        self.assertNotIn("c4nary", done.stdout + done.stderr)
        return done

    def extract(self, source="kube:///worker", *words, exit=0):
        done = self.run_program("extract", source, *words)
        self.assertEqual(done.returncode, exit, done.stdout + done.stderr)
        return json.loads(done.stdout)


class Source(Kube):
    def test_the_pool_leads_to_its_config_and_to_the_next_one(self):
        first = self.extract()
        self.assertEqual(first["source"]["name"], "rendered-worker-1")
        self.assertEqual(first["proxy"]["HTTP_PROXY"], PROXY.replace("c4nary", "***"))
        self.assertEqual(len(first["trustBundle"]["certificates"]), 1)
        self.assertEqual(self.server.seen[0], (POOLS + "/worker", {}, "system:serviceaccount:test"))
        self.server.put_config("rendered-worker-2", "http://two.example.test:3128", ROOT_PEM + PROXY_PEM)
        second = self.extract("kube://loop/machineconfigpool/worker")
        self.assertEqual(second["proxy"]["HTTP_PROXY"], "http://two.example.test:3128")
        self.assertEqual(len(second["trustBundle"]["certificates"]), 2)
        self.assertEqual(self.extract("kube:///machineconfig/rendered-worker-1")["source"]["name"], "rendered-worker-1")

    def test_objects_with_certificates_alone(self):
        """They say nothing of the proxy, and the newest version that the server has is read."""
        self.server.put("/api/v1/namespaces/trust/configmaps/corporate", data={"note": "text", "roots.pem": ROOT_PEM, "more.pem": PROXY_PEM})
        self.server.put(f"{BUNDLES}/example.com:signer:roots", spec={"signerName": "example.com/signer", "trustBundle": ROOT_PEM + PROXY_PEM})
        several = self.extract("kube:///configmap/trust/corporate", exit=11)["error"]
        self.assertEqual(several["code"], "invalid-config")
        self.assertIn("in several keys: roots.pem, more.pem", several["message"])
        for source, kind, count in (("kube:///configmap/trust/corporate:roots.pem", "ConfigMap", 1),
                                    ("kube:///clustertrustbundle/example.com:signer:roots", "ClusterTrustBundle", 2)):
            said = self.extract(source)
            self.assertEqual((said["source"]["kind"], len(said["trustBundle"]["certificates"])), (kind, count))
            self.assertEqual((said["proxy"], said["proxyFile"]["present"]), ({}, False))
        self.assertEqual([path for path, _, _ in self.server.seen if "trustbundles" in path],
                         [f"{BUNDLES.replace('v1beta1', version)}/example.com:signer:roots" for version in ("v1", "v1beta1")])

    def test_a_client_certificate_says_who_asks(self):
        certificate, key = self.client
        shutil.copy(key, self.work / "node.key")
        self.config(user=f"    client-certificate: {certificate}\n    client-key: node.key\n")
        self.extract()
        self.assertEqual({who for _, _, who in self.server.seen}, {"system:node:win-1"})

    def test_only_the_clusters_ca_counts(self):
        self.config(ca=self.other.pem)
        self.assertEqual(self.extract(exit=14)["error"]["code"], "tls")
        self.assertEqual(self.server.seen, [], "nothing was sent to an unknown server")
        self.extract("kube:///worker", "--ca", self.authority.pem)
        self.config(cluster="    insecure-skip-tls-verify: true\n")
        self.assertEqual(self.extract(exit=14)["error"]["code"], "tls")


class Fleet(Kube):
    """What nodes report, compared with what they should have."""

    def setUp(self):
        super().setUp()
        self.digest = self.extract()["digest"]

    def state(self, digest, **members):
        return {"schema": 1, "digest": digest, "credentialDigest": None, "generation": None, "appliedAt": "2026-01-01T00:00:00Z",
                "readAt": "2026-01-02T00:00:00Z", "drift": 0, "rebootRequired": False, "failure": None, "version": "0.1.0", **members}

    def status(self, exit_code, *words, cluster="kube://"):
        done = self.run_program("fleet", "status", cluster, "--output", "json", *words)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        document = output_schemas.check("fleet-status", json.loads(done.stdout))
        return document, {node["name"]: node for node in document.get("nodes", [])}

    def test_each_node_is_compared_with_the_pool(self):
        self.server.put_node("win-1", self.state(self.digest, rebootRequired=True, drift=2, staleServices=["containerd"]))
        self.server.put_node("win-2", self.state("0" * 64, failure={"code": "network", "message": "no answer"}))
        self.server.put_node("win-3")
        self.server.put_node("linux-1", system="linux")
        document, nodes = self.status(4)
        self.assertEqual((document["schema"], document["wanted"]), (1, self.digest))
        self.assertEqual(sorted(nodes), ["win-1", "win-2", "win-3"])
        self.assertEqual(nodes["win-1"], {"name": "win-1", "digest": self.digest, "current": True, "credentialsCurrent": None,
                                          "appliedAt": "2026-01-01T00:00:00Z", "readAt": "2026-01-02T00:00:00Z", "drift": 2,
                                          "staleServices": ["containerd"], "rebootRequired": True, "reboot": "needed", "held": False, "failure": None,
                                          "version": "0.1.0"})
        self.assertFalse(nodes["win-2"]["current"])
        self.assertEqual(nodes["win-2"]["failure"], {"code": "network", "message": "no answer"})
        self.assertEqual((nodes["win-3"]["digest"], nodes["win-3"]["current"]), (None, False))

    def test_a_node_that_is_held_says_so(self):
        self.server.put_node("win-1", self.state(None, held=True))
        _, nodes = self.status(4)
        self.assertTrue(nodes["win-1"]["held"])
        self.assertIn("win-1  held", self.run_program("fleet", "status", "kube://").stdout)

    def put_rollout(self, digest, **progress):
        order = {"digest": digest, "previous": "0" * 64, "attempt": 2, "canaries": 1, "wave": 10, "waveIsPercent": True, "soakSeconds": 0,
                 "timeoutSeconds": 60, "mostUnreachable": 0, "takesBack": False}
        record = {"schema": 1, "order": order, "progress": {"phase": "open", "wave": 1, "members": [], "waveSince": 0, "confirmedSince": None,
                                                             "reason": "", "failed": [], **progress},
                  "approval": {"probes": [], "images": [], "trialSeconds": 60}}
        self.server.put(CONFIRMED, {"egress-provisioner/rollout": json.dumps(record)}, data={})

    def test_a_rollout_shows_what_waits_and_what_was_taken_back(self):
        old, trial = "0" * 64, {"digest": self.digest, "attempt": 2, "result": "rolledBack", "reason": "https://quay.io/ did not answer"}
        approved = {"egress-provisioner/approved": self.digest, "egress-provisioner/rollout": '{"attempt": 2}'}
        self.server.put_node("win-1", self.state(self.digest, pending=None, trial={**trial, "result": "confirmed"}))
        self.server.put_node("win-2", self.state(old, pending=self.digest, trial=trial))
        self.server.put_node("win-3", self.state(old, pending=self.digest, trial=None))
        self.server.put_node("win-4", self.state(self.digest))
        self.server.objects[f"{NODES}/win-2"]["metadata"]["annotations"] |= approved
        document, nodes = self.status(4)
        self.assertIsNone(document["rollout"], "there was none yet")
        self.assertEqual((nodes["win-2"]["pending"], nodes["win-2"]["trial"]["result"]), (self.digest, "rolledBack"))
        self.assertNotIn("pending", nodes["win-4"], "it waits for nothing")
        self.put_rollout(self.digest, phase="failed", reason="win-2 took the settings back")
        rollout = self.status(4)[0]["rollout"]
        self.assertEqual((rollout["phase"], rollout["attempt"]), ("failed", 2))
        self.assertEqual(rollout["standings"], {"win-1": "confirmed", "win-2": "tookBack", "win-3": "waiting", "win-4": "apart"})
        shown = self.run_program("fleet", "status", "kube://").stdout
        self.assertRegex(shown, "win-2  reverted .*https://quay.io/ did not answer\n")
        self.assertIn("win-3  pending", shown)
        self.assertTrue(shown.endswith(f"rollout of {self.digest[:12]}: failed: wave 1, 1 apart, 1 waiting, 1 confirmed, 1 took back\n"
                                       "win-2 took the settings back\n"), shown)
        self.server.denied.add(("get", "secrets"))
        done = self.run_program("fleet", "status", "kube://")
        self.assertIn("[fleet-rollout]", done.stderr)
        self.assertIn("win-3  pending", done.stdout)

    def rollout(self, word, exit_code, *words):
        done = self.run_program("fleet", word, "kube://", "--output", "json", *words)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        document = json.loads(done.stdout)
        return document["error"] if "error" in document else output_schemas.check("fleet-rollout", document)

    def test_reboots_that_nothing_waits_for_or_that_can_not_begin(self):
        def reboot(exit_code, *words):
            done = self.run_program("fleet", "reboot", "kube://", "--output", "json", *words)
            self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
            return output_schemas.check("fleet-reboot", json.loads(done.stdout))

        self.server.put_node("win-1", self.state(self.digest, rebootRequired=True, drain={"boot": "7", "waits": False, "asked": False}))
        self.assertEqual(reboot(0)["phase"], "done")
        self.assertIn("1 of the others needs a reboot and does not wait for it now", self.run_program("fleet", "reboot", "kube://").stdout)
        self.server.put_node("win-1", self.state(self.digest, rebootRequired=True, drain={"boot": "7", "waits": True, "asked": False}))
        self.server.objects[f"{NODES}/win-1"]["status"]["conditions"][0]["status"] = "Unknown"
        self.assertEqual(self.status(0)[1]["win-1"]["reboot"], "waits")
        (node,) = reboot(4, "--wave", "2", "--force")["nodes"]
        self.assertEqual(node, {"name": "win-1", "stage": "waits", "cordoned": False, "reason": "waits for its reboot, and is not ready"})
        self.assertEqual(self.run_program("fleet", "reboot", "kube://", "--wave", "10%").returncode, 10)
        self.assertIn("is not for fleet reboot", self.run_program("fleet", "reboot", "kube://", "--canary", "1").stderr)

    def test_a_rollout_of_what_nodes_have_is_done_and_kept(self):
        self.server.put_node("win-1", self.state(self.digest))
        self.assertIn("of 1 Windows nodes, 1 take settings without approval", self.rollout("rollout", 11)["message"])
        self.assertNotIn(CONFIRMED, self.server.objects)
        self.server.put_node("win-1", self.state(self.digest, pending=None, trial=None))
        self.server.put_node("win-2", self.state("0" * 64))
        self.server.put_node("win-3", self.state(self.digest, pending=None, trial=None))
        done = self.rollout("rollout", 4)
        self.assertEqual((done["phase"], done["wave"]), ("done", 0))
        self.assertEqual({node["name"]: node["standing"] for node in done["nodes"]}, {"win-1": "confirmed", "win-2": "apart", "win-3": "confirmed"})
        self.assertEqual([one["code"] for one in done["findings"] if one["code"].startswith("rollout")], ["rollout-apart"])
        kept = json.loads(base64.b64decode(self.server.objects[CONFIRMED]["data"]["egress.json"]))
        self.assertIn("proxy.example.test", base64.b64decode(kept["files"][0]["data"]).decode())
        self.assertNotIn("next.json", self.server.objects[CONFIRMED]["data"])

    def test_a_rollout_that_a_person_holds_approves_nothing(self):
        self.assertEqual(self.rollout("hold", 11)["code"], "not-found")
        self.server.put_node("win-1", self.state("0" * 64, pending=self.digest, trial=None))
        self.put_rollout(self.digest)
        self.assertEqual(self.rollout("hold", 0)["phase"], "held")
        self.assertEqual(self.rollout("hold", 11)["message"], "no rollout is open, so there is nothing to hold: the last one is held")
        held = self.rollout("rollout", 4)
        self.assertEqual((held["phase"], held["nodes"][0]["standing"]), ("held", "waiting"))
        self.assertIn("provisioner fleet resume", self.run_program("fleet", "rollout", "kube://").stdout)
        self.assertNotIn("egress-provisioner/approved", self.server.objects[f"{NODES}/win-1"]["metadata"]["annotations"])
        self.assertEqual(self.rollout("resume", 0)["phase"], "open")
        self.assertEqual(json.loads(self.server.objects[CONFIRMED]["metadata"]["annotations"]["egress-provisioner/rollout"])["progress"]["phase"], "open")

    def test_the_state_is_watched_on_a_terminal(self):
        self.server.put_node("win-1", self.state("0" * 64))
        for words, why in ((["--wait", "5"], "leave one out"), (["--output", "json"], "leave one out"), ([], "needs a terminal")):
            done = self.run_program("fleet", "status", "kube://", "--watch", *words)
            self.assertEqual(done.returncode, 10)
            self.assertIn(why, done.stdout + done.stderr)
        terminal, child = pty.openpty()
        with subprocess.Popen([PROGRAM, "fleet", "status", "kube://", "--watch"], stdin=child, stdout=child, stderr=child,
                              env={"PATH": os.environ["PATH"], "HOME": str(self.work), "TERM": "xterm", "KUBECONFIG": str(self.work / "config")},
                              start_new_session=True) as watching:
            os.close(child)
            seen = b""
            changed = False
            while b"1 of 1 nodes are current" not in seen:
                seen += os.read(terminal, 65536)
                if b"0 of 1 nodes are current" in seen and not changed:
                    self.server.put_node("win-1", self.state(self.digest))
                    changed = True
            watching.send_signal(signal.SIGINT)
            self.assertEqual(watching.wait(timeout=60), 0)
        os.close(terminal)
        self.assertGreaterEqual(seen.count(b"\x1b[H\x1b[J"), 2)

    def test_a_table_for_people(self):
        self.server.put_node("win-1", self.state(self.digest))
        self.server.put_node("win-22", self.state("0" * 64, failure={"code": "network", "message": "no \x1b[2J answer"}))
        done = self.run_program("fleet", "status", "kube://")
        self.assertEqual(done.returncode, 4)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0].split(), ["NODE", "CURRENT", "DIGEST", "APPLIED", "DRIFT", "REBOOT", "VERSION", "FAILURE"])
        self.assertEqual(lines[1].split()[:3], ["win-1", "yes", self.digest[:12]])
        self.assertIn("[network] no \\x1b[2J answer", lines[2])
        self.assertTrue(lines[3].startswith(f"1 of 2 nodes are current; wanted {self.digest[:12]} of MachineConfig rendered-worker-1"))

    def test_all_current_is_zero_and_so_is_no_node(self):
        self.assertEqual(self.run_program("fleet", "status", "kube://").stdout,
                         "the cluster has no Windows nodes (label kubernetes.io/os=windows)\n")
        self.server.put_node("win-1", self.state(self.digest))
        self.status(0)

    def test_another_source_is_wanted(self):
        self.server.put_node("win-1", self.state(self.digest))
        wanted = self.work / "proxy.env"
        wanted.write_text("HTTP_PROXY=http://other.example.test:3128\n")
        document, _ = self.status(4, "--source", wanted)
        self.assertEqual(document["wanted"], self.extract(wanted)["digest"])
        self.server.put_node("win-1", self.state(document["wanted"]))
        self.status(0, "--source", wanted)
        self.status(4)

    def test_a_changed_password_shows(self):
        text = b"".join(b"%d:%s" % (len(part), part) for name in (b"HTTP_PROXY", b"HTTPS_PROXY") for part in (name, b"user", b"c4nary"))
        key = hashlib.pbkdf2_hmac("sha256", text, self.digest.encode(), 600000).hex()
        self.server.put_node("win-1", self.state(self.digest, credentialDigest="pbkdf2-sha256:600000:" + key))
        self.server.put_node("win-2", self.state(self.digest, credentialDigest="pbkdf2-sha256:600000:" + "0" * 64))
        self.server.put_node("win-3", self.state(self.digest, credentialDigest="of a later program"))
        _, nodes = self.status(4)
        self.assertEqual([(n["current"], n["credentialsCurrent"]) for n in nodes.values()], [(True, True), (False, False), (True, None)])
        self.assertIn("win-2  password", self.run_program("fleet", "status", "kube://").stdout)

    def at_look(self, number, what):
        """Calls `what` when the nodes are asked for so many times from now, before that is answered."""
        left = [number]

        def fault(_handler, path, _query):
            if path == NODES:
                left[0] -= 1
                if left[0] == 0:
                    what()
            return False

        self.server.faults.append(fault)

    def deny(self):
        self.server.denied.add(("list", "nodes"))

    def become_current(self):
        self.server.put_node("win-1", self.state(self.digest))

    def test_it_waits_until_the_last_node_is_current(self):
        self.server.put_node("win-1", self.state("0" * 64))
        self.at_look(2, self.become_current)
        begin = time.monotonic()
        self.status(0, "--wait", "60")
        self.assertLess(time.monotonic() - begin, 30)

    def test_it_waits_for_the_first_node(self):
        """A pipeline must not go on because no node has joined yet, or because the context is another cluster's."""
        document, _ = self.status(4, "--wait", "1")
        self.assertEqual(document["nodes"], [])
        self.at_look(2, self.become_current)
        _, nodes = self.status(0, "--wait", "60")
        self.assertEqual(list(nodes), ["win-1"])

    def test_a_server_that_is_away_meanwhile_does_not_end_the_wait(self):
        self.server.put_node("win-1", self.state("0" * 64))
        self.at_look(2, self.deny)
        self.at_look(3, lambda: (self.become_current(), self.server.denied.clear()))
        self.status(0, "--wait", "60")

    def test_a_server_that_stays_away_is_an_error_at_the_end(self):
        self.server.put_node("win-1", self.state("0" * 64))
        self.at_look(2, self.deny)
        document, _ = self.status(14, "--wait", "8")
        self.assertEqual(document["error"]["code"], "network")

    def test_what_is_wanted_may_change_meanwhile(self):
        self.server.put_node("win-1", self.state(self.digest))
        self.server.put_config("rendered-worker-2", PROXY, ROOT_PEM + PROXY_PEM)
        self.status(4)
        self.at_look(2, lambda: self.server.put_config("rendered-worker-1", PROXY, ROOT_PEM))
        self.status(0, "--wait", "60")

    def check_pods(self):
        return self.run_program("pod-env", "kube://", "--pod", "kube://", "--check", "--trust", "configmap/user-ca")

    def test_workloads_that_do_not_trust_the_bundle_are_found(self):
        trust = {"volumes": [{"name": "egress-trust", "configMap": {"name": "user-ca"}}]}
        path = "/etc/egress-trust/ca-bundle.crt"
        names = ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "AWS_CA_BUNDLE")
        proxies = [{"name": n, "value": PROXY} for n in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy")]
        proxies += [{"name": n, "value": "localhost,.svc"} for n in ("NO_PROXY", "no_proxy")]
        container = {"name": "c", "env": [{"name": n, "value": path} for n in names] + proxies,
                     "volumeMounts": [{"name": "egress-trust", "mountPath": "/etc/egress-trust"}]}
        for number in range(150):
            lacks = number == 149
            spec = {"containers": [{"name": "c"}]} if lacks else {"containers": [container], **trust}
            self.server.put(f"/apis/apps/v1/deployments/web-{number:03}", spec={"template": {"spec": spec}})
        done = self.check_pods()
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual((document["lacking"], [o["name"] for o in document["objects"]]), (1, ["web-149"]))
        spec = {"containers": [container], "volumes": [{"name": "egress-trust", "configMap": {"name": "another"}}]}
        self.server.put("/apis/apps/v1/statefulsets/other", spec={"template": {"spec": spec}})
        done = self.check_pods()
        self.assertEqual(done.returncode, 4, "one workload with another ConfigMap hides none: " + done.stdout + done.stderr)
        self.assertEqual([o["name"] for o in json.loads(done.stdout)["objects"]], ["web-149", "other"])
        self.server.put("/apis/node.k8s.io/v1/runtimeclasses/win", scheduling={"nodeSelector": {"kubernetes.io/os": "windows"}})
        self.server.put("/apis/apps/v1/statefulsets/other", spec={"template": {"spec": {"runtimeClassName": "win", "containers": [{"name": "c"}]}}})
        for denied, system in (set(), "windows"), ({("list", "runtimeclasses")}, "linux"):
            self.server.denied = denied
            document = json.loads(self.check_pods().stdout)
            self.assertEqual([o["os"] for o in document["objects"]], ["linux", system])
            self.assertEqual("pod-runtime-class" in [f["code"] for f in document["findings"]], bool(denied))
        self.server.denied = {("list", "daemonsets")}
        done = self.check_pods()
        self.assertEqual(done.returncode, 14)
        self.assertIn('apiGroups ["apps"], resources ["daemonsets"], verbs ["list"]', json.loads(done.stdout)["error"]["message"])

    def test_a_cluster_without_pools_wants_a_source(self):
        self.server.put_node("win-1", self.state(self.digest))
        del self.server.objects[POOLS + "/worker"]
        document, _ = self.status(11)
        self.assertEqual(document["error"]["code"], "not-found")
        self.assertIn("--source SOURCE", document["error"]["message"])

    def test_failures_say_what_is_missing(self):
        self.server.denied.add(("list", "nodes"))
        document, _ = self.status(14)
        self.assertIn('resources ["nodes"], verbs ["list"]', document["error"]["message"])


if __name__ == "__main__":
    unittest.main()
