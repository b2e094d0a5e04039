"""What urllib and requests do with rows of NO_PROXY and URL: the proxy (P), direct (D), or no request at all (-).

Reads one row a line, both fields in hexadecimal, a tab between them. Prints the versions, then one line a row with the
answers of urllib and of requests. Nothing is sent: urllib's requests end in a handler, requests is asked for its choice.
"""
import os
import sys
import urllib.request

PROXY = "127.0.0.1:3128"

try:
    import requests
except ImportError:
    requests = None


class Seen(Exception):
    pass


class Handler(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    def http_open(self, request):
        raise Seen(request.host)

    def https_open(self, request):
        raise Seen(request.host)


def ask_urllib(opener, url):
    try:
        opener.open(url)
    except Seen as seen:
        return "P" if str(seen) == PROXY else "D"
    except Exception:  # the client's own refusal, whatever it is
        return "-"
    return "-"


def ask_requests(session, url):
    if requests is None:
        return "-"
    try:
        prepared = session.prepare_request(requests.Request("GET", url))
        settings = session.merge_environment_settings(prepared.url, {}, None, None, None)
        proxy = requests.utils.select_proxy(prepared.url, settings["proxies"])
    except Exception:  # the client's own refusal, whatever it is
        return "-"
    return "P" if proxy else "D"


def main():
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name in ("REQUEST_METHOD", "NETRC"):
            del os.environ[name]
    os.environ["http_proxy"] = os.environ["https_proxy"] = "http://" + PROXY
    opener = urllib.request.build_opener(urllib.request.ProxyHandler(), Handler())
    session = requests.Session() if requests else None
    print(sys.version.split()[0], requests.__version__ if requests else "-")
    for line in sys.stdin:
        no_proxy, url = (bytes.fromhex(field).decode() for field in line.rstrip("\n").split("\t"))
        os.environ["no_proxy"] = no_proxy
        print(ask_urllib(opener, url) + ask_requests(session, url))


main()
