"""
Inducing inputs that move
=========================

After this example you know what `optimise_inputs` does, and when it pays.

Fourteen inducing inputs start at centres of k-means (grey). Learned together with the hyperparameters they move to
where the function changes most (orange): the oscillation on the right. On the left a few are enough.
"""

import matplotlib.pyplot as plt
import numpy as np

from gpbench import SparseGPRegressor

rng = np.random.default_rng(11)
X = np.sort(rng.uniform(0, 10, 300))[:, None]


def curve(x):
    return np.where(x < 5, 0.2 * x, 1 + np.sin(4 * (x - 5)))


y = curve(X[:, 0]) + 0.15 * rng.normal(size=300)
grid = np.linspace(0, 10, 400)[:, None]

figure, panels = plt.subplots(2, 1, figsize=(8, 5.2), sharex=True)
for panel, free in zip(panels, (False, True), strict=True):
    model = SparseGPRegressor(
        "vfe", n_basis=14, learn="joint", random_state=0, options={"optimise_inputs": free, "inducing": "kmeans"}
    ).fit(X, y)
    mean, std = model.predict(grid, return_std=True)
    error = np.mean((mean - curve(grid[:, 0])) ** 2) / curve(grid[:, 0]).var()
    panel.plot(X, y, ".", color="0.7", markersize=3)
    panel.fill_between(grid[:, 0], mean - 2 * std, mean + 2 * std, color="C0", alpha=0.2, linewidth=0)
    panel.plot(grid, mean, color="C0")
    panel.vlines(model.basis_, -1.1, -0.75, color="C6" if free else "0.45", linewidth=2.5)
    what = "moved" if free else "fixed at centres of k-means"
    panel.set(title=f"inducing inputs {what}: log evidence {model.log_evidence_:.0f}, error / variance {error:.3f}")
panels[1].set_xlabel("x")
