"""
Compact support: zeros in the covariance, and in its factor
===========================================================

After this example you know what fill is, and why the order of the rows matters.

The kernel `pp1` is exactly zero beyond a radius, so most covariances of distant rows are zero (left). A Cholesky
factor has more entries than the matrix: the fill. In the order in which the rows come it is large (middle); a good
order makes it small (right). gpbench chooses the order by itself.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import csc_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee

from gpbench.gp.kernels.build import build_kernel

rng = np.random.default_rng(7)
X = rng.uniform(0, 10, (300, 2))
kernel = build_kernel({"name": "pp1"}, X)
kernel = kernel.with_theta(np.log([1.0, 1.3, 1.3]))  # variance, and the radius along each input
K = kernel(X)
K = K.toarray() if hasattr(K, "toarray") else K
order = reverse_cuthill_mckee(csc_matrix(K), symmetric_mode=True)
factor = np.linalg.cholesky(K + 0.01 * np.eye(300))
ordered = np.linalg.cholesky(K[np.ix_(order, order)] + 0.01 * np.eye(300))

figure, panels = plt.subplots(1, 3, figsize=(10, 3.7))
for panel, matrix, title in (
    (panels[0], K, "covariance"),
    (panels[1], factor, "factor, rows as they come"),
    (panels[2], ordered, "factor, rows reordered"),
):
    share = np.mean(np.abs(matrix) > 1e-12)
    panel.imshow(np.abs(matrix) > 1e-12, cmap="Blues", interpolation="nearest")
    panel.set(title=f"{title}\n{share:.0%} of the entries", xticks=[], yticks=[])
    panel.grid(False)
