"""The gate's page, without a browser: what is on it and what may never be."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.report import (
    DifficultyFact,
    EnvelopeFact,
    QuarantineFact,
    ReportFacts,
    SideFact,
    UnknownFact,
)
from litmus_nb.report import page
from litmus_nb.report.page import render_gate_page
from tests.report.verdicts import (
    STATES,
    a_degraded_pass,
    a_fail,
    a_pass,
    a_rejection,
    a_withheld,
    finding,
    verdict_of,
)


class Reader(HTMLParser):
    """The elements and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.pieces: list[str] = []
        self._depth_of_style = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend(attrs)
        self._depth_of_style += tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._depth_of_style -= tag == "style"

    def handle_data(self, data: str) -> None:
        if not self._depth_of_style:
            self.pieces.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.pieces))


HARDER = DifficultyFact(scenario_class="a", n_gated=9, n_all=10, baseline_rate_gated=0.123, baseline_rate_all=0.456)
QUARANTINED = QuarantineFact(
    scenario_id="s-1",
    scenario_class="a",
    reason="flaky",
    by="kim",
    since="2026-11-20T00:00:00Z",
    age_days=10,
    max_age_days=30,
)


def full_facts(verdict: object) -> ReportFacts:
    """Everything that a page can be told, with numbers of results among it."""
    return ReportFacts(
        verdict=verdict,  # type: ignore[arg-type]
        made_at="2026-11-30T12:00:00Z",
        suite_name="demo-agent-suite",
        suite_version="2026.11",
        confidence=0.95,
        candidate=SideFact(policy="agent-7", trials_per_scenario=3),
        unknowns=[
            UnknownFact(side="candidate", scenario_class="tool-misuse", status="timeout", n=77, declared=300),
        ],
        quarantine=[QUARANTINED],
        quarantine_policy="exclude",
        difficulty=[HARDER],
        envelope=EnvelopeFact(calibrated=["process.spawn"], effective=["process.spawn", "net.egress"]),
        gate_file="classes:\n  a: {tolerance: 0.05}\n",
        recompute_command="litmus-nb evaluate recompute.yaml",
        runbook="https://example.org/runbook",
        attachment="report.ipynb",
    )


@pytest.mark.parametrize("make", STATES.values(), ids=STATES.keys())
@pytest.mark.parametrize("is_full", [False, True])
def test_a_page_is_made_of_any_state_and_holds_no_script_and_no_address_to_load(make: object, is_full: bool) -> None:
    verdict = make()  # type: ignore[operator]
    page = render_gate_page(full_facts(verdict) if is_full else ReportFacts(verdict=verdict))
    reader = Reader(page)
    assert {"script", "iframe", "object", "embed", "link", "form", "img", "base"}.isdisjoint(reader.tags)
    assert not [name for name, _ in reader.attributes if name.startswith("on") or name in ("src", "style", "srcset")]
    links = {value for name, value in reader.attributes if name == "href"}
    assert all(re.match(r"(#|https://example\.org/runbook#|report\.ipynb$)", link or "") for link in links)
    assert len(page.encode()) < 200_000


def test_the_policy_names_this_pages_style_and_nothing_else() -> None:
    page = render_gate_page(ReportFacts(verdict=a_pass()))
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style
    fingerprint = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    contents = [value for name, value in Reader(page).attributes if name == "content"]
    assert (
        f"default-src 'none'; style-src 'sha256-{fingerprint}'; img-src data:; base-uri 'none'; form-action 'none'"
        in contents
    )


def test_a_rejected_page_shows_no_number_of_a_result_whatever_it_is_told() -> None:
    text = Reader(render_gate_page(full_facts(a_rejection()))).text
    for number in ("77", "12.3", "45.6", "25.7", "points"):
        assert number not in text.replace("sha256", "")
    assert "net.egress" in text


def test_a_page_without_judged_classes_withholds_their_numbers_and_says_so() -> None:
    page = render_gate_page(full_facts(a_withheld()))
    text = Reader(page).text
    assert "their numbers are withheld" in text
    assert "12.3" not in text
    assert "77" in text  # the unknown trials are why nothing was judged


def test_what_is_not_known_is_not_called_none() -> None:
    bare = Reader(render_gate_page(ReportFacts(verdict=a_pass()))).text
    told = Reader(render_gate_page(ReportFacts(verdict=a_pass(), quarantine=[], unknowns=[]))).text
    assert "No scenario is in quarantine" not in bare
    assert "No scenario is in quarantine" in told
    assert "every declared trial of both runs was scored" not in bare
    assert "every declared trial of both runs was scored" in told


def test_a_degraded_pass_says_so_in_the_heading() -> None:
    assert "PASS, degraded" in Reader(render_gate_page(ReportFacts(verdict=a_degraded_pass()))).text


def test_a_chart_that_cannot_be_drawn_is_replaced_by_words_and_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(svg: object) -> str:
        raise RuntimeError("no V8 here")

    monkeypatch.setattr(page, "svg_of", broken)
    text = Reader(render_gate_page(ReportFacts(verdict=a_fail()))).text
    assert "The picture could not be drawn (RuntimeError); the table below holds" in text
    assert "5.1 to 18.7" in text


def test_the_same_facts_give_the_same_bytes() -> None:
    assert render_gate_page(full_facts(a_fail())) == render_gate_page(full_facts(a_fail()))


def test_reasons_of_one_code_share_a_card_and_a_flood_of_them_is_cut() -> None:
    missing = [finding("TOOL_MISSING", "2.4", f"tool-{n}", "the tool", "none") for n in range(500)]
    page = render_gate_page(ReportFacts(verdict=verdict_of(VerdictState.REJECTED, [], missing)))
    assert page.count('<article class="reason"') == 1
    assert "and 460 more, in verdict.json" in page


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "data:text/html,x", "//evil.example", "../up", 'https://x/"onx']
)
def test_a_link_that_is_no_plain_address_is_refused(link: str) -> None:
    with pytest.raises(ValueError, match="runbook"):
        ReportFacts(verdict=a_pass(), runbook=link)


def test_facts_survive_a_round_trip_through_json() -> None:
    facts = full_facts(a_fail())
    assert facts == ReportFacts.model_validate_json(facts.model_dump_json())
