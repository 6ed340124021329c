"""A hundred and fifty hostile texts through the gate's page in a real browser, with the page's policy and without."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.report import (
    BaselineFact,
    CanaryFact,
    DifficultyFact,
    EnvelopeFact,
    ExclusionFact,
    JudgeFact,
    QuarantineFact,
    ReportFacts,
    SideFact,
    SourceFact,
    UnknownFact,
)
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.report.page import render_gate_page
from litmus_nb.report.text import safe_text
from tests.report.browser import Chromium, chromium
from tests.report.hostile import CORPUS
from tests.report.verdicts import DIGEST, finding, judged, regressed, verdict_of, withheld_class

__all__ = ["chromium"]

pytestmark = pytest.mark.browser

Texts = Callable[[int], str]

PARSED_SKELETONS = """pages => pages.map(page =>
  [...new DOMParser().parseFromString(page, 'text/html').querySelectorAll('*')]
  .map(e => e.tagName + '[' + e.getAttributeNames().sort().join(',') + ']').join(' '))"""

NAMES = [text or f"empty-{place}" for place, text in enumerate(CORPUS)]
"""A class may not be called nothing."""


def hostile(place: int) -> str:
    return NAMES[place % len(NAMES)]


def harmless(place: int) -> str:
    return f"name-{place}"


def facts_with(text: Texts, verdict: Verdict, count: int = len(CORPUS)) -> ReportFacts:
    """A page with another text in every slot that evidence can reach."""
    when = "2026-11-20T00:00:00Z"
    return ReportFacts(
        verdict=verdict,
        suite_name=text(1),
        suite_version=text(2),
        candidate=SideFact(policy=text(3), run_id=text(4), decoding=text(5), trials_per_scenario=3),
        baseline_run=SideFact(policy=text(6), run_id=text(7)),
        sources=[
            SourceFact(side="candidate", reader="table", tool=text(n), attack_success_when=text(n + 1),
                       attack_failure_when=text(n + 2), is_checked_by_canary=n % 2 == 0, is_read_by_the_gate=n % 3 == 0,
                       source_digest=DIGEST, notes=[text(n + 3)])
            for n in range(min(count, 40))
        ],
        unknowns=[
            UnknownFact(side="candidate", scenario_class=text(n), status="error", reason=text(n + 1), n=1, declared=9)
            for n in range(count)
        ],
        quarantine=[
            QuarantineFact(scenario_id=text(n), scenario_class=text(n + 1), reason=text(n + 2), by=text(n + 3),
                           since=when, age_days=1, max_age_days=30)
            for n in range(count)
        ],
        difficulty=[
            DifficultyFact(scenario_class=text(n), n_gated=1, n_all=2, baseline_rate_gated=0.1, baseline_rate_all=0.2)
            for n in range(min(count, 40))
        ],
        exclusions=[ExclusionFact(rule=text(n), reason=text(n + 50), n=1) for n in range(min(count, 40))],
        judge=JudgeFact(pinned_digest=DIGEST, candidate_requested=text(8), baseline_requested=text(9)),
        envelope=EnvelopeFact(calibrated=[text(n) for n in range(count)], effective=[text(n) for n in range(3, count)],
                              measured_by=text(10)),
        canary=CanaryFact(probe_id=text(11), expected_signal=text(12), observed_signal=text(13), has_control=True,
                          control_signal=text(14), control_was_run=True),
        baseline=BaselineFact(run_digest=DIGEST, pinned_at=when, by=text(15), reason=text(16), is_rebump=False),
        gate_file="\n".join(text(n)[:2000] for n in range(count)),
        names={"BASELINE_RUN": text(18), "CANDIDATE_RUN": text(19), "LEDGER": text(20), "litmus-nb": text(21)},
        recompute_command=text(17) + "\nlitmus-nb evaluate x",
    )  # fmt: skip


def rejected(text: Texts) -> Verdict:
    found = [finding("TOOL_MISSING", "2.4", text(n), text(n + 1), text(n + 2)) for n in range(40)]
    found += [finding("ENVELOPE_MISMATCH", "2.6", text(n), text(n + 1), text(n + 2)) for n in range(40, 80)]
    found += [finding("CONTRACT_UNREADABLE", "1.4", text(n), text(n + 1), text(n + 2)) for n in range(80, 120)]
    return verdict_of(VerdictState.REJECTED, [], found)


def unjudged(text: Texts) -> Verdict:
    codes = ["POPULATION_DRIFT", "LABEL_INVALID", "JUDGE_DIGEST_MISMATCH", "QUARANTINE_EXPIRED", "SKIP_UNDOCUMENTED"]
    found = [finding(code, "3.2", text(n), text(n + 1), text(n + 2)) for n in range(30) for code in codes]
    return verdict_of(VerdictState.NO_VERDICT, [withheld_class(text(n)) for n in range(len(CORPUS))], found)


def failed(text: Texts) -> Verdict:
    classes = [regressed(text(0)), *(judged(text(n)) for n in range(1, len(CORPUS)))]
    found = [finding("CLASS_REGRESSED", "4.5h", text(0), text(1), text(2))]
    return verdict_of(VerdictState.FAIL, classes, found, worst=text(0), run_id=text(3))


PAGES: dict[str, Callable[[Texts], ReportFacts]] = {
    "rejected": lambda text: facts_with(text, rejected(text)),
    "no-verdict": lambda text: facts_with(text, unjudged(text)),
    "fail": lambda text: facts_with(text, failed(text)),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Texts], Path]:
    """Each page written once."""
    folder = tmp_path_factory.mktemp("pages")

    def write(name: str, text: Texts) -> Path:
        path = folder / f"{name}-{text.__name__}.html"
        if not path.exists():
            path.write_text(render_gate_page(PAGES[name](text)), encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("heeds_policy", [True, False], ids=["with-policy", "without-policy"])
def test_nothing_runs_loads_or_leads_away(
    name: str, heeds_policy: bool, written: Callable[[str, Texts], Path], chromium: Chromium
) -> None:
    for width in (1280, 390):
        with chromium.opened(written(name, hostile), width=width, heeds_policy=heeds_policy) as opened:
            opened.page.mouse.move(200, 300)
            opened.page.keyboard.press("Tab")
            opened.page.keyboard.press("Tab")
            assert opened.problems() == []


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_built_as_with_harmless_names(
    name: str, written: Callable[[str, Texts], Path], chromium: Chromium
) -> None:
    with chromium.opened(written(name, harmless)) as opened:
        expected = opened.skeleton
    with chromium.opened(written(name, hostile)) as opened:
        assert expected == opened.skeleton


def test_every_text_can_be_read_as_what_it_is(written: Callable[[str, Texts], Path], chromium: Chromium) -> None:
    with chromium.opened(written("no-verdict", hostile)) as opened:
        shown = opened.page.evaluate("[...document.querySelectorAll('bdi.theirs')].map(e => e.textContent)")
    assert {safe_text(name) for name in NAMES} <= set(shown)


def test_the_state_stands_on_top_and_only_once(written: Callable[[str, Texts], Path], chromium: Chromium) -> None:
    for name, state in (("rejected", "REJECTED"), ("no-verdict", "NO VERDICT"), ("fail", "FAIL")):
        with chromium.opened(written(name, hostile), width=390) as opened:
            headings = opened.page.locator("h1")
            assert headings.count() == 1
            assert headings.inner_text() == state
            box = headings.bounding_box()
            assert box["y"] < 120
            assert opened.page.title().startswith(state)


def test_each_text_alone_in_the_banner_changes_nothing(tmp_path: Path, chromium: Chromium) -> None:
    """The browser's own parser says so, of elements and of the names of their attributes."""

    def page(name: str) -> str:
        reason = finding("JUDGE_DIGEST_MISMATCH", "3.5", "candidate", name, name)
        verdict = verdict_of(VerdictState.NO_VERDICT, [], [reason])
        return render_gate_page(ReportFacts(verdict=verdict, suite_name=name, candidate=SideFact(policy=name)))

    empty = tmp_path / "empty.html"
    empty.write_text("<!doctype html><title>x</title>")
    with chromium.opened(empty) as opened:
        expected, *skeletons = opened.page.evaluate(PARSED_SKELETONS, [page("harmless"), *map(page, NAMES)])
    for name, skeleton in zip(NAMES, skeletons, strict=True):
        assert expected == skeleton, name[:80]
