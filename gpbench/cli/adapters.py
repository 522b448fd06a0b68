"""adapters list, install, remove."""

from __future__ import annotations

import click

from .shared import Group, fail


@click.group(cls=Group)
def adapters():
    """Environments of other libraries, which configs use as `{external: NAME}`."""


@adapters.command("list")
def list_():
    """Libraries, their models, and whether their environment is there."""
    from gpbench.adapters import environment

    for library in environment.libraries():
        adapter = environment.find(library)
        names = ", ".join(f"{library}-{m}" for m in environment.models(adapter.file))
        state = "installed" if environment.installed(adapter) else "not installed"
        click.echo(f"{library:10} {state:14} {names}")


@adapters.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
def install(names):
    """Make the environment of a library; packages are pinned and taken as wheels only."""
    from gpbench.adapters import environment
    from gpbench.errors import GpbenchError

    code = 0
    for name in names:
        try:
            adapter = environment.find(name)
            environment.install(adapter)
            click.echo(f"{adapter.library}: {adapter.folder or 'runs under this Python'}")
        except GpbenchError as e:
            code = max(code, fail(e))
    return code


@adapters.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
def remove(names):
    """Delete the environments of a library."""
    from gpbench.adapters import environment

    for name in names:
        adapter = environment.find(name)
        found = environment.remove(adapter)
        click.echo(f"{adapter.library}: {f'{len(found)} removed' if found else 'none was there'}")
