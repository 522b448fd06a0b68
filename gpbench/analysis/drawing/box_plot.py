"""Groups of boxes, one group per size or a single one; single points where trials are too few for quartiles."""

from __future__ import annotations

import pandas as pd

from .axes import plain
from .style import lighter

FEWEST = 5  # trials from which on a box is drawn


def groups(ax, rows: pd.DataFrame, metric: str, labels: list[str], looks: dict, sizes=None, keep=None) -> None:
    """At every d_max (`sizes`: [None] for one group of all rows) one box per label, from left to right.

    `keep(ax, series, x, y, low, high, trials)` gets what is drawn: median and quartiles, or the points themselves.
    """
    sizes = sorted(rows["d_max"].dropna().unique()) if sizes is None else sizes
    width = 0.8 / len(labels)
    for k, label in enumerate(labels):
        mine = rows[rows["label"] == label].dropna(subset=[metric])
        shift = (k - (len(labels) - 1) / 2) * width
        named = False
        for i, d in enumerate(sizes):
            values = (mine if d is None else mine[mine["d_max"] == d])[metric].to_numpy()
            if not len(values):
                continue
            draw = _box if len(values) >= FEWEST else _points
            artist = draw(ax, values, i + shift, width, looks[label])
            if not named and sizes != [None]:
                artist.set_label(plain(label))
                named = True
            if keep is not None:
                _keep(ax, keep, label, 0 if d is None else d, values)
    if sizes == [None]:  # the names stand below their boxes
        places = [(k - (len(labels) - 1) / 2) * width for k in range(len(labels))]
        ax.set_xticks(places, [plain(name) for name in labels], rotation=30 if len(labels) > 4 else 0, ha="center")
    else:
        ax.set_xticks(range(len(sizes)), [f"{d:.0f}" for d in sizes])
    ax.grid(visible=False, axis="x")


def _box(ax, values, at: float, width: float, look: dict):
    colour = look["color"]
    box = ax.boxplot(
        [values], positions=[at], widths=0.85 * width, patch_artist=True, manage_ticks=False,
        flierprops={"marker": ".", "markersize": 3, "markeredgecolor": colour, "markerfacecolor": colour},
        whiskerprops={"color": colour, "linewidth": 0.8}, capprops={"color": colour, "linewidth": 0.8},
        medianprops={"color": colour, "linewidth": 1.6},
    )  # fmt: skip
    box["boxes"][0].set(facecolor=lighter(colour), edgecolor=colour, linewidth=0.8)
    return box["boxes"][0]


def _points(ax, values, at: float, width: float, look: dict):
    drawn = {"color": look["color"], "marker": look["marker"] or ".", "linestyle": "", "markersize": 3.5}
    return ax.plot([at] * len(values), values, **drawn)[0]


def _keep(ax, keep, label: str, x: float, values) -> None:
    if len(values) < FEWEST:
        keep(ax, label, [x] * len(values), values, trials=[1] * len(values))
        return
    low, middle, high = pd.Series(values).quantile([0.25, 0.5, 0.75])
    keep(ax, label, [x], [middle], [low], [high], [len(values)])
