"""Small images for several platforms as an OCI layout, which skopeo pushes."""
import gzip
import hashlib
import io
import json
import tarfile

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
ELSEWHERE = "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip"  # a layer with URLs of its own

PLATFORMS = [{"os": "windows", "architecture": "amd64", "os.version": "10.0.17763.5696"},
             {"os": "windows", "architecture": "amd64", "os.version": "10.0.20348.2402"},
             {"os": "linux", "architecture": "amd64"}]


def digest_of(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def tar(name, content):
    """The archive with one file, and the same compressed."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        entry = tarfile.TarInfo("Files/" + name)
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return out.getvalue(), gzip.compress(out.getvalue(), mtime=0)


class Layout:
    """`images`: one for each platform in `platforms`; the blobs of layers with URLs are in `elsewhere`."""

    def __init__(self, folder, seed, platforms=PLATFORMS, layer_urls=None):
        self.folder = folder
        self.elsewhere, self.layers = {}, {}  # {digest: bytes}; {os.version or os: [digest]}
        (folder / "blobs/sha256").mkdir(parents=True)
        (folder / "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}')
        manifests = [{**self.image(seed, platform, layer_urls), "platform": platform} for platform in platforms]
        self.manifests = {one["platform"].get("os.version", one["platform"]["os"]): one["digest"] for one in manifests}
        index = self.blob({"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests}, INDEX)
        self.digest = index["digest"]
        tagged = {**index, "annotations": {"org.opencontainers.image.ref.name": "v1"}}
        (folder / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [tagged]}))

    def blob(self, content, media_type, **more):
        if isinstance(content, dict):
            content = json.dumps(content).encode()
        digest = digest_of(content)
        (self.folder / "blobs/sha256" / digest[7:]).write_bytes(content)
        return {"mediaType": media_type, "digest": digest, "size": len(content), **more}

    def image(self, seed, platform, layer_urls):
        name = platform.get("os.version", platform["os"])
        layers, plain = [], []
        for part in ("base", "program"):
            archive, compressed = tar(part, ("%s of %s for %s\n" % (part, seed, name)).encode() * 200)
            plain.append(digest_of(archive))
            away = layer_urls and part == "base" and platform["os"] == "windows"
            layers.append(self.blob(compressed, ELSEWHERE if away else LAYER))
            if away:
                digest = layers[-1]["digest"]
                layers[-1]["urls"] = [url + digest for url in layer_urls]
                self.elsewhere[digest] = compressed
                (self.folder / "blobs/sha256" / digest[7:]).unlink()
        self.layers[name] = [layer["digest"] for layer in layers]
        config = self.blob({**platform, "config": {}, "rootfs": {"type": "layers", "diff_ids": plain}}, CONFIG)
        return self.blob({"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": layers}, MANIFEST)
