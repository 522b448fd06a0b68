"""data fetch, verify, audit, cite, export, shards."""

from __future__ import annotations

import os

import click

from gpbench.text import printable

from .shared import ConfigName, Group, fail, json_option, output_folder, plugin_option, print_json


@click.group(cls=Group)
def data():
    """Data sets: prefetch, re-hash, audits, citations, splits as plain files."""


def _names(names, every: bool) -> list[str]:
    from gpbench import catalog

    if every:
        return list(catalog.available("dataset"))
    if not names:
        raise click.UsageError("name at least one data set, or --all (gpbench list datasets shows them)")
    for name in names:
        catalog.find("dataset", name)
    return list(names)


names_argument = click.argument("names", nargs=-1, metavar="NAME...")
all_option = click.option("--all", "every", is_flag=True, help="Every data set.")


def _each(names, action) -> int:
    """Do all of them; one that cannot be had does not keep the others back."""
    from gpbench.errors import GpbenchError

    code = 0
    for name in names:
        try:
            click.echo(f"{name}: {action(name)}")
        except GpbenchError as e:
            code = max(code, fail(e))
    return code


@data.command()
@names_argument
@all_option
@click.option("--mirror", metavar="DIR_OR_URL", help="Tried right after the verified cache [env: GPBENCH_MIRROR].")
@plugin_option
def fetch(names, every, mirror):
    """Get raw files into the cache, verified."""
    from gpbench.data.service import fetch as get

    if mirror:
        os.environ["GPBENCH_MIRROR"] = mirror
    return _each(_names(names, every), lambda name: get(name))


@data.command()
@names_argument
@all_option
@plugin_option
def verify(names, every):
    """Hash the cached files again."""
    from gpbench.data.service import verify as rehash

    return _each(_names(names, every), lambda name: rehash(name))


@data.command()
@click.argument("name", metavar="NAME|FILE")
@click.option("--target", metavar="COLUMN", help="Of a csv file: the column to predict [default: its last].")
@click.option("--task", type=click.Choice(["regression", "classification"]), default="regression", show_default=True)
@click.option("--missing", type=click.Choice(["median", "drop"]), default="median", show_default=True,
              help="What is done about missing values of a csv file.")  # fmt: skip
@json_option
@plugin_option
def audit(name, target, task, missing, as_json):
    """What is odd about the rows: repeated inputs, leaking, constant and copied columns, rounded targets."""
    from gpbench.data.service import audit as facts

    found = facts(name, target or "", task, missing)
    if as_json:
        return print_json(found)
    for question, answer in found.items():
        click.echo(printable(f"{question}: {answer}"))


@data.command()
@names_argument
@all_option
@plugin_option
def cite(names, every):
    """Citations."""
    from gpbench.data.service import cite as citation

    return _each(_names(names, every), citation)


@data.command()
@names_argument
@click.option("-c", "--config", type=ConfigName(), help="Take data sets, splits and seed of this config.")
@click.option("-o", "--output", type=output_folder, default="export", show_default=True, help="Folder.")
@click.option("--trials", metavar="0-4", help="Which trials [default: the config's, or 0].")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Without a config.")
@click.option("--n-train", type=click.IntRange(1), help="Without a config: rows to train on, drawn at random.")
@plugin_option
def export(names, config, output, trials, seed, n_train):
    """Splits as plain files, for other libraries; `gpbench score` scores what they predict."""
    from pathlib import Path

    from gpbench.experiment.config.config import load_config
    from gpbench.experiment.plan.plan import plan, ranges
    from gpbench.experiment.verify.export_splits import default_trial, export_trials

    if config:
        chosen = plan(load_config(config), datasets=names or None, trials=trials).trials
    else:
        split = {"kind": "random", "n_train": n_train} if n_train else {}
        wanted = [i for low, high in ranges(trials or "0") for i in range(low, int(high) + 1)]
        chosen = [default_trial(name, split, seed, i) for name in _names(names, False) for i in wanted]
    for path in export_trials(chosen, Path(output)):
        click.echo(path)


@data.command()
@click.argument("name", metavar="NAME")
@click.option("-n", "--rows", type=click.IntRange(1), required=True, help="How many rows.")
@click.option("-o", "--output", type=output_folder, required=True, help="A new folder, for {npy: FOLDER} in a config.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Which draw.")
@plugin_option
def shards(name, rows, output, seed):
    """Rows of a simulator, any number of them, as memory-mapped files (docs/reference/data.md)."""
    from gpbench import catalog
    from gpbench.data.shards import generate, write
    from gpbench.data.source import Generated
    from gpbench.errors import ConfigError, NotApplicable

    cls = catalog.find("dataset", name)
    if not issubclass(cls, Generated):
        raise ConfigError(f"{name} is no simulator: only kin40k-sim and friedman1, 2, 3 are drawn at any size")
    try:
        count = write(output, generate(cls(), rows, seed))  # type: ignore[call-arg]
    except NotApplicable as e:
        raise ConfigError(str(e)) from e
    click.echo(f"{output}: {count} rows of {name}")
