#!/usr/bin/env python3
"""`egress-ip` against a second reading of the rules, over clusters that are made up: openshift-sdn's as a model of a few lines, and
for what is spread over nodes the properties that each result must have.

usage: egress_ip_e2e.py PROVISIONER [--clusters N] [--seed S]"""
import ipaddress
import json
import random
import unittest

from harness import must, options

OPTIONS = options(clusters=120, seed="egress-ip")
PROVISIONER = OPTIONS.provisioner
POOL = ["10.0.0.%d" % n for n in range(100, 108)]


def egress_ip(objects, offline):
    words = [PROVISIONER, "egress-ip", "-", "--output", "json"] + (["--offline", *sorted(offline)] if offline else [])
    document = json.dumps({"kind": "List", "apiVersion": "v1", "items": objects})
    return json.loads(must(*words, input=document, timeout=60))


def told(report):
    """{namespace: (decision, {address: node})}"""
    return {one["name"]: (one["decision"], {a["ip"]: a["node"] for a in one["addresses"]}) for one in report["namespaces"]}


def net_namespace(number, requested):
    return {"apiVersion": "network.openshift.io/v1", "kind": "NetNamespace", "metadata": {"name": "ns-%d" % number}, "netid": 100 + number, "egressIPs": requested}


def host_subnet(name, addresses, networks=()):
    return {"apiVersion": "network.openshift.io/v1", "kind": "HostSubnet", "metadata": {"name": name}, "hostIP": "10.0.0.%d" % (1 + int(name[5:])),
            "egressIPs": sorted(addresses), "egressCIDRs": list(networks)}


def sdn_model(requests, nodes, offline):
    """Tells from who claims an address what each namespace leaves with."""
    on = {ip: [node for node, has in nodes.items() if ip in has] for ip in POOL}
    wanted = {ip: [name for name, asks in requests.items() if ip in asks] for ip in POOL}

    def active(ip, asks):
        return len(on[ip]) == 1 and not any(other != ip and on[other] == on[ip] for other in asks)

    out = {}
    for name, asks in requests.items():
        if not asks:
            out[name] = ("nodeIP", {})
            continue
        clash = any(len(wanted[ip]) > 1 for ip in asks)
        usable = {} if clash else {ip: on[ip][0] for ip in asks if active(ip, asks) and on[ip][0] not in offline}
        out[name] = ("egressIP", usable) if usable else ("dropped", {})
    return out


class Clusters(unittest.TestCase):
    def clusters(self, what):
        for number in range(OPTIONS.clusters):
            yield random.Random("%s %s %d" % (OPTIONS.seed, what, number))

    def some(self, choice, most):
        return choice.sample(POOL, choice.randint(0, most))

    def offline(self, choice, nodes):
        return {node for node in nodes if choice.random() < 0.25}

    def test_sdn_as_the_model_has_it(self):
        decisions = []
        for choice in self.clusters("claims"):
            requests = {"ns-%d" % n: self.some(choice, 3) for n in range(choice.randint(1, 5))}
            nodes = {"node-%d" % n: set(self.some(choice, 3)) for n in range(choice.randint(1, 4))}
            offline = self.offline(choice, nodes)
            objects = [net_namespace(int(name[3:]), asks) for name, asks in requests.items()] + [host_subnet(*pair) for pair in nodes.items()]
            choice.shuffle(objects)
            found = told(egress_ip(objects, offline))
            self.assertEqual(found, sdn_model(requests, nodes, offline), (requests, nodes, offline))
            decisions += [decision for decision, _ in found.values()]
        self.assertEqual(set(decisions), {"egressIP", "nodeIP", "dropped"})

    def test_sdn_spreads_addresses_by_networks(self):
        given = 0
        for choice in self.clusters("networks"):
            asked = choice.sample(POOL, choice.randint(1, len(POOL)))
            requests = {"ns-%d" % n: [] for n in range(choice.randint(1, 4))}
            for ip in asked:  # each by one namespace
                choice.choice(list(requests.values())).append(ip)
            networks = {"node-%d" % n: choice.sample(["10.0.0.96/29", "10.0.0.104/29", "10.0.0.0/24", "10.9.0.0/24"], choice.randint(1, 2))
                        for n in range(choice.randint(1, 4))}
            offline = self.offline(choice, networks)
            namespaces = [net_namespace(int(name[3:]), asks) for name, asks in requests.items()]
            report = egress_ip(namespaces + [host_subnet(name, [], cidrs) for name, cidrs in networks.items()], offline)
            found = told(report)
            has = {node["name"]: set(node["egressIPs"]) for node in report["nodes"]}
            about = (requests, networks, offline, found)
            for name, (decision, addresses) in found.items():
                self.assertEqual(decision, "nodeIP" if not requests[name] else "egressIP" if addresses else "dropped", about)
                self.assertEqual(len(set(addresses.values())), len(addresses), about)  # one of a node
                for ip in requests[name]:
                    could = {node for node, cidrs in networks.items() if node not in offline and
                             any(ipaddress.ip_address(ip) in ipaddress.ip_network(cidr) for cidr in cidrs)}
                    if ip in addresses:
                        self.assertIn(addresses[ip], could, about)
                        self.assertIn(ip, has[addresses[ip]], about)
                    else:
                        self.assertLessEqual(could, set(addresses.values()), about)
                given += len(addresses)
            again = [host_subnet(name, has[name], cidrs) for name, cidrs in networks.items()]
            self.assertEqual(told(egress_ip(namespaces + again, offline)), found, "a second run moves addresses: %s" % (about,))
        self.assertGreater(given, OPTIONS.clusters)

    def ovn_node(self, choice, number):
        labels = {"kubernetes.io/os": "windows" if choice.random() < 0.25 else "linux"}
        if choice.random() < 0.8:
            labels["k8s.ovn.org/egress-assignable"] = ""
        return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-%d" % number, "labels": labels, "annotations": {
            "k8s.ovn.org/node-primary-ifaddr": json.dumps({"ipv4": "10.0.0.%d/24" % (1 + number)})}},
            "status": {"addresses": [{"type": "InternalIP", "address": "10.0.0.%d" % (1 + number)}], "conditions": [{"type": "Ready", "status": "True"}]}}

    def egress_ip_object(self, name, addresses, label, given=()):
        return {"apiVersion": "k8s.ovn.org/v1", "kind": "EgressIP", "metadata": {"name": name}, "spec": {
            "egressIPs": addresses, "namespaceSelector": {"matchLabels": {"is": label}}}, "status": {"items": [{"egressIP": i, "node": n} for i, n in given]}}

    def test_ovn_gives_addresses_to_nodes_that_can_have_them(self):
        given = 0
        for choice in self.clusters("ovn"):
            nodes = [self.ovn_node(choice, n) for n in range(choice.randint(1, 5))]
            offline = self.offline(choice, [node["metadata"]["name"] for node in nodes])
            could = {node["metadata"]["name"] for node in nodes if node["metadata"]["labels"].get("k8s.ovn.org/egress-assignable") is not None and
                     node["metadata"]["labels"]["kubernetes.io/os"] == "linux"} - offline
            pool = choice.sample(POOL, len(POOL))
            wanted = {"ns-%d" % n: [pool.pop() for _ in range(choice.randint(1, 2))] for n in range(choice.randint(1, 4))}
            spaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"is": name}}} for name in wanted]
            spaces.append({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}})
            found = told(egress_ip(nodes + spaces + [self.egress_ip_object("e-" + name, ips, name) for name, ips in wanted.items()], offline))
            about = (wanted, could, offline, found)
            self.assertEqual(found["other"], ("nodeIP", {}), about)
            count = dict.fromkeys(could, 0)
            for name, ips in wanted.items():
                decision, addresses = found[name]
                self.assertEqual(decision, "egressIP" if addresses else "nodeIP", about)
                self.assertEqual(len(addresses), min(len(ips), len(could)), about)
                self.assertEqual(len(set(addresses.values())), len(addresses), about)
                for node in addresses.values():
                    self.assertIn(node, could, about)
                    count[node] += 1
                given += len(addresses)
            # The fewest first: with one or two for each EgressIP no node gets two more than another.
            self.assertLessEqual(max(count.values(), default=0) - min(count.values(), default=0), 1, about)
            again = [self.egress_ip_object("e-" + name, ips, name, found[name][1].items()) for name, ips in wanted.items()]
            self.assertEqual(told(egress_ip(nodes + spaces + again, offline)), found, "what the status says moves: %s" % (about,))
        self.assertGreater(given, OPTIONS.clusters)


if __name__ == "__main__":
    unittest.main()
