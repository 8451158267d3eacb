"""The client against the real `tidemark serve`, and the metadata reader beside it: RecipesITCase of module cli
starts the server over real tables and runs this; by hand there is no server, and it is skipped."""

import json
import os
import time
import unittest

import tidemark_client as tc
import tidemark_format as tf
import tidemark_iceberg as ti

FORMS = {
    "finalization.event-time.digest": (tf.Digest.read, tf.Digest.write),
    "finalization.window": (tf.read_windows, tf.write_windows),
    "finalization.writers": (tf.read_writers, tf.write_writers),
    "finalization.late": (tf.read_late, tf.write_late),
    "finalization.reopened": (tf.read_reopened, tf.write_reopened),
    "finalization.hold": (tf.Hold.read, str),
}
GIVEN = json.loads(os.environ.get("TIDEMARK_TEST", "{}"))


@unittest.skipUnless(GIVEN, "needs the server that RecipesITCase starts")
class ServeTest(unittest.TestCase):
    def setUp(self):
        os.environ["no_proxy"] = "127.0.0.1,localhost"
        self.client = tc.TidemarkClient(GIVEN["url"], token=GIVEN["token"])

    def test_answers_of_real_tables(self):
        self.assertGreater(len(GIVEN["cases"]), 10)
        for case in GIVEN["cases"]:
            with self.subTest(**case):
                question = (case["through"], case["zone"], case["revision"])
                answer = self.client.finality("lake.db." + case["table"], *question)
                self.assertEqual(answer.name, case["answer"])
                own = ti.from_metadata(ti.load(os.path.join(GIVEN["lake"], "db", case["table"])))
                read = own.answer(*ti.span(case["through"], case["zone"]), case["revision"])
                if case["table"] == "foreign":
                    self.assertEqual((read.name, len(own.unjudged)), ("READY", 1))
                    continue
                self.assertEqual(read.name, case["answer"])
                self.assertEqual((read.revision, read.late_rows), (answer.revision, answer.late_rows))
                shown = None if own.snapshot_id is None else str(own.snapshot_id)
                self.assertEqual(shown, answer.snapshot_id)

    def test_any_history_is_read_as_java_reads_it(self):
        answers = set()
        for history in GIVEN["histories"]:
            with self.subTest(**history):
                table = ti.from_metadata(ti.load(os.path.join(GIVEN["lake"], "db", history["table"])))
                for hour, java in enumerate(history["answers"], 6):
                    own = table.answer(*ti.span(f"2026-01-01T{hour:02}")).name
                    may_differ = table.unjudged and own == "READY" and java == "LATE_REOPENED"
                    self.assertEqual(own, java if not may_differ else own)
                    answers.add(own)
        self.assertLessEqual({tc.READY, tc.NOT_READY}, answers)

    def test_summaries_of_real_tables_are_read_and_written(self):
        written = 0
        for table in {case["table"] for case in GIVEN["cases"]}:
            for snapshot in ti.load(os.path.join(GIVEN["lake"], "db", table)).get("snapshots", []):
                for key, value in snapshot["summary"].items():
                    reads, writes = FORMS.get(key, (str, str))
                    self.assertEqual(writes(reads(value)), value, key)
                    written += key in FORMS
        self.assertGreater(written, 20)

    def test_a_waiting_client_is_released_by_the_commit(self):
        # The first by its name: the commit is made as soon as anybody waits.
        self.assertEqual(self.client.finality(**GIVEN["release"]).name, tc.NOT_READY)
        asked = time.monotonic()
        answer = self.client.wait_until_ready(**GIVEN["release"], wait=60, timeout=120)
        self.assertLess(time.monotonic() - asked, 50, "seconds: the end of the wait has released it")
        self.assertTrue(answer.is_ready)
        self.assertEqual(answer.watermark, "2026-01-01T13:00:00Z")

    def test_wait_for_what_stays_is_over_in_time(self):
        with self.assertRaises(tc.WaitTimeout) as over:
            self.client.wait_until_ready("lake.db.back", "2026-01-01T11", timeout=0.5)
        self.assertEqual(over.exception.answer.name, "REVOKED")

    def test_known_answer_is_held_and_read_again(self):
        known = self.client.finality("lake.db.events", "2026-01-01T10")
        again = self.client.finality("lake.db.events", "2026-01-01T10", wait=0.2, etag=known.etag)
        self.assertEqual((again.name, again.etag), (known.name, known.etag))

    def test_hours_and_tables(self):
        states = {hour.start.hour: hour.state for hour in self.client.hours("lake.db.events", since="2026-01-01T09")}
        self.assertEqual([states[hour] for hour in (10, 11, 12)], ["final", "reopened", "open"])
        self.assertIn("lake.db.events", [table["table"] for table in self.client.tables()])

    def test_problems_are_those_of_the_server(self):
        with self.assertRaisesRegex(tc.InvalidRequest, "expected: a day 2026-01-01"):
            self.client.finality("lake.db.events", "yesterday")
        with self.assertRaisesRegex(tc.InvalidRequest, "Asia/Seoul"):
            self.client.finality("lake.db.events", "2026-01-01", zone="Mars")
        with self.assertRaisesRegex(tc.NoSuchTable, "is not served here"):
            self.client.finality("lake.db.nothing", "2026-01-01")
        with self.assertRaises(tc.NotAllowed):
            tc.TidemarkClient(GIVEN["url"], token="wrong-wrong-wrong-wrong").tables()
        with self.assertRaises(tc.NotAllowed):
            tc.TidemarkClient(GIVEN["url"]).tables()


if __name__ == "__main__":
    unittest.main()
