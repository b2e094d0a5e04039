"""The JSON Schemas of provisioner/docs/schemas, and whether a document is as its schema says."""
import functools
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:  # a Python of its own beside Debian's, which has the package
    sys.path.append("/usr/lib/python3/dist-packages")
    import jsonschema

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "provisioner/docs/schemas"
END = ".schema.json"


@functools.cache
def published():
    """{name: schema}, as in the folder."""
    return {path.name.removesuffix(END): json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*" + END))}


def whole(part, name):
    """Without references: those that are used name a definition of this file or of the common one."""
    if isinstance(part, list):
        return [whole(one, name) for one in part]
    if not isinstance(part, dict):
        return part
    if "$ref" not in part:
        return {key: whole(value, name) for key, value in part.items()}
    file, place = part["$ref"].split("#/$defs/")
    name = file.removesuffix(END) or name
    return {**whole(published()[name]["$defs"][place], name), **{key: value for key, value in part.items() if key != "$ref"}}


def closed(part):
    """The schema that refuses members which it does not have: what the program prints and no schema tells of is a fault."""
    if isinstance(part, list):
        return [closed(one) for one in part]
    if not isinstance(part, dict):
        return part
    out = {}
    for key, value in part.items():
        if key == "properties" and isinstance(value, dict):  # names of members, of which one may be "required" or "enum"
            out[key] = {name: closed(member) for name, member in value.items()}
        else:
            out[key] = closed(value) if key not in ("examples", "enum", "const", "required") else value
    if part.get("type") in ("object", ["object", "null"]) and isinstance(part.get("properties"), dict):
        out.setdefault("additionalProperties", False)
    return out


@functools.cache
def strict(name):
    return closed(whole(published()[name], name))


@functools.cache
def validator(name):
    return jsonschema.Draft202012Validator(strict(name))


def loose(part, place):
    """Where a strict schema takes any value, or an object with any members."""
    types = part.get("type", [])
    types = [types] if isinstance(types, str) else types
    if not types and not {"const", "enum"} & set(part):
        yield place
    if "object" in types and "additionalProperties" not in part or "array" in types and not {"items", "maxItems"} & set(part):
        yield place
    for name, member in part.get("properties", {}).items():
        yield from loose(member, "%s.%s" % (place, name))
    for key, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(part.get(key), dict):
            yield from loose(part[key], place + mark)


def faults(name, document):
    """What of a document is not as its schema says, a line each."""
    return ["%s: %s: %s" % (name, fault.json_path, fault.message[:300]) for fault in validator(name).iter_errors(document)]


def check(name, document):
    """Raises AssertionError unless the document, or the failure that it is, is as its schema says. Returns it."""
    if set(document) == {"schema", "error"}:
        name = "error"
    found = faults(name, document)
    assert not found, "\n".join(found)
    return document
