"""new: a commented starting file for a method, kernel or data set of the user's own, and its test."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

from .shared import output_folder

KINDS = {"method": "method", "kernel": "kernel", "dataset": "dataset"}
RUN = {"method": "methods: [{name}]", "kernel": "kernel: {name}", "dataset": "dataset: {name}"}


@click.command("new")
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.argument("name")
@click.option("-o", "--output", type=output_folder, default=".", show_default=True, help="The folder of the two files.")
def new(kind, name, output):
    """Write a commented starting file for a method, kernel or data set, and a test that it passes.

    gpbench new method first-rows   writes first_rows.py and test_first_rows.py
    """
    from gpbench.errors import ConfigError
    from gpbench.system.atomic_files import write

    module = _module(kind, name)
    folder = Path(output)
    targets = {f"{kind}.py.txt": folder / f"{module}.py", f"test_{kind}.py.txt": folder / f"test_{module}.py"}
    if there := [str(p) for p in targets.values() if p.exists()]:
        raise ConfigError(f"{' and '.join(there)}: the file exists; choose another name, or another folder by -o")
    folder.mkdir(parents=True, exist_ok=True)
    words = {"CLASS": "".join(part.capitalize() for part in module.split("_")), "MODULE": module, "NAME": name}
    for starter, target in targets.items():
        text = files("gpbench.cli").joinpath("starters", starter).read_text(encoding="utf-8")
        for word, value in words.items():
            text = text.replace(word, value)
        write(target, text)
        click.echo(target)
    click.echo(f"test it:  python -m pytest {targets[f'test_{kind}.py.txt']}")
    click.echo(f"use it:   gpbench run my.yaml --plugin {folder / f'{module}.py'}   with {RUN[kind].format(name=name)}")


def _module(kind: str, name: str) -> str:
    """The name of the file without .py, or an error that says what is wrong with the name."""
    import keyword

    from gpbench import catalog
    from gpbench.errors import ConfigError
    from gpbench.text import is_name

    module = name.replace("-", "_")
    if not is_name(name) or not module.isidentifier() or keyword.iskeyword(module) or name.startswith("_"):
        raise ConfigError(f"'{name}': a name begins with a-z and holds a-z, 0-9, - and _, for example my-{kind}")
    if name in catalog.own_names(KINDS[kind]):
        raise ConfigError(f"gpbench has a {kind} '{name}' of its own; choose another name")
    return module
