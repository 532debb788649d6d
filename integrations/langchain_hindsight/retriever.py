"""`HindsightRetriever`: the memory as a LangChain retriever, for chains that look things up."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, PrivateAttr

from hindsight_core import Hindsight, Kind, Memory, Where
from langchain_hindsight._opening import Opened

__all__ = ["HindsightRetriever"]


class HindsightRetriever(BaseRetriever):
    """Finds the memories of a user that matter for a query, best first.

    Whose they are comes from the call's `metadata` (`user_id`, `tenant_id`), then from the running
    graph, then from `user` and `tenant`. Each document's `id` is the memory's; its metadata hold
    kind, source, trust, confidence, the time of creation and the score.

    Args:
        hindsight: The memory, or the path or URL at which to open it; without one the default
            store.
        user: The user where a call names none.
        tenant: The tenant where a call names none.
        k: How many to find at most; a call may say `k` as well.
        threshold: The least relevance, 0 to 1, in place of the embedder's own.
        kinds: Of which kinds; all without it.

    Raises:
        HindsightError: The store cannot be opened or reached.
    """

    hindsight: Any = None
    user: str | None = None
    tenant: str | None = None
    k: int = Field(default=3, ge=1)
    threshold: float | None = Field(default=None, ge=0.0, le=1.0)
    kinds: tuple[Kind, ...] = ()
    _opened: Opened = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Open the memory."""
        super().model_post_init(context)
        given: Hindsight | str | None = self.hindsight
        self._opened = Opened(given, self.user, self.tenant)

    def close(self) -> None:
        """Close the memory, if it was opened here."""
        self._opened.close()

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        found = self._opened.hindsight.recall(
            self._opened.scope(run_manager.metadata),
            query,
            where=Where(kinds=self.kinds),
            top_k=k or self.k,
            threshold=self.threshold,
        )
        scores = {one.memory_id: one.total for one in found.report.candidates}
        return [_document(memory, scores.get(memory.id)) for memory in found.memories]


def _document(memory: Memory, score: float | None) -> Document:
    return Document(
        id=memory.id,
        page_content=memory.content,
        metadata={
            "kind": memory.kind.value,
            "source": memory.source.value,
            "trust": memory.trust,
            "confidence": memory.confidence,
            "created_at": memory.created_at.isoformat(),
            "score": score,
        },
    )
