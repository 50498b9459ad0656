"""Which calls of a Python file ask the contract: its module's functions, or its command."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from judge_conformance.python.names import Names

MODULE = "judge_contract"
FILE = f"{MODULE}.py"
_ASKED = frozenset({"decide", "validate", "spot_check"})
_COMMANDS = frozenset({"decide", "run"})
_RUNS = frozenset({"run", "Popen", "create_subprocess_exec"})
_CODES = frozenset({"call", "system"})
_TEXTS = frozenset({"check_output", "getoutput"})
_SAID = re.compile(rf"{re.escape(FILE)}\W+(?:decide|run)\b")


class Contract:
    """The calls of a file that ask the contract, by kind.

    `verdict` (decide), `validate`, `spot_check`; of a command that decides: `process` (what run()
    gives), `code` (an exit), `text` (what was printed).
    """

    def __init__(self, names: Names) -> None:
        """Look at all calls of a file."""
        self._names = names
        self._kinds: dict[ast.AST, str] = {}
        for node in names.nodes:
            if isinstance(node, ast.Call):
                kind = self._kind(node)
                if kind is not None:
                    self._kinds[node] = kind

    def kind(self, call: ast.Call) -> str | None:
        """Return what a call asks of the contract; None: nothing."""
        return self._kinds.get(call)

    def calls(self, *kinds: str) -> Iterator[ast.Call]:
        """Yield the calls of these kinds, in the order of the text."""
        found = [o for o, k in self._kinds.items() if k in kinds and isinstance(o, ast.Call)]
        yield from sorted(found, key=lambda call: (call.lineno, call.col_offset))

    @property
    def decisions(self) -> Iterator[ast.Call]:
        """The calls that give a verdict."""
        return self.calls("verdict", "process", "code", "text")

    def imports(self, node: ast.AST) -> bool:
        """Whether a node imports the contract."""
        if isinstance(node, ast.ImportFrom):
            return _ends(node.module) or any(_ends(one.name) for one in node.names)
        return isinstance(node, ast.Import) and any(_ends(one.name) for one in node.names)

    @staticmethod
    def report(call: ast.Call) -> ast.AST | None:
        """Return what decide() or validate() is asked about."""
        named = {k.arg: k.value for k in call.keywords}
        return call.args[0] if call.args else named.get("report", named.get("verdict"))

    def _kind(self, call: ast.Call) -> str | None:
        name = self._function(call.func)
        if name in _ASKED:
            return "verdict" if name == "decide" else name
        method, _ = called(call)
        if method in _RUNS | _CODES | _TEXTS and call.args and self._commands(call.args[0]):
            if method in _CODES:
                return "code"
            return "process" if method in _RUNS else "text"
        return None

    def _function(self, node: ast.AST) -> str | None:
        """Return which function of the module an expression is."""
        variable = self._names.variable(node)
        if variable is not None and isinstance(node, ast.Name):
            for binding in variable.bindings:
                if isinstance(binding, ast.alias) and self._imports(binding):
                    return binding.name
                parent = self._names.parent(binding)
                if isinstance(parent, ast.Assign) and parent.value is not node:
                    value = parent.value
                    if isinstance(value, ast.Attribute | ast.Subscript):
                        return self._function(value)
            return None
        match node:
            case ast.Attribute() if self._is_module(node.value):
                return node.attr
            case ast.Subscript(slice=ast.Constant(value=str(name))) if self._is_module(node.value):
                return name
        return None

    def _imports(self, alias: ast.AST) -> bool:
        """Whether a name is imported from the module."""
        source = self._names.parent(alias)
        return isinstance(source, ast.ImportFrom) and _ends(source.module)

    def _is_module(self, node: ast.AST) -> bool:
        """Whether an expression is the contract's module, however it was loaded."""
        if isinstance(node, ast.Call):
            return called(node)[0] in _LOADS and self._mentions(node)
        if isinstance(node, ast.Attribute):
            return node.attr == MODULE
        variable = self._names.variable(node)
        for binding in variable.bindings if variable is not None else ():
            if isinstance(binding, ast.alias) and _ends(binding.name):
                return True
            parent = self._names.parent(binding)
            if isinstance(parent, ast.Assign) and isinstance(parent.value, ast.Call):
                return self._is_module(parent.value)
        return False

    def _mentions(self, node: ast.AST) -> bool:
        """Whether a text of an expression, or of what its names are made of, names the module."""
        for below in ast.walk(node):
            if isinstance(below, ast.Constant) and _is_named(below.value):
                return True
            variable = self._names.variable(below)
            for binding in variable.bindings if variable is not None else ():
                parent = self._names.parent(binding)
                value = parent.value if isinstance(parent, ast.Assign) else None
                texts = ast.walk(value) if value is not None else ()
                if any(isinstance(o, ast.Constant) and _is_named(o.value) for o in texts):
                    return True
        return False

    def _commands(self, node: ast.AST) -> bool:
        """Whether a command line runs the contract, and decides."""
        texts: list[str] = []
        pending, seen = [node], set[ast.AST]()
        while pending:
            current = pending.pop()
            if current in seen:
                continue
            seen.add(current)
            for below in ast.walk(current):
                if isinstance(below, ast.Constant) and isinstance(below.value, str):
                    texts.append(below.value)
                variable = self._names.variable(below)
                for binding in variable.bindings if variable is not None else ():
                    parent = self._names.parent(binding)
                    if isinstance(parent, ast.Assign | ast.AnnAssign) and parent.value is not None:
                        pending.append(parent.value)
        whole = any(_SAID.search(text) for text in texts)
        return whole or (any(FILE in text for text in texts) and bool(_COMMANDS & set(texts)))


_LOADS = frozenset({"import_module", "__import__", "module_from_spec", "run_path", "load_module"})


def called(call: ast.Call) -> tuple[str, ast.AST | None]:
    """Return the last name of what is called, and what it is an attribute of."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr, call.func.value
    return (call.func.id, None) if isinstance(call.func, ast.Name) else ("", None)


def _ends(name: str | None) -> bool:
    return name is not None and name.rpartition(".")[2] == MODULE


def _is_named(value: object) -> bool:
    return isinstance(value, str) and (_ends(value) or value.endswith(FILE))
