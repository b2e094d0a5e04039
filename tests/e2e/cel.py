"""Evaluates the part of CEL that the project's admission policies use, and merges what an ApplyConfiguration says into an object as an
API server does. It stands in for a server where there is none: it is strict where a server is (list literals of one type, names of
`Object` types, fields that are not there), and knows nothing that the policies don't use."""
import re

TOKEN = re.compile(r"""\s*(?:(?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?P<number>\d+)|(?P<name>[A-Za-z_]\w*)|"""
                   r"""(?P<op>==|!=|<=|>=|&&|\|\||[-+!<>?:.,()\[\]{}]))""")
ESCAPES = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "t": "\t"}
MACROS = {"map", "filter", "exists", "all"}
# The lists that are merged by a key; a patch may hold no others.
MERGED = {"containers": "name", "initContainers": "name", "env": "name", "volumeMounts": "mountPath", "volumes": "name"}


class CelError(Exception):
    pass


class Struct(dict):
    def __init__(self, name, fields):
        super().__init__(fields)
        self.name = name


class Optional:
    def __init__(self, *value):
        self.value = value  # empty: none


def tokens(text):
    at, found = 0, []
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if not match:
            raise CelError(f"can't read {text[at:at + 30]!r}")
        at = match.end()
        kind = match.lastgroup
        found.append((kind, match[kind]))
    return found + [("end", "")]


class Parser:
    """Nodes are tuples: (kind, ...)."""

    def __init__(self, text):
        self.tokens, self.at = tokens(text), 0

    def peek(self, *texts):
        return self.tokens[self.at][0] in ("op", "name") and self.tokens[self.at][1] in texts

    def take(self, *texts):
        if self.peek(*texts):
            self.at += 1
            return self.tokens[self.at - 1][1]
        return None

    def expect(self, text):
        if not self.take(text):
            raise CelError(f"{text!r} expected, not {self.tokens[self.at][1]!r}")

    def parse(self):
        node = self.expression()
        if self.tokens[self.at][0] != "end":
            raise CelError(f"unexpected {self.tokens[self.at][1]!r}")
        return node

    def expression(self):
        condition = self.binary(0)
        if not self.take("?"):
            return condition
        yes = self.binary(0)
        self.expect(":")
        return ("if", condition, yes, self.expression())

    LEVELS = (("||",), ("&&",), ("==", "!=", "<", "<=", ">", ">=", "in"), ("+", "-"))

    def binary(self, level):
        if level == len(self.LEVELS):
            return self.unary()
        node = self.binary(level + 1)
        while operator := self.take(*self.LEVELS[level]):
            node = ("binary", operator, node, self.binary(level + 1))
        return node

    def unary(self):
        if self.take("!"):
            return ("not", self.unary())
        return self.member()

    def items(self, end):
        found = []
        while not self.take(end):
            found.append(self.expression())
            if not self.take(","):
                self.expect(end)
                break
        return found

    def pairs(self, key):
        found = []
        while not self.take("}"):
            name = key()
            self.expect(":")
            found.append((name, self.expression()))
            if not self.take(","):
                self.expect("}")
                break
        return found

    def identifier(self):
        kind, text = self.tokens[self.at]
        if kind != "name":
            raise CelError(f"a name expected, not {text!r}")
        self.at += 1
        return text

    def member(self):
        node = self.primary()
        while True:
            if self.take("."):
                optional = bool(self.take("?"))
                name = self.identifier()
                node = ("call", node, name, self.items(")")) if self.take("(") else ("field", node, name, optional)
            elif self.take("["):
                optional = bool(self.take("?"))
                node = ("index", node, self.expression(), optional)
                self.expect("]")
            elif self.peek("{") and (name := dotted(node)):
                self.at += 1
                node = ("struct", name, self.pairs(self.identifier))
            else:
                return node

    def primary(self):
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "string":
            return ("literal", re.sub(r"\\(.)", lambda m: ESCAPES[m[1]], text[1:-1]))
        if kind == "number":
            return ("literal", int(text))
        if kind == "name":
            if text in ("true", "false"):
                return ("literal", text == "true")
            return ("call", None, text, self.items(")")) if self.take("(") else ("name", text)
        if text == "(":
            node = self.expression()
            self.expect(")")
            return node
        if text == "[":
            return ("list", self.items("]"))
        if text == "{":
            return ("map", self.pairs(self.expression))
        raise CelError(f"unexpected {text!r}")


def dotted(node):
    """"Object.spec" of a chain of names, else None."""
    if node[0] == "name":
        return node[1]
    if node[0] == "field" and not node[3]:
        head = dotted(node[1])
        return head and f"{head}.{node[2]}"
    return None


def kind_of(node):
    """What the type checker knows of a node before it is evaluated."""
    if node[0] == "literal":
        return type(node[1]).__name__
    if node[0] == "struct":
        return node[1]
    if node[0] == "call" and node[1] is None and node[2] == "string":
        return "str"
    if node[0] == "if":
        kinds = {kind_of(node[2]), kind_of(node[3])}
        return kinds.pop() if len(kinds) == 1 else "dyn"
    return "dyn"


def get(value, key, optional):
    wrapped = isinstance(value, Optional)
    if wrapped:
        if not value.value:
            return value
        value = value.value[0]
    found = key in value if isinstance(value, dict) else isinstance(value, list) and isinstance(key, int) and key < len(value)
    if optional or wrapped:
        return Optional(value[key]) if found else Optional()
    if not found:
        raise CelError(f"no such key: {key}")
    return value[key]


class Evaluator:
    def __init__(self, **names):
        self.names = names

    def run(self, text):
        return self.value(Parser(text).parse(), self.names)

    def value(self, node, names):
        return getattr(self, "of_" + node[0])(names, *node[1:])

    def of_literal(self, names, value):
        return value

    def of_name(self, names, name):
        if name not in names:
            raise CelError(f"undeclared reference to {name}")
        return names[name]

    def of_list(self, names, items):
        kinds = {kind_of(item) for item in items}
        if len(kinds) > 1:
            raise CelError(f"a list of several types: {kinds}")
        return [self.value(item, names) for item in items]

    def of_map(self, names, pairs):
        if len({kind_of(value) for _, value in pairs}) > 1:
            raise CelError("a map of several types")
        return {self.value(key, names): self.value(value, names) for key, value in pairs}

    def of_struct(self, names, name, pairs):
        return Struct(name, {key: self.value(value, names) for key, value in pairs})

    def of_field(self, names, of, name, optional):
        return get(self.value(of, names), name, optional)

    def of_index(self, names, of, key, optional):
        return get(self.value(of, names), self.value(key, names), optional)

    def of_not(self, names, operand):
        return not self.truth(operand, names)

    def of_if(self, names, condition, yes, no):
        return self.value(yes if self.truth(condition, names) else no, names)

    def truth(self, node, names):
        found = self.value(node, names)
        if not isinstance(found, bool):
            raise CelError(f"no bool: {found!r}")
        return found

    def of_binary(self, names, operator, left, right):
        if operator in ("&&", "||"):  # an error counts only where the other side does not decide
            decides, failure = operator == "||", None
            for side in (left, right):
                try:
                    if self.truth(side, names) == decides:
                        return decides
                except CelError as error:
                    failure = error
            if failure:
                raise failure
            return not decides
        a, b = self.value(left, names), self.value(right, names)
        if operator == "in":
            return a in b
        if operator == "+":
            if type(a) is not type(b):
                raise CelError(f"no such overload: {a!r} + {b!r}")
            return a + b
        if operator in ("==", "!="):
            return (a == b) == (operator == "==")
        return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator]

    def of_call(self, names, of, name, arguments):
        if of is None:
            if name != "string":
                raise CelError(f"unknown function {name}")
            found = self.value(arguments[0], names)
            if not isinstance(found, str):
                raise CelError(f"no string: {found!r}")
            return found
        found = self.value(of, names)
        if name in MACROS:
            (_, bound), body = arguments
            return self.macro(name, found, bound, body, names)
        words = [self.value(argument, names) for argument in arguments]
        if isinstance(found, Optional):
            if name == "orValue":
                return found.value[0] if found.value else words[0]
            if name == "hasValue":
                return bool(found.value)
        if name == "size":
            return len(found)
        if isinstance(found, str) and name in ("lowerAscii", "upperAscii", "startsWith", "replace", "split"):
            return {"lowerAscii": found.lower, "upperAscii": found.upper, "startsWith": found.startswith, "replace": found.replace,
                    "split": found.split}[name](*words)
        raise CelError(f"unknown function {name} of {type(found).__name__}")

    def macro(self, name, items, bound, body, names):
        if not isinstance(items, list):
            raise CelError(f"{name} of {type(items).__name__}")
        if name == "map":
            return [self.value(body, {**names, bound: item}) for item in items]
        if name == "filter":
            return [item for item in items if self.truth(body, {**names, bound: item})]
        decides, failure = name == "exists", None
        for item in items:
            try:
                if self.truth(body, {**names, bound: item}) == decides:
                    return decides
            except CelError as error:
                failure = error
        if failure:
            raise failure
        return not decides


def check_types(value, path):
    """The names of types are the way to the field, and no list or map is replaced as a whole."""
    if isinstance(value, Struct):
        if value.name != path:
            raise CelError(f"unexpected type name {value.name}, expected {path}")
        for name, field in value.items():
            if isinstance(field, list) and name not in MERGED:
                raise CelError(f"may not mutate atomic arrays, maps or structs: {path}.{name}")
            check_types(field, f"{path}.{name}")
    elif isinstance(value, list):
        for item in value:
            check_types(item, path)


def merge(live, patch, name=""):
    if isinstance(patch, dict):
        live = dict(live or {})
        for key, value in patch.items():
            live[key] = merge(live.get(key), value, key)
        return live
    if isinstance(patch, list):
        key, merged = MERGED[name], list(live or [])
        for item in patch:
            at = next((i for i, there in enumerate(merged) if there[key] == item[key]), None)
            if at is None:
                merged.append(merge(None, item))
            else:
                merged[at] = merge(merged[at], item)
        return merged
    return patch


def admit(policy, params, pod, namespace):
    """The pod that a server with this MutatingAdmissionPolicy makes of it; (pod, None), or (pod, NAME of the condition that left it alone)."""
    spec = policy["spec"]
    names = {"object": pod, "params": params, "request": {"namespace": namespace}}
    for condition in spec["matchConditions"]:
        if not Evaluator(**names).run(condition["expression"]):
            return pod, condition["name"]
    names["variables"] = {}
    for variable in spec["variables"]:
        names["variables"][variable["name"]] = Evaluator(**names).run(variable["expression"])
    for mutation in spec["mutations"]:
        patch = Evaluator(**names).run(mutation["applyConfiguration"]["expression"])
        check_types(patch, "Object")
        pod = merge(pod, patch)
        names["object"] = pod
    return pod, None
