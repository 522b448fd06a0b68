"""Sections of a config whose keys do not depend on methods or data sets (docs/reference/config.md)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PositiveInt

from gpbench.gp.kernels.build import names_in
from gpbench.versions import Added

from .document_checker import Reader, shown
from .yaml_document import Keys

Positive = Annotated[float, Field(gt=0)]
Pair = Annotated[list[Positive], Field(min_length=2, max_length=2)]
START_KEYS = ("subset", "subset_of", "start_evaluations", "start_learner")


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
    kind: Literal["published"] = Field(
        "published", description="the split that the data set comes with; of several, trial t takes t"
    )


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
    subset: PositiveInt | None = Field(
        None, description="rows of that subset; null: 125 per input, from 1000 to 2000; 2000 from 20 000 rows on"
    )
    subset_of: Literal["train", "data"] | None = Field(
        None, description="the training part, or the whole data set ([keerthi])"
    )
    values: dict[str, float | list[float]] | None = Field(
        None, description="variance, lengthscale, noise, bias: natural values on the scaled data"
    )
    rounds: PositiveInt | None = Field(None, description="of selection and learning in turns (10)")
    guard: Annotated[Positive | None, Added] = Field(
        None,
        description="a round that raises the measure of the selection by more than this share is taken back; the last",
    )
    evaluations: PositiveInt | None = Field(
        None, description="of the objective: in all (200), or per round of `interleaved` (20)"
    )
    start_evaluations: PositiveInt | None = Field(
        None, description="of the full GP that gives the start of `joint` and `interleaved` (200)"
    )
    optimiser: Literal["lbfgs", "cg"] = "lbfgs"
    restarts: PositiveInt = 1
    prior: Literal["none", "half-t"] = Field("none", description="on the hyperparameters; half-t is [vanhatalo]'s")
    learner: Literal[1, 2, 3, 4, 5] = Field(5, description="version of the search (gpbench/gp/learning/learner.py)")
    start_learner: Literal[1, 2, 3, 4, 5] | None = Field(
        None, description="of the full GP that gives the start (`learner`)"
    )
    bounds: Annotated[dict[str, Pair] | None, Added] = Field(
        None, description="[lowest, highest] by parameter: natural values on the scaled data"
    )

    def faults(self) -> list[tuple[str, str]]:
        """Keys that contradict each other, each with a message."""
        found = []
        if self.values is not None and self.from_ is not None:
            found.append(("values", "`values` and `from` exclude each other"))
        if self.values is not None or (self.schedule != "fixed" and self.from_ is None):
            found += [(k, f"`{k}` needs `from: full-gp`") for k in START_KEYS]
        elif self.schedule == "fixed":
            found += [(k, f"with `schedule: fixed` the key is `{k.removeprefix('start_')}`") for k in START_KEYS[2:]]
        if self.schedule != "interleaved":
            found += [(k, f"`{k}` needs `schedule: interleaved`") for k in ("rounds", "guard")]
        found = [(key, message) for key, message in found if getattr(self, key) is not None]
        if self.values is not None and self.schedule == "fixed":
            written = self.model_fields_set & {"evaluations", "optimiser", "restarts"}
            found += [(key, f"`{key}` plays no part where `values` are kept") for key in sorted(written)]
        return found

    def value_faults(self) -> list[tuple[Keys, str]]:
        """Invalid values and bounds, each with its keys and a message."""
        found: list[tuple[Keys, str]] = []
        for name, value in (self.values or {}).items():
            given = value if isinstance(value, list) else [value]
            if not given or not all(v > 0 or (v == 0 and name == "bias") for v in given):
                found.append((("values", name), f"'{name}': must be greater than 0, got {shown(value)}"))
        for name, pair in (self.bounds or {}).items():
            if pair[0] >= pair[1]:
                found.append((("bounds", name), f"'{name}': expected [lowest, highest], got {shown(pair)}"))
        return found

    def plain(self) -> dict:
        """Keys that determine the numbers, with defaults filled in; keys without effect are left out."""
        given = super().plain()
        out = {"schedule": self.schedule}
        if self.values is not None:
            out["values"] = given["values"]
            if self.schedule == "fixed":
                return out
        elif self.schedule == "fixed" or self.from_:
            out |= {"from": "full-gp", "subset": self.subset, "subset_of": self.subset_of or "train"}
            if self.schedule != "fixed":
                out["start_evaluations"] = self.start_evaluations or 200
        if self.schedule == "interleaved":
            out["rounds"] = self.rounds or 10
        out["evaluations"] = self.evaluations or (20 if self.schedule == "interleaved" else 200)
        out |= {k: given[k] for k in ("optimiser", "restarts", "prior", "learner")}
        if "start_evaluations" in out:
            out["start_learner"] = self.start_learner or self.learner
        return out | {k: given[k] for k in ("bounds", "guard") if given[k]}


class Compare(Section):
    test: Literal["paired-t", "wilcoxon-rank-sum", "wilcoxon-signed-rank", "corrected-t"] = Field(
        "paired-t", description="each method against the one with the best mean"
    )
    alpha: float = Field(0.05, gt=0, lt=1)
    correction: Literal["none", "holm"] = "none"


Count = Annotated[int, Field(ge=0)]


class Published(Section):
    paper: str = Field(description="sundararajan, vanhatalo, keerthi, cao or snelson")
    item: str = Field(description="its table or figure, e.g. Table 3")
    open: bool = Field(
        False,
        description="other protocols that the paper allows: stands for no printed number (check --sensitivity)",
    )
    spent: Count | dict[str, Count] = Field(
        0, description="first trials that chose the protocol, of all, or of data sets and methods by their names"
    )

    def plain(self) -> dict:
        return {k: v for k, v in super().plain().items() if k not in ("open", "spent") or v}


class Limits(Section):
    """Limits of one trial; they do not determine its numbers."""

    timeout: Positive | None = Field(None, description="seconds")
    memory: PositiveInt | None = Field(None, description="MB")


# -- reading a section at top level, in a data set's entry or in a method's entry ------------------------------------


def split(reader: Reader, data: Any, keys: Keys) -> dict | None:
    """Read a split; {} means `default`: the published split, else 90 % of the rows at random."""
    if data == "default":
        return {}
    data = reader.mapping(data, keys, "split")
    if data is None:
        return None
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in SPLITS:
        where, got = ((*keys, "kind"), f"got {shown(kind)}") if "kind" in data else (keys, "'kind' is missing")
        reader.fault(where, f"split: 'kind' is one of {', '.join(SPLITS)}; {got}")
        return None
    found = reader.validate(SPLITS[kind], data, keys)
    return found and found.plain()


def scale(reader: Reader, data: Any, keys: Keys) -> dict | None:
    if data == "none":
        data = {"inputs": "none", "target": "none"}
    found = reader.validate(Scale, data, keys)
    return found and found.plain()


def hyperparameters(reader: Reader, data: Any, keys: Keys) -> dict | None:
    found = reader.validate(Hyperparameters, data, keys)
    if found is None:
        return None
    for key, message in found.faults():
        reader.fault((*keys, key), message, on="key")
    for place, message in found.value_faults():
        reader.fault((*keys, *place), message)
    return found.plain()


def without_idle_bias(settings: dict) -> dict:
    """Remove `bias: 0` from the values of a kernel without bias: it has no effect and must not enter a trial's id."""
    given, spec = settings["hyperparameters"] or {}, settings["kernel"]
    values = given.get("values") or {}
    if spec is None or values.get("bias") != 0 or "bias" in names_in(spec):
        return settings
    return settings | {"hyperparameters": given | {"values": {k: v for k, v in values.items() if k != "bias"}}}
