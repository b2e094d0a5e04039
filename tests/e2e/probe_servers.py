"""The real servers that probe_e2e.py asks: squid, mitmproxy and nginx from Debian's packages, and small proxies of
this file. All listen on loopback only, at free ports, with their files in one folder."""
import pathlib
import random
import socket
import subprocess
import threading
import time

from harness import which
from held_port import hold_port

# Names that only the proxies find, all of them at 127.0.0.1: NO_PROXY never has a loopback address.
ORIGIN, FORBIDDEN, UNKNOWN = "origin.test", "forbidden.test", "unknown.test"


def free_port():
    """One below those that the system itself gives to whoever asks for any. It is held for as long as this program runs: neither
    another test that chooses one nor anybody else comes upon it before its server listens."""
    first = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for port in random.sample(range(10000, first), 1000) if first >= 12000 else [0] * 1000:
        try:
            free_port.held.append(hold_port(port))
        except OSError:
            continue
        return free_port.held[-1].getsockname()[1]
    raise RuntimeError("no port is free")


free_port.held = []


class Servers:
    """Started one after the other, ended together."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []

    def start(self, name, command, ports):
        with open(self.folder / (name + ".log"), "wb") as log:
            process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.processes.append((name, process, ports))

    def wait(self, seconds=120):
        end = time.monotonic() + seconds
        for name, process, ports in self.processes:
            for port in ports:
                while not self._listens(port):
                    if process.poll() is not None or time.monotonic() > end:
                        raise RuntimeError("%s does not listen:\n%s" % (name, (self.folder / (name + ".log")).read_text(errors="replace")))
                    time.sleep(0.05)

    @staticmethod
    def _listens(port):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    def stop(self):
        for _, process, _ in self.processes:
            process.terminate()
        for _, process, _ in self.processes:
            try:
                process.wait(1)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def nginx(self, name, sites):
        """`sites`: (port, certificate and key or None for plain http)."""
        site = ("server { listen 127.0.0.1:%d%s; server_name _;%s location = / { return 200 'ok'; } location = /moved { return 302 /; } }\n")
        text = "".join(site % (port, " ssl" if pair else "", " ssl_certificate %s; ssl_certificate_key %s;" % (pair, pair) if pair else "") for port, pair in sites)
        paths = "".join("%s_temp_path %s/%s-%s;\n" % (kind, self.folder, name, kind) for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        conf = self.folder / (name + ".conf")
        conf.write_text("daemon off; master_process off; pid %s/%s.pid; error_log stderr;\nevents {}\nhttp { access_log off;\n%s%s}\n" % (self.folder, name, paths, text))
        self.start(name, [which("nginx"), "-p", self.folder, "-c", conf, "-e", "stderr"], [port for port, _ in sites])

    def squid(self, name, port, authentication, tls=None):
        """Lets in who gives the right credentials."""
        hosts = self.folder / "hosts"
        hosts.write_text("127.0.0.1 %s %s\n" % (ORIGIN, FORBIDDEN))
        self.squid_with(name, port, hosts, "%s\nacl forbidden dstdomain %s\nacl known proxy_auth REQUIRED\nhttp_access deny forbidden\n"
                        "http_access allow known\nhttp_access deny all\n" % (authentication, FORBIDDEN), tls)

    def squid_with(self, name, port, hosts, rules, tls=None):
        """`tls`: (port, certificate and key)."""
        conf = self.folder / (name + ".conf")
        conf.write_text("""http_port 127.0.0.1:%d
%s
visible_hostname %s.test
pid_filename none
coredump_dir /tmp
cache deny all
cache_mem 1 MB
access_log none
cache_log /dev/null
pinger_enable off
hosts_file %s
dns_nameservers 127.0.0.1
dns_timeout 1 second
dns_retransmit_interval 1 second
shutdown_lifetime 0 seconds
%s
""" % (port, "https_port 127.0.0.1:%d tls-cert=%s tls-key=%s" % (tls[0], tls[1], tls[1]) if tls else "", name, hosts, rules))
        self.start(name, [which("squid"), "-N", "-n", name, "-f", conf], [port] + ([tls[0]] if tls else []))

    def mitmproxy(self, name, port, confdir, *options):
        addon = self.folder / "to_loopback.py"
        addon.write_text("def server_connect(data):\n    data.server.address = ('127.0.0.1', data.server.address[1])\n")
        self.start(name, [which("mitmdump"), "--quiet", "--listen-host", "127.0.0.1", "--listen-port", port, "--set", "confdir=%s" % confdir,
                          "--set", "ssl_insecure=true", "-s", addon, *options], [port])


class Loopback:
    """Listens at a port of its own; each connection is lead()'s, in a thread."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            threading.Thread(target=self.lead, args=[self.listener.accept()[0]], daemon=True).start()


class Tunnel(Loopback):
    """A proxy that connects whoever asks to this machine, whatever the name. It keeps the heads that it was sent."""

    def __init__(self):
        self.heads = []
        super().__init__()

    def lead(self, connection):
        with connection:
            head = b""
            while b"\r\n\r\n" not in head:
                piece = connection.recv(4096)
                if not piece:
                    return
                head += piece
            self.heads.append(head.decode())
            with socket.create_connection(("127.0.0.1", int(head.split()[1].rpartition(b":")[2]))) as upstream:
                connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                back = threading.Thread(target=pump, args=[upstream, connection], daemon=True)
                back.start()
                pump(connection, upstream)
                back.join(5)


class Relay(Loopback):
    """Passes bytes on to a port and keeps those that the client sent."""

    def __init__(self, port):
        self.target, self.seen = port, b""
        super().__init__()

    def lead(self, client):
        server = socket.create_connection(("127.0.0.1", self.target))
        threading.Thread(target=pump, args=[server, client], daemon=True).start()
        pump(client, server, self._keep)

    def _keep(self, piece):
        self.seen += piece


def pump(source, sink, see=lambda piece: None):
    try:
        while piece := source.recv(4096):
            see(piece)
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass
