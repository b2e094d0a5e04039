"""The servers of pull_e2e.py: Debian's docker-registry twice, nginx in front of both with a host name for each way in which a host can be
broken, a token service, squid, mitmproxy and containerd. They run in a network and mount namespace with its own /etc/hosts: Go never
sends localhost and 127.x through a proxy, so every server has a name and an address of its own."""
import base64
import dataclasses
import http.server
import json
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

from authority import Authority, openssl
from harness import end_unrun, must, run, which
from pull_image import Layout, PLATFORMS

FRONT, PROXIES, NOBODY, WALL = "10.99.1.1", "10.99.1.2", "10.99.1.3", "10.99.2.1"
USER, PASSWORD = "puller", "pa55 word"
PROXY_USER, PROXY_PASSWORD = "proxied", "s3cret"
OPEN, LOGIN, INSPECTING, ABSENT = 3128, 3129, 3130, 3131  # ports of the proxies
REGISTRY, MIRROR, ODD = 5001, 5002, 5003  # ports behind the front, on loopback
PORT = 5000  # of the front, beside 443
REPOSITORY, TAG = "team/app", "v1"
ISSUER, SERVICE = "tokens", "registry"


def inside():
    """Starts the calling script again in new namespaces; returns there only. 77 where that is not allowed."""
    if os.environ.get("PULL_E2E") == "inside":
        return
    if os.geteuid() != 0:
        end_unrun("containerd and squid need root")
    way = ["unshare", "--net", "--mount"]
    if run(*way, "true").returncode != 0:
        end_unrun("this system gives no network namespaces (unshare --net --mount)")
    sys.exit(subprocess.run(way + [sys.executable, "-B"] + sys.argv, env={**os.environ, "PULL_E2E": "inside"}).returncode)


@dataclasses.dataclass
class Site:
    """What nginx does for a host name. Names end in .outer.test: only the proxies reach these, from clients there is a wall; or in
    .inner.test: they are reached directly and from the proxies."""
    kind: str  # registry, mirror, tokens, storage, or a page of the odd server
    certificate: str = "good"
    tokens: str = "tokens.outer.test"  # where the registry sends for a token
    storage: str = "storage.outer.test"  # where it sends for blobs
    tokens_scheme: str = "https"
    storage_scheme: str = "https"
    rules: str = ""  # of nginx, before the others


def answer(status, path="/"):
    return "location ~ %s { default_type text/plain; return %d 'no'; }" % (path, status)


MANIFESTS, TAGS, BLOBS = "^/v2/.*/manifests/", "^/v2/.*/manifests/v", "^/v2/.*/blobs/"
HTML = "location / { default_type text/html; return 200 '<!DOCTYPE html><title>Log in to the network</title>'; }"

SITES = {
    "registry.outer.test": Site("registry"),
    "registry.inner.test": Site("registry", tokens="tokens.inner.test", storage="storage.inner.test"),
    "tokens.outer.test": Site("tokens"),
    "tokens.inner.test": Site("tokens"),
    "storage.outer.test": Site("storage"),
    "storage.inner.test": Site("storage"),
    "mirror.inner.test": Site("mirror"),
    "mirror.outer.test": Site("mirror"),
    # The registry itself
    "other-ca.outer.test": Site("registry", "other"),
    "expired.outer.test": Site("registry", "expired"),
    "misnamed.outer.test": Site("registry", "misnamed"),
    "blocked.outer.test": Site("registry"),
    "forbidden.outer.test": Site("registry", rules=answer(403)),
    "busy.outer.test": Site("registry", rules=answer(429, MANIFESTS)),
    "broken.outer.test": Site("registry", rules=answer(500, MANIFESTS)),
    "html.outer.test": Site("registry", rules=HTML),
    "no-head.outer.test": Site("registry", rules="if ($request_method = HEAD) { return 405; }"),
    "no-digest.outer.test": Site("registry", rules="proxy_hide_header Docker-Content-Digest;"),
    "no-challenge.outer.test": Site("registry", rules=answer(401)),
    "no-ping.outer.test": Site("registry", rules=answer(404, "^/v2/$")),
    "wrong-manifest.outer.test": Site("/wrong"),
    "cut-manifest.outer.test": Site("/cut"),
    "basic.outer.test": Site("mirror", rules="auth_basic registry; auth_basic_user_file FOLDER/htpasswd;"),
    "moved.outer.test": Site("mirror", rules="location ~ ^/v2/ { return 307 https://mirror.outer.test$request_uri; }"),
    # Its token service
    **{"tokens-%s.outer.test" % word: Site("registry", tokens=word + "-tokens.outer.test") for word in
       ("down", "other-ca", "expired", "misnamed", "blocked", "forbidden", "broken", "html", "empty", "busy", "oauth")},
    "tokens-plain.outer.test": Site("registry", tokens="tokens.outer.test", tokens_scheme="http"),
    "tokens-direct.outer.test": Site("registry", tokens="tokens.walled.test"),
    "other-ca-tokens.outer.test": Site("tokens", "other"),
    "expired-tokens.outer.test": Site("tokens", "expired"),
    "misnamed-tokens.outer.test": Site("tokens", "misnamed"),
    "blocked-tokens.outer.test": Site("tokens"),
    "forbidden-tokens.outer.test": Site("tokens", rules=answer(403)),
    "broken-tokens.outer.test": Site("tokens", rules=answer(500)),
    "busy-tokens.outer.test": Site("tokens", rules=answer(429)),
    "html-tokens.outer.test": Site("tokens", rules=HTML),
    "empty-tokens.outer.test": Site("tokens", rules="location / { default_type application/json; return 200 '{}'; }"),
    "oauth-tokens.outer.test": Site("/oauth"),
    # Its storage
    **{"storage-%s.outer.test" % word: Site("registry", storage=word + "-storage.outer.test") for word in
       ("down", "other-ca", "expired", "misnamed", "blocked", "forbidden", "broken", "missing", "html")},
    "storage-direct.outer.test": Site("registry", storage="storage.walled.test"),
    "storage-plain.outer.test": Site("registry", storage="plain-storage.outer.test", storage_scheme="http"),
    "plain-storage.outer.test": Site("storage"),
    "other-ca-storage.outer.test": Site("storage", "other"),
    "expired-storage.outer.test": Site("storage", "expired"),
    "misnamed-storage.outer.test": Site("storage", "misnamed"),
    "blocked-storage.outer.test": Site("storage"),
    "forbidden-storage.outer.test": Site("storage", rules=answer(403)),
    "broken-storage.outer.test": Site("storage", rules=answer(503)),
    "missing-storage.outer.test": Site("storage", rules=answer(404)),
    "storage-login.outer.test": Site("registry", storage="login-storage.outer.test"),
    "login-storage.outer.test": Site("storage", rules="auth_basic storage; auth_basic_user_file FOLDER/htpasswd;"),
    "storage-changed.outer.test": Site("registry", storage="changed-storage.outer.test"),
    "changed-storage.outer.test": Site("storage", rules="location ~ LAYERS { return 200 'something else'; }"),
    "parent.outer.test": Site("registry", storage="below.parent.outer.test"),
    "below.parent.outer.test": Site("storage", rules='if ($http_authorization = "") { return 403; }'),
    "html-storage.outer.test": Site("storage", rules=HTML),
    # Mirrors
    "other-ca-mirror.inner.test": Site("mirror", "other"),
    "expired-mirror.inner.test": Site("mirror", "expired"),
    "misnamed-mirror.inner.test": Site("mirror", "misnamed"),
    "empty-mirror.inner.test": Site("mirror", rules=answer(404, "^/v2/.")),
    "digests-mirror.inner.test": Site("mirror", rules=answer(404, TAGS)),
    "forbidden-mirror.inner.test": Site("mirror", rules=answer(403, "^/v2/.")),
    "broken-mirror.inner.test": Site("mirror", rules=answer(500, "^/v2/.")),
    "html-mirror.inner.test": Site("mirror", rules=HTML),
    "hollow-mirror.inner.test": Site("mirror", rules=answer(404, BLOBS)),
    "no-layers-mirror.inner.test": Site("mirror", rules=answer(500, BLOBS)),
    "path-mirror.inner.test": Site("mirror", rules="location /v2/ { return 404; } location /cache/quay/ { rewrite ^/cache/quay/(.*) /v2/$1 break; UPSTREAM }"),
    "folder-mirror.inner.test": Site("mirror", rules="location /v2/ { return 404; } location /cache/v2/ { rewrite ^/cache/(.*) /$1 break; UPSTREAM }"),
    "basic-mirror.inner.test": Site("mirror", rules="auth_basic mirror; auth_basic_user_file FOLDER/htpasswd;"),
    "walled-mirror.outer.test": Site("mirror"),
    # Layers with URLs of their own
    "layers.outer.test": Site("/layers"),
    "no-layers.outer.test": Site("layers", rules=answer(404)),
}
DOWN = ["down.outer.test", "down-tokens.outer.test", "down-storage.outer.test", "down-mirror.inner.test"]
BLOCKED = ["blocked.outer.test", "blocked-tokens.outer.test", "blocked-storage.outer.test"]
WALLED = ["tokens.walled.test", "storage.walled.test"]  # as .outer.test, but NO_PROXY has them
SITES["tokens.walled.test"], SITES["storage.walled.test"] = Site("tokens"), Site("storage")
PROXY = "proxy.inner.test"


class Odd(http.server.BaseHTTPRequestHandler):
    """Tokens, layers, and answers that no proper registry gives. It is behind nginx, so it speaks plain HTTP."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body, **headers):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        world, (_, page, rest) = self.server.world, self.path.split("/", 2)
        if page in ("tokens", "oauth"):
            return self.token(world, page == "oauth", urllib.parse.parse_qs(body or urllib.parse.urlsplit(rest).query))
        if page == "layers":
            content = world.elsewhere.get(rest)
            return self.reply(200, content, Content_Type="application/octet-stream") if content else self.reply(404, b"no")
        if "/manifests/" not in rest:
            return self.reply(200 if rest == "v2/" else 404, b"{}")
        content = world.index
        headers = {"Content_Type": "application/vnd.oci.image.index.v1+json", "Docker_Content_Digest": world.image.digest}
        if page == "wrong":
            return self.reply(200, content[:-1] + b" ", **headers)
        self.reply(200, content[:100], **headers, **{"Content-Length": str(len(content))})
        self.close_connection = True

    do_HEAD = do_GET

    def do_POST(self):
        self.do_GET()

    def token(self, world, oauth, query):
        if (self.command == "POST") != oauth:
            return self.reply(404, b"no")
        user, given = "", self.headers.get("Authorization", "")
        if given.startswith("Basic "):
            user, _, password = base64.b64decode(given[6:]).decode().partition(":")
        elif oauth:
            user, password = query.get("username", [""])[0], query.get("password", [""])[0]
        if user and (user, password) != (USER, PASSWORD):
            return self.reply(401, b'{"errors":[{"code":"UNAUTHORIZED","message":"authentication required"}]}', Content_Type="application/json")
        access = []
        for scope in query.get("scope", []):
            for one in scope.split(" "):
                kind, name, actions = one.split(":")
                access.append({"type": kind, "name": name, "actions": ["pull"] if user and "pull" in actions.split(",") else []})
        made = json.dumps({"access_token" if oauth else "token": world.sign(access), "expires_in": 300}).encode()
        self.reply(200, made, Content_Type="application/json")


class World:
    """All servers, started; `folder` holds their files."""

    def __init__(self, folder, case):
        self.folder, self.processes, self.tokens, self.read = folder, [], {}, {}
        case.addClassCleanup(self.stop)
        self.image = Layout(folder / "image", "app")
        self.foreign = Layout(folder / "foreign", "foreign", layer_urls=["https://no-layers.outer.test/", "https://layers.outer.test/"])
        self.linux = Layout(folder / "linux", "linux", platforms=PLATFORMS[2:])
        self.unreached = Layout(folder / "unreached", "unreached", layer_urls=["https://other-ca.outer.test/", "https://layers.outer.test/"])
        self.images = {REPOSITORY: self.image, "team/foreign": self.foreign, "team/unreached": self.unreached, "team/linux": self.linux}
        self.elsewhere = {**self.foreign.elsewhere, **self.unreached.elsewhere}
        self.index = (folder / "image/blobs/sha256" / self.image.digest[7:]).read_bytes()
        self.network()
        self.certificates()
        self.mitmproxy()
        self.squid()
        self.registries()
        self.nginx()
        self.containerd()
        self.odd()
        self.push()

    # ---- the machine

    def network(self):
        must("ip", "link", "set", "lo", "up")
        for address in (FRONT, PROXIES, NOBODY):
            must("ip", "address", "add", address + "/32", "dev", "lo")
        must("ip", "route", "add", "unreachable", "10.99.2.0/24")
        # What clients know, and what the proxies know.
        addresses = {**{name: FRONT for name in SITES}, **{name: NOBODY for name in DOWN}}
        outer = {name: WALL for name in addresses if not name.endswith(".inner.test")}
        for file, known in ("hosts", {**addresses, **outer}), ("proxies-hosts", addresses):
            lines = ["127.0.0.1 localhost"] + ["%s %s" % (address, name) for name, address in {**known, PROXY: PROXIES}.items()]
            (self.folder / file).write_text("\n".join(lines) + "\n")
        (self.folder / "resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
        for file in ("hosts", "resolv.conf"):
            must("mount", "--bind", self.folder / file, os.path.realpath("/etc/" + file))

    def certificates(self):
        (self.folder / "pki").mkdir()
        ca, other, inspection = (Authority(self.folder / "pki", name) for name in ("Example CA", "Other CA", "Inspection CA"))
        self.ca, self.other, self.inspection = ca.pem, other.pem, inspection.pem
        self.tls = {}
        names = "DNS:*.outer.test,DNS:*.parent.outer.test,DNS:*.inner.test,DNS:*.walled.test"
        for name, (signer, subjects, expired) in {"good": (ca, names, False), "other": (other, names, False), "expired": (ca, names, True),
                                                   "misnamed": (ca, "DNS:elsewhere.test", False)}.items():
            self.tls[name] = self.folder / "pki" / (name + ".both")
            self.tls[name].write_text("".join(path.read_text() for path in signer.leaf(names=subjects, expired=expired, label=name)))
        confdir = self.folder / "mitmproxy"
        confdir.mkdir()
        (confdir / "mitmproxy-ca.pem").write_text(inspection.key.read_text() + inspection.pem.read_text())
        self.signer = Authority(self.folder / "pki", "Token signer")

    def sign(self, access):
        """A JSON Web Token, as the registry wants it: RS256 with the certificate in x5c."""
        key = json.dumps(access)
        if key not in self.tokens:
            now = int(time.time())
            head = {"typ": "JWT", "alg": "RS256", "x5c": [base64.b64encode(self.signer.der.read_bytes()).decode()]}
            claims = {"iss": ISSUER, "sub": USER, "aud": SERVICE, "exp": now + 3600, "nbf": now - 10, "iat": now, "jti": str(len(self.tokens)), "access": access}
            text = ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in (head, claims))
            made = subprocess.run(["openssl", "dgst", "-sha256", "-sign", self.signer.key], input=text.encode(), capture_output=True, check=True).stdout
            self.tokens[key] = text + "." + base64.urlsafe_b64encode(made).rstrip(b"=").decode()
        return self.tokens[key]

    # ---- processes

    def start(self, name, *command, listens=None, environment=None):
        with open(self.folder / (name + ".log"), "wb") as log:
            process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
        self.processes.append((name, process, listens))

    def wait(self, seconds=60):
        end = time.monotonic() + seconds
        for name, process, place in self.processes:
            while not self.listens(place):
                if process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError("%s does not listen:\n%s" % (name, (self.folder / (name + ".log")).read_text(errors="replace")))
                time.sleep(0.02)

    @staticmethod
    def listens(place):
        family = socket.AF_UNIX if isinstance(place, str) else socket.AF_INET
        with socket.socket(family) as probe:
            return probe.connect_ex(place) == 0

    def stop(self):
        for _, process, _ in self.processes:
            process.terminate()
        for _, process, _ in self.processes:
            try:
                process.wait(2)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def odd(self):
        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            world = self
        threading.Thread(target=Server(("127.0.0.1", ODD), Odd).serve_forever, daemon=True).start()

    def registries(self):
        for name, port in ("registry", REGISTRY), ("mirror", MIRROR):
            config = {"version": "0.1", "log": {"level": "warn"}, "storage": {"filesystem": {"rootdirectory": str(self.folder / (name + "-data"))}},
                      "http": {"addr": "127.0.0.1:%d" % port, "relativeurls": True, "secret": "x"},
                      "validation": {"manifests": {"urls": {"allow": ["^https://"]}}}}
            if name == "registry":
                config["auth"] = {"token": {"realm": "https://tokens.outer.test/token", "service": SERVICE, "issuer": ISSUER,
                                            "rootcertbundle": str(self.signer.pem)}}
                config["middleware"] = {"storage": [{"name": "redirect", "options": {"baseurl": "https://storage.outer.test/"}}]}
            path = self.folder / (name + ".yml")
            path.write_text(json.dumps(config))
            self.start(name, which("docker-registry"), "serve", path, listens=("127.0.0.1", port))

    def push(self):
        """Into the mirror; the registry gets a copy of its data."""
        self.wait()
        for repository, layout in self.images.items():
            must("skopeo", "copy", "--all", "--quiet", "--dest-tls-verify=false", "oci:%s:v1" % layout.folder,
                 "docker://127.0.0.1:%d/%s:%s" % (MIRROR, repository, TAG))
        shutil.copytree(self.folder / "mirror-data", self.folder / "registry-data", dirs_exist_ok=True)

    def nginx(self):
        upstream = "proxy_pass http://127.0.0.1:%d; proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto $scheme; proxy_http_version 1.1;"
        (self.folder / "htpasswd").write_text("%s:%s\n" % (USER, openssl("passwd", "-apr1", PASSWORD).strip()))
        servers, layers = [], "|".join(digest[7:] for digests in self.image.layers.values() for digest in digests)
        for name, site in SITES.items():
            pair = self.tls[site.certificate]
            if site.kind == "registry":
                lines = ("proxy_hide_header WWW-Authenticate; add_header WWW-Authenticate $challenge always;"
                         "set $tokens %s://%s/token; proxy_redirect https://storage.outer.test/ %s://%s/;" % (site.tokens_scheme, site.tokens, site.storage_scheme, site.storage))
                to = upstream % REGISTRY
            elif site.kind == "mirror":
                lines, to = "", upstream % MIRROR
            elif site.kind == "storage":
                lines, to = "root %s;" % (self.folder / "registry-data"), ""
            else:
                lines, to = "", "proxy_pass http://127.0.0.1:%d/%s/; proxy_http_version 1.1;" % (ODD, site.kind.strip("/"))
            rules = site.rules.replace("UPSTREAM", upstream % MIRROR).replace("FOLDER", str(self.folder)).replace("LAYERS", layers)
            whole = "" if "location / " in rules or "location ~ / " in rules else "location / { %s }" % to
            servers.append("server { listen %s:443 ssl; listen %s:%d ssl; listen %s:80; server_name %s; ssl_certificate %s; ssl_certificate_key %s;\n%s\n%s\n%s }\n" % (
                FRONT, FRONT, PORT, FRONT, name, pair, pair, lines, rules, whole))
        paths = "".join("%s_temp_path %s/nginx-%s;\n" % (kind, self.folder, kind) for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        log = ('{"host":"$host","server":"$server_name","method":"$request_method","path":"$uri","scheme":"$scheme","status":$status,'
               '"authorization":"$has_authorization"}')
        (self.folder / "nginx.conf").write_text(f"""daemon off; master_process off; user root; pid {self.folder}/nginx.pid; error_log stderr;
events {{ worker_connections 2000; }}
http {{
types {{ }} default_type application/octet-stream; server_names_hash_bucket_size 128; server_names_hash_max_size 4096; variables_hash_max_size 4096;
ssl_session_cache off; ssl_session_tickets off;
log_format seen escape=json '{log}'; access_log {self.folder}/seen.log seen;
map $http_authorization $has_authorization {{ "" no; default yes; }}
map $upstream_http_www_authenticate $challenge {{ default ""; "~^Bearer realm=[^,]*,(?<rest>.*)$" 'Bearer realm="$tokens",$rest'; }}
{paths}{"".join(servers)}}}
""")
        self.start("nginx", which("nginx"), "-p", self.folder, "-c", self.folder / "nginx.conf", "-e", "stderr", listens=(FRONT, 443))

    def squid(self):
        (self.folder / "passwd").write_text("%s:%s\n" % (PROXY_USER, openssl("passwd", "-apr1", PROXY_PASSWORD).strip()))
        (self.folder / "squid.conf").write_text(f"""http_port {PROXIES}:{OPEN}
http_port {PROXIES}:{LOGIN}
visible_hostname {PROXY}
pid_filename none
coredump_dir /tmp
cache deny all
cache_mem 1 MB
logformat seen %ru %un %>Hs
access_log stdio:{self.folder}/squid/access.log logformat=seen
buffered_logs off
cache_log /dev/null
pinger_enable off
hosts_file {self.folder}/proxies-hosts
dns_nameservers 127.0.0.1
dns_timeout 1 second
connect_timeout 5 seconds
shutdown_lifetime 0 seconds
auth_param basic program /usr/lib/squid/basic_ncsa_auth {self.folder}/passwd
auth_param basic children 1
acl open localport {OPEN}
acl blocked dstdomain {" ".join(BLOCKED)}
acl known proxy_auth REQUIRED
http_access deny blocked
http_access allow open
http_access allow known
http_access deny all
""")
        (self.folder / "squid").mkdir()
        (self.folder / "squid").chmod(0o777)
        self.start("squid", which("squid"), "-N", "-n", "pull", "-f", self.folder / "squid.conf", listens=(PROXIES, LOGIN))

    def mitmproxy(self):
        addon = self.folder / "mitmproxy/addon.py"
        addon.write_text("def server_connect(data):\n    data.server.address = (%r, data.server.address[1])\n" % FRONT)
        self.start("mitmproxy", which("mitmdump"), "--quiet", "--listen-host", PROXIES, "--listen-port", INSPECTING, "--set",
                   "confdir=%s" % addon.parent, "--set", "ssl_verify_upstream_trusted_ca=%s" % self.ca, "-s", addon, listens=(PROXIES, INSPECTING))

    def containerd(self):
        self.socket = str(self.folder / "containerd/socket")
        (self.folder / "containerd").mkdir()
        unused = ["io.containerd.%s" % name for name in (
            "grpc.v1.cri", "snapshotter.v1.aufs", "snapshotter.v1.btrfs", "snapshotter.v1.devmapper", "snapshotter.v1.overlayfs",
            "snapshotter.v1.zfs", "internal.v1.opt", "tracing.processor.v1.otlp", "internal.v1.tracing", "monitor.v1.cgroups")]
        # Each run has a containerd namespace of its own; nothing that another one has fetched counts there.
        (self.folder / "containerd.toml").write_text("version = 2\nroot = %s\nstate = %s\ndisabled_plugins = %s\n[grpc]\naddress = %s\n[ttrpc]\naddress = %s\n"
                                                     "[plugins.\"io.containerd.metadata.v1.bolt\"]\ncontent_sharing_policy = \"isolated\"\n" % tuple(
            json.dumps(value) for value in (str(self.folder / "containerd/root"), str(self.folder / "containerd/state"), unused, self.socket, self.socket + ".ttrpc")))
        self.start("containerd", which("containerd"), "--config", self.folder / "containerd.toml", listens=self.socket)

    # ---- what they saw

    def seen(self):
        """Ends a piece of the record: what was asked since the last one, as nginx's [{host, path, authorization, ...}] and squid's
        [host]."""
        asks = ssl.create_default_context(cafile=str(self.ca))
        with socket.create_connection((FRONT, 443)) as plain, asks.wrap_socket(plain, server_hostname="mirror.inner.test") as tls:
            tls.sendall(b"GET /end-of-piece HTTP/1.1\r\nHost: mirror.inner.test\r\nConnection: close\r\n\r\n")
            while tls.recv(4096):
                pass
        requests, end = [], time.monotonic() + 10
        while not requests or requests[-1]["path"] != "/end-of-piece":
            if time.monotonic() > end:
                raise RuntimeError("nginx keeps no record")
            requests += [json.loads(line) for line in self.news("seen.log")]
        # "error:..." are connections without a request.
        return requests[:-1], [line.split()[0] for line in self.news("squid/access.log") if not line.startswith("error:")]

    def news(self, name):
        """The whole lines that the file has got since the last time."""
        with open(self.folder / name, "rb") as file:
            file.seek(self.read.get(name, 0))
            lines = file.read().rpartition(b"\n")
        self.read[name] = self.read.get(name, 0) + len(lines[0]) + len(lines[1])
        return lines[0].decode().splitlines()
