"""The pages in a real Chromium: what a reader can do with them, and what must not happen."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

from gpbench.analysis.results_table import load
from gpbench.report.page import page
from tests.helpers.chromium import Visit, browser  # noqa: F401
from tests.helpers.made_folders import NASTY, SMALL, folder_of, nasty_folder

pytestmark = pytest.mark.timeout(180)


def written(results, file: Path) -> Path:
    file.write_text(page(load(results)), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Two data sets, two methods, three sizes; one trial that failed, with a log."""
    out = tmp_path_factory.mktemp("report")
    folder = folder_of(out / "made", datasets=("kin40k-sim", "boston"))
    rows = pd.read_csv(folder / "results.csv", dtype=str, keep_default_na=False)
    rows.loc[2, ["status", "reason", "nmse"]] = ["timeout", "over 60 s", ""]
    rows.to_csv(folder / "results.csv", index=False)
    (folder / "logs").mkdir()
    (folder / "logs" / f"{rows['trial_id'][2]}.log").write_text("Traceback: the last words")
    return written(folder, out / "report.html")


@pytest.fixture(scope="module")
def site(small_site):
    return small_site


@pytest.fixture(scope="module")
def checked(small_site):
    """A folder that stands for printed numbers."""
    return small_site / SMALL.name / "report.html"


def column(view, title, table="results"):
    """The texts of a column of the rows that are seen."""
    script = """([table, title]) => {
      const rows = [...document.querySelectorAll(`#${table} tbody tr:not(.section, .why)`)]
        .filter((r) => r.offsetParent);
      const heads = [...document.querySelectorAll(`#${table} thead tr:last-child th`)];
      const k = heads.findIndex((h) => h.textContent.trim() === title);
      return rows.map((r) => r.cells[k].textContent);
    }"""
    return view.page.evaluate(script, [table, title])


def numbers(texts):
    return [float(t.split(" ")[0].rstrip("*")) for t in texts if t]


def head(view, title, table="results"):
    return view.page.locator(f"#{table} thead th").filter(has_text=re.compile(f"^{re.escape(title)}$"))


# ---- nothing leaves, nothing breaks ------------------------------------------------------------------------------


@pytest.fixture(params=["report", "checked", "index", "paper"])
def any_page(request, report, checked, site):
    pages = {"report": report, "checked": checked, "index": site / "index.html", "paper": site / "keerthi.html"}
    return pages[request.param]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_request_no_complaint_and_no_violation(browser, any_page, scheme):  # noqa: F811
    with Visit(browser, any_page, color_scheme=scheme) as view:
        assert view.page.locator("h1").is_visible()
        assert view.left == [] and view.complaints == []
        assert view.violations(["color-contrast"] if scheme == "dark" else []) == []
        background = view.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (background == "rgb(255, 255, 255)") == (scheme == "light")


def test_the_page_itself_never_scrolls_sideways_on_a_telephone(browser, any_page):  # noqa: F811
    with Visit(browser, any_page, viewport={"width": 360, "height": 740}) as view:
        assert view.sideways == 0
        sizes = view.page.evaluate(
            "[...document.querySelectorAll('.chart text')].filter(t => t.getBoundingClientRect().width)"
            ".map(t => parseFloat(getComputedStyle(t).fontSize) * t.getCTM().a)"
        )
        assert all(size >= 9 for size in sizes)


def test_without_script_tables_and_plots_are_whole(browser, report):  # noqa: F811
    with Visit(browser, report) as with_script, Visit(browser, report, java_script_enabled=False) as view:
        rows, charts = "#results tbody tr", "figure.chart svg"
        assert view.page.locator(rows).count() == with_script.page.locator(rows).count() == 12
        shown = view.page.locator(charts)
        assert shown.count() == with_script.page.locator(charts).count() > 0
        assert all(shown.nth(i).is_visible() for i in range(shown.count()))
        assert not view.page.locator(".filters").is_visible() and view.page.locator("button").count() == 0
        assert view.page.locator("figure.table a[download]").count() >= 2


def test_names_and_notes_of_others_stay_text(browser, tmp_path):  # noqa: F811
    file = written(nasty_folder(tmp_path / "f"), tmp_path / "report.html")
    with Visit(browser, file) as view:
        view.page.locator("#failed-trials button.number").first.click()
        assert view.complaints == [] and view.left == [] and view.sideways == 0
        assert view.page.locator("h1").inner_text() == "</title><script>alert(1)</script>"
        assert '<svg onload="alert(1)">' in view.page.locator("dialog").text_content()
        labels = {
            li.strip() for li in view.page.locator("figure.chart .legend").first.locator("li").all_text_contents()
        }
        assert labels == set(NASTY) and view.page.locator("main img, main script").count() == 0
        option = view.page.locator("select[name=method] option").nth(1)
        assert option.text_content() == NASTY[0]


# ---- sorting, filters, address -----------------------------------------------------------------------------------


def test_a_column_sorts_by_its_numbers_and_the_address_keeps_it(browser, report):  # noqa: F811
    with Visit(browser, report) as view:
        before = column(view, "NMSE")
        head(view, "NMSE").get_by_role("button").click()
        assert head(view, "NMSE").get_attribute("aria-sort") == "ascending"
        assert numbers(column(view, "NMSE")) == sorted(numbers(before))
        head(view, "NMSE").get_by_role("button").click()
        assert head(view, "NMSE").get_attribute("aria-sort") == "descending"
        after = column(view, "NMSE")
        assert numbers(after) == sorted(numbers(before), reverse=True)
        view.page.reload()
        assert column(view, "NMSE") == after and head(view, "NMSE").get_attribute("aria-sort") == "descending"
        head(view, "NMSE").get_by_role("button").click()
        assert column(view, "NMSE") == before and head(view, "NMSE").get_attribute("aria-sort") == "none"


def test_a_table_in_sections_sorts_within_them(browser, checked):  # noqa: F811
    with Visit(browser, checked) as view:
        name = view.page.evaluate("document.querySelector('tr.section').closest('figure').id")
        sections = view.page.locator(f"#{name} tr.section").all_text_contents()
        view.page.locator(f"#{name} thead tr:last-child th button").nth(1).click()
        assert view.page.locator(f"#{name} tr.section").all_text_contents() == sections
        kinds = view.page.evaluate(f"[...document.querySelectorAll('#{name} tbody tr')].map(r => r.className)")
        assert kinds[0] == "section" and kinds.count("section") == len(sections)


def test_sorting_works_from_the_keyboard(browser, report):  # noqa: F811
    with Visit(browser, report) as view:
        head(view, "method").get_by_role("button").focus()
        view.page.keyboard.press("Enter")
        assert column(view, "method") == sorted(column(view, "method"))
        view.page.keyboard.press("Space")
        assert head(view, "method").get_attribute("aria-sort") == "descending"


def test_filters_reach_answers_tables_and_plots_and_a_link_brings_them_back(browser, report):  # noqa: F811
    with Visit(browser, report) as view:
        view.page.select_option("select[name=data]", "boston")
        view.page.select_option("select[name=method]", "SB")
        address = view.page.url
    with Visit(browser, report, address[address.index("#") :]) as view:
        assert set(column(view, "data set")) == {"boston"} and set(column(view, "method")) == {"SB"}
        assert view.page.locator(".said:visible h3").all_text_contents() == ["boston"]
        assert {f.get_attribute("data-d") for f in view.page.locator("figure.chart:visible").all()} == {"boston"}
        assert view.page.locator("figure.chart[data-kind=time]:visible").count() == 1
        assert view.page.locator(".legend li:visible").first.inner_text() == "SB"
        assert view.page.locator("select[name=data]").input_value() == "boston"
        assert "of" in view.page.locator(".filters output").inner_text()
        view.page.get_by_role("button", name="Reset").click()
        assert len(column(view, "method")) == 12


def test_the_metric_and_verdict_filters_choose_columns_and_rows(browser, checked):  # noqa: F811
    with Visit(browser, checked) as view:
        view.page.select_option("select[name=metric]", "nmse")
        assert not head(view, "NLPD").is_visible() and head(view, "NMSE").is_visible()
        assert all("NMSE" in text for text in column(view, "quantity", "cells") if "n_basis" not in text)
        view.page.select_option("select[name=metric]", "")
        view.page.select_option("select[name=verdict]", "worse")
        assert set(column(view, "verdict", "cells")) == {"worse"}


def test_what_differs_is_shown_first(browser, checked):  # noqa: F811
    with Visit(browser, checked) as view:
        order = ["worse", "different", "inconclusive", "close", "better", "replicated"]
        found = [order.index(v) for v in column(view, "verdict", "cells")]
        assert found == sorted(found) and found[0] == 0


# ---- trials ------------------------------------------------------------------------------------------------------


def test_a_number_opens_its_trials_and_the_address_opens_them_again(browser, report):  # noqa: F811
    with Visit(browser, report) as view:
        number = view.page.locator("#results tbody tr").first.locator("button.number").first
        text = number.inner_text()
        number.click()
        dialog = view.page.locator("dialog")
        assert dialog.get_by_role("heading").inner_text() == "RAND on boston, d_max 100"
        values = [float(v) for v in dialog.locator("tbody td:nth-child(2)").all_text_contents()]
        assert len(values) == 3 and sum(values) / 3 == pytest.approx(float(text.split(" ")[0]), rel=1e-2)
        dialog.locator("summary").first.click()
        assert "config.resolved.yaml -d boston -m RAND --trials 0 -o again" in dialog.locator("pre").first.inner_text()
        assert view.violations() == []
        address = view.page.url
        view.page.keyboard.press("Escape")
        assert not dialog.is_visible() and "open" not in view.page.url.partition("#")[2]  # a folder may be called open
        assert view.page.evaluate("document.activeElement.textContent") == text
    with Visit(browser, report, address[address.index("#") :]) as view:
        assert view.page.locator("dialog tbody tr").count() == 3


def test_a_failed_trial_shows_its_reason_and_its_log(browser, report):  # noqa: F811
    with Visit(browser, report) as view:
        view.page.locator("#failed-trials button.number").first.click()
        view.page.locator("dialog summary").first.click()
        text = view.page.locator("dialog").inner_text()
        assert "timeout" in text and "over 60 s" in text and "Traceback: the last words" in text


@pytest.mark.parametrize(
    "address",
    ["#open=999-1000.nmse", "#open=x.y", "#sort=results:99:ascending,nope", "#data=nothing&sort=a:b", "#tables"],
)
def test_an_address_that_makes_no_sense_does_no_harm(browser, report, address):  # noqa: F811
    with Visit(browser, report, address) as view:
        assert view.complaints == [] and not view.page.locator("dialog").is_visible()


def test_arrows_go_from_number_to_number(browser, report):  # noqa: F811
    with Visit(browser, report) as view:
        stops = view.page.locator("#results button.number[tabindex='0']")
        assert stops.count() == 1
        stops.focus()
        view.page.keyboard.press("ArrowDown")
        below = view.page.locator("#results tbody tr").nth(1).locator("button.number").first
        assert view.page.evaluate("document.activeElement.textContent") == below.inner_text()
        view.page.keyboard.press("ArrowRight")
        view.page.keyboard.press("Enter")
        assert view.page.locator("dialog").is_visible()


# ---- charts ------------------------------------------------------------------------------------------------------


def test_points_tell_on_hover_and_on_focus_and_open_their_trials(browser, report):  # noqa: F811
    with Visit(browser, report) as view:
        chart = view.page.locator("figure.chart[data-kind=size]").first
        point = chart.locator("use[data-t]").first
        point.scroll_into_view_if_needed()
        point.hover(force=True)
        tip = view.page.locator(".tip")
        assert re.search(
            r"RAND on (boston|kin40k-sim), d_max 100: NMSE 0\.4\d* ± 0\.0\d+ \([23] trials\)", tip.inner_text()
        )
        view.page.mouse.move(0, 0)
        assert not tip.is_visible()
        point.focus()
        first = tip.inner_text()
        view.page.keyboard.press("ArrowRight")
        assert tip.inner_text() != first and "d_max 200" in tip.inner_text()
        view.page.keyboard.press("Enter")
        assert "d_max 200" in view.page.locator("dialog h2").inner_text()


def test_the_legend_switches_lines(browser, report):  # noqa: F811
    with Visit(browser, report) as view:
        chart = view.page.locator("figure.chart[data-kind=size]").first
        entry, line = chart.get_by_role("button", name="SB", exact=True), chart.locator("svg > g[data-k='1']")
        assert entry.get_attribute("aria-pressed") == "true" and line.is_visible()
        entry.click()
        assert entry.get_attribute("aria-pressed") == "false" and not line.is_visible()
        entry.press("Enter")
        assert line.is_visible()


def test_nothing_of_a_chart_is_cut(browser, report, checked):  # noqa: F811
    script = """() => [...document.querySelectorAll('figure.chart > svg')].flatMap((svg) => {
      const box = svg.getBoundingClientRect();
      return [...svg.querySelectorAll('text')].map((t) => [t.getBoundingClientRect(), t.textContent])
        .filter(([b]) => b.width && (b.left < box.left - 1 || b.right > box.right + 1 || b.bottom > box.bottom + 1))
        .map(([, text]) => text);
    })"""
    for file in (report, checked):
        with Visit(browser, file) as view:
            assert view.page.evaluate(script) == []


def taken(view, link):
    with view.page.expect_download() as waiting:
        link.click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_text()


def test_tables_and_plots_can_be_taken_along(browser, report):  # noqa: F811
    with Visit(browser, report) as view:
        name, text = taken(view, view.page.locator("#results a[download]").first)
        assert name == "results.csv" and len(text.splitlines()) == 13
        name, text = taken(view, view.page.locator("#results a[download]").nth(1))
        assert name == "results.tex" and r"\end{tabular}" in text
        chart = view.page.locator("figure.chart[data-kind=size]").first
        name, text = taken(view, chart.get_by_role("button", name="SVG of"))
        root = ElementTree.fromstring(text)
        words = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
        assert name.endswith(".svg") and {"RAND", "SB"} <= set(words) and view.complaints == []


def test_on_paper_everything_is_open_and_nothing_sticks(browser, report):  # noqa: F811
    with Visit(browser, report) as view:
        view.page.emulate_media(media="print")
        assert not view.page.locator(".filters").is_visible() and not view.page.locator("nav").is_visible()
        box = view.page.locator("#results .scroll")
        assert box.evaluate("e => getComputedStyle(e).maxHeight") == "none"
        assert view.page.locator("#results thead").evaluate("e => getComputedStyle(e).position") == "static"


def test_header_and_first_column_stay_where_they_are(browser, report):  # noqa: F811
    with Visit(browser, report, viewport={"width": 420, "height": 600}) as view:
        box = view.page.locator("#results .scroll")
        box.evaluate("e => { e.style.maxHeight = '160px'; e.scrollTo(120, 100); }")
        edges = view.page.evaluate(
            "() => { const b = document.querySelector('#results .scroll').getBoundingClientRect();"
            " const h = document.querySelector('#results thead').getBoundingClientRect();"
            " const c = document.querySelector('#results tbody tr:last-child th').getBoundingClientRect();"
            " return [h.top - b.top, c.left - b.left]; }"
        )
        assert all(abs(edge) < 3 for edge in edges)


def test_the_index_leads_to_numbers_claims_config_report_and_figures(browser, site):  # noqa: F811
    with Visit(browser, site / "index.html") as view:
        assert view.page.locator("#papers article").count() == 5
        card = view.page.locator(f"article:has(a[href='{SMALL.name}/report.html'])").last
        assert (site / card.get_by_role("link", name="config").get_attribute("href")).is_file()
        view.page.locator("#papers article").first.get_by_role("link", name="printed beside ours").click()
        view.page.wait_for_load_state("load")
        assert view.page.url.endswith("sundararajan.html#printed-beside-ours")
        assert len(column(view, "printed", "cells")) == len(column(view, "ours", "cells")) > 300
        for name in ("report", "config"):
            link = view.page.locator("#folders-table").get_by_role("link", name=name)
            assert (site / link.get_attribute("href")).is_file()
        view.page.locator("#folders-table").get_by_role("link", name="report").click()
        view.page.wait_for_load_state("load")
        assert view.page.locator("h1").inner_text() == load(SMALL).name and view.complaints == []
