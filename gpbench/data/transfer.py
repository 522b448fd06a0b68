"""Downloading one file over http(s), distrusting the other side: each fault has its own sentence."""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

from gpbench.errors import DataError

TIMEOUT = 20.0  # seconds without an answer or without a byte
DEADLINE = 600.0  # seconds for the whole file: a server that drips bytes is not waited for
_BLOCK = 1 << 16


def download(url: str, out: Path, limit: int, timeout: float | None = None, deadline: float | None = None) -> None:
    """Write the body of `url` to `out`, or raise a DataError and leave nothing."""
    try:
        parts = urlsplit(url)
    except ValueError as e:
        raise DataError(f"{url} is not an address ({e})") from e
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DataError(f"{url}: only http and https addresses are fetched")
    where = f"{Path(parts.path).name} at {parts.hostname}"
    timeout = TIMEOUT if timeout is None else timeout
    request = urllib.request.Request(url, headers={"User-Agent": "gpbench", "Accept-Encoding": "identity"})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            _save(answer, out, limit, where, time.monotonic() + (DEADLINE if deadline is None else deadline))
    except urllib.error.HTTPError as e:
        raise DataError(f"{where} answered HTTP {e.code}" + (" (not found)" if e.code == 404 else "")) from e
    except TimeoutError as e:
        raise DataError(f"{where} did not answer within {timeout:g} s") from e
    except http.client.IncompleteRead as e:
        raise DataError(f"{where} broke off the transfer") from e
    except (urllib.error.URLError, http.client.HTTPException, OSError) as e:
        reason = getattr(e, "reason", e)
        if isinstance(reason, TimeoutError):
            raise DataError(f"{where} did not answer within {timeout:g} s") from e
        raise DataError(f"{where} could not be reached ({reason})") from e


def _save(answer, out: Path, limit: int, where: str, deadline: float) -> None:
    length = answer.headers.get("Content-Length") or ""
    expected = int(length) if length.isdecimal() else None
    if expected is not None and expected > limit:
        raise DataError(f"{where} announces {expected} bytes, more than the {limit} allowed")
    count = 0
    try:
        with open(out, "wb") as f:
            while block := answer.read1(_BLOCK):  # what has arrived: read() would wait for a full block
                if count == 0 and _is_html(block):
                    raise DataError(f"{where} sent a web page instead of the data")
                count += len(block)
                if count > limit:
                    raise DataError(f"{where} sends more than the {limit} bytes allowed")
                if time.monotonic() > deadline:
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
