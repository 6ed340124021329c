"""AgentDojo's seventeen published configurations, each explored against the first: counts that others published."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from litmus_nb.outcome.exploration import explored, read_sides

pytestmark = pytest.mark.shared

KNOWN = {
    "claude-3-5-sonnet-20240620": 23,
    "claude-3-5-sonnet-20241022": 3,
    "claude-3-haiku-20240307": 8,
    "claude-3-opus-20240229": 7,
    "gemini-1-5-flash-001": 9,
    "gemini-1-5-flash-002": 0,
    "gpt-4-0125-preview": 33,
    "gpt-4o-mini-2024-07-18": 21,
    "gpt-4o-2024-05-13-transformers_pi_detector": 5,
}
"""Attack successes of 97, as the README beside the data gives them."""

DECLARED = """schema: litmus-nb/source/v1
run: {{deterministic: true}}
classes: {{field: suite}}
outcome:
  scenario: [suite, user_task, injection_task]
  label: attack_success
  rows: {{config: {config}, attack: important_instructions}}
  attack_success_when: {{equals: ["1"]}}
  attack_failure_when: {{equals: ["0"]}}
"""


def test_seventeen_configurations_in_one_loop(shared_dir: Path, tmp_path: Path) -> None:
    table = shared_dir / "data/extracts/agentdojo_important_instructions_97.csv"
    if not table.exists():
        pytest.skip(f"no AgentDojo extract at {table}")
    with table.open(encoding="utf-8") as stream:
        configs = sorted({row["config"] for row in csv.DictReader(stream)})
    (tmp_path / "all.csv").write_bytes(table.read_bytes())
    for config in configs:
        text = DECLARED.format(config=config).replace("run:", "logs: [all.csv]\nrun:", 1)
        (tmp_path / f"{config}.litmus.yaml").write_text(text)
    sources = {config: f"table:{tmp_path / config}.litmus.yaml" for config in configs}
    counts: dict[str, int] = {}
    for config in configs:
        first, second, _ = read_sides(sources[configs[0]], sources[config], suite=None, declarations=None)
        seen = explored(first, second)
        assert [row.n for row in seen.classes] == [16, 21, 20, 40]
        rates = [(row.rates.candidate, row.n) for row in seen.classes]
        counts[config] = round(sum(rate * n for rate, n in rates if rate is not None))
        moved = sum(round((row.delta or 0) * row.n) for row in seen.classes)
        assert counts[config] - counts[configs[0]] == moved
        flips = sum(1 if flip.candidate_rate else -1 for flip in seen.flips)
        assert flips == moved
    assert len(counts) == 17
    assert {name: counts[name] for name in KNOWN} == KNOWN
