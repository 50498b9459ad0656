"""What conditions come to in each world: a verdict that passed, failed, abstained or is missing.

An expression has a Python value (a literal dict or tuple too), an `Alike`, or one of the marks
below. Where the value depends on the verdict in a way that cannot be read it is OPAQUE, and no
claim is made of what hangs on it.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from judge_conformance.python.contract import called
from judge_conformance.python.flow import Flow, Trace, own_nodes, text_of
from judge_conformance.python.names import COMPREHENSIONS, FUNCTIONS, Variable
from judge_conformance.python.values import (
    Alike,
    Died,
    Mark,
    Tally,
    Value,
    compared,
    equal,
    is_unknown,
    truthy,
)

Source = tuple[ast.AST, tuple[str, ...]]
_DEEPEST = 60
_MOST_WRITTEN = 3  # variables whose writes read one another
_KEYS = frozenset(
    {
        "item",
        "rubric",
        "decidedBy",
        "criteria",
        "abstain",
        "abstainReason",
        "threshold",
        "score",
        "outcome",
        "calibrated",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What is true of the values that a source gives, by kind of trace."""

    name: str
    facts: Mapping[str, Value]


def _verdict(outcome: str, code: int, *, reason: str | None = None) -> World:
    facts = {
        "verdict": Mark.OBJECT,
        "outcome": outcome,
        "abstain": reason is not None,
        "reason": reason,
        "process": Mark.OBJECT,
        "code": code,
        "text": Mark.OBJECT,
    }
    return World(name=outcome, facts=facts)


VERDICTS = (
    _verdict("pass", 0),
    _verdict("fail", 1),
    _verdict("abstain", 2, reason="why"),
    World(name="missing", facts={"verdict": None, "text": "", "process": Mark.OBJECT, "code": 2}),
)
CRITERIA = tuple(
    World(name=name, facts={"criterion": Mark.OBJECT, "met": met, "score": score})
    for name, met, score in (("met", True, 1.0), ("unmet", False, 0.0), ("undecidable", None, None))
)


REPLIES = (
    World(name="alive", facts={"reply": Mark.OBJECT}),
    World(name="dead", facts={"reply": None}),
    World(name="raised", facts={"reply": Died.RAISED}),
)


@dataclass(slots=True)
class Worlds:
    """Evaluates expressions where the sources gave what a world says."""

    flow: Flow
    sources: frozenset[Source]
    _known: dict[tuple[object, str], Value] = field(default_factory=dict)
    _starts: dict[Variable, Value] = field(default_factory=dict)
    _hanging: dict[object, bool] = field(default_factory=dict)
    _depth: int = 0

    def truth(self, node: ast.AST, world: World) -> bool | Mark:
        """Return whether a condition holds: True, False, FREE, OPAQUE or THROWS."""
        return truthy(self.value(node, world))

    def value(self, node: ast.AST, world: World) -> Value:
        """Return what an expression comes to."""
        place = (node, world.name)
        if place not in self._known:
            if self._depth > _DEEPEST:
                return Mark.OPAQUE
            self._known[place] = Mark.OPAQUE  # what hangs on itself
            self._depth += 1
            found = self._look(node, world)
            self._depth -= 1
            if self._starts:
                del self._known[place]
                return found
            self._known[place] = found
        return self._known[place]

    def ours(self, node: ast.AST) -> list[Trace]:
        """Return the traces of an expression that come from the sources."""
        return [one for one in self.flow.traces(node) if one.source in self.sources]

    def is_about(self, node: ast.AST) -> bool:
        """Whether a condition asks about a verdict itself."""
        return any(
            not one.path and self.flow.kind(one) == "verdict"
            for below in ast.walk(node)
            for one in self.ours(below)
        )

    def _fact(self, node: ast.AST, world: World) -> tuple[Value] | None:
        """Return what a traced expression is here; None: nothing that a world knows."""
        direct = [
            one for one in self.ours(node) if not one.path and self.flow.kind(one) in world.facts
        ]
        return (world.facts[self.flow.kind(direct[0])],) if direct else None

    def _look(self, node: ast.AST, world: World) -> Value:
        if isinstance(node, ast.Constant):
            return node.value
        made = isinstance(node, ast.BoolOp | ast.IfExp)
        fact = None if made else self._fact(node, world)
        if fact is not None:
            plain = isinstance(node, ast.Name) and fact[0] is None
            return self._else(node, world) if plain else fact[0]
        step = _STEPS.get(type(node))
        return step(self, node, world) if step is not None else self.unread(node)

    def _else(self, node: ast.AST, world: World) -> Value:
        """Return what stands in for a missing verdict under its name, if something does."""
        held = self.name(node, world)
        return None if is_unknown(held) else held

    def unread(self, node: ast.AST) -> Mark:
        """Return the mark of what cannot be read."""
        return Mark.OPAQUE if self.depends(node) else Mark.FREE

    def depends(self, node: ast.AST) -> bool:
        """Whether a value may depend on what the sources gave, in any way."""
        return any(self._hangs(one) for one in ast.walk(node))

    def _hangs(self, node: ast.AST) -> bool:
        if any(node is site for site, _ in self.sources):
            return True
        variable = self.flow.names.variable(node)
        if variable is None:
            return False
        if variable not in self._hanging:
            self._hanging[variable] = False
            self._hanging[variable] = bool(self.ours(node)) or any(
                self.depends(made) for made in self._made_of(variable)
            )
        return self._hanging[variable]

    def _made_of(self, variable: Variable) -> list[ast.AST]:
        """Return what a variable is made of, and the conditions on which it is written."""
        names, found = self.flow.names, list[ast.AST]()
        for node in [*variable.bindings, *variable.reads]:
            written = node in variable.bindings
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found += [o for o in own_nodes(node) if isinstance(o, ast.Return)]
                continue
            if isinstance(node, ast.arg):
                function = names.function(node)
                calls = self.flow.calls(function) if function is not None else ()
                found += [call for call, _ in calls]
                continue
            maker = self._maker(node) if written else self._grows(node) or self._stores(node)
            if maker is None:
                continue
            if isinstance(maker, ast.Call):
                found += maker.args
            else:
                made = getattr(maker, "value", None) or getattr(maker, "iter", None)
                found += [made or getattr(maker, "context_expr", None) or maker]
            if isinstance(maker, ast.comprehension):
                continue
            for above in names.above(maker):
                if isinstance(above, FUNCTIONS):
                    break
                if isinstance(above, ast.If | ast.While):
                    found.append(above.test)
                elif isinstance(above, ast.For | ast.AsyncFor):
                    found.append(above.iter)
        return found

    def _maker(self, node: ast.AST) -> ast.AST | None:
        """Return what gives a target its value: an assignment, a loop, a `with`."""
        parent = self.flow.names.parent(node)
        while isinstance(parent, ast.Tuple | ast.List | ast.Starred):
            parent = self.flow.names.parent(parent)
        makers = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr | ast.withitem
        is_maker = isinstance(parent, makers | ast.For | ast.AsyncFor | ast.comprehension)
        return parent if is_maker else None

    def name(self, node: ast.AST, world: World) -> Value:
        """Return what a name or an attribute holds: by its writes, the last one that happens."""
        variable = self.flow.names.variable(node)
        if variable is None:
            return self._member(node, world) if isinstance(node, ast.Attribute) else Mark.FREE
        if variable in self._starts:
            return self._starts[variable]
        if len(self._starts) > _MOST_WRITTEN:
            return Mark.OPAQUE
        if any(isinstance(one, ast.arg) for one in variable.bindings):
            return self._argument(node, variable, world)
        writes = [self.flow.names.parent(one) for one in variable.bindings]
        if not writes or not all(_is_write(one) for one in writes):
            return self.unread(node)
        return self._written(node, variable, writes, world)

    def _argument(self, node: ast.AST, variable: Variable, world: World) -> Value:
        """Return what the only call of a function hands to it."""
        arg = variable.bindings[0]
        function = self.flow.names.function(arg)
        calls = list(self.flow.calls(function)) if function is not None else []
        listed = [o for o in self.ours(node) if o.path == ("[]",) and o.kind in world.facts]
        if listed:
            return Alike(world.facts[listed[0].kind])
        if len(variable.bindings) == 1 and len(calls) == 1 and calls[0][1] == "func":
            names = [one.arg for one in function.args.args]  # type: ignore[union-attr] # a function
            given = dict(zip(names, calls[0][0].args, strict=False))
            given |= {k.arg: k.value for k in calls[0][0].keywords if k.arg}
            if isinstance(arg, ast.arg) and arg.arg in given:
                return self.value(given[arg.arg], world)
        return self.unread(node)

    def _written(
        self, node: ast.AST, variable: Variable, writes: list[ast.AST | None], world: World
    ) -> Value:
        found: Value = Mark.FREE
        unsure = False
        before = dict(self._starts)
        for write in writes:
            reached = self.reached(write, world) if len(writes) > 1 and write else True
            if reached is Mark.THROWS:
                return reached
            if reached is False:
                continue
            if isinstance(write, ast.AugAssign):
                self._starts[variable] = found
                new = self._grown(write, found, world)
            else:
                self._starts[variable] = found
                new = self.value(write.value, world)  # type: ignore[union-attr] # _is_write
            self._starts = dict(before)
            if reached is Mark.OPAQUE:
                return self.unread(node)
            caught = found is Mark.THROWS
            unsure = unsure or (reached is Mark.FREE and not caught and not equal(new, found))
            found = new
        if unsure and not is_unknown(found):
            return Mark.FREE
        return self._filled(node, variable, found, world)

    def _grown(self, write: ast.AugAssign, start: Value, world: World) -> Value:
        value = self.value(write.value, world)
        if isinstance(write.op, ast.BitAnd | ast.BitOr) and isinstance(value, bool):
            both = (start, value)
            return all(both) if isinstance(write.op, ast.BitAnd) else any(both)
        if isinstance(write.op, ast.Add) and (value is Mark.MANY or value == 1):
            return Mark.MANY
        if isinstance(write.op, ast.Add) and value == 0 and not isinstance(value, Alike):
            return start
        return self.unread(write.value)

    def _filled(self, node: ast.AST, variable: Variable, start: Value, world: World) -> Value:
        """Return what a collection holds after what was put into it."""
        puts: list[ast.Call | ast.Assign | ast.AugAssign]
        puts = [call for use in variable.reads if (call := self._grows(use)) is not None]
        puts += [
            stored
            for use in variable.reads
            if isinstance(stored := self._stores(use), ast.Assign | ast.AugAssign)
        ]
        if not puts or is_unknown(start):
            return start
        reached = [self.reached(one, world) for one in puts]
        if any(one is Mark.OPAQUE for one in reached):
            return Mark.OPAQUE
        if any(one is True for one in reached):
            put = next(one for one, is_in in zip(puts, reached, strict=True) if is_in is True)
            given = put.args[-1] if isinstance(put, ast.Call) and put.args else None
            value = self.value(given, world) if given is not None else Mark.OBJECT
            grows = isinstance(put, ast.Call) and called(put)[0] in {"extend", "update"}
            held = value.value if isinstance(value, Alike) and grows else value
            return Alike(held) if start is Mark.EMPTY else self.unread(node)
        if any(one is Mark.FREE for one in reached):
            return self.unread(node)
        return start

    def _grows(self, use: ast.AST) -> ast.Call | None:
        """Return the call by which a use of a collection puts something in."""
        names = self.flow.names
        parent = names.parent(use)
        call = names.parent(parent) if isinstance(parent, ast.Attribute) else None
        is_call = isinstance(call, ast.Call) and call.func is parent
        return call if is_call and parent.attr in _GROWING else None  # type: ignore[union-attr,return-value] # a call

    def _stores(self, use: ast.AST) -> ast.AST | None:
        parent = self.flow.names.parent(use)
        is_stored = isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Store)
        return self.flow.names.parent(parent) if is_stored and parent is not None else None

    def _member(self, node: ast.AST, world: World) -> Value:
        """Return a key or an attribute of something."""
        own = self.value(node.value, world)  # type: ignore[attr-defined] # a Subscript or Attribute
        if own is None or own is Mark.THROWS:
            return Mark.THROWS
        key = (
            node.attr if isinstance(node, ast.Attribute) else self.value(node.slice, world)  # type: ignore[attr-defined] # a Subscript
        )
        if isinstance(own, Tally):
            return self._picked(node, own, key)
        if isinstance(own, dict) and isinstance(key, str | int | bool | None):
            return own.get(key, Mark.THROWS)
        if isinstance(own, tuple) and type(key) is int and -len(own) <= key < len(own):
            return own[key]
        return self.unread(node)

    def _picked(self, node: ast.AST, own: Tally, key: Value) -> Value:
        if is_unknown(key):
            return self.unread(node)
        return Mark.MANY if equal(own.value, key) else 0

    def boolean(self, node: ast.BoolOp, world: World) -> Value:
        """Return what `and` or `or` gives."""
        stops = isinstance(node.op, ast.Or)
        found: Value = None
        for part in node.values:
            found = self.value(part, world)
            truth = truthy(found)
            if truth is Mark.THROWS:
                return truth
            if isinstance(truth, Mark):
                rest = node.values[node.values.index(part) + 1 :]
                ends = [truthy(self.value(one, world)) for one in rest]
                if any(one is stops for one in ends):
                    return stops if truth is Mark.FREE else Mark.OPAQUE
                opaque = truth is Mark.OPAQUE or any(one is Mark.OPAQUE for one in ends)
                return Mark.OPAQUE if opaque or self.depends(node) else Mark.FREE
            if truth is stops:
                return found
        return found

    def unary(self, node: ast.UnaryOp, world: World) -> Value:
        """Return what `not` or a sign gives."""
        value = self.value(node.operand, world)
        if isinstance(node.op, ast.Not):
            truth = truthy(value)
            return truth if isinstance(truth, Mark) else not truth
        if isinstance(node.op, ast.USub) and isinstance(value, int | float):
            return -value
        return self.unread(node)

    def choice(self, node: ast.IfExp, world: World) -> Value:
        """Return the arm that a condition chooses."""
        truth = self.truth(node.test, world)
        if isinstance(truth, Mark):
            both = [self.value(arm, world) for arm in (node.body, node.orelse)]
            same = equal(*both) and not is_unknown(both[0])
            return both[0] if same else truth if truth is Mark.THROWS else self.unread(node)
        return self.value(node.body if truth else node.orelse, world)

    def compare(self, node: ast.Compare, world: World) -> Value:
        """Return what comparisons come to."""
        left = self.value(node.left, world)
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.value(right_node, world)
            truth = compared(left, op, right)
            if truth is None:
                return self.unread(node)
            if truth is not True:
                return truth
            left = right
        return True

    def display(self, node: ast.AST, world: World) -> Value:
        """Return a list, tuple or set: empty, or of values."""
        parts = node.elts  # type: ignore[attr-defined] # a List, Tuple or Set
        if not parts:
            return Mark.EMPTY
        if any(isinstance(part, ast.Starred) for part in parts):
            return self.value(parts[0].value, world) if len(parts) == 1 else self.unread(node)
        return tuple(self.value(part, world) for part in parts)

    def mapping(self, node: ast.Dict, world: World) -> Value:
        """Return a dict of values by constant keys."""
        if not node.keys:
            return Mark.EMPTY
        keys = [self.value(key, world) if key is not None else Mark.FREE for key in node.keys]
        if not all(isinstance(key, str | int | None) for key in keys):
            return Mark.OBJECT
        values = [self.value(value, world) for value in node.values]
        return dict(zip(keys, values, strict=True))

    def comprehension(self, node: ast.AST, world: World) -> Value:
        """Return what a comprehension over ours gives: none, or all alike."""
        first = node.generators[0]  # type: ignore[attr-defined] # a comprehension
        over = self.value(first.iter, world)
        if over is Mark.EMPTY or over is Mark.THROWS:
            return over
        readable = isinstance(over, Alike) or over is Mark.FREE
        if not readable or not self.depends(node):
            return self.unread(node)
        kept: bool | Mark = True
        for test in (test for part in node.generators for test in part.ifs):  # type: ignore[attr-defined] # likewise
            truth = self.truth(test, world)
            if truth is False or truth is Mark.THROWS:
                return Mark.EMPTY if truth is False else truth
            kept = kept if truth is True else truth
        if kept is Mark.OPAQUE:
            return kept
        made = node.key if isinstance(node, ast.DictComp) else node.elt  # type: ignore[attr-defined] # likewise
        return Alike(self.value(made, world))

    def call(self, node: ast.Call, world: World) -> Value:
        """Return what a call gives."""
        name, owner = called(node)
        if owner is not None:
            found = self._method(node, owner, name, world)
            if found is not _UNSEEN:
                return found
        builtin = _BUILTINS.get(name)
        if builtin is not None and node.args:
            return builtin(self, node, [self.value(one, world) for one in node.args])
        if name in {"list", "dict", "set", "tuple"} and not node.args and owner is None:
            return Mark.EMPTY
        function = self.flow.function(node.func)
        return self.ran(function, world) if function is not None else self.unread(node)

    def _method(self, node: ast.Call, owner: ast.AST, name: str, world: World) -> Value:
        if name in {"loads", "run", "Counter", "gather"}:
            return _UNSEEN
        own = self.value(owner, world)
        args = [self.value(one, world) for one in node.args]
        match name:
            case "get" if args:
                return self._got(node, owner, own, args)
            case "lower" | "upper" | "strip" | "casefold" | "title" if isinstance(own, str):
                return getattr(own, name)()
            case "startswith" | "endswith" if isinstance(own, str) and isinstance(args[0], str):
                return getattr(own, name)(args[0])
            case "values" | "items" | "copy" if isinstance(own, Alike) or own is Mark.EMPTY:
                return own
            case "strip" | "decode" | "lower" if own is Mark.OBJECT:
                return own
            case "count" if isinstance(own, Alike | Mark) and args and not is_unknown(own):
                picked = own.value if isinstance(own, Alike) else None
                return Mark.MANY if isinstance(own, Alike) and equal(picked, args[0]) else 0
        if own is None or own is Mark.THROWS:
            is_known = isinstance(owner, ast.Name) and bool(self.ours(owner))
            return Mark.THROWS if own is Mark.THROWS or is_known else self.unread(node)
        return _UNSEEN

    def _got(self, node: ast.Call, owner: ast.AST, own: Value, args: list[Value]) -> Value:
        key, default = args[0], args[1] if len(args) > 1 else None
        if own is None or own is Mark.THROWS:
            return Mark.THROWS
        if own is Mark.EMPTY:
            return default
        if isinstance(own, Tally):
            return self._picked(node, own, key)
        if isinstance(own, dict):
            if is_unknown(key):
                return self.unread(node)
            known = isinstance(key, str | int | bool | None)
            return own.get(key, default) if known else default
        is_verdict = any(not o.path and self.flow.kind(o) == "verdict" for o in self.ours(owner))
        if is_verdict and isinstance(key, str) and key not in _KEYS:
            return default
        return self.unread(node)

    def ran(self, function: ast.AST, world: World) -> Value:
        """Return what a function gives."""
        if isinstance(function, ast.Lambda):
            return self.value(function.body, world)
        ended, value = self._run(function.body, world)  # type: ignore[attr-defined] # a function
        return value if ended else None

    def _run(self, statements: list[ast.stmt], world: World) -> tuple[bool, Value]:
        for statement in statements:
            ended, value = False, None
            match statement:
                case ast.Return():
                    return True, self.value(statement.value, world) if statement.value else None
                case ast.Raise():
                    return True, Mark.THROWS
                case ast.If():
                    truth = self.truth(statement.test, world)
                    if isinstance(truth, Mark):
                        is_plain = truth is Mark.THROWS or not _returns(statement)
                        if is_plain and truth is not Mark.THROWS:
                            continue
                        return True, truth if truth is Mark.THROWS else self.unread(statement)
                    arm = statement.body if truth else statement.orelse
                    ended, value = self._run(arm, world)
                case ast.With() | ast.AsyncWith():
                    ended, value = self._run(statement.body, world)
                case ast.Try():
                    ended, value = self._run([*statement.body, *statement.orelse], world)
                case ast.For() | ast.AsyncFor() | ast.While() | ast.Match() if _returns(statement):
                    ended, value = self._looped(statement, world)
            if ended:
                return True, value
        return False, None

    def _looped(self, statement: ast.stmt, world: World) -> tuple[bool, Value]:
        """Return what the returns within a loop or match give, if one is reached."""
        unsure = False
        for node in own_nodes(statement):
            if isinstance(node, ast.Return):
                reached = self.reached(node, world, within=statement)
                if reached is True:
                    return True, self.value(node.value, world) if node.value else None
                unsure = unsure or reached is Mark.OPAQUE
        return unsure, Mark.OPAQUE

    def reached(self, node: ast.AST, world: World, *, within: ast.AST | None = None) -> bool | Mark:
        """Return whether a place is reached: True, False, FREE, OPAQUE; THROWS before it."""
        found: bool | Mark = True
        for _, lets in conditions(self.flow, node, within):
            reaches = lets(self, world)
            if reaches is False or reaches is Mark.THROWS:
                return reaches
            if reaches is Mark.OPAQUE or (reaches is Mark.FREE and found is True):
                found = reaches
        return found


Lets = Callable[[Worlds, World], "bool | Mark"]


def conditions(
    flow: Flow, node: ast.AST, within: ast.AST | None = None
) -> list[tuple[ast.AST, Lets]]:
    """Return the conditions under which a place is reached: what is asked, and whether it lets.

    The function around it is the outermost that is looked at.
    """
    found: list[tuple[ast.AST, Lets]] = []
    below = node
    for above in flow.names.above(node):
        role = flow.names.role(below)
        match above:
            case ast.If() | ast.IfExp() | ast.While() if role in {"body", "orelse"}:
                if not (isinstance(above, ast.While) and role == "orelse"):
                    found.append((above.test, _holds(above.test, wanted=role == "body")))
            case ast.BoolOp():
                for part in above.values:
                    if part is below:
                        break
                    found.append((part, _holds(part, wanted=isinstance(above.op, ast.And))))
            case ast.comprehension():
                tests = above.ifs[: above.ifs.index(below)] if role == "ifs" else []  # type: ignore[arg-type] # an if
                found += [(test, _holds(test, wanted=True)) for test in tests]
            case ast.match_case() if role == "body":
                match = flow.names.parent(above)
                if isinstance(match, ast.Match):
                    found.append((match.subject, _matches(match, above)))
            case ast.ExceptHandler():
                found.append((above, lambda _worlds, _world: Mark.FREE))
        if isinstance(above, COMPREHENSIONS) and role in {"elt", "key", "value"}:
            tests = [test for part in above.generators for test in part.ifs]
            found += [(test, _holds(test, wanted=True)) for test in tests]
        if role == "orelse" and isinstance(above, ast.For | ast.AsyncFor | ast.While):
            found.append((above, _unbroken(above)))
        if isinstance(below, ast.stmt):
            found += [
                (_asked(statement), _stays(statement)) for statement in _before(above, role, below)
            ]
        if above is within or isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef):
            break
        below = above
    return found


def _before(above: ast.AST, role: str, below: ast.stmt) -> list[ast.stmt]:
    """Return the statements of a block before one of them, that may leave it."""
    block = getattr(above, role, None)
    if not isinstance(block, list) or below not in block:
        return []
    return [one for one in block[: block.index(below)] if _may_leave(one)]


def _may_leave(statement: ast.stmt) -> bool:
    compound = ast.If | ast.For | ast.AsyncFor | ast.While | ast.With | ast.Try | ast.Match
    return isinstance(statement, compound | ast.Assert) or is_stop(statement)


def _asked(statement: ast.stmt) -> ast.AST:
    """Return what a statement asks before it leaves."""
    if isinstance(statement, ast.If | ast.Assert):
        return statement.test
    inner = (o for o in own_nodes(statement) if isinstance(o, ast.If) and _leaving(o))
    return next((one.test for one in sorted(inner, key=lambda o: o.lineno)), statement)


def _leaving(statement: ast.If) -> bool:
    return any(isinstance(o, ast.Return | ast.Raise) or _exits(o) for o in own_nodes(statement))


def _holds(test: ast.AST, *, wanted: bool) -> Lets:
    def lets(worlds: Worlds, world: World) -> bool | Mark:
        truth = worlds.truth(test, world)
        return truth if isinstance(truth, Mark) else truth is wanted

    return lets


def _unbroken(loop: ast.AST) -> Lets:
    def lets(worlds: Worlds, world: World) -> bool | Mark:
        breaks = [o for o in own_nodes(loop) if isinstance(o, ast.Break)]
        reached = [worlds.reached(one, world, within=loop) for one in breaks]
        if any(one is True for one in reached):
            return False
        return next((one for one in (Mark.OPAQUE, Mark.FREE) if one in reached), True)

    return lets


def _stays(statement: ast.stmt) -> Lets:
    def lets(worlds: Worlds, world: World) -> bool | Mark:
        left = _left(worlds, statement, world)
        return left if isinstance(left, Mark) else not left

    return lets


def is_stop(node: ast.AST) -> bool:
    """Whether a statement always leaves the block around it."""
    if isinstance(node, ast.Return | ast.Continue | ast.Break | ast.Raise):
        return True
    return isinstance(node, ast.Expr) and _exits(node.value)


def _exits(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and called(node)[0] in {"exit", "_exit", "quit"}


def _left(worlds: Worlds, statement: ast.stmt, world: World) -> bool | Mark:
    """Return whether a statement leaves the block around it."""
    if is_stop(statement):
        return True
    match statement:
        case ast.Assert():
            truth = worlds.truth(statement.test, world)
            return truth if isinstance(truth, Mark) else not truth
        case ast.If():
            yes, no = (_ends(worlds, arm, world) for arm in (statement.body, statement.orelse))
            if yes is no:
                return yes
            truth = worlds.truth(statement.test, world)
            return truth if isinstance(truth, Mark) else yes if truth else no
        case ast.With():
            return _ends(worlds, statement.body, world)
        case ast.For() | ast.AsyncFor() | ast.While() | ast.Match() | ast.Try():
            return _leaves_from(worlds, statement, world)
    return False


def _leaves_from(worlds: Worlds, statement: ast.stmt, world: World) -> bool | Mark:
    """Return whether a loop, match or try returns, raises or exits."""
    found: bool | Mark = False
    for node in own_nodes(statement):
        is_end = isinstance(node, ast.Return | ast.Raise) or _exits(node)
        in_loop = isinstance(statement, ast.Match | ast.Try) and isinstance(
            node, ast.Continue | ast.Break
        )
        if not is_end and not in_loop:
            continue
        if isinstance(node, ast.Raise) and _is_caught(worlds, node, statement):
            continue
        reached = worlds.reached(node, world, within=statement)
        if reached is True:
            return True
        found = reached if isinstance(reached, Mark) and found is not Mark.OPAQUE else found
    return Mark.FREE if found is Mark.THROWS else found


def _is_caught(worlds: Worlds, node: ast.AST, statement: ast.stmt) -> bool:
    for above in worlds.flow.names.above(node):
        if isinstance(above, ast.Try) and above.handlers:
            return True
        if above is statement:
            return False
    return False


def _ends(worlds: Worlds, statements: list[ast.stmt], world: World) -> bool | Mark:
    found: bool | Mark = False
    for one in statements:
        left = _left(worlds, one, world)
        if left is True:
            return True
        found = left if left is not False else found
    return found


def _matches(match: ast.Match, case: ast.match_case) -> Lets:
    """Return whether a subject comes to one of its cases."""

    def lets(worlds: Worlds, world: World) -> bool | Mark:
        value = worlds.value(match.subject, world)
        if is_unknown(value):
            return value  # type: ignore[no-any-return] # one of the marks
        for one in match.cases:
            fits = _fits(worlds, one.pattern, value, world)
            if fits is None or (fits and one.guard is not None):
                return Mark.OPAQUE
            if fits:
                return one is case
        return False

    return lets


def _fits(worlds: Worlds, pattern: ast.pattern, value: Value, world: World) -> bool | None:
    match pattern:
        case ast.MatchValue():
            wanted = worlds.value(pattern.value, world)
            return None if is_unknown(wanted) else equal(value, wanted)
        case ast.MatchSingleton():
            return value is pattern.value
        case ast.MatchOr():
            fits = [_fits(worlds, one, value, world) for one in pattern.patterns]
            return True if True in fits else None if None in fits else False
        case ast.MatchAs(pattern=None):
            return True
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return _fits(worlds, inner, value, world)
        case ast.MatchMapping(keys=keys, patterns=patterns) if value is Mark.OBJECT:
            return _fits_keys(worlds, match_of(worlds, pattern), keys, patterns, world)
    return False if value is None else None


def _fits_keys(
    worlds: Worlds,
    subject: ast.AST | None,
    keys: list[ast.expr],
    patterns: list[ast.pattern],
    world: World,
) -> bool | None:
    """Whether a verdict has these keys with these values."""
    for key, inner in zip(keys, patterns, strict=True):
        name = text_of(key)
        below = worlds.flow.member(worlds.flow.traces(subject), name or "")
        kinds = [o.kind for o in below if not o.path and o.source in worlds.sources]
        known = next((world.facts[kind] for kind in kinds if kind in world.facts), Mark.FREE)
        if is_unknown(known):
            return None
        fits = _fits(worlds, inner, known, world)
        if fits is not True:
            return fits
    return True


def match_of(worlds: Worlds, pattern: ast.pattern) -> ast.AST | None:
    """Return the subject that a pattern is held to."""
    matches = (o for o in worlds.flow.names.above(pattern) if isinstance(o, ast.Match))
    return next((one.subject for one in matches), None)


def _returns(statement: ast.AST) -> bool:
    return any(isinstance(one, ast.Return | ast.Raise) for one in own_nodes(statement))


def _is_write(node: ast.AST | None) -> bool:
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
        return node.value is not None
    return isinstance(node, ast.AugAssign)


def _any(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    found = args[0]
    if isinstance(found, Alike):
        truth = truthy(found.value)
        return worlds.unread(node) if truth in {Mark.FREE, Mark.OPAQUE} else truth
    if found is Mark.EMPTY:
        return called(node)[0] == "all"
    return found if found is Mark.THROWS else worlds.unread(node)


def _len(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    if isinstance(args[0], Alike):
        return Mark.MANY
    if isinstance(args[0], tuple | str | dict):
        return len(args[0])
    return 0 if args[0] is Mark.EMPTY else worlds.unread(node)


def _sum(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    if isinstance(args[0], Alike):
        value = args[0].value
        return (
            0 if value in (False, 0) else Mark.MANY if value in (True, 1) else worlds.unread(node)
        )
    return 0 if args[0] is Mark.EMPTY else worlds.unread(node)


def _same(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    known = isinstance(args[0], Alike | tuple) or args[0] is Mark.EMPTY or args[0] is Mark.THROWS
    return args[0] if known else worlds.unread(node)


def _zip(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    if any(one is Mark.EMPTY for one in args):
        return Mark.EMPTY
    alike = any(isinstance(one, Alike) for one in args)
    return Alike(Mark.OBJECT) if alike else worlds.unread(node)


def _bool(_worlds: Worlds, _node: ast.Call, args: list[Value]) -> Value:
    return truthy(args[0])


def _text(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    return args[0] if isinstance(args[0], str) else worlds.unread(node)


def _loads(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    if args[0] is Mark.OBJECT:
        return Mark.OBJECT
    if not isinstance(args[0], str):
        return worlds.unread(node)
    try:
        return json.loads(args[0])
    except ValueError:
        return Mark.THROWS


def _tally(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    if isinstance(args[0], Alike) and isinstance(args[0].value, str):
        return Tally(args[0].value)
    return worlds.unread(node)


def _isinstance(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    wanted = ast.unparse(node.args[1]) if len(node.args) > 1 else ""
    if args[0] is Died.RAISED:
        return "Exception" in wanted or "Error" in wanted
    if args[0] is None:
        return "None" in wanted
    if args[0] is Mark.OBJECT:
        return not ("Exception" in wanted or "Error" in wanted or "None" in wanted)
    return worlds.unread(node)


def _filter(worlds: Worlds, node: ast.Call, args: list[Value]) -> Value:
    over = args[1] if len(args) > 1 else Mark.FREE
    if not isinstance(over, Alike):
        return over if over is Mark.EMPTY else worlds.unread(node)
    predicate = node.args[0]
    if isinstance(predicate, ast.Constant) or ast.unparse(predicate) == "bool":
        kept = truthy(over.value)
        return over if kept is True else Mark.EMPTY if kept is False else worlds.unread(node)
    return worlds.unread(node)


_UNSEEN = object()
_GROWING = frozenset({"append", "add", "insert", "extend", "update", "appendleft", "setdefault"})
_BUILTINS: Mapping[str, Callable[[Worlds, ast.Call, list[Value]], Value]] = {
    "any": _any,
    "all": _any,
    "len": _len,
    "sum": _sum,
    "bool": _bool,
    "str": _text,
    "loads": _loads,
    "Counter": _tally,
    "isinstance": _isinstance,
    "filter": _filter,
    "zip": _zip,
    "enumerate": _zip,
    **dict.fromkeys(("list", "tuple", "set", "frozenset", "sorted", "reversed"), _same),
}
_STEPS: Mapping[type[ast.AST], Callable[[Worlds, Any, World], Value]] = {
    ast.Name: Worlds.name,
    ast.Attribute: Worlds.name,
    ast.Subscript: Worlds._member,  # noqa: SLF001 - a step of its own
    ast.BoolOp: Worlds.boolean,
    ast.UnaryOp: Worlds.unary,
    ast.IfExp: Worlds.choice,
    ast.Compare: Worlds.compare,
    ast.List: Worlds.display,
    ast.Tuple: Worlds.display,
    ast.Set: Worlds.display,
    ast.Dict: Worlds.mapping,
    ast.ListComp: Worlds.comprehension,
    ast.SetComp: Worlds.comprehension,
    ast.GeneratorExp: Worlds.comprehension,
    ast.DictComp: Worlds.comprehension,
    ast.Call: Worlds.call,
    ast.Await: lambda worlds, node, world: worlds.value(node.value, world),
    ast.NamedExpr: lambda worlds, node, world: worlds.value(node.value, world),
    ast.JoinedStr: lambda worlds, node, _world: worlds.unread(node),
}
