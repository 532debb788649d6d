"""Embedders, rerankers and chat models behind their ports."""
