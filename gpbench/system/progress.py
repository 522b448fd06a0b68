"""What a long computation is doing, as a bar on stderr after two seconds; silent unless a caller asks for it.

Loops call `step` with what they do and how far they are. A thread draws the last step, so that a step costs nothing.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

SILENT = 2.0  # seconds before anything is drawn
PAUSE = 0.2  # seconds between two drawings


@dataclass
class _Bar:
    limit: float | None  # seconds that the whole may take
    what: str = ""
    done: int = 0
    of: int = 0
    begin: float = field(default_factory=time.monotonic)
    ended: threading.Event = field(default_factory=threading.Event)

    def draw(self) -> None:
        """Runs in a thread until the computation has ended; nothing is left on the terminal."""
        from tqdm import tqdm

        if self.ended.wait(SILENT):
            return
        shown, bar = "", None
        while not self.ended.wait(PAUSE):
            if self.what != shown or bar is None:
                if bar is not None:
                    bar.close()
                shown, total = self.what, self.of or None
                bar = tqdm(
                    total=total, desc=shown or "working", file=sys.stderr, leave=False, bar_format=self._format()
                )
            bar.n, bar.total = self.done, self.of or None
            if self.limit is not None:
                bar.set_postfix_str(f"{max(self.limit - (time.monotonic() - self.begin), 0):.0f} s left", refresh=False)
            bar.refresh()
        if bar is not None:
            bar.close()

    def _format(self) -> str:
        return (
            "{desc}: {n_fmt} [{elapsed}{postfix}]"
            if not self.of
            else "{desc}: {n_fmt}/{total_fmt} |{bar:20}| [{elapsed}<{remaining}{postfix}]"
        )


_current: _Bar | None = None


def step(what: str, done: int = 0, of: int = 0) -> None:
    """Tell what is being done, and how far it is; costs nothing where no bar is shown."""
    bar = _current
    if bar is not None:
        bar.what, bar.done, bar.of = what, done, of


@contextmanager
def shown(limit: float | None = None, always: bool = False) -> Iterator[None]:
    """A bar for what runs inside, on a terminal (or `always`); an outer bar is kept."""
    global _current
    if _current is not None or not (always or sys.stderr.isatty()):
        yield
        return
    bar = _current = _Bar(limit)
    thread = threading.Thread(target=bar.draw, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        _current = None
        bar.ended.set()
        thread.join(timeout=2.0)
