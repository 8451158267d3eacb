"""Sensor, trigger and Dagster's sensor with stand-ins for the base classes that they extend.

This shows that they call what they mean to call; not that Airflow and Dagster call them so.
"""

import asyncio
import importlib
import logging
import os
import sys
import threading
import time
import types
import unittest
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from unittest import mock

from tests.test_client import Scripted, said

RECIPES = Path(__file__).parent.parent


class Deferred(Exception):
    pass


class BaseSensorOperator:
    def __init__(self, *, task_id, timeout=60.0, poke_interval=5.0):
        self.task_id, self.timeout, self.poke_interval = task_id, timeout, poke_interval
        self.log = logging.getLogger("sensor")

    def execute(self, context):
        return self.poke(context).xcom_value

    def defer(self, *, timeout, trigger, method_name):
        raise Deferred(timeout, trigger, method_name)


class BaseTrigger:
    def __init__(self):
        self.log = logging.getLogger("trigger")


class TriggerEvent:
    def __init__(self, payload):
        self.payload = payload


class BaseHook:
    connection = None

    @classmethod
    def get_connection(cls, conn_id):
        return BaseHook.connection


class PokeReturnValue:
    def __init__(self, is_done, xcom_value=None):
        self.is_done, self.xcom_value = is_done, xcom_value


class AirflowException(Exception):
    pass


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    return made


STAND_INS = {
    "airflow": module("airflow"),
    "airflow.sdk": module("airflow.sdk", BaseHook=BaseHook, BaseSensorOperator=BaseSensorOperator, PokeReturnValue=PokeReturnValue),
    "airflow.configuration": module("c", conf=types.SimpleNamespace(getboolean=lambda *_, fallback: fallback)),
    "airflow.exceptions": module("e", AirflowException=AirflowException),
    "airflow.triggers": module("t"),
    "airflow.triggers.base": module("b", BaseTrigger=BaseTrigger, TriggerEvent=TriggerEvent),
}


class AirflowTest(unittest.TestCase):
    def setUp(self):
        patched = mock.patch.dict(sys.modules, STAND_INS)
        patched.start()
        self.addCleanup(patched.stop)
        self.addCleanup(setattr, sys, "path", list(sys.path))
        sys.path.insert(0, str(RECIPES / "airflow"))
        self.sensor = importlib.import_module("tidemark_sensor").TidemarkFinalitySensor

    def serve(self, *replies):
        server = Scripted(*[reply if isinstance(reply, tuple) else (200, {}, reply) for reply in replies])
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        BaseHook.connection = types.SimpleNamespace(
            host="127.0.0.1", port=server.server_address[1], schema=None, password="s3cret-s3cret-s3cret")
        return server

    def make(self, **more):
        return self.sensor(task_id="w", table="lake.db.t", through="2026-01-01T10", zone="Asia/Seoul", **more)

    def test_poke_asks_once(self):
        server = self.serve(said("NOT_READY"), said("LATE_REOPENED", revision=1, lateRows=3))
        self.assertFalse(self.make().poke({}).is_done)
        self.assertEqual(self.make().execute({})["revision"], 1)
        self.assertFalse(self.make(accept_reopened=False).poke({}).is_done)
        self.assertEqual(server.requests[0][1], {"through": "2026-01-01T10", "zone": "Asia/Seoul"})
        self.assertEqual(server.requests[0][2]["Authorization"], "Bearer s3cret-s3cret-s3cret")

    def test_what_is_ready_is_not_deferred(self):
        self.serve(said("READY", revision=0))
        self.assertEqual(self.make(deferrable=True).execute({})["answer"], "READY")

    def test_deferred_wait_ends_with_the_answer(self):
        self.serve(said("NOT_READY"), said("READY", revision=0))
        sensor = self.make(deferrable=True, timeout=7)
        with self.assertRaises(Deferred) as deferred:
            sensor.execute({})
        timeout, trigger, method = deferred.exception.args
        self.assertEqual((timeout, method), (timedelta(seconds=7), "execute_complete"))
        path, arguments = trigger.serialize()
        self.assertEqual(path, "tidemark_trigger.TidemarkFinalityTrigger")
        self.assertNotIn("s3cret", str(arguments))
        event = self.fired(type(trigger)(**arguments))
        self.assertEqual(sensor.execute_complete({}, event)["answer"], "READY")

    def test_deferred_wait_ends_with_what_cannot_be_waited_for(self):
        self.serve(said("NOT_READY"), (404, {}, {"detail": "Table lake.db.t is not served here"}))
        sensor = self.make(deferrable=True)
        with self.assertRaises(Deferred) as deferred:
            sensor.execute({})
        event = self.fired(deferred.exception.args[1])
        with self.assertRaisesRegex(AirflowException, "not served here"):
            sensor.execute_complete({}, event)

    def test_many_deferred_waits_share_a_few_threads_and_none_of_the_others(self):
        trigger = importlib.import_module("tidemark_trigger")
        at_once, most, polls, lock = [0], [0], [], threading.Lock()

        class Client:
            def __init__(self):
                self.asked = 0

            def poll(self, seconds, **question):
                with lock:
                    at_once[0] += 1
                    most[0] = max(most[0], at_once[0])
                    polls.append(seconds)
                time.sleep(0.001)
                with lock:
                    at_once[0] -= 1
                self.asked += 1
                done = self.asked == 3
                return (types.SimpleNamespace(raw={"answer": "READY"}) if done else None), "asked"

        class Taken(ThreadPoolExecutor):
            def submit(self, *_, **__):
                raise AssertionError("the default pool is for others")

        async def all_of(count):
            asyncio.get_running_loop().set_default_executor(Taken(1))

            async def one():
                waiting = trigger.TidemarkFinalityTrigger("lake.db.t", "2026-01-01T10", poke_interval=0.001)
                async for event in waiting.run():
                    return event.payload["status"]

            return await asyncio.gather(*(one() for _ in range(count)))

        with mock.patch.object(trigger.TidemarkHook, "get_conn", lambda _: Client()):
            self.assertEqual(asyncio.run(all_of(200)), ["success"] * 200)
        self.assertEqual(set(polls), {0})
        self.assertEqual(len(polls), 600)
        self.assertLessEqual(most[0], 8)

    def fired(self, trigger):
        async def first():
            async for event in trigger.run():
                return event.payload

        return asyncio.run(first())


class DagsterTest(unittest.TestCase):
    def test_each_hour_revision_and_epoch_is_one_run(self):
        hours = [
            {"start": f"2026-01-01T{hour}:00:00Z", "end": f"2026-01-01T{hour + 1}:00:00Z", "state": state, **more}
            for hour, state, more in ((10, "final", {"revision": 0}), (11, "reopened", {"revision": 2, "lateRows": 9}),
                                      (12, "open", {}), (13, "revoked", {}))
        ]
        def tables(epoch):
            return 200, {}, {"tables": [{"table": "lake.db.other", "epoch": 7}, {"table": "lake.db.orders", "epoch": epoch}]}

        found = 200, {}, {"hours": hours}
        server = Scripted(
            tables(0), found, tables(0), tables(1), found, tables(1), tables(1), found, tables(2), (401, {}, {"detail": "no token"}))
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        dagster = module(
            "dagster", AssetExecutionContext=object, SensorEvaluationContext=object, SkipReason=str,
            HourlyPartitionsDefinition=lambda start_date: start_date, asset=lambda **_: lambda f: f,
            sensor=lambda **_: lambda f: f, RunRequest=lambda run_key, partition_key: (run_key, partition_key),
        )
        with mock.patch.dict(sys.modules, {"dagster": dagster}), mock.patch.dict(os.environ, TIDEMARK_URL=server.url):
            sys.path.insert(0, str(RECIPES / "dagster"))
            try:
                recipe = importlib.import_module("orders_hourly")
            finally:
                sys.path.pop(0)
            self.assertEqual(recipe.orders_complete(None), [
                ("2026-01-01T10:00:00+00:00/r0", "2026-01-01-10:00"),
                ("2026-01-01T11:00:00+00:00/r2", "2026-01-01-11:00"),
            ])
            self.assertEqual(recipe.orders_complete(None), [
                ("2026-01-01T10:00:00+00:00/epoch-1/r0", "2026-01-01-10:00"),
                ("2026-01-01T11:00:00+00:00/epoch-1/r2", "2026-01-01-11:00"),
            ])
            self.assertIn("reset just now", recipe.orders_complete(None))
            self.assertIn("no token", recipe.orders_complete(None))


if __name__ == "__main__":
    unittest.main()
