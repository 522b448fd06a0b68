"""A fit over one input: training rows, mean, lines of standard deviations, inducing inputs at top and bottom."""

from __future__ import annotations

import numpy as np

PSEUDO_INPUTS = (("start_x", 0.96, "initial inducing inputs"), ("inducing_x", 0.04, "final ones"))  # height in the axes
BLACK = {"mean": "black", "sd": "black", "start_x": "black", "inducing_x": "black", "marker": "x"}


def draw(ax, found: dict, deviations: float, colours: dict = BLACK, keep=None, overlaid: bool = False) -> None:
    """`found`: curves of a trial (`traces.lists_of`); the outer lines are `deviations` standard deviations away.

    `keep(ax, series, x, y, low, high)` gets what is drawn; `overlaid`: inducing points also stand on the data.
    """
    x, mean, sd = (found[key] for key in ("fit_x", "fit_mean", "fit_sd"))
    low, high = mean - deviations * sd, mean + deviations * sd
    ax.plot(found["data_x"], found["data_y"], ".", color="0.55", markersize=2.5, label="training data", zorder=0)
    ax.plot(x, mean, color=colours["mean"], linewidth=1.4, label="predictive mean")
    label = f"± {deviations:g} standard deviation{'s' if deviations != 1 else ''}"
    for k, line in enumerate((low, high)):
        ax.plot(x, line, color=colours["sd"], linewidth=0.9, linestyle="--", label="" if k else label)
    if keep is not None:
        keep(ax, "training data", found["data_x"], found["data_y"])
        keep(ax, "predictive mean and lines", x, mean, low, high)
    for key, height, name in PSEUDO_INPUTS:
        if key in found and colours[key] != "none":
            _marks(ax, name, found[key], height, (colours[key], colours["marker"]), keep, (x[0], x[-1]))
    if overlaid and "inducing_x" in found:
        at = np.isin(found["data_x"], found["inducing_x"])
        ax.plot(found["data_x"][at], found["data_y"][at], "o", color=colours["inducing_x"], markersize=3.5, zorder=3)
    ax.set_xlim(x[0], x[-1])


def outside(found: dict) -> tuple[int, int]:
    """(final inducing inputs outside the axes, all of them)."""
    at, line = found.get("inducing_x", np.zeros(0)), found["fit_x"]
    return int(np.sum((at < line[0]) | (at > line[-1]))), len(at)


def _marks(ax, name: str, at, height: float, colours: tuple[str, str], keep, limits: tuple[float, float]) -> None:
    """Inducing inputs at one height; those outside the axes are arrows at the border."""
    if keep is not None:
        keep(ax, name, at, np.full(len(at), height))
    (colour, marker), (low, high) = colours, limits
    at, look = np.asarray(at), {"color": colour, "linestyle": "", "transform": ax.get_xaxis_transform()}
    inside = (at >= low) & (at <= high)
    ax.plot(at[inside], np.full(inside.sum(), height), marker, markersize=5, label=name, **look)
    for arrow, edge, out in (("<", low, at < low), (">", high, at > high)):
        if out.any():
            ax.plot([edge], [height], arrow, markersize=6, clip_on=False, **look)
            text = {"textcoords": "offset points", "xytext": (0, 6), "fontsize": 7, "color": colour}
            ax.annotate(f"{out.sum()}", (edge, height), ha="center", xycoords=ax.get_xaxis_transform(), **text)
