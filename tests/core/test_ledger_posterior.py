"""Confidence as a Beta posterior, and the uplift of a holdout: golden numbers and properties."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.ledger import (
    MIN_RUNS,
    Posterior,
    beta_cdf,
    beta_quantile,
    estimate_uplift,
    is_withheld,
)
from hindsight_core.testing.samples import make_memory


def test_a_posterior_without_any_use_is_the_uniform_prior():
    assert Posterior(hits=0, misses=0).mean == 0.5
    assert Posterior(hits=0, misses=0).interval() == pytest.approx((0.025, 0.975))


@pytest.mark.parametrize(
    ("hits", "misses", "mean", "low", "high"),
    [
        (1, 0, 2 / 3, math.sqrt(0.025), math.sqrt(0.975)),  # Beta(2, 1): x**2
        (0, 1, 1 / 3, 1 - math.sqrt(0.975), 1 - math.sqrt(0.025)),
        (8, 2, 0.75, 0.48224415, 0.93978227),  # as scipy.stats.beta gives it
        (99, 0, 100 / 101, 0.025 ** (1 / 100), 0.975 ** (1 / 100)),
    ],
)
def test_mean_and_interval_are_those_of_the_beta_distribution(hits, misses, mean, low, high):
    posterior = Posterior(hits=hits, misses=misses)
    assert posterior.mean == pytest.approx(mean)
    assert posterior.interval() == pytest.approx((low, high), abs=1e-6)


def test_a_posterior_is_shown_with_its_mean_and_its_interval():
    assert str(Posterior(hits=1, misses=0)) == "0.67 (0.16 to 0.99)"


@given(a=st.integers(1, 60), b=st.integers(1, 60), x=st.floats(0.001, 0.999))
def test_the_distribution_of_whole_counts_is_a_sum_of_binomials(a, b, x):
    n = a + b - 1
    exact = sum(math.comb(n, j) * x**j * (1 - x) ** (n - j) for j in range(a, n + 1))
    assert beta_cdf(x, a, b) == pytest.approx(exact, abs=1e-9)


@given(p=st.floats(0.01, 0.99), a=st.integers(1, 5_000), b=st.integers(1, 5_000))
def test_a_quantile_is_where_the_distribution_reaches_it(p, a, b):
    assert beta_cdf(beta_quantile(p, a, b), a, b) == pytest.approx(p, abs=1e-6)


@given(hits=st.integers(0, 1_000), misses=st.integers(0, 1_000))
def test_a_memory_tells_the_mean_of_its_posterior_as_its_confidence(hits, misses):
    memory = make_memory("m", hits=hits, misses=misses)
    assert memory.confidence == Posterior(hits=hits, misses=misses).mean


def test_uplift_is_the_difference_of_two_posteriors():
    uplift = estimate_uplift(Posterior(hits=18, misses=2), Posterior(hits=8, misses=12))
    assert uplift is not None
    assert uplift.mean == pytest.approx(19 / 22 - 9 / 22)
    reach = 1.959964 * math.sqrt((19 * 3 + 9 * 13) / (22**2 * 23))
    assert (uplift.low, uplift.high) == pytest.approx((uplift.mean - reach, uplift.mean + reach))
    assert not uplift.harms


def test_a_lesson_harms_when_the_interval_of_its_uplift_lies_below_zero():
    harmful = estimate_uplift(Posterior(hits=2, misses=18), Posterior(hits=15, misses=5))
    assert harmful is not None
    assert harmful.harms


@pytest.mark.parametrize("side", [MIN_RUNS - 1, MIN_RUNS])
def test_few_runs_never_retire_a_lesson(side):
    uplift = estimate_uplift(Posterior(hits=0, misses=side), Posterior(hits=side, misses=0))
    assert uplift is not None
    assert uplift.harms == (side >= MIN_RUNS)


def test_without_a_run_on_either_side_there_is_no_estimate():
    assert estimate_uplift(Posterior(hits=3, misses=1), Posterior(hits=0, misses=0)) is None


def test_a_share_of_the_runs_goes_without_and_the_same_ones_each_time():
    withheld = {n for n in range(4_000) if is_withheld(f"run{n}", "m", share=0.25, seed="s")}
    assert 0.22 < len(withheld) / 4_000 < 0.28
    assert withheld == {
        n for n in range(4_000) if is_withheld(f"run{n}", "m", share=0.25, seed="s")
    }
    other = {n for n in range(4_000) if is_withheld(f"run{n}", "m", share=0.25, seed="t")}
    assert other != withheld
    assert not any(is_withheld(f"run{n}", "m", share=0.0, seed="s") for n in range(100))
    assert all(is_withheld(f"run{n}", "m", share=1.0, seed="s") for n in range(100))
