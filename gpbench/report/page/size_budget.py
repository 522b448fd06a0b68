"""The size budget of a page: figures are added while it lasts, and the others are named."""

from __future__ import annotations

from dataclasses import dataclass, field

LIMIT = 1_950_000  # bytes; a page that opens at once on a telephone


@dataclass
class SizeBudget:
    left: int = LIMIT
    out: list[str] = field(default_factory=list)

    def take(self, name: str, text: str) -> list[str]:
        """[text] where it fits, else nothing; the name is remembered."""
        size = len(text.encode("utf-8", "backslashreplace"))
        if size > self.left:
            self.out.append(name)
            return []
        self.left -= size
        return [text]

    def note(self) -> str:
        return f"Left out to keep this page small: {', '.join(self.out)}." if self.out else ""
