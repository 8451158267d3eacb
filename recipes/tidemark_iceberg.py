"""The finality of an Iceberg table from its metadata alone: no service, no library.

    python3 tidemark_iceberg.py /lake/db/orders 2026-01-01T10
    python3 tidemark_iceberg.py /lake/db/orders/metadata/v7.metadata.json 2026-01-01 --zone Asia/Seoul

Reads a metadata file (or a directory of a Hadoop catalog), walks the ancestry of the head, and gives
the five answers of docs/spec.md. What it cannot tell: which hours foreign commits reach into. Their
files have bounds for that, in manifests, which are Avro; it names those commits instead
(`unjudged`), and `tidemark check` or the Spark recipe judge them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Mapping, Optional
from zoneinfo import ZoneInfo

from tidemark_format import PREFIX, FormatError, Opinion, Reopened, _millis, instant, number, read_opinion


@dataclass(frozen=True)
class Answer:
    """READY, NOT_READY, LATE_REOPENED, REVOKED or UNKNOWN."""

    name: str
    revision: Optional[int] = None
    late_rows: Optional[int] = None
    hold: Optional[str] = None


@dataclass(frozen=True)
class Finality:
    """What a branch says.

    `opinion` is None where nothing is claimed; `snapshot_id` is the snapshot that carries it, or did
    before it expired; `unjudged` are newer commits of others that may have brought rows of any time.
    """

    opinion: Optional[Opinion]
    revoked: bool
    snapshot_id: Optional[int]
    unjudged: tuple[int, ...] = ()

    def answer_at(self, time_ms: int, revision: Optional[int] = None) -> Answer:
        """The answer for the table's own granule that holds this time."""
        if self.opinion is None:
            return Answer("REVOKED" if self.revoked else "UNKNOWN")
        granularity = self.opinion.policy.granularity
        return self.answer(granularity.floor(time_ms), granularity.next(time_ms), revision)

    def answer(self, start_ms: int, end_ms: int, revision: Optional[int] = None) -> Answer:
        """The answer for the event times of [start, end), to somebody who has read this revision."""
        opinion = self.opinion
        if self.revoked:
            return Answer("REVOKED")
        if opinion is None or opinion.from_ms is None or start_ms < opinion.from_ms:
            return Answer("UNKNOWN")
        if opinion.watermark_ms is None or end_ms > opinion.watermark_ms:
            return Answer("NOT_READY", hold=None if opinion.hold is None else str(opinion.hold))
        first = opinion.policy.granularity.floor(start_ms)
        granules: Mapping[int, Reopened] = opinion.reopened.by_start
        inside = [granule for start, granule in granules.items() if first <= start < end_ms]
        rows, now = sum(g.rows for g in inside), sum(g.revision for g in inside)
        older = opinion.reopened.older_rows
        if older and granules and first < min(granules):
            rows, now = max(rows, older), max(now, older)
        if now == 0 or (revision is not None and revision >= now):
            return Answer("READY", revision=now)
        return Answer("LATE_REOPENED", revision=now, late_rows=rows)


def finality(
    snapshots: Mapping[int, Mapping[str, Any]],
    head: Optional[int],
    properties: Mapping[str, str],
) -> Finality:
    """Reads a branch.

    `snapshots` by id, each with `parent`, `time_ms`, `operation` and `summary`; `properties` are the
    table's for main, and none for any other branch: the mirror belongs to main.
    """
    ancestry = []
    while head is not None and head in snapshots:
        ancestry.append(head)
        head = snapshots[head]["parent"]
    carrier, opinion, foreign = None, None, []
    for snapshot in ancestry:
        opinion = read_opinion(snapshots[snapshot]["summary"])
        if opinion is not None:
            carrier = snapshot
            break
        if snapshots[snapshot]["operation"] not in ("replace", "delete"):
            foreign.append(snapshot)
    mirror = {key: value for key, value in properties.items() if key.startswith(PREFIX)}
    shown, published = _shown(mirror, "snapshot-id"), _shown(mirror, "watermark-ms")
    rolled_back = shown is not None and not _descends(snapshots, ancestry, mirror, shown, opinion)
    held = opinion.watermark_ms if opinion else None
    revoked = rolled_back and published is not None and (held is None or published > held)
    if carrier is None and shown is not None and not rolled_back and ancestry:
        opinion = read_opinion(mirror)  # the snapshots that carried it have expired
        carrier = shown if opinion else None
    judged = opinion is None or opinion.watermark_ms is None
    return Finality(opinion, revoked, carrier, () if judged else tuple(foreign))


def _shown(mirror: Mapping[str, str], key: str) -> Optional[int]:
    """Anybody may write properties: what is no number is as good as absent."""
    try:
        return number(mirror, key)
    except FormatError:
        return None


def _descends(snapshots, ancestry, mirror, shown: int, opinion: Optional[Opinion]) -> bool:
    """Whether the mirror's snapshot is on the ancestry, or was and has expired."""
    if shown in ancestry:
        return True
    if shown in snapshots or not ancestry:
        return False
    oldest = snapshots[ancestry[-1]]
    time, published = _shown(mirror, "snapshot-time-ms"), _shown(mirror, "watermark-ms")
    if oldest["parent"] is None or time is None or time > oldest["time_ms"]:
        return False
    if opinion is None:
        return True
    says_so = opinion.hold is not None and opinion.hold.reason == "ROLLED_BACK"
    behind = published is not None and (opinion.watermark_ms is None or opinion.watermark_ms < published)
    return not says_so and not behind


def from_metadata(metadata: Mapping[str, Any], branch: str = "main") -> Finality:
    """Reads a branch from the JSON of a table's metadata file."""
    snapshots = {}
    for snapshot in metadata.get("snapshots") or []:
        summary = dict(snapshot.get("summary") or {})
        snapshots[snapshot["snapshot-id"]] = {
            "parent": snapshot.get("parent-snapshot-id"),
            "time_ms": snapshot["timestamp-ms"],
            "operation": summary.get("operation"),
            "summary": summary,
        }
    ref = (metadata.get("refs") or {}).get(branch)
    head = ref["snapshot-id"] if ref else None
    if head is None and branch == "main":
        current = metadata.get("current-snapshot-id")
        head = None if current in (None, -1) else current
    return finality(snapshots, head, metadata.get("properties") or {} if branch == "main" else {})


def load(path: str) -> dict[str, Any]:
    """The metadata at a path: a metadata file, or the directory of a table in a Hadoop catalog."""
    file = Path(path)
    if file.is_dir():
        folder = file / "metadata" if (file / "metadata").is_dir() else file
        version = (folder / "version-hint.text").read_text(encoding="ascii").strip()
        names = [f"v{version}.metadata.json", f"v{version}.gz.metadata.json"]
        file = next((folder / name for name in names if (folder / name).exists()), folder / names[0])
    data = file.read_bytes()
    return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


def span(text: str, zone: str = "UTC") -> tuple[int, int]:
    """A day 2026-01-01 or an hour 2026-01-01T10 of a zone, as [start, end) in milliseconds."""
    for pattern in ("%Y-%m-%d", "%Y-%m-%dT%H"):
        try:
            local = datetime.strptime(text, pattern)
        except ValueError:
            continue
        where = timezone.utc if zone == "UTC" else ZoneInfo(zone)
        start = _millis(local.replace(tzinfo=where))
        if pattern == "%Y-%m-%d":
            return start, _millis((local + timedelta(days=1)).replace(tzinfo=where))
        return start, start + 3_600_000
    raise ValueError(f"Invalid time: {text} (expected: a day 2026-01-01 or an hour 2026-01-01T10)")


def main(arguments: Optional[list[str]] = None) -> int:
    parser = argparse.ArgumentParser(description="Whether an hour or a day of an Iceberg table is complete.")
    parser.add_argument("metadata", help="a metadata file, or the directory of a table in a Hadoop catalog")
    parser.add_argument("through", help="a day 2026-01-01 or an hour 2026-01-01T10")
    parser.add_argument("--zone", default="UTC")
    parser.add_argument("--branch", default="main")
    parser.add_argument("--revision", type=int, help="the revision that you have read already")
    given = parser.parse_args(arguments)
    table = from_metadata(load(given.metadata), given.branch)
    answer = table.answer(*span(given.through, given.zone), given.revision)
    opinion = table.opinion
    print(json.dumps({
        "answer": answer.name, "revision": answer.revision, "lateRows": answer.late_rows, "hold": answer.hold,
        "watermark": instant(opinion.watermark_ms) if opinion else None,
        "from": instant(opinion.from_ms) if opinion else None,
        "snapshotId": None if table.snapshot_id is None else str(table.snapshot_id),
        "unjudged": [str(snapshot) for snapshot in table.unjudged],
    }))
    return {"READY": 0, "LATE_REOPENED": 5, "REVOKED": 5}.get(answer.name, 4 if opinion is None else 1)


if __name__ == "__main__":
    sys.exit(main())
