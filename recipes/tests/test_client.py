"""The client against a real HTTP server of the standard library that says what it is told to."""

from __future__ import annotations

import json
import os
import socket
import threading
import unittest
import urllib.parse
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import tidemark_client as tc

os.environ["no_proxy"] = "127.0.0.1,localhost"


def said(answer: str, **more) -> dict:
    return {
        "table": "lake.db.t", "start": "2026-01-01T10:00:00Z", "end": "2026-01-01T11:00:00Z", "answer": answer,
        "revoked": False, "snapshotId": "7", "ageSeconds": 3, "watermark": "2026-01-01T11:00:00Z",
        "from": "1970-01-01T00:00:00Z", "evidence": "estimate", "policy": "min;6;PT30M;PT1H", "hold": None,
        "epoch": 0, **more,
    }


class Scripted(ThreadingHTTPServer):
    """Gives its replies in turn, the last one for ever: (status, headers, body)."""

    daemon_threads = True

    def __init__(self, *replies):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies = list(replies)
        self.requests = []
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        path, _, query = self.path.partition("?")
        self.server.requests.append((path, dict(urllib.parse.parse_qsl(query)), self.headers))
        replies = self.server.replies
        status, headers, body = replies.pop(0) if len(replies) > 1 else replies[0]
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if status != 304:
            self.wfile.write(data)

    def log_message(self, *_):
        pass


class ClientTest(unittest.TestCase):
    def serve(self, *replies) -> Scripted:
        server = Scripted(*[reply if isinstance(reply, tuple) else (200, {}, reply) for reply in replies])
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def client(self, server: Scripted, **options) -> tc.TidemarkClient:
        self.slept = []
        return tc.TidemarkClient(server.url, sleep=self.slept.append, **options)

    def ask(self, *replies, **options):
        server = self.serve(*replies)
        return self.client(server, **options).finality("lake.db.t", "2026-01-01T10")

    def test_answers_are_typed(self):
        ready = self.ask(said("READY", revision=2))
        self.assertEqual((ready.name, ready.revision, ready.snapshot_id, ready.age_seconds), ("READY", 2, "7", 3))
        self.assertTrue(ready.is_ready and ready.is_final)
        reopened = self.ask(said("LATE_REOPENED", revision=1, lateRows=37))
        self.assertEqual((reopened.late_rows, reopened.is_ready, reopened.is_final), (37, False, True))
        for name in ("NOT_READY", "REVOKED", "UNKNOWN"):
            answer = self.ask(said(name, hold="SOURCE_BEHIND(orders-3)"))
            self.assertFalse(answer.is_ready or answer.is_final)
            self.assertIn(name, str(answer))
        self.assertIn("SOURCE_BEHIND(orders-3)", str(self.ask(said("NOT_READY", hold="SOURCE_BEHIND(orders-3)"))))

    def test_question_is_asked_as_the_server_reads_it(self):
        server = self.serve(said("READY", revision=0))
        client = self.client(server)
        client.finality("lake.db.päge x/y", "2026-01-01", zone="Asia/Seoul", revision=3, wait=1.5)
        client.finality("t", datetime(2026, 1, 1, 10, 15, tzinfo=timezone.utc), wait=900)
        (path, query, _), (_, instant, _) = server.requests
        self.assertEqual(path, "/v1/tables/lake.db.p%C3%A4ge%20x%2Fy/finality")
        self.assertEqual(query, {"through": "2026-01-01", "zone": "Asia/Seoul", "revision": "3", "wait": "1500ms"})
        self.assertEqual(instant, {"through": "2026-01-01T10:15:00+00:00", "wait": "60000ms"})

    def test_time_without_a_zone_is_refused(self):
        client = self.client(self.serve(said("READY")))
        with self.assertRaisesRegex(tc.InvalidRequest, "no zone"):
            client.finality("t", datetime(2026, 1, 1, 10))

    def test_token_is_brought_and_never_shown(self):
        server = self.serve((401, {}, {"detail": "The request brings no valid token"}))
        client = self.client(server, token="s3cret-s3cret-s3cret")
        with self.assertRaises(tc.NotAllowed) as refused:
            client.finality("t", "2026-01-01")
        self.assertEqual(server.requests[0][2]["Authorization"], "Bearer s3cret-s3cret-s3cret")
        self.assertNotIn("s3cret", str(refused.exception) + repr(client))
        self.assertEqual(len(server.requests), 1)

    def test_redirects_are_not_followed(self):
        other = self.serve(said("READY"))
        with self.assertRaisesRegex(tc.InvalidAnswer, "points to"):
            self.ask((302, {"Location": other.url + "/elsewhere"}, b""), token="s3cret-s3cret-s3cret")
        self.assertEqual(other.requests, [])

    def test_problem_becomes_the_error(self):
        problem = {"title": "Invalid request", "detail": 'Invalid zone: "Mars"', "expected": "such as UTC"}
        for status, kind in ((400, tc.InvalidRequest), (404, tc.NoSuchTable), (403, tc.NotAllowed),
                             (421, tc.NotAllowed), (410, tc.InvalidAnswer)):
            with self.assertRaises(kind) as raised:
                self.ask((status, {}, problem))
            self.assertEqual(raised.exception.status, status)
            self.assertFalse(raised.exception.retryable)
            self.assertRegex(str(raised.exception), r'Invalid zone: "Mars" \(expected: such as UTC\)')
            self.assertEqual(raised.exception.problem, problem)

    def test_failure_that_passes_is_asked_again(self):
        busy = (503, {"Retry-After": "7"}, {"detail": "busy"})
        self.assertTrue(self.ask(busy, (502, {}, b"<html>"), said("READY", revision=0)).is_ready)
        self.assertEqual(self.slept[0], 7.0)
        self.assertTrue(0 < self.slept[1] <= 1.0)

    def test_failure_that_stays_is_told_with_what_was_known(self):
        problem = {"detail": "Cannot reach the catalog", "lastKnown": {"watermark": "2026-01-01T09:00:00Z"}}
        with self.assertRaises(tc.Unreachable) as raised:
            self.ask((503, {"Retry-After": "1000"}, problem), retries=2)
        self.assertTrue(raised.exception.retryable)
        self.assertEqual(raised.exception.problem["lastKnown"]["watermark"], "2026-01-01T09:00:00Z")
        self.assertEqual(self.slept, [60.0, 60.0])

    def test_nobody_there_is_unreachable(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        client = tc.TidemarkClient(f"http://127.0.0.1:{port}", retries=1, backoff=0)
        with self.assertRaisesRegex(tc.Unreachable, f"Cannot ask http://127.0.0.1:{port}/v1/tables/t/finality"):
            client.finality("t", "2026-01-01")

    def test_server_that_says_nothing_is_unreachable(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            client = tc.TidemarkClient(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.1, retries=0)
            with self.assertRaises(tc.Unreachable):
                client.finality("t", "2026-01-01")

    def test_answer_that_is_cut_off_is_unreachable(self):
        with self.assertRaises(tc.Unreachable):
            self.ask((200, {"Content-Length": "1000"}, b'{"answer": "READY"'), retries=0, timeout=0.2)

    def test_what_is_not_understood_is_never_ready(self):
        for body in (b"<html>proxy</html>", b"[]", b"", b"\xff", {}, said("PERHAPS"), {"answer": None}):
            with self.assertRaises(tc.InvalidAnswer):
                self.ask((200, {}, body))

    def test_same_answer_is_read_again(self):
        server = self.serve((304, {}, b""), (200, {"ETag": 'W/"7-REVOKED"'}, said("REVOKED")))
        answer = self.client(server).finality("t", "2026-01-01", wait=1, etag='W/"7-REVOKED"')
        self.assertEqual((answer.name, answer.etag), ("REVOKED", 'W/"7-REVOKED"'))
        self.assertEqual(server.requests[0][2]["If-None-Match"], 'W/"7-REVOKED"')
        self.assertNotIn("wait", server.requests[1][1])

    def test_wait_goes_on_until_ready(self):
        server = self.serve(
            said("UNKNOWN"), said("NOT_READY"), (200, {"ETag": '"r"'}, said("REVOKED")),
            (200, {"ETag": '"l"'}, said("LATE_REOPENED", revision=1, lateRows=1)), said("READY", revision=1),
        )
        self.assertTrue(self.client(server).wait_until_ready("t", "2026-01-01T10").is_ready)
        self.assertEqual([r[2]["If-None-Match"] for r in server.requests], [None, None, None, '"r"', '"l"'])
        self.assertEqual({r[1]["wait"] for r in server.requests}, {"30000ms"})
        self.assertEqual(self.slept, [5.0] * 4)

    def test_wait_takes_reopened_hours_if_told_so(self):
        server = self.serve(said("LATE_REOPENED", revision=1, lateRows=1))
        answer = self.client(server).wait_until_ready("t", "2026-01-01T10", accept_reopened=True)
        self.assertEqual(answer.name, "LATE_REOPENED")

    def test_wait_goes_on_through_failures_that_pass(self):
        server = self.serve((503, {}, {}), said("READY", revision=0))
        self.assertTrue(self.client(server, retries=0).wait_until_ready("t", "2026-01-01T10").is_ready)

    def test_wait_ends_at_once_where_waiting_is_in_vain(self):
        server = self.serve((404, {}, {"detail": "Table t is not served here"}))
        with self.assertRaises(tc.NoSuchTable):
            self.client(server).wait_until_ready("t", "2026-01-01T10")
        self.assertEqual(len(server.requests), 1)

    def test_wait_that_is_over_tells_the_last_answer(self):
        server = self.serve(said("NOT_READY", hold="WARM_UP"))
        now = [0.0]
        client = tc.TidemarkClient(
            server.url, clock=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds))
        with self.assertRaisesRegex(tc.WaitTimeout, r"Waited 12 s in vain: .*WARM_UP") as raised:
            client.wait_until_ready("t", "2026-01-01T10", timeout=12)
        self.assertEqual(raised.exception.answer.name, "NOT_READY")
        self.assertEqual(now[0], 12.0)
        self.assertEqual([r[1].get("wait") for r in server.requests], ["12000ms", "7000ms", "2000ms", None])

    def test_wait_without_any_answer_tells_the_failure(self):
        server = self.serve((503, {}, {"detail": "Cannot reach the catalog"}))
        with self.assertRaisesRegex(tc.Unreachable, "Cannot reach the catalog"):
            self.client(server, retries=0).wait_until_ready("t", "2026-01-01T10", timeout=0)

    def test_step_of_somebody_elses_wait(self):
        server = self.serve((503, {}, {"detail": "busy"}), said("NOT_READY", hold="WARM_UP"),
                            said("LATE_REOPENED", revision=1, lateRows=1), (401, {}, {"detail": "no token"}))
        client = self.client(server, retries=0)
        question = {"table": "t", "through": "2026-01-01T10", "accept_reopened": True}
        self.assertRegex(str(client.poll(0, **question)), "None.*busy")
        self.assertRegex(str(client.poll(0, **question)), "None.*WARM_UP")
        answer, message = client.poll(0, **question)
        self.assertEqual((answer.name, message), ("LATE_REOPENED", str(answer)))
        with self.assertRaises(tc.NotAllowed):
            client.poll(0, **question)

    def test_hours_are_typed(self):
        hour = {"start": "2026-01-01T10:00:00Z", "end": "2026-01-01T11:00:00Z", "state": "reopened",
                "revision": 1, "lateRows": 37}
        server = self.serve({"hours": [hour]}, {"hours": [{"state": "final"}]})
        client = self.client(server)
        one = client.hours("t", since="2026-01-01T10")[0]
        self.assertEqual(one.start, datetime(2026, 1, 1, 10, tzinfo=timezone.utc))
        self.assertEqual((one.is_final, one.revision, one.late_rows), (True, 1, 37))
        self.assertEqual(server.requests[0][1], {"from": "2026-01-01T10"})
        with self.assertRaises(tc.InvalidAnswer):
            client.hours("t")

    def test_settings_that_cannot_work_are_refused(self):
        for url in ("127.0.0.1:8740", "ftp://host", "http://", "http://h?x=1", "http://me:pw@host"):
            with self.assertRaisesRegex(ValueError, "Invalid url") as refused:
                tc.TidemarkClient(url)
            self.assertNotIn("pw", str(refused.exception).replace("password", ""))
        for options in ({"timeout": 0}, {"retries": -1}, {"backoff": -1}):
            with self.assertRaisesRegex(ValueError, "Invalid timeout"):
                tc.TidemarkClient("http://host", **options)


if __name__ == "__main__":
    unittest.main()
