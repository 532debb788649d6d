"""Gathers the candidates of one question from both sides of a store, and scores them on both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hindsight_core.indexed import search_text
from hindsight_core.ports import Embedder, Store, Where
from hindsight_core.recall.evidence import Entry, Pool, add_runs, base_parts, best_of
from hindsight_core.recall.found import RetrievalSettings
from hindsight_core.recall.lexical import QueryTerms
from hindsight_core.recall.question import Question, content_terms
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

    def pool(self, question: Question) -> Pool:
        """Return the candidates of a question, each with all parts of its similarity."""
        wanted, telling = self._weigh(question.terms)
        ids = [
            hit.id
            for hit in self.store.match_text(self.scope, self.where, telling, self.settings.pool)
        ]
        vector: Matrix | None = None
        cosines: dict[str, float] = {}
        if self.embedder is not None:
            vector = self.embedder.query(question.text)
            near = self.store.nearest(self.scope, self.where, vector, self.settings.pool)
            cosines = {hit.id: hit.score for hit in near}
        pool: Pool = {}
        self._add(pool, question, wanted, [*ids, *cosines], cosines, vector)
        add_runs(pool, self.settings)
        self._follow(pool, question, wanted, vector)
        return pool

    def _weigh(self, wanted: Sequence[str]) -> tuple[QueryTerms, list[str]]:
        counts = self.store.term_counts(self.scope, wanted)
        weights = dict.fromkeys(wanted, 1.0)
        limit = counts.total * self.settings.common
        return QueryTerms(weights, counts), _telling(wanted, counts.holding, limit)

    def _add(
        self,
        pool: Pool,
        question: Question,
        wanted: QueryTerms,
        ids: Iterable[str],
        cosines: Mapping[str, float],
        vector: Matrix | None,
    ) -> None:
        new = [one for one in dict.fromkeys(ids) if one not in pool]
        known = dict(cosines)
        missing = [one for one in new if one not in known]
        if vector is not None and missing:
            known |= self.store.cosines(self.scope, missing, vector)
        for memory in self.store.get(self.scope, new):
            cosine, match = known.get(memory.id), wanted.match(search_text(memory))
            parts = base_parts(question, memory, cosine, match, self.settings)
            pool[memory.id] = Entry(memory=memory, cosine=cosine, match=match, parts=parts)

    def _follow(
        self, pool: Pool, question: Question, wanted: QueryTerms, vector: Matrix | None
    ) -> None:
        """Search again with the words that the best candidate adds (pseudo-relevance feedback).

        It is how "the phone number of the one who is a bank manager" gets from the memory that
        says who the bank manager is to the one that says that person's number.
        """
        best = best_of(pool)
        if best is None or not self.settings.feedback:
            return
        told = [term for term in content_terms(best.memory.content) if term not in wanted.idf][
            :_MOST_FEEDBACK_TERMS
        ]
        if not told:
            return
        added, telling = self._weigh(told)
        hits = self.store.match_text(self.scope, self.where, telling, self.settings.pool // 2)
        self._add(pool, question, wanted, [hit.id for hit in hits], {}, vector)
        for entry in pool.values():
            share = added.match(search_text(entry.memory)).share
            entry.parts["feedback"] = self.settings.feedback * share


def _telling(wanted: Sequence[str], holding: Mapping[str, int], limit: float) -> list[str]:
    """Return the terms that find candidates: those that occur, without the common ones.

    Every memory that holds a common word would have to be scored, and the rarer words decide.
    """
    occurring = [term for term in wanted if holding.get(term)]
    rare = [term for term in occurring if holding[term] <= limit]
    return rare if len(rare) > 1 else sorted(occurring, key=holding.__getitem__)[:3]
