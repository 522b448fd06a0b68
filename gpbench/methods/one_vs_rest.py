"""Many classes by binary classifiers: each class against all others, probabilities divided by their sum."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from pydantic import Field, field_validator

from gpbench import catalog
from gpbench.errors import ConfigError
from gpbench.gp.inference.dirichlet import of_log_probabilities
from gpbench.gp.inference.model import Prediction, Predictor

from .base import AT_ONCE, Fitted, Problem
from .families.classes import ManyClasses, numbers


@dataclass(frozen=True)
class OneVsRestPosterior(Predictor):
    """One binary classifier for each class."""

    parts: tuple[Predictor, ...]

    def predict(self, Xs) -> Prediction:
        from scipy.special import logsumexp

        log_p = np.column_stack([_log_positive(part.predict(Xs)) for part in self.parts])
        return of_log_probabilities(log_p - logsumexp(log_p, axis=1, keepdims=True))


def _log_positive(p: Prediction) -> np.ndarray:
    return np.log(np.maximum(p.prob, np.finfo(float).tiny)) if p.log_prob is None else p.log_prob[:, 1]


class OneVsRest(ManyClasses):
    """K binary classifiers, each with hyperparameters of its own; of two classes the binary one alone."""

    name = "one-vs-rest"
    title = "One class against the rest"
    use = "Two or more classes by one binary EP classifier each; take it to compare with dirichlet, which is faster."
    heeds = AT_ONCE

    binary: str = Field("ep", description="method of each class: ep, ep-fic or ep-sparse")

    @field_validator("binary")
    @classmethod
    def _is_binary(cls, name: str):
        try:
            found = catalog.find("method", name)
        except ConfigError as e:
            raise ValueError(str(e)) from e
        if found.task != "classification" or found.many_classes:
            raise ValueError(f"{name} is no method for two classes; take ep, ep-fic or ep-sparse")
        return name

    @classmethod
    def parts_of(cls, params):
        try:
            return [catalog.find("method", params.get("binary") or "ep")]
        except ConfigError:
            return []

    def fit(self, problem: Problem, rng):
        labels, recorder, method = numbers(problem), problem.recorder(), self.part(self.binary)
        if problem.classes == 2:
            return method.fit(problem, rng)
        fits = []
        for k in range(problem.classes):
            if not (labels == k).any():
                raise ConfigError(f"class number {k} has no row in the training part; take dirichlet")
            of_class = replace(problem, y=np.where(labels == k, 1.0, -1.0), classes=2)
            fits.append(method.fit(of_class, rng))
            recorder.evaluated(fits[-1].kernel_rows or 0)
            recorder.row({"class": k, "log_evidence": fits[-1].log_evidence})
        recorder.note(*dict.fromkeys(note for fitted in fits for note in fitted.notes))
        return Fitted(
            predict=OneVsRestPosterior(tuple(fitted.predict for fitted in fits)),
            n_basis=fits[0].n_basis,
            log_evidence=float(sum(fitted.log_evidence for fitted in fits)),
            **recorder.told(),
        )
