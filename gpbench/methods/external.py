"""Another library as a method: `{external: gpboost, approx: vecchia}`, `{external: gpytorch-svgp, d_max: 500}`.

It gets the same scaled rows as our own methods, learns its hyperparameters itself, and is scored, timed and limited
like them. Libraries and how to add one: docs/results/field.md.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, field_validator, model_validator

from gpbench.adapters import environment
from gpbench.adapters.offers import offers
from gpbench.errors import ConfigError, InvalidPrediction, NotApplicable
from gpbench.gp.inference.dirichlet import of_probabilities
from gpbench.versions import Added

from .base import Fitted, Method, Prediction, Predictor
from .families.classes import numbers


class External(Method):
    """A model of another library, run in that library's own environment."""

    name = "external"
    title = "Another library"
    use = "A model of another library on the same rows, timed and scored alike; take it to compare."
    learns_itself: ClassVar[bool] = True
    many_classes: ClassVar[bool] = True

    external: str = Field(description="library, library-model, or a user's adapter file")
    approx: str | None = Field(None, description="the library's approximation, where it has several")
    d_max: int | None = Field(None, ge=1, description="inducing points; the library's default where not given")
    options: dict[str, Any] = Field(default_factory=dict, description="passed to the adapter as they are")
    predicts: Annotated[Literal["regression", "classification"] | None, Added] = Field(
        None, description="for a user's adapter file: what it predicts; null: what the library's offers say"
    )
    lock: str = Field(
        "", description="hash of pinned packages and adapter code; filled in, part of the trial's identity"
    )

    @model_validator(mode="before")
    @classmethod
    def _locked(cls, data):
        if isinstance(data, dict) and isinstance(data.get("external"), str) and not data.get("lock"):
            with contextlib.suppress(ConfigError):  # told by the field's own check, where it stands
                return data | {"lock": environment.find(data["external"]).of(data.get("approx")).lock}
        return data

    @field_validator("external")
    @classmethod
    def _known(cls, name):
        try:
            environment.find(name)
        except ConfigError as e:
            raise ValueError(str(e).removeprefix("external ")) from e
        return name

    @field_validator("approx", "options")
    @classmethod
    def _offered(cls, value, info):
        if "external" in info.data:  # else that is wrong, and told
            adapter = environment.find(info.data["external"])
            try:
                if info.field_name == "approx":
                    offers(adapter).refuse_approx(value)
                else:
                    offers(adapter.of(info.data.get("approx"))).refuse_options(value)
            except ConfigError as e:
                raise ValueError(str(e)) from e
        return value

    @classmethod
    def task_of(cls, params):
        if params.get("predicts"):
            return params["predicts"]
        with contextlib.suppress(ConfigError, KeyError, AttributeError, TypeError):  # told by the fields' own checks
            return offers(environment.find(params["external"]).of(params.get("approx"))).task
        return cls.task

    @classmethod
    def ready(cls, params):
        with contextlib.suppress(ConfigError):
            return environment.installed(environment.find(params["external"]))
        return False

    @classmethod
    def idle(cls, given):
        with contextlib.suppress(ConfigError, KeyError, AttributeError, TypeError):  # told by the fields' own checks
            if not offers(environment.find(given["external"]).of(given.get("approx"))).sized:
                return {"d_max"}
        return set()

    def fit(self, problem, rng):
        from gpbench.adapters.client import Library

        if problem.X.ndim != 2:
            raise NotApplicable(f"{self.external} takes inputs that are vectors")
        adapter, kernel = environment.find(self.external).of(self.approx), problem.gp.kernel
        offers(adapter).refuse_kernel(kernel)
        params = {
            "d_max": self.d_max, "approx": self.approx, "seed": int(rng.integers(2**31 - 1)),
            "kernel": kernel.name, "ard": getattr(kernel, "ard", True), **self.options,
        }  # fmt: skip
        y = problem.y
        if problem.task == "classification":
            y, params = numbers(problem), params | {"task": problem.task, "classes": problem.classes}
        library = Library(adapter, problem.X, y, params)
        return Fitted(
            predict=Elsewhere(library),
            n_basis=library.answer.get("n_basis"),
            log_evidence=library.answer.get("log_evidence"),
            notes=tuple(library.answer.get("notes", ())),
        )


@dataclass(frozen=True)
class Elsewhere(Predictor):
    """A model in the process of its library, which it does not outlive: it cannot be kept."""

    library: Any  # adapters/client.py

    def predict(self, Xs) -> Prediction:
        found = self.library.predict(Xs)
        if "prob" not in found:
            return Prediction(found["mean"], found["var"])
        prob = found["prob"]
        if prob.ndim != 2 or not np.isfinite(prob).all() or (prob < 0).any():
            raise InvalidPrediction(f"the library gave no probabilities of classes: shape {prob.shape}")
        return of_probabilities(prob)

    def log_density(self, Xs, y):
        return self.library.log_density(Xs, y)

    def clock(self):
        return self.library.seconds

    def memory(self):
        return self.library.answer.get("peak_mb", 0.0)
