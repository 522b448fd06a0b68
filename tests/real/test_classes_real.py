"""Classes of real data: dirichlet with two classes orders test rows as EP does."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from gpbench import SparseGPClassifier, data

pytestmark = pytest.mark.real


@pytest.mark.parametrize("name", ["pima", "ionosphere"])
def test_dirichlet_of_two_classes_ranks_test_rows_as_ep_does(name):
    found = data.load({"name": name})
    order = np.random.default_rng(0).permutation(found.n)
    train, test = order[: 2 * found.n // 3], order[2 * found.n // 3 :]
    kernel = {"name": "ard-se", "ard": False}
    by_ep, by_regression = (
        SparseGPClassifier(method, kernel=kernel, random_state=0).fit(found.X[train], found.y[train])
        for method in ("ep", "dirichlet")
    )
    p, q = (model.predict_proba(found.X[test])[:, 1] for model in (by_ep, by_regression))
    assert spearmanr(p, q).statistic > 0.95
