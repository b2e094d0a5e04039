#!/usr/bin/env python3
"""Compares edited answer files with what Python's ElementTree reads in them.

usage: answer_file_check.py FOLDER     FOLDER: NAME.before, NAME.after, and `verdicts` with lines NAME VERDICT MORE

VERDICT is `added` (MORE: the record), `there` (no need to add) or `refused` (MORE: why). Exit 1 if its view differs.
"""
import collections
import pathlib
import sys
import xml.etree.ElementTree as ET

NS = "{urn:schemas-microsoft-com:unattend}"
ACTION = "{http://schemas.microsoft.com/WMIConfig/2002/State}action"
COMMAND = r"cmd.exe /d /c %SystemRoot%\Setup\Scripts\Provisioner\scripts\SetupComplete.cmd specialize"
LEVELS = ["settings", "component", "list", "item"]
# Well-formed, and refused all the same.
POLICY = ("DOCTYPE", "declares the encoding", "not XML 1.0", "nested deeper", "root element is <", "leaves none for another",
          "more than one ")


def parse(path):
    builder = ET.TreeBuilder(insert_comments=True, insert_pis=True)
    return ET.fromstring(path.read_bytes(), ET.XMLParser(target=builder))


def plain(element):
    """The tree as values, less the blanks around texts."""
    tag = element.tag if isinstance(element.tag, str) else element.tag.__name__
    texts = (element.text or "").strip(), (element.tail or "").strip()
    return tag, sorted(element.attrib.items()), texts, [plain(child) for child in element]


def chains(root):
    """All commands with the elements around them: [root, settings, component, list, item]."""
    for settings in root.findall(NS + "settings"):
        if settings.get("pass") != "specialize":
            continue
        for component in settings.findall(NS + "component"):
            if component.get("name") != "Microsoft-Windows-Deployment":
                continue
            for one in component.findall(NS + "RunSynchronous"):
                for found in one.findall(NS + "RunSynchronousCommand"):
                    yield [root, settings, component, one, found]


def direct_text(element):
    return (element.text or "") + "".join(child.tail or "" for child in element)


def is_ours(item):
    lines = item.findall(NS + "Path")
    return any(" ".join(direct_text(line).split()) == COMMAND for line in lines)


def order_of(item):
    values = [direct_text(order).strip() for order in item.findall(NS + "Order")]
    return max([int(v) for v in values if v.isascii() and v.isdigit()], default=0)


def take_out(chain, level):
    """Removes the element of that level, with what is in it, and keeps the text behind it."""
    parent, child = chain[level], chain[level + 1]
    index = list(parent).index(child)
    if index:
        parent[index - 1].tail = (parent[index - 1].tail or "") + (child.tail or "")
    else:
        parent.text = (parent.text or "") + (child.tail or "")
    parent.remove(child)


def check_added(before, after, record):
    known = [c[4] for c in chains(before)]
    for one in reversed(record.split(",")):  # one for each architecture
        _, made, architecture, _, _ = one.split(" ")
        new = [c for c in chains(after) if is_ours(c[4]) and c[2].get("processorArchitecture", "").lower() == architecture]
        if len(new) != 1:
            return "%d commands of ours" % len(new)
        _, _, _, list_, item = new[0]
        if item.get(ACTION) != "add":
            return "no wcm:action"
        others = [order_of(other) for other in list_.findall(item.tag) if other is not item]
        if order_of(item) != max(others, default=0) + 1 or (len(known) == 0 and order_of(item) != 1):
            return "Order %d beside %s" % (order_of(item), others)
        take_out(new[0], LEVELS.index(made))
    return "" if plain(after) == plain(before) else "something else changed"


def check(folder, name, verdict, more):
    try:
        before = parse(folder / (name + ".before"))
    except (ET.ParseError, LookupError, ValueError) as error:  # the last two: encodings that Python does not know
        return "" if verdict == "refused" else "not well-formed: %s" % error
    if verdict == "refused":
        return "" if any(word in more for word in POLICY) else "well-formed, and refused: " + more
    after = parse(folder / (name + ".after"))
    if verdict == "there":
        return "" if any(is_ours(c[4]) for c in chains(after)) else "our command isn't there"
    return check_added(before, after, more)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 0 if "--help" in sys.argv else 10
    folder = pathlib.Path(sys.argv[1])
    counts = collections.Counter()
    failures = 0
    for line in (folder / "verdicts").read_text().splitlines():
        name, verdict, more = line.split(" ", 2)
        counts[verdict] += 1
        wrong = check(folder, name, verdict, more)
        if wrong:
            failures += 1
            if failures <= 10:
                print("%s: %s\n%r" % (name, wrong, (folder / (name + ".before")).read_bytes()[:2000]), file=sys.stderr)
    print("compared with ElementTree: " + ", ".join("%d %s" % (n, what) for what, n in sorted(counts.items())))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
