"""The reader of Iceberg metadata: each rule of docs/spec.md on metadata made by hand."""

import contextlib
import gzip
import io
import json
import tempfile
import unittest
from pathlib import Path

import tidemark_iceberg as ti
from tidemark_format import FormatError

HOUR = 3_600_000
DAY = 1_767_225_600_000  # 2026-01-01T00:00:00Z


def at(hour: float) -> int:
    return int(DAY + hour * HOUR)


def claims(watermark: float, **more) -> dict:
    return {
        "finalization.format": "1", "finalization.policy": "min;6;PT30M;PT1H", "finalization.evidence": "estimate",
        "finalization.from-ms": str(at(8)), "finalization.watermark-ms": str(at(watermark)),
        **{"finalization." + key.replace("_", "-"): value for key, value in more.items()},
    }


class Table:
    """Metadata under construction; snapshot n is committed at minute n."""

    def __init__(self):
        self.json = {"snapshots": [], "refs": {}, "properties": {}}

    def commit(self, summary: dict, parent=None, operation="append", branch="main", mirrored=True) -> int:
        identity = len(self.json["snapshots"]) + 1
        head = self.json["refs"].get(branch, {}).get("snapshot-id")
        snapshot = {"snapshot-id": identity, "timestamp-ms": at(12) + identity * 60_000,
                    "summary": {"operation": operation, **summary}}
        if parent or head:
            snapshot["parent-snapshot-id"] = parent or head
        self.json["snapshots"].append(snapshot)
        self.json["refs"][branch] = {"snapshot-id": identity, "type": "branch"}
        if "finalization.policy" in summary and mirrored and branch == "main":
            self.json["properties"] = {
                **{k: v for k, v in summary.items() if k not in ("finalization.format", "finalization.hold")},
                "finalization.snapshot-id": str(identity),
                "finalization.snapshot-time-ms": str(snapshot["timestamp-ms"]),
            }
        return identity

    def roll_back(self, snapshot: int):
        self.json["refs"]["main"]["snapshot-id"] = snapshot

    def expire(self, *snapshots: int):
        self.json["snapshots"] = [s for s in self.json["snapshots"] if s["snapshot-id"] not in snapshots]

    def read(self, branch="main") -> ti.Finality:
        return ti.from_metadata(json.loads(json.dumps(self.json)), branch)

    def answer(self, hour: float, revision=None) -> str:
        return self.read().answer(at(hour), at(hour + 1), revision).name


class ReaderTest(unittest.TestCase):
    def setUp(self):
        self.table = Table()
        self.table.commit(claims(10))
        self.table.commit(claims(11, hold="WARM_UP"))

    def test_answers(self):
        self.assertEqual([self.table.answer(hour) for hour in (7, 8, 10, 11)], ["UNKNOWN", "READY", "READY", "NOT_READY"])
        self.assertEqual(self.table.read().answer(at(11), at(12)).hold, "WARM_UP")
        self.assertEqual(self.table.read().answer(at(10.5), at(11.5)).name, "NOT_READY")
        self.assertEqual(self.table.read().answer_at(at(10.5)).name, "READY")

    def test_nothing_is_claimed_of_a_table_without_an_opinion(self):
        self.assertEqual(Table().read().answer(at(8), at(9)).name, "UNKNOWN")
        table = Table()
        table.commit({})
        self.assertEqual(table.answer(8), "UNKNOWN")
        self.assertEqual(table.read().answer_at(at(8)).name, "UNKNOWN")

    def test_empty_table_of_format_one_metadata(self):
        self.assertIsNone(ti.from_metadata({"current-snapshot-id": -1, "snapshots": [], "properties": {}}).opinion)

    def test_truth_wins_over_an_edited_property(self):
        self.table.json["properties"]["finalization.watermark-ms"] = str(at(20))
        self.assertEqual(self.table.answer(11), "NOT_READY")
        self.table.json["properties"]["finalization.snapshot-id"] = "soon"
        self.assertEqual(self.table.answer(10), "READY")

    def test_compaction_is_stepped_over_and_foreign_rows_are_named(self):
        self.table.commit({}, operation="replace")
        self.table.commit({}, operation="delete")
        self.assertEqual(self.table.read().unjudged, ())
        foreign = self.table.commit({})
        self.assertEqual(self.table.answer(10), "READY")
        self.assertEqual(self.table.read().unjudged, (foreign,))

    def test_rolled_back_table_is_revoked(self):
        self.table.roll_back(1)
        self.assertEqual([self.table.answer(hour) for hour in (8, 10, 11)], ["REVOKED"] * 3)

    def test_commits_after_a_rollback_do_not_hide_it(self):
        self.table.roll_back(1)
        self.table.commit(claims(10, hold="ROLLED_BACK"), mirrored=False)
        self.assertEqual(self.table.answer(8), "REVOKED")
        self.table.expire(2)
        self.assertEqual(self.table.answer(8), "REVOKED")

    def test_reset_ends_it(self):
        self.table.roll_back(1)
        self.table.commit(claims(10, epoch="1"))
        self.assertEqual((self.table.answer(8), self.table.answer(10)), ("READY", "NOT_READY"))

    def test_rollback_before_every_opinion_is_revoked(self):
        table = Table()
        table.commit({})
        table.commit(claims(10))
        table.roll_back(1)
        self.assertEqual(table.answer(8), "REVOKED")
        self.assertEqual(table.read().answer_at(at(8)).name, "REVOKED")

    def test_expired_carrier_leaves_the_mirror(self):
        self.table.commit({}, operation="replace")
        self.table.expire(1, 2)
        self.assertEqual((self.table.answer(10), self.table.answer(11)), ("READY", "NOT_READY"))
        self.assertEqual(self.table.read().snapshot_id, 2)

    def test_first_snapshot_ever_has_no_expired_ancestors(self):
        table = Table()
        table.commit({})
        table.json["properties"] = {**claims(10), "finalization.snapshot-id": "99", "finalization.snapshot-time-ms": "1"}
        self.assertEqual(table.answer(8), "REVOKED")

    def test_mirror_that_lags_changes_nothing(self):
        self.table.commit(claims(12), mirrored=False)
        self.assertEqual(self.table.answer(11), "READY")

    def test_branch_has_its_own_truth_and_no_mirror(self):
        self.table.commit(claims(14), parent=2, branch="audit")
        self.assertEqual(self.table.read("audit").answer(at(13), at(14)).name, "READY")
        self.assertEqual(self.table.answer(13), "NOT_READY")
        self.assertEqual(self.table.read("none").answer(at(8), at(9)).name, "UNKNOWN")

    def test_reopened_hours(self):
        seconds = at(9) // 1000
        self.table.commit(claims(12, reopened=f"{seconds}:7:2,3600:1:1"))
        answer = self.table.read().answer(at(9), at(11))
        self.assertEqual((answer.name, answer.late_rows, answer.revision), ("LATE_REOPENED", 8, 3))
        self.assertEqual(self.table.answer(9, revision=1), "LATE_REOPENED")
        self.assertEqual(self.table.answer(9, revision=2), "READY")
        self.assertEqual(self.table.answer(8), "READY")
        self.assertEqual(self.table.read().answer(at(9.5), at(10)).revision, 2)

    def test_rows_of_older_hours_may_be_of_any_of_them(self):
        self.table.commit(claims(12, reopened=f"+5,{at(10) // 1000}:1:1"))
        self.assertEqual((self.table.answer(8), self.table.answer(11)), ("LATE_REOPENED", "READY"))
        self.assertEqual(self.table.answer(8, revision=5), "READY")

    def test_newer_format_is_an_error(self):
        self.table.commit({**claims(12), "finalization.format": "2"})
        with self.assertRaisesRegex(FormatError, "format 2"):
            self.table.read()

    def test_spans_are_those_of_the_zone(self):
        self.assertEqual(ti.span("2026-01-01T19", "Asia/Seoul"), (at(10), at(11)))
        self.assertEqual(ti.span("2026-01-01"), (DAY, DAY + 24 * HOUR))
        start, end = ti.span("2026-03-29", "Europe/Berlin")
        self.assertEqual(end - start, 23 * HOUR)
        with self.assertRaisesRegex(ValueError, "expected: a day"):
            ti.span("yesterday")

    def test_program_answers_and_exits_like_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            metadata = Path(folder, "metadata")
            metadata.mkdir()
            (metadata / "version-hint.text").write_text("3")
            (metadata / "v3.gz.metadata.json").write_bytes(gzip.compress(json.dumps(self.table.json).encode()))
            for hour, name, status in (("10", "READY", 0), ("11", "NOT_READY", 1)):
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    self.assertEqual(ti.main([folder, f"2026-01-01T{hour}"]), status)
                self.assertEqual(json.loads(out.getvalue())["answer"], name)


if __name__ == "__main__":
    unittest.main()
