"""Options of fit, predict and advise about the user's table, and the table as they read it."""

from __future__ import annotations

import os

import click

from gpbench.text import seconds

from .shared import note

file_argument = click.Path(exists=True, dir_okay=False)
KINDS = "number, date, dmy, mdy, ymd, time, category, boolean, id, text, drop"


class Duration(click.ParamType):
    name = "TIME"

    def convert(self, value, param, ctx):
        if isinstance(value, (int, float)):
            return float(value)
        found = seconds(value)
        if found is None:
            self.fail(f"{value!r} is no time: expected for example 90s, 10m or 1h", param, ctx)
        return found


_FORMAT = (
    click.option("--encoding", metavar="NAME", help="Of the text, such as cp1252 or utf-16 [default: found]."),
    click.option("--sep", metavar="CHAR", help="Between the fields: one character, or tab [default: found]."),
)
_COLUMNS = (
    click.option("--target", required=True, metavar="COLUMN", help="The column to predict."),
    click.option("--task", type=click.Choice(["auto", "regression", "classification"]), default="auto",
                 show_default=True, help="auto: classification for a target of two texts."),
    click.option("--drop", multiple=True, metavar="COLUMN", help="This column is no input; once for each column."),
    click.option("--inputs", multiple=True, metavar="COLUMN", help="Only these are inputs; once for each column."),
    click.option("--column", "kinds", multiple=True, metavar="NAME=KIND",
                 help=f"Read a column as another kind: {KINDS}. For example --column when=dmy."),
    click.option("--levels", type=click.IntRange(1), metavar="N",
                 help="A text column of more levels is left out [default: 50]."),
    click.option("--missing", type=click.Choice(["auto", "median", "drop", "refuse"]), default="auto",
                 show_default=True, help="Missing cells: auto takes the median or a level of their own, and adds a 0/1 "
                 "input where 1 % or more are missing; drop leaves the rows out."),
    click.option("--decimal", type=click.Choice([".", ","]), help="The decimal sign [default: found]."),
    click.option("--thousands", type=click.Choice([",", ".", " ", "'"]),
                 help="The sign between groups of three digits [default: found]."),
    click.option("--weight", metavar="COLUMN", help="Weights; a row's noise variance is divided by its weight."),
    click.option("--noise", metavar="COLUMN", help="Known noise variances, in squared units of the target."),
    *_FORMAT,
)  # fmt: skip


def column_options(command):
    """Options about the file that fit and advise have in common with a config's `dataset: {csv: ...}`."""
    for option in reversed(_COLUMNS):
        command = option(command)
    return command


def format_options(command):
    for option in reversed(_FORMAT):
        command = option(command)
    return command


def choices_of(drop=(), inputs=(), kinds=(), **given):
    """`Choices` of the options; what the user left out stays unset."""
    from pydantic import ValidationError

    from gpbench.data.tables.csv_columns import Choices
    from gpbench.errors import ConfigError

    chosen = {}
    for text in kinds:
        name, sign, kind = text.rpartition("=")
        if not sign or not name:
            raise ConfigError(f"--column {text}: expected NAME=KIND, such as weight=number; kinds are {KINDS}")
        chosen[name] = kind
    given |= {"drop": list(drop) or None, "inputs": list(inputs) or None}
    try:
        return Choices(columns=chosen or "auto", **{k: v for k, v in given.items() if v is not None})
    except ValidationError as e:
        raise ConfigError(f"--column: {str(e.errors()[0]['msg']).removeprefix('Value error, columns: ')}") from e


def look(file, target: str, task: str, choices, seconds: float | None = None):
    """(the table as it is read, the same as a config's dataset); every fault in one error.

    With `seconds`, fewer rows are read where all would take longer.
    """
    from gpbench.data.tables import csv_file
    from gpbench.data.tables.csv_words import as_option
    from gpbench.errors import DataError

    found = csv_file.look(file, target, task, choices, as_option, seconds)
    if found.faults:
        raise DataError.of_lines(found.faults)
    plain = {k: v for k, v in choices.model_dump(exclude_unset=True).items() if (k, v) != ("missing", "auto")}
    return found, {"csv": os.path.abspath(file), "target": target, "task": found.task, **plain}


def tell(file, looked) -> None:
    """What became of each column, and what is odd about the rows, to stderr."""
    from gpbench.data.tables.reading_text import explained

    for line in explained(str(file), looked):
        note(line)
    for remark in looked.told():
        note(remark)
