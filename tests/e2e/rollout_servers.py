"""What the nodes of fleet_rollout_cluster_e2e.py reach: an origin and a registry that only proxies know, two squids, of which neither reaches
the API server, and an intercepting mitmproxy; and the settings that lead there.

The API server has an address that is not of the loopback network, which no client would ask a proxy for. So this runs in a network
namespace."""
from authority import Authority
from harness import must, which
from pull_image import INDEX, MANIFEST, Layout
from probe_servers import Servers, free_port
from rendered import ignition

API = "10.99.1.1"
ORIGIN, REGISTRY = "origin.outer.test", "registry.outer.test"
IMAGE = f"{REGISTRY}/team/app:v1"
NO_PROXY = f"localhost,{API},.svc,.cluster.local"
PORT = 443


class RolloutServers(Servers):
    def __init__(self, folder):
        super().__init__(folder)
        must("ip", "link", "set", "lo", "up")
        must("ip", "address", "add", API + "/32", "dev", "lo")
        folder.chmod(0o755)  # squid reads its files as another user
        self.outer, self.unused, self.inspection = (Authority(folder, name) for name in ("Outer CA", "Unused CA", "Inspection CA"))
        self.squid_port, self.less_port, self.inspecting_port, self.dead_port = (free_port() for _ in range(4))
        hosts = folder / "outer-hosts"
        hosts.write_text(f"127.0.0.1 {ORIGIN} {REGISTRY}\n")
        rules = f"acl inside dst {API}/32\nhttp_access deny inside\n"
        self.squid_with("squid", self.squid_port, hosts, rules + "http_access allow all\n")
        self.squid_with("less", self.less_port, hosts, f"acl registry dstdomain {REGISTRY}\nhttp_access deny registry\n{rules}http_access allow all\n")
        confdir = folder / "mitmproxy"
        confdir.mkdir()
        (confdir / "mitmproxy-ca.pem").write_text(self.inspection.key.read_text() + self.inspection.pem.read_text())
        self.mitmproxy("mitmproxy", self.inspecting_port, confdir)
        self.outside(folder)
        self.wait()

    def outside(self, folder):
        """The origin, and the registry with one image."""
        image = Layout(folder / "image", "app")
        blobs = folder / "image/blobs/sha256"
        (blobs / "v1").write_bytes((blobs / image.digest[7:]).read_bytes())
        kinds = {"v1": (INDEX, image.digest), image.digest: (INDEX, image.digest), **{one: (MANIFEST, one) for one in image.manifests.values()}}
        manifests = "".join(f"location = /v2/team/app/manifests/{name} {{ types {{ }} default_type {kind}; add_header Docker-Content-Digest {digest}; "
                            f"alias {blobs}/{name.removeprefix('sha256:')}; }}\n" for name, (kind, digest) in kinds.items())
        pair = folder / "outer.both"
        pair.write_text("".join(path.read_text() for path in self.outer.leaf(names=f"DNS:{ORIGIN},DNS:{REGISTRY}")))
        site = f"listen 127.0.0.1:{PORT} ssl; ssl_certificate {pair}; ssl_certificate_key {pair};"
        paths = "".join(f"{kind}_temp_path {folder}/nginx-{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        conf = folder / "outside.conf"
        conf.write_text(f"""daemon off; master_process off; user root; pid {folder}/outside.pid; error_log stderr;
events {{ worker_connections 2000; }}
http {{ access_log off; types {{ }} default_type application/octet-stream;
{paths}server {{ {site} server_name {ORIGIN}; location / {{ return 200 'ok'; }} }}
server {{ {site} server_name {REGISTRY}; location = /v2/ {{ default_type application/json; return 200 '{{}}'; }}
{manifests}location ~ ^/v2/team/app/blobs/sha256:([0-9a-f]+)$ {{ alias {blobs}/$1; }} }}
}}
""")
        self.start("outside", [which("nginx"), "-p", folder, "-c", conf, "-e", "stderr"], [PORT])

    def config(self, port, *authorities, no_proxy=NO_PROXY):
        """A rendered config: this proxy, and the certificates of these CAs beside those that the origin has."""
        proxy = f"http://127.0.0.1:{port}"
        bundle = "".join(one.pem.read_text() for one in (self.outer, *authorities))
        return ignition(f"HTTP_PROXY={proxy}\nHTTPS_PROXY={proxy}\nNO_PROXY={no_proxy}\n", bundle)

    def good(self, number):
        """Settings that are right, each number with a digest of its own."""
        return self.config(self.squid_port, no_proxy=f"{NO_PROXY},n{number}.example.test")

    def cases(self):
        """[(letter, what is wrong with it, config, a word of the reason that nodes give)]"""
        return [("a", "a CA that the proxy does not use", self.config(self.inspecting_port, self.unused), "certificate"),
                ("b", "a dead proxy", self.config(self.dead_port), "proxy"),
                ("c", "NO_PROXY without the API server", self.config(self.squid_port, no_proxy="localhost,.svc"), "API server"),
                ("d", "no way to the image", self.config(self.less_port), "image")]

    def rotated(self):
        return self.config(self.inspecting_port, self.inspection)
