"""What the audit log of a kube-apiserver says of reboots in turns (rollout_audit.py reads it): at most so many nodes have a turn at once, none
is approved before its pods are gone, each restarts once for an approval and never without, and what somebody else cordoned stays so."""
import dataclasses
import json

import rollout_audit
from rollout_audit import STATE, entries, seconds

TURN, APPROVED = (f"egress-provisioner/{word}" for word in ("reboot-turn", "reboot-approved"))
POLICY = {**rollout_audit.POLICY, "rules": [
    {"level": "Request", "verbs": ["create"], "resources": [{"group": "", "resources": ["pods/binding", "pods/eviction"]}]}, *rollout_audit.POLICY["rules"]]}


def options(folder):
    """The API server's, for a log in this folder; as rollout_audit.options."""
    words = rollout_audit.options(folder)
    (folder / "audit-policy.json").write_text(json.dumps(POLICY))
    return words


@dataclasses.dataclass
class Node:
    pods: set = dataclasses.field(default_factory=set)  # bound to it by the scheduler
    turn: dict = None
    cordoned: bool = False
    approved: str = ""
    boot: str = ""


class Turns:
    def __init__(self, wave):
        self.wave, self.faults, self.nodes = wave, [], {}
        self.approvals, self.evicted, self.deleted = [], [], set()  # (node, boot); (pod, status); pods

    def node(self, name):
        return self.nodes.setdefault(name, Node())

    def take(self, entry):
        what, body = entry.get("objectRef", {}), entry.get("requestObject") or {}
        code = entry.get("responseStatus", {}).get("code", 0)
        kind, pod = (what.get("resource"), what.get("subresource")), (what.get("namespace"), what.get("name"))
        if kind == ("pods", "eviction"):
            self.evicted.append((pod[1], code))
        if not 200 <= code < 300:
            return
        if kind == ("pods", "binding"):
            self.node(body["target"]["name"]).pods.add(pod)
        elif kind == ("pods", None) and entry["verb"] == "delete":
            self.deleted.add(pod[1])
            for node in self.nodes.values():
                node.pods.discard(pod)
        elif kind == ("nodes", None) and entry["verb"] in ("create", "patch"):
            self.write(what.get("name") or body["metadata"]["name"], body, entry["user"]["username"])

    def write(self, name, body, user):
        node, annotations = self.node(name), (body.get("metadata") or {}).get("annotations") or {}
        if STATE in annotations and (drain := json.loads(annotations[STATE] or "{}").get("drain")):
            self.boot(name, node, drain["boot"])
        was_cordoned, spec = node.cordoned, body.get("spec") or {}
        if "unschedulable" in spec:
            node.cordoned = bool(spec["unschedulable"])
        if annotations.get(TURN):
            node.turn = json.loads(annotations[TURN])
            if node.turn["cordoned"] == was_cordoned:
                self.faults.append(f"{user} marked {name} as cordoned={node.turn['cordoned']}, and it was {was_cordoned}")
        if annotations.get(APPROVED):
            self.approve(name, node, annotations[APPROVED])
        if TURN in annotations and annotations[TURN] is None:
            self.end(name, node)
        if (count := sum(one.turn is not None for one in self.nodes.values())) > self.wave:
            self.faults.append(f"{count} nodes have a turn since {name}")

    def approve(self, name, node, boot):
        if node.turn is None or not node.cordoned:
            self.faults.append(f"{name} was approved without a turn or a cordon")
        if node.pods:
            self.faults.append(f"{name} was approved while it had {sorted(node.pods)}")
        if boot != node.boot or (name, boot) in self.approvals:
            self.faults.append(f"{name} was approved for boot {boot} again, or is in {node.boot}")
        node.approved = boot
        self.approvals.append((name, boot))

    def boot(self, name, node, boot):
        if node.boot and boot != node.boot and node.approved != node.boot:
            self.faults.append(f"{name} restarted without an approval of {node.boot}")
        node.boot = boot

    def end(self, name, node):
        if node.approved and node.approved == node.boot:
            self.faults.append(f"{name} was given back before it restarted")
        if node.turn and node.turn["cordoned"] == node.cordoned:
            self.faults.append(f"{name} was given back with cordoned={node.cordoned}, and its cordon was {'ours' if node.turn['cordoned'] else 'not ours'}")
        node.turn, node.approved = None, ""


def turns(path, wave):
    """All that the log says, in the order in which it came."""
    log = [entry for entry in entries(path) if entry["stage"] == "ResponseComplete" and entry["verb"] in rollout_audit.WRITES]
    log.sort(key=lambda entry: seconds(entry["requestReceivedTimestamp"]))
    out = Turns(wave)
    for entry in log:
        out.take(entry)
    return out
