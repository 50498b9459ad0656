"""What an expression comes to, as far as it can be read: members, keys, roots, globals."""

from __future__ import annotations

from judge_conformance.workflows.scopes import Node, Scopes, Variable

REFLECTORS = frozenset({"Object", "Reflect"})
_ALIASES = 8  # of aliases; nobody renames Object more often, and a ring of them must end


def bare(node: Node) -> Node:
    """Return what an expression is, without what only wraps it."""
    while True:
        match node.type:
            case "ChainExpression" | "ParenthesizedExpression":
                node = node.expression
            case "SequenceExpression":
                node = node.expressions[-1]
            case "SpreadElement":
                node = node.argument
            case _:
                return node


def member(node: Node) -> str | None:
    """Return the name of a member expression's member; None when it is computed."""
    if node.computed:
        return _literal(node.property)
    private = node.property.type == "PrivateIdentifier"
    return f"#{node.property.name}" if private else str(node.property.name)


def key(node: Node) -> str | None:
    """Return the key of a property; None when it is computed."""
    if not node.computed and node.key.type == "Identifier":
        return str(node.key.name)
    return _literal(node.key)


def root(node: Node) -> tuple[Node, list[str | None]]:
    """Return what a chain of members begins with, and the members' names in order."""
    path: list[str | None] = []
    node = bare(node)
    while node.type == "MemberExpression":
        path.append(member(node))
        node = bare(node.object)
    return node, path[::-1]


def called_method(call: Node) -> str | None:
    """Return the method that a call calls; None for anything else."""
    callee = bare(call.callee)
    return member(callee) if callee.type == "MemberExpression" else None


def origin(scopes: Scopes, node: Node) -> tuple[Node, list[str | None]]:
    """Return what a chain of members begins with, past variables that only rename it."""
    start, path = root(node)
    for _ in range(_ALIASES):
        variable = scopes.variable(start) if start.type == "Identifier" else None
        source = _taken_from(scopes, variable) if variable is not None else None
        if source is None:
            break
        start, taken = root(source[0])
        path = [*taken, *source[1], *path]
    return start, path


def is_global_object(scopes: Scopes, node: Node) -> bool:
    """Whether a node is `this` or `globalThis`, or a variable that renames one."""
    start, path = origin(scopes, node)
    is_object = start.type == "ThisExpression" or is_global(scopes, start, "globalThis")
    return is_object and not path


def is_global(scopes: Scopes, node: Node, *names: str) -> bool:
    """Whether a node is a name that the script binds nowhere around it, and one of `names`."""
    found = node.type == "Identifier" and scopes.variable(node) is None
    return found and (not names or node.name in names)


def reflected(scopes: Scopes, callee: Node) -> str | None:
    """Return the method of Object or Reflect that a callee is, also by another name.

    `?` when the method cannot be told; None for any other callee.
    """
    start, path = origin(scopes, callee)
    if is_global(scopes, start, *REFLECTORS):
        return (path[0] if path else None) or "?"
    if is_global(scopes, start, "globalThis") and path and path[0] in REFLECTORS:
        return (path[1] if len(path) > 1 else None) or "?"
    return None


def _taken_from(scopes: Scopes, variable: Variable) -> tuple[Node, list[str | None]] | None:
    """Return what a variable is initialised from: `const {keys: k} = Object` is Object, keys."""
    path: list[str | None] = []
    node = variable.bindings[0]
    parent, role = scopes.parent(node)
    while parent is not None and parent.type in {"Property", "ObjectPattern", "AssignmentPattern"}:
        if parent.type == "Property":
            path.append(key(parent))
        node = parent
        parent, role = scopes.parent(node)
    if parent is None or parent.type != "VariableDeclarator" or role != "id" or parent.init is None:
        return None
    return parent.init, path[::-1]


def _literal(node: Node) -> str | None:
    if node.type == "Literal" and isinstance(node.value, str):
        return node.value
    if node.type == "TemplateLiteral" and not node.expressions:
        return str(node.quasis[0].value.cooked)
    return None
