"""What each operator makes of a source, in either language."""

from __future__ import annotations

import pytest

from judge_conformance.sabotage import javascript_sites, python_sites
from judge_conformance.sabotage.mutants import apply, named

PYTHON = [
    ("body-blanked", "def f(a):\n    'doc'\n    if a:\n        g()\n    else:\n        h()",
     ["'doc'\n    pass", "if a:\n        pass", "else:\n        pass"]),
    ("condition-forced", "def f(a):\n    return 1 if a else 2",
     ["1 if True else", "1 if False else"]),
    ("condition-forced", "def f(a):\n    return [x for x in a if x]", ["if True]", "if False]"]),
    ("operand-dropped", "def f(a, b, c):\n    return a and b and c",
     ["((b) and (c))", "((a) and (c))", "((a) and (b))"]),
    ("and-or-swapped", "def f(a, b):\n    return a or b", ["((a) and (b))"]),
    ("negation-dropped", "def f(a):\n    return not a, -1", ["(a), -1", "not a, (1)"]),
    ("comparison-moved", "def f(a):\n    return 0 < a <= (1)",
     ["0 <= a <= (1)", "0 >= a <= (1)", "0 < a < (1)", "0 < a > (1)"]),
    ("comparison-moved", "def f(a):\n    return a is not None, a not in b",
     ["a is None", "a in b"]),
    ("arithmetic-swapped", "def f(a):\n    return a // 2 ** 3", ["a * 2", "2 + 3"]),
    ("statement-deleted", "def f(a):\n    'doc'\n    b = a\n    g(b)",
     ["'doc'\n    pass\n    g(b)", "b = a\n    pass"]),
    ("return-swapped", "def f(a):\n    if a:\n        return\n    return lambda: a",
     ["return None", "lambda: None"]),
    ("string-changed", "def f(a):\n    'doc'\n    return f'{a}x', b'y', ''",
     ['"", b\'y\'', '"XX" f\'{a}x\'', "b\"\", ''", 'b"XX" b\'y\'', '"XX" \'\'']),
    ("number-moved", "def f():\n    return 2, 0.5, True",
     ["(3), 0.5", "(1), 0.5", "(0), 0.5", "2, (1.5)", "2, (-0.5)", "2, (0.0)"]),
    ("boolean-flipped", "def f():\n    return 1, True", ["1, False"]),
    ("element-dropped", "def f():\n    g([1, 2])\n    g((3, 4))\n    g({'a': 5, **b}, {6})",
     ["[2]", "[1]", "(4,)", "(3,)", "{**b}", "{'a': 5}"]),
    ("class-narrowed", "import re\nR = re.compile('[a-c_]x')",
     ["'[_]x'", "'[a-c]x'", r"'[\x62-c_]x'", r"'[a-\x62_]x'"]),
    ("class-widened", "import re\nR = re.compile(r'[\\u2000-\\u2003]')",
     [r"[\u1fff-\u2003]", r"[\u2000-\u2004]"]),
    ("loop-once", "def f(a):\n    for x in a:\n        if x:\n            continue\n        g(x)",
     ["if x:\n            break\n        g(x)\n        break"]),
    ("loop-once", "def f(a):\n    return [x for x in a]", ["in [*(a)][:1]]"]),
    ("sort-changed", "def f(a):\n    return sorted(a, key=g)",
     ["return list(a)", "key=g)[::-1]", "sorted(a, key=None)"]),
    ("sort-changed", "def f(a):\n    return sorted(x for x in a)",
     ["return list(x for x in a)", "sorted(x for x in a)[::-1]"]),
    ("sort-changed", "def f(a):\n    return sorted((g(a)),)", ["list(g(a))", "(g(a)),)[::-1]"]),
    ("sort-changed", "def f(a):\n    a.sort()\n    a.sort(key=g,)",
     ["a.sort(reverse=True)", "a.sort(reverse=True, key=g,)", "a.sort(key=None,)"]),
    ("extreme-swapped", "def f(a):\n    return min(a), any(a)", ["max(a), any", "all(a)"]),
    ("default-changed", "def f(a=None, *, b=None, c=1):\n    return a", ["f(a=0,", "b=0,"]),
]  # fmt: skip

JAVASCRIPT = [
    ("body-blanked", "function f(a) { if (a) g(); else { h(); } }",
     ["f(a) {}", "if (a) {} else", "else {}"]),
    ("condition-forced", "function f(a) { return a ? 1 : 2; }", ["true ? 1", "false ? 1"]),
    ("operand-dropped", "function f(a, b) { return a ?? b; }", ["return (a);", "return (b);"]),
    ("and-or-swapped", "function f(a, b) { return a ?? b; }", ["((a) && (b))"]),
    ("negation-dropped", "function f(a) { return !a + -1; }", ["(a) + -1", "!a + (1)"]),
    ("comparison-moved", "function f(a) { return a < (1) && a in b; }",
     ["a <= (1)", "a >= (1)", "(!(a in b))"]),
    ("arithmetic-swapped", "function f(a) { a++; a -= 2; return a * 3; }",
     ["a--", "a += 2", "a / 3"]),
    ("statement-deleted", "function f(a) { 'use strict'; const b = a; g(b); return b; }",
     ["; ; g(b)", "b = a; ; return", "g(b); ; }"]),
    ("return-swapped", "const f = () => ({ a: 1 });", ["() => undefined;"]),
    ("string-changed", "const s = ['a', `b${c}d`, ''];",
     ["['', `", "['XXa'", "`${c}d`", "`XXb${c}d`", "`b${c}`", "`b${c}XXd`", "'XX']"]),
    ("number-moved", "const n = 1;", ["= (2);", "= (0);"]),
    ("boolean-flipped", "const n = [true, 1];", ["[false, 1]"]),
    ("element-dropped", "const n = [{ a: 1, b: 2 }, 3];",
     ["[3]", "1, b: 2 }]", "{ b: 2 }", "{ a: 1 }"]),
    ("class-narrowed", "const r = /[a-c]x/;", [r"/[\x62-c]x/", r"/[a-\x62]x/"]),
    ("class-widened", "const r = /[^ad]/;",
     [r"[^\x60-ad]", r"[^a-\x62d]", r"[^a\x63-d]", r"[^ad-\x65]"]),
    ("anchor-dropped", "const r = /^a$/;", ["/a$/", "/^a/"]),
    ("loop-once", "function f(a) { for (const x of a) { if (x) continue; g(x); } }",
     ["{{ if (x) break; g(x); } break; }"]),
    ("loop-once", "function f(a) { while (a) g(); }", ["{g(); break; }"]),
    ("sort-changed", "function f(a) { return a.sort(g); }",
     ["return a;", "a.sort(g).reverse()", "a.sort()"]),
    ("extreme-swapped", "const a = Math.min(b.some(c));", ["Math.max(b.some", "min(b.every(c))"]),
    ("default-changed", "function f({ a = null } = b) {}", ["{ a = null })", "{ a } = b", "a = 0"]),
]  # fmt: skip


def made(operator: str, source: str, language: str) -> list[str]:
    if language == "python":
        found = python_sites.sites(source, roots=["f" if "def f" in source else "R"])
    else:
        found = javascript_sites.sites(javascript_sites.parse(source, "x.js"))
    return [
        apply(source, mutant.edits)
        for mutant, site in named(source, found)
        if site.operator == operator
    ]


@pytest.mark.parametrize(("operator", "source", "expected"), PYTHON)
def test_python_operators(operator: str, source: str, expected: list[str]) -> None:
    mutants = made(operator, source, "python")
    assert len(mutants) == len(expected), mutants
    for mutant, part in zip(mutants, expected, strict=True):
        assert part in mutant
        compile(mutant, "mutant", "exec")


@pytest.mark.parametrize(("operator", "source", "expected"), JAVASCRIPT)
def test_javascript_operators(operator: str, source: str, expected: list[str]) -> None:
    mutants = made(operator, source, "javascript")
    assert len(mutants) == len(expected), mutants
    for mutant, part in zip(mutants, expected, strict=True):
        assert part in mutant
        javascript_sites.parse(mutant, "mutant.js")


def test_prose_declarations_and_the_self_test_are_no_sites() -> None:
    source = (
        "def f(a: 'x' = 1) -> 'y':\n    'doc'\n    return g(help='prose', name='n')\n\n"
        "def g(**k):\n    return k\n\ndef unreached():\n    return 5\n\n"
        "def selftest():\n    return f()\n"
    )
    found = list(python_sites.sites(source, roots=["f"], spared=["selftest"]))
    texts = {source[edit.start : edit.end] for site in found for edit in site.edits}
    assert "'n'" in texts
    assert not texts & {"'x'", "'y'", "'doc'", "'prose'", "5"}
    assert {site.function for site in found} == {"f", "g"}


def test_an_id_stays_while_its_function_stays() -> None:
    first = "def f():\n    return 1\n"
    moved = "def e():\n    return 9\n\n\n" + first

    def ids(source: str) -> set[str]:
        sites = python_sites.sites(source, roots=["f"])
        return {mutant.id for mutant, _ in named(source, sites)}

    assert ids(first) == ids(moved)
    assert not ids(first) & ids(first.replace("1", "2"))


def test_offsets_count_characters_beyond_the_first_plane() -> None:
    source = "def f(a):\n    return '\U0001f600\u00e9', a < 3\n"
    assert "'\U0001f600\u00e9', a <= 3" in made("comparison-moved", source, "python")[0]
    script = "const s = '\U0001f600', n = a < 3;"
    assert made("comparison-moved", script, "javascript")[0] == script.replace("<", "<=")
