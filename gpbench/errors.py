"""What can go wrong, each with the exit code of the command line (docs/reference/cli.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .text import printable

if TYPE_CHECKING:
    from typing_extensions import Self


class GpbenchError(Exception):
    """One clear sentence for the user: what, where, what to do; or one for each of several faults (`of_lines`)."""

    exit_code = 1
    several = False

    @classmethod
    def of_lines(cls, lines: Iterable[str]) -> Self:
        """An error of several lines; a line end within one of them, as in a column's name, is written out."""
        error = cls("\n".join(map(printable, lines)))
        error.several = True
        return error

    def about(self, before: str, after: str = "") -> Self:
        """The same error with more words."""
        error = type(self)(f"{before}{self}{after}")
        error.several = self.several
        return error

    @property
    def told(self) -> str:
        """The text for a terminal."""
        return str(self) if self.several else printable(str(self))


class ConfigError(GpbenchError):
    exit_code = 2


class DataError(GpbenchError):
    exit_code = 3


class BadInput(DataError, ValueError):
    """Inputs or targets given from Python that no model can be fitted to, or applied to."""


class BadParameter(ConfigError, BadInput):
    """A parameter of an estimator that it cannot have, whatever the rows: a usage error on the command line."""


class NotNumbers(BadInput, TypeError):
    """The same of entries that are of the wrong kind."""


class CheckError(GpbenchError):
    exit_code = 4


class MissingExtra(GpbenchError):
    """An optional package is absent; the message names the extra to install."""

    exit_code = 5


class FolderInUse(GpbenchError):
    exit_code = 6


class StorageError(GpbenchError):
    exit_code = 7


class NotPositiveDefinite(GpbenchError):
    """A covariance matrix that no rung of the jitter ladder could repair: trial status `nonpsd`."""


class NotConverged(GpbenchError):
    """An iteration ended without a result: trial status `failed`."""


class InvalidPrediction(GpbenchError):
    """A method returned NaN, a variance <= 0, the wrong shape or an impossible figure: trial status `invalid`."""


class NotApplicable(GpbenchError):
    """A method does not support this kernel or task, for example without input gradients: trial status `skipped`."""


NOT_HAD = "could not be installed"  # in the reason of a trial that was skipped for it: such a one is tried again
