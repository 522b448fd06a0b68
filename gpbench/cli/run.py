"""run, status, validate."""

from __future__ import annotations

import os
from pathlib import Path

import click

from .shared import Command, fail, folder, is_quiet, json_option, note, plugin_option, print_json


def _load(paths, overrides):
    """All configs, with the problems of every file in one error."""
    from gpbench.errors import ConfigError
    from gpbench.planning.config import load_config

    configs, problems = [], []
    for path in paths:
        try:
            configs.append(load_config(path, list(overrides)))
        except ConfigError as e:
            problems.append(str(e))
    if problems:
        raise ConfigError("\n".join(problems))
    return configs


def _where(_context, _parameter, value):
    if value not in ("local", "dask") and not value.startswith(("tcp://", "tls://")):
        raise click.BadParameter(f"'{value}' is none of local, dask, tcp://host:port and tls://host:port")
    return value


@click.command(cls=Command)
@click.argument("configs", nargs=-1, required=True, metavar="CONFIG...")
@click.option("-j", "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Trials at the same time.")
@click.option(
    "--on",
    default="local",
    show_default=True,
    metavar="WHERE",
    callback=_where,
    help="Where trials run: local, dask (-j workers of this machine), or a Dask scheduler, tcp://host:8786 or tls://...",
)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="BLAS threads per trial.")
@click.option("-m", "--method", "methods", multiple=True, metavar="GLOB", help="Only methods or labels like this.")
@click.option("-d", "--dataset", "datasets", multiple=True, metavar="GLOB", help="Only data sets like this.")
@click.option("--trials", metavar="0-4", help="Only these trials of the config.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a value of the config.")
@click.option("-n", "--dry-run", is_flag=True, help="Say what would run and how long it may take.")
@click.option("--rerun", type=click.Choice(["stale", "failed", "all"]), help="Run these again, too.")
@click.option("--retry-failed", "rerun", flag_value="failed", hidden=True)
@click.option("--fail-fast", is_flag=True, help="Stop at the first failed trial.")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), help="Seconds a trial may take.")
@click.option("--memory", type=click.IntRange(1), help="MB a trial may take.")
@click.option("--offline", is_flag=True, help="Never touch the network.")
@click.option("-o", "--output", type=click.Path(file_okay=False), help="Results folder [default: results/<name>].")
@click.option("--save-predictions", is_flag=True, help="Keep trials/<id>.npz.")
@plugin_option
def run(configs, output, offline, overrides, dry_run, methods, datasets, trials, plugin, **options):
    """Plan, fetch data, run what is missing, write tables, tests and plots. Running it again continues."""
    if offline:
        os.environ["GPBENCH_OFFLINE"] = "1"
    from gpbench.planning.plan import plan as make_plan

    loaded = _load(configs, overrides)
    chosen = [make_plan(c, methods=methods or None, datasets=datasets or None, trials=trials) for c in loaded]
    code = 0
    for config, plan in zip(loaded, chosen):
        for message in plan.notices:
            note(message)
        out = _folder_of(config.name, output, several=len(loaded) > 1)
        if dry_run:
            _dry_run(plan, out, **options)
            continue
        whole = plan if not (methods or datasets or trials) else make_plan(config)
        options |= {"offline": offline, "plugins": [os.path.abspath(p) for p in plugin]}
        code = max(code, _run_one(config, plan, whole, out, dict(options)))
        if code >= 128:
            break
    return code


def _folder_of(name: str, output: str | None, several: bool) -> Path:
    if output is None:
        return Path("results") / name
    return Path(output) / name if several else Path(output)


def _dry_run(plan, out: Path, jobs: int, rerun: str | None, save_predictions: bool, **_) -> None:
    from gpbench.keeping.store import Store
    from gpbench.running.estimate import estimate
    from gpbench.running.progress import duration

    found = estimate(plan.trials, Store(out), rerun or "", save_predictions)
    for trial in found.missing:
        known = {key: trial.params.get(key) for key in ("d_max", "cache")}
        sizes = "".join(f" {key}={value}" for key, value in known.items() if value is not None)
        click.echo(f"{trial.id} {trial.dataset_name} {trial.label}{sizes} trial {trial.index}")
    basis = "finished trials" if found.measured == found.jobs else "a rough flop count"
    left = f"about {duration(found.seconds / jobs)} left (by {basis})" if found.missing else "nothing left"
    stale = f" ({found.stale} stale)" if found.stale else ""
    click.echo(f"{found.trials} trials, {found.done} done{stale}; {left}")


def _run_one(config, plan, whole, out: Path, options) -> int:
    from gpbench.errors import GpbenchError
    from gpbench.planning.resolved import resolved_yaml
    from gpbench.running.progress import choose
    from gpbench.running.runner import Options
    from gpbench.running.runner import run as run_trials

    options["rerun"] = options["rerun"] or ""
    for limit in ("timeout", "memory"):
        options[limit] = options[limit] or getattr(config, limit)
    summary = run_trials(
        config.name, resolved_yaml(config), plan.trials, out, Options(**options), planned=whole.trials,
        progress=choose(quiet=is_quiet()),
    )  # fmt: skip
    note(summary.missing_extra or summary.message)
    if summary.exit_code >= 128:  # after an interruption the person wants the prompt back, not plots
        return summary.exit_code
    try:
        _render(out)
    except GpbenchError as e:
        return max(summary.exit_code, fail(e))
    return summary.exit_code


def _render(out: Path) -> None:
    """Everything that is drawn from disk, then the table on screen."""
    from gpbench import report

    report.render_all(out)
    click.echo(report.console_table(out))
    note(f"report: {out / 'report.html'}")


@click.command(cls=Command)
@click.argument("directory", type=folder, metavar="DIR")
@json_option
def status(directory, as_json):
    """Done, failed and left in a results folder; the last errors."""
    from gpbench.running.runner import status as look

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
    for failure in found["failures"][-10:]:
        log = f" ({failure['log']})" if (Path(directory) / failure["log"]).is_file() else ""
        click.echo(f"  {failure['what']}{log}")


@click.command(cls=Command)
@click.argument("configs", nargs=-1, required=True, metavar="CONFIG...")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a value of the config.")
@plugin_option
def validate(configs, overrides, plugin):
    """Check schema, names, parameters and your own csv files; no network, nothing runs."""
    from gpbench.planning.dataset_entry import remarks

    for path, config in zip(configs, _load(configs, overrides)):
        for remark in (r for entry in config.datasets for r in remarks(entry)):
            note(remark)
        click.echo(f"{path}: ok ({config.name})")
