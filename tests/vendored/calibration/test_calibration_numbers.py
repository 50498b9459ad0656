"""The arithmetic against scipy and statsmodels, and what the intervals promise, enumerated."""

from __future__ import annotations

import math
import random
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import cohens_kappa, to_table
from statsmodels.stats.proportion import proportion_confint

CLOSE = 1e-9


@settings(max_examples=40)
@given(n=st.integers(1, 300), share=st.floats(0, 1))
def test_intervals_are_those_of_clopper_and_pearson(
    calibration: ModuleType, n: int, share: float
) -> None:
    k = round(share * n)
    lower, upper = calibration.interval(k, n)
    expected = proportion_confint(k, n, alpha=0.05, method="beta")
    assert (lower, upper) == pytest.approx(expected, abs=CLOSE)
    exact = stats.binomtest(k, n).proportion_ci(method="exact")
    assert (lower, upper) == pytest.approx((exact.low, exact.high), abs=CLOSE)


def test_an_interval_of_many_cases_is_exact_too(calibration: ModuleType) -> None:
    expected = proportion_confint(4321, 5000, alpha=0.05, method="beta")
    assert calibration.interval(4321, 5000) == pytest.approx(expected, abs=CLOSE)


KNOWN = [
    ("10 of 10", 10, 10, 0.69, 1.0),
    ("8 of 8", 8, 8, 0.63, 1.0),
    ("none of 10", 0, 10, 0.0, 0.31),
    ("no case", 0, 0, 0.0, 1.0),
    ("1 of 1", 1, 1, 0.025, 1.0),
]


@pytest.mark.parametrize(
    ("k", "n", "lower", "upper"), [row[1:] for row in KNOWN], ids=[row[0] for row in KNOWN]
)
def test_known_intervals(
    calibration: ModuleType, k: int, n: int, lower: float, upper: float
) -> None:
    assert calibration.interval(k, n) == pytest.approx((lower, upper), abs=0.005)


@pytest.mark.parametrize("n", [1, 2, 5, 10, 24])
def test_intervals_cover_what_they_promise(calibration: ModuleType, n: int) -> None:
    """Add up the chances of all results whose interval holds the truth: at least 95%."""
    intervals = [calibration.interval(k, n) for k in range(n + 1)]
    for step in range(1, 200):
        truth = step / 200
        chances = stats.binom.pmf(range(n + 1), n, truth)
        rows = list(zip(chances, intervals, strict=True))
        covered = sum(chance for chance, (low, high) in rows if low <= truth <= high)
        missed_below = sum(chance for chance, (low, _) in rows if low > truth)
        missed_above = sum(chance for chance, (_, high) in rows if high < truth)
        assert covered >= 0.95 - CLOSE
        assert max(missed_below, missed_above) <= 0.025 + CLOSE


def test_measured_sets_are_covered_as_often_as_is_promised(calibration: ModuleType) -> None:
    """Judges of a known agreement measured on 40 cases each, drawn with fixed seeds."""
    draws = random.Random(40)  # noqa: S311 - simulation, not secrecy
    for truth in (0.5, 0.8, 0.95):
        right = [sum(draws.random() < truth for _ in range(40)) for _ in range(1000)]
        bounds = {k: calibration.interval(k, 40) for k in set(right)}
        covered = sum(bounds[k][0] <= truth <= bounds[k][1] for k in right)
        assert 950 <= covered < 1000


@given(b=st.integers(0, 300), c=st.integers(0, 300))
def test_mcnemar_is_exact(calibration: ModuleType, b: int, c: int) -> None:
    if b + c == 0:
        assert calibration.mcnemar(b, c) is None
        return
    expected = mcnemar([[7, b], [c, 7]], exact=True).pvalue
    assert calibration.mcnemar(b, c) == pytest.approx(min(expected, 1.0), abs=CLOSE, rel=CLOSE)
    exact = stats.binomtest(b, b + c).pvalue
    assert calibration.mcnemar(b, c) == pytest.approx(exact, abs=CLOSE, rel=CLOSE)


def test_mcnemar_says_a_quarter_and_not_a_hair_more(calibration: ModuleType) -> None:
    assert calibration.mcnemar(3, 0) == 0.25
    assert calibration.mcnemar(0, 1) == 1.0


def test_mcnemar_of_very_many_pairs_is_a_number(calibration: ModuleType) -> None:
    assert calibration.mcnemar(3000, 3000) == 1.0
    assert 0 <= calibration.mcnemar(10, 4000) < 1e-300


@given(
    pairs=st.lists(
        st.tuples(st.sampled_from("pfa"), st.sampled_from("pfa")), min_size=30, max_size=90
    )
)
def test_kappa_is_cohens(calibration: ModuleType, pairs: list[tuple[str, str]]) -> None:
    found = calibration.kappa(pairs)
    agreed = sum(one == other for one, other in pairs)
    assert (found["n"], found["agreed"]) == (len(pairs), agreed)
    codes = [["pfa".index(one), "pfa".index(other)] for one, other in pairs]
    if all(pair == pairs[0] and pair[0] == pair[1] for pair in pairs):
        assert (found["kappa"], found["lower"]) == (None, None)
        assert found["reason"] == "both raters gave every item the same label"
        return
    table, _ = to_table(codes, bins=[0, 1, 2, 3])
    expected = cohens_kappa(table, return_results=False)
    assert found["kappa"] == pytest.approx(expected, abs=CLOSE)
    by_chance = sum(table.sum(0) * table.sum(1)) / len(pairs) ** 2
    bound = proportion_confint(agreed, len(pairs), alpha=0.05, method="beta")[0]
    assert found["lower"] == pytest.approx((bound - by_chance) / (1 - by_chance), abs=CLOSE)


def test_thirty_of_thirty_labels_bound_kappa_at_0_77(calibration: ModuleType) -> None:
    found = calibration.kappa([("p", "p")] * 15 + [("f", "f")] * 15)
    assert found["kappa"] == 1.0
    assert found["lower"] == pytest.approx(0.77, abs=0.005)


def test_kappa_needs_thirty_labels(calibration: ModuleType) -> None:
    found = calibration.kappa([("p", "p")] * 15 + [("f", "f")] * 14)
    assert (found["kappa"], found["lower"]) == (None, None)
    assert found["reason"] == "INSUFFICIENT LABELS (n=29)"


def test_kappa_of_raters_who_never_agree_is_no_error(calibration: ModuleType) -> None:
    assert calibration.kappa([("p", "f")] * 30)["kappa"] == 0.0


@given(n=st.integers(0, 60), share=st.floats(0, 1), floor=st.sampled_from([0.05, 0.5, 0.8, 0.95]))
def test_the_e_value_is_the_averaged_likelihood_ratio(
    calibration: ModuleType, n: int, share: float, floor: float
) -> None:
    k = round(share * n)
    found = calibration.e_value(k, n, floor)

    def ratio(theta: float) -> float:
        return math.exp(
            k * math.log(theta / floor) + (n - k) * math.log((1 - theta) / (1 - floor))
            if theta < 1
            else -math.inf
            if n > k
            else k * math.log(1 / floor)
        )

    expected = integrate.quad(ratio, floor, 1, epsabs=0, epsrel=1e-12, limit=200)[0] / (1 - floor)
    assert found == pytest.approx(min(expected, 1e9), rel=CLOSE)


def test_ten_of_ten_against_0_8_is_evidence_of_3_87(calibration: ModuleType) -> None:
    assert calibration.e_value(10, 10, 0.8) == pytest.approx(3.87, abs=0.005)
    assert calibration.e_value(0, 0, 0.8) == pytest.approx(1.0)


def test_the_e_value_is_an_average_of_one_under_the_floor(calibration: ModuleType) -> None:
    """Each further label, whatever it says, leaves the expectation where it was: a martingale."""
    for k in range(12):
        n, floor = 11, 0.7
        now = calibration.e_value(k, n, floor)
        after = floor * calibration.e_value(k + 1, n + 1, floor)
        after += (1 - floor) * calibration.e_value(k, n + 1, floor)
        assert after == pytest.approx(now, rel=CLOSE)


def test_looking_after_every_label_does_not_cheat(calibration: ModuleType) -> None:
    """At the floor itself, at most one run in 20 ever sees an e-value of 20; with fixed seeds."""
    values: dict[tuple[int, int], float] = {}
    crossed, runs = 0, 400
    for seed in range(runs):
        chance, k = random.Random(seed), 0  # noqa: S311 - simulation, not secrecy
        for n in range(1, 61):
            k += chance.random() < 0.8
            if (k, n) not in values:
                values[k, n] = calibration.e_value(k, n, 0.8)
            if values[k, n] >= 20:
                crossed += 1
                break
    assert crossed <= runs / 20


@given(value=st.floats(0, 1))
def test_printed_numbers_never_flatter(calibration: ModuleType, value: float) -> None:
    assert float(calibration.down(value)) <= value <= float(calibration.up(value))
    assert len(calibration.down(value)) == 5


def test_just_below_the_bar_looks_below_it(calibration: ModuleType) -> None:
    assert calibration.down(0.7999999) == "0.799"
    assert calibration.down(0.8) == "0.800"
