"""advise, fit and predict: for who has a csv and no Python."""

from __future__ import annotations

import os
from pathlib import Path

import click

from gpbench.text import counted, seconds

from .shared import KEPT, Command, note, of_config, on_interruption, output_file, output_folder, plugin_option, stopped

_file = click.Path(exists=True, dir_okay=False)


class Duration(click.ParamType):
    name = "TIME"

    def convert(self, value, param, ctx):
        if isinstance(value, (int, float)):
            return float(value)
        found = seconds(value)
        if found is None:
            self.fail(f"{value!r} is no time: expected for example 90s, 10m or 1h", param, ctx)
        return found


def _columns(command):
    """Options about the file that all three have in common with a config's `dataset: {csv: ...}`."""
    for option in (
        click.option("--noise", metavar="COLUMN", help="Known noise variances, in squared units of the target."),
        click.option("--weight", metavar="COLUMN", help="Weights; a row's noise variance is divided by its weight."),
        click.option("--missing", type=click.Choice(["refuse", "drop", "median"]), default="refuse", show_default=True,
                     help="What is done about missing values."),
        click.option("--inputs", multiple=True, metavar="COLUMN", help="Only these columns are inputs, one each time."),
        click.option("--drop", multiple=True, metavar="COLUMN", help="These columns are no inputs, one each time."),
        click.option("--task", type=click.Choice(["regression", "classification"]), default="regression",
                     show_default=True),
        click.option("--target", required=True, metavar="COLUMN", help="The column to predict."),
    ):  # fmt: skip
        command = option(command)
    return command


def _look(file, target, task, drop, inputs, missing, **of_rows):
    """The table and how it is read; every problem in one error, what is odd to stderr."""
    from gpbench.data.tables import csv_file
    from gpbench.data.tables.csv_columns import Choices
    from gpbench.data.tables.csv_words import as_option
    from gpbench.errors import DataError

    given = {"drop": list(drop) or None, "inputs": list(inputs) or None, "categorical": "one-hot", "missing": missing}
    given |= of_rows
    given = {k: v for k, v in given.items() if v not in (None, "refuse")}
    found = csv_file.look(file, target, task, Choices(**given), as_option)
    if found.faults:
        raise DataError("\n".join(found.faults))
    for remark in found.told():
        note(remark)
    return found, {"csv": os.path.abspath(file), "target": target, "task": task, **given}


@click.command(cls=Command)
@click.argument("file", type=_file)
@_columns
@click.option("--budget", type=Duration(), default="10m", show_default=True, help="Time for all of it: 90s, 10m, 1h.")
@click.option("--metric", help="What is compared [default: nmse, or err for classes].")
@click.option("--most", type=click.IntRange(1), default=1000, show_default=True, help="Basis vectors, at most.")
@click.option("-m", "--method", "methods", multiple=True, metavar="GLOB", help="Only methods like this.")
@click.option("-j", "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Trials at the same time.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("-o", "--output", type=output_folder, help="Folder [default: results/advice-<file>].")
@plugin_option
def advise(file, target, task, drop, inputs, missing, weight, noise, budget, metric, most, methods, jobs, seed,
           output):  # fmt: skip
    """Which method and how many basis vectors for the rows of FILE, within a budget of time.

    Successive halving over methods and sizes on repeated splits; the cheapest candidate is recommended that is behind
    the best by at most one standard error of their difference (and 2.5 %, or .025 nat). The folder keeps the table, a
    plot, and advice.yaml for gpbench run. Methods of plug-ins, files or installed packages, are candidates, too.
    """
    import time

    begin = time.monotonic()
    from gpbench import catalog
    from gpbench.estimators.advise import candidates, choose, recommendation_text
    from gpbench.estimators.advise.halving import Search, Stopped, refuse
    from gpbench.experiment.results.checked_files import write_atomic

    metric = metric or recommendation_text.ERROR[task]
    _refuse_metric(metric, task)
    opened = time.monotonic()
    looked, source = _look(file, target, task, drop, inputs, missing, weight=weight, noise=noise)
    reading = time.monotonic() - opened
    refuse(file, target, looked.y)
    out = Path(output or Path("results") / f"advice-{Path(file).stem}")
    search = Search(
        source, task, len(looked.y), metric, budget, out, [], jobs, seed, note, begin=begin, reading=reading
    )
    search.every = candidates.candidates(task, search.full, most, methods, catalog.of_plugins("method"))
    try:
        with on_interruption(KEPT):
            live = search.go()
    except Stopped as e:  # no advice: who interrupts wants the prompt back
        stopped(KEPT)
        return e.exit_code
    rows, found = search.table(live)
    if not found:
        note(search.nothing())
        return 1
    cost = {c: recommendation_text.cost(rs) for c, rs in found.items()}
    scores = {c: [search.score(r) for r in rs] for c, rs in found.items()}
    verdict = choose.recommend(scores, cost, metric)
    text = recommendation_text.table(found, task, metric)
    click.echo(text)
    click.echo(f"\nadvice: {verdict.pick.name}: {verdict.reason}.")
    write_atomic(out / "advice.yaml", recommendation_text.config(search, verdict).encode())
    write_atomic(out / "advice.svg", recommendation_text.plot(search, found, verdict))
    write_atomic(out / "advice.md", f"{text}\n\n{verdict.pick.name}: {verdict.reason}.\n".encode())
    note(f"config: {out / 'advice.yaml'} (gpbench run), plot: {out / 'advice.svg'}")
    for line in search.left_out(found):
        note(f"left out: {line}")
    if rows < search.full or len(next(iter(found.values()))) < 2:
        reached = f"{rows} of {search.full} training rows" if rows < search.full else "one split of all rows"
        note(f"the budget of {budget:g} s is too small for these rows: it reached {reached}; this is a first guess")
        return 1
    return 0


def _refuse_metric(metric: str, task: str) -> None:
    from gpbench.errors import ConfigError
    from gpbench.metrics import METRICS, of_task
    from gpbench.text import nearest

    if metric not in METRICS:
        raise ConfigError(f"--metric: unknown metric '{metric}'{nearest(metric, of_task(task))}")
    if task not in METRICS[metric].tasks:
        raise ConfigError(f"--metric: '{metric}' is no metric of {task}; those are {', '.join(of_task(task))}")


@click.command(cls=Command)
@click.argument("file", type=_file)
@_columns
@click.option("-o", "--output", required=True, type=output_file, help="Where the model goes: MODEL.npz.")
@click.option("--method", default="auto", show_default=True, shell_complete=of_config("methods"),
              help="gpbench list methods")  # fmt: skip
@click.option("--n-basis", default="auto", show_default=True, help="A number, or auto.")
@click.option("--kernel", default="auto", show_default=True,
              help="gpbench list kernels; or a mapping as in a config, '{sum: [ard-se, linear]}'.")  # fmt: skip
@click.option("--learn", type=click.Choice(["auto", "fixed", "joint", "interleaved"]), default="auto")
@click.option("--max-seconds", type=Duration(), help="Learning keeps what it has after this time.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--set", "options", multiple=True, metavar="KEY=VALUE", help="A parameter of the method.")
@plugin_option
def fit(file, target, task, drop, inputs, missing, weight, noise, output, method, n_basis, kernel, learn, max_seconds,
        seed, options):  # fmt: skip
    """Fit one model to the rows of FILE and keep it as plain arrays."""
    from gpbench import SparseGPClassifier, SparseGPRegressor, catalog
    from gpbench.errors import BadInput
    from gpbench.estimators.csv_models import fit_table
    from gpbench.estimators.model_file import refuse_path

    refuse_path(output)
    looked, _ = _look(file, target, task, drop, inputs, missing, weight=weight, noise=noise)
    cls = SparseGPClassifier if task == "classification" else SparseGPRegressor
    size = int(n_basis) if n_basis.isdigit() else n_basis
    kernel = _yaml("--kernel", kernel) if kernel.startswith("{") else kernel
    model = cls(method, size, kernel, learn, max_seconds, seed, options=_options(options))
    try:
        fit_table(model, looked)
    except BadInput as e:
        raise type(e)(_in_options(str(e))) from e
    model.save(output)
    for text in model.notes_:
        note(text)
    sized = "d_max" in catalog.find("method", model.method_).model_fields
    size = f" with {counted(model.n_basis_, 'basis vector')}" if sized else ""
    click.echo(f"{output}: {model.method_}{size} on {counted(len(looked.y), 'row')}")


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
@click.argument("model", type=_file)
@click.argument("file", type=_file)
@click.option("-o", "--output", type=output_file, help="OUT.csv [default: the terminal].")
@plugin_option
def predict(model, file, output):
    """Predictions of MODEL.npz for the rows of FILE: mean and std, or the class and its probability."""
    from gpbench import load
    from gpbench.errors import ConfigError
    from gpbench.estimators.csv_models import predict_table
    from gpbench.system.atomic_files import refuse_unwritable, write

    if output is not None:
        if Path(output).exists() and any(Path(output).samefile(p) for p in (model, file)):
            raise ConfigError(f"--output {output}: is what is read, and would be lost; name another file")
        refuse_unwritable(output)
    text, told = predict_table(load(model), file)
    for line in told:
        note(line)
    if output is None:
        click.echo(text, nl=False)
    else:
        write(output, text)
