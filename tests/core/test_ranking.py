"""The ranking formula, to the letter of its definition."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.ranking import Weights, score
from hindsight_core.schema import Kind, Memory, MemoryValue, Scope, Source

NOW = datetime(2031, 5, 1, tzinfo=UTC)


def memory(*, age_days: float = 0.0, trust: float = 0.9, references: int = 0) -> Memory:
    at = NOW - timedelta(days=age_days)
    return Memory(
        id="m",
        scope=Scope(user="u"),
        kind=Kind.FACT,
        source=Source.USER,
        trust=trust,
        value=MemoryValue(content="x"),
        created_at=at,
        updated_at=at,
        references=references,
    )


@pytest.mark.parametrize(
    ("age", "similarity", "trust", "references", "expected"),
    [
        (0, 1.0, 1.0, 0, 0.6 + 0.2 + 0.15),
        (30, 1.0, 1.0, 0, 0.6 + 0.2 * math.exp(-1) + 0.15),
        (0, 0.5, 0.4, 2, 0.3 + 0.2 + 0.06 + 0.05 * 0.1),
        (0, 0.0, 0.0, 100, 0.2 + 0.05 * 0.3),
        (90, 0.8, 0.6, 6, 0.48 + 0.2 * math.exp(-3) + 0.09 + 0.05 * 0.3),
    ],
)
def test_the_default_formula_gives_these_golden_scores(
    age, similarity, trust, references, expected
):
    found = score(memory(age_days=age, trust=trust, references=references), similarity, NOW)
    assert found.total == pytest.approx(expected, abs=1e-12)


def test_thirty_days_is_the_e_folding_time_and_not_a_half_life():
    parts = score(memory(age_days=30), 0.0, NOW)
    assert parts.recency == pytest.approx(0.2 * 0.36787944117144233)


def test_the_parts_sum_to_the_total():
    parts = score(memory(age_days=3, references=4), 0.7, NOW)
    assert parts.total == parts.similarity + parts.recency + parts.trust + parts.references


def test_a_memory_from_the_future_counts_as_new():
    assert score(memory(age_days=-5), 0.0, NOW).recency == pytest.approx(0.2)


def test_another_profile_is_other_weights_of_the_same_function():
    weights = Weights(similarity=1.0, recency=0.0, trust=0.0, references=0.0)
    assert score(memory(age_days=400), 0.25, NOW, weights).total == 0.25


@given(similarity=st.floats(allow_nan=True, allow_infinity=True))
def test_no_similarity_whatever_takes_the_score_out_of_its_bounds(similarity):
    assert 0.0 <= score(memory(), similarity, NOW).similarity <= 0.6
