"""GPflow: SGPR by L-BFGS, SVGP by Adam on minibatches; inducing inputs learned with the hyperparameters."""

import numpy as np

MODELS = ("sgpr", "svgp")
AS_IT_IS = {"autograph": False}  # nothing in these models branches on values; rewriting their source takes two seconds
KERNELS = {"matern12": "Matern12", "matern32": "Matern32", "matern52": "Matern52"}


class Model:
    def __init__(self, X, y, params):
        import gpflow
        import tensorflow as tf

        tf.random.set_seed(int(params["seed"]))
        dims, m = X.shape[1], min(len(y), params["d_max"] or 500)
        kernel = getattr(gpflow.kernels, KERNELS.get(params["kernel"], "SquaredExponential"))
        kernel = kernel(lengthscales=np.sqrt(dims) * np.ones(dims))
        Z = X[np.random.default_rng(params["seed"]).permutation(len(y))[:m]].copy()
        data = X, y[:, None]
        if params["model"] == "sgpr":
            self.model = gpflow.models.SGPR(data, kernel, Z, noise_variance=0.1)
            gpflow.set_trainable(self.model.inducing_variable, params.get("optimise_inputs", True))
            rounds = {"maxiter": 2 if params.get("warm_up") else params.get("iterations", 100)}
            optimise = gpflow.optimizers.Scipy().minimize
            variables = self.model.trainable_variables
            optimise(self.model.training_loss, variables, options=rounds, tf_fun_args=AS_IT_IS)
            self.log_evidence = float(self.model.elbo())
        else:
            self.model = gpflow.models.SVGP(kernel, gpflow.likelihoods.Gaussian(0.1), Z, num_data=len(y))
            self._stochastic(tf, data, params)
        self.n_basis = m

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

    def predict(self, X, block=4096):
        parts = [self.model.predict_y(X[i : i + block]) for i in range(0, len(X), block)]
        return (np.concatenate([p[k].numpy().ravel() for p in parts]) for k in (0, 1))


def fit(X, y, params):
    import check_shapes.config
    import tensorflow as tf

    check_shapes.config.set_enable_check_shapes(False)  # before GPflow is imported: a second less, the same numbers
    try:
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    except RuntimeError:  # already started, by the warm-up
        pass
    return Model(X, y, params)
