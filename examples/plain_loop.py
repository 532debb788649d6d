"""An agent loop by hand, with the `openai` client and no framework, that learns and obeys.

    pip install 'hindsight-core[openai,embed]'
    python examples/plain_loop.py [STORE]

What an adapter does at its framework's hooks is done here at six lines of the loop, each marked.
It runs offline, with `stand_in.py` in place of a language model; set OPENAI_BASE_URL,
OPENAI_API_KEY and OPENAI_MODEL to run it with a real one.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from openai import OpenAI
from stand_in import KEY, MODEL, book_seat, model_url

from hindsight_core import GateAction, Hindsight

TOOLS: Any = [
    {
        "type": "function",
        "function": {
            "name": "book_seat",
            "description": "Book a seat.",
            "parameters": {
                "type": "object",
                "properties": {"date": {"type": "string"}, "seat": {"type": "string"}},
                "required": ["date"],
            },
        },
    }
]


def session(client: OpenAI, hs: Hindsight, request: str) -> None:
    """One session: the model and its tool take turns until there is an answer."""
    run = hs.run(hs.scope_of("ann"), task=request, agent="clerk")  # 1. a run begins
    run.user(request)  # 2. what a person said
    messages: list[Any] = [{"role": "user", "content": request}]
    failures = calls = 0
    while True:
        block = run.context()  # 3. what is recalled, for this request alone
        system: Any = {
            "role": "system",
            "content": f"You book seats.\n\n{block.text if block else ''}",
        }
        answer = client.chat.completions.create(
            model=MODEL, messages=[system, *messages], tools=TOOLS
        )
        said: Any = answer.choices[0].message
        if not said.tool_calls:
            break
        messages.append(said.model_dump(exclude_none=True))
        for call in said.tool_calls:
            name, args = call.function.name, json.loads(call.function.arguments)
            gate = run.before_tool(name, args, call_id=call.id)  # 4. is it known to fail?
            calls += 1
            if gate.action in (GateAction.BLOCK, GateAction.CONFIRM):
                result = gate.message
            else:
                try:
                    result = book_seat(**args)
                    run.after_tool(name, args, call_id=call.id, result=result)  # 5. what came of it
                except ValueError as error:
                    failures += 1
                    advice = run.after_tool(name, args, call_id=call.id, error=error)
                    result = f"{error}\n{advice or ''}"
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    run.agent(said.content or "")
    run.finish(ok=True)  # 6. the run is over: it is judged, and what it taught is stored
    print(f"> {request}\n  {said.content} ({calls} calls, {failures} failed)")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, model_url() as url:
        where = sys.argv[1] if len(sys.argv) > 1 else str(Path(folder) / "memory.db")
        with Hindsight.open(where) as hs, OpenAI(base_url=url, api_key=KEY) as client:
            session(
                client,
                hs,
                "Book a seat for 5 March 2026. "
                "Whenever you book a seat for me, take a window seat.",
            )
            session(client, hs, "Book a seat for 5 March 2026.")
