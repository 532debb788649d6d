"""A crew that learns in one session and obeys in the next, with one line of memory.

    pip install 'hindsight-core[crewai,embed]'
    python examples/crewai_crew.py [STORE]

It runs offline, with `stand_in.py` in place of a language model; set OPENAI_BASE_URL,
OPENAI_API_KEY and OPENAI_MODEL to run it with a real one.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from crewai_hindsight import HindsightMemory
from stand_in import KEY, MODEL, book_seat, model_url


def session(url: str, store: str, request: str) -> None:
    """One session: a crew of its own over the store, as in a process of its own."""
    memory = HindsightMemory(store, user="ann")
    clerk = Agent(
        role="clerk",
        goal="Book what is asked for.",
        backstory="You book seats.",
        llm=LLM(model=f"openai/{MODEL}", base_url=url, api_key=KEY),
        tools=[tool("book_seat")(book_seat)],
    )
    task = Task(description=request, expected_output="The booking.", agent=clerk)
    output = Crew(agents=[clerk], tasks=[task], memory=memory).kickoff()  # the one line
    results = [m["content"] for m in task.output.messages if m["role"] == "tool"]
    failures = sum(result.startswith("Error") for result in results)
    print(f"> {request}\n  {output.raw} ({len(results)} calls, {failures} failed)")
    memory.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, model_url() as url:
        where = sys.argv[1] if len(sys.argv) > 1 else str(Path(folder) / "memory.db")
        session(
            url,
            where,
            "Book a seat for 5 March 2026. Whenever you book a seat for me, take a window seat.",
        )
        session(url, where, "Book a seat for 5 March 2026.")
