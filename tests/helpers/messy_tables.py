"""Messy but ordinary tables, each with what a careful person would make of it: numbers in clean columns.

`python -m tests.helpers.messy_tables FOLDER` writes them: NAME.csv, NAME-new.csv (fresh rows), NAME.npz (clean arrays).
"""

from __future__ import annotations

import csv
import datetime
import io
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

FRESH = 1000
GAPS = ("", "NA", "n/a", "null", "-", "?", "None", "nan", "#N/A", "missing")


@dataclass
class Messy:
    """Cells of all rows, training rows first, and the clean inputs and targets of the same rows."""

    header: list[str]
    columns: list[list[str]]
    X: np.ndarray  # (n, D) clean inputs, gaps filled
    y: np.ndarray
    target: str = "y"
    delimiter: str = ","
    encoding: str = "utf-8"
    options: tuple[str, ...] = ()  # of the command; none for tables that need none
    tail: str = ""
    before: str = ""
    kinds: dict[str, str] = field(default_factory=dict)  # what the columns should be read as
    refused: str = ""  # part of the sentence, where no honest reading exists

    def text(self, rows) -> str:
        out = io.StringIO()
        writer = csv.writer(out, delimiter=self.delimiter, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows([[column[i] for column in self.columns] for i in rows])
        return self.before + out.getvalue() + self.tail

    def write(self, folder: Path, name: str) -> tuple[Path, Path]:
        n = len(self.y) - FRESH
        train, new = folder / f"{name}.csv", folder / f"{name}-new.csv"
        train.write_bytes(self.text(range(n)).encode(self.encoding))
        new.write_bytes(self.text(range(n, len(self.y))).encode(self.encoding))
        return train, new


def _base(n: int, seed: int, noise: float = 0.2):
    """Three inputs and a smooth target of all of them."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.uniform(0, 10, n), rng.normal(50, 12, n), rng.uniform(0, 1, n)
    y = 3 * np.sin(a) + 0.1 * (b - 50) + 4 * (c - 0.5) ** 2 + noise * rng.normal(size=n)
    return rng, a, b, c, y


def _days(rng, n: int, first=datetime.date(2020, 1, 1), span: int = 1000):
    days = rng.integers(0, span, n)
    return [first + datetime.timedelta(days=int(d)) for d in days], days.astype(float)


def _dated(form: str, seed: int, n: int) -> Messy:
    rng, a, b, _, y = _base(n, seed)
    dates, days = _days(rng, n)
    y = y + 2 * np.sin(days / 150)
    cells = [
        [f"{v:.3f}" for v in a],
        [d.strftime(form) for d in dates],
        [f"{v:.2f}" for v in b],
        [f"{v:.4f}" for v in y],
    ]
    return Messy(["a", "when", "b", "y"], cells, np.column_stack([a, days, b]), y, kinds={"when": "date"})


def dates_dmy(n=2500):
    return _dated("%d/%m/%Y", 1, n)


def dates_mdy(n=2500):
    return _dated("%m/%d/%y", 2, n)


def dates_ymd(n=2500):
    return _dated("%Y-%m-%dT00:00:00Z", 3, n)


def dates_named(n=2500):
    return _dated("%d %b %Y", 4, n)


def dates_ambiguous(n=2500):
    """No day above 12: nothing tells day and month apart."""
    rng, a, _, _, y = _base(n, 5)
    cells = [f"{d:02d}/{m:02d}/2021" for d, m in zip(rng.integers(1, 13, n), rng.integers(1, 13, n))]
    made = [[f"{v:.3f}" for v in a], cells, [f"{v:.4f}" for v in y]]
    return Messy(["a", "when", "y"], made, a[:, None], y, refused="--column when=dmy or --column when=mdy")


def units(n=2000):
    _, a, b, c, y = _base(n, 6)
    weight = [f"{v:.3f} kg" if i % 3 else f"{1000 * v:.0f} g" for i, v in enumerate(a)]
    speed = [f"{v:.1f} km/h" for v in b]
    return Messy(["weight", "speed", "c", "y"], [weight, speed, [f"{v:.4f}" for v in c], [f"{v:.4f}" for v in y]],
                 np.column_stack([a, b, c]), y, kinds={"weight": "number", "speed": "number"})  # fmt: skip


def currencies(n=2000):
    _, a, b, c, y = _base(n, 7)
    y = 50_000 * np.exp(y / 5)
    cost = [f"${1000 * v:,.2f}" for v in a]
    share = [f"{100 * v:.1f} %" for v in c]
    price = [f"${v:,.2f}" for v in y]
    return Messy(["cost", "b", "share", "price"], [cost, [f"{v:.2f}" for v in b], share, price],
                 np.column_stack([a, b, c]), y, "price", kinds={"cost": "number", "share": "number"})  # fmt: skip


def german(n=2000):
    """Decimal commas, thousands dots, semicolons, Windows-1252."""
    _, a, b, c, y = _base(n, 8)
    y = 3000 + 500 * y

    def de(v, digits):
        return f"{v:,.{digits}f}".replace(",", " ").replace(".", ",").replace(" ", ".")

    made = [[de(v, 2) for v in a], [de(1000 * v, 0) for v in b], [de(v, 3) for v in c], [de(v, 2) + " €" for v in y]]
    return Messy(["Größe", "Fläche", "Anteil", "Preis"], made, np.column_stack([a, b, c]), y, "Preis", ";", "cp1252")


def utf16(n=1500):
    _, a, b, c, y = _base(n, 9)
    made = [[f"{v:.3f}" for v in col] for col in (a, b, c, y)]
    return Messy(["α", "β", "c", "y"], made, np.column_stack([a, b, c]), y, "y", "\t", "utf-16")


def many_levels(n=3000):
    """300 customers, ids, mixed spellings of five colours."""
    rng, a, b, _, y = _base(n, 10)
    colours = ["red", "green", "blue", "black", "white"]
    k = rng.integers(0, 5, n)
    y = y + np.array([0.0, 1.0, -1.0, 2.0, 0.5])[k]
    spelt = [
        [str.lower, str.upper, str.title, lambda s: f" {s} "][j](colours[i]) for i, j in zip(k, rng.integers(0, 4, n))
    ]
    customers = [f"Customer {v}" for v in rng.integers(0, 300, n)]
    made = [[f"K-{i:05d}" for i in range(n)], [str(i + 1) for i in range(n)], customers, spelt,
            [f"{v:.3f}" for v in a], [f"{v:.3f}" for v in b], [f"{v:.4f}" for v in y]]  # fmt: skip
    X = np.column_stack([a, b, (k[:, None] == np.arange(5)).astype(float)])
    kinds = {"code": "id", "nr": "id", "customer": "text", "colour": "category"}
    return Messy(["code", "nr", "customer", "colour", "a", "b", "y"], made, X, y, kinds=kinds)


def gaps(n=3000):
    """Missing cells in many spellings, -999 among them; some targets are missing."""
    rng, a, b, c, y = _base(n, 11)
    gone = rng.uniform(size=(3, n)) < 0.06
    gone[:, n - FRESH :] &= rng.uniform(size=(3, FRESH)) < 0.5
    word = rng.integers(0, len(GAPS), (3, n))

    def cells(v, j, sentinel=""):
        return [sentinel or GAPS[word[j, i]] if gone[j, i] else f"{v[i]:.3f}" for i in range(n)]

    made = [cells(a, 0), cells(b, 1), cells(c, 2, "-999")]
    known = [np.median(v[: n - FRESH][~g[: n - FRESH]]) for v, g in zip((a, b, c), gone)]
    filled = [np.where(g, m, v) for v, g, m in zip((a, b, c), gone, known)]
    X = np.column_stack(filled + [g * 1.0 for g in gone])
    targets = [f"{v:.4f}" for v in y]
    for i in range(0, n - FRESH, 97):
        targets[i] = "NA"
    return Messy(["a", "b", "c", "y"], [*made, targets], X, y)


def booleans_times(n=2000):
    rng, a, b, _, y = _base(n, 12)
    yes, hour = rng.uniform(size=n) < 0.4, rng.uniform(0, 24, n).round(2)
    y = y + 2 * yes + 2 * np.sin(hour / 4)
    clock = [f"{int(h)}:{int(60 * (h % 1)):02d}" for h in hour]
    flag = [("Yes" if v else "No") for v in yes]
    mark = rng.uniform(size=n) < 0.3
    y = y - 1.5 * mark
    made = [
        [f"{v:.3f}" for v in a],
        [f"{v:.3f}" for v in b],
        flag,
        ["x" if m else "" for m in mark],
        clock,
        [f"{v:.4f}" for v in y],
    ]
    X = np.column_stack([a, b, yes, mark, hour])
    return Messy(["a", "b", "sold", "marked", "at", "y"], made, X, y, kinds={"sold": "boolean", "at": "time"})


def quoted(n=1500):
    """Quoted newlines and commas, empty lines and columns at the end, two columns of one name."""
    _, a, b, c, y = _base(n, 13)
    notes = [f'said "no, {i}"\nand left at {i * 7919 % n}' for i in range(n)]
    empty = [""] * n
    made = [
        notes,
        [f"{v:.3f}" for v in a],
        [f"{v:.3f}" for v in b],
        [f"{v:.4f}" for v in c],
        [f"{v:.4f}" for v in y],
        empty,
    ]
    header = ["remark", "size", "size", "c", "y", ""]
    return Messy(header, made, np.column_stack([a, b, c]), y, tail="\n,,,,,\n\n\n", kinds={"remark": "id"})


def leak(n=2000):
    _, a, b, c, y = _base(n, 14)
    made = [[f"{v:.3f}" for v in col] for col in (a, b, c)]
    euros = 10 + 1.08 * y
    made += [[f"{v:.3f}" for v in euros], [f"{v:.4f}" for v in y]]
    return Messy(["a", "b", "c", "y in euros", "y"], made, np.column_stack([a, b, c, euros]), y)


def long(n=60_000):
    rng, a, b, c, y = _base(n + FRESH, 15)
    n = len(y)
    dates, days = _days(rng, n)
    region = rng.integers(0, 8, n)
    y = y + 0.3 * region
    made = [[f"{v:.2f} €" for v in a], [d.strftime("%d.%m.%Y") for d in dates], [f"{v:.2f}" for v in b],
            [f"region {k}" for k in region], [f"{v:.4f}" for v in c], [f"{v:.4f}" for v in y]]  # fmt: skip
    X = np.column_stack([a, days, b, c, (region[:, None] == np.arange(8)).astype(float)])
    return Messy(["a", "when", "b", "region", "c", "y"], made, X, y, kinds={"when": "date"})


def wide(n=2500, D=1500):
    rng = np.random.default_rng(16)
    X = rng.normal(size=(n, D))
    y = X[:, :5].sum(1) + 0.5 * X[:, 5] ** 2 + 0.5 * rng.normal(size=n)
    made = [[f"{v:.4f}" for v in X[:, j]] for j in range(D)]
    return Messy([*(f"s{j}" for j in range(D)), "y"], [*made, [f"{v:.4f}" for v in y]], X, y)


def swiss(n=2000):
    """Apostrophes between thousands, non-breaking spaces, a title line above the header, accounting negatives."""
    _, a, b, c, y = _base(n, 17)
    value = [f"CHF {10_000 * v:,.2f}".replace(",", "'") for v in a]
    amount = [f"{1000 * v:,.0f}".replace(",", "\u00a0") for v in b]
    made = [value, amount, [f"{v:.4f}" for v in c], [f"({-v:.3f})" if v < 0 else f"{v:.3f}" for v in y]]
    return Messy(["Wert", "Menge", "c", "Ertrag"], made, np.column_stack([a, b, c]), y, "Ertrag", ";",
                 before="Export vom Montag\n")  # fmt: skip


def totals(n=1500):
    """A report: a title, a total and a mean below the rows; prices in whole dollars that only commas group."""
    _, a, b, _, y = _base(n, 18)
    y = np.round(250 * np.exp(y / 12)) * 1000
    made = [[f"Item {i % 7}" for i in range(n)], [f"{1000 + 200 * round(v):,}" for v in a], [f"{v:.0f}" for v in b],
            [f"${v:,.0f}" for v in y]]  # fmt: skip
    X = np.column_stack([(np.arange(n)[:, None] % 7 == np.arange(7)) * 1.0, 1000 + 200 * np.round(a), np.round(b)])
    m = n - FRESH
    below = [[word, f"{f(X[:m, 7]):,.0f}", f"{f(X[:m, 8]):.0f}", f"${f(y[:m]):,.0f}"]
             for word, f in (("Total", np.sum), ("Average", np.mean))]  # fmt: skip
    tail = "\n" + "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in below)
    return Messy(["item", "area", "rooms", "price"], made, X, y, "price", before="Sales of May\n\n", tail=tail)


def laboratory(n=1500):
    """Limits of detection, footnotes, durations."""
    rng, a, b, c, y = _base(n, 19)
    took = np.floor(rng.gamma(3.0, 20.0, n))
    y = y + took / 60
    dose = [f"<{0.05:.2f}" if v < 0.05 else f"{v:.3f}" for v in c]
    pressure = [f"{v:.1f}*" if i % 40 == 0 else f"{v:.1f}" for i, v in enumerate(b)]
    time = [f"{v // 60:.0f}h {v % 60:.0f}min" if v >= 60 else f"{v:.0f} min" for v in took]
    made = [[f"{v:.3f}" for v in a], pressure, dose, time, [f"{v:.3f} l/100km" for v in y]]
    X = np.column_stack([a, b, np.maximum(c, 0.05), took])
    kinds = {"pressure": "number", "dose": "number", "took": "time"}
    return Messy(["a", "pressure", "dose", "took", "y"], made, X, y, kinds=kinds)


TABLES = {
    f.__name__: f
    for f in (
        dates_dmy, dates_mdy, dates_ymd, dates_named, dates_ambiguous, units, currencies, german, utf16, many_levels,
        gaps, booleans_times, quoted, leak, swiss, totals, laboratory, long, wide,
    )
}  # fmt: skip


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in TABLES.items():
        made = make()
        made.write(folder, name)
        np.savez(folder / f"{name}.npz", X=made.X, y=made.y)
        print(name, made.X.shape)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
