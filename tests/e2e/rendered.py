"""A rendered config of a pool, as far as nodes take their settings from it."""
import urllib.parse

ENVIRONMENT, BUNDLE = "/etc/mco/proxy.env", "/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt"


def variables(proxy, no_proxy="localhost,.svc"):
    return f"HTTP_PROXY={proxy}\nHTTPS_PROXY={proxy}\nNO_PROXY={no_proxy}\n" if proxy else "# no proxy\n"


def ignition(lines, bundle=None):
    texts = {ENVIRONMENT: lines} if bundle is None else {ENVIRONMENT: lines, BUNDLE: bundle}
    files = [{"path": path, "mode": 420, "contents": {"source": "data:," + urllib.parse.quote(text)}} for path, text in texts.items()]
    return {"ignition": {"version": "3.4.0"}, "storage": {"files": files}}
