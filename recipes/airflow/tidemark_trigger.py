"""Waits in the triggerer until data is complete. NOT RUN HERE with Airflow, which could not be installed: only with stand-ins
for its base classes (tests/test_stand_ins.py).

No logic but the calls: the client, which has tests, does the asking. A trigger waits in the triggerer's loop, where waiting
costs nothing, and asks in threads of its own: hundreds of deferred sensors share a few, and other providers' threads are theirs.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from airflow.triggers.base import BaseTrigger, TriggerEvent

from tidemark_client import TidemarkError
from tidemark_hook import TidemarkHook

# A request that is answered takes milliseconds; one that hangs keeps its thread for the client's timeout.
ASKING = ThreadPoolExecutor(max_workers=8, thread_name_prefix="tidemark")


class TidemarkFinalityTrigger(BaseTrigger):
    """
    Fires once the hours asked for are complete.

    :param table: as `tidemark serve` was given it
    :param through: a day, an hour or an instant
    :param zone: of days and hours
    :param revision: the revision that was read already
    :param accept_reopened: whether data that changed after it was final will do
    :param tidemark_conn_id: the connection of `tidemark serve`
    :param poke_interval: seconds between two requests
    """

    def __init__(
        self,
        table: str,
        through: str,
        zone: str | None = None,
        revision: int | None = None,
        accept_reopened: bool = True,
        tidemark_conn_id: str = TidemarkHook.default_conn_name,
        poke_interval: float = 5.0,
    ) -> None:
        super().__init__()
        self.arguments = {
            "table": table,
            "through": through,
            "zone": zone,
            "revision": revision,
            "accept_reopened": accept_reopened,
            "tidemark_conn_id": tidemark_conn_id,
            "poke_interval": poke_interval,
        }

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Serialize arguments and class path; the token stays in the connection."""
        return f"{type(self).__module__}.{type(self).__qualname__}", dict(self.arguments)

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Ask in a thread, once, and wait in the loop, so that neither the loop nor anybody else's thread is kept."""
        question = dict(self.arguments)
        hook = TidemarkHook(question.pop("tidemark_conn_id"))
        pause = question.pop("poke_interval")
        loop = asyncio.get_running_loop()
        try:
            client = await loop.run_in_executor(ASKING, hook.get_conn)
            while True:
                answer, message = await loop.run_in_executor(ASKING, lambda: client.poll(0, **question))
                self.log.info("%s", message)
                if answer is not None:
                    break
                await asyncio.sleep(pause)
            yield TriggerEvent({"status": "success", "message": message, "answer": dict(answer.raw)})
        except TidemarkError as e:
            yield TriggerEvent({"status": "error", "message": str(e), "answer": None})
