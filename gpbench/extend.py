"""Everything that a plug-in imports: `from gpbench.extend import Method, Fitted`. Its names stay where they are.

    Method, Problem, Fitted, Prediction     a method: `fit(problem, rng)` returns a `Fitted`
    GreedyMethod, WorkingSetMethod          greedy selection with a criterion of your own
    StopRule                                when greedy selection ends
    Criterion                               what a criterion measures and how it scores candidates
    Kernel                                  a covariance function with its gradients
    Likelihood, Parameter                   a likelihood of `ep` and `ep-fic`, with its learned parameters
    Dataset, Source                         a data set
    Metric                                  a score of predictions: name, direction, function
    ExactPosterior                          the posterior of an exact GP, for methods that end in one
    Added                                   marks a parameter that was added later and enters ids only where it is set

docs/reference/extending.md shows one example of each.
"""

from __future__ import annotations

from gpbench.data.dataset import Dataset
from gpbench.data.source import Source
from gpbench.gp.inference.exact import ExactPosterior
from gpbench.gp.kernels.base import Kernel
from gpbench.gp.likelihoods.base import Likelihood, Parameter
from gpbench.gp.selection.criterion import Criterion
from gpbench.methods.base import Fitted, Method, Prediction, Problem
from gpbench.methods.families.greedy import GreedyMethod, WorkingSetMethod
from gpbench.methods.stop_rules.base import StopRule
from gpbench.metrics import Metric
from gpbench.versions import Added

__all__ = [
    "Added",
    "Criterion",
    "Dataset",
    "ExactPosterior",
    "Fitted",
    "GreedyMethod",
    "Kernel",
    "Likelihood",
    "Method",
    "Metric",
    "Parameter",
    "Prediction",
    "Problem",
    "Source",
    "StopRule",
    "WorkingSetMethod",
]
