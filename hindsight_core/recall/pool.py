"""Gathers the candidates of one question from both sides of a store, and scores them on both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from hindsight_core.dates import spans
from hindsight_core.ports import Embedder, Store, Where
from hindsight_core.recall.evidence import Entry, Pool, add_runs, base_parts, best_of
from hindsight_core.recall.found import RetrievalSettings
from hindsight_core.recall.identifiers import add_identifiers
from hindsight_core.recall.lexical import QueryTerms, held_by
from hindsight_core.recall.question import Question, content_terms
from hindsight_core.recall.spellings import other_spellings
from hindsight_core.recall.synonyms import Synonym, Synonyms, held_in_other_words
from hindsight_core.recall.timing import add_time, during, without_days
from hindsight_core.schema import Scope

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = ["Search"]

_MOST_FEEDBACK_TERMS = 24


@dataclass(frozen=True, kw_only=True, slots=True)
class Search:
    """One store, scope and filter, to be asked several questions."""

    store: Store
    embedder: Embedder | None
    scope: Scope
    where: Where
    settings: RetrievalSettings
    synonyms: Synonyms
    today: date

    def pool(self, question: Question) -> Pool:
        """Return the candidates of a question, each with all parts of its similarity.

        Where it names days relative to today, the memories of those days are searched apart too.
        """
        message = question.text
        asked = spans(question.text, self.today)
        timed = without_days(question) if asked else question
        inside = [self._find(where, timed, message) for where in during(self.where, asked)]
        if any(texts or cosines for texts, cosines in inside):
            question = timed
        else:  # nothing is known of those days: then the words are all there is
            asked = ()
        texts, cosines = self._find(self.where, question, message)
        ranks = _ranks(texts, cosines)
        for more in inside:
            texts, cosines = more[0] | texts, more[1] | cosines
        vector = self._vector(message)
        synonyms = self._synonyms(question, message)
        wanted = self._weigh(question.terms)
        cosines |= self._cosines([one for one in texts if one not in cosines], vector)
        # What each side alone makes of a candidate decides which are worth reading.
        first = {
            one: texts.get(one, 0.0) + self.settings.vectors * max(0.0, cosines.get(one, 0.0))
            for one in texts | cosines
        }
        ids = sorted(first, key=first.__getitem__, reverse=True)[: self.settings.pool]
        read = partial(self._read, question, wanted, synonyms)
        pool = read(ids, cosines)
        for one, entry in pool.items():
            entry.ranks = ranks.get(one, {})
        add_identifiers(pool, message, self.settings)
        add_time(pool, asked, self.settings)
        add_runs(pool, self.settings)
        self._follow(pool, question, wanted, vector, read)
        return pool

    def _find(
        self, where: Where, question: Question, message: str
    ) -> tuple[dict[str, float], dict[str, float]]:
        """Ask both sides: shares of the best score by words, cosines by the vector; best first.

        Words come first: the message may still be being encoded meanwhile.
        """
        wanted = self._weigh(question.terms)
        synonyms = self._synonyms(question, message)
        texts = self._by_words(wanted, self.settings.pool, synonyms, where)
        vector = self._vector(message)
        if vector is None:
            return texts, {}
        near = self.store.nearest(self.scope, where, vector, self.settings.pool)
        return texts, {hit.id: hit.score for hit in near}

    def _synonyms(self, question: Question, message: str) -> tuple[Synonym, ...]:
        return (*self.synonyms.of(question.terms), *other_spellings(message))

    def _vector(self, message: str) -> Matrix | None:
        return self.embedder.query(message) if self.embedder is not None else None

    def _weigh(self, wanted: Sequence[str]) -> QueryTerms:
        return QueryTerms(wanted, self.store.term_counts(self.scope, wanted))

    def _by_words(
        self,
        wanted: QueryTerms,
        limit: int,
        synonyms: Sequence[Synonym] = (),
        where: Where | None = None,
    ) -> dict[str, float]:
        """Return the best matches for the words, each with its share of the best score."""
        others = (term for one in synonyms for other in one.others for term in other)
        words = list(dict.fromkeys([*wanted.idf, *others]))
        hits = self.store.match_text(self.scope, where or self.where, words, limit)
        return {hit.id: hit.score / wanted.best for hit in hits}

    def _cosines(self, ids: Sequence[str], vector: Matrix | None) -> dict[str, float]:
        if vector is None or not ids:
            return {}
        return self.store.cosines(self.scope, ids, vector)

    def _read(
        self,
        question: Question,
        wanted: QueryTerms,
        synonyms: Sequence[Synonym],
        ids: Sequence[str],
        cosines: Mapping[str, float],
    ) -> Pool:
        pool: Pool = {}
        for memory in self.store.get(self.scope, ids):
            held = held_by(memory)
            cosine = cosines.get(memory.id)
            match = wanted.match(held_in_other_words(held, synonyms))
            parts = base_parts(question, memory, cosine, match, self.settings)
            pool[memory.id] = Entry(
                memory=memory, held=held, cosine=cosine, match=match, parts=parts, ranks={}
            )
        return pool

    def _follow(
        self,
        pool: Pool,
        question: Question,
        wanted: QueryTerms,
        vector: Matrix | None,
        read: Callable[[Sequence[str], Mapping[str, float]], Pool],
    ) -> None:
        """Search again with the words that the best candidate adds (pseudo-relevance feedback).

        It is how "the phone number of the one who is a bank manager" gets from the memory that
        says who the bank manager is to the one that says that person's number. Of many alike that
        are to be counted, none leads to the others.
        """
        best = best_of(pool)
        if best is None or question.many or not self.settings.feedback:
            return
        told = [term for term in content_terms(best.memory.content) if term not in wanted.idf]
        if not told:
            return
        added = self._weigh(told[:_MOST_FEEDBACK_TERMS])
        new = [one for one in self._by_words(added, self.settings.pool // 2) if one not in pool]
        pool |= read(new, self._cosines(new, vector))
        for entry in pool.values():
            told_too = added.match(entry.held)
            entry.parts["feedback"] = self.settings.feedback * told_too.share
            entry.follows = told_too.coverage


def _ranks(*sides: Mapping[str, float]) -> dict[str, dict[str, int]]:
    """Return for each memory its place on each side, from 1."""
    ranks: dict[str, dict[str, int]] = {}
    for name, side in zip(("words", "vector"), sides, strict=True):
        for place, one in enumerate(side, 1):
            ranks.setdefault(one, {})[name] = place
    return ranks
