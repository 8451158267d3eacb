"""Another engine reads and writes format 1: the examples of docs/spec.md, and the images that Java keeps."""

import base64
import re
import unittest
from pathlib import Path

import tidemark_format as tf

ROOT = Path(__file__).parent.parent.parent
SPEC = (ROOT / "docs" / "spec.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"<!-- example: ([a-z-]+) -->\n```[a-z]*\n(.*?)```\n", SPEC, re.DOTALL))
IMAGES = ROOT / "finalization-core/src/test/resources/format-1"
T = 1_767_265_200_000


def properties(text: str) -> dict:
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))


def image(name: str) -> str:
    return base64.urlsafe_b64encode(bytes.fromhex((IMAGES / name).read_text().strip())).decode().rstrip("=")


class FormatTest(unittest.TestCase):
    def test_summary_of_the_specification(self):
        summary = properties(EXAMPLES["summary"])
        opinion = tf.read_opinion(summary)
        self.assertEqual((opinion.from_ms, opinion.watermark_ms), (T - 86_400_000, T))
        self.assertEqual(tf.instant(opinion.watermark_ms), summary["finalization.watermark"])
        self.assertEqual(opinion.hold, tf.Hold("WRITER_BEHIND", ("returns",)))
        self.assertEqual(str(opinion.hold), summary["finalization.hold"])
        self.assertEqual(opinion.writers, {"orders": T, "returns": None})
        self.assertEqual(tf.write_writers(opinion.writers), summary["finalization.writers"])
        self.assertEqual(opinion.reopened.by_start[T - 7_200_000], tf.Reopened(7, 2))
        self.assertEqual(tf.write_reopened(opinion.reopened), summary["finalization.reopened"])
        late = tf.read_late(summary["finalization.late"])
        self.assertEqual(sum(late.by_start.values()), 4)
        self.assertEqual(tf.write_late(late), summary["finalization.late"])
        windows = tf.read_windows(summary["finalization.window"])
        self.assertEqual(windows["orders"].runs[0], tf.Run(3, T + 3_600_000, T - 600_000))
        self.assertEqual(tf.write_windows(windows), summary["finalization.window"])
        coverage = tf.Coverage.read(summary["finalization.coverage"])
        self.assertEqual(coverage.partitions["orders-0"], tf.Progress(1000, 1010, T, T - 500, None, T, 41))
        self.assertEqual(coverage.write(), summary["finalization.coverage"])
        digest = tf.Digest.read(summary["finalization.event-time.digest"])
        self.assertEqual(digest.count, tf.number(summary, "event-time.count"))
        self.assertEqual((digest.min_ms, digest.max_ms), (T, T + 3_599_999))
        self.assertEqual(digest.write(), summary["finalization.event-time.digest"])

    def test_other_examples_of_the_specification(self):
        self.assertEqual(tf.read_opinion(properties(EXAMPLES["mirror"])).watermark_ms, T)
        for line in EXAMPLES["policies"].splitlines():
            self.assertEqual(tf.Policy.read(line).name, re.match("[a-z-]+", line)[0])
        lists = dict(re.split(" {2,}", line) for line in EXAMPLES["lists"].splitlines())
        self.assertEqual(tf.read_late(lists["late, older summed"]), ({T - 7_200_000: 7}, 12))
        for name, (reads, writes) in {
            "late": (tf.read_late, tf.write_late),
            "late, older summed": (tf.read_late, tf.write_late),
            "reopened": (tf.read_reopened, tf.write_reopened),
        }.items():
            self.assertEqual(writes(reads(lists[name])), lists[name])

    def test_images_of_java(self):
        opinion = properties((IMAGES / "opinion.properties").read_text())
        self.assertEqual(tf.write_windows(tf.read_windows(opinion["finalization.window"])), opinion["finalization.window"])
        self.assertTrue(tf.read_opinion(opinion).bootstrap_pending)
        for kind, name in ((tf.Digest, "sketch.hex"), (tf.Digest, "sketch-empty.hex"), (tf.Coverage, "coverage.hex")):
            self.assertEqual(kind.read(image(name)).write(), image(name))
        self.assertEqual(len(tf.Digest.read(image("sketch.hex")).centroids), 60)
        self.assertEqual(tf.Coverage.read(image("coverage.hex")).expected, 100)

    def test_hold_reasons_are_those_of_the_specification(self):
        self.assertEqual(tuple(re.findall(r"^\| `([A-Z_]+)` \|", SPEC.split("### Hold")[1].split("## Iceberg")[0], re.M)), tf.HOLDS)

    def test_newer_format_is_refused(self):
        with self.assertRaisesRegex(tf.FormatError, "format 2"):
            tf.read_opinion({"finalization.policy": "min;6;PT30M;PT1H", "finalization.format": "2"})

    def test_what_is_not_of_its_form_is_refused(self):
        for reads, text in (
            (tf.Digest.read, "Ag"), (tf.Digest.read, "AQ"), (tf.Digest.read, "A Q"), (tf.Digest.read, "AQAA"),
            (tf.Coverage.read, "AQAB"), (tf.Window.read, "AQ"), (tf.Policy.read, "min"), (tf.Policy.read, "min;x;PT0S;PT1H"),
            (tf.Policy.read, "min;1;PT0S;PT7H"), (tf.Policy.read, "min;1;PT0S;P1D@Mars/Base"), (tf.Policy.read, "p99;1;PT0S;PT1H"),
            (tf.Policy.read, "quantile;1;PT0S;PT1H"), (tf.Hold.read, "LAZY"), (tf.Hold.read, "WARM_UP(a"),
            (tf.read_late, "1"), (tf.read_late, "1:x"), (tf.read_reopened, "1:2"), (tf.read_writers, "orders"),
            (tf.read_writers, "orders=soon"), (tf.read_windows, "=AQ"), (tf.read_duration, "P"), (tf.read_duration, "PT"),
        ):
            with self.assertRaises(tf.FormatError, msg=text):
                reads(text)

    def test_durations(self):
        for text, millis in (("PT30M", 1_800_000), ("P1D", 86_400_000), ("PT1H30M", 5_400_000), ("PT0S", 0), ("PT0.5S", 500), ("PT-1.5S", -1500)):
            self.assertEqual(tf.read_duration(text), millis)

    def test_granules_of_zones(self):
        berlin = tf.Granularity.read("P1D@Europe/Berlin")
        start = berlin.floor(1_774_753_200_000)  # 2026-03-29T03:00Z: a day of 23 hours
        self.assertEqual((berlin.next(start) - start) // 3_600_000, 23)
        quarter = tf.Granularity.read("PT15M")
        self.assertEqual((quarter.floor(T + 1), quarter.next(T + 1)), (T, T + 900_000))
        self.assertEqual(quarter.floor(-1), -900_000)


if __name__ == "__main__":
    unittest.main()
