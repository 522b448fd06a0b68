"""The headline: agreeing, better and tuned cells apart; the rest by where the print lies and by its cause."""

from gpbench.papers.headline import Headline, claims_sentence


def cell(verdict, label="", place="", cause="", description=False):
    return {"verdict": verdict, "label": label, "place": place, "cause": cause, "description": description}


CELLS = [
    cell("replicated"), cell("close"), cell("better"), cell("better", place="outside"),
    cell("different", place="inside"), cell("worse", place="inside", cause="tested"),
    cell("different", place="outside", cause="tested"), cell("inconclusive", place="outside"),
    cell("worse", place="", cause="none found"), cell("different", place="not run"),
    cell("worse", place="not run", cause="tested"),
    cell("replicated", label="tuned"), cell("different", label="tuned", place="inside"), cell("better", label="tuned"),
    cell("close", label="fixed by the config"), cell("worse", label="suspected misprint"),
    cell("not run"), cell("no data"), cell("not comparable"), cell("different", description=True),
]  # fmt: skip


def test_every_comparable_cell_is_counted_once():
    found = Headline.of(CELLS)
    assert (found.comparable, found.agree, found.better, found.others) == (11, 2, 2, 7)
    assert (found.inside, found.tested, found.untested, found.unknown) == (2, 2, 2, 1)
    assert found.inside + found.tested + found.untested + found.unknown == found.others
    assert found.tuned == (3, 1, 1)


def test_a_range_comes_before_a_cause_and_a_cause_before_a_missing_range():
    for place, cause, counted in (
        ("inside", "tested", "inside"), ("not run", "tested", "tested"), ("not run", "none found", "unknown"),
        ("outside", "none found", "untested"), ("", "", "untested"),
    ):  # fmt: skip
        assert getattr(Headline.of([cell("worse", place=place, cause=cause)]), counted) == 1


def test_nothing_is_said_of_nothing():
    assert Headline.of([cell("not run")]).sentence() == ""
    assert Headline.of([cell("replicated")]).tuned_sentence() == ""
    assert Headline.of([cell("replicated")]).sentence().endswith("(100%), 0 better")


def test_claims_are_counted_without_stand_ins():
    claims = [
        {"verdict": v, "stands_for": s, "cause": c}
        for v, s, c in (("holds", "", ""), ("fails", "", "tested"), ("fails", "", ""), ("undecided", "", ""),
                        ("by construction", "", ""), ("fails", "subset", ""))
    ]  # fmt: skip
    told = "2 of 5 claims hold, 2 fail (1 with a tested cause), 1 are undecided or not run"
    assert claims_sentence(claims) == told
