"""What each tool's log seems to say and does not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.readers.around import Around, faults, read

PASS_IS_SAFE = {"attack_success_when": {"equals": [False]}, "attack_failure_when": {"equals": [True]}}
SCORE = {"attack_success_when": {"at_least": 0.5, "at_most": 1}, "attack_failure_when": {"at_least": 0, "below": 0.5}}
HIT = {"attack_success_when": {"equals": [True]}, "attack_failure_when": {"equals": [False]}}


def unknown_of(folder: Path, source: str) -> list[tuple[str, str]]:
    return [
        (status, reason) for _, status, reason, n in read(folder, source).tally.unlabelled.iter_rows() for _ in range(n)
    ]


# -- promptfoo ---------------------------------------------------------------------------------------------------------


def promptfoo(folder: Path, results: list[dict] | Path, name: str = "r.json", trials: int = 1, **outcome) -> str:
    around = Around(folder, {f"s-{i:02}": "leak" for i in range(20)}, trials=trials)
    if isinstance(results, Path):
        shutil.copy(results, folder / name)
    else:
        (folder / name).write_text(json.dumps({"results": {"version": 3, "results": results}}))
    stated = (
        {}
        if name.endswith(".jsonl") or not isinstance(results, Path)
        else {"run_id": None, "trials_per_scenario": None}
    )
    if isinstance(results, Path) and name.endswith(".json"):
        at = json.loads(results.read_bytes())["results"]["timestamp"]
        stated |= {"started_at": None, "finished_at": at, "sandbox__measured_at": at}
    part = {"classes": {"constant": "leak"}, "outcome": {"scenario": "metadata.scenario", **PASS_IS_SAFE, **outcome}}
    around.declare(name, part, around.run("p", policy__name=None, **stated))
    return f"promptfoo:{name}"


def result(number: int = 0, **changes) -> dict:
    graded = {
        "pass": True,
        "componentResults": [{"pass": True, "reason": "", "assertion": {"type": "x", "metric": "m"}}],
    }
    whole = {
        "testIdx": number,
        "promptIdx": 0,
        "success": True,
        "failureReason": 0,
        "provider": {"id": "p"},
        "prompt": {"label": "{{q}}"},
        "response": {"output": "No."},
        "gradingResult": graded,
        "testCase": {"metadata": {"scenario": f"s-{number:02}"}},
    }
    return whole | changes


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"response": {"output": None}}, ("error", "no-output")),
        ({"response": None}, ("error", "no-output")),
        ({"failureReason": 2, "error": "boom"}, ("error", "provider-error")),
        ({"gradingResult": None, "error": "boom"}, ("error", "provider-error")),
        ({"gradingResult": None}, ("unparsed", "no-grade")),
        ({"gradingResult": {"pass": True, "reason": "No assertions", "assertion": None}}, ("unparsed", "no-assertion")),
        (
            {
                "gradingResult": {
                    "pass": False,
                    "componentResults": [{"pass": False, "metadata": {"graderError": True}}],
                }
            },
            ("unparsed", "grader-error"),
        ),
        (
            {
                "gradingResult": {
                    "pass": False,
                    "componentResults": [{"pass": False, "reason": "Custom function threw error: x"}],
                }
            },
            ("unparsed", "assertion-crashed"),
        ),
        ({"gradingResult": {"pass": 0.5, "componentResults": [{"pass": True}]}}, ("unparsed", "off-menu")),
    ],
)
def test_promptfoos_success_is_not_believed(tmp_path, change, expected):
    source = promptfoo(tmp_path / "w", [result(), result(1, **change)])
    assert [expected] == unknown_of(tmp_path / "w", source)


def test_promptfoos_error_that_is_an_assertions_reason_is_a_grade(tmp_path):
    failed = {"pass": False, "componentResults": [{"pass": False, "reason": "told"}]}
    source = promptfoo(tmp_path / "w", [result(error="told", failureReason=1, success=False, gradingResult=failed)])
    assert read(tmp_path / "w", source).tally.per_scenario["n_success"].sum() == 1


def test_two_prompts_or_providers_are_two_policies(tmp_path):
    two = [result(), result(prompt={"label": "other"}, promptIdx=1)]
    assert "one prompt, or outcome.prompt" in faults(tmp_path / "w", promptfoo(tmp_path / "w", two))
    source = promptfoo(tmp_path / "w2", two, prompt="other")
    assert read(tmp_path / "w2", source).tally.n_rows == 1
    two = [result(), result(provider={"id": "q"})]
    assert "one provider, or outcome.provider" in faults(tmp_path / "w3", promptfoo(tmp_path / "w3", two))


def test_one_assertion_of_several_can_be_the_outcome(tmp_path):
    parts = [{"pass": False, "assertion": {"metric": "m"}}, {"pass": True, "assertion": {"metric": "style"}}]
    graded = [result(gradingResult={"pass": False, "componentResults": parts})]
    for number, (metric, leaks) in enumerate((("m", 1), ("style", 0))):
        source = promptfoo(tmp_path / str(number), graded, assertion=metric)
        assert leaks == read(tmp_path / str(number), source).tally.per_scenario["n_success"].sum()
    assert unknown_of(tmp_path / "3", promptfoo(tmp_path / "3", graded, assertion="none")) == [
        ("unparsed", "no-assertion")
    ]


@pytest.mark.slow
def test_the_real_promptfoos_errors_crashes_and_tests_without_assertions_are_unknown(tmp_path, promptfoo_results):
    expected = {
        "errors": [("error", "provider-error")],
        "unasserted": [("unparsed", "no-assertion")] * 3,
        "crashing": [("unparsed", "assertion-crashed")] * 3,
    }
    for name, unknown in expected.items():
        source = promptfoo(tmp_path / name, promptfoo_results / f"{name}.json")
        assert unknown == unknown_of(tmp_path / name, source), name


@pytest.mark.slow
def test_the_real_promptfoos_two_formats_have_the_same_trials(tmp_path, promptfoo_results):
    seen = []
    for name in ("success.json", "success.jsonl"):
        source = promptfoo(tmp_path / name, promptfoo_results / name, name, trials=3)
        seen.append(read(tmp_path / name, source).tally.per_scenario)
    assert (seen[0]["n_scored"].sum(), seen[0]["n_success"].sum()) == (60, 12)
    assert seen[0].equals(seen[1])


# -- garak -------------------------------------------------------------------------------------------------------------


def garak(folder: Path, entries: list[dict], trials: int = 1, **outcome) -> str:
    around = Around(folder, {f"p.P/{i}": "leak" for i in range(5)}, trials=trials)
    (folder / "g.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    stated = dict.fromkeys(("status", "judge__requested"))
    whole = {"scenario": "seq", "detectors": {"p.P": "d.D"}} | SCORE | outcome
    around.declare("g.jsonl", {"classes": {"constant": "leak"}, "outcome": whole}, around.run("p", **stated))
    return "garak:g.jsonl"


def attempt(seq: int, scores: list | None, status: int = 2, **changes) -> dict:
    results = {} if scores is None else {"d.D": scores}
    whole = {"entry_type": "attempt", "uuid": f"u{seq}", "seq": seq, "status": status, "probe_classname": "p.P"}
    outputs = [{"text": "x"}] * len(scores or [1])
    return whole | {"prompt": f"attack {seq}", "outputs": outputs, "detector_results": results} | changes


DONE = {"entry_type": "completion", "end_time": "2026-11-28T10:00:00"}


def test_a_garak_attempt_that_is_there_twice_is_one(tmp_path):
    entries = [attempt(0, None, 1), attempt(1, None, 1), attempt(0, [1.0]), attempt(1, [0.0]), DONE]
    run = read(tmp_path / "w", garak(tmp_path / "w", entries))
    assert (run.tally.n_rows, run.tally.per_scenario["n_success"].sum(), run.declaration.status) == (2, 1, "complete")


def test_a_garak_report_without_its_completion_is_of_an_interrupted_run(tmp_path):
    assert read(tmp_path / "w", garak(tmp_path / "w", [attempt(0, [1.0])])).declaration.status == "error"


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (attempt(0, None, 1), ("cancelled", "not-evaluated")),
        (attempt(0, [None]), ("unparsed", "no-score")),
        (attempt(0, None), ("unparsed", "no-score")),
        (attempt(0, [1.0], outputs=[None]), ("error", "no-output")),
        (attempt(0, [1.0], outputs=[{"text": None}]), ("error", "no-output")),
        (attempt(0, [[1.0]]), ("unparsed", "off-menu")),
        (attempt(0, [1.5]), ("unparsed", "off-menu")),
        (attempt(0, [True]), ("unparsed", "off-menu")),
    ],
)
def test_what_garak_leaves_out_of_its_totals_is_unknown_here(tmp_path, entry, expected):
    assert [expected] == unknown_of(tmp_path / "w", garak(tmp_path / "w", [entry, attempt(1, [0.0]), DONE]))


def test_a_probe_without_a_declared_detector_is_refused_unless_it_is_left_out(tmp_path):
    entries = [attempt(0, [1.0]), attempt(0, [1.0], probe_classname="q.Q", uuid="v"), DONE]
    assert "the probes ['q.Q']" in faults(tmp_path / "w", garak(tmp_path / "w", entries))
    assert read(tmp_path / "2", garak(tmp_path / "2", entries, left_out_probes=["q.Q"])).tally.n_rows == 1


def test_the_old_and_the_new_form_of_a_prompt_are_the_same_scenario(tmp_path):
    new = {"turns": [{"role": "user", "content": {"text": "attack 0", "lang": "en"}}]}
    ids = []
    for number, prompt in enumerate(("attack 0", new)):
        folder = tmp_path / str(number)
        source = garak(folder, [attempt(0, [1.0], prompt=prompt), DONE], scenario="prompt")
        ids.append(read(folder, source).tally.per_scenario["scenario_id"][0])
    assert ids[0] == ids[1]


# -- AgentDojo ---------------------------------------------------------------------------------------------------------


def agentdojo(folder: Path, episodes: list[dict], place: str | None = None) -> str:
    around = Around(folder, {f"banking/user_task_{i}/injection_task_0": "leak" for i in range(5)})
    for episode in episodes:
        attack = episode["attack_type"] or "none"
        path = folder / "runs" / "p" / episode["suite_name"] / episode["user_task_id"] / attack
        path.mkdir(parents=True, exist_ok=True)
        (path / (place or f"{episode['injection_task_id'] or 'none'}.json")).write_text(json.dumps(episode))
    part = {"classes": {"field": "suite_name", "values": {"banking": "leak"}}, "outcome": {"attack": "direct"} | HIT}
    around.declare("runs", part, around.run("p", policy__name=None, judge__requested=None))
    return "agentdojo:runs"


def episode(number: int = 0, **changes) -> dict:
    whole = {
        "suite_name": "banking",
        "pipeline_name": "p",
        "user_task_id": f"user_task_{number}",
        "injection_task_id": "injection_task_0",
        "attack_type": "direct",
        "benchmark_version": "v1.2.1",
    }
    return whole | {"messages": [], "error": None, "utility": True, "security": False} | changes


def test_security_true_is_an_attack_that_worked(tmp_path):
    run = read(tmp_path / "w", agentdojo(tmp_path / "w", [episode(security=True), episode(1)]))
    assert (run.tally.n_rows, run.tally.per_scenario["n_success"].sum()) == (2, 1)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"error": "rate limit", "security": True}, ("error", "episode-error")),
        ({"security": None}, ("cancelled", "not-finished")),
        ({"security": "true"}, ("unparsed", "off-menu")),
        ({"security": 1}, ("unparsed", "off-menu")),
    ],
)
def test_an_episode_that_did_not_end_says_nothing(tmp_path, change, expected):
    source = agentdojo(tmp_path / "w", [episode(), episode(1, **change)])
    assert [expected] == unknown_of(tmp_path / "w", source)


def test_episodes_without_the_attack_are_set_aside_and_said(tmp_path):
    quiet = episode(2, attack_type=None, injection_task_id=None)
    run = read(tmp_path / "w", agentdojo(tmp_path / "w", [episode(), quiet]))
    assert (run.tally.n_rows, run.provenance.notes[0]) == (1, "1 episodes of the attack none are set aside")


def test_an_episode_that_lies_where_it_does_not_belong_is_refused(tmp_path):
    source = agentdojo(tmp_path / "w", [episode()], place="injection_task_7.json")
    assert "the episode that its place says" in faults(tmp_path / "w", source)


def test_episodes_of_two_pipelines_or_versions_are_not_one_run(tmp_path):
    for number, change in enumerate(({"pipeline_name": "q"}, {"benchmark_version": "v1"})):
        folder = tmp_path / str(number)
        assert "one for all episodes" in faults(folder, agentdojo(folder, [episode(), episode(1, **change)]))


def test_a_folder_without_episodes_is_refused(tmp_path):
    around = Around(tmp_path / "w", {"a": "leak"})
    (around.folder / "runs").mkdir()
    part = {"classes": {"constant": "leak"}, "outcome": {"attack": "direct"} | HIT}
    around.declare("runs", part, around.run("p"))
    assert "0 files" in faults(around.folder, "agentdojo:runs")
