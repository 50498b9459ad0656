"""The command: which scripts, which arguments, what is trusted, and how it exits."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from judge_conformance.cli.app import main

META = "export const meta = { name: 'a', description: 'a' }\n"
VERDICT = "{ type: 'object', required: ['real'], properties: { real: { type: 'boolean' } } }"
ASK = f"const v = await agent(`Is ${{args.item}} real?`, {{ label: 'verify', schema: {VERDICT} }})"
SOUND = (
    f"{META}{ASK}.catch(() => null)\nreturn {{ item: args.item, real: v ? v.real : 'unjudged' }}\n"
)
OPEN = f"{META}{ASK}.catch(() => null)\nreturn {{ item: args.item, real: v?.real !== false }}\n"
NO_JUDGE = f"{META}return await agent('Write a poem')\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)

    def run(*argv: str) -> Ran:
        code = main(["exercise", *argv])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return Ran(code=code, out=out, err=err)

    return run


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def test_nothing_found(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.js", SOUND)
    ran = run("a.js")
    assert (ran.code, "JX-" in ran.out) == (0, False)
    assert "a.js:2" in ran.out
    assert "1 judge," in ran.out


def test_a_finding_stops(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.js", OPEN)
    ran = run("a.js")
    assert ran.code == 1
    assert "a.js\n  2:17  error JX-FAIL-OPEN" in ran.out
    assert "pass is real: true; fail is real: false" in ran.out


def test_a_warning_does_not_stop(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.js", (Path(__file__).parent / "scripts/unnamed.js").read_text())
    ran = run("a.js")
    assert (ran.code, "warning JX-UNSURE" in ran.out) == (0, True)


def test_the_table_says_what_came_of_each_fault(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.js", OPEN)
    header, row = run("a.js").out.splitlines()[:2]
    assert header.split()[:2] == ["script", "judge"]
    assert header.split()[-4:] == ["abstain", "null", "throw", "garbage"]
    assert row.split()[-7:] == ["-", "as", "pass", "as", "pass", "as", "pass"]


UNDECIDED: dict[str, tuple[tuple[str, ...], str]] = {
    "no script named": ((), "name scripts, or say --all"),
    "a script and --all": (("a.js", "--all"), "name scripts, or say --all"),
    "no script here": (("--all",), "there is no Workflow script here"),
    "no such file": (("b.js",), "b.js: cannot be read: No such file or directory"),
    "a folder": (("folder",), "folder: cannot be read: Is a directory"),
    "not UTF-8": (("latin.js",), "latin.js: is not UTF-8 at byte 2"),
    "no judge": (("poem.js",), "no judge was exercised in 1 script"),
    "cannot be run": (("broken.js",), "1 of 1 scripts could not be exercised"),
    "no Node": (("poem.js", "--node", "no-such-node"), "no-such-node: no such program"),
    "a Node that is none": (("poem.js", "--node", "/bin/true"), "does not answer as Node does"),
    "args that are none": (("poem.js", "--args", "{x"), "--args is neither JSON nor a file: {x"),
    "args for several": (("poem.js", "broken.js", "--args", "{}"), "--args goes with one script"),
    "a broken fixture": (("fixed.js",), "fixed.js.args.json:2: not JSON"),
    "a format of nobody": (("poem.js", "--format", "xml"), "'xml' is not one of"),
    "a timeout of zero": (("poem.js", "--timeout", "0"), "0.0 is not in the range"),
    "a base without Git": (("poem.js", "--base", "main"), "a base needs git"),
    "a base that is a flag": (("poem.js", "--base", "--x"), "a base needs git"),
}


@pytest.mark.parametrize(("argv", "line"), UNDECIDED.values(), ids=UNDECIDED)
def test_undecided_is_exit_2_and_one_line(
    run: Run, tmp_path: Path, argv: tuple[str, ...], line: str
) -> None:
    if argv != ("--all",):
        write(tmp_path / "poem.js", NO_JUDGE)
        write(tmp_path / "broken.js", META + "const = 1")
        write(tmp_path / "fixed.js", SOUND)
        write(tmp_path / "fixed.js.args.json", "{\n x}")
        (tmp_path / "latin.js").write_bytes(b"//\xe9")
        (tmp_path / "folder").mkdir()
    ran = run(*argv)
    said = [text for text in ran.err.splitlines() if not text.startswith("took ")]
    assert (ran.code, len(said)) == (2, 1), ran
    assert line in said[0]


def test_an_undecided_role_beside_a_decided_one_is_said(run: Run, tmp_path: Path) -> None:
    unread = ASK.replace("const v =", "").replace("verify", "unread") + ".catch(() => null)\n"
    write(tmp_path / "a.js", SOUND.replace(ASK, unread + ASK))
    ran = run("a.js")
    assert ran.code == 0
    assert "a.js:2: `unread` undecided: whatever it answers (real)" in ran.out


def test_a_call_that_is_never_made_is_said_with_its_condition(run: Run, tmp_path: Path) -> None:
    hidden = "if (args.sha?.match(/^[0-9a-f]{40}$/)) await agent('x', { label: 'deep' })\n"
    write(tmp_path / "a.js", SOUND.replace(ASK, hidden + ASK))
    ran = run("a.js")
    assert ran.code == 0
    assert "a.js:2: `deep` never reached; it is when `args.sha?.match(" in ran.out
    assert "a.js.args.json" in ran.out


def test_a_script_that_cannot_be_run_is_never_hidden_by_others(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.js", SOUND)
    write(tmp_path / "b.js", META + "\nthrow new Error('never')\nawait agent('x')")
    ran = run("a.js", "b.js")
    assert ran.code == 2
    assert "b.js:3: not exercised: no agent() call is reached: Error: never" in ran.out
    assert "1 of 2 scripts could not be exercised" in ran.err


NEEDS_SHA = SOUND.replace(ASK, "if (args.sha.length !== 40) throw new Error('sha')\n" + ASK)
SHA = '{"sha": "%s", "item": "billing"}' % ("0" * 40)


@pytest.mark.parametrize(
    ("name", "argv"),
    [
        ("a.js.args.json", ()),
        ("a.args.json", ()),
        ("elsewhere.json", ("--args", "elsewhere.json")),
        ("unused.json", ("--args", SHA)),
    ],
)
def test_arguments_come_from_a_flag_or_a_fixture(
    run: Run, tmp_path: Path, name: str, argv: tuple[str, ...]
) -> None:
    write(tmp_path / "a.js", NEEDS_SHA)
    assert run("a.js").code == 2
    write(tmp_path / name, SHA)
    assert run("a.js", *argv).code == 0


def test_items_of_given_arguments_are_traced(run: Run, tmp_path: Path) -> None:
    lost = f"{META}{ASK}.catch(() => null)\nreturn v ? {{ item: args.item, real: v.real }} : {{}}\n"
    write(tmp_path / "a.js", lost)
    ran = run("a.js", "--args", '{"item": "billing"}')
    assert (ran.code, "JX-LOST" in ran.out) == (1, True)


def test_all_finds_workflow_scripts_and_nothing_else(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "plugins/p/workflows/a.js", SOUND)
    write(tmp_path / "plugins/p/skills/s/b.workflow.mjs", SOUND)
    write(tmp_path / "lib/other.js", "export const meta = {}\nexport const f = 1\n")
    write(tmp_path / "lib/agent.js", "agent('x')\n")
    write(tmp_path / "node_modules/m/c.js", OPEN)
    ran = run("--all")
    assert ran.code == 0
    assert "2 scripts" in ran.out


def git(root: Path, *argv: str) -> None:
    name = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *name, *argv], cwd=root, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    write(tmp_path / ".gitignore", "ignored/\n")
    write(tmp_path / "workflows/same.js", OPEN)
    write(tmp_path / "workflows/changed.js", SOUND)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "base")
    git(tmp_path, "checkout", "-q", "-b", "change")
    write(tmp_path / "workflows/changed.js", OPEN)
    write(tmp_path / "ignored/d.js", OPEN)
    write(tmp_path / "workflows/new.js", SOUND)
    return tmp_path


def test_code_of_a_change_does_not_run_unasked(run: Run, repository: Path) -> None:
    del repository
    ran = run("--all", "--base", "main")
    assert ran.code == 2
    for name in ("changed", "new"):
        assert f"workflows/{name}.js: not exercised: it changed since main" in ran.out
    assert "workflows/same.js\n  2:17  error JX-FAIL-OPEN (already on the base)" in ran.out
    assert "2 of 3 scripts could not be exercised" in ran.err


def test_code_of_a_change_runs_when_asked(run: Run, repository: Path) -> None:
    ran = run("--all", "--base", "main", "--run-untrusted")
    assert ran.code == 1
    assert "workflows/changed.js\n  2:17  error JX-FAIL-OPEN (yours)" in ran.out
    git(repository, "checkout", "-q", "workflows/changed.js")
    assert run("--all", "--base", "main", "--run-untrusted").code == 0


def test_files_are_trusted_without_a_base(run: Run, repository: Path) -> None:
    del repository
    assert run("workflows/changed.js").code == 1
    assert run("workflows/new.js", "--run-untrusted").code == 0


def test_a_base_that_git_does_not_know(run: Run, repository: Path) -> None:
    del repository
    ran = run("--all", "--base", "nowhere")
    assert (ran.code, "nowhere" in ran.err) == (2, True)


LABELS: dict[str, tuple[str, str]] = {
    "control characters": ("`con\\x1b[31m\\n:${args.item}`", "con\\x1b[31m\\n:*"),
    "a constant": ("'verify'", "verify"),
    "put together": ("'verify:' + args.item + ':v' + 1", "verify:*:v*"),
    "computed": ("args.item", "*"),
}


@pytest.mark.parametrize(("label", "shown"), LABELS.values(), ids=LABELS)
def test_labels_are_shown_by_their_literal_parts(
    run: Run, tmp_path: Path, label: str, shown: str
) -> None:
    write(tmp_path / "a.js", OPEN.replace("'verify'", label))
    ran = run("a.js")
    assert ran.out.splitlines()[1].split()[1] == shown
    assert f"when `{shown}` returns null or throws" in ran.out


TEXTS: dict[str, tuple[str, str]] = {
    "a byte order mark": ("\ufeff" + OPEN, "2:17"),
    "CRLF": (OPEN.replace("\n", "\r\n"), "2:17"),
    "characters beyond the BMP": (OPEN.replace("const v", "/* \U0001f980 */ const v"), "2:25"),
    "no line break at the end": (OPEN.rstrip() + " // end", "2:17"),
}


@pytest.mark.parametrize(("text", "place"), TEXTS.values(), ids=TEXTS)
def test_findings_stand_where_the_call_is(run: Run, tmp_path: Path, text: str, place: str) -> None:
    (tmp_path / "a.js").write_bytes(text.encode())
    assert f"  {place}  error JX-FAIL-OPEN" in run("a.js").out
