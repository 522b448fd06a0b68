"""What is drawn or judged from a results folder: tables, stats, plot, report, check, compare, score."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from gpbench.text import printable

from .shared import Command, folder, json_option, note, output_file, output_folder, plugin_option, print_json


def directory(command):
    """The folder to draw, and plug-ins whose metrics its tables show."""
    return click.argument("directory", type=folder, metavar="DIR")(plugin_option(command))


formats_option = click.option(
    "--format", "formats", default="md,tex,csv,html", show_default=True, metavar="md,tex,csv,html"
)


def _formats(text: str, known: tuple[str, ...] = ("md", "tex", "csv", "html")) -> list[str]:
    chosen = [f.strip() for f in text.split(",") if f.strip()]
    unknown = set(chosen) - set(known)
    if unknown or not chosen:
        raise click.BadParameter(f"unknown format {', '.join(sorted(unknown)) or '(none)'}; use {', '.join(known)}")
    return chosen


def _wrote(paths) -> None:
    for path in paths:
        click.echo(path)


@click.command(cls=Command)
@directory
@formats_option
def tables(directory, formats):
    """Mean and spread per data set, method and metric, from what is on disk."""
    from gpbench.report import render_folder

    _wrote(render_folder.render_tables(Path(directory), _formats(formats)))


@click.command(cls=Command)
@directory
def stats(directory):
    """Significance tests as the config's `compare` says."""
    from gpbench.report import render_folder

    _wrote(render_folder.render_stats(Path(directory)))


@click.command(cls=Command)
@directory
@click.option("--format", "formats", default="svg,png", show_default=True, metavar="svg,png,pdf")
def plot(directory, formats):
    """The papers' own figures, learning curves, boxplots, times, predictions: whatever the folder holds."""
    from gpbench.report import render_folder

    _wrote(render_folder.render_plots(Path(directory), tuple(_formats(formats, ("svg", "png", "pdf")))))


@click.command("report", cls=Command)
@directory
def report(directory):
    """One self-contained page: report.html."""
    from gpbench.report import render_folder

    _wrote([render_folder.render_report(Path(directory))])


@click.command(cls=Command)
@click.argument("directories", nargs=-1, required=True, type=folder, metavar="DIR...")
@json_option
@click.option("--junit", type=output_file, help="Also write a JUnit file.")
@click.option(
    "--baseline", type=click.Path(exists=True, dir_okay=False), help="Fail only where worse than this check.json."
)
@click.option("--details", is_flag=True, help="Every number and claim, one line each.")
@click.option("--needed", is_flag=True, help="Only list the trials that would decide the inconclusive cells.")
@click.option(
    "--report", "report_file", type=output_file, help="Also write the state as Markdown, with figures in open/."
)
@click.option("--sensitivity", is_flag=True, help="Only how far numbers depend on what the papers leave open.")
@click.option("--figures", type=output_folder, help="With --sensitivity: where a figure for each open choice goes.")
def check(directories, as_json, junit, baseline, details, needed, report_file, sensitivity, figures):
    """Compare with the papers' numbers and claims, cell by cell. Exit 4: worse than printed, or nothing compared."""
    from gpbench.papers import check, check_report, check_summary
    from gpbench.system.atomic_files import write

    if needed:
        return _needed(directories, as_json)
    if sensitivity:
        return _sensitivity(directories, as_json, figures)
    if figures:
        raise click.UsageError("--figures belongs to --sensitivity: give both")
    found = check.check([Path(d) for d in directories])
    if report_file:
        from gpbench.papers.sensitivity import figure  # drawing takes longer to load than the rest

        write(report_file, check_report.reproduction(found, [Path(d) for d in directories]))
        figure.draw(found, Path(report_file).parent / check_report.FIGURES)
    if junit:
        write(junit, found.junit())
    if as_json:
        print_json(found.to_json())
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        brief = check_summary.summary_lines(found, [Path(d) for d in directories], width)
        for line in found.lines() if details else brief:
            click.echo(printable(line))
    verdict = found.against(baseline)
    note(verdict.message if details or as_json or baseline else verdict.message.partition(":")[0])
    return 0 if verdict.passed else 4


def _sensitivity(directories, as_json: bool, figures: str | None):
    """Ranges over admissible protocols; never a failure."""
    from gpbench.papers import check
    from gpbench.papers.sensitivity import listing

    found = check.check([Path(d) for d in directories])
    if as_json:
        print_json([r.to_json() for r in found.ranges])
    else:
        width = shutil.get_terminal_size((120, 24)).columns
        for line in listing.lines(found, width):
            click.echo(printable(line))
    if figures:
        from gpbench.papers.sensitivity import figure

        _wrote(figure.draw(found, Path(figures)))


def _needed(directories, as_json: bool) -> None:
    """What to run; never a failure."""
    from dataclasses import asdict

    from gpbench.analysis.results_table import load
    from gpbench.papers.verdicts import undecided

    found = undecided.needed([load(d) for d in directories])
    if as_json:
        print_json([asdict(n) for n in found])
        return
    for need in found:
        click.echo(need.line())
    trials, cells = sum(n.last - n.first + 1 for n in found), sum(n.cells for n in found)
    note(f"{trials} trials for {cells} cells; `gpbench run CONFIG --for-check` runs those of a folder")


@click.command(cls=Command)
@click.argument("directories", nargs=-1, required=True, type=folder, metavar="DIR...")
@click.option("-o", "--output", required=True, type=output_folder, help="Where the site goes.")
@click.option(
    "--readme", type=click.Path(exists=True, dir_okay=False), help="Also write the state between its two markers."
)
def site(directories, output, readme):
    """A static site over many folders: the scoreboard, a page for each paper, every folder's report."""
    from gpbench.report import render_folder

    _wrote(render_folder.build_site([Path(d) for d in directories], Path(output), Path(readme) if readme else None))


@click.command(cls=Command)
@click.argument("first", type=folder, metavar="DIR")
@click.argument("second", type=folder, metavar="DIR")
@json_option
def compare(first, second, as_json):
    """Two results folders side by side."""
    from gpbench.analysis import compare

    found = compare.compare(Path(first), Path(second))
    if as_json:
        print_json(found.to_json())
    else:
        click.echo(found.text())


@click.command(cls=Command)
@click.argument("exported", type=folder, metavar="EXPORT_DIR")
@click.argument("predictions", type=click.Path(exists=True, dir_okay=False), metavar="PREDICTIONS.csv")
@click.option("--label", default="external", show_default=True, help="Name of the method in tables.")
@click.option("--into", type=folder, help="Results folder whose tables the scores shall enter.")
@json_option
def score(exported, predictions, label, into, as_json):
    """Metrics of predictions made by another library on splits that `gpbench data export` wrote."""
    from gpbench.experiment.verify.score_predictions import score as scored

    found = scored(Path(exported), Path(predictions), label=label, into=Path(into) if into else None, say=note)
    if as_json:
        print_json(found)
    else:
        for metric, value in found.items():
            click.echo(f"{metric}: {value:.6g}")
        if into:
            note(f"added to {into}; `gpbench tables {into}` draws the tables again")
