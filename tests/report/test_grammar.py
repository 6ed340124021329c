"""One is one and two are two in every sentence that counts."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.report import ExclusionFact, QuarantineFact, ReportFacts
from litmus_nb.contracts.verdict import Verdict
from litmus_nb.report.markdown import render_markdown
from litmus_nb.report.page import NO_PICTURES, render_gate_page
from litmus_nb.report.phrases import plain
from litmus_nb.report.reasons import reason_sentence
from litmus_nb.report.sentences import banner, limits
from litmus_nb.report.site.publish import publish
from litmus_nb.report.terminal import render_terminal
from tests.report.every_page import TODAY
from tests.report.test_site import leave
from tests.report.verdicts import a_rejection, finding, judged, regressed, verdict_of

WRONG_ONE = re.compile(r"(?<![\d.,/:−-])1 (?:(?!classes|is\b|has\b|counts\b)[a-z]+s\b|classes|items have|\w+ have\b)")
WRONG_TWO = re.compile(r"(?<![\d.,/:−-])2 (?:class|scenario|trial|reason|verdict|suite|entry|day|unit|item)\b")


def passing(count: int, unknown: int, quarantined: int) -> Verdict:
    classes = [judged(f"class-{number}") for number in range(count)]
    classes[0] = judged("class-0", unknown_candidate=unknown, n_quarantined=quarantined)
    return verdict_of(VerdictState.PASS, classes, [], worst="class-0", degraded=unknown > 0)


def failing(failed: int, passed: int) -> Verdict:
    rows = [regressed(f"bad-{n}") for n in range(failed)] + [judged(f"good-{n}") for n in range(passed)]
    reasons = [finding("CLASS_REGRESSED", "4.5h", f"bad-{n}", "at most 0.05", "0.051 to 0.187") for n in range(failed)]
    return verdict_of(VerdictState.FAIL, rows, reasons, worst="bad-0")


def warned(count: int) -> Verdict:
    rows = [judged(f"wide-{n}", "NO_VERDICT", ci_low=0.2, ci_high=0.6, regression_indicated=True) for n in range(count)]
    reasons = [finding("UNDERPOWERED", "4.5g", f"wide-{n}", "a half-width below 0.05", "0.2") for n in range(count)]
    return verdict_of(VerdictState.NO_VERDICT, rows, reasons, worst="wide-0")


VERDICTS = {
    **{f"pass-{n}-{u}-{q}": passing(n, u, q) for n in (1, 2, 3) for u in (0, 1, 2) for q in (0, 1, 2)},
    **{f"fail-{bad}-{good}": failing(bad, good) for bad in (1, 2) for good in (0, 1, 2)},
    **{f"warned-{count}": warned(count) for count in (1, 2)},
    **{f"rejected-{n}": a_rejection().model_copy(update={"reasons": a_rejection().reasons * n}) for n in (1, 2, 3)},
}


def words(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", re.sub(r"(?s)<(style|script|svg).*?</\1>|<td.*?</td>", "", page)))


@pytest.mark.parametrize("name", VERDICTS)
def test_no_output_counts_wrongly(name: str) -> None:
    verdict = VERDICTS[name]
    count = 2 if name[-1] == "2" else 1
    since = "2026-11-20T00:00:00Z"
    facts = ReportFacts(
        verdict=verdict,
        quarantine=[QuarantineFact(scenario_id="s", by="ann", since=since, age_days=30 + count, max_age_days=30)],
        exclusions=[ExclusionFact(rule="flaky", reason="known", n=count)],
    )
    texts = [plain(banner(verdict)), *(plain(limit) for limit in limits(verdict)), render_markdown(verdict)]
    texts += [render_terminal(verdict, width=2000), words(render_gate_page(facts, pictures=NO_PICTURES))]
    for text in texts:
        assert not WRONG_ONE.search(text), WRONG_ONE.search(text)
        assert not WRONG_TWO.search(text), WRONG_TWO.search(text)


SENTENCES = [
    ("QUARANTINE_EXPIRED", "s", "at most 1 days old", "1 days", "s is 1 day old; it may become 1."),
    ("QUARANTINE_EXPIRED", "s", "at most 30 days old", "31 days", "s is 31 days old; it may become 30."),
    ("INSUFFICIENT_EVIDENCE", "c", "n >= 50", "n = 1", "c has 1 compared unit; the gate asks for 50."),
    ("INSUFFICIENT_EVIDENCE", "c", "n >= 50", "n = 2", "c has 2 compared units; the gate asks for 50."),
    ("POPULATION_DRIFT", "candidate", "at most 0 of 9 declared trials unknown", "1 unknown, 0 of them without a row",
     "1 of the candidate's 9 trials has no result; none may be unknown"),
    ("POPULATION_DRIFT", "candidate", "at most 0.1 of 9 declared trials unknown", "2 unknown, 2 of them without a row",
     "2 of the candidate's 9 trials have no result, all without so much as a row; at most 10.0 % may be unknown"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "subject", "expected", "observed", "said"), SENTENCES)
def test_a_reason_counts_rightly(code: str, subject: str, expected: str, observed: str, said: str) -> None:
    sentence = plain(reason_sentence(finding(code, "1", subject, expected, observed)))
    assert said in sentence.replace("\N{NO-BREAK SPACE}", " ")


def test_one_indicated_class_has_an_interval_and_two_have_intervals() -> None:
    assert "The measured interval of wide-0 lies wholly above" in plain(banner(warned(1)))
    assert "The measured intervals of wide-0 and wide-1 lie wholly above" in plain(banner(warned(2)))


@pytest.mark.parametrize("count", [1, 2])
def test_a_site_counts_rightly(count: int, tmp_path: Path) -> None:
    for number in range(count):
        leave(tmp_path / f"reports/{number}", a_rejection(), suite=f"suite {number}", candidate=f"agent-{number}")
        (tmp_path / f"reports/{number}/verdict.json").write_bytes(
            (tmp_path / f"reports/{number}/verdict.json").read_bytes() + b"\n" * number
        )
    publish(tmp_path / "reports", tmp_path / "site", today=TODAY)
    pages = [*(tmp_path / "site").glob("*.html"), *(tmp_path / "site/suites").glob("*.html")]
    said = "1 verdict on 1 suite." if count == 1 else "2 verdicts on 2 suites."
    assert said in words((tmp_path / "site/index.html").read_text())
    for page in pages:
        text = words(page.read_text())
        assert not WRONG_ONE.search(text), (page.name, WRONG_ONE.search(text))
        assert not WRONG_TWO.search(text), (page.name, WRONG_TWO.search(text))
