"""status: what a results folder holds."""

from __future__ import annotations

from pathlib import Path

import click

from .shared import Command, folder, json_option, print_json

_ERRORS = 10  # that `status` tells


@click.command(cls=Command)
@click.argument("directory", type=folder, metavar="DIR")
@json_option
def status(directory, as_json):
    """Done, failed and left in a results folder; the last errors."""
    from gpbench.experiment.run.run import status as look

    found = look(Path(directory))
    if as_json:
        print_json(found)
        return
    stale = f" ({found['stale']} stale)" if found["stale"] else ""
    click.echo(
        f"{found['done']} done{stale}, {found['failed']} failed, {found['left']} left of {found['planned']} planned"
    )
    if found["damaged"]:
        click.echo(f"{found['damaged']} damaged line(s) in archive.jsonl; the run command moves them to quarantine/")
    if found["running"]:
        click.echo(f"running: process {found['running']['pid']} on {found['running']['host']}")
    errors = _each_error_once(found["failures"])
    for failure in errors[-_ERRORS:]:
        log = f" ({failure['log']})" if (Path(directory) / failure["log"]).is_file() else ""
        click.echo(f"  {failure['what']}{log}")
    if (more := len(errors) - _ERRORS) > 0:
        click.echo(f"  ... and {more} more; `gpbench status {directory} --json` lists every trial that failed")


def _each_error_once(failures: list[dict]) -> list[dict]:
    """The first trial that each error ended, with how many more it did."""
    by_reason: dict[str, list[dict]] = {}
    for failure in failures:
        by_reason.setdefault(failure["reason"], []).append(failure)
    more = {
        reason: f" (and {len(same) - 1} more trials)" if len(same) > 1 else "" for reason, same in by_reason.items()
    }
    return [{**same[0], "what": same[0]["what"] + more[reason]} for reason, same in by_reason.items()]
