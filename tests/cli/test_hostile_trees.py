"""Trees that a careless or hostile user makes: one line, the right exit, nothing written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.test_vendor import state
from tests.output.reading import check as readable
from tests.trees import git

from judge_conformance.catalog import Catalog
from judge_conformance.cli.app import main
from judge_conformance.output import FORMATS
from judge_conformance.rule import Write

CONFIG, LOCK = "judge-contract.toml", "judge-contract.lock"
MARKET = ".claude-plugin/marketplace.json"
PY = "plugins/acme/scripts/judge_contract.py"
JS = "plugins/acme/workflows/review.js"
SKILL = "plugins/acme/skills/review/SKILL.md"
SOURCES = (
    '{"plugins": [{"name": "a", "source": "../.."}, {"name": "b", "source": "/etc"}, 3, null,'
    ' {"name": "c", "source": 3}, {"name": ["x"], "source": "./plugins/acme"}]}'
)

Adopted = Callable[..., Path]
Captured = pytest.CaptureFixture[str]
Make = Callable[[Path], None]


def fifo(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()
    (path / "file").write_text("x")


def link(target: str) -> Make:
    return lambda path: path.symlink_to(target)


def holds(data: bytes) -> Make:
    def make(path: Path) -> None:
        path.write_bytes(data)

    return make


def big(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(60_000_000)


DEEP = holds(b"[" * 200_000)
LATIN = holds(b"\xff\xfe\xe9\n")
NULS = holds(b"\0" * 100)
EMPTY = holds(b"")

# What stands where, then check's exit and what its output says.
CASES: list[tuple[str, Make, int, str]] = [
    (CONFIG, fifo, 2, f"{CONFIG}: cannot be read: it is not a regular file"),
    (CONFIG, folder, 2, f"{CONFIG}: is a folder, and must be a file"),
    (CONFIG, link("/etc/passwd"), 2, f"{CONFIG}: is a symbolic link"),
    (CONFIG, link(CONFIG), 2, f"{CONFIG}: is a symbolic link"),
    (CONFIG, big, 3, f"{CONFIG}:1: not TOML"),
    (CONFIG, NULS, 3, f"{CONFIG}:1: not TOML"),
    (CONFIG, LATIN, 3, f"{CONFIG}:1: not UTF-8"),
    (CONFIG, holds(b"a=" + b"[" * 100_000), 3, f"{CONFIG}:1: not TOML"),
    (CONFIG, EMPTY, 0, "no finding"),
    (LOCK, fifo, 2, f"{LOCK}: cannot be read: it is not a regular file"),
    (LOCK, folder, 2, f"{LOCK}: is a folder, and must be a file"),
    (LOCK, link("nowhere"), 2, f"{LOCK}: is a symbolic link"),
    (LOCK, big, 3, f"{LOCK}:1: not TOML"),
    (LOCK, LATIN, 3, f"{LOCK}:1: not UTF-8"),
    (LOCK, EMPTY, 3, f"{LOCK}:1: has format None"),
    (MARKET, fifo, 0, "no finding"),
    (MARKET, link("/etc/passwd"), 0, "no finding"),
    (MARKET, big, 0, f"note: {MARKET}:"),
    (MARKET, DEEP, 0, f"note: {MARKET}:"),
    (MARKET, LATIN, 0, f"note: {MARKET}:"),
    (MARKET, holds(b'{"plugins": 3}'), 0, f"note: {MARKET}:"),
    (MARKET, holds(SOURCES.encode()), 0, f"note: {MARKET}:"),
    (JS, fifo, 1, "JC-REQUIRED"),
    (JS, folder, 1, "JC-REQUIRED"),
    (JS, link("/etc/passwd"), 1, "JC-LINK"),
    (JS, big, 1, "JC-PARSE"),
    (JS, DEEP, 1, "JC-PARSE"),
    (JS, LATIN, 1, "JC-PARSE"),
    (PY, fifo, 1, "JC-REQUIRED"),
    (PY, folder, 1, "JC-REQUIRED"),
    (PY, big, 1, "JC-PY-DRIFT  judge_contract.py has been edited: it is 60000000 bytes long"),
    (PY, NULS, 1, "JC-PY-DRIFT"),
    (SKILL, fifo, 1, "JC-UNWIRED"),
    (SKILL, LATIN, 1, "JC-UNWIRED"),
]


@pytest.mark.parametrize("case", CASES, ids=[f"{n} {c[0]}" for n, c in enumerate(CASES)])
def test_check_says_it_in_its_place(
    adopted: Adopted, capfd: Captured, case: tuple[str, Make, int, str]
) -> None:
    path, make, code, said = case
    root = adopted()
    (root / path).unlink(missing_ok=True)
    make(root / path)
    assert main(["check"]) == code
    told = capfd.readouterr()
    assert said in told.out + told.err
    assert told.err.count("\n") == (1 if code in {2, 3} else 0)
    for command in (["status"], ["lock", "--check"], ["vendor", "acme", "--dry-run"]):
        assert main(command) != 70
        assert capfd.readouterr().err.count("\n") <= 1


@pytest.mark.parametrize("name", [CONFIG, LOCK])
def test_a_setting_that_git_ignores_is_never_passed_over(
    adopted: Adopted, capfd: Captured, name: str
) -> None:
    root = adopted()
    (root / CONFIG).write_text("")
    (root / ".gitignore").write_text(f"{name}\n")
    git(root, "rm", "-q", "--cached", "--ignore-unmatch", name)
    assert main(["check"]) == 2
    assert capfd.readouterr().err == (
        f"judge-contract: {name}: is ignored by git, so that no clone has it (git add -f it)\n"
    )


def test_hostile_names_are_said_on_their_lines(adopted: Adopted, capfd: Captured) -> None:
    root = adopted()
    names = [b"a\nb.js", b"\xff.js", b"x\x1b[31m.js", "\u202egnp.js".encode(), b"-rf.js"]
    for name in names:
        path = os.path.join(os.fsencode(root / "plugins/acme/workflows"), name)  # noqa: PTH118 - bytes
        Path(os.fsdecode(path)).write_text("// judge-contract:start verdict@2\n")
    assert main(["check"]) == 1
    out = capfd.readouterr().out
    assert out.count("JC-MARKER") == len(names)
    assert all(char.isprintable() or char == "\n" for char in out)


def test_another_repository_inside_is_left_alone(adopted: Adopted, capfd: Captured) -> None:
    root = adopted()
    inner = root / "plugins/inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / "judge_contract.py").write_text("# edited\n")
    assert main(["check"]) == 0
    capfd.readouterr()
    assert main(["vendor", "plugins/inner"]) == 2
    assert "another repository" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda root: (root / ".git/index").write_bytes(b"garbage"), "git says: "),
        (
            lambda root: (
                (root / ".git").rename(root / "gone")
                and (root / ".git").write_text("gitdir: /nowhere\n")
            ),
            "git says: ",
        ),
    ],
    ids=["the index", "a link to nowhere"],
)
def test_a_broken_git_is_undecided(
    adopted: Adopted, capfd: Captured, break_it: Callable[[Path], object], said: str
) -> None:
    break_it(adopted())
    assert main(["check"]) == 2
    told = capfd.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert said in told.err


def test_the_shipped_marketplace_is_green(capfd: Captured) -> None:
    root = Path(__file__).parents[1] / "marketplaces/adopted"
    assert main(["check", str(root)]) == 0
    assert "no finding" in capfd.readouterr().out


@pytest.mark.parametrize(
    "argv",
    [
        ("vendor", "plugins/\udcff"),
        ("init", "plugins/\udcff"),
        ("retire", PY, "--why", "\udcff", "--keep"),
    ],
    ids=ascii,
)
def test_a_lock_holds_utf8_alone(
    adopted: Adopted, capfd: Captured, catalog: Catalog, argv: tuple[str, ...]
) -> None:
    root = adopted()
    (root / "plugins/\udcff").mkdir()
    copy = root / "plugins/\udcff/judge_contract.py"
    copy.write_bytes(catalog.content("judge_contract.py"))
    before = state(root)
    assert main(argv) == 2
    told = capfd.readouterr().err
    assert told.startswith(f"judge-contract: {LOCK}: cannot hold what is not UTF-8: ")
    assert told.count("\n") == 1
    assert state(root) == before


def test_six_entries_for_one_root_and_no_manifest(
    repository: Callable[..., Path], capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = ", ".join(f'{{"name": "p{n}", "source": "./"}}' for n in range(6))
    files = {
        MARKET: f'{{"name": "m", "plugins": [{entries}]}}',
        "workflows/a.js": "export const meta = {};\nreturn 1;\n",
        "skills/a/SKILL.md": "Judge by references/judge-contract.md.\n",
    }
    root = repository(files)
    monkeypatch.chdir(root)
    assert main(["check"]) == 2
    assert main(["init", "p1", "p4", "--markdown", "--python", "--workflow", "workflows/a.js"]) == 0
    git(root, "add", "-A")
    capfd.readouterr()
    assert main(["check", "--format", "json"]) == 1
    report = json.loads(capfd.readouterr().out)
    assert report["summary"]["checked"] == {"plugins": 1, "copies": 3, "scripts": 1}
    assert [(f["code"], f["path"]) for f in report["findings"]] == [
        ("JC-UNCALLED", "scripts/judge_contract.py"),
        ("JC-UNCALLED", "workflows/a.js"),
    ]
    assert main(["status"]) == 0
    assert capfd.readouterr().out.count("\np0  ") == 3


def test_a_submodule_is_refused_and_told(
    adopted: Adopted, repository: Callable[..., Path], capfd: Captured
) -> None:
    other = repository({"skills/a/SKILL.md": "x"})
    root = adopted()
    market = (root / MARKET).read_text()
    (root / MARKET).write_text(market.replace("}]", '}, {"name": "lib", "source": "./lib"}]'))
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "lib")
    before = state(root)
    assert main(["vendor", "lib"]) == 2
    assert capfd.readouterr().err.count("\n") == 1
    for command in (["status"], ["check"]):
        assert main(command) == 0
        assert "'lib' lies in another repository" in capfd.readouterr().out
    assert main(["check", str(root / "lib")]) == 2
    assert state(root) == before


def test_a_linked_worktree_is_a_tree_like_any(adopted: Adopted, capfd: Captured) -> None:
    root = adopted()
    beside = root.parent / "beside"
    git(root, "worktree", "add", "-q", str(beside))
    (beside / PY).write_bytes(b"# edited\n")
    assert main(["check", str(root)]) == 0
    assert main(["check", str(beside), "--staged"]) == 0
    capfd.readouterr()
    assert main(["check", str(beside)]) == 1
    assert capfd.readouterr().out.count("JC-PY-DRIFT") == 1
    assert main(["vendor", "acme", "--force", "--root", str(beside)]) == 0
    assert main(["check", str(beside)]) == 0
    assert git(beside, "status", "--porcelain") == ""


NAMED = "plugins/a:b,c\nd"


@pytest.mark.parametrize("name", FORMATS)
def test_a_copy_below_a_hostile_name_in_every_format(
    adopted: Adopted, capfd: Captured, name: str
) -> None:
    root = adopted({f"{NAMED}/.claude-plugin/plugin.json": Write(text="{}")})
    assert main(["vendor", NAMED, "--markdown"]) == 0
    git(root, "add", "-A")
    capfd.readouterr()
    assert main(["check", "--format", name]) == 1
    out = capfd.readouterr().out
    readable(name, out)
    assert out.count("JC-UNWIRED") >= 1
    assert f"{NAMED}/ref" not in out  # a line of its own would be read as another finding


def test_one_line_for_ten_thousand_brackets_and_fifty_megabytes(
    adopted: Adopted, capfd: Captured
) -> None:
    root = adopted()
    for text in ("[" * 10_000 + "]" * 10_000, "(" * 10_000 + ")" * 10_000, "{" * 10_000):
        before = (root / JS).read_bytes()
        (root / JS).write_bytes(before + f"\nconst deep = {text};\n".encode())
        assert main(["check"]) == 1
        told = capfd.readouterr()
        assert (told.out.count("JC-PARSE"), told.err) == (1, "")
        assert told.out.count("error JC-") == 1
        (root / JS).write_bytes(before)
    with (root / JS).open("ab") as file:
        file.write(b"// x\n" * 10_000_000)
    assert main(["check"]) == 1
    told = capfd.readouterr()
    assert told.out.count("error JC-") == 1
    assert f"{JS}\n" in told.out
