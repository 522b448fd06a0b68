"""Methods and data sets with every kind of parameter, for the tests of configs and plans; none of them computes."""

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from gpbench.extend import Method, Source
from gpbench.gp.kernels.ard_se import ArdSE


class Stop(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    patience: int = Field(15, ge=1)
    evaluate: Literal["termination", "minimum"] = "minimum"


class Rich(Method):
    name = "rich"
    d_max: int = Field(ge=1, description="basis vectors")
    cache: int = Field(0, ge=0)
    working_set: int | Literal["all"] = 59
    stop: Literal["d_max"] | Stop = "d_max"
    bounds: tuple[float, float] = (1e-3, 1e3)
    nugget: float = Field(1e-6, ge=0)


class Plain(Method):
    name = "plain"
    nugget: float = 1e-8


class Seeded(Method):
    """Takes a name that belongs to the config."""

    name = "seeded"
    seed: int = 0


class Classifier(Method):
    name = "classifier"
    task = "classification"


class Rows(Source):
    name = "rows"
    generated: ClassVar[bool] = True
    size: int = Field(100, ge=1)


class Labels(Source):
    name = "labels"
    task = "classification"
    generated: ClassVar[bool] = True


class Warped(ArdSE):
    name = "warped"

    @classmethod
    def create(cls, X, depth: int):
        return super().create(X)
