"""What takes the block's names, or what its block reads, from a script: binds, writes, hides it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from judge_conformance.workflows.expressions import (
    is_global,
    is_global_object,
    key,
    member,
    origin,
    reflected,
    root,
)
from judge_conformance.workflows.parse import NAMES, Script
from judge_conformance.workflows.scopes import Node, Scopes, Variable
from judge_conformance.workflows.uses import REFLECTED_READS, Uses

_INTRINSICS = frozenset(  # what the block's values are made of, named in it or not
    {"Array", "Function", "Map", "Number", "Object", "RegExp", "String", "Symbol"}
)
_EVALUATORS = frozenset({"eval", "Function"})
_LEAVE = "the block relies on it: leave it as the language gives it"
_UNSEEN = "write out what it does"
Story = tuple[Node, str, str]


@dataclass(frozen=True, slots=True)
class Host:
    """A script that carries a block: its scopes, and which of its nodes are the block's own."""

    script: Script

    @property
    def scopes(self) -> Scopes:
        """The script's variables."""
        return self.script.scopes

    def inside(self, node: Node) -> bool:
        """Whether a node is part of a block."""
        start, end = node.range
        for block in self.script.blocks:  # noqa: SIM110 - asked of every node, twice as fast
            if block.start <= start and end <= block.end:
                return True
        return False

    def uses(self) -> Iterator[Node]:
        """Yield the identifiers outside the block that mean the block's names, in order."""
        for reference in sorted(self.scopes.references, key=lambda ref: int(ref.node.range[0])):
            own = reference.variable is None or self.holds(reference.variable)
            if reference.node.name in NAMES and own and not self.inside(reference.node):
                yield reference.node

    def holds(self, variable: Variable) -> bool:
        """Whether a variable is bound in the block."""
        return any(self.inside(binding) for binding in variable.bindings)

    def globals(self) -> set[str]:
        """Return the globals that the block reads."""
        found = (ref for ref in self.scopes.references if ref.variable is None)
        return {ref.node.name for ref in found if self.inside(ref.node)}

    def outside(self) -> Iterator[Node]:
        """Yield every node that is no part of the block."""
        return iter(self.script.outside)

    def text(self, node: Node) -> str:
        """Return a node as it is written."""
        return self.script.text[node.range[0] : node.range[1]]


def shadows(script: Script) -> list[tuple[int, int, str, str]]:
    """Return what takes the block's names from it: (start, end, message, hint), in order.

    A script without a block has nothing to lose: the list is empty.
    """
    if not script.blocks:
        return []
    host = Host(script)
    found: dict[tuple[int, int], tuple[str, str]] = {}
    for look in (
        _bound_again,
        _misused,
        _taken_elsewhere,
        _globals_taken,
        _globals_patched,
        _hidden,
        _constructors,
    ):
        for node, message, hint in look(host):
            found.setdefault((node.range[0], node.range[1]), (message, hint))
    return [(*place, *story) for place, story in sorted(found.items())]


def _bound_again(host: Host) -> Iterator[Story]:
    for node in host.scopes.bindings:
        if node.name in NAMES and not host.inside(node):
            yield node, f"{node.name} is bound again outside the block", "give it another name"


def _misused(host: Host) -> Iterator[Story]:
    written = {id(reference.node) for reference in host.scopes.references if reference.is_write}
    uses = Uses(host.scopes, written)
    for node in host.uses():
        if id(node) in written:
            yield node, f"{node.name} is written", "keep the value in a variable of its own"
        elif fault := uses.fault(node):
            yield node, f"{node.name} {fault}", "call it, read it, or hand it to a call as it is"


def _taken_elsewhere(host: Host) -> Iterator[Story]:
    """Yield `this.decideVerdict` and its like, which are not the block's."""
    for node in host.outside():
        if node.type == "MemberExpression" and is_global_object(host.scopes, node.object):
            name = member(node)
            if name in NAMES:
                yield node.property, f"a member {name} is not the block's", "use the name alone"
            elif name in _EVALUATORS and node.object.type != "ThisExpression":
                yield node.property, f"{name} runs code that cannot be seen", _UNSEEN


def _globals_taken(host: Host) -> Iterator[Story]:
    """Yield where a global that the block reads is bound or written."""
    read = host.globals()
    for reference in host.scopes.references:
        node, variable = reference.node, reference.variable
        if variable is None and reference.is_write and node.name in read:
            yield node, f"{node.name} is written, and the block reads it", _LEAVE
        elif variable is not None and host.inside(node) and not host.holds(variable):
            for binding in variable.bindings:
                yield binding, f"{node.name} is bound, and the block reads the global", _LEAVE


def _globals_patched(host: Host) -> Iterator[Story]:
    """Yield where a member of a global is written that the block reads or its values have."""
    read = host.globals()
    for node in host.scopes.written_members:
        start, path = origin(host.scopes, node)
        if "__proto__" in path[:-1] or _is_prototype(host, start):
            yield node, "a member of a prototype is written", _LEAVE
        if not is_global(host.scopes, start):
            continue
        if start.name == "globalThis" and (path[0] is None or path[0] in read | _INTRINSICS):
            yield node, f"globalThis.{path[0] or '[...]'} is written", _LEAVE
        elif start.name in read or (start.name in _INTRINSICS and "prototype" in path):
            yield root(node)[0], f"a member of {start.name} is written", _LEAVE


def _hidden(host: Host) -> Iterator[Story]:
    """Yield what runs or reaches code that cannot be seen here."""
    for node in host.outside():
        if node.type == "WithStatement":
            yield node.object, "`with` makes every name below it uncertain", _UNSEEN
        elif node.type in {"CallExpression", "NewExpression"}:
            yield from _reflected_upon(host, node)
    for reference in host.scopes.references:
        node = reference.node
        if is_global(host.scopes, node, *_EVALUATORS) and not _only_read(host.scopes, node):
            yield node, f"{node.name} runs code that cannot be seen", _UNSEEN


def _constructors(host: Host) -> Iterator[Story]:
    """Yield where a `.constructor` is taken, which may be that of functions: `Function`."""
    for node in host.outside():
        taken = []
        if node.type == "MemberExpression" and member(node) == "constructor":
            taken = [] if _only_read(host.scopes, node) else [node.property]
        elif node.type == "ObjectPattern":
            parts = (part for part in node.properties if part.type == "Property")
            taken = [part.key for part in parts if key(part) == "constructor"]
        for name in taken:
            yield name, "`.constructor` can run code that cannot be seen", _UNSEEN


def _reflected_upon(host: Host, call: Node) -> Iterator[Story]:
    """Yield the global object or a global's prototype, where Object or Reflect may change it."""
    if reflected(host.scopes, call.callee) in {None, *REFLECTED_READS}:
        return
    for argument in call.arguments:
        start, path = origin(host.scopes, argument)
        if "__proto__" in path or _is_prototype(host, start):
            yield argument, "a prototype is handed to Object or Reflect", _LEAVE
        elif is_global_object(host.scopes, argument):
            story = "the global object is handed to Object or Reflect"
            yield argument, story, "name what you read of it"
        elif _is_intrinsic(host.scopes, start) and path in ([], ["prototype"]):
            yield argument, f"{start.name} is handed to Object or Reflect", _LEAVE


def _is_prototype(host: Host, node: Node) -> bool:
    """Whether a node is a call of `getPrototypeOf`, whose answer may be anything's."""
    is_call = node.type == "CallExpression"
    return is_call and reflected(host.scopes, node.callee) == "getPrototypeOf"


def _is_intrinsic(scopes: Scopes, node: Node) -> bool:
    return is_global(scopes, node) and node.name in _INTRINSICS


def _only_read(scopes: Scopes, node: Node) -> bool:
    """Whether a function is compared or asked for its name, and not used."""
    parent, _ = scopes.parent(node)
    if parent is None:
        return False
    is_typeof = parent.type == "UnaryExpression" and parent.operator == "typeof"
    is_name = parent.type == "MemberExpression" and member(parent) == "name"
    return is_typeof or is_name or bool(parent.type == "BinaryExpression")
