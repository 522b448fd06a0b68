"""The sections of a config whose keys do not depend on methods or data sets (docs/config.md explains each)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, PositiveInt

from gpbench.versions import Added

Positive = Annotated[float, Field(gt=0)]
Pair = Annotated[list[Positive], Field(min_length=2, max_length=2)]
START_KEYS = ("subset", "subset_of", "start_evaluations", "start_learner")
NAME = r"^[a-z0-9_][a-z0-9_.-]{0,99}$"  # never starts with a dot, so it cannot leave the results folder


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)

    def plain(self) -> dict:
        return self.model_dump(mode="json", by_alias=True)


class RandomSplit(Section):
    kind: Literal["random"] = Field(
        "random", description="a fresh random split for every trial, the same for all methods"
    )
    n_train: PositiveInt = Field(description="training rows")
    n_test: PositiveInt | None = Field(None, description="test rows; without it all the others")


class PublishedSplit(Section):
    kind: Literal["published"] = Field("published", description="the split that the data set comes with")


class FoldsSplit(Section):
    kind: Literal["folds"] = Field("folds", description="trial t is tested on fold t of k")
    k: int = Field(10, ge=2, description="number of folds")


class FirstSplit(Section):
    kind: Literal["first"] = Field("first", description="the first rows for training, the next for testing")
    n_train: PositiveInt = Field(description="training rows")
    n_test: PositiveInt | None = Field(None, description="test rows; without it all the others")


SPLITS: dict[str, type[Section]] = {
    "random": RandomSplit,
    "published": PublishedSplit,
    "folds": FoldsSplit,
    "first": FirstSplit,
}


class Scale(Section):
    inputs: Literal["standardise", "none"] = Field(
        "standardise", description="by mean and deviation of the training part"
    )
    target: Literal["standardise", "centre", "detrend", "none"] = Field(
        "standardise", description="standardise, subtract the mean, or subtract a linear fit and standardise"
    )


class Hyperparameters(Section):
    schedule: Literal["fixed", "joint", "interleaved"] = Field(
        "fixed", description="kept, learned with the model, or learned in turns with the selection"
    )
    from_: Literal["full-gp"] | None = Field(
        None, alias="from", description="values (or start) from a full GP fitted to a random subset"
    )
    subset: PositiveInt | None = Field(None, description="rows of that subset (2000); at most the whole training part")
    subset_of: Literal["train", "data"] | None = Field(
        None, description="the training part, or the whole data set ([keerthi])"
    )
    values: dict[str, float | list[float]] | None = Field(
        None, description="variance, lengthscale, noise, bias: natural values on the scaled data"
    )
    rounds: PositiveInt | None = Field(None, description="of selection and learning in turns (10)")
    evaluations: PositiveInt | None = Field(
        None, description="of the objective: in all (200), or per round of `interleaved` (20)"
    )
    start_evaluations: PositiveInt | None = Field(
        None, description="of the full GP that gives the start of `joint` and `interleaved` (200)"
    )
    optimiser: Literal["lbfgs", "cg"] = "lbfgs"
    restarts: PositiveInt = 1
    prior: Literal["none", "half-t"] = Field("none", description="on the hyperparameters; half-t is [vanhatalo]'s")
    learner: Literal[1, 2] = Field(2, description="version of the climb (gpbench/learning/learner.py)")
    start_learner: Literal[1, 2] | None = Field(None, description="of the full GP that gives the start (`learner`)")
    bounds: Annotated[dict[str, Pair] | None, Added] = Field(
        None, description="[lowest, highest] by parameter: natural values on the scaled data"
    )

    def faults(self) -> list[tuple[str, str]]:
        """Keys that contradict each other, each with what is wrong."""
        found = []
        if self.values is not None and self.from_ is not None:
            found.append(("values", "`values` and `from` exclude each other"))
        if self.values is not None or (self.schedule != "fixed" and self.from_ is None):
            found += [(k, f"`{k}` needs `from: full-gp`") for k in START_KEYS]
        elif self.schedule == "fixed":
            found += [(k, f"with `schedule: fixed` the key is `{k.removeprefix('start_')}`") for k in START_KEYS[2:]]
        if self.schedule != "interleaved":
            found.append(("rounds", "`rounds` needs `schedule: interleaved`"))
        return [(key, message) for key, message in found if getattr(self, key) is not None]

    def plain(self) -> dict:
        """What determines the numbers, defaults filled in; keys that play no part are left out."""
        given = super().plain()
        out = {"schedule": self.schedule}
        if self.values is not None:
            out["values"] = given["values"]
            if self.schedule == "fixed":
                return out
        elif self.schedule == "fixed" or self.from_:
            out |= {"from": "full-gp", "subset": self.subset or 2000, "subset_of": self.subset_of or "train"}
            if self.schedule != "fixed":
                out["start_evaluations"] = self.start_evaluations or 200
        if self.schedule == "interleaved":
            out["rounds"] = self.rounds or 10
        out["evaluations"] = self.evaluations or (20 if self.schedule == "interleaved" else 200)
        out |= {k: given[k] for k in ("optimiser", "restarts", "prior", "learner")}
        if "start_evaluations" in out:
            out["start_learner"] = self.start_learner or self.learner
        return out | ({"bounds": given["bounds"]} if self.bounds else {})


class Compare(Section):
    test: Literal["paired-t", "wilcoxon-rank-sum", "wilcoxon-signed-rank", "corrected-t"] = Field(
        "paired-t", description="each method against the one with the best mean"
    )
    alpha: float = Field(0.05, gt=0, lt=1)
    correction: Literal["none", "holm"] = "none"


class Published(Section):
    paper: str = Field(description="sundararajan, vanhatalo, keerthi, cao or snelson")
    item: str = Field(description="its table or figure, e.g. Table 3")


class Limits(Section):
    """Of one trial; not part of what determines its number."""

    timeout: Positive | None = Field(None, description="seconds")
    memory: PositiveInt | None = Field(None, description="MB")
