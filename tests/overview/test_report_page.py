"""The page of `holdfast report` in a real browser: it works, loads nothing, and everybody can use it."""

from __future__ import annotations

import json
import re
import uuid
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Error, expect

from tests.overview.test_figures import request as transcribed
from tests.overview.test_report import HOSTILE, PAGE, page
from tests.overview.test_timeline import DAY
from tests.support import browser as browsers
from tests.support import hooks
from tests.support.browser import opened

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from tests.support.hooks import Project

here, prepared, browser, axe = hooks.here, hooks.prepared, browsers.browser, browsers.axe
pytestmark = pytest.mark.slow
TABS = ("overview", "timeline", "figures", "sessions")
LONG = "long " * 2_000


def work(project: Project, session: str, day: int, prompt: str, **start: Any) -> None:
    """Write a journal of two hours: one prompt, two edits, two tasks, a subagent and a compaction."""
    facts: list[dict[str, Any]] = [
        {"kind": "start", "source": "startup", "root": str(project.root), "branch": "main", **start},
        {"kind": "prompt", "text": prompt},
        {"kind": "edit", "tool": "Edit", "path": f"src/{session}.py"},
        {"kind": "edit", "tool": "Edit", "path": "src/cart.py"},
        {"kind": "task", "id": "1", "subject": f"Sum the totals of {session}", "status": "completed"},
        {"kind": "task", "id": "2", "subject": "Ship it", "status": "pending"},
        {"kind": "child", "agent": "a1", "type": "Explore", "status": "running"},
        {"kind": "child", "agent": "a1", "type": "Explore", "status": "completed"},
        {"kind": "compact", "trigger": "auto"},
        {"kind": "completed", "status": "completed"},
        {"kind": "end", "reason": "logout"},
    ]
    for number, fact in enumerate(facts):
        project.remember(session, fact, at=DAY + 86400 * day + 720 * number)


@pytest.fixture
def several(prepared: Project, tmp_path: Path) -> Path:
    """Give the page of a project with three sessions, a state file and a transcript."""
    transcript = tmp_path / "t.jsonl"
    lines = [transcribed("m1", 1, 20, 300, 4000), transcribed("m2", 5, 0, 0, 6, gitBranch="topic")]
    transcript.write_bytes(b"\n".join(lines))
    work(prepared, "north", 0, "Parse the invoices of the north", transcript=str(transcript))
    work(prepared, "south", 3, "Draw the map of the south", branch="topic")
    work(prepared, "east", 4, "Weigh the cargo")
    prepared.write_state(title="The lexer", state="Half of it **is** done, see [the notes](https://example.org).")
    page(prepared)
    return prepared.root / PAGE


def titles(shown: Page) -> list[str]:
    """Return the titles in the overview."""
    return [text.strip() for text in shown.locator("#groups button.title").all_inner_texts()]


def test_every_part_works(several: Path, browser: Browser) -> None:
    """Tabs by mouse and keys, groups, sections, plots, and the timeline; nothing is reported or asked for."""
    with opened(browser, several) as found:
        shown = found.page
        assert sorted(titles(shown)) == [
            "Draw the map of the south",
            "Parse the invoices of the north",
            "The lexer",
            "Weigh the cargo",
        ]
        assert shown.inner_text("#count") == "4 of 4 sessions"
        for tab in TABS:
            shown.click(f"#tab-{tab}")
            assert [one for one in TABS if shown.is_visible(f"#{one}")] == [tab]
        shown.keyboard.press("ArrowLeft")
        assert shown.locator("#figures").is_visible()
        assert shown.locator("#plots canvas").count() == 4
        shown.click("#tab-timeline")
        before = shown.inner_text("#range")
        shown.click("#zoom-in")
        nearer = shown.inner_text("#range")
        shown.hover("#lanes")
        shown.mouse.wheel(0, -200)
        ranges = [before, nearer, shown.inner_text("#range")]
        shown.click("#later")
        ranges.append(shown.inner_text("#range"))
        assert len({*ranges}) == 4
        shown.click("#whole")
        assert shown.inner_text("#range") == before
        shown.select_option("#kind", "prompt")
        assert shown.locator("#happened tbody tr").count() == 3
        shown.click("#lanes", position={"x": 3, "y": 5})  # the first bar, of the session that began first
        assert shown.locator("article h4", has_text="What happened").count() == 0
        assert shown.locator("article [aria-expanded=true]").inner_text().startswith("Parse the invoices of the north")
        assert (found.stated, found.requested) == ([], [])


def test_a_section_has_the_state_file_and_the_hand_over(several: Path, browser: Browser) -> None:
    """The Markdown as it is."""
    with opened(browser, several) as found:
        found.page.click("#groups button.title:has-text('The lexer')")
        section = found.page.locator("article", has=found.page.locator("[aria-expanded=true]"))
        assert section.locator("dt", has_text="Next steps").count() == 1
        assert "**is**" in section.locator(".document").inner_text()
        found.page.click("#close-all")
        assert not section.locator(".document").is_visible()
        assert found.stated == []


@pytest.mark.parametrize(
    ("control", "value", "expected"),
    [
        ("search", "NORTH invoices", ["Parse the invoices of the north"]),
        ("search", "src/south.py", ["Draw the map of the south"]),
        ("search", "half of it", ["The lexer"]),
        ("search", '"]', []),
        ("branch", "topic", ["Draw the map of the south"]),
        ("group", "open", ["The lexer"]),
    ],
)
def test_search_and_filters_choose_sessions(
    several: Path, browser: Browser, control: str, value: str, expected: list[str]
) -> None:
    """In the overview, the timeline and the sections; a reset shows all again."""
    with opened(browser, several) as found:
        shown = found.page
        shown.fill("#search", value) if control == "search" else shown.select_option(f"#{control}", value)
        expect(shown.locator("#count")).to_have_text(re.compile(rf"^{len(expected)} of"))
        assert titles(shown) == expected
        shown.click("#tab-sessions")
        assert shown.locator("article").count() == len(expected)
        shown.click("#filters [type=reset]")
        expect(shown.locator("#count")).to_have_text(re.compile(r"^4 of"))
        assert shown.locator("article").count() == 4
        assert found.stated == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_it(several: Path, browser: Browser, axe: str, scheme: str) -> None:
    """axe-core finds nothing serious in any part, in the scheme of the system and in the other one."""
    with opened(browser, several, scheme, lenient=True) as found:
        shown = found.page
        shown.evaluate(axe)
        for theme in (scheme, "light" if scheme == "dark" else "dark"):
            dark = "getComputedStyle(document.body).backgroundColor === 'rgb(20, 23, 28)'"
            assert shown.evaluate(dark) == (theme == "dark")
            for tab in TABS:
                shown.click(f"#tab-{tab}")
                if tab == "sessions":
                    shown.click("#open-all")
                found_by_axe = shown.evaluate("axe.run()")["violations"]
                serious = [
                    (one["id"], one["nodes"][0]["html"])
                    for one in found_by_axe
                    if one["impact"] in {"serious", "critical"}
                ]
                assert serious == [], (theme, tab)
            shown.click("#theme")
        assert found.stated == []


def test_it_fits_a_telephone(several: Path, browser: Browser) -> None:
    """Wide tables scroll inside their part, and the page itself does not."""
    with opened(browser, several) as found:
        found.page.set_viewport_size({"width": 400, "height": 800})
        for tab in TABS:
            found.page.click(f"#tab-{tab}")
            assert found.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), tab
        assert found.stated == []


def test_it_prints_all_parts(several: Path, browser: Browser) -> None:
    """With every session opened, in black on white, without controls."""
    with opened(browser, several, "dark") as found:
        shown = found.page
        shown.emulate_media(media="print")
        shown.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert [tab for tab in TABS if not shown.is_visible(f"#{tab}")] == []
        assert shown.locator("article [aria-expanded=true]").count() == 4
        assert shown.locator("article .document").is_visible()
        assert not shown.is_visible("#filters")
        assert shown.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert shown.pdf()[:5] == b"%PDF-"
        assert found.stated == []


def test_the_figures_are_those_of_stats(several: Path, browser: Browser, prepared: Project) -> None:
    """To the token."""
    stats = json.loads(prepared.cli("stats", "--json").out)
    with opened(browser, several) as found:
        found.page.click("#tab-figures")
        sums = {name: found.page.inner_text(f"#sum-{name}") for name in ("sessions", "tasks", "requests", "output")}
        assert sums == {"sessions": "3", "tasks": "3 of 6", "requests": "2", "output": "4,006"}
        assert stats["tokens"]["output"] == 4006
        rows = [row.split("\t") for row in found.page.inner_text("#table-branches tbody").splitlines()]
        assert [(row[0], row[1], row[5]) for row in rows] == [
            (one["branch"], str(one["requests"]), f"{one['output']:,}") for one in stats["branches"]
        ]
        shown = found.page.locator("#table-days tbody tr").all_inner_texts()
        assert [row.split("\t")[0] for row in shown] == [
            one["day"] for one in reversed(stats["days"]) if one["sessions"]
        ]


def test_hostile_texts_stay_texts(prepared: Project, browser: Browser) -> None:
    """Scripts, characters that turn the line around, and ten thousand characters, wherever a text can be."""
    for number, text in enumerate((HOSTILE, "\u202eevil\u2066", LONG, "א" * 300)):
        work(prepared, f"s{number}", number, text, branch=text[:90])
    prepared.write_state(title="x", state=HOSTILE + " [a](javascript:alert(1)) ![b](https://example.org/x.png)")
    page(prepared)
    with opened(browser, prepared.root / PAGE) as found:
        shown = found.page
        shown.on("dialog", lambda dialog: pytest.fail(dialog.message))
        assert any(title.startswith("</script><script>") for title in titles(shown))
        assert max(map(len, titles(shown))) <= 200
        for tab in TABS:
            shown.click(f"#tab-{tab}")
        shown.click("#open-all")
        text = shown.content()
        assert [char for char in "\u202e\u2066" if char in text] == []
        assert shown.locator("img, main script, [onerror], [href^=javascript]").count() == 0
        assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert (found.stated, found.requested) == ([], [])


def test_no_other_script_runs(several: Path, browser: Browser) -> None:
    """Nor can one be put in: the policy refuses it, and refuses HTML from texts."""
    with opened(browser, several) as found:
        shown = found.page
        assert shown.evaluate("document.querySelector('meta[http-equiv]').content").count("sha256-") == 4
        refused = (
            "document.body.innerHTML = '<img src=x>'",
            "document.createElement('script').textContent = 'window.ran = 1'",
            "document.body.setAttribute('onclick', 'window.ran = 1')",
        )
        for line in refused:
            with pytest.raises(Error, match=r"TrustedHTML|TrustedScript"):
                shown.evaluate(f"() => {{ {line}; }}")
        assert shown.evaluate("window.ran === undefined")


def test_a_thousand_sessions_are_drawn_as_they_are_looked_at(prepared: Project, browser: Browser) -> None:
    """A page has a hundred of each group at first; the rest comes on request, and is searched all the same."""
    for number in range(1_000):
        ident = str(uuid.UUID(int=number))
        prompt = {"kind": "prompt", "text": f"Do piece {number} of the work"}
        prepared.remember(ident, {"kind": "start"}, prompt, {"kind": "end", "reason": "other"}, at=DAY + number * 60)
    page(prepared)
    with opened(browser, prepared.root / PAGE) as found:
        shown = found.page
        for tab in TABS:
            shown.click(f"#tab-{tab}")
            assert shown.locator("*").count() < 5_000, tab
        assert shown.locator("article").count() == 100
        shown.click("#sessions button.more")
        assert shown.locator("article").count() == 200
        shown.fill("#search", "piece 7")
        shown.fill("#search", "piece 777")
        expect(shown.locator("#count")).to_have_text(re.compile(r"^1 of"))
        assert shown.locator("article").count() == 1
        assert (found.stated, found.requested) == ([], [])
