"""Servers and network namespaces of router_e2e.py. It runs in namespaces of its own, so nothing of the machine's network is touched."""
import os
import socket
import socketserver
import struct
import subprocess
import sys
import threading

from harness import end_unrun, must, run

A, PTR, AAAA = 1, 12, 28


def inside():
    """Starts the calling script again in new network and mount namespaces; returns there only. 77 where that is not allowed."""
    if os.environ.get("ROUTER_E2E") == "inside":
        return
    ways = [["unshare", "--net", "--mount"], ["unshare", "--net", "--mount", "--map-root-user"]]
    for way in ways if os.geteuid() == 0 else ways[1:]:
        if run(*way, "true").returncode == 0:
            sys.exit(subprocess.run(way + [sys.executable, "-B"] + sys.argv, env={**os.environ, "ROUTER_E2E": "inside"}).returncode)
    end_unrun("this system gives no network namespaces (unshare --net --mount)")


def all_addresses_are_ours():
    """Each address of the world is this namespace: nothing leaves, and connections to where nobody listens are refused at once."""
    must("ip", "link", "set", "lo", "up")
    must("ip", "route", "replace", "local", "0.0.0.0/0", "dev", "lo")
    run("ip", "-6", "route", "replace", "local", "::/0", "dev", "lo")


def reverse_name(address):
    if ":" in address:
        return ".".join(reversed(socket.inet_pton(socket.AF_INET6, address).hex())) + ".ip6.arpa"
    return ".".join(reversed(address.split("."))) + ".in-addr.arpa"


class Dns(socketserver.ThreadingUDPServer):
    """Answers with what it was given; every other name does not exist."""
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, addresses, names):
        super().__init__(("", 53), None)
        self.records = {}
        for name, ips in addresses.items():
            for ip in ips:
                kind, data = (AAAA, socket.inet_pton(socket.AF_INET6, ip)) if ":" in ip else (A, socket.inet_aton(ip))
                self.records.setdefault(name, []).append((kind, data))
        for ip, name in names.items():
            self.records.setdefault(reverse_name(ip), []).append((PTR, b"".join(bytes([len(part)]) + part.encode() for part in name.split(".")) + b"\0"))
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def finish_request(self, request, client_address):
        query, server = request
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]].decode())
            at += 1 + query[at]
        kind = struct.unpack(">H", query[at + 1:at + 3])[0]
        known = self.records.get(".".join(labels).lower())
        answers = [data for one, data in known or [] if one == kind]
        out = query[:2] + struct.pack(">HHHHH", 0x8580 | (0 if known else 3), 1, len(answers), 0, 0) + query[12:at + 5]
        for data in answers:
            out += struct.pack(">HHHLH", 0xC00C, kind, 1, 3600, len(data)) + data
        server.sendto(out, client_address)


# Run as a program: says to whoever comes by TCP or UDP on which address and port, and who it is.
def serve(places):
    import selectors
    selector = selectors.DefaultSelector()
    for place in places:
        kind, address, port = place.split("/")
        one = socket.socket(socket.AF_INET, socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind((address, int(port)))
        if kind == "tcp":
            one.listen()
        selector.register(one, selectors.EVENT_READ, place)
    print("ready", flush=True)
    while True:
        for key, _ in selector.select():
            try:
                if key.data.startswith("tcp"):
                    client, peer = key.fileobj.accept()
                    client.sendall(("%s %s\n" % (key.data, peer[0])).encode())
                    client.close()
                else:
                    _, peer = key.fileobj.recvfrom(100)
                    key.fileobj.sendto(("%s %s\n" % (key.data, peer[0])).encode(), peer)
            except OSError:
                pass


def ask(kind, address, port, seconds=30):
    """What serve() says there, or "" where nobody answers: a port that nobody has refuses at once."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM) as one:
        one.settimeout(seconds if kind == "tcp" else 1)
        try:
            one.connect((address, int(port)))
            # A datagram that gets lost is lost.
            for left in reversed(range(seconds if kind == "udp" else 1)):
                try:
                    if kind == "udp":
                        one.send(b"?")
                    return one.recv(200).decode().strip()
                except socket.timeout:
                    if left == 0:
                        raise
        except OSError:
            pass
    return ""


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2:])
    else:
        for question in sys.argv[2:]:
            print(ask(*question.split("/")))
