"""A loopback API server that speaks the part of the Kubernetes API that is used: get, list and watch, merge patches of nodes, over TLS,
with tokens or client certificates; and that can be made to misbehave."""
import base64
import http.server
import json
import re
import ssl
import threading
import time
import urllib.parse

from authority import Authority  # noqa: F401: to those who ask this server
from harness import Handler
from held_port import hold_port
from rendered import ignition, variables

GROUP = "/apis/machineconfiguration.openshift.io/v1"
POOLS, CONFIGS = GROUP + "/machineconfigpools", GROUP + "/machineconfigs"
KINDS = {"machineconfigpools": "MachineConfigPool", "machineconfigs": "MachineConfig", "controllerconfigs": "ControllerConfig",
         "proxies": "Proxy", "configmaps": "ConfigMap", "clustertrustbundles": "ClusterTrustBundle", "nodes": "Node",
         "events": "Event", "deployments": "Deployment", "daemonsets": "DaemonSet", "statefulsets": "StatefulSet",
         "runtimeclasses": "RuntimeClass", "secrets": "Secret", "leases": "Lease", "validatingadmissionpolicies": "ValidatingAdmissionPolicy",
         "validatingadmissionpolicybindings": "ValidatingAdmissionPolicyBinding"}
PATCHED = ("nodes", "secrets", "leases", "configmaps")
CREATED = ("events", "secrets", "leases")
# What it serves of the admission's own group.
POLICIES = "/apis/admissionregistration.k8s.io/v1"
# As Kubernetes 1.33 to 1.36 have them, where they are switched on.
BUNDLES = "/apis/certificates.k8s.io/v1beta1/clustertrustbundles"
NODES = "/api/v1/nodes"
EVENTS = "/api/v1/namespaces/default/events"
STATE = "egress-provisioner/state"
TOKEN = "c4nary-token"


class ApiServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, certificate, client_authority=None):
        self.held = hold_port()  # nobody else gets the port when this server is closed
        super().__init__(self.held.getsockname(), Requests)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(*certificate)
        if client_authority:
            self.context.verify_mode = ssl.CERT_OPTIONAL
            self.context.load_verify_locations(client_authority)
        self.port = self.server_address[1]
        self.changed = threading.Condition()
        self.objects, self.events, self.version = {}, [], 100
        self.seen = []  # (path, query, who)
        self.tokens, self.denied = {TOKEN}, set()  # denied: (verb, resource)
        self.policies = ["validatingadmissionpolicies", "mutatingadmissionpolicies"]
        self.faults = []  # each is asked before a request is answered: True, it was the answer
        self.open = True
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def finish_request(self, request, client_address):
        """In the connection's own thread, so that a peer that does not speak TLS holds up nobody."""
        request.settimeout(60)
        with self.context.wrap_socket(request, server_side=True) as tls:
            super().finish_request(tls, client_address)

    def handle_error(self, request, client_address):
        pass  # peers that go away are part of the tests

    def close(self):
        with self.changed:
            self.open = False
            self.changed.notify_all()
        self.shutdown()
        self.server_close()

    def put(self, path, annotations=None, labels=None, **members):
        """An object at its path; whoever watches is told."""
        collection, name = path.rsplit("/", 1)
        resource = collection.rsplit("/", 1)[1]
        group = "/".join(collection.split("/")[2:4]) if collection.startswith("/apis/") else "v1"
        with self.changed:
            self.version += 1
            metadata = {"name": name, "resourceVersion": str(self.version), "creationTimestamp": "2026-01-01T00:00:00Z"}
            if "/namespaces/" in path:
                metadata["namespace"] = path.split("/namespaces/")[1].split("/")[0]
            metadata.update({name: value for name, value in (("annotations", annotations), ("labels", labels)) if value is not None})
            kind = "MODIFIED" if path in self.objects else "ADDED"
            self.objects[path] = {"apiVersion": group, "kind": KINDS[resource], "metadata": metadata, **members}
            self.events.append((self.version, collection, {"type": kind, "object": self.objects[path]}))
            self.changed.notify_all()

    def put_config(self, name, proxy, bundle):
        """A rendered config, and the pool that has it."""
        self.put(f"{CONFIGS}/{name}", spec={"config": ignition(variables(proxy), bundle)})
        self.put(f"{POOLS}/worker", spec={"configuration": {"name": name}},
                 status={"machineCount": 1, "configuration": {"name": name}})

    def put_node(self, name, state=None, system="windows"):
        """A Node, with the annotation that provisioner writes where `state` is given."""
        annotations = {STATE: state if isinstance(state, str) else json.dumps(state)} if state is not None else {}
        self.put(f"{NODES}/{name}", annotations=annotations, labels={"kubernetes.io/os": system},
                 status={"images": [], "conditions": [{"type": "Ready", "status": "True"}]})

    def put_policies(self, *names):
        """Those of `deploy`, each with its binding."""
        for name in names or ("egress-provisioner-nodes", "egress-provisioner-events"):
            self.put(f"{POLICIES}/validatingadmissionpolicies/{name}", spec={})
            self.put(f"{POLICIES}/validatingadmissionpolicybindings/{name}", spec={"policyName": name, "validationActions": ["Deny"]})

    def state_of(self, name):
        """What the node's annotation says; None without one."""
        text = self.objects[f"{NODES}/{name}"]["metadata"].get("annotations", {}).get(STATE)
        return None if text is None else json.loads(text)

    def events_of(self, name):
        """The reasons of the node's events, in the order in which they were made."""
        with self.changed:  # one may be added meanwhile
            return [o["reason"] for path, o in self.objects.items() if path.startswith(EVENTS + "/") and o["involvedObject"]["name"] == name]

    def watches(self):
        return [query for _, query, _ in self.seen if "watch" in query]


class Requests(Handler):
    protocol_version = "HTTP/1.1"

    def begin(self, method=None):
        """Path and query, where the request is not answered yet: by a fault, or since nobody knows who asks."""
        url = urllib.parse.urlsplit(self.path)
        query = {"method": method} if method else {key: values[0] for key, values in urllib.parse.parse_qs(url.query).items()}
        self.document = json.loads(self.rfile.read(int(self.headers["Content-Length"]))) if method else None
        self.asker = self.who()
        self.server.seen.append((url.path, query, self.asker))
        if any(fault(self, url.path, query) for fault in list(self.server.faults)):
            return None
        if self.asker is None:
            return self.status(401, "Unauthorized", "Unauthorized")
        return url.path, query

    def do_GET(self):
        if not (asked := self.begin()):
            return None
        (path, query), server = asked, self.server
        if path == POLICIES:
            return self.send(200, json.dumps({"kind": "APIResourceList", "resources": [{"name": name} for name in server.policies]}).encode())
        parts = path.split("/")
        listing = parts[-1] in KINDS
        if not listing and (len(parts) < 2 or parts[-2] not in KINDS):
            return self.send(404, b"404 page not found\n", "text/plain")
        resource = parts[-1] if listing else parts[-2]
        if resource == "clustertrustbundles" and not path.startswith(BUNDLES):
            return self.status(404, "NotFound", "the server could not find the requested resource")
        verb = ("watch" if query.get("watch") == "true" else "list") if listing else "get"
        if (verb, resource) in server.denied:
            return self.forbidden(verb, resource)
        if verb == "watch":
            return self.watch(path, query)
        with server.changed:
            if listing:
                items = [o for at, o in server.objects.items() if path in collections(at) and self.selected(o, query)]
                body = self.page(KINDS[resource], items, query)
            else:
                body = server.objects.get(path)
        if body is None:
            return self.status(404, "NotFound", f'{resource} "{parts[-1]}" not found', {"name": parts[-1], "kind": resource})
        return self.send(200, json.dumps(body).encode())

    def page(self, kind, items, query):
        """A part of a list; of objects their metadata, where that will do."""
        first, limit = int(query.get("continue", "0")), int(query.get("limit", "0")) or len(items)
        rest = {"continue": str(first + limit)} if first + limit < len(items) else {}
        items = items[first:first + limit]
        items = [{key: value for key, value in item.items() if key not in ("kind", "apiVersion")} for item in items]
        if "as=PartialObjectMetadataList" in self.headers.get("Accept", ""):
            kind, items = "PartialObjectMetadata", [{"metadata": item["metadata"]} for item in items]
        return {"kind": kind + "List", "metadata": {"resourceVersion": str(self.server.version), **rest}, "items": items}

    def do_POST(self):
        """An Event of a node or of an object in a namespace, a Secret, a Lease."""
        if not (asked := self.begin("POST")):
            return None
        server, name, resource = self.server, self.document["metadata"]["name"], asked[0].rsplit("/", 1)[1]
        if ("create", resource) in server.denied or resource not in CREATED:
            return self.forbidden("create", resource)
        if f"{asked[0]}/{name}" in server.objects:
            return self.status(409, "AlreadyExists", f"{resource} already exists", {"name": name, "kind": resource})
        with server.changed:
            server.version += 1
            self.document["metadata"]["resourceVersion"] = str(server.version)
            server.objects[f"{asked[0]}/{name}"] = self.document
        return self.send(201, json.dumps(self.document).encode())

    def do_PATCH(self):
        """A merge patch (RFC 7386), which is a conflict where it names another version than the present one."""
        if not (asked := self.begin("PATCH")):
            return None
        path, server = asked[0], self.server
        collection, name = path.rsplit("/", 1)
        resource = collection.rsplit("/", 1)[1]
        if ("patch", resource) in server.denied or resource not in PATCHED:
            return self.forbidden("patch", resource)
        if self.headers["Content-Type"] != "application/merge-patch+json":
            return self.status(415, "UnsupportedMediaType", "the body of the request was in an unknown format")
        with server.changed:
            old = server.objects.get(path)
            named = self.document.get("metadata", {}).get("resourceVersion")
            conflict = old is not None and named not in (None, old["metadata"]["resourceVersion"])
            if old is not None and not conflict:
                new = json.loads(json.dumps(old))
                server.version += 1
                merge(new, self.document)
                new["metadata"]["resourceVersion"] = str(server.version)
                server.objects[path] = new
                server.events.append((server.version, collection, {"type": "MODIFIED", "object": new}))
                server.changed.notify_all()
        if old is None:
            return self.status(404, "NotFound", f"{resource} not found", {"name": name, "kind": resource})
        if conflict:
            return self.status(409, "Conflict", "the object has been modified", {"name": name, "kind": resource})
        return self.send(200, json.dumps(new).encode())

    def who(self):
        certificate = self.connection.getpeercert() if isinstance(self.connection, ssl.SSLSocket) else None
        if certificate:
            return dict(pair for part in certificate["subject"] for pair in part)["commonName"]
        words = self.headers.get("Authorization", "").split(" ")
        return "system:serviceaccount:test" if words[0] == "Bearer" and words[-1] in self.server.tokens else None

    @staticmethod
    def selected(item, query):
        wanted = query.get("fieldSelector", "").removeprefix("metadata.name=")
        label, _, value = query.get("labelSelector", "").partition("=")
        return (not wanted or item["metadata"]["name"] == wanted) and (
            not label or item["metadata"].get("labels", {}).get(label) == value)

    def send(self, status, body, kind="application/json"):
        self.reply(status, body, Content_Type=kind)

    def status(self, code, reason, message, details=None):
        body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message}
        self.send(code, json.dumps({**body, "details": details} if details else body).encode())

    def forbidden(self, verb, resource):
        self.status(403, "Forbidden", f'{resource} is forbidden: User "{self.asker}" cannot {verb} resource "{resource}"')

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def watch(self, collection, query):
        server = self.server
        at = int(query["resourceVersion"])
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        end = time.monotonic() + int(query["timeoutSeconds"])
        while True:
            with server.changed:
                now = time.monotonic()
                news = [(version, event) for version, where, event in server.events
                        if version > at and where == collection and self.selected(event["object"], query)]
                if not news:
                    if not server.open or now >= end:
                        break
                    server.changed.wait(end - now)
                    continue
            for at, event in news:
                self.chunk(json.dumps(event).encode() + b"\n")
        self.chunk(b"")


def collections(path):
    """Of an object's path: the collection of its namespace, and of Secrets and Deployments that of all."""
    collection = path.rsplit("/", 1)[0]
    return collection, re.sub("/namespaces/[^/]+/(secrets|deployments)$", r"/\1", collection)


def merge(target, patch):
    for name, value in patch.items():
        if value is None:
            target.pop(name, None)
        elif isinstance(value, dict):
            merge(target.setdefault(name, {}), value)
        else:
            target[name] = value


def kubeconfig(port, ca=None, user="", cluster="", host="127.0.0.1"):
    """The text of a kubeconfig; `user` and `cluster`: more lines, indented by four."""
    authority = f"    certificate-authority-data: {base64.b64encode(ca.read_bytes()).decode()}\n" if ca else ""
    return ("apiVersion: v1\nkind: Config\ncurrent-context: loop\ncontexts:\n- name: loop\n  context:\n    cluster: c\n    user: u\n"
            f"clusters:\n- name: c\n  cluster:\n    server: https://{host}:{port}\n{authority}{cluster}"
            f"users:\n- name: u\n  user:\n{user or '    token: ' + TOKEN + chr(10)}")
