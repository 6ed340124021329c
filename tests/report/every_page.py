"""Every page that there is, written once: each state of the gate, preflight, drift, incidents, a whole site."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl

from litmus_nb.contracts.drift import DriftReport, Question
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.report import ReportFacts
from litmus_nb.drift.investigation import investigate
from litmus_nb.driver.preflight import run_preflight
from litmus_nb.evidence.labels import label_table
from litmus_nb.incidents import INCIDENTS
from litmus_nb.incidents.replay import replay
from litmus_nb.report.drift_page import render_drift_page
from litmus_nb.report.exploration_page import exploration_html, render_exploration_page
from litmus_nb.report.page import render_gate_page
from litmus_nb.report.site.publish import publish
from litmus_nb.worlds.judging import JudgingPlan, made_labels
from tests.admission.planned import planned_world, put
from tests.exploration.test_hostile import exploration
from tests.report.test_hostile_page import facts_with, harmless
from tests.report.test_site import leave
from tests.report.verdicts import STATES, a_fail

TODAY = date(2026, 11, 30)
_DRIFT = {"changed": 0.4, "steady": None}
_INCIDENTS = tuple(INCIDENTS)[:3]

NAMES = [
    *STATES,
    "bare",
    "preflight",
    *(f"drift-{name}" for name in (*_DRIFT, "unknown")),
    "incidents",
    "exploration",
    "exploration-panel",
    "site-index",
    "site-suite",
    "site-verdicts",
]


def drift_report(missed: float | None, *, seed: int = 1) -> DriftReport:
    """An investigation of made labels: the judge begins to miss that share of one class's successes, or nothing."""
    classes = {
        name: {"prefix": name, "anchors": 60, "positive": 0.5, "scenarios": 40, "rate": 0.4}
        for name in ("prompt-injection", "tool-misuse")
    }
    changes = [] if missed is None else [{"day": "2026-10-20", "missed": {"tool-misuse": missed}}]
    plan = {
        "schema": "litmus-nb/judging-world/v1", "seed": seed, "classes": classes, "requested": "judge",
        "artefact": "judge-1", "humans": ["ann", "bo", "cy"], "borderline": 0.1, "judge_error": 0.02,
        "human_error": 0.03, "pinned_on": "2026-09-01", "pinned_judgements": 2, "first_run": "2026-09-08", "runs": 10,
        "judgements": 2, "changes": changes, "baseline": "agent-6", "candidate": "agent-7", "trials": 1,
    }  # fmt: skip
    labels = made_labels(JudgingPlan.model_validate(plan))
    return investigate(labels, Question(baseline="agent-6", candidate="agent-7"))


def undecided_drift_report() -> DriftReport:
    """An investigation of labels of one judge alone, whom nothing can be compared with."""
    rows = [
        {"item_id": f"i-{n}", "scenario_class": "tool-misuse", "rater": "judge", "rater_kind": "judge",
         "rater_digest": None, "label": n % 2 == 0, "run_id": None}
        for n in range(10)
    ]  # fmt: skip
    return investigate(label_table(pl.DataFrame(rows)), Question())


def write_pages(folder: Path) -> dict[str, Path]:
    """Every page by its name."""
    written = {}
    for name, make in STATES.items():
        written[name] = folder / f"{name}.html"
        written[name].write_text(render_gate_page(facts_with(harmless, make(), 8)), encoding="utf-8")
    written["bare"] = folder / "bare.html"
    written["bare"].write_text(render_gate_page(ReportFacts(verdict=a_fail())), encoding="utf-8")
    written["preflight"] = preflight_page(folder / "planned")
    reports = {f"drift-{name}": drift_report(missed) for name, missed in _DRIFT.items()}
    for name, report in (reports | {"drift-unknown": undecided_drift_report()}).items():
        written[name] = folder / f"{name}.html"
        written[name].write_text(render_drift_page(report), encoding="utf-8")
    written["incidents"] = folder / "incidents.html"
    written["incidents"].write_text(in_a_notebook([replay(name)._repr_html_() for name in _INCIDENTS]))
    seen = exploration(harmless, 8)
    written["exploration"] = folder / "exploration.html"
    written["exploration"].write_text(render_exploration_page(seen), encoding="utf-8")
    written["exploration-panel"] = folder / "exploration-panel.html"
    written["exploration-panel"].write_text(in_a_notebook([exploration_html(seen)]), encoding="utf-8")
    return written | site_pages(folder)


def preflight_page(folder: Path) -> Path:
    """What a refusal before the run leaves."""
    world = planned_world()
    world.candidate.declaration["interface"]["tool_namespace"] = "terminal"
    world.candidate.declaration["sandbox"]["effective_capabilities"].append("net.egress")
    put(world, folder)
    params = GateParams(
        gate=str(folder / "gate.yaml"), candidate=str(folder / "candidate"), output_dir=str(folder / "out")
    )
    run_preflight(params, as_of=world.as_of, private_key=None)
    return folder / "out" / "report.html"


def in_a_notebook(fragments: list[str]) -> str:
    """Fragments as the outputs of a notebook's cells, in the reader's own scheme as JupyterLab has it."""
    dark = "@media (prefers-color-scheme: dark) { body { background: #111; color: #eee; } }"
    style = f"body {{ margin: 1rem; background: #fff; color: #212121; }} {dark}"
    meta = "<meta charset=utf-8><meta name=viewport content='width=device-width, initial-scale=1'>"
    outputs = "".join(f"<section>{fragment}</section>" for fragment in fragments)
    return (
        f"<!doctype html><html lang=en><head>{meta}<title>a notebook</title><style>{style}</style></head>"
        f"<body><main><h1>Incidents</h1>{outputs}</main></body></html>"
    )


def site_pages(folder: Path) -> dict[str, Path]:
    """The pages of a site of thirty verdicts on two suites."""
    reports, site = folder / "reports", folder / "site"
    makers = list(STATES.values())
    for number in range(30):
        verdict = makers[number % len(makers)]()
        execution = verdict.execution.model_copy(
            update={"run_id": f"run-{number}", "as_of": f"2026-11-{number + 1:02}"}
        )
        leave(reports / str(number), verdict.model_copy(update={"execution": execution}), suite=f"suite-{number % 2}")
    publish(reports, site, today=TODAY)
    suite = sorted((site / "suites").glob("*.html"))[0]
    return {"site-index": site / "index.html", "site-suite": suite, "site-verdicts": site / "verdicts.html"}
