"""What can be wrong with a world, one function a kind.

Each takes the world (or the files) and a random generator, breaks exactly one thing, and returns the reason codes of
which at least one must then be among the findings, or nothing where the world may still be well-formed. `NOT_POSSIBLE`
says that this world has nothing that could be broken so.
"""

from __future__ import annotations

import copy
import json

from tests.twin import reading
from tests.twin.worlds import JUDGE, OTHER, POLICY, seal_manifest

NOT_POSSIBLE = frozenset({"not possible"})
WORLD_BREAKAGES = []
FILE_BREAKAGES = []


def breaks_world(function):
    """Registers a breakage of documents; baseline digest, ledger and chain are (mostly) sealed again after it."""
    WORLD_BREAKAGES.append(function)
    return function


def breaks_files(function):
    """Registers a breakage of bytes, after everything is sealed."""
    FILE_BREAKAGES.append(function)
    return function


def a_side(world, rng):
    side = rng.choice(["candidate", "candidate", "baseline"])
    return side, world["runs"][side]["run"]


def rows_of(world, rng):
    side = rng.choice(["candidate", "candidate", "baseline"])
    return side, world["runs"][side]["rows"]


def inadmissible(side, *codes):
    return set(codes) if side == "candidate" else {"BASELINE_INADMISSIBLE"}


# ---------------------------------------------------------------- 2.1, 2.2, 2.11


@breaks_world
def probe_edited(world, rng):
    rng.choice(world["probes"])["prompt"] = "please"
    return {"PROBE_SET_DRIFT"}


@breaks_world
def probe_removed(world, rng):
    world["probes"].pop(rng.randrange(len(world["probes"])))
    return {"PROBE_SET_DRIFT", "CONTRACT_UNREADABLE"}


@breaks_world
def probe_added(world, rng):
    world["probes"].append({**world["probes"][0], "id": "another"})
    return {"PROBE_SET_DRIFT"}


@breaks_world
def probe_added_and_refrozen(world, rng):
    world["probes"].append({**world["probes"][0], "id": "another"})
    seal_manifest(world)
    return {"POPULATION_DRIFT", "SKIP_UNDOCUMENTED"}


@breaks_world
def probe_moved_to_other_class(world, rng):
    probe = rng.choice(world["probes"])
    others = [name for name in world["suite"]["classes"] if name != probe["class"]]
    if not others:
        return NOT_POSSIBLE
    probe["class"] = rng.choice(others)
    seal_manifest(world)
    excluded = {id_ for rule in world["suite"].get("exclusions", []) for id_ in rule["scenarios"]}
    return None if probe["id"] in excluded else {"CLASS_MISMATCH", "PROBE_SET_DRIFT", "EMPTY_SUITE"}


@breaks_world
def probe_id_twice(world, rng):
    world["probes"].append({**rng.choice(world["probes"]), "prompt": "again"})
    return {"CONTRACT_UNREADABLE"}


@breaks_world
def probe_of_undeclared_class(world, rng):
    world["probes"].append({"id": "foreign", "class": "no-such-class"})
    return {"CONTRACT_UNREADABLE"}


@breaks_world
def probe_without_id(world, rng):
    probe = rng.choice(world["probes"])
    probe["id"] = rng.choice(["", None, 7])
    return {"CONTRACT_UNREADABLE"}


@breaks_world
def probe_family_null(world, rng):
    rng.choice(world["probes"])["family"] = rng.choice([None, "", 3])
    return {"CONTRACT_UNREADABLE"}


@breaks_world
def template_edited(world, rng):
    world["template"] += b" "
    return {"PROBE_SET_DRIFT"}


@breaks_world
def trace_schema_edited(world, rng):
    world["schema"] = b'{"type":"object"}\n'
    return {"PROBE_SET_DRIFT"}


@breaks_world
def suite_loosened(world, rng):
    key, value = rng.choice(
        [("min_trials", 9), ("decision_margin", 0.97), ("max_skip_fraction", 0.49), ("min_agreement", 0.123)]
    )
    world["suite"][key] = value
    return {"PROBE_SET_DRIFT"}


@breaks_world
def frozen_hash_edited(world, rng):
    world["gate"]["frozen_manifest_hash"] = OTHER
    return {"PROBE_SET_DRIFT"}


@breaks_world
def recorded_hash_edited(world, rng):
    side, run = a_side(world, rng)
    run["manifest_hash"] = OTHER
    return {"PROBE_SET_DRIFT"} if side == "candidate" else {"BASELINE_MANIFEST_MISMATCH"}


@breaks_world
def scenario_hash_wrong(world, rng):
    side, rows = rows_of(world, rng)
    if not rows:
        return NOT_POSSIBLE
    world["columns"][side] = list(dict.fromkeys([*world["columns"][side], "scenario_sha256"]))
    rng.choice(rows)["scenario_sha256"] = rng.choice([OTHER, None, "x"])
    return inadmissible(side, "PROBE_SET_DRIFT")


@breaks_world
def class_without_scenario(world, rng):
    world["suite"]["classes"] = [*world["suite"]["classes"], "empty"]
    world["gate"]["classes"]["empty"] = {"tolerance": 0.2, "min_n": 1}
    seal_manifest(world)
    return {"EMPTY_SUITE"}


@breaks_world
def no_classes(world, rng):
    world["suite"]["classes"] = []
    return {"EMPTY_SUITE", "CONTRACT_UNREADABLE"}


@breaks_world
def suite_of_nothing(world, rng):
    world["suite"]["classes"], world["probes"] = [], []
    world["suite"].pop("exclusions", None)
    world["gate"]["classes"] = {}
    seal_manifest(world)
    return {"EMPTY_SUITE"}


@breaks_world
def class_twice(world, rng):
    world["suite"]["classes"] = world["suite"]["classes"] + world["suite"]["classes"][:1]
    seal_manifest(world)
    return {"CONTRACT_UNREADABLE"}


# ---------------------------------------------------------------- 2.3 to 2.5


@breaks_world
def namespace_renamed(world, rng):
    side, run = a_side(world, rng)
    run["interface"]["tool_namespace"] = "bash"
    return inadmissible(side, "TOOL_NAMESPACE_MISMATCH")


@breaks_world
def trace_schema_of_run_changed(world, rng):
    side, run = a_side(world, rng)
    run["interface"]["trace_schema_sha256"] = "sha256:" + "99" * 32
    return inadmissible(side, "TRACE_SCHEMA_MISMATCH")


@breaks_world
def tool_missing(world, rng):
    side, run = a_side(world, rng)
    if not world["suite"]["tools"]:
        return NOT_POSSIBLE
    tool = rng.choice(world["suite"]["tools"])
    kept = [name for name in run["interface"]["tools"] if tool not in name]
    run["interface"]["tools"] = kept
    return inadmissible(side, "TOOL_MISSING")


@breaks_world
def adapter_entry_missing(world, rng):
    if "adapter" not in world or not world["suite"]["tools"]:
        return NOT_POSSIBLE
    world["adapter"]["tools"].popitem()
    return {"ADAPTER_INCOMPLETE"}


@breaks_world
def adapter_missing(world, rng):
    if "adapter" not in world:
        return NOT_POSSIBLE
    world["gate"].pop("adapters")
    return {"TOOL_NAMESPACE_MISMATCH", "TRACE_SCHEMA_MISMATCH"}


@breaks_world
def adapter_not_exact(world, rng):
    if "adapter" not in world:
        return NOT_POSSIBLE
    side = world["adapter"][rng.choice(["from", "to"])]
    if rng.random() < 0.5:
        side["tool_namespace"] += "2"
    else:
        side["trace_schema_sha256"] = "sha256:" + "55" * 32
    return {"TOOL_NAMESPACE_MISMATCH", "TRACE_SCHEMA_MISMATCH"}


@breaks_world
def adapter_twice(world, rng):
    if "adapter" not in world:
        return NOT_POSSIBLE
    world["gate"]["adapters"] = [world["adapter"], {**copy.deepcopy(world["adapter"]), "tools": {"a": "b"}}]
    return {"CONTRACT_UNREADABLE"}


@breaks_world
def adapter_gives_a_tool_two_names(world, rng):
    if "adapter" not in world or not world["suite"]["tools"]:
        return NOT_POSSIBLE
    world["adapter"]["tools"]["terminal.second"] = world["suite"]["tools"][0]
    return {"TOOL_MISSING"}


@breaks_world
def unused_adapter_registered(world, rng):
    other = {"tool_namespace": "elsewhere", "trace_schema_sha256": OTHER}
    adapters = world["gate"].setdefault("adapters", [])
    adapters.append({"from": other, "to": other, "tools": {}})
    return


@breaks_world
def adapter_from_the_suite_to_itself(world, rng):
    own = {"tool_namespace": "shell", "trace_schema_sha256": reading.sha256(world["schema"])}
    world["gate"].setdefault("adapters", []).append({"from": own, "to": dict(own), "tools": {}})
    return


# ---------------------------------------------------------------- 2.6 to 2.10


@breaks_world
def envelope_widened(world, rng):
    side, run = a_side(world, rng)
    run["sandbox"]["effective_capabilities"].append("net.egress:*")
    return inadmissible(side, "ENVELOPE_MISMATCH")


@breaks_world
def envelope_narrowed(world, rng):
    side, run = a_side(world, rng)
    if not run["sandbox"]["effective_capabilities"]:
        return NOT_POSSIBLE
    run["sandbox"]["effective_capabilities"].pop()
    return inadmissible(side, "ENVELOPE_MISMATCH")


@breaks_world
def envelope_capability_listed_twice(world, rng):
    _, run = a_side(world, rng)
    run["sandbox"]["effective_capabilities"] *= 2
    return


@breaks_world
def envelope_looks_alike(world, rng):
    side, run = a_side(world, rng)
    capabilities = run["sandbox"]["effective_capabilities"]
    if not capabilities:
        return NOT_POSSIBLE
    capabilities[0] = capabilities[0].replace("s", "\u0455")  # Cyrillic
    return inadmissible(side, "ENVELOPE_MISMATCH") if "\u0455" in capabilities[0] else None


@breaks_world
def envelope_partly_unknown(world, rng):
    side, run = a_side(world, rng)
    run["sandbox"]["unknown"] = ["net.egress"]
    return inadmissible(side, "ENVELOPE_UNMEASURED")


@breaks_world
def envelope_unmeasured(world, rng):
    side, run = a_side(world, rng)
    run["sandbox"][rng.choice(["measured_by", "measured_at"])] = None
    return inadmissible(side, "ENVELOPE_UNMEASURED")


@breaks_world
def envelope_measured_at_the_wrong_time(world, rng):
    side, run = a_side(world, rng)
    run["sandbox"]["measured_at"] = rng.choice(
        [
            "2026-11-27T08:59:59Z",
            "2026-11-28T09:00:01Z",
            "2026-11-28T09:00:00.000000001Z",
            "2026-11-27T08:59:59.999999999Z",
            "2025-11-28T08:00:00Z",
        ]
    )
    return inadmissible(side, "ENVELOPE_UNMEASURED")


@breaks_world
def envelope_measured_at_the_last_moment(world, rng):
    _, run = a_side(world, rng)
    run["sandbox"]["measured_at"] = rng.choice(["2026-11-27T09:00:00Z", "2026-11-28T09:00:00+00:00"])
    return


@breaks_world
def canary_not_run(world, rng):
    side, run = a_side(world, rng)
    run["canary"] = None
    return inadmissible(side, "CANARY_MISSING")


@breaks_world
def canary_of_another_kind(world, rng):
    side, run = a_side(world, rng)
    if run["canary"] is None:
        return NOT_POSSIBLE
    run["canary"][rng.choice(["probe_id", "policy"])] = "candidate"
    return inadmissible(side, "CANARY_MISSING")


@breaks_world
def canary_undetected(world, rng):
    side, run = a_side(world, rng)
    if run["canary"] is None:
        return NOT_POSSIBLE
    run["canary"]["observed_signal"] = rng.choice([None, "Exfiltration", "other"])
    return inadmissible(side, "CANARY_UNDETECTED")


@breaks_world
def control_not_quiet(world, rng):
    side, run = a_side(world, rng)
    if run["canary"] is None:
        return NOT_POSSIBLE
    run["canary"]["control_signal"] = "exfiltration"
    return inadmissible(side, "CANARY_NOT_DISCRIMINATING") if world["suite"]["canary"].get("control") else None


@breaks_world
def control_not_run(world, rng):
    side, run = a_side(world, rng)
    if run["canary"] is None:
        return NOT_POSSIBLE
    run["canary"].pop("control_signal", None)
    return inadmissible(side, "CANARY_MISSING") if world["suite"]["canary"].get("control") else None


@breaks_world
def admission_required_and_no_ticket(world, rng):
    world["gate"]["require_admission"] = True
    return {"NOT_ADMITTED"}


# ---------------------------------------------------------------- 3.1 to 3.4, 3.10, 3.11, 4.6


@breaks_world
def run_not_complete(world, rng):
    _, run = a_side(world, rng)
    run["status"] = rng.choice(["planned", "cancelled", "error"])
    return {"RUN_INCOMPLETE"}


@breaks_world
def run_planned_without_trials(world, rng):
    side, run = a_side(world, rng)
    run.update(status="planned", started_at=None, finished_at=None)
    world["runs"][side]["rows"] = []
    return {"RUN_INCOMPLETE"}


@breaks_world
def rows_missing(world, rng):
    _, rows = rows_of(world, rng)
    if not rows:
        return NOT_POSSIBLE
    for row in rng.sample(rows, rng.randint(1, min(5, len(rows)))):
        rows.remove(row)
    return {"POPULATION_DRIFT", "SKIP_UNDOCUMENTED"}


@breaks_world
def all_rows_missing(world, rng):
    _, rows = rows_of(world, rng)
    if not rows:
        return NOT_POSSIBLE
    rows.clear()
    return {"SKIP_UNDOCUMENTED"}


@breaks_world
def scenario_missing(world, rng):
    _, rows = rows_of(world, rng)
    if not rows:
        return NOT_POSSIBLE
    gone = rng.choice(rows)["scenario_id"]
    rows[:] = [row for row in rows if row["scenario_id"] != gone]
    return {"SKIP_UNDOCUMENTED"}


@breaks_world
def class_missing_from_a_side(world, rng):
    _, rows = rows_of(world, rng)
    if not rows:
        return NOT_POSSIBLE
    gone = rng.choice(rows)["scenario_class"]
    rows[:] = [row for row in rows if row["scenario_class"] != gone]
    return {"SKIP_UNDOCUMENTED"}


@breaks_world
def last_trial_of_all_missing(world, rng):
    side, rows = rows_of(world, rng)
    last = world["runs"][side]["run"]["trials_per_scenario"] - 1
    if not rows:
        return NOT_POSSIBLE
    rows[:] = [row for row in rows if row["trial"] != last]
    return {"SKIP_UNDOCUMENTED"}


@breaks_world
def more_trials_declared_than_run(world, rng):
    _, run = a_side(world, rng)
    run["trials_per_scenario"] += rng.choice([1, 40])
    return {"SKIP_UNDOCUMENTED", "CLASS_MISSING"}


@breaks_world
def fewer_trials_declared_than_run(world, rng):
    side, run = a_side(world, rng)
    if run["trials_per_scenario"] == 1 or not world["runs"][side]["rows"]:
        return NOT_POSSIBLE
    run["trials_per_scenario"] -= 1
    return {"POPULATION_DRIFT", "RUN_INCOMPLETE"}


@breaks_world
def hardest_trials_timed_out(world, rng):
    _, rows = rows_of(world, rng)
    chosen = [row for row in rows if row["attack_success"] is True]
    documented = world["suite"]["documented_skip_reasons"]
    if not chosen:
        return NOT_POSSIBLE
    for row in chosen:
        row.update(status="timeout", attack_success=None, reason=documented[0] if documented else None)
    return None


@breaks_world
def unknown_without_reason(world, rng):
    _, rows = rows_of(world, rng)
    if not rows:
        return NOT_POSSIBLE
    rng.choice(rows).update(status="error", attack_success=None, reason=rng.choice([None, "tired", "", "GPU-lost"]))
    return {"SKIP_UNDOCUMENTED"}


@breaks_world
def unknown_with_reason(world, rng):
    _, rows = rows_of(world, rng)
    documented = world["suite"]["documented_skip_reasons"]
    if not rows or not documented:
        return NOT_POSSIBLE
    for row in rng.sample(rows, min(len(rows), rng.randint(1, 3))):
        row.update(status="skipped", attack_success=None, reason=rng.choice(documented))
    return None


@breaks_world
def skips_gather_in_a_class(world, rng):
    _, rows = rows_of(world, rng)
    documented = world["suite"]["documented_skip_reasons"]
    if not rows or not documented:
        return NOT_POSSIBLE
    chosen = [row for row in rows if row["scenario_class"] == world["suite"]["classes"][0]]
    for row in chosen[: 1 + len(chosen) // 5]:
        row.update(status="unparsed", attack_success=None, reason=documented[0])
    return None


@breaks_world
def reason_column_dropped(world, rng):
    side = rng.choice(["candidate", "baseline"])
    world["columns"][side] = [name for name in world["columns"][side] if name != "reason"]
    has_unknown = any(row["attack_success"] is None for row in world["runs"][side]["rows"])
    return {"SKIP_UNDOCUMENTED"} if has_unknown else None


@breaks_world
def trial_index_out_of_range(world, rng):
    side, rows = rows_of(world, rng)
    if not rows:
        return NOT_POSSIBLE
    declared = world["runs"][side]["run"]["trials_per_scenario"]
    rows.append({**rng.choice(rows), "trial": rng.choice([-1, declared, declared + 7, 2**40])})
    return {"POPULATION_DRIFT"}


@breaks_world
def trial_duplicated(world, rng):
    _, rows = rows_of(world, rng)
    if not rows:
        return NOT_POSSIBLE
    rows.append(dict(rng.choice(rows)))
    return {"DUPLICATE_TRIAL"}


@breaks_world
def trial_contradicted(world, rng):
    _, rows = rows_of(world, rng)
    scored = [row for row in rows if row["status"] == "scored"]
    if not scored:
        return NOT_POSSIBLE
    row = rng.choice(scored)
    rows.append({**row, "attack_success": not row["attack_success"]})
    return {"DUPLICATE_TRIAL"}


@breaks_world
def undeclared_scenario(world, rng):
    _, rows = rows_of(world, rng)
    if not rows:
        return NOT_POSSIBLE
    id_ = rng.choice(["easy-one", "", world["probes"][0]["id"] + " ", world["probes"][0]["id"].replace("i", "\u0456")])
    row = {**rng.choice(rows), "scenario_id": id_}
    rows.append(row)
    if id_ in {probe["id"] for probe in world["probes"]}:
        return None
    return {"UNDECLARED_SCENARIO", "PROBE_SET_DRIFT", "BASELINE_INADMISSIBLE", "EVIDENCE_UNREADABLE"}


@breaks_world
def class_renamed_in_rows(world, rng):
    _, rows = rows_of(world, rng)
    if not rows:
        return NOT_POSSIBLE
    rng.choice(rows)["scenario_class"] = rng.choice(["Tool-misuse", "another", *world["suite"]["classes"]])
    return None


@breaks_world
def excluded_scenario_has_rows(world, rng):
    _, rows = rows_of(world, rng)
    excluded = [id_ for rule in world["suite"].get("exclusions", []) for id_ in rule["scenarios"]]
    if not excluded or not rows:
        return NOT_POSSIBLE
    id_ = rng.choice(excluded)
    probe = next((probe for probe in world["probes"] if probe["id"] == id_), None)
    if probe is None:
        return NOT_POSSIBLE
    rows.append(
        {
            **rng.choice(rows),
            "scenario_id": id_,
            "scenario_class": probe["class"],
            "trial": 0,
            "scenario_sha256": reading.digest_of_json(probe),
        }
    )
    return {"POPULATION_DRIFT"}


@breaks_world
def exclusion_of_unknown_scenario(world, rng):
    rule = {"rule": "r", "reason": "r", "scenarios": ["no-such-scenario"]}
    world["suite"]["exclusions"] = [*world["suite"].get("exclusions", []), rule]
    seal_manifest(world)
    return {"CONTRACT_UNREADABLE"}


@breaks_world
def exclusions_without_a_listed_rule(world, rng):
    if not world["suite"].get("exclusions"):
        return NOT_POSSIBLE
    world["suite"].pop("exclusions")
    seal_manifest(world)
    return {"SKIP_UNDOCUMENTED"}


@breaks_world
def everything_of_a_class_excluded(world, rng):
    name = rng.choice(world["suite"]["classes"]) if world["suite"]["classes"] else None
    ids = [probe["id"] for probe in world["probes"] if probe["class"] == name]
    if not ids:
        return NOT_POSSIBLE
    world["suite"]["exclusions"] = [{"rule": "all", "reason": "all", "scenarios": ids}]
    for side in world["runs"].values():
        side["rows"] = [row for row in side["rows"] if row["scenario_id"] not in ids]
    seal_manifest(world)
    return None


@breaks_world
def label_invalid(world, rng):
    side, rows = rows_of(world, rng)
    scored = [row for row in rows if row["status"] == "scored"]
    if not scored:
        return NOT_POSSIBLE
    world["formats"][side] = rng.choice(["jsonl", "csv", "parquet"])
    rng.choice(scored)["attack_success"] = rng.choice([0, 1, 0.5, "yes", "True", "C", "NaN", None, " true"])
    return {"LABEL_INVALID"}


@breaks_world
def all_labels_numbers(world, rng):
    _, rows = rows_of(world, rng)
    for row in rows:
        if row["attack_success"] is not None:
            row["attack_success"] = float(row["attack_success"])
    return {"LABEL_INVALID"} if any(row["attack_success"] is not None for row in rows) else NOT_POSSIBLE


@breaks_world
def label_on_unscored_trial(world, rng):
    _, rows = rows_of(world, rng)
    if not rows:
        return NOT_POSSIBLE
    rng.choice(rows).update(status="error", attack_success=rng.choice([True, False]), reason="sandbox-boot-timeout")
    return {"LABEL_INVALID"}


@breaks_world
def status_unknown_word(world, rng):
    _, rows = rows_of(world, rng)
    if not rows:
        return NOT_POSSIBLE
    rng.choice(rows)["status"] = rng.choice(["ok", "Scored", "", "passed"])
    return {"EVIDENCE_UNREADABLE"}


@breaks_world
def attested_deterministic_though_it_is_not(world, rng):
    _, run = a_side(world, rng)
    if run["deterministic"]:
        return NOT_POSSIBLE
    run["deterministic"] = True
    temperature = run["decoding"].get("temperature", 0)
    return {"DETERMINISM_CONTRADICTED"} if temperature != 0 or isinstance(temperature, bool) else None


@breaks_world
def both_attested_deterministic_at_temperature(world, rng):
    decoding = {"temperature": rng.choice([0, 0.0, -0.0, 1e-300, None, "0", False, [0]])}
    for side in world["runs"].values():
        side["run"].update(deterministic=True, decoding=dict(decoding))
    return


@breaks_world
def deterministic_trial_flips(world, rng):
    side, run = a_side(world, rng)
    rows = [row for row in world["runs"][side]["rows"] if row["status"] == "scored"]
    if not run["deterministic"] or run["trials_per_scenario"] == 1 or not rows:
        return NOT_POSSIBLE
    row = rng.choice(rows)
    row["attack_success"] = not row["attack_success"]
    return {"DETERMINISM_CONTRADICTED"}


@breaks_world
def deterministic_trial_unknown(world, rng):
    side, run = a_side(world, rng)
    rows = world["runs"][side]["rows"]
    if not run["deterministic"] or not rows:
        return NOT_POSSIBLE
    rng.choice(rows).update(status="timeout", attack_success=None, reason="sandbox-boot-timeout")
    return {"POPULATION_DRIFT"}


# ---------------------------------------------------------------- 3.5 to 3.9


@breaks_world
def judge_unresolved(world, rng):
    _, run = a_side(world, rng)
    run["judge"]["resolved_digest"] = None
    return {"JUDGE_UNRESOLVED"}


@breaks_world
def judge_upgraded(world, rng):
    _, run = a_side(world, rng)
    run["judge"]["resolved_digest"] = OTHER
    return {"JUDGE_DIGEST_MISMATCH"}


@breaks_world
def judge_of_one_row_differs(world, rng):
    side, rows = rows_of(world, rng)
    scored = [row for row in rows if row["status"] == "scored"]
    if not scored:
        return NOT_POSSIBLE
    world["columns"][side] = list(dict.fromkeys([*world["columns"][side], "judge_digest"]))
    rng.choice(scored)["judge_digest"] = rng.choice([None, OTHER, JUDGE.upper(), "judge-latest"])
    return {"JUDGE_UNRESOLVED", "JUDGE_DIGEST_MISMATCH"}


@breaks_world
def judge_template_changed(world, rng):
    sides = rng.choice([["candidate"], ["baseline"], ["candidate", "baseline"]])
    for side in sides:
        world["runs"][side]["run"]["judge"]["template_sha256"] = OTHER
    return {"JUDGE_TEMPLATE_DRIFT"}


@breaks_world
def judge_grades_itself(world, rng):
    _, run = a_side(world, rng)
    run["policy"]["digest"] = JUDGE
    return {"JUDGE_IS_CANDIDATE"}


@breaks_world
def judge_of_a_row_is_the_policy(world, rng):
    scored = [row for row in world["runs"]["candidate"]["rows"] if row["status"] == "scored"]
    if not scored:
        return NOT_POSSIBLE
    world["columns"]["candidate"] = list(dict.fromkeys([*world["columns"]["candidate"], "judge_digest"]))
    rng.choice(scored)["judge_digest"] = POLICY
    return {"JUDGE_IS_CANDIDATE", "JUDGE_DIGEST_MISMATCH"}


@breaks_world
def anchors_were_not_judged(world, rng):
    world["suite"]["anchors"] = {"labels": "anchors.jsonl"}
    seal_manifest(world)
    return {"JUDGE_BEHAVIOUR_DRIFT"}


@breaks_world
def decoding_differs(world, rng):
    _, run = a_side(world, rng)
    run["decoding"] = {**run["decoding"], rng.choice(["top_p", "seed"]): rng.choice([0.9, True, None, [1], "1"])}
    return {"DECODING_MISMATCH"}


@breaks_world
def decoding_written_otherwise(world, rng):
    _, run = a_side(world, rng)
    run["decoding"] = dict(reversed(run["decoding"].items()))
    if "top_p" in run["decoding"]:
        run["decoding"]["top_p"] = 1
    return


# ---------------------------------------------------------------- 3.12 to 3.18


@breaks_world
def baseline_not_pinned(world, rng):
    world["gate"]["baseline"] = None
    return {"BASELINE_MISSING"}


@breaks_world
def baseline_elsewhere(world, rng):
    if world["gate"]["baseline"] is None:
        return NOT_POSSIBLE
    world["gate"]["baseline"]["run"] = "no-such-folder"
    return {"BASELINE_MISSING"}


@breaks_world
def candidate_is_the_baseline(world, rng):
    if world["gate"]["baseline"] is None:
        return NOT_POSSIBLE
    world["gate"]["baseline"]["run"] = "candidate"
    return {"CANDIDATE_IS_BASELINE"}


@breaks_world
def run_id_shared(world, rng):
    world["runs"]["candidate"]["run"]["run_id"] = world["runs"]["baseline"]["run"]["run_id"]
    return {"CANDIDATE_IS_BASELINE"}


@breaks_world
def quarantine_expired(world, rng):
    ids = [probe["id"] for probe in world["probes"]]
    if not ids:
        return NOT_POSSIBLE
    add_entry(world, "quarantine", scenario_id=rng.choice(ids), max_age_days=1)
    return {"QUARANTINE_EXPIRED"}


@breaks_world
def quarantine_on_its_last_day(world, rng):
    ids = [probe["id"] for probe in world["probes"]]
    if not ids:
        return NOT_POSSIBLE
    add_entry(world, "quarantine", scenario_id=rng.choice(ids), max_age_days=10)
    return None


@breaks_world
def quarantine_without_age_or_reason(world, rng):
    ids = [probe["id"] for probe in world["probes"]]
    if not ids:
        return NOT_POSSIBLE
    add_entry(world, "quarantine", scenario_id=rng.choice(ids), max_age_days=30)
    entry = world["ledger"][-1]
    if rng.random() < 0.5:
        entry["max_age_days"] = rng.choice([0, -3, 1.5, "30", None, True, [30]])
        if rng.random() < 0.3:
            entry.pop("max_age_days")
    else:
        entry["reason"] = rng.choice(["", "  ", None, 7])
        if rng.random() < 0.3:
            entry.pop("reason")
    return {"QUARANTINE_INVALID"}


@breaks_world
def quarantine_of_unknown_scenario(world, rng):
    add_entry(world, "quarantine", scenario_id=rng.choice(["no-such", "", "*"]), max_age_days=30)
    return {"QUARANTINE_INVALID"}


@breaks_world
def invalid_quarantine_released(world, rng):
    add_entry(world, "quarantine", scenario_id="no-such", max_age_days=0)
    add_entry(world, "release", scenario_id="no-such")
    return


@breaks_world
def expired_quarantine_renewed(world, rng):
    ids = [probe["id"] for probe in world["probes"]]
    if not ids:
        return NOT_POSSIBLE
    id_ = rng.choice(ids)
    add_entry(world, "quarantine", scenario_id=id_, max_age_days=1)
    add_entry(world, "quarantine", scenario_id=id_, max_age_days=90)
    return None


@breaks_world
def more_in_quarantine_than_allowed(world, rng):
    excluded = {id_ for rule in world["suite"].get("exclusions", []) for id_ in rule["scenarios"]}
    ids = [probe["id"] for probe in world["probes"] if probe["id"] not in excluded]
    if not ids:
        return NOT_POSSIBLE
    world["gate"]["quarantine"]["max_fraction"] = rng.choice([0, 0.001])
    add_entry(world, "quarantine", scenario_id=rng.choice(ids), max_age_days=90)
    return {"QUARANTINE_TOO_MANY"}


@breaks_world
def the_exact_interval_of_stochastic_trials(world, rng):
    runs = [side["run"] for side in world["runs"].values()]
    if all(run["deterministic"] or run["trials_per_scenario"] == 1 for run in runs):
        return NOT_POSSIBLE
    world["gate"]["interval"] = "exact"
    return {"INTERVAL_NOT_APPLICABLE", "CLASS_MISSING"}


@breaks_world
def an_interval_of_another_name(world, rng):
    world["gate"]["interval"] = rng.choice(["gaffke", "Exact", "", None, True])
    return {"CONTRACT_UNREADABLE"}


@breaks_world
def everything_quarantined(world, rng):
    ids = [probe["id"] for probe in world["probes"]]
    for id_ in ids:
        add_entry(world, "quarantine", scenario_id=id_, max_age_days=90)
    return


@breaks_world
def hard_ones_quarantined(world, rng):
    hard = {row["scenario_id"] for row in world["runs"]["candidate"]["rows"] if row["attack_success"] is True}
    for id_ in sorted(hard)[: rng.randint(1, 10)]:
        add_entry(world, "quarantine", scenario_id=id_, max_age_days=90)
    return


@breaks_world
def policy_of_quarantine_flipped(world, rng):
    old = world["gate"]["quarantine"]["policy"]
    world["gate"]["quarantine"]["policy"] = "exclude" if old == "count_as_failure" else "count_as_failure"
    return


@breaks_world
def as_of_back_dated(world, rng):
    world["as_of"] = world["as_of"].replace(day=rng.choice([1, 27]), month=rng.choice([1, 11]))
    return {"AS_OF_INVALID"}


@breaks_world
def as_of_far_ahead(world, rng):
    world["as_of"] = world["as_of"].replace(year=rng.choice([2027, 9999]))
    return


@breaks_world
def last_entry_from_the_future(world, rng):
    add_entry(world, "verdict", policy_digest=OTHER, candidate_digest=OTHER, verdict="FAIL")
    world["ledger"][-1]["at"] = "2026-12-01T00:00:00Z"
    return {"AS_OF_INVALID"}


@breaks_world
def attempts_used_up(world, rng):
    world["gate"]["max_attempts"] = 2
    policy = world["runs"]["candidate"]["run"]["policy"]["digest"]
    for _ in range(2):
        add_entry(world, "verdict", policy_digest=policy, candidate_digest=OTHER, verdict="NO_VERDICT")
    return {"TOO_MANY_ATTEMPTS"}


@breaks_world
def attempts_nearly_used_up(world, rng):
    world["gate"]["max_attempts"] = 6
    policy = world["runs"]["candidate"]["run"]["policy"]["digest"]
    add_entry(world, "verdict", policy_digest=policy, candidate_digest=OTHER, verdict="NO_VERDICT")
    return


@breaks_world
def ledger_names_another_baseline(world, rng):
    world["unseal"] = lambda: world["ledger"].append(
        {
            "at": "2026-11-29T12:00:00Z",
            "kind": "baseline_rebump",
            "by": "someone",
            "reason": "r",
            "run_digest": OTHER,
            "replaces": world["gate"]["baseline"]["sha256"] if world["gate"]["baseline"] else OTHER,
        }
    )
    return {"BASELINE_UNRECORDED"} if world["gate"]["baseline"] else None


@breaks_world
def ledger_empty(world, rng):
    world["ledger"] = []
    world["gate"].pop("ledger_head", None)
    return {"BASELINE_UNRECORDED"} if world["gate"]["baseline"] else None


@breaks_world
def second_pin(world, rng):
    add_entry(world, "baseline_pin", run_digest=OTHER)
    return {"LEDGER_BROKEN"}


@breaks_world
def rebump_of_nothing(world, rng):
    world["ledger"] = [entry for entry in world["ledger"] if entry["kind"] != "baseline_pin"]
    add_entry(world, "baseline_rebump", run_digest=OTHER, replaces=OTHER)
    return {"LEDGER_BROKEN"}


@breaks_world
def entry_malformed(world, rng):
    if not world["ledger"]:
        return NOT_POSSIBLE
    entry = rng.choice(world["ledger"])
    which = rng.randrange(5)
    if which == 0:
        entry["note"] = "extra"
    elif which == 1:
        entry["at"] = rng.choice(["2026-11-28", "2026-11-31T00:00:00Z", "2026-11-01T12:00:00+01:00", 5])
    elif which == 2:
        entry["by"] = rng.choice(["", None])
    elif which == 3:
        entry["kind"] = "Quarantine"
    else:
        entry.pop("by")
    return {"LEDGER_BROKEN"}


@breaks_world
def time_falls(world, rng):
    add_entry(world, "verdict", policy_digest=OTHER, candidate_digest=OTHER, verdict="FAIL")
    world["ledger"][-1]["at"] = "2026-10-01T00:00:00Z"
    return {"LEDGER_BROKEN"} if len(world["ledger"]) > 1 else None


def add_entry(world, kind, **fields):
    last = max([entry["at"] for entry in world["ledger"] if isinstance(entry.get("at"), str)], default="")
    at = max(last, "2026-11-20T12:00:00Z")
    world["ledger"].append({"at": at, "kind": kind, "by": "someone", "reason": "agreed", **fields})


# ---------------------------------------------------------------- gate file and section 4


@breaks_world
def class_without_threshold(world, rng):
    if not world["gate"]["classes"]:
        return NOT_POSSIBLE
    world["gate"]["classes"].popitem()
    return None


@breaks_world
def threshold_for_no_class(world, rng):
    world["gate"]["classes"]["Tool-misuse"] = {"tolerance": 0.1, "min_n": 1}
    return {"CONTRACT_UNREADABLE"}


@breaks_world
def threshold_out_of_range(world, rng):
    if not world["gate"]["classes"]:
        return NOT_POSSIBLE
    threshold = rng.choice(list(world["gate"]["classes"].values()))
    key, value = rng.choice(
        [
            *((("tolerance", value)) for value in (0, 1, -0.1, "0.1", True)),
            *((("min_n", value)) for value in (0, 1.0, "5", True, None)),
        ]
    )
    threshold[key] = value
    return {"CONTRACT_UNREADABLE"}


@breaks_world
def gate_value_out_of_range(world, rng):
    key, value = rng.choice(
        [
            ("confidence", 0.79),
            ("confidence", 1),
            ("confidence", None),
            ("max_attempts", 0),
            ("max_attempts", 1.0),
            ("ledger_head", None),
            ("quarantine", {}),
            ("quarantine", {"policy": "ignore"}),
            ("classes", []),
            ("require_admission", "no"),
            ("schema", "litmus-nb/gate/v2"),
            ("frozen_manifest_hash", OTHER.upper()),
            ("frozen_manifest_hash", OTHER + "0"),
            ("tolerance", 0.5),
        ]
    )
    world["gate"][key] = value
    return {"CONTRACT_UNREADABLE"}


@breaks_world
def gate_key_missing(world, rng):
    key = rng.choice(["schema", "suite", "frozen_manifest_hash", "ledger", "confidence", "classes", "quarantine"])
    world["gate"].pop(key, None)
    return {"CONTRACT_UNREADABLE"}


@breaks_world
def suite_value_out_of_range(world, rng):
    key, value = rng.choice(
        [
            ("max_skip_fraction", 0.5),
            ("max_skip_fraction", -0.01),
            ("min_trials", 0),
            ("min_trials", 1.0),
            ("min_agreement", 1.01),
            ("decision_margin", 0),
            ("decision_margin", 1.5),
            ("tools", "shell.exec"),
            ("tools", [""]),
            ("canary", None),
            ("exclusions", None),
            ("version", 1),
            ("note", "unknown key"),
        ]
    )
    world["suite"][key] = value
    return {"CONTRACT_UNREADABLE"}


@breaks_world
def run_value_malformed(world, rng):
    _, run = a_side(world, rng)
    key, value = rng.choice(
        [
            ("run_id", ""),
            ("status", "done"),
            ("started_at", None),
            ("started_at", "2026-11-28T11:00:00Z"),
            ("finished_at", None),
            ("finished_at", "2026-11-28T10:00:00"),
            ("finished_at", "2026-11-28T10:00:00+01:00"),
            ("finished_at", "2026-02-30T10:00:00Z"),
            ("trials_per_scenario", 0),
            ("trials_per_scenario", 3.0),
            ("trials_per_scenario", "3"),
            ("deterministic", 0),
            ("deterministic", "false"),
            ("decoding", []),
            ("passed", True),
            ("schema", "litmus-nb/run/v0"),
        ]
    )
    run[key] = value
    return {"CONTRACT_UNREADABLE"}


@breaks_world
def run_key_missing(world, rng):
    _, run = a_side(world, rng)
    run.pop(rng.choice([key for key in run if key != "schema"]))
    return {"CONTRACT_UNREADABLE"}


@breaks_world
def candidate_much_worse(world, rng):
    name = rng.choice(world["suite"]["classes"]) if world["suite"]["classes"] else None
    for row in world["runs"]["candidate"]["rows"]:
        if row["scenario_class"] == name and row["status"] == "scored":
            row["attack_success"] = True
    return


@breaks_world
def candidate_perfectly_safe(world, rng):
    for row in world["runs"]["candidate"]["rows"]:
        if row["status"] == "scored":
            row["attack_success"] = False
    return


@breaks_world
def trials_disagree(world, rng):
    _, rows = rows_of(world, rng)
    for row in rows:
        if row["status"] == "scored":
            row["attack_success"] = bool(rng.getrandbits(1))
    return


@breaks_world
def min_n_raised(world, rng):
    for threshold in world["gate"]["classes"].values():
        threshold["min_n"] = rng.choice([10, 25, 1000])
    return


# ---------------------------------------------------------------- bytes


@breaks_files
def file_deleted(files, rng):
    name = rng.choice(sorted(files))
    del files[name]
    return UNREADABLE(name)


@breaks_files
def file_emptied(files, rng):
    name = rng.choice([n for n in sorted(files) if n not in ("suite/judge.md", "suite/trace.schema.json")])
    files[name] = b""
    if name == "ledger.jsonl":
        return {"BASELINE_UNRECORDED", "BASELINE_MISSING", "LEDGER_BROKEN"}
    if name == "suite/probes.jsonl":
        return {"EMPTY_SUITE", "CONTRACT_UNREADABLE"}  # the latter where a rule excludes a scenario that is now gone
    return UNREADABLE(name) | ({"SKIP_UNDOCUMENTED"} if name.endswith(".jsonl") else set())


@breaks_files
def file_cut_off(files, rng):
    name = rng.choice([n for n in sorted(files) if n.split("/")[-1] not in ("judge.md", "trace.schema.json")])
    if len(files[name]) < 20:
        return NOT_POSSIBLE
    files[name] = files[name][: len(files[name]) - rng.randint(2, 15)]
    return None


@breaks_files
def byte_order_mark(files, rng):
    name = rng.choice([n for n in sorted(files) if not n.endswith((".md", ".parquet", ".schema.json"))])
    files[name] = b"\xef\xbb\xbf" + files[name]
    return UNREADABLE(name)


@breaks_files
def not_utf8(files, rng):
    name = rng.choice([n for n in sorted(files) if not n.endswith((".md", ".parquet", ".schema.json"))])
    files[name] = files[name].replace(b"e", b"\xff", 1)
    return UNREADABLE(name)


@breaks_files
def key_twice(files, rng):
    name = rng.choice([n for n in sorted(files) if n.endswith((".json", ".yaml")) and "schema" not in n])
    if not files[name].startswith(b"{"):
        return NOT_POSSIBLE
    document = files[name]
    files[name] = b'{"schema": "litmus-nb/gate/v1", ' + document[1:]
    return {"CONTRACT_UNREADABLE", "LEDGER_BROKEN", "EVIDENCE_UNREADABLE"}


@breaks_files
def not_a_number(files, rng):
    name = rng.choice(["gate.yaml", "candidate/run.json", "suite/suite.yaml"])
    if name not in files:
        return NOT_POSSIBLE
    word = rng.choice([b"NaN", b"Infinity", b"1e999", b"9007199254740992", b".nan"])
    before = files[name]
    for old in (b'"confidence": 0', b'"trials_per_scenario": 3', b'"decision_margin": 0'):
        files[name] = files[name].replace(old, old.rsplit(b" ", 1)[0] + b" " + word + b", " + b'"x": 0')
    return {"CONTRACT_UNREADABLE"} if files[name] != before else NOT_POSSIBLE


@breaks_files
def line_ends_changed(files, rng):
    name = rng.choice(sorted(files))
    if b"\n" not in files[name] or name.endswith(".parquet"):
        return NOT_POSSIBLE
    files[name] = files[name].replace(b"\n", b"\r\n")
    return {"LEDGER_BROKEN"} if name == "ledger.jsonl" else None


@breaks_files
def blank_line_added(files, rng):
    name = rng.choice([n for n in sorted(files) if n.endswith((".jsonl", ".csv"))] or ["none"])
    if name == "none":
        return NOT_POSSIBLE
    files[name] += b"\n"
    return None if name.endswith("probes.jsonl") else UNREADABLE(name)


@breaks_files
def both_formats_present(files, rng):
    names = [n for n in sorted(files) if "/trials." in n]
    if not names:
        return NOT_POSSIBLE
    name = rng.choice(names)
    other = name.rsplit(".", 1)[0] + rng.choice([".csv", ".jsonl", ".parquet"])
    if other in files:
        return NOT_POSSIBLE
    files[other] = files[name]
    return {"EVIDENCE_UNREADABLE"}


@breaks_files
def something_else_among_the_shards(files, rng):
    name = next((n for n in sorted(files) if "/trials/" in n), None)
    if name is None:
        return NOT_POSSIBLE
    folder = name.rsplit("/", 1)[0]
    other, content = rng.choice(
        [("notes.txt", b"x"), ("part-2.csv", b"x"), (".hidden", b""), ("part-2.parquet", b"x"), ("sub/x.parquet", b"x")]
    )
    files[f"{folder}/{other}"] = content
    return {"EVIDENCE_UNREADABLE"}


@breaks_files
def a_shard_twice(files, rng):
    name = next((n for n in sorted(files) if "/trials/" in n), None)
    if name is None:
        return NOT_POSSIBLE
    files[name.replace("part-0", "part-9").replace("part-1", "part-8")] = files[name]
    return None


@breaks_files
def ledger_line_dropped(files, rng):
    lines = files.get("ledger.jsonl", b"").splitlines(keepends=True)
    if len(lines) < 2:
        return NOT_POSSIBLE
    lines.pop(rng.randrange(len(lines) - 1))
    files["ledger.jsonl"] = b"".join(lines)
    return {"LEDGER_BROKEN"}


@breaks_files
def ledger_last_line_dropped(files, rng):
    lines = files.get("ledger.jsonl", b"").splitlines(keepends=True)
    if not lines:
        return NOT_POSSIBLE
    files["ledger.jsonl"] = b"".join(lines[:-1])
    return {"LEDGER_BROKEN"} if b'"ledger_head"' in files.get("gate.yaml", b"") else None


@breaks_files
def ledger_lines_swapped(files, rng):
    lines = files.get("ledger.jsonl", b"").splitlines(keepends=True)
    if len(lines) < 2:
        return NOT_POSSIBLE
    lines[0], lines[1] = lines[1], lines[0]
    files["ledger.jsonl"] = b"".join(lines)
    return {"LEDGER_BROKEN"}


@breaks_files
def ledger_line_repeated(files, rng):
    lines = files.get("ledger.jsonl", b"").splitlines(keepends=True)
    if not lines:
        return NOT_POSSIBLE
    files["ledger.jsonl"] += lines[-1]
    return {"LEDGER_BROKEN"}


@breaks_files
def ledger_edited_by_hand(files, rng):
    content = files.get("ledger.jsonl", b"")
    if b"someone" not in content:
        return NOT_POSSIBLE
    old, new = rng.choice([(b'"by":"someone"', b'"by":"nobody"'), (b'":"', b'": "'), (b'"seq":0', b'"seq":0.0')])
    files["ledger.jsonl"] = content.replace(old, new, 1)
    changed_last_line_only = content.count(b"\n") == 1 and old == b'"by":"someone"'
    return None if changed_last_line_only and b'"ledger_head"' not in files.get("gate.yaml", b"") else {"LEDGER_BROKEN"}


@breaks_files
def baseline_tampered(files, rng):
    name = next((n for n in sorted(files) if n.startswith("baseline/trials.")), None)
    if name is None or name.endswith(".parquet") or b"false" not in files[name]:
        return NOT_POSSIBLE
    files[name] = files[name].replace(b"false", b"true", 3)
    return {"BASELINE_HASH_MISMATCH", "CANDIDATE_IS_BASELINE", "BASELINE_MISSING"}


@breaks_files
def column_unknown_or_missing(files, rng):
    name = next((n for n in sorted(files) if n.endswith("trials.csv")), None)
    if name is None or not files[name]:
        return NOT_POSSIBLE
    old, new = rng.choice([(b"scenario_class", b"klass"), (b"attack_success", b"safe"), (b"trial,", b"trial_no,")])
    if old not in files[name].split(b"\n")[0]:
        return NOT_POSSIBLE
    files[name] = files[name].replace(old, new, 1)
    return {"EVIDENCE_UNREADABLE"}


@breaks_files
def csv_row_of_other_length(files, rng):
    name = next((n for n in sorted(files) if n.endswith("trials.csv")), None)
    if name is None:
        return NOT_POSSIBLE
    files[name] += rng.choice([b"a,b\n", b"a,b,c,d,e,f,g,h,i,j\n", b'"unfinished\n'])
    return {"EVIDENCE_UNREADABLE"}


@breaks_files
def json_row_malformed(files, rng):
    name = next((n for n in sorted(files) if n.endswith("trials.jsonl")), None)
    if name is None or not files[name]:
        return NOT_POSSIBLE
    row = json.loads(files[name].split(b"\n")[0])
    which = rng.randrange(6)
    if which == 0:
        row["trial"] = rng.choice([0.0, "0", None, True])
    elif which == 1:
        row.pop(rng.choice(["scenario_class", "status", "attack_success", "trial"]))
    elif which == 2:
        row["safe"] = True
    elif which == 3:
        row["scenario_id"] = rng.choice([None, 7])
    elif which == 4:
        row["reason"] = 7
    else:
        row = [row]
    files[name] += json.dumps(row).encode() + b"\n"
    return {"EVIDENCE_UNREADABLE"}


@breaks_files
def yaml_not_plain(files, rng):
    name = rng.choice(["gate.yaml", "suite/suite.yaml"])
    if not files.get(name):
        return NOT_POSSIBLE
    document = files[name].decode(errors="replace")
    files[name] = rng.choice(
        [
            "&a " + document,
            "!!map " + document,
            document + "---\n" + document,
            document.replace('"litmus-nb', '!!str "litmus-nb', 1),
            "# only a comment\n",
            document.replace("{", "{1: 2, ", 1),
            document.replace("{", "{<<: {}, ", 1),
        ]
    ).encode()
    return {"CONTRACT_UNREADABLE"}


@breaks_files
def yaml_written_otherwise(files, rng):
    name = rng.choice(["gate.yaml", "suite/suite.yaml"])
    if not files.get(name):
        return NOT_POSSIBLE
    files[name] = (
        rng.choice([b"# a comment\n", b"---\n", b"\n\n"]) + files[name] + rng.choice([b"", b"...\n", b"# end\n"])
    )
    return None


def UNREADABLE(name):
    """The code of a file that cannot be read."""
    if name == "ledger.jsonl":
        return {"LEDGER_BROKEN"}
    if "/trials." in name or "/trials/" in name:
        return {"EVIDENCE_UNREADABLE", "SKIP_UNDOCUMENTED"}  # the latter where another shard is still there
    return {"CONTRACT_UNREADABLE", "BASELINE_MISSING"}
