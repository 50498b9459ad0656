"""The gates: run as a plugin runs them, and loaded for the properties of their decisions."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from hypothesis import settings
from jsonschema import Draft202012Validator
from tests.vendored.contract.conftest import VENDORED, load

settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """How a run ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The JSON document on standard output."""
        found: dict[str, Any] = json.loads(self.out)
        return found

    def is_one_line(self, code: int, text: str) -> None:
        """Assert that it failed with this code, one ASCII line on stderr and nothing on stdout."""
        assert (self.code, self.out) == (code, "")
        assert self.err.isascii()
        assert self.err.count("\n") == 1
        assert self.err.startswith("judge_")
        assert text in self.err


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One gate: its file, run isolated, and its schemas."""

    name: str

    @property
    def path(self) -> Path:
        return VENDORED / "gates" / f"{self.name}.py"

    @property
    def module(self) -> ModuleType:
        return load(self.path)

    def run(
        self,
        *words: str,
        given: object = None,
        cwd: Path | None = None,
        env: dict[str, str] | None = None,
    ) -> Said:
        """Run it; `given` goes to its standard input, as JSON unless it is bytes."""
        data = given if isinstance(given, bytes) else json.dumps(given).encode()
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(self.path), *words],
            input=data,
            capture_output=True,
            check=False,
            cwd=cwd,
            env=env,
            timeout=60,
        )
        out, err = done.stdout.decode("ascii"), done.stderr.decode("ascii")
        return Said(code=done.returncode, out=out, err=err)

    @property
    def keys(self) -> list[str]:
        """The keys that its output must have, in their order."""
        text = (VENDORED / f"schemas/{self.name}.output.schema.json").read_text("ascii")
        return list(json.loads(text)["required"])

    def schema(self, kind: str) -> Draft202012Validator:
        """The schema of its `input` or `output`."""
        text = (VENDORED / f"schemas/{self.name}.{kind}.schema.json").read_text("ascii")
        schema = json.loads(text)
        Draft202012Validator.check_schema(schema)
        return Draft202012Validator(schema)

    def decides(self, *words: str, given: object = None, cwd: Path | None = None) -> dict[str, Any]:
        """Run it with --json and return the document, which its schema must accept."""
        said = self.run(*words, "--json", given=given, cwd=cwd)
        self.schema("output").validate(said.document)
        assert list(said.document) == self.keys
        assert said.err == ""
        return {**said.document, "code": said.code}


VOTE = Gate(name="judge_vote")
REFUTE = Gate(name="judge_refute")
FANOUT = Gate(name="judge_fanout")
GOAL = Gate(name="judge_goal_loop")
DEBATE = Gate(name="judge_debate")
ADVISORY = Gate(name="judge_advisory")
