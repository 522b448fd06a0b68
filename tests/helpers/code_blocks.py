"""Code blocks of README and of the documentation: which there are, and how each is run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^(?P<mark><!--[^\n]*-->\n)?```(?P<language>[^\n`]*)\n(?P<code>.*?)^```$", re.M | re.S)
NOT_RUN = re.compile(r"<!-- not run: .{10,} -->")
NAMED = re.compile(r"^# ([\w-]+\.(?:yaml|py))\n")
OUTPUT = ("text",)


@dataclass(frozen=True)
class Block:
    page: str
    line: int
    language: str
    code: str
    mark: str

    @property
    def runs(self) -> bool:
        """False for output, for what the build runs, and for what says why it does not run."""
        return self.language not in OUTPUT and self.language[:1] != "{" and not NOT_RUN.fullmatch(self.mark)

    @property
    def file(self) -> str:
        """The name under which the block is saved: its first line, if that is a comment with a name."""
        named = NAMED.match(self.code)
        return named[1] if named else ""


def blocks(repo: Path, page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = []
    for m in FENCE.finditer(text):
        line = text.count("\n", 0, m.start()) + 1
        mark = (m["mark"] or "").strip()
        found.append(Block(page.relative_to(repo).as_posix(), line, m["language"].strip(), m["code"], mark))
    return found


def pages(repo: Path) -> list[Path]:
    """README, CONTRIBUTING and all written pages; those that the build writes are not among them."""
    written = [p for p in sorted((repo / "docs").rglob("*.md")) if not {"generated", "gallery"} & set(p.parts)]
    return [repo / "README.md", repo / "CONTRIBUTING.md", *written]


def shell(code: str, folder: Path, repo: Path) -> subprocess.CompletedProcess:
    """The block as bash runs it, stopping at the first error, with the gpbench of this Python and no network."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    env = os.environ | {"PATH": path, "PYTHONPATH": str(repo), "GPBENCH_OFFLINE": "1", "NO_COLOR": "1"}
    command = ["bash", "-euo", "pipefail", "-c", code]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=280)
