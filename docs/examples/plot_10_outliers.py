"""
Outliers: a Student-t likelihood
================================

After this example you can fit rows of which some are wrong.

Eight of these 150 rows were replaced. Normal noise must explain these rows: the curve bends towards them, and the
interval grows everywhere. A Student-t likelihood expects a few rows far away, and the curve stays.
"""

import matplotlib.pyplot as plt
import numpy as np

from gpbench import SparseGPRegressor

rng = np.random.default_rng(14)
X = np.sort(rng.uniform(0, 6, 150))[:, None]
y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=150)
wrong = rng.choice(150, 8, replace=False)
y[wrong] += rng.uniform(1.0, 2.5, 8)
grid = np.linspace(0, 6, 300)[:, None]

figure, panels = plt.subplots(1, 2, figsize=(10, 3.8), sharey=True)
for panel, likelihood, title in zip(panels, (None, "student-t"), ("normal noise", "Student-t likelihood"), strict=True):
    model = SparseGPRegressor(likelihood=likelihood, learn="joint", random_state=0).fit(X, y)
    mean, std = model.predict(grid, return_std="latent")
    error = np.sqrt(np.mean((mean - np.sin(2 * grid[:, 0])) ** 2))
    panel.plot(X, y, ".", color="0.55", markersize=4)
    panel.plot(X[wrong], y[wrong], "o", color="C1", fillstyle="none", markersize=8, label="replaced rows")
    panel.fill_between(grid[:, 0], mean - 2 * std, mean + 2 * std, color="C0", alpha=0.25, linewidth=0)
    panel.plot(grid, mean, color="C0", label="mean, with two standard deviations")
    panel.plot(grid, np.sin(2 * grid), "--", color="0.2", linewidth=1, label="true curve")
    panel.set(title=f"{title}: error of the curve {error:.2f}", xlabel="x")
panels[1].legend()
