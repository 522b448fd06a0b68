"""The charts of a model's page."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from gpbench.estimators.quality.judged import Judged
from gpbench.estimators.quality.quality import Examined
from gpbench.estimators.quality.relevance import Effect, effect, typical
from gpbench.html.axis import written
from gpbench.html.plain_chart import Plain, figure

LEVELS = np.r_[0.05:1.0:0.1, 0.99]
BINS, REACH = 25, 4.0  # of standardised residuals
BAND = 1.96


def of_judged(judged: Judged, target: str, classes: list[str]) -> list[Markup]:
    """Predicted against actual, calibration, residuals; for classes their probabilities."""
    if judged.prob is not None:
        return _of_classes(judged, classes)
    pairs = list(zip(judged.mean.tolist(), judged.y.tolist()))
    ends = min(judged.y.min(), judged.mean.min()), max(judged.y.max(), judged.mean.max())
    z = (judged.y - judged.mean) / judged.std
    observed = [float(judged.inside(level).mean()) for level in LEVELS]
    told = [f"{v:.0%} intervals hold {o:.1%} of the targets" for v, o in zip(LEVELS, observed)]
    spread = [BAND * np.sqrt(level * (1 - level) / len(judged.y)) for level in LEVELS]
    charts = [
        Plain(
            "predicted", "predicted", f"actual {target}",
            f"Each dot is one of {len(pairs):,} rows, predicted without it; on the dashed line a prediction is right.",
            dots=pairs, reference=[(end, end) for end in ends],
            legend={"dots": "rows", "reference": "actual = predicted"},
        ),
        Plain(
            "calibration", "probability of the interval", "share of targets inside",
            "A curve below the dashed line means intervals that are too narrow. The band is what chance allows.",
            line=list(zip(LEVELS.tolist(), observed)),
            band=[(v, max(v - s, 0.0), min(v + s, 1.0)) for v, s in zip(LEVELS.tolist(), spread)],
            points=list(zip(LEVELS.tolist(), observed, told)),
            reference=[(0.0, 0.0), (1.0, 1.0)], legend={"line": "observed", "reference": "right", "band": "chance"},
        ),
        Plain(
            "residuals", "predicted", "actual − predicted",
            "A trend, or a width that changes along the axis, says what the model misses.",
            dots=list(zip(judged.mean.tolist(), (judged.y - judged.mean).tolist())),
            reference=[(float(judged.mean.min()), 0.0), (float(judged.mean.max()), 0.0)],
            legend={"dots": "rows", "reference": "no error"},
        ),
        _histogram(z),
    ]  # fmt: skip
    return [figure(chart) for chart in charts]


def _histogram(z) -> Plain:
    edges = np.linspace(-REACH, REACH, BINS + 1)
    counts = np.histogram(np.clip(z, -REACH, REACH), edges)[0] / (len(z) * (edges[1] - edges[0]))
    grid = np.linspace(-REACH, REACH, 81)
    normal = np.exp(-0.5 * grid**2) / np.sqrt(2 * np.pi)
    far = int((np.abs(z) > REACH).sum())
    bars = [
        (
            float(a),
            float(b),
            float(h),
            f"{written(round(a, 2))} to {written(round(b, 2))}: {h * (b - a):.1%} of the rows",
        )
        for a, b, h in zip(edges, edges[1:], counts)
    ]
    return Plain(
        "standardised", "(actual − predicted) / std", "density",
        f"Residuals over their predicted standard deviation. {far} of {len(z):,} are beyond {REACH:g} and are counted "
        "in the outer bars.",
        bars=bars, reference=list(zip(grid.tolist(), normal.tolist())),
        legend={"column": "rows", "reference": "normal distribution"},
    )  # fmt: skip


def _of_classes(judged: Judged, classes: list[str]) -> list[Markup]:
    likely, top = judged.prob.argmax(1), judged.prob.max(1)
    edges = np.linspace(1 / judged.prob.shape[1], 1.0, 9)
    place = np.clip(np.digitize(top, edges) - 1, 0, len(edges) - 2)
    seen, hit = np.unique(place), likely == judged.y
    observed = [(float(top[place == b].mean()), float(hit[place == b].mean()), int((place == b).sum())) for b in seen]
    spread = [BAND * np.sqrt(p * (1 - p) / n) for p, _, n in observed]
    found = [
        Plain(
            "calibration", "probability of the predicted class", "share that is right",
            "A point below the dashed line means probabilities that are too sure. The band is what chance allows.",
            line=[(p, o) for p, o, _ in observed],
            points=[(p, o, f"probability {p:.2f}: {o:.1%} of {n} rows are right") for p, o, n in observed],
            band=[(p, max(p - s, 0.0), min(p + s, 1.0)) for (p, _, _), s in zip(observed, spread)],
            reference=[(edges[0], edges[0]), (1.0, 1.0)],
            legend={"line": "observed", "reference": "right", "band": "chance"},
        )
    ]  # fmt: skip
    own = judged.prob[np.arange(len(judged.y)), judged.y]
    ends = np.linspace(0, 1, 21)
    counts = np.histogram(own, ends)[0] / len(own)
    bars = [
        (float(a), float(b), float(h), f"{a:.2f} to {b:.2f}: {h:.1%} of the rows")
        for a, b, h in zip(ends, ends[1:], counts)
    ]
    found.append(
        Plain(
            "right", "probability of the right class", "share of the rows",
            "Rows on the left were predicted wrong and sure: look at them.",
            bars=bars, legend={"column": "rows"},
        )
    )  # fmt: skip
    shares = [
        float((judged.prob.argmax(1)[judged.y == k] != k).mean()) if (judged.y == k).any() else 0.0
        for k in range(len(classes))
    ]
    found.append(
        Plain(
            "classes", "actual class", "share predicted as another",
            "How often the rows of each class are taken for another class.",
            bars=[(k - 0.35, k + 0.35, s, f"{name}: {s:.1%}") for k, (name, s) in enumerate(zip(classes, shares))],
            categories=classes, legend={"column": "rows"},
        )
    )  # fmt: skip
    return [figure(chart) for chart in found]


def relevance(values: list[tuple[str, float]]) -> list[dict]:
    """Bars of the chart of relevance, as shares of the largest."""
    top = values[0][1] if values else 1.0
    return [{"name": name, "value": f"{value:.3g}", "share": f"{100 * value / top:.1f}"} for name, value in values]


def effects(estimator, examined: Examined, most: int, target: str) -> list[Markup]:
    columns = [column for column, value in examined.relevance[:most] if value > 0]
    if not columns:
        return []
    centre, rows = typical(estimator) if examined.rows is None else (examined.centre, examined.rows)
    probability = estimator.model_.task == "classification"
    shown = -1 if not probability or len(estimator.classes_) == 2 else int(np.bincount(examined.judged.y).argmax())
    y_title = f"probability of {estimator.classes_[shown]}" if probability else f"predicted {target}"
    along = [effect(estimator, column, centre, rows, of_class=shown) for column in columns]
    ends = (0.0, 1.0) if probability else _ends(along)
    found = []
    for k, (column, e) in enumerate(zip(columns, along)):
        named = bool(e.at) and isinstance(e.at[0], str)
        at = list(range(len(e.at))) if named else e.at
        mean = e.mean.tolist()
        sides = [] if e.std is None else [(a, m - BAND * s, m + BAND * s) for a, m, s in zip(at, mean, e.std.tolist())]
        texts = [f"{name if named else written(float(f'{name:.4g}'))}: {m:.4g}" for name, m in zip(e.at, mean)]
        few = named or len(at) <= 12
        legend = {"line": "mean"} | ({"spread" if named else "band": "95 % of the function"} if sides else {})
        title = f"{column.name}, {column.unit}" if column.unit else column.name
        found.append(
            Plain(
                f"effect-{k}", title, y_title, f"Along {column.name}, the other columns at their medians.", y_ends=ends,
                line=[] if named else list(zip(at, mean)), band=sides,
                points=list(zip(at, mean, texts)) if few else list(zip(at, mean, texts))[::5],
                categories=e.at if named else (), legend=legend,
            )
        )  # fmt: skip
    return [figure(chart) for chart in found]


def _ends(along: list[Effect]) -> tuple[float, ...]:
    sides = [e.mean + sign * BAND * e.std for e in along for sign in (-1, 1)]
    return min(float(side.min()) for side in sides), max(float(side.max()) for side in sides)
