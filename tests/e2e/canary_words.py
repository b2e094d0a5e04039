"""The password that secrets_canary.py passes through everything, and the search for it in outputs."""
import base64
import re
import urllib.parse

CANARY = "c4nAry-Kx7@/q:%s#Z"  # decoded: with all that must be escaped in a URL
SIMPLE = "c4nAryKx7qZ"
ESCAPED = urllib.parse.quote(CANARY, safe="")


def needles(text):
    """The forms in which a secret may hide in bytes."""
    found = set()
    for raw in {text.encode(), text.encode("utf-16-le")}:
        found |= {raw, raw.hex().encode(), raw.hex().upper().encode()}
        # Within base64 the secret has three alignments; of each, the characters that no neighbour changes.
        for shift in range(3):
            encoded = base64.b64encode(b"\0" * shift + raw)
            found.add(encoded[-(-shift * 4 // 3):(shift + len(raw)) * 8 // 6])
            found.add(base64.urlsafe_b64encode(b"\0" * shift + raw)[-(-shift * 4 // 3):(shift + len(raw)) * 8 // 6])
    return found


NEEDLES = needles(CANARY) | needles(ESCAPED) | needles(ESCAPED.lower()) | needles(SIMPLE)
# A part of it is a leak, too.
NEEDLES |= {SIMPLE[:7].encode(), SIMPLE[:7].encode("utf-16-le")}


def holds(data):
    # .reg files write UTF-16 of hex with commas and line breaks.
    plain = data.decode("utf-16", "replace").encode() if data[:2] == b"\xff\xfe" else b""
    packed = [re.sub(rb"[,\s\\]", b"", text) for text in (data, plain)]
    return any(needle in text for needle in NEEDLES for text in [data, plain, *packed])


# Where no output shows that it finds something: in base64 behind other bytes, and in a .reg file.
assert holds(base64.b64encode(b"xy" + CANARY.encode() + b"z"))
assert holds(b"\xff\xfe" + ",\\\r\n ".join("%02x" % byte for byte in SIMPLE.encode("utf-16-le")).encode("utf-16-le"))
