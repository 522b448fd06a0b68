"""How the figures of the gallery look: one style, set again before each example."""

from __future__ import annotations


def reset(_gallery_conf, _file) -> None:
    """Set matplotlib's defaults for the gallery."""
    import matplotlib

    matplotlib.use("Agg", force=True)
    import matplotlib.pyplot as plt

    plt.rcdefaults()
    plt.rcParams.update(
        {
            "figure.figsize": (7.2, 3.8),
            "figure.dpi": 100,
            "figure.constrained_layout.use": True,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.alpha": 0.25,
            "grid.linewidth": 0.6,
            "axes.prop_cycle": plt.cycler(
                color=["#0b6fa4", "#d1495b", "#2e8b57", "#b8860b", "#6a4c93", "#4f5d75", "#c2703d"]
            ),
            "lines.linewidth": 1.8,
            "legend.frameon": False,
            "font.size": 10,
        }
    )
