"""Where a block of JavaScript can be sabotaged, and where its fuel is drawn: esprima's tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from judge_conformance.errors import UnusableInputError
from judge_conformance.sabotage.javascript_operators import (
    OPERATORS,
    Node,
    Text,
    children,
    ticks,
)
from judge_conformance.sabotage.mutants import Edit, Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A parsed block: its `source`, its top-level statements, and the `ticks` that go into it."""

    source: str
    body: Sequence[Node]
    ticks: tuple[Edit, ...]


def parse(source: str, path: str) -> Block:
    """Parse a block as a script. Raises UnusableInputError with the line that cannot be read."""
    import esprima  # noqa: PLC0415 - 40 ms that only sabotage needs

    try:
        script = esprima.parseScript(source, {"range": True, "positionEncoding": "scalar"})
    except esprima.Error as error:
        raise UnusableInputError(
            f"the block does not parse: {str(error).partition(': ')[2]}",
            path=path,
            line=error.lineNumber,
        ) from error
    except RecursionError as error:
        raise UnusableInputError("the block is nested too deeply", path=path) from error
    found = (
        tick for statement in script.body for node in _nodes(statement) for tick in ticks(node)
    )
    return Block(source=source, body=script.body, ticks=tuple(sorted(found)))


def sites(block: Block) -> Iterator[Site]:
    """Yield every site of every top-level statement, constants included, in source order."""
    text = Text(source=block.source)
    for statement in block.body:
        start, end = statement.range
        for node in _nodes(statement):
            for operator in OPERATORS:
                for edits in operator(node, text):
                    yield Site(
                        function=_name(statement),
                        scope=(start, end),
                        operator=operator.__name__.replace("_", "-"),
                        edits=edits,
                    )


def forced(block: Block) -> tuple[Edit, ...]:
    """Return the edits that make every top-level function throw and every constant a number."""
    edits = []
    for statement in block.body:
        if statement.type == "FunctionDeclaration":
            start = statement.body.range[0] + 1
            edits.append(Edit(start=start, end=start, text='throw new RangeError("forced");'))
        elif statement.type == "VariableDeclaration":
            start, end = statement.declarations[0].init.range
            edits.append(Edit(start=start, end=end, text="0"))
    return tuple(edits)


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in children(node):
        yield from _nodes(child)


def _name(statement: Node) -> str:
    if statement.type == "VariableDeclaration":
        return str(statement.declarations[0].id.name)
    return str(getattr(getattr(statement, "id", None), "name", statement.type))
