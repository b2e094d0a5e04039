"""The set-ups of pull_e2e.py as data: what is broken, and whether the image arrives."""
import dataclasses

REGISTRY = "registry.outer.test"


@dataclasses.dataclass
class Setup:
    name: str
    arrives: bool
    registry: str = REGISTRY
    object: str = ":v1"  # "@": the index by its digest
    repository: str = "team/app"
    hosts: str = ""  # hosts.toml of the registry; CA, OTHER and INSPECTION become paths of files
    folder: str = ""  # of hosts.toml; "": the registry's
    proxy: str = "login"  # login, wrong (its password), anonymous, open, inspecting, absent, unknown; "": none
    no_proxy: str = ".inner.test"
    bundle: str = "CA"
    user: str = "right"  # wrong; "": none
    rule: str = ""  # text of docs/registries.md that says why this program and containerd 1.6 differ


def host(url, *lines):
    return '[host."%s"]\n%s\n' % (url, "\n".join(lines))


def mirror(name, *lines):
    return host("https://%s-mirror.inner.test" % name if name else "https://mirror.inner.test", *lines)


PULL_ONLY, ALL = 'capabilities = ["pull"]', 'capabilities = ["pull", "resolve"]'
GOOD = mirror("")
# The registry behind it is down: what arrives, arrives from the mirror.
ALONE = "down.outer.test"

SETUPS = [
    # ---- the registry itself
    Setup("all works", True),
    Setup("all works, by digest", True, object="@"),
    Setup("all works without a proxy", True, "registry.inner.test", proxy=""),
    Setup("all works through a proxy without a login", True, proxy="open"),
    Setup("registry down", False, "down.outer.test"),
    Setup("registry shows a certificate of another CA", False, "other-ca.outer.test"),
    Setup("both CAs in the bundle", True, "other-ca.outer.test", bundle="CA OTHER"),
    Setup("registry's certificate expired", False, "expired.outer.test"),
    Setup("registry's certificate names another host", False, "misnamed.outer.test"),
    Setup("registry blocked by the proxy", False, "blocked.outer.test"),
    Setup("registry answers 403", False, "forbidden.outer.test"),
    Setup("registry answers 429", False, "busy.outer.test"),
    Setup("registry answers 500", False, "broken.outer.test"),
    Setup("registry answers with a page of HTML", False, "html.outer.test"),
    Setup("registry knows no HEAD", True, "no-head.outer.test"),
    Setup("registry names no digest", True, "no-digest.outer.test"),
    Setup("registry answers 401 without a challenge", False, "no-challenge.outer.test"),
    Setup("registry answers 404 to a ping", True, "no-ping.outer.test"),
    Setup("registry gives another manifest than the digest's", False, "wrong-manifest.outer.test"),
    Setup("registry cuts the manifest short", False, "cut-manifest.outer.test"),
    Setup("registry wants Basic", True, "basic.outer.test"),
    Setup("registry wants Basic, without a login", False, "basic.outer.test", user=""),
    Setup("registry wants Basic, wrong password", False, "basic.outer.test", user="wrong"),
    Setup("registry moved to another host", True, "moved.outer.test"),
    Setup("registry with a port", True, "registry.inner.test:5000", proxy=""),
    Setup("no image for Windows", False, repository="team/linux"),
    Setup("no such image", False, repository="team/none"),
    Setup("no such tag", False, object=":v9"),
    Setup("no such digest", False, object="@sha256:" + "0" * 64),
    # ---- the proxy
    Setup("proxy down", False, proxy="absent"),
    Setup("proxy's name unknown", False, proxy="unknown"),
    Setup("proxy wants a login and gets none", False, proxy="anonymous"),
    Setup("proxy gets a wrong password", False, proxy="wrong"),
    Setup("no proxy, so into the wall", False, proxy=""),
    Setup("NO_PROXY sends the registry into the wall", False, no_proxy="registry.outer.test"),
    Setup("NO_PROXY has the registry with its port", False, no_proxy="registry.outer.test:443"),
    Setup("NO_PROXY has the registry with another port", True, no_proxy="registry.outer.test:8443"),
    Setup("NO_PROXY sends everything into the wall", False, no_proxy="*"),
    Setup("NO_PROXY sends the token service into the wall", False, "tokens-direct.outer.test", no_proxy="tokens.walled.test"),
    Setup("NO_PROXY sends storage into the wall", False, "storage-direct.outer.test", no_proxy=".walled.test"),
    Setup("the same without NO_PROXY", True, "storage-direct.outer.test"),
    Setup("proxy inspects TLS, its CA is missing", False, proxy="inspecting"),
    Setup("proxy inspects TLS, its CA is in the bundle", True, proxy="inspecting", bundle="CA INSPECTION"),
    Setup("proxy inspects TLS, and only its CA is in the bundle", True, proxy="inspecting", bundle="INSPECTION"),
    Setup("proxy inspects TLS, and the mirror beside it is not trusted", True, proxy="inspecting", bundle="INSPECTION", hosts=GOOD),
    # ---- the token service
    Setup("no login", False, user=""),
    Setup("wrong password", False, user="wrong"),
    *[Setup("token service: " + word, False, "tokens-%s.outer.test" % word) for word in
      ("down", "other-ca", "expired", "misnamed", "blocked", "forbidden", "broken", "html", "empty", "busy")],
    Setup("token service without TLS", True, "tokens-plain.outer.test", rule="a token service without TLS, of a registry with TLS"),
    Setup("token service wants OAuth's POST", True, "tokens-oauth.outer.test"),
    # ---- storage
    *[Setup("storage: " + word, False, "storage-%s.outer.test" % word) for word in
      ("down", "other-ca", "expired", "misnamed", "blocked", "forbidden", "broken", "missing", "html")],
    Setup("storage wants a login", True, "storage-login.outer.test", rule="401 from a redirect's host"),
    Setup("storage below the registry's name wants its token", True, "parent.outer.test", rule="a redirect to a name below the endpoint's"),
    Setup("storage gives other layers", False, "storage-changed.outer.test", rule="the first byte: what cuts or changes large bodies later is not found"),
    Setup("storage without TLS", True, "storage-plain.outer.test"),
    # ---- mirrors
    Setup("mirror works, registry down", True, ALONE, hosts=GOOD),
    Setup("mirror works, by digest", True, ALONE, object="@", hosts=GOOD),
    Setup("mirror is the server", True, ALONE, hosts='server = "https://mirror.inner.test"\n[host]\n'),
    Setup("mirror is the server, without hosts", False, ALONE, hosts='server = "https://mirror.inner.test"\n', rule="file without `[host]`"),
    Setup("mirror for digests only in hosts.toml, by tag", False, ALONE, hosts=mirror("", PULL_ONLY)),
    Setup("mirror for digests only in hosts.toml, by digest", True, ALONE, object="@", hosts=mirror("", PULL_ONLY)),
    Setup("mirror for digests only, tag from the registry", True, hosts=mirror("", PULL_ONLY)),
    Setup("mirror gives digests only, by tag", False, ALONE, hosts=mirror("digests")),
    Setup("mirror gives digests only, by digest", True, ALONE, object="@", hosts=mirror("digests")),
    Setup("mirror gives digests only, tag from the registry", True, hosts=mirror("digests")),
    Setup("mirror resolves only", False, ALONE, hosts=mirror("", 'capabilities = ["resolve"]')),
    *[Setup("mirror: %s, registry works" % word, True, hosts=mirror(word)) for word in
      ("down", "other-ca", "expired", "misnamed", "empty", "forbidden", "broken", "hollow", "no-layers")],
    *[Setup("mirror: %s, registry down" % word, False, ALONE, hosts=mirror(word)) for word in
      ("down", "other-ca", "expired", "misnamed", "empty", "forbidden", "broken", "hollow", "no-layers")],
    Setup("mirror shows a page of HTML, registry works", False, hosts=mirror("html")),
    Setup("mirror wants Basic", True, ALONE, hosts=mirror("basic")),
    Setup("mirror wants Basic, without a login", False, ALONE, hosts=mirror("basic"), user=""),
    Setup("mirror with skip_verify", True, ALONE, hosts=mirror("other-ca", "skip_verify = true")),
    Setup("mirror with skip_verify, another name", True, ALONE, hosts=mirror("misnamed", "skip_verify = true")),
    Setup("mirror with its CA in hosts.toml", True, ALONE, hosts=mirror("other-ca", 'ca = "OTHER"')),
    Setup("mirror with its CA in hosts.toml, among several", True, ALONE, hosts=mirror("other-ca", 'ca = ["CA", "OTHER"]')),
    Setup("mirror with a wrong CA in hosts.toml", False, ALONE, hosts=mirror("other-ca", 'ca = "INSPECTION"')),
    Setup("mirror with a CA that is no file", False, hosts=mirror("", 'ca = "/nowhere/ca.pem"')),
    Setup("mirror with override_path", True, ALONE, hosts=host("https://path-mirror.inner.test/cache/quay", "override_path = true")),
    Setup("mirror below a path, without override_path", True, ALONE, hosts=host("https://folder-mirror.inner.test/cache")),
    Setup("mirror below a path, without the override_path it needs", False, ALONE, hosts=host("https://path-mirror.inner.test/cache/quay")),
    Setup("mirror over http", True, ALONE, hosts=host("http://mirror.inner.test")),
    Setup("mirror over http through the proxy", True, ALONE, hosts=host("http://mirror.outer.test")),
    Setup("mirror without a scheme", True, ALONE, hosts=host("mirror.inner.test")),
    Setup("mirror at the proxy's side", True, ALONE, hosts=host("https://mirror.outer.test")),
    Setup("mirror that NO_PROXY does not have, into the wall", False, ALONE, hosts=host("https://walled-mirror.outer.test"), proxy=""),
    Setup("two mirrors, the first down", True, ALONE, hosts=mirror("down") + GOOD),
    Setup("two mirrors, the first empty", True, ALONE, hosts=mirror("empty") + GOOD),
    Setup("two mirrors, the first without layers", True, ALONE, hosts=mirror("no-layers") + GOOD),
    Setup("two mirrors, the second works by digest only", True, ALONE, hosts=GOOD + mirror("digests")),
    Setup("mirror in _default", True, ALONE, hosts=GOOD, folder="_default"),
    Setup("mirror of a registry with a port", True, ALONE + ":5000", hosts=GOOD, folder=ALONE + "_5000_"),
    Setup("mirror of a registry with a port, in a folder that Windows can not have", True, ALONE + ":5000", hosts=GOOD, folder=ALONE + ":5000",
          rule="`host_5000_`, `host5000`, `_default`"),
    Setup("mirror in another registry's folder", False, ALONE, hosts=GOOD, folder="registry.outer.test"),
    Setup("hosts.toml is no TOML, registry works", True, hosts=GOOD + "[[["),
    Setup("hosts.toml is no TOML, registry down", False, ALONE, hosts=GOOD + "[[["),
    Setup("hosts.toml with an unknown capability", False, ALONE, hosts=mirror("", 'capabilities = ["push", "list"]')),
    Setup("hosts.toml with a header", True, ALONE, hosts=GOOD + '[host."https://mirror.inner.test".header]\nX-Example = ["a"]\n'),
    # ---- layers with URLs of their own
    Setup("a layer has URLs, the second of which works", True, repository="team/foreign"),
    Setup("a layer has URLs, the first of which is not trusted", False, repository="team/unreached"),
    Setup("a layer has URLs, the rest is at a mirror", True, ALONE, repository="team/foreign", hosts=GOOD),
]

# ---- only the order in which the endpoints are asked: nobody answers
HUB, PORTED, FILES = "docker.io", "registry.test:5000", "registry.test"


@dataclasses.dataclass
class Order:
    name: str
    reference: str
    files: dict  # {folder: hosts.toml}
    rule: str = ""  # as in Setup


A, B, C = (host("https://%s.test" % name) for name in "abc")
ORDERS = [
    Order("nothing is said", "registry.test/app:v1", {}),
    Order("Docker Hub", "docker.io/library/app:v1", {}),
    Order("Docker Hub with mirrors", "docker.io/library/app:v1", {HUB: B + A}),
    Order("Docker Hub, its server named", "docker.io/library/app:v1", {HUB: 'server = "https://registry-1.docker.io"\n' + A}),
    Order("three in the file's order", "registry.test/org/app:v1", {FILES: C + A + B}),
    Order("in the file's order, by digest", "registry.test/org/app@sha256:" + "5a" * 32, {FILES: C + A + B}),
    Order("server named", "registry.test/app:v1", {FILES: 'server = "https://other.test"\n' + A}),
    Order("server with a path", "registry.test/app:v1", {FILES: 'server = "https://other.test/path/"\n' + A}),
    Order("server with a path as it is", "registry.test/app:v1", {FILES: 'server = "https://other.test/path"\noverride_path = true\n' + A}),
    Order("server is among the hosts", "registry.test/app:v1", {FILES: 'server = "https://a.test"\n' + A + B}),
    Order("server over http", "registry.test/app:v1", {FILES: 'server = "http://other.test:8080"\n' + A}),
    Order("server without capabilities to resolve", "registry.test/app:v1", {FILES: 'server = "https://other.test"\n' + PULL_ONLY + "\n" + A}),
    Order("registry without capabilities to resolve", "registry.test/app:v1", {FILES: PULL_ONLY + "\n" + A}),
    Order("some resolve, some pull, by tag", "registry.test/app:v1",
          {FILES: host("https://a.test", PULL_ONLY) + host("https://b.test", ALL) + host("https://c.test", 'capabilities = ["resolve"]')}),
    Order("some resolve, some pull, by digest", "registry.test/app@sha256:" + "5a" * 32,
          {FILES: host("https://a.test", PULL_ONLY) + host("https://b.test", ALL) + host("https://c.test", 'capabilities = ["resolve"]')}),
    Order("one only pushes", "registry.test/app:v1", {FILES: host("https://a.test", 'capabilities = ["push"]') + B}),
    Order("capabilities in capitals", "registry.test/app:v1", {FILES: host("https://a.test", 'capabilities = ["PULL", "Resolve"]')}),
    Order("no capabilities listed", "registry.test/app:v1", {FILES: host("https://a.test", "capabilities = []")}),
    Order("paths", "registry.test/app:v1", {FILES: host("https://a.test/x/") + host("https://b.test/v2") + host("https://c.test/x/v2/y")}),
    Order("paths as they are", "registry.test/app:v1",
          {FILES: host("https://a.test/x/", "override_path = true") + host("https://b.test", "override_path = true") + host("https://c.test/v2", "override_path = true")}),
    Order("ports", "registry.test/app:v1", {FILES: host("https://a.test:5000") + host("http://b.test:80") + host("https://c.test:443")}),
    Order("without schemes", "registry.test/app:v1", {FILES: host("a.test") + host("b.test:5000/x")}),
    Order("a name that begins with http", "registry.test/app:v1", {FILES: host("httpmirror.test") + B}),
    Order("an address", "registry.test/app:v1", {FILES: host("http://10.99.1.3:5000")}),
    Order("an address of IPv6", "registry.test/app:v1", {FILES: host("https://[fd00::1]:5000")}, rule="name of a host with `[`"),
    Order("inline tables", "registry.test/app:v1", {FILES: '[host]\n"https://b.test" = {capabilities = ["pull", "resolve"]}\n"https://a.test" = {}\n'}, rule="host as inline table"),
    Order("a registry with a port", "registry.test:5000/app:v1", {"registry.test_5000_": A}),
    Order("a registry with a port, as it is written", "registry.test:5000/app:v1", {PORTED: A}),
    Order("both folders", "registry.test:5000/app:v1", {PORTED: A, "registry.test_5000_": B}),
    Order("the folder without the port has no say", "registry.test:5000/app:v1", {FILES: A}),
    Order("_default", "registry.test/app:v1", {"_default": A}),
    Order("_default and its own", "registry.test/app:v1", {"_default": A, FILES: B}),
    Order("_default and an own that is empty", "registry.test/app:v1", {"_default": A, FILES: ""}),
    Order("_default names a server", "registry.test/app:v1", {"_default": 'server = "https://other.test"\n' + A}),
    Order("an empty file", "registry.test/app:v1", {FILES: ""}),
    Order("only a server", "registry.test/app:v1", {FILES: 'server = "https://other.test"\n'}, rule="file without `[host]`"),
    Order("an unknown key", "registry.test/app:v1", {FILES: "other = 1\n" + A}),
    Order("a wrong type", "registry.test/app:v1", {FILES: host("https://a.test", 'capabilities = "pull"') + B}),
    Order("a wrong type of ca", "registry.test/app:v1", {FILES: host("https://a.test", "ca = 1") + B}),
    Order("a host that is no URL", "registry.test/app:v1", {FILES: host("https://a b.test") + B}),
    Order("two of one name", "registry.test/app:v1", {FILES: A + A}),
    Order("localhost", "localhost:5000/app:v1", {}),
    Order("localhost with a mirror", "localhost:5000/app:v1", {"localhost_5000_": A}),
    Order("an address is the registry", "10.99.1.3/app:v1", {}),
]
