"""run, validate."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpbench.text import counted

from .curves import write_curves
from .shared import (
    KEPT,
    PLUGINS,
    Command,
    ConfigName,
    fail,
    finite_seconds,
    folder,
    is_quiet,
    note,
    of_config,
    on_interruption,
    output_folder,
    plugin_option,
)

if TYPE_CHECKING:
    from gpbench.analysis.results_table import ResultsTable
    from gpbench.errors import DataError
    from gpbench.experiment.config.config import Config
    from gpbench.experiment.plan.trial import Trial


def _load(paths, overrides) -> list[tuple[str, Config | DataError]]:
    """All configs, with the problems of every file in one error; of several, one whose data are wrong stays behind."""
    from gpbench.errors import ConfigError, DataError
    from gpbench.experiment.config import packaged
    from gpbench.experiment.config.config import load_config

    loaded: list[tuple[str, Config | DataError]] = []
    problems = []
    for path in paths:
        try:
            loaded.append((path, load_config(packaged.located(path), list(overrides))))
        except DataError as e:
            if len(paths) == 1:
                raise
            loaded.append((path, e))
        except ConfigError as e:
            no_such_file = not Path(packaged.located(path)).exists()
            problems.append(f"{e.told}{packaged.hint(path)}" if no_such_file else e.told)
    if problems:
        problems += [e.told for _, e in loaded if isinstance(e, DataError)]
        raise ConfigError.of_lines(line for problem in problems for line in problem.split("\n"))
    return loaded


def _where(_context, _parameter, value):
    from gpbench.experiment.run.dask.connect import is_address

    if value not in ("local", "dask") and not is_address(value):
        raise click.BadParameter(f"'{value}' is none of local, dask, tcp://host:port and tls://host:port")
    return value


@click.command(cls=Command)
@click.argument("configs", nargs=-1, required=True, type=ConfigName(), metavar="CONFIG...")
@click.option("-j", "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Trials at the same time.")
@click.option(
    "--on",
    default="local",
    show_default=True,
    metavar="WHERE",
    callback=_where,
    help="Where trials run: local, dask (-j workers of this machine), or a Dask scheduler, tcp://host:8786 or tls://...",
)
@click.option(
    "--rows-on", default="local", show_default=True, metavar="WHERE", callback=_where,
    help="Where blocks of rows of one model beyond memory are done; as for --on.",
)  # fmt: skip
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="BLAS threads per trial.")
@click.option("-m", "--method", "methods", multiple=True, metavar="GLOB", shell_complete=of_config("methods"),
              help="Only methods or labels like this.")  # fmt: skip
@click.option("-d", "--dataset", "datasets", multiple=True, metavar="GLOB", shell_complete=of_config("datasets"),
              help="Only data sets like this.")  # fmt: skip
@click.option("--trials", "--repetitions", metavar="0-4", help="Only these repetitions of the config.")
@click.option("--for-check", is_flag=True, help="Only trials that `gpbench check --needed` lists for this folder.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a value of the config.")
@click.option("-n", "--dry-run", is_flag=True, help="Say what would run and how long it may take.")
@click.option("--rerun", type=click.Choice(["stale", "failed", "all"]), help="Run these again, too.")
@click.option("--retry-failed", "rerun", flag_value="failed", hidden=True)
@click.option(
    "--from", "sources", multiple=True, type=folder, metavar="DIR", help="Take finished trials of equal ids from DIR."
)
@click.option("--fail-fast", is_flag=True, help="Stop at the first failed trial.")
@click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), callback=finite_seconds, help="Seconds a trial may take."
)
@click.option("--memory", type=click.IntRange(1), help="MB a trial may take.")
@click.option("--offline", is_flag=True, help="Never touch the network.")
@click.option("-o", "--output", type=output_folder, help="Results folder [default: results/<name>].")
@click.option("--save-predictions", is_flag=True, help="Keep trials/<id>.npz.")
@click.option(
    "--whole-paths", is_flag=True, help="Greedy paths go on past their stop to d_max, scored in paths.csv.gz."
)
@plugin_option
def run(configs, output, offline, overrides, dry_run, methods, datasets, trials, for_check, **options):
    """Plan, fetch data, run what is missing, write tables, tests and plots. Running it again continues."""
    if offline:
        os.environ["GPBENCH_OFFLINE"] = "1"
    from gpbench.errors import DataError, GpbenchError
    from gpbench.system import numba_cache

    if said := numba_cache.notice():
        note(said)
    if options["sources"] and options["rerun"] == "all":
        raise click.UsageError(
            "--from takes results from other folders and --rerun all computes them: give one of them"
        )
    loaded = _load(configs, overrides)
    options |= {"offline": offline, "plugins": click.get_current_context().meta[PLUGINS]}
    selection = {"methods": methods or None, "datasets": datasets or None, "trials": trials}
    code = 0
    for path, config in loaded:
        if isinstance(config, DataError):
            code = max(code, fail(config))
            continue
        out = _folder_of(config.name, output, several=len(loaded) > 1)
        one = _One(path, config, out, selection, bool(overrides), for_check)
        whose = f"{path}: " if len(loaded) > 1 else ""
        try:
            code = max(code, one.dry_run(**options) if dry_run else one.run(dict(options)))
        except DataError as e:  # of this config alone
            code = max(code, fail(e.about(whose, one.kept_to())))
        except GpbenchError as e:
            raise e.about(whose) from e
        if code >= 128:
            break
    return code


def _folder_of(name: str, output: str | None, several: bool) -> Path:
    if output is None:
        return Path("results") / name
    return Path(output) / name if several else Path(output)


@dataclass
class _One:
    """One config of the command line and its folder."""

    path: str
    config: Config
    out: Path
    selection: dict  # -m, -d, --trials
    overridden: bool  # by --set
    for_check: bool = False  # only what inconclusive cells want
    trouble: int = 0  # exit code of what went wrong after the trials
    table: ResultsTable | None = None  # of the folder, once its trials are condensed

    def plan(self, config: Config, fetch: bool = True, **selection):
        from gpbench.experiment.plan.plan import plan
        from gpbench.experiment.results.folder import ResultsFolder

        return plan(config, begun=ResultsFolder(self.out).begun(), fetch=fetch, **selection)

    def chosen(self, fetch: bool = True):
        """What the command line asks for: the selection, and with --for-check what inconclusive cells want of it."""
        plan = self.plan(self.config, fetch, **self.selection)
        if not self.for_check:
            return plan
        from gpbench.papers.verdicts import undecided

        trials, short = undecided.for_check(self.out, plan.trials)
        for message in short if trials else (*short, f"{self.out}: no trial of the plan would decide a cell"):
            note(message)
        return replace(plan, trials=trials)

    def kept_to(self) -> str:
        """What to do when one of `first_of` cannot be had that the folder has results of."""
        from gpbench.experiment.results.folder import ResultsFolder

        several = {name for d in self.config.datasets if len(d.alternatives) > 1 for name in d.names}
        if not (kept := sorted(several & ResultsFolder(self.out).begun())):
            return ""
        return (
            f"; {self.out} has begun with {', '.join(kept)} and keeps to it: a stand-in needs another --output folder"
        )

    def dry_run(self, jobs, rerun: str | None, save_predictions: bool, sources: tuple, whole_paths: bool, **_) -> int:
        from gpbench.experiment.results.adopting import offers
        from gpbench.experiment.results.folder import ResultsFolder
        from gpbench.experiment.run.duration import estimate, memory_warnings
        from gpbench.experiment.run.progress import name_of, varying
        from gpbench.text import duration

        plan = self.chosen(fetch=False)
        for message in [*plan.notices, *memory_warnings(plan.trials)]:
            note(message)
        store = ResultsFolder(self.out)
        wanted = plan.trials if sources else []
        held = store.inventory(wanted, predictions=save_predictions, whole_paths=whole_paths)
        offered = offers(plan.trials, store.folder, held, sources, save_predictions)
        for source, results in offered.items():
            note(f"{counted(len(results), 'finished trial')} would be taken from {source}")
        taken = frozenset(r.trial.id for results in offered.values() for r in results)
        found = estimate(plan.trials, store, rerun or "", save_predictions, self.config.metrics, taken, whole_paths)
        also = varying(plan.trials)
        click.echo("".join(f"{trial.id} {name_of(trial, also)}\n" for trial in found.missing), nl=False)
        basis = "finished trials" if found.measured == found.jobs else "a rough flop count"
        left = f"about {duration(found.seconds / jobs)} left (by {basis})" if found.missing else "nothing left"
        stale = f" ({found.stale} stale)" if found.stale else ""
        click.echo(f"{counted(found.trials, 'trial')}, {found.done} done{stale}; {left}")
        return 0

    def run(self, options: dict) -> int:
        from gpbench.errors import GpbenchError
        from gpbench.experiment.config.resolved import resolved_yaml
        from gpbench.experiment.run.progress import choose
        from gpbench.experiment.run.run import Options
        from gpbench.experiment.run.run import run as run_trials

        with on_interruption("stopped before the first trial; the same command begins again"):
            plan = self.chosen()
        for message in plan.notices:
            note(message)
        if self.for_check and not plan.trials:
            return 0
        options |= {"rerun": options["rerun"] or "", "metrics": self.config.metrics}
        for limit in ("timeout", "memory"):
            options[limit] = options[limit] or getattr(self.config, limit)
        before = self._before() if self.overridden else None
        resolved = None if before else resolved_yaml(self.config, self.out)
        planned = before or (self.plan(self.config) if self.for_check or any(self.selection.values()) else plan).trials
        with on_interruption(KEPT):
            summary = run_trials(
                self.config.name, resolved, plan.trials, self.out, Options(**options), planned=planned,
                progress=choose(quiet=is_quiet()), at_end=partial(self._condense, options["sources"]),
            )  # fmt: skip
        note(summary.missing_extra or summary.message)
        if summary.exit_code >= 128:  # after an interruption the person wants the prompt back, not plots
            return summary.exit_code
        try:
            with on_interruption(
                f"stopped while drawing; the results are whole: `gpbench report {self.out}` draws them"
            ):
                _render(self.table or self.out)
        except GpbenchError as e:
            self.trouble = max(self.trouble, fail(e))
        return max(summary.exit_code, self.trouble)

    def _condense(self, sources: tuple[str, ...]) -> None:
        """Condense traces into curves.csv and notes.csv; an error there does not affect the results."""
        from gpbench.errors import GpbenchError

        try:
            self.table, damaged = write_curves(self.out, sources)
            for name in damaged:
                note(f"{name} was damaged and is now in quarantine/; made again from trials/ only")
        except GpbenchError as e:
            self.trouble = fail(e)

    def _before(self) -> list[Trial] | None:
        """What the folder's trials were to be before --set changed a value: they stay part of its results."""
        from gpbench.experiment.config.config import load_config
        from gpbench.experiment.results.checked_files import Damaged
        from gpbench.experiment.results.folder import ResultsFolder

        store = ResultsFolder(self.out)
        if not (store.csv.is_file() and store.resolved.is_file()):
            return None
        try:
            return store.planned()[1]
        except (FileNotFoundError, Damaged):  # a folder of an earlier version
            return self.plan(load_config(store.resolved)).trials


def _render(of: Path | ResultsTable) -> None:
    """Everything that is drawn from disk, then the table on screen; the folder is read once."""
    from gpbench.analysis.results_table import ResultsTable, load
    from gpbench.report import render_folder

    results = of if isinstance(of, ResultsTable) else load(of)
    render_folder.render_all(results)
    click.echo(render_folder.console_table(results, 100 if sys.stdout.isatty() else None))
    note(f"report: {results.path / 'report.html'}")


@click.command(cls=Command)
@click.argument("configs", nargs=-1, required=True, type=ConfigName(), metavar="CONFIG...")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a value of the config.")
@plugin_option
def validate(configs, overrides):
    """Check schema, names, parameters and your own csv files; no network, nothing runs."""
    from gpbench.errors import DataError
    from gpbench.experiment.config.dataset_entry import remarks

    code = 0
    for path, config in _load(configs, overrides):
        if isinstance(config, DataError):
            code = max(code, fail(config))
            continue
        for remark in (r for entry in config.datasets for r in remarks(entry)):
            note(remark)
        click.echo(f"{path}: ok ({config.name})")
    return code
