"""Values of finalization format 1, read and written with the standard library alone.

What docs/spec.md says, as code: an independent reader and writer beside the Java one. Times are epoch
milliseconds, UTC. Everything that cannot be read raises FormatError; nothing is half-read.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Mapping, NamedTuple, Optional
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

FORMAT = 1
PREFIX = "finalization."
HOLDS = (
    "WARM_UP", "INSIDE_GRANULE", "LATE_DATA", "NO_DATA", "IDLE_SOURCE", "SOURCE_BEHIND",
    "WRITER_BEHIND", "FOREIGN_COMMIT", "BOOTSTRAP_PENDING", "ROLLED_BACK", "CLOCK",
)
DAY_MS = 86_400_000
_MASK = (1 << 64) - 1


class FormatError(ValueError):
    """A value is not what format 1 says; or a newer format wrote it."""


# --- bytes -----------------------------------------------------------------------------------------


class _Reader:
    def __init__(self, subject: str, text: str):
        self.subject = subject
        self.at = 0
        try:
            if not re.fullmatch(r"[A-Za-z0-9_-]*=*", text):
                raise ValueError("not URL-safe")
            self.data = base64.urlsafe_b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))
        except (binascii.Error, ValueError) as e:
            raise FormatError(f"Cannot read {subject}: not URL-safe Base64: {text}") from e

    def error(self, what: str) -> FormatError:
        return FormatError(f"Cannot read {self.subject} at byte {self.at} of {len(self.data)}: {what}")

    def byte(self) -> int:
        if self.at >= len(self.data):
            raise self.error("the bytes end too early")
        self.at += 1
        return self.data[self.at - 1]

    def version(self) -> None:
        version = self.byte()
        if version != 1:
            raise self.error(f"version {version} (expected: 1)")

    def unsigned(self) -> int:
        value = 0
        for shift in range(0, 64, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if not byte & 0x80:
                return value & _MASK
        raise self.error("an integer is longer than ten bytes")

    def signed(self) -> int:
        raw = self.unsigned()
        return (raw >> 1) ^ -(raw & 1)

    def count(self) -> int:
        count = self.unsigned()
        if count > len(self.data) - self.at:
            raise self.error(f"count {count} with {len(self.data) - self.at} bytes left")
        return count

    def string(self) -> str:
        length = self.count()
        self.at += length
        try:
            return self.data[self.at - length : self.at].decode("utf-8")
        except UnicodeDecodeError as e:
            raise self.error("a name is not UTF-8") from e

    def end(self) -> None:
        if self.at != len(self.data):
            raise self.error(f"{len(self.data) - self.at} bytes are left over")


class _Writer:
    def __init__(self) -> None:
        self.data = bytearray()

    def byte(self, value: int) -> "_Writer":
        self.data.append(value)
        return self

    def unsigned(self, value: int) -> "_Writer":
        value &= _MASK
        while value > 0x7F:
            self.data.append(value & 0x7F | 0x80)
            value >>= 7
        self.data.append(value)
        return self

    def signed(self, value: int) -> "_Writer":
        return self.unsigned((value << 1) ^ (value >> 63))

    def string(self, value: str) -> "_Writer":
        data = value.encode("utf-8")
        self.unsigned(len(data))
        self.data += data
        return self

    def text(self) -> str:
        return base64.urlsafe_b64encode(bytes(self.data)).decode("ascii").rstrip("=")


# --- digest ----------------------------------------------------------------------------------------


class Digest(NamedTuple):
    """`finalization.event-time.digest`: centroids are (mean, weight), ascending."""

    count: int
    min_ms: Optional[int] = None
    max_ms: Optional[int] = None
    centroids: tuple[tuple[int, int], ...] = ()

    @staticmethod
    def read(text: str) -> "Digest":
        r = _Reader("event-time sketch", text)
        r.version()
        count = r.unsigned()
        if count == 0:
            r.end()
            return Digest(0)
        low = r.signed()
        high = low + r.unsigned()
        mean, centroids = low, []
        for _ in range(r.count()):
            mean += r.unsigned()
            centroids.append((mean, r.unsigned()))
        r.end()
        if mean > high or any(weight < 1 for _, weight in centroids) or sum(w for _, w in centroids) != count:
            raise r.error("centroids do not add up")
        return Digest(count, low, high, tuple(centroids))

    def write(self) -> str:
        w = _Writer().byte(1).unsigned(self.count)
        if self.count:
            w.signed(self.min_ms).unsigned(self.max_ms - self.min_ms).unsigned(len(self.centroids))
            previous = self.min_ms
            for mean, weight in self.centroids:
                w.unsigned(mean - previous).unsigned(weight)
                previous = mean
        return w.text()


# --- coverage --------------------------------------------------------------------------------------


class Progress(NamedTuple):
    """One partition of the source; None for what is not known."""

    next_offset: Optional[int] = None
    end_offset: Optional[int] = None
    sampled_at_ms: Optional[int] = None
    max_event_time_ms: Optional[int] = None
    promised_ms: Optional[int] = None
    delivered_at_ms: Optional[int] = None
    delivered_commit: Optional[int] = None


_TIMES = (2, 3, 4, 5)


@dataclass(frozen=True)
class Coverage:
    """`finalization.coverage`; lists fewer than `expected` partitions where it is abridged."""

    expected: int
    partitions: Mapping[str, Progress]

    @staticmethod
    def read(text: str) -> "Coverage":
        r = _Reader("source coverage", text)
        r.version()
        expected, listed = r.unsigned(), r.count()
        topic, base, partitions = "", 0, {}
        for _ in range(listed):
            topic = r.string() or topic
            name = topic + r.string()
            present = r.byte()
            if present > 0x7F:
                raise r.error(f"fields {present} (expected: less than 128)")
            numbers: list[Optional[int]] = [None] * 7
            running = base
            for i in range(7):
                if present >> i & 1:
                    origin = running if i in _TIMES else (numbers[0] or 0) if i == 1 else 0
                    numbers[i] = r.signed() + origin
                    running = numbers[i] if i in _TIMES else running
            base = next((numbers[i] for i in _TIMES if numbers[i] is not None), base)
            partitions[name] = Progress(*numbers)
        r.end()
        if expected < listed or len(partitions) != listed:
            raise r.error(f"{expected} expected partitions, {len(partitions)} of {listed} listed")
        return Coverage(expected, partitions)

    def write(self) -> str:
        w = _Writer().byte(1).unsigned(self.expected).unsigned(len(self.partitions))
        previous, base = "", 0
        for name in sorted(self.partitions):
            p = self.partitions[name]
            cut = name.rfind("-") + 1 or len(name)
            w.string("" if name[:cut] == previous else name[:cut]).string(name[cut:])
            previous = name[:cut]
            w.byte(sum(1 << i for i in range(7) if p[i] is not None))
            running = base
            for i in range(7):
                if p[i] is not None:
                    w.signed(p[i] - (running if i in _TIMES else (p[0] or 0) if i == 1 else 0))
                    running = p[i] if i in _TIMES else running
            base = next((p[i] for i in _TIMES if p[i] is not None), base)
        return w.text()


# --- lists of granules -----------------------------------------------------------------------------


class Reopened(NamedTuple):
    rows: int
    revision: int


class Granules(NamedTuple):
    """Values by granule start, and the rows of older granules that are no longer told apart."""

    by_start: dict
    older_rows: int = 0


def _number(text: str, what: str) -> int:
    if not re.fullmatch(r"-?\d{1,19}", text):
        raise FormatError(f"Invalid {what}: {text} (expected: a whole number)")
    return int(text)


def _read_list(text: str) -> tuple[list[tuple[int, str]], int]:
    items, older, seconds = [], 0, 0
    for part in text.split(",") if text else []:
        if part.startswith("+"):
            older = _number(part[1:], "list of granules")
            continue
        start, colon, value = part.partition(":")
        if not colon:
            raise FormatError(f"Invalid list of granules: {text} (expected: such as 979142400:7,3600:5)")
        seconds += _number(start, "list of granules")
        items.append((seconds * 1000, value))
    return items, older


def _write_list(items: Mapping[int, str], older: int) -> str:
    parts, previous = [f"+{older}"] if older else [], 0
    for start in sorted(items):
        parts.append(f"{start // 1000 - previous}:{items[start]}")
        previous = start // 1000
    return ",".join(parts)


def read_late(text: str) -> Granules:
    """`finalization.late`, `finalization.late-foreign`: rows by granule start."""
    items, older = _read_list(text)
    return Granules({start: _number(rows, "list of granules") for start, rows in items}, older)


def write_late(late: Granules) -> str:
    return _write_list({start: str(rows) for start, rows in late.by_start.items()}, late.older_rows)


def read_reopened(text: str) -> Granules:
    """`finalization.reopened`: Reopened by granule start."""
    items, older = _read_list(text)
    found = {}
    for start, value in items:
        rows, colon, revision = value.partition(":")
        if not colon:
            raise FormatError(f"Invalid list of granules: {text} (expected: start:rows:revision)")
        found[start] = Reopened(_number(rows, "list of granules"), _number(revision, "list of granules"))
    return Granules(found, older)


def write_reopened(reopened: Granules) -> str:
    return _write_list(
        {start: f"{r.rows}:{r.revision}" for start, r in reopened.by_start.items()}, reopened.older_rows
    )


# --- policy, granules, hold ------------------------------------------------------------------------

_DURATION = re.compile(r"P(?:(-?\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?\d+)(?:\.(\d{1,9}))?S)?)?")


def read_duration(text: str) -> int:
    """An ISO-8601 duration of days to seconds, in milliseconds: PT30M, P1D, PT1H30M, PT0.5S."""
    match = _DURATION.fullmatch(text)
    if not match or text.endswith(("P", "T")):
        raise FormatError(f"Invalid duration: {text} (expected: such as PT30M)")
    days, hours, minutes, seconds, fraction = match.groups()
    whole = int(days or 0) * 86_400 + int(hours or 0) * 3_600 + int(minutes or 0) * 60 + int(seconds or 0)
    millis = int((fraction or "").ljust(3, "0")[:3] or 0)
    return whole * 1000 + (-millis if (seconds or "").startswith("-") else millis)


@dataclass(frozen=True)
class Granularity:
    """The slices that become final: of one length, aligned to the UTC day; or the days of a zone."""

    text: str
    length_ms: int
    zone: Optional[ZoneInfo] = None

    @staticmethod
    def read(text: str) -> "Granularity":
        if not text.startswith("P1D@"):
            length = read_duration(text)
            if not 1000 <= length <= DAY_MS or DAY_MS % length:
                raise FormatError(f"Invalid granularity: {text} (expected: a divisor of a day)")
            return Granularity(text, length)
        try:
            return Granularity(text, DAY_MS, ZoneInfo(text[4:]))
        except (ZoneInfoNotFoundError, ValueError) as e:
            raise FormatError(f"Invalid granularity: {text} (the time zone is not known here)") from e

    def _day(self, time_ms: int) -> datetime:
        local = datetime.fromtimestamp(time_ms / 1000, self.zone)
        day = local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
        later = day + timedelta(days=1)
        return later if _millis(later) <= time_ms else day

    def floor(self, time_ms: int) -> int:
        """The start of the granule that holds this time."""
        return _millis(self._day(time_ms)) if self.zone else time_ms - time_ms % self.length_ms

    def next(self, time_ms: int) -> int:
        """Its end, exclusive."""
        if self.zone:
            return _millis(self._day(time_ms) + timedelta(days=1))
        return self.floor(time_ms) + self.length_ms


def _millis(moment: datetime) -> int:
    epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
    return (moment.astimezone(timezone.utc) - epoch) // timedelta(milliseconds=1)


def instant(millis: Optional[int]) -> Optional[str]:
    """ISO-8601 in UTC, as `finalization.watermark` has it."""
    if millis is None:
        return None
    moment = datetime(1970, 1, 1) + timedelta(milliseconds=millis)
    return moment.isoformat(timespec="milliseconds" if millis % 1000 else "seconds") + "Z"


class Policy(NamedTuple):
    """`finalization.policy`: name, argument, lookback and granularity."""

    name: str
    argument: Optional[str]
    lookback_commits: int
    lookback_span_ms: int
    granularity: Granularity

    @staticmethod
    def read(text: str) -> "Policy":
        parts = text.split(";")
        name, _, argument = parts[0].partition(":")
        takes_argument = name in ("quantile", "bounded-lateness")
        if len(parts) != 4 or takes_argument != bool(argument) or not (takes_argument or name in ("min", "source-promise")):
            raise FormatError(f"Invalid policy text: {text} (expected: such as min;6;PT30M;PT1H)")
        return Policy(
            name, argument or None, _number(parts[1], "policy text"), read_duration(parts[2]), Granularity.read(parts[3])
        )


class Hold(NamedTuple):
    """`finalization.hold`."""

    reason: str
    names: tuple[str, ...] = ()

    @staticmethod
    def read(text: str) -> "Hold":
        match = re.fullmatch(r"([A-Z_]+)(?:\((.*)\))?", text)
        if not match or match[1] not in HOLDS:
            raise FormatError(f"Invalid hold: {text} (expected: one of {', '.join(HOLDS)})")
        return Hold(match[1], tuple(match[2].split(",")) if match[2] is not None else ())

    def __str__(self) -> str:
        return f"{self.reason}({','.join(self.names)})" if self.names else self.reason


# --- writers and their windows ---------------------------------------------------------------------


class Run(NamedTuple):
    commits: int
    first_time_ms: int
    statistic: int


@dataclass(frozen=True)
class Window:
    """One writer's part of `finalization.window`."""

    statistic: str = ""
    evidence: str = "estimate"
    highest_ms: Optional[int] = None
    runs: tuple[Run, ...] = ()
    newest_ms: int = 0
    total: int = 0

    @staticmethod
    def read(text: str) -> "Window":
        r = _Reader("finalization window", text)
        r.version()
        statistic = r.string()
        evidence = ("estimate", "promise")[r.byte() & 1]
        has_highest = r.byte() == 1
        highest = r.signed()
        size = r.count()
        newest, total = r.signed(), r.unsigned()
        time, least, runs = newest, 0, []
        for _ in range(size):
            commits = r.unsigned()
            time += r.signed()
            least += r.signed()
            runs.append(Run(commits, time, least))
        r.end()
        return Window(statistic, evidence, highest if has_highest else None, tuple(runs), newest, total)

    def write(self) -> str:
        w = _Writer().byte(1).string(self.statistic).byte(self.evidence == "promise")
        w.byte(self.highest_ms is not None).signed(self.highest_ms or 0)
        w.unsigned(len(self.runs)).signed(self.newest_ms).unsigned(self.total)
        time, least = self.newest_ms, 0
        for run in self.runs:
            w.unsigned(run.commits).signed(run.first_time_ms - time).signed(run.statistic - least)
            time, least = run.first_time_ms, run.statistic
        return w.text()


def _pairs(text: str, what: str) -> dict[str, str]:
    pairs = {}
    for pair in text.split(",") if text else []:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise FormatError(f"Invalid {what}: {text} (expected: such as orders=979142400000)")
        pairs[name] = value
    return pairs


def read_writers(text: str) -> dict[str, Optional[int]]:
    """`finalization.writers`: each registered writer's own watermark, None before its first."""
    return {
        name: None if value == "-" else _number(value, "list of writers")
        for name, value in _pairs(text, "list of writers").items()
    }


def write_writers(writers: Mapping[str, Optional[int]]) -> str:
    return ",".join(f"{name}={'-' if writers[name] is None else writers[name]}" for name in sorted(writers))


def read_windows(text: str) -> dict[str, Window]:
    """`finalization.window`: each registered writer's window."""
    return {name: Window.read(value) for name, value in _pairs(text, "windows").items()}


def write_windows(windows: Mapping[str, Window]) -> str:
    return ",".join(f"{name}={windows[name].write()}" for name in sorted(windows))


# --- opinion ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Opinion:
    """What a summary (or a mirror) says: every event of [from, watermark) is in the table."""

    policy_text: str
    policy: Policy
    from_ms: Optional[int] = None
    watermark_ms: Optional[int] = None
    evidence: str = "estimate"
    hold: Optional[Hold] = None
    epoch: int = 0
    bootstrap_pending: bool = False
    writers: Mapping[str, Optional[int]] = field(default_factory=dict)
    reopened: Granules = Granules({})


def number(properties: Mapping[str, str], key: str) -> Optional[int]:
    """A whole number; None if the key is absent."""
    value = properties.get(PREFIX + key)
    return None if value is None else _number(value, "value of " + PREFIX + key)


def read_opinion(properties: Mapping[str, str]) -> Optional[Opinion]:
    """The opinion that properties carry; None if they carry none."""
    policy = properties.get(PREFIX + "policy")
    if policy is None:
        return None
    if (number(properties, "format") or 0) > FORMAT:
        raise FormatError(f"Cannot read finalization format {properties[PREFIX + 'format']} (expected: at most {FORMAT})")
    evidence = properties.get(PREFIX + "evidence", "estimate")
    if evidence not in ("estimate", "promise"):
        raise FormatError(f"Invalid evidence: {evidence} (expected: estimate or promise)")
    hold = properties.get(PREFIX + "hold")
    return Opinion(
        policy,
        Policy.read(policy),
        number(properties, "from-ms"),
        number(properties, "watermark-ms"),
        evidence,
        None if hold is None else Hold.read(hold),
        number(properties, "epoch") or 0,
        properties.get(PREFIX + "bootstrap") == "pending",
        read_writers(properties.get(PREFIX + "writers", "")),
        read_reopened(properties.get(PREFIX + "reopened", "")),
    )
