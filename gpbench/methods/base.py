"""What a method gets and what it gives back.

A new method is one file in this folder (or a `--plugin` file) with a subclass of `Method` that has a `name`; its
pydantic fields are its parameters in the config.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict

from gpbench.errors import BadInput, NotApplicable
from gpbench.gp.inference import parts
from gpbench.gp.inference.model import GP, Prediction, Predictor
from gpbench.gp.inference.row_noise import RowNoise
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.learning.full_gp import neutral_start
from gpbench.gp.learning.learner import LEARNER, HyperparameterSearch, OptimiserOptions
from gpbench.recorder import Recorder

from .families.fitted_checks import refuse_impossible

__all__ = ["GP", "Fitted", "Method", "Prediction", "Predictor", "Problem", "Recorder", "RowNoise", "Schedule"]


LEARNING_KEYS = ("rounds", "evaluations", "optimiser", "restarts")  # of `hyperparameters`: how a method learns
AT_ONCE = dict.fromkeys(("joint", "interleaved"), LEARNING_KEYS[1:])  # `heeds` of methods that know no turns


FEW = 20_000  # rows on which selection, k-means and rules for the size work where the data are beyond memory


KINDS = ("fixed", "joint", "interleaved")
ANY = "any"  # task of a method that serves both


@dataclass(frozen=True)
class Schedule:
    """How hyperparameters are obtained: kept as given, learned once, or in turns with the selection."""

    kind: str = "fixed"  # of KINDS
    evaluations: int = 200  # of the objective: in all for `joint`, per round for `interleaved`
    rounds: int = 10
    guard: float | None = None  # a round that raises the selection's measure by more than this share is taken back
    optimiser: str = "lbfgs"  # or cg
    restarts: int = 1
    prior: str = "none"  # on the hyperparameters (gp/learning/priors.py); half-t for classification
    learner: HyperparameterSearch = LEARNER

    @property
    def options(self) -> OptimiserOptions:
        return OptimiserOptions(self.evaluations, self.optimiser, self.restarts, self.learner)


@dataclass(frozen=True)
class Problem:
    """The training part, scaled, with everything that paired methods share.

    Attributes
    ----------
    X : array (n, D)
        Inputs, read-only.
    y : array (n,)
        Targets, read-only.
    gp : GP
        Kernel and noise with the hyperparameters to start from.
    schedule : Schedule
        How hyperparameters are learned.
    order : array (n,)
        A random order of the rows, the same for all methods of a trial.

    Examples
    --------
    >>> import numpy as np
    >>> from gpbench.extend import Problem
    >>> problem = Problem.of(np.zeros((5, 2)), np.arange(5.0))
    >>> problem.n
    5
    """

    X: np.ndarray  # (n, D)
    y: np.ndarray  # (n,)
    gp: GP
    schedule: Schedule
    order: np.ndarray  # (n,) shared random order of the rows: start sets and subsets are its prefixes
    task: str = "regression"
    classes: int = 2  # of classification data: y is -1 or +1, or 0 to classes - 1 where there are more than two
    learned_on: int | None = None  # rows of the full GP that learned `gp`; None where its values were given
    latent: bool = True  # whether the trial needs the variance of the latent function (`nlpd_latent`)
    whole_path: bool = False  # greedy paths go on past their stop to d_max, and leave the models of other stop rules
    do: parts.Map = parts.in_turn  # how parts of rows beyond memory are done
    journal: Callable[[Callable], Callable] | None = (
        None  # keeps the evaluations of a long optimisation (experiment/evaluation/checkpoint.py)
    )
    others: tuple[GP, ...] = ()  # of `kernel: auto`: the other kernels with their values, the best first
    rows: RowNoise | None = None  # weights and known noise variances of the rows, on the scale of y
    recorder: Callable[[], Recorder] = Recorder  # a new one for each fit: times, kernel rows, trace, notes go there

    @classmethod
    def of(
        cls, X, y, gp: GP | None = None, schedule: Schedule | str = "fixed", order=None, task: str = "regression",
        **more,
    ) -> Problem:  # fmt: skip
        """A problem of rows as they are, checked; BadInput says what is wrong.

        Without a `gp` the squared exponential's neutral start, without an `order` a random one, always the same.
        """
        X = X if hasattr(X, "block") else _inputs(X)  # rows beyond memory are read as they are needed
        y = _column(y, len(X))
        if gp is None and X.dtype != float:
            raise BadInput("gp: inputs that are no vectors need one, with a kernel for them")
        gp = neutral_start(ArdSE.create(X), y) if gp is None else gp
        if not (np.isfinite(gp.noise) and gp.noise >= 0):
            raise BadInput(f"gp: the noise variance is {gp.noise:g}, expected a number >= 0")
        schedule = Schedule(schedule) if isinstance(schedule, str) else schedule
        if schedule.kind not in KINDS:
            raise BadInput(f"schedule: '{schedule.kind}' is none of {', '.join(KINDS)}")
        order = np.random.default_rng(0).permutation(len(y)) if order is None else np.asarray(order)
        if not np.array_equal(np.sort(order), np.arange(len(y))):
            raise BadInput(f"order: expected each of the row numbers 0 to {len(y) - 1} once")
        return cls(X, y, gp, schedule, order, task, **more)

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def large(self) -> bool:
        """Rows that are not held at once (data/shards.py): X gives blocks and rows by number, and nothing else."""
        return not isinstance(self.X, np.ndarray)

    def with_input_gradient(self, method: str) -> Problem:
        """The problem itself, or that of the best other kernel whose inputs a method can move."""
        if self.gp.kernel.smooth:
            return self
        if gp := next((gp for gp in self.others if gp.kernel.smooth), None):
            return replace(self, gp=gp, recorder=partial(_telling, self.recorder, gp.kernel.name))
        raise NotApplicable(f"kernel has no input gradient: {self.gp.kernel.name} ({method} moves inputs)")

    def few(self) -> Problem:
        """The problem itself, or its first rows in the shared order if they are more than memory holds."""
        return self.first(FEW) if self.large else self

    def first(self, count: int) -> Problem:
        """The problem of the first rows in the shared order."""
        rows = self.order[:count]
        noise = None if self.rows is None else self.rows[rows]
        return replace(self, X=self.X[rows], y=self.y[rows], order=np.arange(len(rows)), rows=noise)


def _telling(make: Callable[[], Recorder], kernel: str) -> Recorder:
    recorder = make()
    recorder.note(f"kernel {kernel}: the best of those that have a gradient in the inputs, which are moved")
    return recorder


def _inputs(X) -> np.ndarray:
    """(n, D) numbers, or objects as they are."""
    X = np.asarray(X)
    if X.dtype.kind not in "buif":
        return X
    if X.ndim != 2:
        raise BadInput(f"X: expected a table (rows, columns), got shape {X.shape}; X.reshape(-1, 1) is one column")
    X = X.astype(float, copy=False)
    if not (finite := np.isfinite(X).all(1)).all():
        raise BadInput(f"X: row {int(np.argmin(finite))} has an entry that is not finite")
    return X


def _column(y, n: int) -> np.ndarray:
    y = np.asarray(y)
    if y.shape != (n,) or y.dtype.kind not in "buif":
        raise BadInput(f"y: expected {n} numbers, one for each row of X, got shape {y.shape} of {y.dtype}")
    y = y.astype(float, copy=False)
    if not n or not np.isfinite(y).all():
        raise BadInput(f"y: row {int(np.argmin(np.isfinite(y)))} is not finite" if n else "X, y: there are no rows")
    return y


@dataclass(frozen=True)
class Fitted:
    """A trained model. `predict` expects scaled inputs and returns scaled targets.

    It is called with inputs (t, D): a `Predictor`, or any function; one that pickles, if the model is to be kept.

    Examples
    --------
    >>> import numpy as np
    >>> from gpbench.extend import Fitted, Prediction
    >>> def mean_only(X):
    ...     return Prediction(np.zeros(len(X)), np.ones(len(X)))
    >>> Fitted(predict=mean_only).predict(np.zeros((2, 1))).var.tolist()
    [1.0, 1.0]
    """

    predict: Predictor | Callable[[np.ndarray], Prediction]
    gp: GP | None = None  # where the model is a Gaussian process with one of our kernels
    n_basis: int | None = None  # where the model has a size
    log_evidence: float | None = None  # natural log, all constants, on the scaled targets
    pivots: np.ndarray | None = None  # rows of the training part, in order of choice
    inducing: np.ndarray | None = None  # (m, D) where they are not training rows
    whole: bool = False  # `predict` bounds its memory by itself and gains from having all test inputs at once
    # What `Recorder.told` gives:
    seconds: dict[str, float] = field(default_factory=dict)  # "select", "adapt"; the runner adds fit and predict
    kernel_rows: int | None = None  # rows of the kernel matrix that were evaluated
    trace: list[dict[str, Any]] = field(default_factory=list)  # plain numbers; a list of them is a curve
    notes: tuple[str, ...] = ()  # e.g. the jitter that was needed
    # Models along the way, for curves of test scores: ({"epoch": 3}, predict) is scored by the runner in the row of the
    # trace that has these numbers.
    models: tuple[tuple[dict, Callable[[np.ndarray], Prediction]], ...] = ()
    method: str | None = None  # the one that `auto` chose; None: the one that was asked
    shown: dict[str, Any] = field(default_factory=dict)  # for probes; "start": inducing inputs (m, D) before they moved


class Method(BaseModel):
    """Base of all methods: parameters are fields, and `fit` is a function of (problem, rng) that remembers nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from gpbench.extend import ExactPosterior, Fitted, Method, Problem
    >>> class FirstRows(Method):
    ...     name = "first-rows"
    ...     d_max: int = 100
    ...     def fit(self, problem, rng):
    ...         rows = slice(0, self.d_max)
    ...         return Fitted(predict=ExactPosterior.fit(problem.gp, problem.X[rows], problem.y[rows]))
    >>> fitted = FirstRows(d_max=3).fit(Problem.of(np.zeros((5, 2)), np.arange(5.0)), np.random.default_rng(0))
    >>> fitted.predict(np.zeros((1, 2))).mean.shape
    (1,)
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: ClassVar[str]
    version: ClassVar[int] = 1  # raised when its numbers move (gpbench/versions.py)
    stands_on: ClassVar[tuple] = ()  # modules and classes whose `version` counts here too
    heeds: ClassVar[Mapping[str, tuple[str, ...]] | None] = None  # of LEARNING_KEYS, by schedule; None: all of them
    title: ClassVar[str] = ""
    use: ClassVar[str] = ""  # what it does and when to take it, in a sentence
    task: ClassVar[str] = "regression"  # or classification, or ANY
    usual_kernel: ClassVar[str | None] = None  # of a config that names none; None: the config's own default
    many_classes: ClassVar[bool] = False  # takes more than two classes
    paper: ClassVar[str] = ""
    compact: ClassVar[bool] = False  # needs a kernel with compact support
    dense: ClassVar[bool] = False  # holds n x n matrices
    learns_itself: ClassVar[bool] = False  # takes no hyperparameters from us: no full GP is fitted for it
    takes_prior: ClassVar[bool] = False  # of regression: `hyperparameters: {prior: half-t}`
    row_noise: ClassVar[bool] = False  # takes `Problem.rows`: a weight or a known noise variance of each row
    large: ClassVar[bool] = False  # works on rows beyond memory (gp/inference/parts.py)
    learners: ClassVar[int] = 4  # the last version of the learner that changed its optimisations
    probes: ClassVar[tuple[str, ...]] = ()  # files of experiment/evaluation/probes that look at its fits, for figures
    nested: ClassVar[bool] = False  # a longer run extends a shorter one: one path serves every d_max

    @classmethod
    def raised_for(cls, params: Mapping[str, Any]) -> int:
        """How often the version was raised for some values of the parameters, or of the `schedule`, only."""
        return 0

    @classmethod
    def task_of(cls, params: Mapping[str, Any]) -> str:
        """The task with these parameters."""
        return cls.task

    @classmethod
    def serves(cls, task: str, params: Mapping[str, Any]) -> bool:
        """Whether it works on data of this task, with these parameters."""
        return cls.task_of(params) in (task, ANY)

    @classmethod
    def parts_of(cls, params: Mapping[str, Any]) -> list[type]:
        """Classes that the parameters name: their plug-in files and versions enter the trial's id."""
        return []

    @classmethod
    def idle(cls, given: Mapping[str, Any]) -> set[str]:
        """Names of parameters that have no effect together with the given ones."""
        return set()

    @classmethod
    def ready(cls, params: Mapping[str, Any]) -> bool:
        """Is everything there that it needs besides gpbench?"""
        return True

    @classmethod
    def has_path(cls) -> bool:
        """Does one path serve several d_max? The method says so and has a path of its own."""
        return cls.nested and cls.path is not Method.path

    @classmethod
    def operations(cls, n: int, m: int, evaluations: int) -> float:
        """Floating-point operations of a fit on n rows at size m, roughly; for the dry run's estimate of time."""
        return 6.0 * (1 + evaluations) * n * m**2

    def fit(self, problem: Problem, rng: np.random.Generator) -> Fitted:
        raise NotImplementedError(f"method {self.name} has no fit(problem, rng) (docs/reference/extending.md)")

    def checked(self, fitted: Any, n: int) -> Fitted:
        """What `fit` to n rows gave, if it is a model; InvalidPrediction if a figure it tells of itself cannot be."""
        if not isinstance(fitted, Fitted):
            found = type(fitted).__name__
            raise TypeError(f"method {self.name}: fit gave {found}, not a Fitted (docs/reference/extending.md)")
        refuse_impossible(fitted, n)
        return fitted

    def extends(self, problem: Problem) -> bool:
        """Along a path, is the work for a size part of that for the next? Otherwise each size is a fit of its own."""
        return self.nested

    def path(self, problem: Problem, rng: np.random.Generator, sizes: list[int]) -> Iterator[Fitted]:
        """One model per size, in increasing order; only asked of `nested` methods, with the same rng for all."""
        for size in sizes:
            yield self.model_copy(update={"d_max": size}).fit(problem, rng)
