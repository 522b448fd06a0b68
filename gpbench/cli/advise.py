"""advise: which method and how many basis vectors for the rows of a table."""

from __future__ import annotations

import os
from pathlib import Path

import click

from gpbench.text import counted

from .shared import KEPT, Command, note, on_interruption, output_folder, plugin_option, stopped
from .table_options import Duration, choices_of, column_options, file_argument, look, tell

KEPT_ARRAYS = 0.15  # of the seconds of reading: a trial reads the arrays of a large file, not its text


@click.command(cls=Command)
@click.argument("file", type=file_argument)
@column_options
@click.option("--budget", type=Duration(), default="10m", show_default=True, help="Time for all of it: 90s, 10m, 1h.")
@click.option("--metric", help="What is compared [default: nmse, or err for classes].")
@click.option("--most", type=click.IntRange(1), default=1000, show_default=True, help="Basis vectors, at most.")
@click.option("-m", "--method", "methods", multiple=True, metavar="GLOB", help="Only methods like this.")
@click.option("-j", "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Trials at the same time.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("-o", "--output", type=output_folder, help="Folder [default: results/advice-<file>].")
@plugin_option
def advise(file, target, task, budget, metric, most, methods, jobs, seed, output, **columns):
    """Which method and how many basis vectors for the rows of FILE, within a budget of time.

    Successive halving over methods and sizes on repeated splits; the cheapest candidate is recommended that is behind
    the best by at most one standard error of their difference (and 2.5 %, or .025 nat). The folder keeps the table, a
    plot, a page (advice.html), and advice.yaml for gpbench run. Methods of plug-ins are candidates, too.
    """
    import time

    begin = time.monotonic()
    from gpbench import catalog
    from gpbench.data import table_arrays
    from gpbench.estimators.advise import candidates, choose, recommendation_text
    from gpbench.estimators.advise.halving import Search, Stopped, refuse
    from gpbench.estimators.pages import advice_page
    from gpbench.experiment.results.checked_files import write_atomic

    if metric is not None:
        _refuse_metric(metric, task)
    opened = time.monotonic()
    looked, source = look(file, target, task, choices_of(**columns))
    reading = time.monotonic() - opened
    if os.path.getsize(file) >= table_arrays.SMALLEST:
        reading *= KEPT_ARRAYS
    task = source["task"]
    metric = metric or recommendation_text.ERROR[task]
    _refuse_metric(metric, task)
    tell(file, looked)
    refuse(file, target, looked.y)
    out = Path(output or Path("results") / f"advice-{Path(file).stem}")
    search = Search(
        source, task, len(looked.y), metric, budget, out, [], jobs, seed, note, begin=begin, reading=reading
    )
    search.every = candidates.candidates(task, search.full, most, methods, catalog.of_plugins("method"))
    try:
        with on_interruption(KEPT):
            live = search.go()
    except Stopped as e:  # no advice after an interruption
        stopped(KEPT)
        return e.exit_code
    rows, found = search.table(live)
    if not found:
        note(search.nothing())
        if search.failure():
            return 1
        click.echo("advice: auto: the recommended method; nothing was compared.")
        return 0
    cost = {c: recommendation_text.cost(rs) for c, rs in found.items()}
    scores = {c: [search.score(r) for r in rs] for c, rs in found.items()}
    verdict = choose.recommend(scores, cost, metric)
    text = recommendation_text.table(found, task, metric)
    click.echo(text)
    click.echo(f"\nadvice: {verdict.pick.name}: {verdict.reason}.")
    write_atomic(out / "advice.yaml", recommendation_text.config(search, verdict).encode())
    write_atomic(out / "advice.svg", recommendation_text.plot(search, found, verdict))
    write_atomic(out / "advice.md", f"{text}\n\n{verdict.pick.name}: {verdict.reason}.\n".encode())
    page = advice_page.html(search, found, verdict, rows, file)
    write_atomic(out / "advice.html", page.encode("utf-8", "backslashreplace"))
    note(f"page: {out / 'advice.html'}")
    note(f"config: {out / 'advice.yaml'} (gpbench run), plot: {out / 'advice.svg'}")
    for line in search.left_out(found):
        note(f"left out: {line}")
    splits = len(next(iter(found.values())))
    rests = f"the advice rests on {rows} of {search.full} training rows and {counted(splits, 'split')}"
    few = "; a larger --budget tries more" if rows < search.full or splits < 2 else ""
    click.echo(f"{rests}, in {time.monotonic() - begin:.0f} of {budget:g} s{few}.")
    return 0


def _refuse_metric(metric: str, task: str) -> None:
    from gpbench.errors import ConfigError
    from gpbench.metrics import METRICS, of_task
    from gpbench.text import nearest

    valid = of_task(task) if task != "auto" else list(METRICS)
    if metric not in METRICS:
        raise ConfigError(f"--metric: unknown metric '{metric}'{nearest(metric, valid)}")
    if metric not in valid:
        raise ConfigError(f"--metric: '{metric}' is no metric of {task}; those are {', '.join(valid)}")
