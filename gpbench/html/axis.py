"""An axis: from values to places on the drawing, and the ticks that are written along it."""

from __future__ import annotations

import math
from dataclasses import dataclass

WIDE = 8  # a range of more than this ratio is drawn in logarithms, where it may be


@dataclass(frozen=True)
class Axis:
    """`start` and `end` are places on the drawing; of a vertical axis the start is below."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False
    at: tuple[float, ...] = ()  # ticks that must stand at given values: the sizes that were run

    @classmethod
    def over(cls, values, start: float, end: float, log: bool = False, at=(), share: float = 0.05) -> Axis:
        """An axis that holds these values, with a margin at both ends."""
        low, high = min(values), max(values)
        log = log and low > 0
        if log:
            low, high = math.log10(low), math.log10(high)
        margin = share * (high - low) or (0.15 if log else 0.1 * abs(high) or 1.0)
        low, high = low - margin, high + margin
        return cls(10**low if log else low, 10**high if log else high, start, end, log, tuple(at))

    def place(self, value: float) -> float:
        low, high = (math.log10(self.low), math.log10(self.high)) if self.log else (self.low, self.high)
        value = math.log10(value) if self.log else value
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def ticks(self, least: float) -> list[float]:
        """Round values (or `at`) whose places are at least so far apart."""
        if self.at:
            return _thinned(self.at, self.place, least)
        most = max(2, int(abs(self.end - self.start) / least))
        return self._decades(most) if self.log else self._steps(most)

    def _steps(self, most: int) -> list[float]:
        raw = (self.high - self.low) / most
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(k * power for k in (1, 2, 5, 10, 20) if k * power >= raw * (1 - 1e-9))
        return [k * step for k in range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1)]

    def _decades(self, most: int) -> list[float]:
        low, high = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        for parts in ((1, 2, 5), (1, 3), (1,)):
            found = [k * 10.0**p for p in range(low, high + 1) for k in parts if self.low <= k * 10.0**p <= self.high]
            if 2 <= len(found) <= most:
                return found
        return found[:: -(-len(found) // most)] if len(found) > 1 else self._steps(most)


def _thinned(values, place, least: float) -> list[float]:
    """From the far end on, those with enough space before the one already kept."""
    kept: list[float] = []
    for value in sorted(values, reverse=True):
        if not kept or abs(place(kept[-1]) - place(value)) >= least:
            kept.append(value)
    return kept[::-1]


def written(value: float) -> str:
    """A tick's number: plain where that is short."""
    text = f"{value:.10g}"
    if abs(value) >= 1e5 or (value and abs(value) < 1e-3):
        text = f"{value:.3g}".replace("e-0", "e-").replace("e+0", "e")
    return text.replace("-", "−", 1) if text.startswith("-") else text
