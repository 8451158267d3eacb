"""Asks `tidemark serve` whether data is complete. The standard library alone, Python 3.9 or newer.

    client = TidemarkClient("http://127.0.0.1:8740")
    answer = client.finality("lake.db.orders", through="2026-01-01T10", zone="Asia/Seoul")
    if answer.is_ready: ...

`finality` asks once; `wait_until_ready` asks again and again, each time letting the server hold the
request until the answer changes: the answer comes moments after the commit, and an hour of waiting
costs 120 requests. Thread-safe: it keeps no connection and no state.
"""

from __future__ import annotations

import email.utils
import json
import random
import time as _time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from datetime import datetime
from http.client import HTTPException
from typing import Any, Callable, Mapping, Optional, Union

READY = "READY"
NOT_READY = "NOT_READY"
LATE_REOPENED = "LATE_REOPENED"
REVOKED = "REVOKED"
UNKNOWN = "UNKNOWN"
ANSWERS = (READY, NOT_READY, LATE_REOPENED, REVOKED, UNKNOWN)

MAX_WAIT_SECONDS = 60.0
_RETRYABLE = (429, 500, 502, 503, 504)
_RETRY_AFTER_AT_MOST = 60.0


class TidemarkError(Exception):
    """The question was not answered. `retryable` says whether asking again may help."""

    retryable = False

    def __init__(self, message: str, status: Optional[int] = None, problem: Optional[Mapping[str, Any]] = None):
        super().__init__(message)
        self.status = status
        self.problem = dict(problem or {})


class InvalidRequest(TidemarkError):
    """What was asked is not understood: a time, a zone, a parameter. Asking again does not help."""


class NotAllowed(TidemarkError):
    """The token is missing or wrong, or the server is not served under this name."""


class NoSuchTable(TidemarkError):
    """The table is not served there, or its catalog does not have it (yet)."""


class Unreachable(TidemarkError):
    """No answer, after all retries: network, server, or the store behind it."""

    retryable = True


class InvalidAnswer(TidemarkError):
    """Somebody else answers there, or a server that is too new or too old for this client."""


class WaitTimeout(TidemarkError):
    """The time to wait is over, and the answer is still another one: `answer`."""

    def __init__(self, message: str, answer: "Answer"):
        super().__init__(message)
        self.answer = answer


@dataclass(frozen=True)
class Answer:
    """One answer, and what the table said when it was asked.

    Times are ISO-8601 in UTC; `watermark` is exclusive. `revision` is to be remembered by whoever read
    the data, and passed when asking again. `raw` is the JSON as it came.
    """

    name: str
    table: str
    start: str
    end: str
    watermark: Optional[str] = None
    from_: Optional[str] = None
    evidence: Optional[str] = None
    policy: Optional[str] = None
    hold: Optional[str] = None
    epoch: int = 0
    snapshot_id: Optional[str] = None
    age_seconds: int = 0
    revision: Optional[int] = None
    late_rows: Optional[int] = None
    etag: Optional[str] = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def is_ready(self) -> bool:
        """Complete, and unchanged since the revision that was passed."""
        return self.name == READY

    @property
    def is_final(self) -> bool:
        """Complete; perhaps changed since: reading it gives all rows there are now."""
        return self.name in (READY, LATE_REOPENED)

    def __str__(self) -> str:
        what = f"{self.table} [{self.start}, {self.end}): {self.name}"
        if self.name == NOT_READY:
            return f"{what}, watermark {self.watermark or 'none yet'}, hold {self.hold or 'none'}"
        if self.name == LATE_REOPENED:
            return f"{what}, {self.late_rows} rows came after it was final, revision {self.revision}"
        if self.name == REVOKED:
            return f"{what}: the table was rolled back behind a watermark that was published"
        if self.name == UNKNOWN:
            return f"{what}: nothing is claimed of it" + (f", the table claims from {self.from_}" if self.from_ else "")
        return f"{what}, revision {self.revision}, watermark {self.watermark}"


@dataclass(frozen=True)
class Hour:
    """One granule of a table: an hour, unless the table's granularity is another.

    `state` is open, final, reopened, revoked or unknown; `revision` tells what a reader of it has read.
    """

    start: datetime
    end: datetime
    state: str
    revision: Optional[int] = None
    late_rows: Optional[int] = None

    @property
    def is_final(self) -> bool:
        """Complete; perhaps changed since."""
        return self.state in ("final", "reopened")


class TidemarkClient:
    """A client of one server.

    :param url: such as `http://127.0.0.1:8740`
    :param token: the bearer token, where the server asks for one
    :param timeout: seconds for one request, on top of what it lets the server wait
    :param retries: how often a request is sent again after a failure that may pass
    :param backoff: seconds before the first retry; doubled for each more, at most 30; `Retry-After` wins
    :param ssl_context: for certificates of one's own
    """

    def __init__(
        self,
        url: str,
        token: Optional[str] = None,
        timeout: float = 10.0,
        retries: int = 3,
        backoff: float = 0.5,
        ssl_context: Any = None,
        sleep: Callable[[float], None] = _time.sleep,
        clock: Callable[[], float] = _time.monotonic,
    ):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"Invalid url: {url!r} (expected: such as http://127.0.0.1:8740)")
        if parts.username is not None:
            raise ValueError("Invalid url: it holds a name or password (expected: none; pass the token as token)")
        if timeout <= 0 or retries < 0 or backoff < 0:
            raise ValueError(
                f"Invalid timeout {timeout}, retries {retries} or backoff {backoff} (expected: positive, or zero)"
            )
        self.url = url.rstrip("/")
        self._token = token
        self._timeout = timeout
        self._retries = retries
        self._backoff = backoff
        self._sleep = sleep
        self._clock = clock
        # No redirects: they would carry the token elsewhere.
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPSHandler(context=ssl_context), _NoRedirects()
        )

    def __repr__(self) -> str:
        return f"TidemarkClient({self.url!r}, token={'set' if self._token else None})"

    def finality(
        self,
        table: str,
        through: Union[str, datetime],
        zone: Optional[str] = None,
        revision: Optional[int] = None,
        wait: float = 0.0,
        etag: Optional[str] = None,
    ) -> Answer:
        """Asks once.

        :param table: as the server was given it: `lake.db.orders`
        :param through: a day `2026-01-01`, an hour `2026-01-01T10`, or an instant
            `2026-01-01T10:15:00Z` (or an aware datetime), which means the table's granule that holds it
        :param zone: of days and hours; UTC by default
        :param revision: the revision that was read already; the answer is READY while nothing came after
        :param wait: seconds that the server may hold the request until the answer decides, or, with
            `etag`, until it is another; longer than a minute is a minute
        :param etag: of an answer that one has: `answer.etag`
        :raises TidemarkError: one of its kinds
        """
        query = {"through": _text(through)}
        if zone is not None:
            query["zone"] = zone
        if revision is not None:
            query["revision"] = str(int(revision))
        wait = max(0.0, min(float(wait), MAX_WAIT_SECONDS))
        if wait > 0:
            query["wait"] = f"{max(1, int(wait * 1000))}ms"
        path = f"/v1/tables/{urllib.parse.quote(table, safe='')}/finality?{urllib.parse.urlencode(query)}"
        status, headers, body = self._get(path, wait, {"If-None-Match": etag} if etag else {})
        if status == 304:
            # What the client has still holds: it is read again, to have its words.
            query.pop("wait", None)
            path = path.split("?")[0] + "?" + urllib.parse.urlencode(query)
            status, headers, body = self._get(path, 0.0, {})
        return _answer(body, headers.get("ETag"), self.url)

    def wait_until_ready(
        self,
        table: str,
        through: Union[str, datetime],
        zone: Optional[str] = None,
        revision: Optional[int] = None,
        timeout: Optional[float] = None,
        accept_reopened: bool = False,
        wait: float = 30.0,
        pause: float = 5.0,
    ) -> Answer:
        """Waits for READY; for LATE_REOPENED too with `accept_reopened`.

        Goes on through NOT_READY, UNKNOWN (a table that is yet to be written) and REVOKED (until the
        rollback is reset), and through failures that may pass. A wrong request, a wrong token and a
        table that is not served end it at once.

        :param timeout: seconds; None for ever
        :param wait: seconds that the server may hold one request
        :param pause: seconds between two requests that were answered at once
        :raises WaitTimeout: with the last answer
        """
        deadline = None if timeout is None else self._clock() + timeout
        last, problem = None, None
        while True:
            left = None if deadline is None else deadline - self._clock()
            asked = self._clock()
            # A known answer other than NOT_READY is given at once: its tag makes the server hold it.
            etag = last.etag if last is not None and last.name in (REVOKED, LATE_REOPENED) else None
            try:
                hold = wait if left is None else max(0.0, min(wait, left))
                last, problem = self.finality(table, through, zone, revision, hold, etag), None
                if last.is_ready or (accept_reopened and last.name == LATE_REOPENED):
                    return last
            except Unreachable as e:
                problem = e
            left = None if deadline is None else deadline - self._clock()
            if left is not None and left <= 0:
                if last is None:
                    raise problem
                raise WaitTimeout(f"Waited {timeout:g} s in vain: {last}", last) from problem
            if self._clock() - asked < pause:
                self._sleep(pause if left is None else min(pause, left))

    def poll(self, seconds: float, **question: Any) -> tuple[Optional[Answer], str]:
        """One step of a wait that somebody else keeps: a sensor, a trigger.

        :param seconds: how long this step may wait; 0 to ask once
        :param question: as of `wait_until_ready`
        :return: the answer, or None to go on waiting (also while the server cannot be reached); and what to log
        """
        try:
            answer = self.wait_until_ready(**question, timeout=seconds)
            return answer, str(answer)
        except (WaitTimeout, Unreachable) as e:
            return None, str(e)

    def tables(self) -> list[dict[str, Any]]:
        """What every table says, as the server's JSON."""
        return _member(self._get("/v1/tables", 0.0, {})[2], "tables", list, self.url)

    def hours(
        self, table: str, since: Union[str, datetime, None] = None, until: Union[str, datetime, None] = None
    ) -> list[Hour]:
        """A table's granules with their states, oldest first: of `[since, until)`, or of the last two days.

        :param since: a day, an hour or an instant in UTC
        """
        query = {key: _text(value) for key, value in (("from", since), ("to", until)) if value is not None}
        path = f"/v1/tables/{urllib.parse.quote(table, safe='')}/hours?{urllib.parse.urlencode(query)}"
        body = self._get(path, 0.0, {})[2]
        return [_hour(one, self.url) for one in _member(body, "hours", list, self.url)]

    # -- one request, and its retries

    def _get(self, path: str, wait: float, headers: Mapping[str, str]) -> tuple[int, Mapping[str, str], bytes]:
        for attempt in range(self._retries + 1):
            try:
                return self._once(path, wait, headers)
            except Unreachable as e:
                if attempt == self._retries:
                    raise
                self._sleep(_pause(e, self._backoff, attempt))
        raise AssertionError("unreachable")

    def _once(self, path: str, wait: float, headers: Mapping[str, str]) -> tuple[int, Mapping[str, str], bytes]:
        request = urllib.request.Request(self.url + path, headers={"Accept": "application/json", **headers})
        if self._token:
            request.add_unredirected_header("Authorization", "Bearer " + self._token)
        try:
            with self._opener.open(request, timeout=self._timeout + wait) as response:
                return response.status, response.headers, response.read()
        except urllib.error.HTTPError as e:
            with e:
                if e.code == 304:
                    return 304, e.headers, b""
                raise self._refused(e, path) from None
        except (OSError, HTTPException) as e:
            reason = getattr(e, "reason", e)
            raise Unreachable(f"Cannot ask {self.url}{path}: {reason}") from e

    def _refused(self, e: urllib.error.HTTPError, path: str) -> TidemarkError:
        try:
            problem = json.loads(e.read() or b"{}")
        except (ValueError, OSError, HTTPException):
            problem = {}
        problem = problem if isinstance(problem, dict) else {}
        detail = problem.get("detail") or e.reason or "refused"
        expected = f" (expected: {problem['expected']})" if problem.get("expected") else ""
        message = f"Cannot ask {self.url}{path}: {e.code} {detail}{expected}"
        if e.code in _RETRYABLE:
            error: TidemarkError = Unreachable(message, e.code, problem)
            error.retry_after = _retry_after(e.headers.get("Retry-After"))
            return error
        if 300 <= e.code < 400:
            return InvalidAnswer(f"{message}: it points to {e.headers.get('Location')}", e.code, problem)
        kinds = {400: InvalidRequest, 401: NotAllowed, 403: NotAllowed, 421: NotAllowed, 404: NoSuchTable}
        return kinds.get(e.code, InvalidAnswer)(message, e.code, problem)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def _pause(error: Unreachable, backoff: float, attempt: int) -> float:
    asked = getattr(error, "retry_after", None)
    if asked is not None:
        return asked
    longest = min(30.0, backoff * 2**attempt)
    return longest / 2 + random.random() * longest / 2


def _retry_after(text: Optional[str]) -> Optional[float]:
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(text).timestamp() - _time.time()
        except (TypeError, ValueError):
            return None
    return max(0.0, min(seconds, _RETRY_AFTER_AT_MOST)) if seconds == seconds else None


def _text(through: Union[str, datetime]) -> str:
    if not isinstance(through, datetime):
        return through
    if through.tzinfo is None:
        raise InvalidRequest(f"Cannot ask for {through}: it has no zone (expected: an aware datetime, or a text)")
    return through.isoformat()


def _json(body: bytes, url: str) -> dict[str, Any]:
    try:
        parsed = json.loads(body)
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        start = body[:80].decode("utf-8", "replace")
        raise InvalidAnswer(f"Cannot read the answer of {url}: {start!r} (expected: JSON of tidemark serve)")
    return parsed


def _member(body: bytes, name: str, kind: type, url: str) -> Any:
    value = _json(body, url).get(name)
    if not isinstance(value, kind):
        raise InvalidAnswer(f"Cannot read the answer of {url}: no {name} (expected: JSON of tidemark serve)")
    return value


def _answer(body: bytes, etag: Optional[str], url: str) -> Answer:
    raw = _json(body, url)
    name = raw.get("answer")
    if name not in ANSWERS:
        # Never taken for READY, nor for NOT_READY: what is not understood is not known.
        raise InvalidAnswer(f"Cannot read the answer of {url}: {name!r} (expected: one of {', '.join(ANSWERS)})")
    return Answer(
        name=name,
        table=raw.get("table", ""),
        start=raw.get("start", ""),
        end=raw.get("end", ""),
        watermark=raw.get("watermark"),
        from_=raw.get("from"),
        evidence=raw.get("evidence"),
        policy=raw.get("policy"),
        hold=raw.get("hold"),
        epoch=raw.get("epoch") or 0,
        snapshot_id=raw.get("snapshotId"),
        age_seconds=raw.get("ageSeconds") or 0,
        revision=raw.get("revision"),
        late_rows=raw.get("lateRows"),
        etag=etag,
        raw=raw,
    )


def _hour(raw: Any, url: str) -> Hour:
    try:
        start, end = (datetime.fromisoformat(raw[key].replace("Z", "+00:00")) for key in ("start", "end"))
        return Hour(start, end, raw["state"], raw.get("revision"), raw.get("lateRows"))
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InvalidAnswer(f"Cannot read the answer of {url}: {raw!r} (expected: start, end and state)") from None
