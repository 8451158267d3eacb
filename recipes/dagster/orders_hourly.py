"""Materializes an hourly asset once its hour is complete, and again if late rows came.

NOT RUN HERE with Dagster, which could not be installed: only with stand-ins for what it uses (tests/test_stand_ins.py).

`TIDEMARK_URL` names `tidemark serve`, `TIDEMARK_TOKEN` its token, if it asks for one.
"""

import os
from datetime import datetime, timedelta, timezone

import dagster as dg

from tidemark_client import TidemarkClient, TidemarkError

TABLE = "lake.db.orders"
LOOK_BACK = timedelta(days=1)
hours = dg.HourlyPartitionsDefinition(start_date="2026-01-01-00:00")


@dg.asset(partitions_def=hours)
def orders_report(context: dg.AssetExecutionContext) -> None:
    """Reads one complete hour of orders."""
    context.log.info("reading %s", context.partition_key)


@dg.sensor(target=orders_report, minimum_interval_seconds=30)
def orders_complete(context: dg.SensorEvaluationContext):
    """One run for each hour and revision: the run key makes Dagster skip those it has had."""
    client = TidemarkClient(os.environ["TIDEMARK_URL"], token=os.environ.get("TIDEMARK_TOKEN"))
    try:
        states = client.hours(TABLE, since=datetime.now(timezone.utc) - LOOK_BACK)
    except TidemarkError as e:
        return dg.SkipReason(str(e))
    requests = [
        dg.RunRequest(
            run_key=f"{hour.start.isoformat()}/r{hour.revision}",
            partition_key=hour.start.strftime("%Y-%m-%d-%H:%M"),
        )
        for hour in states
        if hour.is_final
    ]
    return requests or dg.SkipReason("no hour is complete yet")
