"""Another library as a method: `{external: gpboost, approx: vecchia}`, `{external: gpytorch-svgp, d_max: 500}`.

It gets the same scaled rows as our own methods, learns its hyperparameters itself, and is scored, timed and limited
like them. Libraries and how to add one: docs/field.md.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field, field_validator, model_validator

from gpbench.adapters import environment
from gpbench.adapters.offers import offers
from gpbench.errors import ConfigError

from .base import Fitted, Method, Prediction, Predictor


class External(Method):
    """A model of another library, run in that library's own environment."""

    name = "external"
    title = "Another library"
    use = "A model of another library on the same rows, timed and scored alike; take it to compare."
    learns_itself: ClassVar[bool] = True

    external: str = Field(description="library, library-model, or a user's adapter file")
    approx: str | None = Field(None, description="the library's approximation, where it has several")
    d_max: int | None = Field(None, ge=1, description="inducing points; the library's default where not given")
    options: dict[str, Any] = Field(default_factory=dict, description="passed to the adapter as they are")
    lock: str = Field(
        "", description="hash of pinned packages and adapter code; filled in, part of the trial's identity"
    )

    @model_validator(mode="before")
    @classmethod
    def _locked(cls, data):
        if isinstance(data, dict) and isinstance(data.get("external"), str) and not data.get("lock"):
            with contextlib.suppress(ConfigError):  # told by the field's own check, where it stands
                return data | {"lock": environment.find(data["external"]).lock}
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
            there = offers(environment.find(info.data["external"]))
            try:
                there.refuse_options(value) if info.field_name == "options" else there.refuse_approx(value)
            except ConfigError as e:
                raise ValueError(str(e)) from e
        return value

    @classmethod
    def ready(cls, params):
        with contextlib.suppress(ConfigError):
            return environment.installed(environment.find(params["external"]))
        return False

    def fit(self, problem, rng):
        from gpbench.adapters.client import Library

        adapter = environment.find(self.external)
        offers(adapter).refuse_kernel(problem.gp.kernel.name)
        params = {
            "d_max": self.d_max, "approx": self.approx, "seed": int(rng.integers(2**31 - 1)),
            "kernel": problem.gp.kernel.name, **self.options,
        }  # fmt: skip
        library = Library(adapter, problem.X, problem.y, params)
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
        return Prediction(*self.library.predict(Xs))

    def clock(self):
        return self.library.seconds

    def memory(self):
        return self.library.answer.get("peak_mb", 0.0)
