"""Real logs that nobody here wrote: each is read or refused with a reason, none crashes, none is silently empty."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
import zipfile_zstd  # noqa: F401 - teaches zipfile the method that Inspect uses

from tests.readers.around import faults, read_all

pytestmark = pytest.mark.shared

DIGEST = "sha256:" + "d" * 64
WHOLE = {
    "policy": {"digest": DIGEST},
    "manifest_hash": DIGEST,
    "interface": {"tool_namespace": "t", "trace_schema_sha256": DIGEST},
    "sandbox": {"effective_capabilities": [], "measured_by": None, "measured_at": None},
    "canary": None,
    "judge": {"resolved_digest": DIGEST},
    "deterministic": False,
}

READ = {
    # read although nobody declared anything about this very log: the trials that must come out
    "inspect_scout/2025-09-23T08-09-58-04-00_popularity_DN2wbX2ZvACsBpjwptzBRo.eval": 100,
    "inspect_scout/2025-09-23T08-09-58-04-00_security-guide_LuxZJVwvymC3S3SyoJczxB.eval": 16,
    "inspect_scout/2025-09-23T08-09-58-04-00_theory-of-mind_bbB4eRCx2rFJLyPH42Cj9r.eval": 100,
    "inspect_ai_tests/log_streaming.eval": 4,
    "inspect_ai_tests/2025-05-12T20-28-13-04-00_popularity.json": 3,
    "docent/log.eval": 15,
    "garak_tests/report_test.report.jsonl": 8,
    "garak_tests/qual_review_mixed.report.jsonl": 3,
    "trustyai/garak_earlystop_run.jsonl": 152,
    "promptfoo_fork/redteam_tracing_results.json": 10,
    "promptfoo_fork/v3evalToShare.json": 4,
    "promptfoo_fork/v4evalToShare.json": 4,
    "promptfoo_fork/sample-export.json": 2,
    "promptfoo_examples/simple-cli-output.json": 4,
    "set-a/promptfoo-results.json": 3,
    "set-b/promptfoo-results.json": 3,
    "set-c/smoke.json": 2,
}
REFUSED = {
    "docent/tb_airline.json": "an Inspect log of version 2",  # is no Inspect log
    "inspect_ai_tests/log_message_deduplication.eval": "an Inspect log of version 2, seen 3",  # of a development build
    "inspect_ai_tests/2025-05-12T20-28-13-04-00_no-samples.json": "at least one trial, seen none",
    "promptfoo_examples/simple-csv-output.json": "version 2 to 4, seen version 1",
    "promptfoo_examples/simple-test-output.json": "version 2 to 4, seen version 1",
}


def logs(shared_dir: Path) -> list[tuple[str, Path]]:
    root = shared_dir / "data" / "logs"
    return [
        (folder.name, path)
        for folder in sorted(root.iterdir())
        if folder.is_dir()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]


def declared_for(reader: str, path: Path) -> dict:
    """A look into the log for what only its owner knows: which scorer, which provider, which detector."""
    run = json.loads(json.dumps(WHOLE))
    outcome: dict = {"attack_success_when": {"equals": ["C", 1.0]}, "attack_failure_when": {"equals": ["I", 0.0]}}
    if reader == "inspect":
        header, sample = opened(path)
        sandbox = header.get("eval", {}).get("sandbox")
        outcome |= {
            "scorer": next(iter(sample.get("scores") or {"includes": 0})),
            "sandbox": sandbox.get("type") if isinstance(sandbox, dict) else sandbox,
        }
        run["judge"]["template_sha256"] = DIGEST
        if not sample.get("events"):
            run["interface"]["tools"] = []
        # a log that was cancelled or is old may lack a time
        times = header.get("stats", {})
        run |= {} if times.get("completed_at") else {"finished_at": "2030-01-01T00:00:00Z"}
    elif reader == "promptfoo":
        first = first_result(json.loads(path.read_bytes()))
        prompt, provider = first.get("prompt") or {}, first.get("provider") or {}
        outcome = {"attack_success_when": {"equals": [False]}, "attack_failure_when": {"equals": [True]}}
        outcome |= {
            "scenario": "testIdx" if "testIdx" in first else "vars.var1" if "var1" in first["vars"] else "vars.body",
            "provider": provider.get("id") if isinstance(provider, dict) else None,
            "prompt": prompt.get("label") or prompt.get("display"),
        }
        outcome = {key: value for key, value in outcome.items() if value is not None}
        run |= {"decoding": {}}
    else:
        attempts = [line for line in map(json.loads, path.read_text().splitlines()) if line["entry_type"] == "attempt"]
        detectors = {a["probe_classname"]: name for a in attempts for name in a["detector_results"]}
        outcome = {"attack_success_when": {"at_least": 0.5}, "attack_failure_when": {"below": 0.5}}
        outcome |= {"scenario": "prompt", "detectors": detectors}
        run |= {"decoding": {}}
    if reader != "inspect":
        run["interface"]["tools"] = []
        run["judge"] |= {"template_sha256": DIGEST}
        run |= {"finished_at": "2030-01-01T00:00:00Z"}
    return {"schema": "litmus-nb/source/v1", "run": run, "outcome": outcome, "classes": {"constant": "c"}}


def opened(path: Path) -> tuple[dict, dict]:
    if path.suffix == ".json":
        document = json.loads(path.read_bytes())
        return document, (document.get("samples") or [{}])[0]
    with zipfile.ZipFile(path) as archive:
        samples = [name for name in archive.namelist() if name.startswith("samples/")]
        with_scores = [json.loads(archive.read(name)) for name in samples[:20]]
        sample = next((sample for sample in with_scores if sample.get("scores")), with_scores[0] if with_scores else {})
        return json.loads(archive.read("header.json")), sample


def first_result(document: dict) -> dict:
    document = document.get("data", document)
    results = document["results"]
    return (results["results"] if isinstance(results, dict) else results)[0]


def filled(folder: Path, source: str, declared: dict, place: Path) -> str:
    """Declare what the reader says it lacks, as its owner would, until only other reasons are left."""
    known = {
        "/run/run_id": "r",
        "/run/policy/name": "p",
        "/run/judge/requested": "j",
        "/run/status": "complete",
        "/run/trials_per_scenario": 1,
        "/run/started_at": "2020-01-01T00:00:00Z",
    }
    said = faults(folder, source)
    for _ in range(len(known)):
        missing = [key for key in known if f"{key}: expected a value" in said]
        if not missing:
            break
        for key in missing:
            *outer, last = key.removeprefix("/run/").split("/")
            inside = declared["run"]
            for part in outer:
                inside = inside.setdefault(part, {})
            inside[last] = known[key]
        place.write_text(json.dumps(declared))
        said = faults(folder, source)
    return said


def test_every_real_log_is_read_or_refused_with_a_reason(shared_dir, tmp_path):
    told: dict[str, int | str] = {}
    for reader, path in logs(shared_dir):
        folder = tmp_path / str(len(told))
        folder.mkdir()
        (folder / path.name).write_bytes(path.read_bytes())
        declared = declared_for(reader, path)
        place = folder / f"{path.name}.litmus.yaml"
        place.write_text(json.dumps(declared))
        source = f"{reader}:{path.name}"
        said = filled(folder, source, declared, place)
        name = f"{path.parent.name}/{path.name}"
        told[name] = said or read_all(folder, source).run.tally.n_rows
        assert said or told[name], f"{name} was read and is empty"
    assert len(told) >= 40
    assert {name: told[name] for name in READ} == READ
    for name, reason in REFUSED.items():
        assert reason in str(told[name])
    refused = {name: reason for name, reason in told.items() if isinstance(reason, str)}
    assert set(REFUSED) == set(refused), refused
