"""data fetch, verify, cite, export."""

from __future__ import annotations

import os

import click

from .shared import Group, fail, note, plugin_option


@click.group(cls=Group)
def data():
    """Data sets: prefetch, re-hash, citations, splits as plain files."""


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
def fetch(names, every, mirror, plugin):
    """Get raw files into the cache, verified."""
    from gpbench.data.service import fetch as get

    if mirror:
        os.environ["GPBENCH_MIRROR"] = mirror
    return _each(_names(names, every), lambda name: get(name))


@data.command()
@names_argument
@all_option
@plugin_option
def verify(names, every, plugin):
    """Hash the cached files again."""
    from gpbench.data.service import verify as rehash

    return _each(_names(names, every), lambda name: rehash(name))


@data.command()
@names_argument
@all_option
@plugin_option
def cite(names, every, plugin):
    """Citations."""
    from gpbench.data.service import cite as citation

    return _each(_names(names, every), citation)


@data.command()
@click.argument("config", type=click.Path(dir_okay=False))
@click.option("-o", "--output", required=True, type=click.Path(file_okay=False), help="Folder to write to.")
@click.option("-d", "--dataset", "datasets", multiple=True, metavar="GLOB", help="Only data sets like this.")
@click.option("--trials", metavar="0-4", help="Only these trials.")
@plugin_option
def export(config, output, datasets, trials, plugin):
    """The splits of a config as plain files, for other libraries (score them with `gpbench score`)."""
    note("not wired yet")
