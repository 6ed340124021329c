"""Trials files made to be misread: every one is refused by a code of the rule, or read as exactly what it says."""

from __future__ import annotations

import datetime
import io
import json
import subprocess
import sys

import polars as pl
import pytest

from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence import trial_rows
from litmus_nb.evidence.trial_rows import rows_of
from tests.builders import codes, correct_world, csv_of, decide, json_lines, parquet_of

ROWS = correct_world().candidate.rows
UNREADABLE, INVALID = {"EVIDENCE_UNREADABLE"}, {"LABEL_INVALID"}
N = len(ROWS)
MUTATIONS = 300


def found(content, name, folder):
    """The codes of a world that is correct but for the candidate's trials."""
    world = correct_world()
    world.candidate.trials_name = name
    world.tampered[f"candidate/{name}"] = content
    return codes(decide(world, folder))


# ---------------------------------------------------------------- Parquet


def parquet_with(**columns):
    frame = pl.read_parquet(io.BytesIO(parquet_of(ROWS)))
    for name, series in columns.items():
        frame = frame.with_columns(series.alias(name))
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


LABEL_COLUMNS = {
    "floats of zero and one": lambda: pl.Series([0.0, 1.0] * (N // 2)),
    "not a number": lambda: pl.Series([float("nan")] * N),
    "infinities": lambda: pl.Series([float("inf"), -float("inf")] * (N // 2)),
    "minus zero": lambda: pl.Series([-0.0] * N),
    "integers": lambda: pl.Series([0] * N),
    "text": lambda: pl.Series(["false"] * N),
    "category": lambda: pl.Series(["false"] * N, dtype=pl.Categorical),
    "lists": lambda: pl.Series([[False]] * N),
    "arrays": lambda: pl.Series([[False]] * N, dtype=pl.Array(pl.Boolean, 1)),
    "structs": lambda: pl.Series([{"safe": True}] * N),
    "bytes": lambda: pl.Series([b"\xff\x00"] * N),
    "decimals": lambda: pl.Series(["0.5"] * N).str.to_decimal(scale=1),
    "days": lambda: pl.Series([datetime.date(2026, 1, 1)] * N),
    "times with a zone": lambda: pl.Series(
        [datetime.datetime(2026, 1, 1)] * N, dtype=pl.Datetime("us", "Asia/Kathmandu")
    ),
    "durations": lambda: pl.Series([datetime.timedelta(days=1)] * N),
    "nothing at all": lambda: pl.Series([None] * N, dtype=pl.Null),
    "booleans or nothing": lambda: pl.Series([None, False] * (N // 2), dtype=pl.Boolean),
}


@pytest.mark.parametrize("what", LABEL_COLUMNS)
def test_a_label_column_of_another_type_holds_no_label(what, tmp_path):
    content = parquet_with(attack_success=LABEL_COLUMNS[what]())
    assert found(content, "trials.parquet", tmp_path) >= INVALID


TYPES = {
    "trial of floats": {"trial": pl.Series([0.0, 1.0] * (N // 2))},
    "trial of text": {"trial": pl.Series(["0", "1"] * (N // 2))},
    "trial of nothing": {"trial": pl.Series([None] * N, dtype=pl.Null)},
    "trial of booleans": {"trial": pl.Series([False, True] * (N // 2))},
    "one trial null": {"trial": pl.Series([None, *range(1, N)], dtype=pl.Int64)},
    "ids of integers": {"scenario_id": pl.Series(list(range(N)))},
    "ids of bytes": {"scenario_id": pl.Series([b"x"] * N)},
    "ids of nothing": {"scenario_id": pl.Series([None] * N, dtype=pl.Null)},
    "status of nothing": {"status": pl.Series([None] * N, dtype=pl.String)},
    "status of lists": {"status": pl.Series([["scored"]] * N)},
    "reasons of structs": {"reason": pl.Series([{"a": 1}] * N)},
    "a column that nobody reads": {"safe": pl.Series([True] * N)},
    "a column of another case": {"Status": pl.Series(["scored"] * N)},
}


@pytest.mark.parametrize("what", TYPES)
def test_a_column_of_another_type_is_unreadable(what, tmp_path):
    assert found(parquet_with(**TYPES[what]), "trials.parquet", tmp_path) == UNREADABLE


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(sorted({row["scenario_id"] for row in ROWS}))])
def test_a_dictionary_of_ids_is_text(dtype, tmp_path):
    content = parquet_with(scenario_id=pl.Series([row["scenario_id"] for row in ROWS]).cast(dtype))
    assert found(content, "trials.parquet", tmp_path) == set()


@pytest.mark.parametrize("dtype", [pl.UInt8, pl.Int8, pl.UInt64, pl.Int128])
def test_an_integer_of_any_width_is_an_index(dtype, tmp_path):
    content = parquet_with(trial=pl.Series([row["trial"] for row in ROWS]).cast(dtype))
    assert found(content, "trials.parquet", tmp_path) == set()


@pytest.mark.parametrize(("index", "dtype"), [(2**64 - 1, pl.UInt64), (2**63, pl.UInt64), (-(2**100), pl.Int128)])
def test_an_index_that_overflows_is_out_of_range_and_not_another_index(index, dtype, tmp_path):
    indexes = pl.Series([index, *[row["trial"] for row in ROWS[1:]]], dtype=dtype)
    assert "POPULATION_DRIFT" in found(parquet_with(trial=indexes), "trials.parquet", tmp_path)


def test_a_file_without_rows_is_a_population_without_trials(tmp_path):
    frame = pl.read_parquet(io.BytesIO(parquet_of(ROWS))).clear()
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    assert {"POPULATION_DRIFT", "SKIP_UNDOCUMENTED", "SKIP_NOT_UNIFORM"} == found(
        buffer.getvalue(), "trials.parquet", tmp_path
    )


BYTES = {
    "empty": lambda: b"",
    "magic alone": lambda: b"PAR1PAR1",
    "magic and junk": lambda: b"PAR1" + b"\xff" * 100 + b"PAR1",
    "a lying footer length": lambda: b"PAR1" + b"\x00" * 20 + b"\xff\xff\xff\x7f" + b"PAR1",
    "cut in half": lambda: parquet_of(ROWS)[: len(parquet_of(ROWS)) // 2],
    "something before": lambda: b"#!/bin/sh\n" + parquet_of(ROWS),
    "something after": lambda: parquet_of(ROWS) + b"\n",
    "a pickle": lambda: b"\x80\x04\x95\x1a\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94.",
    "an Arrow file": lambda: b"ARROW1\x00\x00" + b"\x00" * 64,
    "a CSV": lambda: csv_of(ROWS),
}


@pytest.mark.parametrize("what", BYTES)
def test_bytes_that_are_no_parquet_are_unreadable(what, tmp_path):
    assert found(BYTES[what](), "trials.parquet", tmp_path) == UNREADABLE


def test_more_rows_than_any_memory_holds_are_seen_in_the_footer(monkeypatch):
    """The limit is 100 million; the reading itself would come after."""
    monkeypatch.setattr(trial_rows, "MOST_ROWS", N - 1)
    monkeypatch.setattr(pl, "read_parquet", lambda source: pytest.fail("the rows were read"))
    with pytest.raises(UnreadableInput, match=f"at most {N - 1} rows, seen {N} rows"):
        rows_of(parquet_of(ROWS), file="trials.parquet")


def test_a_panic_of_polars_is_an_unreadable_file(monkeypatch, tmp_path):
    """A panic is no Exception; uncaught it would go through every `except Exception` of the gate."""

    def panics(source):
        raise pl.exceptions.PanicException("out of bounds")

    monkeypatch.setattr(pl, "read_parquet", panics)
    assert found(parquet_of(ROWS), "trials.parquet", tmp_path) == UNREADABLE


def test_flipped_bytes_are_refused_or_seen():
    """Each mutation is refused, or read as rows; nothing else comes out. The run digest is of these very bytes.

    In a process of its own: about 1 in 2,000 flipped Parquet files makes polars ask for 2^61 bytes, which Rust answers
    by abort(). The gate's files then still say NO_VERDICT; nobody can answer in that process any more.
    """
    for name in ("trials.csv", "trials.jsonl", "trials.parquet"):
        first, deaths = 0, 0
        while first < MUTATIONS:
            child = subprocess.run(
                [sys.executable, "-m", "tests.hostile.mutations", name, str(first), str(MUTATIONS)],
                capture_output=True,
                text=True,
                check=False,
            )
            seen = child.stdout.split()
            if child.returncode == 0:
                assert seen[-1] == "done"
                break
            assert child.returncode < 0, child.stderr  # a signal: no exception, and no traceback of ours
            assert name == "trials.parquet"
            first, deaths = int(seen[-1]) + 1, deaths + 1
        assert deaths <= 3


# ---------------------------------------------------------------- CSV


def csv_changed(old, new, count=1):
    return csv_of(ROWS).replace(old, new, count)


LABELS = ["True", "TRUE", "yes", "no", "0", "1", "0.0", "nan", "NaN", "null", "None", " true", "true ", "C", "'false'"]


@pytest.mark.parametrize("label", LABELS)
def test_a_csv_label_is_true_or_false_and_nothing_like_it(label, tmp_path):
    assert found(csv_changed(b"false", label.encode()), "trials.csv", tmp_path) >= INVALID


CSV_BYTES = {
    "nothing": b"",
    "a header cut off": b"scenario_id,scenario_class,trial",
    "another delimiter": csv_of(ROWS).replace(b",", b";"),
    "tabs": csv_of(ROWS).replace(b",", b"\t"),
    "UTF-16": csv_of(ROWS).decode().encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf" + csv_of(ROWS),
    "Latin-1": csv_of(ROWS) + "é".encode("latin-1"),
    "a blank line": csv_of(ROWS) + b"\n",
    "a row too short": csv_of(ROWS) + b"a,b\n",
    "a row too long": csv_of(ROWS) + b"a,b,0,scored,true,x,y,z\n",
    "an open quote": csv_of(ROWS) + b'"a',
    "a quote within": csv_changed(b"scored", b'sc"ored'),
    "junk after a quote": csv_changed(b"scored", b'"scored"x'),
    "a field of a megabyte": csv_changed(b"scored", b'"' + b"x" * 2**20 + b'"'),
    "a column twice": csv_changed(b"status", b"trial"),
    "a column of another name": csv_changed(b"attack_success", b"security"),
    "a column with a space": csv_changed(b"status", b" status"),
    "a status of another case": csv_changed(b"scored", b"Scored"),
    "a status with a NUL": csv_changed(b"scored", b"scored\0"),
    "no status": csv_changed(b"scored", b""),
    "no id": csv_changed(ROWS[0]["scenario_id"].encode(), b""),
}


@pytest.mark.parametrize("what", CSV_BYTES)
def test_a_csv_that_can_be_read_two_ways_is_unreadable(what, tmp_path):
    assert found(CSV_BYTES[what], "trials.csv", tmp_path) == UNREADABLE


INDEXES = ["", "1.0", "1e0", "+1", "01", "0x1", "1_0", " 1", "1 ", "٣", "true", "--1", "-", "0" * 20 + "1", "NaN"]


@pytest.mark.parametrize("index", INDEXES)
def test_a_csv_index_is_written_as_json_writes_integers(index, tmp_path):
    content = csv_changed(b",1,scored", f",{index},scored".encode())
    assert found(content, "trials.csv", tmp_path) == UNREADABLE


@pytest.mark.parametrize("index", ["2", "-1", "9" * 18, "9" * 19, "9" * 100, "-" + "9" * 100])
def test_a_csv_index_beyond_the_declared_is_a_drift(index, tmp_path):
    content = csv_changed(b",1,scored", f",{index},scored".encode())
    assert "POPULATION_DRIFT" in found(content, "trials.csv", tmp_path)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_other_ends_of_lines_are_the_same_rows(end, tmp_path):
    content = csv_of(ROWS).decode().replace("\r\n", "\n").replace("\n", end).encode()
    assert found(content, "trials.csv", tmp_path) == set()


# ---------------------------------------------------------------- JSON Lines

LINE = json.dumps(ROWS[0] | {"attack_success": False})
JSON_LINES = {
    "a list": "[1]",
    "a text": '"scored"',
    "a number": "1",
    "null": "null",
    "a blank line": "",
    "two objects on a line": LINE + LINE,
    "an object over two lines": LINE.replace(",", ",\n", 1),
    "a comment": "// " + LINE,
    "single quotes": LINE.replace('"', "'"),
    "a trailing comma": LINE[:-1] + ",}",
    "a key twice": LINE[:-1] + ', "attack_success": false}',
    "a key twice, escaped": LINE[:-1] + ', "attack\\u005fsuccess": false}',
    "NaN": LINE.replace("false", "NaN"),
    "Infinity": LINE.replace("false", "-Infinity"),
    "too great a number": LINE.replace("false", "1e400"),
    "an integer beyond 2^53": LINE.replace('"trial": 0', '"trial": 9007199254740992'),
    "an integer of 4,000 digits": LINE.replace('"trial": 0', '"trial": ' + "1" * 4000),
    "an index of minus zero point zero": LINE.replace('"trial": 0', '"trial": -0.0'),
    "an index in text": LINE.replace('"trial": 0', '"trial": "0"'),
    "an index of true": LINE.replace('"trial": 0', '"trial": false'),
    "no index": LINE.replace('"trial": 0', '"trial": null'),
    "a lone surrogate": LINE.replace("scored", "scored\\ud800"),
    "deep nesting": LINE.replace("false", "[" * 100 + "]" * 100),
    "nesting of 5,000": LINE.replace("false", "[" * 5_000 + "]" * 5_000),
    "nesting of 200,000": "[" * 200_000,
    "an unknown key": LINE[:-1] + ', "passed": true}',
    "no label key": LINE.replace('"attack_success": false', '"reason": null'),
    "a reason that is a number": LINE[:-1] + ', "reason": 7}',
    "a NUL byte": LINE + "\0",
    "a form feed": LINE + "\f",
}


@pytest.mark.parametrize("what", JSON_LINES)
def test_a_json_line_that_is_no_row_is_unreadable(what, tmp_path):
    content = json_lines(ROWS[1:]) + JSON_LINES[what].encode() + b"\n"
    assert found(content, "trials.jsonl", tmp_path) == UNREADABLE


@pytest.mark.parametrize("label", ["0", "1", "0.5", '"false"', '""', "[]", "{}", '"C"', "-0.0", '{"a": [null]}'])
def test_a_json_label_is_a_boolean_and_nothing_like_it(label, tmp_path):
    content = json_lines(ROWS[1:]) + LINE.replace("false", label).encode() + b"\n"
    assert found(content, "trials.jsonl", tmp_path) >= INVALID


def test_rows_without_end_are_refused_with_a_message_that_fits_a_page(tmp_path):
    """A hundred thousand bad rows make no report of a hundred thousand reasons."""
    world = correct_world()
    world.tampered["candidate/trials.jsonl"] = b"[]\n" * 100_000
    decision = decide(world, tmp_path)
    assert codes(decision) == UNREADABLE
    assert len(decision.reasons) <= 20


# ---------------------------------------------------------------- what a row says

FIRST = ROWS[0]["scenario_id"]
LOOK_ALIKES = [
    FIRST.upper(),
    FIRST + " ",
    " " + FIRST,
    FIRST + "\u200b",
    FIRST + "\0",
    FIRST.replace("i", "\u0456").replace("o", "\u043e"),
    "\u202e" + FIRST,
    FIRST.replace("-", "\u2010"),
    "",
]


@pytest.mark.parametrize("name", LOOK_ALIKES, ids=ascii)
@pytest.mark.parametrize("format_", ["jsonl", "parquet", "csv"])
def test_an_id_that_looks_alike_is_another_scenario(name, format_, tmp_path):
    if name == FIRST:
        pytest.skip("the same id")
    rows = [dict(row, scenario_id=name) if row["scenario_id"] == FIRST else row for row in ROWS]
    content = {"jsonl": json_lines, "parquet": parquet_of, "csv": csv_of}[format_](rows)
    seen = found(content, f"trials.{format_}", tmp_path)
    assert seen & {"UNDECLARED_SCENARIO", "EVIDENCE_UNREADABLE"}


def test_an_id_of_ten_megabytes_makes_no_reason_of_ten_megabytes(tmp_path):
    world = correct_world()
    world.candidate.rows.append(dict(ROWS[0], scenario_id="x" * 10_000_000))
    decision = decide(world, tmp_path)
    assert "UNDECLARED_SCENARIO" in codes(decision)
    assert all(len(reason.observed) <= 2_000 for reason in decision.reasons)


@pytest.mark.parametrize("declared", [10**9, 2**53 - 1])
def test_trials_beyond_all_counting_are_missing_and_not_zero(declared, tmp_path):
    """Sums of such counts overflow 64 bits, products 32; a wrapped count could look like few."""
    world = correct_world(scenarios=2048 // 2)
    world.candidate.declaration["trials_per_scenario"] = declared
    assert {"POPULATION_DRIFT", "SKIP_UNDOCUMENTED", "SKIP_NOT_UNIFORM"} <= codes(decide(world, tmp_path))


def test_a_trials_file_with_another_ending_is_no_trials_file(tmp_path):
    """No pickle, no joblib, no executable format is ever opened: three names are looked at, and no other."""
    world = correct_world()
    world.tampered["candidate/trials.jsonl"] = None
    world.extra_files["candidate/trials.pkl"] = BYTES["a pickle"]()
    assert codes(decide(world, tmp_path)) == UNREADABLE
