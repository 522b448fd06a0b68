"""README's state of the reproduction: one table between two markers, from a check.json."""

from __future__ import annotations

from gpbench.errors import ConfigError
from gpbench.papers import printed_numbers

from .scoreboard import Score

BEGIN, END = "<!-- state: written by `make site` -->", "<!-- end of state -->"
CELLS = ("replicated", "close", "better", "inconclusive", "worse", "different")
TUNED = "tuned, agree"
CLAIMS = ("fails", "undecided", "not run")


def state(found: dict) -> str:
    """Markdown: a sentence, then results and claims by verdict for each paper. `found`: what `check --json` gives."""
    rows = []
    for paper in printed_numbers.PAPERS:
        score = Score.of(*([x for x in found[kind] if x["paper"] == paper] for kind in ("cells", "claims")))
        rows.append((f"`{paper}`", score))
    whole = Score.of(found["cells"], found["claims"])
    rows.append(("all", whole))
    head = ["paper", *CELLS, "not run", TUNED, "claims hold", "fail", "undecided", "not run"]
    lines = [f"{whole.sentence()}.", "", f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for name, score in rows:
        left = score.cells["not run"] + score.cells["no data"]
        holds = score.claims["holds"] + score.claims["by construction"]
        tuned, agree, _ = score.headline.tuned
        numbers = [
            *(score.cells[v] for v in CELLS),
            left,
            f"{agree} of {tuned}" if tuned else "",
            holds,
            *(score.claims[v] for v in CLAIMS),
        ]
        lines.append(f"| {name} | {' | '.join(map(str, numbers))} |")
    lines += [
        "",
        f"Counted apart: {whole.cells['not comparable']} times of other machines; {whole.apart} cells and claims that "
        f"a label or stand-in data set apart. {whole.claims['by construction']} claims hold by construction.",
    ]
    return "\n".join(lines)


def with_state(text: str, written: str, name: str = "README.md") -> str:
    """The text with this state between its markers."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ConfigError(f"{name}: the state goes between the lines {BEGIN} and {END}; put them where it shall stand")
    return f"{before}{BEGIN}\n{written}\n{END}{after}"
