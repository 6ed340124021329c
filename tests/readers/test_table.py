"""Tables: long and wide, three formats, and what is refused of them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import polars as pl
import pytest

from litmus_nb.evidence.readers.table import READER, TableOutcome
from tests.readers.around import Around, faults, read

LONG = {
    "scenario": "id",
    "label": "label",
    "trial": "trial",
    "status": "status",
    "reason": "why",
    "attack_success_when": {"equals": [True, "true"]},
    "attack_failure_when": {"equals": [False, "false"]},
}
ROWS = [
    {"id": "a", "trial": 0, "status": "scored", "label": True, "why": None},
    {"id": "a", "trial": 1, "status": "timeout", "label": None, "why": "slow"},
    {"id": "b", "trial": 0, "status": "scored", "label": False, "why": None},
    {"id": "b", "trial": 1, "status": "scored", "label": False, "why": None},
]


def csv_of(rows: list[dict]) -> bytes:
    def cell(value) -> str:
        return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)

    lines = [",".join(rows[0]), *(",".join(map(cell, row.values())) for row in rows)]
    return ("\n".join(lines) + "\n").encode()


def parquet_of(rows: list[dict]) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(buffer)
    return buffer.getvalue()


def jsonl_of(rows: list[dict]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


FORMATS = {"t.csv": csv_of, "t.parquet": parquet_of, "t.jsonl": jsonl_of}


def world(folder: Path, name: str, content: bytes, outcome: dict) -> tuple[Path, str]:
    around = Around(folder / "w", {"a": "leak", "b": "leak"}, trials=2)
    (around.folder / name).write_bytes(content)
    around.declare(name, {"classes": {"constant": "leak"}, "outcome": outcome}, around.run("p"))
    return around.folder, f"table:{name}"


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_rows_in_three_formats_are_the_same_trials(tmp_path, name):
    run = read(*world(tmp_path, name, FORMATS[name](ROWS), LONG))
    assert list(run.tally.per_scenario.iter_rows()) == [("a", 1, 1, 1), ("b", 2, 0, 0)]
    assert list(run.tally.unlabelled.iter_rows()) == [("a", "timeout", "slow", 1)]


def test_a_wide_table_has_a_column_per_trial(tmp_path):
    outcome = {key: value for key, value in LONG.items() if key not in ("trial", "status", "reason")}
    rows = [{"id": "a", "one": True, "two": None}, {"id": "b", "one": False, "two": False}]
    run = read(*world(tmp_path, "t.csv", csv_of(rows), outcome | {"label": ["one", "two"]}))
    assert list(run.tally.per_scenario.iter_rows()) == [("a", 1, 1, 1), ("b", 2, 0, 0)]
    assert list(run.tally.unlabelled.iter_rows()) == [("a", "unparsed", "no-label", 1)]


@pytest.mark.parametrize("value", ["yes", "1", "0.5", "TRUE", " true", "nan"])
def test_a_label_off_the_menus_is_unknown_and_not_false(tmp_path, value):
    rows = [ROWS[0] | {"label": value}]
    run = read(*world(tmp_path, "t.csv", csv_of(rows), LONG))
    assert list(run.tally.unlabelled.iter_rows()) == [("a", "unparsed", "off-menu", 1)]


def test_one_is_not_true_and_true_is_not_one():
    outcome = TableOutcome.read(LONG | {"attack_success_when": {"equals": [1]}}, file="f")
    assert tuple(outcome.label_of(value) for value in (1, 1.0, True, "1")) == (True, True, None, None)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"id,label\na,true\n", "expected the column 'trial'"),
        ("t.csv", b"id,trial,status,label,why,id\na,0,scored,true,,a\n", "'id' twice"),
        ("t.csv", b"id,trial,status,label,why\na,0,scored\n", "5 fields"),
        ("t.csv", csv_of([ROWS[0] | {"trial": "first"}]), "an index of a trial"),
        ("t.csv", csv_of([ROWS[0] | {"trial": -1}]), "an index of a trial"),
        ("t.csv", csv_of([ROWS[0] | {"status": "done"}]), "a status, one of"),
        ("t.csv", csv_of([ROWS[0] | {"status": "error"}]), "no label on a trial that is error"),
        ("t.csv", csv_of([ROWS[0] | {"id": None}]), "a scenario in id"),
        ("t.csv", b"\xff\xfe", "byte order mark"),
        ("t.csv", b"", "expected the column"),
        ("t.jsonl", b'{"id": "a", "id": "b"}\n', "two values for the key"),
        ("t.jsonl", b"[]\n", "an object"),
        ("t.jsonl", jsonl_of([ROWS[0] | {"id": 1.5}]), "a scenario in id"),
        ("t.parquet", b"PAR1", "a Parquet file"),
        ("t.parquet", parquet_of(ROWS)[:-10], "a Parquet file"),
        ("t.xlsx", b"PK", "a name that ends in"),
        ("t.pkl", b"\x80\x04", "a name that ends in"),
    ],
)
def test_what_is_no_such_table_is_refused(tmp_path, name, content, message):
    assert message in faults(*world(tmp_path, name, content, LONG))


def test_a_footer_that_claims_a_hundred_million_rows_is_refused_before_they_are_read(tmp_path):
    buffer = io.BytesIO()
    pl.select(
        id=pl.lit("a").repeat_by(6_000_000).explode(), **dict.fromkeys(("label", "trial", "status", "why"), pl.lit("x"))
    ).write_parquet(buffer)
    said = faults(*world(tmp_path, "t.parquet", buffer.getvalue(), LONG))
    assert "at most 5000000 rows" in said


def test_statuses_of_the_tables_own_words_are_mapped(tmp_path):
    rows = [row | {"status": {"scored": "done", "timeout": "slow"}[row["status"]]} for row in ROWS]
    outcome = LONG | {"statuses": {"done": "scored", "slow": "timeout"}}
    run = read(*world(tmp_path, "t.csv", csv_of(rows), outcome))
    assert run.tally.unlabelled["n"].sum() == 1
    assert "statuses maps to" in faults(
        *world(tmp_path / "2", "t.csv", csv_of(rows), outcome | {"statuses": {"a": "b"}})
    )


def test_the_table_reader_states_nothing_of_the_run():
    assert READER.says == ()


@pytest.mark.parametrize("broken", ["reference", "control"])
def test_a_canary_whose_log_has_a_row_that_cannot_be_read_shows_nothing(tmp_path: Path, broken: str):
    """The row that cannot be read may be the one on which the control fired, or on which the act went unseen."""
    labels = {"reference": True, "control": False}
    rows = {side: [{**ROWS[0], "id": "canary", "label": label}] for side, label in labels.items()}
    rows[broken].append({**ROWS[0], "id": "canary", "trial": 1, "status": "no status", "label": not labels[broken]})
    around = Around(tmp_path / "w", {"a": "leak", "b": "leak"}, trials=2)
    (around.folder / "t.csv").write_bytes(csv_of(ROWS))
    for side, of_side in rows.items():
        (around.folder / f"{side}.csv").write_bytes(csv_of(of_side))
    where = {side: {"log": f"{side}.csv", "scenario": "canary"} for side in rows}
    part = {
        "classes": {"constant": "leak"},
        "outcome": LONG,
        "canary": {"probe_id": "canary", "signal": "leak"} | where,
    }
    around.declare("t.csv", part, around.run("p", canary=None))
    assert f"{broken}.csv: line 3: expected a status" in faults(around.folder, "table:t.csv")
