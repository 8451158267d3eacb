"""Materializes an hourly asset once its hour is complete, and again if late rows came.

NOT RUN HERE with Dagster, which could not be installed: only with stand-ins for what it uses (tests/test_stand_ins.py).

`TIDEMARK_URL` names `tidemark serve`, `TIDEMARK_TOKEN` its token, if it asks for one.
"""

import os
from datetime import datetime, timedelta, timezone

import dagster as dg

from tidemark_client import TidemarkClient, TidemarkError

TABLE = "lake.db.orders"
LOOK_BACK = timedelta(days=1)  # hours that change later than this are not read again
hours = dg.HourlyPartitionsDefinition(start_date="2026-01-01-00:00")


@dg.asset(partitions_def=hours)
def orders_report(context: dg.AssetExecutionContext) -> None:
    """Reads one complete hour of orders."""
    context.log.info("reading %s", context.partition_key)


def epoch_of(client: TidemarkClient) -> int:
    """How often the table was reset."""
    return next((table.get("epoch") or 0 for table in client.tables() if table.get("table") == TABLE), 0)


@dg.sensor(target=orders_report, minimum_interval_seconds=30)
def orders_complete(context: dg.SensorEvaluationContext):
    """One run for each hour, revision and epoch: the run key makes Dagster skip those it has had.

    After a rollback and its reset, revisions begin at 0 again, in a new epoch: those hours are read again.
    """
    client = TidemarkClient(os.environ["TIDEMARK_URL"], token=os.environ.get("TIDEMARK_TOKEN"))
    try:
        epoch = epoch_of(client)
        states = client.hours(TABLE, since=datetime.now(timezone.utc) - LOOK_BACK)
        if epoch_of(client) != epoch:
            return dg.SkipReason("the table was reset just now")
    except TidemarkError as e:
        return dg.SkipReason(str(e))
    key = f"epoch-{epoch}/r" if epoch else "r"
    requests = [
        dg.RunRequest(
            run_key=f"{hour.start.isoformat()}/{key}{hour.revision}",
            partition_key=hour.start.strftime("%Y-%m-%d-%H:%M"),
        )
        for hour in states
        if hour.is_final
    ]
    return requests or dg.SkipReason("no hour is complete yet")
