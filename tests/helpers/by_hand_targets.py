"""Classes, counts and outliers with each library as its own documentation calls it; nothing of gpbench.

python by_hand_targets.py MODEL LIKELIHOOD ARRAYS.npz OUT.npz, under the Python of the library's environment. The
density of the library's model is integrated by scipy.
"""

import sys

import numpy as np
from scipy import integrate, stats

SEED, M, ROUNDS = 7, 20, 5


def integrated(log_p, y, m, v):
    """log of the integral of p(y | f) N(f; m, v) for each target."""

    def one(y, m, v):
        sd = np.sqrt(v)
        width = 12 * sd
        points = m + sd * np.linspace(-8, 8, 33)
        value, _ = integrate.quad(
            lambda f: np.exp(log_p(y, f)) * stats.norm.pdf(f, m, sd), m - width, m + width, points=points, limit=400
        )
        return np.log(value)

    return np.array([one(*row) for row in zip(y, np.ravel(m), np.ravel(v))])


def gpboost(model, likelihood, X, y, Xs, ys):
    import gpboost as gpb

    kind = {"poisson": "poisson", "negative-binomial": "negative_binomial", "student-t": "t"}.get(
        likelihood, "bernoulli_probit"
    )
    how = {"gp_approx": "vecchia", "num_neighbors": 20}
    if model == "vif":
        how = {"gp_approx": "full_scale_vecchia", "num_ind_points": M, "num_neighbors": 30}
    gp = gpb.GPModel(gp_coords=X, cov_function="gaussian_ard", likelihood=kind, seed=SEED, **how)
    gp.fit(y=y, X=np.ones((len(y), 1)))
    at = {"gp_coords_pred": Xs, "X_pred": np.ones((len(Xs), 1)), "predict_var": True}
    found, latent = gp.predict(**at), gp.predict(**at, predict_response=False)
    if kind == "bernoulli_probit":
        return {"prob": np.column_stack([1 - found["mu"], found["mu"]])}
    aux = None if kind == "poisson" else gp.get_aux_pars(format_pandas=False)
    log_p = {
        "poisson": lambda y, f: stats.poisson.logpmf(y, np.exp(f)),
        "negative_binomial": lambda y, f: stats.nbinom.logpmf(y, aux[0], aux[0] / (aux[0] + np.exp(f))),
        "t": lambda y, f: stats.t.logpdf(y, aux[1], f, aux[0]),
    }[kind]
    density = integrated(log_p, ys, latent["mu"], latent["var"])
    return {"mean": found["mu"], "var": found["var"], "log_density": density}


def gpflow(model, likelihood, X, y, Xs, ys):
    import gpflow as gpf
    import tensorflow as tf

    tf.random.set_seed(SEED)
    kernel = gpf.kernels.RBF(lengthscales=np.full(X.shape[1], np.sqrt(X.shape[1])))
    mean = gpf.functions.Constant([np.log(y.mean())]) if likelihood == "poisson" else None
    classes = int(y.max()) + 1
    one = {
        "poisson": gpf.likelihoods.Poisson, "student-t": gpf.likelihoods.StudentT,
        "none": gpf.likelihoods.Bernoulli if classes == 2 else lambda: gpf.likelihoods.MultiClass(classes),
    }[likelihood]()  # fmt: skip
    data = X, y[:, None].astype(float)
    if model == "vgp":
        gp = gpf.models.VGP(data, kernel, one, mean_function=mean)
        gpf.optimizers.Scipy().minimize(gp.training_loss, gp.trainable_variables, options={"maxiter": ROUNDS})
    else:  # one batch holds every row, so an epoch is a step
        Z = X[np.random.default_rng(SEED).permutation(len(X))[:M]]
        latent = classes if likelihood == "none" and classes > 2 else 1
        gp = gpf.models.SVGP(kernel, one, Z, mean_function=mean, num_latent_gps=latent, num_data=len(y))
        adam = tf.keras.optimizers.Adam(0.01)
        for _ in range(ROUNDS):
            with tf.GradientTape() as tape:
                loss = gp.training_loss(data)
            adam.apply_gradients(zip(tape.gradient(loss, gp.trainable_variables), gp.trainable_variables))
    found, var = (part.numpy() for part in gp.predict_y(Xs))
    if likelihood == "none":
        return {"prob": np.column_stack([1 - found, found]) if classes == 2 else found / found.sum(1, keepdims=True)}
    log_p = {
        "poisson": lambda y, f: stats.poisson.logpmf(y, np.exp(f)),
        "student-t": lambda y, f: stats.t.logpdf(y, 3, f, one.scale.numpy()),
    }[likelihood]
    density = integrated(log_p, ys, *(part.numpy() for part in gp.predict_f(Xs)))
    return {"mean": found, "var": var, "log_density": density}


def sklearn(model, likelihood, X, y, Xs, ys):
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process.kernels import RBF
    from sklearn.linear_model import LogisticRegression

    order = np.random.default_rng(SEED).permutation(len(y))
    if model == "gp-classifier":
        rows = order[:M]
        gp = GaussianProcessClassifier(1.0 * RBF(np.ones(X.shape[1])), random_state=SEED).fit(X[rows], y[rows])
        return {"prob": gp.predict_proba(Xs)}
    classifier = (
        LogisticRegression(max_iter=1000) if model == "logistic" else HistGradientBoostingClassifier(random_state=SEED)
    )
    return {"prob": classifier.fit(X, y).predict_proba(Xs)}


def main(name, likelihood, arrays, target):
    library, _, model = name.partition("-")
    with np.load(arrays) as given:
        found = globals()[library](model, likelihood, given["X"], given["y"], given["Xs"], given["ys"])
    np.savez(target, **{k: np.squeeze(v) for k, v in found.items()})


if __name__ == "__main__":
    main(*sys.argv[1:])
