"""A file that looks like provisioner.exe: PE headers and a version resource, and nothing that runs."""
import struct


def _block(name, value_size, content, text=1):
    head = b"\0" * 6 + name.encode("utf-16-le") + b"\0\0"
    head += b"\0" * (-len(head) % 4) + content
    return struct.pack("<HHH", len(head), value_size, text) + head[6:]


def _padded(data):
    return data + b"\0" * (-len(data) % 4)


def _text(name, value):
    return _padded(_block(name, len(value) + 1, value.encode("utf-16-le") + b"\0\0"))


def make_program(rest=b"", product="provisioner", version="0.1.0"):
    """Its bytes, for amd64; `rest` follows them."""
    table = _block("040904B0", 0, _text("ProductName", product) + _text("ProductVersion", version))
    fixed = struct.pack("<I48x", 0xFEEF04BD)
    resource = _block("VS_VERSION_INFO", len(fixed), fixed + _block("StringFileInfo", 0, table), text=0)
    resources = b"".join(struct.pack("<12xHHII", 0, 1, *entry) for entry in ((16, 0x80000018), (1, 0x80000030), (0x409, 0x48)))
    resources += struct.pack("<IIII", 0x1058, len(resource), 0, 0) + resource
    optional = struct.pack("<H106xI16xII", 0x20B, 16, 0x1000, len(resources)).ljust(240, b"\0")
    headers = b"MZ".ljust(0x3C, b"\0") + struct.pack("<I4sHH12xHH", 0x40, b"PE\0\0", 0x8664, 1, len(optional), 0x22) + optional
    headers += struct.pack("<8sIIII16x", b".rsrc", len(resources), 0x1000, len(resources), 512)
    return headers.ljust(512, b"\0") + resources + rest
