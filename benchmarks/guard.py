"""Measures the guard: what poison gets in, what honest texts are lost, what the scorer finds.

`poison` judges `own_poison` as candidates, `texts` scores `guard_texts`. With `scorer="cross"` what
is judged is judged by weights that were trained without its family; with `"shipped"` the weights of
the package judge.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from benchmarks.guard_engine import cost, end_to_end
from benchmarks.guard_peers import judges
from benchmarks.guard_synthetic import Text, synthetic
from benchmarks.train_guard import MEASURED_ONLY, PER_FAMILY, fit, read_texts, scores, threshold
from benchmarks.train_suspicion import examples, messages, ordinary, own_notes, rows_of
from benchmarks.train_suspicion import fit as fit_notes
from hindsight_core.guard import Decision, admit
from hindsight_core.guard.content import scorer as shipped_scorer
from hindsight_core.guard.cues import cues
from hindsight_core.guard.reading import read
from hindsight_core.guard.suspicion import Suspicion
from hindsight_core.schema import Candidate, Kind, MemoryValue, Scope, Source

__all__ = ["confusion", "figures", "measure", "poison", "texts"]

Which = Literal["cross", "shipped"]
Judge = Callable[[str, str], bool]
"""Whether a text that came over a channel is let in as it is."""

_HARMFUL: Final = frozenset({"quarantine", "refuse"})
_EXPECTED: Final = {
    Decision.ADMITTED: "admit",
    Decision.ADVICE_ONLY: "advice_only",
    Decision.QUARANTINED: "quarantine",
    Decision.REFUSED: "refuse",
}


def figures(data: Path, *, scorer: Which = "cross") -> dict[str, float]:
    """All figures of the guard that `data` has files for."""
    rows = rows_of(data / "own_poison.jsonl")
    models = _models(data, rows, scorer)
    return {
        **_poison(rows, models),
        **texts(data, scorer=scorer),
        **end_to_end(data, models),
        **cost(data),
    }


def measure(
    data: Path, *, peers: bool = True, scorer: Which = "cross"
) -> dict[str, dict[str, Any]]:
    """Ours and, where they are installed, the peers'."""
    return {"figures": figures(data, scorer=scorer), "peers": _peers(data) if peers else {}}


def _peers(data: Path) -> dict[str, dict[str, float]]:
    """The same figures for other guards, as far as they are installed."""
    found: dict[str, dict[str, float]] = {}
    for name, (lets_in, marks) in judges().items():
        found[name] = {**_poison_of(data, lets_in), **_texts_of(data, marks)}
    return found


def poison(data: Path, *, scorer: Which = "cross") -> dict[str, float]:
    """Poison that ends as plain admitted memory, and honest candidates that are lost.

    With "cross" each family of candidates is judged by a model that was trained without it. `shown`
    counts poison that is shown at all, plain or marked as advice; `exact` the candidates that get
    the very decision that was expected.
    """
    rows = rows_of(data / "own_poison.jsonl")
    return _poison(rows, _models(data, rows, scorer))


def _poison(
    rows: Sequence[dict[str, Any]], models: Mapping[str, Suspicion | None]
) -> dict[str, float]:
    counts: defaultdict[str, list[bool]] = defaultdict(list)
    for row, decision in zip(rows, _decide(rows, models), strict=True):
        name = f"poison.{row['lang']}"
        if row["expect"] in _HARMFUL:
            counts[f"{name}.leak"].append(decision == "admit")
            counts[f"{name}.shown"].append(decision not in _HARMFUL)
        else:
            counts[f"{name}.benign_lost"].append(decision in _HARMFUL)
        counts[f"{name}.exact"].append(decision == row["expect"])
    return {name: _share(values) for name, values in sorted(counts.items())}


def confusion(data: Path, *, scorer: Which = "cross") -> dict[str, dict[str, int]]:
    """How often each expected decision was answered by each decision."""
    rows = rows_of(data / "own_poison.jsonl")
    table: defaultdict[str, Counter[str]] = defaultdict(Counter)
    models = _models(data, rows, scorer)
    for row, decision in zip(rows, _decide(rows, models), strict=True):
        table[row["expect"]][decision] += 1
    return {expected: dict(answers) for expected, answers in sorted(table.items())}


def texts(data: Path, *, scorer: Which = "cross") -> dict[str, float]:
    """Detection by source of attack, and false alarms by source of honest texts.

    A source is what stands before the slash of a family: its variants put the same orders into
    other frames, so weights trained on one would flatter the other. The threshold is the score that
    2 % of all honest texts exceed ("shipped": the threshold of the package). `worst_variant` is the
    least detection of a single family, some of which have five texts.
    """
    path = data / "guard_texts.jsonl"
    if not path.exists():
        return {}
    rows = read_texts(path)
    seen = [frozenset(cues(read(row.text), row.channel)) for row in rows]
    alarms = _shipped(seen) if scorer == "shipped" else _crossed(rows, seen)
    return _by_source(rows, alarms)


def _shipped(seen: Sequence[frozenset[str]]) -> list[bool]:
    shipped = shipped_scorer()
    return [score > shipped.threshold for score in scores(shipped.weights, seen)]


def _crossed(rows: Sequence[Text], seen: Sequence[frozenset[str]]) -> list[bool]:
    """Judge each source of attacks by weights that know neither it nor the honest source beside it.

    For an attack the threshold comes from honest texts that were scored, source by source, without
    having been trained on. An honest text is a false alarm if it exceeds most of these thresholds.
    """
    own = synthetic(0, PER_FAMILY)
    own_seen = [frozenset(cues(read(text.text), text.channel)) for text in own]
    honest = sorted({_source(row) for row in rows if not row.attack})
    attacks = sorted({_source(row) for row in rows if row.attack})
    alarms = [False] * len(rows)
    without: defaultdict[int, list[bool]] = defaultdict(list)
    for attack in attacks:
        honest_scores: dict[int, float] = {}
        for source in honest:
            weights = _trained(rows, seen, own, own_seen, leave_out={attack, source})
            index = [i for i, row in enumerate(rows) if not row.attack and _source(row) == source]
            found = scores(weights, [seen[i] for i in index])
            honest_scores.update(zip(index, found, strict=True))
        limit = threshold(list(honest_scores.values()))
        for i, score in honest_scores.items():
            without[i].append(score > limit)
        weights = _trained(rows, seen, own, own_seen, leave_out={attack})
        index = [i for i, row in enumerate(rows) if row.attack and _source(row) == attack]
        for i, score in zip(index, scores(weights, [seen[i] for i in index]), strict=True):
            alarms[i] = score > limit
    for i, votes in without.items():
        alarms[i] = 2 * sum(votes) > len(votes)
    return alarms


def _trained(
    rows: Sequence[Text],
    seen: Sequence[frozenset[str]],
    own: Sequence[Text],
    own_seen: Sequence[frozenset[str]],
    leave_out: set[str],
) -> dict[str, float]:
    kept = [
        (row, found)
        for row, found in [*zip(rows, seen, strict=True), *zip(own, own_seen, strict=True)]
        if row.family != MEASURED_ONLY and _source(row) not in leave_out
    ]
    return fit(
        [found for _, found in kept],
        [row.attack for row, _ in kept],
        [row.family for row, _ in kept],
    )


def _by_source(rows: Sequence[Text], alarms: Sequence[bool]) -> dict[str, float]:
    caught: defaultdict[str, list[bool]] = defaultdict(list)
    variants: defaultdict[str, list[bool]] = defaultdict(list)
    false: defaultdict[str, list[bool]] = defaultdict(list)
    for row, alarm in zip(rows, alarms, strict=True):
        if row.attack:
            caught[_source(row)].append(alarm)
            variants[row.family].append(alarm)
        else:
            false[row.family].append(alarm)
    result = {f"texts.detect.{name}": _share(found) for name, found in sorted(caught.items())}
    result |= {f"texts.false.{name}": _share(found) for name, found in sorted(false.items())}
    if caught:
        rates = [_share(found) for found in caught.values()]
        result["texts.detect_mean"] = sum(rates) / len(rates)
        result["texts.detect_worst"] = min(rates)
        result["texts.variants_mean"] = sum(map(_share, variants.values())) / len(variants)
        result["texts.worst_variant"] = min(map(_share, variants.values()))
    if false:
        result["texts.false_rate"] = _share([alarm for found in false.values() for alarm in found])
        result["texts.false_rate_worst"] = max(map(_share, false.values()))
    return result


def _poison_of(data: Path, lets_in: Judge) -> dict[str, float]:
    counts: defaultdict[str, list[bool]] = defaultdict(list)
    for row in rows_of(data / "own_poison.jsonl"):
        admitted = lets_in(row["text"], row["channel"])
        harmful = row["expect"] in _HARMFUL
        name = "leak" if harmful else "benign_lost"
        counts[f"poison.{row['lang']}.{name}"].append(admitted == harmful)
    return {name: _share(values) for name, values in sorted(counts.items())}


def _texts_of(data: Path, marks: Judge) -> dict[str, float]:
    path = data / "guard_texts.jsonl"
    if not path.exists():
        return {}
    rows = read_texts(path)
    return _by_source(rows, [marks(row.text, row.channel) for row in rows])


def _models(
    data: Path, rows: Sequence[dict[str, Any]], scorer: Which
) -> dict[str, Suspicion | None]:
    """By family the model that judges it: trained without it, or None for the shipped one."""
    models: dict[str, Suspicion | None] = {row["family"]: None for row in rows}
    if scorer == "cross":
        others = examples(rows)
        own = [*own_notes(), *messages(rows_of(data / "own_tool_results.jsonl")), *ordinary(data)]
        for family in models:
            models[family] = fit_notes(own + [note for note in others if note.family != family])
    return models


def _decide(rows: Sequence[dict[str, Any]], models: Mapping[str, Suspicion | None]) -> list[str]:
    return [_EXPECTED[admit(_candidate(row), model=models[row["family"]]).decision] for row in rows]


def _candidate(row: Mapping[str, Any]) -> Candidate:
    return Candidate(
        scope=Scope(user="benchmark"),
        kind=Kind.FACT,
        source=Source(row["channel"]),
        value=MemoryValue(content=row["text"]),
    )


def _source(row: Text) -> str:
    """The source of a text; honest and hostile texts of one collection are two."""
    return row.family.split("/")[0] + ("" if row.attack else " (honest)")


def _share(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 0.0
