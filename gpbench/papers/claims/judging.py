"""A claim and how it came out: by its check, on how many trials."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from ..printed_numbers import Claim
from ..remarks import cause_of
from . import evaluate
from .evidence import Evidence
from .findings import Finding

CLAIM_VERDICTS = ("holds", "by construction", "fails", "undecided", "not run")
STANDIN = "on stand-in data only"


@dataclass(frozen=True)
class ClaimVerdict:
    """`trials`: fewest and most behind any of the series compared; `earlier_verdict`: by the check before its revision.

    `stands_for`: the kind of stand-in (own recipe, subset) that the claim rests on; such claims are counted apart.
    """

    id: str
    paper: str
    where: str
    text: str
    verdict: str
    earlier_verdict: str = ""
    trials: tuple[int, int] = (0, 0)
    stands_for: str = ""
    numbers: str = ""
    cause: str = ""  # of a failure: tested, none found, or nothing tried

    def to_json(self) -> dict:
        return asdict(self) | {"trials": list(self.trials)}

    def line(self) -> str:
        before = f" (earlier check: {self.earlier_verdict})" if self.revised else ""
        standing = f" [{self.stands_for}]" if self.stands_for else ""
        return f"{self.id} {self.verdict}{standing}{before}: {self.text} [{self.runs}; {self.decisive()}]"

    @property
    def revised(self) -> bool:
        """Does the verdict rest on the revision?"""
        return self.earlier_verdict not in ("", self.verdict)

    @property
    def runs(self) -> str:
        low, high = self.trials
        if low == high:
            return "no trials" if not high else "1 trial" if high == 1 else f"{high} trials"
        return f"{low} to {high} trials"

    def decisive(self, most: int = 300) -> str:
        """The numbers that decided; of a long list those that failed it, or its beginning (check.json has all)."""
        parts = self.numbers.split("; ")
        if len(self.numbers) > most and self.verdict == "fails":
            parts = [p for p in parts if p.endswith("(no)")] or parts
        text = "; ".join(parts)
        return text if len(text) <= most else text[:most].rstrip() + " ..."


def judge_claim(claim: Claim, evidence: Evidence, twins: Evidence | None = None) -> ClaimVerdict:
    """The finding of a claim; a claim without any run is also judged on stand-in data, for information."""
    finding = evaluate(claim, evidence.of(claim.paper))
    verdict, numbers = verdict_of(claim, finding), finding.numbers
    if verdict in ("not run", "undecided") and twins is not None and len(twins.rows):
        twin = evaluate(claim, twins.of(claim.paper))
        if twin.holds is not None and finding.holds is None:
            numbers = f"{STANDIN}, where it {'holds' if twin.holds else 'fails'}: {twin.numbers}"
            verdict = "not run"
    return ClaimVerdict(
        claim.id, claim.paper, claim.where, claim.text, verdict, claim.earlier_verdict,
        finding.trials, finding.stands_for, numbers, cause_of(claim.paper, claim.id, verdict),
    )  # fmt: skip


def verdict_of(claim: Claim, finding: Finding) -> str:
    """holds, by construction or fails if enough trials decided it; undecided if some were run, else not run."""
    fewest, most = finding.trials
    if finding.holds is None or fewest < claim.least_trials:
        return "undecided" if most else "not run"
    if not finding.holds:
        return "fails"
    return "by construction" if claim.by_construction else "holds"
