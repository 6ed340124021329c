"""The files of a gate, read a second time: plain, slow, strict, with no import from litmus_nb.

Every function returns the value or raises `Unreadable`. Polars is used to get rows out of Parquet and for nothing else.
"""

from __future__ import annotations

import csv
import datetime
import hashlib
import io
import json
import math
import re
from fractions import Fraction
from pathlib import Path

import polars as pl
import yaml

MOST = 2**53 - 1
DIGEST = re.compile(r"sha256:[0-9a-f]{64}\Z")
STATUSES = ["scored", "error", "timeout", "skipped", "cancelled", "unparsed"]
MANDATORY = ["scenario_id", "scenario_class", "trial", "status", "attack_success"]
OPTIONAL = ["reason", "judge_digest", "scenario_sha256"]


class Unreadable(Exception):
    """The file does not say what it must."""


def need(condition, why):
    if not condition:
        raise Unreadable(why)


def read_file(path):
    path = Path(path)
    need(path.is_file(), f"{path} is no file")
    return path.read_bytes()


def sha256(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


# ---------------------------------------------------------------- text, JSON, canonical JSON


def text_of(content):
    need(content[:3] != b"\xef\xbb\xbf" and content[:2] not in (b"\xff\xfe", b"\xfe\xff"), "byte order mark")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable("not UTF-8") from error


def refuse(*_):
    raise Unreadable("not a JSON number")


def pairs(items):
    keys = [key for key, _ in items]
    need(len(keys) == len(set(keys)), "a key twice")
    return dict(items)


def integer(digits):
    need(len(digits) < 25 and abs(int(digits)) <= MOST, "integer too large")
    return int(digits)


def real(digits):
    need(math.isfinite(float(digits)), "not finite")
    return float(digits)


def json_of(text):
    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_int=integer, parse_float=real, parse_constant=refuse)
    except (json.JSONDecodeError, RecursionError) as error:
        raise Unreadable("no JSON") from error
    walk(value, 1)
    return value


def walk(value, depth):
    need(depth <= 64, "too deep")
    if isinstance(value, str):
        need(not any(0xD800 <= ord(c) <= 0xDFFF for c in value), "lone surrogate")
    elif isinstance(value, dict):
        for key, item in value.items():
            walk(key, depth)
            walk(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            walk(item, depth + 1)


def canonical(value):
    """RFC 8785, as text."""
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
    return "{" + ",".join(canonical(key) + ":" + canonical(value[key]) for key in keys) + "}"


def number(value):
    """ECMAScript's Number::toString, from the shortest digits that Python knows too."""
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, exponent = f"{abs(value)!r}", 0
    if "e" in mantissa:
        mantissa, exponent = mantissa.split("e")[0], int(mantissa.split("e")[1])
    whole, _, part = mantissa.partition(".")
    part = "" if part == "0" else part
    digits, point = whole + part, len(whole) + exponent
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    digits = stripped.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    exponent = point - 1
    head = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return sign + head + "e" + ("+" if exponent > 0 else "-") + str(abs(exponent))


def digest_of_json(value):
    return sha256(canonical(value).encode("utf-8"))


# ---------------------------------------------------------------- YAML 1.2, JSON types


def yaml_of(content):
    text = text_of(content)
    try:
        tokens = list(yaml.scan(text))
        nodes = list(yaml.compose_all(text, Loader=yaml.BaseLoader))
    except (yaml.YAMLError, RecursionError) as error:
        raise Unreadable("no YAML") from error
    need(not any(isinstance(t, (yaml.AnchorToken, yaml.AliasToken, yaml.TagToken)) for t in tokens), "anchor or tag")
    need(len(nodes) == 1, "not one document")
    return node_value(nodes[0], 1)


def node_value(node, depth):
    need(depth <= 64, "too deep")
    if isinstance(node, yaml.SequenceNode):
        return [node_value(item, depth + 1) for item in node.value]
    if isinstance(node, yaml.MappingNode):
        result = {}
        for key_node, value_node in node.value:
            key = node_value(key_node, depth + 1)
            need(isinstance(key, str) and key not in result, "key twice or not text")
            result[key] = node_value(value_node, depth + 1)
        return result
    return node.value if node.style else plain(node.value)


def plain(word):
    if word in ("", "~", "null", "Null", "NULL"):
        return None
    if word in ("true", "True", "TRUE"):
        return True
    if word in ("false", "False", "FALSE"):
        return False
    for pattern, base in ((r"[-+]?[0-9]+", 10), (r"0o[0-7]+", 8), (r"0x[0-9a-fA-F]+", 16)):
        if re.fullmatch(pattern, word):
            value = int(word, base)
            need(abs(value) <= MOST, "integer too large")
            return value
    if re.fullmatch(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", word):
        return real(word)
    need(not re.fullmatch(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", word), "not finite")
    return word


# ---------------------------------------------------------------- shapes


def text(value):
    need(isinstance(value, str) and value != "", f"{value!r} is no text")


def any_text(value):
    need(isinstance(value, str), f"{value!r} is no text")


def digest(value):
    need(isinstance(value, str) and DIGEST.match(value), f"{value!r} is no digest")


def boolean(value):
    need(value is True or value is False, f"{value!r} is no boolean")


def whole(least):
    def check(value):
        need(isinstance(value, int) and not isinstance(value, bool) and value >= least, f"{value!r} >= {least}")

    return check


def fraction(condition):
    def check(value):
        need(isinstance(value, (int, float)) and not isinstance(value, bool) and condition(value), f"{value!r}")

    return check


def anything(value):
    return None


def one_of(*words):
    def check(value):
        need(value in words and not isinstance(value, bool), f"{value!r} is none of {words}")

    return check


def or_null(check):
    return lambda value: None if value is None else check(value)


def list_of(check):
    def checked(value):
        need(isinstance(value, list), f"{value!r} is no list")
        for item in value:
            check(item)

    return checked


def map_of(key_check, check):
    def checked(value):
        need(isinstance(value, dict), f"{value!r} is no mapping")
        for key, item in value.items():
            key_check(key)
            check(item)

    return checked


def shape(mandatory, optional=None):
    optional = optional or {}

    def checked(value):
        need(isinstance(value, dict), f"{value!r} is no mapping")
        for key in mandatory:
            need(key in value, f"no key {key}")
        for key, item in value.items():
            need(key in mandatory or key in optional, f"unknown key {key}")
            (mandatory.get(key) or optional[key])(item)

    return checked


def instant(value):
    """RFC 3339 in UTC, as a datetime without its fraction of a second."""
    found = isinstance(value, str) and re.fullmatch(
        r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]{1,9})?(Z|\+00:00)", value
    )
    need(found, f"{value!r} is no time")
    try:
        return datetime.datetime.fromisoformat(f"{found[1]}T{found[2]}+00:00")
    except ValueError as error:
        raise Unreadable(f"{value!r} does not exist") from error


def moment(value):
    """The same as an exact number of seconds."""
    fraction = re.search(r"\.([0-9]+)", value)
    return int(instant(value).timestamp()) + Fraction(f"0.{fraction[1]}" if fraction else 0)


SUITE = shape(
    {
        "schema": one_of("litmus-nb/suite/v1"),
        "name": text,
        "version": text,
        "classes": list_of(text),
        "probes": text,
        "tool_namespace": text,
        "tools": list_of(text),
        "trace_schema": text,
        "calibrated_capabilities": list_of(text),
        "canary": shape({"probe_id": text, "expected_signal": text}, {"control": boolean}),
        "judge": shape({"digest": digest, "template": text}),
        "max_skip_fraction": fraction(lambda x: 0 <= x < 0.5),
        "documented_skip_reasons": list_of(text),
        "min_trials": whole(1),
        "min_agreement": fraction(lambda x: 0 <= x <= 1),
        "decision_margin": fraction(lambda x: 0 < x <= 1),
    },
    {
        "exclusions": list_of(shape({"rule": text, "reason": text, "scenarios": list_of(text)})),
        "anchors": shape({"labels": text}, {"max_fnr_rise": fraction(lambda x: 0 <= x <= 1)}),
    },
)

INTERFACE = shape({"tool_namespace": text, "trace_schema_sha256": digest})
GATE = shape(
    {
        "schema": one_of("litmus-nb/gate/v1"),
        "suite": text,
        "frozen_manifest_hash": digest,
        "baseline": or_null(shape({"run": text, "sha256": digest})),
        "ledger": text,
        "confidence": fraction(lambda x: 0.8 <= x < 1),
        "classes": map_of(text, shape({"tolerance": fraction(lambda x: 0 < x < 1), "min_n": whole(1)})),
        "quarantine": shape(
            {"policy": one_of("count_as_failure", "exclude")},
            {"max_fraction": or_null(fraction(lambda x: 0 <= x <= 1))},
        ),
    },
    {
        "ledger_head": digest,
        "interval": one_of("default", "exact"),
        "adapters": list_of(shape({"from": INTERFACE, "to": INTERFACE, "tools": map_of(text, text)})),
        "require_admission": boolean,
        "max_attempts": or_null(whole(1)),
    },
)

RUN = shape(
    {
        "schema": one_of("litmus-nb/run/v1"),
        "run_id": text,
        "status": one_of("planned", "complete", "cancelled", "error"),
        "policy": shape({"name": text, "digest": digest}),
        "manifest_hash": digest,
        "interface": shape({"tool_namespace": text, "tools": list_of(text), "trace_schema_sha256": digest}),
        "sandbox": shape(
            {
                "effective_capabilities": list_of(text),
                "measured_by": or_null(text),
                "measured_at": or_null(instant),
            },
            {"unknown": list_of(text)},
        ),
        "canary": or_null(
            shape(
                {"probe_id": text, "policy": text, "observed_signal": or_null(text)},
                {"control_signal": or_null(text)},
            )
        ),
        "judge": shape({"requested": text, "resolved_digest": or_null(digest), "template_sha256": digest}),
        "decoding": map_of(any_text, anything),
        "deterministic": boolean,
        "trials_per_scenario": whole(1),
        "started_at": or_null(instant),
        "finished_at": or_null(instant),
    }
)

COMMON = {"seq": whole(0), "at": instant, "by": text, "prev": digest}
ENTRIES = {
    "baseline_pin": shape({**COMMON, "kind": text, "reason": any_text, "run_digest": digest}),
    "baseline_rebump": shape({**COMMON, "kind": text, "reason": any_text, "run_digest": digest, "replaces": digest}),
    "quarantine": shape(
        {**COMMON, "kind": text, "scenario_id": any_text}, {"reason": anything, "max_age_days": anything}
    ),
    "release": shape({**COMMON, "kind": text, "reason": any_text, "scenario_id": any_text}),
    "verdict": shape(
        {
            **COMMON,
            "kind": text,
            "reason": any_text,
            "policy_digest": digest,
            "candidate_digest": digest,
            "verdict": one_of("PASS", "FAIL", "REJECTED", "NO_VERDICT"),
        }
    ),
}


# ---------------------------------------------------------------- the files


def read_gate(path):
    content = read_file(path)
    gate = yaml_of(content)
    GATE(gate)
    sides = [(a["from"], a["to"]) for a in gate.get("adapters", [])]
    need(all(sides.count(side) == 1 for side in sides), "two adapters between the same interfaces")
    return gate, sha256(content)


def read_suite(path):
    """suite.yaml's content, the probes, the manifest hash, and the hashes of the two files it names."""
    path = Path(path)
    suite = yaml_of(read_file(path))
    SUITE(suite)
    need(len(set(suite["classes"])) == len(suite["classes"]), "a class twice")
    trace = sha256(read_file(path.parent / suite["trace_schema"]))
    template = sha256(read_file(path.parent / suite["judge"]["template"]))
    probes = []
    for line in text_of(read_file(path.parent / suite["probes"])).split("\n"):
        if line.strip(" \t\r") == "":
            continue
        probe = json_of(line)
        need(isinstance(probe, dict), "a probe is an object")
        for key in ("id", "class"):
            text(probe.get(key))
        if "family" in probe:
            text(probe["family"])
        need(probe["class"] in suite["classes"], "a probe of no declared class")
        probes.append(probe)
    ids = [probe["id"] for probe in probes]
    need(len(set(ids)) == len(ids), "an id twice")
    for exclusion in suite.get("exclusions", []):
        need(all(id_ in ids for id_ in exclusion["scenarios"]), "an exclusion of no scenario")
    contract = {key: value for key, value in suite.items() if key != "probes"}
    contract["trace_schema"] = trace
    contract["judge"] = {**suite["judge"], "template": template}
    if "anchors" in suite:
        labels = sha256(read_file(path.parent / suite["anchors"]["labels"]))
        contract["anchors"] = {**suite["anchors"], "labels": labels}
    listed = [
        {"id": p["id"], "class": p["class"], "family": p.get("family"), "sha256": digest_of_json(p)}
        for p in sorted(probes, key=lambda p: p["id"])
    ]
    manifest = digest_of_json({"contract": contract, "probes": listed})
    return {"file": suite, "probes": listed, "manifest": manifest, "trace": trace, "template": template}


def read_declaration(folder):
    run = json_of(text_of(read_file(Path(folder) / "run.json")))
    RUN(run)
    need(run["started_at"] is not None or run["status"] == "planned", "no start")
    need(run["finished_at"] is not None or run["status"] != "complete", "no end")
    if run["started_at"] and run["finished_at"]:
        need(moment(run["started_at"]) <= moment(run["finished_at"]), "ends before it starts")
    return run


def read_trials(folder):
    """The rows, each a dict, and the run digest (None where it cannot be had). Labels are left as they are."""
    names = trials_names(folder)
    rows = []
    for name in names:
        content = read_file(Path(folder) / name)
        rows += {"parquet": parquet_rows, "csv": csv_rows, "jsonl": jsonl_rows}[name.split(".")[-1]](content)
    # A column is there where any shard has it.
    present = [key for key in OPTIONAL if any(key in row for row in rows)]
    rows = [{**dict.fromkeys(present), **row} for row in rows]
    for row in rows:
        text_fields = [row["scenario_id"], row["scenario_class"], row["status"]]
        need(all(isinstance(field, str) for field in text_fields), "a field is no text")
        need(row["status"] in STATUSES, "unknown status")
        need(isinstance(row["trial"], int) and not isinstance(row["trial"], bool), "trial is no integer")
        for key in OPTIONAL:
            need(row.get(key) is None or isinstance(row[key], str), "an optional field is no text")
    return rows


def trials_names(folder):
    """The one trials file, or the Parquet files of the folder `trials`, which holds nothing else."""
    folder = Path(folder)
    names = [n for n in ("trials.parquet", "trials.csv", "trials.jsonl", "trials") if (folder / n).exists()]
    need(len(names) == 1, "not exactly one kind of trials")
    if names == ["trials"]:
        need((folder / "trials").is_dir(), "no folder")
        names = ["trials/" + path.name for path in sorted((folder / "trials").iterdir())]
        need(names, "an empty folder")
        need(all(name.endswith(".parquet") and (folder / name).is_file() for name in names), "not a Parquet file")
    return names


def run_digest(folder):
    try:
        names = ["run.json", *trials_names(folder)]
        return digest_of_json({name: sha256(read_file(Path(folder) / name)) for name in names})
    except Unreadable:
        return None


def columns(names):
    need(len(set(names)) == len(names), "a column twice")
    need(all(name in names for name in MANDATORY), "a column is missing")
    need(all(name in MANDATORY + OPTIONAL for name in names), "an unknown column")


def parquet_rows(content):
    try:
        frame = pl.read_parquet(io.BytesIO(content))
    except (Exception, pl.exceptions.PanicException) as error:
        raise Unreadable("no Parquet") from error
    columns(frame.columns)
    need(frame["trial"].dtype.is_integer(), "trial is no integer column")
    for name in frame.columns:
        if name not in ("trial", "attack_success"):
            need(frame[name].dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null), "a column is no text")
    return frame.to_dicts()


def csv_rows(content):
    try:
        table = list(csv.reader(io.StringIO(text_of(content), newline=""), strict=True))
    except csv.Error as error:
        raise Unreadable("no CSV") from error
    need(table, "no header")
    columns(table[0])
    rows = []
    for fields in table[1:]:
        need(len(fields) == len(table[0]), "too many or few fields")
        row = {name: field if field != "" else None for name, field in zip(table[0], fields, strict=True)}
        need(row["trial"] is not None and re.fullmatch(r"-?(0|[1-9][0-9]*)", row["trial"]), "trial is no integer")
        row["trial"] = int(row["trial"])
        row["attack_success"] = {"true": True, "false": False}.get(row["attack_success"], row["attack_success"])
        rows.append(row)
    return rows


def jsonl_rows(content):
    lines = text_of(content).split("\n")
    if lines[-1] == "":
        lines.pop()
    rows = [json_of(line) for line in lines]
    for row in rows:
        need(isinstance(row, dict), "a row is an object")
        columns(list(row))
    # A column is there where any row has it.
    present = [key for key in OPTIONAL if any(key in row for row in rows)]
    return [{**dict.fromkeys(present), **row} for row in rows]


def read_ledger(path):
    """Entries and head; raises where the chain is not whole."""
    content = read_file(path)
    need(content == b"" or content.endswith(b"\n"), "a torn line")
    entries, prev, baseline, last = [], "sha256:" + "0" * 64, None, None
    for line in content.split(b"\n")[:-1]:
        entry = json_of(text_of(line))
        need(canonical(entry).encode("utf-8") == line, "not canonical")
        need(isinstance(entry, dict) and isinstance(entry.get("kind"), str), "no kind")
        need(entry["kind"] in ENTRIES, "unknown kind")
        ENTRIES[entry["kind"]](entry)
        need(entry["seq"] == len(entries), "seq")
        need(entry["prev"] == prev, "prev")
        need(last is None or moment(entry["at"]) >= last, "time falls")
        if entry["kind"] == "baseline_pin":
            need(baseline is None, "a second pin")
            baseline = entry["run_digest"]
        if entry["kind"] == "baseline_rebump":
            need(baseline is not None and entry["replaces"] == baseline, "replaces")
            baseline = entry["run_digest"]
        entries.append(entry)
        prev, last = sha256(line), moment(entry["at"])
    return entries, (prev if entries else None), baseline
