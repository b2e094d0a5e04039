"""A Machine Config Server on the loopback interface, as clusters have it. Also serves
documents at other paths. Standard library only."""
import email.utils
import http.server
import json
import pathlib
import re
import ssl
import threading
import urllib.parse

from authority import Authority  # noqa: F401: to those who ask this server
from harness import Handler
from held_port import hold_port
from rendered import BUNDLE, ENVIRONMENT, variables

POOL = re.compile(r"^/config/([^/]+)$")
MEDIA = "application/vnd.coreos.ignition+json"


def config(proxy, authorities):
    """A rendered config without a version: two files that matter, and what else such a server sends."""
    def file(path, text, mode=420):
        return {"overwrite": True, "path": path, "user": {}, "group": {}, "contents": {"source": "data:," + urllib.parse.quote(text), "verification": {}},
                "mode": mode}

    bundle = "".join(pathlib.Path(authority.pem).read_text() for authority in authorities)
    files = [file(ENVIRONMENT, "# comments\n" + variables(proxy)), file(BUNDLE, bundle, 384),
             file("/etc/kubernetes/kubeconfig", "token: BOOTSTRAP-TOKEN-CANARY\n"),
             file("/etc/machine-config-daemon/node-annotations.json", "{}")]
    decoy = {"kind": "MachineConfig", "spec": {"config": {"storage": {"files": [file(ENVIRONMENT, "HTTP_PROXY=http://decoy.example.test:1\n")]}}}}
    files.append(file("/etc/mcs-machine-config-content.json", json.dumps(decoy)))
    return {"ignition": {"config": {"replace": {"verification": {}}}, "proxy": {}, "security": {"tls": {}}, "timeouts": {}},
            "kernelArguments": {}, "passwd": {}, "storage": {"files": files}, "systemd": {"units": []}}


def served_version(accept):
    """What releases 4.19 and later answer: a version, or None for status 400."""
    wanted = []
    for part in accept.split(","):
        fields = [field.strip() for field in part.split(";")]
        parameters = dict(field.split("=", 1) for field in fields[1:] if "=" in field)
        if fields[0] == MEDIA and re.fullmatch(r"\d+\.\d+\.\d+", parameters.get("version", "")):
            wanted.append((-float(parameters.get("q", "1")), tuple(map(int, parameters["version"].split(".")))))
    if not wanted:
        return "2.2.0"
    version = sorted(wanted, key=lambda item: item[0])[0][1]
    if (2, 2, 0) <= version < (3, 0, 0):
        return "2.2.0"
    if (3, 1, 0) <= version < (4, 0, 0):
        return "%d.%d.0" % min(version[:2], (3, 5))
    return None


class Server:
    """`pools`: configs by pool. `documents`: path -> bytes. `fault`: the status of every answer, if not None."""

    def __init__(self, chain=None, key=None, port=0):
        self.pools, self.documents, self.requests = {}, {}, []
        self.fault, self.content_type = None, "application/json"
        owner = self

        class Requests(Handler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                owner.serve(self)

        class Quiet(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # clients that refuse the certificate, or go away

        # From the beginning: what is held for a server that comes back must not be free for a moment when this one is closed.
        self.held = hold_port(port, shared=port != 0)
        self.http = Quiet(self.held.getsockname(), Requests)
        self.port = self.http.server_address[1]
        self.tls = chain is not None
        if self.tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.minimum_version = ssl.TLSVersion.TLSv1_2
            context.set_ciphers("DEFAULT:@SECLEVEL=0")  # a client refuses what is weak, not this server
            context.load_cert_chain(chain, key)
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def url(self, path, host="localhost"):
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}{path}"

    def mcs(self, pool="worker", host="localhost"):
        return f"mcs://{host}:{self.port}/{pool}"

    def close(self):
        self.http.shutdown()
        self.http.server_close()

    def serve(self, request):
        self.requests.append((request.path, dict(request.headers)))
        status, body, content_type = (self.fault, b"", "") if self.fault else self.answer(request)
        request.send_response_only(status)
        request.send_header("Date", email.utils.formatdate(usegmt=True))
        if status == 200:
            request.send_header("Content-Type", content_type)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def answer(self, request):
        if request.path in self.documents:
            return 200, self.documents[request.path], self.content_type
        match = POOL.match(request.path)
        if not match:
            return 404, b"", ""
        if match.group(1) not in self.pools:
            return 500, b"", ""
        version = served_version(request.headers.get("Accept", ""))
        if version is None:
            return 400, b"", ""
        document = json.loads(json.dumps(self.pools[match.group(1)]))
        document["ignition"]["version"] = version
        return 200, json.dumps(document).encode(), self.content_type
