#!/usr/bin/env python3
"""Puts C++ sources that can be compiled as one text together: parsing the libraries' headers costs more than our own code.

usage: source_batches.py --out FOLDER --root FOLDER --lines N SOURCE...
  Writes FOLDER/batch-NAME.cc, which include SOURCEs of at most N lines together, and prints their paths, one a line.

A source that declares a name for itself (in an anonymous namespace, or static) never gets into a batch with one in which
the same word stands; nor does one that defines a macro. Names are found by patterns: what they miss shows as a
compiler's error (redefinition).
"""
import argparse
import os
import re


def own_names(text):
    """The names that a source declares for itself."""
    names = set(re.findall(r"(?m)^static .*?\b(\w+)(?= ?[=({;])", text))
    for inside in re.findall(r"(?ms)^namespace \{$(.*?)^\}  // namespace$", text):
        # At the beginning of a line: "Type Name(", "class Name", "constexpr Type kName[] =".
        names |= set(re.findall(r"(?m)^(?![ }#/])[^(\n]*?[\w>&*] \W*(\w+)\(", inside))
        names |= set(re.findall(r"(?m)^(?:template <.*> )?(?:class|struct|enum(?: class)?|using|union) (\w+)", inside))
        names |= set(re.findall(r"(?m)^(?![ }#/])[^(\n]*?[\w>&*] \W*(\w+)(?:\[\w*\])? ?(?:=|\{|;)", inside))
    return names - {"final", "namespace"}


def batches(texts, lines):
    """From {path: text} a list of (paths, their lines), in the order given; each path is in one of them."""
    made = []
    for path, text in texts.items():
        size, names, words = text.count("\n"), own_names(text), set(re.findall(r"\w+", text))
        alone = re.search(r"(?m)^#\s*define ", text)
        for batch in made:
            if not alone and not batch["alone"] and not batch["names"] & words and not batch["words"] & names and batch["lines"] + size <= lines:
                break
        else:
            batch = {"paths": [], "names": set(), "words": set(), "lines": 0, "alone": alone}
            made.append(batch)
        batch["paths"].append(path)
        batch["names"] |= names
        batch["words"] |= words
        batch["lines"] += size
    return [(batch["paths"], batch["lines"]) for batch in made]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--out", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--lines", type=int, required=True)
    parser.add_argument("sources", nargs="+")
    options = parser.parse_args()
    texts = {}
    for source in sorted(options.sources):
        with open(source, encoding="utf-8") as file:
            texts[os.path.relpath(source, options.root)] = file.read()
    os.makedirs(options.out, exist_ok=True)
    for paths, _ in batches(texts, options.lines):
        place = os.path.join(options.out, "batch-" + os.path.basename(paths[0]))
        text = "".join(f'#include "{path}"\n' for path in paths)
        # Written only when it changes, so that the build does not begin anew.
        if not os.path.exists(place) or open(place, encoding="utf-8").read() != text:
            with open(place, "w", encoding="utf-8") as file:
                file.write(text)
        print(place)


if __name__ == "__main__":
    main()
