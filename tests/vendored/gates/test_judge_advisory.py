"""judge_advisory.py: an opinion stands on evidence that is there, and blocks nothing."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.vendored.gates.conftest import ADVISORY, GOAL, Said

TEXT = b"The error names the file.\n"
HASH = f"sha256:{hashlib.sha256(TEXT).hexdigest()}"
EVENTS = [{"seq": i, "kind": "run", "ts": f"2026-01-01T00:00:{i:02}Z"} for i in range(60)]
CITED = "ledger#seq7(run@2026-01-01T00:00:07Z)"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "note.txt").write_bytes(TEXT)
    (tmp_path / "events.jsonl").write_text("".join(f"{json.dumps(event)}\n" for event in EVENTS))
    return tmp_path


def item(opinion: str = "YES", citation: object = HASH, **more: object) -> dict[str, Any]:
    return {"item": "Is it clear?", "type": "subjective", "opinion": opinion,
            "citation": citation, **more}  # fmt: skip


def run(place: Path, words: str, given: object = None) -> Said:
    env = {"HOME": str(place / "home"), "PATH": os.environ["PATH"]}
    return ADVISORY.run(*words.split(), given=given, cwd=place, env=env)


def advise(place: Path, given: object, flags: str = "") -> dict[str, Any]:
    words = f"advise --checklist - --evidence note.txt --ledger events.jsonl --json {flags}"
    said = run(place, words, given)
    assert (said.code, said.err) == (0, "")
    ADVISORY.schema("output").validate(said.document)
    ADVISORY.schema("input").validate(given)
    return said.document


def logged(place: Path, name: str = "home/.claude/shadow-sinks/agent-as-judge.jsonl") -> list[Any]:
    rows = [json.loads(line) for line in (place / name).read_text("ascii").splitlines()]
    for row in rows:
        ADVISORY.schema("log").validate(row)
    return rows


def test_what_can_be_cited(place: Path) -> None:
    assert run(place, "cite --file note.txt").out == f"{HASH}\n"
    assert run(place, "cite --text x").out == f"sha256:{hashlib.sha256(b'x').hexdigest()}\n"
    assert run(place, "cite --file none").out == "sha256:UNREADABLE\n"
    events = run(place, "cite --ledger events.jsonl").out.splitlines()
    assert (len(events), events[0][:13], events[-1]) == (
        40, "ledger#seq20(", "ledger#seq59(run@2026-01-01T00:00:59Z)")  # fmt: skip
    assert len(run(place, "cite --ledger events.jsonl -n 3").out.splitlines()) == 3
    ADVISORY.schema("output").validate(run(place, "cite --file note.txt --json").document)
    assert not (place / "home").exists()


BACKING: list[tuple[object, str | None, str]] = [
    (HASH, None, "sha256"),
    (HASH[:19], None, "sha256"),
    (HASH[:18], None, "UNBACKED"),
    (HASH, "reproduced", "sha256"),
    (HASH, "not-reproduced", "sha256"),
    (HASH, "unrunnable", "UNBACKED"),
    (CITED, None, "ledger"),
    (CITED.replace("07Z", "08Z"), None, "UNBACKED"),
    ("ledger#seq99(run@x)", None, "UNBACKED"),
    ("sha256:UNREADABLE", None, "UNBACKED"),
    ("sha256:" + "0" * 64, None, "UNBACKED"),
    ("", None, "UNBACKED"),
    (None, None, "UNBACKED"),
    ({"sha256": HASH}, None, "UNBACKED"),
]


@pytest.mark.parametrize(("citation", "receipt", "kind"), BACKING)
def test_a_citation_is_looked_up(
    citation: object, receipt: str | None, kind: str, place: Path
) -> None:
    told = advise(place, [item("NO", citation, receipt=receipt)])
    (row,) = told["checklist"]
    assert (row["citation_kind"], row["opinion"]) == (kind, None if kind == "UNBACKED" else "NO")
    assert (told["verdict"], told["blocking_findings"]) == ("ADVISORY (does not gate)", 0)
    assert any("not reproduced" in note for note in told["notes"]) == (receipt == "not-reproduced")
    (line,) = logged(place)
    assert line["would_have_fired"] == ([] if kind == "UNBACKED" else ["Is it clear?"])


def test_an_opinion_on_what_a_check_decides_is_refused(place: Path) -> None:
    said = run(place, "advise --checklist -", [item(type="deterministic")])
    said.is_one_line(2, "refused, a check decides a deterministic item")
    assert not (place / "home").exists()


@pytest.mark.parametrize("cluster", ["green", "red", "not-run", "unknown", ""])
def test_confidence_is_low_unless_the_checks_are_green(cluster: str, place: Path) -> None:
    given = {"items": [item()], "confidence": "high", "icd203": {"logic": "PARTIAL"}}
    told = advise(place, given, f"--cluster {cluster}" if cluster else "")
    assert told["confidence"] == ("high" if cluster == "green" else "low")
    assert bool(told["notes"]) == (cluster != "green")
    assert (told["icd203"]["logic"], told["icd203"]["sourcing"]) == ("PARTIAL", None)


@settings(max_examples=15)
@given(order=st.permutations(range(8)), citations=st.lists(st.sampled_from(range(10)), max_size=4))
def test_the_order_of_a_ledger_never_matters(
    order: list[int], citations: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    said = []
    items = [item("NO", CITED.replace("07Z", f"0{n}Z").replace("seq7", f"seq{n}"))
             for n in [7, *citations]]  # fmt: skip
    for turn in (range(8), order):
        place = tmp_path_factory.mktemp("ledger")
        text = "".join(f"{json.dumps(EVENTS[i])}\n" for i in turn)
        (place / "events.jsonl").write_text(text)
        words = ["advise --checklist - --json", "cite", "cite -n 3"]
        told = [run(place, f"{word} --ledger events.jsonl", items) for word in words]
        (place / "v").write_text(told[0].out)
        told.append(run(place, "verify v"))
        said.append([(one.code, one.out.replace(str(place), ""), one.err) for one in told])
    assert said[0] == said[1]
    assert said[0][2][1].count("\n") == 3


def test_a_verdict_is_verified_again(place: Path) -> None:
    (place / "v").write_text(json.dumps(advise(place, [item(), item("NO", CITED)])))
    assert "2 of 2 opinions are backed" in run(place, "verify v").out
    (place / "note.txt").write_bytes(TEXT + b"!")
    (place / "events.jsonl").write_text(json.dumps(EVENTS[8]))
    said = run(place, "verify v --json")
    ADVISORY.schema("output").validate(said.document)
    assert [row["citation_kind"] for row in said.document["checklist"]] == ["UNBACKED"] * 2
    assert (said.code, said.document["blocking_findings"]) == (0, 0)
    assert [row["subcommand"] for row in logged(place)] == ["advise", "verify", "verify"]


def test_kappa_is_read_and_never_made_up(place: Path) -> None:
    rows = [
        {"item": f"i{i}", "category": "style", "judge": str(i % 2), "label": str(i % 2),
         "label_source": "human"} for i in range(30)
    ]  # fmt: skip
    (place / "labels.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    script = ADVISORY.path.with_name("judge_calibration.py")
    words = [sys.executable, "-I", "-S", str(script), "kappa", "--labels", "labels.jsonl", "--json"]
    done = subprocess.run(words, capture_output=True, check=True, cwd=place)
    (place / "kappa.json").write_bytes(done.stdout)
    queue = place / "home/.claude/learnings-queue.json"
    given = [item(category="style")]

    def line(flags: str) -> str:
        return str(advise(place, given, flags)["calibration"]["style"]["line"])

    measured = "--calibration kappa.json"
    assert line(measured) == "INSUFFICIENT LABELS (n=0)"
    label = {"sentiment": "correction", "category": "style"}
    queue.write_text(json.dumps([label] * 29))
    assert line(measured) == "INSUFFICIENT LABELS (n=29)"
    queue.write_text(json.dumps([label] * 29 + [{"type": "guardrail", "category": "style"}]))
    assert line("") == "CALIBRATION: UNAVAILABLE"
    clears = "kappa 1.000, at least 0.769, clears 0.6: a licence to speak, never to block"
    assert line(measured) == clears
    decayed = {"categories": {"style": {"kappa": 0.9, "lower": 0.59}}}
    (place / "kappa.json").write_text(json.dumps(decayed))
    assert "below 0.6: no licence" in line(measured)
    assert advise(place, given)["label_corpus"]["present"]
    queue.write_text("{}")
    corpus = advise(place, given)["label_corpus"]
    assert (corpus["present"], corpus["reason"]) == (False, f"{queue}: not a list")


def test_the_log_keeps_its_own_keys_and_its_place(place: Path) -> None:
    given = {"items": [item()], "log": {"blocks": True, "mode": "GATE", "who": "me"}}
    env = {"HOME": str(place), "AGENT_AS_JUDGE_SHADOW_SINK": str(place / "from-env")}
    words = ["advise", "--checklist", "-", "--evidence", "note.txt"]
    ADVISORY.run(*words, given=given, cwd=place, env=env)
    ADVISORY.run(*words, "--sink", "from-flag", given=given, cwd=place, env=env)
    for name in ("from-env", "from-flag"):
        (line,) = logged(place, name)
        assert (line["blocks"], line["mode"], line["who"]) == (False, "SHADOW/ADVISE", "me")
    os.mkfifo(place / "fifo")
    said = ADVISORY.run(*words, "--sink", "fifo", given=given, cwd=place, env=env)
    assert said.code == 0
    assert (
        said.err
        == "judge_advisory.py: the shadow log cannot be written: fifo: not a regular file\n"
    )


WRITER = """
import io, json, sys
path, sink, number = sys.argv[1:]
gate = {"__name__": "gate", "__file__": path}
exec(compile(open(path).read(), path, "exec"), gate)
sys.stdout = io.StringIO()
for i in range(40):
    more = {"id": f"{number}-{i}", "pad": "x" * 4000}
    item = {"item": "i", "type": "subjective", "opinion": "NO", "citation": "none"}
    text = json.dumps({"items": [item], "log": more}).encode()
    sys.stdin = io.TextIOWrapper(io.BytesIO(text))
    words = ["advise", "--checklist", "-", "--labels", "none", "--sink", sink]
    assert gate["main"](words) == 0
"""


def test_fifty_writers_lose_no_line_that_no_rotation_dropped(place: Path) -> None:
    """Fifty processes, forty runs each, while the log is rotated: 2,000 runs are accounted for."""
    sink = place / "sink"
    words = [sys.executable, "-I", "-S", "-c", WRITER, str(ADVISORY.path), str(sink)]
    writers = [
        subprocess.Popen([*words, str(i)], stderr=subprocess.PIPE, cwd=place) for i in range(50)
    ]
    assert [writer.communicate()[1] for writer in writers] == [b""] * 50
    assert [writer.returncode for writer in writers] == [0] * 50
    old, new = (logged(place, name) for name in ("sink.1", "sink"))
    kept = [*old, *new]
    names = [row["id"] for row in kept]
    assert len({*names}) == len(names)
    assert 0 < kept[-1]["dropped"] < 2000
    assert kept[-1]["dropped"] + len(kept) == 2000
    assert sorted(row["dropped"] for row in kept) == [row["dropped"] for row in kept]
    for number in range(50):  # each writer's own lines are in its own order
        own = [int(name.partition("-")[2]) for name in names if name.startswith(f"{number}-")]
        assert own == sorted(own)


def test_the_goal_loop_refuses_it() -> None:
    said = GOAL.run("--check", "python3 judge_advisory.py advise", "--cap", "1")
    said.is_one_line(2, "an advisory judge means that it has an opinion")


def test_the_self_test_leaves_home_alone(place: Path) -> None:
    assert run(place, "--selftest").code == 0
    assert not (place / "home").exists()
