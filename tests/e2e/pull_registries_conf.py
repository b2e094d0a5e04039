"""Set-ups of registries.conf for pull_e2e.py, each with references that it is about."""
DIGEST = "@sha256:" + "5a" * 32


def registry(prefix, *mirrors, location=None, **flags):
    """One [[registry]]. `mirrors`: a location, or (location, more lines)."""
    lines = ["[[registry]]", 'prefix = "%s"' % prefix]
    if location != "":
        lines.append('location = "%s"' % (location or prefix))
    lines += ["%s = true" % name.replace("_", "-") for name in flags]
    for mirror in mirrors:
        place, *more = [mirror] if isinstance(mirror, str) else mirror
        lines += ["[[registry.mirror]]", 'location = "%s"' % place, *more]
    return "\n".join(lines) + "\n"


DIGESTS, TAGS, ANY = ('pull-from-mirror = "%s"' % word for word in ("digest-only", "tag-only", "all"))
APP, OTHER = "quay.test/org/app", "quay.test/other/app"
TAGGED, BY_DIGEST = ":v1", DIGEST

# (name, registries.conf, references)
CONFS = [
    ("nothing", "", [APP + TAGGED, "busybox" + TAGGED, APP + BY_DIGEST]),
    ("a mirror of a whole registry", registry("quay.test", "mirror.test"), [APP + TAGGED, APP + BY_DIGEST, "other.test/app:v1"]),
    ("a mirror with a port and a path", registry("quay.test", "mirror.test:5000/quay"), [APP + TAGGED, APP + BY_DIGEST]),
    ("two mirrors", registry("quay.test/org", "first.test/a", "second.test"), [APP + TAGGED, OTHER + TAGGED]),
    ("mirrors for digests only", registry("quay.test/org", "first.test", "second.test", mirror_by_digest_only=True), [APP + TAGGED, APP + BY_DIGEST]),
    ("a mirror each for digests and tags", registry("quay.test", ("digests.test", DIGESTS), ("tags.test", TAGS), ("all.test", ANY)),
     [APP + TAGGED, APP + BY_DIGEST]),
    ("blocked", registry("quay.test/org", blocked=True), [OTHER + TAGGED]),
    ("the longest prefix counts", registry("quay.test", "short.test") + registry("quay.test/org/app", "long.test") + registry("quay.test/org", "middle.test"),
     [APP + TAGGED, OTHER + TAGGED, "quay.test/org/application:v1", APP + "/part:v1"]),
    ("a prefix is no part of a word", registry("quay.test/or", "mirror.test"), [APP + TAGGED]),
    ("a prefix is a whole reference's name", registry("quay.test/org/app", "mirror.test/x"), [APP + TAGGED, APP + BY_DIGEST]),
    ("another location", registry("quay.test/org", location="moved.test/place"), [APP + TAGGED, APP + BY_DIGEST, OTHER + TAGGED]),
    ("another location and a mirror", registry("quay.test", "mirror.test", location="moved.test"), [APP + TAGGED]),
    ("a wildcard", registry("*.quay.test", "mirror.test", location=""), ["a.quay.test/app:v1", "a.b.quay.test/org/app:v1", APP + TAGGED]),
    ("a wildcard and its exception", registry("*.quay.test", "mirror.test", location="") + registry("a.quay.test", "other.test"),
     ["a.quay.test/app:v1", "b.quay.test/app:v1", "x.a.quay.test/app:v1"]),
    ("a registry with a port", registry("quay.test:5000", "mirror.test:6000"), ["quay.test:5000/app:v1", APP + TAGGED]),
    ("insecure", registry("quay.test", "mirror.test", insecure=True), [APP + TAGGED]),
    ("an insecure mirror", registry("quay.test", ("mirror.test", "insecure = true")), [APP + TAGGED, APP + BY_DIGEST]),
    ("Docker Hub", registry("docker.io", "mirror.test/hub"), ["busybox:v1", "docker.io/library/busybox:v1", "org/app:v1", "docker.io/org/app" + DIGEST]),
    ("Docker Hub's official images", registry("docker.io/library", "mirror.test/official"), ["busybox:v1", "org/app:v1"]),
    ("a location without a prefix", '[[registry]]\nlocation = "quay.test/org"\n[[registry.mirror]]\nlocation = "mirror.test"\n', [APP + TAGGED, OTHER + TAGGED]),
    ("unqualified-search-registries have no say", 'unqualified-search-registries = ["search.test"]\n' + registry("quay.test", "mirror.test"), [APP + TAGGED]),
    ("no tag is latest", registry("quay.test", "mirror.test"), [APP]),
]

# What only a reading by rule says: skopeo tries nobody.
REFUSED = [
    ("blocked", registry("quay.test/org", blocked=True), APP + TAGGED),
    ("a blocked registry with a mirror", registry("quay.test/org", "mirror.test", blocked=True), APP + TAGGED),
    ("blocked by a wildcard", registry("*.quay.test", location="", blocked=True), "a.quay.test/app:v1"),
    ("prefix twice", registry("quay.test", "mirror.test") + registry("quay.test", "other.test"), APP + TAGGED),
    ("a mirror without a location", registry("quay.test", ""), APP + TAGGED),
    ("pull-from-mirror beside mirror-by-digest-only", registry("quay.test", ("mirror.test", DIGESTS), mirror_by_digest_only=True), APP + TAGGED),
    ("an unknown pull-from-mirror", registry("quay.test", ("mirror.test", 'pull-from-mirror = "some"')), APP + TAGGED),
    ("no TOML", "[[registry]\n", APP + TAGGED),
]
