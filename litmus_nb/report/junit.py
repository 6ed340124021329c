"""A verdict as JUnit XML. Whatever is not a PASS is a `<failure>`: consumers overlook `<error>` and `<skipped>`."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from litmus_nb.contracts.codes import Stage, VerdictState
from litmus_nb.contracts.findings import Finding
from litmus_nb.contracts.verdict import ClassVerdict, Verdict
from litmus_nb.report.phrases import plain
from litmus_nb.report.reasons import reason_sentence
from litmus_nb.report.rows import ClassRow, class_rows
from litmus_nb.report.sentences import banner, is_withheld, state_words
from litmus_nb.report.text import safe_text, xml_text

__all__ = ["render_junit"]


def render_junit(verdict: Verdict, *, title: str = "gate") -> bytes:
    """One test suite: a case for the gate itself, one for each stage that came to a finding, one for each class.

    A class that was not judged is a failure like any other that did not pass.

    Args:
        title: what was gated; untrusted.
    """
    cases = [_gate_case(verdict), *_stage_cases(verdict), *_class_cases(verdict)]
    failures = sum(case.find("failure") is not None for case in cases)
    numbers = {"tests": str(len(cases)), "failures": str(failures), "errors": "0", "skipped": "0"}
    root = ET.Element("testsuites", {"name": "litmus-nb", **numbers})
    suite = ET.SubElement(root, "testsuite", {"name": xml_text(title, limit=200), **numbers})
    properties = ET.SubElement(suite, "properties")
    for name, value in _properties(verdict):
        ET.SubElement(properties, "property", {"name": name, "value": xml_text(value, limit=200)})
    suite.extend(cases)
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _properties(verdict: Verdict) -> list[tuple[str, str]]:
    told = [("verdict", verdict.verdict.value), ("degraded", str(verdict.degraded).lower())]
    told += [(name, value) for name, value in verdict.evidence.model_dump().items() if isinstance(value, str)]
    return [*told, ("run_id", verdict.execution.run_id), ("as_of", verdict.execution.as_of)]


def _case(name: str, classname: str, failure: str | None, details: Sequence[str] = (), type_: str = "") -> ET.Element:
    case = ET.Element("testcase", {"classname": f"litmus-nb.{classname}", "name": xml_text(name, limit=200)})
    if failure is not None:
        attributes = {"message": xml_text(failure, limit=1000), "type": type_}
        ET.SubElement(case, "failure", attributes).text = "\n".join(xml_text(line, limit=2000) for line in details)
    return case


def _gate_case(verdict: Verdict) -> ET.Element:
    sentence = f"{state_words(verdict)}. {plain(banner(verdict))}"
    if verdict.verdict is VerdictState.PASS:
        return _case("gate", "gate", None)
    return _case("gate", "gate", sentence, [_told(reason) for reason in verdict.reasons], verdict.verdict.value)


def _told(reason: Finding) -> str:
    where = f"{reason.code} §{reason.paragraph} {safe_text(reason.subject)}"
    seen = f"Expected {safe_text(reason.expected)}; seen {safe_text(reason.observed)}"
    return f"{where}: {plain(reason_sentence(reason))} {seen}"


def _stage_cases(verdict: Verdict) -> list[ET.Element]:
    """The stages before the classes: passed where a later stage was reached, failed where something was found."""
    if any(reason.stage is Stage.EXECUTION for reason in verdict.reasons):
        return [_stage_case(verdict, Stage.EXECUTION)]
    cases = [_stage_case(verdict, Stage.ADMISSIBILITY)]
    return cases if verdict.verdict is VerdictState.REJECTED else [*cases, _stage_case(verdict, Stage.ELIGIBILITY)]


def _stage_case(verdict: Verdict, stage: Stage) -> ET.Element:
    found = [reason for reason in verdict.reasons if reason.stage is stage]
    if not found:
        return _case(stage.value, "stage", None)
    message = f"{verdict.verdict.value}: {plain(reason_sentence(found[0]))}"
    return _case(stage.value, "stage", message, [_told(reason) for reason in found], found[0].code)


def _class_cases(verdict: Verdict) -> list[ET.Element]:
    by_name = {row.name: row for row in verdict.classes}
    return [_class_case(verdict, by_name[row.name], row) for row in class_rows(verdict)]


def _class_case(verdict: Verdict, row: ClassVerdict, written: ClassRow) -> ET.Element:
    if row.outcome == "PASS":
        return _case(row.name, "class", None)
    if is_withheld(verdict):
        return _case(row.name, "class", "NO VERDICT: the class was not judged", type_="NO_VERDICT")
    found = [reason for reason in verdict.reasons if reason.stage is Stage.CLASS and reason.subject == row.name]
    message = f"{written.outcome}: change {written.delta} points ({written.interval}), tolerance {written.tolerance}"
    return _case(row.name, "class", message, [_told(reason) for reason in found], row.outcome)
