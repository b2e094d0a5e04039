"""What the audit log of a kube-apiserver says of rollouts. It is the API server's own record: nothing here is said by the program that is
tested, but for what nodes write into their own annotations.

  faults_of_waves       no node is approved before those of all former waves are confirmed and have soaked; none after one took it back
  faults_of_turns       only who has the Lease writes, and nobody takes it who has not waited for its end
  Requests              how many, of whom"""
import collections
import dataclasses
import datetime
import json

APPROVED, ORDER, STATE = (f"egress-provisioner/{word}" for word in ("approved", "rollout", "state"))
LEASE, SECRET = "egress-provisioner-rollout", "confirmed"
WRITES = ["create", "update", "patch", "delete"]
# With the bodies of what is written to nodes, Secrets and Leases. JSON is YAML.
POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"], "rules": [
    {"level": "Request", "verbs": WRITES, "resources": [{"group": "", "resources": ["nodes", "nodes/status", "secrets"]},
                                                        {"group": "coordination.k8s.io", "resources": ["leases"]}]},
    {"level": "Metadata"}]}


def options(folder):
    """The API server's, for a log in this folder. Its path is log_of(folder)."""
    policy = folder / "audit-policy.json"
    policy.write_text(json.dumps(POLICY))
    return [f"--audit-policy-file={policy}", f"--audit-log-path={log_of(folder)}", "--audit-log-maxsize=4000"]


def log_of(folder):
    return folder / "audit.log"


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def entries(path):
    """A last line that is cut off is left out: the server may be writing it."""
    with open(path, encoding="utf-8") as log:
        for line in log:
            if line.endswith("\n"):
                yield json.loads(line)


@dataclasses.dataclass
class Write:
    """One that the server accepted."""
    at: float  # Unix time at which it came
    user: str
    kind: str  # approval, state, ready, lease, record
    name: str  # of the object
    value: object  # of an approval: (digest or None, attempt); of a state: what it says; of `ready`: whether; of a Lease: the holder or ""


def condition(body):
    for one in (body.get("status") or {}).get("conditions", []):
        if one.get("type") == "Ready":
            return one.get("status") == "True"
    return None


def parts_of(entry):
    """[(kind, value)] of what one request wrote."""
    what, body = entry["objectRef"], entry.get("requestObject") or {}
    resource, out = what.get("resource"), []
    if resource == "nodes":
        annotations = (body.get("metadata") or {}).get("annotations") or {}
        if APPROVED in annotations:
            order = json.loads(annotations.get(ORDER) or "{}")
            out.append(("approval", (annotations[APPROVED], order.get("attempt", 0))))
        if annotations.get(STATE):
            out.append(("state", json.loads(annotations[STATE])))
        if (ready := condition(body)) is not None:
            out.append(("ready", ready))
    elif resource == "leases" and what.get("name") == LEASE and "spec" in body:
        out.append(("lease", body["spec"].get("holderIdentity") or ""))
    elif resource == "secrets" and (what.get("name") or (body.get("metadata") or {}).get("name")) == SECRET:
        out.append(("record", None))
    return out


def writes(path):
    """In the order in which they came."""
    out = []
    for entry in entries(path):
        if entry["stage"] != "ResponseComplete" or entry["verb"] not in WRITES or "objectRef" not in entry:
            continue
        if not 200 <= entry.get("responseStatus", {}).get("code", 0) < 300:
            continue
        name = entry["objectRef"].get("name") or ((entry.get("requestObject") or {}).get("metadata") or {}).get("name", "")
        for kind, value in parts_of(entry):
            out.append(Write(seconds(entry["requestReceivedTimestamp"]), entry["user"]["username"], kind, name, value))
    out.sort(key=lambda write: write.at)
    return out


def trial_of(state, digest):
    trial = state.get("trial") or {}
    return trial.get("result") if trial.get("digest") == digest else None


def tried(log, digest):
    """The nodes that were approved for it, and those that said to have it or to try it."""
    approved = {write.name for write in log if write.kind == "approval" and write.value[0] == digest}
    had = {write.name for write in log if write.kind == "state" and (
        write.value.get("digest") == digest or trial_of(write.value, digest) in ("running", "confirmed"))}
    return approved, had


@dataclasses.dataclass
class Rules:
    digest: str
    canaries: int
    wave: int
    soak: float = 0  # seconds. The coordinator's clock knows whole ones, so one less than it was told
    most_unreachable: int = 0


class Waves:
    """A wave begins at an approval that comes when all before it have proven the settings for long enough. Any other is of the wave that
    is under way, which has as many nodes as it may have."""

    def __init__(self, rules):
        self.rules, self.faults, self.attempt = rules, [], 0
        self.states, self.ready = {}, {}
        self.begin(0)

    def begin(self, attempt):
        self.attempt, self.proven, self.approved, self.waves, self.took_back, self.away = attempt, {}, {}, [], {}, set()
        for name, state in self.states.items():
            self.judge(name, state, 0)

    def judge(self, name, state, at):
        digest = self.rules.digest
        result = trial_of(state, digest)
        if state.get("digest") == digest and result == "confirmed":
            self.proven.setdefault(name, at)
        else:
            self.proven.pop(name, None)
        if result == "rolledBack" and state["trial"].get("attempt", 1) >= self.attempt and name in self.approved:
            self.took_back.setdefault(name, at)

    def take(self, write):
        if write.kind == "ready":
            self.ready[write.name] = write.value
        elif write.kind == "state":
            self.states[write.name] = write.value
            self.judge(write.name, write.value, write.at)
        elif write.kind == "approval" and write.value[0] == self.rules.digest:
            self.approve(write)
        elif write.kind == "approval":
            self.approved.pop(write.name, None)

    def fault(self, write, text):
        self.faults.append(f"{write.name} was approved {text}")

    def approve(self, write):
        attempt = write.value[1]
        if attempt > self.attempt:
            self.begin(attempt)
        if attempt < self.attempt:
            return self.fault(write, f"for attempt {attempt} after attempt {self.attempt}")
        if write.name in self.approved:
            return None  # again: who goes on does not know what the former one has done
        missing = [name for name in self.approved if name not in self.proven and name not in self.away]
        lost = [name for name in missing if self.ready.get(name) is False]
        waiting = [name for name in missing if name not in lost]
        fresh = [name for name in self.approved if name in self.proven and write.at - self.proven[name] < self.rules.soak]
        free = not waiting and not fresh and len(lost) <= self.rules.most_unreachable
        self.approved[write.name] = write.at
        if self.ready.get(write.name) is False:  # it tries the settings when it returns
            self.away.add(write.name)
            if not free:
                self.fault(write, "while it was not reachable and the others had not proven the settings")
            return None
        if free:
            self.waves.append([])
        if not self.waves:
            return self.fault(write, "in no wave")
        self.waves[-1].append(write.name)
        limit = self.rules.canaries if len(self.waves) == 1 else self.rules.wave
        if len(self.waves[-1]) > limit:
            self.fault(write, f"as number {len(self.waves[-1])} of a wave of {limit}; not confirmed: {waiting[:5]}, out of reach: {lost[:5]}, "
                              f"not soaked: {fresh[:5]}")
        former = [name for name in self.took_back if name not in self.waves[-1]]
        if former or (self.took_back and len(self.waves[-1]) == 1):
            self.fault(write, f"after {sorted(self.took_back)[:5]} had taken the settings back")
        return None


def faults_of_waves(log, rules):
    """(what is wrong, the waves as lists of names). A log without an approval is a fault: it shows nothing."""
    waves = Waves(rules)
    for write in log:
        waves.take(write)
    if not waves.waves and not waves.faults:
        waves.faults.append("nobody was approved")
    return waves.faults, waves.waves


def faults_of_turns(log, lease_seconds):
    """Coordinators have users of their own here."""
    faults, holder, user, renewed = [], "", None, 0
    for write in log:
        if write.kind == "lease":
            if write.value and holder and write.value != holder and write.at - renewed < lease_seconds:
                faults.append(f"{write.user} took the Lease {write.at - renewed:.1f} seconds after {user} had renewed it")
            if not write.value and holder and write.user != user:
                faults.append(f"{write.user} released the Lease of {user}")
            holder, user, renewed = write.value, write.user, write.at
        elif write.kind in ("approval", "record") and (not holder or write.user != user):
            faults.append(f"{write.user} wrote {write.kind} {write.name}, and {user if holder else 'nobody'} has the Lease")
    return faults


class Requests:
    """Those that came in a span of time: of the coordinators (`users`), of the nodes, of others."""

    def __init__(self, path, begin, end, users):
        self.count, self.by_kind = collections.Counter(), collections.Counter()
        for entry in entries(path):
            watch = entry["verb"] == "watch"  # it ends late
            if entry["stage"] != ("ResponseStarted" if watch else "ResponseComplete"):
                continue
            if not begin <= seconds(entry["requestReceivedTimestamp"]) < end:
                continue
            name = entry["user"]["username"]
            who = "coordinator" if name in users else "nodes" if ":egress-provisioner:" in name else "others"
            self.count[who] += 1
            self.by_kind[who, entry["verb"], entry.get("objectRef", {}).get("resource", "")] += 1
