"""Small things every command needs."""

from __future__ import annotations

import contextlib
import glob
import json
import math
import os
import sys
from typing import Any

import click

from gpbench.text import printable

_QUIET = "gpbench.quiet"


def _set_verbosity(context, parameter, value):
    """Set the verbosity; -v and -q may come before or after the command."""
    import logging

    if not value:
        return
    if parameter.name == "quiet":
        context.meta[_QUIET] = True  # of this invocation: the environment would keep it for the next
    level = logging.ERROR if parameter.name == "quiet" else logging.INFO if value == 1 else logging.DEBUG
    logging.basicConfig(level=level, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s", force=True)


def _verbosity_options() -> list[click.Option]:
    shared: dict[str, Any] = {"expose_value": False, "is_eager": True, "callback": _set_verbosity}
    return [
        click.Option(["-v", "--verbose"], count=True, help="More on stderr (-vv: debug).", **shared),
        click.Option(["-q", "--quiet"], is_flag=True, help="Only results and errors.", **shared),
    ]


class Command(click.Command):
    """Every command also takes -v and -q."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.params += _verbosity_options()


class Group(click.Group):
    command_class = Command

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.params += _verbosity_options()


def is_quiet() -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and context.meta.get(_QUIET, False)


def note(message: str) -> None:
    """A remark for the person at the terminal; results go to stdout, this goes to stderr."""
    if not is_quiet():
        click.echo(printable(message), err=True)


def fail(error) -> int:
    """Print the error's sentence(s) and return its exit code."""
    click.echo(f"gpbench: {error.told}", err=True)
    return error.exit_code


class Terminated(BaseException):
    """SIGTERM, where no other handler is set: outside of the trials."""


def terminate(_number, _frame):
    raise Terminated


KEPT = "stopped; what had finished is kept, the same command continues"


def stopped(sentence: str) -> None:
    click.echo(printable(f"gpbench: {sentence}"), err=True)


@contextlib.contextmanager
def on_interruption(sentence: str):
    """Ctrl-C and SIGTERM leave with a word of what was done."""
    try:
        yield
    except (KeyboardInterrupt, Terminated):
        stopped(sentence)
        raise


def print_json(content) -> None:
    json.dump(content, sys.stdout, indent=2, sort_keys=True, default=str)
    sys.stdout.write("\n")


PLUGINS = "gpbench.plugins"  # key of a context's `meta`: paths of the files given with --plugin


def load_plugins(context, _parameter, paths) -> None:
    """Callback of --plugin: the files are known before any config is read."""
    context.meta[PLUGINS] = [os.path.abspath(p) for p in paths]
    if paths:
        from gpbench import catalog

        for path in paths:
            catalog.load_plugin(path)


plugin_option = click.option(
    "--plugin", multiple=True, callback=load_plugins, is_eager=True, expose_value=False, metavar="FILE",
    help="A Python file with your own method, kernel, metric or data set (docs/reference/extending.md).",
)  # fmt: skip
json_option = click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
folder = click.Path(exists=True, file_okay=False)


class Output(click.Path):
    """A file or folder to be written; an empty text names none, and would become the working folder."""

    def convert(self, value, param, ctx):
        if isinstance(value, str) and not value.strip():
            self.fail(f"the name of the {self.name if self.name == 'file' else 'folder'} is empty", param, ctx)
        return super().convert(value, param, ctx)


output_file, output_folder = Output(dir_okay=False), Output(file_okay=False)


class ConfigName(click.ParamType):
    """A config: a file, or the name of one that comes with gpbench; the shell completes both."""

    name = "config"

    def shell_complete(self, ctx, param, incomplete):
        from click.shell_completion import CompletionItem

        from gpbench.experiment.config.packaged import names

        ours = [CompletionItem(name) for name in names() if name.startswith(incomplete)]
        at_hand = glob.glob(f"{glob.escape(incomplete)}*")  # a file of that name comes first
        return [CompletionItem(incomplete, type="file")] if at_hand or not ours else ours


def of_config(what: str):
    """Completion with the methods or data sets of the configs on the command line, else with all that gpbench has."""

    def complete(context, _parameter, incomplete: str) -> list[str]:
        from gpbench import catalog
        from gpbench.errors import GpbenchError
        from gpbench.experiment.config import packaged
        from gpbench.experiment.config.config import load_config

        found: list[str] = []
        for name in context.params.get("configs") or context.args:  # args: while the last option lacks its value
            with contextlib.suppress(GpbenchError):
                config = load_config(packaged.located(name))
                found += [m.label for m in config.methods] if what == "methods" else []
                found += [name for d in config.datasets for name in d.names] if what == "datasets" else []
        known = found or sorted(catalog.own_names(what.removesuffix("s")))
        return [name for name in dict.fromkeys(known) if name.startswith(incomplete)]

    return complete


def any_name(_context, _parameter, incomplete: str) -> list[str]:
    """Completion with every name that `gpbench describe` knows."""
    from gpbench import catalog
    from gpbench.experiment.config import packaged
    from gpbench.metrics import METRICS

    kinds = ("method", "kernel", "dataset", "likelihood", "stop-rule")
    known = {name for kind in kinds for name in catalog.own_names(kind)} | METRICS.keys() | set(packaged.names())
    return sorted(name for name in known if name.startswith(incomplete))


def finite_seconds(_context, _parameter, value):
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"{value} is no number of seconds")
    return value
