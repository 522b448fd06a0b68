"""
Three classes and their probabilities
=====================================

After this example you can fit more than two classes, and check whether the probabilities are right.

Three groups of rows overlap. `SparseGPClassifier` fits one regression to each class (the method `dirichlet`); far from
all rows its probabilities are nearly equal. A reliability diagram puts new rows into bins by the probability of the
predicted class: in a bin around .8 four of five predictions should be right.
"""

import matplotlib.pyplot as plt
import numpy as np

from gpbench import SparseGPClassifier

rng = np.random.default_rng(3)
CENTRES = {"red": (-1.0, 0.0), "green": (1.0, 0.2), "blue": (0.0, 1.5)}


def rows(n):
    labels = rng.choice(list(CENTRES), n)
    return np.array([CENTRES[c] for c in labels]) + 0.7 * rng.normal(size=(n, 2)), labels


(X, y), (X_test, y_test) = rows(200), rows(3000)
model = SparseGPClassifier(random_state=0).fit(X, y)
axis = np.linspace(-4, 4, 60)
grid = np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2)
highest = model.predict_proba(grid).max(1).reshape(60, 60)
prob = model.predict_proba(X_test)
right, sure = model.predict(X_test) == y_test, prob.max(1)
bins = np.digitize(sure, np.linspace(0, 1, 16)[1:-1])
ece = sum(abs(right[bins == b].sum() - sure[bins == b].sum()) for b in np.unique(bins)) / len(right)

figure, (left, middle) = plt.subplots(1, 2, figsize=(10, 4))
shown = left.contourf(axis, axis, highest, levels=np.linspace(1 / 3, 1, 9), cmap="Greys_r", alpha=0.6)
for label in CENTRES:
    left.plot(*X[y == label].T, ".", color=f"tab:{label}", label=label)
figure.colorbar(shown, ax=left, label="probability of the likely class")
left.set(title=f"error {1 - right.mean():.2f} on new rows", xlabel="first input", ylabel="second input")
left.legend(loc="lower left")
middle.plot([1 / 3, 1], [1 / 3, 1], color="0.6", linewidth=1)
middle.plot(*np.array([(sure[bins == b].mean(), right[bins == b].mean()) for b in np.unique(bins)]).T, "o-")
middle.set(title=f"calibration error {ece:.3f}", xlabel="mean probability in the bin", ylabel="share of right answers")
