"""What urllib, or with the argument `requests` requests, does with rows of HTTP_PROXY, HTTPS_PROXY, NO_PROXY and a request's
URL: where it would connect to. Rows and answers as in DotnetOracle.cs. Nothing is sent: urllib's requests end in a handler,
requests is asked for its choice."""
import os
import sys
import urllib.parse
import urllib.request


class Seen(Exception):
    pass


class Handler(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    def http_open(self, request):
        raise Seen(request.host)

    def https_open(self, request):
        raise Seen(request.host)


def ask_urllib(url):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler(), Handler())
    try:
        opener.open(url)
    except Seen as seen:
        return str(seen)
    return ""


def ask_requests(url):
    prepared = session.prepare_request(requests.Request("GET", url))
    settings = session.merge_environment_settings(prepared.url, {}, None, None, None)
    return urllib.parse.urlsplit(requests.utils.select_proxy(prepared.url, settings["proxies"]) or prepared.url).netloc


def answer(url):
    """Of a request that goes direct the port is 0."""
    try:
        to = ask(url)
    except Exception as error:  # the client's own refusal, whatever it is
        return "- " + type(error).__name__
    host, _, port = to.rpartition(":")
    return "%s %s" % (host.encode().hex(), port) if to in PROXIES else "%s 0" % to.encode().hex()


for name in list(os.environ):
    if name.lower().endswith("_proxy") or name in ("REQUEST_METHOD", "NETRC"):
        del os.environ[name]
if sys.argv[1:] == ["requests"]:
    import requests
    session = requests.Session()
    ask, version = ask_requests, requests.__version__
else:
    ask, version = ask_urllib, sys.version.split()[0]
print(version)
for line in sys.stdin:
    fields = [bytes.fromhex(field).decode() for field in line.rstrip("\n").split("\t")]
    os.environ["http_proxy"], os.environ["https_proxy"], os.environ["no_proxy"] = fields[:3]
    PROXIES = [urllib.parse.urlsplit(proxy).netloc for proxy in fields[:2]]
    print(answer(fields[3]))
