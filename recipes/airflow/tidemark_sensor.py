"""A sensor for `tidemark serve`. NOT RUN HERE with Airflow, which could not be installed: only with stand-ins
for its base classes (tests/test_stand_ins.py).

    wait = TidemarkFinalitySensor(
        task_id="orders_complete",
        table="lake.db.orders",
        through="{{ data_interval_start.strftime('%Y-%m-%dT%H') }}",
        deferrable=True,
        timeout=6 * 3600,
    )

What it pushes to XCom is the answer, with the `revision` to remember. A server that cannot be reached is waited for, until
the sensor's `timeout`; a wrong question or token, or a table that is not served, fails it at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from airflow.configuration import conf
from airflow.exceptions import AirflowException
from airflow.sdk import BaseSensorOperator, PokeReturnValue  # Airflow 2: from airflow.sensors.base import …

from tidemark_hook import TidemarkHook
from tidemark_trigger import TidemarkFinalityTrigger


class TidemarkFinalitySensor(BaseSensorOperator):
    """
    Waits until every event of an hour, a day or a granule is in a table.

    :param table: as `tidemark serve` was given it (templated)
    :param through: a day `2026-01-01`, an hour `2026-01-01T10` or an instant `2026-01-01T10:15:00Z` (templated)
    :param zone: of days and hours; UTC by default (templated)
    :param revision: the revision that was read already: READY as long as nothing came after it
    :param accept_reopened: whether data that changed after it was final will do; true by default, since a
        first reader gets all rows there are
    :param tidemark_conn_id: the connection of `tidemark serve`
    :param deferrable: whether to wait in the triggerer, without a worker
    """

    template_fields: Sequence[str] = ("table", "through", "zone")

    def __init__(
        self,
        *,
        table: str,
        through: str,
        zone: str | None = None,
        revision: int | None = None,
        accept_reopened: bool = True,
        tidemark_conn_id: str = TidemarkHook.default_conn_name,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.table = table
        self.through = through
        self.zone = zone
        self.revision = revision
        self.accept_reopened = accept_reopened
        self.tidemark_conn_id = tidemark_conn_id
        self.deferrable = deferrable

    def _question(self) -> dict[str, Any]:
        names = ("table", "through", "zone", "revision", "accept_reopened")
        return {name: getattr(self, name) for name in names}

    def poke(self, context: Any) -> PokeReturnValue:
        """Ask once."""
        client = TidemarkHook(self.tidemark_conn_id).get_conn()
        answer, message = client.poll(0, **self._question())
        self.log.info("%s", message)
        return PokeReturnValue(is_done=answer is not None, xcom_value=dict(answer.raw) if answer else None)

    def execute(self, context: Any) -> Any:
        """Wait in a worker; or ask once, and defer."""
        if not self.deferrable:
            return super().execute(context)
        asked = self.poke(context)
        if asked.is_done:
            return asked.xcom_value
        self.defer(
            timeout=timedelta(seconds=self.timeout),
            trigger=TidemarkFinalityTrigger(
                **self._question(), tidemark_conn_id=self.tidemark_conn_id, poke_interval=self.poke_interval
            ),
            method_name="execute_complete",
        )

    def execute_complete(self, context: Any, event: dict[str, Any]) -> Any:
        """Go on after the trigger fired."""
        if event["status"] != "success":
            raise AirflowException(event["message"])
        self.log.info("%s", event["message"])
        return event["answer"]
