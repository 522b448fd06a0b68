"""
Three sparse models of one curve
================================

The same 200 noisy rows, 12 inducing inputs and three approximations. DTC (`plv`) and VFE use the exact prior variance
less what the inducing inputs explain; FITC adds what they do not explain to the noise of each row.
"""

import matplotlib.pyplot as plt
import numpy as np

from gpbench import SparseGPRegressor

rng = np.random.default_rng(2)
X = np.sort(rng.uniform(0, 6, 200))[:, None]
y = np.sin(2 * X[:, 0]) + 0.25 * rng.normal(size=200)
grid = np.linspace(-0.5, 6.5, 300)[:, None]

figure, panels = plt.subplots(1, 3, figsize=(9, 3), sharey=True)
for panel, (method, title) in zip(panels, [("plv", "DTC"), ("fitc", "FITC"), ("vfe", "VFE")], strict=True):
    model = SparseGPRegressor(method, n_basis=12, learn="joint", random_state=0).fit(X, y)
    mean, std = model.predict(grid, return_std=True)
    panel.plot(X, y, ".", color="0.6", markersize=3)
    panel.plot(grid, mean, color="C0")
    panel.fill_between(grid[:, 0], mean - 2 * std, mean + 2 * std, color="C0", alpha=0.2, linewidth=0)
    panel.plot(model.basis_, np.full(len(model.basis_), -1.9), "|", color="C1", markersize=12)
    panel.set(title=f"{title}, log evidence {model.log_evidence_:.0f}", xlabel="x")
panels[0].set_ylabel("y")
