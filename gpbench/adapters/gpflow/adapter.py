"""GPflow: SGPR and VGP by L-BFGS, SVGP by Adam on minibatches; inducing inputs learned with the hyperparameters.

VGP and SVGP take other likelihoods than the Gaussian one.
"""

import numpy as np

MODELS = ("sgpr", "svgp", "vgp", "svgp-classifier")
AS_IT_IS = {"autograph": False}  # nothing in these models branches on values; rewriting their source takes two seconds
REACH, NODES, ROWS = 10.0, 2001, 500  # of the sum over latent values: deviations, nodes, rows at once
KERNELS = {"matern12": "Matern12", "matern32": "Matern32", "matern52": "Matern52"}


def likelihood_of(params):
    """(likelihood, number of latent functions)."""
    from gpflow import likelihoods

    if params["model"].endswith("classifier"):
        classes = params["classes"]
        return (likelihoods.Bernoulli(), 1) if classes == 2 else (likelihoods.MultiClass(classes), classes)
    named = params.get("likelihood")
    if named == "poisson":
        return likelihoods.Poisson(), 1
    return (likelihoods.StudentT(), 1) if named == "student-t" else (likelihoods.Gaussian(0.1), 1)


class Model:
    def __init__(self, X, y, params):
        import gpflow
        import tensorflow as tf

        tf.random.set_seed(int(params["seed"]))
        dims, m = X.shape[1], min(len(y), params["d_max"] or 500)
        kernel = getattr(gpflow.kernels, KERNELS.get(params["kernel"], "SquaredExponential"))
        kernel = kernel(lengthscales=np.sqrt(dims) * np.ones(dims))
        Z = X[np.random.default_rng(params["seed"]).permutation(len(y))[:m]].copy()
        data, family = (X, y[:, None]), params["model"]
        likelihood, latent = likelihood_of(params)
        mean = None
        if params.get("likelihood") == "poisson":  # the functions begin at the mean count
            mean = gpflow.functions.Constant([np.log(max(y.mean(), 0.1))])
        if family == "sgpr":
            self.model = gpflow.models.SGPR(data, kernel, Z, noise_variance=0.1)
            gpflow.set_trainable(self.model.inducing_variable, params.get("optimise_inputs", True))
            self._whole(gpflow, params)
            self.log_evidence = float(self.model.elbo())
        elif family == "vgp":
            m = len(y)
            self.model = gpflow.models.VGP(data, kernel, likelihood, mean_function=mean)
            self._whole(gpflow, params)
            self.log_evidence = float(self.model.elbo())
        else:
            self.model = gpflow.models.SVGP(
                kernel, likelihood, Z, mean_function=mean, num_latent_gps=latent, num_data=len(y)
            )
            self._stochastic(tf, data, params)
        self.n_basis = m

    def _whole(self, gpflow, params):
        rounds = {"maxiter": 2 if params.get("warm_up") else params.get("iterations", 100)}
        optimise, variables = gpflow.optimizers.Scipy().minimize, self.model.trainable_variables
        optimise(self.model.training_loss, variables, options=rounds, tf_fun_args=AS_IT_IS)

    def _stochastic(self, tf, data, params, batch=1024):
        n = len(data[0])
        stream = (
            tf.data.Dataset.from_tensor_slices(data).shuffle(n, seed=int(params["seed"])).repeat().batch(min(batch, n))
        )
        loss = self.model.training_loss_closure(iter(stream), compile=False)  # `step` is compiled as a whole
        optimiser = tf.keras.optimizers.Adam(params.get("rate", 0.01))
        variables = self.model.trainable_variables

        @tf.function(**AS_IT_IS)
        def step():
            with tf.GradientTape() as tape:
                value = loss()
            optimiser.apply_gradients(zip(tape.gradient(value, variables), variables))

        epochs = 1 if params.get("warm_up") else params.get("iterations", 40)
        for _ in range(max(1, round(epochs * n / min(batch, n)))):
            step()

    def predicted(self, X, block=4096):
        """Moments of the target, each (t, outputs)."""
        parts = [self.model.predict_y(X[i : i + block]) for i in range(0, len(X), block)]
        return [np.concatenate([p[k].numpy() for p in parts]) for k in (0, 1)]

    def predict(self, X):
        return (part.ravel() for part in self.predicted(X))


class Other(Model):
    """A likelihood whose predictive density is not normal."""

    def log_density(self, X, y):
        """The sum of p(y | f) N(f) over latent values f: the library's own rule, of 20 nodes, is off by .05 nat."""
        parts = (slice(i, i + ROWS) for i in range(0, len(y), ROWS))
        return np.concatenate([self._log_density(X[r], y[r]) for r in parts])

    def _log_density(self, X, y):
        m, v = (part.numpy() for part in self.model.predict_f(X))
        z = np.linspace(-REACH, REACH, NODES)
        f, each_y, each_x = (m + np.sqrt(v) * z).reshape(-1, 1), y.repeat(NODES)[:, None], X.repeat(NODES, axis=0)
        each = self.model.likelihood.log_prob(each_x, f, each_y).numpy().reshape(len(y), NODES) - 0.5 * z**2
        top = each.max(1)
        return top + np.log(np.exp(each - top[:, None]).sum(1) * 2 * REACH / (NODES - 1) / np.sqrt(2 * np.pi))


class Classifier(Model):
    def predict(self, X):
        prob, _ = self.predicted(X)
        return np.column_stack([1 - prob, prob]) if prob.shape[1] == 1 else prob / prob.sum(1, keepdims=True)


def fit(X, y, params):
    import check_shapes.config
    import tensorflow as tf

    check_shapes.config.set_enable_check_shapes(False)  # before GPflow is imported: a second less, the same numbers
    try:
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    except RuntimeError:  # already started, by the warm-up
        pass
    if params["model"].endswith("classifier"):
        return Classifier(X, y.astype(float), params)
    return (Other if params.get("likelihood") else Model)(X, y, params)
