#!/usr/bin/env python3
"""`router render` and the cases of upstream's own tests (openshift/images, egress/), byte for byte: beside the repository in
shared/cases/egress; skipped (77) where they are not.

usage: router_cases_e2e.py PROVISIONER"""
import json
import sys

from harness import SHARED, argument, end_unrun, run

PROVISIONER = argument()
CASES = SHARED / "cases/egress"
# Each file, the kind, the format, and how its cases name their values.
FILES = {
    "egress-router-upstream-nft.json": ("redirect", "nft"),
    "egress-router-upstream-iptables.json": ("redirect", "iptables"),
    "egress-http-proxy-upstream.json": ("http-proxy", "squid"),
}


def render(kind, form, case):
    words = [PROVISIONER, "router", "render", "--kind", kind, "--format", form, "--destination", "-"]
    if kind == "redirect":
        words += ["--source", case["EGRESS_SOURCE"], "--gateway", case["EGRESS_GATEWAY"]]
    text = case["EGRESS_DESTINATION"] if kind == "redirect" else case["in"]
    return run(*words, input=text, timeout=60)


def fault_of(kind, form, case):
    """What is wrong with our answer, or None."""
    done = render(kind, form, case)
    if case["exit"] == 0:
        if (done.returncode, done.stdout) != (0, case["stdout"]):
            return "exit %d, %r instead of %r; %s" % (done.returncode, done.stdout, case["stdout"], done.stderr)
        return None
    message = done.stderr
    if done.returncode != 11 or done.stdout or "error [destination]: " not in message:
        return "exit %d, output %r, message %r; wanted an error destination" % (done.returncode, done.stdout, message)
    if case["last_line"] not in message:
        return "the message %r has not the script's words %r" % (message, case["last_line"])
    return None


def main():
    if not all((CASES / name).exists() for name in FILES):
        end_unrun("upstream's cases are not beside the repository (%s)" % CASES)
    count, faults = 0, []
    for name, (kind, form) in FILES.items():
        for case in json.loads((CASES / name).read_text())["cases"]:
            count += 1
            if fault := fault_of(kind, form, case):
                faults.append("%s: %r: %s" % (name, case, fault))
    print("\n".join(faults))
    print("%d of %d cases as upstream" % (count - len(faults), count))
    return 1 if faults or count < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
