"""
Class boundaries of expectation propagation
===========================================

After this example you can fit a classifier and see where it is unsure.

`ep` uses all rows. `ep-fic` summarises them by 12 inducing inputs; its boundary is nearly the same. The colour is
the probability of the class, the lines are at 0.1, 0.5 and 0.9.
"""

import matplotlib.pyplot as plt
import numpy as np

from gpbench import SparseGPClassifier

rng = np.random.default_rng(8)
angle = rng.uniform(0, np.pi, 240)
label = rng.integers(0, 2, 240)
X = np.column_stack([np.cos(angle) + label, np.sin(angle) * np.where(label, -1, 1) + 0.4 * label])
X += 0.22 * rng.normal(size=X.shape)

axis_1, axis_2 = np.meshgrid(np.linspace(-1.8, 2.8, 90), np.linspace(-1.6, 1.9, 80))
grid = np.column_stack([axis_1.ravel(), axis_2.ravel()])

figure, panels = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
for panel, (method, size) in zip(panels, [("ep", "auto"), ("ep-fic", 12)], strict=True):
    model = SparseGPClassifier(method, n_basis=size, random_state=0).fit(X, label)
    probability = model.predict_proba(grid)[:, 1].reshape(axis_1.shape)
    panel.contourf(axis_1, axis_2, probability, levels=20, cmap="RdBu_r", vmin=0, vmax=1, alpha=0.7)
    lines = panel.contour(axis_1, axis_2, probability, levels=[0.1, 0.5, 0.9], colors="k", linewidths=[0.8, 1.6, 0.8])
    panel.clabel(lines, fontsize=8)
    panel.scatter(*X.T, c=label, cmap="RdBu_r", edgecolor="k", linewidth=0.4, s=18)
    name = "EP with all rows" if method == "ep" else "FIC with 12 inducing inputs"
    panel.set(title=f"{name}: log evidence {model.log_evidence_:.1f}")
    panel.grid(False)
