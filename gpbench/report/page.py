"""report.html: one self-contained page per results folder."""

from __future__ import annotations

import base64
import html
import json
import tempfile
from collections import Counter
from importlib import resources
from pathlib import Path

import yaml

from gpbench.errors import CheckError

from . import published
from .checking import Check, check
from .frame import Results
from .plots import draw
from .render import to_html
from .tables import tables

SECTIONS = ("What was run", "Tables", "Plots", "Check", "Failures", "Environment", "Repeat")


def page(results: Results, figures: list[Path] | None = None) -> str:
    """The whole page as text: style, tables and figures inside it, no scripts. `figures`: svg files drawn before."""
    drawn = figures_in_text(figures) if figures is not None else _drawn(results)
    found = {
        name: build(results)
        for name, build in zip(SECTIONS, (run, all_tables, lambda _: drawn, verdicts, failures, env, again))
    }
    found = {name: body for name, body in found.items() if body}
    style = resources.files("gpbench.report").joinpath("page.css").read_text(encoding="utf-8")
    links = "".join(f'<a href="#{_id(name)}">{name}</a>' for name in found)
    sections = "".join(f'<section id="{_id(name)}"><h2>{name}</h2>\n{body}</section>\n' for name, body in found.items())
    title, description = html.escape(results.name), html.escape(str(results.config.get("description") or ""))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title} – gpbench</title>\n'
        f"<style>\n{style}</style>\n</head>\n<body>\n"
        f'<header><h1>{title}</h1><p class="lead">{description}</p></header>\n'
        f'<nav aria-label="Sections">{links}</nav>\n<main>\n{sections}</main>\n</body>\n</html>\n'
    )


def _id(name: str) -> str:
    return name.lower().replace(" ", "-")


def run(results: Results) -> str:
    rows, ok = results.rows, results.ok
    items: dict[str, list[str]] = {}
    for paper, item in results.published:
        items.setdefault(published.TITLES.get(paper, paper), []).append(item)
    papers = "; ".join(f"{paper}: {', '.join(found)}" for paper, found in items.items())
    facts = {
        "trials finished": f"{len(ok)} of {results.planned}",
        "failed": str(len(results.failures)),
        "time of all fits": _duration(ok["fit_seconds"].sum()),
        "data sets": ", ".join(rows["dataset"].unique()),
        "methods": ", ".join(rows["label"].unique()),
        "stands for": papers,
    }
    cards = "".join(
        f"<div{' class=wide' if len(v) > 14 else ''}><dt>{k}</dt><dd>{html.escape(v)}</dd></div>"
        for k, v in facts.items()
        if v
    )
    remarks = "".join(f'<p class="note">{html.escape(n)}</p>' for n in results.notes)
    return f'<dl class="facts">{cards}</dl>{remarks}'


def _duration(s: float) -> str:
    return f"{s:.1f} s" if s < 120 else f"{s / 60:.1f} min" if s < 7200 else f"{s / 3600:.1f} h"


def all_tables(results: Results) -> str:
    return "".join(to_html(t) for t in tables(results))


def _drawn(results: Results) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return figures_in_text(draw(results, Path(folder)))


def figures_in_text(files: list[Path]) -> str:
    """Figures as images inside the page, so that ids of two drawings cannot clash."""
    figures = []
    for file in (f for f in files if f.suffix == ".svg"):
        data = base64.b64encode(file.read_bytes()).decode()
        alt = html.escape(file.stem, quote=True)
        figures.append(f'<figure><img alt="{alt}" src="data:image/svg+xml;base64,{data}"></figure>')
    return f'<div class="plots">{"".join(figures)}</div>' if figures else ""


def verdicts(results: Results) -> str:
    """Counts of the check over this folder alone, and the claims of its papers."""
    papers = {paper for paper, _ in results.published}
    if not papers:
        return ""
    try:
        found = check([results])
    except CheckError as e:
        return f'<p class="note">{html.escape(str(e).rpartition(": ")[2])}</p>'
    return f"<p>{html.escape(_counts(found, papers))}</p>" + _claims(found, papers)


def _counts(found: Check, papers: set[str]) -> str:
    compared = [c for c in found.cells if c.n and not c.description]
    parts = ", ".join(f"{n} {v}" for v, n in Counter(c.verdict for c in compared).items())
    total = sum(c.paper in papers and not c.descriptive for c in published.cells())
    whose = " and ".join(sorted(papers))
    if not total:
        return f"{whose} prints no numbers, only figures: claims alone are checked."
    return f"{len(compared)} of the {total} printed results of {whose} are compared: {parts or 'none'}."


def _claims(found: Check, papers: set[str]) -> str:
    mine = {c.id for c in published.claims() if c.paper in papers}
    decided = [c for c in found.claims if c.id in mine and c.verdict not in ("undecided", "not run")]
    open_ = [c for c in found.claims if c.id in mine and c.verdict in ("undecided", "not run")]
    out = _claim_table(decided) if decided else ""
    if open_:
        summary = f"{len(open_)} claims that this folder alone cannot decide"
        out += f"<details><summary>{summary}</summary>{_claim_table(open_)}</details>"
    return out


def _claim_table(claims) -> str:
    rows = []
    for c in claims:
        before = f"<br>first check: {c.first_verdict}" if c.revised else ""
        verdict = f'<span class="verdict {_id(c.verdict)}">{c.verdict}</span>{before}'
        rows.append((c.id, verdict, c.runs, html.escape(c.text), html.escape(c.numbers)))
    return _text_table(("claim", "verdict", "trials", "statement", "numbers"), rows)


def _text_table(head, rows) -> str:
    """Cells are HTML; the last two columns hold sentences."""

    def line(cells):
        *short, first, second = cells
        wide = f'<td class="wide">{first}</td><td class="wide">{second}</td>'
        return "<tr>" + "".join(f"<td>{c}</td>" for c in short) + wide + "</tr>"

    heads = "".join(f"<th>{h}</th>" for h in head)
    body = "".join(line(cells) for cells in rows)
    table = f'<table class="text"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'
    return f'<div class="scroll" tabindex="0">{table}</div>'


def failures(results: Results) -> str:
    bad = results.failures.to_dict("records")
    rows = [
        (
            html.escape(r["status"]),
            html.escape(r["dataset"]),
            f"{r['trial']:.0f}",
            html.escape(r["label"]),
            html.escape(r["reason"]),
        )
        for r in bad
    ]
    return _text_table(("status", "data set", "trial", "method", "reason"), rows) if rows else ""


def env(results: Results) -> str:
    return "".join(
        f"<pre>{html.escape(json.dumps({k: v for k, v in e.items() if k != 'checksum'}, indent=1))}</pre>"
        for e in results.environments
    )


def again(results: Results) -> str:
    config = html.escape(yaml.safe_dump(results.config, sort_keys=False, allow_unicode=True))
    folder = results.path.as_posix()
    lines = f"gpbench run {folder}/config.resolved.yaml -o {folder}"
    if results.published:
        lines += f"\ngpbench check {folder}"
    return (
        f"<pre>{html.escape(lines)}</pre><details><summary>config.resolved.yaml</summary><pre>{config}</pre></details>"
    )
