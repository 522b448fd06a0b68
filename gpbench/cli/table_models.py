"""fit and predict: one model of a table, without Python."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import click

from gpbench.text import counted, printable

from .shared import Command, is_quiet, note, of_config, output_file, plugin_option
from .table_options import Duration, choices_of, column_options, file_argument, format_options, look, tell

READING = 0.3  # of --max-seconds
JUDGING = 0.05  # of --max-seconds, which the fit itself may take: rows left out are predicted after it


@click.command(cls=Command)
@click.argument("file", type=file_argument)
@column_options
@click.option("-o", "--output", type=output_file, help="Where the model goes: MODEL.npz.")
@click.option(
    "--report", type=output_file, metavar="FILE.html", help="A page about the model: scores, charts, columns."
)
@click.option("--explain", is_flag=True, help="Print what becomes of each column, and stop.")
@click.option("--method", default="auto", show_default=True, shell_complete=of_config("methods"),
              help="gpbench list methods")  # fmt: skip
@click.option("--n-basis", default="auto", show_default=True, help="A number, or auto.")
@click.option("--kernel", default="auto", show_default=True,
              help="gpbench list kernels; or a mapping as in a config, '{sum: [ard-se, linear]}'.")  # fmt: skip
@click.option("--learn", type=click.Choice(["auto", "fixed", "joint", "interleaved"]), default="auto")
@click.option("--max-seconds", type=Duration(), help="A limit for reading, learning and fitting together.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--set", "options", multiple=True, metavar="KEY=VALUE", help="A parameter of the method.")
@plugin_option
def fit(file, target, task, output, method, n_basis, kernel, learn, max_seconds, seed, options, explain, report,
        **columns):  # fmt: skip
    """Fit one model to the rows of FILE and keep it as plain arrays.

    Prints first what was understood of each column, and last how good the model is on rows left out. FILE is a csv (any
    separator, decimal sign, encoding), or parquet.

    \b
    gpbench fit my.csv --target price --explain
    gpbench fit my.csv --target price -o model.npz --max-seconds 60s
    gpbench fit my.csv --target price -o model.npz --report model.html
    """
    begin = time.monotonic()
    from gpbench import SparseGPClassifier, SparseGPRegressor, catalog
    from gpbench.errors import BadInput, ConfigError
    from gpbench.estimators.csv_models import fit_table
    from gpbench.estimators.model_file import refuse_path
    from gpbench.estimators.quality.quality import told
    from gpbench.system import deadline
    from gpbench.system.atomic_files import refuse_unwritable

    choices = choices_of(**columns)
    if explain:
        _explain(file, *look(file, target, task, choices))
        return 0
    if output is None:
        raise ConfigError("--output: where the model goes is missing: -o model.npz (or --explain, which keeps none)")
    refuse_path(output)
    if report is not None:
        refuse_unwritable(report)
    with progress_bar(max_seconds):
        looked, source = look(file, target, task, choices, None if max_seconds is None else READING * max_seconds)
    tell(file, looked)
    cls = SparseGPClassifier if source["task"] == "classification" else SparseGPRegressor
    size = int(n_basis) if n_basis.isdigit() else n_basis
    kernel = _yaml("--kernel", kernel) if kernel.startswith("{") else kernel
    left = None if max_seconds is None else max(max_seconds - (time.monotonic() - begin), 0.05 * max_seconds)
    model = cls(method, size, kernel, learn, max_seconds, seed, options=_options(options))
    try:
        with progress_bar(left), deadline.within(left):
            fit_table(model, looked)
    except BadInput as e:
        said = [_in_options(line) for line in e.told.split("\n")]
        raise type(e).of_lines(said) from e
    lines = told(model, None if max_seconds is None else JUDGING * max_seconds)
    model.save(output)
    if report is not None:
        from gpbench.estimators.pages import model_page

        if hasattr(model, "_examined"):
            model_page.write(report, model, model._examined, Path(file).name, target)
        else:
            note(f"{report}: is not written; {lines[0]}")
    for text in model.notes_:
        note(text)
    sized = "d_max" in catalog.find("method", model.method_).model_fields
    size = f" with {counted(model.n_basis_, 'basis vector')}" if sized else ""
    click.echo(f"{output}: {model.method_}{size} on {counted(len(looked.y), 'row')}")
    for text in lines:
        click.echo(printable(text))
    return 0


def progress_bar(limit: float | None):
    """A bar on a terminal for what takes longer than two seconds, unless -q."""
    from gpbench.system import progress

    return contextlib.nullcontext() if is_quiet() else progress.shown(limit)


def _explain(file, looked, source) -> None:
    """What was understood of each column, to stdout."""
    from gpbench.data.tables.reading_text import explained

    for line in [*explained(str(file), looked, most=None), *looked.told()]:
        click.echo(printable(line))


def _in_options(sentence: str) -> str:
    """What an estimator says of its parameters, in words of the command line."""
    name, colon, rest = sentence.partition(":")
    if name in ("method", "n_basis", "kernel", "learn", "max_seconds", "options"):
        sentence = ("--set" if name == "options" else "--" + name.replace("_", "-")) + colon + rest
    for name, task in {"SparseGPClassifier": "classification", "SparseGPRegressor": "regression"}.items():
        sentence = sentence.replace(f"use {name}", f"--task {task}")
    return sentence


def _options(given) -> dict:
    from gpbench.errors import ConfigError

    found = {}
    for text in given:
        key, sign, value = text.partition("=")
        if not sign or not key:
            raise ConfigError(f"--set {text}: expected KEY=VALUE")
        found[key] = _yaml(f"--set {text}", value)
    return found


def _yaml(option: str, text: str):
    import yaml

    from gpbench.errors import ConfigError

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as e:
        raise ConfigError(f"{option}: is no YAML ({' '.join(str(e).split())})") from e


@click.command(cls=Command)
@click.argument("model", type=file_argument)
@click.argument("file", type=file_argument)
@click.option("-o", "--output", type=output_file, help="OUT.csv [default: the terminal].")
@click.option("--interval", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True,
              help="Share of new targets between the columns lower and upper.")  # fmt: skip
@click.option("--quantile", "quantiles", multiple=True, type=click.FloatRange(0, 1, min_open=True, max_open=True),
              metavar="Q", help="A further column with this quantile, such as .9; once for each.")  # fmt: skip
@format_options
@plugin_option
def predict(model, file, output, interval, quantiles, encoding, sep):
    """Predictions of MODEL.npz for the rows of FILE, in their order, after the id columns of the fit.

    Numbers: mean, std and the bounds of an interval. Classes: the class, its probability, and that of each class. The
    columns of FILE are read as those of the fit were; what is new in a column is told. A row that cannot be read has
    empty predictions.

    \b
    gpbench predict model.npz new.csv -o predictions.csv
    gpbench predict model.npz new.csv --interval .8 --quantile .1 --quantile .9
    """
    from gpbench import load
    from gpbench.errors import ConfigError
    from gpbench.estimators.csv_models import predict_table
    from gpbench.system.atomic_files import refuse_unwritable, write

    if output is not None:
        if Path(output).exists() and any(Path(output).samefile(p) for p in (model, file)):
            raise ConfigError(f"--output {output}: is what is read, and would be lost; name another file")
        refuse_unwritable(output)
    text, told = predict_table(load(model), file, interval, quantiles, choices_of(encoding=encoding, sep=sep))
    for line in told:
        note(line)
    if output is None:
        click.echo(text, nl=False)
    else:
        write(output, text)
