"""Random lists, destinations and proxy URLs, put together so that they meet often."""
import typing

NAMES = ["foo.com", "a.foo.com", "b.a.foo.com", "xfoo.com", "com", "svc", "FOO.com", "localhost", "a.localhost", "foo.com.", "a-b.c",
         "intranet", "8.com", "xn--bcher-kva.example", "a_b.example", "cluster.local", "b\u00fccher.example", "B\u00dcCHER.Example",
         "\u03c0.\u0421\u0412.example"]
ADDRESSES = ["10.0.0.1", "10.0.0.2", "10.1.2.3", "10.1.2.255", "127.0.0.1", "127.9.9.9", "172.16.0.1", "192.168.1.1", "0.0.0.0", "10.1",
             "012.1.2.3", "0x7f.1", "169.254.169.254", "::1", "::", "2001:db8::1", "2001:DB8:0:0::1", "fe80::1", "::ffff:10.0.0.1",
             "1:2:3::8", "2001:db8::2", "::ffff:a00:1", "10.0.0.1.", "fe80::8080", "::10.0.0.1", "fd02::7", "2001:dbf::1", "fd02::1:0"]
NETWORKS = ["10.0.0.0/8", "10.0.0.1/8", "10.0.0.0/31", "10.1.0.0/16", "0.0.0.0/0", "::/0", "2001:db8::/32", "::1/128", "127.0.0.0/8",
            "10.0.0.0/33", "10.0.0/8", "10.0.0.0/08", "10.0.0.0/", "10.1.2.3/32", "fe80::/10", "10.0.0.0/+8", "10.0.0.0/-8",
            "::ffff:10.0.0.0/104", "172.16.0.0/12", "2001:db8::/29", "10.0.0.0/x", "2001:db8::1/129", "fd02::/112", "10.1.2.255/",
            "10.1.2.3/x", "2001:db8::/31", "fe80::/0", "10.1.2.3/0", "10.0.0.0/8x", "fd02::/111", "10.0.0.0/ 8", "1.2.3.4/8/9"]
ODD = ["*", "*.", ".", "..", "*foo.com", "*.foo.com", "foo.*", "*foo*", "10.*", "10.", "*.*.com", "[", "..foo.com", "foo.com/", "[]",
       "<local>", "f*m", "**", ".*", "http://foo.com", "foo.com;bar.com", ".foo.com.", "foo.com..", "-"]
SEPARATORS = [",", ",", ",", ",", ",", ", ", " ,", ",,", " ", ";", "  ", " , "]
PORTS = [":80", ":443", ":8080", ":080", ":65535", ":6443"]
# The ports of requests, so that a client that goes direct finds an address.
WELL_KNOWN = [21, 70, 80, 443, 6443, 8080, 65535]


SCHEMES_ASKED = ["http", "http", "http", "https", "https", "ws", "wss", "ftp"]


class Pieces(typing.NamedTuple):
    names: list
    addresses: list
    networks: list
    odd: list
    separators: list
    schemes: list


ALL = Pieces(NAMES, ADDRESSES, NETWORKS, ODD, SEPARATORS, SCHEMES_ASKED)
# Without names that are not ASCII, and without what our readings of Python and Java leave out.
ASCII = ALL._replace(names=NAMES[:16])
LESS_ODD = Pieces(NAMES[:13], ADDRESSES[:25], NETWORKS[:22], ODD[:20], SEPARATORS[:10], SCHEMES_ASKED[:5])


class Lists:
    def __init__(self, random, pieces):
        self.random = random
        self.pieces = pieces
        self.words = []

    def word(self, pieces):
        self.words.append(self.random.choice(pieces))
        return self.words[-1]

    def entry(self):
        kind = self.random.randrange(6)
        if kind == 0:
            network = self.random.choice(self.pieces.networks)
            return "[%s]" % network if self.random.randrange(8) == 0 else network
        if kind == 1:
            return self.random.choice(self.pieces.odd)
        if kind in (2, 3):
            out = self.word(self.pieces.addresses)
            out = "[%s]" % out if self.random.randrange(4) == 0 else out
        else:
            out = self.random.choice(["", "", ".", "*."]) + self.word(self.pieces.names)
        return out + (self.random.choice(PORTS) if self.random.randrange(5) == 0 else "")

    def list(self):
        self.words = []
        if self.random.randrange(30) == 0:
            return self.random.choice(["*", ""])
        out = self.entry()
        for _ in range(self.random.randrange(4)):
            out += self.random.choice(self.pieces.separators) + self.entry()
        if self.random.randrange(30) == 0:
            out = self.random.choice([" ", ","]) + out
        return out + (self.random.choice([" ", ","]) if self.random.randrange(30) == 0 else "")

    def url(self):
        if self.words and self.random.randrange(2):
            host = self.random.choice(self.words)
            host = ("a." if self.random.randrange(3) == 0 and ":" not in host else "") + host
        else:
            host = self.random.choice(self.random.choice([self.pieces.names, self.pieces.addresses]))
        if ":" in host:
            host = "[%s]" % host
        port = self.random.choice(PORTS + [":"]) if self.random.randrange(3) == 0 else ""
        scheme = self.random.choice(self.pieces.schemes)
        return "%s://%s%s%s" % (scheme, host, port, self.random.choice(["", "/", "/", "/x"]))


USERS = ["", "", "u:p@", "u@", ":p@", "@", ":@", "u:@", "u%20:p%2F@", "u:p:q@", "u:p@q@", "u:p/q@", "u:p?q@", "u:p#q@", "u:%zz@", "u:%4@",
         "u\"x:p@", "u:p\\q@", "\u00fc:p@", "u:p%0a@", "u%00:p@", "u:p%7f@", "%3ap:q@", "%3a@", "u:%1f@", "u%40d:p%3a@", "u:p%C3%BC@"]
HOSTS = ["proxy", "proxy.example", "PROXY.Example", "10.9.8.7", "[2001:DB8::1]", "[::ffff:10.0.0.1]", "p_x", "proxy.example.",
         "b\u00fccher.example", "xn--bcher-kva.example", "010.0.0.1", "10.0.0", "0x7f.1", "1.2.3.4.5", "[::1", "[fe80::1%25eth0]", "pr%6fxy",
         "p,q", "p*", "-proxy", ".p", "p..x", "2001:db8::1", ""]
PROXY_PORTS = [":3128", ":3128", ":3128", ":80", "", "", ":", ":0", ":00080", ":65535", ":65536", ":x", ":-1", ":80:80", ": 80", ":+80", ":3128 "]
RESTS = ["", "", "", "", "/", "/path", "?token", "#f", "/%41", "/%zz", "#%zz", "?%zz", "//x", "/u@h", "/a b", "/a:b", "/a:8080", "?a:b", "#a:", "/]:"]
SCHEMES = ["http://", "http://", "http://", "http://", "https://", "", "HTTP://", "hTTps://", "socks5://", "ftp://", "http:/", "http:", "htp://", "//"]
ALPHABET = ":/@?#[]%\\ .,;=*-_~!$&'()+<>^`{|}\"0198abzAZ\u00fc\u20ac"


def proxy_url(random):
    """A URL of a proxy with an odd part or two, or letters changed."""
    odd = random.randrange(4)
    out = (random.choice(SCHEMES) if odd == 0 or random.randrange(4) == 0 else "http://")
    out += random.choice(USERS) if random.randrange(2) else ""
    out += random.choice(HOSTS) if odd == 1 else HOSTS[random.randrange(5)]
    out += random.choice(PROXY_PORTS) if odd == 2 or random.randrange(4) == 0 else ":3128"
    out += random.choice(RESTS) if odd == 3 or random.randrange(6) == 0 else ""
    for _ in range(random.choice([0, 0, 0, 1, 1, 2])):
        at = random.randrange(len(out) + 1)
        out = out[:at] + (random.choice(ALPHABET) if random.randrange(3) else "") + out[at + random.randrange(2):]
    return out
