"""verify: archived trials run again and compared."""

from __future__ import annotations

from pathlib import Path

import click

from .shared import Command, finite_seconds, folder, is_quiet, json_option, note, plugin_option, print_json

_SECONDS = 300.0


@click.command(cls=Command)
@click.argument("directories", nargs=-1, required=True, type=folder, metavar="DIR...")
@click.option("--sample", type=click.IntRange(1), help="How many trials to run again.")
@click.option(
    "--seconds",
    type=click.FloatRange(1),
    callback=finite_seconds,
    help=f"As many as fit into this time [default: {_SECONDS:g}, without --sample].",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Which trials stand for the others.")
@click.option("-j", "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Trials at the same time.")
@json_option
@plugin_option
def verify(directories, sample, seconds, seed, jobs, as_json):
    """Run a sample of archived trials again, of every method, data set and kernel first, and compare the numbers.

    Exit 4 where one differs by more than 1e-6 (relative) on a platform like the recorded one, or nothing was compared.
    """
    from gpbench.experiment.run.progress import choose
    from gpbench.experiment.verify.verify import verify as run_again

    if sample and seconds:
        raise click.UsageError("give --sample or --seconds, not both")
    if not sample:
        seconds = seconds or _SECONDS
    found = run_again([Path(d) for d in directories], sample, seconds, seed, jobs, choose(quiet=is_quiet()))
    if as_json:
        print_json(found.to_json())
    else:
        for outcome in found.outcomes:
            if outcome.differs:
                click.echo(outcome)
        click.echo(found.message)
    note(f"the sample was drawn with --seed {seed}")
    for dataset, reason in found.no_data.items():
        note(f"{dataset}: {reason}")
    return found.exit_code
