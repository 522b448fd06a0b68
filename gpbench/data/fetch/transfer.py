"""Download one file over http(s) with limits on size and time; each fault has its own message."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import time
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from gpbench.errors import DataError
from gpbench.system import atomic_files

TIMEOUT = 20.0  # seconds without an answer or without a byte
HEADERS = 60.0  # seconds until the headers are complete, redirects included
DEADLINE = 600.0  # seconds for the whole file
_BLOCK = 1 << 16


def download(
    url: str, out: Path, limit: int, timeout: float | None = None, deadline: float | None = None, page: bool = False
) -> None:
    """Write the body of `url` to `out`, or raise a DataError and leave nothing; a web page only where one is meant."""
    where = _named(url)
    timeout = TIMEOUT if timeout is None else timeout
    end = time.monotonic() + (DEADLINE if deadline is None else deadline)
    request = urllib.request.Request(url, headers={"User-Agent": "gpbench", "Accept-Encoding": "identity"})
    line = _Line()
    try:
        with line.cut_after(min(HEADERS, end - time.monotonic())):
            answer = line.opener().open(request, timeout=timeout)
        with answer:
            if line.cut:  # the incomplete line was taken for the last header
                raise TimeoutError
            _save(answer, out, limit, where, end, page)
    except urllib.error.HTTPError as e:
        raise DataError(f"{where} answered HTTP {e.code}" + (" (not found)" if e.code == 404 else "")) from e
    except (TimeoutError, urllib.error.URLError, http.client.HTTPException, OSError) as e:
        atomic_files.raise_if_ours(e, out)
        reason = getattr(e, "reason", e)
        if line.cut:
            raise DataError(f"{where} is too slow: no answer complete within {HEADERS:g} s") from e
        if isinstance(reason, TimeoutError):
            raise DataError(f"{where} did not answer within {timeout:g} s") from e
        if isinstance(e, http.client.IncompleteRead):
            raise DataError(f"{where} broke off the transfer") from e
        raise DataError(f"{where} could not be reached ({reason})") from e


def _named(url: str) -> str:
    """File and server of a download, for messages; DataError unless it is http(s)."""
    try:
        parts = urlsplit(url)
    except ValueError as e:
        raise DataError(f"{url} is not an address ({e})") from e
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DataError(f"{url}: only http and https addresses are fetched")
    return f"{Path(parts.path).name} at {parts.hostname}"


class _HttpOnly(urllib.request.HTTPRedirectHandler):
    """Refuses redirects to other protocols; urllib would follow one to ftp."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        _named(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _Line:
    """The connection of one transfer; it can be closed while urllib waits for the end of the headers."""

    def __init__(self):
        self.connections: list[http.client.HTTPConnection] = []
        self.cut = False

    def opener(self) -> urllib.request.OpenerDirector:
        line = self

        class Plain(urllib.request.HTTPHandler):
            def http_open(self, req):
                return self.do_open(partial(line._connection, http.client.HTTPConnection), req)

        class Secure(urllib.request.HTTPSHandler):
            def https_open(self, req):
                return self.do_open(partial(line._connection, http.client.HTTPSConnection), req)

        return urllib.request.build_opener(Plain, Secure, _HttpOnly)

    def _connection(self, kind, host, **options):
        self.connections.append(made := kind(host, **options))
        return made

    @contextlib.contextmanager
    def cut_after(self, seconds: float):
        timer = threading.Timer(max(seconds, 0.0), self._cut)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _cut(self) -> None:
        self.cut = True
        for connection in self.connections:
            with contextlib.suppress(OSError, AttributeError):
                connection.sock.shutdown(socket.SHUT_RDWR)


def _save(answer, out: Path, limit: int, where: str, end: float, page: bool) -> None:
    length = answer.headers.get("Content-Length") or ""
    expected = int(length) if length.isdecimal() else None
    if expected is not None and expected > limit:
        raise DataError(f"{where} announces {expected} bytes, more than the {limit} allowed")
    count = 0
    try:
        with open(out, "wb") as f:
            while block := answer.read1(_BLOCK):  # the bytes that have arrived; read() would wait for a full block
                if count == 0 and not page and _is_html(block):
                    raise DataError(f"{where} sent a web page instead of the data")
                count += len(block)
                if count > limit:
                    raise DataError(f"{where} sends more than the {limit} bytes allowed")
                if time.monotonic() > end:
                    raise DataError(f"{where} is too slow: given up after {count} bytes")
                f.write(block)
        if expected is not None and count < expected:
            raise DataError(f"{where} broke off after {count} of {expected} bytes")
        if count == 0:
            raise DataError(f"{where} sent an empty file")
    except BaseException:
        out.unlink(missing_ok=True)
        raise


def _is_html(block: bytes) -> bool:
    start = block[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<?xml"))
