"""The demo: a real agent whose tools really fail, with memory and without."""

from langchain_hindsight.demo.running import run_demo

__all__ = ["run_demo"]
