"""A CA of a test, and what it signs, made with openssl. RSA: Wine's TLS can't verify ECDSA."""
import hashlib
import pathlib
import ssl

from harness import end_unrun, missing, must


def openssl(*words):
    return must("openssl", *words)


class Authority:
    def __init__(self, folder, name, days=30):
        if lacking := missing("openssl"):
            end_unrun("missing: " + lacking)
        self.folder, self.name = pathlib.Path(folder), name
        self.pem, self.der, self.key = (self.folder / f"{name}.{end}" for end in ("pem", "der", "key"))
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", self.key, "-out", self.pem, "-days", days, "-subj", f"/CN={name}",
                "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign")
        self.der.write_bytes(ssl.PEM_cert_to_DER_cert(self.pem.read_text()))
        self.thumbprint = hashlib.sha1(self.der.read_bytes()).hexdigest().upper()

    def sign(self, name, usage, names=None, file=None, days=20, bits=2048, digest="sha256"):
        """(certificate, key) in files of the folder; `names`: the subjectAltName."""
        stem = (file or name).replace(":", "-")
        leaf, key, request, extensions = (self.folder / f"{stem}.{end}" for end in ("crt", "leaf.key", "csr", "ext"))
        openssl("req", "-newkey", f"rsa:{bits}", "-nodes", "-keyout", key, "-out", request, "-subj", f"/CN={name}")
        extensions.write_text(f"extendedKeyUsage={usage}\n" + (f"subjectAltName={names}\n" if names else ""))
        openssl("x509", "-req", "-in", request, "-CA", self.pem, "-CAkey", self.key, "-CAcreateserial", "-days", days, f"-{digest}",
                "-out", leaf, "-extfile", extensions)
        return leaf, key

    def leaf(self, names="DNS:localhost,IP:127.0.0.1", expired=False, label="leaf", **more):
        """Of a server; `more`: of the key and the signature."""
        # -days takes negative numbers: an end before the beginning, which is what matters here.
        return self.sign("machine-config-server", "serverAuth", names, f"{self.name}-{label}", -1 if expired else 20, **more)
