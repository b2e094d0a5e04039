"""An OCI image of Linux unpacked by skopeo and bsdtar, and its program run in it, as a cluster runs it."""
import json

from harness import must, run


def unpacked(image, work):
    """The image's config, and the folder with its files."""
    config = json.loads(must("skopeo", "inspect", "--config", "--raw", f"oci-archive:{image}"))
    copy, root = work / "copy", work / "root"
    must("skopeo", "copy", f"oci-archive:{image}", f"dir:{copy}")  # checks each digest
    root.mkdir()
    for layer in json.loads((copy / "manifest.json").read_text())["layers"]:
        must("bsdtar", "-xpf", copy / layer["digest"].removeprefix("sha256:"), cwd=root)
    return config, root


def run_in(root, config, *words, code=0):
    """What its entrypoint says with these words, as the image's user, on a root that can't be written. Only root may call it."""
    (program,) = config["config"]["Entrypoint"]
    script = 'mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"; root=$1; user=$2; shift 2; exec chroot --userspec="$user" "$root" "$@"'
    done = run("unshare", "-m", "sh", "-ec", script, "sh", root, config["config"]["User"], program, *words)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done.stdout
