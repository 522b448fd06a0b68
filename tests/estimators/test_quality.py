"""The summary of a fit: its scores are those of rows left out, and agree with fresh rows; baselines by refits."""

import numpy as np
import pytest

from gpbench import SparseGPClassifier, SparseGPRegressor, load
from gpbench.errors import BadInput
from gpbench.estimators.quality import baselines
from gpbench.estimators.quality.judged import HELD, LEAVE_ONE_OUT, judge
from gpbench.estimators.quality.quality import examine, of_classes, told
from gpbench.estimators.quality.relevance import columns_of, effect, inverse_scales, typical
from gpbench.gp.kernels.build import build_kernel


def surface(n, seed=0, noise=5.0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 5, (n, 3))
    return X, 300 + 40 * np.sin(2 * X[:, 0]) + 10 * X[:, 1] + noise * rng.normal(size=n)


@pytest.mark.parametrize("method, size", [("fitc", 200), ("vfe", 200), ("vecchia", 20)])
def test_scores_agree_with_fresh_rows(method, size):
    model = SparseGPRegressor(
        method, size, random_state=0, learn={"schedule": "fixed", "from": "full-gp", "subset": 300}
    )
    model.fit(*surface(2000))
    X, y = surface(2000, seed=1)
    mean, std = model.predict(X, return_std=True)
    own = model.quality().scores[method]
    assert own["coverage"] == pytest.approx(np.mean(np.abs(y - mean) < 1.96 * std), abs=0.03)
    assert own["rmse"] == pytest.approx(np.sqrt(np.mean((y - mean) ** 2)), rel=0.06)
    assert own["nlpd"] == pytest.approx(-model.log_density(X, y).mean(), abs=0.06)
    assert model.quality().rows == 2000


def test_leave_one_out_in_units_of_the_target_equals_models_of_the_other_rows():
    X, y = surface(40)
    values = {"schedule": "fixed", "values": {"variance": 1.0, "lengthscale": [1.0, 2.0, 3.0], "noise": 0.05}}
    model = SparseGPRegressor("full-gp", kernel="ard-se", learn=values).fit(X, y)
    judged = judge(model)
    assert judged.how == LEAVE_ONE_OUT and sorted(judged.rows) == list(range(40))
    scaler = model.model_.scaler
    for mean, std, i in list(zip(judged.mean, judged.std, judged.rows))[:5]:
        rest = np.arange(40) != i  # scaled by the moments of all rows, as in the model
        A, t = scaler.inputs(X[rest]), scaler.target(y[rest], X[rest])
        kernel = model.kernel_
        S, k = kernel(A) + 0.05 * np.eye(39), kernel(A, scaler.inputs(X[[i]]))[:, 0]
        var = kernel.diag(A[:1])[0] + 0.05 - k @ np.linalg.solve(S, k)
        assert mean == pytest.approx(scaler.back(k @ np.linalg.solve(S, t), None, None)[0], rel=1e-7)
        assert std == pytest.approx(np.sqrt(var) * scaler.factor, rel=1e-7)


def test_a_method_without_leave_one_out_is_fitted_again():
    X, y = surface(120)
    model = SparseGPRegressor("csi", 20, random_state=0).fit(X, y)
    assert told(model, seconds=1.0) == ["quality: not known: a Ridge has no leave-one-out predictions of its own"]
    judged = judge(model)
    assert judged.how == HELD and len(judged.rows) == 24
    again = SparseGPRegressor("csi", 20, random_state=0).fit(*(np.delete(a, judged.rows, 0) for a in (X, y)))
    assert np.corrcoef(again.predict(X[judged.rows]), judged.mean)[0, 1] > 0.9  # the same rows, in another order
    assert "rows held out: 24 of 120" in model.quality().lines()[0]


def test_learned_inducing_inputs_are_judged_by_rows_held_out():
    model = SparseGPRegressor("fitc", 10, options={"optimise_inputs": True}, random_state=0).fit(*surface(100))
    assert judge(model).how == HELD
    assert judge(model, refit=False).how == LEAVE_ONE_OUT


def test_ridge_and_mean_equal_refits(rng):
    X, y = surface(30)
    mixed = rng.permutation(30)
    found = baselines.ridge(X, y, mixed, 6)
    errors = []
    for penalty in baselines.PENALTIES * 30:
        means = []
        for i in mixed[:6]:
            rest = np.arange(30) != i
            centre = X[rest].mean(0)
            C, D = X[rest] - centre, X.shape[1]
            # the intercept is free, the penalty is on the slopes
            w = np.linalg.solve(C.T @ C + penalty * np.eye(D), C.T @ (y[rest] - y[rest].mean()))
            means.append(y[rest].mean() + (X[i] - centre) @ w)
        errors.append((np.mean((y[mixed[:6]] - means) ** 2), means))
    best = min(errors, key=lambda pair: pair[0])
    assert found.mean == pytest.approx(best[1], rel=1e-9)
    constant = baselines.mean_of_targets(y, mixed[:6])
    for i, mean, std in zip(mixed[:6], constant.mean, constant.std):
        rest = np.arange(30) != i
        assert (mean, std) == pytest.approx((y[rest].mean(), y[rest].std(ddof=1)))


def test_logistic_regression_is_near_refits(rng):
    from sklearn.linear_model import LogisticRegression

    X = rng.normal(size=(80, 2))
    labels, mixed = (X[:, 0] + 0.5 * rng.normal(size=80) > 0).astype(int), rng.permutation(80)
    found = baselines.logistic(X, labels, mixed, 8)
    C = (X - X.mean(0)) / X.std(0)
    for k, i in enumerate(mixed[:8]):
        rest = np.arange(80) != i
        again = LogisticRegression(C=1.0, tol=1e-10).fit(C[rest], labels[rest]).predict_proba(C[[i]])[0, 1]
        assert found.prob[k, 1] == pytest.approx(again, abs=0.01)


def test_scores_of_classes():
    labels, prob = np.array([0, 0, 1, 1]), np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0.2, 0.8]])
    found = of_classes(labels, prob)
    assert found["err"] == 0.25
    assert found["nlpd"] == pytest.approx(-np.log([0.9, 0.4, 0.8, 0.8]).mean())
    assert found["calibration"] == pytest.approx((0.1 + 0.6 + 0.4) / 4)  # bins .9, .6 (a miss), .8 (two hits)


def test_classes_are_judged_by_the_cavities_of_ep():
    X, y = surface(150)
    model = SparseGPClassifier(random_state=0).fit(X, np.where(y > 320, "high", "low"))
    fresh, t = surface(1000, seed=2)
    prob = model.predict_proba(fresh)
    own = model.quality().scores["ep"]
    right = prob[np.arange(1000), np.where(t > 320, 0, 1)]
    assert own["nlpd"] == pytest.approx(-np.log(right).mean(), abs=0.1)
    assert list(model.quality().scores) == ["ep", "shares of the classes", "logistic regression"]


def test_counts_are_judged_by_their_distribution():
    X, y = surface(150, noise=0.0)
    counts = np.random.default_rng(1).poisson(np.exp((y - 300) / 40))
    model = SparseGPRegressor("ep", likelihood="poisson", random_state=0).fit(X, counts)
    assert 0.9 <= model.quality().scores["ep"]["coverage"] <= 1.0
    judged = judge(model)
    low, high = model.model_.quantiles(X[judged.rows], 0.025), model.model_.quantiles(X[judged.rows], 0.975)
    inside = (counts[judged.rows] >= low) & (counts[judged.rows] <= high)
    assert np.mean(judged.inside(0.95) == inside) > 0.95  # with the row's own target, few intervals change


def test_five_lines_and_what_a_saved_model_keeps(tmp_path):
    X, y = surface(150)
    model = SparseGPRegressor("fitc", 40, random_state=0).fit(X, y)
    lines = model.quality().lines()
    assert len(lines) == 5
    assert [line.split("  ")[0] for line in lines] == [
        "fitc", "mean of the target", "ridge regression", "relevance", "try next"
    ]  # fmt: skip
    assert "(leave-one-out: all 150 rows)" in lines[0] and "input 0" in lines[3] and "gpbench advise" in lines[4]
    model.save(tmp_path / "model.npz")
    assert load(tmp_path / "model.npz").quality().lines() == lines
    model.fit(X, y + 1)
    assert "quality_" not in vars(model)
    model.save(tmp_path / "other.npz")
    with pytest.raises(BadInput, match=r"ask for quality\(\) before it is saved"):
        _ = load(tmp_path / "other.npz").quality()


def test_relevance_and_effects():
    X, y = surface(200)
    model = SparseGPRegressor("fitc", 50, random_state=0).fit(X, y)
    examined = examine(model)
    assert next(name for name, _ in examined.quality.relevance) == "input 0"
    centre, rows = typical(model)
    assert centre == pytest.approx(np.median(X, axis=0))
    drawn = effect(model, columns_of(model)[0], centre, rows)
    grid = np.tile(centre, (len(drawn.at), 1))
    grid[:, 0] = drawn.at
    assert drawn.mean == pytest.approx(model.predict(grid))
    assert drawn.std == pytest.approx(model.predict(grid, return_std="latent")[1])
    isotropic = SparseGPRegressor("fitc", 50, {"name": "ard-se", "ard": False}, random_state=0).fit(X, y)
    assert examine(isotropic).quality.relevance[0][0] == "input 0"


def test_inverse_scales_of_sums():
    X = np.zeros((3, 2))
    kernel = build_kernel({"sum": [{"name": "ard-se"}, {"name": "linear"}]}, X)
    kernel = kernel.with_theta(np.where([n.startswith("lengthscale[0") for n in kernel.names], np.log(4), kernel.theta))
    assert inverse_scales(kernel, 2)[0] == pytest.approx(0.25)
    assert inverse_scales(build_kernel({"name": "linear"}, X), 2) is None
