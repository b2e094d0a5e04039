"""A rendered config of a pool, as far as nodes take their settings from it."""
import urllib.parse

ENVIRONMENT, BUNDLE = "/etc/mco/proxy.env", "/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt"


def variables(proxy, no_proxy="localhost,.svc"):
    return f"HTTP_PROXY={proxy}\nHTTPS_PROXY={proxy}\nNO_PROXY={no_proxy}\n" if proxy else "# no proxy\n"


def mirrors(conf, cas=()):
    """The files of a rendered config that speak of registries: registries.conf, and CAs by registry."""
    return {"/etc/containers/registries.conf": conf, **{f"/etc/docker/certs.d/{host}/ca.crt": pem for host, pem in dict(cas).items()}}


def ignition(lines, bundle=None, more=()):
    """`more`: {path: text} of other files."""
    texts = {ENVIRONMENT: lines, **({} if bundle is None else {BUNDLE: bundle}), **dict(more)}
    files = [{"path": path, "mode": 420, "contents": {"source": "data:," + urllib.parse.quote(text)}} for path, text in texts.items()]
    return {"ignition": {"version": "3.4.0"}, "storage": {"files": files}}
