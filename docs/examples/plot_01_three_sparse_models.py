"""
Three sparse models of one curve
================================

After this example you know how DTC, FITC and VFE differ.

All three models summarise 200 noisy rows by 8 inducing inputs, which they may move (orange marks). The dashed line
is the mean of the full Gaussian process. DTC (the method `plv`) learns as if the inducing inputs explained
everything: its evidence is above that of the full model, a sign of over-fitting, and its interval is wide between
the inducing inputs. FITC adds what the inducing inputs do not explain to the noise of each row. VFE maximises a
lower bound of the evidence: it pays for what 8 inducing inputs leave out, and it never looks better than the full
model.
"""

import matplotlib.pyplot as plt
import numpy as np

from gpbench import SparseGPRegressor

rng = np.random.default_rng(2)
X = np.sort(rng.uniform(0, 6, 200))[:, None]
y = np.sin(2 * X[:, 0]) + 0.5 * np.cos(5 * X[:, 0]) + 0.25 * rng.normal(size=200)
grid = np.linspace(-0.7, 6.7, 300)[:, None]
exact = SparseGPRegressor("full-gp", learn="joint", random_state=0).fit(X, y)

figure, panels = plt.subplots(1, 3, figsize=(10, 3.4), sharey=True)
for panel, (method, title) in zip(panels, [("plv", "DTC"), ("fitc", "FITC"), ("vfe", "VFE")], strict=True):
    options = {"optimise_inputs": True}
    model = SparseGPRegressor(method, n_basis=8, learn="joint", random_state=0, options=options).fit(X, y)
    mean, std = model.predict(grid, return_std=True)
    panel.plot(X, y, ".", color="0.65", markersize=3)
    panel.fill_between(grid[:, 0], mean - 2 * std, mean + 2 * std, color="C0", alpha=0.2, linewidth=0)
    panel.plot(grid, mean, color="C0")
    panel.plot(grid, exact.predict(grid), "--", color="0.2", linewidth=1)
    panel.plot(model.basis_, np.full(len(model.basis_), -2.3), "^", color="C6", markersize=6)
    panel.set(title=f"{title}: log evidence {model.log_evidence_:.1f}", xlabel="x", xlim=(-0.7, 6.7))
panels[0].set_ylabel("y")
figure.suptitle(f"8 inducing inputs; full GP: log evidence {exact.log_evidence_:.1f}")
