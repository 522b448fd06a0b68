"""GPyTorch on the CPU, float64: exact GP, SGPR, SVGP and VNNGP with ARD kernels, learned by Adam as its examples do.

The exact GP solves as the library does by default: above 800 rows by conjugate gradients; `cholesky: true` factorises.
"""

import numpy as np

MODELS = ("sgpr", "svgp", "vnngp", "exact")
SMOOTHNESS = {"matern12": 0.5, "matern32": 1.5, "matern52": 2.5}


def kernel_of(params, dims):
    from gpytorch.kernels import MaternKernel, RBFKernel, ScaleKernel

    nu = SMOOTHNESS.get(params["kernel"])
    inner = RBFKernel(ard_num_dims=dims) if nu is None else MaternKernel(nu=nu, ard_num_dims=dims)
    inner.lengthscale = np.sqrt(dims)
    return ScaleKernel(inner)


def start(X, params):
    """Rows at random where the inducing inputs begin."""
    m = min(len(X), params["d_max"] or 500)
    return X[np.random.default_rng(params["seed"]).permutation(len(X))[:m]].copy()


class Base:
    def rounds(self, params, default):
        return 2 if params.get("warm_up") else params.get("iterations", default)

    def predict(self, X, block=4096):
        import gpytorch
        import torch

        self.model.eval(), self.likelihood.eval()
        mean, var = [], []
        with torch.no_grad(), gpytorch.settings.fast_pred_var(False):
            for i in range(0, len(X), block):
                p = self.likelihood(self.model(torch.as_tensor(X[i : i + block])))
                mean.append(p.mean.numpy())
                var.append(p.variance.numpy())
        return np.concatenate(mean), np.concatenate(var)


class Sgpr(Base):
    rate, usual = 0.05, 150

    def __init__(self, X, y, params):
        import gpytorch
        import torch

        X, y = torch.as_tensor(X), torch.as_tensor(y)
        likelihood = gpytorch.likelihoods.GaussianLikelihood()
        covariance, self.n_basis = self.covariance(X, likelihood, params)

        class Model(gpytorch.models.ExactGP):
            def __init__(self):
                super().__init__(X, y, likelihood)
                self.mean = gpytorch.means.ConstantMean()
                self.covariance = covariance

            def forward(self, x):
                return gpytorch.distributions.MultivariateNormal(self.mean(x), self.covariance(x))

        self.model, self.likelihood = Model().double(), likelihood.double()
        likelihood.noise = 0.1
        bound = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, self.model)
        self.model.train(), likelihood.train()
        optimiser = torch.optim.Adam(self.model.parameters(), lr=params.get("rate", self.rate))
        for _ in range(self.rounds(params, self.usual)):
            optimiser.zero_grad()
            loss = -bound(self.model(X), y)
            loss.backward()
            optimiser.step()
        with torch.no_grad():
            self.log_evidence = float(bound(self.model(X), y)) * len(y)

    def covariance(self, X, likelihood, params):
        import torch
        from gpytorch.kernels import InducingPointKernel

        Z = torch.as_tensor(start(X.numpy(), params))
        return InducingPointKernel(kernel_of(params, X.shape[1]), Z, likelihood), len(Z)


class Exact(Sgpr):
    rate, usual = 0.1, 100

    def __init__(self, X, y, params):
        from gpytorch.settings import max_cholesky_size

        self.largest = 10**9 if params.get("cholesky") else max_cholesky_size.value()
        with max_cholesky_size(self.largest):
            super().__init__(X, y, params)
        if len(y) > self.largest:
            self.notes = ["its log evidence is an estimate from random vectors"]

    def covariance(self, X, likelihood, params):
        return kernel_of(params, X.shape[1]), len(X)

    def predict(self, X, block=4096):
        from gpytorch.settings import max_cholesky_size

        with max_cholesky_size(self.largest):
            return super().predict(X, block)


class Svgp(Base):
    def __init__(self, X, y, params):
        import gpytorch
        import torch

        X, y = torch.as_tensor(X), torch.as_tensor(y)
        Z = torch.as_tensor(start(X.numpy(), params))
        self.likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
        self.likelihood.noise = 0.1
        strategy = self.strategy

        class Model(gpytorch.models.ApproximateGP):
            def __init__(self):
                super().__init__(strategy(self, X, Z, params))
                self.mean_module = gpytorch.means.ConstantMean()  # NNVariationalStrategy asks for these names
                self.covar_module = kernel_of(params, X.shape[1])

            def forward(self, x):
                return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

        self.model = Model().double()
        self.n_basis = len(Z)
        self.train(X, y, params)

    @staticmethod
    def strategy(model, X, Z, params):
        from gpytorch.variational import CholeskyVariationalDistribution, VariationalStrategy

        return VariationalStrategy(model, Z, CholeskyVariationalDistribution(len(Z)), learn_inducing_locations=True)

    def train(self, X, y, params, batch=1024):
        import gpytorch
        import torch

        bound = gpytorch.mlls.VariationalELBO(self.likelihood, self.model, num_data=len(y))
        self.model.train(), self.likelihood.train()
        weights = [*self.model.parameters(), *self.likelihood.parameters()]
        optimiser = torch.optim.Adam(weights, lr=params.get("rate", 0.01))
        shuffle = torch.Generator().manual_seed(int(params["seed"]))
        for _ in range(self.rounds(params, 40)):  # epochs
            for rows in torch.randperm(len(y), generator=shuffle).split(batch):
                optimiser.zero_grad()
                loss = -bound(self.model(X[rows]), y[rows])
                loss.backward()
                optimiser.step()


class Vnngp(Svgp):
    """Every training row is an inducing point; each conditions on its nearest neighbours."""

    @staticmethod
    def strategy(model, X, Z, params):
        from gpytorch.variational import MeanFieldVariationalDistribution, NNVariationalStrategy

        q = MeanFieldVariationalDistribution(len(X))
        neighbours = min(params.get("neighbours", 32), len(X) - 1)
        return NNVariationalStrategy(model, X, q, k=neighbours, training_batch_size=min(256, len(X)))

    def train(self, X, y, params):
        import gpytorch
        import torch

        self.n_basis = len(y)
        bound = gpytorch.mlls.VariationalELBO(self.likelihood, self.model, num_data=len(y))
        self.model.train(), self.likelihood.train()
        weights = [*self.model.parameters(), *self.likelihood.parameters()]
        optimiser = torch.optim.Adam(weights, lr=params.get("rate", 0.01))
        batches = self.model.variational_strategy._total_training_batches
        for _ in range(self.rounds(params, 40) * batches):
            optimiser.zero_grad()
            output = self.model(None)
            rows = self.model.variational_strategy.current_training_indices
            loss = -bound(output, y[rows])
            loss.backward()
            optimiser.step()


def fit(X, y, params):
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(int(params["seed"]))
    torch.set_default_dtype(torch.float64)
    return {"sgpr": Sgpr, "svgp": Svgp, "vnngp": Vnngp, "exact": Exact}[params["model"]](X, y, params)
