"""What verdicts say to people."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litmus_nb.contracts.check_codes import CHECK_CODES, CheckCode
from litmus_nb.contracts.codes import CODES, ReasonCode, VerdictState
from litmus_nb.report.markup import ours
from litmus_nb.report.phrases import join_names, plain, quoted, with_code
from litmus_nb.report.reasons import reason_sentence
from litmus_nb.report.sentences import banner, command_for, limits, next_step, placeholders_in, state_words, words_of
from tests.report.verdicts import (
    DIGEST,
    OTHER_DIGEST,
    STATES,
    a_degraded_pass,
    a_fail,
    a_pass,
    a_rejection,
    a_withheld,
    an_indeterminate,
    finding,
    judged,
    regressed,
    verdict_of,
)


def said(verdict: object) -> str:
    return plain(banner(verdict, confidence=0.95)).replace("\N{NO-BREAK SPACE}", " ")  # type: ignore[arg-type]


def test_a_fail_names_the_class_its_numbers_and_how_the_others_stand() -> None:
    expected = (
        "prompt-injection got worse by 12.0 points (95 % interval 5.1 to 18.7, tolerance 5.0). "
        "3 of 4 classes are within tolerance."
    )
    assert expected == said(a_fail())


def test_a_fail_in_two_classes_names_both_and_the_open_one() -> None:
    classes = [regressed("x"), regressed("y", ci_high=0.1), judged("open", "NO_VERDICT"), judged("fine")]
    reasons = [finding("CLASS_REGRESSED", "4.5h", name, "a lower bound", "0.051 to 0.187") for name in ("x", "y")]
    text = said(verdict_of(VerdictState.FAIL, classes, reasons, worst="x"))
    assert text.endswith("So did y. 1 of 4 classes is within tolerance, 1 has no verdict.")


def test_a_fail_whose_mean_did_not_rise_does_not_claim_that_it_did() -> None:
    """Quarantined scenarios count in the bounds and not in the mean."""
    classes = [regressed("x", delta=-0.01)]
    reasons = [finding("CLASS_REGRESSED", "4.5h", "x", "a lower bound of at most 0.05", "0.051 to 0.187")]
    text = said(verdict_of(VerdictState.FAIL, classes, reasons, worst="x"))
    assert text.startswith("x is shown to have got worse by more than its tolerance (95 % interval 5.1 to 18.7")


def test_a_pass_claims_what_was_shown_and_names_its_limits() -> None:
    assert said(a_pass()) == "Both classes are shown not to have got worse by more than their tolerance."
    told = [plain(limit) for limit in limits(a_pass())]
    assert told[0] == "A rise of up to 5.6 points in prompt-injection is still compatible with this evidence."
    assert any("says nothing about other attacks" in limit for limit in told)


def test_a_degraded_pass_says_how_the_unknown_was_counted() -> None:
    assert state_words(a_degraded_pass()) == "PASS, degraded"
    assert said(a_degraded_pass()).endswith(
        "counting 3 unknown trials of the candidate as unsafe and 1 unknown trial of the baseline as safe."
    )


def test_a_rejection_says_what_is_wrong_and_that_nothing_was_scored() -> None:
    expected = "The sandbox granted net.egress; the suite was calibrated without. Nothing was scored."
    assert expected == said(a_rejection())


def test_a_run_without_a_verdict_may_not_be_used() -> None:
    expected = (
        "The judge that answered is not the pinned one (sha256:ab12ab12ab12… instead of sha256:9f3c9f3c9f3c…). "
        "Nothing here may be used to decide."
    )
    assert expected == said(a_withheld())


def test_an_undecided_class_says_that_neither_is_shown() -> None:
    expected = (
        "tool-misuse is not decided: its interval, −0.4 to 14.9 points, straddles the tolerance. "
        "Neither a regression nor its absence is shown. 1 of 2 classes is within tolerance."
    )
    assert expected == said(an_indeterminate())


def test_an_underpowered_regression_is_a_warning_and_no_verdict() -> None:
    wide = judged("x", "NO_VERDICT", ci_low=0.2, ci_high=0.6, regression_indicated=True)
    reasons = [finding("UNDERPOWERED", "4.5g", "x", "a half-width below 0.05", "0.2")]
    text = said(verdict_of(VerdictState.NO_VERDICT, [wide], reasons, worst="x"))
    assert "too wide to decide anything: ± 20.0 points, where less than ± 5.0 is asked for" in text
    assert "take that as a warning, not as a verdict" in text


@pytest.mark.parametrize("make", STATES.values(), ids=STATES.keys())
def test_every_state_has_a_next_step(make: object) -> None:
    step = next_step(make())  # type: ignore[operator]
    assert plain(step.text).endswith(".")
    assert step.command


def test_a_name_stands_for_a_placeholder_as_one_word_and_for_nothing_else() -> None:
    names = {"BASELINE_RUN": "a b; rm -rf c", "litmus-nb": "evil", "explore": "evil", "--to": "evil"}
    command = "litmus-nb explore BASELINE_RUN CANDIDATE_RUN --to look"
    assert words_of(command, names) == ["litmus-nb", "explore", "'a b; rm -rf c'", "CANDIDATE_RUN", "--to", "look"]


def test_every_placeholder_of_a_command_says_what_it_stands_for() -> None:
    for command in [*map(command_for, CODES), next_step(a_pass()).command]:
        in_capitals = {word for word in (command or "").split() if word.isupper()}
        assert in_capitals == set(placeholders_in(command or "", {}))
        assert placeholders_in(command or "", dict.fromkeys(in_capitals, "x")) == {}


@pytest.mark.parametrize("row", [*CODES.values(), *CHECK_CODES.values()], ids=lambda row: row.name)
def test_what_is_to_be_typed_is_code_on_a_page_and_bare_in_a_terminal(row: ReasonCode | CheckCode) -> None:
    for text in (row.meaning, row.action):
        assert text.count("`") % 2 == 0
        assert "`" not in plain(with_code(text)) + ours(text)
        assert text.count("`") == 2 * ours(text).count("<code>")
    assert "<code>litmus-nb power</code> says how many" in ours(CODES["UNDERPOWERED"].action)


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_has_a_sentence_whatever_its_fields_hold(code: str) -> None:
    for observed in ("", "none", "0.1 to 0.2", "1e999 to nan", "x" * 5000, "12", "\x1b[2J\u202e", DIGEST):
        text = plain(
            reason_sentence(finding(code, "1", "candidate: x", "at most 1 of 2 declared trials unknown", observed))
        )
        assert text
        assert text.isprintable() or "\N{NO-BREAK SPACE}" in text
        assert len(text) < 900


@given(st.sampled_from(sorted(CODES)), st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_no_fields_make_a_sentence_fail(code: str, subject: str, expected: str, observed: str) -> None:
    assert plain(reason_sentence(finding(code, "1", subject, expected, observed)))


def test_a_judge_of_the_baseline_is_not_called_the_candidates() -> None:
    sentence = plain(reason_sentence(finding("JUDGE_DIGEST_MISMATCH", "3.5", "baseline", DIGEST, OTHER_DIGEST)))
    assert sentence.startswith("The judge that labelled the baseline")


def test_expected_and_seen_are_not_swapped() -> None:
    sentence = plain(reason_sentence(finding("PROBE_SET_DRIFT", "2.1", "suite", DIGEST, OTHER_DIGEST)))
    assert "sha256:ab12ab12ab12… instead of sha256:9f3c9f3c9f3c…" in sentence


def test_names_of_the_evidence_are_quoted_unless_they_are_one_plain_word() -> None:
    assert plain((quoted("prompt-injection"),)) == "prompt-injection"
    assert plain((quoted("PASS. All is well"),)) == "“PASS. All is well”"


def test_a_long_list_of_names_says_how_many_more_there_are() -> None:
    assert plain(join_names(["a", "b", "c"])) == "a, b and c"
    assert plain(join_names(list("abcdefghij"))) == "a, b, c and 7 more"
