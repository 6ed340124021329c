"""Published results that nobody here made, through the table reader, the gate and the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from litmus_nb.cli.import_run import command as import_command
from tests.readers.around import Around, codes, read

pytestmark = pytest.mark.shared

AGENTDOJO = "agentdojo_important_instructions_97.csv"
JBB = "jbb_artifacts.csv"
OLD, NEW = "claude-3-5-sonnet-20240620", "claude-3-5-sonnet-20241022"
LABELS = {"attack_success_when": {"equals": ["1"]}, "attack_failure_when": {"equals": ["0"]}}


def rows_of(path: Path, **columns: str) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return [row for row in csv.DictReader(stream) if all(row[name] == value for name, value in columns.items())]


def agentdojo(folder: Path, extracts: Path, *, deterministic: bool) -> Around:
    table = extracts / AGENTDOJO
    rows = rows_of(table, config=OLD, attack="important_instructions")
    ids = ["/".join((row["suite"], row["user_task"], row["injection_task"])) for row in rows]
    around = Around(folder, dict.fromkeys(ids, "prompt-injection"))
    for name in (OLD, NEW):
        (folder / f"{name}.csv").write_bytes(table.read_bytes())
        around.declare(
            f"{name}.csv",
            {
                "classes": {"constant": "prompt-injection"},
                "outcome": {
                    **LABELS,
                    "scenario": ["suite", "user_task", "injection_task"],
                    "label": "attack_success",
                    "rows": {"config": name, "attack": "important_instructions"},
                },
            },
            around.run(name, deterministic=deterministic),
        )
    return around


def jailbreaks(folder: Path, extracts: Path, label: str) -> Around:
    models = {"vicuna": "vicuna-13b-v1.5", "gpt35": "gpt-3.5-turbo-1106"}
    rows = rows_of(extracts / JBB, method="PAIR", model=models["vicuna"])
    around = Around(folder, dict.fromkeys([row["behavior_index"] for row in rows], "jailbreak"))
    for name, model in models.items():
        (folder / f"{name}.csv").write_bytes((extracts / JBB).read_bytes())
        outcome = {**LABELS, "scenario": "behavior_index", "label": label, "rows": {"method": "PAIR", "model": model}}
        around.declare(
            f"{name}.csv",
            {"classes": {"constant": "jailbreak"}, "outcome": outcome},
            around.run(name, deterministic=True),
        )
    return around


@pytest.fixture
def extracts(shared_dir: Path) -> Path:
    return shared_dir / "data" / "extracts"


def test_the_newer_sonnet_passes_against_the_older_one(tmp_path, extracts):
    around = agentdojo(tmp_path, extracts, deterministic=True)
    around.pin(f"table:{OLD}.csv")
    verdict = around.verdict(f"table:{NEW}.csv")
    (row,) = verdict.classes
    assert (verdict.verdict, row.n) == ("PASS", 97)
    assert pytest.approx((23 / 97, 3 / 97)) == (row.baseline_rate, row.candidate_rate)  # counted by the data's authors


def test_the_older_sonnet_fails_against_the_newer_one(tmp_path, extracts):
    around = agentdojo(tmp_path, extracts, deterministic=True)
    around.pin(f"table:{NEW}.csv")
    verdict = around.verdict(f"table:{OLD}.csv")
    assert ("FAIL", {"CLASS_REGRESSED"}) == (verdict.verdict, codes(verdict))
    assert pytest.approx(20 / 97) == verdict.classes[0].delta


def test_one_trial_of_a_policy_that_is_not_deterministic_decides_nothing(tmp_path, extracts):
    around = agentdojo(tmp_path, extracts, deterministic=False)
    around.pin(f"table:{OLD}.csv")
    verdict = around.verdict(f"table:{NEW}.csv")
    assert verdict.verdict == "NO_VERDICT"
    assert {"TOO_FEW_TRIALS", "LOW_AGREEMENT"} == codes(verdict)


@pytest.mark.parametrize(
    ("label", "vicuna", "gpt35", "state", "reasons"),
    [
        ("jailbroken_llama3_70b", 0.69, 0.71, "NO_VERDICT", {"INDETERMINATE"}),
        ("jailbroken_llama_guard1", 0.82, 0.76, "PASS", set()),
    ],
)
def test_the_same_responses_under_two_judges_give_two_verdicts(
    tmp_path, extracts, label, vicuna, gpt35, state, reasons
):
    """PAIR on vicuna against gpt-3.5: the judge alone turns an undecided comparison into a PASS."""
    around = jailbreaks(tmp_path, extracts, label)
    around.pin("table:vicuna.csv")
    verdict = around.verdict("table:gpt35.csv")
    (row,) = verdict.classes
    assert pytest.approx((vicuna, gpt35)) == (row.baseline_rate, row.candidate_rate)  # the authors' own table
    assert (state, reasons) == (verdict.verdict, codes(verdict))


def test_the_imported_run_folder_gives_the_verdict_of_the_log_itself(tmp_path, extracts):
    around = agentdojo(tmp_path, extracts, deterministic=True)
    for name in (OLD, NEW):
        arguments = ["table", str(tmp_path / f"{name}.csv"), "--suite", str(around.suite), "--to", str(tmp_path / name)]
        done = CliRunner().invoke(import_command, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        assert "97 trials of 97 scenarios" in done.output
    around.pin(f"table:{OLD}.csv")
    direct = around.verdict(f"table:{NEW}.csv")
    around.pin(OLD)
    imported = around.verdict(NEW)
    assert direct.classes == imported.classes
    assert direct.verdict == imported.verdict
    provenance = json.loads((tmp_path / NEW / "provenance.json").read_bytes())
    assert read(tmp_path, f"table:{NEW}.csv").digest == provenance["source_digest"]
    assert provenance["polarity"]["attack_success_when"] == "= '1'"
