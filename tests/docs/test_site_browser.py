"""The documentation in a real Chromium: light, dark, 360 pixels, keyboard, without a network. `make docs` builds it."""

import pytest

from scripts.check_docs import faults
from tests.helpers.chromium import Visit, browser  # noqa: F401
from tests.helpers.paths import REPO

pytestmark = pytest.mark.timeout(180)
SITE = REPO / "site" / "docs"
PAGES = [
    "index.html", "start/ten_minutes.html", "tutorials/own_table.html", "how-to/choosing.html", "how-to/resume.html",
    "gallery/index.html", "gallery/plot_05_ep_boundaries.html", "explanations/statistics.html", "results/field.html",
    "reference/api.html", "reference/commands.html", "generated/methods.html", "project/faq.html",
]  # fmt: skip


@pytest.fixture(scope="module")
def site():
    if not (SITE / "index.html").is_file():
        pytest.skip("no site/docs: run make docs first")
    return SITE


def serious(view) -> list[str]:
    """What axe calls serious or critical."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(view.page).response["violations"]
    grave = [v for v in found if v["impact"] in ("serious", "critical")]
    return [f"{v['id']}: {v['nodes'][0]['html'][:160]} {v['nodes'][0]['failureSummary'][:200]}" for v in grave]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_no_network_and_axe_finds_nothing_serious(browser, site, name, scheme):  # noqa: F811
    with Visit(browser, site / name, color_scheme=scheme) as view:
        assert view.page.locator("h1").first.is_visible()
        assert view.left == [] and view.complaints == []
        assert view.page.evaluate("document.documentElement.dataset.theme") == scheme
        assert serious(view) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_into_360_pixels(browser, site, name):  # noqa: F811
    with Visit(browser, site / name, viewport={"width": 360, "height": 740}) as view:
        assert view.sideways == 0


def test_the_first_key_leads_past_the_navigation(browser, site):  # noqa: F811
    with Visit(browser, site / "project" / "faq.html") as view:
        view.page.keyboard.press("Tab")
        assert "skip" in view.page.evaluate("document.activeElement.textContent").lower()


def test_search_works_by_keyboard_and_without_a_network(browser, site):  # noqa: F811
    with Visit(browser, site / "index.html") as view:
        view.page.keyboard.press("Control+k")
        view.page.keyboard.type("inconclusive")
        view.page.keyboard.press("Enter")
        view.page.wait_for_selector("#search-results li a")
        assert view.left == []


def test_a_table_that_is_wider_than_the_page_can_be_scrolled_by_keyboard(browser, site):  # noqa: F811
    with Visit(browser, site / "how-to" / "choosing.html", viewport={"width": 360, "height": 740}) as view:
        boxes = "[...document.querySelectorAll('.pst-scrollable-table-container, div.highlight pre')]"
        assert view.page.evaluate(f"{boxes}.every(b => b.scrollWidth <= b.clientWidth || b.tabIndex === 0)")


def test_every_link_leads_somewhere(site):
    assert faults(site) == []


def test_each_task_of_a_new_user_is_three_clicks_from_the_front_page(site):
    """The ten tasks of the issue, by the page that answers them."""
    answers = {
        "install", "ten_minutes", "own_table", "choosing", "reproduce_table", "check", "own_kernel", "other_library",
        "resume", "cluster",
    }  # fmt: skip
    front = (site / "index.html").read_text(encoding="utf-8")
    assert {name for name in answers if f"/{name}.html" not in front} == set()
