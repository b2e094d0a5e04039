"""Inputs for hostile.py: each function writes one file. Those named honest_* are what the hostile ones are measured by."""
import base64
import functools
import gzip
import json
import zlib

from harness import SAMPLE
from measure import MIB
from rendered import BUNDLE

HEAD = b'{"ignition":{"version":"3.4.0"}'


def url(data):
    return "data:;base64," + base64.b64encode(data).decode()


def entry(path, data, packed=False):
    contents = {"source": url(data)}
    if packed:
        contents["compression"] = "gzip"
    return {"path": path, "contents": contents}


def config(*files, **more):
    return json.dumps({"ignition": {"version": "3.4.0"}, "storage": {"files": list(files)}, **more}).encode()


def write(path, *parts):
    with open(path, "wb") as file:
        for part in parts:
            file.write(part)


def pour(file, block, size):
    """`size` bytes of a repeated block, never all of them in memory."""
    block *= max(1, min(MIB, size) // len(block))
    for _ in range(size // len(block)):
        file.write(block)


def squeezed(block, size):
    """gzip of `size` bytes of a repeated block."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    block *= max(1, min(MIB, size) // len(block))
    return b"".join(packer.compress(block) for _ in range(size // len(block))) + packer.flush()


# ---- certificates

def der(tag, *parts):
    body = b"".join(parts)
    short = len(body) < 128
    length = bytes([len(body)]) if short else bytes([0x81 if len(body) < 256 else 0x82]) + len(body).to_bytes(1 + (len(body) > 255), "big")
    return bytes([tag]) + length + body


def small_certificate(number):
    """A CA certificate with an EC key, as short as they get; nobody's signature."""
    oid = lambda text: der(6, bytes.fromhex(text))
    algorithm = der(0x30, oid("2a8648ce3d040302"))
    name = lambda text: der(0x30, der(0x31, der(0x30, oid("550403"), der(12, text))))
    validity = der(0x30, der(23, b"260101000000Z"), der(23, b"460101000000Z"))
    point = bytes.fromhex("046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
                          "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
    key = der(0x30, der(0x30, oid("2a8648ce3d0201"), oid("2a8648ce3d030107")), der(3, b"\0" + point))
    basic = der(0x30, oid("551d13"), der(1, b"\xff"), der(4, der(0x30, der(1, b"\xff"))))
    inner = der(0x30, der(0xa0, der(2, b"\2")), der(2, b"\1" + number.to_bytes(4, "big")), algorithm, name(b"i"), validity,
                name(b"s"), key, der(0xa3, der(0x30, basic)))
    return der(0x30, inner, algorithm, der(3, b"\0" + der(0x30, der(2, b"\1"), der(2, b"\1"))))


def pem(data):
    text = base64.b64encode(data)
    lines = [text[i:i + 64] for i in range(0, len(text), 64)]
    return b"-----BEGIN CERTIFICATE-----\n" + b"\n".join(lines) + b"\n-----END CERTIFICATE-----\n"


def honest_bundle(path, certificates):
    write(path, config(entry(BUNDLE, gzip.compress(b"".join(pem(small_certificate(i)) for i in range(certificates)), 1), True)))


@functools.lru_cache
def root():
    return SAMPLE.with_name("proxy-root.pem").read_bytes()


def bundle_of(path, block, size):
    """A good certificate, then `size` bytes of a repeated block."""
    write(path, config(entry(BUNDLE, gzip.compress(root(), 1) + squeezed(block, size), True)))


def honest_notes(path, size):
    """A bundle with what `openssl x509 -text` says of its certificates, percent-escaped."""
    percent_url(path, BUNDLE, b"        Signature Algorithm: ecdsa-with-SHA256\n" * 20, size, escaped(root()))


def million_certificates(path, thousands):
    member = gzip.compress(root() * 1000, 6)
    write(path, config(entry(BUNDLE, member * thousands, True)))


# ---- gzip

def bomb(path, size, target=BUNDLE):
    write(path, config(entry(target, squeezed(b"\0", size), True)))


def bomb_of_members(path, members, each):
    write(path, config(entry(BUNDLE, gzip.compress(b"\n" * each, 6) * members, True)))


def nested_gzip(path, size):
    write(path, config(entry(BUNDLE, gzip.compress(gzip.compress(squeezed(b"\0", size))), True)))


def packed_text(path, target, block, size, start=b""):
    write(path, config(entry(target, gzip.compress(start, 1) + squeezed(block, size), True)))


# ---- JSON

def honest_text(path, size):
    """A config whose bulk is the contents of one file that nobody wants."""
    with open(path, "wb") as file:
        file.write(HEAD + b',"storage":{"files":[{"path":"/srv/x","contents":{"source":"data:,')
        pour(file, b"a", size)
        file.write(b'"}}]}}')


def string_of(file, size, end=b'"}'):
    file.write(HEAD + b',"x":"')
    pour(file, b"a", size)
    file.write(end)


def long_string(path, size):
    with open(path, "wb") as file:
        string_of(file, size)


def values(path, number):
    with open(path, "wb") as file:
        file.write(HEAD + b',"x":[')
        file.write(b"0," * number)
        file.write(b"0]}")


def nested_json(path, opening, closing, depth):
    write(path, HEAD + b',"x":' + opening * depth, closing * depth + b"}")


def tiny_files(path, number, same=False):
    with open(path, "wb") as file:
        file.write(HEAD + b',"storage":{"files":[')
        for i in range(number):
            name = b"/etc/x" if same else b"/etc/x/%d" % i
            file.write(b'%s{"path":"%s","mode":420,"overwrite":true,"contents":{"source":"data:,%d"}}' % (b"," if i else b"", name, i))
        file.write(b"]}}")


def tiny_appends(path, number):
    write(path, config({"path": BUNDLE, "append": [{"source": "data:,%0A"}] * number}))


def merge_bomb(path, configs, number):
    packed = [gzip.compress(HEAD + b',"x%d":[' % i + b"0," * number + b"0]}", 1) for i in range(configs)]
    references = [{"source": url(data), "compression": "gzip"} for data in packed]
    write(path, json.dumps({"ignition": {"version": "3.4.0", "config": {"merge": references}}}).encode())


def merge_chain(path, depth):
    text = HEAD + b"}"
    for _ in range(depth):
        text = json.dumps({"ignition": {"version": "3.4.0", "config": {"merge": [{"source": url(gzip.compress(text)), "compression": "gzip"}]}}}).encode()
    write(path, text)


def escaped(text):
    return b"".join(b"%%%02X" % byte for byte in text)


def percent_url(path, target, text, size, end=b""):
    """`size` bytes of escapes of a repeated text."""
    with open(path, "wb") as file:
        file.write(HEAD + b',"storage":{"files":[{"path":"%s","contents":{"source":"data:,' % target.encode())
        pour(file, escaped(text), size)
        file.write(end + b'"}}]}}')


# ---- YAML

YAML_HEAD = b"ignition:\n  version: 3.4.0\nx:\n"


def honest_yaml(path, size):
    line = b"- a plain line: of an honest document\n"
    with open(path, "wb") as file:
        file.write(YAML_HEAD)
        pour(file, line, size)


def alias_bomb(path, levels):
    text = b"a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for i in range(1, levels):
        text += b"a%d: &a%d [%s]\n" % (i, i, b", ".join([b"*a%d" % (i - 1)] * 9))
    write(path, YAML_HEAD + b"  - y\n" + text)


def yaml_of(path, *parts):
    write(path, YAML_HEAD, *parts)


def tag_directives(path, number):
    write(path, b"".join(b"%%TAG !a%d! tag:x\n" % i for i in range(number)), b"---\n" + YAML_HEAD)


def indented(depth):
    return b"".join(b" " * i + b"a:\n" for i in range(1, depth))
