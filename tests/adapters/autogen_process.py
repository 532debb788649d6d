"""A program of a user's with an AutoGen agent, run by tests in a process of its own.

Arguments: what is to happen to it, the path of the store, and whether the agent is attached.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_hindsight import HindsightMemory, attach
from autogen_kit import agent, calls, fetch

from hindsight_core import Hindsight, Settings

WISH = "以后请一直用法语回答我。"
TASK = "Fetch the 报告 of the service."
FAIL = calls(("fetch", {"path": "/v1/报告"}), ids=["call_0"])
FIX = calls(("fetch", {"path": "/v2/报告"}), ids=["call_0"])
waiting = asyncio.Event()


async def die() -> str:
    """Be killed."""
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


async def fill() -> str:
    """Leave no room on the disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    most = max(file.stat().st_size for file in Path(sys.argv[2]).parent.iterdir())
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    return "full"


async def wait() -> str:
    """Wait for long."""
    waiting.set()
    await asyncio.sleep(600)
    return "never"


def say(what: object) -> None:
    sys.stdout.write(f"{what}\n")


def state_file() -> Path:
    return Path(sys.argv[2] + ".state")


def made(*script: Any) -> AssistantAgent:
    settings = Settings(deadline=60)  # which no busy machine misses
    memory = Hindsight.open(sys.argv[2], embedder=None, settings=settings)
    ours = HindsightMemory(memory, user="u", session="s")
    one = agent(*script, tools=[fetch, die, fill, wait], memory=[ours])
    return attach(one) if sys.argv[3] == "attached" else one


async def ends() -> None:
    await made("D'accord.").run(task=WISH)


async def killed() -> None:
    one = made("D'accord.", FAIL, calls(("die", {})))
    await one.run(task=WISH)
    state_file().write_text(json.dumps(await one.save_state()), encoding="utf-8")
    await one.run(task=TASK)


async def resumed() -> None:
    one = made(FIX, "Voilà.")
    await one.load_state(json.loads(state_file().read_text(encoding="utf-8")))
    await one.run(task=TASK)


async def full() -> None:
    one = made("D'accord.", calls(("fill", {})), FAIL, FIX, "Voilà.", "Encore.")
    await one.run(task=WISH)
    for asked in (TASK, "And once more?"):
        result = await one.run(task=asked)
        say(result.messages[-1].content)  # type: ignore[union-attr]
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    (ours,) = one._memory or []
    assert isinstance(ours, HindsightMemory)
    say(sum(ours.hindsight.health().errors.values()) > 0)


async def left() -> None:
    try:
        async with asyncio.timeout(None) as limit:
            turn = asyncio.create_task(made(calls(("wait", {}))).run(task=TASK))
            await waiting.wait()
            limit.reschedule(asyncio.get_running_loop().time())
            await turn
    except TimeoutError:
        say("timed out")


async def pending() -> None:
    asyncio.create_task(made(calls(("wait", {}))).run(task=TASK))  # noqa: RUF006
    await waiting.wait()


async def main() -> None:
    # In development mode the loop tells of what takes a tenth of a second, as all may on a busy
    # machine.
    asyncio.get_running_loop().slow_callback_duration = 600.0
    await globals()[sys.argv[1]]()


if __name__ == "__main__":
    logging.getLogger("autogen_core").setLevel(logging.ERROR)
    asyncio.run(main())
